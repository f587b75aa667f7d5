// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/pair_reader.h"

#include "core/bundle/bundle.h"
#include "core/bundle/stored_values.h"

#include <cmath>

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
    return refused("diff.shape", b.name, shapeText(a.shape), shapeText(b.shape),
                   "The two weights have different shapes");
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
    auto decoderA = TRY(a.decoder(sides.a));
    auto decoderB = TRY(b.decoder(sides.b));
    PairReader reader(std::move(decoderA), std::move(decoderB));
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
    readRuns(ofA, first, std::span(buffer),
             [](const codec::Decoder &decoder, std::uint64_t element, auto some) {
                 decoder.decodeHalf(element, some);
             });
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

namespace kernscope {

namespace {

constexpr std::uint64_t kRun = 32;
constexpr double kPercentile = 0.995;

double rangeOf(std::vector<double> magnitudes)
{
    if (magnitudes.empty())
        return 1;
    const auto at =
        magnitudes.begin() +
        static_cast<std::ptrdiff_t>(kPercentile * static_cast<double>(magnitudes.size() - 1));
    std::nth_element(magnitudes.begin(), at, magnitudes.end());
    return *at;
}

void addMagnitude(std::vector<double> &to, double value)
{
    if (std::isfinite(value) && value != 0)
        to.push_back(std::abs(value));
}

/// Magnitudes that the colours are scaled by; of doubles, for the largest of them are no floats.
struct Magnitudes {
    std::vector<double> values, differences, relatives;

    void add(std::span<const double> a, std::span<const double> b)
    {
        for (std::size_t i = 0; i < a.size(); ++i) {
            addMagnitude(values, a[i]);
            addMagnitude(values, b[i]);
            addMagnitude(differences, b[i] - a[i]);
            addMagnitude(relatives, (b[i] - a[i]) / a[i]); // of a zero in A no finite number
        }
    }
};

/// Short runs of elements, spread evenly.
struct SampledRuns {
    explicit SampledRuns(std::uint64_t all)
        : elements(all), whole(all <= PairSample::kMost),
          runs(whole ? (all + kRun - 1) / kRun : PairSample::kMost / kRun)
    {
    }
    /// Of the i-th run; in a stratum at a place that follows no period of the data (multiplicative
    /// hashing).
    std::uint64_t first(std::uint64_t i) const
    {
        const std::uint64_t stratum = elements / runs;
        const std::uint64_t mixed = ((i + 1) * 0x9E3779B97F4A7C15u) >> 17;
        return whole ? i * kRun : i * stratum + mixed % (stratum - kRun + 1);
    }
    std::size_t count(std::uint64_t i) const
    {
        return static_cast<std::size_t>(std::min(kRun, elements - first(i)));
    }

    std::uint64_t elements;
    bool whole; ///< all of them
    std::uint64_t runs;
};

Result<PairSample> sampleOf(const diff::PairReader &reader, Progress &progress)
{
    const SampledRuns sampled(reader.elements());
    PairSample sample;
    sample.whole = sampled.whole;
    std::vector<double> valuesA(kRun), valuesB(kRun);
    Magnitudes magnitudes;
    progress.setTotal(sampled.runs);
    for (std::uint64_t i = 0; i < sampled.runs; ++i) {
        if (!progress.advance(1))
            return tl::unexpected(cancelledError("The sample was cancelled"));
        const std::uint64_t first = sampled.first(i);
        const std::size_t count = sampled.count(i);
        const auto a = std::span(valuesA).first(count), b = std::span(valuesB).first(count);
        reader.readDoubles(first, a, b);
        magnitudes.add(a, b);
        for (std::size_t k = 0; k < count; ++k) {
            sample.elements.push_back(first + k);
            sample.a.push_back(static_cast<float>(a[k]));
            sample.b.push_back(static_cast<float>(b[k]));
        }
    }
    sample.valueRange = rangeOf(std::move(magnitudes.values));
    if (!magnitudes.differences.empty())
        sample.differenceRange = rangeOf(std::move(magnitudes.differences));
    if (!magnitudes.relatives.empty())
        sample.relativeRange = std::min(1.0, rangeOf(std::move(magnitudes.relatives)));
    return sample;
}

} // namespace

Result<PairSample> samplePair(const Bundle &a, const Bundle &b, const PairSides &sides,
                              Progress &progress)
{
    const BundleReadLock lock(a, b);
    const auto reader = diff::PairReader::make(a, b, sides);
    return reader ? sampleOf(*reader, progress) : tl::unexpected(reader.error());
}

Result<std::optional<std::uint64_t>> nextDifference(const Bundle &a, const Bundle &b,
                                                    const PairSides &sides,
                                                    std::optional<std::uint64_t> from, bool forward,
                                                    Progress &progress)
{
    const BundleReadLock lock(a, b);
    const auto reader = TRY(diff::PairReader::make(a, b, sides));
    const std::uint64_t all = reader.elements();
    std::vector<ExactValue> ofA(std::size_t{1} << 14), ofB(ofA.size());
    std::uint64_t at = forward ? (from ? *from + 1 : 0) : from.value_or(all);
    while ((forward ? at < all : at > 0) && !progress.cancelled()) {
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(ofA.size(), forward ? all - at : at));
        const std::uint64_t first = forward ? at : at - count;
        reader.readExact(true, first, std::span(ofA).first(count));
        reader.readExact(false, first, std::span(ofB).first(count));
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t each = forward ? i : count - 1 - i;
            if (ofA[each] != ofB[each] && !(std::isnan(ofA[each]) && std::isnan(ofB[each])))
                return first + each;
        }
        at = forward ? first + count : first;
    }
    return std::nullopt;
}

double diff::sampledRange(const PairReader &reader)
{
    const SampledRuns sampled(reader.elements());
    std::vector<double> magnitudes, values(kRun);
    for (std::uint64_t i = 0; i < sampled.runs; ++i) {
        const auto some = std::span(values).first(sampled.count(i));
        for (const bool ofA : {true, false}) {
            reader.readDoubles(ofA, sampled.first(i), some);
            for (const double value : some)
                addMagnitude(magnitudes, value);
        }
    }
    return rangeOf(std::move(magnitudes));
}

} // namespace kernscope
