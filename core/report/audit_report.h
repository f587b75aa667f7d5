// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/known_faults.h"
#include "core/audit/audit.h"
#include "core/report/document.h"

/// A package held against its checkpoint, as `audit` shows it.
namespace kernscope::report {

extern const TableOf<audit::AuditedWeight> auditTable;

/// A reported fault whose pattern a package has.
struct KnownFaultLine {
    const KnownFault *fault = nullptr;
    std::string text; ///< in words, with its source
    std::uint64_t count = 0;
};
std::vector<KnownFaultLine> knownFaultLines(const Bundle &package);

/// A tensor of the checkpoint, and how far the weights of two builds are from it.
struct NearerRow {
    const audit::AuditedWeight *package = nullptr, *sibling = nullptr;
    int nearer = 0; ///< -1: the package's, 1: the sibling's, 0: within one percent of each other
};

/// The two sides of an audit, and what was found.
struct AuditSubject {
    std::string package, checkpoint; ///< as they were given
    audit::AuditResult result;
    std::vector<KnownFaultLine> knownFaults; ///< that the package may run into
    std::vector<LimitFault> broken;          ///< rules that the package does not keep
    std::string sibling;                     ///< another build, held against the same checkpoint
    audit::AuditResult siblingResult = {};

    bool holds() const { return result.comparable() && result.faulty.empty() && broken.empty(); }
    /// The weights that both builds have, in the order of the package.
    std::vector<NearerRow> nearer() const;
};
/// Which of two builds is nearer to the checkpoint, weight by weight.
extern const TableOf<NearerRow> nearerTable;
/// "model.mlpackage is nearer in 3 of 8 weights, other.mlpackage in 4, 1 is alike".
std::string nearerSentence(const AuditSubject &subject);

/// "sound", "at fault", "cannot be compared".
std::string_view auditVerdict(const audit::AuditResult &result);
/// One sentence: "The stored weights are what their forms make of this checkpoint: …", or which
/// are not.
std::string auditSentence(const AuditSubject &subject);

/// The document of `audit`.
Json auditJson(const AuditSubject &subject);
/// "html", "markdown", "csv", "json": the whole report as that.
std::string auditText(const AuditSubject &subject, std::string_view format,
                      const Diagnostics &diagnostics);

} // namespace kernscope::report
