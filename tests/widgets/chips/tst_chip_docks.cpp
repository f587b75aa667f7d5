// SPDX-License-Identifier: GPL-3.0-or-later
// Stream or fold, roofline, geometry, targets, choose, collective.
#include "made_bundle.h"
#include "tests/widgets/sample_session.h"
#include "widgets/chips/assessment_dock.h"
#include "widgets/chips/calibration_dock.h"
#include "widgets/chips/calibration_plot.h"
#include "widgets/chips/chip_words.h"
#include "widgets/chips/choose_dock.h"
#include "widgets/chips/collective_dock.h"
#include "widgets/chips/geometry_dock.h"
#include "widgets/chips/label_placer.h"
#include "widgets/chips/plan_dock.h"
#include "widgets/chips/reduction_dock.h"
#include "widgets/chips/reduction_plot.h"
#include "widgets/chips/roofline_dock.h"
#include "widgets/chips/roofline_plot.h"
#include "widgets/chips/stream_dock.h"
#include "widgets/chips/targets_dock.h"
#include "widgets/chips/timeline_dock.h"
#include "widgets/chips/timeline_plot.h"
#include "widgets/common/table_foot.h"
#include "widgets/common/table_text.h"
#include "widgets/common/task_manager.h"
#include "widgets/common/theme.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <qcustomplot.h>

using namespace kernscope;
using namespace kernscope::test;
using namespace kernscope::ui;

namespace {

QString textAt(const QAbstractItemModel &model, int row, int column)
{
    return model.index(row, column).data().toString();
}

/// Row whose cell in that column is the text; -1: none.
int rowWith(const QAbstractItemModel &model, int column, const QString &text)
{
    for (int row = 0; row < model.rowCount(); ++row) {
        if (textAt(model, row, column) == text)
            return row;
    }
    return -1;
}

int chipColumn(const StreamMatrixModel &model, const char *name)
{
    return StreamMatrixModel::kFirstChip +
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
        for (auto &[path, content] : options.memory) {
            if (path != "model.mil")
                continue;
            std::string text(reinterpret_cast<const char *>(content.data()), content.size());
            const auto begin = text.find("func main"), end = text.rfind('}');
            std::string copy = text.substr(begin, end - begin);
            copy.replace(0, std::string_view("func main").size(), "func second");
            text.insert(end, copy);
            const auto bytes = std::as_bytes(std::span(text));
            content.assign(bytes.begin(), bytes.end());
        }
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
        const QModelIndex cell = dock.model().index(0, StreamMatrixModel::kFirstChip);
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
        QVERIFY(matrix.isColumnHidden(StreamMatrixModel::FunctionColumn));
        const BundlePtr two = openTwoFunctions();
        QVERIFY(two);
        QVERIFY(two->weights().front().sharesName);
        session.setBundle(two);
        QVERIFY(settle(dock));
        QVERIFY(QTest::qWaitFor([&] { return dock.model().rowCount() > 1; }));
        QVERIFY(!matrix.isColumnHidden(StreamMatrixModel::FunctionColumn));
        QCOMPARE(
            dock.model().headerData(StreamMatrixModel::FunctionColumn, Qt::Horizontal).toString(),
            QStringLiteral("Function"));
        const int half = (dock.model().rowCount() - 1) / 2;
        QCOMPARE(textAt(dock.model(), 0, StreamMatrixModel::FunctionColumn),
                 QStringLiteral("main"));
        QCOMPARE(textAt(dock.model(), half, StreamMatrixModel::FunctionColumn),
                 QStringLiteral("second"));
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
                 StreamMatrixModel::kFirstChip + int(target::targets().size()));
        const std::size_t palette = weightWith(*bundle, codec::PartRole::Lut);
        const int row = dock.model().rowOf(palette);
        const QModelIndex m1 = dock.model().index(row, chipColumn(dock.model(), "M1"));
        QVERIFY(!m1.data().toString().isEmpty());
        QVERIFY(m1.data(Qt::BackgroundRole).isValid());
        QVERIFY(theme::contrast(m1.data(Qt::BackgroundRole).value<QColor>(),
                                m1.data(Qt::ForegroundRole).value<QColor>()) >= 4.5);
        for (int column = StreamMatrixModel::kFirstChip; column < dock.model().columnCount();
             ++column) {
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
        dock.matrix().horizontalHeader()->resizeSection(StreamMatrixModel::FormColumn, 123);
        QCOMPARE(shown.columnWidth(StreamMatrixModel::FormColumn), 123);
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

    /// What is copied is what is on view: nothing where there is nothing, the text that a person
    /// selected where there is some.
    void assessmentCopiesWhatIsOnView()
    {
        Session session;
        AssessmentDock dock(session);
        QAction *copy = dock.menuActions().front(), *gates = dock.menuActions().back();
        QVERIFY(showDock(dock));
        QVERIFY(!dock.showsContent() && !copy->isEnabled() && !gates->isEnabled());
        QGuiApplication::clipboard()->setText(QStringLiteral("before"));
        copy->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("before"));
        session.setBundle(openSample("sample-palette.mlmodelc"));
        session.goToWeight(weightWith(*session.bundle(), codec::PartRole::Lut));
        QVERIFY(settle(dock));
        QVERIFY(dock.showsContent() && copy->isEnabled() && gates->isEnabled());
        copy->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(), dock.text());
        dock.sentence().setFocus();
        dock.sentence().setSelection(0, 4);
        QVERIFY(dock.sentence().hasSelectedText());
        QTest::keyClick(&dock.sentence(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), dock.sentence().selectedText());
        QVERIFY(dock.gates().rowCount() > 0);
        session.setBundle(nullptr);
        QVERIFY(settle(dock));
        QVERIFY(!dock.showsContent() && !copy->isEnabled() && !gates->isEnabled());
        QCOMPARE(dock.gates().rowCount(), 0);
        QVERIFY(dock.words().outcome.isEmpty());
    }

    /// Nobody waits for what was cancelled.
    void cancelledSaysSo()
    {
        Session session;
        StreamDock stream(session);
        ChooseDock choose(session);
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(stream) && showDock(choose));
        const auto actionOf = [](const QList<QAction *> &actions, const char *text) {
            for (QAction *action : actions) {
                if (action->text() == QString::fromLatin1(text))
                    return action;
            }
            return static_cast<QAction *>(nullptr);
        };
        const auto saysCancelled = [](const QWidget &dock) {
            const auto labels = dock.findChildren<QLabel *>();
            return std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
                return label->isVisible() && label->text().contains(QStringLiteral("cancelled"));
            });
        };
        const auto cutting = connect(&session.tasks(), &TaskManager::changed, &stream,
                                     [&] { session.tasks().cancelAll(); });
        session.setBundle(openSample("sample-sparse.mlmodelc"));
        QTRY_VERIFY(session.tasks().idle());
        QTRY_VERIFY(saysCancelled(stream) && saysCancelled(choose));
        QVERIFY(!stream.busy() && !choose.busy());
        disconnect(cutting);
        QAction *judge = actionOf(stream.menuActions(), "Judge the Weights Again");
        QAction *forms = actionOf(choose.menuActions(), "Try Forms Again");
        QVERIFY(judge && forms);
        judge->trigger();
        forms->trigger();
        QVERIFY(settle(stream) && settle(choose));
        QVERIFY(stream.showsContent() && !saysCancelled(choose));
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
                                       QStringLiteral(" on H17s\n")));
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
        QVERIFY(told.text().contains(QStringLiteral(" on H13\n")));
        // What is pinned keeps its cell.
        told.setPinned(true);
        dock.matrix().setCurrentIndex(
            dock.model().index(dock.model().rowOf(palette), chipColumn(dock.model(), "M5")));
        QVERIFY(settle(told));
        QVERIFY(told.text().contains(QStringLiteral(" on H13\n")));
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

    void rooflinePoints()
    {
        Session session;
        RooflineDock dock(session);
        session.setBundle(openSample("sample-sparse.mlmodelc"));
        QVERIFY(showDock(dock));
        QVERIFY(dock.showsContent());
        RooflinePlot &plot = dock.plot();
        QVERIFY(plot.pointCount() > 0);
        QCOMPARE(plot.ridgeLabel(), QStringLiteral("ridge 141 FLOP/B"));
        QVERIFY(dock.facts().text().contains(QStringLiteral("141")));
        QVERIFY(plot.roofCount() > 5);
        QVERIFY(plot.pointText(0).contains(QStringLiteral("FLOP/B")));
        QCOMPARE(plot.columns().size(), 17);
        QCOMPARE(plot.cell(0, 16).toString(), QStringLiteral("main"));
        const double before = plot.cell(0, 5).toDouble();
        dock.batch().setValue(16);
        QVERIFY(settle(dock));
        QVERIFY(plot.cell(0, 5).toDouble() >= before);
        // Keyboard: from point to point, zoom and back.
        QTest::keyClick(plot.focusProxy(), Qt::Key_End);
        QCOMPARE(plot.currentPoint(), plot.pointCount() - 1);
        const QPoint fitted = plot.positionOf(0);
        QTest::keyClick(plot.focusProxy(), Qt::Key_Minus);
        QVERIFY(plot.positionOf(0) != fitted || plot.pointCount() == 1);
        QTest::keyClick(plot.focusProxy(), Qt::Key_0);
        QCOMPARE(plot.positionOf(0), fitted);
        plot.showTable(true);
        QVERIFY(plot.tableShown());
    }

    void rooflineExports()
    {
        Session session;
        RooflineDock dock(session);
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(dock));
        QTemporaryDir folder;
        for (const char *name : {"r.png", "r.svg", "r.pdf"}) {
            const QString path = folder.filePath(QString::fromUtf8(name));
            QCOMPARE(dock.plot().exportPicture(path), QString());
            QVERIFY(QFileInfo(path).size() > 500);
        }
        QVERIFY(dock.plot().svg({800, 600}).contains(QStringLiteral("ridge 141")));
        QCOMPARE(dock.plot().csv().count(QLatin1Char('\n')), dock.plot().pointCount() + 1);
        QVERIFY(!dock.plot().exportPicture(folder.filePath(QStringLiteral("no/r.svg"))).isEmpty());
    }

    /// Every ceiling in view has its name, whatever the zoom; the floor of the dispatch is a line.
    void rooflineNamesItsCeilings()
    {
        Session session;
        RooflineDock dock(session);
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(dock, 1200, 700));
        RooflinePlot &plot = dock.plot();
        for (const double zoom : {1.0, 0.5, 0.5, 6.0}) {
            plot.zoom(zoom);
            QVERIFY(!plot.roofsInView().isEmpty());
            QTRY_VERIFY(!plot.labelsShown().isEmpty());
            checkLabels(plot);
        }
        // In the least room that a plot has, and in much.
        for (const QSize size : {QSize(640, 260), QSize(900, 420), QSize(1800, 1000)}) {
            dock.resize(size);
            plot.fit();
            plot.zoom(1);
            QCoreApplication::processEvents();
            checkLabels(plot);
        }
        dock.resize(1200, 700);
        plot.fit();
        plot.zoom(1);
        QTRY_VERIFY(!plot.labelsShown().filter(QStringLiteral("of one dispatch")).isEmpty());
        QVERIFY(plot.svg({1200, 700}).contains(QStringLiteral("of one dispatch")));
    }

    void rooflineTellsCoincidingPointsApart()
    {
        Session session;
        RooflineDock dock(session);
        session.setBundle(openSample("sample-dense.mlmodelc"));
        QVERIFY(showDock(dock));
        RooflinePlot &plot = dock.plot();
        for (int i = 0; i < plot.pointCount(); ++i) {
            const std::vector<int> here = plot.coinciding(i);
            QVERIFY(std::find(here.begin(), here.end(), i) != here.end());
            const QString text = plot.pointText(i);
            QCOMPARE(text.contains(QStringLiteral("that lie here")), here.size() > 1);
            QVERIFY(text.contains(QStringLiteral("arithmetic")));
            QVERIFY(text.contains(QStringLiteral("that a dispatch takes at least")));
            // A click goes through all of them.
            QSet<int> clicked;
            for (std::size_t click = 0; click < here.size(); ++click) {
                QTest::mouseClick(plot.focusProxy(), Qt::LeftButton, {}, plot.positionOf(i));
                clicked.insert(plot.currentPoint());
            }
            QVERIFY(clicked.contains(i));
        }
    }

    /// No words of the drawing cover others; a ceiling that has none says its name when pointed at.
    static void checkLabels(const RooflinePlot &plot)
    {
        const auto &outlines = plot.labelOutlines();
        QVERIFY(outlines.size() > 2);
        for (std::size_t a = 0; a < outlines.size(); ++a) {
            for (std::size_t b = a + 1; b < outlines.size(); ++b)
                QVERIFY(!outlines[a].intersects(outlines[b]));
        }
    }

    void rooflineNamesWhatIsPointedAt()
    {
        Session session;
        RooflineDock dock(session);
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(dock, 1200, 700));
        const RooflinePlot &plot = dock.plot();
        QStringList named;
        for (int x = 0; x < plot.width(); x += 40) {
            for (int y = 0; y < plot.height(); y += 2) {
                const QString text = plot.roofTextAt({x, y}).section(QLatin1Char('\n'), 0, 0);
                if (!text.isEmpty() && !named.contains(text))
                    named += text;
            }
        }
        for (const QString &roof : plot.roofsInView())
            QVERIFY2(named.contains(roof), qPrintable(roof));
    }

    void labelsCoverNothing()
    {
        const QRectF area(0, 0, 400, 300);
        LabelPlacer placer(area);
        placer.avoid(QRectF(300, 0, 100, 300));
        const auto first = placer.along(QLineF(0, 150, 400, 150), {100, 14}, false);
        QVERIFY(first);
        QVERIFY(first->centre.x() + 50 <= 300);
        QCOMPARE(first->degrees, 0.0);
        const auto second = placer.along(QLineF(0, 150, 400, 150), {100, 14}, false);
        QVERIFY(second);
        QVERIFY(std::abs(second->centre.x() - first->centre.x()) >= 100 ||
                std::abs(second->centre.y() - first->centre.y()) >= 14);
        const auto rising = placer.along(QLineF(0, 300, 300, 0), {80, 14}, false);
        QVERIFY(rising);
        QVERIFY(std::abs(rising->degrees + 45) < 0.01);
        QVERIFY(!placer.along(QLineF(-10, 150, 20, 150), {100, 14}, false));
        QVERIFY(!clipped(QLineF(-5, -5, -1, -1), area));
        LabelPlacer full(area);
        full.avoid(area);
        QVERIFY(!full.along(QLineF(0, 150, 400, 150), {100, 14}, false));
        QVERIFY(full.along(QLineF(0, 150, 400, 150), {100, 14}, true));
        QVERIFY(!full.beside({200, 150}, 8, {40, 14}, false));
        QVERIFY(full.beside({200, 150}, 8, {40, 14}, true));
    }

    void timelineOfEveryForm()
    {
        Session session;
        TimelineDock dock(session);
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(dock));
        QVERIFY(dock.showsContent());
        TimelinePlot &plot = dock.plot();
        RooflineDock roofline(session);
        QVERIFY(showDock(roofline));
        QVERIFY(plot.pointCount() >= roofline.plot().pointCount());
        QVERIFY(plot.floorShown());
        QCOMPARE(plot.lineTexts().size(), 2); // all layers, and the floor
        // The same figures as the roofline's.
        for (int i = 0; i < roofline.plot().pointCount(); ++i) {
            const roofline::Placement &placed = roofline.plot().placementOf(i);
            bool found = false;
            for (int j = 0; j < plot.pointCount(); ++j)
                found |= plot.layer(j).weight == placed.layer.weight &&
                         plot.layer(j).timeS == placed.stored().timeS &&
                         plot.layer(j).bound == placed.stored().bound;
            QVERIFY2(found, placed.layer.name.c_str());
        }
        for (int form = 0; form < dock.forms().count(); ++form) {
            dock.forms().setCurrentIndex(form);
            Q_EMIT dock.forms().activated(form);
            QVERIFY(settle(dock));
            for (int i = 0; i < plot.pointCount(); ++i)
                QVERIFY(!plot.pointText(i).isEmpty());
            QVERIFY(!dock.facts().text().isEmpty());
        }
        QCOMPARE(plot.csv().count(QLatin1Char('\n')), plot.pointCount() + 1);
    }

    /// The legend stands above the axes, whatever the size: it covers no point.
    void legendsCoverNothing()
    {
        Session session;
        session.setBundle(openSample("sample-palette.mlmodelc"));
        TimelineDock timeline(session);
        CalibrationDock calibration(session);
        ReductionDock reduction(session);
        RooflineDock roofline(session);
        PlanDock plan(session);
        for (Dock *dock :
             std::initializer_list<Dock *>{&timeline, &calibration, &reduction, &roofline, &plan}) {
            QVERIFY(showDock(*dock));
            auto *plot = dock->findChild<QCustomPlot *>();
            QVERIFY(plot);
            int rowsWhenWide = 0;
            for (const int width : {1600, 500, 260}) {
                dock->resize(width, 700);
                QVERIFY(settle(*dock));
                plot->replot(QCustomPlot::rpImmediateRefresh);
                const QCPLegend &legend = *plot->legend;
                QVERIFY2(legend.visible() && !legend.outerRect().isEmpty(), qPrintable(dock->id()));
                QVERIFY2(!legend.outerRect().intersects(plot->axisRect()->rect()),
                         qPrintable(dock->id()));
                int items = 0;
                for (int i = 0; i < legend.itemCount(); ++i)
                    items += legend.item(i) ? 1 : 0;
                QVERIFY2(items >= 1, qPrintable(dock->id()));
                rowsWhenWide = rowsWhenWide ? rowsWhenWide : legend.rowCount();
                QVERIFY(legend.rowCount() >= rowsWhenWide);
            }
        }
    }

    void calibrationShowsEveryRow()
    {
        Session session;
        CalibrationDock dock(session);
        QAbstractItemModelTester tester(&dock.model());
        QVERIFY(showDock(dock)); // without a bundle
        QVERIFY(dock.showsContent());
        const auto rows = roofline::calibrate();
        QCOMPARE(dock.model().rowCount(), int(rows.size()));
        const auto predicted = std::count_if(rows.begin(), rows.end(), [](const auto &row) {
            return row.predicted && *row.predicted > 0 && row.measured() > 0;
        });
        QCOMPARE(dock.plot().pointCount(), int(predicted));
        QVERIFY(predicted > 10);
        // Row and point mark each other.
        auto *table = dock.findChild<QTableView *>(QString(), Qt::FindChildrenRecursively);
        QVERIFY(table);
        for (int row = 0; row < dock.model().rowCount(); ++row) {
            if (dock.plot().pointOfRow(dock.model().sourceRow(row)) < 0)
                continue;
            table->setCurrentIndex(dock.model().index(row, 0));
            QCOMPARE(dock.plot().currentPoint(),
                     dock.plot().pointOfRow(dock.model().sourceRow(row)));
            break;
        }
        dock.onlyChip().setChecked(true);
        QVERIFY(settle(dock));
        QVERIFY(dock.model().rowCount() < int(rows.size()));
        ChipState::of(session).setTarget(*target::findTarget("H11")->target);
        QVERIFY(settle(dock));
        QCOMPARE(dock.plot().pointCount(),
                 int(roofline::calibrate(target::findTarget("H11")->target).size()));
        for (int i = 0; i < dock.plot().pointCount(); ++i)
            QVERIFY(dock.plot().pointText(i).contains(QStringLiteral("measured")));
    }

    void reductionOfPublishedCases()
    {
        Session session;
        ReductionDock dock(session);
        QVERIFY(showDock(dock));
        QVERIFY(dock.result().text().contains(QStringLiteral("output port 5116")));
        QCOMPARE(dock.plot().pointCount(), 257);
        for (int example = 1; example < dock.examples().count(); ++example) {
            dock.examples().setCurrentIndex(example);
            Q_EMIT dock.examples().activated(example);
            QVERIFY(settle(dock));
            QVERIFY(dock.plot().pointCount() > 0);
        }
        QVERIFY(dock.result().text().contains(QChar(0x2260))); // the last one is contested
        dock.values().setText(QStringLiteral("4096 -4096 1*zero"));
        QVERIFY(settle(dock));
        QVERIFY(dock.result().text().contains(QStringLiteral("1*zero")));
        QCOMPARE(dock.plot().pointCount(), 0);
        dock.values().clear();
        QVERIFY(settle(dock));
        QVERIFY(dock.showsContent());
    }

    void chipsWithoutCeilings()
    {
        Session session;
        RooflineDock dock(session);
        ChipState::of(session).setTarget(*target::findTarget("H11")->target);
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(dock));
        QCOMPARE(dock.plot().pointCount(), 0);
        QVERIFY(dock.facts().text().contains(QStringLiteral("H11")));
    }

    void geometryOfConsumersAndOfTypedNumbers()
    {
        Session session;
        GeometryDock dock(session);
        QAbstractItemModelTester tester(&dock.model());
        QVERIFY(showDock(dock)); // without a bundle: numbers typed in
        QVERIFY(dock.showsContent());
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(settle(dock));
        QVERIFY(dock.chooser().count() > 1);
        dock.field(GeometryDock::In).setValue(256);
        dock.field(GeometryDock::Out).setValue(256);
        dock.field(GeometryDock::KernelW).setValue(3);
        dock.field(GeometryDock::KernelH).setValue(3);
        dock.field(GeometryDock::OutputW).setValue(32);
        dock.field(GeometryDock::OutputH).setValue(32);
        dock.field(GeometryDock::Stride).setValue(1);
        dock.field(GeometryDock::Bits).setValue(16);
        QCOMPARE(dock.chooser().currentIndex(), dock.chooser().count() - 1);
        const int passes = rowWith(dock.model(), 0, QStringLiteral("passes"));
        QCOMPARE(textAt(dock.model(), passes, 1), QStringLiteral("128"));
        QVERIFY(rowWith(dock.model(), 0, QStringLiteral("enable bit")) >= 0);
        dock.field(GeometryDock::Out).setValue(0);
        QCOMPARE(dock.model().rowCount(), 0);
    }

    void targetsAreSearchedAndCompared()
    {
        Session session;
        TargetsDock dock(session);
        QAbstractItemModelTester tester(&dock.model());
        QVERIFY(showDock(dock));
        const int all = dock.model().rowCount();
        QVERIFY(all > 50);
        dock.filter().setText(QStringLiteral("0x528"));
        QVERIFY(dock.model().rowCount() >= 1 && dock.model().rowCount() < all);
        const int row = rowWith(dock.model(), 1, QStringLiteral("0x528"));
        QCOMPARE(textAt(dock.model(), row, 3), QStringLiteral("0"));
        QCOMPARE(textAt(dock.model(), row, 4), QStringLiteral("1"));
        QCOMPARE(dock.model().headerData(3, Qt::Horizontal).toString(), QStringLiteral("H13"));
        dock.second().setTarget(*target::findTarget("H18")->target);
        Q_EMIT dock.second().targetChosen(dock.second().target());
        QVERIFY(settle(dock));
        const int again = rowWith(dock.model(), 1, QStringLiteral("0x528"));
        QCOMPARE(textAt(dock.model(), again, 4), QStringLiteral("unknown"));
    }

    void candidatesAndApply()
    {
        Session session;
        ChooseDock dock(session);
        QAbstractItemModelTester tester(&dock.model());
        session.setBundle(openSample("sample-dense.mlmodelc"));
        const BundlePtr bundle = session.bundle();
        std::size_t weight = kNoIndex;
        for (std::size_t i = 0; i < bundle->weights().size() && weight == kNoIndex; ++i) {
            for (const Consumer &consumer : bundle->weights()[i].consumers) {
                if (consumer.op == "conv" && consumer.param == "weight")
                    weight = i;
            }
        }
        QVERIFY(weight != kNoIndex);
        session.goToWeight(weight);
        QVERIFY(showDock(dock));
        QVERIFY(dock.showsContent());
        QVERIFY(dock.choice());
        QCOMPARE(dock.model().rowCount(), 5);
        QVERIFY(rowWith(dock.model(), 5, QString()) < 0); // every candidate has a remark
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("copy.mlmodelc"));
        QSignalSpy applied(&dock, &ChooseDock::applied);
        dock.applyTo(path, "int8");
        QVERIFY(applied.wait(20000));
        QCOMPARE(applied.at(0).at(1).toString(), QString());
        const auto copy = Bundle::open(path.toStdString());
        QVERIFY(copy);
        const auto at = (*copy)->weightByName(bundle->weights()[weight].name);
        QVERIFY(at || (*copy)->weights().size() == bundle->weights().size());
    }

    /// Where the shapes are open nothing is proposed: no row is selected, none is marked.
    void noProposalWithoutShapes()
    {
        test::MadeBundle made;
        made.parameters = "tensor<fp16, [1, 64, ?, ?]> x";
        made.constant(
            "tensor<fp16, [64, 64, 1, 1]>", "w",
            made.blob(ElementType::Fp16, "[64, 64, 1, 1]", test::Bytes(8192, std::byte{0x3c})));
        made.line("tensor<fp16, [1, 64, ?, ?]> y = conv(weight = w, x = x)[name = string(\"y\")]");
        made.result = "y";
        Session session;
        ChooseDock dock(session);
        session.setBundle(*made.open());
        QVERIFY(showDock(dock));
        QCOMPARE(dock.model().rowCount(), 5);
        QVERIFY(dock.choice()->chosen.empty());
        const auto *table = dock.findChild<QTableView *>();
        QVERIFY(!table->currentIndex().isValid());
        const auto buttons = dock.findChildren<QPushButton *>();
        QCOMPARE(buttons.size(), 1);
        QVERIFY(!buttons.front()->isEnabled());
        dock.findChild<QTableView *>()->selectRow(1); // any of them can be written all the same
        QVERIFY(buttons.front()->isEnabled());
    }

    void collectiveFigures()
    {
        Session session;
        CollectiveDock dock(session);
        QAbstractItemModelTester tester(&dock.model());
        QVERIFY(showDock(dock));
        const int index = rowWith(dock.model(), 0, QStringLiteral("engine index of (1, 2)"));
        QCOMPARE(textAt(dock.model(), index, 1), QStringLiteral("6"));
        dock.device().setText(QStringLiteral("5, 2"));
        QVERIFY(settle(dock));
        const int refused = rowWith(dock.model(), 0, QStringLiteral("engine index of (5, 2)"));
        QVERIFY(textAt(dock.model(), refused, 1).contains(QStringLiteral("refused")));
        dock.extents().setText(QString());
        QVERIFY(settle(dock));
        QVERIFY(dock.model().rowCount() > 10);
    }

    void bothThemes()
    {
        for (const bool dark : {true, false}) {
            theme::apply(dark);
            Session session;
            RooflineDock dock(session);
            session.setBundle(openSample("sample-palette.mlmodelc"));
            QVERIFY(showDock(dock));
            QVERIFY(!dock.grab().isNull());
        }
    }
};

QTEST_MAIN(TestChipDocks)
#include "tst_chip_docks.moc"
