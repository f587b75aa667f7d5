// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle_files.h"

#include "core/bundle/folder_listing.h"
#include "core/container/anec/anec.h"
#include "core/container/mil/reader.h"
#include "core/container/section/section.h"

#include <algorithm>

namespace kernscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTextProgram = "model.mil";
constexpr std::string_view kManifest = "Manifest.json";
constexpr std::string_view kQuantized = "quantize.json";
constexpr std::string_view kEspressoNet = "model.espresso.net";

Error kindError(std::string_view found, std::string message)
{
    Error error;
    error.code = "bundle.kind";
    error.expected =
        "a .mlmodelc or .mlpackage folder, a model.mil, a .mlmodel, a weight.bin, a .hwx, "
        "a .anec, a .ksec or a folder that quantize wrote";
    error.found = found;
    error.message = std::move(message);
    return error;
}

std::string lastComponent(const fs::path &path)
{
    std::error_code ignored;
    fs::path whole = path.has_filename() ? path : path.parent_path();
    if (whole.filename() == "." || whole.filename() == "..")
        whole = fs::canonical(whole, ignored);
    return whole.filename().string();
}

std::size_t indexOf(const std::vector<BundleFile> &files, std::string_view path)
{
    const auto place = std::lower_bound(
        files.begin(), files.end(), path,
        [](const BundleFile &file, std::string_view wanted) { return file.path < wanted; });
    return place != files.end() && place->path == path
               ? static_cast<std::size_t>(place - files.begin())
               : kNoIndex;
}

/// The kind of a folder by its files, and where its program is.
Result<void> findProgram(OpenedFiles &opened)
{
    if (indexOf(opened.files, kTextProgram) != kNoIndex) {
        opened.kind = BundleKind::Mlmodelc;
        opened.programPath = kTextProgram;
        return {};
    }
    const std::size_t manifest = indexOf(opened.files, kManifest);
    if (manifest == kNoIndex) {
        if (indexOf(opened.files, kQuantized) != kNoIndex) {
            opened.kind = BundleKind::Quantized;
            return {};
        }
        if (indexOf(opened.files, kEspressoNet) != kNoIndex)
            return tl::unexpected(kindError("a compiled neural network (Espresso)",
                                            "Bundles of this older kind are not read."));
        return tl::unexpected(kindError("a folder without model.mil or Manifest.json",
                                        "This folder is no bundle that can be read."));
    }
    opened.kind = BundleKind::Mlpackage;
    auto model = mil::modelPathFromManifest(opened.files[manifest].file->bytes(), kManifest);
    if (!model)
        return tl::unexpected(std::move(model.error()));
    if (indexOf(opened.files, *model) == kNoIndex) {
        Error error;
        error.code = "io.open";
        error.file = *model;
        error.message = "The model that the package's manifest names is not in the package.";
        return tl::unexpected(std::move(error));
    }
    opened.programPath = std::move(*model);
    return {};
}

Result<void> findFileKind(OpenedFiles &opened)
{
    const BundleFile &only = opened.files.front();
    const auto bytes = only.file->bytes();
    if (hwx::isContainer(bytes)) {
        opened.kind = BundleKind::Hwx;
        return {};
    }
    if (anec::isAnec(bytes)) {
        opened.kind = BundleKind::Anec;
        return {};
    }
    if (section::isSection(bytes)) {
        opened.kind = BundleKind::Section;
        return {};
    }
    if (looksLikeBlobFile(bytes, only.path)) {
        opened.kind = BundleKind::MilBlob;
        return {};
    }
    const std::string name = only.path;
    if (!looksLikeProgramText(bytes, name) && !isModelProtobuf(bytes, name))
        return tl::unexpected(
            kindError(knownKind(bytes), "This kind of file is not read by this version."));
    opened.kind = BundleKind::MilText;
    opened.programPath = name;
    return {};
}

void sortByPath(std::vector<BundleFile> &files)
{
    std::sort(files.begin(), files.end(),
              [](const BundleFile &a, const BundleFile &b) { return a.path < b.path; });
}

void addFile(OpenedFiles &opened, const fs::path &place, std::string path, DiagnosticLog &log)
{
    auto mapped = OverlaidFile::open(place, path);
    if (!mapped) {
        log.add(Severity::Error, std::move(mapped.error()));
        return;
    }
    BundleFile file;
    file.file = std::move(*mapped);
    file.path = std::move(path);
    opened.files.push_back(std::move(file));
}

Result<void> mapFolder(OpenedFiles &opened, const fs::path &path, DiagnosticLog &log)
{
    // Looked for first: any folder can be given, and mapping all of a home folder helps nobody.
    std::error_code failure;
    bool any = false;
    for (const std::string_view name : {kTextProgram, kManifest, kQuantized, kEspressoNet})
        any = any || fs::exists(path / name, failure);
    if (!any)
        return tl::unexpected(kindError("a folder without model.mil or Manifest.json",
                                        "This folder is no bundle that can be read."));
    auto listed = listFolder(path, log);
    if (!listed)
        return tl::unexpected(std::move(listed.error()));
    for (ListedFile &file : *listed)
        addFile(opened, file.place, std::move(file.path), log);
    return findProgram(opened);
}

Result<OpenedFiles> openMemory(const fs::path &path, const OpenOptions &options)
{
    OpenedFiles opened;
    opened.name = lastComponent(path);
    for (const auto &[name, content] : options.memory) {
        BundleFile file;
        file.file = OverlaidFile::fromMemory(content, name);
        file.path = name;
        opened.files.push_back(std::move(file));
    }
    sortByPath(opened.files);
    auto found = findProgram(opened);
    if (!found && opened.files.size() == 1)
        found = findFileKind(opened);
    if (!found)
        return tl::unexpected(std::move(found.error()));
    return opened;
}

} // namespace

Result<OpenedFiles> openFiles(const fs::path &path, const OpenOptions &options, DiagnosticLog &log)
{
    if (!options.memory.empty())
        return openMemory(path, options);
    OpenedFiles opened;
    opened.name = lastComponent(path);
    std::error_code failure;
    Result<void> found;
    if (fs::is_directory(path, failure)) {
        found = mapFolder(opened, path, log);
    } else {
        auto mapped = OverlaidFile::open(path, opened.name);
        if (!mapped)
            return tl::unexpected(std::move(mapped.error()));
        BundleFile file;
        file.file = std::move(*mapped);
        file.path = opened.name;
        opened.files.push_back(std::move(file));
        opened.folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
        found = findFileKind(opened);
    }
    if (!found) {
        // What is no bundle may be one that is being written.
        auto same = checkInPlace(opened.files);
        return tl::unexpected(std::move(same ? found.error() : same.error()));
    }
    return opened;
}

Result<void> checkInPlace(const std::vector<BundleFile> &files)
{
    for (const BundleFile &file : files) {
        if (auto same = file.file->checkInPlace(); !same)
            return same;
    }
    return {};
}

void openReferenced(OpenedFiles &opened, const std::vector<std::string> &paths, DiagnosticLog &log)
{
    if (opened.folder.empty())
        return;
    for (const std::string &path : paths) {
        const fs::path place = opened.folder / fs::path(path);
        if (indexOf(opened.files, path) == kNoIndex && isFileInside(place, opened.folder)) {
            addFile(opened, place, path, log);
            sortByPath(opened.files);
        }
    }
}

std::string modelFolderOf(std::string_view programPath)
{
    const auto slash = programPath.rfind('/');
    return slash == std::string_view::npos ? std::string()
                                           : std::string(programPath.substr(0, slash + 1));
}

Result<std::string> resolveBlobPath(std::string_view spelt, std::string_view modelFolder)
{
    constexpr std::string_view kModelPath = "@model_path";
    const auto refuse = [spelt](std::string_view why) {
        Error error;
        error.code = "blob.path";
        error.field = "path";
        error.expected = "a path below @model_path";
        error.found = spelt;
        error.message = why;
        return tl::unexpected(std::move(error));
    };
    std::string_view rest = spelt;
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

} // namespace kernscope
