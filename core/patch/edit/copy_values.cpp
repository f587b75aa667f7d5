// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/copy_values.h"

#include "core/base/error_builder.h"
#include "core/bundle/pair_read_lock.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

constexpr std::uint64_t kCopyRun = 65536;

tl::unexpected<Error> cannotCopy(const Weight &weight, std::string expected, std::string found,
                                 std::string message)
{
    return ErrorBuilder("patch.copy")
        .field(weight.findableName())
        .expected(std::move(expected))
        .found(std::move(found))
        .message(std::move(message))
        .unexpected();
}

bool sameNumber(float a, float b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

} // namespace

Result<std::vector<Edit>> copyValues(const Bundle &to, std::size_t weightTo, const Bundle &from,
                                     std::size_t weightFrom, std::uint64_t first,
                                     std::uint64_t count, Progress *progress,
                                     const CopyFilter &filter)
{
    const PairReadLock lock(to, from);
    const auto target = to.decoder(weightTo), source = from.decoder(weightFrom);
    if (!target || !source)
        return tl::unexpected(target ? source.error() : target.error());
    const Weight &weight = to.weights()[weightTo];
    const std::uint64_t elements = target->elements().value;
    if (source->elements().value != elements)
        return cannotCopy(weight, fmt::format("{} elements", elements),
                          fmt::format("{} elements", source->elements().value),
                          "The two weights have different numbers of elements");
    if (first > elements || count > elements - first)
        return cannotCopy(weight, fmt::format("elements below {}", elements),
                          fmt::format("{} elements from {}", count, first),
                          "These elements leave the weight");
    std::vector<Edit> edits;
    std::vector<float> before(kCopyRun), after(kCopyRun);
    for (std::uint64_t at = first; at < first + count; at += kCopyRun) {
        const auto some = static_cast<std::size_t>(std::min(kCopyRun, first + count - at));
        target->decodeFloat(at, std::span(before).first(some));
        source->decodeFloat(at, std::span(after).first(some));
        for (std::size_t i = 0; i < some; ++i) {
            if (sameNumber(before[i], after[i]))
                continue;
            if (filter && !(std::isfinite(after[i]) &&
                            filter(static_cast<double>(before[i]), static_cast<double>(after[i]))))
                continue;
            if (!std::isfinite(after[i]))
                return cannotCopy(weight, "a finite value",
                                  fmt::format("{} at element {}", after[i], at + i),
                                  "Edits set finite values");
            if (edits.size() == kMostCopied)
                return cannotCopy(weight, fmt::format("at most {}", kMostCopied), "more",
                                  "Too many elements differ for edits of single elements");
            Edit edit;
            edit.kind = target->stored(at + i) ? Edit::Kind::Set : Edit::Kind::Keep;
            edit.weight = weight.findableName();
            edit.indices = {IndexRange{at + i, at + i + 1, false, true}};
            edit.value = static_cast<double>(after[i]);
            edits.push_back(std::move(edit));
        }
        if (progress != nullptr && !progress->advance(some))
            return tl::unexpected(cancelledError("The copy was cancelled"));
    }
    return edits;
}

} // namespace kernscope::patch
