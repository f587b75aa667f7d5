// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/qt_fwd.h"

#include <QKeySequence>
#include <QList>
#include <QString>

#include <functional>

namespace kernscope::ui {

class Session;

/// The column that a dock's content is laid out in, with the narrow gaps that all docks have.
QVBoxLayout *contentColumn(QWidget *content);

/// An action of `scope`: its shortcut works while the keyboard is in there, whichever menus hold
/// the action as well.
QAction *dockAction(QWidget *scope, const QString &text, const QKeySequence &shortcut,
                    std::function<void()> triggered);

/// A filter box with a button to clear it; Escape clears it too, and Down goes on to `next`.
QLineEdit *filterBox(QWidget *parent, const QString &placeholder, QWidget *next);

/// What all tables share: whole rows, names elided in the middle, sorting that a third click on
/// the header takes back, rows of one height.
void prepareView(QAbstractItemView *view);
void prepareTable(QTableView *table);
/// A table of a model that is prepared so. `name`: for assistive programs; `ems`: widths of its
/// columns, none: as they are.
QTableView *makeTable(QWidget *parent, const QString &name, QAbstractItemModel *model,
                      std::initializer_list<double> ems = {});
/// Covers a column of numbers that an edge of the view cuts: the part that is seen would read as
/// another number. prepareView and prepareTable do so.
void coverCutNumbers(QAbstractItemView *view);
/// Icons of a column stand behind its text, so that a mark that comes or goes moves nothing.
void putMarksBehind(QAbstractItemView *view, int column);
/// Icons of a tree's column stand in the indentation before it, as wide as an icon at least.
void putMarksInMargin(QTreeView *view, int column);
/// The header over the columns of a table or a tree; null of any other view.
QHeaderView *columnHeader(const QAbstractItemView *view);
/// Widths of the columns in ems of the view's font.
void setColumnWidths(QHeaderView *header, std::initializer_list<double> ems);
/// Whether a column that changes its width right now does so for a number that it has to hold: not
/// by the hand of the user.
bool growsByItself(const QHeaderView *header);
/// Columns that take, in equal parts, the room that all leave; until the user sets a width. Call
/// after setColumnWidths: they get no narrower than that.
void growColumns(QAbstractItemView *view, std::initializer_list<int> columns);
/// Columns as wide as what they hold, without the room that the header keeps in each title for the
/// arrow of the order: a narrow inspector needs it for one column more.
void fitColumns(QTableView *table);
/// Columns as wide as the numbers in view need, up to 16 em: a number that is cut says another one.
/// They grow only, so that nothing jumps back. `columns` empty: all of them.
void widenForNumbers(QTableView *table, const QList<int> &columns = {});

/// Makes a row (or cell) the current and the only selected one, whatever keys are held: a shortcut
/// with Ctrl would else add it to the selection.
void chooseRow(QAbstractItemView *view, const QModelIndex &index);
/// The same, and scrolls to it.
void revealRow(QAbstractItemView *view, const QModelIndex &index);

/// Puts the selected rows on the clipboard as tab-separated text.
void copySelection(const QAbstractItemView &view);
/// An action of `scope` that does so (Ctrl+C).
QAction *copyAction(QWidget *scope, const QString &text, const QAbstractItemView *view);
/// Asks for a file and writes the whole table, in the format of the file's ending: CSV, TSV,
/// Markdown or JSON. What went wrong, also that there are no rows, or an empty text.
QString exportTable(QWidget *parent, const QAbstractItemModel &model, const QString &baseName);

/// An action of `scope` that puts the keyboard into a filter box (Ctrl+F).
QAction *findAction(QWidget *scope, const QString &text, QLineEdit *filter);
/// An action of `scope` that exports the whole of a table; the status line tells what went wrong.
/// `scope`, `session` and `model` live as long. `baseName`: of the file that is offered.
QAction *exportAction(QWidget *scope, Session &session, const QString &text,
                      const QAbstractItemModel &model, const char *baseName);

} // namespace kernscope::ui
