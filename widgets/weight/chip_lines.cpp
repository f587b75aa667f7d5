// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/chip_lines.h"

#include "core/bundle/stored_bytes.h"
#include "widgets/chips/chip_state.h"
#include "widgets/chips/chip_words.h"
#include "widgets/common/design.h"
#include "widgets/common/table_text.h"

#include <QLabel>
#include <QTextDocumentFragment>
#include <QVBoxLayout>

#include <array>

namespace kernscope::ui {

ChipLines::ChipLines(Session &session, QWidget *parent)
    : QWidget(parent), m_session(session), m_state(ChipState::of(session)),
      m_lines(new QLabel(this))
{
    m_lines->setWordWrap(true);
    // Words wrap at whatever width there is; none of them widens the inspector.
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    m_lines->setSizePolicy(policy);
    m_lines->setTextFormat(Qt::RichText);
    m_lines->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(design::space(this, design::Space::Small), 0, 0, 0);
    column->addWidget(m_lines);
    for (const auto signal :
         {&ChipState::tableChanged, &ChipState::targetChanged, &ChipState::assessedChanged})
        connect(&m_state, signal, this, &ChipLines::showLines);
}

void ChipLines::setWeight(std::size_t weight)
{
    m_weight = weight;
    showLines();
}

QString ChipLines::text() const
{
    return m_lines->accessibleName();
}

/// "M1: ▶ streams, 0.479 of the dense bytes cross. 1.55 to 1.64 times dense (measured: …)."
QString ChipLines::lineOf(const target::Target &target) const
{
    const auto &table = m_state.table();
    const std::size_t column = table->columnOf(target);
    if (column == kNoIndex)
        return {};
    const roofline::Assessment made = table->assessment(m_weight, column);
    QString line =
        tr("<b>%1</b>: %2").arg(chipName(target).toHtmlEscaped(), outcomeLabel(made.outcome));
    const std::uint64_t dense = table->form(m_weight).denseBytes;
    if (const auto moved = table->bytesMoved(m_weight, column); moved && dense > 0)
        line += tr(", %1 of the dense bytes cross")
                    .arg(ratioText(static_cast<double>(*moved) / static_cast<double>(dense)));
    line += QLatin1Char('.');
    if (made.speedup)
        line += QLatin1Char(' ') + tr("%1 times dense (%2: %3).")
                                       .arg(speedupWord(*made.speedup),
                                            confidenceLabel(made.speedup->confidence),
                                            fromUtf8(made.speedup->condition).toHtmlEscaped());
    const decision::Verdict &verdict = table->verdict(m_weight, column);
    if (made.outcome != decision::Outcome::Streams && !verdict.nearestChange.empty())
        line += QLatin1Char(' ') + fromUtf8(verdict.nearestChange).toHtmlEscaped();
    return line;
}

/// "All 24 chips: ▶ streams 9, ▽ folds 12, ? unknown 3."
QString ChipLines::countLine() const
{
    using decision::Outcome;
    static constexpr std::array kOrder{Outcome::Streams, Outcome::Folds, Outcome::Dense,
                                       Outcome::Rejected, Outcome::Unknown};
    const auto &table = m_state.table();
    std::array<std::size_t, kOrder.size()> counts{};
    for (std::size_t column = 0; column < table->columns(); ++column)
        ++counts[static_cast<std::size_t>(table->verdict(m_weight, column).outcome)];
    QStringList words;
    for (const Outcome outcome : kOrder) {
        if (const std::size_t count = counts[static_cast<std::size_t>(outcome)]; count > 0)
            words += QStringLiteral("%1 %2").arg(outcomeLabel(outcome)).arg(count);
    }
    return tr("All %1 chips: %2.").arg(table->columns()).arg(words.join(QStringLiteral(", ")));
}

void ChipLines::showLines()
{
    const auto &table = m_state.table();
    QStringList lines;
    if (!table || m_weight >= table->rows()) {
        lines += m_session.bundle() ? m_state.waitingText() : QString();
    } else {
        lines += lineOf(m_state.target());
        if (&m_state.assessed() != &m_state.target())
            lines += lineOf(m_state.assessed());
        lines += countLine();
        lines.removeAll(QString());
    }
    m_lines->setText(QStringLiteral("<p style='margin:0'>%1</p>")
                         .arg(lines.join(QStringLiteral("</p><p style='margin:3px 0 0 0'>"))));
    m_lines->setAccessibleName(
        QTextDocumentFragment::fromHtml(lines.join(QLatin1Char(' '))).toPlainText());
}

} // namespace kernscope::ui

#include "moc_chip_lines.cpp"
