// SPDX-License-Identifier: GPL-3.0-or-later
#include "mil_text.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace miltest;

/// Texts of a size or a depth that no compiler writes get an answer in bounded memory, and soon: a
/// reader whose time grew with the square of these sizes would pass ctest's limit.
class TestMilTextLimits : public QObject
{
    Q_OBJECT

private slots:
    void depth_data()
    {
        test::addColumns<QByteArray, QByteArray, QByteArray>();
        const auto row = [](const char *name, const char *open, const char *inside,
                            const char *close) {
            test::addRow(name, QByteArray(open), QByteArray(inside), QByteArray(close));
        };
        row("parentheses", "(", "1", ")");
        row("brackets", "[", "1", "]");
        row("braces", "{", "1", "}");
        row("calls", "f(", "1", ")");
        row("named calls", "f(a = ", "1", ")");
        row("tuples", "tuple<int8>(", "1", ")");
        row("types", "tuple<", "int8", ">");
        row("tensor values", "int32([", "1", "])");
        row("blob paths", "fp16(BLOBFILE(offset = 1, path = ", "\"p\"", "))");
        row("blocks", "{ fp16 b = f(v = ", "1", "); }");
        row("blocks with parameters", "(fp16 p) { fp16 b = f(v = ", "1", "); } -> (b)");
        row("never closed", "(", "", "");
        row("closed only", "", "", ")");
    }

    /// 100,000 levels: a fault, and the statement that follows is read, unless braces hide its end.
    void depth()
    {
        const auto [open, inside, close] = test::fetched<QByteArray, QByteArray, QByteArray>();
        constexpr int kLevels = 100000;
        const QByteArray text = program("fp16 a = f(v = " + open.repeated(kLevels) + inside +
                                        close.repeated(kLevels) + ");\nfp16 last = relu(x = x);");
        const auto parsed = readText(text);
        QVERIFY(hasErrors(parsed.diagnostics));
        if (!open.isEmpty() && !open.contains("int32"))
            QCOMPARE(parsed.diagnostics.front().error.code, "mil.depth");
        QVERIFY(shown(parsed.program).contains("last = relu(x=x)"));
    }

    void depthThatIsAllowed()
    {
        for (const int levels : {50, 150}) {
            const QByteArray nested =
                QByteArray("(").repeated(levels) + "1" + QByteArray(")").repeated(levels);
            QCOMPARE(codesOf(readText(program("fp16 a = f(v = " + nested + ");")).diagnostics),
                     QByteArray());
            const QByteArray brackets =
                QByteArray("[").repeated(levels) + "1" + QByteArray("]").repeated(levels);
            QCOMPARE(
                codesOf(readText(program("fp16 a = f(v = int8(" + brackets + "));")).diagnostics),
                QByteArray());
        }
    }

    /// Two million numbers and no line break: valid, and read whole.
    void longLine()
    {
        constexpr int kCount = 2000000;
        const QByteArray type = "tensor<fp16, [" + QByteArray::number(kCount) + "]>";
        QByteArray list = QByteArray("0x1.8p-3, ").repeated(kCount);
        list.chop(2);
        QByteArray text = program(type + " l = const()[val = " + type + "([" + list + "])];");
        text.replace('\n', ' ');
        const auto parsed = readText(text);
        QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
        const auto *literal =
            parsed.program.functions[0].body.operations[0].operand("val")->literal();
        QCOMPARE(literal->count, std::uint64_t(kCount));
        QCOMPARE(literal->bytes.size(), std::size_t(kCount) * 2);
        QVERIFY(literal->elementSpans.empty());
    }

    void longTexts_data()
    {
        test::addColumns<QByteArray, QByteArray, QByteArray>();
        const auto row = [](const char *name, const char *before, const char *piece,
                            const char *after) {
            test::addRow(name, QByteArray(before), QByteArray(piece), QByteArray(after));
        };
        row("empty statements", "", ";", "");
        row("smallest statements", "", "t a=b();", "");
        row("values", "fp16 a = f(v = (x", ",x", "));");
        row("values without an end", "fp16 a = f(v = (x", ",x", "");
        row("strings", "fp16 a = f(v = tensor<string, [1]>([\"\"", ",\"\"", "]));");
        row("dimensions", "tensor<fp16, [1", ",1", "]> a = f();");
        row("outputs", "(a", ",a", ") = f();");
        row("arguments", "fp16 a = f(b=x", ",b=x", ");");
        row("digits", "fp16 a = f(v = fp16(", "1", "));");
        row("hex digits", "fp16 a = f(v = fp16(0x1.", "a", "p+0));");
        row("an identifier", "fp16 a = f(v = x", "abcdefgh", ");");
        row("a string", "fp16 a = f(v = string(\"", "abcdefgh", "\"));");
        row("a string of bad bytes", "fp16 a = f(v = string(\"", "\xFF", "\"));");
        row("bad strings", "fp16 a = f(v = (1", ",\"\xFF\"", "));");
        row("NUL bytes", "", "~", "");
        row("open quotes", "", "\"\n", "");
        row("braces", "", "{", "");
        row("functions", "} -> (); ", "func f(){} -> ();", "func f(){");
        row("blocks", "fp16 a = f()", "{}", ";");
        row("ties", "fp16 a = f(v = tensor<fp16, [1]>([2049", ",2049", "]));");
        row("wrong names", "", "t a=b(c=d);", "");
    }

    /// Some 2 MB of one thing over and over.
    void longTexts()
    {
        const auto [before, piece, after] = test::fetched<QByteArray, QByteArray, QByteArray>();
        constexpr qsizetype kBytes = 2000000;
        QByteArray middle = piece.repeated(kBytes / piece.size());
        middle.replace('~', '\0');
        const QByteArray text = program(before + middle + after);
        const auto parsed = readText(text);
        QVERIFY(parsed.diagnostics.size() < 700);
        QVERIFY(!parsed.program.functions.empty());
    }

    /// More values than are held in memory: said once, and what came before is kept.
    void tooManyValues()
    {
        const QByteArray text = program("fp16 a = relu(x = x); fp16 b = f(v = (x" +
                                        QByteArray(",x").repeated(2100000) + ")); fp16 c = g();");
        const auto parsed = readText(text);
        QCOMPARE(codesOf(parsed.diagnostics).left(12), QByteArray("e:mil.limit@"));
        QCOMPARE(parsed.diagnostics.size(), 1U);
        QCOMPARE(shown(parsed.program).left(28), QByteArray("(){fp16[] a = relu(x=x)[]}->"));
    }

    /// The size of a large real program, in the statements of one.
    void threeHundredKilobytes()
    {
        QByteArray statements;
        for (int i = 0; statements.size() < 300000; ++i) {
            const QByteArray n = QByteArray::number(i);
            statements += "tensor<fp16, [64, 64, 3, 3]> w" + n +
                          " = const()[name = tensor<string, []>(\"w" + n +
                          "\"), val = tensor<fp16, [64, 64, 3, 3]>(BLOBFILE(path = tensor<string, "
                          "[]>(\"@model_path/weights/weight.bin\"), offset = tensor<uint64, []>(" +
                          n + "64)))];\ntensor<fp16, [1, 64, 28, 28]> y" + n +
                          " = conv(dilations = w" + n +
                          ", pad = tensor<int32, [4]>([1, 1, 1, 1]), weight = w" + n +
                          ", x = x)[name = tensor<string, []>(\"y" + n + "\")];\n";
        }
        const QByteArray text = program(statements);
        QBENCHMARK
        {
            const auto parsed = readText(text);
            QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
        }
    }
};

KERNSCOPE_TEST(TestMilTextLimits, kernscope::test::NoApplication)
#include "tst_mil_text_limits.moc"
