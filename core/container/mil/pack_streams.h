// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/source_span.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

/// Members of a program as a run of bytes and back: numbers and spans in as few bytes as they need,
/// every text once. Private to PackedProgram.
namespace kernscope::mil {

inline constexpr std::uint64_t kMoreBytes = 0x80;

/// Small numbers of either sign in few bytes: 0, -1, 1, -2, … as 0, 1, 2, 3, …
inline std::uint64_t zigzag(std::uint64_t number)
{
    const bool negative = (number >> 63) != 0;
    return (number << 1) ^ (negative ? ~std::uint64_t{0} : 0);
}

inline std::uint64_t unzigzag(std::uint64_t code)
{
    return (code >> 1) ^ ((code & 1) != 0 ? ~std::uint64_t{0} : 0);
}

class PackStream
{
public:
    static constexpr bool kReads = false;

    const std::vector<std::byte> &bytes() const { return m_bytes; }
    /// What comes from now on is read by an UnpackStream of its own.
    void clear()
    {
        m_bytes.clear();
        m_texts.clear();
        m_at = 0;
    }

    void number(std::uint64_t value)
    {
        for (; value >= kMoreBytes; value >>= 7)
            m_bytes.push_back(static_cast<std::byte>(value | kMoreBytes));
        m_bytes.push_back(static_cast<std::byte>(value));
    }
    void raw(const void *bytes, std::size_t count)
    {
        const auto *from = static_cast<const std::byte *>(bytes);
        m_bytes.insert(m_bytes.end(), from, from + count);
    }
    /// Its number among those there were, or 0 and the text itself.
    void text(const std::string &text)
    {
        const auto [known, isNew] = m_texts.try_emplace(text, m_texts.size() + 1);
        number(isNew ? 0 : known->second);
        if (!isNew)
            return;
        number(text.size());
        raw(text.data(), text.size());
    }
    void span(const SourceSpan &span)
    {
        number(zigzag(span.offset - m_at));
        number(span.length);
        m_at = span.offset;
    }

private:
    std::vector<std::byte> m_bytes;
    std::unordered_map<std::string_view, std::uint64_t> m_texts; ///< of the program, which stays
    std::uint64_t m_at = 0;                                      ///< of the last span
};

/// Reads what one PackStream wrote; nothing is checked.
class UnpackStream
{
public:
    static constexpr bool kReads = true;

    explicit UnpackStream(std::vector<std::byte> bytes)
        : m_bytes(std::move(bytes)), m_from(m_bytes.data())
    {
    }
    UnpackStream(const UnpackStream &) = delete;
    UnpackStream &operator=(const UnpackStream &) = delete;

    bool atEnd() const { return m_from == m_bytes.data() + m_bytes.size(); }
    std::size_t size() const { return m_bytes.size(); }

    std::uint64_t next()
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = static_cast<std::uint64_t>(*m_from++);
            value |= (byte & (kMoreBytes - 1)) << shift;
            if (byte < kMoreBytes)
                return value;
        }
    }
    void raw(void *bytes, std::size_t count)
    {
        if (count > 0)
            std::memcpy(bytes, m_from, count);
        m_from += count;
    }
    void text(std::string &text)
    {
        if (const std::uint64_t known = next(); known > 0) {
            text = m_texts[known - 1];
            return;
        }
        const std::uint64_t size = next();
        text.assign(reinterpret_cast<const char *>(m_from), size);
        m_texts.emplace_back(reinterpret_cast<const char *>(m_from), size);
        m_from += size;
    }
    void span(SourceSpan &span)
    {
        span.offset = m_at += unzigzag(next());
        span.length = next();
    }

private:
    std::vector<std::byte> m_bytes;
    const std::byte *m_from;
    std::vector<std::string_view> m_texts; ///< in m_bytes
    std::uint64_t m_at = 0;
};

} // namespace kernscope::mil
