// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileDialog>

namespace kernscope::ui {

/// Asks for a bundle. A bundle is a file or a folder: whichever of the two the dialog lists, a path
/// of the other kind may be typed into it as well. Qt's own dialog for files would go into a folder
/// and forget what was typed, that for folders would do nothing at all with a file.
class OpenDialog final : public QFileDialog
{
    Q_OBJECT

public:
    enum class Lists : std::uint8_t { Files, Folders };

    /// Starts in the folder of the window of `asking` (dialogFolder). `filters` are for files.
    OpenDialog(Lists lists, QWidget *asking, const QString &title, const QString &filters = {});

    void accept() override;

private:
    QString typedPath() const;
    bool takes(const QString &path) const;
};

} // namespace kernscope::ui
