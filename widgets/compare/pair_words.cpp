// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/pair_words.h"

#include "widgets/common/row_table_model.h"
#include "widgets/common/table_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

namespace {

struct PairWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::CompareRow)
};

QString countSentence(const ValueDifference &values)
{
    QString text = PairWords::tr("%1 equal, %2 changed, %3 zeroed, %4 revived of %5 elements")
                       .arg(groupedNumber(values.equal), groupedNumber(values.changed),
                            groupedNumber(values.zeroed), groupedNumber(values.revived),
                            groupedNumber(values.elements()));
    if (values.nonfiniteA + values.nonfiniteB > 0)
        text += PairWords::tr("; not finite: %1 in A, %2 in B")
                    .arg(groupedNumber(values.nonfiniteA), groupedNumber(values.nonfiniteB));
    return text;
}

QString shapeWord(const Shape &shape)
{
    return fromUtf8(shapeText(shape));
}

/// "holds", "max_abs 0.0742 (0.01)", "only in A".
QString limitsText(const report::PairRow &row, const ValueLimits &limits)
{
    if (*row.holds)
        return PairWords::tr("holds");
    if (!row.pair.values)
        return fromUtf8(row.verdict);
    QStringList texts;
    for (const LimitFault &fault : exceededLimits(*row.pair.values, limits)) {
        const auto figure = [](const LimitFigure &value) {
            const auto *number = std::get_if<double>(&value);
            return number != nullptr && std::isfinite(*number) ? QString::number(*number, 'g', 4)
                                                               : fromUtf8(limitFigureText(value));
        };
        texts << PairWords::tr("%1 %2 (%3)")
                     .arg(fromUtf8(fault.limit), figure(fault.found), figure(fault.allowed));
    }
    return texts.join(QStringLiteral("; "));
}

} // namespace

const WindowColumns<report::PairRow> &pairColumns()
{
    static const WindowColumns<report::PairRow> kColumns(report::pairTable());
    return kColumns;
}

QString pairCellText(const report::PairRow &row, int column)
{
    const report::ColumnFacts &facts = pairColumns().facts(column);
    const report::Value value = pairColumns().value(column, row);
    if (facts.key == "verdict")
        return verdictGlyph(row) + u' ' + fromUtf8(row.verdict);
    if (facts.key == "limits" && row.holds)
        return (*row.holds ? QStringLiteral("\u2713 ") : QStringLiteral("\u2717 ")) +
               fromUtf8(row.limits);
    const bool comes = row.state == report::PairState::Waiting && facts.number() &&
                       std::holds_alternative<report::Unknown>(value);
    return comes ? QStringLiteral("\u2026") : cellText(value, facts.unknown);
}

bool differs(const report::PairRow &row)
{
    return row.waits() || row.severity().kind != PairSeverity::Kind::Identical;
}

bool severalFunctions(const std::vector<report::PairRow> &rows)
{
    return std::any_of(rows.begin(), rows.end(), [&rows](const report::PairRow &row) {
        return row.function != rows.front().function;
    });
}

void setPairWords(report::PairRow &row, const ValueLimits &limits)
{
    switch (row.state) {
    case report::PairState::Waiting: row.verdict = PairWords::tr("comparing").toStdString(); break;
    case report::PairState::Stopped:
        row.verdict = PairWords::tr("not compared").toStdString();
        break;
    case report::PairState::OneSided:
        row.verdict =
            (row.onA() ? PairWords::tr("only in A") : PairWords::tr("only in B")).toStdString();
        break;
    case report::PairState::Compared:
    case report::PairState::NoValues: break;
    }
    row.holds.reset();
    row.limits.clear();
    if (!limits.any() || row.waits())
        return;
    row.holds = row.pair.values && exceededLimits(*row.pair.values, limits).empty();
    row.limits = limitsText(row, limits).toStdString();
}

QString verdictGlyph(const report::PairRow &row)
{
    if (row.onA() && row.onB() && row.waits())
        return row.state == report::PairState::Waiting ? QStringLiteral("\u2026")
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

QString verdictSentence(const report::PairRow &row)
{
    if (!row.onA() || !row.onB())
        return row.onA() ? PairWords::tr("No weight of B was found to be this one.")
                         : PairWords::tr("No weight of A was found to be this one.");
    if (row.waits())
        return row.state == report::PairState::Waiting
                   ? PairWords::tr("The values are still being compared.")
                   : PairWords::tr("The comparison was cancelled before it came to this weight.");
    if (row.pair.unreadable())
        return row.pair.fault ? fromUtf8(describe(*row.pair.fault))
                              : PairWords::tr("The weight could not be read.");
    if (row.pair.values)
        return row.severity().kind == PairSeverity::Kind::Identical
                   ? PairWords::tr("The same layout and the same stored bytes.")
                   : countSentence(*row.pair.values);
    const QString text =
        row.pair.reshaped ? PairWords::tr("A is %1, B is %2: the same values in the same order.")
        : row.pair.rule   ? PairWords::tr("A is %1, B is %2: the axes stand in another order.")
                          : PairWords::tr("A is %1, B is %2: values cannot be set side by side.");
    return text.arg(shapeWord(row.shapeA), shapeWord(row.shapeB));
}

QString shortNumber(double number)
{
    if (number == 0.0 || !std::isfinite(number))
        return QString::number(number, 'g', 4);
    const double magnitude = std::abs(number);
    if (magnitude >= 1e-4 && magnitude < 1e5) {
        const int before = static_cast<int>(std::floor(std::log10(magnitude)));
        return QString::number(number, 'f', std::clamp(3 - before, 0, 7));
    }
    return QString::number(number, 'e', 2);
}

} // namespace kernscope::ui
