// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/checkpoint/scaled_tensors.h"

#include "core/base/json_place.h"
#include "core/base/little_endian.h"
#include "core/form/constant_order.h"

#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::checkpoint {

namespace {

constexpr std::uint64_t kMxGroup = 32, kNvGroup = 16, kBlock = 128;

/// Tensors that are one weight, and how they are read.
struct Joined {
    std::string name, layout;
    const StoredTensor *codes = nullptr, *scales = nullptr, *biases = nullptr;
    ElementType codeType = ElementType::Unknown, scaleType = ElementType::Unknown;
    Shape shape, grid;
    std::optional<std::uint8_t> offset; ///< that is taken off every code
    /// One number that multiplies all scales (NVFP4), or what they are multiplied by instead.
    const StoredTensor *whole = nullptr;
    std::optional<float> inverse = {};
    /// Zero points, a number a scale, in place of `offset`; words of packed ones go along axis 0.
    const StoredTensor *zeros = nullptr;
    /// The scales as `grid` has them, where they are not stored so.
    std::vector<std::byte> finer = {};
    bool words = false; ///< a word of 32 bits holds no part of a code
};

bool isReal(ElementType type)
{
    return type == ElementType::Fp16 || type == ElementType::Bf16 || type == ElementType::Fp32;
}

bool divides(const Shape &grid, const Shape &shape)
{
    if (grid.size() != shape.size())
        return false;
    for (std::size_t i = 0; i < grid.size(); ++i) {
        if (grid[i] == 0 || shape[i] % grid[i] != 0)
            return false;
    }
    return true;
}

/// Scales of a matrix [outputs, inputs] as a grid of its rank: one, one a row, or blocks.
Shape gridOf(const Shape &scales, const Shape &shape)
{
    const std::uint64_t count = elementCount(scales).value_or(ElementCount()).value;
    if (scales.size() == shape.size())
        return scales;
    Shape grid(shape.size(), 1);
    if (count != 1 && !shape.empty() && count == shape[0])
        grid[0] = count;
    return count == 1 || grid[0] == count ? grid : Shape();
}

/// Of 1 to 8 bits.
ElementType codesType(std::uint64_t bits)
{
    return bits == 5   ? ElementType::Uint5
           : bits == 7 ? ElementType::Uint7
                       : unsignedType(static_cast<unsigned>(bits));
}

/// A power of two as a byte.
bool isPower(ElementType type)
{
    return type == ElementType::Uint8 || type == ElementType::Fp8E8M0;
}

/// Blocks of 128 rows and columns whose last ones are shorter: a finer grid that divides the shape.
Shape finerGrid(const Shape &scales, const Shape &shape)
{
    constexpr std::uint64_t kMostCells = std::uint64_t(1) << 22;
    Shape grid;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::uint64_t extent = shape[i];
        if (shape.size() != 2 || scales.size() != 2 || extent == 0 ||
            scales[i] != (extent - 1) / kBlock + 1)
            return {};
        grid.push_back(scales[i] == 1 ? 1 : extent / std::gcd(extent, kBlock));
    }
    return grid.empty() || grid[0] > kMostCells / grid[1] ? Shape() : grid;
}

struct MlxCodes {
    std::uint64_t group = 0, bits = 0;
};

/// What config.json says of codes.
class CodesConfig
{
public:
    explicit CodesConfig(const std::vector<BundleFile> &files)
    {
        for (const BundleFile &file : files) {
            if (file.path != kConfigName)
                continue;
            const auto bytes = file.file->bytes();
            const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
            const nlohmann::json json =
                jsonFits(text) ? nlohmann::json::parse(text, nullptr, false) : nlohmann::json();
            if (json.is_object() && json.contains("quantization"))
                m_said = json["quantization"];
            const nlohmann::json::json_pointer groups("/quantization_config/config_groups");
            if (json.contains(groups))
                m_groups = json.at(groups);
        }
    }

    /// Bits of all codes of compressed-tensors; 0 where groups differ.
    std::uint64_t packedBits() const
    {
        const nlohmann::json::json_pointer number("/weights/num_bits");
        std::set<std::uint64_t> found;
        for (const nlohmann::json &group : m_groups) {
            if (group.contains(number) && group.at(number).is_number_unsigned())
                found.insert(group.at(number).get<std::uint64_t>());
        }
        return found.size() == 1 ? *found.begin() : 0;
    }

    /// Those of MLX: for all modules, or for one of that name.
    MlxCodes codesOf(const std::string &module) const
    {
        const auto numbers = [](const nlohmann::json &json) {
            MlxCodes codes;
            if (json.is_object())
                for (const auto &[key, number] :
                     {std::pair("group_size", &codes.group), std::pair("bits", &codes.bits)}) {
                    const auto found = json.find(key);
                    if (found != json.end() && found->is_number_unsigned())
                        *number = found->get<std::uint64_t>();
                }
            return codes;
        };
        const auto own = m_said.is_object() ? m_said.find(module) : m_said.end();
        return numbers(m_said.is_object() && own != m_said.end() && own->is_object() ? *own
                                                                                     : m_said);
    }

private:
    nlohmann::json m_said, m_groups;
};

class Joiner
{
public:
    Joiner(const std::vector<StoredTensor> &tensors, const std::vector<BundleFile> &files)
        : m_files(files), m_config(files)
    {
        for (const StoredTensor &tensor : tensors) {
            if (!tensor.fault && !tensor.packed && !tensor.firstAxisInnermost)
                m_byName.emplace(tensor.name, &tensor);
        }
    }

    std::vector<Joined> find() const
    {
        std::vector<Joined> found;
        for (const auto &[name, tensor] : m_byName) {
            for (const auto &look :
                 {&Joiner::withScales, &Joiner::packedIntegers, &Joiner::packedFp4,
                  &Joiner::modelOpt, &Joiner::blocks, &Joiner::mlx}) {
                auto joined = (this->*look)(name, *tensor);
                if (joined && divides(joined->grid, joined->shape)) {
                    found.push_back(*std::move(joined));
                    break;
                }
            }
        }
        return found;
    }

private:
    const StoredTensor *tensor(const std::string &name) const
    {
        const auto found = m_byName.find(name);
        return found == m_byName.end() ? nullptr : found->second;
    }

    /// The stored scales as a finer grid has them.
    std::vector<std::byte> spread(const StoredTensor &scales, const Shape &shape,
                                  const Shape &grid) const
    {
        const auto stored = bytesOf(scales);
        const std::size_t width = bitWidth(scales.type) / 8;
        if (stored.size() != scales.shape[0] * scales.shape[1] * width)
            return {};
        std::vector<std::byte> made;
        for (std::uint64_t row = 0; row < grid[0]; ++row) {
            for (std::uint64_t column = 0; column < grid[1]; ++column) {
                const std::uint64_t from = row * (shape[0] / grid[0]) / kBlock * scales.shape[1] +
                                           column * (shape[1] / grid[1]) / kBlock;
                const auto one = stored.subspan(static_cast<std::size_t>(from) * width, width);
                made.insert(made.end(), one.begin(), one.end());
            }
        }
        return made;
    }

    /// NAME of fp8 or int8 with NAME_scale or NAME_scale_inv; of fp8 with powers of two also
    /// NAME_scales.
    std::optional<Joined> withScales(const std::string &name, const StoredTensor &codes) const
    {
        const bool is8 = codes.type == ElementType::Int8 || codes.type == ElementType::Fp8E4M3Fn ||
                         codes.type == ElementType::Fp8E5M2;
        if (!is8 || codes.shape.size() < 2)
            return std::nullopt;
        const StoredTensor *scales = nullptr;
        for (const char *ending : {"_scale_inv", "_scale", "_scales"})
            scales = scales ? scales : tensor(name + ending);
        const StoredTensor *zeros = tensor(name + "_zero_point");
        const bool power = scales && codes.type != ElementType::Int8 && isPower(scales->type) &&
                           scales->shape.back() * kMxGroup == codes.shape.back();
        if (!scales || !(isReal(scales->type) || power) ||
            (zeros && (zeros->type != codes.type || zeros->shape != scales->shape)))
            return std::nullopt;
        Joined joined{name,
                      "codes with scales",
                      &codes,
                      scales,
                      nullptr,
                      codes.type,
                      power ? ElementType::Fp8E8M0 : scales->type,
                      codes.shape,
                      gridOf(scales->shape, codes.shape),
                      {}};
        joined.zeros = zeros;
        const Shape finer = finerGrid(scales->shape, codes.shape);
        if (!finer.empty() && !zeros && finer != joined.grid) {
            joined.finer = spread(*scales, codes.shape, finer);
            joined.grid = joined.finer.empty() ? joined.grid : finer;
        }
        return joined;
    }

    /// The bytes of a small tensor; empty where they are not there.
    std::span<const std::byte> bytesOf(const StoredTensor &tensor) const
    {
        const auto all = m_files[tensor.file].file->bytes();
        return fitsInside(tensor.bytes, ByteCount(all.size()))
                   ? all.subspan(static_cast<std::size_t>(tensor.bytes.offset.value),
                                 static_cast<std::size_t>(tensor.bytes.bytes.value))
                   : std::span<const std::byte>();
    }

    /// Columns that NAME_shape says, of int64 [rows, columns]; 0 where there is none.
    std::uint64_t columnsOf(const std::string &plain) const
    {
        const StoredTensor *said = tensor(plain + "_shape");
        if (!said || said->type != ElementType::Int64 || said->shape != Shape{2})
            return 0;
        const auto bytes = bytesOf(*said);
        return bytes.size() == 16 ? loadLittle<std::uint64_t>(bytes, 8) : 0;
    }

    /// Bits of codes of which rows of `columns` take `words` words; 0 where no number of bits does.
    std::uint64_t bitsOf(std::uint64_t columns, std::uint64_t words) const
    {
        const std::uint64_t said = m_config.packedBits();
        const auto takes = [&](std::uint64_t bits) {
            return bits >= 1 && bits <= 8 && (columns - 1) / (32 / bits) + 1 == words;
        };
        if (takes(said))
            return said;
        for (const bool whole : {true, false}) {
            for (const std::uint64_t bits : {4U, 8U, 2U, 3U, 6U, 5U, 7U, 1U}) {
                if (takes(bits) && !(whole && columns != words * (32 / bits)))
                    return bits;
            }
        }
        return 0;
    }

    /// NAME_packed of int32 with as many codes of 1 to 8 bits as have room, less half their range,
    /// and NAME_scale; of asymmetric ones NAME_zero_point, packed alike but along the rows. The
    /// bits are those of config.json or fit NAME_shape, which tells rests of rows; without it they
    /// are 4.
    std::optional<Joined> packedIntegers(const std::string &name, const StoredTensor &codes) const
    {
        constexpr std::string_view kPacked = "_packed";
        if (codes.type != ElementType::Int32 || !name.ends_with(kPacked) || codes.shape.size() != 2)
            return std::nullopt;
        const std::string plain = name.substr(0, name.size() - kPacked.size());
        const StoredTensor *scales = tensor(plain + "_scale");
        if (!scales || !isReal(scales->type) || tensor(plain + "_g_idx"))
            return std::nullopt;
        const std::uint64_t words = codes.shape[1], said = columnsOf(plain);
        if (words == 0 || words > UINT64_MAX / 32)
            return std::nullopt;
        const std::uint64_t columns = said == 0 ? 8 * words : said;
        // What config.json says; else words without a rest go before others.
        const std::uint64_t bits = bitsOf(columns, words);
        const std::uint64_t each = bits == 0 ? 0 : 32 / bits;
        if (bits == 0)
            return std::nullopt;
        const Shape shape{codes.shape[0], columns};
        Joined joined{plain,
                      fmt::format("packed int{}", bits),
                      &codes,
                      scales,
                      nullptr,
                      codesType(bits),
                      scales->type,
                      shape,
                      gridOf(scales->shape, shape),
                      std::uint8_t(1U << (bits - 1))};
        joined.words = columns % each != 0 || 32 % bits != 0;
        if (const StoredTensor *zeros = tensor(plain + "_zero_point")) {
            const bool fits =
                zeros->type == ElementType::Int32 && joined.grid.size() == 2 &&
                zeros->shape == Shape{(joined.grid[0] + each - 1) / each, joined.grid[1]};
            if (!fits)
                return std::nullopt;
            joined.zeros = zeros;
        }
        return joined;
    }

    /// The one number of a tensor; nothing where it is none that a scale can be.
    std::optional<float> numberOf(const StoredTensor *whole) const
    {
        if (!whole || whole->type != ElementType::Fp32)
            return std::nullopt;
        const auto bytes = bytesOf(*whole);
        const float value =
            bytes.size() == 4 ? std::bit_cast<float>(loadLittle<std::uint32_t>(bytes, 0)) : 0;
        return std::isfinite(value) && value != 0 ? std::optional(value) : std::nullopt;
    }

    /// Bytes with two fp4 codes each and a scale for `group` of them.
    static std::optional<Joined> fp4(std::string name, std::string layout,
                                     const StoredTensor &codes, const StoredTensor *scales,
                                     ElementType scaleType, std::uint64_t group)
    {
        if (!scales || codes.type != ElementType::Uint8 || codes.shape.size() < 2 ||
            scales->shape.size() != codes.shape.size())
            return std::nullopt;
        Joined joined{std::move(name),      std::move(layout), &codes, scales, nullptr,
                      ElementType::Fp4E2M1, scaleType,         {},     {},     {}};
        joined.shape = codes.shape;
        joined.grid = scales->shape;
        joined.shape.back() *= 2;
        if (joined.grid.back() > UINT64_MAX / group ||
            joined.grid.back() * group != joined.shape.back())
            return std::nullopt;
        return joined;
    }

    /// NAME_packed of bytes and NAME_scale: E8M0 of 32 (MXFP4), or E4M3 of 16, all of them divided
    /// by NAME_global_scale (NVFP4). As compressed-tensors has them.
    std::optional<Joined> packedFp4(const std::string &name, const StoredTensor &codes) const
    {
        constexpr std::string_view kPacked = "_packed";
        if (!name.ends_with(kPacked))
            return std::nullopt;
        const std::string plain = name.substr(0, name.size() - kPacked.size());
        const StoredTensor *scales = tensor(plain + "_scale");
        if (scales && isPower(scales->type))
            return fp4(plain, "mxfp4", codes, scales, ElementType::Fp8E8M0, kMxGroup);
        const StoredTensor *whole = tensor(plain + "_global_scale");
        const auto number = numberOf(whole);
        if (!scales || scales->type != ElementType::Fp8E4M3Fn || !number)
            return std::nullopt;
        auto joined = fp4(plain, "nvfp4", codes, scales, scales->type, kNvGroup);
        if (joined) {
            joined->whole = whole;
            joined->inverse = 1 / *number;
        }
        return joined;
    }

    /// NAME of bytes, NAME_scale of E4M3 for 16 and NAME_scale_2, by which all are multiplied.
    std::optional<Joined> modelOpt(const std::string &name, const StoredTensor &codes) const
    {
        const StoredTensor *scales = tensor(name + "_scale"), *whole = tensor(name + "_scale_2");
        if (!scales || scales->type != ElementType::Fp8E4M3Fn || !numberOf(whole))
            return std::nullopt;
        auto joined = fp4(name, "nvfp4", codes, scales, scales->type, kNvGroup);
        if (joined)
            joined->whole = whole;
        return joined;
    }

    /// NAME_blocks [..., groups, 16] of bytes with two fp4 codes, and NAME_scales [..., groups].
    std::optional<Joined> blocks(const std::string &name, const StoredTensor &codes) const
    {
        constexpr std::string_view kBlocks = "_blocks";
        if (codes.type != ElementType::Uint8 || !name.ends_with(kBlocks) ||
            codes.shape.size() < 2 || codes.shape.back() != kMxGroup / 2)
            return std::nullopt;
        const std::string plain = name.substr(0, name.size() - kBlocks.size());
        const StoredTensor *scales = tensor(plain + "_scales");
        Shape grid(codes.shape.begin(), codes.shape.end() - 1);
        if (!scales || scales->shape != grid || !isPower(scales->type))
            return std::nullopt;
        Shape shape = grid;
        shape.back() *= kMxGroup;
        return Joined{plain,
                      "mxfp4",
                      &codes,
                      scales,
                      nullptr,
                      ElementType::Fp4E2M1,
                      ElementType::Fp8E8M0,
                      std::move(shape),
                      std::move(grid),
                      {}};
    }

    /// MODULE.weight of uint32 words, MODULE.scales, and of affine ones MODULE.biases.
    std::optional<Joined> mlx(const std::string &name, const StoredTensor &codes) const
    {
        constexpr std::string_view kWeight = ".weight";
        constexpr std::uint64_t kUsualGroup = 64;
        if (codes.type != ElementType::Uint32 || !name.ends_with(kWeight) || codes.shape.size() < 2)
            return std::nullopt;
        const std::string module = name.substr(0, name.size() - kWeight.size());
        const StoredTensor *scales = tensor(module + ".scales"),
                           *biases = tensor(module + ".biases");
        if (!scales || scales->shape.size() != codes.shape.size() || scales->shape.back() == 0)
            return std::nullopt;
        Joined joined{name,         "mlx affine", &codes,        scales, biases, ElementType::Uint4,
                      scales->type, codes.shape,  scales->shape, {}};
        const std::uint64_t words = codes.shape.back(), groups = scales->shape.back();
        if (biases) {
            // The group is not stored: config.json says it, else 64 where that gives a width that
            // there is, or 32 or 128.
            if (!isReal(scales->type) || biases->type != scales->type ||
                biases->shape != scales->shape || words % groups != 0)
                return std::nullopt;
            const std::uint64_t held = 32 * (words / groups); // bits of a group
            const MlxCodes said = m_config.codesOf(module);
            for (const std::uint64_t group : {said.group, kUsualGroup, kMxGroup, kBlock}) {
                const std::uint64_t bits = group == 0 || held % group != 0 ? 0 : held / group;
                if (bits < 2 || bits == 7 || bits > 8 || (group == said.group && bits != said.bits))
                    continue;
                joined.codeType = codesType(bits);
                joined.shape.back() = groups * group;
                return joined;
            }
            return std::nullopt;
        }
        if (scales->type != ElementType::Uint8)
            return std::nullopt;
        // Codes of a scale: 32 of four bits, 32 of eight, 16 of four.
        const bool nv = words * 8 == groups * kNvGroup, four = nv || words * 8 == groups * kMxGroup;
        if (!four && words * 4 != groups * kMxGroup)
            return std::nullopt;
        joined.scaleType = nv ? ElementType::Fp8E4M3Fn : ElementType::Fp8E8M0;
        if (nv)
            joined.inverse = 1; // scales of E4M3 are a step of their own
        joined.layout = nv ? "mlx nvfp4" : four ? "mlx mxfp4" : "mlx mxfp8";
        joined.codeType = four ? ElementType::Fp4E2M1 : ElementType::Fp8E4M3Fn;
        joined.shape.back() = groups * (nv ? kNvGroup : kMxGroup);
        return joined;
    }

    std::map<std::string, const StoredTensor *> m_byName;
    const std::vector<BundleFile> &m_files;
    CodesConfig m_config;
};

codec::Operand operandOf(codec::PartRole role, const StoredTensor &tensor, ElementType type,
                         Shape shape)
{
    OperandPlace place;
    place.bytes = tensor.bytes.bytes;
    place.file = tensor.file;
    place.dataOffset = place.metaOffset = tensor.bytes.offset;
    return readAs(operandAt(role, tensor.type, tensor.shape, std::move(place)), type,
                  std::move(shape));
}

/// Numbers that no file has: one for all codes, or a finer grid of scales.
codec::Operand constantOf(codec::PartRole role, std::vector<std::byte> bytes, ElementType type,
                          Shape shape)
{
    auto literal = std::make_shared<mil::Literal>();
    literal->element = type;
    literal->count = elementCount(shape).value_or(ElementCount()).value;
    literal->bytes = std::move(bytes);
    OperandPlace place;
    place.bytes = ByteCount(literal->bytes.size());
    place.literal = std::move(literal);
    return operandAt(role, type, std::move(shape), std::move(place));
}

/// Zero points: packed ones as the grid of scales has them.
codec::Operand zerosOf(const Joined &joined)
{
    if (joined.zeros->type == joined.codeType)
        return operandOf(codec::PartRole::Offset, *joined.zeros, joined.codeType, joined.grid);
    auto packed =
        operandOf(codec::PartRole::Offset, *joined.zeros, joined.zeros->type, joined.zeros->shape);
    return codec::wordsOperand(std::move(packed), joined.codeType, joined.grid, true);
}

/// The scales, where one number scales all of them.
codec::OperandSource wholeScales(const Joined &joined, codec::Operand scales)
{
    using codec::PartRole;
    auto coded = std::make_shared<codec::Encoding>();
    coded->type = ElementType::Fp32;
    coded->shape = joined.grid;
    scales.role = PartRole::Data;
    coded->payload = std::move(scales);
    codec::Scaling scaling;
    scaling.kind = codec::Scaling::Kind::Blockwise;
    scaling.steps = codec::Scaling::Steps::Difference;
    const Shape one(joined.grid.size(), 1);
    if (joined.inverse) {
        std::vector<std::byte> bytes(4);
        storeLittle<std::uint32_t>(bytes, 0, std::bit_cast<std::uint32_t>(*joined.inverse));
        scaling.scale = constantOf(PartRole::Scale, std::move(bytes), ElementType::Fp32, one);
    } else {
        scaling.scale = operandOf(PartRole::Scale, *joined.whole, ElementType::Fp32, one);
    }
    coded->scaling = std::move(scaling);
    return std::shared_ptr<const codec::Encoding>(std::move(coded));
}

void addJoined(const Joined &joined, const std::string &sourceOp, ContainerContents &out)
{
    using codec::PartRole;
    Weight weight;
    weight.name = joined.name;
    weight.sourceOp = sourceOp;
    weight.type = ElementType::Fp32;
    weight.shape = joined.shape;
    weight.elements = elementCount(joined.shape).value_or(ElementCount());
    codec::Encoding encoding;
    encoding.type = weight.type;
    encoding.shape = joined.shape;
    encoding.payload =
        joined.words ? codec::wordsOperand(operandOf(PartRole::Data, *joined.codes,
                                                     joined.codes->type, joined.codes->shape),
                                           joined.codeType, joined.shape, false)
                     : operandOf(PartRole::Data, *joined.codes, joined.codeType, joined.shape);
    codec::Scaling scaling;
    scaling.kind = codec::Scaling::Kind::Blockwise;
    scaling.steps = codec::Scaling::Steps::Difference;
    auto scales = joined.finer.empty()
                      ? operandOf(PartRole::Scale, *joined.scales, joined.scaleType, joined.grid)
                      : constantOf(PartRole::Scale, joined.finer, joined.scaleType, joined.grid);
    if (joined.whole || joined.inverse)
        scaling.scale = wholeScales(joined, std::move(scales));
    else
        scaling.scale = std::move(scales);
    if (joined.zeros)
        scaling.offset = zerosOf(joined);
    else if (joined.offset)
        scaling.offset = constantOf(PartRole::Offset, {static_cast<std::byte>(*joined.offset)},
                                    joined.codeType, Shape(joined.shape.size(), 1));
    if (joined.biases)
        scaling.bias = operandOf(PartRole::Bias, *joined.biases, joined.biases->type, joined.grid);
    encoding.scaling = std::move(scaling);
    weight.form = StorageForm(std::move(encoding));
    weight.detail.emplace_back("layout", joined.layout);
    std::uint64_t stored = 0;
    for (const auto &[role, tensor] :
         {std::pair(PartRole::Data, joined.codes), std::pair(PartRole::Scale, joined.scales),
          std::pair(PartRole::Bias, joined.biases), std::pair(PartRole::Scale, joined.whole),
          std::pair(PartRole::Offset, joined.zeros)}) {
        if (!tensor)
            continue;
        stored += tensor->bytes.bytes.value;
        ByteClaim claim;
        claim.range = tensor->bytes;
        claim.kind = role == PartRole::Data ? SectionKind::Data : SectionKind::Scale;
        claim.name = fmt::format("{}: {}", joined.name, codec::partRoleName(role));
        claim.weight = out.weights.size();
        const OperandList &operands = weight.operands();
        for (std::size_t i = 0; i < operands.size(); ++i) {
            if (operands[i].role == role)
                claim.operand = i;
        }
        out.claims[tensor->file].push_back(std::move(claim));
    }
    weight.storedBytes = ByteCount(stored);
    out.weights.push_back(std::move(weight));
}

} // namespace

void addScaledTensors(std::vector<StoredTensor> &tensors, const std::vector<BundleFile> &files,
                      const std::string &sourceOp, ContainerContents &out)
{
    std::set<std::string> taken;
    for (const Joined &joined : Joiner(tensors, files).find()) {
        addJoined(joined, sourceOp, out);
        for (const StoredTensor *tensor :
             {joined.codes, joined.scales, joined.biases, joined.whole, joined.zeros}) {
            if (tensor)
                taken.insert(tensor->name);
        }
    }
    std::erase_if(tensors,
                  [&](const StoredTensor &tensor) { return taken.count(tensor.name) != 0; });
}

} // namespace kernscope::checkpoint
