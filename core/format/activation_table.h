// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/catalogue.h"

#include <array>
#include <cstddef>
#include <functional>

/// The engine's activation table: 43 fp16 numbers that stand for a function of one variable
/// (chapter 25; resources/formats/engine.md; resources/formats/kernel-bytes.md).
namespace kernscope::format {

/// Which reading of the record applies; the fields of each are in tables/activation_table.csv.
enum class ActivationLayout : std::uint8_t {
    Text,  ///< the order of chapter 25: entries 2 and 3 are a mode flag and the scale
    Device ///< real tables: entries 2 and 3 are the outputs at the clamps
};
std::string_view activationLayoutName(ActivationLayout layout); ///< "text", "device"

/// One field of a layout.
struct ActivationField {
    ActivationLayout layout = ActivationLayout::Text;
    std::string name;
    std::size_t index = 0;
    std::size_t count = 1;
    Confidence confidence = Confidence::Assumed;
    std::string source, note;
};
std::span<const ActivationField> activationFields();

/// How intermediate results are rounded (contested, C12).
enum class ActivationArithmetic : std::uint8_t {
    Half, ///< to fp16 after every operation
    Exact ///< once, at the end
};
/// What the function is outside the knots (contested, C13).
enum class ActivationTail : std::uint8_t {
    Clamp, ///< the end knots
    Linear ///< slope and intercept of that side
};

class ActivationTable
{
public:
    static constexpr std::size_t kEntries = 43;
    static constexpr std::size_t kBytes = 2 * kEntries;
    static constexpr std::size_t kKnots = 33;

    /// The first 86 bytes; later ones are padding. Errors: "activation.length", and
    /// "activation.clamps" unless the clamps are finite and in ascending order.
    static Result<ActivationTable> parse(std::span<const std::byte> bytes);
    /// Samples a function at 33 places from `low` to `high`, in the text layout, with the given
    /// slope and intercept for each side. Errors: "activation.clamps".
    static Result<ActivationTable> sample(const std::function<double(double)> &function, float low,
                                          float high, const std::array<float, 4> &tails);
    std::array<std::byte, kBytes> write() const;

    const std::array<std::uint16_t, kEntries> &entries() const { return m_entries; }
    /// The layout that the record fits: text where entry 3 is the scale 32 / (high - low) as fp16,
    /// give or take the last place, otherwise device.
    ActivationLayout layout() const { return m_layout; }
    void setLayout(ActivationLayout layout);

    float lowClamp() const { return value(0); }
    float highClamp() const { return value(1); }
    float knot(std::size_t i) const { return value(4 + i); } ///< i below 33
    /// An entry as fp32; `entry` is below the number of entries of a table.
    float value(std::size_t entry) const;

    /// Inputs of the first and the last knot. Text layout: the clamps. Device layout: where the
    /// lines of the two sides meet the end knots, as they do on the real H13 table (-8 and 8 within
    /// clamps of -9.94 and 8.32); the clamps where there is no such place. `assumed` says so.
    struct Domain {
        double low = 0;
        double high = 0;
        bool assumed = false;
    };
    Domain domain() const { return m_domain; }
    /// Input of a knot.
    double knotInput(std::size_t i) const;

    /// fp16 bits of the function at an fp16 input. NaN acts as +infinity. `tail` is a question of
    /// the text layout only: device tables are linear from the end knots to the clamps, and have
    /// their own outputs at and beyond those.
    std::uint16_t evaluate(std::uint16_t input, ActivationArithmetic arithmetic,
                           ActivationTail tail) const;

private:
    void findDomain();
    bool holdsScale() const;
    float scale() const;
    std::uint16_t interpolateHalf(std::uint16_t input) const;
    std::uint16_t interpolateExact(double input) const;
    std::uint16_t line(std::size_t slope, std::uint16_t input, ActivationArithmetic) const;

    std::array<std::uint16_t, kEntries> m_entries{};
    ActivationLayout m_layout = ActivationLayout::Text;
    Domain m_domain;
};

} // namespace kernscope::format
