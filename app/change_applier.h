// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/edit/script_origin.h"
#include "widgets/models/session.h"
#include "widgets/models/task_manager.h"

#include <QObject>
#include <QString>

namespace kernscope::app {

/// Makes the edits of a script (the changes that a comparison was saved as, or one by hand) on the
/// document, as one undo step: first looks whether the script was made for this bundle, afterwards
/// whether the weights are those that it was made of, where the script says so.
class ChangeApplier : public QObject
{
    Q_OBJECT

public:
    explicit ChangeApplier(ui::Session &session, QObject *parent = nullptr);

    /// Ends in applied() or failed(); what the document refuses it says itself.
    void apply(const QString &path);
    bool working() const { return m_task != nullptr; }

Q_SIGNALS:
    /// `proved`: the weights have the digest that the script names.
    void applied(const QString &path, bool proved);
    void failed(const kernscope::Error &error);

private:
    void request(const QString &path, const patch::ScriptOrigin &origin, std::vector<Edit> edits);
    void checkResult();

    ui::Session &m_session;
    ui::TaskPtr m_task;
    QString m_path; ///< whose edits are being made; empty for none
    patch::ScriptOrigin m_origin;
};

} // namespace kernscope::app
