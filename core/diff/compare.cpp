// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/sniff.h"
#include "core/diff/byte_alignment.h"
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
        // Of two sections, checkpoints and the like the one file is the same one, however called.
        if (m_ofA.size() == 1 && m_ofB.size() == 1 && m_a.kind() == m_b.kind() &&
            m_ofA.front() == kNoIndex)
            join(0, 0);
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
    bool otherSpelling() const;
    bool findRanges(FileDifference &file);
    bool addRanges(FileDifference &file, const AlignedSegment &segment,
                   std::span<const std::byte> a, std::span<const std::byte> b);
    static void finishRanges(std::vector<ByteRange> &ranges, std::uint64_t size, bool &cut);
    bool sameFile(const FileDifference &file) const;

    const Bundle &m_a;
    const Bundle &m_b;
    const DiffOptions &m_options;
    Progress *m_progress;
    Difference m_result;
    std::optional<ByteAlignment> m_alignment; ///< made for the first file that differs
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
    file.a = pair.a;
    file.b = pair.b;
    if (a != nullptr)
        file.bytesA = a->file->size();
    if (b != nullptr)
        file.bytesB = b->file->size();
    if (a != nullptr && b != nullptr && m_options.bytes) {
        const diff::ReadLock lock(m_a, m_b);
        const auto same = diff::sameBytes(a->file->bytes(), b->file->bytes(), m_progress);
        if (!same)
            return false;
        file.equal = *same;
        file.otherSpelling = !file.equal && pair.a == m_a.programFile() &&
                             pair.b == m_b.programFile() && otherSpelling();
        if (!file.equal && !file.otherSpelling && !findRanges(file))
            return false;
    }
    m_result.files.push_back(std::move(file));
    return true;
}

bool BundleComparison::otherSpelling() const
{
    const auto isProtobuf = [](const Bundle &bundle) {
        return isModelProtobuf(bundle.files()[bundle.programFile()].file->bytes(),
                               bundle.files()[bundle.programFile()].path);
    };
    return isProtobuf(m_a) != isProtobuf(m_b);
}

/// Sections and lines against those that they are the same as, not against equal offsets.
bool BundleComparison::findRanges(FileDifference &file)
{
    if (!m_alignment)
        m_alignment.emplace(m_a, m_b, m_result.weights);
    const auto &files = m_alignment->files();
    const auto aligned = std::find_if(files.begin(), files.end(), [&](const AlignedFile &each) {
        return each.a == file.a && each.b == file.b;
    });
    const auto bytesA = m_a.files()[file.a].file->bytes();
    const auto bytesB = m_b.files()[file.b].file->bytes();
    if (aligned == files.end()) {
        AlignedSegment whole;
        whole.lengthA = bytesA.size();
        whole.lengthB = bytesB.size();
        return addRanges(file, whole, bytesA, bytesB);
    }
    for (std::size_t s = aligned->firstSection; s < aligned->firstSection + aligned->sections;
         ++s) {
        const AlignedSection &section = m_alignment->sections()[s];
        for (std::size_t i = section.firstSegment; i < section.firstSegment + section.segments;
             ++i) {
            const AlignedSegment &segment = m_alignment->segments()[i];
            if (!addRanges(file, segment, bytesA.subspan(segment.firstA, segment.lengthA),
                           bytesB.subspan(segment.firstB, segment.lengthB)))
                return false;
        }
    }
    finishRanges(file.ranges, bytesA.size(), file.rangesCut);
    finishRanges(file.rangesB, bytesB.size(), file.rangesCut);
    return true;
}

bool BundleComparison::addRanges(FileDifference &file, const AlignedSegment &segment,
                                 std::span<const std::byte> a, std::span<const std::byte> b)
{
    const auto add = [](std::vector<ByteRange> &to, std::uint64_t first, std::uint64_t length) {
        if (length > 0)
            to.push_back({FileOffset(first), ByteCount(length)});
    };
    if (segment.text && a.size() != b.size()) {
        const std::uint64_t trimmed = segment.prefix + segment.suffix;
        const std::uint64_t inA = a.size() - std::min<std::uint64_t>(a.size(), trimmed);
        const std::uint64_t inB = b.size() - std::min<std::uint64_t>(b.size(), trimmed);
        add(file.ranges, segment.firstA + segment.prefix, inA);
        add(file.rangesB, segment.firstB + segment.prefix, inB);
        file.different += std::max(inA, inB);
        return true;
    }
    // The bytes were counted when the files were found to differ: here only a stop is looked for.
    const auto found = diff::findDifferentBytes(a, b, FileDifference::kMaxRanges, nullptr);
    if (!found || (m_progress != nullptr && m_progress->cancelled()))
        return false;
    file.rangesCut = file.rangesCut || found->cut;
    for (const ByteRange &range : found->ranges) {
        const std::uint64_t first = range.offset.value;
        const auto within = [&](std::uint64_t size) {
            return std::min(range.end(), size) - std::min(first, size);
        };
        add(file.ranges, segment.firstA + first, within(a.size()));
        add(file.rangesB, segment.firstB + first, within(b.size()));
        file.different += range.bytes.value;
    }
    return true;
}

/// In order, neighbours joined, bounded.
void BundleComparison::finishRanges(std::vector<ByteRange> &ranges, std::uint64_t size, bool &cut)
{
    std::sort(ranges.begin(), ranges.end(),
              [](const ByteRange &x, const ByteRange &y) { return x.offset < y.offset; });
    std::vector<ByteRange> joined;
    for (const ByteRange &range : ranges) {
        if (!joined.empty() && joined.back().end() == range.offset.value)
            joined.back().bytes.value += range.bytes.value;
        else
            joined.push_back(range);
    }
    if (joined.size() > FileDifference::kMaxRanges) {
        cut = true;
        joined.resize(FileDifference::kMaxRanges);
        joined.back().bytes = ByteCount(size - joined.back().offset.value);
    }
    ranges = std::move(joined);
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
    const bool both = program.bytesA.has_value() == program.bytesB.has_value();
    program.sameBytes = both && diff::sameBytes(a, b, nullptr).value_or(false);
    program.detail = comparePrograms(m_a.program(), m_b.program());
    // A program that could not be read whole is judged by its bytes as well.
    const auto readWhole = [](const Bundle &bundle) {
        return !bundle.program().functions.empty() && !hasErrors(bundle.diagnostics());
    };
    program.equal =
        program.sameBytes || (both && program.detail.equal && readWhole(m_a) && readWhole(m_b));
    program.sameComputation = program.equal || (both && program.detail.sameComputation &&
                                                readWhole(m_a) && readWhole(m_b));
}

/// Bundles of two kinds differ in the files that describe them; what they hold may be the same.
bool BundleComparison::sameFile(const FileDifference &file) const
{
    const bool isProgram = (file.a != kNoIndex && file.a == m_a.programFile()) ||
                           (file.b != kNoIndex && file.b == m_b.programFile());
    if (file.equal || (isProgram && m_result.program.equal))
        return true;
    if (m_a.kind() == m_b.kind() || isProgram)
        return false;
    const SectionKind role =
        file.a != kNoIndex ? m_a.files()[file.a].role : m_b.files()[file.b].role;
    return role != SectionKind::Data || (file.a != kNoIndex && file.b != kNoIndex);
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
        const codec::Scaling *scaling = weight.form.scaling();
        return scaling ? scaling->axis : 0;
    };
    return !a.fault && !b.fault && a.sourceOp == b.sourceOp &&
           a.form.vectorAxis() == b.form.vectorAxis() && axisOf(a) == axisOf(b) &&
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
    const bool sameKind = m_a.kind() == m_b.kind();
    const auto sameWeight = [&](const WeightPair &pair) {
        return (m_options.bytes && sameKind) || (pair.layoutEqual && pair.storedEqual);
    };
    const auto &all = m_result.files;
    m_result.identical =
        m_result.onlyA.empty() && m_result.onlyB.empty() && m_result.program.equal &&
        (!m_options.bytes ||
         std::all_of(all.begin(), all.end(),
                     [this](const FileDifference &file) { return sameFile(file); })) &&
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
