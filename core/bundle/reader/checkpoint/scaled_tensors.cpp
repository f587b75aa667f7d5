// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/checkpoint/scaled_tensors.h"

#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/base/parts.h"
#include "core/base/text.h"
#include "core/bundle/reader/checkpoint/codes_config.h"
#include "core/form/constant_order.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include <fmt/format.h>

namespace kernscope::checkpoint {

namespace {

constexpr std::uint64_t kMxGroup = 32, kNvGroup = 16, kBlock = 128;
constexpr std::size_t kMostBlockSizes = 64; ///< all of them are tried with every tensor

/// Tensors that are one weight, and how they are read.
struct Joined {
    std::string name, layout;
    const StoredTensor *codes = nullptr, *scales = nullptr, *biases = nullptr;
    ElementType codeType = ElementType::Unknown, scaleType = ElementType::Unknown;
    Shape shape, grid;
    std::optional<std::uint8_t> offset; ///< that is taken off every code, in place of `zeros`
    /// One number that multiplies all scales (NVFP4), or divides them; `once`: that number is 1.
    const StoredTensor *whole = nullptr;
    bool divides = false, once = false;
    /// Zero points, a number a scale or one for all; words of packed ones go along axis 0.
    const StoredTensor *zeros = nullptr;
    /// The scales as `grid` has them, where they are not stored so.
    std::vector<std::byte> finer = {};
    /// Zero points that lie over the ends of words, one after the other.
    std::vector<std::byte> plainZeros = {};
    /// Of rows in words of 32 bits with a rest: codes of a word, or of a row whose codes are dense.
    std::uint64_t each = 0;
    /// Of fp6, whose codes are indices into its 64 numbers: bits of the fraction.
    unsigned fraction = 0;
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

/// Scales of blocks of `block` rows and columns, the last ones shorter, as a grid that divides the
/// shape: a finer one where the blocks do not. Empty where the scales are no such blocks.
Shape blockGrid(const Shape &scales, const Shape &shape, const Shape &block)
{
    constexpr std::uint64_t kMostCells = std::uint64_t(1) << 22;
    Shape grid = scales;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool leading = i + 2 < shape.size();
        const std::uint64_t size = leading ? 1 : block[i + 2 - shape.size()];
        if (scales.size() != shape.size() || scales[i] != (shape[i] - 1) / size + 1)
            return {};
        if (scales[i] != 1)
            grid[i] = shape[i] / std::gcd(shape[i], size);
    }
    const auto cells = elementCount(grid);
    return grid == scales || (cells && cells->value <= kMostCells) ? grid : Shape();
}

/// A row of resources/tables/checkpoint_sets.csv: a set that is not read.
struct KnownSet {
    std::string name, codes, beside;
    std::string types; ///< of the codes; empty: any
};

constexpr std::string_view
    kBitsUnclear = "packed codes whose bits or layout follow neither from the shapes nor from "
                   "config.json (num_bits, version)",
    kBlocksUnclear = "scales of blocks whose size follows neither from the shapes nor from "
                     "config.json (weight_block_size, block_structure)",
    kGroupUnclear = "MLX codes whose group and bits follow neither from the shapes nor from "
                    "config.json (quantization)",
    kSixBitsUnclear =
        "MXFP6 codes of which config.json does not say whether they are of E2M3 or E3M2 "
        "(global_quant_config, weight_format)",
    kGroupFits =
        "of MLX shown with the only group and bits that fit: config.json does not say them";

class Joiner
{
public:
    Joiner(const std::vector<StoredTensor> &tensors, const std::vector<BundleFile> &files)
        : m_files(files), m_config(files), m_bits(m_config.packedBits()), m_dense(m_config.dense()),
          m_blocks(m_config.blocks())
    {
        m_tooMany = m_blocks.size() > kMostBlockSizes;
        if (m_tooMany)
            m_blocks.erase(std::next(m_blocks.begin(), kMostBlockSizes), m_blocks.end());
        for (const StoredTensor &tensor : tensors) {
            if (!tensor.fault && !tensor.packed && !tensor.firstAxisInnermost &&
                elementCount(tensor.shape).value_or(ElementCount()).value != 0)
                m_byName.emplace(tensor.name, &tensor);
        }
    }

    std::vector<Joined> find()
    {
        std::vector<Joined> found;
        for (const auto &[name, tensor] : m_byName) {
            for (const auto &look :
                 {&Joiner::withScales, &Joiner::packedIntegers, &Joiner::packedFp4,
                  &Joiner::plainFp4, &Joiner::blocks, &Joiner::mlx}) {
                auto joined = (this->*look)(name, *tensor);
                if (joined && divides(joined->grid, joined->shape)) {
                    found.push_back(*std::move(joined));
                    break;
                }
            }
        }
        return found;
    }

    /// Says what is not read though it is known, and what was left open: a row a kind. Nothing of
    /// the tensors that were `taken`.
    void report(const std::set<std::string> &taken, DiagnosticLog &log)
    {
        static const auto all =
            tables::loadRows<KnownSet>("checkpoint_sets", {{"name", &KnownSet::name},
                                                           {"codes", &KnownSet::codes},
                                                           {"beside", &KnownSet::beside},
                                                           {"types", &KnownSet::types}});
        for (const auto &entry : m_byName) {
            const std::string &name = entry.first;
            const std::string_view type = elementTypeName(entry.second->type);
            const auto fits = [&](const KnownSet &set) {
                return isSet(name, set) && (set.types.empty() || set.types.find(type) != type.npos);
            };
            const auto set = std::ranges::find_if(all, fits);
            if (taken.count(name) == 0 && m_remarks.count(name) == 0 && set != all.end())
                leave(name, set->name);
        }
        if (m_config.isUnread() || m_tooMany)
            log.add(Severity::Warning,
                    valueError({std::string(kConfigName)}, "safetensors.config", {},
                               fmt::format("at most 16 MiB, {}, and {} sizes of blocks",
                                           kJsonLimits, kMostBlockSizes),
                               "more", "What the configuration says of codes is not all read"));
        std::map<std::string, std::vector<std::string>> kinds;
        for (const auto &[name, remark] : m_remarks)
            kinds[remark].push_back(name);
        for (const auto &[remark, names] : kinds)
            log.add(Severity::Note,
                    valueError({m_files[m_byName.at(names[0])->file].path}, "safetensors.set",
                               names[0], {}, {},
                               fmt::format("{} {}", counted(names.size(), "weight"), remark)));
    }

private:
    const StoredTensor *tensor(const std::string &name) const
    {
        const auto found = m_byName.find(name);
        return found == m_byName.end() ? nullptr : found->second;
    }

    /// Whether a tensor is the codes of such a set and the others lie beside it.
    bool isSet(std::string_view name, const KnownSet &set) const
    {
        if (!name.ends_with(set.codes))
            return false;
        const std::string stem(name.substr(0, name.size() - set.codes.size()));
        return allParts(set.beside, ' ', [&](std::string_view one) {
            return tensor(stem + std::string(one)) != nullptr;
        });
    }

    std::nullopt_t leave(const std::string &codes, std::string_view kind)
    {
        m_remarks.emplace(codes, fmt::format("shown as stored codes, not as values: {}", kind));
        return std::nullopt;
    }

    /// The stored scales of blocks as a finer grid has them.
    std::vector<std::byte> spread(const StoredTensor &scales, const Shape &shape, const Shape &grid,
                                  const Shape &block) const
    {
        const auto stored = bytesOf(scales);
        const std::size_t width = bitWidth(scales.type) / 8, last = grid.size() - 1;
        const std::uint64_t rows = grid[last - 1], columns = grid[last];
        const std::uint64_t cells = elementCount(grid).value_or(ElementCount()).value;
        std::vector<std::byte> made;
        for (std::uint64_t cell = 0; cell < cells && !stored.empty(); ++cell) {
            const std::uint64_t row = cell / columns % rows * (shape[last - 1] / rows) / block[0];
            const std::uint64_t column = cell % columns * (shape[last] / columns) / block[1];
            const std::uint64_t line = cell / columns / rows * scales.shape[last - 1] + row;
            const auto one = stored.subspan(
                static_cast<std::size_t>(line * scales.shape[last] + column) * width, width);
            made.insert(made.end(), one.begin(), one.end());
        }
        return made;
    }

    /// NAME of fp8 or int8 with NAME_scale or NAME_scale_inv; of fp8 also NAME_scales of powers of
    /// two, and of MODULE.weight MODULE.scale, .scale_weight (ComfyUI), .qscale_weight (Mistral).
    std::optional<Joined> withScales(const std::string &name, const StoredTensor &codes)
    {
        constexpr std::string_view kWeight = ".weight";
        const bool fp8 = codes.type == ElementType::Fp8E4M3Fn || codes.type == ElementType::Fp8E5M2;
        if (!(fp8 || codes.type == ElementType::Int8) || codes.shape.size() < 2)
            return std::nullopt;
        const StoredTensor *scales = nullptr;
        for (const char *ending : {"_scale_inv", "_scale", "_scales"})
            scales = scales ? scales : tensor(name + ending);
        for (const char *sibling : {".scale", ".scale_weight", ".qscale_weight"}) {
            if (!scales && fp8 && name.ends_with(kWeight))
                scales = tensor(name.substr(0, name.size() - kWeight.size()) + sibling);
        }
        const StoredTensor *zeros = tensor(name + "_zero_point");
        if (!scales || (zeros && (zeros->type != codes.type || zeros->shape != scales->shape)))
            return std::nullopt;
        const bool power = fp8 && isPower(scales->type);
        if (!power && !isReal(scales->type))
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
        for (const Shape &block : m_blocks.empty() ? std::set{Shape(2, kBlock)} : m_blocks) {
            const Shape grid = blockGrid(scales->shape, codes.shape, block);
            if (grid.empty() || (zeros && grid != scales->shape))
                continue;
            if (grid != scales->shape) {
                joined.finer = spread(*scales, codes.shape, grid, block);
                if (joined.finer.empty())
                    return std::nullopt;
            }
            joined.grid = grid;
            return joined;
        }
        // Rows and columns in blocks, whose last ones may be shorter: of powers of two, or unknown.
        bool odd = !m_blocks.empty();
        std::size_t split = 0;
        for (std::size_t i = 0; i < joined.grid.size(); ++i) {
            if (joined.grid[i] == 1 || joined.grid[i] == codes.shape[i])
                continue;
            odd = odd || !std::has_single_bit(codes.shape[i] / joined.grid[i]);
            ++split;
        }
        if (odd && split > 1)
            return leave(name, kBlocksUnclear);
        const bool one = elementCount(scales->shape) == ElementCount(1);
        if (power && !one && scales->shape.back() * kMxGroup != codes.shape.back())
            return std::nullopt;
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

    /// What NAME_shape says, a list of int64; empty where there is none.
    Shape saidShape(const std::string &plain) const
    {
        const StoredTensor *said = tensor(plain + "_shape");
        if (!said || said->type != ElementType::Int64 || said->shape.size() != 1)
            return {};
        const auto bytes = bytesOf(*said);
        Shape shape;
        for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8)
            shape.push_back(loadLittle<std::uint64_t>(bytes, at));
        return shape;
    }

    /// Bits of codes, and whether they are dense, of which rows of `columns` take `words` words, by
    /// config.json where it says them. Nothing where several fit, or none.
    std::optional<std::pair<std::uint64_t, bool>> bitsOf(std::uint64_t columns,
                                                         std::uint64_t words) const
    {
        const auto takes = [&](std::uint64_t bits, bool dense) {
            return words == (dense ? (columns * bits - 1) / 32 : (columns - 1) / (32 / bits)) + 1;
        };
        for (const bool dense : {true, false}) {
            std::vector<std::uint64_t> fitting;
            for (std::uint64_t bits = 1; bits <= 8; ++bits) {
                if ((m_bits.empty() || m_bits.count(bits) != 0) && takes(bits, dense))
                    fitting.push_back(bits);
            }
            if (fitting.size() > 1)
                return std::nullopt;
            if (fitting.empty())
                continue;
            const std::uint64_t bits = fitting[0];
            if (!dense || 32 % bits == 0 || !takes(bits, false))
                return std::pair(bits, dense);
            return m_dense ? std::optional(std::pair(bits, *m_dense)) : std::nullopt;
        }
        return std::nullopt;
    }

    /// Codes of a matrix, row by row, whose columns are dense in words of 32 bits.
    static std::vector<std::byte> downColumns(std::span<const std::byte> words, const Shape &matrix,
                                              std::uint64_t bits)
    {
        const std::uint64_t columns = matrix[1], all = matrix[0] * columns * bits;
        std::vector<std::byte> made(static_cast<std::size_t>((all + 7) / 8));
        for (std::uint64_t to = 0; to < all && !words.empty(); ++to) {
            const std::uint64_t column = to / bits % columns,
                                from = to / bits / columns * bits + to % bits; // in the column
            const std::uint64_t at = (from / 32 * columns + column) * 32 + from % 32;
            made[static_cast<std::size_t>(to / 8)] |=
                (words[static_cast<std::size_t>(at / 8)] >> at % 8 & std::byte{1}) << to % 8;
        }
        return made;
    }

    /// NAME_packed of int32 with codes of 1 to 8 bits, less half their range, dense or as many a
    /// word as have room, and NAME_scale; of asymmetric ones NAME_zero_point, packed alike but
    /// along the rows, or one of int8. The bits are those of config.json or fit NAME_shape, which
    /// tells rests of rows; without both they are 4.
    std::optional<Joined> packedIntegers(const std::string &name, const StoredTensor &codes)
    {
        constexpr std::string_view kPacked = "_packed";
        if (codes.type != ElementType::Int32 || !name.ends_with(kPacked) || codes.shape.size() < 2)
            return std::nullopt;
        const std::string plain = name.substr(0, name.size() - kPacked.size());
        const StoredTensor *scales = tensor(plain + "_scale");
        if (!scales || !isReal(scales->type) || tensor(plain + "_g_idx"))
            return std::nullopt;
        const std::uint64_t words = codes.shape.back();
        Shape shape = saidShape(plain);
        std::optional<std::pair<std::uint64_t, bool>> found;
        if (shape.empty() && m_bits.size() < 2) {
            const std::uint64_t bits = m_bits.empty() ? 4 : *m_bits.begin();
            shape = codes.shape;
            if (bits >= 1 && bits <= 8 && 32 % bits == 0)
                found.emplace(bits, true);
            shape.back() = found ? 32 / bits * words : 0;
        }
        // Of the same rows, and no more columns than there are bits.
        const bool ofCodes = shape.size() == codes.shape.size() &&
                             std::equal(shape.begin(), shape.end() - 1, codes.shape.begin()) &&
                             shape.back() != 0 && shape.back() <= 32 * words;
        if (ofCodes && !found)
            found = bitsOf(shape.back(), words);
        if (!ofCodes || !found)
            return leave(name, kBitsUnclear);
        const std::uint64_t bits = found->first, each = 32 / bits, half = 1U << (bits - 1);
        Joined joined{plain,
                      fmt::format("packed int{}", bits),
                      &codes,
                      scales,
                      nullptr,
                      codesType(bits),
                      scales->type,
                      shape,
                      gridOf(scales->shape, shape),
                      static_cast<std::uint8_t>(half)};
        if (shape.back() * bits != 32 * words)
            joined.each = found->second ? shape.back() : each;
        if (const StoredTensor *zeros = tensor(plain + "_zero_point")) {
            const bool one =
                zeros->type == ElementType::Int8 && elementCount(zeros->shape) == ElementCount(1);
            const bool across = found->second && 32 % bits != 0;
            const bool fits = zeros->type == ElementType::Int32 && joined.grid.size() == 2 &&
                              zeros->shape == Shape{across ? (joined.grid[0] * bits + 31) / 32
                                                           : (joined.grid[0] + each - 1) / each,
                                                    joined.grid[1]};
            const auto bytes = bytesOf(*zeros);
            if ((!one || bytes.empty()) && !fits)
                return std::nullopt;
            if (one)
                joined.offset =
                    static_cast<std::uint8_t>(std::to_integer<unsigned>(bytes[0]) + half);
            else
                joined.offset.reset();
            if (fits && across)
                joined.plainZeros = downColumns(bytes, joined.grid, bits);
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

    /// Codes of fp4 or fp6, dense in bytes where they have no type of their own, and a scale for
    /// `group` of them.
    static std::optional<Joined> smallFloats(std::string name, std::string layout,
                                             const StoredTensor &codes, const StoredTensor *scales,
                                             ElementType codeType, ElementType scaleType,
                                             std::uint64_t group)
    {
        const bool native = codes.type == codeType;
        if (!scales || !(native || codes.type == ElementType::Uint8) || codes.shape.size() < 2 ||
            scales->shape.size() != codes.shape.size())
            return std::nullopt;
        Joined joined{std::move(name), std::move(layout), &codes, scales, nullptr,
                      codeType,        scaleType,         {},     {},     {}};
        joined.grid = joined.shape = scales->shape;
        joined.shape.back() *= group;
        if (!std::equal(joined.grid.begin(), joined.grid.end() - 1, codes.shape.begin()) ||
            scales->shape.back() > codes.shape.back() ||
            codes.shape.back() * (native ? bitWidth(codeType) : 8) !=
                joined.shape.back() * bitWidth(codeType))
            return std::nullopt;
        return joined;
    }

    /// Powers of two for 32 codes of fp4, or of fp6 that config.json says the type of.
    std::optional<Joined> powersOf(const std::string &name, const StoredTensor &codes,
                                   const StoredTensor &scales)
    {
        const auto with = [&](std::string layout, ElementType type) {
            return smallFloats(name, std::move(layout), codes, &scales, type, ElementType::Fp8E8M0,
                               kMxGroup);
        };
        if (auto four = with("mxfp4", ElementType::Fp4E2M1))
            return four;
        auto six = with("mxfp6", ElementType::Uint6);
        if (!six)
            return std::nullopt;
        six->fraction = m_config.sixBitFraction(name);
        if (six->fraction == 0)
            return leave(codes.name, kSixBitsUnclear);
        six->layout += six->fraction == 3 ? " (E2M3)" : " (E3M2)";
        return six;
    }

    /// NAME_packed of bytes and NAME_scale: E8M0 of 32 (MXFP4), or E4M3 of 16, all of them divided
    /// by NAME_global_scale (NVFP4). As compressed-tensors has them.
    std::optional<Joined> packedFp4(const std::string &name, const StoredTensor &codes)
    {
        constexpr std::string_view kPacked = "_packed";
        if (!name.ends_with(kPacked))
            return std::nullopt;
        const std::string plain = name.substr(0, name.size() - kPacked.size());
        const StoredTensor *scales = tensor(plain + "_scale");
        if (scales && isPower(scales->type))
            return powersOf(plain, codes, *scales);
        const StoredTensor *whole = tensor(plain + "_global_scale");
        if (!scales || scales->type != ElementType::Fp8E4M3Fn || !numberOf(whole))
            return std::nullopt;
        auto joined = smallFloats(plain, "nvfp4", codes, scales, ElementType::Fp4E2M1, scales->type,
                                  kNvGroup);
        if (joined) {
            joined->whole = whole;
            joined->divides = true;
        }
        return joined;
    }

    /// NAME of bytes or F4, and NAME_scale of E4M3 for 16 and NAME_scale_2, by which all are
    /// multiplied (ModelOpt), or NAME_scale or NAME_scales of powers of two for 32 (Quark), which
    /// may have a NAME_scale_2 as well.
    std::optional<Joined> plainFp4(const std::string &name, const StoredTensor &codes)
    {
        const StoredTensor *scales = tensor(name + "_scale"), *whole = tensor(name + "_scale_2");
        if (!scales)
            scales = tensor(name + "_scales");
        if (!scales || (whole && !numberOf(whole)))
            return std::nullopt;
        std::optional<Joined> joined;
        if (isPower(scales->type))
            joined = powersOf(name, codes, *scales);
        else if (whole && scales->type == ElementType::Fp8E4M3Fn)
            joined = smallFloats(name, "nvfp4", codes, scales, ElementType::Fp4E2M1, scales->type,
                                 kNvGroup);
        if (joined)
            joined->whole = whole;
        return joined;
    }

    /// NAME_blocks [..., groups, 16] of bytes with two fp4 codes, and NAME_scales [..., groups].
    std::optional<Joined> blocks(const std::string &name, const StoredTensor &codes)
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
    std::optional<Joined> mlx(const std::string &name, const StoredTensor &codes)
    {
        constexpr std::string_view kWeight = ".weight";
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
            // The group is not stored: config.json says it, or one alone gives a width there is.
            if (!isReal(scales->type) || biases->type != scales->type ||
                biases->shape != scales->shape || words % groups != 0)
                return std::nullopt;
            const std::uint64_t held = 32 * (words / groups); // bits of a group
            const MlxCodes said = m_config.codesOf(module);
            const auto isSaid = [said](const MlxCodes &one) {
                return (said.group == 0 || said.group == one.group) &&
                       (said.bits == 0 || said.bits == one.bits);
            };
            std::vector<MlxCodes> fitting;
            for (const std::uint64_t group : std::set{kMxGroup, 2 * kMxGroup, kBlock, said.group}) {
                const std::uint64_t bits = group != 0 && held % group == 0 ? held / group : 0;
                if (bits >= 2 && bits != 7 && bits <= 8)
                    fitting.push_back({group, bits});
            }
            const bool agrees = std::ranges::any_of(fitting, isSaid);
            if (agrees)
                std::erase_if(fitting, std::not_fn(isSaid));
            if (fitting.size() != 1)
                return leave(name, kGroupUnclear);
            if (!agrees || (said.group == 0 && said.bits == 0))
                m_remarks.emplace(name, kGroupFits);
            joined.codeType = codesType(fitting[0].bits);
            joined.shape.back() = groups * fitting[0].group;
            return joined;
        }
        if (scales->type != ElementType::Uint8)
            return std::nullopt;
        // Codes of a scale: 32 of four bits, 32 of eight, 16 of four.
        const bool nv = words * 8 == groups * kNvGroup, four = nv || words * 8 == groups * kMxGroup;
        if (!four && words * 4 != groups * kMxGroup)
            return std::nullopt;
        joined.scaleType = nv ? ElementType::Fp8E4M3Fn : ElementType::Fp8E8M0;
        if (nv)
            joined.once = true; // scales of E4M3 are a step of their own
        joined.layout = nv ? "mlx nvfp4" : four ? "mlx mxfp4" : "mlx mxfp8";
        joined.codeType = four ? ElementType::Fp4E2M1 : ElementType::Fp8E4M3Fn;
        joined.shape.back() = groups * (nv ? kNvGroup : kMxGroup);
        return joined;
    }

    std::map<std::string, const StoredTensor *> m_byName;
    std::map<std::string, std::string> m_remarks; ///< by the name of codes
    const std::vector<BundleFile> &m_files;
    CodesConfig m_config;
    std::set<std::uint64_t> m_bits;
    std::optional<bool> m_dense; ///< as m_config has it
    std::set<Shape> m_blocks;
    bool m_tooMany = false; ///< blocks: the first ones are tried
};

codec::Operand operandOf(codec::PartRole role, const StoredTensor &tensor, ElementType type,
                         Shape shape)
{
    return readAs(operandAt(role, tensor.type, tensor.shape, placeAt(tensor.file, tensor.bytes)),
                  type, std::move(shape));
}

/// Numbers that no file has: one for all codes, or a finer grid of scales.
codec::Operand constantOf(codec::PartRole role, std::vector<std::byte> bytes, ElementType type,
                          Shape shape)
{
    auto literal = std::make_shared<mil::Literal>();
    literal->element = type;
    literal->count = elementCount(shape).value_or(ElementCount()).value;
    literal->bytes = std::move(bytes);
    return operandAt(role, type, std::move(shape),
                     placeOf(literal, ByteCount(literal->bytes.size())));
}

/// Zero points: packed ones as the grid of scales has them.
codec::Operand zerosOf(const Joined &joined)
{
    if (!joined.plainZeros.empty())
        return constantOf(codec::PartRole::Offset, joined.plainZeros, joined.codeType, joined.grid);
    if (joined.zeros->type == joined.codeType)
        return operandOf(codec::PartRole::Offset, *joined.zeros, joined.codeType, joined.grid);
    auto packed =
        operandOf(codec::PartRole::Offset, *joined.zeros, joined.zeros->type, joined.zeros->shape);
    return codec::wordsOperand(std::move(packed), joined.codeType, joined.grid,
                               32 / bitWidth(joined.codeType), true);
}

/// The 64 numbers of six bits: a sign, an exponent and a fraction of that many bits.
codec::Operand sixBitNumbers(unsigned fraction)
{
    const int bias = fraction == 3 ? 1 : 3, last = int(fraction);
    std::vector<std::byte> bytes(64 * 4);
    for (unsigned code = 0; code < 64; ++code) {
        const int exponent = int(code >> fraction) & ((1 << (5 - last)) - 1);
        const int digits = int(code & ((1U << fraction) - 1)) + (exponent > 0 ? 1 << last : 0);
        const float size = std::ldexp(float(digits), std::max(exponent, 1) - bias - last);
        storeLittle<std::uint32_t>(bytes, 4 * code,
                                   std::bit_cast<std::uint32_t>(code > 31 ? -size : size));
    }
    return constantOf(codec::PartRole::Lut, std::move(bytes), ElementType::Fp32, {64});
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
    scaling.steps =
        joined.divides ? codec::Scaling::Steps::Quotient : codec::Scaling::Steps::Difference;
    const Shape one(joined.grid.size(), 1);
    if (joined.once) {
        std::vector<std::byte> bytes(4);
        storeLittle<std::uint32_t>(bytes, 0, std::bit_cast<std::uint32_t>(1.0F));
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
    const PartRole codes = joined.fraction != 0 ? PartRole::Indices : PartRole::Data;
    encoding.payload = joined.each != 0
                           ? codec::wordsOperand(operandOf(codes, *joined.codes, joined.codes->type,
                                                           joined.codes->shape),
                                                 joined.codeType, joined.shape, joined.each, false)
                           : operandOf(codes, *joined.codes, joined.codeType, joined.shape);
    if (joined.fraction != 0)
        encoding.palette =
            codec::Palette{sixBitNumbers(joined.fraction), Shape(joined.shape.size(), 1), 64};
    codec::Scaling scaling;
    scaling.kind = codec::Scaling::Kind::Blockwise;
    scaling.steps = codec::Scaling::Steps::Difference;
    auto scales = joined.finer.empty()
                      ? operandOf(PartRole::Scale, *joined.scales, joined.scaleType, joined.grid)
                      : constantOf(PartRole::Scale, joined.finer, joined.scaleType, joined.grid);
    if (joined.whole || joined.once)
        scaling.scale = wholeScales(joined, std::move(scales));
    else
        scaling.scale = std::move(scales);
    if (joined.zeros && !joined.offset)
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
         {std::pair(codes, joined.codes), std::pair(PartRole::Scale, joined.scales),
          std::pair(PartRole::Bias, joined.biases), std::pair(PartRole::Scale, joined.whole),
          std::pair(PartRole::Offset, joined.zeros)}) {
        if (!tensor)
            continue;
        stored += tensor->bytes.bytes.value;
        ByteClaim claim;
        claim.range = tensor->bytes;
        claim.kind = role == codes ? SectionKind::Data : SectionKind::Scale;
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
    Joiner joiner(tensors, files);
    for (const Joined &joined : joiner.find()) {
        addJoined(joined, sourceOp, out);
        for (const StoredTensor *tensor :
             {joined.codes, joined.scales, joined.biases, joined.whole, joined.zeros}) {
            if (tensor)
                taken.insert(tensor->name);
        }
    }
    joiner.report(taken, out.log);
    std::erase_if(tensors,
                  [&](const StoredTensor &tensor) { return taken.count(tensor.name) != 0; });
}

} // namespace kernscope::checkpoint
