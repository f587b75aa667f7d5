// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/cases.h"

#include "core/codec/decode/decoder.h"
#include "core/codec/encode/encoder.h"
#include "core/codec/microscaled/microscaled.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <thread>

#include <fmt/format.h>

namespace kernscope::bench {

namespace {

using codec::Decoder;
using codec::Encoding;
using codec::Operand;
using codec::PartRole;

constexpr std::uint64_t kRow = 8192;  ///< elements of an output channel
constexpr double kWantedShare = 0.75; ///< of what the memory allows, for whole decoders

// The plainest C++ for each codec: what a program without this library would do.

void plainCopy(std::span<const std::byte> stored, std::span<std::uint16_t> out)
{
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = std::uint16_t(std::to_integer<unsigned>(stored[2 * i]) |
                               std::to_integer<unsigned>(stored[2 * i + 1]) << 8);
}

void plainPalette(std::span<const std::byte> indices, unsigned bits,
                  std::span<const std::uint16_t> table, std::size_t perTable,
                  std::span<std::uint16_t> out)
{
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = table[(i / perTable << bits) + unpackCode(indices, bits, i)];
}

void plainSparse(std::span<const std::byte> mask, std::span<const std::uint16_t> values,
                 std::span<std::uint16_t> out)
{
    std::size_t next = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const bool kept = (std::to_integer<unsigned>(mask[i / 8]) >> i % 8 & 1u) != 0;
        out[i] = kept ? values[next++] : std::uint16_t{0};
    }
}

/// `block` elements share a scale.
void plainScaled(std::span<const std::int8_t> codes, std::span<const std::uint16_t> scales,
                 std::size_t block, std::span<std::uint16_t> out)
{
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = floatToHalf(halfToFloat(scales[i / block]) * float(codes[i]));
}

void plainScaled4(std::span<const std::byte> nibbles, std::span<const std::uint16_t> scales,
                  std::size_t block, std::span<std::uint16_t> out)
{
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = floatToHalf(halfToFloat(scales[i / block]) *
                             float(signExtendNibble(unpackCode(nibbles, 4, i))));
}

void plainMicroscaled(std::span<const std::uint8_t> data, bool mxfp4,
                      std::span<const std::uint8_t> exponents, std::span<std::uint16_t> out)
{
    for (std::size_t i = 0; i < out.size(); ++i) {
        const float element =
            mxfp4 ? e2m1ToFloat(std::uint8_t(data[i / 2] >> (4 * (i % 2)))) : e4m3ToFloat(data[i]);
        out[i] = floatToHalf(element * e8m0ToFloat(exponents[i / 32]));
    }
}

/// Nearest of the given centres, by trying all of them.
void plainPaletteEncode(std::span<const float> values, std::span<const float> centres,
                        std::span<std::uint8_t> out)
{
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::size_t nearest = 0;
        for (std::size_t c = 1; c < centres.size(); ++c) {
            if (std::abs(values[i] - centres[c]) < std::abs(values[i] - centres[nearest]))
                nearest = c;
        }
        out[i] = std::uint8_t(nearest);
    }
}

std::size_t plainSparseEncode(std::span<const float> values, float threshold,
                              std::span<std::byte> mask, std::span<std::uint16_t> survivors)
{
    std::size_t next = 0;
    std::ranges::fill(mask, std::byte{0});
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::abs(values[i]) < threshold)
            continue;
        mask[i / 8] |= static_cast<std::byte>(1u << (i % 8));
        survivors[next++] = floatToHalf(values[i]);
    }
    return next;
}

/// The threshold that keeps `count` values, by partial sorting.
std::size_t plainDensityEncode(std::span<const float> values, std::size_t count,
                               std::span<std::byte> mask, std::span<std::uint16_t> survivors)
{
    std::vector<float> magnitudes(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        magnitudes[i] = std::abs(values[i]);
    const auto cut = magnitudes.end() - std::ptrdiff_t(count);
    std::nth_element(magnitudes.begin(), cut, magnitudes.end());
    return plainSparseEncode(values, *cut, mask, survivors);
}

/// Rows of `row` values: the `keep` largest of every `of`, along the rows or from row to row.
std::size_t plainPatternEncode(std::span<const float> values, std::size_t row, std::size_t keep,
                               std::size_t of, bool alongRows, std::span<std::byte> mask,
                               std::span<std::uint16_t> survivors)
{
    std::ranges::fill(mask, std::byte{0});
    const std::size_t step = alongRows ? 1 : row;
    std::vector<std::size_t> group(of);
    for (std::size_t number = 0; number < values.size() / of; ++number) {
        const std::size_t first = alongRows ? number * of : number / row * of * row + number % row;
        for (std::size_t i = 0; i < of; ++i)
            group[i] = first + i * step;
        std::ranges::sort(group, [&](std::size_t a, std::size_t b) {
            return std::abs(values[a]) > std::abs(values[b]);
        });
        for (std::size_t i = 0; i < keep; ++i)
            mask[group[i] / 8] |= static_cast<std::byte>(1u << (group[i] % 8));
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if ((mask[i / 8] >> (i % 8) & std::byte{1}) != std::byte{0})
            survivors[next++] = floatToHalf(values[i]);
    }
    return next;
}

void plainAffineEncode(std::span<const float> values, std::size_t channel,
                       std::span<std::int8_t> codes, std::span<std::uint16_t> scales)
{
    for (std::size_t c = 0; c < scales.size(); ++c) {
        float largest = 0;
        for (std::size_t i = c * channel; i < (c + 1) * channel; ++i)
            largest = std::max(largest, std::abs(values[i]));
        scales[c] = floatToHalf(largest / 127.0f);
        const float scale = halfToFloat(scales[c]);
        for (std::size_t i = c * channel; i < (c + 1) * channel; ++i)
            codes[i] = std::int8_t(std::clamp(std::nearbyint(values[i] / scale), -127.0f, 127.0f));
    }
}

Buffer randomBytes(std::size_t count)
{
    auto buffer = std::make_shared<HugeBuffer<std::byte>>(count);
    std::mt19937_64 random;
    for (std::size_t i = 0; i < count; i += 8) {
        const std::uint64_t word = random();
        std::memcpy(buffer->data() + i, &word, std::min<std::size_t>(8, count - i));
    }
    return buffer;
}

/// fp16 numbers of ordinary size.
Buffer halves(std::size_t count)
{
    auto buffer = randomBytes(2 * count);
    for (std::size_t i = 1; i < 2 * count; i += 2) // exponents 8 to 15
        buffer->data()[i] = (buffer->data()[i] & std::byte{0x9f}) | std::byte{0x20};
    return buffer;
}

std::span<const std::uint16_t> asHalves(const Buffer &buffer)
{
    return {reinterpret_cast<const std::uint16_t *>(buffer->data()), buffer->size() / 2};
}

/// The bytes that an encoding reads, kept as long as the case.
struct Stored {
    std::vector<Buffer> parts;
    std::optional<Decoder> decoder;
};

} // namespace

Case decoderCase(std::string name, double wanted, const Encoding &encoding,
                 std::vector<Buffer> parts, std::span<std::uint16_t> out,
                 std::function<void()> plain)
{
    auto stored = std::make_shared<Stored>();
    stored->parts = std::move(parts);
    auto decoder = Decoder::make(encoding);
    if (!decoder) {
        fmt::print(stderr, "{}: {}\n", name, describe(decoder.error()));
        std::abort();
    }
    stored->decoder.emplace(std::move(*decoder));
    Case result;
    result.name = std::move(name);
    result.wanted = wanted;
    result.wantedShare = kWantedShare;
    result.elements = out.size();
    for (const Buffer &part : stored->parts)
        result.read += part->size();
    result.written = out.size_bytes();
    result.ours = [stored = stored.get(), out] { stored->decoder->decodeHalf(0, out); };
    result.plain = std::move(plain);
    result.data = stored;
    return result;
}

namespace {

Shape shapeOf(std::span<std::uint16_t> out)
{
    return {out.size() / kRow, kRow};
}

Case denseCase(std::span<std::uint16_t> out)
{
    const Buffer data = halves(out.size());
    Encoding encoding;
    encoding.shape = shapeOf(out);
    encoding.payload = Operand{PartRole::Data, ElementType::Fp16, encoding.shape, data->bytes()};
    return decoderCase("dense fp16", 0.95, encoding, {data}, out,
                       [data, out] { plainCopy(data->bytes(), out); });
}

Case paletteCase(unsigned bits, std::uint64_t groups, double wanted, std::span<std::uint16_t> out)
{
    const Buffer indices = randomBytes(out.size() * bits / 8);
    const Buffer lut = halves(groups << bits);
    Encoding encoding;
    encoding.shape = shapeOf(out);
    encoding.payload = Operand{PartRole::Indices, elementTypeFromName(fmt::format("uint{}", bits)),
                               encoding.shape, indices->bytes()};
    codec::Palette palette;
    palette.grid = {groups, 1};
    palette.entries = std::uint64_t{1} << bits;
    palette.lut =
        Operand{PartRole::Lut, ElementType::Fp16, {groups, 1, palette.entries, 1}, lut->bytes()};
    encoding.palette = palette;
    const std::string name = groups == 1
                                 ? fmt::format("palette {}-bit, one codebook", bits)
                                 : fmt::format("palette {}-bit, {} codebooks", bits, groups);
    return decoderCase(name, wanted, encoding, {indices, lut}, out, [=] {
        plainPalette(indices->bytes(), bits, asHalves(lut), out.size() / groups, out);
    });
}

Case sparseCase(unsigned percent, std::span<std::uint16_t> out)
{
    auto mask = std::make_shared<HugeBuffer<std::byte>>(out.size() / 8);
    std::mt19937_64 random;
    std::size_t kept = 0;
    for (std::byte &byte : mask->span()) {
        unsigned bits = 0;
        for (unsigned i = 0; i < 8; ++i)
            bits |= (random() % 100 < percent ? 1u : 0u) << i;
        byte = static_cast<std::byte>(bits);
        kept += std::size_t(__builtin_popcount(bits));
    }
    const Buffer values = halves(kept);
    Encoding encoding;
    encoding.shape = shapeOf(out);
    encoding.mask = Operand{PartRole::Mask, ElementType::Uint1, encoding.shape, mask->bytes()};
    encoding.payload = Operand{PartRole::NonzeroData, ElementType::Fp16, {kept}, values->bytes()};
    return decoderCase(fmt::format("sparse, density {} %", percent), 0.8, encoding, {mask, values},
                       out, [=] { plainSparse(mask->bytes(), asHalves(values), out); });
}

Case scaledCase(const char *name, double wanted, ElementType type, std::uint64_t block,
                codec::Scaling::Kind kind, std::span<std::uint16_t> out)
{
    const bool nibbles = type == ElementType::Int4;
    const Buffer codes = randomBytes(nibbles ? out.size() / 2 : out.size());
    const Buffer scales = halves(out.size() / block);
    Encoding encoding;
    encoding.shape = shapeOf(out);
    encoding.payload = Operand{PartRole::Data, type, encoding.shape, codes->bytes()};
    codec::Scaling scaling;
    scaling.kind = kind;
    const Shape scaleShape = kind == codec::Scaling::Kind::Affine
                                 ? Shape{encoding.shape[0]}
                                 : Shape{encoding.shape[0], kRow / block};
    scaling.scale = Operand{PartRole::Scale, ElementType::Fp16, scaleShape, scales->bytes()};
    encoding.scaling = scaling;
    return decoderCase(name, wanted, encoding, {codes, scales}, out, [=] {
        if (nibbles)
            plainScaled4(codes->bytes(), asHalves(scales), block, out);
        else
            plainScaled({reinterpret_cast<const std::int8_t *>(codes->data()), codes->size()},
                        asHalves(scales), block, out);
    });
}

Case microscaledCase(codec::MxFormat format, codec::MxAxis axis, double wanted,
                     std::span<std::uint16_t> out)
{
    const bool across = axis == codec::MxAxis::Columns, nibbles = format == codec::MxFormat::Mxfp4;
    const Shape shape = shapeOf(out);
    const Buffer codes = randomBytes(nibbles ? out.size() / 2 : out.size());
    for (std::size_t i = 0; i < codes->size(); ++i)
        codes->data()[i] &= std::byte{0xbf}; // no NaN among E4M3 codes
    const Buffer exponents = std::make_shared<HugeBuffer<std::byte>>(out.size() / codec::kMxGroup);
    std::mt19937_64 random;
    for (std::size_t i = 0; i < exponents->size(); ++i)
        exponents->data()[i] = static_cast<std::byte>(118 + random() % 8);
    Encoding encoding;
    encoding.type = ElementType::Fp32;
    encoding.shape = shape;
    encoding.payload =
        Operand{PartRole::Data, nibbles ? ElementType::Fp4E2M1 : ElementType::Fp8E4M3Fn, shape,
                codes->bytes()};
    codec::Scaling scaling;
    scaling.kind = codec::Scaling::Kind::Blockwise;
    scaling.scale = Operand{PartRole::Scale, ElementType::Fp8E8M0,
                            across ? Shape{shape[0], shape[1] / codec::kMxGroup}
                                   : Shape{shape[0] / codec::kMxGroup, shape[1]},
                            exponents->bytes()};
    encoding.scaling = scaling;
    std::function<void()> plain;
    if (across)
        plain = [=] {
            plainMicroscaled(
                {reinterpret_cast<const std::uint8_t *>(codes->data()), codes->size()}, nibbles,
                {reinterpret_cast<const std::uint8_t *>(exponents->data()), exponents->size()},
                out);
        };
    return decoderCase(
        fmt::format("{}, groups along axis {}", mxFormatName(format), across ? 1 : 0), wanted,
        encoding, {codes, exponents}, out, std::move(plain));
}

/// Parts of a tensor that start at any element and end at any.
Case rangeCase(const Case &whole, std::span<std::uint16_t> out)
{
    const auto stored = std::static_pointer_cast<Stored>(whole.data);
    Case result;
    result.name = whole.name + ", ranges of 10,007";
    result.wanted = whole.wanted / 2;
    result.elements = out.size();
    result.read = whole.read;
    result.written = whole.written;
    result.ours = [stored = stored.get(), out] {
        constexpr std::size_t kLength = 10007;
        for (std::size_t at = 3; at < out.size(); at += kLength)
            stored->decoder->decodeHalf(at, out.subspan(at, std::min(kLength, out.size() - at)));
    };
    result.data = stored;
    return result;
}

Case threadsCase(const Case &whole, std::span<std::uint16_t> out)
{
    const auto stored = std::static_pointer_cast<Stored>(whole.data);
    Case result;
    result.name = whole.name + ", two threads";
    result.elements = out.size();
    result.read = whole.read;
    result.written = whole.written;
    result.ours = [stored = stored.get(), out] {
        const std::size_t half = out.size() / 2;
        std::thread other([&] { stored->decoder->decodeHalf(half, out.subspan(half)); });
        stored->decoder->decodeHalf(0, out.first(half));
        other.join();
    };
    result.threads = true;
    result.data = stored;
    return result;
}

/// Normal numbers of deviation 0.1.
std::shared_ptr<HugeBuffer<float>> gaussian(std::size_t count)
{
    auto values = std::make_shared<HugeBuffer<float>>(count);
    std::mt19937_64 random;
    for (std::size_t i = 0; i < count; ++i) {
        double sum = 0; // of four uniform numbers: close enough for a distribution of weights
        const std::uint64_t word = random();
        for (unsigned part = 0; part < 4; ++part)
            sum += double(word >> (16 * part) & 0xffff) / 65536.0 - 0.5;
        values->data()[i] = float(0.17 * sum);
    }
    return values;
}

} // namespace

std::vector<Case> decodeCases(std::span<std::uint16_t> out)
{
    std::vector<Case> cases{denseCase(out)};
    cases.push_back(paletteCase(4, 1, 1.4, out));
    cases.push_back(paletteCase(4, 64, 1.4, out));
    for (const unsigned bits : {1u, 2u, 3u, 6u})
        cases.push_back(paletteCase(bits, 1, 1.0, out));
    cases.push_back(paletteCase(8, 1, 0.6, out));
    for (const unsigned percent : {10u, 40u, 90u})
        cases.push_back(sparseCase(percent, out));
    cases.push_back(scaledCase("affine int8 per channel", 1.3, ElementType::Int8, kRow,
                               codec::Scaling::Kind::Affine, out));
    cases.push_back(scaledCase("blockwise int8, block 32", 1.3, ElementType::Int8, 32,
                               codec::Scaling::Kind::Blockwise, out));
    cases.push_back(scaledCase("blockwise int4, block 32", 1.2, ElementType::Int4, 32,
                               codec::Scaling::Kind::Blockwise, out));
    const std::vector<Case> whole = cases;
    for (const Case &work : whole)
        cases.push_back(rangeCase(work, out));
    cases.push_back(threadsCase(cases[1], out));
    for (const std::size_t i : {7u, 9u}) // palette 8-bit, which computes most, and sparse
        cases.push_back(threadsCase(cases[i], out));
    for (const auto format : {codec::MxFormat::Mxfp8, codec::MxFormat::Mxfp4}) {
        for (const auto axis : {codec::MxAxis::Columns, codec::MxAxis::Rows})
            cases.push_back(microscaledCase(format, axis, 0.8, out));
    }
    return cases;
}

std::vector<Case> encodeCases()
{
    constexpr std::size_t kElements = std::size_t{16} << 20;
    const auto values = gaussian(kElements);
    const Shape shape{kElements / kRow, kRow};
    using Encode = std::function<Result<codec::EncodedWeight>()>;
    const auto kept = [&](std::string name, double wanted, Encode encode,
                          std::function<void()> plain) {
        Case result;
        result.name = std::move(name);
        result.wanted = wanted;
        result.elements = kElements;
        result.read = values->size() * sizeof(float);
        const auto weight = encode();
        for (const codec::EncodedPart &part : weight->parts)
            result.written += part.bytes.size();
        result.ours = [encode = std::move(encode)] { encode(); };
        result.plain = std::move(plain);
        result.data = values;
        return result;
    };
    auto bytes = std::make_shared<HugeBuffer<std::uint8_t>>(kElements);
    auto halfBuffer = std::make_shared<HugeBuffer<std::uint16_t>>(kElements);
    const auto codes = std::span(reinterpret_cast<std::int8_t *>(bytes->data()), kElements);
    std::vector<float> centres;
    for (int i = 0; i < 16; ++i)
        centres.push_back(0.04f * (float(i) - 7.5f));
    std::vector<Case> cases;
    cases.push_back(kept(
        "encode: palette 4-bit optimal", 0.05,
        [=] { return codec::encodePalette(values->span(), shape, {}); },
        [=] { plainPaletteEncode(values->span(), centres, bytes->span()); }));
    const auto mask = std::as_writable_bytes(bytes->span()).first(kElements / 8);
    const auto survivors = halfBuffer->span();
    cases.push_back(kept(
        "encode: sparse, threshold", 0.5,
        [=] { return codec::encodeSparse(values->span(), shape, 0.05f); },
        [=] { plainSparseEncode(values->span(), 0.05f, mask, survivors); }));
    cases.push_back(kept(
        "encode: sparse, density 40 %", 0.5,
        [=] { return codec::encodeSparseDensity(values->span(), shape, 0.4); },
        [=] { plainDensityEncode(values->span(), kElements / 5 * 2, mask, survivors); }));
    for (const auto &[keep, of] : {std::pair<std::uint64_t, std::uint64_t>{2, 4}, {4, 8}}) {
        for (const std::uint64_t axis : {1, 0}) {
            const codec::SparsePattern pattern{keep, of, axis};
            cases.push_back(kept(
                fmt::format("encode: sparse, {}:{} {}", keep, of,
                            axis == 1 ? "along rows" : "from row to row"),
                0.5, [=] { return codec::encodeSparsePattern(values->span(), shape, pattern); },
                [=] {
                    plainPatternEncode(values->span(), kRow, pattern.keep, pattern.of, axis == 1,
                                       mask, survivors);
                }));
        }
    }
    cases.push_back(kept(
        "encode: affine int8 per channel", 0.5,
        [=] { return codec::encodeAffine(values->span(), shape, {}); },
        [=] {
            plainAffineEncode(values->span(), kRow, codes,
                              halfBuffer->span().first(kElements / kRow));
        }));
    return cases;
}

} // namespace kernscope::bench
