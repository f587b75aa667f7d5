// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/code_sets.h"

#include "core/format/table_rows.h"

#include <algorithm>

namespace kernscope::format {

namespace {

/// The row of that name; an empty set where the table has none.
CodeSet setNamed(std::string_view name)
{
    const auto rows = tables::loadRows<CodeSet>("code_sets", {{"set", &CodeSet::name},
                                                              {"first_code", &CodeSet::firstCode},
                                                              {"mask", &CodeSet::mask},
                                                              {"guard", &CodeSet::guard},
                                                              {"confidence", &CodeSet::confidence},
                                                              {"source", &CodeSet::source},
                                                              {"note", &CodeSet::note}});
    const auto at = std::find_if(rows.begin(), rows.end(),
                                 [name](const CodeSet &row) { return row.name == name; });
    return at == rows.end() ? CodeSet() : *at;
}

} // namespace

const CodeSet &paletteFormats()
{
    static const CodeSet set = setNamed("palette_formats");
    return set;
}

const CodeSet &unityFormats()
{
    static const CodeSet set = setNamed("unity_formats");
    return set;
}

const CodeSet &nativeKernelFormats()
{
    static const CodeSet set = setNamed("native_kernel_formats");
    return set;
}

const CodeSet &dmaConvertibleToFp16()
{
    static const CodeSet set = setNamed("dma_folds_to_fp16");
    return set;
}

} // namespace kernscope::format
