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

/// What of `facts` a document does not say, with what it says instead; empty where all holds. A
/// fact is a place and its value ("weights.0.name=w"), a number of members ("weights#=1"), either
/// with != for another one, or a member that is not there ("!weights.0.fault"). They stand apart by
/// spaces; quotes hold a value of several words ("verdict='2 values differ'").
QByteArray wrong(const nlohmann::ordered_json &document, const char *facts);

/// The first of some texts that another one does not contain, and what it is instead.
QByteArray missing(const QByteArray &said, const QByteArrayList &texts);
/// The same of the members of a document.
QByteArray missing(const nlohmann::ordered_json &document, const QByteArrayList &members);

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

/// The same, where % is a folder, also within a word.
inline QStringList wordsBelow(const QString &folder, const QByteArray &line)
{
    return QString::fromUtf8(line).split(u' ').replaceInStrings(QStringLiteral("%"), folder);
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

/// The result of a command that must end with that status.
#define RAN(status, ...)                                                                           \
    (__extension__({                                                                               \
        auto kernscopeRan = (__VA_ARGS__);                                                         \
        if (!QTest::qVerify(                                                                       \
                !kernscopeRan.crashed && kernscopeRan.exitCode == (status),                        \
                "status " #status ": " #__VA_ARGS__,                                               \
                (QByteArray::number(kernscopeRan.exitCode) + kernscopeRan.out + kernscopeRan.err)  \
                    .constData(),                                                                  \
                __FILE__, __LINE__))                                                               \
            return;                                                                                \
        std::move(kernscopeRan);                                                                   \
    }))

/// That this text, which says what is wrong, is empty.
#define KERNSCOPE_RIGHT(text, what)                                                                \
    do {                                                                                           \
        const QByteArray kernscopeWrong = (text);                                                  \
        if (!QTest::qVerify(kernscopeWrong.isEmpty(), what, kernscopeWrong.constData(), __FILE__,  \
                            __LINE__))                                                             \
            return;                                                                                \
    } while (false)

/// A document of which these facts hold (wrong()).
#define HOLDS(document, facts) KERNSCOPE_RIGHT(kernscope::test::wrong(document, facts), facts)

/// A text that contains each of these, a document that has these members.
#define SAYS(said, ...) KERNSCOPE_RIGHT(kernscope::test::missing(said, {__VA_ARGS__}), #__VA_ARGS__)
