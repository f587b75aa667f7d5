// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/bundle/made_bundle.h"
#include "tests/data/data_folder.h"
#include "tests/widgets/sample_session.h"
#include "widgets/common/dock_tools.h"
#include "widgets/program/operation_panel.h"
#include "widgets/program/program_dock.h"

using namespace kernscope::ui;

namespace {

/// The last rows of a program as they are shown, each with the rows and weights that its links lead
/// to.
QString lastRows(const ProgramTree &tree)
{
    constexpr std::size_t kMost = 4;
    QStringList rows{QString::number(tree.rows())};
    for (std::size_t row = tree.rows() - std::min(tree.rows(), kMost); row < tree.rows(); ++row) {
        const auto spans = programSpans(tree, row);
        rows += programText(spans);
        for (const ProgramSpan &span : spans) {
            if (span.node != ProgramTree::kNone)
                rows.back() += u" >%1"_s.arg(span.node);
            if (span.weight != ProgramTree::kNone)
                rows.back() += u" >w%1"_s.arg(span.weight);
        }
    }
    return rows.join(u'|');
}

/// What holds in every program: links lead there and back, and each operation has its place.
void requireSound(const BundlePtr &bundle)
{
    QVERIFY(bundle);
    const auto built = ProgramTree::build(bundle);
    const ProgramTree &tree = *built;
    std::map<std::size_t, std::size_t> readers; // weight -> the first row that leads to it
    for (std::size_t row = 0; row < tree.rows(); ++row) {
        const ProgramTree::Node node = tree.node(row);
        QVERIFY(node.parent == ProgramTree::kNone || tree.child(node.parent, node.place) == row);
        if (node.kind != ProgramTree::Kind::Operation)
            continue;
        for (const ProgramSpan &span : programSpans(tree, row)) {
            if (span.weight != ProgramTree::kNone)
                readers.emplace(span.weight, row);
        }
        for (std::size_t i = 0; i < tree.operation(row)->outputs.size(); ++i) {
            for (const std::size_t use : tree.uses(row, i)) {
                const auto spans = programSpans(tree, use);
                QVERIFY(std::ranges::any_of(
                    spans, [row](const ProgramSpan &span) { return span.node == row; }));
            }
        }
        const SourceSpan span = tree.span(row);
        if (span.length == 0)
            continue;
        QCOMPARE(tree.rowAtByte(tree.fileOf(row), span.offset), row);
        if (node.children == 0)
            QCOMPARE(tree.rowAtByte(tree.fileOf(row), span.offset + span.length - 1), row);
    }
    for (std::size_t weight = 0; weight < bundle->weights().size(); ++weight) {
        const auto reader = readers.find(weight);
        QCOMPARE(tree.readerOf(weight),
                 reader == readers.end() ? ProgramTree::kNone : reader->second);
    }
}

BundlePtr bundleOf(const QByteArray &functions, const char *name = "made.mlmodelc")
{
    const std::string text = "program(1.3)\n{\n" + functions.toStdString() + "}\n";
    return Bundle::open(name, MadeBundle::options(text, MadeBundle().weights())).value_or(nullptr);
}

QByteArray functionOf(const QByteArray &name, const QByteArray &statements)
{
    return "    func " + name + "<ios18>(tensor<fp16, [1, 4]> x) {\n" + statements +
           "        } -> (x);\n";
}

QByteArray relus(int count)
{
    QByteArray text;
    for (int i = 0; i < count; ++i)
        text += "tensor<fp16, [1, 4]> r" + QByteArray::number(i) +
                " = relu(x = " + (i == 0 ? "x" : "r" + QByteArray::number(i / 2)) +
                ")[name = string(\"r\")];\n";
    return text;
}

} // namespace

/// The program as text: rows, links, finding, and how it goes with the selection of the others.
class TestProgramDock : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }

    void rowsAndTheirWords()
    {
        auto [session, dock] = Alone<ProgramDock>();
        QAbstractItemModelTester tester(&dock.model());
        QVERIFY(showDock(dock, session, openSample("sparse")));
        QVERIFY(dock.showsContent());
        QCOMPARE(dock.model().rowCount(), int(session.bundle()->program()->functions.size()));
        const QModelIndex function = dock.model().index(0, 0);
        QVERIFY(function.data().toString().startsWith(u"func main ("_s));
        QVERIFY(dock.view().isExpanded(function));
        QVERIFY(dock.model().rowCount(function) > 0);
        for (int row = 0; row < dock.model().rowCount(function); ++row)
            QVERIFY(
                !dock.model().index(row, 0, function).data().toString().startsWith(u"const "_s));
        QVERIFY(dock.model().tree()->operations() >= std::size_t(dock.model().rowCount(function)));
    }

    void blocksFold()
    {
        auto [session, dock] = Alone<ProgramDock>();
        QVERIFY(showDock(dock, session, openSample("dense")));
        const QModelIndex function = dock.model().index(0, 0);
        dock.view().setCurrentIndex(function);
        dock.view().setFocus();
        QTest::keyClick(&dock.view(), Qt::Key_Left);
        QVERIFY(!dock.view().isExpanded(function));
        QTest::keyClick(&dock.view(), Qt::Key_Right);
        QVERIFY(dock.view().isExpanded(function));
    }

    /// Blocks within blocks: all unfolded at first, again by Unfold All, and a note is kept of rows
    /// that hold others only.
    void everythingUnfolds()
    {
        std::string inner = "tensor<fp16, [4]> r = relu(x = x);\n";
        for (int i = 0; i < 3; ++i) {
            const std::string name = "c" + std::to_string(i);
            const std::string outer =
                "tensor<fp16, [4]> " + name + " = cond(pred = x, _true_fn = () {\n";
            inner = outer + inner + "} -> (x), _false_fn = () { } -> (x));\n";
        }
        const auto opened = VERIFIED(bundleOf(functionOf("main", inner.c_str())));
        auto [session, dock] = Alone<ProgramDock>();
        QVERIFY(showDock(dock, session, opened));
        const auto &tree = *dock.model().tree();
        QCOMPARE(tree.rows(),
                 std::size_t(1 + 3 * 3 + 1)); // of each condition itself and two blocks
        const auto unfolded = [&] {
            std::size_t rows = 0;
            for (std::size_t row = 0; row < tree.rows(); ++row)
                rows += dock.view().isExpanded(dock.model().indexOf(row)) ? 1 : 0;
            return rows;
        };
        QCOMPARE(unfolded(), std::size_t(1 + 3 * 2));
        const QModelIndex innermost = rowWith(dock, u"relu r"_s);
        QVERIFY(!dock.view().visualRect(innermost).isEmpty());
        dock.view().collapseAll();
        QCOMPARE(unfolded(), 0U);
        actionOf(dock, u"Unfold All"_s)->trigger();
        QCOMPARE(unfolded(), std::size_t(1 + 3 * 2));
        QVERIFY(!dock.view().visualRect(innermost).isEmpty());
    }

    void literalsAreShown()
    {
        auto [session, dock] = Alone<ProgramDock>();
        QVERIFY(showDock(dock, session, loopBundle()));
        const QModelIndex reshape = rowWith(dock, u"reshape z"_s);
        QVERIFY(reshape.isValid());
        QCOMPARE(reshape.data().toString(), u"reshape z (x = y, shape = [1, 4])   fp16 [1, 4]"_s);
        const auto links = dock.linksOf(rowWith(dock, u"relu y"_s));
        QCOMPARE(links.size(), 2U); // read by reshape and by add; x is an input
        QCOMPARE(links[0].to.node, dock.model().nodeOf(reshape));
    }

    void findGoesOn()
    {
        auto [session, dock] = Alone<ProgramDock>();
        QVERIFY(showDock(dock, session, loopBundle()));
        dock.findBox().setText(u"x y"_s); // in any order, in any case
        QCOMPARE(dock.found().text(), u"3 rows"_s);
        QSet<std::size_t> rows;
        for (int i = 0; i < 3; ++i) {
            QTest::keyClick(&dock.findBox(), Qt::Key_Return);
            rows.insert(dock.model().nodeOf(dock.view().currentIndex()));
        }
        QCOMPARE(rows.size(), 3);
        const QModelIndex last = dock.view().currentIndex();
        dock.findBox().setText(u"nothing has this"_s);
        QCOMPARE(dock.found().text(), u"0 rows"_s);
        QTest::keyClick(&dock.findBox(), Qt::Key_Return);
        QCOMPARE(dock.view().currentIndex(), last);
    }

    /// A large program is searched by a task: the window goes on meanwhile.
    void findsInLargePrograms()
    {
        auto [session, dock] = Alone<ProgramDock>();
        QVERIFY(showDock(dock, session, longBundle(int(ProgramDock::kFoundAtOnce) + 100)));
        dock.findBox().setText(u"relu a7"_s);
        dock.findBox().setText(u"relu a77 "_s); // the first count is given up
        QVERIFY(dock.busy());
        QTRY_COMPARE(dock.found().text(), u"13 rows"_s);
        QTest::keyClick(&dock.findBox(), Qt::Key_Return);
        QTRY_VERIFY(dock.view().currentIndex().data().toString().startsWith(u"relu a77 "_s));
        // Another program: nothing of the search before it remains.
        dock.findBox().setText(u"relu"_s);
        session.setBundle(loopBundle());
        QVERIFY(settle(dock));
        QTRY_COMPARE(dock.found().text(), u"1 row"_s);
    }

    void followsAndLeads()
    {
        auto [session, dock] = Alone<ProgramDock>();
        QVERIFY(showDock(dock, session, openSample("sparse")));
        const auto &tree = *dock.model().tree();
        std::size_t weight = session.bundle()->weights().size() - 1;
        while (weight > 0 && tree.readerOf(weight) == ProgramTree::kNone)
            --weight;
        session.goToWeight(weight);
        QTRY_COMPARE(dock.model().nodeOf(dock.view().currentIndex()), tree.readerOf(weight));
        // The row that is picked takes its weight along; and nothing moves it back.
        for (std::size_t other = 0; other < weight; ++other) {
            const std::size_t row = tree.readerOf(other);
            if (row == ProgramTree::kNone || row == tree.readerOf(weight))
                continue;
            dock.view().setCurrentIndex(dock.model().indexOf(row));
            // Of its operands the weight: a bias has one axis.
            QVERIFY(tree.weightsOf(row).size() > 1);
            QVERIFY(session.bundle()->weights()[session.place().weight].shape.size() > 1);
            QCOMPARE(tree.readerOf(session.place().weight), row);
            QCOMPARE(dock.model().nodeOf(dock.view().currentIndex()), row);
            return;
        }
        QFAIL("one reader only");
    }

    /// A weight that lies in the file of the program, beside the code, is followed to its reader.
    void followsToReadersOfTheSameFile()
    {
        sample::SampleBundle made = sample::coreAi();
        const auto bundle = VERIFIED(Bundle::open(made.name, OpenOptions{std::move(made.files)}));
        auto [session, dock] = Alone<ProgramDock>();
        QVERIFY(showDock(dock, session, *bundle));
        session.goToWeight(0);
        QVERIFY((*bundle)->isProgramFile(session.place().file));
        QTRY_COMPARE(dock.model().nodeOf(dock.view().currentIndex()),
                     dock.model().tree()->readerOf(0));
    }

    /// The inspector shows an operation: what goes in first, then attributes, results and readers,
    /// each link leading on; and the weight alone where a weight was chosen.
    void operationsAreInspected()
    {
        MadeBundle made;
        made.weight("w", "[4, 4]", Bytes(32, std::byte{60}));
        made.op("a", "[1, 4]", "relu(x = x)");
        made.op("b", "[1, 4]", "linear(alpha = 0.5, weight = w, x = a)");
        made.op("c", "[1, 4]", "softmax(x = b)");
        made.result = "c";
        const auto bundle = VERIFIED(made.open());
        auto [session, dock] = Alone<ProgramDock>();
        OperationPanel panel(session);
        QVERIFY(showDock(dock, session, *bundle));
        QSignalSpy ready(&panel, &InspectorPanel::ready);
        dock.view().setCurrentIndex(rowWith(dock, u"linear b"_s));
        QCOMPARE(session.place().weight, 0U); // with the weight that it reads
        QVERIFY(session.place().bytes.has_value());
        if (!panel.showPlace(*bundle, session.place()))
            QVERIFY(ready.wait());
        QVERIFY(panel.showPlace(*bundle, session.place()));
        QCOMPARE(panel.weight(), 0U);
        const QStringList lines = panel.text().split(u'\n');
        QCOMPARE(lines.value(0), u"linear b"_s);
        QVERIFY2(lines.value(1).startsWith(u"x: a "_s), qPrintable(panel.text()));
        QVERIFY2(lines.value(2).startsWith(u"weight: w dense-fp16"_s), qPrintable(panel.text()));
        QCOMPARE(lines.value(3), u"alpha: 0.5"_s);
        QCOMPARE(lines.value(5), u"softmax: c"_s);
        // Its links lead on.
        QSignalSpy picked(&panel, &InspectorPanel::picked);
        for (QLabel *label : panel.findChildren<QLabel *>()) {
            if (label->text().contains(u"row:"_s))
                Q_EMIT label->linkActivated(label->text().section(u'"', 1, 1));
        }
        QCOMPARE(picked.count(), 2);
        session.goTo(picked.first().first().value<Place>());
        QVERIFY(panel.showPlace(*bundle, session.place()));
        QVERIFY(panel.title() == u"a"_s && panel.weight() == kNoIndex);
        session.goToWeight(0);
        QVERIFY(!panel.showPlace(*bundle, session.place()));
    }

    /// A link, the way back and a click on the row that followed a weight choose the operation.
    void linksAndClicksChoose()
    {
        auto [session, dock] = Alone<ProgramDock>();
        QVERIFY(showDock(dock, session, openSample("dense")));
        session.goToWeight(0);
        ProgramView &view = dock.view();
        QTRY_VERIFY(view.currentIndex().isValid());
        const QModelIndex reader = view.currentIndex();
        QVERIFY(!session.place().bytes || !session.bundle()->isProgramFile(session.place().file));
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
                          view.visualRect(reader).topLeft() + QPoint(2, 4));
        const Place chosen = session.place();
        QVERIFY(chosen.bytes && session.bundle()->isProgramFile(chosen.file));
        for (const auto &link : dock.linksOf(reader)) {
            if (link.to.weight == ProgramTree::kNone)
                Q_EMIT view.linkFollowed(link.to); // the last: an operation that reads its result
        }
        QVERIFY(view.currentIndex() != reader);
        const std::size_t reached = dock.model().nodeOf(view.currentIndex());
        QVERIFY(session.place().bytes == placeOfOperation(*dock.model().tree(), reached)->bytes);
        while (view.currentIndex() != reader)
            QTest::keyClick(&view, Qt::Key_Backspace);
        QVERIFY(session.place() == chosen);
    }

    /// What makes a weight says where its parts are, also where they are written as attributes.
    void partsOfWeightsAreShown()
    {
        auto [session, dock] = Alone<ProgramDock>();
        QVERIFY(showDock(dock, session, openSample("palette")));
        const QString row = rowWith(dock, u"constexpr_lut_to_dense"_s).data().toString();
        QVERIFY2(row.contains(u"lut = "_s) && row.contains(u"indices = "_s) &&
                     row.contains(u" of weight.bin at 0x"_s),
                 qPrintable(row));
    }

    /// The data come first, as of other operations, though the file has "axis" before them.
    void dataStandBeforeTheirAxis()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [1, 4]> x";
        made.line("tensor<fp16, [8, 4]> w = constexpr_affine_dequantize()[axis = int32(0), "
                  "name = string(\"w\"), quantized_data = " +
                  made.blob(ElementType::Int8, "[8, 4]", Bytes(32, std::byte{3})) +
                  ", scale = fp16(0x1p-4), zero_point = int8(0)]");
        made.op("y", "[1, 8]", "linear(weight = w, x = x)");
        made.result = "y";
        const auto bundle = VERIFIED(made.open());
        auto [session, dock] = Alone<ProgramDock>();
        QVERIFY(showDock(dock, session, *bundle));
        const QString row = rowWith(dock, u"constexpr_affine_dequantize"_s).data().toString();
        QVERIFY2(row.contains(u"(quantized_data = "_s) && row.contains(u", axis = 0)"_s),
                 qPrintable(row));
    }

    void editsKeepTheRow()
    {
        auto [session, dock] = Alone<ProgramDock>();
        QVERIFY(showDock(dock, session, openSample("dense")));
        const QModelIndex function = dock.model().index(0, 0);
        const std::size_t row = dock.model().nodeOf(
            dock.model().index(dock.model().rowCount(function) - 1, 0, function));
        dock.view().setCurrentIndex(dock.model().indexOf(row));
        session.updateBundle(session.bundle());
        QVERIFY(settle(dock));
        QCOMPARE(dock.model().nodeOf(dock.view().currentIndex()), row);
    }

    /// Out of view it holds no rows of a bundle that was closed.
    void letsGoOfClosedBundles()
    {
        auto [session, dock] = Alone<ProgramDock>();
        QVERIFY(showDock(dock, session, longBundle(10)));
        QTRY_VERIFY(dock.model().tree());
        dock.hide();
        const std::weak_ptr<const ProgramTree> held = dock.model().tree();
        session.setBundle(loopBundle());
        QTRY_VERIFY(held.expired());
        QVERIFY(showDock(dock));
        QVERIFY(rowWith(dock, u"reshape z"_s).isValid());
    }

    void withoutProgram()
    {
        auto [session, dock] = Alone<ProgramDock>();
        QAbstractItemModelTester tester(&dock.model());
        QVERIFY(showDock(dock));
        QVERIFY(!dock.showsContent());
        session.setBundle(openSample("dense"));
        QVERIFY(settle(dock));
        QTRY_VERIFY(dock.showsContent());
        session.setBundle(nullptr);
        QTRY_VERIFY(!dock.showsContent());
    }

    /// A program that was not read is said to be so, and can be read again.
    void cancelled()
    {
        auto [session, dock] = Alone<ProgramDock>();
        const auto cutting = cancelTasks(session);
        QVERIFY(showDock(dock, session, loopBundle()));
        QAction *again = VERIFIED(actionOf(dock, u"Read the Program Again"_s));
        QTRY_VERIFY(again->isEnabled());
        QVERIFY(says(dock, u"cancelled"_s));
        disconnect(cutting);
        again->trigger();
        QVERIFY(settle(dock));
        QVERIFY(dock.showsContent() && !again->isEnabled());
    }

    void samples_data() { addBuilds(); }

    void samples()
    {
        QFETCH(const QString, build);
        requireSound(openSample(build.toStdString()));
    }

    void files_data() { addPaths({u"*.mlmodelc"_s, u"*.mlpackage"_s}); }

    void files()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(const QString, path);
        requireSound(*VERIFIED(Bundle::open(path.toStdString())));
    }

    void programs_data()
    {
        const auto row = addColumns<QByteArray, QString>();
        const QByteArray constant =
            "tensor<int32, [2]> shape = const()[name = string(\"shape\"), val = tensor<int32, "
            "[2]>([1, 4])];\n";
        const QByteArray reshape = "tensor<fp16, [1, 4]> z = reshape(x = x, shape = shape)[name = "
                                   "string(\"z\")];\n";
        const QString begin = u"func main (x fp16 [1, 4]) \u2192 x   ios18|"_s,
                      made = u"reshape z (x = x, shape = [1, 4])   fp16 [1, 4]"_s;
        row("a constant used twice", functionOf("main", constant + reshape + reshape),
            u"3|"_s + begin + made + u'|' + made);
        row("a constant far away", functionOf("main", constant + relus(700) + reshape),
            u"702|relu r697 (x = r348)   fp16 [1, 4] >349|relu r698 (x = r349)   fp16 [1, 4] >350|"
            "relu r699 (x = r349)   fp16 [1, 4] >350|"_s +
                made);
        row("the same names in two functions",
            functionOf("main", constant + reshape) + functionOf("other", reshape),
            u"4|"_s + begin + made +
                u"|func other (x fp16 [1, 4]) \u2192 x   ios18|"
                "reshape z (x = x, shape = shape)   fp16 [1, 4]"_s);
        row("names made twice", functionOf("main", relus(200) + relus(200)),
            u"401|relu r196 (x = r98)   fp16 [1, 4] >99|relu r197 (x = r98)   fp16 [1, 4] >99|"
            "relu r198 (x = r99)   fp16 [1, 4] >100|relu r199 (x = r99)   fp16 [1, 4] >100"_s);
        row("read before it is made", functionOf("main", reshape + constant + reshape),
            u"3|"_s + begin + made + u'|' + made);
        row("reads itself", functionOf("main", "tensor<fp16, [1, 4]> s = relu(x = s);\n"),
            u"2|"_s + begin + u"relu s (x = s)   fp16 [1, 4] >1"_s);
        row("a list with what there is twice",
            functionOf("main", constant + "tensor<fp16, [1, 4]> c = concat(values = (x, shape, x, "
                                          "nothing, (x, shape)), axis = int32(1));\n"),
            u"2|"_s + begin +
                u"concat c (values = (x, [1, 4], x, nothing, (x, [1, 4])), axis = 1)   fp16 [1, 4]"_s);
        row("an empty function", functionOf("main", "") + functionOf("next", constant),
            u"2|"_s + begin + u"func next (x fp16 [1, 4]) \u2192 x   ios18"_s);
        const QByteArray condition = "tensor<fp16, [1, 4]> c = cond(pred = x, _true_fn = () {\n" +
                                     constant + relus(150) + "} -> (r1), _false_fn = () {\n" +
                                     relus(3) + "} -> (r1));\n";
        row("blocks", functionOf("main", condition + relus(5) + condition),
            u"318|block 1 () \u2192 r1|relu r0 (x = x)   fp16 [1, 4]|"
            "relu r1 (x = r0)   fp16 [1, 4] >3|relu r2 (x = r1)   fp16 [1, 4] >4"_s);
    }

    void programs()
    {
        const auto [functions, rows] = fetched<QByteArray, QString>();
        const BundlePtr bundle = bundleOf(functions);
        QCOMPARE(lastRows(*ProgramTree::build(bundle)), rows);
    }

    void cancelledOfProgramTree()
    {
        Progress progress;
        progress.cancel();
        QVERIFY(!ProgramTree::build(bundleOf(functionOf("main", relus(300))), &progress));
    }

private:
    /// A chain of operations.
    static BundlePtr longBundle(int operations)
    {
        QByteArray text;
        for (int i = 0; i < operations; ++i) {
            const QByteArray name = "a" + QByteArray::number(i);
            text += "tensor<fp16, [1, 4]> " + name +
                    " = relu(x = " + (i == 0 ? "x" : "a" + QByteArray::number(i - 1)) +
                    ")[name = string(\"" + name + "\")];\n";
        }
        return bundleOf(functionOf("main", text), "long.mlmodelc");
    }

    /// Operations that read values of one another, and constants.
    static BundlePtr loopBundle()
    {
        return bundleOf(functionOf(
            "main",
            "tensor<int32, []> n = const()[name = string(\"n\"), val = tensor<int32, []>(3)];\n"
            "tensor<int32, [2]> shape = const()[name = string(\"shape\"), val = "
            "tensor<int32, [2]>([1, 4])];\n"
            "tensor<fp16, [1, 4]> y = relu(x = x)[name = string(\"y\")];\n"
            "tensor<fp16, [1, 4]> z = reshape(x = y, shape = shape)[name = string(\"z\")];\n"
            "tensor<fp16, [1, 4]> s = add(x = y, y = z)[name = string(\"s\")];\n"));
    }

    /// First row whose text begins so.
    static QModelIndex rowWith(ProgramDock &dock, const QString &begin)
    {
        const auto &tree = dock.model().tree();
        for (std::size_t node = 0; tree && node < tree->rows(); ++node) {
            const QModelIndex index = dock.model().indexOf(node);
            if (index.data().toString().startsWith(begin))
                return index;
        }
        return {};
    }
};

KERNSCOPE_TEST(TestProgramDock, QApplication)
#include "tst_program_dock.moc"
