// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/search_table.h"

#include "core/base/overlaid_file.h"
#include "core/base/printable.h"
#include "core/bundle/bundle.h"
#include "core/report/json_table.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using search::What;

constexpr std::uint64_t kMostHitBytes = 16;

std::string hitBytes(const HitFacts &row, std::string_view between)
{
    std::string text;
    for (const std::byte byte : row.bytes)
        text += fmt::format("{}{:02x}", text.empty() ? "" : between, static_cast<unsigned>(byte));
    return text;
}

const Weight *hitWeight(const HitFacts &row)
{
    const auto &weights = row.bundle->weights();
    return row.hit.weight < weights.size() ? &weights[row.hit.weight] : nullptr;
}

/// A code out of range decodes to nothing.
bool hasValue(const HitFacts &row)
{
    return row.hit.element && !row.hit.stray;
}

/// JSON has no numbers for what is not finite.
Json hitValueJson(const HitFacts &row)
{
    if (!hasValue(row))
        return noKey();
    const double value = row.hit.value.value_or(0);
    if (std::isnan(value))
        return "nan"; // of either sign
    return row.hit.wide || !std::isfinite(value) ? Json(row.hit.valueText()) : Json(value);
}

/// The numbers before what is no number, as Real has it; exact integers by their double.
SortValue hitValueOrder(const HitFacts &row)
{
    return row.hit.value ? sortValue(Real{*row.hit.value}) : SortValue();
}

std::string hitPlaceText(const HitFacts &row)
{
    return row.hit.element ? search::elementAddress(*hitWeight(row), *row.hit.element)
                           : search::byteAddress(*row.bundle, row.hit);
}

SortValue hitPlaceOrder(const HitFacts &row)
{
    const search::Hit &hit = row.hit;
    return hit.element ? fmt::format("{:016x} {:016x}", hit.weight, *hit.element)
                       : fmt::format("{:016x} {:016x}", hit.file, hit.bytes.offset.value);
}

Value strayCount(const HitFacts &row, std::uint64_t search::StrayCode::*member)
{
    return row.hit.stray ? Value(Count{*row.hit.stray.*member}) : Value(Absent());
}

/// What stands before and after a text in its line, as far as it is text.
constexpr std::size_t kMostBefore = 24, kMostAfter = 48;

bool isOfALine(std::byte byte)
{
    const auto code = std::to_integer<unsigned>(byte);
    return code >= 0x20 ? code != 0x7f : code == 0x09;
}

/// The second and later bytes of a character in UTF-8.
bool isContinuation(std::byte byte)
{
    return (byte & std::byte{0xc0}) == std::byte{0x80};
}

std::string hitText(std::span<const std::byte> file, ByteRange hit)
{
    const auto first = static_cast<std::size_t>(hit.offset.value);
    const auto last = static_cast<std::size_t>(hit.end());
    std::size_t from = first, to = std::min(last, first + kMostAfter);
    while (from > 0 && first - from < kMostBefore && isOfALine(file[from - 1]))
        --from;
    while (from < first && isContinuation(file[from]))
        ++from; // a character that is cut
    while (from < first && (file[from] == std::byte{' '} || file[from] == std::byte{'\t'}))
        ++from;
    while (to < file.size() && to - first < kMostAfter && isOfALine(file[to]))
        ++to;
    while (to > last && to < file.size() && isContinuation(file[to]))
        --to;
    return printable({reinterpret_cast<const char *>(file.data()) + from, to - from});
}

} // namespace

std::vector<HitFacts> hitRows(const BundlePtr &bundle, const search::Query &query,
                              const std::vector<search::Hit> &hits)
{
    std::vector<HitFacts> rows;
    rows.reserve(hits.size());
    for (const search::Hit &hit : hits) {
        HitFacts row{bundle, hit, query.what, {}, {}};
        if (query.what == What::Bytes) {
            const auto file = bundle->files()[hit.file].file->bytes();
            const auto bytes = file.subspan(hit.bytes.offset.value,
                                            std::min(hit.bytes.bytes.value, kMostHitBytes));
            row.bytes.assign(bytes.begin(), bytes.end());
            if (query.text)
                row.text = hitText(file, hit.bytes);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

const TableOf<HitFacts> &hitTable()
{
    using Row = HitFacts;
    static constexpr Column<Row> kColumns[] = {
        {kName, "place", "Where it is, as Go To and the command line take it",
         [](const HitFacts &row) -> Value { return hitPlaceText(row); }, sortedBy(hitPlaceOrder)},
        {kDocument, "file", "File of the bundle that has the bytes",
         [](const HitFacts &row) -> Value {
             return row.hit.element ? Value(Absent())
                                    : Value(View(row.bundle->files()[row.hit.file].path));
         }},
        {kNumber | kDocument, "offset", "First byte, counted from the start of the file",
         [](const HitFacts &row) -> Value {
             return row.hit.element ? Value(Absent()) : Value(Hex(row.hit.bytes.offset.value));
         }},
        {kName, "section", "Section that the first byte lies in",
         [](const HitFacts &row) -> Value {
             const auto &sections = row.bundle->sections();
             return row.hit.element || row.hit.section >= sections.size()
                        ? Value(Absent())
                        : Value(row.bundle->nameOf(sections[row.hit.section]));
         }},
        {kName | kDocument | kWindow, "weight", "Weight that it is part of",
         [](const HitFacts &row) -> Value {
             const Weight *weight = hitWeight(row);
             return weight != nullptr ? Value(weight->findableName()) : Value(Nothing());
         }},
        {kDocument, "address", "Model, function and name of the weight",
         [](const HitFacts &row) -> Value {
             const Weight *weight = hitWeight(row);
             return weight != nullptr ? Value(weight->address()) : Value(Nothing());
         }},
        {kNumber | kDocument | kWindow, "element",
         "Its number in the order of the elements, from 0",
         [](const HitFacts &row) -> Value {
             return row.hit.element ? Value(Count(*row.hit.element)) : Value(Absent());
         }},
        {kNumber, "bytes", "length", "How many bytes it has",
         [](const HitFacts &row) -> Value {
             return row.hit.element ? Value(Absent()) : Value(Count(row.hit.bytes.bytes.value));
         },
         withUnit("B")},
        {kNumber, "count", "elements", "Elements of the run",
         [](const HitFacts &row) -> Value {
             return row.what == What::ZeroValues ? Value(Count(row.hit.count)) : Value(Absent());
         }},
        {kNumber, "value", "The decoded value, of a run that of its first element",
         [](const HitFacts &row) -> Value {
             return hasValue(row) ? Value(row.hit.valueText()) : Value(Absent());
         },
         jsonOf(hitValueJson), sortedBy(hitValueOrder)},
        {kName, "text", "The text that was found, in its line",
         [](const HitFacts &row) -> Value {
             return row.text.empty() ? Value(Absent()) : Value(row.text);
         }},
        {"hex", "bytes", "The first 16 bytes that were found, in hexadecimal",
         [](const HitFacts &row) -> Value {
             // A text is read as a text; programs have its bytes all the same.
             return row.what == What::Bytes && row.text.empty() ? Value(hitBytes(row, " "))
                                                                : Value(Absent());
         },
         jsonOf([](const HitFacts &row) {
             return row.what == What::Bytes ? Json(hitBytes(row, "")) : noKey();
         })},
        {kNumber, "index",
         "Number of the stored code, from 0; of what a mask keeps that of the element",
         [](const HitFacts &row) { return strayCount(row, &search::StrayCode::index); }},
        {kNumber, "code",
         "Entry of the codebook, or number of the stored value, that it refers to, from 0",
         [](const HitFacts &row) { return strayCount(row, &search::StrayCode::code); }},
        {kNumber, "entries", "Number of entries of the codebook, or of stored values",
         [](const HitFacts &row) { return strayCount(row, &search::StrayCode::entries); }},
    };
    static const TableOf<Row> kTable{
        "found", kColumns, {"place", "file", "offset", "bytes", "section"}};
    return kTable;
}

std::string_view whatName(What what)
{
    switch (what) {
    case What::Bytes: return "bytes";
    case What::ZeroBytes: return "zero-bytes";
    case What::Value: return "value";
    case What::NotANumber: return "nan";
    case What::Infinite: return "infinite";
    case What::ZeroValues: return "zeros";
    case What::Largest: return "largest";
    case What::OutOfRange: return "out-of-range";
    }
    return "";
}

Json foundJson(std::string_view path, const Bundle &bundle, const search::Query &query,
               const search::Found &found, const std::vector<HitFacts> &rows)
{
    Json json = document("find");
    json["path"] = path;
    json["what"] = whatName(query.what);
    json["weight"] = query.weight < bundle.weights().size()
                         ? Json(bundle.weights()[query.weight].findableName())
                         : Json(nullptr);
    json["address"] = query.weight < bundle.weights().size()
                          ? Json(bundle.weights()[query.weight].address())
                          : Json(nullptr);
    json["found"] = found.hits.size();
    json["complete"] = found.complete;
    json["hits"] = jsonArray(hitTable(), rows);
    return json;
}

} // namespace kernscope::report
