// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/program_spans.h"

#include <QAbstractItemModel>

#include <memory>

namespace kernscope::ui {

/// The rows of a program: number and statement.
class ProgramModel final : public QAbstractItemModel
{
    Q_OBJECT

public:
    enum Column { Statement, ColumnCount };

    explicit ProgramModel(QObject *parent = nullptr);

    void setTree(std::shared_ptr<const ProgramTree> tree);
    const std::shared_ptr<const ProgramTree> &tree() const { return m_tree; }
    std::size_t nodeOf(const QModelIndex &index) const { return index.internalId(); }
    QModelIndex indexOf(std::size_t node) const; ///< invalid where there is none
    std::vector<ProgramSpan> spans(const QModelIndex &index) const;
    /// "41" of the 41st operation; empty for functions and blocks.
    QString numberText(const QModelIndex &index) const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &) const override { return ColumnCount; }
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

private:
    std::shared_ptr<const ProgramTree> m_tree;
};

} // namespace kernscope::ui
