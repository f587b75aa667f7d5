// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/reencode/module_reencoder.h"

#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/base/sha256.h"
#include "core/codec/decode/decoder.h"
#include "core/container/aimodel/package.h"
#include "core/format/table_rows.h"
#include "core/patch/reencode/reencoder.h"

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

constexpr std::uint64_t kBlobAlignment = 16;

/// First date of the library that knows an operation; 0: not known.
std::uint64_t sinceOf(std::string_view operation)
{
    struct Row {
        std::string operation;
        std::uint32_t since = 0;
    };
    static const auto rows = tables::loadRows<Row>(
        "coreai_since", {{"operation", &Row::operation}, {"since", &Row::since}});
    const auto at = std::ranges::find(rows, operation, &Row::operation);
    return at == rows.end() ? 0 : at->since;
}

using codec::EncodedPart;
using codec::EncodedWeight;
using codec::PartRole;
using mlir::NewOperation;

tl::unexpected<Error> noForm(std::string expected, std::string found, std::string message)
{
    return refused("encode.form", "form", expected, found, message);
}

constexpr std::string_view kShiftScale = "primitive.blockwise_shift_scale";
constexpr unsigned kShiftScaleVersion = 2;

bool hasSecondOffset(const std::string &operation)
{
    return operation.ends_with("_v2");
}

std::uint64_t elementBytes(unsigned bits)
{
    return bits < 8 ? 1 : bits / 8;
}

/// Whether one element stands for all of a constant, as the platform's own builder stores them
/// (coreai-format.md, section 6).
bool isSplat(std::span<const std::byte> bytes, unsigned bits)
{
    const std::size_t one = elementBytes(bits);
    bool splat = bytes.size() >= one;
    for (std::size_t i = one; i < bytes.size() && splat; ++i)
        splat = bytes[i] == bytes[i - one];
    return splat && (bits >= 8 || bytes.front() == std::byte{0});
}

/// The operations that make one weight in its new form.
class FormWriter
{
public:
    FormWriter(ModuleChange &change, const Weight &weight, const EncodedWeight &encoded)
        : m_change(change), m_weight(weight), m_encoded(encoded)
    {
    }

    /// The last one has `result`.
    Result<std::vector<NewOperation>> run(std::uint32_t result)
    {
        const EncodedPart *indices = m_encoded.part(PartRole::Indices);
        const EncodedPart *data = m_encoded.part(PartRole::Data);
        Made made = std::uint32_t{0};
        if (m_encoded.part(PartRole::Mask))
            made = sparse();
        else if (indices && m_encoded.scaling)
            made = scaled(palette(*indices, m_encoded.shape), m_encoded.part(PartRole::Lut)->type);
        else if (indices)
            made = palette(*indices, m_encoded.shape);
        else if (m_encoded.scaling)
            made = scaled(constant(*data, m_encoded.shape), data->type);
        else
            made = constant(m_encoded.parts.front(), m_encoded.shape);
        if (made && m_weight.type != m_encoded.type)
            made = operation(m_change.versionOf("primitive.cast", 1),
                             m_change.tensorType(m_weight.type, m_encoded.shape), {made});
        if (!made)
            return tl::unexpected(std::move(made.error()));
        m_operations.back().results = {result};
        return std::move(m_operations);
    }

private:
    /// A value, or the first fault.
    using Made = Result<std::uint32_t>;

    Made constant(const EncodedPart &stored, const Shape &shape)
    {
        const bool smallFloat = isFloatingPoint(stored.type) && bitWidth(stored.type) <= 8;
        const auto count = elementCount(shape);
        auto properties = m_change.constantOf(stored.bytes, count ? count->value : 0,
                                              bitWidth(stored.type), smallFloat);
        if (!properties)
            return properties;
        auto made = operation(m_change.versionOf("primitive.constant", 1),
                              m_change.tensorType(stored.type, shape), {});
        if (made)
            m_operations.back().properties = *properties;
        return made;
    }

    Made zeros(ElementType type, const Shape &shape)
    {
        const auto bytes = packedBytes(elementCount(shape).value_or(ElementCount()), type);
        return constant(
            {PartRole::Offset, type, shape, std::vector<std::byte>(bytes ? bytes->value : 0)},
            shape);
    }

    Made axis(std::uint64_t number)
    {
        return constant({PartRole::Data,
                         ElementType::Int16,
                         {},
                         {static_cast<std::byte>(number), std::byte{0}}},
                        {});
    }

    Made operation(std::string name, Made type, std::vector<Made> operands)
    {
        if (!type)
            return type;
        NewOperation made;
        made.name = std::move(name);
        for (Made &each : operands) {
            if (!each)
                return std::move(each);
            made.operands.push_back(*each);
        }
        made.results = {m_change.edit().value(*type)};
        m_operations.push_back(std::move(made));
        return m_operations.back().results.front();
    }

    /// scale * (data - offset); where the library has the second offset, it is 0.
    Made scaled(Made data, ElementType codes)
    {
        const EncodedPart &scale = *m_encoded.part(PartRole::Scale);
        Shape grid = scale.shape;
        if (grid.size() != m_encoded.shape.size()) { // one for each index of an axis, or for all
            const auto count = elementCount(scale.shape).value_or(ElementCount(1));
            grid.assign(m_encoded.shape.size(), 1);
            if (count.value > 1)
                grid[static_cast<std::size_t>(m_encoded.axis)] = count.value;
        }
        const EncodedPart *offset = m_encoded.part(PartRole::Offset);
        if (!offset)
            offset = m_encoded.part(PartRole::ZeroPoint);
        const std::string name = m_change.versionOf(kShiftScale, kShiftScaleVersion);
        std::vector<Made> operands{std::move(data), constant(scale, grid),
                                   offset ? constant(*offset, grid) : zeros(codes, grid)};
        if (hasSecondOffset(name))
            operands.push_back(zeros(m_encoded.type, grid));
        return operation(name, m_change.tensorType(m_encoded.type, m_encoded.shape),
                         std::move(operands));
    }

    Made palette(const EncodedPart &indices, const Shape &shape)
    {
        if (shape.empty())
            return noForm("at least one axis", "none",
                          "A table of a Core AI package is read along an axis of the weight");
        const EncodedPart &lut = *m_encoded.part(PartRole::Lut);
        Shape table = m_encoded.grid;
        if (table.size() != shape.size()) // of a list of survivors
            table.assign(shape.size(), 1);
        table.insert(table.end(), {m_encoded.entries, m_encoded.vector});
        return operation(m_change.versionOf("primitive.lut_to_dense", 1),
                         m_change.tensorType(lut.type, shape),
                         {constant(indices, indices.shape), constant(lut, table),
                          axis(m_encoded.vector > 1 ? m_encoded.vectorAxis : 0)});
    }

    Made sparse()
    {
        const EncodedPart *indices = m_encoded.part(PartRole::Indices);
        const EncodedPart &kept = indices ? *indices : *m_encoded.part(PartRole::NonzeroData);
        const std::uint64_t count = elementCount(kept.shape).value_or(ElementCount()).value;
        const ElementType element = indices ? m_encoded.part(PartRole::Lut)->type : kept.type;
        if (indices && elementCount(m_encoded.grid).value_or(ElementCount()).value != 1)
            return noForm("one codebook", "several",
                          "A sparse weight of a Core AI package has one codebook");
        if (m_encoded.scaling && (m_encoded.part(PartRole::Offset) || !isSignedInteger(kept.type)))
            return noForm("signed codes without an offset", std::string(elementTypeName(kept.type)),
                          "Elements that are not stored are code 0, which an offset makes another "
                          "value than 0");
        const std::string name(elementTypeName(element));
        Made values = indices ? palette(*indices, {count}) : constant(kept, kept.shape);
        Made packed = operation(
            m_change.versionOf("primitive.build_sparse_with_bitmask", 1),
            m_change.tensorType(name, m_encoded.shape, count),
            {std::move(values), constant(*m_encoded.part(PartRole::Mask), m_encoded.shape)});
        Made dense = operation(m_change.versionOf("primitive.sparse_with_bitmask_to_dense", 1),
                               m_change.tensorType(element, m_encoded.shape), {std::move(packed)});
        return m_encoded.scaling ? scaled(std::move(dense), element) : dense;
    }

    ModuleChange &m_change;
    const Weight &m_weight;
    const EncodedWeight &m_encoded;
    std::vector<NewOperation> m_operations;
};

/// Weights decode to what was encoded. The runtime rounds some forms in other steps than programs
/// of Core ML do (coreai-format.md, section 7): by at most two units of half precision.
Result<void> verifyModule(const Bundle &bundle, const Bundle &made,
                          std::span<const Reencoding> weights)
{
    constexpr double kRounding = 1.0 / 512;
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < made.weights().size(); ++i)
        places.emplace(made.weights()[i].address(), i);
    for (const Reencoding &each : weights) {
        const Weight &weight = bundle.weights()[each.weight];
        const auto place = places.find(weight.address());
        std::string found =
            place == places.end()
                ? std::string("no such weight")
                : differenceTo(*each.encoded, made.decoder(place->second), kRounding);
        if (!found.empty())
            return refused("encode.verify", weight.name, "the values that were encoded",
                           std::move(found), "The new package does not hold what it should");
    }
    return {};
}

} // namespace

ModuleChange::ModuleChange(const Bundle &bundle)
    : m_bundle(bundle), m_file(bundle.programFile()),
      m_module(mlir::readModule(bundle.files()[m_file].file->bytes(), bundle.files()[m_file].path)),
      m_edit(m_module)
{
    for (std::uint32_t i = 0; i < m_module.operations.size(); ++i)
        m_byOffset.emplace(m_module.operations[i].range.offset.value, i);
    readVersion();
}

void ModuleChange::readVersion()
{
    for (std::uint32_t i = 0; i < m_module.operations.size(); ++i) {
        if (m_module.is(m_module.operations[i], "aicode.serialization.asset"))
            m_asset = i;
    }
    if (m_asset == mlir::kNone)
        return;
    const std::uint32_t version = m_module.attributeOf(m_module.operations[m_asset], "version");
    if (version == mlir::kNone)
        return;
    const mlir::Decoded decoded = m_module.attribute(version);
    if (decoded.is("serialization.integer"))
        m_version = decoded.fields.back().value;
}

Result<void> ModuleChange::raiseVersion()
{
    if (m_version == 0 || m_wanted <= m_version)
        return {};
    const auto version =
        TRY(m_edit.attribute("serialization.integer", {{{32}, {1}, {m_wanted}}, {}}));
    const auto properties = TRY(
        m_edit.properties("aicode.serialization.asset",
                          {m_module.attributeOf(m_module.operations[m_asset], "source"), version}));
    m_edit.setProperties(m_asset, properties);
    return {};
}

std::string ModuleChange::versionOf(std::string_view operation, unsigned latest)
{
    std::string name;
    std::uint64_t since = 0;
    for (unsigned version = latest; version > 0; --version) {
        name = fmt::format("{}_v{}", operation, version);
        since = sinceOf(name);
        if (m_version == 0 || since <= m_version)
            break;
    }
    m_wanted = std::max(m_wanted, since);
    return std::string(kAicode) + name;
}

Result<std::uint32_t> ModuleChange::makerOf(const Weight &weight)
{
    if (m_makers.empty()) {
        for (const mil::Function &function : m_bundle.program()->functions) {
            visitOperations(function.body, [&](const mil::Operation &operation) {
                for (const mil::NamedType &output : operation.outputs)
                    m_makers.emplace(std::pair(function.name, output.name), operation.span.offset);
            });
        }
    }
    const auto offset = m_makers.find({weight.function, weight.name});
    const auto at = offset == m_makers.end() ? m_byOffset.end() : m_byOffset.find(offset->second);
    if (at == m_byOffset.end() || m_module.operations[at->second].results.count != 1)
        return refused("encode.program", weight.name, "an operation that makes the weight alone",
                       weight.sourceOp, "The module has no operation that could be replaced");
    return at->second;
}

Result<std::uint32_t> ModuleChange::tensorType(ElementType element, const Shape &shape)
{
    return tensorType(elementTypeName(element), shape);
}

Result<std::uint32_t> ModuleChange::tensorType(std::string_view element, const Shape &shape,
                                               std::optional<std::uint64_t> nonZeros)
{
    const auto rows = mlir::kindRows();
    const auto row = std::ranges::find_if(rows, [&](const mlir::KindRow &each) {
        return each.type && each.dialect == "aicode" && each.element == element;
    });
    if (row == rows.end())
        return refused("encode.form", "form", "a type that Core AI has", std::string(element),
                       "Core AI has no such elements");
    const auto type = m_edit.type(row->name, {});
    if (!type)
        return type;
    mlir::FieldValues values{{{shape.begin(), shape.end()}, {*type}}, {}};
    if (nonZeros) {
        const auto encoding =
            m_edit.attribute("sparse_tensor_encoding_v1", {{{0}, {1}, {1}, {*nonZeros}}, {}});
        if (!encoding)
            return encoding;
        values.columns.push_back({*encoding});
    }
    return m_edit.type("tensor_v1", values);
}

Result<std::uint32_t> ModuleChange::constantOf(std::span<const std::byte> bytes,
                                               std::uint64_t elements, unsigned bits,
                                               bool smallFloat)
{
    constexpr std::uint64_t kMostInline = 255;
    const bool splat = isSplat(bytes, bits);
    if (!splat && (elements > kMostInline || bits < 8 || smallFloat))
        return ownConstant(bytes);
    const auto stored = splat ? bytes.first(elementBytes(bits)) : bytes;
    const auto value = m_edit.attribute("serialization.dense_elements",
                                        {{{splat ? 1U : 0U}, {stored.size()}}, stored});
    return value ? m_edit.properties(kConstant, {*value}) : value;
}

Result<std::uint32_t> ModuleChange::ownConstant(std::span<const std::byte> bytes)
{
    const std::uint64_t handle = m_edit.resource(
        "weight", kBlobAlignment, std::vector<std::byte>(bytes.begin(), bytes.end()));
    const auto value = m_edit.attribute("serialization.dense_resource", {{{handle}}, {}});
    return value ? m_edit.properties(kConstant, {*value}) : value;
}

Result<BundlePtr> ModuleChange::open()
{
    TRY(raiseVersion());
    m_edit.dropUnused();
    auto written = TRY(mlir::writeModule(m_module, &m_edit));
    Sha256 sum;
    sum.update(written);
    const auto digest = TRY(sum.finish());
    const BundleFile &own = m_bundle.files()[m_file];
    if (m_bundle.path() == own.file->path()) { // opened by itself, and written so
        OpenOptions options;
        options.memory.emplace_back(own.path, std::move(written));
        return Bundle::open(m_bundle.name(), options);
    }
    std::map<std::size_t, std::vector<std::byte>> files{{m_file, std::move(written)}};
    if (const auto hash = m_bundle.fileByPath(aimodel::kHashFile))
        files[*hash].assign(digest.begin(), digest.end());
    return openWith(m_bundle, std::move(files));
}

Result<BundlePtr> reencodeModule(const Bundle &bundle, std::span<const Reencoding> weights)
{
    ModuleChange change(bundle);
    std::set<std::uint32_t> replaced;
    for (const Reencoding &each : weights) {
        const Weight &weight = bundle.weights()[each.weight];
        TRY(checkForm(weight, *each.encoded, true));
        const auto maker = TRY(change.makerOf(weight));
        if (!replaced.insert(maker).second)
            return refused("encode.program", weight.name, "each weight once", "twice",
                           "A weight cannot get two forms");
        auto operations = FormWriter(change, weight, *each.encoded)
                              .run(change.module().operations[maker].results.first);
        if (!operations)
            return ErrorBuilder(std::move(operations.error())).field(weight.name).unexpected();
        change.edit().replace(maker, std::move(*operations));
    }
    auto made = change.open();
    if (!made)
        return made;
    TRY(verifyModule(bundle, **made, weights));
    return made;
}

} // namespace kernscope::patch

namespace kernscope {

std::uint64_t StoredParts::bytesOf(const codec::EncodedPart &part) const
{
    const unsigned bits = bitWidth(part.type);
    return inModule && patch::isSplat(part.bytes, bits) ? patch::elementBytes(bits)
                                                        : part.bytes.size();
}

std::uint64_t StoredParts::offsetBytes(const codec::EncodedWeight &encoded) const
{
    using codec::PartRole;
    if (!inModule || !encoded.scaling)
        return 0;
    std::uint64_t bytes = secondOffset ? patch::elementBytes(bitWidth(encoded.type)) : 0;
    if (encoded.part(PartRole::Offset) || encoded.part(PartRole::ZeroPoint))
        return bytes;
    for (const PartRole role : {PartRole::Lut, PartRole::Data, PartRole::NonzeroData}) {
        if (const auto *codes = encoded.part(role))
            return bytes + patch::elementBytes(bitWidth(codes->type));
    }
    return bytes;
}

StoredParts storedParts(const Bundle &bundle)
{
    if (bundle.kind() != BundleKind::Aimodel || bundle.programFile() == kNoIndex)
        return {};
    return {true, patch::hasSecondOffset(patch::ModuleChange(bundle).versionOf(
                      patch::kShiftScale, patch::kShiftScaleVersion))};
}

} // namespace kernscope
