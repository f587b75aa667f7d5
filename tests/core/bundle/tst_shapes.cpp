// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bound_shapes.h"
#include "core/bundle/shapes/described.h"
#include "core/bundle/shapes/rules.h"
#include "made_bundle.h"
#include "shape_programs.h"

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
        QCOMPARE(found.size(), std::size_t(2));
        QCOMPARE(found.front().input, "x");
        QCOMPARE(found.front().dims, (std::vector<std::int64_t>{1, 3, 64, 32}));
        QCOMPARE(found.back().dims,
                 std::vector<std::int64_t>{5}); // no default: the first allowed one
        const auto &inputs = program.descriptions.front().functions.front().inputs;
        QCOMPARE(inputs.front().allowedText(), "[1, 3, 8, 8]");
    }

    /// Only the operation where shapes get lost is named, and values behind it keep their open
    /// extents.
    void namesWhereShapesEnd()
    {
        mil::Program program =
            parsed(programText("tensor<fp16, [1, ?]> x",
                               "tensor<int32, [?, 2]> z = non_zero(x = x)[name = string(\"nz\")];"
                               "tensor<int32, [?, 2]> r = identity(x = z);"
                               "tensor<fp16, [?, ?]> y = relu(x = x);"));
        const auto summary = VERIFIED(shapes::inferShapes(program, bindings("x=1,9"), "model.mil"));
        QCOMPARE(summary->unknown.size(), std::size_t(1));
        QCOMPARE(summary->unknown.front().operation, "nz");
        QCOMPARE(summary->unknown.front().type, "non_zero");
        QCOMPARE(summary->diagnostics.size(), std::size_t(1));
        QVERIFY(summary->diagnostics.front().error.offset);
        QCOMPARE(dimsOf(program.functions.front().body, "r"), "?,2");
        QCOMPARE(dimsOf(program.functions.front().body, "y"), "1,9");
        QCOMPARE(summary->values, std::size_t(3));
        QCOMPARE(summary->open, std::size_t(3));
        QCOMPARE(summary->inferred, std::size_t(1));
    }

    /// What the program declares stays, whatever is inferred.
    void reportsContradictions()
    {
        mil::Program program = parsed(programText(
            "tensor<fp16, [1, ?]> x, tensor<fp16, [6, 4]> w",
            "tensor<fp16, [1, 7]> a = relu(x = x); tensor<fp16, [?, ?]> y = linear(x = x, weight = "
            "w);"));
        const auto summary = VERIFIED(shapes::inferShapes(program, bindings("x=1,9"), "model.mil"));
        QCOMPARE(summary->conflicts, std::size_t(2));
        QCOMPARE(faults(summary->diagnostics).size(), std::size_t(2));
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
        QCOMPARE(program.functions.size(), std::size_t(101));
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
        QCOMPARE(summary->inferred, std::size_t(3));
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
        QCOMPARE(decoded(*bound->bundle, "w").size(), std::size_t(24));
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
        QCOMPARE(bound->bundle->shapeBindings()->size(), std::size_t(1));
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
        QCOMPARE(shapes::rowsWithoutRule(), std::vector<std::string>());
        QVERIFY(shapes::ruleOf("conv") != nullptr);
        QVERIFY(shapes::ruleOf("non_zero") == nullptr);
    }

    void rules_data()
    {
        const auto row = addColumns<QByteArray, QByteArray, QByteArray, QByteArray>();
        const char *picture = "tensor<fp16, [1, 3, ?, ?]> x";
        const char *kernel = "tensor<fp16, [1, 3, ?, ?]> x, tensor<fp16, [8, 3, 3, 3]> w";
        const char *four = "tensor<fp16, [?, ?, ?, ?]> y = ";
        const auto made = [four](const char *rest) {
            static std::deque<std::string> kept;
            return kept.emplace_back(std::string(four) + rest + ";").c_str();
        };
        row("conv valid", kernel, made("conv(weight = w, x = x)"), "x=1,3,10,7", "1,8,8,5");
        row("conv same, stride", kernel,
            made("conv(weight = w, x = x, strides = tensor<int32, [2]>([2, 2]), pad_type = "
                 "string(\"same\"))"),
            "x=1,3,10,7", "1,8,5,4");
        row("conv padded, dilated", kernel,
            made("conv(weight = w, x = x, dilations = tensor<int32, [2]>([2, 1]), pad_type = "
                 "string(\"custom\"), pad = tensor<int32, [4]>([1, 0, 2, 1]))"),
            "x=1,3,10,7", "1,8,7,8");
        row("pad without custom", kernel,
            made("conv(weight = w, x = x, pad_type = string(\"valid\"), pad = tensor<int32, "
                 "[4]>([1, "
                 "0, 2, 1]))"),
            "x=1,3,10,7", "1,8,8,5");
        row("half bound", kernel, made("conv(weight = w, x = x)"), "x=1,3,10,?", "1,8,8,?");
        row("conv_transpose", "tensor<fp16, [1, 8, ?, ?]> x, tensor<fp16, [8, 2, 4, 4]> w",
            made("conv_transpose(weight = w, x = x, groups = int32(3), strides = tensor<int32, "
                 "[2]>([2, 2]), pad_type = string(\"custom\"), pad = tensor<int32, [4]>([1, 1, 1, "
                 "0]))"),
            "x=1,8,5,6", "1,6,10,13");
        row("conv_transpose same", "tensor<fp16, [1, 8, ?, ?]> x, tensor<fp16, [8, 2, 4, 4]> w",
            made("conv_transpose(weight = w, x = x, strides = tensor<int32, [2]>([2, 3]), pad_type "
                 "= "
                 "string(\"same\"))"),
            "x=1,8,5,6", "1,2,10,18");
        row("pool, ceiling", picture,
            made("max_pool(x = x, kernel_sizes = tensor<int32, [2]>([2, 3]), strides = "
                 "tensor<int32, "
                 "[2]>([2, 2]), ceil_mode = bool(true), pad_type = string(\"valid\"))"),
            "x=1,3,7,8", "1,3,4,4");
        row("pool, ceiling, last window in padding", picture,
            made("avg_pool(x = x, kernel_sizes = tensor<int32, [2]>([1, 1]), strides = "
                 "tensor<int32, "
                 "[2]>([2, 2]), ceil_mode = bool(true), pad_type = string(\"custom\"), pad = "
                 "tensor<int32, [4]>([1, 1, 1, 1]))"),
            "x=1,3,4,5", "1,3,3,3");
        row("reduce", picture,
            "tensor<fp16, [?, ?]> y = reduce_mean(x = x, axes = tensor<int32, [2]>([-1, 1]));",
            "x=1,3,4,5", "1,4");
        row("reduce, kept", picture,
            made("reduce_max(x = x, axes = tensor<int32, [1]>([2]), keep_dims = bool(true))"),
            "x=1,3,4,5", "1,3,1,5");
        row("argmax", picture,
            "tensor<int32, [?, ?, ?]> y = reduce_argmax(x = x, axis = int32(1));", "x=1,3,4,5",
            "1,4,5");
        row("broadcast", "tensor<fp16, [?, 1, 5]> x, tensor<fp16, [4, 1]> b",
            "tensor<fp16, [?, ?, ?]> y = mul(x = x, y = b);", "x=7,1,5", "7,4,5");
        row("select", "tensor<fp16, [?, 3]> x, tensor<bool, [3]> c",
            "tensor<fp16, [?, ?]> y = select(cond = c, a = x, b = fp16(0x0p+0));", "x=7,3", "7,3");
        row("linear", "tensor<fp16, [?, ?, 4]> x, tensor<fp16, [6, 4]> w",
            "tensor<fp16, [?, ?, ?]> y = linear(x = x, weight = w);", "x=2,9,4", "2,9,6");
        row("matmul", "tensor<fp16, [?, 1, 4, ?]> x, tensor<fp16, [3, 6, 4]> w",
            made("matmul(x = x, y = w, transpose_x = bool(true), transpose_y = bool(true))"),
            "x=2,1,4,5", "2,3,5,6");
        row("matmul of a vector", "tensor<fp16, [?]> x, tensor<fp16, [3, 4, 6]> w",
            "tensor<fp16, [?, ?]> y = matmul(x = x, y = w);", "x=4", "3,6");
        row("einsum", "tensor<fp16, [1, ?, 2, 4]> x, tensor<fp16, [1, 4, 2, 6]> w",
            made("einsum(values = (x, w), equation = string(\"nchw,nwhu->nchu\"))"), "x=1,5,2,4",
            "1,5,2,6");
        row("attention",
            "tensor<fp16, [1, ?, 8]> x, tensor<fp16, [1, 9, 8]> k, tensor<fp16, [1, 9, "
            "5]> v",
            "tensor<fp16, [?, ?, ?]> y = scaled_dot_product_attention(query = x, key = k, value = "
            "v);",
            "x=1,7,8", "1,7,5");
        row("lstm, both directions", "tensor<fp16, [?, ?, 4]> x, tensor<fp16, [12, 3]> w",
            "tensor<fp16, [?, ?, ?]> y, tensor<fp16, [?, ?]> h, tensor<fp16, [?, ?]> c = lstm(x = "
            "x, "
            "weight_hh = w, direction = string(\"bidirectional\"), output_sequence = bool(true));",
            "x=9,2,4", "9,2,6");
        row("gru, last step", "tensor<fp16, [?, ?, 4]> x, tensor<fp16, [9, 3]> w",
            "tensor<fp16, [?, ?, ?]> y, tensor<fp16, [?, ?]> h = gru(x = x, weight_hh = w);",
            "x=9,2,4", "1,2,3");
        row("reshape", picture,
            "tensor<fp16, [?, ?]> y = reshape(x = x, shape = tensor<int32, [2]>([-1, 6]));",
            "x=1,3,4,5", "10,6");
        row("reshape, extents kept", picture,
            made("reshape(x = x, shape = tensor<int32, [4]>([0, -1, 0, 1]))"), "x=1,3,4,5",
            "1,15,4,1");
        row("reshape, extents from the last axis", "tensor<fp16, [?, ?]> x",
            made("reshape(x = x, shape = tensor<int32, [4]>([1, 0, -1, 0]))"), "x=2,50",
            "1,1,2,50");
        row("suppression", "tensor<fp16, [?, ?, 4]> x, tensor<fp16, [1, 9, 3]> s",
            "tensor<fp16, [?, ?, ?]> a, tensor<fp16, [?, ?, ?]> y, tensor<int32, [?, ?]> b, "
            "tensor<int32, [?]> c = non_maximum_suppression(boxes = x, scores = s, iou_threshold = "
            "fp16(0x1p-1), score_threshold = fp16(0x1p-1), max_boxes = int32(5));",
            "x=1,9,4", "1,5,3");
        row("suppression, boxes last", "tensor<fp16, [?, 4, ?]> x, tensor<fp16, [1, 3, 9]> s",
            "tensor<fp16, [?, ?, ?]> a, tensor<fp16, [?, ?, ?]> y, tensor<int32, [?, ?]> b = "
            "non_maximum_suppression(boxes = x, scores = s, iou_threshold = fp16(0x1p-1), "
            "max_boxes = "
            "int32(5));",
            "x=1,4,9", "1,3,5");
        row("a shape that the program works out", picture,
            "tensor<int32, [4]> s = shape(x = x);"
            "int32 h = slice_by_index(x = s, begin = tensor<int32, [1]>([2]), end = tensor<int32, "
            "[1]>([3]), squeeze_mask = tensor<bool, [1]>([true]));"
            "int32 w = gather(x = s, indices = int32(-1), axis = int32(0));"
            "int32 a = mul(x = h, y = w);"
            "tensor<int32, [1]> e = expand_dims(x = a, axes = tensor<int32, [1]>([0]));"
            "tensor<int32, [3]> t = concat(values = (tensor<int32, [2]>([1, 3]), e), axis = "
            "int32(0));"
            "tensor<fp16, [?, ?, ?]> y = reshape(x = x, shape = t);",
            "x=1,3,4,5", "1,3,20");
        row("flatten", picture, "tensor<fp16, [?, ?]> y = flatten2d(x = x, axis = int32(-1));",
            "x=1,3,4,5", "12,5");
        row("transpose", picture,
            made("transpose(x = x, perm = tensor<int32, [4]>([0, 2, -1, 1]))"), "x=1,3,4,5",
            "1,4,5,3");
        row("squeeze and expand", "tensor<fp16, [1, ?, 1]> x",
            "tensor<fp16, [?]> z = squeeze(x = x, axes = tensor<int32, [2]>([0, -1]));"
            "tensor<fp16, [?, ?, ?]> y = expand_dims(x = z, axes = tensor<int32, [2]>([0, 2]));",
            "x=1,9,1", "1,9,1");
        row("concat", "tensor<fp16, [?, 2]> x, tensor<fp16, [3, 2]> b",
            "tensor<fp16, [?, ?]> y = concat(values = (x, b), axis = int32(-2));", "x=4,2", "7,2");
        row("stack", "tensor<fp16, [?, 2]> x",
            "tensor<fp16, [?, ?, ?]> y = stack(values = (x, x, x), axis = int32(1));", "x=4,2",
            "4,3,2");
        row("split", "tensor<fp16, [?, 6]> x",
            "tensor<fp16, [?, ?]> z, tensor<fp16, [?, ?]> y = split(x = x, axis = int32(1), "
            "split_sizes = tensor<int32, [2]>([2, 4]));",
            "x=3,6", "3,4");
        row("split in equal parts", "tensor<fp16, [?, 6]> x",
            "tensor<fp16, [?, ?]> z, tensor<fp16, [?, ?]> y = split(x = x, axis = int32(-1), "
            "num_splits = int32(2));",
            "x=3,6", "3,3");
        row("pad", picture, made("pad(x = x, pad = tensor<int32, [4]>([1, 2, 0, 3]))"), "x=1,3,4,5",
            "1,3,7,8");
        row("tile", "tensor<fp16, [?, 6]> x",
            "tensor<fp16, [?, ?]> y = tile(x = x, reps = tensor<int32, [2]>([2, 3]));", "x=3,6",
            "6,18");
        row("slice", "tensor<fp16, [?, ?, ?, 5]> x",
            "tensor<fp16, [?, ?, ?]> y = slice_by_index(x = x, begin = tensor<int32, [4]>([1, -3, "
            "0, "
            "2]), end = tensor<int32, [4]>([0, 2147483647, -1, 0]), stride = tensor<int32, "
            "[4]>([2, 1, "
            "1, 1]), end_mask = tensor<bool, [4]>([true, false, false, false]), squeeze_mask = "
            "tensor<bool, [4]>([false, false, false, true]));",
            "x=8,7,6,5", "4,3,5");
        row("slice backwards", "tensor<fp16, [?]> x",
            "tensor<fp16, [?]> y = slice_by_index(x = x, begin = tensor<int32, [1]>([-1]), end = "
            "tensor<int32, [1]>([1]), stride = tensor<int32, [1]>([-2]));",
            "x=8", "3");
        row("slice_by_size", "tensor<fp16, [?, ?]> x",
            "tensor<fp16, [?, ?]> y = slice_by_size(x = x, begin = tensor<int32, [2]>([1, 2]), "
            "size = "
            "tensor<int32, [2]>([3, -1]));",
            "x=8,7", "3,5");
        row("windows", "tensor<fp16, [1, ?]> x",
            "tensor<fp16, [?, ?, ?]> y = sliding_windows(x = x, axis = int32(1), size = int32(4), "
            "stride = int32(3));",
            "x=1,11", "1,3,4");
        row("gather", "tensor<fp16, [?, 6, 2]> x, tensor<int32, [4, 5]> i",
            made("gather(x = x, indices = i, axis = int32(1))"), "x=3,6,2", "3,4,5,2");
        row("gather_nd", "tensor<fp16, [?, 6, 2]> x, tensor<int32, [4, 2]> i",
            "tensor<fp16, [?, ?]> y = gather_nd(x = x, indices = i);", "x=3,6,2", "4,2");
        row("top", "tensor<fp16, [?, 6]> x",
            "tensor<fp16, [?, ?]> z, tensor<int32, [?, ?]> y = topk(x = x, k = int32(4), axis = "
            "int32(-1));",
            "x=3,6", "3,4");
        row("upsample", picture,
            made("upsample_bilinear(x = x, scale_factor_height = fp32(0x1.8p+0), "
                 "scale_factor_width = "
                 "int32(2))"),
            "x=1,3,5,7", "1,3,7,14");
        row("resize", picture,
            made("resize(x = x, shape = tensor<int32, [3]>([9, 0, 11]), resized_dims = uint32(2))"),
            "x=1,3,5,7", "1,3,5,11");
        row("resize_bilinear", picture,
            made("resize_bilinear(x = x, target_size_height = int32(8), target_size_width = "
                 "int32(9))"),
            "x=1,3,5,7", "1,3,8,9");
        row("blocks of pixels", "tensor<fp16, [1, ?, ?, ?]> x",
            made("pixel_shuffle(x = x, upscale_factor = int32(2))"), "x=1,8,3,5", "1,2,6,10");
        row("space_to_batch", "tensor<fp16, [1, ?, ?, ?]> x",
            made("space_to_batch(x = x, block_shape = tensor<int32, [2]>([2, 3]), paddings = "
                 "tensor<int32, [2, 2]>([[1, 0], [0, 1]]))"),
            "x=1,2,3,5", "6,2,2,2");
        row("one_hot", "tensor<int32, [?]> x",
            "tensor<fp16, [?, ?]> y = one_hot(indices = x, one_hot_vector_size = int32(9), axis = "
            "int32(0));",
            "x=4", "9,4");
        row("fill and range", picture,
            "tensor<int32, [4]> s = shape(x = x);"
            "int32 n = gather(x = s, indices = int32(3), axis = int32(0));"
            "tensor<int32, [?]> r = range_1d(start = int32(1), end = n, step = int32(2));"
            "tensor<fp16, [?, ?, ?, ?]> f = fill(shape = s, value = fp16(0x0p+0));"
            "tensor<fp16, [?, ?, ?, ?]> y = gather(x = f, indices = r, axis = int32(2));",
            "x=1,3,4,8", "1,3,4,8");
        row("lists", "tensor<fp16, [?, 6]> x",
            "list<tensor<fp16, [1, 6]>, 2> l = make_list(init_length = int32(2), dynamic_length = "
            "bool(false), elem_shape = tensor<int32, [2]>([1, 6]), dtype = string(\"fp16\"));"
            "list<tensor<fp16, [1, 6]>, 2> m = list_scatter(ls = l, indices = tensor<int32, "
            "[2]>([0, "
            "1]), value = x);"
            "tensor<fp16, [?, ?]> y = list_gather(ls = m, indices = tensor<int32, [2]>([1, 0]));",
            "x=2,6", "2,6");
        row("a palette of vectors", "tensor<fp16, [?]> x",
            "tensor<fp16, [?, ?]> y = constexpr_lut_to_dense(indices = tensor<uint1, [2, 8]>([0, "
            "0, 0, "
            "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), lut = tensor<fp16, [1, 1, 2, 2]>([0x0p+0, "
            "0x0p+0, 0x0p+0, 0x0p+0]), vector_axis = int32(0));",
            "x=1", "4,8");
    }

    void rules()
    {
        const auto [parameters, statement, bound, expected] =
            fetched<QByteArray, QByteArray, QByteArray, QByteArray>();
        mil::Program program =
            parsed(programText(parameters.toStdString(), statement.toStdString()));
        QCOMPARE(program.functions.size(), std::size_t(1));
        const auto summary =
            VERIFIED(shapes::inferShapes(program, bindings(bound.toStdString()), "model.mil"));
        QCOMPARE(dimsOf(program.functions.front().body, "y"), expected.toStdString());
        QCOMPARE(summary->conflicts, std::size_t(0));
        const bool whole = !expected.contains('?');
        QCOMPARE(summary->unknown.size(), std::size_t(whole ? 0 : 1));
        if (!whole)
            QCOMPARE(summary->unknown.front().type, "input");
    }
};

KERNSCOPE_TEST(TestShapes, QCoreApplication)
#include "tst_shapes.moc"
