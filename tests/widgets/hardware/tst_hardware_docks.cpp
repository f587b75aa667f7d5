// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/byte_field.h"
#include "hardware_fixture.h"
#include "synthetic_kernels.h"
#include "tests/core/container/section/made_section.h"
#include "tests/widgets/sample_session.h"
#include "widgets/hardware/container_docks.h"
#include "widgets/hardware/descriptor_dock.h"
#include "widgets/hardware/groups_dock.h"
#include "widgets/hardware/tasks_dock.h"

using namespace kernscope::ui;
using test::showDock;

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

constexpr std::uint64_t kOutputs = 40, kInputs = 8;

/// A section of one dense weight "w" of 40x8x3x3 for four cores.
BundlePtr madeSection()
{
    using namespace section::made_sections;
    const auto made = make(u"dense"_s, {kOutputs, kInputs, 3, 3}, 8, false, 4);
    return made ? openMade(made->bytes) : nullptr;
}

} // namespace

/// Docks and models of hardware containers, on synthetic files.
class TestHardwareDocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }

    void factTree()
    {
        FactTreeModel model({{u"name"_s, {}, false}, {u"at"_s, {}, true}});
        const QAbstractItemModelTester tester(&model);
        QVERIFY(model.isEmpty());
        std::vector<FactNode> rows{
            fact(u"a"_s, 0, 16, {fact(u"a1"_s, 4, 4, {fact(u"low"_s, 4, 1)}), fact(u"a2"_s, 8, 4)}),
            fact(u"b"_s, 16, 8)};
        rows[0].marks = {Token::MarkContested};
        rows[0].toolTip = u"who says so"_s;
        model.setRows(std::move(rows));
        QCOMPARE(model.rowCount(), 2);
        const QModelIndex a = model.index(0, 0);
        QCOMPARE(model.rowCount(a), 2);
        QVERIFY(a.data().toString().endsWith(theme::glyph(Token::MarkContested)));
        QVERIFY(a.data(Qt::ToolTipRole).toString().contains(u"who says so"_s));
        QCOMPARE(a.data(CopyRole).toString(), u"a"_s);
        for (const auto &[at, name] : {std::pair(4u, "low"), {5, "a1"}, {9, "a2"}, {20, "b"}})
            QCOMPARE(model.indexOfBytes({FileOffset(at), ByteCount(1)}).data().toString(),
                     QLatin1String(name));
        QVERIFY(!model.indexOfBytes({FileOffset(99), ByteCount(1)}).isValid());
        const auto whole = model.indexOfBytes({FileOffset(4), ByteCount(4)});
        QCOMPARE(whole.data().toString(), u"a1"_s);
        QCOMPARE(model.indexOfBytes({FileOffset(4), ByteCount(400)}).data().toString(),
                 u"low"_s); // none holds them all
        QCOMPARE(model.parent(model.index(1, 1, a)), a);
        model.setRows({});
        QVERIFY(model.isEmpty());
    }

    void factTreeFiltersAndSorts()
    {
        FactTreeModel model({{u"name"_s, {}, false}, {u"at"_s, {}, true}});
        const QAbstractItemModelTester tester(&model);
        std::vector<FactNode> rows;
        for (const int i : {10, 9, 100, 2})
            rows.push_back(fact(u"row %1"_s.arg(i), std::uint64_t(i), 1,
                                {fact(u"inner %1"_s.arg(i), std::uint64_t(i), 1)}));
        model.setRows(std::move(rows));
        model.sort(1, Qt::DescendingOrder);
        QCOMPARE(model.index(0, 1).data().toString(), u"100"_s);
        QCOMPARE(model.index(3, 1).data().toString(), u"2"_s);
        model.setFilter(u"INNER 10"_s);
        QCOMPARE(model.rowCount(), 2); // 10 and 100
        QCOMPARE(model.rowCount(model.index(0, 0)), 1);
        model.setFilter(u"row 9"_s);
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.rowCount(model.index(0, 0)), 1); // what hangs below a hit stays
        QVERIFY(!model.indexOfBytes({FileOffset(10), ByteCount(1)}).isValid());
        model.setFilter({});
        model.sort(-1);
        QCOMPARE(model.index(0, 1).data().toString(), u"10"_s);
    }

    void taskList()
    {
        const BundlePtr bundle = VERIFIED(bundleOf(test::syntheticH13(300)));
        Progress progress;
        TaskListModel model;
        const QAbstractItemModelTester tester(&model);
        model.setRows(report::taskRows(*bundle, progress));
        QCOMPARE(model.rowCount(), 300);
        QCOMPARE(model.taskAt(299)->lanes, 3U);
        const std::uint64_t second = model.taskAt(1)->fileOffset;
        QCOMPARE(model.taskOfByte(FileOffset(second)), 1U);
        QCOMPARE(model.taskOfByte(FileOffset(second + model.taskAt(1)->bytes)),
                 kNoIndex); // padding
        QCOMPARE(model.taskOfByte(FileOffset(0)), kNoIndex);
        model.sort(model.columnOf("lanes"), Qt::DescendingOrder);
        QCOMPARE(model.numberAt(0), 299U);
        QCOMPARE(model.rowOf(299), 0);
        model.setFilter(u"628"_s);
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.rowOf(0), -1);
        model.setFilter({});
        model.sort(-1);
        QCOMPARE(model.numberAt(0), 0U);
        progress.cancel();
        QVERIFY(report::taskRows(*bundle, progress).size() < 300);
    }

    /// A task whose registers do not say its channels is not one of 0 channels.
    void unknownExtentsAreNotNone()
    {
        TaskRow open, known;
        open.cout = 16;
        known.cin = 0;
        known.cout = known.kernelWidth = known.kernelHeight = 3;
        TaskListModel model;
        const QAbstractItemModelTester tester(&model);
        model.setRows({known, open});
        const auto cell = [&model](int row, const char *key) {
            return model.index(row, model.columnOf(key)).data().toString();
        };
        QCOMPARE(cell(0, "channels"), u"0 \u2192 3"_s);
        QCOMPARE(cell(1, "channels"), u"? \u2192 16"_s);
        QCOMPARE(cell(0, "kernel"), u"3\u00D73"_s);
        QCOMPARE(cell(1, "kernel"), u"?\u00D7?"_s);
        model.sort(model.columnOf("kernel"), Qt::AscendingOrder);
        QCOMPARE(cell(0, "kernel"), u"?\u00D7?"_s);
    }

    void docksSayWhatTheyNeed()
    {
        auto [session, tasks] = Alone<TasksDock>();
        RelocationsDock relocations(session);
        CommandsDock commands(session);
        DescriptorDock descriptor(session);
        const std::initializer_list<Dock *> docks{&tasks, &relocations, &commands, &descriptor};
        for (Dock *dock : docks) {
            QVERIFY(showDock(*dock));
            QVERIFY(!dock->showsContent());
        }
        session.setBundle(test::openSample("dense"));
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

    void relocationsLoadAndTakeBack()
    {
        auto [session, dock] = Alone<RelocationsDock>();
        QVERIFY(showDock(dock, session, bundleOf(test::syntheticH18g())));
        QCOMPARE(dock.model().rowCount(), 9);
        const QModelIndex first = dock.model().index(0, 0);
        QCOMPARE(cell(first, 5), u"__KERN_0,__kern_0"_s);
        QVERIFY(cell(first, 7).isEmpty());
        const auto before = session.bundle()->files().front().file->modified();
        dock.load(u"0x240000000"_s);
        QVERIFY(cell(dock.model().index(0, 0), 7).startsWith(u"0x2400"_s));
        QCOMPARE(cell(dock.model().index(0, 0), 7), cell(dock.model().index(0, 0), 8));
        QCOMPARE(session.bundle()->files().front().file->modified(), before); // nothing is written
        dock.takeBack();
        QVERIFY(cell(dock.model().index(0, 0), 7).isEmpty());
        dock.view().setCurrentIndex(dock.model().index(1, 0));
        QCOMPARE(session.place().bytes->bytes.value, 8ULL);
    }

    void relocationsRefuse()
    {
        auto [session, dock] = Alone<RelocationsDock>();
        QVERIFY(showDock(dock, session, bundleOf(test::syntheticH18g())));
        dock.load(u"0x40000000000"_s);
        QCOMPARE(cell(dock.model().index(0, 0), 7), u"refused"_s);
        QVERIFY(dock.model().index(0, 0).data(Qt::ToolTipRole).toString().contains(u"42 bits"_s));
        dock.load(u"0x10"_s);
        QVERIFY(dock.model().index(0, 0).data(Qt::ToolTipRole).toString().contains(u"64"_s));
        dock.takeBack();
        dock.load(u"nowhere"_s);
        QVERIFY(cell(dock.model().index(0, 0), 7).isEmpty());
        dock.strip(u"0x1000"_s);
        QCOMPARE(cell(dock.model().index(0, 0), 7), u"refused"_s);
    }

    void commandsAndSymbols()
    {
        auto [session, dock] = Alone<CommandsDock>();
        QVERIFY(showDock(dock, session, bundleOf(test::syntheticH13())));
        const FactTreeModel &model = dock.commands();
        const QModelIndex header = model.index(0, 0);
        QCOMPARE(model.rowCount(header), 8);
        QCOMPARE(cell(model.index(0, 0, header), 1), u"0xbeefface"_s);
        const QModelIndex port = child(model, {}, u"port probs@output"_s);
        QVERIFY(cell(port, 2).startsWith(u"output"_s));
        const QModelIndex window = child(model, {}, u"segment_64 __FVMLIB"_s);
        QVERIFY(cell(window, 2).contains(u"virtual window"_s));
        dock.commandView().setCurrentIndex(child(model, port, u"extent C"_s));
        QCOMPARE(session.place().bytes->bytes.value, 4ULL);
        const QModelIndex kernel = dock.symbols().index(0, 0);
        QVERIFY(cell(kernel, 4).contains(u"lane 0"_s));
        const QModelIndex frame = dock.symbols().index(5, 0);
        QVERIFY2(cell(frame, 4).contains(u"c 3 (stride 64)"_s), qPrintable(cell(frame, 4)));
        // A place elsewhere finds its command.
        session.goToBytes(0, {FileOffset(8), ByteCount(1)});
        QCOMPARE(cell(dock.commandView().currentIndex(), 0), u"cpu subtype"_s);
    }

    void descriptorLists()
    {
        auto [session, dock] = Alone<DescriptorDock>();
        QVERIFY(showDock(dock, session, bundleOf(test::syntheticH13())));
        QCOMPARE(dock.chooser().count(), 1); // one task of eight loads a kernel
        QCOMPARE(dock.model().rowCount(), 6);
        const QModelIndex weights = dock.model().index(5, 0);
        QCOMPARE(cell(weights, 0), u"weights"_s);
        QVERIFY(cell(weights, 1).contains(u"float16"_s) || cell(weights, 1).contains(u"fp16"_s));
        QCOMPARE(cell(weights, 3), u"9"_s);
        QCOMPARE(cell(weights, 4), u"192"_s);
        static const QRegularExpression nine(u"weights: *\\(\\d+, \\d+, 9, \\d+\\)"_s);
        QVERIFY2(dock.listing().contains(nine), qPrintable(dock.listing()));
    }

    void everyVersionShows_data()
    {
        const auto row = addColumns<test::Bytes>();
        row("synthetic H14", test::syntheticH14());
        row("synthetic H16", test::syntheticH16());
        row("synthetic H18", test::syntheticH18());
        row("synthetic H18g", test::syntheticH18g());
        row("synthetic M11", test::syntheticOf(8, 8));
    }

    void everyVersionShows()
    {
        const auto [content] = fetched<test::Bytes>();
        auto [session, tasks] = Alone<TasksDock>();
        RelocationsDock relocations(session);
        CommandsDock commands(session);
        const QAbstractItemModelTester registers(&tasks.registers());
        const QAbstractItemModelTester slotRows(&relocations.model());
        const QAbstractItemModelTester commandRows(&commands.commands());
        QVERIFY(showDock(tasks, session, bundleOf(content)));
        QVERIFY(showDock(relocations));
        QVERIFY(showDock(commands));
        QVERIFY(tasks.showsContent() && commands.showsContent());
        QVERIFY(tasks.registers().rowCount() > 1);
        relocations.load(u"0x10000000"_s);
        session.setBundle(nullptr);
        QVERIFY(test::settle(tasks) && test::settle(relocations) && test::settle(commands));
        QVERIFY(tasks.registers().isEmpty());
    }

    // The groups of a weight section as a table and as a map, on a section made here.
    void rowsCoverTheChannels()
    {
        const BundlePtr bundle = VERIFIED(madeSection());
        QCOMPARE(bundle->weights().size(), 1U);
        const auto rows = groupRows(*bundle, 0);
        QVERIFY(!rows.empty());
        std::set<std::uint64_t> channels;
        for (const GroupRow &row : rows) {
            QVERIFY(row.core < 4);
            QVERIFY(row.channels > 0);
            QVERIFY(row.bytes.bytes.value > 0);
            for (std::uint64_t i = 0; i < row.channels; ++i)
                channels.insert(row.firstChannel + i);
        }
        QCOMPARE(channels.size(), std::size_t(kOutputs));
        QCOMPARE(*channels.rbegin(), kOutputs - 1);
        QVERIFY(groupRows(*bundle, 5).empty());
    }

    void modelKeepsItsContract()
    {
        const BundlePtr bundle = VERIFIED(madeSection());
        GroupModel model;
        const QAbstractItemModelTester tester(&model);
        model.setRows(groupRows(*bundle, 0));
        QVERIFY(model.rowCount() > 0);
        QCOMPARE(model.rowOfChannel(kOutputs), -1);
        const int row = model.rowOfChannel(kOutputs - 1);
        QVERIFY(row >= 0);
        for (int column = 0; column < model.columnCount(); ++column) {
            QVERIFY(!model.headerData(column, Qt::Horizontal).toString().isEmpty());
            QVERIFY(model.index(row, column).data().isValid());
        }
        model.setRows({});
        QCOMPARE(model.rowCount(), 0);
    }

    void dockShowsAndFollows()
    {
        const BundlePtr bundle = VERIFIED(madeSection());
        auto [session, dock] = Alone<GroupsDock>();
        session.setBundle(bundle);
        session.goToWeight(0);
        QVERIFY(test::showDock(dock));
        QCOMPARE(dock.table().model()->rowCount(), dock.model().rowCount());
        QVERIFY(dock.model().rowCount() > 1);
        QVERIFY(!dock.map().accessibleName().isEmpty());

        dock.table().setFocus();
        dock.table().setCurrentIndex(dock.table().model()->index(0, 0));
        QTest::keyClick(&dock.table(), Qt::Key_Down);
        QVERIFY(session.place().bytes.has_value());
        const auto &rows = dock.model().rows();
        const ByteRange chosen = *session.place().bytes;
        QVERIFY(std::ranges::any_of(rows, [&](const GroupRow &row) {
            return row.bytes.offset == chosen.offset && row.bytes.bytes == chosen.bytes;
        }));
    }

    /// A hardware container's weight: what each engine core loads, by the slices of its lanes.
    void lanesOfAContainer()
    {
        const BundlePtr bundle = VERIFIED(bundleOf(test::syntheticH13()));
        auto [session, dock] = Alone<GroupsDock>();
        const QAbstractItemModelTester tester(&dock.model());
        QVERIFY(test::showDock(dock, session, bundle));
        std::size_t seen = 0;
        for (std::size_t i = 0; i < bundle->weights().size(); ++i) {
            const Weight &weight = bundle->weights()[i];
            session.goToWeight(i);
            QCOMPARE(dock.model().rowCount(), int(weight.lanePieces.size()));
            if (weight.lanePieces.empty())
                continue;
            ++seen;
            std::set<std::uint64_t> channels;
            for (const GroupRow &row : dock.model().rows()) {
                for (const ChannelRun &run : row.runs) {
                    for (std::uint64_t c = 0; c < run.count; ++c)
                        QVERIFY(channels.insert(run.first + c).second);
                }
                QVERIFY(weight.operands().front().place->holds(row.bytes));
            }
            if (!channels.empty())
                QCOMPARE(channels.size(), std::size_t(weight.shape.front()));
            // A byte of a slice chosen elsewhere chooses its row; a row chooses its bytes.
            const GroupRow &last = dock.model().rows().back();
            session.goToBytes(0, {last.bytes.offset, ByteCount(1)});
            QCOMPARE(dock.map().current(), dock.model().rowCount() - 1);
            dock.table().setCurrentIndex(dock.table().model()->index(0, 0));
            QVERIFY(std::ranges::any_of(weight.lanePieces, [&](const LanePiece &piece) {
                return piece.bytes == session.place().bytes;
            }));
        }
        QVERIFY(seen > 0);
    }

    /// Two streams that load the same slices: rows for both places, one picture.
    void copiesOfAFurtherStream()
    {
        const auto kernel = test::sparseKernel(lanes::SparseForm::H14).kernel;
        const BundlePtr bundle = VERIFIED(bundleOf(test::twoStreams(kernel, kernel)));
        const auto rows = groupRows(*bundle, 0);
        GroupModel model;
        const QAbstractItemModelTester tester(&model);
        model.setRows(rows);
        const std::size_t own = model.rowsWithoutCopies();
        QVERIFY(own > 0);
        QCOMPARE(rows.size(), 2 * own);
        QVERIFY(!model.isAbsent(model.columnOf("copy")));
        for (const char *key : {"codebook", "word_2", "word_11"})
            QVERIFY2(model.isAbsent(model.columnOf(key)), key);
        const auto &content = *bundle->files().front().file;
        for (std::size_t i = 0; i < own; ++i) {
            const GroupRow &row = rows[i], &copy = rows[own + i];
            QCOMPARE(row.copy, 0U);
            QCOMPARE(copy.copy, 1U);
            QCOMPARE(copy.core, row.core);
            QCOMPARE(copy.runs, row.runs);
            QCOMPARE(copy.bytes.bytes, row.bytes.bytes);
            QVERIFY(copy.bytes.offset.value > row.bytes.offset.value);
            for (std::uint64_t byte = 0; byte < row.bytes.bytes.value; ++byte)
                QCOMPARE(content.bytes()[copy.bytes.offset.value + byte],
                         content.bytes()[row.bytes.offset.value + byte]);
        }
        QCOMPARE(model.rowOfByte(rows.back().bytes.offset), int(rows.size()) - 1);
        auto [session, dock] = Alone<GroupsDock>();
        session.setBundle(bundle);
        session.goToWeight(0);
        QVERIFY(test::showDock(dock));
        auto *table = VERIFIED(dock.findChild<QTableView *>());
        QCOMPARE(table->model()->rowCount(), int(rows.size()));
    }

    void descriptorOfASection()
    {
        const BundlePtr bundle = VERIFIED(madeSection());
        auto [session, dock] = Alone<DescriptorDock>();
        QVERIFY(test::showDock(dock, session, bundle));
        QVERIFY(dock.showsContent());
        const section::WeightSection &section = *bundle->section();
        QCOMPARE(dock.chooser().count(), int(section.units.size()));
        session.goToBytes(0, {section.units[2].range(section::Kind::Weights).offset, ByteCount(4)});
        QCOMPARE(dock.chooser().currentIndex(), 2);
        QVERIFY(dock.listing().contains(QString::fromStdString(
            format::printKernelUnit(section::kernelUnit(section.units[2])))));
        dock.chooser().setCurrentIndex(1);
        const std::uint64_t record = section.unitTable + section::kUnitBytes;
        QCOMPARE(session.place().bytes->offset.value, record);
        const auto name = [&](std::uint64_t offset) {
            return fromUtf8(fieldAt(*bundle, 0, FileOffset(offset)).text);
        };
        QVERIFY(name(4).contains(u"version"_s));
        QVERIFY(name(record + 0x1c).contains(u"unit 1: number of cores"_s));
        QVERIFY(name(record + 0x80 + 5 * 32 + 0x18).contains(u"unit 1, weights: bytes"_s));
        const std::uint64_t groups = section.units[1].range(section::Kind::Ocgs).offset.value;
        QVERIFY(name(groups + 4).contains(u"record 0: channels"_s));
        QVERIFY(name(groups + 56 + 40).contains(u"record 1: address slot: palette"_s));
    }

    void saysWhatItNeeds()
    {
        auto [session, dock] = Alone<GroupsDock>();
        session.setBundle(test::openSample("dense"));
        session.goToWeight(0);
        QVERIFY(test::showDock(dock));
        QCOMPARE(dock.model().rowCount(), 0);
    }

    /// A weight section has no tasks, commands or slots of those docks: they say where it has what.
    void otherDocksPointToTheGroups()
    {
        auto [session, tasks] = Alone<TasksDock>();
        CommandsDock commands(session);
        RelocationsDock relocations(session);
        session.setBundle(madeSection());
        for (Dock *dock : std::initializer_list<Dock *>{&tasks, &commands, &relocations}) {
            QVERIFY(test::showDock(*dock));
            QVERIFY(!dock->showsContent());
            QVERIFY2(test::says(*dock, u"Groups (Ctrl+Alt+5)"_s), qPrintable(dock->id()));
        }
    }
};

KERNSCOPE_TEST(TestHardwareDocks, QApplication)
#include "tst_hardware_docks.moc"
