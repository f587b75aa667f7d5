// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/descriptor/version.h"

#include "core/format/tables.h"

#include <algorithm>

namespace kernscope::descriptor {

namespace {

std::uint32_t numberIn(const CsvTable &csv, std::size_t row, std::string_view column)
{
    return static_cast<std::uint32_t>(parseInteger(csv.cell(row, column)).value_or(0));
}

std::vector<std::string> wordsIn(std::string_view text)
{
    std::vector<std::string> words;
    while (!text.empty()) {
        const auto blank = std::min(text.find(' '), text.size());
        if (blank > 0)
            words.emplace_back(text.substr(0, blank));
        text.remove_prefix(std::min(blank + 1, text.size()));
    }
    return words;
}

Version versionIn(const CsvTable &csv, std::size_t row)
{
    Version version;
    version.subtype = numberIn(csv, row, "subtype");
    version.number = numberIn(csv, row, "version");
    version.generation = csv.cell(row, "generation");
    version.targets = wordsIn(csv.cell(row, "targets"));
    version.chips = csv.cell(row, "chips");
    if (const auto order = parseInteger(csv.cell(row, "order")))
        version.order = static_cast<std::uint32_t>(*order);
    const auto walk = csv.cell(row, "walk");
    version.walk = walk == "linked"  ? TaskWalk::Linked
                   : walk == "sized" ? TaskWalk::Sized
                                     : TaskWalk::Unknown;
    const auto packets = csv.cell(row, "packets");
    version.packets = packets == "full"     ? PacketForm::Full
                      : packets == "packed" ? PacketForm::Packed
                                            : PacketForm::Unknown;
    version.headerWords = numberIn(csv, row, "header_words");
    version.flagWord = numberIn(csv, row, "flag_word");
    version.prefixWords = numberIn(csv, row, "prefix_words");
    version.carriesState = csv.cell(row, "carries") == "yes";
    version.registerMap = numberIn(csv, row, "register_map");
    version.confidence = confidenceOfEvidence(csv.cell(row, "confidence"));
    version.source = csv.cell(row, "source");
    version.note = csv.cell(row, "note");
    return version;
}

std::vector<Version> readVersions()
{
    std::vector<Version> rows;
    if (const auto csv = tables::load("descriptor_versions")) {
        for (std::size_t row = 0; row < csv->rows(); ++row)
            rows.push_back(versionIn(*csv, row));
    }
    return rows;
}

} // namespace

format::Confidence confidenceOfEvidence(std::string_view evidence)
{
    if (evidence == "real" || evidence == "verified")
        return format::Confidence::Verified;
    if (evidence == "contested" || evidence == "contradicted")
        return format::Confidence::Contested;
    if (evidence == "inferred" || evidence == "assumed" || evidence.empty())
        return format::Confidence::Assumed;
    return format::Confidence::Documented;
}

std::span<const Version> versions()
{
    static const auto rows = readVersions();
    return rows;
}

const Version *versionOfSubtype(std::uint32_t subtype)
{
    const auto rows = versions();
    const auto at = std::find_if(rows.begin(), rows.end(),
                                 [subtype](const Version &row) { return row.subtype == subtype; });
    return at == rows.end() ? nullptr : &*at;
}

const Version *versionOfTarget(std::string_view target)
{
    // The table has the names as compilers take them, in lower case.
    std::string name(target);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const auto rows = versions();
    const auto at = std::find_if(rows.begin(), rows.end(), [&name](const Version &row) {
        return std::find(row.targets.begin(), row.targets.end(), name) != row.targets.end();
    });
    return at == rows.end() ? nullptr : &*at;
}

} // namespace kernscope::descriptor
