// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/byte_ranges.h"
#include "core/diff/diff.h"
#include "core/diff/read_lock.h"

#include "core/numeric/convert.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kernscope {

namespace {

/// A file of each side, or of one of them.
struct FilePair {
    std::size_t a = kNoIndex, b = kNoIndex;
};

/// By path; then by the last name among files of one role (a compiled bundle against its package);
/// then the only two left of a role (weight files of any name).
class FilePairer
{
public:
    FilePairer(const Bundle &a, const Bundle &b)
        : m_a(a), m_b(b), m_ofA(a.files().size(), kNoIndex), m_ofB(b.files().size(), kNoIndex)
    {
    }

    std::vector<FilePair> pairs()
    {
        match([](const BundleFile &x, const BundleFile &y) { return x.path == y.path; });
        match([](const BundleFile &x, const BundleFile &y) {
            return x.role == y.role && lastComponent(x.path) == lastComponent(y.path);
        });
        for (const SectionKind role : {SectionKind::Data, SectionKind::Program})
            matchOnlyOnes(role);
        std::vector<FilePair> result;
        for (std::size_t i = 0; i < m_ofA.size(); ++i)
            result.push_back({i, m_ofA[i]});
        for (std::size_t i = 0; i < m_ofB.size(); ++i) {
            if (m_ofB[i] == kNoIndex)
                result.push_back({kNoIndex, i});
        }
        return result;
    }

private:
    template <class Same>
    void match(const Same &same)
    {
        for (std::size_t i = 0; i < m_ofA.size(); ++i) {
            for (std::size_t j = 0; j < m_ofB.size() && m_ofA[i] == kNoIndex; ++j) {
                if (m_ofB[j] == kNoIndex && same(m_a.files()[i], m_b.files()[j]))
                    join(i, j);
            }
        }
    }
    void matchOnlyOnes(SectionKind role)
    {
        const auto only = [role](const Bundle &bundle, const std::vector<std::size_t> &partner) {
            std::size_t found = kNoIndex, count = 0;
            for (std::size_t i = 0; i < partner.size(); ++i) {
                if (partner[i] == kNoIndex && bundle.files()[i].role == role) {
                    found = i;
                    ++count;
                }
            }
            return count == 1 ? found : kNoIndex;
        };
        const std::size_t a = only(m_a, m_ofA), b = only(m_b, m_ofB);
        if (a != kNoIndex && b != kNoIndex)
            join(a, b);
    }
    void join(std::size_t a, std::size_t b)
    {
        m_ofA[a] = b;
        m_ofB[b] = a;
    }

    const Bundle &m_a;
    const Bundle &m_b;
    std::vector<std::size_t> m_ofA, m_ofB;
};

class BundleComparison
{
public:
    BundleComparison(const Bundle &a, const Bundle &b, const DiffOptions &options,
                     Progress *progress)
        : m_a(a), m_b(b), m_options(options), m_progress(progress)
    {
    }

    Result<Difference> run();

private:
    void announceTotal(const std::vector<FilePair> &files);
    bool compareFile(FilePair pair);
    bool compareStored(WeightPair &pair);
    bool comparePairValues(WeightPair &pair);
    void describeProgram();

    const Bundle &m_a;
    const Bundle &m_b;
    const DiffOptions &m_options;
    Progress *m_progress;
    Difference m_result;
};

/// Work in bytes of files and stored parts, and in decoded elements.
void BundleComparison::announceTotal(const std::vector<FilePair> &files)
{
    if (m_progress == nullptr)
        return;
    std::uint64_t total = 0;
    for (const FilePair &pair : files) {
        if (m_options.bytes && pair.a != kNoIndex && pair.b != kNoIndex) {
            total += std::min(m_a.files()[pair.a].file->size().value,
                              m_b.files()[pair.b].file->size().value);
        }
    }
    for (const WeightPair &pair : m_result.weights) {
        if (pair.layoutEqual)
            total += m_a.weights()[pair.a].storedBytes.value;
        if (m_options.values && pair.shapeEqual)
            total += m_a.weights()[pair.a].elements.value;
    }
    m_progress->setTotal(total);
}

bool BundleComparison::compareFile(FilePair pair)
{
    FileDifference file;
    const BundleFile *a = pair.a == kNoIndex ? nullptr : &m_a.files()[pair.a];
    const BundleFile *b = pair.b == kNoIndex ? nullptr : &m_b.files()[pair.b];
    file.path = a != nullptr ? a->path : b->path;
    if (a != nullptr)
        file.bytesA = a->file->size();
    if (b != nullptr)
        file.bytesB = b->file->size();
    if (a != nullptr && b != nullptr && m_options.bytes) {
        const diff::ReadLock lock(m_a, m_b);
        auto found = diff::findDifferentBytes(a->file->bytes(), b->file->bytes(),
                                              FileDifference::kMaxRanges, m_progress);
        if (!found)
            return false;
        file.ranges = std::move(found->ranges);
        file.rangesCut = found->cut;
        file.equal = file.ranges.empty();
    }
    m_result.files.push_back(std::move(file));
    return true;
}

void BundleComparison::describeProgram()
{
    auto &program = m_result.program;
    std::span<const std::byte> a, b;
    const diff::ReadLock lock(m_a, m_b);
    if (m_a.programFile() != kNoIndex) {
        a = m_a.files()[m_a.programFile()].file->bytes();
        program.bytesA = ByteCount(a.size());
    }
    if (m_b.programFile() != kNoIndex) {
        b = m_b.files()[m_b.programFile()].file->bytes();
        program.bytesB = ByteCount(b.size());
    }
    program.equal = program.bytesA.has_value() == program.bytesB.has_value() &&
                    diff::sameBytes(a, b, nullptr).value_or(false);
}

bool BundleComparison::compareStored(WeightPair &pair)
{
    if (!pair.layoutEqual)
        return true;
    const diff::ReadLock lock(m_a, m_b);
    const Weight &a = m_a.weights()[pair.a], &b = m_b.weights()[pair.b];
    pair.storedEqual = true;
    for (std::size_t i = 0; i < a.parts.size(); ++i) {
        const auto same =
            diff::sameRuns(m_a.partRuns(a.parts[i]), m_b.partRuns(b.parts[i]), m_progress);
        if (!same)
            return false;
        pair.storedEqual = pair.storedEqual && *same;
    }
    return true;
}

/// Largest finite magnitude among the scales of a weight, where they are stored as numbers.
std::optional<double> largestScale(const Bundle &bundle, std::size_t weight)
{
    const auto decoder = bundle.decoder(weight);
    if (!decoder || !decoder->encoding().scaling)
        return std::nullopt;
    const auto *scale = std::get_if<codec::Operand>(&decoder->encoding().scaling->scale);
    const auto count = scale == nullptr ? std::nullopt : elementCount(scale->shape);
    if (!count || !isFloatingPoint(scale->type))
        return std::nullopt;
    double largest = 0;
    for (std::uint64_t i = 0; i < count->value; ++i) {
        const double value = codec::operandValue(*scale, i).value_or(0);
        if (std::isfinite(value))
            largest = std::max(largest, std::abs(value));
    }
    return largest;
}

bool BundleComparison::comparePairValues(WeightPair &pair)
{
    return !m_options.values || !pair.shapeEqual ||
           compareValues(m_a, m_b, pair, m_options.tolerance, m_progress);
}

/// Whether the same stored bytes stand for the same values.
bool sameDecoding(const Weight &a, const Weight &b)
{
    const auto samePart = [](const Part &x, const Part &y) {
        return x.shape == y.shape && !x.order && !y.order;
    };
    const auto axisOf = [](const Weight &weight) {
        const bool scaled = weight.encoding && weight.encoding->scaling;
        return scaled ? weight.encoding->scaling->axis : 0;
    };
    return !a.fault && !b.fault && a.sourceOp == b.sourceOp && a.vectorAxis == b.vectorAxis &&
           axisOf(a) == axisOf(b) &&
           std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(), samePart);
}

Result<Difference> BundleComparison::run()
{
    m_result.weights = pairWeights(m_a, m_b, m_result.onlyA, m_result.onlyB);
    const auto files = FilePairer(m_a, m_b).pairs();
    announceTotal(files);
    for (const FilePair &pair : files) {
        if (!compareFile(pair))
            return tl::unexpected(cancelledError("The comparison was cancelled"));
    }
    describeProgram();
    for (WeightPair &pair : m_result.weights) {
        if (!compareStored(pair) || !comparePairValues(pair))
            return tl::unexpected(cancelledError("The comparison was cancelled"));
    }
    const auto sameFile = [](const FileDifference &file) { return file.equal; };
    const auto sameWeight = [this](const WeightPair &pair) {
        return m_options.bytes || (pair.layoutEqual && pair.storedEqual);
    };
    const auto &all = m_result.files;
    m_result.identical = m_result.onlyA.empty() && m_result.onlyB.empty() &&
                         (!m_options.bytes || std::all_of(all.begin(), all.end(), sameFile)) &&
                         std::all_of(m_result.weights.begin(), m_result.weights.end(), sameWeight);
    return std::move(m_result);
}

} // namespace

std::optional<double> quantisationStep(const Bundle &a, std::size_t weightA, const Bundle &b,
                                       std::size_t weightB)
{
    const diff::ReadLock lock(a, b);
    const auto stepA = largestScale(a, weightA), stepB = largestScale(b, weightB);
    if (!stepA || !stepB)
        return stepA ? stepA : stepB;
    return std::max(*stepA, *stepB);
}

bool compareValues(const Bundle &a, const Bundle &b, WeightPair &pair, double tolerance,
                   Progress *progress)
{
    const Weight &from = a.weights()[pair.a];
    if (pair.storedEqual && sameDecoding(from, b.weights()[pair.b])) {
        pair.values = ValueDifference::same(from.elements.value, from.type);
        pair.step = quantisationStep(a, pair.a, b, pair.b);
        return progress == nullptr || progress->advance(from.elements.value);
    }
    auto values = compareValues(a, pair.a, b, pair.b, tolerance, progress);
    if (!values && values.error().code == "task.cancelled")
        return false;
    if (!values) {
        pair.fault = std::move(values.error());
        return true;
    }
    pair.values = *std::move(values);
    pair.step = quantisationStep(a, pair.a, b, pair.b);
    return true;
}

Result<Difference> compareBundles(const Bundle &a, const Bundle &b, const DiffOptions &options,
                                  Progress *progress)
{
    return BundleComparison(a, b, options, progress).run();
}

std::string_view lastComponent(std::string_view path)
{
    const auto slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

} // namespace kernscope
