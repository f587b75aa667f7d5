// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/task_list_model.h"

#include "core/container/hwx/kernels.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <algorithm>
#include <numeric>

namespace kernscope::ui {

namespace {

/// "?" where it is not known, as the command line has it.
QString extentText(const std::optional<std::uint32_t> &extent)
{
    return extent ? groupedNumber(*extent) : QStringLiteral("?");
}

std::uint64_t orderOf(const std::optional<std::uint32_t> &extent)
{
    return extent ? std::min<std::uint64_t>(std::uint64_t(*extent) + 1, UINT32_MAX) : 0;
}

} // namespace

std::vector<TaskRow> readTaskRows(const Bundle &bundle, Progress &progress)
{
    std::vector<TaskRow> rows;
    const auto &container = bundle.hardware();
    if (!container)
        return rows;
    progress.setTotal(container->taskCount());
    const auto bytes = bundle.files().front().file->bytes();
    const auto tiles = hwx::kernelTiles(*container);
    rows.reserve(container->taskCount());
    for (std::size_t t = 0; t < container->texts.size(); ++t) {
        const hwx::Text &text = container->texts[t];
        const hwx::Section *section = container->section(text.section);
        if (section == nullptr || !section->bytes || text.tasks->tasks.empty())
            continue;
        const ByteRange range = *section->bytes;
        descriptor::TaskReader reader(bytes.subspan(range.offset.value, range.bytes.value),
                                      *text.tasks);
        const hwx::LaneFinder finder(*container, text, tiles);
        descriptor::TaskDetail detail;
        for (std::size_t i = 0; i < text.tasks->tasks.size(); ++i) {
            if (!progress.advance(1))
                return rows;
            reader.before(i);
            reader.read(i, detail);
            const auto value = [&](const char *role) {
                return hwx::roleValue(detail, reader, role);
            };
            TaskRow row;
            row.text = static_cast<std::uint32_t>(t);
            row.index = static_cast<std::uint32_t>(i);
            row.fileOffset = range.offset.value + detail.task.offset;
            row.bytes = static_cast<std::uint32_t>(detail.task.bytes());
            row.records = static_cast<std::uint32_t>(detail.stream.packets.size());
            row.stream = detail.task.stream;
            row.cin = value("cin");
            row.cout = value("cout");
            row.kernelWidth = value("Kw");
            row.kernelHeight = value("Kh");
            row.exact = detail.stream.exact;
            for (const hwx::KernelLane &lane : finder.lanes(detail, reader))
                row.lanes += lane.enabled ? 1 : 0;
            rows.push_back(row);
        }
    }
    return rows;
}

TaskListModel::TaskListModel(QObject *parent) : ChosenRowsModel(parent) {}

void TaskListModel::setTasks(std::vector<TaskRow> tasks)
{
    beginResetModel();
    m_tasks = std::move(tasks);
    chooseRows();
    endResetModel();
}

void TaskListModel::chooseRows()
{
    const QStringList words = filter().split(u' ', Qt::SkipEmptyParts);
    m_rows.clear();
    for (std::size_t i = 0; i < m_tasks.size(); ++i) {
        QString text;
        for (int column = 0; !words.isEmpty() && column < ColumnCount; ++column)
            text += textOf(m_tasks[i], column) + u' ';
        const bool kept = std::all_of(words.begin(), words.end(), [&text](const QString &word) {
            return text.contains(word, Qt::CaseInsensitive);
        });
        if (kept)
            m_rows.push_back(static_cast<std::uint32_t>(i));
    }
    if (sortColumn() >= 0) {
        std::stable_sort(m_rows.begin(), m_rows.end(), [this](std::uint32_t a, std::uint32_t b) {
            const auto x = numberOf(m_tasks[a], sortColumn());
            const auto y = numberOf(m_tasks[b], sortColumn());
            return sortOrder() == Qt::AscendingOrder ? x < y : y < x;
        });
    }
    m_rowOf.assign(m_tasks.size(), -1);
    for (std::size_t row = 0; row < m_rows.size(); ++row)
        m_rowOf[m_rows[row]] = static_cast<std::int32_t>(row);
}

const TaskRow *TaskListModel::taskAt(int row) const
{
    return row < 0 || static_cast<std::size_t>(row) >= m_rows.size()
               ? nullptr
               : &m_tasks[m_rows[static_cast<std::size_t>(row)]];
}

std::size_t TaskListModel::numberAt(int row) const
{
    return row < 0 || static_cast<std::size_t>(row) >= m_rows.size()
               ? kNoIndex
               : m_rows[static_cast<std::size_t>(row)];
}

int TaskListModel::rowOf(std::size_t task) const
{
    return task < m_rowOf.size() ? m_rowOf[task] : -1;
}

std::size_t TaskListModel::taskOfByte(FileOffset offset) const
{
    const auto behind = std::upper_bound(
        m_tasks.begin(), m_tasks.end(), offset.value,
        [](std::uint64_t at, const TaskRow &task) { return at < task.fileOffset; });
    if (behind == m_tasks.begin())
        return kNoIndex;
    const TaskRow &task = *std::prev(behind);
    return offset.value - task.fileOffset < task.bytes
               ? static_cast<std::size_t>(std::prev(behind) - m_tasks.begin())
               : kNoIndex;
}

int TaskListModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int TaskListModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

std::uint64_t TaskListModel::numberOf(const TaskRow &task, int column) const
{
    switch (column) {
    case Number: return std::uint64_t(task.text) << 32 | task.index;
    case Offset: return task.fileOffset;
    case Bytes: return task.bytes;
    case Records: return task.records;
    case Stream: return task.stream;
    // What is not known comes before what is 0.
    case Channels: return orderOf(task.cout) << 32 | orderOf(task.cin);
    case Kernel: return orderOf(task.kernelHeight) << 32 | orderOf(task.kernelWidth);
    default: return task.lanes;
    }
}

QString TaskListModel::textOf(const TaskRow &task, int column) const
{
    switch (column) {
    case Number: return QString::number(task.index);
    case Offset: return hexNumber(task.fileOffset);
    case Bytes: return groupedNumber(task.bytes);
    case Records: return QString::number(task.records);
    case Stream: return QString::number(task.stream);
    case Channels:
        return QStringLiteral("%1 \u2192 %2").arg(extentText(task.cin), extentText(task.cout));
    case Kernel:
        return QStringLiteral("%1\u00D7%2")
            .arg(extentText(task.kernelHeight), extentText(task.kernelWidth));
    default: return task.lanes == 0 ? QStringLiteral("\u2013") : QString::number(task.lanes);
    }
}

QVariant TaskListModel::data(const QModelIndex &index, int role) const
{
    const TaskRow *task = index.isValid() ? taskAt(index.row()) : nullptr;
    if (task == nullptr)
        return {};
    switch (role) {
    case Qt::DisplayRole:
    case CopyRole: {
        const QString text = textOf(*task, index.column());
        return role == Qt::DisplayRole && index.column() == Number && !task->exact
                   ? text + u' ' + theme::glyph(Token::MarkContested)
                   : text;
    }
    case SortRole: return QVariant::fromValue(quint64(numberOf(*task, index.column())));
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return task->exact ? textOf(*task, index.column())
                           : tr("Its records do not end where the task ends.");
    default: return {};
    }
}

QVariant TaskListModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    struct Title {
        const char *text, *toolTip;
    };
    static constexpr Title kTitles[ColumnCount] = {
        {QT_TR_NOOP("task"), QT_TR_NOOP("Number of the task in its text section")},
        {QT_TR_NOOP("offset"), QT_TR_NOOP("Where the task begins in the file")},
        {QT_TR_NOOP("bytes"), QT_TR_NOOP("Header and records")},
        {QT_TR_NOOP("records"), QT_TR_NOOP("Register records")},
        {QT_TR_NOOP("stream"), QT_TR_NOOP("Tasks of one stream carry register state")},
        {QT_TR_NOOP("channels"), QT_TR_NOOP("Input and output channels")},
        {QT_TR_NOOP("kernel"), QT_TR_NOOP("Height and width of the kernel")},
        {QT_TR_NOOP("lanes"), QT_TR_NOOP("Engines whose coefficient DMA is enabled")}};
    if (role == Qt::DisplayRole)
        return headerTitle(tr(kTitles[section].text));
    if (role == Qt::ToolTipRole)
        return tr(kTitles[section].toolTip);
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

} // namespace kernscope::ui
