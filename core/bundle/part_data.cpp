// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/part_data.h"

#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/statistics.h"
#include "core/codec/decode/decoder.h"
#include "core/container/mil/program.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope {

namespace {

Error codebookFault(const char *message)
{
    return ErrorBuilder("codec.codebook").field("lut").message(message);
}

/// Whether each value of a codebook differs from the disk; empty where none does.
std::vector<bool> changedValues(const Bundle &bundle, std::size_t programFile,
                                const codec::Operand &lut, std::size_t count)
{
    const OperandPlace &stored = *lut.place;
    std::vector<bool> changed(count);
    bool any = false;
    const std::uint64_t width = bitWidth(lut.type);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t first = i * width / 8, last = ((i + 1) * width - 1) / 8;
        if (!stored.isLiteral()) {
            std::uint64_t place = 8 * stored.dataOffset.value + i * width;
            if (lut.order && i < lut.order->elements())
                lut.order->positions(i, std::span(&place, 1));
            changed[i] = bundle.files()[stored.file].file->changed(
                {FileOffset(place / 8), ByteCount((place + width + 7) / 8 - place / 8)});
        } else if (stored.literal && programFile != kNoIndex) {
            const auto &spans = stored.literal->elementSpans;
            const OverlaidFile &program = *bundle.files()[programFile].file;
            if (stored.literal->packedSpan && !spans.empty())
                changed[i] = program.changed(
                    {FileOffset(spans[0].offset + first), ByteCount(last - first + 1)});
            else if (i < spans.size())
                changed[i] =
                    program.changed({FileOffset(spans[i].offset), ByteCount(spans[i].length)});
        }
        any = any || changed[i];
    }
    return any ? changed : std::vector<bool>();
}

constexpr std::uint64_t kProgressEvery = 1u << 14;

Result<std::vector<double>> valuesOf(const Bundle &bundle, codec::Operand operand,
                                     Progress &progress)
{
    operand.bytes = bundle.operandBytes(operand);
    std::uint64_t count = 1;
    for (const std::uint64_t extent : operand.shape)
        count *= extent; // the reader checked the product against the operand's bytes
    std::vector<double> values;
    values.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        if (i % kProgressEvery == 0 && progress.cancelled())
            return ErrorBuilder("task.cancelled").message("cancelled").unexpected();
        values.push_back(
            codec::operandValue(operand, i).value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    return values;
}

/// Output channels up to which a density is computed for each.
constexpr std::uint64_t kMostPlottedChannels = std::uint64_t{1} << 20;

/// Elements that an entry of the mask stands for.
std::uint64_t vectorOf(const Weight &weight)
{
    const codec::Palette *palette = weight.form.palette();
    return palette ? palette->vector : 1;
}

} // namespace

Result<CodebookData> CodebookData::read(const Bundle &bundle, std::size_t weight,
                                        const codec::Decoder &decoder)
{
    const codec::Operand *lut = bundle.weights()[weight].operand(codec::PartRole::Lut);
    const auto values = decoder.codebookValues();
    if (!lut || lut->shape.empty() || values.empty())
        return tl::unexpected(codebookFault("The weight has no codebook that can be read."));
    CodebookData data;
    const std::size_t rank = lut->shape.size();
    data.vector = rank == 1 ? 1 : lut->shape[rank - 1];
    data.entries = rank == 1 ? lut->shape[0] : lut->shape[rank - 2];
    // Codebooks of a weight section have no axis for the vector.
    const codec::Palette *palette = bundle.weights()[weight].form.palette();
    if (palette && palette->entries != 0) {
        data.vector = std::max<std::uint64_t>(palette->vector, 1);
        data.entries = palette->entries;
    }
    const auto one = checkedMultiply(data.entries, data.vector);
    if (!one || *one == 0 || values.size() % *one != 0)
        return tl::unexpected(codebookFault("The extents of the codebook do not agree."));
    data.codebooks = values.size() / *one;
    data.values.assign(values.begin(), values.end());
    data.type = lut->type;
    data.indexBits =
        static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(data.entries, 2) - 1));
    data.changed = changedValues(bundle, bundle.programFileOf(bundle.weights()[weight].model), *lut,
                                 data.values.size());
    return data;
}

std::vector<std::size_t> CodebookData::duplicates(std::uint64_t codebook) const
{
    std::vector<std::size_t> found(static_cast<std::size_t>(entries), kNoIndex);
    std::map<std::vector<std::uint32_t>, std::size_t> first;
    for (std::size_t entry = 0; entry < found.size(); ++entry) {
        std::vector<std::uint32_t> bits;
        for (std::size_t lane = 0; lane < vector; ++lane)
            bits.push_back(std::bit_cast<std::uint32_t>(values[at(codebook, entry) + lane]));
        const auto [place, fresh] = first.emplace(std::move(bits), entry);
        if (!fresh)
            found[entry] = place->second;
    }
    return found;
}

bool ScaleData::has(const Weight &weight)
{
    const codec::Operand *scale = weight.operand(codec::PartRole::Scale);
    return scale != nullptr && scale->type != ElementType::Unknown;
}

Result<ScaleData> ScaleData::read(const Bundle &bundle, std::size_t index, Progress &progress)
{
    const Weight &weight = bundle.weights()[index];
    const codec::Operand *scale = weight.operand(codec::PartRole::Scale);
    if (!scale)
        return ErrorBuilder("scale.none").message("The weight has no scales.").unexpected();
    ScaleData data;
    data.shape = scale->shape;
    data.exponents = scale->type == ElementType::Fp8E8M0;
    data.scales = TRY(valuesOf(bundle, *scale, progress));
    for (const auto role : {codec::PartRole::ZeroPoint, codec::PartRole::Offset}) {
        const codec::Operand *zero = weight.operand(role);
        if (!zero)
            continue;
        data.zeros = TRY(valuesOf(bundle, *zero, progress));
        data.zeroPoints = role == codec::PartRole::ZeroPoint;
        if (data.scales.size() == 1 && data.zeros.size() > 1)
            data.shape = zero->shape;
        break;
    }
    const codec::Scaling *scaling = weight.form.scaling();
    if (scaling)
        data.axis = scaling->axis;
    const codec::Operand *bias =
        scaling && scaling->bias ? codec::storedOperand(*scaling->bias) : nullptr;
    if (!bias)
        return data;
    auto biases = TRY(valuesOf(bundle, *bias, progress));
    const bool fits = biases.size() == 1 || biases.size() == data.rows();
    if (fits && std::ranges::any_of(biases, [](double each) { return each != 0; }))
        data.biases = std::move(biases);
    return data;
}

std::optional<std::size_t> ScaleData::zeroPlace(std::size_t row) const
{
    if (zeros.size() == rows())
        return row;
    return zeros.size() == 1 ? std::optional<std::size_t>(0) : std::nullopt;
}

std::optional<double> ScaleData::zeroOf(std::size_t row) const
{
    const auto place = zeroPlace(row);
    return place ? std::optional(zeros[*place]) : std::nullopt;
}

std::optional<int> ScaleData::exponentOf(std::size_t row) const
{
    const double scale = scaleOf(row);
    return exponents && std::isfinite(scale) && scale > 0 ? std::optional(std::ilogb(scale))
                                                          : std::nullopt;
}

std::string ScaleData::placeOf(std::size_t row) const
{
    std::vector<std::uint64_t> indices; // innermost first
    std::uint64_t rest = row;
    for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
        if (*extent > 1)
            indices.push_back(rest % *extent);
        rest /= std::max<std::uint64_t>(*extent, 1);
    }
    if (indices.empty())
        return std::to_string(row);
    return fmt::format("{}", fmt::join(indices.rbegin(), indices.rend(), ", "));
}

Result<MaskFigures> MaskFigures::compute(const Bundle &bundle, std::size_t weight,
                                         Progress &progress)
{
    const Weight &shown = bundle.weights()[weight];
    MaskFigures figures;
    figures.elements = shown.elements.value;
    progress.setTotal(figures.elements);
    const bool plotted = shown.shape.size() > 1 && shown.shape[0] <= kMostPlottedChannels;
    if (plotted) {
        figures.channels = TRY(channelDensity(bundle, weight, &progress));
        figures.perChannel =
            figures.channels.empty() ? 0 : figures.elements / figures.channels.size();
        figures.kept =
            std::accumulate(figures.channels.begin(), figures.channels.end(), std::uint64_t{0});
    }
    if (shown.has(codec::PartRole::Mask)) {
        const auto decoder = TRY(bundle.decoder(weight));
        figures.survivors = decoder.payloadElements().value;
        if (!plotted) // else counted above
            figures.kept = decoder.rank(figures.elements) * vectorOf(shown);
    } else if (!plotted) {
        const auto statistics = TRY(computeStatistics(bundle, weight, {}, &progress));
        figures.kept = statistics.elements - statistics.zeros;
    }
    return figures;
}

} // namespace kernscope
