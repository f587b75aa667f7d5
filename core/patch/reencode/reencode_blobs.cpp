// SPDX-License-Identifier: GPL-3.0-or-later
// Weight files laid out anew.
#include "core/patch/reencode/reencoder.h"

#include "core/base/error_builder.h"
#include "core/container/milblob/milblob.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

/// Appends the operands that have no place in the program, and notes where they lie.
void placeOperands(std::vector<DraftOperation> &drafts, milblob::Writer &writer)
{
    for (DraftOperation &draft : drafts) {
        for (DraftOperand &operand : draft.operands) {
            if (operand.literal || !operand.reference.empty())
                continue;
            const unsigned width = bitWidth(operand.type);
            const std::uint64_t used =
                elementCount(operand.shape).value_or(ElementCount()).value * width;
            const std::uint64_t padding = width < 8 ? operand.bytes.size() * 8 - used : 0;
            operand.offset = writer.add(operand.type, operand.bytes, padding).value;
        }
    }
}

/// The file's records, where it can be written record by record.
Result<milblob::BlobFile> readRecords(std::span<const std::byte> file, const std::string &name)
{
    milblob::BlobFile parsed = milblob::readBlobFile(file, name);
    for (const Diagnostic &diagnostic : parsed.diagnostics) {
        if (diagnostic.severity != Severity::Error && diagnostic.error.code != "blob.overlap" &&
            diagnostic.error.code != "blob.limit")
            continue;
        return ErrorBuilder(diagnostic.error).code("encode.blob").unexpected();
    }
    for (const milblob::Record &record : parsed.records) {
        if (record.dataOffset.value >= record.metaOffset.value + milblob::kMetadataBytes)
            continue;
        return ErrorBuilder("encode.blob")
            .file(name)
            .at(record.metaOffset)
            .message("A payload lies before its record: the file cannot be written anew")
            .unexpected();
    }
    return parsed;
}

/// Groups by the offset of each record that they replace.
std::multimap<std::uint64_t, std::size_t> droppedRecords(std::span<const BlobGroup> groups)
{
    std::multimap<std::uint64_t, std::size_t> dropped;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        for (const std::uint64_t offset : groups[i].dropped)
            dropped.emplace(offset, i);
    }
    return dropped;
}

} // namespace

Result<BlobLayout> layOutBlobs(std::span<const std::byte> file, const std::string &name,
                               const std::set<std::uint64_t> &kept,
                               std::span<const BlobGroup> groups)
{
    const auto parsed = TRY(readRecords(file, name));
    milblob::Writer::Options options;
    std::copy_n(file.begin() + 8, options.headerReserved.size(), options.headerReserved.begin());
    milblob::Writer writer(options);
    BlobLayout layout;
    const auto dropped = droppedRecords(groups);
    std::vector<bool> placed(groups.size());
    const auto place = [&](std::size_t group) {
        if (!placed[group])
            placeOperands(*groups[group].drafts, writer);
        placed[group] = true;
    };
    for (const milblob::Record &record : parsed.records) {
        const std::uint64_t meta = record.metaOffset.value;
        const auto [first, last] = dropped.equal_range(meta);
        for (auto at = first; at != last; ++at)
            place(at->second);
        if (first != last && kept.count(meta) == 0)
            continue;
        const std::uint64_t behindMeta = meta + milblob::kMetadataBytes;
        constexpr std::uint64_t kReserved = 32; // the last bytes of a record
        layout.moved[meta] =
            writer
                .add(record.type, file.subspan(record.dataOffset.value, record.bytes.value),
                     record.paddingBits, file.subspan(behindMeta - kReserved, kReserved),
                     file.subspan(behindMeta, record.dataOffset.value - behindMeta))
                .value;
    }
    for (std::size_t i = 0; i < groups.size(); ++i)
        place(i);
    for (const std::uint64_t offset : kept) {
        if (layout.moved.count(offset) > 0)
            continue;
        return ErrorBuilder("encode.blob")
            .file(name)
            .expected("a record at every offset that is named")
            .found(fmt::format("none at {}", offset))
            .message("The weight file cannot be laid out anew")
            .unexpected();
    }
    layout.file = writer.finish();
    return layout;
}

} // namespace kernscope::patch
