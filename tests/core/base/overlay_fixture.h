// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/test_program.h"

/// Bytes to overlay.
namespace kernscope::test {

inline std::vector<std::byte> text(const char *content)
{
    const auto *data = reinterpret_cast<const std::byte *>(content);
    return {data, data + std::strlen(content)};
}

} // namespace kernscope::test
