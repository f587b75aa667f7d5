// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/catalogue.h"

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
