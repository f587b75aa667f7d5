// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/container/milblob/milblob.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Small bundles written in a test, statement by statement and record by record.
namespace kernscope::test {

using Bytes = std::vector<std::byte>;

/// "01 10 ff" as bytes.
Bytes hex(std::string_view text);
/// fp16 bits of values, little-endian.
Bytes halves(std::span<const float> values);
inline Bytes halves(std::initializer_list<float> values)
{
    return halves(std::span(values.begin(), values.size()));
}

/// The same of as many values, made one by one.
template <class Value>
Bytes halves(std::size_t count, const Value &valueAt)
{
    std::vector<float> values;
    for (std::size_t i = 0; i < count; ++i)
        values.push_back(static_cast<float>(valueAt(i)));
    return halves(values);
}

class MadeBundle
{
public:
    /// Adds a record; returns a value of that type that names it, for the program's text:
    /// `tensor<uint4, [4]>(BLOBFILE(…))`.
    std::string blob(ElementType type, std::string_view shape, const Bytes &payload,
                     std::uint64_t paddingBits = 0);
    /// A value that names the record at `offset`.
    static std::string blobAt(std::string_view type, std::string_view shape, std::uint64_t offset);
    /// Offset of the metadata of the record added last.
    std::uint64_t lastRecord() const { return m_last; }

    /// Adds a statement, without the semicolon.
    void line(std::string statement);
    /// `tensor<fp16, SHAPE> NAME = CALL[name = string("NAME")]`.
    void op(std::string_view name, std::string_view shape, std::string_view call);
    /// `fp16 NAME = const()[name = string("NAME"), val = VALUE]`.
    void constant(std::string_view type, std::string_view name, std::string_view value);
    /// A linear op that reads `weight`; gives the program an ordinary consumer.
    void consume(std::string_view weight);
    /// A dense weight, in a record of its own.
    void weight(std::string_view name, std::string_view shape, const Bytes &payload,
                ElementType type = ElementType::Fp16);
    /// The same, and a linear op that reads it.
    void layer(std::string_view name, std::string_view shape, const Bytes &payload,
               ElementType type = ElementType::Fp16);
    /// A weight that "constexpr_" and `op` make of these parts, and a linear op that reads it.
    void form(std::string_view name, std::string_view shape, std::string_view op,
              const std::vector<std::pair<std::string, std::string>> &parts);

    /// What the function takes and gives back; by default `tensor<fp16, [1, 4]> x` and nothing.
    std::string parameters = "tensor<fp16, [1, 4]> x";
    std::string result = "x";
    /// Changes the finished bytes, to damage them.
    Bytes weights() const { return m_writer.finish(); }
    std::string text() const;

    OpenOptions options() const;
    static OpenOptions options(std::string_view text, const Bytes &weights);
    Result<BundlePtr> open() const { return Bundle::open("made.mlmodelc", options()); }

private:
    milblob::Writer m_writer;
    std::uint64_t m_last = 0;
    std::string m_statements;
    int m_consumers = 0;
};

/// All values of a weight.
std::vector<float> valuesOf(const Bundle &bundle, std::size_t weight);
/// The same by its name, rounded to fp16.
std::vector<float> decoded(const Bundle &bundle, std::string_view weight);
/// "error mil.syntax model.mil+12" and so on, one a diagnostic, for comparing.
std::vector<std::string> faults(const Diagnostics &diagnostics);
/// The sections cover every byte of every file exactly once, in order, and name sound indices;
/// sectionAt() finds them. Returns what is wrong, or nothing.
std::string sectionFault(const Bundle &bundle);

} // namespace kernscope::test
