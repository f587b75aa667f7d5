// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/open/folder_listing.h"

#include "core/base/error_builder.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope {

namespace {

namespace fs = std::filesystem;

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
    Result<std::vector<ListedFile>> run();

private:
    void visit(fs::recursive_directory_iterator &place);

    fs::path m_folder;
    fs::path m_root; ///< canonical
    DiagnosticLog &m_log;
    std::vector<ListedFile> m_files;
};

void Listing::visit(fs::recursive_directory_iterator &place)
{
    std::error_code failure;
    const fs::path &path = place->path();
    std::string name = path.lexically_relative(m_folder).generic_string();
    const fs::file_status status = place->symlink_status(failure);
    if (fs::is_directory(status)) {
        if (place.depth() + 1 >= kMaxDepth) {
            place.disable_recursion_pending();
            warn(m_log, "bundle.depth", std::move(name),
                 "Folders nested deeper than this are not listed.");
        }
        return;
    }
    if (fs::is_symlink(status) && !staysInside(path, m_root)) {
        warn(m_log, "bundle.link", std::move(name),
             "A symbolic link that leaves the bundle, or leads to no file, is not followed.");
        return;
    }
    if (fs::is_regular_file(status) || fs::is_symlink(status))
        m_files.push_back({std::move(name), path});
}

Result<std::vector<ListedFile>> Listing::run()
{
    std::error_code failure;
    m_root = fs::canonical(m_folder, failure);
    fs::recursive_directory_iterator place;
    if (!failure)
        place = fs::recursive_directory_iterator(
            m_folder, fs::directory_options::skip_permission_denied, failure);
    if (failure) {
        return ErrorBuilder("io.open")
            .file(m_folder.filename().string())
            .found(failure.message())
            .message("The folder cannot be listed")
            .unexpected();
    }
    std::size_t entries = 0;
    for (; place != fs::recursive_directory_iterator(); place.increment(failure)) {
        if (m_files.size() >= kMaxFiles || ++entries > kMaxEntries) {
            warn(m_log, "bundle.files", "",
                 fmt::format("Only the first {} files of the folder are listed.", m_files.size()));
            break;
        }
        visit(place);
    }
    if (failure)
        warn(m_log, "bundle.files", "", "A folder cannot be listed: " + failure.message());
    std::sort(m_files.begin(), m_files.end(),
              [](const ListedFile &a, const ListedFile &b) { return a.path < b.path; });
    return std::move(m_files);
}

} // namespace

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
