// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/weights/hardware_block.h"

#include "core/base/error_builder.h"
#include "core/bundle/piece_order.h"
#include "core/bundle/weight.h"
#include "core/lanes/size_law.h"

#include <algorithm>
#include <utility>

namespace kernscope {

namespace {

constexpr std::size_t kMostListed = 64; // chunks whose lanes are listed

std::string orderName(OrderState state)
{
    return state == OrderState::Known     ? "known"
           : state == OrderState::Assumed ? "assumed"
                                          : "unknown";
}

std::uint64_t sumOf(const std::vector<ByteRange> &ranges)
{
    std::uint64_t sum = 0;
    for (const ByteRange &range : ranges)
        sum += range.bytes.value; // pieces of one file
    return sum;
}

} // namespace

std::optional<lanes::SparseForm> knownForm(const descriptor::Version *version)
{
    return version != nullptr ? lanes::sparseFormOf(version->generation) : std::nullopt;
}

std::string orderLock(OrderState state)
{
    switch (state) {
    case OrderState::Known: break;
    case OrderState::Assumed:
        return "The order of coefficients in this version's slices is assumed, not published: an "
               "edit would be a guess";
    case OrderState::Unknown:
        return "The order of the bytes in such slices is not published: an edit would be a guess";
    }
    return {};
}

void BlockReader::read()
{
    if (m_block.table)
        return addTable();
    if (m_block.facts.shapeKnown)
        makeLayout();
    const KernelFacts &facts = m_block.facts;
    const bool fp16 = facts.format == 2 && !facts.palette;
    if (m_layout && fp16 && facts.sparse && knownForm(m_version) && addSparse())
        return;
    if (m_layout && fp16 && !facts.sparse && sizesFit())
        addDense();
    else
        addRaw();
}

void BlockReader::refuse(std::string expected, std::string found, std::string message)
{
    m_out.diagnostics.push_back({Severity::Warning, ErrorBuilder("hwx.slices")
                                                        .at(m_block.slices.front().offset)
                                                        .field(m_name)
                                                        .expected(std::move(expected))
                                                        .found(std::move(found))
                                                        .message(std::move(message))});
}

void BlockReader::makeLayout()
{
    constexpr std::uint32_t kMostLanesLog2 = 10;
    const lanes::Law law = lanes::lawOf(m_block.facts.geometry);
    lanes::DealOptions options;
    if (m_block.facts.lanesLog2)
        options.cap = std::uint64_t{1} << std::min(*m_block.facts.lanesLog2, kMostLanesLog2);
    auto layout = lanes::SliceLayout::make(m_block.facts.geometry, law, options);
    if (layout)
        m_layout = std::move(*layout);
    else
        refuse(layout.error().expected, layout.error().found, layout.error().message);
}

bool BlockReader::sizesFit() const
{
    if (m_block.slices.size() != m_layout->engines())
        return false;
    for (std::size_t lane = 0; lane < m_block.slices.size(); ++lane) {
        if (m_block.slices[lane].bytes.value != m_layout->sliceBytes(lane))
            return false;
    }
    return true;
}

lanes::SlicePlaces BlockReader::places() const
{
    lanes::SlicePlaces places;
    for (const ByteRange &slice : m_block.slices) {
        places.starts.push_back(slice.offset.value);
        places.lengths.push_back(slice.bytes.value);
    }
    for (const auto &copy : m_block.copies) {
        auto &starts = places.copies.emplace_back();
        for (const ByteRange &slice : copy)
            starts.push_back(slice.offset.value);
    }
    return places;
}

Weight BlockReader::base(std::string name, WeightRole role) const
{
    Weight weight;
    weight.name = std::move(name);
    weight.sourceOp = "hwx";
    weight.role = role;
    weight.consumers = m_block.consumers;
    return weight;
}

Weight BlockReader::biasBase(OrderState state) const
{
    Weight weight = base(m_name + ": bias", WeightRole::Bias);
    weight.beside = m_out.weights.size() - 1;
    weight.shape = {m_layout->geometry().outputs};
    for (Consumer &consumer : weight.consumers) {
        consumer.param = "bias";
        consumer.flops.reset();
        consumer.layerFlops.reset();
    }
    describe(weight, state);
    return weight;
}

OperandPlace BlockReader::placeAt(SliceRanges pieces)
{
    OperandPlace place;
    place.file = 0;
    place.pieces = std::move(pieces);
    place.bytes = ByteCount(sumOf(place.pieces));
    place.dataOffset = place.metaOffset = place.pieces.front().offset;
    return place;
}

void BlockReader::add(Weight weight, codec::Operand payload, std::optional<FormNode> slices,
                      std::optional<codec::Operand> mask)
{
    weight.type = payload.type;
    weight.elements = elementCount(weight.shape).value_or(ElementCount());
    weight.storedBytes = payload.place->bytes; // a mask and its values lie among each other
    codec::Encoding encoding;
    encoding.type = payload.type;
    encoding.shape = weight.shape;
    encoding.mask = std::move(mask);
    encoding.payload = std::move(payload);
    if (slices)
        weight.form = StorageForm::slices(*slices, std::move(encoding));
    else if (weight.role == WeightRole::ActivationTable)
        weight.form = StorageForm::activationTable(std::move(encoding));
    else
        weight.form = StorageForm(std::move(encoding));
    m_out.weights.push_back(std::move(weight));
}

std::string BlockReader::sizeText() const
{
    return m_layout ? lanes::explainSliceSize(*m_layout, 0) : std::string();
}

void BlockReader::describe(Weight &weight, OrderState order) const
{
    Dealing &dealing = weight.dealing;
    dealing.order = order;
    dealing.copies = m_block.copies.size() + 1;
    dealing.sliceLaw = sizeText();
    weight.detail.emplace_back("order", orderName(order));
    weight.detail.emplace_back("slices", std::uint64_t{m_block.slices.size()});
    weight.detail.emplace_back("slice_bytes", m_block.slices.front().bytes.value);
    if (!m_block.copies.empty())
        weight.detail.emplace_back("copies", dealing.copies);
    if (!m_layout)
        return;
    weight.detail.emplace_back("law",
                               std::string(lanes::lawName(lanes::lawOf(m_layout->geometry()))));
    for (const lanes::Chunk &chunk : m_layout->chunks()) {
        if (dealing.lanes.size() < kMostListed)
            dealing.lanes.push_back(chunk.lanes);
    }
    weight.detail.emplace_back("lanes", dealing.lanes);
    weight.detail.emplace_back("slice_law", dealing.sliceLaw);
    const std::string exception =
        lanes::knownException(m_layout->geometry(), lanes::lawOf(m_layout->geometry()));
    if (!exception.empty())
        weight.detail.emplace_back("exception", exception);
}

void BlockReader::claim(ByteRange range, SectionKind kind, std::string what, std::size_t weight,
                        std::size_t operand)
{
    if (range.bytes.value == 0)
        return;
    ByteClaim claim;
    claim.range = range;
    claim.kind = kind;
    claim.name = std::move(what);
    claim.weight = weight;
    claim.operand = operand;
    m_out.claims.push_back(std::move(claim));
}

std::vector<BlockReader::SliceRanges> BlockReader::allPlaces() const
{
    std::vector<SliceRanges> all{m_block.slices};
    all.insert(all.end(), m_block.copies.begin(), m_block.copies.end());
    return all;
}

} // namespace kernscope
