// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/bundle/made_bundle.h"
#include "tests/widgets/weight/weight_dock_fixture.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/controls.h"
#include "widgets/common/labels.h"
#include "widgets/models/words.h"
#include "widgets/weight/codebook_dock.h"
#include "widgets/weight/inspector_dock.h"
#include "widgets/weight/mask_dock.h"
#include "widgets/weight/statistics_panel.h"
#include "widgets/weight/weight_dock.h"
#include "widgets/weight/weight_header.h"
#include "widgets/weight/weight_tiles.h"

using namespace kernscope::ui;
using kernscope::codec::PartRole;

/// The dock of a weight: grid and heat map, slices, edits, what it says at once.
class TestWeightDocks : public test::WeightDockFixture
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin(); }

    void emptyStates()
    {
        auto [session, weight] = test::Alone<WeightDock>();
        CodebookDock codebookDock(session);
        MaskDock mask(session);
        const std::initializer_list<Dock *> docks{&weight, &codebookDock, &mask};
        for (Dock *dock : docks) {
            QVERIFY(test::showDock(*dock, 400, 300));
            QVERIFY(!dock->showsContent());
        }
        session.setBundle(test::openSample("dense"));
        for (Dock *dock : docks) {
            QVERIFY(test::settle(*dock));
            QVERIFY(!dock->showsContent()); // no weight is chosen yet
        }
        session.goToWeight(0);
        QVERIFY(weight.showsContent());
        QVERIFY(!codebookDock.showsContent()); // a dense weight has none
        QVERIFY(mask.showsContent());
        QVERIFY(test::settle(weight));
        session.goTo({}); // the overview: the weight is left, also where something is read anew
        session.updateBundle(session.bundle());
        for (Dock *dock : docks) {
            QVERIFY(test::settle(*dock));
            QVERIFY(!dock->showsContent());
        }
        const OperandPlace &part = *session.bundle()->weights()[0].operand(PartRole::Data)->place;
        session.goToBytes(part.file, part.range()); // the bytes of a weight are that weight
        QVERIFY(weight.showsContent() && mask.showsContent());
    }

    void weightShowsAll()
    {
        auto [session, dock] = test::Alone<WeightDock>();
        QVERIFY(show(session, dock, "sparse"));
        QVERIFY(dock.showsContent());
        InspectorDock inspector(session);
        QVERIFY(test::showDock(inspector, 400, 1200));
        QVERIFY(inspector.statistics().statistics().has_value());
        const auto statistics = computeStatistics(*m_bundle, m_weight, {});
        QCOMPARE(inspector.statistics().statistics()->zeros, statistics->zeros);
        QVERIFY(inspector.statistics().histogram().pointCount() > 0);
        QVERIFY(inspector.statistics().statistics()->distinct.value_or(0) > 1);
        const auto *chips = inspector.findChild<ChipLines *>();
        QVERIFY(chips && chips->isVisible());
        const auto verdict = decision::Judge().verdict(
            weightForm(*m_bundle, m_bundle->weights()[m_weight]), target::defaultTarget());
        QTRY_VERIFY2(chips->text().contains(outcomeLabel(verdict->outcome)),
                     qPrintable(chips->text()));
        const auto [kept, left] = keptAndLeftOut(*m_bundle, m_weight);
        QAbstractItemModelTester tester(&dock.grid().model());
        for (const std::uint64_t element : {kept, left}) {
            session.goToElement(m_weight, element);
            QVERIFY(test::settle(dock));
            const QModelIndex index = dock.grid().table().currentIndex();
            QCOMPARE(index.data(WeightGridModel::ElementRole).toULongLong(), element);
            QCOMPARE(index.data(WeightGridModel::LeftOutRole).toBool(), element == left);
            QVERIFY(!dock.grid().answer().isEmpty());
        }
    }

    void weightFollowsAndLeads()
    {
        auto [session, dock] = test::Alone<WeightDock>();
        QVERIFY(show(session, dock, "dense"));
        const SliceMap map(m_bundle->weights()[m_weight].shape);
        session.goToElement(m_weight, *map.element(2, 3));
        QCOMPARE(dock.heatMap().currentCell(), (Cell{2, 3}));
        QCOMPARE(dock.grid().table().currentIndex(), dock.grid().model().index(2, 3));

        QSignalSpy moved(&session, &Session::placeChanged);
        QTest::mouseClick(dock.heatMap().viewport(), Qt::LeftButton, {},
                          dock.heatMap().cellRect({1, 4}).center());
        QCOMPARE(moved.count(), 1);
        QCOMPARE(session.place().element, map.element(1, 4));
        QCOMPARE(dock.grid().table().currentIndex(), dock.grid().model().index(1, 4));

        QTableView &table = dock.grid().table();
        table.scrollTo(dock.grid().model().index(0, 0));
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                          table.visualRect(dock.grid().model().index(3, 1)).center());
        QCOMPARE(session.place().element, map.element(3, 1));
        QCOMPARE(dock.heatMap().currentCell(), (Cell{3, 1}));
        session.goBack();
        QCOMPARE(dock.heatMap().currentCell(), (Cell{1, 4}));
    }

    void arrowKeysAreOneStep()
    {
        auto [session, dock] = test::Alone<WeightDock>();
        QVERIFY(show(session, dock, "dense"));
        session.goToElement(m_weight, 0);
        QSignalSpy moved(&session, &Session::placeChanged);
        for (int i = 0; i < 5; ++i)
            QTest::keyClick(&dock.heatMap(), Qt::Key_Right);
        QCOMPARE(moved.count(), 0);
        QTRY_COMPARE(moved.count(), 1);
        QCOMPARE(*session.place().element, 5u);
    }

    void slices()
    {
        auto [session, dock] = test::Alone<WeightDock>();
        QVERIFY(show(session, dock, "dense"));
        const Shape shape = m_bundle->weights()[m_weight].shape;
        QCOMPARE(shape.size(), 4u);
        QVERIFY(dock.slicePicker().isVisible());
        QList<QSpinBox *> indices = dock.slicePicker().findChildren<QSpinBox *>();
        QCOMPARE(indices.size(), 4);
        indices.at(2)->setValue(1); // ky held at 1
        QVERIFY(test::settle(dock));
        const SliceMap &map = dock.slicePicker().map();
        QCOMPARE(map.held()[2], std::optional<std::uint64_t>(1));
        QCOMPARE(std::uint64_t(dock.grid().model().columnCount()), map.cols());
        QCOMPARE(dock.heatMap().source()->cols(), map.cols());
        // An element that this slice leaves out moves the slice.
        session.goToElement(m_weight, 0);
        QCOMPARE(dock.slicePicker().map().held()[2], std::optional<std::uint64_t>(0));
        QCOMPARE(indices.at(2)->value(), 0);
        QCOMPARE(dock.heatMap().currentCell(), (Cell{0, 0}));
    }

    void weightEdits()
    {
        auto [session, dock] = test::Alone<WeightDock>();
        QVERIFY(show(session, dock, "sparse"));
        session.setPatchingEnabled(true);
        QSignalSpy asked(&session, &Session::editsRequested);
        const auto [kept, left] = keptAndLeftOut(*m_bundle, m_weight);
        for (const std::uint64_t element : {kept, left}) {
            session.goToElement(m_weight, element);
            QVERIFY(test::settle(dock));
            QTableView &table = dock.grid().table();
            table.setFocus();
            table.edit(table.currentIndex());
            auto *editor = VERIFIED(table.findChild<QLineEdit *>());
            editor->selectAll();
            QTest::keyClicks(editor, u"0.5"_s);
            QTest::keyClick(editor, Qt::Key_Return);
            const int call = element == kept ? 0 : 1;
            QTRY_COMPARE(asked.count(), call + 1);
            const Edit edit = editsOf(asked, call).at(0);
            QCOMPARE(edit.kind, element == left ? Edit::Kind::Keep : Edit::Kind::Set);
            QCOMPARE(edit.weight, m_bundle->weights()[m_weight].name);
            QCOMPARE(edit.value, 0.5);
            const auto indices = SliceMap(m_bundle->weights()[m_weight].shape).indices(element);
            QCOMPARE(edit.indices.size(), indices.size());
            for (std::size_t axis = 0; axis < indices.size(); ++axis) {
                QVERIFY(edit.indices[axis].single);
                QCOMPARE(edit.indices[axis].start, indices[axis]);
            }
            QTRY_VERIFY(!table.findChild<QLineEdit *>());
        }
        QCOMPARE(asked.count(), 2);
    }

    void liveAnswer()
    {
        auto [session, dock] = test::Alone<WeightDock>();
        QVERIFY(show(session, dock, "palette"));
        session.setPatchingEnabled(true);
        session.goToElement(m_weight, 1);
        QVERIFY(test::settle(dock));
        const QString stands = dock.grid().answer();
        QVERIFY(!stands.isEmpty());
        QTableView &table = dock.grid().table();
        table.edit(table.currentIndex());
        auto *editor = VERIFIED(table.findChild<QLineEdit *>());
        editor->selectAll();
        QTest::keyClicks(editor, u"0.3"_s);
        QVERIFY2(dock.grid().answer().contains("held"_L1), qPrintable(dock.grid().answer()));
        QVERIFY(dock.grid().answer().contains("codebook"_L1));
        QTest::keyClicks(editor, u"e"_s);
        QVERIFY(dock.grid().answer().contains("belongs to no number"_L1));
        // Given up, the answer goes with the edit.
        QTest::keyClick(editor, Qt::Key_Escape);
        QTRY_COMPARE(dock.grid().answer(), stands);
    }

    /// As the grid does, over the table of entries; sorted by value, of the entry that is typed in.
    void codebookAnswers()
    {
        auto [session, dock] = test::Alone<CodebookDock>();
        QVERIFY(show(session, dock, "palette"));
        session.setPatchingEnabled(true);
        QVERIFY(test::settle(dock));
        QTableView &table = dock.table();
        const auto *answer = table.findChild<QLabel *>(u"cellAnswer"_s);
        QVERIFY(answer && !answer->isVisible());
        table.sortByColumn(CodebookModel::FirstValueColumn, Qt::DescendingOrder);
        const QModelIndex cell = table.model()->index(0, CodebookModel::FirstValueColumn);
        table.setCurrentIndex(cell);
        const auto type = [&](const QString &text) {
            table.edit(cell);
            auto *editor = table.findChildren<QLineEdit *>().last();
            editor->selectAll();
            QTest::keyClicks(editor, text);
            return answer->text();
        };
        const auto warns = [answer] {
            return answer->palette().color(answer->foregroundRole()) ==
                   warningInk(answer->palette());
        };
        const QString same = type(cell.data(Qt::EditRole).toString());
        QVERIFY2(answer->isVisible() && same.contains("nothing changes"_L1), qPrintable(same));
        QVERIFY(!warns());
        const QString far = type(u"1e-12"_s);
        QVERIFY2(far.contains("off by"_L1), qPrintable(far));
        QVERIFY(warns());
        const QString none = type(u"0,5"_s);
        QVERIFY2(none.contains("','"_L1), qPrintable(none));
        QVERIFY(warns());
        QTest::keyClick(table.findChildren<QLineEdit *>().last(), Qt::Key_Escape);
        QVERIFY(!answer->isVisible());
    }

    void changedBytesKeepTheView()
    {
        auto [session, dock] = test::Alone<WeightDock>();
        QVERIFY(show(session, dock, "dense"));
        session.goToElement(m_weight, 5);
        dock.heatMap().zoomIn();
        QVERIFY(test::settle(dock));
        const ViewState before = dock.heatMap().viewState();
        const QModelIndex index = dock.grid().table().currentIndex();
        const OperandPlace &part = *m_bundle->weights()[m_weight].operand(PartRole::Data)->place;
        const std::array<std::byte, 2> one{std::byte{0x00}, std::byte{0x3c}};
        session.tasks().quiesce();
        QVERIFY(
            m_bundle->files()[part.file].file->write(FileOffset(part.dataOffset.value + 10), one));
        session.updateBundle(m_bundle);
        QTRY_VERIFY(dock.grid().model().data(index, WeightGridModel::ChangedRole).toBool());
        QVERIFY(test::settle(dock));
        QCOMPARE(dock.heatMap().viewState(), before);
        QCOMPARE(dock.grid().table().currentIndex(), index);
        QCOMPARE(index.data(WeightGridModel::ValueRole).toDouble(), 1.0);
        QVERIFY(index.data(Qt::ToolTipRole).toString().contains("changed"_L1));
        // The change is outlined, in the token's colour.
        const QImage image = dock.grid().table().viewport()->grab().toImage();
        const QRect rect = dock.grid().table().visualRect(index);
        QCOMPARE(image.pixel(rect.left() + 1, rect.center().y()),
                 theme::color(Token::MarkChanged, false).rgb());
    }

    void bothThemes()
    {
        auto [session, dock] = test::Alone<MaskDock>();
        QVERIFY(show(session, dock, "sparse", {700, 800}));
        const auto [kept, left] = keptAndLeftOut(*m_bundle, m_weight);
        const auto at = *SliceMap(m_bundle->weights()[m_weight].shape).cell(kept);
        dock.picture().setCurrentCell(Cell{at.first, at.second});
        while (dock.picture().cellRect({at.first, at.second}).width() < 20)
            dock.picture().zoomIn();
        for (const bool dark : {true, false}) {
            theme::apply(dark);
            QVERIFY(test::settle(dock));
            // Back into view: laying out and zooming may have moved it. The mark would cover it.
            dock.picture().setCurrentCell(std::nullopt);
            dock.picture().setCurrentCell(Cell{at.first, at.second});
            dock.picture().setCurrentCell(std::nullopt);
            QVERIFY(test::settle(dock));
            QTRY_COMPARE(centreOf(dock.picture(), {at.first, at.second}),
                         MaskTiles::shade(1, dark));
        }
    }

    /// The weight of the same number in another bundle is another weight: nothing of the one before
    /// stays until its own figures are there, or were cancelled.
    void figuresOfOtherBundlesGo()
    {
        auto [session, dock] = test::Alone<InspectorDock>();
        session.setBundle(test::openSample("dense"));
        session.goToWeight(0);
        QVERIFY(test::showDock(dock));
        const HistogramPlot *histogram = dock.statistics().findChild<HistogramPlot *>();
        QVERIFY(histogram && histogram->pointCount() > 0);
        // What leads to the largest value leaves no mark at the bar that was picked before.
        dock.statistics().histogram().setCurrentPoint(1);
        for (QLabel *label : dock.statistics().findChildren<QLabel *>()) {
            if (label->accessibleName() == u"max"_s)
                Q_EMIT label->linkActivated({});
        }
        QCOMPARE(histogram->currentPoint(), -1);
        test::cancelTasks(session);
        session.setBundle(test::openSample("sparse"));
        session.goToWeight(0);
        QVERIFY(test::settle(dock));
        QTRY_VERIFY(session.tasks().idle());
        QCOMPARE(histogram->pointCount(), 0);
    }

    /// Beside the name: the form, and what the chip that is judged by does with the weight.
    void titleSaysFormAndOutcome()
    {
        auto [session, dock] = test::Alone<WeightDock>();
        session.setBundle(test::openSample("sparse"));
        const std::size_t weight = test::weightWith(*session.bundle(), codec::PartRole::Mask);
        session.goToWeight(weight);
        QVERIFY(test::showDock(dock, 900, 700));
        ChipState &chips = ChipState::of(session);
        const auto pills = dock.findChildren<Pill *>();
        QCOMPARE(pills.size(), 2);
        QCOMPARE(pills[0]->text(), u"sparse"_s);
        QTRY_VERIFY(chips.table() != nullptr);
        const auto &table = chips.table();
        const auto outcome = table->verdict(weight, table->columnOf(chips.target())).outcome;
        QTRY_VERIFY(pills[1]->isVisible());
        QVERIFY2(pills[1]->text().startsWith(outcomeLabel(outcome)), qPrintable(pills[1]->text()));
        QVERIFY(pills[1]->text().contains(fromUtf8(chips.target().name)));
        for (const Pill *pill : pills) {
            QVERIFY(theme::contrast(pill->palette().color(pill->foregroundRole()), pill->tint()) >=
                    4.5);
            QVERIFY(pill->geometry().right() <= pill->parentWidget()->width());
        }
        // Narrow: the name gives way, not the words.
        dock.resize(420, 700);
        QTRY_VERIFY(pills[1]->geometry().right() <= pills[1]->parentWidget()->width());
        session.setBundle(nullptr);
        session.setBundle(test::openSample("dense"));
        session.goToWeight(0);
        QTRY_COMPARE(pills[0]->text(), u"dense-fp16"_s);
    }

    /// The name of an operation is one word, whatever its length: it must not widen the panel.
    void longNamesOfReadersFit()
    {
        const std::string reader = "StatefulPartitionedCall_model_1_cq_t2010v2_1_normalized_Sqrt";
        test::MadeBundle made;
        made.weight("w", "[1, 4]", test::Bytes(8, std::byte{0x3c}));
        made.line("tensor<fp16, [1, 4]> y = mul(x = x, y = w)[name = string(\"" + reader + "\")]");
        made.result = "y";
        auto [session, dock] = test::Alone<InspectorDock>();
        session.setBundle(*made.open());
        session.goToWeight(0);
        QVERIFY(test::showDock(dock, theme::em(&dock, 22), 800));
        const ElidedLabel *line = nullptr;
        for (const ElidedLabel *label : dock.findChildren<ElidedLabel *>()) {
            if (label->wholeText().contains(QString::fromStdString(reader)))
                line = label;
        }
        QVERIFY(line && line->isVisible());
        QVERIFY(line->toolTip().contains(QString::fromStdString(reader)));
        int seen = 0;
        for (const QScrollArea *area : dock.findChildren<QScrollArea *>()) {
            if (!area->isVisible())
                continue;
            QCOMPARE(area->horizontalScrollBar()->maximum(), 0);
            ++seen;
        }
        QVERIFY(seen > 0);
    }

    /// Where the inspector is narrow, names wrap: no figure lies beyond the edge.
    void figuresOfTheBundleAreInView()
    {
        auto [session, dock] = test::Alone<InspectorDock>();
        session.setBundle(test::openSample("sparse"));
        QVERIFY(test::showDock(dock, theme::em(&dock, 15), 800));
        const auto *area = VERIFIED(dock.findChild<QScrollArea *>());
        QVERIFY(test::says(dock, u" B"_s));
        QTRY_COMPARE(area->horizontalScrollBar()->maximum(), 0);
    }

    // The docks of masks and codebooks.
    void maskPicture()
    {
        auto [session, dock] = test::Alone<MaskDock>();
        QVERIFY(show(session, dock, "sparse", {700, 800}));
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
            QVERIFY(picture.describe(cell).contains(element == kept ? "kept"_L1 : "left out"_L1));
        }
        const auto decoder = m_bundle->decoder(m_weight);
        QVERIFY2(
            dock.figures().contains(QString::number(decoder->payloadElements().value).right(3)),
            qPrintable(dock.figures()));
        // As many values as the mask keeps are stored: that is told once.
        QVERIFY2(dock.figures().contains("kept"_L1) && !dock.figures().contains("stored"_L1),
                 qPrintable(dock.figures()));
        QCOMPARE(dock.density().pointCount(), int(m_bundle->weights()[m_weight].shape[0]));
    }

    /// A weight that is chosen anew has no cell, as in the grid.
    void cellIsLeftWithTheWeight()
    {
        auto [session, dock] = test::Alone<MaskDock>();
        QVERIFY(show(session, dock, "sparse", {700, 800}));
        session.goToElement(m_weight, 5);
        QVERIFY(dock.picture().currentCell());
        session.goTo({});
        session.goToWeight(m_weight);
        QVERIFY(test::settle(dock));
        QVERIFY(!dock.picture().currentCell());
        QCOMPARE(dock.cellText(), u"no cell chosen"_s);
    }

    /// The same where the inspector hid mask and codebook meanwhile, for a weight without them.
    void partsLeaveTheElement_data()
    {
        QTest::addColumn<QString>("build");
        for (const char *build : {"sparse", "palette"})
            test::addRow(build, QString::fromLatin1(build));
    }

    void partsLeaveTheElement()
    {
        QFETCH(const QString, build);
        auto [session, dock] = test::Alone<InspectorDock>();
        QVERIFY(show(session, dock, build.toLatin1(), {400, 1600}));
        session.setPatchingEnabled(true);
        const auto &weights = m_bundle->weights();
        const auto plain = std::ranges::find_if(weights, [](const Weight &weight) {
            return !weight.has(PartRole::Mask) && !weight.has(PartRole::Lut);
        });
        QVERIFY(plain != weights.end());
        const auto *mask = VERIFIED(dock.findChild<MaskDock *>());
        auto *codebook = VERIFIED(dock.findChild<CodebookDock *>());
        const auto chosen = [&] {
            return build == "sparse"_L1 ? mask->dropAction()->isEnabled()
                                        : codebook->table().currentIndex().isValid();
        };
        session.goToElement(m_weight, 1);
        QVERIFY(test::settle(dock));
        QVERIFY(chosen());
        session.goToWeight(std::size_t(plain - weights.begin()));
        QVERIFY(test::settle(dock));
        session.goToWeight(m_weight);
        QTRY_VERIFY(!chosen());
        QVERIFY(test::settle(dock));
        QVERIFY(!chosen());
        session.goBack();
        session.goBack(); // the element is a place
        QTRY_VERIFY(chosen());
    }

    /// Save As goes on in another file, at the same cell.
    void maskCellStaysInTheCopy()
    {
        auto [session, dock] = test::Alone<MaskDock>();
        QVERIFY(show(session, dock, "sparse", {700, 800}));
        session.goToElement(m_weight, 5);
        const auto cell = VERIFIED(dock.picture().currentCell());
        session.updateBundle(
            *Bundle::open("copy.mlmodelc", {.memory = test::sampleOf("sparse").files}));
        QVERIFY(test::settle(dock));
        QVERIFY(dock.picture().currentCell() == cell);
    }

    void maskPainting()
    {
        auto [session, dock] = test::Alone<MaskDock>();
        QVERIFY(show(session, dock, "sparse", {700, 800}));
        const auto [kept, left] = keptAndLeftOut(*m_bundle, m_weight);
        QSignalSpy asked(&session, &Session::editsRequested);
        session.goToElement(m_weight, left);
        QVERIFY(!dock.keepAction()->isEnabled()); // the file is locked
        dock.keepAction()->trigger();
        QCOMPARE(asked.count(), 0);
        session.setPatchingEnabled(true);
        QVERIFY(dock.keepAction()->isEnabled());
        dock.keepValue()->setText(u"0.25"_s);
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
    void maskPaintsByDragging()
    {
        auto [session, dock] = test::Alone<MaskDock>();
        QVERIFY(show(session, dock, "sparse", {700, 800}));
        QSignalSpy asked(&session, &Session::editsRequested);
        QVERIFY(!dock.brushAction()->isEnabled()); // the file is locked
        session.setPatchingEnabled(true);
        QVERIFY(dock.brushAction()->isEnabled());
        dock.brushAction()->setChecked(true);
        TileView &picture = dock.picture();
        QVERIFY(picture.brush());
        const SliceMap map(m_bundle->weights()[m_weight].shape);
        const auto kept = keptAndLeftOut(*m_bundle, m_weight).first;
        const auto cell = VERIFIED(map.cell(kept));
        const Cell first{cell->first, cell->second};
        const Cell last{first.row, first.col < 4 ? first.col + 4 : first.col - 4};
        const auto decoder = m_bundle->decoder(m_weight);
        std::set<std::uint64_t> wanted;
        for (std::uint64_t col = std::min(first.col, last.col);
             col <= std::max(first.col, last.col); ++col) {
            const auto element = map.element(first.row, col);
            if (element && decoder->stored(*element))
                wanted.insert(*element);
        }
        // Too small to be told apart: nothing is painted, and that is said.
        while (picture.brushHasRoom())
            picture.zoomOut();
        const auto at = [&picture](const Cell &one) { return picture.cellRect(one).center(); };
        picture.setCurrentCell(first);
        QTest::mouseClick(picture.viewport(), Qt::LeftButton, {}, at(first));
        QCOMPARE(asked.count(), 0);
        QVERIFY(dock.cellText().contains("Zoom in"_L1));
        while (!picture.brushHasRoom())
            picture.zoomIn();
        picture.setCurrentCell(first);
        // Given up by Escape: nothing is asked for.
        QTest::mousePress(picture.viewport(), Qt::LeftButton, {}, at(first));
        QVERIFY(dock.cellText().contains("leaves out 1 element"_L1));
        QTest::mouseMove(picture.viewport(), at(last));
        QVERIFY2(dock.cellText().contains(u"leaves out %1 element"_s.arg(wanted.size())),
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
        QVERIFY(std::ranges::all_of(
            edits, [](const Edit &edit) { return edit.kind == Edit::Kind::Drop; }));
    }

    void zeroMap()
    {
        auto [session, dock] = test::Alone<MaskDock>();
        QVERIFY(show(session, dock, "dense", {500, 700}));
        QVERIFY(dock.showsContent());
        QVERIFY(dock.figures().contains("not zero"_L1));
        session.setPatchingEnabled(true);
        session.goToElement(m_weight, 0);
        QVERIFY(!dock.keepAction()->isEnabled()); // there is no mask to paint
    }

    void densityGoesToTheChannel()
    {
        auto [session, dock] = test::Alone<MaskDock>();
        QVERIFY(show(session, dock, "sparse", {700, 800}));
        QWidget *area = dock.density().focusProxy();
        QTest::keyClick(area, Qt::Key_Right);
        QTest::keyClick(area, Qt::Key_Right);
        QTest::keyClick(area, Qt::Key_Return);
        const SliceMap map(m_bundle->weights()[m_weight].shape);
        QCOMPARE(session.place().element, map.element(1, 0));
        QCOMPARE(dock.picture().currentCell(), (Cell{1, 0}));
    }

    void codebook()
    {
        auto [session, dock] = test::Alone<CodebookDock>();
        QVERIFY(show(session, dock, "palette", {500, 700}));
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
        dock.table().sortByColumn(model.columnOf("uses"), Qt::DescendingOrder);
        std::uint64_t before = UINT64_MAX;
        for (int row = 0; row < model.rowCount(); ++row) {
            const int entry = dock.table().model()->index(row, 0).data().toInt();
            QVERIFY(*model.uses(entry) <= before);
            before = *model.uses(entry);
        }
    }

    void codebookFollowsTheElement()
    {
        auto [session, dock] = test::Alone<CodebookDock>();
        QVERIFY(show(session, dock, "palette", {500, 700}));
        const auto decoder = m_bundle->decoder(m_weight);
        std::int64_t code = 0;
        const std::uint64_t element = decoder->elements().value - 1;
        decoder->codes(element, {&code, 1});
        session.goToElement(m_weight, element);
        QCOMPARE(std::uint64_t(dock.chooser().value()), decoder->codebookOf(element).codebook);
        QCOMPARE(dock.plot().currentPoint(), int(code));
    }

    void codebookEdits()
    {
        auto [session, dock] = test::Alone<CodebookDock>();
        QVERIFY(show(session, dock, "palette", {500, 700}));
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

    // What has room beside what.

    /// A name that had room once does not keep the dock from becoming narrow.
    void longNamesGiveWay()
    {
        WeightHeader header(true);
        Weight weight;
        weight.name = std::string(150, 'w');
        header.resize(900, 60);
        header.setWeight(weight);
        header.setOutcome(decision::Outcome::Streams, u"H13"_s, {});
        QVERIFY2(header.minimumSizeHint().width() < 300,
                 qPrintable(QString::number(header.minimumSizeHint().width())));
    }

    /// Of every form: a changed cell's mark, code and value stand beside one another.
    void cellsHoldMarkCodeAndValue()
    {
        for (const char *build : {"dense", "palette"}) {
            auto [session, dock] = test::Alone<WeightDock>();
            session.setBundle(test::openSample(build));
            for (std::size_t weight = 0; weight < session.bundle()->weights().size(); ++weight) {
                session.goToWeight(weight);
                QVERIFY(test::showDock(dock, 700, 500));
                const QTableView &table = dock.grid().table();
                const WeightGridModel &model = dock.grid().model();
                QTRY_VERIFY(!model.loading());
                const QString code = model.index(0, 0).data(WeightGridModel::CodeRole).toString();
                QVERIFY(code.size() <= model.widestCode().size());
                const QString all =
                    theme::glyph(Token::MarkChanged) + u' ' + model.widestCode() + u" -0.0098765"_s;
                QVERIFY(table.columnWidth(0) > table.fontMetrics().horizontalAdvance(all) + 8);
            }
        }
    }

    /// The edge of the view cuts no column, however wide it is: they share the room.
    void columnsAreWhole()
    {
        auto [session, dock] = test::Alone<WeightDock>();
        session.setBundle(test::openSample("dense"));
        for (const int width : {500, 640, 790, 1200}) {
            session.goToWeight(0);
            QVERIFY(test::showDock(dock, width, 500));
            const QTableView &table = dock.grid().table();
            QTRY_VERIFY(!dock.grid().model().loading());
            const int room = table.viewport()->width(), column = table.columnWidth(0);
            if (dock.grid().model().columnCount() * column > room)
                QVERIFY2(room % column < room / column,
                         qPrintable(u"%1 of %2"_s.arg(column).arg(room)));
        }
    }

    /// "0.0448" of 0.044861 would be another number: where an edge cuts it, none is shown.
    void edgesCutNoNumber()
    {
        const QFontMetrics metrics{QFont()};
        const QString code = u"0x29be"_s, value = u"0.044861"_s;
        const QString dots(QChar(0x2026));
        const QRect view(0, 0, 500, 20);
        const auto shown = [&](int left, int width) {
            return WeightCellDelegate::shownTexts(QRect(left, 0, width, 20), view, metrics, code,
                                                  value);
        };
        const auto whole = shown(300, 200);
        QCOMPARE(whole.code, code);
        QCOMPARE(whole.value, value);
        const auto right = shown(301, 200); // its last digit
        QCOMPARE(right.code, code);
        QCOMPARE(right.value, dots);
        const auto narrow = shown(500 - metrics.horizontalAdvance(code) + 1, 200);
        QCOMPARE(narrow.code, QString());
        QCOMPARE(narrow.value, dots);
        const auto left = shown(-1, 200);
        QCOMPARE(left.code, QString());
        QCOMPARE(left.value, value);
        QCOMPARE(shown(-200 + metrics.horizontalAdvance(value) - 1, 200).value, dots);
        QCOMPARE(
            WeightCellDelegate::shownTexts(QRect(450, 0, 200, 20), view, metrics, code, {}).value,
            QString());
    }

    /// Square cells would make of a long slice a strip in an empty panel.
    void longSlicesFillThePicture()
    {
        auto [session, dock] = test::Alone<WeightDock>();
        open(session, "dense");
        session.goToWeight(m_weight);
        QVERIFY(test::showDock(dock, 1100, 500));
        auto *map = dock.findChild<TileView *>(u"heatMap"_s);
        QVERIFY(map && map->source());
        const std::uint64_t rows = map->source()->rows(), cols = map->source()->cols();
        const QRect all = map->cellRect({0, 0}) | map->cellRect({rows - 1, cols - 1});
        QVERIFY(all.height() > map->viewport()->height() / 2);
        QVERIFY2(all.width() > map->viewport()->width() / 2 || all.width() >= 4 * all.height(),
                 qPrintable(u"%1 of %2"_s.arg(all.width()).arg(map->viewport()->width())));
    }
};

KERNSCOPE_TEST(TestWeightDocks, QApplication)
#include "tst_weight_docks.moc"
