// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/bundle_findings.h"
#include "core/base/overlaid_file.h"
#include "made_bundle.h"
#include "tests/test_program.h"
#include "tests/widgets/sample_session.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/controls.h"
#include "widgets/common/labels.h"
#include "widgets/common/line_icon.h"
#include "widgets/models/short_names.h"
#include "widgets/models/table_text.h"
#include "widgets/models/task_manager.h"
#include "widgets/models/theme.h"
#include "widgets/models/words.h"
#include "widgets/overview/overview_cells.h"
#include "widgets/overview/overview_dock.h"
#include "widgets/overview/treemap_view.h"
#include "widgets/weight/bundle_facts.h"
#include "widgets/weight/codebook_dock.h"
#include "widgets/weight/inspector_dock.h"
#include "widgets/weight/mask_dock.h"
#include "widgets/weight/statistics_panel.h"

#include <QAction>
#include <QDir>
#include <QFile>
#include <QHelpEvent>
#include <QImage>
#include <QLabel>
#include <QSet>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace kernscope::test;
using namespace kernscope::ui;
using namespace kernscope;

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
        Session session;
        InspectorDock dock(session);
        session.setBundle(openSample("sample-sparse.mlmodelc"));
        QVERIFY(showDock(dock, 320, 900));
        QTRY_VERIFY(ChipState::of(session).table() != nullptr);
        const BundleFacts &facts = dock.bundleFacts();
        QVERIFY(facts.isVisible());
        QVERIFY(facts.forms().isVisible());
        QVERIFY(facts.forms().accessibleName().contains(QStringLiteral("sparse")));
        QVERIFY(facts.forms().partAt(facts.forms().width() / 4) >= 0);
        // The figures are those of the table; the chip judged by stands first.
        const auto &table = ChipState::of(session).table();
        const std::size_t column = table->columnOf(ChipState::of(session).target());
        const QString first = facts.chips().text().section(QLatin1Char('\n'), 0, 0);
        QVERIFY2(first.contains(groupedNumber(table->totals(column).bytesMoved)),
                 qPrintable(first));
        const auto links = facts.findChildren<QLabel *>();
        QSignalSpy next(&dock, &InspectorDock::nextRequested);
        for (QLabel *label : links) {
            if (label->text().contains(QStringLiteral("href=\"report\"")))
                Q_EMIT label->linkActivated(QStringLiteral("report"));
        }
        QCOMPARE(next.count(), 1);
        QCOMPARE(next.at(0).at(0).toString(), QStringLiteral("report"));
    }

    /// What was found in another file is not said of this one, and no message says that the values
    /// were looked at where that was cancelled.
    void cancelledLooksSaySo()
    {
        Session session;
        OverviewDock dock(session);
        session.setBundle(openSample("sample-dense.mlmodelc"));
        QVERIFY(showDock(dock));
        QVERIFY(!dock.figures().zeros.empty());
        const auto says = [&dock](const char *word) {
            const auto labels = dock.findChildren<QLabel *>();
            return std::any_of(labels.begin(), labels.end(), [word](const QLabel *label) {
                return label->isVisible() && label->text().contains(QString::fromLatin1(word));
            });
        };
        QVERIFY(says("were looked at") && !says("cancelled"));
        const auto cutting = connect(&session.tasks(), &TaskManager::changed, &dock,
                                     [&] { session.tasks().cancelAll(); });
        session.setBundle(openSample("sample-sparse.mlmodelc"));
        QTRY_VERIFY(says("cancelled"));
        QTRY_VERIFY(session.tasks().idle());
        QVERIFY(!says("were looked at"));
        QVERIFY(dock.figures().zeros.empty() && dock.figures().findings.empty());
        disconnect(cutting);
        QAction *again = nullptr;
        for (QAction *action : dock.menuActions()) {
            if (action->text() == QStringLiteral("Look Over All Values"))
                again = action;
        }
        QVERIFY(again);
        again->trigger();
        QVERIFY(settle(dock));
        QTRY_VERIFY(!dock.figures().zeros.empty());
        QVERIFY(says("were looked at") && !says("cancelled"));
    }

    void namesLoseWhatTheyShare()
    {
        const QStringList names{QStringLiteral("encoder_layers_0_weight_to_fp16"),
                                QStringLiteral("encoder_layers_0_bias_to_fp16"),
                                QStringLiteral("encoder_layers_2_weight_to_fp16"),
                                QStringLiteral("encoder_layers_2_bias_to_fp16"),
                                QStringLiteral("concat_0")};
        const QStringList shorter = shortNames(names);
        QCOMPARE(shorter[0], QStringLiteral("\u20260_weight\u2026"));
        QCOMPARE(shorter[3], QStringLiteral("\u20262_bias\u2026"));
        QCOMPARE(shorter[4], names[4]);
        QCOMPARE(QSet<QString>(shorter.begin(), shorter.end()).size(), names.size());
        // The same weights in two models of a pipeline.
        QCOMPARE(shortNames(names + names), shorter + shorter);
        // Each function's own are told apart by their places in it.
        QStringList both = names, groups;
        for (const QString &name : names)
            both += name + QStringLiteral("_palettized");
        for (qsizetype i = 0; i < both.size(); ++i)
            groups += i < names.size() ? QStringLiteral("first") : QStringLiteral("second");
        QCOMPARE(shortNames(both, groups).mid(0, names.size()), shorter);
        QCOMPARE(shortNames(both, groups)[names.size()], shorter[0]);
        // What follows a shared end goes with it, unless two became the same by that.
        const QStringList forms =
            shortNames({QStringLiteral("enc_0_weight_to_fp16_quantized"),
                        QStringLiteral("enc_6_weight_to_fp16_sparsified"),
                        QStringLiteral("enc_0_bias_to_fp16"), QStringLiteral("enc_6_bias_to_fp16"),
                        QStringLiteral("dec_bias_to_fp16"), QStringLiteral("concat_0"),
                        QStringLiteral("concat_1_quantized"), QStringLiteral("concat_2_quantized"),
                        QStringLiteral("enc_6_weight_to_fp16_mask")});
        QCOMPARE(forms[0], QStringLiteral("\u20260_weight\u2026"));
        QVERIFY2(forms[1].endsWith(QLatin1String("sparsified")), qPrintable(forms[1]));
        QCOMPARE(forms[2], QStringLiteral("\u20260_bias\u2026"));
        // Less of the beginning where that lets the end go.
        QCOMPARE(forms[6], QStringLiteral("concat_1\u2026"));
        QCOMPARE(QSet<QString>(forms.begin(), forms.end()).size(), forms.size());
        // Words within a word: what tells the rows apart stands first.
        QStringList gates;
        for (const char *gate : {"inputGate", "forgetGate", "blockInput", "outputGate"}) {
            for (const char *part : {"WeightMatrix", "RecursionMatrix", "BiasVector"})
                gates += QStringLiteral("memory.%1%2")
                             .arg(QString::fromLatin1(gate), QString::fromLatin1(part));
        }
        const QStringList gateNames = shortNames(gates);
        QCOMPARE(QSet<QString>(gateNames.begin(), gateNames.end()).size(), gates.size());
        QVERIFY2(gateNames[1].startsWith(QStringLiteral("\u2026inputGateRecursion")),
                 qPrintable(gateNames[1]));
        // Never two the same, and never nothing.
        const QStringList equal =
            shortNames({QStringLiteral("a_b"), QStringLiteral("a_b"), QStringLiteral("a_b")});
        QCOMPARE(equal[0], QStringLiteral("a_b"));
        QVERIFY(shortNames({}).isEmpty());
    }

    /// A table's names are shortened when a view first asks, and anew when the rows are others.
    void shortNamesOfTables()
    {
        QStringList names{QStringLiteral("enc_0_weight"), QStringLiteral("enc_1_weight"),
                          QStringLiteral("enc_2_weight")};
        int asked = 0;
        const auto nameOf = [&](std::size_t row) {
            ++asked;
            return names[static_cast<qsizetype>(row)];
        };
        ShortNameCache cache;
        QCOMPARE(cache.of(1, 3, nameOf), shortNames(names)[1]);
        QCOMPARE(cache.of(2, 3, nameOf), shortNames(names)[2]);
        QVERIFY(shortNames(names)[2] != names[2]);
        QCOMPARE(asked, 3);
        names[1] = QStringLiteral("enc_7_weight");
        cache.clear();
        QVERIFY(cache.of(1, 3, nameOf).contains(u'7'));
        QVERIFY(cache.of(3, 3, nameOf).isEmpty());
        asked = 0;
        QVERIFY(cache.of(0, ShortNameCache::kMostRows + 1, nameOf).isEmpty());
        QCOMPARE(asked, 0);
    }

    void iconsAreDrawn()
    {
        QVERIFY(svgPath(QStringLiteral("M3 4l5-5a2 2 0 0 1 4 0H9v3z")));
        QVERIFY(!svgPath(QStringLiteral("M3 4Q5 5 6 6")));
        QVERIFY(!svgPath(QStringLiteral("M3 four")));
        const QStringList files = QDir(QStringLiteral(":/icons/actions")).entryList();
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
        QVERIFY(lineIcon(QStringLiteral("no such")).isNull());
    }

    void overviewShowsTheBytes()
    {
        Session session;
        OverviewDock dock(session);
        QVERIFY(showDock(dock));
        QVERIFY(!dock.showsContent());
        session.setBundle(openSample("sample-sparse.mlmodelc"));
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
        Session session;
        OverviewDock dock(session);
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(dock));
        const auto legendSays = [&dock](const char *words) {
            const auto labels = dock.findChildren<QLabel *>();
            return std::any_of(labels.begin(), labels.end(), [words](const QLabel *label) {
                return label->isVisible() && label->text().contains(QString::fromLatin1(words));
            });
        };
        QSignalSpy wanted(&dock, &OverviewDock::baseWanted);
        dock.setColors(OverviewDock::Colors::Error);
        QCOMPARE(wanted.count(), 1);
        QVERIFY(legendSays("Open a build to measure against"));
        for (const auto &cell : dock.treemap().cells())
            QVERIFY(cell.hatched);
        session.setOther(openSample("sample-dense.mlmodelc"));
        QVERIFY(settle(dock));
        QTRY_VERIFY(legendSays("against sample-dense.mlmodelc"));
        bool same = false, off = false;
        for (std::size_t i = 0; i < dock.treemap().cells().size(); ++i) {
            const auto &cell = dock.treemap().cells()[i];
            const auto &words = dock.treemap().wordsOf(i);
            QVERIFY2(!cell.hatched, qPrintable(words.name));
            QVERIFY(theme::contrast(cell.color, cell.ink) >= 4.5);
            const bool exact = words.note.contains(QStringLiteral("same values"));
            same |= exact;
            off |= !exact;
            QCOMPARE(exact, cell.color == theme::sequential(0));
        }
        QVERIFY(same && off); // biases are as they were, palettes are not
        session.setOther(nullptr);
        QTRY_VERIFY(legendSays("Open a build to measure against"));
        QCOMPARE(wanted.count(), 1); // nobody asked again
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
        map.setEmptyText(QStringLiteral("No weight is stored here."));
        QVERIFY(map.grab().toImage() != blank);
        map.setCells({{4, Qt::white, Qt::black, 0, false, false}});
        QCOMPARE(map.grab().toImage().pixelColor(150, 150), QColor(Qt::white));
    }

    void findingsAreFound()
    {
        const BundlePtr bundle = openSample("sample-sparse.mlmodelc");
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

    /// A report of a fault that others contradict is a line of its own, unfolded by a click, and
    /// not counted.
    void disputedFaultsAreQuiet()
    {
        MadeBundle made;
        made.line("tensor<fp16, [2, 2]> w = constexpr_affine_dequantize()[axis = int32(0), name = "
                  "string(\"w\"), quantized_data = tensor<int8, [2, 2]>([1, 3, 4, 5]), scale = "
                  "fp16(0x1p0), zero_point = int8(0)]");
        made.consume("w");
        const auto opened = Bundle::open("a.mlmodelc", made.options());
        QVERIFY(opened);
        const auto known = knownFaultFindings(**opened);
        QVERIFY(!known.empty());
        for (const Finding &finding : known)
            QVERIFY(finding.kind == Finding::Kind::DisputedFault);
        Session session;
        OverviewDock dock(session);
        session.setBundle(*opened);
        QVERIFY(showDock(dock, 900, 700));
        QVERIFY(settle(dock));
        const QString effect = QStringLiteral("zero point of 0");
        QVERIFY2(dock.findings().text().contains(QStringLiteral("disputed")),
                 qPrintable(dock.findings().text()));
        QVERIFY(!dock.findings().text().contains(effect));
        Q_EMIT dock.findings().linkActivated(QStringLiteral("disputed:"));
        QVERIFY(dock.findings().text().contains(effect));
        Q_EMIT dock.findings().linkActivated(QStringLiteral("disputed:"));
        QVERIFY(!dock.findings().text().contains(effect));
    }

    void inspectorFitsTheForm_data()
    {
        QTest::addColumn<QByteArray>("sample");
        QTest::addColumn<int>("role");
        QTest::newRow("sparse") << QByteArray("sample-sparse.mlmodelc")
                                << int(codec::PartRole::Mask);
        QTest::newRow("palette") << QByteArray("sample-palette.mlmodelc")
                                 << int(codec::PartRole::Lut);
        QTest::newRow("dense") << QByteArray("sample-dense.mlmodelc") << int(codec::PartRole::Data);
    }

    void inspectorFitsTheForm()
    {
        QFETCH(QByteArray, sample);
        QFETCH(int, role);
        Session session;
        InspectorDock dock(session);
        session.setBundle(openSample(sample.toStdString()));
        QVERIFY(showDock(dock, 400, 1200));
        QVERIFY(dock.showsContent());
        QVERIFY(!dock.statistics().isVisible()); // the bundle, no weight yet
        const std::size_t weight =
            weightWith(*session.bundle(), static_cast<codec::PartRole>(role));
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
        Session session;
        OverviewDock dock(session);
        session.setBundle(openSample("sample-sparse.mlmodelc"));
        QVERIFY(showDock(dock, 900, 700));
        TreemapView::Words cell;
        cell.name = QStringLiteral("encoder_layers_0_weight_to_fp16");
        cell.shortName = QStringLiteral("\u20260_weight\u2026");
        const QFontMetrics metrics(dock.font());
        const int whole = metrics.horizontalAdvance(cell.name);
        QCOMPARE(TreemapView::nameIn(cell, metrics, whole + 1), cell.name);
        QCOMPARE(TreemapView::nameIn(cell, metrics, whole - 2), cell.shortName);
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
            const QString name = QStringLiteral("w%1").arg(cell.key);
            return TreemapView::Words{name, {}, {}, QStringLiteral("tip of ") + name};
        });
        QCOMPARE(asked, std::size_t{0});
        map.grab();
        QCOMPARE(asked, std::size_t{1}); // the large one
        map.grab();
        QCOMPARE(map.wordsMade(), std::size_t{1});
        QHelpEvent help(QEvent::ToolTip, map.rectOf(1500).center().toPoint(), QPoint(10, 10));
        QCoreApplication::sendEvent(&map, &help);
        QVERIFY2(QToolTip::text().startsWith(QStringLiteral("tip of w")),
                 qPrintable(QToolTip::text()));
        QCOMPARE(asked, std::size_t{2});
        map.setCurrentKey(7);
        QCOMPARE(map.accessibleDescription(), QStringLiteral("tip of w7"));
        QCOMPARE(asked, std::size_t{3});
    }

    /// The overview predicts the engine's time on the chip that the docks judge by.
    void predictedTime()
    {
        Session session;
        OverviewDock dock(session);
        session.setBundle(openSample("sample-sparse.mlmodelc"));
        QVERIFY(showDock(dock, 900, 700));
        const QString chip = chipName(ChipState::of(session).target());
        QVERIFY2(dock.time().text().contains(QStringLiteral("s\non %1").arg(chip)),
                 qPrintable(dock.time().text()));
        // Another chip, another figure or none: never that of the one before.
        const QString before = dock.time().text();
        for (const target::Target &other : target::targets()) {
            if (other.name == "H15") {
                ChipState::of(session).setTarget(other);
                break;
            }
        }
        QTRY_VERIFY(dock.time().text() != before);
    }

    /// What the author says of the model stands behind the facts, as text.
    void aboutTheModel()
    {
        const auto sample = openSample("sample-sparse.mlmodelc");
        QVERIFY(sample);
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
        const auto bundle = Bundle::open("about.mlmodelc", options);
        QVERIFY(bundle);
        Session session;
        OverviewDock dock(session);
        session.setBundle(*bundle);
        QVERIFY(showDock(dock, 900, 700));
        QString facts, tip;
        for (const ElidedLabel *label : dock.findChildren<ElidedLabel *>()) {
            if (label->wholeText().startsWith(QStringLiteral("mlmodelc")))
                std::tie(facts, tip) = std::pair(label->wholeText(), label->toolTip());
        }
        QCOMPARE(tip, facts); // the window shows it as it stands (showLabelsPlain)
        QVERIFY2(facts.endsWith(QStringLiteral("finds <b>speech</b> in noise \u00B7 by A. Person")),
                 qPrintable(facts));
    }

    /// Weights whose bytes are cut off: the time of their layers is not known, which is not for
    /// want of ceilings, and sums say that they are the least.
    void damagedWeightsAreTold()
    {
        OpenOptions options;
        for (sample::SampleBundle &bundle : sample::bundles()) {
            if (bundle.name == "sample-palette.mlmodelc")
                options.memory = std::move(bundle.files);
        }
        for (auto &[path, bytes] : options.memory) {
            if (path.ends_with("weight.bin"))
                bytes.resize(bytes.size() / 4);
        }
        const auto opened = Bundle::open("cut.mlmodelc", options);
        QVERIFY(opened);
        const auto &weights = (*opened)->weights();
        QVERIFY(std::any_of(weights.begin(), weights.end(),
                            [](const Weight &weight) { return static_cast<bool>(weight.fault); }));
        Session session;
        OverviewDock dock(session);
        session.setBundle(*opened);
        QVERIFY(showDock(dock, 900, 700));
        QVERIFY(settle(dock));
        const QString time = dock.time().text();
        QVERIFY2(time.contains(QStringLiteral("layers is not known")), qPrintable(time));
        QVERIFY(!time.contains(QStringLiteral("ceilings")));
        const auto labels = dock.findChildren<QLabel *>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
            return label->text().contains(QStringLiteral("\u00B7 \u2265 "));
        }));
    }

    /// A program whose weights are cut off: how much they take is not known, which is not nothing.
    void bytesThatAreMissingAreNotNone()
    {
        OpenOptions options;
        for (sample::SampleBundle &bundle : sample::bundles()) {
            if (bundle.name == "sample-dense.mlmodelc")
                options.memory = std::move(bundle.files);
        }
        for (auto &[path, bytes] : options.memory) {
            if (path.ends_with("weight.bin"))
                bytes.clear();
        }
        const auto opened = Bundle::open("bare.mlmodelc", options);
        QVERIFY(opened);
        QVERIFY(!(*opened)->weights().empty());
        Session session;
        OverviewDock dock(session);
        session.setBundle(*opened);
        QVERIFY(showDock(dock, 900, 700));
        QVERIFY(settle(dock));
        const QString said = dock.findChild<TreemapView *>()->emptyText();
        QVERIFY2(said.contains(QStringLiteral("not known")), qPrintable(said));
    }

    /// As every plot: a picture as it is drawn, finer than the screen, or a page.
    void treemapIsExported()
    {
        Session session;
        OverviewDock dock(session);
        session.setBundle(openSample("sample-sparse.mlmodelc"));
        QVERIFY(showDock(dock, 900, 700));
        TreemapView &map = dock.treemap();
        const QTemporaryDir folder;
        const QString png = folder.filePath(QStringLiteral("map.png"));
        QCOMPARE(exportWidgetPicture(map, png), QString());
        const QImage image(png);
        QCOMPARE(image.size(), map.size() * 2);
        const QRectF largest = map.rectOf(0);
        const QPointF corner = largest.bottomRight() - QPointF(6, 6);
        QCOMPARE(image.pixelColor((corner * 2).toPoint()), map.cells()[0].color);
        const QString pdf = folder.filePath(QStringLiteral("map.pdf"));
        QCOMPARE(exportWidgetPicture(map, pdf), QString());
        QFile page(pdf);
        QVERIFY(page.open(QIODevice::ReadOnly));
        QVERIFY(page.readAll().startsWith("%PDF"));
        QVERIFY(
            !exportWidgetPicture(map, folder.filePath(QStringLiteral("none/map.png"))).isEmpty());
        // The context menu holds what the menu does.
        QCOMPARE(map.contextMenuPolicy(), Qt::ActionsContextMenu);
        QCOMPARE(map.actions(), dock.menuActions());
    }
};

KERNSCOPE_TEST(TestOverview, QApplication)
#include "tst_overview.moc"
