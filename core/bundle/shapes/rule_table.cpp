// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/shapes/rules.h"
#include "core/format/table_rows.h"

#include <algorithm>

namespace kernscope::shapes {

namespace {

struct NamedRule {
    std::string_view name;
    Rule rule;
};

constexpr NamedRule kRules[] = {
    {"same", sameRule},
    {"broadcast", broadcastRule},
    {"reduce", reduceRule},
    {"argument", argumentRule},
    {"conv", convRule},
    {"conv_transpose", convTransposeRule},
    {"pool", poolRule},
    {"linear", linearRule},
    {"matmul", matmulRule},
    {"einsum", einsumRule},
    {"attention", attentionRule},
    {"recurrent", recurrentRule},
    {"reshape", reshapeRule},
    {"flatten", flattenRule},
    {"transpose", transposeRule},
    {"expand_dims", expandDimsRule},
    {"squeeze", squeezeRule},
    {"concat", concatRule},
    {"stack", stackRule},
    {"split", splitRule},
    {"pad", padRule},
    {"tile", tileRule},
    {"block", blockRule},
    {"batch", batchRule},
    {"slice_by_index", sliceByIndexRule},
    {"slice_by_size", sliceBySizeRule},
    {"sliding_windows", slidingWindowsRule},
    {"gather", gatherRule},
    {"gather_nd", gatherNdRule},
    {"topk", topkRule},
    {"suppression", suppressionRule},
    {"upsample", upsampleRule},
    {"resize", resizeRule},
    {"resample", resampleRule},
    {"filled", filledRule},
    {"list_gather", listGatherRule},
    {"list_scatter", listScatterRule},
    {"scalar", scalarRule},
    {"shape", shapeRule},
    {"range", rangeRule},
    {"one_hot", oneHotRule},
    {"drawn", drawnRule},
    {"dense", denseRule},
    {"palette", paletteRule},
    {"survivors", survivorsRule},
};

Operands wordsOf(std::string_view text)
{
    Operands words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end > 0)
            words.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

using Table = std::map<std::string, RuleRow, std::less<>>;

const Table &table()
{
    static const Table made = [] {
        Table rows;
        const auto csv = tables::load("shape_rules");
        for (std::size_t row = 0; csv && row < csv->rows(); ++row)
            rows.emplace(csv->cell(row, "operation"), RuleRow{ruleByName(csv->cell(row, "rule")),
                                                              wordsOf(csv->cell(row, "operands"))});
        return rows;
    }();
    return made;
}

} // namespace

Rule ruleByName(std::string_view name)
{
    for (const NamedRule &each : kRules) {
        if (each.name == name)
            return each.rule;
    }
    return nullptr;
}

const RuleRow *ruleOf(std::string_view operation)
{
    const auto found = table().find(operation);
    return found == table().end() || !found->second.rule ? nullptr : &found->second;
}

std::vector<std::string> rowsWithoutRule()
{
    std::vector<std::string> names;
    for (const auto &[operation, row] : table()) {
        if (!row.rule)
            names.push_back(operation);
    }
    return names;
}

} // namespace kernscope::shapes
