// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/pair_reader.h"

#include "core/bundle/stored_values.h"

#include <utility>

namespace kernscope::diff {

namespace {

bool longInteger(const codec::Decoder &decoder)
{
    return plainOperand(decoder) != nullptr && !isFloatingPoint(decoder.type()) &&
           bitWidth(decoder.type()) == 64;
}

tl::unexpected<Error> shapeFault(const Weight &a, const Weight &b)
{
    Error error;
    error.code = "diff.shape";
    error.field = b.name;
    error.expected = shapeText(a.shape);
    error.found = shapeText(b.shape);
    error.message = "The two weights have different shapes";
    return tl::unexpected(std::move(error));
}

} // namespace

PairReader::PairReader(codec::Decoder a, codec::Decoder b)
    : m_a(std::move(a)), m_b(std::move(b)),
      m_halves(exactInHalf(m_a.type()) && exactInHalf(m_b.type())),
      m_longIntegers(longInteger(m_a) && longInteger(m_b) && m_a.type() == m_b.type())
{
}

Result<PairReader> PairReader::make(const Bundle &a, std::size_t weightA, const Bundle &b,
                                    std::size_t weightB)
{
    auto decoderA = a.decoder(weightA);
    if (!decoderA)
        return tl::unexpected(std::move(decoderA.error()));
    auto decoderB = b.decoder(weightB);
    if (!decoderB)
        return tl::unexpected(std::move(decoderB.error()));
    if (decoderA->elements() != decoderB->elements())
        return shapeFault(a.weights()[weightA], b.weights()[weightB]);
    return PairReader(*std::move(decoderA), *std::move(decoderB));
}

void PairReader::readHalves(std::uint64_t first, std::span<std::uint16_t> a,
                            std::span<std::uint16_t> b) const
{
    m_a.decodeHalf(first, a);
    m_b.decodeHalf(first, b);
}

void PairReader::readDoubles(std::uint64_t first, std::span<double> a, std::span<double> b) const
{
    decodeDoubles(m_a, first, a);
    decodeDoubles(m_b, first, b);
}

void PairReader::readCodes(std::uint64_t first, std::span<std::int64_t> a,
                           std::span<std::int64_t> b) const
{
    m_a.codes(first, a);
    m_b.codes(first, b);
}

} // namespace kernscope::diff
