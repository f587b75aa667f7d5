// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/zero_share.h"

#include "core/bundle/bundle.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kernscope {

double zeroShare(std::span<const float> values)
{
    if (values.empty())
        return 0;
    const auto zeros = std::count_if(values.begin(), values.end(),
                                     [](float value) { return std::abs(value) <= 0x1p-25F; });
    return static_cast<double>(zeros) / static_cast<double>(values.size());
}

void readZerosBehindMask(const Bundle &bundle, std::size_t index, decision::WeightForm &form)
{
    const Weight &weight = bundle.weights()[index];
    if (!form.masked || form.key() == "sparse" || weight.fault || weight.elements.value == 0 ||
        weight.elements.value > kMostValuesRead)
        return;
    const auto decoder = bundle.decoder(index);
    if (!decoder)
        return;
    std::vector<float> values(weight.elements.value);
    {
        const BundleReadLock lock(bundle);
        decoder->decodeFloat(0, values);
    }
    form.nonzero = 1 - zeroShare(values);
}

} // namespace kernscope
