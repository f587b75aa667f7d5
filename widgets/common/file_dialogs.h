// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace kernscope::ui {

/// Property of a window: the folder in which the dialogs of everything in it start. The window sets
/// it to the folder of the bundle that it opens; a file chosen elsewhere moves it there.
inline constexpr char kDialogFolder[] = "kernscopeDialogFolder";

/// The folder in which a dialog that `asking` opens should start; empty where no window says one.
QString dialogFolder(const QWidget *asking);
/// Remembers the folder of a file that was chosen. Does nothing where no window has a folder.
void setDialogFolder(QWidget *asking, const QString &folder);

/// Asks where to write a file; `name` is what is proposed, `filters` as QFileDialog has them. A
/// name that is typed without a suffix gets that of the kind chosen. Empty: the user cancelled.
QString askSavePath(QWidget *asking, const QString &title, const QString &name,
                    const QString &filters = {});
/// Asks for a file that is there; starts at `before` where that is not empty. Empty: cancelled.
QString askOpenPath(QWidget *asking, const QString &title, const QString &filters = {},
                    const QString &before = {});

} // namespace kernscope::ui
