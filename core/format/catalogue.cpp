// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/catalogue.h"

#include "core/format/code_sets.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <array>

namespace kernscope::format {

namespace {

constexpr std::array<std::string_view, 4> kConfidenceNames{"verified", "documented", "contested",
                                                           "assumed"};

std::vector<CatalogueRow> rowsOf(std::string_view table, std::string_view codeColumn)
{
    return tables::loadRows<CatalogueRow>(table,
                                          {{codeColumn, &CatalogueRow::code},
                                           {"name", &CatalogueRow::name},
                                           {"bits", &CatalogueRow::bits},
                                           {"capability_byte", &CatalogueRow::capabilityByte},
                                           {"in_kernel_unit", &CatalogueRow::inKernelUnit},
                                           {"since_compiler", &CatalogueRow::sinceCompiler},
                                           {"confidence", &CatalogueRow::confidence},
                                           {"source", &CatalogueRow::source},
                                           {"note", &CatalogueRow::note}});
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

bool isDmaConvertibleToFp16(TensorFormat format)
{
    return dmaConvertibleToFp16().has(format.value);
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
