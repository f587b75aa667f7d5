// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/little_endian.h"
#include "core/container/hwx/debug_records.h"
#include "core/container/hwx/slots.h"
#include "core/descriptor/task_alignment.h"
#include "core/report/hwx_json.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/slot_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::report {

Json hwxSlotsJson(const hwx::Container &container, std::span<const std::byte> bytes,
                  const std::string &file)
{
    const auto slots = hwx::relocationSlots(container, bytes);
    return jsonArray(slotTable(), slotRows(slots, file));
}

namespace {

Json numberOrNull(const std::optional<std::uint32_t> &value)
{
    return value ? Json(*value) : Json(nullptr);
}

Json hexOrNull(const std::optional<std::uint32_t> &value)
{
    return value ? Json(fmt::format("0x{:08x}", *value)) : Json(nullptr);
}

Json fieldsJson(const std::vector<descriptor::FieldDifference> &fields)
{
    Json list = Json::array();
    for (const auto &field : fields) {
        Json row;
        row["name"] = field.name;
        row["a"] = numberOrNull(field.a);
        row["b"] = numberOrNull(field.b);
        list.push_back(std::move(row));
    }
    return list;
}

} // namespace

Json hwxLoadJson(const std::vector<hwx::Slot> &places, const std::vector<hwx::LoadedSlot> &loaded)
{
    return jsonArray(loadedSlotTable(), loadedSlotRows(places, loaded));
}

Json hwxDifferencesJson(const std::vector<descriptor::TaskDifference> &differences)
{
    Json list = Json::array();
    for (const auto &task : differences) {
        Json row;
        const bool inA = task.a != descriptor::kNoTask, inB = task.b != descriptor::kNoTask;
        row["index"] = inA ? task.a : task.b;
        row["change"] = inA && inB ? "changed" : inA ? "removed" : "inserted";
        row["a"] = inA ? Json(task.a) : Json(nullptr);
        row["b"] = inB ? Json(task.b) : Json(nullptr);
        row["header"] = fieldsJson(task.header);
        row["registers"] = Json::array();
        for (const auto &reg : task.registers) {
            Json cell;
            cell["address"] = fmt::format("0x{:05x}", reg.address);
            cell["block"] = reg.reg == nullptr ? "?" : reg.reg->block;
            cell["name"] = reg.reg == nullptr ? "?" : reg.reg->name;
            cell["a"] = hexOrNull(reg.a);
            cell["b"] = hexOrNull(reg.b);
            cell["fields"] = fieldsJson(reg.fields);
            row["registers"].push_back(std::move(cell));
        }
        list.push_back(std::move(row));
    }
    return list;
}

Json hwxDebugJson(const hwx::Container &container, std::span<const std::byte> bytes)
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
        row["texts"] = Json::array();
        for (const hwx::DebugText &text : record.texts)
            row["texts"].push_back(
                {{"offset", numberJson(text.offset.value)}, {"text", text.text}});
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

Json hwxLoadedJson(const hwx::Container &container, const hwx::LoadPlan &plan, bool strip,
                   Json slots)
{
    Json json;
    json["base"] = hexText(plan.base);
    json["image_start"] = hexText(hwx::imageStart(container));
    json["strip"] = strip;
    json["slots"] = std::move(slots);
    return json;
}

} // namespace kernscope::report
