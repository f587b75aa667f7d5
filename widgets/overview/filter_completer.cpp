// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/filter_completer.h"

#include "core/assessment/where_completions.h"
#include "core/bundle/bundle.h"
#include "widgets/common/table_text.h"

#include <QLineEdit>
#include <QStringListModel>

namespace kernscope::ui {

namespace {

/// Where the last term begins.
qsizetype lastTerm(const QString &text)
{
    return text.lastIndexOf(QLatin1Char(' ')) + 1;
}

} // namespace

FilterCompleter::FilterCompleter(Session &session, QLineEdit *box)
    : QCompleter(box), m_session(session), m_box(box), m_words(new QStringListModel(this))
{
    setModel(m_words);
    setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    setCaseSensitivity(Qt::CaseInsensitive);
    // Before the box's own connection, which is made by setCompleter(): the list is the new one.
    connect(box, &QLineEdit::textEdited, this, [this] { m_words->setStringList(offered()); });
    box->setCompleter(this);
}

QStringList FilterCompleter::offered() const
{
    QStringList words;
    if (!m_session.bundle() || m_box->cursorPosition() < m_box->text().size())
        return words;
    const QString text = m_box->text();
    for (const std::string &word :
         whereCompletions(text.mid(lastTerm(text)).toStdString(), m_session.bundle()->weights()))
        words += fromUtf8(word);
    return words;
}

QStringList FilterCompleter::splitPath(const QString &path) const
{
    return {path.mid(lastTerm(path))};
}

QString FilterCompleter::pathFromIndex(const QModelIndex &index) const
{
    const QString text = m_box->text();
    return text.left(lastTerm(text)) + index.data().toString();
}

} // namespace kernscope::ui

#include "moc_filter_completer.cpp"
