// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/bundle_report.h"

#include "core/assessment/weight_facts.h"
#include "core/base/printable.h"
#include "core/bundle/stored_bytes.h"
#include "core/report/chip_table.h"
#include "core/report/difference_rows.h"
#include "core/report/html_page.h"
#include "core/report/json.h"
#include "core/report/pair_picture.h"
#include "core/report/section_table.h"
#include "core/report/text_table.h"
#include "core/report/weight_table.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

/// Weights with pictures: the file stays small however many there are.
constexpr std::size_t kMostWeightPictures = 24;

const TableOf<ReportNote> &noteTable()
{
    using Row = ReportNote;
    static constexpr Column<Row> kColumns[] = {
        {"place", "place", "", [](const ReportNote &row) { return Value(View(row.place)); }},
        {"note", "note", "", [](const ReportNote &row) { return Value(View(row.text)); }},
    };
    static const TableOf<Row> kTable{"notes", kColumns};
    return kTable;
}

std::string summaryHtml(const Bundle &bundle)
{
    const Totals &totals = bundle.totals();
    std::string forms;
    for (const auto &[form, count] : totals.forms)
        forms += fmt::format("{}{} {}", forms.empty() ? "" : ", ", grouped(count), form);
    const std::size_t open = static_cast<std::size_t>(
        std::count_if(bundle.weights().begin(), bundle.weights().end(),
                      [](const Weight &weight) { return !knownStoredBytes(weight); }));
    const std::string ratio =
        open == 0 && totals.denseFp16Bytes.value > 0 ? fmt::format(" ({:.3f})", totals.ratio) : "";
    return fmt::format(
        "<h1>{}</h1>\n<p>{}, {} in {} {}. {} {}{}: {} stored, {} as dense fp16{}.</p>\n",
        escapedMarkup(printable(bundle.name())), bundleKindName(bundle.kind()),
        bytesText(bundle.totalBytes().value), bundle.files().size(),
        bundle.files().size() == 1 ? "file" : "files", grouped(totals.weights),
        totals.weights == 1 ? "weight" : "weights",
        forms.empty() ? "" : " (" + escapedMarkup(printable(forms)) + ")",
        sumText(bytesText(totals.storedBytes.value), open), bytesText(totals.denseFp16Bytes.value),
        ratio);
}

std::string bundleChipsHtml(const Bundle &bundle)
{
    const DecisionTable table(bundle, allTargets());
    std::vector<TargetTotals> rows;
    for (std::size_t column = 0; column < table.columns(); ++column)
        rows.push_back(table.totals(column));
    return "<h2>What each chip does with the weights</h2>\n" + htmlTable(targetTotalsTable(), rows);
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
    std::stable_sort(weights.begin(), weights.end(), [&bundle](std::size_t a, std::size_t b) {
        return bundle.weights()[a].storedBytes.value > bundle.weights()[b].storedBytes.value;
    });
    weights.resize(std::min(weights.size(), kMostWeightPictures));
    return weights;
}

/// A weight against itself: its picture is that of either side.
Result<std::string> weightPictures(const Bundle &bundle, Progress *progress)
{
    std::string text;
    for (const std::size_t index : picturedWeights(bundle)) {
        if (progress && progress->cancelled())
            return tl::unexpected(cancelledError("The report was not finished."));
        const auto picture = pairPicture(bundle, index, bundle, index);
        if (!picture)
            continue; // a fault of the values, which the table of faults holds
        const Weight &weight = bundle.weights()[index];
        const std::string name = escapedMarkup(printable(weight.findableName()));
        text += fmt::format("<figure><img width=\"288\" height=\"144\" alt=\"{0}\" "
                            "src=\"{1}\"><figcaption>{0}<br>{2}, full "
                            "colour at {3:.4g}</figcaption></figure>\n",
                            name, dataUrl(pngOf(picture->a)), escapedMarkup(formText(weight.form)),
                            picture->valueRange);
    }
    if (text.empty())
        return text;
    return "<h2>The largest weights</h2><p>Output channels go down, the rest across; blue is less "
           "than 0, white is 0, orange is more, black is not finite. Colours grow with the square "
           "root.</p>\n" +
           text;
}

} // namespace

Result<std::string> bundleHtml(const BundleReport &report, Progress *progress)
{
    const Bundle &bundle = *report.bundle;
    std::string text = htmlHead(printable(bundle.name())) + summaryHtml(bundle);
    if (!report.notes.empty())
        text += "<h2>Notes</h2>\n" + htmlTable(noteTable(), report.notes);
    if (!report.findings.empty())
        text += "<h2>Worth a look</h2>\n" +
                htmlTable(findingTable(), findingRows(bundle, report.findings));
    const StatisticsOptions asked{!report.statistics.empty(), false};
    text += "<h2>Weights</h2>\n" +
            htmlTable(weightTable(), weightRows(bundle, report.statistics, asked)) +
            bundleChipsHtml(bundle);
    if (asked.figures) {
        const auto pictures = weightPictures(bundle, progress);
        if (!pictures)
            return tl::unexpected(pictures.error());
        text += *pictures;
    }
    text += "<h2>Files</h2>\n" + htmlTable(fileTable(), bundle.files());
    if (!report.diagnostics.empty())
        text += "<h2>Faults and notes</h2>\n" +
                htmlTable(diagnosticTable(), report.diagnostics, kWindow);
    return text.append(htmlEnd());
}

namespace {

Value weightValue(const Bundle &bundle, std::size_t weight)
{
    return weight == kNoIndex ? Value(Nothing()) : Value(bundle.weights()[weight].findableName());
}

} // namespace

std::vector<FindingRow> findingRows(const Bundle &bundle, const std::vector<Finding> &findings)
{
    std::vector<FindingRow> rows;
    for (const Finding &finding : findings)
        rows.push_back({&bundle, &finding});
    return rows;
}

const TableOf<FindingRow> &findingTable()
{
    using Row = FindingRow;
    static constexpr Column<Row> kColumns[] = {
        {"kind", "kind", "What is odd",
         [](const Row &row) -> Value { return Word(findingName(row.finding->kind)); }},
        {kName | kDocument, "weight", "weight", "Weight that it is about",
         [](const Row &row) { return weightValue(*row.bundle, row.finding->weight); }},
        {kDocument, "address", "address", "Model, function and name of that weight",
         [](const Row &row) -> Value {
             const std::size_t weight = row.finding->weight;
             return weight == kNoIndex ? Value(Nothing())
                                       : Value(row.bundle->weights()[weight].address());
         }},
        {kName | kDocument, "other", "other weight",
         "The weight that came first, of two with the same values",
         [](const Row &row) { return weightValue(*row.bundle, row.finding->other); }},
        {kDocument, "file", "file", "File that it is about",
         [](const Row &row) -> Value {
             const std::size_t file = row.finding->file;
             return file == kNoIndex ? Value(Nothing())
                                     : Value(View(row.bundle->files()[file].path));
         }},
        {kNumber | kDocument, "count", "count",
         "Records, elements, bytes, channels, scales, codebook entries or chips, by kind",
         [](const Row &row) -> Value { return Count(row.finding->count); }},
        {kNumber | kDocument, "of", "of",
         "Out of that many elements, channels, scales, codebook entries or chips",
         [](const Row &row) -> Value {
             return row.finding->of > 0 ? Value(Count(row.finding->of)) : Value(Nothing());
         }},
        {kNumber | kDocument, "value", "value", "The only value, or the one that lies far out",
         [](const Row &row) -> Value {
             const bool has = row.finding->kind == Finding::Kind::Constant ||
                              row.finding->kind == Finding::Kind::Outlier;
             return has ? Value(Real(row.finding->value, 6, true)) : Value(Nothing());
         }},
        {kName, "text", "what", "The same in words",
         [](const Row &row) -> Value { return findingText(*row.bundle, *row.finding); }},
    };
    static const TableOf<Row> table{"findings", kColumns};
    return table;
}

std::vector<Finding> findAll(const Bundle &bundle,
                             const std::vector<std::optional<Statistics>> &weights,
                             Progress &progress)
{
    const BundleReadLock lock(bundle);
    std::vector<Finding> found = examineBundle(bundle, weights, progress).findings;
    const std::vector<Finding> folds = foldFindings(DecisionTable(bundle, allTargets()));
    found.insert(found.end(), folds.begin(), folds.end());
    sortFindings(found);
    return found;
}

} // namespace kernscope::report
