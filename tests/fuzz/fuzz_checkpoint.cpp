// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/bundle_checks.h"

using namespace kernscope;

/// A checkpoint or an archive, by its own bytes: whatever it says, its sections cover it, and what
/// is not marked as faulty decodes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto input = fuzz::bytesOf(data, size);
    for (const char *name : {"x.safetensors", "x.npz", "x"}) {
        if (const auto bundle =
                Bundle::open(name, {.memory = {{name, {input.begin(), input.end()}}}}))
            fuzz::checkBundle(**bundle);
    }
    return 0;
}
