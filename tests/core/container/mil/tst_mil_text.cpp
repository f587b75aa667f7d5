// SPDX-License-Identifier: GPL-3.0-or-later
// Programs written back: the same bytes, and changed numbers at their places alone.

#include "mil_text.h"
#include "rewrite.h"

using namespace miltest;

namespace {

/// An offset of three digits, an extent, and whole numbers written in three ways.
QByteArray writtenText()
{
    return R"(program(1.3)
{
func main<ios18>(tensor<fp16, [1, 4]> x) {
tensor<fp16, [2, 2]> w = const()[name = string("w"), val = tensor<fp16, [2, 2]>(BLOBFILE(path = string("@model_path/weights/weight.bin"), offset = uint64(128)))];
tensor<int32, [3]> p = const()[name = string("p"), val = tensor<int32, [3]>([-12, 0x10, +7])];
} -> (x);
})";
}

mil::ProgramValue &valueOf(mil::Program &program, std::size_t operation)
{
    for (mil::Argument &attribute :
         program.functions.front().body.operations[operation].attributes) {
        if (attribute.name == "val")
            return attribute.values.front();
    }
    qFatal("the operation has no value");
}

} // namespace

/// What sound program text says, in both of its notations.
class TestMilText : public QObject
{
    Q_OBJECT

private slots:
    void statements_data();
    void statements();
    void functions();
    void headers_data();
    void headers();
    void nestedBlocks_data();
    void nestedBlocks();
    void scopes();
    void spans();
    void manyElementsHaveNoSpans();
    void operands();

    void textWritesBack()
    {
        const auto source = test::asBytes(writtenText());
        const auto written = VERIFIED(mil::rewriteProgram(source, "model.mil"));
        QVERIFY(*written == source);
    }

    void changesNumbersAlone()
    {
        const auto source = test::asBytes(writtenText());
        auto parsed = mil::readProgramText(source, "model.mil");
        QVERIFY(parsed.diagnostics.empty());
        std::get<mil::BlobReference>(valueOf(parsed.program, 0).content).offset = 64;
        auto &numbers = std::get<mil::Literal>(valueOf(parsed.program, 1).content);
        numbers.bytes[0] = std::byte(0xff); // -12 becomes -1
        const auto written = mil::writeProgram(parsed.program, source, false);
        QVERIFY(written);
        QByteArray expected = writtenText();
        expected.replace("uint64(128)", "uint64(064)").replace("[-12,", "[-01,");
        QVERIFY(*written == test::asBytes(expected));
        // What was written is read as what was meant.
        auto again = mil::readProgramText(*written, "model.mil");
        QVERIFY(again.diagnostics.empty());
        QCOMPARE(valueOf(again.program, 0).blob()->offset, std::uint64_t(64));
        QVERIFY(valueOf(again.program, 1).literal()->bytes == numbers.bytes);
    }

    void refusesWhatDoesNotFit()
    {
        const auto source = test::asBytes(writtenText());
        auto parsed = mil::readProgramText(source, "model.mil");
        std::get<mil::BlobReference>(valueOf(parsed.program, 0).content).offset = 4096;
        const Error written = REFUSED(mil::writeProgram(parsed.program, source, false));
        QCOMPARE(written.code, "mil.write");
        QCOMPARE(written.offset->value, static_cast<std::uint64_t>(writtenText().indexOf("128)")));
        QCOMPARE(written.length->value, std::uint64_t(3));
    }

    /// A program that ends within the names that it gives back: one fault, with a place.
    void cutTextHasNoEmptyName()
    {
        QByteArray cut = writtenText();
        cut.truncate(cut.lastIndexOf("(x)") + 1);
        const auto parsed = mil::readProgramText(test::asBytes(cut), "model.mil");
        QVERIFY(!parsed.diagnostics.empty());
        for (const Diagnostic &row : parsed.diagnostics)
            QVERIFY2(row.error.offset.has_value(), describe(row.error).c_str());
    }
};

void TestMilText::statements_data()
{
    const auto row = test::addColumns<QByteArray, QByteArray>();
    row("string, long",
        R"(tensor<string, []> p = const()[name = tensor<string, []>("p"), val = tensor<string, []>("custom")];)",
        "string[] p = const()[name=string[]:'p'; val=string[]:'custom']");
    row("string, compact", R"(string p = const()[name = string("p"), val = string("custom")];)",
        "string[] p = const()[name=string[]:'p'; val=string[]:'custom']");
    row("scalar, long", "tensor<int32, []> g = const()[val = tensor<int32, []>(1)];",
        "int32[] g = const()[val=int32[]:01000000]");
    row("scalar, compact", "int32 g = const()[val = int32(1)];",
        "int32[] g = const()[val=int32[]:01000000]");
    row("bool", "bool g = const()[val = bool(true), b = bool(false)];",
        "bool[] g = const()[val=bool[]:01; b=bool[]:00]");
    row("comments", "// one\n  int32 g = // of groups\n const()[val = int32(1)]; //",
        "int32[] g = const()[val=int32[]:01000000]");
    row("two slashes in a string", "string g = const()[val = string(\"https://x\")];",
        "string[] g = const()[val=string[]:'https://x']");
    row("bools", "tensor<bool, [3]> m = const()[val = tensor<bool, [3]>([true, false, true])];",
        "bool[3] m = const()[val=bool[3]:010001]");
    row("matrix",
        "tensor<int32, [2, 2]> m = const()[val = tensor<int32, [2, 2]>([[1, 2], [3, -4]])];",
        "int32[2,2] m = const()[val=int32[2,2]:010000000200000003000000fcffffff]");
    row("braces and parentheses",
        "tensor<int8, [2, 2]> m = const()[val = tensor<int8, [2, 2]>({(1, 2), (3, 4)})];",
        "int8[2,2] m = const()[val=int8[2,2]:01020304]");
    row("no list", "tensor<int8, [0]> m = const()[val = tensor<int8, [0]>()];",
        "int8[0] m = const()[val=int8[0]:]");
    row("no elements", "tensor<int8, [0]> m = const()[val = tensor<int8, [0]>([])];",
        "int8[0] m = const()[val=int8[0]:]");
    row("strings",
        R"(tensor<string, [2]> m = const()[val = tensor<string, [2]>(["a", "b\"\n\x41\102\u00e9\\"])];)",
        "string[2] m = const()[val=string[2]:'a','b\"\nAB\xC3\xA9\\']");
    row("sub-byte",
        "tensor<uint3, [8]> m = const()[val = tensor<uint3, [8]>([1, 2, 3, 4, 5, 6, 7, 0])];",
        "uint3[8] m = const()[val=uint3[8]:d1581f]");
    row("signed sub-byte", "tensor<int4, [3]> m = const()[val = tensor<int4, [3]>([-8, 7, -1])];",
        "int4[3] m = const()[val=int4[3]:780f]");
    row("blob, long",
        R"(tensor<fp16, [8]> w = const()[val = tensor<fp16, [8]>(BLOBFILE(path = tensor<string, []>("@model_path/weights/weight.bin"), offset = tensor<uint64, []>(64)))];)",
        "fp16[8] w = const()[val=fp16[8]@@model_path/weights/weight.bin+64]");
    row("blob, compact, other order",
        R"(tensor<fp16, [8]> w = const()[val = tensor<fp16, [8]>(BLOBFILE(offset = uint64(18446744073709551615), path = string("p")))];)",
        "fp16[8] w = const()[val=fp16[8]@p+18446744073709551615]");
    row("blob, bare",
        R"(tensor<fp16, [8]> w = const()[val = tensor<fp16, [8]>(BLOBFILE(path = "p", offset = 128))];)",
        "fp16[8] w = const()[val=fp16[8]@p+128]");
    row("no outputs", "write_state(data = x, input = x)[name = string(\"w\")];",
        " = write_state(data=x; input=x)[name=string[]:'w']");
    row("no outputs, opset", "write_state<ios18>(data = x, input = x);",
        " = write_state(data=x; input=x)[]");
    row("opset of an operation", "fp16 y = relu<ios17>(x = x);", "fp16[] y = relu(x=x)[]");
    row("buffer",
        "tensor_buffer<fp16, shape=[1, 4], strides=[8, 1], interleave_factors=[1, 1]> y = "
        "f(x = x);",
        "fp16[1,4] y = f(x=x)[]");
    row("numbers of a dictionary",
        "fp16 y = f(x = x)[E = dict<string, fp64>({{\"ane\", 0}, {\"cpu\", 0.25}})];",
        "fp16[] y = f(x=x)[E=dict<string, "
        "fp64>(((string[]:'ane',fp64[]:0000000000000000),(string[]:'cpu',fp64[]:000000000000d03f)))"
        "]");
    row("references", "tensor<fp16, [1, 4]> y = add(x = x, y = x)[name = string(\"y\")];",
        "fp16[1,4] y = add(x=x; y=x)[name=string[]:'y']");
    row("no attributes", "fp16 y = relu(x = x);", "fp16[] y = relu(x=x)[]");
    row("variadic", "fp16 y = concat(axis = int32(0), values = (x, x, fp16(0x1p+0)));",
        "fp16[] y = concat(axis=int32[]:00000000; values=x|x|fp16[]:003c)[]");
    row("empty list", "fp16 y = concat(values = ());", "fp16[] y = concat(values=)[]");
    row("two outputs", "fp16 a, tensor<int8, [2]> b = split(x = x);",
        "fp16[] a, int8[2] b = split(x=x)[]");
    row("outputs in parentheses", "(fp16 a, tensor<int8, [2]> b) = split(x = x);",
        "fp16[] a, int8[2] b = split(x=x)[]");
    row("outputs without types", "(a, b) = split(x = x);", " a,  b = split(x=x)[]");
    row("unknown extents", "tensor<fp16, [?, 3, ...]> a = relu(x = x);",
        "fp16[?,3,?] a = relu(x=x)[]");
    row("state", "state<tensor<fp16, [2, 3]>> s = id(x = x);",
        "state<tensor<fp16, [2, 3]>> s = id(x=x)[]");
    row("list", "list<tensor<fp32, [?, 514]>, ?> l = id(x = x);",
        "list<tensor<fp32, [?, 514]>, ?> l = id(x=x)[]");
    row("tuple",
        "tuple<int32, string> t = f(x = x)[v = tuple<int32, string>(int32(1), string(\"a\"))];",
        "tuple<int32, string> t = f(x=x)[v=tuple<int32, string>(int32[]:01000000,string[]:'a')]");
    row("dictionary", R"(fp16 t = f(x = x)[v = dict<string, string>({{"k", "v"}})];)",
        "fp16[] t = f(x=x)[v=dict<string, string>(((string[]:'k',string[]:'v')))]");
    row("bare values",
        R"(fp16 t = f(a = 1, b = "s", c = true, d = -0x1.8p+0, e = 5000000000, f = nan);)",
        "fp16[] t = f(a=int32[]:01000000; b=string[]:'s'; c=bool[]:01; d=fp32[]:0000c0bf; "
        "e=int64[]:00f2052a01000000; f=fp32[]:0000c07f)[]");
    row("call in an argument", "fp16 t = f(a = relu(x = x, y = fp16(1))[name = string(\"r\")]);",
        "fp16[] t = f(a=relu(x,fp16[]:003c))[]");
    row("names", "fp16 _a1@b@@2 = f(x = x);", "fp16[] _a1@b@@2 = f(x=x)[]");
    row("no spaces", "tensor<fp16,[2]>a=f(x=x)[n=tensor<fp16,[2]>([0x1p+0,-0x1p-1])];",
        "fp16[2] a = f(x=x)[n=fp16[2]:003c00b8]");
    row("spaces everywhere",
        "tensor \n< fp16\t, [ 2 ]\r\n>  a = f ( x = x ) [ n = tensor < fp16 , [ 1 ] > ( [ 1 ] ) ] "
        ";",
        "fp16[2] a = f(x=x)[n=fp16[1]:003c]");
    row("words in names",
        "fp16 program = f(x = x); fp16 block = func_1(tensor = program, const = x);",
        "fp16[] program = f(x=x)[] / fp16[] block = func_1(tensor=program; const=x)[]");
}

void TestMilText::statements()
{
    const auto [text, read] = test::fetched<QByteArray, QByteArray>();
    const auto parsed = readText(program(text));
    QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
    QCOMPARE(shown(parsed.program), "(){" + read + "}->(x)");
}

void TestMilText::functions()
{
    const auto parsed = readText(
        "program(1.3)[buildInfo = dict<string, string>({{\"}\", \"func\"}})]{"
        "func first<ios16>(tensor<fp16, [1, ?]> a, state<tensor<fp16, [3]>> s)"
        "[FlexibleShapeInformation = tuple<tuple<string, dict<string, tensor<int32, [?]>>>>"
        "((\"DefaultShapes\", {{\"a\", [1, 3]}}))] { fp16 y = relu(x = a); } -> (y, s);"
        "func second() { } -> ();}");
    QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
    QCOMPARE(parsed.program.version, "1.3");
    QCOMPARE(parsed.program.functions.size(), 2U);
    const auto &first = parsed.program.functions[0];
    QCOMPARE(first.name, "first");
    QCOMPARE(first.opset, "ios16");
    QCOMPARE(first.inputs.size(), 2U);
    QCOMPARE(first.inputs[1].type.kind, mil::ValueType::Kind::State);
    QCOMPARE(first.inputs[1].type.element, ElementType::Fp16);
    QVERIFY(first.inputs[1].type.shape() == Shape{3});
    QVERIFY(!first.inputs[0].type.shape());
    QCOMPARE(shown(first.body), QByteArray("(){fp16[] y = relu(x=a)[]}->(y, s)"));
    QCOMPARE(parsed.program.functions[1].name, "second");
    QCOMPARE(parsed.program.functions[1].opset, std::string());
    QCOMPARE(mil::operationCount(first.body), 1U);
}

void TestMilText::headers_data()
{
    QTest::addColumn<QByteArray>("header");
    test::addRow("plain", QByteArray("program(1.0)"));
    test::addRow("byte order mark", QByteArray("\xEF\xBB\xBFprogram(1.0)"));
    test::addRow("empty attributes", QByteArray("program(1.0)[]"));
    test::addRow("carriage returns", QByteArray("program(1.0)\r\n[b = string(\"\xC3\xA9\")]\r\n"));
}

void TestMilText::headers()
{
    QFETCH(QByteArray, header);
    const auto parsed = readText(header + "{func main(fp16 x){} -> (x);}\n\n");
    QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
    QCOMPARE(parsed.program.version, "1.0");
    QCOMPARE(parsed.program.functions.size(), 1U);
}

void TestMilText::nestedBlocks_data()
{
    QTest::addColumn<QByteArray>("text");
    const DataRow<QByteArray> row;
    row("after the attributes", "fp16 y = while_loop(v = x)[n = int32(1)] (fp16 a) { bool c = "
                                "less(x = a); } -> (c) (fp16 b) { fp16 d = add(x = b); } -> (d);");
    row("with commas and labels",
        "fp16 y = while_loop(v = x)[n = int32(1)] cond (fp16 a) { bool c = less(x = a); } -> (c), "
        "block body (fp16 b) { fp16 d = add(x = b); } -> (d);");
    row("in braces",
        "fp16 y = while_loop(v = x)[n = int32(1)] { block cond (fp16 a) { bool c = less(x = a); } "
        "-> (c); block body (fp16 b) { fp16 d = add(x = b); } -> (d); };");
    row("as arguments", "fp16 y = while_loop(cond = (fp16 a) { bool c = less(x = a); } -> (c), "
                        "body = (fp16 b) { fp16 d = add(x = b); } -> (d), v = x)[n = int32(1)];");
}

void TestMilText::nestedBlocks()
{
    QFETCH(QByteArray, text);
    const auto parsed = readText(program(text));
    QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
    QCOMPARE(shown(parsed.program), QByteArray("(){fp16[] y = while_loop(v=x)[n=int32[]:01000000]"
                                               "(fp16[] a){bool[] c = less(x=a)[]}->(c)"
                                               "(fp16[] b){fp16[] d = add(x=b)[]}->(d)}->(x)"));
    QCOMPARE(mil::operationCount(parsed.program.functions[0].body), 3U);
}

/// Blocks see the names around them, may hide them, and take theirs with them.
void TestMilText::scopes()
{
    const QByteArray loop =
        "fp16 z = loop(v = x) (fp16 a) { fp16 b = add(x = a, y = w); fp16 x = id(x = b); } -> (x)";
    QCOMPARE(codesOf(readText(program("fp16 w = id(x = x); " + loop + ";")).diagnostics),
             QByteArray());
    const QByteArray late = program(loop + "; fp16 w = id(x = b);");
    const qsizetype w = late.indexOf("y = w") + 4;
    const qsizetype b = late.lastIndexOf("x = b") + 4;
    QCOMPARE(codesOf(readText(late).diagnostics),
             "e:mil.order@" + QByteArray::number(w) + " e:mil.undefined@" + QByteArray::number(b));
}

/// Every place that a patch may rewrite.
void TestMilText::spans()
{
    const QByteArray text =
        program("tensor<fp16, [12, ?, 345]> w = const()[val = tensor<fp16, [2]>([0x1p+0, -2.5])];\n"
                "tensor<fp16, [4]> b = const()[val = tensor<fp16, [4]>(BLOBFILE(path = "
                "string(\"p\"), offset = uint64(1234)))];\n"
                "fp16 y = relu(x = w)[name = string(\"y\")];");
    const auto parsed = readText(text);
    QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
    const auto at = [&text](mil::SourceSpan span) {
        return text.mid(static_cast<qsizetype>(span.offset), static_cast<qsizetype>(span.length));
    };
    const auto &operations = parsed.program.functions[0].body.operations;
    const auto &dims = operations[0].outputs[0].type.dimSpans;
    QCOMPARE(dims.size(), 3U);
    QCOMPARE(at(dims[0]), QByteArray("12"));
    QCOMPARE(at(dims[1]), QByteArray("?"));
    QCOMPARE(at(dims[2]), QByteArray("345"));
    const mil::ProgramValue *value = operations[0].operand("val");
    QVERIFY(value && value->literal());
    QCOMPARE(at(value->span), QByteArray("tensor<fp16, [2]>([0x1p+0, -2.5])"));
    QCOMPARE(at(value->type.dimSpans[0]), QByteArray("2"));
    QCOMPARE(value->literal()->elementSpans.size(), 2U);
    QVERIFY(!value->literal()->packedSpan);
    QCOMPARE(at(value->literal()->elementSpans[0]), QByteArray("0x1p+0"));
    QCOMPARE(at(value->literal()->elementSpans[1]), QByteArray("-2.5"));
    QCOMPARE(at(operations[1].operand("val")->blob()->offsetSpan), QByteArray("1234"));
    QCOMPARE(at(operations[2].operand("x")->reference()->span), QByteArray("w"));
    QCOMPARE(at(operations[2].operand("name")->literal()->elementSpans[0]), QByteArray("\"y\""));
    QCOMPARE(at(operations[2].span), QByteArray("fp16 y = relu(x = w)[name = string(\"y\")];"));
}

void TestMilText::manyElementsHaveNoSpans()
{
    for (const int count : {4096, 4097}) {
        QByteArray list("1");
        for (int i = 1; i < count; ++i)
            list += ", 1";
        const QByteArray type = "tensor<int8, [" + QByteArray::number(count) + "]>";
        const auto parsed =
            readText(program(type + " a = const()[val = " + type + "([" + list + "])];"));
        QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
        const auto *literal =
            parsed.program.functions[0].body.operations[0].operand("val")->literal();
        QCOMPARE(literal->count, static_cast<std::uint64_t>(count));
        QCOMPARE(literal->elementSpans.size(), count > 4096 ? 0U : 4096U);
    }
}

void TestMilText::operands()
{
    const auto parsed = readText(
        program("fp16 y = f(a = x, n = (x, x))[a = int32(1), b = int32(2), name = string(\"op\")];"
                "fp16 z = g();"));
    const auto &f = parsed.program.functions[0].body.operations[0];
    QVERIFY(f.operand("a")->reference()); // inputs come before attributes
    QVERIFY(f.operand("b")->literal());
    QVERIFY(!f.operand("c"));
    QVERIFY(!f.input("b") && f.attribute("b"));
    QCOMPARE(f.input("n")->values.size(), 2U);
    QCOMPARE(f.displayName(), "op");
    QCOMPARE(parsed.program.functions[0].body.operations[1].displayName(), "z");
}

KERNSCOPE_TEST(TestMilText, kernscope::test::NoApplication)
#include "tst_mil_text.moc"
