// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/column.h"

#include "core/base/printable.h"
#include "core/report/json_table.h"
#include "core/report/text_table.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

template <class... Each>
struct Visitor : Each... {
    using Each::operator()...;
};
template <class... Each>
Visitor(Each...) -> Visitor<Each...>;

std::string realText(const Real &real)
{
    return real.significant ? fmt::format("{:.{}g}", real.number, real.places)
                            : fmt::format("{:.{}f}", real.number, real.places);
}

std::string wordText(const Word &word)
{
    if (word.text.empty())
        return word.detail;
    std::string text(word.text);
    return word.detail.empty() ? text : text + ": " + word.detail;
}

std::string filePlaceText(const FilePlace &place)
{
    std::string all(place.file);
    return place.offset ? all + "+" + hexText(*place.offset) : all;
}

SortValue placeOrder(const FilePlace &place)
{
    return fmt::format("{}+{:016x}", place.file, place.offset.value_or(0));
}

SortValue wordOrder(const Word &word)
{
    return word.rank >= 0 ? SortValue(static_cast<std::uint64_t>(word.rank))
                          : SortValue(wordText(word));
}

std::string listText(const List &list)
{
    std::string text;
    for (const std::string &each : list)
        text += (text.empty() ? "" : ", ") + each;
    return text;
}

/// What is infinite is more than any number, or less; what is no number counts as none.
SortValue numberOrder(double number)
{
    return std::isnan(number) ? SortValue() : SortValue(number);
}

Json wholeJson(double number)
{
    return std::isfinite(number) ? Json(number) : Json(nullptr);
}

} // namespace

std::string ColumnFacts::header() const
{
    return unit.empty() ? std::string(title) : fmt::format("{} {}", title, unit);
}

std::string text(const Value &value, std::string_view unknown)
{
    return std::visit(
        Visitor{[&](const Unknown &) { return std::string(unknown); },
                [](const Nothing &) { return std::string(); },
                [](const Absent &) { return std::string(); },
                [](bool yes) { return std::string(yes ? "yes" : "no"); },
                [](const Count &count) { return grouped(count.number); },
                [](const Code &code) { return fmt::format("{}", code.number); },
                [](const Hex &hex) { return hexText(hex.number, hex.digits); },
                [&](const Ratio &ratio) {
                    return std::isfinite(ratio.number) ? ratioText(ratio.number)
                                                       : std::string(unknown);
                },
                [&](const Percent &percent) {
                    return std::isfinite(percent.fraction) ? percentText(percent.fraction)
                                                           : std::string(unknown);
                },
                [](const Real &real) { return realText(real); },
                [](const Seconds &time) { return fmt::format("{:.4g}", time.number); },
                [](const Written &written) { return written.text; },
                [](const Word &word) { return wordText(word); },
                [](const FilePlace &place) { return filePlaceText(place); },
                [](const View &view) { return std::string(view); },
                [](const std::string &own) { return own; },
                [](const List &list) { return listText(list); }},
        value);
}

std::string plainText(const Value &value)
{
    return std::visit(
        Visitor{[](const Unknown &) { return std::string(); },
                [](const Count &count) { return fmt::format("{}", count.number); },
                [](const Ratio &ratio) {
                    return std::isfinite(ratio.number) ? fmt::format("{}", ratio.number) : "";
                },
                [](const Percent &percent) {
                    return std::isfinite(percent.fraction) ? fmt::format("{}", percent.fraction)
                                                           : "";
                },
                [](const Real &real) { return fmt::format("{}", real.number); },
                [](const Seconds &time) { return fmt::format("{}", time.number); },
                [](const Written &written) { return fmt::format("{}", written.number); },
                [&](const auto &) { return printable(text(value)); }},
        value);
}

Json json(const Value &value)
{
    return std::visit(Visitor{[](const Unknown &) { return Json(nullptr); },
                              [](const Nothing &) { return Json(nullptr); },
                              [](const Absent &) { return Json(nullptr); },
                              [](bool yes) { return Json(yes); },
                              [](const Count &count) { return numberJson(count.number); },
                              [](const Code &code) { return numberJson(code.number); },
                              [](const Hex &hex) { return numberJson(hex.number); },
                              [](const Ratio &ratio) { return ratioJson(ratio.number); },
                              [](const Percent &percent) { return ratioJson(percent.fraction); },
                              [](const Real &real) { return wholeJson(real.number); },
                              [](const Seconds &time) { return wholeJson(time.number); },
                              [](const Written &written) { return wholeJson(written.number); },
                              [](const Word &word) { return Json(wordText(word)); },
                              [](const FilePlace &place) { return Json(filePlaceText(place)); },
                              [](const View &view) { return Json(view); },
                              [](const std::string &own) { return Json(own); },
                              [](const List &list) { return Json(list); }},
                      value);
}

SortValue sortValue(const Value &value)
{
    return std::visit(Visitor{[](const Unknown &) { return SortValue(); },
                              [](const Nothing &) { return SortValue(); },
                              [](const Absent &) { return SortValue(); },
                              [](bool yes) { return SortValue(std::uint64_t(yes ? 1 : 0)); },
                              [](const Count &count) { return SortValue(count.number); },
                              [](const Code &code) { return SortValue(code.number); },
                              [](const Hex &hex) { return SortValue(hex.number); },
                              [](const Ratio &ratio) {
                                  return std::isfinite(ratio.number) ? SortValue(ratio.number)
                                                                     : SortValue();
                              },
                              [](const Percent &percent) {
                                  return std::isfinite(percent.fraction)
                                             ? SortValue(percent.fraction)
                                             : SortValue();
                              },
                              [](const Real &real) { return numberOrder(real.number); },
                              [](const Seconds &time) { return numberOrder(time.number); },
                              [](const Word &word) { return wordOrder(word); },
                              [](const FilePlace &place) { return placeOrder(place); },
                              [](const Written &written) { return numberOrder(written.number); },
                              [&](const auto &) { return SortValue(text(value)); }},
                      value);
}

TextTable emptyTextTable(const std::vector<ColumnFacts> &columns, const Titles &titles)
{
    std::vector<TextTable::Column> shown;
    for (const ColumnFacts &column : columns) {
        std::string header = column.header();
        for (const auto &[key, title] : titles) {
            if (key == column.key)
                header = title;
        }
        shown.push_back({std::move(header), column.align});
    }
    return TextTable(std::move(shown));
}

std::string csvLine(std::vector<std::string> cells)
{
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
        line += (i == 0 ? "" : ",") + csvField(std::move(cells[i]));
    return line + "\n";
}

std::vector<std::size_t> columnOrder(const std::vector<ColumnFacts> &columns,
                                     const std::vector<std::string_view> &first, Shown where)
{
    std::vector<std::size_t> order;
    for (const std::string_view key : first) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (columns[i].key == key && (columns[i].shown & where) != 0)
                order.push_back(i);
        }
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if ((columns[i].shown & where) != 0 &&
            std::find(first.begin(), first.end(), columns[i].key) == first.end())
            order.push_back(i);
    }
    return order;
}

} // namespace kernscope::report
