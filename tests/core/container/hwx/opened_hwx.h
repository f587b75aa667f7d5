// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "synthetic.h"

#include "core/container/hwx/container.h"

/// A synthetic container that is open.
namespace kernscope::test {

struct Opened {
    Bytes bytes;
    hwx::Container container;

    std::span<const std::byte> text() const
    {
        const auto range = *container.section(container.texts.front().section)->bytes;
        return std::span(bytes).subspan(range.offset.value, range.bytes.value);
    }
};

inline Opened open(Bytes bytes)
{
    Opened opened{std::move(bytes), {}};
    if (auto container = hwx::readContainer(opened.bytes, "synthetic.hwx"))
        opened.container = std::move(*container);
    return opened;
}

} // namespace kernscope::test
