// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/pair_reader.h"

#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_values.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kernscope::diff {

namespace {

/// The operand of integers of 64 bits that are stored as they are.
const codec::Operand *longIntegers(const codec::Decoder &decoder)
{
    const ElementType type = decoder.type();
    return type == ElementType::Int64 || type == ElementType::Uint64 ? plainOperand(decoder)
                                                                     : nullptr;
}

bool isWide(const codec::Decoder &decoder)
{
    return decoder.type() == ElementType::Fp64 || longIntegers(decoder) != nullptr;
}

/// The codes of uint64 are its bits.
ExactValue exactOf(ElementType type, std::int64_t code)
{
    return type == ElementType::Uint64 ? static_cast<ExactValue>(static_cast<std::uint64_t>(code))
                                       : static_cast<ExactValue>(code);
}

tl::unexpected<Error> shapeFault(const Weight &a, const Weight &b)
{
    return ErrorBuilder("diff.shape")
        .field(b.name)
        .expected(shapeText(a.shape))
        .found(shapeText(b.shape))
        .message("The two weights have different shapes")
        .unexpected();
}

} // namespace

void decodeExact(const codec::Decoder &decoder, std::uint64_t first, std::span<ExactValue> out)
{
    if (longIntegers(decoder) != nullptr) {
        thread_local std::vector<std::int64_t> codes;
        codes.resize(out.size());
        decoder.codes(first, codes);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = exactOf(decoder.type(), codes[i]);
        return;
    }
    thread_local std::vector<double> values;
    values.resize(out.size());
    decodeDoubles(decoder, first, values);
    std::copy(values.begin(), values.end(), out.begin());
}

PairReader::PairReader(codec::Decoder a, codec::Decoder b)
    : m_a(std::move(a)), m_b(std::move(b)), m_elements(m_a.elements().value),
      m_halves(exactInHalf(m_a.type()) && exactInHalf(m_b.type())),
      m_wide(isWide(m_a) || isWide(m_b))
{
}

Result<PairReader> PairReader::make(const Bundle &a, const Bundle &b, const PairSides &sides)
{
    auto decoderA = a.decoder(sides.a);
    if (!decoderA)
        return tl::unexpected(std::move(decoderA.error()));
    auto decoderB = b.decoder(sides.b);
    if (!decoderB)
        return tl::unexpected(std::move(decoderB.error()));
    PairReader reader(*std::move(decoderA), *std::move(decoderB));
    const Weight &from = a.weights()[sides.a], &to = b.weights()[sides.b];
    if (!sides.slice) {
        if (reader.m_a.elements() != reader.m_b.elements())
            return shapeFault(from, to);
        return reader;
    }
    const bool ofA = sides.slice->ofA;
    const PartElements slice = sliceOf(a, b, sides);
    const codec::Decoder &whole = ofA ? reader.m_a : reader.m_b;
    const codec::Decoder &part = ofA ? reader.m_b : reader.m_a;
    reader.m_elements = part.elements().value;
    reader.m_slice = slice;
    reader.m_sliceOfA = ofA;
    const std::uint64_t runs = slice.run == 0 ? 0 : reader.m_elements / slice.run;
    if (runs * slice.run != reader.m_elements || slice.run > slice.stride ||
        slice.start > slice.stride - slice.run || slice.stride == 0 ||
        runs > whole.elements().value / slice.stride)
        return shapeFault(from, to);
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
        read(m_slice->inWhole(element), done, some);
        done += some;
    }
}

template <class Value, class Decode>
void PairReader::readRuns(bool ofA, std::uint64_t first, std::span<Value> out,
                          const Decode &decode) const
{
    const codec::Decoder &decoder = ofA ? m_a : m_b;
    eachRun(ofA, first, out.size(), [&](std::uint64_t element, std::size_t at, std::size_t count) {
        decode(decoder, element, out.subspan(at, count));
    });
}

void PairReader::readHalves(bool ofA, std::uint64_t first, std::span<std::uint16_t> out) const
{
    readRuns(ofA, first, out, [](const codec::Decoder &decoder, std::uint64_t element, auto some) {
        decoder.decodeHalf(element, some);
    });
}

const std::uint16_t *PairReader::storedHalves(bool ofA, std::uint64_t first,
                                              std::size_t count) const
{
    const codec::Operand *operand = plainOperand(ofA ? m_a : m_b);
    if (operand == nullptr || operand->type != ElementType::Fp16 || operand->order)
        return nullptr;
    std::uint64_t element = first;
    if (m_slice && m_sliceOfA == ofA) {
        if (count > m_slice->run - first % m_slice->run)
            return nullptr; // of several runs
        element = m_slice->inWhole(first);
    }
    if (element > operand->bytes.size() / 2 || count > operand->bytes.size() / 2 - element)
        return nullptr;
    const std::byte *at = operand->bytes.data() + 2 * element;
    const bool aligned = reinterpret_cast<std::uintptr_t>(at) % alignof(std::uint16_t) == 0;
    return aligned ? reinterpret_cast<const std::uint16_t *>(at) : nullptr;
}

std::span<const std::uint16_t> PairReader::halvesOf(bool ofA, std::uint64_t first,
                                                    std::size_t count,
                                                    std::vector<std::uint16_t> &buffer) const
{
    if (const std::uint16_t *stored = storedHalves(ofA, first, count))
        return {stored, count};
    buffer.resize(count);
    readHalves(ofA, first, buffer);
    return buffer;
}

void PairReader::readDoubles(bool ofA, std::uint64_t first, std::span<double> out) const
{
    readRuns(ofA, first, out, [](const codec::Decoder &decoder, std::uint64_t element, auto some) {
        decodeDoubles(decoder, element, some);
    });
}

void PairReader::readCodes(bool ofA, std::uint64_t first, std::span<std::int64_t> out) const
{
    readRuns(ofA, first, out, [](const codec::Decoder &decoder, std::uint64_t element, auto some) {
        decoder.codes(element, some);
    });
}

void PairReader::readExact(bool ofA, std::uint64_t first, std::span<ExactValue> out) const
{
    readRuns(ofA, first, out, [](const codec::Decoder &decoder, std::uint64_t element, auto some) {
        decodeExact(decoder, element, some);
    });
}

} // namespace kernscope::diff
