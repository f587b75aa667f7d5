// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session_file.h"

#include "app/files.h"
#include "core/base/files.h"
#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"

#include <set>

namespace kernscope::app {

namespace {

const QString kKind = u"kernscope-bookmarks"_s;
constexpr int kFileVersion = 1;

Result<void> writeWhole(const QString &path, const QByteArray &bytes)
{
    // One that came with an archive would lead the writing to any place.
    if (QFileInfo(path).isSymLink())
        return fileFault("io.write", ui::Words::tr("The bookmarks are not written through a link."),
                         path);
    QSaveFile file(path);
    if (!QDir().mkpath(QFileInfo(path).path()) || !file.open(QIODevice::WriteOnly) ||
        file.write(bytes) != bytes.size() || !file.commit())
        return fileFault(
            "io.write",
            ui::Words::tr("The bookmarks could not be written: %1").arg(file.errorString()), path);
    return {};
}

Result<void> removeFile(const QString &path)
{
    if (QFile::exists(path) && !QFile::remove(path))
        return fileFault("io.write", ui::Words::tr("The file of bookmarks could not be removed."),
                         path);
    return {};
}

} // namespace

QByteArray bookmarksJson(const QString &bundle, const Bookmarks &bookmarks)
{
    QJsonArray list;
    for (const Bookmark &bookmark : bookmarks) {
        QJsonObject one{{u"place"_s, bookmark.place},
                        {u"note"_s, bookmark.note},
                        {u"made"_s, bookmark.made.toUTC().toString(Qt::ISODate)}};
        if (bookmark.bytes > 0)
            one.insert(u"bytes"_s, static_cast<qint64>(bookmark.bytes));
        list.append(one);
    }
    return QJsonDocument(
               QJsonObject{{kKind, kFileVersion}, {u"bundle"_s, bundle}, {u"bookmarks"_s, list}})
        .toJson();
}

Result<Bookmarks> parseBookmarks(const QByteArray &json)
{
    QJsonParseError parsed;
    const QJsonDocument document = QJsonDocument::fromJson(json, &parsed);
    if (parsed.error != QJsonParseError::NoError)
        return fileFault("bookmarks.syntax",
                         ui::Words::tr("Not valid JSON: %1").arg(parsed.errorString()));
    const QJsonObject root = document.object();
    if (root.value(kKind).toInt() != kFileVersion)
        return fileFault("bookmarks.syntax",
                         ui::Words::tr("Not a file of bookmarks, or written by a newer version."),
                         {}, kKind);
    const QJsonArray list = root.value(u"bookmarks"_s).toArray();
    if (list.size() > kMostBookmarks)
        return fileFault(
            "bookmarks.limit",
            ui::Words::tr("%1 bookmarks are more than %2.").arg(list.size()).arg(kMostBookmarks));
    Bookmarks bookmarks;
    for (const QJsonValue &value : list) {
        const QJsonObject one = value.toObject();
        if (!one.value(u"place"_s).isString())
            return fileFault("bookmarks.syntax",
                             ui::Words::tr("Bookmark %1 has no place.").arg(bookmarks.size() + 1),
                             {}, u"place"_s);
        const qint64 bytes = one.value(u"bytes"_s).toInteger();
        bookmarks.push_back({one.value(u"place"_s).toString(),
                             bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0,
                             one.value(u"note"_s).toString(),
                             QDateTime::fromString(one.value(u"made"_s).toString(), Qt::ISODate)});
    }
    return bookmarks;
}

QString BookmarkStore::fileOf(const QString &bundle) const
{
    const QFileInfo info(bundle);
    const QString whole = info.exists() ? info.canonicalFilePath() : bundle;
    const QByteArray name =
        QCryptographicHash::hash(whole.toUtf8(), QCryptographicHash::Sha256).toHex().left(32);
    return m_folder + u"/bookmarks/%1.json"_s.arg(QString::fromLatin1(name));
}

QString BookmarkStore::besideOf(const QString &bundle)
{
    return QDir::cleanPath(bundle) + u".kernscope-bookmarks"_s;
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
        TRY(readSmallFile(QFile::encodeName(file.fileName()).toStdString(), kMostBookmarkBytes));
    auto bookmarks = parseBookmarks(QByteArray::fromStdString(text));
    if (!bookmarks)
        bookmarks.error().file = file.fileName().toStdString();
    return bookmarks;
}

Result<void> BookmarkStore::save(const QString &bundle, Bookmarks bookmarks,
                                 const Bookmarks &before) const
{
    std::set<std::pair<QString, qint64>> known;
    const auto isNew = [&known](const Bookmark &each) {
        return known.emplace(each.place, each.made.toSecsSinceEpoch()).second;
    };
    for (const Bookmark &each : before + bookmarks)
        isNew(each);
    for (const Bookmark &each : TRY(load(bundle))) {
        if (bookmarks.size() < kMostBookmarks && isNew(each))
            bookmarks.push_back(each);
    }
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
    TRY(writeWhole(to, bookmarksJson(bundle, bookmarks)));
    return removeFile(beside ? fileOf(bundle) : besideOf(bundle));
}

namespace {

const QString kSessionKind = u"kernscope-session"_s;
constexpr int kSessionVersion = 1;
constexpr std::uint64_t kMostSessionBytes = 64 << 20;

tl::unexpected<Error> badField(const QString &field)
{
    return fileFault("session.syntax",
                     ui::Words::tr("The session's \u201C%1\u201D cannot be read.").arg(field), {},
                     field);
}

QJsonObject bundleJson(const SessionFile::Bundle &bundle, const QDir &folder)
{
    if (!bundle.sample.isEmpty())
        return {{u"sample"_s, bundle.sample}};
    return {{u"path"_s, bundle.path}, {u"relative"_s, folder.relativeFilePath(bundle.path)}};
}

/// Nothing where the object names neither a file nor a sample.
SessionFile::Bundle readBundle(const QJsonObject &object, const QDir &folder)
{
    SessionFile::Bundle bundle;
    bundle.sample = object.value(u"sample"_s).toString();
    if (!bundle.sample.isEmpty())
        return bundle;
    const QString relative = object.value(u"relative"_s).toString();
    const QString near = QDir::cleanPath(folder.absoluteFilePath(relative));
    const QString whole = object.value(u"path"_s).toString();
    const bool isNear = !relative.isEmpty() && (whole.isEmpty() || QFileInfo::exists(near));
    bundle.path = isNear ? near : whole;
    return bundle;
}

/// False where a member is no text.
bool readTexts(const QJsonValue &value, QStringList &texts)
{
    for (const QJsonValue &one : value.toArray()) {
        if (!one.isString())
            return false;
        texts += one.toString();
    }
    return value.isArray() || value.isUndefined();
}

Result<void> readLayouts(const QJsonObject &root, SessionFile &session)
{
    session.layout = root.value(u"layout"_s).toString();
    if (!readTexts(root.value(u"docks"_s), session.docks))
        return badField(u"docks"_s);
    const QJsonObject layouts = root.value(u"layouts"_s).toObject();
    for (auto at = layouts.begin(); at != layouts.end(); ++at) {
        const auto state = QByteArray::fromBase64Encoding(at.value().toString().toLatin1(),
                                                          QByteArray::AbortOnBase64DecodingErrors);
        if (!state || (*state).isEmpty())
            return badField(u"layouts"_s);
        session.layouts += {at.key(), *state};
    }
    return {};
}

} // namespace

bool isSessionPath(const QString &path)
{
    return path.endsWith(QLatin1String(kSessionSuffix)) && !QFileInfo(path).isDir();
}

QByteArray sessionJson(const SessionFile &session, const QString &path)
{
    const QDir folder = QFileInfo(path).absoluteDir();
    QJsonObject layouts;
    for (const SessionFile::Layout &layout : session.layouts)
        layouts.insert(layout.id, QString::fromLatin1(layout.state.toBase64()));
    QJsonObject root{{kSessionKind, kSessionVersion},
                     {u"document"_s, bundleJson(session.document, folder)},
                     {u"place"_s, session.place},
                     {u"layout"_s, session.layout},
                     {u"docks"_s, QJsonArray::fromStringList(session.docks)},
                     {u"layouts"_s, layouts},
                     {u"pairs"_s, QJsonArray::fromStringList(session.pairs)}};
    if (!session.other.none())
        root.insert(u"other"_s, bundleJson(session.other, folder));
    // As a file of bookmarks has them.
    const auto bookmarks =
        QJsonDocument::fromJson(bookmarksJson(session.document.path, session.bookmarks));
    root.insert(u"bookmarks"_s, bookmarks.object());
    return QJsonDocument(root).toJson();
}

Result<SessionFile> parseSession(const QByteArray &json, const QString &path)
{
    QJsonParseError parsed;
    const QJsonObject root = QJsonDocument::fromJson(json, &parsed).object();
    if (parsed.error != QJsonParseError::NoError)
        return fileFault("session.syntax",
                         ui::Words::tr("Not valid JSON: %1").arg(parsed.errorString()));
    if (root.value(kSessionKind).toInt() != kSessionVersion)
        return fileFault("session.syntax",
                         ui::Words::tr("Not a session file, or written by a newer version."), {},
                         kSessionKind);
    SessionFile session;
    const QDir folder = QFileInfo(path).absoluteDir();
    session.document = readBundle(root.value(u"document"_s).toObject(), folder);
    session.other = readBundle(root.value(u"other"_s).toObject(), folder);
    if (session.document.none())
        return badField(u"document"_s);
    session.place = root.value(u"place"_s).toString();
    TRY(readLayouts(root, session));
    if (!readTexts(root.value(u"pairs"_s), session.pairs) || session.pairs.size() % 2 != 0)
        return badField(u"pairs"_s);
    if (const QJsonValue kept = root.value(u"bookmarks"_s); !kept.isUndefined()) {
        auto bookmarks = TRY(parseBookmarks(QJsonDocument(kept.toObject()).toJson()));
        session.bookmarks = std::move(bookmarks);
    }
    return session;
}

Result<void> writeSession(const SessionFile &session, const QString &path)
{
    QSaveFile file(path);
    const QByteArray bytes = sessionJson(session, path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return fileFault(
            "io.write",
            ui::Words::tr("The session could not be written: %1").arg(file.errorString()), path);
    return {};
}

Result<SessionFile> readSession(const QString &path)
{
    const auto text = TRY(readSmallFile(QFile::encodeName(path).toStdString(), kMostSessionBytes));
    auto session = parseSession(QByteArray::fromStdString(text), path);
    if (!session)
        session.error().file = path.toStdString();
    return session;
}

} // namespace kernscope::app
