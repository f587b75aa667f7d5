// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/kernel_format.h"

namespace kernscope::format {

/// A weight's form, as far as the descriptor's encoder cares (tables 25.1 and 25.5).
struct FormRequest {
    enum class Kind : std::uint8_t { Dense, Affine, Palette, Sparse, Blockwise };
    Kind kind = Kind::Dense;
    unsigned descriptorVersion = 5;     ///< instruction-set (codegen) version of the target
    unsigned indexBits = 0;             ///< palettes
    unsigned vectorSize = 1;            ///< palettes: output channels that share one codebook entry
    std::uint64_t codebooks = 1;        ///< palettes
    std::string entries = "fp16";       ///< palettes: type of the entries; otherwise of the element
    bool zeroPoint = false;             ///< affine, blockwise or a quantised palette: not all zero
    bool packedSparsePalette = false;   ///< palette indices packed by a mask
    std::optional<bool> e4m3Capability; ///< hal[0x52d] & 1 of the target; empty: unknown
};

enum class RuleState : std::uint8_t { Passes, Refuses, Unknown };

/// One rule that was consulted.
struct LegalityRule {
    std::string name; ///< "index width", "vector size", …
    RuleState state = RuleState::Passes;
    std::string required; ///< what the rule asks for
    std::string found;
    std::string source; ///< chapter and table
    Confidence confidence = Confidence::Documented;
};

struct Legality {
    std::vector<LegalityRule> rules; ///< every rule that applies to the form, in a fixed order

    bool legal() const
    {
        return refusal() == nullptr;
    } ///< no rule refuses; unknown ones do not refuse
    /// Legal, illegal, or empty where no rule refuses and one cannot be answered.
    std::optional<bool> verdict() const;
    const LegalityRule *refusal() const; ///< the first that refuses, or nothing
};

/// What an encoder can write, by descriptor version: a row of resources/tables/codegen_rules.csv
/// (such as table 25.5).
struct CodegenRule {
    std::string capability; ///< "multi-codebook palette"
    unsigned sinceVersion = 0;
    std::optional<std::uint32_t> offset; ///< in the descriptor, where one is published: 0x424
    std::string source, note;
    Confidence confidence = Confidence::Documented;
};
std::span<const CodegenRule> codegenRules();
const CodegenRule *codegenRule(std::string_view capability);

/// Consults every rule. Never a bare no: the rule that refuses says what it asks for.
Legality checkLegality(const FormRequest &request);

/// What a weight in a kernel format is to be encoded for.
struct FormatUse {
    unsigned descriptorVersion = 5;
    unsigned vectorSize = 1;            ///< palettes
    std::uint64_t codebooks = 1;        ///< palettes
    bool zeroPoint = false;             ///< integers, E4M3 and their palettes: not all zero
    bool packedSparsePalette = false;   ///< palettes
    std::optional<bool> e4m3Capability; ///< hal[0x52d] & 1 of the target; empty: unknown
};

/// Consults the rules for a row of the enum: whether it is in the native set or one of the two
/// ranges, the first version that has it, and those of checkLegality.
Legality checkKernelFormat(const KernelFormatRow &row, const FormatUse &use);

} // namespace kernscope::format

/// Operands of program operations that are weights of a network
/// (resources/tables/weight_operands.csv), as against the settings of an operation.
namespace kernscope {

struct WeightOperand {
    std::string operation, operand;
    /// Of a constant under ten elements that is written in the program: from how many on it is a
    /// weight, and whether only floating point is.
    std::uint64_t leastElements = 1;
    bool floatingPoint = false;
    bool compressible = true; ///< may be made by a constexpr operation
    std::string note;         ///< why not; empty: nothing to say
};

/// Null where that operand is none.
const WeightOperand *weightOperand(std::string_view operation, std::string_view operand);

/// An operand that is added to what an operation makes: "bias", "bias_back", "input_bias".
bool isBiasOperand(std::string_view operand);

} // namespace kernscope
