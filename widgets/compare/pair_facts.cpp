// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/pair_facts.h"

#include "widgets/common/design.h"
#include "widgets/common/table_text.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <cmath>

namespace kernscope::ui {

namespace {

/// Wraps at whatever width there is, and never widens the inspector.
QLabel *wrappedLabel(design::Type type, QWidget *parent)
{
    QLabel *label = design::label({}, type, parent);
    label->setWordWrap(true);
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    label->setSizePolicy(policy);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

/// A figure of values, or in words why it is none.
QString figureText(const ValueDifference &values, double number, const QString &text)
{
    if (values.notFinite > 0)
        return PairFactsPanel::tr("not finite");
    return std::isfinite(number) ? text : PairFactsPanel::tr("infinite");
}

} // namespace

PairVerdict::PairVerdict(QWidget *parent)
    : QWidget(parent), m_word(wrappedLabel(design::Type::Heading, this)),
      m_sentence(wrappedLabel(design::Type::Body, this)),
      m_reason(wrappedLabel(design::Type::Small, this))
{
    auto *column = new QVBoxLayout(this);
    const int gap = design::space(this, design::Space::Small);
    column->setContentsMargins(gap, gap, 0, gap);
    column->setSpacing(design::space(this, design::Space::Hair));
    for (QLabel *label : {m_word, m_sentence, m_reason})
        column->addWidget(label);
}

void PairVerdict::showRow(const report::PairRow &row)
{
    m_word->setText(verdictGlyph(row) + QLatin1Char(' ') + fromUtf8(row.verdict));
    m_sentence->setText(verdictSentence(row));
    m_reason->setText(row.reason.empty() ? QString() : tr("A pair: %1.").arg(fromUtf8(row.reason)));
    for (QLabel *label : {m_word, m_sentence, m_reason})
        label->setVisible(!label->text().isEmpty());
}

void PairVerdict::clear()
{
    for (QLabel *label : {m_word, m_sentence, m_reason})
        label->clear();
}

QString PairVerdict::text() const
{
    return m_word->text() + QLatin1Char('\n') + m_sentence->text() + QLatin1Char('\n') +
           m_reason->text();
}

PairFactsPanel::PairFactsPanel(QWidget *parent) : QWidget(parent)
{
    const std::array<QString, kFigures> names{
        tr("relative RMSE"), tr("SNR"),     tr("max |\u0394|"), tr("mean |\u0394|"), tr("cosine"),
        tr("equal"),         tr("changed"), tr("zeroed"),       tr("revived"),       tr("max ULP")};
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(design::space(this, design::Space::Small), 0, 0, 0);
    grid->setHorizontalSpacing(design::space(this, design::Space::Small));
    grid->setVerticalSpacing(design::space(this, design::Space::Hair));
    constexpr int kRows = kFigures / 2;
    for (int i = 0; i < static_cast<int>(kFigures); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const int column = i / kRows * 3;
        auto *name = design::label(names[at], design::Type::Small, this);
        name->setWordWrap(true); // where the language needs the room of its number
        grid->addWidget(name, i % kRows, column);
        m_values[at] = new QLabel(this);
        m_values[at]->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        m_values[at]->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_values[at]->setAccessibleName(names[at]);
        grid->addWidget(m_values[at], i % kRows, column + 1);
    }
    grid->setColumnMinimumWidth(2, design::space(this, design::Space::Medium));
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(4, 1);
    showValues(nullptr);
}

void PairFactsPanel::showValues(const ValueDifference *values)
{
    std::array<QString, kFigures> texts;
    texts.fill(QStringLiteral("\u2013"));
    if (values != nullptr) {
        const auto figure = [&](double number) {
            return figureText(*values, number, shortNumber(number));
        };
        texts = {figure(values->relativeRmse),
                 figureText(*values, values->snr, tr("%1 dB").arg(values->snr, 0, 'f', 1)),
                 figure(values->maxAbs),
                 figure(values->meanAbs),
                 figureText(*values, values->cosine, QString::number(values->cosine, 'f', 6)),
                 groupedNumber(values->equal),
                 groupedNumber(values->changed),
                 groupedNumber(values->zeroed),
                 groupedNumber(values->revived),
                 values->ulp() ? groupedNumber(*values->ulp()) : texts.back()};
    }
    for (std::size_t i = 0; i < kFigures; ++i)
        m_values[i]->setText(texts[i]);
}

QString PairFactsPanel::valueAt(std::size_t n) const
{
    return n < kFigures ? m_values[n]->text() : QString();
}

} // namespace kernscope::ui

#include "moc_pair_facts.cpp"
