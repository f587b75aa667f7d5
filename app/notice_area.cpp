// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/notice_area.h"

#include "widgets/common/flow_layout.h"
#include "widgets/common/line_icon.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace kernscope::app {

namespace {

struct Look {
    QString glyph, word;
    ui::Token token;
};

Look lookOf(NoticeArea::Kind kind)
{
    switch (kind) {
    case NoticeArea::Kind::Error:
        return {QStringLiteral("\u2715"), NoticeArea::tr("Error"), ui::Token::DiffMore};
    case NoticeArea::Kind::Warning:
        return {QStringLiteral("!"), NoticeArea::tr("Warning"), ui::Token::KindMask};
    case NoticeArea::Kind::Note: break;
    }
    return {QStringLiteral("i"), NoticeArea::tr("Note"), ui::Token::KindData};
}

constexpr double kCardWidth = 18.4; ///< ems: within the navigator, unless a word is longer

/// One card: a coloured edge with its glyph, the text with what closes it, the answers below.
class Notice : public QFrame
{
public:
    Notice(NoticeArea::Kind kind, QString topic, const QString &text, QWidget *parent)
        : QFrame(parent), m_look(lookOf(kind)), m_topic(std::move(topic)), m_text(ui::shown(text))
    {
        setAccessibleName(QStringLiteral("%1: %2").arg(m_look.word, m_text));
        setAutoFillBackground(true);
        setBackgroundRole(QPalette::Base);
        auto *column = new QVBoxLayout(this);
        const int gap = ui::theme::em(this, 0.4);
        const int before = edge() + 2 * gap;
        const bool mirrored = layoutDirection() == Qt::RightToLeft;
        column->setContentsMargins(mirrored ? gap : before, gap, mirrored ? before : gap, gap);
        column->setSpacing(gap);
        auto *row = new QHBoxLayout;
        row->setSpacing(gap);
        column->addLayout(row);
        auto *label = new QLabel(m_text, this);
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        row->addWidget(label, 1);
        auto *close = new QToolButton(this);
        close->setIcon(ui::lineIcon(QStringLiteral("close")));
        close->setAutoRaise(true);
        close->setAccessibleName(NoticeArea::tr("Dismiss"));
        close->setToolTip(NoticeArea::tr("Dismiss (Escape)"));
        connect(close, &QToolButton::clicked, this, &Notice::dismiss);
        row->addWidget(close, 0, Qt::AlignTop);
    }

    const QString &topic() const { return m_topic; }
    const QString &text() const { return m_text; }

    void addAnswer(NoticeAction &&action)
    {
        if (!m_answers) {
            m_answers = new ui::FlowLayout(nullptr);
            m_answers->setSpacing(ui::theme::em(this, 0.4));
            static_cast<QVBoxLayout *>(layout())->addLayout(m_answers);
        }
        auto *button = new QPushButton(action.text, this);
        connect(button, &QPushButton::clicked, this, [this, run = std::move(action.run)] {
            dismiss();
            run();
        });
        m_answers->addWidget(button);
    }

    void dismiss()
    {
        hide();
        deleteLater();
    }

protected:
    void keyPressEvent(QKeyEvent *event) override
    {
        if (event->key() == Qt::Key_Escape)
            dismiss();
        else
            QFrame::keyPressEvent(event);
    }

    void paintEvent(QPaintEvent *event) override
    {
        QFrame::paintEvent(event);
        const bool dark = ui::theme::isDark(palette());
        const bool mirrored = layoutDirection() == Qt::RightToLeft;
        QPainter painter(this);
        const QRect band(mirrored ? width() - edge() : 0, 0, edge(), height());
        painter.fillRect(band, ui::theme::color(m_look.token, dark));
        painter.setPen(ui::theme::textOn(m_look.token, dark));
        QFont bold = font();
        bold.setBold(true);
        painter.setFont(bold);
        painter.drawText(band, Qt::AlignCenter, m_look.glyph);
        painter.setPen(ui::theme::color(m_look.token, dark));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }

private:
    int edge() const { return ui::theme::em(this, 1.6); }

    Look m_look;
    QString m_topic, m_text;
    ui::FlowLayout *m_answers = nullptr;
};

} // namespace

NoticeArea::NoticeArea(QWidget *parent) : QWidget(parent), m_rows(new QVBoxLayout(this))
{
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(ui::theme::em(this, 0.4));
    parent->installEventFilter(this);
    hide();
}

void NoticeArea::add(Kind kind, const QString &topic, const QString &text,
                     std::vector<NoticeAction> actions)
{
    if (!topic.isEmpty())
        remove(topic);
    while (m_rows->count() >= kMaxNotices)
        delete m_rows->takeAt(0)->widget();
    auto *notice = new Notice(kind, topic, text, this);
    for (NoticeAction &action : actions)
        notice->addAnswer(std::move(action));
    m_rows->addWidget(notice);
    notice->show();
    place();
    QAccessibleEvent alert(notice, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void NoticeArea::place()
{
    setVisible(!texts().isEmpty());
    if (isHidden())
        return;
    const QWidget *parent = parentWidget();
    const int gap = ui::theme::em(this, 0.6);
    const int room = std::max(1, parent->width() - 2 * gap);
    const int wide = std::min(
        room, std::max(ui::theme::em(this, kCardWidth), m_rows->totalMinimumSize().width()));
    const int high = std::min(parent->height(), m_rows->totalHeightForWidth(wide));
    const int left = layoutDirection() == Qt::RightToLeft ? parent->width() - gap - wide : gap;
    setGeometry(left, parent->height() - gap - high, wide, high);
    raise();
}

bool NoticeArea::event(QEvent *event)
{
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::FontChange)
        place();
    return QWidget::event(event);
}

bool NoticeArea::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutDirectionChange)
        place();
    return QWidget::eventFilter(watched, event);
}

QFrame *NoticeArea::find(const QString &topic) const
{
    for (int i = 0; i < m_rows->count(); ++i) {
        auto *notice = static_cast<Notice *>(m_rows->itemAt(i)->widget());
        if (notice->topic() == topic)
            return notice;
    }
    return nullptr;
}

void NoticeArea::remove(const QString &topic)
{
    delete find(topic);
    place();
}

void NoticeArea::clear()
{
    while (m_rows->count() > 0)
        delete m_rows->takeAt(0)->widget();
    place();
}

QStringList NoticeArea::texts() const
{
    QStringList list;
    for (int i = 0; i < m_rows->count(); ++i) {
        const auto *notice = static_cast<const Notice *>(m_rows->itemAt(i)->widget());
        if (!notice->isHidden())
            list << notice->text();
    }
    return list;
}

} // namespace kernscope::app

#include "moc_notice_area.cpp"
