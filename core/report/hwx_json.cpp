// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/hwx_json.h"

#include "core/base/sha256.h"
#include "core/report/container_table.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using namespace hwx;

Json headerJson(const Container &container)
{
    const Header &header = container.header;
    Json json;
    json["magic"] = hexText(header.magic);
    json["cputype"] = hexText(header.cputype);
    json["cpusubtype"] = hexText(header.cpusubtype);
    json["filetype"] = hexText(header.filetype);
    json["ncmds"] = hexText(header.ncmds);
    json["sizeofcmds"] = hexText(header.sizeofcmds);
    json["flags"] = hexText(header.flags);
    json["reserved"] = hexText(header.reserved);
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
    Json json;
    json["name"] = binding.name;
    json["name_offset"] = binding.nameOffset;
    json["minor_version"] = binding.minorVersion;
    json["address"] = hexText(binding.address);
    json["address_bits"] = binding.addressBits;
    return json;
}

Json tagsJson(const Thread &thread)
{
    Json tags = Json::array();
    for (const ProgramTag &tag : thread.tags) {
        Json row;
        row["tag"] = tag.tag;
        row["size"] = tag.bytes;
        row["value"] = hexText(tag.value);
        std::string raw;
        for (const std::byte byte : tag.raw)
            raw += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
        row["bytes"] = std::move(raw);
        tags.push_back(std::move(row));
    }
    return tags;
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

void addPort(Json &json, const Thread &thread)
{
    json["role"] = "port";
    json.update(jsonObject(portTable(), &thread));
}

Json threadJson(const Thread &thread)
{
    Json json;
    json["flavor"] = thread.flavor;
    json["count"] = hexText(thread.count);
    json["state_end"] = hexText(thread.stateEnd);
    if (thread.role == ThreadRole::Program)
        addProgram(json, thread);
    else if (thread.role == ThreadRole::Port)
        addPort(json, thread);
    else
        json["role"] = "unknown";
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
    Json json = jsonObject(commandTable(), row);
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
    Json json;
    json["name"] = segment.name;
    json["vmaddr"] = hexText(segment.vmAddress);
    json["vmsize"] = hexText(segment.vmSize);
    json["fileoff"] = hexText(segment.fileOffset);
    json["filesize"] = hexText(segment.fileSize);
    json["maxprot"] = segment.maxProtection;
    json["initprot"] = segment.initProtection;
    json["nsects"] = segment.sectionCount;
    json["flags"] = hexText(segment.flags);
    json["flag_names"] = segmentFlagNames(segment.flags);
    json["virtual_window"] = !segment.hasBytes();
    std::vector<ContainerSectionFacts> sections;
    for (const hwx::SegmentSection &section : segment.sections)
        sections.push_back({&segment, &section});
    json["sections"] = jsonArray(containerSectionTable(), sections);
    return json;
}

Json relocationsJson(const Container &container)
{
    Json list = Json::array();
    for (const Segment &segment : container.segments) {
        for (const hwx::SegmentSection &section : segment.sections) {
            for (const Relocation &relocation : section.relocations) {
                Json row;
                row["section"] = section.ordinal;
                row["r_address"] = hexText(relocation.address);
                row["r_symbolnum"] = relocation.symbolNumber();
                row["r_pcrel"] = relocation.pcRelative() ? 1 : 0;
                row["r_length"] = relocation.length();
                row["r_extern"] = relocation.external() ? 1 : 0;
                row["r_type"] = relocation.type();
                list.push_back(std::move(row));
            }
        }
    }
    return list;
}

/// An array of a row for each item.
template <class Items, class RowOf>
Json rowsJson(const Items &items, RowOf rowOf)
{
    Json list = Json::array();
    for (const auto &item : items)
        list.push_back(rowOf(item));
    return list;
}

Json containerTypesJson(const Container &container)
{
    return rowsJson(container.types, [](const TypeEntry &entry) {
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
    return rowsJson(container.tensors, [&axisJson](const TensorFrame &frame) {
        return Json{{"name", frame.name},
                    {"type", frame.type},
                    {"scope", symbolKindName(frame.scope)},
                    {"axes", rowsJson(frame.axes, axisJson)},
                    {"value", hexText(frame.value)},
                    {"element_type", frame.elementType}};
    });
}

Json identJson(const Container &container)
{
    if (!container.ident)
        return nullptr;
    Json json;
    json["compiler_version"] = container.ident->compilerVersion;
    json["target"] = container.ident->target;
    json["first_line"] = container.ident->firstLine;
    json["flags"] = container.ident->flags;
    json["modules"] = container.ident->modules;
    return json;
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

} // namespace

Json hwxJson(const Container &container, std::span<const std::byte> bytes, const std::string &file,
             const HwxJsonOptions &options)
{
    Json json;
    json["file"] = file;
    json["size"] = numberJson(bytes.size());
    json["sha256"] = Sha256::hexOf(bytes).value_or(std::string());
    json["header"] = headerJson(container);
    json["load_commands"] = rowsJson(commandFacts(container), commandJson);
    json["segments"] = Json::array();
    for (const Segment &segment : container.segments)
        json["segments"].push_back(segmentJson(segment));
    json["relocations"] = relocationsJson(container);
    json["symbols"] = jsonArray(symbolTable(), symbolFacts(container));
    json["types"] = containerTypesJson(container);
    json["tensors"] = tensorsJson(container);
    json["bindings"] = Json::array();
    for (const Binding &binding : container.bindings)
        json["bindings"].push_back(bindingJson(binding));
    json["programs"] = threadsJson(container, ThreadRole::Program);
    json["ports"] = threadsJson(container, ThreadRole::Port);
    json["ident"] = identJson(container);
    json["tasks"] = hwxTasksJson(container, bytes, options);
    json["relocation_slots"] = hwxSlotsJson(container, bytes, file);
    json["kernel_tiles"] = hwxTilesJson(container, bytes);
    json["debug_records"] = hwxDebugJson(container, bytes);
    json["warnings"] = warningsJson(container);
    return json;
}

} // namespace kernscope::report
