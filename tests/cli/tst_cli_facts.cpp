// SPDX-License-Identifier: GPL-3.0-or-later
// What the documents say and a user could not reach: capability bytes, roles and folds of types,
// fp8 overflow, power and energy, published figures, advice by stored size, contested readings.
#include "cli_process.h"

using Json = nlohmann::ordered_json;

namespace {

template <class... Places>
Json reportOf(const char *line, const Places &...places)
{
    const CliResult result = runCli(args(line, places...) + args("--json"));
    if (result.exitCode != 0)
        qWarning("exit %d: %s", result.exitCode, result.out.constData());
    return result.exitCode == 0 ? result.json() : Json();
}

const Json *rowWith(const Json &rows, const char *key, const char *value)
{
    for (const Json &row : rows) {
        if (row.value(key, Json()) == Json(value))
            return &row;
    }
    return nullptr;
}

/// One convolution of 128 by 128 channels with normal weights, on a square image.
MadeBundle squareConvolution(int kernel, int side)
{
    MadeBundle made;
    std::mt19937 random(3);
    std::normal_distribution<float> normal(0, 1);
    const Bytes bytes = halves(128 * 128 * kernel * kernel, [&](int) { return normal(random); });
    const auto square = [](int extent) {
        return std::to_string(extent) + ", " + std::to_string(extent) + "]";
    };
    const std::string shape = "[128, 128, " + square(kernel);
    made.parameters = "tensor<fp16, [1, 128, " + square(side) + "> x";
    made.weight("w", shape, bytes);
    made.line("tensor<fp16, [1, 128, " + square(side - kernel + 1) +
              "> y = conv(weight = w, x = x)[name = string(\"y\")]");
    made.result = "y";
    return made;
}

} // namespace

class TestCliFacts : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_scratch;

    QString bundle(int kernel, int side)
    {
        const QByteArray name = QByteArray("k") + QByteArray::number(kernel) + "side" +
                                QByteArray::number(side) + ".mlmodelc";
        return writeBundle(m_scratch, name.constData(), squareConvolution(kernel, side));
    }
    QString computeBound() { return bundle(3, 32); }
    QString bandwidthBound() { return bundle(1, 1); }

private Q_SLOTS:
    /// Tables 7.2 and 20.1 from the chip's own rows; floors by family.
    void capabilityBytes()
    {
        const Json m1 = reportOf("targets --target M1 --bytes")["targets"][0];
        const auto value = [](const Json &target, const char *offset) {
            for (const Json &row : target["hal"]) {
                if (row["layout"] == Json("9.509") && row["offset"] == Json(offset))
                    return row["value"];
            }
            return Json("no such field");
        };
        QCOMPARE(value(m1, "0x48f"), Json(1));
        QCOMPARE(value(m1, "0x528"), Json(0));
        QCOMPARE(value(m1, "0x529"), Json(1));
        QCOMPARE(value(m1, "0x52d"), Json(0));
        QCOMPARE(value(m1, "0x238"), Json(4));
        QCOMPARE(value(m1, "0x1b8"), Json(2097152));
        QVERIFY(value(m1, "0x52c").is_null()); // unknown is not 0
        QVERIFY(!m1["family_floors"][0]["reached"].get<bool>());
        QVERIFY(rowWith(m1["contested"], "topic", "weight_stream_ceiling") != nullptr);
        const Json h18 = reportOf("targets --target H18 --bytes")["targets"][0];
        QCOMPARE(value(h18, "0x52d"), Json(1));
        for (std::size_t i = 0; i < 3; ++i)
            QVERIFY(h18["family_floors"][i]["reached"].get<bool>());
        QVERIFY(h18["family_floors"][3]["reached"].is_null()); // a row about several
        const Json h16 = reportOf("targets --target H16 --bytes")["targets"][0];
        HOLDS(h16, "family_floors.0.reached=true family_floors.1.reached=false");
        const CliResult text = runCli("targets --target M5 --bytes");
        QVERIFY(text.out.contains("kernel streaming master") && text.out.contains("MinimumFamily"));
        QVERIFY(!reportOf("targets --target M1")["targets"][0].contains("hal"));
    }

    /// Table 7.5, the mask 0x2ff0 for each code, pairs of chapter 36, table 36.3 and what is
    /// contested of the numberings.
    void typesOfTheEngine()
    {
        const Json m1 = reportOf("formats --target M1");
        QCOMPARE(m1["element_roles"].size(), std::size_t(6));
        QVERIFY((*rowWith(m1["element_roles"], "name", "int4"))["role"].get<std::string>().find(
                    "palette-only on the M1") != std::string::npos);
        for (std::uint32_t code = 0; code <= 16; ++code)
            QCOMPARE(m1["fold_predicate"][code]["folds"].get<bool>(),
                     code < 14 && ((0x2ff0U >> code) & 1U) != 0);
        HOLDS(m1, "fold_predicate.7.name=null fold_predicate.12.name=e4m3");
        const auto eligible = [&](const char *activation, const char *kernel) {
            for (const Json &pair : m1["double_mac"]) {
                if (pair["activation"] == Json(activation) && pair["kernel"] == Json(kernel))
                    return pair["eligible"].get<bool>();
            }
            return false;
        };
        QVERIFY(eligible("e4m3", "e4m3") && eligible("int8", "uint8"));
        QVERIFY(!eligible("int8", "e4m3") && !eligible("fp16", "fp16") &&
                !eligible("fp16", "int8"));
        QCOMPARE(int(m1["format_word"]["lane_bits"]), 2);
        const Json &refused = *rowWith(m1["format_word"]["lanes"][0]["formats"], "format", "e4m3");
        HOLDS(refused, "message='Error: Invalid Common InFmt E4M3' quoted=true");
        QVERIFY(!refused["source"].get<std::string>().empty());
        QVERIFY(rowWith(m1["format_word"]["lanes"][0]["formats"], "format", "int8")
                    ->contains("contested"));
        QCOMPARE(m1["format_word"]["contested"].size(), std::size_t(2));
        QCOMPARE(reportOf("descriptor --target M1 --word 0x15")["word"]["contested"].size(),
                 std::size_t(2));
        QVERIFY(runCli("descriptor --target M1 --formats int8,uint8,fp16")
                    .out.contains("contested: format_codes"));
        QCOMPARE(int(m1["fp8_formats"][1]["bias"]), 15);
        for (const char *part :
             {"E4M3 is not supported on this architecture", "no fp8 accumulator",
              "DRAM Events not supported for architecture", "pendingRequestsPerPatchMutableBuffer",
              "gain-offset-control stage", "no zero-point stream"})
            QVERIFY2(runCli("formats").out.contains(part), part);
        const Json h18 = reportOf("formats --target H18");
        QCOMPARE((*rowWith(h18["format_word"]["lanes"][2]["formats"], "format", "e4m3"))["value"],
                 Json("0x100"));
        QCOMPARE(h18["format_word"]["overflow"][1]["offset"], Json("0x300"));
        // Of each topic one reading is followed, and the others are there.
        for (const char *topic : {"element_types", "activation_segments"}) {
            int taken = 0, all = 0;
            for (const Json &reading : m1["contested"]) {
                if (reading["topic"] != Json(topic))
                    continue;
                ++all;
                taken += reading["taken"].get<bool>() ? 1 : 0;
            }
            QCOMPARE(all, 2);
            QCOMPARE(taken, 1);
        }
        const CliResult text = runCli("formats");
        SAYS(text.out, "contested: element_types: a catalogue of 24 entries",
             "7 (no name published)", "4-bit palette index", "E4M3Overflow is not supported");
        // How many bits codes 32 to 41 have is not known: unknown, or refused where the version is
        // too old.
        for (const Json &row : h18["kernel_formats"])
            QVERIFY(int(row["code"]) < 32 || row["legal"].is_null());
        for (const Json &row : m1["kernel_formats"])
            QVERIFY(int(row["code"]) < 32 || row["legal"] == Json(false));
    }

    /// Past 448 an E4M3 is NaN (0x7f) or 448 (0x7e); E5M2 is infinite or 57344.
    void narrowedResults()
    {
        const Json both = reportOf("reduce 400 100 --to e4m3")["narrowed"];
        QCOMPARE(both.size(), std::size_t(2));
        HOLDS(both, "0.code=127 0.value=null 1.code=126 1.value=448.0");
        const Json one = reportOf("reduce 60000 2000 --to e5m2 --overflow saturate");
        HOLDS(one, "narrowed#=1 narrowed.0.value=57344.0");
        QVERIFY(reportOf("reduce 1 2")["narrowed"].empty());
        QCOMPARE(runCli("reduce 1 --overflow nan").exitCode, 2);
    }

    /// 0.8 W and 10 mW a core from below, 4.7 W from above, times the predicted time; a layer that
    /// waits for its bytes does not hold the condition of 4.7 W.
    void energies()
    {
        const Json json = reportOf("roofline --target M1 %", computeBound());
        const Json &layer = json["layers"][0];
        QCOMPARE(layer["bound"], Json("compute"));
        const double time = layer["time_s"].get<double>();
        const Json &energy = layer["energy"];
        QVERIFY(std::abs(energy["low_j"].get<double>() / (0.81 * time) - 1) < 1e-9);
        QVERIFY(std::abs(energy["high_j"].get<double>() / (4.7 * time) - 1) < 1e-9);
        HOLDS(energy, "conditions_hold=true method=derived");
        const Json &program = json["program"];
        QVERIFY(program["energy"]["low_j"].get<double>() >=
                0.81 * program["time_s"].get<double>() * (1 - 1e-9));
        QCOMPARE(json["power"].size(), std::size_t(4));
        const Json waits = reportOf("roofline --target M1 %", bandwidthBound())["layers"][0];
        HOLDS(waits, "bound=bandwidth energy.conditions_hold=false");
        // No power of the M3 is published: no energy, and no figure of another chip.
        const Json other = reportOf("roofline --target M3 %", computeBound());
        QVERIFY(other["layers"][0]["energy"].is_null() && other["power"].empty());
        const CliResult text = runCli("roofline --target M1 %", computeBound());
        QVERIFY(text.out.contains("energy uJ") && text.out.contains("always-on domain"));
        const Json decided = reportOf("decide --target M1 %", computeBound())["decisions"][0];
        QVERIFY(decided["energy"]["high_j"].get<double>() > 0);
        QVERIFY(decided["energy_measured"].empty());
    }

    void publishedFigures()
    {
        const Json figures = reportOf("calibrate --target M1")["figures"];
        const Json *bytes = rowWith(figures, "measurement", "program_bytes");
        QVERIFY(bytes != nullptr && (*bytes)["measured_low"] == Json(2416.0));
        const Json *rate =
            rowWith(figures, "measurement", "effective_bandwidth_GBps_dense_to_sparse");
        QVERIFY(rate != nullptr && (*rate)["measured_low"] == Json(29.0) &&
                (*rate)["measured_high"] == Json(48.0));
        const Json *skip = rowWith(figures, "measurement", "zero_skip_alone_gain");
        QVERIFY(skip != nullptr && (*skip)["measured_low"] == Json(0.01));
        QVERIFY(rowWith(figures, "measurement", "cosine_vs_fp16") != nullptr);
        QVERIFY(rowWith(figures, "measurement", "relative_error_vs_fp32") != nullptr);
        QVERIFY(rowWith(figures, "measurement", "rail_floor") != nullptr);
        bool sparse = false; // 1/16 + 0.37 against 0.43
        for (const Json &figure : figures) {
            if (figure["form"] != Json("sparse") || figure["target"] != Json("H13") ||
                figure["measurement"] != Json("stored_bytes_ratio"))
                continue;
            sparse = std::abs(figure["predicted"].get<double>() - 0.4325) < 1e-9;
        }
        QVERIFY(sparse);
        const Json m2 = reportOf("calibrate --target M2")["figures"];
        QVERIFY(rowWith(m2, "measurement", "energy_ratio_vs_fp16") != nullptr);
        QVERIFY(runCli("calibrate --target M1").out.contains("program_bytes"));
    }

    /// Chapter 7: int8 on the M1 for its stored size, where sixteen levels are too coarse.
    void adviceForTheStoredSize()
    {
        const QString path = computeBound(); // where dense is chosen
        const Json m1 = reportOf("choose --target M1 --tolerance 0.02 %", path)["choices"][0];
        QCOMPARE(m1["form"], Json("dense"));
        QVERIFY(m1["advice"].get<std::string>().find("int8, 147,840 of 294,912 bytes") !=
                std::string::npos);
        // Where int8 streams it is a candidate of the procedure itself, and where sixteen levels
        // do there is nothing to add.
        QVERIFY(reportOf("choose --target M2 --tolerance 0.02 %", path)["choices"][0]["advice"]
                    .is_null());
        QVERIFY(reportOf("choose --target M1 --tolerance 0.5 %", path)["choices"][0]["advice"]
                    .is_null());
        const CliResult text = runCli("choose --target M1 --tolerance 0.02 %", path);
        QVERIFY(text.out.contains("for its stored size alone: int8"));
    }

    /// "Only int4 lookup-table and sparsity stream" on the M1, against a palette of 8 bits.
    void whatStreamsOnTheM1IsContested()
    {
        const QString path = bundle(1, 8), output = m_scratch.filePath(u"p8.mlmodelc"_s);
        QCOMPARE(runCli("encode % w --form palette --bits 8 -o %", path, output).exitCode, 0);
        const Json decision = reportOf("decide --target M1 %", output)["decisions"][0];
        QCOMPARE(decision["outcome"], Json("streams"));
        QVERIFY(decision["disagreements"].dump().find(
                    "Not followed: only int4 lookup-table and structured sparsity stream") !=
                std::string::npos);
        const Json m2 = reportOf("decide --target M2 %", output)["decisions"][0];
        QVERIFY(m2["disagreements"].dump().find("only int4 lookup-table") == std::string::npos);
        QVERIFY(runCli("decide --target M1 %", output).out.contains("Not followed: only"));
    }

    /// E4M3 codebooks: a program has no place for them, a weight section does, where the chip has
    /// the format.
    void e4m3Codebooks()
    {
        const QString path = bundle(1, 8), output = m_scratch.filePath(u"e4m3"_s);
        const QStringList palette = args("% w --form palette --entries e4m3 -o", path);
        const CliResult program = runCli(
            args("encode") + palette + QStringList{output + u".mlmodelc"_s} + args("--target H18"));
        QVERIFY(program.exitCode == 3 && program.err.contains("section build --entries e4m3"));
        const QStringList build =
            args("section build") + palette + QStringList{output + u".ksec"_s};
        const CliResult refused = runCli(build + args("--target M1"));
        QVERIFY(refused.exitCode == 2 && refused.err.contains("E4M3"));
        const CliResult built = RAN(0, runCli(build + args("--target H18")));
        const QString file = output + u".ksec"_s;
        const Json weight = reportOf("inspect %", file)["weights"][0];
        QVERIFY2(weight.dump().find("e4m3") != std::string::npos, weight.dump().c_str());
        // Scales of two codebooks, one for each half of the channels.
        const QString books = output + u"2.mlmodelc"_s;
        const CliResult two =
            RAN(0, runCli("encode % w --form palette --codebooks 2 --entries int8 -o % --target M2",
                          path, books));
        const CliResult kept =
            runCli("section build % w --target M2 -o %", books, output + u"2.ksec"_s);
        QVERIFY2(kept.exitCode == 0, kept.err.constData()); // it was read back, value by value
        // The triplets of table 25.4 beside the slots that they drive.
        const Json streams = reportOf("section list %", file)["streams"];
        QCOMPARE(streams.size(), std::size_t(4));
        QCOMPARE(streams[2]["relocation"], Json("0x155c"));
        QVERIFY(runCli("section list %", file).out.contains("0x1560"));
    }
};

KERNSCOPE_TEST(TestCliFacts, QCoreApplication)
#include "tst_cli_facts.moc"
