// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/number_field.h"

#include <QFontMetrics>

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

} // namespace kernscope::ui
