// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"

#include "app/cli/command.h"
#include "app/cli/text_output.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

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
