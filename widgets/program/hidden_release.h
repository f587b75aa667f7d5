// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

#include <functional>

namespace kernscope::ui {

class Dock;

/// Lets a dock give back what it holds of a large program, some time after it went out of view.
class HiddenRelease final : public QObject
{
public:
    /// `release` is called while the dock is out of view, and may be called again.
    HiddenRelease(Dock &dock, std::function<void()> release);

    /// For what came to the dock just now, which may be out of view already.
    void check();
    void setDelay(int milliseconds) { m_wait.setInterval(milliseconds); }

private:
    static constexpr int kDelayMilliseconds = 10'000; ///< people go back and forth

    Dock &m_dock;
    QTimer m_wait;
};

} // namespace kernscope::ui
