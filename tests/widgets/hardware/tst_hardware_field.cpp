// SPDX-License-Identifier: GPL-3.0-or-later
#include "synthetic.h"

#include "core/container/hwx/container.h"
#include "core/report/task_table.h"
#include "hardware_fixture.h"
#include "tests/test_program.h"
#include "tests/widgets/sample_session.h"
#include "widgets/common/task_manager.h"
#include "widgets/common/theme.h"
#include "widgets/hardware/field_model.h"
#include "widgets/hardware/field_panel.h"
#include "widgets/hardware/tasks_dock.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTreeView>

#include <memory>

using namespace kernscope;
using namespace kernscope::ui;
using test::showDock;
using namespace kernscope::test;

/// The inspector of a register's field: bits, meaning, source, the same in every task.
class TestHardwareField : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }
    void init()
    {
        m_session = std::make_unique<Session>();
        m_tasks = std::make_unique<TasksDock>(*m_session);
        m_inspector = std::make_unique<InspectorDock>(*m_session);
        m_panel = new FieldPanel(*m_session, m_inspector.get());
        m_inspector->addPanel(m_panel);
        m_session->setBundle(bundleOf(test::syntheticH13()));
        QVERIFY(showDock(*m_tasks));
        QVERIFY(showDock(*m_inspector, 300, 900));
    }
    void cleanup()
    {
        m_inspector.reset();
        m_tasks.reset();
        m_session.reset();
    }

    void showsTheChosenField()
    {
        const QAbstractItemModelTester tester(&m_panel->values());
        QVERIFY(!m_panel->isVisible()); // no register is chosen: the bundle is shown
        m_tasks->table().setCurrentIndex(m_tasks->list().index(7, 0));
        QVERIFY(!m_panel->isVisible()); // a whole task is no register
        choose("NE", "KernelCfg", "KernelFmt");
        QTRY_VERIFY(!m_inspector->busy());
        QVERIFY(m_panel->isVisible());
        QCOMPARE(m_panel->title(), QStringLiteral("KernelCfg \u00B7 KernelFmt"));
        QVERIFY(hasLine(QStringLiteral("2"))); // the value, large
        QVERIFY(hasLine(QStringLiteral("NE, bits 1 to 0, task 7")));
        QVERIFY2(m_panel->facts().contains(QStringLiteral("source: ")),
                 qPrintable(m_panel->facts()));
        QVERIFY(m_panel->facts().contains(QStringLiteral("sure: ")));
        // One row a task, and the task of now is the chosen one.
        QCOMPARE(m_panel->values().rowCount(), m_tasks->list().rowCount());
        QCOMPARE(cellAt(m_panel->table().currentIndex().row(), "task"), QStringLiteral("7"));
        QCOMPARE(cellAt(m_panel->table().currentIndex().row(), "value"), QStringLiteral("2"));
        QVERIFY(!m_panel->summary().isEmpty());
        // A weight is no register.
        m_session->goTo({});
        QVERIFY(!m_panel->isVisible());
    }

    void rowsLeadToTheSameFieldOfOtherTasks()
    {
        m_tasks->table().setCurrentIndex(m_tasks->list().index(7, 0));
        choose("NE", "KernelCfg", "KernelFmt");
        QTRY_VERIFY(!m_inspector->busy());
        FieldModel &values = m_panel->values();
        int other = -1;
        for (int row = 0; row < values.rowCount(); ++row) {
            if (row != 7 && values.rows()[static_cast<std::size_t>(row)].written)
                other = row;
        }
        QVERIFY(other >= 0);
        m_panel->table().setCurrentIndex(values.index(other, 0));
        QCOMPARE(m_tasks->task(), static_cast<std::size_t>(other));
        QCOMPARE(m_panel->title(), QStringLiteral("KernelCfg \u00B7 KernelFmt"));
        QCOMPARE(m_tasks->registerView().currentIndex().data(CopyRole).toString(),
                 QStringLiteral("KernelFmt"));
    }

    /// Several fields lie in one byte: a click on a bit chooses the one that has it, everywhere.
    void bitsArePicked()
    {
        m_tasks->table().setCurrentIndex(m_tasks->list().index(0, 0));
        choose("Common", "ConvCfg", "");
        QTRY_VERIFY(!m_inspector->busy());
        QCOMPARE(m_panel->title(), QStringLiteral("ConvCfg"));
        auto *bits = m_panel->findChild<BitWordView *>();
        QVERIFY(bits->accessibleDescription().contains(QStringLiteral("Ox")));
        const int field = bits->fieldOf(28);
        QVERIFY(field >= 0);
        QTest::mouseClick(bits, Qt::LeftButton, {}, bits->cellOf(28).center().toPoint());
        QCOMPARE(m_panel->title(), QStringLiteral("ConvCfg \u00B7 Ox"));
        QCOMPARE(m_session->place().bits, std::optional(BitRun{4, 2}));
        QCOMPARE(m_tasks->registerView().currentIndex().data(CopyRole).toString(),
                 QStringLiteral("Ox"));
        // By keys from field to field: Right goes to lower bits.
        bits->setFocus();
        QTest::keyClick(bits, Qt::Key_Right);
        QVERIFY(m_panel->title() != QStringLiteral("ConvCfg \u00B7 Ox"));
        QTest::keyClick(bits, Qt::Key_Left);
        QCOMPARE(m_panel->title(), QStringLiteral("ConvCfg \u00B7 Ox"));
        QTest::keyClick(bits, Qt::Key_End);
        QCOMPARE(bits->fieldOf(0) >= 0, m_session->place().bits->first == 0U);
    }

    void valuesAreThoseOfTheReader()
    {
        const BundlePtr bundle = m_session->bundle();
        Progress progress;
        report::FieldQuery query;
        query.header = true;
        query.address = 0;
        const auto rows = report::fieldRows(*bundle, query, progress);
        QCOMPARE(rows.size(), bundle->hardware()->texts[0].tasks->tasks.size());
        for (const report::FieldRow &row : rows) {
            QVERIFY(row.written);
            const auto word = patch::taskWordAt(*bundle, {0, row.task}, FileOffset(row.place));
            QVERIFY(word && word->header);
            QCOMPARE(row.value, std::optional(word->value));
            QCOMPARE(patch::taskAt(*bundle, FileOffset(row.place)),
                     std::optional(patch::TaskNumber{0, row.task}));
        }
        query.text = 99;
        QVERIFY(report::fieldRows(*bundle, query, progress).empty());
        QVERIFY(!patch::taskAt(*bundle, FileOffset(0)));
        // A register that no task writes has no value anywhere.
        query = {};
        query.address = 0xfffffffc;
        for (const report::FieldRow &row : report::fieldRows(*bundle, query, progress))
            QVERIFY(!row.value && !row.written);
    }

private:
    void choose(const char *block, const char *reg, const char *field)
    {
        const FactTreeModel &model = m_tasks->registers();
        QModelIndex index = child(model, {}, QString::fromLatin1(block));
        index = child(model, index, QString::fromLatin1(reg));
        if (*field != '\0')
            index = child(model, index, QString::fromLatin1(field));
        QVERIFY(index.isValid());
        m_tasks->registerView().setCurrentIndex(index);
    }
    bool hasLine(const QString &text) const
    {
        const auto labels = m_panel->findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(),
                           [&text](const QLabel *label) { return label->text() == text; });
    }
    QString cellAt(int row, const char *key) const
    {
        const FieldModel &model = m_panel->values();
        return model.index(row, model.columnOf(key)).data(CopyRole).toString();
    }

    std::unique_ptr<Session> m_session;
    std::unique_ptr<TasksDock> m_tasks;
    std::unique_ptr<InspectorDock> m_inspector;
    FieldPanel *m_panel = nullptr;
};

KERNSCOPE_TEST(TestHardwareField, QApplication)
#include "tst_hardware_field.moc"
