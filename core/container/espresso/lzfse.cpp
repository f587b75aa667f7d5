// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/espresso/espresso.h"

#include "core/base/error_builder.h"
#include "core/base/little_endian.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace kernscope::espresso {

namespace {

constexpr std::string_view kMagic = "pbze";
constexpr std::size_t kMostText = std::size_t{64} << 20; // ten times what is parsed
constexpr std::size_t kHeaderBytes = 12, kChunkBytes = 16;

using Bytes = std::span<const std::byte>;

unsigned byteAt(Bytes bytes, std::size_t at)
{
    return std::to_integer<unsigned>(bytes[at]);
}

/// Numbers taken from the end of a run of bytes towards its beginning, the highest bits first.
class BitsFromEnd
{
public:
    /// `unused`: of the last byte, its highest bits.
    BitsFromEnd(Bytes bytes, unsigned unused)
        : m_bytes(bytes), m_left(8 * std::int64_t(bytes.size()) - unused)
    {
    }

    /// Of `count` bits, at most 32. Behind the beginning all are 0, and sound() is false.
    std::uint32_t take(unsigned count)
    {
        m_left -= count;
        if (m_left < 0)
            return 0;
        const auto first = static_cast<std::size_t>(m_left / 8);
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < std::min<std::size_t>(5, m_bytes.size() - first); ++i)
            word |= std::uint64_t(byteAt(m_bytes, first + i)) << (8 * i);
        return static_cast<std::uint32_t>(word >> (m_left % 8) & ((std::uint64_t{1} << count) - 1));
    }
    bool sound() const { return m_left >= 0; }

private:
    Bytes m_bytes;
    std::int64_t m_left; ///< bits
};

/// Symbols by a finite state machine: a symbol of frequency f has f of the states.
class StateTable
{
public:
    /// `states`: a power of two. Not sound where the frequencies are more than the states.
    StateTable(std::span<const std::uint16_t> frequencies, unsigned states) : m_states(states)
    {
        for (std::size_t symbol = 0; symbol < frequencies.size(); ++symbol) {
            const unsigned f = frequencies[symbol];
            if (f == 0)
                continue;
            if (f > states - m_made) {
                m_sound = false;
                return;
            }
            const auto bits = static_cast<unsigned>(std::countl_zero(f) - std::countl_zero(states));
            const unsigned longer = (2 * states >> bits) - f; // states that take a bit more
            for (unsigned j = 0; j < f; ++j)
                m_states[m_made++] =
                    j < longer ? State{bits, ((f + j) << bits) - states, unsigned(symbol)}
                               : State{bits - 1, (j - longer) << (bits - 1), unsigned(symbol)};
        }
    }

    bool sound() const { return m_sound; }
    unsigned next(unsigned &state, BitsFromEnd &bits) const
    {
        const State &now = m_states[state % m_states.size()];
        state = now.base + bits.take(now.bits);
        return now.symbol;
    }

private:
    struct State {
        unsigned bits = 0, base = 0, symbol = 0;
    };
    std::vector<State> m_states;
    std::size_t m_made = 0;
    bool m_sound = true;
};

/// Lengths and distances: a symbol says where a range begins and how many bits choose in it.
template <std::size_t N>
struct Ranges {
    std::array<unsigned, N> bits{}, first{};

    constexpr explicit Ranges(unsigned (*bitsOf)(unsigned))
    {
        for (unsigned i = 0, from = 0; i < N; from += 1U << bits[i], ++i) {
            bits[i] = bitsOf(i);
            first[i] = from;
        }
    }
    unsigned value(const StateTable &table, unsigned &state, BitsFromEnd &from) const
    {
        const unsigned symbol = table.next(state, from);
        return first[symbol] + from.take(bits[symbol]);
    }
};

constexpr Ranges<20> kLiteralRuns([](unsigned i) {
    return i < 16 ? 0U : std::array{2U, 3U, 5U, 8U}[i - 16];
});
constexpr Ranges<20> kMatchRuns([](unsigned i) {
    return i < 16 ? 0U : std::array{3U, 5U, 8U, 11U}[i - 16];
});
constexpr Ranges<64> kDistances([](unsigned i) { return i / 4; });

/// One LZFSE stream, a chunk: blocks until "bvx$".
class Stream
{
public:
    Stream(Bytes bytes, std::string &out, std::size_t most)
        : m_bytes(bytes), m_out(out), m_begin(out.size()), m_most(most)
    {
    }

    /// False where a block is not sound: at().
    bool read()
    {
        for (;;) {
            if (m_bytes.size() - m_at < 4)
                return false;
            const auto magic = loadLittle<std::uint32_t>(m_bytes, m_at);
            if (magic == block('$'))
                return true;
            if (m_bytes.size() - m_at < 8)
                return false;
            const std::size_t before = m_out.size();
            const std::size_t raw = loadLittle<std::uint32_t>(m_bytes, m_at + 4);
            if (raw > m_most - before)
                return false;
            const auto bytes = magic == block('-')   ? plain(raw)
                               : magic == block('n') ? byBytes(raw)
                               : magic == block('2') ? byStates(raw)
                                                     : std::nullopt;
            if (!bytes || m_out.size() != before + raw)
                return false;
            m_at += *bytes;
        }
    }
    std::size_t at() const { return m_at; }

private:
    static constexpr std::uint32_t block(char kind)
    {
        return 0x00787662U | std::uint32_t(std::uint8_t(kind)) << 24; // "bvx" and the kind
    }

    /// Each of the kinds: the bytes that the block takes.
    std::optional<std::size_t> plain(std::size_t raw)
    {
        return literals(m_bytes.subspan(m_at + 8), raw) ? std::optional(8 + raw) : std::nullopt;
    }

    bool literals(Bytes from, std::size_t count)
    {
        if (count > from.size() || count > m_most - m_out.size())
            return false;
        m_out.append(reinterpret_cast<const char *>(from.data()), count);
        return true;
    }

    bool match(std::size_t distance, std::size_t count)
    {
        if (count > m_most - m_out.size() || distance == 0 || distance > m_out.size() - m_begin)
            return false;
        for (std::size_t i = 0; i < count; ++i) // what is copied may reach into itself
            m_out.push_back(m_out[m_out.size() - distance]);
        return true;
    }

    /// LZVN: each step is one to three bytes that say literals, a match and its distance.
    std::optional<std::size_t> byBytes(std::size_t raw)
    {
        constexpr std::size_t kBlockBytes = 12;
        const Bytes rest = m_bytes.subspan(m_at);
        if (rest.size() < kBlockBytes)
            return std::nullopt;
        const std::size_t size = loadLittle<std::uint32_t>(rest, 8);
        if (size > rest.size() - kBlockBytes)
            return std::nullopt;
        const Bytes steps = rest.subspan(kBlockBytes, size);
        const std::size_t end = m_out.size() + raw;
        std::size_t at = 0, distance = 0;
        while (m_out.size() < end) {
            const auto more = [&](std::size_t i) {
                return at + i < size ? byteAt(steps, at + i) : 0;
            };
            const unsigned op = more(0), low = op & 7;
            std::size_t run = op >> 6, copied = (op >> 3 & 7) + 3, taken = 1;
            if (op == 0x0E || op == 0x16) { // nothing
                run = copied = 0;
            } else if (op >= 0xF0) {
                run = 0;
                copied = op == 0xF0 ? more(taken++) + 16 : op & 15;
            } else if (op >= 0xE0) {
                run = op == 0xE0 ? more(taken++) + 16 : op & 15;
                copied = 0;
            } else if (op >= 0xA0 && op < 0xC0) {
                run = op >> 3 & 3;
                copied = ((op & 7) << 2 | (more(1) & 3)) + 3;
                distance = more(1) >> 2 | more(2) << 6;
                taken = 3;
            } else if ((op >= 0x70 && op < 0x80) || (op >= 0xD0) || (low == 6 && op < 0x40)) {
                return std::nullopt; // the end, too soon, or no step at all
            } else if (low == 7) {
                distance = more(1) | more(2) << 8;
                taken = 3;
            } else if (low != 6) {
                distance = low << 8 | more(1);
                taken = 2;
            }
            at += taken;
            if (at > size || !literals(steps.subspan(at), run) ||
                (copied > 0 && !match(distance, copied)))
                return std::nullopt;
            at += run;
        }
        return kBlockBytes + size;
    }

    /// LZFSE proper: frequencies, literals, then literal runs, matches and distances.
    std::optional<std::size_t> byStates(std::size_t raw)
    {
        constexpr std::size_t kBlockBytes = 32;
        const Bytes rest = m_bytes.subspan(m_at);
        if (rest.size() < kBlockBytes)
            return std::nullopt;
        const auto field = [&rest](std::size_t word, unsigned first, unsigned bits) {
            return static_cast<unsigned>(loadLittle<std::uint64_t>(rest, 8 + 8 * word) >> first &
                                         ((std::uint64_t{1} << bits) - 1));
        };
        const std::size_t header = field(2, 0, 32), literalBytes = field(0, 20, 20),
                          stepBytes = field(1, 40, 20);
        if (header < kBlockBytes || header > rest.size() ||
            literalBytes + stepBytes > rest.size() - header || field(0, 0, 20) > raw + 3 ||
            field(0, 40, 20) > raw) // each makes a byte at least
            return std::nullopt;
        const auto all = frequencies(rest.subspan(kBlockBytes, header - kBlockBytes));
        if (!all)
            return std::nullopt;
        const std::span of(*all);
        const StateTable runs(of.first(20), 64), matches(of.subspan(20, 20), 64),
            distances(of.subspan(40, 64), 256), letters(of.subspan(104), 1024);
        if (!runs.sound() || !matches.sound() || !distances.sound() || !letters.sound())
            return std::nullopt;

        BitsFromEnd bits(rest.subspan(header, literalBytes), 7 - field(0, 60, 3));
        std::array states{field(1, 0, 10), field(1, 10, 10), field(1, 20, 10), field(1, 30, 10)};
        std::vector<std::byte> text(field(0, 0, 20));
        for (std::size_t i = 0; i < text.size(); ++i)
            text[i] = static_cast<std::byte>(letters.next(states[i % 4], bits));
        if (!bits.sound())
            return std::nullopt;

        bits = BitsFromEnd(rest.subspan(header + literalBytes, stepBytes), 7 - field(1, 60, 3));
        unsigned runState = field(2, 32, 10), matchState = field(2, 42, 10),
                 distanceState = field(2, 52, 10);
        const std::size_t end = m_out.size() + raw;
        std::size_t at = 0, distance = 0;
        for (unsigned i = field(0, 40, 20); i > 0 && m_out.size() <= end; --i) {
            const std::size_t run = kLiteralRuns.value(runs, runState, bits);
            const std::size_t copied = kMatchRuns.value(matches, matchState, bits);
            if (const std::size_t own = kDistances.value(distances, distanceState, bits))
                distance = own;
            if (!bits.sound() || !literals(Bytes(text).subspan(at), run) ||
                (copied > 0 && !match(distance, copied)))
                return std::nullopt;
            at += run;
        }
        return header + literalBytes + stepBytes;
    }

    /// Of the 20 literal runs, 20 matches, 64 distances and 256 letters: a number of few bits is
    /// small. All 0 where there are none.
    static std::optional<std::array<std::uint16_t, 360>> frequencies(Bytes bytes)
    {
        constexpr std::array<std::uint8_t, 8> kBits{2, 3, 2, 5, 2, 3, 2, 8};
        std::array<std::uint16_t, 360> all{};
        std::uint64_t word = 0;
        unsigned held = 0;
        std::size_t at = 0;
        for (std::uint16_t &each : all) {
            for (; held <= 24 && at < bytes.size(); held += 8)
                word |= std::uint64_t(byteAt(bytes, at++)) << held;
            const auto low = static_cast<unsigned>(word);
            unsigned bits = kBits[low & 7];
            if (bits == 8 && (low & 15) == 15)
                bits = 14;
            each = static_cast<std::uint16_t>(bits == 2   ? low >> 1 & 1
                                              : bits == 3 ? 2 + (low >> 2 & 1)
                                              : bits == 5 ? 4 + (low >> 3 & 3)
                                              : bits == 8 ? 8 + (low >> 4 & 15)
                                                          : 24 + (low >> 4 & 1023));
            if (bits > held)
                return bytes.empty() ? std::optional(all) : std::nullopt;
            word >>= bits;
            held -= bits;
        }
        return all;
    }

    Bytes m_bytes;
    std::string &m_out;
    std::size_t m_begin, m_most, m_at = 0;
};

std::uint64_t bigAt(Bytes bytes, std::size_t at)
{
    return __builtin_bswap64(loadLittle<std::uint64_t>(bytes, at));
}

} // namespace

bool isCompressed(std::span<const std::byte> bytes)
{
    return bytes.size() >= kMagic.size() &&
           std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

Result<std::string> unpacked(std::span<const std::byte> bytes, const std::string &file)
{
    std::string text;
    const auto bad = [&file](std::size_t at, std::string_view expected, std::string_view found) {
        return refused({file, FileOffset(at)}, "espresso.compressed", {}, std::string(expected),
                       std::string(found), "The compressed text cannot be unpacked");
    };
    std::size_t at = kHeaderBytes;
    do {
        if (bytes.size() < at + kChunkBytes)
            return bad(std::min(at, bytes.size()), "two sizes of a chunk", "the end of the file");
        const std::uint64_t raw = bigAt(bytes, at), stored = bigAt(bytes, at + 8);
        at += kChunkBytes;
        if (stored > bytes.size() - at || raw > kMostText - text.size())
            return bad(at - kChunkBytes, "a chunk of at most 64 MiB that lies in the file",
                       fmt::format("{} bytes of {}", stored, raw));
        const Bytes chunk = bytes.subspan(at, static_cast<std::size_t>(stored));
        if (const std::size_t end = text.size() + static_cast<std::size_t>(raw); stored == raw) {
            text.append(reinterpret_cast<const char *>(chunk.data()), chunk.size());
        } else if (Stream stream(chunk, text, end); !stream.read() || text.size() != end) {
            return bad(at + stream.at(), fmt::format("sound blocks of LZFSE of {} bytes", raw),
                       "a block that is not");
        }
        at += chunk.size();
    } while (at < bytes.size());
    return text;
}

} // namespace kernscope::espresso
