// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/access.h"

#include "widgets/common/dock.h"
#include "widgets/common/qt.h"
#include "widgets/weight/weight_grid_view.h"

namespace kernscope::app {

namespace {

/// Its dock stands behind the tab of another, or it belongs to the tabs of a place that shows one
/// dock, which Qt leaves outside of the window: what lies there is not seen.
bool standsBehind(const QWidget *widget)
{
    for (; widget; widget = widget->parentWidget()) {
        if (const auto *dock = qobject_cast<const ui::Dock *>(widget))
            return !dock->onView();
        const auto *host = qobject_cast<const QMainWindow *>(widget->parentWidget());
        if (host && qobject_cast<const QTabBar *>(widget))
            return !host->rect().intersects(widget->geometry());
    }
    return false;
}

/// The grid of a weight goes nowhere when its first cell is picked for it.
bool isGrid(const QWidget *widget)
{
    while (widget && !qobject_cast<const ui::WeightGridView *>(widget))
        widget = widget->parentWidget();
    return widget != nullptr;
}

/// Which link of a text is marked, as far as one can tell.
int linkOf(const QWidget *widget)
{
    const auto *label = qobject_cast<const QLabel *>(widget);
    return label && label->hasSelectedText() ? label->selectionStart() : -1;
}

} // namespace

TabOrder::TabOrder(QWidget *window) : QObject(window), m_window(window)
{
    qApp->installEventFilter(this);
}

bool TabOrder::eventFilter(QObject *watched, QEvent *event)
{
    if (m_handling)
        return false;
    if (event->type() == QEvent::FocusIn) {
        // Qt would choose the first row, and every view would go there.
        auto *view = qobject_cast<QAbstractItemView *>(watched);
        if (view && view->window() == m_window && !view->currentIndex().isValid() && !isGrid(view))
            view->setCurrentIndex({});
        return false;
    }
    if (event->type() != QEvent::KeyPress)
        return false;
    auto *key = static_cast<QKeyEvent *>(event);
    if (key->key() != Qt::Key_Tab && key->key() != Qt::Key_Backtab)
        return false;
    auto *widget = qobject_cast<QWidget *>(watched);
    if (!widget || widget != QApplication::focusWidget() || widget->window() != m_window)
        return false;
    m_handling = true;
    handle(widget, key);
    m_handling = false;
    return true;
}

void TabOrder::handle(QWidget *widget, QKeyEvent *event) const
{
    const bool forward = event->key() == Qt::Key_Tab;
    const int link = linkOf(widget);
    QCoreApplication::sendEvent(widget, event);
    QWidget *now = QApplication::focusWidget();
    if (!now || now->window() != m_window)
        return;
    const bool stays =
        now == widget && !forward && qobject_cast<QLabel *>(now) != nullptr && linkOf(now) == link;
    if (stays || (now != widget && standsBehind(now)))
        moveOn(now, forward);
}

bool TabOrder::takes(const QWidget *widget) const
{
    return (widget->focusPolicy() & Qt::TabFocus) == Qt::TabFocus && !widget->focusProxy() &&
           widget->isVisibleTo(m_window) && widget->isEnabled() && widget->window() == m_window &&
           !standsBehind(widget);
}

void TabOrder::moveOn(QWidget *from, bool forward) const
{
    const auto after = [forward](QWidget *widget) {
        return forward ? widget->nextInFocusChain() : widget->previousInFocusChain();
    };
    for (QWidget *next = after(from); next && next != from; next = after(next)) {
        if (takes(next)) {
            next->setFocus(forward ? Qt::TabFocusReason : Qt::BacktabFocusReason);
            return;
        }
    }
}

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
        {u"kernscope::ui::HexView"_s, QAccessible::Canvas},
        {u"kernscope::ui::ByteCompareView"_s, QAccessible::Canvas},
        {u"kernscope::ui::SectionStrip"_s, QAccessible::Canvas},
        {u"kernscope::ui::DifferenceStrip"_s, QAccessible::Canvas},
        {u"kernscope::ui::TileView"_s, QAccessible::Canvas},
        {u"kernscope::ui::TreemapView"_s, QAccessible::Chart},
        {u"kernscope::ui::GraphView"_s, QAccessible::Chart},
        {u"kernscope::ui::GroupMap"_s, QAccessible::Chart},
        {u"kernscope::ui::BitWordView"_s, QAccessible::Graphic},
        {u"kernscope::ui::ShareBar"_s, QAccessible::Graphic},
        {u"kernscope::ui::ColorScale"_s, QAccessible::Graphic},
        {u"kernscope::ui::KindLegend"_s, QAccessible::Graphic},
        {u"kernscope::ui::PictureLegend"_s, QAccessible::Graphic},
        {u"kernscope::ui::TileRuler"_s, QAccessible::Graphic},
        {u"kernscope::ui::NavigatorHeader"_s, QAccessible::ColumnHeader},
        {u"QCustomPlot"_s, QAccessible::Chart}};
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

#include "moc_access.cpp"
