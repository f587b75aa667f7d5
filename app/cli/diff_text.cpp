// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/diff_text.h"

#include "app/cli/text_output.h"
#include "core/bundle/bundle.h"
#include "core/report/edit_table.h"
#include "core/report/pair_table.h"

#include <algorithm>

#include <fmt/format.h>

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
                            change.operation.empty() ? "" : "/", printable(change.operation));
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

std::string differentWeightsText(const Checked &checked, bool values)
{
    std::vector<report::PairRow> rows;
    for (const ComparedPair &pair : wholePairs(checked.difference.weights)) {
        rows.push_back(report::pairRow(*checked.a, *checked.b, pair));
        rows.back().asked = values;
    }
    if (checked.order == report::RowOrder::WorstFirst)
        std::stable_sort(rows.begin(), rows.end(),
                         [](const report::PairRow &x, const report::PairRow &y) {
                             return worse(x.severity(), y.severity());
                         });
    return rows.empty() ? std::string() : terminalText(textTable(report::pairTable(), rows));
}

/// Weights that are several of the other side, part by part.
std::string joinedText(const Bundle &a, const Bundle &b, const Difference &difference)
{
    std::string text;
    for (const auto &parts : slicedPairs(difference.weights)) {
        const WeightSlice &slice = *parts.front().slice;
        const Weight &whole =
            slice.ofA ? a.weights()[parts.front().a] : b.weights()[parts.front().b];
        const bool exact = std::all_of(parts.begin(), parts.end(),
                                       [](const ComparedPair &part) { return part.exact(); });
        text +=
            fmt::format("  {}: {} of {} {} {} {} of {} along axis {}{}\n", slice.name(),
                        printable(whole.findableName()), slice.ofA ? "A" : "B",
                        shapeText(whole.shape), slice.ofA ? "is" : "holds", slice.parts,
                        slice.ofA ? "B" : "A", slice.axis, exact ? "" : ", nearly the same values");
        for (const ComparedPair &one : parts) {
            const Weight &part = comparedWeight(a, b, one);
            text += fmt::format("    {} to {}: {} {}", grouped(one.slice->first),
                                grouped(one.slice->first + one.slice->count - 1),
                                printable(part.findableName()), formText(part.form));
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
                            formText(weight.form), shapeText(weight.shape));
    }
    return text;
}

} // namespace

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
    text += "\n" + terminalText(textTable(report::fileDifferenceTable(), difference.files)) +
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

} // namespace kernscope::cli
