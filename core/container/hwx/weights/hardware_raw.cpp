// SPDX-License-Identifier: GPL-3.0-or-later
// Slices whose order of bytes is not known, and activation tables.
#include "core/bundle/piece_order.h"
#include "core/bundle/weight.h"
#include "core/container/hwx/weights/hardware_block.h"
#include "core/lanes/size_law.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace kernscope {

/// Bytes of a form whose order is not known, with the law of their size where there is one.
void BlockReader::addRaw()
{
    const KernelFacts &facts = m_block.facts;
    const FormNode form = facts.palette       ? FormNode::Palette
                          : facts.sparse      ? FormNode::Sparse
                          : facts.format == 2 ? FormNode::Dense
                                              : FormNode::Affine;
    Weight weight = base(m_name);
    describe(weight, OrderState::Unknown);
    bool holds = m_layout && m_block.slices.size() == m_layout->engines();
    std::string law;
    for (std::size_t lane = 0; holds && lane < m_block.slices.size(); ++lane) {
        const auto check =
            lanes::checkSliceSize(*m_layout, lane, form, m_block.slices[lane].bytes.value,
                                  std::min(facts.paletteBits, 8U));
        holds = check && check->holds;
        law = check ? check->law : law;
    }
    weight.detail.emplace_back("size_law", law);
    weight.detail.emplace_back("size_law_holds", std::string(holds ? "yes" : "no"));
    if (facts.shapeKnown)
        weight.detail.emplace_back(
            "task_shape", std::vector<std::uint64_t>{facts.geometry.outputs, facts.geometry.inputs,
                                                     facts.geometry.height, facts.geometry.width});
    if (!holds)
        refuse(law.empty() ? "slices that the shape explains" : law,
               fmt::format("{} slices, the first of {} bytes", m_block.slices.size(),
                           m_block.slices.front().bytes.value),
               "The sizes of the slices are not those of the size law");
    SliceRanges pieces = m_block.slices;
    std::sort(pieces.begin(), pieces.end());
    auto order = pieceOrder(pieces, 8, orderLock(OrderState::Unknown));
    weight.shape = {order->elements()};
    auto bytes = operandAt(codec::PartRole::Data, ElementType::Uint8, weight.shape,
                           placeAt(std::move(pieces)), std::move(order));
    const std::size_t number = m_out.weights.size();
    add(std::move(weight), std::move(bytes), form);
    noteSlices(number, holds);
    claimSlices(number, "slice");
}

void BlockReader::addTable()
{
    constexpr std::uint64_t kTableBytes = 2 * 43;
    Weight weight = base(m_name + ": activation table", WeightRole::ActivationTable);
    const ByteRange slice = m_block.slices.front();
    const std::uint64_t held = std::min(slice.bytes.value, kTableBytes) / 2 * 2;
    weight.shape = {held / 2};
    for (Consumer &consumer : weight.consumers) {
        consumer.flops.reset();
        consumer.layerFlops.reset();
    }
    if (held == 0)
        return;
    const SliceRanges pieces{{slice.offset, ByteCount(held)}};
    auto knots = operandAt(codec::PartRole::Data, ElementType::Fp16, weight.shape, placeAt(pieces),
                           pieceOrder(pieces, 16, "An activation table is not edited as a weight"));
    const std::size_t number = m_out.weights.size();
    add(std::move(weight), std::move(knots));
    claim({slice.offset, ByteCount(held)}, SectionKind::Codebook, "activation table", number);
    claim({FileOffset(slice.offset.value + held), ByteCount(slice.bytes.value - held)},
          SectionKind::Padding, "padding of the activation table", number);
}

void BlockReader::claimSlices(std::size_t weight, std::string_view what)
{
    for (const SliceRanges &slices : allPlaces()) {
        for (std::size_t lane = 0; lane < slices.size(); ++lane)
            claim(slices[lane], SectionKind::Data,
                  fmt::format("{} lane {}: {}", m_name, lane, what), weight);
    }
}

} // namespace kernscope
