// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layouts.h"

#include "app/dock_arranger.h"
#include "app/dock_set.h"
#include "core/bundle/bundle.h"

#include <QCoreApplication>
#include <QDockWidget>
#include <QMainWindow>

namespace kernscope::app {

namespace {

/// Of QMainWindow::saveState; a state of another number is not restored.
constexpr int kStateVersion = 1;

using Node = DockNode;

// The drawings of window.md. Numbers are shares of the extent along the container's axis.
Node inspectLayout()
{
    return Node::column(
        1, {Node::row(50, {Node::leaf(31, "bundle"), Node::leaf(47, "weight"),
                           Node::column(22, {Node::leaf(24, "codebook"), Node::leaf(76, "mask")}),
                           Node::hidden(24, "help")}),
            Node::leaf(27, "layout"),
            Node::tabs(23, {Node::leaf(1, "hex"), Node::leaf(1, "diagnostics"),
                            Node::leaf(1, "patches")})});
}

Node compareLayout()
{
    return Node::column(1,
                        {Node::row(66, {Node::leaf(76, "compare"), Node::hidden(24, "help")}),
                         Node::tabs(34, {Node::leaf(1, "bytes"), Node::leaf(1, "diagnostics")})});
}

Node patchLayout()
{
    return Node::column(
        1, {Node::row(62, {Node::leaf(22, "bundle"), Node::leaf(52, "weight"),
                           Node::column(26, {Node::leaf(24, "codebook"), Node::leaf(76, "mask")}),
                           Node::hidden(24, "help")}),
            Node::row(38, {Node::leaf(56, "patches"),
                           Node::tabs(44, {Node::leaf(1, "hex"), Node::leaf(1, "diagnostics")})})});
}

Node performanceLayout()
{
    return Node::column(
        1, {Node::row(
                55, {Node::leaf(18, "bundle"), Node::leaf(58, "stream"), Node::hidden(24, "help")}),
            Node::row(45, {Node::leaf(52, "roofline"),
                           Node::tabs(48, {Node::leaf(1, "geometry"), Node::leaf(1, "choose"),
                                           Node::leaf(1, "targets"), Node::leaf(1, "formats"),
                                           Node::leaf(1, "collective")})})});
}

Node hardwareLayout()
{
    return Node::column(
        1, {Node::row(50, {Node::leaf(22, "bundle"),
                           Node::tabs(46, {Node::leaf(1, "tasks"), Node::leaf(1, "groups"),
                                           Node::leaf(1, "activation")}),
                           Node::tabs(32, {Node::leaf(1, "commands"), Node::leaf(1, "relocations"),
                                           Node::leaf(1, "descriptor")}),
                           Node::hidden(24, "help")}),
            Node::leaf(27, "layout"),
            Node::tabs(23, {Node::leaf(1, "hex"), Node::leaf(1, "diagnostics")})});
}

Node nodeOf(Layout layout)
{
    switch (layout) {
    case Layout::Inspect: return inspectLayout();
    case Layout::Compare: return compareLayout();
    case Layout::Patch: return patchLayout();
    case Layout::Performance: return performanceLayout();
    case Layout::Hardware: return hardwareLayout();
    }
    return inspectLayout();
}

struct LayoutWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::Layouts)
};

} // namespace

QString layoutId(Layout layout)
{
    switch (layout) {
    case Layout::Inspect: return QStringLiteral("inspect");
    case Layout::Compare: return QStringLiteral("compare");
    case Layout::Patch: return QStringLiteral("patch");
    case Layout::Performance: return QStringLiteral("performance");
    case Layout::Hardware: return QStringLiteral("hardware");
    }
    return {};
}

QString layoutTitle(Layout layout)
{
    switch (layout) {
    case Layout::Inspect: return LayoutWords::tr("Inspect");
    case Layout::Compare: return LayoutWords::tr("Compare");
    case Layout::Patch: return LayoutWords::tr("Patch");
    case Layout::Performance: return LayoutWords::tr("Performance");
    case Layout::Hardware: return LayoutWords::tr("Hardware");
    }
    return {};
}

bool isContainer(const Bundle &bundle)
{
    return bundle.hardware() || bundle.section();
}

LayoutKeeper::LayoutKeeper(QMainWindow *host, DockSet &docks, Settings &settings, QObject *parent)
    : QObject(parent), m_host(host), m_docks(docks), m_settings(settings)
{
}

void LayoutKeeper::show(Layout layout)
{
    if (m_shown && layout == m_current)
        return;
    if (m_shown)
        keep();
    restoreOrArrange(layout);
}

void LayoutKeeper::reset()
{
    m_settings.forgetLayout(layoutId(m_current));
    arrange(m_current);
}

void LayoutKeeper::keep()
{
    if (!m_shown)
        return;
    m_settings.setLayoutState(layoutId(m_current), m_docks.ids(), m_host->saveState(kStateVersion));
    m_settings.setLastLayout(layoutId(m_current));
}

void LayoutKeeper::restoreOrArrange(Layout layout)
{
    const QByteArray state = m_settings.layoutState(layoutId(layout), m_docks.ids());
    m_current = layout;
    m_shown = true;
    m_docks.forgetSizes();
    if (state.isEmpty() || !m_host->restoreState(state, kStateVersion))
        arrange(layout);
    m_settings.setLastLayout(layoutId(layout));
    Q_EMIT currentChanged(layout);
}

void LayoutKeeper::arrange(Layout layout)
{
    m_docks.forgetSizes();
    QList<QDockWidget *> docks;
    for (const DockSet::Entry &entry : m_docks.entries())
        docks << entry.dock;
    arrangeDocks(*m_host, docks, nodeOf(layout));
}

} // namespace kernscope::app
