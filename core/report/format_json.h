// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/catalogue.h"
#include "core/format/legality.h"
#include "core/report/json.h"
#include "core/target/target.h"

#include <span>

/// The numberings of element types and storage formats, as `formats` lists them.
namespace kernscope::report {

/// The enum with the five helpers of table 25.1, and for each format every rule that was consulted.
Json kernelFormatsJson(const format::FormatUse &use);
/// `[{"code","name","bits","confidence","source"}]`
Json typesJson(std::span<const format::CatalogueRow> rows);
/// The same of tensor formats, with what the chip's DMA does with each.
Json tensorFormatsJson(const target::Target &target);
/// Table 25.5: what an encoder of that descriptor version can write.
Json codegenJson(unsigned version);

} // namespace kernscope::report
