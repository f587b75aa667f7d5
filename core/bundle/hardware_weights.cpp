// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/hardware_weights.h"

#include "core/bundle/hardware_slices.h"
#include "core/bundle/piece_order.h"
#include "core/codec/lanes/lane_order.h"
#include "core/codec/lanes/size_law.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace kernscope {

namespace {

constexpr std::string_view kOrderUnknown =
    "The order of the bytes in such slices is not published: an edit would be a guess";
constexpr std::string_view kOrderAssumed =
    "The order of coefficients in this version's slices is assumed, not published: an edit would "
    "be a guess";

enum class OrderState : std::uint8_t { Known, Assumed, Unknown };
std::string orderName(OrderState state)
{
    return state == OrderState::Known     ? "known"
           : state == OrderState::Assumed ? "assumed"
                                          : "unknown";
}

/// Versions 7 (H13) and 11 (H14).
std::optional<lanes::SparseForm> knownForm(const descriptor::Version *version)
{
    if (version != nullptr && version->number == 7)
        return lanes::SparseForm::H13;
    if (version != nullptr && version->number == 11)
        return lanes::SparseForm::H14;
    return std::nullopt;
}

std::uint64_t sumOf(const std::vector<ByteRange> &ranges)
{
    std::uint64_t sum = 0;
    for (const ByteRange &range : ranges)
        sum += range.bytes.value; // pieces of one file
    return sum;
}

class BlockReader
{
public:
    BlockReader(const descriptor::Version *version, const SliceBlock &block, std::string name,
                HardwareWeights &out)
        : m_version(version), m_block(block), m_name(std::move(name)), m_out(out)
    {
    }

    void read()
    {
        if (m_block.table)
            return addTable();
        if (m_block.facts.shapeKnown)
            makeLayout();
        const KernelFacts &facts = m_block.facts;
        const bool fp16 = facts.format == 2 && !facts.palette;
        if (m_layout && fp16 && facts.sparse && knownForm(m_version))
            addSparse();
        else if (m_layout && fp16 && !facts.sparse && sizesFit())
            addDense();
        else
            addRaw();
    }

private:
    void makeLayout();
    bool sizesFit() const;
    lanes::SlicePlaces places() const;
    std::vector<ByteRange> planeRanges(bool bias, const std::vector<ByteRange> &slices) const;
    Weight base(std::string name, std::string form) const;
    void add(Weight weight, Part part, ElementType type, Shape operandShape);
    void describe(Weight &weight, OrderState order) const;
    void addDense();
    void addBias(OrderState state);
    void addSparse();
    void addRaw();
    void addTable();
    void claim(ByteRange range, SectionKind kind, std::string what, std::size_t weight);
    void claimPlanes(std::size_t weight, std::size_t bias);
    void claimSlices(std::size_t weight, std::string_view what);
    void noteSlices(std::size_t weight, bool channelsKnown);
    void refuse(std::string expected, std::string found, std::string message);
    std::string sizeText() const;

    const descriptor::Version *m_version;
    const SliceBlock &m_block;
    std::string m_name;
    HardwareWeights &m_out;
    std::optional<lanes::SliceLayout> m_layout;
};

void BlockReader::refuse(std::string expected, std::string found, std::string message)
{
    Diagnostic row;
    row.severity = Severity::Warning;
    row.error.code = "hwx.slices";
    row.error.offset = m_block.slices.front().offset;
    row.error.field = m_name;
    row.error.expected = std::move(expected);
    row.error.found = std::move(found);
    row.error.message = std::move(message);
    m_out.diagnostics.push_back(std::move(row));
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

/// The rows of every plane: of the biases, or of the coefficients.
std::vector<ByteRange> BlockReader::planeRanges(bool bias,
                                                const std::vector<ByteRange> &slices) const
{
    std::vector<ByteRange> ranges;
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

Weight BlockReader::base(std::string name, std::string form) const
{
    Weight weight;
    weight.name = std::move(name);
    weight.opName = weight.name;
    weight.sourceOp = "hwx";
    weight.form = std::move(form);
    weight.consumers = m_block.consumers;
    return weight;
}

void BlockReader::add(Weight weight, Part part, ElementType type, Shape operandShape)
{
    part.file = 0;
    part.type = type;
    part.bytes = ByteCount(sumOf(part.pieces));
    part.dataOffset = part.metaOffset = part.pieces.front().offset;
    weight.type = type;
    weight.elements = elementCount(weight.shape).value_or(ElementCount());
    weight.storedBytes = part.bytes;
    codec::Encoding encoding;
    encoding.type = type;
    encoding.shape = weight.shape;
    encoding.payload = codec::Operand{part.role, type, std::move(operandShape), {}};
    weight.encoding = std::make_shared<const codec::Encoding>(std::move(encoding));
    weight.parts.push_back(std::move(part));
    m_out.weights.push_back(std::move(weight));
}

std::string BlockReader::sizeText() const
{
    return m_layout ? lanes::explainSliceSize(*m_layout, 0) : std::string();
}

void BlockReader::describe(Weight &weight, OrderState order) const
{
    weight.detail.emplace_back("order", orderName(order));
    weight.detail.emplace_back("slices", std::uint64_t{m_block.slices.size()});
    weight.detail.emplace_back("slice_bytes", m_block.slices.front().bytes.value);
    if (!m_block.copies.empty())
        weight.detail.emplace_back("copies", std::uint64_t{m_block.copies.size() + 1});
    if (!m_layout)
        return;
    weight.detail.emplace_back("law",
                               std::string(lanes::lawName(lanes::lawOf(m_layout->geometry()))));
    std::vector<std::uint64_t> lanes;
    for (const lanes::Chunk &chunk : m_layout->chunks()) {
        if (lanes.size() < 64)
            lanes.push_back(chunk.lanes);
    }
    weight.detail.emplace_back("lanes", std::move(lanes));
    weight.detail.emplace_back("slice_law", sizeText());
    const std::string exception =
        lanes::knownException(m_layout->geometry(), lanes::lawOf(m_layout->geometry()));
    if (!exception.empty())
        weight.detail.emplace_back("exception", exception);
}

void BlockReader::addDense()
{
    const lanes::Geometry &g = m_layout->geometry();
    const OrderState state =
        knownForm(m_version) && lanes::knownException(g, lanes::lawOf(g)).empty()
            ? OrderState::Known
            : OrderState::Assumed;
    auto order = lanes::weightOrder(*m_layout, places());
    if (!order)
        return addRaw();
    Weight weight = base(m_name, "dense-fp16");
    weight.shape = {g.outputs, g.inputs, g.height, g.width};
    describe(weight, state);
    Part part;
    part.pieces = planeRanges(false, m_block.slices);
    for (const auto &copy : m_block.copies) {
        const auto ranges = planeRanges(false, copy);
        part.copies.insert(part.copies.end(), ranges.begin(), ranges.end());
    }
    part.order =
        state == OrderState::Known ? *order : lockedOrder(*order, std::string(kOrderAssumed));
    part.shape = weight.shape;
    const std::size_t number = m_out.weights.size();
    Shape shape = weight.shape;
    add(std::move(weight), std::move(part), ElementType::Fp16, std::move(shape));
    if (g.bias)
        addBias(state);
    claimPlanes(number, number + 1);
}

void BlockReader::addBias(OrderState state)
{
    auto order = lanes::biasOrder(*m_layout, places());
    if (!order)
        return;
    Weight weight = base(m_name + ": bias", "dense-fp16");
    weight.shape = {m_layout->geometry().outputs};
    for (Consumer &consumer : weight.consumers) {
        consumer.param = "bias";
        consumer.flops.reset();
    }
    describe(weight, state);
    Part part;
    part.pieces = planeRanges(true, m_block.slices);
    for (const auto &copy : m_block.copies) {
        const auto ranges = planeRanges(true, copy);
        part.copies.insert(part.copies.end(), ranges.begin(), ranges.end());
    }
    part.order =
        state == OrderState::Known ? *order : lockedOrder(*order, std::string(kOrderAssumed));
    part.shape = weight.shape;
    Shape shape = weight.shape;
    add(std::move(weight), std::move(part), ElementType::Fp16, std::move(shape));
}

void BlockReader::addSparse()
{
    auto order = lanes::sparseOrder(*knownForm(m_version), *m_layout, places());
    const bool narrow =
        std::all_of(m_layout->chunks().begin(), m_layout->chunks().end(),
                    [](const lanes::Chunk &c) { return c.lanes <= lanes::kMaxSparseLanes; });
    if (!order || !narrow || m_block.slices.size() != m_layout->engines() ||
        m_layout->geometry().groups != 1)
        return addRaw();
    const lanes::Geometry &g = m_layout->geometry();
    Weight weight = base(m_name, "sparse");
    weight.shape = {g.outputs, g.inputs, g.height, g.width};
    describe(weight, OrderState::Known);
    Part part;
    part.role = codec::PartRole::NonzeroData;
    part.pieces = m_block.slices;
    std::sort(part.pieces.begin(), part.pieces.end());
    for (const auto &copy : m_block.copies)
        part.copies.insert(part.copies.end(), copy.begin(), copy.end());
    part.order = *order;
    part.shape = {sumOf(part.pieces)};
    const std::size_t number = m_out.weights.size();
    Shape shape = weight.shape;
    add(std::move(weight), std::move(part), ElementType::Fp16, std::move(shape));
    noteSlices(number, true);
    claimSlices(number, "masks and values");
}

/// Bytes of a form whose order is not known, with the law of their size where there is one.
void BlockReader::addRaw()
{
    const KernelFacts &facts = m_block.facts;
    const lanes::SizedForm form = facts.palette       ? lanes::SizedForm::Palette
                                  : facts.sparse      ? lanes::SizedForm::Sparse
                                  : facts.format == 2 ? lanes::SizedForm::Fp16
                                                      : lanes::SizedForm::Int8;
    Weight weight = base(m_name, fmt::format("{}-slices", lanes::sizedFormName(form)));
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
    Part part;
    part.pieces = m_block.slices;
    std::sort(part.pieces.begin(), part.pieces.end());
    part.order = pieceOrder(part.pieces, 8, std::string(kOrderUnknown));
    part.shape = weight.shape = {sumOf(part.pieces)};
    const std::size_t number = m_out.weights.size();
    Shape shape = weight.shape;
    add(std::move(weight), std::move(part), ElementType::Uint8, std::move(shape));
    noteSlices(number, holds);
    claimSlices(number, "slice");
}

void BlockReader::addTable()
{
    constexpr std::uint64_t kTableBytes = 2 * 43;
    Weight weight = base(m_name + ": activation table", "activation-table");
    const ByteRange slice = m_block.slices.front();
    const std::uint64_t held = std::min(slice.bytes.value, kTableBytes) / 2 * 2;
    weight.shape = {held / 2};
    for (Consumer &consumer : weight.consumers)
        consumer.flops.reset();
    if (held == 0)
        return;
    Part part;
    part.pieces = {{slice.offset, ByteCount(held)}};
    part.order = pieceOrder(part.pieces, 16, "An activation table is not edited as a weight");
    part.shape = weight.shape;
    const std::size_t number = m_out.weights.size();
    Shape shape = weight.shape;
    add(std::move(weight), std::move(part), ElementType::Fp16, std::move(shape));
    claim({slice.offset, ByteCount(held)}, SectionKind::Codebook, "activation table", number);
    claim({FileOffset(slice.offset.value + held), ByteCount(slice.bytes.value - held)},
          SectionKind::Padding, "padding of the activation table", number);
}

void BlockReader::claim(ByteRange range, SectionKind kind, std::string what, std::size_t weight)
{
    if (range.bytes.value == 0)
        return;
    Claim claim;
    claim.range = range;
    claim.kind = kind;
    claim.name = std::move(what);
    claim.owner = m_out.weights[weight].name;
    claim.weight = weight;
    claim.part = 0;
    m_out.claims.push_back(std::move(claim));
}

void BlockReader::claimPlanes(std::size_t weight, std::size_t bias)
{
    auto all = m_block.copies;
    all.insert(all.begin(), m_block.slices);
    for (const auto &slices : all) {
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
                if (&slices == &all.front()) {
                    const std::vector<ChannelRun> run{{plane->firstChannel, plane->channels}};
                    m_out.weights[weight].lanePieces.push_back(
                        {engine, chunk, run, {FileOffset(start + biasBytes), ByteCount(rows)}});
                    if (biasBytes != 0 && bias < m_out.weights.size())
                        m_out.weights[bias].lanePieces.push_back(
                            {engine, chunk, run, {FileOffset(start), ByteCount(biasBytes)}});
                }
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

/// Slices whose planes are not told apart: one piece a lane.
void BlockReader::noteSlices(std::size_t weight, bool channelsKnown)
{
    for (std::size_t lane = 0; lane < m_block.slices.size(); ++lane) {
        LanePiece piece{lane, 0, {}, m_block.slices[lane]};
        for (std::size_t i = 0; channelsKnown && i < m_layout->chunks().size(); ++i) {
            const lanes::Chunk &chunk = m_layout->chunks()[i];
            if (const std::uint64_t count = chunk.channelsOf(lane); count != 0)
                piece.channels.push_back({chunk.first + lane * chunk.lanes, count});
        }
        m_out.weights[weight].lanePieces.push_back(std::move(piece));
    }
}

void BlockReader::claimSlices(std::size_t weight, std::string_view what)
{
    auto all = m_block.copies;
    all.insert(all.begin(), m_block.slices);
    for (const auto &slices : all) {
        for (std::size_t lane = 0; lane < slices.size(); ++lane)
            claim(slices[lane], SectionKind::Data,
                  fmt::format("{} lane {}: {}", m_name, lane, what), weight);
    }
}

} // namespace

HardwareWeights hardwareWeights(const hwx::Container &container, std::span<const std::byte> bytes,
                                const std::string &file)
{
    HardwareWeights out;
    const auto blocks = sliceBlocks(container, bytes, file, out.diagnostics);
    std::map<std::string, std::size_t> seen;
    for (const SliceBlock &block : blocks)
        ++seen[block.name];
    std::map<std::string, std::size_t> number;
    for (const SliceBlock &block : blocks) {
        const std::string name = seen[block.name] == 1
                                     ? block.name
                                     : fmt::format("{}[{}]", block.name, number[block.name]++);
        BlockReader(container.version, block, name, out).read();
    }
    for (Diagnostic &row : out.diagnostics)
        row.error.file = file;
    std::stable_sort(out.claims.begin(), out.claims.end(), [](const Claim &a, const Claim &b) {
        return a.range.offset < b.range.offset;
    });
    return out;
}

} // namespace kernscope
