// SPDX-License-Identifier: GPL-3.0-or-later
#include "synthetic.h"

#include "core/base/little_endian.h"
#include "core/container/hwx/container.h"
#include "tests/widgets/sample_session.h"
#include "widgets/bytes/byte_field.h"
#include "widgets/common/table_text.h"
#include "widgets/common/task_manager.h"
#include "widgets/common/theme.h"
#include "widgets/hardware/commands_dock.h"
#include "widgets/hardware/descriptor_dock.h"
#include "widgets/hardware/relocations_dock.h"
#include "widgets/hardware/tasks_dock.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QTreeView>

#include <algorithm>

using namespace kernscope;
using namespace kernscope::ui;
using test::showDock;

namespace {

BundlePtr bundleOf(test::Bytes bytes, const char *name = "synthetic.hwx")
{
    OpenOptions options;
    options.memory = {{name, std::move(bytes)}};
    auto opened = Bundle::open(name, options);
    return opened ? *opened : nullptr;
}

QModelIndex child(const QAbstractItemModel &model, const QModelIndex &parent, const QString &name)
{
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex index = model.index(row, 0, parent);
        if (index.data(CopyRole).toString() == name)
            return index;
    }
    return {};
}

QString cell(const QModelIndex &index, int column)
{
    return index.siblingAtColumn(column).data(CopyRole).toString();
}

FactNode fact(const QString &name, std::uint64_t offset, std::uint64_t bytes,
              std::vector<FactNode> children = {})
{
    FactNode node;
    node.cells = {name, QString::number(offset)};
    node.bytes = ByteRange{FileOffset(offset), ByteCount(bytes)};
    node.children = std::move(children);
    node.numbers = {{1, offset}};
    return node;
}

} // namespace

/// Docks and models of hardware containers, on synthetic files.
class TestHardwareDocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }
    void factTree();
    void factTreeFiltersAndSorts();
    void taskList();
    void unknownExtentsAreNotNone();
    void docksSayWhatTheyNeed();
    void tasksShowRegisters();
    void tasksOfOtherFilesGo();
    void tasksMarkChanges();
    void fieldsMarkTheirBytes();
    void bytesNameTheirField();
    void addressPacketsNameTheirBar();
    void tasksCompare();
    void relocationsLoadAndTakeBack();
    void relocationsRefuse();
    void commandsAndSymbols();
    void descriptorLists();
    void everyVersionShows_data();
    void everyVersionShows();
};

void TestHardwareDocks::factTree()
{
    FactTreeModel model({{QStringLiteral("name"), {}, false}, {QStringLiteral("at"), {}, true}});
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY(model.isEmpty());
    std::vector<FactNode> rows{
        fact(QStringLiteral("a"), 0, 16,
             {fact(QStringLiteral("a1"), 4, 4, {fact(QStringLiteral("low"), 4, 1)}),
              fact(QStringLiteral("a2"), 8, 4)}),
        fact(QStringLiteral("b"), 16, 8)};
    rows[0].marks = {Token::MarkContested};
    rows[0].toolTip = QStringLiteral("who says so");
    model.setRows(std::move(rows));
    QCOMPARE(model.rowCount(), 2);
    const QModelIndex a = model.index(0, 0);
    QCOMPARE(model.rowCount(a), 2);
    QVERIFY(a.data().toString().endsWith(theme::glyph(Token::MarkContested)));
    QVERIFY(a.data(Qt::ToolTipRole).toString().contains(QStringLiteral("who says so")));
    QCOMPARE(a.data(CopyRole).toString(), QStringLiteral("a"));
    QCOMPARE(model.indexOfByte(FileOffset(4)).data().toString(), QStringLiteral("low"));
    QCOMPARE(model.indexOfByte(FileOffset(5)).data().toString(), QStringLiteral("a1"));
    QCOMPARE(model.indexOfByte(FileOffset(9)).data().toString(), QStringLiteral("a2"));
    QCOMPARE(model.indexOfByte(FileOffset(20)).data().toString(), QStringLiteral("b"));
    QVERIFY(!model.indexOfByte(FileOffset(99)).isValid());
    const auto whole = model.indexOfBytes({FileOffset(4), ByteCount(4)});
    QCOMPARE(whole.data().toString(), QStringLiteral("a1"));
    QCOMPARE(model.indexOfBytes({FileOffset(4), ByteCount(400)}).data().toString(),
             QStringLiteral("low")); // none holds them all
    QCOMPARE(model.parent(model.index(1, 1, a)), a);
    model.setRows({});
    QVERIFY(model.isEmpty());
}

void TestHardwareDocks::factTreeFiltersAndSorts()
{
    FactTreeModel model({{QStringLiteral("name"), {}, false}, {QStringLiteral("at"), {}, true}});
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    std::vector<FactNode> rows;
    for (const int i : {10, 9, 100, 2})
        rows.push_back(fact(QStringLiteral("row %1").arg(i), std::uint64_t(i), 1,
                            {fact(QStringLiteral("inner %1").arg(i), std::uint64_t(i), 1)}));
    model.setRows(std::move(rows));
    model.sort(1, Qt::DescendingOrder);
    QCOMPARE(model.index(0, 1).data().toString(), QStringLiteral("100"));
    QCOMPARE(model.index(3, 1).data().toString(), QStringLiteral("2"));
    model.setFilter(QStringLiteral("INNER 10"));
    QCOMPARE(model.rowCount(), 2); // 10 and 100
    QCOMPARE(model.rowCount(model.index(0, 0)), 1);
    model.setFilter(QStringLiteral("row 9"));
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.rowCount(model.index(0, 0)), 1); // what hangs below a hit stays
    QVERIFY(!model.indexOfByte(FileOffset(10)).isValid());
    model.setFilter({});
    model.sort(-1);
    QCOMPARE(model.index(0, 1).data().toString(), QStringLiteral("10"));
}

void TestHardwareDocks::taskList()
{
    const BundlePtr bundle = bundleOf(test::syntheticH13(300));
    QVERIFY(bundle);
    Progress progress;
    TaskListModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRows(report::taskRows(*bundle, progress));
    QCOMPARE(model.rowCount(), 300);
    QCOMPARE(model.taskAt(299)->lanes, 3U);
    const std::uint64_t second = model.taskAt(1)->fileOffset;
    QCOMPARE(model.taskOfByte(FileOffset(second)), std::size_t(1));
    QCOMPARE(model.taskOfByte(FileOffset(second + model.taskAt(1)->bytes)), kNoIndex); // padding
    QCOMPARE(model.taskOfByte(FileOffset(0)), kNoIndex);
    model.sort(model.columnOf("lanes"), Qt::DescendingOrder);
    QCOMPARE(model.numberAt(0), std::size_t(299));
    QCOMPARE(model.rowOf(299), 0);
    model.setFilter(QStringLiteral("628"));
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.rowOf(0), -1);
    model.setFilter({});
    model.sort(-1);
    QCOMPARE(model.numberAt(0), std::size_t(0));
    progress.cancel();
    QVERIFY(report::taskRows(*bundle, progress).size() < 300);
}

/// A task whose registers do not say its channels is not one of 0 channels.
void TestHardwareDocks::unknownExtentsAreNotNone()
{
    TaskRow open, known;
    open.cout = 16;
    known.cin = 0;
    known.cout = known.kernelWidth = known.kernelHeight = 3;
    TaskListModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRows({known, open});
    const auto cell = [&model](int row, const char *key) {
        return model.index(row, model.columnOf(key)).data().toString();
    };
    QCOMPARE(cell(0, "channels"), QStringLiteral("0 \u2192 3"));
    QCOMPARE(cell(1, "channels"), QStringLiteral("? \u2192 16"));
    QCOMPARE(cell(0, "kernel"), QStringLiteral("3\u00D73"));
    QCOMPARE(cell(1, "kernel"), QStringLiteral("?\u00D7?"));
    model.sort(model.columnOf("kernel"), Qt::AscendingOrder);
    QCOMPARE(cell(0, "kernel"), QStringLiteral("?\u00D7?"));
}

void TestHardwareDocks::docksSayWhatTheyNeed()
{
    Session session;
    TasksDock tasks(session);
    RelocationsDock relocations(session);
    CommandsDock commands(session);
    DescriptorDock descriptor(session);
    const std::initializer_list<Dock *> docks{&tasks, &relocations, &commands, &descriptor};
    for (Dock *dock : docks) {
        QVERIFY(showDock(*dock));
        QVERIFY(!dock->showsContent());
    }
    session.setBundle(test::openSample("sample-dense.mlmodelc"));
    for (Dock *dock : docks) {
        QVERIFY(test::settle(*dock));
        QVERIFY2(!dock->showsContent(), qPrintable(dock->id()));
    }
    session.setBundle(bundleOf(test::syntheticH13()));
    for (Dock *dock : docks) {
        QVERIFY(test::settle(*dock));
        QVERIFY2(dock->showsContent(), qPrintable(dock->id()));
    }
    // A container whose descriptors have no known form.
    session.setBundle(bundleOf(test::syntheticOf(99, 0)));
    for (Dock *dock : docks)
        QVERIFY(test::settle(*dock));
    QVERIFY(!tasks.showsContent());
    QVERIFY(commands.showsContent());
}

void TestHardwareDocks::tasksShowRegisters()
{
    Session session;
    TasksDock dock(session);
    session.setBundle(bundleOf(test::syntheticH13()));
    QVERIFY(showDock(dock));
    QCOMPARE(dock.task(), std::size_t(0));
    dock.table().setCurrentIndex(dock.list().index(7, 0));
    QCOMPARE(dock.task(), std::size_t(7));
    QCOMPARE(session.place().bytes->offset.value, dock.list().taskAt(7)->fileOffset);
    const FactTreeModel &model = dock.registers();
    const QModelIndex header = child(model, {}, QStringLiteral("Header"));
    QVERIFY(header.isValid());
    QCOMPARE(model.rowCount(header), 10);
    const QModelIndex engine = child(model, {}, QStringLiteral("NE"));
    const QModelIndex config = child(model, engine, QStringLiteral("KernelCfg"));
    QCOMPARE(cell(config, 2), QStringLiteral("0x00000082"));
    const QModelIndex format = child(model, config, QStringLiteral("KernelFmt"));
    QCOMPARE(cell(format, 1), QStringLiteral("1:0"));
    QCOMPARE(cell(format, 2), QStringLiteral("2"));
    QCOMPARE(cell(format, 3), QStringLiteral("fp16"));
    QCOMPARE(dock.words().rowCount(), 157);
    QCOMPARE(cell(dock.words().index(10, 0), 1), QStringLiteral("0xf401f800"));
}

/// Rows of the container of before would lead into the bytes of the new one.
void TestHardwareDocks::tasksOfOtherFilesGo()
{
    Session session;
    TasksDock dock(session);
    session.setBundle(bundleOf(test::syntheticH13()));
    QVERIFY(showDock(dock));
    QVERIFY(dock.list().rowCount() > 0 && dock.showsContent());
    QAction *again = nullptr;
    for (QAction *action : dock.menuActions()) {
        if (action->text() == QStringLiteral("Read Tasks Again"))
            again = action;
    }
    QVERIFY(again && !again->isEnabled());
    const auto cutting = connect(&session.tasks(), &TaskManager::changed, &dock,
                                 [&] { session.tasks().cancelAll(); });
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

void TestHardwareDocks::tasksMarkChanges()
{
    Session session;
    TasksDock dock(session);
    session.setBundle(bundleOf(test::syntheticH14()));
    QVERIFY(showDock(dock));
    dock.table().setCurrentIndex(dock.list().index(1, 0));
    const FactTreeModel &model = dock.registers();
    const QModelIndex common = child(model, {}, QStringLiteral("Common"));
    QCOMPARE(model.rowCount(common), 1); // only what differs is written
    const QModelIndex channels = model.index(0, 0, common);
    QVERIFY(channels.data().toString().contains(theme::glyph(Token::MarkChanged)));
    QCOMPARE(cell(channels, 2), QStringLiteral("0x00000007"));
    QCOMPARE(cell(channels, 4), QStringLiteral("0x00000003"));
}

void TestHardwareDocks::fieldsMarkTheirBytes()
{
    Session session;
    TasksDock dock(session);
    session.setBundle(bundleOf(test::syntheticH13()));
    QVERIFY(showDock(dock));
    const FactTreeModel &model = dock.registers();
    const QModelIndex common = child(model, {}, QStringLiteral("Common"));
    const QModelIndex conv = child(model, common, QStringLiteral("ConvCfg"));
    dock.registerView().setCurrentIndex(conv);
    const ByteRange word = *session.place().bytes;
    QCOMPARE(word.bytes.value, 4ULL);
    const auto bytes = session.bundle()->files().front().file->bytes();
    QCOMPARE(loadLittle<std::uint32_t>(bytes, word.offset.value), 0x5000a021U);
    dock.registerView().setCurrentIndex(child(model, conv, QStringLiteral("Ox")));
    QCOMPARE(session.place().bytes->offset.value, word.offset.value + 3); // bits 28 and 29
    QCOMPARE(session.place().bytes->bytes.value, 1ULL);
    QCOMPARE(session.place().bits, std::optional(BitRun{4, 2}));
    // The other way round: bytes chosen elsewhere select the register and its task.
    const TaskRow third = *dock.list().taskAt(2);
    session.goToBytes(0, {FileOffset(third.fileOffset + 4), ByteCount(4)});
    QCOMPARE(dock.task(), std::size_t(2));
    QCOMPARE(dock.registerView().currentIndex().parent().data(CopyRole).toString(),
             QStringLiteral("Header"));
    // A task that the filter hides is shown as what it is.
    const TaskRow fourth = *dock.list().taskAt(3);
    dock.list().setFilter(hexNumber(dock.list().taskAt(7)->fileOffset));
    QCOMPARE(dock.list().rowCount(), 1);
    session.goToBytes(0, {FileOffset(fourth.fileOffset + 4), ByteCount(4)});
    QCOMPARE(dock.task(), std::size_t(3));
    const auto labels = dock.findChildren<QLabel *>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
        return label->text().startsWith(QStringLiteral("Task 3:"));
    }));
}

void TestHardwareDocks::bytesNameTheirField()
{
    const BundlePtr bundle = bundleOf(test::syntheticH13());
    const auto name = [&bundle](std::uint64_t at) {
        return fieldAt(*bundle, 0, FileOffset(at)).text;
    };
    QCOMPARE(name(8), QStringLiteral("header: cpu subtype"));
    const hwx::Container &container = *bundle->hardware();
    const auto *text = container.firstOf(hwx::SectionType::Text);
    QVERIFY(name(text->place.value + 33).endsWith(QStringLiteral("section __text address")));
    const std::uint64_t first = text->bytes->offset.value;
    QVERIFY(name(first).startsWith(QStringLiteral("task 0: header word 0 (TID")));
    QVERIFY(name(first + 40).contains(QStringLiteral("record of 18")));
    QVERIFY(name(first + 44).startsWith(QStringLiteral("task 0: KernelDMASrc MasterCfg")));
    QCOMPARE(fieldAt(*bundle, 0, FileOffset(first + 46)).bytes.offset.value, first + 44);
    QCOMPARE(name(container.symbolTable->symbolOffset + 8), QStringLiteral("symbol 0: value"));
    QCOMPARE(name(text->relocations[1].place.value), QStringLiteral("relocation 1: address"));
    QVERIFY(name(first + 0x1f8).startsWith(QStringLiteral("padding")));
}

void TestHardwareDocks::addressPacketsNameTheirBar()
{
    for (const test::Bytes &bytes :
         {test::syntheticH16(), test::syntheticH18(), test::syntheticH18g()}) {
        const BundlePtr bundle = bundleOf(bytes);
        QVERIFY(bundle);
        for (std::size_t t = 0; t < bundle->hardware()->texts.size(); ++t) {
            TaskSource source = taskSource(*bundle, t);
            if (!source.reader)
                continue;
            descriptor::TaskDetail detail;
            for (std::size_t i = 0; i < source.text->tasks->tasks.size(); ++i) {
                source.reader->read(i, detail);
                const std::uint64_t task = source.section->bytes->offset.value + detail.task.offset;
                for (const auto &packet : detail.stream.packets) {
                    const QString bar = QStringLiteral("BAR %1").arg(packet.bar);
                    const bool address = packet.kind == descriptor::PacketKind::Address;
                    for (std::uint32_t word = 0; word <= packet.count; ++word) {
                        const std::uint64_t at = task + packet.offset + 4 * word;
                        const QString text = fieldAt(*bundle, 0, FileOffset(at)).text;
                        if (packet.kind != descriptor::PacketKind::Masked)
                            QVERIFY2(text.contains(bar) == address, qPrintable(text));
                    }
                }
            }
        }
    }
}

void TestHardwareDocks::tasksCompare()
{
    Session session;
    TasksDock dock(session);
    session.setBundle(bundleOf(test::syntheticH13()));
    QVERIFY(showDock(dock));
    dock.table().setCurrentIndex(dock.list().index(7, 0));
    dock.otherTask().setValue(6);
    QVERIFY(!dock.differences().isEmpty());
    const QModelIndex format = child(dock.differences(), {}, QStringLiteral("NE KernelCfg"));
    QCOMPARE(cell(format, 1), QStringLiteral("0x00000082"));
    QCOMPARE(cell(format, 2), QStringLiteral("0x00000080"));
    dock.otherTask().setValue(7);
    QVERIFY(dock.differences().isEmpty());
}

void TestHardwareDocks::relocationsLoadAndTakeBack()
{
    Session session;
    RelocationsDock dock(session);
    session.setBundle(bundleOf(test::syntheticH18g()));
    QVERIFY(showDock(dock));
    QCOMPARE(dock.model().rowCount(), 9);
    const QModelIndex first = dock.model().index(0, 0);
    QCOMPARE(cell(first, 5), QStringLiteral("__KERN_0,__kern_0"));
    QVERIFY(cell(first, 7).isEmpty());
    const auto before = session.bundle()->files().front().file->modified();
    dock.load(QStringLiteral("0x240000000"));
    QVERIFY(cell(dock.model().index(0, 0), 7).startsWith(QStringLiteral("0x2400")));
    QCOMPARE(cell(dock.model().index(0, 0), 7), cell(dock.model().index(0, 0), 8));
    QCOMPARE(session.bundle()->files().front().file->modified(), before); // nothing is written
    dock.takeBack();
    QVERIFY(cell(dock.model().index(0, 0), 7).isEmpty());
    dock.view().setCurrentIndex(dock.model().index(1, 0));
    QCOMPARE(session.place().bytes->bytes.value, 8ULL);
}

void TestHardwareDocks::relocationsRefuse()
{
    Session session;
    RelocationsDock dock(session);
    session.setBundle(bundleOf(test::syntheticH18g()));
    QVERIFY(showDock(dock));
    dock.load(QStringLiteral("0x40000000000"));
    QCOMPARE(cell(dock.model().index(0, 0), 7), QStringLiteral("refused"));
    QVERIFY(dock.model()
                .index(0, 0)
                .data(Qt::ToolTipRole)
                .toString()
                .contains(QStringLiteral("42 bits")));
    dock.load(QStringLiteral("0x10"));
    QVERIFY(
        dock.model().index(0, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("64")));
    dock.takeBack();
    dock.load(QStringLiteral("nowhere"));
    QVERIFY(cell(dock.model().index(0, 0), 7).isEmpty());
    dock.strip(QStringLiteral("0x1000"));
    QCOMPARE(cell(dock.model().index(0, 0), 7), QStringLiteral("refused"));
}

void TestHardwareDocks::commandsAndSymbols()
{
    Session session;
    CommandsDock dock(session);
    session.setBundle(bundleOf(test::syntheticH13()));
    QVERIFY(showDock(dock));
    const FactTreeModel &model = dock.commands();
    const QModelIndex header = model.index(0, 0);
    QCOMPARE(model.rowCount(header), 8);
    QCOMPARE(cell(model.index(0, 0, header), 1), QStringLiteral("0xbeefface"));
    const QModelIndex port = child(model, {}, QStringLiteral("port probs@output"));
    QVERIFY(cell(port, 2).startsWith(QStringLiteral("output")));
    const QModelIndex window = child(model, {}, QStringLiteral("segment_64 __FVMLIB"));
    QVERIFY(cell(window, 2).contains(QStringLiteral("virtual window")));
    dock.commandView().setCurrentIndex(child(model, port, QStringLiteral("extent C")));
    QCOMPARE(session.place().bytes->bytes.value, 4ULL);
    const QModelIndex kernel = dock.symbols().index(0, 0);
    QVERIFY(cell(kernel, 4).contains(QStringLiteral("lane 0")));
    const QModelIndex frame = dock.symbols().index(5, 0);
    QVERIFY2(cell(frame, 4).contains(QStringLiteral("c 3 (stride 64)")),
             qPrintable(cell(frame, 4)));
    // A place elsewhere finds its command.
    session.goToBytes(0, {FileOffset(8), ByteCount(1)});
    QCOMPARE(cell(dock.commandView().currentIndex(), 0), QStringLiteral("cpu subtype"));
}

void TestHardwareDocks::descriptorLists()
{
    Session session;
    DescriptorDock dock(session);
    session.setBundle(bundleOf(test::syntheticH13()));
    QVERIFY(showDock(dock));
    QCOMPARE(dock.chooser().count(), 1); // one task of eight loads a kernel
    QCOMPARE(dock.model().rowCount(), 6);
    const QModelIndex weights = dock.model().index(5, 0);
    QCOMPARE(cell(weights, 0), QStringLiteral("weights"));
    QVERIFY(cell(weights, 1).contains(QStringLiteral("float16")) ||
            cell(weights, 1).contains(QStringLiteral("fp16")));
    QCOMPARE(cell(weights, 3), QStringLiteral("9"));
    QCOMPARE(cell(weights, 4), QStringLiteral("192"));
    QVERIFY(dock.listing().contains(QStringLiteral("weights:")));
    const auto parsed = format::parseKernelUnit(dock.listing().toStdString());
    QVERIFY(parsed);
    QCOMPARE(parsed->sections[format::KernelUnit::Weights]->count, 9ULL);
}

void TestHardwareDocks::everyVersionShows_data()
{
    QTest::addColumn<QByteArray>("content");
    const auto row = [](const char *name, const test::Bytes &bytes) {
        QTest::newRow(name) << QByteArray(reinterpret_cast<const char *>(bytes.data()),
                                          qsizetype(bytes.size()));
    };
    row("synthetic H14", test::syntheticH14());
    row("synthetic H16", test::syntheticH16());
    row("synthetic H18", test::syntheticH18());
    row("synthetic H18g", test::syntheticH18g());
    row("synthetic M11", test::syntheticOf(8, 8));
}

void TestHardwareDocks::everyVersionShows()
{
    QFETCH(QByteArray, content);
    const auto *data = reinterpret_cast<const std::byte *>(content.data());
    Session session;
    TasksDock tasks(session);
    RelocationsDock relocations(session);
    CommandsDock commands(session);
    const QAbstractItemModelTester registers(
        &tasks.registers(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    const QAbstractItemModelTester slotRows(&relocations.model(),
                                            QAbstractItemModelTester::FailureReportingMode::QtTest);
    const QAbstractItemModelTester commandRows(
        &commands.commands(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    session.setBundle(bundleOf({data, data + content.size()}));
    QVERIFY(showDock(tasks));
    QVERIFY(showDock(relocations));
    QVERIFY(showDock(commands));
    QVERIFY(tasks.showsContent() && commands.showsContent());
    QVERIFY(tasks.registers().rowCount() > 1);
    relocations.load(QStringLiteral("0x10000000"));
    session.setBundle(nullptr);
    QVERIFY(test::settle(tasks) && test::settle(relocations) && test::settle(commands));
    QVERIFY(tasks.registers().isEmpty());
}

QTEST_MAIN(TestHardwareDocks)
#include "tst_hardware_docks.moc"
