// SPDX-License-Identifier: GPL-3.0-or-later
// Encoders of the forms with integer codes and scales: affine, blockwise.

#include "core/base/memory.h"
#include "core/codec/edit/element_candidates.h"
#include "core/codec/encode/form_encoder.h"
#include "core/codec/kernels/encode_kernels.h"
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

/// The elements that share a scale, in a tensor seen as [outer, repeats, cells, length]: those of
/// one index of `outer` and of `cells`. Scales are stored as [outer, cells].
struct ScaleCells {
    std::size_t outer = 1;
    std::size_t repeats = 1;
    std::size_t cells = 1;
    std::size_t length = 1;

    std::size_t startOf(std::size_t cell, std::size_t repeat) const
    {
        return ((cell / cells * repeats + repeat) * cells + cell % cells) * length;
    }
};

namespace {

/// The codes of a type that are used.
struct CodeRange {
    /// The symmetric range leaves out the code without a counterpart.
    CodeRange(ElementType type, bool symmetric)
        : low(static_cast<std::int32_t>(smallestCode(type)) + (symmetric ? 1 : 0)),
          high(static_cast<std::int32_t>(largestCode(type)))
    {
    }
    std::int32_t low, high;
};

/// A size of steps, in parts of the plain one, and a zero; what comes of them.
struct Tried {
    float scale = 1;
    std::int32_t zero = 0;
    FitSums sums;

    /// The error with the same codes and the best scale for them.
    double bound() const
    {
        if (!(sums.square > 0))
            return sums.error;
        const double off = static_cast<double>(scale) - sums.cross / sums.square;
        return sums.error - sums.square * off * off;
    }
    bool betterThan(const Tried &other) const { return sums.error < other.sums.error; }
};

/// The search for one cell after the other, in units of its plain scale.
class ScaleSearch
{
public:
    explicit ScaleSearch(CodeRange codes) : m_codes(codes) {}

    /// The cell that is next.
    void begin(std::span<const float> values, std::span<const float> masses, const QuantGrid &plain)
    {
        m_plain = plain;
        const std::size_t padded = (values.size() + kFitLanes - 1) / kFitLanes * kFitLanes;
        m_values.assign(padded, 0.0f);
        m_masses.assign(padded, 0.0f);
        m_least = m_largest = 0;
        const float inverse = 1.0f / plain.scale;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool counts = std::isfinite(values[i]);
            m_values[i] = counts ? values[i] * inverse : 0.0f;
            m_masses[i] = counts ? masses[i] : 0.0f;
            m_least = std::min(m_least, m_values[i]);
            m_largest = std::max(m_largest, m_values[i]);
        }
    }

    /// The best grid that was found; the plain one where none is better.
    QuantGrid find(bool movesZero)
    {
        m_best = tried(1, static_cast<std::int32_t>(m_plain.zero));
        if (!(m_best.sums.error > 0) || !std::isfinite(m_best.sums.error))
            return m_plain; // nothing to gain, or numbers that the sums cannot hold
        const double plain = m_best.sums.error;
        m_tried.clear();
        movesZero ? clipRanges() : clipScales();
        tryAll();
        m_bounds.clear();
        for (const Tried &one : m_tried)
            m_bounds.emplace_back(one.bound(), &one);
        constexpr std::size_t kRefined = 3;
        const std::size_t count = std::min(kRefined, m_bounds.size());
        std::partial_sort(m_bounds.begin(), m_bounds.begin() + static_cast<std::ptrdiff_t>(count),
                          m_bounds.end(),
                          [](const auto &a, const auto &b) { return a.first < b.first; });
        for (std::size_t i = 0; i < count; ++i)
            refine(*m_bounds[i].second, movesZero);
        const QuantGrid found = amongHalves();
        return m_best.sums.error < plain ? found : m_plain;
    }

private:
    FitSteps stepsOf(float scale, std::int32_t zero) const
    {
        return {scale, static_cast<float>(m_codes.low - zero),
                static_cast<float>(m_codes.high - zero)};
    }

    Tried tried(float scale, std::int32_t zero) const
    {
        return {scale, zero, sumFit(m_values, m_masses, stepsOf(scale, zero))};
    }

    /// Fills in the sums of all at once.
    void tryAll()
    {
        m_steps.clear();
        for (const Tried &one : m_tried)
            m_steps.push_back(stepsOf(one.scale, one.zero));
        m_sums.resize(m_tried.size());
        sumFits(m_values, m_masses, m_steps, m_sums);
        for (std::size_t i = 0; i < m_tried.size(); ++i)
            m_tried[i].sums = m_sums[i];
    }

    void clipScales()
    {
        constexpr int kSteps = 48;
        for (int i = -2; i <= kSteps; ++i)
            m_tried.push_back(
                {1 - static_cast<float>(i) / 64, static_cast<std::int32_t>(m_plain.zero), {}});
    }

    /// Ranges that leave out up to two fifths on either side.
    void clipRanges()
    {
        constexpr std::array<float, 6> kShares{1.0f, 0.92f, 0.84f, 0.76f, 0.68f, 0.6f};
        for (const float low : kShares) {
            if (m_least == 0 && low != 1)
                continue;
            for (const float high : kShares) {
                if (m_largest == 0 && high != 1)
                    continue;
                const float bottom = m_least * low;
                const float scale =
                    (m_largest * high - bottom) / static_cast<float>(m_codes.high - m_codes.low);
                if (!(scale > 0) || !std::isfinite(scale))
                    continue;
                const auto zero = static_cast<std::int32_t>(std::nearbyint(-bottom / scale));
                m_tried.push_back(
                    {scale, std::clamp(m_codes.low + zero, m_codes.low, m_codes.high), {}});
            }
        }
    }

    void keepIfBetter(const Tried &one)
    {
        if (one.betterThan(m_best))
            m_best = one;
    }

    /// Codes and scale by turns, each the best for the other.
    void refine(const Tried &start, bool movesZero)
    {
        constexpr int kRounds = 3;
        for (const std::int32_t shift : {0, -1, 1}) {
            const std::int32_t zero = start.zero + shift;
            if ((shift != 0 && !movesZero) || zero < m_codes.low || zero > m_codes.high)
                continue;
            Tried at = shift == 0 ? start : tried(start.scale, zero);
            keepIfBetter(at);
            for (int round = 0; round < kRounds && at.sums.square > 0; ++round) {
                const auto scale = static_cast<float>(at.sums.cross / at.sums.square);
                if (!(scale > 0) || scale == at.scale)
                    break;
                at = tried(scale, zero);
                keepIfBetter(at);
            }
        }
    }

    /// The best of the fp16 numbers around the scale that was found.
    QuantGrid amongHalves()
    {
        constexpr int kReach = 6;
        const Tried around = m_best;
        const int middle = floatToHalf(around.scale * m_plain.scale);
        m_best.sums.error = std::numeric_limits<double>::infinity();
        m_tried.clear();
        m_scales.clear();
        for (int step = 0; step <= 2 * kReach; ++step) {
            const int bits = middle + (step % 2 == 0 ? step / 2 : -(step + 1) / 2);
            if (bits < 1 || bits > kLargestHalf)
                continue;
            m_scales.push_back(halfToFloat(static_cast<std::uint16_t>(bits)));
            m_tried.push_back({m_scales.back() / m_plain.scale, around.zero, {}});
        }
        tryAll();
        QuantGrid grid = m_plain;
        for (std::size_t i = 0; i < m_tried.size(); ++i) {
            if (m_tried[i].betterThan(m_best)) {
                m_best = m_tried[i];
                grid = {m_scales[i], around.zero};
            }
        }
        return grid;
    }

    QuantGrid m_plain;
    CodeRange m_codes;
    std::vector<float> m_values;
    std::vector<float> m_masses;
    float m_least = 0;
    float m_largest = 0;
    Tried m_best;
    // What is tried together; kept from cell to cell, of which a weight has many.
    std::vector<Tried> m_tried;
    std::vector<std::pair<double, const Tried *>> m_bounds;
    std::vector<FitSteps> m_steps;
    std::vector<FitSums> m_sums;
    std::vector<float> m_scales; ///< of amongHalves
};

StepRun stepsOfGrid(const QuantGrid &grid, CodeRange codes)
{
    return {grid.scale, static_cast<std::int32_t>(grid.zero), codes.low, codes.high};
}

/// The error of what the codes decode to.
double storedError(std::span<const float> values, std::span<const float> masses,
                   const QuantGrid &grid, CodeRange codes)
{
    constexpr std::size_t kPart = 1024;
    std::array<std::uint8_t, kPart> bytes;
    std::array<float, kPart> floats;
    std::array<std::uint16_t, kPart> halves;
    const bool negative = codes.low < 0;
    double error = 0;
    for (std::size_t at = 0; at < values.size(); at += kPart) {
        const auto part = values.subspan(at, std::min(kPart, values.size() - at));
        quantizeSteps(part, stepsOfGrid(grid, codes), std::span(bytes).first(part.size()));
        for (std::size_t i = 0; i < part.size(); ++i) {
            const int code = negative ? static_cast<std::int8_t>(bytes[i]) : int{bytes[i]};
            floats[i] = grid.scale * static_cast<float>(code - static_cast<int>(grid.zero));
        }
        convertFloatToHalf(std::span<const float>(floats).first(part.size()),
                           std::span(halves).first(part.size()));
        convertHalfToFloat(std::span<const std::uint16_t>(halves).first(part.size()),
                           std::span(floats).first(part.size()));
        for (std::size_t i = 0; i < part.size(); ++i) {
            const double off = static_cast<double>(floats[i]) - static_cast<double>(part[i]);
            if (std::isfinite(part[i]) && masses[at + i] > 0)
                error += static_cast<double>(masses[at + i]) * off * off;
        }
    }
    return error;
}

/// The values of a cell, one after the other; copied where they do not lie so.
std::span<const float> gathered(std::span<const float> values, const ScaleCells &cells,
                                std::size_t cell, std::vector<float> &buffer)
{
    if (cells.repeats == 1)
        return values.subspan(cells.startOf(cell, 0), cells.length);
    buffer.clear();
    for (std::size_t repeat = 0; repeat < cells.repeats; ++repeat) {
        const auto run = values.subspan(cells.startOf(cell, repeat), cells.length);
        buffer.insert(buffer.end(), run.begin(), run.end());
    }
    return buffer;
}

/// Codes of the whole weight, narrow ones a byte each until they are packed.
class CodeStore
{
public:
    explicit CodeStore(EncodedPart &data) : m_data(data) {}

    void set(std::span<const float> values, const StepRun &steps, std::size_t first)
    {
        const unsigned width = bitWidth(m_data.type);
        if (width == 8) {
            quantizeSteps(values, steps,
                          std::span(reinterpret_cast<std::uint8_t *>(m_data.bytes.data()),
                                    m_data.bytes.size())
                              .subspan(first, values.size()));
            return;
        }
        m_codes.resize(values.size());
        quantizeSteps(values, steps, m_codes);
        packCodes(m_codes, width, first, m_data.bytes);
    }

private:
    EncodedPart &m_data;
    std::vector<std::uint8_t> m_codes;
};

QuantGrid gridOfRange(const RunRange &range, ElementType codeType, bool symmetric)
{
    const std::int64_t low = smallestCode(codeType);
    const std::int64_t high = largestCode(codeType);
    if (!symmetric)
        return rangeGrid(range.least, range.largest, low, high);
    const std::array<float, 2> ends{range.least, range.largest};
    // Unsigned codes have their zero in the middle: 128 of 0 to 255.
    const std::int64_t zero = isSignedInteger(codeType) ? 0 : (high + 1) / 2;
    return symmetricGrid(ends, static_cast<double>((high - low) / 2), zero);
}

/// Channels up to this length (256 KiB) stay near until their codes are made.
constexpr std::uint64_t kNearValues = 65536;

/// Codes at the end of `bytes`, a part at a time that stays in a cache.
void appendCodes(std::span<const float> values, const StepRun &steps, std::vector<std::byte> &bytes)
{
    constexpr std::size_t kPart = 4096;
    std::array<std::uint8_t, kPart> codes;
    for (std::size_t at = 0; at < values.size(); at += kPart) {
        const auto part = values.subspan(at, std::min(kPart, values.size() - at));
        const auto some = std::span(codes).first(part.size());
        quantizeSteps(part, steps, some);
        const auto more = std::as_bytes(std::span<const std::uint8_t>(some));
        bytes.insert(bytes.end(), more.begin(), more.end());
    }
}

Result<void> checkAffine(std::span<const float> values, const Shape &shape,
                         const AffineOptions &options)
{
    TRY(checkValues(values, shape));
    const unsigned bits = bitWidth(options.codeType);
    const bool integer = isSignedInteger(options.codeType) || isUnsignedInteger(options.codeType);
    const bool packs = bits <= 4 || bits == 6 || bits == 8; // widths that packCodes has
    if (!integer || !packs || (bits == 1 && options.symmetric))
        return tl::unexpected(badArgument("codeType", "1 (not symmetric) to 4, 6 or 8 bits",
                                          std::string(elementTypeName(options.codeType)),
                                          "Such codes are not affine"));
    if (options.axis && *options.axis >= shape.size())
        return tl::unexpected(badArgument("axis", fmt::format("below {}", shape.size()),
                                          fmt::format("{}", *options.axis),
                                          "The shape has no such axis"));
    return {};
}

Result<void> checkBlockwise(const Shape &shape, const BlockwiseOptions &options)
{
    const ElementType codeType = options.codeType;
    const bool legal = codeType == ElementType::Int4 || codeType == ElementType::Uint4 ||
                       codeType == ElementType::Int8 || codeType == ElementType::Uint8;
    if (!legal)
        return tl::unexpected(badArgument("codeType", "int4, uint4, int8 or uint8",
                                          std::string(elementTypeName(codeType)),
                                          "Blockwise codes have 4 or 8 bits"));
    if (!options.withOffset && !isSignedInteger(codeType))
        return tl::unexpected(badArgument("withOffset", "true for unsigned codes", "false",
                                          "Unsigned codes without an offset have no negatives"));
    if (options.axis >= shape.size() || options.block == 0 ||
        shape[options.axis] % options.block != 0)
        return tl::unexpected(badArgument(
            "block", "a size that divides the axis",
            fmt::format("{} along axis {} of {}", options.block, options.axis, shapeText(shape)),
            "The blocks do not divide the axis"));
    return {};
}

/// `axis`: that of the channels; none: one scale for all.
ScaleCells affineCells(const Shape &shape, std::optional<std::uint64_t> axis)
{
    ScaleCells cells;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (axis && i == *axis)
            cells.cells = shape[i];
        else
            (axis && i < *axis ? cells.repeats : cells.length) *= shape[i];
    }
    return cells;
}

/// The blocks divide the extent of their axis. The cells of blockScales().
ScaleCells blockCells(const Shape &shape, const BlockwiseOptions &options)
{
    const std::uint64_t axis = options.axis, blocks = shape[axis] / options.block;
    const bool channelsBehind = options.channels > axis;
    ScaleCells cells;
    // Blocks that channels lie behind are walked in runs: an element of a block, then all channels.
    (channelsBehind ? cells.outer : cells.cells) = blocks;
    (channelsBehind ? cells.repeats : cells.length) = options.block;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i == axis)
            continue;
        if (i < axis)
            (i <= options.channels ? cells.outer : cells.repeats) *= shape[i];
        else
            (i <= options.channels ? cells.cells : cells.length) *= shape[i];
    }
    return cells;
}

/// Moves each scale of a weight that was encoded plainly from `values`, so that the error by
/// `masses` (as many as values) becomes as small as a search finds: sizes of steps from 3 % above
/// the plain one's down to a quarter of it, then least squares, then the fp16 numbers around. With
/// `movesZero` zero points as well. A scale stays where nothing smaller is found; the error that
/// counts is that of the fp16 numbers which the codes stand for.
void fitScales(EncodedWeight &weight, const ScaleCells &cells, std::span<const float> values,
               std::span<const float> masses, bool movesZero)
{
    EncodedPart *const data = weight.part(PartRole::Data);
    EncodedPart *const scale = weight.part(PartRole::Scale);
    EncodedPart *zero = weight.part(PartRole::ZeroPoint);
    if (zero == nullptr)
        zero = weight.part(PartRole::Offset);
    if (data == nullptr || scale == nullptr || values.empty())
        return;
    const CodeRange codes(data->type, !movesZero);
    CodeStore store(*data);
    ScaleSearch search(codes);
    std::vector<float> valueBuffer, massBuffer;
    for (std::size_t cell = 0; cell < cells.outer * cells.cells; ++cell) {
        const auto some = gathered(values, cells, cell, valueBuffer);
        const auto weighing = gathered(masses, cells, cell, massBuffer);
        const auto half = loadCode(scale->bytes, ElementType::Fp16, cell);
        const QuantGrid plain{halfToFloat(static_cast<std::uint16_t>(half)),
                              zero == nullptr ? 0 : loadCode(zero->bytes, zero->type, cell)};
        search.begin(some, weighing, plain);
        const QuantGrid found = search.find(movesZero);
        if ((found.scale == plain.scale && found.zero == plain.zero) ||
            !(storedError(some, weighing, found, codes) <
              storedError(some, weighing, plain, codes)))
            continue;
        storeCode(*scale, cell, floatToHalf(found.scale));
        if (zero != nullptr)
            storeCode(*zero, cell, found.zero);
        for (std::size_t repeat = 0; repeat < cells.repeats; ++repeat) {
            const std::size_t first = cells.startOf(cell, repeat);
            store.set(values.subspan(first, cells.length), stepsOfGrid(found, codes), first);
        }
    }
}

/// Codes, scales and zeros (of role `zeros`) by the range of each cell's values.
EncodedWeight plainWeight(std::span<const float> values, const Shape &shape,
                          const ScaleCells &cells, const Shape &scaleShape, ElementType codeType,
                          bool symmetric, PartRole zeros)
{
    const CodeRange range(codeType, symmetric);
    // Of cells that lie one after the other the codes are appended: nothing is written twice.
    const bool inOrder = cells.repeats == 1;
    const bool bytes = bitWidth(codeType) == 8; // others are packed at the end
    EncodedPart data =
        makePart(PartRole::Data, bytes ? codeType : ElementType::Uint8, inOrder ? Shape{0} : shape);
    data.shape = shape;
    reserveLarge(data.bytes, values.size());
    EncodedPart scale = makePart(PartRole::Scale, ElementType::Fp16, scaleShape);
    EncodedPart zero = makePart(zeros, codeType, scaleShape);
    const auto codes =
        std::span(reinterpret_cast<std::uint8_t *>(data.bytes.data()), data.bytes.size());
    const std::size_t count = cells.outer * cells.cells;
    for (std::size_t cell = 0; cell < count; ++cell) {
        RunRange found;
        for (std::size_t repeat = 0; repeat < cells.repeats; ++repeat)
            found = rangeOf(values.subspan(cells.startOf(cell, repeat), cells.length), found);
        const QuantGrid grid = gridOfRange(found, codeType, symmetric);
        StepRun steps = stepsOfGrid(grid, range);
        if (inOrder) {
            if (cells.length <= kNearValues && cell + 1 < count)
                steps.ahead = cells.length; // the range of the next cell comes next
            appendCodes(values.subspan(cells.startOf(cell, 0), cells.length), steps, data.bytes);
        }
        for (std::size_t repeat = 0; !inOrder && repeat < cells.repeats; ++repeat) {
            const std::size_t at = cells.startOf(cell, repeat);
            quantizeSteps(values.subspan(at, cells.length), steps, codes.subspan(at, cells.length));
        }
        storeCode(scale, cell, floatToHalf(grid.scale));
        storeCode(zero, cell, grid.zero);
    }
    if (!bytes) {
        EncodedPart packed = makePart(PartRole::Data, codeType, shape);
        packCodes(
            std::span(reinterpret_cast<const std::uint8_t *>(data.bytes.data()), data.bytes.size()),
            bitWidth(codeType), 0, packed.bytes);
        data = std::move(packed);
    }
    EncodedWeight weight;
    weight.shape = shape;
    weight.parts.push_back(std::move(data));
    weight.parts.push_back(std::move(scale));
    weight.parts.push_back(std::move(zero));
    return weight;
}

} // namespace

Result<EncodedWeight> encodeAffine(std::span<const float> values, const Shape &shape,
                                   const AffineOptions &options, std::span<const float> masses)
{
    TRY(checkAffine(values, shape, options));
    const ScaleCells cells = affineCells(shape, options.axis);
    EncodedWeight weight =
        plainWeight(values, shape, cells, options.axis ? Shape{cells.cells} : Shape{},
                    options.codeType, options.symmetric, PartRole::ZeroPoint);
    weight.scaling = Scaling::Kind::Affine;
    weight.axis = options.axis.value_or(0);
    if (!masses.empty())
        fitScales(weight, cells, values, masses, !options.symmetric);
    return weight;
}

Shape blockScales(const Shape &shape, const BlockwiseOptions &options)
{
    Shape scales(shape.size(), 1);
    for (std::size_t i = 0; i < shape.size() && i <= options.channels; ++i)
        scales[i] = shape[i];
    scales[options.axis] = shape[options.axis] / options.block;
    return scales;
}

Result<EncodedWeight> encodeBlockwise(std::span<const float> values, const Shape &shape,
                                      const BlockwiseOptions &options,
                                      std::span<const float> masses)
{
    TRY(checkValues(values, shape));
    TRY(checkBlockwise(shape, options));
    const ScaleCells cells = blockCells(shape, options);
    EncodedWeight weight = plainWeight(values, shape, cells, blockScales(shape, options),
                                       options.codeType, !options.withOffset, PartRole::Offset);
    weight.scaling = Scaling::Kind::Blockwise;
    if (!options.withOffset)
        weight.parts.pop_back();
    if (!masses.empty())
        fitScales(weight, cells, values, masses, options.withOffset);
    return weight;
}

} // namespace kernscope::codec
