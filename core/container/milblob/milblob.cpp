// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/milblob/milblob.h"

#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/format/catalogue.h"

#include <algorithm>

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
    bool readHeader()
    {
        if (m_file.size() < kHeaderBytes) {
            report(Severity::Error, fault(m_fileName, "blob.header", 0, m_file.size(), "header")
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
               fault(m_fileName, "blob.version", 4, 4, "version")
                   .expected(fmt::format("{}", kVersion))
                   .found(fmt::format("{}", m_result.version))
                   .message(m_result.version == 1
                                ? "Storage version 1, the older Espresso layout, is not supported."
                                : "This storage version is not known."));
        return false;
    }

    void walkRecords()
    {
        std::uint64_t at = kHeaderBytes;
        while (at < m_file.size()) {
            if (m_result.records.size() >= kMaxRecords) {
                report(Severity::Warning,
                       fault(m_fileName, "blob.limit", at, 0, "")
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
                report(Severity::Note,
                       fault(m_fileName, "blob.trailing", at, m_file.size() - at, "")
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

    /// Where the record behind `record` starts: behind its payload, or, where the payload lies
    /// elsewhere, behind the place that it would have taken. Always ahead of `record`.
    std::optional<std::uint64_t> after(const Record &record)
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

    /// The next sentinel from `from` on, within what the whole walk may search.
    std::optional<std::uint64_t> search(std::uint64_t from)
    {
        for (std::uint64_t at = from; at < m_file.size() && m_searched < kMaxSearchBytes;
             at += kAlignment, m_searched += kAlignment) {
            if (sentinelAt(at))
                return at;
        }
        return std::nullopt;
    }

    bool sentinelAt(std::uint64_t at) const
    {
        return fitsInside({FileOffset(at), ByteCount(kMetadataBytes)}, ByteCount(m_file.size())) &&
               loadLittle<std::uint32_t>(m_file, at) == kSentinel;
    }

    bool endOrSentinel(std::uint64_t at) const { return at >= m_file.size() || sentinelAt(at); }

    void checkCount()
    {
        const std::size_t found = m_result.records.size() + m_faulty;
        // A walk that lost its way cannot know the number, and has said why.
        if (found == m_result.count || m_lost || m_faulty > 0)
            return;
        report(Severity::Warning, fault(m_fileName, "blob.count", 0, 4, "count")
                                      .expected(fmt::format("{}, the records in the file", found))
                                      .found(fmt::format("{}", m_result.count))
                                      .message("The header's number of records is wrong."));
    }

    /// Payloads against the header, the metadata records and each other, in one sweep over sorted
    /// starts; each payload is reported once.
    void checkOverlaps()
    {
        std::vector<const Record *> byData;
        byData.reserve(m_result.records.size());
        for (const Record &record : m_result.records) {
            if (record.bytes.value > 0)
                byData.push_back(&record);
        }
        std::ranges::sort(byData, {}, &Record::dataOffset);
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

    void reportOverlap(const Record &record, const ByteRange &other, std::string_view what)
    {
        report(Severity::Warning,
               fault(m_fileName, "blob.overlap", record.dataOffset.value, record.bytes.value,
                     "data offset")
                   .expected("a payload of its own")
                   .found(fmt::format("bytes {} to {} are also {}", other.offset.value, other.end(),
                                      what))
                   .message(fmt::format(
                       "The payload of the record at {} shares bytes with something else.",
                       record.metaOffset.value)));
    }

    void report(Severity severity, Error error)
    {
        if (m_result.diagnostics.size() < kMaxDiagnostics)
            m_result.diagnostics.push_back({severity, std::move(error)});
    }

    std::span<const std::byte> m_file;
    std::string_view m_fileName;
    BlobFile m_result;
    std::size_t m_faulty = 0;
    std::uint64_t m_searched = 0;
    bool m_lost = false; ///< the walk stopped before it could know how many records there are
};

/// By code, from resources/tables/blob_types.csv; 0 is none.
const std::vector<ElementType> &types()
{
    static const auto all = [] {
        std::vector<ElementType> byCode;
        for (const format::CatalogueRow &row : format::blobTypes()) {
            if (row.code >= byCode.size())
                byCode.resize(row.code + std::size_t{1}, ElementType::Unknown);
            byCode[row.code] = elementTypeFromName(row.name);
        }
        return byCode;
    }();
    return all;
}

constexpr std::uint64_t kReservedAt = 32; ///< last 32 bytes of a metadata record

void append(std::vector<std::byte> &to, std::span<const std::byte> bytes)
{
    to.insert(to.end(), bytes.begin(), bytes.end());
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

BlobFile readBlobFile(std::span<const std::byte> file, std::string_view fileName)
{
    return Walk(file, fileName).run();
}

ElementType elementTypeFromCode(std::uint32_t code)
{
    return code < types().size() ? types()[code] : ElementType::Unknown;
}

std::uint32_t codeOf(ElementType type)
{
    const auto at = std::ranges::find(types(), type);
    return type == ElementType::Unknown || at == types().end()
               ? 0
               : static_cast<std::uint32_t>(at - types().begin());
}

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
    std::ranges::copy(kept, record.begin() + kReservedAt);
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
    std::ranges::copy(m_options.headerReserved, file.begin() + 8);
    append(file, m_body);
    return file;
}

} // namespace kernscope::milblob

namespace kernscope {

bool looksLikeBlobFile(std::span<const std::byte> bytes, std::string_view name)
{
    const bool named = name == "weight.bin" || name.ends_with("/weight.bin");
    if (bytes.size() < milblob::kHeaderBytes)
        return named;
    const std::uint32_t version = loadLittle<std::uint32_t>(bytes, 4);
    if (bytes.size() >= milblob::kHeaderBytes + milblob::kMetadataBytes &&
        loadLittle<std::uint32_t>(bytes, milblob::kHeaderBytes) == milblob::kSentinel)
        return named || version <= milblob::kVersion;
    return named || (version == milblob::kVersion && name.ends_with(".bin"));
}

std::optional<LfsPointer> lfsPointer(std::span<const std::byte> bytes)
{
    constexpr std::size_t kLongest = 1024; // the format's own limit
    if (bytes.size() > kLongest)
        return std::nullopt;
    const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    if (!text.starts_with("version https://git-lfs.github.com/spec/"))
        return std::nullopt;
    const auto valueOf = [text](std::string_view key) {
        const auto at = text.find(key);
        if (at == std::string_view::npos)
            return std::string();
        const auto from = at + key.size();
        return std::string(text.substr(from, text.find_first_of("\r\n", from) - from));
    };
    return LfsPointer{valueOf("\noid "), valueOf("\nsize ")};
}

Error lfsError(const LfsPointer &pointer, const std::string &path)
{
    return valueError({path}, "bundle.lfs", {}, pointer.bytes + " bytes, " + pointer.oid,
                      "a pointer of Git LFS", "The file was not downloaded: run git lfs pull.");
}

} // namespace kernscope
