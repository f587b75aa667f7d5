// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files.h"

#include "widgets/common/file_dialogs.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace kernscope::app {

namespace {

struct PickPathWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::PickPath)
};

void pick(QWidget &window, ui::OpenDialog *dialog,
          const std::function<void(const QString &)> &chosen)
{
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &QFileDialog::fileSelected, &window,
                     [&window, chosen](const QString &path) {
                         ui::setDialogFolder(&window, QFileInfo(path).absolutePath());
                         chosen(path);
                     });
    dialog->open();
}

} // namespace

void pickFolder(QWidget &window, const QString &title,
                const std::function<void(const QString &)> &chosen)
{
    pick(window, new ui::OpenDialog(ui::OpenDialog::Lists::Folders, &window, title), chosen);
}

void pickFile(QWidget &window, const QString &title,
              const std::function<void(const QString &)> &chosen)
{
    const QString kinds = PickPathWords::tr(
        "Weights and programs (*.bin *.mil *.mlmodel *.mlirb *.odix *.hwx *.anec *.ksec "
        "*.safetensors *.npz *.zip *.kernscope-session);;All files (*)");
    pick(window, new ui::OpenDialog(ui::OpenDialog::Lists::Files, &window, title, kinds), chosen);
}

} // namespace kernscope::app
