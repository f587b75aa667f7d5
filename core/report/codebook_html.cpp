// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/printable.h"
#include "core/bundle/bundle.h"
#include "core/report/difference_formats.h"
#include "core/report/difference_rows.h"
#include "core/report/places_table.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

/// Rows of one weight: the file stays small however many entries there are.
constexpr std::size_t kMostRows = 512;

std::string placeText(std::uint64_t book, std::uint64_t code, std::uint64_t books)
{
    if (code == EntryMatch::kNone)
        return {};
    return books > 1 ? fmt::format("{}:{}", book, code) : fmt::format("{}", code);
}

/// `name`: as the file has it.
std::string matchHtml(const std::string &name, const CodebookMatch &match)
{
    const auto &columns = entryTable().columns;
    const auto places = columnOrder(entryTable().facts(), {}, kTerminal);
    const auto cell = [&columns](std::string_view tag, std::size_t column, std::string_view text) {
        return fmt::format("<{0}{1}>{2}</{0}>", tag,
                           columns[column].facts().number() ? " class=\"n\"" : "",
                           escapedMarkup(text));
    };
    std::string text = fmt::format(
        "<h2>Codebooks of {}</h2><p>Entry to entry, by the elements that take them: {}.</p>\n"
        "<div class=\"wide\"><table><thead><tr>",
        escapedMarkup(printable(name)), codebookCountsText(match));
    for (const std::size_t column : places)
        text += cell("th", column, columns[column].title);
    text += "</tr></thead><tbody>\n";
    for (std::size_t i = 0; i < std::min(kMostRows, match.entries.size()); ++i) {
        text += "<tr>";
        for (const std::size_t column : places)
            text += cell("td", column, report::text(columns[column].value({&match, i})));
        text += "</tr>\n";
    }
    text += "</tbody></table></div>\n";
    if (match.entries.size() > kMostRows)
        text += fmt::format("<p>And {} more.</p>\n", match.entries.size() - kMostRows);
    return text;
}

} // namespace

std::string codebookCountsText(const CodebookMatch &match)
{
    std::string text;
    for (std::size_t i = 0; i < kEntryChanges; ++i) {
        if (match.counts[i] > 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", match.counts[i],
                                entryChangeName(static_cast<EntryChange>(i)));
    }
    return text;
}

EntryTexts entryTexts(const CodebookMatch &match, const EntryMatch &entry)
{
    EntryTexts texts;
    texts.a = placeText(entry.bookA, entry.codeA, match.booksA);
    texts.b = placeText(entry.bookB, entry.codeB, match.booksB);
    if (!entry.targets.empty()) {
        constexpr std::size_t kShown = 4;
        texts.b.clear();
        for (std::size_t i = 0; i < std::min(kShown, entry.targets.size()); ++i) {
            const auto &target = entry.targets[i];
            texts.b +=
                fmt::format("{}{} ({})", i == 0 ? "" : ", ",
                            placeText(target.book, target.code, match.booksB), target.elements);
        }
        if (entry.targets.size() > kShown)
            texts.b += fmt::format(" and {} more", entry.targets.size() - kShown);
    }
    texts.valueA = fmt::format("{:.6g}", fmt::join(entry.a, " "));
    texts.valueB = fmt::format("{:.6g}", fmt::join(entry.b, " "));
    return texts;
}

std::string codebooksHtml(const CheckedDifference &checked)
{
    std::string text;
    for (const auto &[index, match] : checked.codebooks) {
        const ComparedPair &pair = checked.difference.weights[index];
        std::string name = comparedWeight(*checked.a, *checked.b, pair).findableName();
        if (pair.slice)
            name += " (" + sliceText(*pair.slice) + ")";
        text += matchHtml(name, match);
    }
    return text;
}

} // namespace kernscope::report
