// SPDX-License-Identifier: GPL-3.0-or-later
// kernscope-bench-edit [ELEMENTS]: planning edits of a whole weight (4 Mi elements unless given)
// beside encoding the same values anew, in one process.
#include "made_bundle.h"

#include "core/codec/encode/encoder.h"
#include "core/numeric/npy.h"
#include "core/patch/patch.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <time.h>
#include <unistd.h>

#include <fmt/format.h>

using namespace kernscope;
using test::Bytes;
using test::MadeBundle;

namespace {

constexpr std::uint64_t kRows = 1024;

/// Processor time, so that other work on the machine counts as little as can be.
double seconds(const std::function<void()> &work)
{
    const auto now = [] {
        timespec time{};
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    };
    const double start = now();
    work();
    return now() - start;
}

/// Values with a distribution like that of weights, the same in each run.
std::vector<float> valuesOf(std::uint64_t count, std::uint32_t seed)
{
    std::vector<float> values(count);
    for (float &value : values) {
        float sum = 0;
        for (int i = 0; i < 4; ++i) {
            seed = seed * 1664525 + 1013904223;
            sum += static_cast<float>(seed >> 16) / 32768.0f - 1.0f;
        }
        value = sum / 8;
    }
    return values;
}

void writeFile(const std::filesystem::path &path, std::string_view head,
               std::span<const std::byte> bytes)
{
    std::filesystem::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    out << head;
    out.write(reinterpret_cast<const char *>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
}

/// A bundle whose one weight is stored as `encoded`.
MadeBundle bundleOf(const codec::EncodedWeight &encoded, const std::string &form)
{
    MadeBundle made;
    const std::string shape = shapeText(encoded.shape);
    std::vector<std::string> blobs;
    for (const codec::EncodedPart &part : encoded.parts)
        blobs.push_back(made.blob(part.type, shapeText(part.shape), part.bytes));
    if (form == "dense")
        made.constant("tensor<fp16, " + shape + ">", "w", blobs[0]);
    else if (form == "lut4")
        made.line(fmt::format("tensor<fp16, {}> w = constexpr_lut_to_dense(indices = {}, lut = {})"
                              "[name = string(\"w\")]",
                              shape, blobs[0], blobs[1]));
    else
        made.line(fmt::format("tensor<fp16, {}> w = constexpr_blockwise_shift_scale(data = {}, "
                              "scale = {})[name = string(\"w\")]",
                              shape, blobs[0], blobs[1]));
    made.consume("w");
    return made;
}

void row(const std::filesystem::path &scratch, const std::string &form, std::uint64_t elements,
         const std::function<Result<codec::EncodedWeight>(std::span<const float>)> &encode)
{
    const auto first = valuesOf(elements, 1), second = valuesOf(elements, 2);
    const auto encoded = encode(first);
    if (!encoded) {
        fmt::print("{}: {}\n", form, describe(encoded.error()));
        return;
    }
    const auto folder = scratch / (form + ".mlmodelc");
    const MadeBundle made = bundleOf(*encoded, form);
    const std::string text = made.text();
    writeFile(folder / "model.mil", text, {});
    writeFile(folder / "weights/weight.bin", {}, made.weights());
    const auto npy = scratch / "values.npy";
    writeFile(npy, npyHeader(ElementType::Fp32, encoded->shape), std::as_bytes(std::span(second)));
    const double plain = seconds([&] { (void)encode(second); });
    const std::vector<std::pair<std::string, Result<Edit>>> edits{
        {"fill", parseEdit(Edit::Kind::Fill, "w[:]=0.125")},
        {"from-npy", parseEdit(Edit::Kind::FromNpy, "w=" + npy.string())}};
    for (const auto &[name, edit] : edits) {
        const auto bundle = Bundle::open(folder);
        if (!bundle || !edit) {
            fmt::print("{} {}: {}\n", form, name, describe(bundle ? edit.error() : bundle.error()));
            continue;
        }
        Result<std::vector<AppliedEdit>> planned;
        const double ours = seconds([&] {
            planned = planEdits(*bundle, {*edit}, std::numeric_limits<double>::infinity());
        });
        const double applied =
            planned ? seconds([&] { (void)applyEdit(*bundle, planned->front()); }) : 0;
        fmt::print("{:10} {:9} {:9.3f} ms   encoding anew {:9.3f} ms   ratio {:7.2f}   applying "
                   "{:8.3f} ms{}\n",
                   form, name, 1e3 * ours, 1e3 * plain, ours / plain, 1e3 * applied,
                   planned ? "" : "   " + describe(planned.error()));
    }
}

} // namespace

int main(int argc, char **argv)
{
    const std::uint64_t asked = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 4 << 20;
    const std::uint64_t columns = std::max<std::uint64_t>(32, asked / kRows / 32 * 32);
    const Shape shape{kRows, columns};
    const auto scratch =
        std::filesystem::temp_directory_path() / fmt::format("kernscope-bench-{}", getpid());
    fmt::print("{} elements\n", kRows * columns);
    row(scratch, "dense", kRows * columns, [&](std::span<const float> values) {
        return codec::encodeDense(values, shape, ElementType::Fp16);
    });
    row(scratch, "lut4", kRows * columns,
        [&](std::span<const float> values) { return codec::encodePalette(values, shape, {}); });
    row(scratch, "blockwise", kRows * columns,
        [&](std::span<const float> values) { return codec::encodeBlockwise(values, shape, {}); });
    std::filesystem::remove_all(scratch);
    return 0;
}
