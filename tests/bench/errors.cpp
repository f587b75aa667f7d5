// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "core/codec/encode/form_spec.h"
#include "tests/bench/cases.h"
#include "tests/bench/timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <utility>

#include <fmt/format.h>

namespace kernscope::bench {

namespace {

using codec::EncodeMethod;
using codec::FormSpec;
using codec::InputStatistics;

/// Values of a weight, outputs first.
struct Sample {
    std::string name;
    Shape shape;
    std::vector<float> values;
};

Sample madeUp(std::string name, bool laplace)
{
    Sample sample{std::move(name), {512, 512}, std::vector<float>(512 * 512)};
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0, 0.05f);
    std::exponential_distribution<float> magnitude(28);
    for (float &value : sample.values)
        value = laplace ? (random() % 2 == 0 ? 1.0f : -1.0f) * magnitude(random) : normal(random);
    return sample;
}

/// The largest weights of a bundle with two axes or more.
std::vector<Sample> samplesOf(const std::filesystem::path &path)
{
    constexpr std::size_t kMost = 2;
    std::vector<Sample> samples;
    const auto bundle = Bundle::open(path);
    if (!bundle) {
        fmt::print(stderr, "{}\n", describe(bundle.error()));
        return samples;
    }
    for (std::size_t i = 0; i < (*bundle)->weights().size(); ++i) {
        const Weight &weight = (*bundle)->weights()[i];
        const auto decoder = (*bundle)->decoder(i);
        constexpr std::uint64_t kLargest = std::uint64_t{1} << 22;
        if (!decoder || weight.shape.size() < 2 || weight.elements.value > kLargest)
            continue;
        Sample sample{weight.name, weight.shape, std::vector<float>(weight.elements.value)};
        decoder->decodeFloat(0, sample.values);
        samples.push_back(std::move(sample));
    }
    std::ranges::stable_sort(samples, [](const Sample &a, const Sample &b) {
        return a.values.size() > b.values.size();
    });
    samples.resize(std::min(samples.size(), kMost));
    return samples;
}

/// Means, mean squares and, where asked for, second moments of rectified autoregressive inputs.
std::shared_ptr<InputStatistics> statisticsFor(std::size_t channels, bool moments)
{
    constexpr std::size_t kSamples = 1024;
    std::mt19937 random(2);
    std::normal_distribution<double> normal;
    std::vector<double> powers(channels), means(channels), squares(channels);
    std::vector<double> matrix(moments ? channels * channels : 0);
    for (double &power : powers)
        power = std::exp(normal(random));
    std::vector<double> x(channels);
    for (std::size_t sample = 0; sample < kSamples; ++sample) {
        double before = 0;
        for (std::size_t i = 0; i < channels; ++i) {
            before = 0.9 * before + 0.44 * normal(random);
            x[i] = powers[i] * std::max(0.0, before);
            means[i] += x[i] / kSamples;
            squares[i] += x[i] * x[i] / kSamples;
        }
        for (std::size_t i = 0; moments && i < channels; ++i) {
            for (std::size_t j = 0; j < channels; ++j)
                matrix[i * channels + j] += x[i] * x[j] / kSamples;
        }
    }
    auto statistics = std::make_shared<InputStatistics>();
    if (moments) {
        statistics->secondMoment.assign(matrix.begin(), matrix.end());
    } else {
        statistics->meanSquare.assign(squares.begin(), squares.end());
        statistics->mean.assign(means.begin(), means.end());
    }
    return statistics;
}

/// The same bytes in every method.
std::vector<FormSpec> formsFor(const Sample &sample)
{
    const std::uint64_t rows = sample.shape[0], columns = sample.shape[1];
    std::vector<FormSpec> forms;
    const auto add = [&](auto set) {
        FormSpec form;
        set(form);
        forms.push_back(form);
    };
    const auto palette = [&](const codec::PaletteOptions &options) {
        if (rows % (options.groups * options.vector) == 0)
            add([&](FormSpec &form) {
                form.node = FormNode::Palette;
                form.palette = options;
            });
    };
    palette({4, 1, 1});
    palette({2, 1, 1});
    palette({4, 8, 1});
    palette({4, 1, 2});
    palette({4, 1, 1, ElementType::Int8});
    for (const bool symmetric : {true, false})
        add([&](FormSpec &form) {
            form.node = FormNode::Affine;
            form.affine = {ElementType::Int8, 0, symmetric};
        });
    if (columns % 32 == 0) {
        for (const ElementType type : {ElementType::Int4, ElementType::Uint4})
            add([&](FormSpec &form) {
                form.node = FormNode::Blockwise;
                form.blockwise = {type, 32, 1, type == ElementType::Uint4};
            });
    }
    add([](FormSpec &form) {
        form.node = FormNode::Sparse;
        form.density = 0.4;
    });
    add([](FormSpec &form) {
        form.node = FormNode::Sparse;
        form.pattern = codec::SparsePattern{2, 4, 1};
    });
    return forms;
}

struct Outcome {
    double error = 0;   ///< root of the expected squared error of the outputs
    double seconds = 0; ///< of encoding
};

Outcome outcomeOf(const Sample &sample, const FormSpec &form, const InputStatistics &inputs)
{
    Outcome outcome;
    Result<codec::EncodedWeight> weight;
    outcome.seconds =
        secondsOf([&] { weight = codec::encodeForm(sample.values, sample.shape, form); });
    const auto decoder =
        weight ? codec::Decoder::make(weight->encoding()) : tl::unexpected(weight.error());
    if (!decoder) {
        fmt::print(stderr, "{}\n", describe(decoder.error()));
        std::abort();
    }
    std::vector<float> stored(sample.values.size());
    decoder->decodeFloat(0, stored);
    outcome.error =
        std::sqrt(codec::inputError(sample.values, stored, sample.shape, inputs).value());
    return outcome;
}

/// One form by all methods, each by the statistics that it knows. Returns how many are worse.
int printForm(const Sample &sample, FormSpec form)
{
    int worse = 0;
    const std::string name = describe(form);
    const auto elements = double(sample.values.size());
    for (const bool moments : {false, true}) {
        form.inputs = statisticsFor(sample.shape[1], moments);
        form.method = EncodeMethod::Plain;
        const Outcome plain = outcomeOf(sample, form, *form.inputs);
        for (const EncodeMethod method : {EncodeMethod::Fitted, EncodeMethod::Feedback}) {
            form.method = method;
            const Outcome ours = outcomeOf(sample, form, *form.inputs);
            const double share = plain.error > 0 ? ours.error / plain.error : 1;
            worse += method == EncodeMethod::Feedback && share > 1 ? 1 : 0;
            fmt::print("{:<34} {:<42} {:<8} {:<15} {:>7.3f} {:>9.2f} {:>9.2f}\n", sample.name, name,
                       codec::encodeMethodName(method), moments ? "second moments" : "means", share,
                       1e-6 * elements / plain.seconds, 1e-6 * elements / ours.seconds);
            std::fflush(stdout);
        }
    }
    return worse;
}

} // namespace

int printErrors(std::string_view bundle)
{
    std::vector<Sample> samples{madeUp("normal 512 x 512", false),
                                madeUp("Laplace 512 x 512", true)};
    std::filesystem::path path(bundle);
    const char *const data = std::getenv("KERNSCOPE_DATA");
    if (path.empty() && data != nullptr)
        path = std::filesystem::path(data) / "real/silero-vad/silero-vad-unified-v6.0.0.mlmodelc";
    if (!path.empty() && (!bundle.empty() || std::filesystem::exists(path))) {
        for (Sample &sample : samplesOf(path))
            samples.push_back(std::move(sample));
    }
    fmt::print("error: root of the expected squared error of the outputs, to that of the plain "
               "encoder at the same bytes\n\n"
               "{:<34} {:<42} {:<8} {:<15} {:>7} {:>9} {:>9}\n",
               "weight", "form", "method", "statistics", "error", "plain M/s", "M/s");
    int worse = 0;
    for (const Sample &sample : samples) {
        for (const FormSpec &form : formsFor(sample))
            worse += printForm(sample, form);
    }
    return worse;
}

} // namespace kernscope::bench
