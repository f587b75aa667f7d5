// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/bitpack.h"

#include <algorithm>
#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/numeric/unpack_codes.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/numeric/unpack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::HWY_NAMESPACE {

template <unsigned Width>
std::size_t unpackRunOf(const std::uint8_t *in, std::size_t inBytes, std::uint8_t *out,
                        std::size_t count)
{
    const CodeTag d;
    const std::size_t lanes = hn::Lanes(d);
    const std::size_t step = lanes / 8 * Width;
    const std::size_t reach = unpackReach<Width>();
    std::size_t done = 0;
    for (std::size_t at = 0; done + lanes <= count && at + reach <= inBytes;
         done += lanes, at += step)
        hn::StoreU(unpackVector<Width>(in + at), d, out + done);
    return done;
}

/// Unpacks from the start of a byte on; returns how many codes, all but the last few.
std::size_t unpackRun(const std::byte *stream, std::size_t bytes, unsigned width, std::uint8_t *out,
                      std::size_t count)
{
    const auto *in = reinterpret_cast<const std::uint8_t *>(stream);
    switch (width) {
    case 1: return unpackRunOf<1>(in, bytes, out, count);
    case 2: return unpackRunOf<2>(in, bytes, out, count);
    case 3: return unpackRunOf<3>(in, bytes, out, count);
    case 4: return unpackRunOf<4>(in, bytes, out, count);
    default: return unpackRunOf<6>(in, bytes, out, count);
    }
}

std::size_t signExtendRun(std::int8_t *codes, std::size_t count)
{
    const hn::ScalableTag<std::int8_t> d;
    const std::size_t lanes = hn::Lanes(d);
    const auto eight = hn::Set(d, 8);
    std::size_t done = 0;
    for (; done + lanes <= count; done += lanes) {
        const auto code = hn::LoadU(d, codes + done);
        hn::StoreU(hn::Sub(hn::Xor(code, eight), eight), d, codes + done);
    }
    return done;
}

/// Set bits of whole vectors of a run; `*counted` bytes are done.
std::uint64_t countRun(const std::byte *stream, std::size_t bytes, std::size_t *counted)
{
    const hn::ScalableTag<std::uint64_t> d;
    const hn::Repartition<std::uint8_t, decltype(d)> d8;
    const std::size_t step = hn::Lanes(d8);
    const auto *in = reinterpret_cast<const std::uint8_t *>(stream);
    auto sum = hn::Zero(d);
    std::size_t at = 0;
    for (; at + step <= bytes; at += step)
        sum = hn::Add(sum, hn::SumsOf8(hn::PopulationCount(hn::LoadU(d8, in + at))));
    *counted = at;
    return hn::GetLane(hn::SumOfLanes(d, sum));
}

} // namespace kernscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope {

HWY_EXPORT(unpackRun);
HWY_EXPORT(signExtendRun);
HWY_EXPORT(countRun);

void unpackCodes(std::span<const std::byte> stream, unsigned width, std::uint64_t first,
                 std::span<std::uint8_t> out)
{
    if (width == 8) {
        if (!out.empty())
            std::memcpy(out.data(), stream.data() + first, out.size());
        return;
    }
    // Up to the next group of eight codes, which starts at a whole byte.
    std::size_t done = 0;
    const auto head = std::min<std::size_t>(out.size(), (8 - first % 8) % 8);
    for (; done < head; ++done)
        out[done] = unpackCode(stream, width, first + done);
    if (done < out.size() && width != 5 && width != 7) {
        const auto rest = stream.subspan((first + done) / 8 * width);
        done += HWY_DYNAMIC_DISPATCH(unpackRun)(rest.data(), rest.size(), width, out.data() + done,
                                                out.size() - done);
    }
    for (; done < out.size(); ++done)
        out[done] = unpackCode(stream, width, first + done);
}

void unpackInt4(std::span<const std::byte> stream, std::uint64_t first, std::span<std::int8_t> out)
{
    unpackCodes(stream, 4, first,
                std::span(reinterpret_cast<std::uint8_t *>(out.data()), out.size()));
    for (std::size_t i = HWY_DYNAMIC_DISPATCH(signExtendRun)(out.data(), out.size());
         i < out.size(); ++i)
        out[i] = signExtendNibble(static_cast<std::uint8_t>(out[i]));
}

std::uint64_t countBits(std::span<const std::byte> stream, std::uint64_t first, std::uint64_t count)
{
    if (count == 0)
        return 0;
    const auto bitsOf = [](unsigned bits) {
        return static_cast<std::uint64_t>(std::popcount(bits));
    };
    const auto byteAt = [&](std::uint64_t i) { return std::to_integer<unsigned>(stream[i]); };
    const std::uint64_t end = first + count;
    if (first / 8 == end / 8) // within one byte
        return bitsOf(byteAt(first / 8) >> (first % 8) & ((1u << count) - 1u));
    std::uint64_t bits = 0;
    if (first % 8 != 0)
        bits += bitsOf(byteAt(first / 8) >> (first % 8));
    if (end % 8 != 0)
        bits += bitsOf(byteAt(end / 8) & ((1u << (end % 8)) - 1u));
    const std::uint64_t firstWhole = (first + 7) / 8;
    const auto whole = stream.subspan(firstWhole, end / 8 - firstWhole);
    std::size_t counted = 0;
    if (whole.size() >= 64)
        bits += HWY_DYNAMIC_DISPATCH(countRun)(whole.data(), whole.size(), &counted);
    for (; counted + 8 <= whole.size(); counted += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, whole.data() + counted, sizeof(word));
        bits += static_cast<std::uint64_t>(std::popcount(word));
    }
    for (; counted < whole.size(); ++counted)
        bits += bitsOf(std::to_integer<unsigned>(whole[counted]));
    return bits;
}

} // namespace kernscope
#endif
