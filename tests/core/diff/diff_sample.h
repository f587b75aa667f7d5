// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/diff.h"
#include "sample_bundles.h"

#include <string>

#include <fmt/format.h>

/// What the tests of differences have in common.
namespace kernscope::test {

inline DiffOptions withValues(double tolerance = 0)
{
    DiffOptions options;
    options.values = true;
    options.tolerance = tolerance;
    return options;
}

/// One weight "w" of these fp16 values, read by an operation of that name.
inline MadeBundle denseBundle(const Bytes &values, const std::string &name = "w")
{
    MadeBundle made;
    const std::string shape = fmt::format("[{}]", values.size() / 2);
    made.constant("tensor<fp16, " + shape + ">", name, made.blob(ElementType::Fp16, shape, values));
    made.consume(name);
    return made;
}

inline ValueDifference compared(const Bytes &a, const Bytes &b, double tolerance = 0)
{
    const BundlePtr from = *denseBundle(a).open(), to = *denseBundle(b).open();
    return *compareValues(*from, 0, *to, 0, tolerance);
}

inline const Bytes kTen = halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
inline const Bytes kOtherTen = halves({2, 2, 3, 4, 5, 6, 7, 8, 9, 11});
inline const Bytes kTwelve = halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});

} // namespace kernscope::test
