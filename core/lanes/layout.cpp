// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lanes/layout.h"

#include "core/base/error_builder.h"
#include "core/base/text.h"

#include <array>

#include <fmt/format.h>

namespace kernscope::lanes {

namespace {

constexpr std::uint64_t kElementBytes = 2;
constexpr std::uint64_t kAlignment = 64;

std::uint64_t roundUpTo(std::uint64_t value, std::uint64_t step)
{
    return (value + step - 1) / step * step; // elements are below 2^40 (reductionOf)
}

tl::unexpected<Error> partialError(const Chunk &chunk, unsigned engines)
{
    return refused(
        "lanes.partial", "output channels",
        fmt::format("a multiple of {} channels", engines * chunk.lanes),
        fmt::format("{} channels from {} on", chunk.channels, chunk.first),
        "How a container lays out a chunk that fills its lanes only in part is not published");
}

constexpr std::uint64_t kSizeStep = 64;

Error noSuchSlice(std::string message)
{
    return ErrorBuilder("lanes.geometry").message(std::move(message));
}

std::uint64_t roundUp(std::uint64_t value)
{
    return roundUpTo(value, kSizeStep);
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

SliceForm containerForm(Law law, unsigned engines)
{
    SliceForm form;
    form.engines = engines;
    form.planeAlignment = law == Law::Grouped ? kAlignment : 1;
    return form;
}

Result<SliceLayout> SliceLayout::make(const WeightExtents &geometry, std::vector<Chunk> chunks,
                                      const SliceForm &form)
{
    auto steps = TRY(reductionOf(geometry));
    SliceLayout layout;
    layout.m_geometry = geometry;
    layout.m_form = form;
    layout.m_steps = steps;
    std::uint64_t channels = 0;
    for (const Chunk &chunk : chunks) {
        const bool whole = chunk.channels == form.engines * chunk.lanes;
        const bool last = &chunk == &chunks.back();
        const std::uint64_t rest = chunk.lanes == 0 ? 1 : chunk.channels % chunk.lanes;
        if (!whole && (!last || rest != 0))
            return partialError(chunk, form.engines);
        channels += chunk.channels;
    }
    if (channels != geometry.outputs || form.planeAlignment == 0) {
        return refused("lanes.geometry", {},
                       fmt::format("chunks of {} channels together", geometry.outputs),
                       fmt::format("{}", channels), "The chunks do not cover the output channels");
    }
    layout.m_chunks = std::move(chunks);
    std::uint64_t offset = 0;
    for (const Chunk &chunk : layout.m_chunks) {
        layout.m_offsets.push_back(offset);
        offset += roundUpTo(layout.rows() * chunk.lanes * kElementBytes, form.planeAlignment);
    }
    for (std::uint64_t engine = 0; engine < form.engines; ++engine) {
        if (layout.m_chunks.front().channelsOf(engine) == 0)
            break;
        layout.m_sliceBytes.push_back(0);
        layout.m_sliceBytes.back() = roundUp(layout.usedBytes(engine));
    }
    return layout;
}

Result<SliceLayout> SliceLayout::make(const WeightExtents &geometry, Law law,
                                      const DealOptions &options)
{
    auto chunks = TRY(dealChannels(geometry, law, options));
    return make(geometry, std::move(chunks), containerForm(law, options.engines));
}

std::optional<Plane> SliceLayout::plane(std::uint64_t chunk, std::uint64_t engine) const
{
    const Chunk &run = m_chunks[chunk];
    Plane plane;
    plane.width = run.channelsOf(engine);
    if (plane.width == 0)
        return std::nullopt;
    plane.chunk = chunk;
    plane.engine = engine;
    plane.firstChannel = run.first + engine * run.lanes;
    plane.offset = m_offsets[chunk];
    plane.bytes = roundUpTo(rows() * plane.width * kElementBytes, m_form.planeAlignment);
    return plane;
}

std::uint64_t SliceLayout::usedBytes(std::uint64_t engine) const
{
    for (std::uint64_t chunk = m_chunks.size(); chunk-- > 0;) {
        if (const auto last = plane(chunk, engine))
            return last->offset + last->bytes;
    }
    return 0;
}

std::uint64_t SliceLayout::totalBytes() const
{
    std::uint64_t total = 0;
    for (const std::uint64_t bytes : m_sliceBytes)
        total += bytes;
    return total;
}

std::uint64_t SliceLayout::chunkOf(std::uint64_t channel) const
{
    const auto behind =
        std::upper_bound(m_chunks.begin(), m_chunks.end(), channel,
                         [](std::uint64_t c, const Chunk &chunk) { return c < chunk.first; });
    return static_cast<std::uint64_t>(behind - m_chunks.begin()) - 1;
}

LanePlace SliceLayout::rowPlace(std::uint64_t channel, std::uint64_t row) const
{
    const std::uint64_t number = chunkOf(channel);
    const Chunk &chunk = m_chunks[number];
    const std::uint64_t within = channel - chunk.first;
    return {within / chunk.lanes,
            m_offsets[number] + (row * chunk.lanes + within % chunk.lanes) * kElementBytes};
}

LanePlace SliceLayout::placeOf(std::uint64_t channel, std::uint64_t step) const
{
    return rowPlace(channel, step + (m_geometry.bias ? 1 : 0));
}

std::optional<SliceLayout::Number> SliceLayout::numberAt(const LanePlace &place) const
{
    if (place.engine >= engines() || m_offsets.empty())
        return std::nullopt;
    const auto behind = std::upper_bound(m_offsets.begin(), m_offsets.end(), place.offset);
    const auto chunk = static_cast<std::uint64_t>(behind - m_offsets.begin()) - 1; // offsets: 0, …
    const auto run = plane(chunk, place.engine);
    if (!run)
        return std::nullopt;
    const std::uint64_t number = (place.offset - run->offset) / kElementBytes;
    if (number >= rows() * run->width)
        return std::nullopt;
    return Number{run->firstChannel + number % run->width, number / run->width};
}

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
        return fmt::format("{} is not a size of a slice: slices are padded to 64 bytes.",
                           hex(bytes));
    std::string text = fmt::format(
        "{} = {} bytes is a case of the size rule round_up(2 x lanes x (bias + input channels x "
        "taps), 64), not a constant of a format.",
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
                                 std::uint64_t found, unsigned paletteBits)
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
        check.smallest = roundUp(mask + bias);
        // The structure of the masks is not published; the extra block was seen on small slices.
        check.largest = roundUp(mask + bias + 2 * elements) + kSizeStep;
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
