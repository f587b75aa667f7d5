// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "widgets/common/box_pyramid.h"
#include "widgets/common/view_state.h"
#include "widgets/models/weight_reader.h"

using namespace kernscope;
using namespace kernscope::ui;

class TestSliceMap : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyElementHasOneCell_data()
    {
        test::addColumns<Shape, qulonglong>();
        test::addRow("scalar", Shape{}, 0ull);
        test::addRow("one", Shape{1}, 0ull);
        test::addRow("short vector", Shape{31}, 0ull);
        test::addRow("wrapped vector", Shape{1000}, 0ull);
        test::addRow("matrix", Shape{7, 5}, 0ull);
        test::addRow("matrix turned", Shape{7, 5}, 1ull);
        test::addRow("conv", Shape{4, 3, 2, 5}, 0ull);
        test::addRow("conv by ky", Shape{4, 3, 2, 5}, 2ull);
        test::addRow("empty", Shape{4, 0, 2}, 0ull);
    }

    void everyElementHasOneCell()
    {
        const auto [shape, rowAxis] = test::fetched<Shape, qulonglong>();
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
        test::addColumns<Shape, qulonglong, qulonglong, qulonglong>();
        test::addRow("rows", Shape{9, 4}, 0ull, 3ull, 5ull);
        test::addRow("columns", Shape{4, 9}, 1ull, 3ull, 5ull);
        test::addRow("middle axis", Shape{3, 7, 2, 2}, 1ull, 2ull, 4ull);
        test::addRow("last axis", Shape{3, 2, 8}, 2ull, 6ull, 2ull);
        test::addRow("vector", Shape{500}, 0ull, 100ull, 300ull);
        test::addRow("one column", Shape{64, 3}, 1ull, 1ull, 1ull);
        test::addRow("one row", Shape{3, 64}, 0ull, 2ull, 1ull);
    }

    /// Cells are those of a tensor of the part's shape, elements those of the whole one.
    void partsOfLargerTensors()
    {
        const auto [whole, axis, first, count] =
            test::fetched<Shape, qulonglong, qulonglong, qulonglong>();
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
        test::addColumns<int, qulonglong, qulonglong>();
        test::addRow("cells", 0, 300ull, 301ull);
        test::addRow("exact", 3, 5000ull, 2055ull);
        test::addRow("sampled", 7, 40000ull, 39999ull);
        test::addRow("thin", 12, 3ull, 1ull << 30);
    }

    void boxesStayInside()
    {
        const auto [level, rows, cols] = test::fetched<int, qulonglong, qulonglong>();
        const TileKey key{level, 0, (cols >> level) / kTileSide};
        const BoxSampler sampler(key, rows, cols);
        const std::uint64_t side = std::uint64_t{1} << level;
        const int width = static_cast<int>(((cols - key.firstCol() - 1) >> level) + 1);
        for (int y = 0; y < 40; ++y) {
            for (std::uint64_t k = 0; k < sampler.rowsPerBox(); ++k) {
                const std::uint64_t top = static_cast<std::uint64_t>(y) * side;
                QVERIFY(sampler.row(y, k) >= top && sampler.row(y, k) < top + side);
                for (int x = 0; x < width; ++x) {
                    const std::uint64_t left =
                        key.firstCol() + static_cast<std::uint64_t>(x) * side;
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
};

KERNSCOPE_TEST(TestSliceMap, kernscope::test::NoApplication)
#include "tst_slice_map.moc"
