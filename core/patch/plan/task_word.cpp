// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/plan/task_word.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/hwx/container.h"
#include "core/descriptor/task_reader.h"

#include <algorithm>

namespace kernscope::patch {

bool visitTaskWords(const Bundle &bundle, std::size_t text, std::size_t task,
                    const std::function<void(const TaskWord &)> &visit)
{
    if (!bundle.hardware() || text >= bundle.hardware()->texts.size())
        return false;
    const hwx::Text &tasks = bundle.hardware()->texts[text];
    const hwx::SegmentSection *section = bundle.hardware()->section(tasks.section);
    if (section == nullptr || !section->bytes || tasks.tasks->version == nullptr ||
        task >= tasks.tasks->tasks.size())
        return false;
    const ByteRange range = *section->bytes;
    const auto bytes = bundle.files().front().file->bytes();
    const descriptor::TaskReader reader(bytes.subspan(range.offset.value, range.bytes.value),
                                        *tasks.tasks);
    descriptor::TaskDetail detail;
    reader.read(task, detail);
    const auto *map = descriptor::RegisterMap::of(tasks.tasks->version->registerMap);
    const std::uint64_t begin = range.offset.value + detail.task.offset;
    for (std::size_t i = 0; i < detail.header.size(); ++i) {
        const auto word = static_cast<std::uint32_t>(i);
        visit({begin + 4 * i, 4 * word, detail.header[i], true,
               map == nullptr ? nullptr : map->header(word)});
    }
    for (const auto &write : detail.stream.writes)
        visit({begin + write.offset, write.address, write.value, false,
               map == nullptr ? nullptr : map->find(write.address)});
    return true;
}

std::optional<TaskNumber> taskAt(const Bundle &bundle, FileOffset offset)
{
    if (!bundle.hardware())
        return std::nullopt;
    const auto &texts = bundle.hardware()->texts;
    for (std::size_t t = 0; t < texts.size(); ++t) {
        const hwx::SegmentSection *section = bundle.hardware()->section(texts[t].section);
        if (section == nullptr || !section->bytes || !section->bytes->contains(offset))
            continue;
        const std::uint64_t at = offset.value - section->bytes->offset.value;
        const auto &tasks = texts[t].tasks->tasks;
        const auto behind = std::upper_bound(
            tasks.begin(), tasks.end(), at,
            [](std::uint64_t place, const descriptor::Task &task) { return place < task.offset; });
        if (behind != tasks.begin() && at - std::prev(behind)->offset < std::prev(behind)->bytes())
            return TaskNumber{t, static_cast<std::size_t>(std::prev(behind) - tasks.begin())};
    }
    return std::nullopt;
}

std::optional<TaskWord> taskWordAt(const Bundle &bundle, const TaskNumber &task, FileOffset offset)
{
    std::optional<TaskWord> found;
    visitTaskWords(bundle, task.text, task.task, [&](const TaskWord &word) {
        if (offset.value >= word.place && offset.value < word.place + 4)
            found = word;
    });
    return found;
}

} // namespace kernscope::patch
