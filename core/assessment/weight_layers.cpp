// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_layers.h"

#include "core/assessment/consumer_kinds.h"
#include "core/bundle/build_facts.h"

namespace kernscope {

namespace {

std::optional<std::uint64_t> halfBytes(const std::optional<Shape> &shape)
{
    const auto count = shape ? elementCount(*shape) : std::nullopt;
    return count ? checkedMultiply(count->value, 2) : std::nullopt;
}

/// The share of a table's rows that a gather fetches: a row an index, all at most.
std::optional<double> shareRead(const Weight &weight, const Consumer &consumer)
{
    const auto output =
        consumer.geometry.output ? elementCount(*consumer.geometry.output) : std::nullopt;
    if (!output || weight.elements.value == 0)
        return std::nullopt;
    return std::min(1.0, static_cast<double>(output->value) /
                             static_cast<double>(weight.elements.value));
}

/// The layer without the weight's form and its runs.
roofline::Layer bareLayer(const Weight &weight, std::size_t index, std::size_t consumer)
{
    const Consumer &reader = weight.consumers[consumer];
    roofline::Layer layer;
    layer.name = layerName(weight, consumer);
    layer.op = reader.op;
    layer.weight = index;
    layer.consumer = consumer;
    layer.param = reader.param;
    layer.flops = reader.layerFlops;
    layer.inputBytes = halfBytes(reader.geometry.input);
    layer.outputBytes = halfBytes(reader.geometry.output);
    layer.function = functionAddress(weight.model, weight.function);
    layer.model = weight.model;
    return layer;
}

/// The same for all layers of an operation; seldom for others.
std::size_t operationHash(const std::string &function, const Consumer &consumer)
{
    const std::hash<std::string> hash;
    return hash(function) ^ (hash(consumer.op) * 31) ^ (hash(consumer.name) * 1'000'003);
}

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
    const auto found = std::ranges::find(group, param, &Layer::param);
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

/// The text of an operand that is a string; empty where there is none.
std::string textOf(const mil::Operation &operation, std::string_view name)
{
    const mil::ProgramValue *value = operation.operand(name);
    const mil::Literal *literal = value != nullptr ? value->literal() : nullptr;
    return literal && literal->strings.size() == 1 ? literal->strings.front() : std::string();
}

using Times = std::optional<std::uint64_t>;

Times sumOfTimes(const Times &a, const Times &b)
{
    return a && b ? checkedAdd(*a, *b) : std::nullopt;
}

Times timesProduct(const Times &a, const Times &b)
{
    return a && b ? checkedMultiply(*a, *b) : std::nullopt;
}

} // namespace

std::string functionAddress(const std::string &model, const std::string &function)
{
    if (model.empty() || function.empty())
        return model + function;
    return model + "/" + function;
}

/// The calls of functions of the same model, in order.
void Entries::readCalls(const mil::Block &block, const std::string &model, bool counted,
                        std::vector<Call> &calls) const
{
    for (const mil::Operation &operation : block.operations) {
        if (operation.type == "call") {
            const auto found = m_numbers.find({model, textOf(operation, "function")});
            if (found != m_numbers.end())
                calls.push_back({found->second, counted, textOf(operation, "backend")});
        }
        for (const mil::Block &body : operation.blocks)
            readCalls(body, model, false, calls);
    }
}

Entries::Entries(const mil::Program &program)
{
    const std::size_t count = program.functions.size();
    for (std::size_t i = 0; i < count; ++i) {
        const mil::Function &function = program.functions[i];
        m_numbers.emplace(std::pair(function.model, function.name), i);
        m_addresses.push_back(functionAddress(function.model, function.name));
    }
    m_calls.resize(count);
    m_reached.resize(count);
    std::vector<bool> called(count, false);
    for (std::size_t i = 0; i < count; ++i) {
        readCalls(program.functions[i].body, program.functions[i].model, true, m_calls[i]);
        for (const Call &call : m_calls[i])
            called[call.function] = called[call.function] || call.function != i;
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (!called[i])
            follow(i);
    }
}

/// All functions that a run of `first` reaches, itself first, with or without the calls that
/// launch; empty where there are too many.
std::vector<std::size_t> Entries::calledFrom(std::size_t first, bool launches) const
{
    std::vector<std::size_t> order{first};
    std::unordered_set<std::size_t> seen{first};
    std::size_t steps = m_steps;
    for (std::size_t at = 0; at < order.size(); ++at) {
        for (const Call &call : m_calls[order[at]]) {
            if (++steps > kMostSteps)
                return {};
            if ((launches || call.backend.empty()) && seen.insert(call.function).second)
                order.push_back(call.function);
        }
    }
    return order;
}

/// The runs of every function in one run of `first`: a function is done once all that call it are,
/// which functions in a ring never are.
Entries::Counts Entries::countFrom(std::size_t first, bool launches)
{
    const std::vector<std::size_t> functions = calledFrom(first, launches);
    if (functions.empty())
        m_steps = kMostSteps;
    Counts times;
    std::unordered_map<std::size_t, std::size_t> open; ///< calls that are not followed yet
    for (const std::size_t function : functions) {
        times.emplace(function, 0);
        for (const Call &call : m_calls[function])
            open[call.function] += launches || call.backend.empty() ? 1U : 0U;
        m_steps += 1 + m_calls[function].size();
    }
    std::vector<std::size_t> ready;
    if (!functions.empty() && open[first] == 0) {
        times[first] = 1;
        ready.push_back(first);
    }
    while (!ready.empty()) {
        const std::size_t function = ready.back();
        ready.pop_back();
        for (const Call &call : m_calls[function]) {
            if (!launches && !call.backend.empty())
                continue;
            Times &sum = times[call.function];
            sum = sumOfTimes(sum, call.counted ? times[function] : std::nullopt);
            if (--open[call.function] == 0)
                ready.push_back(call.function);
        }
    }
    for (auto &[function, count] : times) {
        if (open[function] > 0)
            count.reset();
    }
    return times;
}

/// Notes the runs of every function in one run of `entry`, by the launch that they are part of.
void Entries::follow(std::size_t entry)
{
    const Counts runs = countFrom(entry, true);
    if (runs.empty())
        return;
    std::map<std::pair<std::size_t, std::string>, Times> launches{{{entry, {}}, runs.at(entry)}};
    Times all = 0; ///< launches of the engine that calls name
    for (const auto &[function, times] : runs) {
        for (const Call &call : m_calls[function]) {
            if (call.backend.empty())
                continue;
            Times more;
            if (call.counted)
                more = times;
            Times &sum = launches.try_emplace({call.function, call.backend}, 0).first->second;
            sum = sumOfTimes(sum, more);
            if (call.backend == roofline::kEngineBackend)
                all = sumOfTimes(all, more);
        }
    }
    for (const auto &[launch, times] : launches) {
        for (const auto &[function, within] : countFrom(launch.first, false))
            m_reached[function].push_back(
                {entry, launch.first, launch.second, timesProduct(times, within), times, all});
    }
}

std::vector<roofline::LayerRun> Entries::runsOf(const std::string &model,
                                                const std::string &function) const
{
    const auto number = m_numbers.find({model, function});
    if (number == m_numbers.end())
        return {{functionAddress(model, function)}};
    const std::vector<Reached> &reached = m_reached[number->second];
    if (reached.empty() || reached.size() > kMostEntries) {
        const std::string &address = m_addresses[number->second];
        return {{address, std::nullopt, address}};
    }
    std::vector<roofline::LayerRun> runs;
    for (const Reached &each : reached)
        runs.push_back({m_addresses[each.entry], each.times, m_addresses[each.launch], each.backend,
                        each.launches, each.allLaunches});
    return runs;
}

std::vector<roofline::LayerRun> runsOf(const Entries &entries, const Weight &weight,
                                       const Consumer &consumer)
{
    std::vector<roofline::LayerRun> runs = entries.runsOf(weight.model, weight.function);
    const std::string &selected = consumer.backends.selected;
    for (roofline::LayerRun &run : runs) {
        if (run.backend.empty() && !selected.empty())
            run.backend = selected == roofline::kEngineBackend ? std::string() : selected;
        if (consumer.geometry.insideLoop)
            run.times.reset();
    }
    return runs;
}

// The layers that read a bundle's weights.

const std::string &layerName(const Weight &weight, std::size_t consumer)
{
    const std::string &reader = weight.consumers[consumer].name;
    return reader.empty() ? weight.name : reader;
}

LayerReader::LayerReader(const Bundle &bundle) : m_bundle(bundle), m_entries(*bundle.program())
{
    findFunctions();
    findShared(mayShare());
}

void LayerReader::findFunctions()
{
    const Weight *first = nullptr;
    for (const Weight &weight : m_bundle.weights()) {
        if (!std::ranges::any_of(weight.consumers, isLayer))
            continue;
        if (first == nullptr)
            first = &weight;
        m_several |= functionAddress(weight.model, weight.function) !=
                     functionAddress(first->model, first->function);
        if (m_several)
            return;
    }
}

/// Layers whose operation has another one, and some that only have its hash.
LayerReader::Places LayerReader::mayShare() const
{
    struct Reading {
        std::size_t hash, weight, consumer;
    };
    std::vector<Reading> readings;
    for (std::size_t i = 0; i < weights(); ++i) {
        const Weight &weight = m_bundle.weights()[i];
        const std::string function = functionAddress(weight.model, weight.function);
        for (std::size_t c = 0; c < weight.consumers.size(); ++c) {
            const Consumer &consumer = weight.consumers[c];
            if (isLayer(consumer) && !consumer.name.empty())
                readings.push_back({operationHash(function, consumer), i, c});
        }
    }
    std::ranges::sort(readings, {}, &Reading::hash);
    Places places;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        const bool before = i > 0 && readings[i - 1].hash == readings[i].hash;
        const bool after = i + 1 < readings.size() && readings[i + 1].hash == readings[i].hash;
        if (before || after)
            places.emplace_back(readings[i].weight, readings[i].consumer);
    }
    std::ranges::sort(places); // the first layer of an operation has its activations
    return places;
}

void LayerReader::findShared(const Places &places)
{
    std::vector<roofline::Layer> layers;
    layers.reserve(places.size());
    for (const auto &[weight, consumer] : places)
        layers.push_back(bareLayer(m_bundle.weights()[weight], weight, consumer));
    shareOperations(m_bundle, layers);
    for (const auto &place : places)
        m_shared[place].repeated = true;
    for (const roofline::Layer &layer : layers)
        m_shared[{layer.weight, layer.consumer}] = {layer.flops, layer.inputBytes,
                                                    layer.outputBytes, false};
}

decision::WeightForm LayerReader::form(std::size_t weight) const
{
    auto form = weightForm(m_bundle, m_bundle.weights()[weight], std::nullopt, &m_entries);
    readZerosBehindMask(m_bundle, weight, form);
    return form;
}

std::vector<roofline::Layer> LayerReader::layers(std::size_t index,
                                                 const decision::WeightForm &form) const
{
    const Weight &weight = m_bundle.weights()[index];
    std::vector<roofline::Layer> layers;
    for (std::size_t c = 0; c < weight.consumers.size(); ++c) {
        const Consumer &consumer = weight.consumers[c];
        if (!isLayer(consumer))
            continue;
        const auto shared = m_shared.find({index, c});
        if (shared != m_shared.end() && shared->second.repeated)
            continue;
        roofline::Layer &layer = layers.emplace_back(bareLayer(weight, index, c));
        if (shared != m_shared.end()) {
            layer.flops = shared->second.flops;
            layer.inputBytes = shared->second.inputBytes;
            layer.outputBytes = shared->second.outputBytes;
        }
        layer.operation = operationOf(weight, consumer, form);
        layer.form = form;
        layer.form.axes = channelAxes(weight, consumer);
        if (isGather(consumer))
            layer.shareRead = shareRead(weight, consumer);
        layer.runs = runsOf(m_entries, weight, consumer);
        layer.ofSeveral = m_several;
    }
    return layers;
}

WeightLayers LayerReader::at(std::size_t weight) const
{
    WeightLayers made;
    made.form = form(weight);
    made.all = layers(weight, made.form);
    if (const roofline::Layer *judged = heaviest(made.all)) {
        made.judged = *judged;
    } else {
        made.judged.weight = weight;
        made.judged.form = made.form;
    }
    return made;
}

std::vector<roofline::Layer> layersOf(const Bundle &bundle,
                                      std::span<const decision::WeightForm> forms)
{
    const LayerReader reader(bundle);
    std::vector<roofline::Layer> layers;
    for (std::size_t i = 0; i < reader.weights() && i < forms.size(); ++i) {
        for (roofline::Layer &layer : reader.layers(i, forms[i]))
            layers.push_back(std::move(layer));
    }
    return layers;
}

const roofline::Layer *heaviest(std::span<const roofline::Layer> layers)
{
    const auto at =
        std::ranges::max_element(layers, [](const roofline::Layer &a, const roofline::Layer &b) {
            return a.flops && (!b.flops || *a.flops < *b.flops);
        });
    return at == layers.end() ? nullptr : &*at;
}

std::vector<ChannelAxes> judgedAxes(const Bundle &bundle)
{
    const LayerReader reader(bundle);
    std::vector<ChannelAxes> axes(reader.weights(), ChannelAxes{0, 1, 0, 1});
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto layers = reader.layers(i, decision::WeightForm()); // the form does not matter
        const Weight &weight = bundle.weights()[i];
        if (const roofline::Layer *judged = heaviest(layers))
            axes[i] = judged->form.axes;
        else if (isOfOldNetwork(weight) && !weight.consumers.front().geometry.storedAxes.empty())
            axes[i] = channelAxes(weight, weight.consumers.front());
    }
    return axes;
}

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

/// Fills the rows of a table, one weight after the other.
class DecisionTable::Filling
{
public:
    explicit Filling(DecisionTable &table) : m_table(table) {}

    void add(WeightLayers weight)
    {
        Row &row = m_table.m_rows.emplace_back();
        row.verdicts = m_table.m_judge.verdicts(weight.form);
        row.moved = m_moved.get(count(weight, row.verdicts));
        row.name = std::exchange(weight.judged.name, {});
        weight.judged.weight = 0;
        row.layer = m_layers.get(std::move(weight.judged));
        row.form = m_forms.get(std::move(weight.form));
    }

private:
    /// Adds a row to the totals: the bytes that all layers move which read the weight, by column.
    MovedBytes count(const WeightLayers &weight, Verdicts verdicts)
    {
        const decision::WeightForm &form = weight.form;
        MovedBytes movedBytes;
        movedBytes.reserve(m_table.columns());
        for (std::size_t column = 0; column < m_table.columns(); ++column) {
            TargetTotals &totals = m_table.m_totals[column];
            if (totals.storedBytes && form.storedBytes)
                *totals.storedBytes += *form.storedBytes;
            else
                totals.storedBytes.reset();
            totals.denseBytes += form.denseBytes;
            const auto &verdict = verdicts[m_table.m_targets[column]->index];
            const auto moved =
                roofline::bytesMoved(weight.all, form, m_table.m_judge.sized(form, verdict));
            movedBytes.push_back(moved);
            totals.bytesMoved += moved.value_or(0);
            totals.movedOpen += moved ? 0 : 1;
            totals.elsewhere += form.use.elsewhere ? 1 : 0;
            switch (verdict->outcome) {
            case decision::Outcome::Streams: ++totals.streams; break;
            case decision::Outcome::Folds: ++totals.folds; break;
            case decision::Outcome::Dense: ++totals.dense; break;
            case decision::Outcome::Rejected: ++totals.rejected; break;
            case decision::Outcome::Unknown: ++totals.unknown; break;
            }
        }
        return movedBytes;
    }

    DecisionTable &m_table;
    Interner<decision::WeightForm> m_forms;
    Interner<roofline::Layer> m_layers;
    Interner<MovedBytes> m_moved;
};

DecisionTable::DecisionTable(const Bundle &bundle, std::vector<const target::Target *> targets,
                             const target::TargetChoice &choice)
    : m_targets(std::move(targets)), m_judge(choice)
{
    for (const target::Target *target : m_targets) {
        auto roofs = roofline::roofsOf(*target); // fails for ceilings that were asked for only
        m_roofs.push_back(roofs ? std::move(*roofs) : roofline::Roofs());
        m_roofs.back().target = target;
    }
    m_totals.resize(columns());
    for (std::size_t column = 0; column < columns(); ++column)
        m_totals[column].target = m_targets[column];
    const LayerReader reader(bundle);
    m_rows.reserve(reader.weights());
    Filling filling(*this);
    for (std::size_t i = 0; i < reader.weights(); ++i)
        filling.add(reader.at(i));
}

roofline::Layer DecisionTable::layer(std::size_t row) const
{
    roofline::Layer layer = *m_rows[row].layer;
    layer.name = m_rows[row].name;
    layer.weight = row;
    return layer;
}

std::optional<std::uint64_t> DecisionTable::bytesMoved(std::size_t row, std::size_t column) const
{
    return (*m_rows[row].moved)[column];
}

std::size_t DecisionTable::columnOf(const target::Target &target) const
{
    const auto at = std::ranges::find(m_targets, &target);
    return at == m_targets.end() ? kNoIndex : static_cast<std::size_t>(at - m_targets.begin());
}

std::vector<const target::Target *> allTargets()
{
    // What people have comes first, the generations in order; then embedded, legacy, reference.
    std::vector<const target::Target *> all;
    for (const target::Target &target : target::targets())
        all.push_back(&target);
    std::stable_partition(all.begin(), all.end(),
                          [](const target::Target *target) { return target->kind == "silicon"; });
    return all;
}

} // namespace kernscope
