// SPDX-License-Identifier: GPL-3.0-or-later
// Stream or fold: tables 7.1 and 7.2, and every condition of chapter 25.
#include "tests/test_program.h"

using namespace kernscope::decision;

namespace {

WeightForm form(const QString &name)
{
    WeightForm made;
    made.elements = 4096;
    made.storedBytes = made.denseBytes = 8192;
    made.use.unitStride = true;
    made.use.dilated = false;
    made.use.immutable = true;
    made.use.kernel = true;
    if (name == u"dense")
        return made;
    if (name == u"sparse") {
        made.masked = true;
        made.density = 0.37;
        made.storedBytes = 512 + 2 * 1516;
    } else if (name.startsWith(u"lut")) {
        made.node = FormNode::Palette;
        made.bits = name.mid(3).toUInt();
        made.storedBytes = 4096 * made.bits / 8 + (2U << made.bits);
    } else if (name == u"int8") {
        made.node = FormNode::Affine, made.bits = 8, made.element = ElementType::Int8;
        made.storedBytes = 4096 + 128;
    } else if (name == u"blockwise") {
        made.node = FormNode::Blockwise, made.bits = 8, made.element = ElementType::Int8;
        made.storedBytes = 4096 + 256;
    } else if (name == u"blockwise4") {
        made.node = FormNode::Blockwise, made.bits = 4, made.element = ElementType::Int4;
    } else if (name == u"e4m3") {
        made.element = ElementType::Fp8E4M3Fn, made.bits = 8;
    } else if (name == u"e5m2") {
        made.element = ElementType::Fp8E5M2, made.bits = 8;
    }
    return made;
}

Decision decide(const WeightForm &weight, const char *target)
{
    Judge judge;
    return judge.decide(weight, *target::findTarget(target)->target);
}

QString text(std::string_view view)
{
    return QString::fromUtf8(view.data(), qsizetype(view.size()));
}

const Reason *reason(const Verdict &verdict, std::uint32_t offset)
{
    for (const Reason &each : verdict.reasons) {
        if (each.offset && each.offset->value == offset)
            return &each;
    }
    return nullptr;
}

} // namespace

class TestStream : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// What public reports and other chapters say against an answer stands beside it.
    void contestedAnswersNameTheOthers_data()
    {
        const auto row = addColumns<QString, QByteArray, QByteArray>();
        row("blocks", "blockwise", "M3", "#279");
        row("blocks of 4", "blockwise4", "M6", "#2510");
        row("scaled palette", "lut4 scaled", "M4", "#2688");
        row("2 bits", "lut2", "M1", "Parakeet");
        row("2 bits Pro", "lut2", "M1 Pro", "Parakeet");
        row("int8", "int8", "M1", "1.5 times");
        row("e4m3", "e4m3", "M5", "f8E4M3");
    }
    void contestedAnswersNameTheOthers()
    {
        const auto [name, chip, other] = fetched<QString, QByteArray, QByteArray>();
        WeightForm weight = form(name.split(u' ').first());
        weight.scaledPalette = name.endsWith(u"scaled");
        const auto decision = decide(weight, chip.constData());
        int followed = 0, others = 0;
        for (const std::string &line : decision.verdict->disagreements) {
            followed += line.starts_with("Followed: ") ? 1 : 0;
            others += line.starts_with("Not followed: ") &&
                      text(line).contains(text(other.toStdString()));
        }
        QCOMPARE(others, 1);
        QVERIFY(followed >= 1);
    }

    /// A verdict that is kept says of a form what one that is made for it says.
    void keptVerdictsAreTheFormsOwn()
    {
        const target::Target &target = *target::findTarget("M1")->target;
        Judge judge;
        WeightForm weight = form(u"lut4"_s);
        for (const std::uint64_t codebooks : {1U, 4U, 8U, 1U}) {
            weight.codebooks = codebooks;
            const auto kept = judge.verdict(weight, target);
            const Verdict anew = judgeForm(weight, target);
            QCOMPARE(kept->outcome, anew.outcome);
            QCOMPARE(kept->reasons.size(), anew.reasons.size());
            for (std::size_t i = 0; i < anew.reasons.size(); ++i) {
                QCOMPARE(kept->reasons[i].gate, anew.reasons[i].gate);
                QCOMPARE(kept->reasons[i].found, anew.reasons[i].found);
            }
        }
    }

    /// Forms of different sizes share a verdict, however many there are.
    void manyForms()
    {
        const target::Target &target = *target::findTarget("M1")->target;
        Judge judge;
        WeightForm weight = form(u"lut4"_s);
        const auto first = judge.verdict(weight, target);
        for (std::uint64_t more = 0; more < 10'000; ++more) {
            weight.storedBytes = 2080 + more;
            QCOMPARE(judge.verdict(weight, target).get(), first.get());
        }
        QCOMPARE(judge.verdicts(weight)[target.index].get(), first.get());
        weight.use.elsewhere = true;
        QVERIFY(judge.verdict(weight, target).get() != first.get());
    }

    void tableSevenOne_data()
    {
        addColumns<QString, QString, QString>();
        const auto row = [](const char *name, std::initializer_list<const char *> targets,
                            const char *outcome) {
            for (const char *target : targets)
                QTest::addRow("%s on %s", name, target)
                    << QString::fromUtf8(name) << QString::fromUtf8(target)
                    << QString::fromUtf8(outcome);
        };
        row("int8", {"H13", "H13g", "T1"}, "folds");
        row("int8", {"H14", "H14g", "H14c", "H15", "H16", "H17", "H17s", "H18"}, "streams");
        row("blockwise", {"H13", "H13g", "H14", "H14g", "H14c"}, "folds");
        row("blockwise", {"H15", "H15c", "H16", "H16g", "H17", "H17s", "H17d", "H18"}, "streams");
        for (const char *name : {"sparse", "lut4"})
            row(name, {"H13", "H13g", "H14", "H15", "H16", "H17", "H17s", "H17d", "H18"},
                "streams");
        row("lut8", {"H13", "H14", "H17s"}, "streams");
        row("lut6", {"H13"}, "rejected");
        row("lut6", {"H14", "H17s", "H18g"}, "streams");
        row("lut2", {"H13", "H14"}, "rejected");
        row("lut2", {"H18g"}, "streams");
        row("blockwise4", {"H13", "H15", "H17s"}, "folds");
        row("blockwise4", {"H18g"}, "rejected");
        row("dense", {"H11", "H13", "H18", "U1"}, "dense");
        row("e4m3", {"H13", "H15", "H17s", "U1"}, "rejected");
        row("e4m3", {"H18"}, "streams");
        row("e5m2", {"H13", "H18"}, "folds");
        for (const char *name : {"int8", "sparse", "lut4", "blockwise"})
            row(name, {"H11", "M9", "M11", "U1", "H19"}, "unknown");
    }
    void tableSevenOne()
    {
        const auto [form, target, outcome] = fetched<QString, QString, QString>();
        const Decision decision = decide(::form(form), target.toUtf8());
        QCOMPARE(text(outcomeName(decision.outcome())), outcome);
        QVERIFY(!decision.verdict->reasons.empty());
        QVERIFY(!decision.verdict->nearestChange.empty());
        for (const Reason &each : decision.verdict->reasons)
            QVERIFY2(!each.source.empty(), each.gate.c_str());
    }

    void gatesAreListedWithTheirBytes()
    {
        const Decision m1 = decide(form(u"int8"_s), "M1");
        QVERIFY(reason(*m1.verdict, 0x48f) && *reason(*m1.verdict, 0x48f)->passes);
        for (const std::uint32_t offset : {0x528U, 0x532U, 0x537U}) {
            const Reason *gate = reason(*m1.verdict, offset);
            QVERIFY(gate && gate->value && *gate->value == 0 && !*gate->passes);
        }
        const Decision blocks = decide(form(u"blockwise"_s), "H15");
        for (const std::uint32_t offset : {0x520U, 0x523U, 0x533U, 0x539U})
            QVERIFY(reason(*blocks.verdict, offset) && *reason(*blocks.verdict, offset)->passes);
        QCOMPARE(reason(*blocks.verdict, 0x520)->confidence, format::Confidence::Contested);
        // Sparse: the master alone.
        const Decision sparse = decide(form(u"sparse"_s), "M1");
        QVERIFY(!reason(*sparse.verdict, 0x528) && !reason(*sparse.verdict, 0x529));
        const Decision palette = decide(form(u"lut4"_s), "M1");
        QVERIFY(reason(*palette.verdict, 0x529) && *reason(*palette.verdict, 0x529)->passes);
        // Unknown bytes have no value and neither pass nor fail.
        const Decision h18 = decide(form(u"int8"_s), "H18");
        QVERIFY(!reason(*h18.verdict, 0x528)->value && !reason(*h18.verdict, 0x528)->passes);
        QVERIFY(!h18.verdict->disagreements.empty());
    }

    void aPerTensorPaletteNamesTheDisagreement()
    {
        WeightForm palette = form(u"lut4"_s);
        QVERIFY(!decide(palette, "M1").verdict->disagreements.empty());
        palette.vectorSize = 2;
        QVERIFY(decide(palette, "M1").verdict->disagreements.empty());
        palette.vectorSize = 3;
        QCOMPARE(decide(palette, "M1").outcome(), Outcome::Rejected);
        palette.vectorSize = 1;
        palette.codebooks = 8;
        QCOMPARE(decide(palette, "M3").outcome(), Outcome::Streams);
    }

    void everyConditionOfTheMasterFolds_data()
    {
        addEach({"stride", "dilation", "overlap", "mutable"});
    }
    void everyConditionOfTheMasterFolds()
    {
        const auto [which] = fetched<QString>();
        for (const char *name : {"lut4", "sparse", "int8", "blockwise"}) {
            WeightForm weight = form(QString::fromUtf8(name));
            QCOMPARE(decide(weight, "M5").outcome(), Outcome::Streams);
            if (which == u"stride"_s)
                weight.use.unitStride = false;
            else if (which == u"dilation"_s)
                weight.use.dilated = true;
            else if (which == u"overlap"_s)
                weight.use.tileOverlap = true;
            else
                weight.use.immutable = false;
            const Decision decision = decide(weight, "M5");
            QCOMPARE(decision.outcome(), Outcome::Folds);
            QCOMPARE(decision.bytesMoved.value_or(0), weight.denseBytes);
            // Nothing that can be done to the weight helps against its use.
            QVERIFY(decision.verdict->nearestChange.starts_with("No change of form"));
        }
    }

    void bytesMoved()
    {
        const Decision palette = decide(form(u"lut4"_s), "M1");
        QCOMPARE(palette.bytesMoved.value_or(0), std::uint64_t(2048 + 32));
        const Decision sparse = decide(form(u"sparse"_s), "M1");
        QVERIFY(std::abs(double(*sparse.bytesMoved) / 8192 - 0.43) < 0.01);
        const Decision int8 = decide(form(u"int8"_s), "M1");
        QCOMPARE(int8.bytesMoved.value_or(0), 8192U);
        QVERIFY(!decide(form(u"lut4"_s), "H11").bytesMoved);
    }

    void kernelMemoryCaps()
    {
        WeightForm weight = form(u"int8"_s);
        weight.denseBytes = 1179648; // 256 x 256 x 3 x 3 fp16
        weight.storedBytes = 590336;
        const KernelMemory m1 = decide(weight, "M1").memory;
        QCOMPARE(m1.offset.value, 0x200U);
        QCOMPARE(m1.cap.value_or(0), 65536U);
        QVERIFY(m1.replicated);
        QCOMPARE(m1.demand.value_or(0), weight.denseBytes);
        QCOMPARE(m1.sublayers.value_or(0), 18U);
        QVERIFY(!*m1.fits);
        const KernelMemory m2 = decide(weight, "M2").memory;
        QCOMPARE(m2.offset.value, 0x210U);
        QCOMPARE(m2.cap.value_or(0), std::uint64_t(16) << 20);
        QCOMPARE(m2.demand.value_or(0), *weight.storedBytes / 4);
        QVERIFY(*m2.fits);
        // A chip whose cap only the other layout gives: its own offset and layout.
        const KernelMemory h17 = decide(weight, "H17").memory;
        QCOMPARE(h17.layout, target::HalLayout::Later);
        QCOMPARE(h17.offset.value, 0x230U);
        QVERIFY(!decide(weight, "U1").memory.cap);
        // A copy on each core of the M1 is contested: its share is beside it.
        QVERIFY(m1.contested && !m2.contested && !m1.atMost && !m2.atMost);
        QCOMPARE(m1.otherDemand.value_or(0), weight.denseBytes / 4);
        QVERIFY(!*m1.otherFits);
        // Nothing says how the cores of a reference target share it: all of it at most.
        QVERIFY(decide(weight, "U1").memory.atMost);
        QCOMPARE(decide(weight, "U1").memory.demand.value_or(0), weight.denseBytes);
        KernelMemory open;
        open.cap = 100;
        open.atMost = true;
        open = withDemand(open, 300);
        QVERIFY(open.demand == 300 && !open.fits);
        weight.storedBytes = weight.denseBytes = UINT64_MAX;
        QVERIFY(decide(weight, "M2").memory.sublayers);
    }

    void verdictsAreKept()
    {
        Judge judge;
        const target::Target &m1 = *target::findTarget("M1")->target;
        const WeightForm weight = form(u"lut4"_s);
        QCOMPARE(judge.verdict(weight, m1).get(), judge.verdict(weight, m1).get());
        QBENCHMARK
        {
            for (int i = 0; i < 10000; ++i)
                QCOMPARE(judge.verdicts(weight).size(), target::targets().size());
        }
    }
};

KERNSCOPE_TEST(TestStream, QCoreApplication)
#include "tst_stream.moc"
