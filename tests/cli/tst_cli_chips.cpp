// SPDX-License-Identifier: GPL-3.0-or-later
// decide, choose, formats and targets, run as a script would.
#include "cli_process.h"

using Json = nlohmann::ordered_json;

// geometry, roofline, calibrate and reduce: figures and times.

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
        made.weight("w", shape, Bytes(8192, std::byte{0x3c}));
    }
    made.line("tensor<int32, [2]> strides = const()[name = string(\"strides\"), val = "
              "tensor<int32, [2]>([" +
              std::string(stride) + "])]");
    made.op("y", "[1, 64, 8, 8]", "conv(strides = strides, weight = w, x = x)");
    made.result = "y";
    return made;
}

/// Runs a command on that program, which is written into the folder.
CliResult runOnConvolution(const QTemporaryDir &folder, QStringList arguments, const QString &form,
                           const char *stride = "1, 1")
{
    const QByteArray name = form.toUtf8() + ".mlmodelc";
    arguments << writeBundle(folder, name.constData(), convolution(form, stride));
    return runCli(arguments);
}

QString string(const nlohmann::ordered_json &json, const char *key)
{
    return QString::fromStdString(json.value(key, std::string()));
}

} // namespace

class TestCliChips : public QObject
{
    Q_OBJECT

private slots:
    /// The five helpers of table 25.1 for every code, and what the chip's descriptor can hold.
    void formats()
    {
        const auto formatsOf = [](const char *chip) {
            return runCli("formats --target % --json", QString::fromLatin1(chip)).json();
        };
        const auto m1 = formatsOf("M1");
        QCOMPARE(m1["descriptor_version"].get<int>(), 5);
        const auto &rows = m1["kernel_formats"];
        for (int code = 1; code <= 31; ++code)
            QCOMPARE(rows[std::size_t(code - 1)]["code"].get<int>(), code);
        const auto &four = rows[19]; // p4f16
        HOLDS(four, "bit_depth=4 palette_format=4 underlying_type=fp16 palette_lut_bytes=32 "
                    "type_number=5 legal=true refused_by=null");
        HOLDS(rows, "3.palette_lut_bytes=null 28.bit_depth=null 20.refused_by='odd index width'");
        QVERIFY(formatsOf("H18")["kernel_formats"][20]["legal"].get<bool>());
        HOLDS(m1, "tensor_formats.4.code=12 tensor_formats.4.dma_to_fp16=false "
                  "tensor_formats.4.dma_valid=false element_catalogue#=23 "
                  "element_catalogue.15.since_compiler=9.509.0");
        const CliResult plain = runCli("formats");
        QVERIFY(plain.exitCode == 0 && plain.out.contains("refused: odd index width"));
        QCOMPARE(runCli("formats --target Q9").exitCode, 2);
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
        const auto facts = runCli("formats --facts code_sets --json").json()["facts"];
        QCOMPARE(facts.size(), std::size_t(4));
        QCOMPARE(facts[2]["table"].get<std::string>(), "code_sets");
        QVERIFY(facts[2]["fact"].get<std::string>().starts_with(
            "set=native_kernel_formats; first_code=1; mask=0x3b; guard="));
        QCOMPARE(facts[2]["confidence"].get<std::string>(), "contested");
        QVERIFY(facts[2]["source"].get<std::string>().starts_with("chapter 36"));
        const CliResult all = RAN(0, runCli("formats --facts=all"));
        QVERIFY(all.out.contains("checkpoint_types") && all.out.contains("weight_element_roles"));
        QCOMPARE(runCli("formats --facts=none").exitCode, 2);
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
        const Json json =
            RAN(0, run({u"decide"_s, u"--json"_s, u"--target"_s, target}, form)).json();
        HOLDS(json, "schema=1 command=decide decisions#=1");
        const Json &decision = json["decisions"][0];
        QCOMPARE(string(decision, "outcome"), outcome);
        QCOMPARE(string(decision, "weight"), u"w"_s);
        SAYS(decision, "form", "target", "reasons", "cap", "bytes_moved", "speedup");
        for (const Json &reason : decision["reasons"]) {
            SAYS(reason, "gate", "offset", "value", "passes", "source", "confidence");
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
        HOLDS(result.json()["decisions"][0], "outcome=folds bytes_moved=8192");
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
    void choices()
    {
        const CliResult result =
            RAN(0, run({u"choose"_s, u"--json"_s, u"--target"_s, u"M1"_s}, u"dense"_s));
        const Json choice = result.json()["choices"][0];
        QCOMPARE(int(choice["candidates"].size()), 5);
        QCOMPARE(string(result.json()["program"], "bound"), u"dispatch"_s);
        // Constant weights: a palette holds them exactly, and the layer is bandwidth bound.
        HOLDS(choice, "bound=bandwidth form=palette4");
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
        const auto rows = runCli("formats --target M5 --json").json();
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
            return runCli(args("encode % w --form palette --bits 6 --target M1 --output %", bundle,
                               m_scratch.filePath(to)) +
                          more);
        };
        const CliResult refused = RAN(2, asked({}, u"refused.mlmodelc"_s));
        QVERIFY(refused.err.contains("odd index width"));
        QVERIFY(!QFileInfo::exists(m_scratch.filePath(u"refused.mlmodelc"_s)));
        QCOMPARE(asked({u"--force"_s}, u"forced.mlmodelc"_s).exitCode, 0);
    }

    void targets()
    {
        const auto result = runCli("targets --json");
        QVERIFY(result.json()["targets"].size() >= 28);
        QVERIFY(runCli("targets").out.contains("T8103"));
    }

    void missingFilesAreNamed()
    {
        for (const char *command : {"decide", "geometry", "roofline", "choose"}) {
            const auto result = runCli({QString::fromUtf8(command), m_scratch.filePath(u"none"_s)});
            QVERIFY2(result.exitCode == 4 || result.exitCode == 3, command);
        }
    }

    void geometryOfTypedNumbers()
    {
        const Json operation =
            RAN(0, runCli("geometry --json --channels 256:256 --kernel 3x3 --output-size 32x32"))
                .json()["operations"][0];
        HOLDS(operation, "ocg.size=2 passes=128 cores_lit=4");
        QCOMPARE(bool(operation["winograd"]["eligible"]), true);
        QCOMPARE(int(operation["winograd"]["conditions"].size()), 8);
        const auto zero = runCli("geometry --channels 0:4");
        QCOMPARE(zero.exitCode, 2); // what was typed is wrong, no file is
        const auto sixteen = runCli(
            {u"geometry"_s, u"--json"_s, u"--cores"_s, u"16"_s, u"--channels"_s, u"256:256"_s});
        QCOMPARE(int(sixteen.json()["operations"][0]["cores"]["value"]), 16);
    }

    void geometryOfABundle()
    {
        const auto result = run({u"geometry"_s, u"--json"_s}, u"lut4"_s);
        HOLDS(result.json(), "operations#=1 operations.0.weight=w");
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
        SAYS(layer, "name", "op", "bytes", "intensity", "bound", "attainable_flops", "time_s",
             "forms");
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
        const Json json = runCli("roofline --json %", path).json();
        const Json &layer = json["layers"][0];
        for (const char *key :
             {"flops", "bytes", "intensity", "attainable_flops", "time_s", "rate_flops"})
            QVERIFY2(layer[key].is_null(), key);
        QCOMPARE(string(layer, "bound"), u"unknown"_s);
        const Json &program = json["program"];
        HOLDS(program, "engine_time_s=null time_s=null dispatch_floor_s=0.00023 bound=unknown");
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
        const Json json = runCli("roofline --json %", path).json();
        QCOMPARE(json["layers"].size(), std::size_t(2));
        double flops = 0, time = 0;
        for (const Json &layer : json["layers"]) {
            flops += double(layer["flops"]);
            time += double(layer["time_s"]);
            QCOMPARE(string(layer, "op"), u"lstm"_s);
        }
        QCOMPARE(flops, 2.0 * 3 * (32 + 16));
        HOLDS(json, "unassessed#=1 unassessed.0.weight=b");
        const Json &program = json["program"];
        QCOMPARE(string(program, "bound"), u"dispatch"_s);
        QCOMPARE(double(program["engine_time_s"]), time);
        QCOMPARE(double(program["time_s"]), 0.23e-3);
        const auto text = runCli("roofline %", path);
        QVERIFY(text.out.contains("bound by the dispatch") && text.out.contains("Not assessed"));
    }

    void geometryAndRooflineGiveOneTime()
    {
        const Json geometry = run({u"geometry"_s, u"--json"_s}, u"dense"_s).json()["operations"][0];
        const Json layer = run({u"roofline"_s, u"--json"_s}, u"dense"_s).json()["layers"][0];
        QCOMPARE(double(geometry["assessment"]["time_s"]), double(layer["time_s"]));
        QCOMPARE(geometry["assessment"]["bound"], layer["bound"]);
        HOLDS(geometry, "cycles.measured_macs_per_s=null cycles.time_at_measured_rate_s=null");
        const auto typed = [](const char *bits) {
            return runCli("geometry --json --channels 64:64 --kernel 3x3 --weight-bits %",
                          QString::fromLatin1(bits))
                .json()["operations"][0]["winograd"]["threshold"];
        };
        QCOMPARE(int(typed("4")), 16); // a palette of fp16 values is a float kernel
        QCOMPARE(int(typed("8")), 8);
    }

    /// What the document has of a reduction; its figures hold tests/core/codec/tst_encoder.cpp.
    void reductions()
    {
        const auto reduce = [](const QStringList &values) {
            return runCli(args("reduce --json") + values).json();
        };
        const Json wide = reduce({u"4096"_s, u"1*1024"_s});
        HOLDS(wide, "port=5116.0 exact=5120.0 fp16_accumulator=4096.0");
        QStringList contested;
        for (int i = 0; i < 16; ++i)
            contested << u"2600"_s << u"-2600"_s << u"1"_s;
        const Json both = reduce(contested);
        QVERIFY(bool(both["aligned"]["differs"]) && double(both["port"]) != 16.0);
        HOLDS(both, "aligned.port=16.0 readings#=2 tiles#=12");
        QVERIFY(int(both["contested_tiles"]) > 0);
        QVERIFY(runCli(args("reduce") + contested).out.contains("second reading 16 at the port"));
        QCOMPARE(runCli("reduce 1*0").exitCode, 2);
        QVERIFY(runCli("reduce 1*8").out.contains("port"));
    }

    void calibration()
    {
        const Json json = RAN(0, runCli("calibrate --json")).json();
        QCOMPARE(int(json["schema"]), 2);
        QVERIFY(json["rows"].size() > 150);
        int goals = 0;
        for (const Json &row : json["rows"]) {
            SAYS(row, "measurement", "condition", "source", "measured", "predicted", "ratio");
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
        const auto one = runCli("calibrate --json --target M1");
        const Json rows = one.json()["rows"];
        for (const Json &row : rows)
            QCOMPARE(string(row, "target"), u"H13"_s);
        QVERIFY(runCli("calibrate").out.contains("predictions within"));
        QCOMPARE(runCli("calibrate --target Q9").exitCode, 2);
    }

private:
    QTemporaryDir m_scratch;

    CliResult run(const QStringList &arguments, const QString &form, const char *stride = "1, 1")
    {
        return runOnConvolution(m_scratch, arguments, form, stride);
    }
};

KERNSCOPE_TEST(TestCliChips, QCoreApplication)
#include "tst_cli_chips.moc"
