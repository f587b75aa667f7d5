// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/bundle_checks.h"

#include <algorithm>
#include <string_view>

using namespace kernscope;

/// A folder of `quantize`: a description, a zero byte, and the bytes of its files, of which each
/// takes its share. Whatever it says, the folder opens, its sections cover the files, and what is
/// not marked as faulty decodes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
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
