// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/skeleton/skeleton.h"

#include "core/base/error_builder.h"
#include "core/base/little_endian.h"

#include <algorithm>
#include <array>

namespace kernscope::skeleton {

namespace {

constexpr std::array kMagic{std::byte{'S'}, std::byte{'K'}, std::byte{'E'}, std::byte{'L'}};
constexpr std::uint64_t kCountAt = 4, kNumberBytes = 2; // fp16

} // namespace

bool isSkeleton(std::span<const std::byte> bytes)
{
    return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

Result<Tables> readSkeleton(std::span<const std::byte> bytes, const std::string &file)
{
    if (!isSkeleton(bytes) || bytes.size() < kHeaderBytes)
        return refused({file, FileOffset(0)}, "skeleton.header", {}, "SKEL and a count of numbers",
                       std::to_string(bytes.size()) + " bytes",
                       "The header is not that of a skeleton file");
    Tables tables;
    tables.numbers = loadLittle<std::uint16_t>(bytes, kCountAt);
    tables.payload = {FileOffset(kHeaderBytes), ByteCount(tables.numbers * kNumberBytes)};
    if (tables.payload.end() != bytes.size())
        return refused({file, FileOffset(kCountAt)}, "skeleton.size", "numbers",
                       std::to_string(tables.payload.end()) + " bytes",
                       std::to_string(bytes.size()) + " bytes",
                       "The file is not as long as its header says");
    return tables;
}

Result<std::vector<std::byte>> writeSkeleton(const Tables &tables,
                                             std::span<const std::byte> source)
{
    if (!fitsInside(tables.payload, ByteCount(source.size())))
        return refused("skeleton.write", "payload", std::to_string(tables.payload.end()) + " bytes",
                       std::to_string(source.size()) + " bytes",
                       "The source does not hold the numbers that the header counts");
    std::vector<std::byte> bytes(kHeaderBytes);
    std::copy(kMagic.begin(), kMagic.end(), bytes.begin());
    storeLittle<std::uint16_t>(bytes, kCountAt, tables.numbers);
    const auto payload = source.subspan(static_cast<std::size_t>(tables.payload.offset.value),
                                        static_cast<std::size_t>(tables.payload.bytes.value));
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    return bytes;
}

} // namespace kernscope::skeleton
