// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/aimodel/package.h"

#include "core/base/byte_text.h"
#include "core/base/error_builder.h"
#include "core/base/json_place.h"
#include "core/base/sha256.h"
#include "core/base/text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace kernscope::aimodel {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kKnownVersion = "2.0"; // the only one that the platform's loader takes
constexpr std::size_t kHashBytes = 32;

/// A value as its text; other kinds than texts as JSON.
std::string valueText(const Json &value)
{
    return value.is_string() ? value.get<std::string>()
                             : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Diagnostic metadataFinding(Severity severity, std::string_view code, std::string expected,
                           std::string found, std::string message)
{
    return {severity, valueError({std::string(kMetadataFile), FileOffset(0)}, code, "assetVersion",
                                 expected, found, message)};
}

/// "/Users/…", "/home/…", "C:\…": of one machine alone.
bool isAuthorPath(std::string_view text)
{
    const bool drive = text.size() > 3 && text[1] == ':' && (text[2] == '\\' || text[2] == '/') &&
                       ((text[0] | 0x20) >= 'a' && (text[0] | 0x20) <= 'z');
    return drive || (text.size() > 1 && text[0] == '/' && text[1] != '/' &&
                     text.find('/', 1) != std::string_view::npos);
}

/// Strings that locations lead to, or all that something else does.
std::vector<bool> textsOf(const mlir::Module &module, bool locations)
{
    std::vector<std::uint32_t> attributes, types;
    for (const mlir::Operation &operation : module.operations) {
        attributes.push_back(locations ? operation.location : operation.attributes);
        for (const mlir::NamedAttribute &each :
             locations ? std::vector<mlir::NamedAttribute>() : module.attributesOf(operation))
            attributes.push_back(each.attribute);
    }
    for (const mlir::Value &value : module.values)
        locations ? attributes.push_back(value.location) : types.push_back(value.type);
    std::vector<bool> texts = mlir::reachedFrom(module, attributes, types).strings;
    for (const mlir::OperationName &name : module.operationNames)
        texts[name.name] = texts[name.name] || !locations;
    for (const mlir::Dialect &dialect : module.dialects)
        texts[dialect.name] = texts[dialect.name] || !locations;
    for (const mlir::Resource &resource : module.resources)
        texts[resource.key] = texts[resource.key] || !locations;
    return texts;
}

} // namespace

Result<Metadata> readMetadata(std::span<const std::byte> bytes, const std::string &file)
{
    const std::string_view text = textInBytes(bytes);
    const auto refuse = [&](std::uint64_t at, std::string expected, std::string found) {
        return refused({file, FileOffset(at)}, "aimodel.metadata", {}, expected, found,
                       "The package's metadata cannot be read");
    };
    if (!jsonFits(text))
        return refuse(0, std::string(kJsonLimits), "more");
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) {
        const std::uint64_t at = jsonFaultOffset(text);
        return refuse(at, "JSON", jsonTextAt(text, at));
    }
    if (!json.is_object())
        return refuse(0, "an object", json.type_name());
    Metadata metadata;
    for (const auto &[key, value] : json.items()) {
        std::string *const known = key == "producer"       ? &metadata.producer
                                   : key == "creationDate" ? &metadata.creationDate
                                   : key == "author"       ? &metadata.author
                                   : key == "license"      ? &metadata.license
                                   : key == "description"  ? &metadata.description
                                                           : nullptr;
        if (known)
            *known = valueText(value);
        else if (key == "assetVersion" && value.is_string())
            metadata.assetVersion = value.get<std::string>();
        else if (key == "creatorDefinedMetadata" && value.is_object())
            for (const auto &[name, own] : value.items())
                metadata.custom.emplace_back(
                    name, own.dump(-1, ' ', false, Json::error_handler_t::replace));
        else
            metadata.others.emplace_back(
                key, value.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    return metadata;
}

Diagnostics metadataFindings(const Metadata *metadata)
{
    Diagnostics findings;
    if (!metadata) {
        findings.push_back(metadataFinding(Severity::Note, "aimodel.no_metadata", "metadata.json",
                                           "none", "The package has no metadata"));
        return findings;
    }
    if (!metadata->assetVersion)
        findings.push_back(metadataFinding(
            Severity::Warning, "aimodel.asset_version", std::string(kKnownVersion), "none",
            "The metadata names no asset version: the platform's loader refuses the package"));
    else if (*metadata->assetVersion != kKnownVersion)
        findings.push_back(metadataFinding(
            Severity::Warning, "aimodel.asset_version", std::string(kKnownVersion),
            *metadata->assetVersion,
            "An asset version that is not known: the platform's loader refuses the package"));
    if (metadata->producer.empty()) {
        findings.push_back(metadataFinding(Severity::Note, "aimodel.producer", "a producer", "none",
                                           "The metadata names no producer"));
        findings.back().error.field = "producer";
    }
    return findings;
}

std::optional<Error> hashFinding(std::span<const std::byte> module,
                                 std::optional<std::span<const std::byte>> hash)
{
    ErrorBuilder finding("aimodel.hash");
    finding.file(std::string(kHashFile)).at(FileOffset(0)).field("SHA-256");
    if (!hash)
        return finding.code("aimodel.no_hash")
            .expected("32 bytes")
            .found("no file")
            .message("The package has no hash of its program");
    if (hash->size() != kHashBytes)
        return finding.expected("32 bytes")
            .found(std::to_string(hash->size()) + " bytes")
            .message("The hash of the program has not the length of a SHA-256");
    Sha256 sum;
    sum.update(module);
    const auto digest = sum.finish();
    if (!digest)
        return digest.error();
    if (std::ranges::equal(*digest, *hash))
        return std::nullopt;
    return finding.expected(Sha256::textOf(*digest))
        .found(hexBytesText(*hash, ""))
        .message("The hash is not that of main.mlirb");
}

std::vector<AuthorPath> authorPaths(const mlir::Module &module)
{
    // Names of graphs and of their inputs may look like paths: only texts that nothing but debug
    // information holds.
    const std::vector<bool> held = textsOf(module, false), told = textsOf(module, true);
    std::vector<AuthorPath> paths;
    for (std::uint32_t i = 0; i < module.strings.size(); ++i) {
        const std::string_view text = module.strings[i];
        if (!told[i] || held[i] || !isAuthorPath(text))
            continue;
        const auto *begin = reinterpret_cast<const char *>(module.bytes.data());
        paths.push_back({i,
                         {FileOffset(static_cast<std::uint64_t>(text.data() - begin)),
                          ByteCount(text.size())}});
    }
    return paths;
}

std::optional<Error> authorPathFinding(const std::vector<AuthorPath> &paths)
{
    if (paths.empty())
        return std::nullopt;
    return valueError(
        {std::string(kModuleFile), paths.front().range.offset, paths.front().range.bytes},
        "aimodel.author_paths", "debug information", {}, std::to_string(paths.size()),
        "Debug information holds absolute paths of the author's machine (patch "
        "--blank-paths blanks them)");
}

} // namespace kernscope::aimodel
