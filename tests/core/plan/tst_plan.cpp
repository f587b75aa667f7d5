// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/plan/plan.h"
#include "core/plan/write_plan.h"
#include "made_bundle.h"
#include "plan_networks.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::plan;
using namespace kernscope::test;

class TestPlan : public QObject
{
    Q_OBJECT

private slots:
    void namesOfForms()
    {
        for (const codec::FormSpec &spec : triedForms({64, 64, 3}, {0, 1})) {
            const std::string name = formName(spec);
            const auto again = formFromName(name, {0, 1});
            QVERIFY2(again, name.c_str());
            QCOMPARE(formName(*again), name);
            QCOMPARE(codec::describe(*again), codec::describe(spec));
        }
        for (const char *name :
             {"", "palette", "palette4-", "palette4-g", "palette4-g0", "int9", "blockwise-int8",
              "blockwise-fp16-32", "sparse-2", "sparse-4:2", "sparse-0.5+int8", "palette5",
              "palette4-v3", "densest", "int8-", "sparse-", "palette4-g8x"})
            QVERIFY2(!formFromName(name), name);
        QVERIFY(matchesPattern("*weight*", "conv1_weight_0"));
        QVERIFY(!matchesPattern("w?", "w12"));
        QVERIFY(matchesPattern("w[0]*", "w0"));
        QVERIFY(matchesPattern("w[0]*", "w[0]*")); // a name is itself, whatever it looks like
    }

    void everyFormIsMadeAsPromised_data()
    {
        addColumns<QString, bool>();
        for (const char *chip : {"M1", "M4", "H18"}) {
            QTest::addRow("%s fp16", chip) << QString::fromLatin1(chip) << false;
            QTest::addRow("%s fp32", chip) << QString::fromLatin1(chip) << true;
        }
    }

    /// carryOut holds what it made against what was promised, for each form that a chip takes.
    void everyFormIsMadeAsPromised()
    {
        const auto [chip, wide] = fetched<QString, bool>();
        MadeBundle made = network({1});
        if (wide) {
            std::vector<float> values = decoded(**made.open(), "w0");
            const auto encoded = *codec::encodeDense(values, {kRows, kColumns}, ElementType::Fp32);
            made.layer("w1", "[32, 64]", encoded.parts.front().bytes, ElementType::Fp32);
        }
        const auto bundle = *made.open();
        const SurveyOptions options = optionsFor({chip.toLatin1().constData()});
        const auto judged = survey(*bundle, options);
        QVERIFY2(judged, judged ? "" : text(judged.error()).c_str());
        const Row &row = judged->rows.back();
        std::size_t tried = 0;
        for (const Candidate &candidate : *row.candidates) {
            if (!candidate->refused.empty())
                continue;
            Limits limits;
            limits.goal = Goal::Stored;
            limits.forced = {{"*", "keep"},
                             {judged->names[judged->rows.size() - 1], candidate->name}};
            limits.frontPoints = 2;
            const auto plan = solve(*judged, limits);
            QVERIFY2(plan, plan ? "" : text(plan.error()).c_str());
            const auto carried = carryOut(*bundle, options, *judged, limits, *plan);
            QVERIFY2(carried,
                     carried ? "" : (candidate->name + ": " + text(carried.error())).c_str());
            QCOMPARE(sectionFault(*carried->bundle).c_str(), "");
            QCOMPARE(carried->bundle->totals().storedBytes.value, plan->after.stored);
            QCOMPARE(carried->changed, std::size_t(candidate->name == kKeep ? 0 : 1));
            ++tried;
        }
        QVERIFY(tried > 8);
    }

    void bestOfAllOnASmallNetwork_data()
    {
        QTest::addColumn<int>("goal");
        QTest::addColumn<double>("tolerance");
        QTest::addColumn<double>("total");
        QTest::addColumn<double>("share"); // of the dense bytes; 0: no limit
        const double none = 0;
        QTest::addRow("time") << int(Goal::Time) << 0.2 << none << none;
        QTest::addRow("time in bytes") << int(Goal::Time) << 0.5 << none << 0.3;
        QTest::addRow("time in total") << int(Goal::Time) << 0.5 << 0.05 << none;
        QTest::addRow("stored") << int(Goal::Stored) << 0.1 << none << none;
        QTest::addRow("stored in total") << int(Goal::Stored) << 0.6 << 0.08 << none;
        QTest::addRow("moved") << int(Goal::Moved) << 0.3 << 0.1 << 0.4;
        QTest::addRow("error") << int(Goal::Error) << 0.3 << none << 0.3;
        QTest::addRow("both") << int(Goal::Time) << 0.6 << 0.08 << 0.35;
    }

    /// Every combination of the forms that may be chosen.
    void bestOfAllOnASmallNetwork()
    {
        QFETCH(int, goal);
        QFETCH(double, tolerance);
        QFETCH(double, total);
        QFETCH(double, share);
        const auto bundle = *network({1, 2, 3}).open();
        SurveyOptions options = optionsFor({"M1"});
        const auto judged = VERIFIED(survey(*bundle, options));
        Limits limits;
        limits.goal = Goal(goal);
        limits.tolerance = tolerance;
        if (total > 0)
            limits.totalTolerance = total;
        if (share > 0)
            limits.maxBytes = static_cast<std::uint64_t>(share * 3 * 2 * kRows * kColumns);
        const auto plan = solve(*judged, limits);
        QVERIFY2(plan, plan ? "" : text(plan.error()).c_str());
        QVERIFY(plan->proven);
        const auto cost = [&](const PlanTotals &totals) {
            switch (*limits.goal) {
            case Goal::Time: return *totals.engineTimeS(0);
            case Goal::Stored: return static_cast<double>(totals.stored);
            case Goal::Moved: return static_cast<double>(totals.moved[0].value_or(0));
            case Goal::Error: return totals.error;
            }
            return 0.0;
        };
        const auto within = [&](const PlanTotals &totals) {
            return totals.largestError <= tolerance &&
                   (!limits.totalTolerance ||
                    totals.error <= *limits.totalTolerance * (1 + 1e-9)) &&
                   (!limits.maxBytes || totals.stored <= *limits.maxBytes);
        };
        QVERIFY(within(plan->after));
        std::optional<double> best;
        const auto &rows = judged->rows;
        std::vector<std::size_t> at(rows.size(), 0);
        for (at[0] = 0; at[0] < rows[0].candidates->size(); ++at[0]) {
            for (at[1] = 0; at[1] < rows[1].candidates->size(); ++at[1]) {
                for (at[2] = 0; at[2] < rows[2].candidates->size(); ++at[2]) {
                    bool possible = true;
                    for (std::size_t r = 0; r < rows.size(); ++r)
                        possible &= (*rows[r].candidates)[at[r]]->refused.empty() &&
                                    (*rows[r].candidates)[at[r]].error <= tolerance;
                    if (!possible)
                        continue;
                    const PlanTotals totals = totalsOf(*judged, at);
                    if (within(totals) && (!best || cost(totals) < *best))
                        best = cost(totals);
                }
            }
        }
        QVERIFY(best);
        QVERIFY2(std::abs(cost(plan->after) - *best) <= 1e-9 * *best,
                 qPrintable(QString::fromLatin1("%1 for %2").arg(cost(plan->after)).arg(*best)));
    }

    void sameContentIsJudgedOnce()
    {
        const auto bundle = *network({7, 8, 7, 8, 7}).open();
        const auto judged = VERIFIED(survey(*bundle, optionsFor({"M1"})));
        QCOMPARE(judged->contents, std::size_t(2));
        QCOMPARE(judged->items, std::size_t(5));
        QCOMPARE(judged->rows[0].candidates.get(), judged->rows[2].candidates.get());
        QVERIFY(judged->rows[0].candidates.get() != judged->rows[1].candidates.get());
        // Written, they stay five weights with bytes of their own.
        Limits limits;
        limits.goal = Goal::Stored;
        limits.tolerance = 0.2;
        const auto plan = VERIFIED(solve(*judged, limits));
        const auto carried = carryOut(*bundle, optionsFor({"M1"}), *judged, limits, *plan);
        QVERIFY2(carried, carried ? "" : text(carried.error()).c_str());
        QCOMPARE(carried->changed, std::size_t(5));
        QCOMPARE(carried->bundle->files().back().records >= 10, true);
    }

    void tiedWeightsStayTied()
    {
        MadeBundle made = network({1});
        const auto offset = made.lastRecord();
        made.constant("tensor<fp16, [32, 64]>", "again",
                      MadeBundle::blobAt("fp16", "[32, 64]", offset));
        made.consume("again");
        const auto bundle = *made.open();
        QCOMPARE(bundle->totals().storedBytes.value, kRows * kColumns * 2);
        const auto judged = VERIFIED(survey(*bundle, optionsFor({"M1"})));
        QCOMPARE(judged->items, std::size_t(1));
        Limits limits;
        limits.goal = Goal::Stored;
        limits.tolerance = 0.2;
        const auto plan = VERIFIED(solve(*judged, limits));
        QCOMPARE(plan->choice[0], plan->choice[1]);
        QVERIFY(plan->choice[0] != 0);
        const auto carried = carryOut(*bundle, optionsFor({"M1"}), *judged, limits, *plan);
        QVERIFY2(carried, carried ? "" : text(carried.error()).c_str());
        QCOMPARE(carried->bundle->totals().storedBytes.value,
                 (*judged->rows[0].candidates)[plan->choice[0]]->stored);
        QCOMPARE(decoded(*carried->bundle, "w0"), decoded(*carried->bundle, "again"));
    }

    void sayingNo()
    {
        const auto bundle = *network({1, 2}).open();
        const auto judged = VERIFIED(survey(*bundle, optionsFor({"M1"})));
        Limits limits;
        limits.goal = Goal::Stored;
        limits.tolerance = 0;
        auto plan = solve(*judged, limits);
        QVERIFY(plan); // all stay as they are, or lose nothing
        QCOMPARE(plan->after.error, 0.0);
        limits.maxBytes = 1'000;
        plan = solve(*judged, limits);
        QVERIFY(!plan);
        QCOMPARE(plan.error().code, "plan.infeasible");
        QCOMPARE(plan.error().field, "max-bytes");
        QCOMPARE(plan.error().expected, "at most 1,000 bytes");
        limits.tolerance = 0.5;
        limits.maxBytes = kRows * kColumns; // a quarter
        limits.totalTolerance = 0.001;
        plan = solve(*judged, limits);
        QVERIFY(!plan);
        QCOMPARE(plan.error().field, "max-bytes, total-tolerance");
        SurveyOptions none;
        QCOMPARE(survey(*bundle, none).error().code, "plan.target");
        SurveyOptions odd = optionsFor({"M1"});
        odd.forms = {"palette5x"};
        QCOMPARE(survey(*bundle, odd).error().code, "plan.form");
    }

    void byHand()
    {
        const auto bundle = *network({1, 2, 3}).open();
        SurveyOptions options = optionsFor({"M1"});
        options.forms = {"palette*"};
        options.forced = {{"w1", "sparse-0.4"}};
        const auto judged = VERIFIED(survey(*bundle, options));
        Limits limits;
        limits.tolerance = 0.05;
        limits.forced = options.forced;
        auto plan = solve(*judged, limits);
        QVERIFY2(plan, plan ? "" : text(plan.error()).c_str());
        QCOMPARE(formOf(judged->rows[1], plan->choice[1]), "sparse-0.4");
        QVERIFY(plan->after.largestError > limits.tolerance); // of that weight alone
        QCOMPARE(plan->after.largest, std::size_t(1));
        QCOMPARE(plan->why[1], "asked for by hand");
        QVERIFY(plan->choice[0] != 0);
        limits.forced.push_back({"*", "keep"});
        plan = VERIFIED(solve(*judged, limits));
        QCOMPARE(plan->choice, (std::vector<std::size_t>{0, 0, 0}));
        limits.forced = {{"w1", "int8"}};
        plan = solve(*judged, limits);
        QVERIFY(!plan);
        QCOMPARE(plan.error().code, "plan.forced");
        limits.forced = {{"nobody*", "keep"}};
        plan = solve(*judged, limits);
        QVERIFY(!plan);
        QCOMPARE(plan.error().field, "nobody*");
    }

    /// A layer that arithmetic binds is no faster with fewer bytes: what is saved is stored bytes.
    void saysWhatAFormIsFor()
    {
        for (const bool busy : {true, false}) {
            const std::string rows = busy ? "2048" : "1";
            MadeBundle bundle;
            bundle.parameters = "tensor<fp16, [1, " + rows + ", 512]> x";
            Bytes zeros(512 * 512 * 2);
            bundle.weight("w", "[512, 512]", zeros);
            bundle.line("tensor<fp16, [1, " + rows +
                        ", 512]> y = linear(weight = w, x = x)[name = string(\"y\")]");
            const auto opened = VERIFIED(bundle.open());
            SurveyOptions options = optionsFor({"M1"});
            options.forms = {"sparse"};
            const auto judged = VERIFIED(survey(**opened, options));
            const auto plan = solve(*judged, {});
            QVERIFY2(plan, plan ? "" : text(plan.error()).c_str());
            QCOMPARE(plan->choice[0], std::size_t(1));
            QCOMPARE(plan->why[0], std::string(busy ? "as fast as it is, with fewer stored bytes"
                                                    : "least time within the limits"));
        }
    }

    void frontsFall()
    {
        const auto bundle = *network({1, 2, 3}).open();
        const auto judged = survey(*bundle, optionsFor({"M1"}));
        Limits limits;
        limits.tolerance = 0.05;
        const auto plan = VERIFIED(solve(*judged, limits));
        QVERIFY(plan->storedFront.size() > 5);
        QVERIFY(plan->timeFront.size() > 2);
        for (std::size_t i = 1; i < plan->storedFront.size(); ++i) {
            QVERIFY(plan->storedFront[i].totals.stored > plan->storedFront[i - 1].totals.stored);
            QVERIFY(plan->storedFront[i].totals.error < plan->storedFront[i - 1].totals.error);
        }
        for (std::size_t i = 1; i < plan->timeFront.size(); ++i) {
            QVERIFY(*plan->timeFront[i].totals.engineTimeS(0) >
                    *plan->timeFront[i - 1].totals.engineTimeS(0));
            QVERIFY(plan->timeFront[i].totals.error < plan->timeFront[i - 1].totals.error);
        }
        QCOMPARE(plan->storedFront.back().totals.error, 0.0);
    }

    void cancelled()
    {
        const auto bundle = *network({1}).open();
        SurveyOptions options = optionsFor({"M1"});
        Progress progress;
        options.progress = &progress;
        const auto judged = VERIFIED(survey(*bundle, options));
        QCOMPARE(progress.fraction(), 1.0);
        Progress cancelled;
        cancelled.cancel();
        options.progress = &cancelled;
        QCOMPARE(survey(*bundle, options).error().code, "task.cancelled");
        Limits limits;
        limits.goal = Goal::Stored;
        limits.tolerance = 0.2;
        const auto plan = solve(*judged, limits);
        const Error carried = REFUSED(carryOut(*bundle, options, *judged, limits, *plan));
        QCOMPARE(carried.code, "task.cancelled");
    }
};

KERNSCOPE_TEST(TestPlan, QCoreApplication)
#include "tst_plan.moc"
