// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/program/program_model.h"

#include "widgets/common/table_text.h"

#include <algorithm>

namespace kernscope::ui {

ProgramModel::ProgramModel(QObject *parent) : QAbstractItemModel(parent) {}

void ProgramModel::setTree(std::shared_ptr<const ProgramTree> tree)
{
    beginResetModel();
    m_tree = std::move(tree);
    endResetModel();
}

QModelIndex ProgramModel::indexOf(std::size_t node) const
{
    if (!m_tree || node >= m_tree->nodes().size())
        return {};
    return createIndex(static_cast<int>(m_tree->nodes()[node].place), 0, quintptr(node));
}

std::vector<ProgramSpan> ProgramModel::spans(const QModelIndex &index) const
{
    return m_tree && index.isValid() ? programSpans(*m_tree, nodeOf(index))
                                     : std::vector<ProgramSpan>();
}

QString ProgramModel::numberText(const QModelIndex &index) const
{
    const ProgramTree::Node &node = m_tree->nodes()[nodeOf(index)];
    return node.kind == ProgramTree::Kind::Operation ? QString::number(node.number) : QString();
}

bool ProgramModel::hasWords(std::size_t node, const QStringList &words) const
{
    const QString text = programText(programSpans(*m_tree, node));
    return std::all_of(words.begin(), words.end(), [&text](const QString &word) {
        return text.contains(word, Qt::CaseInsensitive);
    });
}

QModelIndex ProgramModel::find(const QString &words, const QModelIndex &from, bool forward) const
{
    const QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
    if (!m_tree || wanted.isEmpty() || m_tree->nodes().empty())
        return {};
    // Rows are numbered in the order of the text.
    const std::size_t count = m_tree->nodes().size();
    const std::size_t start = from.isValid() ? nodeOf(from) : (forward ? count - 1 : 0);
    for (std::size_t step = 1; step <= count; ++step) {
        const std::size_t node =
            forward ? (start + step) % count : (start + count - step % count) % count;
        if (hasWords(node, wanted))
            return indexOf(node);
    }
    return {};
}

std::size_t ProgramModel::matches(const QString &words) const
{
    const QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
    std::size_t found = 0;
    for (std::size_t node = 0; m_tree && !wanted.isEmpty() && node < m_tree->nodes().size(); ++node)
        found += hasWords(node, wanted) ? 1 : 0;
    return found;
}

QModelIndex ProgramModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    const auto &rows =
        parent.isValid() ? m_tree->nodes()[nodeOf(parent)].children : m_tree->roots();
    return createIndex(row, column, quintptr(rows[static_cast<std::size_t>(row)]));
}

QModelIndex ProgramModel::parent(const QModelIndex &index) const
{
    if (!index.isValid())
        return {};
    const std::size_t above = m_tree->nodes()[nodeOf(index)].parent;
    return above == ProgramTree::kNone ? QModelIndex() : indexOf(above);
}

int ProgramModel::rowCount(const QModelIndex &parent) const
{
    if (!m_tree || parent.column() > 0)
        return 0;
    const auto &rows =
        parent.isValid() ? m_tree->nodes()[nodeOf(parent)].children : m_tree->roots();
    return static_cast<int>(rows.size());
}

QVariant ProgramModel::data(const QModelIndex &index, int role) const
{
    if (!m_tree || !index.isValid())
        return {};
    if (role == Qt::DisplayRole || role == CopyRole || role == Qt::AccessibleTextRole)
        return programText(spans(index));
    return {};
}

} // namespace kernscope::ui
