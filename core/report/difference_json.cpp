// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/difference_json.h"

#include "core/bundle/bundle.h"
#include "core/compare/container_difference.h"
#include "core/report/build_matrix.h"
#include "core/report/difference_formats.h"
#include "core/report/edit_table.h"
#include "core/report/hwx_json.h"
#include "core/report/json_table.h"

#include <cmath>

#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

/// What has no form to check is left out.
Result<void> findForms(CheckedDifference &checked, Progress *progress)
{
    const auto &pairs = checked.difference.weights;
    for (std::size_t i = 0; i < wholePairs(pairs).size(); ++i) {
        if (!pairs[i].values || pairs[i].storedEqual)
            continue;
        auto form = TRY(checkForm(*checked.a, *checked.b, pairs[i], progress));
        if (form.mask || form.palette || form.codes || !form.notExamined.empty())
            checked.forms.emplace_back(i, std::move(form));
    }
    return {};
}

std::vector<std::size_t> orderOf(std::span<const ComparedPair> pairs, RowOrder order)
{
    std::vector<PairSeverity> severities;
    for (const ComparedPair &pair : pairs)
        severities.push_back(order == RowOrder::OfA ? PairSeverity() : severityOf(pair));
    return worstFirst(severities);
}

Result<void> findPlaces(CheckedDifference &checked, const ComparisonWanted &wanted,
                        Progress *progress)
{
    const auto &pairs = checked.difference.weights;
    std::vector<std::size_t> order = orderOf(wholePairs(pairs), wanted.placesOrder);
    while (order.size() < pairs.size()) // parts stay in their order
        order.push_back(order.size());
    for (const std::size_t i : order) {
        if (!pairs[i].values || pairs[i].values->identical())
            continue;
        auto worst =
            TRY(findWorstPlaces(*checked.a, *checked.b, pairs[i], *wanted.places, progress));
        checked.worst.emplace_back(i, std::move(worst));
    }
    return {};
}

Result<void> findRanges(CheckedDifference &checked, Progress &progress)
{
    const AlignedBytes bytes = alignBytes(checked.a, checked.b, checked.difference.weights);
    if (const auto differences = ByteDifferences::find(bytes, progress))
        checked.ranges = differentRanges(bytes, *differences, RangeList::kMostRanges, progress);
    if (!checked.ranges)
        return tl::unexpected(cancelledError("The comparison was cancelled"));
    return {};
}

Result<void> findCodebooks(CheckedDifference &checked, Progress *progress)
{
    const auto &pairs = checked.difference.weights;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (!pairs[i].shapeEqual || !hasCodebooks(*checked.a, *checked.b, pairs[i]))
            continue;
        auto match = matchCodebooks(*checked.a, *checked.b, pairs[i], progress);
        if (match)
            checked.codebooks.emplace_back(i, *std::move(match));
        else if (match.error().code != "diff.codebooks")
            return tl::unexpected(std::move(match.error()));
    }
    return {};
}

/// What explains the difference of a pair.
Json ruleJson(const ValueRule &rule)
{
    return {{"kind", ruleName(rule.kind)},
            {"codes", rule.codes},
            {"factors", {rule.least, rule.most}},
            {"block", rule.block > 0 ? Json(rule.block) : Json(nullptr)},
            {"remaining_rmse", finiteJson(rule.left)}};
}

Json valuesJson(const ValueDifference &values)
{
    return {{"equal", numberJson(values.equal)},
            {"changed", numberJson(values.changed)},
            {"zeroed", numberJson(values.zeroed)},
            {"revived", numberJson(values.revived)},
            {"relative_rmse", finiteJson(values.relativeRmse)},
            {"snr_db", finiteJson(values.snr)},
            {"max_abs", finiteJson(values.maxAbs)},
            {"mean_abs", finiteJson(values.meanAbs)},
            {"rmse", finiteJson(values.rmse)},
            {"cosine", finiteJson(values.cosine)},
            {"max_rel", finiteJson(values.maxRel)},
            {"not_finite", numberJson(values.notFinite)},
            {"nonfinite_a", numberJson(values.nonfiniteA)},
            {"nonfinite_b", numberJson(values.nonfiniteB)},
            {"max_ulp", values.ulp() ? numberJson(*values.ulp()) : Json(nullptr)},
            {"ulp_type", values.oneType ? Json(elementTypeName(values.ulpType)) : Json(nullptr)},
            {"ulp_histogram", values.oneType ? numbersJson(values.ulpHistogram) : Json(nullptr)},
            {"beyond_tolerance", numberJson(values.beyondTolerance)},
            {"bit_faithful", values.faithful()},
            {"unfaithful", numberJson(values.unfaithful)}};
}

Json changeJson(const ProgramChange &change)
{
    return {{"change", programChangeName(change.kind)},
            {"what", programPartName(change.what)},
            {"function", change.function},
            {"operation", change.operation},
            {"type", change.type},
            {"details", change.details}};
}

Json structureJson(const Bundle &a, const Bundle &b, const Difference &difference)
{
    const ProgramDifference &program = difference.program.detail;
    Json json{{"summary", differenceSummary(a, b, difference)},
              {"operations_a", program.operationsA},
              {"operations_b", program.operationsB},
              {"operations_matched", program.matched},
              {"operations", listJson(program.changes, changeJson)}};
    if (const auto tasks = compareTasks(a, b)) {
        json["tasks_a"] = tasks->tasksA;
        json["tasks_b"] = tasks->tasksB;
        json["tasks"] = hwxDifferencesJson(tasks->differences);
    }
    json["sections_a"] = a.sections().size();
    json["sections_b"] = b.sections().size();
    return json;
}

/// Channels of B for those of A along one axis; what differs once they stand in that order.
Json orderJson(const ComparedPair &pair)
{
    const ChannelOrder &order = *pair.order;
    Json json{{"correlation", order.correlation},
              {"outputs_moved", ChannelOrder::moved(order.outputs)},
              {"inputs_moved", ChannelOrder::moved(order.inputs)},
              {"outputs", order.outputs},
              {"inputs", order.inputs}};
    if (const auto &values = pair.reordered) {
        json["equal"] = numberJson(values->equal);
        json["different"] = numberJson(values->different);
        json["max_abs"] = finiteJson(values->maxAbs);
        json["rmse"] = values->rmse;
    }
    return json;
}

Json pairJson(const Bundle &a, const Bundle &b, const ComparedPair &pair)
{
    Json json{{"name", a.weights()[pair.a].name},
              {"name_b", b.weights()[pair.b].name},
              {"address", a.weights()[pair.a].address()},
              {"address_b", b.weights()[pair.b].address()},
              {"pairing", pairingName(pair.pairing)},
              {"pairing_confidence", pairConfidenceName(pair.confidence)},
              {"pairing_reason", pairingReason(a, b, pair)}};
    if (pair.content != ContentKind::None)
        json["pairing_content"] = contentKindName(pair.content);
    if (pair.similarity)
        json["similarity"] = {{"correlation", *pair.similarity}, {"next", pair.nextSimilarity}};
    json["changes"] =
        listJson(pairChanges(a, b, pair), [&](const std::string_view change) { return change; });
    json["a"] = weightJson(a, pair.a, std::nullopt, {});
    json["b"] = weightJson(b, pair.b, std::nullopt, {});
    json["stored_ratio"] = pair.storedRatio ? ratioJson(*pair.storedRatio) : Json(nullptr);
    json["layout_equal"] = pair.damaged ? Json(nullptr) : Json(pair.layoutEqual);
    json["stored_equal"] = pair.damaged ? Json(nullptr) : Json(pair.storedEqual);
    json["reshaped"] = pair.reshaped;
    json["values"] = pair.values ? valuesJson(*pair.values) : Json(nullptr);
    json["explained"] = pair.rule ? ruleJson(*pair.rule) : Json(nullptr);
    if (pair.step)
        json["step"] = *pair.step;
    if (pair.order)
        json["reordered"] = orderJson(pair);
    json["verdict"] = verdict(pair, a, b);
    if (pair.fault)
        json["fault"] = diagnosticJson({Severity::Error, *pair.fault});
    return json;
}

/// A weight of one side that is several of the other. `addFound` is called with each part's row.
template <class Add>
Json joinedJson(const Bundle &a, const Bundle &b, std::span<const ComparedPair> parts,
                const Add &addFound)
{
    const WeightSlice &slice = *parts.front().slice;
    Json json{{"kind", slice.name()},
              {"whole", slice.ofA ? weightJson(a, parts.front().a, std::nullopt, {})
                                  : weightJson(b, parts.front().b, std::nullopt, {})},
              {"axis", slice.axis}};
    const bool compared =
        std::ranges::all_of(parts, [](const ComparedPair &each) { return each.values != nullptr; });
    const bool exact = std::ranges::all_of(parts, &ComparedPair::exact);
    // Of samples alone it is not known.
    json["exact"] = compared ? Json(exact) : Json(nullptr);
    json["parts"] = Json::array();
    for (const ComparedPair &one : parts) {
        Json row{{"weight", slice.ofA ? weightJson(b, one.b, std::nullopt, {})
                                      : weightJson(a, one.a, std::nullopt, {})},
                 {"first", numberJson(one.slice->first)},
                 {"count", numberJson(one.slice->count)},
                 {"exact", one.values ? Json(one.exact()) : Json(nullptr)},
                 {"similarity", one.similarity.value_or(0)},
                 {"values", one.values ? valuesJson(*one.values) : Json(nullptr)},
                 {"verdict", verdict(one, a, b)}};
        if (one.fault)
            row["fault"] = diagnosticJson({Severity::Error, *one.fault});
        addFound(row, one);
        json["parts"].push_back(std::move(row));
    }
    return json;
}

LateList onlyList(std::string_view key, const Bundle &bundle,
                  const std::vector<std::size_t> &weights)
{
    return {key, weights.size(),
            [&](std::size_t i) { return weightJson(bundle, weights[i], std::nullopt, {}); }};
}

Json figureNumber(double value)
{
    return figureJson(LimitFigure(value));
}

Json counterexampleJson(const CheckedDifference &checked)
{
    const BuildVerdict &verdict = checked.verdict;
    if (!verdict.counterexample)
        return nullptr;
    const ComparedPair &pair = checked.difference.weights[*verdict.counterexamplePair];
    const Weight &weight = checked.a->weights()[pair.a];
    return {{"weight", weight.findableName()},
            {"weight_b", checked.b->weights()[pair.b].findableName()},
            {"element", numberJson(verdict.counterexample->element)},
            {"index", numbersJson(elementPlace(weight.shape, verdict.counterexample->element))},
            {"a", exactJson(verdict.counterexample->a)},
            {"b", exactJson(verdict.counterexample->b)}};
}

Json outcomeJson(const BuildOutcome &outcome)
{
    return {{"streams", outcome.streams},
            {"folds", outcome.folds},
            {"dense", outcome.dense},
            {"rejected", outcome.rejected},
            {"unknown", outcome.unknown},
            {"bytes_moved", numberJson(outcome.bytesMoved)},
            {"bytes_moved_open", outcome.movedOpen}};
}

Json maskJson(const MaskCheck &mask)
{
    Json json;
    json["kept"] = numberJson(mask.kept);
    json["elements"] = numberJson(mask.elements);
    json["patterns"] = listJson(mask.patterns, [&](const auto &pattern) -> Json {
        return {{"keep", pattern.keep}, {"of", pattern.of}, {"axis", pattern.axis}};
    });
    json["structured_outputs"] = mask.structuredOutputs;
    json["structured_inputs"] = mask.structuredInputs;
    json["zeros_per_output"] = {numberJson(mask.leastZeros), numberJson(mask.mostZeros)};
    json["kept_changed"] = numberJson(mask.keptChanged);
    json["dropped_nonzero"] = numberJson(mask.droppedNonzero);
    return json;
}

Json paletteJson(const PaletteCheck &palette, const Shape &shape)
{
    Json json{{"examined", numberJson(palette.examined)},
              {"not_nearest", numberJson(palette.notNearest)},
              {"entries", numberJson(palette.entries)},
              {"used_entries", numberJson(palette.usedEntries)}};
    if (palette.worst)
        json["worst"] = {{"index", numbersJson(elementPlace(shape, palette.worst->element))},
                         {"a", exactJson(palette.worst->a)},
                         {"b", exactJson(palette.worst->b)},
                         {"nearest", figureNumber(palette.nearest)}};
    return json;
}

Json codesJson(const CodeCheck &codes)
{
    return {{"examined", numberJson(codes.examined)},
            {"not_nearest", numberJson(codes.notNearest)},
            {"clipped", numberJson(codes.clipped)},
            {"codes", numberJson(codes.codes)},
            {"used_codes", numberJson(codes.usedCodes)}};
}

Json scalesJson(const ScaleCheck &scales)
{
    Json json{{"scales", numberJson(scales.scales)},
              {"not_best", numberJson(scales.notBest)},
              {"rmse_stored", figureNumber(scales.rmseStored)},
              {"rmse_best", figureNumber(scales.rmseBest)}};
    if (scales.notBest > 0)
        json["worst"] = {{"scale", numberJson(scales.worst)},
                         {"stored", figureNumber(scales.worstStored)},
                         {"best", figureNumber(scales.worstBest)}};
    return json;
}

Json formsJson(const CheckedDifference &checked)
{
    Json list = Json::array();
    for (const auto &[index, form] : checked.forms) {
        const ComparedPair &pair = checked.difference.weights[index];
        const Weight &weight = checked.a->weights()[pair.a];
        Json json{{"weight", weight.findableName()},
                  {"weight_b", checked.b->weights()[pair.b].findableName()}};
        if (form.mask)
            json["mask"] = maskJson(*form.mask);
        if (form.palette)
            json["palette"] = paletteJson(*form.palette, weight.shape);
        if (form.codes)
            json["codes"] = codesJson(*form.codes);
        if (form.scales)
            json["scales"] = scalesJson(*form.scales);
        if (!form.notExamined.empty())
            json["not_examined"] = form.notExamined;
        list.push_back(std::move(json));
    }
    return list;
}

Json verdictJson(const CheckedDifference &checked)
{
    const BuildVerdict &verdict = checked.verdict;
    Json json;
    json["holds"] = checked.holds();
    json["faults"] = faultsJson(checked.faults);
    json["stored_a"] = optionalJson(verdict.storedA);
    json["stored_b"] = optionalJson(verdict.storedB);
    json["stored_ratio"] = verdict.storedRatio ? ratioJson(*verdict.storedRatio) : Json(nullptr);
    json["bit_faithful"] = optionalJson(verdict.faithful);
    json["values_compared"] = verdict.faithful.has_value();
    json["counterexample"] = counterexampleJson(checked);
    json["worst"] = Json::array();
    for (const WorstFigure &worst : verdict.worst) {
        const Json value = figureJson(worst.value);
        json["worst"].push_back({{"measure", worst.measure},
                                 {"weight", checked.a->weights()[worst.a].findableName()},
                                 {"weight_b", checked.b->weights()[worst.b].findableName()},
                                 {"value", value.is_string() ? Json(nullptr) : value},
                                 {"said", limitFigureText(worst.value)}});
    }
    if (!checked.forms.empty())
        json["forms"] = formsJson(checked);
    json["outcomes"] = Json::object();
    for (const ChipOutcome &chip : verdict.chips)
        json["outcomes"][chip.target->name] = {{"before", outcomeJson(chip.before)},
                                               {"after", outcomeJson(chip.after)}};
    return json;
}

/// Both histograms, and both values of an element together: [bin of A, bin of B, elements].
Json binsJson(const PairBins &bins)
{
    Json json{{"bin_width", bins.width},
              {"from", bins.edge(0)},
              {"a", numbersJson(bins.a)},
              {"b", numbersJson(bins.b)},
              {"outside", {numberJson(bins.outsideA), numberJson(bins.outsideB)}},
              {"not_finite", {numberJson(bins.notFiniteA), numberJson(bins.notFiniteB)}},
              {"zero_in_both", numberJson(bins.zeros)},
              {"zeroed", numbersJson(bins.zeroed)},
              {"revived", numbersJson(bins.revived)},
              {"joint", Json::array()}};
    for (std::size_t i = 0; i < bins.both.size(); ++i) {
        if (bins.both[i] > 0)
            json["joint"].push_back(
                {i % PairBins::kBins, i / PairBins::kBins, numberJson(bins.both[i])});
    }
    return json;
}

Json worstJson(const WorstPlaces &worst, const Shape &shape)
{
    Json json{{"channels", numberJson(worst.channels)},
              {"different_channels", numberJson(worst.differentChannels)},
              {"worst_channels", jsonArray(channelTable, worst.worstChannels)},
              {"chosen_elements", numberJson(worst.chosenElements)}};
    json["worst_elements"] = jsonArray(elementTable, elementRows(worst, shape, ElementType::Fp16));
    if (worst.bins)
        json["histogram"] = binsJson(*worst.bins);
    return json;
}

Json cellJson(const BuildMatrix &matrix, const MatrixCell &cell, const Bundle &build)
{
    if (cell.weight == kNoIndex)
        return cell.alone ? Json(nullptr) : Json{{"verdict", cell.verdict}};
    Json json;
    json["name"] = build.weights()[cell.weight].findableName();
    addCells(json, matrixTable,
             columnOrder(matrixTable.facts(), matrixTable.documentOrder, kDocument), cell);
    json["outcomes"] = Json::object();
    for (std::size_t i = 0; i < cell.outcomes.size(); ++i)
        json["outcomes"][matrix.chips[i]->name] = decision::outcomeName(cell.outcomes[i]);
    return json;
}

/// Codebooks entry to entry, as `diff --codebooks` has them.
Json codebookMatchJson(const CodebookMatch &match)
{
    Json json{{"codebooks_a", numberJson(match.booksA)}, {"codebooks_b", numberJson(match.booksB)},
              {"entries_a", numberJson(match.entriesA)}, {"entries_b", numberJson(match.entriesB)},
              {"vector", numberJson(match.vector)},      {"counts", Json::object()}};
    for (std::size_t i = 0; i < kEntryChanges; ++i)
        json["counts"][std::string(entryChangeName(static_cast<EntryChange>(i)))] =
            numberJson(match.counts[i]);
    json["entries"] = jsonArray(entryTable, entryRows(match));
    return json;
}

/// What was found of a pair, by its index; null where nothing was.
template <class Found>
std::vector<const Found *> byPair(const Difference &difference,
                                  const std::vector<std::pair<std::size_t, Found>> &found)
{
    std::vector<const Found *> all(difference.weights.size());
    for (const auto &[index, each] : found)
        all[index] = &each;
    return all;
}

/// The pairs in the order that is asked for, and what is beside them.
LateLists weightLists(const CheckedDifference &checked)
{
    const Bundle &a = *checked.a, &b = *checked.b;
    const Difference &difference = checked.difference;
    const auto pairs = wholePairs(difference.weights);
    const auto addFound =
        [&difference, &a, &b, worst = byPair(difference, checked.worst),
         books = byPair(difference, checked.codebooks)](Json &row, const ComparedPair &pair) {
            const auto index = static_cast<std::size_t>(&pair - difference.weights.data());
            if (worst[index])
                row["worst"] = worstJson(*worst[index], comparedWeight(a, b, pair).shape);
            if (books[index])
                row["codebooks"] = codebookMatchJson(*books[index]);
        };
    const auto joined = slicedPairs(difference.weights);
    return {{"weights", pairs.size(),
             [&a, &b, pairs, addFound, order = orderOf(pairs, checked.order)](std::size_t i) {
                 Json row = pairJson(a, b, pairs[order[i]]);
                 addFound(row, pairs[order[i]]);
                 return row;
             }},
            {"joined", joined.size(),
             [&a, &b, joined, addFound](std::size_t i) {
                 return joinedJson(a, b, joined[i], addFound);
             }},
            onlyList("only_a", a, difference.onlyA),
            onlyList("only_b", b, difference.onlyB)};
}

/// `diff` of two builds, with its `verdict`.
Json checkedDifferenceJson(const CheckedDifference &checked, LateLists *late)
{
    const Bundle &a = *checked.a, &b = *checked.b;
    const Difference &difference = checked.difference;
    Json json = document("diff");
    json["a"] = a.name();
    json["b"] = b.name();
    json["identical"] = difference.identical;
    json["files"] = jsonArray(fileDifferenceTable, difference.files);
    json["program"] = {{"equal", difference.program.equal},
                       {"same_computation", difference.program.sameComputation},
                       {"same_bytes", difference.program.sameBytes},
                       {"bytes_a", numberJson(difference.program.bytesA)},
                       {"bytes_b", numberJson(difference.program.bytesB)}};
    json["structure"] = structureJson(a, b, difference);
    addLists(json, weightLists(checked), late);
    if (checked.ranges) {
        json["byte_ranges"] = jsonArray(rangeTable, checked.ranges->rows);
        json["byte_ranges_cut"] = checked.ranges->cut;
    }
    json["verdict"] = verdictJson(checked);
    return json;
}

} // namespace

Json faultsJson(const std::vector<LimitFault> &faults)
{
    return listJson(faults, [&](const auto &fault) -> Json {
        return {{"weight", fault.weight.empty() ? Json(nullptr) : Json(fault.weight)},
                {"weight_b", fault.weightB.empty() ? Json(nullptr) : Json(fault.weightB)},
                {"limit", fault.limit},
                {"found", figureJson(fault.found)},
                {"allowed", figureJson(fault.allowed)},
                {"rule", fault.rule.empty() ? Json(nullptr) : Json(fault.rule)}};
    });
}

Result<std::vector<CheckedDifference>>
compareChecked(const BundlePtr &base, std::span<const BundlePtr> builds,
               std::span<const std::vector<PairChoice>> pairs, const ComparisonWanted &wanted,
               Progress *progress)
{
    Progress own;
    DiffOptions options = wanted.options;
    std::vector<CheckedDifference> all;
    for (std::size_t i = 0; i < builds.size(); ++i) {
        options.pairs = pairs[i];
        auto difference = TRY(compareBundles(*base, *builds[i], options, progress));
        CheckedDifference checked{base, builds[i], std::move(difference), {}, {}};
        checked.faults = checkLimits(*base, *checked.b, checked.difference, wanted.limits);
        checked.verdict = buildVerdict(*base, *checked.b, checked.difference);
        Result<void> found;
        if (wanted.forms)
            found = findForms(checked, progress);
        if (found && wanted.places)
            found = findPlaces(checked, wanted, progress);
        if (found && wanted.ranges)
            found = findRanges(checked, progress != nullptr ? *progress : own);
        if (found && wanted.codebooks)
            found = findCodebooks(checked, progress);
        if (!found)
            return tl::unexpected(std::move(found.error()));
        all.push_back(std::move(checked));
    }
    return all;
}

void setRowOrder(std::span<CheckedDifference> all, std::string_view format,
                 std::optional<RowOrder> order)
{
    const bool forPeople = format == "text" || format == "markdown" || format == "html";
    for (CheckedDifference &checked : all)
        checked.order = order.value_or(forPeople ? RowOrder::WorstFirst : RowOrder::OfA);
}

Result<std::string> differenceDocument(std::span<CheckedDifference> all, std::string_view format,
                                       const Diagnostics &diagnostics, Progress *progress)
{
    const CheckedDifference &first = all.front();
    if (format == "csv")
        return differenceCsv(all);
    if (format == "markdown")
        return differenceMarkdown(all);
    if (format == "junit")
        return differenceJunit(all);
    if (format == "html")
        return differenceHtml(all, progress);
    if (format == "changes")
        return changeScript(*first.a, *first.b, first.difference, progress);
    if (format == "ips" || format == "bps") {
        const auto patch =
            TRY(binaryPatch(*first.a, *first.b, first.difference,
                            format == "ips" ? BinaryFormat::Ips : BinaryFormat::Bps, progress));
        return std::string(reinterpret_cast<const char *>(patch.data()), patch.size());
    }
    if (format == "json") {
        std::string text;
        writeDifferences(all, diagnostics, [&text](std::string_view piece) { text += piece; });
        return text;
    }
    return refused("diff.format", {}, "csv, markdown, junit, html, json, changes, ips or bps",
                   std::string(format), "Not a format of a comparison");
}

Json figureJson(const LimitFigure &figure)
{
    if (const auto *whole = std::get_if<std::uint64_t>(&figure))
        return numberJson(*whole);
    const auto *number = std::get_if<double>(&figure);
    return number != nullptr && std::isfinite(*number) ? Json(*number)
                                                       : Json(limitFigureText(figure));
}

Json exactJson(ExactValue value)
{
    const auto narrow = static_cast<double>(value);
    return static_cast<ExactValue>(narrow) == value || std::isnan(value) ? figureNumber(narrow)
                                                                         : Json(exactText(value));
}

Json differencesJson(std::span<const CheckedDifference> all, LateLists *late)
{
    if (all.size() == 1)
        return checkedDifferenceJson(all.front(), late);
    Json json = document("diff");
    const Bundle &a = *all.front().a;
    json["a"] = a.name();
    json["builds"] = Json::array();
    for (const CheckedDifference &checked : all)
        json["builds"].push_back(checked.b->name());
    json["holds"] = std::ranges::all_of(all, &CheckedDifference::holds);
    json["identical"] = std::ranges::all_of(
        all, [](const CheckedDifference &each) { return each.difference.identical; });
    const auto matrix = std::make_shared<const BuildMatrix>(buildMatrix(a, all));
    const auto matrixRow = [matrix, all](std::size_t i) {
        const BuildMatrix::Row &line = matrix->rows[i];
        Json row{{"weight", line.name},
                 {"stored_bytes", numberJson(line.cells.front().storedBytes)},
                 {"builds", Json::array()}};
        for (std::size_t k = 0; k < all.size(); ++k)
            row["builds"].push_back(cellJson(*matrix, line.cells[k + 1], *all[k].b));
        return row;
    };
    LateLists lists{{"matrix", matrix->rows.size(), matrixRow}};
    addLists(json, lists, late);
    json["comparisons"] = Json::array();
    for (std::size_t i = 0; i < all.size(); ++i) {
        LateLists own;
        json["comparisons"].push_back(checkedDifferenceJson(all[i], late ? &own : nullptr));
        for (LateList &list : own) {
            const auto key =
                std::make_shared<const std::string>(fmt::format("comparisons/{}/{}", i, list.key));
            lists.push_back(
                {*key, list.count, [key, row = list.row](std::size_t k) { return row(k); }});
        }
    }
    if (late)
        *late = std::move(lists);
    return json;
}

void writeDifferences(std::span<const CheckedDifference> all, const Diagnostics &diagnostics,
                      const std::function<void(std::string_view)> &write)
{
    LateLists lists;
    Json document = differencesJson(all, &lists);
    finish(document, diagnostics);
    writeDocument(document, lists,
                  [&write](std::string_view piece) { write(printableJson(std::string(piece))); });
    write("\n");
}

} // namespace kernscope::report
