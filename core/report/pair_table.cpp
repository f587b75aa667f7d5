// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/pair_table.h"

#include "core/base/printable.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/report/fact_values.h"
#include "core/report/text_table.h"
#include "core/report/weight_table.h"

#include <cmath>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

constexpr unsigned kDocumentAndWindow = kDocument | kWindow;
constexpr int kPairDigits = 4; ///< of differences, for people

Value orDash(const std::string &text)
{
    return text.empty() ? Value(Unknown()) : Value(View(text));
}

Value storedValue(const std::optional<ByteCount> &bytes)
{
    return bytes ? Value(Count{bytes->value}) : Value(Unknown());
}

/// A figure of the values, once they are compared.
template <class Figure>
Value figure(const PairRow &row, Figure &&of)
{
    if (row.pair.values)
        return of(*row.pair.values);
    return row.asked ? Value(Unknown()) : Value(Absent());
}

template <double ValueDifference::*Member, int places = kPairDigits, bool significant = true>
Value differenceValue(const PairRow &row)
{
    return figure(row, [](const ValueDifference &values) {
        return errorFigure(values, Real{values.*Member, places, significant});
    });
}

template <std::uint64_t ValueDifference::*Member>
Value countValue(const PairRow &row)
{
    return figure(row,
                  [](const ValueDifference &values) -> Value { return Count{values.*Member}; });
}

Value zeroedShare(const PairRow &row)
{
    return figure(row, [](const ValueDifference &values) -> Value {
        const auto elements = static_cast<double>(values.elements());
        return Percent{elements > 0 ? static_cast<double>(values.zeroed) / elements : 0.0};
    });
}

/// What the tables say of one side.
struct SideWords {
    std::string &name, &findable, &form;
    Shape &shape;
    std::optional<ByteCount> &bytes;

    void fill(const Weight &weight)
    {
        name = weight.name;
        findable = weight.findableName();
        form = formText(weight.form);
        shape = weight.shape;
        bytes = knownStoredBytes(weight);
    }
};

void fillSides(const Bundle &a, const Bundle &b, PairRow &row)
{
    if (row.onB())
        SideWords{row.nameB, row.findableB, row.formB, row.shapeB, row.bytesB}.fill(
            b.weights()[row.pair.b]);
    if (row.onA())
        SideWords{row.nameA, row.findableA, row.formA, row.shapeA, row.bytesA}.fill(
            a.weights()[row.pair.a]);
    const Weight &weight = row.onA() ? a.weights()[row.pair.a] : b.weights()[row.pair.b];
    row.function = functionWords(weight);
    row.elements = weight.elements.value;
}

PairRow aloneRow(const Bundle &a, const Bundle &b, PairSides sides)
{
    PairRow row;
    row.pair.a = sides.a;
    row.pair.b = sides.b;
    row.state = PairState::OneSided;
    fillSides(a, b, row);
    row.verdict = row.onA() ? "only in A" : "only in B";
    return row;
}

} // namespace

PairRow pairRow(const Bundle &a, const Bundle &b, const ComparedPair &pair)
{
    PairRow row;
    row.pair = pair;
    row.state = pair.values                             ? PairState::Compared
                : !pair.shapeEqual || pair.unreadable() ? PairState::NoValues
                                                        : PairState::Waiting;
    fillSides(a, b, row);
    row.elements = comparedWeight(a, b, pair).elements.value;
    row.reason =
        fmt::format("{} ({})", pairingReason(a, b, pair), pairConfidenceName(pair.confidence));
    row.changes = pairChangesText(a, b, pair);
    row.verdict = verdict(pair, a, b);
    return row;
}

std::vector<PairRow> pairRows(const Bundle &a, const Bundle &b, std::span<const ComparedPair> pairs,
                              std::span<const std::size_t> onlyA,
                              std::span<const std::size_t> onlyB)
{
    std::vector<PairRow> rows;
    for (const ComparedPair &pair : pairs)
        rows.push_back(pairRow(a, b, pair));
    for (const std::size_t weight : onlyA)
        rows.push_back(aloneRow(a, b, {weight, kNoIndex}));
    for (const std::size_t weight : onlyB)
        rows.push_back(aloneRow(a, b, {kNoIndex, weight}));
    return rows;
}

std::string pairedByText(const ComparedPair &pair)
{
    return pairingText(pair) + (pair.confidence == PairConfidence::Guess ? " (a guess)" : "");
}

std::string elementCountsText(const ValueDifference &values)
{
    if (values.identical())
        return fmt::format("all {} equal", grouped(values.elements()));
    std::string text = fmt::format("{} equal", grouped(values.equal));
    const auto add = [&text](std::uint64_t count, std::string_view word) {
        if (count > 0)
            text += fmt::format(", {} {}", grouped(count), word);
    };
    add(values.changed, "changed");
    add(values.zeroed, "zeroed");
    add(values.revived, "revived");
    add(values.notFinite, "not finite");
    return text;
}

Value errorFigure(const ValueDifference &values, const Real &number)
{
    if (values.notFinite > 0)
        return Written{number.number, "not finite"};
    if (std::isinf(number.number))
        return Written{number.number, number.number > 0 ? "infinite" : "minus infinite"};
    return number;
}

const TableOf<PairRow> &pairTable()
{
    using Row = PairRow;
    static constexpr Column<Row> kColumns[] = {
        {kName | kTerminal, "names", "weight",
         "Name of the weight in A, and in B where that differs",
         [](const PairRow &row) -> Value {
             if (!row.onA() || !row.onB() || row.nameA == row.nameB)
                 return printable(row.name());
             return printable(row.nameA) + " > " + printable(row.nameB);
         }},
        {kName | kWindow, "weight",
         "Name of the weight in A; that in B is in the tool tip where it differs",
         [](const PairRow &row) -> Value { return View(row.name()); }},
        {kName | kDocument, "name", "weight", "Name of the weight in A",
         member<&PairRow::findableA>},
        {kDocument, "name_b", "in B", "Name of the weight in B", member<&PairRow::findableB>},
        {kWindow, "function", "Function that reads the weight; of a pipeline with its model",
         [](const PairRow &row) { return orDash(row.function); }},
        {"form_a", "A", "How A stores the weight",
         [](const PairRow &row) { return orDash(row.formA); }},
        {"form_b", "B", "How B stores the weight",
         [](const PairRow &row) { return orDash(row.formB); }},
        {kNumber | kDocumentAndWindow, "stored_a", "bytes in A",
         "Bytes that A stores for the weight, all its parts",
         [](const PairRow &row) { return storedValue(row.bytesA); }},
        {kNumber | kDocumentAndWindow, "stored_b", "bytes in B",
         "Bytes that B stores for the weight, all its parts",
         [](const PairRow &row) { return storedValue(row.bytesB); }},
        {kNumber | kTables, "stored_ratio", "stored B/A",
         "Stored bytes of B over those of A: below 1, B is smaller",
         [](const PairRow &row) { return known<Ratio>(row.pair.storedRatio); }},
        {kNumber, "relative_rmse", "relative RMSE",
         "Root of the squares of the differences over those of A: the error as a share of the "
         "weight, by which the worst stand first",
         differenceValue<&ValueDifference::relativeRmse>},
        {kNumber, "snr_db", "SNR, dB",
         "Signal to noise ratio: the squares of A over those of the differences; infinite without "
         "a difference",
         differenceValue<&ValueDifference::snr, 2, false>},
        {kNumber, "max_abs", "max |B - A|", "Largest absolute difference of two decoded values",
         differenceValue<&ValueDifference::maxAbs>},
        {kNumber | kWindow, "mean_abs", "mean |B - A|",
         "Mean absolute difference over the elements finite in both",
         differenceValue<&ValueDifference::meanAbs>},
        {kNumber | kTables, "rmse", "RMSE", "Root of the mean squared difference",
         differenceValue<&ValueDifference::rmse>},
        {kNumber | kDocument, "max_rel", "max |B - A| / |A|",
         "Largest difference over the value in A; infinite where zeros of A are none in B",
         differenceValue<&ValueDifference::maxRel>},
        {kNumber, "cosine",
         "Cosine of the angle between the two tensors taken as vectors: 1 is the same direction",
         differenceValue<&ValueDifference::cosine, 6, false>},
        {kNumber, "max_ulp", "max ULP",
         "Largest difference in steps of the type of A: how many of its numbers lie between the "
         "two values; only where both are of one type",
         [](const PairRow &row) {
             return figure(
                 row, [](const ValueDifference &values) { return known<Count>(values.ulp()); });
         }},
        {kName | kTerminal, "elements",
         "Elements that are equal, changed, zeroed, revived and no longer finite",
         [](const PairRow &row) {
             return figure(row, [](const ValueDifference &values) -> Value {
                 return elementCountsText(values);
             });
         }},
        {kNumber | kDocumentAndWindow, "equal",
         "Elements of the same value (+0 and -0 count as the same, NaN and NaN too)",
         countValue<&ValueDifference::equal>},
        {kNumber | kDocumentAndWindow, "changed", "Elements that are nonzero in both and differ",
         countValue<&ValueDifference::changed>},
        {kNumber | kDocument, "zeroed", "Elements that are nonzero in A and zero in B",
         countValue<&ValueDifference::zeroed>},
        {kNumber | kWindow, "zeroed_share", "zeroed",
         "Share of the elements that are nonzero in A and zero in B: what pruning took away",
         zeroedShare},
        {kNumber | kDocumentAndWindow, "revived", "Elements that are zero in A and nonzero in B",
         countValue<&ValueDifference::revived>},
        {kNumber | kDocument, "nonfinite_a", "not finite in A",
         "Elements of A that are infinite or no number", countValue<&ValueDifference::nonfiniteA>},
        {kNumber | kDocument, "nonfinite_b", "not finite in B",
         "Elements of B that are infinite or no number", countValue<&ValueDifference::nonfiniteB>},
        {kDocument, "pairing", "paired by",
         "How the two were found to be the same weight, as a term of JSON",
         [](const PairRow &row) -> Value {
             return row.onA() && row.onB() ? View(pairingName(row.pair.pairing)) : View();
         }},
        {kTables, "paired_by", "paired by",
         "How the two were found to be the same weight: by the op that uses them, by name, by "
         "content, by shape, by their place in order, or by hand",
         [](const PairRow &row) -> Value {
             if (!row.onA() || !row.onB())
                 return Unknown();
             return pairedByText(row.pair);
         }},
        {kWindow, "outcome", "chip",
         "What the chosen chip does with the weight as B stores it; with that of A in the tool tip",
         [](const PairRow &row) {
             return row.outcomeB ? outcomeValue(*row.outcomeB) : Value(Unknown());
         }},
        {kName, "changes", "what happened",
         "What became of the weight besides its values: renamed, moved, reordered, re-encoded, "
         "re-trained or edited; unreadable where a side is damaged; or the part of a split or "
         "merged one",
         [](const PairRow &row) { return orDash(row.changes); }},
        {kName, "verdict", "What became of the weight, in a word", member<&PairRow::verdict>},
        {kDocumentAndWindow, "limits",
         "Whether the pair keeps the limits that are set, or which it exceeds",
         [](const PairRow &row) { return orDash(row.limits); }},
    };
    static const TableOf<Row> kTable{
        "pairs",
        kColumns,
        {"name",        "name_b",        "form_a",  "form_b",  "stored_a", "stored_b",
         "pairing",     "equal",         "changed", "zeroed",  "revived",  "nonfinite_a",
         "nonfinite_b", "relative_rmse", "snr_db",  "max_abs", "max_rel",  "max_ulp",
         "cosine",      "verdict",       "limits",  "changes"},
        {"weight",  "function", "form_a",       "form_b",    "stored_ratio", "relative_rmse",
         "snr_db",  "max_abs",  "zeroed_share", "outcome",   "verdict",      "limits",
         "cosine",  "max_ulp",  "stored_a",     "stored_b",  "equal",        "changed",
         "revived", "mean_abs", "rmse",         "paired_by", "changes"}};
    return kTable;
}

} // namespace kernscope::report
