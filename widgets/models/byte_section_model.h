// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/byte_differences.h"
#include "core/report/structure_table.h"
#include "widgets/models/window_columns.h"

#include <QAbstractTableModel>

#include <memory>
#include <optional>
#include <vector>

namespace kernscope::ui {

/// The aligned sections of two bundles as a table: where each lies on either side, and how many of
/// its bytes differ. The readable twin of the bytes side by side.
class ByteSectionModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    /// Columns of alignedSectionTable(), in its order.
    enum Column : int {
        Name,
        Kind,
        OffsetA,
        BytesA,
        OffsetB,
        BytesB,
        Changed,
        OnlyA,
        OnlyB,
        State,
        ColumnCount
    };

    explicit ByteSectionModel(QObject *parent = nullptr);

    void setBytes(AlignedBytesPtr bytes);
    /// Null: not known yet.
    void setDifferences(std::shared_ptr<const ByteDifferences> differences);

    /// Index into ByteAlignment::sections() of the row shown; kNoIndex for none.
    std::size_t sectionAt(int row) const;
    int rowOfSection(std::size_t section) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    report::AlignedSectionFacts facts(std::size_t section) const;
    std::vector<std::size_t> sorted() const;

    WindowColumns<report::AlignedSectionFacts> m_columns;
    AlignedBytesPtr m_bytes;
    std::shared_ptr<const ByteDifferences> m_differences;
    std::vector<std::size_t> m_order;
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace kernscope::ui
