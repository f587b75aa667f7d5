// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/window.h"
#include "core/base/hash.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <tuple>

namespace kernscope::audit {

namespace {

std::uint64_t twice(float value)
{
    const std::uint64_t bits = std::bit_cast<std::uint32_t>(value);
    return bits << 32 | bits;
}

} // namespace

void FigureCounter::add(std::uint64_t first, std::span<const float> values)
{
    constexpr float kNormal = 0x1p-14F; // the least of fp16
    constexpr std::uint64_t kShortRow = 16;
    constexpr std::size_t kLanes = std::tuple_size_v<decltype(m_hash)>;
    std::uint32_t subnormal = 0;
    for (const float value : values) {
        const float size = std::abs(value);
        subnormal += static_cast<unsigned>(size > 0) & static_cast<unsigned>(size < kNormal);
    }
    m_subnormal += subnormal;
    const std::uint64_t row = m_subject->rowElements();
    for (std::size_t i = 0; row >= kShortRow && i < values.size();) {
        const std::uint64_t column = (first + i) % row;
        const auto run = values.subspan(
            i, static_cast<std::size_t>(std::min<std::uint64_t>(row - column, values.size() - i)));
        if (column == 0) {
            m_hash = {};
            m_start = twice(run[0]);
            m_constant = true;
        }
        std::uint64_t unlike = 0;
        auto hash = m_hash; // several, which do not wait for one another
        const auto mix = [&](std::uint64_t &lane, std::uint64_t two) {
            lane = std::rotl((lane ^ two) * 0x9E3779B97F4A7C15U, 29);
            unlike |= two ^ m_start;
        };
        std::size_t k = 0;
        for (; k + 2 * kLanes <= run.size(); k += 2 * kLanes) {
            std::array<std::uint64_t, kLanes> bits;
            std::memcpy(bits.data(), &run[k], sizeof bits);
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                mix(hash[lane], bits[lane]);
        }
        for (; k < run.size(); ++k)
            mix(hash[0], twice(run[k]));
        m_hash = hash;
        m_constant = m_constant && unlike == 0;
        i += run.size();
        if (column + run.size() == row && !m_constant)
            m_rows.push_back(HashSum(m_hash).value());
    }
}

StoredFigures FigureCounter::figures() const
{
    StoredFigures figures;
    figures.subnormal =
        static_cast<double>(m_subnormal) / static_cast<double>(m_subject->elements());
    std::vector<std::uint64_t> rows = m_rows;
    std::ranges::sort(rows);
    figures.equalRows =
        static_cast<std::uint64_t>(rows.end() - std::unique(rows.begin(), rows.end()));
    const codec::Encoding &encoding = m_subject->decoder.encoding();
    const codec::Operand *payload = codec::storedOperand(encoding.payload);
    if (encoding.palette || !payload || payload->order)
        return figures;
    const bool e4m3 = payload->type == ElementType::Fp8E4M3Fn;
    const unsigned bits = bitWidth(payload->type);
    if (!e4m3 && (isFloatingPoint(payload->type) || bits == 0 || 8 % bits != 0))
        return figures;
    const std::uint64_t count = elementCount(payload->shape).value_or(ElementCount()).value;
    const std::size_t whole = // a payload may run out
        std::min(static_cast<std::size_t>(count * bits / 8), payload->bytes.size());
    std::array<std::uint64_t, 256> bytes{}, codes{};
    for (const std::byte byte : payload->bytes.first(whole))
        ++bytes[std::to_integer<std::size_t>(byte)];
    const auto addCodes = [&](std::size_t byte, std::uint64_t used, std::uint64_t times) {
        for (unsigned at = 0; at < used; at += bits)
            codes[byte >> at & ((1U << bits) - 1)] += times;
    };
    for (std::size_t byte = 0; byte < bytes.size(); ++byte)
        addCodes(byte, 8, bytes[byte]);
    if (const std::uint64_t rest = count * bits % 8; rest > 0 && whole < payload->bytes.size())
        addCodes(std::to_integer<std::size_t>(payload->bytes[whole]), rest, 1);
    if (!e4m3) {
        figures.unusedCodes =
            (std::uint64_t{1} << bits) -
            static_cast<std::uint64_t>(std::ranges::count_if(codes, [](auto n) { return n > 0; }));
        return figures;
    }
    constexpr std::size_t kCodeOf240 = 0x77, kNan = 0x7F, kSign = 0x80;
    figures.over240 = 0;
    for (std::size_t code = kCodeOf240 + 1; code < kNan; ++code)
        *figures.over240 += codes[code] + codes[code | kSign];
    return figures;
}

} // namespace kernscope::audit
