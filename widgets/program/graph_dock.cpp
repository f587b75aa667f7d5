// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/program/graph_dock.h"

#include "core/assessment/consumer_kinds.h"
#include "core/bundle/bundle.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"

namespace kernscope::ui {

namespace {

/// A drawing, or why there is none.
using LaidOut = Result<graph::LayoutResult>;

} // namespace

GraphDock::GraphDock(Session &session, QWidget *parent)
    : Dock(session, u"graph"_s, tr("Graph"), parent),
      m_model(new GraphModel(report::graphTable, this))
{
    auto *content = new QWidget(this);
    m_pages = new QStackedWidget(content);
    m_view = new GraphView(m_pages);
    m_table = makeTable(m_pages, tr("What the graph shows, as a table"), m_model,
                        {16, 7, 9, 12, 8, 6, 3, 12, 12, 4});
    m_pages->addWidget(m_view);
    m_pages->addWidget(m_table);
    QVBoxLayout *column = contentColumn(content);
    column->addWidget(m_pages, 1);
    setContent(content, m_view);
    buildHeader();
    buildActions();
    connectParts();
}

void GraphDock::buildHeader()
{
    auto *header = new QWidget(this);
    auto *row = withoutMargins(new QHBoxLayout(header));
    m_said = design::label(QString(), design::Type::Small, header);
    m_functions = named(new QComboBox(header), tr("Function to draw"));
    m_functions->setToolTip(m_functions->accessibleName());
    m_functions->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_functions->hide();
    m_hopsBox = named(new QComboBox(header), tr("How many values away"));
    m_hopsBox->setToolTip(tr("How many values away from the centre things are drawn"));
    m_hopsBox->addItem(tr("1 hop"));
    for (unsigned hops = 2; hops <= graph::kMostHops; ++hops)
        m_hopsBox->addItem(tr("%1 hops").arg(hops));
    m_hopsBox->addItem(tr("whole"));
    m_hopsBox->setItemData(kWhole - 1, tr("All of the function, repeats folded"), Qt::ToolTipRole);
    m_hopsBox->setCurrentIndex(static_cast<int>(m_hops) - 1);
    for (QComboBox *box : {m_functions, m_hopsBox})
        box->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    laidOut(row, {m_said, room(1), m_functions, m_hopsBox});
    setHeader(header);
}

void GraphDock::connectParts()
{
    connect(m_view, &GraphView::picked, this, &GraphDock::leadThere);
    connect(m_view, &GraphView::activated, this, &GraphDock::activate);
    connect(m_view, &GraphView::resized, this, [this] {
        // Moved to a place of another shape: the values flow along its longer side.
        if (m_view->scene() && m_drawnRight != rightwards() && !m_task.running())
            draw();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex &index) {
                if (m_following || !index.isValid())
                    return;
                const std::size_t unit = m_model->rowAt(index.row()).unit;
                m_view->setCurrent(unit);
                leadThere(unit);
            });
    connect(m_table, &QTableView::activated, this,
            [this](const QModelIndex &index) { activate(m_model->rowAt(index.row()).unit); });
    connect(m_hopsBox, &QComboBox::activated, this, [this](int index) {
        setHops(static_cast<unsigned>(index) + 1);
        if (!m_graph)
            scheduleRefresh();
        else if (!m_task.running())
            draw(); // what was cancelled
    });
    connect(m_functions, &QComboBox::activated, this, [this](int index) {
        if (m_graph && static_cast<std::size_t>(index) < m_graph->functions().size())
            centreOn(m_graph->inputsOf(static_cast<std::size_t>(index)));
    });
    m_task.whenCancelled([this] {
        showMessage(tr("The graph was not drawn: %1. Choosing a number of hops draws it anew.")
                        .arg(m_task.endText()));
    });
    connect(&session(), &Session::bundleChanged, this, [this] {
        const BundlePtr bundle = session().bundle();
        if (!m_graph || (bundle && bundle->path() == m_graph->bundle().path()))
            return; // an edit or a reload keeps what is drawn
        m_task.stop();
        m_following = true;
        m_view->setScene(nullptr, graph::kNone);
        m_model->setRows({});
        m_following = false;
        m_graph = nullptr;
    });
}

void GraphDock::refresh()
{
    const BundlePtr bundle = session().bundle();
    const bool drawable =
        bundle && (!bundle->program()->functions.empty() ||
                   std::ranges::any_of(bundle->program()->models, &mil::ModelNode::isNetwork));
    if (!drawable) {
        m_task.stop();
        m_graph = nullptr;
        m_view->setScene(nullptr, graph::kNone);
        m_model->setRows({});
        showMessage(
            bundle ? tr("%1 has no program.\nBundles (.mlmodelc, .mlpackage, .aimodel) have one.")
                         .arg(fromUtf8(bundle->name()))
                   : tr("Open a bundle to see its program (Ctrl+O)."));
        return;
    }
    if (m_graph && &m_graph->bundle() == bundle.get())
        return showContent();
    if (!m_graph || m_graph->bundle().path() != bundle->path())
        showMessage(tr("Reading the program\u2026"));
    m_task.start(
        tr("Reading the program"),
        [bundle](Progress &progress) {
            const BundleReadLock lock(*bundle);
            return graph::Graph::build(bundle, &progress);
        },
        [this](Result<graph::GraphPtr> graph) {
            if (graph)
                showGraph(std::move(*graph));
            else
                showMessage(fromUtf8(graph.error().message));
        });
}

void GraphDock::showGraph(graph::GraphPtr graph)
{
    // An edit rarely changes the program: what was drawn stays drawn.
    const bool same = m_graph && m_graph->bundle().path() == graph->bundle().path() &&
                      m_graph->nodes().size() == graph->nodes().size();
    m_graph = std::move(graph);
    m_functions->clear();
    for (std::size_t f = 0; f < m_graph->functions().size(); ++f)
        m_functions->addItem(fromUtf8(graph::shortText(m_graph->functionName(f), 40)));
    m_functions->setVisible(m_functions->count() > 1);
    if (!same) {
        m_visited.clear();
        m_opened.clear();
        m_limit = kDrawnAtFirst;
        m_picked = graph::kNone;
        m_centres = m_graph->inputsOf(0);
        if (m_centres.empty() && !m_graph->nodes().empty())
            m_centres = {0};
        if (const std::size_t node = nodeAt(place()); node != graph::kNone)
            m_centres = {node};
    }
    draw();
}

bool GraphDock::rightwards() const
{
    if (m_flow != Flow::AsTheRoom)
        return m_flow == Flow::Right;
    return m_view->viewport()->width() > m_view->viewport()->height();
}

void GraphDock::draw()
{
    if (!m_graph || m_centres.empty())
        return;
    graph::Scope scope;
    scope.centres = m_centres;
    scope.hops = m_hops;
    scope.mostDrawn = m_limit;
    if (m_hops == kWhole) {
        scope.centres = m_graph->inputsOf(m_graph->nodes()[m_centres.front()].function);
        if (scope.centres.empty())
            scope.centres = m_centres;
        scope.hops = graph::kAllHops;
        scope.mostDrawn = graph::kMostDrawn;
    }
    scope.fold = m_fold->isChecked();
    scope.opened = m_opened;
    m_task.start(
        tr("Drawing the graph"),
        [graph = m_graph, scope](Progress &) {
            return std::make_shared<const graph::Neighbourhood>(graph::neighbourhood(graph, scope));
        },
        [this](std::shared_ptr<const graph::Neighbourhood> drawn) { arrange(std::move(drawn)); });
}

/// Texts are measured here, by the font of the view; where everything goes is computed elsewhere.
/// The whole of a graph goes the way in which it is seen larger.
void GraphDock::arrange(std::shared_ptr<const graph::Neighbourhood> drawn)
{
    using Picture = std::shared_ptr<const graph::Picture>;
    const QFont font = m_view->font();
    m_drawnRight = rightwards();
    std::vector<Picture> ways;
    const bool both = m_flow == Flow::AsTheRoom && drawn->scope.hops == graph::kAllHops;
    for (const bool right : {m_drawnRight, !m_drawnRight}) {
        if (both || ways.empty())
            ways.push_back(std::make_shared<const graph::Picture>(
                graph::picture(*drawn, graphTextSizes(font), right, graphWords())));
    }
    const QSizeF room = m_view->viewport()->size();
    m_task.start(
        tr("Drawing the graph"),
        [ways, room](Progress &progress) {
            const auto zoom = [room](const LaidOut &layout) {
                return std::min(room.width() / std::max(layout->size.width, 1.0),
                                room.height() / std::max(layout->size.height, 1.0));
            };
            std::pair<Picture, LaidOut> best(ways.front(),
                                             graph::layOut(ways.front()->request, &progress));
            for (std::size_t i = 1; best.second && i < ways.size(); ++i) {
                LaidOut other = graph::layOut(ways[i]->request, &progress);
                if (other && zoom(other) > zoom(best.second))
                    best = {ways[i], std::move(other)};
            }
            return best;
        },
        [this, drawn, font](const std::pair<Picture, LaidOut> &best) {
            if (best.second)
                showScene(graphScene(drawn, *best.first, *best.second, font));
            else
                showMessage(fromUtf8(describe(best.second.error())));
        });
}

void GraphDock::showScene(GraphScenePtr scene)
{
    m_following = true;
    const auto drawn = scene->drawn;
    const std::size_t picked = m_picked == graph::kNone ? graph::kNone : drawn->unitOf(m_picked);
    const std::size_t centre = m_centres.empty() ? graph::kNone : drawn->unitOf(m_centres.front());
    m_view->setScene(std::move(scene), picked == graph::kNone ? centre : picked);
    m_model->setRows(report::graphRows(drawn));
    showRow(m_view->current());
    m_following = false;
    if (!m_centres.empty())
        m_functions->setCurrentIndex(
            static_cast<int>(m_graph->nodes()[m_centres.front()].function));
    sayWhatIsDrawn();
    showContent();
    if (drawn->units.empty())
        showMessage(tr("The function is empty."));
}

void GraphDock::sayWhatIsDrawn()
{
    const graph::Neighbourhood &drawn = *m_view->scene()->drawn;
    const std::size_t boxes = static_cast<std::size_t>(
        std::ranges::count_if(drawn.units, [](const graph::DrawnUnit &unit) {
            return unit.kind != graph::DrawnUnit::Kind::Rest;
        }));
    m_said->setText(
        drawn.leftOut == 0
            ? tr("%1 drawn").arg(groupedNumber(boxes))
            : tr("%1 drawn, %2 left out").arg(groupedNumber(boxes), groupedNumber(drawn.leftOut)));
}

void GraphDock::setHops(unsigned hops)
{
    hops = std::clamp(hops, 1U, kWhole);
    m_hopsBox->setCurrentIndex(static_cast<int>(hops) - 1);
    if (std::exchange(m_hops, hops) == hops)
        return;
    draw();
}

void GraphDock::changeEvent(QEvent *event)
{
    Dock::changeEvent(event);
    // Boxes are as large as their texts.
    if (event->type() == QEvent::FontChange && m_graph && m_view->scene())
        draw();
}

std::size_t GraphDock::nodeOf(std::size_t unit) const
{
    const GraphScenePtr &scene = m_view->scene();
    if (!scene || unit >= scene->drawn->units.size() ||
        scene->drawn->units[unit].kind != graph::DrawnUnit::Kind::Node)
        return graph::kNone;
    return scene->drawn->units[unit].nodes.front();
}

/// A whole statement before its weight, which comes before other bytes: those of a network's
/// weights lie within their layer.
std::size_t GraphDock::nodeAt(const Place &place) const
{
    if (!m_graph)
        return graph::kNone;
    const std::size_t weight = m_graph->nodeOfWeight(place.weight);
    if (!place.bytes || !m_graph->bundle().isProgramFile(place.file))
        return weight;
    const std::size_t there = m_graph->nodeAtByte(place.file, place.bytes->offset.value);
    const bool whole = there != graph::kNone &&
                       m_graph->span(there).offset == place.bytes->offset.value &&
                       m_graph->span(there).length == place.bytes->bytes.value;
    return whole || weight == graph::kNone ? there : weight;
}

void GraphDock::follow(const Place &place, QObject *origin)
{
    if (!m_graph || origin == this)
        return;
    const std::size_t node = nodeAt(place);
    if (node == graph::kNone)
        return;
    const std::size_t unit =
        m_view->scene() && !m_task.running() ? m_view->scene()->drawn->unitOf(node) : graph::kNone;
    if (unit != graph::kNone && nodeOf(unit) == node) {
        m_picked = node;
        m_following = true;
        m_view->setCurrent(unit);
        showRow(unit);
        m_following = false;
        return;
    }
    m_picked = graph::kNone;
    centreOn({node});
}

void GraphDock::showRow(std::size_t unit)
{
    const int row = unit == graph::kNone ? -1 : m_model->rowOf(unit);
    if (row >= 0)
        chooseRow(m_table, m_model->index(row, 0));
}

/// The common position goes to what was picked: a weight, the weights of an operation, or the
/// statement in the program.
void GraphDock::leadThere(std::size_t unit)
{
    const std::size_t node = nodeOf(unit);
    m_picked = node;
    m_following = true;
    showRow(unit);
    m_following = false;
    if (node == graph::kNone)
        return;
    const graph::Node &of = m_graph->nodes()[node];
    std::vector<std::size_t> weights;
    for (const std::size_t e : m_graph->edgesInto(node)) {
        const std::size_t from = m_graph->nodes()[m_graph->edges()[e].from].weight;
        if (from != graph::kNone && of.kind == graph::NodeKind::Operation)
            weights.push_back(from);
    }
    Place place;
    place.weight = of.weight != graph::kNone ? std::size_t(of.weight)
                                             : leadingWeight(m_graph->bundle(), weights);
    if (const SourceSpan span = m_graph->span(node);
        of.weight == graph::kNone && span.length > 0 && m_graph->fileOf(node) != kNoIndex) {
        place.file = m_graph->fileOf(node);
        place.bytes = {FileOffset(span.offset), ByteCount(span.length)};
    }
    if (place != Place())
        session().goTo(place, this);
}

/// A repeat opens, what was left out is drawn, anything else becomes the centre.
void GraphDock::activate(std::size_t unit)
{
    const GraphScenePtr scene = m_view->scene();
    if (!scene || unit >= scene->drawn->units.size())
        return;
    const graph::DrawnUnit &of = scene->drawn->units[unit];
    switch (of.kind) {
    case graph::DrawnUnit::Kind::Fold:
        m_visited.push_back({m_centres, m_opened});
        m_opened.insert(of.run);
        m_picked = of.nodes.front();
        draw();
        return;
    case graph::DrawnUnit::Kind::Rest:
        if (m_limit < graph::kMostDrawn) {
            m_limit = std::min(m_limit + kDrawnMore, graph::kMostDrawn);
            draw();
        } else {
            centreOn({of.nodes.front()});
        }
        return;
    case graph::DrawnUnit::Kind::Node: break;
    }
    const graph::Node &node = m_graph->nodes()[of.nodes.front()];
    m_picked = of.nodes.front();
    if (node.callee != graph::kNone && !m_graph->inputsOf(node.callee).empty()) {
        m_picked = graph::kNone;
        centreOn(m_graph->inputsOf(node.callee));
    } else if (m_centres == of.nodes) {
        m_view->centreCurrent();
    } else {
        centreOn(of.nodes);
    }
}

void GraphDock::centreOn(std::vector<std::size_t> nodes)
{
    if (!m_graph || nodes.empty())
        return;
    if (nodes != m_centres && !m_centres.empty())
        m_visited.push_back({m_centres, m_opened});
    m_centres = std::move(nodes);
    m_limit = kDrawnAtFirst;
    draw();
}

void GraphDock::goBackHere()
{
    if (m_visited.empty()) {
        Q_EMIT session().statusMessage(tr("Nothing else was drawn before."));
        return;
    }
    m_centres = m_visited.back().centres;
    m_opened = m_visited.back().opened;
    m_visited.pop_back();
    m_picked = graph::kNone;
    draw();
}

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
    auto *copy = copyAction(this, tr("Copy Rows of the Table"), m_table);
    auto *svg =
        dockAction(this, tr("Export Drawing as SVG\u2026"), {}, [this] { askAndExport(true); });
    auto *dot =
        dockAction(this, tr("Export for Graphviz\u2026"), {}, [this] { askAndExport(false); });
    m_actions << copy << svg << dot
              << exportAction(this, session(), tr("Export Table as CSV\u2026"), *m_model, "graph");
    m_view->addActions(m_actions);
    m_table->addActions(m_actions);
    m_view->setContextMenuPolicy(Qt::ActionsContextMenu);
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
    Q_EMIT raiseRequested(u"weight"_s);
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
    raiseHex();
}

void GraphDock::askAndExport(bool svg)
{
    if (!m_view->scene()) {
        Q_EMIT session().statusMessage(tr("There is no drawing to export."));
        return;
    }
    const QString path =
        svg ? askSavePath(this, tr("Export Drawing"), u"graph.svg"_s, tr("SVG (*.svg)"))
            : askSavePath(this, tr("Export Drawing"), u"graph.dot"_s, tr("Graphviz (*.dot *.gv)"));
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

#include "moc_graph_dock.cpp"
