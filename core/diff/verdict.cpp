// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/diff.h"

#include <fmt/format.h>

namespace kernscope {

namespace {

/// So few elements are counted rather than judged.
constexpr std::uint64_t kFew = 16;

std::string storedVerdict(const WeightPair &pair, const Weight &a, const Weight &b)
{
    if (!pair.shapeEqual)
        return "shapes differ";
    if (pair.storedEqual)
        return "identical";
    if (pair.layoutEqual)
        return "stored bytes differ";
    return a.form == b.form ? "layouts differ" : "forms differ";
}

std::string valueVerdict(const WeightPair &pair, const ValueDifference &values)
{
    if (values.identical())
        return pair.storedEqual ? "identical" : "same values";
    const std::uint64_t different = values.changed + values.zeroed + values.revived;
    // A patch leaves the layout as it is: there the number says more than any word.
    if (pair.layoutEqual && different <= kFew)
        return different == 1 ? "1 value differs" : fmt::format("{} values differ", different);
    if (values.changed == 0)
        return values.revived == 0 ? "kept values exact" : "other zeros, kept values exact";
    if (pair.step && values.maxAbs <= *pair.step)
        return "within one step";
    if (values.maxUlp <= 1 && values.ulpHistogram.back() == 0)
        return "within one ULP";
    if (values.cosine >= 0.999)
        return "close";
    return values.cosine >= 0.9 ? "similar" : "different";
}

} // namespace

std::string verdict(const WeightPair &pair, const Bundle &a, const Bundle &b)
{
    if (pair.fault)
        return "cannot be compared";
    if (pair.values)
        return valueVerdict(pair, *pair.values);
    return storedVerdict(pair, a.weights()[pair.a], b.weights()[pair.b]);
}

} // namespace kernscope
