// SPDX-License-Identifier: GPL-3.0-or-later
// A compiled pipeline: models in folders model0, model1, … of one bundle.
#include "made_bundle.h"

#include "core/base/overlaid_file.h"
#include "core/container/mil/faults.h"
#include "core/container/mil/model_files.h"
#include "core/container/mil/reader.h"
#include "core/patch/patch.h"
#include "core/patch/reencode/reencode.h"
#include "tests/test_program.h"

namespace {

using Files = std::vector<std::pair<std::string, Bytes>>;

Bytes ofText(std::string_view text)
{
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

/// Dense values in the weight file, and a scale that is written in the text.
Files member(const std::string &folder, float first)
{
    MadeBundle made;
    made.weight("w", "[2, 2]", halves({first, 2, 3, 4}));
    made.line("tensor<fp16, [2, 2]> q = constexpr_affine_dequantize()[axis = int32(0), name = "
              "string(\"q\"), quantized_data = tensor<int8, [2, 2]>([1, 3, 4, 5]), scale = "
              "fp16(0x1p0), zero_point = int8(0)]");
    made.consume("w");
    made.consume("q");
    Files files;
    for (auto &[path, bytes] : made.options().memory) {
        if (path != "metadata.json")
            files.emplace_back(folder + "/" + path, std::move(bytes));
    }
    return files;
}

OpenOptions pipeline()
{
    OpenOptions options;
    options.memory = {
        {"coremldata.bin", ofText("x")},
        {"metadata.json",
         ofText(R"([{"author": "A", "modelType": {"name": "MLModelType_pipeline", "structure": [)"
                R"({"name": "MLModelType_mlProgram"}, {"name": "MLModelType_mlProgram"}, )"
                R"({"name": "MLModelType_neuralNetwork"}, {"name": "MLModelType_glmRegressor"}, )"
                R"({"name": "MLModelType_pipeline"}]}}])")},
        {"model2/model.espresso.net", ofText(R"({"format_version": 200, "layers": []})")},
        {"model2/model.espresso.weights", Bytes(8)},
        {"model3/coremldata.bin", ofText("x")}};
    Files more;
    for (const auto &[folder, first] :
         {std::pair("model0", 1.0f), std::pair("model1", 7.0f), std::pair("model4/model0", 9.0f)}) {
        for (auto &file : member(folder, first))
            options.memory.push_back(std::move(file));
    }
    return options;
}

std::vector<std::string> addresses(const Bundle &bundle)
{
    std::vector<std::string> all;
    for (const Weight &weight : bundle.weights())
        all.push_back(weight.address());
    return all;
}

std::string textOf(const Bundle &bundle, const char *path)
{
    const auto file = bundle.fileByPath(path);
    if (!file)
        return {};
    const auto bytes = bundle.files()[*file].file->bytes();
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

} // namespace

class TestCompiledPipeline : public QObject
{
    Q_OBJECT

private slots:
    void reads()
    {
        const auto opened = VERIFIED(Bundle::open("p.mlmodelc", pipeline()));
        const Bundle &bundle = **opened;
        QVERIFY(bundle.kind() == BundleKind::Mlmodelc);
        QCOMPARE(addresses(bundle),
                 (std::vector<std::string>{"model0/main/w", "model0/main/q", "model1/main/w",
                                           "model1/main/q", "model4/model0/main/w",
                                           "model4/model0/main/q"}));
        QCOMPARE(decoded(bundle, "model1/main/w"), (std::vector<float>{7, 2, 3, 4}));
        QCOMPARE(decoded(bundle, "model4/model0/main/w"), (std::vector<float>{9, 2, 3, 4}));
        std::vector<std::string> models;
        for (const mil::ModelNode &node : bundle.program()->models)
            models.push_back(node.path + " " + node.kind);
        QCOMPARE(models,
                 (std::vector<std::string>{" pipeline", "model0 mlProgram", "model1 mlProgram",
                                           "model2 neuralNetwork (Espresso)", "model3 glmRegressor",
                                           "model4 pipeline", "model4/model0 mlProgram"}));
        QCOMPARE(bundle.program()->descriptions.front().metadata.size(), 1U);
        QCOMPARE(faults(bundle.diagnostics()), (std::vector<std::string>{}));
        QCOMPARE(sectionFault(bundle), std::string());
        for (const char *path : {"model1/weights/weight.bin", "model4/model0/weights/weight.bin"})
            QVERIFY(bundle.files()[bundle.fileByPath(path).value()].role == SectionKind::Data);
        QCOMPARE(bundle.files()[bundle.programFileOf("model1")].path, "model1/model.mil");
        QVERIFY(bundle.isProgramFile(bundle.fileByPath("model4/model0/model.mil").value()));
        QVERIFY(!bundle.isProgramFile(bundle.fileByPath("metadata.json").value()));
    }

    /// Models of other kinds alone: named, and nothing is wrong.
    void otherKindsAlone()
    {
        const auto bundle = VERIFIED(Bundle::open(
            "p.mlmodelc",
            {.memory = {{"coremldata.bin", ofText("x")}, {"model0/coremldata.bin", ofText("x")}}}));
        QCOMPARE((*bundle)->program()->models.size(), 2U);
        QCOMPARE((*bundle)->program()->models.back().kind, "compiled model");
        QCOMPARE((*bundle)->programFile(), kNoIndex);
        QCOMPARE(sectionFault(**bundle), std::string());
    }

    /// What is wrong in one model is said with its file, and the others are read.
    void faultsNameTheirModel()
    {
        OpenOptions options = pipeline();
        std::erase_if(options.memory,
                      [](const auto &file) { return file.first == "model1/weights/weight.bin"; });
        auto bundle = VERIFIED(Bundle::open("p.mlmodelc", options));
        QVERIFY(std::ranges::count(faults((*bundle)->diagnostics()),
                                   "error blob.file model1/weights/weight.bin") == 1);
        QCOMPARE(decoded(**bundle, "model0/main/w"), (std::vector<float>{1, 2, 3, 4}));

        for (auto &[path, bytes] : options.memory) {
            if (path == "model0/model.mil")
                bytes = ofText("program(1.3)\n{ func");
        }
        bundle = VERIFIED(Bundle::open("p.mlmodelc", options));
        const auto &found = (*bundle)->diagnostics();
        QVERIFY(std::ranges::any_of(found, [](const Diagnostic &each) {
            return each.severity == Severity::Error && each.error.file == "model0/model.mil";
        }));
        QCOMPARE(decoded(**bundle, "model4/model0/main/w"), (std::vector<float>{9, 2, 3, 4}));
    }

    void folders()
    {
        QVERIFY(mil::isMemberFolder("a/model0/"));
        QVERIFY(mil::isMemberFolder("model12/"));
        for (const char *other :
             {"model/", "model01/", "model1", "models1/", "model99999999999/", "/"})
            QVERIFY2(!mil::isMemberFolder(other), other);
        std::vector<std::string> paths;
        for (const mil::PipelineMember &each : mil::pipelineMembers(
                 {"model10/model.mil", "model2/model.mil", "model2/x/model3/model.mil",
                  "model01/model.mil", "weights/model1/model.mil", "model1"}))
            paths.push_back(each.path);
        QCOMPARE(paths, (std::vector<std::string>{"model2", "model10"}));
    }

    /// The texts of a pipeline's models have the limits of one program together.
    void limitsAreShared()
    {
        const Bytes text = member("m", 1).front().second;
        mil::SpentOnText spent;
        QVERIFY(mil::readProgramText(text, "model.mil", &spent).diagnostics.empty());
        QCOMPARE(spent.bytes, text.size());
        QVERIFY(spent.nodes > 0);
        for (mil::SpentOnText most :
             {mil::SpentOnText{mil::kMaxNodes, 0}, mil::SpentOnText{0, mil::kMaxTextBytes}}) {
            const auto parsed = mil::readProgramText(text, "model.mil", &most);
            QVERIFY(hasCode(parsed.diagnostics, "mil.limit"));
        }
    }

    /// A number that one model's text holds changes there, and nowhere else.
    void editsLiterals()
    {
        const auto bundle = VERIFIED(Bundle::open("p.mlmodelc", pipeline()));
        const auto edit = VERIFIED(parseEdit(Edit::Kind::Set, "model1/main/q[0,1]=2"));
        const auto planned = VERIFIED(planEdits(*bundle, {*edit}, 4));
        for (const FileEdit &change : planned->front().bytes)
            QCOMPARE((*bundle)->files()[change.file].path, "model1/model.mil");
        const auto after = VERIFIED(applyEdit(*bundle, planned->front()));
        QCOMPARE(decoded(**after, "model1/main/q"), (std::vector<float>{1, 2, 4, 5}));
        QCOMPARE(decoded(**after, "model0/main/q"), (std::vector<float>{1, 3, 4, 5}));
    }

    /// Weights of two models get another form in one step; the third is as it was.
    void reencodes()
    {
        const auto bundle = VERIFIED(Bundle::open("p.mlmodelc", pipeline()));
        std::vector<codec::EncodedWeight> encoded;
        for (const float first : {1.0f, 7.0f}) {
            const std::vector<float> values{first, 2, 3, 4};
            auto made = VERIFIED(codec::encodeSparse(values, Shape{2, 2}, 0.0f));
            encoded.push_back(std::move(*made));
        }
        const std::vector<Reencoding> jobs{
            {*(*bundle)->weightByName("model0/main/w"), &encoded[0]},
            {*(*bundle)->weightByName("model1/main/w"), &encoded[1]}};
        const auto made = VERIFIED(reencodeWeights(**bundle, jobs));
        QCOMPARE(addresses(**made), addresses(**bundle));
        for (const char *model : {"model0", "model1"}) {
            const auto weight = (*made)->weightByName(std::string(model) + "/main/w");
            QVERIFY((*made)->weights()[weight.value()].form.isSparse());
        }
        QCOMPARE(decoded(**made, "model1/main/w"), (std::vector<float>{7, 2, 3, 4}));
        QCOMPARE(decoded(**made, "model0/main/w"), (std::vector<float>{1, 2, 3, 4}));
        QCOMPARE(textOf(**made, "model4/model0/model.mil"),
                 textOf(**bundle, "model4/model0/model.mil"));
        QVERIFY(!hasErrors((*made)->diagnostics()));
    }
};

KERNSCOPE_TEST(TestCompiledPipeline, NoApplication)
#include "tst_compiled_pipeline.moc"
