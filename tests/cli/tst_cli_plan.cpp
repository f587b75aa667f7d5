// SPDX-License-Identifier: GPL-3.0-or-later
// plan: the document, what is written, and the ways of saying no.
#include "cli_process.h"
#include "written_archive.h"
#include "written_bundle.h"

#include "tests/core/assessment/made_programs.h"

#include "core/codec/encode/encoder.h"

#include <cmath>
#include <random>

#include <QTest>

#include <fmt/format.h>

using namespace kernscope;
using namespace kernscope::test;
using namespace Qt::StringLiterals;

namespace {

Bytes someHalves(unsigned seed, std::uint64_t count)
{
    std::mt19937 random(seed);
    std::vector<float> values;
    for (std::uint64_t i = 0; i < count; ++i)
        values.push_back(static_cast<float>(static_cast<double>(random()) / 4294967296.0 - 0.5));
    return codec::encodeDense(values, {count}, ElementType::Fp16)->parts.front().bytes;
}

QString fileText(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

class TestCliPlan : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void document();
    void writesWhatItSays();
    void reports_data();
    void reports();
    void sensitivities();
    void activations();
    void activationsThatDoNotFit_data();
    void activationsThatDoNotFit();
    void inputsStay_data();
    void inputsStay();
    void thereIsNoPlan();
    void wrongUse_data();
    void wrongUse();
    void timesThatAreNotKnown();
    void programsOfSeveralParts_data();
    void programsOfSeveralParts();
    void openExtents();
    void withoutLayers();

private:
    QStringList line(const QByteArray &text) const
    {
        QStringList list{QStringLiteral("plan"), m_path};
        for (const QByteArray &word : text.split(' '))
            list << QString::fromUtf8(word).replace(u'%', m_scratch.path());
        return list;
    }

    QTemporaryDir m_scratch;
    QString m_path;
};

void TestCliPlan::initTestCase()
{
    MadeBundle made;
    made.parameters = "tensor<fp16, [1, 64]> x";
    for (unsigned i = 0; i < 3; ++i) {
        const std::string name = fmt::format("w{}", i);
        made.constant("tensor<fp16, [32, 64]>", name,
                      made.blob(ElementType::Fp16, "[32, 64]", someHalves(i, 2048)));
        made.consume(name);
    }
    m_path = writeBundle(m_scratch, "m.mlmodelc", made);
    QVERIFY(!m_path.isEmpty());
}

/// A program in which no layer reads a weight has no time, not one of 0; weights without elements
/// have no ratio.
void TestCliPlan::withoutLayers()
{
    MadeBundle made;
    made.constant("tensor<fp16, [2]>", "w", made.blob(ElementType::Fp16, "[2]", Bytes(4)));
    const QString path = writeBundle(m_scratch, "none.mlmodelc", made);
    const auto json = runCli({u"plan"_s, path, u"--target"_s, u"M1"_s, u"--json"_s}).json();
    const auto &chip = json["totals"]["before"]["chips"][0];
    QVERIFY(chip["engine_time_s"].is_null() && chip["time_s"].is_null());
    for (const auto &row : json["plan"])
        QVERIFY(row["time_s"].is_null());
    const auto drawn = runCli({u"roofline"_s, path, u"--json"_s}).json();
    QVERIFY(drawn["program"]["known_time_s"].is_null());
    MadeBundle empty;
    empty.constant("tensor<fp16, [0, 4]>", "w", empty.blob(ElementType::Fp16, "[0, 4]", Bytes()));
    const QString nothing = writeBundle(m_scratch, "empty.mlmodelc", empty);
    QVERIFY(runCli({u"inspect"_s, nothing}).out.contains("as dense fp16: ratio -"));
    QVERIFY(runCli({u"inspect"_s, nothing, u"--json"_s}).json()["totals"]["ratio"].is_null());
}

void TestCliPlan::document()
{
    const auto result =
        runCli(line("--target M1 --target M4 --tolerance 0.1 --points 5 --candidates --json"));
    QCOMPARE(result.exitCode, 0);
    const auto json = result.json();
    QCOMPARE(text(json["command"]), QByteArray("\"plan\""));
    QCOMPARE(text(json["targets"]), QByteArray("[\"H13\",\"H16\"]"));
    QCOMPARE(json["plan"].size(), std::size_t(3));
    for (const auto &row : json["plan"]) {
        for (const char *key : {"weight", "from", "to", "error", "bytes", "time_s", "why"})
            QVERIFY2(row.contains(key), key);
        QVERIFY(row["error"].get<double>() <= 0.1);
        QCOMPARE(row["chips"].size(), std::size_t(2));
        QVERIFY(row["candidates"].size() > 10);
    }
    for (const auto &point : json["pareto"]) {
        for (const char *key : {"error", "bytes", "time_s", "forms"})
            QVERIFY2(point.contains(key), key);
        QCOMPARE(point["forms"].size(), std::size_t(3));
    }
    QVERIFY(json["totals"]["after"]["bytes"] <= json["totals"]["before"]["bytes"]);
    QVERIFY(json["proven"].get<bool>());
    QVERIFY(json["output"].is_null());
}

void TestCliPlan::writesWhatItSays()
{
    const auto result = runCli(line("--minimise stored --tolerance 0.1 -o %/out.mlmodelc --json"));
    QVERIFY2(result.exitCode == 0, result.out + result.err);
    const auto json = result.json();
    const auto written = runCli({QStringLiteral("inspect"), QStringLiteral("--json"),
                                 m_scratch.filePath(QStringLiteral("out.mlmodelc"))});
    QCOMPARE(written.exitCode, 0);
    QCOMPARE(text(written.json()["totals"]["stored_bytes"]),
             text(json["totals"]["after"]["bytes"]));
    for (std::size_t i = 0; i < 3; ++i)
        QCOMPARE(text(written.json()["weights"][i]["stored_bytes"]),
                 text(json["plan"][i]["bytes"]));
    QVERIFY(json["opsets"].is_array());
    // Not twice, unless it is asked for.
    QCOMPARE(runCli(line("--tolerance 0.1 -o %/out.mlmodelc")).exitCode, 4);
    // Nor into what it reads.
    QVERIFY(runCli(line("--tolerance 0.1 -o %/m.mlmodelc --force")).exitCode != 0);
}

void TestCliPlan::reports_data()
{
    QTest::addColumn<QByteArray>("ending");
    QTest::addColumn<QByteArray>("holds");
    QTest::newRow("html") << QByteArray("html") << QByteArray("<svg");
    QTest::newRow("md") << QByteArray("md") << QByteArray("| weight |");
    QTest::newRow("csv") << QByteArray("csv") << QByteArray("weight,from,to");
    QTest::newRow("json") << QByteArray("json") << QByteArray("\"pareto\"");
}

void TestCliPlan::reports()
{
    QFETCH(QByteArray, ending);
    QFETCH(QByteArray, holds);
    const QByteArray name = "%/report." + ending;
    const auto result = runCli(line("--tolerance 0.1 --report " + name));
    QVERIFY2(result.exitCode == 0, result.err);
    const QString report =
        fileText(m_scratch.filePath(QStringLiteral("report.") + QString::fromUtf8(ending)));
    QVERIFY2(report.contains(QString::fromUtf8(holds)), qPrintable(report.left(300)));
    QVERIFY(!report.contains(QStringLiteral("http"))); // needs nothing else
    for (const char *weight : {"w0", "w1", "w2"})
        QVERIFY(report.contains(QString::fromUtf8(weight)));
}

void TestCliPlan::sensitivities()
{
    QFile file(m_scratch.filePath(QStringLiteral("s.csv")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("weight,sensitivity\nw?,1\nw1,1000\n");
    file.close();
    const auto result =
        runCli(line("--minimise stored --tolerance 0.1 --sensitivity %/s.csv --json"));
    QVERIFY2(result.exitCode == 0, result.out);
    const auto json = result.json();
    QVERIFY(json["plan"][1]["bytes"] > json["plan"][0]["bytes"]);
    QVERIFY(json["plan"][1]["error"].get<double>() <= 0.1);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("weight,sensitivity\nnobody,1\n");
    file.close();
    const auto refused = runCli(line("--sensitivity %/s.csv --json"));
    QCOMPARE(refused.exitCode, 3);
    QVERIFY(refused.out.contains("plan.sensitivity"));
}

/// Errors are those of the outputs, and encoders count what flows through: what is written is what
/// is said.
void TestCliPlan::activations()
{
    std::vector<float> squares(64), means(64);
    for (std::size_t i = 0; i < 64; ++i) {
        squares[i] = i % 8 == 0 ? 9.0f : 0.01f;
        means[i] = 0.8f * std::sqrt(squares[i]);
    }
    WrittenArchive archive;
    archive.add("w0", {64}, squares);
    archive.add("w1", {64}, squares);
    archive.add("w1.mean", {64}, means);
    archive.write(m_scratch.filePath(QStringLiteral("squares.npz")));
    const QByteArray options = "--minimise stored --tolerance 0.05 --candidates --json";
    const auto plain = runCli(line(options));
    const auto result = runCli(line(options + " --activations %/squares.npz -o %/by.mlmodelc"));
    QVERIFY2(result.exitCode == 0, result.out + result.err);
    const auto before = plain.json(), after = result.json();
    QVERIFY(after["plan"][0]["bytes"] < before["plan"][0]["bytes"]);
    QVERIFY(after["plan"][2] == before["plan"][2]); // nothing is known of it
    const auto methodsOf = [](const nlohmann::ordered_json &row) {
        QByteArrayList methods;
        for (const auto &candidate : row["candidates"]) {
            if (candidate.contains("method"))
                methods << text(candidate["method"]);
        }
        return methods;
    };
    QVERIFY(methodsOf(after["plan"][0]).contains("\"fitted\""));
    QVERIFY(!methodsOf(after["plan"][0]).contains("\"feedback\""));
    QVERIFY(methodsOf(after["plan"][1]).contains("\"feedback\""));
    QVERIFY(text(after["rules"]).contains("outputs that are expected"));
    // A lone array, by the name of its file.
    QFile npy(m_scratch.filePath(QStringLiteral("w0.npy")));
    QVERIFY(npy.open(QIODevice::WriteOnly));
    npy.write(QByteArray::fromStdString(npyHeader(ElementType::Fp32, {64})));
    npy.write(reinterpret_cast<const char *>(squares.data()), 256);
    npy.close();
    const auto lone = runCli(line(options + " --activations %/w0.npy")).json();
    QVERIFY(lone["plan"][0] == after["plan"][0]);
    QVERIFY(lone["plan"][1] == before["plan"][1]);
    const auto written = runCli({QStringLiteral("inspect"), QStringLiteral("--json"),
                                 m_scratch.filePath(QStringLiteral("by.mlmodelc"))});
    QCOMPARE(text(written.json()["totals"]["stored_bytes"]),
             text(after["totals"]["after"]["bytes"]));
}

void TestCliPlan::activationsThatDoNotFit_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("code");
    QTest::newRow("another number") << QByteArray("few.npz") << QByteArray("plan.activations");
    QTest::newRow("negative") << QByteArray("negative.npz") << QByteArray("plan.activations");
    QTest::newRow("stray name") << QByteArray("stray.npz") << QByteArray("activations.name");
    // A lone array has the name of its file.
    QTest::newRow("npy") << QByteArray("squares.npy") << QByteArray("activations.name");
    QTest::newRow("bundle") << QByteArray("m.mlmodelc") << QByteArray("activations.archive");
}

void TestCliPlan::activationsThatDoNotFit()
{
    QFETCH(QByteArray, name);
    QFETCH(QByteArray, code);
    WrittenArchive few, negative, stray;
    few.add("w0", {7}, std::vector<float>(7, 1.0f));
    few.write(m_scratch.filePath(QStringLiteral("few.npz")));
    negative.add("w0", {64}, std::vector<float>(64, -1.0f));
    negative.write(m_scratch.filePath(QStringLiteral("negative.npz")));
    stray.add("nobody", {64}, std::vector<float>(64, 1.0f));
    stray.write(m_scratch.filePath(QStringLiteral("stray.npz")));
    QFile npy(m_scratch.filePath(QStringLiteral("squares.npy")));
    QVERIFY(npy.open(QIODevice::WriteOnly));
    npy.write(QByteArray::fromStdString(npyHeader(ElementType::Fp32, {64})) +
              QByteArray(256, '\0'));
    npy.close();
    const auto result = runCli(line("--json --activations %/" + name));
    QVERIFY2(result.exitCode == 3, result.out);
    QVERIFY2(result.out.contains(code), result.out);
}

void TestCliPlan::inputsStay_data()
{
    QTest::addColumn<QByteArray>("options");
    QTest::newRow("sensitivity") << QByteArray("--sensitivity %/in.csv --report %/in.csv");
    QTest::newRow("activations") << QByteArray("--activations %/in.csv --report %/in.csv");
    QTest::newRow("compared") << QByteArray("--compare %/m.mlmodelc --report "
                                            "%/m.mlmodelc/weights/in.csv");
}

/// With --force as well, nothing that is read is written over.
void TestCliPlan::inputsStay()
{
    QFETCH(QByteArray, options);
    const QByteArray table("weight,sensitivity\nw1,2\n");
    QFile file(m_scratch.filePath(QStringLiteral("in.csv")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(table);
    file.close();
    const auto result = runCli(line("--tolerance 0.1 --force --json " + options));
    QVERIFY2(result.exitCode != 0, result.out);
    QCOMPARE(fileText(file.fileName()).toUtf8(), table);
    QVERIFY(!QFile::exists(m_scratch.filePath(QStringLiteral("m.mlmodelc/weights/in.csv"))));
}

void TestCliPlan::thereIsNoPlan()
{
    const auto result = runCli(line("--max-bytes 100 --tolerance 0.2 -o %/none.mlmodelc --json"));
    QCOMPARE(result.exitCode, 1);
    QVERIFY(result.out.contains("plan.infeasible"));
    QVERIFY(result.out.contains("max-bytes"));
    QVERIFY(!QFile::exists(m_scratch.filePath(QStringLiteral("none.mlmodelc"))));
}

void TestCliPlan::wrongUse_data()
{
    QTest::addColumn<QByteArray>("options");
    for (const char *options :
         {"--force-form w1=palette5", "--force-form w1", "--force-form nobody=keep",
          "--forms palette5", "--report %/plan.txt", "--minimise speed", "--tolerance -1",
          "--target H99", "--max-bytes 0"})
        QTest::newRow(options) << QByteArray(options);
}

void TestCliPlan::wrongUse()
{
    QFETCH(QByteArray, options);
    const auto result = runCli(line(options + " --json"));
    QVERIFY2(result.exitCode == 2, result.out + result.err);
    QVERIFY(result.json().is_object());
}

/// A convolution over a picture of any size beside a layer whose shapes are known.
void TestCliPlan::timesThatAreNotKnown()
{
    MadeBundle made;
    made.parameters = "tensor<fp16, [1, 64, ?, ?]> x, tensor<fp16, [1, 64]> z";
    made.constant("tensor<fp16, [64, 64, 1, 1]>", "w",
                  made.blob(ElementType::Fp16, "[64, 64, 1, 1]", someHalves(7, 4096)));
    made.line("tensor<fp16, [1, 64, ?, ?]> y = conv(weight = w, x = x)[name = string(\"y\")]");
    made.constant("tensor<fp16, [32, 64]>", "v",
                  made.blob(ElementType::Fp16, "[32, 64]", someHalves(8, 2048)));
    made.line("tensor<fp16, [1, 32]> u = linear(weight = v, x = z)[name = string(\"u\")]");
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
    QVERIFY(people.out.contains("The sum of times on H13 is not known: those of 1 weight are not"));
    QVERIFY(people.out.contains("There is no front of error against time"));
    QVERIFY(!people.out.contains("Front: error against time"));
    // Time is asked for: that of the other layer can be least.
    const auto asked = plan("--minimise time --tolerance 0.1");
    QCOMPARE(asked.exitCode, 0);
    QVERIFY2(asked.out.contains("they count as 0 in the time that is least"), asked.out);
    QVERIFY(!asked.out.contains("Front: error against time"));
}

void TestCliPlan::programsOfSeveralParts_data()
{
    QTest::addColumn<int>("number");
    const auto programs = madePrograms();
    for (std::size_t i = 0; i < programs.size(); ++i)
        QTest::newRow(programs[i].name.c_str()) << static_cast<int>(i);
}

/// What the whole takes is what `roofline` says of it, whatever its functions and launches are.
void TestCliPlan::programsOfSeveralParts()
{
    QFETCH(int, number);
    const auto made = madePrograms()[static_cast<std::size_t>(number)].program;
    const QString path = writeBundle(m_scratch, "parts.mlmodelc", made.text(), made.weights());
    const QStringList chip{QStringLiteral("--target"), QStringLiteral("M1")};
    const auto run = [&](const char *command, const QStringList &more) {
        return runCli(QStringList{QString::fromLatin1(command), path} + chip + more);
    };
    const QStringList asJson{QStringLiteral("--json")};
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
void TestCliPlan::openExtents()
{
    MadeBundle made;
    made.parameters = "tensor<fp16, [1, 64, ?, ?]> x";
    made.constant("tensor<fp16, [64, 64, 1, 1]>", "w",
                  made.blob(ElementType::Fp16, "[64, 64, 1, 1]", someHalves(9, 4096)));
    made.line("tensor<fp16, [1, 64, ?, ?]> y = conv(weight = w, x = x)[name = string(\"y\")]");
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
    QVERIFY(fileText(m_scratch.filePath(QStringLiteral("shaped.md")))
                .contains(QStringLiteral("20, 30")));
    const QString program =
        fileText(m_scratch.filePath(QStringLiteral("shaped.mlmodelc/model.mil")));
    QVERIFY(program.contains(QStringLiteral("tensor<fp16, [1, 64, ?, ?]> x")));
    QVERIFY(!program.contains(QStringLiteral("20, 30")));
    // The times of the shapes, in what is said of roofline as well.
    const auto roofs = runCli({QStringLiteral("roofline"), path, QStringLiteral("--shape"),
                               QStringLiteral("x=1,64,20,30"), QStringLiteral("--json")});
    QCOMPARE(text(roofs.json()["layers"][0]["time_s"]), text(json["plan"][0]["time_before_s"]));
    for (const char *wrong : {"--shape image=1,64,8,8", "--shape x=1,a", "--shape x=1,3,8,8"})
        QCOMPARE(plan(QByteArray(wrong) + " --json").exitCode, 2);
}

QTEST_GUILESS_MAIN(TestCliPlan)
#include "tst_cli_plan.moc"
