// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/edit_journal.h"

#include "app/document.h"
#include "app/files.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "widgets/common/qt.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>

namespace kernscope::app {

namespace {

constexpr int kMergeId = 1;
constexpr int kNeverMerge = -1;
/// Longer edits are no typing; merging them byte by byte would cost more than it saves.
constexpr std::size_t kMaxMergedBytes = 4096;

struct Change {
    std::byte before{}, after{};
};
using Place = std::pair<std::size_t, std::uint64_t>; // file, offset

std::size_t sizeOf(const AppliedEdit &edit)
{
    std::size_t bytes = 0;
    for (const FileEdit &run : edit.bytes)
        bytes += run.after.size();
    return bytes;
}

void add(std::map<Place, Change> &changes, const std::vector<FileEdit> &runs)
{
    for (const FileEdit &run : runs) {
        for (std::size_t i = 0; i < run.after.size(); ++i) {
            const auto [at, added] = changes.try_emplace({run.file, run.offset.value + i},
                                                         Change{run.before[i], run.after[i]});
            if (!added)
                at->second.after = run.after[i];
        }
    }
}

bool mergeable(const std::vector<AppliedEditPtr> &edits)
{
    return edits.size() == 1 && !edits.front()->tables && sizeOf(*edits.front()) <= kMaxMergedBytes;
}

} // namespace

bool sameCell(const Edit &a, const Edit &b)
{
    const auto sameIndex = [](const IndexRange &x, const IndexRange &y) {
        return x.start == y.start && x.stop == y.stop && x.all == y.all && x.single == y.single;
    };
    return a.kind == b.kind && a.weight == b.weight && a.part == b.part &&
           std::ranges::equal(a.indices, b.indices, sameIndex);
}

std::vector<FileEdit> composed(const std::vector<FileEdit> &first,
                               const std::vector<FileEdit> &second)
{
    std::map<Place, Change> changes;
    add(changes, first);
    add(changes, second);
    std::vector<FileEdit> runs;
    std::vector<std::byte> before, after; // of the last run
    const auto finish = [&] {
        if (runs.empty())
            return;
        runs.back().before = std::exchange(before, {});
        runs.back().after = std::exchange(after, {});
    };
    for (const auto &[place, change] : changes) {
        if (change.before == change.after)
            continue;
        const bool continues = !runs.empty() && runs.back().file == place.first &&
                               runs.back().offset.value + after.size() == place.second;
        if (!continues) {
            finish();
            runs.push_back({place.first, FileOffset(place.second), {}, {}});
        }
        before.push_back(change.before);
        after.push_back(change.after);
    }
    finish();
    return runs;
}

EditCommand::EditCommand(Document &document, std::vector<AppliedEdit> edits, const QString &title)
    : QUndoCommand(title), m_document(document)
{
    m_edits.reserve(edits.size());
    for (AppliedEdit &edit : edits)
        m_edits.push_back(std::make_shared<const AppliedEdit>(std::move(edit)));
}

void EditCommand::redo()
{
    if (!m_document.makeSteps(stepsOf(m_edits, true)))
        setObsolete(true);
}

void EditCommand::undo()
{
    if (!m_document.makeSteps(stepsOf(m_edits, false)))
        setObsolete(true);
}

int EditCommand::id() const
{
    return mergeable(m_edits) ? kMergeId : kNeverMerge;
}

bool EditCommand::mergeWith(const QUndoCommand *later)
{
    const auto *other = dynamic_cast<const EditCommand *>(later);
    if (!other || other->isObsolete() || !mergeable(m_edits) || !mergeable(other->m_edits))
        return false;
    const AppliedEdit &mine = *m_edits.front(), &its = *other->m_edits.front();
    if (!sameCell(mine.edit, its.edit))
        return false;
    AppliedEdit merged = its;
    merged.oldText = mine.oldText;
    merged.bytes = composed(mine.bytes, its.bytes);
    setText(other->text());
    setObsolete(merged.bytes.empty());
    const auto made = std::make_shared<const AppliedEdit>(std::move(merged));
    m_document.carryNote(m_edits.front(), made);
    m_edits.front() = made;
    return true;
}

std::vector<EditStep> stepsOf(const std::vector<AppliedEditPtr> &edits, bool forward)
{
    std::vector<EditStep> steps;
    steps.reserve(edits.size());
    for (const AppliedEditPtr &edit : edits)
        steps.push_back({edit, forward});
    if (!forward)
        std::ranges::reverse(steps);
    return steps;
}

SwitchCommand::SwitchCommand(Document &document, std::vector<ListedEdit> before,
                             std::vector<ListedEdit> after, const QString &title,
                             std::vector<AppliedEditPtr> takenBack)
    : QUndoCommand(title), m_document(document), m_before(std::move(before)),
      m_after(std::move(after)), m_takenBack(std::move(takenBack))
{
}

std::vector<EditStep> SwitchCommand::steps(bool forward) const
{
    const std::vector<ListedEdit> &from = forward ? m_before : m_after;
    const std::vector<ListedEdit> &to = forward ? m_after : m_before;
    const auto same = [](const ListedEdit &a, const ListedEdit &b) {
        return a.edit == b.edit && a.on == b.on;
    };
    const auto [first, firstTo] =
        std::mismatch(from.begin(), from.end(), to.begin(), to.end(), same);
    const auto laid = [](auto begin, auto end) {
        std::vector<AppliedEditPtr> edits;
        for (; begin != end; ++begin) {
            if (begin->on)
                edits.push_back(begin->edit);
        }
        return edits;
    };
    std::vector<EditStep> steps = stepsOf(laid(first, from.end()), false);
    const std::vector<EditStep> made = stepsOf(laid(firstTo, to.end()), true);
    steps.insert(steps.end(), made.begin(), made.end());
    return steps;
}

void SwitchCommand::redo()
{
    if (!m_document.makeSteps(steps(true)))
        setObsolete(true);
}

void SwitchCommand::undo()
{
    if (!m_document.makeSteps(steps(false)))
        setObsolete(true);
}

NoteCommand::NoteCommand(Document &document, AppliedEditPtr edit, std::string before,
                         std::string after)
    : QUndoCommand(Document::tr("Note on %1").arg(ui::fromUtf8(editText(edit->edit)))),
      m_document(document), m_edit(std::move(edit)), m_before(std::move(before)),
      m_after(std::move(after))
{
}

void NoteCommand::redo()
{
    m_document.writeNote(m_edit, m_after);
}

void NoteCommand::undo()
{
    m_document.writeNote(m_edit, m_before);
}

namespace {

constexpr qint64 kMostBytes = qint64{1} << 30;
/// Nothing of what is no such file.
std::optional<EditJournal::Left> describedFile(const QString &path)
{
    std::ifstream in(toPath(path));
    const auto head = QFileInfo(path).size() <= kMostBytes ? readUnsavedHead(in) : std::nullopt;
    if (!head)
        return std::nullopt;
    return EditJournal::Left{path, ui::rawFromUtf8(head->bundle),
                             QDateTime::fromString(ui::fromUtf8(head->made), Qt::ISODate),
                             head->edits};
}

QString lockOf(const QString &file)
{
    return file + u".lock"_s;
}

QString wholePath(const QString &bundle)
{
    const QFileInfo info(bundle);
    return info.exists() ? info.canonicalFilePath() : info.absoluteFilePath();
}

} // namespace

EditJournal::EditJournal(const QString &stateFolder, std::function<void(const QString &)> told)
    : m_folder(stateFolder + u"/edits"_s), m_told(std::move(told))
{
    m_pool.setMaxThreadCount(1);
}

EditJournal::~EditJournal()
{
    again();
    flush();
}

QString EditJournal::nameFor(const QString &bundle) const
{
    const QByteArray key =
        QCryptographicHash::hash(bundle.toUtf8(), QCryptographicHash::Sha256).toHex().left(32);
    return u"%1/%2-%3.edits"_s.arg(m_folder, QString::fromLatin1(key))
        .arg(QRandomGenerator::system()->generate64(), 16, 16, QLatin1Char('0'));
}

std::shared_ptr<patch::DiskFile> EditJournal::lock(const QString &file) const
{
    using Mode = patch::DiskFile::Mode;
    const auto path = toPath(lockOf(file));
    auto held = patch::DiskFile::open(path, Mode::CreatePrivate, path.string());
    if (!held)
        held = patch::DiskFile::open(path, Mode::Change, path.string());
    if (!held || !held->tryLock() || !held->isAt(path))
        return nullptr;
    return std::make_shared<patch::DiskFile>(std::move(*held));
}

void EditJournal::remove(const QString &file, std::shared_ptr<patch::DiskFile> lock)
{
    ui::startOn(m_pool, [this, file, lock = std::move(lock)] {
        m_removed.emplace_back(file, lock);
        removeAll();
        const std::lock_guard guard(m_mutex);
        if (m_text.file == file)
            m_text = {};
    });
}

void EditJournal::removeAll()
{
    const auto gone = [](const QString &path) {
        return QFile::remove(path) || !QFile::exists(path);
    };
    std::erase_if(m_removed, [&gone](const auto &removed) {
        return gone(removed.first) && gone(lockOf(removed.first));
    });
}

void EditJournal::keep(const QString &bundle, std::function<std::string()> text)
{
    const QString whole = wholePath(bundle);
    if (m_bundle != whole)
        clear();
    if (m_file.isEmpty()) {
        m_bundle = whole;
        m_file = nameFor(whole);
    }
    {
        const std::lock_guard guard(m_mutex);
        m_text = {m_file, std::move(text)};
    }
    again();
}

void EditJournal::again()
{
    if (!m_file.isEmpty() && !(m_lock && m_lock->isAt(toPath(lockOf(m_file))))) {
        QDir().mkpath(m_folder); // which may have been removed meanwhile
        m_lock = lock(m_file);
    }
    ui::startOn(m_pool, [this] {
        removeAll();
        write();
    });
}

void EditJournal::write()
{
    Text text;
    {
        const std::lock_guard guard(m_mutex);
        text = std::exchange(m_text, {});
    }
    if (!text.make)
        return;
    const std::string content = text.make();
    QSaveFile file(text.file);
    const bool kept = file.open(QIODevice::WriteOnly) &&
                      file.write(content.data(), static_cast<qint64>(content.size())) ==
                          static_cast<qint64>(content.size()) &&
                      file.commit();
    tell(kept ? QString() : file.errorString());
    const std::lock_guard guard(m_mutex);
    if (!kept && !m_text.make)
        m_text = std::move(text);
}

void EditJournal::tell(const QString &reason)
{
    if (m_told && reason != std::exchange(m_reason, reason))
        m_told(reason);
}

void EditJournal::clear()
{
    if (m_file.isEmpty())
        return;
    remove(m_file, std::exchange(m_lock, nullptr));
    ui::startOn(m_pool, [this] { tell({}); }); // nothing is there to be kept
    m_file.clear();
    m_bundle.clear();
}

void EditJournal::leave()
{
    flush();
    m_file.clear();
    m_bundle.clear();
    m_lock.reset();
}

std::vector<EditJournal::Left> EditJournal::left(const QString &bundle)
{
    const QString whole = bundle.isEmpty() ? QString() : wholePath(bundle);
    std::vector<Left> all;
    const QDir folder(m_folder);
    for (const QString &name : folder.entryList({u"*.edits"_s}, QDir::Files)) {
        const QString file = folder.filePath(name);
        auto described = file == m_file ? std::nullopt : describedFile(file);
        if (!described || (!whole.isEmpty() && described->bundle != whole))
            continue;
        if (m_offered.count(file) == 0) {
            auto held = lock(file);
            if (!held || !QFile::exists(file))
                continue;
            if (!whole.isEmpty())
                m_offered.emplace(file, std::move(held));
        }
        all.push_back(*std::move(described));
    }
    return all;
}

Result<std::string> EditJournal::read(const QString &path) const
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly) || file.size() > kMostBytes)
        return fileFault("io.open", file.errorString(), path);
    return file.readAll().toStdString();
}

void EditJournal::discard(const QString &file)
{
    const auto offered = m_offered.extract(file);
    remove(file, offered ? offered.mapped() : nullptr);
    flush();
}

std::vector<AppliedEditPtr> laidOf(const std::vector<ui::PatchEntry> &patches)
{
    std::vector<AppliedEditPtr> edits;
    for (const ui::PatchEntry &entry : patches) {
        if (entry.active)
            edits.push_back(entry.edit);
    }
    return edits;
}

/// What is laid begins with edits that are saved; from the first one on that is not, the saved ones
/// are taken back and the others are unsaved.
UnsavedEdits unsavedOf(const std::vector<ui::PatchEntry> &patches,
                       const std::vector<AppliedEditPtr> &onDisk)
{
    UnsavedEdits unsaved;
    const std::vector<AppliedEditPtr> laid = laidOf(patches);
    const auto [saved, firstNew] =
        std::mismatch(onDisk.begin(), onDisk.end(), laid.begin(), laid.end());
    unsaved.takenBack.assign(saved, onDisk.end());
    std::size_t before = static_cast<std::size_t>(firstNew - laid.begin());
    for (const ui::PatchEntry &entry : patches) {
        if (entry.active && before > 0) {
            --before;
            continue;
        }
        unsaved.entries.push_back(entry);
        // Such a one is no step any more that could be made again: it is an edit switched off.
        if (!entry.active && std::find(saved, onDisk.end(), entry.edit) != onDisk.end())
            unsaved.entries.back().off = true;
    }
    return unsaved;
}

namespace {

/// Why an edit that was made as `stated` is not made as `now`: the file has changed since and holds
/// another value in its place. An edit by an expression asks for what the new values give: there
/// a worse deviation counts. Nothing is known of `stated` where it names no element.
std::optional<Error> holdsAnother(const AppliedEdit &stated, const AppliedEdit &now)
{
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    const auto off = [](const AppliedEdit &edit) { return std::abs(edit.stored - edit.asked); };
    const bool another = !same(now.asked, stated.asked);
    if (stated.elements == 0 || (!another && same(now.stored, stated.stored)) ||
        (another && now.edit.kind == Edit::Kind::Compute && !(off(now) > off(stated))))
        return std::nullopt;
    return ErrorBuilder("patch.unrepresentable")
        .field(now.edit.weight)
        .message(fmt::format("The file has changed: {} was held as {} and would be held as {} now",
                             now.asked, stated.stored, now.stored));
}

} // namespace

RemadeEdits remakeEdits(const BundlePtr &base, UnsavedEdits edits, double tolerance,
                        Progress &progress)
{
    RemadeEdits remade{std::move(edits), {}, nullptr, {}, {}, {}};
    const auto &entries = remade.edits.entries;
    remade.made.resize(entries.size());
    const auto refuse = [&remade](const Error &fault) {
        if (!remade.fault)
            remade.fault = fault;
    };
    auto fork = forkWithSteps(base, stepsOf(remade.edits.takenBack, false), &progress);
    if (!fork && !remade.edits.takenBack.empty()) {
        refuse(fork.error());
        remade.edits.takenBack.clear();
        fork = forkWithSteps(base, {}, &progress);
    }
    if (!fork) {
        refuse(fork.error());
        return remade;
    }
    const auto plan = [&](bool active, BundlePtr at) {
        std::vector<Edit> all;
        std::vector<std::size_t> rows;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (entries[i].off || entries[i].active != active)
                continue;
            rows.push_back(i);
            all.push_back(entries[i].edit->edit);
            all.back().note = entries[i].note;
        }
        if (rows.empty())
            return at;
        const auto planSame = [&](std::size_t first, std::size_t count) -> Result<PlannedEdits> {
            const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
            auto planned = TRY(planOnFork(at, {begin, begin + static_cast<std::ptrdiff_t>(count)},
                                          tolerance, &progress));
            for (std::size_t i = 0; i < count; ++i) {
                if (auto fault = holdsAnother(*entries[rows[first + i]].edit, planned.edits[i]))
                    return tl::unexpected(*std::move(fault));
            }
            return planned;
        };
        if (auto planned = planSame(0, all.size())) {
            for (std::size_t i = 0; i < rows.size(); ++i)
                remade.made[rows[i]] = std::move(planned->edits[i]);
            return planned->bundle;
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            auto planned = planSame(i, 1);
            if (planned) {
                remade.made[rows[i]] = std::move(planned->edits.front());
                at = planned->bundle;
            } else {
                refuse(planned.error());
                remade.reasons.push_back(planned.error().message);
                remade.refused.push_back(entries[rows[i]]);
            }
        }
        return at;
    };
    remade.bundle = plan(true, *fork);
    plan(false, remade.bundle);
    return remade;
}

} // namespace kernscope::app
