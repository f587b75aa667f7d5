// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/pair_reader.h"

#include "core/bundle/stored_values.h"

#include <algorithm>
#include <utility>

namespace kernscope::diff {

namespace {

/// Whether both are integers whose stored codes are compared, because doubles do not hold those of
/// one of them. The codes of unsigned ones of 64 bits are only compared with their like.
bool longIntegers(const codec::Decoder &a, const codec::Decoder &b)
{
    const auto plain = [](const codec::Decoder &decoder) {
        return plainOperand(decoder) != nullptr && !isFloatingPoint(decoder.type());
    };
    const bool alike = a.type() == b.type();
    const bool fits = a.type() != ElementType::Uint64 && b.type() != ElementType::Uint64;
    return plain(a) && plain(b) && (alike || fits) &&
           (bitWidth(a.type()) == 64 || bitWidth(b.type()) == 64);
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
    : m_a(std::move(a)), m_b(std::move(b)), m_elements(m_a.elements().value),
      m_halves(exactInHalf(m_a.type()) && exactInHalf(m_b.type())),
      m_longIntegers(kernscope::diff::longIntegers(m_a, m_b))
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

Result<PairReader> PairReader::make(const Bundle &a, std::size_t weightA, const Bundle &b,
                                    std::size_t weightB, const Slice &slice, bool ofA)
{
    auto decoderA = a.decoder(weightA);
    if (!decoderA)
        return tl::unexpected(std::move(decoderA.error()));
    auto decoderB = b.decoder(weightB);
    if (!decoderB)
        return tl::unexpected(std::move(decoderB.error()));
    PairReader reader(*std::move(decoderA), *std::move(decoderB));
    const codec::Decoder &whole = ofA ? reader.m_a : reader.m_b;
    const codec::Decoder &part = ofA ? reader.m_b : reader.m_a;
    reader.m_elements = part.elements().value;
    reader.m_slice = slice;
    reader.m_sliceOfA = ofA;
    const std::uint64_t runs = slice.run == 0 ? 0 : reader.m_elements / slice.run;
    if (runs * slice.run != reader.m_elements || slice.run > slice.stride ||
        slice.start > slice.stride - slice.run || slice.stride == 0 ||
        runs > whole.elements().value / slice.stride)
        return shapeFault(a.weights()[weightA], b.weights()[weightB]);
    return reader;
}

/// Calls `read(element, place in the result, count)` for every run of consecutive elements of a
/// side.
template <class Read>
void PairReader::eachRun(bool ofA, std::uint64_t first, std::size_t count, const Read &read) const
{
    if (!m_slice || m_sliceOfA != ofA)
        return read(first, std::size_t(0), count);
    for (std::size_t done = 0; done < count;) {
        const std::uint64_t element = first + done, within = element % m_slice->run;
        const auto some =
            static_cast<std::size_t>(std::min<std::uint64_t>(m_slice->run - within, count - done));
        read(element / m_slice->run * m_slice->stride + m_slice->start + within, done, some);
        done += some;
    }
}

void PairReader::readHalves(bool ofA, std::uint64_t first, std::span<std::uint16_t> out) const
{
    const codec::Decoder &decoder = ofA ? m_a : m_b;
    eachRun(ofA, first, out.size(),
            [&decoder, out](std::uint64_t element, std::size_t at, std::size_t count) {
                decoder.decodeHalf(element, out.subspan(at, count));
            });
}

void PairReader::readDoubles(bool ofA, std::uint64_t first, std::span<double> out) const
{
    const codec::Decoder &decoder = ofA ? m_a : m_b;
    eachRun(ofA, first, out.size(),
            [&decoder, out](std::uint64_t element, std::size_t at, std::size_t count) {
                decodeDoubles(decoder, element, out.subspan(at, count));
            });
}

void PairReader::readCodes(std::uint64_t first, std::span<std::int64_t> a,
                           std::span<std::int64_t> b) const
{
    const auto read = [](const codec::Decoder &decoder, std::span<std::int64_t> out) {
        return [&decoder, out](std::uint64_t element, std::size_t at, std::size_t count) {
            decoder.codes(element, out.subspan(at, count));
        };
    };
    eachRun(true, first, a.size(), read(m_a, a));
    eachRun(false, first, b.size(), read(m_b, b));
}

} // namespace kernscope::diff
