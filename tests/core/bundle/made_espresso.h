// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/little_endian.h"
#include "core/bundle/bundle.h"
#include "core/numeric/half.h"
#include "tests/test_program.h"

/// A made-up compiled neural network of the published layout (netron's espresso.js, other published
/// readers): no compiler wrote it.
namespace kernscope::test {

using Payload = std::vector<std::byte>;

inline Payload floatsOf(const std::vector<float> &values)
{
    Payload bytes(4 * values.size());
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

inline Payload bytesOfText(const std::string &text)
{
    Payload bytes(text.size());
    std::memcpy(bytes.data(), text.data(), bytes.size());
    return bytes;
}

/// A count, an entry of number and length a blob, the payloads.
inline Payload espressoWeights(const std::vector<std::pair<std::uint64_t, Payload>> &blobs)
{
    Payload bytes(8 + 16 * blobs.size());
    storeLittle<std::uint64_t>(bytes, 0, blobs.size());
    for (std::size_t i = 0; i < blobs.size(); ++i) {
        storeLittle<std::uint64_t>(bytes, 8 + 16 * i, blobs[i].first);
        storeLittle<std::uint64_t>(bytes, 16 + 16 * i, blobs[i].second.size());
    }
    for (const auto &[id, payload] : blobs)
        bytes.insert(bytes.end(), payload.begin(), payload.end());
    return bytes;
}

inline std::string espressoNet()
{
    return R"({"storage": "model.espresso.weights", "format_version": 200, "layers": [
  {"type": "convolution", "name": "conv", "bottom": "image", "top": "a", "C": 2, "K": 1, "Nx": 2,
   "Ny": 1, "n_groups": 1, "has_biases": 1, "blob_weights": 3, "blob_biases": 1, "weights": {}},
  {"type": "batchnorm", "name": "bn", "bottom": "a", "top": "b", "C": 2,
   "blob_batchnorm_params": 5, "weights": {}},
  {"type": "convolution", "name": "half", "bottom": "b", "top": "c", "C": 1, "K": 2, "Nx": 1,
   "Ny": 1, "n_groups": 1, "blob_weights_f16": 7, "weights": {}},
  {"type": "inner_product", "name": "fc", "bottom": "c", "top": "d", "nB": 3, "nC": 2,
   "has_biases": 0, "weights": {"W_U8": 9, "per_ch_qscale": 13, "per_ch_qbias": 11}},
  {"type": "softmax", "name": "prob", "bottom": "d", "top": "out", "weights": {},
   "attributes": {"is_output": 1}}]})";
}

inline Payload espressoBlobs()
{
    const auto half = [](float value) {
        Payload bytes(2);
        storeLittle<std::uint16_t>(bytes, 0, floatToHalf(value));
        return bytes;
    };
    Payload halves = half(0.5F);
    for (const std::byte byte : half(-2))
        halves.push_back(byte);
    Payload codes;
    for (const int code : {0, 1, 2, 255, 100, 200})
        codes.push_back(std::byte(code));
    return espressoWeights({{1, floatsOf({0.25F, -0.25F})},
                            {3, floatsOf({1, 2, 3, 4})},
                            {5, floatsOf({1, 0, 0, 1, 2, 0.5F, 0, 1})},
                            {7, halves},
                            {9, codes},
                            {11, floatsOf({-1, -2})},
                            {13, floatsOf({0.25F, 0.5F})}});
}

inline OpenOptions madeEspresso()
{
    OpenOptions options;
    options.memory = {{"coremldata.bin", bytesOfText("x")},
                      {"metadata.json", bytesOfText(R"([{"author": "made up"}])")},
                      {"model.espresso.net", bytesOfText(espressoNet())},
                      {"model.espresso.shape",
                       bytesOfText(R"({"layer_shapes": {"image": {"n": 1, "k": 1, "h": 1, "w": 4},
                         "a": {"n": 1, "k": 2, "h": 1, "w": 3}}})")},
                      {"model.espresso.weights", espressoBlobs()}};
    return options;
}

} // namespace kernscope::test
