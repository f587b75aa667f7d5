// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/stream.h"

#include "core/assessment/assess.h"
#include "core/format/table_rows.h"

#include <fmt/format.h>

namespace kernscope::decision {

namespace {

constexpr std::array<std::string_view, 5> kOutcomes{"streams", "folds", "dense", "rejected",
                                                    "unknown"};

/// What tables 7.1 and 7.4 and later measurements say of a form on a target, before any gate.
struct TableOutcome {
    std::string form, scope;
    Outcome outcome = Outcome::Unknown;
    std::string basis, source, note;
    format::Confidence confidence = format::Confidence::Documented;
};

/// What the gates alone say.
Outcome gateOutcome(const WeightForm &form, const GateReasons &gates)
{
    if (form.node == FormNode::Unknown)
        return Outcome::Unknown;
    if (!form.compressed())
        return form.element == ElementType::Fp8E5M2 ? Outcome::Folds : Outcome::Dense;
    if (gates.formatRefused)
        return Outcome::Rejected;
    if (gates.formatUnknown)
        return Outcome::Unknown;
    if (gates.useFails || gates.noStreamedForm || gates.gateClear)
        return Outcome::Folds;
    return gates.gateUnknown ? Outcome::Unknown : Outcome::Streams;
}

/// The name by which a table speaks of the form; empty where none is about it: several codebooks,
/// quantised codebooks, blocks of floating point.
std::string tableKey(const WeightForm &form)
{
    const bool palette = form.isPalette();
    if (palette && form.vectorSize > 1)
        return "vector-palette";
    if (!form.plain() || (palette && form.codebooks > 1))
        return {};
    return form.key();
}

/// A rule about the width of indices that a measurement of that width on the chip contradicts is
/// open there (a table names the width of a palette, and nothing else that encoders have rules
/// for). What its compiler was seen to refuse is refused like by a rule.
void heedMeasurement(const TableOutcome &table, const target::Target &target, GateReasons &gates)
{
    if (table.outcome == Outcome::Rejected) {
        Reason refusal;
        refusal.gate = "compiler";
        refusal.required = "a form that the compiler takes";
        refusal.found = table.note.empty() ? "refused" : table.note;
        refusal.passes = false;
        refusal.source = table.source;
        refusal.confidence = table.confidence;
        refusal.encoder = true;
        gates.all.push_back(std::move(refusal));
        gates.formatRefused = true;
        return;
    }
    if (table.basis != "measured" || table.outcome != Outcome::Streams)
        return;
    for (Reason &reason : gates.all) {
        if (!reason.gate.ends_with("index width") || reason.passes.value_or(true))
            continue;
        reason.passes.reset();
        reason.confidence = format::Confidence::Contested;
        reason.note += fmt::format("{}the form was measured on {} ({})",
                                   reason.note.empty() ? "" : "; ", target.name, table.source);
        gates.formatRefused = false;
    }
}

/// Something that can be changed of a form, alone or with others.
struct Change {
    std::string_view words;
    bool (*applies)(const WeightForm &);
    void (*apply)(WeightForm &);
};

/// Changes of the form that the weight has.
constexpr std::array<Change, 6> kChanges{
    {{"zero point 0", [](const WeightForm &form) { return form.zeroPoint; },
      [](WeightForm &form) { form.zeroPoint = false; }},
     {"one codebook", [](const WeightForm &form) { return form.isPalette() && form.codebooks > 1; },
      [](WeightForm &form) { form.codebooks = 1; }},
     {"vectors of 1",
      [](const WeightForm &form) { return form.isPalette() && form.vectorSize > 1; },
      [](WeightForm &form) { form.vectorSize = 1; }},
     {"fp16 codebook entries",
      [](const WeightForm &form) { return form.isPalette() && form.element != ElementType::Fp16; },
      [](WeightForm &form) { form.element = ElementType::Fp16; }},
     {"4-bit indices", [](const WeightForm &form) { return form.isPalette() && form.bits != 4; },
      [](WeightForm &form) { form.bits = 4; }},
     {"8-bit indices", [](const WeightForm &form) { return form.isPalette() && form.bits != 8; },
      [](WeightForm &form) { form.bits = 8; }}}};

/// Another form in place of the one it has.
struct OtherForm {
    std::string_view key, words;
};
constexpr std::array<OtherForm, 5> kForms{{{"palette4", "a palette of 4-bit indices"},
                                           {"palette8", "a palette of 8-bit indices"},
                                           {"sparse", "a mask and its values (sparse)"},
                                           {"int8", "int8 with a scale a channel and no zero "
                                                    "point"},
                                           {"blockwise", "int8 with a scale a block"}}};

WeightForm fresh(const WeightForm &form, std::string_view key)
{
    WeightForm other;
    other.use = form.use;
    other.elements = form.elements;
    other.denseBytes = form.denseBytes;
    other.density = form.density;
    if (key == "sparse") {
        other.masked = true;
    } else if (key.starts_with("palette")) {
        other.node = FormNode::Palette;
        other.bits = key == "palette4" ? 4 : 8;
    } else {
        other.node = key == "int8" ? FormNode::Affine : FormNode::Blockwise;
        other.bits = 8;
        other.element = ElementType::Int8;
    }
    return other;
}

/// Less than half of it is zeros, or their share is not known.
bool isToBePruned(const WeightForm &form, std::string_view key)
{
    return key == "sparse" && !roofline::asForm(form, key);
}

/// Whether the form, pruned where it must be, takes fewer bytes than dense fp16. Of a weight whose
/// shape is not known that is taken to be so.
bool isSmaller(const WeightForm &form, std::string_view key)
{
    if (form.shape.empty())
        return true;
    WeightForm pruned = form;
    if (isToBePruned(form, key)) {
        pruned.density = 0.5;
        pruned.nonzero.reset();
    }
    const auto sized = roofline::sizedForm(pruned, key);
    return sized && sized->storedBytes && *sized->storedBytes < form.denseBytes;
}

/// Sets of changes by their size; only the smallest ones that help are kept.
class Search
{
public:
    Search(const WeightForm &form, const target::Target &target) : m_form(form), m_target(target)
    {
        for (const Change &change : kChanges) {
            if (change.applies(form))
                m_changes.push_back(&change);
        }
    }

    /// The sets of the smallest size, in words, joined by "; or "; empty where there is none.
    std::string run()
    {
        // More than three things at once is no change of the form but another one.
        for (std::size_t size = 1; size <= 3 && m_found.empty(); ++size) {
            subsets(m_form, {}, 0, size);
            forms(size);
        }
        return m_found;
    }
    /// Whether some other form would stream, but saves no bytes.
    bool savesNothing() const { return m_savesNothing; }

private:
    bool streams(const WeightForm &form) const
    {
        return judgeForm(form, m_target).outcome == Outcome::Streams;
    }
    void keep(const std::string &words) { m_found += (m_found.empty() ? "" : "; or ") + words; }

    void subsets(const WeightForm &form, const std::string &words, std::size_t from,
                 std::size_t left)
    {
        if (left == 0) {
            if (streams(form))
                keep("with " + words);
            return;
        }
        for (std::size_t i = from; i < m_changes.size(); ++i) {
            const Change &change = *m_changes[i];
            if (!change.applies(form))
                continue; // 4-bit and 8-bit indices exclude each other only by the order
            WeightForm changed = form;
            change.apply(changed);
            subsets(changed, words + (words.empty() ? "" : " and ") + std::string(change.words),
                    i + 1, left - 1);
        }
    }

    /// Another form is one change; to prune a weight for it is a second one.
    void forms(std::size_t size)
    {
        for (const OtherForm &other : kForms) {
            const bool prune = isToBePruned(m_form, other.key);
            if (m_form.key() == other.key || size != (prune ? 2U : 1U) ||
                !streams(fresh(m_form, other.key)))
                continue;
            if (!isSmaller(m_form, other.key)) {
                m_savesNothing = true;
                continue;
            }
            keep("stored as " + std::string(other.words) +
                 (prune ? ", pruned to at least half zeros" : ""));
        }
    }

    const WeightForm &m_form;
    const target::Target &m_target;
    std::vector<const Change *> m_changes;
    std::string m_found;
    bool m_savesNothing = false;
};

/// What stands against every form: the first condition of the use that fails.
std::string obstacle(const Verdict &verdict)
{
    for (const Reason &reason : verdict.reasons) {
        const bool ofUse = reason.gate == "unit stride" || reason.gate == "no dilation" ||
                           reason.gate == "no tile overlap" || reason.gate == "immutable weight";
        if (ofUse && reason.passes && !*reason.passes)
            return fmt::format(": {} ({}) folds every form", reason.found, reason.gate);
    }
    return {};
}

/// One sentence: the smallest set of changes that can be made when the weight is compressed (form,
/// width, codebooks, symmetry, share of zeros) after which it streams on the verdict's target, each
/// set tried by judging the changed form. Another form counts only where its bytes are fewer than
/// the dense fp16 ones. Says so where there is none, where it streams already, and where no kernel
/// of the engine reads the weight, for the gates apply to kernels, and a bias is always dense.
std::string nearestChange(const WeightForm &form, const Verdict &verdict)
{
    if (verdict.outcome == Outcome::Streams)
        return "None is needed: it streams.";
    const std::string &chip = verdict.target->name;
    if (form.node == FormNode::Unknown)
        return "Nothing can be said: how the weight is stored could not be read.";
    if (form.elements == 0)
        return "No change of form saves anything: the weight has no elements.";
    if (form.use.elsewhere)
        return "What reads the weight runs on another backend than the engine.";
    if (form.use.bias)
        return "A bias is always dense: it is added to what the operation that reads it "
               "makes.";
    Search search(form, *verdict.target);
    const std::string found = form.use.layer ? search.run() : std::string();
    if (!found.empty())
        return fmt::format("It streams on {} {}.", chip, found);
    if (form.use.kernel && !*form.use.kernel)
        return fmt::format(
            "No change is known{}: the gates apply to kernels (conv, linear, "
            "matmul), and another operation reads the weight.",
            verdict.outcome == Outcome::Rejected
                ? fmt::format(" that makes it stream, but {} takes it as dense fp16", chip)
                : "");
    if (search.savesNothing())
        return fmt::format(
            "No change saves anything: in every form that streams on {} the weight takes "
            "no fewer bytes than as dense fp16.",
            chip);
    if (verdict.outcome == Outcome::Unknown)
        return fmt::format("No change is known: what {} needs to stream a weight is not published.",
                           chip);
    return fmt::format("No change of form, width, symmetry or zeros makes it stream on {}{}.", chip,
                       obstacle(verdict));
}

/// What that sentence depends on beside WeightForm::signature(): equal for forms of equal signature
/// that get the same one.
std::string nearestChangeKey(const WeightForm &form)
{
    std::string key = form.use.elsewhere ? "/elsewhere/"
                      : form.use.bias    ? "/bias/"
                      : form.use.layer   ? "/"
                                         : "/other/";
    for (const OtherForm &other : kForms) {
        key += isToBePruned(form, other.key) ? 'p' : '-';
        key += isSmaller(form, other.key) ? '1' : '0';
    }
    return key;
}

/// The cap and the layout of a target's kernel memory, for streamed weights or for others; the
/// demand of no weight.
KernelMemory kernelMemoryCap(const target::Target &target, bool streamed,
                             std::optional<unsigned> cores)
{
    KernelMemory memory;
    memory.offset = streamed ? target::hal::kStreamedCap : target::hal::kDenseCap;
    const target::HalValue *cap =
        target::halValue(target, target::HalLayout::Chapters, memory.offset);
    if (!cap) {
        const auto later = streamed ? target::hal::kLaterStreamedCap : target::hal::kLaterDenseCap;
        cap = target::halValue(target, target::HalLayout::Later, later);
        if (cap) {
            memory.layout = target::HalLayout::Later;
            memory.offset = later;
        }
    }
    if (cap && cap->number && *cap->number > 0) {
        memory.cap = static_cast<std::uint64_t>(*cap->number);
        memory.source = cap->source;
    }
    // Where the cores do not share one kernel memory, every core has a copy (chapter 25).
    memory.replicated = !target::sharesKernelMemory(target).value_or(true);
    memory.cores = cores;
    const target::TargetRule *rule = target::targetRule(target, "kernel_memory");
    memory.contested = rule && rule->confidence == format::Confidence::Contested;
    memory.atMost = !memory.replicated && (!rule || !cores);
    return memory;
}

const std::vector<TableOutcome> &tableOutcomes()
{
    static const auto outcomes = tables::loadRows<TableOutcome>(
        "stream_outcomes", {{"form", &TableOutcome::form},
                            {"scope", &TableOutcome::scope},
                            {"outcome",
                             [](TableOutcome &row, std::string_view cell) {
                                 row.outcome = outcomeFromName(cell).value_or(Outcome::Unknown);
                             }},
                            {"basis", &TableOutcome::basis},
                            {"source", &TableOutcome::source},
                            {"note", &TableOutcome::note},
                            {"confidence", &TableOutcome::confidence}});
    return outcomes;
}

const TableOutcome *tableOutcome(const std::string &key, const target::Target &target)
{
    const TableOutcome *found = nullptr;
    for (const TableOutcome &row : tableOutcomes()) {
        if (row.form != key)
            continue;
        if (row.scope == target.name)
            return &row;
        if (!target.family.empty() && row.scope == target.family)
            found = &row;
    }
    return found;
}

} // namespace

std::string_view outcomeName(Outcome outcome)
{
    return kOutcomes[std::size_t(outcome)];
}

std::optional<Outcome> outcomeFromName(std::string_view name)
{
    for (std::size_t i = 0; i < kOutcomes.size(); ++i) {
        if (kOutcomes[i] == name)
            return Outcome(i);
    }
    return std::nullopt;
}

std::optional<Reason> encoderRefusal(WeightForm form, const target::Target &target)
{
    form.use = {};
    Verdict verdict = judgeForm(form, target);
    for (Reason &reason : verdict.reasons) {
        if (reason.encoder && reason.passes && !*reason.passes)
            return std::move(reason);
    }
    return std::nullopt;
}

Verdict judgeForm(const WeightForm &form, const target::Target &target)
{
    Verdict verdict;
    verdict.target = &target;
    verdict.key = form.key();
    GateReasons gates = consultGates(form, target);
    const Outcome byGates = gateOutcome(form, gates);
    const std::string key = tableKey(form);
    const TableOutcome *table = key.empty() ? nullptr : tableOutcome(key, target);
    if (table)
        heedMeasurement(*table, target, gates);
    verdict.outcome = gateOutcome(form, gates);
    verdict.reasons = std::move(gates.all);
    verdict.disagreements = std::move(gates.disagreements);
    for (const Reason &reason : verdict.reasons) {
        if (reason.encoder && reason.passes && !*reason.passes && verdict.refusedBy.empty())
            verdict.refusedBy = reason.gate;
    }
    verdict.basis = "gates (chapter 25; chapter 7, table 7.2)";
    // A table speaks of the form in itself; a use that fails a gate folds it all the same, unless
    // it is refused in any use.
    if (!table || (gates.useFails && table->outcome != Outcome::Rejected))
        return verdict;
    if (table->outcome != byGates) {
        verdict.disagreements.push_back(fmt::format(
            "{} has it {}{}; the gates by themselves say {}.", table->source,
            outcomeName(table->outcome), table->note.empty() ? "" : " (" + table->note + ")",
            byGates == Outcome::Unknown ? "nothing, since their bytes are not known here"
                                        : outcomeName(byGates)));
    }
    verdict.outcome = table->outcome;
    verdict.basis = table->source;
    verdict.note = table->note;
    verdict.confidence = table->confidence;
    return verdict;
}

std::optional<std::uint64_t> crossingBytes(const WeightForm &form, Outcome outcome)
{
    if (outcome == Outcome::Streams)
        return form.storedBytes;
    if (form.node == FormNode::Unknown)
        return std::nullopt;
    // Of a weight whose shape could not be read, no size is known.
    return form.elements == 0 && !form.storedBytes ? std::nullopt : std::optional(form.denseBytes);
}

Judge::Row &Judge::rowOf(const WeightForm &form)
{
    if (const auto known = m_rows.find(form); known != m_rows.end())
        return *known->second;
    if (m_rows.size() >= kMostForms)
        m_rows.clear();
    // Forms of equal keys get the same verdicts, the nearest change included.
    Row &row = m_verdicts[form.signature() + nearestChangeKey(form)];
    row.resize(target::targets().size());
    m_rows.emplace(form, &row);
    return row;
}

std::shared_ptr<const Verdict> Judge::verdict(const WeightForm &form, const target::Target &target)
{
    auto &slot = rowOf(form)[target.index];
    if (!slot) {
        auto made = std::make_shared<Verdict>(judgeForm(form, target));
        made->nearestChange = nearestChange(form, *made);
        slot = std::move(made);
    }
    return slot;
}

std::span<const std::shared_ptr<const Verdict>> Judge::verdicts(const WeightForm &form)
{
    const Row &row = rowOf(form);
    if (std::ranges::find(row, nullptr) != row.end()) {
        for (const target::Target &target : target::targets())
            verdict(form, target);
    }
    return row;
}

KernelMemory Judge::memory(const WeightForm &form, const Verdict &verdict)
{
    if (m_caps.empty()) {
        for (const target::Target &each : target::targets()) {
            const auto chosen = target::cores(each, m_choice);
            const auto cores = chosen ? chosen->value : each.cores;
            m_caps.push_back(
                {kernelMemoryCap(each, false, cores), kernelMemoryCap(each, true, cores)});
        }
    }
    const bool streamed = verdict.outcome == Outcome::Streams;
    return withDemand(m_caps[verdict.target->index][streamed ? 1 : 0],
                      crossingBytes(form, verdict.outcome));
}

Decision Judge::sized(const WeightForm &form, std::shared_ptr<const Verdict> verdict)
{
    Decision decision;
    const Outcome outcome = verdict->outcome;
    decision.memory = memory(form, *verdict);
    if (outcome != Outcome::Rejected && outcome != Outcome::Unknown)
        decision.bytesMoved = crossingBytes(form, outcome);
    decision.verdict = std::move(verdict);
    return decision;
}

Decision Judge::decide(const WeightForm &form, const target::Target &target)
{
    return sized(form, verdict(form, target));
}

// Caps on kernel memory.

KernelMemory withDemand(KernelMemory memory, const std::optional<std::uint64_t> &weight)
{
    if (!weight)
        return memory;
    const std::uint64_t bytes = *weight;
    const std::uint64_t cores = std::max(memory.cores.value_or(1), 1U);
    const auto demandOf = [&](std::uint64_t share) {
        return bytes / share + (bytes % share == 0 ? 0 : 1);
    };
    const std::uint64_t demand = demandOf(memory.replicated || memory.atMost ? 1 : cores);
    memory.demand = demand;
    if (memory.contested && memory.cores)
        memory.otherDemand = demandOf(memory.replicated ? cores : 1);
    if (memory.cap) {
        memory.fits = demand <= *memory.cap;
        if (memory.atMost && !*memory.fits)
            memory.fits.reset(); // a share of it may fit
        if (memory.otherDemand)
            memory.otherFits = *memory.otherDemand <= *memory.cap;
        memory.sublayers =
            std::max<std::uint64_t>(1, demand / *memory.cap + (demand % *memory.cap == 0 ? 0 : 1));
    }
    return memory;
}

} // namespace kernscope::decision
