// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/coverage.h"

#include "core/assessment/weight_facts.h"
#include "core/base/csv.h"
#include "core/base/error_builder.h"
#include "core/base/json_place.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/form/form_steps.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope {

namespace {

/// Figures of how a weight is stored.
struct Stored {
    unsigned bits = 0; ///< of an index or a code; 0: values
    std::uint64_t block = 0;
    bool palette = false, sparse = false, scaled = false;
    ElementType codes = ElementType::Unknown;
};

/// Also of a weight whose bytes are missing: the program says how they are stored.
bool isKnown(const Weight &weight)
{
    return !weight.form.has(FormNode::Unknown);
}

Stored storedOf(const Weight &weight)
{
    Stored stored;
    stored.palette = weight.form.isPalette();
    stored.sparse = weight.form.isSparse();
    stored.scaled = weight.form.has(FormNode::Affine) || weight.form.has(FormNode::Blockwise) ||
                    weight.form.isMicroscaled();
    stored.codes = weight.form.storedType();
    if (stored.palette || stored.scaled)
        stored.bits = bitWidth(stored.codes);
    if (const codec::Palette *palette = weight.form.palette(); palette && palette->entries > 1) {
        stored.bits = 0;
        while ((std::uint64_t(1) << stored.bits) < palette->entries)
            ++stored.bits;
    }
    const codec::Operand *scale = weight.operand(codec::PartRole::Scale);
    if (scale && scale->shape.size() == weight.shape.size()) {
        for (std::size_t i = 0; i < scale->shape.size(); ++i) {
            if (scale->shape[i] > 1 && scale->shape[i] < weight.shape[i])
                stored.block = weight.shape[i] / scale->shape[i];
        }
    }
    return stored;
}

/// "sparse" and "int8" of "sparse+int8".
std::vector<std::string_view> wordsOfForm(std::string_view form)
{
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at <= form.size(); at += words.back().size() + 1)
        words.push_back(form.substr(at, form.find('+', at) - at));
    return words;
}

/// Every word that a weight's form answers to.
std::set<std::string> wordsOf(const Weight &weight)
{
    const Stored stored = storedOf(weight);
    const std::string text = formText(weight.form);
    std::set<std::string> words;
    for (const std::string_view word : wordsOfForm(text))
        words.emplace(word);
    if (weight.form.isDense())
        words.insert({"dense", std::string(elementTypeName(weight.type))});
    if (stored.palette)
        words.insert({"palette", "lut", fmt::format("palette{}", stored.bits),
                      fmt::format("lut{}", stored.bits)});
    if (stored.sparse)
        words.insert("sparse");
    if (stored.palette && stored.scaled)
        words.insert("scales");
    if (stored.scaled) {
        words.insert({"quantized", std::string(elementTypeName(stored.codes))});
        const std::string_view name = elementTypeName(stored.codes);
        if (name.starts_with("uint")) // codes of either sign
            words.insert(std::string(name.substr(1)));
        if (stored.block > 0)
            words.insert({"blocks", fmt::format("blocks{}", stored.block)});
    }
    return words;
}

/// Bits that a code of an expected form takes: of "palette4" 4, of "int8" 8; 16 where it says none.
unsigned bitsOfForm(std::string_view form)
{
    unsigned bits = 16;
    const std::size_t end = form.find("blocks");
    form = form.substr(0, end);
    std::size_t at = 0;
    while (at < form.size()) {
        if (form[at] < '0' || form[at] > '9') {
            ++at;
            continue;
        }
        unsigned number = 0;
        for (; at < form.size() && form[at] >= '0' && form[at] <= '9'; ++at)
            number = std::min(1000U, number * 10 + static_cast<unsigned>(form[at] - '0'));
        bits = std::min(bits, number);
    }
    return std::max(bits, 1U);
}

bool hasForm(const Weight &weight, std::string_view form)
{
    const auto words = wordsOf(weight);
    return std::ranges::all_of(wordsOfForm(form), [&](std::string_view word) {
        return words.count(std::string(word)) > 0;
    });
}

/// Whether wordsOf() has that word, for some weight.
bool isFormWord(std::string_view word)
{
    const std::string_view stem = word.substr(0, word.find_last_not_of("0123456789") + 1);
    const std::string_view digits = word.substr(stem.size());
    if (stem == "palette" || stem == "lut")
        return digits.empty() || (digits.size() == 1 && digits >= "1" && digits <= "8");
    if (stem == "blocks")
        return digits.empty() || digits.front() != '0';
    const auto isType = [](std::string_view name) {
        return anyElementTypeFromName(name) != ElementType::Unknown;
    };
    constexpr std::string_view kDense = "dense-";
    return word == "scales" || word == "quantized" || isType(word) ||
           (word.starts_with(kDense) && isType(word.substr(kDense.size()))) ||
           std::ranges::any_of(allStepFacts(), [&](const StepFacts &step) {
               return !word.empty() &&
                      (word == step.word || word == step.fp4Word || word == step.slices);
           });
}

bool matchesName(const Weight &weight, std::string_view pattern)
{
    return matchesPattern(pattern, weight.name) || matchesPattern(pattern, weight.address());
}

/// Elements of which coremltools compresses more where a configuration says nothing, and the passes
/// of coreai-opt.
constexpr std::uint64_t kCoremltoolsThreshold = 2048, kCoreAiThreshold = 1024;

bool isOfCoreAi(const Bundle &bundle)
{
    return bundle.kind() == BundleKind::Aimodel || bundle.kind() == BundleKind::Aimodelx;
}

bool isVector(const Weight &weight)
{
    return weight.shape.size() < 2;
}

/// The axes that coremltools lays blocks (input) and groups (output) along; nothing where the
/// operations that read the weight differ.
std::optional<ChannelAxes> blockAxes(const Weight &weight)
{
    std::optional<ChannelAxes> axes;
    for (const Consumer &consumer : weight.consumers) {
        const bool turned = consumer.op == "matmul" || consumer.op == "conv_transpose";
        const ChannelAxes all =
            turned && consumer.via.empty() ? channelAxes(weight, consumer) : ChannelAxes{0, 1};
        if (axes && (axes->output != all.output || axes->input != all.input))
            return std::nullopt;
        axes = all;
    }
    return axes.value_or(ChannelAxes{0, 1});
}

/// Which axis the blocks or groups of a rule do not divide; empty where they do.
std::string notDivisible(const Weight &weight, const ExpectedForm &rule)
{
    const Shape &shape = weight.shape;
    std::vector<std::uint64_t> extents = rule.blocks;
    extents.resize(shape.size());
    const std::size_t blocks = rule.form.find("blocks");
    const auto written = blocks == rule.form.npos
                             ? std::nullopt
                             : parseInteger(std::string_view(rule.form).substr(blocks + 6));
    const std::uint64_t block =
        written && *written > 0 ? static_cast<std::uint64_t>(*written) : rule.block;
    if (const std::uint64_t extent = std::max(block, rule.group); extent > 0) {
        const auto axes = blockAxes(weight);
        if (!axes && !rule.axis)
            return "read along different axes";
        std::size_t axis = rule.axis   ? static_cast<std::size_t>(*rule.axis)
                           : block > 0 ? axes->input
                                       : axes->output;
        if (rule.axis && *rule.axis < 0)
            axis += shape.size();
        if (axis < extents.size())
            extents[axis] = extent;
    }
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (extents[i] > 0 && shape[i] % extents[i] != 0)
            return fmt::format("axis not divisible: {} by {} of {}", grouped(shape[i]),
                               rule.group > 0 ? "groups" : "blocks", grouped(extents[i]));
    }
    return {};
}

/// Why a weight may have been left dense, where a rule expects another form, or without one.
std::string leftBecause(const Bundle &bundle, const Weight &weight, const ExpectedForm *rule,
                        const CompressedWeights &compressed)
{
    const bool coreAi = isOfCoreAi(bundle);
    const std::uint64_t elements = weight.elements.value;
    if (!isFloatingPoint(weight.type))
        return "no real numbers";
    const std::uint64_t threshold = rule     ? rule->threshold
                                    : coreAi ? kCoreAiThreshold
                                             : kCoremltoolsThreshold;
    if (elements <= threshold && !rule && compressed.least <= threshold) {
        if (elements < compressed.least) // what is compressed says more than a usual threshold
            return fmt::format("too small: {} elements, the smallest compressed weight has {}",
                               grouped(elements), grouped(compressed.least));
    } else if (elements <= threshold) {
        return fmt::format("too small: {} elements, more than {} are compressed", grouped(elements),
                           grouped(threshold));
    }
    if (!coreAi && isVector(weight) && !compressed.vectors)
        return "of one axis: coremltools leaves those dense";
    if (rule) {
        if (std::string text = notDivisible(weight, *rule); !text.empty())
            return text;
    }
    // What coreai-opt compresses; coremltools does so whatever reads the weight.
    static constexpr std::array<std::string_view, 10> kCovered{
        "conv", "linear", "matmul", "gather",    "einsum",
        "lstm", "gru",    "rnn",    "embedding", "inner_product"};
    const auto covers = [](const Consumer &consumer) {
        return std::ranges::any_of(kCovered, [&consumer](std::string_view word) {
            return consumer.op.find(word) != std::string::npos;
        });
    };
    if (coreAi && !weight.consumers.empty() && std::ranges::none_of(weight.consumers, covers))
        return "operation not covered: " + weight.consumers.front().op;
    const codec::Operand *data = weight.operand(codec::PartRole::Data);
    if (data && data->place && data->place->isLiteral())
        return "a literal of the program";
    if (weight.consumers.size() > 1)
        return fmt::format("shared: {}", counted(weight.consumers.size(), "reader"));
    return coreAi ? "not told (see the known faults of the writer)" : "not told";
}

using Json = nlohmann::json;

constexpr std::size_t kMostText = 1U << 20, kMostDepth = 24;

std::string_view trimmed(std::string_view text)
{
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!text.empty() && blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && blank(text.back()))
        text.remove_suffix(1);
    return text;
}

/// A scalar, or a list in brackets.
Json scalarOf(std::string_view text, std::size_t depth = 0)
{
    text = trimmed(text);
    if (text.empty() || text == "null" || text == "~" || text == "None" || text == "Null")
        return nullptr;
    if (text == "true" || text == "True" || text == "false" || text == "False")
        return text.front() == 't' || text.front() == 'T';
    if (text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
        text.back() == text.front())
        return std::string(text.substr(1, text.size() - 2));
    if (text.front() == '[' && text.back() == ']' && depth < kMostDepth) {
        Json list = Json::array();
        text = text.substr(1, text.size() - 2);
        while (!trimmed(text).empty()) {
            const std::string_view item = text.substr(0, text.find(','));
            text.remove_prefix(std::min(text.size(), item.size() + 1));
            list.push_back(scalarOf(item, depth + 1));
        }
        return list;
    }
    if (text == "{}")
        return Json::object();
    if (const auto whole = parseInteger(text))
        return *whole;
    if (const auto number = parseNumber(text))
        return *number;
    return std::string(text);
}

struct Line {
    std::size_t number = 0, indent = 0;
    std::string_view text;
};

/// The lines of a text with something on them, without comments.
std::vector<Line> linesOf(std::string_view text)
{
    std::vector<Line> lines;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::string_view all = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), all.size() + 1));
        std::string_view line = all;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (line[i] == '#' && (i == 0 || line[i - 1] == ' ')) {
                line = line.substr(0, i);
                break;
            }
        }
        if (trimmed(line).empty() || line.starts_with("---"))
            continue;
        const std::size_t indent = line.find_first_not_of(' ');
        lines.push_back({number, indent, trimmed(line)});
    }
    return lines;
}

/// Reads the lines of one indentation; `fault`: the line that is none.
Json mappingOf(const std::vector<Line> &lines, std::size_t &at, std::size_t depth,
               std::size_t &fault)
{
    const std::size_t indent = lines[at].indent;
    if (lines[at].text.starts_with("- ")) {
        Json list = Json::array();
        while (at < lines.size() && lines[at].indent == indent && lines[at].text.starts_with("- "))
            list.push_back(scalarOf(lines[at++].text.substr(2)));
        return list;
    }
    Json map = Json::object();
    while (at < lines.size() && lines[at].indent == indent && fault == 0) {
        const std::string_view text = lines[at].text;
        const std::size_t colon = text.find(": ") != text.npos ? text.find(": ")
                                  : text.ends_with(':')        ? text.size() - 1
                                                               : text.npos;
        if (colon == text.npos || depth > kMostDepth) {
            fault = lines[at].number;
            return map;
        }
        const Json key = scalarOf(text.substr(0, colon));
        const std::string name =
            key.is_string() ? key.get<std::string>() : std::string(text.substr(0, colon));
        const std::string_view rest = trimmed(text.substr(colon + 1));
        ++at;
        const bool nested =
            at < lines.size() && (lines[at].indent > indent ||
                                  (lines[at].indent == indent && lines[at].text.starts_with("- ")));
        map[name] = !rest.empty() ? scalarOf(rest)
                    : nested      ? mappingOf(lines, at, depth + 1, fault)
                                  : Json();
    }
    if (at < lines.size() && lines[at].indent > indent && fault == 0)
        fault = lines[at].number;
    return map;
}

const Json *member(const Json &json, std::initializer_list<const char *> keys)
{
    for (const char *key : keys) {
        if (!json.is_object())
            return nullptr;
        if (const auto found = json.find(key); found != json.end())
            return &*found;
    }
    return nullptr;
}

std::uint64_t configNumber(const Json *json)
{
    if (json && json->is_array() && !json->empty()) // of each axis: the largest
        return configNumber(&*std::max_element(json->begin(), json->end()));
    return json && json->is_number_integer() && json->get<std::int64_t>() > 0
               ? static_cast<std::uint64_t>(json->get<std::int64_t>())
               : 0;
}

std::string configText(const Json *json)
{
    return json && json->is_string() ? json->get<std::string>() : std::string();
}

/// Blocks or groups of a rule: of every axis, or a number of elements (32 where it says none).
void readExtents(const Json &json, ExpectedForm &rule)
{
    const Json *granularity = member(json, {"granularity"});
    const bool own = granularity && granularity->is_object(); // coreai-opt
    const Json &from = own ? *granularity : json;
    const std::string kind = configText(own ? member(from, {"type"}) : granularity);
    constexpr std::uint64_t kUsual = 32;
    const auto sizeOf = [](const Json *size) { return size ? configNumber(size) : kUsual; };
    if (kind == "per_grouped_channel")
        rule.group = sizeOf(member(from, {"group_size"}));
    if (kind == "per_block") {
        const Json *size = member(from, {"block_size"});
        if (size && size->is_array()) {
            for (const Json &each : *size)
                rule.blocks.push_back(configNumber(&each));
        } else {
            rule.block = sizeOf(size);
        }
    }
    if (const Json *axis = member(from, {"channel_axis", "axis"});
        axis && axis->is_number_integer())
        rule.axis = axis->get<std::int64_t>();
}

/// What a part of a configuration asks for; "dense" for null, an empty form where it says none.
ExpectedForm ruleOf(std::string pattern, const Json &json)
{
    ExpectedForm rule{std::move(pattern), "dense"};
    rule.vectors = false;
    if (json.is_null())
        return rule;
    // Of Core AI what is said of the weight; what is said of activations is none of it.
    if (const Json *state = member(json, {"op_state_spec", "module_state_spec"})) {
        const Json *weight = member(*state, {"weight", "*"});
        rule = ruleOf(std::move(rule.pattern), weight ? *weight : Json::object());
        if (!weight || !member(*weight, {"weight_threshold", "weight_num_threshold"}))
            rule.threshold = kCoreAiThreshold;
        return rule;
    }
    std::string &form = rule.form;
    form.clear();
    const auto add = [&form](const std::string &word) { form += form.empty() ? word : "+" + word; };
    if (member(json, {"target_sparsity", "n_m_ratio", "threshold"}))
        add("sparse");
    if (const std::uint64_t bits = configNumber(member(json, {"nbits", "n_bits"})))
        add(fmt::format("palette{}", bits));
    else if (std::string word = configText(member(json, {"dtype", "quantize_dtype"}));
             !word.empty()) {
        add(word.substr(word.rfind('.') == word.npos ? 0 : word.rfind('.') + 1));
    } else if (configText(member(json, {"mode"})).starts_with("linear")) {
        add("int8"); // what linear quantisation takes where it is told no type
    }
    readExtents(json, rule);
    constexpr std::uint64_t kFewest = 10; // coremltools writes fewer elements into the program
    const Json *threshold = member(json, {"weight_threshold", "weight_num_threshold"});
    rule.threshold = threshold && threshold->is_number_integer()
                         ? std::max(configNumber(threshold), kFewest - 1)
                         : kCoremltoolsThreshold;
    return rule;
}

/// A name in a program: "layers.0.attn" is "layers_0_attn" there.
std::string patternOf(std::string name)
{
    std::replace(name.begin(), name.end(), '.', '_');
    return "*" + name + "*";
}

} // namespace

std::optional<std::string> unknownFormWord(std::string_view form)
{
    const auto words = wordsOfForm(form);
    const auto wrong = std::ranges::find_if_not(words, isFormWord);
    return wrong == words.end() ? std::nullopt : std::optional(std::string(*wrong));
}

Result<ExpectedForm> readExpectedForm(std::string_view text)
{
    const std::size_t at = text.rfind('=');
    if (at == text.npos || at == 0)
        return refused("cli.option", "--expect", "PATTERN=FORM, such as '*=palette4'", text,
                       "An expected form cannot be read");
    if (const auto wrong = unknownFormWord(text.substr(at + 1)))
        return refused("cli.option", "--expect", std::string(kFormWords), *wrong,
                       "There is no such form");
    return ExpectedForm{std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
}

std::string coveredForm(const Bundle &bundle, std::size_t index)
{
    const Weight &weight = bundle.weights()[index];
    const Stored stored = storedOf(weight);
    std::string text = stored.sparse ? "sparse" : "";
    const auto add = [&text](const std::string &word) { text += text.empty() ? word : "+" + word; };
    if (stored.palette)
        add(fmt::format("palette{}", stored.bits));
    if (stored.scaled && !stored.palette)
        add(std::string(elementTypeName(stored.codes)));
    else if (stored.scaled)
        add("scales");
    if (stored.block > 0)
        add(fmt::format("blocks{}", stored.block));
    return text.empty() ? formText(weight.form) : text;
}

CompressedWeights compressedWeights(const Bundle &bundle)
{
    CompressedWeights found;
    for (const Weight &weight : bundle.weights()) {
        if (weight.form.isDense() || !isKnown(weight))
            continue;
        found.least = std::min(found.least, weight.elements.value);
        found.vectors = found.vectors || isVector(weight);
    }
    return found;
}

std::string whyDense(const Bundle &bundle, std::size_t index, const CompressedWeights *compressed)
{
    const Weight &weight = bundle.weights()[index];
    if (!weight.form.isDense())
        return {};
    return leftBecause(bundle, weight, nullptr,
                       compressed ? *compressed : compressedWeights(bundle));
}

std::vector<std::optional<std::string>> partnerForms(const Bundle &sibling,
                                                     std::span<const std::size_t> partners)
{
    std::vector<std::optional<std::string>> forms(partners.size());
    for (std::size_t i = 0; i < partners.size(); ++i) {
        if (partners[i] < sibling.weights().size())
            forms[i] = isKnown(sibling.weights()[partners[i]]) ? coveredForm(sibling, partners[i])
                                                               : std::string();
    }
    return forms;
}

Coverage coverageOf(const Bundle &bundle, const CoverageRules &rules)
{
    Coverage coverage;
    const Totals totals = bundle.totals();
    coverage.storedBytes = totals.storedBytes.value;
    coverage.parameters = totals.denseFp16Bytes.value / 2;
    const CompressedWeights compressed = compressedWeights(bundle);
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        CoverageRow row;
        row.weight = i;
        row.found = coveredForm(bundle, i);
        if (knownStoredBytes(weight) && weight.elements.value > 0)
            row.bits = 8 * static_cast<double>(weight.storedBytes.value) /
                       static_cast<double>(weight.elements.value);
        const bool hasPartner = i < rules.ofPartners.size() && rules.ofPartners[i];
        const ExpectedForm partners{{}, hasPartner ? *rules.ofPartners[i] : std::string(), 0};
        const ExpectedForm *rule = &partners;
        for (const ExpectedForm &each : rules.byOperation) {
            if (each.pattern == "*" ||
                std::ranges::any_of(weight.consumers, [&](const Consumer &c) {
                    return matchesPattern(each.pattern, c.op);
                }))
                rule = &each;
        }
        for (const ExpectedForm &each : rules.expected) {
            if (matchesName(weight, each.pattern))
                rule = &each;
        }
        const bool excepted = std::ranges::any_of(
            rules.except, [&](const std::string &pattern) { return matchesName(weight, pattern); });
        if (!excepted)
            row.expected = rule->form;
        coverage.judged += !row.expected.empty();
        coverage.alone += i < rules.ofPartners.size() && !rules.ofPartners[i] &&
                          row.expected.empty() && !excepted;
        if (!row.expected.empty() && isKnown(weight)) {
            const bool mayStay =
                weight.form.isDense() &&
                (weight.elements.value <= rule->threshold || (!rule->vectors && isVector(weight)));
            row.kept = mayStay || hasForm(weight, row.expected);
            const auto should =
                packedBytes(weight.elements, ElementType::Uint1).value_or(ByteCount()).value *
                bitsOfForm(row.expected);
            if (!row.kept && weight.storedBytes.value > should)
                row.extraBytes = weight.storedBytes.value - should;
        }
        if (weight.form.isDense() && !rules.any())
            row.why = leftBecause(bundle, weight, nullptr, compressed);
        else if (weight.form.isDense() && row.expected != "dense" && !row.expected.empty() &&
                 !hasForm(weight, row.expected))
            row.why = leftBecause(bundle, weight, rule, compressed);
        coverage.extraBytes += row.extraBytes;
        coverage.broken += !row.kept;
        coverage.rows.push_back(std::move(row));
    }
    return coverage;
}

// Configurations of compression as coverage rules: OptimizationConfig of coremltools (from_dict,
// from_yaml) and the configurations of coreai-opt. Of YAML what these files use: nested mappings by
// indentation, scalars, lists in brackets or by dashes, comments.

Result<CoverageRules> readCompressionConfig(std::string_view text, const std::string &file)
{
    const auto refuse = [&](std::size_t line, std::string found) {
        return refused({file}, "coverage.config",
                       line > 0 ? fmt::format("line {}", line) : std::string(),
                       "a configuration of coremltools or coreai-opt, JSON or YAML", found,
                       "The configuration of compression cannot be read");
    };
    if (text.size() > kMostText)
        return refuse(0, "more than 1 MiB");
    Json json;
    if (trimmed(text).starts_with('{')) {
        json = jsonFits(text) ? Json::parse(text, nullptr, false) : Json();
        if (!json.is_object())
            return refuse(0, "no JSON object");
    } else {
        const std::vector<Line> lines = linesOf(text);
        std::size_t at = 0, fault = 0;
        if (!lines.empty())
            json = mappingOf(lines, at, 0, fault);
        if (fault > 0 || at < lines.size())
            return refuse(fault > 0 ? fault : lines[at].number, "a line that is not a mapping");
    }
    // Core AI writes all of it under one key.
    if (json.is_object() && json.size() == 1 &&
        member(*json.begin(), {"global_config", "module_name_configs", "module_type_configs"}))
        json = Json(*json.begin());
    CoverageRules rules;
    if (const Json *global = member(json, {"global_config"})) {
        if (ExpectedForm rule = ruleOf("*", *global); !rule.form.empty())
            rules.expected.push_back(std::move(rule));
    }
    for (const char *key : {"op_type_configs", "op_type_config"}) {
        const Json *types = member(json, {key});
        for (auto it = types && types->is_object() ? types->begin() : Json::const_iterator();
             types && types->is_object() && it != types->end(); ++it)
            rules.byOperation.push_back(ruleOf(it.key(), *it));
    }
    for (const char *key : {"module_name_configs", "op_name_configs", "op_name_config"}) {
        const Json *names = member(json, {key});
        for (auto it = names && names->is_object() ? names->begin() : Json::const_iterator();
             names && names->is_object() && it != names->end(); ++it)
            rules.expected.push_back(ruleOf(patternOf(it.key()), *it));
    }
    if (!rules.any())
        return refuse(0, "no global_config, and none for operations or names");
    // A rule for an operation counts more than that for all: names count most.
    if (!rules.expected.empty() && rules.expected.front().pattern == "*") {
        rules.byOperation.insert(rules.byOperation.begin(), rules.expected.front());
        rules.expected.erase(rules.expected.begin());
    }
    return rules;
}

} // namespace kernscope
