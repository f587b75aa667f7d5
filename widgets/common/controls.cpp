// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/controls.h"

#include "widgets/common/labels.h"
#include "widgets/common/qt.h"

namespace kernscope::ui {

void paintPill(QPainter &painter, const QRectF &box, const QColor &tint)
{
    const double round = std::min(box.height() / 2, box.width() / 2);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(tint);
    painter.drawRoundedRect(box, round, round);
    painter.restore();
}

Pill::Pill(const QString &name, QWidget *parent) : QLabel(parent), m_name(name)
{
    setFont(design::type(parent->font(), design::Type::Small));
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setContentsMargins(theme::em(this, 0.6), theme::em(this, 0.1), theme::em(this, 0.6),
                       theme::em(this, 0.1));
    hide();
}

void Pill::setWords(const QString &text, const QColor &tint, const QString &tip)
{
    m_tint = tint;
    setText(text);
    setToolTip(tip);
    setAccessibleName(text.isEmpty() ? QString() : tr("%1: %2").arg(m_name, text));
    setVisible(!text.isEmpty());
    update();
}

void Pill::paintEvent(QPaintEvent *event)
{
    QPainter painter(this);
    paintPill(painter, QRectF(rect()), m_tint);
    painter.end();
    QLabel::paintEvent(event);
}

namespace {

constexpr double kLeastPart = 2; ///< pixels: a small part is seen as well

} // namespace

ShareBar::ShareBar(double height, QWidget *parent) : QWidget(parent), m_height(height)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ShareBar::setParts(std::vector<Part> parts)
{
    m_parts = std::move(parts);
    QStringList words;
    for (const Part &part : m_parts)
        words += part.words;
    setAccessibleName(words.join(u"; "_s));
    update();
}

std::vector<double> ShareBar::edges() const
{
    std::vector<double> at{0};
    for (const Part &part : m_parts) {
        const double wanted =
            std::max(std::clamp(part.share, 0.0, 1.0) * width(), part.share > 0 ? kLeastPart : 0.0);
        at.push_back(std::min(at.back() + wanted, static_cast<double>(width())));
    }
    return at;
}

int ShareBar::partAt(int x) const
{
    const std::vector<double> at = edges();
    const auto behind = std::upper_bound(at.begin(), at.end(), x);
    return behind == at.begin() || behind == at.end() ? -1
                                                      : static_cast<int>(behind - at.begin()) - 1;
}

QSize ShareBar::minimumSizeHint() const
{
    return {theme::em(this, 2), theme::em(this, m_height)};
}

void ShareBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), design::track(palette()));
    const bool dark = theme::isDark(palette());
    const std::vector<double> at = edges();
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        // A pixel between the parts: neighbours of one form are told apart as well.
        const double gap = i + 1 < m_parts.size() && at[i + 1] - at[i] > 2 * kLeastPart ? 1 : 0;
        const QRectF place(at[i], 0, at[i + 1] - at[i] - gap, height());
        painter.fillRect(place, theme::color(m_parts[i].token, dark));
        if (m_parts[i].label.isEmpty() ||
            fontMetrics().horizontalAdvance(m_parts[i].label) >= place.width())
            continue;
        painter.setPen(theme::textOn(m_parts[i].token, dark));
        painter.drawText(place, Qt::AlignCenter, m_parts[i].label);
    }
}

bool ShareBar::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        auto *help = static_cast<QHelpEvent *>(event);
        const int part = partAt(help->pos().x());
        if (part >= 0)
            QToolTip::showText(help->globalPos(), m_parts[static_cast<std::size_t>(part)].words,
                               this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

namespace {

constexpr qreal kRound = 4;

class Segment final : public QToolButton
{
public:
    using QToolButton::QToolButton;

    QSize sizeHint() const override
    {
        const QFontMetrics bold(design::type(font(), design::Type::Heading));
        return {bold.horizontalAdvance(text()) + 2 * design::space(this, design::Space::Medium),
                bold.height() + 2 * design::space(this, design::Space::Small)};
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF box = QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5);
        if (isChecked() || hasFocus()) {
            painter.setPen(hasFocus() ? design::accent(palette()) : design::hairline(palette()));
            painter.setBrush(isChecked() ? QBrush(palette().color(QPalette::Base)) : Qt::NoBrush);
            painter.drawRoundedRect(box, kRound, kRound);
        }
        painter.setFont(isChecked() ? design::type(font(), design::Type::Heading) : font());
        painter.setPen(!isEnabled()  ? palette().color(QPalette::Disabled, QPalette::ButtonText)
                       : isChecked() ? design::accent(palette())
                                     : palette().color(QPalette::ButtonText));
        painter.drawText(rect(), Qt::AlignCenter, text());
    }
};

} // namespace

Segmented::Segmented(const QString &name, QWidget *parent)
    : QWidget(parent), m_row(new QHBoxLayout(this))
{
    setAccessibleName(name);
    m_row->setContentsMargins(1, 1, 1, 1);
    m_row->setSpacing(0);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

QToolButton *actionButton(QAction *action, QWidget *parent)
{
    auto *button = named(new QToolButton(parent), action->text());
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

QWidget *actionCheck(QAction *action, QWidget *parent)
{
    auto *box = named(new QCheckBox(action->iconText(), parent), action->text());
    box->setToolTip(action->toolTip());
    box->setChecked(action->isChecked());
    QObject::connect(action, &QAction::toggled, box, &QCheckBox::setChecked);
    QObject::connect(box, &QCheckBox::clicked, action, &QAction::trigger);
    return box;
}

void Segmented::add(QAction *action)
{
    auto *segment = new Segment(this);
    segment->setDefaultAction(action);
    segment->installEventFilter(this);
    m_segments += segment;
    // Mnemonics belong to the menu; what its icon text says needs not the words about it.
    const QString word = action->iconText().remove(u'&');
    segment->setText(word);
    segment->setAccessibleName(action->text().remove(u'&'));
    connect(action, &QAction::changed, segment, [this, segment, word] {
        segment->setText(word);
        takeTab();
    });
    m_row->addWidget(segment);
    takeTab();
}

/// Tab comes to the chosen word, or to the first where none is.
void Segmented::takeTab()
{
    const auto chosen = std::ranges::find_if(m_segments, &QToolButton::isChecked);
    QToolButton *stop = chosen == m_segments.end() ? m_segments.front() : *chosen;
    for (QToolButton *segment : std::as_const(m_segments))
        segment->setFocusPolicy(segment == stop ? Qt::TabFocus : Qt::NoFocus);
}

bool Segmented::eventFilter(QObject *watched, QEvent *event)
{
    const auto at = m_segments.indexOf(static_cast<QToolButton *>(watched));
    if (event->type() != QEvent::KeyPress || at < 0)
        return QWidget::eventFilter(watched, event);
    const qsizetype last = m_segments.size() - 1;
    const int forth = layoutDirection() == Qt::RightToLeft ? -1 : 1;
    switch (static_cast<QKeyEvent *>(event)->key()) {
    case Qt::Key_Left: choose(at - forth, -forth); return true;
    case Qt::Key_Right: choose(at + forth, forth); return true;
    case Qt::Key_Up: choose(at - 1, -1); return true;
    case Qt::Key_Down: choose(at + 1, 1); return true;
    case Qt::Key_Home: choose(0, 1); return true;
    case Qt::Key_End: choose(last, -1); return true;
    default: return QWidget::eventFilter(watched, event);
    }
}

/// The word there, or the next one that can be chosen. The keyboard stays in the switch, wherever
/// choosing it leads.
void Segmented::choose(qsizetype at, int step)
{
    while (at >= 0 && at < m_segments.size() && !m_segments[at]->isEnabled())
        at += step;
    if (at < 0 || at >= m_segments.size())
        return;
    m_segments[at]->defaultAction()->trigger();
    m_segments[at]->setFocus(Qt::OtherFocusReason);
}

void Segmented::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(design::track(palette()));
    painter.drawRoundedRect(QRectF(rect()), kRound + 1, kRound + 1);
}

KindLegend::KindLegend(QWidget *parent) : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(tr("Kinds of sections"));
}

void KindLegend::setKinds(const std::vector<SectionKind> &kinds, bool changes)
{
    m_kinds.clear();
    m_changes = changes;
    QStringList words;
    for (const SectionKind kind : kinds) {
        if (std::ranges::find(m_kinds, kind) != m_kinds.end())
            continue;
        m_kinds.push_back(kind);
        words += theme::sectionKindLabel(kind);
    }
    setAccessibleDescription(words.join(u", "_s));
    updateGeometry();
    update();
}

QString KindLegend::wordOf(int kind) const
{
    return kind < 0 ? tr("changed")
                    : theme::sectionKindLabel(m_kinds[static_cast<std::size_t>(kind)]);
}

std::vector<KindLegend::Entry> KindLegend::entries(int width) const
{
    const QFontMetrics metrics(font());
    const int row = metrics.height() + 2, icon = metrics.height(), gap = theme::em(this, 0.7);
    std::vector<Entry> placed;
    int x = 0, y = 0;
    const auto place = [&](int kind) {
        const int wide = icon + theme::em(this, 0.2) + metrics.horizontalAdvance(wordOf(kind));
        if (x > 0 && x + wide > width) {
            x = 0;
            y += row;
        }
        placed.push_back({QRect(x, y, wide, row), kind});
        x += wide + gap;
    };
    for (int kind = 0; kind < static_cast<int>(m_kinds.size()); ++kind)
        place(kind);
    if (m_changes)
        place(-1);
    return placed;
}

int KindLegend::heightForWidth(int width) const
{
    const auto placed = entries(width);
    return placed.empty() ? QFontMetrics(font()).height() + 2 : placed.back().box.bottom() + 1;
}

QSize KindLegend::sizeHint() const
{
    return {theme::em(this, 30), heightForWidth(theme::em(this, 30))};
}

QSize KindLegend::minimumSizeHint() const
{
    return {theme::em(this, 8), QFontMetrics(font()).height() + 2};
}

void KindLegend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const int side = QFontMetrics(font()).height();
    painter.setPen(palette().color(QPalette::WindowText));
    for (const Entry &entry : entries(width())) {
        const QRect swatch(entry.box.topLeft(), QSize(side, side));
        const QIcon icon = entry.kind < 0
                               ? glyphIcon(theme::glyph(Token::MarkChanged), Token::MarkChanged)
                               : kindIcon(m_kinds[static_cast<std::size_t>(entry.kind)]);
        icon.paint(&painter, swatch);
        painter.drawText(entry.box.adjusted(side + theme::em(this, 0.2), 0, theme::em(this, 1), 0),
                         Qt::AlignLeft | Qt::AlignVCenter, wordOf(entry.kind));
    }
}

} // namespace kernscope::ui

#include "moc_controls.cpp"
