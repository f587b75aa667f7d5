// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/catalogue.h"

#include "core/format/tables.h"

#include <algorithm>
#include <array>

namespace kernscope::format {

namespace {

constexpr std::array<std::string_view, 4> kConfidenceNames{"verified", "documented", "contested",
                                                           "assumed"};

/// An embedded table that does not parse has no rows; the tests hold every table to its columns.
std::vector<CatalogueRow> rowsOf(std::string_view table, std::string_view codeColumn)
{
    std::vector<CatalogueRow> rows;
    const auto csv = tables::load(table);
    if (!csv)
        return rows;
    for (std::size_t i = 0; i < csv->rows(); ++i) {
        CatalogueRow row;
        row.code = static_cast<std::uint32_t>(parseInteger(csv->cell(i, codeColumn)).value_or(0));
        row.name = csv->cell(i, "name");
        if (const auto bits = parseInteger(csv->cell(i, "bits")))
            row.bits = static_cast<unsigned>(*bits);
        // A table without the column has empty cells there.
        if (const auto byte = parseInteger(csv->cell(i, "capability_byte")))
            row.capabilityByte = static_cast<std::uint32_t>(*byte);
        row.inKernelUnit = csv->cell(i, "in_kernel_unit") == "yes";
        row.confidence = confidenceFromName(csv->cell(i, "confidence"));
        row.source = csv->cell(i, "source");
        row.note = csv->cell(i, "note");
        rows.push_back(std::move(row));
    }
    return rows;
}

const CatalogueRow *findIn(std::span<const CatalogueRow> rows, std::uint32_t code)
{
    const auto at = std::find_if(rows.begin(), rows.end(),
                                 [code](const CatalogueRow &row) { return row.code == code; });
    return at == rows.end() ? nullptr : &*at;
}

} // namespace

std::string_view confidenceName(Confidence confidence)
{
    return kConfidenceNames[static_cast<std::size_t>(confidence)];
}

Confidence confidenceFromName(std::string_view name)
{
    for (std::size_t i = 0; i < kConfidenceNames.size(); ++i) {
        if (kConfidenceNames[i] == name)
            return static_cast<Confidence>(i);
    }
    return Confidence::Assumed;
}

std::span<const CatalogueRow> elementCatalogue()
{
    static const auto rows = rowsOf("element_catalogue", "type_number");
    return rows;
}

std::span<const CatalogueRow> tensorFormats()
{
    static const auto rows = rowsOf("tensor_formats", "code");
    return rows;
}

std::span<const CatalogueRow> serializationTypes()
{
    static const auto rows = rowsOf("serialization_types", "code");
    return rows;
}

std::span<const CatalogueRow> blobTypes()
{
    static const auto rows = rowsOf("blob_types", "code");
    return rows;
}

const CatalogueRow *find(TypeNumber number)
{
    return findIn(elementCatalogue(), number.value);
}

const CatalogueRow *find(TensorFormat format)
{
    return findIn(tensorFormats(), format.value);
}

const CatalogueRow *find(SerializationType type)
{
    return findIn(serializationTypes(), type.value);
}

const CatalogueRow *find(BlobType type)
{
    return findIn(blobTypes(), type.value);
}

} // namespace kernscope::format
