// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the command line are made of declared columns, and its documents in core/report: no
// command names columns or keys itself.
#include "tests/test_program.h"

using namespace kernscope::test;

namespace {

/// Fails where a source of the command line has what the expression finds.
void findNowhere(const QRegularExpression &byHand)
{
    const QStringList files = pathsBelow(sourcePath(u"app/cli"_s), {u"*.cpp"_s});
    QVERIFY(files.size() > 20);
    for (const QString &file : files) {
        const auto found = byHand.match(textOf(file));
        QVERIFY2(!found.hasMatch(), qPrintable(file + u':' + found.captured()));
    }
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
