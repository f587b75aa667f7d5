// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/document.h"

#include "app/files.h"
#include "app/layouts.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/shapes/described.h"
#include "core/bundle/shapes/tensor.h"
#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"

#include <fmt/format.h>

namespace kernscope::app {

namespace {

std::vector<shapes::ShapeBinding> bindingsOf(const BundlePtr &bundle)
{
    return bundle && bundle->shapeBindings() ? *bundle->shapeBindings()
                                             : std::vector<shapes::ShapeBinding>();
}

QString boundText(const shapes::Summary &summary)
{
    QString text = Document::tr("With %1: %2 of %3 open shapes follow.")
                       .arg(Document::shapesText(summary.bound))
                       .arg(summary.inferred)
                       .arg(summary.open);
    if (!summary.unknown.empty())
        text += Document::tr(" The others are behind %1 (%2): %3.")
                    .arg(ui::fromUtf8(summary.unknown.front().operation),
                         ui::fromUtf8(summary.unknown.front().type),
                         ui::fromUtf8(summary.unknown.front().reason));
    return text;
}

} // namespace

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
    if (std::exchange(m_busy, busy) == busy)
        return;
    Q_EMIT busyChanged();
}

void Document::abandon()
{
    if (m_busy == Busy::Planning)
        keepAgain();
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
    if (source.path != m_path)
        forgetEdits();
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

std::vector<Edit> Document::keptEdits() const
{
    std::vector<Edit> edits;
    for (const ui::PatchEntry &entry : m_kept) {
        if (!entry.active)
            continue;
        edits.push_back(entry.edit->edit);
        edits.back().note = entry.note;
    }
    return edits;
}

void Document::makeKeptEdits()
{
    if (m_kept.empty())
        return;
    m_session.setPatchingEnabled(true);
    const QScopedValueRollback guard(m_makingKept, true);
    m_session.requestEdits(keptEdits(), tr("Edits made before the reload"));
}

void Document::setKept(std::vector<ui::PatchEntry> kept)
{
    if (m_kept.empty() && kept.empty())
        return;
    m_kept = std::move(kept);
    keepEdits();
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
    if (m_journal) { // what the disk refused until now, while the edits are at hand
        m_journal->again();
        m_journal->flush();
    }
    m_again = editsAgain ? std::optional(unsavedOf(m_session.patches(), m_onDisk)) : std::nullopt;
    openBoth(shownSource(), std::move(other), [this, weight, patching] {
        if (const auto index = m_session.bundle()->weightByName(weight))
            m_session.goToWeight(*index);
        m_session.setPatchingEnabled(patching);
        if (m_again)
            makeAgain(*m_again, {});
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
    forgetEdits();
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
    if (std::exchange(m_wasModified, now) == now)
        return;
    Q_EMIT modifiedChanged(now);
}

QString Document::shapesText(const std::vector<shapes::ShapeBinding> &bindings)
{
    QStringList bound;
    for (const shapes::ShapeBinding &each : bindings)
        bound << u"%1 = %2"_s.arg(ui::fromUtf8(each.input),
                                  ui::fromUtf8(shapes::dimsText(each.dims)));
    return bound.join(u", "_s);
}

Document::Source Document::shownSource() const
{
    return {m_path, m_memory, bindingsOf(m_session.bundle())};
}

Document::Source Document::otherSource() const
{
    return {m_otherPath, m_otherMemory, bindingsOf(m_session.other())};
}

void Document::bindOpened(Opened &opened, const Source &source)
{
    if (!opened.bundle)
        return;
    opened.inputs = opened.bundle->openInputs();
    std::vector<shapes::ShapeBinding> bindings;
    if (source.bindings)
        bindings = *source.bindings;
    else if (!opened.inputs.empty())
        bindings = shapes::describedShapes(*opened.bundle->program());
    if (bindings.empty())
        return;
    auto bound = kernscope::bindShapes(*opened.bundle, bindings);
    if (bound)
        opened.bundle = std::move(bound->bundle);
    else if (source.bindings)
        opened.shapesFault = std::move(bound.error());
}

void Document::bindShapes(std::vector<shapes::ShapeBinding> bindings)
{
    if (!isOpen() || (bindings.empty() && !m_session.bundle()->shapeBindings()))
        return;
    if (m_busy != Busy::Idle) {
        Q_EMIT shapesRefused(
            ErrorBuilder("shapes.busy").message("Wait for what is running, or cancel it"));
        return;
    }
    const BundlePtr base = m_session.bundle();
    run(
        Busy::Binding, tr("Working out shapes"),
        [base, bindings](Progress &) {
            const BundleReadLock lock(*base);
            return kernscope::bindShapes(*base, bindings);
        },
        [this, base, index = m_session.undoStack().index()](Result<BoundShapes> &bound,
                                                            bool stopped) {
            if (stopped) {
                Q_EMIT cancelled(Busy::Binding);
            } else if (!bound) {
                Q_EMIT shapesRefused(bound.error());
            } else if (stillFits(base, index)) {
                m_session.updateBundle(bound->bundle);
                Q_EMIT shapesBound(bound->bundle->shapeBindings() ? boundText(bound->summary)
                                                                  : QString());
            }
        });
}

void Document::keepEditsIn(const QString &stateFolder)
{
    constexpr std::chrono::seconds kRetry(2);
    m_journal = std::make_unique<EditJournal>(stateFolder, [this, kRetry](const QString &reason) {
        ui::post(this, [this, kRetry, reason] {
            if (reason.isEmpty())
                m_retry.stop();
            else
                m_retry.start(kRetry);
            Q_EMIT editsNotKept(reason);
        });
    });
    connect(&m_retry, &QTimer::timeout, this, [this] { m_journal->again(); });
}

void Document::keepEdits()
{
    if (!m_journal || m_again || m_remaking) // what is to be made again is not lost meanwhile
        return;
    UnsavedEdits unsaved =
        isOpen() && !inMemory() ? unsavedOf(m_session.patches(), m_onDisk) : UnsavedEdits{};
    const bool worth = modified() || std::any_of(unsaved.entries.begin(), unsaved.entries.end(),
                                                 [](const auto &entry) { return entry.off; });
    if (!worth)
        unsaved = {};
    unsaved.entries.insert(unsaved.entries.end(), m_kept.begin(), m_kept.end());
    keepInJournal(std::move(unsaved));
}

void Document::keepInJournal(UnsavedEdits edits)
{
    if (edits.empty()) {
        m_journal->clear();
        return;
    }
    std::vector<std::string> files;
    for (const BundleFile &file : m_session.bundle()->files())
        files.push_back(file.path);
    m_journal->keep(m_path, [edits = std::move(edits), path = m_path, files] {
        const QString now = QDateTime::currentDateTimeUtc().toString(Qt::ISODate);
        return unsavedText(edits, {path.toStdString(), now.toStdString()}, files);
    });
}

void Document::forgetEdits()
{
    m_askedKept = false;
    m_editsForCopy.clear();
    const auto kept = std::exchange(m_kept, {});
    if (!m_journal)
        return;
    if (!isOpen() || inMemory() || kept.empty()) {
        m_journal->clear();
        return;
    }
    keepInJournal({{}, kept});
    m_journal->leave();
}

void Document::makeLeftEdits(const QString &file)
{
    if (!m_journal || !isOpen())
        return;
    const auto text = m_journal->read(file);
    auto edits = text ? parseUnsaved(*text, *m_session.bundle())
                      : Result<UnsavedEdits>(tl::unexpected(text.error()));
    if (!edits) {
        Q_EMIT m_session.editsRefused(edits.error());
        return;
    }
    makeAgain(*std::move(edits), [this, file] {
        m_journal->flush(); // they are in the file of this window first
        m_journal->discard(file);
    });
}

void Document::makeAgain(UnsavedEdits edits, std::function<void()> done)
{
    if (m_busy != Busy::Idle) {
        if (!done)
            keepAgain();
        return refuse("patch.busy",
                      tr("Wait until what is under way is done, then make the edits again."));
    }
    if (edits.empty()) {
        keepAgain();
        if (done)
            done();
        return;
    }
    m_session.setPatchingEnabled(true);
    const BundlePtr base = m_session.bundle();
    run(
        Busy::Planning, tr("Making the edits again"),
        [base, edits, tolerance = m_tolerance](Progress &progress) {
            return remakeEdits(base, edits, tolerance, progress);
        },
        [this, base, edits, done, index = m_session.undoStack().index()](RemadeEdits &remade,
                                                                         bool stopped) {
            if (stopped || !remade.bundle || !stillFits(base, index)) {
                keepAgain(); // what a window left is in its file still
                Q_EMIT m_session.editsRefused(
                    remade.fault.value_or(cancelledError("The edits were not made again")));
                return;
            }
            m_again.reset();
            finishAgain(std::move(remade));
            if (done)
                done();
        });
}

/// What a reload was to make again and did not stays beside what was refused before.
void Document::keepAgain()
{
    if (!m_again)
        return;
    const UnsavedEdits edits = *std::exchange(m_again, std::nullopt);
    std::ranges::copy_if(edits.entries, std::back_inserter(m_kept), &ui::PatchEntry::active);
    keepEdits();
}

/// As the steps that they were; where an edit is off or a saved one is taken back, what is laid and
/// what is not is one step.
void Document::finishAgain(RemadeEdits remade)
{
    const auto &entries = remade.edits.entries;
    const auto &takenBack = remade.edits.takenBack;
    std::vector<ListedEdit> after = listedEdits(), before = after;
    for (const AppliedEditPtr &edit : takenBack)
        before.push_back({edit, true});
    m_onDisk.insert(m_onDisk.end(), takenBack.begin(), takenBack.end());
    const bool switches =
        !takenBack.empty() || std::ranges::any_of(entries, [](const auto &row) { return row.off; });
    struct Step {
        std::size_t of = 0;
        bool undone = false;
        std::vector<AppliedEdit> edits;
    };
    std::vector<Step> steps;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const ui::PatchEntry &entry = entries[i];
        std::optional<AppliedEdit> &made = remade.made[i];
        if (entry.off) {
            after.push_back({entry.edit, false});
            m_notes[entry.edit] = entry.note;
        } else if (!made || made->bytes.empty()) {
            continue; // refused, or what the file has already
        } else if (entry.active && switches) {
            after.push_back({std::make_shared<const AppliedEdit>(std::move(*made)), true});
        } else {
            if (steps.empty() || steps.back().of != entry.step ||
                steps.back().undone == entry.active)
                steps.push_back({entry.step, !entry.active, {}});
            steps.back().edits.push_back(std::move(*made));
        }
    }
    QUndoStack &stack = m_session.undoStack();
    m_remaking = true;
    m_prepared = std::move(remade.bundle);
    if (!takenBack.empty() || after.size() > listedEdits().size())
        stack.push(new SwitchCommand(*this, std::move(before), std::move(after),
                                     tr("Edits made again"), takenBack));
    int laid = stack.index();
    for (Step &step : steps) {
        const QString title = step.edits.size() == 1
                                  ? ui::fromUtf8(editText(step.edits.front().edit))
                                  : tr("%1 edits").arg(step.edits.size());
        if (step.undone && stack.index() == laid)
            stack.setClean(); // else the first undone one could merge with the last of the others
        stack.push(new EditCommand(*this, std::move(step.edits), title));
        if (!step.undone)
            laid = stack.index();
    }
    stack.setIndex(laid);
    m_prepared.reset();
    m_remaking = false;
    m_kept.insert(m_kept.end(), remade.refused.begin(), remade.refused.end());
    if (keptEdits().empty())
        m_kept.clear();
    collectPatches();
    checkModified();
    if (const auto &refused = remade.refused; refused.size() > 1) {
        constexpr std::size_t kMostListed = 8;
        std::string list = fmt::format("{} edits were not made again", refused.size());
        for (std::size_t i = 0; i < std::min(refused.size(), kMostListed); ++i)
            list += fmt::format("{} {}: {}", i == 0 ? ":" : ";", editText(refused[i].edit->edit),
                                remade.reasons[i]);
        if (refused.size() > kMostListed)
            list += fmt::format("; and {} more", refused.size() - kMostListed);
        remade.fault = ErrorBuilder("patch.unrepresentable").message(list);
    }
    if (remade.fault)
        Q_EMIT m_session.editsRefused(*remade.fault);
}

/// A program that touched a file, or set its permissions, changed no byte of it.
void Document::lookAtFiles()
{
    bool touched = false;
    for (BundleWatch *watch : {&m_watch, &m_otherWatch}) {
        const BundlePtr &bundle = watch == &m_watch ? m_session.bundle() : m_session.other();
        if (!bundle || m_busy != Busy::Idle)
            continue;
        for (const auto &file : watch->touchedOnly(*bundle)) {
            if (!std::exchange(touched, true))
                m_session.tasks().quiesce(); // whose results are dropped
            file->restamp();
        }
    }
    if (touched)
        m_session.updateBundle(m_session.bundle());
    else
        m_session.checkFiles();
}

void Document::onWatchChanged(const QStringList &files)
{
    lookAtFiles();
    QStringList news;
    for (const BundlePtr &bundle : {m_session.bundle(), m_session.other()}) {
        if (!bundle)
            continue;
        for (const BundleFile &entry : bundle->files()) {
            const QString path = toQString(entry.file->path());
            if (files.contains(path) && !news.contains(path) &&
                entry.file->state().kind != FileState::Kind::Same)
                news << path;
        }
    }
    if (m_session.filesHold() && !news.isEmpty()) // else it was told already
        Q_EMIT changedOnDisk(news, true);
}

} // namespace kernscope::app

#include "moc_document.cpp"
