// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/microscaled/microscaled.h"

#include "core/base/error_builder.h"

#include <array>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

constexpr std::string_view kSource = "pto.tquant, table of constraints";

/// Collects the constraints of one request.
class Rules
{
public:
    explicit Rules(const MxRequest &request) : m_request(request) {}

    void require(std::string name, bool holds, std::string required, std::string found,
                 bool padded = false)
    {
        m_rules.push_back({std::move(name), holds || padded, padded && !holds, std::move(required),
                           std::move(found), std::string(kSource)});
    }
    std::string rows() const { return fmt::format("M = {}", m_request.rows); }
    std::string columns() const { return fmt::format("N = {}", m_request.columns); }
    std::vector<MxConstraint> take() { return std::move(m_rules); }

private:
    const MxRequest &m_request;
    std::vector<MxConstraint> m_rules;
};

void addSource(Rules &rules, const MxRequest &request)
{
    if (request.format != MxFormat::Mxfp4)
        return;
    const bool fits = request.source != MxSource::Fp32 || request.simulator;
    rules.require("source", fits, "MXFP4 takes fp16 or bf16 (fp32 in the CPU simulator only)",
                  std::string(mxSourceName(request.source)));
}

void addGroups(Rules &rules, const MxRequest &request)
{
    // 16-bit sources narrower than a whole number of groups read as zero there.
    const bool pads = request.source != MxSource::Fp32 && request.columns != 0;
    rules.require("columns", request.columns % kMxGroup == 0, "N mod 32 = 0 (group size 32)",
                  rules.columns(), pads);
    if (request.axis == MxAxis::Rows)
        rules.require("rows", request.rows % kMxGroup == 0,
                      "M mod 32 = 0 (groups of 32 along the rows)", rules.rows());
}

/// Columns with the padding of 16-bit sources.
std::uint64_t storedColumns(const MxRequest &request)
{
    return request.columns / kMxGroup * kMxGroup + (request.columns % kMxGroup != 0 ? kMxGroup : 0);
}

void addTile(Rules &rules, const MxRequest &request)
{
    if (request.tiled)
        return;
    const std::uint64_t stored = storedColumns(request);
    const bool fits = request.rows == 0 || stored <= kMxTileElements / request.rows;
    rules.require("tile", fits,
                  fmt::format("M * N <= {} (buffer budget of one tile)", kMxTileElements),
                  fmt::format("{} * {}", request.rows, stored));
}

void addLayouts(Rules &rules, const MxRequest &request)
{
    if (request.nzData)
        rules.require("NZ rows", request.rows % 16 == 0, "M mod 16 = 0 (boxes of 16 rows)",
                      rules.rows(), true);
    const std::uint64_t stored = storedColumns(request);
    const std::string columns = fmt::format("N = {}", stored);
    if (request.zzExponents && request.axis == MxAxis::Columns) {
        rules.require("ZZ rows", request.rows % 16 == 0, "M mod 16 = 0 (boxes of 16 rows)",
                      rules.rows(), true);
        rules.require("ZZ columns", stored % 64 == 0,
                      "N mod 64 = 0 (an even number of exponent groups)", columns);
    }
    if (request.zzExponents && request.axis == MxAxis::Rows) {
        rules.require("ZZ rows", request.rows % 64 == 0, "M mod 64 = 0 (pairs of groups)",
                      rules.rows());
        rules.require("ZZ columns", stored % 16 == 0, "N mod 16 = 0 (boxes of 16 columns)",
                      columns);
    }
    if (request.interleaved) {
        rules.require("interleaved axis", request.axis == MxAxis::Rows, "groups along axis 0 (DN)",
                      std::string(mxAxisName(request.axis)));
        rules.require("interleaved rows", request.rows % 64 == 0,
                      "M mod 64 = 0 (tiles start on 64-row boundaries)", rules.rows());
    }
}

} // namespace

std::string_view mxFormatName(MxFormat format)
{
    return format == MxFormat::Mxfp8 ? "mxfp8" : "mxfp4";
}

std::string_view mxAxisName(MxAxis axis)
{
    return axis == MxAxis::Rows ? "dn" : "nd";
}

std::string_view mxSourceName(MxSource source)
{
    constexpr std::array<std::string_view, 3> kNames{"fp32", "bf16", "fp16"};
    return kNames[static_cast<std::size_t>(source)];
}

std::vector<MxConstraint> checkMicroscaled(const MxRequest &request)
{
    Rules rules(request);
    rules.require("shape", request.rows != 0 && request.columns != 0, "a matrix with elements",
                  fmt::format("{} x {}", request.rows, request.columns));
    addSource(rules, request);
    addGroups(rules, request);
    addTile(rules, request);
    addLayouts(rules, request);
    return rules.take();
}

Result<void> requireMicroscaled(const MxRequest &request)
{
    for (const MxConstraint &rule : checkMicroscaled(request)) {
        if (rule.holds)
            continue;
        return ErrorBuilder("mx.constraint")
            .field(rule.name)
            .expected(rule.required)
            .found(rule.found)
            .message(fmt::format("{} along axis {} ({}) refuses this matrix: {}",
                                 mxFormatName(request.format), request.axis == MxAxis::Rows ? 0 : 1,
                                 mxAxisName(request.axis), rule.name))
            .unexpected();
    }
    return {};
}

MxConstraint int8SourceConstraint(MxSource source)
{
    return {
        "source",          source == MxSource::Fp32,          false,
        "INT8 takes fp32", std::string(mxSourceName(source)), "pto.tquant, supported input types"};
}

std::vector<TquantTile> tilesOf(const MxRequest &request)
{
    const std::uint64_t columns = storedColumns(request);
    const std::uint64_t elements = request.rows * columns;
    const bool wide = request.source == MxSource::Fp32;
    const std::string type(mxSourceName(request.source));
    const bool across = request.axis == MxAxis::Columns;
    const Shape all{request.rows, columns};
    const Shape groups{across ? request.rows : request.rows / kMxGroup,
                       across ? columns / kMxGroup : columns};
    const std::uint64_t count = elements / kMxGroup;
    const std::uint64_t width = wide ? 4 : 2;
    const bool bytes = request.format == MxFormat::Mxfp8;
    return {{"src", type, all, elements * width, false},
            {"dst", bytes ? "e4m3fn" : "e2m1", all, bytes ? elements : elements / 2, false},
            {"exp", "e8m0", groups, count, false},
            {"max", type, groups, count * width, true},
            {"scaling", type, groups, count * width, true}};
}

std::vector<TquantTile> int8Tiles(std::uint64_t rows, std::uint64_t columns, bool offset)
{
    const std::uint64_t elements = rows * columns;
    std::vector<TquantTile> tiles{
        {"src", "fp32", {rows, columns}, 4 * elements, false},
        {"dst", offset ? "uint8" : "int8", {rows, columns}, elements, false},
        {"scale", "fp32", {rows}, 4 * rows, false}};
    if (offset)
        tiles.push_back({"offset", "fp32", {rows}, 4 * rows, false});
    tiles.push_back({"tmp", "fp32", {rows, columns}, 4 * elements, true});
    return tiles;
}

} // namespace kernscope::codec
