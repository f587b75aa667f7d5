// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/reencode/raise_opset.h"

#include "core/base/byte_text.h"
#include "core/base/overlaid_file.h"
#include "core/container/mil/model_files.h"
#include "core/container/mil/text_parser.h"
#include "core/container/mil/value_graph.h"
#include "core/container/mil/wire.h"
#include "core/format/table_rows.h"
#include "core/patch/reencode/reencoder.h"

#include <bit>

#include <fmt/format.h>

namespace kernscope {

namespace {

using patch::Splice;
using RawBytes = std::vector<std::byte>;

constexpr unsigned kFirstOpset = 15, kLastOpset = 18;

/// mil-format: iOS 15 is CoreML5 and specification 6, and so on, one each.
std::string opsetKey(unsigned opset)
{
    return fmt::format("CoreML{}", opset - 10);
}
unsigned specificationOf(unsigned opset)
{
    return opset - 9;
}

tl::unexpected<Error> opsetError(std::string field, std::string expected, std::string found,
                                 std::string_view message)
{
    return refused("encode.opset", field, expected, found, message);
}

/// An index that is written in the program is negative: counted from the end up to iOS 16, out of
/// bounds since iOS 17. What is worked out when the program runs cannot be known here.
bool countsFromTheEnd(const ValueGraph &graph, const std::vector<const mil::Operation *> &uses)
{
    return std::ranges::any_of(uses, [&graph](const mil::Operation *operation) {
        const mil::Literal *literal = graph.literal(*operation, "indices");
        const auto numbers = literal ? literalIntegers(*literal) : std::vector<std::int64_t>();
        return std::ranges::any_of(numbers, [](std::int64_t number) { return number < 0; });
    });
}

class Raiser
{
public:
    Raiser(const Bundle &bundle, std::string model, unsigned opset)
        : m_bundle(bundle), m_model(std::move(model)), m_opset(opset)
    {
    }

    Result<void> check()
    {
        if (m_opset <= kFirstOpset || m_opset > kLastOpset)
            return opsetError("--opset", fmt::format("ios{} to ios{}", kFirstOpset + 1, kLastOpset),
                              fmt::format("ios{}", m_opset), "This operation set is not known");
        for (const mil::Function &function : m_bundle.program()->functions) {
            if (isRaised(function) && m_result.before.empty())
                m_result.before = function.opset;
        }
        if (m_bundle.programFile() == kNoIndex || m_result.before.empty())
            return opsetError("--opset", fmt::format("functions before ios{}", m_opset), "none",
                              "The program has no function with an earlier operation set");
        m_result.after = fmt::format("ios{}", m_opset);
        return checkOperations();
    }

    Result<RaisedBundle> run()
    {
        TRY(check());
        const auto bytes = file().file->bytes();
        Result<RawBytes> program = isModelProtobuf(bytes, file().path)
                                       ? patch::spliceProtobuf(bytes, modelSplices())
                                       : Result<RawBytes>(patch::spliceText(bytes, textSplices()));
        if (!program)
            return tl::unexpected(std::move(program.error()));
        m_result.bundle = TRY(open(std::move(*program)));
        for (const mil::Function &function : m_result.bundle->program()->functions) {
            if (isRaised(function))
                return opsetError(function.name, m_result.after, function.opset,
                                  "A function kept its operation set");
        }
        TRY(rewrite());
        return std::move(m_result);
    }

private:
    bool isRaised(const mil::Function &function) const
    {
        const unsigned number = patch::opsetNumber(function.opset);
        return function.model == m_model && number >= kFirstOpset && number < m_opset;
    }
    /// Every operation must be there in the later set with the meaning that it has now.
    Result<void> checkOperations()
    {
        const auto table = TRY(tables::load("opset_changes"));
        const auto program = m_bundle.program();
        for (const mil::Function &function : program->functions) {
            if (!isRaised(function))
                continue;
            const unsigned from = patch::opsetNumber(function.opset);
            std::map<std::string, std::vector<const mil::Operation *>> uses;
            patch::visitOperations(function.body, [&uses](const mil::Operation &operation) {
                if (operation.opset.empty()) // else it names a set of its own
                    uses[operation.type].push_back(&operation);
            });
            const ValueGraph graph(function);
            for (std::size_t row = 0; row < table.rows(); ++row) {
                const auto used = uses.find(std::string(table.cell(row, "operation")));
                const auto changed =
                    static_cast<unsigned>(parseInteger(table.cell(row, "opset")).value_or(0));
                if (used == uses.end() || changed <= from || changed > m_opset)
                    continue;
                const std::string change(table.cell(row, "change"));
                const std::string_view same = table.cell(row, "same_meaning");
                const bool rewritten = same == "rewritten";
                const bool kept = same == "yes" || rewritten ||
                                  (same == "indices" && !countsFromTheEnd(graph, used->second));
                if (!kept)
                    return opsetError(
                        used->first, fmt::format("the meaning of {}", function.opset),
                        fmt::format("ios{}: {}", changed, change),
                        "An operation has another meaning in the later operation set");
                if (rewritten)
                    m_rewritten.push_back(used->first);
                m_result.changes.push_back(
                    {used->first, function.name, used->second.size(), change, changed, rewritten});
            }
        }
        TRY(patch::oldSignatureWeights(m_bundle, m_model, m_rewritten));
        return {};
    }

    const BundleFile &file() const { return m_bundle.files()[m_bundle.programFileOf(m_model)]; }
    bool inFunctions(const std::string &name) const
    {
        const auto &functions = m_bundle.program()->functions;
        return std::ranges::any_of(functions, [&](const mil::Function &function) {
            return function.name == name && isRaised(function);
        });
    }

    /// `func NAME<ios15>`: the word between the brackets.
    std::vector<Splice> textSplices() const
    {
        const auto bytes = file().file->bytes();
        const std::string_view text = textInBytes(bytes);
        std::vector<Splice> splices;
        mil::Lexer lexer(text);
        using Kind = mil::TextToken::Kind;
        for (mil::TextToken token = lexer.next(); !token.is(Kind::End); token = lexer.next()) {
            if (!token.is(Kind::Identifier) || lexer.text(token) != "func")
                continue;
            const mil::TextToken name = lexer.next();
            if (!name.is(Kind::Identifier) || !inFunctions(std::string(lexer.text(name))) ||
                !lexer.next().is('<'))
                continue;
            const mil::TextToken opset = lexer.next();
            splices.push_back(
                {{opset.begin, opset.length()}, {bytesOfText(fmt::format("ios{}", m_opset))}});
        }
        return splices;
    }

    std::vector<Splice> modelSplices() const
    {
        const auto bytes = file().file->bytes();
        mil::WireState state{mil::Faults(file().path), bytes.size(), false, false};
        std::vector<Splice> splices;
        for (const mil::ModelNode &node : m_bundle.program()->models) {
            // The model itself and the pipelines around it.
            const bool own = node.path == m_model;
            const bool around = node.path.empty() || m_model.starts_with(node.path + "/");
            if (!own && !around)
                continue;
            const mil::WireBytes model{bytes.subspan(node.span.offset, node.span.length),
                                       node.span.offset};
            forEachField(model, state, [&](const mil::WireField &field) {
                if (field.number == 1 && field.type == mil::WireField::Type::Varint &&
                    field.value < specificationOf(m_opset))
                    splices.push_back({field.content.span(),
                                       {{static_cast<std::byte>(specificationOf(m_opset))}}});
            });
            if (!own || !node.isProgram())
                continue;
            const mil::WireBytes program{bytes.subspan(node.content.offset, node.content.length),
                                         node.content.offset};
            forEachField(program, state, [&](const mil::WireField &field) {
                if (field.number != 2 || !field.isBytes())
                    return;
                std::string name;
                mil::WireBytes function{{}, field.content.offset};
                forEachField(field.content, state, [&](const mil::WireField &part) {
                    if (part.number == 1)
                        name = textInBytes(part.content.bytes);
                    else if (part.number == 2)
                        function = part.content;
                });
                if (inFunctions(name))
                    addFunction(function, state, splices);
            });
        }
        return splices;
    }

    /// Opset (2) and the key of the block that is written in it (3, a map).
    void addFunction(const mil::WireBytes &function, mil::WireState &state,
                     std::vector<Splice> &splices) const
    {
        std::string before;
        forEachField(function, state, [&](const mil::WireField &field) {
            if (field.number == 2 && field.isBytes()) {
                before = textInBytes(field.content.bytes);
                splices.push_back({field.content.span(), {bytesOfText(opsetKey(m_opset))}});
            }
        });
        forEachField(function, state, [&](const mil::WireField &field) {
            if (field.number != 3 || !field.isBytes())
                return;
            forEachField(field.content, state, [&](const mil::WireField &key) {
                if (key.number == 1 && key.isBytes() && textInBytes(key.content.bytes) == before)
                    splices.push_back({key.content.span(), {bytesOfText(opsetKey(m_opset))}});
            });
        });
    }

    /// metadata.json of a compiled model repeats the specification version.
    RawBytes metadata(std::span<const std::byte> bytes) const
    {
        std::string text(textInBytes(bytes));
        constexpr std::string_view kKey = "\"specificationVersion\"";
        const auto at = text.find(kKey);
        const auto first =
            at == text.npos ? at : text.find_first_not_of(" \t\r\n:", at + kKey.size());
        if (first != text.npos) {
            const auto end = std::min(text.find_first_not_of("0123456789", first), text.size());
            const auto number = parseInteger(text.substr(first, end - first));
            if (number && *number < specificationOf(m_opset))
                text.replace(first, end - first, std::to_string(specificationOf(m_opset)));
        }
        return bytesOfText(text);
    }

    Result<BundlePtr> open(RawBytes program) const
    {
        std::map<std::size_t, RawBytes> files{
            {m_bundle.programFileOf(m_model), std::move(program)}};
        for (const std::string &path : {std::string("metadata.json"), m_model + "/metadata.json"}) {
            if (const auto words = m_bundle.fileByPath(path))
                files[*words] = metadata(m_bundle.files()[*words].file->bytes());
        }
        return patch::openWith(m_bundle, std::move(files));
    }

    /// Operations whose signature changed are written in the later one, with the bytes that they
    /// have.
    Result<void> rewrite()
    {
        if (m_rewritten.empty())
            return {};
        const auto weights =
            TRY(patch::oldSignatureWeights(*m_result.bundle, m_model, m_rewritten));
        if (weights.empty())
            return {};
        m_result.bundle = TRY(patch::inLaterSignature(*m_result.bundle, weights));
        return {};
    }

    const Bundle &m_bundle;
    std::string m_model;
    unsigned m_opset;
    std::vector<std::string> m_rewritten; ///< types of operations that get another signature
    RaisedBundle m_result;
};

} // namespace

Result<RaisedBundle> raiseOpset(const Bundle &bundle, const std::string &model, unsigned opset)
{
    const BundleReadLock lock(bundle);
    return Raiser(bundle, model, opset).run();
}

Result<void> checkOpset(const Bundle &bundle, const std::string &model, unsigned opset)
{
    const BundleReadLock lock(bundle);
    return Raiser(bundle, model, opset).check();
}

Result<unsigned> requiredOpset(const codec::EncodedWeight &encoded, unsigned from)
{
    // Sets after the last one that is raised to have its operations (iOS 26).
    for (unsigned opset = std::max(from, kFirstOpset);; ++opset) {
        const auto drafts =
            patch::draftOperations(encoded, {"w", "w", fmt::format("ios{}", opset)});
        if (drafts)
            return opset;
        if (drafts.error().code != "encode.opset" || opset >= kLastOpset)
            return tl::unexpected(drafts.error());
    }
}

} // namespace kernscope

namespace kernscope::patch {

namespace {

using codec::EncodedPart;
using codec::EncodedWeight;
using codec::Operand;

/// Before iOS 18 the operands are attributes, and the shape of the result is one of them.
bool hasOldSignature(const mil::Operation &operation)
{
    return operation.inputs.empty() || operation.operand("shape") != nullptr;
}

EncodedPart partOf(const Operand &operand, ElementType type, Shape shape)
{
    EncodedPart part{operand.role, type, std::move(shape), {}};
    const auto count = elementCount(part.shape).value_or(ElementCount());
    const auto bytes = packedBytes(count, type).value_or(ByteCount());
    const auto raw = operand.bytes.first(std::min<std::size_t>(bytes.value, operand.bytes.size()));
    part.bytes.assign(raw.begin(), raw.end());
    return part;
}

/// A palette of one codebook of single values, or values with a mask, in the operands of iOS 18.
EncodedWeight laterParts(const codec::Encoding &encoding)
{
    EncodedWeight weight;
    weight.type = encoding.type;
    weight.shape = encoding.shape;
    const Operand &payload = *codec::storedOperand(encoding.payload);
    if (encoding.palette) {
        const Operand &lut = *codec::storedOperand(encoding.palette->lut);
        weight.entries = encoding.palette->entries;
        weight.grid = Shape(encoding.shape.size(), 1);
        Shape table = weight.grid;
        table.push_back(weight.entries);
        table.push_back(1);
        // Indices were declared as bytes: their width is what the codebook asks for.
        const auto width = static_cast<unsigned>(std::bit_width(weight.entries) - 1);
        weight.parts.push_back(partOf(payload, unsignedType(width), encoding.shape));
        weight.parts.push_back(partOf(lut, lut.type, std::move(table)));
    } else {
        weight.parts.push_back(partOf(*encoding.mask, ElementType::Uint1, encoding.shape));
        weight.parts.push_back(partOf(payload, payload.type, payload.shape));
    }
    return weight;
}

/// Whether laterParts() can write it: both operands are stored, row by row.
bool isPlain(const codec::Encoding &encoding)
{
    const Operand *payload = codec::storedOperand(encoding.payload);
    if (payload == nullptr || payload->order || encoding.scaling)
        return false;
    if (!encoding.palette)
        return encoding.mask && !encoding.mask->order;
    return !encoding.mask && codec::storedOperand(encoding.palette->lut) != nullptr &&
           encoding.palette->vector == 1;
}

tl::unexpected<Error> notRewritten(const mil::Function &function, const mil::Operation &operation)
{
    return refused("encode.opset", operation.type, "a weight that can be read",
                   operation.outputs.empty() ? operation.displayName() : operation.outputs[0].name,
                   "An operation of " + function.opset +
                       " cannot be written in the signature of iOS 18");
}

} // namespace

Result<std::vector<std::size_t>> oldSignatureWeights(const Bundle &bundle, const std::string &model,
                                                     const std::vector<std::string> &operations)
{
    std::map<std::pair<std::string, std::string>, std::size_t> byName;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        if (weight.model == model)
            byName.emplace(std::pair(weight.function, weight.name), i);
    }
    std::vector<std::size_t> found;
    Result<void> sound;
    const auto program = bundle.program();
    for (const mil::Function &function : program->functions) {
        if (function.model != model)
            continue;
        visitOperations(function.body, [&](const mil::Operation &operation) {
            if (std::ranges::find(operations, operation.type) == operations.end() ||
                !hasOldSignature(operation) || !sound)
                return;
            const auto at = operation.outputs.size() != 1
                                ? byName.end()
                                : byName.find({function.name, operation.outputs[0].name});
            const codec::Encoding *encoding =
                at == byName.end() ? nullptr : bundle.weights()[at->second].form.encoding().get();
            if (encoding == nullptr || !isPlain(*encoding))
                sound = notRewritten(function, operation);
            else
                found.push_back(at->second);
        });
    }
    if (!sound)
        return tl::unexpected(std::move(sound.error()));
    return found;
}

Result<BundlePtr> inLaterSignature(const Bundle &bundle, const std::vector<std::size_t> &weights)
{
    // Weights of the same bytes become one object, whose records are written once.
    std::map<std::pair<std::vector<const std::byte *>, Shape>, std::unique_ptr<EncodedWeight>> made;
    std::vector<Reencoding> wanted;
    for (const std::size_t index : weights) {
        const codec::Encoding encoding = codec::withOperands(
            *bundle.weights()[index].form.encoding(),
            [&bundle](Operand &operand) { operand.bytes = bundle.operandBytes(operand); });
        std::vector<const std::byte *> key;
        for (const Operand *operand : codec::operandsOf(encoding))
            key.push_back(operand->bytes.data());
        auto &one = made[{std::move(key), encoding.shape}];
        if (!one)
            one = std::make_unique<EncodedWeight>(laterParts(encoding));
        wanted.push_back({index, one.get()});
    }
    return reencodeWeights(bundle, wanted);
}

} // namespace kernscope::patch
