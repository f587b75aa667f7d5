// SPDX-License-Identifier: GPL-3.0-or-later
// Where the builds that are added come from, and what becomes of one that changes on disk.
#include "core/bundle/bundle.h"
#include "core/patch/interrupted_save.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/open_dialog.h"
#include "widgets/common/table_text.h"
#include "widgets/compare/builds_dock.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace kernscope::ui {

void BuildsDock::open(bool folder)
{
    auto *dialog = new OpenDialog(folder ? OpenDialog::Lists::Folders : OpenDialog::Lists::Files,
                                  this, folder ? tr("Add a Build Folder") : tr("Add a Build File"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        setDialogFolder(this, QFileInfo(path).absolutePath());
        add(path);
    });
    dialog->open();
}

void BuildsDock::add(const QString &path)
{
    m_opening = session().tasks().start(
        this, tr("Opening a build"),
        [path](Progress &) {
            return openForReading(std::filesystem::path(QFile::encodeName(path).toStdString()))
                .bundle;
        },
        [this](const Result<BundlePtr> &bundle) {
            m_opening = nullptr;
            if (bundle)
                addBuild(*bundle);
            else
                Q_EMIT session().statusMessage(fromUtf8(describe(bundle.error())));
        });
}

void BuildsDock::addBuild(const BundlePtr &bundle)
{
    if (builds().size() >= kMostBuilds) {
        Q_EMIT session().statusMessage(
            tr("There are %1 builds already, as many as can be shown.").arg(kMostBuilds));
        return;
    }
    for (const Diagnostic &row : bundle->diagnostics()) {
        if (row.error.code.starts_with("journal."))
            Q_EMIT session().statusMessage(fromUtf8(describe(row.error)));
    }
    m_added.push_back(bundle);
    Q_EMIT addedChanged();
    scheduleRefresh();
}

void BuildsDock::reopen(const BundlePtr &bundle)
{
    m_opening = session().tasks().start(
        this, tr("Opening a build again"),
        [path = bundle->path()](Progress &) { return openForReading(path).bundle; },
        [this, bundle](const Result<BundlePtr> &opened) {
            m_opening = nullptr;
            const auto at = std::find(m_added.begin(), m_added.end(), bundle);
            if (at == m_added.end())
                return; // removed meanwhile
            if (opened) {
                *at = *opened;
            } else {
                m_added.erase(at);
                Q_EMIT session().statusMessage(
                    tr("%1 changed on disk and was removed: %2")
                        .arg(fromUtf8(bundle->name()), fromUtf8(describe(opened.error()))));
            }
            Q_EMIT addedChanged();
            scheduleRefresh();
        });
}

} // namespace kernscope::ui
