// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/view_menu.h"

#include "app/dock_set.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/theme.h"
#include "widgets/models/weight_grid_model.h"

namespace kernscope::app {

namespace {

/// Property of a header: what its columns are kept by.
constexpr char kKey[] = "kernscopeColumns";

/// Sums below a table and the grid of values have columns that are not their own to choose.
bool hasOwnColumns(const QAbstractItemView &view)
{
    return view.focusPolicy() != Qt::NoFocus &&
           !qobject_cast<const ui::WeightGridModel *>(view.model());
}

} // namespace

TableColumns::TableColumns(const DockSet &docks, Settings &settings, QObject *parent)
    : QObject(parent), m_docks(docks), m_settings(settings)
{
    for (const DockSet::Entry &entry : docks.entries()) {
        for (auto *view : entry.dock->findChildren<QAbstractItemView *>())
            adopt(entry.dock->id(), view);
    }
}

void TableColumns::adopt(const QString &dock, QAbstractItemView *view)
{
    QHeaderView *header = ui::columnHeader(view);
    if (!header || !view->model() || !hasOwnColumns(*view) || header->isHidden())
        return;
    header->setProperty(kKey, QString(dock + QLatin1Char('/') + view->accessibleName()));
    header->setSectionsMovable(true);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QWidget::customContextMenuRequested, this, [this, header, view](QPoint at) {
        auto *menu = new QMenu(header);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        fillMenu(menu, view);
        menu->popup(header->mapToGlobal(at));
    });
    connect(header, &QHeaderView::sectionMoved, this, [this, header] { keep(header); });
    // Some tables get their columns with their first content.
    connect(header, &QHeaderView::sectionCountChanged, this, [this, header] { bringBack(header); });
    bringBack(header);
}

QAbstractItemView *TableColumns::current() const
{
    const auto chosen = [](QAbstractItemView *view) {
        QHeaderView *header = ui::columnHeader(view);
        return header && header->property(kKey).isValid();
    };
    auto *focused = qobject_cast<QAbstractItemView *>(QApplication::focusWidget());
    if (chosen(focused))
        return focused;
    const ui::Dock *dock = m_docks.focused();
    QAbstractItemView *only = nullptr;
    for (auto *view :
         dock ? dock->findChildren<QAbstractItemView *>() : QList<QAbstractItemView *>()) {
        if (!view->isVisible() || !chosen(view))
            continue;
        if (only)
            return nullptr;
        only = view;
    }
    return only;
}

void TableColumns::fillMenu(QMenu *menu, QAbstractItemView *view)
{
    QHeaderView *header = ui::columnHeader(view);
    if (!header || !view->model())
        return;
    const QAbstractItemModel &model = *view->model();
    int shown = header->count() - header->hiddenSectionCount();
    for (int visual = 0; visual < header->count(); ++visual) {
        const int column = header->logicalIndex(visual);
        QString title = model.headerData(column, Qt::Horizontal).toString();
        if (title.isEmpty())
            title = tr("Column %1").arg(column + 1);
        QAction *action = menu->addAction(title.replace(QLatin1Char('&'), "&&"_L1));
        action->setCheckable(true);
        action->setChecked(!header->isSectionHidden(column));
        action->setToolTip(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString());
        // One stays, or there would be no header to bring the others back by.
        action->setEnabled(!action->isChecked() || shown > 1);
        connect(action, &QAction::toggled, header, [this, header, column](bool on) {
            header->setSectionHidden(column, !on);
            keep(header);
        });
    }
    menu->addSeparator();
    connect(menu->addAction(tr("&All Columns in Their First Order")), &QAction::triggered, header,
            [this, header] {
                for (int column = 0; column < header->count(); ++column) {
                    header->setSectionHidden(column, false);
                    header->moveSection(header->visualIndex(column), column);
                }
                keep(header);
            });
    menu->setToolTipsVisible(true);
}

QString TableColumns::stateOf(const QHeaderView &header)
{
    QStringList words;
    const QVariantList absent = header.property(ui::kAbsentColumns).toList();
    for (int visual = 0; visual < header.count(); ++visual) {
        const int column = header.logicalIndex(visual);
        const bool chosenAway = header.isSectionHidden(column) && !absent.contains(column);
        words += (chosenAway ? u"-"_s : QString()) + QString::number(column);
    }
    return words.join(QLatin1Char(' '));
}

bool TableColumns::restore(QHeaderView &header, const QString &state)
{
    const QStringList words = state.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (words.size() != header.count())
        return false;
    std::vector<int> order;
    std::vector<bool> hidden, seen(static_cast<std::size_t>(header.count()), false);
    for (const QString &word : words) {
        const bool hides = word.startsWith(QLatin1Char('-'));
        bool number = false;
        const int column = word.mid(hides ? 1 : 0).toInt(&number);
        if (!number || column < 0 || column >= header.count() ||
            seen[static_cast<std::size_t>(column)])
            return false;
        seen[static_cast<std::size_t>(column)] = true;
        order.push_back(column);
        hidden.push_back(hides);
    }
    if (std::find(hidden.begin(), hidden.end(), false) == hidden.end())
        return false;
    for (int visual = 0; visual < header.count(); ++visual) {
        const auto at = static_cast<std::size_t>(visual);
        header.moveSection(header.visualIndex(order[at]), visual);
        header.setSectionHidden(order[at], hidden[at]);
    }
    return true;
}

void TableColumns::keep(QHeaderView *header)
{
    if (m_restoring)
        return;
    const QString state = stateOf(*header);
    QStringList first;
    for (int column = 0; column < header->count(); ++column)
        first += QString::number(column);
    m_settings.setTableColumns(header->property(kKey).toString(),
                               state == first.join(QLatin1Char(' ')) ? QString() : state);
}

void TableColumns::bringBack(QHeaderView *header)
{
    const QString state = m_settings.tableColumns(header->property(kKey).toString());
    if (state.isEmpty() || header->count() == 0)
        return;
    const QScopedValueRollback guard(m_restoring, true);
    restore(*header, state);
}

namespace {

constexpr qreal kSmallestFont = 6;

} // namespace

ThemeSwitch::ThemeSwitch(Settings &settings, QObject *parent)
    : QObject(parent), m_settings(settings),
      m_systemDark(ui::theme::isDark(QApplication::palette())), m_systemFont(QApplication::font())
{
    apply();
}

void ThemeSwitch::choose(ThemeChoice choice)
{
    m_settings.setTheme(choice);
    apply();
}

bool ThemeSwitch::dark() const
{
    return choice() == ThemeChoice::System ? m_systemDark : choice() == ThemeChoice::Dark;
}

void ThemeSwitch::changeFont(int step)
{
    m_settings.setFontStep(step == 0 ? 0 : m_settings.fontStep() + step);
    apply();
}

void ThemeSwitch::apply()
{
    ui::theme::apply(dark());
    QFont font = m_systemFont;
    if (font.pointSizeF() > 0)
        font.setPointSizeF(std::max(kSmallestFont, font.pointSizeF() + m_settings.fontStep()));
    if (font != QApplication::font())
        ui::changeApplicationFont(font);
}

void ViewMenu::fill(QMenu *menu)
{
    m_layouts = new QActionGroup(this);
    int key = Qt::Key_1;
    for (const Layout layout : kLayouts) {
        QAction *action = m_actions->add(
            menu, layoutTitle(layout), QKeySequence(Qt::CTRL | static_cast<Qt::Key>(key++)),
            Needs::Bundle, [this, layout] { Q_EMIT layoutChosen(layout); });
        action->setCheckable(true);
        action->setData(static_cast<int>(layout));
        m_layouts->addAction(action);
    }
    m_actions->add(menu, tr("&Reset Layout"), Qt::CTRL | Qt::SHIFT | Qt::Key_R, Needs::Bundle,
                   [this] { Q_EMIT resetAsked(); });
    menu->addSeparator();
    addDocks(menu->addMenu(tr("&Docks")));
    addFocus(menu->addMenu(tr("Dock in &Focus")));
    addColumns(menu->addMenu(tr("&Columns of the Table in Focus")));
    addAppearance(menu);
    m_actions->add(menu, tr("&Cancel What Is Running"), Qt::CTRL | Qt::Key_Period, Needs::Bundle,
                   [this] { m_session.tasks().cancelAll(); });
    QAction *full = m_actions->add(menu, tr("&Full Screen"), QKeySequence(Qt::Key_F11), [this] {
        m_window.setWindowState(m_window.windowState() ^ Qt::WindowFullScreen);
    });
    full->setStatusTip(tr("Fill the screen, or go back to a window"));
}

/// By subject; below the docks of one what each can do, but for those that stand in Compare and
/// Help.
void ViewMenu::addDocks(QMenu *menu)
{
    QSet<QString> added;
    const auto addDock = [&](QMenu *part, const DockSet::Entry &entry) {
        part->addAction(entry.show);
        connect(entry.show, &QAction::triggered, this, &ViewMenu::docksAsked);
        m_actions->need(entry.show, Needs::Bundle);
        added.insert(entry.dock->id());
    };
    const auto addGroup = [&](const QString &title, const QString &ids, bool withActions = true) {
        QMenu *group = menu->addMenu(title);
        std::vector<const DockSet::Entry *> entries;
        for (const QString &id : ids.split(u' ')) {
            for (const DockSet::Entry &entry : m_docks->entries()) {
                if (entry.dock->id() == id)
                    entries.push_back(&entry);
            }
        }
        for (const DockSet::Entry *entry : entries)
            addDock(group, *entry);
        group->addSeparator();
        for (const DockSet::Entry *entry : entries) {
            if (!withActions || entry->menuActions.isEmpty())
                continue;
            QMenu *part = group->addMenu(tr("Actions of %1").arg(entry->dock->windowTitle()));
            part->addActions(entry->menuActions);
            m_actions->need(part->menuAction(), Needs::Bundle);
        }
    };
    addGroup(tr("&Weights"), u"bundle overview weight inspector codebook mask search bookmarks"_s);
    addGroup(tr("&Bytes"), u"hex layout patches diagnostics program graph compiled"_s);
    addGroup(tr("&Compare"), u"compare bytes ranges pair places codebooks builds"_s, false);
    addGroup(tr("C&hips"), u"stream assessment roofline timeline calibration geometry plan choose "
                           "targets formats reduction collective"_s);
    addGroup(tr("H&ardware"), u"tasks groups relocations commands descriptor activation"_s);
    for (const DockSet::Entry &entry : m_docks->entries()) {
        if (!added.contains(entry.dock->id()))
            addDock(menu, entry);
    }
}

/// What stands in the title bar of the dock in focus, or at the end of its row of tabs.
void ViewMenu::addFocus(QMenu *menu)
{
    const auto addStanding = [this, menu](const QString &text, Qt::Key key, qsizetype which) {
        m_actions->add(menu, text, QKeySequence(Qt::CTRL | Qt::ALT | key), Needs::Bundle,
                       [this, which] {
                           if (ui::Dock *dock = m_docks->focused())
                               dock->standingActions()[which]->trigger();
                           else
                               Q_EMIT m_session.statusMessage(tr("No dock holds the focus."));
                       });
    };
    addStanding(tr("&Pin or Unpin"), Qt::Key_P, 0);
    addStanding(tr("&Float or Dock"), Qt::Key_F, 1);
    addStanding(tr("&Hide"), Qt::Key_W, 2);
}

/// The same as the context menu of the table's header, for the keyboard.
void ViewMenu::addColumns(QMenu *menu)
{
    m_actions->need(menu->menuAction(), Needs::Bundle);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        m_columns->fillMenu(menu, m_columns->current());
        if (menu->isEmpty())
            menu->addAction(tr("Go to a table first"))->setEnabled(false);
    });
}

void ViewMenu::addAppearance(QMenu *menu)
{
    QMenu *themes = menu->addMenu(tr("&Theme"));
    auto *group = new QActionGroup(this);
    const auto addTheme = [&](const QString &text, ThemeChoice choice) {
        QAction *action =
            m_actions->add(themes, text, {}, [this, choice] { m_theme.choose(choice); });
        action->setCheckable(true);
        action->setChecked(m_theme.choice() == choice);
        group->addAction(action);
    };
    addTheme(tr("&System"), ThemeChoice::System);
    addTheme(tr("&Light"), ThemeChoice::Light);
    addTheme(tr("&Dark"), ThemeChoice::Dark);
    QMenu *text = menu->addMenu(tr("Te&xt Size"));
    m_actions->add(text, tr("&Larger"), Qt::CTRL | Qt::ALT | Qt::Key_Plus,
                   [this] { m_theme.changeFont(1); });
    m_actions->add(text, tr("&Smaller"), Qt::CTRL | Qt::ALT | Qt::Key_Minus,
                   [this] { m_theme.changeFont(-1); });
    m_actions->add(text, tr("&As the System Has It"), Qt::CTRL | Qt::ALT | Qt::Key_0,
                   [this] { m_theme.changeFont(0); });
}

} // namespace kernscope::app

#include "moc_view_menu.cpp"
