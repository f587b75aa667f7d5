// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/test_program.h"

/// Rows of tests: of files of the checkout, and numbers in turn.
namespace kernscope::test {

/// A cell as it is meant: \n, \t, \r, \\ and \xNN are one byte each.
inline QByteArray unescaped(const QByteArray &cell)
{
    QByteArray raw;
    for (qsizetype i = 0; i < cell.size(); ++i) {
        const char next = cell[i] == '\\' ? cell[++i] : '\0';
        if (next == 'x') {
            raw += QByteArray::fromHex(cell.mid(i + 1, 2));
            i += 2;
        } else {
            raw += next == '\0'  ? cell[i]
                   : next == 'n' ? '\n'
                   : next == 't' ? '\t'
                   : next == 'r' ? '\r'
                                 : next;
        }
    }
    return raw;
}

template <class Type>
Type cellValue(const QByteArray &cell)
{
    if constexpr (std::is_same_v<Type, QByteArray>)
        return unescaped(cell);
    else
        return QVariant(QString::fromUtf8(unescaped(cell))).value<Type>();
}

/// Adds the rows of tests/`path`, a line each: its name, which may be left out, and its values,
/// with a tab between two. Lines that begin with # explain. The result adds rows beside them.
///     addRowsOf<QByteArray, int>("core/container/mil/whole_texts.tsv");
template <class... Types>
DataRow<Types...> addRowsOf(const char *path)
{
    const auto row = addColumns<Types...>();
    const auto lines = contentOf(sourcePath(u"tests/"_s + QString::fromUtf8(path))).split('\n');
    for (const QByteArray &line : lines) {
        const QByteArrayList cells = line.split('\t');
        if (line.isEmpty() || line.startsWith('#'))
            continue;
        const qsizetype named = cells.size() - qsizetype(sizeof...(Types));
        if (named < 0 || named > 1)
            qFatal("%s: another number of cells: %s", path, line.constData());
        [&]<std::size_t... At>(std::index_sequence<At...>)
        {
            if (named)
                row(unescaped(cells[0]).constData(), cellValue<Types>(cells[At + 1])...);
            else
                row(cellValue<Types>(cells[At])...);
        }
        (std::index_sequence_for<Types...>());
    }
    return row;
}

/// A column with a row for each number from `first` to before `last`.
template <class Number>
void addRange(Number first, Number last)
{
    addColumns<Number>();
    for (Number value = first; value < last; ++value)
        addRow(fmt::format("{}", value).c_str(), value);
}

} // namespace kernscope::test
