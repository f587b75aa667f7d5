// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/structures.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

namespace kernscope::audit {

namespace {

/// A run of indices of an axis that hold those from `source` on.
struct Run {
    std::uint64_t first = 0, end = 0, source = 0;
};

double squareOf(double value)
{
    return value * value;
}

/// What is said of the indices `lines` of an axis, each of which holds that of `sources`.
std::string orderText(std::string_view line, std::size_t axis,
                      const std::vector<std::uint64_t> &lines,
                      const std::vector<std::uint64_t> &sources, std::uint64_t extent)
{
    std::map<std::uint64_t, std::size_t> shifts;
    std::vector<Run> runs;
    std::size_t moved = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        ++shifts[(lines[i] + extent - sources[i]) % extent];
        if (lines[i] == sources[i])
            continue;
        ++moved;
        if (!runs.empty() && runs.back().end == lines[i] &&
            runs.back().source + runs.back().end - runs.back().first == sources[i])
            ++runs.back().end;
        else
            runs.push_back({lines[i], lines[i] + 1, sources[i]});
    }
    const std::string begin = fmt::format("Its {}s (axis {}) stand in another order: ", line, axis);
    for (const auto &[by, count] : shifts) {
        if (by != 0 && 10 * count >= 9 * lines.size())
            return begin + fmt::format("each stands {} {}", std::min(by, extent - by),
                                       by <= extent - by ? "further" : "before its place");
    }
    const auto runText = [&](const Run &run) {
        return run.end == run.first + 1
                   ? fmt::format("{} {}", line, grouped(run.first))
                   : fmt::format("{}s {} to {}", line, grouped(run.first), grouped(run.end - 1));
    };
    if (lines.size() == extent && runs.size() == 2 && runs[0].source == runs[1].first &&
        runs[1].source == runs[0].first)
        return begin + fmt::format("{} and {} are exchanged", runText(runs[0]), runText(runs[1]));
    return begin + fmt::format("{} of {}{} hold another one ({} {} holds {})", grouped(moved),
                               grouped(lines.size()), lines.size() == extent ? "" : " looked at",
                               line, grouped(runs[0].first), grouped(runs[0].source));
}

std::optional<Explanation> orderAlong(const Subject &subject, const Surroundings &about,
                                      std::size_t axis)
{
    constexpr std::uint64_t kShortest = 8, kFewElements = 64, kManyElements = 1024;
    constexpr std::uint64_t kMostElements = 1U << 16, kMostProducts = 1U << 29;
    constexpr double kWell = 0.25; // small lines are off by more than the form's error of all
    const Reference &reference = *subject.reference;
    const std::uint64_t extent = reference.shape[axis];
    std::uint64_t inner = 1;
    for (std::size_t i = axis + 1; i < reference.shape.size(); ++i)
        inner *= reference.shape[i];
    if (extent < 2 || subject.elements() / extent < kShortest)
        return std::nullopt;
    // Elements that stand for a line (all of one index), as those of the first one.
    std::vector<std::uint64_t> places =
        samplePlaces(subject.elements() / extent,
                     std::clamp(kMostElements / extent, kFewElements, kManyElements));
    for (std::uint64_t &place : places)
        place = place / inner * extent * inner + place % inner;
    const std::size_t count = places.size();
    std::vector<float> wanted(static_cast<std::size_t>(extent) * count), values(count);
    std::vector<double> sizes(static_cast<std::size_t>(extent), 0);
    for (std::size_t at = 0; at < wanted.size(); ++at) {
        reference.readPlain(places[at % count] + at / count * inner,
                            std::span(wanted).subspan(at, 1));
        sizes[at / count] += squareOf(static_cast<double>(wanted[at]));
    }
    const std::uint64_t some = std::max(kFewElements, kMostProducts / wanted.size());
    const auto lines = samplePlaces(extent, 2 * some >= extent ? extent : some);
    std::vector<std::uint64_t> sources, moved;
    // Before and after a batch norm was folded in; of all, and of those that are moved.
    struct Sums {
        double before = 0, after = 0, size = 0, own = 0;
        double left() const { return size > 0 ? std::sqrt(std::min(before, after) / size) : 0; }
    } all, elsewhere;
    for (const std::uint64_t line : lines) {
        for (std::size_t i = 0; i < count; ++i)
            subject.decoder.decodeFloat(places[i] + line * inner, std::span(values).subspan(i, 1));
        const auto like = [&](std::uint64_t other) {
            const float *from = wanted.data() + static_cast<std::size_t>(other) * count;
            float product = 0;
            for (std::size_t i = 0; i < count; ++i)
                product += values[i] * from[i];
            const double size = sizes[static_cast<std::size_t>(other)];
            return size > 0 ? squareOf(static_cast<double>(product)) / size : 0;
        };
        std::uint64_t source = line;
        double most = 1.0001 * like(line); // what is equal stays
        for (std::uint64_t other = 0; other < extent; ++other) {
            if (const double is = like(other); is > most) {
                most = is;
                source = other;
            }
        }
        sources.push_back(source);
        if (source != line)
            moved.push_back(line);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t to = places[i] + line * inner, from = places[i] + source * inner;
            if (subject.sparse() && !subject.decoder.stored(to))
                continue;
            const auto at = [&](std::uint64_t index) {
                return static_cast<double>(wanted[static_cast<std::size_t>(index) * count + i]);
            };
            const auto value = static_cast<double>(values[i]),
                       here = static_cast<double>(reference.factorOf(to));
            Sums sums;
            sums.before = squareOf(value - at(source) * here);
            sums.after =
                squareOf(value - at(source) * static_cast<double>(reference.factorOf(from)));
            sums.own = squareOf(value - at(line) * here);
            sums.size = squareOf(at(source) * here);
            for (Sums *each : {&all, &elsewhere}) {
                if (each == &elsewhere && source == line)
                    continue;
                each->before += sums.before;
                each->after += sums.after;
                each->own += sums.own;
                each->size += sums.size;
            }
        }
    }
    const std::set<std::uint64_t> distinct(sources.begin(), sources.end());
    const double left = elsewhere.left(), before = std::sqrt(elsewhere.own / elsewhere.size);
    if (elsewhere.size == 0 || 10 * distinct.size() < 9 * lines.size() ||
        !(left <= kWell * before || about.explains(left, before)) ||
        !about.explains(all.left(), HUGE_VAL))
        return std::nullopt;
    Explanation found{Kind::ChannelOrder,
                      orderText(axis == 0 ? "row" : "column", axis, lines, sources, extent),
                      all.left()};
    if (axis == 0 && lines.size() == extent)
        found.rows = rowRuns(moved);
    return found;
}

} // namespace

std::optional<Explanation> channelOrder(const Subject &subject, const Surroundings &about)
{
    for (std::size_t axis = 0; axis < subject.reference->shape.size(); ++axis) {
        if (auto found = orderAlong(subject, about, axis))
            return found;
    }
    return std::nullopt;
}

} // namespace kernscope::audit
