// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window_fixture.h"
#include "tests/test_program.h"
#include "widgets/common/dock.h"
#include "widgets/common/segmented.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QLineEdit>
#include <QSet>
#include <QToolBar>

using namespace kernscope;
using app::Layout;

/// The window without a mouse: Tab comes everywhere and nowhere stays.
class TestWindowKeyboard : public test::MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void openingBeginsInTheNavigator();
    void comparingBeginsInTheTable();
    void reloadKeepsTheKeyboard();
    void filtersComeBeforeWhatTheyFilter();
    void searchIsAskedAgain();
    void tabComesEverywhere_data();
    void tabComesEverywhere();
    void shortcutsLeadIntoTheWorkspace();
    void arrowsChooseTheWorkspace();

private:
    static QString keyboardAt();
    static ui::Dock *dockOf(QWidget *widget)
    {
        for (; widget; widget = widget->parentWidget()) {
            if (auto *dock = qobject_cast<ui::Dock *>(widget))
                return dock;
        }
        return nullptr;
    }
};

/// The dock in which the keyboard is, by its id.
QString TestWindowKeyboard::keyboardAt()
{
    const ui::Dock *dock = dockOf(QApplication::focusWidget());
    return dock && dock->onView() ? dock->id() : QString();
}

/// Once a bundle is open its weights are one key away; so it is for every bundle after it.
void TestWindowKeyboard::openingBeginsInTheNavigator()
{
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("sparse"))}));
    QTRY_COMPARE(keyboardAt(), QStringLiteral("bundle"));
    QVERIFY((*m_window)->session().place().weight == kNoIndex);
    for (int i = 0; i < 3; ++i) // the bundle, its function, the first weight
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
    QVERIFY(m_window->settle());
    QTRY_VERIFY((*m_window)->session().place().weight != kNoIndex);

    app::DockSet::reveal((*m_window)->docks().dock(QStringLiteral("hex")));
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    QTRY_COMPARE(keyboardAt(), QStringLiteral("bundle"));
}

/// Compare has no navigator.
void TestWindowKeyboard::comparingBeginsInTheTable()
{
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    const QString a = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    const QString b = test::writeSample(m_folder->path(), QStringLiteral("sparse"));
    QVERIFY(m_window->open({a, b}));
    QTRY_COMPARE(keyboardAt(), QStringLiteral("compare"));

    QVERIFY(m_window->open({a}));
    QTRY_COMPARE(keyboardAt(), QStringLiteral("bundle"));
    (*m_window)->document().openOther(b); // as the dialog does
    QVERIFY(m_window->settle());
    QTRY_COMPARE(keyboardAt(), QStringLiteral("compare"));
}

void TestWindowKeyboard::reloadKeepsTheKeyboard()
{
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("sparse"))}));
    QTRY_COMPARE(keyboardAt(), QStringLiteral("bundle"));
    app::DockSet::reveal((*m_window)->docks().dock(QStringLiteral("hex")));
    (*m_window)->document().reload();
    QVERIFY(m_window->settleLong());
    QCOMPARE(keyboardAt(), QStringLiteral("hex"));
}

/// Tab goes as one reads: from the box above to the list below.
void TestWindowKeyboard::filtersComeBeforeWhatTheyFilter()
{
    QStringList wrong;
    for (const auto &entry : (*m_window)->docks().entries()) {
        for (QLineEdit *box : entry.dock->findChildren<QLineEdit *>()) {
            if (!box->accessibleName().startsWith(QStringLiteral("Filter")))
                continue;
            const auto isList = [](const QWidget *widget) {
                return qobject_cast<const QAbstractItemView *>(widget) != nullptr ||
                       widget->inherits("QTabBar");
            };
            const QWidget *next = box->nextInFocusChain(); // buttons may stand beside the box
            while (!isList(next) && entry.dock->isAncestorOf(next))
                next = next->nextInFocusChain();
            if (!entry.dock->isAncestorOf(next))
                wrong += entry.dock->id() + u' ' + box->accessibleName();
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

/// Ctrl+Shift+F goes back to what is searched for, from the places found too, and never closes.
void TestWindowKeyboard::searchIsAskedAgain()
{
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("sparse"))}));
    QTRY_COMPARE(keyboardAt(), QStringLiteral("bundle"));
    const auto press = [] {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F,
                        Qt::ControlModifier | Qt::ShiftModifier);
    };
    press();
    auto *line = qobject_cast<QLineEdit *>(QApplication::focusWidget());
    QVERIFY(line);
    QTest::keyClicks(line, QStringLiteral("ef be"));
    QTest::keyClick(line, Qt::Key_Return);
    QVERIFY(m_window->settle());
    ui::Dock *search = (*m_window)->docks().dock(QStringLiteral("search"));
    search->findChild<QAbstractItemView *>()->setFocus();
    for (int i = 0; i < 2; ++i) {
        press();
        QVERIFY(search->onView());
        QCOMPARE(QApplication::focusWidget(), static_cast<QWidget *>(line));
        QCOMPARE(line->selectedText(), QStringLiteral("ef be"));
    }
}

void TestWindowKeyboard::tabComesEverywhere_data()
{
    QTest::addColumn<int>("layout");
    QTest::addColumn<bool>("back");
    for (const Layout layout : app::kLayouts) {
        for (const bool back : {false, true})
            QTest::addRow("%s %s", qPrintable(app::layoutId(layout)), back ? "back" : "forth")
                << static_cast<int>(layout) << back;
    }
}

void TestWindowKeyboard::tabComesEverywhere()
{
    QFETCH(int, layout);
    QFETCH(bool, back);
    constexpr int kMostSteps = 600, kMostHeld = 40;
    const QString a = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    const QString b = test::writeSample(m_folder->path(), QStringLiteral("sparse"));
    QVERIFY(m_window->open({a, b}));
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    (*m_window)->layouts().show(static_cast<Layout>(layout));
    (*m_window)->session().goToWeight(0);
    QVERIFY(m_window->settle());
    QSet<QString> wanted;
    ui::Dock *first = nullptr;
    for (const auto &entry : (*m_window)->docks().entries()) {
        if (entry.dock->onView() && entry.dock->showsContent()) {
            wanted << entry.dock->id();
            first = first ? first : entry.dock;
        }
    }
    QVERIFY(first);
    app::DockSet::reveal(first);
    QWidget *start = QApplication::focusWidget();
    QVERIFY(start);
    QSet<QString> seen;
    QWidget *now = start;
    int steps = 0, held = 0;
    do {
        if (const ui::Dock *dock = dockOf(now))
            seen << dock->id();
        QTest::keyClick(now, back ? Qt::Key_Backtab : Qt::Key_Tab,
                        back ? Qt::ShiftModifier : Qt::NoModifier);
        QWidget *next = QApplication::focusWidget();
        // A text goes from link to link, a comparison from side to side: not for ever.
        held = next == now ? held + 1 : 0;
        QVERIFY2(next && held < kMostHeld,
                 qPrintable(QStringLiteral("held by %1 (%2)")
                                .arg(QString::fromLatin1(now->metaObject()->className()),
                                     now->accessibleName())));
        const ui::Dock *dock = dockOf(next);
        QVERIFY2(next->isVisible() && (!dock || dock->onView()),
                 qPrintable(QStringLiteral("not on view: %1 (%2) of %3")
                                .arg(QString::fromLatin1(next->metaObject()->className()),
                                     next->accessibleName(), dock ? dock->id() : QString())));
        now = next;
    } while (now != start && ++steps < kMostSteps);
    QVERIFY2(now == start, "Tab never comes back to where it began");
    const QSet<QString> missed = wanted - seen;
    QVERIFY2(missed.isEmpty(), qPrintable(QStringList(missed.values()).join(QLatin1Char(' '))));
}

/// Ctrl+1 to Ctrl+5: the keyboard goes on in the dock that the workspace is about, and stays where
/// it is in a dock that both workspaces show.
void TestWindowKeyboard::shortcutsLeadIntoTheWorkspace()
{
    const QString a = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    const QString b = test::writeSample(m_folder->path(), QStringLiteral("sparse"));
    QVERIFY(m_window->open({a, b}));
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    (*m_window)->session().goToWeight(0); // which Inspect then shows, and not the overview
    QVERIFY(m_window->settle());
    app::DockSet::reveal((*m_window)->docks().dock(QStringLiteral("compare")));
    QVERIFY(dockOf(QApplication::focusWidget()));
    const std::initializer_list<std::pair<Qt::Key, const char *>> keys{{Qt::Key_4, "stream"},
                                                                       {Qt::Key_2, "compare"},
                                                                       {Qt::Key_3, "weight"},
                                                                       {Qt::Key_1, "weight"}};
    for (const auto &[key, id] : keys) {
        QTest::keyClick(QApplication::focusWidget(), key, Qt::ControlModifier);
        QVERIFY(m_window->settle());
        const ui::Dock *dock = dockOf(QApplication::focusWidget());
        QVERIFY2(dock && dock->onView() && dock->id() == QLatin1String(id),
                 qPrintable(QStringLiteral("%1, not %2")
                                .arg(dock ? dock->id() : QString(), QLatin1String(id))));
    }
}

/// The switch of the workspaces is one stop of Tab; arrows choose the next workspace and stay in
/// it.
void TestWindowKeyboard::arrowsChooseTheWorkspace()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("sparse"))}));
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    auto *workspaces = (*m_window)->findChild<QToolBar *>()->findChild<ui::Segmented *>();
    const auto buttons = workspaces->findChildren<QToolButton *>();
    QCOMPARE(buttons.size(), 5);
    const auto stops = [&buttons] {
        QStringList words;
        for (const QToolButton *one : buttons)
            words += one->focusPolicy() & Qt::TabFocus ? QStringList(one->text()) : QStringList();
        return words;
    };
    QCOMPARE(stops(), QStringList{QStringLiteral("Inspect")});
    buttons[0]->setFocus();
    for (const Layout layout : {Layout::Compare, Layout::Patch, Layout::Performance}) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
        QVERIFY(m_window->settle());
        QCOMPARE((*m_window)->layouts().current(), layout);
        QCOMPARE(QApplication::focusWidget(), static_cast<QWidget *>(buttons[int(layout)]));
        QCOMPARE(stops(), QStringList{buttons[int(layout)]->text()});
    }
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Home);
    QCOMPARE((*m_window)->layouts().current(), Layout::Inspect);
}

KERNSCOPE_TEST(TestWindowKeyboard, QApplication)
#include "tst_window_keyboard.moc"
