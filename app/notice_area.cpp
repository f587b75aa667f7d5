// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/notice_area.h"

#include "widgets/common/line_icon.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

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

/// One line: a coloured edge with its glyph, the text, the answers.
class Notice : public QFrame
{
public:
    Notice(NoticeArea::Kind kind, QString topic, const QString &text, QWidget *parent)
        : QFrame(parent), m_look(lookOf(kind)), m_topic(std::move(topic)), m_text(ui::shown(text))
    {
        setAccessibleName(QStringLiteral("%1: %2").arg(m_look.word, m_text));
        setAutoFillBackground(true);
        setBackgroundRole(QPalette::AlternateBase);
        m_row = new QHBoxLayout(this);
        const int gap = ui::theme::em(this, 0.4);
        m_row->setContentsMargins(edge() + 2 * gap, gap, gap, gap);
        m_row->setSpacing(gap);
        auto *label = new QLabel(m_text, this);
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        m_row->addWidget(label, 1);
    }

    const QString &topic() const { return m_topic; }
    const QString &text() const { return m_text; }
    QHBoxLayout *row() { return m_row; }

protected:
    void paintEvent(QPaintEvent *event) override
    {
        QFrame::paintEvent(event);
        const bool dark = ui::theme::isDark(palette());
        QPainter painter(this);
        const QRect band(0, 0, edge(), height());
        painter.fillRect(band, ui::theme::color(m_look.token, dark));
        painter.setPen(ui::theme::textOn(m_look.token, dark));
        QFont bold = font();
        bold.setBold(true);
        painter.setFont(bold);
        painter.drawText(band, Qt::AlignCenter, m_look.glyph);
        painter.setPen(palette().color(QPalette::Mid));
        painter.drawLine(rect().bottomLeft(), rect().bottomRight());
    }

private:
    int edge() const { return ui::theme::em(this, 1.6); }

    Look m_look;
    QString m_topic, m_text;
    QHBoxLayout *m_row = nullptr;
};

} // namespace

NoticeArea::NoticeArea(QWidget *parent) : QWidget(parent), m_rows(new QVBoxLayout(this))
{
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(0);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
}

void NoticeArea::add(Kind kind, const QString &topic, const QString &text,
                     std::vector<NoticeAction> actions)
{
    if (!topic.isEmpty())
        remove(topic);
    while (m_rows->count() >= kMaxNotices)
        delete m_rows->takeAt(0)->widget();
    auto *notice = new Notice(kind, topic, text, this);
    for (NoticeAction &action : actions) {
        auto *button = new QPushButton(action.text, notice);
        connect(button, &QPushButton::clicked, notice, [notice, run = std::move(action.run)] {
            notice->hide();
            notice->deleteLater();
            run();
        });
        notice->row()->addWidget(button);
    }
    auto *close = new QToolButton(notice);
    close->setIcon(ui::lineIcon(QStringLiteral("close")));
    close->setAutoRaise(true);
    close->setAccessibleName(tr("Dismiss"));
    close->setToolTip(tr("Dismiss"));
    connect(close, &QToolButton::clicked, notice, [notice] {
        notice->hide();
        notice->deleteLater();
    });
    notice->row()->addWidget(close);
    m_rows->addWidget(notice);
    notice->show();
    QAccessibleEvent alert(notice, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
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
}

void NoticeArea::clear()
{
    while (m_rows->count() > 0)
        delete m_rows->takeAt(0)->widget();
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
