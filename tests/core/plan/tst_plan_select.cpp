// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/select.h"
#include "plan_networks.h"
#include "tests/test_program.h"

using namespace kernscope::plan;

namespace {

struct Best {
    double cost = 0, error = 0, stored = 0;
};

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-10 * std::max(std::abs(a), std::abs(b)) + 1e-20;
}

bool better(const Best &a, const Best &b)
{
    if (!near(a.cost, b.cost))
        return a.cost < b.cost;
    if (!near(a.error, b.error))
        return a.error < b.error;
    return a.stored < b.stored;
}

/// The whole front, by every selection there is.
std::vector<std::pair<double, double>> exhaustiveFront(const Problem &problem)
{
    std::vector<std::pair<double, double>> all;
    std::vector<std::size_t> digits(problem.items.size(), 0);
    for (bool more = true; more;) {
        double cost = 0, error = 0;
        for (std::size_t i = 0; i < digits.size(); ++i) {
            cost += problem.items[i][digits[i]].cost;
            error += problem.items[i][digits[i]].error;
        }
        all.emplace_back(cost, error);
        more = false;
        for (std::size_t i = 0; i < digits.size() && !more; ++i) {
            more = ++digits[i] < problem.items[i].size();
            if (!more)
                digits[i] = 0;
        }
    }
    std::ranges::sort(all);
    std::vector<std::pair<double, double>> stairs;
    for (const auto &[cost, error] : all) {
        if (!stairs.empty() && (error > stairs.back().second || near(error, stairs.back().second)))
            continue;
        if (!stairs.empty() && near(cost, stairs.back().first))
            stairs.pop_back();
        stairs.emplace_back(cost, error);
    }
    return stairs;
}

/// Every selection there is.
std::optional<Best> exhaustive(const Problem &problem)
{
    std::optional<Best> best;
    std::vector<std::size_t> digits(problem.items.size(), 0);
    for (bool more = true; more;) {
        Best sum;
        for (std::size_t i = 0; i < digits.size(); ++i) {
            const ItemChoice &choice = problem.items[i][digits[i]];
            sum = {sum.cost + choice.cost, sum.error + choice.error, sum.stored + choice.stored};
        }
        if (sum.error <= problem.mostError * (1 + 1e-12) &&
            sum.stored <= problem.mostStored * (1 + 1e-12) && (!best || better(sum, *best)))
            best = sum;
        more = false;
        for (std::size_t i = 0; i < digits.size() && !more; ++i) {
            more = ++digits[i] < problem.items[i].size();
            if (!more)
                digits[i] = 0;
        }
    }
    return best;
}

/// `grain` 0: real numbers; else whole multiples, so that many sums are equal.
Problem randomProblem(unsigned seed, std::size_t items, std::size_t choices, unsigned grain)
{
    std::mt19937 random(seed);
    const auto number = [&](double most) {
        if (grain > 0)
            return double(random() % (grain + 1));
        return most * double(random()) / 4294967296.0;
    };
    Problem problem;
    double error = 0, stored = 0;
    for (std::size_t i = 0; i < items; ++i) {
        problem.items.emplace_back();
        for (std::size_t c = 0; c < choices; ++c) {
            problem.items.back().push_back({number(1e-6), number(3), number(1e5)});
            error += problem.items.back().back().error / double(choices);
            stored += problem.items.back().back().stored / double(choices);
        }
    }
    const unsigned kind = seed % 4;
    if (kind != 1)
        problem.mostError = error * (0.3 + 0.1 * double(random() % 6));
    if (kind != 2)
        problem.mostStored = stored * (0.3 + 0.1 * double(random() % 6));
    return problem;
}

} // namespace

/// What a survey knows of each weight: chips, statistics of the inputs, what a change costs.
class TestPlanSelect : public QObject
{
    Q_OBJECT

private slots:
    void againstExhaustiveSearch_data()
    {
        addColumns<unsigned, unsigned>();
        for (const unsigned grain : {0u, 2u, 6u}) {
            for (unsigned seed = 0; seed < 20; ++seed)
                QTest::addRow("grain %u seed %u", grain, seed) << seed << grain;
        }
    }

    void againstExhaustiveSearch()
    {
        const auto [seed, grain] = fetched<unsigned, unsigned>();
        const Problem problem = randomProblem(seed, 3 + seed % 4, 3 + seed % 3, grain);
        const auto best = exhaustive(problem);
        const auto selected = select(problem);
        QCOMPARE(selected.has_value(), best.has_value());
        if (!best) {
            QVERIFY(selected.error().binds != Unsolved::Binds::Open);
            return;
        }
        QVERIFY(selected->proven);
        QVERIFY2(near(selected->cost, best->cost),
                 qPrintable(QString::fromLatin1("%1 for %2").arg(selected->cost).arg(best->cost)));
        QVERIFY(near(selected->error, best->error));
        QVERIFY(near(selected->stored, best->stored));
        Best sum;
        for (std::size_t i = 0; i < problem.items.size(); ++i) {
            const ItemChoice &choice = problem.items[i][selected->choice[i]];
            sum = {sum.cost + choice.cost, sum.error + choice.error, sum.stored + choice.stored};
        }
        QVERIFY(near(sum.cost, selected->cost));
        QVERIFY(near(sum.error, selected->error));
        QVERIFY(near(sum.stored, selected->stored));
    }

    void largeNetworkHasAnHonestBound()
    {
        Problem problem = randomProblem(8, 3000, 8, 0);
        problem.mostLabels = 400; // far too few for a proof
        const auto selected = VERIFIED(select(problem));
        QVERIFY(selected->error <= problem.mostError * (1 + 1e-9));
        QVERIFY(selected->stored <= problem.mostStored * (1 + 1e-9));
        QVERIFY(selected->bound <= selected->cost);
        QVERIFY2(
            selected->bound >= 0.99 * selected->cost,
            qPrintable(QString::fromLatin1("%1 of %2").arg(selected->bound).arg(selected->cost)));
        // A search that may keep more finds nothing below the bound.
        problem.mostLabels = 200000;
        const auto longer = VERIFIED(select(problem));
        QVERIFY(longer->cost <= selected->cost * (1 + 1e-9));
        QVERIFY(longer->cost >= selected->bound * (1 - 1e-9));
    }

    void saysWhatBinds()
    {
        Problem problem;
        problem.items = {{{1, 4, 10}, {2, 0, 40}}, {{1, 9, 10}, {2, 1, 50}}};
        problem.mostStored = 19;
        auto selected = select(problem);
        QVERIFY(!selected);
        QCOMPARE(selected.error().binds, Unsolved::Binds::Stored);
        QCOMPARE(selected.error().least, 20.0);
        problem.mostStored = 1000;
        problem.mostError = 0.5;
        selected = select(problem);
        QVERIFY(!selected);
        QCOMPARE(selected.error().binds, Unsolved::Binds::Error);
        QCOMPARE(selected.error().least, 1.0);
        problem.mostStored = 60;
        problem.mostError = 4;
        selected = select(problem);
        QVERIFY(!selected);
        QCOMPARE(selected.error().binds, Unsolved::Binds::Both);
        QCOMPARE(selected.error().least, 5.0);
        problem.items.push_back({});
        selected = select(problem);
        QVERIFY(!selected);
        QCOMPARE(selected.error().binds, Unsolved::Binds::Item);
        QCOMPARE(selected.error().item, 2U);
    }

    /// Corners, against all selections that cost as much.
    void frontIsBestAtItsCost()
    {
        for (unsigned seed = 0; seed < 12; ++seed) {
            const Problem problem = randomProblem(seed, 5, 4, seed % 2 == 0 ? 0 : 5);
            const Front front = plan::front(problem.items, 1000);
            for (std::size_t p = 0; p < front.points.size(); ++p) {
                const auto &choices = front.points[p].choice;
                double cost = 0, error = 0;
                Problem least; // of the selections that cost as much: the least error
                least.mostError = front.points[p].cost;
                for (std::size_t i = 0; i < choices.size(); ++i) {
                    cost += problem.items[i][choices[i]].cost;
                    error += problem.items[i][choices[i]].error;
                    least.items.emplace_back();
                    for (const ItemChoice &choice : problem.items[i])
                        least.items.back().push_back({choice.error, choice.cost, 0});
                }
                QVERIFY(near(cost, front.points[p].cost));
                QVERIFY(near(error, front.points[p].error));
                least.mostError *= 1 + 1e-12;
                const auto best = exhaustive(least);
                QVERIFY(best && near(best->cost, error));
                if (p > 0) {
                    QVERIFY(front.points[p].cost > front.points[p - 1].cost);
                    QVERIFY(front.points[p].error < front.points[p - 1].error);
                }
            }
        }
    }

    void frontIsWhole_data()
    {
        addColumns<unsigned, unsigned>();
        for (const unsigned grain : {0u, 3u, 12u}) {
            for (unsigned seed = 0; seed < 10; ++seed)
                QTest::addRow("grain %u seed %u", grain, seed) << seed << grain;
        }
    }

    /// Every plan that none is better than, and no other.
    void frontIsWhole()
    {
        const auto [seed, grain] = fetched<unsigned, unsigned>();
        const Problem problem = randomProblem(seed, 2 + seed % 5, 3 + seed % 4, grain);
        const auto expected = exhaustiveFront(problem);
        const Front front = plan::front(problem.items, 100000);
        QVERIFY(front.whole);
        QCOMPARE(front.undominated, front.points.size());
        QCOMPARE(front.points.size(), expected.size());
        for (std::size_t p = 0; p < expected.size(); ++p) {
            const Front::Point &point = front.points[p];
            QVERIFY(near(point.cost, expected[p].first));
            QVERIFY(near(point.error, expected[p].second));
            double cost = 0, error = 0;
            for (std::size_t i = 0; i < point.choice.size(); ++i) {
                cost += problem.items[i][point.choice[i]].cost;
                error += problem.items[i][point.choice[i]].error;
            }
            QVERIFY(near(cost, point.cost));
            QVERIFY(near(error, point.error));
        }
        // Few of them: each is one of the front, the ends are there, and the corners if they fit.
        std::size_t corners = 0;
        for (const auto &point : front.points)
            corners += point.corner ? 1 : 0;
        for (const std::size_t most : {std::size_t(2), corners, corners + 1, corners + 3}) {
            const Front few = plan::front(problem.items, most);
            QVERIFY(few.points.size() <= std::max<std::size_t>(most, 2));
            QVERIFY(few.points.size() ==
                    std::min(std::max<std::size_t>(most, 2), front.points.size()));
            QCOMPARE(few.points.front().cost, front.points.front().cost);
            QCOMPARE(few.points.back().cost, front.points.back().cost);
            std::size_t kept = 0;
            for (const auto &point : few.points) {
                kept += point.corner ? 1 : 0;
                QVERIFY(std::ranges::any_of(expected, [&point](const auto &one) {
                    return near(one.first, point.cost) && near(one.second, point.error);
                }));
            }
            if (most >= corners)
                QCOMPARE(kept, corners);
        }
    }

    /// Too many for all of them: said so, and none is better than the whole front, nor far from it.
    void frontOfManyIsThinned()
    {
        const Problem problem = randomProblem(3, 40, 8, 0);
        const Front whole = plan::front(problem.items, 1000000, 1000000);
        QVERIFY(whole.whole);
        const Front front = plan::front(problem.items, 1000000, whole.undominated / 4);
        QVERIFY(!front.whole);
        QVERIFY(front.points.size() > 20 && front.points.size() < whole.points.size());
        for (std::size_t p = 1; p < front.points.size(); ++p) {
            QVERIFY(front.points[p].cost > front.points[p - 1].cost);
            QVERIFY(front.points[p].error < front.points[p - 1].error);
        }
        for (const auto &point : front.points) {
            const auto after =
                std::ranges::find_if(whole.points, [&point](const Front::Point &other) {
                    return other.cost > point.cost && !near(other.cost, point.cost);
                });
            QVERIFY(after != whole.points.begin());
            const double least = std::prev(after)->error;
            QVERIFY(least <= point.error || near(least, point.error));
            QVERIFY(point.error <= least + 0.05 * whole.points.front().error);
        }
        // Corners alone are enough: the rest is not searched.
        const Front few = plan::front(problem.items, 12);
        QCOMPARE(few.points.size(), 12U);
        QVERIFY(!few.whole);
        for (const auto &point : few.points)
            QVERIFY(point.corner);
    }

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
        QCOMPARE(plan->after.programs.size(), 2U);
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
        QCOMPARE(stored->untimed, 1U);
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
        std::ranges::fill(statistics.meanSquare, 0.0f);
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
            const double d = double(found[i]) - double(values.values[i]);
            off += d * d;
            whole += double(values.values[i]) * double(values.values[i]);
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
            statistics.meanSquare.push_back(0.1f + float(i % 7));
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
        QCOMPARE(methods.size(), 3U);
        for (const Goal goal : {Goal::Stored, Goal::Error}) {
            Limits limits;
            limits.goal = goal;
            limits.tolerance = 0.1;
            limits.maxBytes = kRows * kColumns * 2;
            const auto plan = solve(*judged, limits);
            QVERIFY2(plan, plan ? "" : text(plan.error()).c_str());
            const auto carried = carryOut(*bundle, options, *judged, limits, *plan);
            QVERIFY2(carried, carried ? "" : text(carried.error()).c_str());
            QCOMPARE(carried->changed, 2U);
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
        QCOMPARE(weightValues(*bundle, 0, {0, 1}, nullptr, 100)->step, 2U);
        QCOMPARE(stepWith(kColumns, 1), 2U);
        QCOMPARE(stepWith(kColumns * kRows, 1), 1U);
        QCOMPARE(stepWith(kRows, 0), 1U);
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

KERNSCOPE_TEST(TestPlanSelect, QCoreApplication)
#include "tst_plan_select.moc"
