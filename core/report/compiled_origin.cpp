// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compiled_origin.h"

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

/// The numbers of a table of a package's weight; none where there is no such table.
std::vector<double> numbersOf(const Bundle &package,
                              const std::optional<codec::OperandSource> &source)
{
    std::vector<double> numbers;
    if (const codec::Operand *stored = source ? codec::storedOperand(*source) : nullptr) {
        codec::Operand table = *stored;
        table.bytes = package.operandBytes(table);
        numbers.resize(elementCount(table.shape)->value);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = codec::operandValue(table, i).value_or(0);
    }
    return numbers;
}

/// One number stands for many, and none for `neutral`.
bool sameNumbers(std::vector<double> a, std::vector<double> b, double neutral)
{
    const std::size_t count = std::max({a.size(), b.size(), std::size_t{1}});
    for (std::vector<double> *each : {&a, &b}) {
        if (each->size() < 2)
            each->resize(count, each->empty() ? neutral : each->front());
    }
    return a == b;
}

/// What operations of a program make of a constant: (codes - offset) x scale + bias.
class TakenApart
{
public:
    TakenApart(const Bundle &program, const Weight &codes)
        : m_program(program), m_function(codes.function)
    {
        const auto *function = program.program() ? findBy(program.program()->functions,
                                                          &mil::Function::name, codes.function)
                                                 : nullptr;
        if (!function)
            return;
        const ValueGraph graph(*function);
        const auto *at = findBy(graph.definitions(), &Definition::name, codes.name);
        for (std::size_t step = 0; at && !at->uses.empty() && step < 3;) {
            const GraphOperation &next = graph.operations()[at->uses.front().operation];
            static constexpr std::array<std::string_view, 3> kSteps{"sub", "mul", "add"};
            const mil::Operation &operation = *next.operation;
            const auto found = std::ranges::find(kSteps, operation.type);
            if (found != kSteps.end()) {
                step = static_cast<std::size_t>(found - kSteps.begin());
                const bool first = operation.inputs.size() == 2 &&
                                   graph.definition(operation.inputs[0].values.front()) == at;
                if (operation.inputs.size() != 2 ||
                    !take(graph, operation.inputs[first ? 1 : 0].values.front(), m_numbers[step]))
                    return;
                ++step;
            } else if (operation.type != "cast") {
                return;
            }
            at = &graph.definitions()[next.firstDefinition];
        }
    }

    /// Whether those are the numbers that scale a weight of a package.
    bool scalesAs(const Bundle &package, const codec::Scaling &scaling) const
    {
        return sameNumbers(m_numbers[0], numbersOf(package, scaling.offset), 0) &&
               sameNumbers(m_numbers[1], numbersOf(package, scaling.scale), 1) &&
               sameNumbers(m_numbers[2], numbersOf(package, scaling.bias), 0);
    }
    /// Weights of the program that are such numbers.
    const std::vector<std::size_t> &tables() const { return m_tables; }

private:
    bool take(const ValueGraph &graph, const mil::ProgramValue &operand,
              std::vector<double> &numbers)
    {
        const mil::ProgramValue *constant = graph.constant(operand);
        if (const mil::Literal *literal = constant ? constant->literal() : nullptr) {
            for (std::uint64_t i = 0; i < literal->count; ++i)
                numbers.push_back(loadValue(literal->bytes, literal->element, i));
            return true;
        }
        const Definition *definition = graph.definition(operand);
        const auto &weights = m_program.weights();
        const auto table = std::ranges::find_if(weights, [&](const Weight &each) {
            return definition && each.name == definition->name && each.function == m_function;
        });
        const auto index = static_cast<std::size_t>(table - weights.begin());
        if (table == weights.end())
            return false;
        const auto decoder = m_program.decoder(index);
        if (!decoder)
            return false;
        numbers.resize(decoder->elements().value);
        decodeDoubles(*decoder, 0, numbers);
        m_tables.push_back(index);
        return true;
    }

    const Bundle &m_program;
    const std::string &m_function;
    std::array<std::vector<double>, 3> m_numbers; ///< offset, scale, bias
    std::vector<std::size_t> m_tables;
};

/// Whether the program has the codes of a scaled weight, and operations that scale them.
bool isTakenApart(const Weight &before, const Weight &after)
{
    const auto one = before.form.encoding(), other = after.form.encoding();
    return one && other && one->scaling && !other->scaling &&
           std::ranges::find(after.consumers, "sub", &Consumer::op) != after.consumers.end();
}

/// Adds to `tables` what belongs to the weight.
Fate fateOf(const Bundle &package, const Bundle &program, const ComparedPair &pair,
            bool sameElements, std::set<std::size_t> &tables, Progress *progress)
{
    const Weight &a = package.weights()[pair.a], &b = program.weights()[pair.b];
    if (sameElements && isTakenApart(a, b)) {
        const BundleReadLock lock(package, program);
        const TakenApart apart(program, b);
        tables.insert(apart.tables().begin(), apart.tables().end());
        return apart.scalesAs(package, *a.form.encoding()->scaling) ? Fate::Computed
                                                                    : Fate::Differs;
    }
    if (sameElements && !pair.values && formText(a.form) == formText(b.form)) // scales may differ
        return Fate::Kept;
    const bool same = pair.exact() || pair.storedEqual;
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
    for (const std::size_t alone : difference.onlyA) {
        OriginRow row{&package, &program, alone, kNoIndex, Fate::Dropped, {}};
        const auto same = std::ranges::find(contentsB, contentsA[alone]);
        if (same != contentsB.end() && !same->empty())
            row.b = static_cast<std::size_t>(same - contentsB.begin());
        row.tie = row.b == kNoIndex ? std::string_view() : kByBytes;
        const auto &weights = program.weights();
        const auto digest = row.b == kNoIndex ? digestOf(package, alone, progress) : std::nullopt;
        for (std::size_t b = 0; digest && row.b == kNoIndex && b < weights.size(); ++b) {
            if (weights[b].shape == package.weights()[alone].shape &&
                digestOf(program, b, progress) == digest) {
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

const TableOf<Fact> &compiledFactTable()
{
    static const TableOf<Fact> table(
        "compiled_facts",
        {{"what", "What is said", member<&Fact::what>},
         {"of", "Of which architecture or entry", CELL(orNothing(row.of))},
         {kName, "value", "As it is written", member<&Fact::value>},
         {"note", "What it means",
          CELL(row.what == "region hash" && coreai_cache::isRefused(row.value)
                   ? Value(Word("hash of nothing: refused by the engine", Mark::Bad))
                   : Value(Absent()))},
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
