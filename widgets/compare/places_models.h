// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/worst_places.h"

#include <QAbstractTableModel>

#include <memory>
#include <optional>
#include <vector>

namespace kernscope::ui {

using WorstPlacesPtr = std::shared_ptr<const WorstPlaces>;

/// Rows of numbers that sort by any column; the order they come in is "worst first".
class PlacesModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

    /// The element that a shown row leads to.
    std::optional<std::uint64_t> elementAt(int row) const;

protected:
    struct Column {
        const char *title, *help; ///< for tr()
    };
    /// Of the subclass: rows as they came, and their cells.
    virtual std::size_t count() const = 0;
    virtual std::optional<std::uint64_t> element(std::size_t item) const = 0;
    virtual double number(std::size_t item, int column) const = 0;
    virtual QString text(std::size_t item, int column) const = 0;
    virtual Column column(int section) const = 0;
    /// For the clipboard and files: the number as other programs read it; empty where there is
    /// none.
    virtual QString plain(std::size_t item, int column) const;

    void beginRows() { beginResetModel(); }
    void endRows();
    std::size_t itemAt(int row) const { return m_order[static_cast<std::size_t>(row)]; }
    int rowOf(std::size_t item) const;

private:
    std::vector<std::size_t> wanted() const;

    std::vector<std::size_t> m_order;
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

/// Output channels that differ, the largest difference first.
class ChannelModel final : public PlacesModel
{
    Q_OBJECT

public:
    enum Section : int { Channel, MaxAbs, Rmse, Snr, Changed, Zeroed, Revived, SectionCount };
    using PlacesModel::PlacesModel;

    void setPlaces(WorstPlacesPtr places);
    int columnCount(const QModelIndex &parent = {}) const override;
    /// Shown row of a channel; -1 where it is not among them.
    int rowOfChannel(std::uint64_t channel) const;

protected:
    std::size_t count() const override;
    std::optional<std::uint64_t> element(std::size_t item) const override;
    double number(std::size_t item, int column) const override;
    QString text(std::size_t item, int column) const override;
    Column column(int section) const override;

private:
    WorstPlacesPtr m_places;
};

/// Single elements, the largest difference first.
class ElementModel final : public PlacesModel
{
    Q_OBJECT

public:
    enum Section : int { Index, InA, InB, Delta, Relative, Ulp, SectionCount };
    using PlacesModel::PlacesModel;

    /// `shape` and `type` are those of A.
    void setPlaces(WorstPlacesPtr places, Shape shape, ElementType type);
    int columnCount(const QModelIndex &parent = {}) const override;
    int rowOfElement(std::uint64_t element) const;

protected:
    std::size_t count() const override;
    std::optional<std::uint64_t> element(std::size_t item) const override;
    double number(std::size_t item, int column) const override;
    QString text(std::size_t item, int column) const override;
    Column column(int section) const override;
    QString plain(std::size_t item, int column) const override;

private:
    WorstPlacesPtr m_places;
    Shape m_shape;
    ElementType m_type = ElementType::Fp16;
};

} // namespace kernscope::ui
