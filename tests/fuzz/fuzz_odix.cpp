// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/odix/dbginfo.h"
#include "tests/fuzz/bundle_checks.h"

using namespace kernscope;

/// A program opens or is refused, its sections cover it, its weights decode, and it is written back
/// as it was; debug information is read or refused.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto input = fuzz::bytesOf(data, size);
    if (odix::isDebugInfo(input)) {
        (void)odix::readDebugInfo(input, "x.dbginfo");
        return 0;
    }
    if (const auto bundle =
            Bundle::open("x.odix", {.memory = {{"x.odix", {input.begin(), input.end()}}}}))
        fuzz::checkBundle(**bundle, *containerReader((*bundle)->kind()));
    return 0;
}
