// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/hwx_text.h"
#include "app/cli/text_output.h"
#include "core/container/hwx/kernels.h"
#include "core/report/register_table.h"

#include <fmt/format.h>

namespace kernscope::cli {

namespace {

using descriptor::TaskDetail;
using descriptor::TaskReader;

std::string tensorsText(const TaskDetail &detail, const TaskReader &reader)
{
    const auto value = [&](std::string_view role) {
        const auto number = hwx::roleValue(detail, reader, role);
        return number ? std::to_string(*number) : std::string("?");
    };
    return fmt::format("in {}x{}x{}, out {}x{}x{}, kernel {}x{}, format {}", value("in_w"),
                       value("in_h"), value("cin"), value("out_w"), value("out_h"), value("cout"),
                       value("Kw"), value("Kh"), value("kernel_fmt"));
}

std::string taskText(const hwx::Container &container, const hwx::Text &text, TaskReader &reader,
                     const hwx::LaneFinder &finder, const std::vector<hwx::KernelTile> &tiles,
                     std::size_t index, bool registers)
{
    const auto &before = reader.before(index);
    TaskDetail detail;
    reader.read(index, detail);
    const auto &version = *text.tasks->version;
    std::string result = fmt::format(
        "\n{} at {:#x}, {} bytes, {} records{}\n  {}\n",
        styled(Style::Bold, fmt::format("Task {}", index)), detail.task.offset,
        grouped(detail.task.bytes()), detail.stream.packets.size(),
        detail.stream.exact ? "" : ": " + detail.stream.fault, tensorsText(detail, reader));
    std::string header;
    for (const auto &[name, value] : descriptor::headerFields(detail, version)) {
        if (value != 0)
            header += fmt::format(" {}={}", name, value);
    }
    result += "  header:" + (header.empty() ? " all zero" : header) + "\n";
    if (registers)
        result += terminalText(
            textTable(report::registerTable(), report::registerFacts(detail, before, version, 0)));
    const auto lanes = report::laneFacts(finder.lanes(detail, reader), tiles, container);
    return lanes.empty() ? result : result + terminalText(textTable(report::laneTable(), lanes));
}

} // namespace

std::string hwxTasksText(const hwx::Container &container, std::span<const std::byte> bytes,
                         bool registers)
{
    std::string result;
    const auto tiles = hwx::kernelTiles(container);
    for (const hwx::Text &text : container.texts) {
        const hwx::SegmentSection *section = container.section(text.section);
        if (section == nullptr || !section->bytes || text.tasks->version == nullptr)
            continue;
        TaskReader reader(bytes.subspan(static_cast<std::size_t>(section->bytes->offset.value),
                                        static_cast<std::size_t>(section->bytes->bytes.value)),
                          *text.tasks);
        const hwx::LaneFinder finder(container, text, tiles);
        for (std::size_t i = 0; i < text.tasks->tasks.size(); ++i)
            result += taskText(container, text, reader, finder, tiles, i, registers);
    }
    if (registers && !result.empty())
        result += "\n  * differs from the task before   ! contested\n";
    return result;
}

} // namespace kernscope::cli
