// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window_parts.h"

#include <QFrame>

class QVBoxLayout;

namespace kernscope::app {

struct NoticeAction {
    QString text;
    std::function<void()> run;
};

/// Cards over the bottom corner of its parent, where its lines begin, for what a person should know
/// and may answer when it suits: a file that would not open, a file that changed on disk. They lie
/// over what is there and follow the parent's size, so that nothing moves when one comes or goes.
/// Escape in a card dismisses it.
class NoticeArea : public QWidget
{
    Q_OBJECT

public:
    enum class Kind : std::uint8_t { Note, Warning, Error };
    static constexpr int kMaxNotices = 4;

    explicit NoticeArea(QWidget *parent);

    /// Adds a notice, or replaces the one of the same non-empty `topic`. Beyond kMaxNotices the
    /// oldest goes. Any action closes its notice.
    void add(Kind kind, const QString &topic, const QString &text,
             std::vector<NoticeAction> actions = {});
    void remove(const QString &topic);
    void clear();
    QStringList texts() const;
    /// Takes its corner of the parent again, before everything else there.
    void place();

protected:
    bool event(QEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QFrame *find(const QString &topic) const;

    QVBoxLayout *m_rows = nullptr;
};

/// What the window says of its document: saves that were interrupted, edits that were left, files
/// that changed, edits that were refused, shapes of inputs.
class DocumentNotices final : public Controller
{
    Q_OBJECT

public:
    explicit DocumentNotices(const WindowParts &parts);

    /// Of a document that is open now; `recovered`: an interrupted save was undone first.
    void opened(bool recovered);
    void refused(const Error &error);
    void askShapes();

Q_SIGNALS:
    void openAsked(const QString &path);
    void patchingAsked();

private:
    void askInterrupted(const std::vector<InterruptedSave> &saves);
    void noteInterrupted(bool recovered);
    void offerLeftEdits();
    void onChangedOnDisk(const QStringList &files, bool keepable);
    QString shownPath(const QString &file) const;
    void noteShapes(const QString &text);
    void onShapesRefused(const Error &error);
};

} // namespace kernscope::app
