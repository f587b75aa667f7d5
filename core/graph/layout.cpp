// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/layout.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
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
    void fill();
    LayoutResult read() const;
    LayoutResult::Path path(std::size_t arrow) const;
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

void Drawing::fill()
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

LayoutResult::Path Drawing::path(std::size_t arrow) const
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
            std::reverse(path.curve.begin(), path.curve.end());
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

LayoutResult Drawing::read() const
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

} // namespace kernscope::graph
