// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/program/graph_dock_fixture.h"
#include "widgets/models/words.h"

using namespace kernscope::ui;

/// The drawn graph: what it shows, repeats, what it writes.
class TestGraphDock : public GraphDockFixture
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }
    void init() { begin(); }
    void cleanup() { end(); }

    void beginsAtTheInputs()
    {
        QVERIFY(shows(chain(1)));
        QCOMPARE(currentName(), u"x"_s);
        QVERIFY(unit("a0") != graph::kNone);
        QVERIFY(!view().accessibleName().isEmpty());
        QVERIFY2(view().accessibleDescription().contains(u"x"_s),
                 qPrintable(view().accessibleDescription()));
    }

    void modelIsSound()
    {
        QAbstractItemModelTester tester(&m_dock->model());
        QVERIFY(shows(chain(3)));
        QCOMPARE(m_dock->model().rowCount(), int(view().scene()->boxes.size()));
        m_dock->setHops(6);
        QVERIFY(ready());
        QCOMPARE(m_dock->model().rowCount(), int(view().scene()->boxes.size()));
        // A row of the table picks its box.
        m_dock->table().setCurrentIndex(m_dock->model().index(2, 0));
        QCOMPARE(view().current(), m_dock->model().rowAt(2).unit);
        m_session->setBundle(chain(1));
        QVERIFY(ready());
        QCOMPARE(m_dock->model().rowCount(), int(view().scene()->boxes.size()));
    }

    void repeatsOpen()
    {
        QVERIFY(shows(chain(3)));
        m_dock->setHops(6);
        QVERIFY(ready());
        const auto folded = [this] {
            const auto &units = view().scene()->drawn->units;
            for (std::size_t u = 0; u < units.size(); ++u) {
                if (units[u].kind == graph::DrawnUnit::Kind::Fold)
                    return u;
            }
            return graph::kNone;
        };
        QVERIFY(folded() != graph::kNone);
        QVERIFY(view().scene()->boxes[folded()].title.contains(u"\u00D7 3"_s));
        view().setCurrent(folded());
        QTest::keyClick(&view(), Qt::Key_Return);
        QVERIFY(ready());
        QCOMPARE(folded(), graph::kNone);
        QVERIFY(unit("b2") != graph::kNone);
        actionOf(*m_dock, u"Back to the Drawing before"_s)->trigger();
        QVERIFY(ready());
        QVERIFY(folded() != graph::kNone);
        QTest::mouseDClick(view().viewport(), Qt::LeftButton, {}, middle(folded()));
        QVERIFY(ready());
        QCOMPARE(folded(), graph::kNone);
        QAction *fold = actionOf(*m_dock, u"Fold Repeated Blocks"_s);
        fold->trigger();
        QVERIFY(ready());
        QCOMPARE(folded(), graph::kNone);
        fold->trigger();
        QVERIFY(ready());
        QVERIFY(folded() != graph::kNone);
    }

    /// The whole function at once, at the size that shows all of it.
    void wholeFunctionIsDrawn()
    {
        QVERIFY(shows(chain(12)));
        actionOf(*m_dock, u"Fold Repeated Blocks"_s)->trigger();
        QVERIFY(ready());
        QCOMPARE(unit("head"), graph::kNone);
        m_dock->setHops(GraphDock::kWhole);
        QVERIFY(ready());
        QVERIFY(unit("head") != graph::kNone && unit("a11") != graph::kNone);
        QCOMPARE(view().scene()->drawn->leftOut, 0U);
        for (const char *name : {"a0", "head"})
            QVERIFY2(view().viewport()->rect().contains(view().viewRect(unit(name)).toRect()),
                     name);
    }

    void restsGrow()
    {
        MadeBundle made;
        for (int i = 0; i < 120; ++i)
            made.line("tensor<fp16, [1, 4]> r" + std::to_string(i) +
                      " = relu(x = x)[name = string(\"r" + std::to_string(i) + "\")]");
        made.result = "r0";
        const auto bundle = VERIFIED(made.open());
        actionOf(*m_dock, u"Fold Repeated Blocks"_s)->setChecked(false);
        QVERIFY(shows(*bundle));
        const auto &units = view().scene()->drawn->units;
        const auto rest = std::ranges::find_if(units, [](const graph::DrawnUnit &each) {
            return each.kind == graph::DrawnUnit::Kind::Rest && each.nodes.size() > 2;
        });
        QVERIFY(rest != units.end());
        const std::size_t index = std::size_t(rest - units.begin());
        QVERIFY2(view().scene()->boxes[index].title.contains(u"more operations"_s),
                 qPrintable(view().scene()->boxes[index].title));
        view().setCurrent(index);
        QTest::keyClick(&view(), Qt::Key_Return);
        QVERIFY(ready());
        QCOMPARE(view().scene()->drawn->leftOut, 0U);
    }

    void directions()
    {
        QVERIFY(shows(chain(1), {300, 900}));
        QVERIFY(!view().scene()->rightwards);
        m_dock->resize(1200, 300);
        QTRY_VERIFY(view().scene()->rightwards);
        actionOf(*m_dock, u"Values Flow Down"_s)->trigger();
        QVERIFY(ready());
        QVERIFY(!view().scene()->rightwards);
    }

    void textsFit_data() { addEach<int>({7, 22}); }

    /// Boxes are as large as their texts in the font of the view.
    void textsFit()
    {
        const auto [points] = fetched<int>();
        QFont font = m_dock->font();
        font.setPointSize(points);
        m_dock->setFont(font);
        QVERIFY(shows(chain(2)));
        const GraphScenePtr scene = view().scene();
        QCOMPARE(scene->font.pointSize(), points);
        const graph::TextSizes sizes = graphTextSizes(scene->font);
        for (const GraphScene::Box &box : scene->boxes) {
            QVERIFY(sizes.width(box.title.toStdString(), true) <= box.rect.width());
            QVERIFY(scene->lineHeight * double(box.lines.size() + 1) <= box.rect.height());
            for (const QString &line : box.lines)
                QVERIFY(sizes.width(line.toStdString(), false) <= box.rect.width());
        }
    }

    void exports()
    {
        QVERIFY(shows(chain(2)));
        QTemporaryDir folder;
        QSignalSpy said(m_session.get(), &Session::statusMessage);
        m_dock->exportSvg(folder.filePath(u"g.svg"_s));
        m_dock->exportDot(folder.filePath(u"g.dot"_s));
        QTRY_COMPARE(said.size(), 2);
        QVERIFY(contentOf(folder.filePath(u"g.svg"_s)).contains("</svg>"));
        QVERIFY(contentOf(folder.filePath(u"g.dot"_s)).startsWith("digraph"));
        m_dock->exportSvg(folder.filePath(u"none/g.svg"_s));
        QTRY_COMPARE(said.size(), 3);
        QVERIFY(!said.last().front().toString().startsWith(u"Written"_s));
    }

    void functionsAndCalls()
    {
        const std::string text =
            "program(1.3)\n{\n"
            "    func inner<ios18>(tensor<fp16, [1, 4]> a) {\n"
            "            tensor<fp16, [1, 4]> b = relu(x = a)[name = string(\"b\")];\n"
            "        } -> (b);\n"
            "    func main<ios18>(tensor<fp16, [1, 4]> x) {\n"
            "            tensor<fp16, [1, 4]> y = call(x = x)[name = string(\"y\"), function = "
            "string(\"inner\"), backend = string(\"ane\")];\n"
            "        } -> (y);\n}\n";
        const auto bundle = VERIFIED(Bundle::open("made.mlmodelc", MadeBundle::options(text, {})));
        QVERIFY(shows(*bundle));
        const QList<QComboBox *> boxes = m_dock->findChildren<QComboBox *>();
        const auto functions = std::ranges::find_if(boxes, [](const QComboBox *each) {
            return each->accessibleName() == u"Function to draw"_s;
        });
        QVERIFY(functions != boxes.end());
        QCOMPARE((*functions)->count(), 2);
        QCOMPARE(currentName(), u"a"_s);
        (*functions)->setCurrentIndex(1);
        Q_EMIT(*functions)->activated(1);
        QVERIFY(ready());
        QCOMPARE(currentName(), u"x"_s);
        view().setCurrent(unit("y"));
        QTest::keyClick(&view(), Qt::Key_Return);
        QVERIFY(ready());
        QCOMPARE(currentName(), u"a"_s);
        QCOMPARE((*functions)->currentIndex(), 0);
    }

    void withoutProgram()
    {
        QVERIFY(showDock(*m_dock));
        QVERIFY(settle(*m_dock));
        QVERIFY(!m_dock->showsContent());
        milblob::Writer writer;
        writer.add(ElementType::Fp16, halves({1, 2}), 0);
        const auto blob =
            VERIFIED(Bundle::open("weight.bin", {.memory = {{"weight.bin", writer.finish()}}}));
        m_session->setBundle(chain(1));
        QVERIFY(ready());
        m_session->setBundle(*blob);
        QVERIFY(settle(*m_dock));
        QVERIFY(!m_dock->showsContent());
        QVERIFY(!view().scene());
    }

    /// The drawing that is written has the colours of the one in the light theme.
    void sameColours()
    {
        QSet<QRgb> met;
        for (const char *build : {"dense", "sparse", "palette"}) {
            const BundlePtr bundle = VERIFIED(openSample(build));
            for (const Weight &weight : bundle->weights()) {
                const QRgb wanted = theme::color(formToken(weight.form), false).rgb();
                QCOMPARE(0xFF000000U | graph::formColor(weight.form), wanted);
                met << wanted;
            }
        }
        QVERIFY(met.size() >= 3);
    }

    // The drawn graph: keys, mouse, the common selection.
    void keysWalk()
    {
        QVERIFY(shows(chain(1), {1000, 400}));
        m_dock->setHops(6);
        QVERIFY(ready());
        QVERIFY(view().scene()->rightwards);
        QStringList walked;
        for (int i = 0; i < 6; ++i) {
            QTest::keyClick(&view(), Qt::Key_Right);
            walked << currentName();
        }
        // Along the arrows to the end, and no further.
        QVERIFY2(walked.contains(u"c0"_s), qPrintable(walked.join(u' ')));
        QCOMPARE(walked.last(), u"head"_s);
        for (int i = 0; i < 7; ++i)
            QTest::keyClick(&view(), Qt::Key_Left);
        QVERIFY(currentName() == u"x"_s || currentName() == u"w0"_s);
        // Up and down reach what stands beside it.
        view().setCurrent(unit("x"));
        QSet<QString> met{currentName()};
        for (const int key : {Qt::Key_Right, Qt::Key_Right, Qt::Key_Up, Qt::Key_Left, Qt::Key_Down,
                              Qt::Key_Right, Qt::Key_Up, Qt::Key_Down}) {
            QTest::keyClick(&view(), static_cast<Qt::Key>(key));
            met << currentName();
        }
        QVERIFY(met.size() >= 4);
    }

    void keysZoom()
    {
        QVERIFY(shows(chain(1)));
        const double before = view().zoom();
        QTest::keyClick(&view(), Qt::Key_Plus);
        QVERIFY(view().zoom() > before);
        QTest::keyClick(&view(), Qt::Key_Minus);
        QTest::keyClick(&view(), Qt::Key_Minus);
        QVERIFY(view().zoom() < before);
        for (int i = 0; i < 12; ++i)
            QTest::keyClick(&view(), Qt::Key_Plus);
        QTest::keyClick(&view(), Qt::Key_Home);
        const QRectF page(view().toView({0, 0}), view().scene()->page.size() * view().zoom());
        QVERIFY(QRectF(view().viewport()->rect()).contains(page));
    }

    void wheelKeepsThePoint()
    {
        QVERIFY(shows(chain(1), {500, 300}));
        m_dock->setHops(6);
        QVERIFY(ready());
        for (int i = 0; i < 7; ++i)
            view().zoomIn();
        for (QScrollBar *bar : {view().horizontalScrollBar(), view().verticalScrollBar()}) {
            QVERIFY(bar->maximum() > 50); // else the drawing stands in the middle
            bar->setValue(bar->maximum() / 2);
        }
        const QPointF at(150, 100);
        const QPointF under = view().toScene(at);
        const double before = view().zoom();
        QWheelEvent wheel(at, view().viewport()->mapToGlobal(at), {}, {0, 120}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(view().viewport(), &wheel);
        QVERIFY(view().zoom() > before);
        const QPointF now = view().toScene(at) - under;
        QVERIFY(std::abs(now.x()) < 2 && std::abs(now.y()) < 2);
    }

    void dragMoves()
    {
        QVERIFY(shows(chain(3), {500, 300}));
        for (int i = 0; i < 8; ++i)
            view().zoomIn();
        view().horizontalScrollBar()->setValue(view().horizontalScrollBar()->maximum() / 2);
        const int before = view().horizontalScrollBar()->value();
        const std::size_t current = view().current();
        QWidget *port = view().viewport();
        QTest::mousePress(port, Qt::LeftButton, {}, {200, 100});
        QTest::mouseMove(port, {170, 100});
        QTest::mouseMove(port, {120, 100});
        QTest::mouseRelease(port, Qt::LeftButton, {}, {120, 100});
        QCOMPARE(view().horizontalScrollBar()->value(), before + 80);
        QCOMPARE(view().current(), current); // a drag picks nothing
    }

    void clickLeads()
    {
        QVERIFY(shows(chain(1)));
        m_dock->setHops(6);
        QVERIFY(ready());
        view().fit();
        QSignalSpy moved(m_session.get(), &Session::placeChanged);
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, middle(unit("w0")));
        QCOMPARE(m_session->place().weight, 0U);
        QCOMPARE(moved.size(), 1);
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, middle(unit("head")));
        QVERIFY(m_session->place().bytes.has_value());
        QCOMPARE(m_session->place().file, m_session->bundle()->programFile());
        // What moved the others stays as it is drawn here.
        QVERIFY(ready());
        QCOMPARE(currentName(), u"head"_s);
    }

    void enterCentres()
    {
        QVERIFY(shows(chain(1)));
        view().setCurrent(unit("a0"));
        QTest::keyClick(&view(), Qt::Key_Return);
        QVERIFY(ready());
        QCOMPARE(view().scene()->drawn->units[unit("a0")].hop, 0U);
        QVERIFY(unit("w0") != graph::kNone); // two values away from a0, three from x
        actionOf(*m_dock, u"Back to the Drawing before"_s)->trigger();
        QVERIFY(ready());
        QCOMPARE(view().scene()->drawn->units[unit("x")].hop, 0U);
        QTest::mouseDClick(view().viewport(), Qt::LeftButton, {}, middle(unit("c0")));
        QVERIFY(ready());
        QCOMPARE(view().scene()->drawn->units[unit("c0")].hop, 0U);
    }

    void followsTheOthers()
    {
        QVERIFY(shows(chain(12)));
        QCOMPARE(unit("w7"), graph::kNone);
        m_session->goToWeight(7);
        QVERIFY(ready());
        QCOMPARE(currentName(), u"w7"_s);
        QCOMPARE(view().scene()->drawn->units[view().current()].hop, 0U);
        // What is drawn already is only picked.
        const GraphScenePtr scene = view().scene();
        const graph::Graph &graph = *scene->drawn->graph;
        const std::size_t node = graph::findNode(graph, "c7", {}).value_or(graph::kNone);
        QVERIFY(node != graph::kNone);
        const SourceSpan span = graph.span(node);
        m_session->goToBytes(m_session->bundle()->programFile(),
                             {FileOffset(span.offset), ByteCount(1)});
        QVERIFY(ready());
        QCOMPARE(view().scene(), scene);
        QCOMPARE(currentName(), u"c7"_s);
    }

    void pinHoldsIt()
    {
        QVERIFY(shows(chain(12)));
        m_session->goToWeight(2);
        QVERIFY(ready());
        m_dock->setPinned(true);
        m_session->goToWeight(7);
        QVERIFY(ready());
        QCOMPARE(currentName(), u"w2"_s);
        m_dock->setPinned(false);
        QVERIFY(ready());
        QCOMPARE(currentName(), u"w7"_s);
    }
};

KERNSCOPE_TEST(TestGraphDock, QApplication)
#include "tst_graph_dock.moc"
