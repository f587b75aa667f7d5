// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/report/difference_formats.h"

#include "core/base/printable.h"
#include "core/diff/severity.h"
#include "core/report/difference_rows.h"
#include "core/report/html_page.h"
#include "core/report/pair_picture.h"
#include "core/report/text_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

/// Weights with pictures: the file stays small however many there are.
constexpr std::size_t kMostPictures = 24;

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
        "<figure><svg role=\"img\" aria-label=\"Elements by their distance in ULP\" width=\"{0}\" "
        "height=\"{1}\"><line x1=\"0\" y1=\"{1}\" x2=\"{0}\" y2=\"{1}\" stroke=\"#8a94a0\"/>{2}"
        "</svg><figcaption>Elements by distance in ULP of {3}: 0 at the left, then powers of two; "
        "heights logarithmic</figcaption></figure>",
        width, kHeight, bars, elementTypeName(values.ulpType));
}

std::string figureHtml(const IndexedPicture &picture, std::string_view what, double range)
{
    return fmt::format("<figure><img alt=\"{0}\" src=\"{1}\"><figcaption>{0}, full colour from "
                       "{2:.4g} on</figcaption></figure>",
                       what, dataUrl(pngOf(picture)), range);
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
    const auto heading = [](const std::string &name, const std::string &verdict) {
        return fmt::format("<h3>{}: {}</h3>\n", escapedMarkup(printable(name)),
                           escapedMarkup(verdict));
    };
    if (!one.part) {
        const WeightPair &pair = checked.difference.weights[one.index];
        return heading(checked.a->weights()[pair.a].findableName(),
                       verdict(pair, *checked.a, *checked.b));
    }
    const JoinedWeights &joined = checked.difference.joined[one.index];
    const std::string a = checked.a->weights()[joined.weightA(*one.part)].findableName();
    const std::string b = checked.b->weights()[joined.weightB(*one.part)].findableName();
    return heading(fmt::format("{} > {}", a, b),
                   joinedVerdict(joined, *one.part) + "; " + joinedText(joined, *one.part));
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
std::string worstHtml(const WorstPlaces &worst, const Shape &shape)
{
    std::string text = fmt::format(
        "<p>{} of {} output channels differ. The worst of them, and the worst elements:</p>\n"
        "<div class=\"wide\"><table><thead><tr><th class=\"n\">channel</th><th class=\"n\">"
        "different</th><th class=\"n\">max |B - A|</th><th class=\"n\">RMSE</th><th class=\"n\">"
        "SNR, dB</th><th>element</th><th class=\"n\">A</th><th class=\"n\">B</th></tr></thead>"
        "<tbody>\n",
        worst.differentChannels, worst.channels);
    for (std::size_t i = 0; i < std::max(worst.worstChannels.size(), worst.worstElements.size());
         ++i) {
        if (i < worst.worstChannels.size()) {
            const ChannelDifference &channel = worst.worstChannels[i];
            text += fmt::format("<tr><td class=\"n\">{}</td><td class=\"n\">{} of {}</td><td "
                                "class=\"n\">{:.6g}</td><td class=\"n\">{:.4g}</td><td "
                                "class=\"n\">{:.2f}</td>",
                                channel.channel, channel.different, channel.elements,
                                channel.maxAbs, channel.rmse, channel.snr);
        } else {
            text += "<tr><td></td><td></td><td></td><td></td><td></td>";
        }
        if (i < worst.worstElements.size()) {
            const ElementPair &element = worst.worstElements[i];
            text +=
                fmt::format("<td>[{}]</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                            fmt::join(elementPlace(shape, element.element), ","),
                            exactText(element.a), exactText(element.b));
        } else {
            text += "<td></td><td></td><td></td></tr>\n";
        }
    }
    return text + "</tbody></table></div>\n";
}

Result<std::string> picturesHtml(const CheckedDifference &checked, Progress *progress)
{
    const auto worst = worstValues(checked);
    if (worst.empty())
        return std::string();
    std::string text = fmt::format(
        "<h2>Values of the weights that differ</h2><p>{} with the largest relative error, the "
        "worst "
        "first. Output channels go down, the rest across; blue is less than 0, white is 0, "
        "orange is more, black is not finite. Colours grow with the square root.</p>\n",
        worst.size() == 1 ? std::string("The one") : fmt::format("The {}", worst.size()));
    for (const DifferentValues &one : worst) {
        const auto picture = differencePictureOf(checked, one, progress);
        if (!picture && picture.error().code == "task.cancelled")
            return tl::unexpected(picture.error());
        text += titleOf(checked, one);
        if (picture) {
            text += figureHtml(picture->a, "A", picture->valueRange) +
                    figureHtml(picture->b, "B", picture->valueRange) +
                    figureHtml(picture->difference, "B - A", picture->differenceRange);
        }
        text += one.values->oneType ? histogramSvg(*one.values) + "\n" : "";
        if (const WorstPlaces *places = placesOf(checked, one))
            text += worstHtml(*places, shapeOf(checked, one));
        if (picture && picture->binned)
            text += "<p>A cell stands for several elements: their mean in A and B, the largest "
                    "difference in B - A.</p>\n";
    }
    return text;
}

std::string verdictHtml(const CheckedDifference &checked)
{
    const BuildVerdict &verdict = checked.verdict;
    std::string text =
        fmt::format("<p>{}</p>\n<p class=\"{}\">{}</p>\n",
                    escapedMarkup(differenceSummary(*checked.a, *checked.b, checked.difference)),
                    checked.holds() ? "holds" : "fails",
                    fmt::format("{} {}", checked.holds() ? "✓" : "✗", differenceHeadline(checked)));
    for (const std::string &journal : journalTexts(checked))
        text += fmt::format("<p class=\"fails\">{}</p>\n", escapedMarkup(journal));
    if (!checked.faults.empty() && checked.faults.front().limit != "identical") {
        text += "<ul>";
        for (const LimitFault &fault : checked.faults)
            text += fmt::format("<li>{} {}</li>",
                                fault.weight.empty() ? "the whole"
                                                     : escapedMarkup(printable(fault.weight)),
                                escapedMarkup(faultText(fault)));
        text += "</ul>\n";
    }
    text += "<ul>";
    if (verdict.storedRatio)
        text +=
            fmt::format("<li>Stored: {} B in A, {} B in B ({:.3f})</li>", grouped(*verdict.storedA),
                        grouped(*verdict.storedB), *verdict.storedRatio);
    text += fmt::format("<li>{}</li>", escapedMarkup(printable(
                                           faithfulText(*checked.a, checked.difference, verdict))));
    for (const WorstFigure &worst : verdict.worst) {
        const std::string inA = checked.a->weights()[worst.a].findableName(),
                          inB = checked.b->weights()[worst.b].findableName();
        text += fmt::format("<li>Worst {}: {} in {}</li>", worst.measure,
                            escapedMarkup(readableNumber(limitFigureText(worst.value))),
                            escapedMarkup(printable(inA == inB ? inA : inA + " > " + inB)));
    }
    return text + "</ul>\n";
}

std::string chipsHtml(const CheckedDifference &checked)
{
    const auto outcome = [](const BuildOutcome &each) {
        return fmt::format("<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
                           "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>",
                           each.streams, each.folds, each.dense, each.rejected, each.unknown,
                           sumText(fmt::format("{}", each.bytesMoved), each.movedOpen));
    };
    std::string text =
        "<h2>Chips</h2><div class=\"wide\"><table><thead><tr><th>chip</th><th>build</th>"
        "<th>stream</th><th>fold</th><th>dense</th><th>rejected</th><th>unknown</th><th>bytes "
        "moved a dispatch</th></tr></thead><tbody>\n";
    for (const ChipOutcome &chip : checked.verdict.chips)
        text += fmt::format("<tr><td>{}</td><td>A</td>{}</tr>\n<tr><td></td><td>B</td>{}</tr>\n",
                            escapedMarkup(chip.target->name), outcome(chip.before),
                            outcome(chip.after));
    return text + "</tbody></table></div>\n";
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

std::string tableHtml(const CheckedDifference &checked)
{
    const auto &columns = pairTable().columns;
    const auto cell = [](std::string_view tag, bool number, const std::string &text) {
        return fmt::format("<{0}{1}>{2}</{0}>", tag, number ? " class=\"n\"" : "", text);
    };
    const auto rows = differenceRows(checked);
    const auto used = usedColumns(rows);
    std::string text = "<h2>Weights</h2><div class=\"wide\"><table><thead><tr>";
    for (const std::size_t column : used)
        text += cell("th", columns[column].facts().number(), escapedMarkup(columns[column].title));
    text += "</tr></thead><tbody>\n";
    for (const PairFacts &row : rows) {
        text += "<tr>";
        for (const std::size_t column : used) {
            const bool number = columns[column].facts().number();
            text += cell("td", number, escapedMarkup(readableCell(columns[column].value(row))));
        }
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n";
}

} // namespace

Result<std::string> differenceHtml(std::span<const CheckedDifference> all, Progress *progress)
{
    std::string text = htmlHead(differenceTitle(all.front()));
    for (const CheckedDifference &checked : all) {
        const auto pictures = picturesHtml(checked, progress);
        if (!pictures)
            return pictures;
        text += fmt::format("<h1>{}</h1>\n", escapedMarkup(differenceTitle(checked))) +
                verdictHtml(checked) + tableHtml(checked) + *pictures + codebooksHtml(checked) +
                chipsHtml(checked);
    }
    return text.append(htmlEnd());
}

} // namespace kernscope::report
