// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QStringList>

#include <functional>

#include <nlohmann/json.hpp>

/// kernscope-cli run as a process, as a script would run it.
namespace kernscope::test {

struct CliResult {
    int exitCode = -1;
    bool crashed = false;
    QByteArray out, err;

    /// Standard output as one JSON document; discarded where it is anything else.
    nlohmann::ordered_json json() const
    {
        return nlohmann::ordered_json::parse(out.begin(), out.end(), nullptr, false);
    }
};

/// For comparing: QCOMPARE cannot take a Json, which converts to everything.
inline QByteArray text(const nlohmann::ordered_json &json)
{
    return QByteArray::fromStdString(json.dump());
}

/// The arguments of a command line that quotes nothing.
inline QStringList words(const char *line)
{
    return QString::fromUtf8(line).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

/// Runs and waits, for at most two minutes.
CliResult runCli(const QStringList &arguments);
/// The same, with these bytes on standard input.
CliResult runCliWith(const QByteArray &input, const QStringList &arguments);
/// The same, with standard output sent to a file.
CliResult runCliInto(const QString &file, const QStringList &arguments);
/// Stops it at a call of the system ("2 stat PATH", pause_at_call.cpp), calls `meanwhile` with the
/// process's number, lets it go on. `meanwhile` is not called where it ends without that call.
CliResult runCliPaused(const QString &call, const QStringList &arguments,
                       const std::function<void(qint64)> &meanwhile);
/// Path of the program.
QString cliProgram();

} // namespace kernscope::test
