// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/coreai_cache/survey.h"
#include "tests/fuzz/fuzz_check.h"

using namespace kernscope;
using namespace kernscope::coreai_cache;

namespace {

void check(const Result<std::vector<Leaf>> &leaves, std::string_view code, std::size_t size)
{
    if (!leaves) {
        fuzz::require(leaves.error().code == code);
        fuzz::require(leaves.error().offset && leaves.error().offset->value <= size);
        return;
    }
    fuzz::require(leaves->size() <= kMostLeaves);
    for (const Leaf &leaf : *leaves)
        fuzz::require(leaf.path.size() <= kMostPath);
}

} // namespace

/// A text of a compiled folder, as JSON and as a property list: its values, within the limits, or
/// a fault with a place in it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    check(jsonLeaves(text, "x.json"), "coreai_cache.json", size);
    check(plistLeaves(text, "x.plist"), "coreai_cache.plist", size);
    return 0;
}
