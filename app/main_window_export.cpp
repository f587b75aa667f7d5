// SPDX-License-Identifier: GPL-3.0-or-later
// The whole bundle written in other formats: its values, and a report of it.
#include "app/main_window.h"

#include "app/bookmark_model.h"
#include "app/bookmarks_dock.h"
#include "app/dock_set.h"
#include "app/status_line.h"
#include "widgets/common/export_whole.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/patch/patches_dock.h"

#include <QFileInfo>
#include <QMenu>

namespace kernscope::app {

void MainWindow::buildExportActions(QMenu *menu)
{
    menu->addSeparator();
    m_needBundle << add(menu, tr("&Export All Weights\u2026"), Qt::CTRL | Qt::ALT | Qt::Key_E,
                        [this] {
                            askExport(tr("Export All Weights"),
                                      tr("Tensors (*.safetensors);;Arrays of NumPy (*.npz)"),
                                      QStringLiteral("safetensors"), [this](const QString &path) {
                                          ui::exportTensors(m_session, m_session.bundle(), path);
                                      });
                        });
    m_needBundle << add(menu, tr("&Import Values of the Weight\u2026"), {}, [this] {
        const std::size_t weight = m_session.place().weight;
        if (weight >= m_session.bundle()->weights().size()) {
            m_status->showMessage(tr("Select the weight that gets the values."));
            return;
        }
        showWelcome(false);
        m_docks->patches()->importValues();
    });
    m_exportReport = add(menu, tr("Export Repor&t\u2026"), Qt::CTRL | Qt::ALT | Qt::Key_R, [this] {
        askExport(tr("Export Report"), tr("HTML (*.html);;PDF (*.pdf)"), QStringLiteral("html"),
                  [this](const QString &path) {
                      ui::exportReport(m_session, m_session.bundle(), reportNotes(), path);
                  });
    });
    m_needBundle << m_exportReport;
    buildMakeActions(menu);
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
    const QString name =
        QFileInfo(m_document.name()).completeBaseName() + QLatin1Char('.') + suffix;
    ui::openSaveDialog(this, title, name, filters, [this, write](const QString &path) {
        if (m_session.bundle())
            write(path);
    });
}

/// The bookmarks of the bundle, as the report has them.
std::vector<report::ReportNote> MainWindow::reportNotes()
{
    std::vector<report::ReportNote> notes;
    const Bookmarks bookmarks = m_docks->bookmarks()->model().bookmarks();
    for (const Bookmark &bookmark : bookmarks)
        notes.push_back({placeInWords(bookmark).toStdString(), bookmark.note.toStdString()});
    return notes;
}

} // namespace kernscope::app
