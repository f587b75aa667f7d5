// SPDX-License-Identifier: GPL-3.0-or-later
// The command line on the samples of pipelines, networks and functions: patched, encoded and
// compared inside their models.
#include "answers.h"
#include "cli_process.h"

class TestCliSamples : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_folder = dataFolder() + u"/../samples/"_s;
        KERNSCOPE_NEEDS(m_folder);
    }

    void patchInside_data()
    {
        addColumns<QString, QString>();
        addRow("network", "models/network.mlmodel", "conv_0.weights[0,0,0,0]");
        addRow("5 bits", "models/network.mlmodel", "conv_2.weights[0,0,0,1]");
        addRow("network in a pipeline", "models/network-pipeline.mlmodel",
               "model0/conv_1.weights[1,1,1,1]");
    }

    /// The copy differs in one weight and decodes; the sample stays as it is.
    void patchInside()
    {
        const auto [path, weight] = fetched<QString, QString>();
        QTemporaryDir folder;
        const QString copy = folder.filePath(u"copy.mlmodel"_s);
        const CliResult patched = RAN(0, runCli("patch % --set % --tolerance 1 --output % --json",
                                                m_folder + path, weight + u"=0.25"_s, copy));
        const CliResult compared =
            RAN(1, runCli("diff % % --values --json", m_folder + path, copy));
        std::size_t changed = 0;
        const auto json = compared.json();
        for (const auto &row : json["weights"])
            changed += row["values"]["changed"].get<std::size_t>() +
                       row["values"]["zeroed"].get<std::size_t>() +
                       row["values"]["revived"].get<std::size_t>();
        QCOMPARE(changed, std::size_t(1));
    }

    /// A weight of the second model of a pipeline gets another form; the first model stays.
    void encodeInside()
    {
        const QString path = sample("models/pipeline-two.mlpackage");
        const CliResult listed = RAN(0, runCli("inspect % --json", path));
        QString address;
        const auto all = listed.json();
        for (const auto &weight : all["weights"]) {
            const bool large = weight["elements"].get<std::size_t>() > 4096;
            if (weight["model"] == "second" && large && address.isEmpty())
                address = QString::fromStdString(weight["address"].get<std::string>());
        }
        QVERIFY(!address.isEmpty());
        QTemporaryDir folder;
        const QString copy = folder.filePath(u"copy.mlpackage"_s);
        const CliResult encoded = RAN(
            0, runCli("encode % % --form palette --bits 4 --output % --json", path, address, copy));
        const auto made = RAN(0, runCli("inspect % --json", copy)).json();
        QCOMPARE(made["weights"].size(), all["weights"].size());
        for (std::size_t i = 0; i < made["weights"].size(); ++i) {
            const auto &now = made["weights"][i];
            const auto &before = all["weights"][i];
            const bool own = now["address"].get<std::string>() == address.toStdString();
            QCOMPARE(text(now["form"]), own ? QByteArray("\"lut\"") : text(before["form"]));
        }
    }

    /// A real package of iOS 15: no compressed form is there, so the copy is one of iOS 16.
    void raisesOpset()
    {
        const QString path = dataFolder() + u"/real/basic-pitch/nmp.mlpackage"_s;
        KERNSCOPE_NEEDS(path);
        const auto before = runCli("inspect % --json", path).json();
        QCOMPARE(text(before["functions"][0]["opset"]), QByteArray("\"ios15\""));
        QString address;
        for (const auto &weight : before["weights"]) {
            if (weight["elements"].get<std::size_t>() >= 4096 && address.isEmpty())
                address = QString::fromStdString(weight["address"].get<std::string>());
        }
        QTemporaryDir folder;
        const QString copy = folder.filePath(u"copy.mlpackage"_s);
        HOLDS(RAN(0, runCli("encode % % --form palette --output % --json", path, address, copy))
                  .json(),
              "opset.before=ios15 opset.after=ios16");
        const auto after = runCli("inspect % --json", copy).json();
        HOLDS(after, "functions.0.opset=ios16 models.0.specification=7");
        QCOMPARE(after["weights"].size(), before["weights"].size());
        const auto refused = runCli("encode % % --form palette --opset ios14 --output %", path,
                                    address, folder.filePath(u"x.mlpackage"_s));
        QVERIFY(refused.exitCode != 0);
    }

    void ambiguousNames()
    {
        const QString path = sample("models/text/functions.mlmodelc");
        QTemporaryDir folder;
        const QString output = folder.filePath(u"w.npy"_s);
        const CliResult refused = RAN(2, runCli("decode % w --output % --json", path, output));
        HOLDS(refused.json(), "diagnostics.0.expected='decode/w, prefill/w'");
        for (const char *name : {"decode/w", "prefill/w"}) {
            const CliResult taken =
                RAN(0, runCli("decode % % --output %", path, QLatin1String(name),
                              folder.filePath(QLatin1String(name).mid(0, 3) + u".npy"_s)));
        }
        SAYS(runCli("inspect %", path).out, "Shared records", "decode/w, prefill/w");
        const auto compared = runCli("diff % % --columns weight,verdict", path, path);
        SAYS(compared.out, "\n  decode/w ", "\n  prefill/w ");
    }

    /// Functions of one model are dispatches of their own; those that `main` calls are its
    /// launches.
    void dispatches()
    {
        const auto rooflineOf = [this](const char *name, const QStringList &more = {}) {
            return runCli(args("roofline % --target M1", sample(name)) + more);
        };
        const auto two = rooflineOf("models/text/functions.mlmodelc", {u"--json"_s}).json();
        HOLDS(two, "program.alternatives=true program.time_s=null program.engine_time_s=null "
                   "program.dispatches#=2 program.dispatches.0.time_s=0.00023");
        QVERIFY(two["layers"][0]["function"] != two["layers"][1]["function"]);
        const auto shown = rooflineOf("models/text/functions.mlmodelc").out;
        QVERIFY2(shown.contains("decode/y") && shown.contains("prefill/y"), shown);
        const auto pipeline = rooflineOf("models/pipeline-two.mlpackage", {u"--json"_s}).json();
        HOLDS(pipeline, "program.alternatives=false program.dispatch_floor_s=0.00046");
        const auto segments =
            rooflineOf("mil-3600/H16G__ctx.band_part.seg.mil", {u"--json"_s}).json();
        HOLDS(segments, "program.function=main program.alternatives=false");
        QCOMPARE(segments["program"]["dispatches"].size(),
                 std::size_t(2)); // a step on the CPU between
        HOLDS(segments, "program.launches=2 program.time_s=0.00046 "
                        "layers.0.function=main_ane");
        // A plan says the same of the whole.
        for (const auto &[name, placed] : {std::pair("models/text/functions.mlmodelc", two),
                                           {"models/pipeline-two.mlpackage", pipeline}}) {
            const auto planned = runCli("plan % --target M1 --json", sample(name)).json();
            const auto chip = planned["totals"]["before"]["chips"][0];
            for (const auto &[key, value] : placed["program"].items())
                QCOMPARE(text(chip[key]), text(value));
        }
    }

    void backends()
    {
        const auto shown = runCli("inspect % --json", sample("mil-3600/iso__lstm.mil"));
        const auto json = shown.json();
        QCOMPARE(json["functions"][0]["operations"].size(), std::size_t(3));
        const auto &lstm = json["functions"][0]["operations"][1];
        HOLDS(lstm, "selected_backend=bnns estimated_runtime_ms.bnns=476.80945305249844");
        HOLDS(json, "functions.0.inputs.0.strides=[64,64,1] "
                    "functions.0.attributes.Launch_ane_ms=0.125");
        // Nothing of what the compiler gave another backend crosses to the engine.
        HOLDS(runCli("decide % --target M6 --json", sample("mil-3600/iso__lstm.mil")).json(),
              "totals.0.bytes_moved=0 totals.0.weights_elsewhere=4");
        // What has no geometry is listed with the reason.
        QCOMPARE(runCli("geometry % --target M1 --json", sample("mil-3600/iso__embedding.mil"))
                     .json()["unplaced"]
                     .size(),
                 std::size_t(1));
        const auto segments =
            runCli("inspect % --json", sample("mil-3600/H16G__ctx.band_part.seg.mil")).json();
        QCOMPARE(text(segments["functions"][3]["backend"]), QByteArray("\"classic_cpu\""));
    }

    void decodeNetwork()
    {
        QTemporaryDir folder;
        const CliResult decoded =
            RAN(0, runCli("decode % conv_6.weights --output %", sample("models/network.mlmodel"),
                          folder.filePath(u"w.npy"_s)));
        QVERIFY(QFile::exists(folder.filePath(u"w.npy"_s)));
    }

    /// A network has a specification version, and no program whose version could be said.
    void networkVersion()
    {
        const QString path = sample("models/network.mlmodel");
        const auto said = runCli("inspect %", path);
        const QByteArray summary = said.out.left(said.out.indexOf('\n'));
        QVERIFY2(summary.endsWith("in 1 file, specification 4"), summary);
        const auto json = runCli("inspect % --json", path).json();
        HOLDS(json, "program_version=null models.0.specification=4");
    }

    /// What needs statements or shapes says in one sentence what the file is, and what can be done.
    void oldNetworksAreRefused_data()
    {
        QTest::addColumn<QStringList>("words");
        const DataRow<QStringList> row;
        row("choose", {u"choose"_s});
        row("plan", {u"plan"_s});
        row("plan, written", {u"plan"_s, u"--output"_s});
    }

    void oldNetworksAreRefused()
    {
        QFETCH(QStringList, words);
        QTemporaryDir folder;
        if (words.last() == u"--output"_s)
            words << folder.filePath(u"x.mlmodel"_s);
        words.insert(1, sample("models/network.mlmodel"));
        const CliResult refused = RAN(3, runCli(words));
        QVERIFY(refused.out.isEmpty());
        QVERIFY2(refused.err.contains("convert the model to an ML program"), refused.err);
        QCOMPARE(refused.err.count('\n'), 1);
        QVERIFY(!QFile::exists(folder.filePath(u"x.mlmodel"_s)));
        const CliResult said = RAN(3, runCli(words << u"--json"_s));
        QVERIFY(text(said.json()["diagnostics"][0]["found"]).contains("NeuralNetwork.proto"));
    }

    /// What goes by the form alone is answered; layers that cannot be assessed are listed as such.
    void oldNetworksAreJudgedByForm()
    {
        const QString path = sample("models/network.mlmodel");
        const CliResult decided = RAN(0, runCli("decide % --json", path));
        QVERIFY(decided.json()["decisions"].size() > 5);
        const auto said = text(decided.json()["verdict"]["sentence"]);
        QVERIFY2(said.startsWith("\"The layers of an old"), said);
        const CliResult drawn = RAN(0, runCli("roofline %", path));
        QVERIFY2(drawn.out.contains("a layer of an old neural network"), drawn.out);
    }

    /// The registers that no table names, with their values over the real containers.
    void survey()
    {
        const QString path = dataFolder() + u"/real/hwx"_s;
        KERNSCOPE_NEEDS(path);
        const auto json = RAN(0, runCli("hwx --survey % --json", path)).json();
        QCOMPARE(json["survey"]["files"].get<int>(), 9);
        for (const auto &word : json["survey"]["words"]) {
            if (word["address"] != "0x13840")
                continue;
            HOLDS(word, "values#=2 values.1.value=0x100");
            return;
        }
        QFAIL("a register without a name is missing");
    }

private:
    QString sample(const char *name) const { return m_folder + QLatin1String(name); }
    QString m_folder;
};

KERNSCOPE_TEST(TestCliSamples, QCoreApplication)
#include "tst_cli_samples.moc"
