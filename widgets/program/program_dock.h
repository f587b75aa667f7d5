// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"
#include "widgets/models/program_model.h"
#include "widgets/models/task_manager.h"

#include <QPalette>
#include <QStyledItemDelegate>
#include <QTreeView>

namespace kernscope::ui {

/// Draws a row of a program: its number faint, each part in its colour, links underlined.
class ProgramRowDelegate final : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

    /// Of a kind of text; with a contrast of 4.5 and more on the palette's Base.
    static QColor color(ProgramSpan::Kind kind, const QPalette &palette);
    /// The link at `x` of a row whose cell is `rect`; nothing beside the links.
    static std::optional<ProgramSpan> linkAt(const QFontMetrics &metrics, const QRect &rect,
                                             const QModelIndex &index, int x);

private:
    static int numberWidth(const QFontMetrics &metrics);
};

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

/// The program as text: functions and blocks fold, a value leads to the row that makes it, a weight
/// to its values; a row tells who reads what it makes.
class ProgramDock final : public Dock
{
    Q_OBJECT

public:
    explicit ProgramDock(Session &session, QWidget *parent = nullptr);

    ProgramModel &model() { return *m_model; }
    ProgramView &view() { return *m_view; }
    QLineEdit &findBox() { return *m_find; }
    QLabel &found() { return *m_found; }
    /// Where a row leads: what it reads, and the rows that read what it makes.
    struct Link {
        QString text;
        ProgramSpan to;
    };
    std::vector<Link> linksOf(const QModelIndex &index) const;
    static constexpr std::size_t kFoundAtOnce = 1'000; ///< rows: more are searched by a task

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    void buildActions();
    void connectParts();
    void showTree(std::shared_ptr<const ProgramTree> tree);
    void onCurrent(const QModelIndex &index);
    void showRow(std::size_t node);
    void followLink(const ProgramSpan &link);
    void popLinks();
    void goBackHere();
    void find(bool forward);
    void goToFound(std::size_t row, const QString &words);
    void countFound();
    void stopFinding();
    void showInHex();

    ProgramModel *m_model = nullptr;
    ProgramView *m_view = nullptr;
    QLineEdit *m_find = nullptr;
    QLabel *m_found = nullptr;
    Job m_task{session().tasks(), this}, m_finding{session().tasks(), this},
        m_counting{session().tasks(), this};
    std::filesystem::path m_shownPath;  ///< of the bundle whose program is on view
    std::vector<std::size_t> m_visited; ///< rows from which links were followed
    QAction *m_again = nullptr;
};

} // namespace kernscope::ui
