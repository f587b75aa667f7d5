// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/picture.h"
#include "tests/core/graph/made_program.h"
#include "tests/data/data_folder.h"

using namespace kernscope::graph;

/// Every bundle of the data folder that has a program: each weight that an operation reads is in
/// the graph, and what is around it can be drawn.
class TestGraphData : public QObject
{
    Q_OBJECT

private Q_SLOTS:
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
};

KERNSCOPE_TEST(TestGraphData, QCoreApplication)
#include "tst_graph_data.moc"
