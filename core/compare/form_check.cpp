// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/form_check.h"

#include "core/bundle/bundle.h"
#include "core/codec/decode/grid_map.h"
#include "core/compare/pair_reader.h"
#include "core/numeric/half.h"

#include <cmath>

namespace kernscope {

namespace {

/// Elements of an output channel above which no pattern is looked for.
constexpr std::uint64_t kMostInner = std::uint64_t(1) << 24;

/// Every count is `whole` or 0, and one at least is 0.
bool allOrNothing(const std::vector<std::uint64_t> &kept, std::uint64_t whole)
{
    return std::ranges::find(kept, std::uint64_t(0)) != kept.end() &&
           std::ranges::all_of(
               kept, [whole](std::uint64_t count) { return count == 0 || count == whole; });
}

/// The number of a type that is nearest to a value.
std::optional<double> roundedTo(ElementType type, double value)
{
    switch (type) {
    case ElementType::Fp16: return static_cast<double>(halfToFloat(doubleToHalf(value)));
    case ElementType::Bf16:
        return static_cast<double>(bfloat16ToFloat(floatToBfloat16(doubleToFloatOdd(value))));
    case ElementType::Fp32: return static_cast<double>(static_cast<float>(value));
    case ElementType::Fp64: return value;
    default: return std::nullopt;
    }
}

/// Gathers a MaskCheck from runs of elements in their order.
class MaskTally
{
public:
    /// Of the whole weight; axis 0 counts output channels, axis 1 input channels.
    explicit MaskTally(const Shape &shape)
    {
        if (!shape.empty())
            m_outer = shape[0];
        if (shape.size() > 1)
            m_channels = shape[1];
        for (std::size_t i = 2; i < shape.size(); ++i)
            m_rest *= shape[i];
        m_keptOfOutput.assign(static_cast<std::size_t>(m_outer), 0);
        m_keptOfInput.assign(static_cast<std::size_t>(m_channels), 0);
        const std::uint64_t inner = m_channels * m_rest;
        // What is open at a time must not follow the size of a weight without end.
        if (inner > kMostInner)
            return;
        for (const std::uint64_t of : {2U, 4U, 8U, 16U}) {
            if (m_outer > 1 && m_outer % of == 0)
                m_groups.push_back({of, 0, std::vector<std::uint8_t>(std::size_t(inner)), 0});
            if (m_channels > 1 && m_channels % of == 0)
                m_groups.push_back({of, 1, std::vector<std::uint8_t>(std::size_t(inner / of)), 0});
        }
    }

    /// `codes`: codec::Decoder::kNotStored where the mask leaves an element out.
    void add(std::span<const double> a, std::span<const double> b,
             std::span<const std::int64_t> codes)
    {
        const std::uint64_t inner = m_channels * m_rest;
        for (std::size_t i = 0; i < codes.size(); ++i) {
            ++m_check.elements;
            if (codes[i] != codec::Decoder::kNotStored) {
                keep(m_atOuter, m_atInner);
                m_check.keptChanged += a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]));
            } else {
                m_check.droppedNonzero += a[i] != 0;
            }
            if (++m_atInner == inner) {
                closeOuter(m_atOuter);
                m_atInner = 0;
                ++m_atOuter;
            }
        }
    }
    MaskCheck finish() const
    {
        MaskCheck check = m_check;
        for (const Groups &groups : m_groups) {
            if (groups.most > 0 && groups.most * 2 <= groups.of)
                check.patterns.push_back({groups.most, groups.of, groups.axis});
        }
        const std::uint64_t inner = m_channels * m_rest;
        check.structuredOutputs = allOrNothing(m_keptOfOutput, inner);
        check.structuredInputs = m_channels > 1 && allOrNothing(m_keptOfInput, m_outer * m_rest);
        if (!m_keptOfOutput.empty()) {
            const auto [least, most] =
                std::minmax_element(m_keptOfOutput.begin(), m_keptOfOutput.end());
            check.leastZeros = inner - *most;
            check.mostZeros = inner - *least;
        }
        return check;
    }

private:
    /// Most elements kept in a group so far. Along axis 1 the groups of one output channel are open
    /// at a time, along axis 0 those of `of` channels.
    struct Groups {
        std::uint64_t of = 0;
        std::size_t axis = 0;
        std::vector<std::uint8_t> open; ///< elements kept so far, by the group's place
        std::uint64_t most = 0;
    };
    void keep(std::uint64_t outer, std::uint64_t inner)
    {
        const std::uint64_t channel = inner / m_rest;
        ++m_check.kept;
        ++m_keptOfOutput[static_cast<std::size_t>(outer)];
        ++m_keptOfInput[static_cast<std::size_t>(channel)];
        for (Groups &groups : m_groups) {
            const std::uint64_t place =
                groups.axis == 0 ? inner : channel / groups.of * m_rest + inner % m_rest;
            groups.most = std::max<std::uint64_t>(groups.most,
                                                  ++groups.open[static_cast<std::size_t>(place)]);
        }
    }
    /// The groups that end with an output channel begin anew.
    void closeOuter(std::uint64_t outer)
    {
        for (Groups &groups : m_groups) {
            if (groups.axis == 1 || (outer + 1) % groups.of == 0)
                std::ranges::fill(groups.open, std::uint8_t{0});
        }
    }

    std::uint64_t m_outer = 1, m_channels = 1, m_rest = 1; ///< extents: axis 0, axis 1, the others
    std::uint64_t m_atOuter = 0, m_atInner = 0;
    std::vector<std::uint64_t> m_keptOfOutput, m_keptOfInput;
    std::vector<Groups> m_groups;
    MaskCheck m_check;
};

/// Finds for every scale the one that fits the values of A best (least squares), with the codes and
/// zero points as they are: decoded values are proportional to the scale.
class ScaleTally
{
public:
    /// Scales of a weight whose fits are held at a time.
    static constexpr std::uint64_t kMostCells = std::uint64_t(1) << 20;

    /// `scale`: one value, or one for each of `cells`.
    ScaleTally(const codec::Operand &scale, std::uint64_t cells)
        : m_scale(scale), m_fits(static_cast<std::size_t>(cells))
    {
    }
    /// Whether another scale of the type can be rounded to.
    static bool canRound(ElementType type) { return roundedTo(type, 1).has_value(); }

    /// An element that the scale `cell` serves (below `cells`), in A and in B.
    void add(std::uint64_t cell, double a, double b)
    {
        if (!std::isfinite(a) || !std::isfinite(b))
            return;
        Fit &fit = m_fits[static_cast<std::size_t>(cell)];
        fit.ab += a * b;
        fit.bb += b * b;
        fit.aa += a * a;
        fit.error += (a - b) * (a - b);
        ++fit.count;
    }
    ScaleCheck finish() const
    {
        // Decoded values are rounded: a gain of less than this is none.
        constexpr double kGain = 0.001;
        ScaleCheck check;
        double stored = 0, best = 0;
        std::uint64_t elements = 0;
        for (std::size_t cell = 0; cell < m_fits.size(); ++cell) {
            const Fit &fit = m_fits[cell];
            const double scale = codec::operandValue(m_scale, cell).value_or(0);
            elements += fit.count;
            stored += fit.error;
            best += fit.error;
            if (fit.count == 0 || fit.bb == 0 || scale == 0 || !std::isfinite(scale))
                continue;
            ++check.scales;
            const double wanted = roundedTo(m_scale.type, scale * fit.ab / fit.bb).value_or(scale);
            const double ratio = wanted / scale;
            const double error =
                std::max(0.0, fit.aa - 2 * ratio * fit.ab + ratio * ratio * fit.bb);
            if (wanted == scale || !std::isfinite(ratio) || !(error < fit.error * (1 - kGain)))
                continue;
            ++check.notBest;
            best -= fit.error - error;
            const double gain = (fit.error - error) / static_cast<double>(fit.count);
            if (gain > check.worstGain) {
                check.worstGain = gain;
                check.worst = cell;
                check.worstStored = scale;
                check.worstBest = wanted;
            }
        }
        if (elements > 0) {
            check.rmseStored = std::sqrt(stored / static_cast<double>(elements));
            check.rmseBest = std::sqrt(std::max(0.0, best) / static_cast<double>(elements));
        }
        return check;
    }

private:
    struct Fit {
        double ab = 0, bb = 0, aa = 0, error = 0;
        std::uint64_t count = 0;
    };
    const codec::Operand &m_scale;
    std::vector<Fit> m_fits;
};

constexpr std::uint64_t kCheckRun = 65536;
constexpr unsigned kMostCodeBits = 16;

/// One run of a pair: values of both, and the stored codes of B.
struct CodedRun {
    std::uint64_t first = 0;
    std::span<const double> a, b;
    std::span<const std::int64_t> codes;
};

/// Nearest entries of every codebook, by bisection.
class PaletteTally
{
public:
    explicit PaletteTally(const codec::Decoder &decoder) : m_decoder(decoder)
    {
        const auto &palette = *decoder.encoding().palette;
        const auto values = decoder.codebookValues();
        m_entries = palette.entries;
        m_sorted.assign(values.begin(), values.end());
        m_used.resize(m_sorted.size());
        for (std::size_t at = 0; at + m_entries <= m_sorted.size(); at += m_entries)
            std::sort(m_sorted.begin() + static_cast<std::ptrdiff_t>(at),
                      m_sorted.begin() + static_cast<std::ptrdiff_t>(at + m_entries));
    }

    void add(const CodedRun &run)
    {
        for (std::size_t i = 0; i < run.a.size(); ++i) {
            const std::int64_t code = run.codes[i];
            if (code == codec::Decoder::kNotStored)
                continue;
            const std::uint64_t book = m_decoder.codebookOf(run.first + i).codebook;
            const std::size_t base = static_cast<std::size_t>(book * m_entries);
            if (code >= 0 && static_cast<std::uint64_t>(code) < m_entries)
                m_used[base + static_cast<std::size_t>(code)] = true;
            ++m_check.examined;
            const double nearest = nearestOf(base, run.a[i]);
            const double excess = std::abs(run.a[i] - run.b[i]) - std::abs(run.a[i] - nearest);
            if (!(excess > 0))
                continue;
            ++m_check.notNearest;
            if (excess > m_worst) {
                m_worst = excess;
                m_check.worst = ElementPair{run.first + i, run.a[i], run.b[i]};
                m_check.nearest = nearest;
            }
        }
    }

    PaletteCheck finish()
    {
        m_check.entries = m_used.size();
        m_check.usedEntries = static_cast<std::uint64_t>(std::ranges::count(m_used, true));
        return m_check;
    }

private:
    double nearestOf(std::size_t base, double value) const
    {
        const auto first = m_sorted.begin() + static_cast<std::ptrdiff_t>(base);
        const auto end = first + static_cast<std::ptrdiff_t>(m_entries);
        const auto above = std::lower_bound(first, end, static_cast<float>(value));
        if (above == end)
            return *(end - 1);
        if (above == first || std::abs(*above - value) < std::abs(*(above - 1) - value))
            return *above;
        return *(above - 1);
    }

    const codec::Decoder &m_decoder;
    std::vector<float> m_sorted; ///< each codebook by value
    std::vector<bool> m_used;
    std::uint64_t m_entries = 0;
    double m_worst = 0;
    PaletteCheck m_check;
};

/// Integer codes with a scale that is stored plainly.
class CodeTally
{
public:
    CodeTally(const codec::Encoding &encoding, const codec::Operand &payload,
              const codec::Operand &scale)
        : m_scale(scale), m_bits(bitWidth(payload.type)), m_signed(isSignedInteger(payload.type)),
          m_map(encoding.shape, gridOf(encoding, scale)), m_tallies(std::size_t(1) << m_bits)
    {
        const auto cells = elementCount(scale.shape);
        if (cells && cells->value <= ScaleTally::kMostCells && !encoding.scaling->addsOffset &&
            ScaleTally::canRound(scale.type))
            m_scales.emplace(scale, cells->value);
    }

    static Shape gridOf(const codec::Encoding &encoding, const codec::Operand &scale)
    {
        if (scale.shape.size() == encoding.shape.size() &&
            encoding.scaling->kind == codec::Scaling::Kind::Blockwise)
            return scale.shape;
        Shape grid(encoding.shape.size(), 1);
        const auto count = elementCount(scale.shape);
        if (count && count->value > 1 && encoding.scaling->axis < grid.size())
            grid[encoding.scaling->axis] = count->value;
        return grid;
    }

    void add(const CodedRun &run)
    {
        codec::GridWalker walker(m_map, run.first);
        for (std::size_t done = 0; done < run.a.size();) {
            const auto count = static_cast<std::size_t>(
                std::min<std::uint64_t>(walker.cellLeft(), run.a.size() - done));
            const double step = codec::operandValue(m_scale, walker.cell()).value_or(0);
            for (std::size_t i = done; i < done + count; ++i) {
                if (run.codes[i] == codec::Decoder::kNotStored)
                    continue;
                addOne(run.codes[i], run.a[i], run.b[i], step);
                if (m_scales)
                    m_scales->add(walker.cell(), run.a[i], run.b[i]);
            }
            walker.advance(count);
            done += count;
        }
    }

    std::optional<ScaleCheck> scales() const
    {
        return m_scales ? std::optional(m_scales->finish()) : std::nullopt;
    }

    CodeCheck finish() const
    {
        CodeCheck check;
        check.codes = m_tallies.size();
        const Tally *lowest = nullptr, *highest = nullptr;
        for (const Tally &tally : m_tallies) {
            if (tally.count == 0)
                continue;
            ++check.usedCodes;
            check.examined += tally.count;
            check.notNearest += tally.above + tally.below;
            lowest = lowest == nullptr ? &tally : lowest;
            highest = &tally;
        }
        if (lowest != nullptr)
            check.clipped = lowest->below + highest->above;
        return check;
    }

private:
    struct Tally {
        std::uint64_t count = 0, above = 0, below = 0; ///< wanted a higher code, a lower one
    };

    void addOne(std::int64_t code, double a, double b, double step)
    {
        constexpr double kMostOfStep = 0.6;
        const std::int64_t half = m_signed ? std::int64_t(1) << (m_bits - 1) : 0;
        Tally &tally = m_tallies[static_cast<std::size_t>(code + half) & (m_tallies.size() - 1)];
        ++tally.count;
        if (!(std::abs(a - b) > kMostOfStep * std::abs(step)))
            return;
        ++((a > b) == (step > 0) ? tally.above : tally.below);
    }

    const codec::Operand &m_scale;
    unsigned m_bits;
    bool m_signed;
    codec::GridMap m_map;
    std::vector<Tally> m_tallies; ///< by code, the lowest first
    std::optional<ScaleTally> m_scales;
};

const codec::Operand *plainScale(const codec::Encoding &encoding)
{
    return encoding.scaling ? std::get_if<codec::Operand>(&encoding.scaling->scale) : nullptr;
}

/// The whole pass over one pair.
class FormChecker
{
public:
    FormChecker(const diff::PairReader &reader, const Weight &weight) : m_reader(reader)
    {
        const codec::Encoding &encoding = reader.b().encoding();
        if (encoding.mask)
            m_mask.emplace(weight.shape);
        const auto *payload = std::get_if<codec::Operand>(&encoding.payload);
        if (encoding.palette && encoding.palette->vector == 1 && !encoding.scaling)
            m_palette.emplace(reader.b());
        else if (encoding.palette)
            m_result.notExamined =
                encoding.scaling ? "a palette with scales" : "a palette of vectors";
        else if (encoding.scaling && payload != nullptr && !isFloatingPoint(payload->type) &&
                 bitWidth(payload->type) > 0 && bitWidth(payload->type) <= kMostCodeBits &&
                 plainScale(encoding) != nullptr)
            m_codes.emplace(encoding, *payload, *plainScale(encoding));
        else if (encoding.scaling)
            m_result.notExamined = "codes of floating point, or scales that are coded themselves";
    }

    bool useful() const { return m_mask || m_palette || m_codes; }

    bool run(Progress *progress)
    {
        std::vector<double> a(kCheckRun), b(kCheckRun);
        std::vector<std::int64_t> codes(kCheckRun);
        for (std::uint64_t first = 0; first < m_reader.elements(); first += kCheckRun) {
            const auto count =
                static_cast<std::size_t>(std::min(kCheckRun, m_reader.elements() - first));
            m_reader.readDoubles(first, std::span(a).first(count), std::span(b).first(count));
            m_reader.b().codes(first, std::span(codes).first(count));
            const CodedRun run{first, std::span(a).first(count), std::span(b).first(count),
                               std::span(codes).first(count)};
            if (m_mask)
                m_mask->add(run.a, run.b, run.codes);
            if (m_palette)
                m_palette->add(run);
            if (m_codes)
                m_codes->add(run);
            if (progress != nullptr && !progress->advance(count))
                return false;
        }
        return true;
    }

    FormCheck finish()
    {
        if (m_mask)
            m_result.mask = m_mask->finish();
        if (m_palette)
            m_result.palette = m_palette->finish();
        if (m_codes)
            m_result.codes = m_codes->finish();
        if (m_codes)
            m_result.scales = m_codes->scales();
        return std::move(m_result);
    }

private:
    const diff::PairReader &m_reader;
    FormCheck m_result;
    std::optional<MaskTally> m_mask;
    std::optional<PaletteTally> m_palette;
    std::optional<CodeTally> m_codes;
};

} // namespace

Result<FormCheck> checkForm(const Bundle &a, const Bundle &b, const ComparedPair &pair,
                            Progress *progress)
{
    const BundleReadLock lock(a, b);
    const auto reader = TRY(diff::PairReader::make(a, b, pair));
    FormChecker checker(reader, b.weights()[pair.b]);
    if (checker.useful() && !checker.run(progress))
        return tl::unexpected(cancelledError("The check was cancelled"));
    return checker.finish();
}

} // namespace kernscope
