// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/known_faults.h"
#include "core/audit/audit.h"
#include "core/base/error.h"
#include "core/bundle/bundle_fwd.h"
#include "core/report/column.h"
#include "core/report/document.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// A package held against its checkpoint, as `audit` shows it.
namespace kernscope::report {

const TableOf<audit::AuditedWeight> &auditTable();

/// A reported fault whose pattern a package has.
struct KnownFaultLine {
    const KnownFault *fault = nullptr;
    std::string text; ///< in words, with its source
    std::uint64_t count = 0;
};
std::vector<KnownFaultLine> knownFaultLines(const Bundle &package);

/// The two sides of an audit, and what was found.
struct AuditSubject {
    std::string package, checkpoint; ///< as they were given
    audit::AuditResult result;
    std::vector<KnownFaultLine> knownFaults; ///< that the package may run into
};

/// "sound", "at fault", "cannot be compared".
std::string_view auditVerdict(const audit::AuditResult &result);
/// One sentence: "The stored weights are what their forms make of this checkpoint: …", or which
/// are not.
std::string auditSentence(const AuditSubject &subject);

/// The document of `audit`.
Json auditJson(const AuditSubject &subject);
Document auditDocument(const AuditSubject &subject);
/// "html", "markdown", "csv", "json": the whole report as that.
std::string auditText(const AuditSubject &subject, std::string_view format,
                      const Diagnostics &diagnostics);

} // namespace kernscope::report
