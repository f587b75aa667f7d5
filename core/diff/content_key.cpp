// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/content_key.h"

#include "core/base/sha256.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace kernscope::diff {

namespace {

/// Elements of a weight that its content is recognised by, spread over it.
constexpr std::uint64_t kSampleElements = 65536;
constexpr std::uint64_t kSampleRun = 4096;

} // namespace

std::string contentKey(const Bundle &bundle, std::size_t weight)
{
    const auto decoder = bundle.decoder(weight);
    if (!decoder)
        return {};
    const std::uint64_t elements = decoder->elements().value;
    const std::uint64_t runs = elements <= kSampleElements ? 1 : kSampleElements / kSampleRun;
    const std::uint64_t run = elements <= kSampleElements ? elements : kSampleRun;
    std::vector<std::uint16_t> values(run);
    Sha256 digest;
    for (std::uint64_t i = 0; i < runs; ++i) {
        // The last run ends with the weight: (elements - run) / (runs - 1) apart.
        const std::uint64_t first = runs == 1 ? 0 : (elements - run) / (runs - 1) * i;
        decoder->decodeHalf(first, values);
        for (std::uint16_t &value : values)
            value = value == 0x8000 ? std::uint16_t{0} : value; // -0 is the same value
        digest.update(std::as_bytes(std::span(values)));
    }
    const auto text = digest.finishHex();
    return text ? fmt::format("{} {}", elements, *text) : std::string();
}

} // namespace kernscope::diff
