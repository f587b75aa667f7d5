// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/compare.h"
#include "tests/test_program.h"

using Kind = PairSeverity::Kind;

namespace {

ComparedPair pairWith(std::uint64_t equal, std::uint64_t changed, double maxAbs)
{
    ComparedPair pair;
    pair.a = pair.b = 0;
    pair.shapeEqual = true;
    pair.values.emplace();
    pair.values->equal = equal;
    pair.values->changed = changed;
    pair.values->relativeRmse = pair.values->maxAbs = maxAbs;
    return pair;
}

} // namespace

/// The order in which a comparison is read: the worst first.
class TestSeverity : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void kinds()
    {
        ComparedPair alone;
        alone.b = 3;
        QCOMPARE(severityOf(alone).kind, Kind::OneSided);
        ComparedPair pair = pairWith(4, 0, 0);
        QCOMPARE(severityOf(pair).kind, Kind::SameValues);
        pair.storedEqual = true;
        QCOMPARE(severityOf(pair).kind, Kind::Identical);
        QCOMPARE(severityOf(pairWith(3, 1, 0.5)), (PairSeverity{Kind::Differs, 0.5, 0.5, 1}));
        ComparedPair infinite = pairWith(3, 1, 0);
        infinite.values->notFinite = 1;
        QCOMPARE(severityOf(infinite).kind, Kind::NotFinite);

        ComparedPair unknown;
        unknown.a = unknown.b = 0;
        unknown.shapeEqual = true;
        QCOMPARE(severityOf(unknown).kind, Kind::Unknown);
        unknown.storedEqual = true;
        QCOMPARE(severityOf(unknown).kind, Kind::Identical); // known without the values
        unknown.storedEqual = false;
        unknown.fault = Error{};
        QCOMPARE(severityOf(unknown).kind, Kind::NotComparable);
        unknown.fault.reset();
        unknown.damaged = unknown.storedEqual = true; // nothing was read
        QCOMPARE(severityOf(unknown).kind, Kind::NotComparable);
        unknown.damaged = unknown.storedEqual = false;
        unknown.shapeEqual = false;
        QCOMPARE(severityOf(unknown).kind, Kind::NotComparable);
        unknown.reshaped = true;
        QCOMPARE(severityOf(unknown).kind, Kind::SameValues);

        ComparedPair part;
        part.a = part.b = 0;
        part.slice.emplace();
        part.shapeEqual = true;
        QCOMPARE(severityOf(part).kind, Kind::Unknown);
        part.values = pairWith(3, 1, 2).values;
        QCOMPARE(severityOf(part), (PairSeverity{Kind::Differs, 2, 2, 1}));
        part.values.reset();
        part.fault = Error{};
        QCOMPARE(severityOf(part).kind, Kind::NotComparable);
    }

    void order()
    {
        // A small weight that is far off comes before a large one that is not, whatever the
        // numbers.
        const std::vector<PairSeverity> severities{
            {Kind::Identical},        {Kind::Differs, 0.5, 9, 9}, {Kind::Differs, 2, 1, 1},
            {Kind::Differs, 2, 1, 9}, {Kind::NotComparable},      {Kind::OneSided},
            {Kind::SameValues},       {Kind::Differs, 0.5, 9, 9}, {Kind::NotFinite, 0.1, 0, 1},
            {Kind::Unknown}};
        QCOMPARE(worstFirst(severities), (std::vector<std::size_t>{4, 5, 8, 3, 2, 1, 7, 9, 6, 0}));
        for (const PairSeverity &x : severities) {
            for (const PairSeverity &y : severities)
                QCOMPARE(worse(x, y) || worse(y, x), x != y);
        }
        QVERIFY(worstFirst({}).empty());
    }
};

KERNSCOPE_TEST(TestSeverity, kernscope::test::NoApplication)
#include "tst_severity.moc"
