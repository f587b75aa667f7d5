// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/codec/encode/form_spec.h"
#include "encoded.h"

using namespace kernscope::codec;
using namespace kernscope::codec::test;

/// The methods of encoding on the weights of a real network.
class TestEncodeReal : public QObject
{
    Q_OBJECT

private slots:
    void neverWorse_data()
    {
        const QString path = qEnvironmentVariable("KERNSCOPE_DATA") +
                             u"/real/silero-vad/silero-vad-unified-v6.0.0.mlmodelc"_s;
        if (!qEnvironmentVariableIsSet("KERNSCOPE_DATA") || !QDir(path).exists())
            QSKIP("No dense network: set KERNSCOPE_DATA to the folder that holds real/");
        addColumns<QString, int>();
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        for (std::size_t i = 0; i < (*bundle)->weights().size(); ++i) {
            const Weight &weight = (*bundle)->weights()[i];
            if (weight.shape.size() >= 2 && weight.elements.value >= 1024 &&
                weight.elements.value <= 40000)
                QTest::addRow("%s", weight.name.c_str()) << path << int(i);
        }
    }

    void neverWorse()
    {
        const auto [path, weight] = fetched<QString, int>();
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        const Shape shape = (*bundle)->weights()[std::size_t(weight)].shape;
        const auto decoder = VERIFIED((*bundle)->decoder(std::size_t(weight)));
        std::vector<float> values(decoder->elements().value);
        decoder->decodeFloat(0, values);
        for (float &value : values)
            value = toHalf(value);
        auto inputs = std::make_shared<InputStatistics>();
        for (std::uint64_t i = 0; i < shape[1]; ++i) {
            inputs->meanSquare.push_back(float(1 + i * 37 % 101) * 0.3f);
            inputs->mean.push_back(0.8f * std::sqrt(inputs->meanSquare.back()));
        }
        std::vector<FormSpec> forms(5);
        forms[0].node = FormNode::Affine;
        forms[1].node = FormNode::Blockwise;
        forms[1].blockwise = {ElementType::Int4, shape[1], 1, false};
        forms[2].node = FormNode::Palette;
        forms[2].palette.bits = 4;
        forms[3].node = FormNode::Palette;
        forms[3].palette.bits = 2;
        forms[4].node = FormNode::Sparse;
        forms[4].density = 0.5;
        for (FormSpec &form : forms) {
            form.inputs = inputs;
            std::vector<double> byMass, byOutputs;
            for (const EncodeMethod method :
                 {EncodeMethod::Plain, EncodeMethod::Fitted, EncodeMethod::Feedback}) {
                form.method = method;
                const auto encoded = VERIFIED(encodeForm(values, shape, form));
                const auto stored = decodeAll(*encoded);
                auto squares = *inputs;
                squares.mean.clear();
                byMass.push_back(inputError(values, stored, shape, squares).value());
                byOutputs.push_back(inputError(values, stored, shape, *inputs).value());
            }
            QVERIFY2(byMass[1] <= byMass[0] * (1 + 1e-9), describe(form).c_str());
            QVERIFY2(byOutputs[2] <= byOutputs[0] && byOutputs[2] <= byOutputs[1],
                     describe(form).c_str());
        }
    }
};

KERNSCOPE_TEST(TestEncodeReal, NoApplication)
#include "tst_encode_real.moc"
