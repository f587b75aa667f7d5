// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/audit/audit.h"
#include "core/audit/seats.h"
#include "core/codec/encode/encoder.h"
#include "core/numeric/half.h"
#include "made_bundle.h"
#include "tests/test_program.h"

#include <fmt/ranges.h>

/// Packages of four layers and the checkpoint that they are made from.
namespace kernscope::test {

constexpr std::size_t kRows = 64, kColumns = 64, kBlock = 32;
using Values = std::vector<float>;
using Codes = std::vector<int>;

/// A weight as it is stored: codes with scales (and offsets), indices with tables, or values.
struct Stored {
    unsigned bits = 0; ///< 0: dense
    Codes codes, offsets;
    Values scales;           ///< blocks of kBlock columns (4 bits) or rows (8 bits)
    std::size_t groups = 0;  ///< of tables; 0: none
    std::size_t vector = 1;  ///< outputs that an entry holds
    std::size_t columns = 1; ///< tables of a group, one a column
    Values table;
    bool bytes = false; ///< its entries are int8 with a scale
    Values dense;
    std::vector<bool> mask; ///< of sparse ones
};

inline Values randomMatrix(std::mt19937_64 &random)
{
    std::student_t_distribution<float> value(5);
    std::normal_distribution<float> size(0, 0.35F);
    Values values(kRows * kColumns);
    for (std::size_t row = 0; row < kRows; ++row) {
        const float factor = std::exp(size(random)) * 0.1F;
        for (std::size_t i = 0; i < kColumns; ++i)
            values[row * kColumns + i] = value(random) * factor;
    }
    return values;
}

/// Symmetric codes of 8 bits a row or 4 bits a block; `shifted`: with an offset a row.
inline Stored coded(const Values &values, unsigned bits, bool shifted = false)
{
    Stored stored;
    stored.bits = bits;
    const std::size_t run = bits == 4 ? kBlock : kColumns;
    const int top = (1 << (bits - 1)) - 1;
    stored.codes.resize(values.size());
    for (std::size_t at = 0; at < values.size(); at += run) {
        const auto [low, high] = std::minmax_element(values.begin() + std::ptrdiff_t(at),
                                                     values.begin() + std::ptrdiff_t(at + run));
        const float range =
            shifted ? (*high - *low) / float(2 * top + 1) : std::max(-*low, *high) / float(top);
        const float scale = halfToFloat(floatToHalf(range));
        const int offset =
            shifted ? std::clamp(int(std::lround(-*low / scale)), 0, 2 * top + 1) - top - 1 : 0;
        stored.scales.push_back(scale);
        if (shifted)
            stored.offsets.push_back(offset);
        for (std::size_t i = at; i < at + run; ++i)
            stored.codes[i] =
                std::clamp(int(std::lround(values[i] / scale)) + offset, -top - 1, top);
    }
    return stored;
}

inline Stored palettised(const Values &values, std::size_t groups, unsigned bits = 4,
                         std::size_t vector = 1)
{
    Stored stored;
    stored.bits = bits;
    stored.groups = groups;
    stored.vector = vector;
    const auto made = codec::encodePalette(values, {kRows, kColumns}, {bits, groups, vector});
    for (const codec::EncodedPart &part : made->parts) {
        if (part.role == codec::PartRole::Lut) {
            for (std::size_t i = 0; i < part.bytes.size(); i += 2)
                stored.table.push_back(
                    halfToFloat(std::uint16_t(std::to_integer<unsigned>(part.bytes[i]) |
                                              std::to_integer<unsigned>(part.bytes[i + 1]) << 8)));
        } else {
            for (const std::byte byte : part.bytes)
                for (unsigned at = 0; at < 8; at += bits)
                    stored.codes.push_back(std::to_integer<int>(byte) >> at & ((1 << bits) - 1));
        }
    }
    return stored;
}

inline Bytes packed(const Codes &codes, unsigned bits)
{
    Bytes bytes;
    for (std::size_t i = 0; i < codes.size();) {
        int byte = 0;
        for (unsigned at = 0; at < 8; at += bits, ++i)
            byte |= (codes[i] & ((1 << bits) - 1)) << at;
        bytes.push_back(static_cast<std::byte>(byte));
    }
    return bytes;
}

inline void addWeight(MadeBundle &made, const std::string &name, const Stored &stored)
{
    const std::string shape = fmt::format("[{}, {}]", kRows, kColumns);
    const std::string full = "tensor<fp16, " + shape + "> " + name + " = ";
    const std::string named = fmt::format(")[name = string(\"{}\")]", name);
    if (!stored.mask.empty()) {
        Bytes bits(kRows * kColumns / 8);
        for (std::size_t i = 0; i < stored.mask.size(); ++i)
            if (stored.mask[i])
                bits[i / 8] |= static_cast<std::byte>(1U << i % 8);
        const auto mask = made.blob(ElementType::Uint1, shape, bits);
        std::string values;
        if (stored.bits == 0) {
            values = made.blob(ElementType::Fp16, fmt::format("[{}]", stored.dense.size()),
                               halves(stored.dense));
        } else {
            const std::string count = fmt::format("[{}]", stored.codes.size());
            values = name + "_kept";
            made.line(
                "tensor<uint1, " + shape + "> " + name + "_mask, tensor<fp16, " + count + "> " +
                values + " = constexpr_sparse_blockwise_shift_scale(data_mask = " + mask +
                ", nonzero_data = " + made.blob(ElementType::Int8, count, packed(stored.codes, 8)) +
                ", scale = " +
                made.blob(ElementType::Fp16, fmt::format("[{}, 1]", kRows), halves(stored.scales)) +
                ")[name = string(\"" + values + "\")]");
        }
        made.line(full + "constexpr_sparse_to_dense(mask = " + mask + ", nonzero_data = " + values +
                  named);
    } else if (stored.groups > 0) {
        const auto indices = made.blob(unsignedType(stored.bits),
                                       fmt::format("[{}, {}]", kRows / stored.vector, kColumns),
                                       packed(stored.codes, stored.bits));
        const std::string tables = fmt::format("[{}, {}, {}, {}]", stored.groups, stored.columns,
                                               1 << stored.bits, stored.vector);
        std::string lut = name + "_table";
        if (stored.bytes) {
            const auto [low, high] = std::ranges::minmax_element(stored.table);
            const float scale = halfToFloat(floatToHalf(std::max(-*low, *high) / 127));
            Codes entries;
            for (const float entry : stored.table)
                entries.push_back(std::clamp(int(std::lround(entry / scale)), -128, 127));
            made.line("tensor<fp16, " + tables + "> " + lut +
                      " = constexpr_blockwise_shift_scale(data = " +
                      made.blob(ElementType::Int8, tables, packed(entries, 8)) +
                      ", scale = " + made.blob(ElementType::Fp16, "[1, 1, 1, 1]", halves({scale})) +
                      ")[name = string(\"" + lut + "\")]");
        } else {
            lut = made.blob(ElementType::Fp16, tables, halves(stored.table));
        }
        made.line(full + "constexpr_lut_to_dense(indices = " + indices + ", lut = " + lut +
                  (stored.vector > 1 ? ", vector_axis = int32(0)" : "") + named);
    } else if (stored.bits > 0) {
        const std::size_t rows = std::min(kRows, stored.scales.size());
        const std::string grid = fmt::format("[{}, {}]", rows, stored.scales.size() / rows);
        const ElementType type = stored.bits == 4 ? ElementType::Int4 : ElementType::Int8;
        const auto data = made.blob(type, shape, packed(stored.codes, stored.bits));
        const auto scale = made.blob(ElementType::Fp16, grid, halves(stored.scales));
        std::string inputs = "data = " + data + ", scale = " + scale;
        if (!stored.offsets.empty())
            inputs += ", offset = " + made.blob(type, grid, packed(stored.offsets, stored.bits));
        made.line(full + "constexpr_blockwise_shift_scale(" + inputs + named);
    } else {
        made.weight(name, shape, halves(stored.dense));
    }
    made.consume(name);
}

inline const std::vector<std::string> kNames{"layers.0.up.weight", "layers.0.down.weight",
                                             "layers.1.up.weight", "layers.1.down.weight"};

/// `named`: weights are called as the checkpoint has them.
inline BundlePtr packageOf(const std::vector<Stored> &weights, bool named = true,
                           const std::vector<std::string> &names = kNames)
{
    MadeBundle made;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        std::string name = names[i];
        std::replace(name.begin(), name.end(), '.', '_');
        addWeight(made, named ? name + "_to_fp16_quantized" : fmt::format("const_{}", i),
                  weights[i]);
    }
    return made.open().value_or(nullptr);
}

using Shapes = std::map<std::size_t, std::string>; ///< by the number of elements

/// Tensors of those shapes; of another size: vectors.
inline BundlePtr checkpointOf(const std::vector<Values> &tensors,
                              const std::vector<std::string> &names = kNames,
                              const Shapes &shapes = {{kRows * kColumns, "64,64"}},
                              bool bf16 = false)
{
    std::string header = "{";
    std::size_t at = 0;
    Bytes data;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const auto shape = shapes.find(tensors[i].size());
        header +=
            fmt::format(R"({}"{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                        i == 0 ? "" : ",", names[i], bf16 ? "BF16" : "F32",
                        shape == shapes.end() ? std::to_string(tensors[i].size()) : shape->second,
                        at, at + tensors[i].size() * (bf16 ? 2 : 4));
        at += tensors[i].size() * (bf16 ? 2 : 4);
        for (const float value : tensors[i]) {
            const auto bits = std::bit_cast<std::uint32_t>(value) + (bf16 ? 0x8000U : 0);
            for (unsigned shift = bf16 ? 16 : 0; shift < 32; shift += 8)
                data.push_back(static_cast<std::byte>(bits >> shift & 0xFF));
        }
    }
    const QByteArray file = safetensors(QByteArray::fromStdString(header + "}"), asArray(data));
    return Bundle::open("w.safetensors", {.memory = {{"w.safetensors", asBytes(file)}}})
        .value_or(nullptr);
}

using Make = std::function<Stored(const Values &)>;
using Change = std::function<void(Stored &)>;

inline Stored int4(const Values &values)
{
    return coded(values, 4);
}
inline Stored int8(const Values &values)
{
    return coded(values, 8);
}
inline Stored int8Shifted(const Values &values)
{
    return coded(values, 8, true);
}
inline Stored palette(const Values &values)
{
    return palettised(values, 1);
}
inline Stored groupedPalette(const Values &values)
{
    return palettised(values, 4);
}
inline Stored dense(const Values &values)
{
    Stored made;
    made.dense = values;
    return made;
}
inline Stored sparse(const Values &values)
{
    Values sizes;
    for (const float value : values)
        sizes.push_back(std::abs(value));
    std::nth_element(sizes.begin(), sizes.begin() + std::ptrdiff_t(sizes.size() / 2), sizes.end());
    Stored made;
    made.mask.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        made.mask[i] = std::abs(values[i]) > sizes[sizes.size() / 2];
        if (made.mask[i])
            made.dense.push_back(values[i]);
    }
    return made;
}

/// The two largest of each four in a row.
inline Stored twoOfFour(const Values &values)
{
    Stored made;
    for (std::size_t at = 0; at < values.size(); at += 4) {
        const auto larger = [&](std::size_t i) {
            return std::count_if(values.begin() + std::ptrdiff_t(at),
                                 values.begin() + std::ptrdiff_t(at + 4),
                                 [&](float each) { return std::abs(each) > std::abs(values[i]); });
        };
        for (std::size_t i = at; i < at + 4; ++i) {
            made.mask.push_back(larger(i) < 2);
            if (made.mask[i])
                made.dense.push_back(values[i]);
        }
    }
    return made;
}

/// The larger half of the blocks of four inputs is kept.
inline Stored sparseBlocks(const Values &values)
{
    constexpr std::size_t kWide = 4;
    Values sizes;
    for (std::size_t at = 0; at < values.size(); at += kWide)
        sizes.push_back(std::inner_product(&values[at], &values[at] + kWide, &values[at], 0.0F));
    Values order = sizes;
    std::ranges::sort(order);
    Stored made;
    for (std::size_t i = 0; i < values.size(); ++i) {
        made.mask.push_back(sizes[i / kWide] > order[order.size() / 2]);
        if (made.mask.back())
            made.dense.push_back(values[i]);
    }
    return made;
}
/// The larger half in 8 bits, the scales of some of its rows a part of what they should be.
inline Stored sparseInt8(const Values &values, float part = 1)
{
    Stored made = sparse(values);
    made.bits = 8;
    for (std::size_t row = 0, kept = 0; row < kRows; ++row) {
        const auto first = values.begin() + std::ptrdiff_t(row * kColumns);
        const auto [low, high] = std::minmax_element(first, first + kColumns);
        made.scales.push_back(
            halfToFloat(floatToHalf(std::max(-*low, *high) / 127 * (row % 4 == 0 ? part : 1))));
        for (std::size_t i = row * kColumns; i < (row + 1) * kColumns; ++i) {
            if (!made.mask[i])
                continue;
            const long code = std::lround(made.dense[kept++] / made.scales.back());
            made.codes.push_back(int(std::clamp(code, -128L, 127L)));
        }
    }
    return made;
}
inline Stored wholeSparseInt8(const Values &values)
{
    return sparseInt8(values);
}
/// A table of 256 integers.
inline Stored byteTable(const Values &values)
{
    Stored made = palettised(values, 1, 8);
    made.bytes = true;
    return made;
}
/// A table for every four rows.
inline Stored manyTables(const Values &values)
{
    return palettised(values, kRows / 4);
}

/// A table for each group, times the scale of each column (coremltools' enable_per_channel_scale).
inline Stored scaledTables(const Values &values, std::size_t groups)
{
    Values scales(kColumns), divided = values;
    for (std::size_t i = 0; i < values.size(); ++i)
        scales[i % kColumns] = std::max(scales[i % kColumns], std::abs(values[i]));
    for (std::size_t i = 0; i < values.size(); ++i)
        divided[i] /= scales[i % kColumns];
    Stored stored = palettised(divided, groups);
    const Values tables = std::exchange(stored.table, {});
    for (std::size_t group = 0; group < groups; ++group) {
        for (const float scale : scales) {
            for (std::size_t k = 0; k < 16; ++k)
                stored.table.push_back(scale * tables[group * 16 + k]);
        }
    }
    stored.columns = kColumns;
    return stored;
}
inline Stored vectors(const Values &values)
{
    return palettised(values, 2, 4, 2);
}

inline std::string describe(const audit::AuditResult &result)
{
    std::string text;
    for (const audit::AuditedWeight &row : result.faulty)
        text += fmt::format("{} ({}): {} e {:.4f} best {:.4f} {}\n", row.name, row.checkpointName,
                            audit::kindName(*row.fault), row.error, row.bestPossible, row.why);
    for (const audit::AuditedWeight &row : result.sound)
        text += fmt::format("{} ({}): sound e {:.4f} best {:.4f} {}\n", row.name,
                            row.checkpointName, row.error, row.bestPossible, row.why);
    for (const audit::Unpaired &row : result.unpaired)
        text += fmt::format("{}: unpaired, {}\n", row.name, row.why);
    return text;
}

class AuditSample
{
public:
    AuditSample()
    {
        std::mt19937_64 random(20261127);
        for (std::size_t i = 0; i < kNames.size(); ++i)
            m_tensors.push_back(randomMatrix(random));
        m_checkpoint = checkpointOf(m_tensors);
    }

protected:
    static Values figures(std::size_t count, unsigned seed)
    {
        std::mt19937_64 random(seed);
        std::uniform_real_distribution<float> figure(0.3F, 2);
        Values values(count);
        std::ranges::generate(values, [&] { return figure(random); });
        return values;
    }
    std::vector<Stored> stored(const Make &make) const
    {
        std::vector<Stored> all;
        for (const Values &tensor : m_tensors)
            all.push_back(make(tensor));
        return all;
    }
    std::vector<Values> m_tensors;
    BundlePtr m_checkpoint;
};

} // namespace kernscope::test
