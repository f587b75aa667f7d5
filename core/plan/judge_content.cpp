// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/judge_content.h"

#include "core/base/parallel.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/patch/reencode/raise_opset.h"

#include <cmath>
#include <tuple>

#include <fmt/format.h>

namespace kernscope::plan {

namespace {

using decision::Outcome;

bool sameLayer(const roofline::Layer &a, const roofline::Layer &b)
{
    return a.op == b.op && a.flops == b.flops && a.inputBytes == b.inputBytes &&
           a.outputBytes == b.outputBytes && a.shareRead == b.shareRead &&
           a.operation == b.operation && a.ofRuns(1.0) == b.ofRuns(1.0);
}

/// Offsets that turned out to be 0 are none.
bool hasOffsets(const codec::EncodedWeight &encoded)
{
    return std::ranges::any_of(encoded.parts, [](const codec::EncodedPart &part) {
        const bool offset =
            part.role == codec::PartRole::ZeroPoint || part.role == codec::PartRole::Offset;
        return offset &&
               std::ranges::any_of(part.bytes, [](std::byte b) { return b != std::byte{0}; });
    });
}

using ReaderKey = std::tuple<std::string, std::string, std::string, std::string, std::string>;

/// Model, function, operation, name of the operation and operand that read a weight.
std::vector<ReaderKey> readersOf(const Weight &weight)
{
    std::vector<ReaderKey> keys;
    for (const Consumer &consumer : weight.consumers)
        keys.emplace_back(weight.model, weight.function, consumer.op, consumer.name,
                          consumer.param);
    return keys;
}

/// By row: the partner in the other build.
std::vector<std::optional<std::size_t>> partnersOf(const Bundle &bundle, const Survey &survey,
                                                   const Bundle &other)
{
    std::map<ReaderKey, std::size_t> readers;
    for (std::size_t i = 0; i < other.weights().size(); ++i) {
        for (ReaderKey &key : readersOf(other.weights()[i]))
            readers.emplace(std::move(key), i);
    }
    std::vector<std::optional<std::size_t>> partners(survey.rows.size());
    for (std::size_t r = 0; r < survey.rows.size(); ++r) {
        const Weight &weight = bundle.weights()[survey.rows[r].weight];
        for (const ReaderKey &key : readersOf(weight)) {
            const auto found = readers.find(key);
            if (found != readers.end() && other.weights()[found->second].shape == weight.shape &&
                !other.weights()[found->second].fault)
                partners[r] = found->second;
        }
    }
    return partners;
}

Result<double> buildError(const Bundle &bundle, const Row &row, const SurveyOptions &options,
                          const Bundle &other, std::size_t partner)
{
    const auto values =
        TRY(weightValues(bundle, row.weight, row.axes, inputsOf(options, row.weight)));
    const BundleReadLock lock(other);
    const auto decoder = TRY(other.decoder(partner));
    return formError(values, decoder, options.model);
}

/// The chips' figures of all layers of a build.
Result<void> addChips(const Bundle &other, const Survey &survey, const SurveyOptions &options,
                      PlanTotals &totals)
{
    const auto forms = weightForms(other);
    const auto layers = TRY(layersByWeight(other, options));
    decision::Judge judge(options.choice);
    totals.moved.assign(survey.targets.size(), 0);
    std::vector<std::vector<roofline::LayerTime>> times(survey.targets.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const auto &ofWeight = layers[i];
        const auto chips = chipFigures(ofWeight, forms[i], survey.roofs, judge, options.batch);
        for (std::size_t t = 0; t < chips.size(); ++t) {
            addBytes(totals.moved[t], chips[t].moved);
            for (std::size_t j = 0; j < ofWeight.size(); ++j)
                times[t].push_back({&ofWeight[j], chips[t].layerS[j], chips[t].refusal});
        }
    }
    for (std::size_t t = 0; t < survey.targets.size(); ++t)
        totals.programs.push_back(roofline::programTime(times[t], survey.roofs[t]));
    return {};
}

/// Error of each row that has a partner in the other build; 0 of the others.
Result<std::vector<double>> errorsOfRows(const Bundle &bundle, const Survey &survey,
                                         const SurveyOptions &options, const Bundle &other,
                                         const std::vector<std::optional<std::size_t>> &partners)
{
    std::vector<double> errors(survey.rows.size(), 0);
    std::mutex mutex;
    std::optional<Error> failed;
    inParallel(survey.rows.size(), options.threads, [&](std::size_t r) {
        if (!partners[r] || !survey.rows[r].candidates)
            return true;
        const auto error = buildError(bundle, survey.rows[r], options, other, *partners[r]);
        const bool on = options.progress == nullptr || !options.progress->cancelled();
        if (error && on) {
            errors[r] = *error;
            return true;
        }
        const std::lock_guard lock(mutex);
        failed = error ? cancelledError("The comparison was cancelled") : error.error();
        return false;
    });
    if (failed)
        return tl::unexpected(std::move(*failed));
    return errors;
}

} // namespace

decision::WeightForm sizedForm(decision::WeightForm form, const WeightValues &values,
                               const codec::EncodedWeight &encoded, const StoredParts &how)
{
    form.storedBytes = storedBytes(values, encoded, how);
    form.zeroPoint = hasOffsets(encoded);
    const codec::EncodedPart *kept = encoded.part(codec::PartRole::NonzeroData);
    const auto survivors = kept != nullptr ? elementCount(kept->shape) : std::nullopt;
    if (form.masked && survivors && !values.values.empty())
        form.density = std::min(1.0, static_cast<double>(survivors->value) /
                                         static_cast<double>(values.values.size()));
    return form;
}

std::vector<ChipFigures> chipFigures(const std::vector<roofline::Layer> &layers,
                                     const decision::WeightForm &form,
                                     const std::vector<roofline::Roofs> &roofs,
                                     decision::Judge &judge, std::uint64_t batch)
{
    std::vector<ChipFigures> chips;
    for (const roofline::Roofs &chip : roofs) {
        ChipFigures sum;
        sum.timeS = 0.0;
        const decision::Decision decided = judge.decide(form, *chip.target);
        sum.outcome = decided.outcome();
        sum.verdict = decided.verdict;
        sum.moved = roofline::bytesMoved(layers, form, decided, batch);
        const std::uint64_t most =
            decision::crossingBytes(form, sum.outcome).value_or(form.denseBytes);
        for (const roofline::Layer &layer : layers) {
            const auto answer = roofline::assess(layer, form, chip, judge, batch);
            sum.layerS.push_back(answer.timeS);
            sum.refusal = roofline::refusalOf(answer);
            if (!layer.onEngine())
                continue; // no part in the engine's bytes and times
            sum.movedAtMost += answer.weightBytes.value_or(most);
            addTime(sum.timeS, layer.ofRuns(answer.timeS));
        }
        chips.push_back(sum);
    }
    return chips;
}

std::size_t hashOf(const TriedForm &tried)
{
    return HashSum(tried.name, tried.form, tried.stored, tried.method, tried.sampled, tried.refused)
        .value();
}

bool Usage::sameAs(const Usage &other) const
{
    return form.use == other.form.use && model == other.model && opset == other.opset &&
           std::ranges::equal(layers, other.layers, sameLayer);
}

std::string Opsets::reach(const std::string &model, unsigned opset)
{
    const auto known = m_reached.find({model, opset});
    if (known != m_reached.end())
        return known->second;
    const auto checked = checkOpset(m_bundle, model, opset);
    std::string why = checked ? std::string() : checked.error().message;
    if (!checked && !checked.error().field.empty())
        why += " (" + checked.error().field + ")";
    return m_reached.emplace(std::pair(model, opset), std::move(why)).first->second;
}

std::string Opsets::refusal(const Usage &usage, const std::string &form,
                            const codec::EncodedWeight &encoded)
{
    const std::lock_guard lock(m_mutex);
    auto required = m_required.find({form, usage.opset});
    if (required == m_required.end())
        required =
            m_required.emplace(std::pair(form, usage.opset), requiredOpset(encoded, usage.opset))
                .first;
    if (!required->second)
        return required->second.error().message;
    if (*required->second <= usage.opset)
        return {};
    const std::string why = reach(usage.model, *required->second);
    return why.empty() ? why
                       : fmt::format("needs the operation set ios{}: {}", *required->second, why);
}

/// What a chip says against a form; empty where all take it.
std::string ContentJudge::refusal(const decision::WeightForm &form)
{
    for (std::size_t t = 0; t < m_options.targets.size(); ++t) {
        const target::Target &target = *m_options.targets[t];
        const auto key = std::pair(t, form.signature());
        auto known = m_encoderRefusals.find(key);
        if (known == m_encoderRefusals.end()) {
            const auto rule = decision::encoderRefusal(form, target);
            std::string why;
            const auto verdict = m_judge.verdict(form, target);
            if (rule)
                why = fmt::format("no encoder of {} writes it: {}", target.name, rule->gate);
            else if (verdict->outcome == Outcome::Rejected)
                why = fmt::format("refused on {}: {}", target.name,
                                  verdict->refusedBy.empty() ? verdict->basis : verdict->refusedBy);
            else if (verdict->outcome == Outcome::Unknown)
                why = fmt::format("what {} does with it is not known", target.name);
            known = m_encoderRefusals.emplace(key, std::move(why)).first;
        }
        if (!known->second.empty())
            return known->second;
    }
    return {};
}

ContentJudge::Layers ContentJudge::layersOf(const Usage &usage)
{
    std::vector<roofline::Layer> bare = usage.layers;
    for (roofline::Layer &layer : bare) {
        layer.name.clear();
        layer.weight = layer.consumer = 0;
    }
    return m_layers.get(std::move(bare));
}

void ContentJudge::takeForm(TriedForm &tried, const Tried &by, decision::WeightForm form)
{
    constexpr std::size_t kMostForms = 4096;
    FiguresByForm &figures = m_figures[by.layers];
    auto known = figures.find(form);
    if (known == figures.end()) {
        if (figures.size() >= kMostForms)
            figures.clear();
        auto chips = chipFigures(by.usage.layers, form, m_roofs, m_judge, m_options.batch);
        known = figures.emplace(form, std::move(chips)).first;
    }
    tried.chips = known->second;
    tried.form = std::move(form);
}

void ContentJudge::keep(Tried &all)
{
    TriedForm kept;
    kept.name = kKeep;
    kept.stored = all.usage.form.storedBytes.value_or(0); // known: what cannot be read stays
    takeForm(kept, all, all.usage.form);
    for (std::size_t t = 0; t < kept.chips.size(); ++t) {
        if (kept.chips[t].outcome == Outcome::Rejected)
            kept.refused = "refused on " + m_options.targets[t]->name;
    }
    all.candidates.push_back({m_tried.get(std::move(kept)), 0});
}

void ContentJudge::tryForm(Content &content, const WeightValues &values,
                           const codec::FormSpec &spec, std::vector<Tried> &all)
{
    const std::string name = formName(spec);
    std::vector<TriedForm> made;
    bool wanted = false;
    for (const Usage &usage : content.usages) {
        TriedForm tried;
        tried.name = name;
        tried.spec = std::shared_ptr<const codec::FormSpec>(content.forms, &spec);
        tried.form = proposedForm(spec, usage.form, values.type);
        tried.refused = refusal(tried.form);
        tried.sampled = values.sampled();
        wanted |= tried.refused.empty();
        made.push_back(std::move(tried));
    }
    const auto encoded = wanted ? encodeAs(values, spec, m_options.model) : tl::unexpected(Error{});
    content.encodings += wanted ? 1 : 0;
    for (std::size_t u = 0; u < made.size(); ++u) {
        TriedForm &tried = made[u];
        double error = 0;
        if (tried.refused.empty() && !encoded)
            tried.refused = "cannot be encoded: " + describe(encoded.error());
        if (tried.refused.empty())
            tried.refused = m_opsets.refusal(content.usages[u], name, encoded->weight);
        if (tried.refused.empty()) {
            takeForm(tried, all[u], sizedForm(tried.form, values, encoded->weight, m_storedParts));
            tried.stored = *tried.form.storedBytes;
            tried.method = encoded->method;
            error = encoded->error;
        }
        all[u].candidates.push_back({m_tried.get(std::move(tried)), error});
    }
}

Result<void> ContentJudge::judge(Content &content)
{
    const auto values = TRY(weightValues(m_bundle, content.weight, content.axes, content.inputs,
                                         m_options.mostElements));
    content.energy = energy(values);
    constexpr std::size_t kMostLayers = 4096;
    if (m_figures.size() >= kMostLayers)
        m_figures.clear();
    std::vector<Tried> tried;
    for (const Usage &usage : content.usages)
        keep(tried.emplace_back(Tried{usage, layersOf(usage), {}}));
    for (const codec::FormSpec &spec : *content.forms) {
        tryForm(content, values, spec, tried);
        if (m_options.progress != nullptr && !m_options.progress->advance(values.values.size())) {
            return tl::unexpected(cancelledError("The plan was cancelled"));
        }
    }
    for (std::size_t u = 0; u < tried.size(); ++u)
        content.usages[u].candidates =
            std::make_shared<const CandidateList>(std::move(tried[u].candidates));
    return {};
}

Result<Build> measureBuild(const Bundle &bundle, const Survey &survey, const SurveyOptions &options,
                           const Bundle &other)
{
    Build build;
    build.name = other.name();
    const auto partners = partnersOf(bundle, survey, other);
    const auto errors = TRY(errorsOfRows(bundle, survey, options, other, partners));
    double squared = 0, energy = 0;
    for (std::size_t r = 0; r < survey.rows.size(); ++r) {
        const Row &row = survey.rows[r];
        if (!row.candidates)
            continue;
        if (!partners[r]) {
            build.unpaired.push_back(survey.names[r]);
            continue;
        }
        ++build.paired;
        const double error = errors[r] * row.sensitivity;
        squared += error * error * row.energy;
        energy += row.energy;
        if (error > build.totals.largestError) {
            build.totals.largestError = error;
            build.totals.largest = r;
        }
    }
    if (build.paired == 0) {
        Error none =
            valueError("plan.build", {}, "weights that are read as those of " + bundle.name(),
                       "none", "Not a build of the network that is planned");
        none.file = other.name();
        return tl::unexpected(std::move(none));
    }
    build.totals.error = energy > 0 ? std::sqrt(squared / energy) : 0;
    build.totals.stored = other.totals().storedBytes.value;
    build.totals.unread = weightsOfUnknownBytes(other);
    TRY(addChips(other, survey, options, build.totals));
    return build;
}

} // namespace kernscope::plan
