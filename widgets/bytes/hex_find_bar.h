// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/pattern.h"
#include "widgets/common/qt_fwd.h"
#include "widgets/models/session.h"
#include "widgets/models/task_manager.h"

#include <QWidget>

namespace kernscope::ui {

/// "9c 3f", "9c3f" or "0x9c, 0x3f"; nothing where it is not pairs of hexadecimal digits.
std::optional<search::BytePattern> parseHexPattern(QString text);

/// Offset of the first place at or after `from` that holds the pattern, going round at the end of
/// the file; or of the last one before `from`, going round at its start. Reads every byte at most
/// once, tells its progress in bytes, and stops early where that says so (nothing then).
std::optional<std::uint64_t> findBytes(std::span<const std::byte> bytes,
                                       const search::BytePattern &pattern, std::uint64_t from,
                                       bool forward, Progress &progress);

class HexView;

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
    bool working() const { return m_task.running(); }
    QString message() const;

Q_SIGNALS:
    void found(const kernscope::ByteRange &range);

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    void build();
    void say(const QString &text);
    void setWorking(bool working);
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
    Job m_task{m_session.tasks()};
};

} // namespace kernscope::ui
