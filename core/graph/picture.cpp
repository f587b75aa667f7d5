// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/picture.h"

#include "core/base/svg.h"
#include "core/bundle/bundle.h"
#include "core/form/form_steps.h"

#include <cmath>

#include <fmt/format.h>

namespace kernscope::graph {

namespace {

/// Widths of DejaVu Sans in ems, rounded up: what other fonts have is rarely wider.
double emsOf(unsigned char letter)
{
    static constexpr std::string_view kNarrow = "iljtfrI.,:;'|!()[]{} /\\\"`-";
    static constexpr std::string_view kWide = "mwMWOQGDHNU@%&_+=<>~#";
    const char each = static_cast<char>(letter);
    if (kNarrow.find(each) != std::string_view::npos)
        return 0.42;
    if (kWide.find(each) != std::string_view::npos)
        return each == 'm' || each == 'W' || each == '@' || each == '%' ? 1.02 : 0.86;
    return letter >= 'A' && letter <= 'Z' ? 0.72 : 0.64;
}

double ordinaryWidth(std::string_view text, bool bold)
{
    constexpr double kPixels = 12;
    double ems = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x80)
            ems += emsOf(byte);
        else if (byte >= 0xE0) // of three bytes and more: letters of the far east are squares
            ems += 1.05;
        else if (byte >= 0xC0)
            ems += 0.8;
    }
    return ems * kPixels * (bold ? 1.13 : 1.0);
}

class Framing
{
public:
    Framing(const Neighbourhood &drawn, Picture &made) : m_drawn(drawn), m_made(made) {}

    void add(std::size_t unit)
    {
        const Node &node = m_drawn.graph->nodes()[m_drawn.units[unit].nodes.front()];
        if (m_drawn.units[unit].kind == DrawnUnit::Kind::Rest || node.holder == kNone)
            return;
        m_made.request.frames[frame(node.holder, node.block)].boxes.push_back(unit);
    }

private:
    std::size_t frame(std::size_t holder, std::size_t block)
    {
        if (const auto at = m_frames.find({holder, block}); at != m_frames.end())
            return at->second;
        const Node &node = m_drawn.graph->nodes()[holder];
        LayoutRequest::Frame made;
        if (node.holder != kNone)
            made.parent = frame(node.holder, node.block);
        const std::size_t index = m_made.frames.size();
        m_frames.emplace(std::pair(holder, block), index);
        m_made.frames.push_back({holder, block});
        m_made.request.frames.push_back(std::move(made));
        return index;
    }

    const Neighbourhood &m_drawn;
    Picture &m_made;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> m_frames;
};

/// A quoted string; lines are centred. What is in it was made printable() before.
std::string quoted(const std::vector<std::string> &lines)
{
    std::string text = "\"";
    for (std::size_t i = 0; i < lines.size(); ++i) {
        text += i == 0 ? "" : "\\n";
        for (const char letter : lines[i]) {
            if (letter == '"' || letter == '\\')
                text += '\\';
            text += letter;
        }
    }
    return text + "\"";
}

std::string lookOf(const Neighbourhood &drawn, const DrawnUnit &unit)
{
    const Node &node = drawn.graph->nodes()[unit.nodes.front()];
    std::string look;
    if (unit.kind == DrawnUnit::Kind::Rest)
        return ", style=dashed";
    if (unit.kind == DrawnUnit::Kind::Fold)
        look = ", peripheries=2";
    else if (node.kind == NodeKind::Weight)
        look = fmt::format(", color=\"#{:06x}\"",
                           formColor(drawn.graph->bundle().weights()[node.weight].form));
    else if (node.kind != NodeKind::Operation)
        look = ", style=rounded";
    return unit.hop == 0 ? look + ", penwidth=2.5" : look;
}

/// A frame with the boxes and the frames in it.
void writeFrame(const Picture &made, std::size_t index, int depth, std::string &text)
{
    const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
    text += fmt::format("{}subgraph cluster{} {{\n{}  label={};\n", indent, index, indent,
                        quoted({made.frameLabels[index]}));
    for (const std::size_t unit : made.request.frames[index].boxes)
        text += fmt::format("{}  n{};\n", indent, unit);
    for (std::size_t inner = index + 1; inner < made.frames.size(); ++inner) {
        if (made.request.frames[inner].parent == index)
            writeFrame(made, inner, depth + 1, text);
    }
    text += indent + "}\n";
}

constexpr int kBand = 5; ///< width of the colour of a weight's form

class SvgWriter
{
public:
    SvgWriter(const Neighbourhood &drawn, const Picture &picture, const LayoutResult &layout)
        : m_drawn(drawn), m_picture(picture), m_layout(layout)
    {
    }

    std::string run() const
    {
        const auto width = static_cast<int>(std::ceil(m_layout.size.width));
        const auto height = static_cast<int>(std::ceil(m_layout.size.height));
        std::string content =
            "\n" +
            svg::element("rect", {{"width", width}, {"height", height}, {"fill", "#ffffff"}}) +
            "\n";
        for (std::size_t f = 0; f < m_layout.frames.size(); ++f)
            content += frame(f);
        for (std::size_t a = 0; a < m_layout.arrows.size(); ++a)
            content += arrow(a);
        for (std::size_t u = 0; u < m_layout.boxes.size(); ++u)
            content += box(u);
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
               svg::element("svg",
                            {{"xmlns", "http://www.w3.org/2000/svg"},
                             {"version", "1.1"},
                             {"width", width},
                             {"height", height},
                             {"viewBox", fmt::format("0 0 {} {}", width, height)},
                             {"font-family", "'DejaVu Sans', Verdana, sans-serif"},
                             {"font-size", 12}},
                            content) +
               "\n";
    }

private:
    /// As wide as its room was made for: other fonts are squeezed into it.
    std::string text(Point at, const std::string &line, bool bold, std::string_view color) const;
    std::string frame(std::size_t index) const;
    std::string arrow(std::size_t index) const;
    std::string box(std::size_t index) const;
    std::string tooltip(const DrawnUnit &unit) const;

    const Neighbourhood &m_drawn;
    const Picture &m_picture;
    const LayoutResult &m_layout;
    const TextSizes m_sizes = ordinarySizes();
};

std::string SvgWriter::text(Point at, const std::string &line, bool bold,
                            std::string_view color) const
{
    return svg::element("text",
                        {{"x", at.x},
                         {"y", at.y},
                         {"text-anchor", "middle"},
                         {"fill", color},
                         {"font-weight", bold ? "bold" : ""},
                         {"textLength", m_sizes.width(line, bold) * 0.93},
                         {"lengthAdjust", "spacingAndGlyphs"}},
                        svg::escaped(line)) +
           "\n";
}

std::string SvgWriter::frame(std::size_t index) const
{
    const PlacedBox &box = m_layout.frames[index];
    return svg::element("rect", {{"x", box.topLeft.x},
                                 {"y", box.topLeft.y},
                                 {"width", box.size.width},
                                 {"height", box.size.height},
                                 {"rx", 6},
                                 {"fill", "#f5f7f9"},
                                 {"stroke", "#8a94a0"},
                                 {"stroke-dasharray", "6 3"}}) +
           "\n" +
           text({m_layout.frameLabels[index].x, m_layout.frameLabels[index].y + 4},
                m_picture.frameLabels[index], false, "#4a5561");
}

std::string SvgWriter::arrow(std::size_t index) const
{
    const LayoutResult::Path &path = m_layout.arrows[index];
    if (path.curve.empty())
        return {};
    const Link &link = m_drawn.links[index];
    const bool value =
        !link.edges.empty() && m_drawn.graph->edges()[link.edges.front()].kind == EdgeKind::Value;
    const auto at = [](Point point) { return fmt::format("{:.1f},{:.1f}", point.x, point.y); };
    std::string curve = "M" + at(path.curve.front());
    for (std::size_t i = 1; i + 2 < path.curve.size(); i += 3)
        curve += fmt::format(" C{} {} {}", at(path.curve[i]), at(path.curve[i + 1]),
                             at(path.curve[i + 2]));
    const Point base = path.curve.back();
    const double dx = (path.tip.x - base.x) * 0.4, dy = (path.tip.y - base.y) * 0.4;
    const std::string head =
        fmt::format("M{} L{} L{} Z", at(path.tip), at({base.x - dy, base.y + dx}),
                    at({base.x + dy, base.y - dx}));
    std::string drawn = svg::element("path", {{"d", curve},
                                              {"fill", "none"},
                                              {"stroke", "#6b7682"},
                                              {"stroke-dasharray", value ? "" : "5 3"}}) +
                        "\n" + svg::element("path", {{"d", head}, {"fill", "#6b7682"}}) + "\n";
    if (path.hasLabel)
        drawn +=
            text({path.label.x, path.label.y + 4}, m_picture.linkLabels[index], false, "#4a5561");
    return drawn;
}

/// The whole name, and of a fold or a rest what it stands for; a tooltip need not be endless.
std::string SvgWriter::tooltip(const DrawnUnit &unit) const
{
    constexpr std::size_t kMostNames = 12, kLongestName = 1000;
    std::string names;
    for (std::size_t i = 0; i < unit.nodes.size() && i < kMostNames; ++i) {
        const std::size_t node = unit.nodes[i];
        names += names.empty() ? "" : "&#10;";
        names += svg::escaped(
            shortText(m_drawn.graph->title(node) + " " + m_drawn.graph->name(node), kLongestName));
    }
    return unit.nodes.size() > kMostNames ? names + "&#10;\u2026" : names;
}

std::string SvgWriter::box(std::size_t index) const
{
    const DrawnUnit &unit = m_drawn.units[index];
    const Node &node = m_drawn.graph->nodes()[unit.nodes.front()];
    const PlacedBox &box = m_layout.boxes[index];
    const bool single = unit.kind == DrawnUnit::Kind::Node;
    const bool end = single && node.kind != NodeKind::Operation && node.kind != NodeKind::Weight;
    const bool weight = single && node.kind == NodeKind::Weight;
    const bool rest = unit.kind == DrawnUnit::Kind::Rest;
    std::string drawn = svg::element("title", {}, tooltip(unit)) + "\n";
    if (unit.kind == DrawnUnit::Kind::Fold)
        drawn += svg::element("rect", {{"x", box.topLeft.x + 4},
                                       {"y", box.topLeft.y + 4},
                                       {"width", box.size.width},
                                       {"height", box.size.height},
                                       {"rx", 4},
                                       {"fill", "#e4e7ea"},
                                       {"stroke", "#6b7682"}}) +
                 "\n";
    drawn += svg::element("rect", {{"x", box.topLeft.x},
                                   {"y", box.topLeft.y},
                                   {"width", box.size.width},
                                   {"height", box.size.height},
                                   {"rx", end ? static_cast<int>(box.size.height / 2) : 4},
                                   {"fill", end    ? "#eaf1f8"
                                            : rest ? "#ffffff"
                                                   : "#fbfcfd"},
                                   {"stroke", unit.hop == 0 ? "#0b5cad" : "#6b7682"},
                                   {"stroke-width", unit.hop == 0 ? "2.5" : "1"},
                                   {"stroke-dasharray", rest ? "3 3" : ""}}) +
             "\n";
    if (weight)
        drawn +=
            svg::element(
                "rect",
                {{"x", box.topLeft.x},
                 {"y", box.topLeft.y},
                 {"width", kBand},
                 {"height", box.size.height},
                 {"rx", 2},
                 {"fill",
                  fmt::format("#{:06x}",
                              formColor(m_drawn.graph->bundle().weights()[node.weight].form))}}) +
            "\n";
    const Label &label = m_picture.labels[index];
    Point at{box.centre().x, box.topLeft.y + m_sizes.padding / 2 + m_sizes.lineHeight - 4};
    drawn += text(at, label.title, true, "#14181c");
    for (const std::string &line : label.lines) {
        at.y += m_sizes.lineHeight;
        drawn += text(at, line, false, "#3a4450");
    }
    return svg::element("g", {}, drawn) + "\n";
}

} // namespace

std::uint32_t formColor(const StorageForm &form)
{
    switch (formTint(form)) {
    case FormTint::Mask: return 0xE69F00;
    case FormTint::Codebook: return 0xCC79A7;
    case FormTint::Indices: return 0x56B4E9;
    case FormTint::Data: return 0x0072B2;
    case FormTint::Values: return 0x009E73;
    case FormTint::Scale: return 0xB8860B;
    case FormTint::Plain: break;
    }
    return 0x8A94A0;
}

TextSizes ordinarySizes()
{
    return {ordinaryWidth, 15, 8};
}

Picture picture(const Neighbourhood &drawn, const TextSizes &sizes, bool rightwards,
                const Words &words)
{
    Picture made;
    made.request.rightwards = rightwards;
    Framing framing(drawn, made);
    for (std::size_t u = 0; u < drawn.units.size(); ++u) {
        Label label = unitLabel(drawn, u, words);
        double width = sizes.width(label.title, true);
        for (const std::string &line : label.lines)
            width = std::max(width, sizes.width(line, false));
        const double lines = static_cast<double>(label.lines.size() + 1);
        made.request.boxes.push_back(
            {width + 2 * sizes.padding, lines * sizes.lineHeight + sizes.padding});
        made.labels.push_back(std::move(label));
        framing.add(u);
    }
    for (std::size_t l = 0; l < drawn.links.size(); ++l) {
        std::string label = linkLabel(drawn, l, words);
        LayoutRequest::Arrow arrow{drawn.links[l].from, drawn.links[l].to, {}};
        if (!label.empty())
            arrow.label = {sizes.width(label, false) + sizes.padding, sizes.lineHeight};
        made.request.arrows.push_back(arrow);
        made.linkLabels.push_back(std::move(label));
    }
    for (std::size_t f = 0; f < made.frames.size(); ++f) {
        std::string label =
            blockLabel(*drawn.graph, made.frames[f].holder, made.frames[f].block, words);
        made.request.frames[f].label = {sizes.width(label, false) + sizes.padding,
                                        sizes.lineHeight};
        made.frameLabels.push_back(std::move(label));
    }
    return made;
}

std::string dotText(const Neighbourhood &drawn, bool rightwards)
{
    const Picture made = picture(drawn, ordinarySizes(), rightwards);
    std::string text = fmt::format("digraph program {{\n  rankdir={};\n  node [shape=box];\n",
                                   rightwards ? "LR" : "TB");
    for (std::size_t u = 0; u < drawn.units.size(); ++u) {
        std::vector<std::string> lines{made.labels[u].title};
        lines.insert(lines.end(), made.labels[u].lines.begin(), made.labels[u].lines.end());
        text +=
            fmt::format("  n{} [label={}{}];\n", u, quoted(lines), lookOf(drawn, drawn.units[u]));
    }
    for (std::size_t f = 0; f < made.frames.size(); ++f) {
        if (made.request.frames[f].parent >= made.frames.size())
            writeFrame(made, f, 1, text);
    }
    for (std::size_t l = 0; l < drawn.links.size(); ++l) {
        const Link &link = drawn.links[l];
        const bool value =
            !link.edges.empty() && drawn.graph->edges()[link.edges.front()].kind == EdgeKind::Value;
        text += fmt::format("  n{} -> n{} [label={}{}];\n", link.from, link.to,
                            quoted({made.linkLabels[l]}), value ? "" : ", style=dashed");
    }
    return text + "}\n";
}

Result<std::string> svgText(const Neighbourhood &drawn, bool rightwards, Progress *progress)
{
    const Picture made = picture(drawn, ordinarySizes(), rightwards);
    const auto layout = TRY(layOut(made.request, progress));
    return SvgWriter(drawn, made, layout).run();
}

} // namespace kernscope::graph
