// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/session.h"

#include <QLineEdit>

class QStringListModel;

namespace kernscope::app {

/// The line at the right of the menu: type a place, press Enter.
class GoToBox : public QLineEdit
{
    Q_OBJECT

public:
    explicit GoToBox(ui::Session &session, QWidget *parent = nullptr);

    QSize sizeHint() const override;

Q_SIGNALS:
    /// Escape, or a place was found: the focus goes back to where it was.
    void left();

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    void fillNames();
    void go();
    void showFault(const QString &text);

    ui::Session &m_session;
    QStringListModel *m_names = nullptr;
    QAction *m_fault = nullptr;
};

} // namespace kernscope::app
