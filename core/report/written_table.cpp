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
    return {{"file", "file", "File that is written",
             [](const Row &row) -> Value { return View(rangeOf(row).file); }},
            {kNumber, "offset", "offset", "The first written byte",
             [](const Row &row) -> Value { return Hex(rangeOf(row).range.offset.value); }},
            {kNumber, "bytes", "bytes", "How many bytes are written",
             [](const Row &row) -> Value { return Count(rangeOf(row).range.bytes.value); }}};
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
    return {{"before", "on disk", "The first bytes of the range as the file has them",
             [](const Row &row) { return orNothing(row.before); }},
            {"after", "becomes", "The first bytes of the range after the save",
             [](const Row &row) { return orNothing(row.after); }}};
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
    using Row = ChangedBytes;
    static constexpr Column<Row> kColumns[] = {
        {kName, "file", "file", "File that holds the bytes",
         [](const Row &row) -> Value { return row.file; }},
        {kNumber, "offset", "offset", "The first changed byte",
         [](const Row &row) -> Value { return Hex(row.edit->offset.value); }},
        {kNumber, "bytes", "bytes", "How many bytes change",
         [](const Row &row) -> Value { return Count(row.edit->after.size()); }},
        {"before", "before", "The bytes as they were; of many the first",
         [](const Row &row) { return bytesValue(row.edit->before); },
         jsonOf([](const Row &row) { return bytesDocument(row.edit->before); })},
        {"after", "after", "The bytes as they become; of many the first",
         [](const Row &row) { return bytesValue(row.edit->after); },
         jsonOf([](const Row &row) { return bytesDocument(row.edit->after); })},
        {kDocument, "cut", "cut", "Only the first of the bytes are written out", nullptr,
         jsonOf([](const Row &row) {
             return row.edit->after.size() > kJsonBytes ? Json(true) : noKey();
         })},
    };
    static const TableOf<Row> kTable{"changed_bytes", kColumns};
    return kTable;
}

const TableOf<FileDifference> &fileDifferenceTable()
{
    using Row = FileDifference;
    static constexpr Column<Row> kColumns[] = {
        {kName, "path", "file", "Path in the bundle",
         [](const Row &row) -> Value { return View(row.path); }},
        {kNumber, "bytes_a", "A", "Its bytes in A",
         [](const Row &row) { return sizeValue(row.bytesA); },
         jsonOf([](const Row &row) { return sizeDocument(row.bytesA); })},
        {kNumber, "bytes_b", "B", "Its bytes in B",
         [](const Row &row) { return sizeValue(row.bytesB); },
         jsonOf([](const Row &row) { return sizeDocument(row.bytesB); })},
        {kDocument, "equal", "equal", "Whether both have the same bytes at the same places",
         [](const Row &row) -> Value { return row.equal; }},
        {kDocument, "ranges", "ranges in A", "Where bytes differ, by the offsets of A", nullptr,
         jsonOf([](const Row &row) { return pairsDocument(row.ranges); })},
        {kDocument, "ranges_b", "ranges in B", "Where bytes differ, by the offsets of B", nullptr,
         jsonOf([](const Row &row) { return pairsDocument(row.rangesB); })},
        {kTerminal, "verdict", "bytes", "How the bytes differ, and at how many places",
         fileVerdict},
        {kDocument, "different_bytes", "different", "Bytes that differ",
         [](const Row &row) -> Value { return Count(row.tally.total()); }},
        {kDocument, "changed_bytes", "changed", "Bytes that both have, with other values",
         [](const Row &row) -> Value { return Count(row.tally.changed); }},
        {kDocument, "only_a_bytes", "only in A", "Bytes that A alone has",
         [](const Row &row) -> Value { return Count(row.tally.onlyA); }},
        {kDocument, "only_b_bytes", "only in B", "Bytes that B alone has",
         [](const Row &row) -> Value { return Count(row.tally.onlyB); }},
        {kDocument, "other_spelling", "another notation",
         "Program text against protobuf: bytes are not compared", nullptr,
         jsonOf([](const Row &row) { return row.otherNotation ? Json(true) : noKey(); })},
        {kDocument, "ranges_cut", "cut", "There are more ranges than are listed", nullptr,
         jsonOf([](const Row &row) { return row.rangesCut ? Json(true) : noKey(); })},
    };
    static const TableOf<Row> kTable{"file_differences",
                                     kColumns,
                                     {"path", "bytes_a", "bytes_b", "equal", "ranges", "ranges_b"}};
    return kTable;
}

} // namespace kernscope::report
