// SPDX-License-Identifier: GPL-3.0-or-later
// The laws between an OIHW tensor and the slices of the engines: hand-made bytes, random shapes.
// Slices of weights with a mask: hand-made bytes, random shapes, damage.
#include "core/base/overlaid_file.h"
#include "core/container/hwx/kernels.h"
#include "core/lanes/lane_order.h"
#include "lane_samples.h"
#include "tests/data/data_folder.h"

using namespace kernscope::lanes;

namespace {

struct Drawn {
    WeightExtents geometry;
    Law law = Law::Dense;
    DealOptions options;
};

/// A shape whose chunks are whole, as containers have them.
Drawn draw(std::mt19937 &random)
{
    const auto pick = [&random](std::initializer_list<std::uint64_t> from) {
        return *(from.begin() + random() % from.size());
    };
    Drawn drawn;
    WeightExtents &g = drawn.geometry;
    g.height = pick({1, 1, 3, 5});
    g.width = pick({1, 3, 7});
    g.bias = random() % 2 == 0;
    switch (random() % 4) {
    case 0:
        g.outputs = 1 + random() % 300;
        g.inputs = 1 + random() % 20;
        drawn.options.imageSide = pick({1, 8, 9, 64});
        break;
    case 1:
        drawn.law = Law::Grouped;
        g.groups = pick({2, 4, 8});
        g.outputs = 64 * pick({1, 2, 4});
        g.inputs = 1 + random() % 6;
        break;
    case 2:
        drawn.law = Law::Depthwise;
        g.outputs = g.groups = 1 + random() % 200;
        break;
    default:
        drawn.law = Law::MatrixMultiply;
        g.height = g.width = 1;
        g.bias = false;
        g.outputs = pick({16, 64, 128, 256, 512, 1024});
        g.inputs = 1 + random() % 80;
        drawn.options.rows = pick({1, 128, 129});
    }
    return drawn;
}

std::vector<std::byte> bytesOf(std::initializer_list<int> values)
{
    std::vector<std::byte> bytes;
    for (const int value : values)
        bytes.push_back(static_cast<std::byte>(value));
    return bytes;
}

struct RealSlices {
    std::shared_ptr<OverlaidFile> file;
    std::vector<std::span<const std::byte>> slices; ///< by lane
};

std::optional<RealSlices> open(const QString &name)
{
    const QString path = dataPath(u"real/hwx/"_s + name);
    if (!QFile::exists(path))
        return std::nullopt;
    RealSlices real;
    real.file = *OverlaidFile::open(path.toStdString(), name.toStdString());
    const auto container = hwx::readContainer(real.file->bytes(), name.toStdString());
    for (const hwx::KernelTile &tile : hwx::kernelTiles(*container)) {
        if (tile.name.lane)
            real.slices.push_back(
                real.file->bytes().subspan(tile.fileOffset.value, tile.bytes.value));
    }
    return real;
}

} // namespace

class TestLanes : public QObject
{
    Q_OBJECT

private slots:
    void dealsChannels_data()
    {
        const auto row = addColumns<qulonglong, qulonglong, QString>();
        row("three channels", 3ULL, 64ULL, "1");
        row("64", 64ULL, 64ULL, "4");
        row("512, large image", 512ULL, 9ULL, "16 16");
        row("512, small image", 512ULL, 8ULL, "32");
        row("768 at 32", 768ULL, 8ULL, "32 16");
        row("40", 40ULL, 64ULL, "2 1");
        row("17", 17ULL, 64ULL, "1 1");
    }

    void dealsChannels()
    {
        const auto [outputs, image, dealt] = fetched<qulonglong, qulonglong, QString>();
        WeightExtents geometry;
        geometry.outputs = outputs;
        DealOptions options;
        options.imageSide = image;
        const auto chunks = VERIFIED(dealChannels(geometry, Law::Dense, options));
        QStringList lanes;
        std::uint64_t next = 0;
        for (const Chunk &chunk : *chunks) {
            lanes << QString::number(chunk.lanes);
            QCOMPARE(chunk.first, next);
            next += chunk.channels;
        }
        QCOMPARE(next, std::uint64_t(outputs));
        QCOMPARE(lanes.join(u' '), dealt);
    }

    void placesByHand()
    {
        // 64 outputs, 2 inputs, 1x3, bias: 4 lanes, 7 rows of 8 bytes, 56 used of 64.
        const WeightExtents geometry{64, 2, 1, 1, 3, 1, true};
        const SliceLayout layout = layoutOf(geometry, Law::Dense);
        QCOMPARE(layout.engines(), 16U);
        QCOMPARE(layout.sliceBytes(0), 64U);
        QCOMPARE(layout.usedBytes(0), 56U);
        QCOMPARE(layout.placeOf(5, 0), (LanePlace{1, 8 + 2})); // engine 1, lane 1, after the bias
        QCOMPARE(layout.placeOf(63, 5), (LanePlace{15, 6 * 8 + 6})); // last lane of the last row
        QCOMPARE(layout.biasPlace(6), (LanePlace{1, 4}));

        const auto slices = VERIFIED(encodeSlices(layout, numbered(64 * 6, 1000), numbered(64, 1)));
        QCOMPARE(halfAt((*slices)[1], 4), std::uint16_t(7));
        QCOMPARE(halfAt((*slices)[1], 10), std::uint16_t(1000 + 5 * 6));
        for (const Slice &slice : *slices) {
            for (std::size_t at = 56; at < slice.size(); ++at)
                QCOMPARE(slice[at], std::byte(0));
        }
    }

    void matchesTheMatmulFormula()
    {
        // resources/formats/kernel-bytes.md: plane q = (p mod 16)(planes/16) + p/16, halfword q K g
        // + k g + n mod
        // g
        for (const std::uint64_t n : {16U, 128U, 256U, 512U, 1024U}) {
            WeightExtents geometry;
            geometry.outputs = n;
            geometry.inputs = 48;
            const SliceLayout layout = layoutOf(geometry, Law::MatrixMultiply);
            const std::uint64_t g = std::min<std::uint64_t>(16, n / 16), planes = n / g;
            std::uint64_t slice = 0;
            for (std::uint64_t column = 0; column < n; column += 7) {
                for (std::uint64_t k = 0; k < 48; k += 5) {
                    const std::uint64_t p = column / g;
                    const std::uint64_t q = p % 16 * (planes / 16) + p / 16;
                    const LanePlace place = layout.placeOf(column, k);
                    slice = layout.usedBytes(0);
                    QCOMPARE(place.engine * slice + place.offset,
                             2 * (q * 48 * g + k * g + column % g));
                }
            }
            QCOMPARE(slice, 2 * n * 48 / 16);
        }
        // Below 32 steps a single lane's row still takes 64 bytes.
        WeightExtents narrow;
        narrow.outputs = 16;
        narrow.inputs = 10;
        QCOMPARE(layoutOf(narrow, Law::MatrixMultiply).sliceBytes(0), 64U);
        WeightExtents wide;
        wide.outputs = 512;
        wide.inputs = 8192;
        DealOptions rows;
        rows.rows = 192;
        QCOMPARE(layoutOf(wide, Law::MatrixMultiply, rows).chunks().front().lanes, 4U);
    }

    void roundTripsRandomShapes()
    {
        std::mt19937 random(4);
        for (int i = 0; i < 300; ++i) {
            const Drawn drawn = draw(random);
            const SliceLayout layout = layoutOf(drawn.geometry, drawn.law, drawn.options);
            const auto weights = numbered(layout.elements(), std::uint16_t(random()));
            const auto bias = numbered(drawn.geometry.bias ? drawn.geometry.outputs : 0, 17);
            const auto slices = VERIFIED(encodeSlices(layout, weights, bias));
            std::uint64_t total = 0;
            for (const Slice &slice : *slices) {
                QCOMPARE(slice.size() % 64, 0U);
                total += slice.size();
            }
            QCOMPARE(total, layout.totalBytes());
            const Halves decoded = halvesOf(layout, spansOf(*slices));
            QVERIFY(decoded.weights == weights && decoded.bias == bias);
            std::set<std::pair<std::uint64_t, std::uint64_t>> places;
            for (std::uint64_t c = 0; c < drawn.geometry.outputs; ++c) {
                for (std::uint64_t step = 0; step < layout.steps(); ++step) {
                    const LanePlace place = layout.placeOf(c, step);
                    QVERIFY(places.emplace(place.engine, place.offset).second);
                }
            }
        }
    }

    void refusesWhatIsNotPublished()
    {
        WeightExtents geometry;
        geometry.outputs = 256;
        const SliceLayout wide = layoutOf(geometry, Law::Dense);
        QCOMPARE(sparsePlanes(SparseForm::H13, wide, {}).error().code, "lanes.sparse");
        geometry.outputs = 20;
        const auto even = dealEvenly(geometry, 8);
        QCOMPARE(SliceLayout::make(geometry, *even, containerForm(Law::Dense)).error().code,
                 "lanes.partial");

        for (const WeightExtents &bad :
             {WeightExtents{0, 1, 1, 1, 1, 1, false}, WeightExtents{4, 1, 1, 1, 1, 3, false},
              WeightExtents{1ULL << 40, 1, 1, 1, 1, 1, false},
              WeightExtents{16, 1ULL << 40, 1, 1ULL << 40, 1, 1, false}})
            QCOMPARE(SliceLayout::make(bad, Law::Dense).error().code, "lanes.geometry");
        const SliceLayout layout = layoutOf(WeightExtents{3, 3, 1, 1, 1, 1, false}, Law::Dense);
        SlicePlaces places;
        places.starts = {0, 64};
        places.lengths = {64, 64};
        QCOMPARE(weightOrder(layout, places).error().code, "lanes.length");
    }

    void ordersAgreeWithBytes()
    {
        const WeightExtents geometry{40, 3, 1, 3, 3, 1, true};
        const SliceLayout layout = layoutOf(geometry, Law::Dense);
        const auto weights = numbered(layout.elements(), 100);
        const auto bias = numbered(40, 1);
        const auto slices = *encodeSlices(layout, weights, bias);
        SlicePlaces places;
        std::vector<std::byte> file(8);
        for (const Slice &slice : slices) {
            places.starts.push_back(file.size());
            places.lengths.push_back(slice.size());
            file.insert(file.end(), slice.begin(), slice.end());
        }
        places.copies.push_back(places.starts);
        for (auto &start : places.copies.front())
            start += 64;
        const auto order = VERIFIED(weightOrder(layout, places));
        QCOMPARE((*order)->extent(), std::uint64_t(file.size() + 64));
        std::vector<std::uint64_t> bits(layout.elements() - 5);
        (*order)->positions(5, bits);
        for (std::size_t i = 0; i < bits.size(); ++i)
            QCOMPARE(halfAt(file, bits[i] / 8), weights[i + 5]);
        QCOMPARE((*order)->copies(5), std::vector<std::uint64_t>{bits[0] + 8 * 64});
        std::vector<std::uint64_t> rows(40);
        (*biasOrder(layout, places))->positions(0, rows);
        for (std::size_t i = 0; i < rows.size(); ++i)
            QCOMPARE(halfAt(file, rows[i] / 8), bias[i]);
        places.lengths.back() = 2;
        QVERIFY(!weightOrder(layout, places));
    }

    void knowsExceptions()
    {
        const auto says = [](const WeightExtents &geometry, const char *words) {
            return QString::fromStdString(knownException(geometry, lawOf(geometry)))
                .contains(QLatin1String(words));
        };
        QVERIFY(says({2048, 1024, 1, 1, 1, 1, false}, "not published"));
        QVERIFY(knownException({2048, 1024, 1, 1, 1, 1, false}, Law::MatrixMultiply).empty());
        QVERIFY(knownException({2048, 1024, 1, 3, 3, 1, false}, Law::Dense).empty());
        QVERIFY(knownException({1024, 2048, 1, 1, 1, 1, false}, Law::Dense).empty());
        QVERIFY(says({40, 1, 1, 1, 9, 40, true}, "1x9"));
        QVERIFY(knownException({40, 1, 1, 1, 9, 40, false}, Law::Depthwise).empty());
        QVERIFY(says({8, 1, 1, 1, 1, 8, false}, "8 channels"));
        QVERIFY(knownException({8, 1, 1, 1, 1, 8, true}, Law::Depthwise).empty());
    }

    void explainsSizes()
    {
        for (const std::uint64_t bytes : {0xC0U, 0x40U, 0x200U, 0x8000U}) {
            for (const SizeCase &one : casesOfSliceSize(bytes)) {
                for (const std::uint64_t rows : {one.fewestRows, one.mostRows}) {
                    WeightExtents geometry;
                    geometry.outputs = 16 * one.lanes;
                    geometry.inputs = rows;
                    DealOptions options;
                    options.cap = one.lanes;
                    QCOMPARE(layoutOf(geometry, Law::Dense, options).sliceBytes(0), bytes);
                }
            }
        }
        QVERIFY(
            QString::fromStdString(explainSliceSize(0xC0)).contains("1 lane: 65 to 96 rows"_L1));
        QVERIFY(QString::fromStdString(explainSliceSize(0xC0))
                    .contains("3x3 with 10 input channels"_L1));
        QVERIFY(QString::fromStdString(explainSliceSize(0x40)).contains("1 lane: 1 to 32 rows"_L1));
        QVERIFY(casesOfSliceSize(0x41).empty());
        const SliceLayout layout = layoutOf(WeightExtents{64, 64, 1, 1, 1, 1, true}, Law::Dense);
        QCOMPARE(explainSliceSize(layout, 0), "round_up(2 x 4 x (1 + 64), 64) = 576 bytes (0x240)");
    }

    void checksSizesOfOtherForms()
    {
        // 2048 x 2048 in int8: 4,198,400 bytes in sixteen slices of 128 channels (4.4).
        const SliceLayout layout =
            layoutOf(WeightExtents{2048, 2048, 1, 1, 1, 1, false}, Law::Dense);
        const auto int8 = checkSliceSize(layout, 0, FormNode::Affine, 4198400 / 16);
        QVERIFY(int8->holds);
        QCOMPARE(int8->order, "order unknown");
        // 4-bit palettes: 16 codebooks of 64 bytes above the pure index size; 6-bit: 16 of 128.
        QVERIFY(checkSliceSize(layout, 3, FormNode::Palette, (2097152 + 1024) / 16, 4)->holds);
        QVERIFY(checkSliceSize(layout, 3, FormNode::Palette, (3145728 + 2048) / 16, 6)->holds);
        QVERIFY(!checkSliceSize(layout, 3, FormNode::Palette, 2097152 / 16, 4)->holds);
        QVERIFY(checkSliceSize(layout, 0, FormNode::Dense, 2048 * 128 * 2)->holds);
        QCOMPARE(checkSliceSize(layout, 0, FormNode::Dense, 64)->order, "order assumed");
        QVERIFY(checkSliceSize(layout, 0, FormNode::Sparse, 32768 + 2 * 1000 + 64)->holds);
        QVERIFY(!checkSliceSize(layout, 0, FormNode::Sparse, 32000)->holds);
    }

    void roundTripsRandomSparse()
    {
        std::mt19937 random(5);
        for (int i = 0; i < 200; ++i) {
            WeightExtents geometry;
            geometry.outputs = 1 + random() % 128;
            geometry.inputs = 1 + random() % 40;
            geometry.bias = random() % 2 == 0;
            DealOptions options;
            options.cap = 1U << random() % 4;
            const SparseForm form = random() % 2 == 0 ? SparseForm::H13 : SparseForm::H14;
            const SliceLayout layout = layoutOf(geometry, Law::Dense, options);
            auto weights = numbered(layout.elements(), 1);
            for (auto &value : weights) {
                if (random() % 3 == 0 || (value & 0x7fff) == 0)
                    value = 0;
            }
            const auto bias = numbered(geometry.bias ? geometry.outputs : 0, 3);
            const auto slices = VERIFIED(encodeSparse(form, layout, weights, bias));
            SlicePlaces places;
            Slice file(7);
            for (const Slice &slice : *slices) {
                places.starts.push_back(file.size());
                places.lengths.push_back(slice.size());
                file.insert(file.end(), slice.begin(), slice.end());
            }
            const auto order = *(*sparseOrder(form, layout, places))->bound(file);
            std::vector<std::uint64_t> bits(weights.size()), maskBits(weights.size());
            order->positions(0, bits);
            order->mask()->positions(0, maskBits);
            const std::size_t first = random() % weights.size();
            std::vector<std::uint64_t> some(1 + random() % (weights.size() - first));
            order->positions(first, some);
            QVERIFY(std::equal(some.begin(), some.end(), bits.begin() + std::ptrdiff_t(first)));
            for (std::size_t e = 0; e < weights.size(); ++e) {
                const unsigned mask = std::to_integer<unsigned>(file[maskBits[e] / 8]);
                QCOMPARE((mask >> maskBits[e] % 8 & 1U) != 0, weights[e] != 0);
                QCOMPARE(bits[e] == codec::ElementOrder::kAbsent, weights[e] == 0);
                if (weights[e] != 0)
                    QCOMPARE(halfAt(file, bits[e] / 8), weights[e]);
            }
            const auto planes = *sparsePlanes(form, layout, spansOf(*slices));
            if (geometry.bias) {
                std::vector<std::uint64_t> rows(geometry.outputs);
                (*sparseBiasOrder(layout, planes, places))->positions(0, rows);
                for (std::size_t c = 0; c < rows.size(); ++c)
                    QCOMPARE(halfAt(file, rows[c] / 8), bias[c]);
            }
            std::uint64_t stored = 0;
            for (const SparsePlane &plane : planes)
                stored += plane.stored;
            QCOMPARE(stored,
                     std::uint64_t(weights.size() - std::size_t(std::ranges::count(weights, 0))));
        }
    }

    void sparseBytesByHand_data()
    {
        addColumns<bool, QByteArray>();
        // Two steps of eight lanes: 5 in lane 1, then 6 in lane 0 and 7 in lane 7; -0 is left out.
        addRow("H13", true,
               QByteArray::fromHex("0e00"
                                   "0002"
                                   "0500"
                                   "0000"
                                   "0081"
                                   "0600"
                                   "0700"
                                   "0000"));
        addRow("H14", false,
               QByteArray::fromHex("0e00"
                                   "00"
                                   "0200"
                                   "0500"
                                   "0000"
                                   "8100"
                                   "0600"
                                   "0700"
                                   "0000"));
    }

    void sparseBytesByHand()
    {
        const auto [h13, expected] = fetched<bool, QByteArray>();
        WeightExtents geometry;
        geometry.outputs = 128;
        geometry.inputs = 2;
        const SliceLayout layout = layoutOf(geometry, Law::Dense);
        std::vector<std::uint16_t> weights(256);
        weights[2 * 1] = 5;
        weights[2 * 0 + 1] = 6;
        weights[2 * 7 + 1] = 7;
        weights[2 * 3] = 0x8000;
        const auto slices =
            VERIFIED(encodeSparse(h13 ? SparseForm::H13 : SparseForm::H14, layout, weights, {}));
        const Slice &slice = slices->front();
        QCOMPARE(slice.size(), 64U);
        QCOMPARE(QByteArray(reinterpret_cast<const char *>(slice.data()), expected.size()).toHex(),
                 expected.toHex());
        for (std::size_t at = std::size_t(expected.size()); at < slice.size(); ++at)
            QCOMPARE(slice[at], std::byte(0));
    }

    void refusesDamagedSparse()
    {
        WeightExtents geometry;
        geometry.outputs = 1;
        geometry.inputs = 2;
        const SliceLayout layout = layoutOf(geometry, Law::Dense);
        for (const auto &bytes :
             {bytesOf({}), bytesOf({4}), bytesOf({4, 0, 0, 0}), bytesOf({5, 0, 0, 0, 0, 0, 0}),
              bytesOf({4, 0, 0, 2, 0, 0}), bytesOf({255, 255, 0, 1})}) {
            const std::vector<Slice> slices{bytes};
            const Error index =
                REFUSED(SparseIndex::make(SparseForm::H13, layout, spansOf(slices)));
            QCOMPARE(index.code, "lanes.sparse");
        }
        const std::vector<Slice> sound{bytesOf({6, 0, 0, 1, 9, 0, 0, 0})};
        const auto index = VERIFIED(SparseIndex::make(SparseForm::H13, layout, spansOf(sound)));
        QCOMPARE(SparseIndex::numberAt(index->rowsOf(0).row(0), 0),
                 std::optional<std::uint64_t>(4));
        QVERIFY(!SparseIndex::numberAt(index->rowsOf(0).row(1), 0));
        QCOMPARE(SparseIndex::make(SparseForm::H13, layout, {}).error().code, "lanes.length");
    }

    void closesTheLoop_data()
    {
        addColumns<QString, qulonglong, qulonglong, qulonglong, bool, QList<int>>();
        addRow("weights 0 to 8", "conv-ff52f832dc.hwx", 3ULL, 3ULL, 1ULL, false,
               QList<int>{0, 1, 2, 3, 4, 5, 6, 7, 8});
        addRow("bias", "model.hwx.golden-f459291c15.hwx", 2ULL, 3ULL, 1ULL, true,
               QList<int>{0x4200, 0x4200, 0x4200, 0x4200, 0x4200, 0x4200});
        addRow("512 x 512", "gemm-aae2e35208.hwx", 512ULL, 512ULL, 32ULL, false,
               QList<int>{0, 0, 0});
    }

    void closesTheLoop()
    {
        const auto [file, outputs, inputs, cap, bias, first] =
            fetched<QString, qulonglong, qulonglong, qulonglong, bool, QList<int>>();
        const auto real = open(file);
        if (!real)
            QSKIP("The real containers are not here (KERNSCOPE_DATA)");
        WeightExtents geometry;
        geometry.outputs = outputs;
        geometry.inputs = inputs;
        geometry.bias = bias;
        DealOptions options;
        options.cap = cap;
        const auto layout = VERIFIED(SliceLayout::make(geometry, Law::Dense, options));
        QCOMPARE(layout->engines(), std::uint64_t(real->slices.size()));
        for (std::size_t lane = 0; lane < real->slices.size(); ++lane)
            QVERIFY(real->slices[lane].size() >= layout->usedBytes(lane));
        const Halves decoded = halvesOf(*layout, real->slices);
        for (qsizetype i = 0; i < first.size(); ++i)
            QCOMPARE(int(decoded.weights[std::size_t(i)]), first[i]);
        if (bias)
            QCOMPARE(decoded.bias, std::vector<std::uint16_t>(2, 0x3c00));
        const auto again = VERIFIED(encodeSlices(*layout, decoded.weights, decoded.bias));
        for (std::size_t lane = 0; lane < again->size(); ++lane) {
            // The last slice's symbol runs on into the padding of the section.
            const auto held = real->slices[lane].first((*again)[lane].size());
            QVERIFY(
                std::equal(held.begin(), held.end(), (*again)[lane].begin(), (*again)[lane].end()));
            QVERIFY(checkSliceSize(*layout, lane, FormNode::Dense, held.size())->holds);
        }
    }
};

KERNSCOPE_TEST(TestLanes, NoApplication)
#include "tst_lanes.moc"
