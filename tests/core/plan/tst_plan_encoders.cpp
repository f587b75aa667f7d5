// SPDX-License-Identifier: GPL-3.0-or-later
// The encoders that plans choose among: never worse than the plain one, and as promised.
#include "core/plan/survey.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::plan;

namespace {

enum class Kind { Normal, Outliers, Small, Wide, Convolution, Groups, Transposed };

/// Values as trained layers have them, outputs first.
WeightValues valuesOf(Kind kind)
{
    WeightValues weight;
    weight.axes = {0, 1};
    weight.shape = {32, 64};
    if (kind == Kind::Convolution)
        weight.shape = {16, 32, 3, 1};
    if (kind == Kind::Groups)
        weight.shape = {32, 16, 3, 1}; // two groups of 16 channels
    if (kind == Kind::Transposed) {
        weight.shape = {32, 16, 2, 2};
        weight.axes = {1, 0};
    }
    if (kind == Kind::Wide)
        weight.type = ElementType::Fp32;
    std::mt19937 random(unsigned(kind) + 3);
    std::normal_distribution<float> normal(0, kind == Kind::Small ? 3e-6f : 0.05f);
    weight.values.resize(elementCount(weight.shape)->value);
    for (float &value : weight.values) {
        value = normal(random);
        if (kind == Kind::Outliers && random() % 200 == 0)
            value *= 12;
    }
    if (kind != Kind::Wide) {
        const auto stored = codec::encodeDense(weight.values, weight.shape, ElementType::Fp16);
        codec::Decoder::make(stored->encoding())->decodeFloat(0, weight.values);
    }
    return weight;
}

enum class Known { Nothing, Squares, Means, Moments, Silence };

std::shared_ptr<const codec::InputStatistics> inputsFor(const WeightValues &weight, Known known,
                                                        std::size_t groups)
{
    if (known == Known::Nothing)
        return nullptr;
    const std::size_t channels = weight.shape[weight.axes.input] * groups;
    auto inputs = std::make_shared<codec::InputStatistics>();
    inputs->axis = weight.axes.input;
    if (known == Known::Moments && groups == 1) {
        std::mt19937 random(5);
        std::normal_distribution<float> normal;
        std::vector<double> matrix(channels * channels);
        std::vector<float> x(channels);
        for (int sample = 0; sample < 200; ++sample) {
            float before = 0;
            for (std::size_t i = 0; i < channels; ++i) {
                before = 0.8f * before + normal(random);
                x[i] = std::max(0.0f, before);
            }
            for (std::size_t i = 0; i < channels; ++i) {
                for (std::size_t j = 0; j < channels; ++j)
                    matrix[i * channels + j] += static_cast<double>(x[i] * x[j]) / 200;
            }
        }
        inputs->secondMoment.assign(matrix.begin(), matrix.end());
        return inputs;
    }
    for (std::size_t i = 0; i < channels; ++i) {
        inputs->meanSquare.push_back(known == Known::Silence ? 0.0f
                                                             : std::exp(0.3f * float(i % 17)));
        if (known == Known::Means)
            inputs->mean.push_back(0.7f * std::sqrt(inputs->meanSquare.back()));
    }
    return inputs;
}

} // namespace

class TestPlanEncoders : public QObject
{
    Q_OBJECT

private slots:
    void neverWorseThanPlain_data()
    {
        test::addColumns<int, int>();
        const char *kinds[] = {"normal",      "outliers", "subnormal", "fp32",
                               "convolution", "groups",   "transposed"};
        const char *knowns[] = {"nothing", "mean squares", "means", "second moments", "silence"};
        for (int kind = 0; kind < 7; ++kind) {
            for (int known = 0; known < (kind == 0 ? 5 : 4); ++known)
                QTest::addRow("%s, %s", kinds[kind], knowns[known]) << kind << known;
        }
    }

    /// Of every form that is tried, by both models of errors: no more than the plain encoder's
    /// error, and what is promised is the error of what was encoded.
    void neverWorseThanPlain()
    {
        const auto [kind, known] = test::fetched<int, int>();
        WeightValues weight = valuesOf(Kind(kind));
        weight.inputs = inputsFor(weight, Known(known), Kind(kind) == Kind::Groups ? 2 : 1);
        std::size_t tried = 0;
        const auto forms = triedForms(weight.shape, weight.axes);
        // Of the further kinds a third of the forms with each of the statistics: all, over the
        // rows.
        const std::size_t step = kind == 0 ? 1 : 3;
        for (std::size_t i = std::size_t(known) % step; i < forms.size(); i += step) {
            const codec::FormSpec &spec = forms[i];
            auto plainSpec = spec;
            if (weight.type == ElementType::Fp32)
                plainSpec.denseType = ElementType::Fp32;
            auto plain = VERIFIED(codec::encodeForm(weight.values, weight.shape, plainSpec));
            if (weight.type == ElementType::Fp32)
                codec::widenToFp32(*plain);
            for (const ErrorModel model : {ErrorModel::Weights, ErrorModel::Outputs}) {
                if (model == ErrorModel::Outputs && tried % 9 != 0)
                    continue; // takes longer
                const auto best = encodeAs(weight, spec, model);
                QVERIFY2(best, best ? "" : describe(best.error()).c_str());
                const double worst = *formError(weight, *plain, model);
                QVERIFY2(best->error <= worst,
                         qPrintable(QString::fromLatin1("%1: %2 for %3")
                                        .arg(QString::fromStdString(formName(spec)))
                                        .arg(best->error)
                                        .arg(worst)));
                QCOMPARE(*formError(weight, best->weight, model), best->error);
                QCOMPARE(storedBytes(weight, best->weight) <= storedBytes(weight, *plain), true);
                // Once more, the same: what is written is what was judged.
                if (tried % 4 != 0)
                    continue;
                const auto again = encodeAs(weight, spec, model);
                QCOMPARE(again->error, best->error);
                QCOMPARE(again->method, best->method);
            }
            ++tried;
        }
        QVERIFY(tried > 20 / step);
    }

    /// Where it matters, the methods do gain: clipping of outliers, inputs of different power,
    /// errors that make up for one another.
    void betterWhereItCanBe()
    {
        const auto gain = [](Kind kind, Known known, const char *form) {
            WeightValues weight = valuesOf(kind);
            weight.inputs = inputsFor(weight, known, 1);
            const auto spec = *formFromName(form, weight.axes);
            const auto plain = codec::encodeForm(weight.values, weight.shape, spec);
            return *formError(weight, *plain, ErrorModel::Weights) /
                   encodeAs(weight, spec, ErrorModel::Weights)->error;
        };
        QVERIFY(gain(Kind::Outliers, Known::Nothing, "blockwise-int4-32") > 1.01);
        QVERIFY(gain(Kind::Normal, Known::Squares, "palette4") > 1.02);
        QVERIFY(gain(Kind::Normal, Known::Squares, "sparse-0.5") > 1.5);
        QVERIFY(gain(Kind::Normal, Known::Means, "palette4") > 1.2);
        QVERIFY(gain(Kind::Normal, Known::Moments, "int8-tensor") > 1.5);
        const WeightValues plain = valuesOf(Kind::Normal);
        const auto kept = encodeAs(plain, *formFromName("sparse-0.5"), ErrorModel::Weights);
        QCOMPARE(kept->method, codec::EncodeMethod::Plain);
    }

    /// A difference that is not finite is no small one, with statistics or without.
    void notFinite()
    {
        WeightValues weight = valuesOf(Kind::Normal);
        weight.values[70] = std::numeric_limits<float>::infinity();
        QVERIFY(std::isfinite(energy(weight)) && energy(weight) > 0);
        for (const Known known : {Known::Nothing, Known::Squares, Known::Moments}) {
            weight.inputs = inputsFor(weight, known, 1);
            for (const char *form : {"int8", "blockwise-int4-32"}) {
                const auto made = encodeAs(weight, *formFromName(form), ErrorModel::Weights);
                QVERIFY(!made || !std::isfinite(made->error));
            }
        }
    }
};

KERNSCOPE_TEST(TestPlanEncoders, QCoreApplication)
#include "tst_plan_encoders.moc"
