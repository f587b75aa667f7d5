// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/patch.h"

#include <cstddef>
#include <span>

/// The pieces that edits are written with. Every error is "patch.syntax" with the place within the
/// whole text in `offset`.
namespace kernscope::patch {

/// A piece of a text that remembers where it began.
struct Piece {
    std::string_view text;
    std::size_t at = 0;

    Piece part(std::size_t from, std::size_t count = std::string_view::npos) const
    {
        return {text.substr(from, count), at + from};
    }
    Piece trimmed() const;
};

tl::unexpected<Error> syntaxError(const Piece &place, std::string expected);

/// "0.5", "-0x1.8p-3", "nan", "-inf"; nothing may follow. A number out of fp64's range is refused,
/// and a whole number that it rounds.
Result<double> parseNumber(const Piece &piece);
/// A decimal or 0x integer with an optional sign. `beyond`: may be above INT64_MAX; its bits then,
/// and true.
Result<std::int64_t> parseInteger(const Piece &piece, bool *beyond = nullptr);
/// A decimal number without a sign.
Result<std::uint64_t> parseIndex(const Piece &piece);

inline constexpr std::size_t kMostTypedBytes = 4096; ///< of one edit

/// Pairs of hexadecimal digits, with or without blanks between them; 1 to kMostTypedBytes bytes.
/// Errors: "patch.syntax".
Result<std::vector<std::byte>> parseHexBytes(const Piece &text);
/// Takes "+0x40" (or a decimal number) off the end of `left`. Errors: "patch.syntax".
Result<std::uint64_t> parseFileOffset(Piece &left);

/// The edit with the value that the form holds instead of the one asked for: planned again on the
/// same bytes it needs no tolerance. Fills and files keep what was asked, element by element.
Edit heldEdit(const AppliedEdit &applied);
/// Edits as the lines that parseEditScript() reads, each under its note ("# note: …").
std::string scriptText(std::span<const Edit> edits);

/// Edits that were made one after the other on a bundle as a script for another copy of it: the
/// lines of scriptText() under the digests of the bundle before the first edit and of its weights
/// after the last, and the tolerance that fills and files need.
///
/// `edited` is the bundle with all of `edits` laid over it. Reads all of it: not for the GUI
/// thread. Errors: those of forkWithSteps, "io.hash", "task.cancelled".
Result<std::string> editScript(const BundlePtr &edited,
                               std::span<const std::shared_ptr<const AppliedEdit>> edits,
                               std::span<const Edit> lines, Progress *progress = nullptr);

/// How far what the forms hold is from what fills and files ask for, at most; 0: all is exact.
double largestMiss(std::span<const std::shared_ptr<const AppliedEdit>> edits);

/// That a script of edits has at most.
inline constexpr std::uint64_t kMostScriptBytes = std::uint64_t{1} << 28;

struct ScriptOrigin {
    std::string base, result; ///< digits; empty where the script does not say
};

/// Of the comment lines before the first edit.
ScriptOrigin scriptOrigin(std::string_view script);
/// The lines that scriptOrigin() reads.
std::string originText(const ScriptOrigin &origin);

/// SHA-256 of the files' contents with their paths (of a bundle of one file without: a copy may be
/// called otherwise). Reads all of it. Hold the files for reading. Errors: "io.hash".
Result<std::string> bundleDigest(const Bundle &bundle);
/// SHA-256 of the parts of these weights, one after another. Errors: "io.hash".
Result<std::string> weightsDigest(const Bundle &bundle, const std::vector<std::size_t> &weights);

/// Error "patch.base" where the script was made for another bundle than this one.
Result<void> checkBase(const ScriptOrigin &origin, const Bundle &bundle, const std::string &script);
/// Error "patch.result" where the edited bundle is not what the script was made of.
Result<void> checkResult(const ScriptOrigin &origin, const Bundle &edited,
                         const std::string &script);

} // namespace kernscope::patch
