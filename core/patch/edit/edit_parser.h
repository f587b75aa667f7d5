// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

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

/// "0.5", "-0x1.8p-3", "nan", "-inf"; nothing may follow. A number that fp64 cannot hold is
/// refused.
Result<double> parseNumber(const Piece &piece);
/// A decimal or 0x integer with an optional sign.
Result<std::int64_t> parseInteger(const Piece &piece);
/// A decimal number without a sign.
Result<std::uint64_t> parseIndex(const Piece &piece);

inline constexpr std::size_t kMostTypedBytes = 4096; ///< of one edit

/// Pairs of hexadecimal digits, with or without blanks between them; 1 to kMostTypedBytes bytes.
/// Errors: "patch.syntax".
Result<std::vector<std::byte>> parseHexBytes(const Piece &text);
/// Takes "+0x40" (or a decimal number) off the end of `left`. Errors: "patch.syntax".
Result<std::uint64_t> parseFileOffset(Piece &left);

} // namespace kernscope::patch
