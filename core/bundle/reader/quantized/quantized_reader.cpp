// SPDX-License-Identifier: GPL-3.0-or-later
// A folder that `quantize` wrote: quantize.json, and the bytes of one matrix.
#include "core/bundle/reader/quantized/quantized_reader.h"

#include "core/base/error_builder.h"
#include "core/bundle/reader/quantized/box_order.h"
#include "core/codec/microscaled/microscaled.h"
#include "core/container/quantized/folder.h"

#include <fmt/format.h>

namespace kernscope {

namespace {

using codec::PartRole;
using quantized::dataOrder;
using quantized::Description;
using quantized::exponentOrder;
using quantized::manifestFault;

/// Makes the weight of a folder from its description.
class QuantizedWeight
{
public:
    QuantizedWeight(const Description &matrix, const std::vector<BundleFile> &files)
        : m_matrix(matrix), m_files(files)
    {
    }

    Weight make()
    {
        m_weight.name = m_matrix.name;
        m_weight.sourceOp = "quantize";
        m_weight.type = m_encoding.type = ElementType::Fp32;
        m_weight.shape = m_encoding.shape = {m_matrix.rows, m_matrix.columnsStored};
        m_weight.elements = ElementCount(m_matrix.rows * m_matrix.columnsStored);
        m_weight.detail = {{"format", m_matrix.format}};
        m_matrix.microscaled() ? addGroups() : addRows();
        std::uint64_t stored = 0;
        m_weight.form = StorageForm(std::move(m_encoding));
        if (m_weight.fault)
            m_weight.form.dropEncoding();
        for (const codec::Operand &operand : m_weight.operands())
            stored += operand.place->bytes.value;
        // Of files that are missing, the others are no size of the weight.
        m_weight.storedBytes = ByteCount(m_missing ? 0 : stored);
        return std::move(m_weight);
    }

private:
    /// The operand whose bytes are a file; without a place where there is no such file.
    codec::Operand add(PartRole role, ElementType type, Shape shape, std::string_view path,
                       std::shared_ptr<const codec::ElementOrder> order = nullptr)
    {
        const auto count = elementCount(shape).value_or(ElementCount());
        const ByteCount bytes =
            order ? ByteCount(order->extent()) : packedBytes(count, type).value_or(ByteCount());
        std::size_t file = 0;
        while (file < m_files.size() && m_files[file].path != path)
            ++file;
        const ByteCount found = file < m_files.size() ? m_files[file].file->size() : ByteCount();
        if (found != bytes && !m_weight.fault)
            m_weight.fault = lengthFault(path, bytes, file < m_files.size(), found);
        if (file == m_files.size()) {
            m_missing = true;
            return {role, type, std::move(shape), {}};
        }
        OperandPlace place;
        place.bytes = std::min(found, bytes);
        place.file = file;
        return operandAt(role, type, std::move(shape), std::move(place), std::move(order));
    }

    /// Of a file that is there: at the byte where it ends, or where it should.
    static Error lengthFault(std::string_view path, ByteCount bytes, bool there, ByteCount found)
    {
        if (!there)
            return manifestFault(std::string(path), fmt::format("{} bytes", bytes.value),
                                 "no such file", "A file of the matrix is missing");
        return ErrorBuilder("quantize.manifest")
            .file(path)
            .at(FileOffset(std::min(bytes.value, found.value)))
            .expected(fmt::format("{} bytes", bytes.value))
            .found(fmt::format("{} bytes", found.value))
            .message("A file of the matrix does not have its length");
    }

    /// The order of an operand; where the shape has none, the weight gets the fault.
    std::shared_ptr<const codec::ElementOrder>
    orderOf(Result<std::shared_ptr<const codec::ElementOrder>> order)
    {
        if (order)
            return std::move(*order);
        m_weight.fault = std::move(order.error());
        return nullptr;
    }

    void addGroups()
    {
        constexpr std::uint64_t kGroup = codec::kMxGroup;
        const bool across = m_matrix.axis == 1;
        if ((across ? m_matrix.columnsStored : m_matrix.rows) % kGroup != 0)
            m_weight.fault =
                manifestFault("columns_stored", "whole groups of 32",
                              fmt::format("{} x {}", m_matrix.rows, m_matrix.columnsStored),
                              "The groups do not divide the matrix");
        const ElementType type =
            m_matrix.format == "mxfp8" ? ElementType::Fp8E4M3Fn : ElementType::Fp4E2M1;
        const Shape groups{across ? m_matrix.rows : m_matrix.rows / kGroup,
                           across ? m_matrix.columnsStored / kGroup : m_matrix.columnsStored};
        m_encoding.payload =
            add(PartRole::Data, type, m_weight.shape, "data.bin", orderOf(dataOrder(m_matrix)));
        codec::Scaling scaling;
        scaling.kind = codec::Scaling::Kind::Blockwise;
        scaling.scale = add(PartRole::Scale, ElementType::Fp8E8M0, groups, "exp.bin",
                            orderOf(exponentOrder(m_matrix)));
        m_encoding.scaling = std::move(scaling);
        m_weight.detail.emplace_back("block", across ? std::vector<std::uint64_t>{1, kGroup}
                                                     : std::vector<std::uint64_t>{kGroup, 1});
        m_weight.detail.emplace_back("valid_columns", m_matrix.columns);
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

    const Description &m_matrix;
    const std::vector<BundleFile> &m_files;
    Weight m_weight;
    bool m_missing = false; ///< a file that the description names
    codec::Encoding m_encoding;
};

/// Claims of the weight's operands; gives their files their role.
void claimOperands(const Weight &weight, std::vector<BundleFile> &files, ContainerContents &out)
{
    for (std::size_t i = 0; i < weight.operands().size(); ++i) {
        const codec::Operand &operand = weight.operands()[i];
        const OperandPlace &place = *operand.place;
        ByteClaim claim;
        claim.range = place.range();
        claim.kind = sectionKindOf(operand.role);
        claim.name = fmt::format("{}: {}", weight.name, codec::partRoleName(operand.role));
        claim.weight = out.weights.size();
        claim.operand = i;
        out.claims[place.file].push_back(std::move(claim));
        files[place.file].role = SectionKind::Values;
        files[place.file].payloadBytes = place.bytes;
    }
}

const BundleFile *fileNamed(const std::vector<BundleFile> &files, std::string_view path)
{
    const auto at = std::find_if(files.begin(), files.end(),
                                 [path](const BundleFile &file) { return file.path == path; });
    return at == files.end() ? nullptr : &*at;
}

Result<quantized::Folder> readFiles(const std::vector<BundleFile> &files)
{
    return quantized::readFolder([&](std::string_view name,
                                     std::uint64_t) -> Result<quantized::Bytes> {
        const BundleFile *file = fileNamed(files, name);
        if (file == nullptr)
            return tl::unexpected(manifestFault(std::string(name), "a file of the matrix",
                                                "no such file", "A file of the matrix is missing"));
        quantized::Bytes bytes(file->file->bytes().size());
        std::transform(file->file->bytes().begin(), file->file->bytes().end(), bytes.begin(),
                       [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
        return bytes;
    });
}

/// The files of a folder as its writer makes them of the matrix that was read.
Result<quantized::Folder> writtenAgain(const quantized::Folder &folder)
{
    if (folder.matrix.microscaled()) {
        const auto matrix = TRY(quantized::microscaledOf(folder));
        return quantized::inLayouts(folder, matrix, folder.matrix.layout, folder.matrix.exponents);
    }
    const auto matrix = TRY(quantized::integersOf(folder));
    quantized::Folder made{folder.manifest, folder.matrix, {}};
    quantized::addIntegers(made, matrix);
    return made;
}

FileBytes bytesOf(std::span<const std::byte> bytes)
{
    return {bytes.begin(), bytes.end()};
}

class QuantizedReader final : public ContainerReader
{
public:
    BundleKind kind() const override { return BundleKind::Quantized; }
    std::string_view key() const override { return "quantized"; }
    std::string_view name() const override { return "a folder that quantize wrote"; }
    std::string_view helpPage() const override { return "numbers"; }
    std::string_view fuzzTarget() const override { return "fuzz_quantized"; }
    std::string_view wanted() const override { return "a folder that quantize wrote"; }
    std::vector<std::string_view> folderMarks() const override { return {quantized::kManifest}; }
    /// A folder, never a lone file.
    bool knows(std::span<const std::byte>, std::string_view) const override { return false; }

    Result<std::vector<FileBytes>> rewrite(const std::vector<BundleFile> &files) const override
    {
        const auto made = TRY(readFiles(files).and_then(writtenAgain));
        const std::string manifest = quantized::manifestText(made.manifest);
        std::vector<FileBytes> all;
        for (const BundleFile &file : files) {
            if (const quantized::Bytes *bytes = made.file(file.path))
                all.push_back(bytesOf(std::as_bytes(std::span(*bytes))));
            else if (file.path == quantized::kManifest)
                all.push_back(bytesOf(std::as_bytes(std::span(manifest))));
            else
                all.push_back(bytesOf(file.file->bytes())); // none of the folder's own
        }
        return all;
    }

    void read(ContainerInput &input, ContainerContents &out) const override
    {
        std::vector<BundleFile> &files = input.files;
        const auto manifest = std::find_if(files.begin(), files.end(), [](const BundleFile &file) {
            return file.path == quantized::kManifest;
        });
        if (manifest == files.end()) {
            out.log.add(Severity::Error,
                        manifestFault("", std::string(quantized::kManifest), "no such file",
                                      "The folder has no description"));
            return;
        }
        manifest->role = SectionKind::Manifest;
        ByteClaim whole;
        whole.range = {FileOffset(0), manifest->file->size()};
        whole.kind = SectionKind::Manifest;
        whole.name = manifest->path;
        const auto text = manifest->file->bytes();
        const auto matrix = quantized::parseManifest(text).and_then(quantized::describeMatrix);
        if (matrix) {
            Weight weight = QuantizedWeight(*matrix, files).make();
            if (weight.fault) {
                weight.fault = quantized::placedIn(text, *weight.fault);
                out.log.add(Severity::Error, *weight.fault);
            }
            claimOperands(weight, files, out);
            out.weights.push_back(std::move(weight));
        } else {
            out.log.add(Severity::Error, quantized::placedIn(text, matrix.error()));
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
