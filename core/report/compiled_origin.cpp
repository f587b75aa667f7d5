// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compiled_origin.h"

#include "core/assessment/known_faults.h"
#include "core/base/error_builder.h"
#include "core/base/find.h"
#include "core/base/hash.h"
#include "core/base/overlaid_file.h"
#include "core/base/sha256.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_values.h"
#include "core/container/mil/value_graph.h"
#include "core/form/form_steps.h"
#include "core/numeric/convert.h"
#include "core/report/json_table.h"

#include <bit>
#include <cmath>
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

std::uint64_t digestOf(std::span<const double> values)
{
    std::uint64_t sum = 0;
    for (const double value : values)
        sum += HashSum(std::bit_cast<std::uint64_t>(value), std::size_t{1}).value();
    return sum;
}

/// Of the decoded values in any order; nothing where they cannot be read, or where cancelled.
std::optional<std::uint64_t> digestOf(const Bundle &bundle, std::size_t weight, Progress *progress)
{
    const BundleReadLock lock(bundle);
    const auto decoder = bundle.decoder(weight);
    std::uint64_t sum = 0;
    const auto add = [&sum](std::uint64_t, std::span<const double> values) {
        sum += digestOf(values);
    };
    return decoder && decodeDoublesInBlocks(*decoder, progress, add) ? std::optional(sum)
                                                                     : std::nullopt;
}

/// Values in the order of their shape, and the weights that they are made of.
struct Numbers {
    Shape shape;
    std::vector<float> values;
    std::set<std::size_t> from;

    /// As digestOf(): with the number of values.
    std::pair<std::uint64_t, std::uint64_t> content() const
    {
        return {values.size(), digestOf(std::vector<double>(values.begin(), values.end()))};
    }
};

/// What operations of a bundle make of constants alone, as far as it is calculated in a while.
class Calculations
{
public:
    explicit Calculations(const Bundle &bundle) : m_bundle(bundle)
    {
        const auto program = bundle.program();
        for (const mil::Function &function : program->functions) {
            Body &body = m_bodies[function.name];
            body.graph = std::make_unique<ValueGraph>(function);
            body.results = {function.body.outputs.begin(), function.body.outputs.end()};
            for (std::size_t i = 0; i < body.graph->definitions().size(); ++i)
                body.definitions.emplace(body.graph->definitions()[i].name, i);
        }
        for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
            if (Body *body = bodyOf(i))
                body->weights.emplace(bundle.weights()[i].name, i);
        }
    }

    /// Calls each(numbers) with what operations make of a weight, step by step, until it says true;
    /// whether it did.
    template <class Each>
    bool anyMadeOf(std::size_t weight, const Each &each)
    {
        const BundleReadLock lock(m_bundle);
        m_known.clear();
        m_left = std::min(m_all, kMostHeld);
        m_all -= m_left;
        const bool found = follow(weight, [&](const Body &body, std::size_t made) {
            const Made numbers = valueOf(body, made, 0);
            return !numbers ? Step::End : each(*numbers) ? Step::Found : Step::On;
        });
        m_all += m_left;
        return found;
    }
    /// Whether a result of the program may depend on a weight.
    bool isNeeded(std::size_t weight)
    {
        const auto needed = [](const Body &of, std::size_t made) {
            const Definition &each = of.graph->definitions()[made];
            const mil::Operation *maker = of.graph->maker(each);
            const bool pure = maker && maker->blocks.empty() && maker->type != "invoke" &&
                              maker->type != "coreml_update_state";
            return !pure || !each.aliases.empty() || !each.yieldedAs.empty() ||
                   of.results.count(each.name) > 0;
        };
        const Body *body = bodyOf(weight);
        const auto own = body ? body->find(m_bundle.weights()[weight].name) : std::nullopt;
        return !own || needed(*body, *own) ||
               follow(weight, [&needed](const Body &of, std::size_t made) {
                   return needed(of, made) ? Step::Found : Step::On;
               });
    }

private:
    static constexpr std::uint64_t kMostHeld = std::uint64_t{1} << 24;
    using Made = std::shared_ptr<const Numbers>;
    enum class Step : std::uint8_t { On, End, Found };
    struct Body {
        std::unique_ptr<ValueGraph> graph;
        std::set<std::string_view> results;
        std::map<std::string_view, std::size_t> definitions, weights;

        std::optional<std::size_t> find(std::string_view name) const
        {
            const auto found = definitions.find(name);
            return found == definitions.end() ? std::nullopt : std::optional(found->second);
        }
    };

    Body *bodyOf(std::size_t weight)
    {
        const auto found = m_bodies.find(m_bundle.weights()[weight].function);
        return found == m_bodies.end() ? nullptr : &found->second;
    }

    /// look(body, definition) of what operations make of a weight, the nearest ones first.
    template <class Look>
    bool follow(std::size_t weight, const Look &look)
    {
        const Body *body = bodyOf(weight);
        const auto first = body ? body->find(m_bundle.weights()[weight].name) : std::nullopt;
        if (!first)
            return false;
        std::vector<std::size_t> open{*first};
        std::set<std::size_t> seen{*first};
        for (std::size_t next = 0; next < open.size(); ++next) {
            for (const Use &use : body->graph->definitions()[open[next]].uses) {
                const GraphOperation &reader = body->graph->operations()[use.operation];
                for (std::size_t i = 0; i < reader.operation->outputs.size(); ++i) {
                    const std::size_t made = reader.firstDefinition + i;
                    if (!seen.insert(made).second)
                        continue;
                    const Step step = look(*body, made);
                    if (step == Step::Found)
                        return true;
                    if (step == Step::On)
                        open.push_back(made);
                }
            }
        }
        return false;
    }

    Made valueOf(const Body &body, std::size_t definition, unsigned depth)
    {
        constexpr unsigned kMostDepth = 24;
        const auto [known, isNew] = m_known.try_emplace({&body, definition});
        if (!isNew || depth > kMostDepth) // what is being calculated is no value yet
            return known->second;
        const Definition &of = body.graph->definitions()[definition];
        const auto weight = body.weights.find(of.name);
        auto made = weight != body.weights.end() ? weightNumbers(weight->second)
                                                 : calculated(body, of, depth);
        if (!made || made->values.size() > m_left)
            return nullptr;
        m_left -= made->values.size();
        return m_known[{&body, definition}] = std::make_shared<const Numbers>(std::move(*made));
    }

    std::optional<Numbers> weightNumbers(std::size_t weight) const
    {
        const auto decoder = m_bundle.decoder(weight);
        if (!decoder || decoder->elements().value > m_left)
            return std::nullopt;
        Numbers numbers{m_bundle.weights()[weight].shape,
                        std::vector<float>(decoder->elements().value),
                        {weight}};
        decoder->decodeFloat(0, numbers.values);
        return numbers;
    }

    /// By an operation whose operands are constants.
    std::optional<Numbers> calculated(const Body &body, const Definition &of, unsigned depth)
    {
        const mil::Operation *maker = body.graph->maker(of);
        const auto shape = of.type ? of.type->shape() : std::nullopt;
        const auto count = shape ? elementCount(*shape) : std::nullopt;
        if (!maker || of.output > 0 || !count || count->value > m_left)
            return std::nullopt;
        Numbers made;
        made.shape = *shape;
        if (const mil::ProgramValue *value =
                maker->type == "const" ? maker->operand("val") : nullptr)
            return stored(*value, count->value, std::move(made));
        std::vector<Made> operands;
        for (const mil::Argument &argument : maker->inputs) {
            const auto *from = argument.values.size() == 1
                                   ? body.graph->definition(argument.values.front())
                                   : nullptr;
            const bool shapes = maker->type == "reshape" && !operands.empty();
            const Made operand =
                from && !shapes
                    ? valueOf(body, std::size_t(from - body.graph->definitions().data()), depth + 1)
                    : nullptr;
            if (!operand && !shapes)
                return std::nullopt;
            operands.push_back(operand);
            if (operand)
                made.from.insert(operand->from.begin(), operand->from.end());
        }
        if (operands.empty() || !apply(maker->type, operands, made))
            return std::nullopt;
        roundToType(of.type->element, made.values);
        return made;
    }

    static bool apply(std::string_view type, const std::vector<Made> &operands, Numbers &made)
    {
        using Binary = float (*)(float, float);
        static constexpr std::array<std::pair<std::string_view, Binary>, 6> kBinary{{
            {"add", [](float a, float b) { return a + b; }},
            {"sub", [](float a, float b) { return a - b; }},
            {"mul", [](float a, float b) { return a * b; }},
            {"real_div", [](float a, float b) { return a / b; }},
            {"maximum", [](float a, float b) { return std::max(a, b); }},
            {"minimum", [](float a, float b) { return std::min(a, b); }},
        }};
        const std::vector<float> &x = operands.front()->values;
        const std::size_t count = elementCount(made.shape)->value;
        if (type == "cast" || type == "reshape" || type == "rsqrt" || type == "sqrt") {
            made.values = x;
            for (float &value : made.values)
                value = type == "rsqrt"  ? static_cast<float>(1 / std::sqrt(double(value)))
                        : type == "sqrt" ? std::sqrt(value)
                                         : value;
            return x.size() == count;
        }
        const auto *row = findBy(kBinary, &std::pair<std::string_view, Binary>::first, type);
        if (!row || operands.size() != 2 || !isBroadcast(operands[0]->shape, made.shape) ||
            !isBroadcast(operands[1]->shape, made.shape))
            return false;
        for (std::size_t i = 0; i < count; ++i)
            made.values.push_back(
                row->second(x[placeIn(operands[0]->shape, made.shape, i)],
                            operands[1]->values[placeIn(operands[1]->shape, made.shape, i)]));
        return true;
    }

    static bool isBroadcast(const Shape &own, const Shape &to)
    {
        bool fits = own.size() <= to.size();
        for (std::size_t i = 1; fits && i <= own.size(); ++i)
            fits = own[own.size() - i] == 1 || own[own.size() - i] == to[to.size() - i];
        return fits;
    }

    /// The element of `own` that is broadcast to an element of `to`.
    static std::size_t placeIn(const Shape &own, const Shape &to, std::size_t element)
    {
        std::size_t place = 0, stride = 1;
        for (std::size_t i = 1; i <= own.size(); ++i) {
            const std::uint64_t extent = to[to.size() - i], mine = own[own.size() - i];
            place += mine > 1 ? element % extent * stride : 0;
            element /= extent;
            stride *= mine;
        }
        return place;
    }

    /// A constant that is no weight: written out, or one number for all in the program's file.
    std::optional<Numbers> stored(const mil::ProgramValue &value, std::uint64_t count,
                                  Numbers made) const
    {
        const ElementType element = value.type.element;
        const std::size_t at = m_bundle.programFile();
        const auto file =
            at != kNoIndex ? m_bundle.files()[at].file->bytes() : std::span<const std::byte>();
        const mil::Literal *literal = value.literal();
        const ByteRange place{FileOffset(value.span.offset), ByteCount(value.span.length)};
        if (!literal && !fitsInside(place, ByteCount(file.size())))
            return std::nullopt;
        const auto bytes = literal ? std::span<const std::byte>(literal->bytes)
                                   : file.subspan(value.span.offset, value.span.length);
        const auto all = packedBytes(ElementCount(count), element);
        const bool whole = all && all->value <= bytes.size();
        if (bitWidth(element) < 8 || (!whole && bytes.size() != bitWidth(element) / 8))
            return std::nullopt;
        for (std::uint64_t i = 0; i < count; ++i)
            made.values.push_back(static_cast<float>(loadValue(bytes, element, whole ? i : 0)));
        return made;
    }

    const Bundle &m_bundle;
    std::map<std::string, Body, std::less<>> m_bodies; ///< by function
    std::map<std::pair<const Body *, std::size_t>, Made> m_known;
    std::uint64_t m_all = std::uint64_t{1} << 28; ///< numbers that may still be calculated
    std::uint64_t m_left = 0;                     ///< of those, with one weight
};

/// A package and its program, and what is calculated of either.
struct Origins {
    const Bundle &package, &program;
    Progress *progress;
    Calculations inPackage{package}, inProgram{program};
    std::set<std::size_t> tables = {}; ///< of the program: what others of it are calculated with
    std::map<std::size_t, std::optional<std::uint64_t>> digests = {}; ///< of the program's weights

    std::optional<std::uint64_t> digest(std::size_t weight)
    {
        const auto [known, isNew] = digests.try_emplace(weight);
        if (isNew)
            known->second = digestOf(program, weight, progress);
        return known->second;
    }
    /// Whether operations of the program make the values of a weight of one of its constants.
    bool isComputed(const ComparedPair &pair)
    {
        const auto whole = digestOf(package, pair.a, progress);
        bool computed = false; // by the last of the operations
        inProgram.anyMadeOf(pair.b, [&](const Numbers &made) {
            tables.insert(made.from.begin(), made.from.end());
            tables.erase(pair.b);
            computed = made.from.size() > 1 && made.shape == package.weights()[pair.a].shape &&
                       made.content().second == whole;
            return false;
        });
        return computed;
    }
    /// The weight of the program with the values that operations of the package make of its weight
    /// and other constants: `wanted`, or any.
    std::size_t partOf(std::size_t weight, std::size_t wanted = kNoIndex)
    {
        std::size_t found = kNoIndex;
        inPackage.anyMadeOf(weight, [&](const Numbers &made) {
            const auto [count, content] = made.content();
            for (std::size_t b = 0; b < program.weights().size() && found == kNoIndex; ++b) {
                const bool mayBe = wanted == kNoIndex || wanted == b;
                if (mayBe && program.weights()[b].elements.value == count && digest(b) == content)
                    found = b;
            }
            return found != kNoIndex;
        });
        return found;
    }
};

/// A transpose or reshape between the steps of a weight may stand elsewhere in the program, which
/// then holds the same values in another order. Whether that is the order it should be is not
/// known.
bool sameInAnyOrder(Origins &origins, const ComparedPair &pair)
{
    if (origins.package.weights()[pair.a].elements != origins.program.weights()[pair.b].elements)
        return false;
    const auto digest = digestOf(origins.package, pair.a, origins.progress);
    return digest && digest == origins.digest(pair.b);
}

Fate fateOf(Origins &origins, const ComparedPair &pair, bool sameElements)
{
    const Weight &a = origins.package.weights()[pair.a], &b = origins.program.weights()[pair.b];
    if (sameElements && !pair.values && formText(a.form) == formText(b.form)) // scales may differ
        return Fate::Kept;
    const bool same = pair.exact() || pair.storedEqual;
    if (!same && origins.isComputed(pair))
        return Fate::Computed;
    if (!same && !sameInAnyOrder(origins, pair))
        return origins.partOf(pair.a, pair.b) != kNoIndex ? Fate::Part : Fate::Differs;
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
    static constexpr std::array<std::string_view, 12> kNames{
        "kept",
        "folded to dense",
        "written out",
        "stored otherwise",
        "other order",
        "merged",
        "dropped",
        "added",
        "other values",
        "scaled by operations",
        "part of another constant",
        "not found: dropped or made part of another constant"};
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
    Origins origins{package, program, progress};
    for (const ComparedPair &pair : wholePairs(difference.weights)) {
        const auto tie = ties.find(pair.a);
        rows.push_back(
            {&package, &program, pair.a, pair.b,
             fateOf(origins, pair,
                    !contentsA[pair.a].empty() && contentsA[pair.a] == contentsB[pair.b]),
             tie != ties.end() ? tie->second.second : pairingName(pair.pairing)});
    }
    for (const std::size_t alone : difference.onlyA) {
        const auto same = std::ranges::find(contentsB, contentsA[alone]);
        const bool bytes = same != contentsB.end() && !same->empty();
        OriginRow row{&package, &program, alone, kNoIndex, Fate::Merged, kByBytes};
        const auto digest = bytes ? std::nullopt : digestOf(package, alone, progress);
        const auto &weights = program.weights();
        if (bytes)
            row.b = static_cast<std::size_t>(same - contentsB.begin());
        for (std::size_t b = 0; digest && row.b == kNoIndex && b < weights.size(); ++b) {
            if (weights[b].shape == package.weights()[alone].shape && origins.digest(b) == digest)
                row = {&package, &program, alone, b, Fate::Merged, kByValues};
        }
        if (row.b == kNoIndex)
            row = {&package, &program, alone, origins.partOf(alone), Fate::Part, kByValues};
        if (row.b == kNoIndex) {
            row.fate = origins.inPackage.isNeeded(alone) ? Fate::NotFound : Fate::Dropped;
            row.tie = {};
        }
        rows.push_back(row);
    }
    if (progress != nullptr && progress->cancelled())
        return ErrorBuilder("task.cancelled").message("The work was stopped.").unexpected();
    std::ranges::stable_sort(rows,
                             [](const OriginRow &x, const OriginRow &y) { return x.a < y.a; });
    for (const OriginRow &row : rows) {
        if (row.fate == Fate::Part)
            origins.tables.insert(row.b);
    }
    for (const std::size_t alone : difference.onlyB) {
        if (origins.tables.count(alone) == 0)
            rows.push_back({&package, &program, kNoIndex, alone, Fate::Added, {}});
    }
    return rows;
}

const TableOf<OriginRow> originTable(
    "compiled",
    {{kName, "weight", "Weight of the package", CELL(originWeight(row.package, row.a))},
     {"form", "How the package stores it", CELL(originForm(row.package, row.a)),
      jsonOf(CELL(originFormJson(row.package, row.a)))},
     {kNumber, "bytes", "Bytes in the package", CELL(originBytes(row.package, row.a)),
      withUnit("B")},
     {"fate", "What the compiler made of it",
      CELL(Word(fateName(row.fate), row.fate == Fate::Differs  ? Mark::Bad
                                    : row.fate == Fate::Folded ? Mark::Folds
                                    : row.fate == Fate::Dropped || row.fate == Fate::NotFound
                                        ? Mark::Open
                                        : Mark::None))},
     {kName, "compiled", "Weight of the program", CELL(originWeight(row.program, row.b))},
     {"compiled_form", "form", "How the program stores it", CELL(originForm(row.program, row.b)),
      jsonOf(CELL(originFormJson(row.program, row.b)))},
     {kNumber, "compiled_bytes", "bytes", "Bytes in the program",
      CELL(originBytes(row.program, row.b)), withUnit("B")},
     {"tie", "How the two were found", CELL(orNothing(row.tie))}});

Json originDocument(std::string_view package, const std::vector<OriginRow> &rows)
{
    Json json = document("odix");
    json["against"] = package;
    json["weights"] = jsonArray(originTable, rows);
    return json;
}

const TableOf<Part> compiledPartTable(
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

const TableOf<Fact> compiledFactTable(
    "compiled_facts",
    {{"what", "What is said", member<&Fact::what>},
     {"of", "Of which architecture or entry", CELL(orNothing(row.of))},
     {kName, "value", "As it is written", member<&Fact::value>},
     {"note", "What it means", CELL(factNote(row))},
     {kName, "file", "Where it stands", member<&Fact::file>},
     {"confidence", "How sure the layout is", CELL(layoutConfidence(row.confidence))},
     {kDocument, "source", "Where the layout is from", member<&Fact::source>}});

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
    own["parts"] = jsonArray(compiledPartTable, survey.parts);
    own["facts"] = jsonArray(compiledFactTable, survey.facts);
    return json;
}

} // namespace kernscope::report
