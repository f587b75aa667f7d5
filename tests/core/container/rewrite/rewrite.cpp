// SPDX-License-Identifier: GPL-3.0-or-later
#include "rewrite.h"

#include "core/base/error_builder.h"
#include "core/base/find.h"
#include "core/base/little_endian.h"
#include "core/bundle/reader/network/network_weights.h"
#include "core/container/anec/anec.h"
#include "core/container/espresso/espresso.h"
#include "core/container/mil/model_files.h"
#include "core/container/milblob/milblob.h"
#include "core/container/mlir/writer.h"
#include "core/container/odix/odix.h"
#include "core/container/quantized/folder.h"
#include "core/container/section/section.h"
#include "core/container/skeleton/skeleton.h"

#include <fmt/format.h>

namespace kernscope {

namespace anec {

Result<std::vector<std::byte>> writeAnec(const AnecFile &file, std::span<const std::byte> source)
{
    const AnecHeader &header = file.header;
    if (header.size > source.size() || source.size() - header.size != file.contentOffset)
        return refused("anec.write", "header", "sizes that fit the file",
                       std::to_string(source.size()) + " bytes",
                       "The header does not fit the bytes that follow it");
    std::vector<std::byte> bytes(source.begin(), source.end());
    storeLittle<std::uint64_t>(bytes, 0, header.size);
    storeLittle<std::uint32_t>(bytes, 8, header.taskBytes);
    storeLittle<std::uint32_t>(bytes, 12, header.taskCount);
    storeLittle<std::uint64_t>(bytes, 16, header.textBytes);
    storeLittle<std::uint64_t>(bytes, 24, header.kernelBytes);
    storeLittle<std::uint32_t>(bytes, 32, header.sources);
    storeLittle<std::uint32_t>(bytes, 36, header.destinations);
    for (std::size_t i = 0; i < kTiles; ++i) {
        storeLittle<std::uint32_t>(bytes, 0x28 + 4 * i, header.tiles[i]);
        for (std::size_t k = 0; k < 6; ++k)
            storeLittle<std::uint64_t>(bytes, 0x28 + 4 * kTiles + 48 * i + 8 * k,
                                       header.shapes[i][k]);
    }
    return bytes;
}

} // namespace anec

namespace odix {

Result<std::vector<std::byte>> writeProgram(const Program &program,
                                            std::span<const std::byte> source)
{
    std::uint64_t end = program.flatBuffer.end();
    for (const ByteRange &segment : program.segments)
        end = std::max(end, segment.end());
    if (end > source.size())
        return refused("odix.write", "source", std::to_string(end) + " bytes",
                       std::to_string(source.size()) + " bytes",
                       "The source does not hold the parts of the program.");
    std::vector<std::byte> bytes(source.size());
    static constexpr std::string_view kMagic = "odix";
    std::ranges::transform(kMagic, bytes.begin(),
                           [](char letter) { return static_cast<std::byte>(letter); });
    storeLittle<std::uint16_t>(bytes, 4, program.major);
    storeLittle<std::uint16_t>(bytes, 6, program.minor);
    storeLittle<std::uint64_t>(bytes, 8, program.flatBuffer.offset.value);
    storeLittle<std::uint64_t>(bytes, 16, program.dataBegin);
    const auto copy = [&](ByteRange range) {
        const auto part = source.subspan(range.offset.value, range.bytes.value);
        std::ranges::copy(part, bytes.begin() + std::ptrdiff_t(range.offset.value));
    };
    copy({FileOffset(24), ByteCount(program.flatBuffer.offset.value - 24)}); // no loader reads it
    copy(program.flatBuffer);
    copy({FileOffset(program.flatBuffer.end()),
          ByteCount(source.size() - program.flatBuffer.end())});
    return bytes;
}

} // namespace odix

namespace espresso {

Result<std::vector<std::byte>> writeBlobs(const BlobTable &table, std::span<const std::byte> source)
{
    constexpr std::size_t kCountBytes = 8, kEntryBytes = 16;
    std::vector<std::byte> bytes(source.begin(), source.end());
    const std::uint64_t end =
        table.blobs.empty() ? table.header().end() : table.blobs.back().data.end();
    if (end > bytes.size())
        return refused("espresso.write", "payload", fmt::format("{} bytes", end),
                       fmt::format("{} bytes", bytes.size()),
                       "The source does not hold the blobs that the table counts");
    storeLittle<std::uint64_t>(bytes, 0, table.blobs.size());
    for (std::size_t i = 0; i < table.blobs.size(); ++i) {
        storeLittle<std::uint64_t>(bytes, kCountBytes + kEntryBytes * i, table.blobs[i].id);
        storeLittle<std::uint64_t>(bytes, kCountBytes + kEntryBytes * i + 8,
                                   table.blobs[i].data.bytes.value);
    }
    return bytes;
}

} // namespace espresso

namespace milblob {

Result<std::vector<std::byte>> reencode(std::span<const std::byte> file, std::string_view fileName)
{
    constexpr std::uint64_t kReservedAt = 32; // last 32 bytes of a metadata record
    const BlobFile parsed = readBlobFile(file, fileName);
    for (const Diagnostic &diagnostic : parsed.diagnostics) {
        // What overlaps cannot be written record by record.
        if (diagnostic.severity == Severity::Error || diagnostic.error.code == "blob.overlap" ||
            diagnostic.error.code == "blob.limit")
            return tl::unexpected(diagnostic.error);
    }
    Writer::Options options;
    options.count = parsed.count;
    const auto reserved = file.subspan(8, options.headerReserved.size());
    std::ranges::copy(reserved, options.headerReserved.begin());
    Writer writer(options);
    std::uint64_t written = kHeaderBytes;
    const auto between = [&file](std::uint64_t from, std::uint64_t to) {
        return file.subspan(std::size_t(from), std::size_t(to - from));
    };
    for (const Record &record : parsed.records) {
        const std::uint64_t meta = record.metaOffset.value;
        const std::uint64_t behindMeta = meta + kMetadataBytes;
        if (meta < written || record.dataOffset.value < behindMeta) {
            return refused({fileName, record.metaOffset}, "blob.overlap", {}, {}, {},
                           "Records out of order cannot be written back record by record.");
        }
        writer.fill(between(written, meta));
        writer.add(record.type, between(record.dataOffset.value, record.payload().end()),
                   record.paddingBits, between(meta + kReservedAt, behindMeta),
                   between(behindMeta, record.dataOffset.value));
        written = record.payload().end();
    }
    writer.fill(between(written, file.size()));
    return writer.finish();
}

} // namespace milblob

namespace test {

namespace {

FileContent contentOf(std::span<const std::byte> bytes)
{
    return {bytes.begin(), bytes.end()};
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

/// Of a folder that `quantize` wrote, all files together.
Result<std::vector<FileContent>> rewriteQuantized(const std::vector<BundleFile> &files)
{
    const auto read = [&](std::string_view name, std::uint64_t) -> Result<quantized::Bytes> {
        const BundleFile *file = findBy(files, &BundleFile::path, name);
        if (file == nullptr)
            return refused({name}, "quantize.manifest", {}, "a file of the matrix", "no such file",
                           "A file of the matrix is missing");
        quantized::Bytes bytes(file->file->bytes().size());
        std::ranges::transform(file->file->bytes(), bytes.begin(),
                               [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
        return bytes;
    };
    const auto made = TRY(quantized::readFolder(read).and_then(writtenAgain));
    const std::string manifest = quantized::manifestText(made.manifest);
    std::vector<FileContent> all;
    for (const BundleFile &file : files) {
        if (const quantized::Bytes *bytes = made.file(file.path))
            all.push_back(contentOf(std::as_bytes(std::span(*bytes))));
        else if (file.path == quantized::kManifest)
            all.push_back(contentOf(std::as_bytes(std::span(manifest))));
        else
            all.push_back(contentOf(file.file->bytes())); // none of the folder's own
    }
    return all;
}

/// A program, and the weight files beside it.
Result<FileContent> rewriteMil(const BundleFile &file, bool isProgram)
{
    constexpr std::string_view kText = "model.mil";
    const auto bytes = file.file->bytes();
    const bool isMember =
        file.path.ends_with(kText) &&
        mil::isMemberFolder(std::string_view(file.path).substr(0, file.path.size() - kText.size()));
    if (espresso::isWeightFile(file.path)) {
        const auto table = TRY(espresso::readBlobs(bytes, file.path));
        return espresso::writeBlobs(table, bytes);
    }
    if ((isProgram || isMember) && !isEspressoNet(file.path))
        return mil::rewriteProgram(bytes, file.path);
    if (looksLikeBlobFile(bytes, file.path))
        return milblob::reencode(bytes, file.path);
    return contentOf(bytes);
}

/// One file; the others are those of its kind's program.
Result<FileContent> rewriteFile(BundleKind kind, const BundleFile &file, bool isProgram)
{
    const auto bytes = file.file->bytes();
    switch (kind) {
    case BundleKind::Hwx: {
        const auto container = TRY(hwx::readContainer(bytes, file.path));
        return hwx::writeContainer(container, bytes);
    }
    case BundleKind::Anec: {
        const auto anec = TRY(anec::readAnec(bytes, file.path));
        return anec::writeAnec(anec, bytes);
    }
    case BundleKind::Section: {
        const auto section = TRY(section::readSection(bytes, file.path));
        return section::writeSection(section, bytes);
    }
    case BundleKind::Unknown: {
        const auto tables = TRY(skeleton::readSkeleton(bytes, file.path));
        return skeleton::writeSkeleton(tables, bytes);
    }
    case BundleKind::MilBlob: return milblob::reencode(bytes, file.path);
    case BundleKind::Aimodelx: {
        if (!isProgram)
            return contentOf(bytes);
        const auto program = TRY(odix::readProgram(bytes, file.path));
        return odix::writeProgram(program, bytes);
    }
    case BundleKind::Aimodel: {
        if (!isProgram)
            return contentOf(bytes);
        const mlir::Module module = mlir::readModule(bytes, file.path);
        if (module.fault)
            return tl::unexpected(*module.fault);
        return mlir::writeModule(module);
    }
    default: return rewriteMil(file, isProgram);
    }
}

} // namespace

Result<std::vector<FileContent>> rewrite(const ContainerReader &reader,
                                         const std::vector<BundleFile> &files)
{
    const BundleKind kind = reader.kind;
    if (kind == BundleKind::Safetensors || kind == BundleKind::Npz)
        return refused("container.read_only", "", "a kind that is written",
                       std::string(reader.name), "Nothing writes files of this kind.");
    if (kind == BundleKind::Quantized)
        return rewriteQuantized(files);
    const auto program = TRY(reader.programPath(files));
    std::vector<FileContent> all;
    for (const BundleFile &file : files) {
        auto written = TRY(rewriteFile(kind, file, file.path == program));
        all.push_back(std::move(written));
    }
    return all;
}

} // namespace test

} // namespace kernscope
