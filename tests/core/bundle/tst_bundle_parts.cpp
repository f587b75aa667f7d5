// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/build_facts.h"
#include "core/container/mil/program.h"
#include "made_forms.h"
#include "tests/rows.h"

// The parts of a weight: shared, their places for edits, scales in two steps, folders of quantize.

namespace {

std::string consumerText(const Consumer &consumer)
{
    std::string via;
    for (const std::string &op : consumer.via)
        via += op + ">";
    return fmt::format("{}{}:{}.{}={}", via, consumer.name, consumer.op, consumer.param,
                       consumer.flops ? std::to_string(*consumer.flops) : "?");
}

std::string consumersOf(const Bundle &bundle, std::string_view weight)
{
    const auto index = bundle.weightByName(weight);
    if (!index)
        return "no such weight";
    std::string text;
    for (const Consumer &consumer : bundle.weights()[*index].consumers)
        text += (text.empty() ? "" : " ") + consumerText(consumer);
    return text;
}

void weight(MadeBundle &made, std::string_view name, std::string_view shape, std::size_t elements)
{
    made.weight(name, shape, Bytes(2 * elements));
}

} // namespace

/// Who reads a weight, through which ops, and at what cost.
class TestBundleParts : public QObject
{
    Q_OBJECT

private slots:
    void quantizedFolders()
    {
        using Files = std::vector<std::pair<std::string, Bytes>>;
        const auto bytesOf = [](std::string_view text) {
            const auto raw = std::as_bytes(std::span(text));
            return Bytes(raw.begin(), raw.end());
        };
        const auto open = [&](const std::string &manifest, Files files) {
            OpenOptions options;
            options.memory = std::move(files);
            options.memory.emplace_back("quantize.json", bytesOf(manifest));
            return *Bundle::open("folder", options);
        };
        const auto valuesOf = [](const Bundle &bundle) {
            const auto decoder = bundle.decoder(0);
            std::vector<float> values(decoder ? decoder->elements().value : 0);
            if (decoder)
                decoder->decodeFloat(0, values);
            return values;
        };
        Bytes nibbles;
        for (int i = 0; i < 16; ++i) // codes 0 to 15, twice
            nibbles.push_back(static_cast<std::byte>((2 * i & 15) | (((2 * i + 1) & 15) << 4)));
        const std::string four =
            R"({"format": "mxfp4", "input": "/a/b.npy", "rows": 1, "columns": 32,
        "columns_stored": 32, "axis": 1, "layout": "nd", "exponent_layout": "nd"})";
        const auto fp4 = open(four, {{"data.bin", nibbles}, {"exp.bin", Bytes(1, std::byte{128})}});
        QVERIFY(fp4->diagnostics().empty());
        QCOMPARE(fp4->kind(), BundleKind::Quantized);
        QCOMPARE(fp4->weights().size(), 1U);
        QCOMPARE(fp4->weights()[0].name, "b");
        QCOMPARE(formText(fp4->weights()[0].form), "mxfp4");
        QCOMPARE(rolesOf(fp4->weights()[0]), "data:fp4e2m1[1, 32] scale:fp8e8m0[1, 1]");
        const std::vector<float> once{0, 1, 2, 3, 4, 6, 8, 12, -0.0f, -1, -2, -3, -4, -6, -8, -12};
        auto twice = once;
        twice.insert(twice.end(), once.begin(), once.end());
        QCOMPARE(valuesOf(*fp4), twice);
        // 32 rows of two columns, each with an exponent of its own.
        const auto fp8 = open(R"({"format": "mxfp8", "rows": 32, "columns": 2, "axis": 0})",
                              {{"data.bin", Bytes(64, std::byte{0x38})},
                               {"exp.bin", {std::byte{126}, std::byte{130}}}});
        QVERIFY(fp8->diagnostics().empty());
        QCOMPARE(valuesOf(*fp8)[62], 0.5f);
        QCOMPARE(valuesOf(*fp8)[63], 8.0f);
        const auto floatBytes = [](std::vector<float> values) {
            const auto raw = std::as_bytes(std::span(values));
            return Bytes(raw.begin(), raw.end());
        };
        const auto uint8 = open(R"({"format": "uint8", "rows": 2, "columns": 2})",
                                {{"data.bin", Bytes(4, std::byte{200})},
                                 {"scale.bin", floatBytes({0.5f, 2.0f})},
                                 {"offset.bin", floatBytes({100, 0})}});
        QVERIFY(uint8->diagnostics().empty());
        QCOMPARE(formText(uint8->weights()[0].form), "affine");
        QCOMPARE(valuesOf(*uint8), (std::vector<float>{50, 50, 400, 400}));
        // What does not hold together is told with its place, and still shown as far as it goes.
        const auto faultOf = [](const BundlePtr &bundle) {
            if (bundle->diagnostics().empty())
                return std::string();
            const Error &error = bundle->diagnostics()[0].error;
            const std::string offset =
                error.offset ? std::to_string(error.offset->value) : std::string("-");
            return error.file + '@' + offset + ' ' + error.field;
        };
        QCOMPARE(faultOf(open(four, {{"data.bin", Bytes(15)}, {"exp.bin", Bytes(1)}})),
                 "data.bin@15 ");
        QCOMPARE(faultOf(open(four, {{"data.bin", nibbles}})), "quantize.json@0 exp.bin");
        QCOMPARE(faultOf(open("[", {})), "quantize.json@1 ");
        QCOMPARE(faultOf(open(R"({"format": "mxfp9"})", {})), "quantize.json@1 format");
        QCOMPARE(
            faultOf(open(R"({"format": "int8", "rows": 4294967296, "columns": 4294967296})", {})),
            "quantize.json@19 rows");
    }

    void literalConstants_data()
    {
        // reader: /< "%1" is the constant
        const auto row = addColumns<QString, QString, QString, bool>();
        const char *linear = "linear(bias = %1, weight = w, x = x)";
        row("bias", "fp16, [2]", "0x1p+0, 0x1p-1", linear, true);
        row("bias of one", "fp32, [1]", "0x1p+0", linear, true);
        row("gamma", "fp16, [3]", "1, 2, 3", "layer_norm(gamma = %1, x = x)", true);
        row("kernel", "fp16, [1, 1, 3, 3]", "1, 2, 3, 4, 5, 6, 7, 8, 9", "conv(weight = %1, x = x)",
            true);
        row("added vector", "fp16, [2]", "1, 2", "add(x = x, y = %1)", true);
        row("added number", "fp16, []", "2", "add(x = x, y = %1)", false);
        row("shape", "int32, [2]", "1, 2", "mul(x = x, y = %1)", false);
        row("axes", "int32, [2]", "1, 2", "reduce_sum(x = x, axes = %1)", false);
        row("table of int16", "int16, [12]", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -12",
            "gather(x = %1, indices = x)", true);
        row("table of bool", "bool, [10]",
            "true, false, true, true, true, true, true, true, true, true",
            "select(cond = %1, a = x)", true);
        row("strings", "string, [2]", "\"a\", \"b\"", linear, false);
    }

    /// Constants that are written in the program are weights where an operand reads them as one.
    void literalConstants()
    {
        const auto [type, values, reader, weight] = fetched<QString, QString, QString, bool>();
        MadeBundle made;
        made.weight("w", "[2, 4]", Bytes(16));
        const std::string written = u"tensor<%1>"_s.arg(type).toStdString();
        const bool scalar = type.endsWith(u"[]"_s);
        made.line(written + " c = const()[name = string(\"c_op\"), val = " + written +
                  (scalar ? "(" : "([") + values.toStdString() + (scalar ? ")]" : "])]"));
        made.line("tensor<fp16, [1, 2]> y = " + reader.arg(u"c"_s).toStdString() +
                  "[name = string(\"y\")]");
        const auto bundle = *made.open();
        QCOMPARE(faults(bundle->diagnostics()), std::vector<std::string>());
        const auto found = bundle->weightByName("c");
        QCOMPARE(found.has_value(), weight);
        QVERIFY(bundle->weightByName("w"));
        QCOMPARE(sectionFault(*bundle).c_str(), "");
        if (!weight)
            return;
        const Weight &literal = bundle->weights()[*found];
        QCOMPARE(literal.opName(), "c_op");
        QCOMPARE(literal.consumers.size(), 1U);
        QVERIFY(literal.operands().front().place->isLiteral());
        const auto first = decoded(*bundle, "c");
        QCOMPARE(first.size(), std::size_t(values.count(QLatin1Char(',')) + 1));
        QCOMPARE(first.front(), 1.0f);
        if (values.endsWith(u"-12"_s))
            QCOMPARE(first.back(), -12.0f);
    }

    /// Two weights that name one codebook: each counts it, both say that it is shared.
    void sharedParts()
    {
        MadeBundle made;
        const auto lut = made.blob(ElementType::Fp16, "[1, 16, 1]", kBook);
        for (const char *name : {"a", "b"}) {
            const auto indices = made.blob(ElementType::Uint4, "[4]", hex("10 32"));
            made.form(name, "[4]", "lut_to_dense", {{"indices", indices}, {"lut", lut}});
        }
        const auto bundle = VERIFIED(made.open());
        QCOMPARE((*bundle)->weights().size(), 2U);
        for (const Weight &weight : (*bundle)->weights()) {
            QCOMPARE(weight.storedBytes.value, 34U);
            QVERIFY(weight.operand(codec::PartRole::Lut)->place->shared);
            QVERIFY(!weight.operand(codec::PartRole::Indices)->place->shared);
        }
        QCOMPARE((*bundle)->totals().storedBytes.value, 36U);
        QCOMPARE(sectionFault(**bundle), std::string());
        // the payload belongs to the first of them
        const auto owner = (*bundle)->sectionAt(2, FileOffset(128));
        QCOMPARE((*bundle)->nameOf((*bundle)->sections()[owner]), "a: lut");
        std::set<std::string> names;
        for (const Section &section : (*bundle)->sections()) {
            const std::string name = (*bundle)->nameOf(section);
            names.insert(name);
            QVERIFY((*bundle)->isNamed(section, name));
            QVERIFY(!(*bundle)->isNamed(section, name + "x") && !(*bundle)->isNamed(section, ""));
        }
        for (const char *name : {"header", "record 0: metadata", "record 2: metadata", "a: indices",
                                 "b: indices", "padding"})
            QVERIFY2(names.count(name) == 1, name);
    }

    /// A patch that changes the number of survivors finds every place that writes it.
    void spansForEdits()
    {
        MadeBundle made;
        sparsePalette(made);
        const auto bundle = VERIFIED(made.open());
        const std::string text = made.text();
        const codec::Operand *codes =
            VERIFIED((*bundle)->weights().front().operand(codec::PartRole::Indices));
        const auto &indices = codes->place;
        const auto written = [&text](const mil::SourceSpan &span) {
            return text.substr(span.offset, span.length);
        };
        QCOMPARE(indices->dimSpans.size(), 1U);
        QCOMPARE(written(indices->dimSpans[0]), "2");
        QCOMPARE(text.substr(indices->dimSpans[0].offset - 15, 15), "tensor<uint4, [");
        QCOMPARE(indices->countSpans.size(), 1U);
        QCOMPARE(written(indices->countSpans[0]), "2");
        QCOMPARE(text.substr(indices->countSpans[0].offset - 14, 14), "tensor<fp16, [");

        MadeBundle named;
        sparseBits(named);
        const auto second = VERIFIED(named.open());
        const auto values =
            (*second)->weights().front().operand(codec::PartRole::NonzeroData)->place;
        QCOMPARE(values->dimSpans.size(), 1U);
        QCOMPARE(values->countSpans.size(), 1U);
        QVERIFY(values->countSpans[0].offset < values->dimSpans[0].offset);
    }

    /// One encoding holds one scaling: a weight without a fault has a decoder.
    void scaledTwice()
    {
        MadeBundle made;
        made.line(
            "tensor<uint1, [2, 4]> am, tensor<fp16, [2]> av = "
            "constexpr_sparse_blockwise_shift_scale(data_mask = tensor<uint1, [2, 4]>([1, 0, 0, "
            "0, 0, 1, 0, 0]), nonzero_data = tensor<int8, [2]>([2, -2]), scale = tensor<fp16, "
            "[2, 1]>([0x1p-1, 0x1p2]))[name = string(\"a\")]");
        made.line(
            "tensor<uint1, [2, 4]> bm, tensor<fp16, [2]> bv = "
            "constexpr_sparse_blockwise_shift_scale(data_mask = am, nonzero_data = av, scale = "
            "tensor<fp16, [2, 1]>([0x1p1, 0x1p1]))[name = string(\"b\")]");
        result(made, "fp16", "[2, 4]", "constexpr_sparse_to_dense", "mask = bm, nonzero_data = bv",
               "");
        const auto bundle = VERIFIED(made.open());
        const Weight &weight = (*bundle)->weights().front();
        QVERIFY(weight.fault);
        QCOMPARE(weight.fault->code, "mil.unsupported");
        QCOMPARE(weight.fault->field, "nonzero_data");
        QVERIFY(!weight.form.encoding());
        QCOMPARE(formText(weight.form), "sparse");
    }

    void whoMadeIt_data()
    {
        const auto row = addColumns<QByteArray, QStringList, QStringList>();
        const QStringList own{u"coremlc-version=3505.4.1"_s, u"coremltools-version="_s};
        const QStringList compiler{u"coremlc 3505.4.1"_s};
        row("no metadata", {}, own, compiler);
        row("metadata", R"([{"userDefinedMetadata": {"n": 3, "com.github.apple.coremltools.version":
                          "9.0b1"}, "method": "predict"}])",
            own + QStringList{u"com.github.apple.coremltools.version=9.0b1"_s},
            {u"coremltools 9.0b1"_s, compiler.front()});
        row("texts of the model",
            QByteArray(
                R"([{"shortDescription": "finds speech", "author": "A. Person", "license": "",
                          "version": 3}])"),
            own + QStringList{u"shortDescription=finds speech"_s, u"author=A. Person"_s}, compiler);
        row("no JSON", "[{", own, compiler);
        row("another form", R"({"userDefinedMetadata": 1})", own, compiler);
        row("members of another form", R"([3, {"userDefinedMetadata": [1]}, {}])", own, compiler);
        row("deep", QByteArray(5000, '['), own, compiler);
        row("large", "[\""_ba + QByteArray(1 << 20, 'x') + "\"]"_ba, own, compiler);
    }

    /// What the tools wrote about themselves, in the program and beside it.
    void whoMadeIt()
    {
        const auto [metadata, expectedFacts, expectedTools] =
            fetched<QByteArray, QStringList, QStringList>();
        MadeBundle made;
        made.weight("w", "[2]", halves({1, 2}));
        std::string text = made.text();
        const std::string_view before = "{{\"a\", \"b\"}}";
        const auto at = text.find(before);
        QVERIFY(at != std::string::npos);
        text.replace(at, before.size(),
                     "{{\"coremlc-version\", \"3505.4.1\"}, {\"coremltools-version\", \"\"}}");
        OpenOptions options = MadeBundle::options(text, made.weights());
        QCOMPARE(options.memory.front().first, "metadata.json");
        const auto bytes =
            std::as_bytes(std::span(metadata.constData(), std::size_t(metadata.size())));
        options.memory.front().second = Bytes(bytes.begin(), bytes.end());
        if (metadata.isEmpty())
            options.memory.erase(options.memory.begin());
        const auto bundle = VERIFIED(Bundle::open("made.mlmodelc", options));
        QStringList facts, tools;
        for (const BuildFact &fact : buildFacts(**bundle))
            facts.append(QString::fromStdString(fact.key + "=" + fact.value));
        for (const std::string &tool : buildTools(buildFacts(**bundle)))
            tools.append(QString::fromStdString(tool));
        QCOMPARE(facts, expectedFacts);
        QCOMPARE(tools, expectedTools);
    }

    void flops_data()
    {
        addRowsOf<QByteArray, int, QByteArray, QByteArray>("core/bundle/flops.tsv");
    }

    void flops()
    {
        const auto [shape, elements, statement, consumer] =
            fetched<QByteArray, int, QByteArray, QByteArray>();
        MadeBundle made;
        weight(made, "w", shape.toStdString(), std::size_t(elements));
        made.line(statement.toStdString() + "[name = string(\"y\")]");
        const auto bundle = VERIFIED(made.open());
        QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
        QCOMPARE(consumersOf(**bundle, "w"), consumer.toStdString());
    }

    /// What the roofline counts: the arithmetic of recurrent layers and of einsum as well.
    void layerFlops_data()
    {
        addRowsOf<QByteArray, int, QByteArray, QByteArray, qlonglong>(
            "core/bundle/layer_flops.tsv");
    }

    void layerFlops()
    {
        const auto [shape, elements, parameters, statement, flops] =
            fetched<QByteArray, int, QByteArray, QByteArray, qlonglong>();
        MadeBundle made;
        made.parameters = parameters.toStdString();
        weight(made, "w", shape.toStdString(), std::size_t(elements));
        made.line(statement.toStdString() + "[name = string(\"y\")]");
        const auto bundle = VERIFIED(made.open());
        const auto &consumers = (*bundle)->weights()[*(*bundle)->weightByName("w")].consumers;
        QVERIFY(!consumers.empty()); // of an attention key and value are the same weight here
        const auto found = consumers.front().layerFlops;
        QCOMPARE(found ? static_cast<qlonglong>(*found) : -1, flops);
    }

    void throughOtherOps()
    {
        MadeBundle made;
        weight(made, "w", "[4, 2]", 8);
        made.line("tensor<fp32, [4, 2]> c = cast(dtype = string(\"fp32\"), x = w)[name = "
                  "string(\"c\")]");
        made.line(
            "tensor<fp32, [2, 4]> t = transpose(perm = tensor<int32, [2]>([1, 0]), x = c)[name "
            "= string(\"t\")]");
        made.op("early", "[1, 4]", "add(x = x, y = w)");
        made.op("late", "[1, 2]", "linear(weight = t, x = x)");
        made.op("shaped", "[1, 2]", "reshape(shape = w, x = x)");
        const auto bundle = VERIFIED(made.open());
        // in program order; the cost is that of the shape that the op sees
        QCOMPARE(consumersOf(**bundle, "w"), "early:add.y=0 cast>transpose>late:linear.weight=16 "
                                             "shaped:reshape.shape=0");
    }

    void intoLoops()
    {
        MadeBundle made;
        weight(made, "w", "[2, 4]", 8);
        weight(made, "v", "[2, 4]", 8);
        made.line(
            "tensor<fp16, [1, 4]> z = while_loop(loop_vars = (x, w)) cond (tensor<fp16, [1, 4]> "
            "a, tensor<fp16, [2, 4]> b) { bool c = less(x = a)[name = string(\"c\")]; } -> (c), "
            "block body (tensor<fp16, [1, 4]> d, tensor<fp16, [2, 4]> e) { "
            "tensor<fp16, [1, 2]> f = linear(weight = e, x = d)[name = string(\"f\")]; "
            "tensor<fp16, [1, 2]> g = linear(weight = v, x = d)[name = string(\"g\")]; "
            "tensor<fp16, [10]> inner = const()[name = string(\"inner\"), val = " +
            made.blob(ElementType::Fp16, "[10]", Bytes(20)) +
            "]; tensor<fp16, [10]> h = add(x = inner, y = inner)[name = string(\"h\")]; } -> "
            "(d, e)");
        const auto bundle = VERIFIED(made.open());
        QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
        QCOMPARE(consumersOf(**bundle, "w"), "f:linear.weight=16");
        QCOMPARE(consumersOf(**bundle, "v"), "g:linear.weight=16");
        QCOMPARE(consumersOf(**bundle, "inner"), "h:add.x=0 h:add.y=0");
        QVERIFY(
            (*bundle)->weights()[*(*bundle)->weightByName("v")].consumers[0].geometry.insideLoop);
        QCOMPARE((*bundle)->weights().size(), 3U);
    }

    /// What bodies give back is read as a result of their operation, or in the loop's next turn.
    void outOfBodies()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [1, 4]> x, bool p";
        weight(made, "w", "[2, 4]", 8);
        weight(made, "v", "[2, 4]", 8);
        weight(made, "u", "[1, 4]", 4);
        const std::string value = "tensor<fp16, [2, 4]> ", other = ", block no () { ";
        made.line(value + "z = cond(pred = p) yes () { } -> (w)" + other + value +
                  "n = cond(pred = p) yes () { } -> (v)" + other + "} -> (v); } -> (n)");
        made.op("y", "[1, 2]", "linear(weight = z, x = x)");
        made.line("tensor<fp16, [1, 4]> t = while_loop(loop_vars = (x)) cond (tensor<fp16, [1, 4]> "
                  "a) { bool c = less(x = a)[name = string(\"c\")]; } -> (c), block body "
                  "(tensor<fp16, [1, 4]> d) { tensor<fp16, [1, 4]> e = relu(x = d)[name = "
                  "string(\"e\")]; } -> (u)");
        made.op("r", "[1, 4]", "add(x = x, y = t)");
        const auto bundle = VERIFIED(made.open());
        QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
        QCOMPARE(consumersOf(**bundle, "w"), "y:linear.weight=16");
        QCOMPARE(consumersOf(**bundle, "v"), "y:linear.weight=16");
        QCOMPARE(consumersOf(**bundle, "u"), "e:relu.x=0 r:add.y=0");
    }

    void geometry()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [1, 6, 9, 9]> x";
        made.constant("tensor<int32, [2]>", "s", "tensor<int32, [2]>([2, 1])");
        made.constant("string", "p", "string(\"custom\")");
        weight(made, "w", "[4, 3, 1, 1]", 12);
        made.op("y", "[1, 4, 5, 9]",
                "conv(dilations = tensor<int32, [2]>([1, 1]), groups = int32(2), pad = "
                "tensor<int32, [4]>([0, 0, 1, 1]), pad_type = p, strides = s, weight = w, x = x)");
        const auto bundle = VERIFIED(made.open());
        const ConsumerGeometry &geometry = (*bundle)->weights()[0].consumers[0].geometry;
        using Numbers = std::vector<std::uint64_t>;
        QCOMPARE(geometry.strides, Numbers({2, 1}));
        QCOMPARE(geometry.dilations, Numbers({1, 1}));
        QCOMPARE(geometry.pads, Numbers({0, 0, 1, 1}));
        QCOMPARE(geometry.padType, "custom");
        QCOMPARE(geometry.groups, 2U);
        QCOMPARE(*geometry.input, Shape({1, 6, 9, 9}));
        QCOMPARE(*geometry.output, Shape({1, 4, 5, 9}));
        QVERIFY(!geometry.insideLoop);
    }

    /// Functions share one weight file; each has its own rows. Small constants are no weights.
    void functionsAndUnusedWeights()
    {
        MadeBundle made;
        weight(made, "w", "[2, 4]", 8);
        made.constant("tensor<fp16, [4]>", "small",
                      "tensor<fp16, [4]>([0x0p0, 0x0p0, 0x0p0, 0x0p0])");
        std::string text = made.text();
        text.insert(text.rfind('}'),
                    "    func other<ios18>(tensor<fp16, [1, 4]> x) {\n tensor<fp16, [2, 4]> w = "
                    "const()[name = string(\"w\"), val = " +
                        MadeBundle::blobAt("fp16", "[2, 4]", 64) +
                        "];\n tensor<fp16, [1, 2]> y = linear(weight = w, x = x)[name = "
                        "string(\"y\")];\n } -> (y);\n");
        const auto bundle =
            VERIFIED(Bundle::open("two.mlmodelc", MadeBundle::options(text, made.weights())));
        QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
        QCOMPARE((*bundle)->weights().size(), 2U);
        QCOMPARE((*bundle)->weights()[0].function, "main");
        QCOMPARE((*bundle)->weights()[0].consumers.size(), 0U);
        QCOMPARE((*bundle)->weights()[1].function, "other");
        QCOMPARE((*bundle)->weights()[1].consumers.size(), 1U);
        QVERIFY((*bundle)->weights()[0].operands()[0].place->shared);
    }

    /// An op may name a record without a const op between.
    void inlineBlob()
    {
        MadeBundle made;
        made.line("tensor<fp16, [1, 2]> y = linear(weight = " +
                  made.blob(ElementType::Fp16, "[2, 4]", Bytes(16)) +
                  ", x = x)[name = string(\"y\")]");
        const auto bundle = VERIFIED(made.open());
        QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
        QCOMPARE(consumersOf(**bundle, "y.weight"), "y:linear.weight=16");
    }
};

KERNSCOPE_TEST(TestBundleParts, NoApplication)
#include "tst_bundle_parts.moc"
