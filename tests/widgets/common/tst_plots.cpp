// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "widgets/common/design.h"
#include "widgets/common/plot_canvas.h"
#include "widgets/models/words.h"
#include "widgets/program/program_dock.h"
#include "widgets/weight/codebook_dock.h"
#include "widgets/weight/mask_dock.h"
#include "widgets/weight/statistics_panel.h"

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

/// What the plot draws on, below the widget that holds it.
QWidget *canvas(PlotWidget &plot)
{
    return plot.focusProxy();
}

using Linear = std::array<double, 3>; ///< red, green, blue, 0 to 1, linear in light

double linearOf(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

/// As people without one kind of cone see it. Matrices of Machado, Oliveira and Fernandes 2009,
/// severity 1, in linear light.
Linear seen(const QColor &color, int vision)
{
    static constexpr std::array<std::array<double, 9>, 4> kVisions{
        {{1, 0, 0, 0, 1, 0, 0, 0, 1},
         {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116,
          1.051998},
         {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940,
          0.968881},
         {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367,
          0.303900}}};
    const Linear in{linearOf(color.redF()), linearOf(color.greenF()), linearOf(color.blueF())};
    const auto &m = kVisions[std::size_t(vision)];
    Linear out{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column)
            out[row] += m[3 * row + column] * in[column];
        out[row] = std::clamp(out[row], 0.0, 1.0);
    }
    return out;
}

/// CIE L*, a*, b* of a colour of sRGB's white.
std::array<double, 3> labOf(const Linear &c)
{
    const auto f = [](double t) {
        return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
    };
    const double x = f((0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.9505);
    const double y = f(0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]);
    const double z = f((0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.0890);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double distance(const QColor &a, const QColor &b, int vision)
{
    const auto first = labOf(seen(a, vision)), second = labOf(seen(b, vision));
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i)
        sum += (first[i] - second[i]) * (first[i] - second[i]);
    return std::sqrt(sum);
}

constexpr int kSteps = 64;

} // namespace

class TestPlots : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void histogramLeavesOutliersOut()
    {
        HistogramPlot plot;
        const Histogram histogram = bell();
        const auto total =
            std::accumulate(histogram.bins.begin(), histogram.bins.end(), std::uint64_t{0});
        plot.setHistogram(histogram);
        const auto sum = [&plot] {
            qulonglong all = 0;
            for (int point = 0; point < plot.pointCount(); ++point)
                all += plot.cellData(point, 2, Qt::DisplayRole).toULongLong();
            return all;
        };
        QVERIFY(plot.pointCount() > 40 && plot.pointCount() <= 96);
        QCOMPARE(plot.outside(), 3u);
        QCOMPARE(sum(), total - 3);
        QVERIFY(plot.cellData(plot.pointCount() - 1, 1, Qt::DisplayRole).toDouble() < 0.1);
        plot.setFullRange(true);
        QCOMPARE(plot.outside(), 0u);
        QCOMPARE(sum(), total);
        QVERIFY(plot.cellData(plot.pointCount() - 1, 1, Qt::DisplayRole).toDouble() >= 1.0);
    }

    void histogramOfOneValue()
    {
        HistogramPlot plot;
        Histogram histogram;
        histogram.low = histogram.high = 0.25;
        histogram.bins.assign(100, 0);
        histogram.bins[0] = 12;
        plot.setHistogram(histogram);
        QVERIFY(plot.pointCount() >= 1);
        QCOMPARE(plot.cellData(0, 2, Qt::DisplayRole).toULongLong(), 12u);
        // One bar about the value.
        QCOMPARE((plot.cellData(0, 0, Qt::DisplayRole).toDouble() +
                  plot.cellData(0, 1, Qt::DisplayRole).toDouble()) /
                     2,
                 0.25);
        plot.setLogarithmic(true);
        QVERIFY(expose(plot));
        plot.grab();
    }

    /// 0 has no prefix.
    void ticksHaveUnits()
    {
        const auto labels = [](const QSharedPointer<QCPAxisTicker> &ticker, QCPRange range) {
            QVector<double> ticks;
            QVector<QString> texts;
            ticker->generate(range, QLocale::c(), QLatin1Char('g'), 6, ticks, nullptr, &texts);
            return QStringList(texts.begin(), texts.end());
        };
        const QStringList even = labels(quantityTicker(u"s"_s), {0, 8e-6});
        QVERIFY2(even.contains(u"0"_s) && even.contains(u"4 \u00b5s"_s),
                 qPrintable(even.join(u'|')));
    }

    void keysWalkThePoints()
    {
        DensityPlot plot;
        plot.setDensity({4, 2, 0, 3}, 4, true);
        QVERIFY(expose(plot));
        QSignalSpy moved(&plot, &PlotWidget::currentPointChanged);
        QSignalSpy activated(&plot, &PlotWidget::pointActivated);
        for (const auto &[key, point] : {std::pair(Qt::Key_Right, 0),
                                         {Qt::Key_Right, 1},
                                         {Qt::Key_End, 3},
                                         {Qt::Key_Right, 3},
                                         {Qt::Key_Home, 0}}) {
            QTest::keyClick(canvas(plot), key);
            QCOMPARE(plot.currentPoint(), point);
        }
        QCOMPARE(moved.count(), 4);
        QTest::keyClick(canvas(plot), Qt::Key_Return);
        QCOMPARE(activated.count(), 1);
        QCOMPARE(canvas(plot)->accessibleDescription(), plot.pointText(0));
        QVERIFY(plot.pointText(1).contains("50.0 %"_L1));
    }

    void mouseActivates()
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
        QVERIFY(plot.pointText(3).contains("not zero"_L1));
    }

    /// It does not zoom: the panel that it stands in scrolls.
    void wheelIsLeftToThePanel()
    {
        DensityPlot plot;
        QVERIFY(expose(plot));
        const QPointF at = canvas(plot)->rect().center();
        QWheelEvent wheel(at, canvas(plot)->mapToGlobal(at), {}, {0, -120}, Qt::NoButton, {},
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(canvas(plot), &wheel);
        QVERIFY(!wheel.isAccepted());
        QVERIFY(!canvas(plot)->testAttribute(Qt::WA_NoMousePropagation));
    }

    void tableTwin()
    {
        DensityPlot plot;
        auto *model = VERIFIED(plot.findChild<PlotTableModel *>());
        QAbstractItemModelTester tester(model);
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

    void exports()
    {
        QTemporaryDir folder;
        QVERIFY(folder.isValid());
        DensityPlot plot;
        plot.setDensity({4, 2}, 4, true);
        QVERIFY(expose(plot));
        const QString path = folder.filePath(u"p."_s);
        for (const char *kind : {"png", "pdf", "svg"})
            QCOMPARE(plot.exportPicture(path + QLatin1String(kind)), QString());
        QCOMPARE(plot.exportData(path + u"csv"_s), QString());
        QCOMPARE(QImage(path + u"png"_s).size(), QSize(2400, 1400));
        QVERIFY(contentOf(path + u"pdf"_s).startsWith("%PDF-"));
        QXmlStreamReader xml(contentOf(path + u"svg"_s));
        int texts = 0, paths = 0;
        while (!xml.atEnd()) {
            xml.readNext();
            texts += xml.isStartElement() && xml.name() == "text"_L1;
            paths += xml.isStartElement() && xml.name() == "path"_L1;
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY(texts > 4 && paths > 4); // ticks and labels, axes and curve
        const QList<QByteArray> lines = contentOf(path + u"csv"_s).replace('\r', "").split('\n');
        QCOMPARE(lines.at(0), "channel,kept,of,density"_ba);
        QCOMPARE(lines.at(2), "1,2,4,0.5"_ba);
        QVERIFY(!plot.exportPicture(folder.filePath(u"no/such/p.png"_s)).isEmpty());
        // No file whose name says another kind than it is.
        for (const char *name : {"p.jpg", "p"}) {
            const QString other = folder.filePath(QString::fromLatin1(name));
            QVERIFY2(plot.exportPicture(other).contains(u".png, .svg, .pdf"_s), name);
            QVERIFY2(!QFile::exists(other), name);
        }
    }

    /// The zeros of a pruned weight: their bar is cut off, and the others can be told apart.
    void oneBarDoesNotFlattenTheRest()
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
                next = std::max(
                    next, std::uint64_t{plot.cellData(point, 2, Qt::DisplayRole).toULongLong()});
        }
        const auto *view = VERIFIED(plot.findChild<QCustomPlot *>());
        const double top = view->yAxis->range().upper;
        QVERIFY(top > double(next) && top < 1.5 * double(next));
        const auto *text = view->findChild<QCPItemText *>();
        QVERIFY(text && text->visible());
        QString digits = text->text(); // the whole height is said, and stays in the table
        digits.remove(QRegularExpression(u"[^0-9]"_s));
        QCOMPARE(digits.toULongLong(), plot.cellData(cut, 2, Qt::DisplayRole).toULongLong());
        plot.setLogarithmic(true); // there every bar has room
        QCOMPARE(plot.cutBar(), -1);
        QVERIFY(!text->visible());
        plot.setLogarithmic(false);
        QCOMPARE(plot.cutBar(), cut);
    }

    void themed_data() { addThemes(); }

    void themed()
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

    void codebookWords()
    {
        CodebookPlot plot;
        plot.setEntries({{5, -0.5, false}, {0, 0.25, true}});
        QVERIFY(plot.pointText(1).contains("never used"_L1));
        QVERIFY(plot.pointText(1).contains("duplicate"_L1));
        plot.setCurrentPoint(1);
        QCOMPARE(plot.currentPoint(), 1);
        plot.setEntries({{5, -0.5, false}});
        QCOMPARE(plot.currentPoint(), -1);
    }

    void emptyPlots()
    {
        for (PlotWidget *plot : std::initializer_list<PlotWidget *>{
                 new HistogramPlot, new DensityPlot, new CodebookPlot}) {
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
    void hiddenPlotsKeepNoPicture()
    {
        HistogramPlot plot;
        plot.setHistogram(bell());
        QVERIFY(expose(plot));
        const auto *drawn = VERIFIED(qobject_cast<PlotCanvas *>(canvas(plot)));
        const qint64 whole = qint64{4} * drawn->width() * drawn->height();
        QTRY_VERIFY(drawn->pictureBytes() >= whole);
        canvas(plot)->clearFocus(); // whose frame goes as it is hidden
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

    // Maps of colours say more and less for every kind of colour vision, and the tokens are those
    // of the design.
    void visions_data()
    {
        QTest::addColumn<int>("vision");
        const std::array<const char *, 4> names{"usual", "protanopia", "deuteranopia",
                                                "tritanopia"};
        for (int i = 0; i < 4; ++i)
            addRow(names[std::size_t(i)], i);
    }

    void sequentialGetsLighter_data() { visions_data(); }

    void sequentialGetsLighter()
    {
        QFETCH(int, vision);
        double before = -1;
        for (int step = 0; step <= kSteps; ++step) {
            const double now = labOf(seen(theme::sequential(double(step) / kSteps), vision))[0];
            QVERIFY2(now > before, qPrintable(QString::number(step)));
            before = now;
        }
    }

    void signsAreToldApart_data() { visions_data(); }

    /// Away from zero lightness goes one way; a value and its negative are never alike.
    void signsAreToldApart()
    {
        QFETCH(int, vision);
        constexpr double kClear = 15; ///< just noticeable is about 2.3
        for (const bool dark : {false, true}) {
            for (const double sign : {-1.0, 1.0}) {
                double before = dark ? -1 : 101;
                for (int step = 0; step <= kSteps; ++step) {
                    const double value = sign * step / kSteps;
                    const double now = labOf(seen(theme::diverging(value, dark), vision))[0];
                    QVERIFY2(dark ? now > before : now < before,
                             qPrintable(u"%1 %2"_s.arg(dark).arg(value)));
                    before = now;
                }
            }
            for (const double size : {0.25, 0.5, 1.0})
                QVERIFY2(distance(theme::diverging(size, dark), theme::diverging(-size, dark),
                                  vision) > kClear * std::min(1.0, size * 2),
                         qPrintable(u"%1 %2"_s.arg(dark).arg(size)));
        }
    }

    void tokensOfTheDesign_data()
    {
        addColumns<int, QString>();
        const auto row = [](Token token, const char *light) {
            addRow(qPrintable(theme::tokenName(token)), int(token), QString::fromLatin1(light));
        };
        row(Token::KindHeader, "#5b6b7b");
        row(Token::KindMetadata, "#8a94a0");
        row(Token::KindProgram, "#4c5fa8");
        row(Token::KindData, "#0072b2");
        row(Token::KindIndices, "#56b4e9");
        row(Token::KindCodebook, "#cc79a7");
        row(Token::KindMask, "#e69f00");
        row(Token::KindValues, "#009e73");
        row(Token::KindScale, "#b8860b");
        row(Token::KindPadding, "#e4e7ea");
        row(Token::KindUnknown, "#f3e9d8");
        row(Token::OutStreams, "#0072b2");
        row(Token::OutFolds, "#d55e00");
        row(Token::OutDense, "#8a94a0");
        row(Token::OutRefused, "#5b2a2a");
        row(Token::DiffLess, "#2166ac");
        row(Token::DiffMore, "#d6604d");
        row(Token::DiffEqual, "#f7f7f7");
        row(Token::MarkChanged, "#d55e00");
        row(Token::MarkContested, "#b8860b");
        row(Token::MarkAssumed, "#8a94a0");
    }

    void tokensOfTheDesign()
    {
        const auto [token, light] = fetched<int, QString>();
        QCOMPARE(theme::color(static_cast<Token>(token), false).name(), light);
    }

    void palette_data() { addThemes(); }

    void palette()
    {
        QFETCH(bool, dark);
        const QPalette palette = theme::palette(dark);
        using Role = QPalette::ColorRole;
        const std::initializer_list<std::pair<Role, Role>> pairs{
            {QPalette::Text, QPalette::Base},
            {QPalette::Text, QPalette::AlternateBase},
            {QPalette::WindowText, QPalette::Window},
            {QPalette::ButtonText, QPalette::Button},
            {QPalette::PlaceholderText, QPalette::Base},
            {QPalette::PlaceholderText, QPalette::AlternateBase},
            {QPalette::PlaceholderText, QPalette::Window},
            {QPalette::Link, QPalette::Base},
            {QPalette::Link, QPalette::Window},
            {QPalette::HighlightedText, QPalette::Highlight},
            {QPalette::ToolTipText, QPalette::ToolTipBase}};
        for (const auto group : {QPalette::Active, QPalette::Inactive}) {
            for (const auto &[ink, ground] : pairs)
                check(palette.color(group, ink), palette.color(group, ground),
                      u"roles %1 and %2"_s.arg(ink).arg(ground));
        }
    }

    void tokens_data() { addThemes(); }

    void tokens()
    {
        QFETCH(bool, dark);
        for (int i = 0; i < int(Token::Count); ++i) {
            const auto token = static_cast<Token>(i);
            check(theme::textOn(token, dark), theme::color(token, dark), theme::tokenName(token));
        }
    }

    void grounds_data() { addThemes(); }

    void grounds()
    {
        QFETCH(bool, dark);
        const QPalette palette = theme::palette(dark);
        const QColor text = palette.color(QPalette::Text);
        check(text, design::chosenGround(palette), u"chosen row"_s);
        check(palette.color(QPalette::PlaceholderText), design::chosenGround(palette),
              u"faint text in a chosen row"_s);
        check(design::accent(palette), design::track(palette), u"chosen segment"_s);
        for (const Token token : {Token::OutStreams, Token::OutFolds, Token::OutDense,
                                  Token::OutRefused, Token::MarkContested, Token::MarkAssumed})
            check(text, tokenTint(token, dark), theme::tokenName(token));
    }

    void programText_data() { addThemes(); }

    void programText()
    {
        QFETCH(bool, dark);
        const QPalette palette = theme::palette(dark);
        using Kind = ProgramSpan::Kind;
        for (const Kind kind : {Kind::Plain, Kind::Keyword, Kind::Name, Kind::Value, Kind::Weight,
                                Kind::Literal, Kind::Faint}) {
            const QColor ink = ProgramRowDelegate::color(kind, palette);
            check(ink, palette.color(QPalette::Base), QString::number(int(kind)));
            check(ink, design::chosenGround(palette), QString::number(int(kind)));
        }
    }

    void checkBoxes_data() { addThemes(); }

    /// The edge of an empty box is seen: 3 and more against the window.
    void checkBoxes()
    {
        QFETCH(bool, dark);
        const QPalette palette = theme::palette(dark);
        QuietStyle style;
        QCheckBox box;
        QRadioButton radio;
        for (QAbstractButton *button : std::initializer_list<QAbstractButton *>{&box, &radio}) {
            button->setStyle(&style);
            button->setPalette(palette);
            button->resize(40, 40);
            const QImage picture = button->grab().toImage();
            double most = 1;
            for (int y = 0; y < picture.height(); ++y) {
                for (int x = 0; x < picture.width(); ++x)
                    most = std::max(most, theme::contrast(picture.pixelColor(x, y),
                                                          palette.color(QPalette::Window)));
            }
            QVERIFY2(most >= 3, qPrintable(QString::number(most)));
        }
    }

private:
    static void check(const QColor &ink, const QColor &ground, const QString &what)
    {
        QVERIFY2(theme::contrast(ink, ground) >= 4.5,
                 qPrintable(u"%1: %2 on %3, %4"_s.arg(what, ink.name(), ground.name())
                                .arg(theme::contrast(ink, ground))));
    }
};

KERNSCOPE_TEST(TestPlots, QApplication)
#include "tst_plots.moc"
