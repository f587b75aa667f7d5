// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/audit.h"

#include "core/assessment/coverage.h"
#include "core/assessment/weight_facts.h"
#include "core/audit/seats.h"
#include "core/audit/structures.h"
#include "core/base/error_builder.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/bundle/element_place.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace kernscope::audit {

namespace {

/// What is no fault of the form: arithmetic in fp16 (of folded batch norms), a step through bf16.
constexpr double kDenseSlack = 2.5e-3, kCodedSlack = 1e-3;
/// Correlation of weights that are of the same layer at another time.
constexpr double kRelated = 0.5;
/// Share of codes that are not the nearest ones above which a weight stands out, where the others
/// of its package have (almost) none; and how many times theirs.
constexpr double kNotNearest = 0.003, kTimesOthers = 8;

/// Whether codes of few bits are stored one a byte: the reader shows them as they were meant, the
/// runtime takes them for packed ones.
unsigned unpackedBits(const Bundle &package, const Weight &weight)
{
    if (package.kind() != BundleKind::Aimodel)
        return 0;
    for (const auto role : {codec::PartRole::Data, codec::PartRole::Indices}) {
        const codec::Operand *operand = weight.operand(role);
        if (!operand || !operand->place || operand->place->isLiteral())
            continue;
        const std::uint64_t count = elementCount(operand->shape).value_or(ElementCount()).value;
        if (bitWidth(operand->type) < 8 && count > 1 && operand->place->bytes.value == count)
            return bitWidth(operand->type);
    }
    return 0;
}

/// How many times as many rows a weight has, at least, as are wrong in it alone: of rows that
/// follow each other, which may be one of several tensors, fewer times.
std::uint64_t partsOfFew(std::span<const std::uint64_t> rows)
{
    return rowRuns(rows).size() == 1 ? 2 : 4;
}

template <class Number>
Number medianOf(std::vector<Number> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// What is said of `where`, one row or block or several, that holds zeros alone.
std::string zeroedText(const std::string &where, bool one)
{
    return fmt::format("Zeroed rows: {} {} all zero, and the checkpoint's {} not", where,
                       one ? "is" : "are", one ? "is" : "are");
}

/// All of a package with its seats.
class Auditor
{
public:
    Auditor(const BundlePtr &package, const BundlePtr &checkpoint, const AuditOptions &options,
            Progress *progress)
        : m_package(package), m_checkpoint(checkpoint), m_options(options), m_progress(progress)
    {
    }
    Result<AuditResult> run()
    {
        const BundleReadLock lock(*m_package, *m_checkpoint);
        std::uint64_t total = 0;
        for (const Weight &weight : m_package->weights())
            total += weight.elements.value;
        if (m_progress)
            m_progress->setTotal(total);
        m_seating = findSeats(m_package, m_checkpoint, m_progress);
        std::erase_if(m_seating.seats, [&](const Seat &seat) {
            const Weight &weight = m_package->weights()[seat.weight];
            const bool out = m_options.rules.ignores(weight);
            if (out)
                m_seating.unpaired.push_back(
                    {seat.weight, weight.address(), "A rule leaves it out"});
            return out;
        });
        // The largest ones first: the last one must not run alone for long.
        std::vector<std::size_t> order(m_seating.seats.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        const auto elements = [&](std::size_t i) {
            return m_seating.references[m_seating.seats[i].reference].elements;
        };
        std::ranges::stable_sort(
            order, [&](std::size_t a, std::size_t b) { return elements(a) > elements(b); });
        std::vector<Judged> all(order.size());
        inParallel(order.size(), 0, [&](std::size_t i) {
            all[order[i]] = judge(m_seating.seats[order[i]]);
            return !cancelled();
        });
        if (cancelled())
            return ErrorBuilder("task.cancelled").message("cancelled").unexpected();
        AuditResult result;
        const CompressionScheme scheme = compressionScheme(*m_package);
        result.scheme = scheme.text;
        result.limit = m_options.rules.auditLimit.value_or(m_options.limit);
        nameOthers(all);
        nameShared(all);
        nameOutliers(all);
        nameDense(all, scheme);
        for (Judged &judged : all)
            (judged.row.fault ? result.faulty : result.sound).push_back(std::move(judged.row));
        const auto badness = [](const AuditedWeight &row) {
            return row.error / std::max(row.bestPossible, 1e-3);
        };
        std::ranges::stable_sort(result.faulty,
                                 [&](const AuditedWeight &a, const AuditedWeight &b) {
                                     return badness(a) > badness(b);
                                 });
        result.unpaired = std::move(m_seating.unpaired);
        result.missing = std::move(m_seating.missing);
        result.notCompared = m_seating.notCompared;
        result.unreadable = static_cast<std::size_t>(std::ranges::count_if(
            m_package->weights(), [](const Weight &weight) { return weight.fault.has_value(); }));
        return result;
    }

private:
    /// What is remembered of a judged weight until all are.
    struct Judged {
        AuditedWeight row;
        NearestShares nearest;
        std::size_t holds = kNoIndex; ///< another reference, whose values it has
        bool stepped = false;
    };
    /// Relative errors of what a mask keeps; without one: of all.
    struct Errors {
        double whole = 0, sampled = 0, best = 0;
    };
    Judged judge(const Seat &seat) const
    {
        const Reference &reference = m_seating.references[seat.reference];
        const Weight &weight = m_package->weights()[seat.weight];
        Judged judged;
        AuditedWeight &row = judged.row;
        row.weight = seat.weight;
        row.name = weight.address();
        row.checkpointName = reference.name;
        row.transform = reference.transform;
        row.pairedBy = seat.how;
        auto decoder = m_package->decoder(seat.weight);
        if (!decoder)
            return judged;
        Subject subject{m_package.get(), seat.weight, *decoder,
                        StoredSteps(*m_package, seat.weight, *decoder), &reference};
        const auto pass = passOver(subject, m_progress);
        if (!pass)
            return judged;
        const BestError best = bestError(subject, pass->largest, m_options.exact);
        const double size = best.rr > 0 ? best.rr : 1;
        row.figures = pass->figures;
        row.error = pass->sums.relative();
        row.sampledError = std::sqrt(best.ee / size);
        row.sampled = best.sampled;
        row.bestPossible = best.best ? std::sqrt(*best.best / size) : row.sampledError;
        judged.stepped = subject.steps.stepped();
        row.hasCodes = best.nearest.counted > 0;
        row.notNearest = best.nearest.notNearest();
        row.atEnds = best.nearest.atEnds();
        judged.nearest = best.nearest;
        const double keptSize = best.keptRr > 0 ? best.keptRr : 1;
        Errors kept{pass->kept.relative(), std::sqrt(best.keptEe / keptSize), 0};
        kept.best = best.keptBest ? std::sqrt(*best.keptBest / keptSize) : kept.sampled;
        const double slack = slackOf(subject), limit = limitOf(seat.weight);
        const double allowed = limit * kept.best + slack;
        const std::uint64_t here = pass->sums.notFinite, there = pass->sums.nanThere;
        if (here + there > 0) {
            row.fault = Kind::NonFinite;
            row.error = std::numeric_limits<double>::infinity();
            std::vector<std::uint64_t> rows;
            for (const std::uint64_t element : pass->notFinite) {
                row.elements.push_back(elementPlace(weight.shape, element));
                rows.push_back(element / reference.rowElements);
            }
            row.rows = rowRuns(rows);
            const std::uint64_t count = here > 0 ? here : there;
            row.why =
                fmt::format("{} {} {}", grouped(count), count == 1 ? "element is" : "elements are",
                            here > 0 ? "not finite (NaN or infinite), where the "
                                       "checkpoint's are finite"
                                     : "finite, where the checkpoint's are NaN");
            return judged;
        }
        if (const unsigned bits = unpackedBits(*m_package, weight)) {
            row.fault = Kind::CodesUnpacked;
            row.why =
                fmt::format("Its codes are stored unpacked, one code a byte: the runtime reads "
                            "them as packed codes of {} bits, other values than are shown",
                            bits);
            return judged;
        }
        const double outside =
            pass->sizeOutside > 0 ? std::sqrt(pass->errorOutside / pass->sizeOutside) : 0;
        std::vector<std::uint64_t> bad;
        for (const BadBlock &block : pass->blocks)
            bad.push_back(block.row);
        const std::uint64_t few = partsOfFew(bad);
        if (pass->badBlocks > 0 && few * pass->badBlocks <= pass->allBlocks && outside <= allowed &&
            !isNoisy(subject, *pass)) {
            judgeLocal(subject, *pass, kept, row);
            return judged;
        }
        if (judgeRows(subject, *pass, kept, row))
            return judged;
        // A sample misses what is in few rows: then the whole says it.
        const auto isOver = [&](double sampled, double whole, double most) {
            return sampled > most || whole > 1.5 * most;
        };
        if (isOver(kept.sampled, kept.whole, allowed) ||
            isOver(row.sampledError, row.error, limit * row.bestPossible + slack) ||
            4 * pass->badBlocks > pass->allBlocks) {
            const auto ofRange = errorOfRange(subject);
            const bool nearest = pass->badBlocks == 0 && row.notNearest <= kNotNearest;
            if (ofRange && nearest && !m_options.rules.auditLimitOf(weight)) {
                row.why = fmt::format("{}, as the tool's method makes: {:.2f} times the best "
                                      "possible error",
                                      subject.steps.palette
                                          ? "A table of even steps over the range of the values"
                                          : "Scales of the largest magnitude",
                                      kept.sampled / kept.best);
                return judged;
            }
            if (!nearest) // values that were moved come to no less
                kept.best = std::max(kept.best, ofRange.value_or(0));
            judgeWhole(subject, seat, limit, kept, judged);
        } else if (!best.best && correlation(subject) < kRelated)
            unrelated(subject, row);
        else if (row.notNearest > kNotNearest && best.nearest.off >= kFewest)
            explained(explainTables(subject, {kept.best, kept.whole}), row);
        return judged;
    }

    static void unrelated(const Subject &subject, AuditedWeight &row)
    {
        row.fault = Kind::Unrelated;
        row.why = fmt::format("Its values are unrelated to the checkpoint's (correlation {:.2f})",
                              correlation(subject));
    }

    /// Whether something was found, which is then said.
    static bool explained(std::optional<Explanation> found, AuditedWeight &row)
    {
        if (!found)
            return false;
        row.fault = found->kind;
        row.why = std::move(found->why);
        row.factor = found->factor;
        row.elements = std::move(found->elements);
        row.rows = std::move(found->rows);
        return true;
    }

    /// Some blocks or rows are wrong, all the others are right.
    void judgeLocal(const Subject &subject, const WholePass &pass, const Errors &kept,
                    AuditedWeight &row) const
    {
        row.wrongBlocks = pass.badBlocks;
        row.blocks = pass.blocks;
        std::vector<std::uint64_t> rows;
        bool zeros = true;
        double left = 0, size = 0, least = HUGE_VAL, most = -HUGE_VAL;
        std::uint64_t elements = 0;
        for (const BadBlock &block : pass.blocks) {
            if (rows.empty() || rows.back() != block.row)
                rows.push_back(block.row);
            const Window window = load(subject, block.row * subject.rowElements() + block.first,
                                       block.end - block.first, false);
            const PairSums sums = sumsOfKept(subject, window.first, window.d, window.r);
            elements += block.end - block.first;
            zeros = zeros && sums.dd == 0;
            const double factor = sums.dd > 0 ? sums.dr / sums.dd : 0;
            left += std::max(0.0, sums.rr - factor * sums.dr);
            size += sums.rr;
            if (factor != 0) {
                least = std::min(least, 1 / factor);
                most = std::max(most, 1 / factor);
            }
        }
        row.rows = rowRuns(rows);
        const bool one = pass.badBlocks == 1;
        const std::string where = rowsText(row.rows);
        const std::string blocks =
            elements == rows.size() * subject.rowElements() ? where
            : one ? fmt::format("{}, block {} (columns {} to {})", where, pass.blocks[0].block,
                                pass.blocks[0].first, pass.blocks[0].end - 1)
                  : fmt::format("{} in {}", counted(pass.badBlocks, "block"), where);
        if (zeros) {
            row.fault = Kind::RowsZeroed;
            row.why = zeroedText(blocks, one || (blocks == where && rows.size() == 1));
            return;
        }
        const double remains = size > 0 ? std::sqrt(left / size) : 0;
        if (remains <= 3 * kept.best + kDenseSlack) {
            row.fault = Kind::BlockScale;
            row.factor = one ? least : 0;
            row.why = fmt::format("The scale{} of {} {} {} times what {} should be", one ? "" : "s",
                                  blocks, one ? "is" : "are", timesText(least, most),
                                  one ? "it" : "they");
            return;
        }
        if (explained(channelOrder(subject, {kept.best, kept.whole}), row))
            return;
        otherRows(subject, blocks, row);
    }

    void otherRows(const Subject &subject, const std::string &where, AuditedWeight &row) const
    {
        row.fault = Kind::OtherRows;
        row.why = fmt::format("Other values than the checkpoint's in {}", where);
        for (std::uint64_t first = 0; const Reference::Piece &piece : subject.reference->pieces) {
            const std::uint64_t end = first + piece.count / subject.rowElements();
            if (subject.reference->isJoined() && first <= row.rows.front().first &&
                row.rows.back().end <= end)
                row.checkpointName = m_checkpoint->weights()[piece.tensor].name;
            first = end;
        }
    }

    /// Whether the codes outside of the rows that stand out are not the nearest ones either: what
    /// is wrong is everywhere.
    bool isNoisy(const Subject &subject, const WholePass &pass) const
    {
        constexpr std::uint64_t kSampled = 1U << 14;
        if (!subject.steps.stepped() || pass.badBlocks > pass.blocks.size())
            return false;
        std::set<std::uint64_t> bad;
        for (const BadBlock &block : pass.blocks)
            bad.insert(block.row);
        NearestShares shares;
        for (const auto &[first, count] : sampledRuns(subject, kSampled)) {
            for (std::uint64_t at = first; at < first + count; at += subject.rowElements()) {
                if (bad.count(at / subject.rowElements()) != 0)
                    continue;
                const Window window =
                    load(subject, at, std::min(subject.rowElements(), first + count - at), false);
                const NearestShares row = nearestShares(subject, at, window.d, window.r);
                shares.counted += row.counted;
                shares.off += row.off;
            }
        }
        return shares.off >= kFewest && shares.notNearest() > kNotNearest;
    }

    /// Rows that stand out, of forms without scales of their own.
    bool judgeRows(const Subject &subject, const WholePass &pass, const Errors &kept,
                   AuditedWeight &row) const
    {
        constexpr std::uint64_t kShortRow = 4;
        // Plain values that a mask keeps are off by their rounding alone.
        const bool plain = subject.sparse() && !subject.steps.palette && !subject.steps.scaled;
        const auto least = static_cast<float>(plain ? 16 * kDenseSlack * kDenseSlack : 0.3);
        const float smallest = plain ? 1e-4F : 0.05F;
        if (subject.rowElements() < kShortRow || subject.rows() < 3)
            return false;
        const float usual = medianOf(pass.rowSize), usualError = medianOf(pass.rowError);
        const auto &palette = subject.decoder.encoding().palette;
        const std::uint64_t together = palette && palette->vectorAxis == 0 ? palette->vector : 1;
        // A mask leaves out rows whose values are all below those that it keeps.
        std::optional<float> keptSize;
        const auto usuallyKept = [&] {
            if (!keptSize)
                keptSize = usualMagnitude(subject);
            return *keptSize;
        };
        std::vector<std::uint64_t> zeros, others;
        std::size_t sure = 0; // zeroed rows, which are to be told apart in any number
        double left = 0, leftSize = 0;
        for (std::size_t i = 0; i < pass.rowSize.size(); ++i) {
            const bool leftOut = subject.sparse() && pass.rowKept[i] == 0;
            const bool zero =
                pass.rowValue[i] == 0 &&
                (leftOut ? pass.rowSize[i] > usual && largestOfRow(subject, i) > usuallyKept()
                         : pass.rowKept[i] > 1e-6F * usual) &&
                (!subject.steps.palette || pass.rowSize[i] > 0.05F * usual);
            const bool other = pass.rowError[i] > 16 * usualError &&
                               pass.rowError[i] > least * pass.rowKept[i] &&
                               pass.rowSize[i] > smallest * usual;
            // Rows that the form can hold no better are none of the package's doing.
            const auto holdsBest = [&] {
                const std::uint64_t first = i / together * together;
                const std::uint64_t rows = std::min(together, subject.rows() - first);
                const Window all = load(subject, first * subject.rowElements(),
                                        rows * subject.rowElements(), false);
                return holdsNearest(subject, all.first, all.d, all.r);
            };
            const bool wrong = (zero || other) && !holdsBest();
            if (zero && wrong) {
                zeros.push_back(i);
                sure += !leftOut;
            }
            if (wrong) {
                others.push_back(i);
            } else {
                left += static_cast<double>(pass.rowError[i]);
                leftSize += static_cast<double>(pass.rowKept[i]);
            }
        }
        const double allowed = limitOf(row.weight) * kept.best + slackOf(subject);
        if (others.empty() || partsOfFew(others) * (others.size() - sure) > pass.rowSize.size() ||
            left > allowed * allowed * leftSize)
            return false;
        if (zeros.size() == others.size()) {
            row.rows = rowRuns(zeros);
            row.fault = Kind::RowsZeroed;
            row.why = zeroedText(rowsText(row.rows), zeros.size() == 1);
            return true;
        }
        if (subject.steps.palette &&
            explained(explainTables(subject, {kept.best, kept.whole}), row))
            return true;
        if (explained(channelOrder(subject, {kept.best, kept.whole}), row))
            return true;
        row.rows = rowRuns(others);
        otherRows(subject, rowsText(row.rows), row);
        return true;
    }

    /// All of it is wrong.
    void judgeWhole(const Subject &subject, const Seat &seat, double limit, const Errors &kept,
                    Judged &judged) const
    {
        AuditedWeight &row = judged.row;
        const Reference &reference = m_seating.references[seat.reference];
        // The values of another tensor.
        const auto places = samplePlaces(reference.elements, 4096);
        std::vector<float> d(places.size()), r(places.size());
        for (std::size_t i = 0; i < places.size(); ++i)
            subject.decoder.decodeFloat(places[i], std::span(d).subspan(i, 1));
        double nearest = 0.6 * row.error;
        const auto consider = [&](std::size_t k) {
            const double distance = std::sqrt(likeness(d, r).distance);
            if (distance >= nearest)
                return;
            Subject there = subject;
            there.reference = &m_seating.references[k];
            if (distance <= 1.6 * row.bestPossible + slackOf(subject) ||
                distance <= 1.6 * errorOfRange(there).value_or(0)) {
                nearest = distance;
                judged.holds = k;
            }
        };
        for (const std::size_t k : m_seating.alike(seat.reference)) {
            const Reference &other = m_seating.references[k];
            for (std::size_t i = 0; i < places.size(); ++i)
                other.read(places[i], std::span(r).subspan(i, 1));
            consider(k);
            const bool foldedToo =
                std::ranges::any_of(m_seating.references, [&](const Reference &each) {
                    return other.factors.empty() && each.name == other.name &&
                           !each.factors.empty();
                });
            if (reference.factors.empty() || reference.isBias || other.isBias || foldedToo)
                continue;
            for (std::size_t i = 0; i < places.size(); ++i) { // before the batch norm was folded in
                other.readPlain(places[i], std::span(r).subspan(i, 1));
                r[i] *= reference.factorOf(places[i]);
            }
            consider(k);
        }
        if (judged.holds != kNoIndex) {
            row.fault = Kind::OtherTensor; // nameOthers() says which kind of
            return;
        }
        if (std::ranges::all_of(d, [](float value) { return value == 0; })) {
            row.rows = {{0, subject.rows()}};
            row.fault = Kind::RowsZeroed;
            row.why = zeroedText(rowsText(row.rows), subject.rows() == 1);
            return;
        }
        if (subject.sparse() && kept.whole <= limit * kept.best + slackOf(subject)) {
            row.fault = Kind::OtherValues;
            row.why = fmt::format("Its mask keeps other elements than the largest: its error is "
                                  "{:.2f} times the best possible one ({} allowed)",
                                  row.sampledError / row.bestPossible, limit);
            return;
        }
        const FoldedNorm *norm =
            reference.norm == kNoIndex ? nullptr : &m_seating.norms[reference.norm];
        if (explained(explain(subject, {kept.best, kept.whole, norm}), row))
            return;
        if (correlation(subject) < kRelated)
            return unrelated(subject, row);
        if (subject.steps.stepped() && row.notNearest < 0.02) {
            row.fault = Kind::AboveBest;
            row.why = fmt::format(
                "Its error is {:.2f} times the best possible one ({} allowed): the "
                "codes are the nearest, the {} could be better",
                kept.sampled / kept.best, limit, subject.steps.palette ? "table" : "scales");
            return;
        }
        row.fault = Kind::OtherValues;
        row.why =
            fmt::format("Near, but other values than this checkpoint's (off by {:.2g} of their "
                        "size): another training step, or another method of rounding",
                        kept.whole);
    }

    /// Whose values a weight holds that has those of another tensor.
    void nameOthers(std::vector<Judged> &all) const
    {
        std::map<std::size_t, std::size_t> holder; // of a reference: its row
        for (std::size_t i = 0; i < all.size(); ++i)
            holder.emplace(m_seating.seats[i].reference, i);
        for (std::size_t i = 0; i < all.size(); ++i) {
            Judged &judged = all[i];
            if (judged.holds == kNoIndex)
                continue;
            AuditedWeight &row = judged.row;
            const Reference &other = m_seating.references[judged.holds];
            const auto found = holder.find(judged.holds);
            const std::string what = other.transform == "as it is"
                                         ? other.name
                                         : other.name + " (" + other.transform + ")";
            if (found == holder.end() || found->second == i) {
                row.why = fmt::format("It holds {}, another tensor of the checkpoint", what);
                continue;
            }
            const Judged &there = all[found->second];
            if (there.holds == m_seating.seats[i].reference) {
                row.fault = Kind::Swapped;
                row.why = fmt::format("It is swapped with {}: it holds {}", there.row.name, what);
            } else if (!there.row.fault) {
                row.fault = Kind::Repeated;
                row.why =
                    fmt::format("It holds {}, the other tensor that {} holds as well: stored twice "
                                "(repeated)",
                                what, there.row.name);
            } else {
                row.why = fmt::format("It holds {}, another tensor of the checkpoint", what);
            }
        }
    }

    /// Converters store equal constants once: a weight that is read in several places stands for
    /// tensors that no weight holds and that are called alike but for their numbers, or for the one
    /// tensor that is left, of a head, where an embedding is read as one as well.
    void nameShared(std::vector<Judged> &all)
    {
        const auto stem = [](std::string name) {
            std::erase_if(name, [](char c) { return c >= '0' && c <= '9'; });
            return name;
        };
        std::map<std::size_t, std::size_t> places; // by weight: those that are told
        const auto isShared = [&](const Reference &wanted) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                const Seat &seat = m_seating.seats[i];
                const Reference &held = m_seating.references[seat.reference];
                AuditedWeight &row = all[i].row;
                const auto &readers = m_package->weights()[seat.weight].consumers;
                const auto isReadBy = [&](std::string_view one, std::string_view other) {
                    return std::ranges::any_of(readers, [&](const Consumer &each) {
                        return each.op.starts_with(one) || each.op.starts_with(other);
                    });
                };
                const bool tied = m_seating.missing.size() == 1 && isReadBy("gather", "gather") &&
                                  isReadBy("linear", "matmul");
                if (places[seat.weight] + 1 >= readers.size() || row.fault ||
                    held.transform != wanted.transform ||
                    (!tied && stem(held.name) != stem(wanted.name)) || wanted.shape != held.shape)
                    continue;
                const auto decoder = m_package->decoder(seat.weight);
                if (!decoder)
                    continue;
                ++places[seat.weight];
                const Subject subject{m_package.get(), seat.weight, *decoder,
                                      StoredSteps(*m_package, seat.weight, *decoder), &wanted};
                const auto pass = passOver(subject, nullptr);
                const double error = pass ? pass->sums.relative() : 0;
                if (error <= limitOf(seat.weight) * row.bestPossible + slackOf(subject))
                    return true; // equal in the checkpoint as well
                row.fault = Kind::Repeated;
                row.error = error;
                row.why =
                    fmt::format("No weight holds it: the constant of {} is read in its place as "
                                "well (repeated)",
                                held.name);
                row.checkpointName = wanted.name;
                row.transform = wanted.transform;
                return true;
            }
            return false;
        };
        std::erase_if(m_seating.missing, [&](const std::string &name) {
            const auto &tensors = m_checkpoint->weights();
            const auto tensor = static_cast<std::size_t>(
                std::ranges::find(tensors, name, &Weight::name) - tensors.begin());
            const auto reference = Reference::whole(*m_checkpoint, tensor);
            return reference && isShared(*reference);
        });
        for (const std::size_t part : m_seating.missingParts) {
            const Reference &wanted = m_seating.references[part];
            if (!isShared(wanted))
                m_seating.missing.push_back(fmt::format("{} ({})", wanted.name, wanted.transform));
        }
    }

    /// Weights whose codes are not the nearest ones, in a package whose codes are.
    void nameOutliers(std::vector<Judged> &all) const
    {
        std::vector<double> shares;
        for (const Judged &judged : all) {
            if (judged.stepped && !judged.row.fault && judged.nearest.counted > 0)
                shares.push_back(judged.row.notNearest);
        }
        if (shares.empty())
            return;
        const double usual = medianOf(shares);
        for (Judged &judged : all) {
            AuditedWeight &row = judged.row;
            if (row.fault || !judged.stepped || judged.nearest.off < kFewest ||
                row.notNearest < std::max(kNotNearest, kTimesOthers * usual))
                continue;
            row.fault = Kind::OtherValues;
            row.why =
                fmt::format("Near, but other values than this checkpoint's: {:.2f} % of its codes "
                            "are not the nearest, of the package's others {:.2f} % (another "
                            "training step)",
                            100 * row.notNearest, 100 * usual);
        }
    }

    void nameDense(std::vector<Judged> &all, const CompressionScheme &scheme) const
    {
        const std::vector<ChannelAxes> axes = judgedAxes(*m_package);
        for (Judged &judged : all) {
            if (judged.row.fault)
                continue;
            const std::size_t weight = judged.row.weight;
            if (auto why = notAsScheme(*m_package, weight, axes[weight], scheme)) {
                judged.row.fault = Kind::NotCompressed;
                judged.row.why = *std::move(why);
            }
        }
    }
    /// What may be added to the best possible error.
    double slackOf(const Subject &subject) const
    {
        const Reference &reference = *subject.reference;
        if (subject.steps.scaled || subject.steps.palette)
            return kCodedSlack;
        if (reference.norm == kNoIndex)
            return kDenseSlack;
        // Weight, gain and variance were each rounded to the checkpoint's type.
        constexpr double kBf16Rounding = 0x1p-8;
        const std::size_t layer = m_seating.norms[reference.norm].convolution;
        const double slack =
            kDenseSlack +
            (m_checkpoint->weights()[layer].type == ElementType::Bf16 ? kBf16Rounding : 0);
        if (!reference.isBias)
            return slack;
        // A bias is a difference: what is lost goes by the size of its terms.
        const FoldedNorm &norm = m_seating.norms[reference.norm];
        const std::vector<float> factors = norm.factors();
        double terms = 0, size = 0;
        for (std::size_t i = 0; i < reference.own.size(); ++i) {
            const double moved =
                             static_cast<double>(norm.mean[i]) * static_cast<double>(factors[i]),
                         own = static_cast<double>(reference.own[i]);
            terms += moved * moved + own * own;
            size += own * own;
        }
        return slack * (size > 0 ? std::sqrt(terms / size) : 1);
    }

    double limitOf(std::size_t weight) const
    {
        return m_options.rules.auditLimitOf(m_package->weights()[weight]).value_or(m_options.limit);
    }
    bool cancelled() const { return m_progress && m_progress->cancelled(); }

    const BundlePtr &m_package, &m_checkpoint;
    const AuditOptions &m_options;
    Progress *m_progress;
    Seating m_seating;
};

} // namespace

std::vector<std::size_t> Seating::alike(std::size_t reference) const
{
    std::vector<std::size_t> result;
    const Reference &own = references[reference];
    for (std::size_t k = 0; k < references.size(); ++k) {
        const Reference &other = references[k];
        const bool sameTensors =
            own.isJoined()
                ? std::ranges::is_permutation(own.pieces, other.pieces, {},
                                              &Reference::Piece::tensor, &Reference::Piece::tensor)
                : own.name == other.name && (own.pieces.empty() || other.pieces.empty() ||
                                             own.pieces[0].first == other.pieces[0].first);
        if (k != reference && !sameTensors && squeezed(other.shape) == squeezed(own.shape))
            result.push_back(k);
    }
    return result;
}

Result<AuditResult> auditPackage(const BundlePtr &package, const BundlePtr &checkpoint,
                                 const AuditOptions &options, Progress *progress)
{
    const bool any = std::any_of(
        checkpoint->weights().begin(), checkpoint->weights().end(),
        [](const Weight &weight) { return !weight.fault && isFloatingPoint(weight.type); });
    if (!any)
        return refused({checkpoint->name()}, "audit.checkpoint", {}, "tensors of real numbers",
                       "none", "There is nothing in the checkpoint to compare with.");
    return Auditor(package, checkpoint, options, progress).run();
}

} // namespace kernscope::audit
