// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numeric/half.h"
#include "diff_sample.h"
#include "tests/test_program.h"

/// Bundles whose weights are parts of each other's.
namespace kernscope::test {

using Values = std::vector<float>;

struct Made {
    std::string name;
    std::vector<std::size_t> shape;
    Values values;
};

inline BundlePtr bundleOf(const std::vector<Made> &weights)
{
    MadeBundle made;
    for (const Made &weight : weights) {
        const std::string shape = fmt::format("[{}]", fmt::join(weight.shape, ", "));
        made.weight(weight.name, shape, halves(weight.values));
    }
    return *made.open();
}

inline Values randomValues(std::size_t count, unsigned seed)
{
    std::mt19937_64 random(seed);
    std::normal_distribution<float> value(0, 0.1f);
    Values values(count);
    std::ranges::generate(values, [&] { return halfToFloat(floatToHalf(value(random))); });
    return values;
}

/// Rows of the parts one after the other (axis 0), or each row beside the others' (axis 1).
inline Made joined(const std::string &name, const std::vector<Made> &parts, std::size_t axis)
{
    Made whole{name, parts.front().shape, {}};
    whole.shape[axis] = 0;
    for (const Made &part : parts)
        whole.shape[axis] += part.shape[axis];
    if (axis == 0) {
        for (const Made &part : parts)
            whole.values.insert(whole.values.end(), part.values.begin(), part.values.end());
        return whole;
    }
    for (std::size_t row = 0; row < whole.shape[0]; ++row) {
        for (const Made &part : parts) {
            const auto at = part.values.begin() + std::ptrdiff_t(row * part.shape[1]);
            whole.values.insert(whole.values.end(), at, at + std::ptrdiff_t(part.shape[1]));
        }
    }
    return whole;
}

inline std::vector<Made> threeParts(std::size_t axis, unsigned seed = 1)
{
    std::vector<Made> parts;
    for (const std::size_t extent : {16u, 24u, 8u}) {
        std::vector<std::size_t> shape{12, 12};
        shape[axis] = extent;
        const auto number = unsigned(parts.size());
        parts.push_back(
            {fmt::format("part_{}", number), shape, randomValues(12 * extent, seed + number)});
    }
    return parts;
}

inline std::vector<Made> shuffled(std::vector<Made> list)
{
    std::rotate(list.begin(), list.begin() + 1, list.end());
    return list;
}

/// "split part_1 0+16 axis 0; …" of what was found.
inline std::string textOf(const Bundle &a, const Bundle &b, const Difference &difference)
{
    std::string text;
    for (const auto &parts : slicedPairs(difference.weights)) {
        const WeightSlice &slice = *parts.front().slice;
        const std::string &whole =
            slice.ofA ? a.weights()[parts.front().a].name : b.weights()[parts.front().b].name;
        text += fmt::format("{} {} axis {}:", slice.name(), whole, slice.axis);
        bool exact = true;
        for (const ComparedPair &one : parts) {
            text += fmt::format(" {} {}+{}", comparedWeight(a, b, one).name, one.slice->first,
                                one.slice->count);
            exact = exact && one.exact();
        }
        text += exact ? "; exact" : "; nearest";
    }
    return text;
}

} // namespace kernscope::test
