// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tour.h"

#include "app/dock_set.h"
#include "app/main_window.h"
#include "app/place_text.h"
#include "app/tour_panel.h"

#include <QEvent>
#include <QMenu>
#include <QMenuBar>
#include <QToolBar>

namespace kernscope::app {

Tour::Tour(MainWindow &window) : QObject(&window), m_window(window)
{
    m_frame = new TourFrame(&window);
    m_panel = new TourPanel(&window);
    connect(m_panel, &TourPanel::next, this, &Tour::next);
    connect(m_panel, &TourPanel::back, this, &Tour::back);
    connect(m_panel, &TourPanel::end, this, &Tour::end);
    // The layout is finished first: what a step points at may move several times in one turn.
    m_pointing.setSingleShot(true);
    m_pointing.setInterval(0);
    connect(&m_pointing, &QTimer::timeout, this, &Tour::point);
    window.installEventFilter(this);
    connect(&window.document(), &Document::opened, this, [this] {
        if (m_running && !m_arrived)
            arrive();
    });
}

void Tour::start()
{
    m_steps = tourSteps();
    if (m_steps.empty())
        return;
    m_running = true;
    Q_EMIT runningChanged(true);
    show(0);
    m_panel->takeFocus();
}

void Tour::next()
{
    if (!m_running)
        return;
    if (m_at + 1 < m_steps.size())
        show(m_at + 1);
    else
        end();
}

void Tour::back()
{
    if (m_running && m_at > 0)
        show(m_at - 1);
}

void Tour::end()
{
    if (!m_running)
        return;
    m_running = false;
    const bool focused = m_panel->isAncestorOf(m_panel->window()->focusWidget());
    watch(nullptr);
    m_pointing.stop();
    m_frame->hide();
    m_panel->hide();
    if (focused && !m_steps.empty()) {
        if (QWidget *widget = targetWidget(m_steps[m_at]))
            widget->setFocus(Qt::OtherFocusReason);
    }
    Q_EMIT runningChanged(false);
}

void Tour::show(std::size_t step)
{
    m_at = step;
    m_arrived = false;
    m_panel->say(m_steps[m_at].title, m_steps[m_at].text, m_at, m_steps.size());
    m_panel->show();
    if (holdsBundle(m_steps[m_at])) {
        arrive();
        return;
    }
    watch(nullptr);
    point();
    // Asks first where edits would be lost; the step waits, and can be passed.
    m_window.openSample(m_steps[m_at].bundle, m_steps[m_at].other);
}

bool Tour::holdsBundle(const TourStep &step) const
{
    const Document &document = m_window.document();
    return step.bundle.isEmpty() ||
           (document.isOpen() && document.inMemory() && document.name() == step.bundle &&
            document.otherName() == step.other);
}

/// The bundle of the step is open: to its layout and place.
void Tour::arrive()
{
    const TourStep &step = m_steps[m_at];
    if (!holdsBundle(step))
        return;
    m_arrived = true;
    if (step.layout)
        m_window.showLayout(*step.layout);
    const BundlePtr &bundle = m_window.session().bundle();
    if (bundle && !step.place.isEmpty()) {
        if (const auto place = parsePlace(*bundle, step.place, m_window.session().place().file))
            m_window.session().goTo(*place);
    }
    if (step.target.startsWith(QLatin1String("dock/"))) {
        if (ui::Dock *dock = m_window.docks().dock(step.target.section(QLatin1Char('/'), 1, 1))) {
            const bool focused =
                m_window.focusWidget() && m_panel->isAncestorOf(m_window.focusWidget());
            dock->show();
            dock->raise();
            if (focused && !m_panel->isAncestorOf(m_window.focusWidget()))
                m_panel->takeFocus();
        }
    }
    watch(targetWidget(step));
    m_pointing.start();
}

QWidget *Tour::targetWidget(const TourStep &step) const
{
    const QString kind = step.target.section(QLatin1Char('/'), 0, 0);
    const QString name = step.target.section(QLatin1Char('/'), 1, 1);
    if (kind == QLatin1String("dock")) {
        ui::Dock *dock = m_window.docks().dock(name);
        const QString inside = step.target.section(QLatin1Char('/'), 2, 2);
        return !dock || inside.isEmpty() ? dock : dock->findChild<QWidget *>(inside);
    }
    const auto *bar = m_window.findChild<QToolBar *>(QStringLiteral("tools"));
    if (kind == QLatin1String("action")) {
        QAction *action = m_window.findChild<QAction *>(name);
        return action && bar ? bar->widgetForAction(action) : nullptr;
    }
    if (kind == QLatin1String("menu"))
        return m_window.menuBar();
    return m_window.findChild<QWidget *>(QStringLiteral("goToBox"));
}

QRect Tour::target() const
{
    if (!m_running || !m_arrived)
        return {};
    const TourStep &step = m_steps[m_at];
    const QWidget *widget = targetWidget(step);
    // What lies in a tab that is not in front, or was closed, is not pointed at.
    if (!widget || !widget->isVisible() || widget->visibleRegion().isEmpty() ||
        widget->window() != &m_window)
        return {};
    QRect rect = widget->rect();
    if (step.target.startsWith(QLatin1String("menu/"))) {
        const auto *menu =
            m_window.menuBar()->findChild<QMenu *>(step.target.section(QLatin1Char('/'), 1, 1));
        rect = menu ? m_window.menuBar()->actionGeometry(menu->menuAction()) : QRect();
    }
    return {widget->mapTo(&m_window, rect.topLeft()), rect.size()};
}

void Tour::watch(QWidget *widget)
{
    if (m_watched == widget)
        return;
    if (m_watched && m_watched != &m_window)
        m_watched->removeEventFilter(this);
    m_watched = widget;
    if (m_watched)
        m_watched->installEventFilter(this);
}

bool Tour::eventFilter(QObject *watched, QEvent *event)
{
    switch (event->type()) {
    case QEvent::Resize:
    case QEvent::Move:
    case QEvent::Show:
    case QEvent::Hide:
    case QEvent::LayoutRequest:
        if (m_running)
            m_pointing.start();
        break;
    default: break;
    }
    return QObject::eventFilter(watched, event);
}

void Tour::point()
{
    if (!m_running)
        return;
    const QRect rect = target();
    m_frame->surround(rect);
    m_panel->placeBeside(rect);
    m_panel->raise();
}

} // namespace kernscope::app

#include "moc_tour.cpp"
