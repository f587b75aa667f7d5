// SPDX-License-Identifier: GPL-3.0-or-later
// The whole bundle written in other formats: its values, and a report of it.
#include "app/main_window.h"

#include "app/bookmark_model.h"
#include "app/bookmarks_dock.h"
#include "app/dock_set.h"
#include "widgets/common/export_whole.h"
#include "widgets/common/file_dialogs.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>

namespace kernscope::app {

void MainWindow::buildExportActions(QMenu *menu)
{
    menu->addSeparator();
    m_needBundle << add(menu, tr("&Export All Weights\u2026"), Qt::CTRL | Qt::ALT | Qt::Key_E,
                        [this] {
                            askExport(tr("Export All Weights"), tr("Tensors (*.safetensors)"),
                                      QStringLiteral("safetensors"), [this](const QString &path) {
                                          ui::exportTensors(m_session, m_session.bundle(), path);
                                      });
                        });
    m_exportReport = add(menu, tr("Export Repor&t\u2026"), Qt::CTRL | Qt::ALT | Qt::Key_R, [this] {
        askExport(tr("Export Report"), tr("HTML (*.html);;PDF (*.pdf)"), QStringLiteral("html"),
                  [this](const QString &path) {
                      ui::exportReport(m_session, m_session.bundle(), reportNotes(), path);
                  });
    });
    m_needBundle << m_exportReport;
}

/// A link of the overview's inspector.
void MainWindow::doNext(const QString &what)
{
    if (what == QLatin1String("compare"))
        m_compareWith->trigger();
    else if (what == QLatin1String("report"))
        m_exportReport->trigger();
    else if (what == QLatin1String("plan")) {
        showLayout(Layout::Performance);
        DockSet::reveal(m_docks->dock(QStringLiteral("plan")));
    }
}

/// Asks for a file; `write` gets its path.
void MainWindow::askExport(const QString &title, const QString &filters, const QString &suffix,
                           const std::function<void(const QString &)> &write)
{
    auto *dialog = new QFileDialog(this, title, ui::dialogFolder(this), filters);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString &filter) {
        // "PDF (*.pdf)": its suffix is that of the file then.
        const qsizetype dot = filter.indexOf(QLatin1String("*."));
        dialog->setDefaultSuffix(filter.mid(dot + 2).chopped(1));
    });
    dialog->selectFile(QFileInfo(m_document.name()).completeBaseName() + QLatin1Char('.') + suffix);
    connect(dialog, &QFileDialog::fileSelected, this, [this, write](const QString &path) {
        ui::setDialogFolder(this, QFileInfo(path).absolutePath());
        if (m_session.bundle())
            write(path);
    });
    dialog->open();
}

/// The bookmarks of the bundle, as the report has them.
std::vector<report::ReportNote> MainWindow::reportNotes()
{
    std::vector<report::ReportNote> notes;
    const Bookmarks bookmarks = m_docks->bookmarks()->model().bookmarks();
    for (const Bookmark &bookmark : bookmarks)
        notes.push_back({bookmark.place.toStdString(), bookmark.note.toStdString()});
    return notes;
}

} // namespace kernscope::app
