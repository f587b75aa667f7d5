// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/base_errors.h"

#include "core/bundle/bundle.h"
#include "core/compare/compare.h"

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
    for (const ComparedPair &pair : wholePairs(difference->weights)) {
        if (!pair.values || pair.b >= errors->relative.size())
            continue;
        const ValueDifference &values = *pair.values;
        // 10 log10 of the ratio of the squares: of values without a signal there is no ratio.
        if (values.identical())
            errors->relative[pair.b] = 0;
        else if (!std::isnan(values.snr))
            errors->relative[pair.b] = std::pow(10.0, -values.snr / 20);
        const double error = errors->relative[pair.b].value_or(0);
        if (error > 0 && std::isfinite(error)) {
            errors->least = errors->least > 0 ? std::min(errors->least, error) : error;
            errors->most = std::max(errors->most, error);
        }
    }
    return errors;
}

double errorShade(const BaseErrors &errors, double relative)
{
    constexpr double kLeast = 0.3; // what differs at all is seen to differ
    if (relative <= 0)
        return 0;
    if (!(errors.least < errors.most))
        return 1;
    const double at = std::log(relative / errors.least) / std::log(errors.most / errors.least);
    return kLeast + (1 - kLeast) * std::clamp(at, 0.0, 1.0);
}

} // namespace kernscope::ui
