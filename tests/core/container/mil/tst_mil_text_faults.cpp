// SPDX-License-Identifier: GPL-3.0-or-later
#include "mil_text.h"

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
        QTest::addColumn<QByteArray>("text"); // one ^ before the place of every fault
        QTest::addColumn<QByteArray>("codes");
        QTest::addColumn<bool>("kept");
        const auto row = [](const char *name, const char *text, const char *codes,
                            bool kept = false) {
            test::addRow(name, QByteArray(text), QByteArray(codes), kept);
        };
        row("no operation", "fp16 a = ^;", "e:mil.syntax");
        row("no equals sign", "fp16 a ^relu(x = x);", "e:mil.syntax");
        row("no name", "fp16 ^= relu(x = x);", "e:mil.syntax");
        row("no type", "^= relu(x = x);", "e:mil.syntax");
        row("no semicolon", "fp16 a = f(x = x)\n ^fp16 b = relu(x = a);", "e:mil.syntax", true);
        row("stray character", "fp16 a = relu(x = ^#x);", "e:mil.syntax");
        row("wrong bracket", "fp16 a = relu(x = x^];", "e:mil.syntax");
        row("missing value", "fp16 a = relu(x = ^);", "e:mil.syntax");
        row("missing comma", "fp16 a = relu(x = x ^y = x);", "e:mil.syntax");
        row("comma too many", "fp16 a = relu(x = x, ^);", "e:mil.syntax");
        row("list without a comma", "fp16 a = f(v = tensor<int8, [2]>([1 ^2]));", "e:mil.syntax");
        row("list with a comma too many", "fp16 a = f(v = tensor<int8, [2]>([1, 2, ^]));",
            "e:mil.syntax");
        row("list with the wrong end", "fp16 a = f(v = tensor<int8, [2]>([1, 2^)]);",
            "e:mil.syntax");
        row("two scalars", "fp16 a = f(v = int8(1^, 2));", "e:mil.syntax");
        row("string for a number", "fp16 a = f(v = int8(^\"1\"));", "e:mil.syntax");
        row("number for a string", "fp16 a = f(v = string(^1));", "e:mil.syntax");
        row("tensor without extents", "tensor<fp16^> a = f();", "e:mil.syntax");
        row("tensor with a word", "tensor<fp16, [^n]> a = f();", "e:mil.syntax");
        row("blob without an offset", "fp16 a = f(v = fp16(^BLOBFILE(path = \"p\")));",
            "e:mil.syntax");
        row("blob without a path", "fp16 a = f(v = fp16(^BLOBFILE(offset = 64)));", "e:mil.syntax");
        row("blob with something else", "fp16 a = f(v = fp16(BLOBFILE(^size = 64)));",
            "e:mil.syntax");
        row("blob path a number", "fp16 a = f(v = fp16(BLOBFILE(path = ^1, offset = 64)));",
            "e:mil.syntax");
        row("blob offset negative", "fp16 a = f(v = fp16(BLOBFILE(path = \"p\", offset = ^-64)));",
            "e:mil.number");
        row("blob offset a string",
            "fp16 a = f(v = fp16(BLOBFILE(path = \"p\", offset = ^\"64\")));", "e:mil.number");
        row("blob offset beyond 64 bits",
            "fp16 a = f(v = fp16(BLOBFILE(path = string(\"p\"), offset = "
            "uint64(^99999999999999999999999))));",
            "e:mil.number");
        row("bare number beyond 64 bits", "fp16 a = f(v = ^99999999999999999999999);",
            "e:mil.number");
        row("not a number", "fp16 a = f(v = fp16(^zero));", "e:mil.number");
        row("not a dimension", "tensor<fp16, [^1.5]> a = f();", "e:mil.number");
        row("NUL bytes", "fp16 a = ^~~~relu(x = x);", "e:mil.encoding");
        row("NUL byte in a string", "fp16 a = f(n = string(^\"a~b\"));", "e:mil.encoding");
        row("open string", "fp16 a = f(n = string(^\"a));\n", "e:mil.string");
        row("bad UTF-8 in a string", "fp16 a = f(n = string(\"a^\xFF\"));", "w:mil.encoding", true);
        row("negative dimension", "tensor<fp16, [2, ^-3]> a = f();", "e:mil.shape", true);
        row("dimension beyond 63 bits", "tensor<fp16, [^9223372036854775808]> a = f();",
            "e:mil.shape", true);
        row("dimension beyond 64 bits", "tensor<fp16, [^99999999999999999999]> a = f();",
            "e:mil.shape", true);
        row("product beyond 64 bits", "tensor<fp16, [^4294967296, 4294967296]> a = f();",
            "e:mil.shape", true);
        row("too few elements", "fp16 a = f(v = tensor<int8, [3]>(^[1, 2]));", "e:mil.count", true);
        row("too many elements", "fp16 a = f(v = tensor<int8, [1]>(^[1, 2]));", "e:mil.count",
            true);
        row("one element for all", "fp16 a = f(v = tensor<int8, [3]>(^1));", "w:mil.count", true);
        row("unknown element type", "tensor<^fp4, [3]> a = f();", "w:mil.type", true);
        row("undefined", "fp16 a = f(x = ^nobody);", "e:mil.undefined", true);
        row("undefined in a list", "fp16 a = f(x = (x, ^nobody));", "e:mil.undefined", true);
        row("undefined in an attribute", "fp16 a = f()[x = ^nobody];", "e:mil.undefined", true);
        row("use of itself", "fp16 a = f(x = ^a);", "e:mil.order", true);
        row("cycle", "fp16 a = f(x = ^b); fp16 b = f(x = a);", "e:mil.order", true);
        row("defined twice", "fp16 a = f(); fp16 ^a = f();", "e:mil.duplicate", true);
        row("defined as the parameter is", "fp16 ^x = f();", "e:mil.duplicate", true);
        row("parentheses of value", "fp16 a = f(v = ^=);", "e:mil.syntax");
    }

    void statements()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, codes);
        QFETCH(bool, kept);
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
        const auto row = test::addColumns<QByteArray, QByteArray, int>();
        row("empty", "", "e:mil.empty@0", 0);
        row("spaces", " \n\t", "e:mil.empty@3", 0);
        row("only a byte order mark", "\xEF\xBB\xBF", "e:mil.empty@3", 0);
        row("something else", "{\"json\": 1}", "e:mil.syntax@0", 0);
        row("header only", "program(1.0)", "e:mil.cut@12", 0);
        row("no functions", "program(1.0){}", "", 0);
        row("cut after the brace", "program(1.0){", "e:mil.cut@13", 0);
        row("cut in the attributes", "program(1.0)[a = b(", "e:mil.cut@19", 0);
        row("cut in a word", "program(1.0){fun", "e:mil.cut@13", 0);
        row("open string in the attributes", "program(1.0)[a = \"b](", "e:mil.string@17", 0);
        row("no version", "program()\n{func f(){} -> ();}", "e:mil.syntax@8", 1);
        row("no program", "func f(){} -> ();}", "e:mil.syntax@0", 1);
        row("something follows", "program(1.0){} x", "e:mil.syntax@15", 0);
        row("no arrow", "program(1.0){func f(){} func g(){} -> ();}", "e:mil.syntax@24", 2);
        row("bad parameter", "program(1.0){func f(a){} -> (); func g(){} -> ();}",
            "e:mil.syntax@21", 2);
        row("something between", "program(1.0){func f(){} -> (); 1 func g(){} -> ();}",
            "e:mil.syntax@31", 2);
        row("output undefined", "program(1.0){func f(fp16 a){} -> (b);}", "e:mil.undefined@34", 1);
        row("two of one name", "program(1.0){func f(){} -> (); func f(){} -> ();}",
            "e:mil.duplicate@36", 2);
        row("parameter twice", "program(1.0){func f(fp16 a, fp16 a){} -> ();}",
            "e:mil.duplicate@33", 1);
    }

    void wholeTexts()
    {
        const auto [text, codes, functions] = test::fetched<QByteArray, QByteArray, int>();
        const auto parsed = readText(text);
        QCOMPARE(codesOf(parsed.diagnostics), codes);
        QCOMPARE(parsed.program.functions.size(), static_cast<std::size_t>(functions));
    }

    /// What a faulty statement defines is missing, but not undefined; what it uses is not checked.
    void namesOfFaultyStatements()
    {
        const QByteArray text =
            program("fp16 a, fp16 b = split(x = #); fp16 c = add(x = a, y = b);");
        const auto parsed = readText(text);
        QCOMPARE(codesOf(parsed.diagnostics),
                 "e:mil.syntax@" + QByteArray::number(text.indexOf('#')));
        QCOMPARE(shown(parsed.program), QByteArray("(){fp16[] c = add(x=a; y=b)[]}->(x)"));
    }

    /// A text cut anywhere has one fault of its own, at the end, and all statements before it.
    void everyCut()
    {
        const QByteArray text =
            program("tensor<fp16, [2]> w = const()[name = string(\"w\"), val = tensor<fp16, "
                    "[2]>([0x1p+0, -0x1p+0])];\n"
                    "fp16 l = loop(a = w) (fp16 i) { fp16 j = relu(x = i); } -> (j);\n"
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
        const auto pieces =
            QByteArray("( ) [ ] { } < > , ; = \" -> func 1 \n \xFF - x BLOBFILE").split(' ')
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
                QVERIFY(!d.error.offset ||
                        d.error.offset->value <= static_cast<quint64>(damaged.size()));
        }
    }

    void manyFaultsAreCounted()
    {
        const auto parsed = readText(program(QByteArray("fp16 a = ;").repeated(1000)));
        QCOMPARE(parsed.diagnostics.size(), 201U);
        QCOMPARE(parsed.diagnostics.back().error.code, "mil.more");
        QCOMPARE(parsed.diagnostics.back().error.found, "800");
    }

    void depth_data()
    {
        const auto row = test::addColumns<QByteArray, QByteArray, QByteArray>();
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
        const auto row = test::addColumns<QByteArray, QByteArray, QByteArray>();
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
        const auto [before, piece, after] = test::fetched<QByteArray, QByteArray, QByteArray>();
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

KERNSCOPE_TEST(TestMilTextFaults, kernscope::test::NoApplication)
#include "tst_mil_text_faults.moc"
