// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/hwx_diff.h"

#include "app/cli/command.h"
#include "app/cli/text_output.h"
#include "core/bundle/bundle.h"
#include "core/container/hwx/container.h"
#include "core/diff/byte_differences.h"
#include "core/diff/diff.h"
#include "core/diff/task_comparison.h"
#include "core/report/register_table.h"
#include "core/report/structure_table.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using report::ContainerDifference;
using report::RegisterChange;

Result<ContainerDifference> compareContainers(const HwxOptions &options, Context &context)
{
    ContainerDifference result;
    for (const auto &[path, bundle] :
         {std::pair(&options.path, &result.a), std::pair(&options.other, &result.b)}) {
        auto opened = openBundle(*path);
        if (!opened)
            return tl::unexpected(std::move(opened.error()));
        *bundle = *std::move(opened);
    }
    auto whole = compareBundles(*result.a, *result.b, {}, &context.progress);
    if (!whole)
        return tl::unexpected(std::move(whole.error()));
    result.whole = *std::move(whole);
    result.tasks = compareTasks(*result.a, *result.b).value_or(TaskComparison());
    const AlignedBytes bytes{result.a, result.b,
                             ByteAlignment(*result.a, *result.b, result.whole.weights)};
    const auto found = ByteDifferences::find(bytes, context.progress);
    if (!found)
        return tl::unexpected(cancelledError("The comparison was cancelled"));
    for (std::size_t i = 0; i < bytes.alignment.sections().size(); ++i) {
        if (found->tallyOf(i).any())
            result.sections.emplace_back(bytes.alignment.sections()[i].name, found->tallyOf(i));
    }
    return result;
}

/// "CoeffBaseAddr[0]" and "CoeffBaseAddr[15]" are elements of one array: its name without them.
std::string_view arrayName(const descriptor::RegisterDifference &reg)
{
    if (reg.reg == nullptr)
        return {};
    const std::string_view name = reg.reg->name;
    const auto last = name.find_last_not_of("0123456789[]");
    return last == std::string_view::npos || last + 1 == name.size() ? std::string_view()
                                                                     : name.substr(0, last + 1);
}

/// Elements of one array that differ alike.
bool sameElement(const descriptor::RegisterDifference &x, const descriptor::RegisterDifference &y)
{
    return !arrayName(x).empty() && arrayName(x) == arrayName(y) && x.reg->block == y.reg->block &&
           x.a == y.a && x.b == y.b;
}

std::string taskNumber(const descriptor::TaskDifference &task)
{
    if (task.a == task.b)
        return std::to_string(task.a);
    const auto number = [](std::size_t index) {
        return index == descriptor::kNoTask ? std::string("-") : std::to_string(index);
    };
    return number(task.a) + " > " + number(task.b);
}

/// The register at `first`, with those after it that are its array's and differ alike. Returns the
/// place after them.
std::size_t addRegisters(std::vector<RegisterChange> &rows, const std::string &number,
                         const descriptor::TaskDifference &task, std::size_t first)
{
    const auto &reg = task.registers[first];
    std::size_t end = first + 1;
    while (end < task.registers.size() && sameElement(reg, task.registers[end]))
        ++end;
    std::vector<RegisterChange> own = report::registerChanges(reg);
    own.front().task = number;
    if (end - first > 1)
        own.front().name +=
            fmt::format(" to {} ({} registers)", task.registers[end - 1].reg->name, end - first);
    rows.insert(rows.end(), own.begin(), own.end());
    return end;
}

void addTask(std::vector<RegisterChange> &rows, const descriptor::TaskDifference &task)
{
    RegisterChange row;
    row.task = taskNumber(task);
    if (task.a == descriptor::kNoTask || task.b == descriptor::kNoTask) {
        row.name = task.a == descriptor::kNoTask ? "inserted" : "removed";
        row.taskAlone = true;
        rows.push_back(std::move(row));
        return;
    }
    row.name = "header";
    for (const auto &field : task.header) {
        row.field = field.name;
        row.a = field.a;
        row.b = field.b;
        rows.push_back(row);
    }
    for (std::size_t i = 0; i < task.registers.size();)
        i = addRegisters(rows, row.task, task, i);
}

std::string tasksText(const ContainerDifference &difference)
{
    std::vector<RegisterChange> rows;
    for (const descriptor::TaskDifference &task : difference.tasks.differences)
        addTask(rows, task);
    std::string text;
    if (!difference.tasks.sameVersion)
        text += "  The descriptor versions differ: registers are compared by their addresses.\n";
    return text + (rows.empty() ? "  No task differs.\n"
                                : terminalText(textTable(report::registerChangeTable(), rows)));
}

std::string containerWeightsText(const ContainerDifference &difference)
{
    std::string text;
    const auto &pairs = difference.whole.weights;
    for (const ComparedPair &pair : wholePairs(pairs)) {
        const Weight &a = difference.a->weights()[pair.a], &b = difference.b->weights()[pair.b];
        if (!pair.storedEqual)
            text += fmt::format("  weight {}{}: {}\n", printable(a.name),
                                a.name == b.name ? "" : " > " + printable(b.name),
                                verdict(pair, *difference.a, *difference.b));
    }
    for (const std::size_t i : difference.whole.onlyA)
        text += "  weight only in A: " + printable(difference.a->weights()[i].name) + "\n";
    for (const std::size_t i : difference.whole.onlyB)
        text += "  weight only in B: " + printable(difference.b->weights()[i].name) + "\n";
    for (const ComparedPair &part : std::span(pairs).subspan(wholePairs(pairs).size()))
        text +=
            fmt::format("  weight {} > {}: {}\n", printable(difference.a->weights()[part.a].name),
                        printable(difference.b->weights()[part.b].name), sliceText(*part.slice));
    return text.empty() && !pairs.empty() ? "  No weight differs.\n" : text;
}

std::string containersText(const ContainerDifference &difference)
{
    std::string text = fmt::format(
        "{} ({}) and {} ({})\n", printable(difference.a->files().front().path),
        counted(difference.tasks.tasksA, "task"), printable(difference.b->files().front().path),
        counted(difference.tasks.tasksB, "task"));
    text += tasksText(difference) + containerWeightsText(difference);
    for (const auto &[name, bytes] : difference.sections)
        text += fmt::format("  section {}: {}\n", printable(name), tallyText(bytes));
    return text;
}

} // namespace

int runHwxDiff(const HwxOptions &options, Context &context)
{
    const auto difference = compareContainers(options, context);
    if (!difference)
        return reportFailure(context, "hwx", difference.error());
    Diagnostics diagnostics = difference->a->diagnostics();
    const auto &others = difference->b->diagnostics();
    diagnostics.insert(diagnostics.end(), others.begin(), others.end());
    if (context.json) {
        report::Json document = report::containerDifferenceJson(*difference);
        printDocument(context, document, diagnostics);
    } else {
        if (!context.quiet)
            print(containersText(*difference));
        printDiagnostics(context, diagnostics);
    }
    const int faults = exitCodeOf(diagnostics);
    return faults != kDone ? faults : difference->whole.identical ? kDone : kDiffers;
}

} // namespace kernscope::cli
