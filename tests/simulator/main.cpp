// SPDX-License-Identifier: GPL-3.0-or-later
// kernscope-simulator: saves, copies and recoveries on a disk that fails.
//
//   kernscope-simulator [--seconds S | --runs N] [--seed N] [--steps N] [--trace] [--all]
//
// A run is one bundle and 30 steps, drawn from its seed; the next run has the next seed. What goes
// wrong prints the seed, and the fewest steps that it takes. --all goes on after that, with a line
// for each seed.
#include "simulation.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

namespace kernscope::test {

const char *sourceFolder()
{
    return KERNSCOPE_SOURCE_DIR;
}

} // namespace kernscope::test

namespace {

using namespace kernscope::simulator;

struct Options {
    double seconds = -1;
    std::uint64_t runs = 1;
    std::uint32_t seed = 1;
    std::size_t steps = 30;
    bool trace = false, all = false;
};

struct Run {
    const Sample *sample = nullptr;
    std::vector<Step> steps;
};

Run drawRun(std::uint32_t seed, std::size_t steps)
{
    std::mt19937 random(seed);
    Run run;
    run.sample = &samples()[random() % samples().size()];
    run.steps = drawSteps(random, steps);
    return run;
}

fs::path scratch()
{
    return fs::temp_directory_path() / fmt::format("kernscope-simulator-{}", ::getpid());
}

Failure shrunk(Run &run, Failure failure, const std::array<Watch *, 2> &watches)
{
    Counts ignored;
    run.steps.resize(std::min(run.steps.size(), failure.step + 1));
    shrink(run.steps, [&](const std::vector<Step> &fewer) {
        const auto again = Simulation(scratch(), *run.sample, watches, ignored, false).run(fewer);
        const bool same = again && again->rule == failure.rule;
        failure = same ? *again : failure;
        return same;
    });
    return failure;
}

void print(const Run &run, std::uint32_t seed, const Failure &failure)
{
    std::printf("FAILS: %s\n  seed %u, bundle %s; the fewest steps that do it:\n",
                failure.rule.c_str(), seed, run.sample->described.c_str());
    for (std::size_t i = 0; i < run.steps.size(); ++i)
        std::printf("  %zu. %s\n", i + 1, stepText(run.steps[i]).c_str());
    std::printf("  found: %s\n  again: packaging/simulate.sh 0 --seed %u\n", failure.detail.c_str(),
                seed);
}

bool readOptions(int argc, char **argv, Options &options)
{
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        if (name == "--trace") {
            options.trace = true;
            continue;
        }
        if (name == "--all") {
            options.all = true;
            continue;
        }
        if (i + 1 == argc)
            return false;
        char *end = nullptr;
        const double value = std::strtod(argv[++i], &end);
        if (*end != '\0' || value < 0)
            return false;
        if (name == "--seconds")
            options.seconds = value;
        else if (name == "--runs")
            options.runs = static_cast<std::uint64_t>(value);
        else if (name == "--seed")
            options.seed = static_cast<std::uint32_t>(value);
        else if (name == "--steps")
            options.steps = static_cast<std::size_t>(value);
        else
            return false;
    }
    return true;
}

void printCounts(const Counts &counts, double seconds)
{
    std::printf(
        "%llu steps in %llu runs, %.0f s: %llu power cuts, %llu races of two processes, %llu "
        "changes from outside; %llu steps left an interrupted save\n",
        static_cast<unsigned long long>(counts.steps), static_cast<unsigned long long>(counts.runs),
        seconds, static_cast<unsigned long long>(counts.powerCuts),
        static_cast<unsigned long long>(counts.races),
        static_cast<unsigned long long>(counts.outside),
        static_cast<unsigned long long>(counts.interrupted));
    for (std::size_t i = 1; i < counts.struck.size(); ++i)
        std::printf("  %s: %llu\n", std::string(kFaultNames[i]).c_str(),
                    static_cast<unsigned long long>(counts.struck[i]));
}

} // namespace

int main(int argc, char **argv)
{
    Options options;
    if (!readOptions(argc, argv, options)) {
        std::fputs("kernscope-simulator [--seconds S | --runs N] [--seed N] [--steps N] [--trace] "
                   "[--all]\n",
                   stderr);
        return 2;
    }
    const std::array<Watch *, 2> watches{makeWatch(), makeWatch()};
    Counts counts;
    const auto start = std::chrono::steady_clock::now();
    const auto passed = [&start] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    std::uint64_t failures = 0;
    for (std::uint32_t seed = options.seed;; ++seed) {
        const bool more = options.seconds > 0
                              ? passed() < options.seconds
                              : counts.runs < std::max<std::uint64_t>(1, options.runs);
        if (!more)
            break;
        Run run = drawRun(seed, options.steps);
        if (options.trace)
            std::fprintf(stderr, "seed %u: %s\n", seed, run.sample->described.c_str());
        const auto failure =
            Simulation(scratch(), *run.sample, watches, counts, options.trace).run(run.steps);
        if (!failure)
            continue;
        ++failures;
        if (options.all) {
            std::printf("seed %u, %s, step %zu: %s\n    %s\n", seed, run.sample->described.c_str(),
                        failure->step, failure->rule.c_str(), failure->detail.c_str());
            continue;
        }
        const Failure least = shrunk(run, *failure, watches);
        print(run, seed, least);
        printCounts(counts, passed());
        return 1;
    }
    printCounts(counts, passed());
    return failures > 0 ? 1 : 0;
}
