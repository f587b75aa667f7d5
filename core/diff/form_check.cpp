// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/form_check.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/pair_read_lock.h"
#include "core/codec/decode/grid_map.h"
#include "core/diff/mask_tally.h"
#include "core/diff/pair_reader.h"
#include "core/diff/scale_tally.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace kernscope {

namespace {

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
        m_check.usedEntries =
            static_cast<std::uint64_t>(std::count(m_used.begin(), m_used.end(), true));
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
        if (cells && cells->value <= diff::ScaleTally::kMostCells &&
            !encoding.scaling->addsOffset && diff::ScaleTally::canRound(scale.type))
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
    std::optional<diff::ScaleTally> m_scales;
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
    std::optional<diff::MaskTally> m_mask;
    std::optional<PaletteTally> m_palette;
    std::optional<CodeTally> m_codes;
};

} // namespace

Result<FormCheck> checkForm(const Bundle &a, const Bundle &b, const ComparedPair &pair,
                            Progress *progress)
{
    const PairReadLock lock(a, b);
    const auto reader = diff::PairReader::make(a, b, pair);
    if (!reader)
        return tl::unexpected(reader.error());
    FormChecker checker(*reader, b.weights()[pair.b]);
    if (checker.useful() && !checker.run(progress))
        return tl::unexpected(cancelledError("The check was cancelled"));
    return checker.finish();
}

} // namespace kernscope
