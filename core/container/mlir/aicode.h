// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mlir/module.h"

/// What the dialect of `.aimodel` files says of types and constants (mlir-bytecode.md, sections 6
/// to 8; coreai-format.md, section 6).
namespace kernscope::mlir {

/// tensor_v1 (kinds 2 and 3).
struct TensorType {
    /// Extents as stored: INT64_MIN where one is open, other negative ones are faults.
    std::vector<std::int64_t> shape;
    std::uint32_t element = kNone;  ///< type
    std::string_view elementName;   ///< KindRow::element of it: "fp16"; empty: another one
    unsigned elementBits = 0;       ///< KindRow::bits; 0: another one
    std::uint32_t encoding = kNone; ///< attribute (kind 21 or 23: sparse; 12, 13: constraints)
};
/// Nothing for other types.
std::optional<TensorType> tensorType(const Module &module, std::uint32_t type);

/// Where the bytes of a constant lie.
struct ConstantBytes {
    std::uint32_t attribute = kNone; ///< serialization.dense_elements or dense_resource
    std::uint32_t resource = kNone;  ///< of the second
    bool splat = false;              ///< one element stands for all (bool: all of them stand there)
    ByteRange data;
};
/// Of an attribute of kind 6 or 7; nothing for others, and for a resource that is only declared.
std::optional<ConstantBytes> constantBytes(const Module &module, std::uint32_t attribute);

/// Operations whose properties or dictionaries reach each attribute of kind 6 or 7, and, for
/// resources, those attributes: what shares the bytes of a constant.
struct ConstantUses {
    /// By attribute: operations of name aicode.primitive.constant_v1 that hold it as their value.
    std::vector<std::vector<std::uint32_t>> byAttribute;
    /// By resource: attributes of kind 7.
    std::vector<std::vector<std::uint32_t>> byResource;
    /// Every constant operation whose bytes are those of `data`'s, this one included.
    std::vector<std::uint32_t> sharing(const ConstantBytes &data) const;
};
ConstantUses constantUses(const Module &module);

} // namespace kernscope::mlir
