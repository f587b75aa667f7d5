// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/aimodel/form_builder.h"

#include "core/base/error_builder.h"
#include "core/bundle/stored_bytes.h"
#include "core/container/mil/program.h"
#include "core/form/constant_order.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace kernscope::aimodel {

using codec::Encoding;
using codec::Operand;
using codec::OperandSource;
using codec::Scaling;

namespace {

constexpr unsigned kMostNested = 40;                             ///< steps of one chain
constexpr std::uint64_t kMostUnrolled = std::uint64_t(64) << 20; ///< elements
constexpr std::uint64_t kMostCounted = std::uint64_t(8) << 20;   ///< bits of a mask, on opening

/// Bits of the numbers that a type holds exactly: those of its mantissa, or of its integers.
unsigned exactBits(ElementType type)
{
    switch (type) {
    case ElementType::Fp64: return 53;
    case ElementType::Fp32: return 24;
    case ElementType::Fp16: return 11;
    case ElementType::Bf16: return 8;
    case ElementType::Fp8E4M3Fn: return 4;
    case ElementType::Fp8E5M2: return 3;
    case ElementType::Fp4E2M1: return 2;
    case ElementType::Fp8E8M0: return 1;
    case ElementType::Bool: return 1;
    default: return bitWidth(type);
    }
}

/// Whether a cast loses nothing.
bool holdsAll(ElementType from, ElementType to)
{
    if (from == to || to == ElementType::Fp64)
        return true;
    if (isFloatingPoint(from)) {
        const bool wide = from == ElementType::Bf16 || from == ElementType::Fp8E8M0;
        return isFloatingPoint(to) && exactBits(to) >= exactBits(from) &&
               bitWidth(to) > bitWidth(from) &&
               (!wide || to == ElementType::Fp32 || to == ElementType::Bf16);
    }
    if (isFloatingPoint(to))
        return exactBits(from) <= exactBits(to) && bitWidth(to) >= 16;
    return isSignedInteger(from) == isSignedInteger(to)
               ? bitWidth(to) >= bitWidth(from)
               : isSignedInteger(to) && bitWidth(to) > bitWidth(from);
}

/// What the runtime (coreai-core 1.0.0b3, Linux) makes of a number that is cast, where it is not
/// the nearest one of the type; else nothing.
std::string_view departure(ElementType from, ElementType to, double value)
{
    const double size = std::abs(value);
    if (from == ElementType::Fp16 && (to == ElementType::Fp32 || to == ElementType::Fp64))
        return size > 0 && size < 0x1p-14 ? "far smaller ones of fp16 numbers below 2^-14" : "";
    if (to == ElementType::Fp8E4M3Fn && !isFloatingPoint(from))
        return size >= 248 ? "NaN of whole numbers from 248 on, and 448 from 496 on" : "";
    if (to == ElementType::Fp8E4M3Fn && size > 448 && size <= 464)
        return "NaN of numbers above 448";
    if (to == ElementType::Fp8E5M2 && isFloatingPoint(from) && size > 57344 && size < 61440)
        return "infinities of numbers above 57344";
    const bool native =
        from == ElementType::Fp16 || from == ElementType::Fp32 || from == ElementType::Fp64;
    if (!native || isFloatingPoint(to) || bitWidth(to) < 8 || to == ElementType::Bool ||
        to == ElementType::Uint16 || to == ElementType::Uint64)
        return {};
    const bool word = to == ElementType::Uint32;
    const bool narrow = from == ElementType::Fp64 && bitWidth(to) < 32; // by way of 16 or 32 bits
    const double end = std::ldexp(1, narrow              ? static_cast<int>(bitWidth(to))
                                     : bitWidth(to) > 32 ? 63
                                     : word              ? 32
                                                         : 31);
    const bool other =
        std::isnan(value) ? to != ElementType::Uint8 : value >= end || (word && value <= -1);
    return other ? "others of numbers that the type cannot hold" : "";
}

/// One stored operand and nothing else.
Operand *plainOperand(Encoding &encoding)
{
    const bool plain = !encoding.mask && !encoding.palette && !encoding.scaling;
    return plain ? std::get_if<Operand>(&encoding.payload) : nullptr;
}

/// The type of the numbers before any conversion.
ElementType baseType(const Encoding &encoding)
{
    return codec::sourceType(encoding.palette ? encoding.palette->lut : encoding.payload);
}

/// Its values as the payload of another encoding.
BuiltValue nested(BuiltValue inner)
{
    BuiltValue outer;
    outer.type = inner.type;
    outer.encoding.type = inner.type;
    outer.encoding.shape = inner.encoding.shape;
    outer.encoding.converts = inner.type != inner.encoding.type;
    outer.encoding.payload = std::make_shared<const Encoding>(std::move(inner.encoding));
    return outer;
}

/// Values that another encoding makes, read as another shape or in another order.
bool isReading(const Encoding &encoding)
{
    return !encoding.mask && !encoding.palette && !encoding.scaling &&
           !codec::storedOperand(encoding.payload);
}

/// Encodings inside of one another, itself included.
unsigned nesting(const Encoding &encoding)
{
    unsigned inside = 0;
    const auto look = [&inside](const OperandSource &source) {
        if (const auto *made = std::get_if<std::shared_ptr<const Encoding>>(&source))
            inside = std::max(inside, nesting(**made));
    };
    look(encoding.payload);
    if (encoding.palette)
        look(encoding.palette->lut);
    if (const auto &scaling = encoding.scaling) {
        look(scaling->scale);
        for (const auto *table : {&scaling->offset, &scaling->bias}) {
            if (*table)
                look(**table);
        }
    }
    return inside + 1;
}

/// Whether a scaling or a mask can be added to it as it is.
bool takesScaling(const BuiltValue &built)
{
    const Encoding &encoding = built.encoding;
    return !encoding.scaling && built.type == encoding.type &&
           (!encoding.converts || holdsAll(baseType(encoding), encoding.type));
}

bool isSplat(const OperandSource &source)
{
    const Operand *operand = codec::storedOperand(source);
    return operand && operand->order && operand->place->lock == EditLock::OneNumber;
}

/// One number in place of the same number for each block.
OperandSource asOne(OperandSource source)
{
    Operand operand = std::get<Operand>(std::move(source));
    operand.order = nullptr;
    OperandPlace place = *operand.place;
    place.pieces.clear();
    place.lock = EditLock::None;
    operand.place = std::make_shared<const OperandPlace>(std::move(place));
    const Shape ones(operand.shape.size(), 1);
    return readAs(std::move(operand), operand.type, ones);
}

} // namespace

ModuleForms::ModuleForms(const ModuleGraph &graph, std::size_t file, std::string path,
                         DiagnosticLog &log)
    : FormBuilder(file, std::move(path), graph.module().bytes, "aimodel.form", log), m_graph(graph),
      m_module(graph.module()), m_uses(mlir::constantUses(m_module))
{
}

Error FormBuilder::fault(std::uint32_t value, std::string_view code, std::string_view field,
                         std::string expected, std::string found, std::string message) const
{
    ErrorBuilder error(code);
    error.file(m_path)
        .field(field)
        .expected(std::move(expected))
        .found(std::move(found))
        .message(std::move(message));
    const ByteRange at = place(value);
    return at.bytes.value > 0 ? error.at(at.offset).length(at.bytes) : error;
}

void FormBuilder::warn(std::uint32_t value, std::string_view code, std::string expected,
                       std::string found, std::string message)
{
    m_log.add(Severity::Warning,
              fault(value, code, {}, std::move(expected), std::move(found), std::move(message)));
}

FormBuilder::Operands ModuleForms::operandsOf(std::uint32_t value) const
{
    return m_module.operandsOf(m_module.operations[*m_graph.maker(value)]);
}

ByteRange ModuleForms::place(std::uint32_t value) const
{
    const auto maker = m_graph.maker(value);
    return maker ? m_module.operations[*maker].range : ByteRange();
}

std::span<const std::byte> FormBuilder::bytesOf(const Operand &operand) const
{
    const OperandPlace &place = *operand.place;
    if (place.isLiteral())
        return place.literal->bytes;
    return place.pieces.empty() ? m_bytes.subspan(place.dataOffset.value, place.bytes.value)
                                : m_bytes;
}

const Operand &FormBuilder::know(Operand operand)
{
    return m_known.emplace_back(std::move(operand));
}

Result<BuiltValue> FormBuilder::weight(std::uint32_t value)
{
    m_known.clear();
    m_absent.clear();
    m_depth = 0;
    auto built = TRY(build(value, PartRole::Data));
    if (nesting(built.encoding) > codec::kMaxChainedOps)
        return refuse(value, m_code, "operation",
                      fmt::format("at most {} encodings of encodings", codec::kMaxChainedOps),
                      "more", "The steps of a form feed one another too deeply.");
    noteAbsent(built.encoding, value);
    return built;
}

void FormBuilder::setForm(Weight &weight, Result<BuiltValue> built, FormNode node,
                          DiagnosticLog &log)
{
    if (built) {
        weight.type = built->type;
        weight.shape = built->encoding.shape;
        weight.elements = elementCount(weight.shape).value_or(ElementCount());
        weight.detail = formFigures(built->encoding);
        weight.form = StorageForm(std::move(built->encoding));
    } else {
        weight.form = StorageForm::unsound(node, weight.type, std::move(m_known));
        weight.fault = built.error();
        log.add(Severity::Error, std::move(built.error()));
    }
    StoredBytes sum;
    sum.add(weight.operands());
    weight.storedBytes = sum.sum();
}

/// Whether another constant has these bytes too, as a weight or as anything else.
bool ModuleForms::isShared(const mlir::ConstantBytes &data) const
{
    return m_uses.byAttribute[data.attribute].size() > 1 ||
           (data.resource != mlir::kNone && m_uses.byResource[data.resource].size() > 1);
}

/// What the bytes of a constant are (coreai-format.md, section 6).
Result<Operand> ModuleForms::constant(std::uint32_t value, PartRole role)
{
    const auto info = m_graph.tensor(value);
    const auto shape = info ? info->shape() : std::nullopt;
    const auto count = shape ? elementCount(*shape) : std::nullopt;
    const unsigned width = info ? bitWidth(info->element) : 0;
    const auto packed = count ? packedBytes(*count, info->element) : std::nullopt;
    if (!packed || width == 0 || !packedBytes(*count, ElementType::Fp64))
        return refuse(value, "aimodel.constant", "type",
                      "a tensor of numbers whose size fits 64 bits",
                      shape ? shapeText(*shape) : std::string("another type"),
                      "The type of a constant cannot be used.");
    const auto data = mlir::constantBytes(
        m_module, m_module.attributeOf(m_module.operations[*m_graph.maker(value)], "value"));
    if (!data)
        return refuse(value, "aimodel.constant", "value", "elements or a resource", "none",
                      "A constant has no bytes in the file.");
    OperandPlace place = placeAt(m_file, data->data);
    place.shared = isShared(*data);
    const std::uint64_t held = data->data.bytes.value;
    const std::uint64_t numbers = info->complex ? 2 : 1;
    std::shared_ptr<const codec::ElementOrder> order;
    std::uint64_t needed = packed->value;
    if (data->splat && info->element != ElementType::Bool && count->value > numbers) {
        needed = (numbers * width + 7) / 8;
        order = codec::splatOrder(count->value, width, place.dataOffset, numbers);
        place.lock = EditLock::OneNumber;
    } else if (width < 8 && held == count->value && held != needed) {
        order = codec::oneAByteOrder(count->value, width, place.dataOffset);
        needed = held;
        warn(value, "aimodel.one_code_a_byte", fmt::format("{} bytes, codes packed", packed->value),
             fmt::format("{} bytes, one for each of {} codes", held, count->value),
             fmt::format("Codes of {} bits are stored one a byte, and shown as that was meant. The "
                         "runtime reads the first {} bytes as packed codes: other values.",
                         width, packed->value));
    }
    if (held < needed) {
        Error error = fault(value, "aimodel.constant", partRoleName(role),
                            fmt::format("{} bytes for {} of {}", needed, shapeText(*shape),
                                        elementTypeName(info->element)),
                            fmt::format("{} bytes", held), "A constant is cut short.");
        error.offset = data->data.offset;
        return tl::unexpected(std::move(error));
    }
    if (place.bytes.value > needed && info->element != ElementType::Uint6)
        warn(value, "aimodel.constant_long", fmt::format("{} bytes", needed),
             fmt::format("{} bytes", held), "A constant has more bytes than its type needs.");
    place.bytes = ByteCount(needed);
    if (order)
        place = codec::inPieces(std::move(place));
    return know(operandAt(role, info->element, *shape, std::move(place), std::move(order)));
}

Result<Operand> FormBuilder::unrolled(Operand operand, std::uint32_t value)
{
    if (!operand.order)
        return operand;
    const std::uint64_t count = elementCount(operand.shape)->value;
    if (count > kMostUnrolled)
        return refuse(value, m_code, partRoleName(operand.role),
                      fmt::format("at most {} elements", kMostUnrolled), fmt::format("{}", count),
                      "A constant that is not stored row by row is too large.");
    operand.bytes = bytesOf(operand);
    auto literal = std::make_shared<mil::Literal>();
    literal->element = operand.type;
    literal->count = count;
    literal->bytes = codec::gathered(operand, count);
    auto whole = operandAt(operand.role, operand.type, operand.shape,
                           placeOf(literal, ByteCount(literal->bytes.size())));
    whole.bytes = whole.place->literal->bytes; // of a mask that is transposed
    return whole;
}

Result<OperandSource> FormBuilder::source(std::uint32_t value, PartRole role)
{
    auto built = TRY(build(value, role));
    Operand *plain = plainOperand(built.encoding);
    if (plain && !built.encoding.converts)
        return OperandSource(std::move(*plain));
    if (built.type != built.encoding.type)
        built = nested(std::move(built));
    return OperandSource(std::make_shared<const Encoding>(std::move(built.encoding)));
}

FormBuilder::Built FormBuilder::build(std::uint32_t value, PartRole role)
{
    if (m_depth >= kMostNested)
        return refuse(value, m_code, "operation", fmt::format("at most {} steps", kMostNested),
                      "more", "The steps of a form feed one another too deeply.");
    ++m_depth;
    Built built = dispatch(value, role);
    --m_depth;
    return built;
}

FormBuilder::Built FormBuilder::dispatch(std::uint32_t value, PartRole role)
{
    const CoreAiStep step = this->step(value);
    const auto operands = step == CoreAiStep::None ? Operands() : operandsOf(value);
    // By step, in the order of the enumeration.
    static constexpr std::array<std::size_t, 11> kLeast{0, 0, 3, 3, 3, 2, 1, 3, 1, 2, 2};
    const std::size_t least = kLeast[static_cast<std::size_t>(step)];
    if (operands.size() < least)
        return refuse(value, m_code, "operands", fmt::format("{} operands", least),
                      fmt::format("{}", operands.size()), "An operation lacks operands.");
    switch (step) {
    case CoreAiStep::Constant: {
        auto operand = TRY(constant(value, role));
        BuiltValue built;
        built.type = built.encoding.type = operand.type;
        built.encoding.shape = operand.shape;
        built.encoding.payload = std::move(operand);
        return built;
    }
    case CoreAiStep::Cast: return cast(value, role);
    case CoreAiStep::Reshape: return reshape(value, role);
    case CoreAiStep::Transpose: return transpose(value, role);
    case CoreAiStep::LutToDense: return lut(value, false);
    case CoreAiStep::LutToSparse: return lut(value, true);
    case CoreAiStep::ShiftScale: return shiftScale(value, role);
    case CoreAiStep::Dequantize: return dequantize(value, role);
    case CoreAiStep::BuildSparse: return buildSparse(value);
    case CoreAiStep::SparseToDense: return build(operands[0], PartRole::NonzeroData);
    case CoreAiStep::None: break;
    }
    return refuse(value, m_code, "operation", "a constant", "another value",
                  "An operand of a form is not a constant.");
}

FormBuilder::Built FormBuilder::cast(std::uint32_t value, PartRole role)
{
    auto built = build(operandsOf(value)[0], role);
    const auto info = tensor(value);
    if (!built)
        return built;
    if (!info || bitWidth(info->element) == 0)
        return refuse(value, m_code, "result", "a tensor of numbers", "another type",
                      "A cast makes no numbers.");
    warnOfJoinedCasts(value);
    const Encoding &inner = built->encoding;
    if (!inner.scaling && !inner.converts)
        warnOfNumbers(value, inner.palette ? inner.palette->lut : inner.payload, info->element);
    if (inner.scaling && holdsAll(built->type, info->element)) {
        built->type = info->element; // its values stay
        return built;
    }
    if (!takesScaling(*built))
        built = nested(std::move(*built));
    built->encoding.converts = true;
    built->type = built->encoding.type = info->element;
    return built;
}

/// The runtime makes one cast of two where one of the types is none of its processor's own, and the
/// second cast is not to a wider type than the first one kept.
void FormBuilder::warnOfJoinedCasts(std::uint32_t value)
{
    const std::uint32_t inner = operandsOf(value)[0];
    if (step(inner) != CoreAiStep::Cast || operandsOf(inner).empty())
        return;
    const auto from = tensor(operandsOf(inner)[0]), between = tensor(inner), to = tensor(value);
    if (!from || !between || !to || holdsAll(from->element, between->element))
        return;
    const auto isOther = [](ElementType type) {
        return type == ElementType::Bf16 || type == ElementType::Fp8E4M3Fn ||
               type == ElementType::Fp8E5M2 || type == ElementType::Uint16 ||
               type == ElementType::Uint64;
    };
    const auto bits = [](ElementType type) {
        return type == ElementType::Bool ? 1U : bitWidth(type);
    };
    if ((isOther(from->element) || isOther(between->element)) &&
        std::min(bits(from->element), bits(to->element)) <= bits(between->element))
        warn(value, "aimodel.joined_casts", "one cast",
             fmt::format("{} to {} to {}", elementTypeName(from->element),
                         elementTypeName(between->element), elementTypeName(to->element)),
             "Shown as documented: the runtime joins the two casts, and its values are not rounded "
             "in between.");
}

/// Of stored numbers that are read to be cast, or as fp16 to be calculated with.
void FormBuilder::warnOfNumbers(std::uint32_t value, const OperandSource &source, ElementType to)
{
    const Operand *stored = codec::storedOperand(source);
    if (!stored || (!isFloatingPoint(stored->type) && to != ElementType::Fp8E4M3Fn))
        return;
    Operand operand = *stored;
    operand.bytes = bytesOf(operand);
    const std::uint64_t count = std::min(elementCount(operand.shape)->value, m_toLookAt);
    m_toLookAt -= count;
    std::string_view becomes;
    double first = 0;
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const double number = codec::operandValue(operand, i).value_or(0);
        const std::string_view other = departure(operand.type, to, number);
        if (!other.empty() && found++ == 0) {
            first = number;
            becomes = other;
        }
    }
    if (found > 0)
        warn(value, "aimodel.cast_values",
             fmt::format("numbers that the runtime reads as {} as they are", elementTypeName(to)),
             fmt::format("{} of {}, the first one {}", found, count, first),
             fmt::format("Shown as documented: the runtime makes {}.", becomes));
}

FormBuilder::Built FormBuilder::reshape(std::uint32_t value, PartRole role)
{
    auto built = TRY(build(operandsOf(value)[0], role));
    const auto info = tensor(value);
    const auto shape = info ? info->shape() : std::nullopt;
    if (!shape || elementCount(*shape) != elementCount(built.encoding.shape))
        return refuse(value, "codec.shape", "result",
                      fmt::format("the elements of {}", shapeText(built.encoding.shape)),
                      shape ? shapeText(*shape) : std::string("open extents"),
                      "A constant is reshaped to another number of elements.");
    if (Operand *plain = plainOperand(built.encoding))
        *plain = readAs(std::move(*plain), plain->type, *shape);
    else if (!isReading(built.encoding))
        built = nested(std::move(built));
    built.encoding.shape = *shape;
    return built;
}

FormBuilder::Built FormBuilder::transpose(std::uint32_t value, PartRole role)
{
    const auto info = tensor(value);
    const std::size_t rank = info ? info->shape().value_or(Shape()).size() : 0;
    std::vector<std::size_t> axes(rank), all(rank);
    std::iota(all.begin(), all.end(), std::size_t{0});
    axes = all;
    // One after the other is one.
    std::uint32_t of = value;
    bool whole = true;
    do {
        const auto numbers = integers(operandsOf(of)[1]).value_or(std::vector<std::int64_t>());
        whole =
            whole && std::is_permutation(numbers.begin(), numbers.end(), all.begin(), all.end());
        for (std::size_t &axis : axes)
            axis = whole ? static_cast<std::size_t>(numbers[axis]) : 0;
        of = operandsOf(of)[0];
    } while (whole && step(of) == CoreAiStep::Transpose && operandsOf(of).size() > 1);
    auto built = TRY(build(of, role));
    Encoding &encoding = built.encoding;
    if (!whole || encoding.shape.size() != rank)
        return refuse(value, "codec.shape", "permutation",
                      fmt::format("each axis of {} once", rank), "something else",
                      "A constant is transposed by no permutation.");
    Encoding turned = encoding;
    if (codec::turnAxes(turned, axes)) {
        encoding = std::move(turned);
        return built;
    }
    // Its values are read in another order.
    const Shape made = encoding.shape;
    if (!isReading(encoding))
        built = nested(std::move(built));
    encoding.view = codec::permutedOrder({made, axes, 8, encoding.view});
    for (std::size_t i = 0; i < rank; ++i)
        encoding.shape[i] = made[axes[i]];
    return built;
}

FormBuilder::Built FormBuilder::lut(std::uint32_t value, bool sparse)
{
    const auto operands = operandsOf(value);
    auto built = TRY(build(operands[0], PartRole::Indices));
    Encoding &encoding = built.encoding;
    auto *indices = std::get_if<Operand>(&encoding.payload);
    const bool stored = indices && !encoding.palette && !encoding.scaling && !encoding.converts &&
                        encoding.mask.has_value() == sparse;
    if (!stored || !isUnsignedInteger(indices->type) || bitWidth(indices->type) > 8)
        return refuse(value, "codec.codebook", "indices", "stored indices of 1 to 8 bits",
                      indices ? std::string(elementTypeName(indices->type))
                              : std::string("a made value"),
                      "The indices of a palette are not read.");
    indices->role = PartRole::Indices;
    auto table = TRY(source(operands[1], PartRole::Lut));
    const Shape books = codec::sourceShape(table);
    const std::size_t rank = encoding.shape.size();
    const bool divides = books.size() == rank + 2 &&
                         codec::dividesInto(std::span(books).first(rank), encoding.shape);
    const std::uint64_t entries = std::uint64_t{1} << bitWidth(indices->type);
    if (!divides || books[rank] != entries || books[rank + 1] == 0)
        return refuse(value, "codec.codebook", "lut",
                      fmt::format("{} entries, and extents that divide {}", entries,
                                  shapeText(encoding.shape)),
                      shapeText(books), "The codebooks do not fit the indices.");
    codec::Palette palette;
    palette.grid.assign(books.begin(), books.end() - 2);
    palette.entries = entries;
    palette.vector = books[rank + 1];
    const auto numbers = integers(operands[2]);
    std::int64_t axis = numbers && numbers->size() == 1 ? numbers->front() : 0;
    axis += axis < 0 ? static_cast<std::int64_t>(rank) : 0;
    if (palette.vector > 1) {
        const auto longer =
            axis >= 0 && static_cast<std::size_t>(axis) < rank && numbers
                ? checkedMultiply(encoding.shape[static_cast<std::size_t>(axis)], palette.vector)
                : std::nullopt;
        if (!longer)
            return refuse(value, "codec.shape", "axis", fmt::format("an axis of {}", rank),
                          fmt::format("{}", axis), "The vectors of a palette lie along no axis.");
        palette.vectorAxis = static_cast<std::uint64_t>(axis);
        encoding.shape[palette.vectorAxis] = *longer;
        if (sparse && axis != static_cast<std::int64_t>(rank) - 1)
            warn(value, "aimodel.sparse_vectors", "vectors along the last axis",
                 fmt::format("axis {}", axis),
                 "Shown as documented: the runtime fills the repeated mask row by row with one "
                 "vector after the other, which are other values.");
    }
    const bool severalBooks = *elementCount(palette.grid) != ElementCount(1);
    if (indices->order && (severalBooks || sparse)) {
        auto whole = TRY(unrolled(std::move(*indices), value));
        *indices = std::move(whole);
    }
    encoding.type = built.type = codec::sourceType(table);
    palette.lut = std::move(table);
    encoding.palette = std::move(palette);
    return built;
}

/// Scale, offset and bias (operands 1 to 3), all of one shape, or the offsets of one number.
Result<void> FormBuilder::addScaling(BuiltValue &built, std::uint32_t value, Operands operands,
                                     bool oneIsEnough)
{
    Scaling scaling;
    scaling.kind = Scaling::Kind::Blockwise;
    scaling.steps = Scaling::Steps::Difference;
    auto scale = TRY(source(operands[1], PartRole::Scale));
    const Shape blocks = codec::sourceShape(scale);
    std::vector<OperandSource> offsets;
    for (std::size_t i = 2; i < std::min<std::size_t>(operands.size(), 4); ++i) {
        auto offset = TRY(source(operands[i], i == 2 ? PartRole::Offset : PartRole::Bias));
        const Shape &own = codec::sourceShape(offset);
        if (own != blocks && !(oneIsEnough && elementCount(own) == ElementCount(1)))
            return refuse(value, "codec.scale", i == 2 ? "offset" : "bias", shapeText(blocks),
                          shapeText(codec::sourceShape(offset)),
                          "The offsets do not match the scales.");
        offsets.push_back(std::move(offset));
    }
    const bool allOne = std::ranges::all_of(offsets, isSplat);
    scaling.scale = isSplat(scale) && allOne ? asOne(std::move(scale)) : std::move(scale);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        auto &slot = i == 0 ? scaling.offset : scaling.bias;
        slot = isSplat(offsets[i]) ? asOne(std::move(offsets[i])) : std::move(offsets[i]);
    }
    const auto info = tensor(value);
    const ElementType type = info ? info->element : ElementType::Unknown;
    const ElementType scaleType = codec::sourceType(scaling.scale);
    if (type != ElementType::Fp16 && type != ElementType::Fp32 && type != ElementType::Bf16)
        return refuse(value, "codec.type", "result", "fp16, fp32 or bf16",
                      std::string(elementTypeName(type)), "Scaled values have another type.");
    if (scaleType != type && scaleType != ElementType::Fp8E8M0)
        warn(value, "aimodel.mixed_scale", std::string(elementTypeName(type)),
             std::string(elementTypeName(scaleType)),
             "The scales have another type than the result. Shown as documented: the runtime reads "
             "their bytes as numbers of the result's type.");
    built.encoding.scaling = std::move(scaling);
    built.encoding.converts = false;
    built.encoding.type = built.type = type;
    return {};
}

FormBuilder::Built FormBuilder::shiftScale(std::uint32_t value, PartRole role)
{
    const auto operands = operandsOf(value);
    auto built = TRY(build(operands[0], role));
    const ElementType data = built.type;
    if (!takesScaling(built))
        built = nested(std::move(built));
    TRY(addScaling(built, value, operands, false));
    const Shape &shape = built.encoding.shape;
    const auto declared = tensor(operands[1]);
    const Shape blocks = declared ? declared->shape().value_or(Shape()) : Shape();
    if (!codec::dividesInto(blocks, shape))
        return refuse(value, "codec.scale", "scale", "extents that divide " + shapeText(shape),
                      shapeText(blocks), "The scales do not divide the data into equal blocks.");
    // Blocks along the last axis alone, of one element too.
    const bool rows = !shape.empty() && std::equal(shape.begin(), shape.end() - 1, blocks.begin());
    if (rows && bitWidth(data) >= 8)
        built.encoding.scaling->steps = Scaling::Steps::Product;
    built.encoding.scaling->scalesGaps = built.encoding.mask.has_value();
    return built;
}

FormBuilder::Built FormBuilder::dequantize(std::uint32_t value, PartRole role)
{
    const auto operands = operandsOf(value);
    auto built = TRY(build(operands[0], role));
    if (!takesScaling(built))
        built = nested(std::move(built));
    const Shape shape = built.encoding.shape;
    TRY(addScaling(built, value, operands, true));
    // One number, or one for each index of the axis.
    Shape grid(shape.size(), 1);
    const Shape scales = codec::sourceShape(built.encoding.scaling->scale);
    const auto numbers = operands.size() > 4 ? integers(operands[4]) : std::nullopt;
    const auto count = elementCount(scales).value_or(ElementCount());
    if (count.value != 1) {
        const auto rank = static_cast<std::int64_t>(shape.size());
        std::int64_t axis = numbers && numbers->size() == 1 ? numbers->front() : rank;
        if (axis < 0)
            warn(value, "aimodel.negative_axis", "an axis from 0", fmt::format("{}", axis),
                 "The axis is counted from the end. Shown as meant: the runtime scales every "
                 "element by the first scale.");
        axis += axis < 0 ? rank : 0;
        const bool fits =
            axis >= 0 && axis < rank && shape[static_cast<std::size_t>(axis)] == count.value;
        if (!fits)
            return refuse(value, "codec.scale", "scale",
                          "one number, or one for each index of the axis", shapeText(scales),
                          "The scales do not fit the axis.");
        grid[static_cast<std::size_t>(axis)] = count.value;
    }
    const auto lay = [&](OperandSource &source) {
        auto *operand = std::get_if<Operand>(&source);
        if (!operand)
            return false;
        const bool one = elementCount(operand->shape) == ElementCount(1);
        *operand = readAs(std::move(*operand), operand->type, one ? Shape(shape.size(), 1) : grid);
        return true;
    };
    Scaling &scaling = *built.encoding.scaling;
    warnOfNumbers(value, scaling.scale, ElementType::Fp32);
    if (scaling.bias)
        warnOfNumbers(value, *scaling.bias, ElementType::Fp32);
    const bool laid = lay(scaling.scale) && (!scaling.offset || lay(*scaling.offset)) &&
                      (!scaling.bias || lay(*scaling.bias));
    if (!laid)
        return refuse(value, m_code, "scale", "stored scales and offsets", "made values",
                      "Scales of dequantize are made by operations.");
    scaling.scalesGaps = built.encoding.mask.has_value();
    return built;
}

FormBuilder::Built FormBuilder::buildSparse(std::uint32_t value)
{
    const auto operands = operandsOf(value);
    auto mask = TRY(build(operands[1], PartRole::Mask));
    Operand *bits = plainOperand(mask.encoding);
    if (!bits || bits->type != ElementType::Uint1)
        return refuse(value, "codec.mask", "mask", "stored bits",
                      bits ? std::string(elementTypeName(bits->type)) : std::string("a made value"),
                      "The mask is not read.");
    auto packedMask = TRY(unrolled(std::move(*bits), value));
    auto built = TRY(build(operands[0], PartRole::NonzeroData));
    const auto kept = elementCount(built.encoding.shape).value_or(ElementCount());
    TRY(checkMask(value, packedMask, kept.value));
    Encoding &values = built.encoding;
    const auto *payload = std::get_if<Operand>(&values.payload);
    const bool oneBook =
        !values.palette ||
        (*elementCount(values.palette->grid) == ElementCount(1) && values.palette->vector == 1);
    const bool inPlace = payload && !payload->order && !values.mask && !values.scaling && oneBook &&
                         built.type == values.type;
    if (!inPlace)
        built = nested(std::move(built));
    if (built.encoding.palette)
        built.encoding.palette->grid.clear();
    built.encoding.shape = packedMask.shape;
    built.encoding.mask = std::move(packedMask);
    return built;
}

/// Of small masks the bits are counted as well; those of large ones are when payloads are checked.
Result<void> FormBuilder::checkMask(std::uint32_t value, const Operand &mask, std::uint64_t kept)
{
    const std::uint64_t bits = elementCount(mask.shape)->value;
    const bool counted = bits <= kMostCounted;
    const std::uint64_t ones = counted ? countBits(bytesOf(mask), 0, bits) : bits;
    if (counted ? ones == kept : kept <= ones)
        return {};
    return refuse(value, "codec.mask", "nonzero_data",
                  counted ? fmt::format("{} values, one for each bit that is set", ones)
                          : fmt::format("at most {} values", ones),
                  fmt::format("{} values", kept), "The mask does not match its values.");
}

/// An absent element is code 0: with a zero point that is not 0 it is no zero.
void FormBuilder::noteAbsent(const Encoding &encoding, std::uint32_t value)
{
    const auto &scaling = encoding.scaling;
    if (!encoding.mask || !scaling || !scaling->scalesGaps || !scaling->offset)
        return;
    const Operand *stored = codec::storedOperand(*scaling->offset);
    if (!stored)
        return;
    Operand offset = *stored;
    offset.bytes = bytesOf(offset);
    const std::uint64_t count = elementCount(offset.shape)->value;
    for (std::uint64_t i = 0; i < count; ++i) {
        const double zero = codec::operandValue(offset, i).value_or(0);
        if (zero == 0)
            continue;
        m_absent = fmt::format("code 0, which is (0 - {}) x scale", zero);
        warn(value, "aimodel.absent_not_zero", "a zero point of 0", fmt::format("{}", zero),
             "Elements that the mask leaves out are code 0, and with this zero point no zeros: the "
             "network computes with (0 - zero point) x scale in their place.");
        return;
    }
}

} // namespace kernscope::aimodel
