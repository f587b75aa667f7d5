// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/bundle/element_place.h"
#include "core/compare/build_verdict.h"
#include "core/compare/worst_places.h"
#include "diff_sample.h"
#include "tests/core/container/mil/proto_builder.h"
#include "tests/test_program.h"

using Kind = PairSeverity::Kind;

namespace {

std::vector<std::string> faultsOf(const BundlePtr &a, const BundlePtr &b, const DiffLimits &limits)
{
    std::vector<std::string> text;
    for (const LimitFault &fault : checkLimits(*a, *b, whole(a, b), limits))
        text.push_back(fault.weight + " " + fault.limit + " " + limitFigureText(fault.found));
    return text;
}

/// kOtherTen under another name, read by the operation that reads "w".
BundlePtr namedOther()
{
    MadeBundle made;
    made.layer("other", "[10]", kOtherTen);
    return *made.open();
}

ComparedPair pairWith(std::uint64_t equal, std::uint64_t changed, double maxAbs)
{
    ComparedPair pair;
    pair.a = pair.b = 0;
    pair.shapeEqual = true;
    ValueDifference values;
    values.equal = equal;
    values.changed = changed;
    values.relativeRmse = values.maxAbs = maxAbs;
    pair.values = std::make_shared<const ValueDifference>(values);
    return pair;
}

} // namespace

/// What a comparison comes to: limits, totals, counterexamples and the worst places.
/// The order in which a comparison is read: the worst first.
class TestDiffVerdict : public QObject
{
    Q_OBJECT

private slots:
    void patterns_data()
    {
        addColumns<QByteArray, QByteArray, bool>();
        int number = 0;
        const auto row = [&number](const char *pattern, const char *name, bool matches) {
            QTest::addRow("%d %s", number++, pattern)
                << QByteArray(pattern) << QByteArray(name) << matches;
        };
        row("*", "", true);
        row("?", "", false);
        row("w", "w", true);
        row("w", "w2", false);
        row("*bias*", "conv1_bias_0", true);
        row("*bias", "conv1_bias_0", false);
        row("conv?_*", "conv1_w", true);
        row("conv?_*", "conv12_w", false);
        row("*a*b*c", "xaxbxbxc", true);
        row("*a*b*c", "xaxbxbx", false);
        row("**", "anything", true);
        row("conv[12]_*", "conv2_w", true);
        row("conv[!12]_*", "conv2_w", false);
        row("w[0]", "w[0]", true);
    }

    void patterns()
    {
        const auto [pattern, name, matches] = fetched<QByteArray, QByteArray, bool>();
        QCOMPARE(matchesPattern(pattern.toStdString(), name.toStdString()), matches);
    }

    /// What is not finite on one side only keeps no limit, however wide.
    void notFinite()
    {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        const BundlePtr a = *denseBundle(halves({1, 2})).open();
        const BundlePtr b = *denseBundle(halves({1, kInfinity})).open();
        DiffLimits limits;
        limits.values.maxAbs = 1e30;
        limits.values.minCosine = -1;
        QCOMPARE(faultsOf(a, b, limits),
                 (Texts{"w max_abs not finite", "w min_cosine not finite"}));
        QVERIFY(faultsOf(b, b, limits).empty());
        // What appears where there was zero has no ratio.
        limits = {};
        limits.values.maxRel = 1e30;
        QCOMPARE(faultsOf(*denseBundle(halves({0, 2})).open(), a, limits),
                 (Texts{"w max_rel infinite"}));
    }

    void unlimited()
    {
        const BundlePtr a = *denseBundle(kTen).open(), b = *denseBundle(kOtherTen).open();
        QVERIFY(faultsOf(a, a, {}).empty());
        QCOMPARE(faultsOf(a, b, {}), (Texts{" identical different"}));
        DiffLimits program;
        program.sameProgram = true;
        QVERIFY(!program.concernsWeights() && faultsOf(a, b, program).empty());
        QCOMPARE(faultsOf(a, *denseBundle(kTwelve).open(),
                          [] {
                              DiffLimits limits;
                              limits.values.maxAbs = 100;
                              return limits;
                          }()),
                 (Texts{"w shape [12]"}));
    }

    void rulesOfAddresses()
    {
        const BundlePtr a = *denseBundle(kTen).open(), b = *denseBundle(kOtherTen).open();
        const auto limits = VERIFIED(parseRules("[[weight]]\nmatch = \"main/w\"\nmax-abs = 1\n"
                                                "[[weight]]\nmatch = \"x*\"\nmax-abs = 0\n",
                                                "rules.toml"));
        QVERIFY(faultsOf(a, b, *limits).empty());
        // A pair goes by either of its names.
        const BundlePtr renamed = namedOther();
        const auto ofB = parseRules("[[weight]]\nmatch = \"other\"\nmax-abs = 1\n", "rules.toml");
        QVERIFY(faultsOf(a, renamed, *ofB).empty());
        QVERIFY(unusedRules(*a, *renamed, *ofB).empty());
        QCOMPARE(unusedRules(*a, *b, *ofB), (Texts{"other"}));
        const auto strict = parseRules("max-abs = 0.5\nmin-snr = 100\n", "rules.toml");
        QCOMPARE(faultsOf(a, b, *strict).size(), 2U);
        QVERIFY(!parseRules("max-abs = 1e999", "rules.toml"));
        QVERIFY(!parseRules(std::string("max-abs = 1\n\0", 13), "rules.toml"));
        QVERIFY(!parseRules("[[= 1\n", "rules.toml"));
        // A rule that is of `audit` alone, or of nothing, does not let the values go.
        const auto audit = parseRules("[[weight]]\nmatch = \"*\"\naudit-limit = 2\n", "r");
        QVERIFY(audit->concernsWeights());
        QCOMPARE(faultsOf(a, b, *audit).size(), 1U);
        const Error empty =
            REFUSED(parseRules("max-abs = 1\n[[weight]]\nmatch = \"w\"\n", "rules.toml"));
        QCOMPARE(empty.field, "line 2, column 1");
    }

    /// Letters beyond ASCII stand in quotes and in comments; elsewhere they are refused.
    void rulesWithOtherLetters()
    {
        const auto read =
            VERIFIED(parseRules("\xEF\xBB\xBF# gr\u00f6\u00dfer \"\n[[weight]] # \u03c3\n"
                                "match = \"\u03c3\\\"\u00e9\" # '\nmax-abs = 1\n"
                                "[[weight]]\nmatch = '''\u00e9'x''''\nmax-abs = 2\n"
                                "[[weight]]\nmatch = '\u00e9'\nmax-abs = 3\n",
                                "rules.toml"));
        QCOMPARE(read->rules.size(), 3U);
        QCOMPARE(read->rules[0].pattern, "\u03c3\"\u00e9");
        QCOMPARE(read->rules[1].pattern, "\u00e9'x'");
        const Error stray = REFUSED(parseRules("max-abs = 1\n[[weight\u03c3]]\n", "rules.toml"));
        QCOMPARE(stray.field, "line 2, column 9");
        QCOMPARE(stray.found, "\u03c3");
        const Error unknown = REFUSED(parseRules("\"\u00e9\" = 1", "rules.toml"));
        QCOMPARE(unknown.found, "\u00e9");
        for (const char *broken : {"max-abs = 1 \u00e9", "a = 0='\u00e9'", "in-'\ufeff=a", "\uabcd",
                                   "match = \"\"\"\\\u00e9\"\"\"", "[[weight]]\nmatch = '\xff'"})
            QVERIFY2(!parseRules(broken, "rules.toml"), broken);
    }

    void faithful()
    {
        const BundlePtr half = *sampleBundle("dense-fp16").open();
        const BundlePtr wide = *sampleBundle("dense-fp32").open();
        const auto of = [](const BundlePtr &a, const BundlePtr &b, bool values) {
            DiffOptions options;
            options.values = values;
            return buildVerdict(*a, *b, *compareBundles(*a, *b, options));
        };
        QCOMPARE(of(half, wide, true).faithful, std::optional(true));
        QCOMPARE(of(half, wide, false).faithful, std::optional<bool>());
        QCOMPARE(of(half, half, false).faithful, std::optional(true));
        const BundlePtr a = *denseBundle(kTen).open(), b = *denseBundle(kOtherTen).open();
        const BuildVerdict verdict = of(a, b, true);
        QCOMPARE(verdict.faithful, std::optional(false));
        QCOMPARE(verdict.counterexample->element, 0U);
        QCOMPARE(faithfulText(*a, whole(a, b), verdict),
                 "not bit-faithful to A apart from fp16 rounding: w[0] is 1 in A, 2 in "
                 "B");
        QCOMPARE(of(a, *denseBundle(kTwelve).open(), true).faithful, std::optional(false));
    }

    /// Values that are the same say nothing of a program that is another.
    void faithfulUnderAnotherProgram()
    {
        const auto tree = [](char value) {
            const QByteArray raw =
                prototest::number(1, 1) +
                prototest::bytes(302, prototest::bytes(1, prototest::number(2, quint64(value))));
            return Bundle::open("tree.mlmodel", {.memory = {{"tree.mlmodel", asBytes(raw)}}})
                .value_or(nullptr);
        };
        const BundlePtr a = VERIFIED(tree(1)), b = VERIFIED(tree(2));
        QVERIFY(!buildVerdict(*a, *b, whole(a, b)).faithful);
        QCOMPARE(buildVerdict(*a, *a, whole(a, a)).faithful, std::optional(true));
        MadeBundle conv, other;
        for (MadeBundle *made : {&conv, &other}) {
            made->weight("w", "[4, 4]", Bytes(32));
            made->op("y", "[1, 4]",
                     std::string(made == &conv ? "linear" : "matmul") + "(weight = w, x = x)");
        }
        const BundlePtr before = *conv.open(), after = *other.open();
        const Difference difference = whole(before, after);
        QCOMPARE(faithfulText(*before, difference, buildVerdict(*before, *after, difference)),
                 "bit-faithful to A apart from fp16 rounding: proved of the weights; the program "
                 "differs");
    }

    void worstOfAll()
    {
        const BundlePtr a = *denseBundle(kTen).open(), b = *denseBundle(kOtherTen).open();
        const BuildVerdict verdict = buildVerdict(*a, *b, whole(a, b));
        Texts found;
        for (const WorstFigure &worst : verdict.worst)
            found.push_back(worst.measure + " " + limitFigureText(worst.value));
        QCOMPARE(found.size(), 6U);
        QVERIFY(found[0].starts_with("relative_rmse 0.072"));
        QCOMPARE(found[1], "max_abs 1");
        QCOMPARE(found[2], "max_rel 1");
        QCOMPARE(found[3], "max_ulp 1024");
        QVERIFY(buildVerdict(*a, *b, *compareBundles(*a, *b, {})).worst.empty());
        // Of two types there are no steps: none is the worst, and none keeps a limit.
        const BundlePtr wide = checkpointOf("F32", 10, bytesOf(std::vector<float>(10, 1.5F)));
        const BundlePtr narrow = checkpointOf("F16", 10, kTen);
        for (const WorstFigure &worst : buildVerdict(*narrow, *wide, whole(narrow, wide)).worst)
            QVERIFY(worst.measure != "max_ulp");
        DiffLimits steps;
        steps.values.maxUlp = 1e9;
        QCOMPARE(faultsOf(narrow, wide, steps), (Texts{"w max_ulp of two types"}));
    }

    /// As the one assessment has them: every weight counts once on every chip.
    void outcomes()
    {
        const BundlePtr a = *sampleBundle("dense-fp16").open(), b = *sampleBundle("lut4").open();
        const BuildVerdict verdict = buildVerdict(*a, *b, whole(a, b));
        QCOMPARE(verdict.chips.size(), target::targets().size());
        for (const ChipOutcome &chip : verdict.chips) {
            const BuildOutcome &outcome = chip.after;
            QCOMPARE(outcome.streams + outcome.folds + outcome.dense + outcome.rejected +
                         outcome.unknown,
                     b->weights().size());
            QCOMPARE(chip.before.dense + chip.before.rejected + chip.before.unknown,
                     a->weights().size());
        }
        QCOMPARE(*verdict.storedA, a->totals().storedBytes.value);
        QCOMPARE(*verdict.storedRatio, double(*verdict.storedB) / double(*verdict.storedA));
    }

    void places()
    {
        QCOMPARE(elementPlace({2, 3, 4}, 23), (std::vector<std::uint64_t>{1, 2, 3}));
        QCOMPARE(elementPlace({}, 0), std::vector<std::uint64_t>{});
    }

    /// Against a plain sort of all distances, for fewer and for more than there are.
    void worstPlaces()
    {
        const BundlePtr a = *sampleBundle("dense-fp16").open(), b = *sampleBundle("lut4").open();
        const auto from = decoded(*a, "w"), to = decoded(*b, "w");
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (from[i] != to[i])
                order.push_back(i);
        }
        std::ranges::stable_sort(order, [&](std::size_t x, std::size_t y) {
            return std::abs(from[x] - to[x]) > std::abs(from[y] - to[y]);
        });
        for (const std::size_t most : {std::size_t(0), std::size_t(5), std::size_t(1000)}) {
            const auto worst = VERIFIED(findWorstPlaces(*a, *b, {0, 0}, {most, most}));
            QCOMPARE(worst->worstElements.size(), std::min(most, order.size()));
            for (std::size_t i = 0; i < worst->worstElements.size(); ++i)
                QCOMPARE(std::size_t(worst->worstElements[i].element), order[i]);
            QCOMPARE(worst->channels, 8U);
            std::uint64_t different = 0;
            for (const ChannelDifference &channel : worst->worstChannels) {
                QCOMPARE(channel.elements, 8U);
                different += channel.different;
                QCOMPARE(channel.changed + channel.zeroed + channel.revived, channel.different);
            }
            if (most >= 8)
                QCOMPARE(different, std::uint64_t(order.size()));
        }
        constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
        const BundlePtr c = *denseBundle(halves({1, kNan, 3})).open();
        const BundlePtr d = *denseBundle(halves({9, 2, 3})).open();
        const auto wild = findWorstPlaces(*c, *d, {0, 0}, {9, 9});
        QCOMPARE(wild->worstElements.size(), 2U);
        QCOMPARE(wild->worstElements[0].element, 1U);
        QVERIFY(std::isinf(wild->worstChannels[0].maxAbs));
        QVERIFY(findWorstPlaces(*c, *c, {0, 0}, {9, 9})->worstElements.empty());
    }

    /// The elements of each bar of the histogram of steps are as many as the bar says, those
    /// furthest apart first; and those of each bin of both values.
    void chosenElements()
    {
        constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
        constexpr float kInf = std::numeric_limits<float>::infinity();
        const BundlePtr dense = *sampleBundle("dense-fp16").open(),
                        lut = *sampleBundle("lut4").open();
        const BundlePtr wild = *denseBundle(halves({1, kNan, 3, 0, -2, kNan, kInf, 5})).open();
        const BundlePtr tame = *denseBundle(halves({9, 2, 3, 4, 0, kNan, 1, kNan})).open();
        for (const auto &[a, b] : {std::pair(dense, lut), std::pair(wild, tame)}) {
            const auto values = VERIFIED(compareValues(*a, *b, {0, 0}, 0));
            const auto &counts = values->ulpHistogram;
            for (std::size_t bin = 0; bin < counts.size(); ++bin) {
                PlacesWanted wanted{0, 5, false, {}};
                const std::uint64_t first = bin == 0 ? 0 : std::uint64_t{1} << (bin - 1);
                wanted.only.steps = {first, bin + 1 == counts.size() ? UINT64_MAX
                                            : bin == 0               ? 0
                                                                     : 2 * first - 1};
                const auto found = VERIFIED(findWorstPlaces(*a, *b, {0, 0}, wanted));
                QCOMPARE(found->chosenElements, counts[bin]);
                QCOMPARE(found->worstElements.size(),
                         std::size_t(std::min<std::uint64_t>(counts[bin], 5)));
                for (std::size_t i = 1; i < found->worstElements.size(); ++i) {
                    const auto &x = found->worstElements[i - 1], &y = found->worstElements[i];
                    QVERIFY(!(std::abs(x.b - x.a) < std::abs(y.b - y.a)));
                }
            }
            const auto bins = findWorstPlaces(*a, *b, {0, 0}, {0, 0, true})->bins;
            for (std::size_t i = 0; i < PairBins::kBins; ++i) {
                if (bins->zeroed[i] == 0)
                    continue;
                PlacesWanted wanted{0, 1, false, {}};
                wanted.only.a = {bins->edge(i), bins->edge(i + 1), false};
                wanted.only.b = {0, 0, true};
                const auto found = findWorstPlaces(*a, *b, {0, 0}, wanted);
                QCOMPARE(found->chosenElements, bins->zeroed[i]);
            }
            const auto all = findWorstPlaces(*a, *b, {0, 0}, {0, 3});
            QCOMPARE(all->chosenElements, values->different());
        }
    }

    void kinds()
    {
        ComparedPair alone;
        alone.b = 3;
        QCOMPARE(severityOf(alone).kind, Kind::OneSided);
        ComparedPair pair = pairWith(4, 0, 0);
        QCOMPARE(severityOf(pair).kind, Kind::SameValues);
        pair.storedEqual = pair.layoutEqual = true;
        QCOMPARE(severityOf(pair).kind, Kind::Identical);
        QCOMPARE(severityOf(pairWith(3, 1, 0.5)), (PairSeverity{Kind::Differs, 0.5, 0.5, 1}));
        ComparedPair infinite = pairWith(3, 1, 0);
        ValueDifference values = *infinite.values;
        values.notFinite = 1;
        infinite.values = std::make_shared<const ValueDifference>(values);
        QCOMPARE(severityOf(infinite).kind, Kind::NotFinite);

        ComparedPair unknown;
        unknown.a = unknown.b = 0;
        unknown.shapeEqual = true;
        QCOMPARE(severityOf(unknown).kind, Kind::Unknown);
        unknown.storedEqual = unknown.layoutEqual = true;
        QCOMPARE(severityOf(unknown).kind, Kind::Identical); // known without the values
        unknown.storedEqual = false;
        unknown.fault = std::make_shared<const Error>();
        QCOMPARE(severityOf(unknown).kind, Kind::NotComparable);
        unknown.fault.reset();
        unknown.damaged = unknown.storedEqual = true; // nothing was read
        QCOMPARE(severityOf(unknown).kind, Kind::NotComparable);
        unknown.damaged = unknown.storedEqual = false;
        unknown.shapeEqual = false;
        QCOMPARE(severityOf(unknown).kind, Kind::NotComparable);
        unknown.reshaped = true;
        QCOMPARE(severityOf(unknown).kind, Kind::SameValues);

        ComparedPair part;
        part.a = part.b = 0;
        part.slice.emplace();
        part.shapeEqual = true;
        QCOMPARE(severityOf(part).kind, Kind::Unknown);
        part.values = pairWith(3, 1, 2).values;
        QCOMPARE(severityOf(part), (PairSeverity{Kind::Differs, 2, 2, 1}));
        part.values.reset();
        part.fault = std::make_shared<const Error>();
        QCOMPARE(severityOf(part).kind, Kind::NotComparable);
    }

    void order()
    {
        // A small weight that is far off comes before a large one that is not, whatever the
        // numbers.
        const std::vector<PairSeverity> severities{
            {Kind::Identical},        {Kind::Differs, 0.5, 9, 9}, {Kind::Differs, 2, 1, 1},
            {Kind::Differs, 2, 1, 9}, {Kind::NotComparable},      {Kind::OneSided},
            {Kind::SameValues},       {Kind::Differs, 0.5, 9, 9}, {Kind::NotFinite, 0.1, 0, 1},
            {Kind::Unknown}};
        QCOMPARE(worstFirst(severities), (std::vector<std::size_t>{4, 5, 8, 3, 2, 1, 7, 9, 6, 0}));
        for (const PairSeverity &x : severities) {
            for (const PairSeverity &y : severities)
                QCOMPARE(worse(x, y) || worse(y, x), x != y);
        }
        QVERIFY(worstFirst({}).empty());
    }
};

KERNSCOPE_TEST(TestDiffVerdict, QCoreApplication)
#include "tst_diff_verdict.moc"
