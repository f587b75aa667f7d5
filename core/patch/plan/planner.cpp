// SPDX-License-Identifier: GPL-3.0-or-later
// Typed edits turned into bytes, on files of the planner's own.
#include "core/patch/plan/planner.h"

#include "core/bundle/open/bundle_builder.h"
#include "core/bundle/stored_values.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

namespace kernscope {

namespace patch {

namespace {

Error planError(std::string_view code, std::string expected, std::string found, std::string message)
{
    return valueError(code, {}, expected, found, message);
}

double decoded(const codec::Decoder &decoder, std::uint64_t element)
{
    float value = 0;
    decoder.decodeFloat(element, std::span(&value, 1));
    return static_cast<double>(value);
}

Result<codec::EditPlan> planTable(const codec::Editor &editor, const Edit &edit, double tolerance)
{
    const auto index = [&edit](std::size_t i) {
        return i < edit.indices.size() ? edit.indices[i].start : 0;
    };
    if (edit.kind == Edit::Kind::Codebook)
        return editor.setCodebookEntry(index(0), index(1), index(2), edit.value, tolerance);
    if (edit.kind == Edit::Kind::Scale)
        return editor.setScale(index(0), edit.value, tolerance);
    return editor.setStored(edit.part, index(0), edit.stored, edit.storedBeyond);
}

Result<codec::EditPlan> planElement(const codec::Editor &editor, const Edit &edit,
                                    std::uint64_t element, double tolerance)
{
    if (edit.kind == Edit::Kind::Keep)
        return editor.keep(element, edit.value, tolerance);
    if (edit.kind == Edit::Kind::Drop)
        return editor.drop(element);
    return editor.setElement(element, edit.value, tolerance);
}

std::string storedText(const codec::Encoding &encoding, codec::PartRole role, std::uint64_t index)
{
    const auto part = storedPart(encoding, role);
    const auto code = part ? codec::operandCode(*part->operand, part->width,
                                                codec::storedIndex(*part->operand, index))
                           : std::nullopt;
    return code ? codeText(part->operand->type, *code) : std::string();
}

} // namespace

Result<std::uint64_t> singleElement(const Edit &edit, const Shape &shape)
{
    auto selection = TRY(ElementSelection::make(edit.indices, shape));
    if (selection.elements() != 1) {
        return tl::unexpected(planError(
            "patch.index", fmt::format("1 or {} indices for {}", shape.size(), shapeText(shape)),
            fmt::format("{} indices, which choose {} elements", edit.indices.size(),
                        selection.elements()),
            "One element must be named"));
    }
    return selection.next().first;
}

std::string elementText(const codec::Decoder &decoder, std::uint64_t element)
{
    if (!decoder.stored(element))
        return "not stored";
    const ElementType type = decoder.type();
    const auto *wide = exactInFloat(type) ? nullptr : plainOperand(decoder);
    const auto code = wide ? codec::operandCode(*wide, bitWidth(type), element) : std::nullopt;
    if (code)
        return isFloatingPoint(type) ? valueText(codeValue(type, *code), type)
                                     : codeText(type, *code);
    return valueText(decoded(decoder, element));
}

Result<AppliedEdit> Planner::plan(const Edit &edit, bool last)
{
    m_applied = AppliedEdit{};
    m_applied.edit = edit;
    if (edit.isRaw())
        return planRaw(edit);
    m_weight = TRY(findWeight(*m_bundle, edit.weight));
    auto planner = TRY(WeightPlanner::make(m_bundle, m_weight, m_recorder));
    auto planned = planBytes(edit, planner);
    // Of a part that is not the weight's alone that is the reason.
    if (!planned && planner.weight().elements.value > 0)
        TRY(checkEditedPart(*m_bundle, planner.weight(), edit));
    if (planned)
        planned = planner.finish();
    if (!planned)
        return tl::unexpected(std::move(planned.error()));
    m_applied.tables = planner.changedTables();
    const auto others = planner.alsoChanged();
    if (!others.empty()) {
        m_applied.note += fmt::format("{}also changes {}", m_applied.note.empty() ? "" : "; ",
                                      fmt::join(others, ", "));
    }
    m_applied.bytes = m_recorder.take(last && !m_applied.tables);
    if (m_applied.bytes.empty())
        m_applied.tables = false;
    if (m_applied.tables) {
        const auto decoder = TRY(reread());
        const bool element = edit.kind == Edit::Kind::Set || edit.kind == Edit::Kind::Keep ||
                             edit.kind == Edit::Kind::Drop;
        if (element)
            TRY(checkElement(decoder, edit, m_element, m_applied.stored));
    }
    return std::move(m_applied);
}

std::size_t Planner::maskEdits(std::span<const Edit> edits) const
{
    const auto weightOf = [this](const Edit &edit) {
        if (edit.kind != Edit::Kind::Keep && edit.kind != Edit::Kind::Drop)
            return kNoIndex;
        return findWeight(*m_bundle, edit.weight).value_or(kNoIndex);
    };
    const std::size_t first = weightOf(edits.front());
    const auto *palette = first == kNoIndex ? nullptr : m_bundle->weights()[first].form.palette();
    const bool hasVectors = palette != nullptr && palette->vector > 1;
    if (first == kNoIndex || !(countIsTyped(*m_bundle) || hasVectors))
        return 1;
    const auto end = std::find_if(edits.begin() + 1, edits.end(),
                                  [&](const Edit &edit) { return weightOf(edit) != first; });
    return static_cast<std::size_t>(end - edits.begin());
}

Result<std::vector<AppliedEdit>> Planner::planMask(std::span<const Edit> edits)
{
    m_weight = *findWeight(*m_bundle, edits.front().weight);
    auto planner = TRY(WeightPlanner::make(m_bundle, m_weight, m_recorder));
    const auto tolerance = toleranceFor(planner.weight().type, m_tolerance);
    std::vector<codec::MaskChange> changes;
    for (const Edit &edit : edits) {
        const auto element = TRY(singleElement(edit, planner.weight().shape));
        changes.push_back({element, std::nullopt, tolerance.of(edit.value)});
        if (edit.kind == Edit::Kind::Keep)
            changes.back().value = edit.value;
    }
    const codec::Decoder before = planner.decoder();
    const auto plans = TRY(codec::Editor(before).changeMask(changes));
    std::vector<AppliedEdit> applied(edits.size());
    for (std::size_t i = 0; i < edits.size(); ++i) {
        const codec::EditPlan &plan = plans[i];
        applied[i].edit = edits[i];
        applied[i].asked = plan.asked;
        applied[i].stored = plan.stored;
        applied[i].note = plan.note;
        applied[i].oldText = elementText(before, changes[i].element);
        applied[i].newText = changes[i].value ? valueText(plan.stored) : "not stored";
    }
    auto planned = checkAlone(*m_bundle, m_weight);
    if (planned)
        planned = planner.apply(plans.back());
    if (planned)
        planned = planner.finish();
    if (!planned)
        return tl::unexpected(std::move(planned.error()));
    applied.back().bytes = m_recorder.take(false);
    applied.back().tables = !applied.back().bytes.empty(); // decoders have counted the mask
    if (!applied.back().tables)
        return applied;
    const auto decoder = TRY(reread());
    std::set<std::uint64_t> seen;
    for (std::size_t i = edits.size(); i-- > 0;) { // of several of one element the last one holds
        const std::uint64_t element = changes[i].element;
        TRY(seen.insert(element).second
                ? checkElement(decoder, edits[i], element, applied[i].stored)
                : Result<void>());
    }
    return applied;
}

Result<void> Planner::planBytes(const Edit &edit, WeightPlanner &planner)
{
    switch (edit.kind) {
    case Edit::Kind::Set:
    case Edit::Kind::Keep:
    case Edit::Kind::Drop: return planSingle(edit, planner);
    case Edit::Kind::SetStored:
    case Edit::Kind::Codebook:
    case Edit::Kind::Scale: return planPart(edit, planner);
    case Edit::Kind::Fill:
    case Edit::Kind::FromNpy:
    case Edit::Kind::Compute:
    case Edit::Kind::Bytes: // planRaw()
    case Edit::Kind::Field: break;
    }
    return planMany(edit, planner);
}

Result<void> Planner::planSingle(const Edit &edit, WeightPlanner &planner)
{
    const auto element = TRY(singleElement(edit, planner.weight().shape));
    const auto tolerance = toleranceFor(planner.weight().type, m_tolerance);
    m_applied.oldText = elementText(planner.decoder(), element);
    const auto plan =
        TRY(planElement(codec::Editor(planner.decoder()), edit, element, tolerance.of(edit.value)));
    m_applied.asked = plan.asked;
    m_applied.stored = plan.stored;
    m_applied.note = plan.note;
    m_applied.newText = edit.kind == Edit::Kind::Drop ? "not stored" : valueText(plan.stored);
    m_element = element;
    TRY(planner.apply(plan));
    // Where the payload has another length, only the bundle read anew can decode it.
    if (plan.payloadElements)
        return {};
    if (edit.kind == Edit::Kind::Set)
        m_applied.newText = elementText(planner.decoder(), element);
    const double found = decoded(planner.decoder(), element);
    const auto &scaling = planner.decoder().encoding().scaling;
    if (edit.kind == Edit::Kind::Drop && scaling && scaling->scalesGaps && found != 0) {
        m_applied.stored = found; // code 0, which is scaled as the others are
        m_applied.note += fmt::format("; what is not stored reads as {} here", valueText(found));
        return {};
    }
    if (!codec::sameValue(found, static_cast<double>(static_cast<float>(plan.stored))))
        return tl::unexpected(verifyError(plan.stored, found));
    return {};
}

Result<void> Planner::planPart(const Edit &edit, WeightPlanner &planner)
{
    const auto tolerance = toleranceFor(planner.weight().type, m_tolerance);
    const auto plan =
        TRY(planTable(codec::Editor(planner.decoder()), edit, tolerance.of(edit.value)));
    if (edit.kind == Edit::Kind::SetStored && edit.part == codec::PartRole::Mask &&
        !plan.parts.empty()) {
        return tl::unexpected(planError("patch.mask", "keep or drop", "a bit of the mask alone",
                                        "The mask would no longer match its values"));
    }
    m_applied.asked = plan.asked;
    m_applied.stored = plan.stored;
    m_applied.note = plan.note;
    m_applied.oldText = partText(edit, planner);
    auto applied = planner.apply(plan);
    m_applied.newText = partText(edit, planner);
    return applied;
}

Error Planner::verifyError(double wanted, double found) const
{
    return planError("patch.verify", valueText(wanted), valueText(found),
                     "The bytes planned do not decode to the value");
}

/// The weight in the bundle as its files are now.
Result<codec::Decoder> Planner::reread()
{
    m_bundle = TRY(m_bundle->reread());
    return m_weight < m_bundle->weights().size()
               ? m_bundle->decoder(m_weight)
               : Result<codec::Decoder>(tl::unexpected(verifyError(0, 0)));
}

Result<void> Planner::checkElement(const codec::Decoder &decoder, const Edit &edit,
                                   std::uint64_t element, double stored) const
{
    const double wanted = static_cast<double>(static_cast<float>(stored));
    const double found = decoded(decoder, element);
    // What is left out may be another value than 0: code 0 under a zero point.
    if (edit.kind == Edit::Kind::Drop ? !decoder.stored(element) : codec::sameValue(wanted, found))
        return {};
    return tl::unexpected(verifyError(wanted, found));
}

std::string valueText(double value, ElementType type)
{
    return exactInFloat(type) ? fmt::format("{}", static_cast<float>(value))
                              : fmt::format("{}", value);
}

std::string partText(const Edit &edit, const WeightPlanner &planner)
{
    const codec::Encoding &encoding = planner.decoder().encoding();
    const auto index = [&edit](std::size_t i) {
        return i < edit.indices.size() ? edit.indices[i].start : 0;
    };
    if (edit.kind == Edit::Kind::Codebook && encoding.palette) {
        const auto values = planner.decoder().codebookValues();
        const std::uint64_t at =
            (index(0) * encoding.palette->entries + index(1)) * encoding.palette->vector + index(2);
        return at < values.size() ? valueText(static_cast<double>(values[at])) : std::string();
    }
    if (edit.kind == Edit::Kind::Scale) {
        const auto scale = storedPart(encoding, codec::PartRole::Scale);
        const auto value = scale
                               ? codec::operandValue(*scale->operand,
                                                     codec::storedIndex(*scale->operand, index(0)))
                               : std::nullopt;
        return value ? valueText(*value) : std::string();
    }
    return storedText(encoding, edit.part, index(0));
}

} // namespace patch

namespace {

constexpr std::size_t kStepBytes = std::size_t{1} << 20; ///< written between two looks at Cancel

Result<BundlePtr> forkOf(const Bundle &bundle)
{
    const BundleReadLock lock(bundle);
    return BundleBuilder::fork(bundle);
}

/// One edit on a fork that is thrown away where this fails.
Result<void> makeStep(const Bundle &fork, const EditStep &step, Progress &progress)
{
    for (const FileEdit &run : step.edit->bytes) {
        if (run.before.size() != run.after.size())
            return patch::writeEdits(fork, std::span(&run, 1), step.forward); // gives the error
        for (std::size_t at = 0; at < run.after.size(); at += kStepBytes) {
            const std::size_t count = std::min(kStepBytes, run.after.size() - at);
            FileEdit piece{run.file, FileOffset(run.offset.value + at), {}, {}};
            piece.before = run.before.part(at, count);
            piece.after = run.after.part(at, count);
            TRY(patch::writeEdits(fork, std::span(&piece, 1), step.forward));
            if (!progress.advance(count))
                return tl::unexpected(cancelledError("Nothing was changed"));
        }
    }
    return {};
}

/// `keepsFork`: the fork is wanted with the edits laid over it; otherwise it is not read after
/// the last one.
Result<PlannedEdits> plan(const BundlePtr &bundle, const std::vector<Edit> &edits, double tolerance,
                          Progress *progress, bool keepsFork)
{
    auto fork = TRY(forkOf(*bundle));
    patch::Planner planner(std::move(fork), tolerance, progress);
    PlannedEdits planned;
    while (planned.edits.size() < edits.size()) {
        const auto rest = std::span(edits).subspan(planned.edits.size());
        const Edit &edit = rest.front();
        const std::size_t together = planner.maskEdits(rest);
        auto applied =
            together > 1
                ? planner.planMask(rest.first(together))
                : planner.plan(edit, !keepsFork && rest.size() == 1).map([](AppliedEdit one) {
                      return std::vector{std::move(one)};
                  });
        if (!applied) {
            Error refusal = std::move(applied.error());
            if (edits.size() > 1) // which one it is
                refusal.message = fmt::format("{} {}: {}", editKindName(edit.kind), editText(edit),
                                              refusal.message);
            return tl::unexpected(std::move(refusal));
        }
        std::move(applied->begin(), applied->end(), std::back_inserter(planned.edits));
    }
    planned.bundle = planner.bundle();
    return planned;
}

Result<BundlePtr> lay(const BundlePtr &bundle, const AppliedEdit &edit, bool forward)
{
    TRY(patch::writeEdits(*bundle, edit.bytes, forward));
    if (!edit.tables)
        return bundle;
    auto reread = bundle->reread();
    if (reread)
        return std::move(*reread);
    // The bundle stays as it was.
    TRY(patch::writeEdits(*bundle, edit.bytes, !forward));
    return tl::unexpected(std::move(reread.error()));
}

} // namespace

Result<PlannedEdits> planOnFork(const BundlePtr &bundle, const std::vector<Edit> &edits,
                                double tolerance, Progress *progress)
{
    return plan(bundle, edits, tolerance, progress, true);
}

Result<std::vector<AppliedEdit>> planEdits(const BundlePtr &bundle, const std::vector<Edit> &edits,
                                           double tolerance, Progress *progress)
{
    auto planned = TRY(plan(bundle, edits, tolerance, progress, false));
    return std::move(planned.edits);
}

Result<BundlePtr> forkWithSteps(const BundlePtr &bundle, std::span<const EditStep> steps,
                                Progress *progress)
{
    Progress unwatched;
    Progress &watched = progress != nullptr ? *progress : unwatched;
    std::uint64_t total = 0;
    bool tables = false;
    for (const EditStep &step : steps) {
        tables = tables || step.edit->tables;
        for (const FileEdit &run : step.edit->bytes)
            total += run.after.size();
    }
    watched.setTotal(total);
    auto fork = TRY(forkOf(*bundle));
    for (const EditStep &step : steps) {
        TRY(makeStep(*fork, step, watched));
    }
    TRY(fork->checkUnchanged());
    return tables ? fork->reread() : fork;
}

Result<BundlePtr> applyEdit(const BundlePtr &bundle, const AppliedEdit &edit)
{
    return lay(bundle, edit, true);
}

Result<BundlePtr> revertEdit(const BundlePtr &bundle, const AppliedEdit &edit)
{
    return lay(bundle, edit, false);
}

} // namespace kernscope
