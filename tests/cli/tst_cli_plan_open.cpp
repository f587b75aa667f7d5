// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "written_bundle.h"

#include "tests/core/assessment/made_programs.h"

#include "plan_values.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

/// Plans of programs whose times or extents are not known, or that have several parts.
class TestCliPlanOpen : public QObject
{
    Q_OBJECT

private slots:
    /// A convolution over a picture of any size beside a layer whose shapes are known.
    void timesThatAreNotKnown()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [1, 64, ?, ?]> x, tensor<fp16, [1, 64]> z";
        made.weight("w", "[64, 64, 1, 1]", someHalves(7, 4096));
        made.op("y", "[1, 64, ?, ?]", "conv(weight = w, x = x)");
        made.weight("v", "[32, 64]", someHalves(8, 2048));
        made.op("u", "[1, 32]", "linear(weight = v, x = z)");
        made.result = "y";
        const QString path = writeBundle(m_scratch, "open.mlmodelc", made);
        const auto plan = [&](const QByteArray &options) {
            QStringList words = line(options);
            words[1] = path;
            return runCli(words);
        };
        // No goal: stored bytes, and no sum of times anywhere.
        const auto result = plan("--tolerance 0.1 --json");
        QVERIFY2(result.exitCode == 0, result.out + result.err);
        const auto json = result.json();
        QCOMPARE(text(json["minimise"]), QByteArray("\"stored\""));
        QVERIFY(json["minimise_asked"].is_null());
        QCOMPARE(text(json["untimed"]), QByteArray("1"));
        QVERIFY(json["plan"][0]["time_s"].is_null());
        QVERIFY(json["plan"][1]["time_s"].is_number());
        for (const char *when : {"before", "after"}) {
            QVERIFY(json["totals"][when]["chips"][0]["engine_time_s"].is_null());
            QVERIFY(json["totals"][when]["chips"][0]["time_s"].is_null());
        }
        for (const auto &point : json["pareto"]) {
            QCOMPARE(text(point["front"]), QByteArray("\"stored\""));
            QVERIFY(point["time_s"].is_null());
        }
        const auto people = plan("--tolerance 0.1");
        QVERIFY2(people.out.contains("The times of 1 weight are not known: stored bytes are least"),
                 people.out);
        QVERIFY(
            people.out.contains("The sum of times on H13 is not known: those of 1 weight are not"));
        QVERIFY(people.out.contains("There is no front of error against time"));
        QVERIFY(!people.out.contains("Front: error against time"));
        // Time is asked for: that of the other layer can be least.
        const auto asked = plan("--minimise time --tolerance 0.1");
        QCOMPARE(asked.exitCode, 0);
        QVERIFY2(asked.out.contains("they count as 0 in the time that is least"), asked.out);
        QVERIFY(!asked.out.contains("Front: error against time"));
    }

    void programsOfSeveralParts_data()
    {
        QTest::addColumn<int>("number");
        const auto programs = madePrograms();
        for (std::size_t i = 0; i < programs.size(); ++i)
            addRow(programs[i].name.c_str(), static_cast<int>(i));
    }

    /// What the whole takes is what `roofline` says of it, whatever its functions and launches are.
    void programsOfSeveralParts()
    {
        QFETCH(int, number);
        const auto made = madePrograms()[static_cast<std::size_t>(number)].program;
        const QString path = writeBundle(m_scratch, "parts.mlmodelc", made.text(), made.weights());
        const QStringList chip{u"--target"_s, u"M1"_s};
        const auto run = [&](const char *command, const QStringList &more) {
            return runCli(QStringList{QString::fromLatin1(command), path} + chip + more);
        };
        const QStringList asJson{u"--json"_s};
        const auto placed = run("roofline", asJson), planned = run("plan", asJson);
        QCOMPARE(placed.exitCode, 0);
        QVERIFY2(planned.exitCode == 0, planned.out + planned.err);
        const auto program = placed.json()["program"];
        const auto before = planned.json()["totals"]["before"]["chips"][0];
        for (const auto &[key, value] : program.items())
            QCOMPARE(text(before[key]), text(value));
        const auto people = run("plan", {});
        const bool several = program.value("alternatives", false);
        QCOMPARE(people.out.contains("H13 engine time s"), !several);
        QCOMPARE(people.out.contains("H13 main engine time s"), several);
        QCOMPARE(people.out.contains("their times do not add up"), several);
        for (const auto &note : program["notes"])
            QVERIFY(people.out.contains(QByteArray::fromStdString(std::string(note))));
    }

    /// With --shape the times are known, and what is written keeps its open extents.
    void openExtents()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [1, 64, ?, ?]> x";
        made.weight("w", "[64, 64, 1, 1]", someHalves(9, 4096));
        made.op("y", "[1, 64, ?, ?]", "conv(weight = w, x = x)");
        made.result = "y";
        const QString path = writeBundle(m_scratch, "pictures.mlmodelc", made);
        const auto plan = [&](const QByteArray &options) {
            QStringList words = line(options);
            words[1] = path;
            return runCli(words);
        };
        const auto refused = plan("--minimise time --tolerance 0.1 --json");
        QCOMPARE(refused.exitCode, 3);
        QVERIFY(refused.out.contains("plan.time"));
        const auto result = plan("--shape x=1,64,20,30 --tolerance 0.1 --compare " + path.toUtf8() +
                                 " -o %/shaped.mlmodelc --report %/shaped.md --json");
        QVERIFY2(result.exitCode == 0, result.out + result.err);
        const auto json = result.json();
        QCOMPARE(text(json["minimise"]), QByteArray("\"time\""));
        QCOMPARE(text(json["untimed"]), QByteArray("0"));
        QVERIFY(json["plan"][0]["time_s"].is_number());
        QVERIFY(json["totals"]["after"]["chips"][0]["engine_time_s"].is_number());
        QVERIFY(json["builds"][0]["chips"][0]["engine_time_s"] ==
                json["totals"]["before"]["chips"][0]["engine_time_s"]);
        QCOMPARE(text(json["shapes"]["inferred"]), QByteArray("1"));
        QVERIFY(textOf(m_scratch.filePath(u"shaped.md"_s)).contains(u"20, 30"_s));
        const QString program = textOf(m_scratch.filePath(u"shaped.mlmodelc/model.mil"_s));
        QVERIFY(program.contains(u"tensor<fp16, [1, 64, ?, ?]> x"_s));
        QVERIFY(!program.contains(u"20, 30"_s));
        // The times of the shapes, in what is said of roofline as well.
        const auto roofs =
            runCli({u"roofline"_s, path, u"--shape"_s, u"x=1,64,20,30"_s, u"--json"_s});
        QCOMPARE(text(roofs.json()["layers"][0]["time_s"]), text(json["plan"][0]["time_before_s"]));
        for (const char *wrong : {"--shape image=1,64,8,8", "--shape x=1,a", "--shape x=1,3,8,8"})
            QCOMPARE(plan(QByteArray(wrong) + " --json").exitCode, 2);
    }

    /// A program in which no layer reads a weight has no time, not one of 0; weights without
    /// elements have no ratio.
    void withoutLayers()
    {
        MadeBundle made;
        made.weight("w", "[2]", Bytes(4));
        const QString path = writeBundle(m_scratch, "none.mlmodelc", made);
        const auto json = runCli({u"plan"_s, path, u"--target"_s, u"M1"_s, u"--json"_s}).json();
        const auto &chip = json["totals"]["before"]["chips"][0];
        QVERIFY(chip["engine_time_s"].is_null() && chip["time_s"].is_null());
        for (const auto &row : json["plan"])
            QVERIFY(row["time_s"].is_null());
        const auto drawn = runCli({u"roofline"_s, path, u"--json"_s}).json();
        QVERIFY(drawn["program"]["known_time_s"].is_null());
        MadeBundle empty;
        empty.weight("w", "[0, 4]", Bytes());
        const QString nothing = writeBundle(m_scratch, "empty.mlmodelc", empty);
        QVERIFY(runCli({u"inspect"_s, nothing}).out.contains("as dense fp16: ratio -"));
        QVERIFY(runCli({u"inspect"_s, nothing, u"--json"_s}).json()["totals"]["ratio"].is_null());
    }

private:
    QStringList line(const QByteArray &text) const
    {
        return planLine(m_path, text, m_scratch.path());
    }

    QTemporaryDir m_scratch;
    QString m_path;
};

KERNSCOPE_TEST(TestCliPlanOpen, QCoreApplication)
#include "tst_cli_plan_open.moc"
