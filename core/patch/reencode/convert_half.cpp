// SPDX-License-Identifier: GPL-3.0-or-later
// Whole programs of fp32 as programs of fp16: which operations, which constants, where casts stand.
#include "core/patch/reencode/convert_half.h"

#include "core/base/byte_text.h"
#include "core/base/overlaid_file.h"
#include "core/codec/decode/decoder.h"
#include "core/container/mil/model_files.h"
#include "core/container/mil/value_graph.h"
#include "core/container/milblob/milblob.h"
#include "core/format/table_rows.h"
#include "core/numeric/half.h"
#include "core/numeric/half_counts.h"
#include "core/patch/reencode/reencoder.h"

#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

// coremltools' add_fp16_cast (converters/mil/mil/passes/defs/quantization.py): larger magnitudes
// mean infinity, and of constants with fewer numbers none becomes zero.
constexpr float kMeansInfinity = 1e38F;
constexpr std::uint64_t kKeepsNonZero = 400;
constexpr std::uint64_t kBlock = 65536; ///< numbers between two looks whether to stop

/// A row of half_operands.csv: an operand, or with "*" an operation, that stays as it is.
struct HalfRule {
    std::string operation, operand, why;
    unsigned from = 0;
    std::optional<unsigned> until;
    bool stays = false;
};

/// The rules by operation, and an entry without rules for every other operation that is known.
const std::map<std::string, std::vector<HalfRule>, std::less<>> &halfRules()
{
    static const auto rules = [] {
        std::map<std::string, std::vector<HalfRule>, std::less<>> made;
        struct Known {
            std::string operation;
        };
        for (const Known &each :
             tables::loadRows<Known>("shape_rules", {{"operation", &Known::operation}}))
            made[each.operation];
        for (HalfRule &rule :
             tables::loadRows<HalfRule>("half_operands", {{"operation", &HalfRule::operation},
                                                          {"operand", &HalfRule::operand},
                                                          {"why", &HalfRule::why},
                                                          {"from", &HalfRule::from},
                                                          {"until", &HalfRule::until},
                                                          {"stays", &HalfRule::stays}}))
            made[rule.operation].push_back(std::move(rule));
        return made;
    }();
    return rules;
}

/// The fp16 of a number of a constant of `size` numbers, counted.
std::uint16_t halved(float value, std::uint64_t size, HalvedNumbers &counts)
{
    std::uint16_t half = floatToHalf(value);
    const bool lost = value != 0 && (half & 0x7fffU) == 0;
    if (lost && size < kKeepsNonZero)
        half |= 1U;
    ++counts.elements;
    counts.infinite += isBeyondHalf(value) ? 1 : 0;
    counts.zeroed += lost && size >= kKeepsNonZero ? 1 : 0;
    counts.raised += lost && size < kKeepsNonZero ? 1 : 0;
    return half;
}

/// Before number `at` of `count`. Errors: "task.cancelled".
Result<void> advanced(Progress *progress, std::uint64_t at, std::uint64_t count)
{
    if (progress != nullptr && at % kBlock == 0 && !progress->advance(std::min(kBlock, count - at)))
        return tl::unexpected(cancelledError("The program was not converted."));
    return {};
}

tl::unexpected<Error> notMade(const Weight &weight, std::string found)
{
    return refused("encode.verify", weight.findableName(), "the values rounded to fp16",
                   std::move(found), "The new bundle does not hold what it should");
}

/// What a weight is now against what it was: rounded values exactly where it is stored as such.
Result<HalfWeight> measured(const Bundle &bundle, std::size_t before, const Bundle &made,
                            std::size_t after, Progress *progress)
{
    const Weight &weight = bundle.weights()[before];
    const auto old = TRY(bundle.decoder(before));
    const auto now = TRY(made.decoder(after));
    const std::uint64_t count = old.elements().value;
    if (now.elements().value != count)
        return notMade(weight, "another number of elements");
    const bool plain = weight.sourceOp == "const";
    HalfWeight result{before, after, {}, 0, 0, 0};
    double errors = 0, squares = 0;
    std::vector<float> a(std::min(kBlock, count)), b(a.size());
    for (std::uint64_t at = 0; at < count; at += kBlock) {
        TRY(advanced(progress, at, count));
        const auto size = static_cast<std::size_t>(std::min(kBlock, count - at));
        old.decodeFloat(at, std::span(a).first(size));
        now.decodeFloat(at, std::span(b).first(size));
        for (std::size_t i = 0; i < size; ++i) {
            HalvedNumbers one;
            const float rounded = halfToFloat(halved(a[i], count, one));
            if (plain &&
                std::bit_cast<std::uint32_t>(rounded) != std::bit_cast<std::uint32_t>(b[i]))
                return notMade(weight, fmt::format("{} at {}", b[i], at + i));
            ++result.counts.elements;
            result.counts.infinite += std::isfinite(a[i]) && std::isinf(b[i]) ? 1 : 0;
            result.counts.zeroed += a[i] != 0 && b[i] == 0 ? 1 : 0;
            result.counts.raised += plain ? one.raised : 0;
            if (!std::isfinite(a[i]) || !std::isfinite(b[i]))
                continue;
            const double error = std::abs(double(a[i]) - double(b[i]));
            result.maxAbs = std::max(result.maxAbs, error);
            errors += error * error;
            squares += double(a[i]) * double(a[i]);
        }
    }
    result.rmse = count > 0 ? std::sqrt(errors / static_cast<double>(count)) : 0;
    result.relative = squares > 0 ? std::sqrt(errors / squares) : 0;
    return result;
}

/// Whether operands and results of that operation are known.
bool isKnownOperation(std::string_view operation)
{
    return halfRules().contains(operation);
}

/// Why an operand ("*": the whole operation) stays as it is in an operation set; null: it does not.
const std::string *whyStays(std::string_view operation, std::string_view operand, unsigned opset)
{
    const auto rules = halfRules().find(operation);
    if (rules == halfRules().end())
        return nullptr;
    for (const HalfRule &rule : rules->second) {
        if (rule.stays && rule.operand == operand && opset >= rule.from &&
            opset <= rule.until.value_or(opset))
            return &rule.why;
    }
    return nullptr;
}

/// A finite number that fp16 does not hold and that does not stand for infinity.
bool isTooLarge(float value)
{
    return isBeyondHalf(value) && std::abs(value) < kMeansInfinity;
}

/// Adds what each weight of fp32 became. Errors: "encode.verify" (a weight is gone, or is not what
/// it was, rounded; the new bundle has errors that the old one has not), "task.cancelled".
Result<void> measureWeights(const Bundle &bundle, HalfBundle &result, Progress *progress)
{
    for (const Diagnostic &diagnostic : result.made->diagnostics()) {
        if (diagnostic.severity == Severity::Error && !hasErrors(bundle.diagnostics()))
            return refused("encode.verify", {}, "a sound bundle", describe(diagnostic.error),
                           "The new bundle does not hold what it should");
    }
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        if (weight.type != ElementType::Fp32 || weight.fault)
            continue;
        const auto after = result.made->weightByName(weight.address());
        if (!after)
            return notMade(weight, "no such weight");
        if (result.made->weights()[*after].type == ElementType::Fp32)
            result.kept.push_back(i);
        else
            result.weights.push_back(TRY(measured(bundle, i, *result.made, *after, progress)));
    }
    return {};
}

bool isFloat(const mil::ValueType &type)
{
    return type.kind == mil::ValueType::Kind::Tensor && type.element == ElementType::Fp32;
}

Shape openShape(const mil::ValueType &type)
{
    return {type.dims.begin(), type.dims.end()}; // "?" is DraftOperation::kOpen
}

float numberAt(std::span<const std::byte> bytes, std::size_t element)
{
    float value = 0;
    std::memcpy(&value, bytes.data() + element * sizeof value, sizeof value);
    return value;
}

/// One program file of a bundle on its way to fp16.
class HalfConverter
{
    using Bytes = std::vector<std::byte>;

public:
    HalfConverter(const Bundle &bundle, std::size_t file, HalfBundle &result, Progress *progress)
        : m_bundle(bundle), m_program(bundle.program()), m_file(file), m_result(result),
          m_progress(progress), m_text(!isModelProtobuf(bytesOf(file), bundle.files()[file].path))
    {
    }

    /// Null where nothing of it is fp32.
    Result<BundlePtr> run()
    {
        std::set<std::string> folders;
        for (const mil::Function &function : m_program->functions) {
            if (m_bundle.programFileOf(function.model) != m_file)
                continue;
            folders.insert(function.model.empty() ? "metadata.json"
                                                  : function.model + "/metadata.json");
            Plan &plan = m_plans.emplace_back();
            plan.function = &function;
            plan.graph = std::make_unique<ValueGraph>(function);
            plan.opset = std::max(15U, opsetNumber(function.opset));
            TRY(chooseOperations(plan));
            chooseValues(plan);
        }
        if (m_half.empty())
            return BundlePtr();
        for (const Plan &plan : m_plans)
            TRY(addConstants(plan));
        TRY(layOut());
        std::vector<Splice> splices;
        for (const Plan &plan : m_plans)
            TRY(addBlock(plan, plan.function->body, plan.function->inputs, splices));
        std::map<std::size_t, Bytes> files;
        files[m_file] = TRY(m_text ? Result<Bytes>(spliceText(bytesOf(m_file), std::move(splices)))
                                   : spliceProtobuf(bytesOf(m_file), std::move(splices)));
        for (auto &[file, layout] : m_layouts)
            files[file] = std::move(layout.file);
        for (std::size_t i = 0; i < m_bundle.files().size(); ++i) {
            if (folders.contains(m_bundle.files()[i].path))
                files[i] = metadata(i);
        }
        return openWith(m_bundle, std::move(files));
    }

private:
    /// A value of fp32 in the program as it was.
    struct Value {
        bool half = false;    ///< its maker gives fp16 now
        bool asHalf = false;  ///< something reads it as fp16
        bool asFloat = false; ///< something reads it as fp32
        std::string halfName; ///< under which name it is fp16
        std::string castType; ///< name of the constant with the type of its cast
    };
    struct Plan {
        const mil::Function *function = nullptr;
        std::unique_ptr<ValueGraph> graph;
        std::vector<Value> values; ///< one a definition
        unsigned opset = 0;
        std::set<std::string, std::less<>> names;
        std::map<const mil::ValueType *, std::size_t> byType; ///< definitions

        const Value &valueOf(const mil::NamedType &named) const
        {
            return values[byType.at(&named.type)];
        }
    };
    /// A constant of fp16: the one operand of its draft.
    struct Constant {
        std::vector<DraftOperation> draft;
        std::size_t file = kNoIndex;
        std::string path; ///< of the weight file, as the program writes it
        std::set<std::uint64_t> dropped;
    };

    std::span<const std::byte> bytesOf(std::size_t file) const
    {
        return m_bundle.files()[file].file->bytes();
    }
    /// The packed numbers of a literal or of a record.
    Result<std::span<const std::byte>> numbersOf(const mil::ProgramValue &value) const
    {
        if (const mil::Literal *literal = value.literal())
            return std::span<const std::byte>(literal->bytes);
        const mil::BlobReference &blob = *value.blob();
        const auto file = blobFileOf(m_bundle, m_file, blob);
        if (!file)
            return refused("encode.blob", {}, "the weight file", blob.path,
                           "A weight file is missing: without it nothing can be converted");
        const std::string &path = m_bundle.files()[*file].path;
        const auto record = TRY(milblob::readRecord(bytesOf(*file), FileOffset(blob.offset), path));
        const auto wanted = packedBytes(
            ElementCount(
                elementCount(value.type.shape().value_or(Shape{0})).value_or(ElementCount())),
            value.type.element);
        if (record.type != value.type.element || !wanted || record.bytes.value < wanted->value)
            return refused(
                "encode.blob", path, mil::typeText(value.type),
                fmt::format("{} bytes of {}", record.bytes.value, elementTypeName(record.type)),
                "A record does not hold what the program says");
        return bytesOf(*file).subspan(record.dataOffset.value, wanted->value);
    }

    Result<bool> holdsBeyond(const mil::ProgramValue &value)
    {
        const auto [known, fresh] = m_beyond.try_emplace(&value, false);
        if (!fresh)
            return known->second;
        const auto numbers = TRY(numbersOf(value));
        const std::size_t count = numbers.size() / sizeof(float);
        for (std::size_t i = 0; i < count && !known->second; ++i) {
            TRY(advanced(m_progress, i, count));
            const float number = numberAt(numbers, i);
            known->second = isTooLarge(number);
        }
        return known->second;
    }

    /// Why an operation stays fp32; "-" where it has no operand to change, empty where it is fp16.
    Result<std::string> whyKept(const Plan &plan, const mil::Operation &operation)
    {
        bool any = false, beyond = false;
        std::optional<Error> fault;
        forEachValue(operation, [&](std::string_view operand, const mil::ProgramValue &value) {
            const mil::ValueType *type = plan.graph->typeOf(value);
            if (type == nullptr || !isFloat(*type))
                return;
            any = any || whyStays(operation.type, operand, plan.opset) == nullptr;
            const mil::ProgramValue *constant = plan.graph->constant(value);
            if (constant == nullptr)
                return;
            const auto holds = holdsBeyond(*constant);
            if (!holds)
                fault = holds.error();
            beyond = beyond || (holds && *holds);
        });
        if (fault)
            return tl::unexpected(std::move(*fault));
        if (!any)
            return "-";
        if (const std::string *why = whyStays(operation.type, "*", plan.opset))
            return *why;
        if (!isKnownOperation(operation.type))
            return "this operation is not known";
        return std::string(beyond ? "a constant is beyond fp16" : "");
    }

    /// Readers first: a weight that several operations make is fp16 where all that read it are.
    Result<void> chooseOperations(Plan &plan)
    {
        const auto &operations = plan.graph->operations();
        for (std::size_t i = operations.size(); i-- > 0;) {
            const mil::Operation &operation = *operations[i].operation;
            if (operation.type == "const" || operation.type == "constexpr_cast")
                continue;
            std::string why = TRY(whyKept(plan, operation));
            if (why == "-")
                continue;
            const bool weight = why.empty() && operation.type.starts_with("constexpr_");
            for (std::size_t o = 0; weight && o < operation.outputs.size(); ++o) {
                for (const Use &use :
                     plan.graph->definitions()[operations[i].firstDefinition + o].uses) {
                    if (!takesHalf(*operations[use.operation].operation, use.param, plan.opset))
                        why = "what reads it is fp32";
                }
            }
            if (why.empty())
                m_half.insert(&operation);
            const auto row = std::ranges::find_if(m_result.operations, [&](const auto &known) {
                return known.type == operation.type && known.why == why;
            });
            if (row == m_result.operations.end())
                m_result.operations.push_back({operation.type, why, 1});
            else
                ++row->count;
        }
        return {};
    }

    /// Who reads each value as what, and under which name it is fp16.
    void chooseValues(Plan &plan)
    {
        const auto &definitions = plan.graph->definitions();
        plan.values.resize(definitions.size());
        std::map<std::string_view, std::size_t> last;
        for (std::size_t i = 0; i < definitions.size(); ++i) {
            plan.names.emplace(definitions[i].name);
            plan.byType[definitions[i].type] = i;
            last[definitions[i].name] = i;
            const mil::Operation *maker = plan.graph->maker(definitions[i]);
            plan.values[i].half = maker != nullptr && m_half.contains(maker);
            for (const Use &use : definitions[i].uses) {
                const mil::Operation &reader = *plan.graph->operations()[use.operation].operation;
                (takesHalf(reader, use.param, plan.opset) ? plan.values[i].asHalf
                                                          : plan.values[i].asFloat) = true;
            }
        }
        visitBlocks(plan.function->body, [&](const mil::Block &block) {
            for (const std::string &output : block.outputs) {
                if (const auto made = last.find(output); made != last.end())
                    plan.values[made->second].asFloat = true;
            }
        });
        for (std::size_t i = 0; i < definitions.size(); ++i) {
            Value &value = plan.values[i];
            const std::string name(definitions[i].name);
            if (!isFloat(*definitions[i].type)) {
                value = {};
                continue;
            }
            const mil::Operation *maker = plan.graph->maker(definitions[i]);
            const bool constant = maker != nullptr && constantOf(*maker) != nullptr;
            if (constant) {
                value.half = value.asHalf && !value.asFloat;
                m_result.constants += value.asHalf ? 1 : 0;
                m_result.constantsKept += value.asFloat ? 1 : 0;
            }
            value.halfName = name;
            if (value.half && value.asFloat && !constant) {
                value.halfName = freshName(plan, name, "_cast_fp16");
                value.castType = freshName(plan, name, "_dtype_0");
                ++m_result.castsOut;
            } else if (!value.half && value.asHalf) {
                value.halfName = freshName(plan, name, "_to_fp16");
                value.castType = freshName(plan, value.halfName, "_dtype_0");
                m_result.castsIn += constant ? 0 : 1;
            }
        }
    }

    /// A name that the function does not have yet.
    std::string freshName(Plan &plan, const std::string &name, std::string_view ending) const
    {
        std::string made = fmt::format("{}{}", name, ending);
        for (std::size_t i = 1; !plan.names.insert(made).second; ++i)
            made = fmt::format("{}{}_{}", name, ending, i);
        return made;
    }

    /// The value of a constant that operations of fp16 can read as theirs; null of anything else.
    static const mil::ProgramValue *constantOf(const mil::Operation &operation)
    {
        const mil::ProgramValue *value = operation.type == "const" ? operation.operand("val")
                                         : operation.type == "constexpr_cast"
                                             ? operation.operand("source_val")
                                             : nullptr;
        return value != nullptr && (value->blob() || value->literal()) ? value : nullptr;
    }

    /// Rounds a literal or a record (each once) and notes what takes its place.
    Result<void> addConstant(const mil::ProgramValue &value)
    {
        if (m_replaced.contains(&value))
            return {};
        const mil::BlobReference *blob = value.blob();
        const auto file = blob != nullptr ? blobFileOf(m_bundle, m_file, *blob) : std::nullopt;
        if (file) {
            const auto [known, fresh] =
                m_byRecord.try_emplace({*file, blob->offset}, m_constants.size());
            if (!fresh) {
                m_replaced[&value] = known->second;
                return {};
            }
        }
        const auto numbers = TRY(numbersOf(value));
        DraftOperand operand{
            "val", ElementType::Fp16, value.type.shape().value_or(Shape()), {}, !file, {}, 0};
        if (value.type.element == ElementType::Fp16) { // behind a constexpr_cast
            operand.bytes.assign(numbers.begin(), numbers.end());
        } else {
            const std::size_t count = numbers.size() / sizeof(float);
            operand.bytes.resize(count * sizeof(std::uint16_t));
            for (std::size_t i = 0; i < count; ++i) {
                TRY(advanced(m_progress, i, count));
                const std::uint16_t half = halved(numberAt(numbers, i), count, m_result.numbers);
                std::memcpy(operand.bytes.data() + i * sizeof half, &half, sizeof half);
            }
        }
        Constant constant;
        constant.draft.resize(1);
        constant.draft.front().operands.push_back(std::move(operand));
        if (file) {
            constant.file = *file;
            constant.path = blob->path;
            constant.dropped = {blob->offset};
        }
        m_replaced[&value] = m_constants.size();
        m_constants.push_back(std::move(constant));
        return {};
    }

    /// What operations of fp16 read: constants by name, and values that are written out in them.
    Result<void> addConstants(const Plan &plan)
    {
        for (std::size_t i = 0; i < plan.values.size(); ++i) {
            const mil::Operation *maker = plan.graph->maker(plan.graph->definitions()[i]);
            if (maker != nullptr && plan.values[i].asHalf && constantOf(*maker) != nullptr)
                TRY(addConstant(*constantOf(*maker)));
        }
        for (const GraphOperation &each : plan.graph->operations()) {
            Result<void> added;
            forEachValue(
                *each.operation, [&](std::string_view operand, const mil::ProgramValue &value) {
                    if (added && isFloat(value.type) && (value.blob() || value.literal()) &&
                        takesHalf(*each.operation, operand, plan.opset))
                        added = addConstant(value);
                });
            TRY(added);
        }
        return {};
    }

    /// The weight files without the records that nothing reads any more, and with the new ones.
    Result<void> layOut()
    {
        std::map<std::size_t, std::set<std::uint64_t>> kept;
        std::map<std::size_t, std::vector<BlobGroup>> groups;
        for (Constant &constant : m_constants) {
            if (constant.file != kNoIndex)
                groups[constant.file].push_back({&constant.draft, constant.dropped});
        }
        for (const Plan &plan : m_plans) {
            for (const GraphOperation &each : plan.graph->operations()) {
                forEachValue(*each.operation,
                             [&](std::string_view operand, const mil::ProgramValue &value) {
                                 const auto file = recordFile(value);
                                 if (file && !replacement(plan, *each.operation, operand, value))
                                     kept[*file].insert(value.blob()->offset);
                             });
            }
        }
        for (const auto &[file, own] : groups)
            m_layouts[file] =
                TRY(layOutBlobs(bytesOf(file), m_bundle.files()[file].path, kept[file], own));
        return {};
    }

    /// The weight file of a value that lies in one.
    std::optional<std::size_t> recordFile(const mil::ProgramValue &value) const
    {
        const mil::BlobReference *blob = value.blob();
        return blob != nullptr ? blobFileOf(m_bundle, m_file, *blob) : std::nullopt;
    }
    bool takesHalf(const mil::Operation &operation, std::string_view operand, unsigned opset) const
    {
        return m_half.contains(&operation) && whyStays(operation.type, operand, opset) == nullptr;
    }
    Bytes serialised(const Plan &plan, const DraftOperation &draft, const std::string &path) const
    {
        return m_text ? bytesOfText(serialiseText(draft, path, plan.opset) + ";")
                      : serialiseProtobuf(draft, path);
    }
    /// The fp16 constant that takes the place of a value where it stands; null where it stays.
    const DraftOperation *replacement(const Plan &plan, const mil::Operation &operation,
                                      std::string_view operand,
                                      const mil::ProgramValue &value) const
    {
        const auto replaced = m_replaced.find(&value);
        if (replaced == m_replaced.end())
            return nullptr;
        const bool own = constantOf(operation) == &value
                             ? plan.valueOf(operation.outputs.front()).half
                             : takesHalf(operation, operand, plan.opset);
        return own ? &m_constants[replaced->second].draft.front() : nullptr;
    }

    /// The statement of a constant of fp16 under a name.
    Bytes constant(const Plan &plan, const mil::Operation &operation, const std::string &name) const
    {
        const mil::ProgramValue &value = *constantOf(operation);
        const Constant &made = m_constants[m_replaced.at(&value)];
        DraftOperation draft{"const", name, {}, {}, name, ElementType::Fp16, {}, true, {}};
        draft.resultShape = openShape(operation.outputs.front().type);
        draft.operands = {made.draft.front().operands.front()};
        draft.operands.front().shape = value.type.shape().value_or(Shape());
        return serialised(plan, draft, made.path);
    }

    /// `cast` of a value to another type, with the constant that names it, as coremltools writes
    /// both: to fp16, or back where its maker is fp16 now.
    void addCast(const Plan &plan, const mil::NamedType &value, std::vector<Bytes> &out) const
    {
        const auto &[half, asHalf, asFloat, halfName, named] = plan.valueOf(value);
        const std::string &name = half ? value.name : halfName;
        const ElementType type = half ? ElementType::Fp32 : ElementType::Fp16;
        DraftOperation dtype{"const", named, {}, {}, named, ElementType::String, {}, true, {}};
        dtype.operands = {
            {"val", ElementType::String, {}, bytesOfText(elementTypeName(type)), true, {}, 0}};
        DraftOperation cast{"cast", name, {}, {}, name, type, openShape(value.type), false, {}};
        cast.operands.resize(2);
        cast.operands[0].name = "dtype";
        cast.operands[0].reference = named;
        cast.operands[1].name = "x";
        cast.operands[1].reference = half ? halfName : value.name;
        out.push_back(serialised(plan, dtype, {}));
        out.push_back(serialised(plan, cast, {}));
    }

    /// What changes among the operands of an operation: constants, references, places of records.
    void addOperands(const Plan &plan, const mil::Operation &operation,
                     std::vector<Splice> &out) const
    {
        forEachValue(operation, [&](std::string_view operand, const mil::ProgramValue &value) {
            const mil::Reference *reference = value.reference();
            const std::size_t made =
                reference ? plan.graph->resolve(*reference) : ValueGraph::kNone;
            if (made != ValueGraph::kNone && takesHalf(operation, operand, plan.opset)) {
                const std::string &name = plan.values[made].halfName;
                if (!name.empty() && name != reference->name)
                    out.push_back({reference->span, {bytesOfText(name)}});
            } else if (const auto *draft = replacement(plan, operation, operand, value)) {
                DraftOperand written = draft->operands.front();
                written.shape = value.type.shape().value_or(Shape());
                const mil::BlobReference *blob = value.blob();
                out.push_back({value.span,
                               {serialiseValue(written, blob ? blob->path : std::string(), m_text,
                                               plan.opset)}});
            } else if (const auto file = recordFile(value)) {
                const auto layout = m_layouts.find(*file);
                const std::uint64_t from = value.blob()->offset;
                const std::uint64_t to =
                    layout == m_layouts.end() ? from : layout->second.moved.at(from);
                if (to != from)
                    out.push_back({value.blob()->offsetSpan, {offsetBytes(to, m_text)}});
            }
        });
    }

    /// A result that is fp16 now: its type, its name where the old one means the cast behind it.
    void addResult(const Plan &plan, const mil::Operation &operation, const mil::NamedType &output,
                   std::vector<Splice> &inner, std::vector<Bytes> &after) const
    {
        const Value &value = plan.valueOf(output);
        if (constantOf(operation) != nullptr && !value.half) {
            if (value.asHalf)
                after.push_back(constant(plan, operation, value.halfName));
        } else if (value.half) {
            constexpr std::string_view kWord = "fp16"; // as long as fp32
            const Bytes code{static_cast<std::byte>(mil::programTypeCode(ElementType::Fp16))};
            inner.push_back({{output.type.elementOffset, m_text ? kWord.size() : code.size()},
                             {m_text ? bytesOfText(kWord) : code}});
            if (value.halfName == output.name)
                return;
            inner.push_back({output.span, {bytesOfText(value.halfName)}});
            const mil::Argument *name = operation.attribute("name");
            if (name != nullptr && operation.displayName() == output.name) {
                const DraftOperand text{
                    "name", ElementType::String, {}, bytesOfText(value.halfName), true, {}, 0};
                inner.push_back(
                    {name->values.front().span, {serialiseValue(text, {}, m_text, plan.opset)}});
            }
            addCast(plan, output, after);
        } else if (value.asHalf) {
            addCast(plan, output, after);
        }
    }

    /// An operation with what changes in it, behind `before` and before the casts of its results.
    Result<void> addStatement(const Plan &plan, const mil::Operation &operation,
                              const std::vector<Bytes> &before, std::vector<Splice> &out) const
    {
        std::vector<Splice> inner;
        std::vector<Bytes> after;
        for (const mil::NamedType &output : operation.outputs)
            addResult(plan, operation, output, inner, after);
        for (const mil::Block &block : operation.blocks)
            TRY(addBlock(plan, block, block.inputs, inner));
        const bool whole = operation.type == "constexpr_cast" && constantOf(operation) != nullptr &&
                           plan.valueOf(operation.outputs.front()).half;
        if (!whole)
            addOperands(plan, operation, inner);
        if (before.empty() && after.empty() && !whole) {
            std::move(inner.begin(), inner.end(), std::back_inserter(out));
            return {};
        }
        for (Splice &splice : inner)
            splice.span.offset -= operation.span.offset;
        const auto source = bytesOf(m_file).subspan(operation.span.offset, operation.span.length);
        Splice all{operation.span, before};
        all.contents.push_back(
            TRY(whole    ? Result<Bytes>(constant(plan, operation, operation.outputs.front().name))
                : m_text ? Result<Bytes>(spliceText(source, std::move(inner)))
                         : spliceProtobuf(source, std::move(inner))));
        std::move(after.begin(), after.end(), std::back_inserter(all.contents));
        for (std::size_t i = 1; m_text && i < all.contents.size(); ++i) {
            const Bytes gap = bytesOfText("\n            ");
            all.contents[i].insert(all.contents[i].begin(), gap.begin(), gap.end());
        }
        out.push_back(std::move(all));
        return {};
    }

    Result<void> addBlock(const Plan &plan, const mil::Block &block,
                          const std::vector<mil::NamedType> &inputs, std::vector<Splice> &out) const
    {
        std::vector<Bytes> before;
        for (const mil::NamedType &input : inputs) {
            if (plan.valueOf(input).asHalf)
                addCast(plan, input, before);
        }
        for (const mil::Operation &operation : block.operations) {
            TRY(addStatement(plan, operation, before, out));
            before.clear();
        }
        return {};
    }

    /// metadata.json of a compiled model says which types it stores and calculates in.
    Bytes metadata(std::size_t file) const
    {
        const auto bytes = bytesOf(file);
        std::string text(textInBytes(bytes));
        for (const std::string_view key : {"\"storagePrecision\"", "\"computePrecision\""}) {
            const auto at = text.find(key);
            const auto first =
                at == text.npos ? at : text.find('"', text.find(':', at + key.size()));
            const auto end = first == text.npos ? first : text.find('"', first + 1);
            const std::string before = end == text.npos ? "" : text.substr(first, end + 1 - first);
            const auto named = before.find("Float32");
            if (named == before.npos || before.find("Float16") != before.npos)
                continue;
            std::string after = before;
            const bool both = key == "\"computePrecision\"" || m_result.constantsKept > 0;
            after.replace(named, 7, both ? "Float16, Float32" : "Float16");
            if (both && before == "\"Float32\"")
                after = "\"Mixed (Float16, Float32)\"";
            text.replace(first, before.size(), after);
        }
        return bytesOfText(text);
    }

    const Bundle &m_bundle;
    std::shared_ptr<const mil::Program> m_program; ///< what is below points into it
    std::size_t m_file;
    HalfBundle &m_result;
    Progress *m_progress;
    bool m_text;
    std::vector<Plan> m_plans;
    std::set<const mil::Operation *> m_half; ///< operations that are fp16 now
    std::map<const mil::ProgramValue *, bool> m_beyond;
    std::map<const mil::ProgramValue *, std::size_t> m_replaced; ///< constant of each value
    std::vector<Constant> m_constants;
    std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> m_byRecord;
    std::map<std::size_t, BlobLayout> m_layouts; ///< by file
};

} // namespace

} // namespace kernscope::patch

namespace kernscope {

Result<HalfBundle> convertToHalf(const Bundle &bundle, Progress *progress)
{
    const BundleReadLock lock(bundle);
    HalfBundle result;
    const auto kind = bundle.kind();
    const bool programs = kind == BundleKind::Mlmodelc || kind == BundleKind::Mlpackage;
    std::set<std::size_t> files;
    for (const mil::Function &function : bundle.program()->functions)
        files.insert(bundle.programFileOf(function.model));
    files.erase(kNoIndex);
    if (!programs || files.empty())
        return refused("convert.program", {}, "an ML program (.mlpackage or .mlmodelc)",
                       std::string(bundleKindName(kind)),
                       "Only the programs of ML program bundles are converted; weights of old "
                       "neural networks become fp16 by encode --all --form dense");
    std::uint64_t total = 0; // looked at, rounded, held against what they were
    for (const Weight &weight : bundle.weights())
        total += weight.type == ElementType::Fp32 ? 3 * weight.elements.value : 0;
    if (progress != nullptr)
        progress->setTotal(total);
    for (const std::size_t file : files) {
        const Bundle &now = result.made ? *result.made : bundle;
        if (auto made = TRY(patch::HalfConverter(now, file, result, progress).run()))
            result.made = std::move(made);
    }
    if (!result.made) {
        std::string kept;
        for (const HalfOperations &row : result.operations)
            kept += fmt::format("{}{} ({})", kept.empty() ? "" : ", ", row.type, row.why);
        return refused("convert.program", {}, "operations that may be fp16",
                       kept.empty() ? "no operand of fp32" : mil::shortened(kept),
                       "Nothing of the program is to be converted");
    }
    TRY(patch::measureWeights(bundle, result, progress));
    std::ranges::sort(result.operations, [](const auto &a, const auto &b) {
        return std::tie(a.type, a.why) < std::tie(b.type, b.why);
    });
    return result;
}

} // namespace kernscope
