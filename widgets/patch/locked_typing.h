// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QAbstractItemView;

namespace kernscope::ui {

class Session;

/// Answers a person who types into a table of values while patching is off: otherwise nothing at
/// all would happen. Belongs to the view.
class LockedTyping final : public QObject
{
public:
    LockedTyping(QAbstractItemView &view, Session &session);

    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    Session &m_session;
};

} // namespace kernscope::ui
