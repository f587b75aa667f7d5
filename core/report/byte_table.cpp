// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/byte_table.h"

#include "core/base/find.h"
#include "core/base/little_endian.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/numeric/convert.h"
#include "core/report/json_table.h"

#include <cmath>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

constexpr std::size_t kMostShownBytes = 8, kMostShownCells = 2;

const Weight *weightOf(const ByteFieldFacts &row)
{
    const auto &weights = row.bundle->weights();
    return row.field.weight < weights.size() ? &weights[row.field.weight] : nullptr;
}

const codec::Operand *operandOf(const ByteFieldFacts &row)
{
    const Weight *weight = weightOf(row);
    return weight != nullptr && row.field.operand < weight->operands().size()
               ? &weight->operands()[row.field.operand]
               : nullptr;
}

const Section &sectionOf(const ByteFieldFacts &row)
{
    return row.bundle->sections()[row.field.section];
}

/// The number that the field holds, or those of the stored elements in its first byte.
std::vector<double> storedNumbers(const ByteFieldFacts &row)
{
    const unsigned width = bitWidth(row.field.type);
    std::vector<double> numbers;
    if (width % 8 == 0 && width != 0) {
        if (row.bytes.size() == width / 8)
            numbers.push_back(loadValue(row.bytes, row.field.type, 0));
        return numbers;
    }
    const codec::Operand *operand = operandOf(row);
    if (width == 0 || operand == nullptr || operand->order || !row.field.stored)
        return numbers;
    const auto bytes = row.bundle->operandBytes(*operand);
    for (std::uint64_t i = 0; i < row.field.entries; ++i) {
        const std::uint64_t at = *row.field.stored + i;
        if ((at + 1) * width <= 8 * bytes.size())
            numbers.push_back(loadValue(bytes, row.field.type, at));
    }
    return numbers;
}

/// Integers of 64 bits that a double does not hold are texts.
std::optional<std::string> wideNumber(const ByteFieldFacts &row)
{
    if (row.bytes.size() != 8)
        return std::nullopt;
    const auto bits = loadLittle<std::uint64_t>(row.bytes, 0);
    if (row.field.type == ElementType::Uint64 && bits >> 53 != 0)
        return fmt::format("{}", bits);
    const auto value = static_cast<std::int64_t>(bits);
    if (row.field.type == ElementType::Int64 && (value >> 53) != 0 && (value >> 53) != -1)
        return fmt::format("{}", value);
    return std::nullopt;
}

Value numberCell(const ByteFieldFacts &row)
{
    if (auto wide = wideNumber(row))
        return std::move(*wide);
    std::string text;
    for (const double number : storedNumbers(row))
        text += (text.empty() ? "" : ", ") +
                (std::isnan(number) ? std::string("nan") : fmt::format("{}", number));
    return orAbsent(std::move(text));
}

Json numberOfType(double number, ElementType type)
{
    if (!std::isfinite(number))
        return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
    return isFloatingPoint(type) ? Json(number) : Json(static_cast<std::int64_t>(number));
}

Json byteNumberJson(const ByteFieldFacts &row)
{
    if (auto wide = wideNumber(row))
        return *wide;
    const auto numbers = storedNumbers(row);
    return numbers.empty() ? noKey() : numberOfType(numbers.front(), row.field.type);
}

Json byteNumbersJson(const ByteFieldFacts &row)
{
    const auto numbers = storedNumbers(row);
    return numbers.size() < 2 ? noKey() : listJson(numbers, [&row](double number) {
        return numberOfType(number, row.field.type);
    });
}

Value cellsCell(const ByteFieldFacts &row)
{
    if (row.elements.empty())
        return Absent();
    std::string text;
    for (std::size_t i = 0; i < std::min(row.elements.size(), kMostShownCells); ++i)
        text += (i == 0 ? "" : " ") + search::elementAddress(*weightOf(row), row.elements[i]);
    return row.elements.size() > kMostShownCells
               ? fmt::format("{} and {} more", text, row.elements.size() - kMostShownCells)
               : text;
}

Json cellsJson(const ByteFieldFacts &row)
{
    if (row.elements.empty())
        return noKey();
    return listJson(row.elements, [&](const std::uint64_t element) {
        return search::elementAddress(*weightOf(row), element);
    });
}

/// Where a run of bytes that no table names and no weight stores ends: at the next that is one, at
/// the end of its section or of what was asked for.
std::uint64_t unnamedEnd(const ByteFieldFacts &row, std::uint64_t end, BoundOrder &order)
{
    std::uint64_t at = row.field.bytes.offset.value + 1;
    for (end = std::min(end, sectionOf(row).range.end()); at < end; ++at) {
        const ByteField next = fieldAt(*row.bundle, row.file, FileOffset(at), order);
        if (next.named || next.stored)
            break;
    }
    return at;
}

using search::What;

constexpr std::uint64_t kMostHitBytes = 16;

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

/// Only a file of weights has records.
Value recordsOf(const BundleFile &file, std::size_t records)
{
    return file.role == SectionKind::Data ? Value(Count{records}) : Value(Nothing());
}

} // namespace

std::vector<ByteFieldFacts> byteFieldRows(const BundlePtr &bundle, std::size_t file,
                                          const ByteRange &range,
                                          std::optional<std::uint64_t> element, Progress &progress)
{
    std::vector<ByteFieldFacts> rows;
    const auto bytes = bundle->files()[file].file->bytes();
    const std::uint64_t end = std::min<std::uint64_t>(range.end(), bytes.size());
    BoundOrder order;
    for (std::uint64_t at = range.offset.value; at < end;) {
        ByteFieldFacts row{
            bundle, file, fieldAt(*bundle, file, FileOffset(at), order, element), {}, {}};
        if (row.field.section >= bundle->sections().size())
            break; // the file is longer than its map: it changed meanwhile
        ByteRange &field = row.field.bytes;
        if (!row.field.named && !row.field.stored)
            field = {FileOffset(at), ByteCount(unnamedEnd(row, end, order) - at)};
        const auto own =
            bytes.subspan(field.offset.value, std::min(field.bytes.value, kMostFieldBytes));
        row.bytes.assign(own.begin(), own.end());
        if (auto owner = ownerOfByte(*bundle, file, FileOffset(at), order))
            row.elements = element ? std::vector{*element} : std::move(owner->elements);
        // A field that holds no byte behind this one, such as an element in pieces, is no step.
        const std::uint64_t next = std::max(field.end(), at + 1);
        const bool goOn = progress.advance(next - at);
        at = next;
        rows.push_back(std::move(row));
        if (!goOn)
            break;
    }
    return rows;
}

const TableOf<ByteFieldFacts> byteFieldTable(
    "bytes",
    {{kNumber, "offset", "First byte of the field, counted from the start of the file",
      CELL(Hex(row.field.bytes.offset.value))},
     {kNumber, "bytes", "Length of the field, or of the stored element, in bytes",
      CELL(Count(row.field.bytes.bytes.value))},
     {"hex", "Its first bytes in hexadecimal: 8 in text, 64 in documents",
      [](auto &row) {
          const std::span bytes(row.bytes);
          const bool whole = row.field.bytes.bytes.value <= kMostShownBytes;
          return hexBytesText(bytes.first(std::min(bytes.size(), kMostShownBytes)), " ") +
                 (whole ? "" : " …");
      },
      jsonOf(CELL(Json(hexBytesText(row.bytes, ""))))},
     {kNumber, "value",
      "The number that it holds, of several elements in its first byte each; in documents the "
      "first",
      numberCell, jsonOf(byteNumberJson)},
     {kDocument, "values", "The numbers of several elements in its first byte", byteNumbersJson},
     {"type", "Type of that number",
      CELL(row.field.type == ElementType::Unknown ? Value(Absent())
                                                  : Value(elementTypeName(row.field.type)))},
     {kName, "field", "What the bytes are", CELL(View(row.field.text))},
     {kDocument, "section", "Section that the first byte lies in",
      CELL(row.bundle->nameOf(sectionOf(row)))},
     {kDocument, "kind", "What the section's bytes are for",
      CELL(Word(sectionKindName(sectionOf(row).kind)))},
     {kDocument, "weight", "Weight that the bytes belong to",
      CELL(ofAny(weightOf(row), &Weight::findableName))},
     {kDocument, "address", "Model, function and name of that weight",
      CELL(ofAny(weightOf(row), &Weight::address))},
     {kDocument, "part", "Part of the weight that they store",
      CELL(ofAny<Absent>(operandOf(row),
                         [](auto &part) { return codec::partRoleName(part.role); }))},
     {kNumber | kDocument, "entry", "Number of the stored element within that part, from 0",
      CELL(known<Count, Absent>(row.field.stored))},
     {kDocument, "elements", "Decoded elements whose codes have bits in the first byte",
      CELL(row.elements.empty() ? noKey() : Json(row.elements))},
     {kName, "cells", "Decoded elements that the first byte has bits of, by their indices",
      cellsCell, jsonOf(cellsJson)},
     {"confidence", "How sure the name of the field is",
      CELL(row.field.source.empty() ? Value(Absent())
                                    : Value(Word(format::confidenceName(row.field.confidence))))},
     {"source", "Where the name of the field is from", CELL(orAbsent(row.field.source))}});

std::vector<ReadingFacts> readingRows(const Bundle &bundle, std::size_t file, FileOffset offset)
{
    const auto all = bundle.files()[file].file->bytes();
    return readingRows(
        all.subspan(offset.value, std::min<std::uint64_t>(8, all.size() - offset.value)));
}

std::vector<ReadingFacts> readingRows(std::span<const std::byte> bytes)
{
    auto little = byteReadings(bytes), big = byteReadings(bytes, true);
    std::vector<ReadingFacts> rows;
    for (std::size_t i = 0; i < little.size(); ++i)
        rows.push_back({std::move(little[i]), std::move(big[i])});
    return rows;
}

const TableOf<ReadingFacts> readingTable(
    "readings",
    {{"name", "read as", "How the bytes from the offset on are read", CELL(row.little.name)},
     {kNumber, "little_endian", "little-endian",
      "What they then mean, the lowest byte of a number first", CELL(orNothing(row.little.value))},
     {kNumber, "big_endian", "big-endian",
      "What they then mean, the highest byte of a number first", CELL(orNothing(row.big.value))},
     {"meaning", "What the reading is", CELL(row.little.meaning)}});

Json bytesJson(std::string_view path, const Bundle &bundle, std::size_t file,
               const ByteRange &range, const std::vector<ByteFieldFacts> &fields,
               const std::vector<ReadingFacts> &readings)
{
    Json json = document("bytes");
    json["path"] = path;
    json["file"] = bundle.files()[file].path;
    json["offset"] = range.offset.value;
    json["bytes"] = range.bytes.value;
    json["fields"] = jsonArray(byteFieldTable, fields);
    json["readings"] = jsonArray(readingTable, readings);
    return json;
}

std::vector<SectionFacts> sectionRows(const Bundle &bundle)
{
    return mapped(bundle.sections(), [&](const kernscope::Section &each) -> SectionFacts {
        return {&bundle, &each};
    });
}

const TableOf<SectionFacts> sectionTable(
    "sections",
    {{"file", "File of the bundle that holds the section",
      CELL(View(row.bundle->files()[row.section->file].path))},
     {kNumber, "offset", "First byte, counted from the start of the file",
      CELL(Hex(row.section->range.offset.value)), notSearched()},
     {kNumber, "bytes", "Length of the section in bytes",
      CELL(Count(row.section->range.bytes.value)), notSearched()},
     {kNumber | kDocument | kWindow, "share", "Share of the bytes of its file",
      [](auto &row) {
          const ByteCount file = row.bundle->files()[row.section->file].file->size();
          return file.value == 0
                     ? Value(Unknown())
                     : Value(Percent(static_cast<double>(row.section->range.bytes.value) /
                                     static_cast<double>(file.value)));
      },
      notSearched()},
     {kNumber | kDocument | kWindow, "end", "First byte after the section",
      CELL(Hex(row.section->range.end())), notSearched()},
     {"kind", "What the bytes are for", CELL(Word(sectionKindName(row.section->kind)))},
     {kName, "name", "What the bytes are", CELL(row.bundle->nameOf(*row.section))},
     {kDocument | kWindow, "owner", "weight", "Weight that the section belongs to",
      CELL(orNothing(row.bundle->ownerOf(*row.section)))}},
    {"name", "file", "offset", "bytes", "kind"},
    {"name", "kind", "offset", "bytes", "owner", "file"});

const TableOf<BundleFile> fileTable(
    "files",
    {{kName, "path", "Path in the bundle", member<&BundleFile::path>},
     {kNumber, "bytes", "Length of the file in bytes", CELL(Value(Count(row.file->size().value)))},
     {"kind", "What the file holds",
      CELL(Word(row.role == SectionKind::Data ? "weights" : sectionKindName(row.role)))},
     {kNumber, "records", "Records of a file of weights", CELL(recordsOf(row, row.records))},
     {kNumber, "unused", "Records that no operation of the program names",
      CELL(recordsOf(row, row.unusedRecords))}});

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

const TableOf<HitFacts> hitTable(
    "found",
    {{kName, "place", "Where it is, as Go To and the command line take it",
      CELL(row.hit.element ? search::elementAddress(*hitWeight(row), *row.hit.element)
                           : search::byteAddress(*row.bundle, row.hit)),
      sortedBy(hitPlaceOrder)},
     {kDocument, "file", "File of the bundle that has the bytes",
      CELL(row.hit.element ? Value(Absent())
                           : Value(View(row.bundle->files()[row.hit.file].path)))},
     {kNumber | kDocument, "offset", "First byte, counted from the start of the file",
      CELL(row.hit.element ? Value(Absent()) : Value(Hex(row.hit.bytes.offset.value)))},
     {kName, "section", "Section that the first byte lies in",
      [](auto &row) {
          const auto &sections = row.bundle->sections();
          return row.hit.element || row.hit.section >= sections.size()
                     ? Value(Absent())
                     : Value(row.bundle->nameOf(sections[row.hit.section]));
      }},
     {kName | kDocument | kWindow, "weight", "Weight that it is part of",
      CELL(ofAny(hitWeight(row), &Weight::findableName))},
     {kDocument, "address", "Model, function and name of the weight",
      CELL(ofAny(hitWeight(row), &Weight::address))},
     {kNumber | kDocument | kWindow, "element", "Its number in the order of the elements, from 0",
      CELL(known<Count, Absent>(row.hit.element))},
     {kNumber, "bytes", "length", "How many bytes it has",
      CELL(row.hit.element ? Value(Absent()) : Value(Count(row.hit.bytes.bytes.value))),
      withUnit("B")},
     {kNumber, "count", "elements", "Elements of the run",
      CELL(row.what == What::ZeroValues ? Value(Count(row.hit.count)) : Value(Absent()))},
     {kNumber, "value", "The decoded value, of a run that of its first element",
      CELL(hasValue(row) ? Value(row.hit.valueText()) : Value(Absent())), jsonOf(hitValueJson),
      sortedBy(CELL(row.hit.value ? sortValue(Real{*row.hit.value}) : SortValue()))},
     {kName, "text", "The text that was found, in its line", CELL(orAbsent(row.text))},
     {"hex", "bytes", "The first 16 bytes that were found, in hexadecimal",
      [](auto &row) {
          // A text is read as a text; programs have its bytes all the same.
          return row.what == What::Bytes && row.text.empty() ? Value(hexBytesText(row.bytes, " "))
                                                             : Value(Absent());
      },
      jsonOf(CELL(row.what == What::Bytes ? Json(hexBytesText(row.bytes, "")) : noKey()))},
     {kNumber, "index",
      "Number of the stored code, from 0; of what a mask keeps that of the element",
      CELL(strayCount(row, &search::StrayCode::index))},
     {kNumber, "code",
      "Entry of the codebook, or number of the stored value, that it refers to, from 0",
      CELL(strayCount(row, &search::StrayCode::code))},
     {kNumber, "entries", "Number of entries of the codebook, or of stored values",
      CELL(strayCount(row, &search::StrayCode::entries))}},
    {"place", "file", "offset", "bytes", "section"});

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
    json["hits"] = jsonArray(hitTable, rows);
    return json;
}

std::vector<CoverageLine> coverageLines(const Bundle &bundle, const Coverage &coverage)
{
    std::vector<CoverageLine> lines;
    for (const CoverageRow &row : coverage.rows)
        lines.push_back({&bundle, &row});
    return lines;
}

const TableOf<CoverageLine> coverageTable(
    "coverage",
    {{kName, "weight", "Weight, by its address",
      CELL(row.bundle->weights()[row.row->weight].address())},
     {kNumber, "elements", "Parameters of the weight",
      CELL(Count(row.bundle->weights()[row.row->weight].elements.value))},
     {kNumber, "bits", "bits a weight", "Stored bits over elements",
      CELL(known<Real>(row.row->bits, 2))},
     {"found", "How it is stored", CELL(View(row.row->found))},
     {"expected", "The form that was expected", CELL(orNothing(row.row->expected))},
     {"kept", "Whether it is in the form expected",
      [](const CoverageLine &row) -> Value {
          if (row.row->expected.empty())
              return Nothing();
          return row.row->kept ? Word("yes", Mark::Good) : Word("no", Mark::Bad);
      },
      jsonOf(CELL(row.row->expected.empty() ? Json(nullptr) : Json(row.row->kept)))},
     {"why", "why dense", "Why it may have been left dense", CELL(orNothing(row.row->why))},
     {kNumber, "extra_bytes", "extra", "Bytes beyond what the form expected would take",
      CELL(row.row->kept ? Value(Nothing()) : Count(row.row->extraBytes)), withUnit("B")}});

std::string coverageSentence(const Coverage &coverage, const CoverageRules &rules)
{
    std::string text = fmt::format("{:.2f} bits a weight, {}", coverage.bits(),
                                   counted(coverage.parameters, "parameter"));
    if (!rules.any())
        return text;
    if (coverage.broken > 0)
        text += fmt::format(", {} not in the form expected ({})",
                            counted(coverage.broken, "weight"), bytesText(coverage.extraBytes));
    else if (coverage.judged == 0)
        text += ", no weight has an expected form";
    else if (coverage.judged == coverage.rows.size())
        text += ", every weight is as expected";
    else
        text += fmt::format(", {} of {} with an expected form, all as expected",
                            grouped(coverage.judged), counted(coverage.rows.size(), "weight"));
    if (coverage.alone > 0)
        text += fmt::format(", {} without a partner in the sibling build",
                            counted(coverage.alone, "weight"));
    return text;
}

void addCoverage(Json &document, const Bundle &bundle, const Coverage &coverage,
                 const CoverageRules &rules)
{
    Json &own = document["coverage"];
    own["sentence"] = coverageSentence(coverage, rules);
    own["bits"] = ratioJson(coverage.bits());
    own["parameters"] = numberJson(coverage.parameters);
    own["stored_bytes"] = numberJson(coverage.storedBytes);
    own["extra_bytes"] = numberJson(coverage.extraBytes);
    own["not_kept"] = coverage.broken;
    own["weights"] = jsonArray(coverageTable, coverageLines(bundle, coverage));
}

} // namespace kernscope::report
