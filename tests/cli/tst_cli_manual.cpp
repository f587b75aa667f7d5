// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"

namespace {

/// Text of a page of the manual without the marks of its fonts.
QString manualPage(const QString &name)
{
    return textOf(sourcePath(u"packaging/linux/"_s + name))
        .replace(u"\\-"_s, u"-"_s)
        .remove(QRegularExpression(u"\\\\f[BIPR]"_s));
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
    const QString help = QString::fromUtf8(runCli(command + args("--help")).out);
    const qsizetype at = help.indexOf(QLatin1String("Subcommands:"));
    return at < 0 ? QStringList{} : captured(u"^  ([a-z]+) "_s, help.mid(at));
}

} // namespace

/// The manual page names every command and every option that the program has, and no other. The
/// README and the page of the application's help name every command.
class TestCliManual : public QObject
{
    Q_OBJECT

private slots:
    void commands_data()
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

    void commands()
    {
        QFETCH(QStringList, command);
        const QString page = manualPage(u"kernscope-cli.1"_s);
        const QString title = u"\n.SS "_s + command.join(u' ') + u'\n';
        const qsizetype begin = page.indexOf(title);
        QVERIFY2(begin >= 0, "the page has no such command");
        const QString rest = page.mid(begin + title.size());
        const QString section = rest.left(rest.indexOf(QRegularExpression(u"\n\\.S[SH] "_s)));
        const QString help = QString::fromUtf8(runCli(command + args("--help")).out);
        const QString name = u"(--[a-z][a-z-]*)"_s;
        QStringList has = captured(u"^  (?:-[a-z],)?(--[a-z-,]+)"_s, help)
                              .join(u',')
                              .split(u',', Qt::SkipEmptyParts);
        for (const char *common :
             {"--help", "--json", "--quiet", "--target", "--wide", "--columns"})
            has.removeAll(QLatin1String(common));
        QStringList told;
        for (const QString &line : captured(u"^\\.TP\n(.*)$"_s, section))
            told += captured(name, line);
        has.sort();
        told.sort();
        QCOMPARE(told, has);
    }

    void pagesNameEveryCommand_data()
    {
        QTest::addColumn<QString>("page");
        const DataRow<QString> row;
        row("README", "README.md");
        row("help", "resources/help/command_line.md");
    }

    void pagesNameEveryCommand()
    {
        QFETCH(QString, page);
        const QString text = textOf(sourcePath(page));
        for (const QString &name : subcommands({}))
            QVERIFY2(text.contains(u'`' + name + u'`'), qPrintable(name));
    }
};

KERNSCOPE_TEST(TestCliManual, QCoreApplication)
#include "tst_cli_manual.moc"
