// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/go_to_box.h"
#include "app/palette_list.h"
#include "app/status_line.h"
#include "app/welcome_page.h"
#include "synthetic.h"
#include "widgets/common/help_dock.h"
#include "window_fixture.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAction>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QDropEvent>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QUndoStack>

#include <vector>

using namespace kernscope;
using app::Layout;
using test::bytesOf;

class TestMainWindow : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void opensTheSample();
    void opensOne();
    void opensTwoInCompare();
    void opensDroppedPaths_data();
    void opensDroppedPaths();
    void ignoresOtherDrops();
    void saysWhyItDidNotOpen();
    void remembersRecent();
    void showsWelcomeWithoutBundle();
    void layoutsShowTheirDocks_data();
    void layoutsShowTheirDocks();
    void containersHaveTheirLayout();
    void layoutIsRestored();
    void resetsLayout();
    void everyDockByShortcut();
    void everyActionInAMenu();
    void shortcutsAreUnique();
    void menusHaveLettersOfTheirOwn();
    void goesToTypedPlaces();
    void backAndForward();
    void paletteFindsEverything();
    void linksOpenTheirPlace();
    void stepsThroughWeights();
    void helpOfTheFocusedDock();
    void everyDockHasHelp();
    void locksAndUnlocks();
    void titleShowsChanges();
    void asksBeforeClosing_data();
    void asksBeforeClosing();
    void saveShowsWhatItWrites();
    void namesForScreenReaders();
    void themes();
    void statusLineKeepsItsPlace();

private:
    void patch(double value = 0.123);
    QAction *action(const QString &text) const;
    void drop(const QStringList &paths);

    std::unique_ptr<test::TestWindow> m_window;
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestMainWindow::init()
{
    m_window.reset();
    m_folder = std::make_unique<QTemporaryDir>();
    m_window = std::make_unique<test::TestWindow>();
    QVERIFY(QTest::qWaitForWindowExposed(&**m_window));
}

/// Changes the first stored element of the first weight.
void TestMainWindow::patch(double value)
{
    auto &session = (*m_window)->session();
    session.setPatchingEnabled(true);
    const auto element = test::storedElement(*session.bundle(), 0);
    session.requestEdits({test::setEdit(*session.bundle(), 0, element, value)}, {});
}

QAction *TestMainWindow::action(const QString &text) const
{
    for (QAction *found : (*m_window)->findChildren<QAction *>()) {
        if (found->text().remove(QLatin1Char('&')) == text)
            return found;
    }
    return nullptr;
}

void TestMainWindow::drop(const QStringList &paths)
{
    QMimeData data;
    QList<QUrl> urls;
    for (const QString &path : paths)
        urls << QUrl::fromLocalFile(path);
    data.setUrls(urls);
    const QPoint middle = (*m_window)->rect().center();
    QDragEnterEvent enter(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&**m_window, &enter);
    if (!enter.isAccepted())
        return;
    QDropEvent dropped(QPointF(middle), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&**m_window, &dropped);
}

void TestMainWindow::opensTheSample()
{
    QVERIFY(m_window->open({}));
    QVERIFY((*m_window)->document().inMemory());
    QCOMPARE((*m_window)->notices().texts().size(), 1);
    QVERIFY(m_window->settings().recent().isEmpty());
    QAction *compare = action(QStringLiteral("Sample: Dense with Sparse"));
    QVERIFY(compare);
    compare->trigger();
    QVERIFY(m_window->settle());
    QCOMPARE((*m_window)->layouts().current(), Layout::Compare);
    QVERIFY((*m_window)->session().other());
}

void TestMainWindow::opensOne()
{
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("sparse"));
    QVERIFY(m_window->open({path}));
    QCOMPARE((*m_window)->document().path(), path);
    QCOMPARE((*m_window)->layouts().current(), Layout::Inspect);
    QVERIFY((*m_window)->windowTitle().contains(QStringLiteral("sample-sparse.mlmodelc")));
    QVERIFY(!(*m_window)->isWindowModified());
    QVERIFY((*m_window)->notices().texts().isEmpty());
}

void TestMainWindow::opensTwoInCompare()
{
    const QString a = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    const QString b = test::writeSample(m_folder->path(), QStringLiteral("sparse"));
    QVERIFY(m_window->open({a, b}));
    QCOMPARE((*m_window)->layouts().current(), Layout::Compare);
    QVERIFY((*m_window)->session().other());
    QVERIFY((*m_window)->docks().dock(QStringLiteral("compare"))->isVisible());
    QVERIFY((*m_window)->docks().dock(QStringLiteral("compare"))->showsContent());
}

void TestMainWindow::opensDroppedPaths_data()
{
    QTest::addColumn<int>("count");
    QTest::newRow("one") << 1;
    QTest::newRow("two") << 2;
}

void TestMainWindow::opensDroppedPaths()
{
    QFETCH(int, count);
    QStringList paths{test::writeSample(m_folder->path(), QStringLiteral("dense")),
                      test::writeSample(m_folder->path(), QStringLiteral("palette"))};
    paths.resize(count);
    drop(paths);
    QVERIFY(m_window->settle());
    QCOMPARE((*m_window)->document().path(), paths.first());
    QCOMPARE((*m_window)->session().other() != nullptr, count == 2);
}

void TestMainWindow::ignoresOtherDrops()
{
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    drop({path, path, path});
    QVERIFY(m_window->settle());
    QVERIFY(!(*m_window)->document().isOpen());
}

void TestMainWindow::saysWhyItDidNotOpen()
{
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    QVERIFY(m_window->open({path}));
    const QString missing = m_folder->filePath(QStringLiteral("missing.mlmodelc"));
    (*m_window)->openPaths({missing});
    QVERIFY(m_window->settle());
    QCOMPARE((*m_window)->document().path(), path); // nothing is lost
    QCOMPARE((*m_window)->notices().texts().size(), 1);
    QVERIFY((*m_window)->notices().texts().first().contains(missing));
}

void TestMainWindow::remembersRecent()
{
    const QString a = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    const QString b = test::writeSample(m_folder->path(), QStringLiteral("sparse"));
    QVERIFY(m_window->open({a}));
    QVERIFY(m_window->open({a, b}));
    QCOMPARE(m_window->settings().recent().size(), 2);
    QCOMPARE(m_window->settings().recent()[0].other, b);
    m_window->restart();
    QAction *recent = action(QStringLiteral("sample-dense.mlmodelc"));
    QVERIFY(recent);
    recent->trigger();
    QVERIFY(m_window->settle());
    QCOMPARE((*m_window)->document().path(), a);
}

void TestMainWindow::showsWelcomeWithoutBundle()
{
    auto *welcome = (*m_window)->findChild<app::WelcomePage *>();
    QVERIFY(welcome->isVisible());
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    QVERIFY(!welcome->isVisible());
    action(QStringLiteral("Close Bundle"))->trigger();
    QVERIFY(welcome->isVisible());
    QVERIFY(!action(QStringLiteral("Close Bundle"))->isEnabled());
    QVERIFY(!(*m_window)->windowTitle().contains(QStringLiteral("sample")));
}

void TestMainWindow::layoutsShowTheirDocks_data()
{
    const auto ids = [](const char *names) {
        return QString::fromLatin1(names).split(QLatin1Char(' '));
    };
    QTest::addColumn<int>("key");
    QTest::addColumn<QStringList>("docks");
    QTest::newRow("inspect") << int(Qt::Key_1) << ids("bundle overview inspector hex");
    QTest::newRow("compare") << int(Qt::Key_2) << ids("compare");
    QTest::newRow("patch") << int(Qt::Key_3) << ids("bundle weight inspector patches");
    QTest::newRow("performance") << int(Qt::Key_4) << ids("bundle stream roofline");
    QTest::newRow("hardware") << int(Qt::Key_5) << ids("bundle tasks hex");
}

void TestMainWindow::layoutsShowTheirDocks()
{
    QFETCH(int, key);
    QFETCH(QStringList, docks);
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("sparse"))}));
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    QTest::keyClick(&**m_window, static_cast<Qt::Key>(key), Qt::ControlModifier);
    QVERIFY(m_window->settle());
    for (const QString &id : docks) {
        const ui::Dock *dock = (*m_window)->docks().dock(id);
        QVERIFY2(dock, qPrintable(id));
        QVERIFY2(dock->isVisible() && !dock->visibleRegion().isEmpty(), qPrintable(id));
        QVERIFY2(dock->width() > 100 && dock->height() > 60, qPrintable(id));
    }
    QVERIFY(!(*m_window)->docks().help()->isVisible());
}

void TestMainWindow::containersHaveTheirLayout()
{
    const auto write = [this](const QString &name) {
        const test::Bytes bytes = test::syntheticH13();
        QFile file(m_folder->filePath(name));
        if (file.open(QIODevice::WriteOnly))
            file.write(reinterpret_cast<const char *>(bytes.data()), qint64(bytes.size()));
        return file.fileName();
    };
    const QString container = write(QStringLiteral("synthetic.hwx"));
    const QString dense = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    QVERIFY(m_window->open({container}));
    QCOMPARE((*m_window)->layouts().current(), Layout::Hardware);
    QVERIFY((*m_window)->docks().dock(QStringLiteral("tasks"))->isVisible());
    QVERIFY(m_window->open({dense}));
    QCOMPARE((*m_window)->layouts().current(), Layout::Inspect);
    // Chosen by hand: it stays, and the next start remembers it for containers.
    QVERIFY(m_window->open({container}));
    action(QStringLiteral("Patch"))->trigger();
    QCOMPARE((*m_window)->layouts().current(), Layout::Patch);
    QVERIFY(m_window->open({container}));
    QCOMPARE((*m_window)->layouts().current(), Layout::Patch);
    m_window->restart();
    QVERIFY(m_window->open({container}));
    QCOMPARE((*m_window)->layouts().current(), Layout::Patch);
    action(QStringLiteral("Hardware"))->trigger();
    QCOMPARE((*m_window)->layouts().current(), Layout::Hardware);
    m_window->restart();
    QVERIFY(m_window->open({container}));
    QCOMPARE((*m_window)->layouts().current(), Layout::Hardware);
}

void TestMainWindow::layoutIsRestored()
{
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("sparse"));
    QVERIFY(m_window->open({path}));
    (*m_window)->docks().dock(QStringLiteral("inspector"))->hide();
    (*m_window)->layouts().show(Layout::Patch);
    QVERIFY((*m_window)->docks().dock(QStringLiteral("inspector"))->isVisible());
    (*m_window)->layouts().show(Layout::Inspect);
    QVERIFY(!(*m_window)->docks().dock(QStringLiteral("inspector"))->isVisible());
    m_window->restart();
    QVERIFY(m_window->open({path}));
    QVERIFY(!(*m_window)->docks().dock(QStringLiteral("inspector"))->isVisible());
    QVERIFY((*m_window)->docks().dock(QStringLiteral("hex"))->isVisible());
}

void TestMainWindow::resetsLayout()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("sparse"))}));
    const int width = (*m_window)->docks().dock(QStringLiteral("bundle"))->width();
    for (const auto &entry : (*m_window)->docks().entries())
        entry.dock->hide();
    action(QStringLiteral("Reset Layout"))->trigger();
    QVERIFY(m_window->settle());
    for (const char *id : {"bundle", "overview", "inspector", "hex"})
        QVERIFY2((*m_window)->docks().dock(QString::fromLatin1(id))->isVisible(), id);
    const ui::Dock *bundle = (*m_window)->docks().dock(QStringLiteral("bundle"));
    QTRY_VERIFY2(std::abs(bundle->width() - width) < 40,
                 qPrintable(QStringLiteral("%1 %2").arg(width).arg(bundle->width())));
}

void TestMainWindow::everyDockByShortcut()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("sparse"))}));
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    for (const auto &entry : (*m_window)->docks().entries()) {
        QVERIFY2(!entry.show->shortcut().isEmpty(), qPrintable(entry.dock->id()));
        entry.dock->hide();
        QTest::keySequence(&**m_window, entry.show->shortcut());
        QVERIFY2(entry.dock->isVisible(), qPrintable(entry.dock->id()));
        QVERIFY2((*m_window)->docks().focused() == entry.dock, qPrintable(entry.dock->id()));
        QTest::keySequence(&**m_window, entry.show->shortcut());
        QVERIFY2(!entry.dock->isVisible(), qPrintable(entry.dock->id()));
    }
}

namespace {

void collect(const QList<QAction *> &actions, QList<QAction *> &all)
{
    for (QAction *action : actions) {
        if (action->isSeparator())
            continue;
        all << action;
        if (QMenu *menu = action->menu())
            collect(menu->actions(), all);
    }
}

} // namespace

void TestMainWindow::everyActionInAMenu()
{
    QList<QAction *> inMenus;
    collect((*m_window)->menuBar()->actions(), inMenus);
    for (const auto &entry : (*m_window)->docks().entries()) {
        QVERIFY(inMenus.contains(entry.show));
        for (QAction *own : entry.menuActions)
            QVERIFY2(own->isSeparator() || inMenus.contains(own), qPrintable(own->text()));
    }
}

namespace {

/// The widgets in which an action's shortcuts work; none: in the whole window.
QWidgetList scopesOf(const QAction &action)
{
    QWidgetList scopes;
    if (action.shortcutContext() == Qt::WindowShortcut ||
        action.shortcutContext() == Qt::ApplicationShortcut)
        return scopes;
    for (QObject *object : action.associatedObjects()) {
        auto *widget = qobject_cast<QWidget *>(object);
        if (widget && !qobject_cast<QMenu *>(widget) && !qobject_cast<QAbstractButton *>(widget))
            scopes << widget;
    }
    return scopes;
}

/// Whether there is a widget in which both work.
bool inForceTogether(const QWidgetList &one, const QWidgetList &other)
{
    if (one.isEmpty() || other.isEmpty())
        return true;
    for (const QWidget *a : one) {
        for (const QWidget *b : other) {
            if (a == b || a->isAncestorOf(b) || b->isAncestorOf(a))
                return true;
        }
    }
    return false;
}

} // namespace

/// Of two actions that have one key wherever the keyboard is, neither works.
void TestMainWindow::shortcutsAreUnique()
{
    struct Known {
        const QAction *action = nullptr;
        QWidgetList scopes;
    };
    QHash<QKeySequence, std::vector<Known>> seen;
    QStringList faults;
    for (const QAction *one : (*m_window)->findChildren<QAction *>()) {
        const QWidgetList scopes = scopesOf(*one);
        if (one->associatedObjects().isEmpty())
            continue; // belongs to nothing yet
        for (const QKeySequence &key : one->shortcuts()) {
            for (const Known &other : seen[key]) {
                if (inForceTogether(scopes, other.scopes))
                    faults << QStringLiteral("%1: %2 and %3")
                                  .arg(key.toString(), other.action->text(), one->text());
            }
            seen[key].push_back({one, scopes});
        }
    }
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
    // Taken by the desktops: Ctrl+Alt with T opens a terminal.
    QVERIFY(!seen.contains(QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_T)));
}

/// Alt with a letter opens one menu, and is no shortcut as well.
void TestMainWindow::menusHaveLettersOfTheirOwn()
{
    QHash<QKeySequence, QString> seen;
    for (const QAction *action : (*m_window)->findChildren<QAction *>()) {
        for (const QKeySequence &key : action->shortcuts())
            seen.insert(key, action->text());
    }
    for (const QAction *menu : (*m_window)->menuBar()->actions()) {
        const QKeySequence key = QKeySequence::mnemonic(menu->text());
        QVERIFY2(!key.isEmpty(), qPrintable(menu->text()));
        QVERIFY2(!seen.contains(key),
                 qPrintable(QStringLiteral("%1: %2 and %3")
                                .arg(key.toString(), seen.value(key), menu->text())));
        seen.insert(key, menu->text());
    }
}

void TestMainWindow::goesToTypedPlaces()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    auto *box = (*m_window)->findChild<app::GoToBox *>();
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    QTest::keyClick(&**m_window, Qt::Key_G, Qt::ControlModifier);
    QTRY_VERIFY(box->hasFocus());
    const Weight &weight = (*m_window)->session().bundle()->weights()[1];
    QTest::keyClicks(box, QString::fromStdString(weight.name) + QStringLiteral("[3]"));
    QTest::keyClick(box, Qt::Key_Return);
    QCOMPARE((*m_window)->session().place().weight, std::size_t{1});
    QCOMPARE((*m_window)->session().place().element.value(), std::uint64_t{3});

    box->setFocus();
    box->clear();
    QTest::keyClicks(box, QStringLiteral("there is no such weight"));
    QTest::keyClick(box, Qt::Key_Return);
    QCOMPARE((*m_window)->session().place().weight, std::size_t{1});
    QVERIFY(!(*m_window)->statusLine().message().isEmpty());
}

void TestMainWindow::backAndForward()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    auto &session = (*m_window)->session();
    QVERIFY(!action(QStringLiteral("Back"))->isEnabled());
    session.goToWeight(0);
    session.goToWeight(1);
    session.goToWeight(2);
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    QTest::keyClick(&**m_window, Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(session.place().weight, std::size_t{1});
    QTest::keyClick(&**m_window, Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(session.place().weight, std::size_t{0});
    QTest::keyClick(&**m_window, Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(session.place().weight, std::size_t{1});
}

void TestMainWindow::paletteFindsEverything()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    auto *box = (*m_window)->findChild<app::GoToBox *>();
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    const auto type = [&](const QString &text) {
        QTest::keyClick(&**m_window, Qt::Key_K, Qt::ControlModifier);
        box->clear();
        QTest::keyClicks(box, text);
    };
    type(QStringLiteral("reset lay"));
    QVERIFY(box->hits().isVisible());
    QCOMPARE(box->hits().hits().at(0).text, QStringLiteral("Reset Layout"));
    // A part of a weight's name, chosen with the arrow key.
    const std::string name = (*m_window)->session().bundle()->weights()[1].name;
    type(QString::fromStdString(name).mid(1));
    QTest::keyClick(box, Qt::Key_Down);
    QCOMPARE(box->hits().hits().at(0).kind, app::PaletteIndex::Kind::Weight);
    QTest::keyClick(box, Qt::Key_Return);
    QCOMPARE((*m_window)->session().place().weight, std::size_t{1});
    QVERIFY(!box->hits().isVisible());
    // A workspace by name, with Enter alone.
    type(QStringLiteral("Performance"));
    QTest::keyClick(box, Qt::Key_Return);
    QCOMPARE((*m_window)->layouts().current(), Layout::Performance);
    // A chip and a help page.
    type(QStringLiteral("H17s"));
    QCOMPARE(box->hits().hits().at(0).kind, app::PaletteIndex::Kind::Chip);
    type(QStringLiteral("roofline"));
    bool help = false;
    for (int row = 0; row < box->hits().hits().rowCount(); ++row)
        help |= box->hits().hits().at(row).kind == app::PaletteIndex::Kind::Help;
    QVERIFY(help);
    QTest::keyClick(box, Qt::Key_Escape);
    QVERIFY(!box->hits().isVisible());
}

void TestMainWindow::linksOpenTheirPlace()
{
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    QVERIFY(m_window->open({path}));
    auto &session = (*m_window)->session();
    session.goToElement(1, 3);
    action(QStringLiteral("Copy Link to This Place"))->trigger();
    const QString link = QGuiApplication::clipboard()->text();
    QVERIFY(link.startsWith(QStringLiteral("kernscope ")));
    QString target = link.mid(10);
    target.remove(QLatin1Char('\''));
    QVERIFY(m_window->open({path}));
    QVERIFY(session.place() == ui::Place());
    QVERIFY(m_window->open({target}));
    QCOMPARE(session.place().weight, std::size_t{1});
    QCOMPARE(session.place().element.value(), std::uint64_t{3});
    // A place that is not there is said, and the file is open all the same.
    QVERIFY(m_window->open({path + QStringLiteral("#no such weight")}));
    QVERIFY(session.place() == ui::Place());
}

void TestMainWindow::stepsThroughWeights()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    auto &session = (*m_window)->session();
    action(QStringLiteral("Next Weight"))->trigger();
    QCOMPARE(session.place().weight, std::size_t{0});
    action(QStringLiteral("Next Weight"))->trigger();
    QCOMPARE(session.place().weight, std::size_t{1});
    for (std::size_t i = 0; i < session.bundle()->weights().size() + 3; ++i)
        action(QStringLiteral("Next Weight"))->trigger();
    QCOMPARE(session.place().weight, session.bundle()->weights().size() - 1);
    action(QStringLiteral("Previous Weight"))->trigger();
    QCOMPARE(session.place().weight, session.bundle()->weights().size() - 2);
}

void TestMainWindow::helpOfTheFocusedDock()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("sparse"))}));
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    for (const char *id : {"bundle", "hex", "weight"}) {
        app::DockSet::reveal((*m_window)->docks().dock(QString::fromLatin1(id)));
        QTest::keyClick(&**m_window, Qt::Key_F1);
        QVERIFY((*m_window)->docks().help()->isVisible());
        QCOMPARE((*m_window)->docks().help()->page(), QString::fromLatin1(id));
    }
}

void TestMainWindow::everyDockHasHelp()
{
    for (const QString &id : (*m_window)->docks().ids())
        QVERIFY2(id == QLatin1String("help") || ui::HelpDock::hasPage(id), qPrintable(id));
}

void TestMainWindow::locksAndUnlocks()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    auto &session = (*m_window)->session();
    session.requestEdits({test::setEdit(*session.bundle(), 0, 0, 0.5)}, {});
    QCOMPARE((*m_window)->notices().texts().size(), 1);
    QVERIFY(!(*m_window)->document().modified());
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    QTest::keyClick(&**m_window, Qt::Key_E, Qt::ControlModifier);
    QVERIFY(session.patchingEnabled());
    QVERIFY((*m_window)->notices().texts().isEmpty());
    QTest::keyClick(&**m_window, Qt::Key_E, Qt::ControlModifier);
    QVERIFY(!session.patchingEnabled());
}

void TestMainWindow::titleShowsChanges()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    QVERIFY(!action(QStringLiteral("Save\u2026"))->isEnabled());
    patch();
    QVERIFY((*m_window)->isWindowModified());
    QVERIFY(action(QStringLiteral("Save\u2026"))->isEnabled());
    (*m_window)->session().undoStack().undo();
    QVERIFY(!(*m_window)->isWindowModified());
    (*m_window)->session().undoStack().redo();
    QVERIFY((*m_window)->isWindowModified());
    (*m_window)->session().undoStack().undo();
}

void TestMainWindow::asksBeforeClosing_data()
{
    QTest::addColumn<int>("answer");
    QTest::addColumn<bool>("closes");
    QTest::addColumn<bool>("writes");
    QTest::newRow("cancel") << int(QMessageBox::Cancel) << false << false;
    QTest::newRow("discard") << int(QMessageBox::Discard) << true << false;
    QTest::newRow("save") << int(QMessageBox::Save) << true << true;
}

void TestMainWindow::asksBeforeClosing()
{
    QFETCH(int, answer);
    QFETCH(bool, closes);
    QFETCH(bool, writes);
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    m_window->settings().setKeepBackup(false);
    const test::FileBytes before = bytesOf(path);
    QVERIFY(m_window->open({path}));
    patch();
    (*m_window)->close();
    QVERIFY((*m_window)->isVisible());
    auto *question = qobject_cast<QMessageBox *>(test::dialog());
    QVERIFY(question);
    QTest::mouseClick(question->button(static_cast<QMessageBox::StandardButton>(answer)),
                      Qt::LeftButton);
    if (writes) {
        QTRY_VERIFY(QApplication::activeModalWidget() &&
                    QApplication::activeModalWidget() != question);
        auto *buttons = QApplication::activeModalWidget()->findChild<QDialogButtonBox *>();
        QTest::mouseClick(buttons->button(QDialogButtonBox::Save), Qt::LeftButton);
    }
    if (closes)
        QTRY_VERIFY(!(*m_window)->isVisible());
    else
        QVERIFY((*m_window)->isVisible());
    QCOMPARE(bytesOf(path) != before, writes);
    if (!closes)
        (*m_window)->session().undoStack().undo();
}

void TestMainWindow::saveShowsWhatItWrites()
{
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("palette"));
    const test::FileBytes before = bytesOf(path);
    QVERIFY(m_window->open({path}));
    patch();
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    QTest::keyClick(&**m_window, Qt::Key_S, Qt::ControlModifier);
    auto *save = test::dialog();
    QVERIFY(save);
    auto *table = save->findChild<QAbstractItemView *>();
    QVERIFY(table);
    QCOMPARE(static_cast<std::size_t>(table->model()->rowCount()),
             (*m_window)->document().pendingRanges().size());
    QVERIFY(bytesOf(path) == before);
    QTest::keyClick(save, Qt::Key_Return);
    QTRY_VERIFY(!(*m_window)->document().modified());
    QVERIFY(bytesOf(path) != before);
    QVERIFY((*m_window)->statusLine().message().contains(QStringLiteral("verified")));
}

void TestMainWindow::namesForScreenReaders()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("sparse"))}));
    QStringList nameless;
    for (const QWidget *widget : (*m_window)->findChildren<QWidget *>()) {
        const bool takesFocus = widget->focusPolicy() != Qt::NoFocus && widget->isVisible();
        const bool inner = widget->objectName().startsWith(QLatin1String("qt_"));
        const bool named = !widget->accessibleName().isEmpty() || !widget->toolTip().isEmpty() ||
                           !widget->property("text").toString().isEmpty();
        if (takesFocus && !inner && !named && !widget->focusProxy())
            nameless << QString::fromLatin1(widget->metaObject()->className());
    }
    nameless.removeAll(QStringLiteral("QTabBar"));
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char(' '))));
}

void TestMainWindow::themes()
{
    (*m_window)->theme().choose(app::ThemeChoice::Dark);
    QVERIFY(QApplication::palette().color(QPalette::Window).lightness() < 128);
    QCOMPARE(m_window->settings().theme(), app::ThemeChoice::Dark);
    (*m_window)->theme().choose(app::ThemeChoice::Light);
    QVERIFY(QApplication::palette().color(QPalette::Window).lightness() > 128);
    const qreal size = QApplication::font().pointSizeF();
    (*m_window)->theme().changeFont(2);
    QCOMPARE(QApplication::font().pointSizeF(), size + 2);
    (*m_window)->theme().changeFont(0);
    QCOMPARE(QApplication::font().pointSizeF(), size);
}

void TestMainWindow::statusLineKeepsItsPlace()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    const QSize window = (*m_window)->size();
    const int height = (*m_window)->statusLine().height();
    (*m_window)->statusLine().showMessage(QString(4000, QLatin1Char('x')));
    std::atomic<bool> stop{false};
    (*m_window)->session().tasks().start(
        &**m_window, QString(300, QLatin1Char('y')),
        [&stop](Progress &progress) {
            while (!stop && !progress.cancelled())
                QThread::msleep(5);
            return true;
        },
        [](bool) {});
    QTest::qWait(400);
    const QList<QToolButton *> buttons = (*m_window)->statusLine().findChildren<QToolButton *>();
    const auto cancel = std::find_if(buttons.begin(), buttons.end(), [](const QToolButton *button) {
        return button->text() == QLatin1String("Cancel") && button->isVisible();
    });
    QVERIFY(cancel != buttons.end());
    QCOMPARE((*m_window)->size(), window);
    QCOMPARE((*m_window)->statusLine().height(), height);
    QTest::mouseClick(*cancel, Qt::LeftButton);
    QTRY_VERIFY((*m_window)->session().tasks().idle());
    stop = true;
}

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"
