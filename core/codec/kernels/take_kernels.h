// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Private to the codec: the codes that many elements take for values that are asked of them.
namespace kernscope::codec {

/// What a run of elements is asked, and what each of them may take. All spans are as long.
template <class Value>
struct TakeRun {
    std::span<const Value> values;     ///< finite
    std::span<const Value> chosen;     ///< value of the nearest code; NaN: not known
    double relative = 0, absolute = 0; ///< by how much an element may be off (EditTolerance)
};
/// The element that is farthest off.
struct TakeWorst {
    double error = -1;
    std::size_t index = SIZE_MAX; ///< in the run; SIZE_MAX: none was farther off than before
};

/// Elements from the first one on take their chosen value where it is nearer than what they hold;
/// `held` and `stored` (its codes) become the new ones, of `codes`. Stops, after a multiple of some
/// elements, before one that would be farther off than it may. Returns how many were set; `changed`
/// grows by those that took another code, `worst` goes on from run to run.
std::size_t takeNearest(const TakeRun<double> &run, std::span<const std::uint8_t> codes,
                        std::span<float> held, std::uint8_t *stored, std::uint64_t &changed,
                        TakeWorst &worst);
std::size_t takeNearest(const TakeRun<float> &run, std::span<const std::uint8_t> codes,
                        std::span<float> held, std::uint8_t *stored, std::uint64_t &changed,
                        TakeWorst &worst);
std::size_t takeNearest(const TakeRun<float> &run, std::span<const std::uint16_t> codes,
                        std::span<float> held, std::uint16_t *stored, std::uint64_t &changed,
                        TakeWorst &worst);

/// A scale step and the codes that it is for.
struct CodeGuess {
    double share = 1, offset = 0; ///< code = value x share + offset, or (value - offset) x share
    bool offsetFirst = false;
    double smallest = 0, largest = 0; ///< codes
};
/// The code that may be nearest to each value, and its neighbours: raw[i], raw[n + i] and
/// raw[2 n + i] for n values. At least one code lies on each side of the middle one.
void guessCodes(const CodeGuess &guess, std::span<const double> values, std::span<float> raw);
/// The same with a scale and an offset of each element, in place of `share` and `offset`. NaN where
/// they say no code.
void guessCodesOfEach(const CodeGuess &guess, std::span<const double> values,
                      std::span<const float> scales, std::span<const float> offsets,
                      std::span<float> raw);
/// Which of three codes, whose values are in `raw` as guessCodes() has them, is nearest; `middle`
/// is the second one. Where values farther off might be nearer, chosen is NaN. The code's low bits
/// by `mask`.
void settleCodes(const CodeGuess &guess, std::span<const double> values,
                 std::span<const float> middle, std::span<const float> raw, unsigned mask,
                 std::span<double> chosen, std::span<std::uint8_t> codes);

} // namespace kernscope::codec
