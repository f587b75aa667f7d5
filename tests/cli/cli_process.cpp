// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"

#include <QProcess>
#include <QProcessEnvironment>

namespace kernscope::test {

using Json = nlohmann::ordered_json;

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

/// The member at "weights.0.name"; null where there is none.
const Json *memberAt(const Json &document, const QString &path)
{
    const Json *found = &document;
    for (const QString &key : path.split(u'.')) {
        bool number = false;
        const std::size_t index = key.toULongLong(&number);
        if (found->is_object() && found->contains(key.toStdString()))
            found = &(*found)[key.toStdString()];
        else if (number && found->is_array() && index < found->size())
            found = &(*found)[index];
        else
            return nullptr;
    }
    return found;
}

/// Numbers of floating point may differ in their last places, as for QCOMPARE.
bool isValue(const Json &found, const QString &text)
{
    if (found.is_string())
        return QString::fromStdString(found.get<std::string>()) == text;
    const auto value = Json::parse(text.toStdString(), nullptr, false);
    if (found == value)
        return true;
    return found.is_number() && value.is_number() &&
           (found.is_number_float() || value.is_number_float()) &&
           qFuzzyCompare(found.get<double>(), value.get<double>());
}

} // namespace

QByteArray wrong(const Json &document, const char *facts)
{
    static const QRegularExpression kFact(
        u"^(?:!(?<none>[^=!#]+)|(?<place>[^=!#]+)(?<size>#)?(?<not>!)?=(?<value>.*))$"_s);
    static const QRegularExpression kParts(u"(?:[^ ']|'[^']*')+"_s);
    QByteArray said;
    for (const auto &part : kParts.globalMatch(QString::fromUtf8(facts))) {
        const auto fact = kFact.match(part.captured());
        const Json *found =
            memberAt(document, fact.captured(u"place"_s) + fact.captured(u"none"_s));
        const Json size(found ? found->size() : 0);
        const bool right = fact.hasCaptured(u"none"_s)
                               ? found == nullptr
                               : found && isValue(fact.hasCaptured(u"size"_s) ? size : *found,
                                                  fact.captured(u"value"_s).remove(u'\'')) !=
                                              fact.hasCaptured(u"not"_s);
        if (!fact.hasMatch() || !right)
            said += part.captured().toUtf8() + ", found " +
                    (found ? text(*found).left(200) : QByteArray("nothing")) + "; ";
    }
    return said;
}

QByteArray missing(const QByteArray &said, const QByteArrayList &texts)
{
    for (const QByteArray &text : texts) {
        if (!said.contains(text))
            return text + " in " + said;
    }
    return {};
}

QByteArray missing(const Json &document, const QByteArrayList &members)
{
    for (const QByteArray &member : members) {
        if (!document.contains(member.toStdString()))
            return member + " in " + text(document);
    }
    return {};
}

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
