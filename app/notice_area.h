// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QWidget>

#include <functional>
#include <vector>

class QVBoxLayout;

namespace kernscope::app {

struct NoticeAction {
    QString text;
    std::function<void()> run;
};

/// Lines above the docks for what a person should know and may answer when it suits: a file that
/// would not open, a file that changed on disk. Never in the way of anything.
class NoticeArea : public QWidget
{
    Q_OBJECT

public:
    enum class Kind : std::uint8_t { Note, Warning, Error };
    static constexpr int kMaxNotices = 4;

    explicit NoticeArea(QWidget *parent = nullptr);

    /// Adds a notice, or replaces the one of the same non-empty `topic`. Beyond kMaxNotices the
    /// oldest goes. Any action closes its notice.
    void add(Kind kind, const QString &topic, const QString &text,
             std::vector<NoticeAction> actions = {});
    void remove(const QString &topic);
    void clear();
    QStringList texts() const;

private:
    QFrame *find(const QString &topic) const;

    QVBoxLayout *m_rows = nullptr;
};

} // namespace kernscope::app
