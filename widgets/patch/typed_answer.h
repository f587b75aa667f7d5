// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "widgets/patch/edit_preview.h"

#include <QLabel>

#include <functional>

class QAbstractItemView;
class QInputDialog;

namespace kernscope::ui {

/// An error of something typed: its place counts characters. `before` of them were not typed, but
/// stand before what was.
QString syntaxText(const Error &error, std::size_t before = 0);

/// Below the line of `dialog`, which is open already, stands what `fault` says of the text as it is
/// typed; while that is something, or nothing was typed and that is no answer, the dialog cannot be
/// accepted. The label is the result.
QLabel *answerWhileTyping(QInputDialog *dialog, std::function<QString(const QString &)> fault,
                          bool mayBeEmpty = false);
/// An answer in a label: in the colour of a warning where it is to be noticed.
void showAnswer(QLabel *label, bool warns);

/// What is said of a number that is typed into a cell: why the text is none, else what `made` says
/// of the edit.
EditAnswer answerToTyped(const QString &text, bool integer,
                         const std::function<Result<EditAnswer>()> &made);

/// Answers at the lower edge of a table of numbers while one types in a cell of it; nothing moves
/// for it. Belongs to the view, which prepareView() has had before.
class CellAnswer final : public QLabel
{
public:
    /// What the edit of a cell would come to.
    using Made = std::function<Result<EditAnswer>(const QModelIndex &cell, const QString &typed)>;

    CellAnswer(QAbstractItemView *view, Made made);

private:
    void say(const EditAnswer &answer, const QRect &cell);

    QAbstractItemView *m_view;
};

} // namespace kernscope::ui
