// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/patch/patch.h"
#include "tests/test_program.h"

#include <sys/wait.h>
#include <unistd.h>

namespace kernscope::test {

/// Runs `work` in a process of its own, which ends where `work` calls _exit; returns that code.
template <class Work>
int crash(const Work &work)
{
    const pid_t child = ::fork();
    if (child == 0) {
        work();
        ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The bundle with the edits of a script laid over it.
inline BundlePtr patched(BundlePtr bundle, const std::string &script)
{
    const auto planned = *planEdits(bundle, *parseEditScript(script, "script"), 0.0);
    for (const AppliedEdit &edit : planned)
        bundle = *applyEdit(bundle, edit);
    return bundle;
}

/// A hook of a save: ends the process at a step, the n-th time that it comes.
inline auto diesAt(patch::SaveStep step, int nth = 0)
{
    return [step, nth, passed = 0](patch::SaveStep now) mutable {
        if (now == step && passed++ == nth)
            ::_exit(0);
        return true;
    };
}

/// Leaves a bundle as a crash in the middle of a save in place does: the first range is written,
/// the others are not, the journal lies beside it.
inline void cutSave(const std::filesystem::path &path, const std::string &script)
{
    crash([&] {
        (void)patch::saveInPlace(*patched(*Bundle::open(path), script), false,
                                 diesAt(patch::SaveStep::RangeWritten));
    });
}

} // namespace kernscope::test
