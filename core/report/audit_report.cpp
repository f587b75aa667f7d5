// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/audit_report.h"

#include "core/report/difference_formats.h"
#include "core/report/json_table.h"

#include <cmath>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using audit::AuditedWeight;
using audit::AuditResult;
using audit::Unpaired;

Value auditFigure(double number)
{
    return std::isfinite(number) ? Value(Real(number, 4, true))
                                 : Value(Word("not finite", Mark::Bad));
}

Json rowRunsJson(const AuditedWeight &row)
{
    if (row.rows.size() < 2)
        return noKey();
    Json runs = Json::array();
    for (const audit::Rows &run : row.rows)
        runs.push_back(Json::array({run.first, run.end}));
    return runs;
}

Json badBlocksJson(const AuditedWeight &row)
{
    if (row.blocks.empty())
        return noKey();
    Json blocks = Json::array();
    for (const audit::BadBlock &block : row.blocks)
        blocks.push_back(Json::array({block.row, block.block}));
    return blocks;
}

Json placesOfElementsJson(const AuditedWeight &row)
{
    if (row.elements.empty())
        return noKey();
    Json elements = Json::array();
    for (const auto &place : row.elements)
        elements.push_back(numbersJson(place));
    return elements;
}

const TableOf<Unpaired> auditUnpairedTable(
    "audit_unpaired",
    {{kName, "weight", "Weight of the package", member<&Unpaired::name>},
     {"why", "Why nothing of the checkpoint is held against it", member<&Unpaired::why>}});

const TableOf<KnownFaultLine> auditKnownFaultTable(
    "known_faults",
    {{kDocument, "id", "Row of the table", CELL(View(row.fault->id))},
     {kName, "text", "what", "What happens, where, and who says so", member<&KnownFaultLine::text>},
     {kNumber, "count", "Weights or operations that have the pattern", CELL(Count(row.count))},
     {kDocument, "seen", "Whether the pattern is the fault (file) or it may happen (pattern)",
      CELL(View(row.fault->seen))},
     {kDocument, "contested", "Whether reports disagree", CELL(row.fault->contested)},
     {kDocument, "confidence", "How sure it is",
      CELL(Word(format::confidenceName(row.fault->confidence)))},
     {kDocument, "source", "Who says so", CELL(View(row.fault->source))}});

Document auditDocument(const AuditSubject &subject)
{
    const AuditResult &result = subject.result;
    Document page;
    page.title = "Audit: " + subject.package;
    page.addText("Against " + subject.checkpoint + ".");
    page.add(Document::Sentence{auditSentence(subject),
                                result.faulty.empty() && result.comparable()
                                    ? Document::Tone::Holds
                                    : Document::Tone::Fails,
                                std::string(auditVerdict(result)) + ": "});
    if (!result.faulty.empty()) {
        page.addTable("At fault", auditTable, result.faulty);
        Document::Items items;
        for (const AuditedWeight &row : result.faulty)
            items.texts.push_back(row.name + ": " + row.why);
        page.add(std::move(items));
    }
    if (!subject.broken.empty()) {
        page.addHeading("Rules that are not kept");
        Document::Items items;
        for (const LimitFault &fault : subject.broken)
            items.texts.push_back(fault.weight + " " + faultText(fault));
        page.add(std::move(items));
    }
    if (!subject.sibling.empty()) {
        page.addText(nearerSentence(subject) + ".");
        page.addTable("Which build is nearer", nearerTable, subject.nearer());
    }
    if (!result.sound.empty())
        page.addTable("Sound", auditTable, result.sound);
    if (!result.unpaired.empty())
        page.addTable("Not held against the checkpoint", auditUnpairedTable, result.unpaired);
    if (!subject.knownFaults.empty())
        page.addTable("Known faults that it may run into", auditKnownFaultTable,
                      subject.knownFaults);
    if (!result.missing.empty()) {
        page.addHeading("Tensors that no weight holds");
        page.add(Document::Items{result.missing});
    }
    return page;
}

} // namespace

const TableOf<AuditedWeight> auditTable(
    "audit",
    {{kName, "weight", "Weight of the package, by its address", member<&AuditedWeight::name>},
     {kName, "checkpoint_name", "checkpoint", "Tensor of the checkpoint that it should hold",
      member<&AuditedWeight::checkpointName>},
     {"kind", "fault", "What is wrong with it",
      CELL(row.fault ? Value(Word(audit::kindName(*row.fault), Mark::Bad)) : Value(Absent()))},
     {"rows", "Rows [first, end) where the fault is local",
      CELL(row.rows.empty()
               ? Value(Nothing())
               : Value(fmt::format("{}-{}", row.rows.front().first, row.rows.back().end - 1))),
      jsonOf(CELL(row.rows.empty() ? Json(nullptr)
                                   : Json::array({row.rows.front().first, row.rows.back().end})))},
     {kNumber, "error", "Relative RMSE: of the difference, over that of the checkpoint's values",
      CELL(auditFigure(row.error)), jsonOf(CELL(finiteJson(row.error)))},
     {kNumber, "best_possible", "best possible",
      "Least relative RMSE that the stored form could have; of sampled blocks unless exact",
      CELL(auditFigure(row.bestPossible)), jsonOf(CELL(finiteJson(row.bestPossible)))},
     {kNumber | kDocument, "sampled_error", "Relative RMSE of the sampled blocks",
      CELL(auditFigure(row.sampledError)), jsonOf(CELL(finiteJson(row.sampledError)))},
     {kDocument, "sampled", "Whether the best possible error is of a sample", CELL(row.sampled)},
     {kNumber, "not_nearest", "not nearest",
      "Share of elements whose code is over 0.1 steps further off than the nearest",
      CELL(row.hasCodes ? Value(Percent(row.notNearest)) : Value(Nothing()))},
     {kNumber | kDocument, "codes_at_ends", "Share of codes at either end",
      CELL(row.hasCodes ? Value(Percent(row.atEnds)) : Value(Nothing()))},
     {kDocument, "row_runs", "Each run of rows", &rowRunsJson},
     {kDocument, "blocks", "Row and number of each block that is wrong", &badBlocksJson},
     {kDocument, "wrong_blocks", "How many blocks are wrong",
      CELL(row.wrongBlocks > 0 ? Value(Count(row.wrongBlocks)) : Value(Absent()))},
     {kDocument, "columns", "Elements of the row in the only block",
      CELL(row.blocks.size() != 1 ? noKey()
                                  : Json::array({row.blocks[0].first, row.blocks[0].end}))},
     {kDocument, "elements", "Places of single elements", &placesOfElementsJson},
     {kDocument, "factor", "By which it is scaled",
      CELL(row.factor != 0 ? Value(Real(row.factor, 6, true)) : Value(Absent()))},
     {kDocument, "transform", "What was made of the tensor", member<&AuditedWeight::transform>},
     {"paired_by", "paired by", "How it was found to be that tensor",
      CELL(Word(audit::pairedByName(row.pairedBy)))},
     {kNumber, "subnormal", "Share of elements that are not zero and below 2^-14 (6.1e-5)",
      CELL(Percent(row.figures.subnormal))},
     {kNumber, "equal_rows", "equal rows",
      "Rows that equal an earlier one: of at least 16 elements, not constant",
      CELL(Count(row.figures.equalRows))},
     {kNumber, "over_240", "over 240", "Codes of E4M3 whose magnitude is above 240",
      CELL(known<Count, Nothing>(row.figures.over240))},
     {kNumber, "unused_codes", "unused codes",
      "Integers of the stored type, of 1, 2, 4 or 8 bits, that do not occur",
      CELL(known<Count, Nothing>(row.figures.unusedCodes))},
     {kDocument, "why", "A sentence", CELL(orAbsent(row.why))}});

std::string_view auditVerdict(const AuditResult &result)
{
    return !result.comparable()    ? "cannot be compared"
           : result.faulty.empty() ? "sound"
                                   : "at fault";
}

std::vector<KnownFaultLine> knownFaultLines(const Bundle &package)
{
    std::vector<KnownFaultLine> lines;
    for (const KnownFaultMatch &match : matchKnownFaults(package))
        lines.push_back({&knownFaults()[match.fault], knownFaultText(package, match), match.count});
    return lines;
}

std::string auditSentence(const AuditSubject &subject)
{
    const AuditResult &result = subject.result;
    if (result.faulty.empty() && result.unreadable > 0)
        return fmt::format("{} of the package cannot be read; what can be ({}) is what its form "
                           "makes of this checkpoint.",
                           counted(result.unreadable, "weight"),
                           counted(result.sound.size(), "weight"));
    if (!result.comparable())
        return "No weight of the package is one of the checkpoint's: they cannot be compared.";
    const std::size_t all = result.faulty.size() + result.sound.size();
    const auto ofRange = std::ranges::count_if(
        result.sound, [](const AuditedWeight &row) { return !row.why.empty(); });
    if (result.faulty.empty())
        return fmt::format(
            "The stored weights are what their forms make of this checkpoint ({} compared{}{}{}): "
            "look at the runtime{}.",
            counted(all, "weight"),
            ofRange == 0
                ? std::string()
                : fmt::format(", {} of them above {} times the best possible error by the tool's "
                              "method alone",
                              ofRange, result.limit),
            result.missing.empty()
                ? std::string()
                : fmt::format(", {} of the checkpoint without a weight: {}{}",
                              counted(result.missing.size(), "tensor"), result.missing[0],
                              result.missing.size() > 1 ? ", …" : ""),
            result.notCompared == 0
                ? std::string()
                : fmt::format(", {} not: no tensor of the checkpoint was found for {}",
                              counted(result.notCompared, "compressed weight"),
                              result.notCompared == 1 ? "it" : "them"),
            subject.knownFaults.empty()
                ? std::string()
                : fmt::format(" ({} its pattern)", subject.knownFaults.size() == 1
                                                       ? "1 known fault has"
                                                       : fmt::format("{} known faults have",
                                                                     subject.knownFaults.size())));
    const AuditedWeight &worst = result.faulty.front();
    const std::string rest =
        result.faulty.size() == 1
            ? std::string()
            : fmt::format(" (and {})", counted(result.faulty.size() - 1, "other weight"));
    return fmt::format("{} of {} {} not what {} of this checkpoint: {}: {}{}.",
                       result.faulty.size(), counted(all, "weight"),
                       result.faulty.size() == 1 ? "is" : "are",
                       result.faulty.size() == 1 ? "its form makes" : "their forms make",
                       worst.checkpointName, worst.why, rest);
}

std::vector<NearerRow> AuditSubject::nearer() const
{
    std::map<std::pair<std::string_view, std::string_view>, const AuditedWeight *> others;
    const auto each = [](const AuditResult &all, const auto &call) {
        std::ranges::for_each(all.faulty, call);
        std::ranges::for_each(all.sound, call);
    };
    each(siblingResult, [&](const AuditedWeight &row) {
        others.try_emplace({row.checkpointName, row.transform}, &row);
    });
    std::vector<NearerRow> rows;
    each(result, [&](const AuditedWeight &row) {
        const auto found = others.find({row.checkpointName, row.transform});
        if (found == others.end())
            return;
        const double a = row.error, b = found->second->error;
        const bool alike = a == b || std::abs(a - b) <= 0.01 * std::max(a, b);
        rows.push_back({&row, found->second, alike ? 0 : a < b ? -1 : 1});
    });
    std::ranges::stable_sort(rows, [](const NearerRow &x, const NearerRow &y) {
        return x.package->weight < y.package->weight;
    });
    return rows;
}

const TableOf<NearerRow> nearerTable(
    "nearer",
    {{kName, "weight", "Weight of the package, by its address", CELL(View(row.package->name))},
     {kName | kDocument, "sibling_weight", "Weight of the other build",
      CELL(View(row.sibling->name))},
     {kName, "checkpoint_name", "checkpoint", "Tensor of the checkpoint that both should hold",
      CELL(View(row.package->checkpointName))},
     {kNumber, "error", "Relative RMSE of the package's weight",
      CELL(auditFigure(row.package->error)), jsonOf(CELL(finiteJson(row.package->error)))},
     {kNumber, "sibling_error", "of the other", "Relative RMSE of the other build's weight",
      CELL(auditFigure(row.sibling->error)), jsonOf(CELL(finiteJson(row.sibling->error)))},
     {"nearer", "Which build is nearer to the checkpoint; alike: within one percent",
      CELL(Word(row.nearer == 0  ? "alike"
                : row.nearer < 0 ? "package"
                                 : "sibling"))}});

std::string nearerSentence(const AuditSubject &subject)
{
    const auto rows = subject.nearer();
    const auto count = [&](int which) {
        return std::ranges::count(rows, which, &NearerRow::nearer);
    };
    return fmt::format("{} is nearer to the checkpoint in {} of {}, {} in {}, {} alike",
                       subject.package, count(-1), counted(rows.size(), "weight"), subject.sibling,
                       count(1), count(0));
}

Json auditJson(const AuditSubject &subject)
{
    const AuditResult &result = subject.result;
    Json json = document("audit");
    json["package"] = subject.package;
    json["against"] = subject.checkpoint;
    json["verdict"] = auditVerdict(result);
    json["sentence"] = auditSentence(subject);
    json["limit"] = result.limit;
    json["scheme"] = result.scheme.empty() ? Json(nullptr) : Json(result.scheme);
    json["faulty"] = jsonArray(auditTable, result.faulty);
    json["sound"] = jsonArray(auditTable, result.sound);
    json["unpaired"] = jsonArray(auditUnpairedTable, result.unpaired);
    json["missing"] = result.missing;
    json["known_faults"] = jsonArray(auditKnownFaultTable, subject.knownFaults);
    json["rules"] = faultsJson(subject.broken);
    if (!subject.sibling.empty()) {
        json["sibling"] = subject.sibling;
        json["nearer_sentence"] = nearerSentence(subject);
        json["nearer"] = jsonArray(nearerTable, subject.nearer());
    }
    return json;
}

std::string auditText(const AuditSubject &subject, std::string_view format,
                      const Diagnostics &diagnostics)
{
    if (format == "html")
        return htmlText(auditDocument(subject));
    if (format == "markdown")
        return markdownText(auditDocument(subject));
    if (format == "csv") {
        std::vector<AuditedWeight> all = subject.result.faulty;
        all.insert(all.end(), subject.result.sound.begin(), subject.result.sound.end());
        return csvText(auditTable, all);
    }
    Json json = auditJson(subject);
    finish(json, diagnostics);
    return documentText(json) + "\n";
}

} // namespace kernscope::report
