// SPDX-License-Identifier: GPL-3.0-or-later
// Roofline, timeline, calibration, reduction: the docks that draw plots.
#include "made_bundle.h"
#include "tests/widgets/sample_session.h"
#include "widgets/chips/calibration_dock.h"
#include "widgets/chips/engine_docks.h"
#include "widgets/chips/front_plot.h"
#include "widgets/chips/plan_dock.h"
#include "widgets/chips/roofline_dock.h"
#include "widgets/chips/timeline_dock.h"
#include "widgets/models/words.h"

#include <qcustomplot.h>

using namespace kernscope::ui;

// The plot of a plan's front: small errors are told apart, an error of 0 has a place, and a time
// that is not known is said to be unknown.

namespace {

plan::FrontPoint pointOf(std::uint64_t stored, double error, std::optional<double> time)
{
    plan::FrontPoint point;
    point.totals.stored = stored;
    point.totals.error = point.totals.largestError = error;
    point.totals.programs.resize(1);
    point.totals.programs[0].engineTimeS = time;
    return point;
}

/// How many lines of a timeline have words.
qsizetype linesSaid(const TimelinePlot &plot)
{
    return std::ranges::count_if(plot.findChildren<QCPItemText *>(), &QCPItemText::visible);
}

} // namespace

class TestChipPlots : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rooflinePoints()
    {
        auto [session, dock] = Alone<RooflineDock>();
        QVERIFY(showDock(dock, session, openSample("sparse")));
        QVERIFY(dock.showsContent());
        RooflinePlot &plot = dock.plot();
        QVERIFY(plot.pointCount() > 0);
        QCOMPARE(plot.labels().ridgeText(), u"ridge 141 FLOP/B"_s);
        QVERIFY(dock.facts().text().contains(u"141"_s));
        // Those that matter to the points; the others on demand.
        const int few = plot.labels().roofCount();
        QVERIFY(few >= 2);
        plot.showAllRoofs(true);
        QVERIFY(plot.labels().roofCount() > 5 && plot.labels().roofCount() > few);
        plot.showAllRoofs(false);
        QCOMPARE(plot.labels().roofCount(), few);
        QVERIFY(plot.pointText(0).contains(u"FLOP/B"_s));
        // What is said of a point is a paragraph a fact, under its name.
        session.goToWeight(plot.points().layerOf(0).weight);
        QTextDocument said;
        said.setHtml(dock.pointWords().text());
        const QStringList facts = plot.pointText(0).split(QLatin1Char('\n'));
        QCOMPARE(said.toPlainText().split(QLatin1Char('\n')), facts);
        QCOMPARE(said.blockCount(), int(facts.size()));
        QVERIFY(said.firstBlock().begin().fragment().charFormat().fontWeight() > QFont::Normal);
        QCOMPARE(plot.columnCount(), 18);
        const auto cell = [&plot](const char *key) {
            for (int column = 0; column < plot.columnCount(); ++column) {
                if (plot.header(column, KeyRole).toString() == QLatin1String(key))
                    return plot.cellData(0, column, SortRole);
            }
            return QVariant();
        };
        QCOMPARE(cell("function").toString(), u"main"_s);
        const double before = cell("intensity").toDouble();
        dock.batch().setValue(16);
        QVERIFY(settle(dock));
        QVERIFY(cell("intensity").toDouble() > before);
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
        auto [session, dock] = Alone<RooflineDock>();
        QVERIFY(showDock(dock, session, openSample("palette")));
        QTemporaryDir folder;
        for (const char *name : {"r.png", "r.svg", "r.pdf"}) {
            const QString path = folder.filePath(QString::fromUtf8(name));
            QCOMPARE(dock.plot().exportPicture(path), QString());
            QVERIFY(QFileInfo(path).size() > 500);
        }
        QVERIFY(dock.plot().svg({800, 600}).contains(u"ridge 141"_s));
        QCOMPARE(dock.plot().csv().count(QLatin1Char('\n')), dock.plot().pointCount() + 1);
        QVERIFY(!dock.plot().exportPicture(folder.filePath(u"no/r.svg"_s)).isEmpty());
    }

    /// The points without a plot: their order, which coincide, which are named.
    void rooflinePointsAlone()
    {
        const auto layer = [](std::size_t weight, double intensity, double rate, double timeS) {
            roofline::Placement placed;
            placed.trail.resize(1);
            placed.trail[0].intensity = intensity;
            placed.trail[0].attainable = rate;
            placed.trail[0].timeS = timeS;
            ChipLayer made;
            made.weight = weight;
            made.figures = std::make_shared<const roofline::Placement>(std::move(placed));
            return made;
        };
        RooflinePoints points;
        QCOMPARE(points.nearestKey(1), -1);
        points.set(nullptr, {},
                   {layer(0, 100, 1e12, 1e-3), layer(1, 10, 1e11, 1e-5),
                    layer(2, 100.5, 1e12, 1e-6), layer(3, 0, 1e12, 1e-6)},
                   {});
        QCOMPARE(points.count(), 3); // none of a layer without an intensity
        QCOMPARE(points.ofWeight(1), 0);
        QCOMPARE(points.ofWeight(3), -1);
        QCOMPARE(points.nearestKey(12), 0);
        QCOMPARE(points.coinciding(0), std::vector<int>{0});
        QCOMPARE(points.coinciding(2), (std::vector<int>{1, 2}));
        const auto named = points.named(1); // the place of the longest layer
        QCOMPARE(named.size(), 1U);
        QCOMPARE(named.front().point, 1);
        QCOMPARE(named.front().layers, 2U);
        QCOMPARE(points.sizeClass(1e-3), 3);
        QCOMPARE(points.sizeClass(1e-5), 1);
        const RooflineView all = points.extent();
        QVERIFY(all.left < 10 && all.right > 100.5 && all.low < 1e11 && all.high > 1e12);
    }

    /// Every ceiling in view has its name, whatever the zoom; the floor of the dispatch is a line.
    void rooflineNamesItsCeilings()
    {
        auto [session, dock] = Alone<RooflineDock>();
        QVERIFY(showDock(dock, session, openSample("palette"), {1200, 700}));
        RooflinePlot &plot = dock.plot();
        for (const double zoom : {1.0, 0.5, 0.5, 6.0}) {
            plot.zoom(zoom);
            QTRY_VERIFY(!plot.labels().shown().isEmpty());
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
        // The M1 refuses one of its weights: without a time the program waits for no dispatch.
        QVERIFY(plot.labels().shown().filter(u"of one call"_s).isEmpty());
        session.setBundle(openSample("dense"));
        dock.resize(1200, 700);
        QVERIFY(showDock(dock, 1200, 700));
        plot.fit();
        plot.zoom(1);
        QTRY_VERIFY(!plot.labels().shown().filter(u"of one call"_s).isEmpty());
        QVERIFY(plot.svg({1200, 700}).contains(u"of one call"_s));
    }

    void rooflineTellsCoincidingPointsApart()
    {
        auto [session, dock] = Alone<RooflineDock>();
        QVERIFY(showDock(dock, session, openSample("dense")));
        RooflinePlot &plot = dock.plot();
        for (int i = 0; i < plot.pointCount(); ++i) {
            const std::vector<int> here = plot.points().coinciding(i);
            QVERIFY(std::ranges::find(here, i) != here.end());
            const QString text = plot.pointText(i);
            QCOMPARE(text.contains(u"that lie here"_s), here.size() > 1);
            QVERIFY(text.contains(u"arithmetic"_s));
            QVERIFY(text.contains(u"that a call takes at least"_s));
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
        const auto &outlines = plot.labels().outlines();
        QVERIFY(outlines.size() > 2);
        for (std::size_t a = 0; a < outlines.size(); ++a) {
            for (std::size_t b = a + 1; b < outlines.size(); ++b)
                QVERIFY(!outlines[a].intersects(outlines[b]));
            // The chosen pair and the floor are named in any case; the others cover no point.
            for (const QRectF &mark : plot.marks().boxes())
                QVERIFY(a < 3 || !outlines[a].intersects(QPolygonF(mark)));
        }
    }

    void rooflineNamesWhatIsPointedAt()
    {
        auto [session, dock] = Alone<RooflineDock>();
        QVERIFY(showDock(dock, session, openSample("palette"), {1200, 700}));
        const RooflinePlot &plot = dock.plot();
        QStringList named;
        for (int x = 0; x < plot.width(); x += 40) {
            for (int y = 0; y < plot.height(); y += 2) {
                const QString text =
                    plot.labels().roofTextAt({x, y}).section(QLatin1Char('\n'), 0, 0);
                if (!text.isEmpty() && !named.contains(text))
                    named += text;
            }
        }
        for (const QString &shown : plot.labels().shown()) { // points and the program beside them
            if (shown.contains(u"B/s"_s) || shown.contains(u"peak"_s))
                QVERIFY2(named.contains(shown), qPrintable(shown));
        }
        QVERIFY(named.size() > 3);
    }

    /// Every roof of every chip is called as people call it, and no two of a chip alike.
    void roofsHaveNames()
    {
        for (const target::Target &target : target::targets()) {
            const auto roofs = roofline::roofsOf(target);
            if (!roofs)
                continue;
            QSet<QString> compute, bandwidth;
            for (const roofline::Ceiling &ceiling : roofs->all) {
                if (!ceiling.isRoof())
                    continue;
                const QString name = roofName(ceiling.name);
                QVERIFY2(!name.contains(QLatin1Char('_')) && !name.endsWith("flops"_L1) &&
                             !name.contains("bandwidth"_L1),
                         qPrintable(name));
                auto &names =
                    ceiling.kind == roofline::Ceiling::Kind::Compute ? compute : bandwidth;
                QVERIFY2(!names.contains(name), qPrintable(name));
                names.insert(name);
            }
        }
        auto [session, dock] = Alone<RooflineDock>();
        QVERIFY(showDock(dock, session, openSample("dense")));
        QVERIFY(dock.compute().findText(u"12 TFLOP/s fp16 peak"_s) > 0);
        const QString text = dock.plot().pointText(0);
        QVERIFY2(dock.facts().text().contains("(fp16 peak / DRAM"_L1),
                 qPrintable(dock.facts().text()));
        const auto *roof = VERIFIED(dock.plot().points().placementOf(0).stored().computeRoof);
        QVERIFY2(text.contains(QLatin1Char('\n') + roofName(roof->ceiling.name) + QLatin1Char(' ')),
                 qPrintable(text));
    }

    void labelsCoverNothing()
    {
        const QRectF area(0, 0, 400, 300);
        LabelPlacer placer(area);
        placer.avoid(QRectF(300, 0, 100, 300));
        const auto first = VERIFIED(placer.along(QLineF(0, 150, 400, 150), {100, 14}, false));
        QVERIFY(first->centre.x() + 50 <= 300);
        QCOMPARE(first->degrees, 0.0);
        const auto second = VERIFIED(placer.along(QLineF(0, 150, 400, 150), {100, 14}, false));
        QVERIFY(std::abs(second->centre.x() - first->centre.x()) >= 100 ||
                std::abs(second->centre.y() - first->centre.y()) >= 14);
        const auto rising = VERIFIED(placer.along(QLineF(0, 300, 300, 0), {80, 14}, false));
        QVERIFY(std::abs(rising->degrees + 45) < 0.01);
        QVERIFY(!placer.along(QLineF(-10, 150, 20, 150), {100, 14}, false));
        QVERIFY(!clipped(QLineF(-5, -5, -1, -1), area));
        LabelPlacer full(area);
        full.avoid(area);
        QVERIFY(!full.along(QLineF(0, 150, 400, 150), {100, 14}, false));
        QVERIFY(full.along(QLineF(0, 150, 400, 150), {100, 14}, true));
        // Points all along a line that is named in any case: the name stands a little further away.
        LabelPlacer crowded(area);
        crowded.avoid(QRectF(0, 138, 400, 24));
        const auto further = VERIFIED(crowded.along(QLineF(0, 150, 400, 150), {100, 14}, true));
        QVERIFY(further->centre.y() + 7 <= 138);
        QVERIFY(!full.beside({200, 150}, 8, {40, 14}, false));
        QVERIFY(full.beside({200, 150}, 8, {40, 14}, true));
    }

    void timelineOfEveryForm()
    {
        auto [session, dock] = Alone<TimelineDock>();
        QVERIFY(showDock(dock, session, openSample("palette")));
        QVERIFY(dock.showsContent());
        TimelinePlot &plot = dock.plot();
        RooflineDock roofline(session);
        QVERIFY(showDock(roofline));
        QVERIFY(plot.pointCount() >= roofline.plot().pointCount());
        QCOMPARE(linesSaid(plot), 1); // the floor: the M1 refuses a layer, no sum is known
        // The same figures as the roofline's.
        for (int i = 0; i < roofline.plot().pointCount(); ++i) {
            const roofline::Placement &placed = roofline.plot().points().placementOf(i);
            bool found = false;
            for (int j = 0; j < plot.pointCount(); ++j)
                found |= plot.weightOf(j) == roofline.plot().points().layerOf(i).weight &&
                         plot.layer(j).timeS == placed.stored().timeS &&
                         plot.layer(j).bound == placed.stored().bound;
            QVERIFY2(found, roofline.plot()
                                .points()
                                .layerOf(i)
                                .name(*roofline.plot().points().bundle())
                                .c_str());
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
        dock.forms().setCurrentIndex(0);
        Q_EMIT dock.forms().activated(0);
        session.setBundle(openSample("dense"));
        QVERIFY(settle(dock));
        QCOMPARE(linesSaid(plot), 2); // all layers, and the floor
        // Along the axis of time a click finds each layer where it runs.
        auto *picture = VERIFIED(plot.findChild<QCustomPlot *>());
        double start = 0;
        for (int i = 0; i < plot.pointCount(); ++i) {
            const double takes = plot.layer(i).timeS.value_or(0);
            QVERIFY(takes > 0);
            const double x = picture->xAxis->coordToPixel(start + takes / 2);
            QTest::mouseClick(picture, Qt::LeftButton, {},
                              QPoint(int(std::lround(x)), picture->axisRect()->center().y()));
            if (takes > 2 * picture->xAxis->range().size() / picture->axisRect()->width())
                QCOMPARE(plot.currentPoint(), i);
            start += takes;
        }
    }

    /// The legend stands above the axes, whatever the size: it covers no point.
    void legendsCoverNothing()
    {
        Session session;
        session.setBundle(openSample("palette"));
        TimelineDock timeline(session);
        CalibrationDock calibration(session);
        ReductionDock reduction(session);
        RooflineDock roofline(session);
        PlanDock plan(session);
        for (Dock *dock :
             std::initializer_list<Dock *>{&timeline, &calibration, &reduction, &roofline, &plan}) {
            QVERIFY(showDock(*dock));
            auto *plot = VERIFIED(dock->findChild<QCustomPlot *>());
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

    /// A program of which no layer has a point: the legend is empty, the axes have all the width.
    void rooflineWithoutPoints()
    {
        RooflinePlot plot;
        QVERIFY(expose(plot, {900, 400}));
        const auto roofs = VERIFIED(roofline::roofsOf(target::targets().front()));
        plot.setContent(nullptr, *roofs, {}, {});
        auto *custom = VERIFIED(plot.findChild<QCustomPlot *>());
        custom->replot(QCustomPlot::rpImmediateRefresh);
        QVERIFY2(custom->axisRect()->width() > 600,
                 qPrintable(QString::number(custom->axisRect()->width())));
    }

    void calibrationShowsEveryRow()
    {
        auto [session, dock] = Alone<CalibrationDock>();
        QAbstractItemModelTester tester(&dock.model());
        QVERIFY(showDock(dock)); // without a bundle
        QVERIFY(dock.showsContent());
        const auto rows = roofline::calibrate();
        QCOMPARE(dock.model().rowCount(), int(rows.size()));
        const auto predicted = std::ranges::count_if(rows, [](const auto &row) {
            return row.predicted && *row.predicted > 0 && row.measured() > 0;
        });
        QCOMPARE(dock.plot().pointCount(), int(predicted));
        QVERIFY(predicted > 10);
        // Row and point mark each other.
        const auto tables = dock.findChildren<QTableView *>();
        const auto table = std::ranges::find_if(
            tables, [&dock](const auto *each) { return each->model() == &dock.model(); });
        QVERIFY(table != tables.end());
        for (int row = 0; row < dock.model().rowCount(); ++row) {
            if (dock.plot().pointOfRow(dock.model().sourceRow(row)) < 0)
                continue;
            (*table)->setCurrentIndex(dock.model().index(row, 0));
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
            QVERIFY(dock.plot().pointText(i).contains(u"measured"_s));
    }

    /// A name without a space makes no line of the panel wider than the panel.
    void longNamesWidenNothing()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [1, 8]> x";
        made.weight("w", "[8, 8]", test::Bytes(128));
        made.line("tensor<fp16, [1, 8]> y = linear(weight = w, x = x)[name = "
                  "string(\"model_encoder_layers_0_self_attention_query_projection_to_fp16\")]");
        auto [session, dock] = Alone<RooflineDock>();
        QVERIFY(showDock(dock, session, *made.open()));
        session.goToWeight(0);
        QVERIFY2(dock.pointWords().text().contains(u"encoder"_s),
                 qPrintable(dock.pointWords().text()));
        QVERIFY(dock.pointWords().minimumSizeHint().width() < theme::em(&dock, 12));
    }

    /// What the compiler itself estimated for layers of the open program, beside ours.
    void calibrationListsTheCompilersEstimates()
    {
        auto [session, dock] = Alone<CalibrationDock>();
        QVERIFY(showDock(dock));
        QAbstractItemModelTester tester(&dock.estimates());
        QCOMPARE(dock.estimates().rowCount(), 0);
        MadeBundle made;
        for (const char *name : {"w", "v"}) {
            const std::string values =
                made.blob(ElementType::Fp16, "[2, 4]", halves({1, 2, 3, 4, 5, 6, 7, 8}));
            made.line("tensor<fp16, [2, 4]> " + std::string(name) + " = const()[name = string(\"" +
                      name + "\"), val = " + values + "]");
        }
        made.line("tensor<fp16, [1, 2]> y = linear(x = x, weight = w)[name = string(\"y\"), "
                  "EstimatedRuntime = dict<string, fp64>({{\"ane\", 0.25}, {\"bnns\", 1}})]");
        made.op("z", "[1, 2]", "linear(x = x, weight = v)");
        const auto bundle = VERIFIED(made.open());
        session.setBundle(*bundle);
        QVERIFY(settle(dock));
        QCOMPARE(dock.estimates().rowCount(), 1);
        const auto cell = [&dock](const char *key) {
            return dock.estimates()
                .index(0, dock.estimates().columnOf(key))
                .data(Qt::DisplayRole)
                .toString();
        };
        QCOMPARE(cell("name"), u"y"_s);
        QVERIFY2(cell("compiler_s").contains("250"_L1), qPrintable(cell("compiler_s")));
        QVERIFY(cell("compiler_estimate_ms").contains("1 ms (bnns)"_L1));
        const auto *table = dock.findChild<QTableView *>(u"compilerEstimates"_s);
        QVERIFY(table && table->isVisible());
        // Other bundles have none, and the one before is not kept.
        session.setBundle(openSample("dense"));
        QCOMPARE(dock.estimates().rowCount(), 0);
        QVERIFY(settle(dock));
        QCOMPARE(dock.estimates().rowCount(), 0);
        QVERIFY(!table->isVisible());
        QVERIFY2(dock.summary().text().endsWith(
                     "The compiler wrote no estimate for a layer of this program."_L1),
                 qPrintable(dock.summary().text()));
    }

    void reductionOfPublishedCases()
    {
        auto [session, dock] = Alone<ReductionDock>();
        QVERIFY(showDock(dock));
        QVERIFY(dock.result().text().contains(u"output port 5116"_s));
        QCOMPARE(dock.plot().pointCount(), 257);
        for (int example = 1; example < dock.examples().count(); ++example) {
            dock.examples().setCurrentIndex(example);
            Q_EMIT dock.examples().activated(example);
            QVERIFY(settle(dock));
            QVERIFY(dock.plot().pointCount() > 0);
        }
        QVERIFY(dock.result().text().contains(QChar(0x2260))); // the last one is contested
        dock.values().setText(u"500"_s);
        dock.narrow().setCurrentIndex(1);
        Q_EMIT dock.narrow().activated(1);
        QVERIFY(settle(dock));
        QVERIFY(dock.result().text().contains(u"0x7f"_s));
        QVERIFY(dock.result().text().contains(u"448 (0x7e)"_s));
        dock.values().setText(u"4096 -4096 1*zero"_s);
        QVERIFY(settle(dock));
        QVERIFY(dock.result().text().contains(u"1*zero"_s));
        QCOMPARE(dock.plot().pointCount(), 0);
        dock.values().clear();
        QVERIFY(settle(dock));
        QVERIFY(dock.showsContent());
    }

    void chipsWithoutCeilings()
    {
        auto [session, dock] = Alone<RooflineDock>();
        ChipState::of(session).setTarget(*target::findTarget("H11")->target);
        QVERIFY(showDock(dock, session, openSample("palette")));
        QCOMPARE(dock.plot().pointCount(), 0);
        QVERIFY(dock.facts().text().contains(u"H11"_s));
    }

    void bothThemes()
    {
        for (const bool dark : {true, false}) {
            theme::apply(dark);
            auto [session, dock] = Alone<RooflineDock>();
            QVERIFY(showDock(dock, session, openSample("palette")));
            QVERIFY(!dock.grab().isNull());
        }
    }

    void smallErrorsAreToldApart()
    {
        FrontPlot plot;
        plot.setFront(
            FrontPlot::Axis::Stored,
            {pointOf(1000, 0.6, 1e-6), pointOf(5000, 0.008, 2e-6), pointOf(5200, 0.002, 2e-6)});
        QVERIFY(expose(plot));
        const int high = plot.positionOf(0).y(), middle = plot.positionOf(1).y(),
                  low = plot.positionOf(2).y();
        QVERIFY(high < middle && middle < low);
        QVERIFY2(low - middle > 30, qPrintable(QString::number(low - middle)));
        QVERIFY(plot.rect().contains(plot.positionOf(0)) &&
                plot.rect().contains(plot.positionOf(2)));
    }

    /// Not below what is drawn, and below every plan that has an error.
    void exactPlansHaveAPlace()
    {
        FrontPlot plot;
        plot.setFront(FrontPlot::Axis::Stored, {pointOf(1000, 0.01, 1e-6), pointOf(9000, 0, 1e-6)});
        plot.setPlan(pointOf(5000, 1e-5, 1e-6).totals);
        QVERIFY(expose(plot));
        QVERIFY(plot.rect().contains(plot.positionOf(1)));
        QVERIFY(plot.positionOf(1).y() > plot.positionOf(0).y());
        plot.setFront(FrontPlot::Axis::Stored, {pointOf(9000, 0, 1e-6)});
        QVERIFY(plot.rect().contains(plot.positionOf(0)));
    }

    /// Powers of ten alone have labels, also of a front of one point: others would lie on them.
    void oneErrorLabelsPowersOfTen()
    {
        FrontPlot plot;
        plot.resize(260, 300);
        plot.show();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        for (const double error : {0.0, 0.02, 3.0}) {
            plot.setFront(FrontPlot::Axis::Stored, {pointOf(9000, error, 1e-6)});
            auto *canvas = VERIFIED(plot.findChild<QCustomPlot *>());
            canvas->replot();
            QVERIFY(canvas->yAxis->tickVector().size() > 1);
            for (const double tick : canvas->yAxis->tickVector()) {
                const double power = std::log10(tick);
                QVERIFY2(std::abs(power - std::round(power)) < 1e-6,
                         qPrintable(QString::number(tick)));
            }
        }
    }

    void unknownTimesAreNotNone()
    {
        FrontPlot plot;
        const std::vector<plan::FrontPoint> points{pointOf(1000, 0.01, {}), pointOf(2000, 0, 3e-6)};
        plot.setFront(FrontPlot::Axis::Stored, points);
        QCOMPARE(plot.pointCount(), 2);
        QVERIFY2(plot.pointText(0).endsWith(u"unknown time"_s), qPrintable(plot.pointText(0)));
        QVERIFY(!plot.cellData(0, 3, SortRole).isValid());
        QCOMPARE(plot.cellData(1, 3, SortRole).toDouble(), 3e-6);
        plot.setFront(FrontPlot::Axis::Time, points);
        QCOMPARE(plot.pointCount(), 1);
        QCOMPARE(plot.cellData(0, 2, SortRole).toULongLong(), 2000ULL);
    }
};

KERNSCOPE_TEST(TestChipPlots, QApplication)
#include "tst_chip_plots.moc"
