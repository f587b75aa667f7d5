// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/find.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/decode_blocks.h"
#include "core/bundle/stored_values.h"
#include "core/numeric/half.h"
#include "core/search/byte_scan.h"
#include "core/search/largest.h"
#include "core/search/place.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace kernscope::search {

namespace {

constexpr std::uint64_t kBlock = 16384; ///< elements decoded at a time

/// What the weight's type makes of a value: what one that was typed in decimal is stored as.
double asStored(double value, ElementType type)
{
    const auto single = static_cast<float>(value);
    switch (type) {
    case ElementType::Fp16: return halfToFloat(doubleToHalf(value));
    case ElementType::Bf16: return bfloat16ToFloat(floatToBfloat16(single));
    case ElementType::Fp32: return single;
    case ElementType::Fp8E4M3Fn: return e4m3ToFloat(floatToE4m3(single));
    case ElementType::Fp8E5M2: return e5m2ToFloat(floatToE5m2(single));
    default: return value; // integers are what they are
    }
}

using Fits = std::function<bool(const ElementValue &)>;

Fits testOf(const Query &query, ElementType type)
{
    switch (query.what) {
    case What::NotANumber: return [](const ElementValue &of) { return std::isnan(of.value); };
    case What::Infinite: return [](const ElementValue &of) { return std::isinf(of.value); };
    case What::ZeroValues: return [](const ElementValue &of) { return of.value == 0; };
    default: break;
    }
    if (query.tolerance)
        return [wanted = query.value, within = *query.tolerance](const ElementValue &of) {
            return std::abs(of.value - wanted) <= within;
        };
    return [wanted = asStored(query.value, type), wide = query.wide](const ElementValue &of) {
        return of.wide && wide ? *of.wide == *wide : of.value == wanted;
    };
}

/// Gathers hits up to the limit.
class Gathering
{
public:
    Gathering(Found &found, std::size_t most) : m_found(found), m_most(most) {}

    /// False where there is no room for another one.
    bool add(Hit hit)
    {
        if (m_found.hits.size() >= m_most) {
            m_found.complete = false;
            return false;
        }
        m_found.hits.push_back(hit);
        return true;
    }

private:
    Found &m_found;
    std::size_t m_most;
};

/// Runs of elements that fit, one after the other; each of its own where runs do not count.
class Runs
{
public:
    Runs(std::size_t weight, const Query &query, Gathering &out)
        : m_weight(weight), m_least(query.what == What::ZeroValues ? query.least : 1),
          m_joined(query.what == What::ZeroValues), m_out(out)
    {
    }

    bool take(std::uint64_t element, const ElementValue &value, bool fits)
    {
        if (!fits)
            return end();
        if (m_count > 0 && m_joined) {
            ++m_count;
            return true;
        }
        const bool room = end();
        m_first = element;
        m_value = value;
        m_count = 1;
        return room;
    }
    bool end()
    {
        const std::uint64_t count = std::exchange(m_count, 0);
        if (count == 0 || count < m_least)
            return true;
        Hit hit;
        hit.weight = m_weight;
        hit.element = m_first;
        hit.count = count;
        hit.value = m_value.value;
        hit.wide = m_value.wide;
        return m_out.add(hit);
    }

private:
    std::size_t m_weight;
    std::uint64_t m_least;
    bool m_joined;
    Gathering &m_out;
    std::uint64_t m_first = 0, m_count = 0;
    ElementValue m_value;
};

/// Calls `each(element, value)` for every element of a weight until it says false. False where it
/// did, or where asked to stop.
template <class Each>
Result<bool> eachElement(const Bundle &bundle, std::size_t index, Progress *progress,
                         const Each &each)
{
    const Weight &weight = bundle.weights()[index];
    if (weight.fault)
        return tl::unexpected(*weight.fault);
    const auto decoder = bundle.decoder(index);
    if (!decoder)
        return tl::unexpected(decoder.error());
    const std::uint64_t end = decoder->elements().value;
    std::vector<double> block(std::min(kBlock, end));
    const bool isUnsigned = decoder->type() == ElementType::Uint64;
    const bool wide =
        (isUnsigned || decoder->type() == ElementType::Int64) && plainOperand(*decoder) != nullptr;
    std::vector<std::int64_t> codes(wide ? block.size() : 0);
    for (std::uint64_t at = 0; at < end; at += block.size()) {
        const auto some = std::span(block).first(std::min<std::uint64_t>(block.size(), end - at));
        decodeDoubles(*decoder, at, some);
        if (wide)
            decoder->codes(at, std::span(codes).first(some.size()));
        for (std::size_t i = 0; i < some.size(); ++i) {
            ElementValue value{some[i], {}};
            if (wide)
                value.wide = wideInteger(codes[i], isUnsigned);
            if (!each(at + i, value))
                return false;
        }
        if (progress && !progress->advance(some.size()))
            return false;
    }
    return true;
}

/// False where the search is at its end: no room, or asked to stop.
Result<bool> findInElements(const Bundle &bundle, std::size_t index, const Query &query,
                            Gathering &out, Progress *progress)
{
    const Fits fits = testOf(query, bundle.weights()[index].type);
    Runs runs(index, query, out);
    const auto went =
        eachElement(bundle, index, progress, [&](std::uint64_t element, const ElementValue &value) {
            return runs.take(element, value, fits(value));
        });
    return went && *went ? Result<bool>(runs.end()) : went;
}

/// The same for stored codes.
Result<bool> findStrayCodes(const Bundle &bundle, std::size_t index, Gathering &out,
                            Progress *progress)
{
    return scanStrayCodes(
        bundle, index,
        [&](const StrayCode &stray) {
            Hit hit;
            hit.weight = index;
            hit.stray = stray;
            hit.file = stray.file;
            hit.bytes = stray.bytes;
            if (stray.file != kNoIndex)
                hit.section = bundle.sectionAt(stray.file, stray.bytes.offset);
            if (stray.ofMask || stray.file == kNoIndex)
                hit.element = stray.index;
            return out.add(hit);
        },
        progress);
}

Result<void> findElements(const Bundle &bundle, const Query &query, Found &found,
                          Progress *progress)
{
    Gathering out(found, query.most);
    Largest largest(query.most);
    const auto look = [&](std::size_t index) {
        if (query.what == What::OutOfRange)
            return findStrayCodes(bundle, index, out, progress);
        if (query.what != What::Largest)
            return findInElements(bundle, index, query, out, progress);
        return eachElement(bundle, index, progress,
                           [&](std::uint64_t element, const ElementValue &value) {
                               largest.take(index, element, value);
                               return true;
                           });
    };
    const bool one = query.weight != kNoIndex;
    const std::size_t begin = one ? query.weight : 0;
    const std::size_t end = one ? query.weight + 1 : bundle.weights().size();
    for (std::size_t i = begin; i < end && found.complete; ++i) {
        const auto went = look(i);
        if (!went && one)
            return tl::unexpected(went.error());
        if (!went) {
            Error fault = went.error();
            fault.message =
                fmt::format("{} is not searched: {}", bundle.weights()[i].name, fault.message);
            found.diagnostics.push_back({Severity::Error, std::move(fault)});
        }
        if (progress && progress->cancelled())
            return tl::unexpected(cancelledError());
    }
    if (query.what == What::Largest) {
        found.complete = largest.complete();
        found.hits = largest.take();
    }
    return {};
}

Result<void> findBytes(const Bundle &bundle, const Query &query, Found &found, Progress *progress)
{
    Gathering out(found, query.most);
    for (const Region &region : regionsOf(bundle, query.weight)) {
        const auto take = [&](std::uint64_t offset, std::uint64_t length) {
            Hit hit;
            hit.file = region.file;
            hit.bytes = ByteRange{FileOffset(offset), ByteCount(length)};
            hit.section = bundle.sectionAt(region.file, FileOffset(offset));
            if (hit.section < bundle.sections().size())
                hit.weight = bundle.sections()[hit.section].weight;
            return out.add(hit);
        };
        const auto bytes = bundle.files()[region.file].file->bytes();
        const bool on = query.what == What::ZeroBytes
                            ? scanZeros(bytes, region.range, query.least, take, progress)
                            : scanPattern(bytes, region.range, query.pattern, take, progress);
        if (progress && progress->cancelled())
            return tl::unexpected(cancelledError());
        if (!on)
            break;
    }
    return {};
}

Result<void> check(const Bundle &bundle, const Query &query)
{
    if (query.weight != kNoIndex && query.weight >= bundle.weights().size())
        return refused("search.weight", "weight", fmt::format("0 to {}", bundle.weights().size()),
                       fmt::format("{}", query.weight), "The bundle has no such weight");
    if (query.what == What::Bytes && query.pattern.value.empty())
        return refused("search.pattern", "pattern", "at least one byte", "none",
                       "There is nothing to search for");
    if (query.tolerance && !(*query.tolerance >= 0))
        return refused("search.pattern", "tolerance", "a number, 0 or more",
                       fmt::format("{}", *query.tolerance), "No element can be that near");
    if (query.what == What::Value && std::isnan(query.value))
        return refused("search.pattern", "value", "a number", "NaN",
                       "NaN equals nothing; NaNs are searched for by themselves");
    if (query.least == 0 || query.most == 0)
        return refused("search.pattern", query.least == 0 ? "length of a run" : "limit",
                       "1 or more", "0", "There is nothing to search for");
    return {};
}

} // namespace

bool ofElements(What what)
{
    return what != What::Bytes && what != What::ZeroBytes;
}

std::uint64_t workOf(const Bundle &bundle, const Query &query)
{
    std::uint64_t work = 0;
    if (!ofElements(query.what)) {
        for (const Region &region : regionsOf(bundle, query.weight))
            work += region.range.bytes.value;
        return work;
    }
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        if (query.weight == kNoIndex || query.weight == i)
            work += query.what == What::OutOfRange ? strayWork(weight) : weight.elements.value;
    }
    return work;
}

Result<Found> find(const Bundle &bundle, const Query &query, Progress *progress)
{
    if (auto sound = check(bundle, query); !sound)
        return tl::unexpected(std::move(sound.error()));
    Found found;
    auto went = ofElements(query.what) ? findElements(bundle, query, found, progress)
                                       : findBytes(bundle, query, found, progress);
    if (!went)
        return tl::unexpected(std::move(went.error()));
    return found;
}

std::string Hit::valueText() const
{
    if (wide)
        return wide->text();
    return value ? fmt::format("{}", *value) : std::string();
}

std::string elementAddress(const Weight &weight, std::uint64_t element)
{
    std::vector<std::uint64_t> indices(weight.shape.size());
    for (std::size_t axis = weight.shape.size(); axis-- > 0;) {
        const std::uint64_t extent = std::max<std::uint64_t>(weight.shape[axis], 1);
        indices[axis] = element % extent;
        element /= extent;
    }
    return fmt::format("{}[{}]", weight.findableName(), fmt::join(indices, ","));
}

std::string byteAddress(const Bundle &bundle, const Hit &hit)
{
    return byteAddress(bundle, hit.file, hit.bytes.offset);
}

} // namespace kernscope::search
