// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/program/graph_view.h"

#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "widgets/common/design.h"
#include "widgets/common/qt.h"
#include "widgets/models/program_model.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

constexpr std::size_t kMostTipLines = 14;

QPointF pointOf(const graph::Point &point)
{
    return {point.x, point.y};
}

QRectF rectOf(const graph::PlacedBox &box)
{
    return {box.topLeft.x, box.topLeft.y, box.size.width, box.size.height};
}

QRectF roomAround(const graph::Point &centre, const graph::Extent &size)
{
    return {centre.x - size.width / 2, centre.y - size.height / 2, size.width, size.height};
}

GraphScene::Arrow arrowOf(const graph::LayoutResult::Path &path, const std::string &label,
                          const graph::Extent &room)
{
    GraphScene::Arrow arrow;
    if (path.curve.empty())
        return arrow;
    arrow.line.moveTo(pointOf(path.curve.front()));
    for (std::size_t i = 1; i + 2 < path.curve.size(); i += 3)
        arrow.line.cubicTo(pointOf(path.curve[i]), pointOf(path.curve[i + 1]),
                           pointOf(path.curve[i + 2]));
    const QPointF base = pointOf(path.curve.back()), tip = pointOf(path.tip);
    const QPointF along = tip - base, aside(-along.y() * 0.4, along.x() * 0.4);
    arrow.head.moveTo(tip);
    arrow.head.lineTo(base + aside);
    arrow.head.lineTo(base - aside);
    arrow.head.closeSubpath();
    if (path.hasLabel) {
        arrow.label = fromUtf8(label);
        arrow.labelRoom = roomAround(path.label, room);
    }
    return arrow;
}

/// Names of its operands that are plain constants, with their values where these are short.
QStringList constantLines(const graph::Graph &graph, std::size_t node)
{
    QStringList lines;
    const mil::Operation *operation = graph.operation(node);
    for (const std::string &name : graph.constantsOf(node)) {
        const mil::Argument *argument = operation->input(name);
        const mil::Literal *literal =
            argument && argument->values.size() == 1 ? argument->values.front().literal() : nullptr;
        lines << (literal ? fromUtf8(name) + u" = "_s + programLiteral(*literal) : fromUtf8(name));
    }
    return lines;
}

QString graphBytesText(const Weight &weight)
{
    const auto bytes = knownStoredBytes(weight);
    return bytes ? groupedNumber(bytes->value) : u"?"_s;
}

QString nodeTip(const graph::Graph &graph, std::size_t node)
{
    constexpr std::size_t kLongestName = 1000;
    const graph::Node &of = graph.nodes()[node];
    QStringList lines;
    const QString name = fromUtf8(graph::shortText(graph.name(node), kLongestName));
    const QString title = fromUtf8(graph.title(node));
    switch (of.kind) {
    case graph::NodeKind::Operation: lines << Words::tr("Operation %1 %2").arg(title, name); break;
    case graph::NodeKind::Weight:
        lines << Words::tr("Weight %1: %2, %3 B")
                     .arg(name, title, graphBytesText(graph.bundle().weights()[of.weight]));
        break;
    case graph::NodeKind::Input: lines << Words::tr("Input %1").arg(name); break;
    case graph::NodeKind::Output: lines << Words::tr("Output %1").arg(name); break;
    case graph::NodeKind::BlockInput: lines << Words::tr("Input %1 of a block").arg(name); break;
    }
    if (const std::string result = graph.result(node); !result.empty())
        lines << fromUtf8(result);
    if (of.callee != graph::kNone)
        lines << Words::tr("Runs the function %1").arg(fromUtf8(graph.functionName(of.callee)));
    lines << constantLines(graph, node);
    return lines.join(QLatin1Char('\n'));
}

QString unitTip(const graph::Neighbourhood &drawn, std::size_t unit)
{
    const graph::DrawnUnit &of = drawn.units[unit];
    if (of.kind == graph::DrawnUnit::Kind::Node)
        return nodeTip(*drawn.graph, of.nodes.front());
    const graph::Label label = graph::unitLabel(drawn, unit, graphWords());
    QStringList lines{fromUtf8(label.title)};
    for (const std::string &line : label.lines)
        lines << fromUtf8(line);
    for (std::size_t i = 0; i < of.nodes.size(); ++i) {
        if (static_cast<std::size_t>(lines.size()) >= kMostTipLines) {
            lines << u"\u2026"_s;
            break;
        }
        lines << fromUtf8(drawn.graph->title(of.nodes[i])) + QLatin1Char(' ') +
                     fromUtf8(graph::shortText(drawn.graph->name(of.nodes[i]), 80));
    }
    lines << (of.kind == graph::DrawnUnit::Kind::Fold
                  ? Words::tr("Enter or a double click opens it")
                  : Words::tr("Enter or a double click shows more"));
    return lines.join(QLatin1Char('\n'));
}

} // namespace

graph::Words graphWords()
{
    const auto word = [](const QString &text) { return text.toStdString(); };
    graph::Words words;
    words.input = word(Words::tr("input"));
    words.output = word(Words::tr("output"));
    words.blockInput = word(Words::tr("block input"));
    words.times = word(Words::tr("%1 \u00D7 %2", "a block, how many times"));
    words.repeat = word(Words::tr("block of %1 operations"));
    words.repeatOfOne = word(Words::tr("%1 operation"));
    words.foldedWeights = word(Words::tr("%1 weights, %2 B"));
    words.foldedWeight = word(Words::tr("%1 weight, %2 B"));
    words.moreOperations = word(Words::tr("%1 more operations"));
    words.moreOperation = word(Words::tr("%1 more operation"));
    words.moreNodes = word(Words::tr("%1 more"));
    words.before = word(Words::tr("%1 more before"));
    words.after = word(Words::tr("%1 more after"));
    words.bytes = word(Words::tr("%1 B"));
    words.calls = word(Words::tr("runs %1"));
    words.values = word(Words::tr("%1 values"));
    words.block = word(Words::tr("%1 %2: block %3"));
    return words;
}

graph::TextSizes graphTextSizes(const QFont &font)
{
    const QFontMetricsF body(font), bold(design::type(font, design::Type::Heading));
    graph::TextSizes sizes;
    sizes.width = [body, bold](std::string_view text, bool heavy) {
        const QString shown = QString::fromUtf8(text.data(), qsizetype(text.size()));
        return std::ceil((heavy ? bold : body).horizontalAdvance(shown)) + 2;
    };
    sizes.lineHeight = std::ceil(std::max(body.height(), bold.height()));
    sizes.padding = std::ceil(body.height() * 0.6);
    return sizes;
}

std::vector<std::size_t> GraphScene::besides(std::size_t unit) const
{
    std::set<std::size_t> found;
    for (const graph::Link &link : drawn->links) {
        if (link.from == unit || link.to == unit)
            found.insert(link.from == unit ? link.to : link.from);
    }
    found.erase(unit);
    return {found.begin(), found.end()};
}

std::size_t GraphScene::towards(std::size_t unit, const QPointF &direction) const
{
    const auto nearest = [&](const std::set<std::size_t> &among) {
        std::size_t found = graph::kNone;
        double least = std::numeric_limits<double>::max();
        for (const std::size_t other : among) {
            const QPointF to = boxes[other].rect.center() - boxes[unit].rect.center();
            const double ahead = QPointF::dotProduct(to, direction);
            const double aside = std::abs(to.x() * direction.y() - to.y() * direction.x());
            const double far = ahead + 2 * aside;
            // More aside than ahead is the way of another key, unless nothing is better.
            const double cost = aside > 3 * ahead ? far * 4 : far;
            if (other != unit && ahead > 1 && cost < least) {
                least = cost;
                found = other;
            }
        }
        return found;
    };
    const std::vector<std::size_t> joined = besides(unit);
    const std::size_t first = nearest({joined.begin(), joined.end()});
    if (first != graph::kNone)
        return first;
    std::set<std::size_t> siblings;
    for (const std::size_t other : joined) {
        for (const std::size_t each : besides(other))
            siblings.insert(each);
    }
    return nearest(siblings);
}

GraphScenePtr graphScene(std::shared_ptr<const graph::Neighbourhood> drawn,
                         const graph::Picture &picture, const graph::LayoutResult &layout,
                         const QFont &font)
{
    auto scene = std::make_shared<GraphScene>();
    const graph::TextSizes sizes = graphTextSizes(font);
    scene->rightwards = picture.request.rightwards;
    scene->font = font;
    scene->lineHeight = sizes.lineHeight;
    scene->padding = sizes.padding;
    scene->page = QRectF(0, 0, layout.size.width, layout.size.height);
    for (std::size_t u = 0; u < layout.boxes.size(); ++u) {
        GraphScene::Box box;
        box.rect = rectOf(layout.boxes[u]);
        box.title = fromUtf8(picture.labels[u].title);
        for (const std::string &line : picture.labels[u].lines)
            box.lines << fromUtf8(line);
        box.tip = unitTip(*drawn, u);
        scene->boxes.push_back(std::move(box));
    }
    for (std::size_t a = 0; a < layout.arrows.size(); ++a) {
        scene->arrows.push_back(
            arrowOf(layout.arrows[a], picture.linkLabels[a], picture.request.arrows[a].label));
        const graph::Link &link = drawn->links[a];
        scene->arrows.back().dashed =
            link.edges.empty() ||
            drawn->graph->edges()[link.edges.front()].kind != graph::EdgeKind::Value;
    }
    for (std::size_t f = 0; f < layout.frames.size(); ++f)
        scene->frames.push_back(
            {rectOf(layout.frames[f]), fromUtf8(picture.frameLabels[f]),
             roomAround(layout.frameLabels[f], picture.request.frames[f].label)});
    scene->drawn = std::move(drawn);
    return scene;
}

namespace {

constexpr double kLeastZoom = 0.08, kMostZoom = 4, kZoomFactor = 1.2;
constexpr double kReadable = 0.8; ///< below it letters are hard to read
constexpr double kGraphMargin = 12;

} // namespace

GraphView::GraphView(QWidget *parent) : QAbstractScrollArea(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setLayoutDirection(Qt::LeftToRight); // a drawing is the same in every language
    viewport()->setMouseTracking(true);
    viewport()->setBackgroundRole(QPalette::Base);
    setAccessibleName(tr("Graph of the program"));
    for (QScrollBar *bar : {horizontalScrollBar(), verticalScrollBar()})
        connect(bar, &QScrollBar::valueChanged, viewport(), qOverload<>(&QWidget::update));
}

QSize GraphView::sizeHint() const
{
    return {theme::em(this, 40), theme::em(this, 20)};
}

QSize GraphView::minimumSizeHint() const
{
    return {theme::em(this, 12), theme::em(this, 8)};
}

double GraphView::fitZoom() const
{
    if (!m_scene || m_scene->page.isEmpty())
        return 1;
    const double across = (viewport()->width() - 2 * kGraphMargin) / m_scene->page.width();
    const double down = (viewport()->height() - 2 * kGraphMargin) / m_scene->page.height();
    return std::clamp(std::min({across, down, 1.0}), kLeastZoom, kMostZoom);
}

/// The whole of a drawing where one can read it at that size or wants all of it, else what is
/// picked.
void GraphView::beginView()
{
    const bool whole = m_scene && m_scene->drawn->scope.hops == graph::kAllHops;
    m_zoom = whole ? fitZoom() : std::max(fitZoom(), kReadable);
    updateBars();
    if (m_current != graph::kNone)
        showUnit(m_current, true);
}

void GraphView::setScene(GraphScenePtr scene, std::size_t current)
{
    // The same drawing of changed bytes stays where it is.
    const bool alike = m_scene && scene && m_scene->page == scene->page &&
                       m_scene->boxes.size() == scene->boxes.size() &&
                       m_scene->drawn->scope.centres == scene->drawn->scope.centres;
    m_scene = std::move(scene);
    m_current = m_scene && current < m_scene->boxes.size() ? current : graph::kNone;
    if (!alike) {
        m_moved = false;
        beginView();
    }
    announce();
    viewport()->update();
}

void GraphView::setCurrent(std::size_t unit)
{
    if (!m_scene || unit >= m_scene->boxes.size() || unit == m_current)
        return;
    m_current = unit;
    showUnit(unit, false);
    announce();
    viewport()->update();
}

void GraphView::announce()
{
    setAccessibleDescription(m_current == graph::kNone ? QString() : m_scene->boxes[m_current].tip);
}

/// A drawing that is smaller than the view stands in its middle.
QPointF GraphView::origin() const
{
    const auto along = [](const QScrollBar *bar, double extent, int room) {
        return bar->maximum() > 0 ? kGraphMargin - bar->value() : (room - extent) / 2;
    };
    return {along(horizontalScrollBar(), m_scene->page.width() * m_zoom, viewport()->width()),
            along(verticalScrollBar(), m_scene->page.height() * m_zoom, viewport()->height())};
}

QPointF GraphView::toView(const QPointF &point) const
{
    return m_scene ? origin() + point * m_zoom : point;
}

QPointF GraphView::toScene(const QPointF &point) const
{
    return m_scene ? (point - origin()) / m_zoom : point;
}

QRectF GraphView::viewRect(std::size_t unit) const
{
    const QRectF rect = m_scene->boxes[unit].rect;
    return {toView(rect.topLeft()), rect.size() * m_zoom};
}

std::size_t GraphView::unitAt(const QPointF &position) const
{
    if (!m_scene)
        return graph::kNone;
    const QPointF point = toScene(position);
    for (std::size_t u = 0; u < m_scene->boxes.size(); ++u) {
        if (m_scene->boxes[u].rect.contains(point))
            return u;
    }
    return graph::kNone;
}

void GraphView::updateBars()
{
    const QSizeF extent = m_scene ? m_scene->page.size() * m_zoom : QSizeF();
    const auto set = [](QScrollBar *bar, double length, int room) {
        const int over = static_cast<int>(std::ceil(length + 2 * kGraphMargin)) - room;
        bar->setRange(0, std::max(0, over));
        bar->setPageStep(room);
        bar->setSingleStep(std::max(1, room / 10));
    };
    set(horizontalScrollBar(), extent.width(), viewport()->width());
    set(verticalScrollBar(), extent.height(), viewport()->height());
}

void GraphView::setZoom(double zoom, const QPointF &anchor)
{
    if (!m_scene)
        return;
    m_moved = true;
    const QPointF held = toScene(anchor);
    m_zoom = std::clamp(zoom, kLeastZoom, kMostZoom);
    updateBars();
    horizontalScrollBar()->setValue(
        static_cast<int>(std::lround(held.x() * m_zoom + kGraphMargin - anchor.x())));
    verticalScrollBar()->setValue(
        static_cast<int>(std::lround(held.y() * m_zoom + kGraphMargin - anchor.y())));
    viewport()->update();
}

void GraphView::showUnit(std::size_t unit, bool centred)
{
    const QRectF rect(viewRect(unit));
    const QRectF room = QRectF(viewport()->rect()).adjusted(4, 4, -4, -4);
    if (!centred && room.contains(rect))
        return;
    const QPointF by = rect.center() - room.center();
    const auto move = [centred](QScrollBar *bar, double all, double low, double high) {
        bar->setValue(bar->value() + static_cast<int>(std::lround(centred    ? all
                                                                  : low < 0  ? low
                                                                  : high > 0 ? high
                                                                             : 0)));
    };
    move(horizontalScrollBar(), by.x(), rect.left() - room.left(), rect.right() - room.right());
    move(verticalScrollBar(), by.y(), rect.top() - room.top(), rect.bottom() - room.bottom());
}

void GraphView::zoomIn()
{
    setZoom(m_zoom * kZoomFactor, viewport()->rect().center());
}

void GraphView::zoomOut()
{
    setZoom(m_zoom / kZoomFactor, viewport()->rect().center());
}

void GraphView::fit()
{
    setZoom(fitZoom(), viewport()->rect().center());
}

void GraphView::centreCurrent()
{
    if (m_scene && m_current != graph::kNone)
        showUnit(m_current, true);
}

void GraphView::resizeEvent(QResizeEvent *)
{
    if (m_moved)
        updateBars();
    else
        beginView();
    Q_EMIT resized();
}

void GraphView::paintEvent(QPaintEvent *event)
{
    QPainter painter(viewport());
    painter.fillRect(event->rect(), palette().color(QPalette::Base));
    if (!m_scene)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(origin());
    painter.scale(m_zoom, m_zoom);
    const QRectF seen(toScene(event->rect().topLeft()), QSizeF(event->rect().size()) / m_zoom);
    for (const GraphScene::Frame &frame : m_scene->frames)
        paintFrame(painter, frame);
    const auto &links = m_scene->drawn->links;
    for (const bool strong : {false, true}) {
        for (std::size_t a = 0; a < m_scene->arrows.size(); ++a) {
            const GraphScene::Arrow &arrow = m_scene->arrows[a];
            const bool own = links[a].from == m_current || links[a].to == m_current;
            const QRectF bounds = arrow.line.boundingRect() | arrow.labelRoom;
            if (own == strong && bounds.adjusted(-8, -8, 8, 8).intersects(seen))
                paintArrow(painter, arrow, strong);
        }
    }
    for (std::size_t u = 0; u < m_scene->boxes.size(); ++u) {
        if (m_scene->boxes[u].rect.adjusted(-6, -6, 8, 8).intersects(seen))
            paintBox(painter, u);
    }
}

void GraphView::paintFrame(QPainter &painter, const GraphScene::Frame &frame) const
{
    QColor ground = palette().color(QPalette::Text);
    ground.setAlphaF(0.04F);
    painter.setBrush(ground);
    painter.setPen(QPen(palette().color(QPalette::PlaceholderText), 1, Qt::DashLine));
    painter.drawRoundedRect(frame.rect, 6, 6);
    painter.setPen(palette().color(QPalette::Text));
    painter.setFont(m_scene->font);
    painter.drawText(frame.labelRoom, Qt::AlignCenter, frame.label);
}

void GraphView::paintArrow(QPainter &painter, const GraphScene::Arrow &arrow, bool strong) const
{
    const QColor color =
        strong ? design::accent(palette()) : palette().color(QPalette::PlaceholderText);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, strong ? 2 : 1.2, arrow.dashed ? Qt::DashLine : Qt::SolidLine));
    painter.drawPath(arrow.line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawPath(arrow.head);
    if (arrow.labelRoom.isEmpty() || m_zoom < kReadable / 2)
        return;
    painter.setPen(palette().color(QPalette::Text));
    painter.setFont(m_scene->font);
    painter.drawText(arrow.labelRoom, Qt::AlignCenter, arrow.label);
}

/// A shape for each kind: boxes for operations, a band for weights, round ends for inputs and
/// outputs, a second edge for what is folded, dashes for what is left out.
void GraphView::paintGround(QPainter &painter, std::size_t unit, const QRectF &rect) const
{
    const graph::DrawnUnit &of = m_scene->drawn->units[unit];
    const graph::Graph &graph = *m_scene->drawn->graph;
    const graph::Node &node = graph.nodes()[of.nodes.front()];
    const bool single = of.kind == graph::DrawnUnit::Kind::Node;
    const bool weight = single && node.kind == graph::NodeKind::Weight;
    const bool end = single && !weight && node.kind != graph::NodeKind::Operation;
    const QColor edge = palette().color(QPalette::PlaceholderText);
    const QColor ground = end ? design::track(palette()) : palette().color(QPalette::Window);
    const double round = end ? std::min(rect.height() / 2, m_scene->lineHeight) : 4;
    if (of.kind == graph::DrawnUnit::Kind::Fold) {
        painter.setPen(QPen(edge, 1));
        painter.setBrush(design::track(palette()));
        painter.drawRoundedRect(rect.translated(4, 4), round, round);
    }
    const bool rest = of.kind == graph::DrawnUnit::Kind::Rest;
    painter.setBrush(rest ? palette().color(QPalette::Base) : ground);
    painter.setPen(QPen(edge, 1, rest ? Qt::DotLine : Qt::SolidLine));
    painter.drawRoundedRect(rect, round, round);
    if (weight) {
        const StorageForm &form = graph.bundle().weights()[node.weight].form;
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme::color(formToken(form), theme::isDark(palette())));
        painter.drawRoundedRect(QRectF(rect.topLeft(), QSizeF(5, rect.height())), 2, 2);
    }
    if (of.hop == 0) { // what the drawing is about
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(palette().color(QPalette::Text), 2));
        painter.drawRoundedRect(rect, round, round);
    }
    if (unit == m_current) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(design::accent(palette()), 2.5));
        painter.drawRoundedRect(rect.adjusted(-3.5, -3.5, 3.5, 3.5), round + 3, round + 3);
    }
}

void GraphView::paintBox(QPainter &painter, std::size_t unit) const
{
    const GraphScene::Box &box = m_scene->boxes[unit];
    paintGround(painter, unit, box.rect);
    QRectF line(box.rect.left(), box.rect.top() + m_scene->padding / 2, box.rect.width(),
                m_scene->lineHeight);
    painter.setPen(palette().color(QPalette::Text));
    QFont heading = design::type(m_scene->font, design::Type::Heading);
    if (m_zoom < kReadable) { // the title alone, its letters as large as the box lets them be
        const double width = QFontMetricsF(heading).horizontalAdvance(box.title);
        const double tall =
            std::clamp((box.rect.height() - 2) / m_scene->lineHeight, 1.0, 1 / m_zoom);
        const double wide = (box.rect.width() - 4) / std::max(width, 1.0);
        heading.setPointSizeF(heading.pointSizeF() * std::clamp(wide, tall * 0.6, tall));
        painter.setFont(heading);
        painter.drawText(box.rect, Qt::AlignCenter,
                         painter.fontMetrics().elidedText(box.title, Qt::ElideRight,
                                                          static_cast<int>(box.rect.width()) - 2));
        return;
    }
    painter.setFont(heading);
    painter.drawText(line, Qt::AlignCenter, box.title);
    painter.setFont(m_scene->font);
    for (const QString &text : box.lines) {
        line.translate(0, m_scene->lineHeight);
        painter.drawText(line, Qt::AlignCenter, text);
    }
}

void GraphView::wheelEvent(QWheelEvent *event)
{
    constexpr double kEighthsOfAStep = 120;
    const double steps = event->angleDelta().y() / kEighthsOfAStep;
    if (m_scene && steps != 0)
        setZoom(m_zoom * std::pow(1.2, steps), event->position());
    event->accept();
}

void GraphView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_pressed = true;
    m_dragging = false;
    m_pressedAt = m_draggedTo = event->position().toPoint();
}

void GraphView::mouseMoveEvent(QMouseEvent *event)
{
    const QPoint at = event->position().toPoint();
    if (!m_pressed) {
        viewport()->setCursor(unitAt(event->position()) == graph::kNone ? Qt::ArrowCursor
                                                                        : Qt::PointingHandCursor);
        return;
    }
    if (!m_dragging && (at - m_pressedAt).manhattanLength() < QApplication::startDragDistance())
        return;
    m_dragging = m_moved = true;
    viewport()->setCursor(Qt::ClosedHandCursor);
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - (at - m_draggedTo).x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() - (at - m_draggedTo).y());
    m_draggedTo = at;
}

void GraphView::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_pressed)
        return;
    m_pressed = false;
    viewport()->unsetCursor();
    const std::size_t unit = m_dragging ? graph::kNone : unitAt(event->position());
    m_dragging = false;
    if (unit == graph::kNone)
        return;
    setCurrent(unit);
    Q_EMIT picked(unit);
}

void GraphView::mouseDoubleClickEvent(QMouseEvent *event)
{
    const std::size_t unit = unitAt(event->position());
    if (event->button() == Qt::LeftButton && unit != graph::kNone)
        Q_EMIT activated(unit);
}

void GraphView::keyPressEvent(QKeyEvent *event)
{
    if (!m_scene || m_scene->boxes.empty())
        return QAbstractScrollArea::keyPressEvent(event);
    QPointF direction;
    switch (event->key()) {
    case Qt::Key_Left: direction = {-1, 0}; break;
    case Qt::Key_Right: direction = {1, 0}; break;
    case Qt::Key_Up: direction = {0, -1}; break;
    case Qt::Key_Down: direction = {0, 1}; break;
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoomIn();
    case Qt::Key_Minus: return zoomOut();
    case Qt::Key_Home: return fit();
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current != graph::kNone)
            Q_EMIT activated(m_current);
        return;
    default: return QAbstractScrollArea::keyPressEvent(event);
    }
    if (event->modifiers() & ~Qt::KeypadModifier)
        return QAbstractScrollArea::keyPressEvent(event);
    const std::size_t next = m_current == graph::kNone ? 0 : m_scene->towards(m_current, direction);
    if (next == graph::kNone)
        return;
    setCurrent(next);
    Q_EMIT picked(next);
}

bool GraphView::viewportEvent(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const std::size_t unit = unitAt(help->pos());
    if (unit == graph::kNone)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), m_scene->boxes[unit].tip, viewport());
    return true;
}

} // namespace kernscope::ui

#include "moc_graph_view.cpp"
