// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the command line are made of declared columns (core/report): none names its columns
// itself.
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

class TestDeclared : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void commandsNameNoColumns();
};

void TestDeclared::commandsNameNoColumns()
{
    static const QRegularExpression kByHand(
        QStringLiteral("\\b(Text)?Table \\w+[({]|\\bTable::Column\\b|\\bTextTable\\("));
    QDirIterator files(QStringLiteral(KERNSCOPE_SOURCE "/app/cli"), {QStringLiteral("*.cpp")},
                       QDir::Files);
    int read = 0;
    while (files.hasNext()) {
        QFile file(files.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto found = kByHand.match(QString::fromUtf8(file.readAll()));
        QVERIFY2(!found.hasMatch(), qPrintable(file.fileName() + u':' + found.captured()));
        ++read;
    }
    QVERIFY(read > 40);
}

QTEST_APPLESS_MAIN(TestDeclared)
#include "tst_declared.moc"
