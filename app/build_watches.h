// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/bundle_watch.h"

#include <QObject>

#include <memory>
#include <vector>

namespace kernscope::ui {
class BuildsDock;
}

namespace kernscope::app {

/// Watches the builds that were added in Builds: one that another program changes is opened again.
class BuildWatches : public QObject
{
    Q_OBJECT

public:
    explicit BuildWatches(ui::BuildsDock &builds);

private:
    void watchAdded();

    ui::BuildsDock &m_builds;
    std::vector<std::unique_ptr<BundleWatch>> m_watches; ///< in the order of the builds
};

} // namespace kernscope::app
