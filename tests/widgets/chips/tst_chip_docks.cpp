// SPDX-License-Identifier: GPL-3.0-or-later
// Stream or fold, geometry, targets, choose, collective: the docks that are tables.
#include "made_bundle.h"
#include "table_cells.h"
#include "tests/core/bundle/second_function.h"
#include "tests/widgets/sample_session.h"
#include "widgets/chips/assessment_dock.h"
#include "widgets/chips/choose_dock.h"
#include "widgets/chips/plan_dock.h"
#include "widgets/chips/roofline_dock.h"
#include "widgets/chips/stream_dock.h"
#include "widgets/chips/timeline_dock.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/words.h"
#include "widgets/weight/codebook_dock.h"
#include "widgets/weight/mask_dock.h"

#include <qcustomplot.h>

using namespace kernscope::ui;

namespace {

int chipColumn(const StreamMatrixModel &model, const char *name)
{
    return model.firstChip() + int(model.table()->columnOf(*target::findTarget(name)->target));
}

/// The sample with its function twice.
BundlePtr openTwoFunctions()
{
    sample::SampleBundle sample = sampleOf("dense");
    addSecondFunction(sample.files);
    return Bundle::open(sample.name, {.memory = sample.files}).value_or(nullptr);
}

/// Of `layers` linear operations; every third weight is twice as wide and meets two rows.
BundlePtr manyLayers(int layers)
{
    test::MadeBundle made;
    made.parameters = "tensor<fp16, [1, 8]> x, tensor<fp16, [2, 16]> z";
    for (int i = 0; i < layers; ++i) {
        const bool third = i % 3 == 0;
        const std::uint64_t width = third ? 16 : 8;
        const std::string shape = "[8, " + std::to_string(width) + "]";
        const std::string name = "layer_" + std::to_string(i);
        made.weight(name, shape, test::Bytes(16 * width));
        made.line("tensor<fp16, [" + std::string(third ? "2" : "1") + ", 8]> y" +
                  std::to_string(i) + " = linear(weight = " + name + ", x = " +
                  (third ? "z" : "x") + ")[name = string(\"op_" + std::to_string(i) + "\")]");
    }
    return made.open().value_or(nullptr);
}

bool showWhole(Dock &dock, Session &session, BundlePtr bundle)
{
    session.setBundle(std::move(bundle));
    dock.resize(1000, 600);
    dock.show();
    return QTest::qWaitFor([&dock] { return dock.isVisible() && !dock.busy(); }, 30000);
}

} // namespace

class TestChipDocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void emptyStates()
    {
        auto [session, stream] = Alone<StreamDock>();
        RooflineDock roofline(session);
        ChooseDock choose(session);
        PlanDock plan(session);
        for (Dock *dock : std::initializer_list<Dock *>{&stream, &roofline, &choose, &plan}) {
            QVERIFY(showDock(*dock));
            QVERIFY(!dock->showsContent());
        }
    }

    /// A file is open: being told to open one would be wrong.
    void filesWithoutWeights()
    {
        const auto none = VERIFIED(MadeBundle().open());
        auto [session, stream] = Alone<StreamDock>();
        ChooseDock choose(session);
        PlanDock plan(session);
        CodebookDock codebook(session);
        MaskDock mask(session);
        session.setBundle(*none);
        for (Dock *dock :
             std::initializer_list<Dock *>{&stream, &choose, &plan, &codebook, &mask}) {
            QVERIFY(showDock(*dock));
            QVERIFY(!dock->showsContent());
            QVERIFY2(says(*dock, u"has no weights"_s), qPrintable(dock->id()));
        }
    }

    /// No chip is cut by the edge, whatever the width; one that was set by hand stays.
    void chipsAreWhole()
    {
        auto [session, dock] = Alone<StreamDock>();
        QVERIFY(showDock(dock, session, openSample("palette"), {640, 500}));
        const QTableView &matrix = dock.matrix();
        const auto cut = [&matrix, &dock] {
            const int edge = matrix.viewport()->width();
            for (int column = dock.model().firstChip(); column < dock.model().columnCount();
                 ++column) {
                const int left = matrix.columnViewportPosition(column);
                if (left < edge && left + matrix.columnWidth(column) > edge)
                    return column;
            }
            return -1;
        };
        for (const int width : {640, 666, 721, 905, 1200, 2000}) {
            dock.resize(width, 500);
            QVERIFY(settle(dock));
            QCOMPARE(cut(), -1);
            QVERIFY(matrix.viewport()->width() < 500 ||
                    matrix.columnViewportPosition(dock.model().firstChip() + 2) <
                        matrix.viewport()->width());
        }
        const int chip = dock.model().firstChip() + 1;
        matrix.horizontalHeader()->resizeSection(chip, 150);
        dock.resize(800, 500);
        QVERIFY(settle(dock));
        QCOMPARE(matrix.columnWidth(chip), 150);
    }

    /// The colour is what the outcome says; a selection must not paint "folds" as "streams".
    void choiceKeepsItsColour()
    {
        auto [session, dock] = Alone<StreamDock>();
        QVERIFY(showDock(dock, session, openSample("palette")));
        QTableView *matrix = &dock.matrix();
        const QModelIndex cell = dock.model().index(0, dock.model().firstChip());
        QVERIFY(!dock.model().index(0, 0).data(kShortNameRole).toString().isEmpty());
        QVERIFY(!cell.data(kShortNameRole).isValid());
        matrix->setCurrentIndex(cell);
        QVERIFY(matrix->selectionModel()->isSelected(cell));
        const QRect box = matrix->visualRect(cell);
        const QImage picture = matrix->viewport()->grab().toImage();
        const auto at = [&](int x, int y) {
            return picture.pixelColor(QPoint(x, y) * picture.devicePixelRatio());
        };
        QCOMPARE(at(box.right() - 5, box.center().y()),
                 cell.data(Qt::BackgroundRole).value<QColor>());
        QVERIFY(at(box.left(), box.center().y()) != at(box.right() - 5, box.center().y()));
    }

    /// Shown where functions must be told apart, and only there.
    void functionColumn()
    {
        auto [session, dock] = Alone<StreamDock>();
        QVERIFY(showDock(dock, session, openSample("dense")));
        QTableView &matrix = dock.matrix();
        const int function = dock.model().columnOf("function");
        QVERIFY(matrix.isColumnHidden(function));
        const BundlePtr two = VERIFIED(openTwoFunctions());
        QVERIFY(two->weights().front().sharesName);
        session.setBundle(two);
        QVERIFY(settle(dock));
        QVERIFY(QTest::qWaitFor([&] { return dock.model().rowCount() > 1; }));
        QVERIFY(!matrix.isColumnHidden(function));
        QCOMPARE(dock.model().headerData(function, Qt::Horizontal).toString(), u"Function"_s);
        const int half = (dock.model().rowCount() - 1) / 2;
        QCOMPARE(textAt(dock.model(), 0, function), u"main"_s);
        QCOMPARE(textAt(dock.model(), half, function), u"second"_s);
        dock.model().setFilter(u"second"_s);
        QCOMPARE(dock.model().rowCount() - 1, half);
    }

    void matrixHasEveryChipAndSums()
    {
        auto [session, dock] = Alone<StreamDock>();
        QAbstractItemModelTester tester(&dock.model());
        QVERIFY(showDock(dock, session, openSample("palette")));
        QVERIFY(dock.showsContent());
        const BundlePtr bundle = session.bundle();
        QCOMPARE(dock.model().rowCount(), int(bundle->weights().size()) + 1);
        QCOMPARE(dock.model().columnCount(),
                 dock.model().firstChip() + int(target::targets().size()));
        const std::size_t palette = weightWith(*bundle, codec::PartRole::Lut);
        const int row = dock.model().rowOf(palette);
        const QModelIndex m1 = dock.model().index(row, chipColumn(dock.model(), "M1"));
        QVERIFY(!m1.data().toString().isEmpty());
        QVERIFY(m1.data(Qt::BackgroundRole).isValid());
        QVERIFY(theme::contrast(m1.data(Qt::BackgroundRole).value<QColor>(),
                                m1.data(Qt::ForegroundRole).value<QColor>()) >= 4.5);
        for (int column = dock.model().firstChip(); column < dock.model().columnCount(); ++column) {
            const auto &verdict =
                dock.model().table()->verdict(palette, dock.model().chipOf(column));
            QCOMPARE(dock.model().index(row, column).data().toString(),
                     outcomeLabel(verdict.outcome));
        }
        const int sums = dock.model().rowCount() - 1;
        QVERIFY(dock.model().isSumRow(sums));
        QVERIFY(dock.model()
                    .index(sums, chipColumn(dock.model(), "M1"))
                    .data()
                    .toString()
                    .contains(QLatin1Char('B')));
        // The sums stay in sight: a foot below the table, whose own row of them is hidden.
        auto *foot = dock.findChild<TableFoot *>();
        QVERIFY(foot && foot->isVisible());
        QVERIFY(dock.matrix().isRowHidden(sums));
        auto &shown = foot->view();
        QCOMPARE(shown.model()->rowCount(), 1);
        QCOMPARE(shown.model()->index(0, 0).data(), dock.model().index(sums, 0).data());
        QVERIFY(shown.viewport()->height() >= shown.fontMetrics().height());
        dock.matrix().horizontalHeader()->resizeSection(dock.model().columnOf("form"), 123);
        QCOMPARE(shown.columnWidth(dock.model().columnOf("form")), 123);
        QScrollBar *bar = dock.matrix().horizontalScrollBar();
        bar->setValue(bar->maximum());
        QCOMPARE(shown.columnViewportPosition(dock.model().columnCount() - 1),
                 dock.matrix().columnViewportPosition(dock.model().columnCount() - 1));
        dock.model().setFilter(u"no weight of this name"_s);
        QCOMPARE(shown.model()->rowCount(), 1);
        QVERIFY(dock.matrix().isRowHidden(0));
        // What one filter hid comes back with the next: only the row of sums stays hidden.
        for (const char *words : {"bias", "", "weight", ""}) {
            dock.model().setFilter(QString::fromLatin1(words));
            for (int shownRow = 0; shownRow < dock.model().rowCount(); ++shownRow)
                QCOMPARE(dock.matrix().isRowHidden(shownRow), dock.model().isSumRow(shownRow));
        }
    }

    void selectingACellOpensItsAssessment()
    {
        auto [session, dock] = Alone<StreamDock>();
        AssessmentDock told(session);
        QAbstractItemModelTester tester(&told.gates());
        QVERIFY(showDock(told, session, openSample("palette")));
        QVERIFY(!told.showsContent()); // no cell was chosen
        QVERIFY(showDock(dock));
        const std::size_t palette = weightWith(*session.bundle(), codec::PartRole::Lut);
        const auto choose = [&](const char *chip) {
            dock.matrix().setCurrentIndex(
                dock.model().index(dock.model().rowOf(palette), chipColumn(dock.model(), chip)));
            return settle(told);
        };
        QVERIFY(choose("M5"));
        QCOMPARE(session.place().weight, palette);
        QVERIFY(told.showsContent());
        const int master = rowWith(told.gates(), GateOffset, u"0x48f"_s);
        QVERIFY(master >= 0);
        QCOMPARE(textAt(told.gates(), master, GateFound), u"1"_s);
        QVERIFY(!textAt(told.gates(), master, GateSource).isEmpty());
        QVERIFY(rowWith(told.gates(), GateOffset, u"0x529"_s) >= 0);
        QVERIFY(told.text().startsWith(u"On M5 Pro/Max (H17s): "_s +
                                       fromUtf8(session.bundle()->weights()[palette].name) +
                                       u'\n'));
        // The figures are those of the core's one assessment.
        const auto &table = *dock.model().table();
        const std::size_t chip = table.columnOf(*target::findTarget("M5")->target);
        const roofline::Assessment expected = table.assessment(palette, chip);
        QCOMPARE(told.outcome().text(), outcomeLabel(expected.outcome));
        QVERIFY(expected.decision.bytesMoved);
        QVERIFY(told.sentence().text().contains(groupedNumber(*expected.decision.bytesMoved)));
        const auto shows = [&](const AssessmentFacts &facts, const QString &value) {
            return std::ranges::any_of(
                facts, [&](const AssessmentFact &fact) { return fact.value == value; });
        };
        const AssessmentWords &words = told.words();
        QVERIFY(shows(words.bytes, groupedNumber(*expected.weight.storedBytes) + u" B"_s));
        QVERIFY(shows(words.memory, groupedNumber(*expected.decision.memory.demand) + u" B"_s));
        QVERIFY(expected.timeS);
        QVERIFY(shows(words.time, siWord(*expected.timeS, u"s"_s)));
        QVERIFY(table.layer(palette).operation && !words.geometry.empty());
        QCOMPARE(told.gates().rowCount(), int(expected.decision.verdict->reasons.size()));
        for (int row = 0; row < told.gates().rowCount(); ++row)
            QVERIFY(told.text().contains(textAt(told.gates(), row, GateName)));
        // Another cell of the same weight.
        QVERIFY(choose("M1"));
        QVERIFY(told.text().startsWith(u"On M1 (H13): "_s));
        // What is pinned keeps its cell.
        told.setPinned(true);
        QVERIFY(choose("M5"));
        QVERIFY(told.text().startsWith(u"On M1 (H13): "_s));
        // The place moves the selection, and a pinned dock stays.
        session.goToWeight(0);
        QCOMPARE(dock.matrix().currentIndex().row(), 0);
        dock.setPinned(true);
        session.goToWeight(palette);
        QCOMPARE(dock.matrix().currentIndex().row(), 0);
    }

    void filters()
    {
        auto [session, dock] = Alone<StreamDock>();
        QVERIFY(showDock(dock, session, openSample("dense")));
        const int all = dock.model().rowCount();
        const auto bytes = [&dock] {
            return textAt(dock.model(), dock.model().rowCount() - 1, dock.model().firstChip());
        };
        const QString perCall = bytes();
        dock.model().setFilter(u"no such weight"_s);
        QCOMPARE(dock.model().rowCount(), 1);
        QCOMPARE(bytes(), perCall); // of a call of the model, whatever is listed
        QTRY_VERIFY(says(dock, u"No weight fits"_s));
        dock.model().setFilter({});
        QCOMPARE(dock.model().rowCount(), all);
        QTRY_VERIFY(!says(dock, u"No weight fits"_s));
        dock.onlyFaster().setChecked(true);
        QVERIFY(dock.model().rowCount() <= all);
    }

    /// By what a chip does, or by bytes; the sums stay last, the chosen cell on its weight.
    void sorts()
    {
        auto [session, dock] = Alone<StreamDock>();
        QVERIFY(showDock(dock, session, openSample("palette")));
        StreamMatrixModel &model = dock.model();
        const int chip = chipColumn(model, "M1"), bytes = model.columnOf("stored_bytes");
        session.goToWeight(weightWith(*session.bundle(), codec::PartRole::Lut));
        const std::size_t chosen = session.place().weight;
        const QPersistentModelIndex sums = model.index(model.rowCount() - 1, chip);
        const QString total = sums.data().toString();
        const int width = dock.matrix().horizontalHeader()->length();
        for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            for (const int column : {chip, bytes}) {
                dock.matrix().sortByColumn(column, order);
                for (int row = 1; row + 1 < model.rowCount(); ++row) {
                    const int role = column == chip ? StreamMatrixModel::kOutcomeRole : SortRole;
                    const auto above = model.index(row - 1, column).data(role).toULongLong();
                    const auto here = model.index(row, column).data(role).toULongLong();
                    QVERIFY(order == Qt::AscendingOrder ? above <= here : above >= here);
                }
                QVERIFY(settle(dock));
                QCOMPARE(dock.matrix().horizontalHeader()->length(), width);
                QCOMPARE(sums.row(), model.rowCount() - 1);
                QCOMPARE(sums.data().toString(), total);
                QCOMPARE(model.weightOf(dock.matrix().currentIndex().row()), chosen);
            }
        }
    }

    // The head of the matrix of outcomes, and the room that its columns take.
    /// A column of a chip takes what its name, its sum and the words of the outcomes need; where a
    /// few chips have no room beside one another that way, glyphs stand for the words.
    void chipsTakeLittleRoom_data()
    {
        addColumns<int, bool>();
        addRow("wide", 1000, true);
        addRow("narrow", 450, false);
    }

    void chipsTakeLittleRoom()
    {
        auto [session, dock] = Alone<StreamDock>();
        const auto [width, words] = fetched<int, bool>();
        QVERIFY(showDock(dock, session, openSample("palette"), {width, 700}));
        const QHeaderView *header = dock.matrix().horizontalHeader();
        const StreamMatrixModel &model = dock.model();
        int word = 0;
        for (const auto outcome :
             {decision::Outcome::Streams, decision::Outcome::Folds, decision::Outcome::Dense,
              decision::Outcome::Rejected, decision::Outcome::Unknown})
            word = std::max(word, dock.fontMetrics().horizontalAdvance(outcomeLabel(outcome)));
        QVERIFY(!words || header->sectionSize(model.firstChip()) > word);
        QFont bold = dock.matrix().font();
        bold.setBold(true);
        const int sums = model.rowCount() - 1;
        int least = words ? word + theme::em(&dock, 1) : 0;
        for (int column = model.firstChip(); column < model.columnCount(); ++column) {
            const int sum =
                QFontMetrics(bold).horizontalAdvance(model.index(sums, column).data().toString());
            QVERIFY(header->sectionSize(column) > sum);
            QVERIFY(header->sectionSize(column) >= header->sectionSizeHint(column));
            least = std::max(least, sum + theme::em(&dock, 1));
            const QString product =
                model.headerData(column, Qt::Horizontal, kProductRole).toString();
            if (words)
                least = std::max(least, ChipHeader::leastWidth(product, header->fontMetrics()) +
                                            theme::em(&dock, 0.5));
        }
        // As many as there is room for share what is left of it; a long name has its own width.
        const int room =
            dock.matrix().viewport()->width() - header->sectionViewportPosition(model.firstChip());
        QVERIFY(room > least);
        for (int column = model.firstChip(); column < model.columnCount(); ++column)
            QVERIFY(header->sectionSize(column) <=
                    std::max(header->sectionSizeHint(column), room / (room / least) + 1));
    }

    /// What a chip is known by is read whole, over two lines where one is too narrow for it.
    void chipsAreNamedWhole()
    {
        auto [session, dock] = Alone<StreamDock>();
        QVERIFY(showDock(dock, session, openSample("palette"),
                         {1000, 700})); // outcomes have room for their words
        const QHeaderView *header = dock.matrix().horizontalHeader();
        const QFontMetrics metrics = header->fontMetrics();
        qsizetype most = 0;
        for (int column = dock.model().firstChip(); column < dock.model().columnCount(); ++column) {
            const QString product =
                dock.model().headerData(column, Qt::Horizontal, kProductRole).toString();
            const QStringList lines = ChipHeader::productLines(
                product, metrics, header->sectionSize(column) - theme::em(header, 0.3));
            most = std::max(most, lines.size());
            QVERIFY2(!lines.join(QString()).contains(QChar(0x2026)), qPrintable(product));
            QCOMPARE(lines.join(QString()).remove(QLatin1Char(' ')),
                     QString(product).remove(QLatin1Char(' ')));
        }
        QCOMPARE(most, qsizetype{2});
        QVERIFY2(header->height() >= 3 * metrics.lineSpacing(),
                 qPrintable(QString::number(header->height())));
        QCOMPARE(ChipHeader::productLines(u"M1"_s, metrics, 200), QStringList{u"M1"_s});
    }

    /// In a wide window names are as whole as chips are; what a person set stays.
    void namesTakeRoomThatIsThere()
    {
        auto [session, dock] = Alone<StreamDock>();
        QVERIFY(showDock(dock, session, openSample("palette"), {560, 700}));
        QHeaderView *header = dock.matrix().horizontalHeader();
        const int name = dock.model().columnOf("name"), narrow = header->sectionSize(name);
        dock.resize(2200, dock.height());
        QTRY_VERIFY(header->sectionSize(name) > narrow);
        int widest = 0;
        for (int row = 0; row + 1 < dock.model().rowCount(); ++row)
            widest = std::max(widest, dock.matrix().fontMetrics().horizontalAdvance(
                                          dock.model().index(row, name).data().toString()));
        QVERIFY(header->sectionSize(name) > widest);
        header->resizeSection(name, narrow + 7);
        dock.resize(1800, dock.height());
        QVERIFY(settle(dock));
        QCOMPARE(header->sectionSize(name), narrow + 7);
    }

    /// The figures are those of the whole assessment, though only a part of it is kept.
    void rooflineHasEveryLayer()
    {
        const BundlePtr bundle = VERIFIED(manyLayers(int(kMostPlacedAtOnce) + 20));
        auto [session, dock] = Alone<RooflineDock>();
        QVERIFY(showWhole(dock, session, bundle));
        QVERIFY(dock.showsContent());
        const RooflinePlot &plot = dock.plot();
        QCOMPARE(plot.pointCount(), int(kMostPlacedAtOnce) + 20);
        const auto roofs = VERIFIED(roofline::roofsOf(ChipState::of(session).target()));
        decision::Judge judge;
        const auto network = VERIFIED(
            roofline::assessNetwork(layersOf(*bundle, weightForms(*bundle)), *roofs, judge));
        for (const roofline::Placement &placed : network->placements) {
            const int point = plot.points().ofWeight(placed.layer.weight);
            QVERIFY(point >= 0);
            const roofline::Placement &shown = plot.points().placementOf(point);
            QVERIFY(plot.points().layerOf(point).layer(*bundle) == placed.layer);
            QCOMPARE(shown.stored().timeS.value_or(-1), placed.stored().timeS.value_or(-1));
            QCOMPARE(shown.trail[shown.dense].form, placed.trail[placed.dense].form);
            const roofline::Assessment *best = shown.bestForm(), *expected = placed.bestForm();
            QVERIFY(best != nullptr && expected != nullptr);
            QCOMPARE(best->form, expected->form);
            QCOMPARE(best->timeS.value_or(-1), expected->timeS.value_or(-1));
        }
    }

    /// Layers at one place are counted; their words name some of them.
    void rooflineNamesFewOfMany()
    {
        auto [session, dock] = Alone<RooflineDock>();
        QVERIFY(showWhole(dock, session, manyLayers(900)));
        const RooflinePlot &plot = dock.plot();
        QCOMPARE(plot.pointCount(), 900);
        std::vector<int> counts;
        for (const std::size_t weight : {std::size_t{0}, std::size_t{1}}) {
            const int point = plot.points().ofWeight(weight);
            const std::vector<int> here = plot.points().coinciding(point);
            QVERIFY(std::ranges::is_sorted(here));
            QVERIFY(std::ranges::find(here, point) != here.end());
            counts.push_back(int(here.size()));
            const QString text = plot.pointText(point);
            QVERIFY(text.contains(u"of %1 that lie here"_s.arg(here.size())));
            QVERIFY(text.size() < 1000);
        }
        QCOMPARE(counts, (std::vector<int>{300, 600}));
        QTRY_VERIFY(!plot.labels().shown().filter(u"299 more"_s).isEmpty() ||
                    !plot.labels().shown().filter(u"599 more"_s).isEmpty());
    }

    /// Layers thinner than a pixel are drawn together, and none of their time is lost.
    void timelineDrawsAllTimes()
    {
        constexpr int kLayers = 3000;
        auto [session, dock] = Alone<TimelineDock>();
        QVERIFY(showWhole(dock, session, manyLayers(kLayers)));
        QVERIFY(dock.showsContent());
        TimelinePlot &plot = dock.plot();
        QCOMPARE(plot.pointCount(), kLayers);
        double whole = 0, drawn = 0, end = 0;
        for (int i = 0; i < kLayers; ++i) {
            whole += plot.layer(i).computeS.value_or(0) + plot.layer(i).memoryS.value_or(0);
            end += plot.layer(i).timeS.value_or(0);
        }
        auto *picture = plot.findChild<QCustomPlot *>();
        int boxes = 0;
        for (int i = 0; i < picture->plottableCount(); ++i) {
            const auto *lane = VERIFIED(qobject_cast<QCPCurve *>(picture->plottable(i)));
            QCOMPARE(lane->data()->size() % 4, 0);
            for (auto at = lane->data()->constBegin(); at != lane->data()->constEnd(); at += 4) {
                drawn += (at + 2)->key - at->key;
                ++boxes;
            }
        }
        QVERIFY(whole > 0);
        QVERIFY(std::abs(drawn / whole - 1) < 1e-9);
        QVERIFY(boxes < 2 * kLayers);
        // As long as the layers take one after the other.
        QVERIFY(picture->xAxis->range().upper >= end);
        QVERIFY(picture->xAxis->range().upper < 3 * end);
    }

    /// The lane of the stored forms is the longest: the axis reaches to its end.
    void storedFormsFitTheAxis()
    {
        auto [session, dock] = Alone<TimelineDock>();
        QVERIFY(showWhole(dock, session, manyLayers(3)));
        QComboBox *forms = nullptr;
        for (auto *box : dock.findChildren<QComboBox *>()) {
            if (box->findData(u"best"_s) >= 0)
                forms = box;
        }
        QVERIFY(forms);
        forms->setCurrentIndex(forms->findData(u"best"_s));
        Q_EMIT forms->activated(forms->currentIndex());
        TimelinePlot &plot = dock.plot();
        QTRY_VERIFY(plot.layer(0).timeS < plot.layer(0).storedS);
        double stored = 0, best = 0;
        for (int i = 0; i < plot.pointCount(); ++i) {
            stored += plot.layer(i).storedS.value_or(0);
            best += plot.layer(i).timeS.value_or(0);
        }
        QVERIFY(stored > best * 1.1);
        QVERIFY(plot.findChild<QCustomPlot *>()->xAxis->range().upper >= stored);
    }

    void cancelledPlacingIsSaid()
    {
        Session session;
        session.setBundle(manyLayers(600));
        TimelineDock timeline(session);
        RooflineDock roofline(session);
        timeline.show();
        roofline.show();
        // Whether the task has ended by then or not, the dock says something and waits for nothing.
        QVERIFY(QTest::qWaitFor([&] { return session.tasks().running() > 1; }, 5000));
        session.tasks().cancelAll();
        Q_EMIT session.tasks().changed();
        QTRY_VERIFY(!timeline.busy());
        QTRY_VERIFY(!roofline.busy());
        // The chip's next question places them after all.
        ChipState::of(session).setChoice({});
        QTRY_VERIFY(timeline.showsContent());
        QTRY_VERIFY(roofline.showsContent());
        QCOMPARE(timeline.plot().pointCount(), 600);
        QCOMPARE(roofline.plot().pointCount(), 600);
    }

    /// A dock keeps the bundle for the names of its layers, but not beyond that bundle's time.
    void hiddenDocksLetGoOfClosedBundles()
    {
        Session session;
        BundlePtr bundle = manyLayers(5000);
        const std::weak_ptr<const Bundle> watched = bundle;
        RooflineDock roofline(session);
        TimelineDock timeline(session);
        QVERIFY(showWhole(roofline, session, bundle) && showWhole(timeline, session, bundle));
        QVERIFY(!roofline.plot().csv().isEmpty() && !timeline.plot().csv().isEmpty());
        roofline.hide();
        timeline.hide();
        bundle = manyLayers(60);
        session.setBundle(bundle);
        QTRY_VERIFY(watched.expired());
        QCOMPARE(roofline.plot().pointCount(), 0);
        QVERIFY(showWhole(roofline, session, bundle) && showWhole(timeline, session, bundle));
        QTRY_COMPARE(roofline.plot().pointCount(), 60);
        QTRY_COMPARE(timeline.plot().pointCount(), 60);
        // Closed while their tasks run: what these would bring is of no document.
        session.setBundle(manyLayers(5000));
        QTRY_VERIFY(!session.tasks().idle());
        session.setBundle(nullptr);
        QTRY_VERIFY(session.tasks().idle());
        QCOMPARE(roofline.plot().pointCount(), 0);
        QCOMPARE(timeline.plot().pointCount(), 0);
        QVERIFY(!roofline.plot().points().bundle() && !timeline.plot().bundle());
    }
};

KERNSCOPE_TEST(TestChipDocks, QApplication)
#include "tst_chip_docks.moc"
