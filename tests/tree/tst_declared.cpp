// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the command line are made of declared columns, and its documents in core/report: no
// command names columns or keys itself.
#include "tests/test_program.h"

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

class TestDeclared : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void commandsNameNoColumns();
    void commandsNameNoKeys();
};

namespace {

/// Fails where a source of the command line has what the expression finds.
void findNowhere(const QRegularExpression &byHand)
{
    QDirIterator files(
        (QString::fromUtf8(kernscope::test::sourceFolder()) + QStringLiteral("/app/cli")),
        {QStringLiteral("*.cpp")}, QDir::Files);
    int read = 0;
    while (files.hasNext()) {
        QFile file(files.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto found = byHand.match(QString::fromUtf8(file.readAll()));
        QVERIFY2(!found.hasMatch(), qPrintable(file.fileName() + u':' + found.captured()));
        ++read;
    }
    QVERIFY(read > 20);
}

} // namespace

void TestDeclared::commandsNameNoColumns()
{
    findNowhere(QRegularExpression(
        QStringLiteral("\\b(Text)?Table \\w+[({]|\\bTable::Column\\b|\\bTextTable\\(")));
}

void TestDeclared::commandsNameNoKeys()
{
    findNowhere(QRegularExpression(
        QStringLiteral("\\[\"\\w+\"\\]\\s*=[^=]|\\bJson::(object|array)\\(|\\.dump\\(")));
}

KERNSCOPE_TEST(TestDeclared, kernscope::test::NoApplication)
#include "tst_declared.moc"
