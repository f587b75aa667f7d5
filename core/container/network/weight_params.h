// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/wire.h"
#include "core/container/network/network.h"

/// Private to the reader of networks: one WeightParams message.
namespace kernscope::network {

/// Fills in the form, the places and the bits; the shape is the caller's. Nothing where the message
/// is empty, as that of a bias which a layer does not have.
std::optional<StoredWeight> readWeightParams(const mil::WireBytes &message, mil::WireState &state);

/// Gives the weight its shape (empty: not known) and checks the values against it.
void setShape(StoredWeight &weight, Shape shape, std::size_t axis, mil::WireState &state);

} // namespace kernscope::network
