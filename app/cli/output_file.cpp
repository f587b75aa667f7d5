// SPDX-License-Identifier: GPL-3.0-or-later

#include "app/cli/command.h"
#include "core/base/error_builder.h"
#include "core/base/file_descriptor.h"
#include "core/base/overlaid_file.h"
#include "core/base/platform.h"
#include "core/bundle/bundle.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <pthread.h>
#include <semaphore.h>
#include <sys/stat.h>

namespace kernscope::cli {

namespace {

/// Bytes between two looks at the signal.
constexpr std::size_t kOutputBlock = std::size_t{1} << 20;
/// After this many bytes the kernel starts to write them out: the fsync at the end cannot
/// be interrupted and should have little left to do.
constexpr std::uint64_t kFlushEvery = std::uint64_t{8} << 20;

/// All the bytes, or an errno. Stops at a signal with ECANCELED.
int writeAll(int descriptor, std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        if (interrupted())
            return ECANCELED;
        const ssize_t done =
            ::write(descriptor, bytes.data(), std::min(bytes.size(), kOutputBlock));
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? errno : EIO;
        bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
    return 0;
}

/// What a file holds, read again; else an errno.
int readBack(const std::filesystem::path &path, Sha256 &found)
{
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0)
        return errno;
    std::vector<std::byte> block(kOutputBlock);
    int fault = 0;
    for (ssize_t got = 1; got != 0 && fault == 0;) {
        got = ::read(descriptor, block.data(), block.size());
        if (got > 0)
            found.update(std::span(block).first(static_cast<std::size_t>(got)));
        fault = interrupted() ? ECANCELED : got < 0 && errno != EINTR ? errno : 0;
    }
    ::close(descriptor);
    return fault;
}

/// On the disk, of that length, and with the bytes that were written: a system that lost or changed
/// some of it must not go unnoticed.
int finish(int descriptor, const std::filesystem::path &path, std::uint64_t bytes, Sha256 &written)
{
    if (const int fault = platform::syncToDisk(descriptor);
        fault != 0 && fault != EINVAL && fault != EROFS)
        return fault;
    struct stat status = {};
    if (::fstat(descriptor, &status) != 0)
        return errno;
    Sha256 found;
    if (static_cast<std::uint64_t>(status.st_size) != bytes)
        return EIO;
    if (const int fault = readBack(path, found); fault != 0)
        return fault;
    const auto now = found.finish(), wanted = written.finish();
    return now && wanted && *now == *wanted ? 0 : EIO;
}

Error errorOf(const std::string &name, int number)
{
    return number == ECANCELED ? cancelledError(stoppedText())
                               : ioError("io.write", name, "The file cannot be written", number);
}

int writeMember(const std::filesystem::path &path, std::span<const std::byte> bytes)
{
    const int descriptor =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return errno;
    Sha256 written;
    written.update(bytes);
    int fault = writeAll(descriptor, bytes);
    if (fault == 0)
        fault = finish(descriptor, path, bytes.size(), written);
    if (::close(descriptor) != 0 && fault == 0)
        fault = errno;
    return fault;
}

using namespace std::chrono_literals;

constexpr auto kPatience = 250ms; ///< for work that looks at the progress

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<Progress *> g_progress{nullptr};
volatile std::sig_atomic_t g_interrupted = 0;
sem_t g_wake; // posted by the handler, which may do little else
static_assert(std::atomic<Progress *>::is_always_lock_free, "used in a signal handler");

/// Who writes to standard output.
enum Owner { kFree, kCommand, kWatcher };
std::atomic<int> g_output{kFree};

struct Watch {
    std::mutex mutex;
    std::condition_variable changed;
    int writing = 0;
    bool finished = false;
    std::vector<std::string> written;
    std::thread thread;
};

Watch &watch()
{
    static Watch *const only = new Watch; // outlives the statics' destructors, as the thread may
    return *only;
}

extern "C" void onSignal(int)
{
    g_interrupted = 1;
    if (Progress *progress = g_progress.load())
        progress->cancel();
    sem_post(&g_wake);
}

std::string textOf(const std::vector<std::string> &written)
{
    std::string text = "Stopped; ";
    for (std::size_t i = 0; i < written.size(); ++i)
        text += (i == 0 ? "" : ", ") + written[i];
    return text + (written.empty() ? "nothing was written" : " was written before");
}

/// Past the buffers of stdio, whose locks the main thread may hold.
void writeRaw(int descriptor, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t n = ::write(descriptor, text.data(), text.size());
        if (n <= 0)
            return;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

[[noreturn]] void endProcess(const Context &context, const std::string &text)
{
    int unowned = kFree;
    if (context.json && g_output.compare_exchange_strong(unowned, kWatcher)) {
        report::Json document = report::document(context.command);
        report::finish(document, {{Severity::Error, cancelledError(text)}});
        writeRaw(STDOUT_FILENO, report::documentText(document) + "\n");
    }
    writeRaw(STDERR_FILENO, "kernscope-cli: " + printable(text) + "\n");
    ::_exit(kIo);
}

void watchSignals(const Context &context)
{
    blockSignals();
    while (sem_wait(&g_wake) != 0) {
    }
    Watch &state = watch();
    std::unique_lock lock(state.mutex);
    if (state.changed.wait_for(lock, kPatience, [&] { return state.finished; }))
        return;
    state.changed.wait(lock, [&] { return state.finished || state.writing == 0; });
    if (!state.finished)
        endProcess(context, textOf(state.written));
}

} // namespace

OutputRules outputRules(const Context &context, std::vector<std::filesystem::path> inputs)
{
    return {context.force, std::move(inputs)};
}

OutputRules outputRules(const Context &context, const Bundle &bundle)
{
    std::vector<std::filesystem::path> inputs{bundle.path()};
    for (const BundleFile &file : bundle.files())
        inputs.push_back(file.file->path());
    return outputRules(context, std::move(inputs));
}

Result<std::string> outputFormat(const std::string &path, const std::string &asked,
                                 std::span<const OutputEnding> endings, std::string_view option)
{
    if (!asked.empty())
        return asked;
    if (path == "-")
        return std::string(endings.front().second);
    std::string ending = std::filesystem::path(path).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    std::string known;
    for (const auto &[name, format] : endings) {
        if (name == ending)
            return std::string(format);
        known += (known.empty()                  ? ""
                  : name == endings.back().first ? " or "
                                                 : ", ") +
                 std::string(name);
    }
    return tl::unexpected(usageError(std::string(option), "a name that ends in " + known, path,
                                     "The name does not say what to write"));
}

OutputFile::OutputFile(std::optional<OutputPlace> place, std::string name)
    : m_scope(std::make_unique<WritingScope>()), m_place(std::move(place)), m_name(std::move(name))
{
}

int OutputFile::descriptor() const
{
    return m_place ? m_place->descriptor() : STDOUT_FILENO;
}

Error OutputFile::failure(int number) const
{
    return errorOf(m_name, number);
}

Result<OutputFile> OutputFile::create(const std::filesystem::path &path, const OutputRules &rules)
{
    const WritingScope scope; // from before there is a file on
    if (path == "-") {
        reserveOutput();
        return OutputFile(std::nullopt, "standard output");
    }
    auto place = TRY(OutputPlace::claim(path, OutputKind::File, rules));
    return OutputFile(std::move(place), path.string());
}

Result<void> OutputFile::write(std::span<const std::byte> bytes)
{
    if (const int fault = writeAll(descriptor(), bytes); fault != 0)
        return tl::unexpected(failure(fault));
    m_bytes += bytes.size();
    if (m_place)
        m_written.update(bytes);
    if (m_place && m_bytes - m_flushed >= kFlushEvery) {
        platform::startWriting(descriptor(), m_flushed, m_bytes - m_flushed);
        m_flushed = m_bytes;
    }
    return {};
}

Result<void> OutputFile::commit()
{
    if (const int fault =
            m_place ? finish(descriptor(), m_place->temporary(), m_bytes, m_written) : 0;
        fault != 0)
        return tl::unexpected(failure(fault));
    if (interrupted())
        return tl::unexpected(failure(ECANCELED));
    TRY(checkInputs());
    auto published = m_place ? m_place->publish() : Result<void>();
    if (published) {
        noteWritten(m_name);
        outputInPlace();
    }
    return published;
}

Result<void> writeFile(const std::filesystem::path &path, std::span<const std::byte> bytes,
                       const OutputRules &rules)
{
    auto output = TRY(OutputFile::create(path, rules));
    TRY(output.write(bytes));
    return output.commit();
}

Result<SaveReport> writeCopy(Context &context, const Bundle &bundle,
                             const std::filesystem::path &path, const std::filesystem::path &origin)
{
    const WritingScope scope;
    auto saved = saveCopy(bundle, path, &context.progress, {context.force, origin});
    if (saved)
        noteWritten(path.string());
    return saved;
}

Result<void> writeFolder(const std::filesystem::path &path, std::span<const FileContent> files,
                         const OutputRules &rules)
{
    const WritingScope scope;
    auto place = TRY(OutputPlace::claim(path, OutputKind::Matrix, rules));
    for (const auto &[name, bytes] : files) {
        if (const int fault = writeMember(place.temporary() / name, bytes); fault != 0)
            return tl::unexpected(errorOf((path / name).string(), fault));
    }
    ::fchmod(place.descriptor(), place.defaultPermissions());
    ::fsync(place.descriptor());
    if (interrupted())
        return tl::unexpected(cancelledError(stoppedText()));
    TRY(checkInputs());
    auto published = place.publish();
    if (published) {
        noteWritten(path.string());
        outputInPlace();
    }
    return published;
}

void blockSignals()
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

void beginInterrupt(Context &context)
{
    sem_init(&g_wake, 0, 0);
    g_progress = &context.progress;
    struct sigaction action = {};
    action.sa_handler = onSignal;
    sigemptyset(&action.sa_mask);
    for (const int signal : kSignals) {
        struct sigaction before = {};
        // What nohup or a shell in the background had ignored stays so.
        if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signal, &action, nullptr);
    }
    // Past a limit of the file size a write fails, and is reported as any other failure.
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        watch().thread = std::thread([&context] { watchSignals(context); });
    } catch (const std::system_error &) { // no thread is left: work ends where it looks for signals
    }
}

int endInterrupt(const Context &context, int exitCode)
{
    Watch &state = watch();
    {
        const std::lock_guard lock(state.mutex);
        state.finished = true;
    }
    state.changed.notify_all();
    sem_post(&g_wake);
    if (state.thread.joinable())
        state.thread.join();
    g_progress = nullptr;
    if (!interrupted())
        return exitCode;
    if (exitCode != kIo) // it was done, and has said so, when the signal came
        note(context, "kernscope-cli: stopped by a signal when the work was done");
    return kIo;
}

bool interrupted()
{
    return g_interrupted != 0;
}

WritingScope::WritingScope()
{
    const std::lock_guard lock(watch().mutex);
    ++watch().writing;
}

WritingScope::~WritingScope()
{
    {
        const std::lock_guard lock(watch().mutex);
        --watch().writing;
    }
    watch().changed.notify_all();
}

void noteWritten(const std::string &path)
{
    const std::lock_guard lock(watch().mutex);
    watch().written.push_back(path);
}

std::string stoppedText()
{
    const std::lock_guard lock(watch().mutex);
    return textOf(watch().written);
}

bool takeStandardOutput()
{
    int owner = kFree;
    return g_output.compare_exchange_strong(owner, kCommand) || owner == kCommand;
}

} // namespace kernscope::cli
