// SPDX-License-Identifier: GPL-3.0-or-later
// Products by other operations than linear layers, on every chip: every part gives
// the same answer.
#include "made_bundle.h"
#include "one_answer.h"
#include "tests/test_program.h"

using namespace kernscope;

namespace {

/// Products that are no plain linear layer: einsum by several equations, attention, batches,
/// convolutions with strides, groups and several axes, a vector.
test::MadeBundle productsBundle()
{
    test::MadeBundle made;
    made.parameters = "tensor<fp16, [4, 10, 64]> z, tensor<fp16, [2, 3, 5, 64]> h, "
                      "tensor<fp16, [1, 16, 9, 9]> t, tensor<fp16, [?, 64]> n";
    const auto weight = [&](const char *name, const char *shape, std::size_t elements) {
        made.constant(std::string("tensor<fp16, ") + shape + ">", name,
                      made.blob(ElementType::Fp16, shape, test::Bytes(2 * elements)));
    };
    const auto line = [&](const char *shape, const char *name, const std::string &call) {
        made.line(std::string("tensor<fp16, ") + shape + "> " + name + " = " + call +
                  "[name = string(\"" + name + "\")]");
    };
    const auto einsum = [&](const char *shape, const char *name, const char *equation,
                            const char *values) {
        line(shape, name,
             std::string("einsum(equation = string(\"") + equation + "\"), values = (" + values +
                 "))");
    };
    made.result = "e0";
    weight("w0", "[64, 40]", 64 * 40);
    einsum("[4, 10, 40]", "e0", "bij,jk->bik", "z, w0");
    weight("w1", "[40, 64]", 64 * 40);
    einsum("[4, 10, 40]", "e1", "kj,bij->bik", "w1, z");
    weight("w2", "[3, 64, 8]", 3 * 64 * 8); // a matrix for each head
    einsum("[2, 3, 5, 8]", "e2", "bhqd,hdk->bhqk", "h, w2");
    weight("w3", "[64, 3, 8]", 3 * 64 * 8); // two letters of outputs
    einsum("[4, 10, 3, 8]", "e3", "bij,jhk->bihk", "z, w3");
    weight("w4", "[64]", 64);
    einsum("[4, 10]", "e4", "bij,j->bi", "z, w4");
    weight("w5", "[4, 10, 64]", 4 * 10 * 64); // nothing is summed over
    einsum("[4, 10, 64]", "e5", "bij,bij->bij", "z, w5");
    weight("w6", "[64, 40]", 64 * 40);
    einsum("[?, 40]", "e6", "ij,jk->ik", "n, w6");
    weight("key", "[2, 3, 7, 64]", 2 * 3 * 7 * 64);
    weight("value", "[2, 3, 7, 32]", 2 * 3 * 7 * 32);
    line("[2, 3, 5, 32]", "a0",
         "scaled_dot_product_attention(query = h, key = key, value = value)");
    weight("query", "[2, 3, 6, 64]", 2 * 3 * 6 * 64);
    line("[2, 3, 6, 64]", "a1", "scaled_dot_product_attention(query = query, key = h, value = h)");
    weight("apart", "[4, 64, 48]", 4 * 64 * 48); // another matrix for each of the four
    line("[4, 10, 48]", "m0", "matmul(x = z, y = apart)");
    weight("turned", "[16, 8, 3, 3]", 16 * 8 * 9);
    line("[1, 8, 18, 18]", "t0",
         "conv_transpose(pad_type = string(\"same\"), strides = tensor<int32, [2]>([2, 2]), "
         "weight = turned, x = t)");
    weight("grouped", "[32, 8, 3, 3]", 32 * 8 * 9);
    line("[1, 32, 9, 9]", "c0",
         "conv(groups = int32(2), pad_type = string(\"same\"), weight = grouped, x = t)");
    return made;
}

} // namespace

class TestOneAnswerProducts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Einsum, attention and products of several matrices are operations of the array where they
    /// are products; of the rest it is said that they are none.
    void products()
    {
        const auto bundle = VERIFIED(productsBundle().open());
        QVERIFY((*bundle)->diagnostics().empty());
        std::map<std::string, std::string> geometries;
        for (const roofline::Layer &layer : layersOf(**bundle, weightForms(**bundle))) {
            const auto &operation = layer.operation;
            geometries[layer.name + " " + (*bundle)->weights()[layer.weight].name] =
                !operation
                    ? "none"
                    : std::to_string(operation->inputChannels) + " to " +
                          std::to_string(operation->outputChannels) + ", " +
                          (operation->outputKnown
                               ? std::to_string(operation->outputWidth * operation->outputHeight)
                               : "?");
        }
        const std::map<std::string, std::string> expected{
            {"e0 w0", "64 to 40, 40"},    {"e1 w1", "64 to 40, 40"},
            {"e2 w2", "64 to 8, 30"},     {"e3 w3", "64 to 24, 40"},
            {"e4 w4", "64 to 1, 40"},     {"e5 w5", "none"},
            {"e6 w6", "64 to 40, ?"},     {"a0 key", "64 to 7, 30"},
            {"a0 value", "7 to 32, 30"},  {"a1 query", "64 to 6, 30"},
            {"m0 apart", "64 to 48, 40"}, {"t0 turned", "16 to 8, 324"},
            {"c0 grouped", "8 to 32, 81"}};
        for (const auto &[layer, shape] : expected)
            QCOMPARE(layer + ": " + geometries[layer], layer + ": " + shape);
        QCOMPARE(geometries.size(), expected.size());
        test::hasOneAnswer(**bundle);
        test::planIsDecided(**bundle);
    }
};

KERNSCOPE_TEST(TestOneAnswerProducts, QCoreApplication)
#include "tst_one_answer_products.moc"
