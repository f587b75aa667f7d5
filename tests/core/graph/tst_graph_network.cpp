// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/network/network_program.h"
#include "proto_builder.h"
#include "tests/core/graph/made_program.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::graph;
using namespace kernscope::test;
using prototest::bytes;
using prototest::number;
using prototest::varint;

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
    const auto all =
        std::as_bytes(std::span(raw.constData(), static_cast<std::size_t>(raw.size())));
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

/// Neural networks of the kind before programs: their layers as operations.
class TestGraphNetwork : public QObject
{
    Q_OBJECT

private Q_SLOTS:
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
        QCOMPARE(std::size_t(graph->nodes()[nodeOf(*graph, "b")].block), std::size_t(1));
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
        const auto whole =
            std::as_bytes(std::span(layers.constData(), static_cast<std::size_t>(layers.size())));
        const auto deepest = network::networkFunction(whole, {0, whole.size()}, "x");
        QCOMPARE(mil::operationCount(deepest.body), std::size_t(64));
        for (std::size_t cut = 0; cut < whole.size(); ++cut)
            (void)network::networkFunction(whole.first(cut), {0, cut}, "x");
        QVERIFY(network::networkFunction(whole, {whole.size(), 1}, "x").body.operations.empty());
        QVERIFY(network::networkFunction(whole, {1, whole.size()}, "x").body.operations.empty());
    }
};

KERNSCOPE_TEST(TestGraphNetwork, QCoreApplication)
#include "tst_graph_network.moc"
