// SPDX-License-Identifier: GPL-3.0-or-later
#include "made_bundle.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

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
class TestBundleConsumers : public QObject
{
    Q_OBJECT

private slots:
    void flops_data()
    {
        addColumns<QByteArray, int, QByteArray, QByteArray>();
        const auto row = [](const char *name, const char *shape, int elements,
                            const char *statement, const char *consumer) {
            addRow(name, QByteArray(shape), elements, QByteArray(statement), QByteArray(consumer));
        };
        row("conv", "[8, 3, 2, 2]", 96, "tensor<fp16, [1, 8, 5, 5]> y = conv(weight = w, x = x)",
            "y:conv.weight=4800");
        row("conv, open extents", "[8, 3, 2, 2]", 96,
            "tensor<fp16, [1, 8, ?, ?]> y = conv(weight = w, x = x)", "y:conv.weight=?");
        row("conv, bias", "[8]", 8,
            "tensor<fp16, [1, 8, 5, 5]> y = conv(bias = w, weight = x, x = x)", "y:conv.bias=0");
        row("conv_transpose", "[4, 3, 2]", 24,
            "tensor<fp16, [1, 3, 9]> y = conv_transpose(weight = w, x = x)",
            "y:conv_transpose.weight=48");
        row("linear", "[2, 4]", 8, "tensor<fp16, [1, 2]> y = linear(weight = w, x = x)",
            "y:linear.weight=16");
        row("matmul, y", "[4, 6]", 24,
            "tensor<fp16, [1, 6]> y = matmul(transpose_y = bool(false), x = x, y = w)",
            "y:matmul.y=48");
        row("matmul, y transposed", "[6, 4]", 24,
            "tensor<fp16, [1, 6]> y = matmul(transpose_y = bool(true), x = x, y = w)",
            "y:matmul.y=48");
        row("matmul, x", "[5, 4]", 20, "tensor<fp16, [5, 1]> y = matmul(x = w, y = x)",
            "y:matmul.x=40");
        row("matmul, x transposed", "[4, 5]", 20,
            "tensor<fp16, [5, 1]> y = matmul(transpose_x = bool(true), x = w, y = x)",
            "y:matmul.x=40");
        row("gather", "[10, 4]", 40, "tensor<fp16, [1, 4]> y = gather(indices = x, x = w)",
            "y:gather.x=0");
        row("lstm", "[8, 4]", 32, "tensor<fp16, [1, 2]> y = lstm(weight_ih = w, x = x)",
            "y:lstm.weight_ih=0");
    }

    void flops()
    {
        const auto [shape, elements, statement, consumer] =
            fetched<QByteArray, int, QByteArray, QByteArray>();
        MadeBundle made;
        weight(made, "w", shape.toStdString(), static_cast<std::size_t>(elements));
        made.line(statement.toStdString() + "[name = string(\"y\")]");
        const auto bundle = VERIFIED(made.open());
        QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
        QCOMPARE(consumersOf(**bundle, "w"), consumer.toStdString());
    }

    /// What the roofline counts: the arithmetic of recurrent layers and of einsum as well.
    void layerFlops_data()
    {
        QTest::addColumn<QByteArray>("shape");
        QTest::addColumn<int>("elements");
        QTest::addColumn<QByteArray>("parameters");
        QTest::addColumn<QByteArray>("statement");
        QTest::addColumn<qlonglong>("flops"); // -1: unknown
        const auto row = [](const char *name, const char *shape, int elements, const char *x,
                            const char *statement, qlonglong flops) {
            addRow(name, QByteArray(shape), elements, QByteArray("tensor<fp16, ") + x + "> x",
                   QByteArray(statement), flops);
        };
        row("lstm, inputs", "[8, 4]", 32, "[3, 1, 4]",
            "tensor<fp16, [3, 1, 2]> y = lstm(weight_ih = w, x = x)", 2 * 3 * 32);
        row("lstm, state", "[8, 2]", 16, "[3, 5, 4]",
            "tensor<fp16, [1, 5, 2]> y = lstm(weight_hh = w, x = x)", 2 * 15 * 16);
        row("gru, backwards", "[6, 4]", 24, "[2, 1, 4]",
            "tensor<fp16, [2, 1, 2]> y = gru(weight_ih_back = w, x = x)", 2 * 2 * 24);
        row("lstm, open steps", "[8, 4]", 32, "[?, 1, 4]",
            "tensor<fp16, [?, 1, 2]> y = lstm(weight_ih = w, x = x)", -1);
        row("lstm, bias", "[8]", 8, "[3, 1, 4]",
            "tensor<fp16, [3, 1, 2]> y = lstm(bias = w, x = x)", 0);
        row("einsum", "[2, 6, 3, 5]", 180, "[1, 4, 2, 6]",
            "tensor<fp16, [1, 4, 2, 5]> y = einsum(equation = string(\"nchw,hwcu->nchu\"), values "
            "= "
            "(x, w))",
            -1); // c is 4 in one and 3 in the other
        row("einsum", "[2, 6, 4, 5]", 240, "[1, 4, 2, 6]",
            "tensor<fp16, [1, 4, 2, 5]> y = einsum(equation = string(\"nchw, hwcu -> nchu\"), "
            "values "
            "= (x, w))",
            2 * 4 * 2 * 6 * 5);
        row("attention, key", "[1, 2, 5, 4]", 40, "[1, 2, 3, 4]",
            "tensor<fp16, [1, 2, 3, 4]> y = scaled_dot_product_attention(query = x, key = w, value "
            "= "
            "w)",
            2 * 2 * 3 * 5 * 4);
        row("attention, one key for all", "[1, 1, 5, 4]", 20, "[1, 2, 3, 4]",
            "tensor<fp16, [1, 2, 3, 4]> y = scaled_dot_product_attention(query = x, key = w, value "
            "= "
            "w)",
            2 * 2 * 3 * 5 * 4);
        row("attention, query", "[1, 3, 4]", 12, "[1, 7, 4]",
            "tensor<fp16, [1, 3, 4]> y = scaled_dot_product_attention(query = w, key = x, value = "
            "x)",
            2 * 3 * 7 * 4);
        row("attention, open", "[1, 5, 4]", 20, "[1, ?, 4]",
            "tensor<fp16, [1, ?, 4]> y = scaled_dot_product_attention(query = x, key = w, value = "
            "w)",
            -1);
        row("attention, mask", "[3, 7]", 21, "[1, 7, 4]",
            "tensor<fp16, [1, 7, 4]> y = scaled_dot_product_attention(query = x, key = x, value = "
            "x, "
            "attn_mask = w)",
            0);
        row("gather", "[10, 4]", 40, "[3]", "tensor<fp16, [3, 4]> y = gather(indices = x, x = w)",
            0);
        row("linear", "[2, 4]", 8, "[1, 4]", "tensor<fp16, [1, 2]> y = linear(weight = w, x = x)",
            16);
    }

    void layerFlops()
    {
        QFETCH(QByteArray, shape);
        QFETCH(int, elements);
        QFETCH(QByteArray, parameters);
        QFETCH(QByteArray, statement);
        QFETCH(qlonglong, flops);
        MadeBundle made;
        made.parameters = parameters.toStdString();
        weight(made, "w", shape.toStdString(), static_cast<std::size_t>(elements));
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
        QCOMPARE((*bundle)->weights().size(), std::size_t(3));
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
        QCOMPARE(geometry.groups, std::uint64_t(2));
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
        QCOMPARE((*bundle)->weights().size(), std::size_t(2));
        QCOMPARE((*bundle)->weights()[0].function, "main");
        QCOMPARE((*bundle)->weights()[0].consumers.size(), std::size_t(0));
        QCOMPARE((*bundle)->weights()[1].function, "other");
        QCOMPARE((*bundle)->weights()[1].consumers.size(), std::size_t(1));
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

KERNSCOPE_TEST(TestBundleConsumers, kernscope::test::NoApplication)
#include "tst_bundle_consumers.moc"
