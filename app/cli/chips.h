// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "core/assessment/choose_form.h"
#include "core/report/verdict.h"

/// The commands that judge by a chip. Their options; what they do needs no CLI11.
namespace kernscope::cli {

struct ChipOptions {
    std::string path;
    std::vector<std::string> shapes; ///< --shape, as given
    bool allTargets = false;
    bool bytes = false;             ///< targets: the table of one chip
    unsigned cores = 0;             ///< 0: the chapters' number
    unsigned descriptorVersion = 0; ///< 0: the chapters' number
    // geometry
    std::string channels, kernel, output, stride; ///< numbers typed in: "256:512", "3x3", "32x32"
    std::string mode, reading;
    std::optional<std::uint64_t> demand;
    double density = -1;
    unsigned weightBits = 16;
    std::string activation = "fp16"; ///< fp16, int8, uint8, e4m3
    unsigned workUnitMode = 0;       ///< 1 and 2: Winograd requires more work
    // roofline, choose
    std::uint64_t batch = 1;
    std::string compute, bandwidth;
    double tolerance = 0.01;
    std::string weight;              ///< choose: one weight only; empty: all
    std::vector<std::string> values; ///< reduce: "4096", "1*1024"
    std::string to;                  ///< reduce: "e4m3", "e5m2"; empty: fp16 alone
    std::string overflow;            ///< reduce: "nan", "saturate"; empty: both are shown
    std::string facts; ///< formats: name of a table of facts, or "all"; empty: the formats
};

int runGeometry(const ChipOptions &options, Context &context);
int runRoofline(const ChipOptions &options, Context &context);
int runReduce(const ChipOptions &options, Context &context);
int runCalibrate(const ChipOptions &options, Context &context);
int runFormats(const ChipOptions &options, Context &context);
void addCollective(CLI::App &app, Context &context); ///< called by addEngine()

/// The chip that a command judges by: --target, or the default one where there is none.
struct ChosenTarget {
    target::NamedTarget named;
    target::TargetChoice choice;
    bool byDefault = false; ///< --target was not given

    const target::Target &target() const { return *named.target; }
    /// "H13 (M1 base (T8103); A14), 4 cores (contested: …)" and what else the name may mean.
    std::string text() const;
};
/// Errors: "target.name", "target.claim", "cli.option" (--target beside --all-targets).
Result<ChosenTarget> chosenTarget(const ChipOptions &options, const Context &context);

/// What sources disagree on, one reading a line: "followed:", "contested:".
std::string readingsText(std::span<const format::Reading> readings);

/// No encoder of the chip writes the chosen form: `rule` refuses it. The error is wrong
/// use: another form, another chip or --force is taken.
Error legalityError(std::string_view code, const std::string &weight, const decision::Reason &rule,
                    const target::Target &target);

/// Of `formats`: roles in a weight, fold predicate, double-MAC pairs, format word, contested rows.
std::string moreFormatsText(std::uint32_t descriptorVersion);
/// Fields of the chip's table, operation floors, facts and rules.
std::string targetDetailsText(const target::Target &target);
std::string geometryText(const std::string &title, const decision::LayerOperation &operation,
                         const decision::Geometry &geometry,
                         const roofline::Assessment &assessment);
/// The one thing first: what the program waits for, and the weights that would gain.
std::string verdictText(const report::ProgramVerdict &verdict);
/// "engine time …; dispatch floor …" and what bounds the program.
std::string programText(const roofline::ProgramTime &program);

} // namespace kernscope::cli
