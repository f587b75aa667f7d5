// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/reencode/reencoder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t most);

/// Changes of an input that leave its structure whole: of a field, of what stands in brackets.
namespace fuzz {

using kernscope::SourceSpan;
using Splices = std::vector<kernscope::patch::Splice>;

/// Where the contents of a message's fields lie, also of those fields that are messages.
class MessageFields
{
public:
    explicit MessageFields(std::span<const std::uint8_t> bytes) : m_bytes(bytes)
    {
        add(0, bytes.size());
    }

    std::vector<SourceSpan> spans;

private:
    bool varint(std::uint64_t &at, std::uint64_t end, std::uint64_t &value) const
    {
        value = 0;
        for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
            const std::uint8_t byte = m_bytes[at++];
            value |= std::uint64_t{byte & 0x7FU} << shift;
            if (byte < 0x80)
                return true;
        }
        return false;
    }

    /// Nothing where the bytes are no message.
    void add(std::uint64_t at, std::uint64_t end)
    {
        const std::size_t before = spans.size();
        std::uint64_t tag = 0, length = 0;
        while (at < end) {
            bool read = varint(at, end, tag) && tag >= 8;
            const std::uint64_t begin = at;
            switch (tag & 7) {
            case 0: read = read && varint(at, end, length); break;
            case 1: at += 8; break;
            case 2:
                read = read && varint(at, end, length) && length <= end - at;
                if (read) {
                    spans.push_back({at, length});
                    add(at, at + length);
                    at += length;
                }
                break;
            case 5: at += 4; break;
            default: read = false;
            }
            if (!read || at > end) {
                spans.resize(before);
                return;
            }
            if ((tag & 7) != 2)
                spans.push_back({begin, at - begin});
        }
    }

    std::span<const std::uint8_t> m_bytes;
};

/// What stands between brackets, and statements with their semicolon.
inline std::vector<SourceSpan> textSpans(std::span<const std::uint8_t> text)
{
    std::vector<SourceSpan> spans;
    std::vector<std::size_t> open, statements{0};
    for (std::size_t i = 0; i < text.size(); ++i) {
        switch (text[i]) {
        case '(':
        case '[':
        case '{':
        case '<': open.push_back(i + 1); break;
        case ')':
        case ']':
        case '}':
        case '>':
            if (!open.empty()) {
                spans.push_back({open.back(), i - open.back()});
                open.pop_back();
            }
            break;
        case ';':
            spans.push_back({statements.back(), i + 1 - statements.back()});
            statements.push_back(i + 1);
            break;
        default: break;
        }
    }
    return spans;
}

/// One of `spans` changed, left out, doubled, or in the place of another; `splice` puts it there.
/// By turns, and where that cannot be, any bytes are changed.
template <class Splice>
std::size_t mutate(std::uint8_t *data, std::size_t size, std::size_t most, unsigned seed,
                   const std::vector<SourceSpan> &spans, const Splice &splice)
{
    using Bytes = std::vector<std::byte>;
    std::minstd_rand random(seed);
    if (spans.empty() || random() % 4 == 0)
        return LLVMFuzzerMutate(data, size, most);
    const auto contentOf = [data](SourceSpan span) {
        const auto bytes = std::as_bytes(std::span(data + span.offset, span.length));
        return Bytes(bytes.begin(), bytes.end());
    };
    const SourceSpan span = spans[random() % spans.size()];
    Bytes content = contentOf(span);
    std::vector<Bytes> contents;
    switch (random() % 4) {
    case 0: break;
    case 1: contents = {content, content}; break;
    case 2: contents = {contentOf(spans[random() % spans.size()])}; break;
    default:
        content.resize(span.length + std::min<std::size_t>(64, most - size));
        if (span.length > 0)
            content.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t *>(content.data()),
                                            span.length, content.size()));
        contents = {content};
    }
    const std::optional<Bytes> made =
        splice(std::as_bytes(std::span(data, size)), Splices{{span, contents}});
    if (!made || made->empty() || made->size() > most)
        return LLVMFuzzerMutate(data, size, most);
    std::ranges::transform(*made, data, [](std::byte byte) { return std::uint8_t(byte); });
    return made->size();
}

inline std::size_t mutateMessage(std::uint8_t *data, std::size_t size, std::size_t most,
                                 unsigned seed)
{
    return mutate(data, size, most, seed, MessageFields({data, size}).spans,
                  [](std::span<const std::byte> message, Splices splices) {
                      auto made = kernscope::patch::spliceProtobuf(message, std::move(splices));
                      return made ? std::optional(std::move(*made)) : std::nullopt;
                  });
}

inline std::size_t mutateText(std::uint8_t *data, std::size_t size, std::size_t most, unsigned seed)
{
    return mutate(data, size, most, seed, textSpans({data, size}),
                  [](std::span<const std::byte> text, Splices splices) {
                      return std::optional(kernscope::patch::spliceText(text, std::move(splices)));
                  });
}

/// A hardware container by its commands, whose number and size in the header follow; or by words of
/// the header and the commands: to a bound, by a step, to another word.
inline std::size_t mutateCommands(std::uint8_t *data, std::size_t size, std::size_t most,
                                  unsigned seed)
{
    constexpr std::size_t kHeader = 32, kCount = 16, kBytes = 20;
    const auto word = [](const auto *bytes, std::size_t at) {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes + at, sizeof value);
        return value;
    };
    const auto put = [](auto *bytes, std::size_t at, std::size_t value) {
        const auto narrow = static_cast<std::uint32_t>(value);
        std::memcpy(bytes + at, &narrow, sizeof narrow);
    };
    if (size < kHeader)
        return LLVMFuzzerMutate(data, size, most);
    const std::size_t end = kHeader + std::min<std::size_t>(word(data, kBytes), size - kHeader);
    std::minstd_rand random(seed);
    if (random() % 2 == 0) {
        for (auto changes = 1 + random() % 3; changes > 0; --changes) {
            const std::size_t at = random() % (end / 4) * 4;
            const std::uint32_t old = word(data, at);
            const std::size_t values[] = {0,
                                          1,
                                          0xFFFFFFFF,
                                          size,
                                          old + 1,
                                          old - 1,
                                          old ^ std::uint32_t{1} << random() % 32,
                                          word(data, random() % (end / 4) * 4)};
            put(data, at, values[random() % std::size(values)]);
        }
        return size;
    }
    std::vector<SourceSpan> commands;
    for (std::size_t at = kHeader; at + 8 <= end;) {
        const std::size_t bytes = word(data, at + 4);
        if (bytes < 8 || bytes > end - at)
            break;
        commands.push_back({at, bytes});
        at += bytes;
    }
    return mutate(data, size, most, seed, commands,
                  [&](std::span<const std::byte> file, Splices splices) {
                      const std::size_t count = splices.front().contents.size();
                      auto made = kernscope::patch::spliceText(file, std::move(splices));
                      put(made.data(), kCount, word(data, kCount) + count - 1);
                      put(made.data(), kBytes, word(data, kBytes) + made.size() - file.size());
                      return std::optional(std::move(made));
                  });
}

} // namespace fuzz
