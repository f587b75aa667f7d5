// SPDX-License-Identifier: GPL-3.0-or-later
// kernscope-bench-plan [many] [large] [MIB]: planning and writing 10,000 weights of which 1,000
// differ (goal: under 10 s on two cores), and planning MIB MiB (2048 unless given) of dense weights
// with four candidate forms each (goal: 100 MB/s). Beside each plan the plain encoder over the same
// weights in the same forms. Measure with the preset `release`.
#include "large_models.h"

#include "core/patch/patch.h"
#include "core/plan/write_plan.h"

#include <cstdlib>
#include <random>

#include <time.h>

using namespace kernscope;
using namespace kernscope::bench;
using namespace kernscope::test;

namespace {

struct Seconds {
    double wall = 0, processor = 0;
};

Seconds timeOf(const std::function<void()> &work)
{
    const auto processor = [] {
        timespec time{};
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
    };
    const double before = processor(), wall = wallSeconds(work);
    return {wall, processor() - before};
}

/// Halves with a distribution like that of weights, the same in each run.
Bytes halvesOf(std::uint64_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, 0.05f);
    std::vector<float> values(count);
    for (float &value : values)
        value = normal(random);
    return codec::encodeDense(values, {count}, ElementType::Fp16)->parts.front().bytes;
}

/// Dense weights of rows by columns, of which `contents` differ.
struct Network {
    std::uint64_t weights = 1, rows = 1, columns = 1, contents = 1;
};

void writeNetwork(const std::filesystem::path &folder, const Network &network)
{
    MadeBundle made;
    const std::uint64_t elements = network.rows * network.columns, bytes = 2 * elements;
    made.parameters = fmt::format("tensor<fp16, [1, {}]> x", network.columns);
    const Bytes values = halvesOf(elements, 1);
    writeModel(folder, network.weights, fmt::format("[{}, {}]", network.rows, network.columns),
               bytes, made, [&](std::ofstream &file, std::uint64_t i, MadeBundle &program) {
                   // The values in another order: begun elsewhere.
                   const std::uint64_t at = i % network.contents * 2 * 37 % bytes;
                   writeAll(file, std::span(values).subspan(at));
                   writeAll(file, std::span(values).first(at));
                   program.consume(fmt::format("w{}", i));
               });
}

struct Encoding {
    Seconds time;
    std::size_t weights = 0, encodings = 0;
};

/// The plain encoder alone over the first weights of different content, each in all the forms that
/// it may take: what a plan cannot do without. Measured whole, one after the other.
Encoding encodingAlone(const Bundle &bundle, const plan::Survey &survey, std::size_t weights)
{
    Encoding alone;
    for (std::size_t i = 0; i < std::min(weights, survey.rows.size()); ++i) {
        const plan::Row &row = survey.rows[i];
        const Weight &weight = bundle.weights()[row.weight];
        const auto decoder = bundle.decoder(row.weight);
        if (!decoder || !row.candidates)
            continue;
        std::vector<float> values(weight.elements.value);
        decoder->decodeFloat(0, values);
        for (const plan::Candidate &candidate : *row.candidates) {
            if (!candidate->spec || !candidate->refused.empty())
                continue; // was not encoded
            codec::FormSpec spec = *candidate->spec;
            spec.method = codec::EncodeMethod::Plain;
            const Seconds once =
                timeOf([&] { (void)codec::encodeForm(values, weight.shape, spec, weight.type); });
            alone.time.wall += once.wall;
            alone.time.processor += once.processor;
            ++alone.encodings;
        }
        ++alone.weights;
    }
    return alone;
}

/// The time of a plan, and with `writes` of carrying it out and saving it. Beside it that of the
/// plain encoder over `sample` of the weights of different content.
void benchPlan(const std::string &title, const Network &network,
               const std::filesystem::path &scratch, const std::vector<std::string> &forms,
               std::size_t sample, bool writes)
{
    writeNetwork(scratch / "network.mlmodelc", network);
    const auto bundle = Bundle::open(scratch / "network.mlmodelc");
    plan::SurveyOptions options;
    options.targets = {target::findTarget("M1")->target};
    options.forms = forms;
    options.threads = 2;
    plan::Limits limits;
    limits.goal = plan::Goal::Stored;
    limits.tolerance = 0.1;
    if (!bundle) {
        fmt::print("{}: {}\n", title, describe(bundle.error()));
        return;
    }
    Result<plan::Survey> survey;
    const Seconds judging = timeOf([&] { survey = plan::survey(**bundle, options); });
    Result<plan::Plan> plan;
    const Seconds choosing = timeOf(
        [&] { plan = survey ? plan::solve(*survey, limits) : tl::unexpected(survey.error()); });
    if (!plan) {
        fmt::print("{}: {}\n", title, describe(plan.error()));
        return;
    }
    const double bytes = 2.0 * double(network.weights * network.rows * network.columns);
    fmt::print("{}: {} contents, {} encodings\n"
               "  judging  {:8.2f} s, processor {:8.2f} s\n"
               "  choosing {:8.2f} s, processor {:8.2f} s{}\n"
               "  planned at {:.0f} MB/s\n",
               title, survey->contents, survey->encodings, judging.wall, judging.processor,
               choosing.wall, choosing.processor, plan->proven ? "" : " (not proven)",
               bytes / 1e6 / (judging.wall + choosing.wall));
    const Encoding alone = encodingAlone(**bundle, *survey, std::min(sample, survey->contents));
    const double share = double(survey->contents) / double(std::max<std::size_t>(1, alone.weights));
    fmt::print("  encoding alone {:8.2f} s of one thread for {} contents, {} encodings of {} of "
               "them measured\n"
               "  ratio of the processor's time for judging to it {:.2f}\n",
               alone.time.processor * share, survey->contents, alone.encodings, alone.weights,
               judging.processor / (alone.time.processor * share));
    if (!writes)
        return;
    Result<plan::PlannedBundle> made;
    const Seconds carrying = timeOf(
        [&] { made = plan::carryOut(**bundle, options, std::move(*survey), limits, *plan); });
    if (!made) {
        fmt::print("  {}\n", describe(made.error()));
        return;
    }
    const Seconds saving = timeOf([&] {
        const auto saved = saveCopy(*made->bundle, scratch / "planned.mlmodelc");
        fmt::print("  {}\n", saved ? "written" : describe(saved.error()));
    });
    fmt::print("  carrying out {:8.2f} s, processor {:8.2f} s: {} weights changed\n"
               "  saving       {:8.2f} s, processor {:8.2f} s\n"
               "  in all {:.2f} s, processor {:.2f} s\n",
               carrying.wall, carrying.processor, made->changed, saving.wall, saving.processor,
               judging.wall + choosing.wall + carrying.wall + saving.wall,
               judging.processor + choosing.processor + carrying.processor + saving.processor);
}

} // namespace

int main(int argc, char **argv)
{
    const std::vector<std::string> words(argv + 1, argv + argc);
    const auto asked = [&](const char *word) {
        return words.empty() || std::ranges::find(words, word) != words.end();
    };
    const std::uint64_t mebibytes =
        words.empty() ? 0 : std::strtoull(words.back().c_str(), nullptr, 10);
    const auto scratch = scratchFolder();
    if (asked("many"))
        benchPlan("10,000 weights of 64 by 64, all forms", {10'000, 64, 64, 1000}, scratch / "many",
                  {}, 1000, true);
    const std::vector<std::string> four{"int8", "palette4", "palette8", "sparse-0.5"};
    const std::uint64_t bytes = (mebibytes == 0 ? 2048 : mebibytes) << 20;
    if (asked("large")) {
        benchPlan("weights of 4096 by 4096, four forms", {bytes >> 25, 4096, 4096, bytes >> 25},
                  scratch / "large", four, 2, false);
        benchPlan("weights of 1024 by 1024, four forms", {bytes >> 21, 1024, 1024, bytes >> 21},
                  scratch / "middle", four, 16, false);
    }
    std::filesystem::remove_all(scratch);
    return 0;
}
