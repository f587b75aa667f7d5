// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/milblob/weights/blob_claims.h"

#include "core/container/milblob/lfs_pointer.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace kernscope {

namespace {

Claim payloadClaim(const milblob::Record &record, std::size_t number,
                   const std::vector<PartPlace> &places, const std::vector<Weight> &weights)
{
    Claim claim;
    claim.range = record.payload();
    const auto place = std::lower_bound(
        places.begin(), places.end(), record.metaOffset,
        [](const PartPlace &p, FileOffset offset) { return p.metaOffset < offset; });
    if (place == places.end() || place->metaOffset != record.metaOffset) {
        claim.kind = SectionKind::Data;
        claim.name = fmt::format("record {}: data that no weight uses", number);
        return claim;
    }
    const Weight &weight = weights[place->weight];
    const Part &part = weight.parts[place->part];
    claim.kind = sectionKindOf(part.role);
    claim.name = fmt::format("{}: {}", weight.name, codec::partRoleName(part.role));
    claim.owner = weight.name;
    claim.weight = place->weight;
    claim.part = place->part;
    return claim;
}

/// Both lists by offset, each offset once.
std::vector<milblob::Record> mergedRecords(std::vector<milblob::Record> walked,
                                           const std::vector<milblob::Record> &named)
{
    const auto byOffset = [](const milblob::Record &a, const milblob::Record &b) {
        return a.metaOffset < b.metaOffset;
    };
    std::sort(walked.begin(), walked.end(), byOffset);
    std::vector<milblob::Record> all;
    std::set_union(walked.begin(), walked.end(), named.begin(), named.end(),
                   std::back_inserter(all), byOffset);
    return all;
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

void markSharedParts(std::vector<Weight> &weights)
{
    std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> uses;
    for (const Weight &weight : weights) {
        for (const Part &part : weight.parts) {
            if (!part.isLiteral())
                ++uses[{part.file, part.metaOffset.value}];
        }
    }
    for (Weight &weight : weights) {
        for (Part &part : weight.parts)
            part.shared = !part.isLiteral() && uses[{part.file, part.metaOffset.value}] > 1;
    }
}

std::vector<Claim> claimsOfBlobFile(const std::vector<milblob::Record> &records,
                                    const std::vector<PartPlace> &places,
                                    const std::vector<Weight> &weights)
{
    std::vector<Claim> claims;
    claims.reserve(2 * records.size() + 1);
    Claim header;
    header.range = {FileOffset(0), ByteCount(milblob::kHeaderBytes)};
    header.kind = SectionKind::Header;
    header.name = "header";
    claims.push_back(std::move(header));
    // All metadata first: of equal starts the record wins over a payload laid over it.
    for (std::size_t i = 0; i < records.size(); ++i) {
        Claim claim;
        claim.range = {records[i].metaOffset, ByteCount(milblob::kMetadataBytes)};
        claim.kind = SectionKind::Metadata;
        claim.name = fmt::format("record {}: metadata", i);
        claims.push_back(std::move(claim));
    }
    for (std::size_t i = 0; i < records.size(); ++i)
        claims.push_back(payloadClaim(records[i], i, places, weights));
    // A record's owner is that of its payload.
    for (std::size_t i = 0; i < records.size(); ++i) {
        const Claim &payload = claims[1 + records.size() + i];
        claims[1 + i].owner = payload.owner;
        claims[1 + i].weight = payload.weight;
        claims[1 + i].part = payload.part;
    }
    return claims;
}

std::vector<std::vector<PartPlace>> placesOfParts(const std::vector<Weight> &weights,
                                                  std::size_t files)
{
    std::vector<std::vector<PartPlace>> places(files);
    for (std::size_t w = 0; w < weights.size(); ++w) {
        const std::vector<Part> &parts = weights[w].parts;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            if (!parts[p].isLiteral())
                places[parts[p].file].push_back({parts[p].metaOffset, w, p});
        }
    }
    for (std::vector<PartPlace> &file : places)
        std::stable_sort(file.begin(), file.end(), [](const PartPlace &a, const PartPlace &b) {
            return a.metaOffset < b.metaOffset;
        });
    return places;
}

} // namespace kernscope
