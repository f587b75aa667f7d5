// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/stream.h"
#include "core/compare/compare.h"
#include "core/report/column.h"

/// The weights of two bundles side by side: the window's table of pairs, the text of `diff`, its
/// CSV, Markdown and HTML.
namespace kernscope::report {

/// What is known of a row: the window shows rows before their values are compared.
enum class PairState : std::uint8_t {
    Waiting,  ///< values not compared yet
    Stopped,  ///< the comparison was cancelled before it came to this row
    Compared, ///< values are there
    NoValues, ///< cannot be compared: shapes differ, or a fault
    OneSided, ///< the weight exists on one side only
};

/// A pair of weights, a part of a split or merged one, or a weight that one side alone has, in the
/// words of its table. Nothing in it points into a bundle.
struct PairRow {
    ComparedPair pair; ///< a or b is kNoIndex where the weight is on one side only
    PairState state = PairState::Waiting;
    std::string nameA, nameB;         ///< as the files have them; empty where that side has none
    std::string findableA, findableB; ///< Weight::findableName()
    std::string function = {};        ///< of A where it is there; of a pipeline with its model
    std::string formA = {}, formB = {};
    Shape shapeA = {}, shapeB = {};
    std::uint64_t elements = 0;
    std::optional<ByteCount> bytesA = {}, bytesB = {}; ///< stored; empty where not known
    bool asked = true; ///< values were to be compared: else no column of them
    /// What the chosen chip does with it in A and in B; empty until known, and where it is not.
    std::optional<decision::Outcome> outcomeA = {}, outcomeB = {};
    std::string reason = {};  ///< why the two are a pair
    std::string changes = {}; ///< "renamed, re-encoded": what happened besides
    std::string verdict = {}, limits = {};
    std::optional<bool> holds = {}; ///< whether it keeps the limits; empty where that is not known

    bool onA() const { return pair.a != kNoIndex; }
    bool onB() const { return pair.b != kNoIndex; }
    /// The weight in A, or in B where only that has it.
    const std::string &name() const { return onA() ? nameA : nameB; }
    /// Its values are not compared yet, or the comparison was cancelled before it came to them.
    bool waits() const { return state == PairState::Waiting || state == PairState::Stopped; }
    /// By which rows are ordered, the worst first.
    PairSeverity severity() const { return severityOf(pair); }
};

/// What the tables say of a pair; without its limits.
PairRow pairRow(const Bundle &a, const Bundle &b, const ComparedPair &pair);
/// A row for each pair in the order of the list, then for the weights of A, and of B, alone.
std::vector<PairRow> pairRows(const Bundle &a, const Bundle &b, std::span<const ComparedPair> pairs,
                              std::span<const std::size_t> onlyA,
                              std::span<const std::size_t> onlyB);
/// "12,032 equal, 3 changed, 1 not finite"; "all 12,035 equal".
std::string elementCountsText(const ValueDifference &values);

/// A figure of values; in words where it is not finite.
Value errorFigure(const ValueDifference &values, const Real &number);

extern const TableOf<PairRow> pairTable;

/// A picture of 8-bit indices, row by row from the top; index 0 to 254 from blue over white to
/// orange, 127 being zero, 255 what is not finite.
struct IndexedPicture {
    std::size_t width = 0, height = 0;
    std::vector<std::uint8_t> pixels;
};

/// Two weights and their difference under one view: output channels down, the rest across, at most
/// kMostRows x kMostColumns cells. A cell is the mean of the elements in it; of the difference B -
/// A the one of the largest magnitude, so that a single changed element shows.
struct PairPicture {
    static constexpr std::size_t kMostRows = 96, kMostColumns = 192;

    IndexedPicture a, b, difference;
    double valueRange = 0; ///< value from which on colours are full in A and B; 0: all are zero
    double differenceRange = 0; ///< and in the difference
    bool binned = false;        ///< a cell stands for more than one element
};

/// Decodes both weights once; elements are those of comparedWeight(). Errors: those of
/// diff::PairReader::make, "task.cancelled". Takes the files' locks itself, shared. Progress in
/// elements.
Result<PairPicture> pairPicture(const Bundle &a, const Bundle &b, const PairSides &sides,
                                Progress *progress = nullptr);

/// A PNG file of the picture with its colours.
std::vector<std::byte> pngOf(const IndexedPicture &picture);
/// "data:image/png;base64,…".
std::string dataUrl(std::span<const std::byte> png);

} // namespace kernscope::report
