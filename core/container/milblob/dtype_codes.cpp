// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/milblob/milblob.h"
#include "core/format/catalogue.h"

#include <algorithm>
#include <vector>

namespace kernscope::milblob {

namespace {

/// By code, from resources/tables/blob_types.csv; 0 is none.
const std::vector<ElementType> &types()
{
    static const auto all = [] {
        std::vector<ElementType> byCode;
        for (const format::CatalogueRow &row : format::blobTypes()) {
            if (row.code >= byCode.size())
                byCode.resize(row.code + std::size_t{1}, ElementType::Unknown);
            byCode[row.code] = elementTypeFromName(row.name);
        }
        return byCode;
    }();
    return all;
}

} // namespace

ElementType elementTypeFromCode(std::uint32_t code)
{
    return code < types().size() ? types()[code] : ElementType::Unknown;
}

std::uint32_t codeOf(ElementType type)
{
    const auto at = std::find(types().begin(), types().end(), type);
    return type == ElementType::Unknown || at == types().end()
               ? 0
               : static_cast<std::uint32_t>(at - types().begin());
}

} // namespace kernscope::milblob
