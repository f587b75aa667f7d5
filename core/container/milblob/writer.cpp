// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/container/milblob/milblob.h"

#include <algorithm>

namespace kernscope::milblob {

namespace {

constexpr std::uint64_t kReservedAt = 32; ///< last 32 bytes of a metadata record

void append(std::vector<std::byte> &to, std::span<const std::byte> bytes)
{
    to.insert(to.end(), bytes.begin(), bytes.end());
}

} // namespace

void Writer::fill(std::span<const std::byte> filler)
{
    append(m_body, filler);
}

FileOffset Writer::add(ElementType type, std::span<const std::byte> payload,
                       std::uint64_t paddingBits, std::span<const std::byte> reserved,
                       std::span<const std::byte> gap)
{
    const std::uint64_t rest = m_body.size() % kAlignment;
    if (rest != 0)
        m_body.resize(m_body.size() + (kAlignment - rest));
    const FileOffset meta(kHeaderBytes + m_body.size());
    std::array<std::byte, kMetadataBytes> record{};
    storeLittle(std::span(record), kSentinelAt, kSentinel);
    storeLittle(std::span(record), kCodeAt, codeOf(type));
    storeLittle(std::span(record), kBytesAt, std::uint64_t(payload.size()));
    storeLittle(std::span(record), kDataOffsetAt,
                std::uint64_t(meta.value + kMetadataBytes + gap.size()));
    storeLittle(std::span(record), kPaddingBitsAt, paddingBits);
    const auto kept =
        reserved.first(std::min<std::size_t>(reserved.size(), kMetadataBytes - kReservedAt));
    std::copy(kept.begin(), kept.end(), record.begin() + kReservedAt);
    append(m_body, record);
    append(m_body, gap);
    append(m_body, payload);
    ++m_count;
    return meta;
}

std::vector<std::byte> Writer::finish() const
{
    std::vector<std::byte> file(kHeaderBytes);
    storeLittle(std::span(file), 0, m_options.count.value_or(m_count));
    storeLittle(std::span(file), 4, kVersion);
    std::copy(m_options.headerReserved.begin(), m_options.headerReserved.end(), file.begin() + 8);
    append(file, m_body);
    return file;
}

Result<std::vector<std::byte>> reencode(std::span<const std::byte> file, std::string_view fileName)
{
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
    std::copy(reserved.begin(), reserved.end(), options.headerReserved.begin());
    Writer writer(options);
    std::uint64_t written = kHeaderBytes;
    const auto between = [&file](std::uint64_t from, std::uint64_t to) {
        return file.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
    };
    for (const Record &record : parsed.records) {
        const std::uint64_t meta = record.metaOffset.value;
        const std::uint64_t behindMeta = meta + kMetadataBytes;
        if (meta < written || record.dataOffset.value < behindMeta) {
            return ErrorBuilder("blob.overlap")
                .file(fileName)
                .at(record.metaOffset)
                .message("Records out of order cannot be written back record by record.")
                .unexpected();
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

} // namespace kernscope::milblob
