// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>

namespace kernscope::mil {

/// What the newest compiler (3600.x) writes at an operation: where it can run, where it will, and
/// the compiler's own estimate of how long it takes there.
struct BackendNotes {
    std::string selected;               ///< SelectedBackend, or the backend of a segment: "ane"
    std::vector<std::string> supported; ///< BackendSupport without "unsupported"
    std::vector<std::pair<std::string, double>> estimatedMs;   ///< EstimatedRuntime
    std::vector<std::pair<std::string, std::string>> messages; ///< ValidationMessage: why not

    bool empty() const
    {
        return selected.empty() && supported.empty() && estimatedMs.empty() && messages.empty();
    }
    friend bool operator==(const BackendNotes &, const BackendNotes &) = default;
};

} // namespace kernscope::mil
