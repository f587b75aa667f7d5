// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <filesystem>

namespace kernscope {

/// A folder is a model or a quantised matrix: neither takes the place of the other.
enum class OutputKind : std::uint8_t { File, Model, Matrix };

/// What an output may do to that which is there already.
struct OutputRules {
    bool replace = false; ///< a file that exists is replaced by a file, a bundle by a bundle
    std::vector<std::filesystem::path> inputs; ///< files and folders that the command reads
};

/// A file or folder as it was seen, to recognise it by.
struct SeenFile {
    std::uint64_t device = 0, inode = 0, bytes = 0;
    std::int64_t seconds = 0, nanoseconds = 0; ///< of its last change
    std::uint32_t permissions = 0;
    friend bool operator==(const SeenFile &, const SeenFile &) = default;
};

/// Where an output goes: links resolved, and what it replaces, if anything.
struct OutputTarget {
    std::filesystem::path path;
    std::optional<SeenFile> replaced;
};

/// Whether an output may be written at `path`: one rule for every command.
/// - Never an input, by name, by a link or as another name of the same file, and nothing inside of
///   a folder that is an input ("io.input").
/// - Never anything that exists but a regular file for a file, a model's folder for a model and a
///   quantised matrix for a quantised matrix ("io.kind").
/// - Those are replaced only where the rules say so ("io.exists").
/// Reads the file system and changes nothing, so that a command can refuse before its work begins.
Result<OutputTarget> checkOutput(const std::filesystem::path &path, OutputKind kind,
                                 const OutputRules &rules);

/// An output in the making: a file or folder beside its place, under a name of its own and locked
/// as long as this object lives; publish() renames it. Without publish() nothing is left.
///
/// The name is NAME.kernscope-part-XXXXXX. claim() removes what such a name holds for the same
/// output where an attribute says that it is one and no process has it locked: left by a run that
/// was killed; what it had replaced, too, which an attribute of the output names. A file system
/// without attributes keeps it.
class OutputPlace
{
public:
    /// Errors: those of checkOutput, "io.write".
    static Result<OutputPlace> claim(const std::filesystem::path &path, OutputKind kind,
                                     const OutputRules &rules);
    OutputPlace(OutputPlace &&other) noexcept;
    OutputPlace &operator=(OutputPlace &&) = delete;
    ~OutputPlace();

    const std::filesystem::path &path() const { return m_target.path; }
    /// Where to write until publish(). A folder is closed to other users until then.
    const std::filesystem::path &temporary() const { return m_temporary; }
    /// Of the temporary file (open for reading and writing) or folder.
    int descriptor() const { return m_descriptor; }
    /// Permissions of a new file or folder under the process's mask.
    std::uint32_t defaultPermissions() const { return m_permissions; }

    /// Puts the output in its place, in one step. A file that came to be there meanwhile, or that
    /// is not the one that was seen, stays as it is. Errors: "io.exists", "io.write".
    Result<void> publish();

private:
    OutputPlace(OutputTarget target, OutputKind kind);
    Result<void> make();
    Result<void> exchange();
    void remove();
    void removeAbandoned() const;

    OutputTarget m_target;
    OutputKind m_kind;
    std::filesystem::path m_temporary; ///< empty once published
    int m_descriptor = -1;
    std::uint32_t m_permissions = 0;
};

/// Whether a folder holds a model or a quantised matrix, by the files in it; links are none.
bool isBundleFolder(const std::filesystem::path &folder);

/// Removes a folder with all that it holds, also where folders in it may not be written.
void removeTree(const std::filesystem::path &folder);

} // namespace kernscope
