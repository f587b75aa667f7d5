// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/container/mil/model_files.h"
#include "core/container/milblob/milblob.h"
#include "core/form/form_steps.h"
#include "core/numeric/convert.h"
#include "core/patch/edit/find_weight.h"
#include "core/patch/edit/literal_rewrite.h"
#include "core/patch/patch.h"
#include "core/patch/reencode/reencoder.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace kernscope::patch {

// Numbers in the text of a program that get more digits than they have: in a copy.

namespace {

/// No notation of a number is longer.
constexpr std::size_t kLongest = 24;
/// … and no varint.
constexpr std::size_t kLongestVarint = 10;

/// The bytes of a number of the program followed by so much room that it has `length` bytes and
/// reads as before: spaces, or of a varint further groups of zeros.
std::vector<std::byte> padded(std::span<const std::byte> number, std::size_t length, bool text)
{
    std::vector<std::byte> bytes(number.begin(), number.end());
    if (text) {
        bytes.resize(std::max(length, bytes.size()), std::byte{' '});
        return bytes;
    }
    while (bytes.size() < std::min(length, kLongestVarint)) {
        bytes.back() |= std::byte{0x80};
        bytes.push_back(std::byte{0});
    }
    return bytes;
}

std::size_t varintLength(std::uint64_t value)
{
    std::size_t length = 1;
    while ((value >>= 7) != 0)
        ++length;
    return length;
}

/// Builds bundles in which numbers of literals have room.
class LiteralRoom
{
public:
    LiteralRoom(const Bundle &bundle, std::set<std::size_t> weights)
        : m_bundle(bundle), m_weights(std::move(weights))
    {
    }

    /// `lengthOf(weight, operand, literal, element)`: bytes that the number needs. Null where all
    /// have room.
    template <class LengthOf>
    Result<BundlePtr> widened(const LengthOf &lengthOf)
    {
        std::map<std::size_t, std::vector<Splice>> splices; // by file
        for (const std::size_t weight : m_weights) {
            const std::size_t file = m_bundle.programFileOf(m_bundle.weights()[weight].model);
            const OperandList &operands = m_bundle.weights()[weight].operands();
            for (std::size_t i = 0; i < operands.size(); ++i) {
                const mil::Literal *literal = operands[i].place->literal.get();
                if (file == kNoIndex || !hasNumbers(literal, file))
                    continue;
                addWider(splices[file], file, *literal,
                         [&](std::uint64_t at) { return lengthOf(weight, i, *literal, at); });
            }
        }
        std::erase_if(splices, [](const auto &of) { return of.second.empty(); });
        return splices.empty() ? Result<BundlePtr>(nullptr) : open(std::move(splices));
    }

    bool isText(std::size_t file) const
    {
        const BundleFile &program = m_bundle.files()[file];
        return !isModelProtobuf(program.file->bytes(), program.path);
    }

private:
    /// A float of messages always has its four or eight bytes.
    bool hasNumbers(const mil::Literal *literal, std::size_t file) const
    {
        return literal != nullptr && !literal->packedSpan &&
               literal->elementSpans.size() == literal->count &&
               (isText(file) || !isFloatingPoint(literal->element));
    }

    /// Packed numbers of a message are one field and are replaced together.
    template <class LengthOf>
    void addWider(std::vector<Splice> &splices, std::size_t file, const mil::Literal &literal,
                  const LengthOf &lengthOf)
    {
        const auto &spans = literal.elementSpans;
        if (spans.empty() || !m_done.emplace(file, spans.front().offset).second)
            return;
        const auto bytes = m_bundle.files()[file].file->bytes();
        const bool text = isText(file);
        bool packed = !text;
        for (std::size_t i = 1; i < spans.size(); ++i)
            packed = packed && spans[i - 1].offset + spans[i - 1].length == spans[i].offset;
        bool wider = false;
        Splice all{{spans.front().offset, 0}, {{}}};
        for (std::size_t i = 0; i < spans.size(); ++i) {
            const std::size_t length = std::max<std::size_t>(lengthOf(i), spans[i].length);
            auto number = padded(bytes.subspan(spans[i].offset, spans[i].length), length, text);
            wider = wider || length > spans[i].length;
            if (packed) {
                all.span.length += spans[i].length;
                all.contents.front().insert(all.contents.front().end(), number.begin(),
                                            number.end());
            } else if (length > spans[i].length) {
                splices.push_back({spans[i], {std::move(number)}});
            }
        }
        if (packed && wider)
            splices.push_back(std::move(all));
    }

    Result<BundlePtr> open(std::map<std::size_t, std::vector<Splice>> splices) const
    {
        std::map<std::size_t, std::vector<std::byte>> files;
        for (auto &[file, own] : splices) {
            const auto bytes = m_bundle.files()[file].file->bytes();
            files[file] = TRY(isText(file) ? spliceText(bytes, std::move(own))
                                           : spliceProtobuf(bytes, std::move(own)));
        }
        return openWith(m_bundle, std::move(files));
    }

    const Bundle &m_bundle;
    std::set<std::size_t> m_weights;
    std::set<std::pair<std::size_t, std::uint64_t>> m_done; ///< a literal may serve several
};

/// Appends the operands that have no place in the program, and notes where they lie.
void placeOperands(std::vector<DraftOperation> &drafts, milblob::Writer &writer)
{
    for (DraftOperation &draft : drafts) {
        for (DraftOperand &operand : draft.operands) {
            if (operand.literal || !operand.reference.empty())
                continue;
            const unsigned width = bitWidth(operand.type);
            const std::uint64_t used =
                elementCount(operand.shape).value_or(ElementCount()).value * width;
            const std::uint64_t padding = width < 8 ? operand.bytes.size() * 8 - used : 0;
            operand.offset = writer.add(operand.type, operand.bytes, padding).value;
        }
    }
}

/// The file's records, where it can be written record by record.
Result<milblob::BlobFile> readRecords(std::span<const std::byte> file, const std::string &name)
{
    milblob::BlobFile parsed = milblob::readBlobFile(file, name);
    for (const Diagnostic &diagnostic : parsed.diagnostics) {
        if (diagnostic.severity != Severity::Error && diagnostic.error.code != "blob.overlap" &&
            diagnostic.error.code != "blob.limit")
            continue;
        return ErrorBuilder(diagnostic.error).code("encode.blob").unexpected();
    }
    for (const milblob::Record &record : parsed.records) {
        if (record.dataOffset.value >= record.metaOffset.value + milblob::kMetadataBytes)
            continue;
        return ErrorBuilder("encode.blob")
            .file(name)
            .at(record.metaOffset)
            .message("A payload lies before its record: the file cannot be written anew")
            .unexpected();
    }
    return parsed;
}

/// Groups by the offset of each record that they replace.
std::multimap<std::uint64_t, std::size_t> droppedRecords(std::span<const BlobGroup> groups)
{
    std::multimap<std::uint64_t, std::size_t> dropped;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        for (const std::uint64_t offset : groups[i].dropped)
            dropped.emplace(offset, i);
    }
    return dropped;
}

using codec::EncodedPart;
using codec::EncodedWeight;
using codec::PartRole;

constexpr unsigned kFirstNewSignature = 18;
tl::unexpected<Error> opsetFault(std::string expected, const DraftTarget &target,
                                 std::string message)
{
    return refused("encode.opset", target.output, expected, target.opset, message);
}

/// A small literal of 32-bit integers.
DraftOperand integers(std::string name, ElementType type, const Shape &shape,
                      const std::vector<std::uint64_t> &values)
{
    DraftOperand operand{std::move(name), type, shape, {}, true, {}, 0};
    for (const std::uint64_t value : values) {
        const auto narrow = static_cast<std::uint32_t>(value);
        const auto bytes = std::as_bytes(std::span(&narrow, 1));
        operand.bytes.insert(operand.bytes.end(), bytes.begin(), bytes.end());
    }
    return operand;
}

DraftOperand shapeOperand(const Shape &shape)
{
    return integers("shape", ElementType::Uint32, {shape.size()}, shape);
}

/// The operation that scales the codes of a weight, a row for each step that has one.
struct ScaledOperation {
    FormNode node;
    std::string_view type;
    unsigned opset; ///< the first that has it
    const char *weights;
    bool oldSignature, axis;
    /// In the order of their names; those that the weight does not have are left out.
    std::array<std::pair<std::string_view, PartRole>, 3> operands;
};

constexpr std::array kScaledOperations{
    ScaledOperation{FormNode::Affine,
                    "constexpr_affine_dequantize",
                    16,
                    "affine weights",
                    true,
                    true,
                    {{{"quantized_data", PartRole::Data},
                      {"scale", PartRole::Scale},
                      {"zero_point", PartRole::ZeroPoint}}}},
    ScaledOperation{
        FormNode::Blockwise,
        "constexpr_blockwise_shift_scale",
        kFirstNewSignature,
        "blockwise weights",
        false,
        false,
        {{{"data", PartRole::Data}, {"offset", PartRole::Offset}, {"scale", PartRole::Scale}}}},
};

const ScaledOperation *scaledOperation(FormNode node)
{
    const auto found = std::ranges::find(kScaledOperations, node, &ScaledOperation::node);
    return found == kScaledOperations.end() ? nullptr : &*found;
}

class Drafter
{
public:
    Drafter(const EncodedWeight &encoded, const DraftTarget &target)
        : m_encoded(encoded), m_target(target), m_opset(opsetNumber(target.opset)),
          m_old(m_opset < kFirstNewSignature)
    {
    }

    Result<std::vector<DraftOperation>> run()
    {
        const bool lut = m_encoded.part(PartRole::Lut) != nullptr;
        const bool coded = lut || m_encoded.scaling;
        if (coded && m_encoded.part(PartRole::Mask) != nullptr)
            return jointSparse();
        if (lut && m_encoded.scaling)
            return scaledPalette();
        const auto draft = TRY([&]() -> Result<DraftOperation> {
            if (lut)
                return palette();
            if (m_encoded.part(PartRole::Mask) != nullptr)
                return sparse();
            return m_encoded.scaling ? scaled() : dense();
        }());
        return std::vector{std::move(draft)};
    }

private:
    /// Few elements are written into the program, as a weight file has no record without bytes; of
    /// a
    /// weight that several operations make alike only if there are none, so that they share the
    /// rest.
    DraftOperand operandOf(std::string name, const EncodedPart &part) const
    {
        // Constants of at least that many elements go to the weight file
        // (resources/formats/blob-storage.md).
        constexpr std::uint64_t kSmallestBlob = 10;
        const std::uint64_t count = elementCount(part.shape).value_or(ElementCount()).value;
        const bool literal =
            m_target.place == DraftTarget::Place::Program ||
            count < (m_target.place == DraftTarget::Place::Shared ? 1 : kSmallestBlob);
        return {std::move(name), part.type, part.shape, part.bytes, literal, {}, 0};
    }

    /// The same bytes as a flat run of uint8, as iOS 16 stores indices and masks.
    DraftOperand flatBytes(std::string name, const EncodedPart &part) const
    {
        return operandOf(std::move(name),
                         {part.role, ElementType::Uint8, {part.bytes.size()}, part.bytes});
    }

    DraftOperation operation(std::string type, bool oldSignature) const
    {
        DraftOperation draft;
        draft.type = std::move(type);
        draft.output = m_target.output;
        draft.name = m_target.name;
        draft.resultType = m_encoded.type;
        draft.resultShape = m_encoded.shape;
        draft.oldSignature = oldSignature;
        return draft;
    }

    Result<void> requireOpset(unsigned least, const char *form) const
    {
        if (m_opset >= least)
            return {};
        return opsetFault(fmt::format("ios{} or later", least), m_target,
                          fmt::format("The program's operation set has no {}", form));
    }

    Result<DraftOperation> dense() const
    {
        if (m_target.type == ElementType::Fp32 && m_encoded.type == ElementType::Fp16) {
            DraftOperation cast = operation("constexpr_cast", true);
            const auto name = std::as_bytes(std::span(std::string_view("fp32")));
            cast.resultType = m_target.type;
            cast.operands = {
                {"output_dtype", ElementType::String, {}, {name.begin(), name.end()}, true, {}, 0},
                operandOf("source_val", m_encoded.parts.front())};
            return cast;
        }
        DraftOperation draft = operation("const", true);
        draft.operands = {operandOf("val", m_encoded.parts.front())};
        return draft;
    }

    Result<DraftOperation> scaled() const
    {
        const ScaledOperation *row = scaledOperation(nodeOf(*m_encoded.encoding().scaling));
        if (row == nullptr)
            return refused("encode.form", m_target.output,
                           "a form that a program has an operation for", {},
                           "No operation makes such a weight");
        TRY(requireOpset(row->opset, row->weights));
        if (row->node == FormNode::Affine && bitWidth(m_encoded.part(PartRole::Data)->type) != 8)
            return refused("encode.form", m_target.output, "int8 or uint8 codes",
                           elementTypeName(m_encoded.part(PartRole::Data)->type),
                           "The affine codes of a program are bytes; narrower ones are blockwise");
        DraftOperation draft = operation(std::string(row->type), row->oldSignature);
        if (row->axis)
            draft.operands.push_back(integers("axis", ElementType::Int32, {}, {m_encoded.axis}));
        for (const auto &[name, role] : row->operands) {
            const EncodedPart *stored = m_encoded.part(role);
            if (stored != nullptr)
                draft.operands.push_back(operandOf(std::string(name), *stored));
        }
        return draft;
    }

    Result<DraftOperation> sparse() const
    {
        TRY(requireOpset(16, "sparse weights"));
        DraftOperation draft = operation("constexpr_sparse_to_dense", m_old);
        const EncodedPart &mask = *m_encoded.part(PartRole::Mask);
        draft.operands = {m_old ? flatBytes("mask", mask) : operandOf("mask", mask),
                          operandOf("nonzero_data", *m_encoded.part(PartRole::NonzeroData))};
        if (m_old)
            draft.operands.push_back(shapeOperand(m_encoded.shape));
        return draft;
    }

    Result<DraftOperation> palette() const
    {
        if (m_old)
            return oldPalette();
        DraftOperation draft = operation("constexpr_lut_to_dense", false);
        draft.operands = {operandOf("indices", *m_encoded.part(PartRole::Indices)),
                          operandOf("lut", *m_encoded.part(PartRole::Lut))};
        if (m_encoded.vector > 1)
            draft.operands.push_back(
                integers("vector_axis", ElementType::Int32, {}, {m_encoded.vectorAxis}));
        return draft;
    }

    Result<DraftOperation> oldPalette() const
    {
        TRY(requireOpset(16, "palettes"));
        const auto books = elementCount(m_encoded.grid).value_or(ElementCount()).value;
        if (books != 1 || m_encoded.vector != 1 || m_encoded.entries == 8)
            return opsetFault(
                fmt::format("ios{} or later", kFirstNewSignature), m_target,
                "Before iOS 18 a palette has one codebook of 2, 4, 16, 64 or 256 single "
                "values");
        DraftOperation draft = operation("constexpr_lut_to_dense", true);
        EncodedPart lut = *m_encoded.part(PartRole::Lut);
        lut.shape = {m_encoded.entries};
        draft.operands = {flatBytes("indices", *m_encoded.part(PartRole::Indices)),
                          operandOf("lut", lut), shapeOperand(m_encoded.shape)};
        return draft;
    }

    /// Codes looked up first, then scaled.
    Result<std::vector<DraftOperation>> scaledPalette() const
    {
        TRY(requireOpset(kFirstNewSignature, "palettes of scaled entries"));
        if (m_encoded.part(PartRole::Lut)->type != ElementType::Int8) {
            return refused("encode.form", m_target.output, "int8 entries",
                           elementTypeName(m_encoded.part(PartRole::Lut)->type),
                           "A program can scale a codebook of int8 entries only");
        }
        auto looked = TRY(palette());
        looked.output += "_codes";
        looked.name += "_codes";
        looked.resultType = m_encoded.part(PartRole::Lut)->type;
        DraftOperation scaled = operation("constexpr_blockwise_shift_scale", false);
        DraftOperand data;
        data.name = "data";
        data.reference = looked.output;
        scaled.operands = {std::move(data), operandOf("scale", *m_encoded.part(PartRole::Scale))};
        return std::vector{std::move(looked), std::move(scaled)};
    }

    /// Mask and survivors from one operation, and the dense weight from both.
    Result<std::vector<DraftOperation>> jointSparse() const
    {
        if (auto allowed =
                requireOpset(kFirstNewSignature, "sparse weights of coded non-zero values");
            !allowed)
            return tl::unexpected(allowed.error());
        const EncodedPart &mask = *m_encoded.part(PartRole::Mask);
        const EncodedPart *lut = m_encoded.part(PartRole::Lut);
        DraftOperation coded = operation(lut != nullptr ? "constexpr_lut_to_sparse"
                                                        : "constexpr_sparse_blockwise_shift_scale",
                                         false);
        coded.output += "_survivors";
        coded.name += "_survivors";
        coded.maskOutput = m_target.output + "_mask";
        coded.maskShape = m_encoded.shape;
        const EncodedPart &codes =
            *m_encoded.part(lut != nullptr ? PartRole::Indices : PartRole::NonzeroData);
        coded.resultShape = codes.shape;
        if (lut != nullptr) {
            coded.operands = {operandOf("indices_mask", mask),
                              operandOf("indices_nonzero_data", codes), operandOf("lut", *lut)};
        } else {
            coded.operands = {operandOf("data_mask", mask), operandOf("nonzero_data", codes)};
            if (const EncodedPart *offset = m_encoded.part(PartRole::Offset))
                coded.operands.push_back(operandOf("offset", *offset));
            coded.operands.push_back(operandOf("scale", *m_encoded.part(PartRole::Scale)));
        }
        DraftOperation dense = operation("constexpr_sparse_to_dense", false);
        dense.operands.resize(2);
        dense.operands[0].name = "mask";
        dense.operands[0].reference = coded.maskOutput;
        dense.operands[1].name = "nonzero_data";
        dense.operands[1].reference = coded.output;
        return std::vector{std::move(coded), std::move(dense)};
    }

    const EncodedWeight &m_encoded;
    const DraftTarget &m_target;
    unsigned m_opset;
    bool m_old;
};

} // namespace

Result<BundlePtr> withLiteralRoom(const Bundle &bundle, const std::vector<Edit> &edits,
                                  double tolerance)
{
    std::set<std::size_t> weights;
    for (const Edit &edit : edits) {
        const auto index =
            edit.isRaw() ? Result<std::size_t>(kNoIndex) : findWeight(bundle, edit.weight);
        if (index && *index != kNoIndex)
            weights.insert(*index);
    }
    const BundleReadLock lock(bundle);
    // As wide as any number could be, to learn what the edits make of each.
    const auto wide = TRY(LiteralRoom(bundle, weights)
                              .widened([](std::size_t, std::size_t, const mil::Literal &,
                                          std::uint64_t) { return kLongest; }));
    if (!wide)
        return nullptr;
    const auto planned = planOnFork(wide, edits, tolerance);
    if (!planned || planned->bundle->weights().size() != bundle.weights().size())
        return nullptr; // planned without room, they say what is wrong
    LiteralRoom room(bundle, weights);
    return room.widened([&](std::size_t weight, std::size_t operand, const mil::Literal &literal,
                            std::uint64_t at) -> std::size_t {
        const OperandList &made = planned->bundle->weights()[weight].operands();
        if (operand >= made.size() || !made[operand].place->literal)
            return 0;
        const std::int64_t before = loadCode(literal.bytes, literal.element, at);
        const std::int64_t after =
            loadCode(made[operand].place->literal->bytes, literal.element, at);
        if (before == after)
            return 0;
        if (!room.isText(bundle.programFileOf(bundle.weights()[weight].model)))
            return varintLength(static_cast<std::uint64_t>(after));
        const auto texts = notations(literal.element, after);
        const bool fits = std::ranges::any_of(texts, [&](const std::string &each) {
            return each.size() <= literal.elementSpans[at].length;
        });
        return texts.empty() || fits ? 0 : texts.front().size();
    });
}

// Weight files laid out anew.

Result<BlobLayout> layOutBlobs(std::span<const std::byte> file, const std::string &name,
                               const std::set<std::uint64_t> &kept,
                               std::span<const BlobGroup> groups)
{
    const auto parsed = TRY(readRecords(file, name));
    milblob::Writer::Options options;
    std::copy_n(file.begin() + 8, options.headerReserved.size(), options.headerReserved.begin());
    milblob::Writer writer(options);
    BlobLayout layout;
    const auto dropped = droppedRecords(groups);
    std::vector<bool> placed(groups.size());
    const auto place = [&](std::size_t group) {
        if (!placed[group])
            placeOperands(*groups[group].drafts, writer);
        placed[group] = true;
    };
    for (const milblob::Record &record : parsed.records) {
        const std::uint64_t meta = record.metaOffset.value;
        const auto [first, last] = dropped.equal_range(meta);
        for (auto at = first; at != last; ++at)
            place(at->second);
        if (first != last && kept.count(meta) == 0)
            continue;
        const std::uint64_t behindMeta = meta + milblob::kMetadataBytes;
        constexpr std::uint64_t kReserved = 32; // the last bytes of a record
        layout.moved[meta] =
            writer
                .add(record.type, file.subspan(record.dataOffset.value, record.bytes.value),
                     record.paddingBits, file.subspan(behindMeta - kReserved, kReserved),
                     file.subspan(behindMeta, record.dataOffset.value - behindMeta))
                .value;
    }
    for (std::size_t i = 0; i < groups.size(); ++i)
        place(i);
    for (const std::uint64_t offset : kept) {
        if (layout.moved.count(offset) > 0)
            continue;
        return refused({name}, "encode.blob", {}, "a record at every offset that is named",
                       fmt::format("none at {}", offset),
                       "The weight file cannot be laid out anew");
    }
    layout.file = writer.finish();
    return layout;
}

unsigned opsetNumber(std::string_view opset)
{
    unsigned number = 0;
    if (opset == "CoreAI") // has what that set has, under other names
        return kFirstNewSignature;
    if (opset.substr(0, 3) == "ios")
        std::from_chars(opset.data() + 3, opset.data() + opset.size(), number);
    return number;
}

Result<std::vector<DraftOperation>> draftOperations(const EncodedWeight &encoded,
                                                    const DraftTarget &target)
{
    return Drafter(encoded, target).run();
}

} // namespace kernscope::patch
