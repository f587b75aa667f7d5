// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encoder.h"
#include "core/container/section/builder.h"
#include "tests/widgets/sample_session.h"
#include "widgets/docks/groups_dock.h"
#include "widgets/theme/theme.h"
#include "widgets/views/group_map.h"

#include <QAbstractItemModelTester>
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
    void saysWhatItNeeds();
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

void TestGroupsDock::saysWhatItNeeds()
{
    Session session;
    GroupsDock dock(session);
    session.setBundle(test::openSample("sample-dense.mlmodelc"));
    session.goToWeight(0);
    QVERIFY(test::showDock(dock));
    QCOMPARE(dock.model().rowCount(), 0);
}

QTEST_MAIN(TestGroupsDock)
#include "tst_groups_dock.moc"
