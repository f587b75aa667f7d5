// SPDX-License-Identifier: GPL-3.0-or-later
#include "mil_text.h"
#include "tests/rows.h"

using namespace miltest;

/// Damaged program text: each fault has its code and its place, and the rest is still read.
/// Texts of a size or a depth that no compiler writes get an answer in bounded memory, and soon: a
/// reader whose time grew with the square of these sizes would pass ctest's limit.
class TestMilTextFaults : public QObject
{
    Q_OBJECT

private slots:
    void statements_data()
    {
        addRowsOf<QByteArray, QByteArray, bool>("core/container/mil/faulty_statements.tsv");
    }

    void statements()
    {
        const auto [text, codes, kept] = fetched<QByteArray, QByteArray, bool>();
        // what comes before and after is sound, and must be read whatever happens between
        QByteArray whole =
            program("fp16 first = relu(x = x);\n" + text + "\nfp16 last = relu(x = first);");
        whole.replace('~', '\0');
        const qsizetype place = whole.indexOf('^');
        whole.remove(place, 1);
        const auto parsed = readText(whole);
        const QByteArray expected =
            codes.isEmpty() ? QByteArray() : codes + "@" + QByteArray::number(place);
        QCOMPARE(codesOf(parsed.diagnostics), expected);
        for (const Diagnostic &d : parsed.diagnostics) {
            QVERIFY(!d.error.expected.empty());
            QVERIFY(!d.error.found.empty());
            QVERIFY(!d.error.message.empty());
            QCOMPARE(d.error.file, "model.mil");
        }
        const QByteArray read = shown(parsed.program);
        QVERIFY2(read.startsWith("(){fp16[] first = relu(x=x)[]"), read.constData());
        QVERIFY2(read.endsWith("fp16[] last = relu(x=first)[]}->(x)"), read.constData());
        QCOMPARE(read.contains("= f("), kept);
    }

    void wholeTexts_data()
    {
        addRowsOf<QByteArray, QByteArray, int>("core/container/mil/whole_texts.tsv");
    }

    void wholeTexts()
    {
        const auto [text, codes, functions] = fetched<QByteArray, QByteArray, int>();
        const auto parsed = readText(text);
        QCOMPARE(codesOf(parsed.diagnostics), codes);
        QCOMPARE(parsed.program.functions.size(), std::size_t(functions));
    }

    /// What a faulty statement defines is missing, but not undefined; what it uses is not checked.
    void namesOfFaultyStatements()
    {
        const QByteArray text =
            program("fp16 a, fp16 b = split(x = #); fp16 c = add(x = a, y = b);");
        const auto parsed = readText(text);
        QCOMPARE(codesOf(parsed.diagnostics),
                 "e:mil.syntax@" + QByteArray::number(text.indexOf('#')));
        QCOMPARE(shown(parsed.program), "(){fp16[] c = add(x=a; y=b)[]}->(x)"_ba);
    }

    /// Read as an infinity, and said; one that is written is meant.
    void beyondTheType()
    {
        const QByteArray text = program(
            "tensor<fp16, [3]> w = const()[val = tensor<fp16, [3]>([0x1p+20, -inf, 65504])];");
        const auto parsed = readText(text);
        QCOMPARE(codesOf(parsed.diagnostics),
                 "w:mil.number@" + QByteArray::number(text.indexOf("0x1p+20")));
    }

    /// A text cut anywhere has one fault of its own, at the end, and all statements before it.
    void everyCut()
    {
        const QByteArray text =
            program("tensor<fp16, [2]> w = const()[name = string(\"w\"), val = tensor<fp16, "
                    "[2]>([0x1p+0, -0x1p+0])];\n"
                    "fp16 l = loop(a = w, v = (w, x)) (fp16 i) { fp16 j = relu(x = i); } -> (j);\n"
                    "tensor<fp16, [4]> b = const()[val = tensor<fp16, [4]>(BLOBFILE(path = "
                    "string(\"p\"), offset = uint64(64)))];");
        QCOMPARE(codesOf(readText(text).diagnostics), QByteArray());
        for (qsizetype length = 0; length < text.size(); ++length) {
            const QByteArray part = text.left(length);
            const auto parsed = readText(part);
            QVERIFY2(hasErrors(parsed.diagnostics), part.constData());
            QVERIFY2(countOf(parsed.diagnostics, Severity::Error) <= 2, part.constData());
            std::size_t whole = 0;
            for (const char *end : {"+0])];", "-> (j);", "(64)))];"})
                whole += part.contains(end) ? 1 : 0;
            const std::size_t read = parsed.program.functions.empty()
                                         ? 0
                                         : parsed.program.functions[0].body.operations.size();
            QCOMPARE(read, whole);
        }
    }

    void randomDamage()
    {
        const QByteArray text =
            program("tensor<fp16, [2]> w = const()[name = string(\"w\"), val = tensor<fp16, "
                    "[2]>([0x1p+0, -0x1p+0])];\n"
                    "fp16 l = loop(a = w, v = (w, x)) (fp16 i) { fp16 j = relu(x = i); } -> (j);\n"
                    "tensor<fp16, [4]> b = const()[val = tensor<fp16, [4]>(BLOBFILE(path = "
                    "string(\"p\"), offset = uint64(64)))];");
        const auto pieces = "( ) [ ] { } < > , ; = \" -> func 1 \n \xFF - x BLOBFILE"_ba.split(' ')
                            << QByteArray(1, '\0');
        QRandomGenerator random(1);
        for (int round = 0; round < 5000; ++round) {
            QByteArray damaged = text;
            for (int i = random.bounded(1, 5); i > 0; --i) {
                const qsizetype at = random.bounded(int(damaged.size()));
                if (random.bounded(2) == 0)
                    damaged.remove(at, random.bounded(1, 10));
                else
                    damaged.insert(at, pieces[random.bounded(int(pieces.size()))]);
            }
            const auto parsed = readText(damaged);
            for (const Diagnostic &d : parsed.diagnostics)
                QVERIFY(!d.error.offset || d.error.offset->value <= quint64(damaged.size()));
        }
    }

    void manyFaultsAreCounted()
    {
        const auto parsed = readText(program("fp16 a = ;"_ba.repeated(1000)));
        QCOMPARE(parsed.diagnostics.size(), 201U);
        QCOMPARE(parsed.diagnostics.back().error.code, "mil.more");
        QCOMPARE(parsed.diagnostics.back().error.found, "800");
    }

    void depth_data()
    {
        const auto row = addColumns<QByteArray, QByteArray, QByteArray>();
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
        const auto [open, inside, close] = fetched<QByteArray, QByteArray, QByteArray>();
        constexpr int kLevels = 100000;
        const QByteArray text = program("fp16 a = f(v = " + open.repeated(kLevels) + inside +
                                        close.repeated(kLevels) + ");\nfp16 last = relu(x = x);");
        const auto parsed = readText(text);
        QVERIFY(hasErrors(parsed.diagnostics));
        if (!open.isEmpty() && !open.contains("int32"))
            QCOMPARE(parsed.diagnostics.front().error.code, "mil.depth");
        QVERIFY(shown(parsed.program).contains("last = relu(x=x)"));
    }

    /// Of 200 levels; brackets of a tensor are no levels of a value, and bound alike.
    void depthThatIsAllowed()
    {
        for (const int levels : {50, 150, 250}) {
            const bool allowed = levels < 200;
            const auto nested = [levels](const char *open, const char *close) {
                return QByteArray(open).repeated(levels) + "1" + QByteArray(close).repeated(levels);
            };
            for (const QByteArray &value : {nested("(", ")"), "int8(" + nested("[", "]") + ")"}) {
                const auto codes =
                    codesOf(readText(program("fp16 a = f(v = " + value + ");")).diagnostics);
                QVERIFY2(allowed ? codes.isEmpty() : codes.startsWith("e:mil.depth@"), codes);
            }
        }
    }

    /// Two million numbers and no line break: valid, and read whole.
    void longLine()
    {
        constexpr int kCount = 2000000;
        const QByteArray type = "tensor<fp16, [" + QByteArray::number(kCount) + "]>";
        QByteArray list = "0x1.8p-3, "_ba.repeated(kCount);
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
        const auto row = addColumns<QByteArray, QByteArray, QByteArray>();
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

    /// A megabyte of one thing over and over.
    void longTexts()
    {
        const auto [before, piece, after] = fetched<QByteArray, QByteArray, QByteArray>();
        constexpr qsizetype kBytes = 1000000;
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
                                        ",x"_ba.repeated(2100000) + ")); fp16 c = g();");
        const auto parsed = readText(text);
        QCOMPARE(codesOf(parsed.diagnostics).left(12), "e:mil.limit@"_ba);
        QCOMPARE(parsed.diagnostics.size(), 1U);
        QCOMPARE(shown(parsed.program).left(28), "(){fp16[] a = relu(x=x)[]}->"_ba);
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

KERNSCOPE_TEST(TestMilTextFaults, NoApplication)
#include "tst_mil_text_faults.moc"
