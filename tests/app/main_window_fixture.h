// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "window_fixture.h"

#include <QAction>
#include <QTemporaryDir>

#include <memory>

namespace kernscope::test {

/// A window without a file, and a folder for copies of the samples.
class MainWindowTest : public QObject
{
protected:
    void openWindow();
    void patch(double value = 0.123);
    QAction *action(const QString &text) const;

    std::unique_ptr<TestWindow> m_window;
    std::unique_ptr<QTemporaryDir> m_folder;
};

inline void MainWindowTest::openWindow()
{
    m_window.reset();
    m_folder = std::make_unique<QTemporaryDir>();
    m_window = std::make_unique<TestWindow>();
    QVERIFY(QTest::qWaitForWindowExposed(&**m_window));
}

/// Changes the first stored element of the first weight.
inline void MainWindowTest::patch(double value)
{
    auto &session = (*m_window)->session();
    session.setPatchingEnabled(true);
    const auto element = storedElement(*session.bundle(), 0);
    session.requestEdits({setEdit(*session.bundle(), 0, element, value)}, {});
}

inline QAction *MainWindowTest::action(const QString &text) const
{
    for (QAction *found : (*m_window)->findChildren<QAction *>()) {
        if (found->text().remove(QLatin1Char('&')) == text)
            return found;
    }
    return nullptr;
}

} // namespace kernscope::test
