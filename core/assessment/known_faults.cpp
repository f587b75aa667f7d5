// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/known_faults.h"

#include "core/assessment/consumer_kinds.h"
#include "core/assessment/coverage.h"
#include "core/assessment/weight_facts.h"
#include "core/base/overlaid_file.h"
#include "core/base/parts.h"
#include "core/base/text.h"
#include "core/bundle/build_facts.h"
#include "core/bundle/bundle.h"
#include "core/container/mil/program.h"
#include "core/form/form_steps.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope {

namespace {

/// What a pattern's terms are about: words and numbers by key. A key that is missing fails.
class Facts
{
public:
    void word(std::string_view key, std::string_view value) { m_words.emplace(key, value); }
    void number(std::string_view key, std::uint64_t value)
    {
        m_numbers[std::string(key)] = static_cast<double>(value);
        word(key, std::to_string(value));
    }
    bool hold(std::string_view pattern) const
    {
        return !pattern.empty() && allParts(pattern, ' ', [this](auto part) { return term(part); });
    }

private:
    /// "key=a|b", "key!=a|b" (it is neither), "key~a|b" (one of its words is neither), "key>n",
    /// "key<n".
    bool term(std::string_view text) const
    {
        const std::size_t at = text.find_first_of("=!~<>");
        if (at == text.npos)
            return false;
        const std::string_view key = text.substr(0, at);
        if (text[at] == '<' || text[at] == '>') {
            const auto found = m_numbers.find(key);
            const auto limit = parseNumber(text.substr(at + 1));
            if (found == m_numbers.end() || !limit)
                return false;
            return text[at] == '<' ? found->second < *limit : found->second > *limit;
        }
        const bool unequal = text[at] == '!';
        const std::string_view wanted = text.substr(at + (unequal ? 2 : 1));
        const auto found = m_words.equal_range(key);
        if (text[at] == '~')
            return std::any_of(found.first, found.second, [wanted](const auto &fact) {
                return allParts(wanted, '|', [&fact](auto word) { return fact.second != word; });
            });
        const bool none = allParts(wanted, '|', [&](std::string_view word) {
            return std::none_of(found.first, found.second,
                                [word](const auto &fact) { return fact.second == word; });
        });
        return none == unequal && (unequal || found.first != found.second);
    }

    std::multimap<std::string, std::string, std::less<>> m_words;
    std::map<std::string, double, std::less<>> m_numbers;
};

/// Empty for what is no package of either framework: a checkpoint, a container.
std::string_view frameworkOf(const Bundle &bundle)
{
    switch (bundle.kind()) {
    case BundleKind::Aimodel:
    case BundleKind::Aimodelx: return "coreai";
    case BundleKind::Mlmodelc:
    case BundleKind::Mlpackage:
    case BundleKind::MilText:
    case BundleKind::Network:
    case BundleKind::Pipeline:
    case BundleKind::Model: return "coreml";
    default: return {};
    }
}

/// The axes that every operation which reads the weight takes its outputs and inputs from; nothing
/// where they differ, or one is no layer.
std::optional<ChannelAxes> layerAxes(const Weight &weight)
{
    std::optional<ChannelAxes> axes;
    for (const Consumer &consumer : weight.consumers) {
        const ChannelAxes own = channelAxes(weight, consumer);
        if (!isLayer(consumer) || (axes && *axes != own))
            return std::nullopt;
        axes = own;
    }
    return axes && std::max(axes->output, axes->input) < weight.shape.size() ? axes : std::nullopt;
}

/// What a weight has a scale for each of.
std::string_view scalesBy(const Weight &weight, Shape scale)
{
    if (elementCount(scale) == ElementCount(1))
        return "tensor";
    const Shape &shape = weight.shape;
    const auto &encoding = weight.form.encoding();
    if (scale.size() == 1 && shape.size() > 1 && encoding && encoding->scaling &&
        encoding->scaling->axis < shape.size()) { // of iOS 16: along one axis
        const std::uint64_t scales = scale[0];
        scale.assign(shape.size(), 1);
        scale[encoding->scaling->axis] = scales;
    }
    if (scale.size() < shape.size()) // a palette's have two axes more
        return "other";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (scale[i] > 1 && scale[i] < shape[i])
            return "blocks";
    }
    const auto axes = layerAxes(weight);
    const auto runOver = [&](std::size_t axis) {
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (scale[i] > 1 && i != axis && i >= axes->batches)
                return false;
        }
        return scale[axis] > 1;
    };
    return !axes                   ? "other"
           : runOver(axes->output) ? "outputs"
           : runOver(axes->input)  ? "inputs"
                                   : "other";
}

/// Of the weight as a whole, then of each operation that reads it.
Facts factsOf(const Bundle &bundle, const Weight &weight)
{
    Facts facts;
    facts.word("framework", frameworkOf(bundle));
    facts.word("form", formText(weight.form));
    facts.word("type", elementTypeName(weight.type));
    facts.word("elements_are", stepFacts(elementsNodeOf(weight.form)).word);
    facts.number("elements", weight.elements.value);
    if (const auto axes = layerAxes(weight))
        facts.number("outputs", weight.shape[axes->output]);
    facts.number("extent", weight.shape.empty() ? 1 : *std::ranges::max_element(weight.shape));
    facts.number("rank", weight.shape.size());
    facts.number("readers", weight.consumers.size());
    facts.word("source_op", weight.sourceOp);
    for (const FormNode node : weight.form.nodes())
        facts.word("step", stepFacts(node).word);
    for (const Consumer &consumer : weight.consumers) {
        facts.word("op", consumer.op);
        facts.word("param", consumer.param);
        facts.word("reader", consumer.via.empty() ? consumer.op : consumer.via.front());
    }
    if (const codec::Operand *data = weight.operand(codec::PartRole::Data))
        facts.word("data", elementTypeName(data->type));
    if (const codec::Operand *indices = weight.operand(codec::PartRole::Indices))
        facts.number("index_bits", bitWidth(indices->type));
    if (const codec::Operand *table = weight.operand(codec::PartRole::Lut))
        facts.word("table", elementTypeName(table->type));
    if (const codec::Palette *palette = weight.form.palette()) {
        facts.number("entries", palette->entries);
        facts.number("vector", palette->vector);
        const auto axes = layerAxes(weight);
        facts.word("vectors_along",
                   palette->vectorAxis == (axes ? axes->output : 0) ? "outputs" : "other");
        facts.number("entries_by_vector", palette->entries * palette->vector);
        std::uint64_t tables = 1;
        for (const std::uint64_t extent : palette->grid)
            tables *= std::max<std::uint64_t>(extent, 1);
        facts.number("tables", tables);
    }
    if (const codec::Operand *scale = weight.operand(codec::PartRole::Scale)) {
        facts.word("scale", elementTypeName(scale->type));
        const std::uint64_t scales = elementCount(scale->shape).value_or(ElementCount()).value;
        facts.number("scales", scales);
        facts.word("scales_by", scalesBy(weight, scale->shape));
    }
    facts.word("zero_point", hasZeroPoint(bundle, weight) ? "other" : "zero");
    return facts;
}

std::optional<std::uint64_t> extentOf(const mil::ValueType &type)
{
    std::uint64_t most = 0;
    for (const std::int64_t extent : type.dims) {
        if (extent == 0)
            return 0; // of no element
        most = std::max(most, extent > 0 ? static_cast<std::uint64_t>(extent) : 0);
    }
    return type.dims.empty() ? std::nullopt : std::optional(most);
}

void eachOperation(const mil::Block &block, const std::function<void(const mil::Operation &)> &each)
{
    for (const mil::Operation &operation : block.operations) {
        each(operation);
        for (const mil::Block &inner : operation.blocks)
            eachOperation(inner, each);
    }
}

/// A constant of a Core AI program that is the real number 1.
bool isOne(const Bundle &bundle, const mil::ProgramValue *value)
{
    const mil::BlobReference *blob = value ? value->blob() : nullptr;
    const auto file = blob ? bundle.fileByPath(blob->path) : std::nullopt;
    if (!file)
        return false;
    const auto bytes = bundle.files()[*file].file->bytes();
    const ByteRange range{FileOffset(value->span.offset), ByteCount(value->span.length)};
    if (!fitsInside(range, ByteCount(bytes.size())))
        return false;
    const auto held = bytes.subspan(value->span.offset, value->span.length);
    const std::string_view text(reinterpret_cast<const char *>(held.data()), held.size());
    using namespace std::string_view_literals;
    const ElementType type = value->type.element;
    return text == (type == ElementType::Fp16   ? "\x00\x3c"sv
                    : type == ElementType::Bf16 ? "\x80\x3f"sv
                    : type == ElementType::Fp32 ? "\x00\x00\x80\x3f"sv
                                                : "none"sv);
}

/// "coreai-torch" 0.4.1 of the text "coreai-core 1.0.0b2".
void addTools(const std::vector<std::string> &tools, Facts &facts)
{
    for (const std::string &tool : tools) {
        facts.word("tool", tool.substr(0, tool.find(' ')));
        std::string dashed = tool;
        std::ranges::replace(dashed, ' ', '-');
        facts.word("version", dashed); // "coremltools-9.0"
    }
}

} // namespace

std::string KnownFault::where() const
{
    std::vector<std::string_view> parts;
    for (const std::string *part : {&framework, &systems, &chips}) {
        if (!part->empty())
            parts.push_back(*part);
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string KnownFault::text() const
{
    const std::string places = where();
    const bool said = confidence == format::Confidence::Contested;
    return effect + fmt::format(" ({}{}{}; {}) [{}]", places.empty() ? "" : places + "; ",
                                format::confidenceName(confidence),
                                contested && !said ? ", contested" : "", source, id);
}

std::span<const KnownFault> knownFaults()
{
    static const auto all =
        tables::loadRows<KnownFault>("known_faults", {{"id", &KnownFault::id},
                                                      {"scope", &KnownFault::scope},
                                                      {"pattern", &KnownFault::pattern},
                                                      {"framework", &KnownFault::framework},
                                                      {"chips", &KnownFault::chips},
                                                      {"systems", &KnownFault::systems},
                                                      {"effect", &KnownFault::effect},
                                                      {"seen", &KnownFault::seen},
                                                      {"contested", &KnownFault::contested},
                                                      {"source", &KnownFault::source},
                                                      {"confidence", &KnownFault::confidence}});
    return all;
}

std::vector<KnownFaultMatch> matchKnownFaults(const Bundle &bundle,
                                              const std::function<bool(const Weight &)> &skip)
{
    if (frameworkOf(bundle).empty())
        return {};
    const auto all = knownFaults();
    std::vector<KnownFaultMatch> matches(all.size());
    const auto hit = [&](std::size_t row, std::size_t weight, std::string operation) {
        if (matches[row].count++ == 0) {
            matches[row].weight = weight;
            matches[row].operation = std::move(operation);
        }
    };
    const auto tryRows = [&](std::string_view scope, const Facts &facts, std::size_t weight,
                             const std::string &operation) {
        for (std::size_t row = 0; row < all.size(); ++row) {
            if (all[row].scope == scope && all[row].seen != "checkpoint" &&
                facts.hold(all[row].pattern))
                hit(row, weight, operation);
        }
    };
    const std::vector<std::string> tools = buildTools(buildFacts(bundle));
    Facts common; // of the program and of its operations
    common.word("framework", frameworkOf(bundle));
    addTools(tools, common);
    for (const Diagnostic &diagnostic : bundle.diagnostics())
        common.word("note", diagnostic.error.code);
    Facts program = common;
    program.number("weight_bytes", bundle.totals().storedBytes.value);
    const bool compressed = compressedWeights(bundle).least != UINT64_MAX;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        if (weight.fault || (skip && skip(weight)))
            continue;
        Facts facts = factsOf(bundle, weight);
        facts.word("bundle", compressed ? "compressed" : "dense");
        addTools(tools, facts);
        tryRows("weight", facts, i, {});
    }
    for (const mil::Function &function : bundle.program()->functions) {
        program.number("states", static_cast<std::uint64_t>(
                                     std::ranges::count_if(function.inputs, [](const auto &input) {
                                         return input.type.kind == mil::ValueType::Kind::State;
                                     })));
        std::map<std::string, ElementType> types; // of the values so far
        std::set<std::string> ones;               // constants among them
        for (const mil::NamedType &input : function.inputs)
            types[input.name] = input.type.element;
        eachOperation(function.body, [&](const mil::Operation &operation) {
            for (const mil::NamedType &output : operation.outputs)
                types[output.name] = output.type.element;
            if (operation.type == "const") {
                if (!operation.outputs.empty() && isOne(bundle, operation.operand("val")))
                    ones.insert(operation.outputs.front().name);
                return;
            }
            Facts facts = common;
            facts.word("op", operation.type);
            for (const mil::NamedType &output : operation.outputs) {
                facts.word("type", elementTypeName(output.type.element));
                if (const auto extent = extentOf(output.type))
                    facts.number("extent", *extent);
            }
            for (const mil::Argument &input : operation.inputs) {
                for (const mil::ProgramValue &value : input.values) {
                    const mil::Reference *named = value.reference();
                    const auto type = named ? types.find(named->name) : types.end();
                    facts.word(
                        "operand",
                        elementTypeName(type != types.end() ? type->second : value.type.element));
                }
            }
            const mil::ProgramValue *y = operation.operand("y");
            if (y != nullptr && y->reference() != nullptr && ones.count(y->reference()->name) > 0)
                facts.word("divisor", "1");
            tryRows("operation", facts, kNoIndex, operation.displayName());
        });
    }
    tryRows("program", program, kNoIndex, {});
    std::vector<KnownFaultMatch> found;
    for (std::size_t row = 0; row < all.size(); ++row) {
        if (matches[row].count == 0)
            continue;
        matches[row].fault = row;
        found.push_back(std::move(matches[row]));
    }
    return found;
}

std::optional<KnownFaultMatch> matchKnownFault(const Bundle &bundle, std::size_t weight,
                                               std::string_view values)
{
    Facts facts = factsOf(bundle, bundle.weights()[weight]);
    facts.word("values", values);
    const auto all = knownFaults();
    for (std::size_t row = 0; row < all.size(); ++row) {
        if (all[row].pattern.find("values=") != std::string::npos && facts.hold(all[row].pattern))
            return KnownFaultMatch{row, weight, {}, 1};
    }
    return std::nullopt;
}

const KnownFault *knownFaultOf(std::string_view what, std::string_view value)
{
    Facts facts;
    std::string key(what);
    std::ranges::replace(key, ' ', '_');
    facts.word(key, value);
    const auto all = knownFaults();
    const auto found = std::ranges::find_if(all, [&](const KnownFault &fault) {
        return fault.scope == "compiled" && facts.hold(fault.pattern);
    });
    return found == all.end() ? nullptr : &*found;
}

std::string knownFaultText(const Bundle &bundle, const KnownFaultMatch &match)
{
    const KnownFault &fault = knownFaults()[match.fault];
    const std::string first =
        match.weight != kNoIndex ? bundle.weights()[match.weight].findableName() : match.operation;
    std::string text = first;
    if (match.count > 1)
        text += fmt::format(" and {} more", grouped(match.count - 1));
    if (!text.empty())
        text += ": ";
    return text + fault.text();
}

} // namespace kernscope
