// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/bundle/open/bundle_files.h"
#include "core/bundle/reader/container_reader.h"
#include "core/format/table_rows.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope {

namespace {

namespace fs = std::filesystem;

/// A kind of file that no reader opens, or opens in a folder only: how it is told by name.
struct ForeignFile {
    std::vector<std::byte> magic; ///< its first bytes; empty where its name tells it
    std::string ending, what;
};

/// "ce fa ed fe"
std::vector<std::byte> bytesOf(std::string_view words)
{
    std::vector<std::byte> bytes;
    for (std::size_t at = 0; at + 2 <= words.size(); at += 3) {
        const auto value = parseInteger("0x" + std::string(words.substr(at, 2)));
        bytes.push_back(static_cast<std::byte>(value.value_or(0)));
    }
    return bytes;
}

const std::vector<ForeignFile> &foreignFiles()
{
    static const auto rows = tables::loadRows<ForeignFile>(
        "foreign_files",
        {{"magic", [](ForeignFile &row, std::string_view cell) { row.magic = bytesOf(cell); }},
         {"ending", &ForeignFile::ending},
         {"what", &ForeignFile::what}});
    return rows;
}

bool startsWith(std::span<const std::byte> bytes, std::span<const std::byte> magic)
{
    return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
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
    for (const ForeignFile &file : foreignFiles()) {
        if (!file.magic.empty() && startsWith(bytes, file.magic))
            return file.what;
    }
    return bytes.empty() ? "an empty file" : "something else";
}

std::string_view espressoKind(std::string_view name)
{
    for (const ForeignFile &file : foreignFiles()) {
        if (!file.ending.empty() && name.ends_with(file.ending))
            return file.what;
    }
    return {};
}

Error kindError(std::string_view found, std::string message)
{
    return valueError("bundle.kind", {}, wantedKinds(), found, message);
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
                         "Only compiled models with a program (model.mil) are read.");
    const std::vector<std::string> bundles = bundlesIn(folder);
    const std::string name = (folder / "").parent_path().filename().string(); // "x" of "x/" too
    for (const ContainerReader *reader : containerReaders()) {
        const auto marks = reader->folderMarks();
        for (const std::string_view ending : reader->endings()) {
            if (bundles.empty() && !marks.empty() && name.ends_with(ending))
                return ErrorBuilder(kindError(fmt::format("a folder without {}", marks.front()),
                                              fmt::format("This folder is named as {}, and its "
                                                          "program is not there.",
                                                          reader->name())))
                    .file(marks.front());
        }
    }
    if (bundles.empty())
        return kindError("a folder without model.mil, Manifest.json or main.mlirb",
                         "This folder is no bundle that can be read.");
    std::string some = "one of ";
    for (std::size_t i = 0; i < std::min(kShown, bundles.size()); ++i)
        some += (i == 0 ? "" : ", ") + bundles[i];
    if (bundles.size() > kShown)
        some += " and " + std::to_string(bundles.size() - kShown) + " more";
    return valueError("bundle.several", {}, some,
                      fmt::format("{} bundle{}", bundles.size(), bundles.size() == 1 ? "" : "s"),
                      "This folder is no bundle but holds some: open one of them.");
}

} // namespace kernscope
