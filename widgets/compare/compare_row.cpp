// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_row.h"

#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/report/pair_table.h"
#include "core/report/weight_table.h"
#include "widgets/common/outcome_words.h"
#include "widgets/common/row_table_model.h"
#include "widgets/common/table_text.h"
#include "widgets/common/window_columns.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

namespace {

struct RowWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::CompareRow)
};

const QString kDash = QStringLiteral("\u2013");

const WindowColumns<report::PairFacts> &pairColumns()
{
    static const WindowColumns<report::PairFacts> kColumns(report::pairTable());
    return kColumns;
}

const report::ColumnFacts &pairColumnFacts(CompareColumn column)
{
    return pairColumns().facts(static_cast<int>(column));
}

/// The cell of a column of numbers.
report::Value pairValue(const CompareRow &row, CompareColumn column)
{
    report::PairFacts facts;
    facts.bytesA = row.bytesA;
    facts.bytesB = row.bytesB;
    if (row.onA() && row.onB())
        facts.storedRatio = row.pair.storedRatio;
    facts.values = row.pair.values ? &*row.pair.values : nullptr;
    return pairColumns().value(static_cast<int>(column), facts);
}

QString textOf(const CompareRow &row, CompareColumn column)
{
    switch (column) {
    case CompareColumn::Weight: return row.name;
    case CompareColumn::Function: return row.function;
    case CompareColumn::FormA: return row.formA;
    case CompareColumn::FormB: return row.formB;
    case CompareColumn::Outcome: return row.outcomeB ? outcomeWord(*row.outcomeB) : QString();
    case CompareColumn::Verdict: return verdictText(row);
    case CompareColumn::Limits: return limitsText(row);
    case CompareColumn::Pairing:
        return row.onA() && row.onB() ? fromUtf8(report::pairedByText(row.pair)) : QString();
    case CompareColumn::Changes: return row.joined() ? row.part : row.changes;
    default: return {};
    }
}

} // namespace

bool CompareRow::differs() const
{
    return waits() || severity().kind != PairSeverity::Kind::Identical;
}

std::optional<bool> CompareRow::holds() const
{
    if (!limits.any() || waits())
        return std::nullopt;
    return pair.values && exceededLimits(*pair.values, limits).empty();
}

PairSeverity CompareRow::severity() const
{
    if (waits() && onA() && onB() && !pair.storedEqual)
        return {PairSeverity::Kind::Unknown};
    return severityOf(pair);
}

std::vector<CompareRow> makeCompareRows(const Bundle &a, const Bundle &b,
                                        const PairedWeights &paired)
{
    std::vector<CompareRow> rows;
    for (const WeightPair &pair : paired.pairs)
        rows.push_back(makePairRow(a, b, pair));
    for (const JoinedWeights &joined : paired.joined) {
        for (std::size_t i = 0; i < joined.parts.size(); ++i)
            rows.push_back(makePartRow(a, b, joined, i));
    }
    for (const std::size_t weight : paired.onlyA)
        rows.push_back(makeOneSidedRow(a, weight, true));
    for (const std::size_t weight : paired.onlyB)
        rows.push_back(makeOneSidedRow(b, weight, false));
    return rows;
}

CompareRow makePairRow(const Bundle &a, const Bundle &b, const WeightPair &pair)
{
    const Weight &wa = a.weights()[pair.a];
    const Weight &wb = b.weights()[pair.b];
    CompareRow row;
    row.pair = pair;
    row.name = fromUtf8(wa.name);
    row.function = fromUtf8(report::functionWords(wa));
    if (wa.name != wb.name)
        row.nameB = fromUtf8(wb.name);
    row.formA = fromUtf8(formText(wa.form));
    row.formB = fromUtf8(formText(wb.form));
    row.reason = fromUtf8(pairingReason(a, b, pair)) +
                 QStringLiteral(" (%1)").arg(fromUtf8(pairConfidenceName(pair.confidence)));
    row.changes = fromUtf8(pairChangesText(a, b, pair));
    row.shapeA = wa.shape;
    row.shapeB = wb.shape;
    row.bytesA = knownStoredBytes(wa);
    row.bytesB = knownStoredBytes(wb);
    row.elements = wa.elements.value;
    if (pair.values)
        row.state = CompareState::Compared;
    else if (!pair.shapeEqual || pair.unreadable())
        row.state = CompareState::NoValues;
    if (!row.waits())
        row.word = fromUtf8(verdict(pair, a, b));
    return row;
}

/// One row a part: what of the whole it is stands in its own column.
CompareRow makePartRow(const Bundle &a, const Bundle &b, const JoinedWeights &joined,
                       std::size_t part)
{
    WeightPair pair;
    pair.pairing = kernscope::Pairing::Content;
    pair.content = joined.parts[part].exact ? ContentKind::Exact : ContentKind::Nearest;
    pair.a = joined.weightA(part);
    pair.b = joined.weightB(part);
    const Weight &wa = a.weights()[pair.a], &wb = b.weights()[pair.b];
    pair.storedRatio = storedRatio(wa, wb);
    pair.values = joined.parts[part].values;
    pair.fault = joined.parts[part].fault;
    CompareRow row = makePairRow(a, b, pair);
    row.part = fromUtf8(joinedText(joined, part));
    row.whole = std::make_shared<const JoinedWeights>(joined);
    row.partIndex = part;
    row.word = fromUtf8(joinedVerdict(joined, part));
    row.reason = RowWords::tr("%1; sampled values agree by %2")
                     .arg(row.part, QString::number(joined.parts[part].similarity, 'f', 3));
    row.elements = (joined.split ? wb : wa).elements.value;
    row.state = pair.values  ? CompareState::Compared
                : pair.fault ? CompareState::NoValues
                             : CompareState::Waiting;
    return row;
}

CompareRow makeOneSidedRow(const Bundle &bundle, std::size_t weight, bool onA)
{
    const Weight &w = bundle.weights()[weight];
    CompareRow row;
    row.state = CompareState::OneSided;
    (onA ? row.pair.a : row.pair.b) = weight;
    row.name = fromUtf8(w.name);
    row.function = fromUtf8(report::functionWords(w));
    (onA ? row.formA : row.formB) = fromUtf8(formText(w.form));
    (onA ? row.shapeA : row.shapeB) = w.shape;
    (onA ? row.bytesA : row.bytesB) = knownStoredBytes(w);
    row.elements = w.elements.value;
    return row;
}

bool severalFunctions(const std::vector<CompareRow> &rows)
{
    return std::any_of(rows.begin(), rows.end(), [&rows](const CompareRow &row) {
        return row.function != rows.front().function;
    });
}

QString compareColumnTitle(CompareColumn column)
{
    return columnHeader(pairColumnFacts(column), Qt::DisplayRole).toString();
}

QString compareColumnHelp(CompareColumn column)
{
    return columnHeader(pairColumnFacts(column), Qt::ToolTipRole).toString();
}

bool isNumberColumn(CompareColumn column)
{
    return pairColumnFacts(column).number();
}

std::optional<double> compareCellNumber(const CompareRow &row, CompareColumn column)
{
    if (!isNumberColumn(column))
        return std::nullopt;
    const report::SortValue number = report::sortValue(pairValue(row, column));
    if (const auto *whole = std::get_if<std::uint64_t>(&number))
        return static_cast<double>(*whole);
    const auto *real = std::get_if<double>(&number);
    return real != nullptr ? std::optional(*real) : std::nullopt;
}

QString compareCellText(const CompareRow &row, CompareColumn column)
{
    if (column == CompareColumn::Verdict)
        return verdictGlyph(row) + QLatin1Char(' ') + verdictText(row);
    if (column == CompareColumn::Outcome && row.outcomeB)
        return outcomeLabel(*row.outcomeB);
    if (column == CompareColumn::Limits && row.holds())
        return (*row.holds() ? QStringLiteral("\u2713 ") : QStringLiteral("\u2717 ")) +
               limitsText(row);
    if (!isNumberColumn(column)) {
        const QString text = textOf(row, column);
        return text.isEmpty() ? kDash : text;
    }
    const report::Value value = pairValue(row, column);
    return row.state == CompareState::Waiting && std::holds_alternative<report::Unknown>(value)
               ? QStringLiteral("\u2026")
               : cellText(value);
}

QString compareCellPlain(const CompareRow &row, CompareColumn column)
{
    if (!isNumberColumn(column))
        return textOf(row, column);
    return QString::fromStdString(report::plainText(pairValue(row, column)));
}

QString shortNumber(double number)
{
    if (number == 0.0 || !std::isfinite(number))
        return QString::number(number, 'g', 4);
    const double magnitude = std::abs(number);
    if (magnitude >= 1e-4 && magnitude < 1e5) {
        const int before = static_cast<int>(std::floor(std::log10(magnitude)));
        return QString::number(number, 'f', std::clamp(3 - before, 0, 7));
    }
    return QString::number(number, 'e', 2);
}

} // namespace kernscope::ui
