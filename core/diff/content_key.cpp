// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/content_key.h"

#include "core/base/sha256.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_values.h"
#include "core/numeric/half.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

namespace kernscope::diff {

namespace {

constexpr std::uint64_t kKeyRun = 4096;

/// What stands for a value in the digest; none where rounding loses all of it.
std::optional<double> keyValue(double value, KeyPrecision precision)
{
    if (std::isnan(value))
        return std::numeric_limits<double>::quiet_NaN();
    if (precision == KeyPrecision::Half) {
        const auto rounded = static_cast<double>(halfToFloat(doubleToHalf(value)));
        if ((rounded == 0) != (value == 0) || std::isinf(rounded) != std::isinf(value))
            return std::nullopt;
        value = rounded;
    }
    return value == 0 ? 0.0 : value; // -0 is the same value
}

} // namespace

std::string contentKey(const Bundle &bundle, std::size_t weight, KeyPrecision precision)
{
    const auto decoder = bundle.decoder(weight);
    if (!decoder)
        return {};
    const std::uint64_t elements = decoder->elements().value;
    const std::uint64_t runs = elements <= kKeyElements ? 1 : kKeyElements / kKeyRun;
    const std::uint64_t run = elements <= kKeyElements ? elements : kKeyRun;
    std::vector<double> values(run);
    Sha256 digest;
    for (std::uint64_t i = 0; i < runs; ++i) {
        // The last run ends with the weight: (elements - run) / (runs - 1) apart.
        const std::uint64_t first = runs == 1 ? 0 : (elements - run) / (runs - 1) * i;
        decodeDoubles(*decoder, first, values);
        for (double &value : values) {
            const auto key = keyValue(value, precision);
            if (!key)
                return {};
            value = *key;
        }
        digest.update(std::as_bytes(std::span(values)));
    }
    const auto text = digest.finishHex();
    return text ? fmt::format("{} {}", elements, *text) : std::string();
}

} // namespace kernscope::diff
