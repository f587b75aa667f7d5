// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/build_watches.h"

#include "widgets/compare/builds_dock.h"

namespace kernscope::app {

BuildWatches::BuildWatches(ui::BuildsDock &builds) : QObject(&builds), m_builds(builds)
{
    connect(&builds, &ui::BuildsDock::addedChanged, this, &BuildWatches::watchAdded);
}

void BuildWatches::watchAdded()
{
    // A watch may be what tells of the change: it goes once it has told.
    for (auto &watch : m_watches)
        watch.release()->deleteLater();
    m_watches.clear();
    for (const BundlePtr &bundle : m_builds.added()) {
        m_watches.push_back(std::make_unique<BundleWatch>());
        BundleWatch *watch = m_watches.back().get();
        watch->watch(bundle);
        connect(watch, &BundleWatch::changed, &m_builds,
                [this, bundle] { m_builds.reopen(bundle); });
    }
}

} // namespace kernscope::app

#include "moc_build_watches.cpp"
