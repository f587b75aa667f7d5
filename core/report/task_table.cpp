// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/task_table.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/hwx/kernels.h"
#include "core/descriptor/task_reader.h"
#include "core/report/number_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

/// Two numbers as one, the first counting more.
SortValue pairOrder(std::uint32_t first, std::uint32_t second)
{
    return std::uint64_t(first) << 32 | second;
}

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

const TableOf<TaskRow> &taskTable()
{
    using Row = TaskRow;
    static constexpr Column<Row> kColumns[] = {
        {kNumber, "index", "task", "Number of the task in its text section",
         [](const Row &row) -> Value { return Code(row.index); },
         sortedBy([](const Row &row) { return pairOrder(row.text, row.index); })},
        {kNumber, "file_offset", "offset", "Where the task begins in the file",
         [](const Row &row) -> Value { return Hex(row.fileOffset); }},
        {kNumber, "bytes", "bytes", "Header and records",
         [](const Row &row) -> Value { return Count(row.bytes); }},
        {kNumber, "records", "records", "Register records",
         [](const Row &row) -> Value { return Count(row.records); }},
        {kNumber, "stream", "stream", "Tasks of one stream carry register state",
         [](const Row &row) -> Value { return Code(row.stream); }},
        {kNumber, "channels", "channels", "Input and output channels",
         [](const Row &row) -> Value {
             return fmt::format("{} \u2192 {}", extentText(row.cin), extentText(row.cout));
         },
         sortedBy([](const Row &row) { return extentOrder(row.cout, row.cin); })},
        {kNumber, "kernel", "kernel", "Height and width of the kernel",
         [](const Row &row) -> Value {
             return fmt::format("{}\u00D7{}", extentText(row.kernelHeight),
                                extentText(row.kernelWidth));
         },
         sortedBy([](const Row &row) { return extentOrder(row.kernelHeight, row.kernelWidth); })},
        {kNumber, "lanes", "lanes", "Engines whose coefficient DMA is enabled",
         [](const Row &row) -> Value {
             return row.lanes == 0 ? Value(View("\u2013")) : Value(Count(row.lanes));
         },
         sortedBy([](const Row &row) { return SortValue(std::uint64_t(row.lanes)); })},
    };
    static const TableOf<Row> kTable{"tasks", kColumns};
    return kTable;
}

} // namespace kernscope::report
