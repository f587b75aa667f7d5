// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/value_difference.h"

#include "core/base/overlaid_file.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/bundle/element_place.h"
#include "core/bundle/stored_values.h"
#include "core/compare/pair_reader.h"
#include "core/form/operand_place.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace kernscope {

namespace {

/// Bits of a sign and a magnitude as integers in the order of the numbers; both zeros are 0.
std::int64_t ordered(std::uint64_t magnitude, bool negative)
{
    const auto order = static_cast<std::int64_t>(magnitude);
    return negative ? -order : order;
}

std::uint64_t between(std::int64_t a, std::int64_t b)
{
    return a < b ? static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a)
                 : static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
}

std::int64_t orderOf(ElementType type, double value)
{
    const bool negative = std::signbit(value);
    const auto narrow = static_cast<float>(value);
    switch (type) {
    case ElementType::Fp32:
        return ordered(std::bit_cast<std::uint32_t>(narrow) & 0x7fffffffu, negative);
    case ElementType::Bf16:
        return ordered(floatToBfloat16(doubleToFloatOdd(value)) & 0x7fffu, negative);
    case ElementType::Fp64:
        return ordered(std::bit_cast<std::uint64_t>(value) & INT64_MAX, negative);
    case ElementType::Fp8E4M3Fn:
        return ordered(floatToE4m3(doubleToFloatOdd(value), Fp8Overflow::Saturate) & 0x7fu,
                       negative);
    case ElementType::Fp8E5M2:
        return ordered(floatToE5m2(doubleToFloatOdd(value)) & 0x7fu, negative);
    default: return ordered(doubleToHalf(value) & 0x7fffu, negative);
    }
}

} // namespace

std::size_t ulpBins(ElementType type)
{
    const unsigned bits = bitWidth(type);
    return bits <= 16 ? 17 : bits <= 32 ? 33 : 65;
}

std::uint32_t ulpDistance(std::uint16_t a, std::uint16_t b)
{
    return static_cast<std::uint32_t>(between(ordered(a & 0x7fffu, (a & 0x8000u) != 0),
                                              ordered(b & 0x7fffu, (b & 0x8000u) != 0)));
}

std::uint64_t ulpDistance(ElementType type, double a, double b)
{
    if (a == b || std::isnan(a) || std::isnan(b))
        return 0;
    if (isFloatingPoint(type))
        return between(orderOf(type, a), orderOf(type, b));
    const double distance = std::abs(std::nearbyint(a) - std::nearbyint(b));
    return distance < 0x1p64 ? static_cast<std::uint64_t>(distance) : UINT64_MAX;
}

std::uint64_t exactUlpDistance(ElementType type, ExactValue a, ExactValue b)
{
    if (a == b || std::isnan(a) || std::isnan(b))
        return 0;
    if (isFloatingPoint(type))
        return ulpDistance(type, static_cast<double>(a), static_cast<double>(b));
    // Of integers beyond 64 bits apart the difference is rounded, which is more than is counted.
    const ExactValue distance = std::abs(std::nearbyint(a) - std::nearbyint(b));
    return distance < 0x1p64L ? static_cast<std::uint64_t>(distance) : UINT64_MAX;
}

std::string exactText(ExactValue value)
{
    const auto narrow = static_cast<double>(value);
    if (static_cast<ExactValue>(narrow) == value || std::isnan(value))
        return fmt::format("{}", narrow);
    return fmt::format("{:.0f}", value);
}

std::string_view likenessText(double relativeRmse)
{
    return relativeRmse <= kCloseRmse     ? "close"
           : relativeRmse <= kSimilarRmse ? "similar"
                                          : "different";
}

std::string notFiniteText(const ValueDifference &values)
{
    if (values.nonfiniteA == 0)
        return fmt::format("not finite ({} in B)", counted(values.nonfiniteB, "value"));
    return fmt::format("not finite ({} in A, {} in B)", counted(values.nonfiniteA, "value"),
                       grouped(values.nonfiniteB));
}

ValueDifference ValueDifference::same(std::uint64_t elements, ElementType type)
{
    ValueDifference same;
    same.equal = elements;
    same.ulpType = type;
    same.ulpHistogram.assign(ulpBins(type), 0);
    same.ulpHistogram[0] = elements;
    same.snr = std::numeric_limits<double>::infinity();
    return same;
}

} // namespace kernscope

namespace kernscope::diff {

namespace {

using codec::ElementOrder;

std::optional<std::vector<std::uint64_t>> notesOf(const ElementOrder *order,
                                                  std::span<const ByteRange> pieces)
{
    codec::LayoutNotes notes(pieces);
    notes.add(order);
    return notes.take();
}

bool sameOrder(const codec::Operand &a, const codec::Operand &b)
{
    if (!a.order || !b.order)
        return !a.order && !b.order;
    const auto notes = [](const codec::Operand &of) {
        return notesOf(of.order.get(), of.place ? std::span<const ByteRange>(of.place->pieces)
                                                : std::span<const ByteRange>());
    };
    const auto ofA = notes(a);
    return ofA && ofA == notes(b);
}

bool sameOperand(const codec::Operand &a, const codec::Operand &b)
{
    return a.role == b.role && a.type == b.type && a.shape == b.shape && sameOrder(a, b);
}

bool sameSource(const codec::OperandSource &a, const codec::OperandSource &b)
{
    const auto *operandA = std::get_if<codec::Operand>(&a);
    const auto *operandB = std::get_if<codec::Operand>(&b);
    if (operandA != nullptr || operandB != nullptr)
        return operandA != nullptr && operandB != nullptr && sameOperand(*operandA, *operandB);
    const auto &madeA = std::get<std::shared_ptr<const codec::Encoding>>(a);
    const auto &madeB = std::get<std::shared_ptr<const codec::Encoding>>(b);
    return madeA && madeB && sameDecoding(*madeA, *madeB);
}

bool samePalette(const codec::Palette &a, const codec::Palette &b)
{
    return a.grid == b.grid && a.entries == b.entries && a.vector == b.vector &&
           a.vectorAxis == b.vectorAxis && sameSource(a.lut, b.lut);
}

bool sameScaling(const codec::Scaling &a, const codec::Scaling &b)
{
    return a.kind == b.kind && a.axis == b.axis && a.addsOffset == b.addsOffset &&
           a.steps == b.steps && a.scalesGaps == b.scalesGaps &&
           a.offset.has_value() == b.offset.has_value() &&
           a.bias.has_value() == b.bias.has_value() && sameSource(a.scale, b.scale) &&
           (!a.offset || sameSource(*a.offset, *b.offset)) &&
           (!a.bias || sameSource(*a.bias, *b.bias));
}

} // namespace

bool sameDecoding(const codec::Encoding &a, const codec::Encoding &b)
{
    return a.type == b.type && a.shape == b.shape && a.converts == b.converts &&
           (a.view == b.view ||
            (a.view && b.view && notesOf(a.view.get(), {}) == notesOf(b.view.get(), {}))) &&
           a.mask.has_value() == b.mask.has_value() &&
           a.palette.has_value() == b.palette.has_value() &&
           a.scaling.has_value() == b.scaling.has_value() &&
           (!a.mask || sameOperand(*a.mask, *b.mask)) && sameSource(a.payload, b.payload) &&
           (!a.palette || samePalette(*a.palette, *b.palette)) &&
           (!a.scaling || sameScaling(*a.scaling, *b.scaling));
}

} // namespace kernscope::diff

namespace kernscope {

namespace {

/// Changes closer than this are taken as one: a fill makes very many.
constexpr std::uint64_t kChangeGap = 64;

/// FNV-1a, fed piece by piece.
class Fingerprint
{
public:
    void add(std::uint64_t number)
    {
        for (int shift = 0; shift < 64; shift += 8)
            addByte(static_cast<std::uint8_t>(number >> shift));
    }
    void add(std::span<const std::byte> bytes)
    {
        add(bytes.size());
        for (const std::byte byte : bytes)
            addByte(static_cast<std::uint8_t>(byte));
    }
    std::uint64_t value() const { return m_value; }

private:
    void addByte(std::uint8_t byte) { m_value = (m_value ^ byte) * 0x100000001B3u; }

    std::uint64_t m_value = 0xCBF29CE484222325u;
};

void addEdits(Fingerprint &print, const OverlaidFile &file, const std::vector<ByteRange> &changes,
              const ByteRange &part)
{
    auto change = std::lower_bound(
        changes.begin(), changes.end(), part.offset.value,
        [](const ByteRange &range, std::uint64_t offset) { return range.end() <= offset; });
    for (; change != changes.end() && change->offset.value < part.end(); ++change) {
        const std::uint64_t first = std::max(change->offset.value, part.offset.value);
        const std::uint64_t end = std::min(change->end(), part.end());
        print.add(first);
        print.add(file.bytes().subspan(first, end - first));
    }
}

constexpr std::uint64_t kMostRead = std::uint64_t(1) << 22;
constexpr std::uint64_t kMostColumns = 65536;
constexpr std::uint64_t kPiece = 16; ///< of the smallest block
/// Elements that have to speak for one factor.
constexpr std::uint64_t kElementsOfFactor = 4;
/// Codes are rounded: those of 4 bits leave a seventh.
constexpr double kMostOfCodes = 0.2;
/// Rounding to fp16 and no more remains.
constexpr double kExactRmse = 0.001;

/// Sums over a group of elements that may have one factor.
struct FactorSums {
    double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;

    void add(double x, double y)
    {
        n += 1;
        a += x;
        b += y;
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    void add(const FactorSums &other)
    {
        n += other.n;
        a += other.a;
        b += other.b;
        aa += other.aa;
        bb += other.bb;
        ab += other.ab;
    }
    /// The same about the means.
    FactorSums centred() const
    {
        return n == 0 ? *this : FactorSums{n, 0, 0, aa - a * a / n, bb - b * b / n, ab - a * b / n};
    }
};

/// One way to give factors to elements: a group of elements each.
struct FactorGroups {
    ValueRule::Kind kind;
    std::uint64_t block = 0;
    std::pair<std::uint64_t, std::uint64_t> group{0, 0}; ///< that is being summed
    FactorSums sums = {};
    double all = 0, left = 0; ///< squares of B, and what the factors leave of them
    double least = std::numeric_limits<double>::infinity(), most = -least;
    std::uint64_t groups = 0;

    void add(std::pair<std::uint64_t, std::uint64_t> next, const FactorSums &piece, bool offset)
    {
        if (next != group)
            finish(offset);
        group = next;
        sums.add(piece);
    }
    void finish(bool offset)
    {
        const FactorSums fit = offset ? sums.centred() : sums;
        if (fit.aa > 0) {
            least = std::min(least, fit.ab / fit.aa);
            most = std::max(most, fit.ab / fit.aa);
        }
        all += fit.bb;
        left += std::max(0.0, fit.aa > 0 ? fit.bb - fit.ab * fit.ab / fit.aa : fit.bb);
        groups += sums.n > 0;
        sums = {};
    }
};

bool holdsCodes(ElementType type)
{
    return !isFloatingPoint(type) || bitWidth(type) <= 8;
}

/// Looks for one factor a row, a column or a block, the coarsest that explains B.
class FactorSearch
{
public:
    FactorSearch(const diff::PairReader &reader, const Shape &shape, bool codes, bool offset)
        : m_reader(reader), m_codes(codes), m_offset(offset), m_row(reader.elements() / shape[0]),
          m_line(shape.back() >= kPiece ? shape.back() : m_row)
    {
        if (shape.size() > 1 && shape[1] <= kMostColumns) {
            m_columns.resize(shape[1]);
            m_inner = m_row / shape[1];
        }
    }

    std::optional<ValueRule> run()
    {
        const std::uint64_t lines = m_reader.elements() / m_line;
        const auto places =
            diff::spreadPlaces(lines, std::clamp<std::uint64_t>(kMostRead / m_line, 1, lines));
        for (const std::uint64_t line : places)
            addLine(line);
        for (FactorGroups &groups : m_groups) {
            if (groups.kind == ValueRule::Kind::Columns) {
                for (const FactorSums &column : m_columns) {
                    groups.sums = column;
                    groups.finish(m_offset);
                }
            } else {
                groups.finish(m_offset);
            }
        }
        for (const FactorGroups &groups : m_groups) {
            const double left = groups.all > 0 ? std::sqrt(groups.left / groups.all) : 1;
            if (left <= (m_codes ? kMostOfCodes : kCloseRmse) && groups.least <= groups.most &&
                groups.groups * kElementsOfFactor <= places.size() * m_line)
                return ValueRule{groups.kind, m_codes,      groups.least,
                                 groups.most, groups.block, left};
        }
        return std::nullopt;
    }

private:
    void addLine(std::uint64_t line)
    {
        std::array<double, 4096> a{}, b{};
        static_assert(a.size() % kPiece == 0);
        for (std::uint64_t at = 0; at < m_line; at += a.size()) {
            const auto count =
                static_cast<std::size_t>(std::min<std::uint64_t>(a.size(), m_line - at));
            const std::uint64_t first = line * m_line + at;
            m_reader.readDoubles(first, std::span(a).first(count), std::span(b).first(count));
            for (std::size_t i = 0; i < count; i += kPiece) {
                FactorSums piece;
                for (std::size_t k = i; k < std::min<std::size_t>(count, i + kPiece); ++k) {
                    if (!std::isfinite(a[k]) || !std::isfinite(b[k]))
                        continue;
                    piece.add(a[k], b[k]);
                    if (!m_columns.empty())
                        m_columns[(first + k) / m_inner % m_columns.size()].add(a[k], b[k]);
                }
                addPiece(line, at + i, piece);
            }
        }
    }

    void addPiece(std::uint64_t line, std::uint64_t at, const FactorSums &piece)
    {
        for (FactorGroups &groups : m_groups) {
            switch (groups.kind) {
            case ValueRule::Kind::Scaled: groups.add({0, 0}, piece, m_offset); break;
            case ValueRule::Kind::Rows:
                groups.add({line * m_line / m_row, 0}, piece, m_offset);
                break;
            case ValueRule::Kind::Lines: groups.add({line, 0}, piece, m_offset); break;
            case ValueRule::Kind::Blocks:
                groups.add({line, at / groups.block}, piece, m_offset);
                break;
            default: break; // columns are summed apart
            }
        }
    }

    const diff::PairReader &m_reader;
    bool m_codes, m_offset;
    std::uint64_t m_row, m_line, m_inner = 1;
    std::vector<FactorSums> m_columns;
    std::array<FactorGroups, 8> m_groups{{{ValueRule::Kind::Scaled},
                                          {ValueRule::Kind::Rows},
                                          {ValueRule::Kind::Columns},
                                          {ValueRule::Kind::Lines},
                                          {ValueRule::Kind::Blocks, 128},
                                          {ValueRule::Kind::Blocks, 64},
                                          {ValueRule::Kind::Blocks, 32},
                                          {ValueRule::Kind::Blocks, kPiece}}};
};

/// Element of B for one of A, where axis order[i] of A is axis i of B.
std::uint64_t turned(std::uint64_t element, const Shape &shape, std::span<const std::size_t> order)
{
    const auto place = elementPlace(shape, element);
    std::uint64_t result = 0;
    for (const std::size_t axis : order)
        result = result * shape[axis] + place[axis];
    return result;
}

} // namespace

std::vector<std::uint64_t> weightFingerprints(const Bundle &bundle)
{
    std::vector<std::vector<ByteRange>> changes;
    for (const BundleFile &file : bundle.files())
        changes.push_back(file.file->changedRanges(kChangeGap));
    std::vector<std::uint64_t> prints;
    prints.reserve(bundle.weights().size());
    for (const Weight &weight : bundle.weights()) {
        Fingerprint print;
        print.add(weight.elements.value);
        for (const codec::Operand &operand : weight.operands()) {
            const OperandPlace &place = *operand.place;
            if (place.isLiteral()) {
                print.add(bundle.operandBytes(operand));
                continue;
            }
            const OverlaidFile &file = *bundle.files()[place.file].file;
            print.add(reinterpret_cast<std::uintptr_t>(&file));
            print.add(place.dataOffset.value);
            print.add(place.bytes.value);
            if (fitsInside(place.range(), file.size()))
                addEdits(print, file, changes[place.file], place.range());
        }
        prints.push_back(print.value());
    }
    return prints;
}

std::string_view ruleName(ValueRule::Kind kind)
{
    static constexpr std::array<std::string_view, 6> kNames{
        "scaled", "rows_scaled", "lines_scaled", "columns_scaled", "blocks_scaled", "transposed"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string ruleText(const ValueRule &rule)
{
    static constexpr std::array<std::string_view, 6> kWhat{
        "", "rows ", "rows of the last axis ", "columns ", "", ""};
    std::string text;
    if (rule.codes)
        text = "codes without their scales: ";
    if (rule.kind == ValueRule::Kind::Transposed) {
        text += "transposed";
    } else {
        text += kWhat[static_cast<std::size_t>(rule.kind)];
        if (rule.kind == ValueRule::Kind::Blocks)
            text += fmt::format("blocks of {} ", rule.block);
        text += fmt::format("scaled by {:.4g}", rule.least);
        if (rule.most - rule.least > kExactRmse * std::abs(rule.least))
            text += fmt::format(" to {:.4g}", rule.most);
    }
    if (rule.codes || rule.left <= kExactRmse)
        return text;
    return text + (rule.left <= kCloseRmse ? ", close" : ", similar");
}

std::optional<ValueRule> diff::findRule(const Bundle &a, std::size_t weightA, const Bundle &b,
                                        std::size_t weightB, const ValueDifference &values)
{
    if (values.relativeRmse <= kCloseRmse || values.changed < kElementsOfFactor)
        return std::nullopt;
    const ElementType from = a.weights()[weightA].type, to = b.weights()[weightB].type;
    const bool codes = holdsCodes(from) != holdsCodes(to);
    // What one factor leaves follows from the angle between the two.
    const double left = std::sqrt(std::max(0.0, 1 - values.cosine * values.cosine));
    if (left <= kCloseRmse)
        return ValueRule{ValueRule::Kind::Scaled, codes, values.scale, values.scale, 0, left};
    if (!codes && values.relativeRmse <= kSimilarRmse)
        return std::nullopt;
    const auto reader = PairReader::make(a, b, {weightA, weightB});
    if (!reader || reader->elements() == 0)
        return std::nullopt;
    // Integers may have a zero point.
    const bool offset = codes && !(isFloatingPoint(from) && isFloatingPoint(to));
    auto rule = FactorSearch(*reader, squeezed(a.weights()[weightA].shape), codes, offset).run();
    if (rule)
        return rule;
    // One that nearly equals its transpose is no better explained by that.
    rule = findTransposed(a, weightA, b, weightB);
    return rule && rule->left < values.relativeRmse ? rule : std::nullopt;
}

std::optional<ValueRule> diff::findTransposed(const Bundle &a, std::size_t weightA, const Bundle &b,
                                              std::size_t weightB)
{
    constexpr std::uint64_t kTurnedSamples = 4096, kLeastTurned = 8;
    // Of few elements some order fits by chance.
    constexpr std::size_t kLeastSimilar = 64;
    constexpr double kMostApart = kSimilarRmse * kSimilarRmse;
    constexpr std::size_t kMostAxes = 4;
    const Shape shape = squeezed(a.weights()[weightA].shape);
    const Shape shapeB = squeezed(b.weights()[weightB].shape);
    const auto reader = PairReader::make(a, b, {weightA, weightB});
    if (!reader || shape.size() < 2 || shape.size() > kMostAxes || shape.size() != shapeB.size() ||
        reader->elements() < kLeastTurned)
        return std::nullopt;
    const auto places =
        spreadPlaces(reader->elements(), std::min(reader->elements(), kTurnedSamples));
    const auto valueOf = [](const codec::Decoder &decoder, std::uint64_t element) {
        double value = 0;
        decodeDoubles(decoder, element, std::span(&value, 1));
        return value;
    };
    std::vector<double> values;
    double squares = 0, sum = 0;
    for (const std::uint64_t place : places) {
        values.push_back(valueOf(reader->a(), place));
        squares += values.back() * values.back();
        sum += values.back();
    }
    // What all values have in common is similar in every order.
    const double spread = squares - sum * sum / static_cast<double>(values.size());
    std::optional<ValueRule> rule;
    std::vector<std::size_t> order(shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    while (std::next_permutation(order.begin(), order.end())) {
        if (!std::equal(
                order.begin(), order.end(), shapeB.begin(),
                [&](std::size_t axis, std::uint64_t extent) { return shape[axis] == extent; }))
            continue;
        double apart = 0;
        // The first few tell nearly always.
        for (std::size_t i = 0; i < places.size() && apart <= kMostApart * squares; ++i) {
            const double other = valueOf(reader->b(), turned(places[i], shape, order));
            apart += (values[i] - other) * (values[i] - other);
        }
        const double left = squares > 0 ? std::sqrt(apart / squares) : 1;
        const bool similar = places.size() >= kLeastSimilar && apart < kMostApart * spread;
        if ((left <= kCloseRmse || similar) && (!rule || left < rule->left))
            rule = ValueRule{ValueRule::Kind::Transposed, false, 1, 1, 0, left};
    }
    return rule;
}

} // namespace kernscope
