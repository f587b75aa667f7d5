// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says above the docks when something did not go, or files changed.
#include "app/main_window.h"

#include "app/error_text.h"
#include "app/notice_area.h"
#include "app/status_line.h"
#include "widgets/common/table_text.h"

#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>

#include <algorithm>

namespace kernscope::app {

namespace {

QString notSavedText(const Error &error)
{
    if (error.code == "io.links")
        return MainWindow::tr("%1 has another name (a hard link), as in a backup made with links, "
                              "and that file would change with it. The changes can go into a copy "
                              "that takes its place here.")
            .arg(ui::fromUtf8(error.file));
    if (error.code == "patch.gone")
        return MainWindow::tr("%1 is gone from the disk. What is shown can be saved as a copy.")
            .arg(ui::fromUtf8(error.file));
    return errorSentence(error);
}

} // namespace

void MainWindow::onSaveFailed(const Error &error)
{
    m_afterSave = nullptr;
    std::vector<NoticeAction> answers;
    if (m_session.filesHold()) // a copy of files that changed would be of no use either
        answers.push_back({tr("Save As\u2026"), [this] { saveAs(); }});
    if (error.code == "io.links")
        answers.push_back({tr("Save into a Copy of the File"), [this] { writeListed(true); }});
    if (error.code == "patch.stale")
        answers.push_back({tr("Reload"), [this] { revert(); }});
    if (error.code == "journal.pending")
        answers.push_back({tr("Recover"), [this] { whenKept([this] { m_document.recover(); }); }});
    m_notices->add(NoticeArea::Kind::Error, QStringLiteral("save"),
                   tr("Not saved. %1").arg(notSavedText(error)), std::move(answers));
}

/// A file of A or B by its path within the bundle, any other one as it is.
QString MainWindow::shownPath(const QString &file) const
{
    for (const QString &bundle : {m_document.path(), m_document.otherPath()}) {
        const QString folder = bundle + QLatin1Char('/');
        if (!bundle.isEmpty() && file.startsWith(folder))
            return tr("%1 of %2").arg(file.mid(folder.size()), QFileInfo(bundle).fileName());
    }
    return file;
}

void MainWindow::onChangedOnDisk(const QStringList &files, bool keepable)
{
    QStringList text;
    const bool gone = keepable && std::none_of(files.begin(), files.end(), [](const auto &file) {
                          return QFileInfo::exists(file);
                      });
    if (gone)
        text << (files.size() == 1 ? tr("%1 is gone.").arg(shownPath(files.first()))
                                   : tr("%1 files of this bundle are gone.").arg(files.size()));
    else if (files.size() != 1)
        text << tr("%1 files of this bundle were replaced by another program.").arg(files.size());
    else if (keepable)
        text << tr("%1 was replaced by another program.").arg(shownPath(files.first()));
    else
        text << tr("%1 was changed by another program.").arg(shownPath(files.first()));
    text << (keepable ? tr("What is shown is the old file, whole.")
                      : tr("Old and new bytes would be mixed, so nothing of it is shown."));
    std::vector<NoticeAction> answers;
    if (gone) {
        if (m_document.modified())
            text << tr("The edits are kept.");
        answers.push_back({tr("Save As\u2026"), [this] { saveAs(); }});
    } else if (m_document.modified()) {
        text << tr("The edits are kept.");
        answers.push_back({tr("Reload and Edit Again"), [this] { m_document.reload(true); }});
        answers.push_back({tr("Reload without Edits"), [this] { m_document.reload(); }});
    } else {
        answers.push_back({tr("Reload"), [this] { m_document.reload(); }});
    }
    if (keepable)
        answers.push_back({tr("Keep What Is Shown"), [] {}});
    m_notices->add(NoticeArea::Kind::Warning, QStringLiteral("disk"), text.join(QLatin1Char(' ')),
                   std::move(answers));
}

void MainWindow::onRefused(const Error &error)
{
    std::vector<NoticeAction> answers;
    if (error.code == "patch.locked")
        answers.push_back({tr("Enable Patching"), [this] { togglePatching(); }});
    if (!m_document.keptEdits().empty()) {
        answers.push_back({tr("Edit Again"), [this] { m_document.makeKeptEdits(); }});
        answers.push_back({tr("Copy the Edits"), [this] {
                               QStringList lines;
                               for (const Edit &edit : m_document.keptEdits())
                                   lines << QString::fromStdString(editText(edit));
                               QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
                               m_status->showMessage(tr("%1 edits copied.").arg(lines.size()));
                           }});
    }
    m_notices->add(NoticeArea::Kind::Warning, QStringLiteral("edit"),
                   tr("Not changed. %1").arg(errorSentence(error)), std::move(answers));
}

} // namespace kernscope::app
