// SPDX-License-Identifier: GPL-3.0-or-later
#include "diff_sample.h"
#include "tests/test_program.h"

namespace {

constexpr std::size_t kOutputs = 48, kInputs = 24, kInner = 9;
constexpr std::size_t kElements = kOutputs * kInputs * kInner;

using Order = std::vector<std::uint32_t>;
using Values = std::vector<float>;

Values randomValues(std::mt19937_64 &random)
{
    std::normal_distribution<float> value(0, 0.1f);
    Values values(kElements);
    std::ranges::generate(values, [&] { return value(random); });
    return values;
}

Order randomOrder(std::mt19937_64 &random, std::size_t count)
{
    Order order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    return order;
}

/// Channel i of A becomes channel order[i] of B.
Values reordered(const Values &values, const Order &outputs, const Order &inputs)
{
    Values result(values.size());
    for (std::size_t o = 0; o < kOutputs; ++o) {
        for (std::size_t i = 0; i < kInputs; ++i) {
            const std::size_t toO = outputs.empty() ? o : outputs[o];
            const std::size_t toI = inputs.empty() ? i : inputs[i];
            std::copy_n(values.begin() + std::ptrdiff_t((o * kInputs + i) * kInner), kInner,
                        result.begin() + std::ptrdiff_t((toO * kInputs + toI) * kInner));
        }
    }
    return result;
}

Values noisy(Values values, float share, std::mt19937_64 &random)
{
    if (share == 0.0f)
        return values;
    std::normal_distribution<float> noise(0, 0.1f * share);
    for (float &value : values)
        value += noise(random);
    return values;
}

struct Shuffled {
    std::string name, op;
    Values values;
};

const std::string kShape = fmt::format("[{}, {}, 3, 3]", kOutputs, kInputs);

BundlePtr bundleOfShuffled(const std::vector<Shuffled> &weights, const std::string &shape = kShape)
{
    MadeBundle made;
    for (const Shuffled &weight : weights) {
        made.weight(weight.name, shape, halves(weight.values));
        made.line(fmt::format("tensor<fp16, [1]> {0} = conv(weight = {1}, x = x)[name = "
                              "string(\"{0}\")]",
                              weight.op, weight.name));
    }
    return *made.open();
}

const ComparedPair &pairOf(const Bundle &a, const Difference &difference, std::string_view name)
{
    return *std::ranges::find_if(difference.weights, [&](const ComparedPair &pair) {
        return a.weights()[pair.a].name == name;
    });
}

} // namespace

/// Weights of one shape whose names, operations and places say nothing find their partners by what
/// they hold, and are called what they are.
class TestContentMatch : public QObject
{
    Q_OBJECT

private slots:
    void found_data()
    {
        QTest::addColumn<float>("noise");
        addRow("as they are", 0.0f);
        addRow("rounded", 0.01f);
        addRow("as of eight bits", 0.05f);
        addRow("trained on", 0.2f);
    }

    void found()
    {
        QFETCH(const float, noise);
        for (unsigned seed = 0; seed < 8; ++seed) {
            std::mt19937_64 random(seed);
            const Values kept = randomValues(random), out = randomValues(random),
                         in = randomValues(random), more = randomValues(random);
            const Order outputs = randomOrder(random, kOutputs),
                        inputs = randomOrder(random, kInputs);
            const BundlePtr a = bundleOfShuffled(
                {{"kept", "a1", kept}, {"out", "a2", out}, {"in", "a3", in}, {"more", "a4", more}});
            std::vector<Shuffled> others{
                {"p", "b1", noisy(kept, noise, random)},
                {"q", "b2", noisy(reordered(out, outputs, {}), noise, random)},
                {"r", "b3", noisy(reordered(in, {}, inputs), noise, random)},
                {"s", "b4", noisy(more, noise, random)}};
            std::shuffle(others.begin(), others.end(), random);
            const BundlePtr b = bundleOfShuffled(others);
            const Difference difference = *compareBundles(*a, *b, withValues());
            QCOMPARE(difference.weights.size(), 4U);
            const auto check = [&](const char *name, const char *partner, ContentKind kind) {
                const ComparedPair &pair = pairOf(*a, difference, name);
                QCOMPARE(pair.pairing, Pairing::Content);
                QCOMPARE(b->weights()[pair.b].name, std::string(partner));
                QCOMPARE(pair.content, kind);
                QCOMPARE(pair.confidence, PairConfidence::Certain);
                QVERIFY(!pairingReason(*a, *b, pair).empty());
                QCOMPARE(pair.similarity.has_value(), kind != ContentKind::Exact);
                QCOMPARE(pair.order.has_value(), kind == ContentKind::Reordered);
            };
            const ContentKind inPlace = noise == 0.0f ? ContentKind::Exact : ContentKind::Nearest;
            check("kept", "p", inPlace);
            check("out", "q", ContentKind::Reordered);
            check("in", "r", ContentKind::Reordered);
            check("more", "s", inPlace);
            const ComparedPair &ofOut = pairOf(*a, difference, "out");
            QCOMPARE(ofOut.order->outputs, outputs);
            QVERIFY(ofOut.order->inputs.empty());
            const ComparedPair &ofIn = pairOf(*a, difference, "in");
            QCOMPARE(ofIn.order->inputs, inputs);
            QVERIFY(ofIn.order->outputs.empty());
            QVERIFY(ofOut.reordered && ofIn.reordered);
            QCOMPARE(ofOut.reordered->equal + ofOut.reordered->different, std::uint64_t(kElements));
            QVERIFY(
                QByteArray::fromStdString(verdict(ofOut, *a, *b)).startsWith("channels reordered"));
            if (noise == 0.0f) {
                QCOMPARE(ofOut.reordered->different, 0U);
                QCOMPARE(ofIn.reordered->different, 0U);
                QCOMPARE(verdict(ofIn, *a, *b), "channels reordered, same values");
            } else {
                QVERIFY(ofOut.reordered->rmse < 0.1 * double(noise) * 1.1);
            }
            // And the other way round.
            const Difference back = *compareBundles(*b, *a, withValues());
            for (const ComparedPair &pair : difference.weights) {
                const auto other = std::ranges::find_if(
                    back.weights, [&](const ComparedPair &each) { return each.b == pair.a; });
                QVERIFY(other != back.weights.end());
                QCOMPARE(other->a, pair.b);
                QCOMPARE(other->content, pair.content);
            }
        }
    }

    /// Weights that have nothing in common pair by their place, and that is said to be a guess.
    void unrelated()
    {
        std::mt19937_64 random(3);
        const BundlePtr a = bundleOfShuffled(
            {{"m", "a1", randomValues(random)}, {"n", "a2", randomValues(random)}});
        const BundlePtr b = bundleOfShuffled(
            {{"p", "b1", randomValues(random)}, {"q", "b2", randomValues(random)}});
        const Difference difference = *compareBundles(*a, *b, withValues());
        QCOMPARE(difference.weights.size(), 2U);
        for (const ComparedPair &pair : difference.weights) {
            QCOMPARE(pair.pairing, Pairing::Position);
            QCOMPARE(pair.confidence, PairConfidence::Guess);
            QVERIFY(!pair.order && !pair.reordered);
        }
    }

    /// Values that are all nearly one (scales of a normalisation) are not alike for that.
    void nearOne()
    {
        std::mt19937_64 random(4);
        const auto gains = [&] {
            Values values = randomValues(random);
            for (float &value : values)
                value = 1.0f + 0.1f * value;
            return values;
        };
        const Values one = gains(), two = gains();
        const BundlePtr a = bundleOfShuffled({{"m", "a1", one}, {"n", "a2", two}});
        const BundlePtr b = bundleOfShuffled(
            {{"p", "b1", noisy(two, 0.01f, random)}, {"q", "b2", noisy(one, 0.01f, random)}});
        const Difference difference = *compareBundles(*a, *b, {});
        QCOMPARE(b->weights()[pairOf(*a, difference, "m").b].name, "q");
        QCOMPARE(b->weights()[pairOf(*a, difference, "n").b].name, "p");
    }

    /// Channels that were set to zero have no other order: there is nothing to tell them by.
    void prunedChannels()
    {
        std::mt19937_64 random(5);
        const Values from = randomValues(random);
        Values to = from;
        for (std::size_t channel = 0; channel < kOutputs; ++channel) {
            if (channel % 3 != 0)
                std::fill_n(to.begin() + std::ptrdiff_t(channel * kInputs * kInner),
                            kInputs * kInner, 0.0f);
        }
        const BundlePtr a = bundleOfShuffled({{"w", "op", from}}),
                        b = bundleOfShuffled({{"w", "op", to}});
        const ComparedPair pair = compareBundles(*a, *b, withValues())->weights.front();
        QCOMPARE(pair.pairing, Pairing::Consumer);
        QVERIFY(pair.values->cosine < 0.9);
        QVERIFY(!pair.order && !pair.reordered);
        QCOMPARE(verdict(pair, *a, *b), "kept values exact");
    }

    /// Biases of a few channels are found as well, of one axis or of four.
    void fewElements()
    {
        std::mt19937_64 random(16);
        const auto few = [&] {
            Values values = randomValues(random);
            values.resize(16);
            return values;
        };
        const Values first = few(), second = few();
        const BundlePtr a =
            bundleOfShuffled({{"a", "a1", first}, {"b", "a2", second}, {"c", "a3", few()}}, "[16]");
        const BundlePtr b = bundleOfShuffled({{"p", "b1", few()},
                                              {"q", "b2", noisy(second, 0.003f, random)},
                                              {"r", "b3", noisy(first, 0.003f, random)}},
                                             "[1, 16, 1, 1]");
        const Difference difference = *compareBundles(*a, *b, withValues());
        for (const auto &[name, partner] : {std::pair("a", "r"), std::pair("b", "q")}) {
            const ComparedPair &pair = pairOf(*a, difference, name);
            QCOMPARE(pair.pairing, Pairing::Content);
            QCOMPARE(b->weights()[pair.b].name, partner);
        }
        QCOMPARE(difference.weights.size(), 2U);
    }

    /// A pair that its name and its operation make is called reordered as well.
    void sameNameReordered()
    {
        std::mt19937_64 random(6);
        const Values from = randomValues(random);
        const Order outputs = randomOrder(random, kOutputs);
        const BundlePtr a = bundleOfShuffled({{"w", "op", from}});
        const BundlePtr b = bundleOfShuffled({{"w", "op", reordered(from, outputs, {})}});
        const ComparedPair pair = compareBundles(*a, *b, withValues())->weights.front();
        QCOMPARE(pair.pairing, Pairing::Consumer);
        QCOMPARE(pair.content, ContentKind::None);
        QVERIFY(pair.order && pair.reordered);
        QCOMPARE(pair.order->outputs, outputs);
        QCOMPARE(verdict(pair, *a, *b), "channels reordered, same values");
        // Two channels that change places are found among all the others.
        Order two(kOutputs);
        std::iota(two.begin(), two.end(), 0u);
        std::swap(two[3], two[40]);
        const BundlePtr c = bundleOfShuffled({{"w", "op", reordered(from, two, {})}});
        {
            const auto order = VERIFIED(diff::findChannelOrder(*a, 0, *c, 0));
            QCOMPARE(ChannelOrder::moved(order->outputs), 2U);
        }
        QVERIFY(!diff::findChannelOrder(*a, 0, *a, 0));
    }

    /// The sample's weight in every form, renamed: what is left of its values still finds it.
    /// What else happened to weights whose channels stand in another order is said as well.
    void reorderedAndTrainedOn()
    {
        std::mt19937_64 random(12);
        const Values from = randomValues(random);
        const Order outputs = randomOrder(random, kOutputs);
        const Values moved = reordered(from, outputs, {});
        Values edited = moved;
        edited[100] = 2;
        const BundlePtr a = bundleOfShuffled({{"w", "op", from}});
        const auto changes = [&](const Values &values) {
            const BundlePtr b = bundleOfShuffled({{"w", "op", values}});
            const Difference found = whole(a, b);
            const ComparedPair &pair = found.weights.front();
            return pair.order ? pairChangesText(*a, *b, pair) : "not reordered";
        };
        QCOMPARE(changes(moved), "reordered");
        QCOMPARE(changes(edited), "reordered, edited");
        QCOMPARE(changes(noisy(moved, 0.01f, random)), "reordered, re-trained");
    }

    void otherForms()
    {
        for (const SampleForm &form : sampleForms()) {
            const BundlePtr a = *sampleBundle("dense-fp16").open();
            const BundlePtr b = *sampleBundle(form.name).open();
            const auto sketchA = diff::WeightSketch::make(*a, 0, 0);
            const auto sketchB = diff::WeightSketch::make(*b, 0, 0);
            QVERIFY(sketchA);
            if (!sketchB || sketchB->samples() != sketchA->samples())
                continue;
            QCOMPARE(sketchA->samples(), 64U); // all of so few
            const double forth = diff::WeightSketch::correlation(*sketchA, *sketchB);
            QCOMPARE(forth, diff::WeightSketch::correlation(*sketchB, *sketchA));
            QVERIFY(forth >= -1 && forth <= 1);
        }
        QCOMPARE(diff::squeezed({1, 4, 1, 3}), (Shape{4, 3}));
        QCOMPARE(diff::squeezed({1, 1}), Shape{1});
    }
};

KERNSCOPE_TEST(TestContentMatch, QCoreApplication)
#include "tst_content_match.moc"
