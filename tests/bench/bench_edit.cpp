// SPDX-License-Identifier: GPL-3.0-or-later
// kernscope-bench-edit [ELEMENTS [FORM [EDIT]]]: planning edits of a whole weight (4 Mi elements
// unless given) beside encoding the same values anew, in one process; with the memory that planning
// takes beyond what was there, at most, beside the bytes that change.
#include "core/codec/decode/decoder.h"
#include "large_models.h"

#include "core/codec/encode/encoder.h"
#include "core/numeric/npy.h"
#include "core/patch/patch.h"
#include "core/patch/reencode/reencode.h"

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <thread>

#include <malloc.h>

using namespace kernscope;
using namespace kernscope::bench;
using namespace kernscope::test;

namespace {

constexpr std::uint64_t kRows = 1024;
constexpr float kKept = 0.2f; ///< magnitude from which on the sparse form keeps a value
std::string_view g_onlyEdit;  ///< empty: every one

/// Anonymous memory of this process: the pages of mapped files are the system's to drop.
std::uint64_t anonymousBytes()
{
    std::ifstream statm("/proc/self/statm");
    std::uint64_t all = 0, resident = 0, shared = 0;
    statm >> all >> resident >> shared;
    return (resident - shared) * std::uint64_t(::sysconf(_SC_PAGESIZE));
}

/// What it grows by, at most, during `work`: looked at every other millisecond.
std::uint64_t peakGrowth(const std::function<void()> &work)
{
    ::malloc_trim(0);
    const std::uint64_t before = anonymousBytes();
    std::atomic<bool> over = false;
    std::uint64_t most = before;
    std::thread watch([&] {
        while (!over) {
            most = std::max(most, anonymousBytes());
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    });
    work();
    over = true;
    watch.join();
    return std::max(most, anonymousBytes()) - before;
}

/// Values with a distribution like that of weights, the same in each run.
std::vector<float> valuesOf(std::uint64_t count, std::uint32_t seed)
{
    std::vector<float> values(count);
    for (float &value : values) {
        float sum = 0;
        for (int i = 0; i < 4; ++i) {
            seed = seed * 1664525 + 1013904223;
            sum += float(seed >> 16) / 32768.0f - 1.0f;
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
    writeAll(out, bytes);
}

using Encode = std::function<Result<codec::EncodedWeight>(std::span<const float>)>;

/// One edit planned and applied, in a row of the table.
void edit(const std::filesystem::path &folder, const std::string &form, const std::string &name,
          const Result<Edit> &asked, double plain)
{
    if (!g_onlyEdit.empty() && name != g_onlyEdit)
        return;
    const auto bundle = Bundle::open(folder);
    if (!bundle || !asked) {
        fmt::print("{} {}: {}\n", form, name, describe(bundle ? asked.error() : bundle.error()));
        return;
    }
    Result<std::vector<AppliedEdit>> planned;
    const auto plan = [&] {
        planned = Result<std::vector<AppliedEdit>>();
        planned = planEdits(*bundle, {*asked}, std::numeric_limits<double>::infinity());
    };
    const double ours = middleSeconds(3, plan);
    planned = Result<std::vector<AppliedEdit>>();
    const std::uint64_t grown = peakGrowth(plan);
    const double applied =
        planned ? wallSeconds([&] { (void)applyEdit(*bundle, planned->front()); }) : 0;
    std::uint64_t changed = 0;
    for (const FileEdit &one : planned ? planned->front().bytes : std::vector<FileEdit>())
        changed += one.after.size();
    fmt::print("{:11} {:9} {:9.3f} ms   encoding anew {:9.3f} ms   ratio {:5.2f}   applying "
               "{:8.3f} ms   {:6.1f} MiB for {:6.1f} changed{}\n",
               form, name, 1e3 * ours, 1e3 * plain, ours / plain, 1e3 * applied,
               double(grown) / (1 << 20), double(changed) / (1 << 20),
               planned ? "" : "   " + describe(planned.error()));
    std::fflush(stdout);
}

void row(const std::filesystem::path &scratch, const std::string &form, std::uint64_t elements,
         const Encode &encode)
{
    const auto folder = scratch / (form + ".mlmodelc");
    const auto npy = scratch / "values.npy";
    double plain = 0;
    {
        const auto first = valuesOf(elements, 1);
        auto second = valuesOf(elements, 2);
        const auto encoded = encode(first);
        if (!encoded) {
            fmt::print("{}: {}\n", form, describe(encoded.error()));
            return;
        }
        MadeBundle dense;
        dense.layer("w", shapeText(encoded->shape), Bytes(2 * elements));
        const auto made = reencodeWeight(**dense.open(), 0, *encoded);
        if (!made || !saveCopy(**made, folder)) {
            fmt::print("{}: no bundle\n", form);
            return;
        }
        plain = middleSeconds(3, [&] { (void)encode(second); });
        // An element that is left out stays zero, and the others do not become it.
        for (std::size_t i = 0; form.starts_with("sparse") && i < second.size(); ++i)
            second[i] = std::abs(first[i]) >= kKept ? 0.5f + std::abs(second[i]) : 0.0f;
        writeFile(npy, npyHeader(ElementType::Fp32, encoded->shape),
                  std::as_bytes(std::span(second)));
    }
    if (!form.starts_with("sparse"))
        edit(folder, form, "fill", parseEdit(Edit::Kind::Fill, "w[:]=0.125"), plain);
    edit(folder, form, "from-npy", parseEdit(Edit::Kind::FromNpy, "w=" + npy.string()), plain);
    edit(folder, form, "compute", parseEdit(Edit::Kind::Compute, "w[:]=w*0.75"), plain);
    // Results that fp32 does not hold.
    edit(folder, form, "clip", parseEdit(Edit::Kind::Compute, "w[:]=clip(w*0.1,-0.02,0.02)"),
         plain);
    std::filesystem::remove_all(folder);
}

} // namespace

int main(int argc, char **argv)
{
    const std::uint64_t asked = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 4 << 20;
    const std::uint64_t columns = std::max<std::uint64_t>(32, asked / kRows / 32 * 32);
    const Shape shape{kRows, columns};
    const auto scratch = scratchFolder();
    std::filesystem::create_directories(scratch);
    fmt::print("{} elements\n", kRows * columns);
    const std::string_view only = argc > 2 ? argv[2] : "";
    g_onlyEdit = argc > 3 ? argv[3] : "";
    using Values = std::span<const float>;
    const std::vector<std::pair<std::string, Encode>> forms{
        {"dense", [&](Values v) { return codec::encodeDense(v, shape, ElementType::Fp16); }},
        {"lut4", [&](Values v) { return codec::encodePalette(v, shape, {}); }},
        {"lut8", [&](Values v) { return codec::encodePalette(v, shape, {.bits = 8}); }},
        {"lut8x64",
         [&](Values v) {
             return codec::encodePalette(v, shape, {8, 64});
         }},
        {"sparse", [&](Values v) { return codec::encodeSparse(v, shape, kKept); }},
        {"sparse lut4",
         [&](Values v) {
             const auto kept = codec::encodeSparse(v, shape, kKept);
             return kept ? codec::encodeSparsePalette(v, *kept, {}) : kept;
         }},
        {"affine", [&](Values v) { return codec::encodeAffine(v, shape, {}); }},
        {"blockwise", [&](Values v) { return codec::encodeBlockwise(v, shape, {}); }}};
    for (const auto &[form, encode] : forms) {
        if (only.empty() || form == only)
            row(scratch, form, kRows * columns, encode);
    }
    std::filesystem::remove_all(scratch);
    return 0;
}
