// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare_menu.h"

#include "app/dock_set.h"
#include "app/files.h"
#include "app/save_controller.h"
#include "core/bundle/bundle.h"
#include "widgets/common/design.h"
#include "widgets/common/qt.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/hand_pairs.h"
#include "widgets/models/theme.h"

namespace kernscope::app {

namespace {

QString compareTaskTitle(ui::CompareTask task)
{
    switch (task) {
    case ui::CompareTask::Pairing: return CompareMenu::tr("Pairin&g");
    case ui::CompareTask::GoTo: return CompareMenu::tr("Go &to");
    case ui::CompareTask::Copy: return CompareMenu::tr("&Copy Across");
    case ui::CompareTask::Limits: return CompareMenu::tr("&Limits and Runs");
    case ui::CompareTask::View: return CompareMenu::tr("&View");
    case ui::CompareTask::Export: return CompareMenu::tr("Copy, &Export, Apply");
    case ui::CompareTask::Builds: return CompareMenu::tr("Other &Builds");
    }
    return {};
}

} // namespace

void CompareMenu::fill(QMenu *menu, QAction *applyPatches)
{
    const auto compare = [this](const QString &path) { compareWith(path); };
    m_compareWith = m_actions->add(
        menu, tr("Compare with &Folder\u2026"), Qt::CTRL | Qt::SHIFT | Qt::Key_O, Needs::Bundle,
        [this, compare] { pickFolder(m_window, tr("Compare with Folder"), compare); });
    m_compareWith->setIcon(ui::lineIcon(u"compare"_s));
    m_compareWithFile = m_actions->add(
        menu, tr("Compare with F&ile\u2026"), Qt::CTRL | Qt::SHIFT | Qt::ALT | Qt::Key_O,
        Needs::Bundle, [this, compare] { pickFile(m_window, tr("Compare with File"), compare); });
    m_compareWeight = m_actions->add(menu, tr("Compare This &Weight with\u2026"),
                                     Qt::CTRL | Qt::SHIFT | Qt::ALT | Qt::Key_W, Needs::Bundle,
                                     [this] { compareWeightWith(m_session.place().weight); });
    m_actions->add(menu, tr("Compare with What Is on &Disk"), {}, Needs::Changes,
                   [this] { compareWith(m_document.path()); });
    QMenu *samples = menu->addMenu(tr("Compare Sa&mples"));
    for (const auto &[text, name] :
         {std::pair{tr("Dense with S&parse"), u"sample-sparse.mlmodelc"_s},
          std::pair{tr("Dense with P&alette"), u"sample-palette.mlmodelc"_s}})
        m_actions->add(samples, text, {}, [this, sample = name] {
            Q_EMIT samplesAsked(u"sample-dense.mlmodelc"_s, sample);
        });
    menu->addSeparator();
    m_actions->add(menu, tr("&Open the Other One Instead"), {}, Needs::Other, [this] {
        m_saving->whenKept([this] {
            Q_EMIT compareAsked();
            m_document.swapSides();
        });
    });
    m_actions->add(menu, tr("&Stop Comparing"), {}, Needs::Other, [this] {
        m_document.closeOther();
        Q_EMIT stopped();
    });
    menu->addSeparator();
    for (const ui::CompareTask task : ui::kCompareTasks)
        addTask(menu, applyPatches, task);
}

void CompareMenu::compareWith(const QString &path)
{
    Q_EMIT compareAsked();
    m_document.openOther(path);
}

/// What the docks of a comparison offer for a task, with a line between one dock's and the next.
void CompareMenu::addTask(QMenu *menu, QAction *applyPatches, ui::CompareTask task)
{
    QMenu *part = menu->addMenu(compareTaskTitle(task));
    part->setToolTipsVisible(true);
    if (task == ui::CompareTask::Export)
        part->addAction(applyPatches);
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

/// Pairs by hand of the two files that are open now are those of the last time; what is chosen from
/// now on is kept.
void CompareMenu::keepPairs()
{
    ui::CompareDock *dock = m_docks->compare();
    const auto known = [this] {
        return m_session.bundle() && m_session.other() && !m_document.inMemory() &&
               !m_document.otherPath().isEmpty();
    };
    const auto show = [this, dock, known] {
        if (known())
            dock->pairs().setChoices(ui::PairChoices::fromNames(
                m_settings.pairsByHand(m_document.path(), m_document.otherPath())));
        if (!m_session.other())
            return;
        const auto asked = std::exchange(m_partnerOf, std::nullopt);
        if (asked && asked->path == m_document.otherPath())
            dock->pairs().askPartnerOfDocument(asked->weight);
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
    connect(&dock->pairs(), &ui::HandPairs::pairsChosen, this, [this, dock, known] {
        if (known())
            m_settings.setPairsByHand(m_document.path(), m_document.otherPath(),
                                      dock->pairs().choices().names());
    });
}

/// Asks for a file, opens it beside the document where it is not there yet, and asks for the weight
/// of it that this one is compared with.
void CompareMenu::compareWeightWith(std::size_t weight)
{
    if (!m_session.bundle() || weight >= m_session.bundle()->weights().size()) {
        Q_EMIT m_session.statusMessage(tr("Select a weight first."));
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
    auto *dialog = new QInputDialog(&m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Compare with"));
    dialog->setLabelText(
        tr("Where is the weight that %1 is compared with?")
            .arg(ui::fromUtf8(m_session.bundle()->weights()[weight].findableName())));
    dialog->setOption(QInputDialog::UseListViewForComboBoxItems);
    dialog->setComboBoxItems(paths + QStringList{file, folder});
    dialog->resize(ui::theme::em(&m_window, 44), ui::theme::em(&m_window, 20));
    const auto take = [this, weight](const QString &path) {
        if (m_document.busy() != Document::Busy::Idle) {
            Q_EMIT m_session.statusMessage(
                tr("Another task is under way. Try again when it has ended."));
            return;
        }
        m_partnerOf = Partner{weight, path};
        compareWith(path);
    };
    const bool beside = m_session.other() != nullptr;
    connect(dialog, &QInputDialog::textValueSelected, this,
            [=, this, first = paths.value(0)](const QString &path) {
                if (path == file)
                    return pickFile(m_window, tr("Compare with File"), take);
                if (path == folder)
                    return pickFolder(m_window, tr("Compare with Folder"), take);
                if (!beside || path != first)
                    return take(path);
                Q_EMIT layoutAsked(Layout::Compare);
                m_docks->compare()->pairs().askPartnerOfDocument(weight);
            });
    dialog->open();
}

} // namespace kernscope::app

#include "moc_compare_menu.cpp"
