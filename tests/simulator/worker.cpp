// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker.h"

#include <csignal>
#include <cstring>
#include <stdexcept>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kernscope::simulator {

namespace {

/// Texts one after the other, each behind its length.
void put(Watch &watch, std::string_view text)
{
    const std::uint64_t size = text.size();
    if (watch.answerBytes + sizeof size + text.size() > Watch::kAnswerBytes)
        std::abort();
    std::memcpy(watch.answer.data() + watch.answerBytes, &size, sizeof size);
    std::memcpy(watch.answer.data() + watch.answerBytes + sizeof size, text.data(), text.size());
    watch.answerBytes += sizeof size + text.size();
}

std::string take(const Watch &watch, std::size_t &at)
{
    std::uint64_t size = 0;
    std::memcpy(&size, watch.answer.data() + at, sizeof size);
    std::string text(reinterpret_cast<const char *>(watch.answer.data()) + at + sizeof size,
                     static_cast<std::size_t>(size));
    at += sizeof size + static_cast<std::size_t>(size);
    return text;
}

void put(Watch &watch, const std::vector<std::string> &texts)
{
    put(watch, std::to_string(texts.size()));
    for (const std::string &text : texts)
        put(watch, text);
}

std::vector<std::string> takeMany(const Watch &watch, std::size_t &at)
{
    std::vector<std::string> texts(std::stoul(take(watch, at)));
    for (std::string &text : texts)
        text = take(watch, at);
    return texts;
}

void give(Watch &watch, const Answer &answer)
{
    put(watch, answer.code);
    put(watch, answer.message);
    put(watch, std::to_string(answer.saves));
    put(watch, answer.warnings);
    put(watch, answer.backups);
    put(watch, answer.states);
    put(watch, answer.fault ? "1" : "0");
    std::vector<std::string> files;
    for (const auto &[path, bytes] : answer.shown) {
        files.push_back(path);
        files.emplace_back(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    }
    put(watch, files);
    put(watch, "end");
}

Answer answerOf(const Watch &watch)
{
    Answer answer;
    if (watch.answerBytes == 0)
        return answer;
    std::size_t at = 0;
    answer.code = take(watch, at);
    answer.message = take(watch, at);
    answer.saves = static_cast<std::uint32_t>(std::stoul(take(watch, at)));
    answer.warnings = takeMany(watch, at);
    answer.backups = takeMany(watch, at);
    answer.states = takeMany(watch, at);
    answer.fault = take(watch, at) == "1";
    const auto files = takeMany(watch, at);
    for (std::size_t i = 0; i + 1 < files.size(); i += 2) {
        const auto bytes = std::as_bytes(std::span(files[i + 1]));
        answer.shown[files[i]] = Bytes(bytes.begin(), bytes.end());
    }
    answer.given = true;
    return answer;
}

bool failed(Answer &answer, const Error &error)
{
    answer.code = error.code;
    answer.message = describe(error);
    return false;
}

bool saved(Answer &answer, const Result<SaveReport> &report)
{
    if (!report)
        return failed(answer, report.error());
    ++answer.saves;
    for (const Diagnostic &row : report->warnings)
        answer.warnings.push_back(row.error.code);
    for (const fs::path &backup : report->backups)
        answer.backups.push_back(backup.string());
    return true;
}

Answer save(const Place &place, const Work &work, const std::string &script)
{
    Answer answer;
    const auto opened = openForReading(place.bundle);
    if (!opened.bundle)
        return failed(answer, opened.bundle.error()), answer;
    answer.fault = opened.fault() != nullptr;
    std::vector<AppliedEdit> plans;
    auto bundle = editBundle(*opened.bundle, script, &plans);
    if (!bundle)
        return failed(answer, bundle.error()), answer;
    if (work.task == Task::Copy) {
        saved(answer, saveCopy(**bundle, place.copy, nullptr, {work.replace, {}}));
        return answer;
    }
    const SaveOptions options(work.backup, work.breakLinks);
    if (!saved(answer, saveInPlace(**bundle, options)) || work.task == Task::Save)
        return answer;
    for (auto plan = plans.rbegin(); plan != plans.rend(); ++plan) {
        bundle = revertEdit(*bundle, *plan);
        if (!bundle)
            return failed(answer, bundle.error()), answer;
    }
    saved(answer, saveInPlace(**bundle, options));
    return answer;
}

Answer recover(const Place &place, const Work &work)
{
    Answer answer;
    const auto report = recoverSave(place.bundle, work.action, work.dryRun);
    if (!report)
        return failed(answer, report.error()), answer;
    answer.saves = static_cast<std::uint32_t>(report->saves.size());
    for (const Diagnostic &row : report->warnings)
        answer.warnings.push_back(row.error.code);
    return answer;
}

Answer look(const Place &place)
{
    Answer answer;
    const auto opened = openForReading(place.bundle);
    for (const InterruptedSave &one : opened.saves)
        answer.states.emplace_back(interruptedStateName(one.state));
    answer.fault = opened.fault() != nullptr;
    if (!opened.bundle)
        return failed(answer, opened.bundle.error()), answer;
    answer.fault = answer.fault || hasErrors((*opened.bundle)->diagnostics());
    answer.shown = shownTree(**opened.bundle, place.lone);
    return answer;
}

} // namespace

Process::Process(const Place &place, const Work &work, const std::string &script, Watch &watch)
    : m_watch(watch)
{
    std::snprintf(watch.folder.data(), watch.folder.size(), "%s", place.folder.c_str());
    std::snprintf(watch.grave.data(), watch.grave.size(), "%s", place.grave.c_str());
    watch.struck = false;
    watch.where[0] = '\0';
    watch.calls = watch.changes = watch.buried = 0;
    watch.logBytes = watch.answerBytes = 0;
    m_pid = ::fork();
    if (m_pid < 0)
        throw std::runtime_error("the simulator gets no further process");
    if (m_pid > 0)
        return;
    constexpr struct rlimit kMostSeconds = {60, 60}; // of the processor: it hangs
    ::setrlimit(RLIMIT_CPU, &kMostSeconds);
    watchCalls(&watch);
    Answer answer;
    switch (work.task) {
    case Task::Save:
    case Task::SaveUndone:
    case Task::Copy: answer = save(place, work, script); break;
    case Task::Recover: answer = recover(place, work); break;
    case Task::Read: answer = look(place); break;
    }
    watchCalls(nullptr);
    give(watch, answer);
    ::_exit(0);
}

Process::~Process()
{
    if (m_pid < 0)
        return;
    ::kill(m_pid, SIGKILL);
    ::waitpid(m_pid, nullptr, 0);
}

Ended Process::wait()
{
    int status = 0;
    Ended ended;
    while (::waitpid(m_pid, &status, WUNTRACED) < 0 && errno == EINTR) {
    }
    if (WIFSTOPPED(status)) {
        ended.stopped = true;
        return ended;
    }
    m_pid = -1;
    if (WIFSIGNALED(status))
        ended.signal = WTERMSIG(status);
    else if (WEXITSTATUS(status) == 0)
        ended.answer = answerOf(m_watch);
    return ended;
}

void Process::goOn()
{
    ::kill(m_pid, SIGCONT);
}

void Process::kill()
{
    ::kill(m_pid, SIGKILL);
}

} // namespace kernscope::simulator
