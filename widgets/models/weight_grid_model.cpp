// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/weight_grid_model.h"

#include "core/compare/element_changes.h"
#include "widgets/models/table_text.h"

#include <QTimer>

namespace kernscope::ui {

namespace {

constexpr int kBlocksKept = 512;
constexpr std::size_t kBlocksAtOnce = 16;
constexpr int kRetryMilliseconds = 500;

/// First cell of the window that shows `at`: a multiple of half a window.
std::uint64_t windowStart(std::uint64_t at, std::uint64_t count, std::uint64_t window)
{
    if (count <= window)
        return 0;
    const std::uint64_t half = window / 2;
    const std::uint64_t start = at / half * half;
    return start >= half ? start - half : 0;
}

unsigned hexDigits(const Weight &weight)
{
    for (const codec::Operand &operand : weight.operands()) {
        const bool payload =
            operand.role == codec::PartRole::Data || operand.role == codec::PartRole::NonzeroData;
        if (payload && isFloatingPoint(operand.type))
            return bitWidth(operand.type) / 4;
    }
    return 0;
}

} // namespace

WeightGridModel::WeightGridModel(TaskManager &tasks, QObject *parent)
    : QAbstractTableModel(parent), m_tasks(tasks), m_blocks(kBlocksKept)
{
    // Cancelled with everything else: what is on view is still missing. What ended by an exception
    // would do so again.
    connect(&tasks, &TaskManager::changed, this, [this] {
        if (!m_task || !m_task->progress().cancelled())
            return;
        const bool failed = !m_task->fault().isEmpty();
        m_task.reset();
        if (failed) {
            m_wanted.clear();
            Q_EMIT loaded();
            return;
        }
        QTimer::singleShot(kRetryMilliseconds, this, &WeightGridModel::startReading);
    });
}

WeightGridModel::~WeightGridModel()
{
    if (m_task)
        m_task->cancel();
}

void WeightGridModel::setReader(WeightReaderPtr reader, bool sameCells)
{
    if (m_task)
        m_task->cancel();
    m_task.reset();
    m_wanted.clear();
    ++m_generation;
    if (sameCells && reader && m_reader && reader->map() == m_reader->map()) {
        m_reader = std::move(reader);
        if (m_rows > 0 && m_cols > 0)
            Q_EMIT dataChanged(index(0, 0), index(m_rows - 1, m_cols - 1));
        return;
    }
    beginResetModel();
    m_reader = std::move(reader);
    m_blocks.clear();
    m_firstRow = m_firstCol = 0;
    m_codeDigits = m_reader ? hexDigits(m_reader->weight()) : 0;
    const std::uint64_t rows = m_reader ? m_reader->map().rows() : 0;
    const std::uint64_t cols = m_reader ? m_reader->map().cols() : 0;
    m_rows = static_cast<int>(std::min(rows, kMaxRows));
    m_cols = static_cast<int>(std::min(cols, kMaxCols));
    endResetModel();
}

bool WeightGridModel::windowed() const
{
    return m_reader && (m_reader->map().rows() > kMaxRows || m_reader->map().cols() > kMaxCols);
}

void WeightGridModel::reveal(std::uint64_t row, std::uint64_t col)
{
    if (!m_reader || indexOf(row, col).isValid())
        return;
    const SliceMap &map = m_reader->map();
    if (row >= map.rows() || col >= map.cols())
        return;
    beginResetModel();
    m_firstRow = windowStart(row, map.rows(), kMaxRows);
    m_firstCol = windowStart(col, map.cols(), kMaxCols);
    m_rows = static_cast<int>(std::min(map.rows() - m_firstRow, kMaxRows));
    m_cols = static_cast<int>(std::min(map.cols() - m_firstCol, kMaxCols));
    endResetModel();
}

QModelIndex WeightGridModel::indexOf(std::uint64_t row, std::uint64_t col) const
{
    if (row < m_firstRow || col < m_firstCol || row - m_firstRow >= static_cast<unsigned>(m_rows) ||
        col - m_firstCol >= static_cast<unsigned>(m_cols))
        return {};
    return index(static_cast<int>(row - m_firstRow), static_cast<int>(col - m_firstCol));
}

std::optional<std::uint64_t> WeightGridModel::elementAt(const QModelIndex &index) const
{
    if (!index.isValid() || !m_reader)
        return std::nullopt;
    return m_reader->map().element(m_firstRow + static_cast<unsigned>(index.row()),
                                   m_firstCol + static_cast<unsigned>(index.column()));
}

int WeightGridModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

int WeightGridModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_cols;
}

bool WeightGridModel::loading() const
{
    return !m_wanted.empty() || (m_task && !m_task->progress().cancelled());
}

const WeightGridModel::Cell *WeightGridModel::cell(const QModelIndex &index) const
{
    const std::uint64_t row = m_firstRow + static_cast<unsigned>(index.row());
    const std::uint64_t col = m_firstCol + static_cast<unsigned>(index.column());
    const Key key{row / kBlock, col / kBlock};
    const Block *block = m_blocks.object(key);
    if (!block || block->generation != m_generation)
        want(key);
    return block ? &block->cells[row % kBlock * kBlock + col % kBlock] : nullptr;
}

void WeightGridModel::want(const Key &key) const
{
    if (std::find(m_wanted.begin(), m_wanted.end(), key) != m_wanted.end())
        return;
    m_wanted.push_back(key);
    // Of what a fast scroll asked for only the last matters.
    if (m_wanted.size() > 8 * kBlocksAtOnce)
        m_wanted.erase(m_wanted.begin());
    if (m_startScheduled)
        return;
    m_startScheduled = true;
    auto *self = const_cast<WeightGridModel *>(this);
    QTimer::singleShot(0, self, [self] {
        self->m_startScheduled = false;
        self->startReading();
    });
}

void WeightGridModel::startReading()
{
    const bool running = m_task && !m_task->progress().cancelled();
    if (running || m_wanted.empty() || !m_reader)
        return;
    const std::size_t count = std::min(kBlocksAtOnce, m_wanted.size());
    std::vector<Key> keys(m_wanted.end() - static_cast<std::ptrdiff_t>(count), m_wanted.end());
    m_task = m_tasks.start(
        this, tr("Reading values"),
        [reader = m_reader, keys, generation = m_generation](Progress &progress) {
            return readBlocks(*reader, keys, generation, progress);
        },
        [this](Blocks blocks) { accept(std::move(blocks)); });
}

WeightGridModel::Blocks WeightGridModel::readBlocks(const WeightReader &reader,
                                                    const std::vector<Key> &keys,
                                                    std::uint64_t generation, Progress &progress)
{
    Blocks blocks;
    const BundleReadLock lock(*reader.bundle());
    const codec::Decoder *decoder = reader.decoder();
    if (!decoder)
        return blocks;
    const ElementChanges changes(*reader.bundle(), reader.weightIndex(), *decoder);
    progress.setTotal(keys.size());
    const SliceMap &map = reader.map();
    std::vector<float> values(kBlock);
    std::vector<std::int64_t> codes(kBlock);
    for (const Key &key : keys) {
        Block block{generation, std::vector<Cell>(kBlock * kBlock)};
        const std::uint64_t col = key.second * kBlock;
        const std::size_t width = std::min(kBlock, map.cols() - std::min(col, map.cols()));
        for (std::uint64_t r = 0; r < kBlock && key.first * kBlock + r < map.rows(); ++r) {
            const std::uint64_t row = key.first * kBlock + r;
            reader.values(*decoder, row, col, std::span(values).first(width));
            reader.codes(*decoder, row, col, std::span(codes).first(width));
            for (std::size_t c = 0; c < width; ++c) {
                const auto element = map.element(row, col + c);
                if (!element)
                    continue;
                block.cells[r * kBlock + c] = {values[c], codes[c], true,
                                               codes[c] == codec::Decoder::kNotStored,
                                               changes.changed(*element)};
            }
        }
        blocks.emplace_back(key, std::move(block));
        if (!progress.advance(1))
            break;
    }
    return blocks;
}

void WeightGridModel::accept(Blocks blocks)
{
    m_task.reset();
    if (blocks.empty())
        m_wanted.clear(); // the weight cannot be decoded: asking again would not help
    for (auto &[key, block] : blocks) {
        std::erase(m_wanted, key);
        m_blocks.insert(key, new Block(std::move(block)));
        const std::uint64_t row = std::max(key.first * kBlock, m_firstRow);
        const std::uint64_t col = std::max(key.second * kBlock, m_firstCol);
        const QModelIndex from = indexOf(row, col);
        if (!from.isValid())
            continue;
        const int lastRow = static_cast<int>(std::min<std::uint64_t>(
            (key.first + 1) * kBlock - 1 - m_firstRow, static_cast<std::uint64_t>(m_rows) - 1));
        const int lastCol = static_cast<int>(std::min<std::uint64_t>(
            (key.second + 1) * kBlock - 1 - m_firstCol, static_cast<std::uint64_t>(m_cols) - 1));
        Q_EMIT dataChanged(from, index(lastRow, lastCol));
    }
    startReading();
    if (!loading())
        Q_EMIT loaded();
}

QString WeightGridModel::codeText(std::int64_t code) const
{
    if (code == codec::Decoder::kNotStored)
        return {};
    if (m_codeDigits > 0)
        return hexNumber(static_cast<std::uint64_t>(code), static_cast<int>(m_codeDigits));
    return QString::number(code);
}

QString WeightGridModel::widestCode() const
{
    return m_codeDigits > 0 ? hexNumber(0, static_cast<int>(m_codeDigits))
                            : QStringLiteral("-0000");
}

QVariant WeightGridModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    switch (role) {
    case kNumberRole: return false;
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case ElementRole: {
        const auto element = elementAt(index);
        return element ? QVariant(static_cast<qulonglong>(*element)) : QVariant();
    }
    case Qt::DisplayRole:
    case Qt::EditRole:
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
    case CopyRole:
    case ValueRole:
    case CodeRole:
    case LeftOutRole:
    case ChangedRole:
    case ReadyRole: break;
    default: return {};
    }
    if (!elementAt(index))
        return role == ReadyRole ? QVariant(true) : QVariant();
    const Cell *at = cell(index);
    if (!at)
        return role == Qt::DisplayRole ? QVariant(QStringLiteral("\u2026")) : QVariant();
    switch (role) {
    case Qt::DisplayRole:
        return at->leftOut ? QStringLiteral("\u00B7")
                           : QString::number(static_cast<double>(at->value), 'g', 5);
    case Qt::EditRole:
    case CopyRole: return QString::number(static_cast<double>(at->value), 'g', 9);
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole: return toolTip(index, *at);
    case ValueRole: return static_cast<double>(at->value);
    case CodeRole: return codeText(at->code);
    case LeftOutRole: return at->leftOut;
    case ChangedRole: return at->changed;
    default: return true;
    }
}

QString WeightGridModel::toolTip(const QModelIndex &index, const Cell &cell) const
{
    QString text = m_reader->map().indexText(elementAt(index).value_or(0)) + QStringLiteral(": ");
    if (cell.leftOut)
        text += tr("left out by the mask (reads as 0)");
    else
        text +=
            tr("%1, stored as %2")
                .arg(QString::number(static_cast<double>(cell.value), 'g', 9), codeText(cell.code));
    if (cell.changed)
        text += tr(" \u25CF changed, not saved yet");
    return text;
}

bool WeightGridModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    const auto element = elementAt(index);
    if (!m_editable || !element)
        return false;
    const auto wanted = typedNumber(value.toString());
    const auto code = typedInteger(value.toString());
    if (role == Qt::EditRole && wanted)
        Q_EMIT editRequested(*element, *wanted);
    else if (role == CodeRole && code)
        Q_EMIT codeRequested(*element, *code);
    else
        return false;
    return true;
}

QVariant WeightGridModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole || section < 0 || !m_reader)
        return {};
    const SliceMap &map = m_reader->map();
    const auto at = static_cast<std::uint64_t>(section);
    if (orientation == Qt::Vertical)
        return section < m_rows ? map.rowText(m_firstRow + at) : QVariant();
    return section < m_cols ? map.columnText(m_firstCol + at) : QVariant();
}

Qt::ItemFlags WeightGridModel::flags(const QModelIndex &index) const
{
    if (!elementAt(index))
        return Qt::NoItemFlags;
    const Qt::ItemFlags shown = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    return m_editable ? shown | Qt::ItemIsEditable : shown;
}

} // namespace kernscope::ui

#include "moc_weight_grid_model.cpp"
