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
Value figure(const PairFacts &row, Figure &&of)
{
    if (row.values != nullptr)
        return of(*row.values);
    return row.asked ? Value(Unknown()) : Value(Absent());
}

template <double ValueDifference::*Member, int places = kPairDigits, bool significant = true>
Value differenceValue(const PairFacts &row)
{
    return figure(row, [](const ValueDifference &values) {
        return errorFigure(values, Real{values.*Member, places, significant});
    });
}

template <std::uint64_t ValueDifference::*Member>
Value countValue(const PairFacts &row)
{
    return figure(row,
                  [](const ValueDifference &values) -> Value { return Count{values.*Member}; });
}

Value zeroedShare(const PairFacts &row)
{
    return figure(row, [](const ValueDifference &values) -> Value {
        const auto elements = static_cast<double>(values.elements());
        return Percent{elements > 0 ? static_cast<double>(values.zeroed) / elements : 0.0};
    });
}

PairFacts tableFacts(const Weight &a, const Weight &b)
{
    PairFacts facts;
    facts.name = a.findableName();
    facts.nameB = b.findableName();
    facts.names =
        a.name == b.name ? printable(a.name) : printable(a.name) + " > " + printable(b.name);
    facts.function = functionWords(a);
    facts.formA = formText(a.form);
    facts.formB = formText(b.form);
    facts.bytesA = knownStoredBytes(a);
    facts.bytesB = knownStoredBytes(b);
    return facts;
}

} // namespace

PairFacts pairFacts(const Bundle &a, const Bundle &b, const WeightPair &pair)
{
    PairFacts facts = tableFacts(a.weights()[pair.a], b.weights()[pair.b]);
    facts.storedRatio = pair.storedRatio;
    facts.values = pair.values ? &*pair.values : nullptr;
    facts.pairing = pairingName(pair.pairing);
    facts.pairedBy = pairedByText(pair);
    facts.changes = pairChangesText(a, b, pair);
    facts.verdict = verdict(pair, a, b);
    facts.severity = severityOf(pair);
    return facts;
}

PairFacts partFacts(const Bundle &a, const Bundle &b, const JoinedWeights &joined, std::size_t part)
{
    const Weight &from = a.weights()[joined.weightA(part)], &to = b.weights()[joined.weightB(part)];
    PairFacts facts = tableFacts(from, to);
    facts.storedRatio = storedRatio(from, to);
    const auto &values = joined.parts[part].values;
    facts.values = values ? &*values : nullptr;
    facts.pairing = pairingName(Pairing::Content);
    facts.changes = joinedText(joined, part);
    facts.verdict = joinedVerdict(joined, part);
    facts.severity = severityOf(joined.parts[part]);
    return facts;
}

PairFacts aloneFacts(const Bundle &bundle, std::size_t weight, bool ofA)
{
    const Weight &alone = bundle.weights()[weight];
    PairFacts facts;
    (ofA ? facts.name : facts.nameB) = alone.findableName();
    facts.names = printable(alone.name);
    facts.function = functionWords(alone);
    (ofA ? facts.formA : facts.formB) = formText(alone.form);
    (ofA ? facts.bytesA : facts.bytesB) = knownStoredBytes(alone);
    facts.verdict = ofA ? "only in A" : "only in B";
    facts.severity = {PairSeverity::Kind::OneSided};
    return facts;
}

std::string pairedByText(const WeightPair &pair)
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

const TableOf<PairFacts> &pairTable()
{
    using Row = PairFacts;
    static constexpr Column<Row> kColumns[] = {
        {kName | kTerminal, "names", "weight",
         "Name of the weight in A, and in B where that differs", member<&PairFacts::names>},
        {kName | kDocumentAndWindow, "name", "weight",
         "Name of the weight in A; that in B is in the tool tip where it differs",
         member<&PairFacts::name>},
        {kDocument, "name_b", "in B", "Name of the weight in B", member<&PairFacts::nameB>},
        {kWindow, "function", "Function that reads the weight; of a pipeline with its model",
         [](const PairFacts &row) { return orDash(row.function); }},
        {"form_a", "A", "How A stores the weight",
         [](const PairFacts &row) { return orDash(row.formA); }},
        {"form_b", "B", "How B stores the weight",
         [](const PairFacts &row) { return orDash(row.formB); }},
        {kNumber | kDocumentAndWindow, "stored_a", "bytes in A",
         "Bytes that A stores for the weight, all its parts",
         [](const PairFacts &row) { return storedValue(row.bytesA); }},
        {kNumber | kDocumentAndWindow, "stored_b", "bytes in B",
         "Bytes that B stores for the weight, all its parts",
         [](const PairFacts &row) { return storedValue(row.bytesB); }},
        {kNumber | kTables, "stored_ratio", "stored B/A",
         "Stored bytes of B over those of A: below 1, B is smaller",
         [](const PairFacts &row) { return known<Ratio>(row.storedRatio); }},
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
         [](const PairFacts &row) {
             return figure(
                 row, [](const ValueDifference &values) { return known<Count>(values.ulp()); });
         }},
        {kName | kTerminal, "elements",
         "Elements that are equal, changed, zeroed, revived and no longer finite",
         [](const PairFacts &row) {
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
         member<&PairFacts::pairing>},
        {kTables, "paired_by", "paired by",
         "How the two were found to be the same weight: by the op that uses them, by name, by "
         "content, by shape, by their place in order, or by hand",
         [](const PairFacts &row) { return orDash(row.pairedBy); }},
        {kWindow, "outcome", "chip",
         "What the chosen chip does with the weight as B stores it; with that of A in the tool tip",
         [](const PairFacts &row) {
             return row.outcome ? outcomeValue(*row.outcome) : Value(Unknown());
         }},
        {kName, "changes", "what happened",
         "What became of the weight besides its values: renamed, moved, reordered, re-encoded, "
         "re-trained or edited; unreadable where a side is damaged; or the part of a split or "
         "merged one",
         [](const PairFacts &row) { return orDash(row.changes); }},
        {kName, "verdict", "What became of the weight, in a word", member<&PairFacts::verdict>},
        {kDocumentAndWindow, "limits",
         "Whether the pair keeps the limits that are set, or which it exceeds",
         [](const PairFacts &row) { return orDash(row.limits); }},
    };
    static const TableOf<Row> kTable{
        "pairs",
        kColumns,
        {"name",        "name_b",        "form_a",  "form_b",  "stored_a", "stored_b",
         "pairing",     "equal",         "changed", "zeroed",  "revived",  "nonfinite_a",
         "nonfinite_b", "relative_rmse", "snr_db",  "max_abs", "max_rel",  "max_ulp",
         "cosine",      "verdict",       "limits",  "changes"},
        {"name",    "function", "form_a",       "form_b",    "stored_ratio", "relative_rmse",
         "snr_db",  "max_abs",  "zeroed_share", "outcome",   "verdict",      "limits",
         "cosine",  "max_ulp",  "stored_a",     "stored_b",  "equal",        "changed",
         "revived", "mean_abs", "rmse",         "paired_by", "changes"}};
    return kTable;
}

} // namespace kernscope::report
