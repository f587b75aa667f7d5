// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/hwx_json.h"

#include "core/base/little_endian.h"
#include "core/base/sha256.h"
#include "core/container/hwx/cover.h"
#include "core/numeric/half.h"
#include "core/report/container_table.h"
#include "core/report/json_table.h"
#include "core/report/register_table.h"
#include "core/report/task_table.h"

#include <cmath>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using namespace hwx;

Json headerJson(const Container &container)
{
    const Header &header = container.header;
    Json json{
        {"magic", hexText(header.magic)},           {"cputype", hexText(header.cputype)},
        {"cpusubtype", hexText(header.cpusubtype)}, {"filetype", hexText(header.filetype)},
        {"ncmds", hexText(header.ncmds)},           {"sizeofcmds", hexText(header.sizeofcmds)},
        {"flags", hexText(header.flags)},           {"reserved", hexText(header.reserved)}};
    const descriptor::Version *version = container.version;
    json["generation"] = version == nullptr || version->generation.empty()
                             ? Json(nullptr)
                             : Json(version->generation);
    json["descriptor_version"] = version == nullptr ? Json(nullptr) : Json(version->number);
    json["targets"] = version == nullptr ? Json::array() : Json(version->targets);
    json["extended_form"] = container.extended();
    return json;
}

Json bindingJson(const Binding &binding)
{
    return {{"name", binding.name},
            {"name_offset", binding.nameOffset},
            {"minor_version", binding.minorVersion},
            {"address", hexText(binding.address)},
            {"address_bits", binding.addressBits}};
}

Json tagsJson(const Thread &thread)
{
    return listJson(thread.tags, [](const ProgramTag &tag) -> Json {
        return {{"tag", tag.tag},
                {"size", tag.bytes},
                {"value", hexText(tag.value)},
                {"bytes", hexBytesText(tag.raw, "")}};
    });
}

void addProgram(Json &json, const Thread &thread)
{
    json["role"] = "program";
    json["apertures"] = Json::object();
    for (const auto &[index, address] : thread.apertures)
        json["apertures"][std::to_string(index)] = hexText(address);
    json["td_base"] = hexText(thread.tdBase);
    if (thread.firstTaskWords)
        json["first_td_words_minus_1"] = std::int64_t(*thread.firstTaskWords) - 1;
    if (thread.taskCount)
        json["td_count"] = *thread.taskCount;
    if (thread.textWords)
        json["text_words"] = *thread.textWords;
    json["procedure"] = thread.procedure;
    if (thread.flavor == 1) {
        json["word_0x850"] = thread.word850;
        json["word_0x858"] = thread.word858;
    }
    json["tags"] = tagsJson(thread);
}

Json threadJson(const Thread &thread)
{
    Json json{{"flavor", thread.flavor},
              {"count", hexText(thread.count)},
              {"state_end", hexText(thread.stateEnd)}};
    if (thread.role == ThreadRole::Program) {
        addProgram(json, thread);
    } else if (thread.role == ThreadRole::Port) {
        json["role"] = "port";
        json.update(jsonObject(portTable, &thread));
    } else {
        json["role"] = "unknown";
    }
    return json;
}

void addIdent(Json &json, const Container &container)
{
    if (!container.ident)
        return;
    json["compiler_version"] = container.ident->compilerVersion;
    json["target"] = container.ident->target;
    json["flag_count"] = container.ident->flags.size();
}

void addSymbolTable(Json &json, const SymbolTable &table)
{
    json["symoff"] = hexText(table.symbolOffset);
    json["nsyms"] = table.symbols;
    json["stroff"] = hexText(table.stringOffset);
    json["strsize"] = hexText(table.stringBytes);
}

void addNote(Json &json, const Note &note)
{
    json["owner"] = note.owner;
    json["data_offset"] = hexText(note.offset);
    json["size"] = hexText(note.size);
}

Json commandJson(const CommandFacts &row)
{
    const Container &container = *row.container;
    const LoadCommand &command = *row.command;
    Json json = jsonObject(commandTable, row);
    switch (command.kind) {
    case CommandKind::Segment:
        json["segment"] = container.segments[command.item].name;
        json["nsects"] = container.segments[command.item].sectionCount;
        break;
    case CommandKind::Binding32:
    case CommandKind::Binding64: json.update(bindingJson(container.bindings[command.item])); break;
    case CommandKind::Thread: json.update(threadJson(container.threads[command.item])); break;
    case CommandKind::Ident: addIdent(json, container); break;
    case CommandKind::SymbolTable:
        if (container.symbolTable)
            addSymbolTable(json, *container.symbolTable);
        break;
    case CommandKind::Note:
    case CommandKind::Signature: addNote(json, container.notes[command.item]); break;
    case CommandKind::Unknown: break;
    }
    return json;
}

Json segmentJson(const Segment &segment)
{
    Json json{{"name", segment.name},
              {"vmaddr", hexText(segment.vmAddress)},
              {"vmsize", hexText(segment.vmSize)},
              {"fileoff", hexText(segment.fileOffset)},
              {"filesize", hexText(segment.fileSize)},
              {"maxprot", segment.maxProtection},
              {"initprot", segment.initProtection},
              {"nsects", segment.sectionCount},
              {"flags", hexText(segment.flags)},
              {"flag_names", segmentFlagNames(segment.flags)},
              {"virtual_window", !segment.hasBytes()}};
    std::vector<ContainerSectionFacts> sections;
    for (const hwx::SegmentSection &section : segment.sections)
        sections.push_back({&segment, &section});
    json["sections"] = jsonArray(containerSectionTable, sections);
    return json;
}

Json relocationsJson(const Container &container)
{
    Json list = Json::array();
    for (const Segment &segment : container.segments) {
        for (const hwx::SegmentSection &section : segment.sections) {
            for (const Relocation &relocation : section.relocations) {
                list.push_back({{"section", section.ordinal},
                                {"r_address", hexText(relocation.address)},
                                {"r_symbolnum", relocation.symbolNumber()},
                                {"r_pcrel", relocation.pcRelative() ? 1 : 0},
                                {"r_length", relocation.length()},
                                {"r_extern", relocation.external() ? 1 : 0},
                                {"r_type", relocation.type()}});
            }
        }
    }
    return list;
}

Json containerTypesJson(const Container &container)
{
    return listJson(container.types, [](const TypeEntry &entry) {
        return Json{{"id", entry.id}, {"name", entry.name}, {"range", entry.range}};
    });
}

Json tensorsJson(const Container &container)
{
    const auto axisJson = [](const FrameAxis &axis) {
        return Json{{"axis", axis.axis},
                    {"count", numberJson(axis.count)},
                    {"byte_stride", numberJson(axis.byteStride)}};
    };
    return listJson(container.tensors, [&axisJson](const TensorFrame &frame) {
        return Json{{"name", frame.name},
                    {"type", frame.type},
                    {"scope", symbolKindName(frame.scope)},
                    {"axes", listJson(frame.axes, axisJson)},
                    {"value", hexText(frame.value)},
                    {"element_type", frame.elementType}};
    });
}

Json identJson(const Container &container)
{
    if (!container.ident)
        return nullptr;
    return {{"compiler_version", container.ident->compilerVersion},
            {"target", container.ident->target},
            {"first_line", container.ident->firstLine},
            {"flags", container.ident->flags},
            {"modules", container.ident->modules}};
}

Json threadsJson(const Container &container, ThreadRole role)
{
    Json list = Json::array();
    for (const Thread &thread : container.threads) {
        if (thread.role == role)
            list.push_back(threadJson(thread));
    }
    return list;
}

Json warningsJson(const Container &container)
{
    Json list = Json::array();
    for (const Diagnostic &row : container.diagnostics) {
        if (row.severity != Severity::Note)
            list.push_back(describe(row.error));
    }
    return list;
}

Json hexOrNull(const std::optional<std::uint32_t> &value)
{
    return value ? Json(fmt::format("0x{:08x}", *value)) : Json(nullptr);
}

Json fieldsJson(const std::vector<descriptor::FieldDifference> &fields)
{
    return listJson(fields, [](const auto &field) -> Json {
        return {{"name", field.name}, {"a", optionalJson(field.a)}, {"b", optionalJson(field.b)}};
    });
}

using descriptor::TaskDetail;
using descriptor::TaskReader;

Json packetsJson(const TaskDetail &detail)
{
    Json list = Json::array();
    for (const descriptor::Packet &packet : detail.stream.packets) {
        Json row{{"td_offset", hexText(packet.offset)},
                 {"word", fmt::format("{:#010x}", packet.word)},
                 {"address", hexText(packet.address)},
                 {"count", packet.count},
                 {"kind", descriptor::packetKindName(packet.kind)}};
        if (packet.kind == descriptor::PacketKind::Address)
            row["bar"] = packet.bar;
        list.push_back(std::move(row));
    }
    return list;
}

Json summaryJson(const TaskDetail &detail, const TaskReader &reader)
{
    const auto value = [&](std::string_view role) {
        const auto found = roleValue(detail, reader, role);
        return found ? Json(*found) : Json(nullptr);
    };
    Json json;
    for (const char *role : {"in_w", "in_h", "cin", "cout", "out_w", "out_h"})
        json[role] = value(role);
    Json conv;
    for (const char *role : {"Kw", "Kh", "OCGSize", "Sx", "Sy", "Px", "Py", "Ox", "Oy"})
        conv[role] = value(role);
    json["conv"] = std::move(conv);
    for (const char *role : {"kernel_fmt", "bias_mode", "nonlinear_mode", "active_ne_log2"})
        json[role] = value(role);
    for (const char *role :
         {"groups", "kernel_enable", "palette_enable", "palette_bits", "sparse_fmt",
          "post_scale_mode", "detect_zeros", "task_type", "l2_barrier"}) {
        if (auto number = value(role); !number.is_null())
            json[role] = std::move(number);
    }
    return json;
}

Json taskJson(TaskReader &reader, std::size_t index, TaskDetail &detail,
              const hwx::SegmentSection &section, bool registers)
{
    const auto &state = reader.before(index);
    reader.read(index, detail);
    const auto &version = *reader.list().version;
    const std::uint64_t fileOffset = section.bytes->offset.value + detail.task.offset;
    Json json{{"index", index},
              {"offset", hexText(detail.task.offset)},
              {"file_offset", hexText(fileOffset)},
              {"size", hexText(detail.task.bytes())},
              {"stream_start", hexText(detail.stream.begin)},
              {"stream_end", hexText(detail.stream.end)},
              {"exact", detail.stream.exact},
              {"stream", detail.task.stream},
              {"extended_header", detail.task.extended}};
    json["header_words"] =
        listJson(detail.header, [](std::uint32_t word) { return hexText(word); });
    Json header = Json::object();
    for (const auto &[name, value] : descriptor::headerFields(detail, version))
        header[std::string(name)] = value;
    json["header"] = std::move(header);
    json["packets"] = packetsJson(detail);
    if (registers)
        json["registers"] =
            jsonArray(registerTable, registerFacts(detail, state, version, fileOffset));
    return json;
}

void addValues(Json &json, std::span<const std::byte> bytes)
{
    std::size_t nonzeros = 0, nonfinite = 0;
    std::optional<float> low, high;
    const std::size_t count = bytes.size() / 2;
    Json first = Json::array();
    for (std::size_t i = 0; i < count; ++i) {
        const auto half = loadLittle<std::uint16_t>(bytes, 2 * i);
        if (i < 8)
            first.push_back(fmt::format("0x{:04x}", half));
        const float value = halfToFloat(half);
        if (!std::isfinite(value)) {
            ++nonfinite;
            continue;
        }
        nonzeros += value != 0 ? 1 : 0;
        low = low ? std::min(*low, value) : value;
        high = high ? std::max(*high, value) : value;
    }
    json["bytes"] = bytes.size();
    json["count"] = count;
    json["nonzeros"] = nonzeros;
    json["nonfinite"] = nonfinite;
    json["min"] = low ? Json(*low) : Json(nullptr);
    json["max"] = high ? Json(*high) : Json(nullptr);
    json["first_u16"] = std::move(first);
    json["sha256"] = Sha256::hexOf(bytes).value_or(std::string());
}

/// Records of the debug sections: where they begin, their words and their printable text; what they
/// mean is not published.
Json debugJson(const hwx::Container &container, std::span<const std::byte> bytes)
{
    constexpr std::uint64_t kMostWords = 1024; // of one record; the rest is in the file
    Json list = Json::array();
    for (const hwx::DebugRecord &record : hwx::debugRecords(container, bytes)) {
        Json row;
        row["section"] = record.section;
        row["offset"] = numberJson(record.bytes.offset.value);
        row["bytes"] = numberJson(record.bytes.bytes.value);
        row["address"] = hexText(record.address);
        row["symbols"] = record.symbols;
        row["texts"] = listJson(record.texts, [&](const auto &text) -> Json {
            return {{"offset", numberJson(text.offset.value)}, {"text", text.text}};
        });
        row["words"] = Json::array();
        const std::uint64_t words = std::min(record.bytes.bytes.value / 4, kMostWords);
        for (std::uint64_t i = 0; i < words; ++i)
            row["words"].push_back(hexText(loadLittle<std::uint32_t>(
                bytes, static_cast<std::size_t>(record.bytes.offset.value + 4 * i))));
        row["meaning"] = nullptr;
        list.push_back(std::move(row));
    }
    return list;
}

Json tasksJson(const Container &container, std::span<const std::byte> bytes, bool registers)
{
    Json list = Json::array();
    const auto tiles = kernelTiles(container);
    for (const Text &text : container.texts) {
        const hwx::SegmentSection *section = container.section(text.section);
        if (section == nullptr || !section->bytes || text.tasks->version == nullptr)
            continue;
        const auto range = *section->bytes;
        TaskReader reader(bytes.subspan(static_cast<std::size_t>(range.offset.value),
                                        static_cast<std::size_t>(range.bytes.value)),
                          *text.tasks);
        const LaneFinder finder(container, text, tiles);
        TaskDetail detail;
        for (std::size_t i = 0; i < text.tasks->tasks.size(); ++i) {
            Json json = taskJson(reader, i, detail, *section, registers);
            json["lanes"] =
                jsonArray(laneTable, laneFacts(finder.lanes(detail, reader), tiles, container));
            json["summary"] = summaryJson(detail, reader);
            list.push_back(std::move(json));
        }
    }
    return list;
}

/// Runs of kernel bytes that symbols name, with their statistics as fp16.
Json tilesJson(const Container &container, std::span<const std::byte> bytes)
{
    return listJson(kernelTiles(container), [&](const KernelTile &tile) {
        const Symbol &symbol = container.symbols[tile.symbol];
        Json json{{"symbol", symbol.name},
                  {"lane", tile.name.lane ? Json(*tile.name.lane) : Json(nullptr)},
                  {"vmaddr", hexText(tile.address)},
                  {"n_desc", hexText(symbol.desc)},
                  {"section", tile.section},
                  {"section_offset", hexText(tile.sectionOffset)},
                  {"file_offset", hexText(tile.fileOffset.value)},
                  {"size", hexText(tile.bytes.value)}};
        Json weights;
        addValues(weights, bytes.subspan(static_cast<std::size_t>(tile.fileOffset.value),
                                         static_cast<std::size_t>(tile.bytes.value)));
        json["weights"] = std::move(weights);
        return json;
    });
}

} // namespace

Json hwxDocument(const Container &container, std::span<const std::byte> bytes,
                 const std::string &file, bool registers)
{
    Json json = document("hwx");
    json["hwx"] = {{"file", file},
                   {"size", numberJson(bytes.size())},
                   {"sha256", Sha256::hexOf(bytes).value_or(std::string())},
                   {"header", headerJson(container)},
                   {"load_commands", listJson(commandFacts(container), commandJson)},
                   {"segments", listJson(container.segments, segmentJson)},
                   {"relocations", relocationsJson(container)},
                   {"symbols", jsonArray(symbolTable, symbolFacts(container))},
                   {"types", containerTypesJson(container)},
                   {"tensors", tensorsJson(container)},
                   {"bindings", listJson(container.bindings, bindingJson)},
                   {"programs", threadsJson(container, ThreadRole::Program)},
                   {"ports", threadsJson(container, ThreadRole::Port)},
                   {"ident", identJson(container)},
                   {"tasks", tasksJson(container, bytes, registers)},
                   {"relocation_slots", hwxSlotsJson(container, bytes, file)},
                   {"kernel_tiles", tilesJson(container, bytes)},
                   {"debug_records", debugJson(container, bytes)},
                   {"warnings", warningsJson(container)}};
    return json;
}

Json hwxSlotsJson(const hwx::Container &container, std::span<const std::byte> bytes,
                  const std::string &file)
{
    const auto slots = hwx::relocationSlots(container, bytes);
    return jsonArray(slotTable, slotRows(slots, file));
}

Json hwxDifferencesJson(const std::vector<descriptor::TaskDifference> &differences)
{
    return listJson(differences, [&](const auto &task) {
        Json row;
        const bool inA = task.a != descriptor::kNoTask, inB = task.b != descriptor::kNoTask;
        row["index"] = inA ? task.a : task.b;
        row["change"] = inA && inB ? "changed" : inA ? "removed" : "inserted";
        row["a"] = inA ? Json(task.a) : Json(nullptr);
        row["b"] = inB ? Json(task.b) : Json(nullptr);
        row["header"] = fieldsJson(task.header);
        row["registers"] = Json::array();
        for (const auto &reg : task.registers) {
            row["registers"].push_back({{"address", fmt::format("0x{:05x}", reg.address)},
                                        {"block", reg.reg == nullptr ? "?" : reg.reg->block},
                                        {"name", reg.reg == nullptr ? "?" : reg.reg->name},
                                        {"a", hexOrNull(reg.a)},
                                        {"b", hexOrNull(reg.b)},
                                        {"fields", fieldsJson(reg.fields)}});
        }
        return row;
    });
}

Json hwxLoadDocument(const hwx::Container &container, const hwx::LoadPlan &plan, bool strip,
                     const std::vector<hwx::Slot> &places,
                     const std::vector<hwx::LoadedSlot> &loaded)
{
    Json json = document("hwx");
    json["load"] = {{"base", hexText(plan.base)},
                    {"image_start", hexText(hwx::imageStart(container))},
                    {"strip", strip},
                    {"slots", jsonArray(loadedSlotTable, loadedSlotRows(places, loaded))}};
    return json;
}

} // namespace kernscope::report
