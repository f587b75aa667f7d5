// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the command line are made of declared columns, and its documents in core/report: no
// command names columns or keys itself.
#include "tests/test_program.h"

namespace {

/// Fails where a source of the command line has what the expression finds.
void findNowhere(const QRegularExpression &byHand)
{
    QDirIterator files((QString::fromUtf8(kernscope::test::sourceFolder()) + u"/app/cli"_s),
                       {u"*.cpp"_s}, QDir::Files);
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

class TestDeclared : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void commandsNameNoColumns()
    {
        findNowhere(
            QRegularExpression(u"\\b(Text)?Table \\w+[({]|\\bTable::Column\\b|\\bTextTable\\("_s));
    }

    void commandsNameNoKeys()
    {
        findNowhere(
            QRegularExpression(u"\\[\"\\w+\"\\]\\s*=[^=]|\\bJson::(object|array)\\(|\\.dump\\("_s));
    }
};

KERNSCOPE_TEST(TestDeclared, kernscope::test::NoApplication)
#include "tst_declared.moc"
