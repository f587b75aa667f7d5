// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

/// The bytes of `first` followed by `second`, as one list of runs. Bytes that end as they began are
/// left out. Only for edits that keep their places (AppliedEdit::tables false for both).
std::vector<FileEdit> composed(const std::vector<FileEdit> &first,
                               const std::vector<FileEdit> &second);

/// True where both set the same cell: kind, weight, part and indices are equal.
bool sameCell(const Edit &a, const Edit &b);

} // namespace kernscope::app
