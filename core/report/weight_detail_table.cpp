// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/report/joined_columns.h"
#include "core/report/weight_detail.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

constexpr auto kFigure = TextTable::Align::Right;
constexpr int kValueDigits = 6; ///< significant ones, in text; documents have them all

Value realValue(double number)
{
    return Real{number, kValueDigits, true};
}

std::vector<Column<PartRow>> partColumns()
{
    using Row = PartRow;
    return {
        {.key = "role",
         .title = "part",
         .explanation = "What the part is to the form",
         .value = [](const Row &row) -> Value { return codec::partRoleName(row.operand->role); }},
        {.key = "dtype",
         .title = "type",
         .explanation = "Type of its stored elements",
         .value = [](const Row &row) -> Value {
             return elementTypeName(row.operand->declaredType());
         }},
        {.key = "shape",
         .title = "shape",
         .explanation = "Its extents, outermost first",
         .value = [](const Row &row) -> Value { return shapeText(row.operand->declaredShape()); }},
        {.key = "bytes",
         .title = "bytes",
         .unit = "B",
         .explanation = "Bytes that it takes in its file",
         .align = kFigure,
         .value = [](const Row &row) -> Value { return Count{row.operand->place->bytes.value}; }},
        {.key = "file",
         .title = "file",
         .explanation = "File that holds it, blank where the program text does",
         .value = [](const Row &row) -> Value {
             const OperandPlace &place = *row.operand->place;
             return place.isLiteral() ? Value(Nothing())
                                      : Value(View(row.bundle->files()[place.file].path));
         }},
        {.key = "offset",
         .title = "offset",
         .explanation = "Its first byte in the file",
         .align = kFigure,
         .value = [](const Row &row) -> Value {
             const OperandPlace &place = *row.operand->place;
             return place.isLiteral() ? Value(Nothing()) : Value(Hex{place.dataOffset.value});
         }},
        {.key = "shared",
         .title = "shared",
         .explanation = "Whether another weight has the same bytes",
         .value = [](const Row &row) -> Value {
             return row.operand->place->shared ? Value(Word{"shared"}) : Value(Nothing());
         }},
    };
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
    return notes.empty() ? Value(Nothing()) : Value(std::move(notes));
}

std::vector<Column<BookEntry>> bookEntryValueColumns()
{
    using Row = BookEntry;
    return {
        {.key = "codebook",
         .title = "codebook",
         .explanation = "Number of the codebook, where there are several",
         .align = kFigure,
         .value = [](const Row &row) -> Value {
             return row.data->codebooks > 1 ? Value(Code{row.book}) : Value(Absent());
         },
         .document = [](const Row &row) { return Json(row.book); }},
        {.key = "entry",
         .title = "entry",
         .explanation = "Number of the entry in its codebook",
         .align = kFigure,
         .value = [](const Row &row) -> Value { return Code{row.entry}; }},
        {.key = "code",
         .title = "code",
         .explanation = "The bits of an index that means this entry",
         .align = kFigure,
         .value = [](const Row &row) -> Value {
             return fmt::format("{:0{}b}", row.entry, row.data->indexBits);
         }},
        {.key = "values",
         .title = "value",
         .explanation = "The value that the entry stands for, or those of its vector",
         .align = kFigure,
         .value = entryValue,
         .document = entryValuesJson},
    };
}

std::vector<Column<BookEntry>> bookEntryUseColumns()
{
    using Row = BookEntry;
    return {
        {.key = "uses",
         .title = "uses",
         .explanation = "Stored indices that mean this entry",
         .align = kFigure,
         .value = [](const Row &row) { return known<Count>(row.uses()); }},
        {.key = "share",
         .title = "share",
         .explanation = "Uses over all uses of this codebook",
         .align = kFigure,
         .value = [](const Row &row) -> Value {
             const auto uses = row.uses();
             if (!uses)
                 return Unknown();
             return Percent{row.usesOfBook == 0
                                ? 0.0
                                : static_cast<double>(*uses) / static_cast<double>(row.usesOfBook)};
         }},
        {.key = "duplicate_of",
         .title = "duplicate of",
         .explanation = "The first entry of the same values",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return row.duplicateOf == kNoIndex ? Value(Nothing()) : Value(Code{row.duplicateOf});
         }},
        {.key = "note",
         .title = "note",
         .explanation = "Duplicates, entries that nothing uses, changes not saved yet",
         .shown = kTables,
         .value = entryNote},
    };
}

std::vector<Column<BookEntry>> bookEntryColumns()
{
    return joinedColumns(bookEntryValueColumns(), bookEntryUseColumns());
}

std::vector<Column<ScaleRow>> scaleColumns()
{
    using Row = ScaleRow;
    return {
        {.key = "at",
         .title = "at",
         .explanation = "Index of the scale along the axes that it varies on",
         .align = kFigure,
         .value = [](const Row &row) -> Value { return row.data->placeOf(row.row); },
         .order = [](const Row &row) { return SortValue(std::uint64_t{row.row}); }},
        {.key = "scale",
         .title = "scale",
         .explanation = "What a code is multiplied by",
         .align = kFigure,
         .value = [](const Row &row) { return realValue(row.data->scaleOf(row.row)); }},
        {.key = "zero_point",
         .title = "zero point",
         .explanation = "What is subtracted from a code before it is scaled",
         .align = kFigure,
         .value = [](const Row &row) -> Value {
             if (row.data->zeros.empty())
                 return Absent();
             const auto zero = row.data->zeroOf(row.row);
             return zero ? realValue(*zero) : Value(Unknown());
         }},
        {.key = "exponent",
         .title = "exponent",
         .explanation = "Power of two that a scale of a microscaled weight is stored as",
         .align = kFigure,
         .value = [](const Row &row) -> Value {
             if (!row.data->exponents)
                 return Absent();
             const auto exponent = row.data->exponentOf(row.row);
             return exponent ? realValue(*exponent) : Value(Unknown());
         }},
    };
}

std::vector<Column<BinRow>> binColumns()
{
    using Row = BinRow;
    return {
        {.key = "low",
         .title = "from",
         .explanation = "Lower edge of the bin",
         .align = kFigure,
         .value = [](const Row &row) { return realValue(row.edge(row.bin)); }},
        {.key = "high",
         .title = "to",
         .explanation =
             "Upper edge of the bin, which belongs to the next one; to the last one its own",
         .align = kFigure,
         .value = [](const Row &row) { return realValue(row.edge(row.bin + 1)); }},
        {.key = "count",
         .title = "values",
         .explanation = "Decoded values in the bin",
         .align = kFigure,
         .value = [](const Row &row) -> Value { return Count{row.data->bins[row.bin]}; }},
        {.key = "share",
         .title = "share",
         .explanation = "Share of the finite values",
         .align = kFigure,
         .value = [](const Row &row) -> Value {
             return Percent{row.all == 0 ? 0.0
                                         : static_cast<double>(row.data->bins[row.bin]) /
                                               static_cast<double>(row.all)};
         }},
    };
}

std::vector<Column<KeptChannel>> keptChannelColumns()
{
    using Row = KeptChannel;
    return {
        {.key = "channel",
         .title = "channel",
         .explanation = "Index of the outermost axis",
         .align = kFigure,
         .value = [](const Row &row) -> Value { return Code{row.channel}; }},
        {.key = "kept",
         .title = "kept",
         .explanation = "Elements that the mask keeps; without a mask, those that are not zero",
         .align = kFigure,
         .value = [](const Row &row) -> Value { return Count{row.data->channels[row.channel]}; }},
        {.key = "elements",
         .title = "of",
         .explanation = "Elements of the channel",
         .align = kFigure,
         .value = [](const Row &row) -> Value { return Count{row.data->perChannel}; }},
        {.key = "density",
         .title = "density",
         .explanation = "Share of the channel that is kept",
         .align = kFigure,
         .value = [](const Row &row) -> Value {
             return Percent{row.data->perChannel == 0
                                ? 0.0
                                : static_cast<double>(row.data->channels[row.channel]) /
                                      static_cast<double>(row.data->perChannel)};
         }},
    };
}

} // namespace

double BinRow::edge(std::size_t of) const
{
    if (of == data->bins.size())
        return data->high;
    return data->low + (data->high - data->low) * static_cast<double>(of) /
                           static_cast<double>(data->bins.size());
}

const TableOf<PartRow> &partTable()
{
    static const TableOf<PartRow> table{"parts", partColumns()};
    return table;
}

const TableOf<BookEntry> &bookEntryTable()
{
    static const TableOf<BookEntry> table{"codebook", bookEntryColumns()};
    return table;
}

const TableOf<ScaleRow> &scaleTable()
{
    static const TableOf<ScaleRow> table{"scales", scaleColumns()};
    return table;
}

const TableOf<BinRow> &binTable()
{
    static const TableOf<BinRow> table{"histogram", binColumns()};
    return table;
}

const TableOf<KeptChannel> &keptChannelTable()
{
    static const TableOf<KeptChannel> table{"density", keptChannelColumns()};
    return table;
}

} // namespace kernscope::report
