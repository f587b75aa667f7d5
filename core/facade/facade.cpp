// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/facade/facade.h"

#include "core/base/output_place.h"
#include "core/base/parallel.h"
#include "core/base/platform.h"
#include "core/bundle/open/bundle_builder.h"
#include "core/bundle/shapes/described.h"
#include "core/bundle/stored_bytes.h"
#include "core/patch/edit/find_weight.h"
#include "core/patch/edit/literal_rewrite.h"
#include "core/patch/reencode/module_reencoder.h"
#include "core/report/bundle_report.h"
#include "core/report/byte_table.h"
#include "core/report/chip_table.h"
#include "core/report/decision_table.h"
#include "core/report/difference_json.h"
#include "core/report/encode_table.h"
#include "core/report/pair_table.h"
#include "core/report/plan_table.h"
#include "core/target/target.h"

#include <algorithm>
#include <utility>

namespace kernscope::facade {

namespace {

std::string textOf(report::Json document, const Diagnostics &diagnostics,
                   const report::LateLists &lists = {})
{
    report::finish(document, diagnostics);
    return report::documentText(document, lists);
}

/// The answer, unless the files that it was made of changed meanwhile.
template <class T>
Result<T> unchanged(const Weights &weights, T answer)
{
    TRY(weights.checkUnchanged());
    return answer;
}

Error cancelled()
{
    return cancelledError("Stopped; nothing was written");
}

Result<search::BytePattern> patternOf(const Search &search)
{
    if (search.what == "bytes")
        return search::parseBytePattern(search.pattern);
    if (search.what == "text")
        return search::textPattern(search.pattern);
    return search::integerPattern(search.pattern, search.width, search.bigEndian);
}

Result<search::Query> queryOf(const Search &search)
{
    using search::What;
    search::Query query;
    query.most = static_cast<std::size_t>(search.limit);
    if (search.what == "bytes" || search.what == "text" || search.what == "integer") {
        query.pattern = TRY(patternOf(search));
        query.text = search.what == "text";
        return query;
    }
    for (const What what : {What::ZeroBytes, What::Value, What::NotANumber, What::Infinite,
                            What::ZeroValues, What::Largest, What::OutOfRange}) {
        if (report::whatName(what) != search.what)
            continue;
        query.what = what;
        query.least = search.count;
        if (what == What::Largest)
            query.most = static_cast<std::size_t>(search.count);
        if (what != What::Value)
            return query;
        const char *end = search.pattern.data() + search.pattern.size();
        const auto [stop, fault] = platform::readNumber(search.pattern.data(), end, query.value);
        if (fault != std::errc() || stop != end)
            return refused("search.pattern", "value", "a number", search.pattern,
                           "This cannot be searched for");
        query.wide = search::wideInteger(search.pattern);
        query.tolerance = search.tolerance;
        return query;
    }
    return refused("search.pattern", "what",
                   "bytes, text, integer, value, nan, infinite, zeros, zero-bytes, largest or "
                   "out-of-range",
                   search.what, "This cannot be searched for");
}

Result<DiffLimits> limitsOf(const DiffWanted &wanted)
{
    auto limits = TRY(wanted.rules.empty() ? Result<DiffLimits>(DiffLimits())
                                           : parseRules(wanted.rules, "rules"));
    for (const auto &[limit, given] : {std::pair(&ValueLimits::maxAbs, &wanted.maxAbs),
                                       std::pair(&ValueLimits::minCosine, &wanted.minCosine),
                                       std::pair(&ValueLimits::minSnr, &wanted.minSnr)}) {
        if (*given)
            limits.values.*limit = *given;
    }
    limits.sameProgram = limits.sameProgram || wanted.sameProgram;
    return limits;
}

Error saveError(std::string found, std::string message)
{
    return valueError("facade.save", "target", "one of in place and an output", found, message);
}

Saved savedOf(SaveReport report)
{
    Saved saved;
    for (WrittenRange &range : report.ranges)
        saved.ranges.push_back(
            {std::move(range.file), range.range.offset.value, range.range.bytes.value});
    saved.bytesWritten = report.bytesWritten.value;
    saved.verified = report.verified;
    saved.backups = std::move(report.backups);
    saved.warnings = std::move(report.warnings);
    return saved;
}

Result<std::vector<const target::Target *>> targetsOf(const std::vector<std::string> &chips)
{
    if (chips.empty())
        return std::vector<const target::Target *>{&target::defaultTarget()};
    std::vector<const target::Target *> targets;
    for (const std::string &chip : chips) {
        const auto named = TRY(target::findTarget(chip));
        targets.push_back(named.target);
    }
    return targets;
}

Result<plan::Limits> limitsOf(const PlanWanted &wanted, Progress *progress)
{
    plan::Limits limits;
    if (!wanted.minimise.empty()) {
        limits.goal = plan::goalFromName(wanted.minimise);
        if (!limits.goal)
            return refused("plan.goal", "minimise", "time, stored, moved or error", wanted.minimise,
                           "There is no such goal");
    }
    limits.tolerance = wanted.tolerance;
    limits.totalTolerance = wanted.totalTolerance;
    limits.maxBytes = wanted.maxBytes;
    limits.forced = wanted.forced;
    limits.progress = progress;
    return limits;
}

/// As the command line has it: the shapes that the model describes, where its program leaves them
/// open.
void bindDefaults(const Bundle &bundle, plan::SurveyOptions &options)
{
    if (bundle.openInputs().empty())
        return;
    const auto found = shapes::describedShapes(*bundle.program());
    if (found.empty())
        return;
    if (const auto bound = bindShapes(bundle, found)) {
        options.shapes = bound->summary.bound;
        options.defaultShapes = true;
    }
}

} // namespace

std::string version()
{
    return report::document("").at("version").get<std::string>();
}

Weights Access::make(std::shared_ptr<const Bundle> bundle, std::filesystem::path origin)
{
    Weights weights;
    weights.m_bundle = std::move(bundle);
    weights.m_origin = std::move(origin);
    return weights;
}

Result<Weights> Weights::open(const std::filesystem::path &path, Progress *progress)
{
    auto opened = openForReading(path, progress);
    if (!opened.bundle)
        return tl::unexpected(std::move(opened.bundle.error()));
    if (progress && progress->cancelled())
        return tl::unexpected(cancelled());
    return Access::make(*std::move(opened.bundle));
}

const std::string &Weights::name() const
{
    return m_bundle->name();
}

std::filesystem::path Weights::path() const
{
    return m_bundle->path();
}

std::string Weights::kind() const
{
    return std::string(bundleKindName(m_bundle->kind()));
}

const Diagnostics &Weights::diagnostics() const
{
    return m_bundle->diagnostics();
}

bool Weights::modified() const
{
    return m_bundle->modified() || !m_origin.empty();
}

std::vector<std::string> Weights::names() const
{
    std::vector<std::string> names;
    for (const Weight &weight : m_bundle->weights())
        names.push_back(weight.findableName());
    return names;
}

Result<std::size_t> Weights::index(std::string_view name) const
{
    return patch::findWeight(*m_bundle, name);
}

std::vector<std::uint64_t> Weights::shape(std::size_t weight) const
{
    return m_bundle->weights()[weight].shape;
}

Result<std::string> Weights::info(std::size_t weight, bool figures, Progress *progress) const
{
    std::optional<Statistics> statistics;
    const StatisticsOptions asked{figures, false};
    if (figures) {
        if (progress)
            progress->setTotal(m_bundle->weights()[weight].elements.value);
        statistics = TRY(computeStatistics(*m_bundle, weight, asked, progress));
    }
    return unchanged(
        *this, report::documentText(report::weightJson(*m_bundle, weight, statistics, asked)));
}

Result<void> Weights::values(std::size_t weight, std::span<float> out, Progress *progress) const
{
    {
        const BundleReadLock lock(*m_bundle);
        const auto decoder = TRY(m_bundle->decoder(weight));
        if (out.size() != decoder.elements().value)
            return refused("facade.values", "out", std::to_string(decoder.elements().value),
                           std::to_string(out.size()), "The array has not the weight's elements");
        if (progress)
            progress->setTotal(out.size());
        constexpr std::size_t kBlock = std::size_t{1} << 18;
        inParallel((out.size() + kBlock - 1) / kBlock, 0, [&](std::size_t piece) {
            const auto some = out.subspan(piece * kBlock);
            const auto block = some.first(std::min(kBlock, some.size()));
            decoder.decodeFloat(piece * kBlock, block);
            return !progress || progress->advance(block.size());
        });
    }
    if (progress && progress->cancelled())
        return tl::unexpected(cancelled());
    return checkUnchanged();
}

std::vector<StoredPart> Weights::stored(std::size_t weight) const
{
    std::vector<StoredPart> parts;
    for (const codec::Operand &operand : m_bundle->weights()[weight].operands()) {
        StoredPart part;
        part.role = codec::partRoleName(operand.role);
        part.type = elementTypeName(operand.type);
        part.shape = operand.shape;
        part.bits = bitWidth(operand.type);
        part.runs = m_bundle->operandRuns(operand);
        part.ordered = operand.order == nullptr;
        if (operand.place && !operand.place->isLiteral()) {
            part.file = m_bundle->files()[operand.place->file].path;
            part.offset = operand.place->dataOffset.value;
        }
        parts.push_back(std::move(part));
    }
    return parts;
}

Result<std::vector<std::byte>> Weights::picture(std::size_t weight, Progress *progress) const
{
    const auto picture = TRY(report::pairPicture(*m_bundle, *m_bundle, {weight, weight}, progress));
    return unchanged(*this, report::pngOf(picture.a));
}

Result<std::string> Weights::inspect(bool findings, Progress *progress) const
{
    Progress own;
    Progress &steps = progress ? *progress : own;
    const StatisticsOptions asked{false, false};
    report::LateLists lists;
    report::Json document = report::inspectJson(*m_bundle, {}, asked, &lists);
    Diagnostics diagnostics = m_bundle->diagnostics();
    if (findings) {
        std::uint64_t elements = 0;
        for (const Weight &weight : m_bundle->weights())
            elements += weight.fault ? 0 : weight.elements.value;
        steps.setTotal(2 * elements);
        for (Diagnostic &row : verifyPayloads(*m_bundle, &steps))
            diagnostics.push_back(std::move(row));
        auto read = computeAllStatistics(*m_bundle, {true, true}, &steps);
        const auto found = report::findAll(*m_bundle, read.weights, steps);
        report::addFindings(document, *m_bundle, found);
        diagnostics.insert(diagnostics.end(), read.diagnostics.begin(), read.diagnostics.end());
    }
    if (steps.cancelled())
        return tl::unexpected(cancelled());
    return unchanged(*this, textOf(std::move(document), diagnostics, lists));
}

std::vector<Coverage> Weights::coverage() const
{
    std::vector<Coverage> rows;
    for (const Weight &weight : m_bundle->weights()) {
        Coverage row{weight.findableName(), formText(weight.form), weight.elements.value, {}, {}};
        if (const auto bytes = knownStoredBytes(weight)) {
            row.storedBytes = bytes->value;
            if (row.elements > 0)
                row.bits =
                    8.0 * static_cast<double>(bytes->value) / static_cast<double>(row.elements);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

Result<std::string> Weights::find(const Search &search, Progress *progress) const
{
    auto query = TRY(queryOf(search));
    if (!search.weight.empty()) {
        const auto weight = TRY(index(search.weight));
        query.weight = weight;
    }
    if (progress)
        progress->setTotal(search::workOf(*m_bundle, query));
    std::string document;
    {
        const BundleReadLock lock(*m_bundle);
        const auto found = TRY(search::find(*m_bundle, query, progress));
        const auto rows = report::hitRows(m_bundle, query, found.hits);
        document =
            textOf(report::foundJson(m_bundle->path().string(), *m_bundle, query, found, rows),
                   found.diagnostics);
    }
    return unchanged(*this, std::move(document));
}

Result<void> Weights::checkUnchanged() const
{
    return m_bundle->checkUnchanged();
}

Result<Compared> diff(const Weights &a, const Weights &b, const DiffWanted &wanted,
                      Progress *progress)
{
    const auto limits = TRY(limitsOf(wanted));
    report::ComparisonWanted asked;
    asked.limits = limits;
    asked.forms = wanted.forms;
    asked.options.values = wanted.values || wanted.forms || limits.concernsWeights();
    asked.options.tolerance = limits.values.maxAbs.value_or(0);
    const std::vector<std::vector<PairChoice>> noChoices(1);
    const BundlePtr builds[] = {Access::bundle(b)};
    auto all = TRY(report::compareChecked(Access::bundle(a), builds, noChoices, asked, progress));
    Diagnostics diagnostics = a.diagnostics();
    diagnostics.insert(diagnostics.end(), b.diagnostics().begin(), b.diagnostics().end());
    const bool holds = all.front().holds();
    report::LateLists lists;
    report::Json document = report::differencesJson(all, &lists);
    Compared compared{textOf(std::move(document), diagnostics, lists), holds};
    return unchanged(a, std::move(compared)).and_then([&b](Compared made) {
        return unchanged(b, std::move(made));
    });
}

Result<std::string> assess(const Weights &bundle, std::string_view chip)
{
    const auto named = TRY(target::findTarget(chip.empty() ? target::defaultTarget().name : chip));
    const target::TargetChoice choice;
    const DecisionTable table(*Access::bundle(bundle), {named.target}, choice);
    auto head = report::chipDocument("decide", named.target, choice, &named);
    report::addPredictionError(head, *named.target);
    auto verdict = TRY(report::programVerdict(*Access::bundle(bundle), *named.target, choice));
    report::addVerdict(head, verdict);
    std::string text;
    report::writeDecisions(*Access::bundle(bundle), table, std::move(head), bundle.diagnostics(),
                           [&text](std::string_view piece) { text += piece; });
    return unchanged(bundle, std::move(text));
}

Result<Saved> Weights::save(const SaveTarget &target, Progress *progress) const
{
    if (target.inPlace == !target.output.empty())
        return tl::unexpected(saveError(target.inPlace ? "both" : "neither",
                                        "Say where to save: in place or as a copy"));
    if (target.inPlace && !m_origin.empty())
        return tl::unexpected(saveError("in place", "A bundle that was made in memory is saved as "
                                                    "a copy"));
    if (target.inPlace)
        return saveInPlace(*m_bundle, {target.backup, target.breakLinks}).map(savedOf);
    OutputRules rules{target.replace, {path()}};
    if (!m_origin.empty())
        rules.inputs.push_back(m_origin);
    const CopyOptions options{target.replace, m_origin.empty() ? path() : m_origin};
    TRY(checkOutput(target.output, copyKind(*m_bundle, options), rules));
    return saveCopy(*m_bundle, target.output, progress, options).map(savedOf);
}

Result<Made> plan(const Weights &weights, const PlanWanted &wanted, Progress *progress)
{
    const Bundle &bundle = *Access::bundle(weights);
    auto targets = TRY(targetsOf(wanted.chips));
    const auto limits = TRY(limitsOf(wanted, progress));
    plan::SurveyOptions options;
    options.targets = std::move(targets);
    options.batch = wanted.batch;
    options.forms = wanted.forms;
    options.forced = wanted.forced;
    options.progress = progress;
    bindDefaults(bundle, options);
    auto survey = TRY(plan::survey(bundle, options));
    auto verdict = TRY(report::programVerdict(survey.shaped ? *survey.shaped->bundle : bundle,
                                              *survey.targets.front(), {}, wanted.batch));
    auto solved = TRY(plan::solve(survey, limits));
    std::optional<plan::PlannedBundle> made;
    if (wanted.make) {
        made = TRY(plan::carryOut(bundle, options, std::move(survey), limits, std::move(solved)));
    }
    TRY(weights.checkUnchanged());
    report::PlanSubject subject;
    subject.bundle = weights.name();
    subject.survey = made ? &made->survey : &survey;
    subject.plan = made ? &made->plan : &solved;
    subject.limits = &limits;
    subject.raised = made ? &made->raised : nullptr;
    subject.verdict = std::move(verdict);
    Made answer{textOf(report::planJson(subject), weights.diagnostics()), {}};
    if (made)
        answer.bundle = Access::make(made->bundle, weights.path());
    return answer;
}

Result<Made> encode(const Weights &bundle, const std::vector<std::string> &patterns,
                    std::string_view form, Progress *progress)
{
    PlanWanted wanted;
    wanted.minimise = "stored";
    wanted.forms = {std::string(plan::kKeep)};
    wanted.forced.emplace_back("*", plan::kKeep);
    for (const std::string &pattern : patterns) {
        const Bundle &own = *Access::bundle(bundle);
        const auto found = TRY(patch::findWeights(own, {&pattern, 1}));
        wanted.forced.emplace_back(
            found.size() == 1 ? own.weights()[found.front()].findableName() : pattern, form);
    }
    wanted.make = true;
    return plan(bundle, wanted, progress);
}

Result<Made> convert(const Weights &weights, Progress *progress)
{
    const Bundle &bundle = *Access::bundle(weights);
    HalfBundle half = TRY(convertToHalf(bundle, progress));
    TRY(weights.checkUnchanged());
    std::string document =
        textOf(report::convertJson(bundle, half, {}, false), bundle.diagnostics());
    return Made{std::move(document), Access::make(std::move(half.made), weights.path())};
}

Result<Made> patch(const Weights &weights, std::string_view edits, const PatchWanted &wanted,
                   Progress *progress)
{
    const auto parsed = TRY(parseEditScript(edits, "edits"));
    BundlePtr bundle;
    {
        const BundleReadLock lock(*Access::bundle(weights));
        bundle = TRY(BundleBuilder::fork(*Access::bundle(weights)));
    }
    std::filesystem::path origin = Access::origin(weights);
    Diagnostics notes = bundle->diagnostics();
    if (!wanted.inPlace) {
        auto own = TRY(patch::withOwnConstants(*bundle, parsed, wanted.tolerance));
        if (own.bundle) {
            bundle = std::move(own.bundle);
            origin = weights.path();
        }
        notes.insert(notes.end(), own.notes.begin(), own.notes.end());
    }
    auto planned = planEdits(bundle, parsed, wanted.tolerance, progress);
    if (!planned && planned.error().code == "patch.space" && !wanted.inPlace) {
        if (auto roomy = TRY(patch::withLiteralRoom(*bundle, parsed, wanted.tolerance))) {
            bundle = std::move(roomy);
            origin = weights.path();
            planned = planEdits(bundle, parsed, wanted.tolerance, progress);
        }
    }
    if (!planned)
        return tl::unexpected(std::move(planned.error()));
    std::string document = textOf(report::patchJson(*bundle, *planned, std::nullopt), notes);
    for (const AppliedEdit &edit : *planned)
        bundle = TRY(applyEdit(bundle, edit));
    TRY(weights.checkUnchanged());
    return Made{std::move(document), Access::make(std::move(bundle), std::move(origin))};
}

} // namespace kernscope::facade
