// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/readers.h"

#include "core/base/error_builder.h"
#include "core/bundle/piece_order.h"
#include "core/container/section/layout.h"
#include "core/format/kernel_format.h"

#include <fmt/format.h>

namespace kernscope {

/// What each byte of a weight section is for: header, names, units and the sections of their
/// payloads. `weights` are those of the bundle; a unit's bytes belong to the one of its name.
std::vector<ByteClaim> claimsOfSection(const section::WeightSection &section,
                                       const std::vector<Weight> &weights);

/// The mask at the front of a sound sparse unit's coefficients.
ByteRange maskRange(const section::Unit &unit);

namespace {

using section::Kind;

SectionKind kindOf(Kind kind, const section::Unit &unit)
{
    switch (kind) {
    case Kind::Lut:
    case Kind::Pal: return SectionKind::Codebook;
    case Kind::Ocgs: return SectionKind::Metadata;
    case Kind::Scale: return SectionKind::Scale;
    case Kind::Bias: return SectionKind::Values;
    case Kind::Weights: break;
    }
    return unit.has(Kind::Pal) ? SectionKind::Indices : SectionKind::Data;
}

/// Biases and the activation table are weights of their own, behind the coefficients.
std::size_t ownerOf(Kind kind, std::size_t weight, const std::vector<Weight> &weights)
{
    constexpr std::size_t kMostBehind = 2;
    if (weight >= weights.size() || (kind != Kind::Bias && kind != Kind::Lut))
        return weight;
    const WeightRole role = kind == Kind::Bias ? WeightRole::Bias : WeightRole::ActivationTable;
    for (std::size_t i = weight + 1; i < weights.size() && i <= weight + kMostBehind; ++i) {
        if (weights[i].role == role && weights[i].beside == weight)
            return i;
    }
    return weight;
}

void claimUnit(const section::WeightSection &section, std::size_t number,
               const std::vector<std::size_t> &weightOf, const std::vector<Weight> &weights,
               std::vector<ByteClaim> &claims)
{
    const section::Unit &unit = section.units[number];
    const std::size_t weight = weightOf[number];
    std::size_t of = weight;
    const auto add = [&](ByteRange range, SectionKind kind, std::string_view what) {
        if (range.bytes.value == 0)
            return; // no number of a core survives
        claims.push_back({range, kind, fmt::format("{} core {}: {}", unit.name, unit.core, what),
                          of < weights.size() ? of : kNoIndex});
    };
    add({FileOffset(section.unitTable + number * section::kUnitBytes),
         ByteCount(section::kUnitBytes)},
        SectionKind::Metadata, "unit");
    if (unit.fault)
        return;
    for (std::size_t kind = 0; kind < section::kKinds; ++kind) {
        const auto entry = static_cast<Kind>(kind);
        if (!unit.has(entry))
            continue;
        const ByteRange range = unit.range(entry);
        const auto name = format::unitSectionName(entry);
        of = ownerOf(entry, weight, weights);
        if (entry != Kind::Weights || !unit.sparse()) {
            add(range, kindOf(entry, unit), name);
            continue;
        }
        const ByteRange mask = maskRange(unit);
        add(mask, SectionKind::Mask, "mask");
        add({FileOffset(mask.end()), ByteCount(range.bytes.value - mask.bytes.value)},
            SectionKind::Values, "values");
    }
}

constexpr std::size_t kMostChunks = 64; // whose lanes are listed

/// Element type of coefficients that are stored as they are; Unknown where none is known.
ElementType coefficientType(std::uint32_t kernelFormat, unsigned bits)
{
    ElementType type = ElementType::Unknown;
    switch (kernelFormat) {
    case 1: type = ElementType::Int8; break;
    case 2: type = ElementType::Uint8; break;
    case 3: type = ElementType::Int16; break;
    case 4: type = ElementType::Fp16; break;
    case 5: type = ElementType::Fp8E4M3Fn; break;
    case 6: type = ElementType::Fp32; break;
    case 31: type = ElementType::Int4; break;
    default: break;
    }
    return bitWidth(type) == bits ? type : ElementType::Unknown;
}

ElementType paletteEntryType(std::uint32_t paletteFormat)
{
    const auto entry = format::paletteEntryFormat(format::KernelFormat(paletteFormat));
    return entry ? coefficientType(entry->value, entry->value == 4 ? 16 : 8) : ElementType::Unknown;
}

class SectionWeights
{
public:
    SectionWeights(const section::WeightSection &section, std::span<const std::byte> bytes)
        : m_section(section), m_bytes(bytes)
    {
    }

    void read(std::vector<Weight> &out)
    {
        for (const section::UnitGroup &group : m_section.groups) {
            const std::size_t weight = out.size();
            out.push_back(weightOf(group));
            if (out.back().fault)
                continue;
            if (first(group).has(Kind::Bias))
                out.push_back(biasesOf(group, weight));
            if (first(group).has(Kind::Lut))
                out.push_back(tableOf(group, weight));
        }
    }

private:
    const section::Unit &first(const section::UnitGroup &group) const
    {
        return m_section.units[group.units.front()];
    }
    Weight weightOf(const section::UnitGroup &group) const
    {
        const section::Unit &unit = first(group);
        Weight weight;
        weight.name = group.name;
        weight.shape = {unit.outputs, unit.inputs, unit.depth, unit.height, unit.width};
        if (unit.depth == 1)
            weight.shape.erase(weight.shape.begin() + 2);
        weight.fault = group.fault ? group.fault : unreadable(unit);
        codec::Encoding encoding;
        encoding.type = ElementType::Fp16;
        encoding.shape = weight.shape;
        if (weight.fault) {
            finish(weight, std::move(encoding));
            weight.form = StorageForm();
            return weight;
        }
        addCoefficients(weight, encoding, group);
        if (unit.has(Kind::Scale))
            addScales(weight, encoding, group);
        weight.dealing.groups = unit.groups;
        weight.detail.emplace_back("cores", std::uint64_t{unit.cores});
        weight.detail.emplace_back("groups", std::uint64_t{unit.groups});
        weight.detail.emplace_back("kernel_format", std::uint64_t{unit.kernelFormat});
        for (const lanes::Chunk &chunk : group.chunks) {
            if (weight.dealing.lanes.size() < kMostChunks)
                weight.dealing.lanes.push_back(chunk.lanes);
        }
        weight.detail.emplace_back("lanes", weight.dealing.lanes);
        finish(weight, std::move(encoding));
        return weight;
    }

    Weight biasesOf(const section::UnitGroup &group, std::size_t beside) const
    {
        Weight weight;
        weight.name = fmt::format("{}: bias", group.name);
        weight.role = WeightRole::Bias;
        weight.beside = beside;
        weight.shape = {first(group).outputs};
        codec::Encoding encoding;
        encoding.shape = weight.shape;
        encoding.payload = operandAt(codec::PartRole::Data, ElementType::Fp16, weight.shape,
                                     placeOf(group, Kind::Bias, codec::PartRole::Data),
                                     section::channelOrder(m_section, group, Kind::Bias));
        finish(weight, std::move(encoding));
        return weight;
    }

    /// The activation table: of core 0, where all cores have one.
    Weight tableOf(const section::UnitGroup &group, std::size_t beside) const
    {
        Weight weight;
        weight.name = fmt::format("{}: activation table", group.name);
        const ByteRange range = first(group).range(Kind::Lut);
        weight.shape = {range.bytes.value / 2};
        weight.role = WeightRole::ActivationTable;
        weight.beside = beside;
        OperandPlace place = placeAt(0, {range.offset, ByteCount(weight.shape.front() * 2)});
        place.pieces = {{range.offset, place.bytes}};
        place.lock = EditLock::ActivationTable;
        auto order = pieceOrder(place.pieces, 16);
        codec::Encoding encoding;
        encoding.shape = weight.shape;
        encoding.payload = operandAt(codec::PartRole::Data, ElementType::Fp16, weight.shape,
                                     std::move(place), std::move(order));
        finish(weight, std::move(encoding));
        return weight;
    }

    void addCoefficients(Weight &weight, codec::Encoding &encoding,
                         const section::UnitGroup &group) const
    {
        const section::Unit &unit = first(group);
        const unsigned bits = unit.entry(Kind::Weights).bitDepth;
        const bool palette = unit.has(Kind::Pal);
        const bool same = !palette || section::samePalettes(m_section, group, m_bytes);
        const ElementType type =
            palette ? unsignedType(bits) : coefficientType(unit.kernelFormat, bits);
        const auto role = palette         ? codec::PartRole::Indices
                          : unit.sparse() ? codec::PartRole::NonzeroData
                                          : codec::PartRole::Data;
        const auto order = section::coefficientOrder(m_section, group, !same);
        OperandPlace place = placeOf(group, Kind::Weights, role);
        if (unit.sparse()) { // the values that are stored, read as the whole tensor by their order
            place.declared = DeclaredTensor{type, {place.bytes.value / 2}};
            encoding.mask =
                operandAt(codec::PartRole::Mask, ElementType::Uint1, weight.shape,
                          placeOf(group, Kind::Weights, codec::PartRole::Mask), order->mask());
        }
        encoding.payload = operandAt(role, type, weight.shape, std::move(place), order);
        encoding.type = type;
        if (!palette)
            return;
        const section::Entry &pal = unit.entry(Kind::Pal);
        const auto books = section::paletteOrder(m_section, group, same);
        const ElementType entries = paletteEntryType(pal.paletteFormat);
        const Shape shape{books.tables, books.entries};
        OperandPlace lut = placeOf(group, Kind::Pal, codec::PartRole::Lut);
        if (same) {
            // The order reads core 0's, wherever in the file it lies.
            const ByteRange first = unit.range(Kind::Pal);
            for (const ByteRange &piece : lut.pieces) {
                if (piece != first)
                    lut.copies.push_back(piece);
            }
            lut.pieces = {first};
            lut.dataOffset = lut.metaOffset = first.offset;
            lut.bytes = first.bytes;
        }
        codec::Palette step;
        step.lut = operandAt(codec::PartRole::Lut, entries, shape, std::move(lut), books.order);
        step.entries = books.entries;
        encoding.palette = std::move(step);
        encoding.type = entries;
        weight.detail.emplace_back("n_bits", std::uint64_t{bits});
        weight.detail.emplace_back("codebooks", std::uint64_t{pal.count});
        weight.detail.emplace_back("vector_size", std::uint64_t{unit.vectorSize});
    }

    void addScales(Weight &weight, codec::Encoding &encoding, const section::UnitGroup &group) const
    {
        const Shape shape{weight.shape.front()};
        codec::Scaling scaling;
        scaling.kind = codec::Scaling::Kind::Affine;
        scaling.scale = operandAt(codec::PartRole::Scale, ElementType::Fp16, shape,
                                  placeOf(group, Kind::Scale, codec::PartRole::Scale),
                                  section::channelOrder(m_section, group, Kind::Scale));
        encoding.scaling = std::move(scaling);
        encoding.type = ElementType::Fp16;
    }

    OperandPlace placeOf(const section::UnitGroup &group, Kind kind, codec::PartRole role) const
    {
        OperandPlace place;
        place.file = 0;
        std::uint64_t bytes = 0;
        for (const std::size_t unit : group.units) {
            const section::Unit &one = m_section.units[unit];
            ByteRange range = one.range(kind);
            if (role == codec::PartRole::Mask)
                range = maskRange(one);
            else if (role == codec::PartRole::NonzeroData)
                range = {FileOffset(maskRange(one).end()),
                         ByteCount(range.bytes.value - maskRange(one).bytes.value)};
            bytes += range.bytes.value;
            place.pieces.push_back(range);
        }
        std::ranges::sort(place.pieces);
        place.bytes = ByteCount(bytes);
        place.dataOffset = place.metaOffset = place.pieces.front().offset;
        return place;
    }

    void finish(Weight &weight, codec::Encoding encoding) const
    {
        weight.elements = elementCount(weight.shape).value_or(ElementCount());
        weight.type = encoding.type;
        weight.sourceOp = "section";
        weight.form = weight.role == WeightRole::ActivationTable
                          ? StorageForm::activationTable(std::move(encoding))
                          : StorageForm(std::move(encoding));
        std::uint64_t stored = 0;
        for (const codec::Operand &operand : weight.operands())
            stored += operand.place ? operand.place->bytes.value : 0;
        weight.storedBytes = ByteCount(stored);
    }

    std::optional<Error> unreadable(const section::Unit &unit) const
    {
        const unsigned bits = unit.entry(Kind::Weights).bitDepth;
        std::string found;
        if ((unit.flags & section::Asymmetric) != 0)
            found = "asymmetric coefficients, whose zero points a section does not hold";
        else if (!unit.has(Kind::Pal) &&
                 coefficientType(unit.kernelFormat, bits) == ElementType::Unknown)
            found = fmt::format("kernel format {} with {} bits", unit.kernelFormat, bits);
        else if (unit.sparse() && (unit.has(Kind::Pal) || unit.kernelFormat != 4))
            found = "a mask with values other than fp16";
        if (found.empty())
            return std::nullopt;
        return valueError({{}, FileOffset(unit.payload)}, "section.form", unit.name,
                          "a form that can be decoded", found,
                          "The coefficients of this unit cannot be decoded");
    }

    const section::WeightSection &m_section;
    std::span<const std::byte> m_bytes;
};

void readSection(ContainerInput &input, ContainerContents &out)
{
    BundleFile &file = input.files.front();
    file.role = SectionKind::Values;
    const auto bytes = file.file->bytes();
    auto read = section::readSection(bytes, file.path);
    if (!read)
        return out.log.add(Severity::Error, std::move(read.error()));
    out.log.add(read->diagnostics);
    SectionWeights(*read, bytes).read(out.weights);
    out.claims[0] = claimsOfSection(*read, out.weights);
    for (const Weight &weight : out.weights) {
        file.payloadBytes = ByteCount(
            checkedAdd(file.payloadBytes.value, weight.storedBytes.value).value_or(UINT64_MAX));
        if (weight.fault && weight.fault->code == "section.form")
            out.log.add(Severity::Warning, *weight.fault);
    }
    out.section = std::make_shared<const section::WeightSection>(std::move(*read));
}

} // namespace

ByteRange maskRange(const section::Unit &unit)
{
    const std::uint64_t bits = unit.channels() * unit.steps(); // the reader checked them
    return {unit.range(section::Kind::Weights).offset, ByteCount((bits + 7) / 8)};
}

std::vector<ByteClaim> claimsOfSection(const section::WeightSection &section,
                                       const std::vector<Weight> &weights)
{
    std::map<std::string, std::size_t> byName;
    for (std::size_t i = 0; i < weights.size(); ++i)
        byName.try_emplace(weights[i].name, i);
    std::vector<std::size_t> weightOf(section.units.size(), kNoIndex);
    for (const section::UnitGroup &group : section.groups) {
        for (const auto *units : {&group.units, &group.idle}) {
            for (const std::size_t unit : *units)
                weightOf[unit] = byName.at(group.name);
        }
    }
    std::vector<ByteClaim> claims{
        {{FileOffset(0), ByteCount(section::kHeaderBytes)}, SectionKind::Header, "header"},
        {{FileOffset(section.pool), ByteCount(section.poolBytes)}, SectionKind::Metadata, "names"}};
    for (std::size_t unit = 0; unit < section.units.size(); ++unit)
        claimUnit(section, unit, weightOf, weights, claims);
    return claims;
}

const ContainerReader &sectionReader()
{
    static const ContainerReader reader{
        .kind = BundleKind::Section,
        .key = "section",
        .name = "a weight section (.ksec)",
        .wanted = "a .ksec",
        .endings = {".ksec"},
        .knows = [](auto bytes, auto) { return section::isSection(bytes); },
        .read = readSection,
        .helpPage = "weight-sections",
        .fuzzTarget = "fuzz_section"};
    return reader;
}

} // namespace kernscope
