// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/column.h"
#include "widgets/models/short_names.h"
#include "widgets/models/table_text.h"

#include <QAbstractTableModel>

#include <initializer_list>
#include <map>

/// The columns of a declared table in the window, for models that are no RowTableModel: trees, and
/// tables with further columns.

namespace kernscope::ui {

/// Role of a header: the column's key in files, the same as the command line's.
inline constexpr int KeyRole = CopyRole + 1;
/// Role of a row, true where it groups others or is of another kind than the table's rows: it is
/// left out of files.
inline constexpr int GroupRowRole = KeyRole + 1;

/// Where cells are after the rows of a model were put in another order, for
/// changePersistentIndexList(). `before` and `after` hold the item of each shown row: the same
/// items, 0 to one less than their number.
inline QModelIndexList movedCells(const QAbstractItemModel &model, const QModelIndexList &cells,
                                  const std::vector<std::size_t> &before,
                                  const std::vector<std::size_t> &after)
{
    std::vector<int> rows(after.size());
    for (std::size_t row = 0; row < after.size(); ++row)
        rows[after[row]] = static_cast<int>(row);
    QModelIndexList moved;
    for (const QModelIndex &cell : cells)
        moved.push_back(
            model.index(rows[before[static_cast<std::size_t>(cell.row())]], cell.column()));
    return moved;
}

/// The words of a filter box. A row passes where every word occurs in one of its texts; ASCII
/// letters match in either case.
class TextFilter
{
public:
    TextFilter() = default;
    explicit TextFilter(const QString &words);

    bool empty() const { return m_words.empty(); }
    bool passes(std::initializer_list<std::string_view> texts) const;

    static bool contains(std::string_view text, std::string_view lowerCaseWord);

private:
    std::vector<std::string> m_words; ///< lower case, UTF-8
};

/// What a header says in a role: title with unit, explanation, key, alignment.
QVariant columnHeader(const report::ColumnFacts &column, int role);
/// What a cell says in a role: text, what is heard, what is copied and sorted by, tool tip,
/// alignment. It sorts by its value.
QVariant columnCell(const report::ColumnFacts &column, const report::Value &value, int role);
/// The same as a variant that sorts as `sort` does; `value` is that of the cell.
QVariant sortVariant(const report::SortValue &sort, const report::Value &value);

/// Columns of a table that are shown, in their order.
template <class Row>
class WindowColumns
{
public:
    /// Those that are for the window.
    explicit WindowColumns(const report::TableOf<Row> &table)
        : m_table(table),
          m_places(report::columnOrder(table.facts(), table.windowOrder, report::kWindow))
    {
        rememberFacts();
    }
    /// Those of these keys.
    WindowColumns(const report::TableOf<Row> &table, const std::vector<std::string_view> &keys)
        : m_table(table)
    {
        for (const std::string_view key : keys) {
            for (std::size_t i = 0; i < table.columns.size(); ++i) {
                if (table.columns[i].key == key)
                    m_places.push_back(i);
            }
        }
        rememberFacts();
    }

    int count() const { return static_cast<int>(m_places.size()); }
    std::string_view key(int column) const { return facts(column).key; }
    const report::ColumnFacts &facts(int column) const
    {
        return m_facts[static_cast<std::size_t>(column)];
    }
    /// -1 where there is no such column.
    int indexOf(std::string_view key) const
    {
        for (int column = 0; column < count(); ++column) {
            if (facts(column).key == key)
                return column;
        }
        return -1;
    }
    report::Value value(int column, const Row &row) const { return declared(column).value(row); }
    report::SortValue order(int column, const Row &row) const
    {
        const auto order = declared(column).order;
        return order != nullptr ? order(row) : report::sortValue(value(column, row));
    }
    QVariant header(int column, int role) const { return columnHeader(facts(column), role); }
    QVariant cell(int column, const Row &row, int role) const
    {
        return columnCell(facts(column), value(column, row), role);
    }
    QVariant sortData(int column, const Row &row) const
    {
        return sortVariant(order(column, row), value(column, row));
    }

private:
    const report::Column<Row> &declared(int column) const
    {
        return m_table.columns[m_places[static_cast<std::size_t>(column)]];
    }
    void rememberFacts()
    {
        for (const std::size_t place : m_places)
            m_facts.push_back(m_table.columns[place].facts());
    }

    const report::TableOf<Row> &m_table;
    std::vector<std::size_t> m_places;
    std::vector<report::ColumnFacts> m_facts;
};

/// A cell in the words of the window: terms of the program translated, their marks in front, a dash
/// for what is not known.
QString cellText(const report::Value &value, std::string_view unknown = "-");

/// A table whose columns are declared in core/report: titles, explanations, cells, order, filter
/// and copies follow from the declaration. What holds the rows derives from it. Its rows are a
/// choice, in an order, from what it holds: by the words of a filter box and by a column; numbers
/// by their size, texts as people sort them ("w2" before "w10"), what has neither last.
class RowTableModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    /// Keeps rows in which every word occurs, in any of the texts that searches() names.
    void setFilter(const QString &words);
    const QString &filter() const { return m_filter; }
    /// Column of a key; -1 where the window shows none.
    int columnOf(std::string_view key) const;
    std::string_view keyOf(int column) const;
    /// Position among all rows of a shown one, and the other way round: -1 where it is not shown.
    std::size_t sourceRow(int row) const { return m_shown[static_cast<std::size_t>(row)]; }
    int rowOf(std::size_t source) const { return source < m_rowOf.size() ? m_rowOf[source] : -1; }
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

    /// Other columns, each at the place of its number, within a change of the rows. `titles`: other
    /// than the declared ones.
    void setColumns(std::vector<report::ColumnFacts> columns, std::vector<QString> titles = {});

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

    int sortColumn() const { return m_sortColumn; } ///< -1: in the order that it holds them
    Qt::SortOrder sortOrder() const { return m_sortOrder; }
    /// Chooses the rows anew, by filter() and the wanted order.
    void chooseRows();
    /// The same, with a reset of the model around it.
    void chooseAnew();
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

    QString m_filter;
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
    std::vector<report::ColumnFacts> m_columns; ///< of the window
    std::vector<std::size_t> m_places;
    std::vector<QString> m_titles;      ///< empty: the declared one
    std::vector<std::uint32_t> m_shown; ///< as many as an int counts at most
    std::vector<int> m_rowOf;
    ShortNameCache m_shortNames; ///< of the column of weights
};

/// Such a table that makes the facts of a row as they are asked for: `Got` is a Row, or refers to
/// one that is held.
template <class Row, class Got = Row>
class DeclaredTable : public RowTableModel
{
public:
    explicit DeclaredTable(const report::TableOf<Row> &table, QObject *parent = nullptr)
        : RowTableModel(table.facts(), table.windowOrder, parent), m_table(table)
    {
    }

protected:
    virtual Got factsOf(std::size_t row) const = 0;
    const report::Column<Row> &declared(std::size_t place) const { return m_table.columns[place]; }
    report::Value valueOf(std::size_t row, std::size_t place) const override
    {
        return declared(place).value(factsOf(row));
    }
    std::string originOf(std::size_t row, std::size_t place) const override
    {
        const auto origin = declared(place).origin;
        return origin != nullptr ? origin(factsOf(row)) : std::string();
    }
    report::SortValue orderOf(std::size_t row, std::size_t place) const override
    {
        const auto order = declared(place).order;
        return order != nullptr ? order(factsOf(row)) : RowTableModel::orderOf(row, place);
    }

private:
    const report::TableOf<Row> &m_table;
};

/// Such a table that holds its rows.
template <class Row>
class RowTable : public DeclaredTable<Row, const Row &>
{
public:
    /// A role of a cell beside those of the base; invalid where it has none.
    using Look = std::function<QVariant(const Row &, std::string_view key, int role)>;

    using DeclaredTable<Row, const Row &>::DeclaredTable;
    void setLook(Look look) { m_look = std::move(look); }
    void setRows(std::vector<Row> rows)
    {
        const bool same = sameCells(rows);
        this->replaceRows(same, [&] { m_rows = std::move(rows); });
    }
    const std::vector<Row> &rows() const { return m_rows; }
    const Row &rowAt(int shown) const { return m_rows[this->sourceRow(shown)]; }

protected:
    /// To change cells, which dataChanged() then has to follow.
    std::vector<Row> &held() { return m_rows; }
    std::size_t rowTotal() const override { return m_rows.size(); }
    const Row &factsOf(std::size_t row) const override { return m_rows[row]; }
    QVariant lookOf(std::size_t row, int column, int role) const override
    {
        return m_look ? m_look(m_rows[row], this->keyOf(column), role) : QVariant();
    }

private:
    bool sameCells(const std::vector<Row> &rows) const
    {
        if (rows.empty() || rows.size() != m_rows.size())
            return false;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (const std::size_t place : this->declaredPlaces()) {
                const auto value = this->declared(place).value;
                if (value(rows[i]) != value(m_rows[i]))
                    return false;
            }
        }
        return true;
    }

    std::vector<Row> m_rows;
    Look m_look;
};

} // namespace kernscope::ui
