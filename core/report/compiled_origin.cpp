// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compiled_origin.h"

#include "core/base/sha256.h"
#include "core/bundle/bundle.h"
#include "core/report/json_table.h"

#include <set>

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

Fate fateOf(const Bundle &package, const Bundle &program, const ComparedPair &pair,
            bool sameElements)
{
    const bool same = pair.exact() || pair.storedEqual;
    if (sameElements && (same || !pair.values)) // scales may be others
        return Fate::Kept;
    if (!same)
        return Fate::Differs;
    const Weight &a = package.weights()[pair.a], &b = program.weights()[pair.b];
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

constexpr std::string_view kByOperation = "op id", kByBytes = "bytes";

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
    for (std::size_t a = 0; a < package.weights().size(); ++a) {
        const auto found =
            ties.count(a) > 0 ? byBytes.end() : byBytes.find(keyOf(package, a, contentsA[a]));
        if (found == byBytes.end())
            continue;
        const auto free = std::find_if(found->second.begin(), found->second.end(),
                                       [&taken](std::size_t b) { return taken.insert(b).second; });
        if (free != found->second.end())
            ties.emplace(a, std::pair(*free, kByBytes));
    }
    return ties;
}

} // namespace

std::string_view fateName(Fate fate)
{
    static constexpr std::array<std::string_view, 8> kNames{
        "kept",   "folded to dense", "written out", "stored otherwise",
        "merged", "dropped",         "added",       "other values"};
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
    const auto difference = compareBundles(package, program, options, progress);
    if (!difference)
        return tl::unexpected(difference.error());
    std::vector<OriginRow> rows;
    for (const ComparedPair &pair : wholePairs(difference->weights)) {
        const auto tie = ties.find(pair.a);
        rows.push_back(
            {&package, &program, pair.a, pair.b,
             fateOf(package, program, pair,
                    !contentsA[pair.a].empty() && contentsA[pair.a] == contentsB[pair.b]),
             tie != ties.end() ? tie->second.second : pairingName(pair.pairing)});
    }
    for (const std::size_t alone : difference->onlyA) {
        OriginRow row{&package, &program, alone, kNoIndex, Fate::Dropped, {}};
        const auto same = std::find(contentsB.begin(), contentsB.end(), contentsA[alone]);
        if (same != contentsB.end() && !same->empty())
            row.b = static_cast<std::size_t>(same - contentsB.begin());
        row.fate = row.b == kNoIndex ? Fate::Dropped : Fate::Merged;
        row.tie = row.b == kNoIndex ? std::string_view() : kByBytes;
        rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const OriginRow &x, const OriginRow &y) { return x.a < y.a; });
    for (const std::size_t alone : difference->onlyB)
        rows.push_back({&package, &program, kNoIndex, alone, Fate::Added, {}});
    return rows;
}

const TableOf<OriginRow> &originTable()
{
    using Row = OriginRow;
    static constexpr auto weight = [](const Bundle *bundle, std::size_t index) -> Value {
        return index == kNoIndex ? Value(Nothing()) : Value(bundle->weights()[index].address());
    };
    static constexpr auto form = [](const Bundle *bundle, std::size_t index) -> Value {
        return index == kNoIndex ? Value(Nothing())
                                 : Value(formText(bundle->weights()[index].form));
    };
    static constexpr auto bytes = [](const Bundle *bundle, std::size_t index) -> Value {
        return index == kNoIndex ? Value(Nothing())
                                 : Value(Count(bundle->weights()[index].storedBytes.value));
    };
    static const TableOf<Row> table(
        "compiled", {{kName, "weight", "Weight of the package",
                      [](const Row &row) { return weight(row.package, row.a); }},
                     {"form", "How the package stores it",
                      [](const Row &row) { return form(row.package, row.a); }},
                     {kNumber, "bytes", "Bytes in the package",
                      [](const Row &row) { return bytes(row.package, row.a); }, withUnit("B")},
                     {"fate", "What the compiler made of it",
                      [](const Row &row) -> Value {
                          return Word(fateName(row.fate), row.fate == Fate::Differs   ? Mark::Bad
                                                          : row.fate == Fate::Folded  ? Mark::Folds
                                                          : row.fate == Fate::Dropped ? Mark::Open
                                                                                      : Mark::None);
                      }},
                     {kName, "compiled", "Weight of the program",
                      [](const Row &row) { return weight(row.program, row.b); }},
                     {"compiled_form", "form", "How the program stores it",
                      [](const Row &row) { return form(row.program, row.b); }},
                     {kNumber, "compiled_bytes", "bytes", "Bytes in the program",
                      [](const Row &row) { return bytes(row.program, row.b); }, withUnit("B")},
                     {"tie", "How the two were found",
                      [](const Row &row) -> Value { return orNothing(row.tie); }}});
    return table;
}

Json originDocument(std::string_view package, const std::vector<OriginRow> &rows)
{
    Json json = document("odix");
    json["against"] = package;
    json["weights"] = jsonArray(originTable(), rows);
    return json;
}

} // namespace kernscope::report
