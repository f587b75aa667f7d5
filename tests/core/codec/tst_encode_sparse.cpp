// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/form_spec.h"
#include "core/numeric/convert.h"
#include "encoded.h"

using namespace kernscope::codec;
using namespace kernscope::codec::test;

namespace {

/// Whether a sparse weight holds those halves that are to stay, and no others, bit by bit.
bool keepsExactly(const EncodedWeight &weight, const std::vector<std::uint16_t> &halves,
                  const std::vector<bool> &stays)
{
    std::vector<std::byte> mask((halves.size() + 7) / 8);
    std::vector<std::uint16_t> kept;
    for (std::size_t i = 0; i < halves.size(); ++i) {
        if (!stays[i])
            continue;
        mask[i / 8] |= static_cast<std::byte>(1u << (i % 8));
        kept.push_back(halves[i]);
    }
    const auto bytes = std::as_bytes(std::span<const std::uint16_t>(kept));
    const auto &data = part(weight, PartRole::NonzeroData);
    return part(weight, PartRole::Mask).bytes == mask && data.shape == Shape{kept.size()} &&
           std::equal(bytes.begin(), bytes.end(), data.bytes.begin(), data.bytes.end());
}

/// The definition of an n:m pattern: of each run of `of`, the `keep` largest in fp16, of equal ones
/// the first, and never a zero.
std::vector<bool> staysByPattern(const std::vector<std::uint16_t> &halves, const Shape &shape,
                                 const SparsePattern &pattern)
{
    std::size_t inner = 1;
    for (std::size_t i = pattern.axis + 1; i < shape.size(); ++i)
        inner *= shape[i];
    const std::size_t extent = shape[pattern.axis];
    std::vector<bool> stays(halves.size());
    std::vector<std::size_t> group;
    for (std::size_t lane = 0; extent != 0 && lane < halves.size() / extent; ++lane) {
        const std::size_t start = lane / inner * extent * inner + lane % inner;
        for (std::size_t at = 0; at < extent; at += group.size()) {
            group.resize(std::min<std::size_t>(pattern.of, extent - at));
            for (std::size_t i = 0; i < group.size(); ++i)
                group[i] = start + (at + i) * inner;
            std::stable_sort(group.begin(), group.end(), [&](std::size_t a, std::size_t b) {
                return (halves[a] & 0x7fffu) > (halves[b] & 0x7fffu);
            });
            for (std::size_t i = 0; i < std::min<std::size_t>(pattern.keep, group.size()); ++i)
                stays[group[i]] = (halves[group[i]] & 0x7fffu) != 0;
        }
    }
    return stays;
}

/// What stays by definition: by magnitude in fp16, among equals the first ones, never a zero.
std::vector<bool> largest(const std::vector<std::uint16_t> &halves, double density)
{
    std::vector<std::uint64_t> histogram(0x8000);
    for (const std::uint16_t half : halves)
        ++histogram[half & 0x7fffu];
    auto left =
        static_cast<std::uint64_t>(std::llround(density * static_cast<double>(halves.size())));
    std::uint32_t least = 0x8000;
    while (least > 1 && left >= histogram[least - 1])
        left -= histogram[--least];
    std::vector<bool> stays(halves.size());
    for (std::size_t i = 0; i < halves.size(); ++i) {
        const std::uint32_t magnitude = halves[i] & 0x7fffu;
        const bool tie = magnitude != 0 && magnitude + 1 == least && left > 0;
        left -= tie ? 1 : 0;
        stays[i] = magnitude >= least || tie;
    }
    return stays;
}

} // namespace

class TestEncodeSparse : public QObject
{
    Q_OBJECT

private slots:
    void threshold()
    {
        auto values = gaussian(1003);
        for (std::size_t i = 0; i < values.size(); i += 3)
            values[i] = 0;
        const auto weight = VERIFIED(encodeSparse(values, {1003}, 0.08f));
        const auto decoded = decodeAll(*weight);
        const auto decoder = Decoder::make(weight->encoding());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool keep = std::abs(values[i]) >= 0.08f;
            QCOMPARE(decoder->stored(i), keep);
            QCOMPARE(decoded[i], keep ? toHalf(values[i]) : 0.0f);
        }
        // Without a threshold everything but the zeros.
        const auto all = encodeSparse(values, {1003}, 0);
        QCOMPARE(part(*all, PartRole::NonzeroData).shape,
                 Shape{static_cast<std::uint64_t>(
                     std::count_if(values.begin(), values.end(), [](float v) { return v != 0; }))});
    }

    void density_data()
    {
        kernscope::test::addColumns<double, int>();
        kernscope::test::addRow("none", 0.0, 0);
        kernscope::test::addRow("tenth", 0.1, 100);
        kernscope::test::addRow("half", 0.5, 500);
        kernscope::test::addRow("most", 0.9, 900);
        kernscope::test::addRow("all", 1.0, 1000);
    }

    void density()
    {
        const auto [density, kept] = kernscope::test::fetched<double, int>();
        const auto values = gaussian(1000);
        const auto weight = VERIFIED(encodeSparseDensity(values, {10, 100}, density));
        QCOMPARE(part(*weight, PartRole::NonzeroData).shape,
                 Shape{static_cast<std::uint64_t>(kept)});
        const auto decoded = decodeAll(*weight);
        float leastKept = HUGE_VALF;
        float largestDropped = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (decoded[i] != 0)
                leastKept = std::min(leastKept, std::abs(decoded[i]));
            else
                largestDropped = std::max(largestDropped, std::abs(toHalf(values[i])));
        }
        QVERIFY(kept == 0 || leastKept >= largestDropped);
        // Equal magnitudes: the first ones stay.
        const std::vector<float> equal(10, -2.0f);
        const auto first = encodeSparseDensity(equal, {10}, 0.3);
        QCOMPARE(decodeAll(*first), (std::vector<float>{-2, -2, -2, 0, 0, 0, 0, 0, 0, 0}));
    }

    void densityOfMany_data()
    {
        kernscope::test::addColumns<std::size_t, QString>();
        for (const std::size_t count :
             {std::size_t{77}, std::size_t{8 * 4096}, (std::size_t{1} << 20) + 77})
            for (const char *kind :
                 {"even", "few magnitudes", "channels apart", "sorted", "special"})
                QTest::addRow("%zu %s", count, kind) << count << QString::fromLatin1(kind);
    }

    /// Long tensors are cut by a sample and one pass, short ones by their rank, others by a
    /// histogram: all the same as by the order of all magnitudes.
    void densityOfMany()
    {
        const auto [count, kind] = kernscope::test::fetched<std::size_t, QString>();
        auto values = gaussian(count);
        const bool few = kind == u"few magnitudes"_s, apart = kind == u"channels apart"_s,
                   sorted = kind == u"sorted"_s, special = kind == u"special"_s;
        for (std::size_t i = 0; i < count; ++i) {
            if (few)
                values[i] = std::round(values[i] * 20) / 4;
            else if (apart)
                values[i] *= static_cast<float>(1 + i / 4096 % 7);
            else if (sorted)
                values[i] = static_cast<float>(i) / static_cast<float>(count);
            else if (special && i % 3 == 0)
                values[i] = i % 9 == 0 ? NAN : i % 9 == 3 ? -INFINITY : 0;
        }
        std::vector<std::uint16_t> halves(values.size());
        convertFloatToHalf(values, halves);
        for (const double density : {0.0, 0.001, 0.1, 0.4, 0.5, 0.97, 1.0}) {
            const auto weight = VERIFIED(encodeSparseDensity(values, {count}, density));
            QVERIFY2(keepsExactly(*weight, halves, largest(halves, density)),
                     fmt::format("density {}", density).c_str());
        }
    }

    void pattern_data()
    {
        kernscope::test::addColumns<QString, int, int, QList<int>>();
        const QList<QList<int>> shapes{
            {12, 8, 6}, {24, 520}, {9, 72, 3, 3}, {7, 33, 16}, {300, 50}};
        const std::pair<int, int> patterns[] = {
            {2, 4}, {1, 4},  {4, 8},   {1, 2},   {2, 2},       {0, 3},        {3, 3},
            {2, 5}, {5, 16}, {31, 64}, {20, 65}, {1, 1000000}, {70000, 70000}};
        for (const char *kind : {"even", "few magnitudes", "special"})
            for (const auto &[keep, of] : patterns)
                for (const auto &shape : shapes)
                    QTest::addRow("%s, %d:%d of %dx%d…", kind, keep, of, shape[0], shape[1])
                        << QString::fromLatin1(kind) << keep << of << shape;
    }

    void pattern()
    {
        const auto [kind, keep, of, dimensions] =
            kernscope::test::fetched<QString, int, int, QList<int>>();
        const Shape shape(dimensions.begin(), dimensions.end());
        auto values =
            gaussian(std::accumulate(shape.begin(), shape.end(), std::size_t{1},
                                     [](auto product, auto size) { return product * size; }));
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (kind == QLatin1String("few magnitudes"))
                values[i] = std::round(values[i] * 20) / 4;
            else if (kind == QLatin1String("special") && i % 3 == 0)
                values[i] = i % 9 == 0 ? NAN : i % 9 == 3 ? -INFINITY : -0.0f;
        }
        std::vector<std::uint16_t> halves(values.size());
        convertFloatToHalf(values, halves);
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            const SparsePattern pattern{static_cast<std::uint64_t>(keep),
                                        static_cast<std::uint64_t>(of), axis};
            const auto weight = VERIFIED(encodeSparsePattern(values, shape, pattern));
            QVERIFY2(keepsExactly(*weight, halves, staysByPattern(halves, shape, pattern)),
                     qPrintable(u"axis %1"_s.arg(axis)));
        }
    }

    void patternOfNothing()
    {
        const auto weight = VERIFIED(encodeSparsePattern({}, {4, 0, 3}, {2, 4, 1}));
        QVERIFY(part(*weight, PartRole::NonzeroData).bytes.empty());
        const auto huge =
            VERIFIED(encodeSparsePattern(gaussian(12), {3, 4}, {UINT64_MAX, UINT64_MAX, 0}));
        QCOMPARE(part(*huge, PartRole::NonzeroData).shape, Shape{12});
    }

    void fp32StaysExact_data()
    {
        kernscope::test::addColumns<int, bool>();
        for (const bool fitted : {false, true}) {
            const char *const method = fitted ? "fitted" : "plain";
            QTest::addRow("every non-zero, %s", method) << 0 << fitted;
            QTest::addRow("threshold, %s", method) << 1 << fitted;
            QTest::addRow("density, %s", method) << 2 << fitted;
            QTest::addRow("pattern, %s", method) << 3 << fitted;
        }
    }

    /// Values that fp16 cannot hold: what is kept of an fp32 weight is kept bit by bit, and chosen
    /// by its own magnitude.
    void fp32StaysExact()
    {
        const auto [how, fitted] = kernscope::test::fetched<int, bool>();
        auto values = gaussian(24 * 40);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] *= i % 3 == 0 ? 1e30f : i % 3 == 1 ? 1e-30f : 1.0f; // ties in fp16: inf and 0
        values[5] = 0.0f;
        values[6] = -0.0f;
        values[7] = std::numeric_limits<float>::denorm_min();
        const Shape shape{24, 40};
        FormSpec spec;
        spec.node = FormNode::Sparse;
        spec.method = fitted ? EncodeMethod::Fitted : EncodeMethod::Plain;
        std::vector<bool> stays(values.size());
        const auto larger = [&](std::size_t a, std::size_t b) {
            return std::abs(values[a]) > std::abs(values[b]);
        };
        if (how < 2) {
            if (how == 1)
                spec.threshold = 1e-10f;
            for (std::size_t i = 0; i < values.size(); ++i)
                stays[i] = values[i] != 0 && std::abs(values[i]) >= (how == 1 ? 1e-10f : 0.0f);
        } else {
            const std::size_t run = how == 2 ? values.size() : 4;
            const std::size_t keep = how == 2 ? 720 : 3;
            if (how == 2)
                spec.density = 0.75;
            else
                spec.pattern = SparsePattern{3, 4, 1};
            for (std::size_t first = 0; first < values.size(); first += run) {
                std::vector<std::size_t> order(run);
                std::iota(order.begin(), order.end(), first);
                std::stable_sort(order.begin(), order.end(), larger);
                for (std::size_t i = 0; i < keep; ++i)
                    stays[order[i]] = values[order[i]] != 0;
            }
        }
        const auto encoded = VERIFIED(encodeForm(values, shape, spec, ElementType::Fp32));
        QVERIFY(encoded->type == ElementType::Fp32);
        std::vector<std::byte> mask(values.size() / 8);
        std::vector<float> kept;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!stays[i])
                continue;
            mask[i / 8] |= static_cast<std::byte>(1u << (i % 8));
            kept.push_back(values[i]);
        }
        QVERIFY(part(*encoded, PartRole::Mask).bytes == mask);
        const auto &data = part(*encoded, PartRole::NonzeroData);
        QVERIFY(data.type == ElementType::Fp32);
        QCOMPARE(data.bytes.size(), 4 * kept.size());
        QVERIFY(std::memcmp(data.bytes.data(), kept.data(), data.bytes.size()) == 0);
    }
};

KERNSCOPE_TEST(TestEncodeSparse, kernscope::test::NoApplication)
#include "tst_encode_sparse.moc"
