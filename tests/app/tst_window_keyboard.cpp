// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window_fixture.h"
#include "widgets/common/dock.h"

#include <QApplication>
#include <QSet>

using namespace kernscope;
using app::Layout;

/// The window without a mouse: Tab comes everywhere and nowhere stays.
class TestWindowKeyboard : public test::MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void tabComesEverywhere_data();
    void tabComesEverywhere();

private:
    static ui::Dock *dockOf(QWidget *widget)
    {
        for (; widget; widget = widget->parentWidget()) {
            if (auto *dock = qobject_cast<ui::Dock *>(widget))
                return dock;
        }
        return nullptr;
    }
};

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

QTEST_MAIN(TestWindowKeyboard)
#include "tst_window_keyboard.moc"
