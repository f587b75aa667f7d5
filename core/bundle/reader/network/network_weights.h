// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/container_reader.h"
#include "core/container/network/network.h"

namespace kernscope {

/// The weights of a neural network that lies in file number `file`: "LAYER.FIELD", each with its
/// form ("dense-fp32", "dense-fp16", "affine", "palette", "dense-int8") and its layer as consumer.
std::vector<Weight> networkWeights(const network::Network &network, std::size_t file,
                                   const std::string &model);

// Compiled neural networks: a .mlmodelc with model.espresso.net, a model of a compiled pipeline, or
// a lone .espresso.net with its shape and its weights beside it. The reader of compiled models
// (mil_reader.cpp) calls these.

/// Adds the layers and the weights of the network whose net is file number `net` (also of one that
/// is model `model` of a pipeline). Its weight file is a file of the same folder. Codes: those of
/// espresso::readNet and espresso::readBlobs, and "io.open" where there is no weight file.
void readEspresso(const std::vector<BundleFile> &files, std::size_t net, const std::string &model,
                  ContainerContents &out);
bool isEspressoNet(std::string_view path);
/// Paths of the shape and of the weights of a net.
std::vector<std::string> besideEspressoNet(std::string_view net);
/// The table and the blobs of such a weight file, and which weight each is of. Counts its records.
std::vector<ByteClaim> espressoClaims(BundleFile &file, std::size_t number,
                                      const std::vector<Weight> &weights);

} // namespace kernscope
