// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QDateTime>
#include <QList>
#include <QString>

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
    /// No file is left of none. Writes where they are kept, whole or not at all. Errors:
    /// "io.write".
    Result<void> save(const QString &bundle, const Bookmarks &bookmarks) const;
    /// Writes them to the other place and takes the file here away. Errors: "io.write".
    Result<void> keepBeside(const QString &bundle, const Bookmarks &bookmarks, bool beside) const;

private:
    QString m_folder;
};

} // namespace kernscope::app
