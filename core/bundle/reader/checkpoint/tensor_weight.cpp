// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/checkpoint/tensor_weight.h"

#include "core/base/error_builder.h"

#include <atomic>

#include <fmt/format.h>

namespace kernscope::checkpoint {

namespace {

/// Elements that lie with the first axis innermost.
class ColumnOrder final : public codec::ElementOrder
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
    void note(codec::LayoutNotes &notes) const override
    {
        notes.add(m_width);
        notes.add(m_shape);
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

/// The elements of a member, once it is unpacked.
class UnpackedMember final : public codec::ElementOrder, public codec::UnpackedBytes
{
public:
    UnpackedMember(std::shared_ptr<const std::vector<std::byte>> content, std::uint64_t first,
                   std::uint64_t elements, std::shared_ptr<const codec::ElementOrder> order)
        : m_content(std::move(content)), m_first(first), m_elements(elements),
          m_order(std::move(order))
    {
    }
    std::span<const std::byte> bytes() const override
    {
        return std::span(*m_content).subspan(m_first);
    }
    std::shared_ptr<const codec::ElementOrder> order() const override { return m_order; }
    void positions(std::uint64_t, std::span<std::uint64_t> out) const override
    {
        std::ranges::fill(out, kAbsent);
    }
    std::uint64_t elements() const override { return m_elements; }
    std::uint64_t extent() const override { return 0; }

private:
    std::shared_ptr<const std::vector<std::byte>> m_content;
    std::uint64_t m_first, m_elements;
    std::shared_ptr<const codec::ElementOrder> m_order;
};

/// A tensor that is packed as a whole: it is unpacked when its values are first asked for, and
/// kept.
class PackedMember final : public codec::PackedBytes
{
public:
    PackedMember(const StoredTensor &tensor, std::shared_ptr<const codec::ElementOrder> order)
        : m_tensor(tensor), m_order(std::move(order))
    {
    }
    std::uint64_t elements() const override { return elementCount(m_tensor.shape)->value; }
    std::uint64_t extent() const override { return m_tensor.bytes.bytes.value; }
    bool isUnpacked() const override { return m_unpacked; }
    void note(codec::LayoutNotes &notes) const override
    {
        notes.add(m_tensor.packedAt);
        notes.add(m_order.get());
    }
    Result<std::shared_ptr<const codec::ElementOrder>>
    bound(std::span<const std::byte>) const override
    {
        std::call_once(m_once, [this] {
            m_content = m_tensor.packed().map([](std::vector<std::byte> &&content) {
                return std::make_shared<const std::vector<std::byte>>(std::move(content));
            });
            m_unpacked = true;
        });
        if (!m_content)
            return tl::unexpected(m_content.error());
        return std::make_shared<UnpackedMember>(*m_content, m_tensor.packedAt, elements(), m_order);
    }

private:
    StoredTensor m_tensor;
    std::shared_ptr<const codec::ElementOrder> m_order; ///< of the elements, unpacked
    mutable std::once_flag m_once;
    mutable std::atomic<bool> m_unpacked{false};
    mutable Result<std::shared_ptr<const std::vector<std::byte>>> m_content;
};

} // namespace

Error tooMany(const std::string &file, std::size_t found)
{
    return valueError({file, FileOffset(0)}, "checkpoint.limit", {},
                      fmt::format("at most {} tensors with names of {} bytes, of {} in all",
                                  kMostTensors, kMostName, kMostNames),
                      fmt::format("{} tensors", found),
                      "Only the first tensors of this file are shown, and none of longer names");
}

void addTensor(const StoredTensor &tensor, const std::string &sourceOp, ContainerContents &out)
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
        if (!tensor.isCut)
            out.log.add(Severity::Error, *tensor.fault);
        weight.storedBytes = tensor.bytes.bytes;
        out.weights.push_back(std::move(weight));
        return;
    }
    std::shared_ptr<const codec::ElementOrder> order;
    if (tensor.firstAxisInnermost && tensor.shape.size() > 1 && weight.elements.value > 0)
        order = std::make_shared<ColumnOrder>(tensor.shape, bitWidth(tensor.type));
    if (tensor.packed)
        order = std::make_shared<PackedMember>(tensor, std::move(order));
    weight.storedBytes = tensor.bytes.bytes;
    codec::Encoding encoding;
    encoding.type = tensor.type;
    encoding.shape = tensor.shape;
    OperandPlace place = placeAt(tensor.file, tensor.bytes);
    place.lock = tensor.packed ? EditLock::Packed : EditLock::None;
    encoding.payload = operandAt(codec::PartRole::Data, tensor.type, tensor.shape, std::move(place),
                                 std::move(order));
    weight.form = StorageForm(std::move(encoding));
    out.claims[tensor.file].push_back({tensor.bytes, SectionKind::Data, {}, out.weights.size(), 0});
    out.weights.push_back(std::move(weight));
}

} // namespace kernscope::checkpoint
