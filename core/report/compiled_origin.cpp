// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compiled_origin.h"

#include "core/assessment/known_faults.h"
#include "core/base/find.h"
#include "core/base/hash.h"
#include "core/base/sha256.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_values.h"
#include "core/container/mil/value_graph.h"
#include "core/form/form_steps.h"
#include "core/numeric/convert.h"
#include "core/report/json_table.h"

#include <bit>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

/// What holds the elements: values, indices or what a mask keeps.
const codec::Operand *elementsOf(const Weight &weight)
{
    for (const auto role :
         {codec::PartRole::Data, codec::PartRole::Indices, codec::PartRole::NonzeroData}) {
        if (const codec::Operand *operand = weight.operand(role))
            return operand;
    }
    return nullptr;
}

/// By weight: the hash of the bytes that hold its elements; empty where none do.
std::vector<std::string> contentsOf(const Bundle &bundle)
{
    std::vector<std::string> contents;
    const BundleReadLock lock(bundle);
    for (const Weight &weight : bundle.weights()) {
        Sha256 hash;
        const codec::Operand *elements = elementsOf(weight);
        for (const auto &run : elements != nullptr ? bundle.operandRuns(*elements)
                                                   : std::vector<std::span<const std::byte>>())
            hash.update(run);
        contents.push_back(elements != nullptr ? hash.finishHex().value_or(std::string())
                                               : std::string());
    }
    return contents;
}

/// Of the decoded values in any order; nothing where they cannot be read, or where cancelled.
std::optional<std::uint64_t> digestOf(const Bundle &bundle, std::size_t weight, Progress *progress)
{
    const BundleReadLock lock(bundle);
    const auto decoder = bundle.decoder(weight);
    std::uint64_t sum = 0;
    const auto add = [&sum](std::uint64_t, std::span<const double> values) {
        for (const double value : values)
            sum += HashSum(std::bit_cast<std::uint64_t>(value), std::size_t{1}).value();
    };
    return decoder && decodeDoublesInBlocks(*decoder, progress, add) ? std::optional(sum)
                                                                     : std::nullopt;
}

/// A transpose or reshape between the steps of a weight may stand elsewhere in the program, which
/// then holds the same values in another order. Whether that is the order it should be is not
/// known.
bool sameInAnyOrder(const Bundle &package, const Bundle &program, const ComparedPair &pair,
                    Progress *progress)
{
    if (package.weights()[pair.a].elements != program.weights()[pair.b].elements)
        return false;
    const auto digest = digestOf(package, pair.a, progress);
    return digest && digest == digestOf(program, pair.b, progress);
}

/// Values in the order of their shape.
struct Numbers {
    Shape shape;
    std::vector<float> values;
};

/// Of a weight, where that is not too large.
std::optional<Numbers> numbersOf(const Bundle &bundle, std::size_t weight)
{
    constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
    const auto decoder = bundle.decoder(weight);
    if (!decoder || decoder->elements().value > kMost)
        return std::nullopt;
    Numbers numbers{bundle.weights()[weight].shape, std::vector<float>(decoder->elements().value)};
    decoder->decodeFloat(0, numbers.values);
    return numbers;
}

/// What operations of a program make of a constant by others: (codes - offset) x scale + bias.
class TakenApart
{
public:
    TakenApart(const Bundle &program, std::size_t codes)
        : m_program(program), m_function(program.weights()[codes].function),
          m_numbers(numbersOf(program, codes))
    {
        const auto *function =
            m_numbers && program.program()
                ? findBy(program.program()->functions, &mil::Function::name, m_function)
                : nullptr;
        if (!function)
            return;
        const ValueGraph graph(*function);
        const Weight &weight = program.weights()[codes];
        const auto *at = findBy(graph.definitions(), &Definition::name, weight.name);
        for (int steps = 0; at && !at->uses.empty() && steps < kMostSteps; ++steps) {
            const GraphOperation &next = graph.operations()[at->uses.front().operation];
            if (next.operation->outputs.empty() || !apply(graph, *next.operation, at))
                return;
            at = &graph.definitions()[next.firstDefinition];
        }
    }

    /// Nothing where no operation of that kind reads the constant.
    const std::optional<Numbers> &numbers() const { return m_numbers; }
    /// Weights of the program that are what it is calculated with.
    const std::vector<std::size_t> &tables() const { return m_tables; }

private:
    static constexpr int kMostSteps = 16;

    static bool isEmpty(const mil::Argument &argument) { return argument.values.empty(); }

    bool apply(const ValueGraph &graph, const mil::Operation &operation, const Definition *of)
    {
        const std::string &type = operation.type;
        const std::size_t inputs = operation.inputs.size();
        if ((type != "cast" &&
             !(inputs == 2 && (type == "sub" || type == "mul" || type == "add"))) ||
            std::ranges::any_of(operation.inputs, isEmpty))
            return false;
        const auto inputOf = [&](std::size_t i) -> const mil::ProgramValue & {
            return operation.inputs[i].values.front();
        };
        const bool first = graph.definition(inputOf(0)) == of;
        const auto table = type == "cast" ? std::nullopt : take(graph, inputOf(first ? 1 : 0));
        if (type != "cast" && (!table || (type == "sub" && !first)))
            return false;
        std::vector<float> &values = m_numbers->values;
        for (std::size_t i = 0; table && i < values.size(); ++i) {
            const float other = table->values[placeIn(table->shape, i)];
            values[i] = type == "sub"   ? values[i] - other
                        : type == "mul" ? values[i] * other
                                        : values[i] + other;
        }
        roundToType(operation.outputs.front().type.element, values);
        return true;
    }

    /// The element of a table that is broadcast to the numbers.
    std::size_t placeIn(const Shape &table, std::size_t element) const
    {
        const Shape &shape = m_numbers->shape;
        std::size_t place = 0, stride = 1;
        for (std::size_t i = 1; i <= table.size(); ++i) {
            const std::uint64_t extent = shape[shape.size() - i], own = table[table.size() - i];
            place += own > 1 ? element % extent * stride : 0;
            element /= extent;
            stride *= own;
        }
        return place;
    }

    /// A constant that can be broadcast, through casts and reshapes.
    std::optional<Numbers> take(const ValueGraph &graph, const mil::ProgramValue &operand)
    {
        Numbers table;
        const auto &weights = m_program.weights();
        const mil::ProgramValue *at = &operand;
        for (int steps = 0; steps < kMostSteps; ++steps) {
            const mil::Operation *maker = graph.maker(*at);
            if (!maker || (maker->type != "reshape" && maker->type != "cast") ||
                maker->inputs.empty() || isEmpty(maker->inputs.front()))
                break;
            at = &maker->inputs.front().values.front();
        }
        const mil::ProgramValue *constant = graph.constant(*at);
        const Definition *definition = graph.definition(*at);
        if (const mil::Literal *literal = constant ? constant->literal() : nullptr) {
            const auto packed = packedBytes(ElementCount(literal->count), literal->element);
            if (!packed || packed->value > literal->bytes.size())
                return std::nullopt;
            for (std::uint64_t i = 0; i < literal->count; ++i)
                table.values.push_back(
                    static_cast<float>(loadValue(literal->bytes, literal->element, i)));
        } else {
            const auto found = std::ranges::find_if(weights, [&](const Weight &each) {
                return definition && each.name == definition->name && each.function == m_function;
            });
            const auto index = static_cast<std::size_t>(found - weights.begin());
            auto numbers = found == weights.end() ? std::nullopt : numbersOf(m_program, index);
            if (!numbers)
                return std::nullopt;
            m_tables.push_back(index);
            table = std::move(*numbers);
        }
        const mil::ValueType *type = graph.typeOf(operand);
        const Shape &shape = m_numbers->shape;
        table.shape.clear();
        for (const std::int64_t extent : type ? type->dims : std::vector<std::int64_t>())
            table.shape.push_back(static_cast<std::uint64_t>(extent));
        bool fits = type && table.shape.size() <= shape.size() &&
                    elementCount(table.shape) == ElementCount(table.values.size());
        for (std::size_t i = 1; fits && i <= table.shape.size(); ++i) {
            const std::uint64_t own = table.shape[table.shape.size() - i];
            fits = own == 1 || own == shape[shape.size() - i];
        }
        return fits ? std::optional(std::move(table)) : std::nullopt;
    }

    const Bundle &m_program;
    const std::string &m_function;
    std::optional<Numbers> m_numbers;
    std::vector<std::size_t> m_tables;
};

/// Whether operations of the program that scale or shift the constant give the weight's values.
/// Adds to `tables` what it is calculated with.
bool isComputed(const Bundle &package, const Bundle &program, const ComparedPair &pair,
                std::set<std::size_t> &tables)
{
    if (package.weights()[pair.a].shape != program.weights()[pair.b].shape)
        return false;
    const BundleReadLock lock(package, program);
    const TakenApart apart(program, pair.b);
    const auto whole = numbersOf(package, pair.a);
    tables.insert(apart.tables().begin(), apart.tables().end());
    return whole && !apart.tables().empty() && whole->values == apart.numbers()->values;
}

Fate fateOf(const Bundle &package, const Bundle &program, const ComparedPair &pair,
            bool sameElements, std::set<std::size_t> &tables, Progress *progress)
{
    const Weight &a = package.weights()[pair.a], &b = program.weights()[pair.b];
    if (sameElements && !pair.values && formText(a.form) == formText(b.form)) // scales may differ
        return Fate::Kept;
    const bool same = pair.exact() || pair.storedEqual;
    if (!same && isComputed(package, program, pair, tables))
        return Fate::Computed;
    if (!same && !sameInAnyOrder(package, program, pair, progress))
        return Fate::Differs;
    if (!same && !sameElements)
        return Fate::Reordered;
    if (sameElements)
        return Fate::Kept;
    if (b.form.isDense() && !a.form.isDense())
        return Fate::Folded;
    const codec::Operand *one = elementsOf(a), *other = elementsOf(b);
    const bool shorter = one != nullptr && other != nullptr && one->place && other->place &&
                         one->place->bytes < other->place->bytes;
    return shorter ? Fate::WrittenOut : Fate::Changed;
}

/// Operations of the package that a weight is, or came from.
std::vector<std::uint64_t> sourcesOf(const Weight &weight)
{
    for (const auto &[key, value] : weight.detail) {
        if (key != "op_id")
            continue;
        if (const auto *one = std::get_if<std::uint64_t>(&value))
            return {*one};
        if (const auto *all = std::get_if<std::vector<std::uint64_t>>(&value))
            return *all;
    }
    return {};
}

constexpr std::string_view kByOperation = "op id", kByBytes = "bytes", kByValues = "values";

/// Weights that belong together whatever they are called: the debug information names the operation
/// of the package, else their elements are the same bytes.
std::map<std::size_t, std::pair<std::size_t, std::string_view>>
tiesOf(const Bundle &package, const Bundle &program, const std::vector<std::string> &contentsA,
       const std::vector<std::string> &contentsB)
{
    const auto keyOf = [](const Bundle &bundle, std::size_t weight, const std::string &content) {
        return std::pair(bundle.weights()[weight].elements.value, content);
    };
    std::map<std::uint64_t, std::vector<std::size_t>> bySource;
    std::map<std::pair<std::uint64_t, std::string>, std::vector<std::size_t>> byBytes;
    for (std::size_t b = 0; b < program.weights().size(); ++b) {
        for (const std::uint64_t source : sourcesOf(program.weights()[b]))
            bySource[source].push_back(b);
        if (!contentsB[b].empty())
            byBytes[keyOf(program, b, contentsB[b])].push_back(b);
    }
    std::map<std::size_t, std::pair<std::size_t, std::string_view>> ties;
    std::set<std::size_t> taken;
    for (std::size_t a = 0; a < package.weights().size(); ++a) {
        const auto own = sourcesOf(package.weights()[a]);
        const auto found = own.empty() ? bySource.end() : bySource.find(own.front());
        if (found != bySource.end() && found->second.size() == 1 &&
            program.weights()[found->second.front()].elements == package.weights()[a].elements &&
            taken.insert(found->second.front()).second)
            ties.emplace(a, std::pair(found->second.front(), kByOperation));
    }
    for (const bool named : {true, false}) { // of the same bytes the one of the same name
        for (std::size_t a = 0; a < package.weights().size(); ++a) {
            const auto found =
                ties.count(a) > 0 ? byBytes.end() : byBytes.find(keyOf(package, a, contentsA[a]));
            if (found == byBytes.end())
                continue;
            const auto free = std::ranges::find_if(found->second, [&](std::size_t b) {
                return (!named || program.weights()[b].name == package.weights()[a].name) &&
                       taken.insert(b).second;
            });
            if (free != found->second.end())
                ties.emplace(a, std::pair(*free, kByBytes));
        }
    }
    return ties;
}

using coreai_cache::Fact;
using coreai_cache::Part;
using coreai_cache::Place;
using coreai_cache::Survey;

constexpr std::array<std::string_view, 5> kDecimalUnits{"bytes", "kB", "MB", "GB", "TB"};

/// The unit in which a number of bytes has at most three digits before the point.
std::size_t decimalUnit(std::uint64_t bytes)
{
    std::size_t unit = 0;
    for (double rest = static_cast<double>(bytes); rest >= 999.5 && unit + 1 < kDecimalUnits.size();
         rest /= 1000)
        ++unit;
    return unit;
}

/// Three digits without zeros at the end: "48.8", "500".
std::string inUnit(std::uint64_t bytes, std::size_t unit)
{
    double number = static_cast<double>(bytes);
    for (std::size_t i = 0; i < unit; ++i)
        number /= 1000;
    std::string text = fmt::format("{:.{}f}", number,
                                   number >= 99.95   ? 0
                                   : number >= 9.995 ? 1
                                                     : 2);
    if (text.find('.') != std::string::npos)
        text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.'))
        text.pop_back();
    return text;
}

Word layoutConfidence(format::Confidence confidence)
{
    return Word(format::confidenceName(confidence));
}

// Cells of one side of a row; kNoIndex: it has no weight there.

Value originWeight(const Bundle *bundle, std::size_t index)
{
    return index == kNoIndex ? Value(Nothing()) : Value(bundle->weights()[index].address());
}

Value originForm(const Bundle *bundle, std::size_t index)
{
    return index == kNoIndex ? Value(Nothing()) : Value(formWords(bundle->weights()[index].form));
}

Json originFormJson(const Bundle *bundle, std::size_t index)
{
    return index == kNoIndex ? Json() : Json(formText(bundle->weights()[index].form));
}

Value originBytes(const Bundle *bundle, std::size_t index)
{
    return index == kNoIndex ? Value(Nothing())
                             : Value(Count(bundle->weights()[index].storedBytes.value));
}

} // namespace

std::string_view fateName(Fate fate)
{
    static constexpr std::array<std::string_view, 10> kNames{
        "kept",   "folded to dense", "written out", "stored otherwise", "other order",
        "merged", "dropped",         "added",       "other values",     "scaled by operations"};
    return kNames[static_cast<std::size_t>(fate)];
}

Result<std::vector<OriginRow>> compiledOrigins(const Bundle &package, const Bundle &program,
                                               Progress *progress)
{
    DiffOptions options;
    options.values = true;
    options.bytes = false;
    const std::vector<std::string> contentsA = contentsOf(package), contentsB = contentsOf(program);
    const auto ties = tiesOf(package, program, contentsA, contentsB);
    for (const auto &[a, tie] : ties)
        options.pairs.push_back({a, tie.first});
    const auto difference = TRY(compareBundles(package, program, options, progress));
    std::vector<OriginRow> rows;
    std::set<std::size_t> tables;
    for (const ComparedPair &pair : wholePairs(difference.weights)) {
        const auto tie = ties.find(pair.a);
        rows.push_back({&package, &program, pair.a, pair.b,
                        fateOf(package, program, pair,
                               !contentsA[pair.a].empty() && contentsA[pair.a] == contentsB[pair.b],
                               tables, progress),
                        tie != ties.end() ? tie->second.second : pairingName(pair.pairing)});
    }
    if (progress != nullptr && progress->cancelled())
        return ErrorBuilder("task.cancelled").message("The work was stopped.").unexpected();
    std::map<std::size_t, std::optional<std::uint64_t>> digests; // of the program's weights
    for (const std::size_t alone : difference.onlyA) {
        OriginRow row{&package, &program, alone, kNoIndex, Fate::Dropped, {}};
        const auto same = std::ranges::find(contentsB, contentsA[alone]);
        if (same != contentsB.end() && !same->empty())
            row.b = static_cast<std::size_t>(same - contentsB.begin());
        row.tie = row.b == kNoIndex ? std::string_view() : kByBytes;
        const auto &weights = program.weights();
        const auto digest = row.b == kNoIndex ? digestOf(package, alone, progress) : std::nullopt;
        for (std::size_t b = 0; digest && row.b == kNoIndex && b < weights.size(); ++b) {
            if (weights[b].shape != package.weights()[alone].shape)
                continue;
            const auto [known, isNew] = digests.try_emplace(b);
            if (isNew)
                known->second = digestOf(program, b, progress);
            if (known->second == digest) {
                row.b = b;
                row.tie = kByValues;
            }
        }
        row.fate = row.b == kNoIndex ? Fate::Dropped : Fate::Merged;
        rows.push_back(row);
    }
    std::ranges::stable_sort(rows,
                             [](const OriginRow &x, const OriginRow &y) { return x.a < y.a; });
    for (const std::size_t alone : difference.onlyB) {
        if (tables.count(alone) == 0)
            rows.push_back({&package, &program, kNoIndex, alone, Fate::Added, {}});
    }
    return rows;
}

const TableOf<OriginRow> &originTable()
{
    static const TableOf<OriginRow> table(
        "compiled",
        {{kName, "weight", "Weight of the package", CELL(originWeight(row.package, row.a))},
         {"form", "How the package stores it", CELL(originForm(row.package, row.a)),
          jsonOf(CELL(originFormJson(row.package, row.a)))},
         {kNumber, "bytes", "Bytes in the package", CELL(originBytes(row.package, row.a)),
          withUnit("B")},
         {"fate", "What the compiler made of it",
          CELL(Word(fateName(row.fate), row.fate == Fate::Differs   ? Mark::Bad
                                        : row.fate == Fate::Folded  ? Mark::Folds
                                        : row.fate == Fate::Dropped ? Mark::Open
                                                                    : Mark::None))},
         {kName, "compiled", "Weight of the program", CELL(originWeight(row.program, row.b))},
         {"compiled_form", "form", "How the program stores it",
          CELL(originForm(row.program, row.b)), jsonOf(CELL(originFormJson(row.program, row.b)))},
         {kNumber, "compiled_bytes", "bytes", "Bytes in the program",
          CELL(originBytes(row.program, row.b)), withUnit("B")},
         {"tie", "How the two were found", CELL(orNothing(row.tie))}});
    return table;
}

Json originDocument(std::string_view package, const std::vector<OriginRow> &rows)
{
    Json json = document("odix");
    json["against"] = package;
    json["weights"] = jsonArray(originTable(), rows);
    return json;
}

const TableOf<Part> &compiledPartTable()
{
    static const TableOf<Part> table(
        "compiled_parts",
        {{"role", "What it is", member<&Part::role>},
         {kName, "name", "Name of the region, else the file", member<&Part::name>},
         {kNumber, "bytes", "Bytes of its files", member<&Part::bytes, Count>, withUnit("B")},
         {"place", "Where it lies",
          CELL(Word(coreai_cache::placeName(row.place),
                    row.place == Place::Unknown ? Mark::Open : Mark::None,
                    row.refused ? "refused by the engine"
                    : row.again ? "beside its regions, not counted twice"
                                : ""))},
         {"architectures", "architecture", "Architectures that a region was compiled for",
          CELL(row.architectures.empty()
                   ? Value(Nothing())
                   : Value(fmt::format("{}", fmt::join(row.architectures, " "))))},
         {kDocument, "file", "Its first file", member<&Part::file>},
         {kDocument, "refused", "Whether the engine refused it", CELL(row.refused)},
         {"confidence", "How sure the layout is", CELL(layoutConfidence(row.confidence))},
         {kDocument, "source", "Where the layout is from", CELL(orNothing(row.source))}});
    return table;
}

namespace {

/// What a fact means: a region that was refused, a known fault.
Value factNote(const Fact &fact)
{
    if (fact.what == "region hash" && coreai_cache::isRefused(fact.value))
        return Word("hash of nothing: refused by the engine", Mark::Bad);
    const KnownFault *known = knownFaultOf(fact.what, fact.value);
    return known ? Value(known->text()) : Value(Absent());
}

} // namespace

const TableOf<Fact> &compiledFactTable()
{
    static const TableOf<Fact> table(
        "compiled_facts",
        {{"what", "What is said", member<&Fact::what>},
         {"of", "Of which architecture or entry", CELL(orNothing(row.of))},
         {kName, "value", "As it is written", member<&Fact::value>},
         {"note", "What it means", CELL(factNote(row))},
         {kName, "file", "Where it stands", member<&Fact::file>},
         {"confidence", "How sure the layout is", CELL(layoutConfidence(row.confidence))},
         {kDocument, "source", "Where the layout is from", member<&Fact::source>}});
    return table;
}

std::string surveySentence(const Survey &survey)
{
    const std::size_t unit = decimalUnit(survey.bytes);
    std::string engine = inUnit(survey.engineBytes, unit);
    const std::size_t own = decimalUnit(survey.engineBytes);
    if (engine == "0" && survey.engineBytes > 0)
        engine = fmt::format("{} {}", inUnit(survey.engineBytes, own), kDecimalUnits[own]);
    const std::size_t regions = survey.count("region", Place::Engine),
                      containers = survey.count("hardware container", Place::Engine);
    std::string in = regions > 0      ? counted(regions, "region")
                     : containers > 0 ? counted(containers, "hardware container")
                                      : "no region";
    if (regions > 0 && containers > 0)
        in += " and " + counted(containers, "hardware container");
    if (survey.refused() > 0)
        in += fmt::format("; {} refused by the engine", survey.refused());
    return fmt::format("{} of {} {} lie on the engine, in {}", engine, inUnit(survey.bytes, unit),
                       kDecimalUnits[unit], in);
}

std::string compiledFromText(const SurveyedPackage &package)
{
    return !package.compiledFrom   ? "unknown: no source hash of 64 digits is told"
           : *package.compiledFrom ? "yes"
                                   : "no";
}

Json surveyDocument(const Survey &survey, const std::optional<SurveyedPackage> &package)
{
    Json json = document("survey");
    Json &own = json["survey"];
    own["sentence"] = surveySentence(survey);
    own["bytes"] = numberJson(survey.bytes);
    own["engine_bytes"] = numberJson(survey.engineBytes);
    own["files"] = survey.files;
    own["regions"] = survey.count("region", Place::Engine);
    own["refused"] = survey.refused();
    if (package) {
        own["against"] = package->path;
        own["against_hash"] = package->hash;
        own["compiled_from"] = optionalJson(package->compiledFrom);
    }
    own["parts"] = jsonArray(compiledPartTable(), survey.parts);
    own["facts"] = jsonArray(compiledFactTable(), survey.facts);
    return json;
}

} // namespace kernscope::report
