// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/palette_source.h"

#include "app/dock_set.h"
#include "app/palette_index.h"
#include "core/target/registry.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/session.h"
#include "widgets/patch/edit_line.h"
#include "widgets/patch/patches_dock.h"

#include <QAction>
#include <QDir>
#include <QFile>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace kernscope::app {

namespace {

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

} // namespace

PaletteSource::PaletteSource(QMenuBar &menus, ui::Session &session, DockSet &docks, QObject *parent)
    : QObject(parent), m_menus(menus), m_session(session), m_docks(&docks)
{
}

/// What the search box finds beside the names of the bundle.
void PaletteSource::fill(PaletteIndex &index)
{
    addActions(index);
    addEdits(index);
    addChips(index);
    addHelp(index);
}

void PaletteSource::addActions(PaletteIndex &index)
{
    PaletteIndex::Group actions;
    actions.kind = PaletteIndex::Kind::Action;
    auto found = std::make_shared<std::vector<PaletteAction>>();
    for (QAction *menu : m_menus.actions())
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
void PaletteSource::addEdits(PaletteIndex &index)
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

void PaletteSource::addChips(PaletteIndex &index)
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
        Q_EMIT chipChosen();
    };
    index.add(std::move(chips));
}

void PaletteSource::addHelp(PaletteIndex &index)
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
    pages.run = [this, ids](std::size_t i) { Q_EMIT helpChosen(ids[static_cast<qsizetype>(i)]); };
    index.add(std::move(pages));
}

} // namespace kernscope::app

#include "moc_palette_source.cpp"
