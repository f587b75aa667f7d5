// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/docks/groups_dock.h"

#include "core/container/section/section.h"
#include "widgets/models/table_text.h"
#include "widgets/theme/theme.h"
#include "widgets/views/group_map.h"

#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

namespace kernscope::ui {

GroupsDock::GroupsDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("groups"), tr("Output-Channel Groups"), parent),
      m_model(new GroupModel(this)), m_sorted(new QSortFilterProxyModel(this))
{
    auto *content = new QWidget(this);
    m_summary = new QLabel(content);
    m_summary->setWordWrap(true);
    m_map = new GroupMap(content);
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(SortRole);
    m_table = new QTableView(content);
    m_table->setModel(m_sorted);
    m_table->setAccessibleName(tr("Records of the output-channel groups"));
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(GroupModel::ChannelsColumn, Qt::AscendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(theme::em(this, 1.4));
    auto *parts = new QSplitter(Qt::Vertical, content);
    parts->addWidget(m_map);
    parts->addWidget(m_table);
    parts->setStretchFactor(0, 2);
    parts->setStretchFactor(1, 3);
    parts->setChildrenCollapsible(false);
    auto *layout = new QVBoxLayout(content);
    const int margin = theme::em(this, 0.3);
    layout->setContentsMargins(margin, margin, margin, margin);
    layout->addWidget(m_summary);
    layout->addWidget(parts, 1);
    setContent(content);
    content->setFocusProxy(m_table);
    connect(m_map, &GroupMap::picked, this, &GroupsDock::pick);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &current) {
                if (!m_selecting && current.isValid())
                    pick(m_sorted->mapToSource(current).row());
            });
}

void GroupsDock::refresh()
{
    showWeight(session().place().weight);
}

void GroupsDock::follow(const Place &place, QObject *origin)
{
    if (place.weight != m_weight)
        showWeight(place.weight);
    const BundlePtr bundle = session().bundle();
    if (origin == this || !bundle || !place.element || m_weight >= bundle->weights().size())
        return;
    const Weight &weight = bundle->weights()[m_weight];
    const std::uint64_t outputs = weight.shape.empty() ? 0 : weight.shape.front();
    if (outputs > 0 && *place.element < weight.elements.value)
        select(m_model->rowOfChannel(*place.element / (weight.elements.value / outputs)));
}

void GroupsDock::showWeight(std::size_t weight)
{
    m_weight = weight;
    const BundlePtr bundle = session().bundle();
    auto rows = bundle ? groupRows(*bundle, weight) : std::vector<GroupRow>();
    if (rows.empty()) {
        m_model->setRows({});
        m_map->setRows({});
        showMessage(bundle && bundle->section()
                        ? tr("Choose a weight of this section to see its groups.")
                        : tr("Output-channel groups are part of weight sections (.ksec). Open one, "
                             "or build one with \"kernscope-cli section build\"."));
        return;
    }
    std::uint64_t cores = 0, bytes = 0;
    for (const GroupRow &row : rows) {
        cores = std::max(cores, row.core + 1);
        bytes += row.bytes.bytes.value;
    }
    m_summary->setText(tr("%1: %2 groups on %3 cores, %4 bytes of coefficients; %5.")
                           .arg(fromUtf8(bundle->weights()[weight].name),
                                groupedNumber(rows.size()), groupedNumber(cores),
                                groupedNumber(bytes),
                                bundle->section()->resolved() ? tr("addresses are filled in")
                                                              : tr("addresses are open")));
    m_map->setRows(rows);
    m_selecting = true;
    m_model->setRows(std::move(rows));
    m_table->resizeColumnsToContents();
    m_selecting = false;
    showContent();
}

void GroupsDock::select(int row)
{
    m_map->setCurrent(row);
    m_selecting = true;
    if (row < 0)
        m_table->clearSelection();
    else
        m_table->setCurrentIndex(m_sorted->mapFromSource(m_model->index(row, 0)));
    m_selecting = false;
}

void GroupsDock::pick(int row)
{
    if (row < 0 || static_cast<std::size_t>(row) >= m_model->rows().size())
        return;
    select(row);
    const GroupRow &group = m_model->rows()[static_cast<std::size_t>(row)];
    const ByteRange record{FileOffset(group.recordOffset), ByteCount(56)};
    Place place;
    place.weight = m_weight;
    place.file = 0;
    place.bytes = group.bytes.bytes.value == 0 ? record : group.bytes;
    session().goTo(place, this);
}

} // namespace kernscope::ui
