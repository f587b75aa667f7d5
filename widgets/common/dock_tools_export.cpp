// SPDX-License-Identifier: GPL-3.0-or-later
// Tables written to files.
#include "widgets/common/dock.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/table_formats.h"
#include "widgets/common/table_text.h"

#include <QCoreApplication>

#include <utility>

namespace kernscope::ui {

namespace {

struct TableExportWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::DockTools)
};

/// At once where the dock that `scope` lies in has read what it shows, else once it was raised and
/// has: a table behind a tab has no rows.
void whenFilled(QWidget *scope, std::function<void()> then)
{
    Dock *dock = nullptr;
    for (QWidget *widget = scope; widget; widget = widget->parentWidget()) {
        if (auto *found = qobject_cast<Dock *>(widget))
            dock = found; // the outermost: a dock may be a part of another one
    }
    if (!dock || (dock->onView() && !dock->busy())) {
        then();
        return;
    }
    auto *waiting = new QObject(scope);
    // Not amid the refresh that says so: a dialog may follow.
    QObject::connect(
        dock, &Dock::filled, waiting,
        [waiting, then = std::move(then)] {
            waiting->deleteLater();
            then();
        },
        static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
    dock->show();
    dock->raise();
    // Closed meanwhile: nobody waits for it any more.
    QObject::connect(dock, &QDockWidget::visibilityChanged, waiting, [waiting, dock] {
        if (dock->isHidden())
            waiting->deleteLater();
    });
}

} // namespace

QString exportTable(QWidget *parent, const QAbstractItemModel &model, const QString &baseName)
{
    if (model.rowCount() == 0)
        return TableExportWords::tr("Nothing is exported: the table has no rows.");
    const QString path = askSavePath(
        parent, TableExportWords::tr("Export Table"), baseName + QStringLiteral(".csv"),
        TableExportWords::tr("Comma-separated values (*.csv);;Tab-separated values (*.tsv);;"
                             "Markdown (*.md);;JSON (*.json)"));
    if (path.isEmpty())
        return {};
    const auto format = tableFormatOf(path);
    return format ? writeTextFile(path, tableAs(model, *format))
                  : TableExportWords::tr(
                        "Nothing is exported: a table is written as .csv, .tsv, .md or "
                        ".json, by the ending of the name.");
}

QAction *exportAction(QWidget *scope, Session &session, const QString &text,
                      const QAbstractItemModel &model, const QString &baseName)
{
    return dockAction(scope, text, {}, [scope, &session, &model, baseName] {
        whenFilled(scope, [scope, &session, &model, baseName] {
            const QString fault = exportTable(scope, model, baseName);
            if (!fault.isEmpty())
                Q_EMIT session.statusMessage(fault);
        });
    });
}

} // namespace kernscope::ui
