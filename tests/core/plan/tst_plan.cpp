// SPDX-License-Identifier: GPL-3.0-or-later
// The encoders that plans choose among: never worse than the plain one, and as promised.
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/plan/judge_content.h"
#include "plan_networks.h"
#include "tests/core/assessment/made_programs.h"
#include "tests/data/data_folder.h"

using namespace kernscope::plan;

namespace {

enum class Kind { Normal, Outliers, Small, Wide, Convolution, Groups, Transposed };

/// Values as trained layers have them, outputs first.
WeightValues valuesOf(Kind kind)
{
    WeightValues weight;
    weight.axes = {0, 1};
    weight.shape = {32, 64};
    if (kind == Kind::Convolution)
        weight.shape = {16, 32, 3, 1};
    if (kind == Kind::Groups)
        weight.shape = {32, 16, 3, 1}; // two groups of 16 channels
    if (kind == Kind::Transposed) {
        weight.shape = {32, 16, 2, 2};
        weight.axes = {1, 0};
    }
    if (kind == Kind::Wide)
        weight.type = ElementType::Fp32;
    std::mt19937 random(unsigned(kind) + 3);
    std::normal_distribution<float> normal(0, kind == Kind::Small ? 3e-6f : 0.05f);
    weight.values.resize(elementCount(weight.shape)->value);
    for (float &value : weight.values) {
        value = normal(random);
        if (kind == Kind::Outliers && random() % 200 == 0)
            value *= 12;
    }
    if (kind != Kind::Wide) {
        const auto stored = codec::encodeDense(weight.values, weight.shape, ElementType::Fp16);
        codec::Decoder::make(stored->encoding())->decodeFloat(0, weight.values);
    }
    return weight;
}

enum class Known { Nothing, Squares, Means, Moments, Silence };

std::shared_ptr<const codec::InputStatistics> inputsFor(const WeightValues &weight, Known known,
                                                        std::size_t groups)
{
    if (known == Known::Nothing)
        return nullptr;
    const std::size_t channels = weight.shape[weight.axes.input] * groups;
    auto inputs = std::make_shared<codec::InputStatistics>();
    inputs->axis = weight.axes.input;
    if (known == Known::Moments && groups == 1) {
        std::mt19937 random(5);
        std::normal_distribution<float> normal;
        std::vector<double> matrix(channels * channels);
        std::vector<float> x(channels);
        for (int sample = 0; sample < 200; ++sample) {
            float before = 0;
            for (std::size_t i = 0; i < channels; ++i) {
                before = 0.8f * before + normal(random);
                x[i] = std::max(0.0f, before);
            }
            for (std::size_t i = 0; i < channels; ++i) {
                for (std::size_t j = 0; j < channels; ++j)
                    matrix[i * channels + j] += double(x[i] * x[j]) / 200;
            }
        }
        inputs->secondMoment.assign(matrix.begin(), matrix.end());
        return inputs;
    }
    for (std::size_t i = 0; i < channels; ++i) {
        inputs->meanSquare.push_back(known == Known::Silence ? 0.0f
                                                             : std::exp(0.3f * float(i % 17)));
        if (known == Known::Means)
            inputs->mean.push_back(0.7f * std::sqrt(inputs->meanSquare.back()));
    }
    return inputs;
}

constexpr const char *kFolder = "real/silero-vad";
constexpr const char *kDense = "real/silero-vad/silero-vad-unified-v6.0.0.mlmodelc";

struct Judged {
    BundlePtr bundle;
    SurveyOptions options;
    Survey survey;
};

/// A bundle on the M1.
std::optional<Judged> judged(const QByteArray &path)
{
    const auto bundle = Bundle::open(path.toStdString());
    Judged made;
    made.options.targets = {target::findTarget("M1")->target};
    auto result = bundle ? survey(**bundle, made.options) : tl::unexpected(bundle.error());
    if (!result)
        return std::nullopt;
    made.bundle = *bundle;
    made.survey = std::move(*result);
    return made;
}

/// The dense network, once.
const Judged *dense()
{
    static const auto once = judged(QByteArray::fromStdString(dataPathBytes(kDense)));
    return once ? &*once : nullptr;
}

/// The fewest bytes within an error.
Limits fewestBytes(double tolerance)
{
    Limits limits;
    limits.goal = Goal::Stored;
    limits.tolerance = tolerance;
    return limits;
}

/// Whether the M1 refuses a form of the bundle.
bool refusedOnTheChip(const Bundle &bundle)
{
    decision::Judge judge;
    const auto forms = weightForms(bundle);
    return std::ranges::any_of(forms, [&judge](const decision::WeightForm &form) {
        return judge.verdict(form, *target::findTarget("M1")->target)->outcome ==
               decision::Outcome::Rejected;
    });
}

} // namespace

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
            limits.maxBytes = std::uint64_t(share * 3 * 2 * kRows * kColumns);
        const auto plan = solve(*judged, limits);
        QVERIFY2(plan, plan ? "" : text(plan.error()).c_str());
        QVERIFY(plan->proven);
        const auto cost = [&](const PlanTotals &totals) {
            switch (*limits.goal) {
            case Goal::Time: return *totals.engineTimeS(0);
            case Goal::Stored: return double(totals.stored);
            case Goal::Moved: return double(totals.moved[0].value_or(0));
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
        QCOMPARE(judged->contents, 2U);
        QCOMPARE(judged->items, 5U);
        QCOMPARE(judged->rows[0].candidates.get(), judged->rows[2].candidates.get());
        QVERIFY(judged->rows[0].candidates.get() != judged->rows[1].candidates.get());
        // Written, they stay five weights with bytes of their own.
        Limits limits;
        limits.goal = Goal::Stored;
        limits.tolerance = 0.2;
        const auto plan = VERIFIED(solve(*judged, limits));
        const auto carried = carryOut(*bundle, optionsFor({"M1"}), *judged, limits, *plan);
        QVERIFY2(carried, carried ? "" : text(carried.error()).c_str());
        QCOMPARE(carried->changed, 5U);
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
        QCOMPARE(judged->items, 1U);
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
        const Plan stored = asStored(*judged, limits);
        QCOMPARE(stored.choice, (std::vector<std::size_t>{0, 0}));
        QCOMPARE(stored.before.stored, stored.after.stored);
        QCOMPARE(stored.why[0], "no plan within the limits");
        QVERIFY(stored.storedFront.size() > 5 && stored.timeFront.size() > 2);
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
        QCOMPARE(plan->after.largest, 1U);
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
            Limits limits;
            limits.goal = Goal::Time;
            const auto plan = solve(*judged, limits);
            QVERIFY2(plan, plan ? "" : text(plan.error()).c_str());
            QCOMPARE(plan->choice[0], 1U);
            QCOMPARE(plan->why[0], std::string(busy ? "as fast as it is, with fewer stored bytes"
                                                    : "least time within the limits"));
        }
    }

    /// Where every call takes as long as it must, no form saves time: none is taken for it.
    void callsThatHideAllGains()
    {
        const auto bundle = *network({1, 2, 3}).open();
        for (const char *chip : {"M1", "M2"}) {
            const auto judged = VERIFIED(survey(*bundle, optionsFor({chip})));
            const auto plan = VERIFIED(solve(*judged, {}));
            QVERIFY(plan->before.programs[0].hidesGains());
            QCOMPARE(plan->goal, Goal::Stored);
            QVERIFY(plan->after.stored <= plan->before.stored);
        }
        // Of two functions a run enters one: each waits for its calls.
        const auto called = VERIFIED(calledProgram().open());
        const auto judged = VERIFIED(survey(**called, optionsFor({"M1"})));
        const auto plan = VERIFIED(solve(*judged, {}));
        QCOMPARE(plan->goal, Goal::Stored);
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
        QCOMPARE(REFUSED(carryOut(*bundle, options, *judged, limits, *plan)).code,
                 "task.cancelled");
    }

    void neverWorseThanPlain_data()
    {
        addColumns<int, int>();
        const char *kinds[] = {"normal",      "outliers", "subnormal", "fp32",
                               "convolution", "groups",   "transposed"};
        const char *knowns[] = {"nothing", "mean squares", "means", "second moments", "silence"};
        for (int kind = 0; kind < 7; ++kind) {
            for (int known = 0; known < (kind == 0 ? 5 : 4); ++known)
                QTest::addRow("%s, %s", kinds[kind], knowns[known]) << kind << known;
        }
    }

    /// Of every form that is tried, by both models of errors: no more than the plain encoder's
    /// error, and what is promised is the error of what was encoded.
    void neverWorseThanPlain()
    {
        const auto [kind, known] = fetched<int, int>();
        WeightValues weight = valuesOf(Kind(kind));
        weight.inputs = inputsFor(weight, Known(known), Kind(kind) == Kind::Groups ? 2 : 1);
        std::size_t tried = 0;
        const auto forms = triedForms(weight.shape, weight.axes);
        // Of further kinds a third of the forms with each of the statistics: all, over the rows.
        const std::size_t step = kind == 0 ? 1 : 3;
        for (std::size_t i = std::size_t(known) % step; i < forms.size(); i += step) {
            const codec::FormSpec &spec = forms[i];
            auto plainSpec = spec;
            if (weight.type == ElementType::Fp32)
                plainSpec.denseType = ElementType::Fp32;
            auto plain = VERIFIED(codec::encodeForm(weight.values, weight.shape, plainSpec));
            if (weight.type == ElementType::Fp32)
                codec::widenToFp32(*plain);
            for (const ErrorModel model : {ErrorModel::Weights, ErrorModel::Outputs}) {
                if (model == ErrorModel::Outputs && tried % 9 != 0)
                    continue; // takes longer
                const auto best = VERIFIED(encodeAs(weight, spec, model));
                const double worst = *formError(weight, *plain, model);
                QVERIFY2(best->error <= worst,
                         qPrintable(QString::fromLatin1("%1: %2 for %3")
                                        .arg(QString::fromStdString(formName(spec)))
                                        .arg(best->error)
                                        .arg(worst)));
                QCOMPARE(*formError(weight, best->weight, model), best->error);
                QCOMPARE(storedBytes(weight, best->weight) <= storedBytes(weight, *plain), true);
                // Once more, the same: what is written is what was judged.
                if (tried % 4 != 0)
                    continue;
                const auto again = encodeAs(weight, spec, model);
                QCOMPARE(again->error, best->error);
                QCOMPARE(again->method, best->method);
            }
            ++tried;
        }
        QVERIFY(tried > 20 / step);
    }

    /// Where it matters, the methods do gain: clipping of outliers, inputs of different power,
    /// errors that make up for one another.
    void betterWhereItCanBe()
    {
        const auto gain = [](Kind kind, Known known, const char *form) {
            WeightValues weight = valuesOf(kind);
            weight.inputs = inputsFor(weight, known, 1);
            const auto spec = *formFromName(form, weight.axes);
            const auto plain = codec::encodeForm(weight.values, weight.shape, spec);
            return *formError(weight, *plain, ErrorModel::Weights) /
                   encodeAs(weight, spec, ErrorModel::Weights)->error;
        };
        QVERIFY(gain(Kind::Outliers, Known::Nothing, "blockwise-int4-32") > 1.01);
        QVERIFY(gain(Kind::Normal, Known::Squares, "palette4") > 1.02);
        QVERIFY(gain(Kind::Normal, Known::Squares, "sparse-0.5") > 1.5);
        QVERIFY(gain(Kind::Normal, Known::Means, "palette4") > 1.2);
        QVERIFY(gain(Kind::Normal, Known::Moments, "int8-tensor") > 1.5);
        const WeightValues plain = valuesOf(Kind::Normal);
        const auto kept = encodeAs(plain, *formFromName("sparse-0.5"), ErrorModel::Weights);
        QCOMPARE(kept->method, codec::EncodeMethod::Plain);
    }

    /// A difference that is not finite is no small one, with statistics or without.
    void notFinite()
    {
        WeightValues weight = valuesOf(Kind::Normal);
        weight.values[70] = std::numeric_limits<float>::infinity();
        QVERIFY(std::isfinite(energy(weight)) && energy(weight) > 0);
        for (const Known known : {Known::Nothing, Known::Squares, Known::Moments}) {
            weight.inputs = inputsFor(weight, known, 1);
            for (const char *form : {"int8", "blockwise-int4-32"}) {
                const auto made = encodeAs(weight, *formFromName(form), ErrorModel::Weights);
                QVERIFY(!made || !std::isfinite(made->error));
            }
        }
    }

    void beatsThePublishedBuilds_data()
    {
        QTest::addColumn<QString>("name");
        const QDir folder(dataPath(QString::fromLatin1(kFolder)));
        for (const QString &name : folder.entryList({u"unified_*.mlmodelc"_s}, QDir::Dirs))
            addRow(qPrintable(name), name);
    }

    /// A smaller largest error of a layer, at no more stored bytes and no more time on the M1: as
    /// the plan says, and as the bundle that it makes has it.
    void beatsThePublishedBuilds()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, name);
        QVERIFY(dense());
        const auto other = VERIFIED(Bundle::open(
            dataPathBytes((QString::fromLatin1(kFolder) + u'/' + name).toUtf8().constData())));
        const auto build =
            VERIFIED(measureBuild(*dense()->bundle, dense()->survey, dense()->options, **other));
        QVERIFY(build->unpaired.empty());
        QVERIFY(build->totals.largestError > 0);
        Limits limits;
        limits.goal = Goal::Time;
        limits.tolerance = build->totals.largestError * 0.9999;
        limits.maxBytes = build->totals.stored;
        limits.frontPoints = 2;
        const auto plan = solve(dense()->survey, limits);
        if (name.startsWith(u"unified_palette_6bit"_s)) {
            // Its indices of six bits are of no form that the M1 takes, and of those that it takes
            // none lies between four and eight bits a weight: it is proven that there is no such
            // plan.
            QVERIFY(refusedOnTheChip(**other));
            QVERIFY(!plan);
            QCOMPARE(plan.error().code, "plan.infeasible");
            QCOMPARE(plan.error().field, "max-bytes");
            return;
        }
        QVERIFY2(plan, plan ? "" : describe(plan.error()).c_str());
        const auto made =
            VERIFIED(carryOut(*dense()->bundle, dense()->options, dense()->survey, limits, *plan));
        const auto found = VERIFIED(
            measureBuild(*dense()->bundle, dense()->survey, dense()->options, *made->bundle));
        const auto published = build->totals.engineTimeS(0), planned = found->totals.engineTimeS(0);
        QVERIFY(planned);
        QCOMPARE(published.has_value(), !refusedOnTheChip(**other)); // indices of two bits are
        qInfo("published: error %.4g, %llu B, %.4g s; plan: %.4g, %llu B, %.4g s",
              build->totals.largestError, static_cast<unsigned long long>(build->totals.stored),
              published.value_or(qQNaN()), found->totals.largestError,
              static_cast<unsigned long long>(found->totals.stored), *planned);
        QVERIFY(found->totals.largestError < build->totals.largestError);
        QVERIFY(found->totals.stored <= build->totals.stored);
        QVERIFY(!published || *planned <= *published * (1 + 1e-12));
        QCOMPARE(found->totals.stored, made->plan.after.stored);
        QVERIFY(qAbs(found->totals.error - made->plan.after.error) <= 1e-12);
    }

    /// Packages of Core AI: offsets that are 0, one element for equal ones, equal parts that are
    /// one.
    void packages_data() { addEach<const char *>({"model-cnn", "graphs-two", "model-cnn-lut4"}); }

    void packages()
    {
        const auto [name] = fetched<QString>();
        const QString path = u"../peers/coreai/%1/%1.aimodel"_s.arg(name);
        KERNSCOPE_NEEDS(dataPath(path));
        const auto dense = VERIFIED(judged(dataPath(path).toUtf8()));
        const Limits limits = fewestBytes(0.05);
        const auto plan = VERIFIED(solve(dense->survey, limits));
        const auto made =
            VERIFIED(carryOut(*dense->bundle, dense->options, dense->survey, limits, *plan));
        QVERIFY(made->changed > 0);
        QCOMPARE(made->plan.after.stored, made->bundle->totals().storedBytes.value);
        QVERIFY(made->plan.after.stored <= plan->after.stored);
    }
};

KERNSCOPE_TEST(TestPlan, QCoreApplication)
#include "tst_plan.moc"
