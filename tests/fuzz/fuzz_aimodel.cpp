// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/readers.h"
#include "tests/fuzz/bundle_checks.h"

using namespace kernscope;

/// Whatever the module says, it opens or is refused, its sections cover it, and what is a weight
/// without a fault decodes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto input = fuzz::bytesOf(data, size);
    if (const auto bundle = Bundle::open(
            "x.aimodel", {.memory = {{"main.mlirb", {input.begin(), input.end()}},
                                     {"metadata.json", {input.begin(), input.end()}}}}))
        fuzz::checkBundle(**bundle, aimodelReader());
    return 0;
}
