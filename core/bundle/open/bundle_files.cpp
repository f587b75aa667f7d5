// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/open/bundle_files.h"

#include "core/base/error_builder.h"
#include "core/bundle/reader/container_reader.h"
#include "core/container/archive/zip.h"
#include "core/container/mil/model_files.h"
#include "core/container/milblob/milblob.h"
#include "core/container/pte/pte.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <set>

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

/// "a .mlmodelc folder, …, a .pte or a lone program (.mil, .mlmodel)".
std::string wantedKinds()
{
    std::string text;
    const auto readers = containerReaders();
    for (const ContainerReader *reader : readers) {
        if (!text.empty())
            text += reader == readers.back() ? ", a .pte or " : ", "; // it has no reader
        text += reader->wanted;
    }
    return text;
}

std::string lastComponent(const fs::path &path)
{
    std::error_code ignored;
    fs::path whole = path.has_filename() ? path : path.parent_path();
    if (whole.filename() == "." || whole.filename() == "..")
        whole = fs::canonical(whole, ignored);
    return whole.filename().string();
}

/// A mark is a path, or "*" and how the name of a file of the folder itself ends.
bool isMarked(std::string_view path, std::string_view mark)
{
    return mark.starts_with('*') ? path.find('/') == path.npos && path.ends_with(mark.substr(1))
                                 : path == mark;
}

bool holdsMark(const fs::path &folder, std::string_view mark)
{
    std::error_code failure;
    if (!mark.starts_with('*'))
        return fs::exists(fs::symlink_status(folder / mark, failure));
    fs::directory_iterator at(folder, failure);
    for (; !failure && at != fs::directory_iterator(); at.increment(failure)) {
        if (isMarked(at->path().filename().string(), mark))
            return true;
    }
    return false;
}

/// Takes a reader's kind, and where it says that the program is.
Result<void> setKind(OpenedFiles &opened, const ContainerReader &reader)
{
    opened.kind = reader.kind;
    opened.programPath = TRY(reader.programPath(opened.files));
    return {};
}

/// The kind of a folder by its files, and where its program is.
Result<void> findFolderKind(OpenedFiles &opened)
{
    for (const ContainerReader *reader : containerReaders()) {
        for (const std::string_view mark : reader->folderMarks) {
            if (std::ranges::any_of(opened.files,
                                    [mark](const auto &file) { return isMarked(file.path, mark); }))
                return setKind(opened, *reader);
        }
    }
    return tl::unexpected(kindError("a folder without model.mil, Manifest.json or main.mlirb",
                                    "This folder is not a bundle that can be read."));
}

void sortByPath(std::vector<BundleFile> &files)
{
    std::ranges::sort(files, {}, &BundleFile::path);
}

/// The folder of an archive that a bundle lies in, with its '/'; nothing where there is none, or
/// several, which are named then.
Result<std::string> bundleFolder(const std::vector<std::string> &paths)
{
    std::set<std::string, std::less<>> found;
    for (const std::string_view path : paths) {
        if (path.starts_with("__MACOSX/")) // what the Finder adds to its archives
            continue;
        for (const BundleKind kind : {BundleKind::Mlmodelc, BundleKind::Mlpackage,
                                      BundleKind::Aimodel, BundleKind::Aimodelx}) {
            for (const std::string_view mark : containerReader(kind)->folderMarks) {
                // The last parts of the path, as many as the mark has.
                std::size_t at = path.size() + 1;
                for (auto parts = 1 + std::ranges::count(mark, '/'); parts > 0; --parts)
                    at = at < 2 ? 0 : path.rfind('/', at - 2) + 1;
                if (isMarked(path.substr(at), mark))
                    found.emplace(path.substr(0, at));
            }
        }
    }
    std::vector<std::string> folders;
    for (const std::string &folder : found) {
        // The models of a compiled pipeline are parts of one bundle.
        std::string_view around = folder;
        while (mil::isMemberFolder(around))
            around.remove_suffix(around.size() - (around.rfind('/', around.size() - 2) + 1));
        if (around == folder || found.count(around) == 0)
            folders.push_back(folder);
    }
    if (folders.size() == 1)
        return folders.front();
    const bool torch = std::ranges::any_of(paths, [](const std::string &path) {
        return path == "data.pkl" || path.ends_with("/data.pkl");
    });
    if (folders.empty() && torch)
        return tl::unexpected(
            kindError("a PyTorch checkpoint (a zip archive with data.pkl)",
                      "It holds code (pickle), which is not run: save its tensors as "
                      ".safetensors."));
    if (folders.empty())
        return tl::unexpected(
            kindError("files without a bundle",
                      "Neither model.mil, Manifest.json nor main.mlirb is among them."));
    return refused("bundle.several", {}, fmt::format("one of {}", fmt::join(folders, ", ")),
                   fmt::format("{} bundles", folders.size()),
                   "There are several bundles in it: unpack it and open one of them.");
}

/// A zipped package: its files, unpacked into memory.
Result<void> openArchive(OpenedFiles &opened)
{
    constexpr std::uint64_t kMaxUnpacked = std::uint64_t(512) << 20; // more is unpacked by hand
    const std::shared_ptr<OverlaidFile> zip = opened.files.front().file;
    const std::string name = opened.files.front().path;
    const auto members = archive::readZip(zip->bytes(), name);
    if (!members) {
        ErrorBuilder error(
            kindError("a zip archive that cannot be read", members.error().message + "."));
        if (members.error().offset)
            error.at(*members.error().offset);
        return error.file(name).unexpected();
    }
    const auto inArchive = [&name](Error error) {
        return ErrorBuilder(std::move(error)).file(name).at(FileOffset(0)).unexpected();
    };
    std::vector<std::string> paths;
    for (const archive::ZipMember &member : *members)
        paths.push_back(member.path);
    const auto folder = bundleFolder(paths);
    if (!folder)
        return inArchive(folder.error());
    opened.files.clear();
    std::uint64_t left = kMaxUnpacked;
    for (const archive::ZipMember &member : *members) {
        if (member.isFolder() || !member.path.starts_with(*folder) ||
            !archive::isSafePath(member.path))
            continue;
        auto content = TRY(archive::unpack(zip->bytes(), member, left, name));
        left -= std::min<std::uint64_t>(left, content.size());
        BundleFile file;
        file.path = member.path.substr(folder->size());
        file.file = OverlaidFile::fromMemory(std::move(content), file.path);
        opened.files.push_back(std::move(file));
    }
    sortByPath(opened.files);
    opened.folder.clear();
    opened.readOnlyReason = "The bundle lies in a zip archive: unpack it to change it";
    const auto kind = findFolderKind(opened);
    return kind ? kind : inArchive(kind.error());
}

/// The files of a delegate's package, copied into memory. `left`: bytes that may still be read:
/// delegates can lie over one another.
Result<OpenedFiles> packageOf(const OverlaidFile &pte, const pte::Delegate &delegate,
                              const std::string &name, std::uint64_t &left)
{
    const auto takes = [&left](ByteCount bytes) {
        const bool fits = bytes.value <= left;
        left -= fits ? bytes.value : 0;
        return fits;
    };
    const auto tooMany = [&] {
        return refused({name, delegate.data.offset}, "pte.files", delegate.backend,
                       "files of no more bytes than the program has", "more",
                       "The files of a delegate cannot be read");
    };
    if (!takes(delegate.data.bytes))
        return tooMany();
    const auto packed = TRY(pte::packedFiles(pte.bytes(), delegate, name));
    std::vector<std::string> paths;
    for (const pte::PackedFile &file : packed)
        paths.push_back(file.path);
    const std::string folder = TRY(bundleFolder(paths));
    OpenedFiles package;
    for (const pte::PackedFile &file : packed) {
        if (!file.path.starts_with(folder) || !archive::isSafePath(file.path))
            continue;
        if (!takes(file.data.bytes))
            return tooMany();
        const auto bytes = pte.bytes().subspan(static_cast<std::size_t>(file.data.offset.value),
                                               static_cast<std::size_t>(file.data.bytes.value));
        BundleFile &own = package.files.emplace_back();
        own.path = file.path.substr(folder.size());
        own.file = OverlaidFile::fromMemory({bytes.begin(), bytes.end()}, own.path);
    }
    sortByPath(package.files);
    TRY(findFolderKind(package));
    return package;
}

/// Core ML packages as the models of a compiled pipeline: each in a folder, its program at the top.
Result<OpenedFiles> asPipeline(std::vector<OpenedFiles> packages, const std::string &name)
{
    OpenedFiles all;
    for (std::size_t i = 0; i < packages.size(); ++i) {
        const std::string &program = packages[i].programPath;
        const std::string folder = modelFolderOf(program);
        if (packages[i].kind != BundleKind::Mlmodelc && packages[i].kind != BundleKind::Mlpackage)
            return refused({name}, "bundle.several", {},
                           fmt::format("one of {0}/0 to {0}/{1}", name, packages.size() - 1),
                           fmt::format("{} packages", packages.size()),
                           "The program has several packages: open one of them.");
        for (BundleFile &file : packages[i].files) {
            const bool below = file.path.starts_with(folder);
            file.path = fmt::format("model{}/{}", i,
                                    file.path == program ? "model.mil"
                                    : below              ? file.path.substr(folder.size())
                                                         : file.path);
            all.files.push_back(std::move(file));
        }
    }
    all.kind = BundleKind::Mlmodelc;
    return all;
}

/// An ExecuTorch program: the packages of its delegates, or the one that `opened` wants of them.
Result<void> openDelegates(OpenedFiles &opened, DiagnosticLog &log)
{
    const std::shared_ptr<OverlaidFile> pte = opened.files.front().file;
    const std::string name = opened.files.front().path;
    std::size_t beyond = 0;
    const auto delegates = TRY(pte::readDelegates(pte->bytes(), name, &beyond));
    if (beyond > 0)
        log.add(Severity::Warning, valueError({name}, "pte.several", {}, "1,000 delegates at most",
                                              fmt::format("{}", beyond + 1000),
                                              "The first delegates of the program are read"));
    std::string backends;
    std::uint64_t left = 2 * pte->bytes().size(); // of delegates, and of their files
    std::vector<OpenedFiles> packages;
    std::size_t count = 0;
    for (const pte::Delegate &delegate : delegates) {
        if (backends.find(delegate.backend) == backends.npos)
            backends += (backends.empty() ? "" : ", ") + delegate.backend;
        if (!pte::holdsPackage(delegate))
            continue;
        if (count == opened.package.value_or(count))
            packages.push_back(TRY(packageOf(*pte, delegate, name, left)));
        ++count;
    }
    if (count == 0)
        return ErrorBuilder(kindError("an ExecuTorch program (.pte) for " +
                                          (backends.empty() ? "no backend" : backends),
                                      "None of its delegates holds a Core ML or Core AI package."))
            .file(name)
            .at(FileOffset(0))
            .unexpected();
    if (packages.empty())
        return refused({name}, "bundle.several", {}, fmt::format("0 to {}", count - 1),
                       std::to_string(*opened.package), "The program has no such package.");
    OpenedFiles found = packages.size() == 1 ? std::move(packages.front())
                                             : TRY(asPipeline(std::move(packages), name));
    if (count > 1 && !opened.package)
        log.add(Severity::Note,
                valueError({name}, "pte.several", {}, {}, fmt::format("{} packages", count),
                           "The packages of the program are shown as the models of a pipeline"));
    opened.kind = found.kind;
    opened.files = std::move(found.files);
    opened.programPath = std::move(found.programPath);
    sortByPath(opened.files);
    opened.folder.clear();
    opened.readOnlyReason = "The package lies in an ExecuTorch program (.pte): change it before it "
                            "is lowered";
    return {};
}

Result<void> findFileKind(OpenedFiles &opened, DiagnosticLog &log)
{
    const BundleFile &only = opened.files.front();
    const auto bytes = only.file->bytes();
    if (const auto pointer = lfsPointer(bytes))
        return tl::unexpected(lfsError(*pointer, only.path));
    if (only.path.ends_with(".mlarchive")) {
        return ErrorBuilder(
                   kindError("a model archive (.mlarchive): " + std::string(knownKind(bytes)),
                             "A model that was archived for deployment is not read: open the "
                             "package or the compiled model that it was made of."))
            .file(only.path)
            .at(FileOffset(0))
            .unexpected();
    }
    if (opened.reader != nullptr && opened.reader->knows(bytes, only.path))
        return setKind(opened, *opened.reader);
    // The content tells more than the name, which tells kinds of archives and of JSON.
    const bool foreign =
        !archive::isZip(bytes) && std::ranges::any_of(foreignFiles(), [bytes](const auto &file) {
            return file.magic.size() > 1 && startsWith(bytes, file.magic);
        });
    for (const std::string_view name : {std::string_view(), std::string_view(only.path)}) {
        for (const ContainerReader *reader : containerReaders()) {
            if ((name.empty() || !foreign) && reader->knows(bytes, name))
                return setKind(opened, *reader);
        }
    }
    if (archive::isZip(bytes))
        return openArchive(opened);
    if (pte::isPte(bytes))
        return openDelegates(opened, log);
    const std::string_view espresso = espressoKind(only.path);
    if (!espresso.empty())
        return ErrorBuilder(kindError(espresso, "Open the .espresso.net beside it."))
            .file(only.path)
            .unexpected();
    return ErrorBuilder(
               kindError(knownKind(bytes), "This kind of file is not read by this version."))
        .file(only.path)
        .at(FileOffset(0)) // kinds are told by their first bytes
        .unexpected();
}

void addFile(std::vector<BundleFile> &files, const OpenedFiles &opened, const fs::path &place,
             std::string path, DiagnosticLog &log)
{
    auto mapped = OverlaidFile::open(place, path);
    if (!mapped)
        return log.add(Severity::Error, std::move(mapped.error()));
    if (const auto pointer = lfsPointer((*mapped)->bytes()))
        log.add(Severity::Error, lfsError(*pointer, path));
    if (opened.mapped)
        opened.mapped(*mapped);
    BundleFile file;
    file.file = std::move(*mapped);
    file.path = std::move(path);
    files.push_back(std::move(file));
}

Result<void> mapFolder(OpenedFiles &opened, const fs::path &path, const OpenOptions &options,
                       DiagnosticLog &log)
{
    // Looked for first: any folder can be given, and mapping all of a home folder would be useless.
    std::string present;
    for (const ContainerReader *reader : containerReaders()) {
        for (const std::string_view mark : reader->folderMarks)
            present = present.empty() && holdsMark(path, mark) ? std::string(mark) : present;
    }
    // A checkpoint of one file, as hubs have it, where no other bundle could be meant.
    const std::string lone("model.safetensors");
    if (present.empty() && bundlesIn(path) == std::vector{lone} && isFileInside(path / lone, path))
        present = lone;
    if (present.empty())
        return tl::unexpected(noBundle(path));
    auto listed = TRY(listFolder(path, log));
    for (ListedFile &file : listed) {
        if (options.leftOut && options.leftOut(file.place))
            continue;
        addFile(opened.files, opened, file.place, std::move(file.path), log);
    }
    if (present == lone && indexOfPath(opened.files, lone) != kNoIndex)
        return setKind(opened, *containerReader(BundleKind::Safetensors));
    if (auto found = findFolderKind(opened); found || found.error().code != "bundle.kind")
        return found;
    return ErrorBuilder(kindError(present + ", which is not a file inside the folder",
                                  "The program is a link that leaves the folder, or no file."))
        .file(present)
        .unexpected();
}

Result<OpenedFiles> openMemory(const fs::path &path, const OpenOptions &options, DiagnosticLog &log)
{
    OpenedFiles opened;
    opened.name = lastComponent(path);
    opened.reader = options.reader;
    auto files = options.files;
    for (const auto &[name, content] : options.memory)
        files.emplace_back(name, OverlaidFile::fromMemory(content, name));
    for (auto &[name, content] : files) {
        BundleFile &file = opened.files.emplace_back();
        file.file = std::move(content);
        file.path = name;
    }
    sortByPath(opened.files);
    auto found = findFolderKind(opened);
    if (!found && opened.files.size() == 1)
        found = findFileKind(opened, log);
    if (!found)
        return tl::unexpected(std::move(found.error()));
    return opened;
}

constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxFiles = 4096;
constexpr std::size_t kMaxEntries = 65536; ///< folders count as well

/// True where `place` (a symbolic link) ends at a regular file inside `root` (canonical).
bool staysInside(const fs::path &place, const fs::path &root)
{
    std::error_code failure;
    const fs::path target = fs::canonical(place, failure);
    if (failure || !fs::is_regular_file(target, failure))
        return false;
    const auto [end, ignored] =
        std::mismatch(root.begin(), root.end(), target.begin(), target.end());
    return end == root.end();
}

void warn(DiagnosticLog &log, std::string code, std::string file, std::string message)
{
    log.add(Severity::Warning,
            ErrorBuilder(std::move(code)).file(std::move(file)).message(std::move(message)));
}

class Listing
{
public:
    Listing(fs::path folder, DiagnosticLog &log) : m_folder(std::move(folder)), m_log(log) {}
    Result<std::vector<ListedFile>> run()
    {
        std::error_code failure;
        m_root = fs::canonical(m_folder, failure);
        fs::recursive_directory_iterator place;
        if (!failure)
            place = fs::recursive_directory_iterator(m_folder, failure);
        if (failure) {
            return refused({m_folder.filename().string()}, "io.open", {}, {}, failure.message(),
                           "The folder cannot be listed");
        }
        std::size_t entries = 0;
        for (; place != fs::recursive_directory_iterator(); place.increment(failure)) {
            if (m_files.size() >= kMaxFiles || ++entries > kMaxEntries) {
                warn(m_log, "bundle.files", "",
                     fmt::format("Only the first {} files of the folder are listed.",
                                 m_files.size()));
                break;
            }
            visit(place);
        }
        if (failure)
            unlisted("", failure);
        std::ranges::sort(m_files, {}, &ListedFile::path);
        return std::move(m_files);
    }

private:
    /// What is missing is not known.
    void unlisted(std::string name, const std::error_code &failure)
    {
        m_log.add(Severity::Error, ErrorBuilder("bundle.files")
                                       .file(std::move(name))
                                       .found(failure.message())
                                       .message("A folder cannot be listed"));
    }

    void visit(fs::recursive_directory_iterator &place)
    {
        std::error_code failure;
        const fs::path &path = place->path();
        std::string name = path.lexically_relative(m_folder).generic_string();
        const fs::file_status status = place->symlink_status(failure);
        if (fs::is_directory(status)) {
            const bool deep = place.depth() + 1 >= kMaxDepth;
            if (deep)
                warn(m_log, "bundle.depth", name,
                     "Folders nested deeper than this are not listed.");
            else
                fs::directory_iterator(path / ".", failure); // which names alone do not do for
            if (deep || failure)                             // which would end the listing
                place.disable_recursion_pending();
            if (!deep && failure)
                unlisted(std::move(name), failure);
            return;
        }
        if (fs::is_symlink(status) && !staysInside(path, m_root))
            return warn(
                m_log, "bundle.link", std::move(name),
                "A symbolic link that leaves the bundle, or leads to no file, is not followed.");
        if (fs::is_regular_file(status) || fs::is_symlink(status))
            m_files.push_back({std::move(name), path});
    }

    fs::path m_folder;
    fs::path m_root; ///< canonical
    DiagnosticLog &m_log;
    std::vector<ListedFile> m_files;
};

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
    constexpr std::size_t kMostBundles = 1000, kMostLookedAt = 20000;
    std::vector<std::string_view> known;
    for (const ContainerReader *reader : containerReaders()) {
        known.insert(known.end(), reader->endings.begin(), reader->endings.end());
    }
    std::vector<std::string> found;
    std::error_code failure;
    std::size_t entries = 0;
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                        failure);
    for (; !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
        if (++entries > kMostLookedAt || found.size() >= kMostBundles)
            break;
        const std::string name = at->path().filename().string();
        const bool bundle = std::ranges::any_of(known, [&](auto ending) {
            return name.size() > ending.size() && name.ends_with(ending);
        });
        if (bundle)
            found.push_back(at->path().lexically_relative(folder).generic_string());
        if (bundle || at.depth() >= 1)
            at.disable_recursion_pending();
    }
    std::ranges::sort(found);
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
        const auto &marks = reader->folderMarks;
        for (const std::string_view ending : reader->endings) {
            if (bundles.empty() && !marks.empty() && name.ends_with(ending))
                return ErrorBuilder(kindError(fmt::format("a folder without {}", marks.front()),
                                              fmt::format("This folder is named as {}, and its "
                                                          "program is not there.",
                                                          reader->name)))
                    .file(name);
        }
    }
    if (bundles.empty())
        return kindError("a folder without model.mil, Manifest.json or main.mlirb",
                         "This folder is not a bundle that can be read.");
    std::string some = "one of ";
    for (std::size_t i = 0; i < std::min(kShown, bundles.size()); ++i)
        some += (i == 0 ? "" : ", ") + bundles[i];
    if (bundles.size() > kShown)
        some += " and " + std::to_string(bundles.size() - kShown) + " more";
    return valueError("bundle.several", {}, some,
                      fmt::format("{} bundle{}", bundles.size(), bundles.size() == 1 ? "" : "s"),
                      "This folder is not a bundle but holds some: open one of them.");
}

Result<OpenedFiles> openFiles(const fs::path &path, const OpenOptions &options, DiagnosticLog &log)
{
    if (!options.memory.empty() || !options.files.empty())
        return openMemory(path, options, log);
    OpenedFiles opened;
    opened.name = lastComponent(path);
    opened.mapped = options.mapped;
    opened.reader = options.reader;
    std::error_code failure;
    Result<void> found;
    if (fs::is_directory(path, failure)) {
        found = mapFolder(opened, path, options, log);
    } else {
        fs::path place = path;
        const auto number = parseInteger(opened.name);
        if (place.parent_path().extension() == ".pte" && number && *number >= 0) { // "x.pte/1"
            opened.package = static_cast<std::size_t>(*number);
            place = place.parent_path();
            opened.name = lastComponent(place) + "/" + opened.name;
        }
        BundleFile file;
        file.path = lastComponent(place);
        file.file = TRY(OverlaidFile::open(place, file.path));
        if (opened.mapped)
            opened.mapped(file.file);
        opened.files.push_back(std::move(file));
        opened.folder = place.has_parent_path() ? place.parent_path() : fs::path(".");
        found = findFileKind(opened, log);
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
        TRY(file.file->checkInPlace());
    }
    return {};
}

void openReferenced(std::vector<BundleFile> &files, const OpenedFiles &opened,
                    const std::vector<std::string> &paths, DiagnosticLog &log)
{
    if (opened.folder.empty())
        return;
    for (const std::string &path : paths) {
        const fs::path place = opened.folder / fs::path(path);
        if (indexOfPath(files, path) == kNoIndex && isFileInside(place, opened.folder)) {
            addFile(files, opened, place, path, log);
            sortByPath(files);
        }
    }
}

Result<std::vector<ListedFile>> listFolder(const fs::path &folder, DiagnosticLog &log)
{
    return Listing(folder, log).run();
}

bool isFileInside(const fs::path &place, const fs::path &folder)
{
    std::error_code failure;
    const fs::path root = fs::canonical(folder, failure);
    return !failure && staysInside(place, root);
}

} // namespace kernscope
