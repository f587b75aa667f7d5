// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/quantize.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/base/sha256.h"

#include <cstring>
#include <filesystem>

#include <fmt/format.h>

namespace kernscope::cli {

namespace {

using quantized::Json;

Result<std::vector<std::byte>> readFile(const std::string &path)
{
    const auto file = openFile(path);
    if (!file)
        return tl::unexpected(file.error());
    const auto all = (*file)->bytes();
    std::vector<std::byte> bytes(all.begin(), all.end());
    if (auto same = (*file)->checkSame(); !same)
        return tl::unexpected(std::move(same.error()));
    return bytes;
}

Result<quantized::ErrorFigures> compareWith(const std::string &path,
                                            const std::vector<double> &values)
{
    const auto file = readFile(path);
    if (!file)
        return tl::unexpected(file.error());
    const auto array = readNpy(*file, path);
    if (!array)
        return tl::unexpected(array.error());
    if (array->values.size() != values.size())
        return tl::unexpected(quantized::manifestFault("reference",
                                                       fmt::format("{} elements", values.size()),
                                                       fmt::format("{}", array->values.size())));
    return quantized::figuresOf(values, array->values);
}

/// The recorded path of what was quantised, where that file is still the same.
std::string sameInput(const Json &manifest)
{
    const auto path = manifest.find("input");
    const auto hash = manifest.find("input_sha256");
    if (path == manifest.end() || !path->is_string() || hash == manifest.end() ||
        !hash->is_string())
        return {};
    const auto file = readFile(path->get<std::string>());
    if (!file)
        return {};
    const auto found = Sha256::hexOf(*file);
    return found && *found == hash->get<std::string>() ? path->get<std::string>() : std::string();
}

Result<void> addFigures(Dequantized &result, const std::string &reference)
{
    const std::string path = reference.empty() ? sameInput(result.folder.manifest) : reference;
    if (!path.empty()) {
        const auto figures = compareWith(path, result.values);
        if (!figures)
            return tl::unexpected(figures.error());
        result.figures = *figures;
        result.figuresFrom = "reference";
        return {};
    }
    result.figures = quantized::recordedFigures(result.folder.manifest);
    result.figuresFrom = "recorded";
    result.diagnostics.push_back(
        {Severity::Note,
         ErrorBuilder("quantize.reference")
             .message("The array that was quantised is not at hand: the figures are those that "
                      "quantize recorded (--reference names another one)")});
    return {};
}

} // namespace

Result<quantized::QuantizeInput> readQuantizeInput(const std::string &path)
{
    const auto file = readFile(path);
    if (!file)
        return tl::unexpected(file.error());
    auto array = readNpy(*file, path);
    if (!array)
        return tl::unexpected(std::move(array.error()));
    quantized::QuantizeInput input{std::move(*array), std::filesystem::absolute(path).string(), {}};
    if (const auto hash = Sha256::hexOf(*file))
        input.sha256 = *hash;
    return input;
}

Result<quantized::Folder> openQuantizedFolder(const std::string &path)
{
    return quantized::readFolder([&path](std::string_view name) -> Result<quantized::Bytes> {
        const auto file = readFile((std::filesystem::path(path) / name).string());
        if (!file)
            return tl::unexpected(file.error());
        quantized::Bytes bytes(file->size());
        if (!bytes.empty())
            std::memcpy(bytes.data(), file->data(), bytes.size());
        return bytes;
    });
}

Result<Dequantized> dequantizeFolder(const std::string &folder, const std::string &reference)
{
    auto read = openQuantizedFolder(folder);
    if (!read)
        return tl::unexpected(std::move(read.error()));
    auto values = quantized::valuesOf(*read);
    if (!values)
        return tl::unexpected(std::move(values.error()));
    Dequantized result;
    result.folder = std::move(*read);
    result.values = std::move(*values);
    if (auto added = addFigures(result, reference); !added)
        return tl::unexpected(std::move(added.error()));
    return result;
}

} // namespace kernscope::cli
