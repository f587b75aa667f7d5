// SPDX-License-Identifier: GPL-3.0-or-later
// Stream or fold, geometry, targets, choose, collective: the docks that are tables.
#include "made_bundle.h"
#include "table_cells.h"
#include "tests/core/bundle/second_function.h"
#include "tests/test_program.h"
#include "tests/widgets/sample_session.h"
#include "widgets/chips/assessment_dock.h"
#include "widgets/chips/choose_dock.h"
#include "widgets/chips/plan_dock.h"
#include "widgets/chips/roofline_dock.h"
#include "widgets/chips/stream_dock.h"
#include "widgets/common/table_foot.h"
#include "widgets/models/chip_words.h"
#include "widgets/models/table_text.h"
#include "widgets/models/task_manager.h"
#include "widgets/models/theme.h"
#include "widgets/weight/codebook_dock.h"
#include "widgets/weight/mask_dock.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QScrollBar>
#include <QStyleOptionViewItem>
#include <QTableView>
#include <QTest>

using namespace kernscope;
using namespace kernscope::test;
using namespace kernscope::ui;

namespace {

int chipColumn(const StreamMatrixModel &model, const char *name)
{
    return model.firstChip() +
           static_cast<int>(model.table()->columnOf(*target::findTarget(name)->target));
}

/// The sample with its function twice.
BundlePtr openTwoFunctions()
{
    for (const sample::SampleBundle &bundle : sample::bundles()) {
        if (bundle.name != "sample-dense.mlmodelc")
            continue;
        OpenOptions options;
        options.memory = bundle.files;
        addSecondFunction(options.memory);
        const auto opened = Bundle::open(bundle.name, options);
        return opened ? *opened : nullptr;
    }
    return nullptr;
}

} // namespace

class TestChipDocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void emptyStates()
    {
        Session session;
        StreamDock stream(session);
        RooflineDock roofline(session);
        ChooseDock choose(session);
        for (Dock *dock : std::initializer_list<Dock *>{&stream, &roofline, &choose}) {
            QVERIFY(showDock(*dock));
            QVERIFY(!dock->showsContent());
        }
    }

    /// A file is open: being told to open one would be wrong.
    void filesWithoutWeights()
    {
        const auto none = MadeBundle().open();
        QVERIFY(none);
        Session session;
        StreamDock stream(session);
        ChooseDock choose(session);
        PlanDock plan(session);
        CodebookDock codebook(session);
        MaskDock mask(session);
        session.setBundle(*none);
        for (Dock *dock :
             std::initializer_list<Dock *>{&stream, &choose, &plan, &codebook, &mask}) {
            QVERIFY(showDock(*dock));
            QVERIFY(!dock->showsContent());
            const auto labels = dock->findChildren<QLabel *>();
            QVERIFY2(std::any_of(labels.begin(), labels.end(),
                                 [](const QLabel *label) {
                                     return label->isVisible() &&
                                            label->text().contains(
                                                QStringLiteral("has no weights"));
                                 }),
                     qPrintable(dock->id()));
        }
    }

    /// No chip is cut by the edge, whatever the width; one that was set by hand stays.
    void chipsAreWhole()
    {
        Session session;
        StreamDock dock(session);
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(dock, 640, 500));
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
        Session session;
        StreamDock dock(session);
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(dock));
        QTableView *matrix = nullptr;
        for (QTableView *table : dock.findChildren<QTableView *>()) {
            if (table->accessibleName() == QStringLiteral("Weights by chips"))
                matrix = table;
        }
        QVERIFY(matrix);
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
        Session session;
        StreamDock dock(session);
        session.setBundle(openSample("sample-dense.mlmodelc"));
        QVERIFY(showDock(dock));
        QTableView &matrix = dock.matrix();
        const int function = dock.model().columnOf("function");
        QVERIFY(matrix.isColumnHidden(function));
        const BundlePtr two = openTwoFunctions();
        QVERIFY(two);
        QVERIFY(two->weights().front().sharesName);
        session.setBundle(two);
        QVERIFY(settle(dock));
        QVERIFY(QTest::qWaitFor([&] { return dock.model().rowCount() > 1; }));
        QVERIFY(!matrix.isColumnHidden(function));
        QCOMPARE(dock.model().headerData(function, Qt::Horizontal).toString(),
                 QStringLiteral("Function"));
        const int half = (dock.model().rowCount() - 1) / 2;
        QCOMPARE(textAt(dock.model(), 0, function), QStringLiteral("main"));
        QCOMPARE(textAt(dock.model(), half, function), QStringLiteral("second"));
        dock.model().setFilter(QStringLiteral("second"));
        QCOMPARE(dock.model().rowCount() - 1, half);
    }

    void matrixHasEveryChipAndSums()
    {
        Session session;
        StreamDock dock(session);
        QAbstractItemModelTester tester(&dock.model());
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(dock));
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
        dock.model().setFilter(QStringLiteral("no weight of this name"));
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
        Session session;
        StreamDock dock(session);
        AssessmentDock told(session);
        QAbstractItemModelTester tester(&told.gates());
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(told));
        QVERIFY(!told.showsContent()); // no cell was chosen
        QVERIFY(showDock(dock));
        const std::size_t palette = weightWith(*session.bundle(), codec::PartRole::Lut);
        dock.matrix().setCurrentIndex(
            dock.model().index(dock.model().rowOf(palette), chipColumn(dock.model(), "M5")));
        QCOMPARE(session.place().weight, palette);
        QVERIFY(settle(told));
        QVERIFY(told.showsContent());
        const int master = rowWith(told.gates(), GateOffset, QStringLiteral("0x48f"));
        QVERIFY(master >= 0);
        QCOMPARE(textAt(told.gates(), master, GateFound), QStringLiteral("1"));
        QVERIFY(!textAt(told.gates(), master, GateSource).isEmpty());
        QVERIFY(rowWith(told.gates(), GateOffset, QStringLiteral("0x529")) >= 0);
        QVERIFY(told.text().startsWith(fromUtf8(session.bundle()->weights()[palette].name) +
                                       QStringLiteral(" on M5 Pro/Max (H17s)\n")));
        // The figures are those of the core's one assessment.
        const auto &table = *dock.model().table();
        const std::size_t chip = table.columnOf(*target::findTarget("M5")->target);
        const roofline::Assessment expected = table.assessment(palette, chip);
        QCOMPARE(told.outcome().text(), outcomeLabel(expected.outcome));
        QVERIFY(expected.decision.bytesMoved);
        QVERIFY(told.sentence().text().contains(groupedNumber(*expected.decision.bytesMoved)));
        const auto shows = [&](const AssessmentFacts &facts, const QString &value) {
            return std::any_of(facts.begin(), facts.end(),
                               [&](const AssessmentFact &fact) { return fact.value == value; });
        };
        const AssessmentWords &words = told.words();
        QVERIFY(
            shows(words.bytes, groupedNumber(*expected.weight.storedBytes) + QStringLiteral(" B")));
        QVERIFY(shows(words.memory,
                      groupedNumber(*expected.decision.memory.demand) + QStringLiteral(" B")));
        QVERIFY(expected.timeS);
        QVERIFY(shows(words.time, siWord(*expected.timeS, QStringLiteral("s"))));
        QVERIFY(table.layer(palette).operation && !words.geometry.empty());
        QCOMPARE(told.gates().rowCount(), int(expected.decision.verdict->reasons.size()));
        for (int row = 0; row < told.gates().rowCount(); ++row)
            QVERIFY(told.text().contains(textAt(told.gates(), row, GateName)));
        // Another cell of the same weight.
        dock.matrix().setCurrentIndex(
            dock.model().index(dock.model().rowOf(palette), chipColumn(dock.model(), "M1")));
        QVERIFY(settle(told));
        QVERIFY(told.text().contains(QStringLiteral(" on M1 (H13)\n")));
        // What is pinned keeps its cell.
        told.setPinned(true);
        dock.matrix().setCurrentIndex(
            dock.model().index(dock.model().rowOf(palette), chipColumn(dock.model(), "M5")));
        QVERIFY(settle(told));
        QVERIFY(told.text().contains(QStringLiteral(" on M1 (H13)\n")));
        // The place moves the selection, and a pinned dock stays.
        session.goToWeight(0);
        QCOMPARE(dock.matrix().currentIndex().row(), 0);
        dock.setPinned(true);
        session.goToWeight(palette);
        QCOMPARE(dock.matrix().currentIndex().row(), 0);
    }

    void filters()
    {
        Session session;
        StreamDock dock(session);
        session.setBundle(openSample("sample-dense.mlmodelc"));
        QVERIFY(showDock(dock));
        const int all = dock.model().rowCount();
        dock.model().setFilter(QStringLiteral("no such weight"));
        QCOMPARE(dock.model().rowCount(), 1);
        dock.model().setFilter({});
        QCOMPARE(dock.model().rowCount(), all);
        dock.onlyFaster().setChecked(true);
        QVERIFY(dock.model().rowCount() <= all);
    }
};

KERNSCOPE_TEST(TestChipDocks, QApplication)
#include "tst_chip_docks.moc"
