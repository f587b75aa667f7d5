// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/picture.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

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

} // namespace

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

} // namespace kernscope::graph
