// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/numeric/element_type.h"

#include <array>

/// MIL blob storage, version 2 (resources/formats/blob-storage.md): `weight.bin` of Core ML
/// bundles.
namespace kernscope::milblob {

inline constexpr std::uint64_t kHeaderBytes = 64;
inline constexpr std::uint64_t kMetadataBytes = 64;
inline constexpr std::uint64_t kAlignment = 64;
inline constexpr std::uint32_t kSentinel = 0xDEADBEEF;
inline constexpr std::uint32_t kVersion = 2;

/// Element type of a record's dtype code; Unknown for a code that is not in the table.
ElementType elementTypeFromCode(std::uint32_t code);
/// The reverse; 0 for a type that has no code.
std::uint32_t codeOf(ElementType type);

/// One metadata record, checked: its payload lies in the file.
struct Record {
    FileOffset metaOffset;
    std::uint32_t code = 0;
    ElementType type = ElementType::Unknown;
    ByteCount bytes;               ///< payload, with the padding bits of sub-byte types
    FileOffset dataOffset;         ///< absolute
    std::uint64_t paddingBits = 0; ///< as stored; without meaning for whole-byte types
    ElementCount elements;

    ByteRange payload() const { return {dataOffset, bytes}; }
};

/// Where the fields of a record lie, counted from its metaOffset (bytes).
inline constexpr std::uint64_t kSentinelAt = 0, kCodeAt = 4, kBytesAt = 8, kDataOffsetAt = 16,
                               kPaddingBitsAt = 24;

/// Reads the record at `metaOffset`, every number checked against the file's length.
/// Errors: "blob.offset" (outside the file, not a multiple of 64), "blob.sentinel", "blob.dtype",
/// "blob.range" (payload leaves the file), "blob.padding", "blob.size".
Result<Record> readRecord(std::span<const std::byte> file, FileOffset metaOffset,
                          std::string_view fileName);

/// Everything a walk over the file finds. Payloads are not touched.
struct BlobFile {
    std::uint32_t count = 0;     ///< as the header says
    std::uint32_t version = 0;   ///< as the header says
    std::vector<Record> records; ///< in file order, as far as the walk got
    Diagnostics diagnostics;     ///< faults that stopped the walk, wrong counts, overlaps
    bool usable = false;         ///< version 2 and a whole header: records can be read by offset
};

/// Walks the records from offset 64 on. Never loops and never allocates by the header's count.
/// Errors, beside those of readRecord: "blob.header" (shorter than 64 bytes), "blob.version" (1
/// names the older Espresso layout). A faulty record is reported and the next one looked for.
/// Warnings: "blob.count" (the header's number is wrong), "blob.overlap" (payloads, metadata or
/// header share bytes), "blob.limit" (over a million records). Notes: "blob.trailing".
BlobFile readBlobFile(std::span<const std::byte> file, std::string_view fileName);

/// Writes a file record by record; what a reader found can be written back byte for byte.
class Writer
{
public:
    struct Options {
        std::array<std::byte, 56> headerReserved{};
        std::optional<std::uint32_t> count; ///< of the header; else the records added
    };
    Writer() = default;
    explicit Writer(Options options) : m_options(options) {}

    /// Appends a record at the next multiple of 64; returns the offset of its metadata.
    /// `reserved` (the record's last 32 bytes) and `gap` (between metadata and payload) are kept
    /// as given.
    FileOffset add(ElementType type, std::span<const std::byte> payload, std::uint64_t paddingBits,
                   std::span<const std::byte> reserved = {}, std::span<const std::byte> gap = {});
    /// Appends bytes that belong to no record; what is missing to a multiple of 64 becomes zeros.
    void fill(std::span<const std::byte> filler);
    /// The whole file.
    std::vector<std::byte> finish() const;

private:
    Options m_options;
    std::vector<std::byte> m_body;
    std::uint32_t m_count = 0;
};

} // namespace kernscope::milblob

namespace kernscope {

/// True where the bytes begin as a weight file (storage version 1 or 2) does. A file that is too
/// short to tell counts as one only by its name.
bool looksLikeBlobFile(std::span<const std::byte> bytes, std::string_view name);

// Files of which Git LFS left only the pointer.

/// What a file that Git LFS has not downloaded says of the content; nothing for any other file.
struct LfsPointer {
    std::string oid;   ///< "sha256:…"
    std::string bytes; ///< of the content
};
std::optional<LfsPointer> lfsPointer(std::span<const std::byte> bytes);
/// Error "bundle.lfs".
Error lfsError(const LfsPointer &pointer, const std::string &path);

} // namespace kernscope
