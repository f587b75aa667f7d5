// SPDX-License-Identifier: GPL-3.0-or-later
// The value of a register or of one of its fields, changed by a number.
#include "core/bundle/bundle.h"
#include "core/patch/edit/edit_parser.h"
#include "core/patch/plan/raw_place.h"
#include "widgets/common/fact_tree_model.h"
#include "widgets/common/table_text.h"
#include "widgets/hardware/tasks_dock.h"
#include "widgets/patch/raw_edit.h"
#include "widgets/patch/typed_answer.h"

#include <QInputDialog>
#include <QTreeView>

namespace kernscope::ui {

void TasksDock::askForValue()
{
    if (!session().patchingEnabled()) {
        Q_EMIT session().statusMessage(tr("Locked: enable patching to change values (Ctrl+E)."));
        return;
    }
    const QModelIndex row = m_registerView->currentIndex().siblingAtColumn(0);
    const auto bytes = row.isValid() ? m_registers->bytesOf(row) : std::nullopt;
    std::optional<std::string> path;
    if (bytes && m_shown) {
        const BundleReadLock lock(*m_shown);
        const auto bits = m_registers->bitsOf(row);
        const TaskRow task = rowOf(m_task);
        path = patch::fieldPathAt(*m_shown, task.text, task.index, bytes->offset,
                                  bits ? std::optional(bits->first) : std::nullopt);
    }
    constexpr int kValueColumn = 2;
    if (!path || m_registers->rowCount(row.parent()) == 0 || !row.parent().isValid()) {
        Q_EMIT session().statusMessage(tr("Choose a register or one of its fields to change it."));
        return;
    }
    auto *dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Change Value"));
    dialog->setLabelText(tr("%1\nA number, or hexadecimal with 0x. What it would break is said "
                            "before it is changed.")
                             .arg(fromUtf8(*path)));
    dialog->setTextValue(row.siblingAtColumn(kValueColumn).data(Qt::DisplayRole).toString());
    connect(dialog, &QInputDialog::textValueSelected, this, [this, path](const QString &typed) {
        const std::string text = *path + "=" + typed.trimmed().toStdString();
        const auto edit = parseEdit(Edit::Kind::Field, text);
        if (edit)
            requestRawEdit(session(), this, *edit);
    });
    dialog->open();
    answerWhileTyping(dialog, [path](const QString &typed) {
        const auto edit = parseEdit(Edit::Kind::Field, *path + "=" + typed.trimmed().toStdString());
        return edit ? QString() : syntaxText(edit.error(), path->size() + 1);
    });
}

} // namespace kernscope::ui
