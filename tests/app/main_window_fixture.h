// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "synthetic.h"
#include "tests/test_program.h"
#include "window_fixture.h"

namespace kernscope::test {

/// A window without a file, and a folder for copies of the samples.
class MainWindowTest : public QObject
{
protected:
    void openWindow()
    {
        m_window.reset();
        m_folder = std::make_unique<QTemporaryDir>();
        m_window = std::make_unique<TestWindow>();
        QVERIFY(QTest::qWaitForWindowExposed(&**m_window));
    }

    /// The same, and it has the keyboard.
    void openActiveWindow()
    {
        openWindow();
        QVERIFY(activate());
    }

    bool activate()
    {
        (*m_window)->activateWindow();
        return QTest::qWaitForWindowActive(&**m_window);
    }

    /// Changes the first stored element of the first weight.
    void patch(double value = 0.123)
    {
        auto &session = (*m_window)->session();
        session.setPatchingEnabled(true);
        const auto element = storedElement(*session.bundle(), 0);
        session.requestEdits({setEdit(*session.bundle(), 0, element, value)}, {});
    }

    QAction *action(const QString &text) const
    {
        for (QAction *found : (*m_window)->findChildren<QAction *>()) {
            if (found->text().remove(QLatin1Char('&')) == text)
                return found;
        }
        return nullptr;
    }

    ui::Session &session() const { return (*m_window)->session(); }
    ui::Dock *dock(const QString &id) const { return (*m_window)->docks().dock(id); }
    /// A copy of a build of the sample in the folder; its path.
    QString sample(const QString &build) const { return writeSample(m_folder->path(), build); }

    /// A made container for H13 in the folder; its path.
    QString writeHardware() const
    {
        const QString path = m_folder->filePath(u"synthetic.hwx"_s);
        return put(path, syntheticH13()) ? path : QString();
    }

    std::unique_ptr<TestWindow> m_window;
    std::unique_ptr<QTemporaryDir> m_folder;
};
} // namespace kernscope::test
