// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/assessment_facts.h"

#include "core/assessment/calibrate.h"
#include "core/bundle/bundle.h"
#include "widgets/models/chip_words.h"
#include "widgets/models/table_text.h"

#include <QCoreApplication>

#include <algorithm>

namespace kernscope::ui {

namespace {

using decision::Outcome;

struct AssessmentText {
    Q_DECLARE_TR_FUNCTIONS(kernscope::Assessment)
};

QString stateGlyph(const std::optional<bool> &passes)
{
    return passes ? (*passes ? QStringLiteral("\u2713") : QStringLiteral("\u2715"))
                  : QStringLiteral("?");
}

QString secondsWord(const std::optional<double> &time)
{
    return time ? siWord(*time, QStringLiteral("s")) : AssessmentText::tr("unknown");
}

QString exactBytes(std::uint64_t bytes)
{
    return AssessmentText::tr("%1 B").arg(groupedNumber(bytes));
}

QString knownBytes(const std::optional<std::uint64_t> &bytes)
{
    return bytes ? exactBytes(*bytes) : AssessmentText::tr("unknown");
}

QString contested(const QString &other)
{
    return QStringLiteral(" %1 %2").arg(theme::glyph(Token::MarkContested), other);
}

QString sentenceOf(const Weight &weight, const roofline::Assessment &assessment)
{
    const decision::Decision &decision = assessment.decision;
    const QString moved = decision.bytesMoved ? exactBytes(*decision.bytesMoved)
                                              : AssessmentText::tr("unknown bytes");
    switch (decision.outcome()) {
    case Outcome::Streams:
        if (!assessment.weight.storedBytes)
            return AssessmentText::tr(
                "The engine reads its stored bytes; how many is not known: not all of them can be "
                "read here.");
        return AssessmentText::tr("The engine reads its stored bytes: %1 per call, %2 of dense "
                                  "fp16.")
            .arg(moved, ratioText(weight.ratio()));
    case Outcome::Folds:
        return AssessmentText::tr("It is made dense fp16 before the call: the engine reads %1, and "
                                  "the stored form saves none of them.")
            .arg(moved);
    case Outcome::Dense:
        return AssessmentText::tr("It is dense already: the engine reads %1 at every call.")
            .arg(moved);
    case Outcome::Rejected:
        return decision.verdict->refusedBy.empty()
                   ? AssessmentText::tr("The compiler refuses it for this chip.")
                   : AssessmentText::tr("The compiler refuses it for this chip: %1.")
                         .arg(fromUtf8(decision.verdict->refusedBy));
    case Outcome::Unknown: break;
    }
    return AssessmentText::tr("A byte that decides is not known for this chip; unknown is not 0.");
}

QString gateCounts(const std::vector<decision::Reason> &reasons)
{
    const auto count = [&](std::optional<bool> state) {
        return std::count_if(reasons.begin(), reasons.end(), [&](const decision::Reason &reason) {
            return reason.passes == state;
        });
    };
    QStringList words;
    if (const auto pass = count(true))
        words += AssessmentText::tr("%1 pass").arg(pass);
    if (const auto fail = count(false))
        words += AssessmentText::tr("%1 fail").arg(fail);
    if (const auto open = count(std::nullopt))
        words += AssessmentText::tr("%1 open").arg(open);
    return words.join(QStringLiteral(", "));
}

AssessmentFacts bytesFacts(const roofline::Assessment &assessment)
{
    AssessmentFacts facts{
        {AssessmentText::tr("stored"), knownBytes(assessment.weight.storedBytes)},
        {AssessmentText::tr("as dense fp16"), exactBytes(assessment.weight.denseBytes)}};
    facts.push_back(
        {AssessmentText::tr("read per call"), knownBytes(assessment.decision.bytesMoved)});
    return facts;
}

AssessmentFacts speedFacts(const roofline::Assessment &assessment)
{
    AssessmentFacts facts;
    if (assessment.predictedSpeedup)
        facts.push_back(
            {AssessmentText::tr("predicted"),
             AssessmentText::tr("%1 \u00d7").arg(*assessment.predictedSpeedup, 0, 'f', 2),
             AssessmentText::tr("Against the same values stored dense, by the roofs of the chip; "
                                "not measured")});
    if (assessment.predictedCallSpeedup)
        facts.push_back(
            {AssessmentText::tr("predicted, of a call"),
             AssessmentText::tr("%1 \u00d7").arg(*assessment.predictedCallSpeedup, 0, 'f', 2),
             AssessmentText::tr("A call that runs the layer alone, with what it takes beside the "
                                "layer, against the same with the values stored dense")});
    if (assessment.predictedOverUnpruned && assessment.weight.density.value_or(1) < 1)
        facts.push_back(
            {AssessmentText::tr("predicted, before pruning"),
             AssessmentText::tr("%1 \u00d7").arg(*assessment.predictedOverUnpruned, 0, 'f', 2),
             AssessmentText::tr("Against dense weights without zeros, by the roofs of the chip; "
                                "not measured")});
    if (const auto &speedup = assessment.speedup)
        facts.push_back({AssessmentText::tr("measured"),
                         AssessmentText::tr("%1 \u00d7").arg(speedupWord(*speedup)),
                         QStringLiteral("%1 \u00b7 %2 \u00b7 %3")
                             .arg(fromUtf8(speedup->condition), fromUtf8(speedup->source),
                                  confidenceWord(speedup->confidence))});
    for (const decision::Measurement &measured : assessment.measured) {
        const QString figure = speedupWord({measured.low, measured.high, {}, {}, {}});
        facts.push_back({AssessmentText::tr("published %1 \u00d7").arg(figure),
                         measured.holds() ? (*measured.holds() ? AssessmentText::tr("holds here")
                                                               : AssessmentText::tr("not here"))
                                          : AssessmentText::tr("open here"),
                         QStringLiteral("%1 \u00b7 %2")
                             .arg(fromUtf8(measured.condition), fromUtf8(measured.source))});
        for (const decision::Condition &condition : measured.conditions)
            facts.push_back(
                {QStringLiteral("   %1 %2")
                     .arg(stateGlyph(condition.holds), fromUtf8(condition.name)),
                 condition.holds.value_or(false)
                     ? fromUtf8(condition.found)
                     : AssessmentText::tr("%1, needs %2")
                           .arg(fromUtf8(condition.found), fromUtf8(condition.required)),
                 QStringLiteral("%1 \u00b7 %2")
                     .arg(fromUtf8(condition.source), confidenceWord(condition.confidence))});
    }
    return facts;
}

AssessmentFacts memoryFacts(const decision::KernelMemory &memory)
{
    const QString source =
        QStringLiteral("%1, %2 \u00b7 %3")
            .arg(fromUtf8(target::halOffsetText(memory.offset)),
                 fromUtf8(target::halLayoutName(memory.layout)), fromUtf8(memory.source));
    AssessmentFacts facts{
        {AssessmentText::tr("a core holds"),
         (memory.atMost && memory.demand ? QStringLiteral("\u2264 ") : QString()) +
             knownBytes(memory.demand),
         memory.replicated ? AssessmentText::tr("A copy on each core")
         : memory.atMost   ? AssessmentText::tr("At most: how its cores share it is not known")
                           : QString()},
        {AssessmentText::tr("limit"), knownBytes(memory.cap), source},
        {AssessmentText::tr("fits"), yesNoWord(memory.fits)}};
    if (memory.replicated)
        facts.push_back({AssessmentText::tr("copies"), AssessmentText::tr("one on each core")});
    if (memory.otherDemand)
        facts.push_back({AssessmentText::tr("contested"),
                         contested(exactBytes(*memory.otherDemand)).trimmed(),
                         AssessmentText::tr("Where each core holds its share")});
    if (memory.sublayers)
        facts.push_back({AssessmentText::tr("parts"), groupedNumber(*memory.sublayers),
                         AssessmentText::tr("Number of parts that the weight is split into")});
    return facts;
}

AssessmentFacts geometryFacts(const decision::Geometry &geometry)
{
    const auto withOther = [](std::uint64_t value, std::uint64_t other) {
        return groupedNumber(value) +
               (value == other ? QString() : contested(groupedNumber(other)));
    };
    const QString readings = AssessmentText::tr("By the %1; behind \u2260 the other reading")
                                 .arg(fromUtf8(decision::ocgReadingName(geometry.reading)));
    AssessmentFacts facts{
        {AssessmentText::tr("output-channel group"), withOther(geometry.group, geometry.otherGroup),
         readings},
        {AssessmentText::tr("passes"), withOther(geometry.passes, geometry.otherPasses), readings}};
    const QString cores =
        geometry.cores.value ? groupedNumber(*geometry.cores.value) : AssessmentText::tr("unknown");
    facts.push_back(
        {AssessmentText::tr("cores lit"),
         geometry.lit
             ? AssessmentText::tr("%1 of %2")
                   .arg(withOther(*geometry.lit, geometry.litMeasured.value_or(*geometry.lit)),
                        cores)
             : AssessmentText::tr("unknown"),
         fromUtf8(geometry.cores.source)});
    facts.push_back(
        {AssessmentText::tr("buffering"), fromUtf8(decision::bufferingName(geometry.buffering))});
    facts.push_back({AssessmentText::tr("Winograd"), yesNoWord(geometry.winograd.eligible),
                     AssessmentText::tr("Whether every condition of table 20.4 holds")});
    for (const std::string &line : geometry.disagreements)
        facts.push_back({theme::glyph(Token::MarkContested), fromUtf8(line)});
    return facts;
}

AssessmentFacts timeFacts(const Bundle &bundle, const roofline::Layer &layer,
                          const roofline::Assessment &assessment)
{
    const auto held = [](const QString &what, const roofline::LayerRoof *roof) {
        return roof != nullptr ? what + QLatin1Char('\n') + roofWords(*roof) : what;
    };
    AssessmentFacts facts{
        {AssessmentText::tr("arithmetic"), secondsWord(assessment.computeS),
         held(AssessmentText::tr("At the roof of such a layer"), assessment.computeRoof)},
        {AssessmentText::tr("bytes"), secondsWord(assessment.memoryS),
         held(AssessmentText::tr("Of the weight, and of activations larger than the working set"),
              assessment.weightRoof)},
        {AssessmentText::tr("bound by"),
         assessment.bound == roofline::Bound::Compute     ? AssessmentText::tr("arithmetic")
         : assessment.bound == roofline::Bound::Bandwidth ? AssessmentText::tr("bandwidth")
                                                          : AssessmentText::tr("unknown")},
        {AssessmentText::tr("predicted time"), secondsWord(assessment.timeS),
         fromUtf8(roofline::predictionNote(*assessment.decision.verdict->target))}};
    if (assessment.intensity)
        facts.push_back({AssessmentText::tr("intensity"),
                         siWord(*assessment.intensity, QStringLiteral("FLOP/B"))});
    if (const auto &energy = assessment.energy; energy && (energy->lowJ || energy->highJ)) {
        const auto joules = [](const std::optional<double> &value) {
            return value ? siWord(*value, QStringLiteral("J")) : QStringLiteral("?");
        };
        facts.push_back(
            {AssessmentText::tr("energy"),
             AssessmentText::tr("%1 to %2").arg(joules(energy->lowJ), joules(energy->highJ)),
             AssessmentText::tr("Derived: %1 \u00b7 %2")
                 .arg(fromUtf8(energy->basis), fromUtf8(energy->source))});
    }
    if (const QString own = compilerEstimate(bundle, layer.weight, layer.consumer); !own.isEmpty())
        facts.push_back({AssessmentText::tr("the compiler's own estimate"), own,
                         AssessmentText::tr("Written in the program beside the operation")});
    return facts;
}

} // namespace

AssessmentWords assessmentWords(const Bundle &bundle, const roofline::Layer &layer,
                                const roofline::Assessment &assessment,
                                const std::optional<decision::Geometry> &geometry)
{
    const decision::Verdict &verdict = *assessment.decision.verdict;
    AssessmentWords words;
    words.outcome = outcomeLabel(verdict.outcome);
    words.sentence = sentenceOf(bundle.weights()[layer.weight], assessment);
    words.basis = AssessmentText::tr("Decided by %1, %2.")
                      .arg(fromUtf8(verdict.basis), confidenceLabel(verdict.confidence));
    if (!verdict.note.empty())
        words.remarks += fromUtf8(verdict.note);
    for (const std::string &line : verdict.disagreements)
        words.remarks += theme::glyph(Token::MarkContested) + QLatin1Char(' ') + fromUtf8(line);
    words.change = fromUtf8(verdict.nearestChange);
    words.gateCount = gateCounts(verdict.reasons);
    words.bytes = bytesFacts(assessment);
    words.speed = speedFacts(assessment);
    words.memory = memoryFacts(assessment.decision.memory);
    if (geometry)
        words.geometry = geometryFacts(*geometry);
    words.time = timeFacts(bundle, layer, assessment);
    return words;
}

} // namespace kernscope::ui
