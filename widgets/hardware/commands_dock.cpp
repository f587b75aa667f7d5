// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hardware/commands_dock.h"

#include "core/bundle/bundle.h"
#include "core/container/hwx/container.h"
#include "core/report/container_table.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/hardware/hardware_facts.h"
#include "widgets/models/table_text.h"

namespace kernscope::ui {

CommandsDock::CommandsDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("commands"), tr("Commands"), parent),
      m_commands(new FactTreeModel(factColumns(report::commandTable()), this)),
      m_symbols(new FactTreeModel(factColumns(report::symbolTable()), this))
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
    connectView(m_commandView, m_commands);
    connectView(m_symbolView, m_symbols);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &words) {
        m_commands->setFilter(words);
        m_symbols->setFilter(words);
        if (!words.isEmpty())
            m_commandView->expandAll();
    });
}

void CommandsDock::connectView(QTreeView *view, FactTreeModel *model)
{
    connect(view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, model](const QModelIndex &index) {
                const auto bytes = model->bytesOf(index.siblingAtColumn(0));
                if (!m_following && bytes)
                    session().goToBytes(0, *bytes, this);
            });
    connect(view, &QTreeView::activated, this,
            [this] { Q_EMIT raiseRequested(QStringLiteral("hex")); });
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
    auto *hex = dockAction(this, tr("Show in Hex"), {},
                           [this] { Q_EMIT raiseRequested(QStringLiteral("hex")); });
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
        chooseRow(m_commandView, command);
        m_commandView->scrollTo(command);
    }
    if (symbol.isValid()) {
        chooseRow(m_symbolView, symbol);
        m_symbolView->scrollTo(symbol);
    }
}

} // namespace kernscope::ui

#include "moc_commands_dock.cpp"
