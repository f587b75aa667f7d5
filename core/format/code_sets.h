// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/catalogue.h"

#include <cstdint>
#include <string>
#include <string_view>

/// Sets of codes that compilers test with a mask (resources/tables/code_sets.csv).
namespace kernscope::format {

struct CodeSet {
    std::string name;
    std::uint32_t firstCode = 0; ///< that bit 0 of the mask stands for
    std::uint32_t mask = 0;
    std::string guard; ///< as its source writes it
    Confidence confidence = Confidence::Assumed;
    std::string source, note;

    bool has(std::uint32_t code) const
    {
        return code >= firstCode && code - firstCode < 32 && (mask >> (code - firstCode) & 1U) != 0;
    }
};

/// Of kernel formats.
const CodeSet &paletteFormats();
const CodeSet &unityFormats();
/// That ZinSetFormat admits (contested, C10).
const CodeSet &nativeKernelFormats();

/// Of tensor formats: those that the DMA engine converts to fp16.
const CodeSet &dmaConvertibleToFp16();

} // namespace kernscope::format
