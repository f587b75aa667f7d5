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

Result<quantized::ErrorFigures> compareWith(const std::string &path,
                                            const std::vector<double> &values)
{
    const auto file = openFile(path);
    if (!file)
        return tl::unexpected(file.error());
    const auto array = readNpy((*file)->bytes(), path);
    if (!array)
        return tl::unexpected(array.error());
    if (array->values.size() != values.size())
        return tl::unexpected(quantized::manifestFault("reference",
                                                       fmt::format("{} elements", values.size()),
                                                       fmt::format("{}", array->values.size())));
    return quantized::figuresOf(values, array->values);
}

/// The recorded path of what was quantised, where that file lies in the folder and is still the
/// same: no other is opened because a file says so.
std::string sameInput(const Json &manifest, const std::string &folder)
{
    const auto path = manifest.find("input");
    const auto hash = manifest.find("input_sha256");
    if (path == manifest.end() || !path->is_string() || hash == manifest.end() ||
        !hash->is_string())
        return {};
    std::error_code failure;
    const auto place = std::filesystem::canonical(path->get<std::string>(), failure);
    if (failure || place.parent_path() != std::filesystem::canonical(folder, failure))
        return {};
    const auto file = openFile(place);
    if (!file)
        return {};
    const auto found = Sha256::hexOf((*file)->bytes());
    return found && *found == hash->get<std::string>() ? place.string() : std::string();
}

Result<void> addFigures(Dequantized &result, const std::string &folder,
                        const std::string &reference)
{
    const std::string path =
        reference.empty() ? sameInput(result.folder.manifest, folder) : reference;
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
    const auto file = openFile(path);
    if (!file)
        return tl::unexpected(file.error());
    auto array = readNpy((*file)->bytes(), path);
    if (!array)
        return tl::unexpected(std::move(array.error()));
    const std::string name = path == "-" ? path : std::filesystem::absolute(path).string();
    quantized::QuantizeInput input{std::move(*array), name, {}};
    if (const auto hash = Sha256::hexOf((*file)->bytes()))
        input.sha256 = *hash;
    return input;
}

Result<quantized::Folder> openQuantizedFolder(const std::string &path)
{
    return quantized::readFolder(
        [&path](std::string_view name, std::uint64_t most) -> Result<quantized::Bytes> {
            const auto file = openFile((std::filesystem::path(path) / name).string());
            if (!file)
                return tl::unexpected(file.error());
            const auto all = (*file)->bytes();
            if (all.size() > most)
                return ErrorBuilder("quantize.length")
                    .file(std::string(name))
                    .expected(fmt::format("{} bytes at most", most))
                    .found(fmt::format("{} bytes", all.size()))
                    .message("The file has more bytes than the folder's description has room for")
                    .unexpected();
            quantized::Bytes bytes(all.size());
            if (!bytes.empty())
                std::memcpy(bytes.data(), all.data(), bytes.size());
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
    if (auto added = addFigures(result, folder, reference); !added)
        return tl::unexpected(std::move(added.error()));
    return result;
}

} // namespace kernscope::cli
