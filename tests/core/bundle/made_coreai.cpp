// SPDX-License-Identifier: GPL-3.0-or-later
#include "made_coreai.h"

#include "core/base/sha256.h"
#include "core/codec/decode/decoder.h"

namespace kernscope::test {

MadeCoreAi::MadeCoreAi() : m_location(m_made.attribute({46})), m_next(m_location) {}

std::uint64_t MadeCoreAi::tensor(const Shape &shape, Elem element)
{
    const std::uint64_t of = m_made.type({std::uint64_t(element)});
    mlir::Encoder out;
    out.varint(2);
    out.varint(shape.size());
    for (const std::uint64_t extent : shape)
        out.varint(extent << 1 | extent >> 63); // UINT64_MAX: open
    out.varint(of);
    m_made.types.push_back(out.take());
    return m_made.types.size() - 1;
}

MadeCoreAi::Value MadeCoreAi::put(std::string_view name, std::uint64_t properties,
                                  bool hasProperties, const std::vector<Value> &operands,
                                  std::uint64_t type, bool hasResult, bool composite)
{
    m_body.varint(m_made.name(std::string(name)));
    m_body.byte(std::uint8_t((hasProperties ? 0x40 : 0) | (hasResult ? 2 : 0) |
                             (operands.empty() ? 0 : 4) | (composite ? 0x10 : 0)));
    m_body.varint(m_next);
    m_next = m_location;
    if (hasProperties)
        m_body.varint(properties);
    if (hasResult) {
        m_body.varint(1);
        m_body.varint(type);
    }
    if (!operands.empty()) {
        m_body.varint(operands.size());
        for (const Value operand : operands)
            m_body.varint(operand);
    }
    if (composite) { // one region, isolated: a section that says that there are no blocks
        m_body.varint(3);
        m_body.byte(4);
        m_body.varint(1);
        m_body.varint(0);
    }
    ++m_operations;
    return hasResult ? m_values++ : 0;
}

MadeCoreAi::Value MadeCoreAi::constant(const Shape &shape, Elem element, Bytes data, bool splat)
{
    mlir::Encoder out;
    out.varint(6);
    out.byte(splat ? 1 : 0);
    out.varint(data.size());
    out.bytes(data);
    const std::uint64_t value = m_made.attribute(out.take());
    return put("primitive.constant_v1", m_made.propertyRun({value}), true, {},
               tensor(shape, element), true);
}

MadeCoreAi::Value MadeCoreAi::blob(const Shape &shape, Elem element, Bytes data)
{
    const std::uint64_t value = m_made.attribute({7, m_made.blobs.size()});
    m_made.blobs.push_back(
        {"resource_" + std::to_string(m_made.blobs.size()), 16, std::move(data)});
    return put("primitive.constant_v1", m_made.propertyRun({value}), true, {},
               tensor(shape, element), true);
}

MadeCoreAi::Value MadeCoreAi::operation(std::string_view name, const std::vector<Value> &operands,
                                        const Shape &shape, Elem element, bool composite)
{
    return put(name, 0, false, operands, tensor(shape, element), true, composite);
}

MadeCoreAi::Value MadeCoreAi::masked(Value values, Value mask, const Shape &shape, Elem element)
{
    const auto sparse =
        operation("primitive.build_sparse_with_bitmask_v1", {values, mask}, shape, element);
    return operation("primitive.sparse_with_bitmask_to_dense_v1", {sparse}, shape, element);
}

MadeCoreAi::Value MadeCoreAi::scaled(const std::vector<Value> &operands, const Shape &shape)
{
    return operation("primitive.blockwise_shift_scale_v2", operands, shape, Elem::F16);
}

MadeCoreAi::Value MadeCoreAi::transposed(Value value, std::initializer_list<int> axes,
                                         const Shape &shape, Elem element)
{
    Bytes numbers;
    for (const int axis : axes) {
        numbers.push_back(static_cast<std::byte>(axis));
        numbers.resize(numbers.size() + 3);
    }
    const auto order = constant({axes.size()}, Elem::Ui32, std::move(numbers));
    return operation("primitive.transpose_v1", {value, order}, shape, element);
}

void MadeCoreAi::nameNext(const std::string &name)
{
    const std::uint64_t data = m_made.attribute({33, m_made.attribute({46})});
    const std::uint64_t metadata = m_made.attribute({35, m_made.string(name), data});
    const std::uint64_t file = m_made.attribute(
        {30, m_made.string("/home/author/net.py"), m_made.string(""), m_made.string("")});
    const std::uint64_t source = m_made.attribute({31, file, 12, 0, 12, 0});
    m_next = m_made.attribute({40, source, m_location, 0, 1, metadata});
}

void MadeCoreAi::output(const std::vector<Value> &values)
{
    put("dataflow.output_v1", 0, false, values, 0, false);
    m_outputs = values.size();
}

Bytes MadeCoreAi::module() const
{
    MadeModule made = m_made;
    const std::uint64_t none = made.attribute({5, 0});
    const std::uint64_t no =
        made.attribute(Bytes{std::byte{0x05}, std::byte{0x03}, std::byte{1}, std::byte{0}});
    const std::uint64_t name = made.attribute({1, made.string("main")});
    const std::uint64_t function = made.type({30, 0, 0});
    const std::uint64_t graphType = made.attribute({4, function});
    made.wrapGraph(m_location, {none, 0, no, graphType, no, name, no, none, none}, 0, m_values,
                   m_operations, m_body.all());
    return made.bytes();
}

OpenOptions MadeCoreAi::options() const
{
    const Bytes bytes = module();
    Sha256 hash;
    hash.update(bytes);
    const auto digest = hash.finish();
    const std::string_view metadata = R"({"assetVersion": "2.0", "producer": "tests 1.0"})";
    const auto text = std::as_bytes(std::span(metadata));
    OpenOptions options;
    options.memory = {{"main.hash", digest ? Bytes(digest->begin(), digest->end()) : Bytes()},
                      {"main.mlirb", bytes},
                      {"metadata.json", Bytes(text.begin(), text.end())}};
    return options;
}

BundlePtr MadeCoreAi::open() const
{
    return Bundle::open("made.aimodel", options()).value_or(nullptr);
}

Bytes byteRow(std::initializer_list<int> values)
{
    Bytes bytes;
    for (const int value : values)
        bytes.push_back(static_cast<std::byte>(value));
    return bytes;
}

} // namespace kernscope::test
