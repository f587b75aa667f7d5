// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of fp32 as programs of fp16: text of the test's own, and packages of the data folder.
#include "core/base/overlaid_file.h"
#include "core/base/progress.h"
#include "core/container/mil/program.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"
#include "core/patch/reencode/convert_half.h"
#include "made_bundle.h"
#include "tests/data/data_folder.h"

namespace {

/// A program of one function, with weights of fp32 that the text names by WEIGHT(offset).
class Made
{
public:
    explicit Made(std::string opset) : m_opset(std::move(opset)) {}

    std::string blob(const std::string &shape, const std::vector<float> &values)
    {
        const auto bytes = std::as_bytes(std::span(values));
        return m_bundle.blob(ElementType::Fp32, shape, {bytes.begin(), bytes.end()});
    }
    void constant(const std::string &name, const std::string &type, const std::string &value)
    {
        line(fmt::format("{} {} = const()[name = string(\"{}\"), val = {}]", type, name, name,
                         value));
    }
    void line(const std::string &statement) { m_statements += "            " + statement + ";\n"; }
    BundlePtr open(const std::string &result) const
    {
        const std::string text = fmt::format(
            "program(1.3)\n{{\n    func main<{}>(tensor<fp32, [1, 4]> x, tensor<int32, [1]> i) "
            "{{\n{}        }} -> ({});\n}}\n",
            m_opset, m_statements, result);
        OpenOptions options = MadeBundle::options(text, m_bundle.weights());
        for (auto &[path, content] : options.memory) {
            const std::string_view words = "[{\"storagePrecision\" : \"Float32\", "
                                           "\"computePrecision\" : \"Mixed (Float32, Int32)\"}]";
            const auto bytes = std::as_bytes(std::span(words));
            if (path == "metadata.json")
                content.assign(bytes.begin(), bytes.end());
        }
        return Bundle::open("made.mlmodelc", options).value_or(nullptr);
    }

private:
    MadeBundle m_bundle;
    std::string m_opset, m_statements;
};

/// "fp16 y = linear(bias:fp16, weight:fp16, x:fp16)" and so on, one an operation that is no const.
std::vector<std::string> operationsOf(const Bundle &bundle)
{
    std::map<std::string, std::string> types;
    std::vector<std::string> rows;
    const auto word = [](const mil::ValueType &type) {
        return std::string(elementTypeName(type.element));
    };
    for (const mil::NamedType &input : bundle.program()->functions.front().inputs)
        types[input.name] = word(input.type);
    for (const mil::Operation &operation : bundle.program()->functions.front().body.operations) {
        for (const mil::NamedType &output : operation.outputs)
            types[output.name] = word(output.type);
        if (operation.type == "const")
            continue;
        std::string operands;
        for (const mil::Argument &argument : operation.inputs) {
            for (const mil::ProgramValue &value : argument.values)
                operands += fmt::format("{}{}:{}", operands.empty() ? "" : ", ", argument.name,
                                        value.reference() ? types[value.reference()->name]
                                                          : word(value.type));
        }
        rows.push_back(fmt::format("{} {} = {}({})", types[operation.outputs.front().name],
                                   operation.outputs.front().name, operation.type, operands));
    }
    return rows;
}

/// The type and the one number of a constant, "fp16 3".
std::string constantOf(const Bundle &bundle, std::string_view name)
{
    for (const mil::Operation &operation : bundle.program()->functions.front().body.operations) {
        const mil::ProgramValue *value = operation.operand("val");
        const mil::Literal *literal = value ? value->literal() : nullptr;
        if (literal != nullptr && operation.outputs.front().name == name)
            return fmt::format("{} {}", elementTypeName(literal->element),
                               loadValue(literal->bytes, literal->element, 0));
    }
    return {};
}

std::string contentOf(const Bundle &bundle, std::string_view path)
{
    const auto file = bundle.fileByPath(path);
    const auto raw = file ? bundle.files()[*file].file->bytes() : std::span<const std::byte>();
    return {reinterpret_cast<const char *>(raw.data()), raw.size()};
}

using Rows = std::vector<std::string>;

} // namespace

class TestConvertHalf : public QObject
{
    Q_OBJECT

private slots:
    void text()
    {
        Made made("ios16");
        made.constant("w", "tensor<fp32, [3, 4]>",
                      made.blob("[3, 4]", {0.1F, 2, 3, 4, 5, 6, 7, 8, 9, 10, 65504, -1e-3F}));
        made.constant("b", "tensor<fp32, [3]>", "tensor<fp32, [3]>([0x1p-30, 0x1.8p+0, -0x1p+1])");
        made.line("tensor<fp32, [1, 3]> y = linear(bias = b, weight = w, x = x)[name = "
                  "string(\"y\")]");
        made.constant("z_dtype_0", "string", "string(\"fp32\")"); // names that casts would take
        made.constant("x_to_fp16_dtype_0", "string", "string(\"fp32\")");
        made.line("tensor<fp32, [1, 3]> z = relu(x = y)[name = string(\"z\")]");
        const BundlePtr bundle = VERIFIED(made.open("z"));
        QCOMPARE(faults(bundle->diagnostics()), Rows());
        const auto half = VERIFIED(convertToHalf(*bundle));
        const Bundle &after = *half->made;
        QCOMPARE(faults(after.diagnostics()), Rows());
        QCOMPARE(sectionFault(after), std::string());
        QCOMPARE(operationsOf(after),
                 (Rows{"fp16 x_to_fp16 = cast(dtype:string, x:fp32)",
                       "fp16 y = linear(bias:fp16, weight:fp16, x:fp16)",
                       "fp16 z_cast_fp16 = relu(x:fp16)", "fp32 z = cast(dtype:string, x:fp16)"}));
        std::vector<float> rounded = decoded(*bundle, "w");
        for (float &value : rounded)
            value = halfToFloat(floatToHalf(value));
        QCOMPARE(decoded(after, "w"), rounded);
        QCOMPARE(decoded(after, "b"), (std::vector<float>{0x1p-24F, 1.5F, -2}));
        QCOMPARE(half->numbers.elements, 15U);
        QCOMPARE(half->numbers.raised, 1U);
        QCOMPARE(half->numbers.infinite + half->numbers.zeroed, 0U);
        QCOMPARE(half->castsIn, 1U);
        QCOMPARE(half->castsOut, 1U);
        QVERIFY(after.totalBytes().value < bundle->totalBytes().value + 1000);
        QCOMPARE(QByteArray::fromStdString(contentOf(after, "metadata.json")),
                 QByteArray("[{\"storagePrecision\" : \"Float16\", "
                            "\"computePrecision\" : \"Mixed (Float16, Float32, Int32)\"}]"));
        QCOMPARE(REFUSED(convertToHalf(*Made("ios16").open("x"))).code,
                 std::string("convert.program"));
    }

    /// Stopped at any block of numbers, it makes nothing; left alone, it says that it is whole.
    void stops()
    {
        Made made("ios16");
        made.constant("w", "tensor<fp32, [300, 1000]>",
                      made.blob("[300, 1000]", std::vector<float>(300000, 0.5F)));
        made.line("tensor<fp32, [1, 1000]> y = mul(x = w, y = x)[name = string(\"y\")]");
        const BundlePtr bundle = VERIFIED(made.open("y"));
        Progress whole, stopped;
        QVERIFY(convertToHalf(*bundle, &whole).has_value());
        QCOMPARE(whole.fraction(), 1.0);
        stopped.cancel();
        QCOMPARE(REFUSED(convertToHalf(*bundle, &stopped)).code, std::string("task.cancelled"));
        QVERIFY(stopped.fraction() > 0 && stopped.fraction() < 0.1); // after the first block
    }

    /// What reads a value as fp32 goes on doing so; a constant that both read is there twice.
    void stays()
    {
        Made made("ios17");
        made.constant("big", "tensor<fp32, [1, 4]>", "tensor<fp32, [1, 4]>([1e6, 1, 2, 3])");
        made.constant("mask", "fp32", "fp32(-0x1.fffffep+127)");
        made.constant("both", "fp32", "fp32(0x1.8p+1)");
        made.constant("a", "fp32", "fp32(0x1.99999ap-4)");
        made.line("tensor<fp32, [1, 4]> s = add(x = x, y = both)[name = string(\"s\")]");
        made.line("tensor<fp32, [1, 4]> t = mul(x = s, y = big)[name = string(\"t\")]");
        made.line("tensor<fp32, [1, 4]> m = mul(x = t, y = both)[name = string(\"m\")]");
        made.line("tensor<fp32, [1, 4]> e = elu(alpha = a, x = m)[name = string(\"e\")]");
        made.line("tensor<fp32, [1, 4]> u = unheard_of(x = e)[name = string(\"u\")]");
        made.line("tensor<fp32, [1, 4]> v = add(x = u, y = mask)[name = string(\"v\")]");
        made.line("tensor<fp32, [1, 4]> k = unheard_of(x = v, y = both)[name = string(\"k\")]");
        const BundlePtr bundle = VERIFIED(made.open("k"));
        const auto half = VERIFIED(convertToHalf(*bundle));
        QCOMPARE(faults(half->made->diagnostics()), Rows());
        QCOMPARE(
            operationsOf(*half->made),
            (Rows{"fp16 x_to_fp16 = cast(dtype:string, x:fp32)",
                  "fp16 s_cast_fp16 = add(x:fp16, y:fp16)", "fp32 s = cast(dtype:string, x:fp16)",
                  "fp32 t = mul(x:fp32, y:fp32)", "fp16 t_to_fp16 = cast(dtype:string, x:fp32)",
                  "fp16 m = mul(x:fp16, y:fp16)", "fp16 e_cast_fp16 = elu(alpha:fp32, x:fp16)",
                  "fp32 e = cast(dtype:string, x:fp16)", "fp32 u = unheard_of(x:fp32)",
                  "fp16 u_to_fp16 = cast(dtype:string, x:fp32)",
                  "fp16 v_cast_fp16 = add(x:fp16, y:fp16)", "fp32 v = cast(dtype:string, x:fp16)",
                  "fp32 k = unheard_of(x:fp32, y:fp32)"}));
        QCOMPARE(constantOf(*half->made, "mask"), std::string("fp16 -inf"));
        QCOMPARE(constantOf(*half->made, "both"), std::string("fp32 3"));
        QCOMPARE(constantOf(*half->made, "both_to_fp16"), std::string("fp16 3"));
        QCOMPARE(half->constants, 2U);     // mask, both
        QCOMPARE(half->constantsKept, 3U); // big, both, a
        const auto why = [&](std::string_view type) {
            for (const HalfOperations &row : half->operations) {
                if (row.type == type && !row.why.empty())
                    return row.why;
            }
            return std::string();
        };
        QCOMPARE(why("mul"), std::string("a constant is beyond fp16"));
        QCOMPARE(why("unheard_of"), std::string("this operation is not known"));
        QCOMPARE(why("add"), std::string());
    }

    /// Blocks: their inputs are cast inside, what they give back is cast before.
    void blocks()
    {
        Made made("ios16");
        made.constant("one", "fp32", "fp32(0x1p+0)");
        made.constant("yes", "bool", "bool(true)");
        made.line("tensor<fp32, [1, 4]> c = cond(pred = yes)[name = string(\"c\")], block a() { "
                  "tensor<fp32, [1, 4]> p = add(x = x, y = one)[name = string(\"p\")]; } -> (p), "
                  "block b() { tensor<fp32, [1, 4]> q = relu(x = x)[name = string(\"q\")]; } -> "
                  "(q)");
        made.line("tensor<fp32, [1, 4]> d = relu(x = c)[name = string(\"d\")]");
        const BundlePtr bundle = VERIFIED(made.open("d"));
        QCOMPARE(faults(bundle->diagnostics()), Rows());
        const auto half = VERIFIED(convertToHalf(*bundle));
        QCOMPARE(faults(half->made->diagnostics()), Rows());
        const auto &body = half->made->program()->functions.front().body;
        const auto cond = std::ranges::find_if(
            body.operations, [](const mil::Operation &each) { return each.type == "cond"; });
        QVERIFY(cond != body.operations.end());
        QCOMPARE(cond->blocks.size(), 2U);
        for (const mil::Block &block : cond->blocks) {
            QCOMPARE(block.operations.size(), 3U); // it, the word, the cast
            QVERIFY(block.operations.front().outputs.front().type.element == ElementType::Fp16);
            QCOMPARE(block.operations.back().type, std::string("cast"));
            QCOMPARE(block.operations.back().outputs.front().name, block.outputs.front());
        }
        QVERIFY(cond->outputs.front().type.element == ElementType::Fp32);
    }

    /// Forms before fp16: a cast of fp16 numbers becomes these, scales become fp16.
    void forms()
    {
        Made made("ios16");
        made.line("tensor<fp32, [2, 4]> w = constexpr_affine_dequantize()[axis = int32(0), name = "
                  "string(\"w\"), quantized_data = tensor<int8, [2, 4]>([1, 2, 3, 4, 5, 6, 7, 8]), "
                  "scale = tensor<fp32, [2]>([0x1p-1, 0x1.99999ap-4]), zero_point = "
                  "tensor<int8, [2]>([0, 1])]");
        made.line("tensor<fp32, [2]> b = constexpr_cast()[name = string(\"b\"), output_dtype = "
                  "string(\"fp32\"), source_val = tensor<fp16, [2]>([0x1p+0, 0x1p+1])]");
        made.line("tensor<fp32, [1, 2]> y = linear(bias = b, weight = w, x = x)[name = "
                  "string(\"y\")]");
        const BundlePtr bundle = VERIFIED(made.open("y"));
        QCOMPARE(faults(bundle->diagnostics()), Rows());
        const auto half = VERIFIED(convertToHalf(*bundle));
        QCOMPARE(faults(half->made->diagnostics()), Rows());
        const auto weight = half->made->weightByName("w"), bias = half->made->weightByName("b");
        QVERIFY(weight && bias);
        QVERIFY(half->made->weights()[*weight].type == ElementType::Fp16);
        QCOMPARE(half->made->weights()[*bias].sourceOp, std::string("const"));
        const float scale = halfToFloat(floatToHalf(0.1F));
        QCOMPARE(decoded(*half->made, "w")[5], halfToFloat(floatToHalf(5 * scale)));
        QCOMPARE(decoded(*half->made, "b"), (std::vector<float>{1, 2}));
    }

    /// A real package: all of its weights are rounded, its outputs keep their names and types.
    void package()
    {
        const QString path = dataPath(u"real/basic-pitch/nmp.mlpackage"_s);
        KERNSCOPE_NEEDS(path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        const auto half = VERIFIED(convertToHalf(**bundle));
        const Bundle &after = *half->made;
        QCOMPARE(faults(after.diagnostics()), faults((*bundle)->diagnostics()));
        QCOMPARE(half->weights.size() + half->kept.size(), (*bundle)->weights().size());
        QVERIFY(half->kept.empty());
        const mil::Function &was = (*bundle)->program()->functions.front();
        const mil::Function &now = after.program()->functions.front();
        QCOMPARE(now.body.outputs, was.body.outputs);
        for (const mil::Operation &operation : now.body.operations) {
            for (const mil::NamedType &output : operation.outputs) {
                const bool given =
                    std::ranges::find(now.body.outputs, output.name) != now.body.outputs.end();
                if (output.type.element == ElementType::Fp32)
                    QVERIFY2(given && operation.type == "cast", output.name.c_str());
            }
        }
        for (const HalfWeight &weight : half->weights)
            QVERIFY(weight.relative < 1e-3);
    }
};

KERNSCOPE_TEST(TestConvertHalf, NoApplication)
#include "tst_convert_half.moc"
