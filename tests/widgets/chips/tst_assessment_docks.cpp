// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/json_table.h"
#include "core/search/place.h"
#include "table_cells.h"
#include "tests/core/assessment/made_programs.h"
#include "tests/widgets/sample_session.h"
#include "widgets/chips/assessment_dock.h"
#include "widgets/chips/choose_dock.h"
#include "widgets/chips/engine_docks.h"
#include "widgets/chips/front_plot.h"
#include "widgets/chips/geometry_dock.h"
#include "widgets/chips/plan_dock.h"
#include "widgets/chips/roofline_dock.h"
#include "widgets/chips/stream_dock.h"
#include "widgets/chips/timeline_dock.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/words.h"

using namespace kernscope::ui;

// The Plan dock: plans, plans again where a form is asked for by hand, shows points of the front,
// writes the bundle and its report.

namespace {

/// A row that is planned, with a form of its own that it does not have in the plan.
std::pair<std::size_t, std::string> otherForm(const PlanDock &dock)
{
    for (std::size_t r = 0; r < dock.survey()->rows.size(); ++r) {
        const plan::Row &row = dock.survey()->rows[r];
        for (std::size_t c = 1; row.candidates && c < row.candidates->size(); ++c) {
            if ((*row.candidates)[c]->refused.empty() && dock.plan()->choice[r] != c)
                return {r, (*row.candidates)[c]->name};
        }
    }
    return {kNoIndex, {}};
}

QString text(const PlanModel &model, int row, const char *key)
{
    return model.index(row, model.columnOf(key)).data().toString();
}

} // namespace

// The docks beside the matrix: assessment, geometry, targets, choice of a form, collective layer.
class TestAssessmentDocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// What is copied is what is on view: nothing where there is nothing, the text that a person
    /// selected where there is some.
    void assessmentCopiesWhatIsOnView()
    {
        auto [session, dock] = Alone<AssessmentDock>();
        QAction *copy = dock.menuActions().front(), *gates = dock.menuActions().back();
        QVERIFY(showDock(dock));
        QVERIFY(!dock.showsContent() && !copy->isEnabled() && !gates->isEnabled());
        QGuiApplication::clipboard()->setText(u"before"_s);
        copy->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(), u"before"_s);
        session.setBundle(openSample("palette"));
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

    /// What the program waits for on the chosen chip does not stand above another chip's figures.
    void verdictIsOfTheChipOfTheFigures()
    {
        auto [session, dock] = Alone<AssessmentDock>();
        session.setBundle(openSample("palette"));
        session.goToWeight(builtWeight(*session.bundle()));
        QVERIFY(showDock(dock));
        ChipState &state = ChipState::of(session);
        const auto labels = dock.findChildren<QLabel *>();
        const auto *verdict =
            *std::ranges::find(labels, u"What the program waits for"_s, &QLabel::accessibleName);
        QTRY_VERIFY(verdict->isVisible());
        const target::Target &other = *target::findTarget("H15")->target;
        QVERIFY(&other != &state.target());
        state.setAssessed(other);
        QVERIFY(settle(dock));
        QVERIFY(!verdict->isVisible());
        QVERIFY2(dock.text().startsWith(u"On "_s + chipName(other)), qPrintable(dock.text()));
        state.setTarget(other);
        QTRY_VERIFY(verdict->isVisible());
        state.setTarget(*target::findTarget("H13")->target);
        state.setAssessed(other);
        QTRY_VERIFY(state.verdict());
        QVERIFY(settle(dock));
        QVERIFY(!verdict->isVisible());
    }

    /// A place without a weight: nothing of the weight before can be taken for its answer.
    void noWeightNothingShown()
    {
        auto [session, assessment] = Alone<AssessmentDock>();
        ChooseDock choose(session);
        StreamDock stream(session);
        PlanDock plan(session);
        session.setBundle(openSample("palette"));
        const std::size_t weight = builtWeight(*session.bundle());
        session.goToWeight(weight);
        const std::initializer_list<Dock *> docks{&assessment, &choose, &stream, &plan};
        for (Dock *dock : docks)
            QVERIFY(showDock(*dock));
        const auto *apply = VERIFIED(choose.findChild<QPushButton *>());
        const auto shown = [&, table = VERIFIED(plan.findChild<QTableView *>())] {
            for (Dock *dock : docks) {
                if (!settle(*dock))
                    qFatal("the dock does not settle");
            }
            return QList<bool>{assessment.showsContent(), choose.showsContent(),
                               stream.matrix().currentIndex().isValid(),
                               table->currentIndex().isValid()};
        };
        const QList<bool> all{true, true, true, true}, none{false, false, false, false};
        QCOMPARE(shown(), all);
        session.goTo({});
        QCOMPARE(shown(), none);
        QVERIFY(!apply->isEnabled() && choose.model().rowCount() == 0);
        session.updateBundle(session.bundle()); // and stays so where all is judged anew
        QCOMPARE(shown(), none);
        const auto bytes = VERIFIED(search::bytesOfWeight(*session.bundle(), weight));
        session.goToBytes(bytes->file, bytes->range); // the bytes of a weight are that weight
        QCOMPARE(shown(), all);
    }

    /// A dock does not wait for a task that was cancelled.
    void cancelledSaysSo()
    {
        auto [session, stream] = Alone<StreamDock>();
        ChooseDock choose(session);
        session.setBundle(openSample("palette"));
        session.goToWeight(0);
        QVERIFY(showDock(stream) && showDock(choose));
        const auto cancelled = [](const QWidget &dock) { return says(dock, u"cancelled"_s); };
        const auto cutting = cancelTasks(session);
        session.setBundle(openSample("sparse"));
        session.goToWeight(0);
        QTRY_VERIFY(session.tasks().idle());
        QTRY_VERIFY(cancelled(stream) && cancelled(choose));
        QVERIFY(!stream.busy() && !choose.busy());
        disconnect(cutting);
        VERIFIED(actionOf(stream, u"Judge the Weights Again"_s))->trigger();
        VERIFIED(actionOf(choose, u"Try Forms Again"_s))->trigger();
        QVERIFY(settle(stream) && settle(choose));
        QVERIFY(stream.showsContent() && !cancelled(choose));
    }

    void geometryOfConsumersAndOfTypedNumbers()
    {
        auto [session, dock] = Alone<GeometryDock>();
        QAbstractItemModelTester tester(&dock.model());
        QVERIFY(showDock(dock)); // without a bundle: numbers typed in
        QVERIFY(dock.showsContent());
        session.setBundle(openSample("palette"));
        QVERIFY(settle(dock));
        QVERIFY(dock.chooser().count() > 1);
        using Dock = GeometryDock;
        for (const auto &[field, value] : {std::pair(Dock::In, 256),
                                           {Dock::Out, 256},
                                           {Dock::KernelW, 3},
                                           {Dock::KernelH, 3},
                                           {Dock::OutputW, 32},
                                           {Dock::OutputH, 32},
                                           {Dock::Stride, 1},
                                           {Dock::Bits, 16}})
            dock.field(field).setValue(value);
        QCOMPARE(dock.chooser().currentIndex(), dock.chooser().count() - 1);
        const int passes = rowWith(dock.model(), 0, u"passes"_s);
        QCOMPARE(textAt(dock.model(), passes, 1), u"128"_s);
        QVERIFY(rowWith(dock.model(), 0, u"enable bit"_s) >= 0);
        dock.field(GeometryDock::Out).setValue(0);
        QCOMPARE(dock.model().rowCount(), 0);
    }

    /// int8 folds on the M1 and streams on the M4: the width is what the array reads there.
    void geometryShowsTheWidthThatTheArrayReads()
    {
        test::MadeBundle made;
        made.parameters = "tensor<fp16, [1, 64, 16, 16]> x";
        made.line("tensor<fp16, [64, 64, 3, 3]> w = constexpr_affine_dequantize()[axis = int32(0), "
                  "name = string(\"w\"), quantized_data = " +
                  made.blob(ElementType::Int8, "[64, 64, 3, 3]", test::Bytes(36864, std::byte{3})) +
                  ", scale = fp16(0x1p-4), zero_point = int8(0)]");
        made.op("y", "[1, 64, 14, 14]", "conv(weight = w, x = x)");
        made.result = "y";
        auto [session, dock] = Alone<GeometryDock>();
        session.setBundle(*made.open());
        ChipState::of(session).setTarget(*target::findTarget("M1")->target);
        QVERIFY(showDock(dock));
        QSpinBox &bits = dock.field(GeometryDock::Bits);
        const auto cap = [&] {
            return textAt(dock.model(), rowWith(dock.model(), 0, u"byte cap"_s), 1);
        };
        QCOMPARE(bits.value(), 16);
        QVERIFY(bits.toolTip().contains(u"stored in 8"_s));
        const QString wide = cap();
        ChipState::of(session).setTarget(*target::findTarget("M4")->target);
        QVERIFY(settle(dock));
        QCOMPARE(bits.value(), 8);
        QVERIFY(!bits.toolTip().contains(u"stored in"_s));
        const QString narrow = cap();
        QVERIFY(narrow != wide);
        // Typing another field keeps what the array reads; a width that is typed is a form.
        ChipState::of(session).setTarget(*target::findTarget("M1")->target);
        QVERIFY(settle(dock));
        dock.field(GeometryDock::Stride).setValue(2);
        QCOMPARE(dock.chooser().currentIndex(), dock.chooser().count() - 1);
        QCOMPARE(bits.value(), 16);
        QCOMPARE(cap(), wide);
        bits.setValue(8);
        QCOMPARE(cap(), narrow);
        const int threshold = rowWith(dock.model(), 0, u"threshold"_s);
        QVERIFY(threshold < 0 || !textAt(dock.model(), threshold, 2).contains(u"float"_s));
    }

    /// The product that people know stands beside the name of the chip.
    void chipsHaveTheirProducts()
    {
        const auto named = [](const char *name) -> const target::Target & {
            return *target::findTarget(name)->target;
        };
        QCOMPARE(chipName(named("H13")), u"M1 (H13)"_s);
        QCOMPARE(productWord(named("H13g")), u"M1 Pro/Max/Ultra"_s);
        QCOMPARE(productWord(named("H13g"), true), u"M1 Pro\u2026"_s);
        QCOMPARE(productWord(named("H14c"), true), u"A14 Max-class"_s);
        QCOMPARE(chipName(named("H17g")), u"M5 Pro/Max or M5 (H17g)"_s); // contested
        QCOMPARE(chipName(named("U1")), u"U1"_s);
        for (const target::Target &target : target::targets()) {
            const QString product = productWord(target);
            QVERIFY2(product.size() < 24 && product == product.trimmed(), qPrintable(product));
        }
        Session session;
        session.setBundle(test::openSample("sparse"));
        StreamDock dock(session);
        QVERIFY(showDock(dock));
        QTRY_VERIFY(dock.model().columnCount() > dock.model().firstChip());
        const int first = dock.model().firstChip();
        QCOMPARE(dock.model().headerData(first, Qt::Horizontal).toString(), u"H13"_s);
        QCOMPARE(dock.model().headerData(first, Qt::Horizontal, kProductRole).toString(), u"M1"_s);
    }

    void targetsAreSearchedAndCompared()
    {
        auto [session, dock] = Alone<TargetsDock>();
        QAbstractItemModelTester tester(&dock.model());
        QVERIFY(showDock(dock));
        const int all = dock.model().rowCount();
        QVERIFY(all > 50);
        dock.filter().setText(u"0x528"_s);
        QVERIFY(dock.model().rowCount() >= 1 && dock.model().rowCount() < all);
        const int row = rowWith(dock.model(), 1, u"0x528"_s);
        QCOMPARE(textAt(dock.model(), row, 3), u"0"_s);
        QCOMPARE(textAt(dock.model(), row, 4), u"1"_s);
        QCOMPARE(dock.model().headerData(3, Qt::Horizontal).toString(), u"H13"_s);
        dock.second().setTarget(*target::findTarget("H18")->target);
        Q_EMIT dock.second().targetChosen(dock.second().target());
        QVERIFY(settle(dock));
        const int again = rowWith(dock.model(), 1, u"0x528"_s);
        QCOMPARE(textAt(dock.model(), again, 4), u"unknown"_s);
    }

    void candidatesAndApply()
    {
        auto [session, dock] = Alone<ChooseDock>();
        QAbstractItemModelTester tester(&dock.model());
        session.setBundle(openSample("dense"));
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
        outcomesArePills(dock);
        QTemporaryDir folder;
        const QString path = folder.filePath(u"copy.mlmodelc"_s);
        QSignalSpy applied(&dock, &ChooseDock::applied);
        dock.applyTo(path, "int8");
        QVERIFY(applied.wait(20000));
        QCOMPARE(applied.at(0).at(1).toString(), QString());
        const auto copy = VERIFIED(Bundle::open(path.toStdString()));
        const auto at = (*copy)->weightByName(bundle->weights()[weight].name);
        QVERIFY(at || (*copy)->weights().size() == bundle->weights().size());
    }

    /// What sources disagree about stands folded above the candidates.
    void readingsOfTheChoice()
    {
        auto [session, dock] = Alone<ChooseDock>();
        session.setBundle(openSample("palette"));
        session.goToWeight(0);
        QVERIFY(showDock(dock));
        QVERIFY(dock.choice());
        const std::vector<std::string> contested = report::contestedOf(*dock.choice());
        QVERIFY(!contested.empty());
        const QStringList readings = dock.readings().text().split(u'\n');
        QCOMPARE(readings.size(), int(contested.size()));
        QVERIFY(!dock.readings().isVisible() && dock.readings().parentWidget()->isVisible());
    }

    /// Outcomes stand on pills as wide as their words: the rest of the cell is the row's ground.
    static void outcomesArePills(ChooseDock &dock)
    {
        auto *table = dock.findChild<QTableView *>();
        table->clearSelection();
        const int column = dock.model().columnOf("outcome");
        const auto *delegate =
            VERIFIED(qobject_cast<OutcomePill *>(table->itemDelegateForColumn(column)));
        const QImage picture = table->viewport()->grab().toImage();
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            const QModelIndex cell = table->model()->index(row, column);
            QStyleOptionViewItem option;
            option.widget = table;
            option.font = table->font();
            option.rect = table->visualRect(cell);
            const QRect pill = delegate->pillRect(option, cell);
            const QColor tint = cell.data(Qt::BackgroundRole).value<QColor>();
            QVERIFY(pill.width() > table->fontMetrics().horizontalAdvance(cell.data().toString()));
            QVERIFY(option.rect.contains(pill) && pill.width() < option.rect.width());
            QCOMPARE(picture.pixelColor(pill.left() + pill.height() / 2, pill.top() + 1), tint);
            QVERIFY(picture.pixelColor(option.rect.topLeft()) != tint);
            QVERIFY(picture.pixelColor(option.rect.right() - 1, option.rect.center().y()) != tint);
        }
    }

    /// Where the shapes are open nothing is proposed: no row is selected, none is marked.
    void noProposalWithoutShapes()
    {
        test::MadeBundle made;
        made.parameters = "tensor<fp16, [1, 64, ?, ?]> x";
        made.weight("w", "[64, 64, 1, 1]", test::Bytes(8192, std::byte{0x3c}));
        made.op("y", "[1, 64, ?, ?]", "conv(weight = w, x = x)");
        made.result = "y";
        auto [session, dock] = Alone<ChooseDock>();
        session.setBundle(*made.open());
        session.goToWeight(0);
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

    /// Dense is no row of the candidates: where it is the form to take no other one is selected.
    void denseSelectsNoOtherForm()
    {
        auto [session, dock] = Alone<ChooseDock>();
        QVERIFY(showDock(dock, session, openSample("dense")));
        const auto *table = dock.findChild<QTableView *>();
        int dense = 0;
        for (std::size_t i = 0; i < session.bundle()->weights().size(); ++i) {
            session.goToWeight(i);
            QVERIFY(settle(dock));
            if (!dock.choice() || !dock.showsContent())
                continue;
            const bool row = std::ranges::any_of(dock.choice()->candidates, [&](const auto &one) {
                return one.form == dock.choice()->chosen;
            });
            QCOMPARE(table->currentIndex().isValid(), row);
            dense += dock.choice()->chosen == "dense" ? 1 : 0;
        }
        QVERIFY(dense > 0);
    }

    void collectiveFigures()
    {
        auto [session, dock] = Alone<CollectiveDock>();
        QAbstractItemModelTester tester(&dock.model());
        QVERIFY(showDock(dock));
        const int index = rowWith(dock.model(), 0, u"engine index of (1, 2)"_s);
        QCOMPARE(textAt(dock.model(), index, 1), u"6"_s);
        dock.device().setText(u"5, 2"_s);
        QVERIFY(settle(dock));
        const int refused = rowWith(dock.model(), 0, u"engine index of (5, 2)"_s);
        QVERIFY(textAt(dock.model(), refused, 1).contains(u"refused"_s));
        dock.extents().setText(QString());
        QVERIFY(settle(dock));
        QVERIFY(dock.model().rowCount() > 10);
        QCOMPARE(dock.tabs().count(), 3);
        const auto *setters = qobject_cast<QTableView *>(dock.tabs().widget(1));
        QCOMPARE(setters->model()->rowCount(), 25);
        const auto *rules = qobject_cast<QTableView *>(dock.tabs().widget(2));
        QVERIFY(rules->model()->rowCount() >= 12);
    }

    /// The rate of the whole program is not drawn where the work of one of its layers is not known.
    void unknownWorkIsNotNone()
    {
        const auto drawn = [](bool open) {
            auto [session, dock] = Alone<RooflineDock>();
            test::MadeProgram made;
            std::string statements = made.weight("w") + test::MadeProgram::linear("y", "w", "x");
            if (open)
                statements +=
                    "tensor<fp16, [1, ?, 128]> s = unheard_of(x = y)[name = string(\"s\")];\n"
                    "tensor<fp16, [1, ?, 128]> z = linear(weight = w, x = s)"
                    "[name = string(\"z\")];\n";
            made.function("main", "x", statements, open ? "z" : "y");
            session.setBundle(*made.open());
            if (!showDock(dock))
                qFatal("the dock does not settle");
            return dock.plot().svg({800, 600});
        };
        QVERIFY(drawn(false).contains(u"whole program at the 230"_s));
        QVERIFY(!drawn(true).contains(u"whole program at the"_s));
    }

    void plansAndPlansAgain()
    {
        auto [session, dock] = Alone<PlanDock>();
        QAbstractItemModelTester tester(&dock.model());
        QVERIFY(plans(session, dock));
        QVERIFY(dock.showsContent());
        QVERIFY(dock.plan()->proven);
        QCOMPARE(dock.model().rowCount(), int(session.bundle()->weights().size()));
        QVERIFY(dock.facts().text().contains(u"proven"_s));
        QVERIFY(dock.facts().text().startsWith(u"<b>stored "_s));
        // Above the plan stands what the program waits for, as in every dock about it.
        const auto labels = dock.findChildren<QLabel *>();
        const auto verdict =
            std::ranges::find(labels, u"What the program waits for"_s, &QLabel::accessibleName);
        QVERIFY(verdict != labels.end());
        QTRY_VERIFY((*verdict)->isVisible());
        QCOMPARE((*verdict)->text().toStdString(), ChipState::of(session).verdict()->sentence);
        QVERIFY((*verdict)->y() < dock.facts().y());
        const auto [row, form] = otherForm(dock);
        QVERIFY(row != kNoIndex);
        QSignalSpy planned(&dock, &PlanDock::planned);
        dock.force(row, form);
        QVERIFY(planned.wait(20000));
        QVERIFY(text(dock.model(), int(row), "to").contains(QString::fromStdString(form)));
        QCOMPARE(text(dock.model(), int(row), "why"), u"asked for by hand"_s);
        dock.force(row, {});
        QVERIFY(planned.wait(20000));
        QVERIFY(text(dock.model(), int(row), "why") != u"asked for by hand"_s);
        // Another goal and tolerance plan again, without judging the forms again.
        const plan::Survey *judged = dock.survey();
        dock.tolerance().setValue(0);
        QVERIFY(planned.wait(20000));
        QCOMPARE(dock.survey(), judged);
        QCOMPARE(dock.plan()->after.error, 0.0);
        for (QAction *action : dock.menuActions())
            QVERIFY(!action->text().isEmpty());
    }

    /// Each cell of the dock is that of the rows of `plan --json`.
    void saysWhatTheCommandSays()
    {
        auto [session, dock] = Alone<PlanDock>();
        QVERIFY(plans(session, dock));
        const auto array = report::jsonArray(
            report::plannedWeightTable,
            report::plannedWeights(*dock.survey(), dock.plan()->choice, dock.plan()->why));
        const PlanModel &model = dock.model();
        QCOMPARE(array.size(), std::size_t(model.rowCount()));
        for (int row = 0; row < model.rowCount(); ++row) {
            const auto &weight = array[std::size_t(row)];
            const auto cell = [&](const char *key) {
                return model.index(row, model.columnOf(key))
                    .data(CopyRole)
                    .toString()
                    .toStdString();
            };
            for (const char *key : {"weight", "from", "to", "why"})
                QCOMPARE(cell(key), weight[key].get<std::string>());
            QCOMPARE(cell("bytes"), weight["bytes"].dump());
        }
        for (int column = 0; column < model.columnCount(); ++column) {
            const std::string key(model.keyOf(column));
            QVERIFY2(std::ranges::any_of(
                         array, [&key](const auto &weight) { return weight.contains(key); }),
                     key.c_str());
        }
    }

    /// Of launches, loops and functions of which a run enters one: plan, roofline and timeline.
    void docksSayTheSameOfAProgram()
    {
        auto [session, plan] = Alone<PlanDock>();
        RooflineDock roofline(session);
        TimelineDock timeline(session);
        const auto facts = [&](const test::MadeProgram &program) {
            session.setBundle(*program.open());
            for (Dock *dock : std::initializer_list<Dock *>{&plan, &roofline, &timeline}) {
                if (!showDock(*dock))
                    qFatal("the dock does not settle");
            }
            return QStringList{plan.facts().text(), roofline.facts().text(),
                               timeline.facts().text()};
        };
        for (const QString &text : facts(test::segmentedProgram()))
            QVERIFY2(text.contains(u"launches the engine 3 times"_s), qPrintable(text));
        QVERIFY(plan.facts().text().contains(u"(3 calls take at least"_s));
        QVERIFY(timeline.facts().text().contains(u"3 calls take"_s));
        for (const QString &text : facts(test::loopProgram()))
            QVERIFY2(text.contains(u"of 1 of 2 layers is not known"_s), qPrintable(text));
        QVERIFY(!plan.facts().text().contains(u"engine time"_s));
        for (const QString &text : facts(test::calledProgram()))
            QVERIFY2(text.contains(u"add up"_s), qPrintable(text));
        QVERIFY(plan.facts().text().contains(u"other engine time"_s));
    }

    /// An error of the network beside that of a layer, and errors of outputs in place of weights.
    void limitsTheWholeNetwork()
    {
        auto [session, dock] = Alone<PlanDock>();
        QVERIFY(plans(session, dock));
        const double loose = dock.plan()->after.error;
        QVERIFY(loose > 0);
        dock.totalTolerance().setValue(loose / 4);
        QTRY_VERIFY(dock.plan() && dock.plan()->after.error <= loose / 4);
        QCOMPARE(dock.survey()->model, plan::ErrorModel::Weights);
        dock.errorBox().setCurrentIndex(1);
        Q_EMIT dock.errorBox().activated(1);
        QTRY_VERIFY(dock.survey() && dock.survey()->model == plan::ErrorModel::Outputs);
        QTRY_VERIFY(dock.plan());
    }

    /// Shapes of inputs are the document's: the dock leads to them where the program leaves some.
    void offersShapesThatAreOpen()
    {
        auto [session, dock] = Alone<PlanDock>();
        const auto shown = [&](const std::string &extent) {
            test::MadeBundle made;
            made.parameters = "tensor<fp16, [1, " + extent + ", 128]> x";
            made.weight("w", "[128, 128]", test::Bytes(32768));
            made.line("tensor<fp16, [1, " + extent +
                      ", 128]> y = linear(weight = w, x = x)[name = "
                      "string(\"y\")]");
            made.result = "y";
            session.setBundle(*made.open());
            if (!showDock(dock))
                qFatal("the dock does not settle");
            return !dock.shapesButton().isHidden();
        };
        QVERIFY(!shown("7"));
        QVERIFY(shown("?"));
        QSignalSpy asked(&dock, &PlanDock::shapesAsked);
        dock.shapesButton().click();
        QCOMPARE(asked.count(), 1);
    }

    void showsPointsOfTheFront()
    {
        auto [session, dock] = Alone<PlanDock>();
        QVERIFY(showDock(dock, session, openSample("dense")));
        QVERIFY(dock.plot().pointCount() > 2);
        Q_EMIT dock.plot().currentPointChanged(1);
        QCOMPARE(dock.plot().point(1).choice, dock.shownChoice());
        QVERIFY(dock.plot().pointText(1).contains(u"Plan 2"_s));
        for (int column = 0; column < dock.plot().columnCount(); ++column)
            QVERIFY(dock.plot().cellData(1, column, SortRole).isValid());
    }

    void drawsTheBuildBeside()
    {
        auto [session, dock] = Alone<PlanDock>();
        QVERIFY(showDock(dock, session, openSample("dense"), openSample("palette")));
        QVERIFY(dock.plan());
        const QTemporaryDir folder;
        QCOMPARE(dock.saveReport(folder.filePath(u"r.md"_s)), QString());
        const QString report = textOf(folder.filePath(u"r.md"_s));
        QVERIFY(report.contains(u"## Other builds"_s));
        QVERIFY(report.contains(u"sample-palette.mlmodelc"_s));
    }

    void writesTheBundle()
    {
        auto [session, dock] = Alone<PlanDock>();
        dock.goal().setCurrentIndex(dock.goal().findData(u"stored"_s));
        QVERIFY(plans(session, dock));
        const std::uint64_t promised = dock.plan()->after.stored;
        QTemporaryDir folder;
        QSignalSpy written(&dock, &PlanDock::written);
        const QString path = folder.filePath(u"planned.mlmodelc"_s);
        dock.writeTo(path);
        QVERIFY(written.wait(30000));
        QCOMPARE(written.at(0).at(1).toString(), QString());
        const auto copy = VERIFIED(Bundle::open(path.toStdString()));
        QCOMPARE((*copy)->totals().storedBytes.value, promised);
        // Beside its links stands its name: a path would take three lines.
        const auto labels = dock.findChildren<QLabel *>();
        QVERIFY(std::ranges::any_of(labels, [&](const QLabel *label) {
            return label->text().startsWith(u"planned.mlmodelc is written"_s) &&
                   label->text().contains(u"href=\"compare\""_s) && label->toolTip().endsWith(path);
        }));
        // A point of the front is written as it is shown.
        Q_EMIT dock.plot().currentPointChanged(0);
        const auto least = dock.plot().point(0).totals.stored;
        const QString other = folder.filePath(u"point.mlmodelc"_s);
        dock.writeTo(other);
        QVERIFY(written.wait(30000));
        QCOMPARE(written.at(1).at(1).toString(), QString());
        QCOMPARE((*Bundle::open(other.toStdString()))->totals().storedBytes.value, least);
        // Not over what is there.
        dock.writeTo(other);
        QVERIFY(written.wait(30000));
        QVERIFY(!written.at(2).at(1).toString().isEmpty());
    }

    void savesReports()
    {
        auto [session, dock] = Alone<PlanDock>();
        QVERIFY(showDock(dock, session, openSample("dense")));
        QTemporaryDir folder;
        for (const char *name : {"r.html", "r.md", "r.json", "r.csv"}) {
            const QString path = folder.filePath(QString::fromLatin1(name));
            QCOMPARE(dock.saveReport(path), QString());
            QVERIFY(QFile(path).size() > 100);
        }
        QVERIFY(!dock.saveReport(folder.filePath(u"none/r.html"_s)).isEmpty());
    }

    void saysThatThereIsNoPlan()
    {
        auto [session, dock] = Alone<PlanDock>();
        QVERIFY(showDock(dock, session, openSample("dense")));
        QSignalSpy planned(&dock, &PlanDock::planned);
        VERIFIED(dock.maxBytes().findChild<QLineEdit *>())->setText(u"1,000"_s);
        dock.maxBytes().interpretText();
        QVERIFY(planned.wait(20000));
        QVERIFY(dock.maxBytes().text().contains(u"1,000 B"_s));
        QVERIFY(dock.facts().text().contains(u"No plan keeps"_s));
        QVERIFY(dock.plot().pointCount() > 2); // what there is without the limits
        QVERIFY(!dock.plan());
        QVERIFY(dock.showsContent()); // what was judged stays
        bool said = false;
        for (const QLabel *label : dock.findChildren<QLabel *>())
            said |= label->text().contains(u"max-bytes"_s) ||
                    label->text().contains(u"bytes, found"_s) ||
                    label->text().contains(u"at most 1,000 bytes"_s);
        QVERIFY(said);
    }

private:
    /// The dock plans the dense sample with errors up to 0.2.
    static bool plans(Session &session, PlanDock &dock)
    {
        dock.tolerance().setValue(0.2);
        return showDock(dock, session, openSample("dense")) && dock.plan();
    }
};

KERNSCOPE_TEST(TestAssessmentDocks, QApplication)
#include "tst_assessment_docks.moc"
