// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "tests/test_program.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>

using namespace kernscope;
using namespace kernscope::test;

namespace {

/// Text of a page of the manual without the marks of its fonts.
QString manualPage(const QString &name)
{
    QFile file(
        (QString::fromUtf8(kernscope::test::sourceFolder()) + QStringLiteral("/packaging/linux/")) +
        name);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return QString::fromUtf8(file.readAll())
        .replace(QStringLiteral("\\-"), QStringLiteral("-"))
        .remove(QRegularExpression(QStringLiteral("\\\\f[BIPR]")));
}

QStringList captured(const QString &pattern, const QString &text)
{
    const QRegularExpression expression(pattern, QRegularExpression::MultilineOption);
    QStringList found;
    for (auto match = expression.globalMatch(text); match.hasNext();)
        found += match.next().captured(1);
    return found;
}

QStringList subcommands(const QStringList &command)
{
    const QString help =
        QString::fromUtf8(runCli(command + QStringList{QStringLiteral("--help")}).out);
    const qsizetype at = help.indexOf(QLatin1String("Subcommands:"));
    return at < 0 ? QStringList{} : captured(QStringLiteral("^  ([a-z]+) "), help.mid(at));
}

} // namespace

/// The manual page names every command and every option that the program has, and no other. The
/// README and the page of the application's help name every command.
class TestCliManual : public QObject
{
    Q_OBJECT

private slots:
    void commands_data();
    void commands();
    void pagesNameEveryCommand_data();
    void pagesNameEveryCommand();
};

void TestCliManual::commands_data()
{
    QTest::addColumn<QStringList>("command");
    const QStringList all = subcommands({});
    QVERIFY(all.size() > 10);
    for (const QString &name : all) {
        const QStringList below = subcommands({name});
        if (below.isEmpty())
            QTest::addRow("%s", qPrintable(name)) << QStringList{name};
        for (const QString &second : below)
            QTest::addRow("%s %s", qPrintable(name), qPrintable(second))
                << QStringList{name, second};
    }
}

void TestCliManual::commands()
{
    QFETCH(QStringList, command);
    const QString page = manualPage(QStringLiteral("kernscope-cli.1"));
    const QString title = QStringLiteral("\n.SS ") + command.join(u' ') + u'\n';
    const qsizetype begin = page.indexOf(title);
    QVERIFY2(begin >= 0, "the page has no such command");
    const QString rest = page.mid(begin + title.size());
    const QString section =
        rest.left(rest.indexOf(QRegularExpression(QStringLiteral("\n\\.S[SH] "))));
    const QString help =
        QString::fromUtf8(runCli(command + QStringList{QStringLiteral("--help")}).out);
    const QString name = QStringLiteral("(--[a-z][a-z-]*)");
    QStringList has = captured(QStringLiteral("^  (?:-[a-z],)?(--[a-z-,]+)"), help)
                          .join(u',')
                          .split(u',', Qt::SkipEmptyParts);
    for (const char *common : {"--help", "--json", "--quiet", "--target", "--wide", "--columns"})
        has.removeAll(QLatin1String(common));
    QStringList told;
    for (const QString &line : captured(QStringLiteral("^\\.TP\n(.*)$"), section))
        told += captured(name, line);
    has.sort();
    told.sort();
    QCOMPARE(told, has);
}

void TestCliManual::pagesNameEveryCommand_data()
{
    QTest::addColumn<QString>("page");
    QTest::newRow("README") << QStringLiteral("README.md");
    QTest::newRow("help") << QStringLiteral("resources/help/command_line.md");
}

void TestCliManual::pagesNameEveryCommand()
{
    QFETCH(QString, page);
    QFile file((QString::fromUtf8(kernscope::test::sourceFolder()) + QStringLiteral("/")) + page);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(file.readAll());
    for (const QString &name : subcommands({}))
        QVERIFY2(text.contains(u'`' + name + u'`'), qPrintable(name));
}

KERNSCOPE_TEST(TestCliManual, QCoreApplication)
#include "tst_cli_manual.moc"
