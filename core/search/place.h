// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

/// Places of a bundle as people type them, and as find, links and bookmarks write them.
namespace kernscope::search {

/// What is set depends on what was typed: a weight, with or without an element; a section; bytes.
struct TypedPlace {
    std::size_t file = kNoIndex; ///< of `bytes`
    std::optional<ByteRange> bytes;
    std::size_t weight = kNoIndex;
    std::size_t section = kNoIndex;
    std::optional<std::uint64_t> element; ///< of `weight`, row-major
};

/// "weights/weight.bin:0x1f40"; empty where there is no such file.
std::string byteAddress(const Bundle &bundle, std::size_t file, FileOffset offset);

///     name               a weight or a section, also a part of its name if only one has it
///     name[i,j,…]        an element of a weight, one index an axis, or one flat index
///     name+0x40          a byte of a section, or of a weight's first stored part
///     file:0x1f40        a byte of a file
///     0x1f40, 8000       a byte of the file `currentFile`, where that is none of mainFile()
///
/// Upper and lower case of a part of a name are the same in ASCII. Errors: "goto.syntax",
/// "goto.name", "goto.ambiguous" (`found` names some), "goto.range".
Result<TypedPlace> parsePlace(const Bundle &bundle, std::string_view text, std::size_t currentFile);

/// The file that a place without one is in: the first weight file, else the first one with weights.
std::size_t mainFile(const Bundle &bundle);

/// Why a text names no place, so that a window can say it in its language.
struct PlaceFault {
    std::string_view code;     ///< of the error
    std::string_view sentence; ///< English, with the values as {0}, {1}, …
    std::vector<std::string> values;
    std::string found;                     ///< names that would fit; empty where there are none
    std::string file = {};                 ///< of an offset past its end
    std::optional<FileOffset> offset = {}; ///< and that offset
    std::string expected = {};
    Error error() const;
};
/// The same as parsePlace().
tl::expected<TypedPlace, PlaceFault> readPlace(const Bundle &bundle, std::string_view text,
                                               std::size_t currentFile);

/// Bytes of a file.
struct FileBytes {
    std::size_t file = kNoIndex;
    ByteRange range;
};
/// A weight's first stored part; of one that is written in the program where that says its values;
/// empty where it has none.
std::optional<FileBytes> bytesOfWeight(const Bundle &bundle, std::size_t weight);

/// The first byte of what was typed: of an element its code, of a weight its first stored part.
/// Error "goto.range" where it has no bytes of its own in a file.
struct BytePlace {
    std::size_t file = 0;
    FileOffset offset;
};
Result<BytePlace> firstByte(const Bundle &bundle, const TypedPlace &place);

/// `PATH#PLACE`: a path and a place in it. A path that exists as it stands is no link.
struct PlaceLink {
    std::string path, place;
};
PlaceLink splitLink(std::string_view text);

} // namespace kernscope::search
