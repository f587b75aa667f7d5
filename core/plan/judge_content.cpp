// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/judge_content.h"

#include "core/patch/reencode/raise_opset.h"

#include <algorithm>

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

const codec::EncodedPart *partOf(const codec::EncodedWeight &encoded, codec::PartRole role)
{
    const auto at = std::find_if(encoded.parts.begin(), encoded.parts.end(),
                                 [role](const auto &part) { return part.role == role; });
    return at == encoded.parts.end() ? nullptr : &*at;
}

/// Offsets that turned out to be 0 are none.
bool hasOffsets(const codec::EncodedWeight &encoded)
{
    return std::any_of(
        encoded.parts.begin(), encoded.parts.end(), [](const codec::EncodedPart &part) {
            const bool offset =
                part.role == codec::PartRole::ZeroPoint || part.role == codec::PartRole::Offset;
            return offset && std::any_of(part.bytes.begin(), part.bytes.end(),
                                         [](std::byte b) { return b != std::byte{0}; });
        });
}

} // namespace

decision::WeightForm sizedForm(decision::WeightForm form, const WeightValues &values,
                               const codec::EncodedWeight &encoded)
{
    form.storedBytes = storedBytes(values, encoded);
    form.zeroPoint = hasOffsets(encoded);
    const codec::EncodedPart *kept = partOf(encoded, codec::PartRole::NonzeroData);
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

bool Usage::sameAs(const Usage &other) const
{
    return form.use == other.form.use && model == other.model && opset == other.opset &&
           std::equal(layers.begin(), layers.end(), other.layers.begin(), other.layers.end(),
                      sameLayer);
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

void ContentJudge::takeForm(TriedForm &tried, const Usage &usage, const decision::WeightForm &form)
{
    tried.form = m_parts.form(form);
    if (const auto *known = m_parts.chips(tried.form, usage.layers))
        tried.chips = *known;
    else
        tried.chips =
            m_parts.keep(tried.form, usage.layers,
                         chipFigures(usage.layers, form, m_roofs, m_judge, m_options.batch));
}

void ContentJudge::keep(const Usage &usage, Tried &all)
{
    TriedForm kept;
    kept.name = m_parts.text(std::string(kKeep));
    kept.stored = usage.form.storedBytes.value_or(0); // known: what cannot be read stays
    takeForm(kept, usage, usage.form);
    for (std::size_t t = 0; t < kept.chips.size(); ++t) {
        if (kept.chips[t].outcome == Outcome::Rejected)
            kept.refused = m_parts.text("refused on " + m_options.targets[t]->name);
    }
    all.forms.push_back(m_parts.tried(std::move(kept)));
    all.errors.push_back(0);
}

void ContentJudge::tryForm(Content &content, const WeightValues &values,
                           const codec::FormSpec &spec, std::vector<Tried> &all)
{
    const std::string name = formName(spec);
    std::vector<TriedForm> made;
    bool wanted = false;
    for (const Usage &usage : content.usages) {
        TriedForm tried;
        tried.name = m_parts.text(name);
        tried.spec = std::shared_ptr<const codec::FormSpec>(content.forms, &spec);
        tried.form = m_parts.form(proposedForm(spec, usage.form, values.type));
        tried.refused = m_parts.text(refusal(tried.form));
        tried.sampled = values.sampled();
        wanted |= tried.refused.empty();
        made.push_back(std::move(tried));
    }
    const auto encoded = wanted ? encodeAs(values, spec, m_options.model) : tl::unexpected(Error{});
    content.encodings += wanted ? 1 : 0;
    for (std::size_t u = 0; u < made.size(); ++u) {
        TriedForm &tried = made[u];
        const Usage &usage = content.usages[u];
        double error = 0;
        if (tried.refused.empty() && !encoded)
            tried.refused = m_parts.text("cannot be encoded: " + describe(encoded.error()));
        if (tried.refused.empty())
            tried.refused = m_parts.text(m_opsets.refusal(usage, name, encoded->weight));
        if (tried.refused.empty()) {
            takeForm(tried, usage, sizedForm(tried.form, values, encoded->weight));
            tried.stored = *tried.form->storedBytes;
            tried.method = encoded->method;
            error = encoded->error;
        }
        all[u].forms.push_back(m_parts.tried(std::move(tried)));
        all[u].errors.push_back(error);
    }
}

Result<void> ContentJudge::judge(Content &content)
{
    const auto values = weightValues(m_bundle, content.weight, content.axes, content.inputs,
                                     m_options.mostElements);
    if (!values)
        return tl::unexpected(values.error());
    content.energy = energy(*values);
    std::vector<Tried> tried(content.usages.size());
    for (std::size_t u = 0; u < tried.size(); ++u)
        keep(content.usages[u], tried[u]);
    for (const codec::FormSpec &spec : *content.forms) {
        tryForm(content, *values, spec, tried);
        if (m_options.progress != nullptr && !m_options.progress->advance(values->values.size())) {
            return tl::unexpected(cancelledError("The plan was cancelled"));
        }
    }
    for (std::size_t u = 0; u < tried.size(); ++u)
        content.usages[u].candidates = std::make_shared<const CandidateList>(
            m_parts.forms(std::move(tried[u].forms)), tried[u].errors);
    return {};
}

} // namespace kernscope::plan
