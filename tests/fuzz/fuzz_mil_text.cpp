// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/fuzz_program.h"
#include "tests/fuzz/mutators.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto text = fuzz::bytesOf(data, size);
    fuzz::ProgramCheck(size).program(kernscope::mil::readProgramText(text, "model.mil"));
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size,
                                               std::size_t most, unsigned seed)
{
    return fuzz::mutateText(data, size, most, seed);
}
