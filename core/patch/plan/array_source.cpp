// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/plan/array_source.h"

#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/patch/edit/find_weight.h"
#include "core/patch/interrupted_save.h"

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

} // namespace

Result<ArraySource> ArraySource::ofTensor(const std::string &path, const std::string &name,
                                          const Weight &weight)
{
    const auto opened = openForReading(path);
    const auto &bundle = opened.bundle;
    if (!bundle)
        return tl::unexpected(bundle.error());
    if (const Error *fault = opened.fault())
        return tl::unexpected(*fault);
    // Of one array alone nothing has to be named.
    const bool alone = name.empty() && (*bundle)->weights().size() == 1;
    const auto index =
        alone ? Result<std::size_t>(0) : findWeight(**bundle, name.empty() ? weight.name : name);
    if (!index)
        return ErrorBuilder(index.error()).file(path).unexpected();
    const BundleReadLock lock(**bundle);
    const auto decoder = (*bundle)->decoder(*index);
    if (!decoder)
        return tl::unexpected(decoder.error());
    ArraySource source;
    source.m_shape = (*bundle)->weights()[*index].shape;
    source.m_bundle = *bundle;
    source.m_decoder = *decoder;
    return source;
}

Result<ArraySource> ArraySource::ofArray(const std::string &path)
{
    auto file = OverlaidFile::open(path, path);
    if (!file)
        return tl::unexpected(std::move(file.error()));
    auto layout = readNpyLayout((*file)->bytes(), path);
    if (!layout) {
        // Of a file that another program cuts meanwhile that is the reason.
        if (auto same = (*file)->checkSame(); !same)
            return tl::unexpected(std::move(same.error()));
        return tl::unexpected(std::move(layout.error()));
    }
    ArraySource source;
    source.m_shape = layout->shape;
    source.m_file = std::move(*file);
    source.m_layout = std::move(*layout);
    return source;
}

Result<ArraySource> ArraySource::open(const std::string &source, const Weight &weight)
{
    const auto [path, name] = splitSource(source);
    std::error_code failure;
    const bool array =
        name.empty() && path.ends_with(".npy") && !std::filesystem::is_directory(path, failure);
    auto opened = array ? ofArray(path) : ofTensor(path, name, weight);
    if (opened && shapeWithoutOnes(opened->m_shape) != shapeWithoutOnes(weight.shape)) {
        return ErrorBuilder("patch.shape")
            .file(source)
            .expected(shapeText(weight.shape))
            .found(shapeText(opened->m_shape))
            .message("The array has not the shape of the weight")
            .unexpected();
    }
    return opened;
}

void ArraySource::read(std::uint64_t first, std::span<double> out) const
{
    if (m_file) {
        readNpyElements(m_file->bytes(), m_layout, first, out);
        return;
    }
    std::vector<float> floats(out.size());
    m_decoder->decodeFloat(first, floats);
    std::copy(floats.begin(), floats.end(), out.begin());
}

Result<void> ArraySource::checkUnchanged() const
{
    return m_file ? m_file->checkSame() : m_bundle->checkUnchanged();
}

} // namespace kernscope::patch
