// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/verdict_strip.h"

#include "core/bundle/bundle.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/panels.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"

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
    auto *row = withoutMargins(new FlowLayout(this), theme::em(this, 0.4));
    for (std::size_t i = 0; i < kLimitFields.size(); ++i) {
        // Label and field stay together where the row wraps.
        auto *group = new QWidget(this);
        auto *inner = withoutMargins(new QHBoxLayout(group), theme::em(this, 0.3));
        auto *label = new QLabel(tr(kLimitFields[i].label), group);
        m_fields[i] = new QLineEdit(group);
        takeNumbers(m_fields[i], {false, true, kLimitFields[i].least, kLimitFields[i].most});
        m_fields[i]->setFixedWidth(theme::em(this, 5));
        m_fields[i]->setPlaceholderText(tr("any"));
        m_fields[i]->setClearButtonEnabled(true);
        m_fields[i]->setToolTip(tr(kLimitFields[i].help));
        m_fields[i]->setAccessibleName(tr(kLimitFields[i].help));
        label->setBuddy(m_fields[i]);
        laidOut(inner, {label, m_fields[i]});
        row->addWidget(group);
        connect(m_fields[i], &QLineEdit::textChanged, this, &LimitsBar::read);
    }
    m_verdict = named(new QLabel(this), tr("How many pairs keep the limits"));
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

/// "▶ 1 streams, ▽ 6 folds": how many weights of a build have which outcome; those that none has
/// are left out.
QString outcomeCounts(const BuildOutcome &outcome);

namespace {

/// "1 folds", "6 fold".
QString countedOutcome(decision::Outcome what, std::size_t count)
{
    switch (what) {
    case decision::Outcome::Streams:
        return countedWords(count, Words::tr("1 streams"), Words::tr("%1 stream"));
    case decision::Outcome::Folds:
        return countedWords(count, Words::tr("1 folds"), Words::tr("%1 fold"));
    default: return groupedNumber(count) + u' ' + outcomeWord(what);
    }
}

} // namespace

QString outcomeCounts(const BuildOutcome &outcome)
{
    using decision::Outcome;
    QStringList parts;
    for (const auto &[what, count] :
         {std::pair(Outcome::Streams, outcome.streams), std::pair(Outcome::Folds, outcome.folds),
          std::pair(Outcome::Dense, outcome.dense), std::pair(Outcome::Rejected, outcome.rejected),
          std::pair(Outcome::Unknown, outcome.unknown)}) {
        if (count > 0)
            parts << theme::glyph(outcomeToken(what)) + u' ' + countedOutcome(what, count);
    }
    return parts.join(u", "_s);
}

namespace {

/// Groups of chips that are told in pills of their own; the rest share one.
constexpr std::size_t kMostGroups = 1;

/// Chips that do the same before and after.
struct ChipGroup {
    std::vector<const ChipOutcome *> chips;
};

std::vector<ChipGroup> groupsOf(const BuildVerdict &verdict)
{
    std::vector<ChipGroup> groups;
    for (const ChipOutcome &chip : verdict.chips) {
        const auto same = [&chip](const ChipGroup &group) {
            const auto counts = [](const BuildOutcome &outcome) {
                return std::array{outcome.streams, outcome.folds, outcome.dense, outcome.rejected,
                                  outcome.unknown};
            };
            return counts(group.chips.front()->before) == counts(chip.before) &&
                   counts(group.chips.front()->after) == counts(chip.after);
        };
        const auto found = std::find_if(groups.begin(), groups.end(), same);
        if (found != groups.end())
            found->chips.push_back(&chip);
        else
            groups.push_back({{&chip}});
    }
    // The chip that answers are for unless another is named leads; then the chips that agree most.
    const auto isDefault = [](const ChipOutcome *chip) {
        return chip->target == &target::defaultTarget();
    };
    for (ChipGroup &group : groups)
        std::stable_partition(group.chips.begin(), group.chips.end(), isDefault);
    std::stable_sort(groups.begin(), groups.end(), [&](const ChipGroup &x, const ChipGroup &y) {
        const bool first = isDefault(x.chips.front()), second = isDefault(y.chips.front());
        return first != second ? first : x.chips.size() > y.chips.size();
    });
    return groups;
}

QString movedText(const BuildOutcome &outcome)
{
    return outcome.movedOpen > 0
               ? VerdictStrip::tr("%1 B and more").arg(groupedNumber(outcome.bytesMoved))
               : VerdictStrip::tr("%1 B").arg(groupedNumber(outcome.bytesMoved));
}

QString chipLine(const ChipOutcome &chip)
{
    return VerdictStrip::tr("%1: before %2, a call reads %3; after %4, it reads %5")
        .arg(fromUtf8(chip.target->name), outcomeCounts(chip.before), movedText(chip.before),
             outcomeCounts(chip.after), movedText(chip.after));
}

/// What most of the weights come to that are not dense: the colour of the pill.
Token tokenOfOutcome(const BuildOutcome &after)
{
    if (after.rejected > 0)
        return Token::OutRefused;
    if (after.streams > 0 && after.streams >= after.folds)
        return Token::OutStreams;
    if (after.folds > 0)
        return Token::OutFolds;
    return after.dense >= after.unknown ? Token::OutDense : Token::OutUnknown;
}

} // namespace

VerdictPill::VerdictPill(Token token, const QString &text, const QString &tip, QWidget *parent)
    : QAbstractButton(parent), m_token(token)
{
    setText(text);
    setToolTip(tip);
    setAccessibleName(text);
    setAccessibleDescription(tip);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setLeads(false);
}

void VerdictPill::setLeads(bool leads)
{
    setFocusPolicy(leads ? Qt::StrongFocus : Qt::NoFocus);
    setCursor(leads ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

QSize VerdictPill::sizeHint() const
{
    const int side = theme::em(this, 0.6);
    return {fontMetrics().horizontalAdvance(text()) + 2 * side,
            fontMetrics().height() + theme::em(this, 0.3)};
}

void VerdictPill::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool dark = theme::isDark(palette());
    QColor ground = theme::color(m_token, dark);
    ground.setAlphaF(underMouse() && focusPolicy() != Qt::NoFocus ? 0.3F : 0.16F);
    const QRectF area = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    const double radius = area.height() / 2;
    painter.setBrush(ground);
    QColor edge = theme::color(m_token, dark);
    edge.setAlphaF(hasFocus() ? 1.0F : 0.4F);
    painter.setPen(QPen(edge, hasFocus() ? 2 : 1));
    painter.drawRoundedRect(area, radius, radius);
    painter.setPen(palette().color(QPalette::WindowText));
    QFont shown = font();
    shown.setUnderline(focusPolicy() != Qt::NoFocus && underMouse());
    painter.setFont(shown);
    painter.drawText(rect(), Qt::AlignCenter, readFromLeft(text(), layoutDirection()));
}

VerdictStrip::VerdictStrip(QWidget *parent) : QWidget(parent)
{
    withoutMargins(new FlowLayout(this), theme::em(this, 0.3));
    setAccessibleName(tr("Result of the comparison"));
    setOutcome(nullptr);
}

void VerdictStrip::clear()
{
    for (VerdictPill *pill : std::exchange(m_pills, {})) {
        layout()->removeWidget(pill);
        pill->hide();
        pill->deleteLater();
    }
}

VerdictPill *VerdictStrip::add(Token token, const QString &text, const QString &tip)
{
    auto *pill = new VerdictPill(token, text, tip, this);
    layout()->addWidget(pill);
    pill->show();
    m_pills.append(pill);
    return pill;
}

void VerdictStrip::setOutcome(const ComparisonOutcomePtr &outcome)
{
    clear();
    if (!outcome) {
        add(Token::OutDense, tr("\u2026 comparing values"),
            tr("The verdict stands here once every weight was compared"));
        return;
    }
    if (!outcome->audit.empty()) {
        const QString said = fromUtf8(outcome->audit);
        add(outcome->sound ? Token::KindValues : Token::MarkChanged,
            outcome->sound ? tr("= what the forms make of the checkpoint")
                           : tr("\u2260 what the forms make of the checkpoint"),
            said);
    }
    addStructure(outcome->difference);
    addValues(*outcome);
    addBytes(outcome->verdict);
    addChips(outcome->verdict);
}

void VerdictStrip::addStructure(const Difference &difference)
{
    std::size_t encoded = 0, unreadable = 0;
    const auto whole = wholePairs(difference.weights);
    for (const ComparedPair &pair : whole) {
        encoded += pair.reencoded() ? 1 : 0;
        unreadable += pair.unreadable() ? 1 : 0;
    }
    add(encoded > 0 ? Token::KindData : Token::OutDense,
        tr("%1 of %2 re-encoded")
            .arg(groupedNumber(encoded), countedWords(whole.size(), tr("1 pair"), tr("%1 pairs"))),
        tr("Weights that B stores in another form, type or size of parts than A"));
    const auto alone = [this](std::size_t count, const QString &text, const QString &tip) {
        if (count > 0)
            add(Token::MarkChanged, text.arg(groupedNumber(count)), tip);
    };
    alone(unreadable, tr("%1 unreadable"),
          tr("Weights that could not be read in A or in B: they cannot be compared"));
    alone(slicedPairs(difference.weights).size(), tr("%1 split or merged"),
          tr("Weights of one side that are several of the other"));
    alone(difference.onlyA.size(), tr("%1 only in A"), tr("Weights of A without a partner"));
    alone(difference.onlyB.size(), tr("%1 only in B"), tr("Weights of B without a partner"));
}

void VerdictStrip::addValues(const ComparisonOutcome &outcome)
{
    const BuildVerdict &verdict = outcome.verdict;
    const auto *worst = findBy(verdict.worst, &WorstFigure::measure, "relative_rmse");
    if (!worst && verdict.faithful) {
        add(Token::KindValues, tr("= no value differs"),
            tr("Every value that was compared is the same in both"));
    } else if (worst) {
        const auto *number = std::get_if<double>(&worst->value);
        const QString name = fromUtf8(outcome.a->weights()[worst->a].name);
        std::optional<quint64> element;
        for (const ComparedPair &pair : outcome.difference.weights) {
            if (pair.a == worst->a && pair.b == worst->b && pair.values && pair.values->worst)
                element = pair.values->worst->element;
        }
        VerdictPill *pill =
            add(Token::MarkContested,
                tr("relative error %1").arg(number ? shortNumber(*number) : tr("not finite")),
                tr("%1 has the largest error as a share of the weight. Click to go to its largest "
                   "difference.")
                    .arg(name));
        pill->setLeads(true);
        connect(pill, &QAbstractButton::clicked, this,
                [this, a = worst->a, b = worst->b, element] { Q_EMIT placeWanted(a, b, element); });
    }
    const QString said = fromUtf8(faithfulText(*outcome.a, outcome.difference, verdict));
    if (!verdict.faithful && !unreadableText(outcome.difference).empty())
        add(Token::OutDense, tr("not proved"), said);
    if (!verdict.faithful || !worst)
        return;
    if (*verdict.faithful) {
        add(Token::KindValues, tr("= but for fp16 rounding"), said);
        return;
    }
    VerdictPill *pill = add(Token::MarkChanged, tr("\u2260 beyond fp16 rounding"), said);
    if (!verdict.counterexamplePair || !verdict.counterexample)
        return;
    const ComparedPair &pair = outcome.difference.weights[*verdict.counterexamplePair];
    pill->setLeads(true);
    connect(pill, &QAbstractButton::clicked, this,
            [this, a = pair.a, b = pair.b, element = verdict.counterexample->element] {
                Q_EMIT placeWanted(a, b, element);
            });
}

void VerdictStrip::addBytes(const BuildVerdict &verdict)
{
    if (!verdict.storedA || !verdict.storedB || !verdict.storedRatio)
        return;
    add(*verdict.storedRatio <= 1 ? Token::KindValues : Token::MarkChanged,
        tr("%1 of the bytes").arg(ratioText(*verdict.storedRatio)),
        tr("A stores %1 B of weights, B %2 B")
            .arg(groupedNumber(*verdict.storedA), groupedNumber(*verdict.storedB)));
}

void VerdictStrip::addChips(const BuildVerdict &verdict)
{
    const auto groups = groupsOf(verdict);
    QStringList rest;
    std::size_t left = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        QStringList lines;
        for (const ChipOutcome *chip : groups[i].chips)
            lines << chipLine(*chip);
        if (i + 1 > kMostGroups) {
            rest += lines;
            left += groups[i].chips.size();
            continue;
        }
        const ChipOutcome &first = *groups[i].chips.front();
        const QString name = fromUtf8(first.target->name);
        const QString chips =
            groups[i].chips.size() == 1
                ? name
                : tr("%1 and %2 more").arg(name, groupedNumber(groups[i].chips.size() - 1));
        add(tokenOfOutcome(first.after), tr("%1: %2").arg(chips, outcomeCounts(first.after)),
            lines.join(QLatin1Char('\n')));
    }
    if (left > 0)
        add(Token::OutDense, countedWords(left, tr("+1 chip"), tr("+%1 chips")),
            rest.join(QLatin1Char('\n')));
}

} // namespace kernscope::ui

#include "moc_verdict_strip.cpp"
