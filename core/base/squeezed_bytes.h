// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kernscope {

/// Bytes without loss in a third of their memory (deflate at its fastest level). For this process
/// only, never for a file: nothing is checked. Running out of memory throws std::bad_alloc, as a
/// vector does.
class Squeezer
{
public:
    Squeezer();
    ~Squeezer();
    Squeezer(const Squeezer &) = delete;
    Squeezer &operator=(const Squeezer &) = delete;

    void add(std::span<const std::byte> bytes);
    /// All that were added since the last call.
    std::vector<std::byte> finish();

private:
    struct State;
    State *m_state;
};

/// What was added to the Squeezer.
std::vector<std::byte> unsqueezed(std::span<const std::byte> squeezed);

} // namespace kernscope
