// SPDX-License-Identifier: GPL-3.0-or-later
// kernscope-bench-gui [--json] [INPUT | PATH …]: how the window feels. Opens the window on each
// input in a process of its own, works in it by script, and prints what the GUI thread took.
// Run it with QT_QPA_PLATFORM=offscreen, or on a display.
#include "app/command_line.h"
#include "inputs.h"
#include "script.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryDir>

#include <cstdio>
#include <cstring>

using namespace kernscope;
using namespace Qt::StringLiterals;

namespace {

constexpr QSize kWindowSize(1920, 1080);

/// Leaves out what the offscreen platform says of things that it cannot do.
void withoutPlatformNotes(QtMsgType, const QMessageLogContext &, const QString &text)
{
    if (!text.startsWith("This plugin does not support"_L1))
        std::fprintf(stderr, "%s\n", qUtf8Printable(text));
}

/// The child: begun, path (or nothing), where the results go, "all" or "start" only.
int measure(int argc, char **argv)
{
    const double begun = QByteArray(argv[2]).toDouble();
    const QString path = QString::fromLocal8Bit(argv[3]), target = QString::fromLocal8Bit(argv[4]);
    qInstallMessageHandler(withoutPlatformNotes);
    QCoreApplication::setApplicationName(u"kernscope"_s);
    app::prepareEnvironment(argc, argv);
    bench::WatchedApplication application(argc, argv);
    bench::Results results;
    const QTemporaryDir folder;
    app::Settings settings(folder.filePath(u"settings.ini"_s));
    app::MainWindow window(settings);
    window.resize(kWindowSize);
    window.show();
    bench::Script script(application, window, begun, results);
    script.open(path);
    const bool whole = qstrcmp(argv[5], "all") == 0;
    if (whole && window.document().isOpen())
        script.run();
    QFile file(target);
    return file.open(QIODevice::WriteOnly) &&
                   file.write(QJsonDocument(results.toJson()).toJson()) > 0
               ? 0
               : 1;
}

QJsonObject measured(const QString &path, const QString &target)
{
    QProcess child;
    child.setProcessChannelMode(QProcess::ForwardedChannels);
    for (const bool warm : {false, true}) { // the first start brings the libraries into memory
        const QString begun = QString::number(bench::monotonicNow(), 'f', 3);
        child.start(QCoreApplication::applicationFilePath(),
                    {u"--measure"_s, begun, path, target, warm ? u"all"_s : u"start"_s});
        child.waitForFinished(-1);
        if (child.exitStatus() != QProcess::NormalExit || child.exitCode() != 0)
            return {{u"notes"_s, QJsonArray{u"the window ended with %1"_s.arg(child.exitCode())}}};
    }
    QFile file(target);
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object()
                                          : QJsonObject();
}

int compare(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    QStringList wanted = QCoreApplication::arguments().mid(1);
    const bool json = wanted.removeAll(u"--json"_s) > 0;
    if (wanted.isEmpty())
        wanted = bench::inputNames();
    const QTemporaryDir folder;
    QStringList inputs;
    QList<QJsonObject> results;
    for (const QString &name : wanted) {
        const bool known = bench::inputNames().contains(name);
        const auto path = known                     ? bench::prepareInput(name, folder.path())
                          : QFileInfo::exists(name) ? std::optional(name)
                                                    : std::nullopt;
        if (!path) {
            std::fprintf(stderr, "kernscope-bench-gui: %s is not at hand\n", qUtf8Printable(name));
            continue;
        }
        inputs += known ? name : QFileInfo(name).fileName();
        results += measured(*path, folder.filePath(u"results.json"_s));
    }
    if (json) {
        QJsonObject all;
        for (qsizetype i = 0; i < inputs.size(); ++i)
            all.insert(inputs[i], results[i]);
        std::fputs(QJsonDocument(all).toJson().constData(), stdout);
    } else {
        std::fputs(qUtf8Printable(bench::resultTable(inputs, results)), stdout);
    }
    return inputs.size() == wanted.size() ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
    const bool child = argc == 6 && std::strcmp(argv[1], "--measure") == 0;
    return child ? measure(argc, argv) : compare(argc, argv);
}
