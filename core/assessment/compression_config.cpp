// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/compression_config.h"

#include "core/base/csv.h"
#include "core/base/error_builder.h"
#include "core/bundle/weight.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace kernscope {

namespace {

using YAML::Node;
using YamlEntries = std::vector<std::pair<std::string, Node>>;
using Keys = std::span<const std::string_view>;

constexpr std::size_t kMostValues = 500'000; ///< of a file
constexpr std::size_t kMostBlocks = 64;      ///< axes of a weight

/// Of the file; one of coreai-opt stands under a key of its own.
constexpr std::array<std::string_view, 10> kFileKeys{
    "config_type",         "global_config",         "op_type_configs",      "op_name_configs",
    "module_name_configs", "module_type_configs",   "preserved_attributes", "execution_mode",
    "sparsity_schedule",   "kv_cache_quant_configs"};
/// Of a module of coreai-opt.
constexpr std::array<std::string_view, 12> kModuleKeys{
    "op_input_spec",  "op_output_spec",    "op_state_spec",        "op_type_config",
    "op_name_config", "module_input_spec", "module_output_spec",   "module_state_spec",
    "qat_schedule",   "pat_schedule",      "vector_kmeans_config", "sparsity_schedule"};
/// Of what coreai-opt does to a tensor.
constexpr std::array<std::string_view, 18> kSpecKeys{"dtype",
                                                     "qscheme",
                                                     "qformulation",
                                                     "granularity",
                                                     "fake_quantize_cls",
                                                     "qparam_calculator_cls",
                                                     "range_calculator_cls",
                                                     "float_range",
                                                     "scale_dtype",
                                                     "n_bits",
                                                     "lut_qspec",
                                                     "cluster_dim",
                                                     "enable_per_channel_scale",
                                                     "training_strategy_spec",
                                                     "sparsity_detection_threshold",
                                                     "target_sparsity",
                                                     "pruning_scheme",
                                                     "pruning_algo"};
/// Of what coremltools does to the weights of an operation.
constexpr std::array<std::string_view, 18> kOperationKeys{"config_type",
                                                          "mode",
                                                          "dtype",
                                                          "granularity",
                                                          "block_size",
                                                          "weight_threshold",
                                                          "threshold",
                                                          "minimum_sparsity_percentile",
                                                          "target_sparsity",
                                                          "n_m_ratio",
                                                          "dim",
                                                          "nbits",
                                                          "lut_function",
                                                          "group_size",
                                                          "channel_axis",
                                                          "cluster_dim",
                                                          "enable_per_channel_scale",
                                                          "num_kmeans_workers"};
constexpr std::array<std::string_view, 4> kGranularityKeys{"type", "axis", "block_size",
                                                           "group_size"};

/// Caught where the file is read: readCompressionConfig().
[[noreturn]] void fail(const Node &at, const std::string &found)
{
    throw YAML::RepresentationException(at.Mark(), found);
}

/// What stands in a mapping, in its order; only keys that are known where any are given.
YamlEntries entriesOf(const Node &map, Keys known = {})
{
    if (map.IsNull())
        return {};
    if (!map.IsMap())
        fail(map, "no mapping of keys");
    YamlEntries entries;
    std::set<std::string> seen;
    for (const auto &entry : map) {
        const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string();
        if (key.empty() || key == "<<")
            fail(entry.first, "a key that is no name");
        if (!seen.insert(key).second)
            fail(entry.first, fmt::format("\"{}\" for the second time", key));
        if (!known.empty() && std::ranges::find(known, key) == known.end())
            fail(entry.first, fmt::format("\"{}\", which is no key here", key));
        entries.emplace_back(key, entry.second);
    }
    return entries;
}

/// Null where there is none.
Node member(const YamlEntries &entries, std::string_view key)
{
    const auto found =
        std::ranges::find_if(entries, [key](const auto &entry) { return entry.first == key; });
    return found == entries.end() ? Node() : found->second;
}

/// YAML tells a number from text in quotation marks by this tag.
bool isQuoted(const Node &node)
{
    return node.Tag() == "!";
}

std::int64_t integerOf(const Node &node, std::int64_t least)
{
    const auto number =
        node.IsScalar() && !isQuoted(node) ? parseInteger(node.Scalar()) : std::nullopt;
    if (!number || *number < least)
        fail(node, fmt::format("no whole number from {} on", least));
    return *number;
}

std::string scalarText(const Node &node)
{
    if (node.IsNull())
        return {};
    if (!node.IsScalar())
        fail(node, "no text");
    return node.Scalar();
}

/// Words of a form, joined by "+".
class Form
{
public:
    void add(std::string_view word) { text += (text.empty() ? "" : "+") + std::string(word); }
    std::string text;
};

/// Blocks and groups: of every axis, or a number of elements along the inputs or outputs.
void addGranularity(Form &form, ExpectedForm &rule, const Node &said, const YamlEntries &around)
{
    const bool own = said.IsMap(); // coreai-opt
    const YamlEntries from = own ? entriesOf(said, kGranularityKeys) : around;
    const Node named = own ? member(from, "type") : said;
    const std::string kind = scalarText(named);
    const auto extent = [&from](const char *key) {
        constexpr std::int64_t kUsual = 32; // of coremltools
        const Node size = member(from, key);
        return size.IsNull() ? kUsual : integerOf(size, 1);
    };
    const Node sizes = member(from, "block_size");
    if (kind == "per_tensor") {
        form.add("tensor");
    } else if (kind == "per_channel") {
        form.add("channels");
    } else if (kind == "per_grouped_channel") {
        form.add(fmt::format("groups{}", extent("group_size")));
    } else if (kind == "per_block" && sizes.IsSequence()) {
        for (const Node &each : sizes) {
            const std::int64_t size = std::max<std::int64_t>(integerOf(each, -1), 0); // 0: all
            if (rule.blocks.size() == kMostBlocks)
                fail(each, fmt::format("blocks along more than {} axes", kMostBlocks));
            rule.blocks.push_back(static_cast<std::uint64_t>(size));
            if (size > 1)
                form.add(fmt::format("blocks{}", size));
        }
    } else if (kind == "per_block") {
        form.add(fmt::format("blocks{}", extent("block_size")));
    } else {
        fail(named, fmt::format("\"{}\", which is no granularity", kind));
    }
    const Node axis = member(from, own ? "axis" : "channel_axis");
    if (!axis.IsNull())
        rule.axis = integerOf(axis, INT32_MIN);
}

std::string typeWord(const Node &node)
{
    const std::string text = scalarText(node);
    const ElementType type = anyElementTypeFromName(text.substr(text.rfind('.') + 1));
    if (type == ElementType::Unknown)
        fail(node, fmt::format("\"{}\", which is no type", text));
    return std::string(elementTypeName(type));
}

bool isTrue(const YamlEntries &entries, std::string_view key)
{
    const Node node = member(entries, key);
    return !node.IsNull() && node.as<bool>();
}

/// "sparse75": of the elements a share, or n of each m along an axis.
std::string sparseWord(const YamlEntries &entries)
{
    const Node share = member(entries, "target_sparsity"), ratio = member(entries, "n_m_ratio");
    double left = 0;
    if (!share.IsNull())
        left = share.as<double>();
    else if (ratio.IsSequence() && ratio.size() == 2)
        left = static_cast<double>(integerOf(ratio[0], 0)) /
               static_cast<double>(integerOf(ratio[1], 1));
    if (!(left >= 0 && left <= 1))
        fail(share.IsNull() ? ratio : share, "no share from 0 to 1");
    const long percent = std::lround(std::floor(100 * left));
    return percent == 0 ? "sparse" : fmt::format("sparse{}", percent);
}

/// What one tensor becomes. `type`: that of the file, "OpPalettizerConfig".
void addForm(ExpectedForm &rule, const Node &spec, Keys keys, std::string type)
{
    const YamlEntries entries = entriesOf(spec, keys);
    const auto has = [&entries](std::string_view key) { return !member(entries, key).IsNull(); };
    const bool coreAi = keys.data() == kSpecKeys.data();
    if (has("config_type"))
        type = scalarText(member(entries, "config_type"));
    std::string mode = scalarText(member(entries, "mode")); // either case is taken
    std::ranges::transform(mode, mode.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const char *bits = coreAi ? "n_bits" : "nbits";
    const bool linear = has("dtype") || mode.starts_with("linear") || type.starts_with("OpLinear");
    const bool palette = has(bits) || (!mode.empty() && !linear) || type.starts_with("OpPalett");
    Form form;
    if (has("target_sparsity") || has("n_m_ratio") || has("threshold") ||
        type.ends_with("PrunerConfig"))
        form.add(sparseWord(entries));
    if (palette)
        form.add(has(bits) ? fmt::format("palette{}", integerOf(member(entries, bits), 1))
                           : "palette");
    else if (linear)
        form.add(has("dtype") ? typeWord(member(entries, "dtype")) : "int8");
    if (form.text.empty())
        fail(spec, "nothing that says what becomes of a weight");
    if (palette && has("cluster_dim") && integerOf(member(entries, "cluster_dim"), 1) > 1)
        form.add(fmt::format("vector{}", integerOf(member(entries, "cluster_dim"), 1)));
    if (has("granularity"))
        addGranularity(form, rule, member(entries, "granularity"), entries);
    else if (palette || (linear && !coreAi))
        form.add(palette ? "tensor" : "channels");         // what both tools take
    if (linear && !palette && !coreAi && mode != "linear") // what coremltools takes
        form.add("symmetric");
    if (isTrue(entries, "enable_per_channel_scale") || has("lut_qspec"))
        form.add("scales");
    if (const auto wrong = unknownFormWord(form.text))
        fail(spec, *wrong + ", which no weight has");
    rule.form = form.text;
    rule.patterns = has("n_m_ratio");
    constexpr std::int64_t kFewest = 10; // coremltools writes fewer elements into the program
    if (has("weight_threshold"))
        rule.threshold = static_cast<std::uint64_t>(
            std::max(integerOf(member(entries, "weight_threshold"), 0), kFewest - 1));
}

/// Maps that are null or without entries say nothing.
void refuseUnlessEmpty(const YamlEntries &entries, std::string_view key, const char *why)
{
    const Node node = member(entries, key);
    if (!node.IsNull() && !(node.IsMap() && node.size() == 0))
        fail(node, fmt::format("\"{}\": {}", key, why));
}

/// Of null nothing is to be compressed.
void addTensor(ExpectedForm &rule, const Node &spec)
{
    if (spec.IsNull())
        rule.form = "dense";
    else
        addForm(rule, spec, kSpecKeys, {});
}

/// The form stays empty where nothing is said of weights.
ExpectedForm ruleOf(const std::string &pattern, const Node &config, const std::string &type)
{
    ExpectedForm rule{pattern, {}, kCoremltoolsThreshold, false};
    const auto isOfModule = [&config](std::string_view key) {
        return config[std::string(key)].IsDefined();
    };
    if (config.IsNull()) {
        rule.form = "dense";
    } else if (!config.IsMap() || std::ranges::none_of(kModuleKeys, isOfModule)) {
        addForm(rule, config, kOperationKeys, type);
    } else {
        rule.threshold = kCoreAiThreshold;
        const YamlEntries entries = entriesOf(config, kModuleKeys);
        for (const char *key : {"op_type_config", "op_name_config"})
            refuseUnlessEmpty(entries, key, "forms by operations within modules are not read");
        for (const auto &[key, states] : entries) {
            if (key != "op_state_spec" && key != "module_state_spec")
                continue;
            if (states.IsNull())
                addTensor(rule, states);
            for (const char *tensor : {"*", "weight"}) {
                for (const auto &[name, spec] : entriesOf(states)) {
                    if (name == tensor)
                        addTensor(rule, spec);
                }
            }
        }
    }
    return rule;
}

using Matcher = std::function<bool(const Weight &)>;

/// Whether a text is the name, or that and what coremltools adds to it.
bool isNameWithSuffixes(std::string_view text, std::string_view name)
{
    if (!text.starts_with(name))
        return false;
    text.remove_prefix(name.size());
    while (!text.empty()) {
        const std::string_view suffix = text.substr(0, text.find('_', 1));
        if (suffix != "_quantized" && suffix != "_palettized" && suffix != "_sparsified" &&
            suffix != "_pcs")
            return false;
        text.remove_prefix(suffix.size());
    }
    return true;
}

/// By the name of an operation that reads the weight, or of the one that makes it.
Matcher namesOperation(const std::string &name)
{
    return [name](const Weight &weight) {
        const auto isReader = [&name](const Consumer &consumer) { return consumer.name == name; };
        return std::ranges::any_of(weight.consumers, isReader) ||
               isNameWithSuffixes(weight.name, name) || isNameWithSuffixes(weight.opName(), name);
    };
}

/// Expressions follow all ways at once: neither deeper nor longer the more of them there are.
#ifdef __GLIBCXX__
constexpr auto kInBoundedTime = std::regex::ECMAScript | std::regex_constants::__polynomial;
#else
constexpr auto kInBoundedTime = std::regex::ECMAScript;
#endif

/// By the whole name of a module or of one that it is in, as a regular expression: coreai-opt asks
/// re.fullmatch(). In a program "layers.0.fc" is "layers_0_fc" as well.
Matcher namesModule(std::string name, const Node &at)
{
    // What a short expression without written-out repetitions takes for a short name is bounded.
    constexpr std::size_t kMost = 256;
    if (name.size() > kMost)
        fail(at, "the name of a module of more than 256 characters");
    for (std::size_t i = 0; (i = name.find("\\.", i)) != name.npos; i += 4)
        name.replace(i, 2, "[._]");
    std::regex pattern;
    std::size_t looks = 0; // each tries all of the rest again
    for (const char *ahead : {"(?=", "(?!"})
        looks += name.find(ahead) != name.npos ? 1 + (name.find(ahead) != name.rfind(ahead)) : 0;
    try {
        bool refers = false; // the library counts digits without a bound
        for (std::size_t i = 0; (i = name.find('\\', i)) < name.size() - 1; i += 2)
            refers = refers || (name[i + 1] >= '0' && name[i + 1] <= '9');
        if (refers || looks > 1 || name.find('{') != name.npos)
            throw std::regex_error(std::regex_constants::error_brace);
        pattern = std::regex(name, kInBoundedTime);
    } catch (const std::regex_error &) {
        fail(at, fmt::format("\"{}\", which is no regular expression without {{n}}, references and "
                             "two lookaheads",
                             name));
    }
    return [pattern](const Weight &weight) {
        const std::string own = weight.name.substr(0, kMost);
        for (std::size_t end = own.size(); end != own.npos && end > 0;
             end = own.find_last_of("._/", end - 1)) {
            const std::string_view rest = std::string_view(own).substr(end);
            // "fc" is not the module of "fc_1_weight", but in names with points parts are modules.
            const bool module = rest.empty() || rest.front() != '_' ||
                                rest.starts_with("_weight") || rest.starts_with("_bias");
            if (module && std::regex_match(own.substr(0, end), pattern))
                return true;
        }
        return false;
    };
}

/// Values with those that stand behind aliases, each time that one is used: reading takes as long.
void countValues(const Node &node, std::size_t &left, unsigned rank = 0)
{
    constexpr unsigned kDeepest = 8; // nothing is read below
    if (left-- == 0)
        fail(node, fmt::format("more than {} values, with those of aliases", kMostValues));
    if (rank == kDeepest || node.IsScalar())
        return;
    for (const auto &entry : node) {
        if (node.IsMap())
            countValues(entry.second, left, rank + 1);
        else
            countValues(entry, left, rank + 1);
    }
}

/// Keeps nothing of a document, that others may be looked for behind it: what yaml-cpp itself loads
/// them with does not end where one begins with a comma or a bracket that was not opened.
class Nothing : public YAML::EventHandler
{
    using Mark = YAML::Mark;
    using Style = YAML::EmitterStyle::value;
    void OnDocumentStart(const Mark &) override {}
    void OnDocumentEnd() override {}
    void OnNull(const Mark &, YAML::anchor_t) override {}
    void OnAlias(const Mark &, YAML::anchor_t) override {}
    void OnScalar(const Mark &, const std::string &, YAML::anchor_t, const std::string &) override
    {
    }
    void OnSequenceStart(const Mark &, const std::string &, YAML::anchor_t, Style) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(const Mark &, const std::string &, YAML::anchor_t, Style) override {}
    void OnMapEnd() override {}
};

Result<CoverageRules> readRules(const Node &root)
{
    std::size_t left = kMostValues;
    countValues(root, left);
    Node file = root;
    if (file.IsMap() && file.size() == 1 && file.begin()->second.IsMap()) {
        const Node inner = file.begin()->second; // coreai-opt writes all of it under one key
        for (const char *key : {"global_config", "module_name_configs", "module_type_configs"}) {
            if (inner[key].IsDefined()) {
                file.reset(inner);
                break;
            }
        }
    }
    const YamlEntries entries = entriesOf(file, kFileKeys);
    refuseUnlessEmpty(entries, "module_type_configs", "no program tells the types of its modules");
    const std::string type = scalarText(member(entries, "config_type"));
    CoverageRules rules;
    for (const auto &[key, part] : entries) {
        // A rule for an operation counts more than that for all: names count most.
        if (key == "global_config")
            rules.byOperation.insert(rules.byOperation.begin(), ruleOf("*", part, type));
        if (key == "op_type_configs") {
            for (const auto &[name, config] : entriesOf(part))
                rules.byOperation.push_back(ruleOf(name, config, type));
        }
        if (key == "op_name_configs" || key == "module_name_configs") {
            for (const auto &[name, config] : entriesOf(part)) {
                rules.expected.push_back(ruleOf(name, config, type));
                rules.expected.back().names =
                    key == "op_name_configs" ? namesOperation(name) : namesModule(name, config);
            }
        }
    }
    if (!rules.any())
        fail(file, "no global_config, and none for operations or names");
    return rules;
}

} // namespace

Result<CoverageRules> readCompressionConfig(std::string_view text, const std::string &file)
{
    const auto refuse = [&](int line, std::string found) {
        return refused({file}, "coverage.config",
                       line > 0 ? fmt::format("line {}", line) : std::string(),
                       "a configuration of coremltools or coreai-opt, JSON or YAML",
                       std::move(found), "The configuration of compression cannot be read");
    };
    constexpr std::size_t kMostText = 1U << 20;
    if (text.size() > kMostText)
        return refuse(0, "more than 1 MiB");
    try {
        const std::string whole(text);
        std::istringstream in(whole);
        YAML::Parser parser(in);
        Nothing none;
        if (!parser.HandleNextDocument(none))
            return refuse(0, "no document");
        if (parser.HandleNextDocument(none))
            return refuse(0, "more than one document");
        return readRules(YAML::Load(whole));
    } catch (const YAML::Exception &fault) { // nothing else that it throws leaves this file
        return refuse(fault.mark.line + 1, fault.msg);
    }
}

} // namespace kernscope
