// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/bundle_watch.h"

#include "app/files.h"
#include "core/base/overlaid_file.h"
#include "core/base/sha256.h"
#include "core/bundle/bundle.h"
#include "widgets/common/qt.h"
#include "widgets/models/handover.h"

namespace kernscope::app {

namespace {

/// A writer touches a file many times; one question a burst is enough.
constexpr int kDebounceMilliseconds = 400;
/// A folder of more files is watched by its first ones (each costs a kernel handle).
constexpr int kMaxWatched = 256;
constexpr int kLookMilliseconds = 2000;
/// Of larger bundles no digests are kept: any touch of their files counts as a change.
constexpr std::uint64_t kMostDigested = std::uint64_t{1} << 30;
/// Those of smaller ones are there at once.
constexpr std::uint64_t kMostDigestedAtOnce = std::uint64_t{4} << 20;
/// Larger files are read again on another thread.
constexpr std::uint64_t kMostAtOnce = std::uint64_t{16} << 20;

/// Of a file, and the state in which it has these bytes.
using Digest = std::pair<FileStamp, std::string>;

/// Nothing where the file changes meanwhile, cannot be read, or is no longer asked for.
std::optional<Digest> digestOf(const std::filesystem::path &path, const std::atomic<bool> &unwanted)
{
    constexpr qint64 kBlock = qint64{1} << 20;
    const auto before = FileStamp::of(path);
    QFile file(toQString(path));
    if (!before || !file.open(QIODevice::ReadOnly))
        return std::nullopt;
    Sha256 sum;
    for (QByteArray block = file.read(kBlock); !block.isEmpty() && !unwanted;
         block = file.read(kBlock))
        sum.update(std::as_bytes(std::span(block.constData(), std::size_t(block.size()))));
    auto text = sum.finishHex();
    if (!text || unwanted || FileStamp::of(path) != before)
        return std::nullopt;
    return Digest{*before, *std::move(text)};
}

} // namespace

struct BundleWatch::Digests {
    std::atomic<bool> unwanted{false};
    std::mutex mutex; ///< of all that follows
    std::map<std::filesystem::path, Digest> opened, now;
};

BundleWatch::BundleWatch(QObject *parent) : QObject(parent)
{
    m_pool.setMaxThreadCount(1);
    m_debounce.setSingleShot(true);
    m_debounce.setInterval(kDebounceMilliseconds);
    connect(&m_debounce, &QTimer::timeout, this, &BundleWatch::compare);
    const auto wake = [this] {
        m_debounce.start();
        Q_EMIT touched();
    };
    m_look.setInterval(kLookMilliseconds);
    connect(&m_look, &QTimer::timeout, this, &BundleWatch::touched);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, wake);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, wake);
}

BundleWatch::~BundleWatch()
{
    if (m_digests)
        m_digests->unwanted = true;
}

/// Of all files that are watched, as they are now.
void BundleWatch::takeDigests()
{
    if (m_digests)
        m_digests->unwanted = true;
    m_digests = std::make_shared<Digests>();
    m_pool.clear();
    std::uint64_t bytes = 0;
    for (const Stamp &stamp : std::as_const(m_stamps))
        bytes += stamp.bytes > 0 ? static_cast<std::uint64_t>(stamp.bytes) : 0;
    if (bytes > kMostDigested)
        return;
    const auto take = [digests = m_digests, files = m_stamps.keys()] {
        for (const QString &file : files) {
            const auto path = toPath(file);
            if (auto digest = digestOf(path, digests->unwanted)) {
                const std::lock_guard lock(digests->mutex);
                digests->opened.insert_or_assign(path, *std::move(digest));
            }
        }
    };
    if (bytes > kMostDigestedAtOnce)
        ui::startOn(m_pool, take);
    else
        take();
}

std::vector<std::shared_ptr<OverlaidFile>> BundleWatch::touchedOnly(const Bundle &bundle)
{
    std::vector<std::shared_ptr<OverlaidFile>> touched;
    for (const BundleFile &entry : bundle.files()) {
        const auto &path = entry.file->path();
        const FileState state = entry.file->state();
        const auto now = FileStamp::of(path);
        if (m_held || !m_digests || state.kind != FileState::Kind::Changed || !now)
            continue;
        std::unique_lock lock(m_digests->mutex);
        const auto opened = m_digests->opened.find(path);
        if (opened == m_digests->opened.end() || opened->second.first != entry.file->stamp() ||
            now->inode != opened->second.first.inode || now->bytes != opened->second.first.bytes)
            continue;
        if (m_digests->now.count(path) == 0) {
            const auto look = [digests = m_digests, path] {
                auto digest = digestOf(path, digests->unwanted);
                const std::lock_guard again(digests->mutex);
                if (digest)
                    digests->now.insert_or_assign(path, *std::move(digest));
            };
            lock.unlock();
            if (now->bytes > kMostAtOnce) {
                ui::startOn(m_pool, [this, look] {
                    look();
                    ui::post(this, [this] { Q_EMIT this->touched(); });
                });
                continue;
            }
            look();
            lock.lock();
        }
        // Used once: the same times need not mean the same bytes again.
        const auto found = m_digests->now.extract(path);
        if (found.empty() || found.mapped().first != *now)
            continue;
        if (found.mapped().second == opened->second.second) {
            opened->second.first = *now;
            touched.push_back(entry.file);
        } else {
            m_digests->opened.erase(opened);
        }
    }
    return touched;
}

void BundleWatch::watch(const BundlePtr &bundle)
{
    if (const QStringList old = m_watcher.files() + m_watcher.directories(); !old.isEmpty())
        m_watcher.removePaths(old);
    m_stamps.clear();
    m_debounce.stop();
    m_look.stop();
    m_held = false;
    if (!bundle)
        return;
    QStringList paths;
    for (const BundleFile &entry : bundle->files()) {
        const QString path = toQString(entry.file->path());
        if (path.isEmpty() || m_stamps.size() >= kMaxWatched)
            continue;
        m_stamps.insert(path, stampOf(path));
        paths << path;
        // A file that is replaced by a renamed one is only seen from its folder.
        if (const QString folder = QFileInfo(path).path(); !paths.contains(folder))
            paths << folder;
    }
    if (paths.isEmpty())
        return;
    m_watcher.addPaths(paths);
    m_look.start();
    takeDigests();
}

void BundleWatch::restamp()
{
    for (auto it = m_stamps.begin(); it != m_stamps.end(); ++it)
        it.value() = stampOf(it.key());
    m_held = false;
    takeDigests();
}

void BundleWatch::release()
{
    m_held = false;
    m_debounce.start();
}

BundleWatch::Stamp BundleWatch::stampOf(const QString &file)
{
    const QFileInfo info(file);
    return info.exists() ? Stamp{info.size(), info.lastModified()} : Stamp{};
}

void BundleWatch::compare()
{
    if (m_held)
        return;
    QStringList changedFiles;
    for (auto it = m_stamps.begin(); it != m_stamps.end(); ++it) {
        if (Stamp now = stampOf(it.key()); now != it.value()) {
            it.value() = now;
            changedFiles << it.key();
        }
        if (!m_watcher.files().contains(it.key()) && QFileInfo::exists(it.key()))
            m_watcher.addPath(it.key());
    }
    if (!changedFiles.isEmpty())
        Q_EMIT changed(changedFiles);
}

} // namespace kernscope::app

#include "moc_bundle_watch.cpp"
