// SPDX-License-Identifier: GPL-3.0-or-later
// decide, choose, formats and targets, run as a script would.
#include "cli_process.h"
#include "convolution.h"
#include "tests/test_program.h"
#include "written_bundle.h"

using namespace kernscope;
using namespace kernscope::test;
using Json = nlohmann::ordered_json;

class TestCliChips : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_scratch;

    CliResult run(const QStringList &arguments, const QString &form, const char *stride = "1, 1")
    {
        return runOnConvolution(m_scratch, arguments, form, stride);
    }

private Q_SLOTS:
    /// The five helpers of table 25.1 for every code, and what the chip's descriptor can hold.
    void formats()
    {
        const auto formatsOf = [](const char *chip) {
            return runCli({u"formats"_s, u"--target"_s, QString::fromLatin1(chip), u"--json"_s})
                .json();
        };
        const auto m1 = formatsOf("M1");
        QCOMPARE(m1["descriptor_version"].get<int>(), 5);
        const auto &rows = m1["kernel_formats"];
        for (int code = 1; code <= 31; ++code)
            QCOMPARE(rows[std::size_t(code - 1)]["code"].get<int>(), code);
        const auto &four = rows[19]; // p4f16
        QCOMPARE(four["bit_depth"].get<int>(), 4);
        QCOMPARE(four["palette_format"].get<int>(), 4);
        QCOMPARE(four["underlying_type"].get<std::string>(), "fp16");
        QCOMPARE(four["palette_lut_bytes"].get<int>(), 32);
        QCOMPARE(four["type_number"].get<int>(), 5);
        QVERIFY(four["legal"].get<bool>() && four["refused_by"].is_null());
        QVERIFY(rows[3]["palette_lut_bytes"].is_null() && rows[28]["bit_depth"].is_null());
        QCOMPARE(rows[20]["refused_by"].get<std::string>(), "odd index width");
        QVERIFY(formatsOf("H18")["kernel_formats"][20]["legal"].get<bool>());
        QCOMPARE(m1["tensor_formats"][4]["code"].get<int>(), 12);
        QVERIFY(!m1["tensor_formats"][4]["dma_to_fp16"].get<bool>());
        QVERIFY(!m1["tensor_formats"][4]["dma_valid"].get<bool>());
        QCOMPARE(m1["element_catalogue"].size(), std::size_t(23));
        QCOMPARE(m1["element_catalogue"][15]["since_compiler"].get<std::string>(), "9.509.0");
        const CliResult plain = runCli({u"formats"_s});
        QVERIFY(plain.exitCode == 0 && plain.out.contains("refused: odd index width"));
        QCOMPARE(runCli({u"formats"_s, u"--target"_s, u"Q9"_s}).exitCode, 2);
    }

    /// One address of a weight in every document, so that they can be joined.
    void oneAddressOfAWeight()
    {
        const auto json = [this](const QStringList &arguments) {
            return run(arguments, u"dense"_s).json();
        };
        const QString m1 = u"--target=M1"_s, asJson = u"--json"_s;
        const Json address = json({u"inspect"_s, asJson})["weights"][0]["address"];
        QVERIFY(address.get<std::string>().find('/') != std::string::npos);
        for (const auto &[command, list] :
             {std::pair("decide", "decisions"), std::pair("choose", "choices"),
              std::pair("geometry", "operations"), std::pair("roofline", "layers"),
              std::pair("plan", "plan")}) {
            const Json rows = json({QString::fromLatin1(command), m1, asJson})[list];
            QVERIFY2(!rows.empty(), command);
            QVERIFY2(rows[0]["address"] == address, rows[0].dump().c_str());
        }
        QVERIFY(json({u"roofline"_s, m1, asJson})["layers"][0].contains("weight"));
    }

    void factsWithTheirSources()
    {
        const auto facts =
            runCli({u"formats"_s, u"--facts"_s, u"code_sets"_s, u"--json"_s}).json()["facts"];
        QCOMPARE(facts.size(), std::size_t(4));
        QCOMPARE(facts[2]["table"].get<std::string>(), "code_sets");
        QVERIFY(facts[2]["fact"].get<std::string>().starts_with(
            "set=native_kernel_formats; first_code=1; mask=0x3b; guard="));
        QCOMPARE(facts[2]["confidence"].get<std::string>(), "contested");
        QVERIFY(facts[2]["source"].get<std::string>().starts_with("chapter 36"));
        const CliResult all = runCli({u"formats"_s, u"--facts=all"_s});
        QCOMPARE(all.exitCode, 0);
        QVERIFY(all.out.contains("checkpoint_types") && all.out.contains("weight_element_roles"));
        QCOMPARE(runCli({u"formats"_s, u"--facts=none"_s}).exitCode, 2);
    }

    void outcomes_data()
    {
        addColumns<QString, QString, QString>();
        addRow("int8 on the M1", "int8", "M1", "folds");
        addRow("int8 on the M2", "int8", "t8112", "streams");
        addRow("palette on the M1", "lut4", "h13", "streams");
        addRow("dense", "dense", "M5", "dense");
        addRow("unknown", "lut4", "H11", "unknown");
    }
    void outcomes()
    {
        const auto [form, target, outcome] = fetched<QString, QString, QString>();
        const auto result = run({u"decide"_s, u"--json"_s, u"--target"_s, target}, form);
        QCOMPARE(result.exitCode, 0);
        const Json json = result.json();
        QCOMPARE(int(json["schema"]), 1);
        QCOMPARE(string(json, "command"), u"decide"_s);
        QCOMPARE(int(json["decisions"].size()), 1);
        const Json &decision = json["decisions"][0];
        QCOMPARE(string(decision, "outcome"), outcome);
        QCOMPARE(string(decision, "weight"), u"w"_s);
        for (const char *key : {"form", "target", "reasons", "cap", "bytes_moved", "speedup"})
            QVERIFY2(decision.contains(key), key);
        for (const Json &reason : decision["reasons"]) {
            for (const char *key : {"gate", "offset", "value", "passes", "source", "confidence"})
                QVERIFY2(reason.contains(key), key);
        }
        for (const char *key : {"offset", "bytes", "demand", "fits"})
            QVERIFY2(decision["cap"].contains(key), key);
        QVERIFY(json["diagnostics"].empty());
        // What is not known of a weight is not 0 of the network.
        const Json &total = json["totals"][0];
        QCOMPARE(total["bytes_moved"].is_null(), outcome == u"unknown"_s);
        QCOMPARE(decision["bytes_moved"].is_null(), total["bytes_moved"].is_null());
    }

    void aStrideFolds()
    {
        const auto result =
            run({u"decide"_s, u"--json"_s, u"--target"_s, u"M5"_s}, u"lut4"_s, "2, 2");
        const Json decision = result.json()["decisions"][0];
        QCOMPARE(string(decision, "outcome"), u"folds"_s);
        QCOMPARE(int(decision["bytes_moved"]), 8192);
    }

    void allTargets()
    {
        const auto result = run({u"decide"_s, u"--json"_s, u"--all-targets"_s}, u"int8"_s);
        const Json json = result.json();
        QVERIFY(json["decisions"].size() >= 28);
        QCOMPARE(json["decisions"].size(), json["totals"].size());
        for (const Json &decision : json["decisions"])
            QVERIFY(!decision["reasons"].empty());
        const auto text = run({u"decide"_s, u"--all-targets"_s}, u"int8"_s);
        QVERIFY(text.out.contains("H17s") && text.out.contains("S streams"));
        QVERIFY(!text.out.contains("+ ?"));
    }

    void wrongUse_data()
    {
        QTest::addColumn<QStringList>("arguments");
        const auto row = [](const char *line) {
            addRow(line, QString::fromUtf8(line).split(QLatin1Char(' ')));
        };
        row("decide --target M99");
        row("decide --target M1 --all-targets");
        row("decide --target M1 --cores 5");
        row("geometry --target nothing");
        row("geometry --channels 64");
        row("geometry --channels 64:x");
        row("geometry --channels 64:64 --kernel 3x3x3x3");
        row("roofline --target M1 --compute no_such");
        row("roofline --target M1 --batch 0");
        row("choose --target M0");
        row("choose --target M1 --weight nothing");
        row("choose --target M1 --tolerance -1");
    }
    void wrongUse()
    {
        QFETCH(QStringList, arguments);
        const auto result = run(arguments, u"lut4"_s);
        QCOMPARE(result.exitCode, 2);
        QVERIFY(!result.err.isEmpty());
        const auto json = run(QStringList(arguments) << u"--json"_s, u"lut4"_s);
        QCOMPARE(json.exitCode, 2);
    }

    void choices()
    {
        const auto result = run({u"choose"_s, u"--json"_s, u"--target"_s, u"M1"_s}, u"dense"_s);
        QCOMPARE(result.exitCode, 0);
        const Json choice = result.json()["choices"][0];
        QCOMPARE(int(choice["candidates"].size()), 5);
        QCOMPARE(string(result.json()["program"], "bound"), u"dispatch"_s);
        // Constant weights: a palette holds them exactly, and the layer is bandwidth bound.
        QCOMPARE(string(choice, "bound"), u"bandwidth"_s);
        QCOMPARE(string(choice, "form"), u"palette4"_s);
        for (const Json &candidate : choice["candidates"])
            QVERIFY(candidate.contains("error") && candidate.contains("bytes"));
    }

    /// The form that a weight has is among the candidates, and so are 8-bit palettes.
    void theStoredFormIsACandidate()
    {
        const Json choice = run({u"choose"_s, u"--json"_s}, u"lut4"_s).json()["choices"][0];
        QCOMPARE(string(choice, "form"), u"palette4"_s);
        int stored = 0, eight = 0;
        for (const Json &candidate : choice["candidates"]) {
            stored += bool(candidate["stored"]) ? 1 : 0;
            eight += string(candidate, "form") == u"palette8"_s ? 1 : 0;
        }
        QCOMPARE(stored, 1);
        QCOMPARE(eight, 1);
    }

    void formatsThatNobodyKnowsAreNotLegal()
    {
        const auto rows = runCli({u"formats"_s, u"--target"_s, u"M5"_s, u"--json"_s}).json();
        for (const Json &row : rows["kernel_formats"]) {
            if (int(row["code"]) > 31)
                QVERIFY2(row["legal"].is_null(), string(row, "name").toUtf8().constData());
        }
        bool packed = false, skip = false;
        for (const Json &rule : rows["codegen"]) {
            packed |= rule["offset"] == "0x424";
            skip |= rule["capability"] == "zero-skip detect" && bool(rule["implemented"]);
        }
        QVERIFY(packed && skip);
    }

    void encodeAsksTheChip()
    {
        const QString bundle = writeBundle(m_scratch, "asked.mlmodelc", convolution(u"dense"_s));
        const auto asked = [&](const QStringList &more, const QString &to) {
            return runCli(QStringList{u"encode"_s, bundle, u"w"_s, u"--form"_s, u"palette"_s,
                                      u"--bits"_s, u"6"_s, u"--target"_s, u"M1"_s, u"--output"_s,
                                      m_scratch.filePath(to)} +
                          more);
        };
        const auto refused = asked({}, u"refused.mlmodelc"_s);
        QCOMPARE(refused.exitCode, 2);
        QVERIFY(refused.err.contains("odd index width"));
        QVERIFY(!QFileInfo::exists(m_scratch.filePath(u"refused.mlmodelc"_s)));
        QCOMPARE(asked({u"--force"_s}, u"forced.mlmodelc"_s).exitCode, 0);
    }

    void targets()
    {
        const auto result = runCli({u"targets"_s, u"--json"_s});
        QVERIFY(result.json()["targets"].size() >= 28);
        QVERIFY(runCli({u"targets"_s}).out.contains("T8103"));
    }

    void missingFilesAreNamed()
    {
        for (const char *command : {"decide", "geometry", "roofline", "choose"}) {
            const auto result = runCli({QString::fromUtf8(command), m_scratch.filePath(u"none"_s)});
            QVERIFY2(result.exitCode == 4 || result.exitCode == 3, command);
        }
    }
};

KERNSCOPE_TEST(TestCliChips, QCoreApplication)
#include "tst_cli_chips.moc"
