// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/diff_text.h"
#include "core/bundle/bundle.h"

#include "app/cli/text_output.h"
#include "core/report/build_matrix.h"
#include "core/report/difference_formats.h"
#include "core/report/places_table.h"
#include "core/target/rules.h"
#include "core/target/target.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::cli {

namespace {

/// "w", or "w > w_palettized" where B calls it otherwise.
std::string namesText(const std::string &a, const std::string &b)
{
    return b.empty() || a == b ? printable(a) : printable(a) + " > " + printable(b);
}

/// Of a part "q (split: part 1 of 3, …)".
std::string pairText(const Checked &checked, std::size_t index)
{
    const ComparedPair &pair = checked.difference.weights[index];
    if (pair.slice)
        return fmt::format("{} ({})", comparedWeight(*checked.a, *checked.b, pair).findableName(),
                           sliceText(*pair.slice));
    return namesText(checked.a->weights()[pair.a].findableName(),
                     checked.b->weights()[pair.b].findableName());
}

std::string faultsText(const Checked &checked)
{
    if (checked.holds())
        return "  " + styled(Style::Good, "holds") + ": every limit is kept\n";
    std::string text;
    for (const LimitFault &fault : checked.faults) {
        text += fmt::format(
            "  {} {}{}: found {}, allowed {}", styled(Style::Bad, "exceeds"),
            fault.weight.empty() ? "" : namesText(fault.weight, fault.weightB) + " ", fault.limit,
            printable(limitFigureText(fault.found)), printable(limitFigureText(fault.allowed)));
        if (!fault.rule.empty())
            text += " (rule " + printable(fault.rule) + ")";
        text += '\n';
    }
    return text;
}

std::string outcomeText(const BuildOutcome &outcome)
{
    return fmt::format("{} stream, {} fold, {} dense, {} rejected, {} unknown, {} moved",
                       grouped(outcome.streams), grouped(outcome.folds), grouped(outcome.dense),
                       grouped(outcome.rejected), grouped(outcome.unknown),
                       report::sumText(grouped(outcome.bytesMoved) + " B", outcome.movedOpen));
}

std::string chipText(const Checked &checked, const std::string &name)
{
    const target::Target *target = &target::defaultTarget();
    if (!name.empty()) {
        const auto found = target::findTarget(name);
        if (!found)
            return {};
        target = found->target;
    }
    for (const ChipOutcome &chip : checked.verdict.chips) {
        if (chip.target != target)
            continue;
        const std::string before = outcomeText(chip.before);
        return chip.before == chip.after
                   ? fmt::format("  {}: {} in both\n", chip.target->name, before)
                   : fmt::format("  {} before: {}\n  {} after:  {}\n", chip.target->name, before,
                                 chip.target->name, outcomeText(chip.after));
    }
    return {};
}

std::string maskText(const MaskCheck &mask)
{
    std::string text =
        fmt::format("keeps {} of {}, {} to {} zeros an output channel", grouped(mask.kept),
                    grouped(mask.elements), grouped(mask.leastZeros), grouped(mask.mostZeros));
    for (const MaskCheck::Pattern &pattern : mask.patterns)
        text += fmt::format(", {}:{} along axis {}", pattern.keep, pattern.of, pattern.axis);
    if (mask.structuredOutputs)
        text += ", whole output channels";
    if (mask.structuredInputs)
        text += ", whole input channels";
    return text + fmt::format("; {} kept values changed, {} values dropped",
                              grouped(mask.keptChanged), grouped(mask.droppedNonzero));
}

std::string formsText(const Checked &checked)
{
    std::string text;
    for (const auto &[index, form] : checked.forms) {
        const std::string name = pairText(checked, index);
        if (form.mask)
            text += fmt::format("  {} mask: {}\n", name, maskText(*form.mask));
        if (form.palette)
            text += fmt::format("  {} palette: {} of {} values did not take the nearest entry, {} "
                                "of {} entries used\n",
                                name, grouped(form.palette->notNearest),
                                grouped(form.palette->examined), grouped(form.palette->usedEntries),
                                grouped(form.palette->entries));
        if (form.codes)
            text += fmt::format("  {} codes: {} of {} values clipped, {} more not at the nearest "
                                "code, {} of {} codes used\n",
                                name, grouped(form.codes->clipped), grouped(form.codes->examined),
                                grouped(form.codes->notNearest - form.codes->clipped),
                                grouped(form.codes->usedCodes), grouped(form.codes->codes));
        if (form.scales && form.scales->notBest == 0)
            text += fmt::format("  {} scales: all {} are the best for their codes\n", name,
                                grouped(form.scales->scales));
        else if (form.scales)
            text +=
                fmt::format("  {} scales: {} of {} are not the best for their codes; RMSE {:.4g}, "
                            "with the best {:.4g}\n",
                            name, grouped(form.scales->notBest), grouped(form.scales->scales),
                            form.scales->rmseStored, form.scales->rmseBest);
        if (!form.notExamined.empty())
            text += fmt::format("  {} not examined: {}\n", name, form.notExamined);
    }
    return text;
}

/// Both histograms as a table of at most 16 rows over the bins that hold anything.
std::string histogramText(const PairBins &bins)
{
    const std::vector<report::ValueBin> rows = report::valueBins(bins);
    if (rows.empty())
        return {};
    std::string text = terminalText(textTable(report::valueBinTable(), rows));
    const auto beyond = [&text](std::uint64_t a, std::uint64_t b, std::string_view what) {
        if (a > 0 || b > 0)
            text += fmt::format("  {}: {} in A, {} in B\n", what, grouped(a), grouped(b));
    };
    beyond(bins.outsideA, bins.outsideB, "beyond the bins");
    beyond(bins.notFiniteA, bins.notFiniteB, "not finite");
    return text;
}

/// `type`: of the weight of A.
std::string placesText(const WorstPlaces &worst, const Shape &shape, ElementType type)
{
    std::string text = fmt::format("  {} of {} output channels differ\n",
                                   grouped(worst.differentChannels), grouped(worst.channels));
    if (!worst.worstChannels.empty())
        text += terminalText(textTable(report::channelTable(), worst.worstChannels));
    if (worst.chosenElements > worst.worstElements.size())
        text += fmt::format("  the first {} of {} elements\n", grouped(worst.worstElements.size()),
                            grouped(worst.chosenElements));
    if (!worst.worstElements.empty())
        text += terminalText(
            textTable(report::elementTable(), report::elementRows(worst, shape, type)));
    if (worst.bins)
        text += histogramText(*worst.bins);
    return text;
}

/// Elements and channels of a part are its own, not those of the whole.
std::string worstText(const Checked &checked)
{
    std::string text;
    for (const auto &[index, worst] : checked.worst) {
        const ComparedPair &pair = checked.difference.weights[index];
        text += heading("Worst places of " + pairText(checked, index)) +
                placesText(worst, comparedWeight(*checked.a, *checked.b, pair).shape,
                           checked.a->weights()[pair.a].type);
    }
    return text;
}

/// What became of the entries; of those that are not the same the first, in full.
std::string matchText(const CodebookMatch &match)
{
    constexpr std::size_t kShown = 32;
    std::vector<report::EntryFacts> shown;
    std::size_t others = 0;
    for (const report::EntryFacts &row : report::entryRows(match)) {
        if (row.get().change != EntryChange::Same && ++others <= kShown)
            shown.push_back(row);
    }
    std::string text = "  " + report::codebookCountsText(match) + "\n";
    if (!shown.empty())
        text += terminalText(textTable(report::entryTable(), shown));
    if (others > kShown)
        text += fmt::format("  and {} more\n", grouped(others - kShown));
    return text;
}

std::string codebooksText(const Checked &checked)
{
    std::string text;
    for (const auto &[index, match] : checked.codebooks)
        text += heading("Codebooks of " + pairText(checked, index)) + matchText(match);
    return text;
}

std::string rangeListText(const Checked &checked)
{
    if (!checked.ranges)
        return {};
    std::string text = heading("Ranges of bytes that differ");
    if (checked.ranges->rows.empty())
        return text + "  none\n";
    text += terminalText(textTable(report::rangeTable(), checked.ranges->rows));
    if (checked.ranges->cut)
        text += "  and more\n";
    return text;
}

std::string verdictText(const Checked &checked, const DiffTextOptions &options)
{
    const BuildVerdict &verdict = checked.verdict;
    std::string text = heading("Verdict");
    if (verdict.storedRatio)
        text += fmt::format("  stored: {} B in A, {} B in B ({:.3f})\n", grouped(*verdict.storedA),
                            grouped(*verdict.storedB), *verdict.storedRatio);
    else if (!verdict.storedA || !verdict.storedB)
        text += fmt::format("  stored: {} B in A, {} B in B\n",
                            verdict.storedA ? grouped(*verdict.storedA) : "unknown",
                            verdict.storedB ? grouped(*verdict.storedB) : "unknown");
    if (verdict.faithful || !unreadableText(checked.difference).empty())
        text += "  " + printable(faithfulText(*checked.a, checked.difference, verdict)) + "\n";
    for (const WorstFigure &worst : verdict.worst)
        text += fmt::format("  worst {}: {} in {}\n", worst.measure, limitFigureText(worst.value),
                            namesText(checked.a->weights()[worst.a].findableName(),
                                      checked.b->weights()[worst.b].findableName()));
    return text + formsText(checked) + chipText(checked, options.target);
}

std::string matrixText(std::span<const Checked> all)
{
    const report::BuildMatrix matrix = report::buildMatrix(*all.front().a, all);
    return matrix.rows.empty() ? std::string()
                               : "\n" + terminalText(report::matrixTextTable(matrix));
}

} // namespace

std::string differencesText(std::span<const Checked> all, const DiffTextOptions &options)
{
    if (all.size() == 1) {
        const Checked &checked = all.front();
        return differenceText(checked, options.options) + worstText(checked) +
               codebooksText(checked) + rangeListText(checked) + verdictText(checked, options) +
               (options.limits ? faultsText(checked) : "");
    }
    std::string text = fmt::format("A  {}  {} B\n", printable(all.front().a->name()),
                                   grouped(all.front().a->totalBytes().value));
    for (const Checked &checked : all) {
        text += fmt::format("\n{}  {} B\n  {}\n", printable(checked.b->name()),
                            grouped(checked.b->totalBytes().value),
                            styled(checked.difference.identical ? Style::Good : Style::Bold,
                                   differenceWord(checked.difference)));
        const std::string summary = differenceSummary(*checked.a, *checked.b, checked.difference);
        if (!summary.empty())
            text += "  " + summary + "\n";
        if (options.limits)
            text += faultsText(checked);
    }
    return text + matrixText(all);
}

} // namespace kernscope::cli
