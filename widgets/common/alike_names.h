// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QTableView;
class QTimer;

namespace kernscope::ui {

/// Names of one kind in a column of a table: where one of the first has no room, all lose what they
/// share (kAlwaysShort), instead of some being whole and others short.
class AlikeNames final : public QObject
{
    Q_OBJECT

public:
    /// `column` holds the names. The view has its model already, and owns this.
    AlikeNames(QTableView *view, int column);

private:
    void decide();

    QTableView *m_view;
    QTimer *m_soon;
    int m_column;
};

} // namespace kernscope::ui
