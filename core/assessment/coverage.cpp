// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/coverage.h"

#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

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
        for (std::size_t i = 1; i < scale->shape.size(); ++i) {
            if (scale->shape[i] > 1 && scale->shape[i] < weight.shape[i])
                stored.block = weight.shape[i] / scale->shape[i];
        }
    }
    return stored;
}

/// Every word that a weight's form answers to.
std::set<std::string> wordsOf(const Weight &weight)
{
    const Stored stored = storedOf(weight);
    std::set<std::string> words{formText(weight.form)};
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
    while (!form.empty()) {
        const std::string_view part = form.substr(0, form.find('+'));
        form.remove_prefix(std::min(form.size(), part.size() + 1));
        if (words.count(std::string(part)) == 0)
            return false;
    }
    return true;
}

bool matchesName(const Weight &weight, std::string_view pattern)
{
    return matchesPattern(pattern, weight.name) || matchesPattern(pattern, weight.address());
}

/// Why a weight may have been left dense.
std::string leftBecause(const Bundle &bundle, const Weight &weight, const CoverageRules &rules,
                        std::string_view form)
{
    const auto covers = [](std::string_view op) {
        for (const std::string_view word : {"conv", "linear", "matmul", "gather", "einsum", "lstm",
                                            "gru", "rnn", "embedding", "inner_product"}) {
            if (op.find(word) != op.npos)
                return true;
        }
        return false;
    };
    if (weight.elements.value <= rules.threshold)
        return fmt::format("too small: {} elements, from {} on", grouped(weight.elements.value),
                           grouped(rules.threshold));
    if (!isFloatingPoint(weight.type))
        return "no real numbers";
    const std::size_t blocks = form.find("blocks");
    const auto written = blocks == form.npos ? std::nullopt : parseInteger(form.substr(blocks + 6));
    const std::uint64_t block =
        written && *written > 0 ? static_cast<std::uint64_t>(*written) : rules.block;
    if (block > 0 && weight.shape.size() > 1 && weight.shape[1] % block != 0)
        return fmt::format("axis not divisible: {} by blocks of {}", weight.shape[1], block);
    if (rules.group > 0 && !weight.shape.empty() && weight.shape[0] % rules.group != 0)
        return fmt::format("axis not divisible: {} by groups of {}", weight.shape[0], rules.group);
    const bool covered = std::any_of(weight.consumers.begin(), weight.consumers.end(),
                                     [&](const Consumer &consumer) { return covers(consumer.op); });
    if (!weight.consumers.empty() && !covered)
        return "operation not covered: " + weight.consumers.front().op;
    const codec::Operand *data = weight.operand(codec::PartRole::Data);
    if (data && data->place && data->place->isLiteral())
        return "a literal of the program";
    if (weight.consumers.size() > 1)
        return fmt::format("shared: {}", counted(weight.consumers.size(), "reader"));
    return bundle.kind() == BundleKind::Aimodel ? "not told (see the known faults of the writer)"
                                                : "not told";
}

} // namespace

Result<ExpectedForm> readExpectedForm(std::string_view text)
{
    const std::size_t at = text.rfind('=');
    if (at == text.npos || at == 0 || at + 1 == text.size())
        return refused("cli.option", "--expect", "PATTERN=FORM, such as '*=palette4'", text,
                       "An expected form cannot be read");
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

std::string whyDense(const Bundle &bundle, std::size_t index)
{
    const Weight &weight = bundle.weights()[index];
    return weight.form.isDense() ? leftBecause(bundle, weight, {}, {}) : std::string();
}

CoverageRules rulesOf(const Bundle &sibling)
{
    CoverageRules rules;
    rules.threshold = 0;
    for (std::size_t i = 0; i < sibling.weights().size(); ++i) {
        const Weight &weight = sibling.weights()[i];
        if (isKnown(weight))
            rules.expected.push_back({weight.address(), coveredForm(sibling, i)});
    }
    return rules;
}

Coverage coverageOf(const Bundle &bundle, const CoverageRules &rules)
{
    Coverage coverage;
    coverage.storedBytes = bundle.totals().storedBytes.value;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        CoverageRow row;
        row.weight = i;
        row.found = coveredForm(bundle, i);
        if (knownStoredBytes(weight) && weight.elements.value > 0)
            row.bits = 8 * static_cast<double>(weight.storedBytes.value) /
                       static_cast<double>(weight.elements.value);
        coverage.parameters =
            checkedAdd(coverage.parameters, weight.elements.value).value_or(UINT64_MAX);
        for (const ExpectedForm &rule : rules.byOperation) {
            if (rule.pattern == "*" ||
                std::any_of(weight.consumers.begin(), weight.consumers.end(),
                            [&](const Consumer &c) { return matchesPattern(rule.pattern, c.op); }))
                row.expected = rule.form;
        }
        for (const ExpectedForm &rule : rules.expected) {
            if (matchesName(weight, rule.pattern))
                row.expected = rule.form;
        }
        if (std::any_of(rules.except.begin(), rules.except.end(),
                        [&](const std::string &pattern) { return matchesName(weight, pattern); }))
            row.expected.clear();
        // A weight of a bundle that was compressed may stay dense where it is small.
        const bool small = weight.elements.value <= rules.threshold && weight.form.isDense();
        if (!row.expected.empty() && isKnown(weight)) {
            row.kept = small || hasForm(weight, row.expected);
            const auto should =
                packedBytes(weight.elements, ElementType::Uint1).value_or(ByteCount()).value *
                bitsOfForm(row.expected);
            if (!row.kept && weight.storedBytes.value > should)
                row.extraBytes = weight.storedBytes.value - should;
        }
        if (!rules.any())
            row.why = whyDense(bundle, i);
        else if (weight.form.isDense() && row.expected != "dense" && !row.expected.empty())
            row.why = leftBecause(bundle, weight, rules, row.expected);
        coverage.extraBytes += row.extraBytes;
        coverage.broken += !row.kept;
        coverage.rows.push_back(std::move(row));
    }
    return coverage;
}

} // namespace kernscope
