// SPDX-License-Identifier: GPL-3.0-or-later
// Error feedback along the inputs.

#include "core/codec/decode/decoder.h"
#include "core/codec/decode/grid_map.h"
#include "core/codec/edit/element_candidates.h"
#include "core/codec/encode/form_encoder.h"
#include "core/codec/encode/input_statistics.h"
#include "core/codec/encode/kmeans.h"
#include "core/codec/microscaled/quantize.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace kernscope::codec {

/// Scales, codebooks and masks stay as they are.
class CodeRounder
{
public:
    virtual ~CodeRounder() = default;

    /// The nearest that the elements at `position` and, of vectors, in the rows after it can have;
    /// kept for finish(). `targets` and `results` hold a number for each element of the vector.
    virtual void round(std::size_t position, std::span<const double> targets,
                       std::span<double> results) = 0;
    /// Elements of a vector: rows of axis 0.
    virtual std::size_t vector() const { return 1; }
    /// Stores the codes. Elements that were never asked for have code 0.
    virtual void finish(EncodedWeight &weight) const = 0;
};

/// For a weight of the encoders' forms but dense; null for others. `symmetric`: the code without a
/// counterpart is not used.
std::unique_ptr<CodeRounder> makeRounder(const EncodedWeight &weight, bool symmetric);

namespace {

/// The mask of a weight; one that keeps everything where it has none.
class Kept
{
public:
    explicit Kept(const EncodedWeight &weight)
    {
        if (const EncodedPart *mask = weight.part(PartRole::Mask))
            m_mask = mask->bytes;
    }

    bool all() const { return m_mask.empty(); }
    bool operator()(std::size_t position) const
    {
        return m_mask.empty() ||
               ((std::to_integer<unsigned>(m_mask[position / 8]) >> (position % 8)) & 1u) != 0;
    }
    /// The codes that are stored, in order.
    template <class Code>
    std::vector<Code> of(const std::vector<Code> &codes) const
    {
        std::vector<Code> kept;
        for (std::size_t i = 0; i < codes.size(); ++i) {
            if ((*this)(i))
                kept.push_back(codes[i]);
        }
        return kept;
    }

private:
    std::vector<std::byte> m_mask;
};

std::size_t elementsOf(const EncodedWeight &weight)
{
    return elementCount(weight.shape).value_or(ElementCount()).value;
}

/// The codes of all elements, or of those that are kept.
template <class Weight>
auto roundedCodes(Weight &weight) -> decltype(weight.parts.data())
{
    auto *data = weight.part(PartRole::Data);
    return data != nullptr ? data : weight.part(PartRole::NonzeroData);
}

/// Integer codes with scales.
class ScaleRounder : public CodeRounder
{
public:
    ScaleRounder(const EncodedWeight &weight, bool symmetric)
        : m_kept(weight), m_codes(elementsOf(weight))
    {
        const EncodedPart &data = *roundedCodes(weight);
        const EncodedPart &scale = *weight.part(PartRole::Scale);
        const EncodedPart *zero = weight.part(PartRole::ZeroPoint);
        if (zero == nullptr)
            zero = weight.part(PartRole::Offset);
        Shape cells(weight.shape.size(), 1);
        if (weight.scaling == Scaling::Kind::Blockwise)
            cells = scale.shape;
        else if (!scale.shape.empty())
            cells[weight.axis] = scale.shape[0];
        m_map = GridMap(weight.shape, cells);
        const std::size_t count = scale.bytes.size() / 2;
        for (std::size_t i = 0; i < count; ++i) {
            const auto half = loadCode(scale.bytes, ElementType::Fp16, i);
            m_grids.push_back({halfToFloat(static_cast<std::uint16_t>(half)),
                               zero == nullptr ? 0 : loadCode(zero->bytes, zero->type, i)});
        }
        m_low = smallestCode(data.type) + (symmetric ? 1 : 0);
        m_high = largestCode(data.type);
    }

    void round(std::size_t position, std::span<const double> targets,
               std::span<double> results) override
    {
        results[0] = 0;
        if (!m_kept(position))
            return;
        const QuantGrid &grid = m_grids[m_map.cellOf(position)];
        const std::int64_t code = grid.codeOf(static_cast<float>(targets[0]), m_low, m_high);
        m_codes[position] = static_cast<std::uint8_t>(code & 0xff);
        const float product = grid.scale * static_cast<float>(code - grid.zero);
        results[0] = static_cast<double>(halfToFloat(floatToHalf(product)));
    }

    void finish(EncodedWeight &weight) const override
    {
        EncodedPart &data = *roundedCodes(weight);
        const std::vector<std::uint8_t> codes = m_kept.all() ? m_codes : m_kept.of(m_codes);
        const unsigned width = bitWidth(data.type);
        if (width < 8)
            packCodes(codes, width, 0, data.bytes);
        else
            std::transform(codes.begin(), codes.end(), data.bytes.begin(),
                           [](std::uint8_t code) { return std::byte{code}; });
    }

private:
    Kept m_kept;
    GridMap m_map;
    std::vector<QuantGrid> m_grids;
    std::int64_t m_low = 0;
    std::int64_t m_high = 0;
    std::vector<std::uint8_t> m_codes;
};

/// Indices into codebooks along axis 0, of single values or vectors.
class BookRounder : public CodeRounder
{
public:
    BookRounder(const EncodedWeight &weight, const Decoder &decoder)
        : m_kept(weight), m_vector(weight.vector), m_entries(weight.entries),
          m_books(decoder.codebookValues().begin(), decoder.codebookValues().end())
    {
        const std::size_t rows = weight.shape.empty() ? 1 : weight.shape[0];
        const std::size_t groups = weight.grid.empty() ? 1 : weight.grid[0];
        m_row = elementsOf(weight) / rows;
        m_group = rows / groups * m_row;
        m_codes.resize(elementsOf(weight) / m_vector);
        if (const EncodedPart *scale = weight.part(PartRole::Scale))
            scaleBooks(*scale);
    }

    std::size_t vector() const override { return m_vector; }

    void round(std::size_t position, std::span<const double> targets,
               std::span<double> results) override
    {
        std::ranges::fill(results, 0.0);
        if (!m_kept(position))
            return;
        const std::size_t length = m_entries * m_vector;
        const std::size_t number = position / m_group;
        const auto book = std::span<const float>(m_books).subspan(number * length, length);
        const std::size_t at =
            m_vector == 1 ? nearestValue(book, targets[0]) : nearestVector(book, targets);
        m_codes[position / m_row / m_vector * m_row + position % m_row] =
            static_cast<std::uint8_t>(at);
        for (std::size_t v = 0; v < m_vector; ++v)
            results[v] = static_cast<double>(book[at * m_vector + v]);
    }

    void finish(EncodedWeight &weight) const override
    {
        EncodedPart &indices = *weight.part(PartRole::Indices);
        packCodes(m_kept.all() ? m_codes : m_kept.of(m_codes), bitWidth(indices.type), 0,
                  indices.bytes);
    }

private:
    /// Entries as they decode: one scale a codebook, rounded to fp16.
    void scaleBooks(const EncodedPart &scale)
    {
        const std::size_t length = m_entries * m_vector;
        for (std::size_t i = 0; i < m_books.size(); ++i) {
            const auto half = loadCode(scale.bytes, ElementType::Fp16, i / length);
            m_books[i] = halfToFloat(
                floatToHalf(m_books[i] * halfToFloat(static_cast<std::uint16_t>(half))));
        }
    }

    /// Of ascending entries; of equally near ones the lower, of equal ones the first.
    static std::size_t nearestValue(std::span<const float> book, double target)
    {
        const auto value = static_cast<float>(target);
        auto at = std::lower_bound(book.begin(), book.end(), value);
        if (at == book.end() || (at != book.begin() && value - *(at - 1) <= *at - value))
            at = std::lower_bound(book.begin(), at, *(at - 1));
        return static_cast<std::size_t>(at - book.begin());
    }

    /// The first of equally near ones.
    static std::size_t nearestVector(std::span<const float> book, std::span<const double> targets)
    {
        std::size_t nearest = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t at = 0; at < book.size(); at += targets.size()) {
            double distance = 0;
            for (std::size_t v = 0; v < targets.size(); ++v) {
                const double off = static_cast<double>(book[at + v]) -
                                   static_cast<double>(static_cast<float>(targets[v]));
                distance += off * off;
            }
            if (distance < least) {
                least = distance;
                nearest = at / targets.size();
            }
        }
        return nearest;
    }

    Kept m_kept;
    std::size_t m_vector;
    std::size_t m_entries;
    std::size_t m_row = 1;   ///< elements of a row of axis 0
    std::size_t m_group = 1; ///< elements of a codebook
    std::vector<float> m_books;
    std::vector<std::uint8_t> m_codes;
};

/// Survivors stored as fp16.
class HalfRounder : public CodeRounder
{
public:
    explicit HalfRounder(const EncodedWeight &weight) : m_kept(weight), m_halves(elementsOf(weight))
    {
    }

    void round(std::size_t position, std::span<const double> targets,
               std::span<double> results) override
    {
        results[0] = 0;
        if (!m_kept(position))
            return;
        std::uint16_t half = doubleToHalf(targets[0]);
        if ((half & 0x7fffu) == kHalfInfinity && std::isfinite(targets[0]))
            --half; // the largest number
        if ((half & 0x7fffu) == 0)
            half |= 1u; // a survivor is no zero
        m_halves[position] = half;
        results[0] = static_cast<double>(halfToFloat(half));
    }

    void finish(EncodedWeight &weight) const override
    {
        EncodedPart &data = *weight.part(PartRole::NonzeroData);
        const std::vector<std::uint16_t> halves = m_kept.of(m_halves);
        const auto bytes = std::as_bytes(std::span(halves));
        std::copy(bytes.begin(), bytes.end(), data.bytes.begin());
    }

private:
    Kept m_kept;
    std::vector<std::uint16_t> m_halves;
};

} // namespace

std::unique_ptr<CodeRounder> makeRounder(const EncodedWeight &weight, bool symmetric)
{
    const auto decoder = Decoder::make(weight.encoding());
    if (!decoder || elementsOf(weight) == 0)
        return nullptr;
    if (weight.part(PartRole::Indices) != nullptr)
        return std::make_unique<BookRounder>(weight, *decoder);
    if (weight.scaling)
        return std::make_unique<ScaleRounder>(weight, symmetric);
    if (weight.part(PartRole::Mask) != nullptr)
        return std::make_unique<HalfRounder>(weight);
    return nullptr;
}

/// Works on several lines (InputLines) at once, one element of each after the other.
class Compensation
{
public:
    virtual ~Compensation() = default;

    /// Begins with the lines of these numbers.
    virtual void begin(std::span<const std::size_t> lines) = 0;
    /// What is to be added to element `k` of the lane, given the errors so far.
    virtual double shift(std::size_t lane, std::size_t k) const = 0;
    /// The errors (stored less original) that element `k` of each lane was left with.
    virtual void add(std::size_t k, std::span<const double> errors) = 0;
};

/// By the second moments, or by mean squares and means. One hundredth of the mean of the squares is
/// added to each, so that inputs that are never there do not divide by nothing. Errors:
/// "codec.argument" in "inputs" where there is neither, or the moments are those of no data.
Result<std::unique_ptr<Compensation>> makeCompensation(const InputStatistics &inputs,
                                                       const InputLines &lines);

namespace {

constexpr double kDamping = 0.01; ///< of the mean of the squares, as GPTQ has it

/// Inputs that are independent but for their means: H = D + m m'. With S = sum of m_j e_j over the
/// errors so far, what is left is best shifted by -(m_k / D_k) S / (1 + sum over j >= k of
/// m_j² / D_j): no matrix is needed.
class MeanCompensation : public Compensation
{
public:
    MeanCompensation(const InputStatistics &inputs, const InputLines &lines) : m_lines(lines)
    {
        double sum = 0;
        for (const float square : inputs.meanSquare)
            sum += static_cast<double>(square);
        const double damping = kDamping * sum / static_cast<double>(inputs.meanSquare.size());
        for (std::size_t group = 0; group < lines.groups; ++group) {
            const std::size_t line = group * (lines.count / lines.groups);
            std::vector<double> means(lines.length), factors(lines.length);
            double total = 0;
            for (std::size_t k = lines.length; k-- > 0;) {
                const std::size_t channel = lines.channelOf(line, k);
                const auto mean = static_cast<double>(inputs.mean[channel]);
                const auto square = static_cast<double>(inputs.meanSquare[channel]);
                const double variance = std::max(0.0, square - mean * mean) + damping;
                means[k] = mean;
                const double ratio = variance > 0 ? mean / variance : 0;
                total += ratio * mean;
                factors[k] = -ratio / (1 + total);
            }
            m_means.push_back(std::move(means));
            m_factors.push_back(std::move(factors));
        }
    }

    void begin(std::span<const std::size_t> lines) override
    {
        m_sums.assign(lines.size(), 0.0);
        m_groups.clear();
        for (const std::size_t line : lines)
            m_groups.push_back(line / (m_lines.count / m_lines.groups));
    }

    double shift(std::size_t lane, std::size_t k) const override
    {
        return m_factors[m_groups[lane]][k] * m_sums[lane];
    }

    void add(std::size_t k, std::span<const double> errors) override
    {
        for (std::size_t lane = 0; lane < errors.size(); ++lane)
            m_sums[lane] += m_means[m_groups[lane]][k] * errors[lane];
    }

private:
    InputLines m_lines;
    std::vector<std::vector<double>> m_means;   ///< of each group
    std::vector<std::vector<double>> m_factors; ///< of S
    std::vector<std::size_t> m_groups;          ///< of each lane
    std::vector<double> m_sums;                 ///< S of each lane
};

/// Any inputs: H = U D U' with U unit upper triangular; an error e_i shifts element k by -U_ik e_i.
class MatrixCompensation : public Compensation
{
public:
    explicit MatrixCompensation(std::size_t length) : m_length(length) {}

    /// False where the matrix is not that of second moments.
    bool factorise(std::span<const float> moments)
    {
        const std::size_t n = m_length;
        std::vector<double> matrix(moments.begin(), moments.end());
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i)
            sum += matrix[i * n + i];
        const double damping = sum > 0 ? kDamping * sum / static_cast<double>(n) : 1;
        for (std::size_t i = 0; i < n; ++i)
            matrix[i * n + i] += damping;
        m_upper.assign(n * n, 0.0f);
        std::vector<double> column(n);
        for (std::size_t j = n; j-- > 0;) {
            const double pivot = matrix[j * n + j];
            if (!(pivot > damping * 1e-6))
                return false;
            for (std::size_t i = 0; i < j; ++i) {
                column[i] = matrix[j * n + i] / pivot; // by the lower half: rows lie together
                m_upper[i * n + j] = static_cast<float>(column[i]);
            }
            for (std::size_t i = 0; i < j; ++i) {
                const double factor = matrix[j * n + i];
                if (factor == 0)
                    continue;
                double *const row = matrix.data() + i * n;
                for (std::size_t k = 0; k <= i; ++k)
                    row[k] -= factor * column[k];
            }
        }
        return true;
    }

    void begin(std::span<const std::size_t> lines) override
    {
        m_lanes = lines.size();
        m_shifts.assign(m_length * m_lanes, 0.0);
    }

    double shift(std::size_t lane, std::size_t k) const override
    {
        return m_shifts[k * m_lanes + lane];
    }

    void add(std::size_t k, std::span<const double> errors) override
    {
        const float *const row = m_upper.data() + k * m_length;
        for (std::size_t j = k + 1; j < m_length; ++j) {
            for (std::size_t lane = 0; lane < m_lanes; ++lane)
                m_shifts[j * m_lanes + lane] -= static_cast<double>(row[j]) * errors[lane];
        }
    }

private:
    std::size_t m_length;
    std::size_t m_lanes = 0;
    std::vector<float> m_upper;   ///< row-major
    std::vector<double> m_shifts; ///< [element, lane]
};

} // namespace

Result<std::unique_ptr<Compensation>> makeCompensation(const InputStatistics &inputs,
                                                       const InputLines &lines)
{
    if (!inputs.secondMoment.empty()) {
        auto matrix = std::make_unique<MatrixCompensation>(lines.length);
        if (!matrix->factorise(inputs.secondMoment))
            return tl::unexpected(badArgument("inputs", "second moments of data",
                                              "a matrix that is not positive",
                                              "The second moments are none"));
        return std::unique_ptr<Compensation>(std::move(matrix));
    }
    if (inputs.mean.empty())
        return tl::unexpected(
            badArgument("inputs", "means or second moments of the inputs", "mean squares alone",
                        "Errors of independent inputs of mean 0 cannot make up for each other"));
    return std::unique_ptr<Compensation>(std::make_unique<MeanCompensation>(inputs, lines));
}

namespace {

/// Goes through the lines, several at once.
class FeedbackPass
{
public:
    FeedbackPass(std::span<const float> values, const InputLines &lines, Compensation &compensation,
                 CodeRounder &rounder)
        : m_values(values), m_lines(lines), m_compensation(compensation), m_rounder(rounder)
    {
    }

    void run(std::span<const std::size_t> lines)
    {
        m_compensation.begin(lines);
        const std::size_t vector = m_rounder.vector();
        for (std::size_t k = 0; k < m_lines.length; ++k) {
            for (std::size_t lane = 0; lane < lines.size(); ++lane) {
                const std::size_t at = positionOf(lines[lane], k);
                const double target =
                    static_cast<double>(m_values[at]) + m_compensation.shift(lane, k);
                m_targets[lane] = target;
            }
            for (std::size_t lane = 0; lane < lines.size(); lane += vector)
                m_rounder.round(positionOf(lines[lane], k),
                                std::span<const double>(m_targets).subspan(lane, vector),
                                std::span(m_errors).subspan(lane, vector));
            for (std::size_t lane = 0; lane < lines.size(); ++lane) {
                const double error =
                    m_errors[lane] - static_cast<double>(m_values[positionOf(lines[lane], k)]);
                m_errors[lane] = std::isfinite(error) ? error : 0.0;
            }
            m_compensation.add(k, std::span<const double>(m_errors).first(lines.size()));
        }
    }

    static constexpr std::size_t kLanes = 8;

private:
    std::size_t positionOf(std::size_t line, std::size_t k) const
    {
        return m_lines.firstOf(line) + k * m_lines.stride;
    }

    std::span<const float> m_values;
    InputLines m_lines;
    Compensation &m_compensation;
    CodeRounder &m_rounder;
    std::array<double, kLanes> m_targets{};
    std::array<double, kLanes> m_errors{};
};

} // namespace

Result<void> feedBack(EncodedWeight &weight, std::span<const float> values,
                      const InputStatistics &inputs, bool symmetric)
{
    const auto rounder = makeRounder(weight, symmetric);
    if (!rounder)
        return {};
    const std::size_t vector = rounder->vector();
    if (vector != 1 && inputs.axis != 1)
        return tl::unexpected(badArgument("inputs", "input channels along axis 1",
                                          fmt::format("along axis {}", inputs.axis),
                                          "Vectors lie along axis 0: errors are fed back between "
                                          "vectors, not within one"));
    const InputLines lines = inputLines(inputs, weight.shape);
    auto compensation = TRY(makeCompensation(inputs, lines));
    FeedbackPass pass(values, lines, *compensation, *rounder);
    // Lines of one vector go together: those of as many rows, at the same place of the kernel.
    const std::size_t apart = vector == 1 ? 1 : lines.stride;
    const std::size_t atOnce = vector == 1 ? FeedbackPass::kLanes : vector;
    std::vector<std::size_t> batch;
    for (std::size_t first = 0; first < lines.count; first += atOnce * apart) {
        for (std::size_t place = 0; place < apart; ++place) {
            batch.clear();
            for (std::size_t i = 0; i < atOnce && first + i * apart + place < lines.count; ++i)
                batch.push_back(first + i * apart + place);
            pass.run(batch);
        }
    }
    rounder->finish(weight);
    return {};
}

} // namespace kernscope::codec
