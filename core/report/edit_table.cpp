// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/edit_table.h"

#include "core/base/find.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/byte_field.h"
#include "core/container/aimodel/package.h"
#include "core/report/json_table.h"

#include <cmath>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

Value whereValue(const EditFacts &row)
{
    if (row.bundle == nullptr || row.edit->bytes.empty())
        return Nothing();
    const FileEdit &first = row.edit->bytes.front();
    return FilePlace{row.bundle->files()[first.file].path, first.offset.value};
}

Value noteValue(const EditFacts &row)
{
    // Of several bits of a mask the last edit has the bytes of all.
    const bool same = row.edit->bytes.empty() && row.edit->oldText == row.edit->newText;
    return same ? Value(Word{"nothing to change"}) : Value(View(row.edit->note));
}

/// Bytes as such are no number; what was there and what comes is listed as bytes.
bool hasNoFigure(const EditFacts &row)
{
    return row.edit->edit.kind == Edit::Kind::Bytes;
}

/// Of a code, which is stored as it was asked for, every digit.
Json editFigureJson(const EditFacts &row, double value)
{
    const Edit &edit = row.edit->edit;
    if (hasNoFigure(row))
        return nullptr;
    if (edit.kind != Edit::Kind::SetStored)
        return std::isfinite(value) ? Json(value)
                                    : Json(fmt::format("{}", value)); // JSON has no "nan"
    return edit.storedBeyond ? Json(static_cast<std::uint64_t>(edit.stored)) : Json(edit.stored);
}

Value editFigure(const EditFacts &row, double value, bool rounded)
{
    if (hasNoFigure(row))
        return Nothing();
    if (row.edit->edit.kind == Edit::Kind::SetStored && !row.edit->newText.empty())
        return Written(value, row.edit->newText);
    // Whole numbers, and what fp32 does not hold, need more digits.
    rounded = rounded && value != std::trunc(value) &&
              static_cast<double>(static_cast<float>(value)) == value;
    return Written(value, rounded ? fmt::format("{:.9g}", value) : fmt::format("{}", value));
}

const Weight &sideWeight(const PickedSide &side)
{
    return side.bundle->weights()[side.weight];
}

/// As many digits as tell a number of the type from the next one.
Value numberOf(const PickedSide &side, double value)
{
    if (std::isnan(value))
        return std::string("nan"); // whatever its sign
    const ElementType type = sideWeight(side).type;
    const bool narrow = bitWidth(type) <= 16 && isFloatingPoint(type);
    return fmt::format("{:.{}g}", value, narrow ? 5 : 9);
}

Value fileOf(const PickedSide &side)
{
    const auto &place = side.stored->place;
    return place && place->file < side.bundle->files().size()
               ? Value(side.bundle->files()[place->file].path)
               : Value(Unknown());
}

/// What two numbers that are compared differ by.
void addDistance(std::vector<PickedFact> &rows, const PickedSide &sideA, const PickedSide &sideB)
{
    const double a = sideA.stored->value, b = sideB.stored->value, distance = b - a;
    const ElementType type = sideWeight(sideA).type;
    Value text = Word{"not finite"};
    if (a == b || (std::isnan(a) && std::isnan(b)))
        text = Word{"equal"};
    else if (std::isfinite(distance))
        text = fmt::format("{:.5g}", distance);
    rows.push_back({Word{"B \u2212 A"}, Nothing(), std::move(text)});
    if (a != 0 && a != b && std::isfinite(distance))
        rows.push_back(
            {Word{"(B \u2212 A) / |A|"}, Nothing(), fmt::format("{:.3g}", distance / std::abs(a))});
    if (std::isfinite(a) && std::isfinite(b))
        rows.push_back({Word{"Steps", Mark::None, std::string(elementTypeName(type))}, Nothing(),
                        Count{ulpDistance(type, a, b)}});
}

/// Most bytes of a range that text and JSON write out.
constexpr std::size_t kTextBytes = 8, kJsonBytes = 64;

/// The first of the bytes; `range` may have more.
std::string firstBytes(std::span<const std::byte> bytes, std::uint64_t range)
{
    return hexBytesText(bytes.first(std::min(bytes.size(), kTextBytes))) +
           (range > kTextBytes ? " \u2026" : "");
}

Value bytesValue(const SharedBytes &bytes)
{
    return firstBytes(bytes, bytes.size());
}

Json bytesDocument(std::span<const std::byte> bytes)
{
    return hexBytesText(bytes.first(std::min(bytes.size(), kJsonBytes)), "");
}

/// "1,234 B"; a dash where the file is not there.
Value sizeValue(const std::optional<ByteCount> &bytes)
{
    return bytes ? Value(grouped(bytes->value) + " B") : Value(Unknown());
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
    return listJson(ranges, [&](const auto &range) -> Json {
        return {numberJson(range.offset.value), numberJson(range.bytes.value)};
    });
}

Json savedJson(const SaveReport &saved)
{
    return {
        {"bytes_written", numberJson(saved.bytesWritten.value)},
        {"verified", saved.verified},
        {"backups", listJson(saved.backups, [&](const auto &backup) { return backup.string(); })}};
}

std::string_view actionName(RecoverAction action)
{
    switch (action) {
    case RecoverAction::Undo: return "undo";
    case RecoverAction::Finish: return "finish";
    case RecoverAction::Discard: break;
    }
    return "discard";
}

/// The ranges that edits change, as if they were saved.
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

} // namespace

std::uint64_t EditFacts::changedBytes() const
{
    std::uint64_t bytes = 0;
    for (const FileEdit &change : edit->bytes)
        bytes += change.after.size();
    return bytes;
}

std::vector<format::StaleCache> staleCaches(const Bundle &bundle)
{
    // Those of packages go by main.hash: of a module by itself none.
    if (bundle.kind() == BundleKind::Aimodel && !bundle.fileByPath(aimodel::kHashFile))
        return {};
    return format::staleCaches(bundleKindName(bundle.kind()));
}

std::vector<EditFacts> editRows(const Bundle &bundle, const std::vector<AppliedEdit> &edits)
{
    std::vector<EditFacts> rows;
    for (const AppliedEdit &edit : edits)
        rows.push_back({&bundle, &edit, true});
    return rows;
}

const TableOf<EditFacts> editTable(
    "edits",
    {{kWindow, "active", "on", "Cleared: switched off, or undone and not made again",
      CELL(Word(row.active ? "on" : "off"))},
     {kDocument, "kind", "What kind of edit it is", CELL(Word(editKindName(row.edit->edit.kind)))},
     {kName | kTerminal, "written", "edit",
      "The kind and the edit, as the command line writes them",
      CELL(fmt::format("{} {}", editKindName(row.edit->edit.kind), editText(row.edit->edit)))},
     {kDocument | kWindow, "edit", "The edit as the command line writes it",
      CELL(editText(row.edit->edit))},
     {kDocument, "weight", "The weight that it changes", CELL(View(row.edit->edit.weight))},
     {kNumber | kDocument | kTerminal, "asked", "The value that was asked for",
      CELL(editFigure(row, row.edit->asked, false)),
      jsonOf(CELL(editFigureJson(row, row.edit->asked)))},
     {kNumber | kDocument | kTerminal, "stored", "The value that the form holds",
      CELL(editFigure(row, row.edit->stored, true)),
      jsonOf(CELL(editFigureJson(row, row.edit->stored)))},
     {kNumber, "old", "was", "The value before", CELL(View(row.edit->oldText))},
     {kNumber | kDocument | kWindow, "new", "The value that the form holds now",
      CELL(View(row.edit->newText))},
     {kWindow, "where", "The first changed byte, and how many more runs", whereValue},
     {kNumber | kWindow, "bytes", "How many bytes change", CELL(Count(row.changedBytes()))},
     {kName, "note", "What the form made of the value", noteValue,
      jsonOf(CELL(Json(row.edit->note)))},
     {kNumber | kDocument, "elements", "Decoded elements that it sets",
      CELL(Count(row.edit->elements))},
     {kDocument, "tables", "Whether it touches program text, a header or a record",
      CELL(row.edit->tables)},
     {kDocument, "ranges", "The bytes before and after, run by run",
      CELL(jsonArray(changedBytesTable, changedBytes(*row.bundle, *row.edit)))}},
    {"kind", "edit", "weight", "asked", "stored", "note", "old", "new"},
    {"active", "edit", "old", "new", "note"});

std::vector<PickedFact> pickedElementRows(const PickedSide &a, const PickedSide &b, bool comparable)
{
    std::vector<PickedFact> rows;
    // Of what a side may not know, no row where neither knows it.
    const auto add = [&](const char *what, Value (*of)(const PickedSide &), bool always = false) {
        const auto ofSide = [of](const PickedSide &side) {
            return side.bundle != nullptr && side.stored != nullptr ? of(side) : Value(Unknown());
        };
        PickedFact row{Word{what}, ofSide(a), ofSide(b)};
        if (always || row.a != Value(Unknown()) || row.b != Value(Unknown()))
            rows.push_back(std::move(row));
    };
    add("Index", CELL(Value(indexText(sideWeight(row).shape, row.element))), true);
    add("Value", CELL(numberOf(row, row.stored->value)));
    if (comparable && a.stored != nullptr && b.stored != nullptr)
        addDistance(rows, a, b);
    add("Code", CELL(!row.stored->stored ? Value(Word{"left out"})
                                         : ofAny<Unknown>(row.stored->code, [](auto code) {
                                               return fmt::format("{}", code);
                                           })));
    add("Codebook",
        CELL(row.stored->entry ? known<Count>(row.stored->codebook) : Value(Unknown())));
    add("Entry", CELL(row.stored->entry ? numberOf(row, *row.stored->entry) : Value(Unknown())));
    add("Bytes", CELL(orNothing<Unknown>(hexBytesText(row.stored->bytes))));
    add("Offset", CELL(row.stored->place ? Value(Hex{row.stored->place->bytes.offset.value})
                                         : Value(Unknown())));
    add("File", fileOf, true);
    return rows;
}

const TableOf<PickedFact> pickedElementTable(
    "element",
    {{"what", "element", "What is said of the picked element", member<&PickedFact::what>},
     {"a", "A", "The element as A stores it", member<&PickedFact::a>},
     {"b", "B", "The element as B stores it", member<&PickedFact::b>}});

const TableOf<WrittenRange> writtenRangeTable(
    "written_ranges",
    {{"file", "File that is written", member<&WrittenRange::file>},
     {kNumber, "offset", "The first written byte", CELL(Hex(row.range.offset.value))},
     {kNumber, "bytes", "How many bytes are written", CELL(Count(row.range.bytes.value))}});

std::vector<PendingRange>
pendingRangeRows(const Bundle &bundle, const std::vector<WrittenRange> &ranges, std::size_t most)
{
    return mapped(std::min(ranges.size(), most), [&](std::size_t i) {
        PendingRange row{ranges[i], {}, {}};
        const auto at = bundle.fileByPath(row.written.file);
        if (!at)
            return row;
        const OverlaidFile &file = *bundle.files()[*at].file;
        const auto [offset, bytes] =
            std::pair(row.written.range.offset, row.written.range.bytes.value);
        std::vector<std::byte> onDisk(std::min<std::uint64_t>(bytes, kTextBytes));
        file.readDisk(offset, onDisk);
        row.before = firstBytes(onDisk, bytes);
        row.after = firstBytes(file.bytes().subspan(offset.value, onDisk.size()), bytes);
        return row;
    });
}

const TableOf<PendingRange> pendingRangeTable(
    "pending_ranges",
    {{"file", "File that is written", CELL(View(row.written.file))},
     {kNumber, "offset", "The first written byte", CELL(Hex(row.written.range.offset.value))},
     {kNumber, "bytes", "How many bytes are written", CELL(Count(row.written.range.bytes.value))},
     {"before", "on disk", "The first bytes of the range as the file has them",
      CELL(orNothing(row.before))},
     {"after", "becomes", "The first bytes of the range after the save",
      CELL(orNothing(row.after))}});

std::vector<ChangedBytes> changedBytes(const Bundle &bundle, const AppliedEdit &edit)
{
    return mapped(edit.bytes, [&](const FileEdit &bytes) -> ChangedBytes {
        return {bundle.files()[bytes.file].path, &bytes};
    });
}

const TableOf<ChangedBytes> changedBytesTable(
    "changed_bytes",
    {{kName, "file", "File that holds the bytes", member<&ChangedBytes::file>},
     {kNumber, "offset", "The first changed byte", CELL(Hex(row.edit->offset.value))},
     {kNumber, "bytes", "How many bytes change", CELL(Count(row.edit->after.size()))},
     {"before", "The bytes as they were; of many the first", CELL(bytesValue(row.edit->before)),
      jsonOf(CELL(bytesDocument(row.edit->before)))},
     {"after", "The bytes as they become; of many the first", CELL(bytesValue(row.edit->after)),
      jsonOf(CELL(bytesDocument(row.edit->after)))},
     {kDocument, "cut", "Only the first of the bytes are written out",
      CELL(row.edit->after.size() > kJsonBytes ? Json(true) : noKey())}});

const TableOf<FileDifference> fileDifferenceTable(
    "file_differences",
    {{kName, "path", "file", "Path in the bundle", member<&FileDifference::path>},
     {kNumber, "bytes_a", "A", "Its bytes in A", CELL(sizeValue(row.bytesA)),
      jsonOf(CELL(numberJson(row.bytesA)))},
     {kNumber, "bytes_b", "B", "Its bytes in B", CELL(sizeValue(row.bytesB)),
      jsonOf(CELL(numberJson(row.bytesB)))},
     {kDocument, "equal", "Whether both have the same bytes at the same places",
      member<&FileDifference::equal>},
     {kDocument, "ranges", "Where bytes differ, by the offsets of A",
      CELL(pairsDocument(row.ranges))},
     {kDocument, "ranges_b", "Where bytes differ, by the offsets of B",
      CELL(pairsDocument(row.rangesB))},
     {kTerminal, "verdict", "bytes", "How the bytes differ, and at how many places", fileVerdict},
     {kDocument, "different_bytes", "Bytes that differ", CELL(Count(row.tally.total()))},
     {kDocument, "changed_bytes", "Bytes that both have, with other values",
      CELL(Count(row.tally.changed))},
     {kDocument, "only_a_bytes", "Bytes that A alone has", CELL(Count(row.tally.onlyA))},
     {kDocument, "only_b_bytes", "Bytes that B alone has", CELL(Count(row.tally.onlyB))},
     {kDocument, "other_spelling", "Program text against protobuf: bytes are not compared",
      CELL(row.otherNotation ? Json(true) : noKey())},
     {kDocument, "ranges_cut", "There are more ranges than are listed",
      CELL(row.rangesCut ? Json(true) : noKey())}},
    {"path", "bytes_a", "bytes_b", "equal", "ranges", "ranges_b"});

Json appliedJson(const AppliedNames &names, const AppliedPatch &applied)
{
    Json json = document("patch");
    json["bundle"] = names.bundle;
    json["mode"] = names.dryRun ? "dry-run" : "output";
    if (!names.output.empty())
        json["output"] = names.output;
    json["edits"] = Json::array();
    std::vector<WrittenRange> ranges;
    for (const ByteRange &range : applied.changed.ranges)
        ranges.push_back({names.file, range});
    json["ranges"] = jsonArray(writtenRangeTable, ranges);
    json["ranges_cut"] = applied.changed.cut;
    json["applied"] = {{"patch", names.patch},
                       {"format", patch::binaryFormatName(applied.result.format)},
                       {"file", names.file},
                       {"steps", numberJson(applied.result.steps)},
                       {"bytes_before", numberJson(applied.bytesBefore)},
                       {"bytes_after", numberJson(applied.result.bytes)},
                       {"source_checked", applied.result.sourceChecked},
                       {"target_checked", applied.result.targetChecked}};
    json["verified"] = optionalJson(applied.verified);
    json["saved"] = applied.verified ? Json{{"bytes_written", numberJson(applied.result.bytes)},
                                            {"verified", *applied.verified}}
                                     : Json(nullptr);
    return json;
}

const TableOf<format::StaleCache> staleCacheTable(
    "stale_caches",
    {{kName, "place", "cache", "Where a system keeps what it compiled",
      member<&format::StaleCache::place>},
     {"what", "What lies there", member<&format::StaleCache::what>},
     {"clear", "What to do", member<&format::StaleCache::clear>},
     {"confidence", "How sure it is", CELL(Word(format::confidenceName(row.confidence)))},
     {"source", "Who says so", member<&format::StaleCache::source>}});

Json patchJson(const Bundle &bundle, const std::vector<AppliedEdit> &edits,
               const std::optional<SaveReport> &saved)
{
    Json json = document("patch");
    json["bundle"] = bundle.name();
    json["edits"] = jsonArray(editTable, editRows(bundle, edits));
    // What is written, file by file: as saved, or as the edits alone would have it.
    json["ranges"] =
        jsonArray(writtenRangeTable, saved ? saved->ranges : plannedRanges(bundle, edits));
    json["verified"] = saved ? Json(saved->verified) : Json(nullptr);
    json["saved"] = saved ? savedJson(*saved) : Json(nullptr);
    if (saved && !saved->ranges.empty())
        json["caches"] = jsonArray(staleCacheTable, staleCaches(bundle));
    return json;
}

void addPatchRun(Json &document, std::string_view mode, std::string_view output, double tolerance)
{
    document["mode"] = mode;
    if (!output.empty())
        document["output"] = output;
    document["tolerance"] = tolerance;
}

Json recoverJson(std::string_view path, RecoverAction action, bool dryRun,
                 const RecoverReport &report)
{
    Json json = document("recover");
    json["path"] = path;
    json["action"] = actionName(action);
    json["dry_run"] = dryRun;
    json["saves"] = listJson(report.saves, [&](const auto &done) -> Json {
        return {{"journal", done.save.journal.string()},
                {"state", interruptedStateName(done.save.state)},
                {"save_ranges", jsonArray(writtenRangeTable, done.save.ranges)},
                {"ranges", jsonArray(writtenRangeTable, done.ranges)},
                {"bytes_written", numberJson(done.bytesWritten.value)}};
    });
    json["verified"] = report.verified;
    return json;
}

} // namespace kernscope::report
