// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/svg.h"

#include "core/base/printable.h"
#include "core/bundle/bundle.h"
#include "core/graph/form_color.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace kernscope::graph {

namespace {

constexpr double kBand = 5; ///< width of the colour of a weight's form

/// Text of a file in XML 1.0, which has no U+FFFE and U+FFFF; printable() wrote out the rest that
/// it does not have.
std::string xmlText(std::string_view raw)
{
    const std::string text = printable(raw);
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        switch (text[i]) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default:
            if (text.compare(i, 2, "\xEF\xBF") == 0 && i + 2 < text.size() &&
                (text[i + 2] == '\xBE' || text[i + 2] == '\xBF')) {
                out += text[i + 2] == '\xBE' ? "\\ufffe" : "\\uffff";
                i += 2;
            } else {
                out += text[i];
            }
        }
    }
    return out;
}

class SvgWriter
{
public:
    SvgWriter(const Neighbourhood &drawn, const Picture &picture, const LayoutResult &layout)
        : m_drawn(drawn), m_picture(picture), m_layout(layout)
    {
    }

    std::string run()
    {
        const double width = std::ceil(m_layout.size.width);
        const double height = std::ceil(m_layout.size.height);
        add("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{0}\" "
            "height=\"{1}\" viewBox=\"0 0 {0} {1}\" font-family=\"'DejaVu Sans', Verdana, "
            "sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" "
            "fill=\"#ffffff\"/>\n",
            width, height);
        for (std::size_t f = 0; f < m_layout.frames.size(); ++f)
            frame(f);
        for (std::size_t a = 0; a < m_layout.arrows.size(); ++a)
            arrow(a);
        for (std::size_t u = 0; u < m_layout.boxes.size(); ++u)
            box(u);
        m_text += "</svg>\n";
        return std::move(m_text);
    }

private:
    template <class... Values>
    void add(fmt::format_string<Values...> pattern, Values &&...values)
    {
        fmt::format_to(std::back_inserter(m_text), pattern, std::forward<Values>(values)...);
    }
    /// As wide as its room was made for: other fonts are squeezed into it.
    void text(Point at, std::string_view anchor, const std::string &line, bool bold,
              std::string_view color);
    void frame(std::size_t index);
    void arrow(std::size_t index);
    void box(std::size_t index);
    std::string tooltip(const DrawnUnit &unit) const;

    const Neighbourhood &m_drawn;
    const Picture &m_picture;
    const LayoutResult &m_layout;
    const TextSizes m_sizes = ordinarySizes();
    std::string m_text;
};

void SvgWriter::text(Point at, std::string_view anchor, const std::string &line, bool bold,
                     std::string_view color)
{
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\"{} textLength=\"{:.1f}\" "
        "lengthAdjust=\"spacingAndGlyphs\">{}</text>\n",
        at.x, at.y, anchor, color, bold ? " font-weight=\"bold\"" : "",
        m_sizes.width(line, bold) * 0.93, xmlText(line));
}

void SvgWriter::frame(std::size_t index)
{
    const PlacedBox &box = m_layout.frames[index];
    add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"6\" "
        "fill=\"#f5f7f9\" stroke=\"#8a94a0\" stroke-dasharray=\"6 3\"/>\n",
        box.topLeft.x, box.topLeft.y, box.size.width, box.size.height);
    text({m_layout.frameLabels[index].x, m_layout.frameLabels[index].y + 4}, "middle",
         m_picture.frameLabels[index], false, "#4a5561");
}

void SvgWriter::arrow(std::size_t index)
{
    const LayoutResult::Path &path = m_layout.arrows[index];
    if (path.curve.empty())
        return;
    const Link &link = m_drawn.links[index];
    const bool value =
        !link.edges.empty() && m_drawn.graph->edges()[link.edges.front()].kind == EdgeKind::Value;
    add("<path d=\"M{:.1f},{:.1f}", path.curve.front().x, path.curve.front().y);
    for (std::size_t i = 1; i + 2 < path.curve.size(); i += 3)
        add(" C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", path.curve[i].x, path.curve[i].y,
            path.curve[i + 1].x, path.curve[i + 1].y, path.curve[i + 2].x, path.curve[i + 2].y);
    add("\" fill=\"none\" stroke=\"#6b7682\"{}/>\n", value ? "" : " stroke-dasharray=\"5 3\"");
    const Point base = path.curve.back();
    const double dx = path.tip.x - base.x, dy = path.tip.y - base.y;
    add("<path d=\"M{:.1f},{:.1f} L{:.1f},{:.1f} L{:.1f},{:.1f} Z\" fill=\"#6b7682\"/>\n",
        path.tip.x, path.tip.y, base.x - dy * 0.4, base.y + dx * 0.4, base.x + dy * 0.4,
        base.y - dx * 0.4);
    if (path.hasLabel)
        text({path.label.x, path.label.y + 4}, "middle", m_picture.linkLabels[index], false,
             "#4a5561");
}

/// The whole name, and of a fold or a rest what it stands for; a tooltip need not be endless.
std::string SvgWriter::tooltip(const DrawnUnit &unit) const
{
    constexpr std::size_t kMostNames = 12, kLongestName = 1000;
    std::string names;
    for (std::size_t i = 0; i < unit.nodes.size() && i < kMostNames; ++i) {
        const std::size_t node = unit.nodes[i];
        names += names.empty() ? "" : "&#10;";
        names += xmlText(
            shortText(m_drawn.graph->title(node) + " " + m_drawn.graph->name(node), kLongestName));
    }
    return unit.nodes.size() > kMostNames ? names + "&#10;\u2026" : names;
}

void SvgWriter::box(std::size_t index)
{
    const DrawnUnit &unit = m_drawn.units[index];
    const Node &node = m_drawn.graph->nodes()[unit.nodes.front()];
    const PlacedBox &box = m_layout.boxes[index];
    const bool single = unit.kind == DrawnUnit::Kind::Node;
    const bool end = single && node.kind != NodeKind::Operation && node.kind != NodeKind::Weight;
    const bool weight = single && node.kind == NodeKind::Weight;
    add("<g><title>{}</title>\n", tooltip(unit));
    const std::string_view fill = end                                  ? "#eaf1f8"
                                  : unit.kind == DrawnUnit::Kind::Rest ? "#ffffff"
                                                                       : "#fbfcfd";
    if (unit.kind == DrawnUnit::Kind::Fold)
        add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\" "
            "fill=\"#e4e7ea\" stroke=\"#6b7682\"/>\n",
            box.topLeft.x + 4, box.topLeft.y + 4, box.size.width, box.size.height);
    add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{}\" "
        "fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n",
        box.topLeft.x, box.topLeft.y, box.size.width, box.size.height,
        end ? std::floor(box.size.height / 2) : 4.0, fill, unit.hop == 0 ? "#0b5cad" : "#6b7682",
        unit.hop == 0 ? "2.5" : "1",
        unit.kind == DrawnUnit::Kind::Rest ? " stroke-dasharray=\"3 3\"" : "");
    if (weight)
        add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" rx=\"2\" "
            "fill=\"#{:06x}\"/>\n",
            box.topLeft.x, box.topLeft.y, kBand, box.size.height,
            formColor(m_drawn.graph->bundle().weights()[node.weight].form));
    const Label &label = m_picture.labels[index];
    Point at{box.centre().x, box.topLeft.y + m_sizes.padding / 2 + m_sizes.lineHeight - 4};
    text(at, "middle", label.title, true, "#14181c");
    for (const std::string &line : label.lines) {
        at.y += m_sizes.lineHeight;
        text(at, "middle", line, false, "#3a4450");
    }
    m_text += "</g>\n";
}

} // namespace

Result<std::string> svgText(const Neighbourhood &drawn, bool rightwards, Progress *progress)
{
    const Picture made = picture(drawn, ordinarySizes(), rightwards);
    const auto layout = layOut(made.request, progress);
    if (!layout)
        return tl::unexpected(layout.error());
    return SvgWriter(drawn, made, *layout).run();
}

} // namespace kernscope::graph
