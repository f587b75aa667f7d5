// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "widgets/common/tile_painter.h"
#include "widgets/models/theme.h"

using namespace kernscope::ui;

namespace {

/// Colour by the parity of the cell's tile of 16 by 16; far out the same, of the first cell.
class Checkers : public TileSource
{
public:
    Checkers(std::uint64_t rows, std::uint64_t cols) : m_rows(rows), m_cols(cols) {}
    std::uint64_t rows() const override { return m_rows; }
    std::uint64_t cols() const override { return m_cols; }
    static QRgb colorOf(std::uint64_t row, std::uint64_t col)
    {
        return (row / 16 + col / 16) % 2 == 0 ? qRgb(200, 30, 30) : qRgb(30, 30, 200);
    }
    Tile render(const TileKey &key, Progress &) const override
    {
        ++rendered;
        const QSize size = tileSize(key);
        Tile tile{QImage(size, QImage::Format_ARGB32_Premultiplied), {}, {}};
        for (int y = 0; y < size.height(); ++y) {
            for (int x = 0; x < size.width(); ++x) {
                tile.image.setPixel(x, y,
                                    colorOf(key.firstRow() + (std::uint64_t(y) << key.level),
                                            key.firstCol() + (std::uint64_t(x) << key.level)));
            }
        }
        return tile;
    }
    mutable std::atomic<int> rendered = 0;

private:
    std::uint64_t m_rows, m_cols;
};

bool loaded(TileView &view)
{
    return QTest::qWaitFor([&view] { return !view.loading(); }, 10000);
}

bool showLoaded(TileView &view)
{
    view.resize(400, 300);
    view.show();
    return QTest::qWaitForWindowExposed(&view) && loaded(view);
}

QColor colorAt(TileView &view, const Cell &cell)
{
    const QImage image = view.viewport()->grab().toImage();
    return image.pixelColor(view.cellRect(cell).center());
}

/// Counts how often the viewport gets another size.
class ResizeCount final : public QObject
{
public:
    explicit ResizeCount(QWidget *widget) { widget->installEventFilter(this); }
    int take() { return std::exchange(m_count, 0); }
    bool eventFilter(QObject *, QEvent *event) override
    {
        m_count += event->type() == QEvent::Resize ? 1 : 0;
        return false;
    }

private:
    int m_count = 0;
};

} // namespace

class TestTileView : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }
    void cleanup() { m_view.reset(); }

    /// The first and the last index on view stand at their cells, at any zoom; labels keep apart.
    void rulersTellTheIndices()
    {
        TileView &view = *VERIFIED(shown(300, 192));
        const auto number = [](std::uint64_t index) { return QString::number(index); };
        view.setAxes({u"out"_s, 300, 1, number}, {u"in, kx"_s, 192, 3, number});
        QVERIFY(loaded(view));
        for (const Qt::Orientation side : {Qt::Horizontal, Qt::Vertical}) {
            const TileRuler &ruler = view.ruler(side);
            QVERIFY(ruler.isVisible());
            const bool across = side == Qt::Horizontal;
            for (int zoom = 0; zoom < 4; ++zoom) {
                const auto ticks = ruler.ticks();
                QVERIFY(ticks.size() >= 2);
                for (std::size_t i = 0; i < ticks.size(); ++i) {
                    const Cell cell = across ? Cell{0, ticks[i].index} : Cell{ticks[i].index, 0};
                    const QPoint centre = view.cellRect(cell).center() +
                                          view.viewport()->geometry().topLeft() -
                                          ruler.geometry().topLeft();
                    const double at = across ? centre.x() : centre.y();
                    QVERIFY2(std::abs(at - ticks[i].at) <= 2, qPrintable(QString::number(at)));
                    QVERIFY(i == 0 ||
                            ticks[i].at - ticks[i - 1].at >= ruler.fontMetrics().height());
                }
                if (zoom == 0)
                    QCOMPARE(ticks.back().index, std::uint64_t(across ? 191 : 299));
                view.zoomIn();
            }
            view.fit();
        }
        view.setAxes({}, {});
        QVERIFY(!view.ruler(Qt::Horizontal).isVisible());
        QCOMPARE(view.viewport()->width() + 2 * view.frameWidth(), view.width());
    }

    /// The label of the last index is moved inside; the one before it gives way where they touch.
    void labelsKeepApart()
    {
        TileView &view = *VERIFIED(shown(128, 192));
        const auto name = [](std::uint64_t index) {
            return u"%1,%2"_s.arg(index / 3).arg(index % 3);
        };
        const auto number = [](std::uint64_t index) { return QString::number(index); };
        view.setAxes({u"out"_s, 128, 1, number}, {u"in, kx"_s, 192, 3, name});
        QVERIFY(loaded(view));
        for (int width = 300; width < 900; width += 7) {
            view.resize(width, 400);
            QCoreApplication::processEvents();
            const TileRuler &ruler = view.ruler(Qt::Horizontal);
            const auto ticks = ruler.ticks();
            for (std::size_t i = 1; i < ticks.size(); ++i) {
                const QRect before = ruler.labelBox(ticks[i - 1], name(ticks[i - 1].index));
                const QRect box = ruler.labelBox(ticks[i], name(ticks[i].index));
                QVERIFY2(box.left() - before.right() > ruler.fontMetrics().averageCharWidth() / 2,
                         qPrintable(u"%1: %2 and %3"_s.arg(width).arg(name(ticks[i - 1].index),
                                                                      name(ticks[i].index))));
            }
        }
    }

    void paintsCells()
    {
        TileView &view = *VERIFIED(shown(64, 64));
        for (const Cell cell : {Cell{0, 0}, Cell{20, 3}, Cell{63, 63}, Cell{40, 8}})
            QCOMPARE(colorAt(view, cell).rgb(), Checkers::colorOf(cell.row, cell.col));
    }

    void keysMoveTheCursor()
    {
        TileView &view = *VERIFIED(shown(40, 50));
        QSignalSpy moved(&view, &TileView::currentCellChanged);
        QSignalSpy activated(&view, &TileView::cellActivated);
        QTest::keyClick(&view, Qt::Key_Right); // the first key shows the cursor
        QCOMPARE(view.currentCell(), (Cell{0, 0}));
        QTest::keyClick(&view, Qt::Key_Right);
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(view.currentCell(), (Cell{1, 1}));
        QTest::keyClick(&view, Qt::Key_End, Qt::ControlModifier);
        QCOMPARE(view.currentCell(), (Cell{39, 49}));
        QTest::keyClick(&view, Qt::Key_Down); // stays inside
        QCOMPARE(view.currentCell(), (Cell{39, 49}));
        QTest::keyClick(&view, Qt::Key_Home);
        QCOMPARE(view.currentCell(), (Cell{39, 0}));
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(activated.count(), 1);
        QCOMPARE(moved.last().at(0).toULongLong(), 39u);
        const double before = view.cellRect({39, 0}).width();
        QTest::keyClick(&view, Qt::Key_Plus);
        QVERIFY(view.cellRect({39, 0}).width() > before);
        QVERIFY(view.viewport()->rect().intersects(view.cellRect({39, 0})));
        QTest::keyClick(&view, Qt::Key_0);
        QVERIFY(view.viewState().fits());
    }

    void mousePicksAndDrags()
    {
        TileView &view = *VERIFIED(shown(200, 200));
        for (int i = 0; i < 4; ++i)
            view.zoomIn();
        QSignalSpy clicked(&view, &TileView::cellClicked);
        const QPoint at = view.cellRect({100, 101}).center();
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(clicked.count(), 1);
        QCOMPARE(view.currentCell(), (Cell{100, 101}));

        const QRect before = view.cellRect({100, 101});
        QTest::mousePress(view.viewport(), Qt::LeftButton, {}, at);
        QTest::mouseMove(view.viewport(), at + QPoint(30, 20));
        QTest::mouseMove(view.viewport(), at + QPoint(40, 25));
        QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, at + QPoint(40, 25));
        QCOMPARE(clicked.count(), 1); // a drag is no click
        QVERIFY((view.cellRect({100, 101}).topLeft() - before.topLeft() - QPoint(40, 25))
                    .manhattanLength() <= 2);
        QSignalSpy hovered(&view, &TileView::cellHovered);
        QTest::mouseMove(view.viewport(), view.cellRect({90, 95}).center());
        QVERIFY(hovered.count() >= 1);
        // The rectangle is in whole pixels: its middle may lie in the neighbour of a narrow cell.
        const auto column = hovered.last().at(1).toULongLong();
        QVERIFY2(column == 95 || column == 96, qPrintable(QString::number(column)));
    }

    void wheelZoomsAboutTheCursor()
    {
        TileView &view = *VERIFIED(shown(5000, 5000));
        for (int i = 0; i < 6; ++i)
            view.zoomIn();
        const QPoint at(310, 60);
        const auto before = view.cellAt(at);
        QWheelEvent wheel(at, view.viewport()->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, {},
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(view.viewport(), &wheel);
        const auto after = view.cellAt(at);
        QVERIFY(before && after);
        QVERIFY(before->row >= after->row ? before->row - after->row <= 1
                                          : after->row - before->row <= 1);
        QVERIFY(before->col >= after->col ? before->col - after->col <= 1
                                          : after->col - before->col <= 1);
    }

    void sharedView()
    {
        TileView a(m_tasks), b(m_tasks);
        a.setSource(std::make_shared<Checkers>(3000, 3000));
        b.setSource(std::make_shared<Checkers>(3000, 3000));
        TileView::share(&a, &b);
        QVERIFY(showLoaded(a) && showLoaded(b));
        a.zoomIn();
        QCOMPARE(b.viewState(), a.viewState());
        QTest::keyClick(&b, Qt::Key_Right, Qt::ShiftModifier);
        QTest::keyClick(&b, Qt::Key_Plus);
        QCOMPARE(a.viewState(), b.viewState());
        QVERIFY(!a.viewState().fits());
        QCOMPARE(a.cellRect({1500, 1500}).size(), b.cellRect({1500, 1500}).size());
        b.fit();
        QVERIFY(a.viewState().fits());
    }

    void hugePicture()
    {
        TileView view(m_tasks);
        const std::uint64_t side = std::uint64_t{1} << 20;
        auto source = std::make_shared<Checkers>(side, side);
        view.setSource(source);
        QVERIFY(showLoaded(view));
        QVERIFY(source->rendered.load() <= 8); // the whole of it is a few tiles
        view.setCurrentCell(Cell{side - 1, side - 17});
        while (view.cellRect({0, 0}).width() < 20)
            view.zoomIn();
        QVERIFY(loaded(view));
        QVERIFY(view.viewport()->rect().contains(view.cellRect({side - 1, side - 17}).center()));
        QCOMPARE(colorAt(view, {side - 2, side - 17}).rgb(),
                 Checkers::colorOf(side - 2, side - 17));
        QVERIFY(source->rendered.load() < 200);
        // Along one edge of a picture of one row, which is as long as pictures get.
        view.setSource(std::make_shared<Checkers>(1, std::uint64_t{1} << 40));
        QVERIFY(loaded(view));
        QTest::keyClick(&view, Qt::Key_End);
        QTest::keyClick(&view, Qt::Key_End);
        QCOMPARE(view.currentCell(), (Cell{0, (std::uint64_t{1} << 40) - 1}));
        view.grab();
    }

    void tilesAreKept()
    {
        TileView view(m_tasks);
        auto source = std::make_shared<Checkers>(4000, 4000);
        view.setSource(source);
        QVERIFY(showLoaded(view));
        view.zoomIn();
        QVERIFY(loaded(view));
        const int rendered = source->rendered;
        view.fit();
        QVERIFY(loaded(view));
        view.grab();
        QCOMPARE(source->rendered.load(), rendered); // both levels were there already
    }

    void changedSourceShowsAtOnce()
    {
        TileView &view = *VERIFIED(shown(300, 300));
        view.zoomIn();
        view.setCurrentCell(Cell{150, 150});
        const ViewState before = view.viewState();
        view.setSource(std::make_shared<Checkers>(300, 300), true);
        QCOMPARE(view.viewState(), before);
        QCOMPARE(view.currentCell(), (Cell{150, 150}));
        view.setSource(std::make_shared<Checkers>(30, 30));
        QVERIFY(view.viewState().fits());
        QVERIFY(!view.currentCell());
        view.setSource(nullptr);
        view.grab();
        QTest::keyClick(&view, Qt::Key_Right);
        QVERIFY(!view.cellAt({10, 10}));
    }

    /// Where nothing stands in for a view of many tiles, one coarser tile is asked for before them.
    void coarseComesFirst()
    {
        TileLoader loader(m_tasks);
        loader.setSource(std::make_shared<Checkers>(100000, 100000));
        QWidget viewport;
        viewport.resize(1600, 1000);
        const ViewGeometry geometry({1, 50000, 50000}, QSizeF(viewport.size()), 1, 100000, 100000);
        const TilePainter painter(loader, geometry, viewport);
        const std::vector<TileKey> fine = painter.visibleTiles();
        QVERIFY(fine.size() > 20);
        const std::vector<TileKey> first = painter.coarseFirst(fine);
        const std::size_t guides = first.size() - fine.size();
        QVERIFY(guides >= 1 && guides <= 4);
        for (std::size_t i = 0; i < first.size(); ++i)
            QCOMPARE(first[i].level > 0, i < guides);
        loader.want({first.begin(), first.begin() + std::ptrdiff_t(guides)});
        QVERIFY(
            QTest::qWaitFor([&] { return !loader.busy() && loader.find(first.front()); }, 10000));
        QVERIFY(painter.coarseFirst(fine) == fine); // they stand in now
        QVERIFY(painter.coarseFirst({fine[0], fine[1]}).size() == 2);
    }

    /// After zooming out the finer tiles of before are drawn where the coarse one has not come.
    void finerStandsIn()
    {
        TileLoader loader(m_tasks);
        loader.setSource(std::make_shared<Checkers>(1024, 1024));
        loader.want({{0, 0, 0}, {0, 0, 1}, {0, 1, 0}});
        QVERIFY(QTest::qWaitFor([&] { return !loader.busy() && loader.find({0, 1, 0}); }, 10000));
        QWidget viewport;
        viewport.resize(512, 512);
        const ViewGeometry geometry({0.5, 512, 512}, QSizeF(viewport.size()), 1, 1024, 1024);
        QCOMPARE(geometry.level(), 1);
        QImage image(viewport.size(), QImage::Format_ARGB32_Premultiplied);
        QPainter painter(&image);
        TilePainter(loader, geometry, viewport).paint(painter, {}, {}, false);
        painter.end();
        const auto at = [&](std::uint64_t row, std::uint64_t col) {
            return image.pixel(int(geometry.xOf(double(col))), int(geometry.yOf(double(row))));
        };
        for (const Cell cell : {Cell{8, 8}, Cell{24, 8}, Cell{8, 264}, Cell{264, 40}})
            QCOMPARE(at(cell.row, cell.col), Checkers::colorOf(cell.row, cell.col));
        QVERIFY(at(264, 264) != Checkers::colorOf(264, 264)); // that one is not there
    }

    void scrollBars()
    {
        TileView &view = *VERIFIED(shown(std::uint64_t{1} << 36, 16));
        while (view.cellRect({0, 0}).width() < 8)
            view.zoomIn();
        view.verticalScrollBar()->setValue(view.verticalScrollBar()->maximum());
        const auto last =
            VERIFIED(view.cellAt({view.viewport()->width() / 2, view.viewport()->height() - 2}));
        QCOMPARE(last->row, (std::uint64_t{1} << 36) - 1);
        view.verticalScrollBar()->setValue(0);
        QCOMPARE(view.cellAt({view.viewport()->width() / 2, 1})->row, 0u);
    }

    void accessible()
    {
        TileView view(m_tasks);
        view.setDescribe([](const Cell &cell, const Tile *tile, std::size_t) {
            return u"cell %1 %2 %3"_s.arg(cell.row).arg(cell.col).arg(tile ? u"drawn"_s
                                                                           : u"coming"_s);
        });
        view.setSource(std::make_shared<Checkers>(20, 20));
        QVERIFY(showLoaded(view));
        QTest::keyClick(&view, Qt::Key_Down);
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(view.accessibleDescription(), u"cell 1 0 drawn"_s);
        for (QAction *action : view.zoomActions())
            QVERIFY(!action->text().isEmpty() && !action->shortcut().isEmpty());
    }

    // When a picture has scroll bars.
    void fittingPicturesHaveNone_data()
    {
        addColumns<int, int>();
        addRow("conv", 128, 387);
        addRow("lstm", 512, 128);
        addRow("stft", 258, 256);
        addRow("small", 16, 16);
    }

    /// Whatever the size of the view: the sum of the cells' sizes is rounded, and a bar that came
    /// for a part of a millionth of a cell changes the size again.
    void fittingPicturesHaveNone()
    {
        const auto [rows, cols] = fetched<int, int>();
        TileView view(m_tasks);
        view.setMostStretch(TileView::kFillStretch);
        view.setSource(std::make_shared<Checkers>(rows, cols));
        view.resize(150, 60);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        ResizeCount resizes(view.viewport());
        for (int width = 150; width < 700; width += 1 + width % 7) {
            for (int height = 60; height < 900; height += 3 + height % 11) {
                resizes.take();
                view.resize(width, height);
                const QString size = u"%1 x %2"_s.arg(width).arg(height);
                QVERIFY2(view.horizontalScrollBar()->maximum() == 0 &&
                             view.verticalScrollBar()->maximum() == 0,
                         qPrintable(size));
                QVERIFY2(resizes.take() <= 1, qPrintable(size));
            }
        }
        // Zoomed in it has them.
        view.zoomIn();
        view.zoomIn();
        QVERIFY(view.verticalScrollBar()->maximum() > 0);
        view.fit();
        QCOMPARE(view.verticalScrollBar()->maximum(), 0);
    }

    // Where cells lie in a viewport, square or stretched so that the picture fills it.
    void fits_data()
    {
        addColumns<quint64, quint64, double>();
        for (const double most : {1.0, 4.0, 8.0}) {
            for (const auto &[rows, cols] : {std::pair<quint64, quint64>{512, 128},
                                             {96, 864},
                                             {10, 32},
                                             {128, 192},
                                             {3, 2},
                                             {1, 5000},
                                             {100000, 7},
                                             {1, 1}})
                QTest::addRow("%llux%llu, %g", rows, cols, most) << rows << cols << most;
        }
    }

    void fits()
    {
        const auto [rows, cols, most] = fetched<quint64, quint64, double>();
        const QSizeF viewport(660, 176);
        const ViewGeometry geometry({}, viewport, 1, rows, cols, most);
        const double width = geometry.cellWidth() * double(cols);
        const double height = geometry.cellHeight() * double(rows);
        // All of it is in view.
        QVERIFY(width <= viewport.width() * 1.0001 && height <= viewport.height() * 1.0001);
        const double stretch = std::max(geometry.cellWidth() / geometry.cellHeight(),
                                        geometry.cellHeight() / geometry.cellWidth());
        // Whole pixels of large cells may round it up by one of two.
        QVERIFY(stretch <= most * 1.5 + 1e-9);
        QCOMPARE(std::min(geometry.cellWidth(), geometry.cellHeight()), geometry.scale());
        if (most == 1)
            QCOMPARE(geometry.cellWidth(), geometry.cellHeight());
        // Short of the limit it fills both directions, but for what whole pixels leave.
        const bool capped = geometry.scale() >= ViewGeometry::kMaxScale / 2;
        if (stretch < most * 0.99 && !capped) {
            QVERIFY(width > viewport.width() - double(cols) - 1);
            QVERIFY(height > viewport.height() - double(rows) - 1);
        }
    }

    /// The cell under the pointer stays there, of square and of stretched cells.
    void zoomKeepsTheCellUnderTheCursor()
    {
        const QSizeF viewport(660, 176);
        std::mt19937 engine(11);
        const auto random = [&engine](unsigned below) { return double(engine() % below); };
        for (int round = 0; round < 200; ++round) {
            const double most = round % 2 == 0 ? 1 : 8;
            const ViewState state{0.5 + random(30), 20000 + random(20000), 20000 + random(20000)};
            const ViewGeometry before(state, viewport, 1, 100000, 60000, most);
            const QPointF anchor(random(660), random(176));
            const double scale = before.scale() * 1.7;
            const ViewGeometry zoomed(before.zoomed(scale, anchor), viewport, 1, 100000, 60000,
                                      most);
            QVERIFY(std::abs(zoomed.rowAt(anchor.y()) - before.rowAt(anchor.y())) < 1e-6);
            QVERIFY(std::abs(zoomed.colAt(anchor.x()) - before.colAt(anchor.x())) < 1e-6);
            QCOMPARE(zoomed.scale(), scale);
            QCOMPARE(zoomed.cellWidth() / zoomed.cellHeight(),
                     before.cellWidth() / before.cellHeight());
            const QPointF centre = zoomed.centreOf(100, 60);
            QVERIFY(std::abs(zoomed.colAt(centre.x()) - 60.5) < 1e-6);
            QVERIFY(std::abs(zoomed.rowAt(centre.y()) - 100.5) < 1e-6);
        }
    }

    void revealsAndPansInCells()
    {
        const QSizeF viewport(660, 176);
        const ViewGeometry zoomed(ViewGeometry({}, viewport, 1, 512, 128, 8).zoomed(8, {300, 60}),
                                  viewport, 1, 512, 128, 8);
        for (const auto &[row, col] :
             {std::pair<std::uint64_t, std::uint64_t>{0, 0}, {511, 127}, {300, 5}}) {
            const ViewGeometry shown(zoomed.revealing(row, col), viewport, 1, 512, 128, 8);
            QVERIFY(QRectF(QPointF(), viewport).contains(shown.centreOf(row, col)));
        }
        const ViewState moved = zoomed.panned({zoomed.cellWidth(), 2 * zoomed.cellHeight()});
        QCOMPARE(moved.centreCol, zoomed.state().centreCol + 1);
        QCOMPARE(moved.centreRow, zoomed.state().centreRow + 2);
    }

private:
    /// A view over that number of cells, shown and drawn; null where it does not come.
    TileView *shown(std::uint64_t rows, std::uint64_t cols)
    {
        m_view = std::make_unique<TileView>(m_tasks);
        m_view->setSource(std::make_shared<Checkers>(rows, cols));
        return showLoaded(*m_view) ? m_view.get() : nullptr;
    }

    TaskManager m_tasks;
    std::unique_ptr<TileView> m_view;
};

KERNSCOPE_TEST(TestTileView, QApplication)
#include "tst_tile_view.moc"
