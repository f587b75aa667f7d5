// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/quantized/folder.h"
#include "core/format/catalogue.h"
#include "core/numeric/npy.h"

/// What pto.tquant is on each device, and how it is written (resources/tables/tquant_devices.csv
/// and tquant_forms.csv). The arithmetic is in core/codec/microscaled.
namespace kernscope::format {

/// What a device says of a feature of the instruction.
struct TquantFact {
    std::string device;         ///< "A2", "A3", "A5"
    std::string feature, value; ///< "tmp": "needed", "unused"; "int8_chain": "five", "direct"; …
    std::string source, note;
    Confidence confidence = Confidence::Documented;
};
std::span<const TquantFact> tquantFacts();
/// Null where the device, or that feature of it, is not in the table.
const TquantFact *tquantFact(std::string_view device, std::string_view feature);
/// The devices in the table's order.
std::vector<std::string> tquantDevices();
/// The devices on which a feature has that value, as "A2/A3"; empty: none.
std::string tquantDevicesWith(std::string_view feature, std::string_view value);

/// What is asked of the instruction, as its written forms depend on it.
struct TquantUse {
    std::string format;            ///< "mxfp8", "mxfp4", "int8", "uint8"
    std::string algorithm = "ocp"; ///< microscaled: "ocp", "nv"
    unsigned axis = 1;             ///< microscaled: 1 ND, 0 DN
    std::string source = {};       ///< microscaled: "fp32", "fp16", "bf16"; empty: any
    bool tmp = false;              ///< INT8: the form with a scratch tile
    bool nz = false, zz = false;   ///< the layouts that follow
};
/// A line of source: a C++ intrinsic, the TMOV that lays its tiles out, or a form of the assembly.
struct TquantLine {
    std::string kind; ///< "intrinsic", "legacy", "legacy zz", "note", "layout", "assembly"
    std::string text;
    std::string name; ///< "legacy", "note", of an assembly form "AS level 1 (SSA)"; else empty
    std::string source;
};
std::vector<TquantLine> tquantLines(const TquantUse &use);

} // namespace kernscope::format

/// From an array to a folder, from one folder to another layout, and back to values: what the
/// commands `quantize`, `relayout` and `dequantize` do, without their files.
namespace kernscope::quantized {

struct QuantizeOptions {
    std::string format = "mxfp8";   ///< mxfp8, mxfp8_e5m2, mxfp4, int8 (symmetric), uint8
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

/// The array that is quantised, and what the folder says of it.
struct QuantizeInput {
    NpyArray array;
    std::string path;   ///< recorded: absolute
    std::string sha256; ///< of the file; empty where it is not known
};

/// A folder and what there is to say about it.
struct Quantized {
    Folder folder;
    std::vector<codec::MxConstraint> constraints;
    std::vector<codec::TquantTile> tiles;    ///< what the instruction would be given
    std::vector<format::TquantLine> lines;   ///< how the instruction is written
    std::vector<format::Reading> contested;  ///< what sources disagree on, that bears on the format
    std::vector<format::TquantFact> devices; ///< what the named device, or each, is known to have
    Diagnostics diagnostics;
    ErrorFigures figures;
    std::uint64_t bytes = 0; ///< of all files but the description
};
/// Errors: "mx.constraint", "int8.constraint", "quantize.shape".
Result<Quantized> quantizeArray(const QuantizeInput &input, const QuantizeOptions &options);

/// With a device named, what it is not known to have is said, and constraints that zeros would meet
/// hold as the document has them. Errors: "mx.constraint".
Result<void> checkDevice(const QuantizeOptions &options, Quantized &made);
/// INT8: the chain that was asked for, else that of the device, else five stages.
std::string chainOf(const QuantizeOptions &options);
/// How the instruction is written for this folder, its tiles, and what sources disagree on.
void describeInstruction(const QuantizeOptions &options, Quantized &made);

struct RelayoutOptions {
    std::string layout;    ///< of the data: nd, nz; empty: as it is
    std::string exponents; ///< nd, zz, interleaved; empty: as they are
};
/// A folder's content in other layouts; converted back, the bytes are those that were read.
struct Relaid {
    Folder folder;
    std::vector<codec::MxConstraint> constraints;
};
/// Errors: those of microscaledOf, "mx.constraint" (the matrix has no such layout),
/// "quantize.padding" (bytes that are not zero where boxes are padded would be lost).
Result<Relaid> relayoutFolder(const Folder &folder, const RelayoutOptions &options);

/// What the values are written as: fp32, unless a finite one is beyond its range (448 * 2^127 is a
/// microscaled number); then fp64.
ElementType valuesType(const std::vector<double> &values);

} // namespace kernscope::quantized
