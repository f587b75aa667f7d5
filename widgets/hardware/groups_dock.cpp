// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hardware/groups_dock.h"

#include "core/bundle/bundle.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

/// A group of unknown channels is shown as wide as one.
std::uint64_t shownLanes(const GroupRow &row)
{
    return row.runs.empty() ? 1 : row.channels;
}

} // namespace

GroupMap::GroupMap(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Map of the output-channel groups"));
    setAccessibleDescription(tr("A row a core, a cell a group. The table below says the same."));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

void GroupMap::setRows(const std::vector<GroupRow> &rows)
{
    m_rows = rows;
    m_current = -1;
    m_cores = m_width = 0;
    m_widths.clear();
    m_starts.clear();
    for (const GroupRow &row : m_rows) {
        m_cores = std::max(m_cores, row.core + 1);
        if (row.record >= m_widths.size())
            m_widths.resize(row.record + 1);
        m_widths[row.record] = std::max(m_widths[row.record], shownLanes(row));
    }
    for (const std::uint64_t width : m_widths) {
        m_starts.push_back(m_width);
        m_width += width;
    }
    updateGeometry();
    update();
}

QRectF GroupMap::area() const
{
    const double left = theme::em(this, 2.4), margin = theme::em(this, 0.2);
    return {left, margin, std::max(1.0, width() - left - margin),
            std::max(1.0, height() - 2 * margin)};
}

QRectF GroupMap::cellOf(int row) const
{
    if (row < 0 || row >= static_cast<int>(m_rows.size()) || m_width == 0 || m_cores == 0)
        return {};
    const GroupRow &group = m_rows[static_cast<std::size_t>(row)];
    const QRectF all = area();
    const double lane = all.width() / static_cast<double>(m_width);
    const double line = all.height() / static_cast<double>(m_cores);
    return {all.left() + lane * static_cast<double>(m_starts[group.record]),
            all.top() + line * static_cast<double>(group.core),
            lane * static_cast<double>(shownLanes(group)), line};
}

int GroupMap::rowAt(QPointF place) const
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (cellOf(static_cast<int>(i)).contains(place))
            return static_cast<int>(i);
    }
    return -1;
}

void GroupMap::setCurrent(int row)
{
    if (std::exchange(m_current, row) == row)
        return;
    update();
}

QSize GroupMap::sizeHint() const
{
    return {theme::em(this, 24),
            theme::em(this, 1 + static_cast<double>(std::min<std::uint64_t>(m_cores, 16)))};
}

QSize GroupMap::minimumSizeHint() const
{
    // Lines too low to tell apart are of no use.
    const auto lines = static_cast<double>(std::min<std::uint64_t>(m_cores, 16));
    return {theme::em(this, 8), theme::em(this, std::max(3.0, 0.6 * lines + 0.4))};
}

void GroupMap::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const QRectF all = area();
    const double line = m_cores == 0 ? 0 : all.height() / static_cast<double>(m_cores);
    const auto every = static_cast<std::uint64_t>(
        line <= 0 ? 1 : std::max(1.0, std::ceil(fontMetrics().height() / line)));
    painter.setPen(palette().color(QPalette::Text));
    for (std::uint64_t core = 0; core < m_cores; core += every)
        painter.drawText(QRectF(0, all.top() + line * static_cast<double>(core),
                                all.left() - theme::em(this, 0.3), line),
                         Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip, groupedNumber(core));
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const QRectF cell = cellOf(static_cast<int>(i)).adjusted(0.5, 0.5, -0.5, -0.5);
        // Light against dark as well as blue: neighbouring groups differ without their hue.
        painter.fillRect(cell, theme::sequential(m_rows[i].record % 2 == 0 ? 0.35 : 0.6));
        painter.setPen(QPen(palette().color(QPalette::Base), 0));
        const double lane =
            cell.width() / static_cast<double>(std::max<std::uint64_t>(1, m_rows[i].channels));
        for (std::uint64_t l = 1; lane >= 4 && l < m_rows[i].channels; ++l) {
            const double x = cell.left() + lane * static_cast<double>(l);
            painter.drawLine(QPointF(x, cell.top()), QPointF(x, cell.bottom()));
        }
    }
    if (m_current >= 0) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(palette().color(hasFocus() ? QPalette::Highlight : QPalette::Text), 2));
        painter.drawRect(cellOf(m_current).adjusted(1, 1, -1, -1));
    }
}

void GroupMap::mousePressEvent(QMouseEvent *event)
{
    const int row = rowAt(event->position());
    if (event->button() != Qt::LeftButton || row < 0)
        return QWidget::mousePressEvent(event);
    setCurrent(row);
    Q_EMIT picked(row);
}

void GroupMap::keyPressEvent(QKeyEvent *event)
{
    const int key = event->key();
    if (m_rows.empty() || (key != Qt::Key_Left && key != Qt::Key_Right && key != Qt::Key_Up &&
                           key != Qt::Key_Down && key != Qt::Key_Home && key != Qt::Key_End))
        return QWidget::keyPressEvent(event);
    const int last = static_cast<int>(m_rows.size()) - 1;
    int row = std::clamp(m_current, 0, last);
    if (key == Qt::Key_Home || key == Qt::Key_End) {
        row = key == Qt::Key_Home ? 0 : last;
    } else if (m_current >= 0) {
        const QRectF cell = cellOf(row);
        const double across = key == Qt::Key_Left ? -1 : key == Qt::Key_Right ? 1 : 0;
        const double down = key == Qt::Key_Up ? -1 : key == Qt::Key_Down ? 1 : 0;
        const QPointF probe(across < 0   ? cell.left() - 1
                            : across > 0 ? cell.right() + 1
                                         : cell.center().x(),
                            cell.center().y() + down * cell.height());
        row = rowAt(probe);
    }
    if (row < 0)
        return;
    setCurrent(row);
    Q_EMIT picked(row);
}

bool GroupMap::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const int row = rowAt(help->pos());
    if (row < 0) {
        QToolTip::hideText();
        return true;
    }
    const GroupRow &group = m_rows[static_cast<std::size_t>(row)];
    QToolTip::showText(help->globalPos(),
                       tr("Core %1, group %2: channels %3; %4 bytes at %5")
                           .arg(groupedNumber(group.core), groupedNumber(group.record),
                                fromUtf8(report::channelsText(group)),
                                groupedNumber(group.bytes.bytes.value),
                                hexNumber(group.bytes.offset.value)),
                       this);
    return true;
}

GroupsDock::GroupsDock(Session &session, QWidget *parent)
    : Dock(session, u"groups"_s, tr("Groups"), parent), m_model(new GroupModel(this))
{
    auto *content = new QWidget(this);
    m_summary = new QLabel(content);
    m_summary->setWordWrap(true);
    m_map = new GroupMap(content);
    m_table = makeTable(content, tr("Records of the output-channel groups"), m_model);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->sortByColumn(m_model->columnOf("channels"), Qt::AscendingOrder);
    laidOut(contentColumn(content),
            {m_summary, {parted(Qt::Vertical, {{m_map, 2}, {m_table, 3}}), 1}});
    setContent(content, m_table);
    connect(m_map, &GroupMap::picked, this, &GroupsDock::pick);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &current) {
                if (!m_selecting && current.isValid())
                    pick(static_cast<int>(m_model->sourceRow(current.row())));
            });
    connect(m_table, &QTableView::activated, this, &GroupsDock::raiseHex);
    m_actions = {
        copyAction(this, tr("Copy Rows"), m_table), hexAction(),
        exportAction(this, session, tr("Export Table of Groups\u2026"), *m_model, "groups")};
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
                  "hardware containers (.hwx). Open one, or build a section: Tools, Build a Weight "
                  "Section\u2026");
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
        tr("%1: %2 (cells) on %3 (rows), %4 of coefficients")
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
    const QScopedValueRollback guard(m_selecting, true);
    if (row < 0)
        m_table->clearSelection();
    else
        chooseRow(m_table, m_model->index(m_model->rowOf(static_cast<std::size_t>(row)), 0));
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
