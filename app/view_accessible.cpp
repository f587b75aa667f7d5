// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/view_accessible.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QHash>
#include <QKeyEvent>
#include <QWidget>

namespace kernscope::app {

namespace {

/// A view without parts: its name, its role, and what its cursor is on. What scrolls it is no part
/// for these programs, whose users move its cursor.
class DrawnView final : public QAccessibleWidget
{
public:
    DrawnView(QWidget *view, QAccessible::Role role) : QAccessibleWidget(view, role) {}

    QString text(QAccessible::Text which) const override
    {
        if (which == QAccessible::Value)
            return widget()->accessibleDescription();
        return QAccessibleWidget::text(which);
    }
    /// What its keyboard does: Enter goes to the thing, the menu key shows what else there is.
    QStringList actionNames() const override
    {
        QStringList names = QAccessibleWidget::actionNames();
        if (widget()->focusPolicy() != Qt::NoFocus)
            names << pressAction();
        if (!widget()->actions().isEmpty())
            names << showMenuAction();
        return names;
    }
    void doAction(const QString &name) override
    {
        if (name == pressAction()) {
            QKeyEvent enter(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
            QCoreApplication::sendEvent(widget(), &enter);
        } else if (name == showMenuAction()) {
            // Later: a menu waits for its answer, and who asks for the action does not.
            const QPoint middle = widget()->rect().center();
            QCoreApplication::postEvent(widget(),
                                        new QContextMenuEvent(QContextMenuEvent::Keyboard, middle,
                                                              widget()->mapToGlobal(middle)));
        } else {
            QAccessibleWidget::doAction(name);
        }
    }
    int childCount() const override { return 0; }
    QAccessibleInterface *child(int) const override { return nullptr; }
    QAccessibleInterface *childAt(int, int) const override { return nullptr; }
    int indexOfChild(const QAccessibleInterface *) const override { return -1; }
    QAccessible::State state() const override
    {
        QAccessible::State state = QAccessibleWidget::state();
        state.readOnly = true;
        return state;
    }
};

QAccessibleInterface *makeView(const QString &className, QObject *object)
{
    static const QHash<QString, QAccessible::Role> roles{
        {QStringLiteral("kernscope::ui::HexView"), QAccessible::Canvas},
        {QStringLiteral("kernscope::ui::ByteCompareView"), QAccessible::Canvas},
        {QStringLiteral("kernscope::ui::SectionStrip"), QAccessible::Canvas},
        {QStringLiteral("kernscope::ui::DifferenceStrip"), QAccessible::Canvas},
        {QStringLiteral("kernscope::ui::TileView"), QAccessible::Canvas},
        {QStringLiteral("kernscope::ui::TreemapView"), QAccessible::Chart},
        {QStringLiteral("kernscope::ui::GraphView"), QAccessible::Chart},
        {QStringLiteral("kernscope::ui::GroupMap"), QAccessible::Chart},
        {QStringLiteral("kernscope::ui::BitWordView"), QAccessible::Graphic},
        {QStringLiteral("kernscope::ui::ShareBar"), QAccessible::Graphic},
        {QStringLiteral("kernscope::ui::ColorScale"), QAccessible::Graphic},
        {QStringLiteral("kernscope::ui::KindLegend"), QAccessible::Graphic},
        {QStringLiteral("kernscope::ui::PictureLegend"), QAccessible::Graphic},
        {QStringLiteral("kernscope::ui::TileRuler"), QAccessible::Graphic},
        {QStringLiteral("kernscope::ui::NavigatorHeader"), QAccessible::ColumnHeader},
        {QStringLiteral("QCustomPlot"), QAccessible::Chart}};
    auto *view = qobject_cast<QWidget *>(object);
    const auto role = roles.constFind(className);
    return view && role != roles.constEnd() ? new DrawnView(view, *role) : nullptr;
}

} // namespace

void installViewAccessibility()
{
    static const bool installed = [] {
        QAccessible::installFactory(makeView);
        return true;
    }();
    Q_UNUSED(installed)
}

} // namespace kernscope::app
