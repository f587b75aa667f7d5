// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/cases.h"
#include "tests/bench/timing.h"

#include <memory>
#include <string>
#include <string_view>

#include <malloc.h>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <hwy/targets.h>

namespace {

using namespace kernscope::bench;

void registerCases(const std::vector<Case> &cases)
{
    for (const Case &work : cases) {
        const std::size_t bytes = 2 * work.elements;
        benchmark::RegisterBenchmark(work.name.c_str(), [work, bytes](benchmark::State &state) {
            for ([[maybe_unused]] auto step : state)
                work.ours();
            state.SetBytesProcessed(std::int64_t(bytes) * state.iterations());
        })->UseRealTime();
    }
}

/// Only the named instruction set of those that this processor has.
bool chooseTarget(std::string_view name)
{
    std::string known;
    for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
        const std::int64_t target = rest & -rest;
        if (name == hwy::TargetName(target)) {
            hwy::SetSupportedTargetsForTest(target);
            return true;
        }
        known += fmt::format(" {}", hwy::TargetName(target));
    }
    fmt::print(stderr, "--target: not one of{}\n", known);
    return false;
}

} // namespace

/// `--ratios` prints the table of codecs against the machine's limits, `--ratios=TEXT` its rows
/// that contain TEXT (exit code 1 where a row is below what is wanted); `--errors` what the methods
/// of encoding lose against the plain one, `--errors=BUNDLE` on weights of that bundle too (exit
/// code 1 where one loses more); otherwise Google Benchmark, with its own options. `--target=NAME`
/// before either: the instruction set, such as AVX2 or SSE4. `--busy` before them: rows with two
/// threads count processor time, for a machine that does other work.
int main(int argc, char **argv)
{
    // What an encoder gives back is used again by the next: as warm as the other buffers.
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20); // the largest that is allowed
    ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option.starts_with("--target=") && !chooseTarget(option.substr(9)))
            return 2;
        if (option == "--busy")
            setBusyMachine(true);
        if (option == "--errors")
            return printErrors() == 0 ? 0 : 1;
        if (option.starts_with("--errors="))
            return printErrors(option.substr(9)) == 0 ? 0 : 1;
        if (option == "--ratios")
            return printRatios() == 0 ? 0 : 1;
        if (option.starts_with("--ratios="))
            return printRatios(option.substr(9)) == 0 ? 0 : 1;
    }
    const auto out = std::make_unique<HugeBuffer<std::uint16_t>>(std::size_t{32} << 20);
    registerCases(decodeCases(out->span()));
    registerCases(orderCases(out->span()));
    registerCases(encodeCases());
    registerCases(statisticsCases());
    registerCases(compareCases());
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
