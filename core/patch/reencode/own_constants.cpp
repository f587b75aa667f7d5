// SPDX-License-Identifier: GPL-3.0-or-later
// Edits that a module in place has no room for: parts that others share, other numbers of values.
#include "core/base/error_builder.h"
#include "core/container/mlir/aicode.h"
#include "core/format/coreai_operations.h"
#include "core/patch/patch.h"
#include "core/patch/plan/planner.h"
#include "core/patch/reencode/module_reencoder.h"
#include "core/patch/reencode/reencoder.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

using codec::PartRole;
using mlir::NewOperation;

/// From the operation that makes a weight to the constant of one of its parts: operations, and
/// which operand of each the next one makes.
using PartPath = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Which operand of a step a part is, by the names of coreai_ops.csv; 0: it belongs to what the
/// step is made of.
std::uint32_t operandOfPart(const CoreAiOperation &row, PartRole role)
{
    // A zero point of one step is the offset of another.
    const PartRole other = role == PartRole::Offset ? PartRole::ZeroPoint : PartRole::Offset;
    const bool offset = role == PartRole::Offset || role == PartRole::ZeroPoint;
    for (std::uint32_t i = 1; i < row.operands.size(); ++i) {
        const auto named = codec::partRoleFromName(row.operands[i].name);
        if (named == role || (offset && named == other))
            return i;
    }
    return 0;
}

/// Follows a weight's operations to the constant that an edit changes; empty where there is none.
PartPath pathOfPart(const mlir::Module &module, std::uint32_t maker, PartRole role)
{
    PartPath path;
    bool looking =
        role != PartRole::Data && role != PartRole::Indices && role != PartRole::NonzeroData;
    while (path.size() <= module.operations.size()) {
        const mlir::Operation &operation = module.operations[maker];
        const CoreAiOperation *row = coreAiOperation(module.operationName(operation));
        if (!row || row->step == CoreAiStep::None)
            return {};
        const std::uint32_t next = looking ? operandOfPart(*row, role) : 0;
        path.emplace_back(maker, next);
        if (row->step == CoreAiStep::Constant)
            return looking ? PartPath() : path;
        looking = looking && next == 0;
        const auto operands = module.operandsOf(operation);
        if (next >= operands.size() || module.values[operands[next]].argument)
            return {};
        maker = module.values[operands[next]].owner;
    }
    return {};
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
        own.changes.push_back(
            {element, std::nullopt,
             toleranceFor(bundle.weights()[*index].type, tolerance).of(edits[i].value)});
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

/// Gives parts bytes of their own where those are others' too, or stand for all elements.
class OwnBytes
{
public:
    explicit OwnBytes(const Bundle &bundle)
        : m_bundle(bundle), m_change(bundle), m_module(m_change.module()),
          m_uses(mlir::constantUses(m_module)), m_readers(m_module.values.size())
    {
        for (std::uint32_t i = 0; i < m_module.operations.size(); ++i) {
            for (const std::uint32_t value : m_module.operandsOf(m_module.operations[i]))
                m_readers[value].push_back(i);
        }
        for (const Weight &weight : bundle.weights()) {
            if (const auto maker = m_change.makerOf(weight);
                maker && m_makers.insert(*maker).second)
                addChain(*maker);
        }
    }

    Result<OwnConstants> run(const std::vector<Edit> &edits)
    {
        for (const Edit &edit : edits) {
            if (!edit.isRaw())
                TRY(add(edit));
        }
        for (auto &[operation, added] : m_replaced)
            m_change.edit().replace(operation, std::move(added));
        if (m_change.edit().empty())
            return OwnConstants();
        auto made = TRY(m_change.open());
        return OwnConstants{std::move(made), std::move(m_notes), {}};
    }
    /// Whether an edit was left out, because one before it changes the same operations.
    bool leftOut() const { return m_leftOut; }

private:
    /// What makes a weight, and what that is made of.
    void addChain(std::uint32_t maker)
    {
        std::vector<std::uint32_t> open{maker};
        while (!open.empty()) {
            const std::uint32_t operation = open.back();
            open.pop_back();
            if (!m_chains.insert(operation).second)
                continue;
            for (const std::uint32_t value : m_module.operandsOf(m_module.operations[operation])) {
                if (!m_module.values[value].argument)
                    open.push_back(m_module.values[value].owner);
            }
        }
    }

    std::uint32_t resultOf(std::uint32_t operation) const
    {
        return m_module.operations[operation].results.first;
    }

    std::uint32_t newValueLike(std::uint32_t operation)
    {
        return m_change.edit().value(m_module.values[resultOf(operation)].type);
    }

    /// `itself`: with its results, to be given other operands.
    Result<NewOperation> copyOf(std::uint32_t index, const Edit &edit, bool itself) const
    {
        const mlir::Operation &operation = m_module.operations[index];
        if (operation.regions.count > 0 && !(itself && operation.isolated))
            return refused("encode.program", edit.weight, "an operation without regions",
                           m_module.operationName(operation),
                           "Other weights read the same constant, and the operation that reads it "
                           "here is not written anew");
        NewOperation copy;
        copy.name = m_module.operationName(operation);
        copy.location = operation.location;
        copy.properties = operation.properties;
        const auto operands = m_module.operandsOf(operation);
        copy.operands.assign(operands.begin(), operands.end());
        copy.results = {resultOf(index)};
        copy.keepsRegions = operation.regions.count > 0;
        return copy;
    }

    /// Steps of other weights that read this one, which they are made of.
    Result<std::vector<std::uint32_t>> othersOf(std::uint32_t maker, const Edit &edit) const
    {
        std::vector<std::uint32_t> others;
        for (const std::uint32_t reader : m_readers[resultOf(maker)]) {
            if (m_chains.count(reader) == 0)
                continue;
            const auto isStep = [this](auto of) { return m_chains.count(of) > 0; };
            if (m_makers.count(reader) == 0 &&
                !std::ranges::all_of(m_readers[resultOf(reader)], isStep))
                return refused("encode.program", edit.weight, "an operation that one weight reads",
                               m_module.operationName(m_module.operations[reader]),
                               "Another weight is made of this one by an operation whose result is "
                               "read as this one too");
            others.push_back(reader);
        }
        return others;
    }

    /// What others are made of stays as it was.
    Result<void> keepForOthers(std::uint32_t maker, const std::vector<std::uint32_t> &others,
                               const Edit &edit)
    {
        auto before = TRY(copyOf(maker, edit, false));
        before.results = {newValueLike(maker)};
        for (const std::uint32_t other : others) {
            auto reading = TRY(copyOf(other, edit, true));
            std::ranges::replace(reading.operands, resultOf(maker), before.results.front());
            m_replaced[other] = {std::move(reading)};
        }
        m_replaced[maker] = {std::move(before), TRY(copyOf(maker, edit, true))};
        return {};
    }

    Result<void> add(const Edit &edit)
    {
        const auto index = TRY(findWeight(m_bundle, edit.weight));
        const auto maker = m_change.makerOf(m_bundle.weights()[index]);
        const PartPath path = maker ? pathOfPart(m_module, *maker, editedPart(edit)) : PartPath();
        if (path.empty() || !m_done.insert(path).second)
            return {};
        const std::uint32_t last = path.back().first;
        const mlir::Operation &constant = m_module.operations[last];
        const auto data = mlir::constantBytes(m_module, m_module.attributeOf(constant, "value"));
        const auto type = mlir::tensorType(m_module, m_module.values[resultOf(last)].type);
        if (!data || !type)
            return {};
        std::uint64_t elements = 1;
        for (const std::int64_t extent : type->shape)
            elements = checkedMultiply(elements, static_cast<std::uint64_t>(extent)).value_or(0);
        // All elements of a truth value stand there (mlir-bytecode.md, section 8).
        const bool splat = data->splat && elements > 1 && type->elementName != "bool";
        const auto others = TRY(othersOf(*maker, edit));
        // From the first one on whose result others read too the weight gets steps of its own.
        std::size_t own = 1;
        while (others.empty() && own < path.size() &&
               m_readers[resultOf(path[own].first)].size() < 2)
            ++own;
        const bool several = !others.empty() || own < path.size();
        if (m_uses.sharing(*data).size() < 2 && !splat && !several)
            return {};
        if (several && !takeOperations(path, own, others)) {
            m_leftOut = true;
            return {};
        }
        const auto stored = m_module.bytesOf(data->data);
        if (elements == 0) // the edit is refused when it is planned
            return {};
        if (elements > m_bundle.totalBytes().value * 64)
            return refused("encode.size", edit.weight, "a constant that fits in memory",
                           std::to_string(elements) + " elements",
                           "A constant is too large to be written out");
        const auto properties =
            TRY(m_change.ownConstant(allElements(stored, splat, elements, type->elementBits)));
        m_notes.push_back(ownNote(m_module, edit, last, m_uses.sharing(*data), splat));
        if (!several) {
            m_change.edit().setProperties(last, properties);
            return {};
        }
        if (!others.empty())
            TRY(keepForOthers(*maker, others, edit));
        if (path.size() == 1) {
            m_replaced[last].back().properties = properties;
            return {};
        }
        auto &added = m_replaced[path[own - 1].first];
        if (added.empty())
            added.push_back(TRY(copyOf(path[own - 1].first, edit, true)));
        std::uint32_t made = mlir::kNone;
        for (std::size_t i = path.size(); i-- > own;) {
            auto copy = TRY(copyOf(path[i].first, edit, false));
            if (i + 1 == path.size())
                copy.properties = properties;
            else
                copy.operands[path[i].second] = made;
            made = newValueLike(path[i].first);
            copy.results = {made};
            added.insert(added.end() - 1, std::move(copy));
        }
        added.back().operands[path[own - 1].second] = made;
        return {};
    }

    /// False where an edit before has taken one of them.
    bool takeOperations(const PartPath &path, std::size_t own,
                        const std::vector<std::uint32_t> &others)
    {
        std::set<std::uint32_t> wanted(others.begin(), others.end());
        if (!others.empty())
            wanted.insert(path.front().first);
        for (std::size_t i = own; i < path.size(); ++i)
            wanted.insert(path[i - 1].first);
        const auto taken = [this](auto operation) { return m_taken.count(operation) > 0; };
        if (std::ranges::any_of(wanted, taken))
            return false;
        m_taken.merge(wanted);
        return true;
    }

    const Bundle &m_bundle;
    ModuleChange m_change;
    const mlir::Module &m_module;
    const mlir::ConstantUses m_uses;
    std::vector<std::vector<std::uint32_t>> m_readers; ///< by value
    std::set<std::uint32_t> m_makers, m_chains;        ///< of weights
    std::set<PartPath> m_done;
    std::set<std::uint32_t> m_taken; ///< operations that edits change
    std::map<std::uint32_t, std::vector<NewOperation>> m_replaced;
    Diagnostics m_notes;
    bool m_leftOut = false;
};

/// Gives the parts that edits name bytes of their own, whatever the edits make of them.
Result<OwnConstants> withBytesOf(const Bundle &bundle, const std::vector<Edit> &edits)
{
    OwnConstants all;
    for (bool more = true; more;) {
        const BundlePtr before = all.bundle; // lives as long as it is read
        const Bundle &now = before ? *before : bundle;
        const BundleReadLock lock(now);
        OwnBytes own(now);
        auto made = TRY(own.run(edits));
        more = own.leftOut() && made.bundle;
        all.notes.insert(all.notes.end(), made.notes.begin(), made.notes.end());
        if (made.bundle)
            all.bundle = std::move(made.bundle);
    }
    return all;
}

/// The same of parts whose bytes are others' too, or stand for all elements. An edit that changes
/// nothing leaves them as they are.
Result<OwnConstants> withOwnBytes(const Bundle &bundle, const std::vector<Edit> &edits,
                                  double tolerance)
{
    auto own = TRY(withBytesOf(bundle, edits));
    const auto planned =
        own.bundle ? planEdits(own.bundle, edits, tolerance) : Result<std::vector<AppliedEdit>>();
    if (!planned) // the edits are refused when they are made
        return own;
    std::vector<Edit> changing;
    for (const AppliedEdit &each : *planned) {
        const bool ofMask =
            each.edit.kind == Edit::Kind::Keep || each.edit.kind == Edit::Kind::Drop;
        if (ofMask || !each.bytes.empty()) // of several of a mask the last one has the bytes
            changing.push_back(each.edit);
    }
    return changing.size() < planned->size() ? withBytesOf(bundle, changing) : own;
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
    auto own = withOwnBytes(masks->bundle ? *masks->bundle : bundle, edits, tolerance);
    if (!own)
        return own;
    if (!own->bundle)
        own->bundle = std::move(masks->bundle);
    own->notes.insert(own->notes.begin(), masks->notes.begin(), masks->notes.end());
    own->before = std::move(masks->before);
    return own;
}

} // namespace kernscope::patch
