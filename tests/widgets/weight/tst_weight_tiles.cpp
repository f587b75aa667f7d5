// SPDX-License-Identifier: GPL-3.0-or-later
#include "made_bundle.h"
#include "tests/widgets/sample_session.h"
#include "widgets/weight/weight_dock.h"
#include "widgets/weight/weight_tiles.h"

using namespace kernscope;
using namespace kernscope::ui;
using kernscope::codec::PartRole;

class TestWeightTiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsSlices_data() { test::addBuilds(); }

    /// Every slice of every weight reads what the decoder says of each element alone.
    void readsSlices()
    {
        QFETCH(QString, build);
        const BundlePtr bundle = VERIFIED(test::openSample(build.toStdString()));
        for (std::size_t w = 0; w < bundle->weights().size(); ++w) {
            const Weight &weight = bundle->weights()[w];
            const auto decoder = VERIFIED(bundle->decoder(w));
            for (std::size_t axis = 0; axis < std::max<std::size_t>(weight.shape.size(), 1);
                 ++axis) {
                std::vector<std::optional<std::uint64_t>> held(weight.shape.size());
                if (weight.shape.size() > 2)
                    held[(axis + 1) % weight.shape.size()] = 0;
                const WeightReader slice(bundle, w, SliceMap(weight.shape, axis, held));
                const std::uint64_t row = slice.map().rows() / 2;
                std::vector<float> values(slice.map().cols());
                std::vector<std::int64_t> codes(values.size());
                std::vector<std::uint8_t> kept(values.size());
                slice.values(*decoder, row, 0, values);
                slice.codes(*decoder, row, 0, codes);
                slice.kept(*decoder, row, 0, kept);
                for (std::uint64_t col = 0; col < values.size(); ++col) {
                    const auto element = slice.map().element(row, col);
                    if (!element) {
                        QCOMPARE(codes[col], codec::Decoder::kNotStored);
                        continue;
                    }
                    float value = 0;
                    std::int64_t code = 0;
                    decoder->decodeFloat(*element, {&value, 1});
                    decoder->codes(*element, {&code, 1});
                    QCOMPARE(values[col], value);
                    QCOMPARE(codes[col], code);
                    const bool expected =
                        weight.has(PartRole::Mask) ? decoder->stored(*element) : value != 0.0f;
                    QCOMPARE(kept[col] != 0, expected);
                }
            }
        }
    }

    void maskCellsAreExact_data() { test::addThemes(); }

    void maskCellsAreExact()
    {
        QFETCH(bool, dark);
        const BundlePtr bundle = VERIFIED(test::openSample("sparse"));
        const std::size_t weight = test::weightWith(*bundle, PartRole::Mask);
        QVERIFY(weight != kNoIndex);
        const MaskTiles tiles(reader(bundle, weight), dark);
        Progress progress;
        const Tile tile = tiles.render({0, 0, 0}, progress);
        QCOMPARE(tile.image.size(), tiles.tileSize({0, 0, 0}));
        const auto decoder = bundle->decoder(weight);
        int kept = 0, left = 0;
        for (int y = 0; y < tile.image.height(); ++y) {
            for (int x = 0; x < tile.image.width(); ++x) {
                const auto element = tiles.reader().map().element(static_cast<std::uint64_t>(y),
                                                                  static_cast<std::uint64_t>(x));
                const bool stored = decoder->stored(*element);
                QCOMPARE(tile.image.pixel(x, y), MaskTiles::shade(stored ? 1 : 0, dark));
                const auto index = static_cast<std::size_t>(y * tile.image.width() + x);
                QCOMPARE(tile.marks[index].shape, stored ? CellShape::Square : CellShape::Dot);
                ++(stored ? kept : left);
            }
        }
        QVERIFY(kept > 0 && left > 0);
        QVERIFY(theme::contrast(MaskTiles::shade(0, dark), MaskTiles::shade(1, dark)) > 4.5);
    }

    void maskDensityFarOut()
    {
        const BundlePtr bundle = VERIFIED(test::openSample("sparse"));
        const std::size_t weight = test::weightWith(*bundle, PartRole::Mask);
        const MaskTiles tiles(reader(bundle, weight), false);
        const auto decoder = bundle->decoder(weight);
        Progress progress;
        const int level = 2; // boxes of 4 by 4 are counted exactly
        const Tile tile = tiles.render({level, 0, 0}, progress);
        QVERIFY(!tile.image.isNull());
        for (int y = 0; y < tile.image.height(); ++y) {
            for (int x = 0; x < tile.image.width(); ++x) {
                double kept = 0, seen = 0;
                for (std::uint64_t r = 0; r < 4; ++r) {
                    for (std::uint64_t c = 0; c < 4; ++c) {
                        const auto element =
                            tiles.reader().map().element(static_cast<std::uint64_t>(y) * 4 + r,
                                                         static_cast<std::uint64_t>(x) * 4 + c);
                        if (!element)
                            continue;
                        ++seen;
                        kept += decoder->stored(*element) ? 1 : 0;
                    }
                }
                QCOMPARE(tile.image.pixel(x, y), MaskTiles::shade(kept / seen, false));
            }
        }
    }

    void valueColorsAreMonotone()
    {
        const BundlePtr bundle = VERIFIED(test::openSample("dense"));
        const std::size_t weight = test::weightWith(*bundle, PartRole::Data);
        const ValueTiles tiles(reader(bundle, weight), ValueColors::Signed, false);
        Progress progress;
        const Tile tile = tiles.render({0, 0, 0}, progress);
        QVERIFY(tiles.range() > 0);
        for (std::size_t i = 0; i < tile.values.size(); ++i) {
            const int width = tile.image.width();
            const QColor color =
                tile.image.pixelColor(static_cast<int>(i) % width, static_cast<int>(i) / width);
            const auto value = static_cast<double>(tile.values[i]);
            if (value > tiles.range() / 4)
                QVERIFY2(color.red() > color.blue(), qPrintable(QString::number(value)));
            if (value < -tiles.range() / 4)
                QVERIFY2(color.blue() > color.red(), qPrintable(QString::number(value)));
            if (std::abs(value) >= tiles.range())
                QCOMPARE(color.rgb(), theme::diverging(value > 0 ? 1 : -1, false).rgb());
        }
    }

    /// A cell that is not a number is a cross on the full colour, near and far out.
    void cellsThatAreNotNumbers()
    {
        test::MadeBundle made;
        made.weight("w", "[2, 4]", test::hex("007e 00fe 007c 00fc 003c 00bc 0000 017e"));
        const auto bundle = VERIFIED(made.open());
        const ValueTiles tiles(reader(*bundle, 0), ValueColors::Signed, false);
        Progress progress;
        const Tile near = tiles.render({0, 0, 0}, progress);
        QCOMPARE(near.values.size(), std::size_t(8));
        for (const std::size_t i : {0U, 1U, 7U}) {
            QVERIFY(near.marks[i].shape == CellShape::Cross);
            const int width = near.image.width();
            QCOMPARE(near.image.pixel(static_cast<int>(i) % width, static_cast<int>(i) / width),
                     theme::diverging(1, false).rgb());
        }
        QVERIFY(!tiles.render({1, 0, 0}, progress).image.isNull());
    }

    void leftOutCellsAreBlank()
    {
        const BundlePtr bundle = VERIFIED(test::openSample("sparse"));
        const std::size_t weight = test::weightWith(*bundle, PartRole::Mask);
        const ValueTiles tiles(reader(bundle, weight), ValueColors::Magnitude, true);
        const auto decoder = bundle->decoder(weight);
        Progress progress;
        const Tile tile = tiles.render({0, 0, 0}, progress);
        for (int x = 0; x < tile.image.width(); ++x) {
            const auto element = tiles.reader().map().element(0, static_cast<std::uint64_t>(x));
            const bool stored = decoder->stored(*element);
            QCOMPARE(qAlpha(tile.image.pixel(x, 0)), stored ? 255 : 0);
            const auto index = static_cast<std::size_t>(x);
            QCOMPARE(tiles.cellText(tile, index).isEmpty(), !stored);
        }
    }

    void cancelledTileIsNull()
    {
        const BundlePtr bundle = VERIFIED(test::openSample("sparse"));
        const WeightReaderPtr slice = reader(bundle, test::weightWith(*bundle, PartRole::Mask));
        Progress progress;
        progress.cancel();
        QVERIFY(MaskTiles(slice, false).render({0, 0, 0}, progress).image.isNull());
        QVERIFY(ValueTiles(slice, ValueColors::Signed, false)
                    .render({1, 0, 0}, progress)
                    .image.isNull());
    }

    void nothingButZeros_data()
    {
        // Bits of each value, little-endian, and of the last one.
        test::addColumns<QByteArray, QByteArray, ValueTiles::Only, QString>();
        const QByteArray zero("\x00\x00", 2), nan("\x01\x7e", 2), one("\x00\x3c", 2);
        test::addRow("zeros", zero, zero, ValueTiles::Only::Zeros, u"all 0"_s);
        test::addRow("one number", zero, one, ValueTiles::Only::Values, QString());
        test::addRow("NaN", nan, nan, ValueTiles::Only::NoNumbers, u"no finite value"_s);
        test::addRow("NaN and zero", nan, zero, ValueTiles::Only::Values, QString());
    }

    /// A map of one colour says which value that is, instead of a range that no value has.
    void nothingButZeros()
    {
        const auto [half, last, only, words] =
            test::fetched<QByteArray, QByteArray, ValueTiles::Only, QString>();
        test::MadeBundle made;
        made.weight("w", "[10, 10]", test::asBytes(half.repeated(99) + last));
        const auto bundle = VERIFIED(made.open());
        const ValueTiles tiles(reader(*bundle, 0), ValueColors::Signed, false);
        QCOMPARE(tiles.only(), ValueTiles::Only::Values); // not known yet
        Progress progress;
        const Tile tile = tiles.render({0, 0, 0}, progress);
        QCOMPARE(tiles.only(), only);
        ColorScale scale;
        scale.showValues(ValueColors::Signed, tiles.range(), tiles.only());
        QVERIFY2(words.isEmpty() ? scale.text().contains(u"from -1 to 1"_s) : scale.text() == words,
                 qPrintable(scale.text()));
        scale.resize(scale.sizeHint());
        if (half == last && only == ValueTiles::Only::Zeros) {
            QCOMPARE(tile.image.pixel(5, 5), theme::diverging(0, false).rgb());
            // The colour that the map has stands beside the word.
            const QImage picture = scale.grab().toImage();
            bool found = false;
            for (int x = 0; x < picture.width(); ++x)
                found |= picture.pixelColor(x, picture.height() / 2).rgb() ==
                         theme::diverging(0, false).rgb();
            QVERIFY(found);
        }
    }

    /// A shape with an extent of 0 leaves nothing to draw: a sentence says so.
    void noElements()
    {
        test::MadeBundle made;
        made.weight("none", "[0, 4]", test::Bytes());
        const auto bundle = VERIFIED(made.open());
        QVERIFY(!(*bundle)->weights().empty() && !(*bundle)->weights()[0].fault);
        auto [session, dock] = test::Alone<WeightDock>();
        session.setBundle(*bundle);
        session.goToWeight(0);
        QVERIFY(test::showDock(dock, 600, 400));
        QVERIFY(!dock.showsContent());
        QVERIFY(test::says(dock, u"no elements"_s));
    }

private:
    static WeightReaderPtr reader(const BundlePtr &bundle, std::size_t weight)
    {
        return std::make_shared<const WeightReader>(bundle, weight,
                                                    SliceMap(bundle->weights()[weight].shape));
    }
};

KERNSCOPE_TEST(TestWeightTiles, QApplication)
#include "tst_weight_tiles.moc"
