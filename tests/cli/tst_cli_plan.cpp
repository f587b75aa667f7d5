// SPDX-License-Identifier: GPL-3.0-or-later
// plan: the document, what is written, and the ways of saying no.
#include "cli_process.h"
#include "core/codec/encode/encoder.h"
#include "tests/core/assessment/made_programs.h"
#include "written_archive.h"

namespace {

Bytes someHalves(unsigned seed, std::uint64_t count)
{
    std::mt19937 random(seed);
    std::vector<float> values;
    for (std::uint64_t i = 0; i < count; ++i)
        values.push_back(static_cast<float>(static_cast<double>(random()) / 4294967296.0 - 0.5));
    return codec::encodeDense(values, {count}, ElementType::Fp16)->parts.front().bytes;
}

} // namespace

/// Plans of programs whose times or extents are not known, or that have several parts.
class TestCliPlan : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [1, 64]> x";
        for (unsigned i = 0; i < 3; ++i) {
            const std::string name = fmt::format("w{}", i);
            made.layer(name, "[32, 64]", someHalves(i, 2048));
        }
        m_path = writeBundle(m_scratch, "m.mlmodelc", made);
        QVERIFY(!m_path.isEmpty());
    }

    void document()
    {
        const auto json =
            RAN(0, runCli(line(
                       "--target M1 --target M4 --tolerance 0.1 --points 5 --candidates --json")))
                .json();
        HOLDS(json, "command=plan targets=[\"H13\",\"H16g\"] plan#=3");
        for (const auto &row : json["plan"]) {
            SAYS(row, "weight", "from", "to", "error", "bytes", "time_s", "why");
            QVERIFY(row["error"].get<double>() <= 0.1);
            QCOMPARE(row["chips"].size(), std::size_t(2));
            QVERIFY(row["candidates"].size() > 10);
        }
        for (const auto &point : json["pareto"]) {
            SAYS(point, "error", "bytes", "time_s", "forms");
            QCOMPARE(point["forms"].size(), std::size_t(3));
        }
        QVERIFY(json["totals"]["after"]["bytes"] <= json["totals"]["before"]["bytes"]);
        HOLDS(json, "proven=true output=null");
    }

    void writesWhatItSays()
    {
        const auto json =
            RAN(0, runCli(line("--minimise stored --tolerance 0.1 -o %/out.mlmodelc --json")))
                .json();
        const CliResult written =
            RAN(0, runCli("inspect --json %", m_scratch.filePath(u"out.mlmodelc"_s)));
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

    /// What decide says of the written bundle, the plan has said before: in text, JSON and reports.
    void whereSourcesDisagree()
    {
        const QByteArray options = "--target M1 --forms palette4 --tolerance 1 --minimise stored";
        const auto json = runCli(line(options + " -o %/contested.mlmodelc --json")).json();
        const CliResult written = RAN(
            0, runCli("decide % --target M1 --json", m_scratch.filePath(u"contested.mlmodelc"_s)));
        const QByteArray said = runCli(line(options + " --report %/contested.md")).out;
        const QString report = textOf(m_scratch.filePath(u"contested.md"_s));
        std::size_t lines = 0;
        const auto decided = written.json();
        for (const auto &verdict : decided["verdicts"]) {
            for (const auto &line : verdict["disagreements"]) {
                const std::string whole =
                    verdict["form"].get<std::string>() + " on H13: " + line.get<std::string>();
                const auto &contested = json["contested"];
                QVERIFY2(std::find(contested.begin(), contested.end(), whole) != contested.end(),
                         whole.c_str());
                QVERIFY(said.contains("Sources disagree") && said.contains(whole.c_str()));
                ++lines;
            }
        }
        QVERIFY(lines >= 2);
        QVERIFY(report.contains(u"## Sources disagree"_s));
        QVERIFY(runCli(line("--target M1 --forms keep --json")).json()["contested"].empty());
    }

    void reports_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        row("html", "html", "<svg");
        row("md", "md", "| weight |");
        row("csv", "csv", "weight,from,to");
        row("json", "json", "\"pareto\"");
    }

    void reports()
    {
        const auto [ending, holds] = fetched<QByteArray, QByteArray>();
        const QByteArray name = "%/report." + ending;
        const CliResult result = RAN(0, runCli(line("--tolerance 0.1 --report " + name)));
        const QString report = textOf(m_scratch.filePath(u"report."_s + QString::fromUtf8(ending)));
        QVERIFY2(report.contains(QString::fromUtf8(holds)), qPrintable(report.left(300)));
        QVERIFY(!report.contains(u"http"_s)); // needs nothing else
        for (const char *weight : {"w0", "w1", "w2"})
            QVERIFY(report.contains(QString::fromUtf8(weight)));
    }

    /// The front, this plan as a ring and the builds beside as named squares, without a style
    /// sheet.
    void picturesOfTheFronts()
    {
        const CliResult result =
            RAN(0, runCli(line("--tolerance 0.1 --compare %/m.mlmodelc --report %/fronts.html")));
        const QString report = textOf(m_scratch.filePath(u"fronts.html"_s));
        const qsizetype begin = report.indexOf(u"<svg"_s);
        QVERIFY(begin >= 0);
        const QString picture = report.mid(begin, report.indexOf(u"</svg>"_s, begin) - begin);
        QVERIFY(picture.contains(u">m.mlmodelc</text>"_s));
        QCOMPARE(picture.count(u"<rect"_s), 1);
        QCOMPARE(picture.count(u"r=\"7\""_s), 1);
        QVERIFY(picture.contains(u"fill=\"none\" stroke=\"#0072b2\""_s));
        QVERIFY(picture.count(u"<circle"_s) > 2);
    }

    void sensitivities()
    {
        QFile file(m_scratch.filePath(u"s.csv"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("weight,sensitivity\nw?,1\nw1,1000\n");
        file.close();
        const auto json =
            RAN(0, runCli(line("--minimise stored --tolerance 0.1 --sensitivity %/s.csv --json")))
                .json();
        QVERIFY(json["plan"][1]["bytes"] > json["plan"][0]["bytes"]);
        QVERIFY(json["plan"][1]["error"].get<double>() <= 0.1);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("weight,sensitivity\nnobody,1\n");
        file.close();
        const CliResult refused = RAN(3, runCli(line("--sensitivity %/s.csv --json")));
        QVERIFY(refused.out.contains("plan.sensitivity"));
    }

    /// Errors are those of the outputs, and encoders count what flows through: what is written is
    /// what is said.
    void activations()
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
        archive.write(m_scratch.filePath(u"squares.npz"_s));
        const QByteArray options = "--minimise stored --tolerance 0.05 --candidates --json";
        const auto plain = runCli(line(options));
        const CliResult result =
            RAN(0, runCli(line(options + " --activations %/squares.npz -o %/by.mlmodelc")));
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
        QFile npy(m_scratch.filePath(u"w0.npy"_s));
        QVERIFY(npy.open(QIODevice::WriteOnly));
        npy.write(QByteArray::fromStdString(npyHeader(ElementType::Fp32, {64})));
        npy.write(reinterpret_cast<const char *>(squares.data()), 256);
        npy.close();
        const auto lone = runCli(line(options + " --activations %/w0.npy")).json();
        QVERIFY(lone["plan"][0] == after["plan"][0]);
        QVERIFY(lone["plan"][1] == before["plan"][1]);
        const auto written = runCli("inspect --json %", m_scratch.filePath(u"by.mlmodelc"_s));
        QCOMPARE(text(written.json()["totals"]["stored_bytes"]),
                 text(after["totals"]["after"]["bytes"]));
    }

    void activationsThatDoNotFit_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        row("another number", "few.npz", "plan.activations");
        row("negative", "negative.npz", "plan.activations");
        row("stray name", "stray.npz", "activations.name");
        // A lone array has the name of its file.
        row("npy", "squares.npy", "activations.name");
        row("bundle", "m.mlmodelc", "activations.archive");
    }

    void activationsThatDoNotFit()
    {
        const auto [name, code] = fetched<QByteArray, QByteArray>();
        WrittenArchive few, negative, stray;
        few.add("w0", {7}, std::vector<float>(7, 1.0f));
        few.write(m_scratch.filePath(u"few.npz"_s));
        negative.add("w0", {64}, std::vector<float>(64, -1.0f));
        negative.write(m_scratch.filePath(u"negative.npz"_s));
        stray.add("nobody", {64}, std::vector<float>(64, 1.0f));
        stray.write(m_scratch.filePath(u"stray.npz"_s));
        QVERIFY(put(m_scratch.filePath(u"squares.npy"_s),
                    QByteArray::fromStdString(npyHeader(ElementType::Fp32, {64})) +
                        QByteArray(256, '\0')));
        const CliResult result = RAN(3, runCli(line("--json --activations %/" + name)));
        QVERIFY2(result.out.contains(code), result.out);
    }

    void inputsStay_data()
    {
        QTest::addColumn<QByteArray>("options");
        const DataRow<QByteArray> row;
        row("sensitivity", "--sensitivity %/in.csv --report %/in.csv");
        row("activations", "--activations %/in.csv --report %/in.csv");
        row("compared", "--compare %/m.mlmodelc --report "
                        "%/m.mlmodelc/weights/in.csv");
    }

    /// With --force as well, nothing that is read is written over.
    void inputsStay()
    {
        QFETCH(QByteArray, options);
        const QByteArray table("weight,sensitivity\nw1,2\n");
        const QString file = m_scratch.filePath(u"in.csv"_s);
        QVERIFY(put(file, table));
        const auto result = runCli(line("--tolerance 0.1 --force --json " + options));
        QVERIFY2(result.exitCode != 0, result.out);
        QCOMPARE(textOf(file).toUtf8(), table);
        QVERIFY(!QFile::exists(m_scratch.filePath(u"m.mlmodelc/weights/in.csv"_s)));
    }

    void thereIsNoPlan()
    {
        SAYS(RAN(1, runCli(line("--max-bytes 100 --tolerance 0.2 -o %/none.mlmodelc --json"))).out,
             "plan.infeasible", "max-bytes");
        QVERIFY(!QFile::exists(m_scratch.filePath(u"none.mlmodelc"_s)));
    }

    void wrongUse_data()
    {
        QTest::addColumn<QByteArray>("options");
        for (const char *options :
             {"--force-form w1=palette5", "--force-form w1", "--force-form nobody=keep",
              "--forms palette5", "--report %/plan.txt", "--minimise speed", "--tolerance -1",
              "--target H99", "--max-bytes 0"})
            addRow(options, QByteArray(options));
    }

    void wrongUse()
    {
        QFETCH(QByteArray, options);
        const CliResult result = RAN(2, runCli(line(options + " --json")));
        QVERIFY(result.json().is_object());
    }

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
        const auto json = RAN(0, plan("--tolerance 0.1 --json")).json();
        HOLDS(json, "minimise=stored minimise_asked=null untimed=1 plan.0.time_s=null");
        QVERIFY(json["plan"][1]["time_s"].is_number());
        for (const char *when : {"before", "after"}) {
            QVERIFY(json["totals"][when]["chips"][0]["engine_time_s"].is_null());
            QVERIFY(json["totals"][when]["chips"][0]["time_s"].is_null());
        }
        for (const auto &point : json["pareto"]) {
            HOLDS(point, "front=stored time_s=null");
        }
        const auto people = plan("--tolerance 0.1");
        SAYS(people.out, "The times of 1 weight are not known: stored bytes are least",
             "The sum of times on H13 is not known: those of 1 weight are not",
             "There is no front of error against time");
        QVERIFY(!people.out.contains("Front: error against time"));
        // Time is asked for: that of the other layer can be least.
        const CliResult asked = RAN(0, plan("--minimise time --tolerance 0.1"));
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
        const QStringList chip = args("--target M1");
        const auto run = [&](const char *command, const QStringList &more) {
            return runCli(QStringList{QString::fromLatin1(command), path} + chip + more);
        };
        const QStringList asJson = args("--json");
        const auto program = RAN(0, run("roofline", asJson)).json()["program"];
        const auto before = RAN(0, run("plan", asJson)).json()["totals"]["before"]["chips"][0];
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
        const CliResult refused = RAN(3, plan("--minimise time --tolerance 0.1 --json"));
        QVERIFY(refused.out.contains("plan.time"));
        const auto json =
            RAN(0, plan("--shape x=1,64,20,30 --tolerance 0.1 --compare " + path.toUtf8() +
                        " -o %/shaped.mlmodelc --report %/shaped.md --json"))
                .json();
        QCOMPARE(text(json["minimise"]), QByteArray("\"stored\""));
        QVERIFY(text(json["notes"]).contains("A run waits for its calls, whatever the forms"));
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
        const auto roofs = runCli("roofline % --shape x=1,64,20,30 --json", path);
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
        const auto json = runCli("plan % --target M1 --json", path).json();
        const auto &chip = json["totals"]["before"]["chips"][0];
        QVERIFY(chip["engine_time_s"].is_null() && chip["time_s"].is_null());
        for (const auto &row : json["plan"])
            QVERIFY(row["time_s"].is_null());
        const auto drawn = runCli("roofline % --json", path).json();
        QVERIFY(drawn["program"]["known_time_s"].is_null());
        MadeBundle empty;
        empty.weight("w", "[0, 4]", Bytes());
        const QString nothing = writeBundle(m_scratch, "empty.mlmodelc", empty);
        QVERIFY(runCli("inspect %", nothing).out.contains("as dense fp16: ratio -"));
        QVERIFY(runCli("inspect % --json", nothing).json()["totals"]["ratio"].is_null());
    }

private:
    QStringList line(const QByteArray &text) const
    {
        return args("plan %", m_path) + wordsBelow(m_scratch.path(), text);
    }

    QTemporaryDir m_scratch;
    QString m_path;
};

KERNSCOPE_TEST(TestCliPlan, QCoreApplication)
#include "tst_cli_plan.moc"
