// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "core/bundle/byte_field.h"
#include "core/codec/encode/encoder.h"
#include "core/container/section/builder.h"
#include "synthetic.h"
#include "synthetic_kernels.h"
#include "tests/test_program.h"
#include "tests/widgets/sample_session.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/hardware/commands_dock.h"
#include "widgets/hardware/descriptor_dock.h"
#include "widgets/hardware/groups_dock.h"
#include "widgets/hardware/relocations_dock.h"
#include "widgets/hardware/tasks_dock.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <algorithm>
#include <set>
#include <vector>

using namespace kernscope;
using namespace kernscope::ui;

namespace {

constexpr std::uint64_t kOutputs = 40, kInputs = 8;

/// A section of one dense weight "w" of 40x8x3x3 for four cores.
BundlePtr madeSection()
{
    const Shape shape{kOutputs, kInputs, 3, 3};
    std::vector<float> values(kOutputs * kInputs * 9);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i % 97) / 64.0f;
    auto encoded = codec::encodeDense(values, shape, ElementType::Fp16);
    if (!encoded)
        return nullptr;
    auto decoder = codec::Decoder::make(encoded->encoding());
    if (!decoder)
        return nullptr;
    section::BuildWeight weight;
    weight.name = "w";
    weight.decoder = &*decoder;
    weight.geometry.outputs = kOutputs;
    weight.geometry.inputs = kInputs;
    weight.geometry.height = 3;
    weight.geometry.width = 3;
    weight.mostLanes = 8;
    section::BuildTarget target;
    target.name = "H13";
    target.cores = 4;
    auto bytes = section::buildSection(target, {weight});
    if (!bytes)
        return nullptr;
    OpenOptions options;
    options.memory = {{"w.ksec", std::move(*bytes)}};
    auto opened = Bundle::open("w.ksec", options);
    return opened ? *opened : nullptr;
}

} // namespace

/// The groups of a weight section as a table and as a map, on a section made here.
class TestGroupsDock : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }
    void rowsCoverTheChannels();
    void modelKeepsItsContract();
    void dockShowsAndFollows();
    void lanesOfAContainer();
    void copiesOfAFurtherStream();
    void descriptorOfASection();
    void saysWhatItNeeds();
    void otherDocksPointToTheGroups();
};

void TestGroupsDock::rowsCoverTheChannels()
{
    const BundlePtr bundle = madeSection();
    QVERIFY(bundle);
    QCOMPARE(bundle->weights().size(), std::size_t(1));
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

void TestGroupsDock::modelKeepsItsContract()
{
    const BundlePtr bundle = madeSection();
    QVERIFY(bundle);
    GroupModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
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

void TestGroupsDock::dockShowsAndFollows()
{
    const BundlePtr bundle = madeSection();
    QVERIFY(bundle);
    Session session;
    GroupsDock dock(session);
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
    QVERIFY(std::any_of(rows.begin(), rows.end(), [&](const GroupRow &row) {
        return row.bytes.offset == chosen.offset && row.bytes.bytes == chosen.bytes;
    }));
}

/// A hardware container's weight: what each engine core loads, by the slices of its lanes.
void TestGroupsDock::lanesOfAContainer()
{
    OpenOptions options;
    options.memory = {{"synthetic.hwx", test::syntheticH13()}};
    const auto opened = Bundle::open("synthetic.hwx", options);
    QVERIFY(opened.has_value());
    const BundlePtr bundle = *opened;
    Session session;
    GroupsDock dock(session);
    const QAbstractItemModelTester tester(&dock.model(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    session.setBundle(bundle);
    QVERIFY(test::showDock(dock));
    std::size_t seen = 0;
    for (std::size_t i = 0; i < bundle->weights().size(); ++i) {
        const Weight &weight = bundle->weights()[i];
        session.goToWeight(i);
        QCOMPARE(dock.model().rowCount(), static_cast<int>(weight.lanePieces.size()));
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
            QCOMPARE(channels.size(), static_cast<std::size_t>(weight.shape.front()));
        // A byte of a slice chosen elsewhere chooses its row; a row chooses its bytes.
        const GroupRow &last = dock.model().rows().back();
        session.goToBytes(0, {last.bytes.offset, ByteCount(1)});
        QCOMPARE(dock.map().current(), dock.model().rowCount() - 1);
        dock.table().setCurrentIndex(dock.table().model()->index(0, 0));
        QVERIFY(std::any_of(
            weight.lanePieces.begin(), weight.lanePieces.end(),
            [&](const LanePiece &piece) { return piece.bytes == session.place().bytes; }));
    }
    QVERIFY(seen > 0);
}

/// Two streams that load the same slices: rows for both places, one picture.
void TestGroupsDock::copiesOfAFurtherStream()
{
    const auto kernel = test::sparseKernel(lanes::SparseForm::H14).kernel;
    OpenOptions options;
    options.memory = {{"two.hwx", test::twoStreams(kernel, kernel)}};
    const auto opened = Bundle::open("two.hwx", options);
    QVERIFY(opened);
    const BundlePtr bundle = *opened;
    const auto rows = groupRows(*bundle, 0);
    GroupModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
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
        QCOMPARE(row.copy, std::uint64_t{0});
        QCOMPARE(copy.copy, std::uint64_t{1});
        QCOMPARE(copy.core, row.core);
        QCOMPARE(copy.runs, row.runs);
        QCOMPARE(copy.bytes.bytes, row.bytes.bytes);
        QVERIFY(copy.bytes.offset.value > row.bytes.offset.value);
        for (std::uint64_t byte = 0; byte < row.bytes.bytes.value; ++byte)
            QCOMPARE(content.bytes()[copy.bytes.offset.value + byte],
                     content.bytes()[row.bytes.offset.value + byte]);
    }
    QCOMPARE(model.rowOfByte(rows.back().bytes.offset), int(rows.size()) - 1);
    Session session;
    GroupsDock dock(session);
    session.setBundle(bundle);
    session.goToWeight(0);
    QVERIFY(test::showDock(dock));
    auto *table = dock.findChild<QTableView *>();
    QVERIFY(table);
    QCOMPARE(table->model()->rowCount(), int(rows.size()));
}

void TestGroupsDock::descriptorOfASection()
{
    const BundlePtr bundle = madeSection();
    QVERIFY(bundle);
    Session session;
    DescriptorDock dock(session);
    session.setBundle(bundle);
    QVERIFY(test::showDock(dock));
    QVERIFY(dock.showsContent());
    const section::WeightSection &section = *bundle->section();
    QCOMPARE(dock.chooser().count(), static_cast<int>(section.units.size()));
    session.goToBytes(0, {section.units[2].range(section::Kind::Weights).offset, ByteCount(4)});
    QCOMPARE(dock.chooser().currentIndex(), 2);
    QVERIFY(dock.listing().contains(
        QString::fromStdString(format::printKernelUnit(section::kernelUnit(section.units[2])))));
    dock.chooser().setCurrentIndex(1);
    const std::uint64_t record = section.unitTable + section::kUnitBytes;
    QCOMPARE(session.place().bytes->offset.value, record);
    const auto name = [&](std::uint64_t offset) {
        return fromUtf8(fieldAt(*bundle, 0, FileOffset(offset)).text);
    };
    QVERIFY(name(4).contains(QStringLiteral("version")));
    QVERIFY(name(record + 0x1c).contains(QStringLiteral("unit 1: number of cores")));
    QVERIFY(name(record + 0x80 + 5 * 32 + 0x18).contains(QStringLiteral("unit 1, weights: bytes")));
    const std::uint64_t groups = section.units[1].range(section::Kind::Ocgs).offset.value;
    QVERIFY(name(groups + 4).contains(QStringLiteral("record 0: channels")));
    QVERIFY(name(groups + 56 + 40).contains(QStringLiteral("record 1: address slot: palette")));
}

void TestGroupsDock::saysWhatItNeeds()
{
    Session session;
    GroupsDock dock(session);
    session.setBundle(test::openSample("sample-dense.mlmodelc"));
    session.goToWeight(0);
    QVERIFY(test::showDock(dock));
    QCOMPARE(dock.model().rowCount(), 0);
}

/// A weight section has no tasks, commands or slots of its own docks: they say where it has what.
void TestGroupsDock::otherDocksPointToTheGroups()
{
    Session session;
    TasksDock tasks(session);
    CommandsDock commands(session);
    RelocationsDock relocations(session);
    session.setBundle(madeSection());
    for (Dock *dock : std::initializer_list<Dock *>{&tasks, &commands, &relocations}) {
        QVERIFY(test::showDock(*dock));
        QVERIFY(!dock->showsContent());
        const auto labels = dock->findChildren<QLabel *>();
        QVERIFY2(std::any_of(labels.begin(), labels.end(),
                             [](const QLabel *label) {
                                 return label->isVisible() && label->text().contains(QStringLiteral(
                                                                  "Groups (Ctrl+Alt+5)"));
                             }),
                 qPrintable(dock->id()));
    }
}

KERNSCOPE_TEST(TestGroupsDock, QApplication)
#include "tst_groups_dock.moc"
