// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_palette.h"
#include "app/status_line.h"
#include "app/texts.h"
#include "app/welcome_page.h"
#include "main_window_fixture.h"
#include "widgets/common/design.h"
#include "widgets/common/help_dock.h"
#include "widgets/models/theme.h"

#include "widgets/compare/builds_dock.h"
#include "widgets/overview/overview_dock.h"
#include "widgets/overview/treemap_view.h"

using app::Layout;

/// What opens, and the workspaces.
class TestMainWindow : public MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }

    void opensTheSample()
    {
        QVERIFY(m_window->open({}));
        QVERIFY(document().inMemory());
        QCOMPARE(notices().texts().size(), 1);
        QVERIFY(m_window->settings().recent().isEmpty());
        QAction *compare = VERIFIED(action(u"Dense with Sparse"_s));
        compare->trigger();
        QVERIFY(m_window->settle());
        QCOMPARE(layouts().current(), Layout::Compare);
        QVERIFY(session().other());
    }

    void opensOne()
    {
        const QString path = sample(u"sparse"_s);
        QVERIFY(m_window->open({path}));
        QCOMPARE(document().path(), path);
        QCOMPARE(layouts().current(), Layout::Inspect);
        QVERIFY((*m_window)->windowTitle().contains(u"sample-sparse.mlmodelc"_s));
        QVERIFY(!(*m_window)->isWindowModified());
        QVERIFY(notices().texts().isEmpty());
    }

    void opensTwoInCompare()
    {
        const QString a = sample(u"dense"_s);
        const QString b = sample(u"sparse"_s);
        QVERIFY(m_window->open({a}));
        QVERIFY(!action(u"Stop Comparing"_s)->isEnabled());
        QVERIFY(m_window->open({a, b}));
        QVERIFY(action(u"Stop Comparing"_s)->isEnabled());
        QCOMPARE(layouts().current(), Layout::Compare);
        QVERIFY(session().other());
        QVERIFY(dock(u"compare"_s)->isVisible());
        QVERIFY(dock(u"compare"_s)->showsContent());
    }

    void opensDroppedPaths_data()
    {
        QTest::addColumn<int>("count");
        addRow("one", 1);
        addRow("two", 2);
        addRow("three: the third is a build beside the pair", 3);
    }

    void opensDroppedPaths()
    {
        QFETCH(int, count);
        QStringList paths{sample(u"dense"_s), sample(u"palette"_s), sample(u"sparse"_s)};
        paths.resize(count);
        drop(paths);
        QVERIFY(m_window->settle());
        QCOMPARE(document().path(), paths.first());
        QCOMPARE(session().other() != nullptr, count >= 2);
        const auto *builds = qobject_cast<ui::BuildsDock *>(dock(u"builds"_s));
        QTRY_COMPARE(int(builds->added().size()), count - std::min(count, 2));
        // On an empty comparison one is its other side.
        layouts().show(Layout::Compare);
        if (count == 1)
            drop({sample(u"palette"_s)});
        QVERIFY(m_window->settle());
        QVERIFY(session().other() && document().path() == paths.first());
    }

    /// Patch has no overview: what is chosen there is a weight, which is also shown, in Inspect
    /// too.
    void patchChoosesAWeight()
    {
        (*m_window)->showLayout(Layout::Patch);
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        QVERIFY(dock(u"weight"_s)->showsContent());
        QCOMPARE(session().place().weight, std::size_t{0});
        (*m_window)->showLayout(Layout::Inspect);
        QVERIFY(m_window->settle());
        QVERIFY(!dock(u"weight"_s)->visibleRegion().isEmpty());
    }

    /// A bundle that is opened in Inspect shows its overview, not an unchosen weight.
    void overviewComesFirst()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        session().goToWeight(0);
        QVERIFY(m_window->open({sample(u"palette"_s)}));
        QVERIFY(!dock(u"overview"_s)->visibleRegion().isEmpty());
    }

    /// The first click of a double click brings the weight to the front: the second one, which is
    /// over its values then, chooses none of them.
    void doubleClickChoosesNoValue()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        auto *map = &qobject_cast<ui::OverviewDock *>(dock(u"overview"_s))->treemap();
        QVERIFY(m_window->settle());
        QVERIFY(!map->visibleRegion().isEmpty());
        const QPoint middle = map->rect().center() + QPoint(20, 20);
        const QPoint at = map->mapTo(&**m_window, middle);
        QWindow *window = (*m_window)->windowHandle();
        QTest::mouseClick(map, Qt::LeftButton, {}, middle);
        QTRY_VERIFY(!dock(u"weight"_s)->visibleRegion().isEmpty());
        const auto chosen = session().place();
        QVERIFY(chosen.weight != kNoIndex && !chosen.element);
        QTest::mouseClick(window, Qt::LeftButton, {}, at);
        QVERIFY(m_window->settle());
        QCOMPARE(session().place(), chosen);
        QTest::qWait(QApplication::doubleClickInterval() + 100);
        QTest::mouseClick(window, Qt::LeftButton, {}, at);
        QTRY_VERIFY(session().place().element);
    }

    /// Qt's own dialogs cut no sizes and dates, whatever they ask for.
    void fileDialogsShowWholeColumns()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        for (const QString &text :
             {u"Save As\u2026"_s, u"Open Session\u2026"_s, u"Apply Patch File\u2026"_s}) {
            VERIFIED(action(text))->trigger();
            auto *dialog = VERIFIED((*m_window)->findChild<QFileDialog *>());
            QVERIFY2(dialog->findChild<QTreeView *>(u"treeView"_s)->isColumnHidden(2),
                     qPrintable(text));
            delete dialog;
        }
    }

    /// Files that are dropped on a box for text, docked or floating, open: they are no text for it.
    void textFieldsTakeNoFiles()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        const QStringList paths{sample(u"sparse"_s), sample(u"palette"_s)};
        auto *dock = this->dock(u"bundle"_s);
        auto *filter = dock->findChild<QLineEdit *>();
        for (const bool floating : {false, true}) {
            dock->setFloating(floating);
            const QString path = paths[floating ? 1 : 0];
            drop({path}, *filter);
            QVERIFY(m_window->settle());
            QCOMPARE(document().path(), path);
            QCOMPARE(filter->text(), QString());
        }
    }

    void saysWhyItDidNotOpen()
    {
        const QString path = sample(u"dense"_s);
        QVERIFY(m_window->open({path}));
        const QString missing = m_folder->filePath(u"missing.mlmodelc"_s);
        (*m_window)->openPaths({missing});
        QVERIFY(m_window->settle());
        QCOMPARE(document().path(), path); // nothing is lost
        QCOMPARE(notices().texts().size(), 1);
        const QString why = notices().texts().first();
        QVERIFY(why.contains(missing));
        // Once each: the file, that it could not be opened, and why.
        QCOMPARE(why.count(QFileInfo(missing).fileName()), 1);
        QCOMPARE(why.count(u"opened"_s), 1);
        QVERIFY2(!why.contains(u"cannot"_s), qPrintable(why));
    }

    /// The title bar and the frame that the desktop puts around have room on the screen as well.
    void fitsTheScreenWithItsFrame()
    {
        const QSize wanted = (*m_window)->sizeHint(),
                    screen = (*m_window)->screen()->availableSize();
        QVERIFY2(wanted.height() >= 900 || wanted.height() <= screen.height() - 30,
                 qPrintable(u"%1 of %2"_s.arg(wanted.height()).arg(screen.height())));
        QVERIFY(wanted.width() < screen.width());
    }

    void remembersRecent()
    {
        const QString a = sample(u"dense"_s);
        const QString b = sample(u"sparse"_s);
        QVERIFY(m_window->open({a}));
        QVERIFY(m_window->open({a, b}));
        QCOMPARE(m_window->settings().recent().size(), 2);
        QCOMPARE(m_window->settings().recent()[0].other, b);
        m_window->restart();
        // With the folder: bundles of one name are told apart.
        QAction *recent = action(app::recentText({a, {}}));
        QVERIFY(recent->text().contains(QFileInfo(m_folder->path()).fileName()));
        QVERIFY(recent);
        recent->trigger();
        QVERIFY(m_window->settle());
        QCOMPARE(document().path(), a);
    }

    void showsWelcomeWithoutBundle()
    {
        auto *welcome = (*m_window)->findChild<app::WelcomePage *>();
        QVERIFY(welcome->isVisible());
        const auto ways = welcome->findChildren<QCommandLinkButton *>();
        QCOMPARE(ways.size(), 3);
        for (const QCommandLinkButton *way :
             ways) // a picture of the window's family, in its colours
            QCOMPARE(way->icon().pixmap(16).toImage(),
                     ui::lineIcon(u"forward"_s).pixmap(16).toImage());
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        QVERIFY(!welcome->isVisible());
        action(u"Close Bundle"_s)->trigger();
        QVERIFY(welcome->isVisible());
        QCOMPARE((*m_window)->statusLine().message(), QString()); // not that it was opened
        // What was open before is a link in the colour of the theme in force, not of an earlier
        // one.
        for (const bool dark : {true, false}) {
            ui::theme::apply(dark);
            int links = 0;
            for (auto *link : welcome->findChildren<QPushButton *>()) {
                if (!link->isFlat())
                    continue;
                ++links;
                const QImage image = link->grab().toImage();
                const QColor wanted = ui::theme::palette(dark).color(QPalette::Link);
                int nearest = 1000;
                for (int x = 0; x < image.width(); ++x) {
                    for (int y = 0; y < image.height(); ++y) {
                        const QColor ink = image.pixelColor(x, y);
                        nearest = std::min(nearest, std::abs(ink.red() - wanted.red()) +
                                                        std::abs(ink.green() - wanted.green()) +
                                                        std::abs(ink.blue() - wanted.blue()));
                    }
                }
                // Thin letters hardly reach their colour; that of the other theme is twice as far.
                QVERIFY2(nearest < 120, qPrintable(QString::number(nearest)));
            }
            QCOMPARE(links, 1);
        }
        QVERIFY(!action(u"Close Bundle"_s)->isEnabled());
        QVERIFY(!(*m_window)->windowTitle().contains(u"sample"_s));
    }

    void layoutsShowTheirDocks()
    {
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        QVERIFY(activate());
        for (const auto &[key, ids] : std::initializer_list<std::pair<Qt::Key, const char *>>{
                 {Qt::Key_2, "compare"},
                 {Qt::Key_1, "bundle overview inspector hex"},
                 {Qt::Key_3, "bundle weight inspector patches"},
                 {Qt::Key_4, "bundle stream roofline"},
                 {Qt::Key_5, "bundle tasks hex"}}) {
            press(key, Qt::ControlModifier);
            QVERIFY(m_window->settle());
            for (const QString &id : QString::fromLatin1(ids).split(QLatin1Char(' '))) {
                const ui::Dock *dock = this->dock(id);
                QVERIFY2(dock, qPrintable(id));
                QVERIFY2(dock->isVisible() && !dock->visibleRegion().isEmpty(), qPrintable(id));
                QVERIFY2(dock->width() > 100 && dock->height() > 60, qPrintable(id));
            }
            QVERIFY(!docks().help()->isVisible());
        }
    }

    void containersHaveTheirLayout()
    {
        const QString container = writeHardware();
        const QString dense = sample(u"dense"_s);
        QVERIFY(m_window->open({container}));
        QCOMPARE(layouts().current(), Layout::Hardware);
        QVERIFY(dock(u"tasks"_s)->isVisible());
        QVERIFY(m_window->open({dense}));
        QCOMPARE(layouts().current(), Layout::Inspect);
        // Chosen by hand: it stays, and the next start remembers it for containers.
        QVERIFY(m_window->open({container}));
        action(u"Patch"_s)->trigger();
        QCOMPARE(layouts().current(), Layout::Patch);
        QVERIFY(m_window->open({container}));
        QCOMPARE(layouts().current(), Layout::Patch);
        m_window->restart();
        QVERIFY(m_window->open({container}));
        QCOMPARE(layouts().current(), Layout::Patch);
        action(u"Hardware"_s)->trigger();
        QCOMPARE(layouts().current(), Layout::Hardware);
        m_window->restart();
        QVERIFY(m_window->open({container}));
        QCOMPARE(layouts().current(), Layout::Hardware);
    }

    void layoutIsRestored()
    {
        const QString path = sample(u"sparse"_s);
        QVERIFY(m_window->open({path}));
        dock(u"inspector"_s)->hide();
        layouts().show(Layout::Patch);
        QVERIFY(dock(u"inspector"_s)->isVisible());
        layouts().show(Layout::Inspect);
        QVERIFY(!dock(u"inspector"_s)->isVisible());
        m_window->restart();
        QVERIFY(m_window->open({path}));
        QVERIFY(!dock(u"inspector"_s)->isVisible());
        QVERIFY(dock(u"hex"_s)->isVisible());
    }

    void resetsLayout()
    {
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        const int width = dock(u"bundle"_s)->width();
        for (const auto &entry : docks().entries())
            entry.dock->hide();
        action(u"Reset Layout"_s)->trigger();
        QVERIFY(m_window->settle());
        for (const char *id : {"bundle", "overview", "inspector", "hex"})
            QVERIFY2(dock(QString::fromLatin1(id))->isVisible(), id);
        const ui::Dock *bundle = dock(u"bundle"_s);
        QTRY_VERIFY2(std::abs(bundle->width() - width) < 40,
                     qPrintable(u"%1 %2"_s.arg(width).arg(bundle->width())));
    }

private:
    void drop(const QStringList &paths) { drop(paths, **m_window); }

    static void drop(const QStringList &paths, QWidget &target)
    {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString &path : paths)
            urls << QUrl::fromLocalFile(path);
        data.setUrls(urls);
        // As a file manager has it: the paths as text, too.
        data.setText(paths.join(QLatin1Char('\n')));
        const QPoint middle = target.rect().center();
        QDragEnterEvent enter(middle, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton,
                              Qt::ShiftModifier);
        QCoreApplication::sendEvent(&target, &enter);
        if (!enter.isAccepted())
            return;
        QCOMPARE(enter.dropAction(), Qt::CopyAction); // a file manager moves them not
        QDropEvent dropped(QPointF(middle), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&target, &dropped);
    }
};

KERNSCOPE_TEST(TestMainWindow, QApplication)
#include "tst_main_window.moc"
