// SPDX-License-Identifier: GPL-3.0-or-later
#include "made_bundle.h"
#include "tests/core/bundle/made_bundle.h"
#include "tests/widgets/sample_session.h"
#include "widgets/common/view_state.h"
#include "widgets/models/session.h"
#include "widgets/weight/weight_dock.h"
#include "widgets/weight/weight_tiles.h"

using namespace kernscope::ui;

using kernscope::codec::PartRole;

/// Coarse tiles that are kept and put together from finer ones.
class TestWeightTiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsSlices_data() { addBuilds(); }

    /// Every slice of every weight reads what the decoder says of each element alone.
    void readsSlices()
    {
        QFETCH(QString, build);
        const BundlePtr bundle = VERIFIED(openSample(build.toStdString()));
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

    void maskCellsAreExact_data() { addThemes(); }

    void maskCellsAreExact()
    {
        QFETCH(bool, dark);
        const BundlePtr bundle = VERIFIED(openSample("sparse"));
        const std::size_t weight = weightWith(*bundle, PartRole::Mask);
        QVERIFY(weight != kNoIndex);
        const MaskTiles tiles(reader(bundle, weight), dark);
        Progress progress;
        const Tile tile = tiles.render({0, 0, 0}, progress);
        QCOMPARE(tile.image.size(), tiles.tileSize({0, 0, 0}));
        const auto decoder = bundle->decoder(weight);
        int kept = 0, left = 0;
        for (int y = 0; y < tile.image.height(); ++y) {
            for (int x = 0; x < tile.image.width(); ++x) {
                const auto element =
                    tiles.reader().map().element(std::uint64_t(y), std::uint64_t(x));
                const bool stored = decoder->stored(*element);
                QCOMPARE(tile.image.pixel(x, y), MaskTiles::shade(stored ? 1 : 0, dark));
                const auto index = std::size_t(y * tile.image.width() + x);
                QCOMPARE(tile.marks[index].shape, stored ? CellShape::Square : CellShape::Dot);
                ++(stored ? kept : left);
            }
        }
        QVERIFY(kept > 0 && left > 0);
        QVERIFY(theme::contrast(MaskTiles::shade(0, dark), MaskTiles::shade(1, dark)) > 4.5);
    }

    void maskDensityFarOut()
    {
        const BundlePtr bundle = VERIFIED(openSample("sparse"));
        const std::size_t weight = weightWith(*bundle, PartRole::Mask);
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
                        const auto element = tiles.reader().map().element(std::uint64_t(y) * 4 + r,
                                                                          std::uint64_t(x) * 4 + c);
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
        const BundlePtr bundle = VERIFIED(openSample("dense"));
        const std::size_t weight = weightWith(*bundle, PartRole::Data);
        const ValueTiles tiles(reader(bundle, weight), ValueColors::Signed, false);
        Progress progress;
        const Tile tile = tiles.render({0, 0, 0}, progress);
        QVERIFY(tiles.range() > 0);
        for (std::size_t i = 0; i < tile.values.size(); ++i) {
            const int width = tile.image.width();
            const QColor color = tile.image.pixelColor(int(i) % width, int(i) / width);
            const auto value = double(tile.values[i]);
            if (value > tiles.range() / 4)
                QVERIFY2(color.red() > color.blue(), qPrintable(QString::number(value)));
            if (value < -tiles.range() / 4)
                QVERIFY2(color.blue() > color.red(), qPrintable(QString::number(value)));
            if (std::abs(value) >= tiles.range())
                QCOMPARE(color.rgb(), theme::diverging(value > 0 ? 1 : -1, false).rgb());
        }
    }

    void leftOutCellsAreBlank()
    {
        const BundlePtr bundle = VERIFIED(openSample("sparse"));
        const std::size_t weight = weightWith(*bundle, PartRole::Mask);
        const ValueTiles tiles(reader(bundle, weight), ValueColors::Magnitude, true);
        const auto decoder = bundle->decoder(weight);
        Progress progress;
        const Tile tile = tiles.render({0, 0, 0}, progress);
        for (int x = 0; x < tile.image.width(); ++x) {
            const auto element = tiles.reader().map().element(0, std::uint64_t(x));
            const bool stored = decoder->stored(*element);
            QCOMPARE(qAlpha(tile.image.pixel(x, 0)), stored ? 255 : 0);
            const auto index = std::size_t(x);
            QCOMPARE(tiles.cellText(tile, index).isEmpty(), !stored);
        }
    }

    void cancelledTileIsNull()
    {
        const BundlePtr bundle = VERIFIED(openSample("sparse"));
        const WeightReaderPtr slice = reader(bundle, weightWith(*bundle, PartRole::Mask));
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
        addColumns<QByteArray, QByteArray, ValueTiles::Only, QString>();
        const QByteArray zero("\x00\x00", 2), nan("\x01\x7e", 2), one("\x00\x3c", 2);
        addRow("zeros", zero, zero, ValueTiles::Only::Zeros, u"all 0"_s);
        addRow("one number", zero, one, ValueTiles::Only::Values, QString());
        addRow("NaN", nan, nan, ValueTiles::Only::NoNumbers, u"no finite value"_s);
        addRow("NaN and zero", nan, zero, ValueTiles::Only::Values, QString());
    }

    /// Under a picture of many side by side: both numbers and colours between them, or nothing.
    void narrowScalesAreWhole()
    {
        ColorScale scale;
        scale.showValues(ValueColors::Signed, 0.622, ValueTiles::Only::Values);
        const auto inkOf = [&scale](int width) {
            scale.resize(width, scale.sizeHint().height());
            const QImage picture = scale.grab().toImage();
            QList<bool> ink;
            for (int x = 0; x < width; ++x) {
                bool any = false;
                for (int y = 0; y < picture.height(); ++y)
                    any |= picture.pixel(x, y) != picture.pixel(0, 0);
                ink += any;
            }
            return ink;
        };
        const int words = scale.fontMetrics().horizontalAdvance(u"-0.622"_s);
        const QList<bool> narrow = inkOf(2 * words + theme::em(&scale, 2));
        QVERIFY(narrow.first(words).contains(true) && narrow.last(words).contains(true));
        QVERIFY(narrow[narrow.size() / 2]);
        QVERIFY(!inkOf(2 * words).contains(true));
    }

    /// A map of one colour says which value that is, instead of a range that no value has.
    void nothingButZeros()
    {
        const auto [half, last, only, words] =
            fetched<QByteArray, QByteArray, ValueTiles::Only, QString>();
        MadeBundle made;
        made.weight("w", "[10, 10]", asBytes(half.repeated(99) + last));
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

    /// NaN and infinity are no large values: they have a colour of their own, near and far out.
    void notFiniteHasItsColour()
    {
        for (const QByteArray &odd : {QByteArray("\x01\x7e", 2), QByteArray("\x00\x7c", 2)}) {
            MadeBundle made;
            made.weight("w", "[10, 10]", asBytes(odd + QByteArray("\x00\x3c", 2).repeated(99)));
            const auto bundle = VERIFIED(made.open());
            const ValueTiles tiles(reader(*bundle, 0), ValueColors::Signed, false);
            const QRgb its = theme::color(Token::OutRefused, false).rgb();
            Progress progress;
            const Tile near = tiles.render({0, 0, 0}, progress);
            QCOMPARE(near.image.pixel(0, 0), its);
            QVERIFY(near.image.pixel(1, 0) != its);
            QCOMPARE(near.marks[0].shape, CellShape::Cross);
            const QImage far = tiles.render({2, 0, 0}, progress).image;
            QCOMPARE(far.pixel(0, 0), its);
            QVERIFY(far.pixel(1, 0) != its);
            QCOMPARE(tiles.merged(std::array{near.image.pixel(1, 0), its}), its);
            // It stands beside the scale.
            ColorScale scale;
            scale.showValues(ValueColors::Signed, 1, ValueTiles::Only::Values);
            const int width = scale.sizeHint().width();
            scale.showValues(ValueColors::Signed, 1, ValueTiles::Only::Values,
                             tiles.showsNotFinite());
            QVERIFY(scale.text().contains(u"NaN"_s) && scale.sizeHint().width() > width);
        }
    }

    /// A shape with an extent of 0 leaves nothing to draw: a sentence says so.
    void noElements()
    {
        MadeBundle made;
        made.weight("none", "[0, 4]", Bytes());
        const auto bundle = VERIFIED(made.open());
        QVERIFY(!(*bundle)->weights().empty() && !(*bundle)->weights()[0].fault);
        auto [session, dock] = Alone<WeightDock>();
        session.setBundle(*bundle);
        session.goToWeight(0);
        QVERIFY(showDock(dock, 600, 400));
        QVERIFY(!dock.showsContent());
        QVERIFY(says(dock, u"no elements"_s));
    }

    void everyElementHasOneCell_data()
    {
        addColumns<Shape, qulonglong>();
        addRow("scalar", Shape{}, 0ull);
        addRow("one", Shape{1}, 0ull);
        addRow("short vector", Shape{31}, 0ull);
        addRow("wrapped vector", Shape{1000}, 0ull);
        addRow("matrix", Shape{7, 5}, 0ull);
        addRow("matrix turned", Shape{7, 5}, 1ull);
        addRow("conv", Shape{4, 3, 2, 5}, 0ull);
        addRow("conv by ky", Shape{4, 3, 2, 5}, 2ull);
        addRow("empty", Shape{4, 0, 2}, 0ull);
    }

    void everyElementHasOneCell()
    {
        const auto [shape, rowAxis] = fetched<Shape, qulonglong>();
        const SliceMap map(shape, rowAxis, {});
        QVERIFY(map.whole());
        std::set<std::uint64_t> seen;
        for (std::uint64_t row = 0; row < map.rows(); ++row) {
            for (std::uint64_t col = 0; col < map.cols(); ++col) {
                const auto element = map.element(row, col);
                if (!element)
                    continue;
                QVERIFY(seen.insert(*element).second);
                QCOMPARE(map.cell(*element), std::pair(row, col));
            }
        }
        const std::uint64_t count = elementCount(shape)->value;
        QCOMPARE(seen.size(), count);
        QVERIFY(count == 0 || *seen.rbegin() == count - 1);
        QVERIFY(!map.element(map.rows(), 0));
        QVERIFY(!map.cell(count));
    }

    void partsOfLargerTensors_data()
    {
        addColumns<Shape, qulonglong, qulonglong, qulonglong>();
        addRow("rows", Shape{9, 4}, 0ull, 3ull, 5ull);
        addRow("columns", Shape{4, 9}, 1ull, 3ull, 5ull);
        addRow("middle axis", Shape{3, 7, 2, 2}, 1ull, 2ull, 4ull);
        addRow("last axis", Shape{3, 2, 8}, 2ull, 6ull, 2ull);
        addRow("vector", Shape{500}, 0ull, 100ull, 300ull);
        addRow("one column", Shape{64, 3}, 1ull, 1ull, 1ull);
        addRow("one row", Shape{3, 64}, 0ull, 2ull, 1ull);
    }

    /// Cells are those of a tensor of the part's shape, elements those of the whole one.
    void partsOfLargerTensors()
    {
        const auto [whole, axis, first, count] =
            fetched<Shape, qulonglong, qulonglong, qulonglong>();
        const SliceMap all(whole), part = SliceMap::part(whole, axis, first, count);
        const SliceMap alone(part.shape());
        QCOMPARE(part.rows(), alone.rows());
        QCOMPARE(part.cols(), alone.cols());
        QVERIFY(part != alone);
        std::set<std::uint64_t> seen;
        for (std::uint64_t row = 0; row < part.rows(); ++row) {
            for (std::uint64_t col = 0; col < part.cols(); ++col) {
                const auto element = part.element(row, col), own = alone.element(row, col);
                QCOMPARE(element.has_value(), own.has_value());
                if (!element)
                    continue;
                auto indices = alone.indices(*own);
                indices[axis] += first;
                QCOMPARE(part.indices(*element), indices);
                QCOMPARE(all.indices(*element), indices);
                QCOMPARE(part.cell(*element), std::optional(std::pair(row, col)));
                QVERIFY(seen.insert(*element).second);
                const std::uint64_t run = part.run(row, col, part.cols());
                QVERIFY(run > 0);
                for (std::uint64_t i = 0; i < run; ++i)
                    QCOMPARE(part.element(row, col + i), std::optional(*element + i));
            }
        }
        for (std::uint64_t element = 0; element < elementCount(whole)->value; ++element)
            QCOMPARE(part.cell(element).has_value(), seen.count(element) == 1);
    }

    void heldAxes()
    {
        const SliceMap map({4, 3, 2, 5}, 0, {std::nullopt, 2, std::nullopt, 9});
        QVERIFY(!map.whole());
        QCOMPARE(map.rows(), 4u);
        QCOMPARE(map.cols(), 2u);     // only ky is left
        QCOMPARE(*map.held()[3], 4u); // past the end counts as the last
        QCOMPARE(map.indices(*map.element(3, 1)), (std::vector<std::uint64_t>{3, 2, 1, 4}));
        QVERIFY(!map.cell(0)); // in channel 0 is not on view
        const SliceMap moved = map.containing(0);
        QCOMPARE(*moved.held()[1], 0u);
        QCOMPARE(moved.cell(0), std::pair(std::uint64_t{0}, std::uint64_t{0}));
    }

    void runsFollowEachOther()
    {
        std::mt19937 random(7);
        for (int round = 0; round < 300; ++round) {
            Shape shape;
            std::vector<std::optional<std::uint64_t>> held;
            for (std::size_t axis = 0; axis < 1 + random() % 4; ++axis) {
                shape.push_back(1 + random() % 6);
                held.push_back(random() % 3 == 0
                                   ? std::optional<std::uint64_t>(random() % shape.back())
                                   : std::nullopt);
            }
            const SliceMap map(shape, random() % shape.size(), held);
            const std::uint64_t row = random() % map.rows(), col = random() % map.cols();
            const std::uint64_t run = map.run(row, col, 1 + random() % 9);
            QVERIFY(run >= 1 || !map.element(row, col));
            for (std::uint64_t i = 0; i < run; ++i)
                QCOMPARE(map.element(row, col + i), *map.element(row, col) + i);
        }
    }

    void words()
    {
        const SliceMap map(Shape{4, 3, 2, 5});
        QCOMPARE(map.indexText(31), u"[1, 0, 0, 1]"_s);
        QCOMPARE(map.columnText(11), u"1,0,1"_s);
        QCOMPARE(map.rowText(3), u"3"_s);
        const SliceMap wrapped(Shape{1000});
        QCOMPARE(wrapped.cols(), 32u);
        QCOMPARE(wrapped.rowText(2), u"64"_s);
        QCOMPARE(wrapped.columnText(3), u"+3"_s);
    }

    void hugeShapes()
    {
        const SliceMap line({std::uint64_t{1} << 40});
        QCOMPARE(line.rows(), std::uint64_t{1} << 20);
        QCOMPARE(*line.element((std::uint64_t{1} << 20) - 1, (std::uint64_t{1} << 20) - 1),
                 (std::uint64_t{1} << 40) - 1);
        const SliceMap square({std::uint64_t{1} << 20, std::uint64_t{1} << 20});
        QCOMPARE(square.cell((std::uint64_t{1} << 40) - 1),
                 std::pair((std::uint64_t{1} << 20) - 1, (std::uint64_t{1} << 20) - 1));
    }

    void boxesStayInside_data()
    {
        addColumns<int, qulonglong, qulonglong>();
        addRow("cells", 0, 300ull, 301ull);
        addRow("exact", 3, 5000ull, 2055ull);
        addRow("sampled", 7, 40000ull, 39999ull);
        addRow("thin", 12, 3ull, 1ull << 30);
    }

    void boxesStayInside()
    {
        const auto [level, rows, cols] = fetched<int, qulonglong, qulonglong>();
        const TileKey key{level, 0, (cols >> level) / kTileSide};
        const BoxSampler sampler(key, rows, cols);
        const std::uint64_t side = std::uint64_t{1} << level;
        const int width = int(((cols - key.firstCol() - 1) >> level) + 1);
        for (int y = 0; y < 40; ++y) {
            for (std::uint64_t k = 0; k < sampler.rowsPerBox(); ++k) {
                const std::uint64_t top = std::uint64_t(y) * side;
                QVERIFY(sampler.row(y, k) >= top && sampler.row(y, k) < top + side);
                for (int x = 0; x < width; ++x) {
                    const std::uint64_t left = key.firstCol() + std::uint64_t(x) * side;
                    const std::uint64_t col = sampler.col(x, y, k);
                    QVERIFY(col >= left && col < cols && col < left + side);
                    QVERIFY(sampler.exact() || col + sampler.run() <= left + side);
                }
            }
        }
    }

    void geometryFits()
    {
        const ViewGeometry wide(ViewState{}, QSizeF(600, 400), 1.0, 1000, 6000);
        QCOMPARE(wide.scale(), 0.1);
        QCOMPARE(wide.xOf(0), 0.0);
        QCOMPARE(wide.xOf(6000), 600.0);
        QCOMPARE(wide.level(), 4);
        const ViewGeometry sharp(ViewState{}, QSizeF(600, 400), 2.0, 1000, 6000);
        QCOMPARE(sharp.level(), 3); // half the size of a pixel: one level finer
        const ViewGeometry small(ViewState{}, QSizeF(600, 400), 1.0, 3, 3);
        QCOMPARE(small.level(), 0);
        QCOMPARE(small.scale(), ViewGeometry::kMaxScale / 2);
    }

    /// Cells that are merged along their shorter side are still told apart along the other one.
    void geometryOfStretchedCells()
    {
        // 96 rows of 864 cells: each is 0.42 pixels wide and 2.2 high.
        const ViewGeometry flat(ViewState{}, QSizeF(360, 212), 1.0, 96, 864, 16);
        QCOMPARE(flat.level(), 0);
        QCOMPARE(flat.moreAcross(), 2);
        QCOMPARE(flat.moreDown(), 0);
        const ViewGeometry tall(ViewState{}, QSizeF(212, 360), 1.0, 864, 96, 16);
        QCOMPARE(tall.level(), 0);
        QCOMPARE(tall.moreAcross(), 0);
        QCOMPARE(tall.moreDown(), 2);
        const ViewGeometry square(ViewState{}, QSizeF(360, 212), 1.0, 96, 864);
        QCOMPARE(square.level(), 2);
        QCOMPARE(square.moreAcross() + square.moreDown(), 0);
        // Where every cell would have to be read for a few pixels, both directions are coarse.
        const ViewGeometry huge(ViewState{}, QSizeF(360, 212), 1.0, 10000, 1000000, 16);
        QCOMPARE(huge.moreAcross() + huge.moreDown(), 0);
        QVERIFY(huge.level() > 6);
    }

    /// A weight of several tiles, with odd extents, infinities and values that are not numbers.
    void initTestCase()
    {
        MadeBundle made;
        Bytes bytes(std::size_t{2} * 1101 * 1303);
        std::mt19937 random(3);
        for (std::size_t i = 0; i < bytes.size(); i += 2) {
            const bool zero = random() % 3 == 0, odd = random() % 5000 == 0;
            const auto bits = std::uint16_t(zero  ? 0
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
        QCOMPARE(m_bundle->weights().size(), 1U);
        QVERIFY(!m_bundle->weights()[0].fault);
    }

    void fromFinerIsTheSame_data()
    {
        addColumns<bool, int>();
        for (const bool values : {true, false}) {
            for (const int level : {1, 2, 3})
                QTest::addRow("%s, level %d", values ? "values" : "kept", level) << values << level;
        }
    }

    /// To the bit: boxes of tiles from finer ones against those from the cells, and the pictures.
    void fromFinerIsTheSame()
    {
        const auto [values, level] = fetched<bool, int>();
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
    static WeightReaderPtr reader(const BundlePtr &bundle, std::size_t weight)
    {
        return std::make_shared<const WeightReader>(bundle, weight,
                                                    SliceMap(bundle->weights()[weight].shape));
    }
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

KERNSCOPE_TEST(TestWeightTiles, QApplication)
#include "tst_weight_tiles.moc"
