// SPDX-License-Identifier: GPL-3.0-or-later
// What the window asks before it saves, closes or reads again.
#include "app/main_window.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/base/sha256.h"
#include "core/bundle/bundle.h"

#include "app/paths.h"
#include "app/save_dialog.h"
#include "app/status_line.h"
#include "widgets/common/cell_keys.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/table_text.h"
#include "widgets/common/task_manager.h"

#include <QAbstractButton>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace kernscope::app {

namespace {

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
void ofChanges(MainWindow &window, ui::Session &session, Work work, Then then)
{
    if (mostChanged(*session.bundle()) <= kMostCompared) {
        then(work(*session.bundle()));
        return;
    }
    session.tasks().start(
        &window, MainWindow::tr("Collecting what is changed"),
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
        return MainWindow::tr("Up to %1 B differ from the disk.").arg(ui::groupedNumber(most));
    std::uint64_t bytes = 0;
    for (const WrittenRange &range : pendingRanges(bundle))
        bytes += range.range.bytes.value;
    return bytes == 1 ? MainWindow::tr("One byte differs from the disk.")
                      : MainWindow::tr("%1 B differ from the disk.").arg(ui::groupedNumber(bytes));
}

} // namespace

void MainWindow::save()
{
    ui::finishEditing();
    if (m_document.busy() == Document::Busy::Planning) { // of what was typed last
        connect(&m_document, &Document::busyChanged, this, &MainWindow::save,
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
    ofChanges(*this, m_session, pendingRanges,
              [this, after = std::exchange(m_afterSave, nullptr)](
                  const std::vector<WrittenRange> &ranges) {
                  if (!m_document.modified() || m_document.busy() != Document::Busy::Idle)
                      return;
                  m_afterSave = after;
                  askSave(ranges);
              });
}

/// What is written is what was listed, or nothing is.
void MainWindow::askSave(const std::vector<WrittenRange> &ranges)
{
    auto *dialog = new SaveDialog(*m_session.bundle(), ranges, m_settings.keepBackup(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setReady(false);
    ofChanges(*this, m_session, digestOfSave,
              [this, dialog = QPointer(dialog)](const std::string &digest) {
                  if (!dialog)
                      return;
                  m_listedDigest = digest;
                  dialog->setReady(true);
              });
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_settings.setKeepBackup(dialog->keepBackup());
        writeListed(false);
    });
    connect(dialog, &QDialog::rejected, this, [this] { m_afterSave = nullptr; });
    dialog->open();
}

/// What the list showed last, or nothing: then it is shown again.
void MainWindow::writeListed(bool breakLinks)
{
    ofChanges(
        *this, m_session, digestOfSave,
        [this, breakLinks, after = std::exchange(m_afterSave, nullptr)](const std::string &digest) {
            m_afterSave = after;
            if (digest == m_listedDigest) {
                m_document.save({m_settings.keepBackup(), breakLinks});
                return;
            }
            m_status->showMessage(tr("Nothing was written: the changes are no longer those "
                                     "that were listed. Look at the list again."));
            save();
        });
}

void MainWindow::saveAs()
{
    ui::finishEditing();
    if (!m_document.isOpen())
        return;
    const QFileInfo now(m_document.inMemory() ? m_document.name() : m_document.path());
    const QString suffix = now.suffix().isEmpty() ? QString() : QLatin1Char('.') + now.suffix();
    const QString folder = m_document.inMemory() ? ui::dialogFolder(this) : now.absolutePath();
    const QString proposal = tr("%1-patched%2").arg(now.completeBaseName(), suffix);
    auto *dialog = new QFileDialog(this, tr("Save As"), folder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setFileMode(QFileDialog::AnyFile);
    dialog->setOption(QFileDialog::DontConfirmOverwrite); // askSaveAs says what can be done
    dialog->selectFile(proposal);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        ui::setDialogFolder(this, QFileInfo(path).absolutePath());
        askSaveAs(path);
    });
    connect(dialog, &QDialog::rejected, this, [this] { m_afterSave = nullptr; });
    dialog->open();
}

void MainWindow::askSaveAs(const QString &target)
{
    if (!QFileInfo::exists(target)) {
        m_document.saveAs(target);
        return;
    }
    auto *box =
        new QMessageBox(QMessageBox::Question, tr("Save As"),
                        tr("%1 exists already. A copy is never written over anything.").arg(target),
                        QMessageBox::Cancel, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QAbstractButton *other = box->addButton(tr("Choose Another Name"), QMessageBox::AcceptRole);
    connect(box, &QMessageBox::finished, this, [this, box, other] {
        if (box->clickedButton() == other)
            saveAs();
        else
            m_afterSave = nullptr;
    });
    box->open();
}

void MainWindow::revert()
{
    whenKept([this] {
        m_wantedLayout = m_layouts->current();
        m_document.reload();
    });
}

void MainWindow::closeBundle()
{
    whenKept([this] { m_document.close(); });
}

void MainWindow::whenKept(std::function<void()> next)
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
                        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
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

} // namespace kernscope::app
