// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/container/mil/program.h"
#include "core/report/column.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The program of a bundle, as `inspect` lists it. Rows point into the bundle.
namespace kernscope::report {

/// A model of a pipeline, or the only one.
struct ModelFacts {
    const mil::ModelNode *node = nullptr;
    std::size_t weights = 0; ///< of the bundle that are its own
};
std::vector<ModelFacts> modelFacts(const Bundle &bundle);
const TableOf<ModelFacts> &modelTable();

/// An operation that the compiler annotated: where it runs, as far as the compiler says so.
struct AnnotatedOperation {
    const mil::Function *function = nullptr;
    const mil::Operation *operation = nullptr;
    mil::BackendNotes notes;
};
std::vector<AnnotatedOperation> annotatedOperations(const mil::Program &program,
                                                    const mil::Function &function);
const TableOf<AnnotatedOperation> &annotatedOperationTable();

/// A record of a file that several weights store: each of them counts its bytes as its own, the
/// totals only once.
struct SharedRecord {
    std::string_view file;
    FileOffset offset; ///< of the record
    ByteCount bytes;
    List weights; ///< names of those that store it
};
std::vector<SharedRecord> sharedRecords(const Bundle &bundle);
const TableOf<SharedRecord> &sharedRecordTable();

} // namespace kernscope::report
