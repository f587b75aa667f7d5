// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/target/target.h"

namespace kernscope::target {

/// A rule of resources/tables/target_rules.csv: what holds for a chip or a family of chips beside
/// the bytes of its table.
struct TargetRule {
    std::string rule, scope, value; ///< scope: a target, a family, or "*"
    std::string source, note;
    Confidence confidence = Confidence::Documented;
};
std::span<const TargetRule> targetRules();
/// The rule of that name for a target: its own, else its family's, else that of all. Nothing where
/// no source says anything.
const TargetRule *targetRule(const Target &target, std::string_view rule);

/// The chip that is judged by where none is named (rule "default_target").
const Target &defaultTarget();
/// The chip that it is set beside at first (rule "compared_target").
const Target &comparedTarget();

/// The version of the encoder by which table 25.5 goes (rule "encoder_version", else the target's
/// descriptor version); empty where neither is known.
std::optional<unsigned> encoderVersion(const Target &target);

/// Whether each core has a kernel memory of its own (M1) or all share one (from the A14 on), rule
/// "kernel_memory". Empty where no source says.
std::optional<bool> sharesKernelMemory(const Target &target);

} // namespace kernscope::target
