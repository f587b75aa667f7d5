// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/part_data.h"
#include "core/report/json.h"

/// One weight in full: what the inspector of the window shows and `weight` prints.
namespace kernscope::report {

/// What was read of a weight. What its form does not have, or could not be read, is empty.
struct WeightDetail {
    const Bundle *bundle = nullptr;
    std::size_t weight = kNoIndex;
    std::optional<Statistics> statistics; ///< with the number of distinct values
    std::optional<Histogram> histogram;   ///< of the finite values; empty where there are none
    std::optional<CodebookData> codebooks;
    std::optional<ScaleData> scales;
    std::optional<MaskFigures> kept; ///< of weights of more than one axis by output channel
    bool masked = false;             ///< `kept` is of the mask, else of what is not zero
    Diagnostics diagnostics;         ///< what could not be read, and why
};

/// Reads the weight once for each of the figures; holds the bundle's files while it does. `bins`:
/// of the histogram, at least 1. Progress in elements; where it is cancelled, what is left is
/// empty and the diagnostics say so.
WeightDetail readWeightDetail(const Bundle &bundle, std::size_t weight, std::size_t bins,
                              Progress &progress);

/// An operand and where it lies.
struct PartRow {
    const Bundle *bundle = nullptr;
    const codec::Operand *operand = nullptr;
    const Weight *weight = nullptr;
};
std::vector<PartRow> partRows(const WeightDetail &detail);
extern const TableOf<PartRow> partTable;

/// An entry of a codebook.
struct BookEntry {
    const CodebookData *data = nullptr;
    std::uint64_t book = 0, entry = 0;
    std::size_t duplicateOf = kNoIndex; ///< the first entry of the same bits
    std::uint64_t usesOfBook = 0;       ///< of all its entries

    /// Stored indices that mean the entry; empty until they are counted.
    std::optional<std::uint64_t> uses() const;
    bool changed() const; ///< one of its values differs from the disk
};
/// Of every codebook.
std::vector<BookEntry> bookEntries(const CodebookData &data);
extern const TableOf<BookEntry> bookEntryTable;

/// A scale and its zero point.
struct ScaleRow {
    const ScaleData *data = nullptr;
    std::size_t row = 0;
};
std::vector<ScaleRow> scaleRows(const ScaleData &data);
extern const TableOf<ScaleRow> scaleTable;

/// A bin of a histogram.
struct BinRow {
    const Histogram *data = nullptr;
    std::size_t bin = 0;
    std::uint64_t all = 0, most = 0; ///< counts of all bins, and of the fullest

    double edge(std::size_t of) const; ///< between bin `of` - 1 and bin `of`
};
std::vector<BinRow> binRows(const Histogram &histogram);
extern const TableOf<BinRow> binTable;

/// How much of an output channel is kept.
struct KeptChannel {
    const MaskFigures *data = nullptr;
    std::size_t channel = 0;
};
std::vector<KeptChannel> keptChannels(const MaskFigures &figures);
extern const TableOf<KeptChannel> keptChannelTable;

/// Everything of `weight` but its diagnostics.
Json weightDetailJson(const WeightDetail &detail);

} // namespace kernscope::report
