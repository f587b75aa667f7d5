// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/pair_table.h"

#include "core/base/printable.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/report/fact_values.h"
#include "core/report/joined_columns.h"
#include "core/report/number_text.h"
#include "core/report/weight_table.h"

#include <cmath>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

constexpr auto kPairFigure = TextTable::Align::Right;
constexpr auto kPairName = TextTable::Align::Name;
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

template <double ValueDifference::*Member>
Value differenceValue(const PairFacts &row)
{
    return figure(row, [](const ValueDifference &values) -> Value {
        return std::isnan(values.*Member) ? Value(Unknown())
                                          : Value(Real{values.*Member, kPairDigits, true});
    });
}

template <std::uint64_t ValueDifference::*Member>
Value countValue(const PairFacts &row)
{
    return figure(row,
                  [](const ValueDifference &values) -> Value { return Count{values.*Member}; });
}

Value cosineValue(const PairFacts &row)
{
    return figure(row, [](const ValueDifference &values) -> Value {
        return std::isnan(values.cosine) ? Value(Unknown()) : Value(Real{values.cosine, 6});
    });
}

Value zeroedShare(const PairFacts &row)
{
    return figure(row, [](const ValueDifference &values) -> Value {
        const auto elements = static_cast<double>(values.elements());
        return Percent{elements > 0 ? static_cast<double>(values.zeroed) / elements : 0.0};
    });
}

std::vector<Column<PairFacts>> pairNameColumns()
{
    return {
        {.key = "names",
         .title = "weight",
         .explanation = "Name of the weight in A, and in B where that differs",
         .align = kPairName,
         .shown = kTerminal,
         .value = [](const PairFacts &row) -> Value { return View(row.names); }},
        {.key = "name",
         .title = "weight",
         .explanation = "Name of the weight in A; that in B is in the tool tip where it differs",
         .align = kPairName,
         .shown = kDocumentAndWindow,
         .value = [](const PairFacts &row) -> Value { return View(row.name); }},
        {.key = "name_b",
         .title = "in B",
         .explanation = "Name of the weight in B",
         .shown = kDocument,
         .value = [](const PairFacts &row) -> Value { return View(row.nameB); }},
        {.key = "function",
         .title = "function",
         .explanation = "Function that reads the weight; of a pipeline with its model",
         .shown = kWindow,
         .value = [](const PairFacts &row) { return orDash(row.function); }},
    };
}

std::vector<Column<PairFacts>> storedColumns()
{
    return {
        {.key = "form_a",
         .title = "A",
         .explanation = "How A stores the weight",
         .value = [](const PairFacts &row) { return orDash(row.formA); }},
        {.key = "form_b",
         .title = "B",
         .explanation = "How B stores the weight",
         .value = [](const PairFacts &row) { return orDash(row.formB); }},
        {.key = "stored_a",
         .title = "bytes in A",
         .explanation = "Bytes that A stores for the weight, all its parts",
         .align = kPairFigure,
         .shown = kDocumentAndWindow,
         .value = [](const PairFacts &row) { return storedValue(row.bytesA); }},
        {.key = "stored_b",
         .title = "bytes in B",
         .explanation = "Bytes that B stores for the weight, all its parts",
         .align = kPairFigure,
         .shown = kDocumentAndWindow,
         .value = [](const PairFacts &row) { return storedValue(row.bytesB); }},
        {.key = "stored_ratio",
         .title = "stored B/A",
         .explanation = "Stored bytes of B over those of A: below 1, B is smaller",
         .align = kPairFigure,
         .shown = kTables,
         .value = [](const PairFacts &row) { return known<Ratio>(row.storedRatio); }},
    };
}

std::vector<Column<PairFacts>> errorColumns()
{
    return {
        {.key = "max_abs",
         .title = "max |B - A|",
         .explanation = "Largest absolute difference of two decoded values",
         .align = kPairFigure,
         .value = differenceValue<&ValueDifference::maxAbs>},
        {.key = "mean_abs",
         .title = "mean |B - A|",
         .explanation = "Mean absolute difference over the elements finite in both",
         .align = kPairFigure,
         .shown = kWindow,
         .value = differenceValue<&ValueDifference::meanAbs>},
        {.key = "rmse",
         .title = "RMSE",
         .explanation = "Root of the mean squared difference",
         .align = kPairFigure,
         .shown = kTables,
         .value = differenceValue<&ValueDifference::rmse>},
        {.key = "max_rel",
         .title = "max |B - A| / |A|",
         .explanation = "Largest difference over the value in A; zeros of A that are none in B, "
                        "which are beyond every ratio, are counted as revived",
         .align = kPairFigure,
         .shown = kDocument,
         .value = differenceValue<&ValueDifference::maxRel>},
    };
}

std::vector<Column<PairFacts>> likenessColumns()
{
    return {
        {.key = "cosine",
         .title = "cosine",
         .explanation = "Cosine of the angle between the two tensors taken as vectors: 1 is the "
                        "same direction",
         .align = kPairFigure,
         .value = cosineValue},
        {.key = "max_ulp",
         .title = "max ULP",
         .explanation = "Largest difference in steps of the type of A: how many of its numbers lie "
                        "between the two values",
         .align = kPairFigure,
         .value = countValue<&ValueDifference::maxUlp>},
        {.key = "snr_db",
         .title = "SNR, dB",
         .explanation = "Signal to noise ratio: the squares of A over those of the differences; "
                        "infinite without a difference",
         .align = kPairFigure,
         .shown = kDocument,
         .value =
             [](const PairFacts &row) {
                 return figure(row, [](const ValueDifference &values) -> Value {
                     return Real{values.snr, 3};
                 });
             }},
    };
}

std::vector<Column<PairFacts>> pairCountColumns()
{
    return {
        {.key = "elements",
         .title = "elements",
         .explanation = "Elements that are equal, changed, zeroed and revived",
         .align = kPairName,
         .shown = kTerminal,
         .value =
             [](const PairFacts &row) {
                 return figure(row, [](const ValueDifference &values) -> Value {
                     return elementCountsText(values);
                 });
             }},
        {.key = "equal",
         .title = "equal",
         .explanation = "Elements of the same value (+0 and -0 count as the same, NaN and NaN too)",
         .align = kPairFigure,
         .shown = kDocumentAndWindow,
         .value = countValue<&ValueDifference::equal>},
        {.key = "changed",
         .title = "changed",
         .explanation = "Elements that are nonzero in both and differ",
         .align = kPairFigure,
         .shown = kDocumentAndWindow,
         .value = countValue<&ValueDifference::changed>},
        {.key = "zeroed",
         .title = "zeroed",
         .explanation = "Elements that are nonzero in A and zero in B",
         .align = kPairFigure,
         .shown = kDocument,
         .value = countValue<&ValueDifference::zeroed>},
        {.key = "zeroed_share",
         .title = "zeroed",
         .explanation = "Share of the elements that are nonzero in A and zero in B: what pruning "
                        "took away",
         .align = kPairFigure,
         .shown = kWindow,
         .value = zeroedShare},
        {.key = "revived",
         .title = "revived",
         .explanation = "Elements that are zero in A and nonzero in B",
         .align = kPairFigure,
         .shown = kDocumentAndWindow,
         .value = countValue<&ValueDifference::revived>},
    };
}

std::vector<Column<PairFacts>> pairVerdictColumns()
{
    return {
        {.key = "pairing",
         .title = "paired by",
         .explanation = "How the two were found to be the same weight, as a term of JSON",
         .shown = kDocument,
         .value = [](const PairFacts &row) -> Value { return View(row.pairing); }},
        {.key = "paired_by",
         .title = "paired by",
         .explanation = "How the two were found to be the same weight: by the op that uses them, "
                        "by name, by content, by shape, by their place in order, or by hand",
         .shown = kTables,
         .value = [](const PairFacts &row) { return orDash(row.pairedBy); }},
        {.key = "outcome",
         .title = "chip",
         .explanation = "What the chosen chip does with the weight as B stores it; with that of A "
                        "in the tool tip",
         .shown = kWindow,
         .value =
             [](const PairFacts &row) {
                 return row.outcome ? outcomeValue(*row.outcome) : Value(Unknown());
             }},
        {.key = "changes",
         .title = "what happened",
         .explanation = "What became of the weight besides its values: renamed, moved, reordered, "
                        "re-encoded, re-trained or edited; unreadable where a side is damaged; or "
                        "the part of a split or merged one",
         .align = kPairName,
         .value = [](const PairFacts &row) { return orDash(row.changes); }},
        {.key = "verdict",
         .title = "verdict",
         .explanation = "What became of the weight, in a word",
         .align = kPairName,
         .value = [](const PairFacts &row) -> Value { return View(row.verdict); }},
        {.key = "limits",
         .title = "limits",
         .explanation = "Whether the pair keeps the limits that are set, or which it exceeds",
         .shown = kDocumentAndWindow,
         .value = [](const PairFacts &row) { return orDash(row.limits); }},
    };
}

std::vector<Column<PairFacts>> pairColumns()
{
    return joinedColumns(pairNameColumns(), storedColumns(), errorColumns(), likenessColumns(),
                         pairCountColumns(), pairVerdictColumns());
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
    return text;
}

const TableOf<PairFacts> &pairTable()
{
    static const TableOf<PairFacts> kTable{
        "pairs",
        pairColumns(),
        {"name", "name_b", "form_a", "form_b", "stored_a", "stored_b", "pairing", "equal",
         "changed", "zeroed", "revived", "max_abs", "max_rel", "max_ulp", "cosine", "snr_db",
         "verdict", "limits", "changes"},
        {"name",     "function",     "form_a", "form_b",  "stored_ratio", "max_abs",
         "max_ulp",  "zeroed_share", "cosine", "outcome", "verdict",      "limits",
         "stored_a", "stored_b",     "equal",  "changed", "revived",      "mean_abs",
         "rmse",     "paired_by",    "changes"}};
    return kTable;
}

} // namespace kernscope::report
