// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/little_endian.h"
#include "core/base/sha256.h"
#include "core/container/hwx/kernels.h"
#include "core/descriptor/task_reader.h"
#include "core/numeric/half.h"
#include "core/report/hwx_json.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/register_table.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using namespace hwx;
using descriptor::TaskDetail;
using descriptor::TaskReader;

Json hexesJson(const std::vector<std::uint32_t> &words)
{
    Json list = Json::array();
    for (const std::uint32_t word : words)
        list.push_back(hexText(word));
    return list;
}

Json packetsJson(const TaskDetail &detail)
{
    Json list = Json::array();
    for (const descriptor::Packet &packet : detail.stream.packets) {
        Json row;
        row["td_offset"] = hexText(packet.offset);
        row["word"] = fmt::format("{:#010x}", packet.word);
        row["address"] = hexText(packet.address);
        row["count"] = packet.count;
        row["kind"] = descriptor::packetKindName(packet.kind);
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
              const hwx::SegmentSection &section, const HwxJsonOptions &options)
{
    const auto &state = reader.before(index);
    reader.read(index, detail);
    const auto &version = *reader.list().version;
    const std::uint64_t fileOffset = section.bytes->offset.value + detail.task.offset;
    Json json;
    json["index"] = index;
    json["offset"] = hexText(detail.task.offset);
    json["file_offset"] = hexText(fileOffset);
    json["size"] = hexText(detail.task.bytes());
    json["stream_start"] = hexText(detail.stream.begin);
    json["stream_end"] = hexText(detail.stream.end);
    json["exact"] = detail.stream.exact;
    json["stream"] = detail.task.stream;
    json["extended_header"] = detail.task.extended;
    json["header_words"] = hexesJson(detail.header);
    Json header = Json::object();
    for (const auto &[name, value] : descriptor::headerFields(detail, version))
        header[std::string(name)] = value;
    json["header"] = std::move(header);
    json["packets"] = packetsJson(detail);
    if (options.registers)
        json["registers"] =
            jsonArray(registerTable(), registerFacts(detail, state, version, fileOffset));
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

} // namespace

Json hwxTasksJson(const Container &container, std::span<const std::byte> bytes,
                  const HwxJsonOptions &options)
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
            Json json = taskJson(reader, i, detail, *section, options);
            json["lanes"] =
                jsonArray(laneTable(), laneFacts(finder.lanes(detail, reader), tiles, container));
            json["summary"] = summaryJson(detail, reader);
            list.push_back(std::move(json));
        }
    }
    return list;
}

Json hwxTilesJson(const Container &container, std::span<const std::byte> bytes)
{
    Json list = Json::array();
    for (const KernelTile &tile : kernelTiles(container)) {
        const Symbol &symbol = container.symbols[tile.symbol];
        Json json;
        json["symbol"] = symbol.name;
        json["lane"] = tile.name.lane ? Json(*tile.name.lane) : Json(nullptr);
        json["vmaddr"] = hexText(tile.address);
        json["n_desc"] = hexText(symbol.desc);
        json["section"] = tile.section;
        json["section_offset"] = hexText(tile.sectionOffset);
        json["file_offset"] = hexText(tile.fileOffset.value);
        json["size"] = hexText(tile.bytes.value);
        Json weights;
        addValues(weights, bytes.subspan(static_cast<std::size_t>(tile.fileOffset.value),
                                         static_cast<std::size_t>(tile.bytes.value)));
        json["weights"] = std::move(weights);
        list.push_back(std::move(json));
    }
    return list;
}

} // namespace kernscope::report
