// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/difference_formats.h"

#include "core/base/csv.h"
#include "core/base/parts.h"
#include "core/base/svg.h"
#include "core/bundle/bundle.h"
#include "core/report/document.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

/// Weights with pictures, and rows of one codebook: the file stays small for any number of them.
constexpr std::size_t kMostPictures = 24, kMostRows = 512;
constexpr auto kRight = TextTable::Align::Right;

/// "x.mlmodelc: [journal.pending] …" of each journal that makes the answer one of bytes that are
/// not, or may not be, what the disk holds as a whole. Every format has them.
std::vector<std::string> journalTexts(const CheckedDifference &checked)
{
    std::vector<std::string> texts;
    for (const BundlePtr &bundle : {checked.a, checked.b}) {
        for (const Diagnostic &row : bundle->diagnostics()) {
            if (row.severity == Severity::Error && row.error.code.starts_with("journal."))
                texts.push_back(printable(
                    fmt::format("{}: [{}] {}", bundle->name(), row.error.code, row.error.message)));
        }
    }
    return texts;
}

std::string faultsOf(const CheckedDifference &checked, const std::string &weight)
{
    std::string text;
    for (const LimitFault &fault : checked.faults) {
        if (fault.weight == weight)
            text += (text.empty() ? "" : "; ") + faultText(fault);
    }
    return text;
}

/// One row a pair in the order of A, one a part of split and merged weights, then the weights that
/// one side alone has; or all of them in the order of their severity, as checked.order says: the
/// rows of pairTable, whose columns for documents these formats have.
std::vector<PairRow> differenceRows(const CheckedDifference &checked)
{
    const Difference &difference = checked.difference;
    auto rows =
        pairRows(*checked.a, *checked.b, difference.weights, difference.onlyA, difference.onlyB);
    for (PairRow &row : rows)
        row.limits = faultsOf(checked, row.onA() ? row.findableA : row.findableB);
    sortRows(rows, checked.order);
    return rows;
}

/// Places of those columns in pairTable, in the order of CSV.
const std::vector<std::size_t> &differenceColumns()
{
    static const std::vector<std::size_t> kColumns =
        columnOrder(pairTable.facts(), pairTable.documentOrder, kDocument);
    return kColumns;
}

/// "Equal", "Holds" (other, but within the limits), "Different" or "Cannot be compared" (there are
/// no limits), or "Does not hold".
std::string_view differenceHeadline(const CheckedDifference &checked)
{
    if (checked.holds())
        return checked.difference.identical ? "Equal" : "Holds";
    if (checked.faults.front().limit != "identical")
        return "Does not hold";
    return checked.difference.unread ? "Cannot be compared" : "Different";
}

/// "old.mlmodelc > new.mlmodelc".
std::string differenceTitle(const CheckedDifference &checked)
{
    return printable(checked.a->name()) + " > " + printable(checked.b->name());
}

/// A number of the tables for people: whole ones grouped, others at six digits; CSV and JSON have
/// all of them. Anything else stays as it is.
std::string readableNumber(const std::string &text)
{
    if (const auto whole = digitsOf(text))
        return grouped(*whole);
    const auto number = parseNumber(text);
    const bool longer = text.find('.') != std::string::npos && text.size() > 8;
    return longer && number ? fmt::format("{:.6g}", *number) : text;
}

/// A cell of the tables for people.
std::string readableCell(const Value &value)
{
    const bool number = std::holds_alternative<Count>(value) || std::holds_alternative<Real>(value);
    if (std::holds_alternative<Written>(value))
        return text(value);
    return number ? readableNumber(plainText(value)) : plainText(value);
}

/// Those columns of the table of pairs; `titles`, else the keys of JSON.
TextTable pairTextTable(const CheckedDifference &checked, const std::vector<std::size_t> &places,
                        bool titles)
{
    const auto &columns = pairTable.columns;
    std::vector<TextTable::Column> headers;
    for (const std::size_t column : places)
        headers.push_back({std::string(titles ? columns[column].title : columns[column].key),
                           columns[column].facts().number() ? kRight : TextTable::Align::Left});
    TextTable table(std::move(headers));
    for (const PairRow &row : differenceRows(checked)) {
        std::vector<std::string> cells;
        for (const std::size_t column : places)
            cells.push_back(readableCell(columns[column].value(row)));
        table.add(std::move(cells));
    }
    return table;
}

std::string limitText(const LimitFault &fault)
{
    return (fault.weight.empty() ? "the whole" : printable(fault.weight)) + " " + faultText(fault);
}

void addMarkdown(Document &document, const CheckedDifference &checked)
{
    document.addHeading(differenceTitle(checked), 1);
    document.addText(differenceSummary(*checked.a, *checked.b, checked.difference));
    document.add(
        Document::Sentence{". " + faithfulText(*checked.a, checked.difference, checked.verdict),
                           Document::Tone::Plain, std::string(differenceHeadline(checked))});
    std::vector<std::string> faults = journalTexts(checked);
    for (const LimitFault &fault : checked.faults)
        faults.push_back(limitText(fault));
    if (!faults.empty())
        document.add(Document::Items{std::move(faults)});
    document.add(pairTextTable(checked, differenceColumns(), false));
}

/// A test case: what fails, and what could not even be read.
struct JunitCase {
    std::string name, failures, errors;
};

std::vector<JunitCase> casesOf(const CheckedDifference &checked)
{
    std::vector<JunitCase> cases{{"whole", {}, {}}};
    for (const PairRow &row : differenceRows(checked)) {
        // A split weight has a row for each part, and one case.
        if (const std::string name = printable(row.onA() ? row.findableA : row.findableB);
            cases.back().name != name)
            cases.push_back({name, {}, {}});
        if (row.pair.unreadable())
            cases.back().errors = row.verdict;
    }
    for (const std::string &journal : journalTexts(checked))
        cases.front().errors += (cases.front().errors.empty() ? "" : "; ") + journal;
    for (const LimitFault &fault : checked.faults) {
        const auto found =
            fault.weight.empty()
                ? cases.begin()
                : std::find_if(cases.begin() + 1, cases.end(), [&](const JunitCase &each) {
                      return each.name == printable(fault.weight);
                  });
        if (fault.limit == "readable")
            found->errors = faultText(fault);
        else
            found->failures += (found->failures.empty() ? "" : "; ") + faultText(fault);
    }
    return cases;
}

std::string junitOf(const CheckedDifference &checked)
{
    const auto cases = casesOf(checked);
    std::size_t failures = 0, errors = 0;
    std::string text;
    for (const JunitCase &each : cases) {
        failures += each.failures.empty() ? 0 : 1;
        errors += each.errors.empty() ? 0 : 1;
        text += fmt::format("    <testcase classname=\"kernscope.diff\" name=\"{}\">",
                            escapedMarkup(each.name));
        if (!each.failures.empty())
            text += fmt::format("<failure message=\"{}\"/>", escapedMarkup(each.failures));
        if (!each.errors.empty())
            text += fmt::format("<error message=\"{}\"/>", escapedMarkup(each.errors));
        text += "</testcase>\n";
    }
    return fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}"
                       "  </testsuite>\n",
                       escapedMarkup(differenceTitle(checked)), cases.size(), failures, errors,
                       text);
}

/// Bars by powers of two of the distance, their heights by the logarithm of the count.
std::string histogramSvg(const ValueDifference &values)
{
    constexpr int kBarsHeight = 120, kBar = 14;
    double most = 1;
    for (const std::uint64_t count : values.ulpHistogram)
        most = std::max(most, static_cast<double>(count));
    std::string bars;
    for (std::size_t bin = 0; bin < values.ulpHistogram.size(); ++bin) {
        const auto count = static_cast<double>(values.ulpHistogram[bin]);
        const double height =
            count > 0 ? 2 + (kBarsHeight - 2) * std::log1p(count) / std::log1p(most) : 0;
        const std::string steps = bin == 0   ? "0"
                                  : bin == 1 ? "1"
                                             : fmt::format("2^{} to 2^{} - 1", bin - 1, bin);
        bars += svg::element(
            "rect",
            {{"x", static_cast<int>(bin) * kBar},
             {"y", kBarsHeight - height},
             {"width", kBar - 2},
             {"height", height},
             {"fill", bin == 0 ? "#8a94a0" : "#b35806"}},
            svg::element("title", {},
                         fmt::format("{} ULP: {} elements", steps, values.ulpHistogram[bin])));
    }
    const int width = static_cast<int>(values.ulpHistogram.size()) * kBar;
    return svg::element("svg",
                        {{"role", "img"},
                         {"aria-label", "Elements by their distance in ULP"},
                         {"width", width},
                         {"height", kBarsHeight}},
                        svg::element("line", {{"x1", 0},
                                              {"y1", kBarsHeight},
                                              {"x2", width},
                                              {"y2", kBarsHeight},
                                              {"stroke", "#8a94a0"}}) +
                            bars);
}

/// Indices in Difference::weights of those whose values differ, the worst first.
std::vector<std::size_t> worstValues(const CheckedDifference &checked)
{
    const auto &pairs = checked.difference.weights;
    std::vector<std::size_t> worst;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (pairs[i].values && !pairs[i].values->identical())
            worst.push_back(i);
    }
    std::ranges::stable_sort(worst, [&](std::size_t x, std::size_t y) {
        return worse(severityOf(*pairs[x].values, false), severityOf(*pairs[y].values, false));
    });
    worst.resize(std::min(worst.size(), kMostPictures));
    return worst;
}

/// The worst places that were asked for; null where they were not.
const WorstPlaces *placesOf(const CheckedDifference &checked, std::size_t index)
{
    for (const auto &[of, places] : checked.worst) {
        if (of == index)
            return &places;
    }
    return nullptr;
}

/// "name: verdict"
std::string titleOf(const CheckedDifference &checked, const ComparedPair &pair)
{
    std::string name = checked.a->weights()[pair.a].findableName(),
                what = verdict(pair, *checked.a, *checked.b);
    if (pair.slice) {
        name += " > " + checked.b->weights()[pair.b].findableName();
        what += "; " + sliceText(*pair.slice);
    }
    return printable(name) + ": " + what;
}

/// The worst channels and elements of a pair, where they were asked for.
void addWorst(Document &document, const WorstPlaces &worst, const Shape &shape)
{
    document.addText(
        fmt::format("{} of {} output channels differ. The worst of them, and the worst elements:",
                    worst.differentChannels, worst.channels));
    TextTable table({{"channel", kRight},
                     {"different", kRight},
                     {"max |B - A|", kRight},
                     {"RMSE", kRight},
                     {"SNR, dB", kRight},
                     {"element"},
                     {"A", kRight},
                     {"B", kRight}});
    const std::size_t rows = std::max(worst.worstChannels.size(), worst.worstElements.size());
    for (std::size_t i = 0; i < rows; ++i) {
        std::vector<std::string> cells(5);
        if (i < worst.worstChannels.size()) {
            const ChannelDifference &channel = worst.worstChannels[i];
            cells = {fmt::format("{}", channel.channel),
                     fmt::format("{} of {}", channel.different, channel.elements),
                     fmt::format("{:.6g}", channel.maxAbs), fmt::format("{:.4g}", channel.rmse),
                     text(Real(channel.snr, 2))};
        }
        if (i < worst.worstElements.size()) {
            const ElementPair &element = worst.worstElements[i];
            cells.push_back(
                fmt::format("[{}]", fmt::join(elementPlace(shape, element.element), ",")));
            cells.push_back(exactText(element.a));
            cells.push_back(exactText(element.b));
        }
        table.add(std::move(cells));
    }
    document.add(std::move(table));
}

void addPicture(Document &document, const PairPicture &picture)
{
    const auto add = [&document](const IndexedPicture &pixels, const char *what, double range) {
        document.add(
            Document::Picture{dataUrl(pngOf(pixels)),
                              what,
                              {fmt::format("{}, full colour from {:.4g} on", what, range)}});
    };
    add(picture.a, "A", picture.valueRange);
    add(picture.b, "B", picture.valueRange);
    add(picture.difference, "B - A", picture.differenceRange);
}

Result<void> addDifferentValues(Document &document, const CheckedDifference &checked,
                                Progress *progress)
{
    const auto worst = worstValues(checked);
    if (worst.empty())
        return {};
    document.addHeading("Values of the weights that differ");
    document.addText(fmt::format(
        "{} with the largest relative error, the worst first. Output channels go down, "
        "the rest across; blue is less than 0, white is 0, orange is more, black is "
        "not finite. Colours grow with the square root.",
        worst.size() == 1 ? std::string("The one") : fmt::format("The {}", worst.size())));
    for (const std::size_t index : worst) {
        const ComparedPair &pair = checked.difference.weights[index];
        const auto picture = pairPicture(*checked.a, *checked.b, pair, progress);
        if (!picture && picture.error().code == "task.cancelled")
            return tl::unexpected(picture.error());
        document.addHeading(titleOf(checked, pair), 3);
        if (picture)
            addPicture(document, *picture);
        if (pair.values->oneType)
            document.add(Document::Picture{
                histogramSvg(*pair.values),
                "Elements by distance",
                {fmt::format("Elements by distance in ULP of {}: 0 at the left, then powers of "
                             "two; heights logarithmic",
                             elementTypeName(pair.values->ulpType))}});
        if (const WorstPlaces *places = placesOf(checked, index))
            addWorst(document, *places, comparedWeight(*checked.a, *checked.b, pair).shape);
        if (picture && picture->binned)
            document.addText("A cell stands for several elements: their mean in A and B, the "
                             "largest difference in B - A.");
    }
    return {};
}

void addVerdict(Document &document, const CheckedDifference &checked)
{
    using Tone = Document::Tone;
    const BuildVerdict &verdict = checked.verdict;
    document.addText(differenceSummary(*checked.a, *checked.b, checked.difference));
    document.add(Document::Sentence{
        fmt::format("{} {}", checked.holds() ? "✓" : "✗", differenceHeadline(checked)),
        checked.holds() ? Tone::Holds : Tone::Fails});
    for (std::string &journal : journalTexts(checked))
        document.add(Document::Sentence{std::move(journal), Tone::Fails});
    if (!checked.faults.empty() && checked.faults.front().limit != "identical") {
        Document::Items faults;
        for (const LimitFault &fault : checked.faults)
            faults.texts.push_back(limitText(fault));
        document.add(std::move(faults));
    }
    Document::Items figures;
    if (verdict.storedRatio)
        figures.texts.push_back(fmt::format("Stored: {} B in A, {} B in B ({:.3f})",
                                            grouped(*verdict.storedA), grouped(*verdict.storedB),
                                            *verdict.storedRatio));
    figures.texts.push_back(printable(faithfulText(*checked.a, checked.difference, verdict)));
    for (const WorstFigure &worst : verdict.worst) {
        const std::string inA = checked.a->weights()[worst.a].findableName(),
                          inB = checked.b->weights()[worst.b].findableName();
        figures.texts.push_back(fmt::format("Worst {}: {} in {}", worst.measure,
                                            readableNumber(limitFigureText(worst.value)),
                                            printable(inA == inB ? inA : inA + " > " + inB)));
    }
    document.add(std::move(figures));
}

void addCodebooks(Document &document, const std::string &name, const CodebookMatch &match)
{
    document.addHeading("Codebooks of " + printable(name));
    document.addText(fmt::format("Entry to entry, by the elements that take them: {}.",
                                 codebookCountsText(match)));
    std::vector<EntryFacts> rows = entryRows(match);
    const std::size_t more = rows.size() - std::min(kMostRows, rows.size());
    rows.resize(rows.size() - more);
    document.add(textTable(entryTable, rows));
    if (more > 0)
        document.addText(fmt::format("And {} more.", more));
}

void addAllCodebooks(Document &document, const CheckedDifference &checked)
{
    for (const auto &[index, match] : checked.codebooks) {
        const ComparedPair &pair = checked.difference.weights[index];
        std::string name = comparedWeight(*checked.a, *checked.b, pair).findableName();
        if (pair.slice)
            name += " (" + sliceText(*pair.slice) + ")";
        addCodebooks(document, name, match);
    }
}

void addChips(Document &document, const CheckedDifference &checked)
{
    TextTable table({{"chip"},
                     {"build"},
                     {"stream", kRight},
                     {"fold", kRight},
                     {"dense", kRight},
                     {"rejected", kRight},
                     {"unknown", kRight},
                     {"bytes moved a dispatch", kRight}});
    const auto add = [&table](const std::string &chip, const char *build,
                              const BuildOutcome &each) {
        const auto count = [](std::uint64_t number) { return fmt::format("{}", number); };
        table.add({chip, build, count(each.streams), count(each.folds), count(each.dense),
                   count(each.rejected), count(each.unknown),
                   sumText(count(each.bytesMoved), each.movedOpen)});
    };
    for (const ChipOutcome &chip : checked.verdict.chips) {
        add(chip.target->name, "A", chip.before);
        add({}, "B", chip.after);
    }
    document.addHeading("Chips");
    document.add(std::move(table));
}

/// Columns of pairTable: what is read first stands first. Words that may be long (limits that are
/// exceeded, names in B) come behind the figures, which would else be out of sight.
const std::vector<std::size_t> &htmlColumns()
{
    static const std::vector<std::size_t> kColumns = columnOrder(
        pairTable.facts(),
        {"name",    "verdict", "relative_rmse", "snr_db",      "max_abs",     "cosine",  "equal",
         "changed", "zeroed",  "revived",       "nonfinite_a", "nonfinite_b", "limits",  "changes",
         "name_b",  "form_a",  "form_b",        "stored_a",    "stored_b",    "max_rel", "max_ulp"},
        kDocument);
    return kColumns;
}

/// The columns that say something of any weight: that of limits is empty without limits, the names
/// in B where all are those of A, and all is finite in most.
std::vector<std::size_t> usedColumns(std::span<const PairRow> rows)
{
    const auto &columns = pairTable.columns;
    std::vector<std::size_t> used;
    for (const std::size_t column : htmlColumns()) {
        const bool nameB = columns[column].key == "name_b";
        const bool finite = columns[column].key.starts_with("nonfinite");
        const auto says = [&](const PairRow &row) {
            const std::string plain = plainText(columns[column].value(row));
            return nameB ? row.findableB != row.findableA
                         : !plain.empty() && !(finite && plain == "0");
        };
        if (std::ranges::any_of(rows, says))
            used.push_back(column);
    }
    return used;
}

} // namespace

void sortRows(std::span<PairRow> rows, RowOrder order)
{
    if (order == RowOrder::WorstFirst)
        std::ranges::stable_sort(rows, worse, &PairRow::severity);
}

std::string faultText(const LimitFault &fault)
{
    std::string text = fmt::format("{}: found {}, allowed {}", fault.limit,
                                   limitFigureText(fault.found), limitFigureText(fault.allowed));
    return printable(fault.rule.empty() ? text : text + " (rule " + fault.rule + ")");
}

std::string codebookCountsText(const CodebookMatch &match)
{
    std::string text;
    for (std::size_t i = 0; i < kEntryChanges; ++i) {
        if (match.counts[i] > 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", match.counts[i],
                                entryChangeName(static_cast<EntryChange>(i)));
    }
    return text;
}

std::string differenceCsv(std::span<const CheckedDifference> all)
{
    const auto &columns = pairTable.columns;
    std::vector<std::string> keys{"a", "b"};
    for (const std::size_t column : differenceColumns())
        keys.emplace_back(columns[column].key);
    std::string text = csvLine(std::move(keys));
    for (const CheckedDifference &checked : all) {
        for (const std::string &journal : journalTexts(checked))
            text += csvField(printable(checked.a->name())) + "," +
                    csvField(printable(checked.b->name())) + "," + csvField(journal) +
                    std::string(differenceColumns().size() - 1, ',') + "\n";
        for (const PairRow &row : differenceRows(checked)) {
            std::vector<std::string> cells{printable(checked.a->name()),
                                           printable(checked.b->name())};
            for (const std::size_t column : differenceColumns())
                cells.push_back(plainText(columns[column].value(row)));
            text += csvLine(std::move(cells));
        }
    }
    return text;
}

std::string differenceMarkdown(std::span<const CheckedDifference> all)
{
    Document document;
    for (const CheckedDifference &checked : all)
        addMarkdown(document, checked);
    return markdownText(document);
}

std::string differenceJunit(std::span<const CheckedDifference> all)
{
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
    for (const CheckedDifference &checked : all)
        text += junitOf(checked);
    return text + "</testsuites>\n";
}

Result<std::string> differenceHtml(std::span<const CheckedDifference> all, Progress *progress)
{
    Document page{differenceTitle(all.front())};
    for (const CheckedDifference &checked : all) {
        page.addHeading(differenceTitle(checked), 1);
        addVerdict(page, checked);
        page.addHeading("Weights");
        page.add(pairTextTable(checked, usedColumns(differenceRows(checked)), true));
        TRY(addDifferentValues(page, checked, progress));
        addAllCodebooks(page, checked);
        addChips(page, checked);
    }
    return htmlText(page);
}

} // namespace kernscope::report
