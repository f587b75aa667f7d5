// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/search/find.h"

#include <QAbstractTableModel>
#include <QByteArray>

#include <cstdint>
#include <optional>
#include <vector>

namespace kernscope::ui {

/// What a search found, a row a place. Rows are in the order of the search, or of a column.
class SearchModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column : int { PlaceColumn, Owner, Element, Length, Value, ColumnCount };

    explicit SearchModel(QObject *parent = nullptr);

    /// The hits of a search in the bundle, which is kept for its names. `bytes`: of a search for
    /// bytes, those of each hit; else none.
    void setFound(BundlePtr bundle, search::Found found, std::vector<QByteArray> bytes);
    void clear();
    const search::Hit &hitAt(int row) const
    {
        return m_hits[m_order[static_cast<std::size_t>(row)]];
    }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    void orderRows();
    QString placeOf(const search::Hit &hit) const;
    QString ownerOf(const search::Hit &hit) const;
    QString valueOf(std::uint32_t hit, bool copy) const;
    std::optional<std::uint64_t> numberOf(const search::Hit &hit, int column) const;

    BundlePtr m_bundle;
    std::vector<search::Hit> m_hits;
    std::vector<QByteArray> m_bytes;    ///< of each hit as they were found, or empty
    std::vector<std::uint32_t> m_order; ///< hit of each row
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace kernscope::ui
