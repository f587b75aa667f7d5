// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/qt_fwd.h"
#include "widgets/models/session.h"

#include <QTimer>
#include <QWidget>

namespace kernscope::ui {
class ElidedLabel;
} // namespace kernscope::ui

namespace kernscope::app {

/// lock · file · bytes · weights · errors and warnings · last message · what runs · progress ·
/// Cancel. Every field keeps its place whatever happens.
class StatusLine : public QWidget
{
    Q_OBJECT

public:
    explicit StatusLine(ui::Session &session, QWidget *parent = nullptr);

    /// Shown until the next one, or for a while.
    void showMessage(const QString &text);
    QString message() const;
    void setModified(bool modified);
    void setCounts(std::size_t errors, std::size_t warnings);

Q_SIGNALS:
    void lockClicked();
    void diagnosticsClicked();

private:
    void connectParts();
    void showBundle();
    void showLock();
    void showTasks();
    void showProgress();

    ui::Session &m_session;
    QToolButton *m_lock = nullptr, *m_diagnostics = nullptr, *m_cancel = nullptr;
    ui::ElidedLabel *m_file = nullptr, *m_message = nullptr, *m_task = nullptr;
    QLabel *m_bytes = nullptr, *m_weights = nullptr;
    QProgressBar *m_progress = nullptr;
    QTimer m_poll, m_fade;
    bool m_modified = false;
};

} // namespace kernscope::app
