// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hardware/container_docks.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/report/container_table.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/hardware/hardware_facts.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

RelocationsDock::RelocationsDock(Session &session, QWidget *parent)
    : Dock(session, u"relocations"_s, tr("Relocations"), parent),
      m_model(new FactTreeModel(factColumns(report::slotTable), this))
{
    auto *content = new QWidget(this);
    const int gap = theme::em(this, 0.25);
    QVBoxLayout *column = contentColumn(content);
    m_view = factTable(content, m_model, tr("Relocation slots"));
    setColumnWidths(m_view->header(), {5.5, 3, 6.5, 16, 11, 13, 4.5, 6.5, 8});
    auto *bar = new QHBoxLayout;
    bar->setSpacing(gap);
    buildBar(bar, content);
    m_filter = filterBox(content, tr("Filter by register, role or target"), m_view);
    m_state = selectableLabel(content);
    laidOut(column, {bar, m_filter, {m_view, 1}, m_state});
    setContent(content, m_view);
    buildActions();
    connect(m_filter, &QLineEdit::textChanged, m_model, &FactTreeModel::setFilter);
    leadToBytes(m_view, m_model);
}

void RelocationsDock::buildBar(QBoxLayout *bar, QWidget *parent)
{
    auto *label = new QLabel(tr("&Load at:"), parent);
    m_address = named(new QLineEdit(u"0x10000000"_s, parent), tr("Device address of the image"));
    m_address->setToolTip(tr("Device address that the image's first segment gets: at most 42 bits, "
                             "a multiple of 64"));
    takeNumbers(m_address, {true, false, 0});
    label->setBuddy(m_address);
    m_load = new QPushButton(tr("Load"), parent);
    m_load->setToolTip(tr("Show what a loader would write; nothing is written into the file"));
    m_strip = new QPushButton(tr("Strip"), parent);
    m_strip->setToolTip(tr("Of an image that was loaded there: show its words without the load"));
    m_back = new QPushButton(tr("Take Back"), parent);
    m_back->setToolTip(tr("Forget what was computed"));
    bar->addWidget(label);
    bar->addWidget(m_address, 1);
    bar->addWidget(m_load);
    bar->addWidget(m_strip);
    bar->addWidget(m_back);
    connect(m_address, &QLineEdit::returnPressed, this, [this] { load(m_address->text()); });
    connect(m_load, &QPushButton::clicked, this, [this] { load(m_address->text()); });
    connect(m_strip, &QPushButton::clicked, this, [this] { strip(m_address->text()); });
    connect(m_back, &QPushButton::clicked, this, &RelocationsDock::takeBack);
}

void RelocationsDock::buildActions()
{
    auto *find = findAction(this, tr("Filter Slots"), m_filter);
    auto *copy = copyAction(this, tr("Copy Rows"), m_view);
    auto *hex = hexAction();
    auto *loadAt = dockAction(this, tr("Load at Address"), {}, [this] { load(m_address->text()); });
    auto *stripAt =
        dockAction(this, tr("Strip from Address"), {}, [this] { strip(m_address->text()); });
    auto *back = dockAction(this, tr("Take Load Back"), {}, [this] { takeBack(); });
    auto *save = exportAction(this, session(), tr("Export Table of Slots…"), *m_model, "slots");
    m_actions = {find, copy, hex, loadAt, stripAt, back, save};
    m_view->addActions(m_actions);
}

void RelocationsDock::refresh()
{
    const BundlePtr bundle = session().bundle();
    m_shown = bundle;
    m_places.clear();
    m_loaded.clear();
    if (!bundle || !bundle->hardware()) {
        m_model->setRows({});
        showMessage(bundle && bundle->section()
                        ? tr("The slots of %1 stand with its groups, in Groups "
                             "(Ctrl+Alt+5).\n\"kernscope-cli section relocate\" fills them in.")
                              .arg(fromUtf8(bundle->name()))
                    : bundle
                        ? tr("%1 has no relocation slots.\nOpen a hardware container (.hwx).")
                              .arg(fromUtf8(bundle->name()))
                        : tr("Open a hardware container to see its relocation slots (Ctrl+O)."));
        return;
    }
    {
        const BundleReadLock lock(*bundle);
        m_places = hwx::relocationSlots(*bundle->hardware(), bundle->files().front().file->bytes());
    }
    if (m_places.empty()) {
        m_model->setRows({});
        showMessage(tr("No word of %1 is left for the loader.").arg(fromUtf8(bundle->name())));
        return;
    }
    m_state->setText(countedWords(m_places.size(), tr("1 slot"), tr("%1 slots")));
    showRows();
    showContent();
    followPlace();
}

void RelocationsDock::showRows()
{
    m_following = true;
    // A view that got the focus has a current row that the user did not choose.
    const QModelIndex current = m_view->currentIndex().siblingAtColumn(0);
    const auto bytes =
        m_view->selectionModel()->isSelected(current) ? m_model->bytesOf(current) : std::nullopt;
    const int scrolled = m_view->verticalScrollBar()->value();
    m_model->setRows(slotRows(m_places, m_loaded));
    if (bytes)
        chooseRow(m_view, m_model->indexOfBytes(*bytes));
    m_view->verticalScrollBar()->setValue(scrolled);
    m_following = false;
    m_back->setEnabled(!m_loaded.empty());
}

std::optional<std::uint64_t> RelocationsDock::addressOf(const QString &text)
{
    const auto value = typedInteger(text);
    if (value && *value >= 0)
        return static_cast<std::uint64_t>(*value);
    m_state->setText(
        value ? tr("Not an address: %1").arg(text)
              : tr("Not an address: %1. %2").arg(text, fromUtf8(describe(value.error()))));
    return std::nullopt;
}

void RelocationsDock::report(const std::vector<hwx::LoadedSlot> &loaded, const QString &done)
{
    const auto faults = std::ranges::count_if(
        loaded, [](const hwx::LoadedSlot &slot) { return slot.fault.has_value(); });
    const auto changed = std::ranges::count_if(loaded, &hwx::LoadedSlot::changes);
    QString text = done.arg(changed).arg(loaded.size());
    if (faults > 0) {
        const auto first = std::ranges::find_if(
            loaded, [](const hwx::LoadedSlot &slot) { return slot.fault.has_value(); });
        text += tr(" · %1 refused: %2").arg(faults).arg(fromUtf8(first->fault->message));
    }
    m_state->setText(text);
}

void RelocationsDock::load(const QString &address)
{
    const auto base = addressOf(address);
    if (!base || !m_shown || !m_shown->hardware())
        return;
    m_loaded = hwx::computeLoad(*m_shown->hardware(), m_places, {*base});
    showRows();
    report(m_loaded, tr("%1 of %2 slots change; the others keep their words, for the engine adds "
                        "their aperture itself"));
}

void RelocationsDock::strip(const QString &address)
{
    const auto base = addressOf(address);
    if (!base || !m_shown || !m_shown->hardware())
        return;
    m_loaded = hwx::computeStrip(*m_shown->hardware(), m_places, {*base});
    showRows();
    report(m_loaded, tr("%1 of %2 slots would lose their target's address"));
}

void RelocationsDock::takeBack()
{
    m_loaded.clear();
    showRows();
    m_state->setText(countedWords(m_places.size(), tr("1 slot"), tr("%1 slots")));
}

void RelocationsDock::follow(const Place &place, QObject *origin)
{
    if (origin == this || !place.bytes || !m_shown || !m_shown->hardware())
        return;
    const QModelIndex index = m_model->indexOfBytes(*place.bytes);
    if (!index.isValid() || index == m_view->currentIndex().siblingAtColumn(0))
        return;
    const QScopedValueRollback guard(m_following, true);
    revealRow(m_view, index);
}

CommandsDock::CommandsDock(Session &session, QWidget *parent)
    : Dock(session, u"commands"_s, tr("Commands"), parent),
      m_commands(new FactTreeModel(factColumns(report::commandTable), this)),
      m_symbols(new FactTreeModel(factColumns(report::symbolTable), this))
{
    auto *content = new QWidget(this);
    QVBoxLayout *column = contentColumn(content);
    m_tabs = new QTabWidget(content);
    m_tabs->setDocumentMode(true);
    m_commandView = factView(m_tabs, m_commands, tr("Load commands"));
    setColumnWidths(m_commandView->header(), {20, 14, 22, 6});
    m_symbolView = factTable(m_tabs, m_symbols, tr("Symbols"));
    setColumnWidths(m_symbolView->header(), {24, 11, 5, 8, 24});
    m_tabs->addTab(m_commandView, tr("Commands"));
    m_tabs->addTab(m_symbolView, tr("Symbols"));
    m_filter = filterBox(content, tr("Filter commands and symbols"), m_tabs);
    column->addWidget(m_filter);
    column->addWidget(m_tabs, 1);
    setContent(content, m_commandView);
    buildActions();
    leadToBytes(m_commandView, m_commands);
    leadToBytes(m_symbolView, m_symbols);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &words) {
        m_commands->setFilter(words);
        m_symbols->setFilter(words);
        if (!words.isEmpty())
            m_commandView->expandAll();
    });
}

QTreeView *CommandsDock::shownView() const
{
    return m_tabs->currentIndex() == 0 ? m_commandView : m_symbolView;
}

void CommandsDock::buildActions()
{
    auto *find = findAction(this, tr("Filter Commands and Symbols"), m_filter);
    auto *copy = dockAction(this, tr("Copy Rows"), QKeySequence::Copy,
                            [this] { copySelection(*shownView()); });
    auto *hex = hexAction();
    auto *save =
        exportAction(this, session(), tr("Export Table of Commands…"), *m_commands, "commands");
    auto *saveSymbols =
        exportAction(this, session(), tr("Export Table of Symbols…"), *m_symbols, "symbols");
    m_actions = {find, copy, hex, save, saveSymbols};
    m_commandView->addActions(m_actions);
    m_symbolView->addActions(m_actions);
}

void CommandsDock::refresh()
{
    const BundlePtr &bundle = session().bundle();
    m_following = true;
    if (!bundle || !bundle->hardware() || bundle->hardware()->commands.empty()) {
        m_commands->setRows({});
        m_symbols->setRows({});
        m_following = false;
        showMessage(bundle && bundle->section()
                        ? tr("%1 is a weight section: it has no load commands.\nOutput-Channel "
                             "Groups (Ctrl+Alt+5) and Descriptor (Ctrl+Alt+4) show what it has.")
                              .arg(fromUtf8(bundle->name()))
                    : bundle ? tr("%1 has no load commands.\nOpen a hardware container (.hwx).")
                                   .arg(fromUtf8(bundle->name()))
                             : tr("Open a hardware container to see its commands (Ctrl+O)."));
        return;
    }
    {
        const BundleReadLock lock(*bundle);
        m_commands->setRows(commandRows(*bundle));
        m_symbols->setRows(symbolRows(*bundle));
    }
    m_following = false;
    m_tabs->setTabText(1, tr("Symbols (%1)").arg(bundle->hardware()->symbols.size()));
    showContent();
    followPlace();
}

void CommandsDock::follow(const Place &place, QObject *origin)
{
    if (origin == this || !place.bytes)
        return;
    const QScopedValueRollback guard(m_following, true);
    const QModelIndex command = m_commands->indexOfBytes(*place.bytes);
    const QModelIndex symbol = m_symbols->indexOfBytes(*place.bytes);
    if (command.isValid()) {
        revealRow(m_commandView, command);
    }
    if (symbol.isValid()) {
        revealRow(m_symbolView, symbol);
    }
}

} // namespace kernscope::ui

#include "moc_container_docks.cpp"
