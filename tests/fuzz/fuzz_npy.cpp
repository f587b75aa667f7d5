// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/npy.h"
#include "tests/fuzz/fuzz_check.h"

using namespace kernscope;

/// An array has as many values as its shape says, and no more than the file has bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto array = readNpy(fuzz::bytesOf(data, size), "x.npy");
    if (!array) {
        fuzz::require(array.error().code.starts_with("npy."));
        fuzz::require(!array.error().message.empty());
        return 0;
    }
    const auto count = elementCount(array->shape);
    fuzz::require(count.has_value() && count->value == array->values.size());
    fuzz::require(array->values.size() <= size);
    return 0;
}
