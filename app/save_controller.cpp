// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/save_controller.h"

#include "app/files.h"
#include "app/notice_area.h"
#include "app/texts.h"
#include "core/base/overlaid_file.h"
#include "core/base/sha256.h"
#include "core/bundle/bundle.h"
#include "core/report/edit_table.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

namespace kernscope::app {

/// Shows what a save in place is about to write, before it writes.
class SaveDialog : public QDialog
{
    Q_OBJECT

public:
    /// `ranges` as pendingRanges gives them.
    SaveDialog(const Bundle &bundle, const std::vector<WrittenRange> &ranges, bool keepBackup,
               QWidget *parent = nullptr);

    bool keepBackup() const;
    /// Whether it may be accepted.
    void setReady(bool ready);

private:
    QWidget *buildTable(const Bundle &bundle, const std::vector<WrittenRange> &ranges);

    QCheckBox *m_backup = nullptr;
    QPushButton *m_save = nullptr;
};

namespace {

constexpr std::size_t kMaxRows = 2000;

/// Of more changed bytes, finding the exact ranges would hold up the window.
constexpr std::uint64_t kMostCompared = std::uint64_t{4} << 20;

/// In whole blocks.
std::uint64_t mostChanged(const Bundle &bundle)
{
    std::uint64_t most = 0;
    for (const BundleFile &file : bundle.files()) {
        for (const ByteRange &run : file.file->changedBlocks())
            most += run.bytes.value;
    }
    return most;
}

/// Of what a save would write: the bytes and their places.
std::string digestOfSave(const Bundle &bundle)
{
    Sha256 hash;
    const std::vector<WrittenRange> runs = pendingRanges(bundle);
    for (const BundleFile &file : bundle.files()) {
        for (const WrittenRange &run : runs) {
            if (run.file != file.path)
                continue;
            const std::string place = run.file + '+' + std::to_string(run.range.offset.value);
            hash.update(std::as_bytes(std::span(place)));
            hash.update(file.file->bytes().subspan(run.range.offset.value, run.range.bytes.value));
        }
    }
    return hash.finishHex().value_or(std::string());
}

/// Hands over what `work` finds of the changes, found as a task where they are many.
template <class Work, class Then>
void ofChanges(QObject *window, ui::Session &session, Work work, Then then)
{
    if (mostChanged(*session.bundle()) <= kMostCompared) {
        then(work(*session.bundle()));
        return;
    }
    session.tasks().start(
        window, SaveController::tr("Collecting what is changed"),
        [bundle = session.bundle(), work](Progress &) {
            const BundleReadLock lock(*bundle);
            return work(*bundle);
        },
        std::move(then));
}

/// "12 B differ from the disk."; of very many, no more than the size of the blocks they lie in.
QString changedText(const Bundle &bundle)
{
    if (const std::uint64_t most = mostChanged(bundle); most > kMostCompared)
        return SaveController::tr("Up to %1 B differ from the disk.").arg(ui::groupedNumber(most));
    std::uint64_t bytes = 0;
    for (const WrittenRange &range : pendingRanges(bundle))
        bytes += range.range.bytes.value;
    return bytes == 1
               ? SaveController::tr("One byte differs from the disk.")
               : SaveController::tr("%1 B differ from the disk.").arg(ui::groupedNumber(bytes));
}

QString notSavedText(const Error &error)
{
    if (error.code == "io.links")
        return SaveController::tr(
                   "%1 has another name (a hard link), as in a backup made with links, "
                   "and that file would change with it. The changes can go into a copy "
                   "that takes its place here.")
            .arg(ui::fromUtf8(error.file));
    if (error.code == "patch.gone")
        return SaveController::tr("%1 is gone from the disk. What is shown can be saved as a copy.")
            .arg(ui::fromUtf8(error.file));
    if (error.code == "io.changed")
        return SaveController::tr("Another program changed %1. Reload first; the edits can be made "
                                  "again.")
            .arg(ui::fromUtf8(error.file));
    return errorSentence(error);
}

} // namespace

SaveDialog::SaveDialog(const Bundle &bundle, const std::vector<WrittenRange> &ranges,
                       bool keepBackup, QWidget *parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Save %1").arg(ui::fromUtf8(bundle.name())));
    std::uint64_t bytes = 0;
    std::set<std::string> files;
    for (const WrittenRange &range : ranges) {
        bytes += range.range.bytes.value;
        files.insert(range.file);
    }
    auto *rows = new QVBoxLayout(this);
    const QString places =
        ranges.size() == 1 ? tr("1 range") : tr("%1 ranges").arg(ui::groupedNumber(ranges.size()));
    const QString inFiles =
        files.size() == 1 ? tr("1 file") : tr("%1 files").arg(ui::groupedNumber(files.size()));
    auto *summary = new QLabel(tr("%1 B in %2 of %3 will be written. No other byte is touched.")
                                   .arg(ui::groupedNumber(bytes), places, inFiles),
                               this);
    summary->setWordWrap(true);
    rows->addWidget(summary);
    rows->addWidget(buildTable(bundle, ranges), 1);
    if (ranges.size() > kMaxRows)
        rows->addWidget(new QLabel(
            tr("and %1 more ranges").arg(ui::groupedNumber(ranges.size() - kMaxRows)), this));

    m_backup = new QCheckBox(tr("Keep a copy of each changed file beside the bundle, in %1.bak "
                                "(later ones in %1.bak.2 and so on)")
                                 .arg(ui::fromUtf8(bundle.name())),
                             this);
    m_backup->setChecked(keepBackup);
    rows->addWidget(m_backup);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    m_save = buttons->button(QDialogButtonBox::Save);
    m_save->setDefault(true);
    rows->addWidget(buttons);
    resize(ui::theme::em(this, 44), ui::theme::em(this, 18));
}

QWidget *SaveDialog::buildTable(const Bundle &bundle, const std::vector<WrittenRange> &ranges)
{
    auto *model = new ui::RowTable<report::PendingRange>(report::pendingRangeTable, this);
    model->setRows(report::pendingRangeRows(bundle, ranges, kMaxRows));
    auto *table = ui::makeTable(this, tr("Ranges that will be written"), model);
    table->resizeColumnsToContents();
    // Names of files are whole; what the bytes are needs no more than its beginning.
    table->horizontalHeader()->setStretchLastSection(true);
    return table;
}

void SaveDialog::setReady(bool ready)
{
    m_save->setEnabled(ready);
}

bool SaveDialog::keepBackup() const
{
    return m_backup->isChecked();
}

SaveController::SaveController(const WindowParts &parts) : Controller(parts)
{
    connect(&m_document, &Document::saved, this, &SaveController::onSaved);
    connect(&m_document, &Document::saveFailed, this, &SaveController::onSaveFailed);
    connect(&m_document, &Document::cancelled, this, [this] { m_afterSave = nullptr; });
}

void SaveController::save()
{
    ui::finishEditing();
    if (m_document.busy() == Document::Busy::Planning) { // of what was typed last
        connect(&m_document, &Document::busyChanged, this, &SaveController::save,
                Qt::SingleShotConnection);
        return;
    }
    if (!m_document.modified())
        return;
    if (m_document.inMemory()) {
        saveAs();
        return;
    }
    if (!m_session.filesHold()) {
        m_document.save(false); // it says why not
        return;
    }
    for (const BundleFile &file : m_session.bundle()->files()) {
        const QString path = toQString(file.file->path());
        if (!path.isEmpty() && !QFileInfo::exists(path)) {
            onSaveFailed(ErrorBuilder("patch.gone").file(file.path));
            return;
        }
    }
    // What is to follow the save is forgotten where this is cancelled.
    ofChanges(this, m_session, pendingRanges,
              [this, after = std::exchange(m_afterSave, nullptr)](
                  const std::vector<WrittenRange> &ranges) {
                  if (!m_document.modified() || m_document.busy() != Document::Busy::Idle)
                      return;
                  m_afterSave = after;
                  askSave(ranges);
              });
}

/// What is written is what was listed, or nothing is.
void SaveController::askSave(const std::vector<WrittenRange> &ranges)
{
    auto *dialog = new SaveDialog(*m_session.bundle(), ranges,
                                  m_settings.get(Settings::kKeepBackup), &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setReady(false);
    ofChanges(this, m_session, digestOfSave,
              [this, dialog = QPointer(dialog)](const std::string &digest) {
                  if (!dialog)
                      return;
                  m_listedDigest = digest;
                  dialog->setReady(true);
              });
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_settings.set(Settings::kKeepBackup, dialog->keepBackup());
        writeListed(false);
    });
    connect(dialog, &QDialog::rejected, this, [this] { m_afterSave = nullptr; });
    dialog->open();
}

/// What the list showed last, or nothing: then it is shown again.
void SaveController::writeListed(bool breakLinks)
{
    ofChanges(
        this, m_session, digestOfSave,
        [this, breakLinks, after = std::exchange(m_afterSave, nullptr)](const std::string &digest) {
            m_afterSave = after;
            if (digest == m_listedDigest) {
                m_copying = false;
                m_document.save({m_settings.get(Settings::kKeepBackup), breakLinks});
                return;
            }
            Q_EMIT m_session.statusMessage(
                tr("Nothing was written: the changes are no longer those "
                   "that were listed. Look at the list again."));
            save();
        });
}

void SaveController::saveAs(std::vector<Edit> more)
{
    ui::finishEditing();
    if (!m_document.isOpen())
        return;
    const QFileInfo now(m_document.inMemory() ? m_document.name() : m_document.path());
    const QString suffix = now.suffix().isEmpty() ? QString() : QLatin1Char('.') + now.suffix();
    const QString folder = m_document.inMemory() ? ui::dialogFolder(&m_window) : now.absolutePath();
    const QString proposal = tr("%1-patched%2").arg(now.completeBaseName(), suffix);
    auto *dialog = new QFileDialog(&m_window, tr("Save As"), folder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setFileMode(QFileDialog::AnyFile);
    dialog->setOption(QFileDialog::DontConfirmOverwrite); // askSaveAs says what can be done
    ui::showWholeColumns(*dialog);
    dialog->selectFile(proposal);
    connect(dialog, &QFileDialog::fileSelected, this, [this, more](const QString &path) {
        ui::setDialogFolder(&m_window, QFileInfo(path).absolutePath());
        askSaveAs(path, more);
    });
    connect(dialog, &QDialog::rejected, this, [this] { m_afterSave = nullptr; });
    dialog->open();
}

void SaveController::askSaveAs(const QString &target, const std::vector<Edit> &more)
{
    if (!QFileInfo::exists(target)) {
        m_copying = true;
        m_document.saveAs(target, more);
        return;
    }
    auto *box =
        new QMessageBox(QMessageBox::Question, tr("Save As"),
                        tr("%1 exists already. A copy is never written over anything.").arg(target),
                        QMessageBox::Cancel, &m_window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QAbstractButton *other = box->addButton(tr("Choose Another Name"), QMessageBox::AcceptRole);
    connect(box, &QMessageBox::finished, this, [this, box, other, more] {
        if (box->clickedButton() == other)
            saveAs(more);
        else
            m_afterSave = nullptr;
    });
    box->open();
}

void SaveController::whenKept(std::function<void()> next)
{
    ui::finishEditing();
    if (m_document.busy() == Document::Busy::Planning) {
        connect(
            &m_document, &Document::busyChanged, this, [this, next] { whenKept(next); },
            Qt::SingleShotConnection);
        return;
    }
    if (!m_document.modified()) {
        next();
        return;
    }
    auto *box =
        new QMessageBox(QMessageBox::Warning, tr("Unsaved Changes"),
                        tr("%1 has changes that are not saved.").arg(m_document.name()),
                        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &m_window);
    box->setInformativeText(changedText(*m_session.bundle()));
    box->setDefaultButton(QMessageBox::Save);
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QMessageBox::finished, this, [this, next = std::move(next)](int answer) {
        if (answer == QMessageBox::Discard) {
            next();
        } else if (answer == QMessageBox::Save) {
            m_afterSave = next;
            save();
        }
    });
    box->open();
}

void SaveController::onSaved(const SaveReport &report, const QString &target)
{
    m_notices->remove(u"save"_s);
    if (m_session.filesHold())
        m_notices->remove(u"disk"_s);
    Q_EMIT saved(target);
    const QString written =
        (m_copying ? tr("a whole copy, %1 B of it changed") : tr("%1 B written"))
            .arg(ui::groupedNumber(report.bytesWritten.value));
    Q_EMIT m_session.statusMessage(
        (report.verified ? tr("Saved %1: %2, read back and verified.") : tr("Saved %1: %2."))
            .arg(QFileInfo(target).fileName(), written));
    for (const Diagnostic &row : report.warnings) {
        Q_EMIT warned(row);
        m_notices->add(NoticeArea::Kind::Warning, u"saved"_s, errorSentence(row.error));
    }
    if (const auto next = std::exchange(m_afterSave, nullptr))
        next();
}

void SaveController::onSaveFailed(const Error &error)
{
    m_afterSave = nullptr;
    std::vector<NoticeAction> answers;
    if (m_session.filesHold()) // a copy of files that changed would be of no use either
        answers.push_back({tr("Save As\u2026"), [this] { saveAs(); }});
    if (error.code == "io.links")
        answers.push_back({tr("Save into a Copy of the File"), [this] { writeListed(true); }});
    if (error.code == "patch.stale")
        answers.push_back({tr("Reload"), [this] { Q_EMIT reloadAsked(); }});
    if (error.code == "io.changed")
        answers.push_back({tr("Reload and Edit Again"), [this] { m_document.reload(true); }});
    if (error.code == "journal.pending")
        answers.push_back({tr("Recover"), [this] { whenKept([this] { m_document.recover(); }); }});
    m_notices->add(NoticeArea::Kind::Error, u"save"_s, tr("Not saved. %1").arg(notSavedText(error)),
                   std::move(answers));
}

} // namespace kernscope::app

#include "moc_save_controller.cpp"
#include "save_controller.moc"
