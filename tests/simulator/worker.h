// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "faults.h"
#include "steps.h"
#include "world.h"

#include <sys/types.h>

/// The work of a step in a process of its own, which may be stopped or killed.
namespace kernscope::simulator {

/// Where the work is done.
struct Place {
    fs::path folder; ///< that is watched
    fs::path grave;
    fs::path bundle, copy; ///< in the folder
    bool lone = false;
};

/// What a process says of its work.
struct Answer {
    bool given = false; ///< it came to its end
    std::string code;   ///< of the error; empty where there was none
    std::string message;
    std::uint32_t saves = 0; ///< SaveUndone: that succeeded
    std::vector<std::string> warnings, backups;
    std::vector<std::string> states; ///< Read: of interrupted saves
    bool fault = false; ///< OpenedForReading::fault(); Read: or an error in the diagnostics
    Tree shown;         ///< Read
};

struct Ended {
    Answer answer;
    int signal = 0;       ///< that ended it
    bool stopped = false; ///< it stands, and has not ended
};

class Process
{
public:
    /// Begins the work; `watch` is this process's own until it has ended.
    Process(const Place &place, const Work &work, const std::string &script, Watch &watch);
    ~Process(); ///< killed where it has not ended
    Process(const Process &) = delete;
    Process &operator=(const Process &) = delete;

    /// Until it ends, or stands.
    Ended wait();
    void goOn();
    void kill();

private:
    pid_t m_pid = -1;
    const Watch &m_watch;
};

} // namespace kernscope::simulator
