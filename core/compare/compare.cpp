// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/compare.h"

#include "core/base/overlaid_file.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/compare/byte_alignment.h"
#include "core/compare/container_difference.h"
#include "core/compare/content_match.h"
#include "core/container/hwx/container.h"
#include "core/container/mil/model_files.h"
#include "core/container/mlir/module.h"
#include "core/container/network/network_program.h"

#include <fmt/format.h>

namespace kernscope {

const Weight &comparedWeight(const Bundle &a, const Bundle &b, const PairSides &sides)
{
    return sides.slice && sides.slice->ofA ? b.weights()[sides.b] : a.weights()[sides.a];
}

std::string sliceText(const WeightSlice &slice)
{
    return fmt::format("{}: part {} of {}, {} to {} of axis {} of the whole", slice.name(),
                       slice.number + 1, slice.parts, grouped(slice.first),
                       grouped(slice.first + slice.count - 1), slice.axis);
}

diff::PartElements diff::sliceOf(const Bundle &a, const Bundle &b, const PairSides &sides)
{
    const WeightSlice &slice = *sides.slice;
    const Shape &shape = (slice.ofA ? a.weights()[sides.a] : b.weights()[sides.b]).shape;
    std::uint64_t inner = 1;
    for (std::size_t i = slice.axis + 1; i < shape.size(); ++i)
        inner *= shape[i];
    return {slice.first * inner, slice.count * inner, shape[slice.axis] * inner};
}

bool isCheckpoint(const Bundle &bundle)
{
    return bundle.kind() == BundleKind::Safetensors || bundle.kind() == BundleKind::Npz;
}

namespace {

/// In order, neighbours joined, bounded.
void finishRanges(std::vector<ByteRange> &ranges, std::uint64_t size, bool &cut)
{
    std::ranges::sort(ranges, {}, &ByteRange::offset);
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

void addRange(std::vector<ByteRange> &to, std::uint64_t first, std::uint64_t length)
{
    if (length > 0)
        to.push_back({FileOffset(first), ByteCount(length)});
}

/// Where the bytes of two files differ, each against what it is the same as: a part of a weight
/// against the same part, a line of text against the same line. Holds references.
class FileRanges
{
public:
    /// `pairs`: what pairWeights found.
    FileRanges(const Bundle &a, const Bundle &b, std::span<const ComparedPair> pairs)
        : m_a(a), m_b(b), m_pairs(pairs)
    {
    }

    /// Fills in ranges and tally of a file that both sides have. Hold the locks of the files. False
    /// where cancelled.
    bool find(FileDifference &file, const Progress *progress)
    {
        if (!m_alignment)
            m_alignment.emplace(m_a, m_b, m_pairs);
        const auto bytesA = m_a.files()[file.a].file->bytes();
        const auto bytesB = m_b.files()[file.b].file->bytes();
        const auto &files = m_alignment->files();
        const auto aligned = std::ranges::find_if(
            files, [&](const AlignedFile &each) { return each.a == file.a && each.b == file.b; });
        if (aligned == files.end()) {
            AlignedSegment whole;
            whole.lengthA = bytesA.size();
            whole.lengthB = bytesB.size();
            return add(file, whole, bytesA, bytesB, progress);
        }
        for (std::size_t s = aligned->firstSection; s < aligned->firstSection + aligned->sections;
             ++s) {
            const AlignedSection &section = m_alignment->sections()[s];
            for (std::size_t i = section.firstSegment; i < section.firstSegment + section.segments;
                 ++i) {
                const AlignedSegment &segment = m_alignment->segments()[i];
                if (!add(file, segment, bytesA.subspan(segment.firstA, segment.lengthA),
                         bytesB.subspan(segment.firstB, segment.lengthB), progress))
                    return false;
            }
        }
        finishRanges(file.ranges, bytesA.size(), file.rangesCut);
        finishRanges(file.rangesB, bytesB.size(), file.rangesCut);
        return true;
    }

private:
    bool add(FileDifference &file, const AlignedSegment &segment, std::span<const std::byte> a,
             std::span<const std::byte> b, const Progress *progress) const
    {
        if (segment.text && a.size() != b.size()) {
            const std::uint64_t trimmed = segment.prefix + segment.suffix;
            const std::uint64_t inA = a.size() - std::min<std::uint64_t>(a.size(), trimmed);
            const std::uint64_t inB = b.size() - std::min<std::uint64_t>(b.size(), trimmed);
            addRange(file.ranges, segment.firstA + segment.prefix, inA);
            addRange(file.rangesB, segment.firstB + segment.prefix, inB);
            file.tally += ByteTally::of(inA, inB);
            return true;
        }
        if (segment.otherwise) {
            addRange(file.ranges, segment.firstA, a.size());
            addRange(file.rangesB, segment.firstB, b.size());
            file.tally += ByteTally::of(a.size(), b.size());
            return true;
        }
        // The bytes were counted when the files were found to differ: here only a stop is looked
        // for.
        const auto found = diff::findDifferentBytes(a, b, FileDifference::kMaxRanges, nullptr);
        if (!found || (progress != nullptr && progress->cancelled()))
            return false;
        file.rangesCut = file.rangesCut || found->cut;
        file.tally += diff::differentBytes(a, b);
        for (const ByteRange &range : found->ranges) {
            const std::uint64_t first = range.offset.value;
            const auto within = [&](std::uint64_t size) {
                return std::min(range.end(), size) - std::min(first, size);
            };
            addRange(file.ranges, segment.firstA + first, within(a.size()));
            addRange(file.rangesB, segment.firstB + first, within(b.size()));
        }
        return true;
    }

    const Bundle &m_a;
    const Bundle &m_b;
    std::span<const ComparedPair> m_pairs;
    std::optional<ByteAlignment> m_alignment; ///< made for the first file
};

/// The files of the program: one, or those of a compiled pipeline's models.
std::vector<std::span<const std::byte>> programsOf(const Bundle &bundle)
{
    std::vector<std::span<const std::byte>> files;
    for (std::size_t i = 0; i < bundle.files().size(); ++i) {
        if (bundle.isProgramFile(i))
            files.push_back(bundle.files()[i].file->bytes());
    }
    return files;
}

/// Differences that no form of storage makes, and weights in which chance makes none alike.
constexpr double kUnlikeRmse = 0.5;
constexpr std::uint64_t kFewest = 16;

class BundleComparison
{
public:
    BundleComparison(const Bundle &a, const Bundle &b, const DiffOptions &options,
                     Progress *progress, const ComparisonSteps &steps)
        : m_a(a), m_b(b), m_options(options), m_progress(progress), m_steps(steps)
    {
    }

    Result<Difference> run()
    {
        PairedWeights paired = pairWeights(m_a, m_b, m_options.pairs, m_progress);
        if (m_progress != nullptr && m_progress->cancelled())
            return tl::unexpected(cancelledError("The comparison was cancelled"));
        if (m_steps.paired)
            m_steps.paired(paired);
        m_result.weights = std::move(paired.pairs);
        m_result.onlyA = std::move(paired.onlyA);
        m_result.onlyB = std::move(paired.onlyB);
        const auto files = diff::pairFiles(m_a, m_b);
        announceTotal(files);
        for (const diff::FilePair &pair : files) {
            if (!compareFile(pair))
                return tl::unexpected(cancelledError("The comparison was cancelled"));
        }
        describeProgram();
        for (ComparedPair &pair : m_result.weights) {
            if (!compareStored(pair))
                return tl::unexpected(cancelledError("The comparison was cancelled"));
        }
        if (m_steps.described)
            m_steps.described(m_result);
        for (std::size_t i = 0; i < m_result.weights.size(); ++i) {
            if (!comparePairValues(m_result.weights[i]))
                return tl::unexpected(cancelledError("The comparison was cancelled"));
            if (m_steps.compared)
                m_steps.compared(i, m_result.weights[i]);
        }
        findExchanged();
        const bool sameKind = m_a.kind() == m_b.kind();
        // Of two checkpoints each names its tensors itself; elsewhere a kind may not know the names
        // that the other gives.
        const bool ownNames = isCheckpoint(m_a) && isCheckpoint(m_b);
        const auto sameWeight = [&](const ComparedPair &pair) {
            if (pair.damaged)
                return true;
            if (pair.slice)
                return false;
            if (ownNames && m_a.weights()[pair.a].name != m_b.weights()[pair.b].name)
                return false;
            // The same files say nothing of two weights that only a person takes for one, and equal
            // programs in other bytes may take a weight from elsewhere in the same file.
            const bool byFiles = m_options.bytes && sameKind && m_result.program.sameBytes &&
                                 pair.pairing != Pairing::Hand;
            return byFiles || (pair.layoutEqual && pair.storedEqual);
        };
        const auto &all = m_result.files;
        const bool same =
            m_result.onlyA.empty() && m_result.onlyB.empty() && m_result.program.equal &&
            (!m_options.bytes ||
             std::ranges::all_of(all,
                                 [this](const FileDifference &file) { return sameFile(file); })) &&
            std::ranges::all_of(m_result.weights, sameWeight);
        m_result.unread = same && std::ranges::any_of(m_result.weights, &ComparedPair::damaged);
        m_result.identical = same && !m_result.unread;
        return std::move(m_result);
    }

private:
    /// Work in bytes of files and stored parts, and in decoded elements.
    void announceTotal(const std::vector<diff::FilePair> &files)
    {
        if (m_progress == nullptr)
            return;
        std::uint64_t total = 0;
        for (const diff::FilePair &pair : files) {
            if (m_options.bytes && pair.a != kNoIndex && pair.b != kNoIndex) {
                total += std::min(m_a.files()[pair.a].file->size().value,
                                  m_b.files()[pair.b].file->size().value);
            }
        }
        for (const ComparedPair &pair : m_result.weights) {
            if (pair.layoutEqual || (pair.shapeOnly && pair.shapeEqual))
                total += m_a.weights()[pair.a].storedBytes.value;
            if (m_options.values && (pair.shapeEqual || m_a.weights()[pair.a].elements ==
                                                            m_b.weights()[pair.b].elements))
                total += comparedWeight(m_a, m_b, pair).elements.value;
        }
        m_progress->setTotal(total);
    }

    bool compareFile(diff::FilePair pair)
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
            const BundleReadLock lock(m_a, m_b);
            const auto same = diff::sameBytes(a->file->bytes(), b->file->bytes(), m_progress);
            if (!same)
                return false;
            file.equal = *same;
            file.otherNotation = !file.equal && pair.a == m_a.programFile() &&
                                 pair.b == m_b.programFile() && otherNotation();
            if (!file.equal && !file.otherNotation) {
                if (!m_ranges)
                    m_ranges.emplace(m_a, m_b, m_result.weights);
                if (!m_ranges->find(file, m_progress))
                    return false;
            }
        } else if (m_options.bytes) {
            (a != nullptr ? file.tally.onlyA : file.tally.onlyB) =
                (a != nullptr ? file.bytesA : file.bytesB)->value;
        }
        m_result.files.push_back(std::move(file));
        return true;
    }

    bool compareStored(ComparedPair &pair)
    {
        if (!pair.layoutEqual && !(pair.shapeOnly && pair.shapeEqual))
            return true;
        const BundleReadLock lock(m_a, m_b);
        const OperandList &a = m_a.weights()[pair.a].operands(),
                          &b = m_b.weights()[pair.b].operands();
        pair.storedEqual = true;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const auto same =
                diff::sameRuns(m_a.operandRuns(a[i]), m_b.operandRuns(b[i]), m_progress);
            if (!same)
                return false;
            pair.storedEqual = pair.storedEqual && *same;
        }
        return true;
    }

    bool comparePairValues(ComparedPair &pair)
    {
        if (!m_options.values)
            return true;
        return pair.shapeEqual ? findValues(m_a, m_b, pair, m_options.tolerance, m_progress)
                               : findReshaped(m_a, m_b, pair, m_progress);
    }

    /// Of pairs by name whose values have little in common, those that hold each other's.
    void findExchanged()
    {
        std::map<std::string, std::size_t> held; // by content: the weight of A
        std::vector<std::size_t> unlike, found;
        for (std::size_t i = 0; i < m_result.weights.size(); ++i) {
            const ComparedPair &pair = m_result.weights[i];
            const bool named = pair.pairing == Pairing::Name || pair.pairing == Pairing::Consumer;
            if (named && pair.values && !pair.slice && !pair.rule && !pair.order &&
                pair.values->relativeRmse >= kUnlikeRmse && pair.values->elements() >= kFewest)
                unlike.push_back(i);
        }
        if (unlike.size() < 2)
            return;
        {
            const BundleReadLock lock(m_a, m_b);
            for (const std::size_t i : unlike) {
                const std::size_t a = m_result.weights[i].a;
                const auto [at, isNew] = held.emplace(keyOf(m_a, a), a);
                if (!isNew)
                    at->second = kNoIndex;
            }
            for (const std::size_t i : unlike) {
                ComparedPair &pair = m_result.weights[i];
                const auto same = held.find(keyOf(m_b, pair.b));
                if (same == held.end() || same->first.empty() || same->second == kNoIndex)
                    continue;
                pair.exchanged = same->second;
                found.push_back(i);
            }
        }
        for (const std::size_t i : found) {
            if (m_steps.compared)
                m_steps.compared(i, m_result.weights[i]); // once more
        }
    }
    static std::string keyOf(const Bundle &bundle, std::size_t weight)
    {
        return diff::contentKey(bundle, weight, diff::KeyPrecision::Half);
    }

    void describeProgram()
    {
        auto &program = m_result.program;
        const BundleReadLock lock(m_a, m_b);
        const auto a = programsOf(m_a), b = programsOf(m_b);
        const auto bytesOf = [](const std::vector<std::span<const std::byte>> &files) {
            std::uint64_t bytes = 0;
            for (const auto &file : files)
                bytes += file.size();
            return files.empty() ? std::nullopt : std::optional(ByteCount(bytes));
        };
        program.bytesA = bytesOf(a);
        program.bytesB = bytesOf(b);
        const bool both = program.bytesA.has_value() == program.bytesB.has_value();
        program.sameBytes = std::ranges::equal(a, b, [](const auto &x, const auto &y) {
            return diff::sameBytes(x, y, nullptr).value_or(false);
        });
        program.detail = comparePrograms(*m_a.program(), *m_b.program());
        if (m_a.program()->functions.empty() && m_b.program()->functions.empty() && !a.empty() &&
            !b.empty()) // old networks: their layers
            program.detail =
                comparePrograms(network::networkProgram(*m_a.program(), a.front(), {}),
                                network::networkProgram(*m_b.program(), b.front(), {}));
        const std::span<const std::byte> none;
        compareModels(*m_a.program(), a.empty() ? none : a.front(), *m_b.program(),
                      b.empty() ? none : b.front(), program.detail);
        if (m_a.kind() == m_b.kind())
            compareInterfaces(*m_a.program(), *m_b.program(), program.detail);
        if (m_a.compiled() && m_b.compiled() && !program.sameBytes)
            compareCompiled(m_a, m_b, program.detail);
        if (m_a.hardware() && m_b.hardware())
            return describeHardware();
        if (program.detail.equal && !program.sameBytes && m_a.kind() == BundleKind::Aimodel &&
            m_b.kind() == BundleKind::Aimodel)
            diff::compareModules(mlir::readModule(a.front(), "A"), mlir::readModule(b.front(), "B"),
                                 program.detail);
        // A program that could not be read whole is judged by its bytes as well.
        const auto readWhole = [](const Bundle &bundle) {
            return !bundle.program()->functions.empty() && !hasErrors(bundle.diagnostics());
        };
        program.equal =
            program.sameBytes || (both && program.detail.equal && readWhole(m_a) && readWhole(m_b));
        program.sameComputation = program.equal || (both && program.detail.sameComputation &&
                                                    readWhole(m_a) && readWhole(m_b));
    }

    /// The program of a hardware container are its tasks, ports and addresses.
    void describeHardware()
    {
        auto &program = m_result.program;
        const auto bytesOf = [](const Bundle &bundle) {
            return bundle.files().front().file->bytes();
        };
        diff::compareHardware(*m_a.hardware(), *m_b.hardware(), program.detail);
        program.sameBytes = diff::sameBytes(bytesOf(m_a), bytesOf(m_b), nullptr).value_or(false);
        const auto tasks = compareTasks(m_a, m_b);
        program.equal = program.detail.equal && tasks && tasks->equal();
        program.sameComputation = program.equal;
    }

    bool otherNotation() const
    {
        const auto isProtobuf = [](const Bundle &bundle) {
            return isModelProtobuf(bundle.files()[bundle.programFile()].file->bytes(),
                                   bundle.files()[bundle.programFile()].path);
        };
        return isProtobuf(m_a) != isProtobuf(m_b);
    }

    /// Bundles of two kinds differ in the files that describe them; what they hold may be the same.
    bool sameFile(const FileDifference &file) const
    {
        const bool isProgram = m_a.isProgramFile(file.a) || m_b.isProgramFile(file.b);
        if (file.equal || (isProgram && m_result.program.equal))
            return true;
        if (m_a.kind() == m_b.kind() || isProgram)
            return false;
        const SectionKind role =
            file.a != kNoIndex ? m_a.files()[file.a].role : m_b.files()[file.b].role;
        return role != SectionKind::Data || (file.a != kNoIndex && file.b != kNoIndex);
    }

    const Bundle &m_a;
    const Bundle &m_b;
    const DiffOptions &m_options;
    Progress *m_progress;
    const ComparisonSteps &m_steps;
    Difference m_result;
    std::optional<FileRanges> m_ranges; ///< made for the first file that differs
};

} // namespace

Result<Difference> compareBundles(const Bundle &a, const Bundle &b, const DiffOptions &options,
                                  Progress *progress, const ComparisonSteps &steps)
{
    return BundleComparison(a, b, options, progress, steps).run();
}

std::string_view lastComponent(std::string_view path)
{
    const auto slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

} // namespace kernscope
