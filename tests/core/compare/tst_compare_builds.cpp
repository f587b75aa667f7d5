// SPDX-License-Identifier: GPL-3.0-or-later
#include "diff_sample.h"
#include "plain_figures.h"

namespace {

BundlePtr sampleOf(const char *form)
{
    return *sampleBundle(form).open();
}

/// What the comparisons of these builds have decoded, weight by weight.
std::vector<std::uint64_t> decodedInAll(const std::vector<Difference> &all, std::size_t weight)
{
    std::vector<std::uint64_t> decoded;
    for (const Difference &one : all) {
        for (const ComparedPair &pair : one.weights) {
            if (pair.a == weight && pair.values)
                decoded.push_back(pair.values->decoded);
        }
    }
    return decoded;
}

std::vector<Difference> compareAll(const BundlePtr &base, const std::vector<BundlePtr> &builds)
{
    std::vector<const Bundle *> others;
    for (const BundlePtr &build : builds)
        others.push_back(build.get());
    const std::vector<DiffOptions> options(builds.size(), withValues());
    return *compareBuilds(*base, others, options);
}

} // namespace

/// Several builds against one base: the answers of single comparisons.
class TestCompareBuilds : public QObject
{
    Q_OBJECT

private slots:
    void asOneByOne()
    {
        for (const SampleForm &form : sampleForms()) {
            const BundlePtr base = sampleOf(form.name.c_str());
            const std::vector<BundlePtr> builds{sampleOf("lut4"), sampleOf("dense-fp32"),
                                                sampleOf("sparse"), base};
            const auto all = compareAll(base, builds);
            QCOMPARE(all.size(), builds.size());
            for (std::size_t i = 0; i < builds.size(); ++i) {
                const Difference alone = whole(base, builds[i]);
                QCOMPARE(all[i].identical, alone.identical);
                QCOMPARE(all[i].weights.size(), alone.weights.size());
                for (std::size_t k = 0; k < alone.weights.size(); ++k) {
                    const ComparedPair &pair = all[i].weights[k], &expected = alone.weights[k];
                    QCOMPARE(pair.values.has_value(), expected.values.has_value());
                    const std::string wrong = disagreement(*pair.values, *expected.values);
                    QVERIFY2(wrong.empty(), wrong.c_str());
                    QCOMPARE(pair.step, expected.step);
                    QCOMPARE(verdict(pair, *base, *builds[i]),
                             verdict(expected, *base, *builds[i]));
                }
            }
        }
    }

    void sameBytesAreNotDecoded()
    {
        const BundlePtr base = sampleOf("dense-fp16");
        const auto all = compareAll(base, {base, sampleOf("lut4"), sampleOf("dense-fp16")});
        QCOMPARE(decodedInAll(all, 0), (std::vector<std::uint64_t>{0, 128, 0}));
        QCOMPARE(decodedInAll(all, 1),
                 (std::vector<std::uint64_t>{0, 0, 0})); // "behind" is in all alike
        for (const SampleForm &form : sampleForms()) {
            const Difference self = whole(sampleOf(form.name.c_str()), sampleOf(form.name.c_str()));
            for (const ComparedPair &pair : self.weights)
                QCOMPARE(pair.values->decoded, 0U);
        }
    }

    void shapesThatDiffer()
    {
        const BundlePtr base = *denseBundle(kTen).open();
        const auto all =
            compareAll(base, {*denseBundle(kTwelve).open(), *denseBundle(kOtherTen).open()});
        QVERIFY(!all[0].weights.front().values && !all[0].weights.front().shapeEqual);
        QCOMPARE(all[1].weights.front().values->changed, 2U);
    }

    void cancelled()
    {
        const BundlePtr base = sampleOf("dense-fp16"), build = sampleOf("lut4");
        const std::vector<const Bundle *> builds{build.get(), build.get()};
        const std::vector<DiffOptions> options(2, withValues());
        Progress progress;
        progress.cancel();
        const Error all = REFUSED(compareBuilds(*base, builds, options, &progress));
        QCOMPARE(all.code, "task.cancelled");
    }
};

KERNSCOPE_TEST(TestCompareBuilds, QCoreApplication)
#include "tst_compare_builds.moc"
