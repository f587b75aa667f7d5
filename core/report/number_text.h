// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/counted_text.h"

#include <cstdint>
#include <string>
#include <string_view>

/// How numbers are written for people, in the window and on the command line alike.
namespace kernscope::report {

using kernscope::counted;
using kernscope::grouped;
/// "82,944 B (81.0 KiB)"; below 1024 without the second figure.
std::string bytesText(std::uint64_t bytes);
/// A sum that lacks `open` terms which are not known: "512 B", "at least 512 B (+ 3 not known)".
std::string sumText(std::string known, std::size_t open);
/// One place and a sign: "63.2 %", of a fraction 0 to 1.
std::string percentText(double fraction);
/// Three places: "0.479".
std::string ratioText(double ratio);
/// "0x02b080": at least `digits` lower-case digits.
std::string hexText(std::uint64_t number, int digits = 1);
/// Three significant digits and a prefix: "12.3 µs", "85 GB/s".
std::string siText(double value, std::string_view unit);
/// One field of a CSV line, quoted where RFC 4180 wants it. A text that a spreadsheet would take
/// for a formula gets an apostrophe in front.
std::string csvField(std::string text);

} // namespace kernscope::report
