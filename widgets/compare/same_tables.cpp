// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/same_tables.h"

#include "core/bundle/bundle.h"

#include <algorithm>

namespace kernscope::ui {

bool sameTables(const BundlePtr &before, const BundlePtr &now)
{
    if (!before || !now)
        return false;
    if (before == now)
        return true;
    return before->path() == now->path() &&
           std::equal(before->weights().begin(), before->weights().end(), now->weights().begin(),
                      now->weights().end(),
                      [](const Weight &x, const Weight &y) { return x.name == y.name; });
}

} // namespace kernscope::ui
