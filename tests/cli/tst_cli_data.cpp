// SPDX-License-Identifier: GPL-3.0-or-later
#include "answers.h"
#include "cli_process.h"
#include "tests/test_program.h"

using namespace kernscope::test;

/// The command line against the answers that come with the bundles.
class TestCliData : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { KERNSCOPE_NEEDS(dataFolder()); }

    void answers_data() { addAnswered(); }

    void answers()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const Json wanted = readAnswer(path);
        const CliResult result =
            runCli({u"inspect"_s, path, u"--json"_s, u"--stats"_s, u"--hash"_s});
        QCOMPARE(result.exitCode, 0);
        QVERIFY(result.err.isEmpty());
        Json found = result.json();
        QVERIFY(!found.is_discarded());
        leaveOutLiterals(found);
        QCOMPARE(difference(wanted["weights"], found["weights"], "weights").c_str(), "");
        QCOMPARE(difference(wanted["totals"], found["totals"], "totals").c_str(), "");
        QCOMPARE(difference(wanted["functions"], found["functions"], "functions").c_str(), "");
    }
};

KERNSCOPE_TEST(TestCliData, QCoreApplication)
#include "tst_cli_data.moc"
