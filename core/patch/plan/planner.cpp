// SPDX-License-Identifier: GPL-3.0-or-later
// Typed edits turned into bytes, on files of the planner's own.
#include "core/patch/plan/planner.h"

#include "core/base/error_builder.h"
#include "core/patch/plan/shared_constant.h"

#include <fmt/format.h>

namespace kernscope {

namespace patch {

namespace {

Error planError(std::string_view code, std::string expected, std::string found, std::string message)
{
    return ErrorBuilder(std::string(code))
        .expected(std::move(expected))
        .found(std::move(found))
        .message(std::move(message));
}

/// The one element that an edit names.
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

double decoded(const codec::Decoder &decoder, std::uint64_t element)
{
    float value = 0;
    decoder.decodeFloat(element, std::span(&value, 1));
    return static_cast<double>(value);
}

/// "1.5", or "not stored" for a zero that the mask makes.
std::string elementText(const codec::Decoder &decoder, std::uint64_t element)
{
    return decoder.stored(element) ? valueText(decoded(decoder, element)) : "not stored";
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
    return editor.setStored(edit.part, index(0), edit.stored);
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

} // namespace

Result<AppliedEdit> Planner::plan(const Edit &edit, bool last)
{
    m_applied = AppliedEdit{};
    m_applied.edit = edit;
    if (edit.isRaw())
        return planRaw(edit);
    m_weight = TRY(findWeight(*m_bundle, edit.weight));
    auto planner = TRY(WeightPlanner::make(m_bundle, m_weight, m_recorder));
    auto planned = checkEditedPart(*m_bundle, planner.weight(), edit);
    if (planned)
        planned = planBytes(edit, planner);
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
        TRY(rereadAndCheck(edit));
    }
    return std::move(m_applied);
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
    m_applied.oldText = elementText(planner.decoder(), element);
    const auto plan = TRY(planElement(codec::Editor(planner.decoder()), edit, element,
                                      toleranceFor(edit.value, m_tolerance)));
    m_applied.asked = plan.asked;
    m_applied.stored = plan.stored;
    m_applied.note = plan.note;
    m_applied.newText = edit.kind == Edit::Kind::Drop ? "not stored" : valueText(plan.stored);
    m_element = element;
    TRY(planner.apply(plan));
    // Where the payload has another length, only the bundle read anew can decode it.
    if (!plan.payloadElements && !sameValue(decoded(planner.decoder(), element),
                                            static_cast<double>(static_cast<float>(plan.stored))))
        return tl::unexpected(verifyError(plan.stored, decoded(planner.decoder(), element)));
    return {};
}

Result<void> Planner::planPart(const Edit &edit, WeightPlanner &planner)
{
    const auto plan = TRY(
        planTable(codec::Editor(planner.decoder()), edit, toleranceFor(edit.value, m_tolerance)));
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

Result<void> Planner::rereadAndCheck(const Edit &edit)
{
    auto bundle = TRY(m_bundle->reread());
    const std::size_t before = m_weight;
    m_bundle = std::move(bundle);
    const auto decoder = TRY(before < m_bundle->weights().size()
                                 ? m_bundle->decoder(before)
                                 : Result<codec::Decoder>(tl::unexpected(verifyError(0, 0))));
    const bool element = edit.kind == Edit::Kind::Set || edit.kind == Edit::Kind::Keep ||
                         edit.kind == Edit::Kind::Drop;
    if (!element)
        return {};
    const double wanted = edit.kind == Edit::Kind::Drop
                              ? 0.0
                              : static_cast<double>(static_cast<float>(m_applied.stored));
    const double found = decoded(decoder, m_element);
    if (!sameValue(wanted, found) || (edit.kind == Edit::Kind::Drop && decoder.stored(m_element)))
        return tl::unexpected(verifyError(wanted, found));
    return {};
}

} // namespace patch

} // namespace kernscope

namespace kernscope::patch {

namespace {

std::string storedText(const codec::Encoding &encoding, codec::PartRole role, std::uint64_t index)
{
    const auto part = storedPart(encoding, role);
    const auto code = part ? codec::operandCode(*part->operand, part->width, index) : std::nullopt;
    if (!code)
        return {};
    return isFloatingPoint(part->operand->type) ? fmt::format("{:#x}", *code)
                                                : fmt::format("{}", *code);
}

} // namespace

std::string valueText(double value)
{
    return fmt::format("{}", static_cast<float>(value));
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
        const auto value = scale ? codec::operandValue(*scale->operand, index(0)) : std::nullopt;
        return value ? valueText(*value) : std::string();
    }
    return storedText(encoding, edit.part, index(0));
}

} // namespace kernscope::patch
