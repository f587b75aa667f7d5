// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/descriptor/version.h"

#include "core/format/table_rows.h"

#include <algorithm>

namespace kernscope::descriptor {

namespace {

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

std::vector<Version> readVersions()
{
    return tables::loadRows<Version>(
        "descriptor_versions",
        {{"subtype", &Version::subtype},
         {"version", &Version::number},
         {"generation", &Version::generation},
         {"targets", [](Version &row, std::string_view cell) { row.targets = wordsIn(cell); }},
         {"chips", &Version::chips},
         {"order", &Version::order},
         {"walk",
          [](Version &row, std::string_view cell) {
              row.walk = cell == "linked"  ? TaskWalk::Linked
                         : cell == "sized" ? TaskWalk::Sized
                                           : TaskWalk::Unknown;
          }},
         {"packets",
          [](Version &row, std::string_view cell) {
              row.packets = cell == "full"     ? PacketForm::Full
                            : cell == "packed" ? PacketForm::Packed
                                               : PacketForm::Unknown;
          }},
         {"header_words", &Version::headerWords},
         {"flag_word", &Version::flagWord},
         {"prefix_words", &Version::prefixWords},
         {"carries", &Version::carriesState},
         {"register_map", &Version::registerMap},
         {"confidence",
          [](Version &row, std::string_view cell) { row.confidence = confidenceOfEvidence(cell); }},
         {"source", &Version::source},
         {"note", &Version::note}});
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
