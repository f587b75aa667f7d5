// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/checkpoint/scaled_tensors.h"

#include "core/bundle/weight.h"
#include "core/container/mil/program.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace kernscope::checkpoint {

namespace {

constexpr std::uint64_t kMxGroup = 32;

/// Tensors that are one weight, and how they are read.
struct Joined {
    std::string name, layout;
    const StoredTensor *codes = nullptr, *scales = nullptr, *biases = nullptr;
    ElementType codeType = ElementType::Unknown, scaleType = ElementType::Unknown;
    Shape shape, grid;
    std::optional<std::uint8_t> offset; ///< that is taken off every code
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

class Joiner
{
public:
    explicit Joiner(const std::vector<StoredTensor> &tensors)
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
                 {&Joiner::withScales, &Joiner::packedIntegers, &Joiner::blocks, &Joiner::mlx}) {
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

    /// NAME of fp8 or int8 with NAME_scale or NAME_scale_inv.
    std::optional<Joined> withScales(const std::string &name, const StoredTensor &codes) const
    {
        const bool is8 = codes.type == ElementType::Int8 || codes.type == ElementType::Fp8E4M3Fn ||
                         codes.type == ElementType::Fp8E5M2;
        if (!is8 || codes.shape.size() < 2)
            return std::nullopt;
        const StoredTensor *scales = tensor(name + "_scale_inv");
        if (!scales)
            scales = tensor(name + "_scale");
        if (!scales || !isReal(scales->type) || tensor(name + "_zero_point"))
            return std::nullopt;
        return Joined{name,
                      "codes with scales",
                      &codes,
                      scales,
                      nullptr,
                      codes.type,
                      scales->type,
                      codes.shape,
                      gridOf(scales->shape, codes.shape),
                      {}};
    }

    /// NAME_packed of int32 with eight codes each, less 8, and NAME_scale.
    std::optional<Joined> packedIntegers(const std::string &name, const StoredTensor &codes) const
    {
        constexpr std::string_view kPacked = "_packed";
        constexpr std::uint8_t kMiddle = 8;
        if (codes.type != ElementType::Int32 || !name.ends_with(kPacked) || codes.shape.size() != 2)
            return std::nullopt;
        const std::string plain = name.substr(0, name.size() - kPacked.size());
        const StoredTensor *scales = tensor(plain + "_scale");
        if (!scales || !isReal(scales->type) || tensor(plain + "_zero_point"))
            return std::nullopt;
        const Shape shape{codes.shape[0], codes.shape[1] * 8};
        return Joined{plain,        "packed int4", &codes,
                      scales,       nullptr,       ElementType::Uint4,
                      scales->type, shape,         gridOf(scales->shape, shape),
                      kMiddle};
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
        if (!scales || scales->shape != grid ||
            (scales->type != ElementType::Uint8 && scales->type != ElementType::Fp8E8M0))
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
            // The group is not stored: 64 where that gives a width that there is, else 32 or 128.
            if (!isReal(scales->type) || biases->type != scales->type ||
                biases->shape != scales->shape || words % groups != 0)
                return std::nullopt;
            for (const std::uint64_t group : {kUsualGroup, std::uint64_t(32), std::uint64_t(128)}) {
                const std::uint64_t bits = 32 * (words / groups) / group;
                if (32 * (words / groups) % group != 0 || (bits != 2 && bits != 4 && bits != 8))
                    continue;
                joined.codeType = bits == 2   ? ElementType::Uint2
                                  : bits == 4 ? ElementType::Uint4
                                              : ElementType::Uint8;
                joined.shape.back() = words * 32 / bits;
                return joined;
            }
            return std::nullopt;
        }
        if (scales->type != ElementType::Uint8)
            return std::nullopt;
        joined.scaleType = ElementType::Fp8E8M0;
        const bool four = words * 8 == groups * kMxGroup;
        if (!four && words * 4 != groups * kMxGroup) // nvfp4 has scales of another type
            return std::nullopt;
        joined.layout = four ? "mlx mxfp4" : "mlx mxfp8";
        joined.codeType = four ? ElementType::Fp4E2M1 : ElementType::Fp8E4M3Fn;
        joined.shape.back() = groups * kMxGroup;
        return joined;
    }

    std::map<std::string, const StoredTensor *> m_byName;
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

/// One number for all codes, which no file has.
codec::Operand constantOf(std::uint8_t value, ElementType type, std::size_t rank)
{
    auto literal = std::make_shared<mil::Literal>();
    literal->element = type;
    literal->count = 1;
    literal->bytes = {static_cast<std::byte>(value)};
    OperandPlace place;
    place.bytes = ByteCount(1);
    place.literal = std::move(literal);
    return operandAt(codec::PartRole::Offset, type, Shape(rank, 1), std::move(place));
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
    encoding.payload = operandOf(PartRole::Data, *joined.codes, joined.codeType, joined.shape);
    codec::Scaling scaling;
    scaling.kind = codec::Scaling::Kind::Blockwise;
    scaling.steps = codec::Scaling::Steps::Difference;
    scaling.scale = operandOf(PartRole::Scale, *joined.scales, joined.scaleType, joined.grid);
    if (joined.offset)
        scaling.offset = constantOf(*joined.offset, joined.codeType, joined.shape.size());
    if (joined.biases)
        scaling.bias = operandOf(PartRole::Bias, *joined.biases, joined.biases->type, joined.grid);
    encoding.scaling = std::move(scaling);
    weight.form = StorageForm(std::move(encoding));
    weight.detail.emplace_back("layout", joined.layout);
    std::uint64_t stored = 0;
    for (const auto &[role, tensor] :
         {std::pair(PartRole::Data, joined.codes), std::pair(PartRole::Scale, joined.scales),
          std::pair(PartRole::Bias, joined.biases)}) {
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

void addScaledTensors(std::vector<StoredTensor> &tensors, const std::string &sourceOp,
                      ContainerContents &out)
{
    std::set<std::string> taken;
    for (const Joined &joined : Joiner(tensors).find()) {
        addJoined(joined, sourceOp, out);
        for (const StoredTensor *tensor : {joined.codes, joined.scales, joined.biases}) {
            if (tensor)
                taken.insert(tensor->name);
        }
    }
    std::erase_if(tensors,
                  [&](const StoredTensor &tensor) { return taken.count(tensor.name) != 0; });
}

} // namespace kernscope::checkpoint
