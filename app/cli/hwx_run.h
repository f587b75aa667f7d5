// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace kernscope::cli {

struct Context;

struct HwxOptions {
    std::string path;
    std::string other;  ///< container to compare with; empty where none was given
    std::string survey; ///< folder of containers; empty where none was given
    bool noRegisters = false;
    std::string loadAt; ///< address that the image is loaded to; empty: it is not
    bool strip = false; ///< take such an address back instead
};

/// The command `hwx`. Returns the exit code: 1 where a comparison finds a difference.
int runHwx(const HwxOptions &options, Context &context);

} // namespace kernscope::cli
