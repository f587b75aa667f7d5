// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/build_verdict.h"
#include "core/compare/codebook_match.h"
#include "core/compare/pair_reader.h"
#include "core/compare/worst_places.h"
#include "joined_sample.h"
#include "tests/rows.h"

/// A weight that is several of the other side is found by what it holds, called split or merged,
/// and compared part by part; weights that nothing but a person pairs are paired by hand.
/// Where the parts of split and merged weights differ.
class TestJoinedWeights : public QObject
{
    Q_OBJECT

private slots:
    void found_data()
    {
        addColumns<int, bool>();
        addRow("rows, split", 0, true);
        addRow("rows, merged", 0, false);
        addRow("columns, split", 1, true);
        addRow("columns, merged", 1, false);
    }

    void found()
    {
        const auto [axis, split] = fetched<int, bool>();
        const auto parts = threeParts(std::size_t(axis));
        const BundlePtr whole = bundleOf({joined("qkv", parts, std::size_t(axis))});
        const BundlePtr several = bundleOf(shuffled(parts));
        const Bundle &a = split ? *whole : *several, &b = split ? *several : *whole;
        const auto difference = VERIFIED(compareBundles(a, b, withValues()));
        QCOMPARE(textOf(a, b, *difference),
                 fmt::format("{} qkv axis {}: part_0 0+16 part_1 16+24 part_2 40+8; exact",
                             split ? "split" : "merged", axis));
        QVERIFY(wholePairs(difference->weights).empty() && difference->onlyA.empty() &&
                difference->onlyB.empty());
        QVERIFY(!difference->identical);
        for (const ComparedPair &part : difference->weights) {
            QVERIFY(part.exact() && part.values);
            QCOMPARE(part.values->elements(), std::uint64_t(12) * part.slice->count);
            QCOMPARE(part.values->snr, std::numeric_limits<double>::infinity());
        }
        QVERIFY(
            differenceSummary(a, b, *difference).find(split ? "1 weight split" : "merged into 1") !=
            std::string::npos);
    }

    void nearly()
    {
        auto parts = threeParts(0);
        const BundlePtr a = bundleOf({joined("qkv", parts, 0)});
        std::mt19937_64 random(7);
        std::normal_distribution<float> noise(0, 0.005f);
        for (Made &part : parts) {
            for (float &value : part.values)
                value += noise(random);
        }
        const BundlePtr b = bundleOf(shuffled(parts));
        const auto difference = VERIFIED(compareBundles(*a, *b, withValues()));
        QCOMPARE(textOf(*a, *b, *difference),
                 "split qkv axis 0: part_0 0+16 part_1 16+24 part_2 40+8; nearest");
        for (const ComparedPair &part : difference->weights) {
            QVERIFY(*part.similarity > 0.9 && *part.similarity < 1);
            QVERIFY(part.values->cosine > 0.99 && part.values->rmse > 0.003 &&
                    part.values->rmse < 0.007);
        }
    }

    /// A value in the middle of a part by columns: counted in that part, at its own place.
    void oneValue()
    {
        auto parts = threeParts(1);
        const BundlePtr a = bundleOf({joined("qkv", parts, 1)});
        const std::size_t changed = 3 * 24 + 5;
        const float before = parts[1].values[changed];
        parts[1].values[changed] = 2;
        const BundlePtr b = bundleOf(parts);
        const auto difference = VERIFIED(compareBundles(*a, *b, withValues()));
        QCOMPARE(slicedPairs(difference->weights).size(), 1U);
        const auto &found = difference->weights;
        QVERIFY(found[0].values->identical() && found[2].values->identical());
        const ValueDifference &values = *found[1].values;
        QCOMPARE(values.different(), 1U);
        QCOMPARE(values.worst->element, std::uint64_t(changed));
        QCOMPARE(double(values.worst->a), double(before));
        QCOMPARE(double(values.worst->b), 2.0);
        QVERIFY(!found[1].exact() && found[0].exact());
        const BuildVerdict verdict = buildVerdict(*a, *b, *difference);
        QVERIFY(!verdict.faithful.value_or(true));
        // The worst figures are those of parts as well.
        QCOMPARE(verdict.worst.size(), 6U);
        QCOMPARE(verdict.worst.front().measure, "relative_rmse");
        QCOMPARE(verdict.worst[1].measure, "max_abs");
        QCOMPARE(b->weights()[verdict.worst[1].b].name, "part_1");
        QCOMPARE(std::get<double>(verdict.worst[1].value), std::abs(2.0 - double(before)));
    }

    /// Nothing is read once the person cancelled: no pair by content, no part.
    void cancelled()
    {
        const Made one{"q", {16, 16}, randomValues(256, 1)},
            two{"k", {16, 16}, randomValues(256, 2)};
        const BundlePtr a =
            bundleOf({joined("qk", {one, two}, 0), {"x", {64}, randomValues(64, 4)}});
        const BundlePtr b = bundleOf({one, two, {"y", {64}, randomValues(64, 4)}});
        QCOMPARE(slicedPairs(pairWeights(*a, *b).pairs).size(), 1U);
        QCOMPARE(pairWeights(*a, *b).pairs.front().pairing, Pairing::Content);
        Progress progress;
        progress.cancel();
        const PairedWeights stopped = pairWeights(*a, *b, {}, &progress);
        QVERIFY(slicedPairs(stopped.pairs).empty());
        for (const ComparedPair &pair : stopped.pairs)
            QVERIFY(pair.pairing != Pairing::Content);
    }

    void manyUnrelated()
    {
        std::vector<Made> wholes, parts;
        for (unsigned i = 0; i < 40; ++i) {
            wholes.push_back({fmt::format("whole_{}", i), {32, 16}, randomValues(512, 100 + i)});
            parts.push_back({fmt::format("part_{}", i), {16, 16}, randomValues(256, 200 + i)});
        }
        // The last whole is two of them.
        std::ranges::copy(parts[3].values, wholes.back().values.begin());
        std::ranges::copy(parts[30].values, wholes.back().values.begin() + 256);
        const auto difference =
            VERIFIED(compareBundles(*bundleOf(wholes), *bundleOf(parts), withValues()));
        const auto found = slicedPairs(difference->weights);
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found.front()[0].a, 39U);
        QCOMPARE(found.front()[0].b, 3U);
        QCOMPARE(found.front()[1].b, 30U);
    }

    /// The name of the whole has stayed with one of the parts: the values say more than the name.
    void namedLikeAPart()
    {
        auto parts = threeParts(0);
        const BundlePtr a = bundleOf({joined("part_0", parts, 0)});
        const BundlePtr b = bundleOf(parts);
        const auto difference = VERIFIED(compareBundles(*a, *b, withValues()));
        QCOMPARE(textOf(*a, *b, *difference),
                 "split part_0 axis 0: part_0 0+16 part_1 16+24 part_2 40+8; exact");
        QVERIFY(wholePairs(difference->weights).empty());
    }

    void unrelated_data() { addRange(10, 20); }

    /// Extents that add up are no reason.
    void unrelated()
    {
        const auto [seed] = fetched<int>();
        const BundlePtr a = bundleOf({joined("qkv", threeParts(0), 0)});
        const BundlePtr b = bundleOf(threeParts(0, unsigned(seed)));
        const auto difference = compareBundles(*a, *b, withValues());
        QVERIFY(slicedPairs(difference->weights).empty());
        QCOMPARE(difference->onlyA.size(), 1U);
        QCOMPARE(difference->onlyB.size(), 3U);
        // Neither are zeros, which every weight of zeros holds.
        const Made zeros{"zeros", {48}, Values(48, 0)};
        const Made less{"less", {16}, Values(16, 0)}, rest{"rest", {32}, Values(32, 0)};
        QVERIFY(compareBundles(*bundleOf({zeros}), *bundleOf({less, rest}), {})->weights.empty());
    }

    /// Split weights keep limits where their parts do.
    void limits()
    {
        auto parts = threeParts(0);
        const BundlePtr a = bundleOf({joined("qkv", parts, 0)});
        parts[2].values[7] += 0.5f;
        const BundlePtr b = bundleOf(parts);
        const auto difference = compareBundles(*a, *b, withValues());
        DiffLimits wanted;
        wanted.values.maxAbs = 1.0;
        QVERIFY(checkLimits(*a, *b, *difference, wanted).empty());
        wanted.values.maxAbs = 0.25;
        const auto faults = checkLimits(*a, *b, *difference, wanted);
        QCOMPARE(faults.size(), 1U);
        QCOMPARE(faults.front().weight, "qkv");
        QCOMPARE(faults.front().weightB, "part_2");
        QCOMPARE(faults.front().limit, "max_abs");
        QVERIFY(!checkLimits(*a, *b, *difference, {}).empty()); // without limits: not identical
    }

    void byHand()
    {
        const Values one = randomValues(64, 1), two = randomValues(64, 2);
        const BundlePtr a = bundleOf({{"x", {64}, one}, {"y", {64}, two}});
        const BundlePtr b = bundleOf({{"x", {64}, one}, {"y", {64}, two}});
        const auto pairs = [&](const std::vector<PairChoice> &chosen) {
            const PairedWeights found = pairWeights(*a, *b, chosen);
            std::string text;
            for (const ComparedPair &pair : found.pairs)
                text += fmt::format("{}{}{} ", pair.a, pair.b, pairingName(pair.pairing));
            for (const std::size_t i : found.onlyA)
                text += fmt::format("A{} ", i);
            for (const std::size_t i : found.onlyB)
                text += fmt::format("B{} ", i);
            return text;
        };
        QCOMPARE(pairs({}), "00name 11name ");
        QCOMPARE(pairs({{0, 1}}), "01hand 10shape ");
        // What a choice gives up is free again: y of B goes to y of A.
        QCOMPARE(pairs({{0, 1}, {0, kNoIndex}}), "11name A0 B0 ");
        QCOMPARE(pairs({{0, kNoIndex}}), "11name A0 B0 ");
        QCOMPARE(pairs({{kNoIndex, 1}}), "00name A1 B1 ");
        QCOMPARE(pairs({{0, 1}, {1, 1}}), "00name 11hand ");
        QCOMPARE(pairs({{7, 1}, {0, 9}, {kNoIndex, kNoIndex}}), "00name 11name ");
        const PairedWeights crossed = pairWeights(*a, *b, std::vector<PairChoice>{{0, 1}});
        QCOMPARE(pairingReason(*a, *b, crossed.pairs.front()), "paired by hand");
        QCOMPARE(crossed.pairs.front().confidence, PairConfidence::Certain);
        DiffOptions options = withValues();
        options.pairs = {{0, 1}, {1, 0}};
        const auto difference = compareBundles(*a, *b, options);
        QCOMPARE(difference->weights.size(), 2U);
        QVERIFY(!difference->weights[0].values->identical());
    }

    /// Names that count layers are others once one is added in front; names of unlike shapes agree
    /// by chance. What the weights hold says which is which.
    void renumbered()
    {
        std::vector<Made> a, b{{"linear_0", {8, 8}, randomValues(64, 100)}};
        for (unsigned i = 0; i < 5; ++i) {
            a.push_back({fmt::format("linear_{}", i), {8, 8}, randomValues(64, i)});
            b.push_back({fmt::format("linear_{}", i + 1), {8, 8}, a.back().values});
        }
        const BundlePtr from = bundleOf(a), to = bundleOf(b);
        for (const bool back : {false, true}) {
            const BundlePtr &x = back ? to : from, &y = back ? from : to;
            const PairedWeights paired = pairWeights(*x, *y, {}, nullptr);
            QCOMPARE(paired.pairs.size(), std::size_t{5});
            for (const ComparedPair &pair : paired.pairs)
                QCOMPARE(pair.a + (back ? 0 : 1), pair.b + (back ? 1 : 0));
            QCOMPARE(back ? paired.onlyA : paired.onlyB, std::vector<std::size_t>{0});
        }
        const Made one{"p", {4, 16}, randomValues(64, 1)}, two{"q", {2, 16}, randomValues(32, 2)};
        const PairedWeights swapped = pairWeights(
            *bundleOf({one, two}),
            *bundleOf({{"q", one.shape, one.values}, {"p", two.shape, two.values}}), {}, nullptr);
        QCOMPARE(swapped.pairs.size(), std::size_t{2});
        for (const ComparedPair &pair : swapped.pairs)
            QVERIFY(pair.a == pair.b && pair.content == ContentKind::Exact);
        // A copy beside the weight that it is of takes nothing from it.
        const PairedWeights copied = pairWeights(
            *bundleOf({one}), *bundleOf({one, {"copy", one.shape, one.values}}), {}, nullptr);
        QCOMPARE(copied.pairs.front().pairing, Pairing::Name);
        QCOMPARE(copied.onlyB, std::vector<std::size_t>{1});
    }

    /// Matrices of other names that stand the other way round, rounded on the way.
    void turnedAndRounded()
    {
        std::vector<Made> a, b;
        for (unsigned i = 0; i < 3; ++i) {
            for (const std::size_t rows : {24U, 32U}) {
                const Values values = randomValues(rows * 32, 10 * i + unsigned(rows));
                Values turned(values.size());
                for (std::size_t k = 0; k < values.size(); ++k)
                    turned[k % 32 * rows + k / 32] = std::round(values[k] * 300) / 300;
                a.push_back({fmt::format("a{}x{}", rows, i), {rows, 32}, values});
                b.insert(b.begin(), {fmt::format("b{}x{}", rows, i), {32, rows}, turned});
            }
        }
        const BundlePtr from = bundleOf(a), to = bundleOf(b);
        const auto difference = VERIFIED(compareBundles(*from, *to, withValues()));
        QCOMPARE(difference->weights.size(), a.size());
        for (const ComparedPair &pair : difference->weights) {
            QCOMPARE(pair.a + pair.b + 1, a.size());
            const std::string said = verdict(pair, *from, *to);
            QVERIFY2(said.starts_with("transposed, "), said.c_str());
        }
    }

    /// What is called the same and holds another weight's values is no training.
    void exchanged()
    {
        const Values one = randomValues(64, 1), two = randomValues(64, 2);
        const BundlePtr a = bundleOf({{"q", {8, 8}, one}, {"k", {8, 8}, two}}),
                        b = bundleOf({{"q", {8, 8}, two}, {"k", {8, 8}, one}});
        ComparisonSteps steps;
        std::vector<bool> told(2);
        steps.compared = [&told](std::size_t index, const ComparedPair &pair) {
            told[index] = pair.exchanged.has_value();
        };
        const auto difference = VERIFIED(compareBundles(*a, *b, withValues(), nullptr, steps));
        QCOMPARE(told, (std::vector<bool>{true, true}));
        for (const ComparedPair &pair : difference->weights) {
            QCOMPARE(pairChangesText(*a, *b, pair), "exchanged");
            QCOMPARE(verdict(pair, *a, *b), "the values of another weight");
            QVERIFY(pairingReason(*a, *b, pair)
                        .ends_with(pair.a == 0 ? "B holds the values that A has in k"
                                               : "B holds the values that A has in q"));
        }
    }

    /// What happened to a weight is said: a new name, another place, another form, other values.
    void changes()
    {
        const Values one = randomValues(64, 1), two = randomValues(64, 2),
                     three = randomValues(64, 3);
        Values trained = three, edited = two;
        for (float &value : trained)
            value *= 1.25f;
        edited[5] = 1;
        const BundlePtr a = bundleOf(
            {{"x", {64}, one}, {"y", {64}, two}, {"z", {64}, three}, {"s", {8}, Values(8)}});
        const BundlePtr b = bundleOf({{"y", {64}, edited},
                                      {"z", {64}, trained},
                                      {"s", {8}, Values(8)},
                                      {"renamed", {64}, one}});
        const auto difference = VERIFIED(compareBundles(*a, *b, withValues()));
        std::vector<std::string> found;
        for (const ComparedPair &pair : difference->weights)
            found.push_back(a->weights()[pair.a].name + ": " + pairChangesText(*a, *b, pair));
        QCOMPARE(found, (std::vector<std::string>{"x: renamed, moved", "y: edited", "z: re-trained",
                                                  "s: "}));
    }

    void worstPlaces_data()
    {
        addColumns<int, bool>();
        addRow("rows, split", 0, true);
        addRow("rows, merged", 0, false);
        addRow("columns, split", 1, true);
        addRow("columns, merged", 1, false);
    }

    /// Unrelated weights of shapes that would fit: their samples are taken once, not once a whole.
    /// One value of the second part is far off: its element and its channel, by the part's own
    /// numbers.
    void worstPlaces()
    {
        const auto [axis, split] = fetched<int, bool>();
        const auto along = std::size_t(axis);
        const std::vector<Made> parts{{"q", {16, 16}, randomValues(256, 1)},
                                      {"k", {16, 16}, randomValues(256, 2)},
                                      {"v", {16, 16}, randomValues(256, 3)}};
        std::vector<Made> others = parts;
        others[1].values[5 * 16 + 7] += 2;
        const BundlePtr whole = bundleOf({joined("qkv", parts, along)}), apart = bundleOf(others);
        const BundlePtr a = split ? whole : apart, b = split ? apart : whole;
        const Difference difference = ::whole(a, b);
        const auto &found = difference.weights;
        QCOMPARE(found.size(), parts.size());
        for (std::size_t part = 0; part < 3; ++part) {
            const auto places = VERIFIED(findWorstPlaces(*a, *b, found[part], {16, 4, true}));
            QCOMPARE(places->channels, 16U);
            QCOMPARE(places->differentChannels, std::uint64_t(part == 1));
            QCOMPARE(places->worstElements.size(), std::size_t(part == 1));
            std::uint64_t binned = 0;
            for (const std::uint64_t count : places->bins->a)
                binned += count;
            QCOMPARE(binned + places->bins->outsideA, 256U);
            if (part != 1)
                continue;
            QCOMPARE(places->worstElements.front().element, std::uint64_t(5 * 16 + 7));
            QCOMPARE(places->worstChannels.front().channel, 5U);
            QCOMPARE(places->worstChannels.front().changed, 1U);
            QCOMPARE(places->worstChannels.front().maxAbs, found[part].values->maxAbs);
            const auto far =
                double(places->worstElements.front().b - places->worstElements.front().a);
            QCOMPARE(std::abs(far), found[part].values->maxAbs);
            QCOMPARE(far > 0, split);
        }
    }

    /// What the colours of a part are scaled by is of the part alone.
    void samples()
    {
        const auto parts = threeParts(1);
        const BundlePtr a = bundleOf({joined("whole", parts, 1)}), b = bundleOf(parts);
        const Difference difference = whole(a, b);
        QCOMPARE(difference.weights.size(), parts.size());
        for (std::size_t part = 0; part < 3; ++part) {
            Progress progress;
            const auto sample = samplePair(*a, *b, difference.weights[part], progress);
            QVERIFY(sample && sample->whole);
            QCOMPARE(sample->a, parts[part].values);
            QCOMPARE(sample->b, parts[part].values);
        }
    }

    /// Palettes of one codebook: the whole takes entry k where its parts take entry 15 - k of a
    /// codebook that is turned round.
    void codebooks()
    {
        const auto palettes = [](const std::vector<std::vector<unsigned>> &weights, bool turned) {
            MadeBundle made;
            const Bytes book = halves(16, [&](int i) { return float(turned ? 16 - i : i + 1); });
            for (std::size_t k = 0; k < weights.size(); ++k) {
                Bytes packed;
                for (std::size_t i = 0; i < weights[k].size(); i += 2)
                    packed.push_back(
                        static_cast<std::byte>(weights[k][i] | weights[k][i + 1] << 4));
                const std::string shape = fmt::format("[8, {}]", weights[k].size() / 8);
                made.line(fmt::format(
                    "tensor<fp16, {0}> {1} = constexpr_lut_to_dense(indices = {2}, lut = {3})"
                    "[name = string(\"{1}\")]",
                    shape, std::string(1, char('p' + k)),
                    made.blob(ElementType::Uint4, shape, packed),
                    made.blob(ElementType::Fp16, "[1, 1, 16, 1]", book)));
            }
            return *made.open();
        };
        std::vector<unsigned> all, first, second;
        for (unsigned i = 0; i < 8 * 12; ++i) {
            const bool inFirst = i % 12 < 4;
            const unsigned code = inFirst ? i / 12 % 4 : 4 + (i * 7 + i / 12) % 12;
            all.push_back(code);
            (inFirst ? first : second).push_back(15 - code);
        }
        const BundlePtr a = palettes({all}, false), b = palettes({first, second}, true);
        const Difference difference = whole(a, b);
        QCOMPARE(difference.weights.size(), 2U);
        QVERIFY(difference.weights[0].values->identical() &&
                difference.weights[1].values->identical());
        for (std::size_t part = 0; part < 2; ++part) {
            const auto match = VERIFIED(matchCodebooks(*a, *b, difference.weights[part]));
            // Entries that only the other part takes are unused in both.
            const std::uint64_t used = part == 0 ? 4 : 12;
            QCOMPARE(match->count(EntryChange::Moved), used);
            QCOMPARE(match->count(EntryChange::Unused), 2 * (16 - used));
            std::uint64_t elements = 0;
            for (const EntryMatch &entry : match->entries)
                elements += entry.usesA;
            QCOMPARE(elements, std::uint64_t(part == 0 ? 8 * 4 : 8 * 8));
        }
    }
};

KERNSCOPE_TEST(TestJoinedWeights, QCoreApplication)
#include "tst_joined_weights.moc"
