// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "encoder_runs.h"
#include "tests/test_program.h"
#include "written_bundle.h"

using namespace kernscope;
using namespace kernscope::test;

namespace {

struct LayerCase {
    const char *name, *shape;
    std::size_t elements;
    const char *line;
};
/// Layers whose output channels lie along different axes of the weight.
const LayerCase kLayers[] = {
    {"linear", "[32, 64]", 2048,
     "tensor<fp16, [1, 32]> y = linear(weight = w, x = x)[name = string(\"y\")]"},
    {"matmul", "[64, 32]", 2048,
     "tensor<fp16, [1, 32]> y = matmul(transpose_y = bool(false), x = x, y = w)[name = "
     "string(\"y\")]"},
    {"matmul transposed", "[32, 64]", 2048,
     "tensor<fp16, [1, 32]> y = matmul(transpose_y = bool(true), x = x, y = w)[name = "
     "string(\"y\")]"},
    {"matmul of a batch", "[3, 64, 32]", 6144,
     "tensor<fp16, [3, 1, 32]> y = matmul(transpose_y = bool(false), x = x, y = w)[name = "
     "string(\"y\")]"},
    {"conv_transpose", "[64, 32, 3]", 6144,
     "tensor<fp16, [1, 32, 3]> y = conv_transpose(weight = w, x = x)[name = string(\"y\")]"},
    {"conv_transpose, groups", "[64, 32, 3]", 6144,
     "tensor<fp16, [1, 64, 3]> y = conv_transpose(groups = int32(2), weight = w, x = x)[name = "
     "string(\"y\")]"},
    {"lstm", "[32, 64]", 2048,
     "tensor<fp16, [1, 8]> y = lstm(weight_ih = w, x = x)[name = string(\"y\")]"},
};

/// Rows of a factor 1 to 8 and columns of another, so that axes are told apart by their scales.
Bytes unevenHalves(std::size_t count)
{
    Bytes bytes;
    unsigned seed = 5;
    for (std::size_t i = 0; i < count; ++i) {
        seed = seed * 1664525 + 1013904223;
        const float value = static_cast<float>(seed >> 20) / 2048.0f - 1.0f;
        const Bytes one =
            halves({value * static_cast<float>(1 + i % 32) * static_cast<float>(1 + i / 64 % 8)});
        bytes.insert(bytes.end(), one.begin(), one.end());
    }
    return bytes;
}

nlohmann::ordered_json rowOf(const nlohmann::ordered_json &rows, const char *form)
{
    for (const nlohmann::ordered_json &row : rows) {
        if (row["form"] == form)
            return row;
    }
    return {};
}

} // namespace

/// The error that `encode`, `choose` and `plan` state, by layers whose output channels lie along
/// different axes.
class TestCliEncodeError : public QObject
{
    Q_OBJECT

private slots:
    void oneError_data()
    {
        QTest::addColumn<int>("layer");
        for (int i = 0; i < int(std::size(kLayers)); ++i)
            addRow(kLayers[i].name, i);
    }

    /// The error of a layer in a form is the same in every command: along its own output channels.
    void oneError()
    {
        QFETCH(int, layer);
        const LayerCase &one = kLayers[layer];
        MadeBundle made;
        const std::string shape = one.shape;
        made.weight("w", shape, unevenHalves(one.elements));
        made.parameters = "tensor<fp16, [1, 64]> x";
        made.line(one.line);
        made.result = "y";
        const QByteArray name = "layer" + QByteArray::number(layer) + ".mlmodelc";
        const QString path = writeBundle(m_encoder.scratch, name.constData(), made);
        const auto chosen = runCli({u"choose"_s, path, u"--json"_s}).json();
        QCOMPARE(chosen["choices"].size(), std::size_t(1));
        const auto planned = runCli({u"plan"_s, path, u"--json"_s, u"--candidates"_s, u"--error"_s,
                                     u"outputs"_s, u"--forms"_s, u"palette4"_s, u"--forms"_s,
                                     u"int8"_s, u"--forms"_s, u"blockwise-int8-32"_s})
                                 .json();
        const struct {
            const char *choice, *plan;
            QStringList options;
        } forms[] = {
            {"palette4", "palette4", {u"palette"_s, u"--bits"_s, u"4"_s}},
            {"int8", "int8", {u"affine"_s}},
            {"blockwise", "blockwise-int8-32", {u"blockwise"_s, u"--block"_s, u"32"_s}},
        };
        for (const auto &form : forms) {
            const auto choice = rowOf(chosen["choices"][0]["candidates"], form.choice);
            const auto plan = rowOf(planned["plan"][0]["candidates"], form.plan);
            QVERIFY2(choice.is_object() && plan.is_object(), form.plan);
            double plain = 0;
            for (const QString &method : {u"plain"_s, u"fitted"_s}) {
                const QString output =
                    m_encoder.scratch.filePath(u"one%1.mlmodelc"_s.arg(++m_encoder.count));
                const auto stored =
                    runCli(QStringList{u"encode"_s, path, u"w"_s, u"--json"_s, u"--method"_s,
                                       method, u"-o"_s, output, u"--form"_s} +
                           form.options);
                QCOMPARE(stored.exitCode, 0);
                const auto encoded = stored.json();
                const double error =
                    encoded["weights"][0]["error"]["output_relative"].get<double>();
                if (method == u"plain"_s) {
                    plain = error;
                    QCOMPARE(choice["error"]["relative"].get<double>(), error);
                    QCOMPARE(text(choice["bytes"]),
                             text(encoded["weights"][0]["after"]["stored_bytes"]));
                    QVERIFY(plan["error"].get<double>() <= error * (1 + 1e-12));
                }
                if (plan["method"] == method.toStdString())
                    QCOMPARE(plan["error"].get<double>(), error);
            }
            QVERIFY(plain > 0);
        }
    }

private:
    CliResult encode(const QString &line) const { return m_encoder.run(line); }
    QString fresh() { return m_encoder.fresh(); }

    Encoder m_encoder;
};

KERNSCOPE_TEST(TestCliEncodeError, QCoreApplication)
#include "tst_cli_encode_error.moc"
