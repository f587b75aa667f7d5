// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"
#include "widgets/common/task_manager.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QTimer;
class QToolButton;

namespace kernscope::ui {

class HexView;
class Session;

/// Looks for bytes or text in the file that a hex view shows, forward and back, off the GUI thread.
/// Its parts keep their places while it works.
class HexFindBar final : public QWidget
{
    Q_OBJECT

public:
    HexFindBar(Session &session, HexView *view, QWidget *parent = nullptr);

    /// Shows the bar with the keyboard in it.
    void begin();
    void find(bool forward);
    void cancel();
    bool working() const { return m_task != nullptr; }
    QString message() const;

Q_SIGNALS:
    void found(const kernscope::ByteRange &range);

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    void build();
    void say(const QString &text);
    void setWorking(TaskPtr task);
    void deliver(std::optional<std::uint64_t> at, std::uint64_t from, std::uint64_t length,
                 bool forward);

    Session &m_session;
    HexView *m_view;
    QComboBox *m_kind = nullptr;
    QLineEdit *m_pattern = nullptr;
    QToolButton *m_back = nullptr, *m_forward = nullptr, *m_cancel = nullptr, *m_close = nullptr;
    QProgressBar *m_progress = nullptr;
    QLabel *m_message = nullptr;
    QTimer *m_clock = nullptr;
    TaskPtr m_task;
};

} // namespace kernscope::ui
