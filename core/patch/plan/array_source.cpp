// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/plan/array_source.h"

#include "core/patch/edit/find_weight.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace kernscope::patch {

namespace {

Shape shapeWithoutOnes(Shape shape)
{
    shape.erase(std::remove(shape.begin(), shape.end(), 1u), shape.end());
    return shape;
}

/// Path and tensor; a '#' that is part of an existing file's name separates nothing.
std::pair<std::string, std::string> splitSource(const std::string &source)
{
    std::error_code failure;
    const auto hash = source.rfind('#');
    if (hash == std::string::npos || std::filesystem::exists(source, failure))
        return {source, {}};
    return {source.substr(0, hash), source.substr(hash + 1)};
}

Result<NpyArray> tensorOf(const std::string &path, const std::string &name, const Weight &weight)
{
    const auto bundle = Bundle::open(path);
    if (!bundle)
        return tl::unexpected(bundle.error());
    // Of one array alone nothing has to be named.
    const bool alone = name.empty() && (*bundle)->weights().size() == 1;
    const auto index =
        alone ? Result<std::size_t>(0) : findWeight(**bundle, name.empty() ? weight.name : name);
    if (!index) {
        Error error = index.error();
        error.file = path;
        return tl::unexpected(std::move(error));
    }
    const BundleReadLock lock(**bundle);
    const auto decoder = (*bundle)->decoder(*index);
    if (!decoder)
        return tl::unexpected(decoder.error());
    NpyArray array;
    array.type = decoder->type();
    array.shape = (*bundle)->weights()[*index].shape;
    std::vector<float> values(decoder->elements().value);
    decoder->decodeFloat(0, values);
    array.values.assign(values.begin(), values.end());
    if (auto same = (*bundle)->checkUnchanged(); !same)
        return tl::unexpected(std::move(same.error()));
    return array;
}

} // namespace

Result<NpyArray> readArraySource(const std::string &source, const Weight &weight)
{
    const auto [path, name] = splitSource(source);
    auto array = [&path = path, &name = name, &weight]() -> Result<NpyArray> {
        if (!name.empty() || !path.ends_with(".npy")) {
            std::error_code failure;
            if (!path.ends_with(".npy") || std::filesystem::is_directory(path, failure))
                return tensorOf(path, name, weight);
        }
        const auto file = OverlaidFile::open(path, path);
        if (!file)
            return tl::unexpected(file.error());
        auto read = readNpy((*file)->bytes(), path);
        if (auto same = (*file)->checkSame(); !same)
            return tl::unexpected(std::move(same.error()));
        return read;
    }();
    if (array && shapeWithoutOnes(array->shape) != shapeWithoutOnes(weight.shape)) {
        Error error;
        error.code = "patch.shape";
        error.file = source;
        error.expected = shapeText(weight.shape);
        error.found = shapeText(array->shape);
        error.message = "The array has not the shape of the weight";
        return tl::unexpected(std::move(error));
    }
    return array;
}

} // namespace kernscope::patch
