// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/find.h"
#include "made_bundle.h"
#include "tests/test_program.h"

using namespace kernscope::search;

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

QByteArray bytesOf(const std::vector<std::byte> &bytes)
{
    return QByteArray(reinterpret_cast<const char *>(bytes.data()), qsizetype(bytes.size()))
        .toHex();
}

} // namespace

/// Every place that fits, and no other.
/// The elements of largest magnitude.
/// What one types, as bytes to look for.
class TestFind : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const auto bundle = VERIFIED(twoWeights().open());
        m_bundle = *bundle;
        QCOMPARE(m_bundle->weights().size(), 2U);
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
        QCOMPARE(workOf(*m_bundle, query), 3U);
        query.weight = kNoIndex;
        QCOMPARE(workOf(*m_bundle, query), 11U);
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
        const auto row = addColumns<int, double, double, quint64, quint64, quint64, QString>();
        const auto none = quint64(kNoIndex);
        const QString pattern = u"search.pattern"_s;
        row("no bytes", int(What::Bytes), 0.0, 0.0, 1, 1, none, pattern);
        row("below 0", int(What::Value), 0.0, -1.0, 1, 1, none, pattern);
        row("tolerance NaN", int(What::Value), 0.0, double(kNan), 1, 1, none, pattern);
        row("value NaN", int(What::Value), double(kNan), 0.0, 1, 1, none, pattern);
        row("run of 0", int(What::ZeroValues), 0.0, 0.0, 0, 1, none, pattern);
        row("limit of 0", int(What::ZeroValues), 0.0, 0.0, 1, 0, none, pattern);
        row("no weight", int(What::Infinite), 0.0, 0.0, 1, 1, 2, "search.weight");
    }

    void wrongQueries()
    {
        const auto [what, value, tolerance, least, most, weight, code] =
            fetched<int, double, double, quint64, quint64, quint64, QString>();
        Query query = queryOf(static_cast<What>(what));
        query.value = value;
        query.tolerance = tolerance;
        query.least = least;
        query.most = most;
        query.weight = weight;
        const Error found = REFUSED(search::find(*m_bundle, query));
        QCOMPARE(QString::fromStdString(found.code), code);
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
        QCOMPARE((*bundle)->weights().size(), 2U);
        const auto all = VERIFIED(search::find(**bundle, queryOf(What::ZeroValues)));
        QCOMPARE(all->hits.size(), 1U);
        QCOMPARE(all->diagnostics.size(), 1U);
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
            QCOMPARE(REFUSED(search::find(*m_bundle, queryOf(what), &progress)).code,
                     "task.cancelled");
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

    /// Two weights: "a" dense fp16 [2, 4], "b" dense fp32 [3].
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
        QCOMPARE(all->hits.size(), 10U);
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

    void bytes_data()
    {
        const auto row = addColumns<QString, QByteArray, QByteArray>();
        row("ef be ad de", "efbeadde", "ffffffff");
        row("EFBEADDE", "efbeadde", "ffffffff");
        row("0xef, 0xbe", "efbe", "ffff");
        row("ef ?? de", "ef00de", "ff00ff");
        row("e? ?f", "e00f", "f00f");
        row("\tef\nbe ", "efbe", "ffff");
    }

    void bytes()
    {
        const auto [text, value, mask] = fetched<QString, QByteArray, QByteArray>();
        const auto pattern = VERIFIED(parseBytePattern(text.toStdString()));
        QCOMPARE(bytesOf(pattern->value), value);
        QCOMPARE(bytesOf(pattern->mask), mask);
    }

    void noBytes_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text : {"", " ", "e", "ef b", "0x", "ef be z0", "??", "?? ??", "ef-be"})
            addRow(*text ? text : "(empty)", QString::fromLatin1(text));
    }

    void noBytes()
    {
        QFETCH(QString, text);
        const Error pattern = REFUSED(parseBytePattern(text.toStdString()));
        QCOMPARE(pattern.code, "search.pattern");
        QVERIFY(!pattern.expected.empty());
    }

    void integers_data()
    {
        const auto row = addColumns<QString, uint, bool, QByteArray>();
        row("1", 1, false, "01");
        row("255", 1, false, "ff");
        row("-1", 1, false, "ff");
        row("-128", 1, false, "80");
        row("258", 2, false, "0201");
        row("258", 2, true, "0102");
        row("0xdeadbeef", 4, false, "efbeadde");
        row("0xdeadbeef", 4, true, "deadbeef");
        row("-2", 4, false, "feffffff");
        row("18446744073709551615", 8, false, "ffffffffffffffff");
        row("-9223372036854775808", 8, false, "0000000000000080");
        row("+7", 2, true, "0007");
    }

    void integers()
    {
        const auto [text, width, big, value] = fetched<QString, uint, bool, QByteArray>();
        const auto pattern = VERIFIED(integerPattern(text.toStdString(), width, big));
        QCOMPARE(bytesOf(pattern->value), value);
        QCOMPARE(bytesOf(pattern->mask), QByteArray(qsizetype(width) * 2, 'f'));
    }

    void noIntegers_data()
    {
        const auto row = addColumns<QString, uint, QString>();
        for (const char *text : {"", "-", "0x", "1.5", "1 2", "ten", "18446744073709551616", "--1"})
            row(text, 8, "search.pattern");
        row("256", 1, "search.width");
        row("-129", 1, "search.width");
        row("65536", 2, "search.width");
        row("-9223372036854775809", 8, "search.width");
        row("1", 3, "search.width");
        row("1", 0, "search.width");
    }

    void noIntegers()
    {
        const auto [text, width, code] = fetched<QString, uint, QString>();
        const Error pattern = REFUSED(integerPattern(text.toStdString(), width, false));
        QCOMPARE(QString::fromStdString(pattern.code), code);
    }

    void texts()
    {
        QCOMPARE(bytesOf(textPattern("A\xc3\xa9")->value), "41c3a9"_ba);
        QVERIFY(!textPattern(""));
    }

    void fits()
    {
        const auto pattern = VERIFIED(parseBytePattern("a? ?? 0c"));
        const std::vector<std::byte> good{std::byte{0xAF}, std::byte{0x33}, std::byte{0x0C}};
        std::vector<std::byte> bad = good;
        bad[2] = std::byte{0x1C};
        QVERIFY(pattern->fits(good));
        QVERIFY(!pattern->fits(bad));
    }

private:
    Places find(const Query &query) const
    {
        const auto found = search::find(*m_bundle, query);
        return found ? placesOf(*found) : Places{{UINT64_MAX, 0}};
    }

    BundlePtr m_bundle;
};

KERNSCOPE_TEST(TestFind, NoApplication)
#include "tst_find.moc"
