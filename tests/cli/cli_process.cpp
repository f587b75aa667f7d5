// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"

#include <QProcess>

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

CliResult runCliInto(const QString &file, const QStringList &arguments)
{
    QProcess process;
    process.setStandardOutputFile(file);
    process.start(cliProgram(), arguments);
    return wait(process);
}

} // namespace kernscope::test
