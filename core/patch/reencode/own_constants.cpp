// SPDX-License-Identifier: GPL-3.0-or-later
// Edits that a module in place has no room for: parts that others share, other numbers of values.
#include "core/base/error_builder.h"
#include "core/codec/edit/editor.h"
#include "core/container/mlir/aicode.h"
#include "core/format/coreai_operations.h"
#include "core/patch/plan/planner.h"
#include "core/patch/plan/weight_planner.h"
#include "core/patch/reencode/module_reencoder.h"
#include "core/patch/reencode/reencoder.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

using codec::PartRole;
using mlir::NewOperation;

/// The constant of a part of a weight, and the operation of the weight's chain that reads it.
struct PartConstant {
    std::uint32_t constant = 0;
    std::uint32_t reader = mlir::kNone; ///< kNone: the weight is the constant
    std::uint32_t operand = 0;
};

/// Which operand of a step a part is; 0: it belongs to what the step is made of.
std::uint32_t operandOfPart(CoreAiStep step, PartRole role)
{
    switch (step) {
    case CoreAiStep::ShiftScale:
    case CoreAiStep::Dequantize:
        return role == PartRole::Scale                                   ? 1
               : role == PartRole::Offset || role == PartRole::ZeroPoint ? 2
               : role == PartRole::Bias                                  ? 3
                                                                         : 0;
    case CoreAiStep::LutToDense:
    case CoreAiStep::LutToSparse: return role == PartRole::Lut ? 1 : 0;
    case CoreAiStep::BuildSparse: return role == PartRole::Mask ? 1 : 0;
    default: return 0;
    }
}

/// Follows a weight's operations to the constant that an edit changes.
std::optional<PartConstant> constantOfPart(const mlir::Module &module, std::uint32_t maker,
                                           PartRole role)
{
    PartConstant found{maker, mlir::kNone, 0};
    bool looking =
        role != PartRole::Data && role != PartRole::Indices && role != PartRole::NonzeroData;
    for (std::size_t steps = 0; steps <= module.operations.size(); ++steps) {
        const mlir::Operation &operation = module.operations[found.constant];
        const CoreAiOperation *row = coreAiOperation(module.operationName(operation));
        if (!row || row->step == CoreAiStep::None)
            return std::nullopt;
        if (row->step == CoreAiStep::Constant)
            return looking ? std::nullopt : std::optional(found);
        const std::uint32_t next = looking ? operandOfPart(row->step, role) : 0;
        looking = looking && next == 0;
        const auto operands = module.operandsOf(operation);
        if (next >= operands.size() || module.values[operands[next]].argument)
            return std::nullopt;
        found = {module.values[operands[next]].owner, found.constant, next};
    }
    return std::nullopt;
}

Diagnostic ownNote(const mlir::Module &module, const Edit &edit, std::uint32_t constant,
                   const std::vector<std::uint32_t> &sharing, bool splat)
{
    ErrorBuilder note("patch.own_constant");
    note.file(module.file)
        .at(module.operations[constant].range.offset)
        .field(edit.weight)
        .found(sharing.size() > 1 ? constantReaders(module, constant, sharing)
               : splat            ? std::string("one element that stands for all")
                                  : std::string("other readers of the same constant"))
        .message("What is changed stood for more than that: it gets bytes of its own, and the "
                 "module another length");
    return {Severity::Note, note};
}

/// The elements of a constant, all of them, packed.
std::vector<std::byte> allElements(std::span<const std::byte> stored, bool splat,
                                   std::uint64_t elements, unsigned bits)
{
    if (!splat || bits == 0)
        return {stored.begin(), stored.end()};
    std::vector<std::byte> all;
    if (bits >= 8) {
        for (std::uint64_t i = 0; i < elements; ++i)
            all.insert(all.end(), stored.begin(), stored.end());
        return all;
    }
    all.resize(static_cast<std::size_t>((elements * bits + 7) / 8));
    const unsigned code = std::to_integer<unsigned>(stored.front()) & ((1U << bits) - 1U);
    for (std::uint64_t bit = 0; bit < elements * bits; ++bit)
        if ((code >> (bit % bits) & 1U) != 0)
            all[static_cast<std::size_t>(bit / 8)] |= static_cast<std::byte>(1U << (bit % 8));
    return all;
}

/// The operations of a sparse weight anew, with another mask and other values that it keeps.
class SparseChain
{
public:
    /// `before`, `after`: how many values (or indices of vectors) are stored.
    SparseChain(ModuleChange &change, const Weight &weight, std::uint64_t before,
                std::uint64_t after, std::span<const std::byte> mask,
                std::span<const std::byte> values)
        : m_change(change), m_weight(weight), m_before(before), m_after(after), m_mask(mask),
          m_values(values)
    {
    }

    /// The last one has the result of `maker`.
    Result<std::vector<NewOperation>> run(std::uint32_t maker)
    {
        const std::uint32_t result = m_change.module().operations[maker].results.first;
        TRY(copy(result, false));
        m_operations.back().results = {result};
        return std::move(m_operations);
    }

private:
    using Made = Result<std::uint32_t>;

    /// The value made again; `packed`: what is kept, one after the other.
    Made copy(std::uint32_t value, bool packed)
    {
        const mlir::Module &module = m_change.module();
        const mlir::Value &from = module.values[value];
        const mlir::Operation &operation = module.operations[from.argument ? 0 : from.owner];
        const std::string name = module.operationName(operation);
        const CoreAiOperation *row = coreAiOperation(name);
        const auto operands = module.operandsOf(operation);
        const bool known = !from.argument && row && row->step != CoreAiStep::None &&
                           operation.regions.count == 0 && operation.results.count == 1 &&
                           operands.empty() == (row->step == CoreAiStep::Constant);
        if (!known)
            return refused("encode.program", m_weight.name, "steps without regions", name,
                           "The operations that make the weight cannot be written anew");
        const auto type = changedType(from.type, packed);
        if (!type || row->step == CoreAiStep::Constant)
            return type ? constant(value, *type, m_values) : type;
        const bool masks = row->step == CoreAiStep::BuildSparse;
        const auto first = copy(operands[0], packed || masks);
        if (!first)
            return first;
        NewOperation made;
        made.name = name;
        made.location = operation.location;
        made.properties = operation.properties;
        made.operands.assign(operands.begin(), operands.end());
        made.operands[0] = *first;
        if (masks) {
            const auto mask = constant(operands[1], module.values[operands[1]].type, m_mask);
            if (!mask)
                return mask;
            made.operands[1] = *mask;
        }
        made.results = {m_change.edit().value(*type)};
        m_operations.push_back(std::move(made));
        return m_operations.back().results.front();
    }

    Made constant(std::uint32_t like, std::uint32_t type, std::span<const std::byte> bytes)
    {
        const mlir::Module &module = m_change.module();
        const auto properties = m_change.ownConstant(bytes);
        if (!properties)
            return properties;
        NewOperation made;
        made.name = kConstant;
        made.location = module.operations[module.values[like].owner].location;
        made.properties = *properties;
        made.results = {m_change.edit().value(type)};
        m_operations.push_back(std::move(made));
        return m_operations.back().results.front();
    }

    Made changedType(std::uint32_t type, bool packed)
    {
        const mlir::Module &module = m_change.module();
        const auto tensor = mlir::tensorType(module, type);
        const auto unknown = [&](std::string expected) {
            return refused("encode.program", m_weight.name, expected, "another one",
                           "The number of stored values stands in a type that is not known");
        };
        if (!tensor)
            return unknown("a tensor");
        if (tensor->encoding == mlir::kNone && !packed)
            return type;
        Shape shape(tensor->shape.begin(), tensor->shape.end());
        if (tensor->encoding == mlir::kNone) {
            if (shape != Shape{m_before})
                return unknown(shapeText(Shape{m_before}));
            return m_change.tensorType(tensor->elementName, {m_after});
        }
        const mlir::Decoded encoding = module.attribute(tensor->encoding);
        const auto &fields = encoding.fields;
        const bool counted = encoding.is("sparse_tensor_encoding_v1") && fields.size() == 4 &&
                             fields[0].value == 0 && fields[1].value == 1 && fields[2].value == 1;
        if (!counted || m_before == 0 || fields[3].value % m_before != 0)
            return unknown("a mask that counts its values");
        return m_change.tensorType(tensor->elementName, shape,
                                   fields[3].value / m_before * m_after);
    }

    ModuleChange &m_change;
    const Weight &m_weight;
    std::uint64_t m_before, m_after;
    std::span<const std::byte> m_mask, m_values;
    std::vector<NewOperation> m_operations;
};

/// Bytes of a part with a plan's changes laid over them; the last one may end elsewhere. All of
/// them, or `length`.
std::vector<std::byte> withChanges(const Bundle &bundle, const codec::Operand &part,
                                   const codec::EditPlan &plan,
                                   std::optional<std::uint64_t> length = std::nullopt)
{
    auto bytes = bundle.operandBytes(part);
    const bool inPieces = part.order && !part.place->isLiteral(); // counts from the file's start
    const std::uint64_t start = inPieces ? part.place->dataOffset.value : 0;
    if (inPieces)
        bytes = bytes.subspan(start, part.place->bytes.value);
    std::vector<std::byte> all(bytes.begin(), bytes.end());
    all.resize(std::max<std::size_t>(all.size(), length.value_or(0)));
    for (const codec::PartEdit &edit : plan.parts) {
        if (edit.role == part.role)
            std::ranges::copy(edit.bytes,
                              all.begin() + static_cast<std::ptrdiff_t>(edit.offset - start));
    }
    all.resize(length.value_or(all.size()));
    return all;
}

/// Edits of the mask of one weight.
struct MaskEdits {
    std::vector<codec::MaskChange> changes;
    std::vector<std::size_t> numbers; ///< among all edits
};

/// Writes anew what edits of masks have no room for: another number of values, shared masks.
Result<OwnConstants> withOwnMasks(const Bundle &bundle, const std::vector<Edit> &edits,
                                  double tolerance)
{
    std::map<std::size_t, MaskEdits> byWeight;
    const BundleReadLock lock(bundle);
    for (std::size_t i = 0; i < edits.size(); ++i) {
        if (edits[i].kind != Edit::Kind::Keep && edits[i].kind != Edit::Kind::Drop)
            continue;
        const auto index = findWeight(bundle, edits[i].weight);
        const auto element = TRY(index ? singleElement(edits[i], bundle.weights()[*index].shape)
                                       : Result<std::uint64_t>(tl::unexpected(index.error())));
        MaskEdits &own = byWeight[*index];
        own.changes.push_back({element, std::nullopt, toleranceFor(edits[i].value, tolerance)});
        if (edits[i].kind == Edit::Kind::Keep)
            own.changes.back().value = edits[i].value;
        own.numbers.push_back(i);
    }
    OwnConstants own;
    if (byWeight.empty())
        return own;
    ModuleChange change(bundle);
    for (const auto &[index, masked] : byWeight) {
        const Weight &weight = bundle.weights()[index];
        const auto decoder = TRY(bundle.decoder(index));
        const auto plans = TRY(codec::Editor(decoder).changeMask(masked.changes));
        const codec::EditPlan &plan = plans.back();
        const auto &encoding = *weight.form.encoding();
        const codec::Operand &mask = *encoding.mask;
        const auto &values = std::get<codec::Operand>(encoding.payload);
        const bool room = !plan.payloadElements && checkOwnBytes(bundle, weight, mask) &&
                          checkOwnBytes(bundle, weight, values);
        if (plan.parts.empty() || room)
            continue;
        const std::uint64_t before = decoder.payloadElements().value;
        const ElementCount after = plan.payloadElements.value_or(ElementCount(before));
        const auto length = packedBytes(after, values.type);
        if (!length || length->value == 0)
            return refused("encode.form", weight.name, "one stored value at least", "none",
                           "A sparse weight of a Core AI package stores something");
        const auto maker = TRY(change.makerOf(weight));
        const auto newMask = withChanges(bundle, mask, plan);
        const auto newValues = withChanges(bundle, values, plan, length->value);
        auto operations =
            TRY(SparseChain(change, weight, before, after.value, newMask, newValues).run(maker));
        change.edit().replace(maker, std::move(operations));
        own.notes.push_back(
            {Severity::Note,
             valueError({change.module().file, change.module().operations[maker].range.offset},
                        "patch.own_constant", weight.findableName(), {},
                        fmt::format("{} stored values, {} from now on", before, after.value),
                        "The types of the module say how many values are stored: "
                        "mask and values are written anew, and the module gets "
                        "another length")});
        for (std::size_t i = 0; i < masked.numbers.size(); ++i)
            own.before.emplace_back(masked.numbers[i],
                                    elementText(decoder, masked.changes[i].element));
    }
    if (change.edit().empty())
        return own;
    own.bundle = TRY(change.open());
    return own;
}

/// The same of parts whose bytes are others' too, or stand for all elements.
Result<OwnConstants> withOwnBytes(const Bundle &bundle, const std::vector<Edit> &edits)
{
    Diagnostics notes;
    const BundleReadLock lock(bundle);
    ModuleChange change(bundle);
    const mlir::Module &module = change.module();
    const mlir::ConstantUses uses = mlir::constantUses(module);
    std::vector<std::uint32_t> readers(module.values.size());
    for (const std::uint32_t value : module.operandValues)
        ++readers[value];
    std::map<std::uint32_t, std::vector<NewOperation>> clones; ///< by the operation that reads them
    std::set<std::tuple<std::uint32_t, std::uint32_t>> done;
    for (const Edit &edit : edits) {
        if (edit.isRaw())
            continue;
        const auto index = TRY(findWeight(bundle, edit.weight));
        const auto maker = change.makerOf(bundle.weights()[index]);
        const auto part = maker ? constantOfPart(module, *maker, editedPart(edit)) : std::nullopt;
        if (!part || !done.emplace(part->constant, part->reader).second)
            continue;
        const mlir::Operation &constant = module.operations[part->constant];
        const auto data = mlir::constantBytes(module, module.attributeOf(constant, "value"));
        const std::uint32_t value = constant.results.first;
        const auto type = mlir::tensorType(module, module.values[value].type);
        if (!data || !type)
            continue;
        std::uint64_t elements = 1;
        for (const std::int64_t extent : type->shape)
            elements = checkedMultiply(elements, static_cast<std::uint64_t>(extent)).value_or(0);
        // All elements of a truth value stand there (mlir-bytecode.md, section 8).
        const bool splat = data->splat && elements > 1 && type->elementName != "bool";
        const bool several = part->reader != mlir::kNone && readers[value] > 1;
        if (uses.sharing(*data).size() < 2 && !splat && !several)
            continue;
        const auto stored = module.bytesOf(data->data);
        if (elements == 0 || elements > bundle.totalBytes().value * 64)
            return refused("encode.size", edit.weight, "a constant that fits in memory",
                           std::to_string(elements) + " elements",
                           "A constant is too large to be written out");
        const auto properties =
            change.ownConstant(allElements(stored, splat, elements, type->elementBits));
        if (!properties)
            return tl::unexpected(properties.error());
        notes.push_back(ownNote(module, edit, part->constant, uses.sharing(*data), splat));
        if (!several) {
            change.edit().setProperties(part->constant, *properties);
            continue;
        }
        // Others read the same value: the weight's own chain gets a constant of its own.
        const mlir::Operation &reader = module.operations[part->reader];
        if (reader.regions.count > 0)
            return refused("encode.program", edit.weight, "an operation without regions",
                           module.operationName(reader),
                           "Other weights read the same constant, and the operation that reads it "
                           "here is not written anew");
        auto &added = clones[part->reader];
        if (added.empty()) {
            NewOperation same;
            same.name = module.operationName(reader);
            same.properties = reader.properties;
            const auto operands = module.operandsOf(reader);
            same.operands.assign(operands.begin(), operands.end());
            same.results = {reader.results.first};
            added.push_back(std::move(same));
        }
        NewOperation own;
        own.name = kConstant;
        own.location = constant.location;
        own.properties = *properties;
        own.results = {change.edit().value(module.values[value].type)};
        added.back().operands[part->operand] = own.results.front();
        added.insert(added.end() - 1, std::move(own));
    }
    for (auto &[reader, added] : clones)
        change.edit().replace(reader, std::move(added));
    if (change.edit().empty())
        return OwnConstants();
    auto made = TRY(change.open());
    return OwnConstants{std::move(made), std::move(notes), {}};
}

} // namespace

Result<OwnConstants> withOwnConstants(const Bundle &bundle, const std::vector<Edit> &edits,
                                      double tolerance)
{
    if (bundle.kind() != BundleKind::Aimodel || bundle.programFile() == kNoIndex)
        return OwnConstants();
    auto masks = withOwnMasks(bundle, edits, tolerance);
    if (!masks)
        return masks;
    auto own = withOwnBytes(masks->bundle ? *masks->bundle : bundle, edits);
    if (!own)
        return own;
    if (!own->bundle)
        own->bundle = std::move(masks->bundle);
    own->notes.insert(own->notes.begin(), masks->notes.begin(), masks->notes.end());
    own->before = std::move(masks->before);
    return own;
}

} // namespace kernscope::patch
