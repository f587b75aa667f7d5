// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/pair_picture.h"

#include <array>
#include <cmath>
#include <string_view>

#include <zlib.h>

namespace kernscope::report {

namespace {

using PngBytes = std::vector<std::byte>;

void putBig32(PngBytes &to, std::uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        to.push_back(static_cast<std::byte>(value >> shift));
}

void putChunk(PngBytes &to, std::string_view name, std::span<const std::byte> content)
{
    putBig32(to, static_cast<std::uint32_t>(content.size()));
    const std::size_t from = to.size();
    for (const char c : name)
        to.push_back(static_cast<std::byte>(c));
    to.insert(to.end(), content.begin(), content.end());
    const auto sum = crc32(0, reinterpret_cast<const Bytef *>(to.data() + from),
                           static_cast<uInt>(to.size() - from));
    putBig32(to, static_cast<std::uint32_t>(sum));
}

/// Blue over white to orange; black for what is not finite.
PngBytes colourTable()
{
    constexpr std::array<double, 3> kLess{33, 102, 172}, kMore{179, 88, 6};
    PngBytes table;
    for (int index = 0; index < 255; ++index) {
        const double share = std::abs(index - 127) / 127.0;
        const auto &end = index < 127 ? kLess : kMore;
        for (const double channel : end)
            table.push_back(static_cast<std::byte>(std::lround(255 + (channel - 255) * share)));
    }
    table.insert(table.end(), 3, std::byte{0});
    return table;
}

} // namespace

std::vector<std::byte> pngOf(const IndexedPicture &picture)
{
    PngBytes lines; // each after its filter byte
    lines.reserve((picture.width + 1) * picture.height);
    for (std::size_t row = 0; row < picture.height; ++row) {
        lines.push_back(std::byte{0});
        for (std::size_t column = 0; column < picture.width; ++column)
            lines.push_back(static_cast<std::byte>(picture.pixels[row * picture.width + column]));
    }
    uLongf packedBytes = compressBound(static_cast<uLong>(lines.size()));
    PngBytes packed(packedBytes);
    compress2(reinterpret_cast<Bytef *>(packed.data()), &packedBytes,
              reinterpret_cast<const Bytef *>(lines.data()), static_cast<uLong>(lines.size()), 9);
    packed.resize(packedBytes);

    PngBytes png;
    for (const unsigned byte : {0x89U, 0x50U, 0x4EU, 0x47U, 0x0DU, 0x0AU, 0x1AU, 0x0AU})
        png.push_back(static_cast<std::byte>(byte));
    PngBytes header;
    putBig32(header, static_cast<std::uint32_t>(picture.width));
    putBig32(header, static_cast<std::uint32_t>(picture.height));
    for (const unsigned byte : {8U, 3U, 0U, 0U, 0U}) // 8 bits, indexed, deflate, no filter choice
        header.push_back(static_cast<std::byte>(byte));
    putChunk(png, "IHDR", header);
    putChunk(png, "PLTE", colourTable());
    putChunk(png, "IDAT", packed);
    putChunk(png, "IEND", {});
    return png;
}

std::string dataUrl(std::span<const std::byte> png)
{
    static constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string url = "data:image/png;base64,";
    for (std::size_t i = 0; i < png.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k)
            three =
                three << 8 | (i + k < png.size() ? std::to_integer<std::uint32_t>(png[i + k]) : 0);
        for (std::size_t k = 0; k < 4; ++k)
            url += i + k > png.size() ? '=' : kDigits[three >> (18 - 6 * k) & 63];
    }
    return url;
}

} // namespace kernscope::report
