// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/compare/compare_tools.h"
#include "tests/widgets/compare/pair_bundles.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/panels.h"
#include "widgets/compare/pair_dock.h"
#include "widgets/compare/pair_plots.h"
#include "widgets/compare/places_dock.h"
#include "widgets/compare/scatter_plot.h"
#include "widgets/compare/verdict_strip.h"

using namespace kernscope::ui;
using kernscope::codec::PartRole;

namespace {

/// The inspector beside the dock whose pair it shows.
struct Docks {
    Session session;
    CompareDock compare{session};
    PairDock pair{session};

    Docks() { pair.inspect(compare); }
    bool show()
    {
        return showDock(compare, 900, 800) && showDock(pair, 300, 800) && settle(compare) &&
               settle(pair);
    }
    const PairFigures &figures() const { return *compare.figures(); }
    bool sees(const QWidget *widget) const { return widget->isVisibleTo(&pair); }
};

QString legendBelow(const TileView &picture)
{
    const QWidget *pane = picture.parentWidget()->parentWidget();
    return pane->findChild<ColorScale *>()->accessibleDescription();
}

} // namespace

/// The pictures of a pair, and the cell that is picked in them.
class TestComparePictures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { theme::apply(false); }

    void keptColors_data() { test::addThemes(); }

    void keptColors()
    {
        QFETCH(bool, dark);
        theme::apply(dark);
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, leftBundle(), rightBundle(), {1300, 800}));
        actionOf(dock, u"Zeros and Mask"_s)->trigger();
        QVERIFY(settle(dock));
        TileView &view = *dock.pictures()->viewDifference();
        QCOMPARE(colorAt(view, {0, 0}), keptColor(KeptState::Neither, dark));
        QCOMPARE(colorAt(view, {0, 1}), keptColor(KeptState::OnlyA, dark));
        QCOMPARE(colorAt(view, {0, 2}), keptColor(KeptState::Both, dark));
        QCOMPARE(colorAt(view, {0, 3}), keptColor(KeptState::OnlyB, dark));
        // Colour is not alone: every state has a shape of its own.
        QSet<int> shapes;
        for (const KeptState state : kKeptStates)
            shapes.insert(int(keptShape(state)));
        QCOMPARE(shapes.size(), 4);
    }

    void differenceColors()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, leftBundle(), rightBundle(), {1300, 800}));
        TileView &view = *dock.pictures()->viewDifference();
        QCOMPARE(colorAt(view, {1, 0}), theme::color(Token::DiffEqual, false));
        QCOMPARE(colorAt(view, {1, 1}), theme::color(Token::DiffMore, false));
        QCOMPARE(colorAt(view, {1, 2}), theme::color(Token::DiffLess, false));
        QCOMPARE(view.describe({1, 1}), u"[1, 1]: 3"_s);
    }

    /// What the colours of the difference mean is said by the differences that there are: of equal
    /// weights that there is none, of one that the sample does not meet its size.
    void legendOfTheDifference()
    {
        std::vector<float> values(300 * 200);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = float(i % 97) / 64.0f;
        auto one = values;
        const auto sample = [&values] {
            Progress progress;
            const auto a = denseBundle({{"w", "[300, 200]", values}});
            return *samplePair(*a, *a, {0, 0}, progress);
        }();
        std::uint64_t missed = 1;
        while (std::binary_search(sample.elements.begin(), sample.elements.end(), missed))
            ++missed;
        one[missed] += 0.25f;
        const auto legendOf = [](const std::vector<float> &b, const std::vector<float> &a) {
            auto [session, dock] = test::Alone<CompareDock>();
            session.setBundle(denseBundle({{"w", "[300, 200]", a}}));
            session.setOther(denseBundle({{"w", "[300, 200]", b}}));
            if (!showDock(dock, 1300, 800) || !settle(dock))
                return QString();
            return legendBelow(*dock.pictures()->viewDifference());
        };
        QCOMPARE(legendOf(values, values), u"no difference"_s);
        QCOMPARE(legendOf(one, values), u"blue -0.25 to orange +0.25"_s);
        const std::vector<float> small{1, 2, 3, 4};
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, denseBundle({{"w", "[2, 2]", small}}),
                         denseBundle({{"w", "[2, 2]", small}}), {1300, 800}));
        QVERIFY(settle(dock));
        QCOMPARE(legendBelow(*dock.pictures()->viewDifference()), u"no difference"_s);
    }

    /// One colour is one value: B is drawn in the range that A has alone and among builds.
    void oneRangeOfValues()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, denseBundle({{"w", "[2, 2]", {1, 2, 3, 4}}}),
                         denseBundle({{"w", "[2, 2]", {10, 20, 30, 40}}}), {1300, 800}));
        QVERIFY(settle(dock));
        for (const TileView *view : {dock.pictures()->viewA(), dock.pictures()->viewB()})
            QCOMPARE(legendBelow(*view), u"from -3 to 3"_s);
        session.setBundle(denseBundle({{"w", "[2, 2]", {0, 0, 0, 0}}}));
        QVERIFY(settle(dock));
        QCOMPARE(legendBelow(*dock.pictures()->viewA()), u"all 0"_s);
        QCOMPARE(legendBelow(*dock.pictures()->viewB()), u"from -30 to 30"_s);
    }

    /// Half of a value is half of it, however small it is; what appears where A has a zero is
    /// beyond every measure.
    void relativeDifference()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, denseBundle({{"w", "[2, 3]", {8, 0.125f, 2, 0, 4, 1}}}),
                         denseBundle({{"w", "[2, 3]", {8, 0.0625f, 2.5f, 0.5f, 2, 1}}}),
                         {1300, 800}));
        actionOf(dock, u"Relative Difference"_s)->trigger();
        QVERIFY(settle(dock));
        TileView &view = *dock.pictures()->viewDifference();
        QCOMPARE(legendBelow(view), u"blue -50 % to orange +50 %"_s);
        QCOMPARE(colorAt(view, {0, 0}), theme::color(Token::DiffEqual, false));
        QCOMPARE(colorAt(view, {0, 1}), theme::color(Token::DiffLess, false));
        const QColor half = colorAt(view, {0, 2}), wanted = theme::diverging(0.5, false);
        QVERIFY(std::abs(half.red() - wanted.red()) <= 2 &&
                std::abs(half.blue() - wanted.blue()) <= 2);
        QCOMPARE(colorAt(view, {1, 0}), theme::color(Token::DiffMore, false));
        QCOMPARE(colorAt(view, {1, 1}), theme::color(Token::DiffLess, false));
        actionOf(dock, u"Heat Maps"_s)->trigger();
        QVERIFY(settle(dock));
        QVERIFY(legendBelow(view).contains(u"+0.5"_s));
    }

    void farOutTheLargestShows()
    {
        std::vector<float> a(64 * 64, 1.0f), b = a;
        b[40 * 64 + 21] = 5;
        const auto left = denseBundle({{"w", "[64, 64]", a}}),
                   right = denseBundle({{"w", "[64, 64]", b}});
        const SliceMap map(Shape{64, 64});
        const DifferenceTiles tiles(std::make_shared<WeightReader>(left, 0, map),
                                    std::make_shared<WeightReader>(right, 0, map), false, 4.0);
        Progress progress;
        const Tile tile = tiles.render({3, 0, 0}, progress); // 8 x 8 cells a pixel
        QCOMPARE(tile.image.size(), QSize(8, 8));
        for (int y = 0; y < 8; ++y) {
            for (int x = 0; x < 8; ++x) {
                const Token token = x == 2 && y == 5 ? Token::DiffMore : Token::DiffEqual;
                QCOMPARE(tile.image.pixelColor(x, y), theme::color(token, false));
            }
        }
        const KeptTiles kept(std::make_shared<WeightReader>(left, 0, map),
                             std::make_shared<WeightReader>(right, 0, map), false);
        QCOMPARE(kept.render({3, 0, 0}, progress).image.pixelColor(0, 0),
                 keptColor(KeptState::Both, false));
        progress.cancel();
        QVERIFY(tiles.render({0, 0, 0}, progress).image.isNull());
    }

    /// What is not finite on one side is no large difference: it has a colour of its own.
    void notFiniteHasItsColour()
    {
        std::vector<float> a(64 * 64, 1.0f), b = a;
        a[0] = std::numeric_limits<float>::quiet_NaN();
        b[1] = std::numeric_limits<float>::infinity();
        const SliceMap map(Shape{64, 64});
        const DifferenceTiles tiles(
            std::make_shared<WeightReader>(denseBundle({{"w", "[64, 64]", a}}), 0, map),
            std::make_shared<WeightReader>(denseBundle({{"w", "[64, 64]", b}}), 0, map), false,
            4.0);
        const QColor its = theme::color(Token::OutRefused, false),
                     equal = theme::color(Token::DiffEqual, false);
        Progress progress;
        const Tile near = tiles.render({0, 0, 0}, progress);
        for (int x = 0; x < 3; ++x)
            QCOMPARE(near.image.pixelColor(x, 0), x < 2 ? its : equal);
        QCOMPARE(near.marks[1].shape, CellShape::Cross);
        const QImage far = tiles.render({3, 0, 0}, progress).image;
        QCOMPARE(far.pixelColor(0, 0), its);
        QCOMPARE(far.pixelColor(1, 0), equal);
        const QRgb most = theme::color(Token::DiffMore, false).rgb();
        QCOMPARE(tiles.merged(std::array{its.rgb(), most}), its.rgb());
    }

    /// A picture that fills its pane with cells that are narrower than a pixel and several pixels
    /// high shows each of its rows, and a single difference, before anybody zooms.
    void everyRowAtFirstSight()
    {
        constexpr std::uint64_t kRows = 48, kCols = 1200;
        std::vector<float> a(kRows * kCols);
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] = (i / kCols) % 2 == 0 ? 1.0f : -1.0f;
        std::vector<float> b = a;
        b[17 * kCols + 601] = 3;
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, denseBundle({{"w", "[48, 1200]", a}}),
                         denseBundle({{"w", "[48, 1200]", b}}), {1300, 800}));
        TileView &view = *dock.pictures()->viewA();
        const QImage picture = view.viewport()->grab().toImage();
        for (std::uint64_t row = 0; row < kRows; ++row) {
            const QPoint middle = view.cellRect({row, kCols / 2}).center();
            QVERIFY(view.cellRect({row, 0}).height() >= 2);
            const QColor color = picture.pixelColor(middle);
            QVERIFY2((color.red() > color.blue()) == (row % 2 == 0),
                     qPrintable(QString::number(row)));
        }
        TileView &difference = *dock.pictures()->viewDifference();
        const QImage differences = difference.viewport()->grab().toImage();
        const auto shown = [&](const Cell &cell) { // it may be narrower than a pixel
            const QRect rect = difference.cellRect(cell);
            return differences.pixelColor(rect.left(), rect.center().y());
        };
        QCOMPARE(shown({17, 601}), theme::color(Token::DiffMore, false));
        QCOMPARE(shown({16, 601}), theme::color(Token::DiffEqual, false));
        QCOMPARE(shown({18, 601}), theme::color(Token::DiffEqual, false));
        QCOMPARE(shown({17, 300}), theme::color(Token::DiffEqual, false));
        // Further in, nothing else is there than before.
        difference.setCurrentCell(Cell{17, 601});
        while (difference.cellRect({17, 601}).width() < 12)
            difference.zoomIn();
        QVERIFY(settle(dock));
        QCOMPARE(colorAt(difference, {17, 601}), theme::color(Token::DiffMore, false));
        QCOMPARE(colorAt(difference, {17, 602}), theme::color(Token::DiffEqual, false));
    }

    /// Coarse tiles put together from finer ones are those that are read, with what is no number
    /// and differences of either sign; drawn again, nothing is read.
    void coarseTilesAreKept()
    {
        constexpr std::size_t kSide = 700;
        std::vector<float> a(kSide * kSide), b(kSide * kSide);
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] = float(i % 13);
            b[i] = a[i] + float(int(i * 7 % 5) - 2) * (i % 3 == 0 ? 1.0f : 0);
        }
        b[3 * kSide + 5] = NAN; // one of many in its box, and not the last
        b[600 * kSide + 690] = -INFINITY;
        const auto left = denseBundle({{"w", "[700, 700]", a}}),
                   right = denseBundle({{"w", "[700, 700]", b}});
        const SliceMap map(Shape{kSide, kSide});
        const auto tiles = [&](PicturePyramid pyramid) {
            return DifferenceTiles(std::make_shared<WeightReader>(left, 0, map),
                                   std::make_shared<WeightReader>(right, 0, map), false, 4.0,
                                   DifferenceMeasure::Absolute, std::move(pyramid));
        };
        const auto store = std::make_shared<BoxStore>();
        const DifferenceTiles kept = tiles({store, 1}), plain = tiles({});
        Progress progress;
        for (std::uint64_t tile = 0; tile < 4; ++tile)
            QVERIFY(!kept.render({1, tile / 2, tile % 2}, progress).image.isNull());
        for (const int level : {1, 2, 3}) {
            const QImage image = plain.render({level, 0, 0}, progress).image;
            QCOMPARE(kept.render({level, 0, 0}, progress).image, image);
            QVERIFY(store->find({1, {level, 0, 0}}));
            const QColor noNumber = image.pixelColor(5 >> level, 3 >> level);
            QCOMPARE(noNumber, theme::color(Token::OutRefused, false));
        }
        // The same session's pictures find each other; those of the other measure do not.
        Session session;
        WeightPyramids &pyramids = WeightPyramids::of(session);
        const WeightPyramids::Slice from{left.get(), 0, map}, to{right.get(), 0, map};
        const auto number = [&](const auto &x, const auto &y, WeightPyramids::Kind kind) {
            return pyramids.pyramidOfPair(x, y, kind).picture;
        };
        const auto first = number(from, to, WeightPyramids::Kind::Difference);
        QCOMPARE(number(from, to, WeightPyramids::Kind::Difference), first);
        QVERIFY(number(to, from, WeightPyramids::Kind::Difference) != first);
        QVERIFY(number(from, to, WeightPyramids::Kind::RelativeDifference) != first);
    }

    void oneViewPosition()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, openSample("dense"), openSample("sparse"), {1300, 800}));
        TileView *a = dock.pictures()->viewA(), *b = dock.pictures()->viewB();
        TileView *difference = dock.pictures()->viewDifference();
        a->zoomIn();
        a->zoomIn();
        QVERIFY(!a->viewState().fits());
        QCOMPARE(b->viewState(), a->viewState());
        QCOMPARE(difference->viewState(), a->viewState());
        b->setFocus();
        QTest::keyClick(b, Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(a->viewState(), b->viewState());
        difference->fit();
        QVERIFY(a->viewState().fits() && b->viewState().fits());
        // Another mode keeps the place.
        b->zoomIn();
        const ViewState state = b->viewState();
        actionOf(dock, u"Zeros and Mask"_s)->trigger();
        QCOMPARE(a->viewState(), state);
        QCOMPARE(difference->viewState(), state);
    }

    void cellsMoveEverybody()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, leftBundle(), rightBundle(), {1300, 800}));
        TileView *difference = dock.pictures()->viewDifference();
        QTest::mouseClick(difference->viewport(), Qt::LeftButton, {},
                          difference->cellRect({1, 1}).center());
        QVERIFY(settle(dock));
        QCOMPARE(session.place().weight, 0U);
        QCOMPARE(session.place().element, std::optional<std::uint64_t>(5));
        QCOMPARE(dock.pictures()->viewA()->currentCell(), std::optional(Cell{1, 1}));
        QCOMPARE(dock.pictures()->viewB()->currentCell(), std::optional(Cell{1, 1}));
        const QString readout = dock.pictures()->readout();
        QVERIFY2(readout.contains(u"A 5"_s) && readout.contains(u"B 8"_s) &&
                     readout.contains(u"changed"_s),
                 qPrintable(readout));
        ScatterPlot *scatter = dock.figures()->scatterPlot();
        QCOMPARE(scatter->elementOf(scatter->currentPoint()), 5U);
        // A point of the scatter moves the pictures.
        Q_EMIT scatter->currentPointChanged(scatter->pointOf(6, 3));
        QCOMPARE(difference->currentCell(), std::optional(Cell{1, 2}));
        QCOMPARE(session.place().element, std::optional<std::uint64_t>(6));
    }

    void largestDifference()
    {
        std::vector<float> a(100 * 1000, 0.5f), b = a;
        b[77777] = 0.25f;
        b[12] = 0.625f;
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, denseBundle({{"w", "[100, 1000]", a}}),
                         denseBundle({{"w", "[100, 1000]", b}}), {1300, 800}));
        actionOf(dock, u"Go to Largest Difference"_s)->trigger();
        QVERIFY(settle(dock));
        QCOMPARE(session.place().element, std::optional<std::uint64_t>(77777));
        QCOMPARE(dock.pictures()->viewDifference()->currentCell(), std::optional(Cell{77, 777}));
        QVERIFY2(dock.pictures()->readout().contains(u"[77, 777]"_s),
                 qPrintable(dock.pictures()->readout()));
    }

    /// F8 goes through the values of the pair by place, then on to the next pair.
    void differingValues()
    {
        std::vector<float> a(6, 1), b{1, 2, 1, 1, 2, 1}, c{1, 1, 1, 1, 1, 1.5f};
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(
            dock, session, denseBundle({{"v", "[6]", a}, {"same", "[6]", a}, {"w", "[6]", a}}),
            denseBundle({{"v", "[6]", b}, {"same", "[6]", a}, {"w", "[6]", c}}), {1300, 800}));
        actionOf(dock, u"Worst First"_s)->trigger();
        chooseRow(dock.table(), dock.model().index(0, 0));
        const auto step = [&](Qt::KeyboardModifiers keys) {
            QTest::keyClick(dock.table(), Qt::Key_F8, keys);
            if (!QTest::qWaitFor([&] { return !dock.busy(); }))
                return QString(u"busy"_s);
            const Place &now = session.place();
            return now.element ? u"%1 %2"_s.arg(now.weight).arg(*now.element) : u"none"_s;
        };
        dock.activateWindow();
        dock.table()->setFocus();
        QVERIFY(QTest::qWaitForWindowActive(&dock));
        QCOMPARE(step({}), u"0 1"_s);
        QCOMPARE(step({}), u"0 4"_s);
        QCOMPARE(step({}), u"2 5"_s);
        QSignalSpy status(&session, &Session::statusMessage);
        QCOMPARE(step({}), u"2 5"_s);
        QCOMPARE(status.count(), 1);
        QCOMPARE(step(Qt::ShiftModifier), u"0 4"_s);
        QCOMPARE(step(Qt::ShiftModifier), u"0 1"_s);
    }

    void followsTheSession()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, openSample("dense"), openSample("sparse"), {1300, 800}));
        session.goToElement(2, 1);
        QVERIFY(settle(dock));
        QCOMPARE(dock.shownRow(), rowOf(dock.model(), true, 2));
        QCOMPARE(dock.table()->currentIndex().row(), dock.model().shownRow(dock.shownRow()));
        QCOMPARE(dock.pictures()->element(), std::optional<std::uint64_t>(1));
        QCOMPARE(session.place().weight, 2U);
        dock.setPinned(true);
        session.goToWeight(0);
        QVERIFY(settle(dock));
        QCOMPARE(dock.shownRow(), rowOf(dock.model(), true, 2));
    }

    /// The numbers of the picked element are shown whole, however narrow the inspector is.
    void numbersOfTheElement()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, denseBundle({{"w", "[1, 2]", {-0.0057411f, 1}}}),
                         denseBundle({{"w", "[1, 2]", {-0.0104370f, 1}}}), {1300, 800}));
        QVERIFY(settle(dock));
        PairElementTable &table = *dock.figures()->findChild<PairElementTable *>();
        table.resize(160, 200);
        session.goToElement(0, 0);
        QVERIFY(settle(dock));
        QTRY_COMPARE(cellOf(table, u"Value"_s, 1), u"-0.0057411"_s);
        for (int row = 0; row < table.model()->rowCount(); ++row) {
            for (const int column : {1, 2}) {
                const QString text = table.model()->index(row, column).data().toString();
                const bool whole =
                    table.columnWidth(column) >= table.fontMetrics().horizontalAdvance(text);
                QVERIFY2(whole || table.model()->index(row, 0).data().toString() == "File"_L1,
                         qPrintable(text));
            }
        }
        // A scroll bar that comes takes its room from the columns, and needs no second one.
        for (const int height : {400, 60}) {
            table.resize(700, height);
            QTRY_VERIFY(table.horizontalHeader()->length() <= table.viewport()->width());
        }
    }

    /// Value, bytes and place of the picked element on both sides, and how far they are apart.
    void pickedElement()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, leftBundle(), rightBundle(), {1300, 800}));
        const QTableView &table = *dock.figures()->elementTable();
        QVERIFY(cellOf(table, u"Value"_s, 1).isEmpty());
        dock.pictures()->setElement(5);
        QVERIFY(settle(dock));
        QCOMPARE(cellOf(table, u"Index"_s, 1), u"[1, 1]"_s);
        QCOMPARE(cellOf(table, u"Value"_s, 1), u"5"_s);
        QCOMPARE(cellOf(table, u"Value"_s, 2), u"8"_s);
        QCOMPARE(cellOf(table, u"B \u2212 A"_s, 2), u"3"_s);
        QCOMPARE(cellOf(table, u"(B \u2212 A) / |A|"_s, 2), u"0.6"_s);
        // 5 is 0x4500 and 8 is 0x4800.
        QCOMPARE(cellOf(table, u"Steps: fp16"_s, 2), u"768"_s);
        QCOMPARE(cellOf(table, u"Bytes"_s, 1), u"00 45"_s);
        QCOMPARE(cellOf(table, u"Bytes"_s, 2), u"00 48"_s);
        const std::uint64_t at =
            session.bundle()->weights()[0].operands().front().place->dataOffset.value + 2 * 5;
        QCOMPARE(cellOf(table, u"Offset"_s, 1), u"0x%1"_s.arg(at, 0, 16));
        dock.pictures()->setElement(std::nullopt);
        QVERIFY(cellOf(table, u"Value"_s, 1).isEmpty());
    }

    /// Of a palette the code and the entry that it stands for.
    void pickedElementOfAPalette()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, openSample("dense"), openSample("palette"), {1300, 800}));
        const std::size_t palette = test::weightWith(*session.other(), PartRole::Indices);
        session.goToWeight(dock.model().rows()[rowOf(dock.model(), false, palette)].pair.a,
                           nullptr);
        QVERIFY(settle(dock));
        const PairSubject subject = dock.pictures()->subject();
        QVERIFY(subject.comparable());
        const auto decoder = *subject.b->decoder(subject.sides.b);
        QVERIFY(decoder.encoding().palette);
        dock.pictures()->setElement(3);
        QVERIFY(settle(dock));
        std::int64_t code = 0;
        decoder.codes(3, std::span(&code, 1));
        const QTableView &table = *dock.figures()->elementTable();
        QCOMPARE(cellOf(table, u"Code"_s, 2), QString::number(code));
        QCOMPARE(cellOf(table, u"Code"_s, 1), u"\u2013"_s);
        float value = 0;
        decoder.decodeFloat(3, std::span(&value, 1));
        QCOMPARE(cellOf(table, u"Codebook"_s, 2), u"0"_s);
        QCOMPARE(cellOf(table, u"Entry"_s, 2), QString::number(double(value), 'g', 5));
    }

    void sections()
    {
        Docks docks;
        QVERIFY(docks.show());
        QVERIFY(!docks.pair.showsContent()); // says how to begin
        docks.session.setBundle(denseBundle({{"w", "[3, 4]", kThreeChannels}}));
        docks.session.setOther(denseBundle({{"w", "[3, 4]", kThreeChanged}}));
        QVERIFY(settle(docks.compare));
        QTRY_VERIFY(docks.pair.showsContent());
        const PairFigures &figures = docks.figures();
        QTRY_VERIFY(figures.facts()->valueAt(PairFactsPanel::kLargest).contains(u">3.000<"_s));
        QCOMPARE(figures.facts()->valueAt(5), u"8"_s);
        QCOMPARE(figures.facts()->valueAt(6), u"2"_s);
        QCOMPARE(figures.facts()->valueAt(7), u"1"_s);
        QCOMPARE(figures.facts()->valueAt(8), u"1"_s);
        QVERIFY2(figures.verdict()->text().contains(u"8 equal, 2 changed"_s),
                 qPrintable(figures.verdict()->text()));
        QVERIFY(figures.verdict()->text().contains(u"A pair: "_s));
        QTRY_COMPARE(figures.channelPlot()->pointCount(), 2);
        QVERIFY(figures.channelPlot()->worstFirst());
        for (const QWidget *plot : std::initializer_list<const QWidget *>{
                 figures.channelPlot(), figures.ulpPlot(), figures.scatterPlot()})
            QVERIFY(docks.sees(plot));
        // No section without content: no cell is picked.
        QVERIFY(!docks.sees(figures.elementTable()));
        // The largest difference is a link to its element.
        for (QLabel *label : figures.facts()->findChildren<QLabel *>()) {
            if (label->text().contains(u"href"_s))
                Q_EMIT label->linkActivated(u"there"_s);
        }
        const auto &worst = docks.compare.model().rows()[0].pair.values->worst;
        QCOMPARE(docks.session.place().element, std::optional(worst->element));
    }

    /// Of weights of different shapes there are no figures, and the verdict says why.
    void withoutValues()
    {
        Docks docks;
        docks.session.setBundle(denseBundle({{"w", "[3, 4]", kThreeChannels}}));
        docks.session.setOther(denseBundle({{"v", "[5]", {100, 2, 3, 4, 5}}}));
        QVERIFY(docks.show());
        QTRY_VERIFY(docks.figures().verdict()->text().contains(u"shapes differ"_s));
        QVERIFY(!docks.sees(docks.figures().facts()));
        QVERIFY(!docks.sees(docks.figures().ulpPlot()));
        QVERIFY(!docks.sees(docks.figures().channelPlot()));
        QVERIFY(!docks.sees(docks.figures().scatterPlot()));
        // The one section that is left is as tall as what is in it.
        for (const auto *section : docks.figures().findChildren<PanelSection *>()) {
            int parts = 0;
            for (const QWidget *child :
                 section->findChildren<QWidget *>(QString(), Qt::FindDirectChildrenOnly))
                parts += child->isVisibleTo(section) ? child->height() : 0;
            if (docks.sees(section))
                QVERIFY2(section->height() < parts + 60,
                         qPrintable(QString::number(section->height())));
        }
    }

    /// A bar of the channels goes to the worst element of its channel; the element has its section.
    void clicking()
    {
        Docks docks;
        docks.session.setBundle(denseBundle({{"w", "[3, 4]", kThreeChannels}}));
        docks.session.setOther(denseBundle({{"w", "[3, 4]", kThreeChanged}}));
        QVERIFY(docks.show());
        ChannelPlot *plot = docks.figures().channelPlot();
        QTRY_COMPARE(plot->pointCount(), 2);
        Q_EMIT plot->currentPointChanged(0);
        QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(5));
        QTRY_VERIFY(docks.sees(docks.figures().elementTable()));
        QTRY_VERIFY(docks.figures().elementTable()->model()->rowCount() > 3);
    }

    /// Two palettes have a link to their codebooks, and a codebook that can be copied.
    void codebooks()
    {
        Docks docks;
        docks.session.setBundle(openSample("palette"));
        docks.session.setOther(openSample("palette"));
        QVERIFY(docks.show());
        QSignalSpy raised(&docks.pair, &PairDock::raiseRequested);
        QToolButton *link = nullptr;
        const auto find = [&] {
            for (auto *button : docks.pair.findChildren<QToolButton *>()) {
                if (button->text() == u"Codebooks\u2026"_s && docks.sees(button))
                    link = button;
            }
            return link != nullptr;
        };
        QTRY_VERIFY(find());
        link->click();
        QCOMPARE(raised.size(), 1);
        QCOMPARE(raised[0][0].toString(), u"codebooks"_s);
        QAction *copy = actionOf(docks.compare, u"Copy Codebook"_s);
        QVERIFY(copy && !copy->isEnabled());
        docks.session.setPatchingEnabled(true);
        QTRY_VERIFY(copy->isEnabled());
    }

    /// One pin for both: the figures are those of the dock's pair.
    void pinned()
    {
        Docks docks;
        QVERIFY(docks.show());
        docks.pair.setPinned(true);
        QVERIFY(docks.compare.pinned());
        docks.compare.setPinned(false);
        QVERIFY(!docks.pair.pinned());
    }

    /// With another dock in front of Compare the inspector goes on following.
    void behindAnotherDock()
    {
        Docks docks;
        docks.session.setBundle(
            denseBundle({{"v", "[3, 4]", kThreeChannels}, {"w", "[3, 4]", kThreeChanged}}));
        docks.session.setOther(
            denseBundle({{"v", "[3, 4]", kThreeChannels}, {"w", "[3, 4]", kThreeChannels}}));
        QVERIFY(docks.show());
        docks.session.goToWeight(0);
        QTRY_VERIFY(docks.figures().verdict()->text().contains(u"identical"_s));
        docks.compare.hide();
        docks.session.goToWeight(1);
        QTRY_VERIFY2(docks.figures().verdict()->text().contains(u"4 values differ"_s),
                     qPrintable(docks.figures().verdict()->text()));
    }
};

KERNSCOPE_TEST(TestComparePictures, QApplication)
#include "tst_compare_pictures.moc"
