// SPDX-License-Identifier: GPL-3.0-or-later
#include "made_bundle.h"
#include "tests/widgets/sample_session.h"
#include "widgets/common/controls.h"
#include "widgets/common/labels.h"
#include "widgets/overview/overview_dock.h"
#include "widgets/weight/bundle_facts.h"
#include "widgets/weight/codebook_dock.h"
#include "widgets/weight/inspector_dock.h"
#include "widgets/weight/mask_dock.h"
#include "widgets/weight/statistics_panel.h"

using namespace kernscope::ui;

// What the cards, the names and the legend of the overview say, of sound and of damaged bundles.

class TestOverview : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void treemapKeepsAreas()
    {
        const std::vector<double> sizes{600, 300, 200, 100, 50, 50, 10, 1, 0};
        const QRectF area(3, 5, 731, 377);
        const auto rects = squarify(sizes, area);
        QCOMPARE(rects.size(), sizes.size());
        const double total = std::accumulate(sizes.begin(), sizes.end(), 0.0);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const double share = rects[i].width() * rects[i].height() / (731.0 * 377.0);
            QVERIFY(std::abs(share - sizes[i] / total) < 1e-9);
            QVERIFY(area.adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(rects[i]) ||
                    rects[i].isEmpty());
            for (std::size_t j = 0; j < i; ++j) {
                const QRectF both = rects[i].intersected(rects[j]);
                QVERIFY(both.width() * both.height() < 1e-6);
            }
        }
        QVERIFY(squarify({}, area).empty());
        QVERIFY(squarify(std::vector<double>{0, 0}, area)[1].isEmpty());
    }

    /// The inspector of a bundle: a bar of its forms, what crosses on the chips, what to do next.
    void inspectorOfTheBundle()
    {
        auto [session, dock] = Alone<InspectorDock>();
        QVERIFY(showDock(dock, session, openSample("sparse"), {320, 900}));
        QTRY_VERIFY(ChipState::of(session).table() != nullptr);
        const BundleFacts &facts = *dock.findChild<BundleFacts *>();
        QVERIFY(facts.isVisible());
        QVERIFY(facts.forms().isVisible());
        QVERIFY(facts.forms().accessibleName().contains(u"sparse"_s));
        QVERIFY(facts.forms().partAt(facts.forms().width() / 4) >= 0);
        // The figures are those of the table; the chip judged by stands first.
        const auto &table = ChipState::of(session).table();
        const std::size_t column = table->columnOf(ChipState::of(session).target());
        const QString first = facts.chips().findChild<ShareBar *>()->accessibleName();
        QVERIFY2(first.contains(groupedNumber(table->totals(column).bytesMoved)),
                 qPrintable(first));
        const auto links = facts.findChildren<QLabel *>();
        QSignalSpy next(&dock, &InspectorDock::nextRequested);
        for (QLabel *label : links) {
            if (label->text().contains(u"href=\"report\""_s))
                Q_EMIT label->linkActivated(u"report"_s);
        }
        QCOMPARE(next.count(), 1);
        QCOMPARE(next.at(0).at(0).toString(), u"report"_s);
    }

    /// What was found in another file is not said of this one, and no message says that the values
    /// were looked at where that was cancelled.
    void cancelledLooksSaySo()
    {
        auto [session, dock] = Alone<OverviewDock>();
        QVERIFY(showDock(dock, session, openSample("dense")));
        QVERIFY(!dock.figures().zeros.empty());
        QVERIFY(says(dock, u"were looked at"_s) && !says(dock, u"cancelled"_s));
        const auto cutting = cancelTasks(session);
        session.setBundle(openSample("sparse"));
        QTRY_VERIFY(says(dock, u"cancelled"_s));
        QTRY_VERIFY(session.tasks().idle());
        QVERIFY(!says(dock, u"were looked at"_s));
        QVERIFY(dock.figures().zeros.empty() && dock.figures().findings.empty());
        disconnect(cutting);
        VERIFIED(actionOf(dock, u"Look Over All Values"_s))->trigger();
        QVERIFY(settle(dock));
        QTRY_VERIFY(!dock.figures().zeros.empty());
        QVERIFY(says(dock, u"were looked at"_s) && !says(dock, u"cancelled"_s));
    }

    void namesLoseWhatTheyShare()
    {
        const QStringList names{u"encoder_layers_0_weight_to_fp16"_s,
                                u"encoder_layers_0_bias_to_fp16"_s,
                                u"encoder_layers_2_weight_to_fp16"_s,
                                u"encoder_layers_2_bias_to_fp16"_s, u"concat_0"_s};
        const QStringList shorter = shortNames(names);
        QCOMPARE(shorter[0], u"\u20260_weight\u2026"_s);
        QCOMPARE(shorter[3], u"\u20262_bias\u2026"_s);
        QCOMPARE(shorter[4], names[4]);
        QCOMPARE(QSet<QString>(shorter.begin(), shorter.end()).size(), names.size());
        // The same weights in two models of a pipeline.
        QCOMPARE(shortNames(names + names), shorter + shorter);
        // Each function's own are told apart by their places in it.
        QStringList both = names, groups;
        for (const QString &name : names)
            both += name + u"_palettized"_s;
        for (qsizetype i = 0; i < both.size(); ++i)
            groups += i < names.size() ? u"first"_s : u"second"_s;
        QCOMPARE(shortNames(both, groups).mid(0, names.size()), shorter);
        QCOMPARE(shortNames(both, groups)[names.size()], shorter[0]);
        // What follows a shared end goes with it, unless two became the same by that.
        const QStringList forms = shortNames(
            {u"enc_0_weight_to_fp16_quantized"_s, u"enc_6_weight_to_fp16_sparsified"_s,
             u"enc_0_bias_to_fp16"_s, u"enc_6_bias_to_fp16"_s, u"dec_bias_to_fp16"_s, u"concat_0"_s,
             u"concat_1_quantized"_s, u"concat_2_quantized"_s, u"enc_6_weight_to_fp16_mask"_s});
        QCOMPARE(forms[0], u"\u20260_weight\u2026"_s);
        QVERIFY2(forms[1].endsWith("sparsified"_L1), qPrintable(forms[1]));
        QCOMPARE(forms[2], u"\u20260_bias\u2026"_s);
        // Less of the beginning where that lets the end go.
        QCOMPARE(forms[6], u"concat_1\u2026"_s);
        QCOMPARE(QSet<QString>(forms.begin(), forms.end()).size(), forms.size());
        // What tells a weight from its bias stays, as often as both ends may occur.
        const QStringList pair = shortNames({u"enc_0_weight_to_fp16"_s, u"enc_1_weight_to_fp16"_s,
                                             u"enc_0_bias_to_fp16"_s, u"enc_1_bias_to_fp16"_s,
                                             u"dec_weight_to_fp16"_s, u"dec_bias_to_fp16"_s});
        QCOMPARE(pair[4], u"dec_weight\u2026"_s);
        QCOMPARE(pair[5], u"dec_bias\u2026"_s);
        // Of a beginning as much as tells two apart.
        const QStringList less =
            shortNames({u"call_q_neg_bias_0"_s, u"call_q_neg_1_bias_0"_s, u"call_q_neg_2_bias_0"_s,
                        u"call_n_2_fused_bias_0"_s, u"call_n_3_fused_bias_0"_s,
                        u"call_n_2_fused_w_0"_s, u"call_n_2_fused_w_1"_s});
        QCOMPARE(less[0], u"\u2026bias_0"_s);
        QCOMPARE(less[1], u"\u20261_bias\u2026"_s);
        QCOMPARE(less[3], u"\u20262_fused_bias\u2026"_s);
        // The number of a layer stays, however many weights it has.
        QStringList layers;
        for (int layer = 0; layer < 3; ++layer) {
            for (const char *part : {"self_query", "self_key", "self_value", "out"})
                layers += u"model_%1_%2_weight"_s.arg(layer).arg(QLatin1String(part));
        }
        const QStringList layerNames = shortNames(layers);
        for (qsizetype i = 0; i < layers.size(); ++i)
            QVERIFY2(layerNames[i].startsWith(u"\u2026%1_"_s.arg(i / 4)),
                     qPrintable(layerNames[i]));
        // Words within a word: what tells the rows apart stands first.
        QStringList gates;
        for (const char *gate : {"inputGate", "forgetGate", "blockInput", "outputGate"}) {
            for (const char *part : {"WeightMatrix", "RecursionMatrix", "BiasVector"})
                gates += u"memory.%1%2"_s.arg(QString::fromLatin1(gate), QString::fromLatin1(part));
        }
        const QStringList gateNames = shortNames(gates);
        QCOMPARE(QSet<QString>(gateNames.begin(), gateNames.end()).size(), gates.size());
        QVERIFY2(gateNames[1].startsWith(u"\u2026inputGateRecursion"_s), qPrintable(gateNames[1]));
        // Never two the same, and never nothing.
        const QStringList equal = shortNames({u"a_b"_s, u"a_b"_s, u"a_b"_s});
        QCOMPARE(equal[0], u"a_b"_s);
        QVERIFY(shortNames({}).isEmpty());
    }

    /// A table's names are shortened when a view first asks, and anew when the rows are others.
    void shortNamesOfTables()
    {
        QStringList names{u"enc_0_weight"_s, u"enc_1_weight"_s, u"enc_2_weight"_s};
        int asked = 0;
        const auto nameOf = [&](std::size_t row) {
            ++asked;
            return names[qsizetype(row)];
        };
        ShortNameCache cache;
        QCOMPARE(cache.of(1, 3, nameOf), shortNames(names)[1]);
        QCOMPARE(cache.of(2, 3, nameOf), shortNames(names)[2]);
        QVERIFY(shortNames(names)[2] != names[2]);
        QCOMPARE(asked, 3);
        names[1] = u"enc_7_weight"_s;
        cache.clear();
        QVERIFY(cache.of(1, 3, nameOf).contains(u'7'));
        QVERIFY(cache.of(3, 3, nameOf).isEmpty());
        asked = 0;
        QVERIFY(cache.of(0, ShortNameCache::kMostRows + 1, nameOf).isEmpty());
        QCOMPARE(asked, 0);
    }

    void iconsAreDrawn()
    {
        QVERIFY(svgPath(u"M3 4l5-5a2 2 0 0 1 4 0H9v3z"_s));
        QVERIFY(!svgPath(u"M3 4Q5 5 6 6"_s));
        QVERIFY(!svgPath(u"M3 four"_s));
        const QStringList files = QDir(u":/icons/actions"_s).entryList();
        QVERIFY(files.size() >= 10);
        for (const QString &file : files) {
            const QIcon icon = lineIcon(file.chopped(4));
            QVERIFY2(!icon.isNull(), qPrintable(file));
            const QImage picture = icon.pixmap(32, 32).toImage();
            int inked = 0;
            for (int y = 0; y < picture.height(); ++y) {
                for (int x = 0; x < picture.width(); ++x)
                    inked += qAlpha(picture.pixel(x, y)) > 128 ? 1 : 0;
            }
            QVERIFY2(inked > 30, qPrintable(file));
            // Nothing is cut off by the edge.
            for (int i = 0; i < 32; ++i)
                QVERIFY2(qAlpha(picture.pixel(i, 0)) < 64 && qAlpha(picture.pixel(0, i)) < 64 &&
                             qAlpha(picture.pixel(i, picture.height() - 1)) < 64 &&
                             qAlpha(picture.pixel(picture.width() - 1, i)) < 64,
                         qPrintable(file));
        }
        QVERIFY(lineIcon(u"no such"_s).isNull());
    }

    void overviewShowsTheBytes()
    {
        auto [session, dock] = Alone<OverviewDock>();
        QVERIFY(showDock(dock));
        QVERIFY(!dock.showsContent());
        session.setBundle(openSample("sparse"));
        QVERIFY(settle(dock));
        QVERIFY(dock.showsContent());
        const auto &cells = dock.treemap().cells();
        QCOMPARE(cells.size(), session.bundle()->weights().size());
        double last = 1e30, sum = 0;
        for (const auto &cell : cells) {
            QVERIFY(cell.size <= last);
            last = cell.size;
            sum += cell.size;
            QVERIFY(theme::contrast(cell.color, cell.ink) >= 4.5);
        }
        QCOMPARE(std::uint64_t(sum), session.bundle()->totals().storedBytes.value);
        for (const auto colors : {OverviewDock::Colors::Outcome, OverviewDock::Colors::Zeros}) {
            dock.setColors(colors);
            for (const auto &cell : dock.treemap().cells())
                QVERIFY(theme::contrast(cell.color, cell.ink) >= 4.5);
        }
        QSignalSpy raised(&dock, &OverviewDock::raiseRequested);
        Q_EMIT dock.treemap().picked(cells.front().key);
        QCOMPARE(session.place().weight, cells.front().key);
        QCOMPARE(raised.count(), 1);
    }

    /// Colours by error: against the other bundle, which is asked for where none is open.
    void errorsAgainstABase()
    {
        auto [session, dock] = Alone<OverviewDock>();
        QVERIFY(showDock(dock, session, openSample("palette")));
        QSignalSpy wanted(&dock, &OverviewDock::baseWanted);
        dock.setColors(OverviewDock::Colors::Error);
        QCOMPARE(wanted.count(), 1);
        QVERIFY(says(dock, u"Open a build to measure against"_s));
        for (const auto &cell : dock.treemap().cells())
            QVERIFY(cell.hatched);
        session.setOther(openSample("dense"));
        QVERIFY(settle(dock));
        QTRY_VERIFY(says(dock, u"against sample-dense.mlmodelc"_s));
        bool same = false, off = false;
        for (std::size_t i = 0; i < dock.treemap().cells().size(); ++i) {
            const auto &cell = dock.treemap().cells()[i];
            const auto &words = dock.treemap().wordsOf(i);
            QVERIFY2(!cell.hatched, qPrintable(words.name));
            QVERIFY(theme::contrast(cell.color, cell.ink) >= 4.5);
            const bool exact = words.note.contains(u"same values"_s);
            same |= exact;
            off |= !exact;
            QCOMPARE(exact, cell.color == theme::sequential(0));
        }
        QVERIFY(same && off); // biases are as they were, palettes are not
        session.setOther(nullptr);
        QTRY_VERIFY(says(dock, u"Open a build to measure against"_s));
        QCOMPARE(wanted.count(), 1); // not asked again
        // The least error is seen to be one, the largest has the end of the map.
        const BaseErrors errors{{}, {}, {0, 0.001, 0.1}, 0.001, 0.1};
        QCOMPARE(errorShade(errors, 0), 0.0);
        QVERIFY(errorShade(errors, 0.001) > 0.2 && errorShade(errors, 0.001) < 0.5);
        QVERIFY(errorShade(errors, 0.01) > errorShade(errors, 0.002));
        QCOMPARE(errorShade(errors, 0.1), 1.0);
        QCOMPARE(errorShade(BaseErrors{{}, {}, {0.5}, 0.5, 0.5}, 0.5), 1.0);
    }

    /// Nothing stored: a sentence where the cells would be.
    void emptyMapSaysWhy()
    {
        TreemapView map;
        map.resize(300, 200);
        const QImage blank = map.grab().toImage();
        map.setEmptyText(u"No weight is stored here."_s);
        QVERIFY(map.grab().toImage() != blank);
        map.setCells({{4, Qt::white, Qt::black, 0, false, false}});
        QCOMPARE(map.grab().toImage().pixelColor(150, 150), QColor(Qt::white));
    }

    void findingsAreFound()
    {
        const BundlePtr bundle = openSample("sparse");
        Progress progress;
        const BundleReadLock lock(*bundle);
        const BundleFigures tables = examineBundle(*bundle, false, progress);
        for (const auto &share : tables.zeros)
            QVERIFY(!share);
        const BundleFigures figures = examineBundle(*bundle, true, progress);
        QCOMPARE(figures.zeros.size(), bundle->weights().size());
        for (const auto &share : figures.zeros)
            QVERIFY(share);
        for (std::size_t i = 1; i < figures.findings.size(); ++i)
            QVERIFY(figures.findings[i - 1].kind <= figures.findings[i].kind);
    }

    /// A value far out: a row that leads to its element; the filter lists the kinds.
    void findingsLeadToTheirElements()
    {
        MadeBundle made;
        Bytes values(2 * 8 * 64);
        for (std::size_t i = 0; i < values.size() / 2; ++i)
            values[2 * i] = static_cast<std::byte>(i % 5); // small halves
        values[2 * 300 + 1] = std::byte{0x50};
        made.layer("far", "[8, 64]", values);
        const auto bundle = VERIFIED(made.open());
        auto [session, dock] = Alone<OverviewDock>();
        QVERIFY(showDock(dock, session, *bundle, {900, 700}));
        auto *table = &dock.findings();
        QVERIFY(table->isVisible());
        const int before = table->model()->rowCount();
        dock.findingFilter().setText(u"outlier"_s);
        QCOMPARE(table->model()->rowCount(), 1);
        QVERIFY(before >= 1);
        QVERIFY2(table->model()->index(0, 2).data().toString().startsWith(u"reaches "_s),
                 qPrintable(table->model()->index(0, 2).data().toString()));
        QSignalSpy raised(&dock, &OverviewDock::raiseRequested);
        Q_EMIT table->activated(table->model()->index(0, 0));
        QVERIFY(settle(dock));
        QCOMPARE(raised.count(), 1);
        QCOMPARE(session.place().weight, 0U);
        QCOMPARE(session.place().element, std::optional<std::uint64_t>(300));
        session.goBack(); // one visit
        QCOMPARE(session.place(), Place());

        // In a small dock the page scrolls: nothing lies on the treemap, and advice is whole.
        dock.findingFilter().clear();
        dock.resize(780, 430);
        QVERIFY(settle(dock));
        const auto *map = VERIFIED(dock.findChild<TreemapView *>());
        QTRY_VERIFY(map->geometry().bottom() < dock.findingFilter().geometry().top());
        QVERIFY(dock.findingFilter().geometry().bottom() < table->geometry().top());
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            const QString advice = table->model()->index(row, 3).data().toString();
            QVERIFY2(table->fontMetrics().horizontalAdvance(advice) < table->columnWidth(3) - 4,
                     qPrintable(advice));
        }
    }

    /// A report of a fault that others contradict is a line of its own, unfolded by a click, and
    /// not counted.
    void disputedFaultsAreQuiet()
    {
        MadeBundle made;
        made.line("tensor<fp16, [2, 2]> w = constexpr_affine_dequantize()[axis = int32(0), name = "
                  "string(\"w\"), quantized_data = tensor<int8, [2, 2]>([1, 3, 4, 5]), scale = "
                  "fp16(0x1p0), zero_point = int8(0)]");
        made.consume("w");
        const auto opened = VERIFIED(Bundle::open("a.mlmodelc", made.options()));
        const auto known = knownFaultFindings(**opened);
        QVERIFY(!known.empty());
        for (const Finding &finding : known)
            QVERIFY(finding.kind == Finding::Kind::DisputedFault);
        auto [session, dock] = Alone<OverviewDock>();
        QVERIFY(showDock(dock, session, *opened, {900, 700}));
        QVERIFY(settle(dock));
        const QString effect = u"zero point of 0"_s;
        const auto listed = [&dock, effect] {
            const QAbstractItemModel *rows = dock.findings().model();
            for (int row = 0; row < rows->rowCount(); ++row) {
                if (rows->index(row, 2).data().toString().contains(effect))
                    return true;
            }
            return false;
        };
        QTRY_VERIFY2(dock.oddNote().text().contains(u"disputed"_s),
                     qPrintable(dock.oddNote().text()));
        QVERIFY(!listed());
        Q_EMIT dock.oddNote().linkActivated(u"disputed:"_s);
        QVERIFY(listed());
        Q_EMIT dock.oddNote().linkActivated(u"disputed:"_s);
        QVERIFY(!listed());
        QVERIFY(dock.oddNote().text().contains(u"Not counted"_s));
    }

    /// Names are whole before what is said of them gets more room.
    void namesOfFindingsAreWhole()
    {
        const QString name = u"encoder_layers_0_weight"_s;
        MadeBundle made;
        made.layer(name.toStdString(), "[8, 64]", Bytes(2 * 8 * 64));
        const auto bundle = VERIFIED(made.open());
        auto [session, dock] = Alone<OverviewDock>();
        QVERIFY(showDock(dock, session, *bundle, {700, 700}));
        const QTableView &table = dock.findings();
        QVERIFY(table.model()->rowCount() > 0);
        QVERIFY(table.columnWidth(1) > table.fontMetrics().horizontalAdvance(name));
    }

    void inspectorFitsTheForm_data() { addBuilds(); }

    void inspectorFitsTheForm()
    {
        QFETCH(QString, build);
        auto [session, dock] = Alone<InspectorDock>();
        QVERIFY(showDock(dock, session, openSample(build.toStdString()), {400, 1200}));
        QVERIFY(dock.showsContent());
        QVERIFY(!dock.statistics().isVisible()); // the bundle, no weight yet
        const std::size_t weight = builtWeight(*session.bundle());
        session.goToWeight(weight);
        QVERIFY(settle(dock));
        QVERIFY(dock.statistics().isVisible());
        QVERIFY(dock.statistics().statistics().has_value());
        const Weight &shown = session.bundle()->weights()[weight];
        QCOMPARE(dock.codebook().isVisible(), shown.has(codec::PartRole::Lut));
        QCOMPARE(dock.mask().isVisible(), shown.has(codec::PartRole::Mask));
        QVERIFY(!dock.codebook().isVisible() || dock.codebook().showsContent());
        QVERIFY(!dock.mask().isVisible() || dock.mask().showsContent());
        // Its pin is that of its parts.
        dock.setPinned(true);
        QVERIFY(dock.codebook().pinned() && dock.mask().pinned());
        dock.setPinned(false);
        QVERIFY(!dock.codebook().pinned());
    }

    /// A name loses what it shares with others only where the whole of it has no room.
    void treemapNamesWholeWhereThereIsRoom()
    {
        auto [session, dock] = Alone<OverviewDock>();
        QVERIFY(showDock(dock, session, openSample("sparse"), {900, 700}));
        TreemapView::Words cell;
        cell.name = u"encoder_layers_0_weight_to_fp16"_s;
        cell.shortName = u"\u20260_weight\u2026"_s;
        const QFontMetrics metrics(dock.font());
        const int whole = metrics.horizontalAdvance(cell.name);
        QCOMPARE(TreemapView::nameIn(cell, metrics, whole + 1), cell.name);
        QCOMPARE(TreemapView::nameIn(cell, metrics, whole - 2), u"encoder_layers_0_weight\u2026"_s);
        QCOMPARE(TreemapView::nameIn(cell, metrics, metrics.horizontalAdvance(cell.shortName)),
                 cell.shortName);
        QVERIFY(metrics.horizontalAdvance(TreemapView::nameIn(cell, metrics, 30)) <= 30);
        const auto &weights = session.bundle()->weights();
        const auto &cells = dock.treemap().cells();
        for (std::size_t i = 0; i < cells.size(); ++i)
            QCOMPARE(dock.treemap().wordsOf(i).name, fromUtf8(weights[cells[i].key].name));
    }

    /// Of two thousand cells most have no room for a word: their words are made when asked for.
    void wordsAreMadeWhenShown()
    {
        TreemapView map;
        map.resize(300, 200);
        std::vector<TreemapView::Cell> cells(2000);
        for (std::size_t i = 0; i < cells.size(); ++i)
            cells[i] = {i == 0 ? 2000.0 : 1.0, Qt::white, Qt::black, i, false, false};
        std::size_t asked = 0;
        map.setCells(cells, [&asked](const TreemapView::Cell &cell) {
            ++asked;
            const QString name = u"w%1"_s.arg(cell.key);
            return TreemapView::Words{name, {}, {}, u"tip of "_s + name};
        });
        QCOMPARE(asked, 0U);
        map.grab();
        QCOMPARE(asked, 1U); // the large one
        map.grab();
        QCOMPARE(asked, 1U);
        QHelpEvent help(QEvent::ToolTip, map.rectOf(1500).center().toPoint(), QPoint(10, 10));
        QCoreApplication::sendEvent(&map, &help);
        QVERIFY2(QToolTip::text().startsWith(u"tip of w"_s), qPrintable(QToolTip::text()));
        QCOMPARE(asked, 2U);
        map.setCurrentKey(7);
        QCOMPARE(map.accessibleDescription(), u"tip of w7"_s);
        QCOMPARE(asked, 3U);
    }

    /// The overview predicts the engine's time on the chip that the docks judge by.
    void predictedTime()
    {
        auto [session, dock] = Alone<OverviewDock>();
        QVERIFY(showDock(dock, session, openSample("sparse"), {900, 700}));
        const QString chip = chipName(ChipState::of(session).target());
        QVERIFY2(dock.time().text().contains(u"s\non %1"_s.arg(chip)),
                 qPrintable(dock.time().text()));
        // Another chip, another figure or none: never that of the one before.
        const QString before = dock.time().text();
        ChipState::of(session).setTarget(*target::findTarget("H15")->target);
        QTRY_VERIFY(dock.time().text() != before);
    }

    /// Layers of an old network are not judged, which is not the same as none that reads a weight.
    void timeOfAnOldNetwork()
    {
        const auto field = [](std::uint8_t tag, const QByteArray &bytes) {
            return char(tag) + QByteArray(1, char(bytes.size())) + bytes;
        };
        // An inner product (140) of one channel to one, whose weights (20) are one number in fp32,
        // in a layer of a network (500).
        const QByteArray weights = field(0x0a, QByteArray::fromHex("0000803f"));
        const QByteArray product = QByteArray::fromHex("08011001a2") + field(0x01, weights);
        const QByteArray layer = field(0x0a, "c") + '\xe2' + field(0x08, product);
        const QByteArray model = QByteArray::fromHex("0801a2") + field(0x1f, field(0x0a, layer));
        const auto bytes = std::as_bytes(std::span(model.data(), std::size_t(model.size())));
        OpenOptions options;
        options.memory.emplace_back("old.mlmodel",
                                    std::vector<std::byte>(bytes.begin(), bytes.end()));
        const auto bundle = VERIFIED(Bundle::open("old.mlmodel", options));
        QCOMPARE((*bundle)->weights().size(), 1U);
        auto [session, dock] = Alone<OverviewDock>();
        QVERIFY(showDock(dock, session, *bundle, {900, 700}));
        QVERIFY2(dock.time().text().contains(u"old neural network"_s),
                 qPrintable(dock.time().text()));
    }

    /// What the author says of the model stands behind the facts, as text.
    void aboutTheModel()
    {
        const auto sample = VERIFIED(openSample("sparse"));
        OpenOptions options;
        for (const BundleFile &file : sample->files()) {
            const auto bytes = file.file->bytes();
            if (file.path != "metadata.json")
                options.memory.emplace_back(file.path,
                                            std::vector<std::byte>(bytes.begin(), bytes.end()));
        }
        const std::string_view said =
            R"([{"shortDescription": "finds <b>speech</b>\nin noise", "author": "A. Person"}])";
        const auto words = std::as_bytes(std::span(said));
        options.memory.emplace_back("metadata.json",
                                    std::vector<std::byte>(words.begin(), words.end()));
        const auto bundle = VERIFIED(Bundle::open("about.mlmodelc", options));
        auto [session, dock] = Alone<OverviewDock>();
        QVERIFY(showDock(dock, session, *bundle, {900, 700}));
        QString facts, tip;
        for (const ElidedLabel *label : dock.findChildren<ElidedLabel *>()) {
            if (label->wholeText().startsWith(u"mlmodelc"_s))
                std::tie(facts, tip) = std::pair(label->wholeText(), label->toolTip());
        }
        QCOMPARE(tip, facts); // the window shows it as it stands (showLabelsPlain)
        QVERIFY2(facts.endsWith(u"finds <b>speech</b> in noise \u00B7 by A. Person"_s),
                 qPrintable(facts));
    }

    /// Weights whose bytes are cut off: the time of their layers is not known, which is not for
    /// want of ceilings, and sums say that they are the least.
    void damagedWeightsAreTold()
    {
        const BundlePtr bundle = VERIFIED(cutSample("palette", 4));
        const auto &weights = bundle->weights();
        QVERIFY(std::ranges::any_of(
            weights, [](const Weight &weight) { return static_cast<bool>(weight.fault); }));
        auto [session, dock] = Alone<OverviewDock>();
        QVERIFY(showDock(dock, session, bundle, {900, 700}));
        QVERIFY(settle(dock));
        const QString time = dock.time().text();
        QVERIFY2(time.contains(u"layers is not known"_s), qPrintable(time));
        QVERIFY(!time.contains(u"ceilings"_s));
        QVERIFY(says(dock, u"\u00B7&nbsp;\u2265"_s));
    }

    /// A program whose weights are cut off: how much they take is not known, which is not nothing.
    void bytesThatAreMissingAreNotNone()
    {
        const BundlePtr bundle = VERIFIED(cutSample("dense", 0));
        QVERIFY(!bundle->weights().empty());
        auto [session, dock] = Alone<OverviewDock>();
        QVERIFY(showDock(dock, session, bundle, {900, 700}));
        QVERIFY(settle(dock));
        const QString said = dock.findChild<TreemapView *>()->emptyText();
        QVERIFY2(said.contains(u"not known"_s), qPrintable(said));
    }

    /// As every plot: a picture as it is drawn, finer than the screen, or a page.
    void treemapIsExported()
    {
        auto [session, dock] = Alone<OverviewDock>();
        QVERIFY(showDock(dock, session, openSample("sparse"), {900, 700}));
        TreemapView &map = dock.treemap();
        const QTemporaryDir folder;
        const QString png = folder.filePath(u"map.png"_s);
        QCOMPARE(exportWidgetPicture(map, png), QString());
        const QImage image(png);
        QCOMPARE(image.size(), map.size() * 2);
        const QRectF largest = map.rectOf(0);
        const QPointF corner = largest.bottomRight() - QPointF(6, 6);
        QCOMPARE(image.pixelColor((corner * 2).toPoint()), map.cells()[0].color);
        const QString pdf = folder.filePath(u"map.pdf"_s);
        QCOMPARE(exportWidgetPicture(map, pdf), QString());
        QVERIFY(contentOf(pdf).startsWith("%PDF"));
        QVERIFY(!exportWidgetPicture(map, folder.filePath(u"none/map.png"_s)).isEmpty());
        // The context menu holds what the menu does.
        QCOMPARE(map.contextMenuPolicy(), Qt::ActionsContextMenu);
        QCOMPARE(map.actions(), dock.menuActions());
    }
};

KERNSCOPE_TEST(TestOverview, QApplication)
#include "tst_overview.moc"
