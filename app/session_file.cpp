// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session_file.h"

#include "app/file_fault.h"
#include "core/base/files.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

namespace kernscope::app {

namespace {

const QString kSessionKind = QStringLiteral("kernscope-session");
constexpr int kSessionVersion = 1;
constexpr std::uint64_t kMostSessionBytes = 64 << 20;

struct SessionWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::SessionFile)
};

tl::unexpected<Error> badField(const QString &field)
{
    return fileFault("session.syntax",
                     SessionWords::tr("The session's \u201C%1\u201D cannot be read.").arg(field),
                     {}, field);
}

QJsonObject bundleJson(const SessionFile::Bundle &bundle, const QDir &folder)
{
    if (!bundle.sample.isEmpty())
        return {{QStringLiteral("sample"), bundle.sample}};
    return {{QStringLiteral("path"), bundle.path},
            {QStringLiteral("relative"), folder.relativeFilePath(bundle.path)}};
}

/// Nothing where the object names neither a file nor a sample.
SessionFile::Bundle readBundle(const QJsonObject &object, const QDir &folder)
{
    SessionFile::Bundle bundle;
    bundle.sample = object.value(QStringLiteral("sample")).toString();
    if (!bundle.sample.isEmpty())
        return bundle;
    const QString relative = object.value(QStringLiteral("relative")).toString();
    const QString near = QDir::cleanPath(folder.absoluteFilePath(relative));
    const QString whole = object.value(QStringLiteral("path")).toString();
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
    session.layout = root.value(QStringLiteral("layout")).toString();
    if (!readTexts(root.value(QStringLiteral("docks")), session.docks))
        return badField(QStringLiteral("docks"));
    const QJsonObject layouts = root.value(QStringLiteral("layouts")).toObject();
    for (auto at = layouts.begin(); at != layouts.end(); ++at) {
        const auto state = QByteArray::fromBase64Encoding(at.value().toString().toLatin1(),
                                                          QByteArray::AbortOnBase64DecodingErrors);
        if (!state || (*state).isEmpty())
            return badField(QStringLiteral("layouts"));
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
                     {QStringLiteral("document"), bundleJson(session.document, folder)},
                     {QStringLiteral("place"), session.place},
                     {QStringLiteral("layout"), session.layout},
                     {QStringLiteral("docks"), QJsonArray::fromStringList(session.docks)},
                     {QStringLiteral("layouts"), layouts},
                     {QStringLiteral("pairs"), QJsonArray::fromStringList(session.pairs)}};
    if (!session.other.none())
        root.insert(QStringLiteral("other"), bundleJson(session.other, folder));
    // As a file of bookmarks has them.
    const auto bookmarks =
        QJsonDocument::fromJson(bookmarksJson(session.document.path, session.bookmarks));
    root.insert(QStringLiteral("bookmarks"), bookmarks.object());
    return QJsonDocument(root).toJson();
}

Result<SessionFile> parseSession(const QByteArray &json, const QString &path)
{
    QJsonParseError parsed;
    const QJsonObject root = QJsonDocument::fromJson(json, &parsed).object();
    if (parsed.error != QJsonParseError::NoError)
        return fileFault("session.syntax",
                         SessionWords::tr("This is no JSON: %1").arg(parsed.errorString()));
    if (root.value(kSessionKind).toInt() != kSessionVersion)
        return fileFault("session.syntax",
                         SessionWords::tr("This is no session, or a newer version wrote it."), {},
                         kSessionKind);
    SessionFile session;
    const QDir folder = QFileInfo(path).absoluteDir();
    session.document = readBundle(root.value(QStringLiteral("document")).toObject(), folder);
    session.other = readBundle(root.value(QStringLiteral("other")).toObject(), folder);
    if (session.document.none())
        return badField(QStringLiteral("document"));
    session.place = root.value(QStringLiteral("place")).toString();
    if (auto read = readLayouts(root, session); !read)
        return tl::unexpected(std::move(read.error()));
    if (!readTexts(root.value(QStringLiteral("pairs")), session.pairs) ||
        session.pairs.size() % 2 != 0)
        return badField(QStringLiteral("pairs"));
    if (const QJsonValue kept = root.value(QStringLiteral("bookmarks")); !kept.isUndefined()) {
        auto bookmarks = parseBookmarks(QJsonDocument(kept.toObject()).toJson());
        if (!bookmarks)
            return tl::unexpected(std::move(bookmarks.error()));
        session.bookmarks = std::move(*bookmarks);
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
            SessionWords::tr("The session could not be written: %1").arg(file.errorString()), path);
    return {};
}

Result<SessionFile> readSession(const QString &path)
{
    const auto text = readSmallFile(QFile::encodeName(path).toStdString(), kMostSessionBytes);
    if (!text)
        return tl::unexpected(text.error());
    auto session = parseSession(QByteArray::fromStdString(*text), path);
    if (!session)
        session.error().file = path.toStdString();
    return session;
}

} // namespace kernscope::app
