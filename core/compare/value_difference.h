// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/form/encoding.h"

#include <cmath>
#include <limits>

namespace kernscope {

/// Holds every integer of 64 bits and every number of fp64, and the squares of the latter.
using ExactValue = long double;
static_assert(std::numeric_limits<ExactValue>::digits >= 64 &&
              std::numeric_limits<ExactValue>::max_exponent >
                  4 * std::numeric_limits<double>::max_exponent);

/// The shortest text that reads back as the number; of integers that doubles do not hold all
/// digits.
std::string exactText(ExactValue value);

/// How far two values are apart: what is not finite on one side only, or differs there, is further
/// apart than any number.
template <class T>
T apart(T a, T b)
{
    if (a == b || (std::isnan(a) && std::isnan(b)))
        return 0;
    const T distance = std::abs(a - b);
    return std::isnan(distance) ? std::numeric_limits<T>::infinity() : distance;
}

/// Two values of one element, as they are compared.
struct ElementPair {
    std::uint64_t element = 0;
    ExactValue a = 0, b = 0;
    friend bool operator==(const ElementPair &, const ElementPair &) = default;
};

/// Decoded values of B against those of A, at the precision that they are stored with: fp32 as
/// fp32, integers as integers. NaN against NaN counts as equal, whatever the payloads.
struct ValueDifference {
    std::uint64_t equal = 0;   ///< same value (+0 and -0 are equal)
    std::uint64_t changed = 0; ///< both nonzero, different
    std::uint64_t zeroed = 0;  ///< nonzero in A, zero in B
    std::uint64_t revived = 0; ///< zero in A, nonzero in B
    /// Different, and not finite in one of the two at least. With any, the figures below are not
    /// finite either; elements that are not finite and the same have no part in them.
    std::uint64_t notFinite = 0;
    std::uint64_t nonfiniteA = 0, nonfiniteB = 0; ///< of all elements of either side
    double maxAbs = 0, meanAbs = 0, rmse = 0;
    double relativeRmse = 0; ///< sqrt(sum (a - b)^2 / sum a^2); infinite where A is all zero
    double maxRel = 0;       ///< largest |a - b| / |a|; infinite where zeros of A are none in B
    double cosine = 1;       ///< 1 where both are all zero
    double snr = 0;          ///< 10 log10(sum a^2 / sum (a - b)^2) in dB; infinite without an error
    double scale = 1;        ///< sum ab / sum a^2: the factor by which A comes nearest to B
    /// Steps between the two in the order of the values of `ulpType`; B is rounded to that type.
    /// NaN left out. Of integers: the distance.
    std::uint64_t maxUlp = 0;
    ElementType ulpType = ElementType::Fp16; ///< decoded type of A
    bool oneType = true;                     ///< B decodes to that type too: steps mean something
    /// Elements by ULP distance: bin 0: 0, bin k: 2^(k-1) to 2^k - 1. NaN against a number counts
    /// in the last. 17 bins for types of 16 bits and fewer, 33 up to 32 bits, else 65.
    std::vector<std::uint64_t> ulpHistogram = std::vector<std::uint64_t>(17);
    std::uint64_t beyondTolerance = 0; ///< |a - b| above the tolerance asked for
    /// Elements that differ once both are rounded to fp16, and the first of them: without any, B
    /// is A apart from fp16 rounding.
    std::uint64_t unfaithful = 0;
    std::optional<ElementPair> counterexample;
    /// The first element of the largest difference; one that is not finite on one side only is
    /// more than any other.
    std::optional<ElementPair> worst;

    /// Elements that were decoded to find all this, of both sides: 0 where the stored bytes said
    /// it. Of builds that are compared with one base, the base counts in the first.
    std::uint64_t decoded = 0;

    /// maxUlp where it says something.
    std::optional<std::uint64_t> ulp() const
    {
        return oneType && notFinite == 0 ? std::optional(maxUlp) : std::nullopt;
    }
    std::uint64_t elements() const { return equal + changed + zeroed + revived; }
    std::uint64_t different() const { return changed + zeroed + revived; }
    bool identical() const { return different() == 0; }
    bool faithful() const { return unfaithful == 0; }

    /// What a comparison of the same stored bytes finds, without reading them.
    static ValueDifference same(std::uint64_t elements, ElementType type);
};

/// "close" (within 4.5 %: at equal size a cosine of 0.999), "similar" (45 %: 0.9) or "different".
std::string_view likenessText(double relativeRmse);
inline constexpr double kCloseRmse = 0.045, kSimilarRmse = 0.45;

/// "not finite (2 values in A, 3 in B)".
std::string notFiniteText(const ValueDifference &values);

/// Bins of a ULP histogram in steps of that type.
std::size_t ulpBins(ElementType type);

/// ULP distance of two fp16 bit patterns (finite); 0 for +0 against -0.
std::uint32_t ulpDistance(std::uint16_t a, std::uint16_t b);
/// ULP distance of two numbers in steps of a type, both rounded to it. NaN: 0.
std::uint64_t ulpDistance(ElementType type, double a, double b);
/// The same of values that doubles may not hold; of integers exact.
std::uint64_t exactUlpDistance(ElementType type, ExactValue a, ExactValue b);

} // namespace kernscope

namespace kernscope::diff {

/// Whether the same stored bytes of all operands are the same decoded values: the same steps along
/// the same axes, operands of the same types and shapes, and elements that lie in the same order.
/// False where that cannot be told.
bool sameDecoding(const codec::Encoding &a, const codec::Encoding &b);

} // namespace kernscope::diff

namespace kernscope {

/// A number for every weight that changes whenever its stored bytes are edited: from the places of
/// its parts, what is laid over them and the bytes of its literals. Compare only numbers of
/// snapshots that share their files. Costs the edits, not the weights. Hold the files for reading.
std::vector<std::uint64_t> weightFingerprints(const Bundle &bundle);

} // namespace kernscope
