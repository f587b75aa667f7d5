// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/diagnostic_log.h"
#include "core/bundle/section_map.h"
#include "core/container/milblob/milblob.h"

/// Weight files of a bundle: their records and what each byte is for.
namespace kernscope {

/// The records of a weight file, by offset: those that a walk finds and those that are `named` (by
/// a program), each once. Fills in what the file's row says of it.
std::vector<milblob::Record>
readBlobRecords(BundleFile &file, const std::vector<milblob::Record> &named, DiagnosticLog &log);

/// Marks the operands whose record another one uses as well.
void markSharedOperands(std::vector<Weight> &weights);

/// An operand of a weight whose record lies at some offset of a file.
struct RecordUse {
    FileOffset metaOffset;
    std::size_t weight = 0;
    std::size_t operand = 0;
};

/// Claims of a weight file: header, metadata records, payloads. `uses` (sorted by offset, then
/// weight) say whose the payloads are; the first one owns a shared payload.
std::vector<ByteClaim> claimsOfBlobFile(const std::vector<milblob::Record> &records,
                                        const std::vector<RecordUse> &uses,
                                        const std::vector<Weight> &weights);

/// The operands whose records lie in each of `files` files, sorted by offset, then weight.
std::vector<std::vector<RecordUse>> recordUses(const std::vector<Weight> &weights,
                                               std::size_t files);

} // namespace kernscope
