// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare menu: what is compared, and pairs of weights by hand.
#include "app/main_window.h"

#include "app/change_applier.h"
#include "app/dock_set.h"
#include "app/status_line.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/line_icon.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/compare_task.h"

#include <QAbstractItemView>
#include <QAction>
#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMenu>
#include <QMenuBar>

#include <utility>

namespace kernscope::app {

namespace {

struct CompareMenuWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::CompareMenu)
};

QString compareTaskTitle(ui::CompareTask task)
{
    switch (task) {
    case ui::CompareTask::Pairing: return CompareMenuWords::tr("Pairin&g");
    case ui::CompareTask::GoTo: return CompareMenuWords::tr("Go &to");
    case ui::CompareTask::Copy: return CompareMenuWords::tr("&Copy Across");
    case ui::CompareTask::Limits: return CompareMenuWords::tr("&Limits and Runs");
    case ui::CompareTask::View: return CompareMenuWords::tr("&View");
    case ui::CompareTask::Export: return CompareMenuWords::tr("Copy, &Export, Apply");
    case ui::CompareTask::Builds: return CompareMenuWords::tr("Other &Builds");
    }
    return {};
}

} // namespace

void MainWindow::buildCompareMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&Compare"));
    m_compareWith = add(menu, tr("Compare with &Folder\u2026"), Qt::CTRL | Qt::SHIFT | Qt::Key_O,
                        [this] { openOther(); });
    m_compareWith->setIcon(ui::lineIcon(QStringLiteral("compare")));
    m_needBundle << m_compareWith;
    m_needBundle << add(menu, tr("Compare with F&ile\u2026"),
                        Qt::CTRL | Qt::SHIFT | Qt::ALT | Qt::Key_O, [this] { openOtherFile(); });
    m_needBundle << add(menu, tr("Compare This &Weight with\u2026"),
                        Qt::CTRL | Qt::SHIFT | Qt::ALT | Qt::Key_W,
                        [this] { compareWeightWith(m_session.place().weight); });
    m_compareWeight = m_needBundle.back();
    QAction *saved = add(menu, tr("Compare with What Is on &Disk"), {}, [this] {
        m_wantedLayout = Layout::Compare;
        m_document.openOther(m_document.path());
    });
    m_needChanges << saved;
    const QString dense = QStringLiteral("sample-dense.mlmodelc");
    QMenu *samples = menu->addMenu(tr("Compare Sa&mples"));
    for (const auto &[text, name] :
         {std::pair{tr("Dense with S&parse"), QStringLiteral("sample-sparse.mlmodelc")},
          std::pair{tr("Dense with P&alette"), QStringLiteral("sample-palette.mlmodelc")}})
        add(samples, text, {}, [this, dense, sample = name] { openSample(dense, sample); });
    menu->addSeparator();
    m_needOther << add(menu, tr("&Open the Other One Instead"), {}, [this] {
        whenKept([this] {
            m_wantedLayout = Layout::Compare;
            m_document.swapSides();
        });
    });
    m_needOther << add(menu, tr("&Stop Comparing"), {}, [this] {
        m_document.closeOther();
        if (m_layouts->current() == Layout::Compare)
            showLayout(Layout::Inspect);
    });
    menu->addSeparator();
    for (const ui::CompareTask task : ui::kCompareTasks)
        addCompareTask(menu, task);
}

/// What the docks of a comparison offer for a task, with a line between one dock's and the next.
void MainWindow::addCompareTask(QMenu *menu, ui::CompareTask task)
{
    QMenu *part = menu->addMenu(compareTaskTitle(task));
    part->setToolTipsVisible(true);
    if (task == ui::CompareTask::Export)
        part->addAction(m_applyPatches);
    for (const char *id : {"compare", "places", "codebooks", "builds", "bytes", "ranges"}) {
        QList<QAction *> actions;
        for (const DockSet::Entry &entry : m_docks->entries()) {
            if (entry.dock->id() == QLatin1String(id))
                actions = entry.menuActions;
        }
        erase_if(actions,
                 [task](const QAction *action) { return ui::compareTask(*action) != task; });
        if (!part->isEmpty() && !actions.isEmpty())
            part->addSeparator();
        part->addActions(actions);
    }
}

/// The patches that a list of them or a comparison was saved as, made on the document.
void MainWindow::addPatchFileAction(QMenu *menu)
{
    auto *changes = new ChangeApplier(m_session, this);
    connect(changes, &ChangeApplier::failed, this, &MainWindow::onRefused);
    connect(changes, &ChangeApplier::applied, this, [this](const QString &path, bool proved) {
        const QString name = ui::shown(QFileInfo(path).fileName());
        Q_EMIT m_session.statusMessage(
            proved ? tr("%1 is applied; the weights are those that it was made of").arg(name)
                   : tr("%1 is applied").arg(name));
    });
    m_applyPatches = add(menu, tr("Apply Patch &File\u2026"), {}, [this, changes] {
        auto *dialog =
            new QFileDialog(this, tr("Apply Patch File"), ui::dialogFolder(this),
                            tr("Patches (*.kpatch);;Scripts of edits (*.txt);;All files (*)"));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::ExistingFile);
        connect(dialog, &QFileDialog::fileSelected, changes, [this, changes](const QString &path) {
            ui::setDialogFolder(this, QFileInfo(path).absolutePath());
            changes->apply(path);
        });
        dialog->open();
    });
    m_needBundle << m_applyPatches;
}

/// Pairs by hand of the two files that are open now are those of the last time; what is chosen from
/// now on is kept.
void MainWindow::keepPairs()
{
    ui::CompareDock *dock = m_docks->compare();
    const auto known = [this] {
        return m_session.bundle() && m_session.other() && !m_document.inMemory() &&
               !m_document.otherPath().isEmpty();
    };
    const auto show = [this, dock, known] {
        if (known())
            dock->setChoices(ui::PairChoices::fromNames(
                m_settings.pairsByHand(m_document.path(), m_document.otherPath())));
        if (!m_session.other())
            return;
        const auto asked = std::exchange(m_partnerOf, std::nullopt);
        if (asked && asked->path == m_document.otherPath())
            dock->askPartnerOfDocument(asked->weight);
    };
    connect(&m_document, &Document::opened, this, show);
    connect(&m_document, &Document::otherOpened, this, show);
    for (const char *id : {"bundle", "overview", "weight"}) {
        const ui::Dock *shown = m_docks->dock(QLatin1String(id));
        for (QAbstractItemView *view : shown->findChildren<QAbstractItemView *>()) {
            if (view->contextMenuPolicy() == Qt::ActionsContextMenu)
                view->addAction(m_compareWeight);
        }
    }
    // What is opened later has nothing to do with this request.
    const auto forget = [this] { m_partnerOf.reset(); };
    connect(&m_document, &Document::openFailed, this, forget);
    connect(&m_document, &Document::cancelled, this, forget);
    connect(&m_session, &ui::Session::bundleChanged, this, forget);
    connect(dock, &ui::CompareDock::pairsChosen, this, [this, dock, known] {
        if (known())
            m_settings.setPairsByHand(m_document.path(), m_document.otherPath(),
                                      dock->choices().names());
    });
}

/// Asks for a file, opens it beside the document where it is not there yet, and asks for the weight
/// of it that this one is compared with.
void MainWindow::compareWeightWith(std::size_t weight)
{
    if (!m_session.bundle() || weight >= m_session.bundle()->weights().size()) {
        m_status->showMessage(tr("Select a weight first."));
        return;
    }
    QStringList paths;
    if (m_session.other())
        paths << (m_document.otherPath().isEmpty() ? m_document.otherName()
                                                   : m_document.otherPath());
    for (const Settings::Recent &recent : m_settings.recent()) {
        for (const QString &path : {recent.path, recent.other}) {
            if (!path.isEmpty() && !paths.contains(path))
                paths << path;
        }
    }
    const QString file = tr("Another file\u2026"), folder = tr("Another folder\u2026");
    auto *dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Compare with"));
    dialog->setLabelText(
        tr("Where is the weight that %1 is compared with?")
            .arg(ui::fromUtf8(m_session.bundle()->weights()[weight].findableName())));
    dialog->setOption(QInputDialog::UseListViewForComboBoxItems);
    dialog->setComboBoxItems(paths + QStringList{file, folder});
    dialog->resize(ui::theme::em(this, 44), ui::theme::em(this, 20));
    const auto take = [this, weight](const QString &path) {
        if (m_document.busy() != Document::Busy::Idle) {
            m_status->showMessage(tr("Another task is under way. Try again when it has ended."));
            return;
        }
        m_partnerOf = PartnerWish{weight, path};
        m_wantedLayout = Layout::Compare;
        m_document.openOther(path);
    };
    const bool beside = m_session.other() != nullptr;
    connect(dialog, &QInputDialog::textValueSelected, this,
            [=, this, first = paths.value(0)](const QString &path) {
                if (path == file)
                    return pickFile(tr("Compare with File"), take);
                if (path == folder)
                    return pickFolder(tr("Compare with Folder"), take);
                if (!beside || path != first)
                    return take(path);
                showLayout(Layout::Compare);
                m_docks->compare()->askPartnerOfDocument(weight);
            });
    dialog->open();
}

} // namespace kernscope::app
