// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "tests/widgets/weight/weight_dock_fixture.h"
#include "widgets/common/tile_view.h"
#include "widgets/weight/codebook_dock.h"
#include "widgets/weight/mask_dock.h"
#include "widgets/weight/weight_tiles.h"

#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>

#include <algorithm>
#include <set>

using namespace kernscope;
using namespace kernscope::ui;
using kernscope::codec::PartRole;
using kernscope::test::centreOf;
using kernscope::test::editsOf;
using kernscope::test::keptAndLeftOut;

/// The docks of masks and codebooks.
class TestMaskDocks : public test::WeightDockFixture
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin(); }
    void maskPicture();
    void cellIsLeftWithTheWeight();
    void maskPainting();
    void maskPaintsByDragging();
    void zeroMap();
    void densityGoesToTheChannel();
    void codebook();
    void codebookFollowsTheElement();
    void codebookEdits();
};

void TestMaskDocks::maskPicture()
{
    Session session;
    MaskDock dock(session);
    open(session, "sample-sparse.mlmodelc", PartRole::Mask);
    QVERIFY(test::showDock(dock, 700, 800));
    const auto [kept, left] = keptAndLeftOut(*m_bundle, m_weight);
    const SliceMap map(m_bundle->weights()[m_weight].shape);
    TileView &picture = dock.picture();
    for (const std::uint64_t element : {kept, left}) {
        const auto at = *map.cell(element);
        const Cell cell{at.first, at.second};
        picture.fit();
        while (picture.cellRect(cell).width() < 20) {
            picture.setCurrentCell(cell);
            picture.zoomIn();
        }
        picture.setCurrentCell(std::nullopt);
        QVERIFY(test::settle(dock));
        QCOMPARE(centreOf(picture, cell), MaskTiles::shade(element == kept ? 1 : 0, false));
        QVERIFY(picture.describe(cell).contains(element == kept ? QLatin1String("kept")
                                                                : QLatin1String("left out")));
    }
    const auto decoder = m_bundle->decoder(m_weight);
    QVERIFY2(dock.figures().contains(QString::number(decoder->payloadElements().value).right(3)),
             qPrintable(dock.figures()));
    // As many values as the mask keeps are stored: that is told once.
    QVERIFY2(dock.figures().contains(QLatin1String("kept")) &&
                 !dock.figures().contains(QLatin1String("stored")),
             qPrintable(dock.figures()));
    QCOMPARE(dock.density().pointCount(), static_cast<int>(m_bundle->weights()[m_weight].shape[0]));
}

/// A weight that is chosen anew has no cell, as in the grid.
void TestMaskDocks::cellIsLeftWithTheWeight()
{
    Session session;
    MaskDock dock(session);
    open(session, "sample-sparse.mlmodelc", PartRole::Mask);
    QVERIFY(test::showDock(dock, 700, 800));
    session.goToElement(m_weight, 5);
    QVERIFY(dock.picture().currentCell());
    session.goTo({});
    session.goToWeight(m_weight);
    QVERIFY(test::settle(dock));
    QVERIFY(!dock.picture().currentCell());
    QCOMPARE(dock.cellText(), QStringLiteral("no cell chosen"));
}

void TestMaskDocks::maskPainting()
{
    Session session;
    MaskDock dock(session);
    open(session, "sample-sparse.mlmodelc", PartRole::Mask);
    QVERIFY(test::showDock(dock, 700, 800));
    const auto [kept, left] = keptAndLeftOut(*m_bundle, m_weight);
    QSignalSpy asked(&session, &Session::editsRequested);
    session.goToElement(m_weight, left);
    QVERIFY(!dock.keepAction()->isEnabled()); // the file is locked
    dock.keepAction()->trigger();
    QCOMPARE(asked.count(), 0);
    session.setPatchingEnabled(true);
    QVERIFY(dock.keepAction()->isEnabled());
    dock.keepValue()->setText(QStringLiteral("0.25"));
    dock.picture().setFocus();
    QTRY_VERIFY(dock.picture().hasFocus());
    QTest::keyClick(&dock.picture(), Qt::Key_K);
    QCOMPARE(asked.count(), 1);
    QCOMPARE(editsOf(asked, 0).at(0).kind, Edit::Kind::Keep);
    QCOMPARE(editsOf(asked, 0).at(0).value, 0.25);
    session.goToElement(m_weight, kept);
    dock.dropAction()->trigger();
    QCOMPARE(editsOf(asked, 1).at(0).kind, Edit::Kind::Drop);
}

/// A stroke says what it would change while it is drawn, and is one step of undo.
void TestMaskDocks::maskPaintsByDragging()
{
    Session session;
    MaskDock dock(session);
    open(session, "sample-sparse.mlmodelc", PartRole::Mask);
    QVERIFY(test::showDock(dock, 700, 800));
    QSignalSpy asked(&session, &Session::editsRequested);
    QVERIFY(!dock.brushAction()->isEnabled()); // the file is locked
    session.setPatchingEnabled(true);
    QVERIFY(dock.brushAction()->isEnabled());
    dock.brushAction()->setChecked(true);
    TileView &picture = dock.picture();
    QVERIFY(picture.brush());
    const SliceMap map(m_bundle->weights()[m_weight].shape);
    const auto kept = keptAndLeftOut(*m_bundle, m_weight).first;
    const auto cell = map.cell(kept);
    QVERIFY(cell);
    const Cell first{cell->first, cell->second};
    const Cell last{first.row, first.col < 4 ? first.col + 4 : first.col - 4};
    const auto decoder = m_bundle->decoder(m_weight);
    std::set<std::uint64_t> wanted;
    for (std::uint64_t col = std::min(first.col, last.col); col <= std::max(first.col, last.col);
         ++col) {
        const auto element = map.element(first.row, col);
        if (element && decoder->stored(*element))
            wanted.insert(*element);
    }
    // Too small to be told apart: nothing is painted, and that is said.
    while (picture.brushHasRoom())
        picture.zoomOut();
    const auto at = [&picture](const Cell &one) { return picture.cellRect(one).center(); };
    picture.setCurrentCell(first);
    QTest::mousePress(picture.viewport(), Qt::LeftButton, {}, at(first));
    QTest::mouseRelease(picture.viewport(), Qt::LeftButton, {}, at(first));
    QCOMPARE(asked.count(), 0);
    QVERIFY(dock.cellText().contains(QLatin1String("Zoom in")));
    while (!picture.brushHasRoom())
        picture.zoomIn();
    picture.setCurrentCell(first);
    // Given up by Escape: nothing is asked for.
    QTest::mousePress(picture.viewport(), Qt::LeftButton, {}, at(first));
    QVERIFY(dock.cellText().contains(QLatin1String("leaves out 1 element")));
    QTest::mouseMove(picture.viewport(), at(last));
    QVERIFY2(dock.cellText().contains(QStringLiteral("leaves out %1 element").arg(wanted.size())),
             qPrintable(dock.cellText()));
    QTest::keyClick(&picture, Qt::Key_Escape);
    QTest::mouseRelease(picture.viewport(), Qt::LeftButton, {}, at(last));
    QCOMPARE(asked.count(), 0);
    // Drawn to its end: one request for all that it passed and that was kept.
    QSignalSpy said(&session, &Session::statusMessage);
    QTest::mousePress(picture.viewport(), Qt::LeftButton, {}, at(first));
    QTest::mouseMove(picture.viewport(), at(last));
    QTest::mouseRelease(picture.viewport(), Qt::LeftButton, {}, at(last));
    QCOMPARE(asked.count(), 1);
    QVERIFY(said.last().first().toString().isEmpty()); // not what releasing would do
    const auto edits = editsOf(asked, 0);
    QCOMPARE(edits.size(), wanted.size());
    QVERIFY(std::all_of(edits.begin(), edits.end(),
                        [](const Edit &edit) { return edit.kind == Edit::Kind::Drop; }));
}

void TestMaskDocks::zeroMap()
{
    Session session;
    MaskDock dock(session);
    open(session, "sample-dense.mlmodelc", PartRole::Data);
    QVERIFY(test::showDock(dock, 500, 700));
    QVERIFY(dock.showsContent());
    QVERIFY(dock.figures().contains(QLatin1String("not zero")));
    session.setPatchingEnabled(true);
    session.goToElement(m_weight, 0);
    QVERIFY(!dock.keepAction()->isEnabled()); // there is no mask to paint
}

void TestMaskDocks::densityGoesToTheChannel()
{
    Session session;
    MaskDock dock(session);
    open(session, "sample-sparse.mlmodelc", PartRole::Mask);
    QVERIFY(test::showDock(dock, 700, 800));
    QWidget *area = dock.density().focusProxy();
    QTest::keyClick(area, Qt::Key_Right);
    QTest::keyClick(area, Qt::Key_Right);
    QTest::keyClick(area, Qt::Key_Return);
    const SliceMap map(m_bundle->weights()[m_weight].shape);
    QCOMPARE(session.place().element, map.element(1, 0));
    QCOMPARE(dock.picture().currentCell(), (Cell{1, 0}));
}

void TestMaskDocks::codebook()
{
    Session session;
    CodebookDock dock(session);
    open(session, "sample-palette.mlmodelc", PartRole::Lut);
    QVERIFY(test::showDock(dock, 500, 700));
    QVERIFY(dock.showsContent());
    CodebookModel &model = dock.model();
    QVERIFY(model.rowCount() > 1);
    QVERIFY(model.uses(0).has_value());
    QCOMPARE(dock.plot().pointCount(), model.rowCount());
    // Table and bars move together.
    dock.table().setCurrentIndex(dock.table().model()->index(3, 0));
    QCOMPARE(dock.plot().currentPoint(), 3);
    QTest::keyClick(dock.plot().focusProxy(), Qt::Key_Right);
    QCOMPARE(dock.table().currentIndex().row(), 4);
    // By uses, most first: the number counts, not its text.
    dock.table().sortByColumn(model.usesColumn(), Qt::DescendingOrder);
    std::uint64_t before = UINT64_MAX;
    for (int row = 0; row < model.rowCount(); ++row) {
        const int entry = dock.table().model()->index(row, 0).data().toInt();
        QVERIFY(*model.uses(entry) <= before);
        before = *model.uses(entry);
    }
}

void TestMaskDocks::codebookFollowsTheElement()
{
    Session session;
    CodebookDock dock(session);
    open(session, "sample-palette.mlmodelc", PartRole::Lut);
    QVERIFY(test::showDock(dock, 500, 700));
    const auto decoder = m_bundle->decoder(m_weight);
    std::int64_t code = 0;
    const std::uint64_t element = decoder->elements().value - 1;
    decoder->codes(element, {&code, 1});
    session.goToElement(m_weight, element);
    QCOMPARE(static_cast<std::uint64_t>(dock.chooser().value()),
             decoder->codebookOf(element).codebook);
    QCOMPARE(dock.plot().currentPoint(), static_cast<int>(code));
}

void TestMaskDocks::codebookEdits()
{
    Session session;
    CodebookDock dock(session);
    open(session, "sample-palette.mlmodelc", PartRole::Lut);
    QVERIFY(test::showDock(dock, 500, 700));
    QSignalSpy asked(&session, &Session::editsRequested);
    const QModelIndex value = dock.table().model()->index(2, CodebookModel::FirstValueColumn);
    QVERIFY(!dock.table().model()->setData(value, 0.75));
    session.setPatchingEnabled(true);
    QVERIFY(dock.table().model()->setData(value, 0.75));
    QCOMPARE(asked.count(), 1);
    const Edit edit = editsOf(asked, 0).at(0);
    QCOMPARE(edit.kind, Edit::Kind::Codebook);
    QCOMPARE(edit.indices.at(1).start, 2u);
    QCOMPARE(edit.value, 0.75);
}

KERNSCOPE_TEST(TestMaskDocks, QApplication)
#include "tst_mask_docks.moc"
