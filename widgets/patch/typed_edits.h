// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/qt_fwd.h"
#include "widgets/models/session.h"

#include <QLabel>
#include <QString>

namespace kernscope::codec {
struct EditPlan;
}

namespace kernscope::ui {

/// What an edit would come to.
struct EditAnswer {
    QString text;
    bool far = false; ///< the value held is far from the one asked for: to be noticed
};
/// Without touching anything: "0.3 is held as 0.2998, codebook entry 7; 1 byte changes". Edits of
/// many elements are only described. Errors: those of the editor, and "patch.weight".
Result<EditAnswer> previewEdit(const Bundle &bundle, const Edit &edit);
/// The same of one whose bytes are planned; `hasValue`: a value is asked for, and not a code.
EditAnswer answerOf(const codec::EditPlan &made, bool hasValue);

/// The first decoded element that an edit names, where it names elements and they exist.
std::optional<std::uint64_t> firstElement(const Bundle &bundle, const Edit &edit);

/// The text that begins an edit of what is selected, as that kind is written: "weight[3,0,1]=",
/// "weight:", "weights/weight.bin+0x20=".
QString editStart(Edit::Kind kind, const Bundle &bundle, const Place &place);

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

/// The answer to a number that is typed into a cell: why the text is none, else what `made` says
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

/// Asks for an edit of bytes or of a register (Edit::isRaw()): first, as a task, it is planned and
/// what it would break is found; where that is something, a person is asked. `parent` owns the task
/// and the question. Refusals come as Session::editsRefused.
void requestRawEdit(Session &session, QWidget *parent, const Edit &edit);

/// An edit of one decoded element (Set, Keep or Drop), its place written by the index of each axis.
Edit elementEdit(const Weight &weight, std::uint64_t element, Edit::Kind kind, double value = 0);

/// An edit of several elements: a fill, or an expression of w. Of elements that are all those of
/// some range along each axis one edit, "w[4:7,0,:]=-w*0.5"; of others one each.
std::vector<Edit> rangeEdits(const Weight &weight, std::span<const std::uint64_t> elements,
                             const Edit &edit);

/// The code of one decoded element. Errors: those of codec::Editor::storedPlace().
Result<Edit> codeEdit(const Bundle &bundle, std::size_t weight, std::uint64_t element,
                      std::int64_t code);

/// An edit of one value of a codebook; the lane is named for vector palettes only.
Edit codebookEdit(const Weight &weight, std::uint64_t codebook, std::uint64_t entry,
                  std::uint64_t lane, bool vector, double value);

} // namespace kernscope::ui
