// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/diff_text.h"

#include "app/cli/output.h"
#include "core/bundle/bundle.h"
#include "core/form/form_steps.h"
#include "core/report/build_matrix.h"
#include "core/report/difference_formats.h"
#include "core/report/edit_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::cli {

namespace {

constexpr std::size_t kShownChanges = 8;
constexpr std::size_t kShownOperations = 12;

std::string listedRanges(const std::vector<ByteRange> &ranges)
{
    std::string text;
    for (const ByteRange &range : ranges)
        text += fmt::format(" {:#x}+{}", range.offset.value, range.bytes.value);
    return text;
}

/// Places of a small difference, such as that of a patch; of both sides where they are not the
/// same.
std::string rangesText(const Difference &difference)
{
    std::string text;
    for (const FileDifference &file : difference.files) {
        const std::size_t places = std::max(file.ranges.size(), file.rangesB.size());
        if (places == 0 || places > kShownChanges)
            continue;
        const bool same = file.ranges == file.rangesB;
        text += fmt::format("  {}{}:{}\n", printable(file.path), same ? "" : " in A",
                            file.ranges.empty() ? " nothing" : listedRanges(file.ranges));
        if (!same)
            text += fmt::format("  {} in B:{}\n", printable(file.path),
                                file.rangesB.empty() ? " nothing" : listedRanges(file.rangesB));
    }
    return text;
}

std::string differentWeightsText(const Checked &checked, bool values)
{
    std::vector<report::PairRow> rows;
    for (const ComparedPair &pair : wholePairs(checked.difference.weights)) {
        rows.push_back(report::pairRow(*checked.a, *checked.b, pair));
        rows.back().asked = values;
    }
    report::sortRows(rows, checked.order);
    return rows.empty() ? std::string() : tableText(report::pairTable, rows);
}

/// Weights that are several of the other side, part by part.
std::string joinedText(const Bundle &a, const Bundle &b, const Difference &difference)
{
    std::string text;
    for (const auto &parts : slicedPairs(difference.weights)) {
        const WeightSlice &slice = *parts.front().slice;
        const Weight &whole =
            slice.ofA ? a.weights()[parts.front().a] : b.weights()[parts.front().b];
        const bool exact =
            std::ranges::all_of(parts, [](const ComparedPair &part) { return part.exact(); });
        text +=
            fmt::format("  {}: {} of {} {} {} {} of {} along axis {}{}\n", slice.name(),
                        printable(whole.findableName()), slice.ofA ? "A" : "B",
                        shapeText(whole.shape), slice.ofA ? "is" : "holds", slice.parts,
                        slice.ofA ? "B" : "A", slice.axis, exact ? "" : ", nearly the same values");
        for (const ComparedPair &one : parts) {
            const Weight &part = comparedWeight(a, b, one);
            text += fmt::format("    {} to {}: {} {}", grouped(one.slice->first),
                                grouped(one.slice->first + one.slice->count - 1),
                                printable(part.findableName()), formWords(part.form));
            if (one.values)
                text += fmt::format(", {}, relative RMSE {:.4g}, max |B - A| {:.4g}",
                                    report::elementCountsText(*one.values),
                                    one.values->relativeRmse, one.values->maxAbs);
            text += ", " + verdict(one, a, b) + "\n";
        }
    }
    return text;
}

std::string onlyText(const Bundle &bundle, const std::vector<std::size_t> &weights,
                     std::string_view side)
{
    std::string text;
    for (const std::size_t i : weights) {
        const Weight &weight = bundle.weights()[i];
        text += fmt::format("  only in {}: {} {} {}\n", side, printable(weight.name),
                            formWords(weight.form), shapeText(weight.shape));
    }
    return text;
}

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
    std::string text = tableText(report::valueBinTable, rows);
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
        text += tableText(report::channelTable, worst.worstChannels);
    if (worst.chosenElements > worst.worstElements.size())
        text += fmt::format("  the first {} of {} elements\n", grouped(worst.worstElements.size()),
                            grouped(worst.chosenElements));
    if (!worst.worstElements.empty())
        text += tableText(report::elementTable, report::elementRows(worst, shape, type));
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
        text += tableText(report::entryTable, shown);
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
    text += tableText(report::rangeTable, checked.ranges->rows);
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

/// Operations that differ, the first of them.
std::string programText(const Difference &difference)
{
    if (difference.program.equal)
        return {};
    std::string text;
    const auto &changes = difference.program.detail.changes;
    for (std::size_t i = 0; i < std::min(changes.size(), kShownOperations); ++i) {
        const ProgramChange &change = changes[i];
        text += fmt::format("  {} {} {}{}{}", programChangeName(change.kind),
                            programPartName(change.what), printable(change.function),
                            change.operation.empty() || change.function.empty() ? "" : "/",
                            printable(change.operation));
        if (!change.type.empty())
            text += fmt::format(" ({})", printable(change.type));
        for (std::size_t k = 0; k < change.details.size(); ++k)
            text += (k == 0 ? ": " : "; ") + printable(change.details[k]);
        text += '\n';
    }
    if (changes.size() > kShownOperations)
        text += fmt::format("  and {} more\n", grouped(changes.size() - kShownOperations));
    return text.empty() ? text : "\n" + text;
}

/// What `diff` prints for people: the files, then a table of the weights with their verdicts.
std::string differenceText(const Checked &checked, const DiffOptions &options)
{
    const Bundle &a = *checked.a, &b = *checked.b;
    const Difference &difference = checked.difference;
    std::string text = fmt::format("A  {}  {} B\nB  {}  {} B\n", printable(a.name()),
                                   grouped(a.totalBytes().value), printable(b.name()),
                                   grouped(b.totalBytes().value));
    text += styled(difference.identical ? Style::Good
                   : difference.unread  ? Style::Bad
                                        : Style::Bold,
                   differenceWord(difference)) +
            "\n";
    const std::string summary = differenceSummary(a, b, difference);
    if (!summary.empty())
        text += summary + "\n";
    text += "\n" + tableText(report::fileDifferenceTable, difference.files) +
            rangesText(difference) + programText(difference);
    const std::string weights = differentWeightsText(checked, options.values);
    if (!weights.empty())
        text += "\n" + weights;
    text += joinedText(a, b, difference) + onlyText(a, difference.onlyA, "A") +
            onlyText(b, difference.onlyB, "B");
    if (options.values && options.tolerance > 0) {
        std::uint64_t beyond = 0;
        for (const ComparedPair &pair : difference.weights)
            beyond += pair.values ? pair.values->beyondTolerance : 0;
        text += fmt::format("\n  {} differ{} by more than {}\n", counted(beyond, "element"),
                            beyond == 1 ? "s" : "", options.tolerance);
    }
    return text;
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
    const report::BuildMatrix matrix = report::buildMatrix(*all.front().a, all);
    return matrix.rows.empty() ? text : text + "\n" + terminalText(report::matrixTextTable(matrix));
}

} // namespace kernscope::cli
