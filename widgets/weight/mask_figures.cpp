// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/mask_figures.h"

#include "core/bundle/statistics.h"
#include "widgets/common/counted_words.h"
#include "widgets/common/table_text.h"

#include <QCoreApplication>

#include <numeric>

namespace kernscope::ui {

namespace {

struct MaskWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::MaskFigures)
};

/// Output channels up to which a density is computed for each.
constexpr std::uint64_t kMaxChannels = std::uint64_t{1} << 20;

} // namespace

Result<MaskFigures> MaskFigures::compute(const Bundle &bundle, std::size_t weight,
                                         Progress &progress)
{
    const BundleReadLock lock(bundle);
    const Weight &shown = bundle.weights()[weight];
    MaskFigures figures;
    figures.elements = shown.elements.value;
    progress.setTotal(figures.elements);
    const bool plotted = shown.shape.size() > 1 && shown.shape[0] <= kMaxChannels;
    if (plotted) {
        auto channels = channelDensity(bundle, weight, &progress);
        if (!channels)
            return tl::unexpected(channels.error());
        figures.channels = std::move(*channels);
        figures.perChannel =
            figures.channels.empty() ? 0 : figures.elements / figures.channels.size();
        figures.kept =
            std::accumulate(figures.channels.begin(), figures.channels.end(), std::uint64_t{0});
    }
    if (shown.has(codec::PartRole::Mask)) {
        const auto decoder = bundle.decoder(weight);
        if (!decoder)
            return tl::unexpected(decoder.error());
        figures.survivors = decoder->payloadElements().value;
        figures.kept = decoder->rank(figures.elements);
    } else if (!plotted) {
        const auto statistics = computeStatistics(bundle, weight, {}, &progress);
        if (!statistics)
            return tl::unexpected(statistics.error());
        figures.kept = statistics->elements - statistics->zeros;
    }
    return figures;
}

QString MaskFigures::text(bool masked) const
{
    const double density =
        elements == 0 ? 0 : static_cast<double>(kept) / static_cast<double>(elements);
    QString words =
        (masked ? MaskWords::tr("%1 of %2 kept (%3)") : MaskWords::tr("%1 of %2 not zero (%3)"))
            .arg(groupedNumber(kept), groupedNumber(elements), percentText(density));
    if (masked)
        words += countedWords(survivors, MaskWords::tr(" \u00B7 1 value stored"),
                              MaskWords::tr(" \u00B7 %1 values stored"));
    if (masked && survivors != kept)
        words += MaskWords::tr(" \u2260 the mask and its values disagree");
    return words;
}

} // namespace kernscope::ui
