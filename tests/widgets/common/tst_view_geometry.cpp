// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "widgets/common/view_state.h"

#include <QRectF>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <utility>

using namespace kernscope::ui;

/// Where cells lie in a viewport, square or stretched so that the picture fills it.
class TestViewGeometry : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void fits_data();
    void fits();
    void zoomKeepsTheCellUnderTheCursor();
    void revealsAndPansInCells();
};

void TestViewGeometry::fits_data()
{
    QTest::addColumn<quint64>("rows");
    QTest::addColumn<quint64>("cols");
    QTest::addColumn<double>("most");
    for (const double most : {1.0, 4.0, 8.0}) {
        for (const auto &[rows, cols] : {std::pair<quint64, quint64>{512, 128},
                                         {96, 864},
                                         {10, 32},
                                         {128, 192},
                                         {3, 2},
                                         {1, 5000},
                                         {100'000, 7},
                                         {1, 1}})
            QTest::addRow("%llux%llu, %g", rows, cols, most) << rows << cols << most;
    }
}

void TestViewGeometry::fits()
{
    QFETCH(quint64, rows);
    QFETCH(quint64, cols);
    QFETCH(double, most);
    const QSizeF viewport(660, 176);
    const ViewGeometry geometry({}, viewport, 1, rows, cols, most);
    const double width = geometry.cellWidth() * static_cast<double>(cols);
    const double height = geometry.cellHeight() * static_cast<double>(rows);
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
        QVERIFY(width > viewport.width() - static_cast<double>(cols) - 1);
        QVERIFY(height > viewport.height() - static_cast<double>(rows) - 1);
    }
}

void TestViewGeometry::zoomKeepsTheCellUnderTheCursor()
{
    const QSizeF viewport(660, 176);
    const ViewGeometry fitted({}, viewport, 1, 512, 128, 8);
    const QPointF anchor(300, 60);
    const ViewGeometry zoomed(fitted.zoomed(4, anchor), viewport, 1, 512, 128, 8);
    QVERIFY(std::abs(zoomed.rowAt(anchor.y()) - fitted.rowAt(anchor.y())) < 1e-6);
    QCOMPARE(zoomed.scale(), 4.0);
    // The picture keeps its proportions.
    QCOMPARE(zoomed.cellWidth() / zoomed.cellHeight(), fitted.cellWidth() / fitted.cellHeight());
    const QPointF centre = zoomed.centreOf(100, 60);
    QVERIFY(std::abs(zoomed.colAt(centre.x()) - 60.5) < 1e-6);
    QVERIFY(std::abs(zoomed.rowAt(centre.y()) - 100.5) < 1e-6);
}

void TestViewGeometry::revealsAndPansInCells()
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

KERNSCOPE_TEST(TestViewGeometry, QCoreApplication)
#include "tst_view_geometry.moc"
