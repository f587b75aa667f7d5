// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/main_window_fixture.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/bytes/section_strip.h"
#include "widgets/common/tile_view.h"
#include "widgets/compare/byte_compare_view.h"
#include "widgets/overview/treemap_view.h"

#include <qcustomplot.h>

/// What assistive programs are told of the views that draw themselves.
class TestAccessibleViews : public MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }

    void everyViewHasARole_data()
    {
        QTest::addColumn<QStringList>("builds");
        QTest::addColumn<QStringList>("kinds"); ///< that are met, among others
        const QStringList common{u"kernscope::ui::HexView"_s, u"kernscope::ui::SectionStrip"_s};
        addRow("two builds", QStringList{u"dense"_s, u"sparse"_s},
               common +
                   QStringList{u"kernscope::ui::TileView"_s, u"kernscope::ui::GraphView"_s,
                               u"kernscope::ui::TreemapView"_s, u"kernscope::ui::ByteCompareView"_s,
                               u"kernscope::ui::DifferenceStrip"_s, u"kernscope::ui::ColorScale"_s,
                               u"kernscope::ui::PlotCanvas"_s});
        addRow("a container", QStringList{u"hwx"_s}, common);
    }

    /// None is a "filler" (Client) or nothing, each has a name; where it has a cursor, a value.
    void everyViewHasARole()
    {
        QFETCH(QStringList, builds);
        QFETCH(QStringList, kinds);
        QStringList paths;
        for (const QString &build : builds)
            paths += build == QLatin1String("hwx") ? writeHardware() : sample(build);
        QVERIFY(m_window->open(paths));
        QVERIFY(goToWeight(0));
        QSet<QString> met;
        for (const auto &entry : docks().entries()) {
            app::DockSet::reveal(entry.dock);
            QVERIFY(m_window->settle());
            for (QWidget *widget : entry.dock->findChildren<QWidget *>()) {
                const QString kind = QString::fromLatin1(widget->metaObject()->className());
                const bool drawn = kinds.contains(kind);
                // What has parts is looked through: of its own it draws only what is around them.
                const bool leaf =
                    kind.startsWith(QLatin1String("kernscope::")) &&
                    (widget->findChildren<QWidget *>(QString(), Qt::FindDirectChildrenOnly)
                         .isEmpty() ||
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

    void bytesUnderTheCursor()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        session().goToBytes(0, {FileOffset(0x40), ByteCount(1)});
        auto *view = VERIFIED(shownIn<ui::HexView>(u"hex"_s));
        const QString before = of(view)->text(QAccessible::Value);
        QVERIFY2(before.contains(u"0x40"_s), qPrintable(before));
        QTest::keyClick(view, Qt::Key_Right);
        QVERIFY(of(view)->text(QAccessible::Value).contains(u"0x41"_s));
        auto *strip = dock(u"hex"_s)->findChild<ui::SectionStrip *>();
        QVERIFY(!of(strip)->text(QAccessible::Value).isEmpty());
    }

    void cellUnderTheCursor()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        session().goToElement(0, 0);
        auto *map = VERIFIED(shownIn<ui::TileView>(u"weight"_s));
        map->setFocus();
        const QString first = of(map)->text(QAccessible::Value);
        QVERIFY(!first.isEmpty());
        QTest::keyClick(map, Qt::Key_Down);
        QTRY_VERIFY(of(map)->text(QAccessible::Value) != first);
        auto *tree = VERIFIED(shownIn<ui::TreemapView>(u"overview"_s));
        QTest::keyClick(tree, Qt::Key_Right);
        QVERIFY(!of(tree)->text(QAccessible::Value).isEmpty());
    }

    /// What the keyboard does there can be asked for by name.
    void actionsAreOffered()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        auto *tree = VERIFIED(shownIn<ui::TreemapView>(u"overview"_s));
        auto *actions = VERIFIED(of(tree)->actionInterface());
        for (const QString &name : {QAccessibleActionInterface::pressAction(),
                                    QAccessibleActionInterface::showMenuAction(),
                                    QAccessibleActionInterface::setFocusAction()})
            QVERIFY2(actions->actionNames().contains(name), qPrintable(name));
        QTest::keyClick(tree, Qt::Key_Home);
        actions->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(session().place().weight, tree->cells().front().key);
    }

private:
    static QAccessibleInterface *of(QWidget *view)
    {
        return QAccessible::queryAccessibleInterface(view);
    }
};

KERNSCOPE_TEST(TestAccessibleViews, QApplication)
#include "tst_accessible_views.moc"
