// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "core/codec/decode/decoder.h"
#include "core/patch/reencode/raise_opset.h"
#include "core/patch/reencode/reencoder.h"
#include "proto_builder.h"
#include "tests/core/patch/form_rows.h"
#include "tests/data/data_folder.h"

using codec::FormSpec;
using prototest::bytes;
using prototest::entry;
using prototest::number;

namespace {

const BundleFile &weightFile(const Bundle &bundle)
{
    for (const BundleFile &file : bundle.files()) {
        if (file.path.ends_with("weight.bin"))
            return file;
    }
    return bundle.files().front();
}

/// Values in fp32, whatever the weight's type.
std::vector<float> floats(const Bundle &bundle, std::string_view name)
{
    const auto decoder = bundle.decoder(*bundle.weightByName(name));
    std::vector<float> values(decoder ? decoder->elements().value : 0);
    if (decoder)
        decoder->decodeFloat(0, values);
    return values;
}

std::string codeOf(const Result<BundlePtr> &result)
{
    return result ? std::string("taken") : result.error().code;
}

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
    OpenOptions options = MadeBundle::options(text, {});
    for (auto &[path, content] : options.memory) {
        if (path == "metadata.json")
            content = asBytes("[{\"specificationVersion\" : 6, \"a\" : 1}]");
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

/// Every form of a weight becomes every other form; nothing else changes.
/// Operation sets raised for a form that a program's own does not have.
class TestReencode : public QObject
{
    Q_OBJECT

private slots:
    void everyFormToEveryForm_data() { addForms(); }

    void everyFormToEveryForm()
    {
        const auto [name] = fetched<QString>();
        const auto bundle = *sampleBundle(name.toStdString()).open();
        const auto index = VERIFIED(bundle->weightByName("w"));
        const Weight &weight = bundle->weights()[*index];
        const auto values = floats(*bundle, "w");
        for (const FormSpec &form : someForms()) {
            FormSpec wanted = form;
            wanted.denseType = weight.type;
            const bool plain = weight.type == ElementType::Fp16 || weight.type == ElementType::Fp32;
            auto encoded = VERIFIED(codec::encodeForm(values, weight.shape, wanted));
            if (weight.type == ElementType::Fp32)
                codec::widenToFp32(*encoded);
            const auto made = reencodeWeight(*bundle, *index, *encoded);
            if (!plain && form.node != FormNode::Dense) {
                QCOMPARE(codeOf(made), "encode.type");
                continue;
            }
            QVERIFY2(made, made ? "" : (describe(form) + ": " + describe(made.error())).c_str());
            QCOMPARE(sectionFault(**made).c_str(), "");
            QVERIFY(!hasErrors((*made)->diagnostics()));
            QCOMPARE((*made)->weights().size(), bundle->weights().size());
            QCOMPARE(decoded(**made, "behind"), decoded(*bundle, "behind"));
            const auto decoder = codec::Decoder::make(encoded->encoding());
            std::vector<float> expected(values.size());
            decoder->decodeFloat(0, expected);
            QCOMPARE(floats(**made, "w"), expected);
            QCOMPARE(weightFile(**made).unusedRecords, weightFile(*bundle).unusedRecords);
        }
    }

    /// All in one pass: the same bundle as one after the other, whatever form they had.
    void severalAtOnce()
    {
        for (const SampleForm &form : sampleForms()) {
            const auto bundle = *sampleBundle(form.name).open();
            if (bundle->weights()[*bundle->weightByName("w")].type != ElementType::Fp16)
                continue;
            std::vector<codec::EncodedWeight> encoded;
            std::vector<Reencoding> all;
            for (const char *name : {"w", "behind"}) {
                const std::size_t index = *bundle->weightByName(name);
                FormSpec palette;
                palette.node = FormNode::Palette;
                encoded.push_back(*codec::encodeForm(floats(*bundle, name),
                                                     bundle->weights()[index].shape, palette));
                all.push_back({index, nullptr});
            }
            for (std::size_t i = 0; i < all.size(); ++i)
                all[i].encoded = &encoded[i];
            const auto together = VERIFIED(reencodeWeights(*bundle, all));
            const auto first = VERIFIED(reencodeWeight(*bundle, all[0].weight, encoded[0]));
            const auto second =
                VERIFIED(reencodeWeight(**first, *(*first)->weightByName("behind"), encoded[1]));
            QCOMPARE(contentOf(**together), contentOf(**second));
            all.push_back(all.front());
            QCOMPARE(codeOf(reencodeWeights(*bundle, all)), "encode.program");
        }
    }

    void servantsGoWithTheirMaster()
    {
        MadeBundle made;
        made.weight("ids", "[32]", Bytes(16, std::byte{0x21}), ElementType::Uint4);
        made.weight("book", "[1, 16, 1]",
                    halves({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
        for (const char *name : {"w", "v"})
            made.line(std::string("tensor<fp16, [32]> ") + name +
                      " = constexpr_lut_to_dense(indices = ids, lut = book)[name = string(\"" +
                      name + "\")]");
        made.consume("w");
        made.consume("v");
        const auto bundle = *made.open();
        QVERIFY(!hasErrors(bundle->diagnostics()));
        const auto w = *bundle->weightByName("w");
        const auto dense = codec::encodeDense(decoded(*bundle, "w"), {32}, ElementType::Fp16);
        // Both share the constants: they stay.
        const auto first = VERIFIED(reencodeWeight(*bundle, w, *dense));
        QCOMPARE(decoded(**first, "v"), decoded(*bundle, "v"));
        QCOMPARE(weightFile(**first).records, 3u);
        // Now "v" uses them alone: they go.
        const auto second = VERIFIED(reencodeWeight(**first, *(*first)->weightByName("v"), *dense));
        QCOMPARE(weightFile(**second).records, 2u);
        const auto text = (*second)->files()[(*second)->programFile()].file->bytes();
        const std::string program(reinterpret_cast<const char *>(text.data()), text.size());
        QVERIFY(program.find("book") == std::string::npos);
        QCOMPARE(decoded(**second, "w"), decoded(*bundle, "w"));
    }

    /// No record without bytes, whatever the type; coremltools' loader fails at one.
    void smallPartsAreLiterals()
    {
        for (const ElementType type : {ElementType::Fp16, ElementType::Fp32}) {
            for (const bool palette : {false, true}) {
                MadeBundle made;
                const std::string name(elementTypeName(type));
                made.line("tensor<" + name + ", [16, 2]> w = const()[name = string(\"w\"), val = " +
                          made.blob(type, "[16, 2]", Bytes(16 * bitWidth(type) / 4)) + "]");
                made.consume("w");
                const auto bundle = *made.open();
                QCOMPARE(bundle->weights().size(), 1U);
                FormSpec sparse;
                sparse.node = FormNode::Sparse;
                sparse.density = 0.0;
                if (palette)
                    sparse.survivors = FormNode::Palette;
                auto encoded = VERIFIED(codec::encodeForm(
                    std::vector<float>(32), bundle->weights()[0].shape, sparse, type));
                const auto out = VERIFIED(reencodeWeight(*bundle, 0, *encoded));
                QCOMPARE(floats(**out, "w"), std::vector<float>(32));
                for (const codec::Operand &operand : (*out)->weights()[0].operands())
                    QVERIFY(operand.place->isLiteral() || operand.place->bytes.value > 0);
                QVERIFY(sectionFault(**out).empty());
            }
        }
        // Each type in the notation of the program, and back.
        for (const ElementType type :
             {ElementType::Fp16, ElementType::Fp32, ElementType::Int8, ElementType::Uint1}) {
            const auto parts =
                VERIFIED(codec::encodeDense(std::vector<float>{0, 1, 0, 1}, {4}, type));
            const auto draft = patch::draftOperations(*parts, {"w", "w", "ios26"});
            QVERIFY(draft && draft->front().operands.front().literal);
            const std::string text = patch::serialiseText(draft->front(), "x", 26);
            const bool real = isFloatingPoint(type);
            QVERIFY2(text.find(real ? "0x0p+0, 0x1p+0, 0x0p+0" : "0, 1, 0, 1") != std::string::npos,
                     text.c_str());
        }
    }

    /// Two weights that store the same share every part, small ones too.
    void sharedParts()
    {
        MadeBundle made;
        const std::string record = made.blob(ElementType::Fp16, "[16, 4]", Bytes(128));
        for (const char *name : {"w", "v"}) {
            made.constant("tensor<fp16, [16, 4]>", name, record);
            made.consume(name);
        }
        const auto bundle = *made.open();
        FormSpec palette;
        palette.node = FormNode::Palette;
        palette.palette.bits = 2;
        const auto encoded = codec::encodeForm(std::vector<float>(64, 0.5f), {16, 4}, palette);
        const std::vector<Reencoding> both{{0, &*encoded}, {1, &*encoded}};
        const auto out = VERIFIED(reencodeWeights(*bundle, both));
        QCOMPARE((*out)->totals().storedBytes.value, (*out)->weights()[0].storedBytes.value);
        QCOMPARE((*out)->totals().denseFp16Bytes.value, 128U);
        const auto alone = reencodeWeight(*bundle, 0, *encoded);
        QVERIFY(alone && (*alone)->weights()[0].operand(codec::PartRole::Lut)->place->isLiteral());
    }

    /// A program of literals alone has no weight file to write into: they stay literals.
    void withoutWeightFile()
    {
        MadeBundle made;
        made.line("tensor<fp16, [3, 1]> w = const()[name = string(\"w\"), val = tensor<fp16, [3, "
                  "1]>([0x1p+0, -0x1.8p+0, 0x1p-1])]");
        made.consume("w");
        OpenOptions options = made.options();
        options.memory.pop_back(); // weight.bin
        const auto bundle = *Bundle::open("made.mlmodelc", options);
        QCOMPARE(bundle->weights().size(), 1U);
        const auto values = floats(*bundle, "w");
        QCOMPARE(values, (std::vector<float>{1, -1.5f, 0.5f}));
        FormSpec affine;
        affine.node = FormNode::Affine;
        const auto encoded = codec::encodeForm(values, {3, 1}, affine);
        const auto out = VERIFIED(reencodeWeight(*bundle, 0, *encoded));
        QCOMPARE(formText((*out)->weights()[0].form), "affine");
        const auto back = codec::encodeDense(floats(**out, "w"), {3, 1}, ElementType::Fp16);
        const auto dense = VERIFIED(reencodeWeight(**out, 0, *back));
        QCOMPARE(floats(**dense, "w"), floats(**out, "w"));
    }

    void oldSignature()
    {
        codec::PaletteOptions options;
        const std::vector<float> values{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4};
        const auto palette = codec::encodePalette(values, {3, 4}, options);
        const auto old = VERIFIED(patch::draftOperations(*palette, {"w", "w\"eight", "ios16"}));
        const std::string text =
            patch::serialiseText(old->front(), "@model_path/weights/weight.bin", 16);
        QCOMPARE(text.c_str(),
                 "tensor<fp16, [3, 4]> w = constexpr_lut_to_dense()[indices = tensor<uint8, "
                 "[6]>([16, 50, 16, 50, 16, 50]), lut = tensor<fp16, [16]>(BLOBFILE(path = "
                 "tensor<string, []>(\"@model_path/weights/weight.bin\"), offset = tensor<uint64, "
                 "[]>(0))), name = tensor<string, []>(\"w\\\"eight\"), shape = tensor<uint32, "
                 "[2]>([3, 4])]");
        const auto refused = [&](const codec::PaletteOptions &asked, const char *opset) {
            const auto weight = codec::encodePalette(std::vector<float>(40, 1.5f), {4, 10}, asked);
            const auto draft = patch::draftOperations(*weight, {"w", "w", opset});
            return draft ? std::string("taken") : draft.error().code;
        };
        QCOMPARE(refused({3, 1, 1}, "ios17"), "encode.opset");
        QCOMPARE(refused({4, 2, 1}, "ios16"), "encode.opset");
        QCOMPARE(refused({4, 1, 2}, "ios16"), "encode.opset");
        QCOMPARE(refused({4, 1, 1}, "ios15"), "encode.opset");
        QCOMPARE(refused({4, 1, 1}, "ios16"), "taken");
        QCOMPARE(refused({4, 1, 1, ElementType::Int8}, "ios18"), "taken");
        QCOMPARE(refused({4, 1, 1, ElementType::Fp8E4M3Fn}, "ios18"), "encode.form");
    }

    void refusals()
    {
        const auto bundle = *sampleBundle(sampleForms().front().name).open();
        const auto w = *bundle->weightByName("w");
        const auto fp32 =
            codec::encodeDense(std::vector<float>(64, 1.0f), {8, 8}, ElementType::Bf16);
        QCOMPARE(codeOf(reencodeWeight(*bundle, w, *fp32)), "encode.type");
        const auto small = codec::encodeDense(std::vector<float>(8, 1.0f), {8}, ElementType::Fp16);
        QCOMPARE(codeOf(reencodeWeight(*bundle, w, *small)), "encode.shape");
        OpenOptions alone;
        const auto bytes = weightFile(*bundle).file->bytes();
        alone.memory = {{"weight.bin", Bytes(bytes.begin(), bytes.end())}};
        const auto blob = Bundle::open("weight.bin", alone);
        QVERIFY(blob && !(*blob)->weights().empty());
        const Weight &first = (*blob)->weights().front();
        const auto dense = VERIFIED(
            codec::encodeDense(std::vector<float>(first.elements.value), first.shape, first.type));
        QCOMPARE(codeOf(reencodeWeight(**blob, 0, *dense)), "encode.program");
    }

    void protobufSplices()
    {
        const auto bytes = [](std::initializer_list<int> list) {
            Bytes out;
            for (const int value : list)
                out.push_back(static_cast<std::byte>(value));
            return out;
        };
        // {1: {2: "ab", 3: 5}, 4: 300}
        const Bytes message = bytes({0x0a, 6, 0x12, 2, 'a', 'b', 0x18, 5, 0x20, 0xac, 2});
        const auto spliced = [&](std::vector<patch::Splice> splices) {
            return patch::spliceProtobuf(message, std::move(splices));
        };
        QCOMPARE(*spliced({}), message);
        QCOMPARE(*spliced({{{4, 2}, {bytes({'x', 'y', 'z'})}}}),
                 bytes({0x0a, 7, 0x12, 3, 'x', 'y', 'z', 0x18, 5, 0x20, 0xac, 2}));
        QCOMPARE(*spliced({{{4, 2}, {}}}), bytes({0x0a, 2, 0x18, 5, 0x20, 0xac, 2}));
        QCOMPARE(*spliced({{{4, 2}, {bytes({'x'}), bytes({'y'})}}, {{7, 1}, {bytes({0x81, 1})}}}),
                 bytes({0x0a, 9, 0x12, 1, 'x', 0x12, 1, 'y', 0x18, 0x81, 1, 0x20, 0xac, 2}));
        QVERIFY(!spliced({{{5, 1}, {bytes({'x'})}}})); // no field of its own
        QVERIFY(!patch::spliceProtobuf(bytes({0x0a, 9, 1}), {}));
        QVERIFY(!patch::spliceProtobuf(bytes({0x0b}), {}));
    }

    void realPackages_data()
    {
        QTest::addColumn<QString>("path");
        const QDir data(dataFolder());
        addRow("none", QString());
        for (const QString &path : {u"real/silero-vad/unified_palette_4bit.mlpackage"_s,
                                    u"real/silero-vad/unified_pruned_int8.mlpackage"_s,
                                    u"real/silero-vad/unified_int8.mlmodelc"_s}) {
            if (data.exists(path))
                addRow(qPrintable(path), data.filePath(path));
        }
    }

    void realPackages()
    {
        QFETCH(QString, path);
        if (path.isEmpty())
            return;
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        const Weight &weight = (*bundle)->weights().front();
        const auto sparse =
            codec::encodeSparseDensity(decoded(**bundle, weight.name), weight.shape, 0.3);
        const auto made = VERIFIED(reencodeWeight(**bundle, 0, *sparse));
        QCOMPARE(sectionFault(**made).c_str(), "");
        QCOMPARE(formText((*made)->weights().front().form), "sparse");
        for (std::size_t i = 1; i < (*bundle)->weights().size(); ++i) {
            const std::string &name = (*bundle)->weights()[i].name;
            QCOMPARE((*made)->weights()[i].name, name);
            QVERIFY(decoded(**made, name) == decoded(**bundle, name));
        }
    }

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
                 "[{\"specificationVersion\" : 7, \"a\" : 1}]"_ba);
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
            QCOMPARE(REFUSED(raiseOpset(*last, "", 17)).code, "encode.opset");
            const auto first =
                VERIFIED(raiseOpset(*compiled(begin + "int32(0));", "ios15"), "", 17));
            QVERIFY(!first->changes.empty());
            QVERIFY(raiseOpset(*compiled(begin + "x);", "ios15"), "", 17));
        }
    }

    /// Specification version, opset and the key of its block, in the model and its pipeline.
    void models()
    {
        const QByteArray inner = number(1, 6) + bytes(502, program());
        const QByteArray pipeline = number(1, 6) + bytes(202, bytes(1, inner) + bytes(1, inner) +
                                                                  bytes(2, "a") + bytes(2, "b"));
        for (const QByteArray &raw : {inner, pipeline}) {
            const auto bundle =
                VERIFIED(Bundle::open("x.mlmodel", {.memory = {{"x.mlmodel", asBytes(raw)}}}));
            QVERIFY(faults((*bundle)->diagnostics()).empty());
            const std::string model = raw == inner ? "" : "b";
            const auto raised = VERIFIED(raiseOpset(**bundle, model, 18));
            QVERIFY(faults(raised->bundle->diagnostics()).empty());
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
        MadeBundle made;
        for (const char *name : {"lut", "tied", "thin", "affine", "dense"})
            made.weight(name, "[4, 12]", Bytes(96, std::byte{0x31}));
        std::string text = made.text();
        text.replace(text.find("ios18"), 5, "ios16");
        const auto dense =
            VERIFIED(Bundle::open("made.mlmodelc", made.options(text, made.weights())));
        std::vector<float> values(48);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = float(i % 7) * 0.5f;
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
        QVERIFY(faults(after.diagnostics()).empty());
        QCOMPARE(sectionFault(after).c_str(), "");
        QCOMPARE(after.weights().size(), (*old)->weights().size());
        for (const char *name : {"lut", "tied", "thin", "affine", "dense"}) {
            const Weight &was = (*old)->weights()[*(*old)->weightByName(name)];
            const Weight &is = after.weights()[*after.weightByName(name)];
            QCOMPARE(decoded(after, name), decoded(**old, name));
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
        QCOMPARE(std::ranges::count_if(raised->changes,
                                       [](const OpsetChange &change) { return change.rewritten; }),
                 2);
        // The records of the two that share them are still one.
        QVERIFY(after.weights()[*after.weightByName("lut")].operands()[0].bytes.data() ==
                after.weights()[*after.weightByName("tied")].operands()[0].bytes.data());
    }
};

KERNSCOPE_TEST(TestReencode, QCoreApplication)
#include "tst_reencode.moc"
