// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/little_endian.h"
#include "core/bundle/byte_field.h"
#include "hardware_fixture.h"
#include "tests/widgets/sample_session.h"
#include "widgets/hardware/field_panel.h"
#include "widgets/hardware/tasks_dock.h"
#include "widgets/overview/bundle_dock.h"

using namespace kernscope::ui;
using test::showDock;

// The docks of tasks and registers: marks, bytes, fields, comparison.
class TestHardwareTasks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }

    void tasksShowRegisters()
    {
        auto [session, dock] = Alone<TasksDock>();
        QVERIFY(showDock(dock, session, bundleOf(test::syntheticH13())));
        QCOMPARE(dock.task(), 0U);
        dock.table().setCurrentIndex(dock.list().index(7, 0));
        QCOMPARE(dock.task(), 7U);
        QCOMPARE(session.place().bytes->offset.value, dock.list().taskAt(7)->fileOffset);
        const FactTreeModel &model = dock.registers();
        const QModelIndex header = child(model, {}, u"Header"_s);
        QVERIFY(header.isValid());
        QCOMPARE(model.rowCount(header), 10);
        const QModelIndex engine = child(model, {}, u"NE"_s);
        const QModelIndex config = child(model, engine, u"KernelCfg"_s);
        QCOMPARE(cell(config, 2), u"0x00000082"_s);
        const QModelIndex format = child(model, config, u"KernelFmt"_s);
        QCOMPARE(cell(format, 1), u"1:0"_s);
        QCOMPARE(cell(format, 2), u"2"_s);
        QCOMPARE(cell(format, 3), u"fp16"_s);
        QCOMPARE(dock.words().rowCount(), 157);
        QCOMPARE(cell(dock.words().index(10, 0), 1), u"0xf401f800"_s);
    }

    /// Rows of the container of before would lead into the bytes of the new one.
    void tasksOfOtherFilesGo()
    {
        auto [session, dock] = Alone<TasksDock>();
        QVERIFY(showDock(dock, session, bundleOf(test::syntheticH13())));
        QVERIFY(dock.list().rowCount() > 0 && dock.showsContent());
        QAction *again = VERIFIED(test::actionOf(dock, u"Read Tasks Again"_s));
        QVERIFY(!again->isEnabled());
        const auto cutting = test::cancelTasks(session);
        session.setBundle(bundleOf(test::syntheticH13(), "other.hwx"));
        QTRY_VERIFY(again->isEnabled());
        QVERIFY(!dock.busy() && !dock.showsContent());
        QCOMPARE(dock.list().rowCount(), 0);
        QCOMPARE(dock.task(), kNoIndex);
        disconnect(cutting);
        again->trigger();
        QVERIFY(test::settle(dock));
        QVERIFY(dock.list().rowCount() > 0 && dock.showsContent() && !again->isEnabled());
    }

    void tasksMarkChanges()
    {
        auto [session, dock] = Alone<TasksDock>();
        QVERIFY(showDock(dock, session, bundleOf(test::syntheticH14())));
        dock.table().setCurrentIndex(dock.list().index(1, 0));
        const FactTreeModel &model = dock.registers();
        const QModelIndex common = child(model, {}, u"Common"_s);
        QCOMPARE(model.rowCount(common), 1); // only what differs is written
        const QModelIndex channels = model.index(0, 0, common);
        QVERIFY(channels.data().toString().contains(theme::glyph(Token::MarkChanged)));
        QCOMPARE(cell(channels, 2), u"0x00000007"_s);
        QCOMPARE(cell(channels, 4), u"0x00000003"_s);
        // What is not on the disk yet has a mark of its own, fields as well.
        const auto edited = [&model] {
            const QModelIndex reg = model.index(0, 0, child(model, {}, u"Common"_s));
            int marked = 0;
            for (int row = -1; row < model.rowCount(reg); ++row) {
                const QModelIndex at = row < 0 ? reg : model.index(row, 0, reg);
                marked += at.data().toString().contains(QChar(0x270E));
            }
            return marked;
        };
        QCOMPARE(edited(), 0);
        const FileOffset place = model.bytesOf(channels)->offset;
        QVERIFY(test::turnByte(*session.bundle(), 0, place, std::byte{1}));
        session.updateBundle(session.bundle());
        QVERIFY(test::settle(dock));
        QTRY_COMPARE(edited(), 2);
    }

    void fieldsMarkTheirBytes()
    {
        auto [session, dock] = Alone<TasksDock>();
        QVERIFY(showDock(dock, session, bundleOf(test::syntheticH13())));
        const FactTreeModel &model = dock.registers();
        const QModelIndex common = child(model, {}, u"Common"_s);
        const QModelIndex conv = child(model, common, u"ConvCfg"_s);
        dock.registerView().setCurrentIndex(conv);
        const ByteRange word = *session.place().bytes;
        QCOMPARE(word.bytes.value, 4ULL);
        const auto bytes = session.bundle()->files().front().file->bytes();
        QCOMPARE(loadLittle<std::uint32_t>(bytes, word.offset.value), 0x5000a021U);
        dock.registerView().setCurrentIndex(child(model, conv, u"Ox"_s));
        QCOMPARE(session.place().bytes->offset.value, word.offset.value + 3); // bits 28 and 29
        QCOMPARE(session.place().bytes->bytes.value, 1ULL);
        QCOMPARE(session.place().bits, std::optional(BitRun{4, 2}));
        // The other way round: bytes chosen elsewhere select the register and its task.
        const TaskRow third = *dock.list().taskAt(2);
        session.goToBytes(0, {FileOffset(third.fileOffset + 4), ByteCount(4)});
        QCOMPARE(dock.task(), 2U);
        QCOMPARE(dock.registerView().currentIndex().parent().data(CopyRole).toString(),
                 u"Header"_s);
        // A task that the filter hides is shown as what it is.
        const TaskRow fourth = *dock.list().taskAt(3);
        dock.list().setFilter(hexNumber(dock.list().taskAt(7)->fileOffset));
        QCOMPARE(dock.list().rowCount(), 1);
        session.goToBytes(0, {FileOffset(fourth.fileOffset + 4), ByteCount(4)});
        QCOMPARE(dock.task(), 3U);
        QVERIFY(test::says(dock, u"Task 3:"_s));
    }

    void bytesNameTheirField()
    {
        const BundlePtr bundle = bundleOf(test::syntheticH13());
        const auto name = [&bundle](std::uint64_t at) {
            return fromUtf8(fieldAt(*bundle, 0, FileOffset(at)).text);
        };
        QCOMPARE(name(8), u"header: cpu subtype"_s);
        const hwx::Container &container = *bundle->hardware();
        const auto *text = container.firstOf(hwx::SectionType::Text);
        QVERIFY(name(text->place.value + 33).endsWith(u"section __text address"_s));
        const std::uint64_t first = text->bytes->offset.value;
        QVERIFY(name(first).startsWith(u"task 0: header word 0 (TID"_s));
        QVERIFY(name(first + 40).contains(u"record of 18"_s));
        QVERIFY(name(first + 44).startsWith(u"task 0: KernelDMASrc MasterCfg"_s));
        QCOMPARE(fieldAt(*bundle, 0, FileOffset(first + 46)).bytes.offset.value, first + 44);
        QCOMPARE(name(container.symbolTable->symbolOffset + 8), u"symbol 0: value"_s);
        QCOMPARE(name(text->relocations[1].place.value), u"relocation 1: address"_s);
        QVERIFY(name(first + 0x1f8).startsWith(u"padding"_s));
    }

    void addressPacketsNameTheirBar()
    {
        for (const test::Bytes &bytes :
             {test::syntheticH16(), test::syntheticH18(), test::syntheticH18g()}) {
            const BundlePtr bundle = VERIFIED(bundleOf(bytes));
            for (std::size_t t = 0; t < bundle->hardware()->texts.size(); ++t) {
                TaskSource source = taskSource(*bundle, t);
                if (!source.reader)
                    continue;
                descriptor::TaskDetail detail;
                for (std::size_t i = 0; i < source.text->tasks->tasks.size(); ++i) {
                    source.reader->read(i, detail);
                    const std::uint64_t task =
                        source.section->bytes->offset.value + detail.task.offset;
                    for (const auto &packet : detail.stream.packets) {
                        const QString bar = u"BAR %1"_s.arg(packet.bar);
                        const bool address = packet.kind == descriptor::PacketKind::Address;
                        for (std::uint32_t word = 0; word <= packet.count; ++word) {
                            const std::uint64_t at = task + packet.offset + 4 * word;
                            const QString text = fromUtf8(fieldAt(*bundle, 0, FileOffset(at)).text);
                            if (packet.kind != descriptor::PacketKind::Masked)
                                QVERIFY2(text.contains(bar) == address, qPrintable(text));
                        }
                    }
                }
            }
        }
    }

    void tasksCompare()
    {
        auto [session, dock] = Alone<TasksDock>();
        QVERIFY(showDock(dock, session, bundleOf(test::syntheticH13())));
        dock.table().setCurrentIndex(dock.list().index(7, 0));
        dock.otherTask().setValue(6);
        QVERIFY(!dock.differences().isEmpty());
        const QModelIndex format = child(dock.differences(), {}, u"NE KernelCfg"_s);
        QCOMPARE(cell(format, 1), u"0x00000082"_s);
        QCOMPARE(cell(format, 2), u"0x00000080"_s);
        dock.otherTask().setValue(7);
        QVERIFY(dock.differences().isEmpty());
    }

    // The inspector of a register's field: bits, meaning, source, the same in every task.
    void init()
    {
        m_session = std::make_unique<Session>();
        m_tasks = std::make_unique<TasksDock>(*m_session);
        m_inspector = std::make_unique<InspectorDock>(*m_session);
        m_panel = new FieldPanel(*m_session, m_inspector.get());
        m_inspector->addPanel(m_panel, 100);
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
        QCOMPARE(m_panel->title(), u"KernelCfg \u00B7 KernelFmt"_s);
        QVERIFY(hasLine(u"2"_s)); // the value, large
        QVERIFY(hasLine(u"NE, bits 1 to 0, task 7"_s));
        QVERIFY2(m_panel->facts().contains(u"source: "_s), qPrintable(m_panel->facts()));
        QVERIFY(m_panel->facts().contains(u"sure: "_s));
        // One row a task, and the task of now is the chosen one.
        QCOMPARE(m_panel->values().rowCount(), m_tasks->list().rowCount());
        QCOMPARE(cellAt(m_panel->table().currentIndex().row(), "task"), u"7"_s);
        QCOMPARE(cellAt(m_panel->table().currentIndex().row(), "value"), u"2"_s);
        QVERIFY(!m_panel->summary().isEmpty());
        QVERIFY(m_panel->values().columnOf("meaning") >= 0);
        QCOMPARE(m_panel->table().horizontalScrollBar()->maximum(), 0); // each column is in view
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
            if (row != 7 && values.rows()[std::size_t(row)].written)
                other = row;
        }
        QVERIFY(other >= 0);
        m_panel->table().setCurrentIndex(values.index(other, 0));
        QCOMPARE(m_tasks->task(), std::size_t(other));
        QCOMPARE(m_panel->title(), u"KernelCfg \u00B7 KernelFmt"_s);
        QCOMPARE(m_tasks->registerView().currentIndex().data(CopyRole).toString(), u"KernelFmt"_s);
    }

    /// Several fields lie in one byte: a click on a bit chooses the one that has it, everywhere.
    void bitsArePicked()
    {
        m_tasks->table().setCurrentIndex(m_tasks->list().index(0, 0));
        choose("Common", "ConvCfg", "");
        QTRY_VERIFY(!m_inspector->busy());
        QCOMPARE(m_panel->title(), u"ConvCfg"_s);
        auto *bits = m_panel->findChild<BitWordView *>();
        QVERIFY(bits->accessibleDescription().contains(u"Ox"_s));
        const int field = bits->fieldOf(28);
        QVERIFY(field >= 0);
        QTest::mouseClick(bits, Qt::LeftButton, {}, bits->cellOf(28).center().toPoint());
        QCOMPARE(m_panel->title(), u"ConvCfg \u00B7 Ox"_s);
        QCOMPARE(m_session->place().bits, std::optional(BitRun{4, 2}));
        QCOMPARE(m_tasks->registerView().currentIndex().data(CopyRole).toString(), u"Ox"_s);
        // By keys from field to field: Right goes to lower bits.
        bits->setFocus();
        QTest::keyClick(bits, Qt::Key_Right);
        QVERIFY(m_panel->title() != u"ConvCfg \u00B7 Ox"_s);
        QTest::keyClick(bits, Qt::Key_Left);
        QCOMPARE(m_panel->title(), u"ConvCfg \u00B7 Ox"_s);
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
        return std::ranges::any_of(labels,
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

KERNSCOPE_TEST(TestHardwareTasks, QApplication)
#include "tst_hardware_tasks.moc"
