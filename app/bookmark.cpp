// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/bookmark.h"

#include "app/file_fault.h"
#include "core/base/files.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

namespace kernscope::app {

namespace {

const QString kKind = QStringLiteral("kernscope-bookmarks");
constexpr int kFileVersion = 1;

struct BookmarkWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::Bookmarks)
};

Result<void> writeWhole(const QString &path, const QByteArray &bytes)
{
    // One that came with an archive would lead the writing to any place.
    if (QFileInfo(path).isSymLink())
        return fileFault("io.write",
                         BookmarkWords::tr("The bookmarks are not written through a link."), path);
    QSaveFile file(path);
    if (!QDir().mkpath(QFileInfo(path).path()) || !file.open(QIODevice::WriteOnly) ||
        file.write(bytes) != bytes.size() || !file.commit())
        return fileFault(
            "io.write",
            BookmarkWords::tr("The bookmarks could not be written: %1").arg(file.errorString()),
            path);
    return {};
}

Result<void> removeFile(const QString &path)
{
    if (QFile::exists(path) && !QFile::remove(path))
        return fileFault("io.write",
                         BookmarkWords::tr("The file of bookmarks could not be removed."), path);
    return {};
}

} // namespace

QByteArray bookmarksJson(const QString &bundle, const Bookmarks &bookmarks)
{
    QJsonArray list;
    for (const Bookmark &bookmark : bookmarks) {
        QJsonObject one{{QStringLiteral("place"), bookmark.place},
                        {QStringLiteral("note"), bookmark.note},
                        {QStringLiteral("made"), bookmark.made.toUTC().toString(Qt::ISODate)}};
        if (bookmark.bytes > 0)
            one.insert(QStringLiteral("bytes"), static_cast<qint64>(bookmark.bytes));
        list.append(one);
    }
    return QJsonDocument(QJsonObject{{kKind, kFileVersion},
                                     {QStringLiteral("bundle"), bundle},
                                     {QStringLiteral("bookmarks"), list}})
        .toJson();
}

Result<Bookmarks> parseBookmarks(const QByteArray &json)
{
    QJsonParseError parsed;
    const QJsonDocument document = QJsonDocument::fromJson(json, &parsed);
    if (parsed.error != QJsonParseError::NoError)
        return fileFault("bookmarks.syntax",
                         BookmarkWords::tr("This is no JSON: %1").arg(parsed.errorString()));
    const QJsonObject root = document.object();
    if (root.value(kKind).toInt() != kFileVersion)
        return fileFault(
            "bookmarks.syntax",
            BookmarkWords::tr("These are no bookmarks, or a newer version wrote them."), {}, kKind);
    const QJsonArray list = root.value(QStringLiteral("bookmarks")).toArray();
    if (list.size() > kMostBookmarks)
        return fileFault("bookmarks.limit", BookmarkWords::tr("%1 bookmarks are more than %2.")
                                                .arg(list.size())
                                                .arg(kMostBookmarks));
    Bookmarks bookmarks;
    for (const QJsonValue &value : list) {
        const QJsonObject one = value.toObject();
        if (!one.value(QStringLiteral("place")).isString())
            return fileFault(
                "bookmarks.syntax",
                BookmarkWords::tr("Bookmark %1 has no place.").arg(bookmarks.size() + 1), {},
                QStringLiteral("place"));
        const qint64 bytes = one.value(QStringLiteral("bytes")).toInteger();
        bookmarks.push_back(
            {one.value(QStringLiteral("place")).toString(),
             bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0,
             one.value(QStringLiteral("note")).toString(),
             QDateTime::fromString(one.value(QStringLiteral("made")).toString(), Qt::ISODate)});
    }
    return bookmarks;
}

QString BookmarkStore::fileOf(const QString &bundle) const
{
    const QFileInfo info(bundle);
    const QString whole = info.exists() ? info.canonicalFilePath() : bundle;
    const QByteArray name =
        QCryptographicHash::hash(whole.toUtf8(), QCryptographicHash::Sha256).toHex().left(32);
    return m_folder + QStringLiteral("/bookmarks/%1.json").arg(QString::fromLatin1(name));
}

QString BookmarkStore::besideOf(const QString &bundle)
{
    return QDir::cleanPath(bundle) + QStringLiteral(".kernscope-bookmarks");
}

bool BookmarkStore::isBeside(const QString &bundle)
{
    return QFileInfo::exists(bundle) && QFileInfo::exists(besideOf(bundle));
}

Result<Bookmarks> BookmarkStore::load(const QString &bundle) const
{
    const QFile file(isBeside(bundle) ? besideOf(bundle) : fileOf(bundle));
    if (!file.exists())
        return Bookmarks();
    const auto text =
        readSmallFile(QFile::encodeName(file.fileName()).toStdString(), kMostBookmarkBytes);
    if (!text)
        return tl::unexpected(text.error());
    auto bookmarks = parseBookmarks(QByteArray::fromStdString(*text));
    if (!bookmarks)
        bookmarks.error().file = file.fileName().toStdString();
    return bookmarks;
}

Result<void> BookmarkStore::save(const QString &bundle, const Bookmarks &bookmarks) const
{
    const QString path = isBeside(bundle) ? besideOf(bundle) : fileOf(bundle);
    // Beside the bundle the file also says that they are kept there.
    return bookmarks.isEmpty() && !isBeside(bundle)
               ? removeFile(path)
               : writeWhole(path, bookmarksJson(bundle, bookmarks));
}

Result<void> BookmarkStore::keepBeside(const QString &bundle, const Bookmarks &bookmarks,
                                       bool beside) const
{
    const QString to = beside ? besideOf(bundle) : fileOf(bundle);
    if (auto written = writeWhole(to, bookmarksJson(bundle, bookmarks)); !written)
        return written;
    return removeFile(beside ? fileOf(bundle) : besideOf(bundle));
}

} // namespace kernscope::app
