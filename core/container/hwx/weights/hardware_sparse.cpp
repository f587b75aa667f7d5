// SPDX-License-Identifier: GPL-3.0-or-later
// Slices that leave zeros out: mask bytes among the numbers that they name.
#include "core/bundle/weight.h"
#include "core/container/hwx/weights/hardware_block.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace kernscope {

namespace {

constexpr std::size_t kValues = 1; // the mask is operand 0

/// A run of every plane, in the slices of one place.
template <class RunOf>
std::vector<ByteRange> runsOf(const std::vector<lanes::SparsePlane> &planes,
                              const std::vector<ByteRange> &slices, RunOf runOf)
{
    std::vector<ByteRange> ranges;
    for (const lanes::SparsePlane &plane : planes) {
        const auto [first, end] = runOf(plane);
        if (end > first)
            ranges.push_back(
                {FileOffset(slices[plane.engine].offset.value + first), ByteCount(end - first)});
    }
    std::sort(ranges.begin(), ranges.end());
    return ranges;
}

std::pair<std::uint64_t, std::uint64_t> bodyOf(const lanes::SparsePlane &plane)
{
    return {plane.body, plane.end};
}

std::pair<std::uint64_t, std::uint64_t> biasOf(const lanes::SparsePlane &plane)
{
    return {plane.bias, plane.length};
}

} // namespace

/// False where the slices are not in the published form: they then are bytes.
bool BlockReader::addSparse()
{
    const lanes::SparseForm form = *knownForm(m_version);
    auto order = lanes::sparseOrder(form, *m_layout, places());
    const bool narrow =
        std::all_of(m_layout->chunks().begin(), m_layout->chunks().end(),
                    [](const lanes::Chunk &c) { return c.lanes <= lanes::kMaxSparseLanes; });
    if (!order || !narrow || m_layout->geometry().groups != 1 ||
        m_block.slices.size() != m_layout->engines() || (*order)->extent() > m_bytes.size())
        return false;
    auto planes =
        lanes::sparsePlanes(form, *m_layout, lanes::slicesIn(m_bytes, *m_layout, places()));
    if (!planes) {
        refuse(planes.error().expected, planes.error().found, planes.error().message);
        return false;
    }
    m_planes = std::move(*planes);
    const lanes::WeightExtents &g = m_layout->geometry();
    Weight weight = base(m_name);
    weight.shape = {g.outputs, g.inputs, g.height, g.width};
    describe(weight, OrderState::Known);
    std::uint64_t stored = 0;
    for (const lanes::SparsePlane &plane : m_planes)
        stored += plane.stored;
    OperandPlace place =
        placeOf([this](const SliceRanges &slices) { return runsOf(m_planes, slices, bodyOf); });
    place.shared = true; // the bytes of one lie among those of the other
    auto mask =
        operandAt(codec::PartRole::Mask, ElementType::Uint1, weight.shape, place, (*order)->mask());
    // Its order reads them as the whole tensor.
    place.declared = DeclaredTensor{ElementType::Fp16, {stored}};
    auto values = operandAt(codec::PartRole::NonzeroData, ElementType::Fp16, weight.shape,
                            std::move(place), *order);
    const std::size_t number = m_out.weights.size();
    add(std::move(weight), std::move(values), std::nullopt, std::move(mask));
    if (g.bias)
        addSparseBias();
    noteSparse(number, number + (g.bias ? 1 : 0));
    claimSparse(number, number + (g.bias ? 1 : 0));
    return true;
}

void BlockReader::addSparseBias()
{
    Weight weight = biasBase(OrderState::Known);
    // It has biases, and the places fit: addSparse() asked.
    auto order = lanes::sparseBiasOrder(*m_layout, m_planes, places()).value_or(nullptr);
    auto values = operandAt(
        codec::PartRole::Data, ElementType::Fp16, weight.shape,
        placeOf([this](const SliceRanges &slices) { return runsOf(m_planes, slices, biasOf); }),
        std::move(order));
    add(std::move(weight), std::move(values));
}

void BlockReader::claimSparse(std::size_t weight, std::size_t bias)
{
    for (const SliceRanges &slices : allPlaces()) {
        for (const lanes::SparsePlane &plane : m_planes) {
            const ByteRange slice = slices[plane.engine];
            const std::string where =
                fmt::format("{} lane {} plane {}", m_name, plane.engine, plane.chunk);
            const auto run = [&slice](std::uint64_t first, std::uint64_t end) {
                return ByteRange{FileOffset(slice.offset.value + first), ByteCount(end - first)};
            };
            claim(run(plane.bias, plane.length), SectionKind::Values, where + ": bias row", bias);
            claim(run(plane.length, plane.body), SectionKind::Metadata, where + ": length", weight);
            claim(run(plane.body, plane.end), SectionKind::Data, where + ": masks and values",
                  weight, kValues);
            claim(run(plane.end, plane.next), SectionKind::Padding, where + ": padding", weight);
            const bool last = plane.chunk + 1 == m_layout->chunks().size() ||
                              !m_layout->plane(plane.chunk + 1, plane.engine);
            if (last)
                claim(run(plane.next, slice.bytes.value), SectionKind::Padding,
                      fmt::format("{} lane {}: padding", m_name, plane.engine), weight);
        }
    }
}

} // namespace kernscope
