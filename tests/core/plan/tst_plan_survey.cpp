// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/plan.h"
#include "core/plan/write_plan.h"
#include "made_bundle.h"
#include "plan_networks.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::plan;
using namespace kernscope::test;

/// What the survey of a network knows of each weight: chips, statistics of the inputs, what a
/// change costs.
class TestPlanSurvey : public QObject
{
    Q_OBJECT

private slots:
    void severalChipsTakeEveryForm()
    {
        const auto bundle = *network({1}).open();
        const auto taken = [&](std::initializer_list<const char *> chips) {
            std::set<std::string> names;
            const auto judged = survey(*bundle, optionsFor(chips));
            for (const Candidate &candidate : *judged->rows[0].candidates) {
                if (candidate->refused.empty())
                    names.insert(candidate->name);
            }
            return names;
        };
        const auto m1 = taken({"M1"}), m4 = taken({"M4"}), both = taken({"M1", "M4"});
        std::set<std::string> common;
        std::set_intersection(m1.begin(), m1.end(), m4.begin(), m4.end(),
                              std::inserter(common, common.begin()));
        QCOMPARE(both, common);
        QVERIFY(both.size() > 4);
        const auto judged = survey(*bundle, optionsFor({"M1", "M4"}));
        Limits limits;
        limits.tolerance = 0.2;
        const auto plan = solve(*judged, limits);
        QVERIFY2(plan, plan ? "" : text(plan.error()).c_str());
        QCOMPARE(plan->after.programs.size(), std::size_t(2));
        for (const auto &program : plan->after.programs)
            QVERIFY(!program.engineTimeS ||
                    plan->cost >=
                        *program.engineTimeS * (1 - 1e-12)); // not every chip was measured
        QVERIFY(slowest(plan->after));
        const auto unknown = survey(*bundle, optionsFor({"H18"}));
        QVERIFY(!roofline::roofsOf(*target::findTarget("H18")->target)->bandwidth);
        const auto stored = solve(*unknown, limits); // no goal is given
        QVERIFY2(stored, stored ? "" : text(stored.error()).c_str());
        QCOMPARE(stored->goal, Goal::Stored);
        QCOMPARE(stored->untimed, std::size_t(1));
        QVERIFY(stored->timeFront.empty());
        limits.goal = Goal::Time;
        QCOMPARE(solve(*unknown, limits).error().code, "plan.time");
    }

    void statisticsWeighChannels()
    {
        const auto bundle = *network({1}).open();
        SurveyOptions options = optionsFor({"M1"});
        options.forms = {"palette4"};
        codec::InputStatistics statistics;
        statistics.meanSquare.assign(kColumns, 2.0f);
        const auto error = [&] {
            options.inputs = {std::make_shared<codec::InputStatistics>(statistics)};
            return (*survey(*bundle, options)->rows[0].candidates)[1].error;
        };
        const double even = (*survey(*bundle, options)->rows[0].candidates)[1].error;
        QVERIFY(even > 0);
        QVERIFY(std::abs(error() - even) < 1e-9); // the same for all channels: no difference
        // All but one channel carry nothing: its sixteen values of a column of 32 are coded best.
        std::fill(statistics.meanSquare.begin(), statistics.meanSquare.end(), 0.0f);
        statistics.meanSquare[5] = 3.0f;
        QVERIFY2(error() < 0.5 * even, qPrintable(QString::number(error())));
        // By hand, for a form as it is stored.
        const auto values = *weightValues(*bundle, 0, {0, 1}, options.inputs[0]);
        const auto encoded =
            codec::encodeForm(values.values, values.shape, *formFromName("palette4"));
        const auto decoder = codec::Decoder::make(encoded->encoding());
        std::vector<float> found(values.values.size());
        decoder->decodeFloat(0, found);
        double off = 0, whole = 0;
        for (std::size_t row = 0; row < kRows; ++row) {
            const auto i = row * kColumns + 5;
            const double d = static_cast<double>(found[i]) - static_cast<double>(values.values[i]);
            off += d * d;
            whole += static_cast<double>(values.values[i]) * static_cast<double>(values.values[i]);
        }
        const auto measured = formError(values, *decoder, ErrorModel::Weights);
        QVERIFY(measured && std::abs(*measured - std::sqrt(off / whole)) < 1e-9);
        statistics.meanSquare.pop_back();
        options.inputs = {std::make_shared<codec::InputStatistics>(statistics)};
        QCOMPARE(survey(*bundle, options).error().code, "plan.activations");
        statistics.meanSquare.resize(kColumns * 2, 1.0f); // of two groups, which the layer has not
        options.inputs = {std::make_shared<codec::InputStatistics>(statistics)};
        QCOMPARE(survey(*bundle, options).error().code, "plan.activations");
    }

    /// The methods that statistics allow are those that are written with.
    void writtenByStatistics()
    {
        const auto bundle = *network({1, 2}).open();
        SurveyOptions options = optionsFor({"M4"});
        codec::InputStatistics statistics;
        for (std::size_t i = 0; i < kColumns; ++i) {
            statistics.meanSquare.push_back(0.1f + static_cast<float>(i % 7));
            statistics.mean.push_back(0.8f * std::sqrt(statistics.meanSquare.back()));
        }
        options.inputs = {std::make_shared<codec::InputStatistics>(statistics), nullptr};
        const auto judged = survey(*bundle, options);
        QVERIFY2(judged, judged ? "" : text(judged.error()).c_str());
        std::set<codec::EncodeMethod> methods;
        for (const Row &row : judged->rows) {
            for (const Candidate &candidate : *row.candidates)
                methods.insert(candidate->method);
        }
        QCOMPARE(methods.size(), std::size_t(3));
        for (const Goal goal : {Goal::Stored, Goal::Error}) {
            Limits limits;
            limits.goal = goal;
            limits.tolerance = 0.1;
            limits.maxBytes = kRows * kColumns * 2;
            const auto plan = solve(*judged, limits);
            QVERIFY2(plan, plan ? "" : text(plan.error()).c_str());
            const auto carried = carryOut(*bundle, options, *judged, limits, *plan);
            QVERIFY2(carried, carried ? "" : text(carried.error()).c_str());
            QCOMPARE(carried->changed, std::size_t(2));
        }
    }

    /// As many of each group that the inputs have; all where the inputs lie along the rows.
    void rowsThatArePicked()
    {
        const auto bundle = *network({1}).open();
        const auto stepWith = [&](std::size_t squares, std::uint64_t axis) {
            auto inputs = std::make_shared<codec::InputStatistics>();
            inputs->axis = axis;
            inputs->meanSquare.assign(squares, 1.0f);
            return weightValues(*bundle, 0, {0, 1}, inputs, 100)->step;
        };
        QCOMPARE(weightValues(*bundle, 0, {0, 1}, nullptr, 100)->step, std::uint64_t(2));
        QCOMPARE(stepWith(kColumns, 1), std::uint64_t(2));
        QCOMPARE(stepWith(kColumns * kRows, 1), std::uint64_t(1));
        QCOMPARE(stepWith(kRows, 0), std::uint64_t(1));
    }

    void sensitivityCounts()
    {
        const auto bundle = *network({1, 1}).open();
        SurveyOptions options = optionsFor({"M1"});
        options.sensitivity = {1, 10};
        const auto judged = VERIFIED(survey(*bundle, options));
        Limits limits;
        limits.goal = Goal::Stored;
        limits.tolerance = 0.1;
        const auto plan = VERIFIED(solve(*judged, limits));
        const auto &forms = *judged->rows[0].candidates;
        QVERIFY(forms[plan->choice[0]].error <= 0.1);
        QVERIFY(forms[plan->choice[1]].error <= 0.01);
        QVERIFY(forms[plan->choice[0]]->stored < forms[plan->choice[1]]->stored);
        const double e0 = forms[plan->choice[0]].error, e1 = 10 * forms[plan->choice[1]].error;
        QVERIFY(std::abs(plan->after.error - std::sqrt((e0 * e0 + e1 * e1) / 2)) < 1e-12);
    }

    void estimatesBecomeExact()
    {
        const auto bundle = *network({1, 2}).open();
        SurveyOptions options = optionsFor({"M1"});
        options.mostElements = kRows * kColumns / 2;
        const auto judged = VERIFIED(survey(*bundle, options));
        QVERIFY((*judged->rows[0].candidates)[1]->sampled);
        for (const Goal goal : {Goal::Stored, Goal::Time}) {
            Limits limits;
            limits.goal = goal;
            limits.tolerance = 0.15;
            const auto plan = VERIFIED(solve(*judged, limits));
            const auto carried = carryOut(*bundle, options, *judged, limits, *plan);
            QVERIFY2(carried, carried ? "" : text(carried.error()).c_str());
            QVERIFY(carried->changed > 0);
            QVERIFY(carried->plan.after.largestError <= limits.tolerance);
            for (std::size_t r = 0; r < 2; ++r)
                QVERIFY(!(*carried->survey.rows[r].candidates)[carried->plan.choice[r]]->sampled);
        }
    }

    /// What weights of one shape have in common is one object; it is what each has by itself.
    void equalFiguresAreKeptOnce()
    {
        SurveyOptions options = optionsFor({"M1", "M4"});
        options.threads = 1; // each thread keeps its own
        const auto both = *network({1, 2}).open(), alone = *network({2}).open();
        const auto judged = survey(*both, options), single = survey(*alone, options);
        QVERIFY(judged && single);
        const auto &first = *judged->rows[0].candidates, &second = *judged->rows[1].candidates;
        const auto &expected = *single->rows[0].candidates;
        QCOMPARE(second.size(), expected.size());
        std::size_t shared = 0;
        for (std::size_t c = 0; c < second.size(); ++c) {
            QVERIFY(second[c]->name == expected[c]->name);
            QVERIFY(second[c]->refused == expected[c]->refused);
            QVERIFY(second[c]->form == expected[c]->form);
            QCOMPARE(second[c]->stored, expected[c]->stored);
            QCOMPARE(second[c].error, expected[c].error);
            QCOMPARE(second[c]->chips.size(), expected[c]->chips.size());
            for (std::size_t t = 0; t < second[c]->chips.size(); ++t) {
                QCOMPARE(second[c]->chips[t].outcome, expected[c]->chips[t].outcome);
                QCOMPARE(second[c]->chips[t].moved, expected[c]->chips[t].moved);
                QCOMPARE(second[c]->chips[t].timeS, expected[c]->chips[t].timeS);
                QVERIFY(second[c]->chips[t].layerS == expected[c]->chips[t].layerS);
            }
            if (first[c]->form == second[c]->form) {
                // With the same way of encoding, all but the error is one object.
                QCOMPARE(first[c].tried == second[c].tried, first[c]->method == second[c]->method);
                ++shared;
            }
        }
        QVERIFY(shared > 10);
    }
};

KERNSCOPE_TEST(TestPlanSurvey, QCoreApplication)
#include "tst_plan_survey.moc"
