// SPDX-License-Identifier: GPL-3.0-or-later
// Tables written to files.
#include "widgets/common/dock.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/table_formats.h"
#include "widgets/common/table_text.h"

#include <QCoreApplication>
#include <QTimer>

#include <utility>

namespace kernscope::ui {

namespace {

struct ExportWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::DockTools)
};

/// At once where the dock that `scope` lies in is on view, else once it was raised and has read
/// what it shows: a table behind a tab has no rows.
void whenFilled(QWidget *scope, std::function<void()> then)
{
    constexpr int kWait = 30, kMostOutOfView = 100; // ms, and how often it is looked at
    Dock *dock = nullptr;
    for (QWidget *widget = scope; widget; widget = widget->parentWidget()) {
        if (auto *found = qobject_cast<Dock *>(widget))
            dock = found; // the outermost: a dock may be a part of another one
    }
    if (!dock || dock->onView()) {
        then();
        return;
    }
    dock->show();
    dock->raise();
    auto *poll = new QTimer(scope);
    poll->start(kWait);
    QObject::connect(poll, &QTimer::timeout, scope,
                     [dock, poll, then = std::move(then), left = kMostOutOfView]() mutable {
                         if (dock->onView() ? dock->busy() : --left > 0 && !dock->isHidden())
                             return;
                         poll->stop();
                         poll->deleteLater();
                         if (dock->onView())
                             then();
                     });
}

} // namespace

QString exportTable(QWidget *parent, const QAbstractItemModel &model, const QString &baseName)
{
    if (model.rowCount() == 0)
        return ExportWords::tr("Nothing is exported: the table has no rows.");
    const QString path =
        askSavePath(parent, ExportWords::tr("Export Table"), baseName + QStringLiteral(".csv"),
                    ExportWords::tr("Comma-separated values (*.csv);;Tab-separated values (*.tsv);;"
                                    "Markdown (*.md);;JSON (*.json)"));
    if (path.isEmpty())
        return {};
    const auto format = tableFormatOf(path);
    return format ? writeTextFile(path, tableAs(model, *format))
                  : ExportWords::tr("Nothing is exported: a table is written as .csv, .tsv, .md or "
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
