// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/document.h"

#include "app/document_run.h"
#include "app/paths.h"
#include "widgets/common/table_text.h"
#include "widgets/common/task_manager.h"

#include <QFileInfo>
#include <QUndoStack>

#include <algorithm>

namespace kernscope::app {

Document::Document(ui::Session &session, QObject *parent)
    : QObject(parent), m_session(session), m_watch(this), m_otherWatch(this)
{
    connect(&session, &ui::Session::editsRequested, this, &Document::onEditsRequested);
    connect(&session, &ui::Session::bytesChanged, this, &Document::checkModified);
    connect(&session.undoStack(), &QUndoStack::indexChanged, this, &Document::collectPatches);
    for (const BundleWatch *watch : {&m_watch, &m_otherWatch}) {
        connect(watch, &BundleWatch::touched, &session, &ui::Session::checkFiles);
        connect(watch, &BundleWatch::changed, this, [this](const QStringList &files) {
            m_session.checkFiles();
            if (m_session.filesHold()) // else it was told already
                Q_EMIT changedOnDisk(files, true);
        });
    }
    connect(&session, &ui::Session::filesHoldChanged, this, &Document::onFilesHoldChanged);
}

Document::~Document()
{
    // Our tasks post their results to this object.
    m_session.tasks().quiesce();
}

void Document::setBusy(Busy busy)
{
    if (m_busy == busy)
        return;
    m_busy = busy;
    Q_EMIT busyChanged();
}

Document::Opened Document::openSource(const Source &source)
{
    Opened opened;
    const std::filesystem::path path = toPath(source.path);
    OpenOptions options;
    if (source.memory) {
        options.memory = source.memory->files;
    } else if (const auto recovered = recoverJournal(path)) {
        opened.recovered = *recovered;
    } else {
        opened.error = recovered.error();
        return opened;
    }
    auto bundle =
        Bundle::open(source.memory ? std::filesystem::path(source.memory->name) : path, options);
    if (bundle)
        opened.bundle = std::move(*bundle);
    else
        opened.error = bundle.error();
    return opened;
}

void Document::open(const QString &path, const QString &otherPath)
{
    std::optional<Source> other;
    if (!otherPath.isEmpty())
        other = Source{otherPath, {}};
    openBoth({path, {}}, std::move(other));
}

void Document::openMemory(MemoryBundle bundle, std::optional<MemoryBundle> other)
{
    std::optional<Source> b;
    if (other)
        b = Source{{}, std::move(other)};
    openBoth({{}, std::move(bundle)}, std::move(b));
}

void Document::openBoth(Source a, std::optional<Source> b, std::function<void()> then)
{
    if (m_busy != Busy::Idle)
        return;
    const QString name = a.memory ? ui::fromUtf8(a.memory->name) : QFileInfo(a.path).fileName();
    run(
        Busy::Opening, tr("Opening %1").arg(name),
        [a, b](Progress &) {
            std::pair<Opened, Opened> both{openSource(a), {}};
            if (b && both.first.bundle)
                both.second = openSource(*b);
            return both;
        },
        [this, a, b, then](const std::pair<Opened, Opened> &both, bool stopped) {
            if (stopped) {
                Q_EMIT cancelled(Busy::Opening);
                return;
            }
            if (!both.first.bundle) {
                Q_EMIT openFailed(a.path, *both.first.error);
                return;
            }
            if (b && both.second.bundle)
                showOther(*b, both.second);
            else
                closeOther();
            showOpened(a, both.first);
            if (b && both.second.bundle)
                Q_EMIT otherOpened();
            if (b && both.second.error)
                Q_EMIT openFailed(b->path, *both.second.error);
            if (then)
                then();
        });
}

void Document::showOpened(const Source &source, const Opened &opened)
{
    m_path = source.path;
    m_memory = source.memory;
    m_session.undoStack().clear();
    m_session.setPatchingEnabled(false);
    m_session.setBundle(opened.bundle);
    m_watch.watch(opened.bundle);
    if (!opened.bundle->weights().empty())
        m_session.goToWeight(0);
    checkModified();
    Q_EMIT this->opened(opened.recovered);
}

void Document::showOther(const Source &source, const Opened &opened)
{
    m_otherPath = source.path;
    m_otherMemory = source.memory;
    m_session.setOther(opened.bundle);
    m_otherWatch.watch(opened.bundle);
}

void Document::openOther(const QString &path)
{
    if (m_busy != Busy::Idle || !isOpen())
        return;
    const Source source{path, {}};
    run(
        Busy::Opening, tr("Opening %1").arg(QFileInfo(path).fileName()),
        [source](Progress &) { return openSource(source); },
        [this, source](const Opened &opened, bool stopped) {
            if (stopped) {
                Q_EMIT cancelled(Busy::Opening);
            } else if (opened.bundle) {
                showOther(source, opened);
                Q_EMIT otherOpened();
            } else {
                Q_EMIT openFailed(source.path, *opened.error);
            }
        });
}

void Document::onFilesHoldChanged(bool hold)
{
    if (!hold)
        Q_EMIT changedOnDisk({ui::fromUtf8(m_session.filesFault()->file)}, false);
}

void Document::makeKeptEdits()
{
    if (m_keptEdits.empty())
        return;
    m_session.setPatchingEnabled(true);
    m_session.requestEdits(m_keptEdits, tr("Edits of before the reload"));
}

void Document::reload(bool editsAgain)
{
    if (!isOpen() || m_busy != Busy::Idle)
        return;
    if (editsAgain) {
        for (const ui::PatchEntry &entry : m_session.patches()) {
            if (entry.active)
                m_keptEdits.push_back(entry.edit->edit);
        }
    }
    std::string weight;
    if (const auto &weights = m_session.bundle()->weights();
        m_session.place().weight < weights.size())
        weight = weights[m_session.place().weight].name;
    std::optional<Source> other;
    if (m_session.other())
        other = Source{m_otherPath, m_otherMemory};
    const bool patching = m_session.patchingEnabled();
    openBoth({m_path, m_memory}, std::move(other), [this, weight, patching, editsAgain] {
        if (const auto index = m_session.bundle()->weightByName(weight))
            m_session.goToWeight(*index);
        m_session.setPatchingEnabled(patching);
        if (editsAgain)
            makeKeptEdits();
    });
}

void Document::swapSides()
{
    if (isOpen() && m_session.other())
        openBoth({m_otherPath, m_otherMemory}, Source{m_path, m_memory});
}

void Document::close()
{
    if (m_busy != Busy::Idle)
        return;
    closeOther();
    m_keptEdits.clear();
    m_session.undoStack().clear();
    m_session.setPatchingEnabled(false);
    m_session.setBundle(nullptr);
    m_watch.watch(nullptr);
    m_path.clear();
    m_memory.reset();
    checkModified();
    Q_EMIT closed();
}

void Document::closeOther()
{
    m_otherPath.clear();
    m_otherMemory.reset();
    m_otherWatch.watch(nullptr);
    if (m_session.other())
        m_session.setOther(nullptr);
}

QString Document::name() const
{
    return isOpen() ? ui::fromUtf8(m_session.bundle()->name()) : QString();
}

QString Document::otherName() const
{
    return m_session.other() ? ui::fromUtf8(m_session.other()->name()) : QString();
}

bool Document::modified() const
{
    return isOpen() && m_session.bundle()->modified();
}

bool Document::writable() const
{
    if (!isOpen() || inMemory())
        return false;
    const auto &files = m_session.bundle()->files();
    return std::all_of(files.begin(), files.end(), [](const BundleFile &entry) {
        return QFileInfo(toQString(entry.file->path())).isWritable();
    });
}

void Document::checkModified()
{
    const bool now = modified();
    if (now == m_wasModified)
        return;
    m_wasModified = now;
    Q_EMIT modifiedChanged(now);
}

} // namespace kernscope::app
