// SPDX-License-Identifier: GPL-3.0-or-later
// Each structure is tried by putting it right and looking at what error remains: no threshold on
// how the fault looks, only on how well it explains the values.
#include "core/audit/structures.h"

#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/bundle/element_place.h"

#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::audit {

namespace {

/// Elements that are looked at: all of a weight of that size, of a larger one its first rows.
constexpr std::uint64_t kMostElements = 1U << 21;

class Explainer
{
public:
    Explainer(const Subject &subject, const Surroundings &about)
        : m_subject(subject), m_steps(subject.steps), m_about(about)
    {
        const std::uint64_t rows =
            std::max<std::uint64_t>(1, kMostElements / subject.rowElements());
        m_count = std::min(subject.elements(), rows * subject.rowElements());
        m_whole = m_count == subject.elements();
        m_window = load(subject, 0, m_count, subject.steps.codes);
        for (std::size_t i = 0; i < m_window.d.size(); ++i) {
            if (!std::isfinite(m_window.d[i]))
                m_window.d[i] = 0;
            m_rr += kept(i) ? square(m_window.r[i]) : 0;
        }
        m_plain.resize(m_window.d.size());
        subject.reference->readPlain(0, m_plain);
    }

    std::optional<Explanation> run()
    {
        for (const auto &attempt :
             {&Explainer::foldings, &Explainer::axes, &Explainer::codeOrder, &Explainer::unpacked,
              &Explainer::mask, &Explainer::scales, &Explainer::tables, &Explainer::singles,
              &Explainer::clipping}) {
            if (auto found = (this->*attempt)())
                return found;
        }
        return std::nullopt;
    }
    std::optional<Explanation> tables();

private:
    static double square(float value)
    {
        return static_cast<double>(value) * static_cast<double>(value);
    }
    /// Only what a mask keeps is looked at.
    bool kept(std::size_t i) const
    {
        return m_window.codes.empty() || m_window.codes[i] != codec::Decoder::kNotStored;
    }
    bool explains(double left) const { return m_about.explains(left, m_about.error); }
    double relative(double squared) const { return m_rr > 0 ? std::sqrt(squared / m_rr) : 0; }

    /// Error left where each element is made of another one by `valueAt`.
    template <class ValueAt>
    double errorOf(const ValueAt &valueAt) const
    {
        double error = 0;
        for (std::size_t i = 0; i < m_window.r.size(); ++i) {
            const double off = kept(i) ? valueAt(i) - static_cast<double>(m_window.r[i]) : 0;
            error += off * off;
        }
        return relative(error);
    }
    /// Error where the weight is the reference with its elements elsewhere, before factors.
    double movedError(const std::function<std::uint64_t(std::uint64_t)> &source) const
    {
        constexpr std::uint64_t kLookedUp = 1U << 16;
        const std::uint64_t step = std::max<std::uint64_t>(1, m_count / kLookedUp) | 1U;
        double error = 0, size = 0;
        float value = 0;
        for (std::uint64_t i = 0; i < m_count; i += step) {
            if (!kept(static_cast<std::size_t>(i)))
                continue;
            const std::uint64_t from = source(i);
            if (from < m_plain.size())
                value = m_plain[static_cast<std::size_t>(from)];
            else
                m_subject.reference->readPlain(from, std::span(&value, 1));
            const double wanted =
                static_cast<double>(value) * static_cast<double>(m_subject.reference->factorOf(i));
            const double off =
                static_cast<double>(m_window.d[static_cast<std::size_t>(i)]) - wanted;
            error += off * off;
            size += wanted * wanted;
        }
        return size > 0 ? std::sqrt(error / size) : 0;
    }

    /// A batch norm without one of its figures.
    std::optional<Explanation> foldings()
    {
        const FoldedNorm *norm = m_about.norm;
        if (!norm)
            return std::nullopt;
        struct Way {
            Folding folding;
            Kind kind;
            std::string_view what;
        };
        std::optional<Explanation> best;
        for (const Way &way : {Way{Folding::NoGain, Kind::NormGain, "without its gain"},
                               Way{Folding::None, Kind::NormFold, "not at all"},
                               Way{Folding::NoVariance, Kind::NormFold, "without its variance"},
                               Way{Folding::NoMean, Kind::NormFold, "without its mean"},
                               Way{Folding::Interleaved, Kind::NormFold,
                                   "by the factors of other channels, as coremltools 9.0 does "
                                   "where a transposed convolution has groups"}}) {
            const bool bias = m_subject.reference->isBias;
            if (way.folding == (bias ? Folding::Interleaved : Folding::NoMean))
                continue;
            const std::vector<float> wanted =
                bias ? norm->biases(way.folding) : norm->factors(way.folding);
            double error = 0, size = 0;
            for (std::size_t i = 0; i < m_window.d.size(); ++i) {
                if (!kept(i))
                    continue;
                const double value =
                    bias ? static_cast<double>(wanted[i])
                         : static_cast<double>(m_plain[i]) *
                               static_cast<double>(wanted[m_subject.reference->channelOf(i)]);
                const double off = static_cast<double>(m_window.d[i]) - value;
                error += off * off;
                size += value * value;
            }
            const double left = size > 0 ? std::sqrt(error / size) : 0;
            if (!explains(left) || (best && best->left <= left))
                continue;
            best =
                Explanation{way.kind,
                            fmt::format("The batch norm {} was folded in {}: every {} is off by a "
                                        "factor of its own",
                                        norm->name, way.what, bias ? "bias" : "row"),
                            left};
        }
        return best;
    }

    /// Axes exchanged, or reversed.
    std::optional<Explanation> axes()
    {
        const Shape &shape = m_subject.reference->shape;
        const std::size_t rank = shape.size();
        if (rank < 2 || rank > 5 || m_subject.reference->isBias)
            return std::nullopt;
        std::optional<Explanation> best;
        std::vector<std::size_t> order(rank);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::vector<std::uint64_t> stride(rank, 1);
        for (std::size_t i = rank - 1; i-- > 0;)
            stride[i] = stride[i + 1] * shape[i + 1];
        const auto consider = [&](const std::vector<std::size_t> &axes, unsigned flips, Kind kind,
                                  std::string why, std::span<const std::uint64_t> extents) {
            const double left = movedError([&](std::uint64_t element) {
                std::uint64_t from = 0;
                for (std::size_t i = rank; i-- > 0;) { // `extents`: as the weight's elements count
                    const std::uint64_t at = element % extents[i];
                    element /= extents[i];
                    from += ((flips >> i & 1U) != 0 ? extents[i] - 1 - at : at) * stride[axes[i]];
                }
                return from;
            });
            if (explains(left) && (!best || left < 0.7 * best->left))
                best = Explanation{kind, std::move(why), left};
        };
        while (std::next_permutation(order.begin(), order.end())) {
            // As a tensor of the other shape, whose elements were taken for one of this shape.
            Shape extents(rank);
            bool moves = false;
            for (std::size_t i = 0; i < rank; ++i) {
                extents[i] = shape[order[i]];
                moves = moves || (order[i] != i && shape[order[i]] > 1 && shape[i] > 1);
            }
            if (!moves)
                continue;
            const bool same = extents == shape;
            consider(
                order, 0, Kind::Transposed,
                same ? fmt::format("Its axes are exchanged: transposed by [{}]",
                                   fmt::join(order, ", "))
                     : fmt::format("It is transposed by [{}], and was taken for the shape that it "
                                   "should have",
                                   fmt::join(order, ", ")),
                extents);
        }
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (unsigned flips = 1; flips < 1U << rank; ++flips) {
            std::vector<std::size_t> flipped;
            bool moves = true;
            for (std::size_t i = 0; i < rank; ++i) {
                if ((flips >> i & 1U) != 0) {
                    flipped.push_back(i);
                    moves = moves && shape[i] > 1;
                }
            }
            if (moves)
                consider(
                    order, flips, Kind::Flipped,
                    fmt::format("It is flipped (reversed) along axis {}", fmt::join(flipped, ", ")),
                    shape);
        }
        return best;
    }

    /// The codes within each byte in the other order.
    std::optional<Explanation> codeOrder()
    {
        if (!m_steps.codes || !m_steps.stepped() || m_steps.masked ||
            (m_steps.bits != 4 && m_steps.bits != 2 && m_steps.bits != 1))
            return std::nullopt;
        const std::size_t each = 8 / m_steps.bits, whole = m_window.codes.size() / each * each;
        for (const bool nibbles : {false, true}) {
            const double left = errorOf([&](std::size_t i) {
                const std::size_t in = i % each;
                const std::size_t from = nibbles ? (in + each / 2) % each : each - 1 - in;
                return codeValue(m_window.codes[i < whole ? i - in + from : i], i);
            });
            if (explains(left))
                return Explanation{
                    Kind::NibblesSwapped,
                    fmt::format("The {} codes of each byte stand in the other order ({} swapped)",
                                each, nibbles || each == 2 ? "nibbles" : "bits"),
                    left};
        }
        return std::nullopt;
    }

    /// One code a byte, where the runtime reads packed ones.
    std::optional<Explanation> unpacked()
    {
        if (!m_steps.codes || !m_steps.stepped() || m_steps.masked || m_steps.bits == 0 ||
            m_steps.bits > 4 || !m_whole)
            return std::nullopt;
        const std::size_t each = 8 / m_steps.bits, count = m_window.codes.size();
        std::size_t filler = 0;
        for (std::size_t i = 0; i < count; ++i)
            filler += i % each != 0 && m_window.codes[i] == 0;
        if (filler < (count - count / each) * 99 / 100)
            return std::nullopt;
        double error = 0, size = 0;
        for (std::size_t i = 0; i < count / each; ++i) {
            const double off =
                codeValue(m_window.codes[i * each], i) - static_cast<double>(m_window.r[i]);
            error += off * off;
            size += square(m_window.r[i]);
        }
        const double left = size > 0 ? std::sqrt(error / size) : 0;
        if (!explains(left))
            return std::nullopt;
        return Explanation{
            Kind::CodesUnpacked,
            fmt::format("Its codes are stored unpacked, one code a byte, and are read as "
                        "packed ones of {} bits",
                        m_steps.bits),
            left};
    }

    /// The mask moved against the values that it keeps.
    std::optional<Explanation> mask()
    {
        if (!m_subject.sparse())
            return std::nullopt;
        constexpr std::size_t kAllAxes = static_cast<std::size_t>(-1);
        const Shape &shape = m_subject.reference->shape;
        const auto all = static_cast<std::int64_t>(m_subject.elements());
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < m_window.codes.size(); ++i) {
            if (kept(i))
                places.push_back(i);
        }
        // Whether the mask kept an element before it was moved: by elements in their order, going
        // over an end, or along an axis.
        std::size_t axis = kAllAxes;
        std::int64_t by = 0;
        std::uint64_t inner = 1;
        const auto keptBefore = [&](std::int64_t i) {
            std::int64_t from = i + by;
            if (axis == kAllAxes) {
                from = (from % all + all) % all;
            } else {
                const auto extent = static_cast<std::int64_t>(shape[axis]);
                const std::int64_t at = i / static_cast<std::int64_t>(inner) % extent;
                from = i + ((at + by + extent) % extent - at) * static_cast<std::int64_t>(inner);
            }
            if (from < static_cast<std::int64_t>(m_count))
                return kept(static_cast<std::size_t>(from));
            std::int64_t code = 0;
            m_subject.decoder.codes(static_cast<std::uint64_t>(from), std::span(&code, 1));
            return code != codec::Decoder::kNotStored;
        };
        std::optional<Explanation> best;
        const auto consider = [&] {
            double error = 0, size = 0;
            std::size_t at = 0;
            for (std::size_t i = 0; i < m_window.d.size() && at < places.size(); ++i) {
                if (!keptBefore(static_cast<std::int64_t>(i)))
                    continue;
                // Scales and tables go by the place, the code by its number.
                const std::size_t source = places[at++];
                const double value = m_steps.stepped() ? codeValue(m_window.codes[source], i)
                                                       : static_cast<double>(m_window.d[source]);
                const double off = value - static_cast<double>(m_window.r[i]);
                error += off * off;
                size += square(m_window.r[i]);
            }
            const double left = size > 0 ? std::sqrt(error / size) : 0;
            if (!explains(left) || (best && best->left <= left))
                return;
            best = Explanation{
                Kind::MaskShifted,
                fmt::format("The mask is shifted by {}{} against the values that it keeps",
                            counted(static_cast<std::uint64_t>(std::abs(by)), "element"),
                            axis == kAllAxes ? "" : fmt::format(" along axis {}", axis)),
                left};
        };
        std::set<std::int64_t> shifts{1, 2, 8};
        for (std::size_t i = shape.size(); i-- > 0; inner *= shape[i])
            shifts.insert(static_cast<std::int64_t>(inner));
        for (const std::int64_t shift : shifts) {
            for (const std::int64_t sign : {1, -1}) {
                by = sign * shift;
                consider();
            }
        }
        inner = 1;
        for (axis = shape.size(); axis-- > 1; inner *= shape[axis]) {
            for (const std::int64_t sign : {1, -1}) {
                by = sign;
                if (shape[axis] > 1)
                    consider();
            }
        }
        return best;
    }

    /// The codes are right, and their scales or zero points are not.
    std::optional<Explanation> scales()
    {
        auto found = shiftedScales();
        for (const bool columns : {false, true}) {
            if (!found)
                found = factors(columns);
        }
        return found;
    }

    /// Least squares in each block of scales, else in each row, or in each column: by a factor, and
    /// by a factor with a constant.
    std::optional<Explanation> factors(bool columns)
    {
        struct Fit {
            double n = 0, d = 0, r = 0, dd = 0, dr = 0, rr = 0;
        };
        constexpr std::uint64_t kTooFew = 6; // fits of fewer explain anything
        const std::uint64_t row = m_subject.rowElements();
        const Shape &shape = m_subject.reference->shape;
        if (columns && (shape.size() < 2 || shape[1] < 2))
            return std::nullopt;
        const bool shared = m_steps.sharedTable && !columns;
        const bool cells = shared || (!columns && m_steps.scaled && m_steps.scales.size() > 1);
        const std::uint64_t inner = columns ? row / shape[1] : row;
        std::map<std::uint64_t, Fit> fits;
        for (std::size_t i = 0; i < m_window.d.size(); ++i) {
            if (!kept(i))
                continue;
            Fit &fit = fits[shared          ? m_subject.tableOf(i)
                            : cells         ? m_steps.cellOf(i)
                            : columns       ? i % row / inner
                            : row < kTooFew ? 0
                                            : i / row];
            const auto d = static_cast<double>(m_window.d[i]),
                       r = static_cast<double>(m_window.r[i]);
            fit.n += 1;
            fit.d += d;
            fit.r += r;
            fit.dd += d * d;
            fit.dr += d * r;
            fit.rr += r * r;
        }
        double byFactor = 0, byLine = 0, least = HUGE_VAL, most = -HUGE_VAL, n = 0;
        double sameDr = 0, sameDd = 0, length = 0;
        for (const auto &[key, fit] : fits) {
            const double factor = fit.dd > 0 ? fit.dr / fit.dd : 0;
            byFactor += std::max(0.0, fit.rr - factor * fit.dr);
            const double vd = fit.dd - fit.d * fit.d / fit.n, vr = fit.rr - fit.r * fit.r / fit.n,
                         c = fit.dr - fit.d * fit.r / fit.n;
            byLine += std::max(0.0, vd > 0 ? vr - c * c / vd : vr);
            if (fit.dd > 0) {
                least = std::min(least, factor);
                most = std::max(most, factor);
            }
            sameDr += fit.dr;
            sameDd += fit.dd;
            n += 1;
            length += fit.n;
        }
        if (n == 0 || length / n < static_cast<double>(kTooFew))
            return std::nullopt;
        const double left = relative(byFactor), lineLeft = relative(byLine);
        const bool ones = shared ? m_steps.equalTables
                                 : cells && std::ranges::all_of(m_steps.scales, [&](double scale) {
                                       return scale == m_steps.scales[0];
                                   });
        if (explains(left)) {
            const double same = sameDd > 0 ? sameDr / sameDd : 0;
            const double sameLeft =
                errorOf([&](std::size_t i) { return static_cast<double>(m_window.d[i]) * same; });
            if (ones || (!columns && m_steps.scaled && m_steps.scales.size() == 1 &&
                         m_steps.scales[0] == 1))
                return Explanation{Kind::ScaleMissing,
                                   fmt::format("The scales are missing: all are {:g}, and its rows "
                                               "should be scaled by {:.3g} to {:.3g}",
                                               m_steps.scales.empty() ? 1.0 : m_steps.scales[0],
                                               least, most),
                                   left, same};
            if (explains(sameLeft) && std::abs(same - 1) > 1e-3)
                return Explanation{
                    Kind::Scaled,
                    fmt::format("All of it is scaled: {:.4g} times what it should be", 1 / same),
                    sameLeft, 1 / same};
            return Explanation{Kind::RowsScaled,
                               fmt::format("Each {} is off by a factor of its own, from {:.3g} to "
                                           "{:.3g}: the scaling of {} was lost or done twice",
                                           cells     ? "block of its scales"
                                           : columns ? "column"
                                                     : "row",
                                           least, most, columns ? "columns" : "rows"),
                               left};
        }
        if (explains(lineLeft) && m_steps.scaled && !m_steps.palette && !columns)
            return Explanation{
                Kind::ZeroPointSign,
                "Its zero points are wrong: each row is shifted by a constant (an offset "
                "of the wrong sign, or none)",
                lineLeft};
        return std::nullopt;
    }

    /// Scales of neighbours.
    std::optional<Explanation> shiftedScales()
    {
        const Shape &shape = m_steps.scaleShape;
        std::uint64_t inner = 1;
        for (std::size_t axis = shape.size(); axis-- > 0; inner *= shape[axis]) {
            if (shape[axis] < 2 || m_steps.scales.size() == 1)
                continue;
            for (const int by : {1, -1, 2, -2}) {
                const auto extent = static_cast<std::int64_t>(shape[axis]);
                const double left = errorOf([&](std::size_t i) {
                    const std::uint64_t cell = m_steps.cellOf(i);
                    const auto at = static_cast<std::int64_t>(cell / inner % shape[axis]);
                    const std::int64_t other = ((at + by) % extent + extent) % extent;
                    const std::uint64_t from =
                        cell + static_cast<std::uint64_t>(other - at) * inner;
                    const double scale = m_steps.scaleOf(cell), bias = m_steps.biasOf(cell);
                    const auto value = static_cast<double>(m_window.d[i]);
                    return scale == 0 ? value
                                      : (value - bias) / scale * m_steps.scaleOf(from) + bias;
                });
                if (explains(left))
                    return Explanation{
                        Kind::ScalesShifted,
                        fmt::format("Its scales are shifted: each {} has the scale of "
                                    "the {} {}",
                                    axis == 0 ? "row" : "block", axis == 0 ? "row" : "block",
                                    by == 1    ? "before"
                                    : by == -1 ? "behind"
                                               : "two away"),
                        left};
            }
        }
        return std::nullopt;
    }

    /// A few single elements make all of the error.
    std::optional<Explanation> singles()
    {
        constexpr std::size_t kMost = 32;
        std::vector<std::pair<double, std::uint64_t>> worst;
        double all = 0;
        for (std::size_t i = 0; i < m_window.d.size(); ++i) {
            if (!kept(i))
                continue;
            const double off =
                static_cast<double>(m_window.d[i]) - static_cast<double>(m_window.r[i]);
            all += off * off;
            worst.emplace_back(off * off, i);
        }
        const std::size_t count = std::min(kMost, worst.size() / 8);
        if (count == 0)
            return std::nullopt;
        std::partial_sort(worst.begin(), worst.begin() + static_cast<std::ptrdiff_t>(count),
                          worst.end(), std::greater<>());
        Explanation found;
        found.kind = Kind::OtherElements;
        for (std::size_t i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(worst[i].second);
            if (holdsNearest(m_subject, at, std::span(m_window.d).subspan(at, 1),
                             std::span(m_window.r).subspan(at, 1)))
                continue; // the scale or the table is what is off
            all -= worst[i].first;
            found.elements.push_back(elementPlace(
                m_subject.package->weights()[m_subject.weight].shape, worst[i].second));
            found.left = relative(std::max(0.0, all));
            if (explains(found.left)) {
                found.why = fmt::format("{} {} other values",
                                        counted(found.elements.size(), "single element"),
                                        found.elements.size() == 1 ? "holds" : "hold");
                return found;
            }
        }
        return std::nullopt;
    }

    /// What is off are codes at the ends.
    std::optional<Explanation> clipping()
    {
        if (!m_steps.integers || !m_steps.scaled)
            return std::nullopt;
        double ends = 0, inner = 0;
        std::uint64_t atEnds = 0, count = 0;
        for (std::size_t i = 0; i < m_window.d.size(); ++i) {
            if (!kept(i))
                continue;
            ++count;
            const std::uint64_t cell = m_steps.cellOf(i);
            const double scale = m_steps.scaleOf(cell);
            const auto d = static_cast<double>(m_window.d[i]),
                       r = static_cast<double>(m_window.r[i]);
            const double code =
                scale == 0 ? 0 : (d - m_steps.biasOf(cell)) / scale + m_steps.zeroOf(cell);
            const bool end = code > m_steps.high - 0.5 || code < m_steps.low + 1.5;
            (end ? ends : inner) += (d - r) * (d - r);
            atEnds += end;
        }
        const double left = relative(inner);
        if (ends < inner || !(left <= kExplains * m_about.best + kSlack))
            return std::nullopt;
        return Explanation{
            Kind::Clipped,
            fmt::format("Its scales are too small: {:.2f} % of the codes are clipped at "
                        "the ends, and those make {:.0f} % of the error",
                        100.0 * static_cast<double>(atEnds) / static_cast<double>(count),
                        100 * ends / (ends + inner)),
            left};
    }

    double codeValue(std::int64_t code, std::uint64_t element) const
    {
        return codeValue(code, element, m_steps.tables);
    }
    double codeValue(std::int64_t code, std::uint64_t element, std::span<const float> tables) const
    {
        if (code == codec::Decoder::kNotStored)
            return 0;
        const std::uint64_t cell = m_steps.cellOf(element);
        double value = static_cast<double>(code) - m_steps.zeroOf(cell);
        if (m_steps.palette)
            value = static_cast<double>(tables[m_subject.slotOf(element, code)]);
        return value * m_steps.scaleOf(cell) + m_steps.biasOf(cell);
    }

    const Subject &m_subject;
    const StoredSteps &m_steps;
    const Surroundings &m_about;
    std::uint64_t m_count = 0;
    bool m_whole = false;
    Window m_window;
    std::vector<float> m_plain;
    double m_rr = 0; ///< of what is kept
};

/// The indices are right, and the tables are not.
std::optional<Explanation> Explainer::tables()
{
    const auto width = static_cast<std::size_t>(m_steps.vector),
               entries = static_cast<std::size_t>(m_steps.entries), slots = width * entries;
    if (!m_steps.palette || !m_steps.codes || entries > (width > 1 ? 256 : 4096) ||
        m_steps.tables.empty())
        return std::nullopt;
    const std::size_t count = m_steps.tables.size() / slots;
    struct Sums {
        double n = 0, s = 0, ss = 0;
        double mean() const { return s / n; }
    };
    std::vector<Sums> sums(count * slots);
    for (std::size_t i = 0; i < m_window.codes.size(); ++i) {
        if (!kept(i))
            continue;
        const std::uint64_t cell = m_steps.cellOf(i);
        const double scale = m_steps.scaleOf(cell);
        const double r =
            scale != 0 ? (static_cast<double>(m_window.r[i]) - m_steps.biasOf(cell)) / scale : 0;
        Sums &sum = sums[m_subject.slotOf(i, m_window.codes[i])];
        sum.n += scale * scale;
        sum.s += scale * scale * r;
        sum.ss += scale * scale * r * r;
    }
    /// Squared error of a group whose table is another one, by a factor.
    const auto errorWith = [&](std::size_t group, std::size_t table, double factor = 1) {
        double error = 0;
        for (std::size_t k = 0; k < slots; ++k) {
            const Sums &sum = sums[group * slots + k];
            const double entry = factor * static_cast<double>(m_steps.tables[table * slots + k]);
            error += sum.ss - 2 * entry * sum.s + entry * entry * sum.n;
        }
        return error;
    };
    // Groups whose table could be much better. What puts those right is looked at for them alone:
    // they may be few.
    std::vector<std::size_t> wrong;
    double rest = 0, own = 0, fitted = 0;
    std::size_t used = 0;
    for (std::size_t group = 0; group < count; ++group) {
        double n = 0, size = 0, fit = 0;
        for (std::size_t k = 0; k < slots; ++k) {
            const Sums &sum = sums[group * slots + k];
            n += sum.n;
            size += sum.ss;
            fit += sum.n > 0 ? std::max(0.0, sum.ss - sum.s * sum.mean()) : 0;
        }
        used += n > 0;
        const double is = errorWith(group, group);
        if (is > 1.1 * fit + 1e-6 * size) {
            wrong.push_back(group);
            own += is;
            fitted += fit;
        } else {
            rest += is;
        }
    }
    std::vector<std::uint64_t> rows;
    const std::uint64_t row = m_subject.rowElements();
    for (std::uint64_t at = 0; count > 1 && at + row <= m_count; at += row) {
        const std::uint64_t table = m_subject.tableOf(at);
        if (table == m_subject.tableOf(at + row - 1) &&
            std::ranges::binary_search(wrong, static_cast<std::size_t>(table)))
            rows.push_back(at / row);
    }
    const auto explained = [&](Kind kind, std::string why, double left, double factor = 0) {
        return Explanation{kind, std::move(why), relative(left), factor, {}, rowRuns(rows)};
    };
    const auto mends = [&](double left) {
        return !wrong.empty() && relative(rest + left) <= kExplains * m_about.best + kSlack &&
               left <= kBetter * kBetter * own;
    };
    // The same entries in another order, that of what the codes were made for: with it they are
    // the nearest ones.
    std::vector<float> table = m_steps.tables;
    std::size_t moved = 0;
    for (std::size_t group = 0; group < count; ++group) {
        const std::size_t first = group * slots;
        std::vector<std::size_t> wanted, has; // slots of entries
        for (std::size_t k = first; k < first + slots; k += width) {
            if (sums[k].n > 0)
                wanted.push_back(k);
            if (sums[k].n > 0 || width > 1)
                has.push_back(k);
        }
        if (width == 1) {
            std::ranges::sort(wanted, {}, [&](std::size_t k) { return sums[k].mean(); });
            std::ranges::sort(has, {}, [&](std::size_t k) { return m_steps.tables[k]; });
        }
        const auto distance = [&](std::size_t code, std::size_t entry) { // squared, of vectors
            double sum = 0;
            for (std::size_t lane = 0; lane < width; ++lane) {
                const double off =
                    sums[code + lane].mean() - static_cast<double>(m_steps.tables[entry + lane]);
                sum += off * off;
            }
            return sum;
        };
        for (std::size_t at = 0; at < wanted.size(); ++at) {
            const std::size_t code = wanted[at];
            const auto chosen = width == 1
                                    ? has.begin() + static_cast<std::ptrdiff_t>(at)
                                    : std::ranges::min_element(has, {}, [&](std::size_t entry) {
                                          return distance(code, entry);
                                      });
            const auto vectorAt = [&](std::size_t slot) {
                return std::span(m_steps.tables).subspan(slot, width);
            };
            moved += !std::ranges::equal(vectorAt(*chosen), vectorAt(code));
            std::ranges::copy(vectorAt(*chosen), &table[code]);
            if (width > 1)
                has.erase(chosen); // each once
        }
    }
    if (moved > 1) {
        std::vector<float> made = m_window.d;
        for (std::size_t i = 0; i < made.size(); ++i)
            made[i] =
                kept(i) ? static_cast<float>(codeValue(m_window.codes[i], i, table)) : made[i];
        const std::uint64_t off = nearestShares(m_subject, 0, m_window.d, m_window.r).off,
                            left = nearestShares(m_subject, 0, made, m_window.r).off;
        if (off >= kFewest && 10 * left <= off)
            return explained(Kind::TablePermuted,
                             fmt::format("The entries of its table are permuted: {} stand in "
                                         "another order than the codes were made for",
                                         moved),
                             fitted);
    }
    // Tables of other groups, the nearest for each; or a factor for each: what leaves less.
    double moving = HUGE_VAL, scaling = HUGE_VAL, least = HUGE_VAL, most = -HUGE_VAL;
    std::size_t shift = 0;
    if (count > 1 && count <= 1024) {
        moving = 0;
        for (const std::size_t group : wrong) {
            std::size_t best = group;
            double nearest = HUGE_VAL;
            for (std::size_t other = 0; other < count; ++other) {
                if (const double is = errorWith(group, other); is < nearest) {
                    nearest = is;
                    best = other;
                }
            }
            moving += nearest;
            shift += best == (group + 1) % count;
        }
    }
    if (count > 1) {
        scaling = 0;
        for (const std::size_t group : wrong) {
            double es = 0, een = 0;
            for (std::size_t k = group * slots; k < (group + 1) * slots; ++k) {
                const auto entry = static_cast<double>(m_steps.tables[k]);
                es += entry * sums[k].s;
                een += entry * entry * sums[k].n;
            }
            const double factor = een > 0 ? es / een : 0;
            scaling += errorWith(group, group, factor);
            least = std::min(least, 1 / factor);
            most = std::max(most, 1 / factor);
        }
    }
    if (moving <= scaling && mends(moving))
        return explained(Kind::GroupOrder,
                         fmt::format("Its tables stand in the wrong group order: {} of {} groups "
                                     "{} the table of another group{}",
                                     wrong.size(), used, wrong.size() == 1 ? "has" : "have",
                                     shift == wrong.size() && 2 * shift > used
                                         ? " (the neighbour's, shifted by one)"
                                         : ""),
                         moving);
    if (mends(scaling))
        return explained(Kind::BlockScale,
                         fmt::format("The table of {} is {} times what it should be",
                                     rowsText(rowRuns(rows)), timesText(least, most)),
                         scaling, most);
    if (!mends(fitted))
        return std::nullopt;
    return explained(Kind::TablePermuted,
                     "The entries of its table are others than its codes were made for", fitted);
}

} // namespace

std::optional<Explanation> explain(const Subject &subject, const Surroundings &about)
{
    auto found = Explainer(subject, about).run();
    return found ? found : channelOrder(subject, about);
}

std::optional<Explanation> explainTables(const Subject &subject, const Surroundings &about)
{
    return Explainer(subject, about).tables();
}

} // namespace kernscope::audit
