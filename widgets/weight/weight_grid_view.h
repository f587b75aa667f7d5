// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/number_field.h"
#include "widgets/common/qt_fwd.h"
#include "widgets/models/weight_grid_model.h"

#include <QFontMetrics>
#include <QList>
#include <QWidget>

namespace kernscope::ui {

/// Draws a cell of the value grid: code at the left and faint, value at the right, changed cells
/// outlined with a glyph. Edits the value, or the code where that is double clicked.
class WeightCellDelegate final : public NumberDelegate
{
    Q_OBJECT

public:
    explicit WeightCellDelegate(QObject *parent = nullptr);

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
    QWidget *createEditor(QWidget *parent, const QStyleOptionViewItem &option,
                          const QModelIndex &index) const override;
    void setEditorData(QWidget *editor, const QModelIndex &index) const override;
    void setModelData(QWidget *editor, QAbstractItemModel *model,
                      const QModelIndex &index) const override;
    /// The next cell that is opened is opened for its code.
    void editCode() { m_code = true; }

    /// What is drawn of a cell that an edge of the view may cut: a code or a number that does not
    /// show whole would be another one, so the code is left out and the number an ellipsis.
    struct Shown {
        QString code, value;
    };
    /// `inner` is the room of the texts, `view` what is seen, both in one coordinate system.
    static Shown shownTexts(const QRect &inner, const QRect &view, const QFontMetrics &metrics,
                            const QString &code, const QString &value);

protected:
    bool editorEvent(QEvent *event, QAbstractItemModel *model, const QStyleOptionViewItem &option,
                     const QModelIndex &index) override;

private:
    mutable bool m_code = false;
};

class ElidedLabel;

using CellValues = QList<std::pair<std::uint64_t, double>>; ///< element and value

/// The value grid with the line that answers while one types. Ctrl+C copies the selection.
class WeightGridView : public QWidget
{
    Q_OBJECT

public:
    explicit WeightGridView(TaskManager &tasks, QWidget *parent = nullptr);

    WeightGridModel &model() { return *m_model; }
    QTableView &table() { return *m_table; }
    /// See WeightGridModel::setReader. Columns keep their widths.
    void setReader(WeightReaderPtr reader, bool sameCells = false);
    void setEditable(bool editable);

    /// Selects a cell of the slice and scrolls to it; emits nothing.
    void showCell(std::uint64_t row, std::uint64_t col);
    void showNoCell();
    QString answer() const; ///< the line under the grid
    /// The selected values, or that of the cell cursor, as tab-separated text to the clipboard.
    void copySelection() const;
    /// Rows of tab-separated numbers of the clipboard, from the current cell on: valuesEntered(),
    /// or pasteRefused() where a cell is no finite number or lies beyond the window's cells. A
    /// blank cell and the dot of a value that is left out change nothing.
    void paste();
    /// Elements of the selected cells, a list for each rectangle of them.
    std::vector<std::vector<std::uint64_t>> selectedElements() const;
    /// Opens the current cell for its stored code.
    void editCode();

Q_SIGNALS:
    void lockedTyping(); ///< a value was typed while nothing can be edited
    void cellMoved(std::uint64_t row, std::uint64_t col);   ///< cell cursor, by the person
    void cellClicked(std::uint64_t row, std::uint64_t col); ///< mouse or Enter
    void editRequested(quint64 element, double value);
    void codeRequested(quint64 element, qint64 code);
    void pasteRefused(const QString &why); ///< nothing of it is entered
    void valuesEntered(const kernscope::ui::CellValues &values, const QString &title);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    /// What paste() enters; where it must not, `why` says which cell and why.
    CellValues clipboardValues(const QModelIndex &first, QString &why) const;
    void onCurrentChanged(const QModelIndex &now);
    void answerTo(const QModelIndex &index, const QString &text, bool code);
    void say(const QString &text, bool warns = false);
    QWidget *createPages();
    void turnPage(bool rows, bool forward);
    void updatePages();
    void fitColumns();

    WeightGridModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    ElidedLabel *m_answer = nullptr;
    QLabel *m_page = nullptr;
    QWidget *m_pages = nullptr;
    QList<QToolButton *> m_turns; ///< rows back and on, columns back and on
    bool m_moving = false, m_editable = false;
};

} // namespace kernscope::ui
