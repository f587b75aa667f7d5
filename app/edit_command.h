// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/aside.h"
#include "core/patch/patch.h"

#include <QUndoCommand>

#include <memory>
#include <vector>

namespace kernscope::app {

class Document;

using AppliedEditPtr = std::shared_ptr<const AppliedEdit>;

/// One undo step: edits that were planned together. Repeated edits of one cell merge into one step,
/// and a step that ends where it began vanishes.
class EditCommand : public QUndoCommand
{
public:
    EditCommand(Document &document, std::vector<AppliedEdit> edits, const QString &title);

    const std::vector<AppliedEditPtr> &edits() const { return m_edits; }

    void redo() override;
    void undo() override;
    int id() const override;
    bool mergeWith(const QUndoCommand *later) override;

private:
    Document &m_document;
    std::vector<AppliedEditPtr> m_edits;
};

/// An edit in the list of those made so far.
struct ListedEdit {
    AppliedEditPtr edit;
    bool on = true; ///< false: switched off, its bytes are not laid
};

/// One undo step that switches edits of the list off, or on again. Later edits may build on them:
/// those were planned anew.
class SwitchCommand : public QUndoCommand
{
public:
    /// `before`, `after`: all edits of the list, oldest first, in the same order.
    SwitchCommand(Document &document, std::vector<ListedEdit> before, std::vector<ListedEdit> after,
                  const QString &title);

    /// The list once the step is made.
    const std::vector<ListedEdit> &edits() const { return m_after; }
    /// What is laid and taken back to make the step, or to undo it.
    std::vector<EditStep> steps(bool forward) const;

    void redo() override;
    void undo() override;

private:
    Document &m_document;
    std::vector<ListedEdit> m_before, m_after;
};

/// The steps of edits made one after the other, or taken back one before the other.
std::vector<EditStep> stepsOf(const std::vector<AppliedEditPtr> &edits, bool forward);

/// The bytes of `first` followed by `second`, as one list of runs. Bytes that end as they began are
/// left out. Only for edits that keep their places (AppliedEdit::tables false for both).
std::vector<FileEdit> composed(const std::vector<FileEdit> &first,
                               const std::vector<FileEdit> &second);

/// True where both set the same cell: kind, weight, part and indices are equal.
bool sameCell(const Edit &a, const Edit &b);

} // namespace kernscope::app
