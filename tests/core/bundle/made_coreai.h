// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "made_bundle.h"
#include "made_module.h"

namespace kernscope::test {

/// Element types by the numbers that the dialect has for them (coreai-format.md, section 3).
enum class Elem : std::uint64_t {
    F32 = 6,
    F16 = 7,
    Bf16 = 8,
    E5m2 = 9,
    E4m3 = 10,
    Si32 = 18,
    Si16 = 19,
    Si8 = 20,
    Si4 = 21,
    Si2 = 22,
    Ui32 = 24,
    Ui16 = 25,
    Ui8 = 26,
    Ui4 = 27,
    Ui2 = 28,
    Ui1 = 29,
    F4 = 46,
    E8m0 = 47,
};

/// A Core AI package of one graph, built by operations. Values are numbered in their order.
class MadeCoreAi
{
public:
    MadeCoreAi();

    using Value = std::uint64_t;
    Value constant(const Shape &shape, Elem element, Bytes data, bool splat = false);
    /// The same in a resource.
    Value blob(const Shape &shape, Elem element, Bytes data);
    /// `composite`: with an empty decomposition.
    Value operation(std::string_view name, const std::vector<Value> &operands, const Shape &shape,
                    Elem element, bool composite = false);
    /// What the mask keeps, with zeros between.
    Value masked(Value values, Value mask, const Shape &shape, Elem element);
    Value scaled(const std::vector<Value> &operands, const Shape &shape);
    Value transposed(Value value, std::initializer_list<int> axes, const Shape &shape,
                     Elem element);
    /// Metadata of the next operation's location: "layer.0.weight".
    void nameNext(const std::string &name);
    void output(const std::vector<Value> &values);

    Bytes module() const;
    /// With a hash that fits and metadata.
    OpenOptions options() const;
    BundlePtr open() const;

private:
    std::uint64_t tensor(const Shape &shape, Elem element);
    Value put(std::string_view name, std::uint64_t properties, bool hasProperties,
              const std::vector<Value> &operands, std::uint64_t type, bool hasResult,
              bool composite = false);

    MadeModule m_made;
    std::uint64_t m_location, m_next;
    mlir::Encoder m_body;
    std::uint64_t m_values = 0, m_operations = 0, m_outputs = 0;
};

Bytes byteRow(std::initializer_list<int> values);

} // namespace kernscope::test
