// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/choice.h"

#include "core/base/squeezed_bytes.h"

#include <cstring>
#include <span>

namespace kernscope::plan {

namespace {

template <class Number>
std::vector<std::byte> squeezed(const std::vector<std::size_t> &candidates)
{
    const std::vector<Number> numbers(candidates.begin(), candidates.end());
    Squeezer squeezer;
    squeezer.add(std::as_bytes(std::span(numbers)));
    return squeezer.finish();
}

template <class Number>
std::vector<std::size_t> numbersOf(const std::vector<std::byte> &bytes)
{
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    if (!bytes.empty())
        std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return {numbers.begin(), numbers.end()};
}

} // namespace

SqueezedChoice::SqueezedChoice(const std::vector<std::size_t> &candidates)
    : m_small(std::all_of(candidates.begin(), candidates.end(),
                          [](std::size_t c) { return c <= UINT8_MAX; }))
{
    m_squeezed = m_small ? squeezed<std::uint8_t>(candidates) : squeezed<std::uint32_t>(candidates);
}

std::vector<std::size_t> SqueezedChoice::all() const
{
    const std::vector<std::byte> bytes = unsqueezed(m_squeezed);
    return m_small ? numbersOf<std::uint8_t>(bytes) : numbersOf<std::uint32_t>(bytes);
}

} // namespace kernscope::plan
