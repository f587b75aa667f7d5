// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/numeric/element_type.h"

/// Microscaled matrices as pto.tquant makes them (resources/formats/numbers.md): groups of 32
/// numbers share one power of two (E8M0), each number is an E4M3FN or E5M2 byte (MXFP8; the
/// instruction has the first alone) or an E2M1 nibble (MXFP4).
namespace kernscope::codec {

inline constexpr std::uint64_t kMxGroup = 32;
/// Elements of one tile at most (pto.tquant, buffer of 256 KiB; its derivation is not published).
inline constexpr std::uint64_t kMxTileElements = 59461;

enum class MxFormat : std::uint8_t { Mxfp8, Mxfp4, Mxfp8E5M2 };
enum class MxAlgorithm : std::uint8_t {
    Ocp, ///< exponent of the largest magnitude less that of the format: the largest may be clipped
    Nv   ///< smallest power of two with which nothing is clipped
};
enum class MxAxis : std::uint8_t {
    Rows,   ///< axis 0, "DN": 32 rows of one column
    Columns ///< axis 1, "ND": 32 columns of one row
};
enum class MxSource : std::uint8_t { Fp32, Bf16, Fp16 };

std::string_view mxFormatName(MxFormat format); ///< "mxfp8", "mxfp4", "mxfp8_e5m2"
/// Of that name; Mxfp4 for any other.
MxFormat mxFormatOf(std::string_view name);
/// What an element is stored as.
ElementType mxElementType(MxFormat format);
std::string_view mxElementName(MxFormat format); ///< "e4m3fn", "e2m1", "e5m2"
std::string_view mxAxisName(MxAxis axis);        ///< "dn", "nd"
std::string_view mxSourceName(MxSource source);  ///< "fp32", "bf16", "fp16"

/// What is asked of the instruction.
struct MxRequest {
    MxFormat format = MxFormat::Mxfp8;
    MxAlgorithm algorithm = MxAlgorithm::Ocp;
    MxAxis axis = MxAxis::Columns;
    MxSource source = MxSource::Fp32;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0; ///< valid ones
    bool nzData = false;       ///< the data are to be laid out as NZ
    bool zzExponents = false;  ///< the exponents are to be laid out as ZZ
    bool interleaved = false;  ///< the exponents are to be interleaved (axis 0)
    bool tiled = false;        ///< a matrix larger than one tile is worked on in several
    bool simulator = false;    ///< MXFP4 may come from fp32, as in the CPU simulator
};

/// One row of pto.tquant's table of constraints, as it applies to a request.
struct MxConstraint {
    std::string name; ///< "columns", "rows", "tile", "source", "ZZ rows", …
    bool holds = true;
    bool padded = false;  ///< holds because zeros are added
    bool itself = false;  ///< the instruction adds them, not the program that makes the matrix
    std::string required; ///< "M mod 32 = 0 (groups along the rows)"
    std::string found;    ///< "M = 48"
    std::string source;
};

/// Every constraint that applies, in a fixed order.
std::vector<MxConstraint> checkMicroscaled(const MxRequest &request);
/// The first that does not hold, as "mx.constraint" with `field` naming it.
Result<void> requireMicroscaled(const MxRequest &request);

/// The same of the instruction's INT8, which takes fp32 alone.
MxConstraint int8SourceConstraint(MxSource source);

/// A tile that the instruction is given, as the tables of pto.tquant have it.
struct TquantTile {
    std::string name; ///< "src", "dst", "exp", "max", "scaling", "scale", "offset", "tmp"
    std::string type; ///< "fp32", "e4m3fn", "e2m1", "e8m0", "int8", "uint8"
    Shape shape;
    std::uint64_t bytes = 0;
    bool scratch = false; ///< holds nothing of use afterwards
};
/// Of a request that holds: padding columns included.
std::vector<TquantTile> tilesOf(const MxRequest &request);
/// INT8, of one scale (and with `offset` one offset) a row; `tmp` is of A2 and A3 alone.
std::vector<TquantTile> int8Tiles(std::uint64_t rows, std::uint64_t columns, bool offset);

/// A quantised matrix, row-major (ND data). Columns past the valid ones, and rows past those that
/// were given, are padding to whole groups.
struct Microscaled {
    MxFormat format = MxFormat::Mxfp8;
    MxAxis axis = MxAxis::Columns;
    std::uint64_t rows = 0;              ///< stored ones; axis 0: a multiple of 32
    std::uint64_t columns = 0;           ///< stored ones, a multiple of 32
    std::uint64_t validColumns = 0;      ///< at most `columns`
    std::vector<std::uint8_t> data;      ///< rows * bytesPerRow(); MXFP4: even column in low nibble
    std::vector<std::uint8_t> exponents; ///< E8M0: rows x columns/32, or rows/32 x columns

    std::uint64_t bytesPerRow() const { return format != MxFormat::Mxfp4 ? columns : columns / 2; }
    std::uint64_t exponentRows() const { return axis == MxAxis::Columns ? rows : rows / kMxGroup; }
    std::uint64_t exponentColumns() const
    {
        return axis == MxAxis::Columns ? columns / kMxGroup : columns;
    }
};

/// E8M0 exponent of a group whose largest magnitude is `largest` (NaN where one of them is).
std::uint8_t mxExponent(float largest, MxFormat format, MxAlgorithm algorithm);

/// Quantises row-major values, which must be numbers of the request's source type. Rounds to
/// nearest even, saturating. Errors: "mx.constraint" (see requireMicroscaled), "mx.length".
Result<Microscaled> quantizeMicroscaled(std::span<const float> values, const MxRequest &request);

/// "mx.length" unless data and exponents have the sizes of the matrix, "mx.constraint" where rows
/// or columns are not whole groups.
Result<void> checkMicroscaled(const Microscaled &matrix);

/// Exact values of the valid columns, row-major: decode(q) * 2^(s - 127). fp64, since 448 * 2^127
/// is above the range of fp32. `out` holds validColumns of all rows, or of the first ones; the
/// matrix is sound.
void dequantizeMicroscaled(const Microscaled &matrix, std::span<double> out);

/// NZ: boxes of 16 rows by 32 bytes, row-major inside, ordered column of boxes by column of boxes.
/// Rows are padded to 16 and bytes to 32 with zeros. Errors: "mx.length".
Result<std::vector<std::uint8_t>> toNz(std::span<const std::uint8_t> data, std::uint64_t rows,
                                       std::uint64_t bytesPerRow);
Result<std::vector<std::uint8_t>> fromNz(std::span<const std::uint8_t> nz, std::uint64_t rows,
                                         std::uint64_t bytesPerRow);

/// ZZ: boxes of [16][2] exponents, row-major inside and outside. Groups along the columns: rows are
/// padded to 16, the number of groups must be even. Groups along the rows: the transposed matrix,
/// rows / 32 must be even and the columns a multiple of 16. Errors: "mx.constraint", "mx.length".
Result<std::vector<std::uint8_t>> toZz(std::span<const std::uint8_t> exponents, MxAxis axis,
                                       std::uint64_t rows, std::uint64_t columns);
/// `rows` and `columns` are those of the matrix of numbers, as for toZz.
Result<std::vector<std::uint8_t>> fromZz(std::span<const std::uint8_t> zz, MxAxis axis,
                                         std::uint64_t rows, std::uint64_t columns);

/// Interleaved exponents of groups along the rows: [pair][column][2]; a missing second row is zero.
/// Errors: "mx.length".
Result<std::vector<std::uint8_t>> toInterleaved(std::span<const std::uint8_t> exponents,
                                                std::uint64_t rows, std::uint64_t columns);
Result<std::vector<std::uint8_t>> fromInterleaved(std::span<const std::uint8_t> interleaved,
                                                  std::uint64_t rows, std::uint64_t columns);

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
