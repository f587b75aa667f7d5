// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/document.h"

#include "app/document_run.h"
#include "app/layouts.h"
#include "app/paths.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "widgets/common/table_text.h"
#include "widgets/common/task_manager.h"

#include <QFileInfo>
#include <QUndoStack>

#include <algorithm>
#include <utility>

namespace kernscope::app {

Document::Document(ui::Session &session, QObject *parent)
    : QObject(parent), m_session(session), m_watch(this), m_otherWatch(this)
{
    connect(&session, &ui::Session::editsRequested, this, &Document::onEditsRequested);
    connect(&session, &ui::Session::bytesChanged, this, &Document::checkModified);
    connect(&session.undoStack(), &QUndoStack::indexChanged, this, &Document::collectPatches);
    for (const BundleWatch *watch : {&m_watch, &m_otherWatch}) {
        connect(watch, &BundleWatch::touched, this, &Document::lookAtFiles);
        connect(watch, &BundleWatch::changed, this, &Document::onWatchChanged);
    }
    connect(&session, &ui::Session::filesHoldChanged, this, &Document::onFilesHoldChanged);
    connect(this, &Document::cancelled, this, [this] { m_again.reset(); });
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

void Document::abandon()
{
    m_again.reset();
    applySavedState();
    m_session.setSaving(false);
    m_watch.release();
    setBusy(Busy::Idle);
}

Document::Opened Document::openSource(const Source &source, bool recover)
{
    Opened opened;
    if (source.memory) {
        auto bundle = Bundle::open(std::filesystem::path(source.memory->name),
                                   OpenOptions{.memory = source.memory->files});
        if (bundle)
            opened.bundle = std::move(*bundle);
        else
            opened.error = bundle.error();
        bindOpened(opened, source);
        return opened;
    }
    const std::filesystem::path path = toPath(source.path);
    if (recover) {
        const auto recovered = recoverSave(path, RecoverAction::Undo);
        if (!recovered) {
            opened.error = recovered.error();
            return opened;
        }
        opened.recovered = !recovered->saves.empty();
    }
    OpenedForReading read = openForReading(path);
    for (InterruptedSave &save : read.saves) {
        if (save.state == InterruptedState::Pending)
            opened.saves.push_back(std::move(save));
    }
    if (read.bundle)
        opened.bundle = std::move(*read.bundle);
    else
        opened.error = read.bundle.error();
    bindOpened(opened, source);
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

void Document::openBoth(Source a, std::optional<Source> b, std::function<void()> then, bool recover)
{
    if (m_busy != Busy::Idle)
        return;
    m_waiting = nullptr;
    if (!then)
        m_again.reset();
    const QString name = a.memory ? ui::fromUtf8(a.memory->name) : QFileInfo(a.path).fileName();
    run(
        Busy::Opening, tr("Opening %1").arg(name),
        [a, b, recover](Progress &) {
            OpenedPair both{openSource(a, recover), {}};
            if (b && both.first.bundle)
                both.second = openSource(*b, recover);
            return both;
        },
        [this, a, b, then](const OpenedPair &both, bool stopped) {
            if (stopped)
                Q_EMIT cancelled(Busy::Opening);
            else
                finishOpening(a, b, both, then);
        });
}

void Document::finishOpening(const Source &a, const std::optional<Source> &b,
                             const OpenedPair &both, const std::function<void()> &then)
{
    std::vector<InterruptedSave> saves = both.first.saves;
    saves.insert(saves.end(), both.second.saves.begin(), both.second.saves.end());
    if (saves.empty()) {
        showBoth(a, b, both, then);
        return;
    }
    askInterrupted(std::move(saves), [this, a, b, both, then](Interrupted answer) {
        if (answer == Interrupted::Recover)
            openBoth(a, b, then, true);
        else if (answer == Interrupted::Show)
            showBoth(a, b, both, then);
        else
            Q_EMIT cancelled(Busy::Opening);
    });
}

void Document::askInterrupted(std::vector<InterruptedSave> saves,
                              std::function<void(Interrupted)> go)
{
    if (m_interruptedAnswer) {
        go(*m_interruptedAnswer);
        return;
    }
    m_waiting = std::move(go);
    Q_EMIT interruptedSaveFound(saves);
}

void Document::answerInterrupted(Interrupted answer)
{
    if (const auto go = std::exchange(m_waiting, nullptr))
        go(answer);
}

void Document::recover()
{
    if (!isOpen() || inMemory())
        return;
    std::optional<Source> other;
    if (m_session.other())
        other = otherSource();
    openBoth(shownSource(), std::move(other), {}, true);
}

void Document::showBoth(const Source &a, const std::optional<Source> &b, const OpenedPair &both,
                        const std::function<void()> &then)
{
    if (!both.first.bundle) {
        m_again.reset();
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
}

void Document::showOpened(const Source &source, const Opened &opened)
{
    m_path = source.path;
    m_memory = source.memory;
    m_openInputs = opened.inputs;
    m_onDisk.clear();
    m_session.undoStack().clear();
    m_session.setPatchingEnabled(false);
    m_session.setBundle(opened.bundle);
    m_watch.watch(opened.bundle);
    // A bundle opens with its overview; a container has none, its docks show a weight at once.
    if (isContainer(*opened.bundle) && !opened.bundle->weights().empty())
        m_session.goToWeight(0);
    checkModified();
    keepEdits();
    Q_EMIT this->opened(opened.recovered);
    if (opened.shapesFault)
        Q_EMIT shapesRefused(*opened.shapesFault);
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
    openOtherSource({path, {}}, false);
}

void Document::openOtherSource(const Source &source, bool recover)
{
    if (m_busy != Busy::Idle || !isOpen())
        return;
    m_waiting = nullptr;
    const auto show = [this, source](const Opened &opened) {
        if (opened.bundle) {
            showOther(source, opened);
            Q_EMIT otherOpened();
        } else {
            Q_EMIT openFailed(source.path, *opened.error);
        }
    };
    run(
        Busy::Opening, tr("Opening %1").arg(QFileInfo(source.path).fileName()),
        [source, recover](Progress &) { return openSource(source, recover); },
        [this, source, show](const Opened &opened, bool stopped) {
            if (stopped) {
                Q_EMIT cancelled(Busy::Opening);
            } else if (opened.saves.empty()) {
                show(opened);
            } else {
                askInterrupted(opened.saves, [this, source, show, opened](Interrupted answer) {
                    if (answer == Interrupted::Recover)
                        openOtherSource(source, true);
                    else if (answer == Interrupted::Show)
                        show(opened);
                    else
                        Q_EMIT cancelled(Busy::Opening);
                });
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
    std::string weight;
    if (const auto &weights = m_session.bundle()->weights();
        m_session.place().weight < weights.size())
        weight = weights[m_session.place().weight].findableName();
    std::optional<Source> other;
    if (m_session.other())
        other = otherSource();
    const bool patching = m_session.patchingEnabled();
    m_again = editsAgain ? std::optional(unsavedEdits()) : std::nullopt;
    openBoth(shownSource(), std::move(other), [this, weight, patching] {
        if (const auto index = m_session.bundle()->weightByName(weight))
            m_session.goToWeight(*index);
        m_session.setPatchingEnabled(patching);
        if (m_again)
            makeAgain(*std::exchange(m_again, std::nullopt), {});
    });
}

void Document::swapSides()
{
    if (isOpen() && m_session.other())
        openBoth(otherSource(), shownSource());
}

void Document::close()
{
    if (m_busy != Busy::Idle)
        return;
    closeOther();
    m_keptEdits.clear();
    m_onDisk.clear();
    m_session.undoStack().clear();
    m_session.setPatchingEnabled(false);
    m_session.setBundle(nullptr);
    keepEdits();
    m_watch.watch(nullptr);
    m_path.clear();
    m_memory.reset();
    m_openInputs.clear();
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

#include "moc_document.cpp"
