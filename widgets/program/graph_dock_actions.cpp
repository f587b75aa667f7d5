// SPDX-License-Identifier: GPL-3.0-or-later
// Menus of GraphDock, and what it writes to files.
#include "core/bundle/bundle.h"
#include "core/graph/dot.h"
#include "core/graph/svg.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/table_text.h"
#include "widgets/program/graph_dock.h"
#include "widgets/program/graph_view.h"

#include <QAction>
#include <QActionGroup>
#include <QStackedWidget>
#include <QTableView>

#include <utility>

namespace kernscope::ui {

void GraphDock::buildActions()
{
    auto *centre =
        dockAction(this, tr("Draw What Is around This"), QKeySequence(Qt::CTRL | Qt::Key_Return),
                   [this] { activate(m_view->current()); });
    auto *back = dockAction(this, tr("Back to the Drawing before"), QKeySequence(Qt::Key_Backspace),
                            [this] { goBackHere(); });
    auto *more = dockAction(this, tr("More Hops"), QKeySequence(Qt::Key_BracketRight),
                            [this] { setHops(m_hops + 1); });
    auto *fewer = dockAction(this, tr("Fewer Hops"), QKeySequence(Qt::Key_BracketLeft),
                             [this] { setHops(m_hops > 1 ? m_hops - 1 : 1); });
    auto *weight = dockAction(this, tr("Show Weight"), {}, [this] { showWeight(); });
    auto *hex = dockAction(this, tr("Show in Hex"), {}, [this] { showInHex(); });
    m_actions = {centre, back, more, fewer, weight, hex};
    buildViewActions();
    auto *copy = dockAction(this, tr("Copy Rows of the Table"), QKeySequence::Copy,
                            [this] { copySelection(*m_table); });
    auto *svg =
        dockAction(this, tr("Export Drawing as SVG\u2026"), {}, [this] { askAndExport(true); });
    auto *dot =
        dockAction(this, tr("Export for Graphviz\u2026"), {}, [this] { askAndExport(false); });
    m_actions << copy << svg << dot
              << exportAction(this, session(), tr("Export Table as CSV\u2026"), *m_model,
                              QStringLiteral("graph"));
    m_view->addActions(m_actions);
    m_table->addActions(m_actions);
    m_view->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void GraphDock::buildViewActions()
{
    auto *in = dockAction(this, tr("Zoom In"), {}, [this] { m_view->zoomIn(); });
    auto *out = dockAction(this, tr("Zoom Out"), {}, [this] { m_view->zoomOut(); });
    auto *fit = dockAction(this, tr("Fit"), {}, [this] { m_view->fit(); });
    m_fold = dockAction(this, tr("Fold Repeated Blocks"), {}, [this] {
        m_opened.clear();
        draw();
    });
    m_fold->setCheckable(true);
    m_fold->setChecked(true);
    m_actions << in << out << fit << m_fold;
    auto *flows = new QActionGroup(this);
    for (const auto &[text, flow] :
         {std::pair(tr("Values Flow along the Longer Side"), Flow::AsTheRoom),
          std::pair(tr("Values Flow to the Right"), Flow::Right),
          std::pair(tr("Values Flow Down"), Flow::Down)}) {
        auto *action = dockAction(this, text, {}, [this, flow = flow] {
            m_flow = flow;
            draw();
        });
        action->setCheckable(true);
        action->setChecked(flow == m_flow);
        flows->addAction(action);
        m_actions << action;
    }
    m_asTable = dockAction(this, tr("Show as a Table"), QKeySequence(Qt::CTRL | Qt::Key_T),
                           [this] { showTable(m_asTable->isChecked()); });
    m_asTable->setCheckable(true);
    m_actions << m_asTable;
}

void GraphDock::showTable(bool table)
{
    QWidget *page = table ? static_cast<QWidget *>(m_table) : m_view;
    m_pages->setCurrentWidget(page);
    m_pages->parentWidget()->setFocusProxy(page);
    page->setFocus();
}

void GraphDock::showWeight()
{
    leadThere(m_view->current());
    Q_EMIT raiseRequested(QStringLiteral("weight"));
}

void GraphDock::showInHex()
{
    const std::size_t node = nodeOf(m_view->current());
    const SourceSpan span = node == graph::kNone ? SourceSpan() : m_graph->span(node);
    const std::size_t file = node == graph::kNone ? kNoIndex : m_graph->fileOf(node);
    if (span.length == 0 || file == kNoIndex) {
        Q_EMIT session().statusMessage(tr("The place of this in the program file is not known."));
        return;
    }
    session().goToBytes(file, {FileOffset(span.offset), ByteCount(span.length)}, this);
    Q_EMIT raiseRequested(QStringLiteral("hex"));
}

void GraphDock::askAndExport(bool svg)
{
    if (!m_view->scene()) {
        Q_EMIT session().statusMessage(tr("There is no drawing to export."));
        return;
    }
    const QString path = svg ? askSavePath(this, tr("Export Drawing"), QStringLiteral("graph.svg"),
                                           tr("SVG (*.svg)"))
                             : askSavePath(this, tr("Export Drawing"), QStringLiteral("graph.dot"),
                                           tr("Graphviz (*.dot *.gv)"));
    if (path.isEmpty())
        return;
    if (svg)
        exportSvg(path);
    else
        exportDot(path);
}

void GraphDock::writeExport(const QString &path,
                            std::function<Result<std::string>(Progress &)> make)
{
    session().tasks().start(
        this, tr("Exporting the drawing"), std::move(make),
        [this, path](const Result<std::string> &text) {
            const QString fault =
                text ? writeTextFile(path, QString::fromUtf8(text->data(), qsizetype(text->size())))
                     : fromUtf8(describe(text.error()));
            Q_EMIT session().statusMessage(fault.isEmpty() ? tr("Written: %1").arg(shown(path))
                                                           : fault);
        });
}

void GraphDock::exportSvg(const QString &path)
{
    if (const GraphScenePtr scene = m_view->scene())
        writeExport(path, [scene](Progress &progress) {
            return graph::svgText(*scene->drawn, scene->rightwards, &progress);
        });
}

void GraphDock::exportDot(const QString &path)
{
    if (const GraphScenePtr scene = m_view->scene())
        writeExport(path, [scene](Progress &) -> Result<std::string> {
            return graph::dotText(*scene->drawn, scene->rightwards);
        });
}

} // namespace kernscope::ui
