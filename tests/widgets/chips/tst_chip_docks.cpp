// SPDX-License-Identifier: GPL-3.0-or-later
// Stream or fold, geometry, targets, choose, collective: the docks that are tables.
#include "made_bundle.h"
#include "tests/widgets/sample_session.h"
#include "widgets/chips/assessment_dock.h"
#include "widgets/chips/chip_words.h"
#include "widgets/chips/choose_dock.h"
#include "widgets/chips/collective_dock.h"
#include "widgets/chips/geometry_dock.h"
#include "widgets/chips/roofline_dock.h"
#include "widgets/chips/roofline_plot.h"
#include "widgets/chips/stream_dock.h"
#include "widgets/chips/targets_dock.h"
#include "widgets/common/table_foot.h"
#include "widgets/common/table_text.h"
#include "widgets/common/task_manager.h"
#include "widgets/common/theme.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

using namespace kernscope;
using namespace kernscope::test;
using namespace kernscope::ui;

namespace {

QString textAt(const QAbstractItemModel &model, int row, int column)
{
    return model.index(row, column).data().toString();
}

/// Row whose cell in that column is the text; -1: none.
int rowWith(const QAbstractItemModel &model, int column, const QString &text)
{
    for (int row = 0; row < model.rowCount(); ++row) {
        if (textAt(model, row, column) == text)
            return row;
    }
    return -1;
}

int chipColumn(const StreamMatrixModel &model, const char *name)
{
    return StreamMatrixModel::kFirstChip +
           static_cast<int>(model.table()->columnOf(*target::findTarget(name)->target));
}

/// The sample with its function twice.
BundlePtr openTwoFunctions()
{
    for (const sample::SampleBundle &bundle : sample::bundles()) {
        if (bundle.name != "sample-dense.mlmodelc")
            continue;
        OpenOptions options;
        options.memory = bundle.files;
        for (auto &[path, content] : options.memory) {
            if (path != "model.mil")
                continue;
            std::string text(reinterpret_cast<const char *>(content.data()), content.size());
            const auto begin = text.find("func main"), end = text.rfind('}');
            std::string copy = text.substr(begin, end - begin);
            copy.replace(0, std::string_view("func main").size(), "func second");
            text.insert(end, copy);
            const auto bytes = std::as_bytes(std::span(text));
            content.assign(bytes.begin(), bytes.end());
        }
        const auto opened = Bundle::open(bundle.name, options);
        return opened ? *opened : nullptr;
    }
    return nullptr;
}

} // namespace

class TestChipDocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void emptyStates()
    {
        Session session;
        StreamDock stream(session);
        RooflineDock roofline(session);
        ChooseDock choose(session);
        for (Dock *dock : std::initializer_list<Dock *>{&stream, &roofline, &choose}) {
            QVERIFY(showDock(*dock));
            QVERIFY(!dock->showsContent());
        }
    }

    /// The colour is what the outcome says; a selection must not paint "folds" as "streams".
    void choiceKeepsItsColour()
    {
        Session session;
        StreamDock dock(session);
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(dock));
        QTableView *matrix = nullptr;
        for (QTableView *table : dock.findChildren<QTableView *>()) {
            if (table->accessibleName() == QStringLiteral("Weights by chips"))
                matrix = table;
        }
        QVERIFY(matrix);
        const QModelIndex cell = dock.model().index(0, StreamMatrixModel::kFirstChip);
        QVERIFY(!dock.model().index(0, 0).data(kShortNameRole).toString().isEmpty());
        QVERIFY(!cell.data(kShortNameRole).isValid());
        matrix->setCurrentIndex(cell);
        QVERIFY(matrix->selectionModel()->isSelected(cell));
        const QRect box = matrix->visualRect(cell);
        const QImage picture = matrix->viewport()->grab().toImage();
        const auto at = [&](int x, int y) {
            return picture.pixelColor(QPoint(x, y) * picture.devicePixelRatio());
        };
        QCOMPARE(at(box.right() - 5, box.center().y()),
                 cell.data(Qt::BackgroundRole).value<QColor>());
        QVERIFY(at(box.left(), box.center().y()) != at(box.right() - 5, box.center().y()));
    }

    /// A column of a chip takes what its name and its sum need; where the words of the outcomes
    /// have no room there, glyphs stand for them.
    void chipsTakeLittleRoom()
    {
        Session session;
        StreamDock dock(session);
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(dock));
        const QHeaderView *header = dock.matrix().horizontalHeader();
        const StreamMatrixModel &model = dock.model();
        QFont bold = dock.matrix().font();
        bold.setBold(true);
        const int sums = model.rowCount() - 1;
        for (int column = StreamMatrixModel::kFirstChip; column < model.columnCount(); ++column) {
            const int sum =
                QFontMetrics(bold).horizontalAdvance(model.index(sums, column).data().toString());
            QVERIFY(header->sectionSize(column) > sum);
            QVERIFY(header->sectionSize(column) >= header->sectionSizeHint(column));
            QVERIFY(header->sectionSize(column) <=
                    std::max(header->sectionSizeHint(column), sum + theme::em(&dock, 1)));
        }
    }

    /// Shown where functions must be told apart, and only there.
    void functionColumn()
    {
        Session session;
        StreamDock dock(session);
        session.setBundle(openSample("sample-dense.mlmodelc"));
        QVERIFY(showDock(dock));
        QTableView &matrix = dock.matrix();
        QVERIFY(matrix.isColumnHidden(StreamMatrixModel::FunctionColumn));
        const BundlePtr two = openTwoFunctions();
        QVERIFY(two);
        QVERIFY(two->weights().front().sharesName);
        session.setBundle(two);
        QVERIFY(settle(dock));
        QVERIFY(QTest::qWaitFor([&] { return dock.model().rowCount() > 1; }));
        QVERIFY(!matrix.isColumnHidden(StreamMatrixModel::FunctionColumn));
        QCOMPARE(
            dock.model().headerData(StreamMatrixModel::FunctionColumn, Qt::Horizontal).toString(),
            QStringLiteral("Function"));
        const int half = (dock.model().rowCount() - 1) / 2;
        QCOMPARE(textAt(dock.model(), 0, StreamMatrixModel::FunctionColumn),
                 QStringLiteral("main"));
        QCOMPARE(textAt(dock.model(), half, StreamMatrixModel::FunctionColumn),
                 QStringLiteral("second"));
        dock.model().setFilter(QStringLiteral("second"));
        QCOMPARE(dock.model().rowCount() - 1, half);
    }

    void matrixHasEveryChipAndSums()
    {
        Session session;
        StreamDock dock(session);
        QAbstractItemModelTester tester(&dock.model());
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(dock));
        QVERIFY(dock.showsContent());
        const BundlePtr bundle = session.bundle();
        QCOMPARE(dock.model().rowCount(), int(bundle->weights().size()) + 1);
        QCOMPARE(dock.model().columnCount(),
                 StreamMatrixModel::kFirstChip + int(target::targets().size()));
        const std::size_t palette = weightWith(*bundle, codec::PartRole::Lut);
        const int row = dock.model().rowOf(palette);
        const QModelIndex m1 = dock.model().index(row, chipColumn(dock.model(), "M1"));
        QVERIFY(!m1.data().toString().isEmpty());
        QVERIFY(m1.data(Qt::BackgroundRole).isValid());
        QVERIFY(theme::contrast(m1.data(Qt::BackgroundRole).value<QColor>(),
                                m1.data(Qt::ForegroundRole).value<QColor>()) >= 4.5);
        for (int column = StreamMatrixModel::kFirstChip; column < dock.model().columnCount();
             ++column) {
            const auto &verdict =
                dock.model().table()->verdict(palette, dock.model().chipOf(column));
            QCOMPARE(dock.model().index(row, column).data().toString(),
                     outcomeLabel(verdict.outcome));
        }
        const int sums = dock.model().rowCount() - 1;
        QVERIFY(dock.model().isSumRow(sums));
        QVERIFY(dock.model()
                    .index(sums, chipColumn(dock.model(), "M1"))
                    .data()
                    .toString()
                    .contains(QLatin1Char('B')));
        // The sums stay in sight: a foot below the table, whose own row of them is hidden.
        auto *foot = dock.findChild<TableFoot *>();
        QVERIFY(foot && foot->isVisible());
        QVERIFY(dock.matrix().isRowHidden(sums));
        auto &shown = foot->view();
        QCOMPARE(shown.model()->rowCount(), 1);
        QCOMPARE(shown.model()->index(0, 0).data(), dock.model().index(sums, 0).data());
        QVERIFY(shown.viewport()->height() >= shown.fontMetrics().height());
        dock.matrix().horizontalHeader()->resizeSection(StreamMatrixModel::FormColumn, 123);
        QCOMPARE(shown.columnWidth(StreamMatrixModel::FormColumn), 123);
        QScrollBar *bar = dock.matrix().horizontalScrollBar();
        bar->setValue(bar->maximum());
        QCOMPARE(shown.columnViewportPosition(dock.model().columnCount() - 1),
                 dock.matrix().columnViewportPosition(dock.model().columnCount() - 1));
        dock.model().setFilter(QStringLiteral("no weight of this name"));
        QCOMPARE(shown.model()->rowCount(), 1);
        QVERIFY(dock.matrix().isRowHidden(0));
        // What one filter hid comes back with the next: only the row of sums stays hidden.
        for (const char *words : {"bias", "", "weight", ""}) {
            dock.model().setFilter(QString::fromLatin1(words));
            for (int shownRow = 0; shownRow < dock.model().rowCount(); ++shownRow)
                QCOMPARE(dock.matrix().isRowHidden(shownRow), dock.model().isSumRow(shownRow));
        }
    }

    /// What is copied is what is on view: nothing where there is nothing, the text that a person
    /// selected where there is some.
    void assessmentCopiesWhatIsOnView()
    {
        Session session;
        AssessmentDock dock(session);
        QAction *copy = dock.menuActions().front(), *gates = dock.menuActions().back();
        QVERIFY(showDock(dock));
        QVERIFY(!dock.showsContent() && !copy->isEnabled() && !gates->isEnabled());
        QGuiApplication::clipboard()->setText(QStringLiteral("before"));
        copy->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("before"));
        session.setBundle(openSample("sample-palette.mlmodelc"));
        session.goToWeight(weightWith(*session.bundle(), codec::PartRole::Lut));
        QVERIFY(settle(dock));
        QVERIFY(dock.showsContent() && copy->isEnabled() && gates->isEnabled());
        copy->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(), dock.text());
        dock.sentence().setFocus();
        dock.sentence().setSelection(0, 4);
        QVERIFY(dock.sentence().hasSelectedText());
        QTest::keyClick(&dock.sentence(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), dock.sentence().selectedText());
        QVERIFY(dock.gates().rowCount() > 0);
        session.setBundle(nullptr);
        QVERIFY(settle(dock));
        QVERIFY(!dock.showsContent() && !copy->isEnabled() && !gates->isEnabled());
        QCOMPARE(dock.gates().rowCount(), 0);
        QVERIFY(dock.words().outcome.isEmpty());
    }

    /// Nobody waits for what was cancelled.
    void cancelledSaysSo()
    {
        Session session;
        StreamDock stream(session);
        ChooseDock choose(session);
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(stream) && showDock(choose));
        const auto actionOf = [](const QList<QAction *> &actions, const char *text) {
            for (QAction *action : actions) {
                if (action->text() == QString::fromLatin1(text))
                    return action;
            }
            return static_cast<QAction *>(nullptr);
        };
        const auto saysCancelled = [](const QWidget &dock) {
            const auto labels = dock.findChildren<QLabel *>();
            return std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
                return label->isVisible() && label->text().contains(QStringLiteral("cancelled"));
            });
        };
        const auto cutting = connect(&session.tasks(), &TaskManager::changed, &stream,
                                     [&] { session.tasks().cancelAll(); });
        session.setBundle(openSample("sample-sparse.mlmodelc"));
        QTRY_VERIFY(session.tasks().idle());
        QTRY_VERIFY(saysCancelled(stream) && saysCancelled(choose));
        QVERIFY(!stream.busy() && !choose.busy());
        disconnect(cutting);
        QAction *judge = actionOf(stream.menuActions(), "Judge the Weights Again");
        QAction *forms = actionOf(choose.menuActions(), "Try Forms Again");
        QVERIFY(judge && forms);
        judge->trigger();
        forms->trigger();
        QVERIFY(settle(stream) && settle(choose));
        QVERIFY(stream.showsContent() && !saysCancelled(choose));
    }

    void selectingACellOpensItsAssessment()
    {
        Session session;
        StreamDock dock(session);
        AssessmentDock told(session);
        QAbstractItemModelTester tester(&told.gates());
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(told));
        QVERIFY(!told.showsContent()); // no cell was chosen
        QVERIFY(showDock(dock));
        const std::size_t palette = weightWith(*session.bundle(), codec::PartRole::Lut);
        dock.matrix().setCurrentIndex(
            dock.model().index(dock.model().rowOf(palette), chipColumn(dock.model(), "M5")));
        QCOMPARE(session.place().weight, palette);
        QVERIFY(settle(told));
        QVERIFY(told.showsContent());
        const int master = rowWith(told.gates(), GateOffset, QStringLiteral("0x48f"));
        QVERIFY(master >= 0);
        QCOMPARE(textAt(told.gates(), master, GateFound), QStringLiteral("1"));
        QVERIFY(!textAt(told.gates(), master, GateSource).isEmpty());
        QVERIFY(rowWith(told.gates(), GateOffset, QStringLiteral("0x529")) >= 0);
        QVERIFY(told.text().startsWith(fromUtf8(session.bundle()->weights()[palette].name) +
                                       QStringLiteral(" on H17s\n")));
        // The figures are those of the core's one assessment.
        const auto &table = *dock.model().table();
        const std::size_t chip = table.columnOf(*target::findTarget("M5")->target);
        const roofline::Assessment expected = table.assessment(palette, chip);
        QCOMPARE(told.outcome().text(), outcomeLabel(expected.outcome));
        QVERIFY(expected.decision.bytesMoved);
        QVERIFY(told.sentence().text().contains(groupedNumber(*expected.decision.bytesMoved)));
        const auto shows = [&](const AssessmentFacts &facts, const QString &value) {
            return std::any_of(facts.begin(), facts.end(),
                               [&](const AssessmentFact &fact) { return fact.value == value; });
        };
        const AssessmentWords &words = told.words();
        QVERIFY(
            shows(words.bytes, groupedNumber(*expected.weight.storedBytes) + QStringLiteral(" B")));
        QVERIFY(shows(words.memory,
                      groupedNumber(*expected.decision.memory.demand) + QStringLiteral(" B")));
        QVERIFY(expected.timeS);
        QVERIFY(shows(words.time, siWord(*expected.timeS, QStringLiteral("s"))));
        QVERIFY(table.layer(palette).operation && !words.geometry.empty());
        QCOMPARE(told.gates().rowCount(), int(expected.decision.verdict->reasons.size()));
        for (int row = 0; row < told.gates().rowCount(); ++row)
            QVERIFY(told.text().contains(textAt(told.gates(), row, GateName)));
        // Another cell of the same weight.
        dock.matrix().setCurrentIndex(
            dock.model().index(dock.model().rowOf(palette), chipColumn(dock.model(), "M1")));
        QVERIFY(settle(told));
        QVERIFY(told.text().contains(QStringLiteral(" on H13\n")));
        // What is pinned keeps its cell.
        told.setPinned(true);
        dock.matrix().setCurrentIndex(
            dock.model().index(dock.model().rowOf(palette), chipColumn(dock.model(), "M5")));
        QVERIFY(settle(told));
        QVERIFY(told.text().contains(QStringLiteral(" on H13\n")));
        // The place moves the selection, and a pinned dock stays.
        session.goToWeight(0);
        QCOMPARE(dock.matrix().currentIndex().row(), 0);
        dock.setPinned(true);
        session.goToWeight(palette);
        QCOMPARE(dock.matrix().currentIndex().row(), 0);
    }

    void filters()
    {
        Session session;
        StreamDock dock(session);
        session.setBundle(openSample("sample-dense.mlmodelc"));
        QVERIFY(showDock(dock));
        const int all = dock.model().rowCount();
        dock.model().setFilter(QStringLiteral("no such weight"));
        QCOMPARE(dock.model().rowCount(), 1);
        dock.model().setFilter({});
        QCOMPARE(dock.model().rowCount(), all);
        dock.onlyFaster().setChecked(true);
        QVERIFY(dock.model().rowCount() <= all);
    }

    void geometryOfConsumersAndOfTypedNumbers()
    {
        Session session;
        GeometryDock dock(session);
        QAbstractItemModelTester tester(&dock.model());
        QVERIFY(showDock(dock)); // without a bundle: numbers typed in
        QVERIFY(dock.showsContent());
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(settle(dock));
        QVERIFY(dock.chooser().count() > 1);
        dock.field(GeometryDock::In).setValue(256);
        dock.field(GeometryDock::Out).setValue(256);
        dock.field(GeometryDock::KernelW).setValue(3);
        dock.field(GeometryDock::KernelH).setValue(3);
        dock.field(GeometryDock::OutputW).setValue(32);
        dock.field(GeometryDock::OutputH).setValue(32);
        dock.field(GeometryDock::Stride).setValue(1);
        dock.field(GeometryDock::Bits).setValue(16);
        QCOMPARE(dock.chooser().currentIndex(), dock.chooser().count() - 1);
        const int passes = rowWith(dock.model(), 0, QStringLiteral("passes"));
        QCOMPARE(textAt(dock.model(), passes, 1), QStringLiteral("128"));
        QVERIFY(rowWith(dock.model(), 0, QStringLiteral("enable bit")) >= 0);
        dock.field(GeometryDock::Out).setValue(0);
        QCOMPARE(dock.model().rowCount(), 0);
    }

    void targetsAreSearchedAndCompared()
    {
        Session session;
        TargetsDock dock(session);
        QAbstractItemModelTester tester(&dock.model());
        QVERIFY(showDock(dock));
        const int all = dock.model().rowCount();
        QVERIFY(all > 50);
        dock.filter().setText(QStringLiteral("0x528"));
        QVERIFY(dock.model().rowCount() >= 1 && dock.model().rowCount() < all);
        const int row = rowWith(dock.model(), 1, QStringLiteral("0x528"));
        QCOMPARE(textAt(dock.model(), row, 3), QStringLiteral("0"));
        QCOMPARE(textAt(dock.model(), row, 4), QStringLiteral("1"));
        QCOMPARE(dock.model().headerData(3, Qt::Horizontal).toString(), QStringLiteral("H13"));
        dock.second().setTarget(*target::findTarget("H18")->target);
        Q_EMIT dock.second().targetChosen(dock.second().target());
        QVERIFY(settle(dock));
        const int again = rowWith(dock.model(), 1, QStringLiteral("0x528"));
        QCOMPARE(textAt(dock.model(), again, 4), QStringLiteral("unknown"));
    }

    void candidatesAndApply()
    {
        Session session;
        ChooseDock dock(session);
        QAbstractItemModelTester tester(&dock.model());
        session.setBundle(openSample("sample-dense.mlmodelc"));
        const BundlePtr bundle = session.bundle();
        std::size_t weight = kNoIndex;
        for (std::size_t i = 0; i < bundle->weights().size() && weight == kNoIndex; ++i) {
            for (const Consumer &consumer : bundle->weights()[i].consumers) {
                if (consumer.op == "conv" && consumer.param == "weight")
                    weight = i;
            }
        }
        QVERIFY(weight != kNoIndex);
        session.goToWeight(weight);
        QVERIFY(showDock(dock));
        QVERIFY(dock.showsContent());
        QVERIFY(dock.choice());
        QCOMPARE(dock.model().rowCount(), 5);
        QVERIFY(rowWith(dock.model(), 5, QString()) < 0); // every candidate has a remark
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("copy.mlmodelc"));
        QSignalSpy applied(&dock, &ChooseDock::applied);
        dock.applyTo(path, "int8");
        QVERIFY(applied.wait(20000));
        QCOMPARE(applied.at(0).at(1).toString(), QString());
        const auto copy = Bundle::open(path.toStdString());
        QVERIFY(copy);
        const auto at = (*copy)->weightByName(bundle->weights()[weight].name);
        QVERIFY(at || (*copy)->weights().size() == bundle->weights().size());
    }

    /// Where the shapes are open nothing is proposed: no row is selected, none is marked.
    void noProposalWithoutShapes()
    {
        test::MadeBundle made;
        made.parameters = "tensor<fp16, [1, 64, ?, ?]> x";
        made.constant(
            "tensor<fp16, [64, 64, 1, 1]>", "w",
            made.blob(ElementType::Fp16, "[64, 64, 1, 1]", test::Bytes(8192, std::byte{0x3c})));
        made.line("tensor<fp16, [1, 64, ?, ?]> y = conv(weight = w, x = x)[name = string(\"y\")]");
        made.result = "y";
        Session session;
        ChooseDock dock(session);
        session.setBundle(*made.open());
        QVERIFY(showDock(dock));
        QCOMPARE(dock.model().rowCount(), 5);
        QVERIFY(dock.choice()->chosen.empty());
        const auto *table = dock.findChild<QTableView *>();
        QVERIFY(!table->currentIndex().isValid());
        const auto buttons = dock.findChildren<QPushButton *>();
        QCOMPARE(buttons.size(), 1);
        QVERIFY(!buttons.front()->isEnabled());
        dock.findChild<QTableView *>()->selectRow(1); // any of them can be written all the same
        QVERIFY(buttons.front()->isEnabled());
    }

    void collectiveFigures()
    {
        Session session;
        CollectiveDock dock(session);
        QAbstractItemModelTester tester(&dock.model());
        QVERIFY(showDock(dock));
        const int index = rowWith(dock.model(), 0, QStringLiteral("engine index of (1, 2)"));
        QCOMPARE(textAt(dock.model(), index, 1), QStringLiteral("6"));
        dock.device().setText(QStringLiteral("5, 2"));
        QVERIFY(settle(dock));
        const int refused = rowWith(dock.model(), 0, QStringLiteral("engine index of (5, 2)"));
        QVERIFY(textAt(dock.model(), refused, 1).contains(QStringLiteral("refused")));
        dock.extents().setText(QString());
        QVERIFY(settle(dock));
        QVERIFY(dock.model().rowCount() > 10);
    }
};

QTEST_MAIN(TestChipDocks)
#include "tst_chip_docks.moc"
