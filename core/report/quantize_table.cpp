// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/quantize_table.h"

#include "core/container/quantized/quantize.h"
#include "core/report/json_table.h"

#include <cstdint>
#include <string>

namespace kernscope::report {

namespace {

constexpr auto kQuantizedNumber = TextTable::Align::Right;

/// The devices that need a tile which not all of them do.
std::string devicesOf(const codec::TquantTile &tile)
{
    return tile.name == "tmp" ? format::tquantDevicesWith("tmp", "needed") : std::string();
}

Value tileRemark(const codec::TquantTile &tile)
{
    const std::string devices = devicesOf(tile);
    std::string remark = tile.scratch ? "scratch" : "";
    if (!devices.empty())
        remark += (remark.empty() ? "" : ", ") + devices + " only";
    return remark;
}

std::vector<Column<codec::TquantTile>> quantizeTileColumns()
{
    using Row = codec::TquantTile;
    return {{.key = "name",
             .title = "tile",
             .explanation = "Operand of the instruction",
             .value = [](const Row &row) -> Value { return View(row.name); }},
            {.key = "dtype",
             .title = "type",
             .explanation = "Type of its elements",
             .value = [](const Row &row) -> Value { return View(row.type); }},
            {.key = "shape",
             .title = "shape",
             .explanation = "Its rows and columns",
             .value = [](const Row &row) -> Value { return shapeText(row.shape); },
             .document = [](const Row &row) { return Json(row.shape); }},
            {.key = "bytes",
             .title = "bytes",
             .explanation = "Bytes of the tile",
             .align = kQuantizedNumber,
             .value = [](const Row &row) -> Value { return Count{row.bytes}; }},
            {.key = "remark",
             .title = "remark",
             .explanation = "Whether it holds nothing of use afterwards; devices that need it",
             .shown = kTerminal,
             .value = tileRemark},
            {.key = "scratch",
             .title = "scratch",
             .explanation = "Holds nothing of use afterwards",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return row.scratch; }},
            {.key = "devices",
             .title = "devices",
             .explanation = "The devices that need it, where not all do",
             .shown = kDocument,
             .document = [](const Row &row) {
                 return row.name == "tmp" ? Json(devicesOf(row)) : Json(nullptr);
             }}};
}

} // namespace

const TableOf<Json> &quantizedFileTable()
{
    static const TableOf<Json> kTable{
        "quantized_files",
        {{.key = "path",
          .title = "file",
          .explanation = "Path in the folder",
          .value = [](const Json &row) -> Value { return row.value("path", std::string()); }},
         {.key = "dtype",
          .title = "type",
          .explanation = "Type of its elements",
          .value = [](const Json &row) -> Value { return row.value("dtype", std::string()); }},
         {.key = "bytes",
          .title = "bytes",
          .explanation = "Length of the file in bytes",
          .align = kQuantizedNumber,
          .value = [](const Json &row) -> Value {
              return Count{row.value("bytes", std::uint64_t{0})};
          }}}};
    return kTable;
}

const TableOf<codec::TquantTile> &quantizeTileTable()
{
    static const TableOf<codec::TquantTile> kTable{"quantize_tiles", quantizeTileColumns()};
    return kTable;
}

} // namespace kernscope::report
