// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layouts.h"
#include "app/window_parts.h"

#include <QStringList>

namespace kernscope::app {

/// Files or folders dropped anywhere on a window or its floating docks open there: one alone, two
/// as a pair, more as builds beside the pair. A text field would else take their paths as text.
/// Text and rows are left to who takes them, and so is what is dropped on a dialog.
class FileDrops final : public QObject
{
    Q_OBJECT

public:
    FileDrops(QWidget *window, std::function<void(const QStringList &)> open);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    bool isInside(const QWidget *widget) const;

    QWidget *m_window;
    std::function<void(const QStringList &)> m_open;
};

struct SessionFile;

/// Asks which files are opened, opens them, and keeps how they are to be shown until they are.
class OpenController final : public Controller
{
    Q_OBJECT

public:
    /// Of the bundle that is being opened.
    struct Wanted {
        std::optional<Layout> layout = Layout::Inspect; ///< empty: by what it turns out to be
        QString path;                                   ///< that was last asked for as A
        QString place;            ///< of a link: where to go once its file is open
        QStringList builds;       ///< paths beyond two: builds beside the pair
        bool anew = false;        ///< another bundle was asked for as A
        bool layoutStays = false; ///< the other one was asked for by what the layout shows
    };
    explicit OpenController(const WindowParts &parts) : Controller(parts) {}

    /// One path opens it, two compare them, none shows the sample. Asks first where edits would be
    /// lost.
    void openPaths(const QStringList &paths);
    /// A build of the embedded sample, with another one beside it where it is named.
    void openSample(const QString &name, const QString &other = {});
    void openSession(const SessionFile &session);
    void openFolder();
    void openFile();
    /// What the overview measures errors against: the workspace stays.
    void openBase();
    Wanted &wanted() { return m_wanted; }
    /// Goes to the place of a link; opens the builds that were named.
    void finish();
    /// A folder that is no bundle but holds some: which of them is meant.
    void offerBundles(const QString &folder);

Q_SIGNALS:
    void sessionAsked(const QString &path);  ///< the path is that of a session
    void begins();                           ///< files of no session are opened now
    void sampleMissing(const QString &name); ///< of a session

private:
    void openAsked(const QStringList &paths);

    Wanted m_wanted;
};

} // namespace kernscope::app
