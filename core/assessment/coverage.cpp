// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/coverage.h"

#include "core/assessment/weight_facts.h"
#include "core/base/csv.h"
#include "core/base/error_builder.h"
#include "core/base/json_place.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/container/mil/program.h"
#include "core/form/form_steps.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope {

namespace {

/// Figures of how a weight is stored.
struct Stored {
    unsigned bits = 0;                         ///< of an index or a code; 0: values
    std::vector<std::uint64_t> blocks, groups; ///< along each axis with several in it
    std::uint64_t vector = 1;
    bool palette = false, sparse = false, scaled = false;
    bool one = false; ///< one scale, or one codebook
    ElementType codes = ElementType::Unknown;
};

/// Also of a weight whose bytes are missing: the program says how they are stored.
bool isKnown(const Weight &weight)
{
    return !weight.form.has(FormNode::Unknown);
}

/// Elements of a part along each axis that is cut into parts; `whole` of one part as well.
std::vector<std::uint64_t> partsOf(const Shape &shape, const Shape &grid, bool whole = false)
{
    std::vector<std::uint64_t> parts;
    for (std::size_t i = 0; i < std::min(shape.size(), grid.size()); ++i) {
        const bool cut = grid[i] > 1 && grid[i] <= shape[i];
        if (cut || (whole && grid[i] == 1 && shape[i] > 1))
            parts.push_back(shape[i] / grid[i]);
    }
    return parts;
}

/// A palette's scales have two axes more.
Shape scaleGrid(const Weight &weight)
{
    const codec::Operand *scale = weight.operand(codec::PartRole::Scale);
    return scale && scale->shape.size() >= weight.shape.size() ? scale->shape : Shape();
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
        stored.vector = palette->vector;
        stored.groups = partsOf(weight.shape, palette->grid);
        stored.one = stored.groups.empty();
    }
    stored.blocks = partsOf(weight.shape, scaleGrid(weight));
    std::erase(stored.blocks, 1U); // a scale for each index of that axis
    const codec::Operand *scale = weight.operand(codec::PartRole::Scale);
    if (!stored.palette)
        stored.one = scale && elementCount(scale->shape) == ElementCount(1);
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

/// Elements in a hundred that a mask leaves out, rounded; 0 where that is not known.
std::uint64_t percentLeftOut(const Weight &weight)
{
    const auto &encoding = weight.form.encoding();
    const auto kept = encoding && encoding->mask
                          ? elementCount(codec::sourceShape(encoding->payload))
                          : std::nullopt;
    if (!kept || weight.elements.value == 0)
        return 0;
    const std::uint64_t vector = encoding->palette ? encoding->palette->vector : 1;
    const double share = static_cast<double>(kept->value) * static_cast<double>(vector) /
                         static_cast<double>(weight.elements.value);
    return static_cast<std::uint64_t>(std::lround(100 * std::clamp(1 - share, 0.0, 1.0)));
}

/// Every word that a weight's form answers to.
std::set<std::string> wordsOf(const Bundle &bundle, const Weight &weight)
{
    const Stored stored = storedOf(weight);
    const std::string text = formText(weight.form);
    std::set<std::string> words;
    for (const std::string_view word : wordsOfForm(text))
        words.emplace(word);
    if (weight.form.isDense())
        words.insert({"dense", std::string(elementTypeName(weight.type))});
    const auto add = [&words](const char *stem, const std::vector<std::uint64_t> &numbers) {
        for (const std::uint64_t number : numbers)
            words.insert(fmt::format("{}{}", stem, number));
    };
    if (stored.palette)
        words.insert({"palette", "lut", fmt::format("palette{}", stored.bits),
                      fmt::format("lut{}", stored.bits)});
    if (const codec::Palette *palette = weight.form.palette()) { // not of a file that is missing
        words.insert(stored.one ? "tensor" : "groups");
        add("groups", partsOf(weight.shape, palette->grid, true));
        add("vector", {stored.vector});
    }
    if (stored.sparse) {
        words.insert("sparse");
        for (std::uint64_t percent = percentLeftOut(weight); percent > 0; --percent)
            add("sparse", {percent}); // as many, or fewer
    }
    if (stored.palette && stored.scaled)
        words.insert("scales");
    if (stored.scaled) {
        words.insert({"quantized", std::string(elementTypeName(stored.codes))});
        const std::string_view name = elementTypeName(stored.codes);
        if (name.starts_with("uint")) // codes of either sign
            words.insert(std::string(name.substr(1)));
        if (!stored.blocks.empty())
            words.insert("blocks");
        add("blocks", partsOf(weight.shape, scaleGrid(weight), true));
    }
    if (stored.scaled && !stored.palette) {
        if (!hasZeroPoint(bundle, weight))
            words.insert("symmetric");
        if (stored.one)
            words.insert("tensor");
        const auto axes = blockAxes(weight);
        const bool oneChannel =
            axes && axes->output < weight.shape.size() && weight.shape[axes->output] == 1;
        if (stored.blocks.empty() && (!stored.one || oneChannel))
            words.insert("channels");
    }
    return words;
}

/// The number behind a stem: 32 of "blocks32" in "int8+blocks32"; 0 where there is none.
std::uint64_t numberIn(std::string_view form, std::string_view stem)
{
    for (const std::string_view word : wordsOfForm(form)) {
        const auto number =
            word.starts_with(stem) ? parseInteger(word.substr(stem.size())) : std::nullopt;
        if (number && *number > 0)
            return static_cast<std::uint64_t>(*number);
    }
    return 0;
}

/// The type of "int8", "dense-fp16"; Unknown of other words.
ElementType typeIn(std::string_view word)
{
    constexpr std::string_view kDense = "dense-";
    return anyElementTypeFromName(word.starts_with(kDense) ? word.substr(kDense.size()) : word);
}

/// Values as they are: "dense", "fp32", "dense-fp16".
bool isDenseForm(std::string_view form)
{
    return std::ranges::any_of(wordsOfForm(form), [](std::string_view word) {
        const ElementType type = typeIn(word);
        return word == "dense" || (isFloatingPoint(type) && bitWidth(type) >= 16);
    });
}

/// Bytes of a weight in an expected form: of "palette4" 4 bits an element, of "int8" 8, where it
/// says none 16; of "sparse75" a quarter of them, and a bit of the mask.
std::uint64_t bytesOfForm(ElementCount elements, std::string_view form)
{
    const std::uint64_t bytesOfBit =
        packedBytes(elements, ElementType::Uint1).value_or(ByteCount()).value;
    std::uint64_t bits = std::max(numberIn(form, "palette"), numberIn(form, "lut"));
    for (const std::string_view word : wordsOfForm(form)) {
        if (bits == 0)
            bits = bitWidth(typeIn(word));
    }
    const std::uint64_t leftOut = std::min<std::uint64_t>(numberIn(form, "sparse"), 100);
    const std::uint64_t dense = bytesOfBit * (bits > 0 ? bits : 16);
    return dense - dense / 100 * leftOut - dense % 100 * leftOut / 100 +
           (leftOut > 0 ? bytesOfBit : 0);
}

bool hasForm(const Bundle &bundle, const Weight &weight, std::string_view form)
{
    const auto words = wordsOf(bundle, weight);
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
    if (stem == "blocks" || stem == "groups" || (stem == "vector" && !digits.empty()))
        return digits.empty() || digits.front() != '0';
    if (stem == "sparse" && !digits.empty())
        return digits.size() < 3 ? digits.front() != '0' : digits == "100";
    constexpr std::array kOthers{"scales", "quantized", "channels", "tensor", "symmetric"};
    return std::ranges::find(kOthers, word) != kOthers.end() ||
           typeIn(word) != ElementType::Unknown ||
           std::ranges::any_of(allStepFacts(), [&](const StepFacts &step) {
               return !word.empty() &&
                      (word == step.word || word == step.fp4Word || word == step.slices);
           });
}

bool matchesName(const Weight &weight, std::string_view pattern)
{
    return matchesPattern(pattern, weight.name) || matchesPattern(pattern, weight.address());
}

bool isOfCoreAi(const Bundle &bundle)
{
    return bundle.kind() == BundleKind::Aimodel || bundle.kind() == BundleKind::Aimodelx;
}

std::uint64_t usualThreshold(const Bundle &bundle)
{
    return isOfCoreAi(bundle) ? kCoreAiThreshold : kCoremltoolsThreshold;
}

bool isVector(const Weight &weight)
{
    return weight.shape.size() < 2;
}

/// Which axis the blocks or groups of a rule do not divide; empty where they do.
std::string notDivisible(const Weight &weight, const ExpectedForm &rule)
{
    const Shape &shape = weight.shape;
    std::vector<std::uint64_t> extents = rule.blocks;
    extents.resize(shape.size());
    const std::uint64_t block = numberIn(rule.form, "blocks"),
                        group = numberIn(rule.form, "groups"), extent = std::max(block, group);
    if (extent > 0 && rule.blocks.empty()) {
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
                               block > 0 ? "blocks" : "groups", grouped(extents[i]));
    }
    return {};
}

/// coreai-opt compresses what some operations read; coremltools does so whatever they are.
bool isCovered(const Bundle &bundle, const Weight &weight)
{
    static constexpr std::array<std::string_view, 10> kCovered{
        "conv", "linear", "matmul", "gather",    "einsum",
        "lstm", "gru",    "rnn",    "embedding", "inner_product"};
    const auto covers = [](const Consumer &consumer) {
        return std::ranges::any_of(kCovered, [&consumer](std::string_view word) {
            return consumer.op.find(word) != std::string::npos &&
                   !consumer.op.starts_with("conv_transpose");
        });
    };
    return !isOfCoreAi(bundle) || weight.consumers.empty() ||
           std::ranges::any_of(weight.consumers, covers);
}

/// Why a weight may have been left dense, where a rule expects another form, or without one.
std::string leftBecause(const Bundle &bundle, const Weight &weight, const ExpectedForm *rule,
                        const CompressedWeights &compressed)
{
    const bool coreAi = isOfCoreAi(bundle);
    const std::uint64_t elements = weight.elements.value;
    if (!isFloatingPoint(weight.type))
        return "no real numbers";
    const std::uint64_t usual = usualThreshold(bundle),
                        threshold = rule ? rule->threshold.value_or(usual) : usual;
    if (elements <= threshold && !rule && compressed.least <= threshold) {
        if (elements < compressed.least) // what is compressed says more than a usual threshold
            return fmt::format("too small: {}, the smallest compressed weight has {}",
                               counted(elements, "element"), grouped(compressed.least));
    } else if (elements <= threshold) {
        return fmt::format("too small: {}, more than {} are compressed",
                           counted(elements, "element"), grouped(threshold));
    }
    if (!coreAi && isVector(weight) && !compressed.vectors)
        return "of one axis: coremltools leaves those dense";
    if (rule) {
        if (std::string text = notDivisible(weight, *rule); !text.empty())
            return text;
    }
    if (rule && rule->patterns && !takesPatterns(bundle, weight) && !weight.consumers.empty())
        return fmt::format("operation not covered: {}, n:m zeros are of conv and linear",
                           weight.consumers.front().op);
    if (!isCovered(bundle, weight))
        return "operation not covered: " + weight.consumers.front().op;
    const codec::Operand *data = weight.operand(codec::PartRole::Data);
    if (data && data->place && data->place->isLiteral())
        return "a literal of the program";
    if (weight.consumers.size() > 1)
        return fmt::format("shared: {}", counted(weight.consumers.size(), "reader"));
    return coreAi ? "not told (see the known faults of the writer)" : "not told";
}

/// What is dense is let stay so, where a compressed form is expected.
bool mayStay(const Bundle &bundle, const Weight &weight, const ExpectedForm &rule)
{
    return weight.form.isDense() && !isDenseForm(rule.form) &&
           (weight.elements.value <= rule.threshold.value_or(usualThreshold(bundle)) ||
            (!rule.vectors && isVector(weight)));
}

/// Short word of what a weight is stored as: "palette4", "sparse+int8", "dense-fp16".
std::string coveredForm(const Bundle &bundle, std::size_t index)
{
    const Weight &weight = bundle.weights()[index];
    const Stored stored = storedOf(weight);
    std::string text = stored.sparse ? "sparse" : "";
    const auto add = [&text](const std::string &word) { text += text.empty() ? word : "+" + word; };
    if (stored.palette)
        add(fmt::format("palette{}", stored.bits));
    if (stored.vector > 1)
        add(fmt::format("vector{}", stored.vector));
    for (const std::uint64_t group : stored.groups)
        add(fmt::format("groups{}", group));
    if (stored.scaled)
        add(stored.palette ? "scales" : std::string(elementTypeName(stored.codes)));
    for (const std::uint64_t block : stored.blocks)
        add(fmt::format("blocks{}", block));
    if (stored.scaled && !stored.palette && stored.one)
        add("tensor");
    return text.empty() ? formText(weight.form) : text;
}

} // namespace

bool takesPatterns(const Bundle &bundle, const Weight &weight)
{
    return isOfCoreAi(bundle) || std::ranges::all_of(weight.consumers, [](const Consumer &each) {
               return (each.op == "conv" || each.op == "linear") && each.param == "weight";
           });
}

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

std::vector<std::optional<PartnerForm>> partnerForms(const Bundle &sibling,
                                                     std::span<const std::size_t> partners)
{
    std::vector<std::optional<PartnerForm>> forms(partners.size());
    for (std::size_t i = 0; i < partners.size(); ++i) {
        if (partners[i] >= sibling.weights().size())
            continue;
        const Weight &partner = sibling.weights()[partners[i]];
        forms[i] = {isKnown(partner) ? coveredForm(sibling, partners[i]) : std::string(),
                    partner.storedBytes.value};
    }
    return forms;
}

Coverage coverageOf(const Bundle &bundle, const CoverageRules &rules,
                    const std::vector<bool> &asked)
{
    Coverage coverage;
    const Totals totals = bundle.totals();
    coverage.storedBytes = totals.storedBytes.value;
    coverage.parameters = totals.denseFp16Bytes.value / 2;
    const CompressedWeights compressed = compressedWeights(bundle);
    std::vector<bool> used(rules.expected.size());
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        if (!asked.empty() && !asked[i])
            continue;
        const Weight &weight = bundle.weights()[i];
        CoverageRow row;
        row.weight = i;
        row.found = coveredForm(bundle, i);
        if (knownStoredBytes(weight) && weight.elements.value > 0)
            row.bits = 8 * static_cast<double>(weight.storedBytes.value) /
                       static_cast<double>(weight.elements.value);
        const ExpectedForm *rule = nullptr;
        for (const ExpectedForm &each : rules.byOperation) {
            if (each.pattern == "*" ||
                std::ranges::any_of(weight.consumers, [&](const Consumer &c) {
                    return matchesPattern(each.pattern, c.op);
                }))
                rule = &each;
        }
        for (std::size_t j = 0; j < rules.expected.size(); ++j) {
            const ExpectedForm &each = rules.expected[j];
            if (each.names ? !each.names(weight) : !matchesName(weight, each.pattern))
                continue;
            rule = &each;
            used[j] = true;
        }
        const PartnerForm *partner = nullptr;
        if (rule == nullptr && i < rules.ofPartners.size() && rules.ofPartners[i])
            partner = &*rules.ofPartners[i];
        const bool excepted = std::ranges::any_of(
            rules.except, [&](const std::string &pattern) { return matchesName(weight, pattern); });
        if (!excepted)
            row.expected = rule ? rule->form : partner ? partner->form : std::string();
        coverage.judged += !row.expected.empty();
        coverage.excepted += excepted;
        coverage.alone += i < rules.ofPartners.size() && !rules.ofPartners[i] &&
                          row.expected.empty() && !excepted;
        const bool judged = !row.expected.empty() && isKnown(weight);
        if (judged)
            row.kept =
                partner ? row.found == row.expected
                        : hasForm(bundle, weight, row.expected) || mayStay(bundle, weight, *rule);
        if (!row.kept) {
            const std::uint64_t should =
                partner ? partner->bytes : bytesOfForm(weight.elements, row.expected);
            row.extraBytes = weight.storedBytes.value - std::min(should, weight.storedBytes.value);
        }
        if (weight.form.isDense() &&
            (!rules.any() || (!row.expected.empty() && !isDenseForm(row.expected))))
            row.why = leftBecause(bundle, weight, rule, compressed);
        coverage.extraBytes += row.extraBytes;
        coverage.broken += !row.kept;
        coverage.rows.push_back(std::move(row));
    }
    for (std::size_t j = 0; j < used.size(); ++j) {
        if (!used[j])
            coverage.unused.push_back(rules.expected[j].pattern);
    }
    return coverage;
}

CompressionScheme compressionScheme(const Bundle &package)
{
    using Json = nlohmann::json;
    const auto number = [](const Json &json, const char *key) {
        const auto at = json.find(key);
        return at != json.end() && at->is_number_unsigned() ? at->get<std::uint64_t>() : 0;
    };
    const auto word = [](const Json &json, const char *key) {
        const auto at = json.find(key);
        const auto *text = at == json.end() ? nullptr : at->get_ptr<const std::string *>();
        return text ? *text : std::string();
    };
    CompressionScheme scheme;
    for (const mil::ModelDescription &description : package.program()->descriptions) {
        for (const auto &[key, text] : description.metadata) {
            if (key != "compression" || !jsonFits(text))
                continue;
            const Json json = Json::parse(text, nullptr, false);
            if (!json.is_object())
                continue;
            scheme.text = text;
            scheme.compresses = word(json, "form") != "dense";
            scheme.threshold = number(json, "weight_threshold");
            const std::string granularity = word(json, "granularity");
            if (granularity == "per_block")
                scheme.block = std::max<std::uint64_t>(number(json, "block_size"), 1);
            if (granularity == "per_grouped_channel")
                scheme.group = std::max<std::uint64_t>(number(json, "group_size"), 1);
            const auto ratio = json.find("n_m_ratio");
            if (ratio != json.end() && ratio->is_array() && ratio->size() == 2 &&
                (*ratio)[1].is_number_unsigned())
                scheme.pattern = (*ratio)[1].get<std::uint64_t>();
            return scheme;
        }
    }
    scheme.threshold = kCoreAiThreshold;
    scheme.compresses = std::ranges::any_of(package.weights(), [](const Weight &weight) {
        return !weight.fault && !weight.form.isDense() && weight.elements.value > kCoreAiThreshold;
    });
    return scheme;
}

std::optional<std::string> notAsScheme(const Bundle &package, std::size_t index,
                                       const ChannelAxes &axes, const CompressionScheme &scheme)
{
    const Weight &weight = package.weights()[index];
    if (!scheme.compresses || weight.fault || !weight.form.isDense() || weight.shape.size() < 2 ||
        weight.elements.value <= scheme.threshold || !isCovered(package, weight))
        return std::nullopt;
    const auto along = [&](std::size_t axis) {
        return axis < weight.shape.size() ? weight.shape[axis] : 1;
    };
    const std::uint64_t outputs = along(axes.output), inputs = along(axes.input);
    if ((scheme.block > 0 && inputs % scheme.block != 0) ||
        (scheme.group > 0 && outputs % scheme.group != 0) ||
        (scheme.pattern > 0 && (inputs % scheme.pattern != 0 || inputs < 2 * scheme.pattern ||
                                !takesPatterns(package, weight))))
        return std::nullopt;
    std::set<std::string_view> readers;
    for (const Consumer &each : weight.consumers)
        readers.insert(each.op);
    std::size_t like = 0, same = 0, dense = 0;
    for (std::size_t i = 0; i < package.weights().size(); ++i) {
        const Weight &other = package.weights()[i];
        if (i == index || other.fault || other.shape.size() != weight.shape.size() ||
            other.function != weight.function ||
            std::ranges::none_of(other.consumers,
                                 [&](const Consumer &each) { return readers.count(each.op) > 0; }))
            continue;
        const bool smaller = other.elements.value <= weight.elements.value;
        like += smaller && !other.form.isDense();
        same += other.shape == weight.shape && !other.form.isDense();
        dense += other.elements.value >= weight.elements.value && other.form.isDense();
    }
    // Said by the package: a smaller one like it is compressed, or most are. Else one of its shape.
    const bool fits = scheme.text.empty() ? same > dense : like + same > 0 || dense == 0;
    if (!fits || (like + same == 0 && scheme.text.empty()))
        return std::nullopt;
    return scheme.text.empty()
               ? fmt::format("It is not compressed (dense), as {} of its shape and operation {}",
                             same, same == 1 ? "is" : "are")
               : std::string(
                     "It is not compressed: left dense, where the package says that weights "
                     "of its size are");
}

} // namespace kernscope
