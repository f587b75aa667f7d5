// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/program/program_spans.h"

#include <QTreeView>

#include <optional>

namespace kernscope::ui {

/// The program as text that folds. Links are followed by a click; Enter on a row lists its links.
class ProgramView final : public QTreeView
{
    Q_OBJECT

public:
    explicit ProgramView(QWidget *parent = nullptr);

    std::optional<ProgramSpan> linkAt(const QPoint &position) const;
    /// Unfolds the rows that hold others. QTreeView::expandAll() keeps a note of every row besides:
    /// of 65,000 ten megabytes.
    void unfoldAll();

Q_SIGNALS:
    void linkFollowed(const kernscope::ui::ProgramSpan &link);

protected:
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
};

} // namespace kernscope::ui
