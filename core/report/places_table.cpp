// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/places_table.h"

#include "core/diff/build_verdict.h"
#include "core/report/difference_formats.h"
#include "core/report/joined_columns.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/limit_json.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

constexpr auto kPlaceFigure = TextTable::Align::Right;
constexpr int kPlaceDigits = 4; ///< of differences, for people

template <std::uint64_t ChannelDifference::*Member>
Value channelCount(const ChannelDifference &row)
{
    return Count{row.*Member};
}

template <double ChannelDifference::*Member>
Value channelError(const ChannelDifference &row)
{
    return Real{row.*Member, kPlaceDigits, true};
}

template <double ChannelDifference::*Member>
Json channelErrorJson(const ChannelDifference &row)
{
    return figureJson(LimitFigure(row.*Member));
}

std::vector<Column<ChannelDifference>> channelCountColumns()
{
    using Row = ChannelDifference;
    return {
        {.key = "channel",
         .title = "channel",
         .explanation = "Output channel: the index along the first axis",
         .align = kPlaceFigure,
         .value = [](const Row &row) -> Value { return Code{row.channel}; }},
        {.key = "elements",
         .title = "elements",
         .explanation = "Elements of the channel",
         .align = kPlaceFigure,
         .shown = kDocument,
         .value = channelCount<&Row::elements>},
        {.key = "different",
         .title = "different",
         .explanation = "Elements that are not the same: changed, zeroed and revived",
         .align = kPlaceFigure,
         .value = channelCount<&Row::different>},
        {.key = "changed",
         .title = "changed",
         .explanation = "Elements that are nonzero in both and differ",
         .align = kPlaceFigure,
         .value = channelCount<&Row::changed>},
        {.key = "zeroed",
         .title = "zeroed",
         .explanation = "Elements that are nonzero in A and zero in B",
         .align = kPlaceFigure,
         .value = channelCount<&Row::zeroed>},
        {.key = "revived",
         .title = "revived",
         .explanation = "Elements that are zero in A and nonzero in B",
         .align = kPlaceFigure,
         .value = channelCount<&Row::revived>},
    };
}

std::vector<Column<ChannelDifference>> channelErrorColumns()
{
    using Row = ChannelDifference;
    return {
        {.key = "worst",
         .title = "worst element",
         .explanation = "First element of the largest difference, counted over the whole weight",
         .align = kPlaceFigure,
         .shown = kDocument,
         .value = channelCount<&Row::worst>},
        {.key = "max_abs",
         .title = "max |B - A|",
         .explanation = "Largest difference of two values of the channel; infinite where one is "
                        "not finite on one side only",
         .align = kPlaceFigure,
         .value = channelError<&Row::maxAbs>,
         .document = channelErrorJson<&Row::maxAbs>},
        {.key = "rmse",
         .title = "RMSE",
         .explanation = "Root of the mean squared difference of the channel",
         .align = kPlaceFigure,
         .value = channelError<&Row::rmse>,
         .document = channelErrorJson<&Row::rmse>},
        {.key = "snr_db",
         .title = "SNR, dB",
         .explanation = "Signal to noise ratio: the squares of A over those of the differences",
         .align = kPlaceFigure,
         .value = [](const Row &row) -> Value {
             return Real{row.snr, 2};
         },
         .document = channelErrorJson<&Row::snr>},
    };
}

std::vector<Column<ChannelDifference>> channelColumns()
{
    return joinedColumns(channelCountColumns(), channelErrorColumns());
}

/// Nine digits tell every fp32 from the next one; an integer that a double rounds has all its own.
Value exactValue(ExactValue value)
{
    const auto narrow = static_cast<double>(value);
    const bool held = static_cast<ExactValue>(narrow) == value || std::isnan(value);
    return Written{narrow, held ? fmt::format("{:.9g}", narrow) : exactText(value)};
}

std::vector<Column<ElementFacts>> elementValueColumns()
{
    using Row = ElementFacts;
    return {
        {.key = "index",
         .title = "element",
         .explanation = "Index along every axis",
         .value = [](const Row &row) -> Value {
             return fmt::format("[{}]", fmt::join(row.place, ","));
         },
         .document = [](const Row &row) { return numbersJson(row.place); },
         .order = [](const Row &row) { return SortValue(row.pair.element); }},
        {.key = "a",
         .title = "A",
         .explanation = "The value in A",
         .align = kPlaceFigure,
         .value = [](const Row &row) { return exactValue(row.pair.a); },
         .document = [](const Row &row) { return exactJson(row.pair.a); }},
        {.key = "b",
         .title = "B",
         .explanation = "The value in B",
         .align = kPlaceFigure,
         .value = [](const Row &row) { return exactValue(row.pair.b); },
         .document = [](const Row &row) { return exactJson(row.pair.b); }},
    };
}

std::vector<Column<ElementFacts>> elementErrorColumns()
{
    using Row = ElementFacts;
    return {
        {.key = "difference",
         .title = "B - A",
         .explanation = "The difference",
         .align = kPlaceFigure,
         .shown = kTables,
         .value = [](const Row &row) -> Value {
             return Real{static_cast<double>(row.pair.b - row.pair.a), 6, true};
         }},
        {.key = "relative",
         .title = "|B - A| / |A|",
         .explanation = "The difference over the value in A; infinite where that is zero",
         .align = kPlaceFigure,
         .shown = kTables,
         .value = [](const Row &row) -> Value {
             return Real{
                 static_cast<double>(std::abs(row.pair.b - row.pair.a) / std::abs(row.pair.a)),
                 kPlaceDigits, true};
         }},
        {.key = "ulp",
         .title = "ULP",
         .explanation = "The difference in steps of the type of A",
         .align = kPlaceFigure,
         .shown = kTables,
         .value = [](const Row &row) -> Value {
             return Count{exactUlpDistance(row.type, row.pair.a, row.pair.b)};
         }},
    };
}

Json placeNumber(std::uint64_t number)
{
    return number == EntryMatch::kNone ? Json(nullptr) : numberJson(number);
}

/// Values, one a lane; null for what is not finite, and for a side without the entry.
Json lanesJson(const std::vector<float> &lanes)
{
    if (lanes.empty())
        return nullptr;
    Json list = Json::array();
    for (const float lane : lanes)
        list.push_back(std::isfinite(lane) ? Json(lane) : Json(nullptr));
    return list;
}

/// By codebook and number; entries that a side does not have come first.
SortValue entryOrder(std::uint64_t book, std::uint64_t code, std::uint64_t entries)
{
    return code == EntryMatch::kNone ? SortValue() : SortValue(book * entries + code);
}

SortValue laneOrder(const std::vector<float> &lanes)
{
    return lanes.empty() ? SortValue() : SortValue(static_cast<double>(lanes.front()));
}

Value orNone(std::string text)
{
    return text.empty() ? Value(Nothing()) : Value(std::move(text));
}

Value usesValue(std::uint64_t uses, const std::vector<float> &lanes)
{
    return lanes.empty() ? Value(Nothing()) : Value(Count{uses});
}

Json targetsJson(const EntryFacts &row)
{
    if (row.get().targets.empty())
        return noKey();
    Json list = Json::array();
    for (const EntryMatch::Target &target : row.get().targets)
        list.push_back({{"codebook", numberJson(target.book)},
                        {"entry", numberJson(target.code)},
                        {"elements", numberJson(target.elements)}});
    return list;
}

std::vector<Column<EntryFacts>> entryOfAColumns()
{
    using Row = EntryFacts;
    return {
        {.key = "codebook_a",
         .title = "codebook of A",
         .explanation = "Codebook of A that holds the entry",
         .shown = kDocument,
         .document = [](const Row &row) { return placeNumber(row.get().bookA); }},
        {.key = "entry_a",
         .title = "entry of A",
         .explanation = "Number of the entry in A; of several codebooks codebook:number",
         .align = kPlaceFigure,
         .value = [](const Row &row) { return orNone(entryTexts(*row.match, row.get()).a); },
         .document = [](const Row &row) { return placeNumber(row.get().codeA); },
         .order =
             [](const Row &row) {
                 return entryOrder(row.get().bookA, row.get().codeA, row.match->entriesA);
             }},
        {.key = "a",
         .title = "value in A",
         .explanation = "What the entry stands for in A",
         .align = kPlaceFigure,
         .value = [](const Row &row) { return orNone(entryTexts(*row.match, row.get()).valueA); },
         .document = [](const Row &row) { return lanesJson(row.get().a); },
         .order = [](const Row &row) { return laneOrder(row.get().a); }},
        {.key = "uses_a",
         .title = "elements",
         .explanation = "Elements of A that take the entry",
         .align = kPlaceFigure,
         .value = [](const Row &row) { return usesValue(row.get().usesA, row.get().a); },
         .document = [](const Row &row) { return numberJson(row.get().usesA); }},
        {.key = "change",
         .title = "what happened",
         .explanation = "Same, moved (another number), changed (another value), split, merged, "
                        "dropped, unused or added: told by the elements, not by the values",
         .value = [](const Row &row) -> Value {
             return Word{.text = entryChangeName(row.get().change),
                         .rank = static_cast<int>(row.get().change)};
         }},
    };
}

std::vector<Column<EntryFacts>> entryOfBColumns()
{
    using Row = EntryFacts;
    return {
        {.key = "codebook_b",
         .title = "codebook of B",
         .explanation = "Codebook of B that holds the entry which most of the elements take",
         .shown = kDocument,
         .document = [](const Row &row) { return placeNumber(row.get().bookB); }},
        {.key = "entry_b",
         .title = "entry of B",
         .explanation = "The entry of B that most of the elements take; of a split one all of "
                        "them, with their elements",
         .align = kPlaceFigure,
         .value = [](const Row &row) { return orNone(entryTexts(*row.match, row.get()).b); },
         .document = [](const Row &row) { return placeNumber(row.get().codeB); },
         .order =
             [](const Row &row) {
                 return entryOrder(row.get().bookB, row.get().codeB, row.match->entriesB);
             }},
        {.key = "b",
         .title = "value in B",
         .explanation = "What that entry stands for",
         .align = kPlaceFigure,
         .value = [](const Row &row) { return orNone(entryTexts(*row.match, row.get()).valueB); },
         .document = [](const Row &row) { return lanesJson(row.get().b); },
         .order = [](const Row &row) { return laneOrder(row.get().b); }},
    };
}

std::vector<Column<EntryFacts>> entryUseColumns()
{
    using Row = EntryFacts;
    return {
        {.key = "uses_b",
         .title = "elements",
         .explanation = "Elements of B that take that entry",
         .align = kPlaceFigure,
         .value = [](const Row &row) { return usesValue(row.get().usesB, row.get().b); },
         .document = [](const Row &row) { return numberJson(row.get().usesB); }},
        {.key = "uses_both",
         .title = "elements of both",
         .explanation = "Elements that take the entry in A and that of B in B",
         .shown = kDocument,
         .document = [](const Row &row) { return numberJson(row.get().both); }},
        {.key = "distance",
         .title = "|B - A|",
         .explanation = "Largest difference between the values of both entries",
         .align = kPlaceFigure,
         .shown = kTables,
         .value =
             [](const Row &row) {
                 const auto distance = row.get().distance();
                 return distance ? Value(Real{*distance, kPlaceDigits, true}) : Value(Nothing());
             }},
        {.key = "targets",
         .title = "entries of B",
         .explanation = "Of a split entry: the entries of B that its elements take, the most first",
         .shown = kDocument,
         .document = targetsJson},
    };
}

} // namespace

const TableOf<ChannelDifference> &channelTable()
{
    static const TableOf<ChannelDifference> kTable{
        "channels",
        channelColumns(),
        {},
        {"channel", "max_abs", "rmse", "snr_db", "changed", "zeroed", "revived", "different"}};
    return kTable;
}

std::vector<ElementFacts> elementRows(const WorstPlaces &worst, const Shape &shape,
                                      ElementType type)
{
    std::vector<ElementFacts> rows;
    rows.reserve(worst.worstElements.size());
    for (const ElementPair &pair : worst.worstElements)
        rows.push_back({pair, elementPlace(shape, pair.element), type});
    return rows;
}

const TableOf<ElementFacts> &elementTable()
{
    static const TableOf<ElementFacts> kTable{
        "elements", joinedColumns(elementValueColumns(), elementErrorColumns())};
    return kTable;
}

std::vector<EntryFacts> entryRows(const CodebookMatch &match)
{
    std::vector<EntryFacts> rows;
    rows.reserve(match.entries.size());
    for (std::size_t i = 0; i < match.entries.size(); ++i)
        rows.push_back({&match, i});
    return rows;
}

const TableOf<EntryFacts> &entryTable()
{
    static const TableOf<EntryFacts> kTable{
        "codebook-entries",
        joinedColumns(entryOfAColumns(), entryOfBColumns(), entryUseColumns()),
        {"change", "codebook_a", "entry_a", "codebook_b", "entry_b", "a", "b", "uses_a", "uses_b",
         "uses_both", "targets"}};
    return kTable;
}

} // namespace kernscope::report
