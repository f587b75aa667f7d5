// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/section/expected_listing.h"
#include "core/format/kernel_unit.h"
#include "tests/fuzz/fuzz_check.h"

#include <string>
#include <string_view>

using namespace kernscope;
using namespace kernscope::format;

/// The units of a text, printed one after the other, are read as the same units.
static void checkListing(std::string_view text)
{
    const auto units = section::parseListing(text);
    if (!units) {
        fuzz::require(units.error().code.starts_with("unit."));
        fuzz::require(units.error().offset && units.error().offset->value <= text.size());
        return;
    }
    std::string printed;
    for (const KernelUnit &unit : *units)
        printed += printKernelUnit(unit);
    const auto again = section::parseListing(printed);
    fuzz::require(again && *again == *units);
}

/// A listing that is read is printed as one that reads the same; a fault lies inside the text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    checkListing(text);
    const auto unit = parseKernelUnit(text);
    if (!unit) {
        fuzz::require(unit.error().code.starts_with("unit."));
        fuzz::require(unit.error().offset && unit.error().offset->value <= size);
        return 0;
    }
    const std::string printed = printKernelUnit(*unit);
    const auto again = parseKernelUnit(printed);
    fuzz::require(again && *again == *unit);
    fuzz::require(printKernelUnit(*again) == printed);
    return 0;
}
