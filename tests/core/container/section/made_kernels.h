// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "synthetic_kernels.h"

#include <vector>

/// What the tests of weights in containers have in common.
namespace kernscope::test {

inline std::vector<std::uint16_t> halvesOf(const Bundle &bundle, std::size_t weight)
{
    const auto decoder = bundle.decoder(weight);
    if (!decoder)
        return {};
    std::vector<std::uint16_t> halves(decoder->elements().value);
    decoder->decodeHalf(0, halves);
    return halves;
}

inline BundlePtr openKernel(const test::Bytes &bytes, const char *name = "made.hwx")
{
    return Bundle::open(name, {.memory = {{name, bytes}}}).value_or(nullptr);
}

} // namespace kernscope::test
