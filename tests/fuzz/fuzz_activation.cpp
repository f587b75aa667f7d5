// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/activation_table.h"
#include "tests/fuzz/fuzz_check.h"

#include <cstring>

using namespace kernscope;
using namespace kernscope::format;

/// A record is written back as it was, and evaluates at every kind of input, in every reading.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    auto table = ActivationTable::parse(fuzz::bytesOf(data, size));
    if (!table) {
        fuzz::require(table.error().code.starts_with("activation."));
        return 0;
    }
    const auto written = table->write();
    fuzz::require(std::memcmp(written.data(), data, written.size()) == 0);
    for (const auto layout : {ActivationLayout::Text, ActivationLayout::Device}) {
        table->setLayout(layout);
        fuzz::require(table->domain().low < table->domain().high);
        for (std::uint32_t input = 0; input < 0x10000; input += 97) {
            for (const auto tail : {ActivationTail::Clamp, ActivationTail::Linear}) {
                table->evaluate(static_cast<std::uint16_t>(input), ActivationArithmetic::Half,
                                tail);
                table->evaluate(static_cast<std::uint16_t>(input), ActivationArithmetic::Exact,
                                tail);
            }
        }
    }
    return 0;
}
