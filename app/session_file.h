// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QDateTime>
#include <QList>
#include <QString>
#include <QStringList>

namespace kernscope::app {

/// A place of a bundle that the user wants to find again, with a note.
struct Bookmark {
    QString place;           ///< as parsePlace reads it; empty: the bundle as a whole
    std::uint64_t bytes = 0; ///< length of a run of bytes; 0: none, or one byte
    QString note;
    QDateTime made; ///< UTC

    friend bool operator==(const Bookmark &, const Bookmark &) = default;
};
using Bookmarks = QList<Bookmark>;

/// The most bookmarks of a bundle, and the most bytes of a file of them.
inline constexpr qsizetype kMostBookmarks = 100'000;
inline constexpr std::uint64_t kMostBookmarkBytes = 64 << 20;

/// JSON: {"kernscope-bookmarks": 1, "bundle": …, "bookmarks": [{"place", "bytes", "note",
/// "made"}]}.
QByteArray bookmarksJson(const QString &bundle, const Bookmarks &bookmarks);
/// Errors: "bookmarks.syntax" (no JSON of that kind; `field` says which), "bookmarks.limit".
Result<Bookmarks> parseBookmarks(const QByteArray &json);

/// Where the bookmarks of bundles are kept: a file a bundle in the folder of the user's state,
/// named by the bundle's path; or beside the bundle, where the user asked for that.
class BookmarkStore
{
public:
    explicit BookmarkStore(QString folder) : m_folder(std::move(folder)) {}

    /// The file of a bundle in the folder of the state.
    QString fileOf(const QString &bundle) const;
    /// The file beside the bundle: PATH.kernscope-bookmarks.
    static QString besideOf(const QString &bundle);
    /// Whether they are kept beside the bundle: there is such a file.
    static bool isBeside(const QString &bundle);

    /// None where there is no file. Errors: those of parseBookmarks, "io.open", "io.read".
    Result<Bookmarks> load(const QString &bundle) const;
    /// No file is left of none. Writes where they are kept, whole or not at all, with those that
    /// another window has added since they were as `before`. Errors: "io.write"; those of load().
    Result<void> save(const QString &bundle, Bookmarks bookmarks, const Bookmarks &before) const;
    /// Writes them to the other place and takes the file here away. Errors: "io.write".
    Result<void> keepBeside(const QString &bundle, const Bookmarks &bookmarks, bool beside) const;

private:
    QString m_folder;
};

/// A session as a file: what was open and how the window stood, to go on with another day, on
/// another machine, or to send to another person. It holds no bytes of the bundles and no edits.
struct SessionFile {
    /// A bundle on disk, or a build of the embedded sample.
    struct Bundle {
        QString path;   ///< absolute; empty: a sample, or there is none
        QString sample; ///< "sample-sparse.mlmodelc"; empty: on disk, or there is none

        bool none() const { return path.isEmpty() && sample.isEmpty(); }
        friend bool operator==(const Bundle &, const Bundle &) = default;
    };
    struct Layout {
        QString id; ///< layoutId()
        QByteArray state;
        friend bool operator==(const Layout &, const Layout &) = default;
    };
    Bundle document, other;
    QString place;         ///< as placeText() says it; empty: the bundle as a whole
    QString layout;        ///< id of the one on view
    QStringList docks;     ///< ids of the docks that the states of the layouts were made with
    QList<Layout> layouts; ///< those that the user has changed
    /// Pairs by hand: names in the document and in the other bundle by turns.
    QStringList pairs;
    Bookmarks bookmarks;

    friend bool operator==(const SessionFile &, const SessionFile &) = default;
};

/// ".kernscope-session": by it the command line knows the file.
inline constexpr char kSessionSuffix[] = ".kernscope-session";
bool isSessionPath(const QString &path);

/// JSON {"kernscope-session": 1, …}. A bundle on disk is named twice, by its whole path and as seen
/// from the folder of `path`, where the session will lie: both may be moved together.
QByteArray sessionJson(const SessionFile &session, const QString &path);
/// `path`: where the JSON was read, for the names of the bundles: the one seen from its folder
/// counts where there is such a file, else the whole path. Whether that exists is not asked.
/// Errors: "session.syntax" (no JSON of that kind; `field` says which).
Result<SessionFile> parseSession(const QByteArray &json, const QString &path);

/// Whole or not at all. Errors: "io.write".
Result<void> writeSession(const SessionFile &session, const QString &path);
/// Errors: those of parseSession; "io.open" (no regular file), "io.limit".
Result<SessionFile> readSession(const QString &path);

} // namespace kernscope::app
