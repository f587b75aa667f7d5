// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/mil/weight_reader.h"

#include "core/bundle/reader/mil/consumers.h"
#include "core/bundle/stored_bytes.h"
#include "core/form/form_steps.h"
#include "core/format/legality.h"

namespace kernscope {

namespace {

bool isConst(const mil::Operation &operation)
{
    return operation.type == "const";
}

/// Values that are followed from a small constant to an operation that reads it as a weight.
constexpr std::size_t kMostSteps = 64;

/// Of ten elements and more a constant is a weight, whatever reads it: converters put those into a
/// weight file, as far as it has a code for their type (resources/formats/blob-storage.md).
bool hasManyElements(const mil::Literal &literal)
{
    return literal.count >= 10 && bitWidth(literal.element) > 0;
}

bool isWeightOf(const mil::Literal &literal, std::string_view operation, std::string_view param)
{
    if (hasManyElements(literal))
        return true;
    const WeightOperand *row =
        bitWidth(literal.element) > 0 ? weightOperand(operation, param) : nullptr;
    return row && literal.count >= row->leastElements &&
           (!row->floatingPoint || isFloatingPoint(literal.element));
}

/// The form of a faulty weight as far as its op tells.
FormNode nodeOfFaulty(const mil::Operation &operation)
{
    if (const auto node = nodeOfOperation(operation.type))
        return *node;
    const bool values = isConst(operation) || operation.type == "constexpr_cast";
    return values ? FormNode::Dense : FormNode::Unknown;
}

} // namespace

MilWeightReader::MilWeightReader(const mil::Function &function, std::string segment,
                                 BlobTable &blobs, std::string programFile, DiagnosticLog &log)
    : m_function(function), m_segment(std::move(segment)), m_blobs(blobs), m_log(log),
      m_graph(function), m_operands(m_graph, m_blobs, std::move(programFile), log)
{
}

/// A value that only constexpr ops read is a step towards a weight, not one itself.
bool MilWeightReader::isOutermost(const GraphOperation &maker) const
{
    bool used = false;
    for (std::size_t i = 0; i < maker.operation->outputs.size(); ++i) {
        for (const Use &use : m_graph.definitions()[maker.firstDefinition + i].uses) {
            used = true;
            if (!isConstexpr(*m_graph.operations()[use.operation].operation))
                return true;
        }
    }
    return !used;
}

/// Whether a constant that is written in the program is a weight: some operand that is one
/// (resources/tables/weight_operands.csv) reads it.
bool MilWeightReader::isLiteralWeight(const GraphOperation &maker,
                                      const mil::Literal &literal) const
{
    if (hasManyElements(literal))
        return true;
    std::vector<std::size_t> open;
    const auto addOutputs = [&open](const GraphOperation &made) {
        for (std::size_t i = 0; i < made.operation->outputs.size(); ++i)
            open.push_back(made.firstDefinition + i);
    };
    addOutputs(maker);
    for (std::size_t next = 0; next < open.size() && next < kMostSteps; ++next) {
        const Definition &definition = m_graph.definitions()[open[next]];
        for (const Use &use : definition.uses) {
            const GraphOperation &reader = m_graph.operations()[use.operation];
            if (isWeightOf(literal, reader.operation->type, use.param))
                return true;
            if (passesThrough(reader.operation->type) && use.param == "x")
                addOutputs(reader);
        }
        for (const auto *same : {&definition.aliases, &definition.yieldedAs})
            open.insert(open.end(), same->begin(), same->end());
    }
    return false;
}

void MilWeightReader::describe(Weight &weight, const mil::ValueType &type) const
{
    weight.function = m_function.name;
    weight.model = m_function.model;
    weight.type = type.element;
    const auto shape = type.isTensor() ? type.shape() : std::nullopt;
    const auto count = shape ? elementCount(*shape) : std::nullopt;
    // A size in fp64 that fits keeps every later sum of sizes of this weight from wrapping.
    if (count && packedBytes(*count, ElementType::Fp64)) {
        weight.shape = *shape;
        weight.elements = *count;
    }
}

void MilWeightReader::finish(Weight &weight, Result<ReadValue> value,
                             std::vector<codec::Operand> known)
{
    for (Consumer &consumer : weight.consumers) {
        if (consumer.backends.selected.empty())
            consumer.backends.selected = m_segment;
    }
    if (value) {
        weight.type = value->type;
        weight.shape = value->encoding.shape;
        weight.elements = elementCount(weight.shape).value_or(ElementCount());
        weight.detail = formFigures(value->encoding);
        weight.form = StorageForm(std::move(value->encoding));
    } else {
        weight.form = StorageForm::unsound(weight.form.nodes().front(), weight.form.storedType(),
                                           std::move(known));
        weight.fault = value.error();
        m_log.add(Severity::Error, std::move(value.error()));
    }
    StoredBytes stored;
    stored.add(weight.operands());
    weight.storedBytes = stored.sum();
}

void MilWeightReader::addMade(std::size_t index, std::vector<Weight> &weights)
{
    const GraphOperation &maker = m_graph.operations()[index];
    const mil::Operation &operation = *maker.operation;
    Weight weight;
    std::string opName = operation.displayName();
    weight.name = operation.outputs.empty() ? opName : operation.outputs.back().name;
    if (opName != weight.name)
        weight.otherOpName = std::move(opName);
    weight.sourceOp = operation.type;
    const mil::ValueType none;
    describe(weight, operation.outputs.empty() ? none : operation.outputs.back().type);
    weight.form = StorageForm::unsound(nodeOfFaulty(operation), weight.type);
    weight.consumers = findConsumers(m_graph, index);
    FormReader reader(m_operands), declaring(m_operands);
    const auto read = [&](FormReader &by) -> Result<ReadValue> {
        if (isConst(operation))
            return by.readConst(operation);
        if (!makesSurvivors(operation))
            return by.read(operation);
        return m_operands.fault(operation, "mil.unsupported", "operation",
                                "a constexpr_sparse_to_dense that completes it", "none",
                                "Compacted values are read as they are.");
    };
    auto value = read(reader);
    finish(weight, std::move(value), reader.takeKnown());
    if (weight.fault && isMissingFile(*weight.fault)) {
        m_operands.takeDeclared(true);
        if (auto declared = read(declaring))
            takeDeclaredForm(weight, std::move(declared->encoding));
        m_operands.takeDeclared(false);
    }
    if (weight.fault && !readWhole(operation, weight.operands())) {
        // Those that were read are no size of the weight; where the file is missing, its types are.
        BlobBytes counted;
        const auto declared =
            isMissingFile(*weight.fault) ? declaredBytes(operation, counted) : std::nullopt;
        takeDeclared(weight, declared, counted);
    }
    weights.push_back(std::move(weight));
}

/// The form of a weight whose file is missing, as far as types tell: steps, figures and the type
/// of what is stored, without the operands of that file.
void MilWeightReader::takeDeclaredForm(Weight &weight, codec::Encoding encoding)
{
    using codec::PartRole;
    const auto isMissing = [](const codec::Operand &operand) {
        return operand.place->isLiteral() && !operand.place->literal;
    };
    weight.detail = formFigures(encoding);
    weight.form = StorageForm(std::move(encoding));
    for (const codec::Operand &operand : weight.form.operands()) {
        const auto count = elementCount(operand.declaredShape());
        const bool kept = operand.role == PartRole::NonzeroData ||
                          (operand.role == PartRole::Indices && weight.form.isSparse());
        const bool zero = operand.role == PartRole::ZeroPoint || operand.role == PartRole::Offset;
        if (isMissing(operand) && count && (kept || zero))
            weight.detail.emplace_back(kept ? kSurvivorsDetail : kUnreadZerosDetail, count->value);
    }
    weight.form.changeOperands([&isMissing](codec::Operand &operand) {
        if (isMissing(operand))
            operand.place = nullptr;
    });
    weight.form.dropEncoding();
}

/// Whether everything in a weight file that an operation, or one that feeds it, names was read.
bool MilWeightReader::readWhole(const mil::Operation &operation, const OperandList &known,
                                unsigned depth) const
{
    bool whole = true;
    forEachValue(operation, [&](std::string_view, const mil::ProgramValue &value) {
        const mil::Operation *maker = m_graph.maker(value);
        if (maker && isConstexpr(*maker)) {
            whole = whole && depth < codec::kMaxChainedOps && readWhole(*maker, known, depth + 1);
            return;
        }
        const mil::ProgramValue *constant = m_graph.constant(value);
        const mil::BlobReference *blob = constant ? constant->blob() : nullptr;
        const auto place = blob && whole ? m_blobs.find(*blob) : Result<BlobPlace>();
        whole =
            whole && place && (!blob || std::ranges::any_of(known, [&](const codec::Operand &each) {
                return !each.place->isLiteral() && each.place->file == place->file &&
                       each.place->metaOffset == place->record.metaOffset;
            }));
    });
    return whole;
}

/// Bytes of an operand that the program's types fix; nothing where they do not, 0 of one that is no
/// part of a weight.
std::optional<std::uint64_t> MilWeightReader::declaredBytes(std::string_view operand,
                                                            const mil::ProgramValue &value,
                                                            BlobBytes &counted) const
{
    const mil::ProgramValue *constant = m_graph.constant(value);
    if (!constant)
        return 0;
    const mil::BlobReference *blob = constant->blob();
    if (!blob) {
        const bool part = codec::partRoleFromName(operand) || operand == "quantized_data";
        return part && constant->literal() ? constant->literal()->bytes.size() : 0;
    }
    const auto [record, isNew] = counted.try_emplace({blob->path, blob->offset}, 0);
    if (!isNew)
        return 0;
    const auto shape = constant->type.isTensor() ? constant->type.shape() : std::nullopt;
    const auto elements = shape ? elementCount(*shape) : std::nullopt;
    const auto bytes = elements ? packedBytes(*elements, constant->type.element) : std::nullopt;
    if (!bytes)
        return std::nullopt;
    record->second = m_blobs.find(*blob) ? 0 : bytes->value;
    return bytes->value;
}

/// The same of all operands of an operation and of those that feed it.
std::optional<std::uint64_t> MilWeightReader::declaredBytes(const mil::Operation &operation,
                                                            BlobBytes &counted,
                                                            unsigned depth) const
{
    std::optional<std::uint64_t> sum = 0;
    forEachValue(operation, [&](std::string_view operand, const mil::ProgramValue &value) {
        const mil::Operation *maker = m_graph.maker(value);
        const bool made = maker && isConstexpr(*maker);
        // An op of two results, a mask and what it keeps, counts once.
        if (made && !counted.try_emplace({"", reinterpret_cast<std::uintptr_t>(maker)}, 0).second)
            return;
        const auto more = !made ? declaredBytes(operand, value, counted)
                          : depth < codec::kMaxChainedOps
                              ? declaredBytes(*maker, counted, depth + 1)
                              : std::nullopt;
        sum = sum && more ? checkedAdd(*sum, *more) : std::nullopt;
    });
    return sum;
}

/// What the types say of a weight in a missing file; records that an earlier weight has count
/// there.
void MilWeightReader::takeDeclared(Weight &weight, std::optional<std::uint64_t> declared,
                                   const BlobBytes &counted)
{
    weight.storedBytes = ByteCount(declared.value_or(0));
    for (const auto &[record, bytes] : counted) {
        if (declared && bytes > 0 && !m_blobs.isFirstUnread(record.first, record.second))
            weight.unreadElsewhere.value += bytes;
    }
}

/// Constants that an op names without a const op between.
void MilWeightReader::addInline(std::size_t index, std::vector<Weight> &weights)
{
    const mil::Operation &operation = *m_graph.operations()[index].operation;
    const auto isWeight = [&](std::string_view param, const mil::ProgramValue &value) {
        const mil::Literal *literal = value.literal();
        return value.blob() || (literal && isWeightOf(*literal, operation.type, param));
    };
    std::map<std::string_view, std::size_t> weightsOf; // a list may hold several
    forEachValue(operation, [&](std::string_view param, const mil::ProgramValue &value) {
        if (isWeight(param, value))
            ++weightsOf[param];
    });
    if (weightsOf.empty())
        return;
    std::map<std::string_view, std::size_t> taken, places;
    forEachValue(operation, [&](std::string_view param, const mil::ProgramValue &value) {
        if (std::holds_alternative<mil::Values>(value.content))
            return; // its members follow
        const std::size_t place = places[param]++;
        if (!isWeight(param, value))
            return;
        Weight weight;
        std::string opName = operation.displayName();
        weight.name = opName + "." + std::string(param);
        weight.otherOpName = std::move(opName);
        if (weightsOf[param] > 1)
            weight.name += "." + std::to_string(taken[param]++);
        weight.sourceOp = "inline";
        describe(weight, value.type);
        weight.form = StorageForm::unsound(FormNode::Dense, weight.type);
        weight.consumers = {describeConsumer(m_graph, index, param, &value.type, place)};
        FormReader reader(m_operands);
        auto dense = reader.readDense(operation, param, value, codec::PartRole::Data);
        finish(weight, std::move(dense), reader.takeKnown());
        BlobBytes counted;
        if (weight.fault && isMissingFile(*weight.fault))
            takeDeclared(weight, declaredBytes(param, value, counted), counted);
        weights.push_back(std::move(weight));
    });
}

void MilWeightReader::read(std::vector<Weight> &weights)
{
    for (std::size_t i = 0; i < m_graph.operations().size(); ++i) {
        const GraphOperation &maker = m_graph.operations()[i];
        const mil::Operation &operation = *maker.operation;
        if (isConstexpr(operation)) {
            if (isOutermost(maker))
                addMade(i, weights);
        } else if (isConst(operation)) {
            const mil::ProgramValue *value = operation.operand("val");
            const mil::Literal *literal = value ? value->literal() : nullptr;
            if (value && (value->blob() || (literal && isLiteralWeight(maker, *literal))) &&
                isOutermost(maker))
                addMade(i, weights);
        } else {
            addInline(i, weights);
        }
    }
}

} // namespace kernscope
