// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/network/network_program.h"
#include "core/graph/picture.h"
#include "proto_builder.h"
#include "tests/core/graph/made_program.h"
#include "tests/data/data_folder.h"

using namespace kernscope::graph;

using prototest::bytes;
using prototest::number;
using prototest::varint;

QRectF rectOf(const PlacedBox &box)
{
    return {box.topLeft.x, box.topLeft.y, box.size.width, box.size.height};
}

namespace {

QByteArray layer(const char *name, const QList<QByteArray> &inputs,
                 const QList<QByteArray> &outputs, const QByteArray &content)
{
    QByteArray all = bytes(1, name);
    for (const QByteArray &input : inputs)
        all += bytes(2, input);
    for (const QByteArray &output : outputs)
        all += bytes(3, output);
    return bytes(1, all + content);
}

QByteArray extents(const QList<quint64> &dims)
{
    QByteArray packed;
    for (const quint64 extent : dims)
        packed += varint(extent);
    return bytes(5, number(1, quint64(dims.size())) + bytes(2, packed));
}

BundlePtr openNetwork(const QByteArray &layers)
{
    const QByteArray raw = number(1, 4) + bytes(500, layers);
    const auto all = std::as_bytes(std::span(raw.constData(), std::size_t(raw.size())));
    return Bundle::open("net.mlmodel", {.memory = {{"net.mlmodel", {all.begin(), all.end()}}}})
        .value_or(nullptr);
}

QByteArray innerProduct()
{
    const std::vector<float> values(6, 0.5F);
    return bytes(140, number(1, 3) + number(2, 2) +
                          bytes(20, bytes(1, {reinterpret_cast<const char *>(values.data()), 24})));
}

} // namespace

/// A program as a graph: nodes and arrows, what is around a node, repeats, names.
/// Neural networks of the kind before programs: their layers as operations.
/// Layout and what is written of it: boxes apart, texts within them, whatever names a file has.
/// Every bundle of the data folder that has a program: each weight that an operation reads is in
/// the graph, and what is around it can be drawn.
class TestGraph : public QObject
{
    Q_OBJECT

private slots:
    void weightsAreNodes()
    {
        MadeBundle made;
        made.weight("w", "[2, 4]", halves({1, 2, 3, 4, 5, 6, 7, 8}));
        made.line("tensor<uint1, [2, 4]> idx = const()[name = string(\"idx\"), val = " +
                  made.blob(ElementType::Uint1, "[2, 4]", hex("a5")) + "]");
        made.line("tensor<fp16, [1, 1, 2, 1]> lut = const()[name = string(\"lut\"), val = " +
                  made.blob(ElementType::Fp16, "[1, 1, 2, 1]", halves({0.5F, -1})) + "]");
        made.op("p", "[2, 4]", "constexpr_lut_to_dense(indices = idx, lut = lut)");
        made.consume("w");
        made.consume("p");
        made.result = "out1";
        const auto bundle = VERIFIED(made.open());
        const GraphPtr graph = VERIFIED(graphOf(*bundle));
        QCOMPARE((*bundle)->weights().size(), 2U);
        // The operations that unpack a weight are part of it, its operands are no nodes.
        QCOMPARE(unitsText(around(graph, "x", 6)), u"out0 | out1 | output out1 | p | w | x"_s);
        QCOMPARE(linksText(around(graph, "p", 2)), u"out1 > output out1 | p > out1 | x > out1"_s);
        const std::size_t p = nodeOf(*graph, "p");
        QCOMPARE(graph->nodes()[p].kind, NodeKind::Weight);
        QCOMPARE(graph->nodeOfWeight(graph->nodes()[p].weight), p);
        QCOMPARE(graph->title(p), "palette");
        QCOMPARE(graph->result(p), "fp16 [2, 4]");
        const Edge &edge = graph->edges()[graph->edgesFrom(p).front()];
        QCOMPARE(std::string(graph->param(edge)), "weight");
        const Neighbourhood drawn = around(graph, "p", 1);
        const Label label = unitLabel(drawn, 0);
        QCOMPARE(label.title, "p");
        QCOMPARE(label.lines.front(), "palette \u00B7 5 B");
    }

    /// A weight whose file is cut has no known size; where the file is missing its type says it.
    void bytesMayBeUnknown()
    {
        MadeBundle made;
        made.layer("w", "[2, 4]", halves({1, 2, 3, 4, 5, 6, 7, 8}));
        made.result = "out0";
        for (const bool missing : {false, true}) {
            OpenOptions options = MadeBundle::options(made.text(), {});
            if (missing)
                std::erase_if(options.memory,
                              [](const auto &file) { return file.first == "weights/weight.bin"; });
            const auto bundle = VERIFIED(Bundle::open("made.mlmodelc", options));
            const GraphPtr graph = VERIFIED(graphOf(*bundle));
            const Neighbourhood drawn = around(graph, "w", 1);
            QCOMPARE(drawn.storedBytes(drawn.units[0]).has_value(), missing);
            const std::string line = unitLabel(drawn, 0).lines.front();
            QVERIFY2(line.find(missing ? "16 B" : "? B") != std::string::npos, line.c_str());
        }
    }

    void hopsGoBothWays()
    {
        const GraphPtr graph = VERIFIED(graphOf(
            bundleOf(programOf(functionOf("main", "tensor<fp16, [1, 4]> x",
                                          {step("relu", "a", "x"), step("tanh", "b", "a"),
                                           step("sigmoid", "c", "b"), step("exp", "d", "c")},
                                          "d")))));
        QCOMPARE(unitsText(around(graph, "b", 1)), u"a | b | c"_s);
        const Neighbourhood drawn = around(graph, "b", 1);
        // What is beyond the last hop is counted at the box that it is next to.
        QCOMPARE(drawn.units[drawn.unitOf(nodeOf(*graph, "a"))].before, 1U);
        QCOMPARE(drawn.units[drawn.unitOf(nodeOf(*graph, "c"))].after, 1U);
        QCOMPARE(drawn.units[drawn.unitOf(nodeOf(*graph, "c"))].before, 0U);
        QCOMPARE(drawn.leftOut, 0U);
        QCOMPARE(unitsText(around(graph, "b", 2)), u"a | b | c | d | x"_s);
        QCOMPARE(linksText(around(graph, "b", 6)),
                 u"a > b | b > c | c > d | d > output d | x > a"_s);
        QCOMPARE(linkLabel(around(graph, "b", 1), 0), "fp16 [1, 4]");
    }

    void branchesMeetAgain()
    {
        const GraphPtr graph = VERIFIED(graphOf(bundleOf(
            programOf(functionOf("main", "tensor<fp16, [1, 4]> x",
                                 {step("relu", "a", "x"), step("tanh", "b", "a"),
                                  step("exp", "c", "a"), sum("d", "b", "c"), sum("e", "d", "d")},
                                 "e")))));
        QCOMPARE(linksText(around(graph, "d", 2)),
                 u"a > b | a > c | b > d | c > d | d > e | e > output e"_s);
        // A value that is read twice is one arrow with two values of the graph.
        const Neighbourhood drawn = around(graph, "e", 1);
        QCOMPARE(linksText(drawn), u"d > e | e > output e"_s);
        for (const Link &link : drawn.links) {
            if (unitText(drawn, link.from) == u"d"_s)
                QCOMPARE(link.edges.size(), 2U);
        }
    }

    void blocksOfALoop()
    {
        const BundlePtr bundle = VERIFIED(bundleOf(programOf(
            "    func main<ios18>(tensor<fp16, [1, 4]> x) {\n"
            "            tensor<fp16, [1, 4]> k = relu(x = x)[name = string(\"k\")];\n"
            "            tensor<int32, []> zero = const()[name = string(\"zero\"), val = "
            "tensor<int32, []>(0)];\n"
            "            tensor<int32, []> n, tensor<fp16, [1, 4]> y = while_loop(loop_vars = "
            "(zero, "
            "x)) cond (tensor<int32, []> i, tensor<fp16, [1, 4]> v) {\n"
            "                tensor<bool, []> go = less(x = i, y = zero)[name = string(\"go\")];\n"
            "            } -> (go), block body (tensor<int32, []> j, tensor<fp16, [1, 4]> u) {\n"
            "                tensor<fp16, [1, 4]> t = add(x = u, y = k)[name = string(\"t\")];\n"
            "            } -> (j, t);\n"
            "        } -> (y);\n")));
        QVERIFY2(bundle->diagnostics().empty(),
                 bundle->diagnostics().empty()
                     ? ""
                     : describe(bundle->diagnostics().front().error).c_str());
        const GraphPtr graph = VERIFIED(graphOf(bundle));
        const std::size_t loop = nodeOf(*graph, "n"), t = nodeOf(*graph, "t");
        QVERIFY(loop != graph::kNone && t != graph::kNone);
        QCOMPARE(std::size_t(graph->nodes()[t].holder), loop);
        QCOMPARE(std::size_t(graph->nodes()[t].block), 1U);
        const QString links = linksText(around(graph, "t", 6));
        // Into the block, through it, and back out of it.
        for (const char *wanted : {"x > u", "u > t", "k > t", "t > n", "n > output y", "x > n"})
            QVERIFY2(links.contains(QLatin1String(wanted)), qPrintable(links));
        QCOMPARE(blockLabel(*graph, loop, 1), "while_loop n: block 2");
    }

    void functionsAreApart()
    {
        const BundlePtr bundle = bundleOf(programOf(
            functionOf("main", "tensor<fp16, [1, 4]> x", {step("relu", "y", "x")}, "y") +
            functionOf("other", "tensor<fp16, [1, 4]> x", {step("tanh", "y", "x")}, "y")));
        const GraphPtr graph = VERIFIED(graphOf(bundle));
        QCOMPARE(graph->functions().size(), 2U);
        QCOMPARE(REFUSED(findNode(*graph, "y", {})).expected, "main/y (relu), other/y (tanh)");
        const auto one = VERIFIED(findNode(*graph, "y", "other"));
        QCOMPARE(graph->title(*one), "tanh");
        QCOMPARE(findNode(*graph, "main/y", {}).value_or(0),
                 findNode(*graph, "y", "main").value_or(1));
        QCOMPARE(REFUSED(findNode(*graph, "y", "mian")).expected, "main, other");
        Scope scope;
        scope.centres = {*one};
        scope.hops = 6;
        QCOMPARE(unitsText(neighbourhood(graph, scope)), u"output y | x | y"_s);
    }

    void limitIsTold()
    {
        std::string body;
        for (int i = 0; i < 40; ++i)
            body += "            " + step("relu", "r" + std::to_string(i), "x") + ";\n";
        const GraphPtr graph = VERIFIED(graphOf(bundleOf(programOf(
            "    func main<ios18>(tensor<fp16, [1, 4]> x) {\n" + body + "        } -> (r0);\n"))));
        const Neighbourhood drawn = around(graph, "x", 2, false, 4);
        QCOMPARE(unitsText(drawn), u"+1 | +37 | r0 | r1 | r2 | x"_s);
        QCOMPARE(drawn.leftOut, 38U);
        const auto rest = std::ranges::find_if(
            drawn.units, [](const DrawnUnit &unit) { return unit.nodes.size() == 37; });
        QVERIFY(rest != drawn.units.end());
        QCOMPARE(unitLabel(drawn, std::size_t(rest - drawn.units.begin())).title,
                 "37 more operations");
        QCOMPARE(unitLabel(around(graph, "x", 2, false, 40), 40).title, "1 more operation");
        // With room for all nothing is left out.
        QCOMPARE(around(graph, "x", 2, false, 120).leftOut, 0U);
    }

    void repeatsFold()
    {
        const GraphPtr graph = VERIFIED(graphOf(residual(12)));
        QCOMPARE(graph->runs().size(), 1U);
        QCOMPARE(graph->runs()[0].operations, 3U);
        QCOMPARE(graph->runs()[0].turns, 12U);
        const Neighbourhood drawn = around(graph, "x", 3);
        QCOMPARE(linksText(drawn), u"head > output head | x > x12 | x12 > head"_s);
        const DrawnUnit &fold = drawn.units[1];
        QCOMPARE(drawn.operations(fold), 36U);
        QCOMPARE(drawn.weights(fold), 12U);
        QVERIFY(drawn.storedBytes(fold) == std::uint64_t(12 * 32));
        const Label label = unitLabel(drawn, 1);
        QCOMPARE(label.title, "block of 3 operations \u00D7 12");
        QCOMPARE(label.lines[0], "relu, linear, add");
        QCOMPARE(label.lines[1], "12 weights, 384 B");
        QCOMPARE(around(graph, "x", 3, false).units.size(), 10U);
    }

    /// The block that is asked for is drawn, those before and behind it stay folded.
    void chosenTurnIsOpen()
    {
        const GraphPtr graph = VERIFIED(graphOf(residual(12)));
        QCOMPARE(unitsText(around(graph, "b4", 2)), u"a4 | b4 | c4 | w4 | x4 | x7"_s);
        QCOMPARE(unitsText(around(graph, "w0", 6)),
                 u"a0 | b0 | c0 | head | output head | w0 | x | x11"_s);
    }

    void repeatsOpen()
    {
        const GraphPtr graph = VERIFIED(graphOf(residual(3)));
        Scope scope;
        scope.centres = {nodeOf(*graph, "x")};
        scope.hops = 6;
        scope.opened = {0};
        const Neighbourhood drawn = neighbourhood(graph, scope);
        QVERIFY(std::ranges::none_of(
            drawn.units, [](const DrawnUnit &unit) { return unit.kind == DrawnUnit::Kind::Fold; }));
    }

    void unequalBlocksStay()
    {
        const GraphPtr graph = VERIFIED(graphOf(residual(6, "tanh")));
        // Two alike before the odd one, three behind it: a chain may begin anywhere in a block.
        QCOMPARE(unitsText(around(graph, "a2", 1)), u"a2 | x2 | x3"_s);
        QCOMPARE(std::size_t(graph->nodes()[nodeOf(*graph, "a2")].run), graph::kNone);
        // Another wiring is no repeat, though the kinds are the same.
        const GraphPtr crossed = VERIFIED(graphOf(bundleOf(programOf(
            functionOf("main", "tensor<fp16, [1, 4]> x",
                       {step("relu", "a", "x"), step("tanh", "b", "a"), step("relu", "c", "b"),
                        step("tanh", "d", "a"), step("relu", "e", "d"), step("tanh", "f", "b")},
                       "f")))));
        QVERIFY(crossed->runs().empty());
        // Side by side is no chain.
        const GraphPtr parallel = VERIFIED(graphOf(bundleOf(programOf(
            functionOf("main", "tensor<fp16, [1, 4]> x",
                       {step("relu", "a", "x"), step("relu", "b", "x"), step("relu", "c", "x"),
                        step("relu", "d", "x"), step("relu", "e", "x")},
                       "e")))));
        QVERIFY(parallel->runs().empty());
    }

    void namesAreFound()
    {
        const GraphPtr graph = VERIFIED(graphOf(residual(2)));
        QVERIFY(findNode(*graph, "b1", {}));
        const Error wrong = REFUSED(findNode(*graph, "hea", {}));
        QCOMPARE(wrong.code, "cli.option");
        QCOMPARE(wrong.expected, "head");
    }

    void emptyAndWithout()
    {
        const GraphPtr graph = VERIFIED(
            graphOf(bundleOf(programOf(functionOf("main", "tensor<fp16, [1, 4]> x", {}, "x")))));
        QCOMPARE(unitsText(around(graph, "x", 2)), u"output x | x"_s);
        milblob::Writer writer;
        writer.add(ElementType::Fp16, halves({1, 2}), 0);
        const auto blob =
            VERIFIED(Bundle::open("weight.bin", {.memory = {{"weight.bin", writer.finish()}}}));
        QCOMPARE(REFUSED(Graph::build(*blob)).code, "graph.program");
    }

    void cancels()
    {
        Progress progress;
        progress.cancel();
        QCOMPARE(REFUSED(Graph::build(residual(2), &progress)).code, "task.cancelled");
    }

    void layersAndWeights()
    {
        const BundlePtr bundle =
            VERIFIED(openNetwork(layer("fc", {"image"}, {"h"}, extents({1, 2}) + innerProduct()) +
                                 layer("act", {"h"}, {"y"}, bytes(130, bytes(10, {}))) +
                                 layer("sum", {"h", "y"}, {"out"}, bytes(230, {}))));
        const GraphPtr graph = VERIFIED(graphOf(bundle));
        QCOMPARE(linksText(around(graph, "fc", 6)),
                 QStringLiteral("act > sum | fc > act | fc > sum | fc.weights > fc | image > fc | "
                                "sum > output out"));
        QCOMPARE(graph->title(nodeOf(*graph, "fc")), "innerProduct");
        QCOMPARE(graph->title(nodeOf(*graph, "act")), "activation");
        QCOMPARE(graph->result(nodeOf(*graph, "fc")), "[1, 2]");
        QCOMPARE(graph->result(nodeOf(*graph, "act")), std::string());
        const std::size_t weight = graph->nodeOfWeight(0);
        QVERIFY(weight != graph::kNone);
        QCOMPARE(std::string(graph->param(graph->edges()[graph->edgesFrom(weight).front()])),
                 "weights");
    }

    /// What either branch makes goes on behind it.
    void branchesAreBlocks()
    {
        const QByteArray yes = layer("a", {"x"}, {"r"}, bytes(600, {}));
        const QByteArray no = layer("b", {"x"}, {"r"}, bytes(600, {}));
        const GraphPtr graph = VERIFIED(
            graphOf(openNetwork(layer("if", {"c"}, {}, bytes(605, bytes(1, yes) + bytes(2, no))) +
                                layer("end", {"r"}, {"y"}, bytes(130, {})))));
        const QString links = linksText(around(graph, "end", 6));
        for (const char *wanted :
             {"c > if", "x > a", "x > b", "a > if", "b > if", "if > end", "end > output y"})
            QVERIFY2(links.contains(QLatin1String(wanted)), qPrintable(links));
        QCOMPARE(std::size_t(graph->nodes()[nodeOf(*graph, "b")].block), 1U);
    }

    void unknownLayers()
    {
        const GraphPtr graph = VERIFIED(graphOf(openNetwork(
            layer("", {"x"}, {"y"}, bytes(9999, {})) + layer("bare", {"y"}, {"z"}, {}))));
        QCOMPARE(graph->title(nodeOf(*graph, "layer0")), "field 9999");
        QCOMPARE(graph->title(nodeOf(*graph, "bare")), "layer");
    }

    /// Cut and changed anywhere: a function, no fault of the program.
    void damaged()
    {
        QByteArray layers = layer("fc", {"image"}, {"h"}, extents({1, 2}) + innerProduct());
        for (int deep = 0; deep < 100; ++deep)
            layers = layer("l", {"c"}, {}, bytes(615, bytes(4, layers)));
        const auto whole = std::as_bytes(std::span(layers.constData(), std::size_t(layers.size())));
        const auto deepest = network::networkFunction(whole, {0, whole.size()}, "x");
        QCOMPARE(mil::operationCount(deepest.body), 64U);
        for (std::size_t cut = 0; cut < whole.size(); ++cut)
            (void)network::networkFunction(whole.first(cut), {0, cut}, "x");
        QVERIFY(network::networkFunction(whole, {whole.size(), 1}, "x").body.operations.empty());
        QVERIFY(network::networkFunction(whole, {1, whole.size()}, "x").body.operations.empty());
    }

    void boxesAreApart_data() { addEach({"down", "right"}); }

    void boxesAreApart()
    {
        const bool rightwards = std::get<0>(fetched<QString>()) == u"right"_s;
        const GraphPtr graph = VERIFIED(lattice());
        const Neighbourhood drawn = around(graph, "v2_1", 6, false);
        const Picture made = picture(drawn, ordinarySizes(), rightwards);
        const auto layout = VERIFIED(layOut(made.request));
        QCOMPARE(layout->boxes.size(), drawn.units.size());
        const QRectF page(0, 0, layout->size.width, layout->size.height);
        for (std::size_t a = 0; a < layout->boxes.size(); ++a) {
            QVERIFY(page.contains(rectOf(layout->boxes[a])));
            QCOMPARE(layout->boxes[a].size.width, made.request.boxes[a].width);
            for (std::size_t b = 0; b < a; ++b)
                QVERIFY(!rectOf(layout->boxes[a]).intersects(rectOf(layout->boxes[b])));
        }
        // What is made comes before what reads it.
        for (const Link &link : drawn.links) {
            const Point from = layout->boxes[link.from].centre(),
                        to = layout->boxes[link.to].centre();
            QVERIFY(rightwards ? from.x < to.x : from.y < to.y);
        }
    }

    void arrowsJoinTheirBoxes()
    {
        const Neighbourhood drawn = around(lattice(), "v2_1", 3, false);
        const Picture made = picture(drawn, ordinarySizes(), false);
        const auto layout = VERIFIED(layOut(made.request));
        for (std::size_t i = 0; i < drawn.links.size(); ++i) {
            const LayoutResult::Path &path = layout->arrows[i];
            QVERIFY(path.curve.size() >= 4 && path.curve.size() % 3 == 1);
            const auto near = [](const PlacedBox &box, const Point &point) {
                return rectOf(box).adjusted(-3, -3, 3, 3).contains(point.x, point.y);
            };
            QVERIFY(near(layout->boxes[drawn.links[i].from], path.curve.front()));
            QVERIFY(near(layout->boxes[drawn.links[i].to], path.tip));
            QVERIFY(path.hasLabel);
            // Graphviz keeps the room that a label was said to need.
            const Extent room = made.request.arrows[i].label;
            const QRectF label(path.label.x - room.width / 2, path.label.y - room.height / 2,
                               room.width, room.height);
            for (const PlacedBox &box : layout->boxes)
                QVERIFY(!label.adjusted(2, 2, -2, -2).intersects(rectOf(box)));
        }
    }

    void framesHoldTheirBoxes()
    {
        LayoutRequest request;
        request.boxes.assign(5, {60, 30});
        request.arrows = {{0, 1, {}}, {1, 2, {}}, {2, 3, {}}, {3, 4, {}}, {3, 0, {}}};
        request.frames.resize(2);
        request.frames[0].boxes = {1};
        request.frames[0].label = {90, 15};
        request.frames[1].parent = 0;
        request.frames[1].boxes = {2, 3};
        request.frames[1].label = {90, 15};
        const auto layout = VERIFIED(layOut(request));
        QCOMPARE(layout->frames.size(), 2U);
        QVERIFY(rectOf(layout->frames[0]).contains(rectOf(layout->frames[1])));
        for (const std::size_t inner : {std::size_t(2), std::size_t(3)})
            QVERIFY(rectOf(layout->frames[1]).contains(rectOf(layout->boxes[inner])));
        QVERIFY(!rectOf(layout->frames[0]).intersects(rectOf(layout->boxes[0])));
    }

    void textsFitTheirBoxes()
    {
        const Neighbourhood drawn = around(lattice(), "v2_1", 2, false);
        const TextSizes sizes = ordinarySizes();
        const Picture made = picture(drawn, sizes, false);
        for (std::size_t u = 0; u < drawn.units.size(); ++u) {
            QVERIFY(sizes.width(made.labels[u].title, true) < made.request.boxes[u].width);
            for (const std::string &line : made.labels[u].lines)
                QVERIFY(sizes.width(line, false) < made.request.boxes[u].width);
        }
    }

    void hostileNames_data()
    {
        const auto row = addColumns<QByteArray>();
        row("quotes", "a\\\"b'c");
        row("markup", "<b>&amp;</b><script>");
        row("Graphviz", "\\N\\L%{}|<f0>;];}");
        row("controls", "a\x01\x1b[31mb\x7f"_ba);
        row("turned", "a\u202eb");
        row("not a character", "a\uFFFEb");
        row("no UTF-8", "a\xff\xfe\x80z"_ba);
        row("long", QByteArray(10000, 'n'));
        row("squares", "\u6587"_ba.repeated(400));
    }

    void hostileNames()
    {
        const auto [name] = fetched<QByteArray>();
        const std::string text =
            programOf("    func main<ios18>(tensor<fp16, [1, 4]> x) {\n"
                      "            tensor<fp16, [1, 4]> y = relu(x = x)[name = string(\"" +
                      name.toStdString() + "\")];\n        } -> (y);\n");
        const GraphPtr graph = VERIFIED(graphOf(bundleOf(text)));
        const std::size_t y = nodeOf(*graph, "y");
        QVERIFY(y != graph::kNone);
        const Neighbourhood drawn = around(graph, "y", 2);
        const auto svg = VERIFIED(svgText(drawn, false));
        QXmlStreamReader reader(QByteArray::fromStdString(*svg));
        int texts = 0, boxes = 0;
        while (!reader.atEnd()) {
            if (reader.readNext() != QXmlStreamReader::StartElement)
                continue;
            texts += reader.name() == u"text"_s ? 1 : 0;
            boxes += reader.name() == u"g"_s ? 1 : 0;
            QVERIFY(reader.name() != u"script"_s);
            QVERIFY(reader.name() != u"b"_s);
        }
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        QCOMPARE(boxes, 3);
        QVERIFY(texts >= 6);
        QVERIFY(svg->size() < 30000);
        // Lines of dot: one statement each, whatever a name holds.
        const std::string dot = dotText(drawn, true);
        for (const QByteArray &line : QByteArray::fromStdString(dot).split('\n'))
            QVERIFY2(line.isEmpty() || line.endsWith(';') || line.endsWith('{') ||
                         line.endsWith('}'),
                     line.constData());
        QVERIFY(QString::fromUtf8(QByteArray::fromStdString(dot)).toUtf8().toStdString() == dot);
    }

    /// Graphviz takes one request at a time; each caller gets the whole answer.
    void manyThreads()
    {
        const GraphPtr graph = lattice();
        const std::string alone = svgText(around(graph, "v2_1", 3), false).value_or("");
        QVERIFY(!alone.empty());
        std::vector<std::string> made(6);
        std::vector<std::thread> threads;
        for (std::string &one : made)
            threads.emplace_back(
                [&] { one = svgText(around(graph, "v2_1", 3), false).value_or(""); });
        for (std::thread &thread : threads)
            thread.join();
        for (const std::string &one : made)
            QVERIFY(one == alone);
    }

    void drawingCancels()
    {
        Progress progress;
        progress.cancel();
        QCOMPARE(REFUSED(svgText(around(lattice(), "v2_1", 2), false, &progress)).code,
                 "task.cancelled");
    }

    void longNamesAreShort()
    {
        QCOMPARE(shortText("abcdefghij", 7), "abc\u2026hij");
        QCOMPARE(shortText("abcdefg", 7), "abcdefg");
        QCOMPARE(shortText("\u6587\u6587\u6587\u6587\u6587", 4), "\u6587\u6587\u2026\u6587");
        QVERIFY(shortText(std::string(1000000, 'x'), 40).size() < 200);
    }

    void bundles_data() { addPaths({u"*.mlmodelc"_s, u"*.mlpackage"_s}); }

    void bundles()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(const QString, path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        const GraphPtr graph = VERIFIED(graphOf(*bundle));
        std::size_t drawn = 0;
        for (std::size_t w = 0; w < (*bundle)->weights().size(); ++w) {
            const std::size_t node = graph->nodeOfWeight(w);
            const Weight &weight = (*bundle)->weights()[w];
            if (weight.consumers.empty())
                continue;
            QVERIFY2(node != graph::kNone, weight.name.c_str());
            QCOMPARE(graph->name(node), weight.name);
            QVERIFY2(!graph->edgesFrom(node).empty(), weight.name.c_str());
            if (++drawn > 8)
                continue;
            Scope scope;
            scope.centres = {node};
            const auto svg = VERIFIED(svgText(neighbourhood(graph, scope), true));
            QXmlStreamReader reader(QByteArray::fromStdString(*svg));
            while (!reader.atEnd())
                reader.readNext();
            QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        }
    }

private:
    /// relu, linear, add: each block reads what the one before it gave, twice.
    static BundlePtr residual(int blocks, const std::string &odd = "relu")
    {
        MadeBundle made;
        std::string from = "x";
        made.parameters = "tensor<fp16, [1, 4]> x";
        for (int i = 0; i < blocks; ++i) {
            const std::string n = std::to_string(i);
            made.weight("w" + n, "[4, 4]", Bytes(32, std::byte(i)));
            made.line(step(i == 2 ? odd : "relu", "a" + n, from));
            made.line("tensor<fp16, [1, 4]> b" + n + " = linear(weight = w" + n + ", x = a" + n +
                      ")[name = string(\"b" + n + "\")]");
            made.line(sum("c" + n, from, "b" + n));
            from = "c" + n;
        }
        made.line(step("softmax", "head", from));
        made.result = "head";
        return made.open().value_or(nullptr);
    }
    /// Six layers of four, each of which reads two of the layer before.
    static GraphPtr lattice()
    {
        std::string body;
        std::vector<std::string> before(4, "x");
        for (int layer = 0; layer < 6; ++layer) {
            std::vector<std::string> now;
            for (std::size_t i = 0; i < 4; ++i) {
                now.push_back("v" + std::to_string(layer) + "_" + std::to_string(i));
                body +=
                    "            " + sum(now.back(), before[i], before[(i * 3 + 1) % 4]) + ";\n";
            }
            before = now;
        }
        return graphOf(bundleOf(programOf("    func main<ios18>(tensor<fp16, [1, 4]> x) {\n" +
                                          body + "        } -> (v5_0);\n")));
    }
};

KERNSCOPE_TEST(TestGraph, QCoreApplication)
#include "tst_graph.moc"
