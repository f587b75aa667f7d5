// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/task_comparison.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/hwx/container.h"

#include <algorithm>

namespace kernscope {

namespace {

/// The tasks of one text section with their bytes; of a side that has none, an empty list.
struct TextTasks {
    std::span<const std::byte> bytes;
    const descriptor::TaskList *list = nullptr;

    std::size_t count() const { return list == nullptr ? 0 : list->tasks.size(); }
};

std::vector<TextTasks> textsOf(const Bundle &bundle)
{
    std::vector<TextTasks> texts;
    const auto file = bundle.files().front().file->bytes();
    for (const hwx::Text &text : bundle.hardware()->texts) {
        const hwx::SegmentSection *section = bundle.hardware()->section(text.section);
        if (text.tasks->tasks.empty() || section == nullptr || !section->bytes)
            continue;
        texts.push_back({file.subspan(static_cast<std::size_t>(section->bytes->offset.value),
                                      static_cast<std::size_t>(section->bytes->bytes.value)),
                         text.tasks.get()});
    }
    return texts;
}

void addOneSided(std::size_t count, std::size_t first, bool ofA,
                 std::vector<descriptor::TaskDifference> &to)
{
    for (std::size_t i = 0; i < count; ++i) {
        descriptor::TaskDifference alone;
        alone.a = ofA ? first + i : descriptor::kNoTask;
        alone.b = ofA ? descriptor::kNoTask : first + i;
        to.push_back(std::move(alone));
    }
}

/// Inserting a task moves the numbers of all that follow it: that is no change of theirs.
void dropMovedNumber(descriptor::TaskDifference &difference, const descriptor::TaskPair &pair)
{
    std::erase_if(difference.header, [&](const descriptor::FieldDifference &field) {
        return field.name == "TID" && field.a && field.b &&
               static_cast<std::int64_t>(*field.b) - static_cast<std::int64_t>(*field.a) ==
                   static_cast<std::int64_t>(pair.b) - static_cast<std::int64_t>(pair.a);
    });
}

void compareTexts(const TextTasks &a, std::size_t firstA, const TextTasks &b, std::size_t firstB,
                  std::vector<descriptor::TaskDifference> &to)
{
    if (a.list == nullptr || b.list == nullptr) {
        addOneSided(a.count(), firstA, true, to);
        addOneSided(b.count(), firstB, false, to);
        return;
    }
    descriptor::TaskReader readerA(a.bytes, *a.list), readerB(b.bytes, *b.list);
    for (const descriptor::TaskPair &pair : descriptor::alignTasks(readerA, readerB)) {
        const bool inA = pair.a != descriptor::kNoTask, inB = pair.b != descriptor::kNoTask;
        descriptor::TaskDifference difference;
        if (inA && inB) {
            difference = descriptor::compareTasks(readerA, pair.a, readerB, pair.b);
            dropMovedNumber(difference, pair);
            if (difference.equal())
                continue;
        }
        difference.a = inA ? firstA + pair.a : descriptor::kNoTask;
        difference.b = inB ? firstB + pair.b : descriptor::kNoTask;
        to.push_back(std::move(difference));
    }
}

} // namespace

std::optional<TaskComparison> compareTasks(const Bundle &a, const Bundle &b)
{
    if (!a.hardware() || !b.hardware())
        return std::nullopt;
    const BundleReadLock lock(a, b);
    TaskComparison result;
    result.sameVersion = a.hardware()->version == b.hardware()->version;
    const auto textsA = textsOf(a), textsB = textsOf(b);
    for (std::size_t i = 0; i < std::max(textsA.size(), textsB.size()); ++i) {
        const TextTasks none;
        const TextTasks &textA = i < textsA.size() ? textsA[i] : none;
        const TextTasks &textB = i < textsB.size() ? textsB[i] : none;
        compareTexts(textA, result.tasksA, textB, result.tasksB, result.differences);
        result.tasksA += textA.count();
        result.tasksB += textB.count();
    }
    return result;
}

} // namespace kernscope
