// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/plan/weight_planner.h"

#include "core/base/error_builder.h"
#include "core/base/find.h"
#include "core/base/little_endian.h"
#include "core/base/overlaid_file.h"
#include "core/base/text.h"
#include "core/container/milblob/milblob.h"
#include "core/container/mlir/aicode.h"
#include "core/format/coreai_operations.h"
#include "core/numeric/convert.h"
#include "core/patch/edit/literal_rewrite.h"

#include <set>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

constexpr std::size_t kMostNamed = 6;

/// The constants whose bytes begin there.
std::string readersAt(const Bundle &bundle, FileOffset offset)
{
    const BundleFile &file = bundle.files()[bundle.programFile()];
    const mlir::Module module = mlir::readModule(file.file->bytes(), file.path);
    std::vector<std::uint32_t> sharing;
    for (std::uint32_t i = 0; i < module.operations.size(); ++i) {
        const mlir::Operation &operation = module.operations[i];
        if (!module.is(operation, "aicode.primitive.constant_v1"))
            continue;
        const auto data = mlir::constantBytes(module, module.attributeOf(operation, "value"));
        if (data && data->data.offset == offset)
            sharing.push_back(i);
    }
    return constantReaders(module, mlir::kNone, sharing);
}

std::array<std::byte, 8> littleEndian(std::uint64_t value)
{
    std::array<std::byte, 8> bytes{};
    storeLittle(bytes, 0, value);
    return bytes;
}

Error spaceError(const Bundle &bundle, const codec::Operand &operand, std::string expected,
                 std::string found)
{
    ErrorBuilder error("patch.space");
    error.field(codec::partRoleName(operand.role))
        .expected(std::move(expected))
        .found(std::move(found))
        .message("There is no room for another stored element; dropping one of the same weight "
                 "first makes room");
    if (!operand.place->isLiteral())
        error.file(bundle.files()[operand.place->file].path)
            .at(FileOffset(operand.place->range().end()));
    return error;
}

/// Elements that one index of a sparse palette stands for.
std::uint64_t vectorOf(const Weight &weight)
{
    const codec::Palette *palette = weight.form.palette();
    return palette ? std::max<std::uint64_t>(1, palette->vector) : 1;
}

Error literalSpaceError(const BundleFile &program, std::uint64_t offset, std::uint64_t room,
                        std::string_view wanted)
{
    return valueError({program.path, FileOffset(offset), ByteCount(room)}, "patch.space", {},
                      "a notation of at most " + counted(room, "character"), std::string(wanted),
                      "The number does not fit its place in the program: a copy (patch --output) "
                      "makes room for it");
}

Error partError(std::string_view role)
{
    return ErrorBuilder("patch.part")
        .field(std::string(role))
        .message("The weight stores no such part");
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

std::string constantReaders(const mlir::Module &module, std::uint32_t constant,
                            const std::vector<std::uint32_t> &sharing)
{
    std::string text;
    std::size_t named = 0;
    for (std::uint32_t i = 0; i < module.operations.size(); ++i) {
        const mlir::Operation &operation = module.operations[i];
        const auto operands = module.operandsOf(operation);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            const mlir::Value &value = module.values[operands[k]];
            if (value.argument || value.owner == constant ||
                !std::binary_search(sharing.begin(), sharing.end(), value.owner))
                continue;
            if (++named > kMostNamed)
                continue;
            const CoreAiOperation row = coreAiOperationOrMade(module.operationName(operation));
            text += fmt::format("{}{} of {} at {:#x}", text.empty() ? "" : ", ",
                                row.operand(k).name, row.stored, operation.range.offset.value);
        }
    }
    return named > kMostNamed ? fmt::format("{} and {} more", text, named - kMostNamed) : text;
}

codec::PartRole editedPart(const Edit &edit)
{
    switch (edit.kind) {
    case Edit::Kind::Scale: return codec::PartRole::Scale;
    case Edit::Kind::Codebook: return codec::PartRole::Lut;
    case Edit::Kind::SetStored: return edit.part;
    default: return codec::PartRole::Data;
    }
}

Result<void> checkEditedPart(const Bundle &bundle, const Weight &weight, const Edit &edit)
{
    const codec::PartRole role = editedPart(edit);
    const codec::Encoding &encoding = *weight.form.encoding();
    const codec::Operand *operand = codec::ownOperand(encoding, role);
    for (const auto other : {codec::PartRole::Indices, codec::PartRole::NonzeroData}) {
        if (!operand && role == codec::PartRole::Data)
            operand = codec::ownOperand(encoding, other);
    }
    return operand ? checkOwnBytes(bundle, weight, *operand) : Result<void>();
}

Result<void> checkOwnBytes(const Bundle &bundle, const Weight &weight,
                           const codec::Operand &operand)
{
    if (bundle.kind() != BundleKind::Aimodel || bundle.programFile() == kNoIndex)
        return {};
    const OperandPlace &place = *operand.place;
    const auto whole =
        packedBytes(elementCount(operand.declaredShape()).value_or(ElementCount()), operand.type);
    const bool splat = place.isLiteral() || (whole && place.bytes < *whole);
    if (!place.shared && !splat)
        return {};
    ErrorBuilder error("patch.shared");
    error.file(bundle.files()[bundle.programFile()].path)
        .field(std::string(codec::partRoleName(operand.role)))
        .expected("bytes of this weight alone")
        .message("The bytes of " + weight.findableName() +
                 (splat ? " stand for all its elements, or are written elsewhere"
                        : " are also read as something else") +
                 ": --output writes a copy in which they are its own");
    if (splat)
        return error.found("one element that stands for all").unexpected();
    return error.at(place.dataOffset).found(readersAt(bundle, place.dataOffset)).unexpected();
}

/// Bytes behind `end` that nothing uses: padding, or zeros that belong to no one.
std::uint64_t freeBytesBehind(const Bundle &bundle, std::size_t file, FileOffset end)
{
    const auto bytes = bundle.files()[file].file->bytes();
    std::uint64_t free = 0;
    while (end.value + free < bytes.size()) {
        const std::size_t index = bundle.sectionAt(file, FileOffset(end.value + free));
        if (index == kNoIndex)
            break;
        const Section &section = bundle.sections()[index];
        const auto rest = bytes.subspan(end.value + free, section.range.end() - end.value - free);
        const bool zeros = std::ranges::all_of(rest, [](std::byte b) { return b == std::byte{0}; });
        if (section.kind != SectionKind::Padding &&
            !(section.kind == SectionKind::Unknown && zeros))
            break;
        free += rest.size();
    }
    return free;
}

/// Gives the survivors of a sparse weight another length, in place: their bytes, the record's size
/// and padding, and every extent of the program that says how many there are.
class PayloadResizer
{
public:
    /// `operand` is one of that weight.
    PayloadResizer(const Bundle &bundle, std::size_t weight, const codec::Operand &operand,
                   Recorder &recorder)
        : m_bundle(bundle), m_weight(weight), m_operand(operand), m_place(*operand.place),
          m_recorder(recorder)
    {
    }

    /// `tail` holds the survivors from some byte on, as they are to become; what a shorter payload
    /// leaves behind becomes zero bytes. Errors: "patch.space" (no room behind the payload, or in
    /// the program's text), "patch.shared" (another weight reads the same survivors).
    Result<void> resize(ElementCount elements, const codec::PartEdit &tail)
    {
        const auto bytes = packedBytes(elements, m_operand.declaredType());
        if (m_place.isLiteral() || m_operand.declaredShape().size() != 1 || !bytes) {
            return ErrorBuilder(spaceError(m_bundle, m_operand, "non-zero values in a weight file",
                                           "a literal"))
                .message("The kept values are written in the program: their number stays as it is")
                .unexpected();
        }
        TRY(checkAlone(m_bundle, m_weight));
        TRY(checkRoom(bytes->value));
        TRY(writePayload(bytes->value, tail));
        TRY(writeRecord(elements, bytes->value));
        return writeExtents(elements.value);
    }

private:
    Result<void> checkRoom(std::uint64_t bytes) const
    {
        if (bytes <= m_place.bytes.value)
            return {};
        const std::uint64_t more = bytes - m_place.bytes.value;
        const std::uint64_t free =
            freeBytesBehind(m_bundle, m_place.file, FileOffset(m_place.range().end()));
        if (more <= free)
            return {};
        return tl::unexpected(spaceError(m_bundle, m_operand, fmt::format("{} free bytes", more),
                                         fmt::format("{} free bytes behind the payload", free)));
    }

    Result<void> writePayload(std::uint64_t bytes, const codec::PartEdit &tail)
    {
        if (tail.offset > bytes || tail.bytes.size() != bytes - tail.offset) {
            return tl::unexpected(
                spaceError(m_bundle, m_operand, fmt::format("{} bytes", bytes),
                           fmt::format("{} bytes", tail.offset + tail.bytes.size())));
        }
        const std::uint64_t start = m_place.dataOffset.value;
        auto written = m_recorder.write(m_place.file, FileOffset(start + tail.offset), tail.bytes);
        if (!written || bytes >= m_place.bytes.value)
            return written;
        const std::vector<std::byte> zeros(m_place.bytes.value - bytes);
        return m_recorder.write(m_place.file, FileOffset(start + bytes), zeros);
    }

    Result<void> writeRecord(ElementCount elements, std::uint64_t bytes)
    {
        const std::uint64_t meta = m_place.metaOffset.value;
        auto written = m_recorder.write(m_place.file, FileOffset(meta + milblob::kBytesAt),
                                        littleEndian(bytes));
        // Of whole-byte types the field has no meaning and keeps what it holds.
        const unsigned width = bitWidth(m_operand.declaredType());
        if (!written || width >= 8)
            return written;
        const std::uint64_t padding = 8 * bytes - elements.value * width;
        return m_recorder.write(m_place.file, FileOffset(meta + milblob::kPaddingBitsAt),
                                littleEndian(padding));
    }

    Result<void> writeExtents(std::uint64_t elements)
    {
        const std::size_t file = m_bundle.programFileOf(m_bundle.weights()[m_weight].model);
        const std::uint64_t before = m_operand.declaredShape().front();
        const std::uint64_t vector = vectorOf(m_bundle.weights()[m_weight]);
        std::vector<mil::SourceSpan> spans = m_place.dimSpans;
        spans.insert(spans.end(), m_place.countSpans.begin(), m_place.countSpans.end());
        for (const mil::SourceSpan span : spans) {
            const auto program = m_bundle.files()[file].file->bytes();
            auto fitted = rewriteExtent(program, span, before, elements);
            if (!fitted) // the declared output of a sparse palette counts decoded values
                fitted = rewriteExtent(program, span, before * vector, elements * vector);
            if (!fitted) {
                return ErrorBuilder(spaceError(m_bundle, m_operand,
                                               fmt::format("room for {} in {} characters",
                                                           elements * vector, span.length),
                                               "no space beside the number"))
                    .file(m_bundle.files()[file].path)
                    .at(FileOffset(span.offset))
                    .length(ByteCount(span.length))
                    .message("The number of non-zero values does not fit its place in the program")
                    .unexpected();
            }
            TRY(m_recorder.write(file, FileOffset(fitted->offset),
                                 std::as_bytes(std::span(fitted->bytes))));
        }
        return {};
    }

    const Bundle &m_bundle;
    std::size_t m_weight;
    const codec::Operand &m_operand;
    const OperandPlace &m_place;
    Recorder &m_recorder;
};

Result<WeightPlanner> WeightPlanner::make(BundlePtr bundle, std::size_t weight, Recorder &recorder)
{
    if (const std::string &reason = bundle->readOnlyReason(); !reason.empty()) {
        return ErrorBuilder("patch.readonly").file(bundle->name()).message(reason).unexpected();
    }
    WeightPlanner planner(std::move(bundle), weight, recorder);
    TRY(planner.bind());
    return planner;
}

/// Makes the decoder over the current bytes, those of literals as they are to become.
Result<void> WeightPlanner::bind()
{
    auto decoder = m_bundle->decoder(m_weight);
    if (!decoder)
        return tl::unexpected(std::move(decoder.error()));
    if (m_literals.empty()) {
        m_decoder = std::move(*decoder);
        return {};
    }
    codec::Encoding encoding =
        codec::withOperands(decoder->encoding(), [this](codec::Operand &operand) {
            const auto changed = std::ranges::find_if(m_literals, [&operand](const Changed &one) {
                return one.operand->place == operand.place;
            });
            if (changed != m_literals.end())
                operand.bytes = changed->bytes;
        });
    decoder = codec::Decoder::make(std::move(encoding));
    if (!decoder)
        return tl::unexpected(std::move(decoder.error()));
    m_decoder = std::move(*decoder);
    return {};
}

const codec::Operand *WeightPlanner::operandOf(codec::PartRole role) const
{
    return codec::ownOperand(*weight().form.encoding(), role);
}

/// Whether the operand is an offset of fp8 or fp4 codes, which are told by the first offset: it has
/// their type.
static bool isSmallFloatOffset(const codec::Encoding &encoding, const codec::Operand *operand)
{
    const auto &scaling = encoding.scaling;
    if (scaling && scaling->offset &&
        (operand == codec::storedOperand(*scaling->offset) ||
         (scaling->bias && operand == codec::storedOperand(*scaling->bias)))) {
        const ElementType codes = codec::sourceType(*scaling->offset);
        return isFloatingPoint(codes) && bitWidth(codes) <= 8;
    }
    const auto *inner = std::get_if<std::shared_ptr<const codec::Encoding>>(&encoding.payload);
    return inner && isSmallFloatOffset(**inner, operand);
}

/// Whether every byte of a run lies in a piece of the operand or a copy of one; pieces may touch.
static bool isInPieces(const OperandPlace &place, ByteRange run)
{
    while (run.bytes.value > 0) {
        const ByteRange *found = nullptr;
        for (const auto *ranges : {&place.pieces, &place.copies}) {
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
    const codec::Operand *operand = operandOf(edit.role);
    if (!operand)
        return tl::unexpected(partError(codec::partRoleName(edit.role)));
    const OperandPlace &place = *operand->place;
    const ByteRange run{FileOffset(edit.offset), ByteCount(edit.bytes.size())};
    if (place.pieces.empty() ? !fitsInside(run, place.bytes) : !isInPieces(place, run)) {
        return refused("patch.range", std::string(codec::partRoleName(edit.role)), {}, {},
                       "The change would leave the part");
    }
    const bool zero =
        std::ranges::all_of(edit.bytes, [](std::byte b) { return b == std::byte{0}; });
    if (!zero && m_bundle->kind() == BundleKind::Aimodel &&
        isSmallFloatOffset(*weight().form.encoding(), operand))
        return refused("patch.unrepresentable", std::string(codec::partRoleName(edit.role)), "0",
                       "another number",
                       "Offsets of fp8 and fp4 data must be 0: Core AI refuses others");
    TRY(checkOwnBytes(*m_bundle, weight(), *operand));
    if (std::ranges::find(m_changed, operand) == m_changed.end())
        m_changed.push_back(operand);
    if (!place.pieces.empty())
        return m_recorder->write(place.file, FileOffset(edit.offset), edit.bytes);
    if (!place.isLiteral())
        return m_recorder->write(place.file, FileOffset(place.dataOffset.value + edit.offset),
                                 edit.bytes);
    m_tables = true;
    auto *literal = findBy(m_literals, &Changed::operand, operand);
    if (!literal) {
        const auto current = m_bundle->operandBytes(*operand);
        m_literals.push_back({operand, {current.begin(), current.end()}});
        literal = &m_literals.back();
    }
    std::ranges::copy(edit.bytes,
                      literal->bytes.begin() + static_cast<std::ptrdiff_t>(edit.offset));
    return {};
}

Result<void> WeightPlanner::apply(const codec::EditPlan &plan)
{
    const bool payloadStays = !plan.payloadElements.has_value();
    for (const codec::PartEdit &edit : plan.parts) {
        if (!payloadStays && edit.role != codec::PartRole::Mask)
            continue; // resize() writes it
        TRY(applyPart(edit));
    }
    if (!payloadStays)
        return resize(plan);
    // Codebooks and scales are tables of the decoder, masks are counted, literals have new bytes.
    const bool tables = std::ranges::any_of(plan.parts, [](const auto &edit) {
        return edit.role == codec::PartRole::Lut || edit.role == codec::PartRole::Scale ||
               edit.role == codec::PartRole::ZeroPoint || edit.role == codec::PartRole::Offset ||
               edit.role == codec::PartRole::Bias || edit.role == codec::PartRole::Mask;
    });
    return tables || !m_literals.empty() ? bind() : Result<void>();
}

/// The payload gets another length. The plan leaves out its bytes where they stay as they are.
Result<void> WeightPlanner::resize(const codec::EditPlan &plan)
{
    if (countIsTyped(*m_bundle))
        return refused(
            "patch.mask", weight().name, "as many non-zero values as before", "another number",
            std::string("The number of non-zero values is part of the program's types: "
                        "keep or drop another element of the weight in the same step, or ") +
                (m_bundle->kind() == BundleKind::Aimodel
                     ? "write a copy (patch --output), whose module is written anew"
                     : "change the .aimodel and compile it anew"));
    m_tables = true;
    const auto *payload = std::get_if<codec::Operand>(&m_decoder->encoding().payload);
    const codec::Operand *stored = payload == nullptr ? nullptr : operandOf(payload->role);
    if (!stored)
        return tl::unexpected(partError("nonzero_data"));
    codec::PartEdit tail;
    tail.role = stored->role;
    tail.offset =
        packedBytes(*plan.payloadElements, stored->declaredType()).value_or(ByteCount()).value;
    for (const codec::PartEdit &edit : plan.parts) {
        if (edit.role == stored->role)
            tail = edit;
    }
    m_changed.push_back(stored);
    return PayloadResizer(*m_bundle, m_weight, *stored, *m_recorder)
        .resize(*plan.payloadElements, tail);
}

Result<void> WeightPlanner::rewrite(const mil::Literal &literal,
                                    const std::vector<std::byte> &bytes)
{
    const std::size_t file = m_bundle->programFileOf(weight().model);
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
                literalSpaceError(m_bundle->files()[file], span.offset, span.length,
                                  texts.empty() ? "a NaN with a payload" : texts.back()));
        TRY(m_recorder->write(file, FileOffset(fitted->offset),
                              std::as_bytes(std::span(fitted->bytes))));
    }
    return {};
}

Result<void> WeightPlanner::finish()
{
    // In the order of the operands, whatever order they were changed in.
    for (const codec::Operand &operand : weight().operands()) {
        for (const Changed &literal : m_literals) {
            if (literal.operand != &operand)
                continue;
            TRY(rewrite(*operand.place->literal, literal.bytes));
        }
    }
    return {};
}

Result<void> checkAlone(const Bundle &bundle, std::size_t weight)
{
    for (const codec::Operand &operand : bundle.weights()[weight].operands()) {
        const bool counted = operand.role == codec::PartRole::Mask ||
                             operand.role == codec::PartRole::NonzeroData ||
                             operand.role == codec::PartRole::Indices;
        const auto others =
            counted ? sharers(bundle, weight, *operand.place) : std::vector<std::string>();
        if (others.empty())
            continue;
        return refused("patch.shared", std::string(codec::partRoleName(operand.role)),
                       "a mask and non-zero values of this weight alone",
                       fmt::format("also those of {}", fmt::join(others, ", ")),
                       "Another weight reads the same mask or non-zero values, which would change");
    }
    return {};
}

bool countIsTyped(const Bundle &bundle)
{
    return bundle.kind() == BundleKind::Aimodel || bundle.kind() == BundleKind::Aimodelx;
}

bool WeightPlanner::payloadInFile() const
{
    const auto *payload = std::get_if<codec::Operand>(&m_decoder->encoding().payload);
    const codec::Operand *stored = payload == nullptr ? nullptr : operandOf(payload->role);
    return stored && !stored->place->isLiteral();
}

std::vector<std::string> WeightPlanner::alsoChanged() const
{
    std::set<std::string> names;
    for (const codec::Operand *operand : m_changed) {
        for (std::string &name : sharers(*m_bundle, m_weight, *operand->place))
            names.insert(std::move(name));
    }
    return {names.begin(), names.end()};
}

std::vector<std::string> sharers(const Bundle &bundle, std::size_t weight,
                                 const OperandPlace &place)
{
    const auto overlaps = [&place](const codec::Operand &other) {
        return place.overlaps(*other.place);
    };
    std::vector<std::string> names;
    const Weight &own = bundle.weights()[weight];
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &other = bundle.weights()[i];
        const OperandList &theirs = other.operands();
        if (i == weight || std::ranges::none_of(theirs, overlaps))
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
