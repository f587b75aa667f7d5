// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lanes/size_law.h"

#include "core/base/error_builder.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace kernscope::lanes {

namespace {

constexpr std::uint64_t kSizeStep = 64;

Error noSuchSlice(std::string message)
{
    return ErrorBuilder("lanes.geometry").message(std::move(message));
}

std::uint64_t roundUp(std::uint64_t value)
{
    return (value + kSizeStep - 1) / kSizeStep * kSizeStep;
}

/// Kernels whose rows fall into [fewest, most]: input channels x taps, with or without a bias row.
std::vector<std::string> examplesOf(std::uint64_t fewest, std::uint64_t most)
{
    struct Kernel {
        std::uint64_t taps;
        std::string_view name;
    };
    static constexpr std::array kKernels{Kernel{9, "3x3"}, Kernel{1, "1x1"}};
    std::vector<std::string> examples;
    for (const Kernel &kernel : kKernels) {
        const std::uint64_t inputs = most / kernel.taps;
        if (inputs == 0 || inputs * kernel.taps < fewest)
            continue;
        examples.push_back(std::string(kernel.name) + " with " + counted(inputs, "input channel"));
    }
    return examples;
}

std::string hex(std::uint64_t bytes)
{
    return fmt::format("0x{:X}", bytes);
}

} // namespace

std::vector<SizeCase> casesOfSliceSize(std::uint64_t bytes)
{
    std::vector<SizeCase> cases;
    if (bytes == 0 || bytes % kSizeStep != 0)
        return cases;
    for (const std::uint64_t lanes : {1U, 2U, 4U, 8U, 16U, 32U}) {
        SizeCase one;
        one.lanes = lanes;
        one.mostRows = bytes / 2 / lanes;
        one.fewestRows = (bytes - kSizeStep) / 2 / lanes + 1;
        if (one.mostRows < one.fewestRows)
            continue;
        one.examples = examplesOf(one.fewestRows, one.mostRows);
        cases.push_back(std::move(one));
    }
    return cases;
}

std::string explainSliceSize(std::uint64_t bytes)
{
    const auto cases = casesOfSliceSize(bytes);
    if (cases.empty())
        return fmt::format("{} is no size of a slice: slices are padded to 64 bytes.", hex(bytes));
    std::string text = fmt::format(
        "{} = {} bytes is a case of the size rule round_up(2 x lanes x (bias + input channels x "
        "taps), 64), no constant of a format.",
        hex(bytes), bytes);
    for (const SizeCase &one : cases) {
        text += fmt::format(" {}: {} to {} rows", counted(one.lanes, "lane"), one.fewestRows,
                            one.mostRows);
        if (!one.examples.empty())
            text += fmt::format(" (for example {})", fmt::join(one.examples, ", "));
        text += '.';
    }
    return text;
}

std::string explainSliceSize(const SliceLayout &layout, std::uint64_t engine)
{
    std::string sum;
    for (std::uint64_t chunk = 0; chunk < layout.chunks().size(); ++chunk) {
        const auto plane = layout.plane(chunk, engine);
        if (!plane)
            continue;
        constexpr std::uint64_t kShown = 4;
        if (chunk == kShown)
            sum += " + …";
        if (chunk >= kShown)
            continue;
        const std::string rows = layout.geometry().bias ? fmt::format("(1 + {})", layout.steps())
                                                        : fmt::format("{}", layout.steps());
        const std::string bytes = fmt::format("2 x {} x {}", plane->width, rows);
        sum += sum.empty() ? "" : " + ";
        sum += layout.form().planeAlignment == 1 ? bytes : fmt::format("round_up({}, 64)", bytes);
    }
    return fmt::format("round_up({}, 64) = {} bytes ({})", sum, layout.sliceBytes(engine),
                       hex(layout.sliceBytes(engine)));
}

Result<SizeCheck> checkSliceSize(const SliceLayout &layout, std::uint64_t engine, FormNode form,
                                 std::uint64_t found, unsigned paletteBits,
                                 std::optional<std::uint64_t> nonzeros)
{
    if (engine >= layout.engines() || paletteBits > 8)
        return tl::unexpected(noSuchSlice("The weight has no such slice or no such palette"));
    std::uint64_t channels = 0;
    for (const Chunk &chunk : layout.chunks())
        channels += chunk.channelsOf(engine);
    const std::uint64_t elements = channels * layout.steps();
    const std::uint64_t bias = layout.geometry().bias ? 2 * channels : 0;
    SizeCheck check;
    check.found = found;
    check.order = "order unknown";
    switch (form) {
    case FormNode::Dense:
        check.smallest = check.largest = layout.sliceBytes(engine);
        check.law = explainSliceSize(layout, engine);
        check.order = "order assumed";
        break;
    case FormNode::Affine:
        check.smallest = check.largest = roundUp(elements + 2 * channels + bias);
        check.law = fmt::format("round_up({} bytes + 2 x {} channels, 64)", elements, channels);
        break;
    case FormNode::Palette: {
        const std::uint64_t indices = (elements * paletteBits + 7) / 8;
        const std::uint64_t table = roundUp(std::uint64_t{2} << paletteBits);
        check.smallest = check.largest = roundUp(indices + bias) + table;
        check.law = fmt::format("{} bytes of {}-bit indices + {} of a codebook, padded to 64",
                                indices, paletteBits, table);
        break;
    }
    case FormNode::Sparse: {
        const std::uint64_t mask = (elements + 7) / 8;
        check.smallest = roundUp(mask + bias + 2 * nonzeros.value_or(0));
        // The structure of the masks is not published; the extra block was seen on small slices.
        check.largest =
            roundUp(mask + bias + 2 * std::min(nonzeros.value_or(elements), elements)) + kSizeStep;
        check.law = fmt::format("{} bytes of mask + 2 a number that is not zero + about 64", mask);
        break;
    }
    default: // no hardware is known to have slices of it
        return tl::unexpected(noSuchSlice("No size of slices is known for this form"));
    }
    check.holds = check.smallest <= found && found <= check.largest;
    return check;
}

} // namespace kernscope::lanes
