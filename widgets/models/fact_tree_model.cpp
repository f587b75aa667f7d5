// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/fact_tree_model.h"

#include "widgets/models/table_text.h"

#include <QFontDatabase>
#include <QGuiApplication>

namespace kernscope::ui {

namespace {

QString markWord(Token mark)
{
    switch (mark) {
    case Token::MarkChanged:
        return QCoreApplication::translate("kernscope::FactTreeModel", "differs from before");
    case Token::MarkContested:
        return QCoreApplication::translate("kernscope::FactTreeModel", "contested");
    default: return QCoreApplication::translate("kernscope::FactTreeModel", "assumed");
    }
}

} // namespace

FactTreeModel::FactTreeModel(std::vector<FactColumn> columns, QObject *parent)
    : QAbstractItemModel(parent), m_columns(std::move(columns))
{
}

/// Whether these are the current rows with the same bytes, below the same rows.
bool FactTreeModel::sameShape(const std::vector<FactNode> &nodes,
                              const std::vector<std::int32_t> &rows) const
{
    return std::ranges::equal(nodes, rows, [this](const FactNode &node, std::int32_t row) {
        const Row &now = m_rows[static_cast<std::size_t>(row)];
        return node.bytes == now.facts.bytes && node.bits == now.facts.bits &&
               sameShape(node.children, now.all);
    });
}

void FactTreeModel::replace(std::vector<FactNode> nodes, const std::vector<std::int32_t> &rows,
                            const QModelIndex &parent)
{
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        Row &row = m_rows[static_cast<std::size_t>(rows[i])];
        std::vector<FactNode> children = std::move(nodes[i].children);
        row.facts = std::move(nodes[i]);
        replace(std::move(children), row.all, index(row.place, 0, parent));
    }
    if (!rows.empty())
        Q_EMIT dataChanged(index(0, 0, parent),
                           index(static_cast<int>(rows.size()) - 1, columnCount() - 1, parent));
}

void FactTreeModel::setRows(std::vector<FactNode> rows)
{
    // After an edit, an undo or a save: views keep their place, and what they have opened.
    if (!rows.empty() && m_filter.isEmpty() && m_sortColumn < 0 && sameShape(rows, m_roots)) {
        replace(std::move(rows), m_roots, {});
        return;
    }
    beginResetModel();
    m_rows.clear();
    m_roots.clear();
    flatten(std::move(rows), -1);
    choose();
    endResetModel();
}

std::vector<std::int32_t> &FactTreeModel::childrenOf(std::int32_t row)
{
    return row < 0 ? m_roots : m_rows[static_cast<std::size_t>(row)].all;
}

void FactTreeModel::flatten(std::vector<FactNode> nodes, std::int32_t parent)
{
    for (FactNode &node : nodes) {
        const auto number = static_cast<std::int32_t>(m_rows.size());
        childrenOf(parent).push_back(number);
        std::vector<FactNode> children = std::move(node.children);
        Row row;
        row.facts = std::move(node);
        row.parent = parent;
        m_rows.push_back(std::move(row));
        flatten(std::move(children), number);
    }
}

/// True where the row stays: it or something below it has every word, or what it hangs below has.
bool FactTreeModel::keep(std::int32_t row, const QStringList &words, bool whole)
{
    const QString text = m_rows[static_cast<std::size_t>(row)].facts.cells.join(u' ');
    const bool hit = whole || std::ranges::all_of(words, [&text](const QString &word) {
                         return text.contains(word, Qt::CaseInsensitive);
                     });
    std::vector<std::int32_t> shown;
    for (const std::int32_t child : m_rows[static_cast<std::size_t>(row)].all) {
        if (keep(child, words, hit))
            shown.push_back(child);
    }
    number(shown);
    const bool any = hit || !shown.empty();
    m_rows[static_cast<std::size_t>(row)].shown = std::move(shown);
    return any;
}

bool FactTreeModel::before(std::int32_t a, std::int32_t b) const
{
    const FactNode &left = m_rows[static_cast<std::size_t>(a)].facts;
    const FactNode &right = m_rows[static_cast<std::size_t>(b)].facts;
    const auto numberOf = [this](const FactNode &facts) -> std::optional<std::uint64_t> {
        for (const auto &[column, value] : facts.numbers) {
            if (column == m_sortColumn)
                return value;
        }
        return std::nullopt;
    };
    const auto x = numberOf(left), y = numberOf(right);
    if (x || y)
        return x < y;
    return left.cells.value(m_sortColumn)
               .compare(right.cells.value(m_sortColumn), Qt::CaseInsensitive) < 0;
}

void FactTreeModel::number(std::vector<std::int32_t> &list)
{
    if (m_sortColumn >= 0) {
        std::ranges::stable_sort(list, [this](std::int32_t a, std::int32_t b) {
            return m_sortOrder == Qt::AscendingOrder ? before(a, b) : before(b, a);
        });
    }
    for (std::size_t i = 0; i < list.size(); ++i)
        m_rows[static_cast<std::size_t>(list[i])].place = static_cast<std::int32_t>(i);
}

void FactTreeModel::choose()
{
    const QStringList words = m_filter.split(u' ', Qt::SkipEmptyParts);
    m_shown.clear();
    for (const std::int32_t root : m_roots) {
        if (keep(root, words, false))
            m_shown.push_back(root);
    }
    number(m_shown);
}

void FactTreeModel::setFilter(const QString &words)
{
    if (words == m_filter)
        return;
    beginResetModel();
    m_filter = words;
    choose();
    endResetModel();
}

void FactTreeModel::sort(int column, Qt::SortOrder order)
{
    if (column == m_sortColumn && order == m_sortOrder)
        return;
    beginResetModel();
    m_sortColumn = column;
    m_sortOrder = order;
    choose();
    endResetModel();
}

QModelIndex FactTreeModel::indexOfBytes(const ByteRange &range,
                                        const std::optional<BitRun> &bits) const
{
    std::int32_t best = -1;
    std::uint64_t least = UINT64_MAX;
    bool whole = false;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const auto &bytes = m_rows[i].facts.bytes;
        if (!bytes || !bytes->contains(range.offset))
            continue;
        // Several fields lie in one byte: the bits tell which of them is meant.
        if (bits && m_rows[i].facts.bits == bits && bytes == range) {
            best = static_cast<std::int32_t>(i);
            break;
        }
        const bool holds = range.end() <= bytes->end();
        if (holds == whole ? bytes->bytes.value < least : holds) {
            best = static_cast<std::int32_t>(i);
            least = bytes->bytes.value;
            whole = holds;
        }
    }
    if (best < 0)
        return {};
    const Row &row = m_rows[static_cast<std::size_t>(best)];
    const auto &list =
        row.parent < 0 ? m_shown : m_rows[static_cast<std::size_t>(row.parent)].shown;
    const auto place = static_cast<std::size_t>(row.place);
    if (place >= list.size() || list[place] != best)
        return {}; // the filter hides it
    return createIndex(row.place, 0, static_cast<quintptr>(best));
}

std::optional<ByteRange> FactTreeModel::bytesOf(const QModelIndex &index) const
{
    return index.isValid() ? at(index).facts.bytes : std::nullopt;
}

std::optional<BitRun> FactTreeModel::bitsOf(const QModelIndex &index) const
{
    return index.isValid() ? at(index).facts.bits : std::nullopt;
}

QModelIndex FactTreeModel::index(int row, int column, const QModelIndex &parent) const
{
    const auto &list = parent.isValid() ? at(parent).shown : m_shown;
    if (row < 0 || column < 0 || static_cast<std::size_t>(row) >= list.size() ||
        static_cast<std::size_t>(column) >= m_columns.size() ||
        (parent.isValid() && parent.column() != 0))
        return {};
    return createIndex(row, column, static_cast<quintptr>(list[static_cast<std::size_t>(row)]));
}

QModelIndex FactTreeModel::parent(const QModelIndex &index) const
{
    if (!index.isValid() || at(index).parent < 0)
        return {};
    const std::int32_t parent = at(index).parent;
    return createIndex(m_rows[static_cast<std::size_t>(parent)].place, 0,
                       static_cast<quintptr>(parent));
}

int FactTreeModel::rowCount(const QModelIndex &parent) const
{
    if (parent.isValid() && parent.column() != 0)
        return 0;
    return static_cast<int>(parent.isValid() ? at(parent).shown.size() : m_shown.size());
}

int FactTreeModel::columnCount(const QModelIndex &) const
{
    return static_cast<int>(m_columns.size());
}

QString FactTreeModel::markText(const FactNode &facts) const
{
    QString text;
    for (const Token mark : facts.marks)
        text += theme::glyph(mark);
    return facts.unsaved ? text + QChar(0x270E) : text;
}

QVariant FactTreeModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const FactNode &facts = at(index).facts;
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole: {
        const QString marks = column == 0 ? markText(facts) : QString();
        const QString text = facts.cells.value(column);
        return marks.isEmpty() ? text : text + u' ' + marks;
    }
    case CopyRole: return facts.cells.value(column);
    case SortRole:
        for (const auto &[of, value] : facts.numbers) {
            if (of == column)
                return QVariant::fromValue(static_cast<quint64>(value));
        }
        return facts.cells.value(column);
    case Qt::TextAlignmentRole:
        return m_columns[static_cast<std::size_t>(column)].number
                   ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                   : QVariant();
    case Qt::ToolTipRole: {
        QStringList lines;
        if (!facts.cells.value(column).isEmpty())
            lines << facts.cells.value(column);
        for (const Token mark : facts.marks)
            lines << theme::glyph(mark) + u' ' + markWord(mark);
        if (facts.unsaved)
            lines << tr("\u270E not saved yet");
        if (!facts.toolTip.isEmpty())
            lines << facts.toolTip;
        return lines.join(u'\n');
    }
    default: return {};
    }
}

QVariant FactTreeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 ||
        static_cast<std::size_t>(section) >= m_columns.size())
        return {};
    const FactColumn &column = m_columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole)
        return headerTitle(column.title);
    if (role == Qt::ToolTipRole)
        return column.toolTip.isEmpty() ? column.title : column.toolTip;
    if (role == Qt::TextAlignmentRole && column.number)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

} // namespace kernscope::ui

#include "moc_fact_tree_model.cpp"
