// SPDX-License-Identifier: GPL-3.0-or-later
// A folder that `quantize` wrote: quantize.json, and the bytes of one matrix.
#include "core/container/quantized/weights/quantized_reader.h"

#include "core/base/quantity.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope {

namespace {

using Json = nlohmann::json;
using codec::PartRole;

constexpr std::string_view kManifestName = "quantize.json";
constexpr std::size_t kMostManifestBytes = std::size_t(1) << 20;

Error quantizedFault(std::string field, std::string expected, std::string found,
                     std::string message)
{
    Error error;
    error.code = "quantize.manifest";
    error.file = std::string(kManifestName);
    error.field = std::move(field);
    error.expected = std::move(expected);
    error.found = std::move(found);
    error.message = std::move(message);
    return error;
}

/// What quantize.json says of the matrix.
struct Quantized {
    std::string format, name, layout = "nd", exponents = "nd";
    std::uint64_t rows = 0, columns = 0, valid = 0, axis = 1;

    bool microscaled() const { return format == "mxfp8" || format == "mxfp4"; }
};

std::string wordOf(const Json &json, const char *key, const char *fallback)
{
    const auto at = json.find(key);
    const auto *word = at == json.end() ? nullptr : at->get_ptr<const std::string *>();
    return word != nullptr ? *word : std::string(fallback);
}

std::uint64_t numberOf(const Json &json, const char *key, std::uint64_t fallback)
{
    const auto at = json.find(key);
    return at != json.end() && at->is_number_unsigned() ? at->get<std::uint64_t>() : fallback;
}

/// The stem of the array that was quantised.
std::string nameOf(const Json &json)
{
    std::string name = wordOf(json, "input", "");
    name.erase(0, name.rfind('/') + 1);
    if (name.ends_with(".npy"))
        name.resize(name.size() - 4);
    return name.empty() ? "matrix" : name;
}

Result<Quantized> readQuantized(std::span<const std::byte> bytes)
{
    const auto *text = reinterpret_cast<const char *>(bytes.data());
    const bool small = bytes.size() <= kMostManifestBytes;
    const Json json = small ? Json::parse(text, text + bytes.size(), nullptr, false) : Json();
    if (!json.is_object())
        return tl::unexpected(quantizedFault("", "a JSON object", "something else",
                                             "The description cannot be read"));
    Quantized found;
    found.format = wordOf(json, "format", "");
    if (!found.microscaled() && found.format != "int8" && found.format != "uint8")
        return tl::unexpected(quantizedFault("format", "mxfp8, mxfp4, int8 or uint8", found.format,
                                             "This is no format of quantize"));
    found.name = nameOf(json);
    found.layout = wordOf(json, "layout", "nd");
    found.exponents = wordOf(json, "exponent_layout", "nd");
    found.rows = numberOf(json, "rows", 0);
    found.valid = numberOf(json, "columns", 0);
    found.columns = numberOf(json, "columns_stored", found.valid);
    found.axis = numberOf(json, "axis", 1);
    const auto count = checkedMultiply(found.rows, found.columns);
    const auto bits = count ? checkedMultiply(*count, 64) : std::nullopt;
    if (!bits || *count == 0 || found.axis > 1)
        return tl::unexpected(quantizedFault("rows", "a matrix with elements",
                                             fmt::format("{} x {}", found.rows, found.columns),
                                             "The description has no matrix"));
    return found;
}

/// Makes the weight of a folder from its description.
class QuantizedWeight
{
public:
    QuantizedWeight(const Quantized &matrix, const std::vector<BundleFile> &files)
        : m_matrix(matrix), m_files(files)
    {
    }

    Weight make()
    {
        m_weight.name = m_weight.opName = m_matrix.name;
        m_weight.sourceOp = "quantize";
        m_weight.type = m_encoding.type = ElementType::Fp32;
        m_weight.shape = m_encoding.shape = {m_matrix.rows, m_matrix.columns};
        m_weight.elements = ElementCount(m_matrix.rows * m_matrix.columns);
        m_weight.detail = {{"format", m_matrix.format}};
        m_matrix.microscaled() ? addGroups() : addRows();
        std::uint64_t stored = 0;
        for (const Part &part : m_weight.parts)
            stored += part.bytes.value;
        m_weight.storedBytes = ByteCount(stored);
        m_weight.form = StorageForm(std::move(m_encoding));
        if (m_weight.fault)
            m_weight.form.dropEncoding();
        return std::move(m_weight);
    }

private:
    codec::Operand add(PartRole role, ElementType type, Shape shape, std::string_view path)
    {
        const codec::Operand operand{role, type, shape, {}};
        const auto count = elementCount(shape).value_or(ElementCount());
        const ByteCount bytes = packedBytes(count, type).value_or(ByteCount());
        std::size_t file = 0;
        while (file < m_files.size() && m_files[file].path != path)
            ++file;
        const ByteCount found = file < m_files.size() ? m_files[file].file->size() : ByteCount();
        if (found != bytes && !m_weight.fault)
            m_weight.fault = quantizedFault(
                std::string(path), fmt::format("{} bytes", bytes.value),
                file < m_files.size() ? fmt::format("{} bytes", found.value) : "no such file",
                "A file of the matrix does not have its length");
        if (file == m_files.size())
            return operand;
        Part part;
        part.role = role;
        part.type = type;
        part.shape = std::move(shape);
        part.bytes = std::min(found, bytes);
        part.file = file;
        m_weight.parts.push_back(std::move(part));
        return operand;
    }

    void addGroups()
    {
        constexpr std::uint64_t kGroup = 32;
        const bool across = m_matrix.axis == 1;
        if (m_matrix.layout != "nd" || m_matrix.exponents != "nd")
            m_weight.fault = quantizedFault("layout", "row-major data and exponents (nd)",
                                            m_matrix.layout + " and " + m_matrix.exponents,
                                            "Matrices in boxes are shown by dequantize only");
        if ((across ? m_matrix.columns : m_matrix.rows) % kGroup != 0)
            m_weight.fault = quantizedFault("columns_stored", "whole groups of 32",
                                            fmt::format("{} x {}", m_matrix.rows, m_matrix.columns),
                                            "The groups do not divide the matrix");
        const ElementType type =
            m_matrix.format == "mxfp8" ? ElementType::Fp8E4M3Fn : ElementType::Fp4E2M1;
        const Shape groups{across ? m_matrix.rows : m_matrix.rows / kGroup,
                           across ? m_matrix.columns / kGroup : m_matrix.columns};
        m_encoding.payload = add(PartRole::Data, type, m_weight.shape, "data.bin");
        codec::Scaling scaling;
        scaling.kind = codec::Scaling::Kind::Blockwise;
        scaling.scale = add(PartRole::Scale, ElementType::Fp8E8M0, groups, "exp.bin");
        m_encoding.scaling = std::move(scaling);
        m_weight.detail.emplace_back("block", across ? std::vector<std::uint64_t>{1, kGroup}
                                                     : std::vector<std::uint64_t>{kGroup, 1});
        m_weight.detail.emplace_back("valid_columns", m_matrix.valid);
    }

    /// One fp32 scale, and of uint8 one fp32 offset, a row.
    void addRows()
    {
        const bool offsets = m_matrix.format == "uint8";
        const ElementType type = offsets ? ElementType::Uint8 : ElementType::Int8;
        m_encoding.payload = add(PartRole::Data, type, m_weight.shape, "data.bin");
        codec::Scaling scaling;
        scaling.kind = codec::Scaling::Kind::Affine;
        scaling.scale = add(PartRole::Scale, ElementType::Fp32, {m_matrix.rows}, "scale.bin");
        if (offsets)
            scaling.offset =
                add(PartRole::ZeroPoint, ElementType::Fp32, {m_matrix.rows}, "offset.bin");
        m_encoding.scaling = std::move(scaling);
    }

    const Quantized &m_matrix;
    const std::vector<BundleFile> &m_files;
    Weight m_weight;
    codec::Encoding m_encoding;
};

/// Claims of the weight's parts; gives their files their role.
void claimParts(const Weight &weight, std::vector<BundleFile> &files, ContainerContents &out)
{
    for (std::size_t p = 0; p < weight.parts.size(); ++p) {
        const Part &part = weight.parts[p];
        Claim claim;
        claim.range = part.range();
        claim.kind = sectionKindOf(part.role);
        claim.name = fmt::format("{}: {}", weight.name, codec::partRoleName(part.role));
        claim.owner = weight.name;
        claim.weight = out.weights.size();
        claim.part = p;
        out.claims[part.file].push_back(std::move(claim));
        files[part.file].role = SectionKind::Values;
        files[part.file].payloadBytes = part.bytes;
    }
}

class QuantizedReader final : public ContainerReader
{
public:
    BundleKind kind() const override { return BundleKind::Quantized; }
    std::string_view name() const override { return "a folder that quantize wrote"; }
    std::string_view wanted() const override { return "a folder that quantize wrote"; }
    std::string_view folderMark() const override { return kManifestName; }
    /// A folder, never a lone file.
    bool knows(std::span<const std::byte>, std::string_view) const override { return false; }

    void read(ContainerInput &input, ContainerContents &out) const override
    {
        std::vector<BundleFile> &files = input.files;
        const auto manifest = std::find_if(files.begin(), files.end(), [](const BundleFile &file) {
            return file.path == kManifestName;
        });
        if (manifest == files.end()) {
            out.log.add(Severity::Error,
                        quantizedFault("", std::string(kManifestName), "no such file",
                                       "The folder has no description"));
            return;
        }
        manifest->role = SectionKind::Manifest;
        Claim whole;
        whole.range = {FileOffset(0), manifest->file->size()};
        whole.kind = SectionKind::Manifest;
        whole.name = manifest->path;
        const auto matrix = readQuantized(manifest->file->bytes());
        if (matrix) {
            Weight weight = QuantizedWeight(*matrix, files).make();
            if (const auto &fault = weight.fault)
                out.log.add(fault->field == "layout" ? Severity::Warning : Severity::Error, *fault);
            claimParts(weight, files, out);
            out.weights.push_back(std::move(weight));
        } else {
            out.log.add(Severity::Error, matrix.error());
        }
        out.claims[static_cast<std::size_t>(manifest - files.begin())] = {std::move(whole)};
    }
};

} // namespace

const ContainerReader &quantizedReader()
{
    static const QuantizedReader reader;
    return reader;
}

} // namespace kernscope
