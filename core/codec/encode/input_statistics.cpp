// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/input_statistics.h"

#include "core/codec/microscaled/quantize.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

Error badInputs(std::string expected, std::string found, std::string message)
{
    return badArgument("inputs", std::move(expected), std::move(found), std::move(message));
}

Result<void> checkNumbers(std::span<const float> numbers, bool squares)
{
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (!std::isfinite(numbers[i]) || (squares && numbers[i] < 0))
            return tl::unexpected(
                badInputs(squares ? "finite squares that are not negative" : "finite numbers",
                          fmt::format("{} at {}", numbers[i], i),
                          "The statistics of the inputs cannot be used"));
    }
    return {};
}

Result<void> checkMatrix(const InputStatistics &inputs, std::uint64_t channels,
                         std::uint64_t reduction)
{
    const auto stored = static_cast<std::uint64_t>(inputs.secondMoment.size());
    const auto fits = [&](std::uint64_t columns) {
        return columns <= InputStatistics::kMostColumns && columns * columns == stored;
    };
    if (!fits(channels) && !fits(reduction))
        return tl::unexpected(badInputs(
            fmt::format("{0} x {0} or {1} x {1} second moments, at most {2} x {2}", channels,
                        reduction, InputStatistics::kMostColumns),
            fmt::format("{} numbers", stored), "The second moments do not fit the weight"));
    TRY(checkNumbers(inputs.secondMoment, false));
    const std::uint64_t columns = fits(channels) ? channels : reduction;
    for (std::uint64_t row = 0; row < columns; ++row) {
        const float own = inputs.secondMoment[row * columns + row];
        if (own < 0)
            return tl::unexpected(badInputs("mean squares that are not negative",
                                            fmt::format("{} at [{}, {}]", own, row, row),
                                            "The second moments are none"));
        for (std::uint64_t column = 0; column < row; ++column) {
            const auto one = static_cast<double>(inputs.secondMoment[row * columns + column]);
            const auto other = static_cast<double>(inputs.secondMoment[column * columns + row]);
            constexpr double kRounding = 1e-3; // of matrices that were summed up in fp16
            if (std::abs(one - other) > kRounding * (std::abs(one) + std::abs(other)))
                return tl::unexpected(badInputs("a symmetric matrix",
                                                fmt::format("{} at [{}, {}], {} at [{}, {}]", one,
                                                            row, column, other, column, row),
                                                "The second moments are none"));
        }
    }
    return {};
}

/// Mean square of input `i` of the matrix, or of channel `i`.
float squareOf(const InputStatistics &inputs, std::size_t columns, std::size_t i)
{
    return columns == 0 ? inputs.meanSquare[i] : inputs.secondMoment[i * columns + i];
}

std::size_t columnsOf(const InputStatistics &inputs)
{
    return static_cast<std::size_t>(
        std::llround(std::sqrt(static_cast<double>(inputs.secondMoment.size()))));
}

/// d' H d of one line, with the matrix.
double squareForm(std::span<const double> difference, const std::vector<float> &matrix)
{
    const std::size_t length = difference.size();
    double sum = 0;
    for (std::size_t row = 0; row < length; ++row) {
        if (difference[row] == 0)
            continue;
        // Twice what is below the diagonal: the matrix is symmetric.
        double below = 0;
        const float *const from = matrix.data() + row * length;
        for (std::size_t column = 0; column < row; ++column)
            below += static_cast<double>(from[column]) * difference[column];
        sum += difference[row] * (2 * below + static_cast<double>(from[row]) * difference[row]);
    }
    return sum;
}

/// The same with mean squares, and means where there are some.
double independentForm(std::span<const double> difference, const InputStatistics &inputs,
                       const InputLines &lines, std::size_t line)
{
    double sum = 0;
    double shift = 0;
    for (std::size_t k = 0; k < difference.size(); ++k) {
        const std::size_t channel = lines.channelOf(line, k);
        auto square = static_cast<double>(inputs.meanSquare[channel]);
        if (!inputs.mean.empty()) {
            const auto mean = static_cast<double>(inputs.mean[channel]);
            square = std::max(0.0, square - mean * mean);
            shift += mean * difference[k];
        }
        sum += square * difference[k] * difference[k];
    }
    return sum + shift * shift;
}

} // namespace

std::string_view encodeMethodName(EncodeMethod method)
{
    static constexpr std::array<std::string_view, 3> kNames{"plain", "fitted", "feedback"};
    return kNames[static_cast<std::size_t>(method)];
}

InputAxis inputAxis(const InputStatistics &inputs, const Shape &shape)
{
    InputAxis result;
    for (std::size_t i = 0; i < shape.size(); ++i)
        (i < inputs.axis    ? result.before
         : i == inputs.axis ? result.channels
                            : result.after) *= shape[i];
    return result;
}

InputLines inputLines(const InputStatistics &inputs, const Shape &shape)
{
    const InputAxis axis = inputAxis(inputs, shape);
    const std::size_t columns = columnsOf(inputs);
    InputLines lines;
    lines.inner = axis.after;
    // Of a transposed convolution no output sums up all places of the kernel.
    const bool apart =
        inputs.axis == 0 || (columns == axis.channels && axis.after != 1 && columns != 0);
    lines.stride = apart ? axis.after : 1;
    lines.length = apart ? axis.channels : axis.channels * axis.after;
    lines.count = axis.before * axis.channels * axis.after / lines.length;
    if (columns == 0)
        lines.groups = inputs.meanSquare.size() / axis.channels;
    return lines;
}

Result<void> checkInputs(const InputStatistics &inputs, const Shape &shape)
{
    if (inputs.axis >= shape.size())
        return tl::unexpected(badInputs(fmt::format("an axis below {}", shape.size()),
                                        fmt::format("{}", inputs.axis),
                                        "The shape has no such axis of inputs"));
    const auto count = elementCount(shape);
    if (!count || count->value == 0)
        return {};
    const InputAxis axis = inputAxis(inputs, shape);
    if (!inputs.secondMoment.empty())
        return checkMatrix(inputs, axis.channels, axis.channels * axis.after);
    const std::size_t given = inputs.meanSquare.size();
    const std::size_t groups = given / axis.channels;
    const bool whole = given % axis.channels == 0 && groups != 0;
    if (!whole || (groups != 1 && (inputs.axis == 0 || shape[0] % groups != 0)))
        return tl::unexpected(badInputs(
            fmt::format("{} mean squares, one for each input channel (axis {} of {})",
                        axis.channels, inputs.axis, shapeText(shape)),
            fmt::format("{}", given), "The statistics of the inputs do not fit the weight"));
    if (!inputs.mean.empty() && inputs.mean.size() != given)
        return tl::unexpected(badInputs(fmt::format("{} means, as many as mean squares", given),
                                        fmt::format("{}", inputs.mean.size()),
                                        "The means of the inputs do not fit the mean squares"));
    TRY(checkNumbers(inputs.meanSquare, true));
    return checkNumbers(inputs.mean, false);
}

std::vector<float> inputMasses(const InputStatistics &inputs, const Shape &shape)
{
    const auto count = elementCount(shape);
    if (!count || count->value == 0)
        return {};
    const std::size_t columns = columnsOf(inputs);
    const std::size_t squares = columns == 0 ? inputs.meanSquare.size() : columns;
    float largest = 0;
    for (std::size_t i = 0; i < squares; ++i)
        largest = std::max(largest, squareOf(inputs, columns, i));
    std::vector<float> masses(count->value, 1.0f);
    if (largest == 0)
        return masses;
    const InputLines lines = inputLines(inputs, shape);
    for (std::size_t line = 0; line < lines.count; ++line) {
        float *const to = masses.data() + lines.firstOf(line);
        for (std::size_t k = 0; k < lines.length; ++k) {
            // A matrix of the whole reduction has a number for each element of a line.
            const std::size_t i = columns == lines.length ? k : lines.channelOf(line, k);
            to[k * lines.stride] = squareOf(inputs, columns, i) / largest;
        }
    }
    return masses;
}

Result<double> inputError(std::span<const float> values, std::span<const float> stored,
                          const Shape &shape, const InputStatistics &inputs)
{
    for (const auto some : {values, stored}) {
        TRY(checkValues(some, shape));
    }
    TRY(checkInputs(inputs, shape));
    if (values.empty())
        return 0.0;
    const InputLines lines = inputLines(inputs, shape);
    std::vector<double> difference(lines.length);
    double sum = 0;
    for (std::size_t line = 0; line < lines.count; ++line) {
        const std::size_t first = lines.firstOf(line);
        for (std::size_t k = 0; k < lines.length; ++k) {
            const std::size_t at = first + k * lines.stride;
            const double d = static_cast<double>(stored[at]) - static_cast<double>(values[at]);
            difference[k] = std::isfinite(d) ? d : 0.0;
        }
        sum += inputs.secondMoment.empty() ? independentForm(difference, inputs, lines, line)
                                           : squareForm(difference, inputs.secondMoment);
    }
    return sum;
}

} // namespace kernscope::codec
