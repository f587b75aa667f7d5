// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/stream.h"
#include "core/diff/diff.h"
#include "core/diff/limits.h"
#include "core/diff/severity.h"

#include <QString>
#include <QVariant>

#include <memory>
#include <optional>
#include <vector>

namespace kernscope::ui {

/// Columns of the table of pairs, in the order that report::pairTable() has for the window.
enum class CompareColumn : int {
    Weight,
    Function,
    FormA,
    FormB,
    StoredRatio,
    RelativeRmse,
    Snr,
    MaxAbs,
    Zeroed,
    Outcome,
    Verdict,
    Limits,
    Cosine,
    MaxUlp,
    BytesA,
    BytesB,
    Equal,
    Changed,
    Revived,
    MeanAbs,
    Rmse,
    Pairing,
    Changes,
    Count,
};
inline constexpr int kCompareColumns = static_cast<int>(CompareColumn::Count);

/// What is known of a row by now. The values of a pair come after its tables.
enum class CompareState : std::uint8_t {
    Waiting,  ///< values not compared yet
    Stopped,  ///< the comparison was cancelled before it came to this row
    Compared, ///< values are there
    NoValues, ///< cannot be compared: shapes differ, or a fault
    OneSided, ///< the weight exists on one side only
};

/// One row: a pair, or a weight of one side only. It holds values, not references into a bundle.
struct CompareRow {
    WeightPair pair; ///< a or b is kNoIndex where the weight is on one side only
    CompareState state = CompareState::Waiting;
    QString word;    ///< the core's verdict, once compared or known not to be comparable
    QString reason;  ///< why the two are a pair
    QString changes; ///< "renamed, re-encoded": what happened besides
    QString part;    ///< of a split or merged weight: which part the row is; empty for others
    std::shared_ptr<const JoinedWeights> whole; ///< and what it is part of
    std::size_t partIndex = 0;
    ValueLimits limits; ///< what it is held against
    QString function;   ///< of the weight, of A where it is there; with the model of a pipeline
    /// What the chosen chip does with it in A and in B; empty until known, and where it is not.
    std::optional<decision::Outcome> outcomeA, outcomeB;
    QString name, nameB; ///< nameB is empty where it is the same
    QString formA, formB;
    Shape shapeA, shapeB;
    std::uint64_t elements = 0;
    std::optional<ByteCount> bytesA, bytesB; ///< stored; empty where not known

    bool onA() const { return pair.a != kNoIndex; }
    bool onB() const { return pair.b != kNoIndex; }
    /// Its values are not compared yet, or the comparison was cancelled before it came to them.
    bool waits() const { return state == CompareState::Waiting || state == CompareState::Stopped; }
    /// True where the two sides are known to differ, or are not known to be the same.
    bool differs() const;
    /// Whether the row keeps its limits; nothing without limits, or as long as it is not compared.
    std::optional<bool> holds() const;
    /// By which rows are ordered; of a pair that is not compared yet what the stored bytes say.
    PairSeverity severity() const;
    bool joined() const { return !part.isEmpty(); }
};

/// Every row of a comparison by what the tables say: the pairs in the order of A, then a row for
/// each part of what was split or merged, then what only A has, then what only B has. Pairs that
/// names do not find are looked for by content, which reads samples: not for the GUI thread.
std::vector<CompareRow> makeCompareRows(const Bundle &a, const Bundle &b,
                                        const PairedWeights &paired);
CompareRow makePairRow(const Bundle &a, const Bundle &b, const WeightPair &pair);
CompareRow makePartRow(const Bundle &a, const Bundle &b, const JoinedWeights &joined,
                       std::size_t part);
CompareRow makeOneSidedRow(const Bundle &bundle, std::size_t weight, bool onA);

/// Whether the weights are of more functions than one.
bool severalFunctions(const std::vector<CompareRow> &rows);

/// Header text and what the column means.
QString compareColumnTitle(CompareColumn column);
QString compareColumnHelp(CompareColumn column);
bool isNumberColumn(CompareColumn column);

/// Cell as people read it; empty or a dash where nothing is known.
QString compareCellText(const CompareRow &row, CompareColumn column);
/// Cell as it goes to CSV: full precision, no separators, no glyphs.
QString compareCellPlain(const CompareRow &row, CompareColumn column);
/// The number behind a cell; empty where there is none.
std::optional<double> compareCellNumber(const CompareRow &row, CompareColumn column);

/// A sign of what became of the weight, for those who do not read every word.
QString verdictGlyph(const CompareRow &row);
/// "kept values exact": the core's word where there is one.
QString verdictText(const CompareRow &row);
/// A sentence with the figures of this row: why the verdict is what it is.
QString verdictSentence(const CompareRow &row);

/// "holds", "max_abs 0.0742 (0.01)", "only in A"; empty without limits.
QString limitsText(const CompareRow &row);

/// Three significant digits or more: "0.0100", "1.25e-05".
QString shortNumber(double number);

} // namespace kernscope::ui
