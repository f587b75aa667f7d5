// SPDX-License-Identifier: GPL-3.0-or-later
// Programs written back: the same bytes, and changed numbers at their places alone.
#include "mil_text.h"
#include "rewrite.h"
#include "tests/rows.h"

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

/// One element of `type` as program text writes it -> its bytes, behind "w:" with a warning; the
/// code where it is refused.
QByteArray packedNumber(const QByteArray &type, const QByteArray &number)
{
    const auto parsed =
        readText(program(type + " v = const()[val = " + type + "(" + number + ")];"));
    if (hasErrors(parsed.diagnostics))
        return codesOf(parsed.diagnostics).left(12);
    const auto &literal = *parsed.program.functions[0].body.operations[0].operand("val")->literal();
    return (parsed.diagnostics.empty() ? "" : "w:") + hexOf(literal.bytes);
}

} // namespace

/// What sound program text says, in both of its notations.
/// Numbers of program text become the bytes that a weight file would hold.
class TestMilText : public QObject
{
    Q_OBJECT

private slots:
    void statements_data()
    {
        addRowsOf<QByteArray, QByteArray>("core/container/mil/statements.tsv");
    }

    void statements()
    {
        const auto [text, read] = fetched<QByteArray, QByteArray>();
        const auto parsed = readText(program(text));
        QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
        QCOMPARE(shown(parsed.program), "(){" + read + "}->(x)");
    }

    void functions()
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
        QCOMPARE(shown(first.body), "(){fp16[] y = relu(x=a)[]}->(y, s)"_ba);
        QCOMPARE(parsed.program.functions[1].name, "second");
        QCOMPARE(parsed.program.functions[1].opset, std::string());
        QCOMPARE(mil::operationCount(first.body), 1U);
    }

    void headers_data()
    {
        QTest::addColumn<QByteArray>("header");
        addRow("plain", "program(1.0)"_ba);
        addRow("byte order mark", "\xEF\xBB\xBFprogram(1.0)"_ba);
        addRow("empty attributes", "program(1.0)[]"_ba);
        addRow("carriage returns", "program(1.0)\r\n[b = string(\"\xC3\xA9\")]\r\n"_ba);
    }

    void headers()
    {
        QFETCH(QByteArray, header);
        const auto parsed = readText(header + "{func main(fp16 x){} -> (x);}\n\n");
        QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
        QCOMPARE(parsed.program.version, "1.0");
        QCOMPARE(parsed.program.functions.size(), 1U);
    }

    void nestedBlocks_data()
    {
        const auto row = addColumns<QByteArray>();
        row("after the attributes",
            "fp16 y = while_loop(v = x)[n = int32(1)] (fp16 a) { bool c = "
            "less(x = a); } -> (c) (fp16 b) { fp16 d = add(x = b); } -> (d);");
        row("with commas and labels", "fp16 y = while_loop(v = x)[n = int32(1)] cond (fp16 a) { "
                                      "bool c = less(x = a); } -> (c), "
                                      "block body (fp16 b) { fp16 d = add(x = b); } -> (d);");
        row("in braces", "fp16 y = while_loop(v = x)[n = int32(1)] { block cond (fp16 a) { bool c "
                         "= less(x = a); } "
                         "-> (c); block body (fp16 b) { fp16 d = add(x = b); } -> (d); };");
        row("as arguments",
            "fp16 y = while_loop(cond = (fp16 a) { bool c = less(x = a); } -> (c), "
            "body = (fp16 b) { fp16 d = add(x = b); } -> (d), v = x)[n = int32(1)];");
    }

    void nestedBlocks()
    {
        const auto [text] = fetched<QByteArray>();
        const auto parsed = readText(program(text));
        QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
        QCOMPARE(shown(parsed.program),
                 QByteArray("(){fp16[] y = while_loop(v=x)[n=int32[]:01000000]"
                            "(fp16[] a){bool[] c = less(x=a)[]}->(c)"
                            "(fp16[] b){fp16[] d = add(x=b)[]}->(d)}->(x)"));
        QCOMPARE(mil::operationCount(parsed.program.functions[0].body), 3U);
    }

    /// Blocks see the names around them, may hide them, and take theirs with them.
    void scopes()
    {
        const QByteArray loop = "fp16 z = loop(v = x) (fp16 a) { fp16 b = add(x = a, y = w); fp16 "
                                "x = id(x = b); } -> (x)";
        QCOMPARE(codesOf(readText(program("fp16 w = id(x = x); " + loop + ";")).diagnostics),
                 QByteArray());
        const QByteArray late = program(loop + "; fp16 w = id(x = b);");
        const qsizetype w = late.indexOf("y = w") + 4;
        const qsizetype b = late.lastIndexOf("x = b") + 4;
        QCOMPARE(codesOf(readText(late).diagnostics), "e:mil.order@" + QByteArray::number(w) +
                                                          " e:mil.undefined@" +
                                                          QByteArray::number(b));
    }

    /// Every place that a patch may rewrite.
    void spans()
    {
        const QByteArray text = program(
            "tensor<fp16, [12, ?, 345]> w = const()[val = tensor<fp16, [2]>([0x1p+0, -2.5])];\n"
            "tensor<fp16, [4]> b = const()[val = tensor<fp16, [4]>(BLOBFILE(path = "
            "string(\"p\"), offset = uint64(1234)))];\n"
            "fp16 y = relu(x = w)[name = string(\"y\")];");
        const auto parsed = readText(text);
        QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
        const auto at = [&text](mil::SourceSpan span) {
            return text.mid(qsizetype(span.offset), qsizetype(span.length));
        };
        const auto &operations = parsed.program.functions[0].body.operations;
        const auto &dims = operations[0].outputs[0].type.dimSpans;
        QCOMPARE(dims.size(), 3U);
        QCOMPARE(at(dims[0]), "12"_ba);
        QCOMPARE(at(dims[1]), "?"_ba);
        QCOMPARE(at(dims[2]), "345"_ba);
        const mil::ProgramValue *value = operations[0].operand("val");
        QVERIFY(value && value->literal());
        QCOMPARE(at(value->span), "tensor<fp16, [2]>([0x1p+0, -2.5])"_ba);
        QCOMPARE(at(value->type.dimSpans[0]), "2"_ba);
        QCOMPARE(value->literal()->elementSpans.size(), 2U);
        QVERIFY(!value->literal()->packedSpan);
        QCOMPARE(at(value->literal()->elementSpans[0]), "0x1p+0"_ba);
        QCOMPARE(at(value->literal()->elementSpans[1]), "-2.5"_ba);
        QCOMPARE(at(operations[1].operand("val")->blob()->offsetSpan), "1234"_ba);
        QCOMPARE(at(operations[2].operand("x")->reference()->span), "w"_ba);
        QCOMPARE(at(operations[2].operand("name")->literal()->elementSpans[0]), "\"y\""_ba);
        QCOMPARE(at(operations[2].span), "fp16 y = relu(x = w)[name = string(\"y\")];"_ba);
    }

    void manyElementsHaveNoSpans()
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
            QCOMPARE(literal->count, std::uint64_t(count));
            QCOMPARE(literal->elementSpans.size(), count > 4096 ? 0U : 4096U);
        }
    }

    void operands()
    {
        const auto parsed = readText(program(
            "fp16 y = f(a = x, n = (x, x))[a = int32(1), b = int32(2), name = string(\"op\")];"
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

    void textWritesBack()
    {
        const auto source = asBytes(writtenText());
        const auto written = VERIFIED(mil::rewriteProgram(source, "model.mil"));
        QVERIFY(*written == source);
    }

    void changesNumbersAlone()
    {
        const auto source = asBytes(writtenText());
        auto parsed = mil::readProgramText(source, "model.mil");
        QVERIFY(parsed.diagnostics.empty());
        std::get<mil::BlobReference>(valueOf(parsed.program, 0).content).offset = 64;
        auto &numbers = std::get<mil::Literal>(valueOf(parsed.program, 1).content);
        numbers.bytes[0] = std::byte(0xff); // -12 becomes -1
        const auto written = VERIFIED(mil::writeProgram(parsed.program, source, false));
        QByteArray expected = writtenText();
        expected.replace("uint64(128)", "uint64(064)").replace("[-12,", "[-01,");
        QVERIFY(*written == asBytes(expected));
        // What was written is read as what was meant.
        auto again = mil::readProgramText(*written, "model.mil");
        QVERIFY(again.diagnostics.empty());
        QCOMPARE(valueOf(again.program, 0).blob()->offset, 64U);
        QVERIFY(valueOf(again.program, 1).literal()->bytes == numbers.bytes);
    }

    void refusesWhatDoesNotFit()
    {
        const auto source = asBytes(writtenText());
        auto parsed = mil::readProgramText(source, "model.mil");
        std::get<mil::BlobReference>(valueOf(parsed.program, 0).content).offset = 4096;
        const Error written = REFUSED(mil::writeProgram(parsed.program, source, false));
        QCOMPARE(written.code, "mil.write");
        QCOMPARE(written.offset->value, std::uint64_t(writtenText().indexOf("128)")));
        QCOMPARE(written.length->value, 3U);
    }

    /// A program that ends within the names that it gives back: one fault, with a place.
    void cutTextHasNoEmptyName()
    {
        QByteArray cut = writtenText();
        cut.truncate(cut.lastIndexOf("(x)") + 1);
        const auto parsed = mil::readProgramText(asBytes(cut), "model.mil");
        QVERIFY(!parsed.diagnostics.empty());
        for (const Diagnostic &row : parsed.diagnostics)
            QVERIFY2(row.error.offset.has_value(), describe(row.error).c_str());
    }

    void numbers_data()
    {
        addRowsOf<QByteArray, QByteArray, QByteArray>("core/container/mil/numbers.tsv");
    }

    void numbers()
    {
        const auto [type, number, bytes] = fetched<QByteArray, QByteArray, QByteArray>();
        QCOMPARE(packedNumber(type, number), bytes);
    }

    /// Every fp16 value but NaNs, as the compiler writes it and in decimals.
    void everyHalf()
    {
        QByteArray hexadecimal, decimal, expected;
        for (unsigned bits = 0; bits < 0x10000; ++bits) {
            const unsigned exponent = bits >> 10 & 31;
            if (exponent == 31)
                continue;
            const double fraction = (bits & 0x3FF) / 1024.0;
            double value = exponent == 0 ? std::ldexp(fraction, -14)
                                         : std::ldexp(1 + fraction, int(exponent) - 15);
            value = (bits & 0x8000) != 0 ? -value : value;
            const char *comma = expected.isEmpty() ? "" : ", ";
            char text[64];
            hexadecimal += comma;
            hexadecimal.append(text, std::snprintf(text, sizeof text, "%a", value));
            decimal += comma;
            decimal.append(text, std::snprintf(text, sizeof text, "%.20g", value));
            expected += little(bits, 2).toHex();
        }
        const QByteArray type = "tensor<fp16, [63488]>";
        QCOMPARE(packedNumber(type, "[" + hexadecimal + "]"), expected);
        QCOMPARE(packedNumber(type, "[" + decimal + "]"), expected);
    }

    void randomSingles()
    {
        QRandomGenerator random(99);
        QByteArray list, expected;
        const int count = 20000;
        for (int i = 0; i < count; ++i) {
            std::uint32_t bits = random.generate();
            if ((bits >> 23 & 0xFF) == 0xFF)
                bits &= 0xFF7FFFFF;
            char text[64];
            const auto value = double(std::bit_cast<float>(bits));
            list += i == 0 ? "" : ", ";
            list.append(text, std::snprintf(text, sizeof text, i % 2 == 0 ? "%a" : "%.9g", value));
            expected += little(bits, 4).toHex();
        }
        QCOMPARE(packedNumber("tensor<fp32, [20000]>", "[" + list + "]"), expected);
    }

    /// Halfway between two halves, and a hair beside it: the hair decides.
    void randomTiesOfHalves()
    {
        QRandomGenerator random(7);
        QByteArray list, expected;
        const int count = 3000;
        for (int i = 0; i < count; ++i) {
            const unsigned bits = 0x0400 + random.bounded(0x7000U);
            const double low = std::ldexp(1 + (bits & 0x3FF) / 1024.0, int(bits >> 10) - 15);
            const double step = std::ldexp(1.0, int(bits >> 10) - 25);
            char text[128];
            std::snprintf(text, sizeof text, "%.60f", low + step / 2); // exact: 36 digits at most
            QByteArray number(text);
            const int hair = i % 3;
            if (hair == 1)
                number += "0000001";
            list += (i == 0 ? "" : ", ") + number;
            expected += little(hair == 1 ? bits + 1 : bits + (bits & 1), 2).toHex();
        }
        QCOMPARE(packedNumber("tensor<fp16, [3000]>", "[" + list + "]"), expected);
    }
};

KERNSCOPE_TEST(TestMilText, NoApplication)
#include "tst_mil_text.moc"
