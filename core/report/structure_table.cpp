// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/structure_table.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/mil/model_files.h"
#include "core/report/hwx_json.h"
#include "core/report/json_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

/// Things of one side by their names; a name may be there several times, then in their order.
using ByName = std::map<std::string, std::vector<std::string>>;

void addDifferent(StructureFacts::Kind kind, const ByName &a, const ByName &b,
                  std::vector<StructureFacts> &rows)
{
    static const std::vector<std::string> kNone;
    std::map<std::string,
             std::pair<const std::vector<std::string> *, const std::vector<std::string> *>>
        both;
    for (const auto &[name, texts] : a)
        both[name] = {&texts, &kNone};
    for (const auto &[name, texts] : b) {
        const auto at = both.try_emplace(name, &kNone, &kNone).first;
        at->second.second = &texts;
    }
    for (const auto &[name, sides] : both) {
        const auto &[inA, inB] = sides;
        for (std::size_t i = 0; i < std::max(inA->size(), inB->size()); ++i) {
            const std::string ofA = i < inA->size() ? (*inA)[i] : std::string();
            const std::string ofB = i < inB->size() ? (*inB)[i] : std::string();
            if (ofA != ofB)
                rows.push_back({kind, name.empty() ? "without a name" : name, ofA, ofB});
        }
    }
}

/// What B has at the same place under another name is one row.
void joinRenamed(std::vector<StructureFacts> &rows)
{
    std::map<std::string, StructureFacts *> onlyB; // by what is said of them
    for (StructureFacts &row : rows) {
        if (row.a.empty())
            onlyB.try_emplace(row.b, &row);
    }
    for (StructureFacts &row : rows) {
        const auto twin = row.b.empty() ? onlyB.find(row.a) : onlyB.end();
        if (twin == onlyB.end())
            continue;
        row.detail = "in B: " + twin->second->name;
        row.b = std::exchange(twin->second->b, {});
        onlyB.erase(twin);
    }
    std::erase_if(rows, CELL(row.a.empty() && row.b.empty()));
}

std::string sectionName(const hwx::SegmentSection &section)
{
    return section.segment + ',' + section.name;
}

ByName symbolsOf(const hwx::Container &container)
{
    ByName names;
    for (const hwx::Symbol &symbol : container.symbols) {
        const hwx::SegmentSection *section = container.section(symbol.section);
        const std::string where = section ? " in " + sectionName(*section) : std::string();
        names[symbol.name].push_back(fmt::format(
            "{} {:#x}{}{}", hwx::symbolKindName(symbol.type), symbol.value, where,
            symbol.desc == 0 ? std::string() : fmt::format(", desc {:#x}", symbol.desc)));
    }
    return names;
}

/// What a slot refers to, by name: numbers of symbols and sections move with any that is inserted.
std::string targetOf(const hwx::Container &container, const hwx::Relocation &slot)
{
    if (slot.external()) {
        return slot.symbolNumber() < container.symbols.size()
                   ? container.symbols[slot.symbolNumber()].name
                   : fmt::format("symbol {}", slot.symbolNumber());
    }
    const hwx::SegmentSection *section = container.section(slot.symbolNumber());
    return section ? sectionName(*section) : fmt::format("section {}", slot.symbolNumber());
}

ByName slotsOf(const hwx::Container &container)
{
    ByName names;
    for (const hwx::Segment &segment : container.segments) {
        for (const hwx::SegmentSection &section : segment.sections) {
            for (const hwx::Relocation &slot : section.relocations)
                names[fmt::format("{} +{:#x}", sectionName(section), slot.address)].push_back(
                    fmt::format("{}, {} B, type {}{}", targetOf(container, slot),
                                1u << slot.length(), slot.type(),
                                slot.pcRelative() ? ", relative" : ""));
        }
    }
    return names;
}

ByName portsOf(const hwx::Container &container)
{
    ByName names;
    for (const hwx::Binding &port : container.bindings)
        names[port.name].push_back(fmt::format("{:#x}", port.address));
    return names;
}

using Kind = StructureFacts::Kind;

std::string registerHex(const std::optional<std::uint32_t> &value)
{
    return value ? fmt::format("0x{:08x}", *value) : std::string();
}

std::string fieldText(const descriptor::FieldDifference &field)
{
    const auto number = [](const std::optional<std::uint32_t> &value) {
        return value ? fmt::format("{}", *value) : std::string("none");
    };
    return fmt::format("{}: {} > {}", field.name, number(field.a), number(field.b));
}

void addTask(const descriptor::TaskDifference &task, std::vector<StructureFacts> &rows)
{
    const auto index = [](std::size_t of) {
        return of == descriptor::kNoTask ? std::string() : fmt::format("{}", of);
    };
    const std::string name = "task " + index(task.a == descriptor::kNoTask ? task.b : task.a);
    rows.push_back({Kind::Task, name, index(task.a), index(task.b), {}});
    const auto decimal = [](const std::optional<std::uint32_t> &value) {
        return value ? fmt::format("{}", *value) : std::string();
    };
    for (const descriptor::FieldDifference &field : task.header)
        rows.push_back(
            {Kind::Header, name + ": " + field.name, decimal(field.a), decimal(field.b), {}});
    for (const descriptor::RegisterDifference &each : task.registers) {
        std::vector<std::string> fields;
        for (const descriptor::FieldDifference &field : each.fields)
            fields.push_back(fieldText(field));
        const std::string called = each.reg ? each.reg->block + "." + each.reg->name
                                            : fmt::format("{:#07x}", each.address);
        rows.push_back({Kind::Register, name + ": " + called, registerHex(each.a),
                        registerHex(each.b), fmt::format("{}", fmt::join(fields, "; "))});
    }
}

std::string lengthText(bool there, std::uint64_t bytes)
{
    return there ? grouped(bytes) + " B" : std::string();
}

/// Files and sections whose bytes are set against each other.
class ByteStructure
{
public:
    ByteStructure(const BundlePtr &a, const BundlePtr &b, std::span<const ComparedPair> pairs)
        : m_bytes(alignBytes(a, b, pairs))
    {
    }

    /// False where cancelled.
    bool compare(Progress &progress)
    {
        auto found = ByteDifferences::find(m_bytes, progress);
        if (found)
            m_differences = *std::move(found);
        return found.has_value();
    }

    /// Hold the locks of the files.
    std::vector<StructureFacts> rows() const
    {
        std::vector<StructureFacts> rows;
        for (const AlignedFile &file : m_bytes.alignment.files())
            addFile(file, rows);
        for (const AlignedFile &file : m_bytes.alignment.files()) {
            for (std::size_t i = 0; i < file.sections && !otherNotation(file); ++i)
                addSection(file.firstSection + i, rows);
        }
        return rows;
    }

private:
    void addFile(const AlignedFile &file, std::vector<StructureFacts> &rows) const
    {
        const auto size = [](const BundlePtr &bundle, std::size_t index) {
            return index == kNoIndex ? 0 : bundle->files()[index].file->size().value;
        };
        const bool inA = file.a != kNoIndex, inB = file.b != kNoIndex;
        const std::uint64_t sizeA = size(m_bytes.a, file.a), sizeB = size(m_bytes.b, file.b);
        StructureFacts row{Kind::File, inA ? file.pathA : file.pathB, lengthText(inA, sizeA),
                           lengthText(inB, sizeB)};
        ByteTally tally;
        std::optional<DifferenceRun> first;
        if (inA && inB && otherNotation(file)) {
            row.detail = "program in another notation";
        } else if (inA && inB) {
            for (std::size_t i = 0; i < file.sections; ++i) {
                tally += m_differences.tallyOf(file.firstSection + i);
                if (!first)
                    first = m_differences.firstIn(m_bytes, file.firstSection + i);
            }
            tell(tally, first, row);
        }
        if (inA && inB && file.pathA != file.pathB)
            row.detail += (row.detail.empty() ? "in B: " : "; in B: ") + file.pathB;
        if (inA != inB || sizeA != sizeB || tally.any())
            rows.push_back(std::move(row));
    }

    /// Padding and gaps have the length that follows from what lies around them.
    void addSection(std::size_t index, std::vector<StructureFacts> &rows) const
    {
        const AlignedSection &section = m_bytes.alignment.sections()[index];
        const bool inA = section.a != kNoIndex, inB = section.b != kNoIndex;
        const ByteTally &tally = m_differences.tallyOf(index);
        const bool padding = section.kind == SectionKind::Padding;
        if (padding ? tally.changed == 0 : inA && inB && !tally.any())
            return;
        StructureFacts row{Kind::Section, section.name, lengthText(inA, section.rangeA.bytes.value),
                           lengthText(inB, section.rangeB.bytes.value)};
        if (inA && inB) {
            tell(tally, m_differences.firstIn(m_bytes, index), row);
            const std::string nameB = m_bytes.b->nameOf(m_bytes.b->sections()[section.b]);
            if (nameB != section.name)
                row.detail = "in B: " + nameB;
        }
        rows.push_back(std::move(row));
    }

    void tell(const ByteTally &tally, const std::optional<DifferenceRun> &first,
              StructureFacts &row) const
    {
        if (!tally.any())
            return;
        row.different = tallyText(tally);
        if (!first)
            return;
        const AlignedSegment &segment = m_bytes.alignment.segments()[first->segment];
        if (first->first < segment.lengthA)
            row.firstA = segment.firstA + first->first;
        if (first->first < segment.lengthB)
            row.firstB = segment.firstB + first->first;
    }

    /// Program text against protobuf: their bytes have nothing to do with each other.
    bool otherNotation(const AlignedFile &file) const
    {
        if (file.a == kNoIndex || file.b == kNoIndex || !m_bytes.a->isProgramFile(file.a) ||
            !m_bytes.b->isProgramFile(file.b))
            return false;
        const auto isProtobuf = [](const BundleFile &of) {
            return isModelProtobuf(of.file->bytes(), of.path);
        };
        return isProtobuf(m_bytes.a->files()[file.a]) != isProtobuf(m_bytes.b->files()[file.b]);
    }

    AlignedBytes m_bytes;
    ByteDifferences m_differences;
};

Json pairedWeightsJson(const ContainerDifference &difference)
{
    Json list = listJson(difference.whole.weights, [&](const auto &pair) -> Json {
        return {{"name", difference.a->weights()[pair.a].name},
                {"name_b", difference.b->weights()[pair.b].name},
                {"pairing", pair.slice ? pair.slice->name() : pairingName(pair.pairing)},
                {"layout_equal", pair.damaged ? Json(nullptr) : Json(pair.layoutEqual)},
                {"stored_equal", pair.damaged ? Json(nullptr) : Json(pair.storedEqual)}};
    });
    for (const std::size_t i : difference.whole.onlyA)
        list.push_back({{"name", difference.a->weights()[i].name}, {"name_b", nullptr}});
    for (const std::size_t i : difference.whole.onlyB)
        list.push_back({{"name", nullptr}, {"name_b", difference.b->weights()[i].name}});
    return list;
}

/// Where the section begins on a side, and how long it is there; unknown where the side has none.
Value alignedOffset(std::size_t own, const ByteRange &range)
{
    return own == kNoIndex ? Value(Unknown()) : Value(Hex{range.offset.value, 8});
}

Value alignedBytes(std::size_t own, const ByteRange &range)
{
    return own == kNoIndex ? Value(Unknown()) : Value(Count{range.bytes.value});
}

template <std::uint64_t ByteTally::*Member>
Value alignedTally(const AlignedSectionFacts &row)
{
    return row.tally == nullptr ? Value(Unknown()) : Value(Count{row.tally->*Member});
}

Value alignedStateValue(const AlignedSectionFacts &row)
{
    if (row.section->b == kNoIndex)
        return Word{"\u25C0 only in A"};
    if (row.section->a == kNoIndex)
        return Word{"\u25B6 only in B"};
    if (row.tally == nullptr)
        return Word{"\u2026"};
    return row.tally->any() ? Word{"\u2260 differs"} : Word{"= equal"};
}

/// "file", "section", "task", "header field", "register", "symbol", "relocation slot", "port".
std::string_view structureKindName(StructureFacts::Kind kind)
{
    static constexpr std::array<std::string_view, 8> kNames{
        "file", "section", "task", "header field", "register", "symbol", "relocation slot", "port"};
    return kNames[static_cast<std::size_t>(kind)];
}

} // namespace

const TableOf<ProgramChange> programChangeTable(
    "program-changes",
    {{"change", "Whether B lacks it, has it besides, or has it otherwise",
      CELL(Word(programChangeName(row.kind)))},
     {"what",
      "A function, an operation that computes, the way a weight is stored, a model of a "
      "pipeline that is not a program, or an input, output or state as apps see it",
      CELL(Word(programPartName(row.what)))},
     {"function", "Function that it stands in; of a pipeline with its model",
      CELL(orNothing(row.function))},
     {kName, "operation", "What the operation makes, as A calls it where it is there",
      CELL(orNothing(row.operation))},
     {"type", "Type of the operation; of A and of B where they differ", CELL(orNothing(row.type))},
     {"details", "A > B", "Arguments that differ, each with its value in A and in B",
      [](auto &row) { return fmt::format("{}", fmt::join(row.details, "; ")); }}});

const TableOf<StructureFacts> structureTable(
    "structure",
    {{"what",
      "A file, a section, a task of a hardware container, a field of its header or a register, "
      "a symbol, a relocation slot or the address of a port",
      CELL(Word(structureKindName(row.kind)))},
     {kName, "name", "What it is called", member<&StructureFacts::name>},
     {kNumber, "a", "A", "Its length or value in A; nothing where A does not have it",
      CELL(orNothing(row.a))},
     {kNumber, "b", "B", "Its length or value in B; nothing where B does not have it",
      CELL(orNothing(row.b))},
     {"different", "bytes",
      "Bytes of the file or section that are not the same, each set against the byte that "
      "stands for it on the other side",
      CELL(orNothing(row.different))},
     {kNumber, "first_a", "first in A", "Offset in the file of A of the first byte that differs",
      CELL(known<Hex, Nothing>(row.firstA))},
     {kNumber, "first_b", "first in B", "Offset in the file of B of the first byte that differs",
      CELL(known<Hex, Nothing>(row.firstB))},
     {"fields", "details",
      "Fields of the register that differ, each with its value in A and in B; what a section is "
      "called in B",
      CELL(orNothing(row.detail))}});

std::vector<StructureFacts> symbolRows(const Bundle &a, const Bundle &b)
{
    std::vector<StructureFacts> rows;
    if (!a.hardware() || !b.hardware())
        return rows;
    const hwx::Container &from = *a.hardware(), &to = *b.hardware();
    addDifferent(StructureFacts::Kind::Symbol, symbolsOf(from), symbolsOf(to), rows);
    joinRenamed(rows);
    addDifferent(StructureFacts::Kind::Slot, slotsOf(from), slotsOf(to), rows);
    addDifferent(StructureFacts::Kind::Port, portsOf(from), portsOf(to), rows);
    return rows;
}

std::vector<StructureFacts> structureRows(const BundlePtr &a, const BundlePtr &b,
                                          std::span<const PairChoice> chosen, Progress &progress)
{
    const auto pairs = pairWeights(*a, *b, chosen, &progress).pairs;
    if (progress.cancelled())
        return {};
    ByteStructure bytes(a, b, pairs);
    if (!bytes.compare(progress))
        return {};
    const BundleReadLock lock(*a, *b);
    std::vector<StructureFacts> rows = bytes.rows();
    if (const auto tasks = compareTasks(*a, *b)) {
        for (const descriptor::TaskDifference &task : tasks->differences)
            addTask(task, rows);
    }
    for (StructureFacts &row : symbolRows(*a, *b))
        rows.push_back(std::move(row));
    return rows;
}

Json containerDifferenceJson(const ContainerDifference &difference)
{
    Json json = document("hwx");
    json["identical"] = difference.whole.identical;
    json["a"] = difference.a->files().front().path;
    json["b"] = difference.b->files().front().path;
    json["tasks_a"] = difference.tasks.tasksA;
    json["tasks_b"] = difference.tasks.tasksB;
    json["tasks"] = hwxDifferencesJson(difference.tasks.differences);
    json["weights"] = pairedWeightsJson(difference);
    json["sections"] = Json::array();
    for (const auto &[name, bytes] : difference.sections)
        json["sections"].push_back({{"name", name},
                                    {"different_bytes", bytes.total()},
                                    {"changed_bytes", bytes.changed},
                                    {"only_a_bytes", bytes.onlyA},
                                    {"only_b_bytes", bytes.onlyB}});
    return json;
}

const TableOf<AlignedSectionFacts> alignedSectionTable(
    "aligned-sections",
    {{kName, "section", "What the bytes are, as A calls it", CELL(View(row.section->name))},
     {"kind", "What the bytes are for", CELL(Word(sectionKindName(row.section->kind)))},
     {kNumber, "offset_a", "A offset", "Where the section begins in the file of A",
      CELL(alignedOffset(row.section->a, row.section->rangeA))},
     {kNumber, "bytes_a", "A bytes", "How long it is in A",
      CELL(alignedBytes(row.section->a, row.section->rangeA))},
     {kNumber, "offset_b", "B offset", "Where the section begins in the file of B",
      CELL(alignedOffset(row.section->b, row.section->rangeB))},
     {kNumber, "bytes_b", "B bytes", "How long it is in B",
      CELL(alignedBytes(row.section->b, row.section->rangeB))},
     {kNumber, "changed", "Bytes that both sides have, with other values",
      alignedTally<&ByteTally::changed>},
     {kNumber, "only_a", "only A", "Bytes of A that stand against nothing in B",
      alignedTally<&ByteTally::onlyA>},
     {kNumber, "only_b", "only B", "Bytes of B that stand against nothing in A",
      alignedTally<&ByteTally::onlyB>},
     {"state", "Equal, different, or on one side only", alignedStateValue}});

} // namespace kernscope::report
