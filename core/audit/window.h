// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/audit/audit.h"
#include "core/audit/reference.h"
#include "core/codec/decode/grid_map.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// Private to the audit: a weight beside the values that it should hold.
namespace kernscope::audit {

/// What a weight's form can hold: the codes, scales and tables that its values come from.
class StoredSteps
{
public:
    StoredSteps() = default;
    StoredSteps(const Bundle &package, std::size_t weight, const codec::Decoder &decoder);

    bool masked = false;  ///< elements that the mask leaves out are zeros
    bool palette = false; ///< codes are indices into `tables`
    bool scaled = false;  ///< by `scales`
    bool codes = false;   ///< Decoder::codes() are those of the form's own payload
    bool integers = false;
    ElementType codeType = ElementType::Unknown;
    ElementType valueType = ElementType::Unknown; ///< of dense elements
    unsigned bits = 0;
    double low = 0, high = 0; ///< integer codes
    bool symmetric = false;   ///< around the code that zero has
    std::vector<double> scales, zeros, biases;
    Shape scaleShape; ///< of the weight's rank
    codec::GridMap grid;
    std::uint64_t entries = 0, vector = 1;
    std::vector<float> tables;              ///< [table][entry][lane]
    std::vector<std::vector<float>> sorted; ///< each table's entries, ascending; not of vectors
    std::vector<std::uint64_t> families;    ///< the table that each is a multiple of; or empty
    bool sharedTable = false; ///< several tables that are one, each by a factor of its own
    bool equalTables = false; ///< and all those factors are equal
    double tableStep = 0;     ///< of entries that are integers: what one more makes of them
    ElementType tableType = ElementType::Unknown; ///< of the entries as they are stored
    bool tableScaled = false;                     ///< by a scale of their own
    /// Whether what the entries are stored as adds to the error: integers, fp8.
    bool tableIsCoarse() const { return bitWidth(tableType) > 0 && bitWidth(tableType) <= 8; }

    std::uint64_t cellOf(std::uint64_t element) const { return scaled ? grid.cellOf(element) : 0; }
    double scaleOf(std::uint64_t cell) const
    {
        return !scaled              ? 1
               : scales.size() == 1 ? scales[0]
                                    : scales[static_cast<std::size_t>(cell)];
    }
    double zeroOf(std::uint64_t cell) const
    {
        return zeros.empty()       ? 0
               : zeros.size() == 1 ? zeros[0]
                                   : zeros[static_cast<std::size_t>(cell)];
    }
    double biasOf(std::uint64_t cell) const
    {
        return biases.empty()       ? 0
               : biases.size() == 1 ? biases[0]
                                    : biases[static_cast<std::size_t>(cell)];
    }
    /// Whether nearest() can say something.
    bool stepped() const { return (integers && scaled) || (palette && vector == 1); }
    /// The value that the form has nearest to `value` at an element, and how far its steps are
    /// apart there. `table`: of the element, where there are several.
    std::pair<double, double> nearest(double value, std::uint64_t cell, std::uint64_t table) const;
};

/// A weight and the values that it is held against.
struct Subject {
    const Bundle *package = nullptr;
    std::size_t weight = 0;
    codec::Decoder decoder;
    StoredSteps steps;
    const Reference *reference = nullptr;

    std::uint64_t elements() const { return reference->elements; }
    std::uint64_t rowElements() const { return reference->rowElements; }
    std::uint64_t rows() const { return elements() / rowElements(); }
    /// Whether it is known which elements the mask keeps: errors of those alone tell a wrong one.
    bool sparse() const { return steps.masked && steps.codes; }
    /// Whether it is indices into tables of vectors, whose error is known.
    bool vectors() const
    {
        return steps.vector > 1 && steps.codes && !steps.masked && steps.zeros.empty() &&
               steps.biases.empty();
    }
    std::uint64_t tableOf(std::uint64_t element) const
    {
        const bool several = steps.tables.size() > steps.entries * steps.vector;
        return several ? decoder.codebookOf(element).codebook : 0;
    }
    /// Where the tables hold the value of an element with that index.
    std::size_t slotOf(std::uint64_t element, std::int64_t index) const
    {
        const std::uint64_t entry = tableOf(element) * steps.entries + std::uint64_t(index),
                            lane = steps.vector > 1 ? decoder.codebookOf(element).lane : 0;
        return static_cast<std::size_t>(entry * steps.vector + lane);
    }
};

/// Decoded values and references of elements [first, first + d.size()).
struct Window {
    std::uint64_t first = 0;
    std::vector<float> d, r;
    std::vector<std::int64_t> codes; ///< empty unless asked for
};
Window load(const Subject &subject, std::uint64_t first, std::uint64_t count, bool codes);

/// Sums over elements that are finite in both.
struct PairSums {
    double dd = 0, rr = 0, dr = 0, ee = 0;
    std::uint64_t count = 0;
    std::uint64_t notFinite = 0; ///< of the weight alone
    std::uint64_t nanThere = 0;  ///< NaN of the checkpoint where the weight is finite
    void add(const PairSums &other);
    double relative() const; ///< sqrt(ee / rr); 0 where both are 0
};
/// Of elements that the mask keeps alone, where there is one. `first`: number of d[0].
PairSums sumsOfKept(const Subject &subject, std::uint64_t first, std::span<const float> d,
                    std::span<const float> r);

/// Share of elements whose code is not the nearest one, by more than 0.1 steps, of those that are
/// stored; of vectors that lie in the run whole, by a tenth; and of codes at the ends.
struct NearestShares {
    std::uint64_t counted = 0, off = 0, ends = 0;
    double atEnds() const { return share(ends); }
    double notNearest() const { return share(off); }
    double share(std::uint64_t some) const
    {
        return counted == 0 ? 0 : static_cast<double>(some) / static_cast<double>(counted);
    }
};
/// Codes that are not the nearest ones, of which fewer say nothing.
constexpr std::uint64_t kFewest = 12;
NearestShares nearestShares(const Subject &subject, std::uint64_t first, std::span<const float> d,
                            std::span<const float> r);
/// Whether all these codes are the nearest ones; false where a form has no steps or keeps none.
bool holdsNearest(const Subject &subject, std::uint64_t first, std::span<const float> d,
                  std::span<const float> r);

/// Counts StoredFigures of elements that follow each other: whole rows, or pieces that are the same
/// in each.
class FigureCounter
{
public:
    /// `subject` lives as long.
    explicit FigureCounter(const Subject &subject) : m_subject(&subject) {}
    void add(std::uint64_t first, std::span<const float> values);
    StoredFigures figures() const;

private:
    const Subject *m_subject;
    std::uint64_t m_subnormal = 0;
    std::vector<std::uint64_t> m_rows; ///< a hash of each that counts
    std::array<std::uint64_t, 4> m_hash{};
    std::uint64_t m_start = 0; ///< bits of the first element of the row, twice
    bool m_constant = true;
};

/// All elements, once.
struct WholePass {
    PairSums sums, kept;          ///< kept: of what a mask keeps; without one: of all
    std::vector<BadBlock> blocks; ///< at most kMostBlocks
    std::uint64_t badBlocks = 0, allBlocks = 0;
    double errorOutside = 0; ///< squared, of all that is kept but the bad blocks
    double sizeOutside = 0;
    std::vector<std::uint64_t> notFinite; ///< at most kMostElements elements
    /// Sums of squares, a row each; rowError and rowKept: of what a mask keeps.
    std::vector<float> rowError, rowKept, rowSize, rowValue;
    double largest = 0; ///< magnitude of the reference
    StoredFigures figures;
    static constexpr std::size_t kMostBlocks = 4096, kMostElements = 64;
};
/// Nothing where cancelled.
std::optional<WholePass> passOver(const Subject &subject, Progress *progress);

/// Runs of elements that the best possible error is worked out from: rows spread over the weight,
/// at most about `most` elements, whole groups of tables.
std::vector<std::pair<std::uint64_t, std::uint64_t>> sampledRuns(const Subject &subject,
                                                                 std::uint64_t most);
/// Sums of squares of the reference, of the weight's error, and of the least error that its form
/// could have; `best` is nothing where that is not known.
struct BestError {
    double rr = 0, ee = 0;
    double keptRr = 0, keptEe = 0; ///< of elements that a mask keeps; without one: of all
    std::optional<double> best, keptBest;
    bool sampled = false;
    NearestShares nearest;
};
/// `largest`: magnitude of the whole reference.
BestError bestError(const Subject &subject, double largest, bool exact);

/// What a palette of vectors could hold at best: the nearest vector of the stored tables for each
/// of the reference's, and of the tables after one step of k-means.
class VectorError
{
public:
    /// `subject` has such a palette, no mask, and lives as long.
    explicit VectorError(const Subject &subject);
    /// Vectors that lie in a window whole; `first` is that of a vector.
    void add(const Window &window);
    double best() const; ///< squared
    /// Vectors, and those that are further off than the nearest one by a tenth.
    const NearestShares &shares() const { return m_shares; }

private:
    std::size_t nearestEntry(std::size_t from, std::span<const float> tables, double &least) const;

    const Subject *m_subject;
    std::span<const float> m_tables; ///< [table][entry][lane]
    std::uint64_t m_entries = 0, m_stride = 1;
    std::size_t m_width = 1;
    std::vector<float> m_values, m_scales; ///< [vector][lane]
    std::vector<std::size_t> m_books;      ///< of each vector
    std::vector<double> m_sums, m_weights; ///< [table][entry][lane]
    double m_error = 0;
    NearestShares m_shares;
};

/// Which elements of a window a mask keeps at best: the same number, in its pattern, which is n of
/// each m along an axis, or blocks of m that are kept or left out whole. `firstExtent`: rows of the
/// window.
std::vector<bool> bestKept(const std::vector<bool> &kept, std::span<const float> r,
                           const Shape &shape, std::uint64_t firstExtent);
/// The relative error of the nearest codes where the steps follow from the range of the values, as
/// of tools that look for no less error: scales of the largest magnitude, tables of even steps from
/// the least value to the largest. Nothing of other steps.
std::optional<double> errorOfRange(const Subject &subject);
/// Of the checkpoint's values.
float largestOfRow(const Subject &subject, std::uint64_t row);
/// The median magnitude of the checkpoint's values that the mask keeps, of sampled ones.
float usualMagnitude(const Subject &subject);

/// Correlation of the weight with its reference, of sampled elements.
double correlation(const Subject &subject);

} // namespace kernscope::audit
