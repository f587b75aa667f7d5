// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/bundle/made_bundle.h"
#include "tests/test_program.h"
#include "widgets/models/session.h"
#include "widgets/weight/weight_tiles.h"

using namespace kernscope;
using namespace kernscope::ui;

/// Coarse tiles that are kept and put together from finer ones.
class TestWeightPyramids : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// A weight of several tiles, with odd extents, infinities and values that are not numbers.
    void initTestCase()
    {
        test::MadeBundle made;
        test::Bytes bytes(std::size_t{2} * 1101 * 1303);
        std::mt19937 random(3);
        for (std::size_t i = 0; i < bytes.size(); i += 2) {
            const bool zero = random() % 3 == 0, odd = random() % 5000 == 0;
            const auto bits =
                static_cast<std::uint16_t>(zero  ? 0
                                           : odd ? 0x7C00 + random() % 2
                                                 : (random() % 0x7000) + (random() % 2) * 0x8000);
            bytes[i] = static_cast<std::byte>(bits & 0xFF);
            bytes[i + 1] = static_cast<std::byte>(bits >> 8);
        }
        const std::string value = made.blob(ElementType::Fp16, "[1101, 1303]", bytes);
        made.constant("tensor<fp16, [1101, 1303]>", "w", value);
        made.consume("w");
        const auto opened = VERIFIED(made.open());
        m_bundle = *opened;
        QCOMPARE(m_bundle->weights().size(), std::size_t{1});
        QVERIFY(!m_bundle->weights()[0].fault);
    }

    void fromFinerIsTheSame_data()
    {
        test::addColumns<bool, int>();
        for (const bool values : {true, false}) {
            for (const int level : {1, 2, 3})
                QTest::addRow("%s, level %d", values ? "values" : "kept", level) << values << level;
        }
    }

    /// To the bit: boxes of tiles from finer ones against those from the cells, and the pictures.
    void fromFinerIsTheSame()
    {
        const auto [values, level] = test::fetched<bool, int>();
        const auto source = [&](const PicturePyramid &pyramid) -> TileSourcePtr {
            if (values)
                return std::make_shared<ValueTiles>(reader(), ValueColors::Signed, false, 2.0,
                                                    pyramid);
            return std::make_shared<MaskTiles>(reader(), false, pyramid);
        };
        const PicturePyramid up{std::make_shared<BoxStore>(), 1},
            direct{std::make_shared<BoxStore>(), 1};
        const TileSourcePtr built = source(up), read = source(direct), plain = source({});
        int tiles = 0;
        for (std::uint64_t row = 0; row < 8; ++row) {
            for (std::uint64_t col = 0; col < 8; ++col) {
                const TileKey key{level, row, col};
                if (plain->tileSize(key).isEmpty())
                    continue;
                ++tiles;
                drawWithFiner(*built, key);
                Progress progress;
                const QImage image = read->render(key, progress).image;
                QCOMPARE(built->render(key, progress).image, image);
                QCOMPARE(plain->render(key, progress).image, image);
                const BoxTilePtr a = up.store->find({1, key}), b = direct.store->find({1, key});
                QVERIFY(a && b);
                QCOMPARE(a->size, b->size);
                QVERIFY(a->boxes == b->boxes);
                std::uint64_t cells = 0;
                for (const Box &box : a->boxes)
                    cells += box.count;
                const std::uint64_t side = std::uint64_t{kTileSide} << level;
                QCOMPARE(cells, std::min<std::uint64_t>(side, 1101 - key.firstRow()) *
                                    std::min<std::uint64_t>(side, 1303 - key.firstCol()));
            }
        }
        QVERIFY(tiles >= 1);
    }

    void finerOnesAreNotReadAgain()
    {
        const PicturePyramid pyramid{std::make_shared<BoxStore>(), 7};
        const ValueTiles source(reader(), ValueColors::Signed, false, 1.0, pyramid);
        const TileKey key{2, 0, 0};
        for (const TileKey &child : finer(source, key)) {
            Progress progress;
            QVERIFY(!source.render(child, progress).image.isNull());
        }
        int reads = 0;
        const auto count = [&reads](const TileKey &) {
            ++reads;
            return std::make_shared<const BoxTile>();
        };
        QVERIFY(pyramid.tile(source, key, count));
        QVERIFY(pyramid.tile(source, key, count));
        QCOMPARE(reads, 0);
        QVERIFY(pyramid.tile(source, {2, 0, 1}, count)); // its finer ones are not there
        QCOMPARE(reads, 1);
    }

    void samplesAreReadThemselves()
    {
        const PicturePyramid pyramid{std::make_shared<BoxStore>(), 7};
        const ValueTiles source(reader(), ValueColors::Signed, false, 1.0, pyramid);
        drawWithFiner(source, {PicturePyramid::kExactLevel, 0, 0});
        int reads = 0;
        QVERIFY(pyramid.tile(source, {PicturePyramid::kExactLevel + 1, 0, 0}, [&](const TileKey &) {
            ++reads;
            return std::make_shared<const BoxTile>();
        }));
        QCOMPARE(reads, 1);
    }

    void cancelledIsNotKept()
    {
        const PicturePyramid pyramid{std::make_shared<BoxStore>(), 1};
        const ValueTiles source(reader(), ValueColors::Signed, false, 1.0, pyramid);
        QVERIFY(!pyramid.tile(source, {1, 0, 0}, [](const TileKey &) { return BoxTilePtr(); }));
        QCOMPARE(pyramid.store->bytes(), qsizetype{0});
    }

    void memoryIsBounded()
    {
        BoxStore store(qsizetype{4} << 20);
        for (std::uint64_t i = 0; i < 100; ++i) {
            auto tile = std::make_shared<BoxTile>();
            tile->size = QSize(kTileSide, kTileSide);
            tile->boxes.resize(std::size_t{kTileSide} * kTileSide);
            store.insert({1, {1, i, 0}}, tile);
            QVERIFY(store.bytes() <= store.limit());
            QVERIFY(store.find({1, {1, i, 0}})); // the newest stays
        }
        QVERIFY(store.bytes() > 0);
        QVERIFY(!store.find({1, {1, 0, 0}})); // the oldest went
        QVERIFY(!store.find({2, {1, 99, 0}}));
        QVERIFY(BoxStore().limit() <= qsizetype{64} << 20);
    }

    void viewsShareUntilAnEdit()
    {
        Session session;
        session.setBundle(m_bundle);
        WeightPyramids &all = WeightPyramids::of(session);
        QCOMPARE(&WeightPyramids::of(session), &all);
        const SliceMap whole(m_bundle->weights()[0].shape);
        const SliceMap turned(m_bundle->weights()[0].shape, 1, {});
        const auto number = [&](const SliceMap &map, WeightPyramids::Kind kind) {
            return all.pyramid(m_bundle.get(), 0, map, kind).picture;
        };
        const auto first = number(whole, WeightPyramids::Kind::Values);
        QCOMPARE(number(whole, WeightPyramids::Kind::Values), first);
        QVERIFY(number(whole, WeightPyramids::Kind::Kept) != first);
        QVERIFY(number(turned, WeightPyramids::Kind::Values) != first);
        // Another view in other colours finds what the first one drew.
        Progress progress;
        const PicturePyramid shared =
            all.pyramid(m_bundle.get(), 0, whole, WeightPyramids::Kind::Values);
        (void)ValueTiles(reader(), ValueColors::Signed, false, 0, shared)
            .render({3, 0, 0}, progress);
        const qsizetype bytes = all.store().bytes();
        QVERIFY(bytes > 0);
        (void)ValueTiles(reader(), ValueColors::Magnitude, true, 0, shared)
            .render({3, 0, 0}, progress);
        QCOMPARE(all.store().bytes(), bytes);
        session.updateBundle(m_bundle); // as after an edit
        QVERIFY(number(whole, WeightPyramids::Kind::Values) != first);
    }

private:
    WeightReaderPtr reader() const
    {
        return std::make_shared<const WeightReader>(m_bundle, 0,
                                                    SliceMap(m_bundle->weights()[0].shape));
    }
    /// The tiles that stand for the same cells one level finer.
    static std::vector<TileKey> finer(const TileSource &source, const TileKey &key)
    {
        std::vector<TileKey> keys;
        for (std::uint64_t i = 0; i < 4; ++i) {
            const TileKey child{key.level - 1, 2 * key.row + i / 2, 2 * key.col + i % 2};
            if (!source.tileSize(child).isEmpty())
                keys.push_back(child);
        }
        return keys;
    }
    void drawWithFiner(const TileSource &source, const TileKey &key) const
    {
        Progress progress;
        if (key.level > 1) {
            for (const TileKey &child : finer(source, key))
                drawWithFiner(source, child);
        }
        QVERIFY(!source.render(key, progress).image.isNull());
    }

    BundlePtr m_bundle;
};

KERNSCOPE_TEST(TestWeightPyramids, QCoreApplication)
#include "tst_weight_pyramids.moc"
