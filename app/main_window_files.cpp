// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/dock_set.h"
#include "app/error_text.h"
#include "app/notice_area.h"
#include "app/place_text.h"
#include "app/status_line.h"
#include "app/tour.h"
#include "core/search/place.h"
#include "resources/sample.h"
#include "widgets/common/diagnostics_dock.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/number_field.h"
#include "widgets/common/open_dialog.h"
#include "widgets/common/table_text.h"
#include "widgets/compare/builds_dock.h"
#include "widgets/patch/typed_answer.h"

#include <QFileInfo>
#include <QInputDialog>

#include <cmath>
#include <limits>
#include <utility>

namespace kernscope::app {

namespace {

QString fileFilter()
{
    return MainWindow::tr("Weights and programs (*.bin *.mil *.mlmodel *.hwx *.anec *.ksec "
                          "*.safetensors *.npz *.zip *.kernscope-session);;All files (*)");
}

} // namespace

void MainWindow::openPaths(const QStringList &paths)
{
    if (paths.isEmpty()) {
        openSample(QStringLiteral("sample-sparse.mlmodelc"));
        return;
    }
    if (paths.size() == 1 && isSessionPath(paths.first())) {
        openSession(QFileInfo(paths.first()).absoluteFilePath());
        return;
    }
    whenKept([this, paths] {
        m_opening.reset();
        m_beginsAnew = true;
        const bool two = paths.size() > 1;
        m_wantedLayout = two ? std::optional(Layout::Compare) : std::nullopt;
        const search::PlaceLink link = search::splitLink(paths.first().toStdString());
        m_wantedPlace = QString::fromStdString(link.place);
        m_wantedBuilds = paths.mid(2);
        m_askedPath = QFileInfo(QString::fromStdString(link.path)).absoluteFilePath();
        m_document.open(m_askedPath, two ? QFileInfo(paths[1]).absoluteFilePath() : QString());
    });
}

void MainWindow::openSample(const QString &name, const QString &other)
{
    whenKept([this, name, other] {
        m_opening.reset();
        auto a = sampleBundle(name), b = sampleBundle(other);
        if (!a)
            return;
        m_beginsAnew = true;
        m_wantedLayout = b ? Layout::Compare : Layout::Inspect;
        m_document.openMemory(std::move(*a), std::move(b));
    });
}

/// Nothing where there is no build of that name.
std::optional<MemoryBundle> MainWindow::sampleBundle(const QString &name)
{
    for (sample::SampleBundle &made : sample::bundles()) {
        if (made.name == name.toStdString())
            return MemoryBundle{made.name, std::move(made.files)};
    }
    return std::nullopt;
}

void MainWindow::noteSample()
{
    if (m_tour->running())
        return;
    const QString dense = QStringLiteral("sample-dense.mlmodelc");
    const QString sparse = QStringLiteral("sample-sparse.mlmodelc");
    const QString palette = QStringLiteral("sample-palette.mlmodelc");
    std::vector<NoticeAction> actions{
        {tr("Sparse Build"), [this, sparse] { openSample(sparse); }},
        {tr("Palette Build"), [this, palette] { openSample(palette); }},
        {tr("Compare Dense with Sparse"), [this, dense, sparse] { openSample(dense, sparse); }}};
    // Offered once; the Help menu has it always.
    if (!m_settings.tourOffered()) {
        m_settings.setTourOffered();
        actions.insert(actions.begin(), {tr("Take the Tour"), [this] { m_tour->start(); }});
    }
    m_notices->add(NoticeArea::Kind::Note, QStringLiteral("sample"),
                   tr("This is the embedded sample, a small network in three builds. Open your own "
                      "with Ctrl+O, or drop it here."),
                   std::move(actions));
}

/// The tour opens the sample; what it took the place of is one press away at its end.
void MainWindow::onTourChanged(bool running)
{
    if (running) {
        m_notices->remove(QStringLiteral("sample"));
        m_notices->remove(QStringLiteral("tour"));
        m_beforeTour.clear();
        for (const QString &path : {m_document.path(), m_document.otherPath()}) {
            if (!path.isEmpty())
                m_beforeTour += path;
        }
        return;
    }
    const QStringList paths = std::exchange(m_beforeTour, {});
    if (paths.isEmpty() || !m_document.inMemory())
        return;
    m_notices->add(NoticeArea::Kind::Note, QStringLiteral("tour"), tr("The tour has ended."),
                   {{tr("Open %1 Again").arg(QFileInfo(paths.first()).fileName()),
                     [this, paths] { openPaths(paths); }}});
}

void MainWindow::pickFolder(const QString &title, std::function<void(const QString &)> chosen)
{
    auto *dialog = new ui::OpenDialog(ui::OpenDialog::Lists::Folders, this, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this, chosen](const QString &path) {
        ui::setDialogFolder(this, QFileInfo(path).absolutePath());
        chosen(path);
    });
    dialog->open();
}

void MainWindow::pickFile(const QString &title, std::function<void(const QString &)> chosen)
{
    auto *dialog = new ui::OpenDialog(ui::OpenDialog::Lists::Files, this, title, fileFilter());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this, chosen](const QString &path) {
        ui::setDialogFolder(this, QFileInfo(path).absolutePath());
        chosen(path);
    });
    dialog->open();
}

void MainWindow::openFolder()
{
    pickFolder(tr("Open Bundle Folder"), [this](const QString &path) { openPaths({path}); });
}

void MainWindow::openFile()
{
    pickFile(tr("Open File"), [this](const QString &path) { openPaths({path}); });
}

void MainWindow::openOther()
{
    pickFolder(tr("Compare with Folder"), [this](const QString &path) {
        m_wantedLayout = Layout::Compare;
        m_document.openOther(path);
    });
}

/// What the overview measures errors against: the workspace stays.
void MainWindow::openBase()
{
    pickFolder(tr("Measure Errors Against"), [this](const QString &path) {
        m_layoutStays = true;
        m_document.openOther(path);
    });
}

void MainWindow::openOtherFile()
{
    pickFile(tr("Compare with File"), [this](const QString &path) {
        m_wantedLayout = Layout::Compare;
        m_document.openOther(path);
    });
}

void MainWindow::askTolerance()
{
    const double now = m_document.tolerance();
    auto *dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Tolerance"));
    dialog->setLabelText(tr("Refuse an edit where the form can only hold a value that is off by "
                            "more than this.\nEmpty: always take the nearest value."));
    dialog->setTextValue(std::isfinite(now) ? QString::number(now, 'g', 12) : QString());
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString &text) {
        m_document.setTolerance(
            ui::typedNumber(text).value_or(std::numeric_limits<double>::infinity()));
    });
    dialog->open();
    ui::answerWhileTyping(
        dialog,
        [](const QString &text) {
            return ui::NumberRule{false, true, 0}.fault(text);
        },
        true);
}

void MainWindow::connectDocument()
{
    connect(&m_document, &Document::opened, this, &MainWindow::onOpened);
    connect(&m_document, &Document::otherOpened, this, [this] {
        if (!m_document.inMemory() && !m_opening) {
            m_settings.addRecent({m_document.path(), m_document.otherPath()});
            fillRecent();
        }
        const bool stays = std::exchange(m_layoutStays, false);
        if (m_opening || stays) // a session says itself what it shows
            return;
        const bool turns = m_layouts->current() != Layout::Compare;
        showLayout(Layout::Compare);
        if (turns)
            focusOpened();
    });
    connect(&m_document, &Document::openFailed, this, &MainWindow::onOpenFailed);
    connect(&m_document, &Document::interruptedSaveFound, this, &MainWindow::askInterrupted);
    connect(&m_document, &Document::closed, this, [this] {
        m_notices->clear();
        showWelcome(true);
        showState();
    });
    connect(&m_document, &Document::saved, this, &MainWindow::onSaved);
    connect(&m_document, &Document::saveFailed, this, &MainWindow::onSaveFailed);
    connect(&m_document, &Document::shapesBound, this, [this](const QString &text) {
        noteShapes(text);
        m_status->showMessage(text.isEmpty() ? tr("Shapes are as the file has them.") : text);
    });
    connect(&m_document, &Document::shapesRefused, this, &MainWindow::onShapesRefused);
    connect(&m_document, &Document::cancelled, this, [this](Document::Busy what) {
        m_opening.reset();
        m_beginsAnew = false;
        m_afterSave = nullptr;
        m_status->showMessage(what == Document::Busy::Saving ? tr("Cancelled: nothing was written.")
                              : what == Document::Busy::Opening
                                  ? tr("Cancelled: nothing was opened.")
                                  : tr("Cancelled: nothing was changed."));
    });
    connect(&m_document, &Document::modifiedChanged, this, &MainWindow::showState);
    connect(&m_session, &ui::Session::filesHoldChanged, this, [this](bool hold) {
        if (hold)
            m_notices->remove(QStringLiteral("disk"));
    });
    connect(&m_document, &Document::changedOnDisk, this, &MainWindow::onChangedOnDisk);
}

void MainWindow::onOpened(bool recovered)
{
    m_notices->clear();
    if (!m_document.inMemory())
        ui::setDialogFolder(this, QFileInfo(m_document.path()).absolutePath());
    if (!m_document.inMemory() && !m_opening) {
        if (!m_session.other())
            m_settings.addRecent({m_document.path(), {}});
        fillRecent();
    }
    showLayout(m_wantedLayout.value_or(layoutForOpened()));
    for (const QString &path : std::exchange(m_wantedBuilds, {}))
        qobject_cast<ui::BuildsDock *>(m_docks->dock(QStringLiteral("builds")))->add(path);
    goToLink();
    showState();
    if (std::exchange(m_beginsAnew, false))
        focusOpened();
    if (m_document.inMemory() && !m_opening)
        noteSample();
    noteInterrupted(recovered);
    offerLeftEdits();
    noteShapes({});
    const bool open = !m_document.openInputs().empty() && !m_session.bundle()->shapeBindings();
    m_status->showMessage((open ? tr("Opened %1, which leaves shapes of inputs open "
                                     "(Ctrl+Shift+I gives them)")
                                : tr("Opened %1"))
                              .arg(m_document.name()));
    if (m_opening) // once the other bundle has said that it is open, too
        QMetaObject::invokeMethod(this, &MainWindow::finishSession, Qt::QueuedConnection);
}

/// Where a link pointed: known once the bundle is open.
void MainWindow::goToLink()
{
    const QString wanted = std::exchange(m_wantedPlace, {});
    if (wanted.isEmpty())
        return;
    const auto place = parsePlace(*m_session.bundle(), wanted, m_session.place().file);
    if (place)
        m_session.goTo(*place);
    else
        m_notices->add(NoticeArea::Kind::Warning, QStringLiteral("link"),
                       tr("The link points to no place in this file: %1. %2")
                           .arg(wanted, errorSentence(place.error())));
}

void MainWindow::onOpenFailed(const QString &path, const Error &error)
{
    m_layoutStays = m_beginsAnew = false;
    if (m_opening && path == m_opening->session.document.path)
        m_opening.reset();
    if (error.code == "bundle.several" && QFileInfo(path).isDir()) {
        m_notices->add(NoticeArea::Kind::Note, QStringLiteral("open:") + path,
                       tr("%1 is a folder of several bundles.").arg(path),
                       {{tr("Choose One\u2026"), [this, path] { offerBundles(path); }}});
        offerBundles(path);
        return;
    }
    m_notices->add(NoticeArea::Kind::Error, QStringLiteral("open:") + path,
                   openingFault(path, error));
    m_docks->diagnostics()->addRow({Severity::Error, error});
    m_settings.removeRecent({path, {}});
    fillRecent();
}

void MainWindow::onSaved(const SaveReport &report, const QString &target)
{
    m_notices->remove(QStringLiteral("save"));
    if (m_session.filesHold())
        m_notices->remove(QStringLiteral("disk"));
    m_settings.addRecent({target, {}});
    fillRecent();
    showState();
    const QString bytes = ui::groupedNumber(report.bytesWritten.value);
    m_status->showMessage(
        report.verified ? tr("Saved %1: %2 B written, read back and verified.")
                              .arg(QFileInfo(target).fileName(), bytes)
                        : tr("Saved %1: %2 B written.").arg(QFileInfo(target).fileName(), bytes));
    for (const Diagnostic &row : report.warnings) {
        m_docks->diagnostics()->addRow(row);
        m_notices->add(NoticeArea::Kind::Warning, QStringLiteral("saved"),
                       errorSentence(row.error));
    }
    if (const auto next = std::exchange(m_afterSave, nullptr))
        next();
}

} // namespace kernscope::app
