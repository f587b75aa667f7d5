// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/bundle/piece_order.h"
#include "core/bundle/reader/hwx/hardware_slices.h"
#include "core/bundle/reader/readers.h"
#include "core/bundle/section_map.h"
#include "core/bundle/weight.h"
#include "core/container/anec/anec.h"
#include "core/container/hwx/container.h"
#include "core/lanes/lane_order.h"

#include <fmt/format.h>

namespace kernscope {

namespace {

/// The weights of a hardware container's tasks, with what each lane's slice holds.
struct HardwareWeights {
    std::vector<Weight> weights;
    std::vector<ByteClaim> claims; ///< planes, bias rows and padding of the slices; by offset
    Diagnostics diagnostics;       ///< "hwx.slices": sizes or places that no law explains
};

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
    std::ranges::sort(ranges);
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

/// Versions 7 (H13) and 11 (H14).
std::optional<lanes::SparseForm> knownForm(const descriptor::Version *version)
{
    return version != nullptr ? lanes::sparseFormOf(version->generation) : std::nullopt;
}

/// Of slices in that state.
EditLock orderLock(OrderState state)
{
    return state == OrderState::Known     ? EditLock::None
           : state == OrderState::Assumed ? EditLock::AssumedOrder
                                          : EditLock::UnknownOrder;
}

/// With its edits refused.
OperandPlace locked(OperandPlace place, EditLock lock)
{
    place.lock = lock;
    return place;
}

class BlockReader
{
public:
    /// `bytes` are those of the file, `out` gets the weights and what their bytes are.
    BlockReader(const descriptor::Version *version, const SliceBlock &block, std::string name,
                std::span<const std::byte> bytes, HardwareWeights &out)
        : m_version(version), m_block(block), m_name(std::move(name)), m_bytes(bytes), m_out(out)
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
        if (m_layout && fp16 && facts.sparse && knownForm(m_version) && addSparse())
            return;
        if (m_layout && fp16 && !facts.sparse && sizesFit())
            addDense();
        else
            addRaw();
    }

private:
    using SliceRanges = std::vector<ByteRange>;
    /// Ranges within slices that lie at some place: of the block or of a copy.
    template <class RangesOf>
    OperandPlace placeOf(RangesOf rangesOf) const
    {
        OperandPlace place = placeAt(rangesOf(m_block.slices));
        for (const SliceRanges &copy : m_block.copies) {
            const SliceRanges ranges = rangesOf(copy);
            place.copies.insert(place.copies.end(), ranges.begin(), ranges.end());
        }
        return place;
    }
    static OperandPlace placeAt(SliceRanges pieces)
    {
        OperandPlace place;
        place.file = 0;
        place.pieces = std::move(pieces);
        place.bytes = ByteCount(sumOf(place.pieces));
        place.dataOffset = place.metaOffset = place.pieces.front().offset;
        return place;
    }

    void makeLayout()
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

    bool sizesFit() const
    {
        if (m_block.slices.size() != m_layout->engines())
            return false;
        for (std::size_t lane = 0; lane < m_block.slices.size(); ++lane) {
            if (m_block.slices[lane].bytes.value != m_layout->sliceBytes(lane))
                return false;
        }
        return true;
    }

    lanes::SlicePlaces places() const
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

    Weight base(std::string name, WeightRole role = WeightRole::Weight) const
    {
        Weight weight;
        weight.name = std::move(name);
        weight.sourceOp = "hwx";
        weight.role = role;
        weight.consumers = m_block.consumers;
        return weight;
    }

    /// Of the weight that was added last.
    Weight biasBase(OrderState state) const
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

    void describe(Weight &weight, OrderState order) const
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

    std::string sizeText() const
    {
        return m_layout ? lanes::explainSliceSize(*m_layout, 0) : std::string();
    }

    /// Adds the weight, all of whose elements `payload` holds, in the order that it has; `mask`
    /// lies among it. `slices`: what its bytes hold, where they are in an order that is not known.
    void add(Weight weight, codec::Operand payload, std::optional<FormNode> slices = std::nullopt,
             std::optional<codec::Operand> mask = std::nullopt)
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

    /// Calls `take` for every plane of a copy, lane by lane, with its bias row (of 0 bytes where
    /// there is none) and its coefficients.
    template <typename Take>
    void eachPlane(const SliceRanges &slices, const Take &take) const
    {
        for (std::uint64_t engine = 0; engine < m_layout->engines(); ++engine) {
            for (std::uint64_t chunk = 0; chunk < m_layout->chunks().size(); ++chunk) {
                const auto plane = m_layout->plane(chunk, engine);
                if (!plane)
                    continue;
                const std::uint64_t start = slices[engine].offset.value + plane->offset;
                const std::uint64_t bias = m_layout->geometry().bias ? 2 * plane->width : 0;
                take(*plane, ByteRange{FileOffset(start), ByteCount(bias)},
                     ByteRange{FileOffset(start + bias),
                               ByteCount(2 * plane->width * m_layout->steps())});
            }
        }
    }

    /// The rows of every plane: of the biases, or of the coefficients.
    SliceRanges planeRanges(bool bias, const SliceRanges &slices) const
    {
        SliceRanges ranges;
        eachPlane(slices, [&](const lanes::Plane &, ByteRange biases, ByteRange rows) {
            ranges.push_back(bias ? biases : rows);
        });
        std::ranges::sort(ranges);
        return ranges;
    }

    void addDense()
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
        auto values = operandAt(codec::PartRole::Data, ElementType::Fp16, weight.shape,
                                locked(placeOf([this](const SliceRanges &slices) {
                                           return planeRanges(false, slices);
                                       }),
                                       orderLock(state)),
                                std::move(*order));
        const std::size_t number = m_out.weights.size();
        add(std::move(weight), std::move(values));
        if (g.bias)
            addBias(state);
        notePlanes(number, number + 1);
        claimPlanes(number, number + 1);
    }

    void addBias(OrderState state)
    {
        auto order = lanes::biasOrder(*m_layout, places());
        if (!order)
            return;
        Weight weight = biasBase(state);
        auto values = operandAt(
            codec::PartRole::Data, ElementType::Fp16, weight.shape,
            locked(placeOf([this](const SliceRanges &slices) { return planeRanges(true, slices); }),
                   orderLock(state)),
            std::move(*order));
        add(std::move(weight), std::move(values));
    }

    void claimPlanes(std::size_t weight, std::size_t bias)
    {
        for (const SliceRanges &slices : allPlaces()) {
            eachPlane(slices, [&](const lanes::Plane &plane, ByteRange biases, ByteRange rows) {
                const std::string where =
                    fmt::format("{} lane {} plane {}", m_name, plane.engine, plane.chunk);
                claim(biases, SectionKind::Values, where + ": bias row", bias);
                claim(rows, SectionKind::Data, where + ": coefficients", weight);
                claim({FileOffset(rows.end()),
                       ByteCount(biases.offset.value + plane.bytes - rows.end())},
                      SectionKind::Padding, where + ": padding", weight);
            });
            for (std::uint64_t engine = 0; engine < m_layout->engines(); ++engine) {
                const std::uint64_t used = m_layout->usedBytes(engine);
                claim({FileOffset(slices[engine].offset.value + used),
                       ByteCount(slices[engine].bytes.value - used)},
                      SectionKind::Padding, fmt::format("{} lane {}: padding", m_name, engine),
                      weight);
            }
        }
    }

    /// False where the slices are not in the published form: they then are bytes.
    bool addSparse()
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
        auto mask = operandAt(codec::PartRole::Mask, ElementType::Uint1, weight.shape, place,
                              (*order)->mask());
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

    void addSparseBias()
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

    void claimSparse(std::size_t weight, std::size_t bias)
    {
        for (const SliceRanges &slices : allPlaces()) {
            for (const lanes::SparsePlane &plane : m_planes) {
                const ByteRange slice = slices[plane.engine];
                const std::string where =
                    fmt::format("{} lane {} plane {}", m_name, plane.engine, plane.chunk);
                const auto run = [&slice](std::uint64_t first, std::uint64_t end) {
                    return ByteRange{FileOffset(slice.offset.value + first),
                                     ByteCount(end - first)};
                };
                claim(run(plane.bias, plane.length), SectionKind::Values, where + ": bias row",
                      bias);
                claim(run(plane.length, plane.body), SectionKind::Metadata, where + ": length",
                      weight);
                claim(run(plane.body, plane.end), SectionKind::Data, where + ": masks and values",
                      weight, kValues);
                claim(run(plane.end, plane.next), SectionKind::Padding, where + ": padding",
                      weight);
                const bool last = plane.chunk + 1 == m_layout->chunks().size() ||
                                  !m_layout->plane(plane.chunk + 1, plane.engine);
                if (last)
                    claim(run(plane.next, slice.bytes.value), SectionKind::Padding,
                          fmt::format("{} lane {}: padding", m_name, plane.engine), weight);
            }
        }
    }

    /// Bytes of a form whose order is not known, with the law of their size where there is one.
    void addRaw()
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
                "task_shape",
                std::vector<std::uint64_t>{facts.geometry.outputs, facts.geometry.inputs,
                                           facts.geometry.height, facts.geometry.width});
        if (!holds)
            refuse(law.empty() ? "slices that the shape explains" : law,
                   fmt::format("{} slices, the first of {} bytes", m_block.slices.size(),
                               m_block.slices.front().bytes.value),
                   "The sizes of the slices are not those of the size law");
        SliceRanges pieces = m_block.slices;
        std::ranges::sort(pieces);
        auto order = pieceOrder(pieces, 8);
        weight.shape = {order->elements()};
        auto bytes =
            operandAt(codec::PartRole::Data, ElementType::Uint8, weight.shape,
                      locked(placeAt(std::move(pieces)), EditLock::UnknownOrder), std::move(order));
        const std::size_t number = m_out.weights.size();
        add(std::move(weight), std::move(bytes), form);
        noteSlices(number, holds);
        claimSlices(number, "slice");
    }

    void addTable()
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
        auto knots =
            operandAt(codec::PartRole::Data, ElementType::Fp16, weight.shape,
                      locked(placeAt(pieces), EditLock::ActivationTable), pieceOrder(pieces, 16));
        const std::size_t number = m_out.weights.size();
        add(std::move(weight), std::move(knots));
        claim({slice.offset, ByteCount(held)}, SectionKind::Codebook, "activation table", number);
        claim({FileOffset(slice.offset.value + held), ByteCount(slice.bytes.value - held)},
              SectionKind::Padding, "padding of the activation table", number);
    }

    void claimSlices(std::size_t weight, std::string_view what)
    {
        for (const SliceRanges &slices : allPlaces()) {
            for (std::size_t lane = 0; lane < slices.size(); ++lane)
                claim(slices[lane], SectionKind::Data,
                      fmt::format("{} lane {}: {}", m_name, lane, what), weight);
        }
    }

    /// What each lane loads (Weight::lanePieces), of each form.
    void notePlanes(std::size_t weight, std::size_t bias)
    {
        eachPlane(m_block.slices, [&](const lanes::Plane &plane, ByteRange biases, ByteRange rows) {
            const std::vector<ChannelRun> run{{plane.firstChannel, plane.width}};
            m_out.weights[weight].lanePieces.push_back({plane.engine, plane.chunk, run, rows});
            if (biases.bytes.value != 0 && bias < m_out.weights.size())
                m_out.weights[bias].lanePieces.push_back({plane.engine, plane.chunk, run, biases});
        });
        noteCopies(weight);
        if (bias != weight)
            noteCopies(bias);
    }

    void noteSparse(std::size_t weight, std::size_t bias)
    {
        for (const lanes::SparsePlane &plane : m_planes) {
            const std::vector<ChannelRun> run{{plane.firstChannel, plane.width}};
            const std::uint64_t slice = m_block.slices[plane.engine].offset.value;
            const auto bytes = [slice](std::uint64_t first, std::uint64_t end) {
                return ByteRange{FileOffset(slice + first), ByteCount(end - first)};
            };
            m_out.weights[weight].lanePieces.push_back(
                {plane.engine, plane.chunk, run, bytes(plane.body, plane.end)});
            if (bias != weight)
                m_out.weights[bias].lanePieces.push_back(
                    {plane.engine, plane.chunk, run, bytes(plane.bias, plane.length)});
        }
        noteCopies(weight);
        if (bias != weight)
            noteCopies(bias);
    }

    /// Slices whose planes are not told apart: one piece a lane.
    void noteSlices(std::size_t weight, bool channelsKnown)
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
        noteCopies(weight);
    }

    /// Once more at each copy, after the pieces themselves.
    void noteCopies(std::size_t weight)
    {
        if (weight >= m_out.weights.size())
            return;
        auto &pieces = m_out.weights[weight].lanePieces;
        const std::size_t own = pieces.size();
        for (std::size_t copy = 0; copy < m_block.copies.size(); ++copy) {
            const SliceRanges &slices = m_block.copies[copy];
            for (std::size_t i = 0; i < own; ++i) {
                LanePiece piece = pieces[i];
                if (piece.lane >= slices.size())
                    continue;
                // A piece lies within its slice, and the slices of a copy are as long.
                const std::uint64_t inside =
                    piece.bytes.offset.value - m_block.slices[piece.lane].offset.value;
                piece.bytes.offset = FileOffset(slices[piece.lane].offset.value + inside);
                piece.copy = copy + 1;
                pieces.push_back(std::move(piece));
            }
        }
    }

    void claim(ByteRange range, SectionKind kind, std::string what, std::size_t weight,
               std::size_t operand = 0)
    {
        if (range.bytes.value != 0)
            m_out.claims.push_back({range, kind, std::move(what), weight, operand});
    }

    std::vector<SliceRanges> allPlaces() const
    {
        std::vector<SliceRanges> all{m_block.slices};
        all.insert(all.end(), m_block.copies.begin(), m_block.copies.end());
        return all;
    }
    ///< the slices, then their copies
    void refuse(std::string expected, std::string found, std::string message)
    {
        m_out.diagnostics.push_back(
            {Severity::Warning, valueError({{}, m_block.slices.front().offset}, "hwx.slices",
                                           m_name, expected, found, message)});
    }

    const descriptor::Version *m_version;
    const SliceBlock &m_block;
    std::string m_name;
    std::span<const std::byte> m_bytes;
    HardwareWeights &m_out;
    std::optional<lanes::SliceLayout> m_layout;
    std::vector<lanes::SparsePlane> m_planes; ///< of slices that leave zeros out
};

/// Finds the slices that the tasks of `container` load and makes each set of them a weight: shape
/// from the task that reads it, element order by the laws of core/codec/lanes where it is known
/// (versions 7 and 11), assumed for fp16 of others, raw bytes with their size law where it is not.
/// Reads tables and task words only, no coefficient.
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
        BlockReader(container.version, block, name, bytes, out).read();
    }
    for (Diagnostic &row : out.diagnostics)
        row.error.file = file;
    std::ranges::stable_sort(out.claims, [](const ByteClaim &a, const ByteClaim &b) {
        return a.range.offset < b.range.offset;
    });
    return out;
}

SectionKind spanSectionKind(hwx::SpanKind kind)
{
    switch (kind) {
    case hwx::SpanKind::Header: return SectionKind::Header;
    case hwx::SpanKind::Command:
    case hwx::SpanKind::Relocations:
    case hwx::SpanKind::Symbols:
    case hwx::SpanKind::Strings:
    case hwx::SpanKind::Debug:
    case hwx::SpanKind::Note: return SectionKind::Metadata;
    case hwx::SpanKind::TaskHeader:
    case hwx::SpanKind::Record:
    case hwx::SpanKind::Task:
    case hwx::SpanKind::Text: return SectionKind::Program;
    case hwx::SpanKind::Kernel: return SectionKind::Data;
    case hwx::SpanKind::Padding: return SectionKind::Padding;
    case hwx::SpanKind::Data: break;
    }
    return SectionKind::Unknown;
}

/// The claims of slices first; those of whole kernel symbols that begin with a slice give way.
std::vector<ByteClaim> withSlices(std::vector<ByteClaim> tables, std::vector<ByteClaim> slices)
{
    const auto begins = [&slices](const ByteClaim &claim) {
        const auto first = std::lower_bound(
            slices.begin(), slices.end(), claim.range.offset,
            [](const ByteClaim &slice, FileOffset offset) { return slice.range.offset < offset; });
        return claim.kind == SectionKind::Data && first != slices.end() &&
               first->range.offset == claim.range.offset;
    };
    // Before any is added: the slices are sought by their order.
    tables.erase(std::remove_if(tables.begin(), tables.end(), begins), tables.end());
    std::move(tables.begin(), tables.end(), std::back_inserter(slices));
    return slices;
}

std::vector<ByteClaim> claimsOfSpans(const std::vector<hwx::CoverSpan> &spans)
{
    std::vector<ByteClaim> claims;
    claims.reserve(spans.size());
    for (const hwx::CoverSpan &span : spans)
        claims.push_back({span.range, spanSectionKind(span.kind), span.name});
    return claims;
}

/// What the two readers share: the weights of the tasks, and as sections the `spans` of the tables
/// with the slices of the kernels in them. `image` is kept in `out`.
void addHardware(hwx::Container image, const std::vector<hwx::CoverSpan> &spans, BundleFile &file,
                 ContainerContents &out)
{
    const auto kept = std::make_shared<const hwx::Container>(std::move(image));
    out.log.add(kept->diagnostics);
    HardwareWeights found = hardwareWeights(*kept, file.file->bytes(), file.path);
    out.log.add(std::move(found.diagnostics));
    out.weights = std::move(found.weights);
    out.claims[0] = withSlices(claimsOfSpans(spans), std::move(found.claims));
    out.hardware = kept;
}

void readHardware(ContainerInput &input, ContainerContents &out)
{
    BundleFile &file = input.files.front();
    file.role = SectionKind::Program;
    auto container = hwx::readContainer(file.file->bytes(), file.path);
    if (!container)
        return out.log.add(Severity::Error, std::move(container.error()));
    const auto spans = hwx::coverContainer(*container, file.file->bytes());
    addHardware(std::move(*container), spans, file, out);
}

void readAnec(ContainerInput &input, ContainerContents &out)
{
    BundleFile &file = input.files.front();
    file.role = SectionKind::Program;
    auto anec = anec::readAnec(file.file->bytes(), file.path);
    if (!anec)
        return out.log.add(Severity::Error, std::move(anec.error()));
    const auto spans = anec::coverAnec(*anec, file.file->bytes());
    addHardware(std::move(anec->image), spans, file, out);
}

} // namespace

const ContainerReader &hardwareReader()
{
    static const ContainerReader reader{
        .kind = BundleKind::Hwx,
        .key = "hwx",
        .name = "a hardware container (.hwx)",
        .wanted = "a .hwx",
        .endings = {".hwx"},
        .knows = [](auto bytes, auto) { return hwx::isContainer(bytes); },
        .read = readHardware,
        .helpPage = "hardware-containers",
        .fuzzTarget = "fuzz_hardware"};
    return reader;
}

const ContainerReader &anecReader()
{
    static const ContainerReader reader{
        .kind = BundleKind::Anec,
        .key = "anec",
        .name = "an image for a Linux driver (.anec)",
        .wanted = "a .anec",
        .endings = {".anec"},
        .knows = [](auto bytes, auto) { return anec::isAnec(bytes); },
        .read = readAnec,
        .helpPage = "hardware-containers",
        .fuzzTarget = "fuzz_hwx"};
    return reader;
}

} // namespace kernscope
