// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"

#include "app/cli/journal_notes.h"
#include "app/cli/text_output.h"
#include "core/patch/interrupted_save.h"

#include <atomic>
#include <csignal>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

std::atomic<Progress *> g_interruptible{nullptr};
volatile std::sig_atomic_t g_interrupted = 0;
static_assert(std::atomic<Progress *>::is_always_lock_free, "used in a signal handler");

extern "C" void onInterrupt(int)
{
    g_interrupted = 1;
    if (Progress *progress = g_interruptible.load())
        progress->cancel();
}

} // namespace

void addCommonOptions(CLI::App &command, Session &session)
{
    command.add_flag("--json", session.json, "Print one JSON document on standard output");
    command.add_flag("-q,--quiet", session.quiet, "Print errors only");
    command.add_option("--target", session.target, "Chip to judge by, under any of its names")
        ->type_name("NAME");
}

int exitCodeOf(const Error &error)
{
    return error.code.starts_with("io.") ? kIo : kBadInput;
}

int exitCodeOf(const Diagnostics &diagnostics)
{
    return hasErrors(diagnostics) ? kBadInput : kDone;
}

int reportFailure(Session &session, std::string_view command, const Error &error)
{
    const Diagnostics only{{Severity::Error, error}};
    if (session.json) {
        report::Json document = report::document(command);
        printDocument(session, document, only);
    } else {
        printDiagnostics(session, only);
    }
    return exitCodeOf(error);
}

void printDocument(Session &, report::Json &document, const Diagnostics &diagnostics)
{
    Diagnostics rows = unsaidJournals(diagnostics);
    rows.insert(rows.end(), diagnostics.begin(), diagnostics.end());
    report::finish(document, rows);
    // Names come from files: what is no UTF-8 is replaced, so that the document always is.
    print(document.dump(1, ' ', false, report::Json::error_handler_t::replace));
    print("\n");
}

Result<BundlePtr> openBundle(const std::filesystem::path &path)
{
    auto opened = openForReading(path);
    if (opened.bundle)
        noteJournals((*opened.bundle)->diagnostics());
    return std::move(opened.bundle);
}

Result<std::shared_ptr<OverlaidFile>> openFile(const std::filesystem::path &path)
{
    auto opened = openFileForReading(path);
    if (!opened)
        return tl::unexpected(std::move(opened.error()));
    noteJournals(opened->notes);
    return std::move(opened->file);
}

void beginInterrupt(Session &session)
{
    g_interruptible = &session.progress;
    struct sigaction action = {};
    action.sa_handler = onInterrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND); // a second Ctrl-C ends a process that hangs
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

bool interrupted()
{
    return g_interrupted != 0;
}

void endInterrupt()
{
    g_interruptible = nullptr;
    if (!interrupted())
        return;
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
}

} // namespace kernscope::cli
