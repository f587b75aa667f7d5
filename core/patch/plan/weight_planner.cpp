// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/plan/weight_planner.h"

#include "core/numeric/convert.h"
#include "core/patch/edit/literal_rewrite.h"
#include "core/patch/plan/payload_resizer.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

/// Operands of an encoding in the order of Weight::parts, with a mark for those that the codec's
/// edits can name: the ones that are not inside of another encoding.
struct OperandPlace {
    codec::Operand *operand = nullptr;
    bool outer = false;
};

void collect(codec::Encoding &encoding, bool outer, std::vector<OperandPlace> &out)
{
    const auto addSource = [&](codec::OperandSource &source) {
        if (auto *operand = std::get_if<codec::Operand>(&source)) {
            out.push_back({operand, outer});
        } else if (auto &inner = std::get<std::shared_ptr<const codec::Encoding>>(source)) {
            auto copy = std::make_shared<codec::Encoding>(*inner);
            collect(*copy, false, out);
            inner = std::move(copy);
        }
    };
    if (encoding.mask)
        out.push_back({&*encoding.mask, outer});
    addSource(encoding.payload);
    if (encoding.palette)
        addSource(encoding.palette->lut);
    if (encoding.scaling) {
        addSource(encoding.scaling->scale);
        if (encoding.scaling->offset)
            addSource(*encoding.scaling->offset);
    }
}

Error spaceError(const Bundle &bundle, std::uint64_t offset, std::uint64_t room,
                 std::string_view wanted)
{
    Error error;
    error.code = "patch.space";
    error.file = bundle.files()[bundle.programFile()].path;
    error.offset = FileOffset(offset);
    error.length = ByteCount(room);
    error.expected = fmt::format("a notation of at most {} characters", room);
    error.found = std::string(wanted);
    error.message = "The number does not fit its place in the program";
    return error;
}

Error partError(std::string_view role)
{
    Error error;
    error.code = "patch.part";
    error.field = std::string(role);
    error.message = "The weight stores no such part";
    return error;
}

/// One element of a literal: a number of the text, or a varint of the protobuf.
std::optional<Rewrite> rewriteElement(std::span<const std::byte> program, mil::SourceSpan span,
                                      ElementType type, std::int64_t before, std::int64_t after)
{
    // A varint is told from text by its value: '5' is 53 as a varint.
    if (auto varint = rewriteVarint(program, span, static_cast<std::uint64_t>(before),
                                    static_cast<std::uint64_t>(after)))
        return varint;
    const bool isText =
        span.length > 0 && span.offset < program.size() &&
        std::string_view("+-.0123456789nNiI").find(static_cast<char>(program[span.offset])) !=
            std::string_view::npos;
    if (!isText)
        return std::nullopt;
    for (const std::string &text : notations(type, after)) {
        if (auto fitted = rewriteToken(program, span, text))
            return fitted;
    }
    return std::nullopt;
}

} // namespace

Result<WeightPlanner> WeightPlanner::make(BundlePtr bundle, std::size_t weight, Recorder &recorder)
{
    if (const std::string &reason = bundle->readOnlyReason(); !reason.empty()) {
        Error error;
        error.code = "patch.readonly";
        error.file = bundle->name();
        error.message = reason;
        return tl::unexpected(std::move(error));
    }
    WeightPlanner planner(std::move(bundle), weight, recorder);
    if (auto bound = planner.bind(); !bound)
        return tl::unexpected(std::move(bound.error()));
    return planner;
}

/// Makes the decoder over the current bytes, those of literals as they are to become.
Result<void> WeightPlanner::bind()
{
    auto decoder = m_bundle->decoder(m_weight);
    if (!decoder)
        return tl::unexpected(std::move(decoder.error()));
    codec::Encoding encoding = decoder->encoding();
    std::vector<OperandPlace> operands;
    collect(encoding, true, operands);
    m_outer.clear();
    for (std::size_t i = 0; i < operands.size() && i < weight().parts.size(); ++i)
        m_outer.push_back(operands[i].outer);
    if (m_literals.empty()) {
        m_decoder = std::move(*decoder);
        return {};
    }
    for (const auto &[part, bytes] : m_literals) {
        if (part < operands.size())
            operands[part].operand->bytes = bytes;
    }
    decoder = codec::Decoder::make(std::move(encoding));
    if (!decoder)
        return tl::unexpected(std::move(decoder.error()));
    m_decoder = std::move(*decoder);
    return {};
}

std::optional<std::size_t> WeightPlanner::partOf(codec::PartRole role) const
{
    for (std::size_t i = 0; i < m_outer.size(); ++i) {
        if (m_outer[i] && weight().parts[i].role == role)
            return i;
    }
    return std::nullopt;
}

/// Whether every byte of a run lies in a piece of the part or a copy of one; pieces may touch.
static bool isInPieces(const Part &part, ByteRange run)
{
    while (run.bytes.value > 0) {
        const ByteRange *found = nullptr;
        for (const auto *ranges : {&part.pieces, &part.copies}) {
            for (const ByteRange &piece : *ranges) {
                if (piece.offset.value <= run.offset.value && run.offset.value < piece.end())
                    found = &piece;
            }
        }
        if (found == nullptr)
            return false;
        const std::uint64_t done = std::min(found->end() - run.offset.value, run.bytes.value);
        run.offset = FileOffset(run.offset.value + done);
        run.bytes = ByteCount(run.bytes.value - done);
    }
    return true;
}

Result<void> WeightPlanner::applyPart(const codec::PartEdit &edit)
{
    const auto index = partOf(edit.role);
    if (!index)
        return tl::unexpected(partError(codec::partRoleName(edit.role)));
    const Part &part = weight().parts[*index];
    const ByteRange run{FileOffset(edit.offset), ByteCount(edit.bytes.size())};
    if (part.pieces.empty() ? !fitsInside(run, part.bytes) : !isInPieces(part, run)) {
        Error error;
        error.code = "patch.range";
        error.field = std::string(codec::partRoleName(edit.role));
        error.message = "The change would leave the part";
        return tl::unexpected(std::move(error));
    }
    if (std::find(m_changedParts.begin(), m_changedParts.end(), *index) == m_changedParts.end())
        m_changedParts.push_back(*index);
    if (!part.pieces.empty())
        return m_recorder->write(part.file, FileOffset(edit.offset), edit.bytes);
    if (!part.isLiteral())
        return m_recorder->write(part.file, FileOffset(part.dataOffset.value + edit.offset),
                                 edit.bytes);
    m_tables = true;
    const auto current = m_bundle->partBytes(part);
    auto &bytes = m_literals.try_emplace(*index, current.begin(), current.end()).first->second;
    std::copy(edit.bytes.begin(), edit.bytes.end(),
              bytes.begin() + static_cast<std::ptrdiff_t>(edit.offset));
    return {};
}

Result<void> WeightPlanner::apply(const codec::EditPlan &plan)
{
    const bool payloadStays = !plan.payloadElements.has_value();
    for (const codec::PartEdit &edit : plan.parts) {
        if (!payloadStays && edit.role != codec::PartRole::Mask)
            continue; // resize() writes it
        if (auto applied = applyPart(edit); !applied)
            return applied;
    }
    if (!payloadStays)
        return resize(plan);
    // Codebooks and scales are tables of the decoder, and literals have new bytes.
    const bool tables = std::any_of(plan.parts.begin(), plan.parts.end(), [](const auto &edit) {
        return edit.role == codec::PartRole::Lut || edit.role == codec::PartRole::Scale ||
               edit.role == codec::PartRole::ZeroPoint || edit.role == codec::PartRole::Offset ||
               edit.role == codec::PartRole::Bias;
    });
    return tables || !m_literals.empty() ? bind() : Result<void>();
}

/// The payload gets another length. The plan leaves out its bytes where they stay as they are.
Result<void> WeightPlanner::resize(const codec::EditPlan &plan)
{
    m_tables = true;
    const auto *payload = std::get_if<codec::Operand>(&m_decoder->encoding().payload);
    const auto index = payload == nullptr ? std::nullopt : partOf(payload->role);
    if (!index)
        return tl::unexpected(partError("nonzero_data"));
    const Part &part = weight().parts[*index];
    codec::PartEdit tail;
    tail.role = part.role;
    tail.offset = packedBytes(*plan.payloadElements, part.type).value_or(ByteCount()).value;
    for (const codec::PartEdit &edit : plan.parts) {
        if (edit.role == part.role)
            tail = edit;
    }
    m_changedParts.push_back(*index);
    return PayloadResizer(*m_bundle, m_weight, *index, *m_recorder)
        .resize(*plan.payloadElements, tail);
}

Result<void> WeightPlanner::rewrite(std::size_t index, const std::vector<std::byte> &bytes)
{
    const mil::Literal &literal = *weight().parts[index].literal;
    const std::size_t file = m_bundle->programFile();
    const auto program = m_bundle->files()[file].file->bytes();
    if (literal.packedSpan && !literal.elementSpans.empty() &&
        literal.elementSpans.front().length == bytes.size())
        return m_recorder->write(file, FileOffset(literal.elementSpans.front().offset), bytes);
    for (std::uint64_t i = 0; i < literal.count; ++i) {
        const std::int64_t before = loadCode(literal.bytes, literal.element, i);
        const std::int64_t after = loadCode(bytes, literal.element, i);
        if (before == after)
            continue;
        const auto span = literal.elementSpans.size() == literal.count ? literal.elementSpans[i]
                                                                       : mil::SourceSpan{};
        const auto texts = notations(literal.element, after);
        const auto fitted = rewriteElement(program, span, literal.element, before, after);
        if (!fitted)
            return tl::unexpected(
                spaceError(*m_bundle, span.offset, span.length,
                           texts.empty() ? "a NaN with a payload" : texts.back()));
        const auto written = m_recorder->write(file, FileOffset(fitted->offset),
                                               std::as_bytes(std::span(fitted->bytes)));
        if (!written)
            return written;
    }
    return {};
}

Result<void> WeightPlanner::finish()
{
    for (const auto &[part, bytes] : m_literals) {
        if (auto written = rewrite(part, bytes); !written)
            return written;
    }
    return {};
}

bool WeightPlanner::payloadInFile() const
{
    const auto *payload = std::get_if<codec::Operand>(&m_decoder->encoding().payload);
    const auto index = payload == nullptr ? std::nullopt : partOf(payload->role);
    return index && !weight().parts[*index].isLiteral();
}

std::vector<std::string> WeightPlanner::alsoChanged() const
{
    std::set<std::string> names;
    for (const std::size_t part : m_changedParts) {
        for (std::string &name : sharers(*m_bundle, m_weight, weight().parts[part]))
            names.insert(std::move(name));
    }
    return {names.begin(), names.end()};
}

std::vector<std::string> sharers(const Bundle &bundle, std::size_t weight, const Part &part)
{
    const auto overlaps = [&part](const Part &other) { return part.overlaps(other); };
    std::vector<std::string> names;
    const Weight &own = bundle.weights()[weight];
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &other = bundle.weights()[i];
        if (i == weight || std::none_of(other.parts.begin(), other.parts.end(), overlaps))
            continue;
        if (other.function == own.function && other.model == own.model)
            names.push_back(other.name);
        else if (other.model == own.model)
            names.push_back(fmt::format("{} of function {}", other.name, other.function));
        else
            names.push_back(other.address());
    }
    return names;
}

} // namespace kernscope::patch
