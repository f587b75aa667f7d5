// SPDX-License-Identifier: GPL-3.0-or-later
// plan of the customer's networks.
#include "cli_process.h"
#include "tests/data/data_folder.h"
#include "tests/test_program.h"

using namespace kernscope::test;

class TestCliPlanData : public QObject
{
    Q_OBJECT

private slots:
    /// Its LSTM layers have no known work: null, not 0, and bytes are least unless time is asked
    /// for.
    void networkWithoutTimes()
    {
        const QString path = dataPath(u"real/dtln/DTLN_AEC_128_Part1.mlpackage"_s);
        KERNSCOPE_NEEDS(path);
        const auto result = runCli({u"plan"_s, path, u"--forms"_s, u"int8*"_s, u"--json"_s});
        QVERIFY2(result.exitCode == 0, result.out + result.err);
        const auto json = result.json();
        QCOMPARE(text(json["minimise"]), QByteArray("\"stored\""));
        QVERIFY(json["totals"]["after"]["bytes"] < json["totals"]["before"]["bytes"]);
        std::size_t planned = 0;
        for (const auto &row : json["plan"]) {
            QVERIFY(row["time_s"].is_null());
            if (!row.contains("chips"))
                continue;
            ++planned;
            QVERIFY(row["time_before_s"].is_null());
            QVERIFY(row["chips"][0]["time_s"].is_null());
            QVERIFY(row["chips"][0]["before"]["time_s"].is_null());
        }
        QVERIFY(planned > 0);
        for (const char *when : {"before", "after"})
            QVERIFY(json["totals"][when]["chips"][0]["engine_time_s"].is_null());
        for (const auto &point : json["pareto"])
            QVERIFY(text(point["front"]) == "\"stored\"" && point["time_s"].is_null());
        QVERIFY(text(json["notes"]).contains("no front of error against time"));
        const auto asked = runCli({u"plan"_s, path, u"--minimise"_s, u"time"_s, u"--json"_s});
        QCOMPARE(asked.exitCode, 3);
        QVERIFY(asked.out.contains("plan.time"));
    }

    /// Its batch is left open: every layer has a time with the model's own default, and with
    /// --shape.
    void openExtents()
    {
        const QString path = dataPath(u"real/basic-pitch/nmp.mlpackage"_s);
        KERNSCOPE_NEEDS(path);
        const QString copy = m_scratch.filePath(u"planned.mlpackage"_s);
        const QStringList words{u"plan"_s,        path,      u"--forms"_s, u"int8"_s,
                                u"--tolerance"_s, u"0.02"_s, u"--json"_s};
        const auto open = runCli(words);
        QVERIFY2(open.exitCode == 0, open.out + open.err);
        const auto byDefault = open.json();
        QCOMPARE(text(byDefault["minimise"]), QByteArray("\"time\""));
        QCOMPARE(text(byDefault["shapes"]["from"]), QByteArray("\"description\""));
        QVERIFY(text(byDefault["notes"]).contains("the model's own default"));
        const auto drawn = runCli({u"roofline"_s, path, u"--json"_s}).json();
        QVERIFY(drawn["program"]["engine_time_s"].is_number());
        QCOMPARE(text(byDefault["totals"]["before"]["chips"][0]["engine_time_s"]),
                 text(drawn["program"]["engine_time_s"]));
        const auto result =
            runCli(words + QStringList{u"--shape"_s, u"input=2,43844,1"_s, u"-o"_s, copy});
        QVERIFY2(result.exitCode == 0, result.out + result.err);
        const auto json = result.json();
        QCOMPARE(text(json["minimise"]), QByteArray("\"time\""));
        std::size_t planned = 0;
        for (const auto &row : json["plan"]) {
            planned += row.contains("chips") ? 1 : 0;
            QVERIFY(!row.contains("chips") || row["time_s"].is_number());
        }
        QVERIFY(planned > 5);
        QVERIFY(json["totals"]["after"]["chips"][0]["engine_time_s"].is_number());
        // Shapes are no part of what is written: its extents are open, and the model's own default
        // is taken (tst_cli_plan_open has a program without one).
        const auto written = runCli({u"inspect"_s, copy, u"--json"_s}).json();
        QCOMPARE(text(written["functions"][0]["inputs"][0]["shape"]), QByteArray("[1,43844,1]"));
        QCOMPARE(text(written["shapes"]["from"]), QByteArray("\"description\""));
        QCOMPARE(text(written["totals"]["stored_bytes"]), text(json["totals"]["after"]["bytes"]));
    }

private:
    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCliPlanData, QCoreApplication)
#include "tst_cli_plan_data.moc"
