// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/file_dialogs.h"

#include "core/base/output_place.h"
#include "core/patch/save/backup.h"
#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"

namespace kernscope::ui {

namespace {

/// What a window shows, for its dialogs: a child of the window.
class ShownInputs final : public QObject
{
public:
    ShownInputs(QWidget *window, std::function<std::vector<std::filesystem::path>()> inputs)
        : QObject(window), paths(std::move(inputs))
    {
        setObjectName(kName);
    }

    /// Null where the window has none.
    static const ShownInputs *of(const QWidget *window)
    {
        return static_cast<ShownInputs *>(
            window->findChild<QObject *>(kName, Qt::FindDirectChildrenOnly));
    }

    const std::function<std::vector<std::filesystem::path>()> paths;

private:
    static inline const QString kName = u"kernscopeShownInputs"_s;
};

/// A dock that floats is still a child of its window.
template <class Widget>
Widget *windowWithFolder(Widget *asking)
{
    for (Widget *one = asking; one; one = one->parentWidget()) {
        if (one->property(kDialogFolder).isValid())
            return one;
    }
    return nullptr;
}

/// "SVG (*.svg)" gives "svg", "Changes (*.kpatch *.txt)" the first of them; "All files (*)" none.
QString suffixOf(const QString &filter)
{
    const qsizetype dot = filter.indexOf("*."_L1);
    if (dot < 0)
        return {};
    const qsizetype from = dot + 2;
    qsizetype to = from;
    while (to < filter.size() && filter[to] != u' ' && filter[to] != u')')
        ++to;
    return filter.mid(from, to - from);
}

} // namespace

QString dialogFolder(const QWidget *asking)
{
    const QWidget *window = windowWithFolder(asking);
    return window ? window->property(kDialogFolder).toString() : QString();
}

void setDialogFolder(QWidget *asking, const QString &folder)
{
    if (QWidget *window = windowWithFolder(asking))
        window->setProperty(kDialogFolder, folder);
}

void setShownInputs(QWidget *window, std::function<std::vector<std::filesystem::path>()> inputs)
{
    delete ShownInputs::of(window);
    new ShownInputs(window, std::move(inputs));
}

QString outputRefusal(const QWidget *asking, const QString &path)
{
    OutputRules rules;
    rules.replace = true; // the dialog has asked
    for (const QWidget *one = asking; one; one = one->parentWidget()) {
        if (const ShownInputs *inputs = ShownInputs::of(one))
            rules.inputs = inputs->paths();
    }
    const auto target = checkOutput(QFile::encodeName(path).toStdString(), OutputKind::File, rules);
    if (target)
        return {};
    const QString name = shown(path);
    if (target.error().code == "io.input")
        return Words::tr("%1 is open in this window, or lies inside of what is open. An "
                         "export never changes what it is made from: choose another "
                         "place.")
            .arg(name);
    if (target.error().code == "io.kind")
        return Words::tr("%1 is not a file: choose another place.").arg(name);
    return Words::tr("%1 cannot be written: %2.").arg(name, fromUtf8(target.error().message));
}

void showWholeColumns(const QFileDialog &dialog)
{
    const auto *view = dialog.findChild<QTreeView *>(u"treeView"_s);
    if (!view)
        return;
    QHeaderView *header = view->header();
    header->setStretchLastSection(false);
    header->hideSection(2); // the type, which names end with: they need the room more
    for (int column = 0; column < header->count(); ++column)
        header->setSectionResizeMode(column, column == 0 ? QHeaderView::Stretch
                                                         : QHeaderView::ResizeToContents);
}

namespace {

void prepareSave(QFileDialog &dialog, const QString &name)
{
    showWholeColumns(dialog);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setFileMode(QFileDialog::AnyFile);
    dialog.setDefaultSuffix(suffixOf(dialog.selectedNameFilter()));
    QObject::connect(
        &dialog, &QFileDialog::filterSelected, &dialog,
        [&dialog](const QString &filter) { dialog.setDefaultSuffix(suffixOf(filter)); });
    if (!name.isEmpty())
        dialog.selectFile(name);
}

} // namespace

QString askSavePath(QWidget *asking, const QString &title, const QString &name,
                    const QString &filters)
{
    QFileDialog dialog(asking, title, dialogFolder(asking), filters);
    prepareSave(dialog, name);
    while (dialog.exec() == QDialog::Accepted && !dialog.selectedFiles().isEmpty()) {
        const QString path = dialog.selectedFiles().constFirst();
        const QString refusal = outputRefusal(asking, path);
        if (refusal.isEmpty()) {
            setDialogFolder(asking, QFileInfo(path).absolutePath());
            return path;
        }
        QMessageBox::warning(asking, title, refusal);
    }
    return {};
}

void openSaveDialog(QWidget *asking, const QString &title, const QString &name,
                    const QString &filters, std::function<void(const QString &)> chosen)
{
    auto *dialog = new QFileDialog(asking, title, dialogFolder(asking), filters);
    prepareSave(*dialog, name);
    QObject::connect(dialog, &QDialog::rejected, dialog, &QObject::deleteLater);
    QObject::connect(
        dialog, &QFileDialog::fileSelected, asking,
        [asking, title, dialog, chosen = std::move(chosen)](const QString &path) {
            const QString refusal = outputRefusal(asking, path);
            if (refusal.isEmpty()) {
                setDialogFolder(asking, QFileInfo(path).absolutePath());
                dialog->deleteLater();
                chosen(path);
                return;
            }
            auto *box =
                new QMessageBox(QMessageBox::Warning, title, refusal, QMessageBox::Ok, asking);
            box->setAttribute(Qt::WA_DeleteOnClose);
            QObject::connect(box, &QDialog::finished, dialog, [dialog] { dialog->open(); });
            box->open();
        });
    dialog->open();
}

OpenDialog::OpenDialog(Lists lists, QWidget *asking, const QString &title, const QString &filters)
    : QFileDialog(asking, title, dialogFolder(asking), filters), m_lists(lists)
{
    setFileMode(lists == Lists::Folders ? QFileDialog::Directory : QFileDialog::ExistingFile);
    setOption(QFileDialog::ShowDirsOnly, false);
    showWholeColumns(*this);
    // A bundle that is activated is opened, as a file would be, and not entered.
    const auto entered = [this](const QString &path) {
        if (!patch::isBundleFolder(QFile::encodeName(path).toStdString()))
            return;
        Q_EMIT fileSelected(path);
        QDialog::accept();
    };
    if (lists == Lists::Folders)
        connect(this, &QFileDialog::directoryEntered, this, entered, Qt::QueuedConnection);
}

/// Empty: nothing is typed, or the dialog is the desktop's own.
QString OpenDialog::typedPath() const
{
    const auto *edit = findChild<QLineEdit *>(u"fileNameEdit"_s);
    QString text = edit ? edit->text().trimmed() : QString();
    if (text == "~"_L1 || text.startsWith("~/"_L1))
        text.replace(0, 1, QDir::homePath());
    return text.isEmpty() ? QString() : QDir::cleanPath(directory().absoluteFilePath(text));
}

/// Files are taken, and folders by a dialog for folders; by one for bundles those that are bundles.
bool OpenDialog::takes(const QString &path) const
{
    const QFileInfo info(path);
    if (info.isFile() || m_lists == Lists::Folders)
        return info.exists();
    return m_lists == Lists::Bundles && info.isDir() &&
           patch::isBundleFolder(QFile::encodeName(path).toStdString());
}

void OpenDialog::accept()
{
    const QString path = typedPath();
    if (path.isEmpty() || !takes(path)) {
        QFileDialog::accept();
        return;
    }
    Q_EMIT fileSelected(path);
    QDialog::accept();
}

void openPathDialog(OpenDialog::Lists lists, QWidget *asking, const QString &title,
                    const QString &filters, std::function<void(const QString &)> chosen,
                    const QString &before)
{
    auto *dialog = new OpenDialog(lists, asking, title, filters);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (!before.isEmpty())
        dialog->selectFile(before);
    QObject::connect(dialog, &QFileDialog::fileSelected, asking,
                     [asking, chosen = std::move(chosen)](const QString &path) {
                         setDialogFolder(asking, QFileInfo(path).absolutePath());
                         chosen(path);
                     });
    dialog->open();
}

} // namespace kernscope::ui

#include "moc_file_dialogs.cpp"
