// SPDX-License-Identifier: GPL-3.0-or-later
// CompareWords of the table of pairs: column titles and their help, verdicts and their sentences.
#include "widgets/compare/compare_row.h"

#include "widgets/common/table_text.h"

#include <QCoreApplication>

#include <array>
#include <cmath>

namespace kernscope::ui {

namespace {

struct CompareWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::CompareRow)
};

struct ColumnWords {
    const char *title;
    const char *help;
};

constexpr std::array<ColumnWords, kCompareColumns> kColumns{{
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "Weight"),
     QT_TRANSLATE_NOOP("kernscope::CompareRow",
                       "Name of the weight in A; that in B is in the tooltip where it differs.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "Function"),
     QT_TRANSLATE_NOOP("kernscope::CompareRow",
                       "Function that reads the weight; of a pipeline with its model.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "A"),
     QT_TRANSLATE_NOOP("kernscope::CompareRow", "How A stores the weight.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "B"),
     QT_TRANSLATE_NOOP("kernscope::CompareRow", "How B stores the weight.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "Stored B/A"),
     QT_TRANSLATE_NOOP("kernscope::CompareRow",
                       "Stored bytes of B over those of A: below 1, B is smaller.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "max |\u0394|"),
     QT_TRANSLATE_NOOP("kernscope::CompareRow",
                       "Largest absolute difference of two decoded values.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "max ULP"),
     QT_TRANSLATE_NOOP("kernscope::CompareRow", "Largest difference in steps of the type of A: how "
                                                "many of its numbers lie between the two values.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "Zeroed"),
     QT_TRANSLATE_NOOP(
         "kernscope::CompareRow",
         "Share of the elements that are nonzero in A and zero in B: what pruning took away.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "Cosine"),
     QT_TRANSLATE_NOOP(
         "kernscope::CompareRow",
         "Cosine of the angle between the two tensors taken as vectors: 1 is the same direction.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "Chip"),
     QT_TRANSLATE_NOOP(
         "kernscope::CompareRow",
         "What the chosen chip does with the weight as B stores it; with that of A in "
         "the tooltip.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "Verdict"),
     QT_TRANSLATE_NOOP("kernscope::CompareRow", "What became of the weight, in a word.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "Limits"),
     QT_TRANSLATE_NOOP(
         "kernscope::CompareRow",
         "Whether the pair keeps the limits that are set above, or which it exceeds.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "A bytes"),
     QT_TRANSLATE_NOOP("kernscope::CompareRow",
                       "Bytes that A stores for the weight, all its parts.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "B bytes"),
     QT_TRANSLATE_NOOP("kernscope::CompareRow",
                       "Bytes that B stores for the weight, all its parts.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "Equal"),
     QT_TRANSLATE_NOOP(
         "kernscope::CompareRow",
         "Elements of the same value (+0 and \u22120 count as the same, NaN and NaN too).")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "Changed"),
     QT_TRANSLATE_NOOP("kernscope::CompareRow", "Elements that are nonzero in both and differ.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "Revived"),
     QT_TRANSLATE_NOOP("kernscope::CompareRow", "Elements that are zero in A and nonzero in B.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "mean |\u0394|"),
     QT_TRANSLATE_NOOP("kernscope::CompareRow",
                       "Mean absolute difference over the elements finite in both.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "RMSE"),
     QT_TRANSLATE_NOOP("kernscope::CompareRow", "Root of the mean squared difference.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "Paired by"),
     QT_TRANSLATE_NOOP("kernscope::CompareRow",
                       "How the two were found to be the same weight: by the op that uses them, by "
                       "name, by content, by shape, by their place in order, or by hand.")},
    {QT_TRANSLATE_NOOP("kernscope::CompareRow", "What happened"),
     QT_TRANSLATE_NOOP(
         "kernscope::CompareRow",
         "What became of the weight besides its values: renamed, moved, reordered, "
         "re-encoded, re-trained or edited; unreadable where a side is damaged; or the "
         "part of a split or merged one.")},
}};

struct VerdictWords {
    const char *glyph;
    const char *text;
};

VerdictWords wordsOf(CompareVerdict verdict)
{
    switch (verdict) {
    case CompareVerdict::Waiting:
        return {"\u2026", QT_TRANSLATE_NOOP("kernscope::CompareRow", "comparing")};
    case CompareVerdict::Stopped:
        return {"\u25CB", QT_TRANSLATE_NOOP("kernscope::CompareRow", "not compared")};
    case CompareVerdict::Identical:
        return {"=", QT_TRANSLATE_NOOP("kernscope::CompareRow", "identical")};
    case CompareVerdict::SameValues:
        return {"\u2248",
                QT_TRANSLATE_NOOP("kernscope::CompareRow", "same values, stored otherwise")};
    case CompareVerdict::KeptExact:
        return {"\u25D0", QT_TRANSLATE_NOOP("kernscope::CompareRow", "pruned, kept values exact")};
    case CompareVerdict::ZerosKept:
        return {"~", QT_TRANSLATE_NOOP("kernscope::CompareRow", "values rounded")};
    case CompareVerdict::Rounded:
        return {"\u25D1", QT_TRANSLATE_NOOP("kernscope::CompareRow", "rounded, some to zero")};
    case CompareVerdict::Changed:
        return {"\u2260", QT_TRANSLATE_NOOP("kernscope::CompareRow", "changed")};
    case CompareVerdict::ShapeDiffers:
        return {"\u25A1", QT_TRANSLATE_NOOP("kernscope::CompareRow", "shapes differ")};
    case CompareVerdict::OnlyA:
        return {"\u25C0", QT_TRANSLATE_NOOP("kernscope::CompareRow", "only in A")};
    case CompareVerdict::OnlyB:
        return {"\u25B6", QT_TRANSLATE_NOOP("kernscope::CompareRow", "only in B")};
    case CompareVerdict::Fault:
        return {"\u2715", QT_TRANSLATE_NOOP("kernscope::CompareRow", "cannot be compared")};
    }
    return {"", ""};
}

QString countSentence(const ValueDifference &values)
{
    return CompareWords::tr("%1 equal, %2 changed, %3 zeroed, %4 revived of %5 elements")
        .arg(groupedNumber(values.equal), groupedNumber(values.changed),
             groupedNumber(values.zeroed), groupedNumber(values.revived),
             groupedNumber(values.elements()));
}

QString shapeOf(const Shape &shape)
{
    return fromUtf8(shapeText(shape));
}

} // namespace

QString compareColumnTitle(CompareColumn column)
{
    return CompareWords::tr(kColumns[static_cast<std::size_t>(column)].title);
}

QString compareColumnHelp(CompareColumn column)
{
    return CompareWords::tr(kColumns[static_cast<std::size_t>(column)].help);
}

QString verdictGlyph(CompareVerdict verdict)
{
    return QString::fromUtf8(wordsOf(verdict).glyph);
}

QString verdictText(const CompareRow &row)
{
    return row.word.isEmpty() ? CompareWords::tr(wordsOf(row.verdict()).text) : row.word;
}

QString limitsText(const CompareRow &row)
{
    const auto holds = row.holds();
    if (!holds)
        return {};
    if (*holds)
        return CompareWords::tr("holds");
    if (!row.pair.values)
        return verdictText(row);
    QStringList texts;
    for (const LimitFault &fault : exceededLimits(*row.pair.values, row.limits)) {
        const auto figure = [](const LimitFigure &value) {
            const auto *number = std::get_if<double>(&value);
            return number != nullptr && std::isfinite(*number) ? QString::number(*number, 'g', 4)
                                                               : fromUtf8(limitFigureText(value));
        };
        texts << CompareWords::tr("%1 %2 (%3)")
                     .arg(fromUtf8(fault.limit), figure(fault.found), figure(fault.allowed));
    }
    return texts.join(QStringLiteral("; "));
}

QString verdictSentence(const CompareRow &row)
{
    switch (row.verdict()) {
    case CompareVerdict::Waiting: return CompareWords::tr("The values are still being compared.");
    case CompareVerdict::Stopped:
        return CompareWords::tr("The comparison was cancelled before it came to this weight.");
    case CompareVerdict::Identical:
        return CompareWords::tr("The same layout and the same stored bytes.");
    case CompareVerdict::OnlyA: return CompareWords::tr("No weight of B was found to be this one.");
    case CompareVerdict::OnlyB: return CompareWords::tr("No weight of A was found to be this one.");
    case CompareVerdict::ShapeDiffers: {
        const QString text =
            row.pair.reshaped
                ? CompareWords::tr("A is %1, B is %2: the same values in the same order.")
                : CompareWords::tr("A is %1, B is %2: values cannot be set side by side.");
        return text.arg(shapeOf(row.shapeA), shapeOf(row.shapeB));
    }
    case CompareVerdict::Fault:
        return row.pair.fault ? fromUtf8(describe(*row.pair.fault))
                              : CompareWords::tr("The weight could not be decoded.");
    default: break;
    }
    return row.pair.values ? countSentence(*row.pair.values) : QString();
}

} // namespace kernscope::ui
