// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/picture.h"

#include "core/base/svg.h"
#include "core/bundle/bundle.h"
#include "core/form/form_steps.h"

#include <cmath>
#include <mutex>

#include <dlfcn.h>
#include <fmt/format.h>
#include <graphviz/gvc.h>

namespace kernscope::graph {

namespace {

constexpr double kDotsPerInch = 72; // a pixel is one of Graphviz's points
constexpr double kMargin = 8;       // around the drawing, in pixels

/// Of the last layout: Graphviz tells what is wrong by words only. Guarded by the mutex.
std::string g_said;

int keepWords(char *words)
{
    constexpr std::size_t kMostWords = 500;
    if (words && g_said.size() < kMostWords)
        g_said += words;
    return 0;
}

/// Graphviz, as it is found when the first drawing is made: nothing else needs it, and it brings
/// fifty packages. Its functions, each under its own name.
struct Graphviz {
    void *library = dlopen(KERNSCOPE_GRAPHVIZ, RTLD_NOW | RTLD_LOCAL);
    bool whole = library != nullptr; ///< every function is there

    decltype(::agattr) *agattr = find<decltype(::agattr)>("agattr");
    decltype(::agclose) *agclose = find<decltype(::agclose)>("agclose");
    decltype(::agedge) *agedge = find<decltype(::agedge)>("agedge");
    decltype(::agnode) *agnode = find<decltype(::agnode)>("agnode");
    decltype(::agopen) *agopen = find<decltype(::agopen)>("agopen");
    decltype(::agsafeset) *agsafeset = find<decltype(::agsafeset)>("agsafeset");
    decltype(::agseterr) *agseterr = find<decltype(::agseterr)>("agseterr");
    decltype(::agseterrf) *agseterrf = find<decltype(::agseterrf)>("agseterrf");
    decltype(::agstrdup_html) *agstrdup_html = find<decltype(::agstrdup_html)>("agstrdup_html");
    decltype(::agstrfree) *agstrfree = find<decltype(::agstrfree)>("agstrfree");
    decltype(::agsubg) *agsubg = find<decltype(::agsubg)>("agsubg");
    decltype(::agsubnode) *agsubnode = find<decltype(::agsubnode)>("agsubnode");
    decltype(::gvAddLibrary) *gvAddLibrary = find<decltype(::gvAddLibrary)>("gvAddLibrary");
    decltype(::gvContext) *gvContext = find<decltype(::gvContext)>("gvContext");
    decltype(::gvContextPlugins) *gvContextPlugins =
        find<decltype(::gvContextPlugins)>("gvContextPlugins");
    decltype(::gvFreeLayout) *gvFreeLayout = find<decltype(::gvFreeLayout)>("gvFreeLayout");
    decltype(::gvLayout) *gvLayout = find<decltype(::gvLayout)>("gvLayout");
    const Agdesc_t *directed = find<const Agdesc_t>("Agdirected");

private:
    template <class Symbol>
    Symbol *find(const char *name)
    {
        void *found = library ? dlsym(library, name) : nullptr;
        whole = whole && found;
        return reinterpret_cast<Symbol *>(found);
    }
};

const Graphviz &graphviz()
{
    static const Graphviz loaded;
    return loaded;
}

/// Graphviz keeps its state in variables of its own: one thread at a time.
std::mutex &graphvizMutex()
{
    static std::mutex mutex;
    return mutex;
}

/// The plug-in that lays out by `dot`, from the folder of plug-ins beside Graphviz's library: of
/// the same version. Null where it is not there.
gvplugin_library_t *dotPlugin()
{
    Dl_info library{};
    if (dladdr(reinterpret_cast<const void *>(graphviz().gvContext), &library) == 0 ||
        !library.dli_fname)
        return nullptr;
    const std::filesystem::path path(library.dli_fname);
    const std::string name = path.filename().string();
    const std::size_t ending = name.find(".so");
    const std::string version = ending == std::string::npos ? ".so" : name.substr(ending);
    const std::filesystem::path plugin =
        path.parent_path() / "graphviz" / ("libgvplugin_dot_layout" + version);
    void *opened = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
    return opened
               ? static_cast<gvplugin_library_t *>(dlsym(opened, "gvplugin_dot_layout_LTX_library"))
               : nullptr;
}

/// Made once for all drawings. Without the list of all plug-ins, which would load Pango, Cairo and
/// X11 to measure texts that are never given to Graphviz; with it where the one plug-in is not
/// found. Null where Graphviz cannot begin.
GVC_t *context()
{
    static GVC_t *const made = [] {
        gvplugin_library_t *plugin = dotPlugin();
        GVC_t *begun = plugin ? graphviz().gvContextPlugins(nullptr, 0) : graphviz().gvContext();
        if (begun && plugin)
            graphviz().gvAddLibrary(begun, plugin);
        return begun;
    }();
    return made;
}

/// Of C functions that take texts without const and keep none of them.
struct Text {
    explicit Text(std::string text) : kept(std::move(text)) {}
    operator char *() { return kept.data(); }
    std::string kept;
};

struct CloseGraph {
    void operator()(Agraph_t *graph) const { graphviz().agclose(graph); }
};
struct FreeLayout {
    void operator()(Agraph_t *graph) const { graphviz().gvFreeLayout(context(), graph); }
};

void set(void *object, const char *name, const std::string &value)
{
    graphviz().agsafeset(object, Text(name), Text(value), Text(std::string()));
}

std::string inches(double pixels)
{
    return fmt::format("{:.4f}", pixels / kDotsPerInch);
}

/// A label that is nothing but room: no text is given to Graphviz, so it needs no fonts and no name
/// of a file can become its markup.
void setRoom(Agraph_t *graph, void *object, const Extent &room)
{
    if (room.width <= 0)
        return;
    char *label = graphviz().agstrdup_html(
        graph, Text(fmt::format("<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLPADDING=\"0\" "
                                "CELLSPACING=\"0\" FIXEDSIZE=\"TRUE\" WIDTH=\"{}\" HEIGHT=\"{}\">"
                                "<TR><TD></TD></TR></TABLE>",
                                static_cast<int>(std::ceil(room.width)),
                                static_cast<int>(std::ceil(room.height)))));
    graphviz().agsafeset(object, Text("label"), label, Text(std::string()));
    graphviz().agstrfree(graph, label);
}

class Drawing
{
public:
    explicit Drawing(const LayoutRequest &request) : m_request(request) {}

    Result<LayoutResult> run(Progress *progress)
    {
        g_said.clear();
        if (!graphviz().whole)
            return failed();
        graphviz().agseterrf(keepWords);
        graphviz().agseterr(AGERR);
        if (!context())
            return failed();
        m_graph.reset(graphviz().agopen(Text("drawing"), *graphviz().directed, nullptr));
        if (!m_graph)
            return failed();
        fill();

        if (graphviz().gvLayout(context(), m_graph.get(), "dot") != 0)
            return failed();
        const std::unique_ptr<Agraph_t, FreeLayout> laidOut(m_graph.get());
        if (progress && progress->cancelled())
            return tl::unexpected(cancelledError("The drawing was not made."));
        return read();
    }

private:
    static tl::unexpected<Error> failed()
    {
        return refused("graph.layout", {}, "Graphviz with its plug-in for dot (libgvc6)", g_said,
                       "The drawing could not be laid out.");
    }
    void fill()
    {
        Agraph_t *graph = m_graph.get();
        using Setting = std::pair<const char *, const char *>;
        for (const auto &[name, value] :
             {Setting("rankdir", m_request.rightwards ? "LR" : "TB"), Setting("nodesep", "0.28"),
              Setting("ranksep", m_request.rightwards ? "0.4" : "0.32"), Setting("mclimit", "1"),
              Setting("nslimit", "20"), Setting("nslimit1", "20"), Setting("label", "")})
            graphviz().agattr(graph, AGRAPH, Text(name), Text(value));
        for (const auto &[name, value] :
             {Setting("shape", "box"), Setting("fixedsize", "true"), Setting("label", "")})
            graphviz().agattr(graph, AGNODE, Text(name), Text(value));
        graphviz().agattr(graph, AGEDGE, Text("label"), Text(std::string()));
        graphviz().agattr(graph, AGEDGE, Text("arrowsize"), Text("0.7"));
        for (std::size_t i = 0; i < m_request.boxes.size(); ++i) {
            Agnode_t *box = graphviz().agnode(graph, Text(fmt::format("n{}", i)), 1);
            set(box, "width", inches(m_request.boxes[i].width));
            set(box, "height", inches(m_request.boxes[i].height));
            m_boxes.push_back(box);
        }
        for (std::size_t i = 0; i < m_request.frames.size(); ++i) {
            const LayoutRequest::Frame &frame = m_request.frames[i];
            Agraph_t *parent = frame.parent < i ? m_frames[frame.parent] : graph;
            Agraph_t *made = graphviz().agsubg(parent, Text(fmt::format("cluster{}", i)), 1);
            setRoom(graph, made, frame.label);
            set(made, "labeljust", "l");
            for (const std::size_t box : frame.boxes)
                graphviz().agsubnode(made, m_boxes[box], 1);
            m_frames.push_back(made);
        }
        for (std::size_t i = 0; i < m_request.arrows.size(); ++i) {
            const LayoutRequest::Arrow &arrow = m_request.arrows[i];
            Agedge_t *made = graphviz().agedge(graph, m_boxes[arrow.from], m_boxes[arrow.to],
                                               Text(fmt::format("e{}", i)), 1);
            setRoom(graph, made, arrow.label);
            m_arrows.push_back(made);
        }
    }

    LayoutResult read() const
    {
        LayoutResult layout;
        for (std::size_t i = 0; i < m_boxes.size(); ++i) {
            const Point centre = placed(ND_coord(m_boxes[i]));
            const Extent &size = m_request.boxes[i];
            layout.boxes.push_back({{centre.x - size.width / 2, centre.y - size.height / 2}, size});
        }
        for (std::size_t i = 0; i < m_arrows.size(); ++i)
            layout.arrows.push_back(path(i));
        for (Agraph_t *frame : m_frames) {
            layout.frames.push_back(placed(GD_bb(frame)));
            const textlabel_t *label = GD_label(frame);
            layout.frameLabels.push_back(label ? placed(label->pos) : layout.frames.back().topLeft);
        }
        const boxf &box = GD_bb(m_graph.get());
        layout.size = {box.UR.x - box.LL.x + 2 * kMargin, box.UR.y - box.LL.y + 2 * kMargin};
        return layout;
    }

    LayoutResult::Path path(std::size_t arrow) const
    {
        LayoutResult::Path path;
        Agedge_t *edge = m_arrows[arrow];
        const splines *drawn = ED_spl(edge);
        if (drawn && drawn->size > 0 && drawn->list[0].size > 0) {
            const bezier &curve = drawn->list[0];
            for (int i = 0; i < curve.size; ++i)
                path.curve.push_back(placed(curve.list[i]));
            path.tip = curve.eflag ? placed(curve.ep) : path.curve.back();
            // An arrow that dot turned around to lay it out begins with its head.
            if (curve.sflag && !curve.eflag) {
                std::ranges::reverse(path.curve);
                path.tip = placed(curve.sp);
            }
        } else {
            const Point from = placed(ND_coord(m_boxes[m_request.arrows[arrow].from]));
            const Point to = placed(ND_coord(m_boxes[m_request.arrows[arrow].to]));
            path.curve = {from, from, to, to};
            path.tip = to;
        }
        if (const textlabel_t *label = ED_label(edge); label && label->set) {
            path.label = placed(label->pos);
            path.hasLabel = m_request.arrows[arrow].label.width > 0;
        }
        return path;
    }

    Point placed(const pointf &point) const
    {
        const boxf &box = GD_bb(m_graph.get());
        return {point.x - box.LL.x + kMargin, box.UR.y - point.y + kMargin};
    }
    PlacedBox placed(const boxf &box) const
    {
        return {placed(pointf{box.LL.x, box.UR.y}), {box.UR.x - box.LL.x, box.UR.y - box.LL.y}};
    }

    const LayoutRequest &m_request;
    std::unique_ptr<Agraph_t, CloseGraph> m_graph;
    std::vector<Agnode_t *> m_boxes;
    std::vector<Agedge_t *> m_arrows;
    std::vector<Agraph_t *> m_frames;
};

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
    std::string text(Point at, const std::string &line, bool bold, std::string_view color) const
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

    std::string frame(std::size_t index) const
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

    std::string arrow(std::size_t index) const
    {
        const LayoutResult::Path &path = m_layout.arrows[index];
        if (path.curve.empty())
            return {};
        const Link &link = m_drawn.links[index];
        const bool value = !link.edges.empty() &&
                           m_drawn.graph->edges()[link.edges.front()].kind == EdgeKind::Value;
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
            drawn += text({path.label.x, path.label.y + 4}, m_picture.linkLabels[index], false,
                          "#4a5561");
        return drawn;
    }

    std::string box(std::size_t index) const
    {
        const DrawnUnit &unit = m_drawn.units[index];
        const Node &node = m_drawn.graph->nodes()[unit.nodes.front()];
        const PlacedBox &box = m_layout.boxes[index];
        const bool single = unit.kind == DrawnUnit::Kind::Node;
        const bool end =
            single && node.kind != NodeKind::Operation && node.kind != NodeKind::Weight;
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
            drawn += svg::element(
                         "rect",
                         {{"x", box.topLeft.x},
                          {"y", box.topLeft.y},
                          {"width", kBand},
                          {"height", box.size.height},
                          {"rx", 2},
                          {"fill",
                           fmt::format(
                               "#{:06x}",
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

    /// The whole name, and of a fold or a rest what it stands for; a tooltip need not be endless.
    std::string tooltip(const DrawnUnit &unit) const
    {
        constexpr std::size_t kMostNames = 12, kLongestName = 1000;
        std::string names;
        for (std::size_t i = 0; i < unit.nodes.size() && i < kMostNames; ++i) {
            const std::size_t node = unit.nodes[i];
            names += names.empty() ? "" : "&#10;";
            names += svg::escaped(shortText(
                m_drawn.graph->title(node) + " " + m_drawn.graph->name(node), kLongestName));
        }
        return unit.nodes.size() > kMostNames ? names + "&#10;\u2026" : names;
    }

    const Neighbourhood &m_drawn;
    const Picture &m_picture;
    const LayoutResult &m_layout;
    const TextSizes m_sizes = ordinarySizes();
};

} // namespace

Result<LayoutResult> layOut(const LayoutRequest &request, Progress *progress)
{
    if (request.boxes.empty())
        return LayoutResult();
    const std::scoped_lock lock(graphvizMutex());
    if (progress && progress->cancelled())
        return tl::unexpected(cancelledError("The drawing was not made."));
    return Drawing(request).run(progress);
}

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
