// SPDX-License-Identifier: GPL-3.0-or-later
// Slices that hold every number: rows of lanes, one behind the other.
#include "core/bundle/piece_order.h"
#include "core/bundle/weight.h"
#include "core/container/hwx/weights/hardware_block.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace kernscope {

/// The rows of every plane: of the biases, or of the coefficients.
BlockReader::SliceRanges BlockReader::planeRanges(bool bias, const SliceRanges &slices) const
{
    SliceRanges ranges;
    for (std::uint64_t engine = 0; engine < m_layout->engines(); ++engine) {
        for (std::uint64_t chunk = 0; chunk < m_layout->chunks().size(); ++chunk) {
            const auto plane = m_layout->plane(chunk, engine);
            if (!plane)
                continue;
            const std::uint64_t start = slices[engine].offset.value + plane->offset;
            const std::uint64_t biasBytes = m_layout->geometry().bias ? 2 * plane->width : 0;
            const std::uint64_t rows = 2 * plane->width * m_layout->steps();
            ranges.push_back(bias ? ByteRange{FileOffset(start), ByteCount(biasBytes)}
                                  : ByteRange{FileOffset(start + biasBytes), ByteCount(rows)});
        }
    }
    std::sort(ranges.begin(), ranges.end());
    return ranges;
}

void BlockReader::addDense()
{
    const lanes::WeightExtents &g = m_layout->geometry();
    const OrderState state =
        knownForm(m_version) && lanes::knownException(g, lanes::lawOf(g)).empty()
            ? OrderState::Known
            : OrderState::Assumed;
    auto order = lanes::weightOrder(*m_layout, places());
    if (!order)
        return addRaw();
    Weight weight = base(m_name);
    weight.shape = {g.outputs, g.inputs, g.height, g.width};
    describe(weight, state);
    auto values =
        operandAt(codec::PartRole::Data, ElementType::Fp16, weight.shape,
                  placeOf([this](const SliceRanges &slices) { return planeRanges(false, slices); }),
                  state == OrderState::Known ? *order : lockedOrder(*order, orderLock(state)));
    const std::size_t number = m_out.weights.size();
    add(std::move(weight), std::move(values));
    if (g.bias)
        addBias(state);
    notePlanes(number, number + 1);
    claimPlanes(number, number + 1);
}

void BlockReader::addBias(OrderState state)
{
    auto order = lanes::biasOrder(*m_layout, places());
    if (!order)
        return;
    Weight weight = biasBase(state);
    auto values =
        operandAt(codec::PartRole::Data, ElementType::Fp16, weight.shape,
                  placeOf([this](const SliceRanges &slices) { return planeRanges(true, slices); }),
                  state == OrderState::Known ? *order : lockedOrder(*order, orderLock(state)));
    add(std::move(weight), std::move(values));
}

void BlockReader::claimPlanes(std::size_t weight, std::size_t bias)
{
    for (const SliceRanges &slices : allPlaces()) {
        for (std::uint64_t engine = 0; engine < m_layout->engines(); ++engine) {
            std::uint64_t at = slices[engine].offset.value;
            for (std::uint64_t chunk = 0; chunk < m_layout->chunks().size(); ++chunk) {
                const auto plane = m_layout->plane(chunk, engine);
                if (!plane)
                    continue;
                const std::string where = fmt::format("{} lane {} plane {}", m_name, engine, chunk);
                const std::uint64_t biasBytes = m_layout->geometry().bias ? 2 * plane->width : 0;
                const std::uint64_t start = slices[engine].offset.value + plane->offset;
                const std::uint64_t rows = 2 * plane->width * m_layout->steps();
                claim({FileOffset(start), ByteCount(biasBytes)}, SectionKind::Values,
                      where + ": bias row", biasBytes != 0 ? bias : weight);
                claim({FileOffset(start + biasBytes), ByteCount(rows)}, SectionKind::Data,
                      where + ": coefficients", weight);
                at = start + biasBytes + rows;
                claim({FileOffset(at), ByteCount(start + plane->bytes - at)}, SectionKind::Padding,
                      where + ": padding", weight);
                at = start + plane->bytes;
            }
            claim({FileOffset(at), ByteCount(slices[engine].end() - at)}, SectionKind::Padding,
                  fmt::format("{} lane {}: padding", m_name, engine), weight);
        }
    }
}

} // namespace kernscope
