// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <span>

/// INT8 as pto.tquant makes it (resources/formats/numbers.md): one scale, and for unsigned codes
/// one offset, a row of the matrix or one for all of it.
namespace kernscope::codec {

enum class Int8Mode : std::uint8_t {
    Symmetric, ///< int8 codes, no offset
    Asymmetric ///< uint8 codes with an offset
};

/// How fp32 becomes 8 bits. Every step rounds to nearest even and saturates.
enum class Int8Chain : std::uint8_t {
    FiveStage, ///< fp32, s32, fp32, fp16, 8 bit
    FourStage, ///< fp32, s32, fp16, 8 bit
    Direct,    ///< fp32, 8 bit: the same codes as both above
    TwoCasts   ///< fp32, fp16, 8 bit: rounds twice, shown for comparison only
};

/// What each step of the chain holds. NaN is not specified by any source: it becomes 0 here.
struct Int8Stages {
    std::int32_t integer = 0;  ///< s32
    float back = 0;            ///< fp32 of the integer
    std::uint16_t half = 0;    ///< fp16 of that, limited to the largest finite number
    std::int32_t code = 0;     ///< 8 bit
    std::int32_t direct = 0;   ///< direct cast
    std::int32_t twoCasts = 0; ///< by way of fp16 only
};
Int8Stages int8Stages(float value, Int8Mode mode);
/// The code alone.
std::int32_t int8Code(float value, Int8Mode mode, Int8Chain chain);

/// Parameters of one row. The tensor that the instruction calls scale holds `inverse`.
struct Int8Parameters {
    float scale = 0;   ///< value of one step
    float inverse = 0; ///< fp32(1 / scale); 0 where the scale is 0
    float offset = 0;  ///< code of zero, 0 to 255; asymmetric only
    friend bool operator==(const Int8Parameters &, const Int8Parameters &) = default;
};
/// Symmetric: max |x| / 127. Asymmetric: the range over 255 and an offset of clip(-min / scale).
/// Ignores NaN.
Int8Parameters int8Parameters(std::span<const float> values, Int8Mode mode);

/// A quantised matrix: rows x columns codes and one set of parameters a row.
struct Int8Matrix {
    Int8Mode mode = Int8Mode::Symmetric;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::vector<std::byte> codes;
    std::vector<Int8Parameters> parameters; ///< one for each row

    /// The code of an element, row by row: -128 to 127, of the asymmetric mode 0 to 255.
    std::int32_t code(std::uint64_t index) const;
};

/// q = cast(fp32(x * inverse)), and with an offset q = cast(fp32(fp32(x * inverse) + offset)).
/// `parameters` has one entry for each row. Errors: "int8.length".
Result<Int8Matrix> quantizeInt8(std::span<const float> values, std::uint64_t rows,
                                std::uint64_t columns, Int8Mode mode, Int8Chain chain,
                                std::span<const Int8Parameters> parameters);
/// Parameters of every row, or with `perTensor` the same ones in each.
Result<std::vector<Int8Parameters>> int8ParametersOfRows(std::span<const float> values,
                                                         std::uint64_t rows, std::uint64_t columns,
                                                         Int8Mode mode, bool perTensor);

/// scale * (q - offset), exact in fp64. `out` holds rows * columns numbers.
void dequantizeInt8(const Int8Matrix &matrix, std::span<double> out);

} // namespace kernscope::codec
