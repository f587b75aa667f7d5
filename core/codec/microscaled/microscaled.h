// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/numeric/element_type.h"

/// Microscaled matrices as pto.tquant makes them (resources/formats/numbers.md): groups of 32
/// numbers share one power of two (E8M0), each number is an E4M3FN byte (MXFP8) or an E2M1 nibble
/// (MXFP4).
namespace kernscope::codec {

inline constexpr std::uint64_t kMxGroup = 32;
/// Elements of one tile at most (pto.tquant, buffer of 256 KiB; its derivation is not published).
inline constexpr std::uint64_t kMxTileElements = 59461;

enum class MxFormat : std::uint8_t { Mxfp8, Mxfp4 };
enum class MxAlgorithm : std::uint8_t {
    Ocp, ///< exponent of the largest magnitude less that of the format: the largest may be clipped
    Nv   ///< smallest power of two with which nothing is clipped
};
enum class MxAxis : std::uint8_t {
    Rows,   ///< axis 0, "DN": 32 rows of one column
    Columns ///< axis 1, "ND": 32 columns of one row
};
enum class MxSource : std::uint8_t { Fp32, Bf16, Fp16 };

std::string_view mxFormatName(MxFormat format); ///< "mxfp8", "mxfp4"
std::string_view mxAxisName(MxAxis axis);       ///< "dn", "nd"
std::string_view mxSourceName(MxSource source); ///< "fp32", "bf16", "fp16"

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

/// A quantised matrix, row-major (ND data). Columns past the valid ones are the padding of 16-bit
/// sources to whole groups.
struct Microscaled {
    MxFormat format = MxFormat::Mxfp8;
    MxAxis axis = MxAxis::Columns;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;           ///< stored ones, a multiple of 32
    std::uint64_t validColumns = 0;      ///< at most `columns`
    std::vector<std::uint8_t> data;      ///< rows * bytesPerRow(); MXFP4: even column in low nibble
    std::vector<std::uint8_t> exponents; ///< E8M0: rows x columns/32, or rows/32 x columns

    std::uint64_t bytesPerRow() const { return format == MxFormat::Mxfp8 ? columns : columns / 2; }
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
/// is above the range of fp32. `out` holds rows * validColumns; the matrix is sound.
void dequantizeMicroscaled(const Microscaled &matrix, std::span<double> out);

} // namespace kernscope::codec
