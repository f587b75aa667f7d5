// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bound_shapes.h"
#include "core/bundle/shapes/described.h"
#include "core/bundle/shapes/rules.h"
#include "core/format/table_rows.h"
#include "made_bundle.h"
#include "shape_programs.h"
#include "tests/rows.h"

/// Open extents of programs, from the shapes of their inputs.
/// What each rule makes of known shapes.
class TestShapes : public QObject
{
    Q_OBJECT

private slots:
    void bindingText_data()
    {
        const auto row = addColumns<QByteArray, bool>();
        row("four", "input=1,3,640,640", true);
        row("open", "main/input=1,?", true);
        for (const char *text : {"", "=1", "x", "x=", "x=1,", "x=,1", "x=0", "x=-1", "x=1.5",
                                 "x=9999999999", "x=1 2", "x=99999999999999999999"})
            row(text, QByteArray(text), false);
    }

    void bindingText()
    {
        const auto [text, good] = fetched<QByteArray, bool>();
        const auto binding = shapes::parseBinding(text.toStdString());
        QCOMPARE(binding.has_value(), good);
        if (!good)
            QCOMPARE(binding.error().code, "cli.option");
    }

    void wrongBindings_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        row("name", "z=1,3,4,4", "x tensor<fp16, [1, 3, ?, ?]>");
        row("rank", "x=1,3,4", "x tensor<fp16, [1, 3, ?, ?]>");
        row("fixed extent", "x=1,4,4,4", "x tensor<fp16, [1, 3, ?, ?]>");
        row("twice", "x=1,3,4,4 x=1,3,4,4", "one shape an input");
    }

    void wrongBindings()
    {
        const auto [bound, expected] = fetched<QByteArray, QByteArray>();
        mil::Program program = parsed(
            programText("tensor<fp16, [1, 3, ?, ?]> x", "tensor<fp16, [?]> y = relu(x = x);"));
        const Error summary =
            REFUSED(shapes::inferShapes(program, bindings(bound.toStdString()), "model.mil"));
        QCOMPARE(summary.code, "cli.option");
        QCOMPARE(summary.expected, expected.toStdString());
    }

    /// The attribute that a converter leaves where an input takes several shapes, as text has it.
    void defaultsOfTheFunction()
    {
        std::string text = programText("tensor<fp16, [1, 3, ?, ?]> x, tensor<fp16, [?]> z",
                                       "tensor<fp16, [1, 3, ?, ?]> y = relu(x = x);");
        const std::string attribute =
            " [FlexibleShapeInformation = tuple<tuple<string, dict<string, tensor<int32, [?]>>>, "
            "tuple<string, dict<string, dict<string, tensor<int32, [?]>>>>>(((\"DefaultShapes\", "
            "{{\"w\", [7]}, {\"x\", [1, 3, 64, 32]}}), (\"EnumeratedShapes\", {{\"a1\", "
            "{{\"x\", [1, 3, 8, 8]}, {\"z\", [5]}}}})))]";
        text.insert(text.find(") {", text.find("main")) + 1, attribute);
        mil::Program program = parsed(text);
        shapes::describeFlexibleShapes(program);
        const auto found = shapes::describedShapes(program);
        QCOMPARE(found.size(), 2U);
        QCOMPARE(found.front().input, "x");
        QCOMPARE(found.front().dims, (std::vector<std::int64_t>{1, 3, 64, 32}));
        QCOMPARE(found.back().dims,
                 std::vector<std::int64_t>{5}); // no default: the first allowed one
        const auto &inputs = program.descriptions.front().functions.front().inputs;
        QCOMPARE(inputs.front().allowedText(), "[1, 3, 8, 8]");
    }

    /// Only the operation where shapes get lost is named, values behind it keep their open extents.
    void namesWhereShapesEnd()
    {
        mil::Program program =
            parsed(programText("tensor<fp16, [1, ?]> x",
                               "tensor<int32, [?, 2]> z = non_zero(x = x)[name = string(\"nz\")];"
                               "tensor<int32, [?, 2]> r = identity(x = z);"
                               "tensor<fp16, [?, ?]> y = relu(x = x);"));
        const auto summary = VERIFIED(shapes::inferShapes(program, bindings("x=1,9"), "model.mil"));
        QCOMPARE(summary->unknown.size(), 1U);
        QCOMPARE(summary->unknown.front().operation, "nz");
        QCOMPARE(summary->unknown.front().type, "non_zero");
        QCOMPARE(summary->diagnostics.size(), 1U);
        QVERIFY(summary->diagnostics.front().error.offset);
        QCOMPARE(dimsOf(program.functions.front().body, "r"), "?,2");
        QCOMPARE(dimsOf(program.functions.front().body, "y"), "1,9");
        QCOMPARE(summary->values, 3U);
        QCOMPARE(summary->open, 3U);
        QCOMPARE(summary->inferred, 1U);
    }

    /// What the program declares stays, whatever is inferred.
    void reportsContradictions()
    {
        mil::Program program = parsed(programText(
            "tensor<fp16, [1, ?]> x, tensor<fp16, [6, 4]> w",
            "tensor<fp16, [1, 7]> a = relu(x = x); tensor<fp16, [?, ?]> y = linear(x = x, weight = "
            "w);"));
        const auto summary = VERIFIED(shapes::inferShapes(program, bindings("x=1,9"), "model.mil"));
        QCOMPARE(summary->conflicts, 2U);
        QCOMPARE(faults(summary->diagnostics).size(), 2U);
        for (const Diagnostic &each : summary->diagnostics)
            QCOMPARE(each.error.code, "shape.conflict");
        QCOMPARE(dimsOf(program.functions.front().body, "a"), "1,7");
        QCOMPARE(dimsOf(program.functions.front().body, "y"), "?,?");
    }

    /// A variable keeps the extents that the body leaves as they are, and loses the others.
    void followsLoops()
    {
        const char *text =
            "tensor<fp16, [?, ?]> y, tensor<fp16, [?, ?]> g = while_loop(loop_vars = (x, x)) cond "
            "(tensor<fp16, [?, ?]> a, tensor<fp16, [?, ?]> b) { bool c = less(x = a, y = b); } -> "
            "(c), "
            "block body (tensor<fp16, [?, ?]> d, tensor<fp16, [?, ?]> e) { "
            "tensor<fp16, [?, ?]> p = relu(x = d); "
            "tensor<fp16, [?, ?]> q = concat(values = (e, e), axis = int32(0)); } -> (p, q);";
        mil::Program program = parsed(programText("tensor<fp16, [?, 4]> x", text));
        if (program.functions.front().body.operations.empty())
            QFAIL("the loop was not read");
        const auto summary = VERIFIED(shapes::inferShapes(program, bindings("x=3,4"), "model.mil"));
        const mil::Block &body = program.functions.front().body;
        QCOMPARE(dimsOf(body, "p"), "3,4");
        QCOMPARE(dimsOf(body, "y"), "3,4");
        QCOMPARE(dimsOf(body, "q"), "?,4");
        QCOMPARE(dimsOf(body, "g"), "?,4");
    }

    /// Forty loops within each other, and a chain of a hundred calls: an answer at once.
    void deepPrograms()
    {
        std::string text = "tensor<fp16, [?]> b40 = relu(x = a39);";
        for (int i = 40; i-- > 0;) {
            const std::string in = i == 0 ? "x" : fmt::format("a{}", i - 1);
            text =
                fmt::format("tensor<fp16, [?]> b{0} = while_loop(loop_vars = ({1})) cond "
                            "(tensor<fp16, [?]> c{0}) {{ bool t{0} = less(x = c{0}, y = c{0}); }} "
                            "-> (t{0}), block body (tensor<fp16, [?]> a{0}) {{ {2} }} -> (b{3});",
                            i, in, text, i + 1);
        }
        mil::Program program =
            parsed(programText("tensor<fp16, [?]> x", text + "tensor<fp16, [?]> y = "
                                                             "relu(x = x);"));
        QVERIFY(shapes::inferShapes(program, bindings("x=3"), "model.mil"));
        QCOMPARE(dimsOf(program.functions.front().body, "y"), "3");

        std::string chain =
            "program(1.3)\n[buildInfo = dict<string, string>({{\"a\", \"b\"}})]\n{\n";
        for (int i = 0; i < 100; ++i)
            chain += fmt::format("func f{0}<ios18>(tensor<fp16, [?]> x) {{ tensor<fp16, [?]> y = "
                                 "call(x = x)[function = string(\"f{1}\")]; }} -> (y);\n",
                                 i, i + 1);
        chain +=
            "func f100<ios18>(tensor<fp16, [?]> x) { tensor<fp16, [?]> y = relu(x = x); } -> (y);}";
        program = parsed(chain);
        QCOMPARE(program.functions.size(), 101U);
        const auto summary =
            VERIFIED(shapes::inferShapes(program, bindings("f0/x=3"), "model.mil"));
        QVERIFY(!summary->unknown.empty());
    }

    /// Segments of compiler 3600.x: the called function's inputs come from the call.
    void followsCalls()
    {
        const std::string text =
            "program(1.3)\n[buildInfo = dict<string, string>({{\"a\", \"b\"}})]\n{\n"
            "    func main<ios18>(tensor<fp16, [1, ?]> x) {\n"
            "            tensor<fp16, [1, ?]> a = transfer(from = string(\"ane\"), to = "
            "string(\"ane\"), values = x);\n"
            "            tensor<fp16, [?, ?]> y = call(p = a)[backend = string(\"ane\"), function "
            "= "
            "string(\"inner\")];\n"
            "        } -> (y);\n"
            "    func inner<ios18>(tensor<fp16, [1, ?]> p) {\n"
            "            tensor<fp16, [?, ?]> q = concat(values = (p, p), axis = int32(1));\n"
            "        } -> (q);\n}";
        mil::Program program = parsed(text);
        const auto summary = VERIFIED(shapes::inferShapes(program, bindings("x=1,5"), "model.mil"));
        QCOMPARE(dimsOf(program.functions[0].body, "y"), "1,10");
        QCOMPARE(dimsOf(program.functions[1].body, "q"), "1,10");
        QCOMPARE(summary->inferred, 3U);
    }

    /// The reason for all of it: what a weight's consumer costs.
    void reachesConsumers()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [1, 3, ?, ?]> x";
        made.weight("w", "[8, 3, 1, 1]", Bytes(48));
        made.line("tensor<fp16, [1, 8, ?, ?]> y = conv(weight = w, x = x)");
        const auto before = VERIFIED(made.open());
        QVERIFY(!(*before)->weights().front().consumers.front().flops);
        const auto bound = VERIFIED(bindShapes(**before, bindings("x=1,3,5,4")));
        const Consumer &consumer = bound->bundle->weights().front().consumers.front();
        QCOMPARE(consumer.flops.value_or(0), std::uint64_t(2 * 8 * 3 * 20));
        QCOMPARE(consumer.geometry.output.value_or(Shape()), (Shape{1, 8, 5, 4}));
        QCOMPARE(faults(bound->bundle->diagnostics()), faults((*before)->diagnostics()));
        QCOMPARE(decoded(*bound->bundle, "w").size(), 24U);
        const auto wrong = bindShapes(**before, bindings("w=1"));
        QVERIFY(!wrong);
    }

    /// The tables that are read again after an edit, and a fork, have the shapes that were bound.
    void keepsShapesWhenReread()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [1, 3, ?, ?]> x";
        made.weight("w", "[8, 3, 1, 1]", Bytes(48));
        made.line("tensor<fp16, [1, 8, ?, ?]> y = conv(weight = w, x = x)");
        const auto before = VERIFIED(made.open());
        QVERIFY(!(*before)->shapeBindings());
        const auto bound = VERIFIED(bindShapes(**before, bindings("x=1,3,5,4")));
        QCOMPARE(bound->bundle->shapeBindings()->size(), 1U);
        const auto again = VERIFIED(bound->bundle->reread());
        const auto third = VERIFIED((*again)->reread());
        for (const BundlePtr &bundle : {*again, *third}) {
            const Consumer &consumer = bundle->weights().front().consumers.front();
            QCOMPARE(consumer.flops.value_or(0), std::uint64_t(2 * 8 * 3 * 20));
            QVERIFY(bundle->shapeBindings());
            QCOMPARE(bundle->diagnostics().size(), bound->bundle->diagnostics().size());
        }
        // Binding anew replaces, and binding nothing opens the extents again.
        const auto other = VERIFIED(bindShapes(**again, bindings("x=1,3,1,1")));
        QCOMPARE(other->bundle->weights().front().consumers.front().flops.value_or(0),
                 std::uint64_t(2 * 8 * 3));
        const auto none = VERIFIED(bindShapes(**again, {}));
        QVERIFY(!none->bundle->shapeBindings());
        QVERIFY(!none->bundle->weights().front().consumers.front().flops);
    }

    /// Numbers from the file that do not fit anywhere: no extent, no crash.
    void hugeNumbers()
    {
        mil::Program program = parsed(programText(
            "tensor<fp16, [1, 3, ?, ?]> x, tensor<fp16, [8, 3, 3, 3]> w",
            "tensor<fp16, [?, ?, ?, ?]> a = conv(weight = w, x = x, strides = tensor<int64, "
            "[2]>([9223372036854775807, 1]), dilations = tensor<int64, [2]>([1, "
            "9223372036854775807]), pad_type = string(\"custom\"), pad = tensor<int64, "
            "[4]>([9223372036854775807, 9223372036854775807, 0, 0]));"
            "tensor<fp16, [?, ?, ?, ?]> b = pad(x = x, pad = tensor<int64, "
            "[2]>([9223372036854775807, "
            "9223372036854775807]));"
            "tensor<fp16, [?, ?, ?, ?]> c = tile(x = x, reps = tensor<int64, [4]>([1, 1, "
            "9223372036854775807, 2]));"
            "tensor<fp16, [?, ?, ?, ?]> d = slice_by_index(x = x, begin = tensor<int64, [4]>([0, "
            "0, "
            "-9223372036854775807, 9223372036854775807]), end = tensor<int64, [4]>([1, 1, "
            "9223372036854775807, -9223372036854775807]), stride = tensor<int64, [4]>([1, 1, "
            "9223372036854775807, -9223372036854775807]));"
            "tensor<fp16, [?, ?]> e = reshape(x = x, shape = tensor<int64, "
            "[2]>([9223372036854775807, "
            "9223372036854775807]));"
            "tensor<fp16, [?, ?, ?, ?]> y = upsample_bilinear(x = x, scale_factor_height = "
            "fp32(0x1p+126), scale_factor_width = fp32(0x1p-126));"));
        const auto summary =
            VERIFIED(shapes::inferShapes(program, bindings("x=1,3,4,5"), "model.mil"));
        const mil::Block &body = program.functions.front().body;
        QCOMPARE(dimsOf(body, "b"), "1,3,4,?");
        QCOMPARE(dimsOf(body, "c"), "1,3,?,10");
        QCOMPARE(dimsOf(body, "d"), "1,1,1,1");
        QVERIFY(!summary->unknown.empty());
    }

    /// Every row of the table names a rule that exists, and a rule that nothing names is no rule.
    void table()
    {
        struct Row {
            std::string operation;
        };
        for (const Row &row :
             tables::loadRows<Row>("shape_rules", {{"operation", &Row::operation}}))
            QVERIFY2(shapes::ruleOf(row.operation) != nullptr, row.operation.c_str());
        QVERIFY(shapes::ruleOf("conv") != nullptr);
        QVERIFY(shapes::ruleOf("non_zero") == nullptr);
    }

    void rules_data()
    {
        addRowsOf<QByteArray, QByteArray, QByteArray, QByteArray>("core/bundle/shape_rules.tsv");
    }

    void rules()
    {
        const auto [parameters, statement, bound, expected] =
            fetched<QByteArray, QByteArray, QByteArray, QByteArray>();
        mil::Program program =
            parsed(programText(parameters.toStdString(), statement.toStdString()));
        QCOMPARE(program.functions.size(), 1U);
        const auto summary =
            VERIFIED(shapes::inferShapes(program, bindings(bound.toStdString()), "model.mil"));
        QCOMPARE(dimsOf(program.functions.front().body, "y"), expected.toStdString());
        QCOMPARE(summary->conflicts, 0U);
        const bool whole = !expected.contains('?');
        QCOMPARE(summary->unknown.size(), std::size_t(whole ? 0 : 1));
        if (!whole)
            QCOMPARE(summary->unknown.front().type, "input");
    }
};

KERNSCOPE_TEST(TestShapes, QCoreApplication)
#include "tst_shapes.moc"
