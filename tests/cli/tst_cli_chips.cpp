// SPDX-License-Identifier: GPL-3.0-or-later
// decide, geometry, roofline, choose and targets, run as a script would.
#include "cli_process.h"
#include "written_bundle.h"

#include <QtTest/QtTest>

using namespace kernscope;
using namespace kernscope::test;
using Json = nlohmann::ordered_json;

namespace {

/// A program with one convolution of 64 by 64 channels whose weight is of that form.
MadeBundle convolution(const QString &form, const char *stride = "1, 1")
{
    MadeBundle made;
    const std::string shape = "[64, 64, 1, 1]";
    made.parameters = "tensor<fp16, [1, 64, 8, 8]> x";
    if (form == u"int8") {
        const std::string data = made.blob(ElementType::Int8, shape, Bytes(4096, std::byte{3}));
        const std::string scale = made.blob(ElementType::Fp16, "[64]", Bytes(128, std::byte{0x3c}));
        made.line("tensor<fp16, " + shape +
                  "> w = constexpr_affine_dequantize()[axis = int32(0), name = string(\"w\"), "
                  "quantized_data = " +
                  data + ", scale = " + scale + ", zero_point = int8(0)]");
    } else if (form == u"lut4") {
        const std::string indices = made.blob(ElementType::Uint4, shape, Bytes(2048, std::byte{}));
        const std::string lut =
            made.blob(ElementType::Fp16, "[1, 1, 1, 1, 16, 1]", Bytes(32, std::byte{0x3c}));
        made.line("tensor<fp16, " + shape + "> w = constexpr_lut_to_dense(indices = " + indices +
                  ", lut = " + lut + ")[name = string(\"w\")]");
    } else {
        made.constant("tensor<fp16, " + shape + ">", "w",
                      made.blob(ElementType::Fp16, shape, Bytes(8192, std::byte{0x3c})));
    }
    made.line("tensor<int32, [2]> strides = const()[name = string(\"strides\"), val = "
              "tensor<int32, [2]>([" +
              std::string(stride) + "])]");
    made.line("tensor<fp16, [1, 64, 8, 8]> y = conv(strides = strides, weight = w, x = "
              "x)[name = string(\"y\")]");
    made.result = "y";
    return made;
}

QString string(const Json &json, const char *key)
{
    return QString::fromStdString(json.value(key, std::string()));
}

} // namespace

class TestCliChips : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_scratch;

    CliResult run(QStringList arguments, const QString &form, const char *stride = "1, 1")
    {
        const QByteArray name = form.toUtf8() + ".mlmodelc";
        arguments << writeBundle(m_scratch, name.constData(), convolution(form, stride));
        return runCli(arguments);
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
        const CliResult plain = runCli({QStringLiteral("formats")});
        QVERIFY(plain.exitCode == 0 && plain.out.contains("refused: odd index width"));
        QCOMPARE(
            runCli({QStringLiteral("formats"), QStringLiteral("--target"), QStringLiteral("Q9")})
                .exitCode,
            2);
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

    void geometryOfTypedNumbers()
    {
        const auto result = runCli({QStringLiteral("geometry"), QStringLiteral("--json"),
                                    QStringLiteral("--channels"), QStringLiteral("256:256"),
                                    QStringLiteral("--kernel"), QStringLiteral("3x3"),
                                    QStringLiteral("--output-size"), QStringLiteral("32x32")});
        QCOMPARE(result.exitCode, 0);
        const Json operation = result.json()["operations"][0];
        QCOMPARE(int(operation["ocg"]["size"]), 2);
        QCOMPARE(int(operation["passes"]), 128);
        QCOMPARE(int(operation["cores_lit"]), 4);
        QCOMPARE(bool(operation["winograd"]["eligible"]), true);
        QCOMPARE(int(operation["winograd"]["conditions"].size()), 8);
        const auto zero = runCli(
            {QStringLiteral("geometry"), QStringLiteral("--channels"), QStringLiteral("0:4")});
        QCOMPARE(zero.exitCode, 2); // what was typed is wrong, no file is
        const auto sixteen =
            runCli({QStringLiteral("geometry"), QStringLiteral("--json"), QStringLiteral("--cores"),
                    QStringLiteral("16"), QStringLiteral("--channels"), QStringLiteral("256:256")});
        QCOMPARE(int(sixteen.json()["operations"][0]["cores"]["value"]), 16);
    }

    void geometryOfABundle()
    {
        const auto result =
            run({QStringLiteral("geometry"), QStringLiteral("--json")}, QStringLiteral("lut4"));
        const Json json = result.json();
        QCOMPARE(int(json["operations"].size()), 1);
        QCOMPARE(string(json["operations"][0], "weight"), QStringLiteral("w"));
        QVERIFY(run({QStringLiteral("geometry")}, QStringLiteral("lut4")).out.contains("Winograd"));
    }

    void rooflines()
    {
        const auto result = run({QStringLiteral("roofline"), QStringLiteral("--json"),
                                 QStringLiteral("--target"), QStringLiteral("M1")},
                                QStringLiteral("lut4"));
        const Json json = result.json();
        QVERIFY(std::abs(double(json["ridge"]) - 141.2) < 0.1);
        QVERIFY(json["ceilings"].size() > 8);
        const Json &layer = json["layers"][0];
        QCOMPARE(double(layer["flops"]), 2.0 * 4096 * 64);
        for (const char *key :
             {"name", "op", "bytes", "intensity", "bound", "attainable_flops", "time_s", "forms"})
            QVERIFY2(layer.contains(key), key);
        QVERIFY(layer["forms"].contains("stored") && layer["forms"].contains("best"));
        const auto batched = run({QStringLiteral("roofline"), QStringLiteral("--json"),
                                  QStringLiteral("--batch"), QStringLiteral("8")},
                                 QStringLiteral("lut4"));
        QCOMPARE(double(batched.json()["layers"][0]["flops"]), 8 * 2.0 * 4096 * 64);
        QVERIFY(run({QStringLiteral("roofline")}, QStringLiteral("lut4")).out.contains("ridge"));
    }

    /// Symbolic extents: null everywhere, and no bound, instead of 0 FLOP and a time.
    void unknownFlopsStayUnknown()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [1, 64, ?, 8]> x";
        made.constant("tensor<fp16, [64, 64, 1, 1]>", "w",
                      made.blob(ElementType::Fp16, "[64, 64, 1, 1]", Bytes(8192)));
        made.line("tensor<fp16, [1, 64, ?, 8]> y = conv(weight = w, x = x)[name = string(\"y\")]");
        made.result = "y";
        const QString path = writeBundle(m_scratch, "open.mlmodelc", made);
        const Json json =
            runCli({QStringLiteral("roofline"), QStringLiteral("--json"), path}).json();
        const Json &layer = json["layers"][0];
        for (const char *key :
             {"flops", "bytes", "intensity", "attainable_flops", "time_s", "rate_flops"})
            QVERIFY2(layer[key].is_null(), key);
        QCOMPARE(string(layer, "bound"), QStringLiteral("unknown"));
        const Json &program = json["program"];
        QVERIFY(program["engine_time_s"].is_null() && program["time_s"].is_null());
        QCOMPARE(double(program["dispatch_floor_s"]), 0.23e-3);
        QCOMPARE(string(program, "bound"), QStringLiteral("unknown"));
    }

    void programsAndRecurrentLayers()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [3, 1, 4]> x";
        for (const auto &[name, shape, bytes] :
             {std::tuple("ih", "[8, 4]", 64), {"hh", "[8, 2]", 32}, {"b", "[8]", 16}})
            made.constant(std::string("tensor<fp16, ") + shape + ">", name,
                          made.blob(ElementType::Fp16, shape, Bytes(std::size_t(bytes))));
        made.line("tensor<fp16, [3, 1, 2]> y = lstm(bias = b, weight_hh = hh, weight_ih = ih, x = "
                  "x)[name = string(\"y\")]");
        made.result = "y";
        const QString path = writeBundle(m_scratch, "lstm.mlmodelc", made);
        const Json json =
            runCli({QStringLiteral("roofline"), QStringLiteral("--json"), path}).json();
        QCOMPARE(json["layers"].size(), std::size_t(2));
        double flops = 0, time = 0;
        for (const Json &layer : json["layers"]) {
            flops += double(layer["flops"]);
            time += double(layer["time_s"]);
            QCOMPARE(string(layer, "op"), QStringLiteral("lstm"));
        }
        QCOMPARE(flops, 2.0 * 3 * (32 + 16));
        QCOMPARE(json["unassessed"].size(), std::size_t(1));
        QCOMPARE(string(json["unassessed"][0], "weight"), QStringLiteral("b"));
        const Json &program = json["program"];
        QCOMPARE(string(program, "bound"), QStringLiteral("dispatch"));
        QCOMPARE(double(program["engine_time_s"]), time);
        QCOMPARE(double(program["time_s"]), 0.23e-3);
        const auto text = runCli({QStringLiteral("roofline"), path});
        QVERIFY(text.out.contains("bound by the dispatch") && text.out.contains("Not assessed"));
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

    void geometryAndRooflineGiveOneTime()
    {
        const Json geometry =
            run({QStringLiteral("geometry"), QStringLiteral("--json")}, QStringLiteral("dense"))
                .json()["operations"][0];
        const Json layer =
            run({QStringLiteral("roofline"), QStringLiteral("--json")}, QStringLiteral("dense"))
                .json()["layers"][0];
        QCOMPARE(double(geometry["assessment"]["time_s"]), double(layer["time_s"]));
        QCOMPARE(geometry["assessment"]["bound"], layer["bound"]);
        QVERIFY(geometry["cycles"]["measured_macs_per_s"].is_null());
        QVERIFY(geometry["cycles"]["time_at_measured_rate_s"].is_null());
        const auto typed = [](const char *bits) {
            return runCli({QStringLiteral("geometry"), QStringLiteral("--json"),
                           QStringLiteral("--channels"), QStringLiteral("64:64"),
                           QStringLiteral("--kernel"), QStringLiteral("3x3"),
                           QStringLiteral("--weight-bits"), QString::fromLatin1(bits)})
                .json()["operations"][0]["winograd"]["threshold"];
        };
        QCOMPARE(int(typed("4")), 16); // a palette of fp16 values is a float kernel
        QCOMPARE(int(typed("8")), 8);
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

    /// The published figures of the reduction: 5116, and four survivors of sixteen.
    void reductions()
    {
        const auto reduce = [](const QStringList &values) {
            return runCli(QStringList{QStringLiteral("reduce"), QStringLiteral("--json")} + values)
                .json();
        };
        const Json wide = reduce({QStringLiteral("4096"), QStringLiteral("1*1024")});
        QCOMPARE(double(wide["port"]), 5116.0);
        QCOMPARE(double(wide["exact"]), 5120.0);
        QCOMPARE(double(wide["fp16_accumulator"]), 4096.0);
        QStringList triples;
        for (int i = 0; i < 16; ++i)
            triples << QStringLiteral("8192") << QStringLiteral("-8192") << QStringLiteral("1");
        QCOMPARE(double(reduce(triples)["port"]), 4.0);
        QCOMPARE(reduce(triples)["tiles"].size(), std::size_t(12));
        QVERIFY(int(reduce({QStringLiteral("2048"), QStringLiteral("1")})["contested_tiles"]) > 0);
        QStringList contested;
        for (int i = 0; i < 16; ++i)
            contested << QStringLiteral("2600") << QStringLiteral("-2600") << QStringLiteral("1");
        const Json both = reduce(contested);
        QVERIFY(bool(both["aligned"]["differs"]) && double(both["port"]) != 16.0);
        QCOMPARE(double(both["aligned"]["port"]), 16.0);
        QCOMPARE(both["readings"].size(), std::size_t(2));
        QVERIFY(!bool(reduce(triples)["aligned"]["differs"]));
        QVERIFY(runCli(QStringList{QStringLiteral("reduce")} + contested)
                    .out.contains("second reading 16 at the port"));
        QCOMPARE(runCli({QStringLiteral("reduce"), QStringLiteral("1*0")}).exitCode, 2);
        QVERIFY(runCli({QStringLiteral("reduce"), QStringLiteral("1*8")}).out.contains("port"));
    }

    void calibration()
    {
        const auto result = runCli({QStringLiteral("calibrate"), QStringLiteral("--json")});
        QCOMPARE(result.exitCode, 0);
        const Json json = result.json();
        QVERIFY(json["rows"].size() > 150);
        int goals = 0;
        for (const Json &row : json["rows"]) {
            for (const char *key :
                 {"measurement", "condition", "source", "measured", "predicted", "ratio"})
                QVERIFY2(row.contains(key), key);
            if (!row["predicted"].is_null()) {
                const double ratio = double(row["predicted"]) / double(row["measured"]);
                QVERIFY(std::abs(ratio - double(row["ratio"])) < 1e-9);
            }
            // Where it is off, or nothing is predicted, it says what is missing, and who shows it.
            const bool within = row["within"].is_boolean() && bool(row["within"]);
            for (const char *key : {"missing_effect", "missing_evidence", "missing_source"})
                QVERIFY2(row[key].is_string() != within,
                         (string(row, "measurement") + string(row, "form")).toUtf8().constData());
            // A parameter is not fitted on what it is compared with.
            const std::string form = row["form"];
            if (row["target"] == "H18g" && form.starts_with("palette")) {
                QVERIFY(within);
                const std::string fitted = row["fitted_on"];
                QVERIFY(fitted.find(form + ",") == fitted.npos);
                QVERIFY(fitted.find(form + " (") == fitted.npos);
            }
            goals += bool(row["goal"]) ? 1 : 0;
        }
        QVERIFY(goals >= 12);
        const auto one = runCli({QStringLiteral("calibrate"), QStringLiteral("--json"),
                                 QStringLiteral("--target"), QStringLiteral("M1")});
        const Json rows = one.json()["rows"];
        for (const Json &row : rows)
            QCOMPARE(string(row, "target"), QStringLiteral("H13"));
        QVERIFY(runCli({QStringLiteral("calibrate")}).out.contains("predictions within"));
        QCOMPARE(
            runCli({QStringLiteral("calibrate"), QStringLiteral("--target"), QStringLiteral("Q9")})
                .exitCode,
            2);
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

QTEST_GUILESS_MAIN(TestCliChips)
#include "tst_cli_chips.moc"
