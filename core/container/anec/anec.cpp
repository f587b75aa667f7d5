// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/anec/anec.h"

#include "core/base/error_builder.h"
#include "core/base/little_endian.h"

#include <fmt/format.h>

namespace kernscope::anec {

namespace {

constexpr std::uint64_t kHeaderBytes = 0x28 + 4 * kTiles + 48 * kTiles;
constexpr std::uint64_t kSmallestTask = 40; ///< the header of a version-7 task
constexpr std::uint32_t kMostTasks = 1U << 24;

AnecHeader readHeader(std::span<const std::byte> bytes)
{
    const auto u32 = [bytes](std::uint64_t at) { return loadLittle<std::uint32_t>(bytes, at); };
    const auto u64 = [bytes](std::uint64_t at) { return loadLittle<std::uint64_t>(bytes, at); };
    AnecHeader header;
    header.size = u64(0);
    header.taskBytes = u32(8);
    header.taskCount = u32(12);
    header.textBytes = u64(16);
    header.kernelBytes = u64(24);
    header.sources = u32(32);
    header.destinations = u32(36);
    for (std::size_t i = 0; i < kTiles; ++i) {
        header.tiles[i] = u32(0x28 + 4 * i);
        for (std::size_t k = 0; k < 6; ++k)
            header.shapes[i][k] = u64(0x28 + 4 * kTiles + 48 * i + 8 * k);
    }
    return header;
}

/// Where the content starts, or nothing where the sizes do not make sense.
std::optional<std::uint64_t> contentOffset(const AnecHeader &header, std::uint64_t fileBytes)
{
    const bool sound = header.taskCount >= 1 && header.taskCount <= kMostTasks &&
                       header.taskBytes >= kSmallestTask && header.taskBytes % 4 == 0 &&
                       header.textBytes >= header.taskBytes && header.textBytes <= header.size &&
                       header.kernelBytes <= header.size - header.textBytes &&
                       header.sources <= kTiles && header.destinations <= kTiles &&
                       header.size <= fileBytes;
    if (!sound)
        return std::nullopt;
    for (const std::uint64_t start : {0x1000ULL, 0x800ULL}) {
        if (fileBytes - header.size == start)
            return start;
    }
    return std::nullopt;
}

hwx::SegmentSection sectionOf(std::uint32_t ordinal, const char *name, std::uint32_t flags,
                              std::uint64_t address, std::uint64_t size, std::uint64_t content)
{
    hwx::SegmentSection section;
    section.ordinal = ordinal;
    section.name = name;
    section.segment = "__TEXT";
    section.flags = flags;
    section.address = address;
    section.size = size;
    if (size != 0)
        section.bytes = ByteRange{FileOffset(content + address), ByteCount(size)};
    return section;
}

constexpr std::string_view kFieldTable = "stored_fields";
constexpr std::uint64_t kTilesAt = 0x28, kTileBytes = 4, kShapesAt = kTilesAt + kTileBytes * kTiles,
                        kShapeBytes = 48;

std::optional<format::PlacedField> apertureField(std::string_view record, std::uint64_t table,
                                                 std::uint64_t step, FileOffset offset)
{
    const std::uint64_t number = (offset.value - table) / step;
    if (number >= kTiles)
        return std::nullopt;
    return format::placedField(kFieldTable, record, table + number * step, offset,
                               fmt::format("aperture {}", number));
}

} // namespace

bool isAnec(std::span<const std::byte> bytes)
{
    return bytes.size() >= kHeaderBytes &&
           contentOffset(readHeader(bytes), bytes.size()).has_value();
}

Result<AnecFile> readAnec(std::span<const std::byte> bytes, const std::string &name)
{
    if (!isAnec(bytes)) {
        return refused({name, FileOffset(0)}, "anec.header", {}, "sizes that fit the file", {},
                       "not an .anec file");
    }
    constexpr std::uint32_t kH13 = 4;
    AnecFile file;
    file.header = readHeader(bytes);
    file.contentOffset = *contentOffset(file.header, bytes.size());
    hwx::Container &image = file.image;
    image.header.cpusubtype = kH13;
    image.version = descriptor::versionOfSubtype(kH13);
    image.fileBytes = bytes.size();
    // The kernel ends the content: what lies between is the text's padding.
    hwx::Segment segment;
    segment.name = "__TEXT";
    segment.vmSize = segment.fileSize = file.header.size;
    segment.fileOffset = file.contentOffset;
    segment.sectionCount = 2;
    segment.sections = {sectionOf(1, "__text", 0x28, 0, file.header.textBytes, file.contentOffset),
                        sectionOf(2, "__const", 0x26, file.header.size - file.header.kernelBytes,
                                  file.header.kernelBytes, file.contentOffset)};
    image.segments.push_back(std::move(segment));
    descriptor::WalkHints hints;
    hints.file = name;
    hints.fileOffset = file.contentOffset;
    hints.firstTaskWords = file.header.taskBytes / 4;
    hints.taskCount = file.header.taskCount;
    auto list =
        descriptor::walkTasks(bytes.subspan(static_cast<std::size_t>(file.contentOffset),
                                            static_cast<std::size_t>(file.header.textBytes)),
                              image.version, hints);
    image.diagnostics = list.diagnostics;
    image.texts.push_back({1, std::make_shared<const descriptor::TaskList>(std::move(list))});
    return file;
}

std::vector<hwx::CoverSpan> coverAnec(const AnecFile &file, std::span<const std::byte> bytes)
{
    std::vector<hwx::CoverSpan> spans;
    const auto add = [&spans](ByteRange range, hwx::SpanKind kind, const char *what) {
        spans.push_back({range, kind, what});
    };
    add({FileOffset(0), ByteCount(kHeaderBytes)}, hwx::SpanKind::Header, "anec header");
    hwx::coverTasks(file.image, file.image.texts.front(), bytes, spans);
    const hwx::SegmentSection &kernel = file.image.segments.front().sections[1];
    if (kernel.bytes)
        add(*kernel.bytes, hwx::SpanKind::Kernel, "kernel bytes");
    hwx::addPadding(spans, bytes);
    return spans;
}

std::optional<format::PlacedField> fieldAt(FileOffset offset)
{
    if (offset.value < kTilesAt)
        return format::placedField(kFieldTable, "anec header", 0, offset, "header");
    return offset.value < kShapesAt ? apertureField("anec aperture", kTilesAt, kTileBytes, offset)
                                    : apertureField("anec shape", kShapesAt, kShapeBytes, offset);
}

} // namespace kernscope::anec
