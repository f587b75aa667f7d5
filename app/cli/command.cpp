// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"

#include "app/cli/text_output.h"
#include "core/base/overlaid_file.h"
#include "core/patch/patch.h"

#include <atomic>
#include <csignal>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

/// What the command reads.
struct Inputs {
    std::vector<BundlePtr> bundles;
    std::vector<std::shared_ptr<OverlaidFile>> files;
};
Inputs g_inputs;

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
    report::finish(document, diagnostics);
    // Names come from files: what is no UTF-8 is replaced, so that the document always is.
    print(printableJson(document.dump(1, ' ', false, report::Json::error_handler_t::replace)));
    print("\n");
}

Result<BundlePtr> openBundle(const std::filesystem::path &path)
{
    const auto recovered = recoverJournal(path);
    if (!recovered)
        return tl::unexpected(recovered.error());
    if (*recovered)
        complain("An interrupted save of " + path.filename().string() + " was undone");
    auto bundle = Bundle::open(path);
    if (bundle)
        g_inputs.bundles.push_back(*bundle);
    return bundle;
}

Result<std::shared_ptr<OverlaidFile>> openFile(const std::filesystem::path &path)
{
    auto file = OverlaidFile::open(path, path.filename().string());
    if (file)
        g_inputs.files.push_back(*file);
    return file;
}

Result<void> checkInputs()
{
    for (const BundlePtr &bundle : g_inputs.bundles) {
        if (auto same = bundle->checkUnchanged(); !same)
            return same;
    }
    // A bundle was looked at as a whole when it was opened. Files that belong together but were
    // opened one by one must not have been replaced in between either.
    const bool several = g_inputs.files.size() > 1;
    for (const auto &file : g_inputs.files) {
        if (auto same = several ? file->checkInPlace() : file->checkSame(); !same)
            return same;
    }
    return {};
}

void outputInPlace()
{
    g_inputs = {};
}

int finish(Session &session, std::string_view command, int exitCode)
{
    if (auto same = checkInputs(); !same && !interrupted()) {
        discardOutput();
        exitCode = reportFailure(session, command, same.error());
    }
    if (writeOutput() || interrupted())
        return exitCode;
    complain("kernscope-cli: standard output cannot be written");
    writeOutput();
    return kIo;
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
