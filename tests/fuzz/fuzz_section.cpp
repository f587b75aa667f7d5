// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/section/section.h"

#include <cstdint>
#include <cstdlib>
#include <string>

/// Any bytes are read or refused; what is read is written back as it was.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    using namespace kernscope;
    const auto bytes = std::as_bytes(std::span(data, size));
    auto section = section::readSection(bytes, "fuzz.ksec");
    if (!section)
        return 0;
    section::verifySection(*section, bytes, "fuzz.ksec");
    section::listing(*section);
    if (hasErrors(section->diagnostics))
        return 0;
    const auto written = section::writeSection(*section, bytes);
    if (!written)
        std::abort();
    section::LoadAddresses addresses;
    addresses.base = 0x10000;
    if (section::relocate(*section, addresses))
        section::strip(*section);
    return 0;
}
