// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/decode/decoder.h"
#include "core/codec/encode/encoder.h"
#include "core/numeric/half.h"
#include "tests/test_program.h"

/// What the tests of the encoders have in common.
namespace kernscope::codec::test {

inline std::vector<float> gaussian(std::size_t count, unsigned seed = 1)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.0f, 0.1f);
    std::vector<float> values(count);
    for (float &value : values)
        value = normal(random);
    return values;
}

inline std::vector<float> decodeAll(const EncodedWeight &weight)
{
    const auto decoder = Decoder::make(weight.encoding());
    if (!decoder) {
        qWarning("%s", describe(decoder.error()).c_str());
        return {};
    }
    if (!decoder->verify().empty())
        qWarning("%s", describe(decoder->verify()[0].error).c_str());
    std::vector<float> values(decoder->elements().value);
    decoder->decodeFloat(0, values);
    return values;
}

inline float toHalf(float value)
{
    return halfToFloat(floatToHalf(value));
}

inline double squaredError(const std::vector<float> &a, const std::vector<float> &b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += std::pow(double(a[i]) - double(b[i]), 2);
    return sum;
}

inline const EncodedPart &part(const EncodedWeight &weight, PartRole role)
{
    for (const EncodedPart &p : weight.parts) {
        if (p.role == role)
            return p;
    }
    return weight.parts.front();
}

} // namespace kernscope::codec::test
