// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle_files.h"
#include "core/container/milblob/milblob.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

namespace kernscope {

namespace {

namespace fs = std::filesystem;

std::uint32_t word(std::span<const std::byte> bytes, std::size_t at)
{
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;)
        value = value << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
    return value;
}

bool startsWith(std::span<const std::byte> bytes, std::string_view magic)
{
    return bytes.size() >= magic.size() &&
           std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

} // namespace

bool looksLikeBlobFile(std::span<const std::byte> bytes, std::string_view name)
{
    const bool named = name == "weight.bin" || name.ends_with("/weight.bin");
    if (bytes.size() < milblob::kHeaderBytes)
        return named;
    const std::uint32_t version = word(bytes, 4);
    if (bytes.size() >= milblob::kHeaderBytes + milblob::kMetadataBytes &&
        word(bytes, milblob::kHeaderBytes) == milblob::kSentinel)
        return named || version <= milblob::kVersion;
    return named || (version == milblob::kVersion && name.ends_with(".bin"));
}

bool looksLikeProgramText(std::span<const std::byte> bytes, std::string_view name)
{
    constexpr std::size_t kMaxBlank = 4096;
    std::size_t at = 0;
    while (at < bytes.size() && at < kMaxBlank &&
           std::isspace(std::to_integer<unsigned char>(bytes[at])) != 0)
        ++at;
    return startsWith(bytes.subspan(at), "program") || name.ends_with(".mil");
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

std::optional<LfsPointer> lfsPointer(std::span<const std::byte> bytes)
{
    constexpr std::size_t kLongest = 1024; // the format's own limit
    if (bytes.size() > kLongest || !startsWith(bytes, "version https://git-lfs.github.com/spec/"))
        return std::nullopt;
    const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    const auto valueOf = [text](std::string_view key) {
        const auto at = text.find(key);
        if (at == std::string_view::npos)
            return std::string();
        const auto from = at + key.size();
        return std::string(text.substr(from, text.find_first_of("\r\n", from) - from));
    };
    return LfsPointer{valueOf("\noid "), valueOf("\nsize ")};
}

std::string_view knownKind(std::span<const std::byte> bytes)
{
    struct Magic {
        std::string_view bytes;
        std::string_view what;
    };
    using namespace std::string_view_literals;
    static constexpr std::array kMagics = {
        Magic{"\xce\xfa\xef\xbe"sv, "a hardware container (.hwx)"},
        Magic{"\xce\xfa\xed\xfe"sv, "a Mach-O file"},
        Magic{"\xcf\xfa\xed\xfe"sv, "a Mach-O file"},
        Magic{"\xca\xfe\xba\xbe"sv, "a universal Mach-O file"},
        Magic{"\x7f"
              "ELF"sv,
              "an ELF file"},
        Magic{"PK\x03\x04"sv, "a ZIP archive"},
        Magic{"\x1f\x8b"sv, "a gzip archive"},
        Magic{"AEA1"sv, "an encrypted archive of Apple (.mlarchive, .aea)"},
        Magic{"AA01"sv, "an archive of Apple (.mlarchive, .aar)"},
        Magic{"YAA1"sv, "an archive of Apple (.mlarchive, .yaa)"},
        Magic{"pbz"sv, "a compressed archive of Apple (.mlarchive, .aar)"},
        Magic{"bplist00"sv, "a binary property list"},
        Magic{"\x93NUMPY"sv, "a NumPy array"},
        Magic{"\x89PNG"sv, "a PNG picture"},
        Magic{"{"sv, "a JSON file"},
        Magic{"["sv, "a JSON file"},
    };
    for (const Magic &magic : kMagics) {
        if (startsWith(bytes, magic.bytes))
            return magic.what;
    }
    return bytes.empty() ? "an empty file" : "something else";
}

Error kindError(std::string_view found, std::string message)
{
    Error error;
    error.code = "bundle.kind";
    error.expected =
        "a .mlmodelc or .mlpackage folder (or a zip archive of one), a model.mil, a .mlmodel, a "
        "weight.bin, a .hwx, a .anec, a .ksec, a .safetensors, a .npz or a folder that quantize "
        "wrote";
    error.found = found;
    error.message = std::move(message);
    return error;
}

Error lfsError(const LfsPointer &pointer, const std::string &path)
{
    Error error;
    error.code = "bundle.lfs";
    error.file = path;
    error.expected = pointer.bytes + " bytes, " + pointer.oid;
    error.found = "a pointer of Git LFS";
    error.message = "The file was not downloaded: run git lfs pull.";
    return error;
}

std::vector<std::string> bundlesIn(const fs::path &folder)
{
    constexpr std::size_t kMost = 1000, kMaxEntries = 20000;
    static constexpr std::array<std::string_view, 9> kEndings{
        ".mlmodelc", ".mlpackage", ".mlmodel",     ".mil", ".hwx",
        ".anec",     ".ksec",      ".safetensors", ".npz"};
    std::vector<std::string> found;
    std::error_code failure;
    std::size_t entries = 0;
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                        failure);
    for (; !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
        if (++entries > kMaxEntries || found.size() >= kMost)
            break;
        const std::string name = at->path().filename().string();
        const bool bundle = std::any_of(kEndings.begin(), kEndings.end(), [&](auto ending) {
            return name.size() > ending.size() && name.ends_with(ending);
        });
        if (bundle)
            found.push_back(at->path().lexically_relative(folder).generic_string());
        if (bundle || at.depth() >= 1)
            at.disable_recursion_pending();
    }
    std::sort(found.begin(), found.end());
    return found;
}

Error noBundle(const std::filesystem::path &folder)
{
    constexpr std::size_t kShown = 12;
    std::error_code failure;
    if (fs::exists(folder / "coremldata.bin", failure))
        return kindError("a compiled model without a program",
                         "Compiled models of this older kind are not read.");
    const auto bundles = bundlesIn(folder);
    if (bundles.empty())
        return kindError("a folder without model.mil or Manifest.json",
                         "This folder is no bundle that can be read.");
    Error error;
    error.code = "bundle.several";
    error.expected = "one of ";
    for (std::size_t i = 0; i < std::min(kShown, bundles.size()); ++i)
        error.expected += (i == 0 ? "" : ", ") + bundles[i];
    if (bundles.size() > kShown)
        error.expected += " and " + std::to_string(bundles.size() - kShown) + " more";
    error.found = std::to_string(bundles.size()) + (bundles.size() == 1 ? " bundle" : " bundles");
    error.message = "This folder is no bundle but holds some: open one of them.";
    return error;
}

} // namespace kernscope
