// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/compensation.h"

#include "core/codec/microscaled/quantize.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kernscope::codec {

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
        if (m_lanes == kFull) {
            for (std::size_t j = k + 1; j < m_length; ++j)
                addRow<kFull>(static_cast<double>(row[j]), errors.data(),
                              m_shifts.data() + j * kFull);
            return;
        }
        for (std::size_t j = k + 1; j < m_length; ++j) {
            for (std::size_t lane = 0; lane < m_lanes; ++lane)
                m_shifts[j * m_lanes + lane] -= static_cast<double>(row[j]) * errors[lane];
        }
    }

private:
    static constexpr std::size_t kFull = 8;

    template <std::size_t Lanes>
    static void addRow(double factor, const double *errors, double *shifts)
    {
        for (std::size_t lane = 0; lane < Lanes; ++lane)
            shifts[lane] -= factor * errors[lane];
    }

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

} // namespace kernscope::codec
