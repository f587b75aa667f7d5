// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/kmeans.h"
#include "methods.h"

using namespace kernscope::codec;
using namespace kernscope::codec::test;

/// The fitted encoders against what is best by trying everything.
class TestEncodeMethods : public QObject
{
    Q_OBJECT

private slots:
    void neverWorse_data()
    {
        addColumns<int, int>();
        const auto forms = formsToTry();
        for (std::size_t i = 0; i < forms.size(); ++i) {
            for (const auto &[kind, name] :
                 {std::pair(Inputs::None, "no statistics"),
                  std::pair(Inputs::Squares, "mean squares"), std::pair(Inputs::Means, "means"),
                  std::pair(Inputs::Moments, "second moments"),
                  std::pair(Inputs::WholeMoments, "second moments of all places")})
                QTest::addRow("%s, %s", forms[i].name.c_str(), name) << int(i) << int(kind);
        }
    }

    /// At the same bytes: fitted never loses to plain by the mean squares, feedback never to either
    /// by what the outputs lose.
    void neverWorse()
    {
        const auto [form, inputs] = fetched<int, int>();
        const Shape shape{24, 16, 2};
        FormSpec spec = formsToTry()[std::size_t(form)].spec;
        const auto kind = static_cast<Inputs>(inputs);
        spec.inputs = statistics(kind, 16, 2, 1, 5);
        for (const bool tails : {false, true}) {
            auto values = tails ? laplace(sizeOf(shape), 3) : gaussian(sizeOf(shape), 4);
            for (float &value : values)
                value = toHalf(value);
            spec.method = EncodeMethod::Plain;
            const auto plain = VERIFIED(encodeForm(values, shape, spec));
            spec.method = EncodeMethod::Fitted;
            const auto fitted = VERIFIED(encodeForm(values, shape, spec));
            QCOMPARE(bytesOf(*fitted), bytesOf(*plain));
            QVERIFY(massError(*fitted, values, spec.inputs) <=
                    massError(*plain, values, spec.inputs) * (1 + 1e-9));
            if (kind != Inputs::Means && kind != Inputs::Moments && kind != Inputs::WholeMoments)
                continue;
            spec.method = EncodeMethod::Feedback;
            const auto fed = VERIFIED(encodeForm(values, shape, spec));
            QCOMPARE(bytesOf(*fed), bytesOf(*plain));
            QVERIFY(errorOf(*fed, values, spec.inputs) <= errorOf(*plain, values, spec.inputs));
            QVERIFY(errorOf(*fed, values, spec.inputs) <= errorOf(*fitted, values, spec.inputs));
        }
    }

    /// Transposed convolutions have their input channels first.
    void transposedInputs()
    {
        const Shape shape{16, 12, 3};
        const auto values = laplace(sizeOf(shape), 8);
        for (NamedForm form : formsToTry()) {
            form.spec.inputs = statistics(Inputs::Moments, 16, 1, 0, 9);
            form.spec.blockwise.block = 4;
            form.spec.method = EncodeMethod::Plain;
            const auto plain = encodeForm(values, shape, form.spec);
            QVERIFY2(plain, form.name.c_str());
            form.spec.method = EncodeMethod::Fitted;
            const auto fitted = encodeForm(values, shape, form.spec);
            QVERIFY2(fitted, form.name.c_str());
            QVERIFY2(massError(*fitted, values, form.spec.inputs) <=
                         massError(*plain, values, form.spec.inputs) * (1 + 1e-9),
                     form.name.c_str());
            form.spec.method = EncodeMethod::Feedback;
            const auto fed = encodeForm(values, shape, form.spec);
            if (form.spec.node == FormNode::Palette && form.spec.palette.vector != 1) {
                QVERIFY(!fed);
                QCOMPARE(fed.error().field, "inputs");
                continue;
            }
            QVERIFY2(fed, form.name.c_str());
            QVERIFY2(errorOf(*fed, values, form.spec.inputs) <=
                         errorOf(*fitted, values, form.spec.inputs),
                     form.name.c_str());
        }
    }

    /// The channels of a layer's groups: output 0 to 3 see the first eight, 4 to 7 the others.
    void groupsOfInputs()
    {
        const Shape shape{8, 8, 2};
        auto inputs = std::make_shared<InputStatistics>();
        for (int i = 0; i < 16; ++i) {
            inputs->meanSquare.push_back(float(1 + i));
            inputs->mean.push_back(0.5f);
        }
        const auto masses = inputMasses(*inputs, shape);
        for (std::size_t at = 0; at < masses.size(); ++at)
            QCOMPARE(masses[at], float(1 + (at / 16 / 4 * 8) + at % 16 / 2) / 16.0f);
        FormSpec spec;
        spec.node = FormNode::Affine;
        spec.inputs = inputs;
        const auto values = gaussian(sizeOf(shape));
        const auto plain = encodeForm(values, shape, spec);
        spec.method = EncodeMethod::Feedback;
        const auto fed = VERIFIED(encodeForm(values, shape, spec));
        QVERIFY(errorOf(*fed, values, inputs) <= errorOf(*plain, values, inputs));
    }

    /// With correlated inputs, what GPTQ is for: much less is lost.
    void feedbackHelps()
    {
        const Shape shape{32, 64};
        const auto values = gaussian(sizeOf(shape), 13);
        std::vector<FormSpec> forms(5);
        forms[0].node = FormNode::Blockwise;
        forms[0].blockwise = {ElementType::Int4, 32, 1, false};
        for (const std::size_t palette : {1u, 2u, 3u})
            forms[palette].node = FormNode::Palette;
        forms[1].palette = {3, 2, 1};
        forms[2].palette = {3, 1, 1, ElementType::Int8};
        forms[3].palette = {4, 1, 2, ElementType::Fp8E4M3Fn};
        forms[4].node = FormNode::Sparse;
        forms[4].density = 0.5;
        for (FormSpec &spec : forms) {
            for (const Inputs kind : {Inputs::Moments, Inputs::Means}) {
                spec.inputs = statistics(kind, 64, 1, 1, 14);
                spec.method = EncodeMethod::Fitted;
                const auto fitted = encodeForm(values, shape, spec);
                spec.method = EncodeMethod::Feedback;
                const auto fed = encodeForm(values, shape, spec);
                QVERIFY(fitted && fed);
                const double share =
                    errorOf(*fed, values, spec.inputs) / errorOf(*fitted, values, spec.inputs);
                QVERIFY2(share < 0.85, qPrintable(QString::fromStdString(describe(spec)) +
                                                  QString::number(share)));
            }
        }
    }

    /// Both ways of working out what is left to make up for agree.
    void meansAreAMatrixOfRankOne()
    {
        const Shape shape{16, 24};
        const auto values = gaussian(sizeOf(shape), 15);
        const auto means = statistics(Inputs::Means, 24, 1, 1, 16);
        auto matrix = std::make_shared<InputStatistics>();
        for (std::size_t i = 0; i < 24; ++i) {
            for (std::size_t j = 0; j < 24; ++j)
                matrix->secondMoment.push_back(i == j ? means->meanSquare[i]
                                                      : means->mean[i] * means->mean[j]);
        }
        FormSpec spec;
        spec.node = FormNode::Blockwise;
        spec.blockwise = {ElementType::Int4, 8, 1, false};
        spec.method = EncodeMethod::Feedback;
        spec.inputs = means;
        const auto one = encodeForm(values, shape, spec);
        spec.inputs = matrix;
        const auto two = encodeForm(values, shape, spec);
        QVERIFY(one && two);
        QCOMPARE(part(*one, PartRole::Data).bytes, part(*two, PartRole::Data).bytes);
        const double error = errorOf(*one, values, means);
        QVERIFY(std::abs(errorOf(*one, values, matrix) - error) <= 1e-5 * error);
    }

    /// NaN, infinities, subnormal numbers and constants: no method makes more of a mess than the
    /// plain encoder, and palettes refuse what they cannot hold.
    void specialValues()
    {
        const Shape shape{8, 16};
        const std::vector<std::pair<const char *, std::function<void(std::vector<float> &)>>> kinds{
            {"NaN and infinities",
             [](auto &values) {
                 values[3] = std::nanf("");
                 values[40] = HUGE_VALF;
                 values[41] = -HUGE_VALF;
             }},
            {"beyond fp16", [](auto &values) { values[9] = 1e30f; }},
            {"subnormal",
             [](auto &values) {
                 for (float &value : values)
                     value *= 0x1p-20f;
             }},
            {"below fp16",
             [](auto &values) {
                 for (float &value : values)
                     value *= 0x1p-100f;
             }},
            {"zeros", [](auto &values) { std::ranges::fill(values, 0.0f); }},
            {"negative zeros", [](auto &values) { std::ranges::fill(values, -0.0f); }},
            {"a constant", [](auto &values) { std::ranges::fill(values, -3.5f); }},
            {"one that differs",
             [](auto &values) {
                 std::ranges::fill(values, 0.25f);
                 values[77] = 100;
             }},
        };
        for (const auto &[name, change] : kinds) {
            auto values = gaussian(sizeOf(shape), 17);
            change(values);
            for (NamedForm form : formsToTry()) {
                form.spec.blockwise.block = 8;
                form.spec.inputs = statistics(Inputs::Means, 16, 1, 1, 18);
                const auto plain = encodeForm(values, shape, form.spec);
                for (const EncodeMethod method : {EncodeMethod::Fitted, EncodeMethod::Feedback}) {
                    form.spec.method = method;
                    const auto weight = encodeForm(values, shape, form.spec);
                    QVERIFY2(bool(weight) == bool(plain), (form.name + name).c_str());
                    if (!weight) {
                        QCOMPARE(weight.error().field, plain.error().field);
                        continue;
                    }
                    const auto decoded = decodeAll(*weight), before = decodeAll(*plain);
                    QCOMPARE(decoded.size(), values.size());
                    for (std::size_t i = 0; i < values.size(); ++i)
                        QVERIFY2(!std::isfinite(before[i]) || std::isfinite(decoded[i]),
                                 (form.name + name).c_str());
                }
            }
        }
    }

    /// Scales stay positive fp16 numbers, and nothing finite decodes to an infinity.
    void limitsOfScales()
    {
        const Shape shape{4, 16};
        for (const float size : {65504.0f, 60000.0f, 0x1p-24f, 0x1p-14f}) {
            std::vector<float> values(sizeOf(shape));
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = toHalf(size * float(int(i * 37 % 33) - 16) / 16);
            for (NamedForm form : formsToTry()) {
                if (form.spec.node != FormNode::Affine && form.spec.node != FormNode::Blockwise)
                    continue;
                form.spec.method = EncodeMethod::Fitted;
                const auto weight = encodeForm(values, shape, form.spec);
                QVERIFY2(weight, form.name.c_str());
                const EncodedPart &scale = part(*weight, PartRole::Scale);
                for (std::size_t i = 0; i < scale.bytes.size(); i += 2) {
                    std::uint16_t half = 0;
                    std::memcpy(&half, scale.bytes.data() + i, 2);
                    QVERIFY(half > 0 && half < kHalfInfinity);
                }
                for (const float value : decodeAll(*weight))
                    QVERIFY2(std::isfinite(value), form.name.c_str());
            }
        }
    }

    /// One rule for every form: what is not finite is refused with its count, but in dense ones.
    void notFinite()
    {
        const Shape shape{24, 16, 2};
        auto values = gaussian(sizeOf(shape), 6);
        values[3] = std::numeric_limits<float>::quiet_NaN();
        values[70] = -std::numeric_limits<float>::infinity();
        for (NamedForm form : formsToTry()) {
            for (const EncodeMethod method : {EncodeMethod::Plain, EncodeMethod::Fitted}) {
                form.spec.method = method;
                const auto encoded = encodeForm(values, shape, form.spec);
                QVERIFY2(!encoded, form.name.c_str());
                QCOMPARE(encoded.error().code, "codec.argument");
                QCOMPARE(encoded.error().found, "2 of 768 not finite");
            }
        }
        QVERIFY(encodeForm(values, shape, FormSpec()));
    }

    void oneElement()
    {
        for (const Shape &shape : {Shape{1}, Shape{1, 1}, Shape{3, 0}, Shape{}}) {
            const std::vector<float> values(sizeOf(shape), 0.3f);
            for (const NamedForm &form : formsToTry()) {
                FormSpec spec = form.spec;
                spec.palette.groups = spec.palette.vector = 1;
                spec.blockwise.block = 1;
                const auto plain = encodeForm(values, shape, spec);
                spec.method = EncodeMethod::Fitted;
                const auto fitted = encodeForm(values, shape, spec);
                QVERIFY2(bool(plain) == bool(fitted), form.name.c_str());
                if (plain && !values.empty())
                    QVERIFY(massError(*fitted, values, nullptr) <=
                            massError(*plain, values, nullptr));
            }
        }
    }

    void refusals_data()
    {
        addColumns<int, QList<float>, QList<float>, QList<float>, bool>();
        const QList<float> good{1, 2, 3, 4}, none;
        addRow("no such axis", 2, good, none, none, false);
        addRow("too few", 1, QList<float>{1, 2, 3}, none, none, false);
        addRow("none", 1, none, none, none, false);
        addRow("groups that do not divide", 1, good + good + good, none, none, false);
        addRow("negative", 1, QList<float>{1, -2, 3, 4}, none, none, false);
        addRow("NaN", 1, QList<float>{1, std::nanf(""), 3, 4}, none, none, false);
        addRow("infinite", 1, QList<float>{1, HUGE_VALF, 3, 4}, none, none, false);
        addRow("fewer means", 1, good, QList<float>{1}, none, false);
        addRow("means with NaN", 1, good, QList<float>{1, 1, 1, std::nanf("")}, none, false);
        addRow("moments of another size", 1, none, none, QList<float>(9, 1), false);
        QList<float> moments(16, 0.0f);
        for (int i = 0; i < 4; ++i)
            moments[5 * i] = 1;
        auto lopsided = moments, negative = moments, impossible = moments;
        lopsided[1] = 0.5;
        negative[5] = -1;
        impossible[1] = impossible[4] = 3;
        addRow("not symmetric", 1, none, none, lopsided, false);
        addRow("negative square", 1, none, none, negative, false);
        addRow("of no data", 1, none, none, impossible, true);
        addRow("nothing to feed back", 1, good, none, none, true);
    }

    void refusals()
    {
        const auto [axis, squares, means, moments, feedback] =
            fetched<int, QList<float>, QList<float>, QList<float>, bool>();
        auto inputs = std::make_shared<InputStatistics>();
        inputs->axis = std::uint64_t(axis);
        inputs->meanSquare.assign(squares.begin(), squares.end());
        inputs->mean.assign(means.begin(), means.end());
        inputs->secondMoment.assign(moments.begin(), moments.end());
        FormSpec spec;
        spec.node = FormNode::Affine;
        spec.inputs = inputs;
        const auto values = gaussian(32);
        // What the plain encoder does not look at does not stop it.
        QVERIFY(encodeForm(values, {8, 4}, spec));
        spec.method = EncodeMethod::Fitted;
        const auto fitted = encodeForm(values, {8, 4}, spec);
        QCOMPARE(bool(fitted), feedback);
        spec.method = EncodeMethod::Feedback;
        const Error fed = REFUSED(encodeForm(values, {8, 4}, spec));
        QCOMPARE(fed.code, "codec.argument");
        QCOMPARE(fed.field, "inputs");
        spec.inputs = nullptr;
        QVERIFY(!encodeForm(values, {8, 4}, spec));
    }

    void sameInEveryThread()
    {
        const Shape shape{24, 16, 2};
        const auto values = laplace(sizeOf(shape), 21);
        for (NamedForm form : formsToTry()) {
            form.spec.method = EncodeMethod::Feedback;
            form.spec.inputs = statistics(Inputs::Means, 16, 2, 1, 22);
            const auto alone = VERIFIED(encodeForm(values, shape, form.spec));
            std::vector<Result<EncodedWeight>> others(3, tl::unexpected(Error{}));
            std::vector<std::thread> threads;
            for (auto &other : others)
                threads.emplace_back([&] { other = encodeForm(values, shape, form.spec); });
            for (std::thread &thread : threads)
                thread.join();
            for (const auto &other : others) {
                QVERIFY(other);
                for (std::size_t i = 0; i < alone->parts.size(); ++i)
                    QCOMPARE(other->parts[i].bytes, alone->parts[i].bytes);
            }
        }
    }

    void scalesAgainstAllOfThem_data()
    {
        addColumns<int, int, double>();
        addRow("int4, blocks of 16", int(ElementType::Int4), 16, 1.05);
        addRow("int4, blocks of 128", int(ElementType::Int4), 128, 1.01);
        addRow("int8, blocks of 32", int(ElementType::Int8), 32, 1.25);
        addRow("int8, blocks of 512", int(ElementType::Int8), 512, 1.1);
    }

    /// Against every fp16 scale from a quarter of the plain one to 3 % above it: the sum over some
    /// blocks is near that of the best scales, and each block is no worse than with the plain one.
    void scalesAgainstAllOfThem()
    {
        const auto [type, block, allowed] = fetched<int, int, double>();
        const auto codeType = static_cast<ElementType>(type);
        const auto size = std::size_t(block);
        const Shape shape{6, size};
        auto values = laplace(sizeOf(shape), 11);
        auto inputs = statistics(Inputs::Squares, size, 1, 1, 12);
        const auto masses = inputMasses(*inputs, shape);
        FormSpec spec;
        spec.node = FormNode::Blockwise;
        spec.blockwise = {codeType, size, 1, false};
        spec.inputs = inputs;
        const auto plain = encodeForm(values, shape, spec);
        spec.method = EncodeMethod::Fitted;
        const auto fitted = encodeForm(values, shape, spec);
        QVERIFY(plain && fitted);
        const double top = codeType == ElementType::Int4 ? 7 : 127;
        const auto errorWith = [&](std::size_t row, float scale) {
            double error = 0;
            for (std::size_t i = row * size; i < (row + 1) * size; ++i) {
                const double code =
                    std::clamp(std::nearbyint(double(values[i]) / double(scale)), -top, top);
                const auto decoded = double(toHalf(float(code * double(scale))));
                error += double(masses[i]) * std::pow(decoded - double(values[i]), 2);
            }
            return error;
        };
        double found = 0, best = 0, before = 0;
        for (std::size_t row = 0; row < shape[0]; ++row) {
            const auto scaleOf = [row](const EncodedWeight &weight) {
                std::uint16_t half = 0;
                std::memcpy(&half, part(weight, PartRole::Scale).bytes.data() + 2 * row, 2);
                return halfToFloat(half);
            };
            const float from = scaleOf(*plain);
            const double one = errorWith(row, scaleOf(*fitted));
            QVERIFY(one <= errorWith(row, from));
            found += one;
            before += errorWith(row, from);
            double least = HUGE_VAL;
            for (std::uint16_t half = floatToHalf(from / 4); half <= floatToHalf(from * 1.03f);
                 ++half)
                least = std::min(least, errorWith(row, halfToFloat(half)));
            best += least;
        }
        QVERIFY2(found <= best * allowed,
                 qPrintable(u"%1 of plain, best %2"_s.arg(found / before).arg(best / before)));
        QVERIFY(found < before);
    }

    /// The definition: what loses most stays, ties by position, never a zero, always what fp16
    /// does not hold.
    void salientDensity()
    {
        const Shape shape{30, 40};
        auto values = gaussian(sizeOf(shape), 6);
        for (std::size_t i = 0; i < values.size(); i += 5)
            values[i] = i % 3 == 0 ? 0.0f : std::round(values[i] * 10) / 10;
        values[7] = 1e6f; // infinite in fp16
        values[11] = -1e30f;
        auto inputs = statistics(Inputs::Squares, 40, 1, 1, 7);
        inputs->meanSquare[3] = 0; // never there
        const auto masses = inputMasses(*inputs, shape);
        FormSpec spec;
        spec.node = FormNode::Sparse;
        spec.method = EncodeMethod::Fitted;
        spec.inputs = inputs;
        for (const double density : {0.0, 0.01, 0.3, 0.5, 0.77, 0.9, 1.0}) {
            spec.density = density;
            const auto weight = VERIFIED(encodeForm(values, shape, spec));
            std::vector<std::size_t> order(values.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            const auto loss = [&](std::size_t i) {
                const auto stored = double(toHalf(values[i]));
                if (!std::isfinite(stored))
                    return HUGE_VAL;
                const auto value = double(values[i]);
                return double(masses[i]) * (value * value - (value - stored) * (value - stored));
            };
            std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
                const bool zeroA = toHalf(values[a]) == 0, zeroB = toHalf(values[b]) == 0;
                return zeroA != zeroB ? zeroB : loss(a) > loss(b) * (1 + 1e-12);
            });
            std::vector<bool> stays(values.size());
            const auto wanted = std::size_t(std::llround(density * double(values.size())));
            for (std::size_t i = 0; i < wanted; ++i)
                stays[order[i]] = toHalf(values[order[i]]) != 0;
            const auto decoder = Decoder::make(weight->encoding());
            for (std::size_t i = 0; i < values.size(); ++i)
                QCOMPARE(decoder->stored(i), static_cast<bool>(stays[i]));
        }
    }

    void salientPattern()
    {
        const Shape shape{6, 18, 3};
        const auto values = gaussian(sizeOf(shape), 6);
        const auto inputs = statistics(Inputs::Squares, 18, 1, 1, 7);
        const auto masses = inputMasses(*inputs, shape);
        FormSpec spec;
        spec.node = FormNode::Sparse;
        spec.method = EncodeMethod::Fitted;
        spec.inputs = inputs;
        spec.pattern = SparsePattern{2, 4, 1};
        const auto weight = VERIFIED(encodeForm(values, shape, spec));
        const auto decoder = Decoder::make(weight->encoding());
        for (std::size_t o = 0; o < 6; ++o) {
            for (std::size_t place = 0; place < 3; ++place) {
                for (std::size_t first = 0; first < 18; first += 4) {
                    const std::size_t count = std::min<std::size_t>(4, 18 - first);
                    std::vector<std::pair<double, std::size_t>> losses;
                    for (std::size_t i = 0; i < count; ++i) {
                        const std::size_t at = (o * 18 + first + i) * 3 + place;
                        losses.emplace_back(-double(masses[at]) * double(values[at] * values[at]),
                                            at);
                    }
                    std::ranges::sort(losses);
                    for (std::size_t i = 0; i < count; ++i)
                        QCOMPARE(decoder->stored(losses[i].second), i < 2);
                }
            }
        }
    }
};

KERNSCOPE_TEST(TestEncodeMethods, NoApplication)
#include "tst_encode_methods.moc"
