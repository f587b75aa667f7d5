// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/old_network.h"

#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"

namespace kernscope {

bool isOfOldNetwork(const Weight &weight)
{
    return weight.form.words() == FormWords::Network;
}

bool isOldNetwork(const Bundle &bundle)
{
    const auto &weights = bundle.weights();
    return !weights.empty() && std::all_of(weights.begin(), weights.end(), isOfOldNetwork);
}

Error oldNetworkError(std::string code, const std::string &weight)
{
    return ErrorBuilder(std::move(code))
        .field(weight)
        .expected("a weight of an ML program")
        .found("a layer of an old neural network (NeuralNetwork.proto)")
        .message("Its layers have no statements and no shapes to go by: convert the model to an ML "
                 "program, or patch the values of its weights");
}

} // namespace kernscope
