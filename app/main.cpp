// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line.h"
#include "app/main_window.h"
#include "app/screenshots.h"

#include <QApplication>
#include <QIcon>
#include <QTemporaryDir>

#include <cstdio>
#include <exception>

namespace {

using namespace kernscope;

/// What an event handler throws, memory that ran out most of all, ends that handler and not the
/// window with its edits.
class GuardedApplication : public QApplication
{
public:
    using QApplication::QApplication;
    bool notify(QObject *receiver, QEvent *event) override
    {
        try {
            return QApplication::notify(receiver, event);
        } catch (const std::exception &failure) {
            std::fprintf(stderr, "kernscope: %s\n", failure.what());
        }
        return false;
    }
};

QtMessageHandler s_otherMessages = nullptr;

/// Leaves out what the offscreen platform says, for each window, of things that it cannot do and
/// that a picture does not need.
void withoutPlatformNotes(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    if (!text.startsWith(QLatin1String("This plugin does not support")))
        s_otherMessages(type, context, text);
}

/// Never the user's settings, never his window size: pictures are the same everywhere.
int takeScreenshots(const app::CommandLine &line)
{
    s_otherMessages = qInstallMessageHandler(withoutPlatformNotes);
    const QTemporaryDir folder;
    app::Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    settings.setTheme(line.theme);
    app::MainWindow window(settings);
    window.resize(line.sizes.front());
    window.show();
    app::ScreenshotRun run(window, line.screenshots, line.sizes);
    QObject::connect(&run, &app::ScreenshotRun::finished, &window,
                     [](int exitCode, const QString &reason) {
                         if (!reason.isEmpty())
                             std::fprintf(stderr, "kernscope: %s\n", qUtf8Printable(reason));
                         QCoreApplication::exit(exitCode);
                     });
    // From within the event loop: what ends before it began would not end it.
    QMetaObject::invokeMethod(
        &run, [&run, &line] { run.start(line.paths); }, Qt::QueuedConnection);
    return QCoreApplication::exec();
}

int showWindow(const app::CommandLine &line)
{
    app::Settings settings;
    if (line.themeGiven)
        settings.overrideTheme(line.theme); // this once: the next start has what was chosen
    app::MainWindow window(settings);
    window.show();
    window.openPaths(line.paths);
    return QCoreApplication::exec();
}

} // namespace

int main(int argc, char **argv)
{
    QCoreApplication::setApplicationName(QStringLiteral("kernscope"));
    QCoreApplication::setApplicationVersion(QStringLiteral(KERNSCOPE_VERSION));
    const app::CommandLine line = app::parseCommandLine(argc, argv);
    if (line.exitCode)
        return *line.exitCode;
    app::prepareEnvironment(argc, argv);
    std::unique_ptr<QApplication> application;
    {
        const app::DisplayGuard guard;
        application = std::make_unique<GuardedApplication>(argc, argv);
    }
    QGuiApplication::setDesktopFileName(QStringLiteral("kernscope"));
    QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/kernscope.png")));
    return line.screenshots.isEmpty() ? showWindow(line) : takeScreenshots(line);
}
