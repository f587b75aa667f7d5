// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"
#include "core/patch/edit/edit.h"

/// Numbers of the program file written anew in the bytes that they have.
namespace kernscope::patch {

/// Texts that a reader turns into exactly this stored code, in order of preference: of a floating-
/// point number the hexadecimal notation that compilers write, then the shortest decimal one; of an
/// integer its digits. Empty where there is none (NaN with a payload).
std::vector<std::string> notations(ElementType type, std::int64_t code);

/// A finite number as compilers write literals, and printf's %a: "-0x1.ad8p-5", "0x0p+0".
std::string hexadecimal(double value);

/// Bytes to put in place of a run of the same length that begins at `offset`.
struct Rewrite {
    std::uint64_t offset = 0;
    std::string bytes;
};

/// Writes the token at `span` of program text anew. A shorter one is padded with spaces; a longer
/// one takes spaces from beside it, where the grammar allows for none (model.mil: white space is
/// free between tokens), moving only brackets and commas. Nothing where there is no such room.
std::optional<Rewrite> rewriteToken(std::span<const std::byte> text, mil::SourceSpan span,
                                    std::string_view token);

/// The same for a varint of the protobuf: padded with continuation bytes where the new one is
/// shorter. Nothing where it is longer, or where `span` holds no varint of `before`.
std::optional<Rewrite> rewriteVarint(std::span<const std::byte> wire, mil::SourceSpan span,
                                     std::uint64_t before, std::uint64_t after);

/// An extent that is written as digits or as a varint, whichever of them reads as `before`.
std::optional<Rewrite> rewriteExtent(std::span<const std::byte> program, mil::SourceSpan span,
                                     std::uint64_t before, std::uint64_t after);

/// For a copy: the bundle in memory with room behind those numbers of its program that `edits`
/// make longer than their places, so that the same edits can be planned on it. Null where none of
/// them is. `tolerance`: of planEdits. Errors: "encode.size", "encode.program".
Result<BundlePtr> withLiteralRoom(const Bundle &bundle, const std::vector<Edit> &edits,
                                  double tolerance);

} // namespace kernscope::patch
