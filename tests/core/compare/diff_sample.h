// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/compare.h"
#include "sample_bundles.h"
#include "tests/test_program.h"

#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

/// What the tests of differences have in common.
namespace kernscope::test {

using Texts = std::vector<std::string>;

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
    made.layer(name, shape, values);
    return made;
}

inline ValueDifference compared(const Bytes &a, const Bytes &b, double tolerance = 0)
{
    const BundlePtr from = *denseBundle(a).open(), to = *denseBundle(b).open();
    return *compareValues(*from, *to, {0, 0}, tolerance);
}

/// The stored bytes of numbers or bit patterns.
template <class Code>
Bytes bytesOf(const std::vector<Code> &codes)
{
    const auto bytes = std::as_bytes(std::span(codes));
    return {bytes.begin(), bytes.end()};
}

/// One dense weight of a type over raw bytes, read by no operation.
inline MadeBundle typedBundle(ElementType type, const Bytes &bytes, const std::string &name = "w")
{
    MadeBundle made;
    const std::string shape = fmt::format("[{}]", 8 * bytes.size() / bitWidth(type));
    made.constant(fmt::format("tensor<{}, {}>", elementTypeName(type), shape), name,
                  made.blob(type, shape, bytes));
    return made;
}

/// A comparison with values.
inline Difference whole(const BundlePtr &a, const BundlePtr &b)
{
    return *compareBundles(*a, *b, withValues());
}

/// Bytes of all files that are not the same.
inline std::uint64_t bytesApart(const Difference &difference)
{
    std::uint64_t bytes = 0;
    for (const FileDifference &file : difference.files)
        bytes += file.tally.total();
    return bytes;
}

/// A safetensors file of one tensor "w"; `type` as such files call it.
inline BundlePtr checkpointOf(const char *type, const Shape &shape, const Bytes &bytes)
{
    const std::string header =
        fmt::format(R"({{"w":{{"dtype":"{}","shape":[{}],"data_offsets":[0,{}]}}}})", type,
                    fmt::join(shape, ","), bytes.size());
    const QByteArray file = safetensors(QByteArray::fromStdString(header), asArray(bytes));
    return Bundle::open("w.safetensors", {.memory = {{"w.safetensors", asBytes(file)}}})
        .value_or(nullptr);
}

inline BundlePtr checkpointOf(const char *type, std::size_t elements, const Bytes &bytes)
{
    return checkpointOf(type, Shape{elements}, bytes);
}

inline const Bytes kTen = halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
inline const Bytes kOtherTen = halves({2, 2, 3, 4, 5, 6, 7, 8, 9, 11});
inline const Bytes kTwelve = halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});

} // namespace kernscope::test
