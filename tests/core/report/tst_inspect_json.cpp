// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "made_bundle.h"

#include "core/report/json.h"
#include "core/report/json_table.h"
#include "tests/test_program.h"

#include <nlohmann/json.hpp>

using namespace kernscope;
using namespace kernscope::test;
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

} // namespace

/// The document of `inspect`: keys, notations and order are a contract.
class TestInspectJson : public QObject
{
    Q_OBJECT

private slots:
    void document()
    {
        const auto bundle = VERIFIED(madeAffine());
        Json json = report::inspectJson(**bundle, {}, {});
        report::finish(json, (*bundle)->diagnostics());
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
        QCOMPARE(text(json["diagnostics"]), QByteArray("[]"));
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
        QCOMPARE(json["sha256"].get<std::string>().size(), std::size_t(64));
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
        QCOMPARE(json["warnings"].size(), std::size_t(1));
        QCOMPARE(json["errors"].size(), std::size_t(1));
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
        QCOMPARE(figures->finite(), std::uint64_t(0));
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
};

KERNSCOPE_TEST(TestInspectJson, kernscope::test::NoApplication)
#include "tst_inspect_json.moc"
