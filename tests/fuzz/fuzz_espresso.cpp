// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/bundle_checks.h"

using namespace kernscope;
using FileBytes = std::vector<std::byte>;

/// The input is the weight file, or after a zero byte layers and shapes: it opens or is refused,
/// its sections cover it, and what it lists decodes or says why not.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto input = fuzz::bytesOf(data, size);
    const bool layers = !input.empty() && input[0] == std::byte{0};
    static constexpr std::string_view kNet =
        R"({"format_version":200,"layers":[{"type":"inner_product","name":"fc","bottom":"a",)"
        R"("top":"b","nB":2,"nC":2,"blob_weights":1,"weights":{"W_U8":3,"per_ch_qscale":5,)"
        R"("per_ch_qbias":7}}]})";
    const auto net = std::as_bytes(std::span(kNet.data(), kNet.size()));
    const auto given = std::span(input).subspan(layers ? 1 : 0);
    if (const auto bundle = Bundle::open(
            "x.mlmodelc",
            {.memory = {{"model.espresso.net", layers ? FileBytes(given.begin(), given.end())
                                                      : FileBytes(net.begin(), net.end())},
                        {"model.espresso.shape", FileBytes(given.begin(), given.end())},
                        {"model.espresso.weights",
                         layers ? FileBytes(8) : FileBytes(given.begin(), given.end())}}}))
        fuzz::checkBundle(**bundle, *containerReader(BundleKind::Mlmodelc));
    return 0;
}
