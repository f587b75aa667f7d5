// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "tests/test_program.h"
#include "tests/widgets/compare/compare_tools.h"
#include "tests/widgets/compare/pair_bundles.h"
#include "tests/widgets/sample_session.h"
#include "widgets/compare/byte_compare_view.h"
#include "widgets/compare/bytes_dock.h"
#include "widgets/compare/ranges_dock.h"
#include "widgets/models/theme.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <array>

using namespace kernscope;
using namespace kernscope::ui;
using kernscope::test::denseBundle;
using kernscope::test::openSample;
using kernscope::test::says;

namespace {

/// Both docks as the window joins them; that of the bytes is never shown.
struct JoinedDocks {
    Session session;
    BytesDock bytes{session};
    RangesDock ranges{session};

    JoinedDocks()
    {
        QObject::connect(&bytes, &BytesDock::differencesChanged, &ranges,
                         &RangesDock::setDifferences);
        QObject::connect(&bytes, &BytesDock::comparisonCancelled, &ranges,
                         &RangesDock::setCancelled);
        QObject::connect(&ranges, &RangesDock::differencesWanted, &bytes,
                         &BytesDock::compareHidden);
        QObject::connect(&ranges, &RangesDock::rangeWanted, &bytes, &BytesDock::goToRange);
    }
    /// Two weights, of which the second differs in two elements far from each other.
    void open()
    {
        std::vector<float> other(128, 1);
        other[0] = 2;
        other[100] = 3;
        session.setBundle(denseBundle(
            {{"w", "[2, 2]", {1, 2, 3, 4}}, {"v", "[4, 32]", std::vector<float>(128, 1)}}));
        session.setOther(denseBundle({{"w", "[2, 2]", {1, 2, 3, 4}}, {"v", "[4, 32]", other}}));
    }
    bool show()
    {
        ranges.resize(1000, 240);
        ranges.show();
        return QTest::qWaitForWindowExposed(&ranges) && settle();
    }
    bool settle()
    {
        return QTest::qWaitFor([this] { return !ranges.busy(); }, 20000);
    }
    QString cell(int row, const char *key) const
    {
        return ranges.model().index(row, ranges.model().columnOf(key)).data().toString();
    }
};

} // namespace

/// The ranges of bytes that differ, as a list.
class TestRangesDock : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { theme::apply(false); }
    void messages();
    void listsAndGoes();
    void follows();
    void editsListAnew();
    void swapped();
    void cancelled();
};

void TestRangesDock::messages()
{
    JoinedDocks docks;
    QVERIFY(docks.show());
    QVERIFY(says(docks.ranges, QStringLiteral("Open a bundle to begin")));
    docks.session.setBundle(openSample("sample-dense.mlmodelc"));
    QVERIFY(docks.settle());
    QVERIFY(says(docks.ranges, QStringLiteral("Open a second bundle")));
    docks.session.setOther(openSample("sample-dense.mlmodelc"));
    QVERIFY(docks.settle());
    QVERIFY(says(docks.ranges, QStringLiteral("Every byte is the same.")));
    QCOMPARE(docks.ranges.model().rowCount(), 0);
}

void TestRangesDock::listsAndGoes()
{
    JoinedDocks docks;
    QAbstractItemModelTester tester(docks.ranges.table()->model(),
                                    QAbstractItemModelTester::FailureReportingMode::QtTest);
    docks.open();
    QVERIFY(docks.show());
    QVERIFY(docks.ranges.showsContent());
    QVERIFY(!docks.bytes.isVisible());
    QCOMPARE(docks.ranges.model().rowCount(), 2);
    QCOMPARE(docks.cell(0, "part"), QStringLiteral("v: data"));
    QCOMPARE(docks.cell(0, "elements"), QStringLiteral("[0,0]"));
    QCOMPARE(docks.cell(1, "elements"), QStringLiteral("[3,4]"));

    QSignalSpy raised(&docks.ranges, &RangesDock::raiseRequested);
    docks.ranges.table()->selectRow(1);
    QCOMPARE(docks.session.place().weight, std::size_t{1});
    QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(100));
    QCOMPARE(raised.count(), 0);
    Q_EMIT docks.ranges.table()->activated(docks.ranges.model().index(0, 0));
    QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(0));
    QCOMPARE(raised.count(), 1);
    QCOMPARE(raised[0][0].toString(), QStringLiteral("bytes"));
    // The bytes show the place as soon as somebody looks.
    docks.bytes.resize(1000, 400);
    docks.bytes.show();
    QVERIFY(QTest::qWaitForWindowExposed(&docks.bytes));
    QVERIFY(QTest::qWaitFor([&] { return !docks.bytes.busy(); }, 20000));
    QCOMPARE(docks.bytes.differences() != nullptr, true);
    QVERIFY(docks.bytes.view()->cursorText().contains(QStringLiteral("v: data")));
    QCOMPARE(docks.ranges.model().rowCount(), 2);
    QVERIFY(docks.ranges.showsContent());
}

void TestRangesDock::follows()
{
    JoinedDocks docks;
    docks.open();
    QVERIFY(docks.show());
    docks.session.goToElement(1, 100);
    const Weight &weight = docks.session.bundle()->weights()[1];
    const OperandPlace &part = *weight.operands().front().place;
    Place place;
    place.file = part.file;
    place.bytes = ByteRange{FileOffset(part.dataOffset.value + 201), ByteCount(1)};
    docks.session.goTo(place);
    QCOMPARE(docks.ranges.table()->currentIndex().row(), 1);
    QCOMPARE(docks.session.place().bytes->offset.value, part.dataOffset.value + 201); // stays
}

void TestRangesDock::editsListAnew()
{
    JoinedDocks docks;
    docks.open();
    QVERIFY(docks.show());
    Session &session = docks.session;
    session.tasks().quiesce();
    const OperandPlace &part = *session.bundle()->weights()[0].operands().front().place;
    const auto &file = session.bundle()->files()[part.file].file;
    const std::array<std::byte, 1> content{std::byte{0x7}};
    QVERIFY(file->write(FileOffset(part.dataOffset.value), content));
    session.updateBundle(*session.bundle()->reread());
    QVERIFY(QTest::qWaitFor([&] { return !docks.ranges.busy(); }, 20000));
    QCOMPARE(docks.ranges.model().rowCount(), 3);
    QCOMPARE(docks.cell(0, "part"), QStringLiteral("w: data"));
}

void TestRangesDock::swapped()
{
    JoinedDocks docks;
    docks.session.setBundle(denseBundle({{"w", "[1, 4]", {1, 2, 3, 4}}}));
    docks.session.setOther(denseBundle({{"w", "[1, 4]", {1, 2, 3, 5}}}));
    QVERIFY(docks.show());
    docks.bytes.setSwapped(true);
    QVERIFY(docks.settle());
    QCOMPARE(docks.ranges.model().rowCount(), 1);
    docks.ranges.table()->selectRow(0);
    QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(3));
}

void TestRangesDock::cancelled()
{
    JoinedDocks docks;
    docks.open();
    docks.ranges.show();
    QVERIFY(QTest::qWaitForWindowExposed(&docks.ranges));
    QVERIFY(QTest::qWaitFor([&] {
        docks.session.tasks().cancelAll();
        return says(docks.ranges, QStringLiteral("The comparison was cancelled."));
    }));
    QVERIFY(!docks.ranges.busy());
    QAction *again = docks.ranges.menuActions().front();
    QVERIFY(again->isEnabled());
    again->trigger();
    QVERIFY(docks.settle());
    QCOMPARE(docks.ranges.model().rowCount(), 2);
    QVERIFY(!again->isEnabled());
}

KERNSCOPE_TEST(TestRangesDock, QApplication)
#include "tst_ranges_dock.moc"
