// SPDX-License-Identifier: GPL-3.0-or-later
// What a whole program takes, where its layers do not run once each in one dispatch.
#include "core/assessment/weight_facts.h"
#include "made_programs.h"

#include <QtTest/QtTest>

#include <algorithm>

using namespace kernscope;
using namespace kernscope::roofline;
using namespace kernscope::test;

namespace {

constexpr double kFloor = 0.23e-3; ///< of a dispatch on the M1

/// The program on the M1; `place` gets its layers.
Network assessed(const Result<BundlePtr> &bundle)
{
    if (!bundle || !(*bundle)->diagnostics().empty())
        qFatal("the made program cannot be read");
    decision::Judge judge;
    auto network = assessNetwork(layersOf(**bundle, weightForms(**bundle)),
                                 *roofsOf(*target::findTarget("M1")->target), judge);
    if (!network)
        qFatal("not assessed");
    return std::move(*network);
}

bool says(const std::vector<std::string> &notes, const char *words)
{
    return std::any_of(notes.begin(), notes.end(),
                       [words](const std::string &note) { return note.find(words) != note.npos; });
}

} // namespace

class TestProgramTime : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// How often a body runs is not known, so neither is the time of the whole.
    void theBodyOfALoop()
    {
        const Network network = assessed(loopProgram().open());
        QCOMPARE(network.placements.size(), std::size_t(2));
        const auto &before = network.placements[0], &within = network.placements[1];
        QCOMPARE(before.layer.runs.front().times, std::optional<std::uint64_t>(1));
        QVERIFY(!within.layer.runs.front().times);
        QVERIFY(before.stored().timeS && within.stored().timeS); // of one run
        const ProgramTime &program = network.program;
        QVERIFY(!program.engineTimeS && !program.timeS && !program.energy);
        QCOMPARE(program.bound, ProgramTime::Bound::Unknown);
        QCOMPARE(program.layers, std::size_t(2));
        QCOMPARE(program.timed, std::size_t(1));
        QCOMPARE(program.knownS, *before.stored().timeS);
        QVERIFY(says(program.notes, "loop"));
        QVERIFY(!says(assessed(MadeProgramOfOne()).program.notes, "loop"));
    }

private:
    static Result<BundlePtr> MadeProgramOfOne()
    {
        MadeProgram made;
        made.function("main", "x", made.weight("w") + MadeProgram::linear("y", "w", "x"), "y");
        return made.open();
    }
};

QTEST_GUILESS_MAIN(TestProgramTime)
#include "tst_program_time.moc"
