// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/container/container_reader.h"
#include "core/container/milblob/lfs_pointer.h"
#include "core/container/open/bundle_files.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace kernscope {

namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

bool startsWith(std::span<const std::byte> bytes, std::string_view magic)
{
    return bytes.size() >= magic.size() &&
           std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

/// "a .mlmodelc folder, …, or a folder that quantize wrote".
std::string wantedKinds()
{
    std::string text;
    const auto readers = containerReaders();
    for (const ContainerReader *reader : readers) {
        if (!text.empty())
            text += reader == readers.back() ? " or " : ", ";
        text += reader->wanted();
    }
    return text;
}

} // namespace

std::string_view knownKind(std::span<const std::byte> bytes)
{
    struct Magic {
        std::string_view bytes;
        std::string_view what;
    };
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

std::string_view espressoKind(std::string_view name)
{
    constexpr std::array kEndings = {
        std::pair{".espresso.net"sv, "the layers of a compiled neural network (Espresso)"sv},
        std::pair{".espresso.shape"sv, "the shapes of a compiled neural network (Espresso)"sv},
        std::pair{".espresso.weights"sv, "the weights of a compiled neural network (Espresso)"sv},
    };
    for (const auto &[ending, what] : kEndings) {
        if (name.ends_with(ending))
            return what;
    }
    return {};
}

Error kindError(std::string_view found, std::string message)
{
    return ErrorBuilder("bundle.kind")
        .expected(wantedKinds())
        .found(found)
        .message(std::move(message));
}

std::vector<std::string> bundlesIn(const fs::path &folder)
{
    constexpr std::size_t kMost = 1000, kMaxEntries = 20000;
    std::vector<std::string_view> known;
    for (const ContainerReader *reader : containerReaders()) {
        const auto more = reader->endings();
        known.insert(known.end(), more.begin(), more.end());
    }
    std::vector<std::string> found;
    std::error_code failure;
    std::size_t entries = 0;
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                        failure);
    for (; !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
        if (++entries > kMaxEntries || found.size() >= kMost)
            break;
        const std::string name = at->path().filename().string();
        const bool bundle = std::any_of(known.begin(), known.end(), [&](auto ending) {
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
    std::string some = "one of ";
    for (std::size_t i = 0; i < std::min(kShown, bundles.size()); ++i)
        some += (i == 0 ? "" : ", ") + bundles[i];
    if (bundles.size() > kShown)
        some += " and " + std::to_string(bundles.size() - kShown) + " more";
    return ErrorBuilder("bundle.several")
        .expected(std::move(some))
        .found(std::to_string(bundles.size()) + (bundles.size() == 1 ? " bundle" : " bundles"))
        .message("This folder is no bundle but holds some: open one of them.");
}

} // namespace kernscope
