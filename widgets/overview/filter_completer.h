// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/session.h"

#include <QCompleter>

class QLineEdit;
class QStringListModel;

namespace kernscope::ui {

/// Completes the last term of a filter (WeightWhere): its key first, then what the bundle has for
/// it. One list below the box; Down goes into it, Enter takes the marked one, Escape closes it.
class FilterCompleter final : public QCompleter
{
    Q_OBJECT

public:
    FilterCompleter(Session &session, QLineEdit *box);

    QStringList splitPath(const QString &path) const override;
    QString pathFromIndex(const QModelIndex &index) const override;
    QStringList offered() const; ///< for the text of now

private:
    Session &m_session;
    QLineEdit *m_box;
    QStringListModel *m_words;
};

} // namespace kernscope::ui
