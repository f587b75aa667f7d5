// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/program_model.h"

#include "widgets/models/table_text.h"

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
    if (!m_tree || node >= m_tree->rows())
        return {};
    return createIndex(static_cast<int>(m_tree->node(node).place), 0, quintptr(node));
}

std::vector<ProgramSpan> ProgramModel::spans(const QModelIndex &index) const
{
    return m_tree && index.isValid() ? programSpans(*m_tree, nodeOf(index))
                                     : std::vector<ProgramSpan>();
}

QString ProgramModel::numberText(const QModelIndex &index) const
{
    const ProgramTree::Node node = m_tree->node(nodeOf(index));
    return node.kind == ProgramTree::Kind::Operation ? QString::number(node.number) : QString();
}

QModelIndex ProgramModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    const auto place = static_cast<std::size_t>(row);
    return createIndex(
        row, column,
        quintptr(parent.isValid() ? m_tree->child(nodeOf(parent), place) : m_tree->root(place)));
}

QModelIndex ProgramModel::parent(const QModelIndex &index) const
{
    if (!index.isValid())
        return {};
    const std::size_t above = m_tree->node(nodeOf(index)).parent;
    return above == ProgramTree::kNone ? QModelIndex() : indexOf(above);
}

int ProgramModel::rowCount(const QModelIndex &parent) const
{
    if (!m_tree || parent.column() > 0)
        return 0;
    return static_cast<int>(parent.isValid() ? m_tree->node(nodeOf(parent)).children
                                             : m_tree->roots());
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

#include "moc_program_model.cpp"
