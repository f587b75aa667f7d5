// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/program/graph_scene.h"

#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "widgets/common/design.h"
#include "widgets/models/program_spans.h"
#include "widgets/models/table_text.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace kernscope::ui {

namespace {

struct GraphSceneWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::Graph)
};

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
        lines << (literal ? fromUtf8(name) + QStringLiteral(" = ") + programLiteral(*literal)
                          : fromUtf8(name));
    }
    return lines;
}

QString graphBytesText(const Weight &weight)
{
    const auto bytes = knownStoredBytes(weight);
    return bytes ? groupedNumber(bytes->value) : QStringLiteral("?");
}

QString nodeTip(const graph::Graph &graph, std::size_t node)
{
    constexpr std::size_t kLongestName = 1000;
    const graph::Node &of = graph.nodes()[node];
    QStringList lines;
    const QString name = fromUtf8(graph::shortText(graph.name(node), kLongestName));
    const QString title = fromUtf8(graph.title(node));
    switch (of.kind) {
    case graph::NodeKind::Operation:
        lines << GraphSceneWords::tr("Operation %1 %2").arg(title, name);
        break;
    case graph::NodeKind::Weight:
        lines << GraphSceneWords::tr("Weight %1: %2, %3 B")
                     .arg(name, title, graphBytesText(graph.bundle().weights()[of.weight]));
        break;
    case graph::NodeKind::Input: lines << GraphSceneWords::tr("Input %1").arg(name); break;
    case graph::NodeKind::Output: lines << GraphSceneWords::tr("Output %1").arg(name); break;
    case graph::NodeKind::BlockInput:
        lines << GraphSceneWords::tr("Input %1 of a block").arg(name);
        break;
    }
    if (const std::string result = graph.result(node); !result.empty())
        lines << fromUtf8(result);
    if (of.callee != graph::kNone)
        lines << GraphSceneWords::tr("Runs the function %1")
                     .arg(fromUtf8(graph.functionName(of.callee)));
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
            lines << QStringLiteral("\u2026");
            break;
        }
        lines << fromUtf8(drawn.graph->title(of.nodes[i])) + QLatin1Char(' ') +
                     fromUtf8(graph::shortText(drawn.graph->name(of.nodes[i]), 80));
    }
    lines << (of.kind == graph::DrawnUnit::Kind::Fold
                  ? GraphSceneWords::tr("Enter or a double click opens it")
                  : GraphSceneWords::tr("Enter or a double click shows more"));
    return lines.join(QLatin1Char('\n'));
}

} // namespace

graph::Words graphWords()
{
    const auto word = [](const QString &text) { return text.toStdString(); };
    graph::Words words;
    words.input = word(GraphSceneWords::tr("input"));
    words.output = word(GraphSceneWords::tr("output"));
    words.blockInput = word(GraphSceneWords::tr("block input"));
    words.times = word(GraphSceneWords::tr("%1 \u00D7 %2", "a block, how many times"));
    words.repeat = word(GraphSceneWords::tr("block of %1 operations"));
    words.repeatOfOne = word(GraphSceneWords::tr("%1 operation"));
    words.foldedWeights = word(GraphSceneWords::tr("%1 weights, %2 B"));
    words.foldedWeight = word(GraphSceneWords::tr("%1 weight, %2 B"));
    words.moreOperations = word(GraphSceneWords::tr("%1 more operations"));
    words.moreOperation = word(GraphSceneWords::tr("%1 more operation"));
    words.moreNodes = word(GraphSceneWords::tr("%1 more"));
    words.before = word(GraphSceneWords::tr("%1 more before"));
    words.after = word(GraphSceneWords::tr("%1 more after"));
    words.bytes = word(GraphSceneWords::tr("%1 B"));
    words.calls = word(GraphSceneWords::tr("runs %1"));
    words.values = word(GraphSceneWords::tr("%1 values"));
    words.block = word(GraphSceneWords::tr("%1 %2: block %3"));
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

} // namespace kernscope::ui
