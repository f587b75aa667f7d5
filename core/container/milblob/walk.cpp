// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/container/milblob/milblob.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::milblob {

namespace {

/// More records than any model has weights; keeps a file of empty records from filling memory.
constexpr std::size_t kMaxRecords = std::size_t(1) << 20;
/// How far, over the whole file, a walk that lost its way looks for the next sentinel.
constexpr std::uint64_t kMaxSearchBytes = std::uint64_t(16) << 20;
constexpr std::size_t kMaxDiagnostics = 256;

class Walk
{
public:
    Walk(std::span<const std::byte> file, std::string_view fileName)
        : m_file(file), m_fileName(fileName)
    {
    }

    BlobFile run()
    {
        if (!readHeader())
            return std::move(m_result);
        walkRecords();
        checkCount();
        checkOverlaps();
        return std::move(m_result);
    }

private:
    bool readHeader();
    void walkRecords();
    std::optional<std::uint64_t> after(const Record &record);
    std::optional<std::uint64_t> search(std::uint64_t from);
    bool sentinelAt(std::uint64_t at) const;
    bool endOrSentinel(std::uint64_t at) const;
    void checkCount();
    void checkOverlaps();
    void reportOverlap(const Record &record, const ByteRange &other, std::string_view what);
    void report(Severity severity, Error error);
    ErrorBuilder fault(std::string_view code, std::uint64_t at, std::uint64_t length,
                       std::string_view field) const;

    std::span<const std::byte> m_file;
    std::string_view m_fileName;
    BlobFile m_result;
    std::size_t m_faulty = 0;
    std::uint64_t m_searched = 0;
    bool m_lost = false; ///< the walk stopped before it could know how many records there are
};

ErrorBuilder Walk::fault(std::string_view code, std::uint64_t at, std::uint64_t length,
                         std::string_view field) const
{
    return ErrorBuilder(code)
        .file(m_fileName)
        .at(FileOffset(at))
        .length(ByteCount(length))
        .field(field);
}

void Walk::report(Severity severity, Error error)
{
    if (m_result.diagnostics.size() < kMaxDiagnostics)
        m_result.diagnostics.push_back({severity, std::move(error)});
}

bool Walk::readHeader()
{
    if (m_file.size() < kHeaderBytes) {
        report(Severity::Error, fault("blob.header", 0, m_file.size(), "header")
                                    .expected(fmt::format("{} bytes", kHeaderBytes))
                                    .found(fmt::format("{} bytes", m_file.size()))
                                    .message("The weight file is shorter than its header."));
        return false;
    }
    m_result.count = loadLittle<std::uint32_t>(m_file, 0);
    m_result.version = loadLittle<std::uint32_t>(m_file, 4);
    m_result.usable = m_result.version == kVersion;
    if (m_result.usable)
        return true;
    report(Severity::Error,
           fault("blob.version", 4, 4, "version")
               .expected(fmt::format("{}", kVersion))
               .found(fmt::format("{}", m_result.version))
               .message(m_result.version == 1
                            ? "Storage version 1, the older Espresso layout, is not supported."
                            : "This storage version is not known."));
    return false;
}

bool Walk::sentinelAt(std::uint64_t at) const
{
    return fitsInside({FileOffset(at), ByteCount(kMetadataBytes)}, ByteCount(m_file.size())) &&
           loadLittle<std::uint32_t>(m_file, at) == kSentinel;
}

bool Walk::endOrSentinel(std::uint64_t at) const
{
    return at >= m_file.size() || sentinelAt(at);
}

/// The next sentinel from `from` on, within what the whole walk may search.
std::optional<std::uint64_t> Walk::search(std::uint64_t from)
{
    for (std::uint64_t at = from; at < m_file.size() && m_searched < kMaxSearchBytes;
         at += kAlignment, m_searched += kAlignment) {
        if (sentinelAt(at))
            return at;
    }
    return std::nullopt;
}

/// Where the record behind `record` starts: behind its payload, or, where the payload lies
/// elsewhere, behind the place that it would have taken. Always ahead of `record`.
std::optional<std::uint64_t> Walk::after(const Record &record)
{
    const std::uint64_t behindMeta = record.metaOffset.value + kMetadataBytes;
    const auto behindPayload = checkedRoundUp(record.payload().end(), kAlignment);
    const bool forward = behindPayload && *behindPayload >= behindMeta;
    if (forward && (record.dataOffset.value >= behindMeta || endOrSentinel(*behindPayload)))
        return behindPayload;
    const auto sum = checkedAdd(behindMeta, record.bytes.value);
    const auto usual = sum ? checkedRoundUp(*sum, kAlignment) : std::nullopt;
    return usual && endOrSentinel(*usual) ? usual : std::optional(behindMeta);
}

void Walk::walkRecords()
{
    std::uint64_t at = kHeaderBytes;
    while (at < m_file.size()) {
        if (m_result.records.size() >= kMaxRecords) {
            report(Severity::Warning,
                   fault("blob.limit", at, 0, "")
                       .expected(fmt::format("at most {} records", kMaxRecords))
                       .message("Too many records: the rest of the file is not listed."));
            m_lost = true;
            return;
        }
        auto record = readRecord(m_file, FileOffset(at), m_fileName);
        if (record) {
            at = after(*record).value_or(m_file.size());
            m_result.records.push_back(*record);
            continue;
        }
        const bool enough = m_result.records.size() + m_faulty >= m_result.count;
        if (enough && !sentinelAt(at)) {
            report(Severity::Note, fault("blob.trailing", at, m_file.size() - at, "")
                                       .message("Bytes behind the last record belong to nothing."));
            return;
        }
        report(Severity::Error, std::move(record.error()));
        ++m_faulty;
        const auto next = search(at + kMetadataBytes);
        if (!next) {
            m_lost = true;
            return;
        }
        at = *next;
    }
}

void Walk::checkCount()
{
    const std::size_t found = m_result.records.size() + m_faulty;
    // A walk that lost its way cannot know the number, and has said why.
    if (found == m_result.count || m_lost || m_faulty > 0)
        return;
    report(Severity::Warning, fault("blob.count", 0, 4, "count")
                                  .expected(fmt::format("{}, the records in the file", found))
                                  .found(fmt::format("{}", m_result.count))
                                  .message("The header's number of records is wrong."));
}

void Walk::reportOverlap(const Record &record, const ByteRange &other, std::string_view what)
{
    report(
        Severity::Warning,
        fault("blob.overlap", record.dataOffset.value, record.bytes.value, "data offset")
            .expected("a payload of its own")
            .found(fmt::format("bytes {} to {} are also {}", other.offset.value, other.end(), what))
            .message(
                fmt::format("The payload of the record at {} shares bytes with something else.",
                            record.metaOffset.value)));
}

/// Payloads against the header, the metadata records and each other, in one sweep over sorted
/// starts; each payload is reported once.
void Walk::checkOverlaps()
{
    std::vector<const Record *> byData;
    byData.reserve(m_result.records.size());
    for (const Record &record : m_result.records) {
        if (record.bytes.value > 0)
            byData.push_back(&record);
    }
    std::sort(byData.begin(), byData.end(),
              [](const Record *a, const Record *b) { return a->dataOffset < b->dataOffset; });
    const Record *reach = nullptr; // of the payloads so far, the one that ends last
    for (const Record *record : byData) {
        const ByteRange payload = record->payload();
        // records are in file order: the first metadata that ends behind the payload's start
        const auto meta = std::partition_point(
            m_result.records.begin(), m_result.records.end(), [&payload](const Record &r) {
                return r.metaOffset.value + kMetadataBytes <= payload.offset.value;
            });
        if (payload.offset.value < kHeaderBytes)
            reportOverlap(*record, {FileOffset(0), ByteCount(kHeaderBytes)}, "the header");
        else if (meta != m_result.records.end() && meta->metaOffset.value < payload.end())
            reportOverlap(*record, {meta->metaOffset, ByteCount(kMetadataBytes)},
                          "a metadata record");
        else if (reach && reach->payload().end() > payload.offset.value)
            reportOverlap(*record, reach->payload(), "another payload");
        if (!reach || payload.end() > reach->payload().end())
            reach = record;
    }
}

} // namespace

BlobFile readBlobFile(std::span<const std::byte> file, std::string_view fileName)
{
    return Walk(file, fileName).run();
}

} // namespace kernscope::milblob
