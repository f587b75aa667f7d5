// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/container_reader.h"

/// Tables written back: what holds that a reader keeps everything that a file says. The program
/// itself writes these kinds only by patches of single bytes.
namespace kernscope {

namespace hwx {
struct Container;
/// Header, commands, relocations and symbols from the model's fields, everything else (segment
/// bytes, strings, state words without a name) from `source`. Reading and writing gives the same
/// bytes. Error "hwx.write" where a field's place is outside the file.
Result<std::vector<std::byte>> writeContainer(const Container &container,
                                              std::span<const std::byte> source);
} // namespace hwx

namespace anec {
struct AnecFile;
/// The header from the model, the content from `source`. Error "anec.write" where the source is no
/// file of that size.
Result<std::vector<std::byte>> writeAnec(const AnecFile &file, std::span<const std::byte> source);
} // namespace anec

namespace odix {
struct Program;
/// Header and data segments by the tables, the FlatBuffer and what lies between the constants from
/// `source`. Error "odix.write" where `source` is shorter.
Result<std::vector<std::byte>> writeProgram(const Program &program,
                                            std::span<const std::byte> source);
} // namespace odix

namespace espresso {
struct BlobTable;
/// The table, payloads and what follows them from `source`. Error "espresso.write" where `source`
/// does not hold them.
Result<std::vector<std::byte>> writeBlobs(const BlobTable &table,
                                          std::span<const std::byte> source);
} // namespace espresso

namespace milblob {
/// Parses and writes again: equal to `file` for every sound file (filler and reserved bytes kept,
/// the header's count too). Errors: the first one of readBlobFile, or "blob.overlap".
Result<std::vector<std::byte>> reencode(std::span<const std::byte> file, std::string_view fileName);
} // namespace milblob

namespace mil {
struct Program;
/// What an edit may change (offsets of records, extents, packed literals and whole numbers that are
/// written out) from the model, everything else from `source`. `wire`: the source is a serialised
/// Model, else text. Error "mil.write" where a number does not fit its place.
Result<std::vector<std::byte>> writeProgram(const Program &program,
                                            std::span<const std::byte> source, bool wire);
/// Reads (as text or as a serialised Model, by the first bytes) and writes. Errors: those of the
/// reader that left out a statement, and those of writeProgram.
Result<std::vector<std::byte>> rewriteProgram(std::span<const std::byte> source,
                                              std::string_view fileName);
} // namespace mil

namespace test {
using FileContent = std::vector<std::byte>;
/// Parses the files of a bundle and writes them back from what was parsed, by file: the same bytes
/// for every sound one. What a reader holds no model of (payloads, filler, files that are none of
/// the container's own) is taken from the source. Errors: "container.read_only" where nothing
/// writes the kind, else those of its reader and writer.
Result<std::vector<FileContent>> rewrite(const ContainerReader &reader,
                                         const std::vector<BundleFile> &files);
} // namespace test

} // namespace kernscope
