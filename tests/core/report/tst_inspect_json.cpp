// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compiled_origin.h"
#include "core/report/json_table.h"
#include "core/report/verdict.h"
#include "made_coreai.h"
#include "tests/core/assessment/made_programs.h"

using report::Json;

namespace {

/// For comparing: QCOMPARE cannot take a Json, which converts to everything.
QByteArray text(const Json &json)
{
    return QByteArray::fromStdString(json.dump());
}

std::string keysOf(const Json &json)
{
    std::string keys;
    for (const auto &[key, value] : json.items())
        keys += (keys.empty() ? "" : " ") + key;
    return keys;
}

Result<BundlePtr> madeAffine()
{
    MadeBundle bundle;
    const auto data = bundle.blob(ElementType::Int8, "[2, 2]", hex("01 00 7F 80"));
    bundle.line("tensor<fp16, [2, 2]> w = constexpr_affine_dequantize()[axis = int32(0), "
                "quantized_data = " +
                data + ", scale = fp16(0x1p-1), zero_point = int8(0), name = string(\"w_op\")]");
    bundle.consume("w");
    return bundle.open();
}

/// One weight of 24 values: element i of it is `valueAt(i)`.
template <class ValueAt>
BundlePtr oneWeight(const char *shape, const ValueAt &valueAt)
{
    std::vector<float> values;
    for (int i = 0; i < 24; ++i)
        values.push_back(float(valueAt(i)));
    test::MadeBundle bundle;
    bundle.weight("w", shape, test::halves(values));
    return bundle.open().value_or(nullptr);
}

int placeTurned(int i) // the place in six rows of four of element i of four rows of six
{
    return i % 6 * 4 + i / 6;
}

/// Linear layers, of one row each bound by the bytes of its weight.
BundlePtr rowsOf(std::initializer_list<std::pair<const char *, std::size_t>> weights,
                 const std::string &inputs = "1")
{
    MadeBundle made;
    made.parameters = "tensor<fp16, [" + inputs + ", 4096]> x";
    for (const auto &[name, outputs] : weights) {
        const std::string rows = std::to_string(outputs), shape = "[" + rows + ", 4096]";
        made.weight(name, shape, Bytes(2 * 4096 * outputs, std::byte(0x3c)));
        made.line("tensor<fp16, [" + inputs + ", " + rows + "]> of_" + name +
                  " = linear(weight = " + name + ", x = x)[name = string(\"of_" + name + "\")]");
    }
    return made.open().value_or(nullptr);
}

report::ProgramVerdict verdictOn(const Bundle &bundle, std::string_view chip)
{
    const auto named = target::findTarget(std::string(chip));
    const auto verdict = report::programVerdict(bundle, *named->target);
    return verdict ? *verdict : report::ProgramVerdict();
}

} // namespace

/// The document of `inspect`: keys, notations and order are a contract.
/// A package beside the program compiled from it; other bundles do as well.
/// What heads the window and the commands: one sentence, and the weights that would gain.
class TestInspectJson : public QObject
{
    Q_OBJECT

private slots:
    void document()
    {
        const auto bundle = VERIFIED(madeAffine());
        Json json = report::inspectJson(**bundle, {}, {});
        report::finish(json, (*bundle)->diagnostics());
        // Row by row it is the same.
        report::LateLists lists;
        Json head = report::inspectJson(**bundle, {}, {}, &lists);
        report::finish(head, (*bundle)->diagnostics());
        QVERIFY(head["weights"].empty() && head["sections"].empty());
        QCOMPARE(report::documentText(head, lists).c_str(), report::documentText(json).c_str());
        QCOMPARE(
            keysOf(json).c_str(),
            "schema tool version command kind bundle program_version build_info functions models "
            "features "
            "descriptions files sections weights totals warnings errors relocations diagnostics");
        QCOMPARE(text(json["schema"]), text(1));
        QCOMPARE(text(json["tool"]), text("kernscope"));
        QCOMPARE(text(json["kind"]), text("mlmodelc"));
        QCOMPARE(text(json["bundle"]), text("made.mlmodelc"));
        QCOMPARE(text(json["program_version"]), text("1.3"));
        QCOMPARE(
            json["functions"].dump().c_str(),
            R"([{"name":"main","model":"","opset":"ios18","ops":2,"inputs":[{"name":"x","dtype":"fp16",)"
            R"("shape":[1,4],"state":false}],"outputs":["x"],)"
            R"("output_types":[{"name":"x","dtype":"fp16","shape":[1,4]}],"backend":null}])");
        QCOMPARE(
            json["files"][2].dump().c_str(),
            R"({"path":"weights/weight.bin","bytes":132,"kind":"data","version":2,"count":1,)"
            R"("blobs":[{"meta_offset":64,"dtype":"int8","code":4,"bytes":4,"data_offset":128,)"
            R"("padding_bits":0,"elements":4}],"payload_bytes":4,"unused_blobs":0})");
        QCOMPARE(json["sections"][2].dump().c_str(),
                 R"({"name":"header","file":"weights/weight.bin","offset":0,"bytes":64,)"
                 R"("kind":"header","share":0.484848,"end":64,"owner":null})");
        QCOMPARE(text(json["sections"][4]["owner"]), text("w"));
        QCOMPARE(json["totals"].dump().c_str(),
                 R"({"weights":1,"stored_bytes":7,"dense_fp16_bytes":8,"ratio":0.875,)"
                 R"("forms":{"affine":1}})");
        QCOMPARE(text(json["diagnostics"]), "[]"_ba);
    }

    void weight()
    {
        const auto bundle = madeAffine();
        const Json json = report::weightJson(**bundle, 0, {}, {});
        QCOMPARE(keysOf(json).c_str(),
                 "name op_name function model address source_op form shape dtype "
                 "elements parts stored_bytes "
                 "detail "
                 "consumers dense_fp16_bytes ratio bits_per_weight");
        QCOMPARE(
            json["parts"][0].dump().c_str(),
            R"({"role":"data","dtype":"int8","shape":[2,2],"bytes":4,)"
            R"("file":"weights/weight.bin","meta_offset":64,"data_offset":128,"shared":false})");
        QCOMPARE(json["parts"][1].dump().c_str(),
                 R"({"role":"scale","dtype":"fp16","shape":[],"bytes":2,"file":null})");
        QCOMPARE(json["detail"].dump().c_str(), R"({"data_bits":8,"scales":1})");
        QCOMPARE(keysOf(json["consumers"][0]).c_str(),
                 "op name param via flops layer_flops geometry");
    }

    void statistics()
    {
        const auto bundle = madeAffine();
        const StatisticsOptions all{true, true};
        const Json json =
            report::weightJson(**bundle, 0, *computeStatistics(**bundle, 0, all), all);
        QCOMPARE(text(json["zero_fraction"]), text(0.25));
        QCOMPARE(text(json["min"]), text(-64.0));
        QCOMPARE(text(json["max"]), text(63.5));
        QCOMPARE(text(json["mean"]), text(0.0));
        QCOMPARE(text(json["nan"]), text(0));
        QCOMPARE(text(json["inf"]), text(0));
        QCOMPARE(json["sha256"].get<std::string>().size(), 64U);
        const Json hash = report::weightJson(**bundle, 0, Statistics{}, {false, true});
        QVERIFY(!hash.contains("min") && hash.contains("sha256"));
    }

    void diagnostics()
    {
        Error error;
        error.code = "blob.sentinel";
        error.file = "weights/weight.bin";
        error.offset = FileOffset(64);
        error.expected = "0xDEADBEEF";
        error.found = "0x00000000";
        error.message = "No record";
        Json json = report::document("inspect");
        json["warnings"] = Json::array();
        json["errors"] = Json::array();
        report::finish(json, {{Severity::Warning, error}, {Severity::Error, Error{}}});
        QCOMPARE(
            json["diagnostics"][0].dump().c_str(),
            R"({"severity":"warning","code":"blob.sentinel","file":"weights/weight.bin",)"
            R"("offset":64,"expected":"0xDEADBEEF","found":"0x00000000","message":"No record"})");
        QCOMPARE(text(json["diagnostics"][1]["file"]), text(nullptr));
        QCOMPARE(text(json["diagnostics"][1]["offset"]), text(nullptr));
        QCOMPARE(json["warnings"].size(), 1U);
        QCOMPARE(json["errors"].size(), 1U);
    }

    void numbers()
    {
        QCOMPARE(report::numberJson(std::uint64_t(1) << 53).dump().c_str(), "9007199254740992");
        QCOMPARE(report::numberJson((std::uint64_t(1) << 53) + 1).dump().c_str(),
                 "\"9007199254740993\"");
        QCOMPARE(report::numberJson(UINT64_MAX).dump().c_str(), "\"18446744073709551615\"");
        QCOMPARE(report::ratioJson(0.12345678).dump().c_str(), "0.123457");
        QCOMPARE(text(report::ratioJson(std::numeric_limits<double>::infinity())), text(nullptr));
        // Of no finite value there is no mean, of no value no share.
        MadeBundle madeAffine;
        madeAffine.weight("w", "[2]", hex("00 7E 00 7C"));
        const auto bundle = VERIFIED(madeAffine.open());
        StatisticsOptions asked;
        const auto figures = VERIFIED(computeStatistics(**bundle, 0, asked));
        QCOMPARE(figures->finite(), 0U);
        Json weight = report::weightJson(**bundle, 0, *figures, asked);
        for (const char *key : {"min", "max", "mean", "std"})
            QCOMPARE(text(weight[key]), text(nullptr));
        QCOMPARE(text(weight["nan"]), text(1));
        QCOMPARE(text(report::weightJson(**bundle, 0, Statistics(), asked)["zero_fraction"]),
                 text(nullptr));
    }

    /// A weight whose file is cut: how many bytes it takes is unknown, and not 0.
    void unknownBytes()
    {
        MadeBundle bundle;
        bundle.layer("w", "[2]", hex("00 3C 00 3C"));
        const auto sound = VERIFIED(bundle.open());
        const auto cut =
            VERIFIED(Bundle::open("cut.mlmodelc", MadeBundle::options(bundle.text(), {})));
        const Json weight = report::weightJson(**cut, 0, {}, {});
        QCOMPARE(text(weight["stored_bytes"]), text(nullptr));
        QCOMPARE(text(weight["ratio"]), text(nullptr));
        QCOMPARE(text(report::weightJson(**sound, 0, {}, {})["stored_bytes"]), text(4));
        Json whole = report::inspectJson(**cut, {}, {});
        QCOMPARE(text(whole["totals"]["stored_bytes"]), text(nullptr));
        QCOMPARE(text(whole["totals"]["ratio"]), text(nullptr));
    }

    void fates_data()
    {
        addColumns<BundlePtr, std::string>();
        addRow("same", oneWeight("[2, 3, 4]", [](int i) { return i; }), std::string("kept"));
        addRow("transposed", oneWeight("[4, 6]", placeTurned), std::string("other order"));
        // Of a reshape before the transpose: no order of the three axes.
        addRow("turned in between", oneWeight("[2, 3, 4]", placeTurned),
               std::string("other order"));
        addRow("one value is another",
               oneWeight("[2, 3, 4]", [](int i) { return i == 7 ? 50 : i; }),
               std::string("other values"));
        addRow("the same sum",
               oneWeight("[2, 3, 4]", [](int i) { return i == 7 || i == 9 ? 8 : i; }),
               std::string("other values"));
    }

    void fates()
    {
        const auto [program, fate] = fetched<BundlePtr, std::string>();
        const BundlePtr package = VERIFIED(oneWeight("[2, 3, 4]", [](int i) { return i; }));
        const auto rows = VERIFIED(report::compiledOrigins(*package, *program, nullptr));
        QCOMPARE(rows->size(), 1U);
        QCOMPARE(std::string(report::fateName(rows->front().fate)), fate);
    }

    /// The same bytes as other numbers: each is found by its name.
    void sameBytes()
    {
        const Bytes bytes = byteRow({200, 1, 2, 3});
        MadeBundle one, other;
        for (MadeBundle *each : {&one, &other}) {
            const bool first = each == &one;
            each->weight(first ? "a" : "b", "[4]", bytes,
                         first ? ElementType::Int8 : ElementType::Uint8);
            each->weight(first ? "b" : "a", "[4]", bytes,
                         first ? ElementType::Uint8 : ElementType::Int8);
        }
        const BundlePtr package = *one.open(), program = *other.open();
        const auto rows = VERIFIED(report::compiledOrigins(*package, *program, nullptr));
        QCOMPARE(rows->size(), 2U);
        for (const report::OriginRow &row : *rows)
            QCOMPARE(std::string(report::fateName(row.fate)), std::string("kept"));
    }

    void codesAlone_data()
    {
        addColumns<QStringList, std::string, std::size_t>();
        const QString less = u"sub(x = codes, y = zero)"_s, wrong = u"sub(x = codes, y = codes)"_s,
                      times = u"mul(x = made0, y = scale)"_s,
                      shifted = u"add(x = made1, y = shift)"_s;
        const std::size_t tables = 3; // the program's own, which are no part of the weight
        addRow("no operations", QStringList{}, std::string("other values"), tables);
        addRow("another offset", QStringList{wrong}, std::string("other values"), tables);
        addRow("not scaled", QStringList{less}, std::string("other values"), tables - 1);
        addRow("scaled", QStringList{less, times}, std::string("scaled by operations"), tables - 2);
        addRow("shifted by another number", QStringList{less, times, shifted},
               std::string("other values"), tables - 3);
    }

    /// The same codes, without their scales: what operations of the program make of them.
    void codesAlone()
    {
        const auto [operations, fate, added] = fetched<QStringList, std::string, std::size_t>();
        MadeCoreAi made;
        const Bytes codes = byteRow({1, 2, 3, 4});
        const auto data = made.constant({2, 2}, Elem::Si8, codes);
        const auto scale = made.constant({2, 1}, Elem::F16, halves({2, 3}));
        const auto zero = made.constant({2, 1}, Elem::Si8, byteRow({5, 6}));
        const auto bias = made.constant({2, 1}, Elem::F16, halves({0, 0}));
        made.output({made.scaled({data, scale, zero, bias}, {2, 2})});
        MadeBundle program;
        program.weight("codes", "[2, 2]", codes, ElementType::Int8);
        program.weight("zero", "[2, 1]", byteRow({5, 6}), ElementType::Int8);
        program.weight("scale", "[2, 1]", halves({2, 3}));
        program.weight("shift", "[2, 1]", halves({0, 1}));
        for (qsizetype i = 0; i < operations.size(); ++i)
            program.op("made" + std::to_string(i), "[2, 2]", operations[i].toStdString());
        const auto other = VERIFIED(program.open());
        const auto rows = VERIFIED(report::compiledOrigins(*made.open(), **other, nullptr));
        QCOMPARE(rows->size(), 1 + added);
        QCOMPARE(std::string(report::fateName(rows->front().fate)), fate);
    }

    void waitsForItsCall()
    {
        const BundlePtr small = VERIFIED(rowsOf({{"w", 64}}));
        const auto verdict = verdictOn(*small, "M1");
        QVERIFY2(verdict.sentence.starts_with("On M1 this program waits for its call, which takes "
                                              "at least 230 \u00B5s"),
                 verdict.sentence.c_str());
        QVERIFY(verdict.sentence.ends_with("no form of a weight makes it faster."));
        QVERIFY(verdict.gains.empty());
        // The time of a call here is a sum: what its forms gain is not worth a word.
        const auto sum = verdictOn(*VERIFIED(rowsOf({{"w", 16}})), "M6");
        QVERIFY2(sum.sentence.starts_with("On M6 this program waits for its call, "),
                 sum.sentence.c_str());
        QVERIFY(sum.sentence.ends_with("no form of a weight makes it noticeably faster."));
        QVERIFY(sum.gains.empty());
    }

    /// A file of weights alone, as a checkpoint is, has no program to be faster.
    void nothingReadsTheWeights()
    {
        MadeBundle made;
        made.weight("w", "[4]", Bytes(8, std::byte(0x3c)));
        const auto verdict = verdictOn(*VERIFIED(made.open()).value(), "M1");
        QVERIFY2(verdict.sentence.starts_with("Nothing in this file reads its weights"),
                 verdict.sentence.c_str());
        const auto none = verdictOn(*VERIFIED(MadeBundle().open()).value(), "M1");
        QVERIFY2(none.sentence.starts_with("No weight was read"), none.sentence.c_str());
    }

    void ranksWhatWouldGain()
    {
        const BundlePtr large = VERIFIED(rowsOf({{"less", 2048}, {"most", 6144}, {"little", 16}}));
        const auto verdict = verdictOn(*large, "M1");
        QVERIFY2(verdict.sentence.starts_with("On M1 this program is bandwidth bound: "),
                 verdict.sentence.c_str());
        QVERIFY2(verdict.sentence.find(" of 3 weights in ") != std::string::npos &&
                     verdict.sentence.find(" times as fast (") != std::string::npos,
                 verdict.sentence.c_str());
        QVERIFY(verdict.sentence.ends_with(
            ", if their errors are accepted (Choose a Form and Plan measure them)."));
        QVERIFY(verdict.gains.size() >= 2);
        QCOMPARE(verdict.gains[0].name, "most");
        QCOMPARE(verdict.gains[1].name, "less");
        for (std::size_t i = 0; i < verdict.gains.size(); ++i) {
            const report::WeightGain &gain = verdict.gains[i];
            QVERIFY(gain.storedS && *gain.storedS > gain.formS && gain.form != gain.stored);
            QVERIFY(gain.less && *gain.less > 0);
            QVERIFY(i == 0 || gain.savedS() <= verdict.gains[i - 1].savedS());
        }
        report::Json document;
        report::addVerdict(document, verdict);
        QCOMPARE(document["verdict"]["sentence"].get<std::string>(), verdict.sentence);
        QCOMPARE(document["verdict"]["gains"].size(), verdict.gains.size());
        QCOMPARE(document["verdict"]["gains"][0]["weight"].get<std::string>(), "most");
    }

    /// Without a compute roof forms of few bytes have no time: the others are said, or that it is
    /// not known.
    void formsWithoutATime()
    {
        const auto known = verdictOn(*VERIFIED(rowsOf({{"w", 4096}}, "8")), "M2");
        QCOMPARE(known.gains.size(), 1U);
        QCOMPARE(known.gains[0].form, "palette8");
        const auto open = verdictOn(*VERIFIED(rowsOf({{"w", 4096}}, "16")), "M2");
        QVERIFY(open.gains.empty());
        QCOMPARE(open.sentence, "On M2 this program is bandwidth bound: no other form of a weight "
                                "is known to make it faster.");
    }

    void whyItIsNotKnownWhatBinds_data()
    {
        const auto row = addColumns<QByteArray, QByteArray, QByteArray>();
        row("no roofs", "H11", "1", "no roofs are published for the chip.");
        row("no compute roof", "M2", "64", "no compute roof is published for the chip.");
        row("extents", "M1", "?", "extents of its layers are open (Shapes of Inputs, --shape).");
        row("both", "M2", "?",
            "no compute roof is published for the chip, and extents of its layers are open (Shapes "
            "of Inputs, --shape).");
    }
    void whyItIsNotKnownWhatBinds()
    {
        const auto [chip, inputs, why] = fetched<QByteArray, QByteArray, QByteArray>();
        const target::Target &target = *target::findTarget(chip.toStdString())->target;
        const auto bundle = VERIFIED(rowsOf({{"w", 64}}, inputs.toStdString()));
        QCOMPARE(verdictOn(*bundle, target.name).sentence,
                 "On " + (target.product.empty() ? target.name : target.product) +
                     " it is not known what this program waits for: " + why.toStdString());
    }

    void runsAnUnknownNumberOfTimes()
    {
        test::MadeProgram made;
        made.function(
            "main", "x",
            made.weight("w") +
                test::MadeProgram::loop("z", "x", "t", test::MadeProgram::linear("t", "w", "r")),
            "z");
        const auto bundle = VERIFIED(made.open());
        QCOMPARE(verdictOn(**bundle, "M1").sentence,
                 "On M1 it is not known what this program waits for: 1 of 1 layers run an unknown "
                 "number of times (loops, branches).");
    }

    /// Whatever the chip, something is said of it, with its name.
    void everyChipHasASentence()
    {
        const BundlePtr large = VERIFIED(rowsOf({{"w", 4096}}));
        for (const target::Target &chip : target::targets()) {
            const auto verdict = VERIFIED(report::programVerdict(*large, chip));
            const std::string &name = chip.product.empty() ? chip.name : chip.product;
            QVERIFY2(verdict->sentence.starts_with("On " + name + " "), chip.name.c_str());
            QVERIFY(verdict->sentence.ends_with("."));
        }
    }
};

KERNSCOPE_TEST(TestInspectJson, NoApplication)
#include "tst_inspect_json.moc"
