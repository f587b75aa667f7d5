// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/base_errors.h"

#include "core/diff/diff.h"

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

std::shared_ptr<const BaseErrors> errorsAgainst(const BundlePtr &of, const BundlePtr &base,
                                                Progress &progress)
{
    DiffOptions options;
    options.values = true;
    options.bytes = false;
    const auto difference = compareBundles(*base, *of, options, &progress);
    if (!difference)
        return nullptr;
    auto errors = std::make_shared<BaseErrors>();
    errors->of = of;
    errors->base = base;
    errors->relative.resize(of->weights().size());
    for (const WeightPair &pair : difference->weights) {
        if (!pair.values || pair.b >= errors->relative.size())
            continue;
        const ValueDifference &values = *pair.values;
        // 10 log10 of the ratio of the squares: of values without a signal there is no ratio.
        if (values.identical())
            errors->relative[pair.b] = 0;
        else if (!std::isnan(values.snr))
            errors->relative[pair.b] = std::pow(10.0, -values.snr / 20);
    }
    return errors;
}

double errorShade(double relative)
{
    constexpr double kDecades = 4;
    if (relative <= 0)
        return 0;
    return std::clamp((std::log10(relative) + kDecades) / kDecades, 0.0, 1.0);
}

} // namespace kernscope::ui
