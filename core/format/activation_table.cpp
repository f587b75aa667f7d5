// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/activation_table.h"

#include "core/format/table_rows.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::format {

namespace {

constexpr std::size_t kSegments = ActivationTable::kKnots - 1;
constexpr std::size_t kFirstKnot = 4;
constexpr std::size_t kLastKnot = kFirstKnot + kSegments;
constexpr std::size_t kLeftSlope = 37;
constexpr std::size_t kRightSlope = 39;

Error clampFault(float low, float high)
{
    return valueError("activation.clamps", "clamps", "two finite numbers, the lower one first",
                      fmt::format("{} and {}", low, high),
                      "the record's clamps do not bound an interval");
}

/// Rounds to fp16 and widens again: one operation of the engine.
float half(float value)
{
    return halfToFloat(floatToHalf(value));
}

/// The distance to the next fp16 number, at least that of the subnormals.
double halfStep(float value)
{
    const auto bits = static_cast<std::uint16_t>(floatToHalf(std::abs(value)) & 0x7fffu);
    if (bits >= kHalfInfinity - 1)
        return 32;
    return static_cast<double>(halfToFloat(static_cast<std::uint16_t>(bits + 1))) -
           static_cast<double>(halfToFloat(bits));
}

/// Where the line of one side has the value of its end knot: the roundest number that the rounding
/// of slope, intercept and knot leaves possible.
std::optional<double> meeting(float slope, float intercept, float knot)
{
    if (!std::isfinite(slope) || !std::isfinite(intercept) || !std::isfinite(knot) || slope == 0)
        return std::nullopt;
    const auto s = static_cast<double>(slope);
    const double at = (static_cast<double>(knot) - static_cast<double>(intercept)) / s;
    const double slack =
        (halfStep(knot) + halfStep(intercept) + std::abs(at) * halfStep(slope)) / std::abs(s) / 2;
    if (!std::isfinite(at) || slack > std::abs(at) / 2)
        return std::nullopt;
    for (int exponent = 15; exponent > -15; --exponent) {
        const double step = std::ldexp(1, exponent);
        const double round = std::nearbyint(at / step) * step;
        if (std::abs(round - at) <= slack)
            return round;
    }
    return at;
}

/// The segment that a place among the knots lies in; the first one where it is no number.
std::size_t segmentOf(double at)
{
    constexpr double kLast = static_cast<double>(kSegments - 1);
    return at > 0 ? static_cast<std::size_t>(std::min(std::floor(at), kLast)) : 0;
}

std::vector<ActivationField> readFields()
{
    std::vector<ActivationField> fields;
    const auto csv = tables::load("activation_table");
    if (!csv)
        return fields;
    for (std::size_t i = 0; i < csv->rows(); ++i) {
        ActivationField field;
        field.layout =
            csv->cell(i, "layout") == "device" ? ActivationLayout::Device : ActivationLayout::Text;
        field.name = csv->cell(i, "field");
        field.index = static_cast<std::size_t>(parseInteger(csv->cell(i, "index")).value_or(0));
        field.count = static_cast<std::size_t>(parseInteger(csv->cell(i, "count")).value_or(1));
        field.confidence = confidenceFromName(csv->cell(i, "confidence"));
        field.source = csv->cell(i, "source");
        field.note = csv->cell(i, "note");
        fields.push_back(std::move(field));
    }
    return fields;
}

} // namespace

std::string_view activationLayoutName(ActivationLayout layout)
{
    return layout == ActivationLayout::Text ? "text" : "device";
}

std::span<const ActivationField> activationFields()
{
    static const auto fields = readFields();
    return fields;
}

Result<ActivationTable> ActivationTable::parse(std::span<const std::byte> bytes)
{
    if (bytes.size() < kBytes) {
        return refused("activation.length", "record", fmt::format("{} bytes", kBytes),
                       fmt::format("{} bytes", bytes.size()), "the activation record is too short");
    }
    ActivationTable table;
    for (std::size_t i = 0; i < kEntries; ++i)
        table.m_entries[i] =
            static_cast<std::uint16_t>(std::to_integer<unsigned>(bytes[2 * i]) |
                                       std::to_integer<unsigned>(bytes[2 * i + 1]) << 8);
    const float low = table.lowClamp();
    const float high = table.highClamp();
    if (!std::isfinite(low) || !std::isfinite(high) || !(low < high))
        return tl::unexpected(clampFault(low, high));
    table.setLayout(table.holdsScale() ? ActivationLayout::Text : ActivationLayout::Device);
    return table;
}

Result<ActivationTable> ActivationTable::sample(const std::function<double(double)> &function,
                                                float low, float high,
                                                const std::array<float, 4> &tails)
{
    ActivationTable table;
    table.m_entries[0] = floatToHalf(low);
    table.m_entries[1] = floatToHalf(high);
    const float from = table.lowClamp();
    const float to = table.highClamp();
    if (!std::isfinite(from) || !std::isfinite(to) || !(from < to))
        return tl::unexpected(clampFault(low, high));
    table.m_entries[3] = floatToHalf(32.0f / (to - from));
    table.findDomain();
    for (std::size_t i = 0; i < kKnots; ++i)
        table.m_entries[kFirstKnot + i] = doubleToHalf(function(table.knotInput(i)));
    for (std::size_t i = 0; i < tails.size(); ++i)
        table.m_entries[kLeftSlope + i] = floatToHalf(tails[i]);
    return table;
}

std::array<std::byte, ActivationTable::kBytes> ActivationTable::write() const
{
    std::array<std::byte, kBytes> bytes{};
    for (std::size_t i = 0; i < kEntries; ++i) {
        bytes[2 * i] = static_cast<std::byte>(m_entries[i] & 0xffu);
        bytes[2 * i + 1] = static_cast<std::byte>(m_entries[i] >> 8);
    }
    return bytes;
}

void ActivationTable::setLayout(ActivationLayout layout)
{
    m_layout = layout;
    findDomain();
}

float ActivationTable::value(std::size_t entry) const
{
    return halfToFloat(m_entries[entry]);
}

void ActivationTable::findDomain()
{
    const auto low = static_cast<double>(lowClamp());
    const auto high = static_cast<double>(highClamp());
    m_domain = {low, high, false};
    if (m_layout == ActivationLayout::Text)
        return;
    m_domain.assumed = true;
    const auto left = meeting(value(kLeftSlope), value(kLeftSlope + 1), value(kFirstKnot));
    const auto right = meeting(value(kRightSlope), value(kRightSlope + 1), value(kLastKnot));
    const double from = left && *left >= low && *left < high ? *left : low;
    const double to = right && *right <= high && *right > low ? *right : high;
    if (from < to) {
        m_domain.low = from;
        m_domain.high = to;
    }
}

double ActivationTable::knotInput(std::size_t i) const
{
    return m_domain.low +
           (m_domain.high - m_domain.low) * static_cast<double>(i) / static_cast<double>(kSegments);
}

bool ActivationTable::holdsScale() const
{
    // A writer that had the clamps in more bits than fp16 may be one place off.
    const int computed = floatToHalf(32.0f / (highClamp() - lowClamp()));
    return std::abs(m_entries[3] - computed) <= 1;
}

/// Segments for each unit of the input: a number of the record, and so an fp16 one.
float ActivationTable::scale() const
{
    if (m_layout == ActivationLayout::Text && holdsScale())
        return value(3);
    return half(32.0f / static_cast<float>(m_domain.high - m_domain.low));
}

std::uint16_t ActivationTable::interpolateHalf(std::uint16_t input) const
{
    const auto low = static_cast<float>(m_domain.low);
    const float at = half(half(halfToFloat(input) - low) * scale());
    const std::size_t segment = segmentOf(static_cast<double>(at));
    const float fraction = half(at - static_cast<float>(segment));
    const float rise = half(knot(segment + 1) - knot(segment));
    return floatToHalf(knot(segment) + half(fraction * rise));
}

std::uint16_t ActivationTable::interpolateExact(double input) const
{
    const double at = (input - m_domain.low) * static_cast<double>(scale());
    const std::size_t segment = segmentOf(at);
    const auto from = static_cast<double>(knot(segment));
    const double rise = static_cast<double>(knot(segment + 1)) - from;
    return doubleToHalf(from + (at - static_cast<double>(segment)) * rise);
}

std::uint16_t ActivationTable::line(std::size_t slope, std::uint16_t input,
                                    ActivationArithmetic arithmetic) const
{
    const float x = halfToFloat(input);
    if (arithmetic == ActivationArithmetic::Half)
        return floatToHalf(half(value(slope) * x) + value(slope + 1));
    return doubleToHalf(static_cast<double>(value(slope)) * static_cast<double>(x) +
                        static_cast<double>(value(slope + 1)));
}

std::uint16_t ActivationTable::evaluate(std::uint16_t input, ActivationArithmetic arithmetic,
                                        ActivationTail tail) const
{
    const bool nan = (input & 0x7fffu) > kHalfInfinity;
    const std::uint16_t bits = nan ? kHalfInfinity : input;
    const float x = halfToFloat(bits);
    const bool device = m_layout == ActivationLayout::Device;
    if (device && x <= lowClamp())
        return m_entries[2];
    if (device && x >= highClamp())
        return m_entries[3];
    const auto at = static_cast<double>(x);
    const bool linear = tail == ActivationTail::Linear || device;
    if (at < m_domain.low && linear)
        return line(kLeftSlope, bits, arithmetic);
    if (at > m_domain.high && linear)
        return line(kRightSlope, bits, arithmetic);
    if (at <= m_domain.low)
        return m_entries[kFirstKnot];
    if (at >= m_domain.high)
        return m_entries[kLastKnot];
    return arithmetic == ActivationArithmetic::Half ? interpolateHalf(bits) : interpolateExact(at);
}

} // namespace kernscope::format
