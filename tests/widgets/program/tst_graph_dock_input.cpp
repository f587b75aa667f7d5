// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/picture.h"
#include "tests/test_program.h"
#include "tests/widgets/program/graph_dock_fixture.h"
#include "widgets/models/form_token.h"
#include "widgets/models/theme.h"

#include <QScrollBar>
#include <QWheelEvent>

using namespace kernscope;
using namespace kernscope::ui;

/// The drawn graph: keys, mouse, the common selection.
class TestGraphDockInput : public test::GraphDockFixture
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }
    void init() { begin(); }
    void cleanup() { end(); }
    void keysWalk();
    void keysZoom();
    void wheelKeepsThePoint();
    void dragMoves();
    void clickLeads();
    void enterCentres();
    void followsTheOthers();
    void pinHoldsIt();
};

void TestGraphDockInput::keysWalk()
{
    m_session->setBundle(chain(1));
    QVERIFY(test::showDock(*m_dock, 1000, 400));
    QVERIFY(ready());
    m_dock->setHops(6);
    QVERIFY(ready());
    QVERIFY(view().scene()->rightwards);
    QStringList walked;
    for (int i = 0; i < 6; ++i) {
        QTest::keyClick(&view(), Qt::Key_Right);
        walked << currentName();
    }
    // Along the arrows to the end, and no further.
    QVERIFY2(walked.contains(QStringLiteral("c0")), qPrintable(walked.join(u' ')));
    QCOMPARE(walked.last(), QStringLiteral("head"));
    for (int i = 0; i < 7; ++i)
        QTest::keyClick(&view(), Qt::Key_Left);
    QVERIFY(currentName() == QStringLiteral("x") || currentName() == QStringLiteral("w0"));
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

void TestGraphDockInput::keysZoom()
{
    m_session->setBundle(chain(1));
    QVERIFY(test::showDock(*m_dock));
    QVERIFY(ready());
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

void TestGraphDockInput::wheelKeepsThePoint()
{
    m_session->setBundle(chain(1));
    QVERIFY(test::showDock(*m_dock, 500, 300));
    QVERIFY(ready());
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

void TestGraphDockInput::dragMoves()
{
    m_session->setBundle(chain(3));
    QVERIFY(test::showDock(*m_dock, 500, 300));
    QVERIFY(ready());
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

void TestGraphDockInput::clickLeads()
{
    m_session->setBundle(chain(1));
    QVERIFY(test::showDock(*m_dock));
    m_dock->setHops(6);
    QVERIFY(ready());
    view().fit();
    QSignalSpy moved(m_session.get(), &Session::placeChanged);
    QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, middle(unit("w0")));
    QCOMPARE(m_session->place().weight, std::size_t(0));
    QCOMPARE(moved.size(), 1);
    QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, middle(unit("head")));
    QVERIFY(m_session->place().bytes.has_value());
    QCOMPARE(m_session->place().file, m_session->bundle()->programFile());
    // What moved the others stays as it is drawn here.
    QVERIFY(ready());
    QCOMPARE(currentName(), QStringLiteral("head"));
}

void TestGraphDockInput::enterCentres()
{
    m_session->setBundle(chain(1));
    QVERIFY(test::showDock(*m_dock));
    QVERIFY(ready());
    view().setCurrent(unit("a0"));
    QTest::keyClick(&view(), Qt::Key_Return);
    QVERIFY(ready());
    QCOMPARE(view().scene()->drawn->units[unit("a0")].hop, 0U);
    QVERIFY(unit("w0") != graph::kNone); // two values away from a0, three from x
    action(QStringLiteral("Back to the Drawing before"))->trigger();
    QVERIFY(ready());
    QCOMPARE(view().scene()->drawn->units[unit("x")].hop, 0U);
    QTest::mouseDClick(view().viewport(), Qt::LeftButton, {}, middle(unit("c0")));
    QVERIFY(ready());
    QCOMPARE(view().scene()->drawn->units[unit("c0")].hop, 0U);
}

void TestGraphDockInput::followsTheOthers()
{
    m_session->setBundle(chain(12));
    QVERIFY(test::showDock(*m_dock));
    QVERIFY(ready());
    QCOMPARE(unit("w7"), graph::kNone);
    m_session->goToWeight(7);
    QVERIFY(ready());
    QCOMPARE(currentName(), QStringLiteral("w7"));
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
    QCOMPARE(currentName(), QStringLiteral("c7"));
}

void TestGraphDockInput::pinHoldsIt()
{
    m_session->setBundle(chain(12));
    QVERIFY(test::showDock(*m_dock));
    QVERIFY(ready());
    m_session->goToWeight(2);
    QVERIFY(ready());
    m_dock->setPinned(true);
    m_session->goToWeight(7);
    QVERIFY(ready());
    QCOMPARE(currentName(), QStringLiteral("w2"));
    m_dock->setPinned(false);
    QVERIFY(ready());
    QCOMPARE(currentName(), QStringLiteral("w7"));
}

KERNSCOPE_TEST(TestGraphDockInput, QApplication)
#include "tst_graph_dock_input.moc"
