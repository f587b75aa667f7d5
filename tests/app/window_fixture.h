// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dock_set.h"
#include "app/main_window.h"
#include "app/notice_area.h"
#include "tests/core/patch/cut_save.h"
#include "tests/widgets/sample_session.h"

/// What the tests of the window share: bundles of the sample on disk, and a window that knows
/// nothing of the user's settings.
namespace kernscope::test {

/// Offsets at which two files of one size differ; {-1} where the sizes do.
inline QList<qsizetype> differences(const QByteArray &a, const QByteArray &b)
{
    if (a.size() != b.size())
        return {-1};
    QList<qsizetype> places;
    for (qsizetype i = 0; i < a.size(); ++i) {
        if (a[i] != b[i])
            places << i;
    }
    return places;
}

/// Writes a build of the sample ("sparse") into `folder`; the bundle's path, or nothing.
inline QString writeSample(const QString &folder, const QString &build)
{
    const sample::SampleBundle bundle = sampleOf(build.toStdString());
    const QString path = QDir(folder).filePath(QString::fromStdString(bundle.name));
    for (const auto &[name, content] : bundle.files) {
        const QString target = path + QLatin1Char('/') + QString::fromStdString(name);
        QDir().mkpath(QFileInfo(target).path());
        if (!put(target, content))
            return {};
    }
    return bundle.files.empty() ? QString() : path;
}

inline bool copyFolder(const QString &from, const QString &to)
{
    std::error_code fault;
    std::filesystem::copy(from.toStdString(), to.toStdString(),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing,
                          fault);
    return !fault;
}

/// First element from `from` on that the weight stores.
inline std::uint64_t storedElement(const Bundle &bundle, std::size_t weight, std::uint64_t from = 0)
{
    const auto decoder = bundle.decoder(weight);
    while (decoder && from < decoder->elements().value && !decoder->stored(from))
        ++from;
    return from;
}

inline Edit setEdit(const Bundle &bundle, std::size_t weight, std::uint64_t element, double value)
{
    Edit edit;
    edit.weight = bundle.weights()[weight].name;
    edit.indices = {IndexRange{element, element + 1, false, true}};
    edit.value = value;
    return edit;
}

inline float valueAt(const Bundle &bundle, std::size_t weight, std::uint64_t element)
{
    float value = std::numeric_limits<float>::quiet_NaN();
    if (const auto decoder = bundle.decoder(weight))
        decoder->decodeFloat(element, std::span(&value, 1));
    return value;
}

/// Leaves the bundle at `path` as a crash in the middle of a save in place does: the first value of
/// its first weight is written, the last one is not.
inline void interruptSave(const QString &path)
{
    const BundlePtr bundle = *Bundle::open(path.toStdString());
    std::string script;
    for (const std::uint64_t element :
         {std::uint64_t{0}, bundle->weights().front().elements.value - 1})
        script += "set " + editText(setEdit(*bundle, 0, element, 0.375)) + "\n";
    cutSave(path.toStdString(), script);
}

/// A shown window with settings of its own.
class TestWindow
{
public:
    TestWindow() : m_settings(m_folder.filePath(QStringLiteral("settings.ini"))) { makeWindow(); }

    app::MainWindow &operator*() { return *m_window; }
    app::MainWindow *operator->() { return m_window.get(); }
    app::Settings &settings() { return m_settings; }
    QString folder() const { return m_folder.path(); }
    /// As leaving the program and starting it again.
    void restart()
    {
        m_window->close();
        m_window.reset();
        makeWindow();
    }

    bool settle()
    {
        const auto rests = [this] {
            if (m_window->document().busy() != app::Document::Busy::Idle ||
                !m_window->session().tasks().idle() || !laidOut())
                return false;
            for (const auto &entry : m_window->docks().entries()) {
                if (entry.dock->isVisible() && entry.dock->busy())
                    return false;
            }
            return true;
        };
        QTest::qWait(0); // what is due already may begin something, as painting may
        do {
            if (!becomes(rests))
                return false;
            QTest::qWait(0);
        } while (!rests());
        return true;
    }
    /// As settle(), and what docks put off until keys and edits rest is done: at once.
    bool settleLong()
    {
        for (int round = 0; round < 8; ++round) { // what was put off may begin something else
            if (!settle())
                return false;
            if (!restIsOver())
                return true;
        }
        return false;
    }
    bool open(const QStringList &paths)
    {
        m_window->openPaths(paths);
        return settle() && m_window->document().isOpen();
    }

private:
    /// Waits for it: looks again after each event, not only every ten milliseconds.
    template <class Condition>
    static bool becomes(const Condition &condition)
    {
        const QDeadlineTimer end(30'000);
        QTimer tick; // what no event tells of
        tick.start(10);
        while (!condition()) {
            if (end.hasExpired())
                return false;
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        }
        return true;
    }

    /// What waits for a rest has had it; whether anything did.
    bool restIsOver()
    {
        bool any = false;
        const auto found = m_window->findChildren<QTimer *>();
        const QList<QPointer<QTimer>> timers(found.begin(), found.end());
        for (const QPointer<QTimer> &timer : timers) {
            constexpr int kLongestRest = 400; // milliseconds; others hide messages and the like
            if (!timer || !timer->isActive() || !timer->isSingleShot() ||
                timer->interval() > kLongestRest)
                continue;
            any = true;
            QTimerEvent over(timer->timerId());
            QCoreApplication::sendEvent(timer, &over);
        }
        return any;
    }

    /// Docks in front of their tabs are on view: Qt moves one that was raised later on. It keeps
    /// the address of each dock in the data of its tab.
    bool laidOut() const
    {
        std::set<const QObject *> hosts; // their bars are children of them: there are many others
        for (const auto &entry : m_window->docks().entries())
            hosts.insert(static_cast<const QWidget *>(entry.dock)->parent());
        std::set<quintptr> inFront;
        for (const QObject *host : hosts) {
            for (const QTabBar *tabs : host->findChildren<QTabBar *>(Qt::FindDirectChildrenOnly)) {
                if (tabs->isVisible())
                    inFront.insert(tabs->tabData(tabs->currentIndex()).value<quintptr>());
            }
        }
        return std::ranges::all_of(m_window->docks().entries(), [&](const auto &entry) {
            const auto *widget = static_cast<const QWidget *>(entry.dock);
            return entry.dock->onView() || !inFront.contains(reinterpret_cast<quintptr>(widget));
        });
    }
    void makeWindow()
    {
        m_window = std::make_unique<app::MainWindow>(m_settings);
        m_window->show();
    }

    QTemporaryDir m_folder;
    app::Settings m_settings;
    std::unique_ptr<app::MainWindow> m_window;
};

/// The dialog that is up now, once there is one.
inline QWidget *dialog()
{
    QWidget *found = nullptr;
    const bool come = QTest::qWaitFor(
        [&found] {
            found = QApplication::activeModalWidget();
            return found != nullptr;
        },
        5000);
    return come ? found : nullptr;
}

} // namespace kernscope::test
