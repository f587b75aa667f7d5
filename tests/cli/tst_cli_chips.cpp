// SPDX-License-Identifier: GPL-3.0-or-later
// decide, choose, formats and targets, run as a script would.
#include "cli_process.h"
#include "convolution.h"
#include "tests/test_program.h"
#include "written_bundle.h"

#include <QtTest/QtTest>

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
            return runCli({QStringLiteral("formats"), QStringLiteral("--target"),
                           QString::fromLatin1(chip), QStringLiteral("--json")})
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
        QCOMPARE(four["underlying_type"].get<std::string>(), std::string("fp16"));
        QCOMPARE(four["palette_lut_bytes"].get<int>(), 32);
        QCOMPARE(four["type_number"].get<int>(), 5);
        QVERIFY(four["legal"].get<bool>() && four["refused_by"].is_null());
        QVERIFY(rows[3]["palette_lut_bytes"].is_null() && rows[28]["bit_depth"].is_null());
        QCOMPARE(rows[20]["refused_by"].get<std::string>(), std::string("odd index width"));
        QVERIFY(formatsOf("H18")["kernel_formats"][20]["legal"].get<bool>());
        QCOMPARE(m1["tensor_formats"][4]["code"].get<int>(), 12);
        QVERIFY(!m1["tensor_formats"][4]["dma_to_fp16"].get<bool>());
        QVERIFY(!m1["tensor_formats"][4]["dma_valid"].get<bool>());
        QCOMPARE(m1["element_catalogue"].size(), std::size_t(23));
        QCOMPARE(m1["element_catalogue"][15]["since_compiler"].get<std::string>(),
                 std::string("9.509.0"));
        const CliResult plain = runCli({QStringLiteral("formats")});
        QVERIFY(plain.exitCode == 0 && plain.out.contains("refused: odd index width"));
        QCOMPARE(
            runCli({QStringLiteral("formats"), QStringLiteral("--target"), QStringLiteral("Q9")})
                .exitCode,
            2);
    }

    /// One address of a weight in every document, so that they can be joined.
    void oneAddressOfAWeight()
    {
        const auto json = [this](const QStringList &arguments) {
            return run(arguments, QStringLiteral("dense")).json();
        };
        const QString m1 = QStringLiteral("--target=M1"), asJson = QStringLiteral("--json");
        const Json address = json({QStringLiteral("inspect"), asJson})["weights"][0]["address"];
        QVERIFY(address.get<std::string>().find('/') != std::string::npos);
        for (const auto &[command, list] :
             {std::pair("decide", "decisions"), std::pair("choose", "choices"),
              std::pair("geometry", "operations"), std::pair("roofline", "layers"),
              std::pair("plan", "plan")}) {
            const Json rows = json({QString::fromLatin1(command), m1, asJson})[list];
            QVERIFY2(!rows.empty(), command);
            QVERIFY2(rows[0]["address"] == address, rows[0].dump().c_str());
        }
        QVERIFY(json({QStringLiteral("roofline"), m1, asJson})["layers"][0].contains("weight"));
    }

    void factsWithTheirSources()
    {
        const auto facts = runCli({QStringLiteral("formats"), QStringLiteral("--facts"),
                                   QStringLiteral("code_sets"), QStringLiteral("--json")})
                               .json()["facts"];
        QCOMPARE(facts.size(), std::size_t(4));
        QCOMPARE(facts[2]["table"].get<std::string>(), std::string("code_sets"));
        QVERIFY(facts[2]["fact"].get<std::string>().starts_with(
            "set=native_kernel_formats; first_code=1; mask=0x3b; guard="));
        QCOMPARE(facts[2]["confidence"].get<std::string>(), std::string("contested"));
        QVERIFY(facts[2]["source"].get<std::string>().starts_with("chapter 36"));
        const CliResult all = runCli({QStringLiteral("formats"), QStringLiteral("--facts=all")});
        QCOMPARE(all.exitCode, 0);
        QVERIFY(all.out.contains("checkpoint_types") && all.out.contains("weight_element_roles"));
        QCOMPARE(runCli({QStringLiteral("formats"), QStringLiteral("--facts=none")}).exitCode, 2);
    }

    void outcomes_data()
    {
        QTest::addColumn<QString>("form");
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("outcome");
        QTest::newRow("int8 on the M1") << "int8"
                                        << "M1"
                                        << "folds";
        QTest::newRow("int8 on the M2") << "int8"
                                        << "t8112"
                                        << "streams";
        QTest::newRow("palette on the M1") << "lut4"
                                           << "h13"
                                           << "streams";
        QTest::newRow("dense") << "dense"
                               << "M5"
                               << "dense";
        QTest::newRow("unknown") << "lut4"
                                 << "H11"
                                 << "unknown";
    }
    void outcomes()
    {
        QFETCH(QString, form);
        QFETCH(QString, target);
        QFETCH(QString, outcome);
        const auto result = run({QStringLiteral("decide"), QStringLiteral("--json"),
                                 QStringLiteral("--target"), target},
                                form);
        QCOMPARE(result.exitCode, 0);
        const Json json = result.json();
        QCOMPARE(int(json["schema"]), 1);
        QCOMPARE(string(json, "command"), QStringLiteral("decide"));
        QCOMPARE(int(json["decisions"].size()), 1);
        const Json &decision = json["decisions"][0];
        QCOMPARE(string(decision, "outcome"), outcome);
        QCOMPARE(string(decision, "weight"), QStringLiteral("w"));
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
        QCOMPARE(total["bytes_moved"].is_null(), outcome == QStringLiteral("unknown"));
        QCOMPARE(decision["bytes_moved"].is_null(), total["bytes_moved"].is_null());
    }

    void aStrideFolds()
    {
        const auto result = run({QStringLiteral("decide"), QStringLiteral("--json"),
                                 QStringLiteral("--target"), QStringLiteral("M5")},
                                QStringLiteral("lut4"), "2, 2");
        const Json decision = result.json()["decisions"][0];
        QCOMPARE(string(decision, "outcome"), QStringLiteral("folds"));
        QCOMPARE(int(decision["bytes_moved"]), 8192);
    }

    void allTargets()
    {
        const auto result = run(
            {QStringLiteral("decide"), QStringLiteral("--json"), QStringLiteral("--all-targets")},
            QStringLiteral("int8"));
        const Json json = result.json();
        QVERIFY(json["decisions"].size() >= 28);
        QCOMPARE(json["decisions"].size(), json["totals"].size());
        for (const Json &decision : json["decisions"])
            QVERIFY(!decision["reasons"].empty());
        const auto text = run({QStringLiteral("decide"), QStringLiteral("--all-targets")},
                              QStringLiteral("int8"));
        QVERIFY(text.out.contains("H17s") && text.out.contains("S streams"));
        QVERIFY(!text.out.contains("+ ?"));
    }

    void wrongUse_data()
    {
        QTest::addColumn<QStringList>("arguments");
        const auto row = [](const char *line) {
            QTest::newRow(line) << QString::fromUtf8(line).split(QLatin1Char(' '));
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
        const auto result = run(arguments, QStringLiteral("lut4"));
        QCOMPARE(result.exitCode, 2);
        QVERIFY(!result.err.isEmpty());
        const auto json =
            run(QStringList(arguments) << QStringLiteral("--json"), QStringLiteral("lut4"));
        QCOMPARE(json.exitCode, 2);
    }

    void choices()
    {
        const auto result = run({QStringLiteral("choose"), QStringLiteral("--json"),
                                 QStringLiteral("--target"), QStringLiteral("M1")},
                                QStringLiteral("dense"));
        QCOMPARE(result.exitCode, 0);
        const Json choice = result.json()["choices"][0];
        QCOMPARE(int(choice["candidates"].size()), 5);
        QCOMPARE(string(result.json()["program"], "bound"), QStringLiteral("dispatch"));
        // Constant weights: a palette holds them exactly, and the layer is bandwidth bound.
        QCOMPARE(string(choice, "bound"), QStringLiteral("bandwidth"));
        QCOMPARE(string(choice, "form"), QStringLiteral("palette4"));
        for (const Json &candidate : choice["candidates"])
            QVERIFY(candidate.contains("error") && candidate.contains("bytes"));
    }

    /// The form that a weight has is among the candidates, and so are 8-bit palettes.
    void theStoredFormIsACandidate()
    {
        const Json choice =
            run({QStringLiteral("choose"), QStringLiteral("--json")}, QStringLiteral("lut4"))
                .json()["choices"][0];
        QCOMPARE(string(choice, "form"), QStringLiteral("palette4"));
        int stored = 0, eight = 0;
        for (const Json &candidate : choice["candidates"]) {
            stored += bool(candidate["stored"]) ? 1 : 0;
            eight += string(candidate, "form") == QStringLiteral("palette8") ? 1 : 0;
        }
        QCOMPARE(stored, 1);
        QCOMPARE(eight, 1);
    }

    void formatsThatNobodyKnowsAreNotLegal()
    {
        const auto rows = runCli({QStringLiteral("formats"), QStringLiteral("--target"),
                                  QStringLiteral("M5"), QStringLiteral("--json")})
                              .json();
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
        const QString bundle =
            writeBundle(m_scratch, "asked.mlmodelc", convolution(QStringLiteral("dense")));
        const auto asked = [&](const QStringList &more, const QString &to) {
            return runCli(QStringList{QStringLiteral("encode"), bundle, QStringLiteral("w"),
                                      QStringLiteral("--form"), QStringLiteral("palette"),
                                      QStringLiteral("--bits"), QStringLiteral("6"),
                                      QStringLiteral("--target"), QStringLiteral("M1"),
                                      QStringLiteral("--output"), m_scratch.filePath(to)} +
                          more);
        };
        const auto refused = asked({}, QStringLiteral("refused.mlmodelc"));
        QCOMPARE(refused.exitCode, 2);
        QVERIFY(refused.err.contains("odd index width"));
        QVERIFY(!QFileInfo::exists(m_scratch.filePath(QStringLiteral("refused.mlmodelc"))));
        QCOMPARE(asked({QStringLiteral("--force")}, QStringLiteral("forced.mlmodelc")).exitCode, 0);
    }

    void targets()
    {
        const auto result = runCli({QStringLiteral("targets"), QStringLiteral("--json")});
        QVERIFY(result.json()["targets"].size() >= 28);
        QVERIFY(runCli({QStringLiteral("targets")}).out.contains("T8103"));
    }

    void missingFilesAreNamed()
    {
        for (const char *command : {"decide", "geometry", "roofline", "choose"}) {
            const auto result =
                runCli({QString::fromUtf8(command), m_scratch.filePath(QStringLiteral("none"))});
            QVERIFY2(result.exitCode == 4 || result.exitCode == 3, command);
        }
    }
};

KERNSCOPE_TEST(TestCliChips, QCoreApplication)
#include "tst_cli_chips.moc"
