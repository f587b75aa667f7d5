// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/slots.h"
#include "core/report/hwx_json.h"
#include "core/report/json_values.h"

namespace kernscope::report {

Json hwxSlotsJson(const hwx::Container &container, std::span<const std::byte> bytes,
                  const std::string &file)
{
    Json list = Json::array();
    for (const hwx::Slot &slot : hwx::relocationSlots(container, bytes)) {
        Json row;
        row["kind"] = hwx::slotKindName(slot.kind);
        row["file"] = file;
        row["offset"] = numberJson(slot.place.value);
        row["bytes"] = 4 * slot.words;
        row["section"] = slot.section;
        row["text_offset"] = numberJson(slot.textOffset);
        row["task"] = slot.task ? Json(*slot.task) : Json(nullptr);
        row["register"] = slot.registerName;
        row["address"] = hexText(slot.address);
        row["role"] = slot.role;
        row["stored"] = hexText(slot.stored);
        Json target;
        target["kind"] = hwx::targetKindName(slot.target.kind);
        target["index"] = slot.target.index;
        target["name"] = slot.target.name;
        target["address"] =
            slot.target.address ? Json(hexText(*slot.target.address)) : Json(nullptr);
        row["target"] = std::move(target);
        row["confidence"] = format::confidenceName(slot.confidence);
        list.push_back(std::move(row));
    }
    return list;
}

} // namespace kernscope::report
