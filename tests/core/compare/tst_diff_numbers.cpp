// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/worst_places.h"
#include "diff_sample.h"
#include "plain_figures.h"
#include "tests/data/data_folder.h"

namespace {

/// Bit patterns of a floating-point type: both zeros, the ends of the subnormals and of the normal
/// numbers, 1 and what is beside it, infinities, and NaN with several payloads and both signs.
Bytes specialCodes(ElementType type)
{
    const unsigned fraction = type == ElementType::Fp64   ? 52
                              : type == ElementType::Fp32 ? 23
                              : type == ElementType::Bf16 ? 7
                                                          : 10;
    const unsigned width = bitWidth(type);
    const std::uint64_t infinity =
        (std::uint64_t{1} << (width - 1)) - (std::uint64_t{1} << fraction);
    const std::uint64_t least = std::uint64_t{1} << fraction;
    const std::uint64_t one = (((std::uint64_t{1} << (width - 2 - fraction)) - 1) << fraction);
    Bytes bytes;
    for (const std::uint64_t magnitude :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, least - 1, least, least + 1,
          one - 1, one, one + 1, infinity - 1, infinity, infinity + 1, infinity + least / 2,
          infinity + least - 1}) {
        for (const std::uint64_t sign : {std::uint64_t{0}, std::uint64_t{1} << (width - 1)}) {
            for (unsigned shift = 0; shift < width; shift += 8)
                bytes.push_back(static_cast<std::byte>((magnitude | sign) >> shift & 0xFF));
        }
    }
    return bytes;
}

/// Every code of one list against every code of the other.
std::pair<Bytes, Bytes> crossed(ElementType typeA, ElementType typeB)
{
    const Bytes a = specialCodes(typeA), b = specialCodes(typeB);
    const std::size_t wideA = bitWidth(typeA) / 8, wideB = bitWidth(typeB) / 8;
    std::pair<Bytes, Bytes> both;
    for (std::size_t i = 0; i < a.size(); i += wideA) {
        for (std::size_t k = 0; k < b.size(); k += wideB) {
            both.first.insert(both.first.end(), a.begin() + std::ptrdiff_t(i),
                              a.begin() + std::ptrdiff_t(i + wideA));
            both.second.insert(both.second.end(), b.begin() + std::ptrdiff_t(k),
                               b.begin() + std::ptrdiff_t(k + wideB));
        }
    }
    return both;
}

constexpr std::uint64_t kTwo53 = std::uint64_t{1} << 53;
constexpr std::uint64_t kTwo63 = std::uint64_t{1} << 63;

BundlePtr unsignedOf(const std::vector<std::uint64_t> &values)
{
    return checkpointOf("U64", values.size(), bytesOf(values));
}

BundlePtr signedOf(const std::vector<std::int64_t> &values)
{
    return checkpointOf("I64", values.size(), bytesOf(values));
}

BundlePtr doublesOf(const std::vector<double> &values)
{
    return checkpointOf("F64", values.size(), bytesOf(values));
}

ValueDifference figuresOf(const BundlePtr &a, const BundlePtr &b, double tolerance = 0)
{
    return *compareValues(*a, *b, {0, 0}, tolerance);
}

WorstPlaces placesOf(const BundlePtr &a, const BundlePtr &b)
{
    PlacesWanted wanted;
    wanted.channels = wanted.elements = 10;
    wanted.bins = true;
    return *findWorstPlaces(*a, *b, {0, 0}, wanted);
}

bool near(double found, double expected)
{
    return std::abs(found - expected) <= 1e-12 * std::abs(expected);
}

QByteArray check(const Bundle &a, std::size_t weightA, const Bundle &b, std::size_t weightB)
{
    return QByteArray::fromStdString(disagreement(a, weightA, b, weightB));
}

/// One dense weight of that type over raw bytes.
BundlePtr rawBundle(ElementType type, const Bytes &bytes)
{
    MadeBundle made = typedBundle(type, bytes);
    made.consume("w");
    return made.open().value_or(nullptr);
}

constexpr std::array kTypes{ElementType::Fp16,   ElementType::Fp32,  ElementType::Bf16,
                            ElementType::Int8,   ElementType::Uint8, ElementType::Int16,
                            ElementType::Uint16, ElementType::Int32, ElementType::Uint32};

} // namespace

/// Numbers that comparisons are known to get wrong, very large weights and very small ones.
/// Numbers that doubles do not hold, or whose squares they do not hold.
/// Every figure of a comparison against plain double arithmetic from the definitions.
class TestDiffNumbers : public QObject
{
    Q_OBJECT

private slots:
    void specialNumbers_data()
    {
        addColumns<int, int>();
        for (const auto a :
             {ElementType::Fp16, ElementType::Bf16, ElementType::Fp32, ElementType::Fp64}) {
            for (const auto b :
                 {ElementType::Fp16, ElementType::Bf16, ElementType::Fp32, ElementType::Fp64})
                QTest::addRow("%s %s", std::string(elementTypeName(a)).c_str(),
                              std::string(elementTypeName(b)).c_str())
                    << int(a) << int(b);
        }
    }

    /// NaN payloads, signed zeros, subnormals and infinities, each against each.
    void specialNumbers()
    {
        const auto [a, b] = fetched<int, int>();
        const auto [from, to] = crossed(static_cast<ElementType>(a), static_cast<ElementType>(b));
        const auto file = [](int type, const Bytes &bytes) {
            const auto of = static_cast<ElementType>(type);
            return checkpointOf(of == ElementType::Fp64   ? "F64"
                                : of == ElementType::Fp32 ? "F32"
                                : of == ElementType::Bf16 ? "BF16"
                                                          : "F16",
                                8 * bytes.size() / bitWidth(of), bytes);
        };
        const BundlePtr one = file(a, from), two = file(b, to);
        QVERIFY(one && two);
        const std::string wrong = disagreement(*one, 0, *two, 0);
        QVERIFY2(wrong.empty(), wrong.c_str());
        const auto found = *compareValues(*one, *two, {0, 0}, 0);
        if (a != b)
            return;
        // Equal pairs by counting: both zeros (4), six kinds of NaN (36), others with themselves.
        const std::uint64_t codes = specialCodes(static_cast<ElementType>(a)).size() /
                                    (bitWidth(static_cast<ElementType>(a)) / 8);
        QCOMPARE(found.equal, std::uint64_t{4 + 36} + (codes - 2 - 6));
        QCOMPARE(found.elements(), codes * codes);
    }

    /// Renamed weights that differ in the payloads of NaN and the signs of zeros hold the same.
    void payloadsAndSignsPairByContent()
    {
        const BundlePtr a =
            *typedBundle(ElementType::Fp16, hex("007e 0000 003c 01fe 0080 0140"), "x").open();
        const BundlePtr b =
            *typedBundle(ElementType::Fp16, hex("55ff 0080 003c 017c 0000 0140"), "y").open();
        const Difference difference = whole(a, b);
        QCOMPARE(difference.weights.size(), 1U);
        const ComparedPair &pair = difference.weights.front();
        QCOMPARE(pair.pairing, Pairing::Content);
        QCOMPARE(pair.content, ContentKind::Exact);
        QVERIFY(pair.values->identical() && pair.values->faithful() && !pair.storedEqual);
        QCOMPARE(verdict(pair, *a, *b), "same values");
    }

    /// Integers of 64 bits against shorter ones: distances that no double holds, both ways round.
    void longAgainstShortIntegers()
    {
        const std::vector<std::int64_t> wide{(std::int64_t{1} << 62) + 1,
                                             -(std::int64_t{1} << 60) - 3, 7, 0};
        const BundlePtr a = checkpointOf("I64", 4, bytesOf(wide));
        const BundlePtr b =
            checkpointOf("I32", 4, bytesOf(std::vector<std::int32_t>{5, 11, 7, -4}));
        QVERIFY(a && b);
        for (const bool swapped : {false, true}) {
            const auto found =
                VERIFIED(compareValues(swapped ? *b : *a, swapped ? *a : *b, {0, 0}, 0));
            QCOMPARE(found->maxUlp, (std::uint64_t{1} << 62) - 4);
            QCOMPARE(found->equal, 1U);
            QCOMPARE(found->changed, 2U);
            QCOMPARE(swapped ? found->zeroed : found->revived, 1U);
        }
        // Unsigned ones of 8 bits above 127 are no negative numbers.
        const std::vector<std::int64_t> more{200, (std::int64_t{1} << 53) + 1};
        const BundlePtr c = checkpointOf("I64", 2, bytesOf(more));
        const BundlePtr d = checkpointOf("U8", 2, bytesOf(std::vector<std::uint8_t>{200, 255}));
        QVERIFY(c && d);
        const auto found = VERIFIED(compareValues(*c, *d, {0, 0}, 0));
        QCOMPARE(found->equal, 1U);
        QCOMPARE(found->maxUlp, (std::uint64_t{1} << 53) - 254);
    }

    /// fp32 weights that differ below the last place of fp16, or that fp16 takes for infinite, are
    /// not paired as the same values.
    void contentIsExactOnlyWhereItIs()
    {
        std::mt19937 random(3);
        std::vector<float> from(512), to;
        for (float &value : from)
            value = float(random() % 4000) / 4000.0F + 1.0F;
        to = from;
        for (float &value : to)
            value = std::nextafter(value, 1e9F);
        const auto pairOf = [](const std::vector<float> &x, const std::vector<float> &y) {
            const BundlePtr a = *typedBundle(ElementType::Fp32, bytesOf(x), "x").open();
            const BundlePtr b = *typedBundle(ElementType::Fp32, bytesOf(y), "y").open();
            auto paired = pairWeights(*a, *b).pairs;
            const std::string reason = paired.empty() ? "" : pairingReason(*a, *b, paired.front());
            return std::pair(paired.empty() ? ComparedPair() : paired.front(), reason);
        };
        const auto same = pairOf(from, from);
        QCOMPARE(same.first.content, ContentKind::Exact);
        QCOMPARE(same.second, "the same decoded values");
        const auto near = pairOf(from, to);
        QCOMPARE(near.first.pairing, Pairing::Content);
        QCOMPARE(near.first.content, ContentKind::Nearest);
        QCOMPARE(near.second, "the same decoded values, rounded to fp16");
        for (float &value : from)
            value *= 1e6F;
        for (float &value : to)
            value = float(random() % 4000) * 1e6F;
        QVERIFY(pairOf(from, to).first.content != ContentKind::Exact);
    }

    /// Of a large weight a part is looked at to find its partner: the words say so, and what the
    /// comparison of all values finds corrects them.
    void sampledContent()
    {
        std::mt19937 random(5);
        std::vector<std::uint16_t> from(1u << 18);
        for (std::uint16_t &code : from)
            code = std::uint16_t(0x3000 + random() % 0x800);
        std::vector<std::uint16_t> to = from;
        to[5000] ^= 1; // between the runs that are looked at
        const BundlePtr a = *typedBundle(ElementType::Fp16, bytesOf(from), "x").open();
        const BundlePtr b = *typedBundle(ElementType::Fp16, bytesOf(to), "y").open();
        const auto paired = pairWeights(*a, *b).pairs;
        QCOMPARE(paired.size(), 1U);
        QCOMPARE(paired.front().pairing, Pairing::Content);
        const std::string before = pairingReason(*a, *b, paired.front());
        QCOMPARE(before, "the same values in the 65,536 elements looked at");
        const Difference difference = whole(a, b);
        const ComparedPair &pair = difference.weights.front();
        QCOMPARE(pair.values->changed, 1U);
        QCOMPARE(pair.content, ContentKind::Nearest);
        QCOMPARE(pairingReason(*a, *b, pair), before);
        const Difference self =
            whole(a, *typedBundle(ElementType::Fp16, bytesOf(from), "z").open());
        QCOMPARE(self.weights.front().content, ContentKind::Exact);
        QCOMPARE(pairingReason(*a, *a, self.weights.front()), "the same decoded values");
    }

    void oneElement()
    {
        for (const char *shape : {"[1]", "[]", "[1, 1, 1, 1]"}) {
            const auto build = [&](float value) {
                MadeBundle made;
                made.layer("w", shape, halves({value}));
                return made.open();
            };
            const auto a = build(2), b = build(3), c = build(2);
            QVERIFY(a && b && c);
            QVERIFY(whole(*a, *c).identical);
            const Difference difference = whole(*a, *b);
            const ComparedPair &pair = difference.weights.front();
            QVERIFY(pair.values);
            QCOMPARE(pair.values->changed, 1U);
            QCOMPARE(pair.values->maxAbs, 1.0);
            QCOMPARE(pair.values->worst->element, 0U);
            const std::string wrong = disagreement(**a, 0, **b, 0);
            QVERIFY2(wrong.empty(), wrong.c_str());
            const auto places = VERIFIED(findWorstPlaces(**a, **b, {0, 0}, {10, 10, true}));
            QCOMPARE(places->worstElements.size(), 1U);
            QCOMPARE(places->channels, 1U);
        }
    }

    /// The figures of two halves of a weight, compared apart, make those of the whole.
    void splittingAddsUp()
    {
        std::mt19937 random(11);
        for (const std::size_t count : {2u, 1000u, 200001u}) {
            Bytes a(2 * count), b;
            for (std::byte &byte : a)
                byte = random() % 5 == 0 ? std::byte{0} : static_cast<std::byte>(random());
            b = a;
            for (std::size_t i = 0; i < b.size(); i += 1 + random() % 4)
                b[i] = static_cast<std::byte>(random());
            const std::size_t cut = count / 3 + 1;
            const auto part = [&](const Bytes &bytes, std::size_t first, std::size_t end) {
                return Bytes(bytes.begin() + std::ptrdiff_t(2 * first),
                             bytes.begin() + std::ptrdiff_t(2 * end));
            };
            const ValueDifference whole = compared(a, b, 0.25);
            const ValueDifference first = compared(part(a, 0, cut), part(b, 0, cut), 0.25);
            const ValueDifference rest = compared(part(a, cut, count), part(b, cut, count), 0.25);
            QCOMPARE(whole.equal, first.equal + rest.equal);
            QCOMPARE(whole.changed, first.changed + rest.changed);
            QCOMPARE(whole.zeroed, first.zeroed + rest.zeroed);
            QCOMPARE(whole.revived, first.revived + rest.revived);
            QCOMPARE(whole.notFinite, first.notFinite + rest.notFinite);
            QCOMPARE(whole.unfaithful, first.unfaithful + rest.unfaithful);
            QCOMPARE(whole.beyondTolerance, first.beyondTolerance + rest.beyondTolerance);
            QCOMPARE(whole.maxAbs, std::max(first.maxAbs, rest.maxAbs));
            QCOMPARE(whole.maxRel, std::max(first.maxRel, rest.maxRel));
            QCOMPARE(whole.maxUlp, std::max(first.maxUlp, rest.maxUlp));
            for (std::size_t bin = 0; bin < whole.ulpHistogram.size(); ++bin)
                QCOMPARE(whole.ulpHistogram[bin], first.ulpHistogram[bin] + rest.ulpHistogram[bin]);
            if (first.counterexample)
                QCOMPARE(whole.counterexample->element, first.counterexample->element);
            else if (rest.counterexample)
                QCOMPARE(whole.counterexample->element, cut + rest.counterexample->element);
        }
    }

    /// One value behind the first 2^32 elements: counted, found and named at its place.
    void moreThanFourBillionElements()
    {
        constexpr std::uint64_t kElements = (std::uint64_t{1} << 32) + 64;
        QTemporaryDir folder;
        QVERIFY(folder.isValid());
        MadeBundle made;
        const std::string shape = fmt::format("[{}]", kElements);
        const std::string lut = made.blob(ElementType::Fp16, "[1, 2, 1]", halves({1, 3}));
        const std::string indices = made.blob(ElementType::Uint1, shape, Bytes(8));
        made.form("w", shape, "lut_to_dense", {{"indices", indices}, {"lut", lut}});
        // The file is a hole but for its head and its last byte: its record says how long it is.
        Bytes head = made.weights();
        const std::uint64_t payload = kElements / 8;
        std::uint64_t place = 0;
        std::memcpy(&head[made.lastRecord() + 8], &payload, 8);
        std::memcpy(&place, &head[made.lastRecord() + 16], 8);
        const auto write = [&](const QString &name, char last) {
            const QString root = folder.filePath(name);
            bool done = QDir().mkpath(root + u"/weights"_s);
            QFile text(root + u"/model.mil"_s);
            done = done && text.open(QIODevice::WriteOnly) && text.write(made.text().c_str()) > 0;
            QFile file(root + u"/weights/weight.bin"_s);
            done =
                done && file.open(QIODevice::WriteOnly) &&
                file.write(reinterpret_cast<const char *>(head.data()), qint64(head.size())) > 0 &&
                file.resize(qint64(place + payload)) && file.seek(qint64(place + payload - 1)) &&
                file.write(&last, 1) == 1;
            text.close();
            file.close();
            return done ? *Bundle::open(root.toStdString()) : nullptr;
        };
        const BundlePtr a = write(u"a.mlmodelc"_s, 0);
        const BundlePtr b = write(u"b.mlmodelc"_s, 0x10);
        QVERIFY(a && b && a->weights().size() == 1 && !a->weights().front().fault);
        const Difference self = whole(a, a);
        QVERIFY(self.identical);
        QCOMPARE(self.weights.front().values->equal, kElements);
        const Difference difference = whole(a, b);
        const ComparedPair &pair = difference.weights.front();
        QVERIFY(pair.layoutEqual && !pair.storedEqual && pair.values);
        QCOMPARE(pair.values->equal, kElements - 1);
        QCOMPARE(pair.values->changed, 1U);
        QCOMPARE(pair.values->worst->element, kElements - 4);
        QCOMPARE(pair.values->counterexample->element, kElements - 4);
        QCOMPARE(pair.values->maxAbs, 2.0);
        QCOMPARE(bytesApart(difference), 1U);
        for (const FileDifference &file : difference.files) {
            if (!file.equal)
                QCOMPARE(file.ranges.front().offset.value, place + payload - 1);
        }
    }

    /// 2^63 + 1 against -2^63 + 1, whose bits are the same, or 2^63, which is the same double.
    void unsignedAgainstSigned()
    {
        const auto a = unsignedOf({kTwo63 + 1, kTwo53 + 1, 7, UINT64_MAX});
        const auto b =
            signedOf({std::numeric_limits<std::int64_t>::min() + 1, std::int64_t(kTwo53), 7, -1});
        for (const bool swapped : {false, true}) {
            const auto found = swapped ? figuresOf(b, a) : figuresOf(a, b);
            QCOMPARE(found.equal, 1U);
            QCOMPARE(found.changed, 3U);
            QCOMPARE(found.maxUlp, UINT64_MAX); // 2^64 is more than is counted
            QCOMPARE(found.maxAbs, 0x1p64);
            QCOMPARE(found.ulpHistogram[1], 1U);
            QCOMPARE(found.unfaithful, 3U); // fp16 has no number for any but -1
        }
    }

    void againstFloatingPoint()
    {
        const auto whole = unsignedOf({kTwo53 + 1, kTwo53, 0, 3});
        const auto real = doublesOf({0x1p53, 0x1p53, 0.25, std::nan("")});
        const auto found = figuresOf(whole, real);
        QCOMPARE(found.equal, 1U);
        QCOMPARE(found.changed, 2U);
        QCOMPARE(found.revived, 1U);
        QCOMPARE(found.notFinite, 1U);
        QCOMPARE(found.nonfiniteB, 1U);
        QVERIFY(std::isinf(found.maxAbs));
        QCOMPARE(found.maxUlp, 1U);
        QCOMPARE(figuresOf(real, whole).zeroed, 1U);
    }

    /// 2^53 and 2^53 + 1 are one apart, though one double stands for both.
    void neighboursBeyondDoubles()
    {
        const auto a = unsignedOf({kTwo53, 5, kTwo53, 6}),
                   b = unsignedOf({kTwo53 + 1, 5, kTwo53, 6});
        const auto found = figuresOf(a, b, 0.5);
        QCOMPARE(found.maxAbs, 1.0);
        QCOMPARE(found.meanAbs, 0.25);
        QCOMPARE(found.rmse, 0.5);
        QCOMPARE(found.beyondTolerance, 1U);
        QCOMPARE(figuresOf(a, b, 1).beyondTolerance, 0U);
        QVERIFY(found.worst && found.worst->a != found.worst->b);
        const WorstPlaces places = placesOf(a, b);
        QCOMPARE(places.worstElements.size(), 1U);
        QCOMPARE(places.worstElements.front().b - places.worstElements.front().a, ExactValue{1});
        QCOMPARE(places.differentChannels, 1U);
        QCOMPARE(places.worstChannels.front().maxAbs, 1.0);
    }

    /// The squares of numbers above 1e154 are no doubles.
    void largestDoubles()
    {
        constexpr double kMost = std::numeric_limits<double>::max();
        const auto a = doublesOf({1e200, -1e200, 0, 1e200}),
                   b = doublesOf({1e200, 1e200, 0, 1e200});
        const auto found = figuresOf(a, b);
        QVERIFY(near(found.rmse, 1e200));
        QVERIFY(near(found.meanAbs, 5e199));
        QVERIFY(near(found.cosine, 1.0 / 3));
        QVERIFY(near(found.snr, 10 * std::log10(0.75)));
        const auto small = figuresOf(doublesOf({1e-200, 1e-200}), doublesOf({1e-200, -1e-200}));
        QVERIFY(near(small.cosine + 1, 1));
        QVERIFY(near(small.rmse, std::sqrt(2.0) * 1e-200));
        // Sums, and where both are the largest ones even a difference, are beyond them as well.
        const auto largest =
            figuresOf(doublesOf({kMost, kMost, 1}), doublesOf({kMost / 2, kMost, 1}));
        QVERIFY(near(largest.meanAbs, kMost / 6));
        QVERIFY(near(largest.rmse, kMost / 2 / std::sqrt(3.0)));
        QVERIFY(near(largest.cosine, 1.5 / std::sqrt(2.0) / std::sqrt(1.25)));
        const WorstPlaces places = placesOf(a, b);
        QVERIFY(near(places.worstChannels.front().maxAbs, 2e200));
        QVERIFY(near(places.worstChannels.front().rmse, 2e200));
        QVERIFY(std::isfinite(places.worstChannels.front().snr));
        const WorstPlaces edge = placesOf(doublesOf({kMost, 1}), doublesOf({kMost / 2, 1}));
        QVERIFY(edge.bins && std::isfinite(edge.bins->width));
        QCOMPARE(edge.bins->outside, 0U);
    }

    /// In their new order the channels are the same but for one that a float would not tell apart.
    void reorderedLongIntegers()
    {
        constexpr std::uint64_t kChannels = 8, kInputs = 64;
        std::vector<std::int64_t> a(kChannels * kInputs), b(a.size());
        std::uint64_t state = 1;
        for (std::int64_t &value : a) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            value = std::int64_t(state) / 4;
        }
        for (std::size_t i = 0; i < a.size(); ++i)
            b[(i / kInputs + 3) % kChannels * kInputs + i % kInputs] = a[i];
        b[5 * kInputs + 1] += 1;
        const auto file = [&](const std::vector<std::int64_t> &values) {
            return checkpointOf("I64", {kChannels, kInputs}, bytesOf(values));
        };
        const Difference difference = whole(file(a), file(b));
        const ComparedPair &pair = difference.weights.front();
        QVERIFY(pair.order && pair.reordered);
        QCOMPARE(pair.reordered->different, 1U);
        QCOMPARE(pair.reordered->maxAbs, 1.0);
    }

    void exactTexts()
    {
        QCOMPARE(exactText(0.1), "0.1");
        QCOMPARE(exactText(static_cast<ExactValue>(kTwo53 + 1)), "9007199254740993");
        QCOMPARE(exactText(static_cast<ExactValue>(UINT64_MAX)), "18446744073709551615");
        QCOMPARE(exactText(std::nan("")), "nan");
    }

    /// fp32 weights that differ below the last place of fp16 differ, by one step of fp32.
    void precisionIsKept()
    {
        std::vector<float> a(4096), b(4096);
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] = 1.0F + float(i % 1024) / 1024.0F;
            b[i] = std::nextafter(a[i], 1e9F);
        }
        const BundlePtr from = rawBundle(ElementType::Fp32, bytesOf(a));
        const BundlePtr to = rawBundle(ElementType::Fp32, bytesOf(b));
        const auto found = *compareValues(*from, *to, {0, 0}, 0);
        QCOMPARE(found.changed, 4096U);
        QCOMPARE(found.maxUlp, 1U);
        QCOMPARE(found.ulpHistogram.size(), 33U);
        QVERIFY(found.maxAbs > 0 && found.faithful());
    }

    void randomTypes_data()
    {
        addColumns<int, int>();
        for (const ElementType a : kTypes) {
            for (const ElementType b : kTypes)
                QTest::addRow("%s %s", std::string(elementTypeName(a)).c_str(),
                              std::string(elementTypeName(b)).c_str())
                    << int(a) << int(b);
        }
    }

    /// Random bits of each type against each: NaN payloads, infinities, subnormals, both zeros.
    void randomTypes()
    {
        const auto [a, b] = fetched<int, int>();
        const auto typeA = static_cast<ElementType>(a), typeB = static_cast<ElementType>(b);
        std::mt19937 random(unsigned(100 * a + b));
        for (const std::size_t count : {1u, 17u, 9000u}) {
            Bytes bytesA(count * bitWidth(typeA) / 8), bytesB(count * bitWidth(typeB) / 8);
            for (std::byte &byte : bytesA)
                byte = random() % 5 == 0 ? std::byte{0} : static_cast<std::byte>(random());
            for (std::byte &byte : bytesB)
                byte = random() % 5 == 0 ? std::byte{0} : static_cast<std::byte>(random());
            if (typeA == typeB) {
                for (std::size_t i = 0; i < bytesA.size(); ++i)
                    bytesB[i] = random() % 3 == 0 ? bytesB[i] : bytesA[i];
            }
            const BundlePtr from = rawBundle(typeA, bytesA), to = rawBundle(typeB, bytesB);
            QVERIFY(from && to && from->weights().size() == 1 && !from->weights()[0].fault);
            const QByteArray wrong = check(*from, 0, *to, 0);
            QVERIFY2(wrong.isEmpty(), wrong.constData());
        }
    }

    /// Every form that a weight can be stored in against every other.
    void everyForm()
    {
        std::vector<BundlePtr> bundles;
        for (const SampleForm &form : sampleForms())
            bundles.push_back(*sampleBundle(form.name).open());
        for (const BundlePtr &a : bundles) {
            for (const BundlePtr &b : bundles) {
                const QByteArray wrong = check(*a, 0, *b, 0);
                QVERIFY2(wrong.isEmpty(), wrong.constData());
            }
        }
    }

    /// Pairs of weights that pairing finds among the bundles of each folder of real and made files:
    /// of each two forms and each size one.
    void everyPairOfData()
    {
        KERNSCOPE_NEEDS(dataFolder());
        std::set<std::tuple<std::string, std::string, std::uint64_t>> seen;
        for (const char *folder : {"bundles", "real/silero-vad", "real/hwx"}) {
            std::vector<BundlePtr> bundles;
            QDirIterator it(dataPath(QLatin1String(folder)),
                            {u"*.mlmodelc"_s, u"*.mlpackage"_s, u"*.hwx"_s},
                            QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot);
            while (it.hasNext()) {
                if (const auto opened = Bundle::open(QFile::encodeName(it.next()).toStdString()))
                    bundles.push_back(*opened);
            }
            for (std::size_t i = 0; i < bundles.size(); ++i) {
                for (std::size_t k = i; k < bundles.size(); ++k) {
                    for (const ComparedPair &pair : pairWeights(*bundles[i], *bundles[k]).pairs) {
                        if (!pair.shapeEqual || bundles[i]->weights()[pair.a].fault ||
                            bundles[k]->weights()[pair.b].fault)
                            continue;
                        const Weight &a = bundles[i]->weights()[pair.a];
                        const Weight &b = bundles[k]->weights()[pair.b];
                        if (!seen.emplace(formText(a.form), formText(b.form), a.elements.value)
                                 .second)
                            continue;
                        const QByteArray wrong = check(*bundles[i], pair.a, *bundles[k], pair.b);
                        QVERIFY2(wrong.isEmpty(), wrong.constData());
                    }
                }
            }
        }
        QVERIFY(!seen.empty());
    }
};

KERNSCOPE_TEST(TestDiffNumbers, QCoreApplication)
#include "tst_diff_numbers.moc"
