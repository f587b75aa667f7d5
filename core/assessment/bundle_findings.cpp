// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/bundle_findings.h"

#include "core/assessment/known_faults.h"
#include "core/assessment/weight_where.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/bundle/part_data.h"
#include "core/bundle/stored_bytes.h"
#include "core/bundle/stored_values.h"
#include "core/container/mil/program.h"
#include "core/numeric/half_counts.h"

#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace kernscope {

namespace {

/// Name and advice of each kind, in their order.
constexpr std::pair<std::string_view, std::string_view> kFindingWords[] = {
    {"damaged", "Convert it again: see Diagnostics"},
    {"unused_records", "Convert the model again"},
    {"not_finite", "Look at the checkpoint"},
    {"beyond_fp16", "Keep it in fp32, or scale it down"},
    {"zero_scale", "Quantise without channels of zeros"},
    {"known_fault", "Convert with another version"},
    {"constant", "Leave it out, where that is allowed"},
    {"constant_channels", "Prune these channels"},
    {"larger_than_dense", "Store it as fp16"},
    {"folds_everywhere", "Choose a form that streams"},
    {"dead_entries", "Choose fewer bits"},
    {"duplicate", "Let both layers read one weight"},
    {"outlier", "Quantise by channel, or clip it"},
    {"known_fault", "Convert with another version"},
};
static_assert(std::size(kFindingWords) == std::size_t(Finding::Kind::DisputedFault) + 1);

/// A largest magnitude this many standard deviations from the mean is worth a look.
constexpr double kFarOut = 20;
/// Fewer elements than this say little: biases of a few values.
constexpr std::uint64_t kLeastElements = 16;
/// And fewer of a channel: by chance they are the same.
constexpr std::uint64_t kLeastOfChannel = 4;

Finding of(Finding::Kind kind, std::size_t weight, std::uint64_t count = 0, double value = 0)
{
    Finding finding;
    finding.kind = kind;
    finding.weight = weight;
    finding.count = count;
    finding.value = value;
    return finding;
}

void examineTables(const Bundle &bundle, std::vector<Finding> &found)
{
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        if (weight.fault)
            found.push_back(of(Finding::Kind::Damaged, i));
        else if (weight.storedBytes > weight.denseFp16Bytes() && weight.ratio() > 1.01 &&
                 weight.elements.value >= kLeastElements)
            found.push_back(of(Finding::Kind::Larger, i,
                               weight.storedBytes.value - weight.denseFp16Bytes().value));
    }
    for (std::size_t i = 0; i < bundle.files().size(); ++i) {
        if (bundle.files()[i].unusedRecords == 0)
            continue;
        Finding finding =
            of(Finding::Kind::UnusedRecords, kNoIndex, bundle.files()[i].unusedRecords);
        finding.file = i;
        found.push_back(finding);
    }
}

/// What weights of the same values have in common. The digest is that of the values rounded to
/// fp16, which says nothing of what a wider type holds beyond: its figures, which are exact, do.
std::string contentKey(const Weight &weight, const Statistics &figures)
{
    std::string key = figures.sha256;
    if (weight.type != ElementType::Fp16)
        for (const double figure :
             {figures.min, figures.max, figures.mean, figures.standardDeviation})
            key += fmt::format(",{:x}", std::bit_cast<std::uint64_t>(figure));
    return key;
}

/// True where every element of [first, first + count) decodes to the same number; NaN is equal to
/// nothing. Most channels differ in their first few elements: only those are decoded.
bool isConstant(const codec::Decoder &decoder, std::uint64_t first, std::uint64_t count)
{
    constexpr std::uint64_t kFirstLook = 16, kBlock = 4096;
    std::array<double, kBlock> block;
    double value = 0;
    for (std::uint64_t at = 0; at < count;) {
        const std::uint64_t some = std::min(count - at, at == 0 ? kFirstLook : kBlock);
        const auto out = std::span(block).first(static_cast<std::size_t>(some));
        decodeDoubles(decoder, first + at, out);
        if (at == 0)
            value = out.front();
        if (!std::ranges::all_of(out, [value](double each) { return each == value; }))
            return false;
        at += some;
    }
    return true;
}

Finding knownFault(const Bundle &bundle, const KnownFaultMatch &match)
{
    Finding finding = of(knownFaults()[match.fault].disputed() ? Finding::Kind::DisputedFault
                                                               : Finding::Kind::KnownFault,
                         match.weight, match.count);
    finding.text = knownFaultText(bundle, match);
    return finding;
}

/// Whether the largest magnitude of every row, or of every column, is 1: what dividing by it
/// leaves.
bool isDivided(const Weight &weight, const codec::Decoder &decoder, const Statistics &figures)
{
    constexpr std::uint64_t kLeast = 16; // lines, and elements of each: fewer come by chance
    if (!weight.form.isDense() || std::max(-figures.min, figures.max) != 1 ||
        weight.shape.size() < 2 || weight.shape[0] < kLeast || weight.shape[1] < kLeast)
        return false;
    const std::uint64_t row = weight.elements.value / weight.shape[0],
                        inner = row / weight.shape[1];
    std::vector<bool> rows(weight.shape[0]), columns(weight.shape[1]);
    std::uint64_t ones = 0;
    decodeDoublesInBlocks(decoder, nullptr,
                          [&](std::uint64_t first, std::span<const double> block) {
                              for (std::size_t i = 0; i < block.size(); ++i) {
                                  if (std::abs(block[i]) != 1)
                                      continue;
                                  rows[(first + i) / row] = true;
                                  columns[(first + i) % row / inner] = true;
                                  ++ones;
                              }
                          });
    // Of tables of zeros and ones it says nothing.
    return ones * kLeast / 2 < weight.elements.value &&
           (std::ranges::count(rows, false) == 0 || std::ranges::count(columns, false) == 0);
}

/// Whether the share of values that are not zero and that fp16 holds with fewer bits is worth a
/// look: of a few every layer has some.
bool isSubnormal(const Weight &weight, const codec::Decoder &decoder, const Statistics &figures)
{
    constexpr double kNormal = 0x1p-14, kShare = 0.01;
    if (!weight.form.isDense() || !isFloatingPoint(weight.type) || figures.min == figures.max)
        return false;
    std::uint64_t below = 0;
    decodeDoublesInBlocks(decoder, nullptr, [&](std::uint64_t, std::span<const double> block) {
        below += static_cast<std::uint64_t>(std::ranges::count_if(
            block, [](double each) { return each != 0 && std::abs(each) < kNormal; }));
    });
    return static_cast<double>(below) > kShare * static_cast<double>(figures.elements);
}

/// Output channels whose values are all the same, and codebook entries that nothing means.
void examineWeight(const Bundle &bundle, std::size_t index, const Statistics &figures,
                   std::vector<Finding> &found, Progress &progress)
{
    const Weight &weight = bundle.weights()[index];
    const auto decoder = bundle.decoder(index);
    if (!decoder)
        return; // said by the statistics
    if (ScaleData::has(weight)) {
        const auto scales = ScaleData::read(bundle, index, progress);
        const auto zeros = scales ? std::ranges::count(scales->scales, 0.0) : 0;
        if (zeros > 0) {
            found.push_back(of(Finding::Kind::ZeroScale, index, static_cast<std::uint64_t>(zeros)));
            found.back().of = scales->scales.size();
        }
    }
    if (isBeyondHalf(figures.max) || isBeyondHalf(figures.min)) {
        std::uint64_t beyond = 0;
        decodeDoublesInBlocks(*decoder, nullptr, [&](std::uint64_t, std::span<const double> block) {
            beyond += static_cast<std::uint64_t>(std::ranges::count_if(block, isBeyondHalf));
        });
        found.push_back(of(Finding::Kind::BeyondHalf, index, beyond));
        found.back().of = figures.elements;
    }
    const std::uint64_t channels = weight.shape.size() > 1 ? weight.shape.front() : 0;
    const std::uint64_t each = channels == 0 ? 0 : weight.elements.value / channels;
    std::uint64_t constant = 0;
    for (std::uint64_t channel = 0; each >= kLeastOfChannel && channel < channels; ++channel) {
        if (progress.cancelled())
            return;
        constant += isConstant(*decoder, channel * each, each) ? 1 : 0;
    }
    if (constant > 0) {
        found.push_back(of(Finding::Kind::ConstantChannels, index, constant));
        found.back().of = channels;
    }
    for (const auto &[word, holds] :
         {std::pair("divided", &isDivided), std::pair("subnormal", &isSubnormal)}) {
        const auto match = matchKnownFault(bundle, index, word);
        if (match && holds(weight, *decoder, figures))
            found.push_back(knownFault(bundle, *match));
    }
    const std::vector<std::uint64_t> uses = decoder->codebookUse(&progress);
    const auto dead = std::ranges::count(uses, std::uint64_t{0});
    if (dead > 0 && !progress.cancelled()) {
        found.push_back(of(Finding::Kind::DeadEntries, index, static_cast<std::uint64_t>(dead)));
        found.back().of = uses.size();
    }
}

/// The same of every weight that is read and has scales or more than one value, on all processors.
void examineContents(const Bundle &bundle, const std::vector<std::optional<Statistics>> &weights,
                     std::vector<Finding> &found, Progress &progress)
{
    std::mutex mutex;
    inParallel(weights.size(), 0, [&](std::size_t i) {
        const auto &figures = weights[i];
        const bool scaled = ScaleData::has(bundle.weights()[i]);
        if (!figures || figures->elements < kLeastElements ||
            (figures->min == figures->max && figures->finite() > 0 && !scaled))
            return !progress.cancelled();
        std::vector<Finding> own;
        examineWeight(bundle, i, *figures, own, progress);
        const std::lock_guard lock(mutex);
        found.insert(found.end(), own.begin(), own.end());
        return !progress.cancelled();
    });
}

void examineValues(const Bundle &bundle, const std::vector<std::optional<Statistics>> &weights,
                   std::vector<Finding> &found)
{
    std::unordered_map<std::string, std::size_t> first;
    std::set<std::pair<std::size_t, std::uint64_t>> seen; // places of what was stored before
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!weights[i])
            continue;
        std::uint64_t own = 0;
        for (const codec::Operand &operand : bundle.weights()[i].operands())
            if (operand.place && !operand.place->isLiteral() &&
                seen.emplace(operand.place->file, operand.place->dataOffset.value).second)
                own = checkedAdd(own, operand.place->bytes.value).value_or(UINT64_MAX);
        const Statistics &s = *weights[i];
        if (s.nan + s.inf > 0)
            found.push_back(of(Finding::Kind::NonFinite, i, s.nan + s.inf));
        else if (s.elements >= kLeastElements && s.min == s.max)
            found.push_back(of(Finding::Kind::Constant, i, s.elements, s.min));
        const double far = std::abs(s.max) >= std::abs(s.min) ? s.max : s.min;
        if (s.standardDeviation > 0 && s.elements >= kLeastElements &&
            std::abs(far - s.mean) > kFarOut * s.standardDeviation)
            found.push_back(of(Finding::Kind::Outlier, i, s.elements, far));
        if (s.sha256.empty() || s.elements < kLeastElements || s.min == s.max)
            continue;
        const auto [at, fresh] = first.emplace(contentKey(bundle.weights()[i], s), i);
        if (!fresh && own > 0) { // else they share what is stored
            Finding twin = of(Finding::Kind::Duplicate, i, own);
            twin.other = at->second;
            found.push_back(twin);
        }
    }
}

} // namespace

std::string_view findingName(Finding::Kind kind)
{
    return kFindingWords[static_cast<std::size_t>(kind)].first;
}

std::string_view findingAdvice(Finding::Kind kind)
{
    return kFindingWords[static_cast<std::size_t>(kind)].second;
}

std::string findingText(const Bundle &bundle, const Finding &finding)
{
    const auto nameOf = [&bundle](std::size_t weight) {
        return weight == kNoIndex ? std::string() : bundle.weights()[weight].findableName();
    };
    const std::string name = nameOf(finding.weight);
    switch (finding.kind) {
    case Finding::Kind::Damaged: return name + " cannot be decoded";
    case Finding::Kind::UnusedRecords:
        return fmt::format("{}: {} that nothing names", bundle.files()[finding.file].path,
                           counted(finding.count, "record"));
    case Finding::Kind::NonFinite:
        return fmt::format("{} holds {}", name,
                           finding.count == 1
                               ? "1 value that is NaN or infinite"
                               : grouped(finding.count) + " values that are NaN or infinite");
    case Finding::Kind::BeyondHalf:
        return fmt::format("{}: {} beyond fp16 (infinite there)", name,
                           finding.count == 1 ? "1 value is"
                                              : grouped(finding.count) + " values are");
    case Finding::Kind::ZeroScale:
        return fmt::format("{}: {} of {} {} 0, so their elements are lost", name,
                           grouped(finding.count), counted(finding.of, "scale"),
                           finding.count == 1 ? "is" : "are");
    case Finding::Kind::KnownFault:
    case Finding::Kind::DisputedFault: return finding.text;
    case Finding::Kind::Constant:
        return fmt::format("{} is {:.5g} everywhere", name, finding.value);
    case Finding::Kind::ConstantChannels:
        return fmt::format("{}: {} of {} hold a single value", name, grouped(finding.count),
                           counted(finding.of, "output channel"));
    case Finding::Kind::Larger:
        return fmt::format("{} takes {} B more than dense fp16 would", name,
                           grouped(finding.count));
    case Finding::Kind::FoldsEverywhere:
        return fmt::format("{}: no chip streams it; {} {} it to dense fp16{}", name,
                           counted(finding.count, "chip"), finding.count == 1 ? "folds" : "fold",
                           finding.of > finding.count
                               ? fmt::format(", {} refuse it", finding.of - finding.count)
                               : "");
    case Finding::Kind::DeadEntries:
        return fmt::format("{}: {} of {} never used", name, grouped(finding.count),
                           finding.of == 1 ? "1 codebook entry"
                                           : grouped(finding.of) + " codebook entries");
    case Finding::Kind::Duplicate:
        return fmt::format("{} has the values of {}: {} B are stored once more", name,
                           nameOf(finding.other), grouped(finding.count));
    case Finding::Kind::Outlier:
        return fmt::format("{} reaches {:.5g}, far from its other values", name, finding.value);
    }
    return {};
}

void sortFindings(std::vector<Finding> &findings)
{
    std::ranges::stable_sort(findings, [](const Finding &a, const Finding &b) {
        return std::pair(a.kind, a.weight) < std::pair(b.kind, b.weight);
    });
}

std::vector<Finding> foldFindings(const DecisionTable &table)
{
    using decision::Outcome;
    std::vector<Finding> found;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::uint64_t folds = 0, known = 0;
        bool streams = false;
        for (std::size_t column = 0; column < table.columns() && !streams; ++column) {
            const Outcome outcome = table.verdict(row, column).outcome;
            streams = outcome == Outcome::Streams || outcome == Outcome::Dense;
            folds += outcome == Outcome::Folds ? 1 : 0;
            known += outcome == Outcome::Unknown ? 0 : 1;
        }
        if (streams || folds == 0)
            continue;
        found.push_back(of(Finding::Kind::FoldsEverywhere, row, folds));
        found.back().of = known;
    }
    return found;
}

std::vector<Finding> knownFaultFindings(const Bundle &bundle)
{
    std::vector<Finding> found;
    for (const KnownFaultMatch &match : matchKnownFaults(bundle))
        found.push_back(knownFault(bundle, match));
    return found;
}

BundleFigures examineBundle(const Bundle &bundle, bool read, Progress &progress)
{
    // Of many weights their digests alone are megabytes: they do not stay.
    StatisticsOptions options;
    options.hash = true;
    return examineBundle(bundle,
                         read ? computeAllStatistics(bundle, options, &progress).weights
                              : std::vector<std::optional<Statistics>>(),
                         progress);
}

BundleFigures examineBundle(const Bundle &bundle,
                            const std::vector<std::optional<Statistics>> &weights,
                            Progress &progress)
{
    BundleFigures figures;
    examineTables(bundle, figures.findings);
    examineValues(bundle, weights, figures.findings);
    examineContents(bundle, weights, figures.findings, progress);
    figures.zeros.resize(bundle.weights().size());
    for (std::size_t i = 0; i < weights.size() && i < figures.zeros.size(); ++i) {
        if (weights[i])
            figures.zeros[i] = weights[i]->zeroFraction();
    }
    sortFindings(figures.findings);
    return figures;
}

BundleSums::Forms sumUpForms(const Bundle &bundle)
{
    BundleSums::Forms forms;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        BundleSums::Form &form = forms[formText(weight.form)];
        if (form.weights++ == 0)
            form.first = i;
        form.unread += knownStoredBytes(weight) ? 0 : 1;
        form.bytes = checkedAdd(form.bytes, weight.storedBytes.value).value_or(UINT64_MAX);
    }
    return forms;
}

std::uint64_t sharedBytes(const BundleSums::Forms &forms, const Totals &totals)
{
    std::uint64_t all = 0;
    for (const auto &[name, form] : forms)
        all = checkedAdd(all, form.bytes).value_or(UINT64_MAX);
    return all - std::min(all, totals.storedBytes.value);
}

BundleSums sumUpBundle(const Bundle &bundle)
{
    BundleSums sums;
    sums.totals = bundle.totals();
    sums.unread = weightsOfUnknownBytes(bundle);
    const auto program = bundle.program();
    for (const mil::Function &function : program->functions)
        sums.operations += mil::operationCount(function.body);
    sums.forms = sumUpForms(bundle);
    return sums;
}

} // namespace kernscope
