// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "synthetic.h"

#include "core/base/little_endian.h"
#include "core/bundle/byte_field.h"
#include "core/container/hwx/container.h"
#include "hardware_fixture.h"
#include "tests/test_program.h"
#include "tests/widgets/sample_session.h"
#include "widgets/common/table_text.h"
#include "widgets/common/task_manager.h"
#include "widgets/common/theme.h"
#include "widgets/hardware/commands_dock.h"
#include "widgets/hardware/descriptor_dock.h"
#include "widgets/hardware/relocations_dock.h"
#include "widgets/hardware/tasks_dock.h"

#include <QAbstractItemModelTester>
#include <QRegularExpression>
#include <QTest>

using namespace kernscope;
using namespace kernscope::ui;
using test::showDock;
using namespace kernscope::test;

namespace {

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
    static const QRegularExpression nine(QStringLiteral("weights: *\\(\\d+, \\d+, 9, \\d+\\)"));
    QVERIFY2(dock.listing().contains(nine), qPrintable(dock.listing()));
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

KERNSCOPE_TEST(TestHardwareDocks, QApplication)
#include "tst_hardware_docks.moc"
