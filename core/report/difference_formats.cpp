// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/difference_formats.h"

#include "core/base/printable.h"
#include "core/bundle/bundle.h"
#include "core/diff/severity.h"
#include "core/report/difference_rows.h"
#include "core/report/document.h"
#include "core/report/pair_picture.h"
#include "core/report/places_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

/// Weights with pictures, and rows of one codebook: the file stays small for any number of them.
constexpr std::size_t kMostPictures = 24, kMostRows = 512;
constexpr auto kRight = TextTable::Align::Right;

std::string faultsOf(const CheckedDifference &checked, const std::string &weight)
{
    std::string text;
    for (const LimitFault &fault : checked.faults) {
        if (fault.weight == weight)
            text += (text.empty() ? "" : "; ") + faultText(fault);
    }
    return text;
}

/// With the limits that its weight exceeds.
PairFacts checkedRow(const CheckedDifference &checked, PairFacts facts)
{
    facts.limits = faultsOf(checked, facts.name.empty() ? facts.nameB : facts.name);
    return facts;
}

/// Those columns of the table of pairs; `titles`, else the keys of JSON.
TextTable pairTextTable(const CheckedDifference &checked, const std::vector<std::size_t> &places,
                        bool titles)
{
    const auto &columns = pairTable().columns;
    std::vector<TextTable::Column> headers;
    for (const std::size_t column : places)
        headers.push_back({std::string(titles ? columns[column].title : columns[column].key),
                           columns[column].facts().number() ? kRight : TextTable::Align::Left});
    TextTable table(std::move(headers));
    for (const PairFacts &row : differenceRows(checked)) {
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
    for (const PairFacts &row : differenceRows(checked)) {
        // A split weight has a row for each part, and one case.
        if (const std::string name = printable(row.name.empty() ? row.nameB : row.name);
            cases.back().name != name)
            cases.push_back({name, {}, {}});
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
        std::string &said = fault.limit == "readable" ? found->errors : found->failures;
        said += (said.empty() ? "" : "; ") + faultText(fault);
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
    constexpr double kHeight = 120, kBar = 14;
    double most = 1;
    for (const std::uint64_t count : values.ulpHistogram)
        most = std::max(most, static_cast<double>(count));
    std::string bars;
    for (std::size_t bin = 0; bin < values.ulpHistogram.size(); ++bin) {
        const auto count = static_cast<double>(values.ulpHistogram[bin]);
        const double height =
            count > 0 ? 2 + (kHeight - 2) * std::log1p(count) / std::log1p(most) : 0;
        const std::string steps = bin == 0   ? "0"
                                  : bin == 1 ? "1"
                                             : fmt::format("2^{} to 2^{} - 1", bin - 1, bin);
        bars += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" "
                            "fill=\"{}\"><title>{} ULP: {} elements</title></rect>",
                            static_cast<double>(bin) * kBar, kHeight - height, kBar - 2, height,
                            bin == 0 ? "#8a94a0" : "#b35806", steps, values.ulpHistogram[bin]);
    }
    const double width = static_cast<double>(values.ulpHistogram.size()) * kBar;
    return fmt::format(
        "<svg role=\"img\" aria-label=\"Elements by their distance in ULP\" width=\"{0}\" "
        "height=\"{1}\"><line x1=\"0\" y1=\"{1}\" x2=\"{0}\" y2=\"{1}\" stroke=\"#8a94a0\"/>{2}"
        "</svg>",
        width, kHeight, bars);
}

/// A pair, or a part of a split or merged weight, whose values differ.
struct DifferentValues {
    const ValueDifference *values = nullptr;
    std::size_t index = 0; ///< of the pair; of a part: of Difference::joined
    std::optional<std::size_t> part;
};

/// The worst first.
std::vector<DifferentValues> worstValues(const CheckedDifference &checked)
{
    const Difference &difference = checked.difference;
    std::vector<DifferentValues> worst;
    for (std::size_t i = 0; i < difference.weights.size(); ++i) {
        const auto &values = difference.weights[i].values;
        if (values && !values->identical())
            worst.push_back({&*values, i, std::nullopt});
    }
    for (std::size_t i = 0; i < difference.joined.size(); ++i) {
        const auto &parts = difference.joined[i].parts;
        for (std::size_t k = 0; k < parts.size(); ++k) {
            if (parts[k].values && !parts[k].values->identical())
                worst.push_back({&*parts[k].values, i, k});
        }
    }
    std::stable_sort(worst.begin(), worst.end(),
                     [](const DifferentValues &x, const DifferentValues &y) {
                         return worse(severityOf(*x.values, false), severityOf(*y.values, false));
                     });
    worst.resize(std::min(worst.size(), kMostPictures));
    return worst;
}

/// The worst places that were asked for; null where they were not.
const WorstPlaces *placesOf(const CheckedDifference &checked, const DifferentValues &one)
{
    if (!one.part) {
        for (const auto &[index, places] : checked.worst) {
            if (index == one.index)
                return &places;
        }
        return nullptr;
    }
    for (const auto &found : checked.partWorst) {
        if (found.joined == one.index && found.part == *one.part)
            return &found.places;
    }
    return nullptr;
}

const Shape &shapeOf(const CheckedDifference &checked, const DifferentValues &one)
{
    if (!one.part)
        return checked.a->weights()[checked.difference.weights[one.index].a].shape;
    const JoinedWeights &joined = checked.difference.joined[one.index];
    return (joined.split ? *checked.b : *checked.a).weights()[joined.parts[*one.part].weight].shape;
}

/// "name: verdict"
std::string titleOf(const CheckedDifference &checked, const DifferentValues &one)
{
    if (!one.part) {
        const WeightPair &pair = checked.difference.weights[one.index];
        return printable(checked.a->weights()[pair.a].findableName()) + ": " +
               verdict(pair, *checked.a, *checked.b);
    }
    const JoinedWeights &joined = checked.difference.joined[one.index];
    return fmt::format("{} > {}: {}; {}",
                       printable(checked.a->weights()[joined.weightA(*one.part)].findableName()),
                       printable(checked.b->weights()[joined.weightB(*one.part)].findableName()),
                       joinedVerdict(joined, *one.part), joinedText(joined, *one.part));
}

Result<PairPicture> differencePictureOf(const CheckedDifference &checked,
                                        const DifferentValues &one, Progress *progress)
{
    if (one.part)
        return pairPicture(*checked.a, *checked.b, checked.difference.joined[one.index], *one.part,
                           progress);
    const WeightPair &pair = checked.difference.weights[one.index];
    return pairPicture(*checked.a, pair.a, *checked.b, pair.b, progress);
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
                     fmt::format("{:.2f}", channel.snr)};
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
    for (const DifferentValues &one : worst) {
        const auto picture = differencePictureOf(checked, one, progress);
        if (!picture && picture.error().code == "task.cancelled")
            return tl::unexpected(picture.error());
        document.addHeading(titleOf(checked, one), 3);
        if (picture)
            addPicture(document, *picture);
        if (one.values->oneType)
            document.add(Document::Picture{
                histogramSvg(*one.values),
                "Elements by distance",
                {fmt::format("Elements by distance in ULP of {}: 0 at the left, then powers of "
                             "two; heights logarithmic",
                             elementTypeName(one.values->ulpType))}});
        if (const WorstPlaces *places = placesOf(checked, one))
            addWorst(document, *places, shapeOf(checked, one));
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
    document.add(textTable(entryTable(), rows));
    if (more > 0)
        document.addText(fmt::format("And {} more.", more));
}

void addAllCodebooks(Document &document, const CheckedDifference &checked)
{
    for (const auto &[index, match] : checked.codebooks)
        addCodebooks(document,
                     checked.a->weights()[checked.difference.weights[index].a].findableName(),
                     match);
    for (const auto &[index, part, match] : checked.partCodebooks) {
        const JoinedWeights &joined = checked.difference.joined[index];
        const Bundle &parts = joined.split ? *checked.b : *checked.a;
        addCodebooks(document,
                     fmt::format("{} ({})",
                                 parts.weights()[joined.parts[part].weight].findableName(),
                                 joinedText(joined, part)),
                     match);
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

/// Columns of pairTable(): what is read first stands first. Words that may be long (limits that are
/// exceeded, names in B) come behind the figures, which would else be out of sight.
const std::vector<std::size_t> &htmlColumns()
{
    static const std::vector<std::size_t> kColumns = columnOrder(
        pairTable().facts(),
        {"name",    "verdict", "relative_rmse", "snr_db",      "max_abs",     "cosine",  "equal",
         "changed", "zeroed",  "revived",       "nonfinite_a", "nonfinite_b", "limits",  "changes",
         "name_b",  "form_a",  "form_b",        "stored_a",    "stored_b",    "max_rel", "max_ulp"},
        kDocument);
    return kColumns;
}

/// The columns that say something of any weight: that of limits is empty without limits, the names
/// in B where all are those of A, and all is finite in most.
std::vector<std::size_t> usedColumns(std::span<const PairFacts> rows)
{
    const auto &columns = pairTable().columns;
    std::vector<std::size_t> used;
    for (const std::size_t column : htmlColumns()) {
        const bool nameB = columns[column].key == "name_b";
        const bool finite = columns[column].key.starts_with("nonfinite");
        const auto says = [&](const PairFacts &row) {
            const std::string plain = plainText(columns[column].value(row));
            return nameB ? row.nameB != row.name : !plain.empty() && !(finite && plain == "0");
        };
        if (std::any_of(rows.begin(), rows.end(), says))
            used.push_back(column);
    }
    return used;
}

std::string placeText(std::uint64_t book, std::uint64_t code, std::uint64_t books)
{
    if (code == EntryMatch::kNone)
        return {};
    return books > 1 ? fmt::format("{}:{}", book, code) : fmt::format("{}", code);
}

} // namespace

std::vector<PairFacts> differenceRows(const CheckedDifference &checked)
{
    const Bundle &a = *checked.a, &b = *checked.b;
    std::vector<PairFacts> rows;
    for (const WeightPair &pair : checked.difference.weights)
        rows.push_back(checkedRow(checked, pairFacts(a, b, pair)));
    for (const JoinedWeights &joined : checked.difference.joined) {
        for (std::size_t i = 0; i < joined.parts.size(); ++i)
            rows.push_back(checkedRow(checked, partFacts(a, b, joined, i)));
    }
    for (const std::size_t i : checked.difference.onlyA)
        rows.push_back(checkedRow(checked, aloneFacts(a, i, true)));
    for (const std::size_t i : checked.difference.onlyB)
        rows.push_back(checkedRow(checked, aloneFacts(b, i, false)));
    if (checked.order == RowOrder::WorstFirst)
        std::stable_sort(rows.begin(), rows.end(), [](const PairFacts &x, const PairFacts &y) {
            return worse(x.severity, y.severity);
        });
    return rows;
}

const std::vector<std::size_t> &differenceColumns()
{
    static const std::vector<std::size_t> kColumns =
        columnOrder(pairTable().facts(), pairTable().documentOrder, kDocument);
    return kColumns;
}

std::string_view differenceHeadline(const CheckedDifference &checked)
{
    if (checked.holds())
        return checked.difference.identical ? "Equal" : "Holds";
    if (checked.faults.front().limit != "identical")
        return "Does not hold";
    return checked.difference.unread ? "Cannot be compared" : "Different";
}

std::string differenceTitle(const CheckedDifference &checked)
{
    return printable(checked.a->name()) + " > " + printable(checked.b->name());
}

std::string readableNumber(const std::string &text)
{
    const char *end = text.data() + text.size();
    std::uint64_t whole = 0;
    if (const auto read = std::from_chars(text.data(), end, whole);
        read.ec == std::errc() && read.ptr == end)
        return grouped(whole);
    double number = 0;
    const auto read = std::from_chars(text.data(), end, number);
    const bool longer = text.find('.') != std::string::npos && text.size() > 8;
    return longer && read.ec == std::errc() && read.ptr == end ? fmt::format("{:.6g}", number)
                                                               : text;
}

std::string readableCell(const Value &value)
{
    const bool number = std::holds_alternative<Count>(value) || std::holds_alternative<Real>(value);
    if (std::holds_alternative<Written>(value))
        return text(value);
    return number ? readableNumber(plainText(value)) : plainText(value);
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

EntryTexts entryTexts(const CodebookMatch &match, const EntryMatch &entry)
{
    EntryTexts texts;
    texts.a = placeText(entry.bookA, entry.codeA, match.booksA);
    texts.b = placeText(entry.bookB, entry.codeB, match.booksB);
    if (!entry.targets.empty()) {
        constexpr std::size_t kShown = 4;
        texts.b.clear();
        for (std::size_t i = 0; i < std::min(kShown, entry.targets.size()); ++i) {
            const auto &target = entry.targets[i];
            texts.b +=
                fmt::format("{}{} ({})", i == 0 ? "" : ", ",
                            placeText(target.book, target.code, match.booksB), target.elements);
        }
        if (entry.targets.size() > kShown)
            texts.b += fmt::format(" and {} more", entry.targets.size() - kShown);
    }
    texts.valueA = fmt::format("{:.6g}", fmt::join(entry.a, " "));
    texts.valueB = fmt::format("{:.6g}", fmt::join(entry.b, " "));
    return texts;
}

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

std::string differenceCsv(std::span<const CheckedDifference> all)
{
    const auto &columns = pairTable().columns;
    std::vector<std::string> keys{"a", "b"};
    for (const std::size_t column : differenceColumns())
        keys.emplace_back(columns[column].key);
    std::string text = csvLine(std::move(keys));
    for (const CheckedDifference &checked : all) {
        for (const std::string &journal : journalTexts(checked))
            text += csvField(printable(checked.a->name())) + "," +
                    csvField(printable(checked.b->name())) + "," + csvField(journal) +
                    std::string(differenceColumns().size() - 1, ',') + "\n";
        for (const PairFacts &row : differenceRows(checked)) {
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
        if (auto added = addDifferentValues(page, checked, progress); !added)
            return tl::unexpected(std::move(added.error()));
        addAllCodebooks(page, checked);
        addChips(page, checked);
    }
    return htmlText(page);
}

} // namespace kernscope::report
