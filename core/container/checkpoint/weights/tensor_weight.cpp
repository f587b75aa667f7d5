// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/checkpoint/weights/tensor_weight.h"

#include "core/bundle/weight.h"
#include "core/form/order_layout.h"
#include "core/form/order_tiles.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

namespace kernscope::checkpoint {

namespace {

/// Elements that lie with the first axis innermost.
class ColumnOrder final : public codec::ElementOrder,
                          public codec::NotedOrder,
                          public codec::TiledOrder
{
public:
    ColumnOrder(Shape shape, unsigned width) : m_shape(std::move(shape)), m_width(width)
    {
        m_elements = elementCount(m_shape).value_or(ElementCount()).value;
    }

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        for (std::size_t i = 0; i < out.size(); ++i) {
            std::uint64_t rest = first + i, place = 0;
            std::uint64_t stride = m_elements;
            // From the last axis to the first; in this order the last one has the widest stride.
            for (std::size_t axis = m_shape.size(); axis-- > 0;) {
                stride /= m_shape[axis];
                place += rest % m_shape[axis] * stride;
                rest /= m_shape[axis];
            }
            out[i] = place * m_width;
        }
    }
    /// Along the last axis, and of a matrix along the first one too.
    std::optional<codec::OrderTile> tileAt(std::uint64_t first, std::uint64_t count) const override
    {
        const std::uint64_t columns = m_shape.back();
        const std::uint64_t rows = m_shape.size() == 2 ? m_shape[0] - first / columns : 1;
        codec::OrderTile tile = shapeAt(first, count, columns, rows);
        positions(first, std::span(&tile.bit, 1));
        tile.rowBits = m_width;
        tile.columnBits = m_elements / columns * m_width;
        return tile;
    }
    std::uint64_t elements() const override { return m_elements; }
    std::uint64_t extent() const override { return m_elements * m_width / 8; }
    bool note(codec::LayoutNotes &notes) const override
    {
        notes.begin(codec::LayoutNotes::Kind::Columns);
        notes.add(m_width);
        notes.add(m_shape);
        return true;
    }
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        std::uint64_t place = bit / m_width;
        if (place >= m_elements)
            return std::nullopt;
        std::uint64_t element = 0, stride = m_elements;
        for (const std::uint64_t extent : m_shape) {
            stride /= extent;
            element += place % extent * stride;
            place /= extent;
        }
        return element;
    }

private:
    Shape m_shape;
    unsigned m_width;
    std::uint64_t m_elements = 0;
};

} // namespace

void addTensor(const StoredTensor &tensor, const SharedText &sourceOp, ContainerContents &out)
{
    Weight weight;
    weight.name = tensor.name;
    weight.sourceOp = sourceOp;
    weight.form = StorageForm::unsound(FormNode::Dense, tensor.type);
    weight.type = tensor.type;
    weight.shape = tensor.shape;
    weight.elements = elementCount(tensor.shape).value_or(ElementCount());
    weight.fault = tensor.fault;
    if (tensor.fault) {
        out.log.add(Severity::Error, *tensor.fault);
        weight.storedBytes = tensor.bytes.bytes;
        out.weights.push_back(std::move(weight));
        return;
    }
    OperandPlace place;
    place.bytes = tensor.bytes.bytes;
    place.file = tensor.file;
    place.dataOffset = place.metaOffset = tensor.bytes.offset;
    std::shared_ptr<const codec::ElementOrder> order;
    if (tensor.firstAxisInnermost && tensor.shape.size() > 1 && weight.elements.value > 0)
        order = std::make_shared<ColumnOrder>(tensor.shape, bitWidth(tensor.type));
    weight.storedBytes = place.bytes;
    codec::Encoding encoding;
    encoding.type = tensor.type;
    encoding.shape = tensor.shape;
    encoding.payload = operandAt(codec::PartRole::Data, tensor.type, tensor.shape, std::move(place),
                                 std::move(order));
    weight.form = StorageForm(std::move(encoding));
    ByteClaim claim;
    claim.range = tensor.bytes;
    claim.kind = SectionKind::Data;
    claim.name = fmt::format("{}: data", tensor.name);
    claim.weight = out.weights.size();
    claim.operand = 0;
    out.claims[tensor.file].push_back(std::move(claim));
    out.weights.push_back(std::move(weight));
}

} // namespace kernscope::checkpoint
