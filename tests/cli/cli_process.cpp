// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"

#include <QProcess>
#include <QProcessEnvironment>

namespace kernscope::test {

namespace {

constexpr int kTimeout = 120000;

CliResult wait(QProcess &process)
{
    CliResult result;
    if (!process.waitForFinished(kTimeout)) {
        process.kill();
        process.waitForFinished();
        result.crashed = true;
        return result;
    }
    result.crashed = process.exitStatus() != QProcess::NormalExit;
    result.exitCode = process.exitCode();
    result.out = process.readAllStandardOutput();
    result.err = process.readAllStandardError();
    return result;
}

/// Stopped by a signal: the state in the third field of /proc/PID/stat, behind the name in
/// brackets.
bool isStopped(qint64 process)
{
    QFile file(QStringLiteral("/proc/%1/stat").arg(process));
    if (!file.open(QIODevice::ReadOnly))
        return false;
    const QByteArray text = file.readAll();
    return text.mid(text.lastIndexOf(')') + 2, 1) == "T";
}

} // namespace

QString cliProgram()
{
    return QStringLiteral(KERNSCOPE_CLI);
}

CliResult runCli(const QStringList &arguments)
{
    QProcess process;
    process.start(cliProgram(), arguments);
    return wait(process);
}

CliResult runCliWith(const QByteArray &input, const QStringList &arguments)
{
    QProcess process;
    process.start(cliProgram(), arguments);
    process.write(input);
    process.closeWriteChannel();
    return wait(process);
}

CliResult runCliInto(const QString &file, const QStringList &arguments)
{
    QProcess process;
    process.setStandardOutputFile(file);
    process.start(cliProgram(), arguments);
    return wait(process);
}

CliResult runCliPaused(const QString &call, const QStringList &arguments,
                       const std::function<void(qint64)> &meanwhile)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("LD_PRELOAD"), QStringLiteral(KERNSCOPE_PAUSE_LIBRARY));
    environment.insert(QStringLiteral("KERNSCOPE_PAUSE"), call);
    // AddressSanitizer wants to be the first library otherwise.
    environment.insert(QStringLiteral("ASAN_OPTIONS"),
                       QStringLiteral("verify_asan_link_order=0:") +
                           environment.value(QStringLiteral("ASAN_OPTIONS")));
    process.setProcessEnvironment(environment);
    process.start(cliProgram(), arguments);
    if (!process.waitForStarted())
        return {};
    const qint64 id = process.processId();
    while (!isStopped(id) && !process.waitForFinished(1)) {
    }
    if (process.state() == QProcess::Running) {
        meanwhile(id);
        ::kill(static_cast<pid_t>(id), SIGCONT);
    }
    if (process.state() != QProcess::NotRunning)
        return wait(process);
    return {process.exitCode(), process.exitStatus() != QProcess::NormalExit,
            process.readAllStandardOutput(), process.readAllStandardError()};
}

} // namespace kernscope::test
