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
        const auto patched = runCli("patch % --set % --tolerance 1 --output % --json",
                                    m_folder + path, weight + u"=0.25"_s, copy);
        QVERIFY2(patched.exitCode == 0, patched.out + patched.err);
        const auto compared = runCli("diff % % --values --json", m_folder + path, copy);
        QCOMPARE(compared.exitCode, 1);
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
        const auto listed = runCli("inspect % --json", path);
        QVERIFY2(listed.exitCode == 0, listed.err);
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
        const auto encoded =
            runCli("encode % % --form palette --bits 4 --output % --json", path, address, copy);
        QVERIFY2(encoded.exitCode == 0, encoded.out + encoded.err);
        const auto after = runCli("inspect % --json", copy);
        QVERIFY2(after.exitCode == 0, after.err);
        const auto made = after.json();
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
        const auto encoded =
            runCli("encode % % --form palette --output % --json", path, address, copy);
        QVERIFY2(encoded.exitCode == 0, encoded.out + encoded.err);
        const auto said = encoded.json();
        QCOMPARE(text(said["opset"]["before"]), QByteArray("\"ios15\""));
        QCOMPARE(text(said["opset"]["after"]), QByteArray("\"ios16\""));
        const auto after = runCli("inspect % --json", copy).json();
        QCOMPARE(text(after["functions"][0]["opset"]), QByteArray("\"ios16\""));
        QCOMPARE(text(after["models"][0]["specification"]), QByteArray("\"7\""));
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
        const auto refused = runCli("decode % w --output % --json", path, output);
        QCOMPARE(refused.exitCode, 2);
        QCOMPARE(text(refused.json()["diagnostics"][0]["expected"]),
                 QByteArray("\"decode/w, prefill/w\""));
        for (const char *name : {"decode/w", "prefill/w"}) {
            const auto taken = runCli("decode % % --output %", path, QLatin1String(name),
                                      folder.filePath(QLatin1String(name).mid(0, 3) + u".npy"_s));
            QVERIFY2(taken.exitCode == 0, taken.err);
        }
        const auto shown = runCli("inspect %", path);
        QVERIFY(shown.out.contains("Shared records"));
        QVERIFY(shown.out.contains("decode/w, prefill/w"));
        const auto compared = runCli("diff % % --columns weight,verdict", path, path);
        QVERIFY2(compared.out.contains("\n  decode/w ") && compared.out.contains("\n  prefill/w "),
                 compared.out);
    }

    /// Functions of one model are dispatches of their own; those that `main` calls are its
    /// launches.
    void dispatches()
    {
        const auto rooflineOf = [this](const char *name, const QStringList &more = {}) {
            return runCli(args("roofline % --target M1", sample(name)) + more);
        };
        const auto two = rooflineOf("models/text/functions.mlmodelc", {u"--json"_s}).json();
        QVERIFY(two["program"]["alternatives"].get<bool>());
        QVERIFY(two["program"]["time_s"].is_null() && two["program"]["engine_time_s"].is_null());
        QCOMPARE(two["program"]["dispatches"].size(), std::size_t(2));
        QCOMPARE(two["program"]["dispatches"][0]["time_s"].get<double>(), 0.23e-3);
        QVERIFY(two["layers"][0]["function"] != two["layers"][1]["function"]);
        const auto shown = rooflineOf("models/text/functions.mlmodelc").out;
        QVERIFY2(shown.contains("decode/y") && shown.contains("prefill/y"), shown);
        const auto pipeline = rooflineOf("models/pipeline-two.mlpackage", {u"--json"_s}).json();
        QVERIFY(!pipeline["program"]["alternatives"].get<bool>());
        QCOMPARE(pipeline["program"]["dispatch_floor_s"].get<double>(), 2 * 0.23e-3);
        const auto segments =
            rooflineOf("mil-3600/H16G__ctx.band_part.seg.mil", {u"--json"_s}).json();
        QCOMPARE(text(segments["program"]["function"]), QByteArray("\"main\""));
        QVERIFY(!segments["program"]["alternatives"].get<bool>());
        QCOMPARE(segments["program"]["dispatches"].size(),
                 std::size_t(2)); // a step on the CPU between
        QCOMPARE(text(segments["program"]["launches"]), QByteArray("2"));
        QCOMPARE(segments["program"]["time_s"].get<double>(), 2 * 0.23e-3);
        QCOMPARE(text(segments["layers"][0]["function"]), QByteArray("\"main_ane\""));
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
        QCOMPARE(text(lstm["selected_backend"]), QByteArray("\"bnns\""));
        QCOMPARE(lstm["estimated_runtime_ms"]["bnns"].get<double>(), 476.80945305249844);
        QCOMPARE(text(json["functions"][0]["inputs"][0]["strides"]), QByteArray("[64,64,1]"));
        QCOMPARE(json["functions"][0]["attributes"]["Launch_ane_ms"].get<double>(), 0.125);
        // Nothing of what the compiler gave another backend crosses to the engine.
        const auto lstmOn =
            runCli("decide % --target M6 --json", sample("mil-3600/iso__lstm.mil")).json();
        QCOMPARE(lstmOn["totals"][0]["bytes_moved"].get<int>(), 0);
        QCOMPARE(lstmOn["totals"][0]["weights_elsewhere"].get<int>(), 4);
        // What has no geometry is listed with the reason.
        const auto embedding =
            runCli("geometry % --target M1 --json", sample("mil-3600/iso__embedding.mil")).json();
        QCOMPARE(embedding["unplaced"].size(), std::size_t(1));
        const auto segments =
            runCli("inspect % --json", sample("mil-3600/H16G__ctx.band_part.seg.mil")).json();
        QCOMPARE(text(segments["functions"][3]["backend"]), QByteArray("\"classic_cpu\""));
    }

    void decodeNetwork()
    {
        QTemporaryDir folder;
        const auto decoded = runCli("decode % conv_6.weights --output %",
                                    sample("models/network.mlmodel"), folder.filePath(u"w.npy"_s));
        QVERIFY2(decoded.exitCode == 0, decoded.err);
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
        QVERIFY(json["program_version"].is_null());
        QCOMPARE(text(json["models"][0]["specification"]), QByteArray("\"4\""));
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
        const auto refused = runCli(words);
        QCOMPARE(refused.exitCode, 3);
        QVERIFY(refused.out.isEmpty());
        QVERIFY2(refused.err.contains("convert the model to an ML program"), refused.err);
        QCOMPARE(refused.err.count('\n'), 1);
        QVERIFY(!QFile::exists(folder.filePath(u"x.mlmodel"_s)));
        const auto said = runCli(words << u"--json"_s);
        QCOMPARE(said.exitCode, 3);
        QVERIFY(text(said.json()["diagnostics"][0]["found"]).contains("NeuralNetwork.proto"));
    }

    /// What goes by the form alone is answered; layers that cannot be assessed are listed as such.
    void oldNetworksAreJudgedByForm()
    {
        const QString path = sample("models/network.mlmodel");
        const auto decided = runCli("decide % --json", path);
        QCOMPARE(decided.exitCode, 0);
        QVERIFY(decided.json()["decisions"].size() > 5);
        const auto said = text(decided.json()["verdict"]["sentence"]);
        QVERIFY2(said.startsWith("\"The layers of an old"), said);
        const auto drawn = runCli("roofline %", path);
        QCOMPARE(drawn.exitCode, 0);
        QVERIFY2(drawn.out.contains("a layer of an old neural network"), drawn.out);
    }

    /// The registers that no table names, with their values over the real containers.
    void survey()
    {
        const QString path = dataFolder() + u"/real/hwx"_s;
        KERNSCOPE_NEEDS(path);
        const auto surveyed = runCli("hwx --survey % --json", path);
        QVERIFY2(surveyed.exitCode == 0, surveyed.err);
        const auto json = surveyed.json();
        QCOMPARE(json["survey"]["files"].get<int>(), 9);
        for (const auto &word : json["survey"]["words"]) {
            if (word["address"] != "0x13840")
                continue;
            QCOMPARE(word["values"].size(), std::size_t(2));
            QCOMPARE(text(word["values"][1]["value"]), QByteArray("\"0x100\""));
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
