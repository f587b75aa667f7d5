// SPDX-License-Identifier: GPL-3.0-or-later
// A weight file without a program.
#include "core/bundle/reader/readers.h"

#include "core/bundle/reader/milblob/blob_claims.h"
#include "core/container/milblob/milblob.h"

#include <fmt/format.h>

namespace kernscope {

namespace {

Weight bareWeight(std::size_t file, const milblob::Record &record)
{
    Weight weight;
    weight.name = fmt::format("blob@{:#x}", record.metaOffset.value);
    weight.sourceOp = "blob";
    weight.type = record.type;
    weight.shape = {record.elements.value};
    weight.elements = record.elements;
    weight.storedBytes = record.bytes;
    OperandPlace place;
    place.bytes = record.bytes;
    place.file = file;
    place.metaOffset = record.metaOffset;
    place.dataOffset = record.dataOffset;
    codec::Encoding encoding;
    encoding.type = record.type;
    encoding.shape = weight.shape;
    encoding.payload =
        operandAt(codec::PartRole::Data, record.type, weight.shape, std::move(place));
    weight.form = StorageForm(std::move(encoding));
    return weight;
}

class BlobReader final : public ContainerReader
{
public:
    BundleKind kind() const override { return BundleKind::MilBlob; }
    std::string_view key() const override { return "milblob"; }
    std::string_view name() const override { return "a weight file (weight.bin)"; }
    std::string_view helpPage() const override { return "blob-storage"; }
    std::string_view fuzzTarget() const override { return "fuzz_milblob"; }
    std::string_view wanted() const override { return "a weight.bin"; }

    bool knows(std::span<const std::byte> bytes, std::string_view path) const override
    {
        return looksLikeBlobFile(bytes, path);
    }

    Result<std::vector<FileBytes>> rewrite(const std::vector<BundleFile> &files) const override
    {
        auto written = TRY(milblob::reencode(files.front().file->bytes(), files.front().path));
        return std::vector<FileBytes>{std::move(written)};
    }

    void read(ContainerInput &input, ContainerContents &out) const override
    {
        BundleFile &file = input.files.front();
        file.role = SectionKind::Data;
        const auto records = readBlobRecords(file, {}, out.log);
        file.unusedRecords = 0; // each is a weight
        for (const milblob::Record &record : records)
            out.weights.push_back(bareWeight(0, record));
        markSharedOperands(out.weights);
        out.claims[0] = claimsOfBlobFile(records, recordUses(out.weights, 1).front(), out.weights);
    }
};

} // namespace

const ContainerReader &blobReader()
{
    static const BlobReader reader;
    return reader;
}

} // namespace kernscope
