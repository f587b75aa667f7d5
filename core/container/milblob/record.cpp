// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/container/milblob/milblob.h"

#include <fmt/format.h>

namespace kernscope::milblob {

namespace {

ErrorBuilder fault(std::string_view fileName, std::string_view code, std::uint64_t at,
                   std::uint64_t length, std::string_view field)
{
    return ErrorBuilder(code)
        .file(fileName)
        .at(FileOffset(at))
        .length(ByteCount(length))
        .field(field);
}

std::optional<Error> checkPlace(std::span<const std::byte> file, FileOffset at,
                                std::string_view fileName)
{
    const bool aligned = at.value % kAlignment == 0;
    const bool inside = at.value >= kHeaderBytes &&
                        fitsInside({at, ByteCount(kMetadataBytes)}, ByteCount(file.size()));
    if (aligned && inside)
        return std::nullopt;
    const std::uint64_t last = file.size() < kMetadataBytes ? 0 : file.size() - kMetadataBytes;
    return fault(fileName, "blob.offset", at.value, kMetadataBytes, "metadata offset")
        .expected(aligned ? fmt::format("{} to {}", kHeaderBytes, last)
                          : fmt::format("a multiple of {}", kAlignment))
        .found(fmt::format("{}", at.value))
        .message(aligned ? "No metadata record fits at this offset of the file."
                         : "A metadata record cannot start here: its offset is not aligned.");
}

std::optional<Error> checkRange(std::span<const std::byte> file, const Record &record,
                                std::string_view fileName)
{
    if (fitsInside(record.payload(), ByteCount(file.size())))
        return std::nullopt;
    const bool offsetOut = record.dataOffset.value > file.size();
    return fault(fileName, "blob.range",
                 record.metaOffset.value + (offsetOut ? kDataOffsetAt : kBytesAt), 8,
                 offsetOut ? "data offset" : "size")
        .expected(offsetOut
                      ? fmt::format("at most {}, the size of the file", file.size())
                      : fmt::format("at most {} bytes from data offset {} on",
                                    file.size() - record.dataOffset.value, record.dataOffset.value))
        .found(fmt::format("{}", offsetOut ? record.dataOffset.value : record.bytes.value))
        .message("The payload of this record leaves the file.");
}

/// Sub-byte types only: elsewhere the field is reserved space that old writers left unset.
std::optional<Error> checkPadding(const Record &record, unsigned width, std::string_view fileName)
{
    const std::uint64_t bits = record.bytes.value * 8; // the payload lies in memory: cannot wrap
    const bool small = record.paddingBits < 8 && record.paddingBits <= bits;
    const bool powerOfTwo = (width & (width - 1)) == 0;
    if (small && (bits - record.paddingBits) % width == 0 &&
        (!powerOfTwo || record.paddingBits % width == 0))
        return std::nullopt;
    return fault(fileName, "blob.padding", record.metaOffset.value + kPaddingBitsAt, 8,
                 "padding bits")
        .expected(fmt::format("below 8, leaving a multiple of {} of {} bits", width, bits))
        .found(fmt::format("{}", record.paddingBits))
        .message("The number of padding bits does not fit the element width.");
}

std::optional<Error> countElements(Record &record, std::string_view fileName)
{
    const unsigned width = bitWidth(record.type);
    if (width < 8) {
        if (auto error = checkPadding(record, width, fileName))
            return error;
        record.elements = ElementCount((record.bytes.value * 8 - record.paddingBits) / width);
        return std::nullopt;
    }
    const std::uint64_t each = width / 8;
    record.elements = ElementCount(record.bytes.value / each);
    if (record.bytes.value % each == 0)
        return std::nullopt;
    return fault(fileName, "blob.size", record.metaOffset.value + kBytesAt, 8, "size")
        .expected(fmt::format("a multiple of {} for {}", each, elementTypeName(record.type)))
        .found(fmt::format("{}", record.bytes.value))
        .message("The payload does not hold a whole number of elements.");
}

} // namespace

Result<Record> readRecord(std::span<const std::byte> file, FileOffset metaOffset,
                          std::string_view fileName)
{
    if (auto error = checkPlace(file, metaOffset, fileName))
        return tl::unexpected(std::move(*error));
    const std::uint64_t at = metaOffset.value;
    const auto sentinel = loadLittle<std::uint32_t>(file, at + kSentinelAt);
    if (sentinel != kSentinel)
        return fault(fileName, "blob.sentinel", at + kSentinelAt, 4, "sentinel")
            .expected(fmt::format("0x{:08X}", kSentinel))
            .found(fmt::format("0x{:08X}", sentinel))
            .message("There is no metadata record here: the sentinel is wrong.")
            .unexpected();
    Record record;
    record.metaOffset = metaOffset;
    record.code = loadLittle<std::uint32_t>(file, at + kCodeAt);
    record.type = elementTypeFromCode(record.code);
    record.bytes = ByteCount(loadLittle<std::uint64_t>(file, at + kBytesAt));
    record.dataOffset = FileOffset(loadLittle<std::uint64_t>(file, at + kDataOffsetAt));
    record.paddingBits = loadLittle<std::uint64_t>(file, at + kPaddingBitsAt);
    if (record.type == ElementType::Unknown)
        return fault(fileName, "blob.dtype", at + kCodeAt, 4, "dtype")
            .expected("a code from 1 to 17")
            .found(fmt::format("{}", record.code))
            .message("The element type of this record is not known.")
            .unexpected();
    if (auto error = checkRange(file, record, fileName))
        return tl::unexpected(std::move(*error));
    if (auto error = countElements(record, fileName))
        return tl::unexpected(std::move(*error));
    return record;
}

} // namespace kernscope::milblob
