// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle_files.h"

#include "core/bundle/folder_listing.h"
#include "core/container/anec/anec.h"
#include "core/container/archive/zip.h"
#include "core/container/container_reader.h"
#include "core/container/mil/reader.h"
#include "core/container/section/section.h"

#include <algorithm>
#include <memory>

namespace kernscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTextProgram = "model.mil";
constexpr std::string_view kManifest = "Manifest.json";
constexpr std::string_view kQuantized = "quantize.json";
constexpr std::string_view kEspressoNet = "model.espresso.net";

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

void sortByPath(std::vector<BundleFile> &files)
{
    std::sort(files.begin(), files.end(),
              [](const BundleFile &a, const BundleFile &b) { return a.path < b.path; });
}

/// The folder of an archive that a bundle lies in, with its '/'; nothing where there is none, or
/// several, which are named then.
Result<std::string> bundleFolder(const std::vector<archive::ZipMember> &members)
{
    std::vector<std::string> folders;
    for (const archive::ZipMember &member : members) {
        for (const std::string_view name : {kTextProgram, kManifest}) {
            const bool found =
                member.path == name || (member.path.ends_with(name) &&
                                        member.path[member.path.size() - name.size() - 1] == '/');
            if (found)
                folders.push_back(member.path.substr(0, member.path.size() - name.size()));
        }
    }
    if (folders.size() == 1)
        return folders.front();
    Error error = kindError("a zip archive without a bundle",
                            "The archive holds neither model.mil nor Manifest.json.");
    if (!folders.empty()) {
        error.code = "bundle.several";
        error.expected.clear();
        for (const std::string &folder : folders)
            error.expected += (error.expected.empty() ? "one of " : ", ") + folder;
        error.found = std::to_string(folders.size()) + " bundles";
        error.message = "The archive holds several bundles: unpack it and open one of them.";
    }
    return tl::unexpected(std::move(error));
}

/// A zipped package: its files, unpacked into memory.
Result<void> openArchive(OpenedFiles &opened)
{
    constexpr std::uint64_t kMaxUnpacked = std::uint64_t(4) << 30;
    const std::shared_ptr<OverlaidFile> zip = opened.files.front().file;
    const std::string name = opened.files.front().path;
    const auto members = archive::readZip(zip->bytes(), name);
    if (!members)
        return tl::unexpected(
            kindError("a zip archive that cannot be read", members.error().message + "."));
    const auto folder = bundleFolder(*members);
    if (!folder)
        return tl::unexpected(folder.error());
    opened.files.clear();
    std::uint64_t left = kMaxUnpacked;
    for (const archive::ZipMember &member : *members) {
        if (member.isFolder() || !member.path.starts_with(*folder) ||
            !archive::isSafePath(member.path))
            continue;
        auto content = archive::unpack(zip->bytes(), member, left, name);
        if (!content)
            return tl::unexpected(std::move(content.error()));
        left -= std::min<std::uint64_t>(left, content->size());
        BundleFile file;
        file.path = member.path.substr(folder->size());
        file.file = OverlaidFile::fromMemory(std::move(*content), file.path);
        opened.files.push_back(std::move(file));
    }
    sortByPath(opened.files);
    opened.folder.clear();
    opened.readOnlyReason = "The bundle lies in a zip archive: unpack it to change it";
    return findProgram(opened);
}

Result<void> findFileKind(OpenedFiles &opened)
{
    const BundleFile &only = opened.files.front();
    const auto bytes = only.file->bytes();
    if (const auto pointer = lfsPointer(bytes))
        return tl::unexpected(lfsError(*pointer, only.path));
    if (only.path.ends_with(".mlarchive"))
        return tl::unexpected(kindError(
            "a model archive (.mlarchive): " + std::string(knownKind(bytes)),
            "A model that was archived for deployment is not read: open the package or the "
            "compiled model that it was made of."));
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
    for (const ContainerReader *reader : containerReaders()) {
        if (reader->knows(bytes, only.path)) {
            opened.kind = reader->kind();
            return {};
        }
    }
    if (archive::isZip(bytes))
        return openArchive(opened);
    const std::string name = only.path;
    if (!looksLikeProgramText(bytes, name) && !isModelProtobuf(bytes, name))
        return tl::unexpected(
            kindError(knownKind(bytes), "This kind of file is not read by this version."));
    opened.kind = BundleKind::MilText;
    opened.programPath = name;
    return {};
}

void addFile(OpenedFiles &opened, const fs::path &place, std::string path, DiagnosticLog &log)
{
    auto mapped = OverlaidFile::open(place, path);
    if (!mapped) {
        log.add(Severity::Error, std::move(mapped.error()));
        return;
    }
    if (const auto pointer = lfsPointer((*mapped)->bytes()))
        log.add(Severity::Error, lfsError(*pointer, path));
    if (opened.mapped)
        opened.mapped(*mapped);
    BundleFile file;
    file.file = std::move(*mapped);
    file.path = std::move(path);
    opened.files.push_back(std::move(file));
}

Result<void> mapFolder(OpenedFiles &opened, const fs::path &path, const OpenOptions &options,
                       DiagnosticLog &log)
{
    // Looked for first: any folder can be given, and mapping all of a home folder helps nobody.
    std::error_code failure;
    bool any = false;
    for (const std::string_view name : {kTextProgram, kManifest, kQuantized, kEspressoNet})
        any = any || fs::exists(path / name, failure);
    if (!any)
        return tl::unexpected(noBundle(path));
    auto listed = listFolder(path, log);
    if (!listed)
        return tl::unexpected(std::move(listed.error()));
    for (ListedFile &file : *listed) {
        if (options.leftOut && options.leftOut(file.place))
            continue;
        addFile(opened, file.place, std::move(file.path), log);
    }
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
    opened.mapped = options.mapped;
    std::error_code failure;
    Result<void> found;
    if (fs::is_directory(path, failure)) {
        found = mapFolder(opened, path, options, log);
    } else {
        auto mapped = OverlaidFile::open(path, opened.name);
        if (!mapped)
            return tl::unexpected(std::move(mapped.error()));
        if (opened.mapped)
            opened.mapped(*mapped);
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
