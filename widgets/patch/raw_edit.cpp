// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/patch/raw_edit.h"

#include "core/patch/patch.h"
#include "widgets/models/table_text.h"
#include "widgets/models/task_manager.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>

namespace kernscope::ui {

namespace {

struct RawEditWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::RawEdits)
};

/// Writes it when the person says so.
void askWhetherToBreak(Session &session, QWidget *parent, const AppliedEdit &planned)
{
    auto *box = new QMessageBox(parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIcon(QMessageBox::Warning);
    box->setWindowTitle(RawEditWords::tr("What This Would Break"));
    box->setText(RawEditWords::tr("After %1 the file no longer reads as before.")
                     .arg(fromUtf8(editText(planned.edit))));
    box->setInformativeText(fromUtf8(planned.breaks));
    auto *write = box->addButton(RawEditWords::tr("Change Anyway"), QMessageBox::AcceptRole);
    box->setDefaultButton(box->addButton(QMessageBox::Cancel));
    QObject::connect(write, &QPushButton::clicked, parent, [&session, edit = planned.edit] {
        QTimer::singleShot(0, &session, [&session, edit] { session.requestEdits({edit}, {}); });
    });
    box->open();
}

} // namespace

void requestRawEdit(Session &session, QWidget *parent, const Edit &edit)
{
    if (!session.patchingEnabled() || !session.bundle()) {
        session.requestEdits({edit}, {}); // which says why not
        return;
    }
    session.tasks().start(
        parent, RawEditWords::tr("Looking what the edit would break"),
        [bundle = session.bundle(), edit](Progress &progress) {
            return planEdits(bundle, {edit}, 0, &progress);
        },
        [&session, parent, edit](Result<std::vector<AppliedEdit>> planned) {
            if (!planned)
                Q_EMIT session.editsRefused(planned.error());
            else if (!planned->front().breaks.empty())
                askWhetherToBreak(session, parent, planned->front());
            else // the edit stops all tasks, this one is to have ended
                QTimer::singleShot(0, &session,
                                   [&session, edit] { session.requestEdits({edit}, {}); });
        });
}

} // namespace kernscope::ui
