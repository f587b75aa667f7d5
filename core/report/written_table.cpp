// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/written_table.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/report/joined_columns.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/number_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

constexpr auto kWrittenNumber = TextTable::Align::Right;

/// Bytes that are written out in text, and in JSON; of longer ranges the first so many.
constexpr std::size_t kTextBytes = 8, kJsonBytes = 64;

std::string bytesHex(const SharedBytes &bytes, std::size_t most, std::string_view between)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(bytes.size(), most); ++i)
        text += fmt::format("{}{:02x}", i == 0 ? "" : between, std::to_integer<unsigned>(bytes[i]));
    return text;
}

Value bytesValue(const SharedBytes &bytes)
{
    return bytesHex(bytes, kTextBytes, " ") + (bytes.size() > kTextBytes ? " \u2026" : "");
}

Json bytesDocument(const SharedBytes &bytes)
{
    return bytesHex(bytes, kJsonBytes, "");
}

const WrittenRange &rangeOf(const WrittenRange &range)
{
    return range;
}

const WrittenRange &rangeOf(const PendingRange &row)
{
    return row.range;
}

template <class Row>
std::vector<Column<Row>> writtenRangeColumns()
{
    return {
        {.key = "file",
         .title = "file",
         .explanation = "File that is written",
         .value = [](const Row &row) -> Value { return View(rangeOf(row).file); }},
        {.key = "offset",
         .title = "offset",
         .explanation = "The first written byte",
         .align = kWrittenNumber,
         .value = [](const Row &row) -> Value { return Hex{rangeOf(row).range.offset.value}; }},
        {.key = "bytes",
         .title = "bytes",
         .explanation = "How many bytes are written",
         .align = kWrittenNumber,
         .value = [](const Row &row) -> Value { return Count{rangeOf(row).range.bytes.value}; }}};
}

/// The first bytes of a range; `byteAt` gives that of an offset.
template <class ByteAt>
std::string firstBytes(const ByteRange &range, const ByteAt &byteAt)
{
    std::string text;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(range.bytes.value, kTextBytes); ++i)
        text += fmt::format("{}{:02x}", i == 0 ? "" : " ",
                            std::to_integer<unsigned>(byteAt(range.offset.value + i)));
    return text + (range.bytes.value > kTextBytes ? " \u2026" : "");
}

std::vector<Column<PendingRange>> pendingBytesColumns()
{
    using Row = PendingRange;
    return {{.key = "before",
             .title = "on disk",
             .explanation = "The first bytes of the range as the file has them",
             .value = [](const Row &row) { return orNothing(row.before); }},
            {.key = "after",
             .title = "becomes",
             .explanation = "The first bytes of the range after the save",
             .value = [](const Row &row) { return orNothing(row.after); }}};
}

std::vector<Column<ChangedBytes>> changedColumns()
{
    using Row = ChangedBytes;
    return {{.key = "file",
             .title = "file",
             .explanation = "File that holds the bytes",
             .align = TextTable::Align::Name,
             .value = [](const Row &row) -> Value { return row.file; }},
            {.key = "offset",
             .title = "offset",
             .explanation = "The first changed byte",
             .align = kWrittenNumber,
             .value = [](const Row &row) -> Value { return Hex{row.edit->offset.value}; }},
            {.key = "bytes",
             .title = "bytes",
             .explanation = "How many bytes change",
             .align = kWrittenNumber,
             .value = [](const Row &row) -> Value { return Count{row.edit->after.size()}; }},
            {.key = "before",
             .title = "before",
             .explanation = "The bytes as they were; of many the first",
             .value = [](const Row &row) { return bytesValue(row.edit->before); },
             .document = [](const Row &row) { return bytesDocument(row.edit->before); }},
            {.key = "after",
             .title = "after",
             .explanation = "The bytes as they become; of many the first",
             .value = [](const Row &row) { return bytesValue(row.edit->after); },
             .document = [](const Row &row) { return bytesDocument(row.edit->after); }},
            {.key = "cut",
             .title = "cut",
             .explanation = "Only the first of the bytes are written out",
             .shown = kDocument,
             .document = [](const Row &row) {
                 return row.edit->after.size() > kJsonBytes ? Json(true) : noKey();
             }}};
}

/// "1,234 B"; a dash where the file is not there.
Value sizeValue(const std::optional<ByteCount> &bytes)
{
    return bytes ? Value(grouped(bytes->value) + " B") : Value(Unknown());
}

Json sizeDocument(const std::optional<ByteCount> &bytes)
{
    return bytes ? numberJson(bytes->value) : Json(nullptr);
}

Value fileVerdict(const FileDifference &file)
{
    if (!file.bytesA || !file.bytesB)
        return Word{file.bytesA ? "only in A" : "only in B"};
    if (file.equal)
        return Word{"equal"};
    if (file.otherNotation)
        return Word{"in another notation"};
    const std::size_t places = std::max(file.ranges.size(), file.rangesB.size());
    if (places == 0)
        return Word{"the same parts in another order"};
    return fmt::format("{} at {}{}", tallyText(file.tally), file.rangesCut ? "more than " : "",
                       counted(places, "place"));
}

Json pairsDocument(const std::vector<ByteRange> &ranges)
{
    Json list = Json::array();
    for (const ByteRange &range : ranges)
        list.push_back({numberJson(range.offset.value), numberJson(range.bytes.value)});
    return list;
}

std::vector<Column<FileDifference>> fileColumns()
{
    using Row = FileDifference;
    return {{.key = "path",
             .title = "file",
             .explanation = "Path in the bundle",
             .align = TextTable::Align::Name,
             .value = [](const Row &row) -> Value { return View(row.path); }},
            {.key = "bytes_a",
             .title = "A",
             .explanation = "Its bytes in A",
             .align = kWrittenNumber,
             .value = [](const Row &row) { return sizeValue(row.bytesA); },
             .document = [](const Row &row) { return sizeDocument(row.bytesA); }},
            {.key = "bytes_b",
             .title = "B",
             .explanation = "Its bytes in B",
             .align = kWrittenNumber,
             .value = [](const Row &row) { return sizeValue(row.bytesB); },
             .document = [](const Row &row) { return sizeDocument(row.bytesB); }},
            {.key = "equal",
             .title = "equal",
             .explanation = "Whether both have the same bytes at the same places",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return row.equal; }},
            {.key = "ranges",
             .title = "ranges in A",
             .explanation = "Where bytes differ, by the offsets of A",
             .shown = kDocument,
             .document = [](const Row &row) { return pairsDocument(row.ranges); }},
            {.key = "ranges_b",
             .title = "ranges in B",
             .explanation = "Where bytes differ, by the offsets of B",
             .shown = kDocument,
             .document = [](const Row &row) { return pairsDocument(row.rangesB); }},
            {.key = "verdict",
             .title = "bytes",
             .explanation = "How the bytes differ, and at how many places",
             .shown = kTerminal,
             .value = fileVerdict}};
}

/// What only the JSON document has of a file.
std::vector<Column<FileDifference>> fileCounts()
{
    using Row = FileDifference;
    return {{.key = "different_bytes",
             .title = "different",
             .explanation = "Bytes that differ",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return Count{row.tally.total()}; }},
            {.key = "changed_bytes",
             .title = "changed",
             .explanation = "Bytes that both have, with other values",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return Count{row.tally.changed}; }},
            {.key = "only_a_bytes",
             .title = "only in A",
             .explanation = "Bytes that A alone has",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return Count{row.tally.onlyA}; }},
            {.key = "only_b_bytes",
             .title = "only in B",
             .explanation = "Bytes that B alone has",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return Count{row.tally.onlyB}; }},
            {.key = "other_spelling",
             .title = "another notation",
             .explanation = "Program text against protobuf: bytes are not compared",
             .shown = kDocument,
             .document = [](const Row &row) { return row.otherNotation ? Json(true) : noKey(); }},
            {.key = "ranges_cut",
             .title = "cut",
             .explanation = "There are more ranges than are listed",
             .shown = kDocument,
             .document = [](const Row &row) { return row.rangesCut ? Json(true) : noKey(); }}};
}

} // namespace

const TableOf<WrittenRange> &writtenRangeTable()
{
    static const TableOf<WrittenRange> kTable{"written_ranges",
                                              writtenRangeColumns<WrittenRange>()};
    return kTable;
}

std::vector<PendingRange>
pendingRangeRows(const Bundle &bundle, const std::vector<WrittenRange> &ranges, std::size_t most)
{
    std::vector<PendingRange> rows;
    for (std::size_t i = 0; i < std::min(ranges.size(), most); ++i) {
        PendingRange row{ranges[i], {}, {}};
        if (const auto at = bundle.fileByPath(row.range.file)) {
            const OverlaidFile &file = *bundle.files()[*at].file;
            row.before = firstBytes(row.range.range, [&file](std::uint64_t offset) {
                return file.diskByte(FileOffset(offset));
            });
            row.after = firstBytes(row.range.range, [bytes = file.bytes()](std::uint64_t offset) {
                return bytes[offset];
            });
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

const TableOf<PendingRange> &pendingRangeTable()
{
    static const TableOf<PendingRange> kTable{
        "pending_ranges",
        joinedColumns(writtenRangeColumns<PendingRange>(), pendingBytesColumns())};
    return kTable;
}

std::vector<WrittenRange> plannedRanges(const Bundle &bundle, const std::vector<AppliedEdit> &edits)
{
    std::vector<WrittenRange> ranges;
    for (const AppliedEdit &edit : edits) {
        for (const FileEdit &bytes : edit.bytes)
            ranges.push_back(
                {bundle.files()[bytes.file].path, {bytes.offset, ByteCount(bytes.after.size())}});
    }
    return ranges;
}

std::vector<ChangedBytes> changedBytes(const Bundle &bundle, const AppliedEdit &edit)
{
    std::vector<ChangedBytes> rows;
    for (const FileEdit &bytes : edit.bytes)
        rows.push_back({bundle.files()[bytes.file].path, &bytes});
    return rows;
}

const TableOf<ChangedBytes> &changedBytesTable()
{
    static const TableOf<ChangedBytes> kTable{"changed_bytes", changedColumns()};
    return kTable;
}

const TableOf<FileDifference> &fileDifferenceTable()
{
    static const TableOf<FileDifference> kTable{
        "file_differences",
        joinedColumns(fileColumns(), fileCounts()),
        {"path", "bytes_a", "bytes_b", "equal", "ranges", "ranges_b"}};
    return kTable;
}

} // namespace kernscope::report
