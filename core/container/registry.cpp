// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/checkpoint/checkpoint.h"
#include "core/container/container_reader.h"
#include "core/container/quantized/quantized.h"

#include <algorithm>
#include <array>

namespace kernscope {

std::span<const ContainerReader *const> containerReaders()
{
    static const std::array readers{&checkpoint::safetensorsReader(), &checkpoint::npzReader(),
                                    &quantizedReader()};
    return readers;
}

const ContainerReader *containerReader(BundleKind kind)
{
    const auto readers = containerReaders();
    const auto found = std::find_if(readers.begin(), readers.end(),
                                    [kind](const auto *reader) { return reader->kind() == kind; });
    return found == readers.end() ? nullptr : *found;
}

} // namespace kernscope
