// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/section/expected_listing.h"

#include "core/base/error_builder.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace kernscope::section {

namespace {

using format::KernelUnit;
using format::UnitSection;

constexpr std::string_view kAbsentPart = "absent";

std::string_view withoutBlanks(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

/// "t1 = s64"
bool beginsUnit(std::string_view line)
{
    line = withoutBlanks(line);
    return line.size() > 1 && line[0] == 't' &&
           std::isdigit(static_cast<unsigned char>(line[1])) != 0 &&
           line.find('=') != std::string_view::npos;
}

/// "pal: (…)", a comment or nothing; "wieghts:" as well, so that it is refused and not left out.
bool continuesUnit(std::string_view line)
{
    line = withoutBlanks(line);
    const auto end = std::find_if(line.begin(), line.end(), [](char c) {
        return std::isalpha(static_cast<unsigned char>(c)) == 0;
    });
    return line.empty() || line[0] == ';' ||
           (end != line.begin() && end != line.end() && *end == ':');
}

void compareNumbers(std::vector<ListingDifference> &out, const ListingDifference &where,
                    std::string_view field, std::uint64_t expected, std::uint64_t found)
{
    if (expected == found)
        return;
    ListingDifference row = where;
    row.field = field;
    row.expected = std::to_string(expected);
    row.found = std::to_string(found);
    out.push_back(std::move(row));
}

void comparePart(std::vector<ListingDifference> &out, ListingDifference where,
                 const std::optional<UnitSection> &expected,
                 const std::optional<UnitSection> &found)
{
    if (expected && found) {
        compareNumbers(out, where, "type", expected->type.value, found->type.value);
        compareNumbers(out, where, "palette format", expected->paletteFormat, found->paletteFormat);
        compareNumbers(out, where, "bit depth", expected->bitDepth, found->bitDepth);
        compareNumbers(out, where, "count", expected->count, found->count);
        compareNumbers(out, where, "bytes", expected->bytes, found->bytes);
    } else if (expected || found) {
        where.field = "bytes";
        where.expected = expected ? std::to_string(expected->bytes) : std::string(kAbsentPart);
        where.found = found ? std::to_string(found->bytes) : std::string(kAbsentPart);
        out.push_back(std::move(where));
    }
}

} // namespace

Result<std::vector<KernelUnit>> parseListing(std::string_view text)
{
    std::vector<KernelUnit> units;
    std::optional<std::size_t> begin;
    // One more, empty line ends the last unit.
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t stop = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, stop - at);
        const bool ends = at == text.size() || beginsUnit(line) || !continuesUnit(line);
        if (begin && ends) {
            auto unit = format::parseKernelUnit(text.substr(*begin, at - *begin));
            if (!unit) {
                if (unit.error().offset)
                    unit.error().offset->value += *begin;
                return tl::unexpected(std::move(unit.error()));
            }
            units.push_back(std::move(*unit));
            begin.reset();
        }
        if (beginsUnit(line))
            begin = at;
        if (at == text.size())
            break;
        at = std::min(stop + 1, text.size());
    }
    if (units.empty())
        return ErrorBuilder("unit.syntax")
            .at(FileOffset(0))
            .expected("t1 = s64 and the lines of its sections")
            .found("no kernel unit")
            .message("the kernel-unit listing cannot be read")
            .unexpected();
    return units;
}

Result<std::vector<ListingDifference>> compareListing(const WeightSection &section,
                                                      std::string_view text)
{
    const auto expected = parseListing(text);
    if (!expected)
        return tl::unexpected(expected.error());
    std::vector<const Unit *> found;
    for (const UnitGroup &group : section.groups) {
        for (const auto *units : {&group.units, &group.idle}) {
            for (const std::size_t unit : *units)
                found.push_back(&section.units[unit]);
        }
    }
    std::vector<ListingDifference> rows;
    for (std::size_t i = 0; i < std::max(expected->size(), found.size()); ++i) {
        ListingDifference where;
        where.unit = i < found.size()
                         ? fmt::format("{}: {} core {}", i, found[i]->name, found[i]->core)
                         : std::to_string(i);
        if (i >= expected->size() || i >= found.size()) {
            where.field = "unit";
            where.expected = i < expected->size() ? "a unit" : kAbsentPart;
            where.found = i < found.size() ? "a unit" : kAbsentPart;
            rows.push_back(std::move(where));
            continue;
        }
        const KernelUnit &wanted = (*expected)[i], own = kernelUnit(*found[i]);
        compareNumbers(rows, where, "type", wanted.type, own.type);
        compareNumbers(rows, where, "offset", wanted.offset, own.offset);
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
            where.section = format::unitSectionName(static_cast<Kind>(kind));
            comparePart(rows, where, wanted.sections[kind], own.sections[kind]);
        }
    }
    return rows;
}

} // namespace kernscope::section
