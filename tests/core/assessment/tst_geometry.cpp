// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/geometry.h"
#include "tests/test_program.h"

using namespace kernscope::decision;

namespace {

const target::Target &chipNamed(const char *name)
{
    return *target::findTarget(name)->target;
}

LayerOperation squareConvolution(std::uint64_t kernel, std::uint64_t channels = 256)
{
    LayerOperation operation;
    operation.inputChannels = operation.outputChannels = channels;
    operation.kernelWidth = operation.kernelHeight = kernel;
    operation.outputWidth = operation.outputHeight = 32;
    operation.inputElements = paddedInputElements(operation).value_or(0);
    return operation;
}

const Condition *find(const std::vector<Condition> &conditions, const char *name)
{
    for (const Condition &condition : conditions) {
        if (condition.name == name)
            return &condition;
    }
    return nullptr;
}

} // namespace

class TestGeometry : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aPointwiseConvolutionOnTheM1()
    {
        const auto geometry = VERIFIED(computeGeometry(chipNamed("M1"), squareConvolution(1)));
        QCOMPARE(geometry->cores.value.value_or(0), 4U);
        QCOMPARE(geometry->group, 16U); // 8 x 2 channels, cap 32
        QCOMPARE(geometry->passes, 16U);
        QCOMPARE(geometry->lit.value_or(0), 4U);
        QCOMPARE(geometry->otherGroup, 8U);
        QCOMPARE(geometry->cycles.macs.value_or(0), std::uint64_t(256) * 256 * 1024);
        // Extents that are not known give no figure; they are not 1.
        LayerOperation open;
        open.outputKnown = false;
        open.inputElements = 100;
        const auto unknown = computeGeometry(*target::findTarget("M1")->target, open);
        QVERIFY(unknown && !unknown->cycles.macs && !unknown->cycles.dense);
        QVERIFY(!unknown->workingSet.outputBytes && !unknown->workingSet.fits);
        QCOMPARE(geometry->cycles.fixedCycles.value_or(0), 44U);
        // Table 20.5 is about at most four channels: it says nothing of 256.
        QVERIFY(!geometry->cycles.measuredRate && !geometry->litMeasured);
        QCOMPARE(geometry->workingSet.cap.value_or(0), std::uint64_t(2) << 20);
        QCOMPARE(geometry->workingSet.fits.value_or(false), true);
        QVERIFY(geometry->costed.size() >= 7);
    }

    /// Cores that are not known are not one core, and operands that are not known do not fit.
    void unknownFactsMakeNoFigures()
    {
        LayerOperation operation = squareConvolution(1);
        operation.density = 0.5;
        const auto peer = computeGeometry(chipNamed("H11"), operation);
        QVERIFY(peer && !peer->lit);
        QVERIFY(!peer->cycles.dense && !peer->cycles.withZeroSkip && !peer->cycles.skipShare);
        QVERIFY(peer->cycles.sparseRatio && !peer->cycles.fixedCycles);
        const auto m2 = computeGeometry(chipNamed("M2"), operation);
        QVERIFY(m2->cycles.dense && !m2->cycles.fixedCycles);
        operation.inputElements = 0;
        QVERIFY(!computeGeometry(chipNamed("M1"), operation)->workingSet.fits);
        operation.outputWidth = std::uint64_t(1) << 20; // its output alone is too large
        QCOMPARE(computeGeometry(chipNamed("M1"), operation)->workingSet.fits.value_or(true),
                 false);
    }

    /// The working set: a measured knee goes before the compiler's constant, and both are named.
    void workingSetOfAChip()
    {
        LayerOperation operation = squareConvolution(1);
        operation.inputElements = 1024;
        operation.outputWidth = operation.outputHeight = 1;
        operation.outputChannels = operation.inputChannels = 1024; // 2 MiB as fp16
        const auto cap = [&](const char *chip) {
            return computeGeometry(chipNamed(chip), operation)->workingSet.cap.value_or(0);
        };
        QCOMPARE(cap("M1"), std::uint64_t(2) << 20);
        QCOMPARE(cap("M2"), std::uint64_t(2) << 20);
        QCOMPARE(cap("M5"), std::uint64_t(4'720'000));
        const auto told = [&](const char *chip) {
            const auto lines = computeGeometry(chipNamed(chip), operation)->disagreements;
            return std::ranges::any_of(lines, [](const std::string &line) {
                return line.find("2097152 bytes") != line.npos;
            });
        };
        QVERIFY(told("M5") && !told("M1") && !told("M2"));
        // A weight that is stored smaller than the cap, and larger as fp16.
        operation.outputChannels = 2048;
        operation.weightBits = 4;
        QVERIFY(!computeGeometry(chipNamed("M1"), operation)->workingSet.fits);
        operation.weightBits = 16;
        QCOMPARE(computeGeometry(chipNamed("M1"), operation)->workingSet.fits.value_or(true),
                 false);
    }

    void tableTwentyFiveHoldsUnderItsCondition()
    {
        for (std::uint64_t channels = 1; channels <= 4; ++channels) {
            LayerOperation operation = squareConvolution(1, channels);
            const auto few = computeGeometry(chipNamed("M1"), operation);
            QVERIFY(few && few->cycles.measuredRate);
            QCOMPARE(few->litMeasured.value_or(0), channels);
            // Listing 20.2 lights a power of two: shown as contested where they differ.
            QCOMPARE(few->disagreements.empty(), few->lit == few->litMeasured);
            operation.kernelWidth = 3;
            QVERIFY(!computeGeometry(chipNamed("M1"), operation)->cycles.measuredRate);
            QVERIFY(!computeGeometry(chipNamed("M2"), operation)->litMeasured);
        }
        QVERIFY(!computeGeometry(chipNamed("M1"), squareConvolution(1, 3))->disagreements.empty());
    }

    void theMeasuredStepIsShownBesideThePasses()
    {
        for (const std::uint64_t channels : {192U, 256U}) {
            const auto geometry = computeGeometry(chipNamed("M1"), squareConvolution(1, channels));
            QCOMPARE(geometry->disagreements.size(), 1U);
            QVERIFY(geometry->disagreements[0].find("from 20 to 61 us") != std::string::npos);
        }
        QVERIFY(computeGeometry(chipNamed("M1"), squareConvolution(1, 128))->disagreements.empty());
        QVERIFY(computeGeometry(chipNamed("M2"), squareConvolution(1, 256))->disagreements.empty());
    }

    void lanesFollowTheTypes()
    {
        LayerOperation operation = squareConvolution(1);
        operation.kernelFormat = 1; // int8 weights under fp16 activations
        QCOMPARE(computeGeometry(chipNamed("M1"), operation)->cycles.lanes, 4U);
        operation.tensorFormat = 1;
        const auto eight = computeGeometry(chipNamed("M1"), operation);
        QVERIFY(eight->cycles.lanes == 8 && eight->cycles.doubleMac);
        QVERIFY(isDoubleMac(5, 12) && isDoubleMac(2, 1));
        QVERIFY(!isDoubleMac(1, 12) && !isDoubleMac(5, 1) && !isDoubleMac(4, 3));
    }

    void coresLitFollowTheChannels_data()
    {
        QTest::addColumn<quint64>("lit");
        for (const auto &[channels, lit] :
             {std::pair(1, 1), {2, 2}, {3, 4}, {4, 4}, {5, 8}, {9, 16}, {1000, 16}})
            QTest::addRow("%d", channels) << quint64(lit);
    }
    void coresLitFollowTheChannels()
    {
        QFETCH(quint64, lit);
        QCOMPARE(quint64(coresLit(QByteArray(QTest::currentDataTag()).toULongLong(), 16)), lit);
        QCOMPARE(quint64(coresLit(UINT64_MAX, 64)), quint64(64));
    }

    void buffering()
    {
        for (std::uint64_t demand = 0; demand <= 4; ++demand)
            QCOMPARE(bufferingOf(demand), Buffering::Double);
        for (std::uint64_t demand = 5; demand <= 8; ++demand)
            QCOMPARE(bufferingOf(demand), Buffering::Single);
        QCOMPARE(bufferingOf(9), Buffering::Exceeds);
        GeometryOptions options;
        options.demand = 4;
        QCOMPARE(computeGeometry(chipNamed("M1"), squareConvolution(1), options)->buffering,
                 Buffering::Double);
    }

    void tinySources()
    {
        LayerOperation operation = squareConvolution(1);
        operation.outputWidth = operation.outputHeight = 4;
        QCOMPARE(computeGeometry(chipNamed("M1"), operation)->mode, SourceMode::Tiny);
        operation.outputWidth = operation.outputHeight = 1;
        QCOMPARE(computeGeometry(chipNamed("M1"), operation)->mode, SourceMode::Default);
        GeometryOptions options;
        options.mode = SourceMode::Small;
        QCOMPARE(computeGeometry(chipNamed("M1"), operation, options)->perAccumulator, 4U);
    }

    void winogradOfADenseThreeByThree()
    {
        const auto geometry = VERIFIED(computeGeometry(chipNamed("M1"), squareConvolution(3)));
        const WinogradGate &gate = geometry->winograd;
        QCOMPARE(int(gate.conditions.size()), 8);
        QCOMPARE(gate.eligible.value_or(false), true);
        QCOMPARE(gate.threshold, 16U);
        QCOMPARE(gate.work, std::uint64_t(2 * 9 * 2));
        QCOMPARE(int(gate.tiles.size()), 2);
        QCOMPARE(gate.tiles[1].input, 6U);
        // The enable bit was read on the M1 alone.
        const auto other = computeGeometry(chipNamed("H14"), squareConvolution(3));
        QVERIFY(!other->winograd.eligible);
        QVERIFY(!find(other->winograd.conditions, "enable bit")->holds);
    }

    void winogradRefusals_data()
    {
        QTest::addColumn<QString>("condition");
        for (const char *name : {"kernel type", "input format", "one axis is 3", "orthogonal axis",
                                 "no depth", "unit stride", "work"})
            addRow(name, QString::fromUtf8(name));
    }
    void winogradRefusals()
    {
        QFETCH(QString, condition);
        LayerOperation operation = squareConvolution(3);
        if (condition == u"kernel type")
            operation.kernelFormat = 2;
        else if (condition == u"input format")
            operation.tensorFormat = 12;
        else if (condition == u"one axis is 3")
            operation.kernelWidth = operation.kernelHeight = 5;
        else if (condition == u"orthogonal axis")
            operation.kernelHeight = 7;
        else if (condition == u"no depth")
            operation.kernelDepth = 3;
        else if (condition == u"unit stride")
            operation.strideX = 2;
        else if (condition == u"work")
            operation.kernelHeight = 1, operation.workUnitMode = 1;
        const auto geometry = VERIFIED(computeGeometry(chipNamed("M1"), operation));
        QCOMPARE(geometry->winograd.eligible.value_or(true), false);
        const Condition *failed = find(geometry->winograd.conditions, condition.toUtf8());
        QVERIFY(failed && failed->holds);
        QCOMPARE(*failed->holds, false);
        if (condition == u"work")
            QCOMPARE(geometry->winograd.threshold, 32U);
    }

    void winogradThresholdsAndSparseWeights()
    {
        LayerOperation operation = squareConvolution(3);
        operation.floatWeight = false;
        operation.kernelFormat = 1;
        operation.weightBits = 8;
        QCOMPARE(computeGeometry(chipNamed("M1"), operation)->winograd.threshold, 8U);
        operation.sparse = true;
        QCOMPARE(computeGeometry(chipNamed("M1"), operation)->winograd.eligible.value_or(true),
                 false);
    }

    void zeroSkipIsIndependentOfStorage()
    {
        LayerOperation operation = squareConvolution(1);
        operation.density = 0.37;
        for (const bool sparse : {false, true}) {
            operation.sparse = sparse;
            const CycleEstimate cycles = computeGeometry(chipNamed("M1"), operation)->cycles;
            QVERIFY(cycles.withZeroSkip);
            QVERIFY(std::abs(*cycles.skipShare - 0.63) < 0.001);
            QVERIFY(std::abs(*cycles.sparseRatio - 0.4325) < 1e-9);
        }
        operation.paddedZero = 0.5;
        QVERIFY(*computeGeometry(chipNamed("M1"), operation)->cycles.skipShare > 0.8);
    }

    /// A 3x3 with a pad of 1 at 28x28 meets padding in 4.7 % of its products.
    void paddingIsCounted()
    {
        QVERIFY(std::abs(*insideShare(28, 28, 3, 1, 1, 1) - 82.0 / 84) < 1e-12);
        QCOMPARE(samePadding(28, 28, 3, 1, 1), 1U);
        QCOMPARE(samePadding(28, 14, 3, 2, 1), 0U);
        QCOMPARE(samePadding(28, 14, 3, 2, 1, true), 1U);
        QVERIFY(!insideShare(28, 28, 3, 0, 1, 1));
        // By counting: every window and tap of a strided, dilated one.
        int inside = 0;
        for (int o = 0; o < 9; ++o) {
            for (int k = 0; k < 4; ++k) {
                const int at = o * 2 - 3 + k * 2;
                inside += at >= 0 && at < 17;
            }
        }
        QVERIFY(std::abs(*insideShare(17, 9, 4, 2, 2, 3) - inside / 36.0) < 1e-12);
        LayerOperation operation = squareConvolution(3);
        operation.outputWidth = operation.outputHeight = 28;
        operation.paddedZero = samePaddedZero(operation);
        QVERIFY(std::abs(*operation.paddedZero - (1 - 82.0 * 82 / (84 * 84))) < 1e-12);
        operation.density = 0.37;
        const CycleEstimate cycles = computeGeometry(chipNamed("M1"), operation)->cycles;
        QVERIFY(std::abs(*cycles.skipShare - (1 - 0.37 * (1 - *operation.paddedZero))) < 0.001);
        operation.density.reset(); // the padding alone
        QVERIFY(std::abs(*computeGeometry(chipNamed("M1"), operation)->cycles.skipShare -
                         *operation.paddedZero) < 0.001);
        QCOMPARE(*samePaddedZero(squareConvolution(1)), 0.0);
    }

    void wrongNumbersAreRefused()
    {
        LayerOperation zero = squareConvolution(1, 0);
        QCOMPARE(QString::fromStdString(computeGeometry(chipNamed("M1"), zero).error().code),
                 u"geometry.zero"_s);
        LayerOperation huge = squareConvolution(1, UINT64_MAX);
        QCOMPARE(QString::fromStdString(computeGeometry(chipNamed("M1"), huge).error().code),
                 u"geometry.overflow"_s);
        LayerOperation density = squareConvolution(1);
        density.density = 1.5;
        QCOMPARE(QString::fromStdString(computeGeometry(chipNamed("M1"), density).error().code),
                 u"geometry.density"_s);
        GeometryOptions options;
        options.choice.cores = 3;
        QCOMPARE(QString::fromStdString(
                     computeGeometry(chipNamed("M1"), squareConvolution(1), options).error().code),
                 u"target.claim"_s);
    }

    void unknownCoresStayUnknown()
    {
        const auto geometry = VERIFIED(computeGeometry(chipNamed("H11"), squareConvolution(1)));
        QVERIFY(!geometry->lit);
        QVERIFY(!geometry->cores.value);
    }

    void measuredRatesAreOfTheM1Alone()
    {
        QVERIFY(geometryFact(chipNamed("H13"), "throughput_4"));
        QVERIFY(!geometryFact(chipNamed("H14"), "throughput_4"));
        QVERIFY(geometryFact(chipNamed("H14"), "lanes_fp16"));
    }

    void anyExtentsEndWithoutOverflow()
    {
        quint64 state = 0x9e3779b97f4a7c15;
        const auto next = [&] {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            return state;
        };
        for (int i = 0; i < 2000; ++i) {
            LayerOperation operation;
            for (std::uint64_t *extent :
                 {&operation.inputChannels, &operation.outputChannels, &operation.kernelWidth,
                  &operation.kernelHeight, &operation.kernelDepth, &operation.outputWidth})
                *extent = next() >> (next() % 64);
            const auto geometry = computeGeometry(chipNamed(i % 2 ? "M1" : "H17d"), operation);
            if (!geometry)
                continue;
            QVERIFY(geometry->group >= 1 && geometry->group <= 32);
            QVERIFY(geometry->passes >= 1);
            QVERIFY(*geometry->lit >= 1 && *geometry->lit <= 64);
        }
    }
};

KERNSCOPE_TEST(TestGeometry, QCoreApplication)
#include "tst_geometry.moc"
