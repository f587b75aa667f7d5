// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "widgets/common/plot_canvas.h"
#include "widgets/common/plot_tickers.h"
#include "widgets/models/plot_table_model.h"
#include "widgets/models/theme.h"
#include "widgets/weight/codebook_dock.h"
#include "widgets/weight/histogram_plot.h"
#include "widgets/weight/mask_dock.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <qcustomplot.h>

#include <numeric>

using namespace kernscope;
using namespace kernscope::ui;

namespace {

Histogram bell()
{
    Histogram histogram;
    histogram.low = -1;
    histogram.high = 1;
    histogram.bins.assign(4096, 0);
    for (std::size_t i = 1948; i < 2148; ++i) // the middle of it: -0.05 to 0.05
        histogram.bins[i] = 1000;
    histogram.bins.back() = 3; // far out
    return histogram;
}

bool expose(QWidget &widget)
{
    widget.resize(500, 300);
    widget.show();
    return QTest::qWaitForWindowExposed(&widget);
}

/// What the plot draws on, below the widget that holds it.
QWidget *canvas(PlotWidget &plot)
{
    return plot.focusProxy();
}

} // namespace

class TestPlots : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void histogramLeavesOutliersOut();
    void histogramOfOneValue();
    void ticksHaveUnits();
    void keysWalkThePoints();
    void mouseActivates();
    void tableTwin();
    void exports();
    void oneBarDoesNotFlattenTheRest();
    void themed_data();
    void themed();
    void codebookWords();
    void emptyPlots();
    void hiddenPlotsKeepNoPicture();
};

void TestPlots::histogramLeavesOutliersOut()
{
    HistogramPlot plot;
    const Histogram histogram = bell();
    const auto total =
        std::accumulate(histogram.bins.begin(), histogram.bins.end(), std::uint64_t{0});
    plot.setHistogram(histogram);
    const auto sum = [&plot] {
        qulonglong all = 0;
        for (int point = 0; point < plot.pointCount(); ++point)
            all += plot.cell(point, 2).toULongLong();
        return all;
    };
    QVERIFY(plot.pointCount() > 40 && plot.pointCount() <= 96);
    QCOMPARE(plot.outside(), 3u);
    QCOMPARE(sum(), total - 3);
    QVERIFY(plot.cell(plot.pointCount() - 1, 1).toDouble() < 0.1);
    plot.setFullRange(true);
    QCOMPARE(plot.outside(), 0u);
    QCOMPARE(sum(), total);
    QVERIFY(plot.cell(plot.pointCount() - 1, 1).toDouble() >= 1.0);
}

/// The zeros of a pruned weight: their bar is cut off, and the others can be told apart.
void TestPlots::oneBarDoesNotFlattenTheRest()
{
    HistogramPlot plot;
    Histogram histogram = bell();
    plot.setHistogram(histogram);
    QCOMPARE(plot.cutBar(), -1);
    histogram.bins[histogram.bins.size() / 2] +=
        20 * std::accumulate(histogram.bins.begin(), histogram.bins.end(), std::uint64_t{0});
    plot.setHistogram(histogram);
    plot.setFullRange(true);
    const int cut = plot.cutBar();
    QVERIFY(cut >= 0);
    std::uint64_t next = 0;
    for (int point = 0; point < plot.pointCount(); ++point) {
        if (point != cut)
            next = std::max(next, std::uint64_t{plot.cell(point, 2).toULongLong()});
    }
    const auto *view = plot.findChild<QCustomPlot *>();
    QVERIFY(view);
    const double top = view->yAxis->range().upper;
    QVERIFY(top > static_cast<double>(next) && top < 1.5 * static_cast<double>(next));
    const auto *text = view->findChild<QCPItemText *>();
    QVERIFY(text && text->visible());
    QString digits = text->text(); // the whole height is said, and stays in the table
    digits.remove(QRegularExpression(QStringLiteral("[^0-9]")));
    QCOMPARE(digits.toULongLong(), plot.cell(cut, 2).toULongLong());
    plot.setLogarithmic(true); // there every bar has room
    QCOMPARE(plot.cutBar(), -1);
    QVERIFY(!text->visible());
    plot.setLogarithmic(false);
    QCOMPARE(plot.cutBar(), cut);
}

void TestPlots::histogramOfOneValue()
{
    HistogramPlot plot;
    Histogram histogram;
    histogram.low = histogram.high = 0.25;
    histogram.bins.assign(100, 0);
    histogram.bins[0] = 12;
    plot.setHistogram(histogram);
    QVERIFY(plot.pointCount() >= 1);
    QCOMPARE(plot.cell(0, 2).toULongLong(), 12u);
    // One bar about the value.
    QCOMPARE((plot.cell(0, 0).toDouble() + plot.cell(0, 1).toDouble()) / 2, 0.25);
    plot.setLogarithmic(true);
    QVERIFY(expose(plot));
    plot.grab();
}

/// Powers of ten far apart have one notation; 0 has no prefix.
void TestPlots::ticksHaveUnits()
{
    const auto labels = [](const QSharedPointer<QCPAxisTicker> &ticker, QCPRange range) {
        QVector<double> ticks;
        QVector<QString> texts;
        ticker->generate(range, QLocale::c(), QLatin1Char('g'), 6, ticks, nullptr, &texts);
        return QStringList(texts.begin(), texts.end());
    };
    const QString s = QStringLiteral("s");
    const QStringList powers = labels(logQuantityTicker(s), {0.9e-10, 2e-3});
    for (const char *text : {"100 ps", "1 ns", "10 \u00b5s", "1 ms"})
        QVERIFY2(powers.contains(QString::fromUtf8(text)), qPrintable(powers.join(u'|')));
    const QStringList even = labels(quantityTicker(s), {0, 8e-6});
    QVERIFY2(even.contains(QStringLiteral("0")) && even.contains(QStringLiteral("4 \u00b5s")),
             qPrintable(even.join(u'|')));
}

void TestPlots::keysWalkThePoints()
{
    DensityPlot plot;
    plot.setDensity({4, 2, 0, 3}, 4, true);
    QVERIFY(expose(plot));
    QSignalSpy moved(&plot, &PlotWidget::currentPointChanged);
    QSignalSpy activated(&plot, &PlotWidget::pointActivated);
    QTest::keyClick(canvas(plot), Qt::Key_Right);
    QTest::keyClick(canvas(plot), Qt::Key_Right);
    QCOMPARE(plot.currentPoint(), 1);
    QTest::keyClick(canvas(plot), Qt::Key_End);
    QCOMPARE(plot.currentPoint(), 3);
    QTest::keyClick(canvas(plot), Qt::Key_Right);
    QCOMPARE(plot.currentPoint(), 3);
    QTest::keyClick(canvas(plot), Qt::Key_Home);
    QCOMPARE(plot.currentPoint(), 0);
    QCOMPARE(moved.count(), 4);
    QTest::keyClick(canvas(plot), Qt::Key_Return);
    QCOMPARE(activated.count(), 1);
    QCOMPARE(canvas(plot)->accessibleDescription(), plot.pointText(0));
    QVERIFY(plot.pointText(1).contains(QLatin1String("50.0 %")));
}

void TestPlots::mouseActivates()
{
    DensityPlot plot;
    plot.setDensity({4, 2, 0, 3}, 4, false);
    QVERIFY(expose(plot));
    QSignalSpy activated(&plot, &PlotWidget::pointActivated);
    QWidget *area = canvas(plot);
    // The last quarter of the axis is the last channel, whatever the labels take.
    QTest::mouseClick(area, Qt::LeftButton, {}, {area->width() - 40, area->height() / 2});
    QCOMPARE(activated.count(), 1);
    QCOMPARE(activated.at(0).at(0).toInt(), 3);
    QVERIFY(plot.pointText(3).contains(QLatin1String("not zero")));
}

void TestPlots::tableTwin()
{
    DensityPlot plot;
    auto *model = plot.findChild<PlotTableModel *>();
    QVERIFY(model);
    QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    plot.setDensity({4, 2, 0, 3}, 4, true);
    QCOMPARE(model->rowCount(), 4);
    QCOMPARE(model->index(1, 1).data().toULongLong(), 2u);
    plot.setDensity({1}, 4, true);
    QCOMPARE(model->rowCount(), 1);
    plot.clear();
    QCOMPARE(model->rowCount(), 0);
    plot.setDensity({4, 2, 0, 3}, 4, true);
    QVERIFY(expose(plot));
    plot.setCurrentPoint(2);
    plot.showTable(true);
    QVERIFY(plot.tableShown());
    auto *table = plot.findChild<QTableView *>();
    QCOMPARE(table->currentIndex().row(), 2);
    QVERIFY(!table->accessibleName().isEmpty());
    plot.showTable(false);
    QVERIFY(!plot.tableShown());
}

void TestPlots::exports()
{
    QTemporaryDir folder;
    QVERIFY(folder.isValid());
    DensityPlot plot;
    plot.setDensity({4, 2}, 4, true);
    QVERIFY(expose(plot));
    const QString png = folder.filePath(QStringLiteral("p.png"));
    const QString pdf = folder.filePath(QStringLiteral("p.pdf"));
    const QString csv = folder.filePath(QStringLiteral("p.csv"));
    QCOMPARE(plot.exportPicture(png), QString());
    QCOMPARE(plot.exportPicture(pdf), QString());
    QCOMPARE(plot.exportData(csv), QString());
    QCOMPARE(QImage(png).size(), QSize(2400, 1400));
    QFile document(pdf);
    QVERIFY(document.open(QIODevice::ReadOnly));
    QVERIFY(document.read(5) == "%PDF-");
    const QString svg = folder.filePath(QStringLiteral("p.svg"));
    QCOMPARE(plot.exportPicture(svg), QString());
    QFile drawing(svg);
    QVERIFY(drawing.open(QIODevice::ReadOnly));
    QXmlStreamReader xml(&drawing);
    int texts = 0, paths = 0;
    while (!xml.atEnd()) {
        xml.readNext();
        texts += xml.isStartElement() && xml.name() == QLatin1String("text");
        paths += xml.isStartElement() && xml.name() == QLatin1String("path");
    }
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    QVERIFY(texts > 4 && paths > 4); // ticks and labels, axes and curve
    QFile data(csv);
    QVERIFY(data.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = data.readAll().replace('\r', "").split('\n');
    QCOMPARE(lines.at(0), QByteArray("channel,kept,of,density"));
    QCOMPARE(lines.at(2), QByteArray("1,2,4,0.5"));
    QVERIFY(!plot.exportPicture(folder.filePath(QStringLiteral("no/such/p.png"))).isEmpty());
    // No file whose name says another kind than it is.
    for (const char *name : {"p.jpg", "p"}) {
        const QString other = folder.filePath(QString::fromLatin1(name));
        QVERIFY2(plot.exportPicture(other).contains(QStringLiteral(".png, .svg, .pdf")), name);
        QVERIFY2(!QFile::exists(other), name);
    }
}

void TestPlots::themed_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestPlots::themed()
{
    QFETCH(bool, dark);
    theme::apply(dark);
    HistogramPlot plot;
    plot.setHistogram(bell());
    QVERIFY(expose(plot));
    QCoreApplication::processEvents();
    const QImage image = plot.grab().toImage();
    const QColor base = plot.palette().color(QPalette::Base);
    QCOMPARE(image.pixelColor(3, 3).rgb(), base.rgb());
    const QRgb bar = theme::color(Token::KindData, dark).rgb();
    int bars = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            bars += image.pixel(x, y) == bar ? 1 : 0;
    }
    QVERIFY2(bars > 1000, qPrintable(QString::number(bars)));
    theme::apply(false);
}

void TestPlots::codebookWords()
{
    CodebookPlot plot;
    plot.setEntries({{5, -0.5, false}, {0, 0.25, true}});
    QVERIFY(plot.pointText(1).contains(QLatin1String("never used")));
    QVERIFY(plot.pointText(1).contains(QLatin1String("duplicate")));
    plot.setCurrentPoint(1);
    QCOMPARE(plot.currentPoint(), 1);
    plot.setEntries({{5, -0.5, false}});
    QCOMPARE(plot.currentPoint(), -1);
}

void TestPlots::emptyPlots()
{
    for (PlotWidget *plot : std::initializer_list<PlotWidget *>{new HistogramPlot, new DensityPlot,
                                                                new CodebookPlot}) {
        QVERIFY(expose(*plot));
        QTest::keyClick(canvas(*plot), Qt::Key_Right);
        QTest::mouseClick(canvas(*plot), Qt::LeftButton);
        QTest::mouseMove(canvas(*plot), {50, 50});
        QCOMPARE(plot->currentPoint(), -1);
        QVERIFY(!plot->accessibleName().isEmpty());
        delete plot;
    }
}

/// Out of view its picture is given back; back in view it is as it was, and as it has become.
void TestPlots::hiddenPlotsKeepNoPicture()
{
    HistogramPlot plot;
    plot.setHistogram(bell());
    QVERIFY(expose(plot));
    const auto *drawn = qobject_cast<PlotCanvas *>(canvas(plot));
    QVERIFY(drawn);
    const qint64 whole = qint64{4} * drawn->width() * drawn->height();
    QTRY_VERIFY(drawn->pictureBytes() >= whole);
    const QImage before = plot.grab().toImage();
    plot.hide();
    QVERIFY(drawn->pictureBytes() < 64);
    // What is drawn anew while it is hidden leaves no picture either.
    plot.setHistogram(bell());
    QCoreApplication::processEvents();
    QVERIFY(drawn->pictureBytes() < 64);
    QCOMPARE(plot.grab().toImage(), before); // a picture of its own
    QVERIFY(drawn->pictureBytes() < 64);
    QVERIFY(expose(plot));
    QTRY_VERIFY(drawn->pictureBytes() >= whole);
    QCOMPARE(plot.grab().toImage(), before);
}

KERNSCOPE_TEST(TestPlots, QApplication)
#include "tst_plots.moc"
