// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/open_controller.h"

#include "app/dock_set.h"
#include "app/files.h"
#include "app/notice_area.h"
#include "app/save_controller.h"
#include "app/session_file.h"
#include "app/texts.h"
#include "core/bundle/bundle.h"
#include "core/bundle/open/bundle_files.h"
#include "core/search/place.h"
#include "resources/sample.h"
#include "widgets/common/qt.h"
#include "widgets/compare/builds_dock.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

namespace kernscope::app {

namespace {

QStringList localPaths(const QMimeData &data)
{
    QStringList paths;
    for (const QUrl &url : data.urls()) {
        if (url.isLocalFile())
            paths << url.toLocalFile();
    }
    return paths;
}

} // namespace

FileDrops::FileDrops(QWidget *window, std::function<void(const QStringList &)> open)
    : QObject(window), m_window(window), m_open(std::move(open))
{
    window->setAcceptDrops(true);
    qApp->installEventFilter(this);
}

bool FileDrops::isInside(const QWidget *widget) const
{
    for (; widget; widget = widget->parentWidget()) {
        if (widget == m_window)
            return true;
        if (qobject_cast<const QDialog *>(widget))
            return false;
    }
    return false;
}

bool FileDrops::eventFilter(QObject *watched, QEvent *event)
{
    const bool dropped = event->type() == QEvent::Drop;
    if (!dropped && event->type() != QEvent::DragEnter && event->type() != QEvent::DragMove)
        return false;
    const auto *widget = qobject_cast<const QWidget *>(watched);
    auto *drop = static_cast<QDropEvent *>(event);
    if (!widget || !isInside(widget))
        return false;
    const QStringList paths = localPaths(*drop->mimeData());
    if (paths.isEmpty())
        return false;
    drop->setDropAction(Qt::CopyAction); // they stay where they are
    drop->accept();
    if (dropped)
        m_open(paths);
    return true;
}

namespace {

/// Nothing where there is no build of that name.
std::optional<MemoryBundle> sampleBundle(const QString &name)
{
    auto samples = sample::bundles();
    samples.push_back(sample::coreAi());
    for (sample::SampleBundle &made : samples) {
        if (made.name == name.toStdString())
            return MemoryBundle{made.name, std::move(made.files)};
    }
    return std::nullopt;
}

} // namespace

void OpenController::openPaths(const QStringList &paths)
{
    if (paths.isEmpty())
        openSample(u"sample-sparse.mlmodelc"_s);
    else if (paths.size() == 1 && isSessionPath(paths.first()))
        Q_EMIT sessionAsked(QFileInfo(paths.first()).absoluteFilePath());
    else
        m_saving->whenKept([this, paths] { openAsked(paths); });
}

void OpenController::openAsked(const QStringList &paths)
{
    Q_EMIT begins();
    const bool two = paths.size() > 1;
    const search::PlaceLink link = search::splitLink(paths.first().toStdString());
    m_wanted = {two ? std::optional(Layout::Compare) : std::nullopt,
                QFileInfo(QString::fromStdString(link.path)).absoluteFilePath(),
                QString::fromStdString(link.place),
                paths.mid(2),
                true,
                m_wanted.layoutStays};
    m_document.open(m_wanted.path, two ? QFileInfo(paths[1]).absoluteFilePath() : QString());
}

void OpenController::openSample(const QString &name, const QString &other)
{
    m_saving->whenKept([this, name, other] {
        Q_EMIT begins();
        auto a = sampleBundle(name), b = sampleBundle(other);
        if (!a)
            return;
        m_wanted.anew = true;
        m_wanted.layout = b ? Layout::Compare : Layout::Inspect;
        m_document.openMemory(std::move(*a), std::move(b));
    });
}

void OpenController::openSession(const SessionFile &session)
{
    const auto wanted = std::ranges::find_if(
        kLayouts, [&](Layout layout) { return layoutId(layout) == session.layout; });
    m_wanted.layout = wanted == kLayouts.end() ? std::nullopt : std::optional(*wanted);
    if (session.other.none() && m_wanted.layout == Layout::Compare)
        m_wanted.layout = Layout::Inspect;
    m_wanted.place = session.place;
    m_wanted.anew = true;
    if (session.document.sample.isEmpty()) {
        m_wanted.path = session.document.path;
        m_document.open(session.document.path, session.other.path);
        return;
    }
    auto a = sampleBundle(session.document.sample), b = sampleBundle(session.other.sample);
    if (a)
        m_document.openMemory(std::move(*a), std::move(b));
    else
        Q_EMIT sampleMissing(session.document.sample);
}

void OpenController::openFolder()
{
    pickFolder(m_window, tr("Open Bundle Folder"),
               [this](const QString &path) { openPaths({path}); });
}

void OpenController::openFile()
{
    pickFile(m_window, tr("Open File"), [this](const QString &path) { openPaths({path}); });
}

void OpenController::openBase()
{
    pickFolder(m_window, tr("Measure Errors Against"), [this](const QString &path) {
        m_wanted.layoutStays = true;
        m_document.openOther(path);
    });
}

void OpenController::finish()
{
    for (const QString &path : std::exchange(m_wanted.builds, {}))
        qobject_cast<ui::BuildsDock *>(m_docks->dock(u"builds"_s))->add(path);
    const QString wanted = std::exchange(m_wanted.place, {});
    if (wanted.isEmpty())
        return;
    const auto place = parsePlace(*m_session.bundle(), wanted, m_session.place().file);
    if (place)
        m_session.goTo(*place);
    else
        m_notices->add(NoticeArea::Kind::Warning, u"link"_s,
                       tr("The link points to no place in this file: %1. %2")
                           .arg(wanted, errorSentence(place.error())));
}

/// A folder that is no bundle but holds some: which of them is meant.
void OpenController::offerBundles(const QString &folder)
{
    QStringList names;
    for (const std::string &path : bundlesIn(toPath(folder)))
        names << ui::rawFromUtf8(path);
    if (names.isEmpty())
        return;
    auto *dialog = new QInputDialog(&m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setOption(QInputDialog::UseListViewForComboBoxItems);
    dialog->setWindowTitle(tr("Open One of Several Bundles"));
    const QString count = names.size() == 1 ? tr("one") : QString::number(names.size());
    dialog->setLabelText(tr("%1 is not a bundle itself but holds %2. Which one is to be opened?")
                             .arg(QDir(folder).dirName(), count));
    dialog->setComboBoxItems(names);
    dialog->setTextValue(names.first());
    dialog->resize(ui::theme::em(&m_window, 34), ui::theme::em(&m_window, 24));
    dialog->setOkButtonText(tr("&Open"));
    const bool asOther = folder != m_wanted.path && m_document.isOpen();
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

#include "moc_open_controller.cpp"
