// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/section/builder.h"

#include "core/base/error_builder.h"
#include "core/format/legality.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"
#include "core/numeric/transpose.h"

#include <bit>
#include <set>

#include <fmt/format.h>

namespace kernscope::section {

namespace {

tl::unexpected<Error> formError(std::string expected, std::string found, std::string message)
{
    return refused("section.form", "form", std::move(expected), std::move(found),
                   std::move(message));
}

void putHalf(std::vector<std::byte> &bytes, std::uint16_t half)
{
    bytes.push_back(static_cast<std::byte>(half & 0xFFU));
    bytes.push_back(static_cast<std::byte>(half >> 8U));
}

std::string_view entryName(ElementType type)
{
    switch (type) {
    case ElementType::Fp16: return "f16";
    case ElementType::Int8: return "i8";
    case ElementType::Uint8: return "u8";
    case ElementType::Fp8E4M3Fn: return "e4m3";
    default: return {};
    }
}

/// Type number of packed indices; 0 for a width that the catalogue lacks.
std::uint32_t indexType(unsigned bits)
{
    switch (bits) {
    case 1: return 11;
    case 2: return 12;
    case 4: return 9;
    case 6: return 10;
    case 8: return 3;
    default: return 0;
    }
}

bool onlyFirstAxis(const Shape &grid)
{
    return std::all_of(grid.begin() + (grid.empty() ? 0 : 1), grid.end(),
                       [](std::uint64_t cells) { return cells == 1; });
}

/// Whether the section's vector of one scale a channel holds the scales: one for all, or one for
/// each of equal runs of channels, and no offset.
bool scalesOfChannels(const codec::Encoding &encoding)
{
    const codec::Scaling &scaling = *encoding.scaling;
    const codec::Operand *scale = codec::storedOperand(scaling.scale);
    if (scale == nullptr || scaling.offset || encoding.shape.empty())
        return false;
    const auto count = elementCount(scale->shape);
    const bool first = scaling.kind == codec::Scaling::Kind::Affine ? scaling.axis == 0
                                                                    : onlyFirstAxis(scale->shape);
    return count && count->value != 0 &&
           (count->value == 1 || (first && encoding.shape.front() % count->value == 0));
}

Result<UnitForm> paletteForm(const codec::Encoding &encoding)
{
    const codec::Palette &palette = *encoding.palette;
    const codec::Operand *lut = codec::storedOperand(palette.lut);
    const codec::Operand *indices = codec::storedOperand(encoding.payload);
    UnitForm form;
    form.node = FormNode::Palette;
    form.bits =
        static_cast<unsigned>(std::countr_zero(std::max<std::uint64_t>(palette.entries, 1)));
    form.vector = palette.vector;
    const auto *row =
        lut == nullptr || indices == nullptr
            ? nullptr
            : format::findKernelFormat(fmt::format("p{}{}", form.bits, entryName(lut->type)));
    if (row == nullptr || (encoding.scaling && !scalesOfChannels(encoding)))
        return formError(
            "a palette of fp16, int8, uint8 or E4M3 values, with no "
            "scales or one an output channel",
            lut != nullptr && row == nullptr
                ? fmt::format("{}-bit indices of {} values", form.bits, elementTypeName(lut->type))
                : "another",
            "The section has no kernel format for the palette; build "
            "it as a dense weight");
    form.kernelFormat = row->format.value;
    form.entries = lut->type;
    if (indices->order) { // already a section's: its books follow its groups
        form.books = indices->order->tables();
        if (form.books != 1)
            return formError("one codebook", fmt::format("{}", form.books),
                             "Codebooks of groups are not dealt anew; build it as "
                             "a dense weight");
        return form;
    }
    for (const std::uint64_t cells : palette.grid)
        form.books *= cells;
    if (!isPaletteVector(form.vector) || form.vector == 0 ||
        (form.vector > 1 && (palette.vectorAxis != 0 || form.books > 1)) ||
        !onlyFirstAxis(palette.grid))
        return formError("codebooks of output channels, vectors of 1, 2, 4 or 5 of them",
                         fmt::format("{} codebooks, vectors of {}", form.books, form.vector),
                         "The section has no place for such codebooks; build it as a dense weight");
    form.channelsPerBook = encoding.shape.empty() ? 1 : encoding.shape.front() / form.books;
    return form;
}

Result<UnitForm> affineForm(const codec::Encoding &encoding)
{
    const codec::Scaling &scaling = *encoding.scaling;
    const codec::Operand *data = codec::storedOperand(encoding.payload);
    const codec::Operand *scale = codec::storedOperand(scaling.scale);
    UnitForm form;
    form.node = FormNode::Affine;
    form.bits = 8;
    const bool bytes =
        data != nullptr && (data->type == ElementType::Int8 || data->type == ElementType::Uint8);
    const bool perChannel =
        scale != nullptr && (scaling.kind == codec::Scaling::Kind::Affine
                                 ? scaling.axis == 0 || elementCount(scale->shape)->value == 1
                                 : onlyFirstAxis(scale->shape));
    bool symmetric = true;
    if (scaling.offset) {
        const codec::Operand *offset = codec::storedOperand(*scaling.offset);
        symmetric = offset != nullptr;
        for (std::uint64_t i = 0; symmetric && i < elementCount(offset->shape)->value; ++i)
            symmetric = loadValue(offset->bytes, offset->type, i) == 0.0;
    }
    if (!bytes || !perChannel || !symmetric)
        return formError("int8 or uint8 with one scale an output channel and no zero point",
                         !bytes ? "another element type"
                                : (symmetric ? "scales of blocks" : "a zero point"),
                         "The section has no place for it; build it as a dense weight");
    form.kernelFormat = data->type == ElementType::Int8 ? 1 : 2;
    return form;
}

tl::unexpected<Error> buildError(const std::string &field, std::string expected, std::string found)
{
    return refused("section.build", field, std::move(expected), std::move(found),
                   "The weight section cannot be built");
}

std::uint64_t aligned(std::uint64_t value)
{
    return (value + kAlignment - 1) / kAlignment * kAlignment;
}

std::uint32_t low32(std::uint64_t value)
{
    return static_cast<std::uint32_t>(value & 0xFFFFFFFFU);
}

/// Most lanes whose group stays within one codebook.
std::uint64_t lanesWithin(std::uint64_t lanes, const UnitForm &form)
{
    while (form.books > 1 && lanes > 1 && form.channelsPerBook % lanes != 0)
        lanes /= 2;
    return lanes;
}

Result<std::vector<lanes::Chunk>> dealFor(const BuildWeight &weight, const UnitForm &form,
                                          unsigned cores)
{
    const std::uint64_t cap =
        lanesWithin(std::bit_floor(std::max<std::uint64_t>(1, weight.mostLanes)), form);
    if (weight.law == lanes::Law::Depthwise)
        return lanes::dealEvenly(weight.geometry, 1, cores);
    if (weight.law == lanes::Law::Grouped)
        return lanes::dealEvenly(weight.geometry,
                                 lanesWithin(std::bit_floor(std::clamp<std::uint64_t>(
                                                 weight.geometry.outputs / 64, 1, cap)),
                                             form),
                                 cores);
    lanes::DealOptions options;
    options.engines = cores;
    options.cap = cap;
    return lanes::dealChannels(weight.geometry, weight.law, options);
}

std::vector<std::byte> halfBytes(std::span<const std::uint16_t> halves)
{
    std::vector<std::byte> bytes;
    bytes.reserve(2 * halves.size());
    for (const std::uint16_t half : halves)
        putHalf(bytes, half);
    return bytes;
}

struct Packed {
    std::vector<GroupRecord> records;
    std::vector<std::byte> weights, palette;
    std::vector<std::uint16_t> scales;
    std::vector<std::uint64_t> channelList; ///< in the order of the records
    std::uint64_t channels = 0, books = 0;
    std::uint32_t weightType = 0, entryType = 0;
};

class Packer
{
public:
    Packer(const codec::Decoder &decoder, const UnitForm &form,
           const std::vector<lanes::Chunk> &chunks, std::uint64_t steps, std::size_t core)
        : m_decoder(decoder), m_form(form), m_chunks(chunks), m_steps(steps), m_core(core)
    {
    }
    /// Errors: "section.form" (a scale that fp16 does not hold).

    Result<Packed> pack()
    {
        Packed out;
        for (const lanes::Chunk &chunk : m_chunks) {
            const std::uint64_t first = chunk.first + m_core * chunk.lanes;
            const std::uint64_t count = chunk.channelsOf(m_core);
            if (count == 0)
                continue;
            GroupRecord record;
            std::fill(record.words.begin() + 2, record.words.begin() + 12, kUnresolved);
            record.words[0] = static_cast<std::uint32_t>(out.weights.size() + m_survivors.size());
            record.words[1] = static_cast<std::uint32_t>(count);
            switch (m_form.node) {
            case FormNode::Dense: packDense(out, first, count); break;
            case FormNode::Sparse: packSparse(out, first, count); break;
            case FormNode::Affine:
            case FormNode::Palette: packCodes(out, first, count); break;
            default: // the section's tables have no words for it
                return formError("dense, affine, palette or sparse", "another form",
                                 "The section has no place for it; build it as a dense "
                                 "weight");
            }
            out.records.push_back(record);
            for (std::uint64_t lane = 0; lane < count; ++lane)
                out.channelList.push_back(first + lane);
        }
        out.channels = out.channelList.size();
        const auto number = format::typeNumber(format::KernelFormat(m_form.kernelFormat));
        out.weightType = number ? number->value : 0;
        if (m_form.node == FormNode::Sparse) {
            out.weights.resize((m_mask.size() + 7) / 8);
            kernscope::packCodes(m_mask, 1, 0, out.weights);
            for (GroupRecord &record : out.records) // its survivors lie behind the mask
                record.words[0] += static_cast<std::uint32_t>(out.weights.size());
            out.weights.insert(out.weights.end(), m_survivors.begin(), m_survivors.end());
        }
        if (m_form.node == FormNode::Palette) {
            out.weightType = indexType(m_form.bits);
            packPalette(out);
        }
        if (m_form.node == FormNode::Affine ||
            (m_form.node == FormNode::Palette && m_decoder.encoding().scaling)) {
            TRY(packScales(out));
        }
        return out;
    }

private:
    void packDense(Packed &out, std::uint64_t first, std::uint64_t count) const
    {
        std::vector<std::uint16_t> halves(count * m_steps);
        m_decoder.decodeHalf(first * m_steps, halves);
        std::vector<std::uint16_t> turned(halves.size()); // the lanes of each step side by side
        turnHalves(std::as_bytes(std::span(halves)), 2 * m_steps, m_steps, count, turned.data(),
                   count);
        for (const std::uint16_t half : turned)
            putHalf(out.weights, half);
    }

    void packCodes(Packed &out, std::uint64_t first, std::uint64_t count) const
    {
        std::vector<std::int64_t> codes(count * m_steps);
        m_decoder.codes(first * m_steps, codes);
        std::vector<std::uint8_t> packed; // the lanes of each step side by side
        packed.reserve(codes.size());
        for (std::uint64_t step = 0; step < m_steps; ++step) {
            for (std::uint64_t lane = 0; lane < count; ++lane)
                packed.push_back(static_cast<std::uint8_t>(codes[lane * m_steps + step] & 0xFF));
        }
        const std::size_t at = out.weights.size();
        out.weights.resize(at + (packed.size() * m_form.bits + 7) / 8);
        kernscope::packCodes(packed, m_form.bits, 0, std::span(out.weights).subspan(at));
    }

    void packSparse(Packed &, std::uint64_t first, std::uint64_t count)
    {
        std::vector<std::uint16_t> halves(count * m_steps);
        m_decoder.decodeHalf(first * m_steps, halves);
        const bool masked = m_decoder.encoding().mask.has_value();
        for (std::uint64_t step = 0; step < m_steps; ++step) {
            for (std::uint64_t lane = 0; lane < count; ++lane) {
                const std::uint64_t element = (first + lane) * m_steps + step;
                const std::uint16_t half = halves[lane * m_steps + step];
                const bool keep = masked ? m_decoder.stored(element) : half != 0;
                m_mask.push_back(keep ? 1 : 0);
                if (keep)
                    putHalf(m_survivors, half);
            }
        }
    }

    Result<void> packScales(Packed &out) const
    {
        const codec::Scaling &scaling = *m_decoder.encoding().scaling;
        const codec::Operand &scale = *codec::storedOperand(scaling.scale);
        const std::uint64_t scales = elementCount(scale.shape)->value;
        // One for all channels, one a channel, or one for each codebook's run of them.
        const std::uint64_t run =
            scales > 1 ? m_decoder.encoding().shape.front() / scales : std::uint64_t{1};
        for (const std::uint64_t channel : out.channelList) {
            std::uint64_t position = 0;
            if (scale.order && scales > 1)
                scale.order->positions(channel, std::span(&position, 1));
            const double value =
                scale.order ? loadValue(scale.bytes.subspan(position / 8), scale.type, 0)
                            : loadValue(scale.bytes, scale.type, scales > 1 ? channel / run : 0);
            const std::uint16_t half = floatToHalf(static_cast<float>(value));
            if (static_cast<double>(halfToFloat(half)) != value)
                return formError("scales that fp16 holds", fmt::format("{}", value),
                                 "A scale would be rounded; build it as a dense "
                                 "weight");
            out.scales.push_back(half);
        }
        return {};
    }

    /// Codebooks of this core: one, or one a chunk. All cores have as many: a core without channels
    /// in a last chunk holds that chunk's first codebook, which nothing reads.
    void packPalette(Packed &out) const
    {
        const codec::Operand &lut = *codec::storedOperand(m_decoder.encoding().palette->lut);
        const std::uint64_t perBook = m_decoder.encoding().palette->entries * m_form.vector;
        const std::uint64_t width = bitWidth(lut.type) / 8;
        out.books = m_form.books > 1 ? m_chunks.size() : 1;
        for (std::uint64_t number = 0; number < out.books; ++number) {
            const lanes::Chunk &chunk = m_chunks[number];
            const std::uint64_t channel =
                chunk.first + (chunk.channelsOf(m_core) == 0 ? 0 : m_core * chunk.lanes);
            const std::uint64_t book = m_form.books > 1 ? channel / m_form.channelsPerBook : 0;
            for (std::uint64_t i = book * perBook; i < (book + 1) * perBook; ++i) {
                std::uint64_t position = 8 * width * i;
                if (lut.order)
                    lut.order->positions(i, std::span(&position, 1));
                const auto entry = lut.bytes.subspan(position / 8, width);
                out.palette.insert(out.palette.end(), entry.begin(), entry.end());
            }
        }
        const auto entry = format::paletteEntryFormat(format::KernelFormat(m_form.kernelFormat));
        const auto number = entry ? format::typeNumber(*entry) : Result<format::TypeNumber>();
        out.entryType = number ? number->value : 0;
    }

    const codec::Decoder &m_decoder;
    const UnitForm &m_form;
    const std::vector<lanes::Chunk> &m_chunks;
    std::uint64_t m_steps;
    std::size_t m_core;
    std::vector<std::uint8_t> m_mask; ///< a byte a bit, in the order of the records
    std::vector<std::byte> m_survivors;
};

/// A unit with the bytes of its payload.
struct Built {
    Unit unit;
    std::vector<std::byte> payload;
};

class WeightBuilder
{
public:
    WeightBuilder(const BuildTarget &target, const BuildWeight &weight)
        : m_target(target), m_weight(weight)
    {
    }

    Result<void> build(std::vector<Built> &out)
    {
        TRY(prepare());
        for (std::size_t core = 0; core < m_cores; ++core) {
            auto built = TRY(buildCore(core));
            out.push_back(std::move(built));
        }
        return {};
    }

private:
    Result<void> prepare()
    {
        if (m_weight.form) {
            m_form.node = *m_weight.form;
        } else {
            auto form = unitForm(m_weight.decoder->encoding());
            if (!form)
                return ErrorBuilder(std::move(form.error())).field(m_weight.name).unexpected();
            m_form = *form;
        }
        m_steps = TRY(lanes::reductionOf(m_weight.geometry));
        const std::uint64_t elements = m_steps * m_weight.geometry.outputs;
        if (elements != m_weight.decoder->elements().value)
            return buildError(m_weight.name, fmt::format("{} elements", elements),
                              fmt::format("{}", m_weight.decoder->elements().value));
        const std::size_t biases = m_weight.bias.size();
        if (biases != 0 && biases != m_weight.geometry.outputs)
            return buildError(m_weight.name, "one bias an output channel",
                              fmt::format("{}", biases));
        constexpr std::size_t kTableEntries = 43;
        if (!m_weight.activationTable.empty() && m_weight.activationTable.size() != kTableEntries)
            return buildError(m_weight.name, "an activation table of 43 numbers",
                              fmt::format("{}", m_weight.activationTable.size()));
        m_chunks = TRY(dealFor(m_weight, m_form, m_target.cores));
        const lanes::Chunk &widest = m_chunks.front();
        m_cores = static_cast<std::size_t>((widest.channels + widest.lanes - 1) / widest.lanes);
        return {};
    }

    Result<Built> buildCore(std::size_t core)
    {
        constexpr std::uint32_t kLookupType = 8, kHalfType = 5, kWordType = 18;
        Built built;
        describe(built.unit, core);
        Packer packer(*m_weight.decoder, m_form, m_chunks, m_steps, core);
        auto packed = TRY(packer.pack());
        if (packed.weights.size() > UINT32_MAX - 1)
            return buildError(m_weight.name, "below 4 GiB of coefficients a core",
                              fmt::format("{}", packed.weights.size()));
        const auto channels = low32(packed.channels);
        add(built, Kind::Lut, {kLookupType, 16, low32(m_weight.activationTable.size()), 0, 0, 0},
            halfBytes(m_weight.activationTable));
        add(built, Kind::Pal,
            {packed.entryType, m_form.bits, low32(packed.books), m_form.kernelFormat, 0, 0},
            packed.palette);
        built.unit.records = packed.records;
        add(built, Kind::Ocgs, {kWordType, 32, low32(packed.records.size()), 0, 0, 0},
            std::vector<std::byte>(packed.records.size() * kRecordBytes));
        add(built, Kind::Scale, {kHalfType, 16, channels, 0, 0, 0}, halfBytes(packed.scales));
        std::vector<std::uint16_t> bias;
        for (const std::uint64_t channel : packed.channelList)
            bias.push_back(m_weight.bias.empty() ? std::uint16_t{0} : m_weight.bias[channel]);
        add(built, Kind::Bias, {kHalfType, 16, channels, 0, 0, 0},
            halfBytes(m_weight.bias.empty() ? std::vector<std::uint16_t>() : bias));
        add(built, Kind::Weights,
            {packed.weightType, m_form.bits, low32(packed.channels * m_steps), 0, 0, 0},
            packed.weights);
        built.unit.payloadBytes = built.payload.size();
        return built;
    }

    void describe(Unit &unit, std::size_t core) const
    {
        const lanes::WeightExtents &g = m_weight.geometry;
        unit.type = static_cast<std::uint32_t>(core + 1);
        unit.kernelFormat = m_form.kernelFormat;
        unit.core = static_cast<std::uint32_t>(core);
        unit.cores = static_cast<std::uint32_t>(m_cores);
        unit.outputs = low32(g.outputs);
        unit.inputs = low32(g.inputs);
        unit.depth = low32(g.depth);
        unit.height = low32(g.height);
        unit.width = low32(g.width);
        unit.groups = low32(g.groups);
        unit.vectorSize = low32(m_form.vector);
        // A unit holds the channels of its core. That is a whole copy only where there is one core.
        unit.flags = 0;
        if (m_target.sharedKernelMemory)
            unit.flags = SharedKernelMemory;
        else if (m_cores == 1)
            unit.flags = ReplicatedPerCore;
        if (m_form.node == FormNode::Palette && (m_form.vector > 1 || m_form.books > 1))
            unit.flags |= VectorPalette;
        if (m_form.node == FormNode::Sparse)
            unit.flags |= SparseOperand;
        unit.name = m_weight.name;
    }

    void add(Built &built, Kind kind, Entry entry, std::span<const std::byte> bytes) const
    {
        if (bytes.empty())
            return;
        built.payload.resize(aligned(built.payload.size()));
        entry.offset = built.payload.size();
        entry.bytes = bytes.size();
        built.unit.entries[kind] = entry;
        built.payload.insert(built.payload.end(), bytes.begin(), bytes.end());
    }

    const BuildTarget &m_target;
    const BuildWeight &m_weight;
    UnitForm m_form;
    std::vector<lanes::Chunk> m_chunks;
    std::size_t m_cores = 1;
    std::uint64_t m_steps = 1;
};

std::vector<std::byte> assemble(WeightSection &section, std::vector<Built> &built)
{
    std::string pool;
    for (Built &one : built) {
        const auto known = section.units.empty() ? nullptr : &section.units.back();
        const bool repeats = known != nullptr && known->name == one.unit.name;
        one.unit.nameOffset = repeats ? known->nameOffset : low32(pool.size());
        one.unit.nameBytes = low32(one.unit.name.size());
        if (!repeats)
            pool += one.unit.name;
        section.units.push_back(one.unit);
    }
    section.unitTable = kHeaderBytes;
    section.pool = aligned(kHeaderBytes + built.size() * kUnitBytes);
    section.poolBytes = pool.size();
    std::vector<std::byte> bytes(aligned(section.pool + pool.size()));
    std::ranges::transform(pool, bytes.begin() + static_cast<std::ptrdiff_t>(section.pool),
                           [](char c) { return static_cast<std::byte>(c); });
    for (std::size_t i = 0; i < built.size(); ++i) {
        bytes.resize(aligned(bytes.size()));
        section.units[i].payload = bytes.size();
        bytes.insert(bytes.end(), built[i].payload.begin(), built[i].payload.end());
    }
    section.fileBytes = bytes.size();
    return bytes;
}

} // namespace

Result<UnitForm> unitForm(const codec::Encoding &encoding)
{
    const codec::Operand *payload = codec::storedOperand(encoding.payload);
    if (encoding.mask && (encoding.palette || encoding.scaling || payload == nullptr ||
                          payload->type != ElementType::Fp16))
        return formError("masked fp16 values", "masked codes",
                         "The section holds masks with fp16 values only; build it "
                         "as a sparse or dense weight");
    if (payload == nullptr)
        return formError("stored values", "the result of another op",
                         "The weight is computed; build it as a dense weight");
    if (encoding.palette)
        return paletteForm(encoding);
    if (encoding.scaling)
        return affineForm(encoding);
    UnitForm form;
    if (encoding.mask || (payload->order && payload->order->skipsZeros()))
        form.node = FormNode::Sparse;
    return form;
}

Result<std::vector<std::byte>> buildSection(const BuildTarget &target,
                                            const std::vector<BuildWeight> &weights)
{
    WeightSection section;
    section.codegen = target.codegen;
    section.target = target.name;
    if (target.name.size() > 16 || target.cores == 0 || weights.empty())
        return buildError("target", "a name of at most 16 bytes, cores, weights", target.name);
    std::vector<Built> built;
    std::set<std::string> names;
    for (const BuildWeight &weight : weights) {
        if (weight.decoder == nullptr || weight.name.empty() || !names.insert(weight.name).second)
            return buildError("name", "weights of different names", weight.name);
        TRY(WeightBuilder(target, weight).build(built));
    }
    if (built.size() > kMaxUnits)
        return buildError("units", fmt::format("at most {}", kMaxUnits),
                          fmt::format("{}", built.size()));
    const auto bytes = assemble(section, built);
    return writeSection(section, bytes);
}

} // namespace kernscope::section
