// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/codec/microscaled/int8_cast.h"
#include "core/codec/microscaled/microscaled.h"
#include "core/format/contested.h"
#include "core/format/tquant.h"
#include "core/report/json.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

/// The work of `quantize` and `dequantize`: arrays to folders of quantised bytes and back. The
/// folder holds data.bin and exp.bin (E8M0) of a microscaled matrix, data.bin, scale.bin and
/// offset.bin (fp32, one number a row) of INT8, and quantize.json, which says what they are.
namespace kernscope::cli {

struct QuantizeOptions {
    std::string input;
    std::string output;
    std::string format = "mxfp8";   ///< mxfp8, mxfp4, int8 (symmetric), uint8 (asymmetric)
    unsigned axis = 1;              ///< 1: groups of 32 columns (ND); 0: of 32 rows (DN)
    std::string algorithm = "ocp";  ///< ocp, nv
    std::string layout = "nd";      ///< of the data: nd, nz
    std::string exponents;          ///< nd, zz, interleaved; empty: with nz, zz where it can be
    std::string source;             ///< fp32, fp16, bf16; empty: that of the file
    std::string chain = "five";     ///< INT8: five, four, direct
    bool perTensor = false;         ///< INT8: one scale for the whole array
    bool tiles = false;             ///< the array may be larger than one tile
    bool simulator = false;         ///< MXFP4 from fp32
    std::string device;             ///< A2, A3, A5; empty: none was named
    std::vector<std::string> given; ///< options that were named: "--axis", …
};

/// How far quantised values are from the ones they stand for.
struct ErrorFigures {
    double maxAbs = 0;
    double meanAbs = 0;
    double rmse = 0;
    double relative = 0; ///< rmse over the root mean square of the values
    double cosine = 1;
    std::uint64_t elements = 0;
    std::uint64_t nonFinite = 0; ///< left out: infinite or NaN on either side
};
ErrorFigures figuresOf(const std::vector<double> &found, const std::vector<double> &expected);
report::Json figuresJson(const ErrorFigures &figures);

/// A folder's content, in memory.
struct QuantizedFolder {
    report::Json manifest;
    std::vector<std::pair<std::string, std::vector<std::uint8_t>>> files;
    std::vector<codec::MxConstraint> constraints;
    std::vector<codec::TquantTile> tiles;    ///< what the instruction would be given
    std::vector<format::TquantLine> lines;   ///< how the instruction is written
    std::vector<format::Reading> contested;  ///< what sources disagree on, that bears on the format
    std::vector<format::TquantFact> devices; ///< what the named device, or each, is known to have
    Diagnostics diagnostics;
    ErrorFigures figures;
    Shape shape;
    std::uint64_t rows = 0, columns = 0;
    std::uint64_t bytes = 0; ///< of all files but the manifest
};
/// Errors: "npy.…", "io.…", "mx.constraint", "int8.constraint", "quantize.shape".
Result<QuantizedFolder> quantizeFile(const QuantizeOptions &options);

/// With a device named, what it is not known to have is said, and constraints that zeros would meet
/// hold as the document has them. Errors: "mx.constraint".
Result<void> checkDevice(const QuantizeOptions &options, QuantizedFolder &folder);
/// INT8: the chain that was asked for, else that of the device, else five stages.
std::string chainOf(const QuantizeOptions &options);
/// How the instruction is written for this folder, its tiles, and what sources disagree on.
void describeInstruction(const QuantizeOptions &options, QuantizedFolder &folder);

/// What dequantize made of a folder.
struct Dequantized {
    report::Json manifest;
    Shape shape;
    std::vector<double> values;
    std::optional<ErrorFigures> figures; ///< against the reference, or as quantize recorded them
    std::string figuresFrom;             ///< "reference" or "recorded"
    Diagnostics diagnostics;
};
/// `reference` is an array to compare with; empty: the one that was quantised, where it is still
/// the same file. Errors: "quantize.manifest", "mx.length", "int8.length", "io.…", "npy.…".
Result<Dequantized> dequantizeFolder(const std::string &folder, const std::string &reference);

/// A microscaled matrix as a folder has it: row-major in `matrix`, as stored beside it.
struct StoredMicroscaled {
    report::Json manifest;
    codec::Microscaled matrix;
    std::string layout, exponentLayout; ///< "nd", "nz"; "nd", "zz", "interleaved"
    std::vector<std::uint8_t> data, exponents;
};
/// Errors: "quantize.manifest" (INT8 too: it has one layout), "mx.length", "mx.constraint", "io.…".
Result<StoredMicroscaled> readMicroscaled(const std::string &folder);

struct RelayoutOptions {
    std::string folder, output;
    std::string layout;    ///< of the data: nd, nz; empty: as it is
    std::string exponents; ///< nd, zz, interleaved; empty: as they are
};
/// A folder's content in other layouts; converted back, the bytes are those that were read.
struct Relaid {
    report::Json manifest;
    std::vector<std::pair<std::string, std::vector<std::uint8_t>>> files;
    std::vector<codec::MxConstraint> constraints;
    std::string layoutBefore, exponentsBefore;
};
/// Errors: those of readMicroscaled, "mx.constraint" (the matrix has no such layout),
/// "quantize.padding" (bytes that are not zero where boxes are padded would be lost).
Result<Relaid> relayoutFolder(const RelayoutOptions &options);

/// Both write text for people.
std::string quantizeText(const QuantizedFolder &folder, const QuantizeOptions &options);
std::string dequantizeText(const Dequantized &result, const std::string &folder,
                           const std::string &output, ElementType type);

/// What the values are written as: fp32, unless a finite one is beyond its range (448 * 2^127 is a
/// microscaled number); then fp64.
ElementType valuesType(const std::vector<double> &values);

/// A whole file. Errors: "io.open", "io.read".
Result<std::vector<std::byte>> readFile(const std::string &path);

} // namespace kernscope::cli
