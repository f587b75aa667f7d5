// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/program_store.h"
#include "mil_text.h"
#include "tests/test_program.h"

#include <QTest>

using namespace kernscope;
using namespace miltest;

/// A program that is packed while it is not used is the same program afterwards.
class TestMilStore : public QObject
{
    Q_OBJECT

private slots:
    void everyMember();
    void packsTheSame_data();
    void packsTheSame();
    void takesATwentieth();
    void isKeptWhileUsed();
    void isWholeUntilSetAside();
    void packed();
    void outline();
};

namespace {

mil::Program read(const QByteArray &statements)
{
    auto parsed = readText(program(statements));
    return std::move(parsed.program);
}

mil::Program again(const mil::Program &program)
{
    return mil::PackedProgram(program).whole();
}

bool sameSpan(const SourceSpan &a, const SourceSpan &b)
{
    return a.offset == b.offset && a.length == b.length;
}

} // namespace

void TestMilStore::everyMember()
{
    mil::Program before = read(
        "tensor<fp16, [8, ?]> w = const()[name = string(\"w_op\"), val = tensor<fp16, [8, 2]>("
        "BLOBFILE(path = string(\"p\"), offset = uint64(18446744073709551615)))];\n"
        "tensor<int8, [3]> m = const()[val = tensor<int8, [3]>([-1, 2, 3])];\n"
        "tensor<fp16, [1]> y = conv<ios17>(x = x, values = (w, m), dict = dict<string, string>("
        "{{\"a\", \"b\"}}))[name = string(\"y\")];");
    before.models.push_back({"a/b", 502, "mlProgram", {7, 9}, {8, 3}, "9"});
    const mil::Program after = again(before);
    QCOMPARE(after.version, before.version);
    QCOMPARE(after.attributes.size(), std::size_t(1));
    QCOMPARE(after.functions.size(), std::size_t(1));
    const mil::Function &function = after.functions[0], &had = before.functions[0];
    QCOMPARE(function.name, had.name);
    QCOMPARE(function.opset, had.opset);
    QCOMPARE(function.inputs[0].name, had.inputs[0].name);
    QCOMPARE(function.inputs[0].type.dims, had.inputs[0].type.dims);
    QVERIFY(sameSpan(function.inputs[0].span, had.inputs[0].span));
    QCOMPARE(function.body.outputs, had.body.outputs);
    QVERIFY(sameSpan(function.body.outputSpans[0], had.body.outputSpans[0]));
    QCOMPARE(function.body.operations.size(), std::size_t(3));
    const mil::Operation &made = function.body.operations[0], &was = had.body.operations[0];
    QCOMPARE(made.type, std::string("const"));
    QCOMPARE(made.displayName(), std::string("w_op"));
    QVERIFY(sameSpan(made.span, was.span));
    QCOMPARE(made.outputs[0].type.dims[1], mil::kUnknownExtent);
    QCOMPARE(made.outputs[0].type.dimSpans.size(), was.outputs[0].type.dimSpans.size());
    const mil::ProgramValue &blob = *made.operand("val"), &blobWas = *was.operand("val");
    QCOMPARE(blob.blob()->path, std::string("p"));
    QCOMPARE(blob.blob()->offset, UINT64_MAX);
    QVERIFY(sameSpan(blob.blob()->offsetSpan, blobWas.blob()->offsetSpan));
    QVERIFY(sameSpan(blob.span, blobWas.span));
    const mil::ProgramValue &list = *function.body.operations[1].operand("val");
    QCOMPARE(hexOf(list.literal()->bytes), QByteArray("ff0203"));
    QCOMPARE(list.literal()->count, std::uint64_t(3));
    QCOMPARE(list.literal()->elementSpans.size(), std::size_t(3));
    const mil::Operation &reader = function.body.operations[2];
    QCOMPARE(reader.opset, std::string("ios17"));
    QCOMPARE(reader.input("values")->values.size(), std::size_t(2));
    QCOMPARE(reader.input("values")->values[1].reference()->name, std::string("m"));
    QVERIFY(std::holds_alternative<mil::Values>(reader.operand("dict")->content));
    QCOMPARE(std::string(reader.operand("dict")->type.text),
             std::string(had.body.operations[2].operand("dict")->type.text));
    const mil::ModelNode &node = after.models[0];
    QCOMPARE(node.path, std::string("a/b"));
    QCOMPARE(node.field, 502U);
    QVERIFY(sameSpan(node.content, {8, 3}) && sameSpan(node.span, {7, 9}));
    QCOMPARE(node.specification, std::string("9"));
}

void TestMilStore::packsTheSame_data()
{
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char *name, const QByteArray &text) { QTest::newRow(name) << text; };
    row("nothing", "");
    row("no function", "program(1.3)\n{\n}");
    row("no statement", program(""));
    row("a list of states",
        program("state<tensor<fp16, [1]>> s = f(x = x)[name = string(\"s\")];"));
    row("a buffer", program("tensor_buffer<fp16, [2, 3], strides = [3, 1]> b = f(x = x);"));
    row("blocks", program("tensor<fp16, [1]> c = cond(pred = x, _true_fn = () { tensor<fp16, [1]> "
                          "t = relu(x = x); } -> (t), _false_fn = () { } -> (x));"));
    row("a fault", program("tensor<fp16, [1]> c = ;\nint32 g = const()[val = int32(1)];"));
    row("strings", program("tensor<string, [2]> m = const()[val = tensor<string, [2]>([\"a\", "
                           "\"\"])];"));
}

void TestMilStore::packsTheSame()
{
    QFETCH(QByteArray, text);
    const auto parsed = readText(text);
    const mil::PackedProgram packed(parsed.program);
    QVERIFY(mil::PackedProgram(packed.whole()) == packed);
}

void TestMilStore::takesATwentieth()
{
    QByteArray statements;
    for (int i = 0; i < 1000; ++i)
        statements += "tensor<fp16, [8, 8]> layer_weight_number_" + QByteArray::number(i) +
                      " = const()[name = string(\"layer_weight_number_" + QByteArray::number(i) +
                      "\"), val = tensor<fp16, [8, 8]>(BLOBFILE(path = "
                      "string(\"@model_path/weights/weight.bin\"), offset = uint64(" +
                      QByteArray::number(64 * i) + ")))];\n";
    // Each of them takes about a thousand bytes in memory.
    QVERIFY(mil::PackedProgram(read(statements)).packedBytes() < 100'000);
}

void TestMilStore::isKeptWhileUsed()
{
    const mil::ProgramStore store(read("int32 g = const()[val = int32(1)];"));
    auto used = store.whole();
    const mil::Operation *operation = &used->functions[0].body.operations[0];
    store.setAside();
    QCOMPARE(operation->outputs[0].name, std::string("g"));
    QCOMPARE(store.whole().get(), used.get()); // not a second one beside it
    const std::weak_ptr<const mil::Program> first = used;
    used.reset();
    QVERIFY(first.expired());
    const auto anew = store.whole();
    QCOMPARE(anew->functions[0].body.operations[0].outputs[0].name, std::string("g"));
    QCOMPARE(store.whole().get(), anew.get());
    store.setAside(); // once more changes nothing
    QCOMPARE(store.whole().get(), anew.get());
}

void TestMilStore::isWholeUntilSetAside()
{
    const mil::ProgramStore store(read("int32 g = const()[val = int32(1)];"));
    const auto *first = store.whole().get();
    QCOMPARE(store.whole().get(), first);
}

/// For views: one packed program, which is there before and after it was set aside.
void TestMilStore::packed()
{
    const mil::ProgramStore store(read("int32 g = const()[val = int32(1)];"));
    const auto packed = store.packed();
    QCOMPARE(packed->operation(0)->outputs[0].name, std::string("g"));
    const auto *whole = store.whole().get();
    QCOMPARE(store.whole().get(), whole); // asking for it sets nothing aside
    store.setAside();
    QCOMPARE(store.packed().get(), packed.get());
    QVERIFY(mil::PackedProgram(*store.whole()) == *packed);
}

void TestMilStore::outline()
{
    const auto parsed = readText("program(1.3)\n{\n    func main<ios18>(tensor<fp16, [1, 4]> x) {\n"
                                 "int32 g = const()[val = int32(1)];\n"
                                 "tensor<fp16, [1, 5]> y = relu(x = x)[name = string(\"y\")];\n"
                                 "        } -> (y);\n}");
    const mil::ProgramStore store(parsed.program);
    store.setAside();
    const mil::Function &function = store.outline().functions[0];
    QCOMPARE(function.name, std::string("main"));
    QCOMPARE(function.opset, std::string("ios18"));
    QCOMPARE(shown(function.inputs[0].type), QByteArray("fp16[1,4]"));
    QCOMPARE(function.body.outputs, std::vector<std::string>{"y"});
    QCOMPARE(function.body.operations.size(), std::size_t(1));
    QCOMPARE(shown(function.body.operations[0].outputs[0].type), QByteArray("fp16[1,5]"));
    QVERIFY(function.body.operations[0].inputs.empty());
}

KERNSCOPE_TEST(TestMilStore, kernscope::test::NoApplication)
#include "tst_mil_store.moc"
