// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/picture.h"
#include "tests/test_program.h"
#include "tests/widgets/program/graph_dock_fixture.h"
#include "widgets/models/form_token.h"
#include "widgets/models/theme.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QScrollBar>
#include <QTableView>
#include <QTemporaryDir>

using namespace kernscope;
using namespace kernscope::ui;

/// The drawn graph: what it shows, repeats, what it writes.
class TestGraphDock : public test::GraphDockFixture
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }
    void init() { begin(); }
    void cleanup() { end(); }
    void beginsAtTheInputs();
    void modelIsSound();
    void repeatsOpen();
    void restsGrow();
    void directions();
    void textsFit_data();
    void textsFit();
    void exports();
    void functionsAndCalls();
    void withoutProgram();
    void sameColours();
};

void TestGraphDock::beginsAtTheInputs()
{
    m_session->setBundle(chain(1));
    QVERIFY(test::showDock(*m_dock));
    QVERIFY(ready());
    QCOMPARE(currentName(), QStringLiteral("x"));
    QVERIFY(unit("a0") != graph::kNone);
    QVERIFY(!view().accessibleName().isEmpty());
    QVERIFY2(view().accessibleDescription().contains(QStringLiteral("x")),
             qPrintable(view().accessibleDescription()));
}

void TestGraphDock::modelIsSound()
{
    QAbstractItemModelTester tester(&m_dock->model());
    m_session->setBundle(chain(3));
    QVERIFY(test::showDock(*m_dock));
    QVERIFY(ready());
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

void TestGraphDock::repeatsOpen()
{
    m_session->setBundle(chain(3));
    QVERIFY(test::showDock(*m_dock));
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
    QVERIFY(view().scene()->boxes[folded()].title.contains(QStringLiteral("\u00D7 3")));
    view().setCurrent(folded());
    QTest::keyClick(&view(), Qt::Key_Return);
    QVERIFY(ready());
    QCOMPARE(folded(), graph::kNone);
    QVERIFY(unit("b2") != graph::kNone);
    action(QStringLiteral("Back to the Drawing before"))->trigger();
    QVERIFY(ready());
    QVERIFY(folded() != graph::kNone);
    QTest::mouseDClick(view().viewport(), Qt::LeftButton, {}, middle(folded()));
    QVERIFY(ready());
    QCOMPARE(folded(), graph::kNone);
    QAction *fold = action(QStringLiteral("Fold Repeated Blocks"));
    fold->trigger();
    QVERIFY(ready());
    QCOMPARE(folded(), graph::kNone);
    fold->trigger();
    QVERIFY(ready());
    QVERIFY(folded() != graph::kNone);
}

void TestGraphDock::restsGrow()
{
    test::MadeBundle made;
    for (int i = 0; i < 120; ++i)
        made.line("tensor<fp16, [1, 4]> r" + std::to_string(i) +
                  " = relu(x = x)[name = string(\"r" + std::to_string(i) + "\")]");
    made.result = "r0";
    const auto bundle = made.open();
    QVERIFY(bundle);
    action(QStringLiteral("Fold Repeated Blocks"))->setChecked(false);
    m_session->setBundle(*bundle);
    QVERIFY(test::showDock(*m_dock));
    QVERIFY(ready());
    const auto &units = view().scene()->drawn->units;
    const auto rest = std::find_if(units.begin(), units.end(), [](const graph::DrawnUnit &each) {
        return each.kind == graph::DrawnUnit::Kind::Rest && each.nodes.size() > 2;
    });
    QVERIFY(rest != units.end());
    const std::size_t index = std::size_t(rest - units.begin());
    QVERIFY2(view().scene()->boxes[index].title.contains(QStringLiteral("more operations")),
             qPrintable(view().scene()->boxes[index].title));
    view().setCurrent(index);
    QTest::keyClick(&view(), Qt::Key_Return);
    QVERIFY(ready());
    QCOMPARE(view().scene()->drawn->leftOut, std::size_t(0));
}

void TestGraphDock::directions()
{
    m_session->setBundle(chain(1));
    QVERIFY(test::showDock(*m_dock, 300, 900));
    QVERIFY(ready());
    QVERIFY(!view().scene()->rightwards);
    m_dock->resize(1200, 300);
    QTRY_VERIFY(view().scene()->rightwards);
    action(QStringLiteral("Values Flow Down"))->trigger();
    QVERIFY(ready());
    QVERIFY(!view().scene()->rightwards);
}

void TestGraphDock::textsFit_data()
{
    QTest::addColumn<int>("points");
    QTest::newRow("small") << 7;
    QTest::newRow("large") << 22;
}

/// Boxes are as large as their texts in the font of the view.
void TestGraphDock::textsFit()
{
    QFETCH(const int, points);
    QFont font = m_dock->font();
    font.setPointSize(points);
    m_dock->setFont(font);
    m_session->setBundle(chain(2));
    QVERIFY(test::showDock(*m_dock));
    QVERIFY(ready());
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

void TestGraphDock::exports()
{
    m_session->setBundle(chain(2));
    QVERIFY(test::showDock(*m_dock));
    QVERIFY(ready());
    QTemporaryDir folder;
    QSignalSpy said(m_session.get(), &Session::statusMessage);
    m_dock->exportSvg(folder.filePath(QStringLiteral("g.svg")));
    m_dock->exportDot(folder.filePath(QStringLiteral("g.dot")));
    QTRY_COMPARE(said.size(), 2);
    QFile svg(folder.filePath(QStringLiteral("g.svg"))),
        dot(folder.filePath(QStringLiteral("g.dot")));
    QVERIFY(svg.open(QIODevice::ReadOnly) && dot.open(QIODevice::ReadOnly));
    QVERIFY(svg.readAll().contains("</svg>"));
    QVERIFY(dot.readAll().startsWith("digraph"));
    m_dock->exportSvg(folder.filePath(QStringLiteral("none/g.svg")));
    QTRY_COMPARE(said.size(), 3);
    QVERIFY(!said.last().front().toString().startsWith(QStringLiteral("Written")));
}

void TestGraphDock::functionsAndCalls()
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
    const auto bundle = Bundle::open("made.mlmodelc", test::MadeBundle::options(text, {}));
    QVERIFY(bundle);
    m_session->setBundle(*bundle);
    QVERIFY(test::showDock(*m_dock));
    QVERIFY(ready());
    auto *box = m_dock->findChild<QComboBox *>(QString(), Qt::FindChildrenRecursively);
    QVERIFY(box);
    const QList<QComboBox *> boxes = m_dock->findChildren<QComboBox *>();
    const auto functions = std::find_if(boxes.begin(), boxes.end(), [](const QComboBox *each) {
        return each->accessibleName() == QStringLiteral("Function to draw");
    });
    QVERIFY(functions != boxes.end());
    QCOMPARE((*functions)->count(), 2);
    QCOMPARE(currentName(), QStringLiteral("a"));
    (*functions)->setCurrentIndex(1);
    Q_EMIT(*functions)->activated(1);
    QVERIFY(ready());
    QCOMPARE(currentName(), QStringLiteral("x"));
    view().setCurrent(unit("y"));
    QTest::keyClick(&view(), Qt::Key_Return);
    QVERIFY(ready());
    QCOMPARE(currentName(), QStringLiteral("a"));
    QCOMPARE((*functions)->currentIndex(), 0);
}

void TestGraphDock::withoutProgram()
{
    QVERIFY(test::showDock(*m_dock));
    QVERIFY(test::settle(*m_dock));
    QVERIFY(!m_dock->showsContent());
    milblob::Writer writer;
    writer.add(ElementType::Fp16, test::halves({1, 2}), 0);
    OpenOptions options;
    options.memory = {{"weight.bin", writer.finish()}};
    const auto blob = Bundle::open("weight.bin", options);
    QVERIFY(blob);
    m_session->setBundle(chain(1));
    QVERIFY(ready());
    m_session->setBundle(*blob);
    QVERIFY(test::settle(*m_dock));
    QVERIFY(!m_dock->showsContent());
    QVERIFY(!view().scene());
}

/// The drawing that is written has the colours of the one in the light theme.
void TestGraphDock::sameColours()
{
    QSet<QRgb> met;
    for (const char *name :
         {"sample-dense.mlmodelc", "sample-sparse.mlmodelc", "sample-palette.mlmodelc"}) {
        const BundlePtr bundle = test::openSample(name);
        QVERIFY(bundle);
        for (const Weight &weight : bundle->weights()) {
            const QRgb wanted = theme::color(formToken(weight.form), false).rgb();
            QCOMPARE(0xFF000000U | graph::formColor(weight.form), wanted);
            met << wanted;
        }
    }
    QVERIFY(met.size() >= 3);
}

KERNSCOPE_TEST(TestGraphDock, QApplication)
#include "tst_graph_dock.moc"
