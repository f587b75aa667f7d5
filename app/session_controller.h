// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session_file.h"
#include "app/window_parts.h"

namespace kernscope::app {

struct NoticeAction;

/// Sessions as files: what is open and how the window stands. Files that are gone are named; the
/// rest of a session opens.
class SessionController final : public Controller
{
    Q_OBJECT

public:
    explicit SessionController(const WindowParts &parts) : Controller(parts) {}

    void addActions(QMenu *menu);
    void save(const QString &path);
    void open(const QString &path);
    /// While the files of a session are being opened.
    bool opening() const { return m_opening != nullptr; }
    void forget() { m_opening.reset(); }
    void sampleMissing(const QString &name);
    /// Forgets the session whose document this is.
    void failed(const QString &path);
    /// Once its files are open.
    void finish();

Q_SIGNALS:
    /// The window is to open its files, in its layout, at its place.
    void openAsked(const kernscope::app::SessionFile &session);
    void restoreAsked(); ///< the layouts are those of the session now
    void recentChanged();

private:
    struct Opening {
        QString path;
        SessionFile session; ///< without what is gone
        SessionFile whole;
        QStringList gone; ///< files that it names
    };
    SessionFile now();
    void open(const QString &path, SessionFile session);
    std::vector<NoticeAction> waysToFind(const Opening &opening);
    void start(Opening opening);

    std::unique_ptr<Opening> m_opening;
};

} // namespace kernscope::app
