// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes of inputs that a program leaves open, and folders of several bundles.
#include "app/main_window.h"

#include "app/error_text.h"
#include "app/notice_area.h"
#include "app/paths.h"
#include "app/shapes_dialog.h"
#include "app/status_line.h"
#include "core/bundle/open/bundle_files.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QDir>
#include <QInputDialog>

namespace kernscope::app {

void MainWindow::askShapes()
{
    if (m_document.openInputs().empty()) {
        m_status->showMessage(tr("The program leaves no shape of an input open."));
        return;
    }
    const auto &bound = m_session.bundle()->shapeBindings();
    auto *dialog = new ShapesDialog(m_document.openInputs(),
                                    bound ? *bound : std::vector<shapes::ShapeBinding>(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this,
            [this, dialog] { m_document.bindShapes(dialog->bindings()); });
    dialog->open();
}

/// Of a bundle that was just opened, or bound.
void MainWindow::noteShapes(const QString &text)
{
    const QString topic = QStringLiteral("shapes");
    if (m_session.bundle()->shapeBindings())
        m_notices->add(NoticeArea::Kind::Note, topic,
                       text.isEmpty()
                           ? tr("Inputs whose shapes the program leaves open: %1.")
                                 .arg(Document::shapesText(*m_session.bundle()->shapeBindings()))
                           : text,
                       {{tr("Change\u2026"), [this] { askShapes(); }},
                        {tr("As the File Has Them"), [this] { m_document.bindShapes({}); }}});
    else
        m_notices->remove(topic);
}

void MainWindow::onShapesRefused(const Error &error)
{
    m_notices->add(NoticeArea::Kind::Warning, QStringLiteral("shapes"),
                   tr("The shapes are not used. %1").arg(errorSentence(error)),
                   {{tr("Change\u2026"), [this] { askShapes(); }}});
}

/// A folder that is no bundle but holds some: which of them is meant.
void MainWindow::offerBundles(const QString &folder)
{
    QStringList names;
    for (const std::string &path : bundlesIn(toPath(folder)))
        names << ui::rawFromUtf8(path);
    if (names.isEmpty())
        return;
    auto *dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setOption(QInputDialog::UseListViewForComboBoxItems);
    dialog->setWindowTitle(tr("Open One of Several Bundles"));
    const QString count = names.size() == 1 ? tr("one") : QString::number(names.size());
    dialog->setLabelText(tr("%1 is no bundle itself but holds %2. Which one is to be opened?")
                             .arg(QDir(folder).dirName(), count));
    dialog->setComboBoxItems(names);
    dialog->setTextValue(names.first());
    dialog->resize(ui::theme::em(this, 34), ui::theme::em(this, 24));
    dialog->setOkButtonText(tr("&Open"));
    const bool asOther = folder != m_askedPath && m_document.isOpen();
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this, folder, asOther](const QString &name) {
                const QString path = QDir(folder).filePath(name);
                if (asOther)
                    m_document.openOther(path);
                else
                    openPaths({path});
            });
    dialog->open();
}

} // namespace kernscope::app
