// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/bundle_checks.h"

#include <string_view>

using namespace kernscope;

namespace {

/// Codes with scales of the kinds that config.json says more of.
std::vector<std::byte> codes()
{
    std::string json =
        R"({"a.weight":{"dtype":"F8_E4M3","shape":[4,6],"data_offsets":[0,24]},)"
        R"("a.weight_scale_inv":{"dtype":"F32","shape":[2,3],"data_offsets":[24,48]},)"
        R"("b.weight":{"dtype":"U32","shape":[1,4],"data_offsets":[48,64]},)"
        R"("b.scales":{"dtype":"F16","shape":[1,1],"data_offsets":[64,66]},)"
        R"("b.biases":{"dtype":"F16","shape":[1,1],"data_offsets":[66,68]},)"
        R"("c_packed":{"dtype":"I32","shape":[2,3],"data_offsets":[68,92]},)"
        R"("c_scale":{"dtype":"F32","shape":[2,1],"data_offsets":[92,100]}})";
    json.insert(0, {static_cast<char>(json.size() & 0xff), static_cast<char>(json.size() >> 8), 0,
                    0, 0, 0, 0, 0});
    return fuzz::copyOf(json + std::string(100, '\x3c'));
}

/// False where it does not open.
bool check(const std::string &name, std::vector<std::pair<std::string, std::vector<std::byte>>> all)
{
    const auto bundle = Bundle::open(name, {.memory = std::move(all)});
    if (bundle)
        fuzz::checkBundle(**bundle);
    return bundle.has_value();
}

} // namespace

/// A checkpoint or an archive, by its own bytes: whatever it says, its sections cover it, and what
/// is not marked as faulty decodes. The same of the text that says more of codes beside it, and of
/// an index of files.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto input = fuzz::bytesOf(data, size);
    const std::vector<std::byte> bytes(input.begin(), input.end());
    for (const char *name : {"x.safetensors", "x.npz", "x"})
        check(name, {{name, bytes}});
    if (size > 0 && data[0] == '{') {
        fuzz::require(check("x", {{"m.safetensors.index.json",
                                   fuzz::copyOf(R"({"weight_map":{"a.weight":"1.safetensors"}})")},
                                  {"1.safetensors", codes()},
                                  {"config.json", bytes}}));
        fuzz::require(
            check("x", {{"m.safetensors.index.json", bytes}, {"1.safetensors", codes()}}));
    }
    return 0;
}
