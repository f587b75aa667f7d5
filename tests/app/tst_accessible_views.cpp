// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/main_window_fixture.h"
#include "tests/test_program.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/bytes/section_strip.h"
#include "widgets/common/plot_widget.h"
#include "widgets/common/tile_view.h"
#include "widgets/compare/byte_compare_view.h"
#include "widgets/compare/difference_strip.h"
#include "widgets/overview/treemap_view.h"

#include <QAbstractScrollArea>
#include <QAccessible>
#include <QScrollArea>
#include <QSet>
#include <qcustomplot.h>

using namespace kernscope;

/// What assistive programs are told of the views that draw themselves.
class TestAccessibleViews : public test::MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void everyViewHasARole_data();
    void everyViewHasARole();
    void bytesUnderTheCursor();
    void cellUnderTheCursor();
    void actionsAreOffered();

private:
    static QAccessibleInterface *of(QWidget *view)
    {
        return QAccessible::queryAccessibleInterface(view);
    }
};

void TestAccessibleViews::everyViewHasARole_data()
{
    QTest::addColumn<QStringList>("builds");
    QTest::addColumn<QStringList>("kinds"); ///< that are met, among others
    const QStringList common{QStringLiteral("kernscope::ui::HexView"),
                             QStringLiteral("kernscope::ui::SectionStrip")};
    QTest::newRow("two builds") << QStringList{QStringLiteral("dense"), QStringLiteral("sparse")}
                                << common +
                                       QStringList{QStringLiteral("kernscope::ui::TileView"),
                                                   QStringLiteral("kernscope::ui::GraphView"),
                                                   QStringLiteral("kernscope::ui::TreemapView"),
                                                   QStringLiteral("kernscope::ui::ByteCompareView"),
                                                   QStringLiteral("kernscope::ui::DifferenceStrip"),
                                                   QStringLiteral("kernscope::ui::ColorScale"),
                                                   QStringLiteral("kernscope::ui::PlotCanvas")};
    QTest::newRow("a container") << QStringList{QStringLiteral("hwx")} << common;
}

/// None is a "filler" (Client) or nothing, each has a name; where it has a cursor, a value.
void TestAccessibleViews::everyViewHasARole()
{
    QFETCH(QStringList, builds);
    QFETCH(QStringList, kinds);
    QStringList paths;
    for (const QString &build : builds)
        paths += build == QLatin1String("hwx") ? writeHardware() : sample(build);
    QVERIFY(m_window->open(paths));
    session().goToWeight(0);
    QVERIFY(m_window->settle());
    QSet<QString> met;
    for (const auto &entry : (*m_window)->docks().entries()) {
        app::DockSet::reveal(entry.dock);
        QVERIFY(m_window->settle());
        for (QWidget *widget : entry.dock->findChildren<QWidget *>()) {
            const QString kind = QString::fromLatin1(widget->metaObject()->className());
            const bool drawn = kinds.contains(kind);
            // What has parts is looked through: of its own it draws only what is around them.
            const bool leaf =
                kind.startsWith(QLatin1String("kernscope::")) &&
                (widget->findChildren<QWidget *>(QString(), Qt::FindDirectChildrenOnly).isEmpty() ||
                 (qobject_cast<const QAbstractScrollArea *>(widget) &&
                  !qobject_cast<const QScrollArea *>(widget)));
            if (!widget->isVisible() || !(drawn || leaf))
                continue;
            const QAccessibleInterface *interface = of(widget);
            const QByteArray what = (entry.dock->id() + QLatin1Char(' ') + kind).toUtf8();
            QVERIFY2(interface, what);
            QVERIFY2(interface->role() != QAccessible::Client &&
                         interface->role() != QAccessible::NoRole,
                     what);
            if (!drawn)
                continue;
            QVERIFY2(!interface->text(QAccessible::Name).isEmpty(), what);
            QCOMPARE(interface->childCount(), 0);
            met.insert(kind);
        }
    }
    for (const QString &kind : kinds)
        QVERIFY2(met.contains(kind), qPrintable(kind));
}

void TestAccessibleViews::bytesUnderTheCursor()
{
    QVERIFY(m_window->open({sample(QStringLiteral("dense"))}));
    ui::Dock *dock = this->dock(QStringLiteral("hex"));
    app::DockSet::reveal(dock);
    session().goToBytes(0, {FileOffset(0x40), ByteCount(1)});
    QVERIFY(m_window->settle());
    auto *view = dock->findChild<ui::HexView *>();
    const QString before = of(view)->text(QAccessible::Value);
    QVERIFY2(before.contains(QStringLiteral("0x40")), qPrintable(before));
    QTest::keyClick(view, Qt::Key_Right);
    QVERIFY(of(view)->text(QAccessible::Value).contains(QStringLiteral("0x41")));
    auto *strip = dock->findChild<ui::SectionStrip *>();
    QVERIFY(!of(strip)->text(QAccessible::Value).isEmpty());
}

void TestAccessibleViews::cellUnderTheCursor()
{
    QVERIFY(m_window->open({sample(QStringLiteral("dense"))}));
    ui::Dock *dock = this->dock(QStringLiteral("weight"));
    app::DockSet::reveal(dock);
    session().goToElement(0, 0);
    QVERIFY(m_window->settle());
    auto *map = dock->findChild<ui::TileView *>();
    map->setFocus();
    const QString first = of(map)->text(QAccessible::Value);
    QVERIFY(!first.isEmpty());
    QTest::keyClick(map, Qt::Key_Down);
    QTRY_VERIFY(of(map)->text(QAccessible::Value) != first);
    ui::Dock *overview = this->dock(QStringLiteral("overview"));
    app::DockSet::reveal(overview);
    QVERIFY(m_window->settle());
    auto *tree = overview->findChild<ui::TreemapView *>();
    QTest::keyClick(tree, Qt::Key_Right);
    QVERIFY(!of(tree)->text(QAccessible::Value).isEmpty());
}

/// What the keyboard does there can be asked for by name.
void TestAccessibleViews::actionsAreOffered()
{
    QVERIFY(m_window->open({sample(QStringLiteral("dense"))}));
    ui::Dock *overview = dock(QStringLiteral("overview"));
    app::DockSet::reveal(overview);
    QVERIFY(m_window->settle());
    auto *tree = overview->findChild<ui::TreemapView *>();
    auto *actions = of(tree)->actionInterface();
    QVERIFY(actions);
    for (const QString &name :
         {QAccessibleActionInterface::pressAction(), QAccessibleActionInterface::showMenuAction(),
          QAccessibleActionInterface::setFocusAction()})
        QVERIFY2(actions->actionNames().contains(name), qPrintable(name));
    QTest::keyClick(tree, Qt::Key_Home);
    actions->doAction(QAccessibleActionInterface::pressAction());
    QCOMPARE(session().place().weight, tree->cells().front().key);
}

KERNSCOPE_TEST(TestAccessibleViews, QApplication)
#include "tst_accessible_views.moc"
