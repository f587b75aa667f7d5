// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/base/json_place.h"
#include "core/base/utf8.h"
#include "core/container/mil/reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::mil {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxManifestBytes = std::size_t(16) << 20;

tl::unexpected<Error> fault(std::string_view fileName, std::string_view code, std::uint64_t place,
                            std::string_view field, std::string_view expected,
                            std::string_view found, std::string_view message)
{
    return ErrorBuilder(code)
        .file(fileName)
        .at(FileOffset(place))
        .field(field)
        .expected(expected)
        .found(found)
        .message(message)
        .unexpected();
}

const std::string *stringAt(const Json &object, std::string_view key)
{
    if (!object.is_object())
        return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : found->get_ptr<const std::string *>();
}

/// True for a relative path all of whose parts are names.
bool staysInside(std::string_view path)
{
    if (path.empty() || path.find('\\') != std::string_view::npos ||
        path.find('\0') != std::string_view::npos)
        return false;
    while (true) {
        const std::size_t slash = path.find('/');
        const std::string_view part = path.substr(0, slash);
        if (part.empty() || part == "." || part == "..")
            return false;
        if (slash == std::string_view::npos)
            return true;
        path.remove_prefix(slash + 1);
    }
}

/// Where the text is no JSON, and the first characters there; or that it is more than is read.
tl::unexpected<Error> notJson(std::string_view fileName, std::string_view text)
{
    if (!jsonFits(text))
        return fault(fileName, "manifest.json", 0, "", std::string(kJsonLimits), "more",
                     "The manifest is more than is read.");
    const std::uint64_t at = jsonFaultOffset(text);
    return fault(fileName, "manifest.json", at, "", "a JSON object", jsonTextAt(text, at),
                 "The manifest is not JSON.");
}

} // namespace

Result<std::string> modelPathFromManifest(std::span<const std::byte> manifest,
                                          std::string_view fileName)
{
    if (manifest.size() > kMaxManifestBytes)
        return fault(fileName, "manifest.json", kMaxManifestBytes, "",
                     fmt::format("at most {} bytes", kMaxManifestBytes),
                     fmt::format("{} bytes", manifest.size()), "The manifest is too large.");
    const std::string_view text(reinterpret_cast<const char *>(manifest.data()), manifest.size());
    const Json json = jsonFits(text) ? Json::parse(text, nullptr, false) : Json();
    if (!json.is_object())
        return notJson(fileName, text);
    const std::string *root = stringAt(json, "rootModelIdentifier");
    if (!root)
        return fault(fileName, "manifest.root", jsonKeyOffset(text, "rootModelIdentifier"),
                     "rootModelIdentifier", "an identifier", "none",
                     "The manifest does not name the model.");
    const std::uint64_t at = jsonKeyOffset(text, "itemInfoEntries");
    const auto entries = json.find("itemInfoEntries");
    const bool known = entries != json.end() && entries->is_object() && entries->contains(*root);
    const std::string *path = known ? stringAt(entries->at(*root), "path") : nullptr;
    if (!path)
        return fault(fileName, "manifest.root", at, "itemInfoEntries",
                     fmt::format("an entry {} with a path", excerpt(*root)), "none",
                     "The manifest does not say where the model is.");
    if (!staysInside(*path))
        return fault(fileName, "manifest.path", at, "path", "a path inside the package",
                     path->empty() ? "an empty path" : excerpt(*path, 200),
                     "The model's path leaves the package.");
    return "Data/" + *path;
}

} // namespace kernscope::mil
