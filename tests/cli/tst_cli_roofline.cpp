// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "convolution.h"
#include "tests/test_program.h"
#include "written_bundle.h"

using namespace kernscope;
using namespace kernscope::test;
using Json = nlohmann::ordered_json;

// geometry, roofline, calibrate and reduce: figures and times.
class TestCliRoofline : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_scratch;

    CliResult run(const QStringList &arguments, const QString &form, const char *stride = "1, 1")
    {
        return runOnConvolution(m_scratch, arguments, form, stride);
    }

private Q_SLOTS:
    void geometryOfTypedNumbers()
    {
        const auto result = runCli({u"geometry"_s, u"--json"_s, u"--channels"_s, u"256:256"_s,
                                    u"--kernel"_s, u"3x3"_s, u"--output-size"_s, u"32x32"_s});
        QCOMPARE(result.exitCode, 0);
        const Json operation = result.json()["operations"][0];
        QCOMPARE(int(operation["ocg"]["size"]), 2);
        QCOMPARE(int(operation["passes"]), 128);
        QCOMPARE(int(operation["cores_lit"]), 4);
        QCOMPARE(bool(operation["winograd"]["eligible"]), true);
        QCOMPARE(int(operation["winograd"]["conditions"].size()), 8);
        const auto zero = runCli({u"geometry"_s, u"--channels"_s, u"0:4"_s});
        QCOMPARE(zero.exitCode, 2); // what was typed is wrong, no file is
        const auto sixteen = runCli(
            {u"geometry"_s, u"--json"_s, u"--cores"_s, u"16"_s, u"--channels"_s, u"256:256"_s});
        QCOMPARE(int(sixteen.json()["operations"][0]["cores"]["value"]), 16);
    }

    void geometryOfABundle()
    {
        const auto result = run({u"geometry"_s, u"--json"_s}, u"lut4"_s);
        const Json json = result.json();
        QCOMPARE(int(json["operations"].size()), 1);
        QCOMPARE(string(json["operations"][0], "weight"), u"w"_s);
        QVERIFY(run({u"geometry"_s}, u"lut4"_s).out.contains("Winograd"));
    }

    void rooflines()
    {
        const auto result = run({u"roofline"_s, u"--json"_s, u"--target"_s, u"M1"_s}, u"lut4"_s);
        const Json json = result.json();
        QVERIFY(std::abs(double(json["ridge"]) - 141.2) < 0.1);
        QVERIFY(json["ceilings"].size() > 8);
        const Json &layer = json["layers"][0];
        QCOMPARE(double(layer["flops"]), 2.0 * 4096 * 64);
        for (const char *key :
             {"name", "op", "bytes", "intensity", "bound", "attainable_flops", "time_s", "forms"})
            QVERIFY2(layer.contains(key), key);
        QVERIFY(layer["forms"].contains("stored") && layer["forms"].contains("best"));
        QCOMPARE(string(layer["roofs"]["weights"], "name"), u"weight_stream_bandwidth"_s);
        QCOMPARE(layer["roofs"], layer["forms"]["stored"]["roofs"]);
        QVERIFY(layer["compiler_estimate_ms"].is_null());
        const auto batched = run({u"roofline"_s, u"--json"_s, u"--batch"_s, u"8"_s}, u"lut4"_s);
        QCOMPARE(double(batched.json()["layers"][0]["flops"]), 8 * 2.0 * 4096 * 64);
        QVERIFY(run({u"roofline"_s}, u"lut4"_s).out.contains("ridge"));
    }

    /// Symbolic extents: null everywhere, and no bound, instead of 0 FLOP and a time.
    void unknownFlopsStayUnknown()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [1, 64, ?, 8]> x";
        made.weight("w", "[64, 64, 1, 1]", Bytes(8192));
        made.op("y", "[1, 64, ?, 8]", "conv(weight = w, x = x)");
        made.result = "y";
        const QString path = writeBundle(m_scratch, "open.mlmodelc", made);
        const Json json = runCli({u"roofline"_s, u"--json"_s, path}).json();
        const Json &layer = json["layers"][0];
        for (const char *key :
             {"flops", "bytes", "intensity", "attainable_flops", "time_s", "rate_flops"})
            QVERIFY2(layer[key].is_null(), key);
        QCOMPARE(string(layer, "bound"), u"unknown"_s);
        const Json &program = json["program"];
        QVERIFY(program["engine_time_s"].is_null() && program["time_s"].is_null());
        QCOMPARE(double(program["dispatch_floor_s"]), 0.23e-3);
        QCOMPARE(string(program, "bound"), u"unknown"_s);
    }

    void programsAndRecurrentLayers()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [3, 1, 4]> x";
        for (const auto &[name, shape, bytes] :
             {std::tuple("ih", "[8, 4]", 64), {"hh", "[8, 2]", 32}, {"b", "[8]", 16}})
            made.constant(std::string("tensor<fp16, ") + shape + ">", name,
                          made.blob(ElementType::Fp16, shape, Bytes(std::size_t(bytes))));
        made.op("y", "[3, 1, 2]", "lstm(bias = b, weight_hh = hh, weight_ih = ih, x = x)");
        made.result = "y";
        const QString path = writeBundle(m_scratch, "lstm.mlmodelc", made);
        const Json json = runCli({u"roofline"_s, u"--json"_s, path}).json();
        QCOMPARE(json["layers"].size(), std::size_t(2));
        double flops = 0, time = 0;
        for (const Json &layer : json["layers"]) {
            flops += double(layer["flops"]);
            time += double(layer["time_s"]);
            QCOMPARE(string(layer, "op"), u"lstm"_s);
        }
        QCOMPARE(flops, 2.0 * 3 * (32 + 16));
        QCOMPARE(json["unassessed"].size(), std::size_t(1));
        QCOMPARE(string(json["unassessed"][0], "weight"), u"b"_s);
        const Json &program = json["program"];
        QCOMPARE(string(program, "bound"), u"dispatch"_s);
        QCOMPARE(double(program["engine_time_s"]), time);
        QCOMPARE(double(program["time_s"]), 0.23e-3);
        const auto text = runCli({u"roofline"_s, path});
        QVERIFY(text.out.contains("bound by the dispatch") && text.out.contains("Not assessed"));
    }

    void geometryAndRooflineGiveOneTime()
    {
        const Json geometry = run({u"geometry"_s, u"--json"_s}, u"dense"_s).json()["operations"][0];
        const Json layer = run({u"roofline"_s, u"--json"_s}, u"dense"_s).json()["layers"][0];
        QCOMPARE(double(geometry["assessment"]["time_s"]), double(layer["time_s"]));
        QCOMPARE(geometry["assessment"]["bound"], layer["bound"]);
        QVERIFY(geometry["cycles"]["measured_macs_per_s"].is_null());
        QVERIFY(geometry["cycles"]["time_at_measured_rate_s"].is_null());
        const auto typed = [](const char *bits) {
            return runCli({u"geometry"_s, u"--json"_s, u"--channels"_s, u"64:64"_s, u"--kernel"_s,
                           u"3x3"_s, u"--weight-bits"_s, QString::fromLatin1(bits)})
                .json()["operations"][0]["winograd"]["threshold"];
        };
        QCOMPARE(int(typed("4")), 16); // a palette of fp16 values is a float kernel
        QCOMPARE(int(typed("8")), 8);
    }

    /// The published figures of the reduction: 5116, and four survivors of sixteen.
    void reductions()
    {
        const auto reduce = [](const QStringList &values) {
            return runCli(QStringList{u"reduce"_s, u"--json"_s} + values).json();
        };
        const Json wide = reduce({u"4096"_s, u"1*1024"_s});
        QCOMPARE(double(wide["port"]), 5116.0);
        QCOMPARE(double(wide["exact"]), 5120.0);
        QCOMPARE(double(wide["fp16_accumulator"]), 4096.0);
        QStringList triples;
        for (int i = 0; i < 16; ++i)
            triples << u"8192"_s << u"-8192"_s << u"1"_s;
        QCOMPARE(double(reduce(triples)["port"]), 4.0);
        QCOMPARE(reduce(triples)["tiles"].size(), std::size_t(12));
        QVERIFY(int(reduce({u"2048"_s, u"1"_s})["contested_tiles"]) > 0);
        QStringList contested;
        for (int i = 0; i < 16; ++i)
            contested << u"2600"_s << u"-2600"_s << u"1"_s;
        const Json both = reduce(contested);
        QVERIFY(bool(both["aligned"]["differs"]) && double(both["port"]) != 16.0);
        QCOMPARE(double(both["aligned"]["port"]), 16.0);
        QCOMPARE(both["readings"].size(), std::size_t(2));
        QVERIFY(!bool(reduce(triples)["aligned"]["differs"]));
        QVERIFY(runCli(QStringList{u"reduce"_s} + contested)
                    .out.contains("second reading 16 at the port"));
        QCOMPARE(runCli({u"reduce"_s, u"1*0"_s}).exitCode, 2);
        QVERIFY(runCli({u"reduce"_s, u"1*8"_s}).out.contains("port"));
    }

    void calibration()
    {
        const auto result = runCli({u"calibrate"_s, u"--json"_s});
        QCOMPARE(result.exitCode, 0);
        const Json json = result.json();
        QCOMPARE(int(json["schema"]), 2);
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
            if (string(row, "measurement").startsWith(u"speedup"_s))
                QVERIFY(string(row, "unit") == u"speedup"_s &&
                        double(row["measured"]) > 0.9); // no reciprocals
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
        const auto one = runCli({u"calibrate"_s, u"--json"_s, u"--target"_s, u"M1"_s});
        const Json rows = one.json()["rows"];
        for (const Json &row : rows)
            QCOMPARE(string(row, "target"), u"H13"_s);
        QVERIFY(runCli({u"calibrate"_s}).out.contains("predictions within"));
        QCOMPARE(runCli({u"calibrate"_s, u"--target"_s, u"Q9"_s}).exitCode, 2);
    }
};

KERNSCOPE_TEST(TestCliRoofline, QCoreApplication)
#include "tst_cli_roofline.moc"
