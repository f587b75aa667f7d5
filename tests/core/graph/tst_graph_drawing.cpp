// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/picture.h"
#include "tests/core/graph/made_program.h"

using namespace kernscope::graph;

QRectF rectOf(const PlacedBox &box)
{
    return {box.topLeft.x, box.topLeft.y, box.size.width, box.size.height};
}

/// Layout and what is written of it: boxes apart, texts within them, whatever names a file has.
class TestGraphDrawing : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void boxesAreApart_data()
    {
        QTest::addColumn<bool>("rightwards");
        addRow("down", false);
        addRow("right", true);
    }

    void boxesAreApart()
    {
        QFETCH(const bool, rightwards);
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
        QCOMPARE(layout->frames.size(), std::size_t(2));
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
        QTest::addColumn<QByteArray>("name");
        const auto row = [](const char *title, const QByteArray &name) { addRow(title, name); };
        row("quotes", "a\\\"b'c");
        row("markup", "<b>&amp;</b><script>");
        row("Graphviz", "\\N\\L%{}|<f0>;];}");
        row("controls", QByteArray("a\x01\x1b[31mb\x7f"));
        row("turned", "a\u202eb");
        row("not a character", "a\uFFFEb");
        row("no UTF-8", QByteArray("a\xff\xfe\x80z"));
        row("long", QByteArray(10000, 'n'));
        row("squares", QByteArray("\u6587").repeated(400));
    }

    void hostileNames()
    {
        QFETCH(const QByteArray, name);
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

    void cancels()
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

private:
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

KERNSCOPE_TEST(TestGraphDrawing, QCoreApplication)
#include "tst_graph_drawing.moc"
