// SPDX-License-Identifier: GPL-3.0-or-later
// Words of the table of pairs: verdicts and their sentences.
#include "widgets/compare/compare_row.h"

#include "widgets/common/table_text.h"

#include <QCoreApplication>

#include <cmath>

namespace kernscope::ui {

namespace {

struct CompareWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::CompareRow)
};

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

QString shapeWord(const Shape &shape)
{
    return fromUtf8(shapeText(shape));
}

} // namespace

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
        return text.arg(shapeWord(row.shapeA), shapeWord(row.shapeB));
    }
    case CompareVerdict::Fault:
        return row.pair.fault ? fromUtf8(describe(*row.pair.fault))
                              : CompareWords::tr("The weight could not be decoded.");
    default: break;
    }
    return row.pair.values ? countSentence(*row.pair.values) : QString();
}

} // namespace kernscope::ui
