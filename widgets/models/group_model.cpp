// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/group_model.h"

#include <algorithm>

namespace kernscope::ui {

std::size_t GroupModel::rowsWithoutCopies() const
{
    return static_cast<std::size_t>(
        std::find_if(rows().begin(), rows().end(), [](const GroupRow &row) { return row.copy; }) -
        rows().begin());
}

int GroupModel::rowOfChannel(std::uint64_t channel) const
{
    for (std::size_t i = 0; i < rows().size(); ++i) {
        const auto &runs = rows()[i].runs;
        if (std::any_of(runs.begin(), runs.end(), [channel](const ChannelRun &run) {
                return channel >= run.first && channel - run.first < run.count;
            }))
            return static_cast<int>(i);
    }
    return -1;
}

int GroupModel::rowOfByte(FileOffset offset) const
{
    const auto row = std::find_if(rows().begin(), rows().end(), [offset](const GroupRow &group) {
        return group.bytes.contains(offset);
    });
    return row == rows().end() ? -1 : static_cast<int>(row - rows().begin());
}

} // namespace kernscope::ui
