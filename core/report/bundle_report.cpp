// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/bundle_report.h"
#include "core/base/find.h"
#include "core/report/verdict.h"

#include "core/bundle/stored_bytes.h"
#include "core/form/form_steps.h"
#include "core/report/byte_table.h"
#include "core/report/chip_table.h"
#include "core/report/document.h"
#include "core/report/json_table.h"
#include "core/report/pair_table.h"
#include "core/report/weight_table.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

/// Weights with pictures: the file stays small however many there are.
constexpr std::size_t kMostWeightPictures = 24;

const TableOf<ReportNote> noteTable("notes", {{"place", "", member<&ReportNote::place>},
                                              {"note", "", member<&ReportNote::text>}});

std::string bundleSummary(const Bundle &bundle)
{
    const Totals &totals = bundle.totals();
    std::string forms;
    for (const auto &[form, count] : totals.forms)
        forms += fmt::format("{}{} {}", forms.empty() ? "" : ", ", grouped(count), formWords(form));
    const std::size_t open = static_cast<std::size_t>(
        std::count_if(bundle.weights().begin(), bundle.weights().end(),
                      [](const Weight &weight) { return !knownStoredBytes(weight); }));
    const std::string ratio =
        open == 0 && totals.denseFp16Bytes.value > 0 ? fmt::format(" ({:.3f})", totals.ratio) : "";
    return fmt::format("{}, {} in {} {}. {} {}{}: {} stored, {} as dense fp16{}.",
                       bundleKindName(bundle.kind()), bytesText(bundle.totalBytes().value),
                       bundle.files().size(), bundle.files().size() == 1 ? "file" : "files",
                       grouped(totals.weights), totals.weights == 1 ? "weight" : "weights",
                       forms.empty() ? "" : " (" + printable(forms) + ")",
                       sumText(bytesText(totals.storedBytes.value), open),
                       bytesText(totals.denseFp16Bytes.value), ratio);
}

/// The largest by stored bytes whose values can be read, the largest first.
std::vector<std::size_t> picturedWeights(const Bundle &bundle)
{
    std::vector<std::size_t> weights(bundle.weights().size());
    std::iota(weights.begin(), weights.end(), std::size_t{0});
    std::erase_if(weights, [&bundle](std::size_t i) {
        const Weight &weight = bundle.weights()[i];
        return weight.fault || weight.elements.value < 2;
    });
    std::ranges::stable_sort(weights, [&bundle](std::size_t a, std::size_t b) {
        return bundle.weights()[a].storedBytes.value > bundle.weights()[b].storedBytes.value;
    });
    weights.resize(std::min(weights.size(), kMostWeightPictures));
    return weights;
}

/// A weight against itself: its picture is that of either side.
Result<void> addWeightPictures(Document &document, const Bundle &bundle, Progress *progress)
{
    std::vector<Document::Picture> pictures;
    for (const std::size_t index : picturedWeights(bundle)) {
        if (progress && progress->cancelled())
            return tl::unexpected(cancelledError("The report was not finished."));
        const auto picture = pairPicture(bundle, bundle, {index, index});
        if (!picture)
            continue; // a fault of the values, which the table of faults holds
        const Weight &weight = bundle.weights()[index];
        const std::string name = printable(weight.findableName());
        pictures.push_back({dataUrl(pngOf(picture->a)),
                            name,
                            {name, fmt::format("{}, full colour at {:.4g}", formWords(weight.form),
                                               picture->valueRange)}});
    }
    if (pictures.empty())
        return {};
    document.addHeading("The largest weights");
    document.addText("Output channels go down, the rest across; blue is less than 0, white is 0, "
                     "orange is more, black is not finite. Colours grow with the square root.");
    for (Document::Picture &picture : pictures)
        document.add(std::move(picture));
    return {};
}

Value weightValue(const Bundle &bundle, std::size_t weight)
{
    return weight == kNoIndex ? Value(Nothing()) : Value(bundle.weights()[weight].findableName());
}

} // namespace

Result<std::string> bundleHtml(const BundleReport &report, Progress *progress)
{
    const Bundle &bundle = *report.bundle;
    Document page{printable(bundle.name())};
    page.addHeading(page.title, 1);
    page.addText(bundleSummary(bundle));
    if (const auto verdict = programVerdict(bundle, target::defaultTarget())) {
        page.add(Document::Sentence{verdict->sentence});
        if (!verdict->gains.empty())
            page.addTable("What another form would gain on " + target::defaultTarget().name,
                          gainTable, verdict->gains);
    }
    if (!report.notes.empty())
        page.addTable("Notes", noteTable, report.notes);
    if (!report.findings.empty())
        page.addTable("Worth a look", findingTable, findingRows(bundle, report.findings));
    const StatisticsOptions asked{!report.statistics.empty(), false};
    page.addTable("Weights", weightTable, weightRows(bundle, report.statistics, asked));
    const DecisionTable table(bundle, allTargets());
    page.addTable(
        "What each chip does with the weights", targetTotalsTable,
        mapped(table.columns(), [&](std::size_t column) { return table.totals(column); }));
    if (asked.figures) {
        TRY(addWeightPictures(page, bundle, progress));
    }
    page.addTable("Files", fileTable, bundle.files());
    if (!report.diagnostics.empty())
        page.addTable("Faults and notes", diagnosticTable, report.diagnostics, kWindow);
    return htmlText(page);
}

std::vector<FindingRow> findingRows(const Bundle &bundle, const std::vector<Finding> &findings)
{
    return mapped(findings, [&](const Finding &each) -> FindingRow { return {&bundle, &each}; });
}

const TableOf<FindingRow> findingTable(
    "findings",
    {{kDocument | kTerminal, "kind", "What is odd", CELL(Word(findingName(row.finding->kind)))},
     {kWindow, "finding", "What is odd; the worst kinds come first",
      [](auto &row) {
          std::string words(findingName(row.finding->kind));
          std::replace(words.begin(), words.end(), '_', ' ');
          return Value(words);
      }},
     {kName | kDocument | kWindow, "weight", "Weight that it is about",
      CELL(weightValue(*row.bundle, row.finding->weight))},
     {kDocument, "address", "Model, function and name of that weight",
      [](auto &row) {
          const std::size_t weight = row.finding->weight;
          return weight == kNoIndex ? Value(Nothing())
                                    : Value(row.bundle->weights()[weight].address());
      }},
     {kName | kDocument, "other", "The weight that came first, of two with the same values",
      CELL(weightValue(*row.bundle, row.finding->other))},
     {kDocument, "file", "File that it is about",
      [](auto &row) {
          const std::size_t file = row.finding->file;
          return file == kNoIndex ? Value(Nothing()) : Value(View(row.bundle->files()[file].path));
      }},
     {kNumber | kDocument, "count",
      "Records, elements, bytes, channels, scales, codebook entries or chips, by kind",
      CELL(Count(row.finding->count))},
     {kNumber | kDocument, "of",
      "Out of that many elements, channels, scales, codebook entries or chips",
      CELL(row.finding->of > 0 ? Value(Count(row.finding->of)) : Value(Nothing()))},
     {kNumber | kDocument, "value", "The only value, or the one that lies far out",
      [](auto &row) {
          const bool has = row.finding->kind == Finding::Kind::Constant ||
                           row.finding->kind == Finding::Kind::Outlier;
          return has ? Value(Real(row.finding->value, 6, true)) : Value(Nothing());
      }},
     {kDocument, "contested", "Whether reports of a known fault do not agree",
      [](auto &row) -> Value {
          const bool known = row.finding->kind == Finding::Kind::KnownFault;
          const bool disputed = row.finding->kind == Finding::Kind::DisputedFault;
          return known || disputed ? Value(disputed) : Value(Absent());
      }},
     {kName | kDocument | kTerminal, "text", "what", "The same in words",
      CELL(findingText(*row.bundle, *row.finding))},
     {kWindow, "figure", "what", "The same in words, with the figure",
      [](auto &row) {
          // The weight stands beside it.
          std::string text = findingText(*row.bundle, *row.finding);
          const std::size_t weight = row.finding->weight;
          const std::string name =
              weight == kNoIndex ? "" : row.bundle->weights()[weight].findableName();
          if (!name.empty() && text.starts_with(name))
              text.erase(0, text.find_first_not_of(": ", name.size()));
          if (text.starts_with("and ")) // a known fault of several weights
              text.insert(0, "here ");
          return Value(text);
      }},
     {kWindow, "advice", "what to do", "What one would do about it",
      CELL(View(findingAdvice(row.finding->kind)))}});

/// A path as a reference of RFC 3986: other bytes than its plain ones as "%20", a whole one with
/// its scheme.
static std::string uriText(std::string_view path)
{
    std::string text = path.starts_with('/') ? "file://" : "";
    for (const char c : path) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || std::string_view("/-._~").find(c) != path.npos;
        text += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return text;
}

std::string findingsSarif(const Bundle &bundle, const std::vector<Finding> &findings)
{
    using Kind = Finding::Kind;
    std::vector<std::string_view> rules;
    Json results = Json::array();
    for (const Finding &finding : findings) {
        const std::string_view name = findingName(finding.kind);
        if (std::ranges::find(rules, name) == rules.end()) // two kinds may share a name
            rules.push_back(name);
        const bool has = finding.weight != kNoIndex;
        std::filesystem::path file = bundle.path();
        if (finding.file != kNoIndex && bundle.files()[finding.file].path != bundle.name())
            file /= bundle.files()[finding.file].path;
        Json place = {
            {"physicalLocation", {{"artifactLocation", {{"uri", uriText(file.string())}}}}}};
        if (has)
            place["logicalLocations"] =
                Json::array({{{"fullyQualifiedName", bundle.weights()[finding.weight].address()}}});
        results.push_back({{"ruleId", name},
                           {"level", finding.kind == Kind::Damaged      ? "error"
                                     : finding.kind <= Kind::KnownFault ? "warning"
                                                                        : "note"},
                           {"message", {{"text", findingText(bundle, finding)}}},
                           {"locations", Json::array({place})}});
    }
    Json ids = listJson(rules, [](std::string_view rule) -> Json { return {{"id", rule}}; });
    const Json driver = {
        {"name", "kernscope"}, {"version", document("inspect")["version"]}, {"rules", ids}};
    return documentText(
               {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                {"version", "2.1.0"},
                {"runs", Json::array({{{"tool", {{"driver", driver}}}, {"results", results}}})}}) +
           "\n";
}

std::vector<Finding> findAll(const Bundle &bundle,
                             const std::vector<std::optional<Statistics>> &weights,
                             Progress &progress)
{
    const BundleReadLock lock(bundle);
    std::vector<Finding> found = examineBundle(bundle, weights, progress).findings;
    const std::vector<Finding> folds = foldFindings(DecisionTable(bundle, allTargets()));
    found.insert(found.end(), folds.begin(), folds.end());
    const std::vector<Finding> known = knownFaultFindings(bundle);
    found.insert(found.end(), known.begin(), known.end());
    sortFindings(found);
    return found;
}

void keepWeights(Json &document, LateLists &lists, std::string_view where,
                 const std::vector<bool> &selected)
{
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < selected.size(); ++i) {
        if (selected[i])
            kept.push_back(i);
    }
    lists.back().count = kept.size();
    lists.back().row = [row = lists.back().row, kept](std::size_t i) { return row(kept[i]); };
    document["where"] = where;
}

void addReportFile(Json &document, std::string_view path)
{
    document["report"] = path;
}

void addFindings(Json &document, const Bundle &bundle, const std::vector<Finding> &findings)
{
    document["findings"] = jsonArray(findingTable, findingRows(bundle, findings));
}

} // namespace kernscope::report
