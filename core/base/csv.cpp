// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/csv.h"

#include "core/base/error_builder.h"
#include "core/base/platform.h"

#include <algorithm>
#include <charconv>

#include <csv.h>
#include <fmt/format.h>

namespace kernscope {

namespace {

struct Collector {
    std::vector<std::string> cells, header;
    std::size_t inRow = 0, row = 0;
    std::optional<Error> fault;
    std::string name;
};

void onCell(void *data, std::size_t length, void *context)
{
    auto &to = *static_cast<Collector *>(context);
    std::string text = data ? std::string(static_cast<const char *>(data), length) : std::string();
    (to.row == 0 ? to.header : to.cells).push_back(std::move(text));
    ++to.inRow;
}

void onRow(int, void *context)
{
    auto &to = *static_cast<Collector *>(context);
    ++to.row;
    if (to.row > 1 && to.inRow != to.header.size() && !to.fault) {
        to.fault =
            valueError({to.name, FileOffset(to.row)}, "csv.columns", {},
                       fmt::format("{} cells", to.header.size()), fmt::format("{} cells", to.inRow),
                       fmt::format("row {} has another number of cells than the header", to.row));
    }
    to.inRow = 0;
}

} // namespace

Result<CsvTable> CsvTable::parse(std::string_view text, std::string_view name)
{
    Collector collector;
    collector.name = name;
    csv_parser parser;
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
        return ErrorBuilder("csv.syntax").file(collector.name).message("no parser").unexpected();
    const std::size_t read =
        csv_parse(&parser, text.data(), text.size(), onCell, onRow, &collector);
    const bool finished = read == text.size() && csv_fini(&parser, onCell, onRow, &collector) == 0;
    csv_free(&parser);
    if (collector.fault)
        return tl::unexpected(std::move(*collector.fault));
    if (!finished) {
        return tl::unexpected(Error{"csv.syntax",
                                    collector.name,
                                    FileOffset(collector.row + 1),
                                    {},
                                    {},
                                    "a quoted or plain cell",
                                    {},
                                    "the table cannot be read"});
    }
    CsvTable table;
    table.m_columns = std::move(collector.header);
    table.m_cells = std::move(collector.cells);
    return table;
}

std::optional<std::size_t> CsvTable::column(std::string_view name) const
{
    const auto at = std::ranges::find(m_columns, name);
    if (at == m_columns.end())
        return std::nullopt;
    return static_cast<std::size_t>(at - m_columns.begin());
}

std::string_view CsvTable::cell(std::size_t row, std::string_view name) const
{
    const auto at = column(name);
    return at ? cell(row, *at) : std::string_view();
}

std::optional<std::int64_t> parseInteger(std::string_view text)
{
    const bool negative = text.starts_with('-');
    std::string_view digits = negative ? text.substr(1) : text;
    const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
    if (hex)
        digits.remove_prefix(2);
    std::int64_t value = 0;
    const char *end = digits.data() + digits.size();
    const auto [stop, fault] = std::from_chars(digits.data(), end, value, hex ? 16 : 10);
    if (digits.empty() || fault != std::errc() || stop != end || value < 0)
        return std::nullopt;
    return negative ? -value : value;
}

std::optional<double> parseNumber(std::string_view text)
{
    double value = 0;
    const char *end = text.data() + text.size();
    const auto [stop, fault] = platform::readNumber(text.data(), end, value);
    if (text.empty() || fault != std::errc() || stop != end)
        return std::nullopt;
    return value;
}

} // namespace kernscope
