// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"
#include "core/container/network/network.h"
#include "core/format/record_fields.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Compiled neural networks, as coremltools' older models are compiled: the layers as JSON
/// (.espresso.net), extents of their values (.espresso.shape) and a table of numbered blobs
/// (.espresso.weights). The layout is what others published (resources/formats/espresso.md).
namespace kernscope::espresso {

struct Blob {
    std::uint64_t id = 0;
    ByteRange data;
};

/// What a weight file says; its payload stays where it is.
struct BlobTable {
    std::vector<Blob> blobs; ///< in the order of the file: payloads follow each other
    std::unordered_map<std::uint64_t, std::size_t> places; ///< in `blobs`, by number
    /// The count and the entries.
    ByteRange header() const
    {
        return {FileOffset(0), ByteCount(8 + 16 * std::uint64_t(blobs.size()))};
    }
    const Blob *find(std::uint64_t id) const;
};

/// Errors: "espresso.table" (no count, or more blobs than the file has entries for),
/// "espresso.blob" (a payload beyond the file's end, a number that comes twice).
Result<BlobTable> readBlobs(std::span<const std::byte> bytes, const std::string &file);

/// Whether a file is such a weight file, by its name.
bool isWeightFile(std::string_view path);

/// The field of the table of blobs that holds the byte: of its count, or of an entry.
std::optional<format::PlacedField> fieldAt(FileOffset offset);

/// What a network holds.
struct Net {
    std::string storage;    ///< name of the weight file, in the same folder
    mil::Function function; ///< a layer is an operation
    /// Each weight as that of a model before its compilation, LAYER.FIELD: spans are of the weight
    /// file.
    network::Network network;
    std::string version; ///< "2.0"
};

/// Texts and tables of one network. `shape` may be empty; without `weights` no weight is listed.
struct NetFiles {
    std::span<const std::byte> net, shape;
    std::string_view name;              ///< of the net, for errors
    std::string_view shapeName;         ///< of the shape
    const BlobTable *weights = nullptr; ///< null: there is no weight file
    std::string_view weightsName;
};

/// Errors: "espresso.net" (no JSON, no layers), "espresso.compressed" (unpacked). Warning
/// "espresso.shape" (extents that cannot be read; the rest is). Of single weights,
/// in the diagnostics: "espresso.missing" (a blob that the file does not have), "espresso.length"
/// (of another size than the layer's extents), "espresso.ranges" (codes whose arithmetic was not
/// published).
Result<Net> readNet(const NetFiles &files);

// lzfse.cpp
/// Whether a text is stored as newer systems do: in chunks that are compressed (LZFSE).
bool isCompressed(std::span<const std::byte> bytes);

/// The text of a compressed net or shape: "pbze", the size of a chunk, then each chunk with its two
/// sizes (big-endian, 8 bytes). Layout of chunks and blocks: resources/formats/espresso.md. At most
/// 64 MiB. Error "espresso.compressed" with the place of the chunk or block that is not sound.
Result<std::string> unpacked(std::span<const std::byte> bytes, const std::string &file);

} // namespace kernscope::espresso
