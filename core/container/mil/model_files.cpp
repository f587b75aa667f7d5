// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/model_files.h"

#include "core/base/byte_text.h"
#include "core/base/error_builder.h"
#include "core/base/json_place.h"
#include "core/base/text.h"
#include "core/container/mil/reader.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope {

std::string modelFolderOf(std::string_view programPath)
{
    const auto slash = programPath.rfind('/');
    return slash == std::string_view::npos ? std::string()
                                           : std::string(programPath.substr(0, slash + 1));
}

Result<std::string> resolveBlobPath(std::string_view written, std::string_view modelFolder)
{
    constexpr std::string_view kModelPath = "@model_path";
    const auto refuse = [written](std::string_view why) {
        return refused("blob.path", "path", "a path below @model_path", written, why);
    };
    std::string_view rest = written;
    if (rest.starts_with(kModelPath)) {
        rest.remove_prefix(kModelPath.size());
        if (!rest.starts_with('/'))
            return refuse("The path of a weight file names no file of the bundle.");
        rest.remove_prefix(1);
    } else if (rest.starts_with('/') || rest.starts_with('@')) {
        return refuse("The path of a weight file names no file of the bundle.");
    }
    if (rest.empty() || rest.find('\0') != std::string_view::npos)
        return refuse("The path of a weight file names no file of the bundle.");
    std::string clean(modelFolder);
    for (std::size_t at = 0; at <= rest.size();) {
        const std::size_t slash = std::min(rest.find('/', at), rest.size());
        const std::string_view step = rest.substr(at, slash - at);
        if (step == "..")
            return refuse("The path of a weight file leaves the bundle.");
        if (!step.empty() && step != ".") {
            if (!clean.empty() && clean.back() != '/')
                clean += '/';
            clean += step;
        }
        at = slash + 1;
    }
    return clean;
}

bool looksLikeProgramText(std::span<const std::byte> bytes, std::string_view name)
{
    constexpr std::size_t kMaxBlank = 4096;
    std::size_t at = 0;
    while (at < bytes.size() && at < kMaxBlank &&
           std::isspace(std::to_integer<unsigned char>(bytes[at])) != 0)
        ++at;
    return textInBytes(bytes.subspan(at)).starts_with("program") || name.ends_with(".mil");
}

/// A serialised Model begins with its specification version (field 1) and its description (2).
bool isModelProtobuf(std::span<const std::byte> bytes, std::string_view name)
{
    const bool looks = bytes.size() >= 3 && bytes[0] == std::byte(0x08) &&
                       bytes[1] < std::byte(0x80) &&
                       (bytes[2] == std::byte(0x12) || // or the kind, where nothing describes it
                        (bytes[2] & std::byte(0x87)) == std::byte(0x82));
    return looks || name.ends_with(".mlmodel");
}

} // namespace kernscope

namespace kernscope::mil {

namespace {

constexpr std::size_t kMostMembers = 4096, kMostNested = 16;

/// 3 of "model3"; "model03" is no such name.
std::optional<std::uint32_t> memberNumber(std::string_view name)
{
    constexpr std::string_view kBegin = "model";
    if (!name.starts_with(kBegin))
        return std::nullopt;
    name.remove_prefix(kBegin.size());
    std::uint32_t number = 0;
    const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool whole = fault == std::errc() && end == name.data() + name.size();
    return whole && (name.size() == 1 || name.front() != '0') ? std::optional(number)
                                                              : std::nullopt;
}

using Json = nlohmann::json;

constexpr std::size_t kMaxManifestBytes = std::size_t(16) << 20;

tl::unexpected<Error> fault(std::string_view fileName, std::string_view code, std::uint64_t place,
                            std::string_view field, std::string_view expected,
                            std::string_view found, std::string_view message)
{
    return refused({fileName, FileOffset(place)}, code, field, expected, found, message);
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

std::vector<PipelineMember> pipelineMembers(const std::vector<std::string_view> &files)
{
    std::map<std::vector<std::uint32_t>, PipelineMember> found;
    for (const std::string_view file : files) {
        std::vector<std::uint32_t> numbers;
        PipelineMember *member = nullptr;
        std::size_t begin = 0;
        for (std::size_t slash = file.find('/'); slash != file.npos && numbers.size() < kMostNested;
             slash = file.find('/', begin)) {
            const auto number = memberNumber(file.substr(begin, slash - begin));
            if (!number)
                break;
            numbers.push_back(*number);
            if (found.size() >= kMostMembers && found.count(numbers) == 0) {
                member = nullptr;
                break;
            }
            if (member != nullptr)
                member->pipeline = true;
            member = &found[numbers];
            member->path = file.substr(0, slash);
            begin = slash + 1;
        }
        if (member == nullptr)
            continue;
        const std::string_view name = file.substr(begin);
        member->program |= name == "model.mil";
        member->network |= name == "model.espresso.net";
        member->metadata |= name == "metadata.json";
    }
    std::vector<PipelineMember> members;
    for (auto &[numbers, member] : found)
        members.push_back(std::move(member));
    return members;
}

bool isMemberFolder(std::string_view path)
{
    if (!path.ends_with('/'))
        return false;
    path.remove_suffix(1);
    return memberNumber(path.substr(path.rfind('/') + 1)).has_value();
}

Result<std::string> modelPathFromManifest(std::span<const std::byte> manifest,
                                          std::string_view fileName)
{
    if (manifest.size() > kMaxManifestBytes)
        return fault(fileName, "manifest.json", kMaxManifestBytes, "",
                     fmt::format("at most {} bytes", kMaxManifestBytes),
                     fmt::format("{} bytes", manifest.size()), "The manifest is too large.");
    const std::string_view text = textInBytes(manifest);
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
