// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

/// What fuzz targets share: input as the readers take it, and promises that they must keep.
namespace fuzz {

inline std::span<const std::byte> bytesOf(const std::uint8_t *data, std::size_t size)
{
    return std::as_bytes(std::span(data, size));
}

inline std::vector<std::byte> copyOf(std::string_view text)
{
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

/// A promise of the reader; the fuzzer stops where it is broken, and says where that is.
inline void require(bool promise, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    if (promise)
        return;
    std::fprintf(stderr, "%s:%d: a promise is broken\n", file, line);
    std::abort();
}

/// Takes choices and values off the front of an input; of an empty one the first choice and 0.
class Choices
{
public:
    Choices(const std::uint8_t *data, std::size_t size) : m_input(data, size) {}

    std::uint32_t below(std::uint32_t count) { return take(1) % count; }
    template <class Value, std::size_t Count>
    Value oneOf(const std::array<Value, Count> &values)
    {
        return values[below(static_cast<std::uint32_t>(Count))];
    }
    std::uint32_t take(std::size_t bytes)
    {
        std::uint32_t value = 0;
        for (; bytes > 0 && !m_input.empty(); --bytes, m_input = m_input.subspan(1))
            value = value << 8 | m_input.front();
        return value;
    }

private:
    std::span<const std::uint8_t> m_input;
};

} // namespace fuzz
