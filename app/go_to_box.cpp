// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/go_to_box.h"

#include "app/glyph_icon.h"
#include "app/place_text.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QAction>
#include <QCompleter>
#include <QKeyEvent>
#include <QStringListModel>

namespace kernscope::app {

GoToBox::GoToBox(ui::Session &session, QWidget *parent)
    : QLineEdit(parent), m_session(session), m_names(new QStringListModel(this))
{
    setPlaceholderText(tr("Go to: weight[i,j]   section+0x40   0x1f40"));
    setAccessibleName(tr("Go to a weight, a section or an offset"));
    setToolTip(tr("A weight, weight[i,j], section+0x40, file:0x1f40 or an offset (Ctrl+G)"));
    setAcceptDrops(false); // files are dropped on the window, not typed here
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);

    auto *completer = new QCompleter(m_names, this);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setMaxVisibleItems(16);
    setCompleter(completer);

    m_fault = addAction(glyphIcon(QStringLiteral("!"), this), QLineEdit::TrailingPosition);
    m_fault->setVisible(false);

    connect(&session, &ui::Session::bundleChanged, this, &GoToBox::fillNames);
    connect(this, &QLineEdit::textEdited, this, [this] { showFault({}); });
    connect(this, &QLineEdit::returnPressed, this, &GoToBox::go);
}

QSize GoToBox::sizeHint() const
{
    const QSize base = QLineEdit::sizeHint();
    return {ui::theme::em(this, 26), base.height()};
}

void GoToBox::fillNames()
{
    m_names->setStringList(m_session.bundle() ? placeNames(*m_session.bundle()) : QStringList());
    clear();
    showFault({});
}

void GoToBox::go()
{
    if (!m_session.bundle()) {
        showFault(tr("Open a bundle first."));
        return;
    }
    const auto place = parsePlace(*m_session.bundle(), text(), m_session.place().file);
    if (!place) {
        QString why = ui::fromUtf8(place.error().message);
        if (!place.error().found.empty())
            why += QStringLiteral(" (%1)").arg(ui::fromUtf8(place.error().found));
        showFault(why);
        return;
    }
    showFault({});
    m_session.goTo(*place, this);
    Q_EMIT left();
}

void GoToBox::showFault(const QString &text)
{
    m_fault->setVisible(!text.isEmpty());
    m_fault->setToolTip(text);
    setAccessibleDescription(text);
    if (!text.isEmpty())
        Q_EMIT m_session.statusMessage(text);
}

void GoToBox::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape) {
        clear();
        showFault({});
        Q_EMIT left();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

} // namespace kernscope::app
