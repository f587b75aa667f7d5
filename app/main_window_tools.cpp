// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/dock_set.h"
#include "app/go_to_box.h"
#include "app/palette_index.h"
#include "app/place_text.h"
#include "app/status_line.h"
#include "core/target/registry.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/help_dock.h"
#include "widgets/common/segmented.h"
#include "widgets/common/theme.h"
#include "widgets/patch/edit_line.h"
#include "widgets/patch/patches_dock.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QRegularExpression>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

// The bar of tools, and what its search box finds.
namespace kernscope::app {

namespace {

constexpr int kMostVisited = 20; ///< places each way

struct PaletteAction {
    QPointer<QAction> action;
    QString text, note;
};

/// The enabled actions of a menu and of its submenus; `path`: the menus above it.
void collectActions(QAction *action, const QString &path, std::vector<PaletteAction> &out)
{
    QString text = action->text().section(QLatin1Char('\t'), 0, 0);
    text.remove(QLatin1Char('&'));
    if (action->isSeparator() || !action->isEnabled() || text.isEmpty())
        return;
    if (const QMenu *menu = action->menu()) {
        const QString below = path.isEmpty() ? text : path + QStringLiteral(" \u203A ") + text;
        for (QAction *child : menu->actions())
            collectActions(child, below, out);
        return;
    }
    QString note = path;
    if (!action->shortcut().isEmpty())
        note += QStringLiteral("   ") + action->shortcut().toString(QKeySequence::NativeText);
    out.push_back({action, text, note});
}

/// As a shell takes it for one word.
QString shellWord(QString text)
{
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:@%+,=-]+$"));
    if (plain.match(text).hasMatch())
        return text;
    text.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
    return QLatin1Char('\'') + text + QLatin1Char('\'');
}

} // namespace

/// The workspaces, what one does most, and the box that finds everything: always in sight.
void MainWindow::buildToolBar()
{
    auto *bar = addToolBar(tr("Workspaces and tools"));
    bar->setObjectName(QStringLiteral("tools"));
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    const int side = ui::theme::em(this, 1.2);
    bar->setIconSize(QSize(side, side));
    auto *workspaces = new ui::Segmented(tr("Workspace"), bar);
    for (QAction *action : m_layoutGroup->actions())
        workspaces->add(action);
    bar->addWidget(workspaces);
    const auto addGroup = [bar](std::initializer_list<QAction *> actions) {
        bar->addSeparator();
        for (QAction *action : actions)
            bar->addAction(action);
    };
    addGroup({m_open, m_save});
    addGroup({m_undo, m_redo});
    addGroup({m_patching, m_compareWith});
    addGroup({m_back, m_forward});
    for (QAction *action : {m_back, m_forward}) {
        auto *button = qobject_cast<QToolButton *>(bar->widgetForAction(action));
        auto *menu = new QMenu(button);
        const bool back = action == m_back;
        connect(menu, &QMenu::aboutToShow, this, [this, menu, back] { fillHistory(menu, back); });
        button->setMenu(menu);
        button->setPopupMode(QToolButton::DelayedPopup);
    }
    for (QToolButton *button : bar->findChildren<QToolButton *>()) {
        if (button->parentWidget() != workspaces) // Tab comes to the chosen one of those only
            button->setFocusPolicy(Qt::TabFocus);
    }
    auto *spring = new QWidget(bar);
    spring->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(spring);
    m_goTo = new GoToBox(m_session, bar);
    m_goTo->setSource([this](PaletteIndex &index) { fillPalette(index); });
    bar->addWidget(m_goTo);
}

QAction *MainWindow::addVisited(QMenu *menu, std::size_t at)
{
    QString text = placeText(*m_session.bundle(), m_session.history()[at]);
    text = text.isEmpty() ? tr("Overview") : text.replace(QLatin1Char('&'), QLatin1String("&&"));
    return add(menu, text, {}, [this, at] { m_session.goToHistory(at); });
}

/// The places before or after the one of now, the nearest first.
void MainWindow::fillHistory(QMenu *menu, bool back)
{
    menu->clear();
    const auto &history = m_session.history();
    std::size_t at = m_session.historyAt();
    for (int i = 0; i < kMostVisited && m_session.bundle(); ++i) {
        if (back ? at == 0 : at + 1 >= history.size())
            break;
        at = back ? at - 1 : at + 1;
        addVisited(menu, at);
    }
}

/// What holding the buttons lists, for the keyboard: the newest place first, the one of now marked.
void MainWindow::fillVisited(QMenu *menu)
{
    menu->clear();
    const std::size_t now = m_session.historyAt();
    std::size_t at = std::min(m_session.history().size(), now + 1 + kMostVisited);
    const std::size_t end = now > kMostVisited ? now - kMostVisited : 0;
    while (m_session.bundle() && at > end) {
        QAction *place = addVisited(menu, --at);
        place->setCheckable(true);
        place->setChecked(at == now);
    }
    if (menu->isEmpty())
        menu->addAction(tr("No place was gone to yet"))->setEnabled(false);
}

/// What a standard key does in the dock that holds the focus.
/// A line that one types in takes the key itself; so does a view whose dock has no action of it.
void MainWindow::runInFocus(QKeySequence::StandardKey key)
{
    QWidget *focus = QApplication::focusWidget();
    const QKeyCombination keys = QKeySequence(key)[0];
    QKeyEvent override(QEvent::ShortcutOverride, keys.key(), keys.keyboardModifiers());
    override.ignore();
    QKeyEvent press(QEvent::KeyPress, keys.key(), keys.keyboardModifiers());
    press.ignore();
    if (focus && QApplication::sendEvent(focus, &override) && override.isAccepted()) {
        QApplication::sendEvent(focus, &press);
        return;
    }
    const ui::Dock *dock = m_docks->focused();
    for (const DockSet::Entry &entry : m_docks->entries()) {
        if (entry.dock != dock)
            continue;
        for (QAction *action : entry.menuActions) {
            if (action->shortcut().matches(QKeySequence(key)) == QKeySequence::ExactMatch) {
                action->trigger();
                return;
            }
        }
    }
    if (!focus || !QApplication::sendEvent(focus, &press) || !press.isAccepted())
        m_status->showMessage(tr("The dock in focus has nothing for this."));
}

/// The command that opens the bundle at the place of now: what a colleague pastes.
void MainWindow::copyLink()
{
    QString link = QDir::toNativeSeparators(m_document.path());
    const QString place = placeText(*m_session.bundle(), m_session.place());
    if (!place.isEmpty())
        link += QLatin1Char('#') + place;
    QGuiApplication::clipboard()->setText(QStringLiteral("kernscope ") + shellWord(link));
    m_status->showMessage(tr("Copied: kernscope %1").arg(link));
}

/// What the search box finds beside the names of the bundle.
void MainWindow::fillPalette(PaletteIndex &index)
{
    addFoundActions(index);
    addFoundEdits(index);
    addFoundChips(index);
    addFoundHelp(index);
}

void MainWindow::addFoundActions(PaletteIndex &index)
{
    PaletteIndex::Group actions;
    actions.kind = PaletteIndex::Kind::Action;
    auto found = std::make_shared<std::vector<PaletteAction>>();
    for (QAction *menu : menuBar()->actions())
        collectActions(menu, {}, *found);
    for (const PaletteAction &entry : *found)
        actions.names += entry.text;
    actions.note = [found](std::size_t i) { return (*found)[i].note; };
    actions.run = [found](std::size_t i) {
        if ((*found)[i].action)
            (*found)[i].action->trigger();
    };
    index.add(std::move(actions));
}

/// What an edit can be is chosen in the line of the patches, which no menu lists.
void MainWindow::addFoundEdits(PaletteIndex &index)
{
    PaletteIndex::Group kinds;
    kinds.kind = PaletteIndex::Kind::Action;
    auto edits = std::make_shared<ui::EditLine::KindList>(
        m_session.bundle() ? ui::EditLine::kinds() : ui::EditLine::KindList());
    for (const auto &[word, kind] : *edits)
        kinds.names += tr("New Edit: %1").arg(word);
    kinds.run = [this, edits](std::size_t i) {
        DockSet::reveal(m_docks->patches());
        m_docks->patches()->beginEdit((*edits)[i].second);
    };
    index.add(std::move(kinds));
}

void MainWindow::addFoundChips(PaletteIndex &index)
{
    PaletteIndex::Group chips;
    chips.kind = PaletteIndex::Kind::Chip;
    // Each name of its own, so that M1 is found before what begins with it; the others beside it.
    auto found = std::make_shared<std::vector<std::pair<std::size_t, QString>>>();
    for (std::size_t i = 0; i < target::targets().size(); ++i) {
        const target::Target &chip = target::targets()[i];
        QStringList words{QString::fromStdString(chip.name)};
        for (const std::string &alias : chip.aliases)
            words += QString::fromStdString(alias);
        QStringList named = words;
        for (const std::string &alias : target::contestedNames(chip))
            named += QString::fromStdString(alias);
        for (const QString &word : named) {
            QStringList others = words;
            if (!others.removeOne(word))
                others.prepend(tr("%1 contested").arg(QChar(0x2260)));
            chips.names += word;
            found->emplace_back(i, others.join(QStringLiteral(", ")));
        }
    }
    chips.note = [found](std::size_t i) { return (*found)[i].second; };
    chips.run = [this, found](std::size_t i) {
        ui::ChipState::of(m_session).setTarget(target::targets()[(*found)[i].first]);
        if (m_session.bundle())
            showLayout(Layout::Performance);
    };
    index.add(std::move(chips));
}

void MainWindow::addFoundHelp(PaletteIndex &index)
{
    PaletteIndex::Group pages;
    pages.kind = PaletteIndex::Kind::Help;
    const QStringList files =
        QDir(QStringLiteral(":/help")).entryList({QStringLiteral("*.md")}, QDir::Files);
    QStringList ids;
    for (const QString &file : files) {
        QFile page(QStringLiteral(":/help/") + file);
        if (!page.open(QIODevice::ReadOnly))
            continue;
        ids += file.chopped(3);
        pages.names += QString::fromUtf8(page.readLine()).remove(QLatin1Char('#')).trimmed();
    }
    pages.run = [this, ids](std::size_t i) {
        showWelcome(false);
        m_layouts->show(m_layouts->current());
        m_docks->help()->showPage(ids[static_cast<qsizetype>(i)]);
        DockSet::reveal(m_docks->help());
    };
    index.add(std::move(pages));
}

} // namespace kernscope::app
