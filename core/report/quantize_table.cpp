// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/quantize_table.h"

#include "core/container/quantized/quantize.h"
#include "core/report/json_table.h"

#include <cstdint>
#include <string>

namespace kernscope::report {

namespace {

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

} // namespace

const TableOf<Json> &quantizedFileTable()
{
    using Row = Json;
    static constexpr Column<Row> kColumns[] = {
        {"path", "file", "Path in the folder",
         [](const Json &row) -> Value { return row.value("path", std::string()); }},
        {"dtype", "type", "Type of its elements",
         [](const Json &row) -> Value { return row.value("dtype", std::string()); }},
        {kNumber, "bytes", "bytes", "Length of the file in bytes",
         [](const Json &row) -> Value { return Count(row.value("bytes", std::uint64_t{0})); }},
    };
    static const TableOf<Row> kTable{"quantized_files", kColumns};
    return kTable;
}

const TableOf<codec::TquantTile> &quantizeTileTable()
{
    using Row = codec::TquantTile;
    static constexpr Column<Row> kColumns[] = {
        {"name", "tile", "Operand of the instruction",
         [](const Row &row) -> Value { return View(row.name); }},
        {"dtype", "type", "Type of its elements",
         [](const Row &row) -> Value { return View(row.type); }},
        {"shape", "shape", "Its rows and columns",
         [](const Row &row) -> Value { return shapeText(row.shape); },
         jsonOf([](const Row &row) { return Json(row.shape); })},
        {kNumber, "bytes", "bytes", "Bytes of the tile",
         [](const Row &row) -> Value { return Count(row.bytes); }},
        {kTerminal, "remark", "remark",
         "Whether it holds nothing of use afterwards; devices that need it", tileRemark},
        {kDocument, "scratch", "scratch", "Holds nothing of use afterwards",
         [](const Row &row) -> Value { return row.scratch; }},
        {kDocument, "devices", "devices", "The devices that need it, where not all do", nullptr,
         jsonOf([](const Row &row) {
             return row.name == "tmp" ? Json(devicesOf(row)) : Json(nullptr);
         })},
    };
    static const TableOf<Row> kTable{"quantize_tiles", kColumns};
    return kTable;
}

} // namespace kernscope::report
