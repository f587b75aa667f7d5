// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/fuzz_program.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto model = fuzz::bytesOf(data, size);
    fuzz::ProgramCheck(size).program(kernscope::mil::readModelProtobuf(model, "model.mlmodel"));
    return 0;
}
