// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "core/container/mil/program.h"
#include "core/form/storage_form.h"
#include "made_bundle.h"
#include "proto_builder.h"

#include "core/codec/encode/encoder.h"
#include "core/patch/reencode/raise_opset.h"
#include "core/patch/reencode/reencode.h"
#include "tests/test_program.h"

using namespace kernscope;
using prototest::bytes;
using prototest::entry;
using prototest::number;

namespace {

std::string textOf(const BundleFile &file)
{
    const auto raw = file.file->bytes();
    return {reinterpret_cast<const char *>(raw.data()), raw.size()};
}

BundlePtr compiled(const std::string &statement, const char *opset)
{
    const std::string text = std::string("program(1.0) { func other<ios17>(fp16 x) { } -> (x); "
                                         "func main<") +
                             opset + ">(fp16 x) { " + statement + " } -> (x); }";
    OpenOptions options = test::MadeBundle::options(text, {});
    for (auto &[path, content] : options.memory) {
        if (path == "metadata.json")
            content = test::asBytes("[{\"specificationVersion\" : 6, \"a\" : 1}]");
    }
    return Bundle::open("made.mlmodelc", options).value_or(nullptr);
}

/// A program of one function of iOS 15 with a block for it.
QByteArray program()
{
    const QByteArray function = bytes(2, "CoreML5") + entry(3, "CoreML5", bytes(2, "x")) +
                                bytes(1, bytes(1, "x") + bytes(2, bytes(1, number(1, 10))));
    return number(1, 1) + entry(2, "main", function);
}

} // namespace

/// Operation sets raised for a form that a program's own does not have.
class TestRaiseOpset : public QObject
{
    Q_OBJECT

private slots:
    void text()
    {
        const BundlePtr bundle =
            VERIFIED(compiled("fp16 y = gather(x = x, indices = x);", "ios15"));
        const auto raised = VERIFIED(raiseOpset(*bundle, "", 16));
        QCOMPARE(raised->before, "ios15");
        QCOMPARE(raised->bundle->program()->functions[0].opset, "ios17");
        QCOMPARE(raised->bundle->program()->functions[1].opset, "ios16");
        QCOMPARE(raised->changes.size(), 1U);
        QCOMPARE(raised->changes[0].operation, "gather");
        std::string expected = textOf(bundle->files()[bundle->programFile()]);
        expected.replace(expected.find("ios15"), 5, "ios16");
        QCOMPARE(textOf(raised->bundle->files()[raised->bundle->programFile()]), expected);
        const auto json = raised->bundle->fileByPath("metadata.json");
        QCOMPARE(QByteArray::fromStdString(textOf(raised->bundle->files()[*json])),
                 QByteArray("[{\"specificationVersion\" : 7, \"a\" : 1}]"));
    }

    /// An operation that means something else there stops the whole.
    void meanings()
    {
        const BundlePtr bundle = compiled("fp16 y = crop_resize(x = x, roi = x);", "ios15");
        QVERIFY(raiseOpset(*bundle, "", 16));
        const Error refused = REFUSED(raiseOpset(*bundle, "", 17));
        QCOMPARE(refused.code, "encode.opset");
        QCOMPARE(refused.field, "crop_resize");
        QVERIFY(!raiseOpset(*bundle, "", 15));
        QVERIFY(!raiseOpset(*bundle, "", 99));
        QVERIFY(!raiseOpset(*compiled("fp16 y = non_maximum_suppression(boxes = x);", "ios16"), "",
                            17));
        QVERIFY(!raiseOpset(*compiled("", "ios18"), "", 16));
    }

    /// Since iOS 17 negative indices are out of bounds; until then they count from the end.
    void indices()
    {
        for (const char *operation :
             {"gather(x = x, ", "gather_nd(x = x, ", "gather_along_axis(x = x, ",
              "scatter(data = x, ", "scatter_nd(data = x, "}) {
            const std::string begin = "fp16 y = " + std::string(operation) + "indices = ";
            const auto last = compiled(begin + "int32(-1));", "ios15");
            QVERIFY(raiseOpset(*last, "", 16));
            const Error refused = REFUSED(raiseOpset(*last, "", 17));
            QCOMPARE(refused.code, "encode.opset");
            const auto first =
                VERIFIED(raiseOpset(*compiled(begin + "int32(0));", "ios15"), "", 17));
            QVERIFY(!first->changes.empty());
            QVERIFY(raiseOpset(*compiled(begin + "x);", "ios15"), "", 17));
        }
    }

    /// Specification version, opset and the key of its block, in the model and the pipeline around
    /// it.
    void models()
    {
        const QByteArray inner = number(1, 6) + bytes(502, program());
        const QByteArray pipeline = number(1, 6) + bytes(202, bytes(1, inner) + bytes(1, inner) +
                                                                  bytes(2, "a") + bytes(2, "b"));
        for (const QByteArray &raw : {inner, pipeline}) {
            const auto bundle = VERIFIED(
                Bundle::open("x.mlmodel", {.memory = {{"x.mlmodel", test::asBytes(raw)}}}));
            QVERIFY(test::faults((*bundle)->diagnostics()).empty());
            const std::string model = raw == inner ? "" : "b";
            const auto raised = VERIFIED(raiseOpset(**bundle, model, 18));
            QVERIFY(test::faults(raised->bundle->diagnostics()).empty());
            for (const mil::Function &function : raised->bundle->program()->functions)
                QCOMPARE(function.opset, std::string(function.model == model ? "ios18" : "ios15"));
            for (const mil::ModelNode &node : raised->bundle->program()->models)
                QCOMPARE(node.specification, std::string(node.path == "a" ? "6" : "9"));
            QCOMPARE(raised->bundle->files()[0].file->size(), (*bundle)->files()[0].file->size());
        }
    }

    void required()
    {
        const std::vector<float> values(40, 1.5f);
        QCOMPARE(*requiredOpset(*codec::encodePalette(values, {4, 10}, {4, 1, 1}), 15), 16U);
        QCOMPARE(*requiredOpset(*codec::encodePalette(values, {4, 10}, {3, 1, 1}), 15), 18U);
        QCOMPARE(*requiredOpset(*codec::encodePalette(values, {4, 10}, {4, 1, 1}), 17), 17U);
        QVERIFY(!requiredOpset(
            *codec::encodePalette(values, {4, 10}, {4, 1, 1, ElementType::Fp8E4M3Fn}), 15));
    }

    /// Palettes and sparse weights of iOS 16 are written in the signature of iOS 18, with the same
    /// bytes; two of one record share one afterwards too. Affine weights are not defined anew
    /// there.
    void signatures()
    {
        test::MadeBundle made;
        for (const char *name : {"lut", "tied", "thin", "affine", "dense"})
            made.weight(name, "[4, 12]", test::Bytes(96, std::byte{0x31}));
        std::string text = made.text();
        text.replace(text.find("ios18"), 5, "ios16");
        const auto dense =
            VERIFIED(Bundle::open("made.mlmodelc", made.options(text, made.weights())));
        std::vector<float> values(48);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(i % 7) * 0.5f;
        const auto lut = codec::encodePalette(values, {4, 12}, {2, 1, 1});
        const auto thin = codec::encodeSparse(values, {4, 12}, 1.0f);
        const auto affine = codec::encodeAffine(values, {4, 12}, {});
        const auto of = [&](const char *name) { return *(*dense)->weightByName(name); };
        const std::vector<Reencoding> wanted{{of("lut"), &*lut},
                                             {of("tied"), &*lut},
                                             {of("thin"), &*thin},
                                             {of("affine"), &*affine}};
        const auto old = VERIFIED(reencodeWeights(**dense, wanted));
        const auto raised = VERIFIED(raiseOpset(**old, "", 18));
        const Bundle &after = *raised->bundle;
        QVERIFY(test::faults(after.diagnostics()).empty());
        QCOMPARE(test::sectionFault(after).c_str(), "");
        QCOMPARE(after.weights().size(), (*old)->weights().size());
        for (const char *name : {"lut", "tied", "thin", "affine", "dense"}) {
            const Weight &was = (*old)->weights()[*(*old)->weightByName(name)];
            const Weight &is = after.weights()[*after.weightByName(name)];
            QCOMPARE(test::decoded(after, name), test::decoded(**old, name));
            QCOMPARE(formText(is.form), formText(was.form));
            QCOMPARE(is.storedBytes.value, was.storedBytes.value);
        }
        const auto program = after.program();
        for (const mil::Operation &operation : program->functions[0].body.operations) {
            const bool anew = operation.type == "constexpr_lut_to_dense" ||
                              operation.type == "constexpr_sparse_to_dense";
            if (anew)
                QVERIFY(!operation.inputs.empty() && operation.operand("shape") == nullptr);
            else if (operation.type == "constexpr_affine_dequantize")
                QVERIFY(operation.inputs.empty());
        }
        QCOMPARE(std::count_if(raised->changes.begin(), raised->changes.end(),
                               [](const OpsetChange &change) { return change.rewritten; }),
                 2);
        // The records of the two that share them are still one.
        QVERIFY(after.weights()[*after.weightByName("lut")].operands()[0].bytes.data() ==
                after.weights()[*after.weightByName("tied")].operands()[0].bytes.data());
    }
};

KERNSCOPE_TEST(TestRaiseOpset, kernscope::test::NoApplication)
#include "tst_raise_opset.moc"
