// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileDialog>
#include <QString>

#include <filesystem>
#include <functional>
#include <vector>

class QWidget;

namespace kernscope::ui {

/// Property of a window: the folder in which the dialogs of everything in it start. The window sets
/// it to the folder of the bundle that it opens; a file chosen elsewhere moves it there.
inline constexpr char kDialogFolder[] = "kernscopeDialogFolder";

/// The folder in which a dialog that `asking` opens should start; empty where no window says one.
QString dialogFolder(const QWidget *asking);
/// Remembers the folder of a file that was chosen. Does nothing where no window has a folder.
void setDialogFolder(QWidget *asking, const QString &folder);

/// What the window shows: files and folders that no output chosen in its dialogs may replace or lie
/// inside of. `inputs` is asked when an output is chosen and lives as long as the window.
void setShownInputs(QWidget *window, std::function<std::vector<std::filesystem::path>()> inputs);
/// Why an output may not be written there, by the rule that the command line keeps (checkOutput):
/// it is shown in the window of `asking`, or no regular file. Empty: it may.
QString outputRefusal(const QWidget *asking, const QString &path);

/// Asks where to write a file; `name` is what is proposed, `filters` as QFileDialog has them. A
/// name that is typed without a suffix gets that of the kind chosen. A place that is refused
/// (outputRefusal) is asked for again. Empty: the user cancelled.
QString askSavePath(QWidget *asking, const QString &title, const QString &name,
                    const QString &filters = {});
/// The same without waiting: `chosen` gets the path, and nothing is called where the user cancels.
void openSaveDialog(QWidget *asking, const QString &title, const QString &name,
                    const QString &filters, std::function<void(const QString &)> chosen);
/// Sizes and dates are never cut, in dialogs that are Qt's own.
void showWholeColumns(const QFileDialog &dialog);

/// Asks for a file, or for a bundle. A bundle is a file or a folder: whichever of the two the
/// dialog lists, a path of the other kind may be typed into it as well. Qt's own dialog for files
/// would go into a folder and forget what was typed, that for folders would do nothing at all with
/// a file.
class OpenDialog final : public QFileDialog
{
    Q_OBJECT

public:
    enum class Lists : std::uint8_t { Files, Bundles, Folders };

    /// Starts in the folder of the window of `asking` (dialogFolder). `filters` are for files.
    OpenDialog(Lists lists, QWidget *asking, const QString &title, const QString &filters = {});

    void accept() override;

private:
    QString typedPath() const;
    bool takes(const QString &path) const;

    const Lists m_lists;
};
/// Asks with one without waiting: `chosen` gets the path, nothing is called where the user cancels.
/// Starts at `before` where that is not empty.
void openPathDialog(OpenDialog::Lists lists, QWidget *asking, const QString &title,
                    const QString &filters, std::function<void(const QString &)> chosen,
                    const QString &before = {});

} // namespace kernscope::ui
