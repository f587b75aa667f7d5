// SPDX-License-Identifier: GPL-3.0-or-later
// Checks an encoding and works out its tables. Nothing here trusts a number of the operands.

#include "core/codec/decode/decoder_state.h"
#include "core/codec/decode/ordered.h"
#include "core/codec/microscaled/microscaled.h"
#include "core/form/operand_place.h"

#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

constexpr std::uint64_t kMaxTable = std::uint64_t{1} << 26; // elements of a codebook or scale
                                                            // that another op makes

bool isNumeric(ElementType type)
{
    return bitWidth(type) != 0;
}

bool allAre(const Operand &table, bool (*is)(double))
{
    const std::uint64_t count = elementCount(table.shape)->value;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (!is(loadValue(table.bytes, table.type, i)))
            return false;
    }
    return true;
}

} // namespace

/// Elements of an operand's shape, where it has the bytes for them.
Result<std::uint64_t> checkOperand(const Operand &operand);

/// Makes decoders of encodings that are operands of other encodings.
class DecoderMaker
{
public:
    /// As Decoder::make; `depth` counts the ops above this one.
    static Result<Decoder> make(Encoding encoding, unsigned depth);
};

/// Builds the state of one encoding, step by step.
class EncodingMaker
{
public:
    EncodingMaker(Encoding encoding, unsigned depth)
        : m_state(std::make_shared<Decoder::State>()), m_depth(depth)
    {
        m_state->encoding = std::move(encoding);
    }

    Result<std::shared_ptr<const Decoder::State>> make()
    {
        if (m_depth >= kMaxChainedOps)
            return refused("codec.shape", "data",
                           fmt::format("at most {} ops in a row", kMaxChainedOps), "more",
                           "Weight ops feed each other too deeply");
        for (const auto step :
             {&EncodingMaker::elements, &EncodingMaker::payload, &EncodingMaker::palette,
              &EncodingMaker::mask, &EncodingMaker::payloadLength, &EncodingMaker::scaling,
              &EncodingMaker::resultType}) {
            TRY((this->*step)());
        }
        return m_state;
    }

private:
    using Step = Result<void>;
    const Encoding &encoding() const { return m_state->encoding; }
    Step elements()
    {
        if (!isNumeric(encoding().type))
            return refused("codec.type", "output", "a numeric element type",
                           std::string(elementTypeName(encoding().type)),
                           "The decoded element type is not a number");
        const auto count = elementCount(encoding().shape);
        // Twice: fp16 bytes of the decoded tensor must be countable as well.
        if (!count || !packedBytes(*count, ElementType::Fp64))
            return refused("codec.shape", "output", "fewer than 2^64 bits",
                           shapeText(encoding().shape), "The decoded shape overflows");
        m_state->elements = count->value;
        m_state->indexElements = count->value;
        return {};
    }

    Step payload()
    {
        if (const auto *operand = std::get_if<Operand>(&encoding().payload)) {
            const auto count = TRY(checkOperand(*operand));
            m_state->payload = *operand;
            m_state->payloadElements = count;
            return operand->order ? bindOrder() : Step();
        }
        const auto &source = std::get<std::shared_ptr<const Encoding>>(encoding().payload);
        if (!source || encoding().palette)
            return refused("codec.type", "data", "stored bytes", "another op's result",
                           "The payload must be stored");
        auto inner = TRY(DecoderMaker::make(*source, m_depth + 1));
        m_state->payload.type = inner.type();
        m_state->payload.shape = source->shape;
        m_state->payloadElements = inner.elements().value;
        m_state->payloadDecoder = std::move(inner);
        return {};
    }

    Step bindOrder()
    {
        const auto &mask = encoding().mask;
        const bool strange = mask && !(mask->order && m_state->payload.order->skipsZeros());
        if (strange)
            return refused("codec.shape", partRoleName(m_state->payload.role), "no mask", "a mask",
                           "A payload with an order of its own has none");
        auto bound = TRY(m_state->payload.order->bound(m_state->payload.bytes));
        if (const auto *unpacked = dynamic_cast<const UnpackedBytes *>(bound.get())) {
            // The operand's place keeps the bytes alive.
            Operand &payload = m_state->payload;
            const auto owner =
                std::make_shared<std::pair<std::shared_ptr<const ElementOrder>, OperandPlace>>(
                    bound, *payload.place);
            owner->second.lock = EditLock::None;
            payload.place = std::shared_ptr<const OperandPlace>(owner, &owner->second);
            payload.bytes = unpacked->bytes();
            payload.order = unpacked->order();
            m_state->encoding.payload = payload;
        } else if (bound) {
            m_state->payload.order = std::move(bound);
            m_state->encoding.payload = m_state->payload;
            if (m_state->encoding.mask)
                m_state->encoding.mask->order = m_state->payload.order->mask();
        }
        return {};
    }

    Step mask()
    {
        if (!encoding().mask)
            return {};
        const Operand &mask = *encoding().mask;
        const auto count = TRY(checkOperand(mask));
        const std::uint64_t bits = m_state->indexElements;
        const std::uint64_t bytes = bits / 8 + (bits % 8 != 0 ? 1 : 0);
        const bool packed = mask.type == ElementType::Uint8 && !mask.order;
        if (!packed && mask.type != ElementType::Uint1)
            return refused("codec.type", "mask", "uint1, or uint8 with eight bits each",
                           std::string(elementTypeName(mask.type)),
                           "The mask's element type is not one of a mask");
        if (packed ? count < bytes : count != bits)
            return refused(packed ? "codec.length" : "codec.shape", "mask",
                           packed ? fmt::format("{} bytes", bytes)
                                  : fmt::format("{} elements", bits),
                           shapeText(mask.shape), "The mask does not fit the decoded shape");
        if (!mask.order) {
            m_state->mask.emplace(mask.bytes, bits);
            return {};
        }
        if (!m_state->payload.order)
            return refused("codec.shape", "mask", "bits one after another", "an order of its own",
                           "Only a payload in pieces has a mask in pieces");
        return {};
    }

    Step palette()
    {
        if (!encoding().palette)
            return {};
        PaletteState &palette = m_state->palette.emplace();
        palette.lut = TRY(resolve(encoding().palette->lut, PartRole::Lut));
        palette.entries = encoding().palette->entries;
        palette.vector = encoding().palette->vector;
        Shape indexShape;
        TRY(paletteShape(palette, indexShape));
        TRY(paletteIndices(palette));
        paletteTables(palette);
        return {};
    }

    Step paletteShape(PaletteState &palette, Shape &indexShape)
    {
        const Palette &given = *encoding().palette;
        indexShape = encoding().shape;
        if (palette.vector == 0)
            return refused("codec.codebook", "lut", "vectors of 1 or more", "0",
                           "The codebook's vectors are empty");
        if (palette.vector > 1) {
            const std::uint64_t axis = given.vectorAxis;
            if (axis >= indexShape.size() || indexShape[axis] % palette.vector != 0)
                return refused(
                    "codec.shape", "vector_axis",
                    fmt::format("an axis with a multiple of {} elements", palette.vector),
                    fmt::format("axis {} of {}", axis, shapeText(indexShape)),
                    "The codebook's vectors do not fit the decoded shape");
            palette.axisExtent = indexShape[axis];
            indexShape[axis] /= palette.vector;
            for (std::size_t i = axis + 1; i < indexShape.size(); ++i)
                palette.inner *= indexShape[i];
        }
        m_state->indexElements = m_state->elements / palette.vector;
        Shape grid = given.grid;
        if (grid.empty())
            grid.assign(indexShape.size(), 1);
        if (m_state->payload.order && m_state->elements > 0)
            return orderedBooks(palette, indexShape);
        if (!dividesInto(grid, indexShape))
            return refused("codec.codebook", "lut",
                           fmt::format("extents that divide {}", shapeText(indexShape)),
                           shapeText(grid), "The codebooks do not divide the index tensor");
        const auto codebooks = elementCount(grid);
        const auto lutElements = elementCount(palette.lut.shape);
        const auto perBook = checkedMultiply(palette.entries, palette.vector);
        const auto needed =
            perBook && codebooks ? checkedMultiply(*perBook, codebooks->value) : std::nullopt;
        if (!needed || *needed != lutElements->value || palette.entries == 0)
            return refused(
                "codec.codebook", "lut",
                fmt::format("{} codebooks of {} entries of {} values",
                            codebooks ? codebooks->value : 0, palette.entries, palette.vector),
                shapeText(palette.lut.shape), "The codebook's shape contradicts its parts");
        palette.codebooks = codebooks->value;
        if (m_state->elements > 0)
            palette.grid = GridMap(indexShape, grid);
        return {};
    }

    /// The order says which codebook serves an index: they need not divide the tensor.
    Step orderedBooks(PaletteState &palette, const Shape &indexShape)
    {
        const std::uint64_t lut = elementCount(palette.lut.shape)->value;
        const std::uint64_t perBook =
            checkedMultiply(palette.entries, palette.vector).value_or(UINT64_MAX);
        const std::uint64_t books = perBook == 0 ? 0 : lut / perBook;
        if (books == 0 || lut % perBook != 0 || m_state->payload.order->tables() > books)
            return refused("codec.codebook", "lut",
                           fmt::format("{} codebooks of {} entries",
                                       m_state->payload.order->tables(), palette.entries),
                           shapeText(palette.lut.shape),
                           "The codebooks are not those that the indices ask for");
        palette.codebooks = books;
        palette.grid = GridMap(indexShape, Shape(indexShape.size(), 1));
        return {};
    }

    Step paletteIndices(PaletteState &palette)
    {
        Operand &indices = m_state->payload;
        const std::uint64_t k = palette.entries;
        const bool flatBytes = indices.type == ElementType::Uint8 && indices.shape.size() <= 1;
        switch (indices.type) {
        case ElementType::Uint1:
        case ElementType::Uint2:
        case ElementType::Uint3:
        case ElementType::Uint4:
        case ElementType::Uint5:
        case ElementType::Uint6:
        case ElementType::Uint7:
        case ElementType::Uint8: palette.width = bitWidth(indices.type); break;
        default:
            return refused("codec.type", "indices", "uint1 to uint8",
                           std::string(elementTypeName(indices.type)),
                           "The indices have an element type that palettes lack");
        }
        if (k == std::uint64_t{1} << palette.width)
            return {};
        const auto width = static_cast<unsigned>(std::countr_zero(k));
        const bool legal = std::has_single_bit(k) && (width <= 4 || width == 6) && width > 0;
        const std::uint64_t count = m_state->indexElements;
        const std::uint64_t bytes = count / 8 * width + (count % 8 * width + 7) / 8;
        // iOS 16 packs narrow indices into a flat run of bytes and leaves their width to K.
        if (flatBytes && legal && !encoding().mask &&
            (m_state->payloadElements == bytes || m_state->payloadElements != count)) {
            if (m_state->payloadElements != bytes)
                return refused("codec.length", "indices",
                               fmt::format("{} bytes for {} indices", bytes, count),
                               fmt::format("{} bytes", m_state->payloadElements),
                               "The packed indices do not fit the decoded shape");
            palette.width = width;
            m_state->payloadElements = count;
            return {};
        }
        return refused(
            "codec.codebook", "lut", fmt::format("{} entries", std::uint64_t{1} << palette.width),
            fmt::format("{} entries", k), "The codebook does not have one entry for every index");
    }

    void paletteTables(PaletteState &palette)
    {
        const Operand &lut = palette.lut;
        const bool half = lut.type == ElementType::Fp16;
        if (half && palette.vector == 1)
            return; // looked up where it lies
        const std::uint64_t perBook = palette.entries * palette.vector;
        std::vector<float> book(perBook);
        std::vector<std::uint16_t> bookHalves(perBook);
        palette.halves.resize(perBook * palette.codebooks);
        if (!half)
            palette.floats.resize(perBook * palette.codebooks);
        if (palette.vector > 1 && palette.inner == 1) {
            palette.vectors.resize(perBook * palette.codebooks);
            convertToHalf(lut.bytes, lut.type, 0, palette.vectors);
        }
        for (std::uint64_t g = 0; g < palette.codebooks; ++g) {
            convertToHalf(lut.bytes, lut.type, g * perBook, bookHalves);
            if (!half)
                convertToFloat(lut.bytes, lut.type, g * perBook, book);
            for (std::uint64_t k = 0; k < palette.entries; ++k) {
                for (std::uint64_t v = 0; v < palette.vector; ++v) {
                    const std::uint64_t to = g * perBook + v * palette.entries + k;
                    palette.halves[to] = bookHalves[k * palette.vector + v];
                    if (!half)
                        palette.floats[to] = book[k * palette.vector + v];
                }
            }
        }
    }

    Step scaling()
    {
        if (!encoding().scaling)
            return {};
        const Scaling &given = *encoding().scaling;
        ScalingState &scaling = m_state->scaling.emplace();
        scaling.kind = given.kind;
        scaling.addsOffset = given.addsOffset;
        auto scale = TRY(resolve(given.scale, PartRole::Scale));
        scaling.scale = std::move(scale);
        std::uint64_t offsets = 0;
        if (given.offset) {
            const bool affine = given.kind == Scaling::Kind::Affine;
            scaling.offset = TRY(resolve(*given.offset, given.addsOffset ? PartRole::Bias
                                                        : affine         ? PartRole::ZeroPoint
                                                                         : PartRole::Offset));
            offsets = elementCount(scaling.offset->shape)->value;
        }
        if (given.bias) {
            scaling.bias = TRY(resolve(*given.bias, PartRole::Bias));
        }
        scaling.scalesGaps = given.scalesGaps;
        if (given.steps != Scaling::Steps::Program) {
            TRY(steps(scaling));
            return blockwiseGrid(scaling, elementCount(scaling.scale.shape)->value, offsets);
        }
        const ElementType scaleType = scaling.scale.type;
        const bool power =
            scaleType == ElementType::Fp8E8M0 && given.kind == Scaling::Kind::Blockwise;
        if (scaleType != ElementType::Fp16 && scaleType != ElementType::Fp32 && !power)
            return refused("codec.type", "scale", "fp16, fp32 or blocks of fp8e8m0",
                           std::string(elementTypeName(scaleType)),
                           "The scale has an element type that scales lack");
        // Product and sum of a bias are fp32, rounded once.
        if (given.kind == Scaling::Kind::Blockwise && scaleType == ElementType::Fp16 &&
            !given.addsOffset) {
            const ElementType dataType =
                m_state->palette ? m_state->palette->lut.type : m_state->payload.type;
            scaling.roundData = isFloatingPoint(dataType) && dataType != ElementType::Fp16;
            scaling.roundOffset = scaling.offset && isFloatingPoint(scaling.offset->type) &&
                                  scaling.offset->type != ElementType::Fp16;
            scaling.roundDifference = scaling.offset && (isFloatingPoint(dataType) ||
                                                         isFloatingPoint(scaling.offset->type));
        }
        const std::uint64_t scales = elementCount(scaling.scale.shape)->value;
        return given.kind == Scaling::Kind::Affine ? affineGrid(scaling, scales, offsets)
                                                   : blockwiseGrid(scaling, scales, offsets);
    }

    /// Core AI's arithmetic, and whether it comes to that of a program.
    Step steps(ScalingState &scaling)
    {
        const ElementType type = encoding().type;
        const auto isResult = [](ElementType each) {
            return each == ElementType::Fp16 || each == ElementType::Fp32 ||
                   each == ElementType::Bf16;
        };
        const ElementType scaleType = scaling.scale.type;
        if (!isResult(type) || !(isResult(scaleType) || scaleType == ElementType::Fp8E8M0))
            return refused(
                "codec.type", "scale", "fp16, fp32, bf16, and scales of fp8e8m0",
                fmt::format("{} for {}", elementTypeName(scaleType), elementTypeName(type)),
                "The scale or the result has an element type that this form lacks");
        scaling.type = type;
        scaling.steps = encoding().scaling->steps;
        const ElementType data =
            m_state->palette ? m_state->palette->lut.type : m_state->payload.type;
        // fp4 codes one a byte are no form that a runtime computes: -0 stays what was meant.
        const bool meant = m_state->payload.order && data == ElementType::Fp4E2M1;
        scaling.addsZero = (scaling.bias || scaling.steps == Scaling::Steps::Product) && !meant;
        const bool byteFloats = isFloatingPoint(data) && bitWidth(data) == 8;
        scaling.roundScale = type == ElementType::Fp16 && scaleType == ElementType::Fp8E8M0;
        // Rows of fp8 are rounded once, after the sum.
        scaling.roundProduct =
            type == ElementType::Fp16 && !(byteFloats && scaleType != ElementType::Fp8E8M0 &&
                                           scaling.steps == Scaling::Steps::Product);
        const auto isNarrow = [](ElementType each) {
            return !isFloatingPoint(each) && bitWidth(each) <= 8;
        };
        // Differences of narrow integers are exact, and so are the products before their one
        // rounding.
        const bool exact =
            isNarrow(data) || data == type || (isFloatingPoint(data) && bitWidth(data) <= 8);
        const bool differs = isNarrow(data) && scaling.offset && isNarrow(scaling.offset->type) &&
                             scaling.steps == Scaling::Steps::Difference;
        if (exact && type != ElementType::Bf16 && scaling.steps != Scaling::Steps::Quotient &&
            (scaleType == type || scaleType == ElementType::Fp8E8M0) && allZero(scaling.bias) &&
            (differs || allZero(scaling.offset)) &&
            (scaling.steps != Scaling::Steps::Product || // whose offset times infinity is NaN
             allAre(scaling.scale, [](double scale) { return std::isfinite(scale); })))
            scaling.steps = Scaling::Steps::Program;
        return {};
    }

    Step affineGrid(ScalingState &scaling, std::uint64_t scales, std::uint64_t offsets)
    {
        const Shape &shape = encoding().shape;
        const std::uint64_t axis = encoding().scaling->axis;
        Shape grid(shape.size(), 1);
        scaling.oneScale = scales == 1;
        scaling.oneOffset = scaling.offset && offsets == 1;
        const bool vector = !scaling.oneScale || (scaling.offset && !scaling.oneOffset);
        if (vector) {
            const std::uint64_t channels = axis < shape.size() ? shape[axis] : 0;
            const auto fits = [&](const Operand &operand, bool one, std::uint64_t count) -> Step {
                if (one || (count == channels && axis < shape.size()))
                    return {};
                return refused("codec.scale", partRoleName(operand.role),
                               fmt::format("1 or {} values", channels),
                               fmt::format("{} values", count), "The vector does not fit the axis");
            };
            TRY(fits(scaling.scale, scaling.oneScale, scales));
            if (scaling.offset) {
                TRY(fits(*scaling.offset, scaling.oneOffset, offsets));
            }
            grid[axis] = channels;
        }
        if (m_state->elements > 0)
            scaling.grid = GridMap(shape, grid);
        return {};
    }

    Step blockwiseGrid(ScalingState &scaling, std::uint64_t scales, std::uint64_t offsets)
    {
        const Shape &shape = encoding().shape;
        const Shape &grid = scaling.scale.shape;
        if (!dividesInto(grid, shape))
            return refused("codec.scale", "scale",
                           fmt::format("extents that divide {}", shapeText(shape)), shapeText(grid),
                           "The scales do not divide the data");
        const bool coreAi = encoding().scaling->steps != Scaling::Steps::Program;
        scaling.oneOffset = coreAi && offsets == 1;
        if (scaling.bias) {
            const std::uint64_t biases = elementCount(scaling.bias->shape)->value;
            scaling.oneBias = biases == 1;
            if (biases != 1 && biases != scales)
                return refused("codec.scale", "bias", shapeText(grid),
                               shapeText(scaling.bias->shape),
                               "The biases do not match the scales");
        }
        if (scaling.offset && offsets != scales && !scaling.oneOffset)
            return refused("codec.scale", "offset", shapeText(grid),
                           shapeText(scaling.offset->shape), "The offsets do not match the scales");
        if (m_state->elements > 0)
            scaling.grid = GridMap(shape, grid);
        if (!coreAi)
            scaling.mxGroups = microscaledGroups(scaling);
        return {};
    }

    /// What the kernels of microscaled elements take; other grids are decoded like any scale.
    ScalingState::MxGroups microscaledGroups(const ScalingState &scaling) const
    {
        using Groups = ScalingState::MxGroups;
        const Decoder::State &state = *m_state;
        const bool element = state.payload.type == ElementType::Fp8E4M3Fn ||
                             state.payload.type == ElementType::Fp4E2M1;
        if (scaling.scale.type != ElementType::Fp8E8M0 || scaling.offset || !element ||
            state.mask || state.palette || state.payloadDecoder || state.payload.order ||
            scaling.scale.shape.empty())
            return Groups::None;
        const Shape &shape = encoding().shape;
        Shape grid = scaling.scale.shape;
        const std::size_t last = grid.size() - 1;
        grid[last] *= kMxGroup;
        if (grid == shape)
            return Groups::Across;
        grid[last] /= kMxGroup;
        // A call for each row: short ones cost more than their work.
        if (grid.size() < 2 || shape[last] < kMxGroup)
            return Groups::None;
        grid[last - 1] *= kMxGroup;
        return grid == shape ? Groups::Down : Groups::None;
    }

    Step payloadLength()
    {
        if (m_state->mask)
            return {}; // the number of survivors depends on the mask: verify() compares them
        if (m_state->payloadElements != m_state->indexElements)
            return refused("codec.shape", partRoleName(m_state->payload.role),
                           fmt::format("{} elements", m_state->indexElements),
                           fmt::format("{} elements", m_state->payloadElements),
                           "The payload does not fit the decoded shape");
        return {};
    }
    Step resultType()
    {
        if (encoding().converts || (m_state->scaling && m_state->scaling->type == encoding().type))
            return {};
        ElementType type = m_state->payload.type;
        std::string_view field = partRoleName(m_state->payload.role);
        if (m_state->scaling) {
            type = m_state->scaling->scale.type;
            if (type == ElementType::Fp8E8M0) // powers of two: worked on in fp32
                type = ElementType::Fp32;
            field = "scale";
        } else if (m_state->palette) {
            const auto *inner =
                std::get_if<std::shared_ptr<const Encoding>>(&encoding().palette->lut);
            type = inner != nullptr ? (*inner)->type : m_state->palette->lut.type;
            field = "lut";
        }
        if (type == encoding().type)
            return {};
        return refused("codec.type", field, std::string(elementTypeName(encoding().type)),
                       std::string(elementTypeName(type)),
                       "The decoded type is not the one that the operands give");
    }

    /// The operand itself, or the table that another op makes of its own operands.
    Result<Operand> resolve(const OperandSource &source, PartRole role)
    {
        if (const auto *operand = std::get_if<Operand>(&source)) {
            const auto count = TRY(checkOperand(*operand));
            if (!operand->order)
                return *operand;
            if (count > kMaxTable)
                return refused("codec.shape", partRoleName(role),
                               fmt::format("at most {} elements", kMaxTable),
                               fmt::format("{}", count), "The table is too large");
            Operand table = *operand;
            table.order = nullptr;
            table.bytes = m_state->tables.emplace_back(gathered(*operand, count));
            return table;
        }
        return decodedTable(std::get<std::shared_ptr<const Encoding>>(source), role);
    }

    Result<Operand> decodedTable(const std::shared_ptr<const Encoding> &inner, PartRole role)
    {
        if (!inner)
            return refused("codec.type", partRoleName(role), "an operand", "none",
                           "The operand is missing");
        auto decoder = TRY(DecoderMaker::make(*inner, m_depth + 1));
        const std::uint64_t count = decoder.elements().value;
        if (count > kMaxTable)
            return refused("codec.shape", partRoleName(role),
                           fmt::format("at most {} elements", kMaxTable), fmt::format("{}", count),
                           "The table is too large");
        Operand table;
        table.role = role;
        table.shape = inner->shape;
        // Every type but fp16 fits fp32 exactly as far as fp32 arithmetic can tell.
        table.type = inner->type == ElementType::Fp16 ? ElementType::Fp16 : ElementType::Fp32;
        auto &bytes = m_state->tables.emplace_back();
        if (table.type == ElementType::Fp16) {
            std::vector<std::uint16_t> values(count);
            decoder.decodeHalf(0, values);
            bytes.resize(2 * count);
            if (count > 0)
                std::memcpy(bytes.data(), values.data(), bytes.size());
        } else {
            std::vector<float> values(count);
            decoder.decodeFloat(0, values);
            bytes.resize(4 * count);
            if (count > 0)
                std::memcpy(bytes.data(), values.data(), bytes.size());
        }
        table.bytes = bytes;
        return table;
    }

    std::shared_ptr<Decoder::State> m_state;
    unsigned m_depth;
};

/// -0 is none: it leaves a -0 that it is added to.
bool allZero(const std::optional<Operand> &table)
{
    return !table ||
           allAre(*table, [](double value) { return value == 0 && !std::signbit(value); });
}

Result<std::uint64_t> checkOperand(const Operand &operand)
{
    const std::string_view field = partRoleName(operand.role);
    if (!isNumeric(operand.type))
        return refused("codec.type", field, "a numeric element type",
                       std::string(elementTypeName(operand.type)),
                       "The operand's element type cannot be decoded");
    const auto count = elementCount(operand.shape);
    const auto bytes = count ? packedBytes(*count, operand.type) : std::nullopt;
    if (!bytes)
        return refused("codec.shape", field, "fewer than 2^64 bits", shapeText(operand.shape),
                       "The operand's shape overflows");
    if (operand.order && (operand.order->elements() != count->value ||
                          operand.bytes.size() < operand.order->extent()))
        return refused("codec.length", field,
                       fmt::format("{} elements in {} bytes", operand.order->elements(),
                                   operand.order->extent()),
                       fmt::format("{} in {} bytes", count->value, operand.bytes.size()),
                       "The operand is not as long as its order");
    if (!operand.order && operand.bytes.size() < bytes->value)
        return refused("codec.length", field,
                       fmt::format("{} bytes for {} of {}", bytes->value, shapeText(operand.shape),
                                   elementTypeName(operand.type)),
                       fmt::format("{} bytes", operand.bytes.size()),
                       "The operand is shorter than its shape");
    return count->value;
}

Result<Decoder> DecoderMaker::make(Encoding encoding, unsigned depth)
{
    auto state = TRY(EncodingMaker(std::move(encoding), depth).make());
    return Decoder(std::move(state));
}

Result<Decoder> Decoder::make(Encoding encoding)
{
    return DecoderMaker::make(std::move(encoding), 0);
}

} // namespace kernscope::codec
