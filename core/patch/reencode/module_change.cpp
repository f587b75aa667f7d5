// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/reencode/module_change.h"

#include "core/base/overlaid_file.h"
#include "core/base/sha256.h"
#include "core/container/aimodel/package.h"
#include "core/container/mlir/kinds.h"
#include "core/format/table_rows.h"
#include "core/patch/reencode/reencoder.h"

#include <algorithm>

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
    const auto at = std::find_if(rows.begin(), rows.end(),
                                 [&](const Row &row) { return row.operation == operation; });
    return at == rows.end() ? 0 : at->since;
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
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const mlir::KindRow &each) {
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

/// As the platform's own builder stores constants (coreai-format.md, section 6).
Result<std::uint32_t> ModuleChange::constantOf(std::span<const std::byte> bytes,
                                               std::uint64_t elements, unsigned bits,
                                               bool smallFloat)
{
    constexpr std::uint64_t kMostInline = 255;
    const std::size_t one = bits < 8 ? 1 : bits / 8;
    bool splat = bytes.size() >= one;
    for (std::size_t i = one; i < bytes.size() && splat; ++i)
        splat = bytes[i] == bytes[i - one];
    splat = splat && (bits >= 8 || bytes.front() == std::byte{0});
    Result<std::uint32_t> value = std::uint32_t{0};
    if (splat || (elements <= kMostInline && bits >= 8 && !smallFloat)) {
        const auto stored = splat ? bytes.first(one) : bytes;
        value = m_edit.attribute("serialization.dense_elements",
                                 {{{splat ? 1U : 0U}, {stored.size()}}, stored});
    } else {
        const std::uint64_t handle = m_edit.resource(
            "weight", kBlobAlignment, std::vector<std::byte>(bytes.begin(), bytes.end()));
        value = m_edit.attribute("serialization.dense_resource", {{{handle}}, {}});
    }
    return value ? m_edit.properties(kConstant, {*value}) : value;
}

Result<std::uint32_t> ModuleChange::ownConstant(std::span<const std::byte> bytes)
{
    const std::uint64_t handle = m_edit.resource(
        "weight", kBlobAlignment, std::vector<std::byte>(bytes.begin(), bytes.end()));
    const auto value = m_edit.attribute("serialization.dense_resource", {{{handle}}, {}});
    return value ? m_edit.properties(std::string(kConstant), {*value}) : value;
}

Result<BundlePtr> ModuleChange::open()
{
    TRY(raiseVersion());
    m_edit.dropUnused();
    auto written = TRY(mlir::writeModule(m_module, &m_edit));
    Sha256 sum;
    sum.update(written);
    const auto digest = TRY(sum.finish());
    std::map<std::size_t, std::vector<std::byte>> files{{m_file, std::move(written)}};
    if (const auto hash = m_bundle.fileByPath(aimodel::kHashFile))
        files[*hash].assign(digest.begin(), digest.end());
    return openWith(m_bundle, std::move(files));
}

} // namespace kernscope::patch
