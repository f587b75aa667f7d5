// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "made_bundle.h"

#include "core/search/find.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::search;
using namespace kernscope::test;

/// The elements of largest magnitude.
class TestLargest : public QObject
{
    Q_OBJECT

private slots:
    /// Two weights: "a" dense fp16 [2, 4], "b" dense fp32 [3].
    void initTestCase()
    {
        constexpr float kInfinite = std::numeric_limits<float>::infinity();
        constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
        MadeBundle made;
        made.weight("a", "[2, 4]", halves({0.3F, 0, 0, 0, kNan, -kInfinite, 0, 0.3F}));
        made.weight("b", "[3]", hex("9a 99 99 3e 00 00 80 7f 00 00 00 00"), ElementType::Fp32);
        made.consume("a");
        made.consume("b");
        const auto bundle = VERIFIED(made.open());
        m_bundle = *bundle;
    }

    /// The largest first, over all weights; infinities count and NaN does not.
    void overAllWeights()
    {
        Query query = Query();
        query.what = What::Largest;
        query.most = 4;
        const auto found = VERIFIED(search::find(*m_bundle, query));
        QVERIFY(!found->complete);
        const auto &weights = m_bundle->weights();
        std::vector<std::pair<std::string, std::uint64_t>> places;
        for (const Hit &hit : found->hits)
            places.emplace_back(weights[hit.weight].name, *hit.element);
        const std::vector<std::pair<std::string, std::uint64_t>> expected{
            {"a", 5}, {"b", 1}, {"b", 0}, {"a", 0}};
        QCOMPARE(places.size(), expected.size());
        // Of equals the first; fp16 and fp32 make a different number of 0.3.
        QCOMPARE(places[0], expected[0]);
        QCOMPARE(places[1], expected[1]);
        QVERIFY(std::abs(*found->hits[2].value) >= std::abs(*found->hits[3].value));
        // Against the definition: all elements that are no NaN, sorted.
        query.most = 100;
        const auto all = search::find(*m_bundle, query);
        QVERIFY(all && all->complete);
        QCOMPARE(all->hits.size(), std::size_t{10});
        for (std::size_t i = 1; i < all->hits.size(); ++i) {
            const Hit &a = all->hits[i - 1], &b = all->hits[i];
            const double more = std::abs(*a.value), less = std::abs(*b.value);
            QVERIFY(more > less || (more == less && std::pair(a.weight, *a.element) <
                                                        std::pair(b.weight, *b.element)));
        }
        for (std::size_t i = 0; i < found->hits.size(); ++i)
            QCOMPARE(*found->hits[i].element, *all->hits[i].element);
        query.most = 0;
        QVERIFY(!search::find(*m_bundle, query));
    }

    /// Any number kept, against the definition.
    void keepsTheFirstOfEquals()
    {
        for (std::size_t most = 1; most < 8; ++most) {
            Largest largest(most);
            for (std::uint64_t element = 0; element < 6; ++element)
                largest.take(element / 3, element, {element % 2 ? -2.0 : 2.0, {}});
            QCOMPARE(largest.complete(), most >= 6);
            const std::vector<Hit> hits = largest.take();
            QCOMPARE(hits.size(), std::min<std::size_t>(most, 6));
            for (std::size_t i = 0; i < hits.size(); ++i)
                QCOMPARE(*hits[i].element, std::uint64_t(i));
        }
    }

    void typedWideIntegers()
    {
        for (const char *none :
             {"", "-", "3", "-9007199254740992", "9007199254740993.0", "1e18",
              "18446744073709551616", "-9223372036854775809", "0x40000000000000001"})
            QVERIFY2(!wideInteger(none), none);
        for (const char *some :
             {"9007199254740993", "-9223372036854775808", "18446744073709551615"})
            QCOMPARE(wideInteger(some)->text(), std::string(some));
        QCOMPARE(wideInteger("+9007199254740993")->text(), "9007199254740993");
        QCOMPARE(wideInteger(-1, true)->text(), "18446744073709551615");
        QVERIFY(!wideInteger(-1, false));
    }

private:
    BundlePtr m_bundle;
};

KERNSCOPE_TEST(TestLargest, kernscope::test::NoApplication)
#include "tst_largest.moc"
