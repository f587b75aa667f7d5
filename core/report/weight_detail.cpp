// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/weight_detail.h"

#include "core/base/find.h"
#include "core/bundle/byte_field.h"

#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "core/report/json_table.h"

#include <numeric>

#include <fmt/format.h>

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
    json["never_used"] = std::ranges::count_if(
        entries, [](const BookEntry &entry) { return entry.uses() == std::uint64_t(0); });
    json["duplicates"] = std::ranges::count_if(
        entries, [](const BookEntry &entry) { return entry.duplicateOf != kNoIndex; });
    json["rows"] = jsonArray(bookEntryTable, entries);
    return json;
}

Json scaleListJson(const ScaleData &data)
{
    return {{"shape", numbersJson(data.shape)},
            {"axis", data.axis ? Json(*data.axis) : Json(nullptr)},
            {"scales", data.scales.size()},
            {"zero_points", data.zeros.size()},
            {"kind",
             data.zeros.empty() ? Json(nullptr) : Json(data.zeroPoints ? "zero_point" : "offset")},
            {"rows", jsonArray(scaleTable, scaleRows(data))}};
}

Json keptJson(const MaskFigures &figures, bool masked)
{
    return {{"masked", masked},
            {"kept", numberJson(figures.kept)},
            {"elements", numberJson(figures.elements)},
            {"stored_values", masked ? numberJson(figures.survivors) : Json(nullptr)},
            {"density", ratioJson(figures.density())},
            {"channels", jsonArray(keptChannelTable, keptChannels(figures))}};
}

Json histogramJson(const Histogram &histogram)
{
    return {{"low", histogram.low},
            {"high", histogram.high},
            {"bins", jsonArray(binTable, binRows(histogram))}};
}

constexpr int kValueDigits = 6; ///< significant ones, in text; documents have them all

Value realValue(double number)
{
    return Real{number, kValueDigits, true};
}

Value entryValue(const BookEntry &row)
{
    const std::size_t first = row.data->at(row.book, row.entry);
    if (row.data->vector == 1)
        return realValue(static_cast<double>(row.data->values[first]));
    List values;
    for (std::size_t lane = 0; lane < row.data->vector; ++lane)
        values.push_back(text(realValue(static_cast<double>(row.data->values[first + lane]))));
    return values;
}

Json entryValuesJson(const BookEntry &row)
{
    const std::size_t first = row.data->at(row.book, row.entry);
    Json values = Json::array();
    for (std::size_t lane = 0; lane < row.data->vector; ++lane)
        values.push_back(row.data->values[first + lane]); // not finite: written as null
    return values;
}

Value entryNote(const BookEntry &row)
{
    List notes;
    if (row.duplicateOf != kNoIndex)
        notes.push_back(fmt::format("duplicate of {}", row.duplicateOf));
    if (row.uses() == std::uint64_t(0))
        notes.push_back("never used");
    if (row.changed())
        notes.push_back("changed");
    return orNothing(std::move(notes));
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
    const Weight &weight = detail.bundle->weights()[detail.weight];
    for (const codec::Operand &operand : weight.operands())
        rows.push_back({detail.bundle, &operand, &weight});
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

std::vector<BookEntry> bookEntries(const CodebookData &data)
{
    std::vector<BookEntry> rows;
    for (std::uint64_t b = 0; b < data.codebooks; ++b) {
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
    return mapped(data.rows(), [&](std::size_t row) -> ScaleRow { return {&data, row}; });
}

std::vector<BinRow> binRows(const Histogram &histogram)
{
    const auto all =
        std::accumulate(histogram.bins.begin(), histogram.bins.end(), std::uint64_t{0});
    const auto most = std::ranges::max_element(histogram.bins);
    std::vector<BinRow> rows;
    for (std::size_t bin = 0; bin < histogram.bins.size(); ++bin)
        rows.push_back({&histogram, bin, all, *most});
    return rows;
}

std::vector<KeptChannel> keptChannels(const MaskFigures &figures)
{
    return mapped(figures.channels.size(), [&](std::size_t i) -> KeptChannel {
        return {&figures, i};
    });
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

double BinRow::edge(std::size_t of) const
{
    if (of == data->bins.size())
        return data->high;
    return data->low + (data->high - data->low) * static_cast<double>(of) /
                           static_cast<double>(data->bins.size());
}

const TableOf<PartRow> partTable(
    "parts",
    {{"role", "part", "What the part is to the form",
      [](const PartRow &row) -> Value {
          const std::string_view name = codec::partRoleName(row.operand->role);
          const bool second = partWords(*row.weight, row.operand->role) == "second offset";
          return second ? Value(fmt::format("{} (second offset)", name)) : Value(name);
      },
      jsonOf(CELL(Json(codec::partRoleName(row.operand->role))))},
     {"dtype", "type", "Type of its stored elements",
      CELL(elementTypeName(row.operand->declaredType()))},
     {"shape", "Its extents, outermost first", CELL(shapeText(row.operand->declaredShape()))},
     {kNumber, "bytes", "Bytes that it takes in its file",
      CELL(Count(row.operand->place->bytes.value)), withUnit("B")},
     {"file", "File that holds it, blank where the program text does",
      [](auto &row) {
          const OperandPlace &place = *row.operand->place;
          return place.isLiteral() ? Value(Nothing())
                                   : Value(View(row.bundle->files()[place.file].path));
      }},
     {kNumber, "offset", "Its first byte in the file",
      [](auto &row) {
          const OperandPlace &place = *row.operand->place;
          return place.isLiteral() ? Value(Nothing()) : Value(Hex(place.dataOffset.value));
      }},
     {"shared", "Whether another weight has the same bytes",
      CELL(row.operand->place->shared ? Value(Word("shared")) : Value(Nothing()))}});

const TableOf<BookEntry> bookEntryTable(
    "codebook",
    {{kNumber, "codebook", "Number of the codebook, where there are several",
      CELL(row.data->codebooks > 1 ? Value(Code(row.book)) : Value(Absent())),
      jsonOf(CELL(Json(row.book)))},
     {kNumber, "entry", "Number of the entry in its codebook", member<&BookEntry::entry, Code>},
     {kNumber, "code", "The bits of an index that means this entry",
      CELL(fmt::format("{:0{}b}", row.entry, row.data->indexBits))},
     {kNumber, "values", "value", "The value that the entry stands for, or those of its vector",
      entryValue, jsonOf(entryValuesJson)},
     {kNumber, "uses", "Stored indices that mean this entry", CELL(known<Count>(row.uses()))},
     {kNumber, "share", "Uses over all uses of this codebook",
      [](auto &row) -> Value {
          const auto uses = row.uses();
          if (!uses)
              return Unknown();
          return Percent(row.usesOfBook == 0
                             ? 0.0
                             : static_cast<double>(*uses) / static_cast<double>(row.usesOfBook));
      }},
     {kDocument, "duplicate_of", "The first entry of the same values",
      CELL(row.duplicateOf == kNoIndex ? Value(Nothing()) : Value(Code(row.duplicateOf)))},
     {kTables, "note", "Duplicates, entries that nothing uses, changes not saved yet", entryNote}});

const TableOf<ScaleRow> scaleTable(
    "scales",
    {{kNumber, "at", "Index of the scale along the axes that it varies on",
      CELL(row.data->placeOf(row.row)), sortedBy(CELL(SortValue(std::uint64_t{row.row})))},
     {kNumber, "scale", "What a code is multiplied by",
      CELL(realValue(row.data->scaleOf(row.row)))},
     {kNumber, "zero_point", "zero point", "What is subtracted from a code before it is scaled",
      [](auto &row) -> Value {
          if (row.data->zeros.empty())
              return Absent();
          const auto zero = row.data->zeroOf(row.row);
          return zero ? realValue(*zero) : Value(Unknown());
      }},
     {kNumber, "exponent", "Power of two that a scale of a microscaled weight is stored as",
      [](auto &row) -> Value {
          if (!row.data->exponents)
              return Absent();
          const auto exponent = row.data->exponentOf(row.row);
          return exponent ? realValue(*exponent) : Value(Unknown());
      }},
     {kNumber, "bias", "What is added to the product of code and scale", [](auto &row) -> Value {
          if (row.data->biases.empty())
              return Absent();
          return realValue(row.data->biasOf(row.row));
      }}});

const TableOf<BinRow>
    binTable("histogram",
             {{kNumber, "low", "from", "Lower edge of the bin", CELL(realValue(row.edge(row.bin)))},
              {kNumber, "high", "to",
               "Upper edge of the bin, which belongs to the next one; to the last one its own",
               CELL(realValue(row.edge(row.bin + 1)))},
              {kNumber, "count", "values", "Decoded values in the bin",
               CELL(Count(row.data->bins[row.bin]))},
              {kNumber, "share", "Share of the finite values",
               CELL(Percent(row.all == 0 ? 0.0
                                         : static_cast<double>(row.data->bins[row.bin]) /
                                               static_cast<double>(row.all)))}});

const TableOf<KeptChannel> keptChannelTable(
    "density",
    {{kNumber, "channel", "Index of the outermost axis", member<&KeptChannel::channel, Code>},
     {kNumber, "kept", "Elements that the mask keeps; without a mask, those that are not zero",
      CELL(Count(row.data->channels[row.channel]))},
     {kNumber, "elements", "of", "Elements of the channel", CELL(Count(row.data->perChannel))},
     {kNumber, "density", "Share of the channel that is kept",
      CELL(Percent(row.data->perChannel == 0
                       ? 0.0
                       : static_cast<double>(row.data->channels[row.channel]) /
                             static_cast<double>(row.data->perChannel)))}});

} // namespace kernscope::report
