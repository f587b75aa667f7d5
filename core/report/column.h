// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"
#include "core/base/text.h"

#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>
#include <variant>

#include <nlohmann/json_fwd.hpp>

namespace kernscope::report {

/// Rows for people: columns as wide as their widest cell, two spaces between them. Where the line
/// is narrower, words go on in further lines of their row, and cells of names are shortened in the
/// middle, as long as they stay different; numbers never are: a table of many of them may still be
/// wider than the line.
class TextTable
{
public:
    enum class Align {
        Left, ///< words, which may take several lines
        Right,
        Name ///< left, and may be shortened
    };
    struct Column {
        std::string header;
        Align align = Align::Left;
    };
    explicit TextTable(std::vector<Column> columns);
    /// One cell a column; made printable().
    void add(std::vector<std::string> cells);
    bool empty() const { return m_rows.empty(); }
    const std::vector<Column> &columns() const { return m_columns; }
    const std::vector<std::vector<std::string>> &rows() const { return m_rows; }

    /// The table for a line of that width: what all names of a column begin with gives way to an
    /// ellipsis, and, from the right, columns that there is no room for are left out, their titles
    /// added to `leftOut`. The first column stays. 0: any width, the table as it is.
    TextTable fitted(std::size_t lineWidth, std::vector<std::string> &leftOut) const;

    /// The columns of those titles, with or without their units, in that order: nothing where the
    /// table has none of them.
    std::optional<TextTable> selected(std::span<const std::string> titles) const;

    /// Without a newline: the first is the header. Every line indented by two spaces, and at most
    /// `lineWidth` columns wide; 0: any width, each row one line.
    std::vector<std::string> lines(std::size_t lineWidth) const;

private:
    std::vector<std::size_t> widths(std::size_t lineWidth) const;
    std::size_t leastWidth(std::size_t column, std::size_t longestWord) const;
    std::size_t leastName(std::size_t column) const;
    void shortenBeginnings(std::size_t column);
    void narrow(Align align, std::size_t longestWord, std::size_t fair, std::size_t lineWidth,
                std::vector<std::size_t> &widths) const;
    void appendRow(std::vector<std::string> &lines, const std::vector<std::string> &row,
                   const std::vector<std::size_t> &widths) const;

    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

// How numbers are written for people, in the window and on the command line alike.

using kernscope::counted;
using kernscope::grouped;
using kernscope::hexText;
/// "82,944 B (81.0 KiB)"; below 1024 without the second figure.
std::string bytesText(std::uint64_t bytes);
/// A sum that lacks `open` terms which are not known: "512 B", "at least 512 B (+ 3 not known)".
std::string sumText(std::string known, std::size_t open);
/// One place and a sign: "63.2 %", of a fraction 0 to 1.
std::string percentText(double fraction);
/// Three places: "0.479".
std::string ratioText(double ratio);
/// Three significant digits and a prefix: "12.3 µs", "85 GB/s".
std::string siText(double value, std::string_view unit);
/// One field of a CSV line, quoted where RFC 4180 wants it. A text that a spreadsheet would take
/// for a formula gets an apostrophe in front.
std::string csvField(std::string text);

// A column of a table is declared once: what it is called and what it holds. The window's table,
// the command line's text, JSON and CSV follow from that.

using Json = nlohmann::ordered_json;

/// There is a value, and it is not known: null in JSON, Column::unknown in text.
struct Unknown {
    bool operator==(const Unknown &) const = default;
};
/// There is none: null in JSON, a blank cell.
struct Nothing {
    bool operator==(const Nothing &) const = default;
};
/// A blank cell that a JSON object has no key for.
struct Absent {
    bool operator==(const Absent &) const = default;
};
/// An amount: "1,234,567", and the integer in JSON.
struct Count {
    std::uint64_t number = 0;
    explicit constexpr Count(std::uint64_t amount = 0) : number(amount) {}
    bool operator==(const Count &) const = default;
};
/// An integer that is a name more than an amount, such as a code or a version: no separators.
struct Code {
    std::uint64_t number = 0;
    explicit constexpr Code(std::uint64_t name = 0) : number(name) {}
    bool operator==(const Code &) const = default;
};
/// An offset or a word: "0x0002b080", the integer in JSON.
struct Hex {
    std::uint64_t number = 0;
    int digits = 1;
    explicit constexpr Hex(std::uint64_t word = 0, int least = 1) : number(word), digits(least) {}
    bool operator==(const Hex &) const = default;
};
/// A ratio, with three places; six in JSON.
struct Ratio {
    double number = 0;
    explicit constexpr Ratio(double ratio = 0) : number(ratio) {}
    bool operator==(const Ratio &) const = default;
};
/// A fraction 0 to 1: "63.2 %"; the fraction with six places in JSON.
struct Percent {
    double fraction = 0;
    explicit constexpr Percent(double share = 0) : fraction(share) {}
    bool operator==(const Percent &) const = default;
};
/// A real number: fixed places, or significant digits; exact in JSON.
struct Real {
    double number = 0;
    int places = 3;
    bool significant = false;
    explicit constexpr Real(double value = 0, int shownPlaces = 3, bool digits = false)
        : number(value), places(shownPlaces), significant(digits)
    {
    }
    bool operator==(const Real &) const = default;
};
/// A number that is written in its own way, such as a range; in JSON the number.
struct Written {
    double number = 0;
    std::string text;
    explicit Written(double value = 0, std::string written = {})
        : number(value), text(std::move(written))
    {
    }
    bool operator==(const Written &) const = default;
};
/// A time in seconds: four digits where the column's unit is said in its header, as on the
/// terminal; "12.3 µs" in the window; exact in JSON.
struct Seconds {
    double number = 0;
    explicit constexpr Seconds(double time = 0) : number(time) {}
    bool operator==(const Seconds &) const = default;
};
/// What a word says, for those who see more than its letters.
enum class Mark : std::uint8_t {
    None,
    Good,
    Passes,
    Bad,
    Open,
    Folds,
    Dense,
    Contested,
    Assumed,
    Chosen
};
/// A term of the program, which the window translates; `detail` follows it after a colon and is
/// no such term. Without a term it stands alone, with the mark.
struct Word {
    std::string_view text;
    Mark mark = Mark::None;
    std::string detail = {};
    int rank = -1; ///< by which it sorts; below 0: by its letters
    explicit Word(std::string_view term = {}, Mark shown = Mark::None, std::string more = {},
                  int order = -1)
        : text(term), mark(shown), detail(std::move(more)), rank(order)
    {
    }
    bool operator==(const Word &) const = default;
};
/// Where something is: "weight.bin+0x40", the file alone where there is no offset. Sorts by both.
struct FilePlace {
    std::string_view file;
    std::optional<std::uint64_t> offset;
    explicit constexpr FilePlace(std::string_view path = {},
                                 std::optional<std::uint64_t> at = std::nullopt)
        : file(path), offset(at)
    {
    }
    bool operator==(const FilePlace &) const = default;
};
/// A text that lives as long as the row.
using View = std::string_view;
using List = std::vector<std::string>;

/// What a cell holds. A text is shown as it is; yes and no are terms of the program.
using Value = std::variant<Unknown, Nothing, Absent, bool, Count, Code, Hex, Ratio, Percent, Real,
                           Seconds, Written, Word, FilePlace, View, std::string, List>;

/// Where an optional value is shown as one, else as unknown. `more`: such as its digits.
template <class As, class None = Unknown, class T, class... More>
Value known(const std::optional<T> &value, More... more)
{
    return value ? Value(As(static_cast<decltype(As::number)>(*value), more...)) : Value(None());
}
inline Value known(const std::optional<bool> &value)
{
    return value ? Value(*value) : Value(Unknown());
}
inline Value known(const std::optional<ByteCount> &bytes)
{
    return bytes ? Value(Count{bytes->value}) : Value(Unknown());
}
/// What `cell` gives of what may not be there, an optional or by its pointer.
template <class None = Nothing, class There, class Cell>
Value ofAny(const There &there, Cell cell)
{
    return there ? Value(std::invoke(cell, *there)) : Value(None());
}
/// A text or list, or nothing where it is empty; what is no part of the row is moved.
template <class Empty = Nothing, class Text>
Value orNothing(Text &&text)
{
    if (text.empty())
        return Empty();
    if constexpr (std::is_lvalue_reference_v<Text>)
        return std::string_view(text);
    else
        return std::forward<Text>(text);
}

template <class Text>
Value orAbsent(Text &&text)
{
    return orNothing<Absent>(std::forward<Text>(text));
}

template <class Row, class Type>
Row rowOf(Type Row::*);
/// The cell of a member, as in member<&Row::name> or member<&Row::bytes, Count>.
template <auto Member, class As = View>
Value member(const decltype(rowOf(Member)) &row)
{
    if constexpr (!std::is_same_v<As, View>)
        return As(row.*Member);
    else if constexpr (std::is_constructible_v<View, decltype((row.*Member))>)
        return View(row.*Member);
    else
        return row.*Member;
}

/// Where a column is shown, everywhere unless said. CSV has the columns of documents and tables.
enum Shown : unsigned {
    kDocument = 1, ///< JSON
    kTerminal = 2, ///< text of the command line
    kWindow = 4,
    kTables = kTerminal | kWindow,
    kEverywhere = kDocument | kTables,
};
/// What its cells are, or'ed to Shown: words unless said.
inline constexpr unsigned kNumber = 8, kName = 16;

/// What a column sorts by: nothing before numbers before texts.
using SortValue = std::variant<std::monostate, std::uint64_t, double, std::string>;

/// What a column says of itself, without its rows.
struct ColumnFacts {
    std::string_view key, title, unit, explanation, unknown;
    TextTable::Align align = TextTable::Align::Left;
    unsigned shown = kEverywhere;
    bool searched = true;
    bool hasCells = true;
    bool number() const { return align == TextTable::Align::Right; }
    /// "stored B": the title with its unit.
    std::string header() const;
};

// What a column says beyond its key, title, explanation and cells: the last arguments of Column.

/// Unit of every cell, such as "B".
constexpr auto withUnit(std::string_view unit)
{
    return [unit](auto &column) { column.unit = unit; };
}
/// Text of Unknown, "-" unless said.
constexpr auto unknownAs(std::string_view text)
{
    return [text](auto &column) { column.unknown = text; };
}
/// The window's filter does not look into it.
constexpr auto notSearched()
{
    return [](auto &column) { column.searched = false; };
}
/// Json(const Row &): where JSON has more than the cell; no key where that is noKey().
template <class Function>
constexpr auto jsonOf(Function function)
{
    return [function](auto &column) { column.document = function; };
}
/// std::string(const Row &): where the cell comes from, as the window says it.
template <class Function>
constexpr auto originOf(Function function)
{
    return [function](auto &column) { column.origin = function; };
}
/// SortValue(const Row &): what it sorts by where that is not the value.
template <class Function>
constexpr auto sortedBy(Function function)
{
    return [function](auto &column) { column.order = function; };
}

/// A function of a row without a state, as Column keeps it, whatever of Value it returns.
template <class Row, class Cell>
constexpr auto cellOf(Cell cell) -> Value (*)(const Row &)
{
    if constexpr (std::is_convertible_v<Cell, Value (*)(const Row &)>)
        return cell;
    else
        return [](const Row &row) -> Value { return Cell{}(row); };
}
/// What is no text is the cell of a column.
template <class Cell>
concept CellFunction = !std::is_convertible_v<Cell, std::string_view>;

/// The function of a row that gives what stands in the brackets, which calls it `row`.
#define CELL(...) [](const auto &row) { return __VA_ARGS__; }

/// One column of a table whose rows are a Row, as in
///     {kNumber | kDocument, "bytes", "stored", "Bytes in the file", &storedOf, withUnit("B")}
/// A cell is a function of the row, such as CELL(Count(row.bytes)); one that gives Json is in JSON
/// alone.
template <class Row>
struct Column {
    std::string_view key;         ///< of JSON and CSV
    std::string_view title;       ///< lower case; the window begins it with a capital letter
    std::string_view explanation; ///< a sentence: what its values are
    Value (*value)(const Row &) = nullptr; ///< null where only JSON has it
    TextTable::Align align = TextTable::Align::Left;
    unsigned shown = kEverywhere;
    std::string_view unit = "", unknown = "-";
    bool searched = true;
    Json (*document)(const Row &) = nullptr;
    std::string (*origin)(const Row &) = nullptr;
    SortValue (*order)(const Row &) = nullptr;

    /// `look`: kNumber or kName, and of Shown what it is shown in.
    template <CellFunction Cell, class... More>
    constexpr Column(unsigned look, std::string_view name, std::string_view header,
                     std::string_view sentence, Cell cell, More... more)
        : key(name), title(header), explanation(sentence)
    {
        if constexpr (std::is_same_v<std::invoke_result_t<Cell, const Row &>, Json>)
            document = cell;
        else
            value = cellOf<Row>(cell);
        align = (look & kNumber) != 0 ? TextTable::Align::Right
                : (look & kName) != 0 ? TextTable::Align::Name
                                      : TextTable::Align::Left;
        shown = (look & kEverywhere) != 0 ? look & kEverywhere : unsigned(kEverywhere);
        (more(*this), ...);
    }
    template <CellFunction Cell, class... More>
    constexpr Column(std::string_view name, std::string_view header, std::string_view sentence,
                     Cell cell, More... more)
        : Column(0U, name, header, sentence, cell, more...)
    {
    }
    /// Where the key is the title as well.
    template <CellFunction Cell, class... More>
    constexpr Column(unsigned look, std::string_view name, std::string_view sentence, Cell cell,
                     More... more)
        : Column(look, name, name, sentence, cell, more...)
    {
    }
    template <CellFunction Cell, class... More>
    constexpr Column(std::string_view name, std::string_view sentence, Cell cell, More... more)
        : Column(0U, name, name, sentence, cell, more...)
    {
    }

    ColumnFacts facts() const
    {
        return {key, title, unit, explanation, unknown, align, shown, searched, value != nullptr};
    }
};

/// A table: its columns in the order in which people read them.
template <class Row>
struct TableOf {
    std::string_view name; ///< base name of an exported file, such as "calibration"
    std::vector<Column<Row>> columns;
    /// Keys that come first in JSON, and in the window, in this order; empty: as declared.
    std::vector<std::string_view> documentOrder, windowOrder;

    TableOf(std::string_view file, std::vector<Column<Row>> declared,
            std::vector<std::string_view> document = {}, std::vector<std::string_view> window = {})
        : name(file), columns(std::move(declared)), documentOrder(std::move(document)),
          windowOrder(std::move(window))
    {
    }
    template <std::size_t Size>
    TableOf(std::string_view file, const Column<Row> (&declared)[Size],
            std::vector<std::string_view> document = {}, std::vector<std::string_view> window = {})
        : TableOf(file, std::vector<Column<Row>>(std::begin(declared), std::end(declared)),
                  std::move(document), std::move(window))
    {
    }

    std::vector<ColumnFacts> facts() const
    {
        std::vector<ColumnFacts> all;
        for (const Column<Row> &column : columns)
            all.push_back(column.facts());
        return all;
    }
};

/// The cell as people read it: numbers with separators, the column's word for what is not known.
std::string text(const Value &value, std::string_view unknown = "-");
/// For programs: numbers without separators, nothing for what is not known.
std::string plainText(const Value &value);
SortValue sortValue(const Value &value);

/// Places of the columns with that flag of Shown: those of the keys `first`, then the others.
std::vector<std::size_t> columnOrder(const std::vector<ColumnFacts> &columns,
                                     const std::vector<std::string_view> &first, Shown where);

/// Another title than the declared one, such as the name of the chip: by the column's key.
using Titles = std::vector<std::pair<std::string_view, std::string>>;
TextTable emptyTextTable(const std::vector<ColumnFacts> &columns, const Titles &titles);
std::string csvLine(std::vector<std::string> cells);
/// True where no row has that column: each of its cells is Absent.
template <class Row, class Rows>
bool absent(const Column<Row> &column, const Rows &rows)
{
    for (const Row &row : rows) {
        if (!std::holds_alternative<Absent>(column.value(row)))
            return false;
    }
    return true;
}

/// The columns with that flag of Shown, without those that no row has.
template <class Row, class Rows>
TextTable textTable(const TableOf<Row> &table, const Rows &rows, const Titles &titles = {},
                    Shown where = kTerminal)
{
    std::vector<const Column<Row> *> columns;
    std::vector<ColumnFacts> facts;
    for (const Column<Row> &column : table.columns) {
        if ((column.shown & where) == 0 || column.value == nullptr || absent(column, rows))
            continue;
        columns.push_back(&column);
        facts.push_back(column.facts());
    }
    TextTable text = emptyTextTable(facts, titles);
    for (const Row &row : rows) {
        std::vector<std::string> cells;
        for (const Column<Row> *column : columns)
            cells.push_back(report::text(column->value(row), column->unknown));
        text.add(std::move(cells));
    }
    return text;
}

/// A header of keys and a line a row, as RFC 4180 has it: every column that has cells.
template <class Row, class Rows>
std::string csvText(const TableOf<Row> &table, const Rows &rows)
{
    std::vector<std::string> keys;
    for (const Column<Row> &column : table.columns) {
        if (column.value != nullptr)
            keys.emplace_back(column.key);
    }
    std::string text = csvLine(std::move(keys));
    for (const Row &row : rows) {
        std::vector<std::string> cells;
        for (const Column<Row> &column : table.columns) {
            if (column.value != nullptr)
                cells.push_back(plainText(column.value(row)));
        }
        text += csvLine(std::move(cells));
    }
    return text;
}

} // namespace kernscope::report
