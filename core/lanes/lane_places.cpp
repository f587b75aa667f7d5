// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lanes/lane_places.h"

#include "core/base/error_builder.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::lanes {

namespace {

constexpr std::uint64_t kMaxOffset = std::uint64_t{1} << 59;

} // namespace

Error placesError(std::string expected, std::string found)
{
    return ErrorBuilder("lanes.length")
        .field("slices")
        .expected(std::move(expected))
        .found(std::move(found))
        .message("The slices do not fit the weight's layout");
}

Result<std::uint64_t> extentOf(const SliceLayout &layout, const SlicePlaces &places, bool dense)
{
    if (places.starts.size() < layout.engines() || places.lengths.size() < layout.engines())
        return tl::unexpected(placesError(fmt::format("{} slices", layout.engines()),
                                          fmt::format("{}", places.starts.size())));
    std::uint64_t extent = 0;
    const auto include = [&](const std::vector<std::uint64_t> &starts) {
        for (std::uint64_t engine = 0; engine < layout.engines(); ++engine) {
            if (starts[engine] > kMaxOffset || places.lengths[engine] > kMaxOffset)
                return false;
            extent = std::max(extent, starts[engine] + places.lengths[engine]);
        }
        return true;
    };
    bool sound = include(places.starts);
    for (const auto &copy : places.copies)
        sound = sound && copy.size() >= layout.engines() && include(copy);
    if (!sound)
        return tl::unexpected(placesError("slices within the file", "one past its end"));
    for (std::uint64_t engine = 0; dense && engine < layout.engines(); ++engine) {
        if (places.lengths[engine] < layout.usedBytes(engine))
            return tl::unexpected(
                placesError(fmt::format("{} bytes in slice {}", layout.usedBytes(engine), engine),
                            fmt::format("{}", places.lengths[engine])));
    }
    return extent;
}

std::optional<LanePlace> sliceAt(const SlicePlaces &places, std::uint64_t engines,
                                 std::uint64_t byte)
{
    const auto among = [&](const std::vector<std::uint64_t> &starts) -> std::optional<LanePlace> {
        for (std::uint64_t engine = 0; engine < engines; ++engine) {
            if (byte >= starts[engine] && byte - starts[engine] < places.lengths[engine])
                return LanePlace{engine, byte - starts[engine]};
        }
        return std::nullopt;
    };
    auto place = among(places.starts);
    for (std::size_t i = 0; !place && i < places.copies.size(); ++i)
        place = among(places.copies[i]);
    return place;
}

void noteLayout(codec::LayoutNotes &notes, const SliceLayout &layout)
{
    const WeightExtents &g = layout.geometry();
    const SliceForm &form = layout.form();
    for (const std::uint64_t number :
         {g.outputs, g.inputs, g.depth, g.height, g.width, g.groups, std::uint64_t{g.bias},
          std::uint64_t{form.engines}, form.planeAlignment, form.sliceAlignment,
          std::uint64_t{form.narrowLast}, std::uint64_t{layout.chunks().size()}})
        notes.add(number);
    for (const Chunk &chunk : layout.chunks()) {
        notes.add(chunk.lanes);
        notes.add(chunk.channels);
    }
}

std::vector<std::span<const std::byte>>
slicesIn(std::span<const std::byte> bytes, const SliceLayout &layout, const SlicePlaces &places)
{
    std::vector<std::span<const std::byte>> slices;
    for (std::uint64_t engine = 0; engine < layout.engines(); ++engine)
        slices.push_back(bytes.subspan(places.starts[engine], places.lengths[engine]));
    return slices;
}

} // namespace kernscope::lanes
