// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/output_place.h"
#include "core/base/sha256.h"
#include "core/patch/patch.h"

namespace CLI {
class App;
class Option;
} // namespace CLI

/// What commands write: whole or not there, by the rules of checkOutput(). Stopped by a signal they
/// fail with "task.cancelled" and leave nothing.
namespace kernscope::cli {

struct Context;

// Ctrl-C (SIGINT), SIGTERM and SIGHUP: a command stops within half a second, leaves every file as
// it was or says what was saved, and exits with 4.
//
// The signal cancels context.progress, which long work looks at. Work that does not look is ended
// by a thread that waits for a quarter of a second; but not inside of a WritingScope, whose work
// looks at the progress itself and removes what it began.

/// Catches the signals and starts the thread. Call once, before anything else.
void beginInterrupt(Context &context);
/// Ends the thread. Returns `exitCode`, or 4 where a signal came.
int endInterrupt(const Context &context, int exitCode);
bool interrupted();

/// As long as it lives, the process is not ended from outside: files are being written.
class WritingScope
{
public:
    WritingScope();
    ~WritingScope();
    WritingScope(const WritingScope &) = delete;
    WritingScope &operator=(const WritingScope &) = delete;
};

/// To be called inside of a WritingScope: this output is in its place, whatever comes now.
void noteWritten(const std::string &path);
/// "Stopped; nothing was written", or what was.
std::string stoppedText();

/// Standard output belongs to the command from its first byte on: false where the thread that ends
/// it has begun to write there.
bool takeStandardOutput();

/// Keeps the signals away from the calling thread, so that the main one gets them.
void blockSignals();

/// The rules for a command that reads these files and folders: --force replaces.
OutputRules outputRules(const Context &context, std::vector<std::filesystem::path> inputs);
/// The same for one that reads a bundle: its folder and every file of it.
OutputRules outputRules(const Context &context, const Bundle &bundle);

/// As addOutput(), of a command whose output may be "-", standard output, which --json then cannot
/// have.
CLI::Option *addStreamOutput(CLI::App &command, Context &context, std::string &output,
                             const std::string &help, const std::string &type);
/// The check of "-" for an option that names an output. Throws UsageFailure.
void checkStream(const Context &context, const std::string &option, const std::string &output,
                 bool streams);
/// Standard output is taken by the bytes of an output: print() says nothing from now on.
void reserveOutput();

/// A format of an output and what names of such files end in: {".md", "markdown"}.
using OutputEnding = std::pair<std::string_view, std::string_view>;
/// The format of an output, one rule for every command: that of --format, else
/// the one that the name ends in, in letters of either case; of "-", standard output, the first of
/// the list. Errors: "cli.usage".
Result<std::string> outputFormat(const std::string &path, const std::string &asked,
                                 std::span<const OutputEnding> endings,
                                 std::string_view option = "--output");

class OutputFile
{
public:
    /// "-" is standard output: print() then says nothing more. Errors: those of checkOutput,
    /// "io.write".
    static Result<OutputFile> create(const std::filesystem::path &path, const OutputRules &rules);

    /// Errors: "io.write", "task.cancelled".
    Result<void> write(std::span<const std::byte> bytes);
    /// Flushes to the disk, checks the length and puts the file in its place. Errors: "io.exists",
    /// "io.write", "task.cancelled", and "io.changed" where what the command reads was changed
    /// meanwhile.
    Result<void> commit();
    std::uint64_t bytesWritten() const { return m_bytes; }

private:
    explicit OutputFile(std::optional<OutputPlace> place, std::string name);
    Error failure(int number) const;
    int descriptor() const;

    std::unique_ptr<WritingScope> m_scope; ///< ends after the place has removed its file
    std::optional<OutputPlace> m_place;    ///< none: standard output
    std::string m_name;                    ///< as it was given
    Sha256 m_written;                      ///< of all the bytes: they are read back
    std::uint64_t m_bytes = 0, m_flushed = 0;
};

/// A whole file at once. Errors: those of OutputFile.
Result<void> writeFile(const std::filesystem::path &path, std::span<const std::byte> bytes,
                       const OutputRules &rules);

/// A copy of a bundle, as saveCopy() makes it; `origin` is the folder that one in memory was made
/// from. Errors: those of saveCopy.
Result<SaveReport> writeCopy(Context &context, const Bundle &bundle,
                             const std::filesystem::path &path,
                             const std::filesystem::path &origin = {});

using FileContent = std::pair<std::string, std::span<const std::byte>>;
/// A new folder with these files, at once. Errors: those of OutputFile.
Result<void> writeFolder(const std::filesystem::path &path, std::span<const FileContent> files,
                         const OutputRules &rules);

} // namespace kernscope::cli
