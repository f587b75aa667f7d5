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

QString countSentence(const ValueDifference &values)
{
    QString text = CompareWords::tr("%1 equal, %2 changed, %3 zeroed, %4 revived of %5 elements")
                       .arg(groupedNumber(values.equal), groupedNumber(values.changed),
                            groupedNumber(values.zeroed), groupedNumber(values.revived),
                            groupedNumber(values.elements()));
    if (values.nonfiniteA + values.nonfiniteB > 0)
        text += CompareWords::tr("; not finite: %1 in A, %2 in B")
                    .arg(groupedNumber(values.nonfiniteA), groupedNumber(values.nonfiniteB));
    return text;
}

QString shapeWord(const Shape &shape)
{
    return fromUtf8(shapeText(shape));
}

} // namespace

QString verdictGlyph(const CompareRow &row)
{
    if (row.onA() && row.onB() && row.waits())
        return row.state == CompareState::Waiting ? QStringLiteral("\u2026")
                                                  : QStringLiteral("\u25CB");
    switch (row.severity().kind) {
    case PairSeverity::Kind::NotComparable:
        return row.pair.unreadable() || row.pair.shapeEqual ? QStringLiteral("\u2715")
                                                            : QStringLiteral("\u25A1");
    case PairSeverity::Kind::OneSided:
        return row.onA() ? QStringLiteral("\u25C0") : QStringLiteral("\u25B6");
    case PairSeverity::Kind::NotFinite: return QStringLiteral("\u221E");
    case PairSeverity::Kind::Differs: break;
    case PairSeverity::Kind::Unknown: return QStringLiteral("\u25CB");
    case PairSeverity::Kind::SameValues: return QStringLiteral("\u2248");
    case PairSeverity::Kind::Identical: return QStringLiteral("=");
    }
    const ValueDifference &values = *row.pair.values;
    if (values.changed == 0 && values.revived == 0)
        return QStringLiteral("\u25D0"); // pruned, and no more
    if (values.relativeRmse > kSimilarRmse || values.revived > 0)
        return QStringLiteral("\u2260");
    return values.zeroed > 0 ? QStringLiteral("\u25D1") : QStringLiteral("~");
}

QString verdictText(const CompareRow &row)
{
    if (!row.word.isEmpty())
        return row.word;
    if (!row.onA() || !row.onB())
        return row.onA() ? CompareWords::tr("only in A") : CompareWords::tr("only in B");
    return row.state == CompareState::Waiting ? CompareWords::tr("comparing")
                                              : CompareWords::tr("not compared");
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
    if (!row.onA() || !row.onB())
        return row.onA() ? CompareWords::tr("No weight of B was found to be this one.")
                         : CompareWords::tr("No weight of A was found to be this one.");
    if (row.waits())
        return row.state == CompareState::Waiting
                   ? CompareWords::tr("The values are still being compared.")
                   : CompareWords::tr(
                         "The comparison was cancelled before it came to this weight.");
    if (row.pair.unreadable())
        return row.pair.fault ? fromUtf8(describe(*row.pair.fault))
                              : CompareWords::tr("The weight could not be read.");
    if (row.pair.values)
        return row.severity().kind == PairSeverity::Kind::Identical
                   ? CompareWords::tr("The same layout and the same stored bytes.")
                   : countSentence(*row.pair.values);
    const QString text =
        row.pair.reshaped ? CompareWords::tr("A is %1, B is %2: the same values in the same order.")
        : row.pair.rule   ? CompareWords::tr("A is %1, B is %2: the axes stand in another order.")
                        : CompareWords::tr("A is %1, B is %2: values cannot be set side by side.");
    return text.arg(shapeWord(row.shapeA), shapeWord(row.shapeB));
}

} // namespace kernscope::ui
