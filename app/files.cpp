// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files.h"

#include "widgets/common/file_dialogs.h"
#include "widgets/models/table_text.h"

namespace kernscope::app {

void pickFolder(QWidget &window, const QString &title,
                const std::function<void(const QString &)> &chosen)
{
    ui::openPathDialog(ui::OpenDialog::Lists::Folders, &window, title, {}, chosen);
}

void pickFile(QWidget &window, const QString &title,
              const std::function<void(const QString &)> &chosen)
{
    const QString kinds = ui::Words::tr(
        "Weights and programs (*.bin *.mil *.mlmodel *.mlirb *.odix *.hwx *.anec *.ksec "
        "*.safetensors *.npy *.npz *.pte *.zip *.kernscope-session);;All files (*)");
    ui::openPathDialog(ui::OpenDialog::Lists::Bundles, &window, title, kinds, chosen);
}

} // namespace kernscope::app
