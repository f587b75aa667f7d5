// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/test_program.h"
#include "written_bundle.h"

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

/// The arguments of a command line that quotes nothing; a word % is the next of `places`.
template <class... Places>
QStringList args(const char *line, const Places &...places)
{
    QStringList list = QString::fromUtf8(line).split(u' ', Qt::SkipEmptyParts);
    const QStringList all{QString(places)...};
    qsizetype next = 0;
    for (QString &word : list)
        word = word == u"%" ? all.value(next++) : word;
    return list;
}

/// Runs and waits, for at most two minutes.
CliResult runCli(const QStringList &arguments);
template <class... Places>
CliResult runCli(const char *line, const Places &...places)
{
    return runCli(args(line, places...));
}
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
