// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace kernscope::ui {

/// A field within a run of bytes: its bits, counted from the lowest one of the first byte.
struct BitRun {
    unsigned first = 0, count = 0;
    friend bool operator==(const BitRun &, const BitRun &) = default;
};

} // namespace kernscope::ui
