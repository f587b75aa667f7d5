// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/reencode/reencoder.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/fuzz/mutators.h"

using namespace kernscope;

/// Messages without a splice come out as they went in; with one they are refused or made.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto message = fuzz::bytesOf(data, size);
    const auto same = patch::spliceProtobuf(message, {});
    fuzz::require(!same || std::equal(same->begin(), same->end(), message.begin(), message.end()));
    if (size < 2)
        return 0;
    const mil::SourceSpan span{data[0] % size, data[1] % size};
    const auto made = patch::spliceProtobuf(message, {{span, {{std::byte{1}}, {std::byte{2}}}}});
    fuzz::require(made || made.error().code == "encode.program");
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size,
                                               std::size_t most, unsigned seed)
{
    return fuzz::mutateMessage(data, size, most, seed);
}
