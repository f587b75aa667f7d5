// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/interrupted_save.h"
#include "faults.h"

#include <algorithm>
#include <optional>
#include <random>

/// What a run does, drawn beforehand from its seed, so that a run with fewer steps does the same.
namespace kernscope::simulator {

/// Work of one process of the project's own.
enum class Task : std::uint8_t {
    Save,       ///< open, edit, save in place
    SaveUndone, ///< the same, take the edits back, save again
    Copy,       ///< open, edit, save a copy
    Recover,
    Read
};

struct Work {
    Task task = Task::Read;
    std::uint32_t draw = 0; ///< of its edits
    bool backup = false, breakLinks = false;
    bool replace = false; ///< Copy
    RecoverAction action = RecoverAction::Undo;
    bool dryRun = false;
};

/// What other programs do.
enum class Outside : std::uint8_t {
    Write,       ///< some bytes of a file
    Replace,     ///< a file by one with some other bytes
    Touch,       ///< times and permissions
    AddLink,     ///< a second name for a file
    DropLink,    ///< that name goes
    Rename,      ///< the bundle
    LoseJournal, ///< the journal of an interrupted save goes
};

/// One of `work` and `outside`; `meanwhile` or `outsideMeanwhile` comes while `work` stands at the
/// call of its plan.
struct Step {
    std::optional<Work> work;
    std::optional<Outside> outside;
    std::uint32_t draw = 0; ///< of `outside` and of the power cut
    FaultPlan fault;
    bool powerCut = false; ///< after the work, however it ended
    std::optional<Work> meanwhile;
    std::optional<Outside> outsideMeanwhile;
    bool killed = false; ///< where it stands, after what came meanwhile
};

/// Takes away what a failure does not need, from the end; `fails` tells of fewer steps.
template <class Steps, class Fails>
void shrink(Steps &steps, const Fails &fails)
{
    for (std::size_t length = std::max<std::size_t>(1, steps.size() / 2); length > 0; length /= 2) {
        for (std::size_t at = steps.size(); at-- > 0;) {
            if (at + length > steps.size())
                continue;
            Steps fewer = steps;
            const auto first = fewer.begin() + static_cast<std::ptrdiff_t>(at);
            fewer.erase(first, first + static_cast<std::ptrdiff_t>(length));
            if (fails(fewer))
                steps = std::move(fewer);
        }
    }
}

std::vector<Step> drawSteps(std::mt19937 &random, std::size_t count);
std::string stepText(const Step &step);

} // namespace kernscope::simulator
