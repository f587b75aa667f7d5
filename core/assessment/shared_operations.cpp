// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/shared_operations.h"

#include "core/assessment/entries.h"
#include "core/base/quantity.h"
#include "core/bundle/bundle.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace kernscope {

namespace {

using roofline::Layer;

using OperationKey = std::array<std::string, 3>; ///< address of the function, type, name

/// Counts the operations that `counts` has a key of: the names of all others would take as much
/// memory as the program.
void countOperations(const mil::Block &block, const std::string &function,
                     std::map<OperationKey, std::size_t> &counts)
{
    for (const mil::Operation &operation : block.operations) {
        const auto asked = counts.find({function, operation.type, operation.displayName()});
        if (asked != counts.end())
            ++asked->second;
        for (const mil::Block &body : operation.blocks)
            countOperations(body, function, counts);
    }
}

/// The layer that reads the operand; null where none does.
Layer *readerOf(const std::vector<Layer *> &group, std::string_view param)
{
    const auto found = std::find_if(group.begin(), group.end(),
                                    [param](const Layer *layer) { return layer->param == param; });
    return found == group.end() ? nullptr : *found;
}

/// Query times key is one product, also where both are weights.
void shareAttention(const std::vector<Layer *> &group)
{
    Layer *query = readerOf(group, "query"), *key = readerOf(group, "key");
    // What a value or key is multiplied with is the query: of a query that is a weight, the key.
    if (query != nullptr)
        group.front()->inputBytes = key != nullptr ? 0 : query->inputBytes;
    if (query != nullptr && key != nullptr)
        (query == group.front() ? key : query)->flops = 0;
}

/// Layers of one operation that have the weight of another of them: it is read once, so they are
/// no layers of their own. The first has the arithmetic of all.
void findRepeated(const std::vector<Layer *> &group, std::set<const Layer *> &repeated)
{
    std::map<std::size_t, Layer *> readers;
    for (Layer *layer : group) {
        const auto [first, isNew] = readers.emplace(layer->weight, layer);
        if (isNew)
            continue;
        auto &flops = first->second->flops;
        flops = flops && layer->flops ? checkedAdd(*flops, *layer->flops) : std::nullopt;
        repeated.insert(layer);
    }
}

void shareOne(const std::vector<Layer *> &group)
{
    const std::string &op = group.front()->op;
    if (op == "scaled_dot_product_attention")
        shareAttention(group);
    const bool product = op == "matmul" || op == "einsum";
    if (product) // each operand is the other's input, and is a weight
        group.front()->inputBytes = 0;
    for (Layer *layer : group) {
        if (layer == group.front())
            continue;
        layer->inputBytes = layer->outputBytes = 0;
        if (product)
            layer->flops = 0;
    }
}

} // namespace

void shareOperations(const Bundle &bundle, std::vector<Layer> &layers)
{
    std::map<OperationKey, std::vector<Layer *>> groups;
    for (Layer &layer : layers) {
        const Consumer &consumer = bundle.weights()[layer.weight].consumers[layer.consumer];
        if (!consumer.name.empty())
            groups[{layer.function, layer.op, consumer.name}].push_back(&layer);
    }
    std::erase_if(groups, [](const auto &group) { return group.second.size() < 2; });
    if (groups.empty())
        return;
    std::map<OperationKey, std::size_t> counts;
    for (const auto &[key, group] : groups)
        counts.emplace(key, 0);
    const auto program = bundle.program();
    for (const mil::Function &function : program->functions)
        countOperations(function.body, functionAddress(function.model, function.name), counts);
    std::set<const Layer *> repeated;
    for (const auto &[key, group] : groups) {
        const auto count = counts.find(key);
        if (count == counts.end() || count->second != 1)
            continue;
        shareOne(group);
        findRepeated(group, repeated);
    }
    if (repeated.empty())
        return;
    std::vector<Layer> once;
    for (Layer &layer : layers) {
        if (!repeated.contains(&layer))
            once.push_back(std::move(layer));
    }
    layers = std::move(once);
}

} // namespace kernscope
