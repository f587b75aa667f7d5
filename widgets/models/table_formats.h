// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace kernscope::ui {

/// What tables are copied and exported as.
enum class TableFormat : std::uint8_t { CommaSeparated, TabSeparated, Markdown, Json };

/// A column as it is written: in JSON under `key`, elsewhere under `title`.
struct WrittenColumn {
    int logical = 0;
    QString title, key;  ///< `key`: the command line's where the column has one
    bool number = false; ///< right-aligned, as numbers are
};
/// The column of that number; whether it holds numbers is told by a row.
WrittenColumn writtenColumn(const QAbstractItemModel &model, int logical, const QModelIndex &row);

/// Rows as tab-separated text, Markdown or JSON (an array of objects by key), with the titles.
/// Numbers are without separators (CopyRole); in JSON they are numbers.
QString rowsAs(const std::vector<QModelIndex> &rows, const std::vector<WrittenColumn> &columns,
               TableFormat format);
/// The whole of a table; the rows of a tree follow the row that they hang below.
QString tableAs(const QAbstractItemModel &model, TableFormat format);
/// By the ending of a file's name: .csv or none, .tsv or .txt, .md, .json; nothing for any other,
/// whose programs would not read a table.
std::optional<TableFormat> tableFormatOf(const QString &path);

} // namespace kernscope::ui
