// SPDX-License-Identifier: GPL-3.0-or-later
#include "shape_programs.h"

#include "core/bundle/shapes/rules.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

/// What each rule makes of known shapes.
class TestShapeRules : public QObject
{
    Q_OBJECT

private slots:
    /// Every row of the table names a rule that exists, and a rule that nothing names is no rule.
    void table()
    {
        QCOMPARE(shapes::rowsWithoutRule(), std::vector<std::string>());
        QVERIFY(shapes::ruleOf("conv") != nullptr);
        QVERIFY(shapes::ruleOf("non_zero") == nullptr);
    }

    void rules_data()
    {
        addColumns<QByteArray, QByteArray, QByteArray, QByteArray>();
        const auto row = [](const char *name, const char *parameters, const char *statement,
                            const char *bound, const char *expected) {
            addRow(name, QByteArray(parameters), QByteArray(statement), QByteArray(bound),
                   QByteArray(expected));
        };
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

KERNSCOPE_TEST(TestShapeRules, QCoreApplication)
#include "tst_shape_rules.moc"
