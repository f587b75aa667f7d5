// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "synthetic.h"
#include "tests/test_program.h"
#include "window_fixture.h"

namespace kernscope::test {

/// A window without a file, and a folder for copies of the samples. Making a window takes longer
/// than most tests: there is none before one asks for it.
class MainWindowTest : public QObject
{
protected:
    void openWindow()
    {
        newWindow();
        m_folder = std::make_unique<QTemporaryDir>();
    }

    /// Of init(): the window of the test before, in which nothing is open and the workspaces are
    /// arranged anew. Tests that leave it otherwise end with newWindow().
    void openSameWindow()
    {
        if (m_window) {
            document().close(); // without a question about what is unsaved
            notices().clear();
            auto &workspaces = (*m_window)->layouts();
            workspaces.reset();
            workspaces.show(app::Layout::Inspect);
            workspaces.reset();
        }
        m_folder = std::make_unique<QTemporaryDir>();
    }

    /// Of cleanup(): no other test has the window of one that failed.
    void leaveSameWindow()
    {
        if (QTest::currentTestFailed())
            newWindow();
    }

    /// Another one in its place, with settings of its own; the folder stays.
    void newWindow() { m_window.reset(); }

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

    void edit(std::size_t weight, std::uint64_t element, double value)
    {
        session().requestEdits({setEdit(*session().bundle(), weight, element, value)}, {});
    }

    /// Changes the first stored element of the first weight.
    void patch(double value = 0.123)
    {
        session().setPatchingEnabled(true);
        edit(0, storedElement(*session().bundle(), 0), value);
    }

    /// A key of the window.
    void press(Qt::Key key, Qt::KeyboardModifiers held = {})
    {
        QTest::keyClick(&**m_window, key, held);
    }

    /// The action of that text, or that begins so.
    QAction *action(const QString &text, bool whole = true) const
    {
        for (QAction *found : (*m_window)->findChildren<QAction *>()) {
            const QString name = found->text().remove(QLatin1Char('&'));
            if (whole ? name == text : name.startsWith(text))
                return found;
        }
        return nullptr;
    }

    /// The visible button of the notices whose text begins so.
    QPushButton *answerButton(const QString &text) const
    {
        for (auto *button : notices().findChildren<QPushButton *>()) {
            if (button->isVisible() && button->text().startsWith(text))
                return button;
        }
        return nullptr;
    }

    ui::Session &session() const { return (*m_window)->session(); }
    app::Document &document() const { return (*m_window)->document(); }
    app::DockSet &docks() const { return (*m_window)->docks(); }
    app::NoticeArea &notices() const { return (*m_window)->notices(); }
    auto &layouts() const { return (*m_window)->layouts(); }
    ui::Dock *dock(const QString &id) const { return docks().dock(id); }

    /// Brings a dock to the front and waits for it; its first child of a class, null where there is
    /// none.
    template <class Child>
    Child *shownIn(const QString &id)
    {
        app::DockSet::reveal(dock(id));
        return m_window->settle() ? dock(id)->findChild<Child *>() : nullptr;
    }

    bool goToWeight(std::size_t weight)
    {
        session().goToWeight(weight);
        return m_window->settle();
    }

    /// A copy of a build of the sample in the folder; its path.
    QString sample(const QString &build) const { return writeSample(m_folder->path(), build); }

    /// A made container for H13 in the folder; its path.
    QString writeHardware() const
    {
        const QString path = m_folder->filePath(u"synthetic.hwx"_s);
        return put(path, syntheticH13()) ? path : QString();
    }

    /// Makes the window where it is used.
    class Window
    {
    public:
        TestWindow &operator*() const
        {
            if (!m_made) {
                m_made = std::make_unique<TestWindow>();
                [&] { QVERIFY(QTest::qWaitForWindowExposed(&**m_made)); }();
            }
            return *m_made;
        }
        TestWindow *operator->() const { return &**this; }
        explicit operator bool() const { return m_made != nullptr; }
        void reset() { m_made.reset(); }

    private:
        mutable std::unique_ptr<TestWindow> m_made;
    };

    Window m_window;
    std::unique_ptr<QTemporaryDir> m_folder;
};
} // namespace kernscope::test
