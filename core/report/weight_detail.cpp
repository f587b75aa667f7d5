// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/weight_detail.h"

#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kernscope::report {

namespace {

template <class T>
void keep(std::optional<T> &place, Result<T> found, Diagnostics &diagnostics)
{
    if (found)
        place = std::move(*found);
    else
        diagnostics.push_back({Severity::Error, std::move(found.error())});
}

void readCodebooks(WeightDetail &detail, Progress &progress)
{
    const auto decoder = detail.bundle->decoder(detail.weight);
    if (!decoder)
        return; // said once, by the check of the payload
    keep(detail.codebooks, CodebookData::read(*detail.bundle, detail.weight, *decoder),
         detail.diagnostics);
    if (!detail.codebooks)
        return;
    auto uses = decoder->codebookUse(&progress);
    if (!progress.cancelled())
        detail.codebooks->uses = std::move(uses);
}

Json codebooksJson(const CodebookData &data)
{
    const std::vector<BookEntry> entries = bookEntries(data);
    Json json;
    json["codebooks"] = numberJson(data.codebooks);
    json["entries"] = numberJson(data.entries);
    json["vector"] = numberJson(data.vector);
    json["dtype"] = elementTypeName(data.type);
    json["index_bits"] = data.indexBits;
    json["never_used"] = std::count_if(entries.begin(), entries.end(), [](const BookEntry &entry) {
        return entry.uses() == std::uint64_t(0);
    });
    json["duplicates"] = std::count_if(entries.begin(), entries.end(), [](const BookEntry &entry) {
        return entry.duplicateOf != kNoIndex;
    });
    json["rows"] = jsonArray(bookEntryTable(), entries);
    return json;
}

Json scaleListJson(const ScaleData &data)
{
    Json json;
    json["shape"] = numbersJson(data.shape);
    json["axis"] = data.axis ? Json(*data.axis) : Json(nullptr);
    json["scales"] = data.scales.size();
    json["zero_points"] = data.zeros.size();
    json["kind"] =
        data.zeros.empty() ? Json(nullptr) : Json(data.zeroPoints ? "zero_point" : "offset");
    json["rows"] = jsonArray(scaleTable(), scaleRows(data));
    return json;
}

Json keptJson(const MaskFigures &figures, bool masked)
{
    Json json;
    json["masked"] = masked;
    json["kept"] = numberJson(figures.kept);
    json["elements"] = numberJson(figures.elements);
    json["stored_values"] = masked ? numberJson(figures.survivors) : Json(nullptr);
    json["density"] = ratioJson(figures.density());
    json["channels"] = jsonArray(keptChannelTable(), keptChannels(figures));
    return json;
}

Json histogramJson(const Histogram &histogram)
{
    Json json;
    json["low"] = histogram.low;
    json["high"] = histogram.high;
    json["bins"] = jsonArray(binTable(), binRows(histogram));
    return json;
}

} // namespace

WeightDetail readWeightDetail(const Bundle &bundle, std::size_t weight, std::size_t bins,
                              Progress &progress)
{
    const BundleReadLock lock(bundle);
    WeightDetail detail;
    detail.bundle = &bundle;
    detail.weight = weight;
    const Weight &of = bundle.weights()[weight];
    detail.masked = of.has(codec::PartRole::Mask);
    detail.diagnostics = verifyPayload(bundle, weight, &progress); // also why it has no values
    if (auto figures = computeStatistics(bundle, weight, {.distinct = true}, &progress))
        detail.statistics = std::move(*figures);
    if (of.form.palette() != nullptr)
        readCodebooks(detail, progress);
    if (ScaleData::has(of))
        keep(detail.scales, ScaleData::read(bundle, weight, progress), detail.diagnostics);
    if (!detail.statistics)
        return detail; // its values cannot be read: what is stored as numbers is shown
    if (detail.statistics->finite() > 0)
        keep(detail.histogram, computeHistogram(bundle, weight, bins, &progress),
             detail.diagnostics);
    keep(detail.kept, MaskFigures::compute(bundle, weight, progress), detail.diagnostics);
    return detail;
}

std::vector<PartRow> partRows(const WeightDetail &detail)
{
    std::vector<PartRow> rows;
    for (const codec::Operand &operand : detail.bundle->weights()[detail.weight].operands())
        rows.push_back({detail.bundle, &operand});
    return rows;
}

std::optional<std::uint64_t> BookEntry::uses() const
{
    if (data->uses.empty())
        return std::nullopt;
    return data->uses[static_cast<std::size_t>(book * data->entries + entry)];
}

bool BookEntry::changed() const
{
    if (data->changed.empty())
        return false;
    const std::size_t first = data->at(book, entry);
    for (std::size_t lane = 0; lane < data->vector; ++lane) {
        if (data->changed[first + lane])
            return true;
    }
    return false;
}

std::vector<BookEntry> bookEntries(const CodebookData &data, std::optional<std::uint64_t> book)
{
    std::vector<BookEntry> rows;
    for (std::uint64_t b = book.value_or(0); b < (book ? *book + 1 : data.codebooks); ++b) {
        const std::vector<std::size_t> duplicates = data.duplicates(b);
        const auto first = data.uses.begin() + static_cast<std::ptrdiff_t>(b * data.entries);
        const std::uint64_t all =
            data.uses.empty()
                ? 0
                : std::accumulate(first, first + static_cast<std::ptrdiff_t>(data.entries),
                                  std::uint64_t{0});
        for (std::uint64_t entry = 0; entry < data.entries; ++entry)
            rows.push_back({&data, b, entry, duplicates[entry], all});
    }
    return rows;
}

std::vector<ScaleRow> scaleRows(const ScaleData &data)
{
    std::vector<ScaleRow> rows;
    for (std::size_t row = 0; row < data.rows(); ++row)
        rows.push_back({&data, row});
    return rows;
}

std::vector<BinRow> binRows(const Histogram &histogram)
{
    const auto all =
        std::accumulate(histogram.bins.begin(), histogram.bins.end(), std::uint64_t{0});
    const auto most = std::max_element(histogram.bins.begin(), histogram.bins.end());
    std::vector<BinRow> rows;
    for (std::size_t bin = 0; bin < histogram.bins.size(); ++bin)
        rows.push_back({&histogram, bin, all, *most});
    return rows;
}

std::vector<KeptChannel> keptChannels(const MaskFigures &figures)
{
    std::vector<KeptChannel> rows;
    for (std::size_t channel = 0; channel < figures.channels.size(); ++channel)
        rows.push_back({&figures, channel});
    return rows;
}

Json weightDetailJson(const WeightDetail &detail)
{
    const auto orNull = [](const auto &held, const auto &toJson) {
        return held ? toJson(*held) : Json(nullptr);
    };
    Json json = document("weight");
    json["bundle"] = detail.bundle->name();
    json["weight"] =
        weightJson(*detail.bundle, detail.weight, detail.statistics, {.distinct = true});
    json["distinct"] = detail.statistics && detail.statistics->distinct
                           ? numberJson(*detail.statistics->distinct)
                           : Json(nullptr);
    json["histogram"] = orNull(detail.histogram, histogramJson);
    json["codebooks"] = orNull(detail.codebooks, codebooksJson);
    json["scales"] = orNull(detail.scales, scaleListJson);
    json["kept"] = orNull(detail.kept, [&detail](const MaskFigures &figures) {
        return keptJson(figures, detail.masked);
    });
    return json;
}

} // namespace kernscope::report
