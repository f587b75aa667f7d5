// SPDX-License-Identifier: GPL-3.0-or-later
// What the cards, the names and the legend of the overview say, of sound and of damaged bundles.
#include "core/base/overlaid_file.h"
#include "tests/test_program.h"
#include "tests/widgets/sample_session.h"
#include "widgets/chips/chip_state.h"
#include "widgets/chips/chip_words.h"
#include "widgets/common/elided_label.h"
#include "widgets/common/table_text.h"
#include "widgets/overview/overview_dock.h"
#include "widgets/overview/time_card.h"
#include "widgets/overview/treemap_view.h"

#include <QFile>
#include <QHelpEvent>
#include <QImage>
#include <QLabel>
#include <QTemporaryDir>
#include <QToolTip>

#include <algorithm>

using namespace kernscope;
using namespace kernscope::ui;
using namespace kernscope::test;

class TestOverviewCards : public QObject
{
    Q_OBJECT

private Q_SLOTS:
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

KERNSCOPE_TEST(TestOverviewCards, QApplication)
#include "tst_overview_cards.moc"
