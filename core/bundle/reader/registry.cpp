// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/readers.h"

#include <algorithm>

namespace kernscope {

std::string_view bundleKindName(BundleKind kind)
{
    // What a lone model turns out to be has no reader of its own.
    if (kind == BundleKind::Network)
        return "network";
    if (kind == BundleKind::Pipeline)
        return "pipeline";
    if (kind == BundleKind::Model)
        return "model";
    const ContainerReader *reader = containerReader(kind);
    return reader != nullptr ? reader->key : "unknown";
}

std::span<const ContainerReader *const> containerReaders()
{
    // Programs last: their text is known by its first word or its name alone.
    static const std::array readers{&compiledModelReader(),
                                    &modelPackageReader(),
                                    &aimodelReader(),
                                    &hardwareReader(),
                                    &anecReader(),
                                    &sectionReader(),
                                    &blobReader(),
                                    &checkpoint::safetensorsReader(),
                                    &checkpoint::npzReader(),
                                    &quantizedReader(),
                                    &odixReader(),
                                    &programReader()};
    return readers;
}

const ContainerReader *containerReader(BundleKind kind)
{
    // A lone model that holds no program is told apart only when it is read.
    if (kind == BundleKind::Network || kind == BundleKind::Pipeline || kind == BundleKind::Model)
        kind = BundleKind::MilText;
    const auto readers = containerReaders();
    const auto found =
        std::ranges::find_if(readers, [kind](const auto *reader) { return reader->kind == kind; });
    return found == readers.end() ? nullptr : *found;
}

} // namespace kernscope
