// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/readers.h"
#include "tests/fuzz/bundle_checks.h"

using namespace kernscope;

/// Whatever the file says, it opens or is refused, its sections cover it, and its weight decodes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto input = fuzz::bytesOf(data, size);
    OpenOptions options;
    options.memory = {{"x.skel", {input.begin(), input.end()}}};
    options.reader = &skeletonReader();
    if (const auto bundle = Bundle::open("x.skel", options))
        fuzz::checkBundle(**bundle, skeletonReader());
    return 0;
}
