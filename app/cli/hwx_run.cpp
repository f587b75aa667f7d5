// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/hwx_run.h"

#include "app/cli/command.h"
#include "app/cli/hwx_text.h"
#include "app/cli/text_output.h"
#include "core/base/overlaid_file.h"
#include "core/container/anec/anec.h"
#include "core/descriptor/task_diff.h"
#include "core/report/hwx_json.h"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct Opened {
    std::shared_ptr<OverlaidFile> file;
    hwx::Container container;

    /// Tasks of the first text section that has any; null where none has.
    const hwx::Text *text() const
    {
        const auto at =
            std::find_if(container.texts.begin(), container.texts.end(),
                         [](const hwx::Text &each) { return !each.tasks->tasks.empty(); });
        return at == container.texts.end() ? nullptr : &*at;
    }
    std::span<const std::byte> bytesOf(const hwx::Text &text) const
    {
        const auto range = *container.section(text.section)->bytes;
        return file->bytes().subspan(static_cast<std::size_t>(range.offset.value),
                                     static_cast<std::size_t>(range.bytes.value));
    }
};

Result<Opened> openContainer(const std::string &path)
{
    auto file = openFile(path);
    if (!file)
        return tl::unexpected(std::move(file.error()));
    if (!hwx::isContainer((*file)->bytes()) && anec::isAnec((*file)->bytes())) {
        auto anec = anec::readAnec((*file)->bytes(), (*file)->name());
        if (!anec)
            return tl::unexpected(std::move(anec.error()));
        return Opened{std::move(*file), std::move(anec->image)};
    }
    auto container = hwx::readContainer((*file)->bytes(), (*file)->name());
    if (!container)
        return tl::unexpected(std::move(container.error()));
    return Opened{std::move(*file), std::move(*container)};
}

std::vector<descriptor::TaskDifference> compare(const Opened &a, const Opened &b)
{
    std::vector<descriptor::TaskDifference> differences;
    const hwx::Text *textA = a.text(), *textB = b.text();
    if (textA == nullptr || textB == nullptr)
        return differences;
    descriptor::TaskReader readerA(a.bytesOf(*textA), *textA->tasks);
    descriptor::TaskReader readerB(b.bytesOf(*textB), *textB->tasks);
    const std::size_t common = std::min(textA->tasks->tasks.size(), textB->tasks->tasks.size());
    for (std::size_t i = 0; i < common; ++i) {
        auto difference = descriptor::compareTasks(readerA, i, readerB, i);
        if (!difference.equal())
            differences.push_back(std::move(difference));
    }
    return differences;
}

int runDiff(const HwxOptions &options, const Opened &a, Session &session)
{
    const auto b = openContainer(options.other);
    if (!b)
        return reportFailure(session, "hwx", b.error());
    const auto differences = compare(a, *b);
    const std::size_t tasksA = a.container.taskCount(), tasksB = b->container.taskCount();
    const bool identical = differences.empty() && tasksA == tasksB;
    Diagnostics diagnostics = a.container.diagnostics;
    diagnostics.insert(diagnostics.end(), b->container.diagnostics.begin(),
                       b->container.diagnostics.end());
    if (session.json) {
        report::Json document = report::document("hwx");
        document["identical"] = identical;
        document["a"] = a.file->name();
        document["b"] = b->file->name();
        document["tasks_a"] = tasksA;
        document["tasks_b"] = tasksB;
        document["tasks"] = report::hwxDifferencesJson(differences);
        printDocument(session, document, diagnostics);
    } else {
        if (!session.quiet)
            print(hwxDiffText(a.file->name(), b->file->name(), differences, tasksA, tasksB));
        printDiagnostics(session, diagnostics);
    }
    const int faults = exitCodeOf(diagnostics);
    return faults != kDone ? faults : identical ? kDone : kDiffers;
}

} // namespace

int runHwx(const HwxOptions &options, Session &session)
{
    const auto opened = openContainer(options.path);
    if (!opened)
        return reportFailure(session, "hwx", opened.error());
    if (!options.other.empty())
        return runDiff(options, *opened, session);
    const auto &diagnostics = opened->container.diagnostics;
    const auto bytes = opened->file->bytes();
    if (session.json) {
        report::Json document = report::document("hwx");
        document["hwx"] =
            report::hwxJson(opened->container, bytes, opened->file->name(), {!options.noRegisters});
        printDocument(session, document, diagnostics);
    } else {
        if (!session.quiet)
            print(hwxText(opened->container, bytes, opened->file->name(), !options.noRegisters));
        printDiagnostics(session, diagnostics);
    }
    return exitCodeOf(diagnostics);
}

} // namespace kernscope::cli
