// SPDX-License-Identifier: GPL-3.0-or-later
// The plan for the dense silero network against the published compressed builds of it.
#include "core/bundle/bundle.h"
#include "core/plan/judge_content.h"
#include "core/plan/write_plan.h"
#include "tests/data/data_folder.h"

using namespace kernscope::plan;

namespace {

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

class TestPlanData : public QObject
{
    Q_OBJECT

private slots:
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

    /// The work of these LSTM layers is not known: neither is their time, nor a sum that holds it.
    void layersWithoutATime()
    {
        const QString path = u"real/dtln/DTLN_AEC_128_Part1.mlpackage"_s;
        KERNSCOPE_NEEDS(dataPath(path));
        const auto dense = VERIFIED(judged(dataPath(path).toUtf8()));
        const auto plan = VERIFIED(solve(dense->survey, fewestBytes(0.01)));
        QVERIFY(plan->after.stored < plan->before.stored);
        QVERIFY(!plan->before.engineTimeS(0) && !plan->after.engineTimeS(0));
    }
};

KERNSCOPE_TEST(TestPlanData, QCoreApplication)
#include "tst_plan_data.moc"
