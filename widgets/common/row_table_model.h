// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/column.h"
#include "widgets/common/chosen_rows_model.h"
#include "widgets/common/short_names.h"

#include <QVariant>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernscope::ui {

/// A cell in the words of the window: terms of the program translated, their marks in front, a dash
/// for what is not known.
QString cellText(const report::Value &value, std::string_view unknown = "-");

/// A table whose columns are declared in core/report: titles, explanations, cells, order, filter
/// and copies follow from the declaration. What holds the rows derives from it.
class RowTableModel : public ChosenRowsModel
{
    Q_OBJECT

public:
    /// Column of a key; -1 where the window shows none.
    int columnOf(std::string_view key) const;
    std::string_view keyOf(int column) const;
    /// Position among all rows of a shown one, and the other way round: -1 where it is not shown.
    std::size_t sourceRow(int row) const { return m_shown[static_cast<std::size_t>(row)]; }
    int rowOf(std::size_t source) const;
    /// Another title than the declared one, such as the name of a chip.
    void setTitle(std::string_view key, const QString &title);
    /// True where no row has that column, so that a view may hide it.
    bool isAbsent(int column) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;
    /// Keeps the selected and the current cells on their rows.
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

protected:
    RowTableModel(const std::vector<report::ColumnFacts> &declared,
                  const std::vector<std::string_view> &first, QObject *parent);

    virtual std::size_t rowTotal() const = 0;
    /// A cell by its place among the declared columns.
    virtual report::Value valueOf(std::size_t row, std::size_t declared) const = 0;
    virtual std::string originOf(std::size_t row, std::size_t declared) const = 0;
    /// What a cell sorts by.
    virtual report::SortValue orderOf(std::size_t row, std::size_t declared) const;
    /// What else a cell has: its icon, ground or font. Invalid: what the base says of that role.
    virtual QVariant lookOf(std::size_t row, int column, int role) const;
    /// Rows that are shown at all, before the filter.
    virtual bool admits(std::size_t) const { return true; }
    /// Whether the filter looks into a column; and what it looks into beside them.
    virtual bool searches(const report::ColumnFacts &column) const { return column.searched; }
    virtual std::string alsoSearched(std::size_t) const { return {}; }
    /// Puts rows, which come in the order that they are held in, in the order of the view.
    virtual void orderShown(std::vector<std::uint32_t> &shown) const;

    void chooseRows() override;
    /// By what the rows are now: a reset only where others are shown.
    void chooseAgain();
    /// Orders the rows that are shown anew: views keep their place.
    void reorder();
    /// Calls `replace`, after which the rows are others; or the same with other cells, and views
    /// keep their place.
    void replaceRows(bool same, const std::function<void()> &replace);
    /// Places of the shown columns among the declared ones.
    const std::vector<std::size_t> &declaredPlaces() const { return m_places; }

private:
    /// Translated terms, which many rows share.
    using TermTexts = std::map<std::string_view, std::string>;

    report::Value value(std::size_t row, int column) const;
    std::string searchedText(std::size_t row, TermTexts &terms) const;
    std::vector<std::uint32_t> chosenRows() const;
    void show(std::vector<std::uint32_t> rows);
    void showReordered(std::vector<std::uint32_t> rows);

    std::vector<report::ColumnFacts> m_columns; ///< of the window
    std::vector<std::size_t> m_places;
    std::vector<QString> m_titles;      ///< empty: the declared one
    std::vector<std::uint32_t> m_shown; ///< as many as an int counts at most
    std::vector<int> m_rowOf;
    ShortNameCache m_shortNames; ///< of the column of weights
};

/// Such a table that holds its rows.
template <class Row>
class RowTable : public RowTableModel
{
public:
    /// A role of a cell beside those of the base; invalid where it has none.
    using Look = std::function<QVariant(const Row &, std::string_view key, int role)>;

    explicit RowTable(const report::TableOf<Row> &table, QObject *parent = nullptr)
        : RowTableModel(table.facts(), table.windowOrder, parent), m_table(table)
    {
    }
    void setLook(Look look) { m_look = std::move(look); }
    void setRows(std::vector<Row> rows)
    {
        const bool same = sameCells(rows);
        replaceRows(same, [&] { m_rows = std::move(rows); });
    }
    const std::vector<Row> &rows() const { return m_rows; }
    const Row &rowAt(int shown) const { return m_rows[sourceRow(shown)]; }

protected:
    /// To change cells, which dataChanged() then has to follow.
    std::vector<Row> &held() { return m_rows; }
    std::size_t rowTotal() const override { return m_rows.size(); }
    report::Value valueOf(std::size_t row, std::size_t declared) const override
    {
        return m_table.columns[declared].value(m_rows[row]);
    }
    std::string originOf(std::size_t row, std::size_t declared) const override
    {
        const auto origin = m_table.columns[declared].origin;
        return origin != nullptr ? origin(m_rows[row]) : std::string();
    }
    report::SortValue orderOf(std::size_t row, std::size_t declared) const override
    {
        const auto order = m_table.columns[declared].order;
        return order != nullptr ? order(m_rows[row]) : RowTableModel::orderOf(row, declared);
    }
    QVariant lookOf(std::size_t row, int column, int role) const override
    {
        return m_look ? m_look(m_rows[row], keyOf(column), role) : QVariant();
    }

private:
    bool sameCells(const std::vector<Row> &rows) const
    {
        if (rows.empty() || rows.size() != m_rows.size())
            return false;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (const std::size_t place : declaredPlaces()) {
                const auto value = m_table.columns[place].value;
                if (value(rows[i]) != value(m_rows[i]))
                    return false;
            }
        }
        return true;
    }

    const report::TableOf<Row> &m_table;
    std::vector<Row> m_rows;
    Look m_look;
};

} // namespace kernscope::ui
