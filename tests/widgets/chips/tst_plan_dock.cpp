// SPDX-License-Identifier: GPL-3.0-or-later
// The Plan dock: plans, plans again where a form is asked for by hand, shows points of the front,
// writes the bundle and its report.
#include "core/report/json_table.h"
#include "tests/core/assessment/made_programs.h"
#include "tests/test_program.h"
#include "tests/widgets/sample_session.h"
#include "widgets/chips/front_plot.h"
#include "widgets/chips/plan_dock.h"
#include "widgets/chips/roofline_dock.h"
#include "widgets/chips/roofline_plot.h"
#include "widgets/chips/timeline_dock.h"
#include "widgets/common/table_text.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace kernscope;
using namespace kernscope::test;
using namespace kernscope::ui;

namespace {

/// A row that is planned, with a form of its own that it does not have in the plan.
std::pair<std::size_t, std::string> otherForm(const PlanDock &dock)
{
    for (std::size_t r = 0; r < dock.survey()->rows.size(); ++r) {
        const plan::Row &row = dock.survey()->rows[r];
        for (std::size_t c = 1; row.candidates && c < row.candidates->size(); ++c) {
            if ((*row.candidates)[c]->refused.empty() && dock.plan()->choice[r] != c)
                return {r, (*row.candidates)[c]->name.value()};
        }
    }
    return {kNoIndex, {}};
}

QString text(const PlanModel &model, int row, const char *key)
{
    return model.index(row, model.columnOf(key)).data().toString();
}

} // namespace

class TestPlanDock : public QObject
{
    Q_OBJECT

private slots:
    void saysWhatIsMissing();
    void unknownWorkIsNotNone();
    void plansAndPlansAgain();
    void saysWhatTheCommandSays();
    void docksSayTheSameOfAProgram();
    void limitsTheWholeNetwork();
    void offersShapesThatAreOpen();
    void showsPointsOfTheFront();
    void drawsTheBuildBeside();
    void writesTheBundle();
    void savesReports();
    void saysThatThereIsNoPlan();
};

void TestPlanDock::saysWhatIsMissing()
{
    Session session;
    PlanDock dock(session);
    QVERIFY(showDock(dock));
    QVERIFY(!dock.showsContent());
}

/// An error of the network beside that of a layer, and errors of outputs in place of weights.
void TestPlanDock::limitsTheWholeNetwork()
{
    Session session;
    PlanDock dock(session);
    session.setBundle(openSample("sample-dense.mlmodelc"));
    dock.tolerance().setValue(0.2);
    QVERIFY(showDock(dock));
    QVERIFY(dock.plan());
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

/// Shapes of inputs are the document's: the dock leads to them where the program leaves any open.
void TestPlanDock::offersShapesThatAreOpen()
{
    Session session;
    PlanDock dock(session);
    const auto shown = [&](const std::string &extent) {
        test::MadeBundle made;
        made.parameters = "tensor<fp16, [1, " + extent + ", 128]> x";
        made.constant("tensor<fp16, [128, 128]>", "w",
                      made.blob(ElementType::Fp16, "[128, 128]", test::Bytes(32768)));
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

/// Of launches, loops and functions of which a run enters one: plan, roofline and timeline.
void TestPlanDock::docksSayTheSameOfAProgram()
{
    Session session;
    PlanDock plan(session);
    RooflineDock roofline(session);
    TimelineDock timeline(session);
    const auto facts = [&](const test::MadeProgram &program) {
        session.setBundle(*program.open());
        for (Dock *dock : std::initializer_list<Dock *>{&plan, &roofline, &timeline}) {
            if (!showDock(*dock))
                qFatal("the dock does not settle");
        }
        return QStringList{plan.facts().text(), roofline.facts().text(), timeline.facts().text()};
    };
    for (const QString &text : facts(test::segmentedProgram()))
        QVERIFY2(text.contains(QStringLiteral("launches the engine 3 times")), qPrintable(text));
    QVERIFY(plan.facts().text().contains(QStringLiteral("(3 calls take at least")));
    QVERIFY(timeline.facts().text().contains(QStringLiteral("3 calls take")));
    for (const QString &text : facts(test::loopProgram()))
        QVERIFY2(text.contains(QStringLiteral("comes to 1 of 2 layers is not known")),
                 qPrintable(text));
    QVERIFY(!plan.facts().text().contains(QStringLiteral("engine time")));
    for (const QString &text : facts(test::calledProgram()))
        QVERIFY2(text.contains(QStringLiteral("add up")), qPrintable(text));
    QVERIFY(plan.facts().text().contains(QStringLiteral("other engine time")));
}

/// The rate of the whole program is not drawn where the work of one of its layers is not known.
void TestPlanDock::unknownWorkIsNotNone()
{
    const auto drawn = [](bool open) {
        Session session;
        RooflineDock dock(session);
        test::MadeProgram made;
        std::string statements = made.weight("w") + test::MadeProgram::linear("y", "w", "x");
        if (open)
            statements += "tensor<fp16, [1, ?, 128]> s = unheard_of(x = y)[name = string(\"s\")];\n"
                          "tensor<fp16, [1, ?, 128]> z = linear(weight = w, x = s)"
                          "[name = string(\"z\")];\n";
        made.function("main", "x", statements, open ? "z" : "y");
        session.setBundle(*made.open());
        if (!showDock(dock))
            qFatal("the dock does not settle");
        return dock.plot().svg({800, 600});
    };
    QVERIFY(drawn(false).contains(QStringLiteral("whole program at the 230")));
    QVERIFY(!drawn(true).contains(QStringLiteral("whole program at the")));
}

void TestPlanDock::plansAndPlansAgain()
{
    Session session;
    PlanDock dock(session);
    QAbstractItemModelTester tester(&dock.model());
    session.setBundle(openSample("sample-dense.mlmodelc"));
    dock.tolerance().setValue(0.2);
    QVERIFY(showDock(dock));
    QVERIFY(dock.showsContent());
    QVERIFY(dock.plan());
    QVERIFY(dock.plan()->proven);
    QCOMPARE(dock.model().rowCount(), int(session.bundle()->weights().size()));
    QVERIFY(dock.facts().text().contains(QStringLiteral("proven")));
    const auto [row, form] = otherForm(dock);
    QVERIFY(row != kNoIndex);
    QSignalSpy planned(&dock, &PlanDock::planned);
    dock.force(row, form);
    QVERIFY(planned.wait(20000));
    QVERIFY(text(dock.model(), int(row), "to").contains(QString::fromStdString(form)));
    QCOMPARE(text(dock.model(), int(row), "why"), QStringLiteral("asked for by hand"));
    dock.force(row, {});
    QVERIFY(planned.wait(20000));
    QVERIFY(text(dock.model(), int(row), "why") != QStringLiteral("asked for by hand"));
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
void TestPlanDock::saysWhatTheCommandSays()
{
    Session session;
    PlanDock dock(session);
    session.setBundle(openSample("sample-dense.mlmodelc"));
    dock.tolerance().setValue(0.2);
    QVERIFY(showDock(dock));
    QVERIFY(dock.plan());
    const auto array = report::jsonArray(
        report::plannedWeightTable(),
        report::plannedWeights(*dock.survey(), dock.plan()->choice, dock.plan()->why));
    const PlanModel &model = dock.model();
    QCOMPARE(array.size(), std::size_t(model.rowCount()));
    for (int row = 0; row < model.rowCount(); ++row) {
        const auto &weight = array[std::size_t(row)];
        const auto cell = [&](const char *key) {
            return model.index(row, model.columnOf(key)).data(CopyRole).toString().toStdString();
        };
        for (const char *key : {"weight", "from", "to", "why"})
            QCOMPARE(cell(key), weight[key].get<std::string>());
        QCOMPARE(cell("bytes"), weight["bytes"].dump());
    }
    for (int column = 0; column < model.columnCount(); ++column) {
        const std::string key(model.keyOf(column));
        QVERIFY2(std::any_of(array.begin(), array.end(),
                             [&key](const auto &weight) { return weight.contains(key); }),
                 key.c_str());
    }
}

void TestPlanDock::showsPointsOfTheFront()
{
    Session session;
    PlanDock dock(session);
    session.setBundle(openSample("sample-dense.mlmodelc"));
    QVERIFY(showDock(dock));
    QVERIFY(dock.plot().pointCount() > 2);
    Q_EMIT dock.plot().currentPointChanged(1);
    QCOMPARE(dock.plot().point(1).choice->all(), dock.shownChoice());
    QVERIFY(dock.plot().pointText(1).contains(QStringLiteral("Plan 2")));
    for (int column = 0; column < dock.plot().columnCount(); ++column)
        QVERIFY(dock.plot().cellData(1, column, SortRole).isValid());
}

void TestPlanDock::drawsTheBuildBeside()
{
    Session session;
    PlanDock dock(session);
    session.setBundle(openSample("sample-dense.mlmodelc"));
    session.setOther(openSample("sample-palette.mlmodelc"));
    QVERIFY(showDock(dock));
    QVERIFY(dock.plan());
    const QString report = [&] {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("r.md"));
        if (!dock.saveReport(path).isEmpty())
            return QString();
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }();
    QVERIFY(report.contains(QStringLiteral("## Other builds")));
    QVERIFY(report.contains(QStringLiteral("sample-palette.mlmodelc")));
}

void TestPlanDock::writesTheBundle()
{
    Session session;
    PlanDock dock(session);
    session.setBundle(openSample("sample-dense.mlmodelc"));
    dock.tolerance().setValue(0.2);
    dock.goal().setCurrentIndex(dock.goal().findData(QStringLiteral("stored")));
    QVERIFY(showDock(dock));
    QVERIFY(dock.plan());
    const std::uint64_t promised = dock.plan()->after.stored;
    QTemporaryDir folder;
    QSignalSpy written(&dock, &PlanDock::written);
    const QString path = folder.filePath(QStringLiteral("planned.mlmodelc"));
    dock.writeTo(path);
    QVERIFY(written.wait(30000));
    QCOMPARE(written.at(0).at(1).toString(), QString());
    const auto copy = Bundle::open(path.toStdString());
    QVERIFY(copy);
    QCOMPARE((*copy)->totals().storedBytes.value, promised);
    // A point of the front is written as it is shown.
    Q_EMIT dock.plot().currentPointChanged(0);
    const auto least = dock.plot().point(0).totals.stored;
    const QString other = folder.filePath(QStringLiteral("point.mlmodelc"));
    dock.writeTo(other);
    QVERIFY(written.wait(30000));
    QCOMPARE(written.at(1).at(1).toString(), QString());
    QCOMPARE((*Bundle::open(other.toStdString()))->totals().storedBytes.value, least);
    // Not over what is there.
    dock.writeTo(other);
    QVERIFY(written.wait(30000));
    QVERIFY(!written.at(2).at(1).toString().isEmpty());
}

void TestPlanDock::savesReports()
{
    Session session;
    PlanDock dock(session);
    session.setBundle(openSample("sample-dense.mlmodelc"));
    QVERIFY(showDock(dock));
    QTemporaryDir folder;
    for (const char *name : {"r.html", "r.md", "r.json", "r.csv"}) {
        const QString path = folder.filePath(QString::fromLatin1(name));
        QCOMPARE(dock.saveReport(path), QString());
        QVERIFY(QFile(path).size() > 100);
    }
    QVERIFY(!dock.saveReport(folder.filePath(QStringLiteral("none/r.html"))).isEmpty());
}

void TestPlanDock::saysThatThereIsNoPlan()
{
    Session session;
    PlanDock dock(session);
    session.setBundle(openSample("sample-dense.mlmodelc"));
    QVERIFY(showDock(dock));
    QSignalSpy planned(&dock, &PlanDock::planned);
    dock.maxBytes().setValue(1);
    QVERIFY(planned.wait(20000));
    QVERIFY(!dock.plan());
    QVERIFY(dock.showsContent()); // what was judged stays
    bool said = false;
    for (const QLabel *label : dock.findChildren<QLabel *>())
        said |= label->text().contains(QStringLiteral("max-bytes")) ||
                label->text().contains(QStringLiteral("bytes, found")) ||
                label->text().contains(QStringLiteral("at most 1 bytes"));
    QVERIFY(said);
}

KERNSCOPE_TEST(TestPlanDock, QApplication)
#include "tst_plan_dock.moc"
