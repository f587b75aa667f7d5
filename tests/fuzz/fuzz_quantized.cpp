// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/quantized/quantize.h"
#include "tests/fuzz/bundle_checks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

using namespace kernscope;

namespace {

/// Any values in any form that `quantize` writes: refused, or read again as the encoder left them.
void encode(const std::uint8_t *data, std::size_t size)
{
    fuzz::Choices choices(data, size);
    quantized::QuantizeInput input;
    input.array.type = ElementType::Fp32;
    input.array.shape = {1 + choices.below(34), 1 + choices.below(70)};
    input.array.values.resize(elementCount(input.array.shape)->value);
    quantized::QuantizeOptions options;
    options.format =
        choices.oneOf(std::array<const char *, 5>{"mxfp8", "mxfp8_e5m2", "mxfp4", "int8", "uint8"});
    options.axis = choices.below(2);
    options.algorithm = choices.oneOf(std::array<const char *, 2>{"ocp", "nv"});
    options.layout = choices.oneOf(std::array<const char *, 2>{"nd", "nz"});
    options.exponents = choices.oneOf(std::array<const char *, 4>{"", "nd", "zz", "interleaved"});
    options.chain = choices.oneOf(std::array<const char *, 3>{"five", "four", "direct"});
    options.perTensor = choices.below(2) == 1;
    options.tiles = true;
    for (double &value : input.array.values) {
        const auto real = std::bit_cast<float>(choices.take(4));
        value = std::isfinite(real) ? static_cast<double>(real) : 0.0;
    }
    const auto made = quantized::quantizeArray(input, options);
    if (!made) {
        fuzz::require(!made.error().code.empty() && !made.error().message.empty());
        return;
    }
    const std::string text = quantized::manifestText(made->folder.manifest);
    const auto again = quantized::readFolder(
        [&](std::string_view name, std::uint64_t most) -> Result<quantized::Bytes> {
            const quantized::Bytes *file = made->folder.file(name);
            if (name == quantized::kManifest)
                return quantized::Bytes(text.begin(), text.end());
            fuzz::require(file && file->size() <= most);
            return *file;
        });
    fuzz::require(again.has_value());
    const auto values = quantized::valuesOf(*again), kept = quantized::valuesOf(made->folder);
    fuzz::require(values && kept && values->size() >= input.array.values.size());
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    fuzz::require(std::ranges::equal(*values, *kept, same));
    OpenOptions opened;
    for (const auto &[name, bytes] : made->folder.files) {
        const auto all = std::as_bytes(std::span(bytes));
        opened.memory.emplace_back(name, std::vector<std::byte>(all.begin(), all.end()));
    }
    const auto manifest = std::as_bytes(std::span(text));
    opened.memory.emplace_back(quantized::kManifest,
                               std::vector<std::byte>(manifest.begin(), manifest.end()));
    const auto bundle = Bundle::open("fuzz", opened);
    fuzz::require(bundle && !hasErrors((*bundle)->diagnostics()));
    fuzz::checkBundle(**bundle);
}

} // namespace

/// The input as values that are quantised, and as a folder of `quantize`: a description, a zero
/// byte, and the bytes of its files, of which each takes its share. Whatever it says, the folder
/// opens, its sections cover the files, and what is not marked as faulty decodes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    encode(data, size);
    const auto input = fuzz::bytesOf(data, size);
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    const std::size_t cut = std::min(text.find('\0'), size);
    const auto rest = input.subspan(std::min(size, cut + 1));
    const auto copyOf = [](std::span<const std::byte> bytes) {
        return std::vector<std::byte>(bytes.begin(), bytes.end());
    };
    OpenOptions options;
    options.memory = {{"quantize.json", copyOf(input.first(cut))}, {"data.bin", copyOf(rest)}};
    // As long as the sound matrices of the seeds have them: 2 x 32, with groups or rows; in boxes
    // 2 x 64, of which ZZ makes one box.
    const bool boxed = text.substr(0, cut).find("\"zz\"") != std::string_view::npos;
    for (const auto &[name, bytes] : {std::pair("exp.bin", std::size_t{boxed ? 32U : 2U}),
                                      {"scale.bin", std::size_t{8}},
                                      {"offset.bin", std::size_t{8}}})
        options.memory.emplace_back(name, copyOf(rest.first(std::min(bytes, rest.size()))));
    const auto bundle = Bundle::open("fuzz", options);
    fuzz::require(bundle.has_value());
    fuzz::checkBundle(**bundle);
    return 0;
}
