// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session_file.h"
#include "tests/fuzz/fuzz_check.h"

using namespace kernscope;

/// Files of bookmarks and of sessions, both of which may come with an archive: what is read of one
/// can be written, and what is written is read as the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArray json(reinterpret_cast<const char *>(data), static_cast<qsizetype>(size));
    if (const auto read = app::parseBookmarks(json)) {
        fuzz::require(read->size() <= app::kMostBookmarks);
        const QByteArray written = app::bookmarksJson(QStringLiteral("x"), *read);
        const auto again = app::parseBookmarks(written);
        fuzz::require(again && app::bookmarksJson(QStringLiteral("x"), *again) == written);
    } else {
        fuzz::require(!read.error().code.empty() && !read.error().message.empty());
    }
    const QString path = QStringLiteral("/nowhere/x.kernscope-session");
    if (const auto read = app::parseSession(json, path)) {
        fuzz::require(!read->document.none() && read->pairs.size() % 2 == 0);
        const auto again = app::parseSession(app::sessionJson(*read, path), path);
        fuzz::require(again && again->bookmarks.size() == read->bookmarks.size() &&
                      again->pairs.size() == read->pairs.size());
    } else {
        fuzz::require(!read.error().code.empty() && !read.error().message.empty());
    }
    return 0;
}
