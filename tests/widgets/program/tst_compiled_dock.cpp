// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/odix/trace.h"
#include "tests/widgets/sample_session.h"
#include "widgets/program/compiled_dock.h"

#include <QTabWidget>
#include <QTableView>

using namespace kernscope::ui;

namespace {

BundlePtr compiledProgram()
{
    OpenOptions options;
    options.memory = {{"main-universal.dbginfo", seed("made.dbginfo")},
                      {"main-universal.odix", seed("made.odix")}};
    return Bundle::open("made.aimodelx", options).value_or(nullptr);
}

} // namespace

/// A compiled program: its memory plan as a picture and as rows, kernels, constants, instructions.
class TestCompiledDock : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }

    void saysWhatItNeeds()
    {
        auto [session, dock] = Alone<CompiledDock>();
        QVERIFY(showDock(dock, session, openSample("dense")));
        QVERIFY(!dock.showsContent());
    }

    void pagesHoldTheProgram()
    {
        auto [session, dock] = Alone<CompiledDock>();
        QVERIFY(showDock(dock, session, VERIFIED(compiledProgram())));
        QVERIFY(dock.showsContent());
        const odix::Compiled &compiled = *session.bundle()->compiled();
        QCOMPARE(dock.tabs().count(), 4);
        QCOMPARE(dock.memory().rowCount(), int(compiled.trace.views.size()));
        QCOMPARE(dock.constants().rowCount(), int(compiled.program.constants.size()));
        for (int tab = 1; tab < 4; ++tab) {
            auto *table = VERIFIED(qobject_cast<QTableView *>(dock.tabs().widget(tab)));
            QVERIFY(table->model()->rowCount() > 0);
        }
        session.setBundle(openSample("dense"));
        QTRY_VERIFY(!dock.showsContent());
        QCOMPARE(dock.memory().rowCount(), 0);
    }

    /// Rectangles lie as offsets and lifetimes do, and lead to their rows and back.
    void planFollowsRows()
    {
        auto [session, dock] = Alone<CompiledDock>();
        QVERIFY(showDock(dock, session, VERIFIED(compiledProgram())));
        MemoryPlanView &plan = dock.plan();
        const auto &views = session.bundle()->compiled()->trace.views;
        const int last = int(views.size()) - 1;
        const QRectF first = plan.rectOf(0), after = plan.rectOf(last);
        QVERIFY(!first.isEmpty());
        // The last view takes the place of the first, which is dead by then.
        QCOMPARE(after.top(), first.top());
        QVERIFY(after.left() >= first.right());
        auto *table = VERIFIED(dock.tabs().widget(0)->findChild<QTableView *>());
        QVERIFY(table->isVisible() && plan.isVisible());
        QTest::mouseClick(&plan, Qt::LeftButton, {}, after.center().toPoint());
        QCOMPARE(dock.memory().sourceRow(table->currentIndex().row()), std::size_t(last));
        QCOMPARE(plan.rowAt(after.center()), last);
        QCOMPARE(plan.rowAt({after.center().x(), plan.height() + 9.0}), -1);
    }

    void constantsLeadToTheirBytes()
    {
        auto [session, dock] = Alone<CompiledDock>();
        QVERIFY(showDock(dock, session, VERIFIED(compiledProgram())));
        dock.tabs().setCurrentIndex(2);
        auto *table = VERIFIED(qobject_cast<QTableView *>(dock.tabs().currentWidget()));
        table->setCurrentIndex(table->model()->index(1, 0));
        const auto &compiled = *session.bundle()->compiled();
        QVERIFY(session.place().bytes);
        QCOMPARE(session.place().bytes->offset.value,
                 compiled.program.constants[1].bytes.offset.value);
    }
};

KERNSCOPE_TEST(TestCompiledDock, QApplication)
#include "tst_compiled_dock.moc"
