// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/pte/pte.h"
#include "tests/fuzz/bundle_checks.h"

using namespace kernscope;

/// Whatever the file says, its delegates lie in it, and so do the files of each.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto input = fuzz::bytesOf(data, size);
    const auto delegates = pte::readDelegates(input, "x.pte");
    for (const pte::Delegate &delegate : delegates ? *delegates : std::vector<pte::Delegate>()) {
        const auto files = pte::packedFiles(input, delegate, "x.pte");
        for (const pte::PackedFile &file : files ? *files : std::vector<pte::PackedFile>()) {
            if (!fitsInside(file.data, ByteCount(size)))
                __builtin_trap();
        }
    }
    if (const auto bundle =
            Bundle::open("x.pte", {.memory = {{"x.pte", {input.begin(), input.end()}}}}))
        fuzz::checkBundle(**bundle);
    return 0;
}
