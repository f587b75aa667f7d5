// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/settings.h"

#include <QObject>

#include <array>
#include <vector>

class QMainWindow;

namespace kernscope {
class Bundle;
}

namespace kernscope::ui {
class Dock;
}

namespace kernscope::app {

class DockSet;

/// The arrangements of window.md. Each remembers how the user left it.
enum class Layout : std::uint8_t { Inspect, Compare, Patch, Performance, Hardware };
inline constexpr std::array kLayouts{Layout::Inspect, Layout::Compare, Layout::Patch,
                                     Layout::Performance, Layout::Hardware};

/// "inspect", "compare", "patch", "performance", "hardware": settings key and name of the
/// screenshot.
QString layoutId(Layout layout);
QString layoutTitle(Layout layout); ///< translated
/// Whether the Hardware layout is made for it: a hardware container or a weight section.
bool isContainer(const Bundle &bundle);

/// Puts the docks where a layout has them, keeps what the user changed, and forgets it on request.
class LayoutKeeper : public QObject
{
    Q_OBJECT

public:
    LayoutKeeper(QMainWindow *host, DockSet &docks, Settings &settings, QObject *parent = nullptr);

    Layout current() const { return m_current; }
    /// What the workspace is about, as far as it is on view: where the keyboard goes on.
    ui::Dock *mainDock() const;
    /// Keeps the present arrangement and shows another one.
    void show(Layout layout);
    /// Shows a layout as the settings keep it; the present arrangement is not kept.
    void restore(Layout layout) { restoreOrArrange(layout); }
    /// The present layout as it comes, forgetting what was kept.
    void reset();
    /// Writes the present arrangement into the settings.
    void keep();

Q_SIGNALS:
    void currentChanged(kernscope::app::Layout layout);

private:
    void arrange(Layout layout);
    void restoreOrArrange(Layout layout);

    QMainWindow *m_host = nullptr;
    DockSet &m_docks;
    Settings &m_settings;
    Layout m_current = Layout::Inspect;
    bool m_shown = false;
};

} // namespace kernscope::app
