// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/task_table.h"

#include "core/base/find.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/hwx/kernels.h"
#include "core/report/json_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using Extent = std::optional<std::uint32_t>;

/// What is not known comes before what is 0.
SortValue extentOrder(const Extent &first, const Extent &second)
{
    const auto place = [](const Extent &extent) {
        return extent ? std::min<std::uint64_t>(std::uint64_t(*extent) + 1, UINT32_MAX) : 0;
    };
    return place(first) << 32 | place(second);
}

/// "?" where it is not known, as `hwx` has it.
std::string extentText(const Extent &extent)
{
    return extent ? grouped(*extent) : "?";
}

void addTaskRows(const hwx::Container &container, std::size_t number,
                 std::span<const std::byte> bytes, const std::vector<hwx::KernelTile> &tiles,
                 std::vector<TaskRow> &rows, Progress &progress)
{
    const hwx::Text &text = container.texts[number];
    const hwx::SegmentSection *section = container.section(text.section);
    if (section == nullptr || !section->bytes || text.tasks->tasks.empty())
        return;
    const ByteRange range = *section->bytes;
    descriptor::TaskReader reader(bytes.subspan(range.offset.value, range.bytes.value),
                                  *text.tasks);
    const hwx::LaneFinder finder(container, text, tiles);
    descriptor::TaskDetail detail;
    for (std::size_t i = 0; i < text.tasks->tasks.size() && progress.advance(1); ++i) {
        reader.before(i);
        reader.read(i, detail);
        const auto value = [&](const char *role) { return hwx::roleValue(detail, reader, role); };
        TaskRow row;
        row.text = static_cast<std::uint32_t>(number);
        row.index = static_cast<std::uint32_t>(i);
        row.fileOffset = range.offset.value + detail.task.offset;
        row.bytes = static_cast<std::uint32_t>(detail.task.bytes());
        row.records = static_cast<std::uint32_t>(detail.stream.packets.size());
        row.stream = detail.task.stream;
        row.cin = value("cin");
        row.cout = value("cout");
        row.kernelWidth = value("Kw");
        row.kernelHeight = value("Kh");
        row.exact = detail.stream.exact;
        for (const hwx::KernelLane &lane : finder.lanes(detail, reader))
            row.lanes += lane.enabled ? 1 : 0;
        rows.push_back(row);
    }
}

FieldRow rowOf(descriptor::TaskReader &reader, descriptor::TaskDetail &detail, std::size_t task,
               const FieldQuery &query, const descriptor::BitField &bits)
{
    reader.before(task);
    reader.read(task, detail);
    FieldRow row;
    row.word = query.low == 0 && query.high == 31;
    row.task = static_cast<std::uint32_t>(task);
    row.place = detail.task.offset;
    std::optional<std::uint32_t> word;
    if (query.header) {
        if (query.address / 4 < detail.header.size()) {
            word = detail.header[query.address / 4];
            row.written = true;
            row.place += query.address;
        }
    } else {
        word = reader.effective(detail, query.address);
        if (const auto *write = detail.written(query.address)) {
            row.written = true;
            row.place += write->offset;
        }
    }
    if (word)
        row.value = bits.of(*word);
    return row;
}

Json slotTargetJson(const SlotFacts &row)
{
    const hwx::SlotTarget &target = row.slot->target;
    return {{"kind", hwx::targetKindName(target.kind)},
            {"index", target.index},
            {"name", target.name},
            {"address", target.address ? Json(hexText(*target.address)) : Json(nullptr)}};
}

/// "0004f000", of two words "00000001 0004f000".
std::string slotWords(const std::array<std::uint32_t, 2> &words, unsigned count)
{
    return count == 2 ? fmt::format("{:08x} {:08x}", words[0], words[1])
                      : fmt::format("{:08x}", words[0]);
}

Json slotWordsJson(const std::array<std::uint32_t, 2> &words, unsigned count)
{
    Json list = Json::array();
    for (unsigned i = 0; i < count && i < words.size(); ++i)
        list.push_back(fmt::format("0x{:08x}", words[i]));
    return list;
}

Value loadedCell(const SlotFacts &row)
{
    if (row.loaded == nullptr)
        return Nothing();
    if (row.loaded->fault)
        return Word{"refused"};
    return Hex{std::uint64_t(row.loaded->after[1]) << 32 | row.loaded->after[0]};
}

} // namespace

std::vector<TaskRow> taskRows(const Bundle &bundle, Progress &progress)
{
    std::vector<TaskRow> rows;
    const auto &container = bundle.hardware();
    if (!container)
        return rows;
    progress.setTotal(container->taskCount());
    const auto tiles = hwx::kernelTiles(*container);
    rows.reserve(container->taskCount());
    for (std::size_t t = 0; t < container->texts.size(); ++t)
        addTaskRows(*container, t, bundle.files().front().file->bytes(), tiles, rows, progress);
    return rows;
}

const TableOf<TaskRow> taskTable(
    "tasks",
    {{kNumber, "index", "task", "Number of the task in its text section",
      member<&TaskRow::index, Code>,
      sortedBy(CELL(SortValue(std::uint64_t(row.text) << 32 | row.index)))},
     {kNumber, "file_offset", "offset", "Where the task begins in the file",
      member<&TaskRow::fileOffset, Hex>},
     {kNumber, "bytes", "Header and records", member<&TaskRow::bytes, Count>},
     {kNumber, "records", "Register records", member<&TaskRow::records, Count>},
     {kNumber, "stream", "Tasks of one stream carry register state",
      member<&TaskRow::stream, Code>},
     {kNumber, "channels", "Input and output channels",
      CELL(fmt::format("{} \u2192 {}", extentText(row.cin), extentText(row.cout))),
      sortedBy(CELL(extentOrder(row.cout, row.cin)))},
     {kNumber, "kernel", "Height and width of the kernel",
      CELL(fmt::format("{}\u00D7{}", extentText(row.kernelHeight), extentText(row.kernelWidth))),
      sortedBy(CELL(extentOrder(row.kernelHeight, row.kernelWidth)))},
     {kNumber, "lanes", "Engines whose coefficient DMA is enabled",
      CELL(row.lanes == 0 ? Value(View("\u2013")) : Value(Count(row.lanes))),
      sortedBy(CELL(SortValue(std::uint64_t(row.lanes))))}});

std::vector<FieldRow> fieldRows(const Bundle &bundle, const FieldQuery &query, Progress &progress)
{
    std::vector<FieldRow> rows;
    if (!bundle.hardware() || query.text >= bundle.hardware()->texts.size())
        return rows;
    const hwx::Text &text = bundle.hardware()->texts[query.text];
    const hwx::SegmentSection *section = bundle.hardware()->section(text.section);
    if (section == nullptr || !section->bytes || text.tasks->version == nullptr)
        return rows;
    const ByteRange range = *section->bytes;
    descriptor::TaskReader reader(
        bundle.files().front().file->bytes().subspan(range.offset.value, range.bytes.value),
        *text.tasks);
    const std::uint32_t version = text.tasks->version->registerMap;
    const auto *map = descriptor::RegisterMap::of(version);
    const descriptor::Register *reg = map == nullptr ? nullptr
                                      : query.header ? map->header(query.address / 4)
                                                     : map->find(query.address);
    descriptor::BitField bits;
    bits.low = query.low;
    bits.high = query.high;
    const descriptor::BitField *field =
        reg ? findBy(reg->fields, &descriptor::BitField::mask, bits.mask()) : nullptr;
    std::map<std::uint32_t, std::string> meanings; // each is looked up once
    descriptor::TaskDetail detail;
    const std::size_t tasks = text.tasks->tasks.size();
    progress.setTotal(tasks);
    rows.reserve(tasks);
    for (std::size_t i = 0; i < tasks && progress.advance(1); ++i) {
        FieldRow row = rowOf(reader, detail, i, query, bits);
        row.place += range.offset.value;
        if (row.value && field != nullptr) {
            const auto [at, added] = meanings.try_emplace(*row.value);
            if (added)
                at->second = descriptor::decodedField(*reg, *field, *row.value, version);
            row.meaning = at->second;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

const TableOf<FieldRow> fieldTable(
    "field_values",
    {{kNumber, "task", "Number of the task in its text section", member<&FieldRow::task, Code>},
     {kNumber, "value", "What holds in the task: what it writes, else what was left there",
      [](auto &row) -> Value {
          if (!row.value)
              return Nothing();
          return row.word ? Value(Hex(*row.value, 8)) : Value(Code(*row.value));
      }},
     {"meaning", "What the number stands for, where that is known", CELL(orAbsent(row.meaning))},
     {"set", "Whether the task writes it or finds it as the tasks before left it",
      CELL(Word(row.written ? "written"
                : row.value ? "carried"
                            : "never written"))},
     {kNumber, "place", "Of the word in the file; of a task that writes none, where it begins",
      member<&FieldRow::place, Hex>}});

std::vector<SlotFacts> slotRows(std::span<const hwx::Slot> slots, std::string_view file)
{
    std::vector<SlotFacts> rows;
    for (const hwx::Slot &slot : slots)
        rows.push_back({&slot, nullptr, file});
    return rows;
}

std::vector<SlotFacts> loadedSlotRows(std::span<const hwx::Slot> slots,
                                      std::span<const hwx::LoadedSlot> loaded)
{
    return mapped(loaded, [&](const hwx::LoadedSlot &each) -> SlotFacts {
        return {&slots[each.slot], &each};
    });
}

const TableOf<SlotFacts> slotTable(
    "slots",
    {{kNumber, "offset", "place", "Offset in the file", CELL(Hex(row.slot->place.value)),
      jsonOf(CELL(numberJson(row.slot->place.value)))},
     {kNumber, "task", "Task that the word is in", CELL(known<Code, Nothing>(row.slot->task))},
     {"kind", "How the word gets its address", CELL(Word(hwx::slotKindName(row.slot->kind)))},
     {"register", "Register that the word is written to", CELL(View(row.slot->registerName))},
     {kName, "role", "What the address is of", CELL(View(row.slot->role))},
     {kDocument, "file", "File of the bundle", member<&SlotFacts::file>},
     {kDocument, "bytes", "Bytes of its words", CELL(Code(4ULL * row.slot->words))},
     {kDocument, "section", "Ordinal of its text section", CELL(Code(row.slot->section))},
     {kDocument, "text_offset", "Offset in that section", CELL(Code(row.slot->textOffset)),
      jsonOf(CELL(numberJson(row.slot->textOffset)))},
     {kDocument, "address", "Byte address of the register", CELL(hexText(row.slot->address))},
     {kNumber, "stored", "Offset in the target, as the file has it", CELL(Hex(row.slot->stored)),
      jsonOf(CELL(Json(hexText(row.slot->stored))))},
     {kName, "target", "What the loader adds", CELL(View(row.slot->target.name)),
      jsonOf(slotTargetJson)},
     {kNumber | kWindow, "loaded", "What the loader would write", loadedCell},
     {kNumber | kWindow, "device_address", "device address", "What the engine will use",
      CELL(row.loaded != nullptr ? known<Hex, Nothing>(row.loaded->deviceAddress)
                                 : Value(Nothing()))},
     {kDocument, "confidence", "How sure it is",
      CELL(Word(format::confidenceName(row.slot->confidence)))}},
    {"kind", "file", "offset", "bytes", "section", "text_offset", "task", "register", "address",
     "role", "stored", "target"},
    {"offset", "task", "kind", "register", "role", "target"});

const TableOf<SlotFacts> loadedSlotTable(
    "loaded-slots",
    {{kNumber, "offset", "Offset in the file", CELL(Hex(row.slot->place.value)),
      jsonOf(CELL(numberJson(row.slot->place.value)))},
     {kDocument, "task", "Task that the word is in", CELL(known<Code, Nothing>(row.slot->task))},
     {"kind", "How the word gets its address", CELL(Word(hwx::slotKindName(row.slot->kind)))},
     {kName, "register", "Register that the word is written to",
      CELL(View(row.slot->registerName))},
     {kName, "role", "What the address is of", CELL(View(row.slot->role))},
     {kDocument, "section", "Ordinal of its text section", CELL(Code(row.slot->section))},
     {kName, "target", "What the loader adds", CELL(View(row.slot->target.name))},
     {"before", "Its words as the file has them",
      CELL(slotWords(row.loaded->before, row.slot->words)),
      jsonOf(CELL(slotWordsJson(row.loaded->before, row.slot->words)))},
     {"after", "What the loader would write",
      CELL(row.loaded->changes() ? slotWords(row.loaded->after, row.slot->words)
                                 : std::string("the same")),
      jsonOf(CELL(slotWordsJson(row.loaded->after, row.slot->words)))},
     {kDocument, "changes", "Whether they differ", CELL(row.loaded->changes())},
     {kDocument, "device_address", "What the engine will use",
      CELL(row.loaded->deviceAddress ? Value(hexText(*row.loaded->deviceAddress))
                                     : Value(Nothing()))},
     {kName, "fault", "remark", "Why nothing is written",
      CELL(row.loaded->fault ? Value(View(row.loaded->fault->message)) : Value(Nothing()))}},
    {"offset", "kind", "section", "task", "register", "role", "target", "before", "after"});

} // namespace kernscope::report
