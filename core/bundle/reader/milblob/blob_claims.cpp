// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/milblob/blob_claims.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/reader/readers.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace kernscope {

namespace {

ByteClaim payloadClaim(const milblob::Record &record, std::size_t number,
                       const std::vector<RecordUse> &uses, const std::vector<Weight> &weights)
{
    const auto use = std::lower_bound(
        uses.begin(), uses.end(), record.metaOffset,
        [](const RecordUse &u, FileOffset offset) { return u.metaOffset < offset; });
    if (use == uses.end() || use->metaOffset != record.metaOffset) {
        return {record.payload(), SectionKind::Data,
                fmt::format("record {}: data that no weight uses", number)};
    }
    const codec::PartRole role = weights[use->weight].operands()[use->operand].role;
    return {record.payload(), sectionKindOf(role), {}, use->weight, use->operand};
}

/// Both lists by offset, each offset once.
std::vector<milblob::Record> mergedRecords(std::vector<milblob::Record> walked,
                                           const std::vector<milblob::Record> &named)
{
    const auto byOffset = [](const milblob::Record &a, const milblob::Record &b) {
        return a.metaOffset < b.metaOffset;
    };
    std::ranges::sort(walked, byOffset);
    std::vector<milblob::Record> all;
    std::set_union(walked.begin(), walked.end(), named.begin(), named.end(),
                   std::back_inserter(all), byOffset);
    return all;
}

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

void readBlob(ContainerInput &input, ContainerContents &out)
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

} // namespace

std::vector<milblob::Record>
readBlobRecords(BundleFile &file, const std::vector<milblob::Record> &named, DiagnosticLog &log)
{
    if (lfsPointer(file.file->bytes()))
        return {}; // was said when it was opened
    milblob::BlobFile found = milblob::readBlobFile(file.file->bytes(), file.path);
    log.add(std::move(found.diagnostics));
    std::vector<milblob::Record> records = mergedRecords(std::move(found.records), named);
    file.blobVersion = found.version;
    file.blobCount = found.count;
    file.records = records.size();
    file.unusedRecords = records.size() - named.size();
    std::uint64_t payload = 0;
    for (const milblob::Record &record : records)
        payload = checkedAdd(payload, record.bytes.value).value_or(UINT64_MAX);
    file.payloadBytes = ByteCount(payload);
    return records;
}

void markSharedOperands(std::vector<Weight> &weights)
{
    const auto recordOf = [](const codec::Operand &operand) {
        return std::pair(operand.place->file, operand.place->metaOffset.value);
    };
    std::vector<std::pair<std::size_t, std::uint64_t>> uses, several;
    for (const Weight &weight : weights) {
        for (const codec::Operand &operand : weight.operands()) {
            if (!operand.place->isLiteral())
                uses.push_back(recordOf(operand));
        }
    }
    if (!std::ranges::is_sorted(uses)) // mostly they lie as they are named
        std::ranges::sort(uses);
    for (auto at = uses.begin(); (at = std::adjacent_find(at, uses.end())) != uses.end(); ++at)
        several.push_back(*at);
    if (several.empty())
        return;
    const auto isShared = [&](const codec::Operand &operand) {
        return !operand.place->isLiteral() &&
               std::ranges::binary_search(several, recordOf(operand));
    };
    const auto mark = [&](codec::Operand &operand) {
        if (!isShared(operand))
            return;
        OperandPlace place = *operand.place;
        place.shared = true;
        operand.place = std::make_shared<const OperandPlace>(std::move(place));
    };
    for (Weight &weight : weights) {
        const OperandList &operands = weight.operands();
        if (std::ranges::any_of(operands, isShared))
            weight.form.changeOperands(mark);
    }
}

std::vector<ByteClaim> claimsOfBlobFile(const std::vector<milblob::Record> &records,
                                        const std::vector<RecordUse> &uses,
                                        const std::vector<Weight> &weights)
{
    std::vector<ByteClaim> claims;
    claims.reserve(2 * records.size() + 1);
    claims.push_back(
        {{FileOffset(0), ByteCount(milblob::kHeaderBytes)}, SectionKind::Header, "header"});
    // All metadata first: of equal starts the record wins over a payload laid over it.
    for (std::size_t i = 0; i < records.size(); ++i)
        claims.push_back({{records[i].metaOffset, ByteCount(milblob::kMetadataBytes)},
                          SectionKind::Metadata,
                          {},
                          kNoIndex,
                          kNoIndex,
                          i});
    for (std::size_t i = 0; i < records.size(); ++i)
        claims.push_back(payloadClaim(records[i], i, uses, weights));
    // A record's owner is that of its payload.
    for (std::size_t i = 0; i < records.size(); ++i) {
        const ByteClaim &payload = claims[1 + records.size() + i];
        claims[1 + i].weight = payload.weight;
        claims[1 + i].operand = payload.operand;
    }
    return claims;
}

std::vector<std::vector<RecordUse>> recordUses(const std::vector<Weight> &weights,
                                               std::size_t files)
{
    std::vector<std::vector<RecordUse>> uses(files);
    for (std::size_t w = 0; w < weights.size(); ++w) {
        const OperandList &operands = weights[w].operands();
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const OperandPlace &place = *operands[i].place;
            if (!place.isLiteral())
                uses[place.file].push_back({place.metaOffset, w, i});
        }
    }
    for (std::vector<RecordUse> &file : uses)
        std::ranges::stable_sort(file, {}, &RecordUse::metaOffset);
    return uses;
}

// A weight file without a program.

const ContainerReader &blobReader()
{
    static const ContainerReader reader{
        .kind = BundleKind::MilBlob,
        .key = "milblob",
        .name = "a weight file (weight.bin)",
        .wanted = "a weight.bin",
        .knows = [](auto bytes, auto path) { return looksLikeBlobFile(bytes, path); },
        .read = readBlob,
        .helpPage = "blob-storage",
        .fuzzTarget = "fuzz_milblob"};
    return reader;
}

} // namespace kernscope
