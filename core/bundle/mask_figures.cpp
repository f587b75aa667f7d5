// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/mask_figures.h"

#include "core/bundle/bundle.h"
#include "core/bundle/statistics.h"
#include "core/codec/decode/decoder.h"

#include <numeric>

namespace kernscope {

namespace {

/// Output channels up to which a density is computed for each.
constexpr std::uint64_t kMostPlottedChannels = std::uint64_t{1} << 20;

/// Elements that an entry of the mask stands for.
std::uint64_t vectorOf(const Weight &weight)
{
    const codec::Palette *palette = weight.form.palette();
    return palette ? palette->vector : 1;
}

} // namespace

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
