// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hardware/groups_dock.h"

#include "core/bundle/bundle.h"
#include "core/container/section/section.h"
#include "widgets/common/absent_columns.h"
#include "widgets/common/counted_words.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/hardware/group_map.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <set>

namespace kernscope::ui {

GroupsDock::GroupsDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("groups"), tr("Groups"), parent), m_model(new GroupModel(this))
{
    auto *content = new QWidget(this);
    m_summary = new QLabel(content);
    m_summary->setWordWrap(true);
    m_map = new GroupMap(content);
    m_table = new QTableView(content);
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Records of the output-channel groups"));
    prepareTable(m_table);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->sortByColumn(m_model->columnOf("channels"), Qt::AscendingOrder);
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
                    pick(static_cast<int>(m_model->sourceRow(current.row())));
            });
    const auto showHex = [this] { Q_EMIT raiseRequested(QStringLiteral("hex")); };
    connect(m_table, &QTableView::activated, this, showHex);
    m_actions = {
        dockAction(this, tr("Copy Rows"), QKeySequence::Copy, [this] { copySelection(*m_table); }),
        dockAction(this, tr("Show in Hex"), {}, showHex),
        exportAction(this, session, tr("Export Table of Groups\u2026"), *m_model,
                     QStringLiteral("groups"))};
    m_table->addActions(m_actions);
}

void GroupsDock::refresh()
{
    showWeight(place().weight);
    followPlace();
}

void GroupsDock::follow(const Place &place, QObject *origin)
{
    if (place.weight != m_weight)
        showWeight(place.weight);
    const BundlePtr bundle = session().bundle();
    if (origin == this || !bundle || m_weight >= bundle->weights().size())
        return;
    if (!place.element) {
        if (place.bytes && place.file == 0)
            select(m_model->rowOfByte(place.bytes->offset));
        return;
    }
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
        showMessage(needed());
        return;
    }
    m_selecting = true;
    m_model->setRows(std::move(rows));
    // The copies lie elsewhere, and hold the same channels of the same cores.
    const auto &all = m_model->rows();
    const std::vector<GroupRow> first(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(m_model->rowsWithoutCopies()));
    m_summary->setText(summaryOf(bundle->weights()[weight], first));
    m_map->setRows(first);
    hideAbsentColumns(*m_table->horizontalHeader(), *m_model);
    m_table->resizeColumnsToContents();
    m_selecting = false;
    showContent();
}

/// Why there is nothing to show.
QString GroupsDock::needed() const
{
    const BundlePtr bundle = session().bundle();
    if (!bundle || (!bundle->section() && !bundle->hardware()))
        return tr("Output-channel groups are part of weight sections (.ksec) and of the kernels of "
                  "hardware containers (.hwx). Open one, or build a section with "
                  "\"kernscope-cli section build\".");
    if (m_weight >= bundle->weights().size())
        return bundle->weights().empty() ? tr("%1 loads no weights: its tasks have no kernels.")
                                               .arg(fromUtf8(bundle->name()))
                                         : tr("Choose a weight of this file to see its groups.");
    const Weight &weight = bundle->weights()[m_weight];
    return weight.role == WeightRole::ActivationTable
               ? tr("%1 is an activation table: one function for all output channels, dealt to no "
                    "core.")
                     .arg(fromUtf8(weight.name))
               : tr("%1 is not dealt to cores by groups that could be read.")
                     .arg(fromUtf8(weight.name));
}

QString GroupsDock::summaryOf(const Weight &weight, const std::vector<GroupRow> &rows) const
{
    const BundlePtr bundle = session().bundle();
    std::set<std::uint64_t> cores;
    std::uint64_t bytes = 0;
    for (const GroupRow &row : rows) {
        cores.insert(row.core);
        bytes += row.bytes.bytes.value;
    }
    QString text =
        tr("%1: %2 on %3, %4 of coefficients")
            .arg(fromUtf8(weight.name), countedWords(rows.size(), tr("1 group"), tr("%1 groups")),
                 countedWords(cores.size(), tr("1 engine core"), tr("%1 engine cores")),
                 countedWords(bytes, tr("1 byte"), tr("%1 bytes")));
    if (bundle->section())
        return text + (bundle->section()->resolved() ? tr("; addresses are filled in.")
                                                     : tr("; addresses are open."));
    const Dealing &dealing = weight.dealing;
    if (dealing.order == OrderState::Assumed)
        text += tr("; ~ order of the coefficients assumed");
    if (dealing.order == OrderState::Unknown)
        text += tr("; order of the coefficients not known");
    if (dealing.copies > 1)
        text += tr("; %1 copies of the slices in all").arg(dealing.copies);
    if (!dealing.sliceLaw.empty())
        text += tr("; a slice: %1").arg(fromUtf8(dealing.sliceLaw));
    return text + u'.';
}

void GroupsDock::select(int row)
{
    const auto shown = static_cast<int>(m_model->rowsWithoutCopies());
    m_map->setCurrent(row < 0 || shown == 0 ? row : row % shown);
    m_selecting = true;
    if (row < 0)
        m_table->clearSelection();
    else
        chooseRow(m_table, m_model->index(m_model->rowOf(static_cast<std::size_t>(row)), 0));
    m_selecting = false;
}

void GroupsDock::pick(int row)
{
    if (row < 0 || static_cast<std::size_t>(row) >= m_model->rows().size())
        return;
    select(row);
    const GroupRow &group = m_model->rows()[static_cast<std::size_t>(row)];
    const ByteRange record{FileOffset(group.recordOffset), ByteCount(section::kRecordBytes)};
    Place place;
    place.weight = m_weight;
    place.file = 0;
    place.bytes = group.bytes.bytes.value == 0 ? record : group.bytes;
    session().goTo(place, this);
}

} // namespace kernscope::ui

#include "moc_groups_dock.cpp"
