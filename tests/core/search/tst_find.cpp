// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "made_bundle.h"

#include "core/search/find.h"
#include "core/search/pattern.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::search;
using namespace kernscope::test;

namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Places = std::vector<std::pair<std::uint64_t, std::uint64_t>>; ///< offset or element, length

Places placesOf(const Found &found)
{
    Places places;
    for (const Hit &hit : found.hits)
        places.emplace_back(hit.element ? *hit.element : hit.bytes.offset.value,
                            hit.element ? hit.count : hit.bytes.bytes.value);
    return places;
}

/// Two weights: "a" dense fp16 [2, 4], "b" dense fp32 [3].
MadeBundle twoWeights()
{
    MadeBundle made;
    made.weight("a", "[2, 4]", halves({0.3F, 0, 0, 0, kNan, -kInfinite, 0, 0.3F}));
    made.weight("b", "[3]", hex("9a 99 99 3e 00 00 80 7f 00 00 00 00"), ElementType::Fp32);
    made.consume("a");
    made.consume("b");
    return made;
}

Query queryOf(What what)
{
    Query query;
    query.what = what;
    return query;
}

} // namespace

/// Every place that fits, and no other.
class TestFind : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const auto bundle = VERIFIED(twoWeights().open());
        m_bundle = *bundle;
        QCOMPARE(m_bundle->weights().size(), std::size_t{2});
    }

    /// 0.3 is no fp16 and no fp32: what either type makes of it is found.
    void values()
    {
        Query query = queryOf(What::Value);
        query.value = 0.3;
        const auto found = VERIFIED(search::find(*m_bundle, query));
        QCOMPARE(placesOf(*found), (Places{{0, 1}, {7, 1}, {0, 1}}));
        QCOMPARE(found->hits[0].weight, std::size_t{0});
        QCOMPARE(found->hits[2].weight, std::size_t{1});
        QCOMPARE(*found->hits[2].value, double(0.3F));
        QVERIFY(found->complete && found->diagnostics.empty());
    }

    void valuesWithin()
    {
        Query query = queryOf(What::Value);
        query.value = 0.3;
        query.tolerance = 0;
        QCOMPARE(find(query), Places{});
        query.tolerance = 1e-7; // the fp32 one only
        QCOMPARE(find(query), (Places{{0, 1}}));
        query.tolerance = 0.301;
        QCOMPARE(find(query).size(), std::size_t{8}); // and zeros, but no infinity and no NaN
    }

    void specialValues()
    {
        QCOMPARE(find(queryOf(What::NotANumber)), (Places{{4, 1}}));
        QCOMPARE(find(queryOf(What::Infinite)), (Places{{5, 1}, {1, 1}}));
        Query infinite = queryOf(What::Value);
        infinite.value = -std::numeric_limits<double>::infinity();
        QCOMPARE(find(infinite), (Places{{5, 1}}));
    }

    void runsOfZeros()
    {
        Query query = queryOf(What::ZeroValues);
        QCOMPARE(find(query), (Places{{1, 3}, {6, 1}, {2, 1}}));
        query.least = 2;
        QCOMPARE(find(query), (Places{{1, 3}}));
        query.least = 4;
        QCOMPARE(find(query), Places{});
    }

    void runsGoOverBlocks()
    {
        constexpr std::size_t kElements = 50000, kFirst = 16000, kCount = 20000;
        Bytes values(2 * kElements, std::byte{0x3c});
        std::fill_n(values.begin() + 2 * kFirst, 2 * kCount, std::byte{0});
        MadeBundle made;
        made.layer("w", "[50000]", values);
        const auto bundle = VERIFIED(made.open());
        Query query = queryOf(What::ZeroValues);
        const auto found = VERIFIED(search::find(**bundle, query));
        QCOMPARE(placesOf(*found), (Places{{kFirst, kCount}}));
    }

    void oneWeight()
    {
        Query query = queryOf(What::Value);
        query.value = 0.3;
        query.weight = 1;
        QCOMPARE(find(query), (Places{{0, 1}}));
        QCOMPARE(workOf(*m_bundle, query), std::uint64_t{3});
        query.weight = kNoIndex;
        QCOMPARE(workOf(*m_bundle, query), std::uint64_t{11});
    }

    void bytesOfTheFiles()
    {
        Query query = queryOf(What::Bytes);
        query.pattern = *parseBytePattern("9a 99 ?? 3e");
        const auto found = VERIFIED(search::find(*m_bundle, query));
        QCOMPARE(found->hits.size(), std::size_t{1});
        const Hit &hit = found->hits[0];
        QCOMPARE(hit.bytes.offset, m_bundle->weights()[1].operands()[0].place->dataOffset);
        QCOMPARE(hit.weight, std::size_t{1});
        QVERIFY(m_bundle->sections()[hit.section].range.contains(hit.bytes.offset));
        // The sentinel stands before every record, and belongs to no weight's bytes.
        query.pattern = *integerPattern("0xdeadbeef", 4, false);
        QCOMPARE(find(query).size(), std::size_t{2});
        query.pattern = *textPattern("const()");
        const QByteArray program = QByteArray::fromStdString(twoWeights().text());
        QVERIFY(program.count("const()") > 1);
        QCOMPARE(qsizetype(find(query).size()), program.count("const()"));
    }

    void bytesOfAWeight()
    {
        Query query = queryOf(What::ZeroBytes);
        query.weight = 0;
        query.least = 6;
        const std::uint64_t first = m_bundle->weights()[0].operands()[0].place->dataOffset.value;
        QCOMPARE(find(query), (Places{{first + 2, 7}})); // the low byte of the NaN is 0 as well
        query.weight = 1;
        query.least = 3;
        // The run at its end stops where the weight does.
        const std::uint64_t other = m_bundle->weights()[1].operands()[0].place->dataOffset.value;
        QCOMPARE(find(query), (Places{{other + 8, 4}}));
    }

    void patternsAgreeWithTheirDefinition()
    {
        QRandomGenerator random(14);
        for (int round = 0; round < 60; ++round) {
            // Few different bytes, so that patterns often fit; more than one step of the scan.
            Bytes bytes(round == 0 ? (1U << 20U) + 5000 : 1 + unsigned(random.bounded(400)));
            for (std::byte &byte : bytes)
                byte = static_cast<std::byte>(random.bounded(3));
            BytePattern pattern;
            const int length = 1 + random.bounded(4);
            for (int i = 0; i < length; ++i) {
                static constexpr std::byte kMasks[] = {std::byte{0xFF}, std::byte{0},
                                                       std::byte{0x0F}, std::byte{0xF0}};
                const std::byte mask = kMasks[random.bounded(4)];
                pattern.mask.push_back(mask);
                pattern.value.push_back(static_cast<std::byte>(random.bounded(3)) & mask);
            }
            const std::uint64_t begin = std::uint64_t(random.bounded(int(bytes.size())));
            const ByteRange range{
                FileOffset(begin),
                ByteCount(std::uint64_t(random.bounded(int(bytes.size() - begin))) + 1)};
            Places wanted, got;
            for (std::uint64_t at = begin; at + pattern.size() <= range.end(); ++at) {
                if (pattern.fits(std::span(bytes).subspan(at)))
                    wanted.emplace_back(at, pattern.size());
            }
            Progress progress;
            QVERIFY(scanPattern(
                bytes, range, pattern,
                [&got](std::uint64_t at, std::uint64_t size) {
                    got.emplace_back(at, size);
                    return true;
                },
                &progress));
            QCOMPARE(got, wanted);
        }
    }

    void zerosAgreeWithTheirDefinition()
    {
        QRandomGenerator random(15);
        for (int round = 0; round < 60; ++round) {
            Bytes bytes(round == 0 ? (1U << 20U) + 5000 : 1 + unsigned(random.bounded(400)));
            for (std::byte &byte : bytes)
                byte = static_cast<std::byte>(random.bounded(5) == 0);
            if (round == 0)
                std::fill(bytes.begin() + 1000, bytes.end() - 100, std::byte{0});
            const std::uint64_t least = 1 + random.bounded(6U);
            Places wanted, got;
            for (std::uint64_t at = 0; at < bytes.size();) {
                std::uint64_t end = at;
                while (end < bytes.size() && bytes[end] == std::byte{0})
                    ++end;
                if (end - at >= least)
                    wanted.emplace_back(at, end - at);
                at = end + 1;
            }
            QVERIFY(scanZeros(
                bytes, {FileOffset(0), ByteCount(bytes.size())}, least,
                [&got](std::uint64_t at, std::uint64_t size) {
                    got.emplace_back(at, size);
                    return true;
                },
                nullptr));
            QCOMPARE(got, wanted);
        }
    }

    void limits()
    {
        Query query = queryOf(What::ZeroValues);
        query.most = 2;
        auto found = search::find(*m_bundle, query);
        QVERIFY(found && !found->complete);
        QCOMPARE(placesOf(*found), (Places{{1, 3}, {6, 1}}));
        query.most = 3;
        found = search::find(*m_bundle, query);
        QVERIFY(found && found->complete);
    }

    void wrongQueries_data()
    {
        QTest::addColumn<int>("what");
        QTest::addColumn<double>("value");
        QTest::addColumn<double>("tolerance");
        QTest::addColumn<quint64>("least");
        QTest::addColumn<quint64>("most");
        QTest::addColumn<quint64>("weight");
        QTest::addColumn<QString>("code");
        const auto none = quint64(kNoIndex);
        const QString pattern = u"search.pattern"_s;
        addRow("no bytes", int(What::Bytes), 0.0, 0.0, quint64(1), quint64(1), none, pattern);
        addRow("below 0", int(What::Value), 0.0, -1.0, quint64(1), quint64(1), none, pattern);
        addRow("tolerance NaN", int(What::Value), 0.0, double(kNan), quint64(1), quint64(1), none,
               pattern);
        addRow("value NaN", int(What::Value), double(kNan), 0.0, quint64(1), quint64(1), none,
               pattern);
        addRow("run of 0", int(What::ZeroValues), 0.0, 0.0, quint64(0), quint64(1), none, pattern);
        addRow("limit of 0", int(What::ZeroValues), 0.0, 0.0, quint64(1), quint64(0), none,
               pattern);
        addRow("no weight", int(What::Infinite), 0.0, 0.0, quint64(1), quint64(1), quint64(2),
               u"search.weight"_s);
    }

    void wrongQueries()
    {
        QFETCH(int, what);
        QFETCH(double, value);
        QFETCH(double, tolerance);
        QFETCH(quint64, least);
        QFETCH(quint64, most);
        QFETCH(quint64, weight);
        Query query = queryOf(static_cast<What>(what));
        query.value = value;
        query.tolerance = tolerance;
        query.least = least;
        query.most = most;
        query.weight = weight;
        const Error found = REFUSED(search::find(*m_bundle, query));
        QTEST(QString::fromStdString(found.code), "code");
    }

    /// A weight that cannot be decoded is named, and the others are searched.
    void damagedWeights()
    {
        MadeBundle made;
        made.constant("tensor<fp16, [4]>", "bad", MadeBundle::blobAt("fp16", "[4]", 0xfff0));
        made.weight("good", "[2]", halves({0, 1}));
        made.consume("bad");
        made.consume("good");
        const auto bundle = VERIFIED(made.open());
        QCOMPARE((*bundle)->weights().size(), std::size_t{2});
        const auto all = VERIFIED(search::find(**bundle, queryOf(What::ZeroValues)));
        QCOMPARE(all->hits.size(), std::size_t{1});
        QCOMPARE(all->diagnostics.size(), std::size_t{1});
        QVERIFY(all->diagnostics[0].severity == Severity::Error);
        QVERIFY(all->diagnostics[0].error.message.find("bad") != std::string::npos);
        Query one = queryOf(What::ZeroValues);
        one.weight = (*bundle)->weights()[0].fault ? 0 : 1;
        QVERIFY(!search::find(**bundle, one));
    }

    void stops()
    {
        for (const What what : {What::ZeroBytes, What::ZeroValues}) {
            Progress progress;
            progress.cancel();
            const Error found = REFUSED(search::find(*m_bundle, queryOf(what), &progress));
            QCOMPARE(found.code, "task.cancelled");
        }
    }

    void addresses()
    {
        QCOMPARE(elementAddress(m_bundle->weights()[0], 6), "a[1,2]");
        QCOMPARE(elementAddress(m_bundle->weights()[1], 2), "b[2]");
        Query query = queryOf(What::Bytes);
        query.pattern = *parseBytePattern("9a 99 99 3e");
        const auto found = search::find(*m_bundle, query);
        QVERIFY(found && found->hits.size() == 1);
        const std::string address = byteAddress(*m_bundle, found->hits[0]);
        QVERIFY(address.find("weights/weight.bin:0x") == 0);
    }

private:
    Places find(const Query &query) const
    {
        const auto found = search::find(*m_bundle, query);
        return found ? placesOf(*found) : Places{{UINT64_MAX, 0}};
    }

    BundlePtr m_bundle;
};

KERNSCOPE_TEST(TestFind, kernscope::test::NoApplication)
#include "tst_find.moc"
