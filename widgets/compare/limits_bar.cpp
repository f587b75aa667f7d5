// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/limits_bar.h"

#include "widgets/common/flow_layout.h"
#include "widgets/common/number_field.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include <limits>

namespace kernscope::ui {

namespace {

struct LimitField {
    ValueLimit member;
    const char *label, *help;
    double least, most;
};

constexpr double kAny = std::numeric_limits<double>::max();

constexpr std::array<LimitField, 5> kLimitFields{{
    {&ValueLimits::maxAbs, QT_TRANSLATE_NOOP("kernscope::ui::LimitsBar", "max |\u0394| \u2264"),
     QT_TRANSLATE_NOOP("kernscope::ui::LimitsBar", "Largest difference that holds"), 0, kAny},
    {&ValueLimits::maxRel,
     QT_TRANSLATE_NOOP("kernscope::ui::LimitsBar", "max |\u0394| / |A| \u2264"),
     QT_TRANSLATE_NOOP("kernscope::ui::LimitsBar",
                       "Largest difference over the value in A that holds; what appears where A "
                       "has zero never does"),
     0, kAny},
    {&ValueLimits::maxUlp, QT_TRANSLATE_NOOP("kernscope::ui::LimitsBar", "ULP \u2264"),
     QT_TRANSLATE_NOOP("kernscope::ui::LimitsBar",
                       "Largest difference that holds, in steps of the type of A"),
     0, kAny},
    {&ValueLimits::minCosine, QT_TRANSLATE_NOOP("kernscope::ui::LimitsBar", "cosine \u2265"),
     QT_TRANSLATE_NOOP("kernscope::ui::LimitsBar", "Least cosine similarity that holds"), -1, 1},
    {&ValueLimits::minSnr, QT_TRANSLATE_NOOP("kernscope::ui::LimitsBar", "SNR \u2265"),
     QT_TRANSLATE_NOOP("kernscope::ui::LimitsBar", "Least signal to noise ratio that holds, in dB"),
     -kAny, kAny},
}};

} // namespace

LimitsBar::LimitsBar(QWidget *parent) : QWidget(parent)
{
    auto *row = new FlowLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme::em(this, 0.4));
    for (std::size_t i = 0; i < kLimitFields.size(); ++i) {
        // Label and field stay together where the row wraps.
        auto *group = new QWidget(this);
        auto *inner = new QHBoxLayout(group);
        inner->setContentsMargins(0, 0, 0, 0);
        inner->setSpacing(theme::em(this, 0.3));
        auto *label = new QLabel(tr(kLimitFields[i].label), group);
        m_fields[i] = new QLineEdit(group);
        takeNumbers(m_fields[i], {false, true, kLimitFields[i].least, kLimitFields[i].most});
        m_fields[i]->setFixedWidth(theme::em(this, 5));
        m_fields[i]->setPlaceholderText(tr("any"));
        m_fields[i]->setClearButtonEnabled(true);
        m_fields[i]->setToolTip(tr(kLimitFields[i].help));
        m_fields[i]->setAccessibleName(tr(kLimitFields[i].help));
        label->setBuddy(m_fields[i]);
        inner->addWidget(label);
        inner->addWidget(m_fields[i]);
        row->addWidget(group);
        connect(m_fields[i], &QLineEdit::textChanged, this, &LimitsBar::read);
    }
    m_verdict = new QLabel(this);
    m_verdict->setAccessibleName(tr("How many pairs keep the limits"));
    m_verdict->setMinimumHeight(m_fields.back()->sizeHint().height()); // in line with the fields
    row->addWidget(m_verdict);
    setCounts(0, 0, 0);
}

/// What is no number yet ("1e-") sets no limit.
void LimitsBar::read()
{
    for (std::size_t i = 0; i < kLimitFields.size(); ++i) {
        const auto value = typedNumber(m_fields[i]->text());
        m_limits.*kLimitFields[i].member =
            value && m_fields[i]->hasAcceptableInput() ? std::optional(*value) : std::nullopt;
    }
    Q_EMIT limitsChanged();
}

void LimitsBar::setCounts(std::size_t hold, std::size_t exceed, std::size_t waiting)
{
    QString text;
    if (!m_limits.any())
        text = tr("no limit is set");
    else {
        text = exceed == 0 ? tr("\u2713 %1 hold").arg(groupedNumber(hold))
                           : tr("\u2717 %1 of %2 do not hold")
                                 .arg(groupedNumber(exceed), groupedNumber(hold + exceed));
        if (waiting > 0)
            text += tr(", %1 not compared").arg(groupedNumber(waiting));
    }
    m_verdict->setText(text);
}

QString LimitsBar::verdict() const
{
    return m_verdict->text();
}

} // namespace kernscope::ui

#include "moc_limits_bar.cpp"
