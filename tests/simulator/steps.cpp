// SPDX-License-Identifier: GPL-3.0-or-later
#include "steps.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

namespace kernscope::simulator {

namespace {

constexpr std::array<std::string_view, 5> kTaskNames{"save", "save, undo, save", "copy", "recover",
                                                     "read"};
constexpr std::array<std::string_view, 7> kOutsideNames{
    "bytes written", "file replaced",  "touched",     "link added",
    "link dropped",  "bundle renamed", "journal lost"};
constexpr std::array<std::string_view, 3> kActionNames{"undo", "finish", "discard"};

/// Most calls of each task, about: a fault behind them never comes.
constexpr std::array<std::uint32_t, 5> kMostCalls{100, 170, 70, 75, 25};

bool oneIn(std::mt19937 &random, unsigned many)
{
    return random() % many == 0;
}

template <class T, std::size_t N>
T oneOf(std::mt19937 &random, const std::array<T, N> &all)
{
    return all[random() % N];
}

Work drawWork(std::mt19937 &random)
{
    constexpr std::array kTasks{Task::Save,    Task::Save, Task::Save,      Task::Save,
                                Task::Save,    Task::Copy, Task::Recover,   Task::Recover,
                                Task::Recover, Task::Read, Task::SaveUndone};
    Work work;
    work.task = oneOf(random, kTasks);
    work.draw = static_cast<std::uint32_t>(random());
    work.backup = oneIn(random, 3);
    work.breakLinks = work.task != Task::SaveUndone && oneIn(random, 3);
    work.replace = oneIn(random, 2);
    constexpr std::array kActions{RecoverAction::Undo,   RecoverAction::Undo,
                                  RecoverAction::Undo,   RecoverAction::Finish,
                                  RecoverAction::Finish, RecoverAction::Discard};
    work.action = oneOf(random, kActions);
    work.dryRun = oneIn(random, 8);
    return work;
}

FaultPlan drawFault(std::mt19937 &random, Task task)
{
    constexpr std::array kKinds{Fault::Fails,        Fault::Fails,        Fault::FailsOnwards,
                                Fault::Full,         Fault::Short,        Fault::Lost,
                                Fault::Corrupt,      Fault::KilledBefore, Fault::KilledAfter,
                                Fault::KilledBefore, Fault::KilledAfter,  Fault::Signal};
    constexpr std::array kErrors{EIO, ENOSPC, EACCES, EROFS, ENOMEM, EMFILE, EDQUOT, EPERM, EINTR};
    constexpr std::array kSignals{SIGTERM, SIGINT, SIGHUP};
    FaultPlan plan;
    plan.kind = oneOf(random, kKinds);
    plan.call =
        1 + static_cast<std::uint32_t>(random() % kMostCalls[static_cast<std::size_t>(task)]);
    plan.number = plan.kind == Fault::Signal ? oneOf(random, kSignals) : oneOf(random, kErrors);
    if (plan.kind == Fault::FailsOnwards && plan.number == EINTR)
        plan.number = EIO; // what is asked again for ever need not end
    return plan;
}

std::string workText(const Work &work)
{
    std::string text(kTaskNames[static_cast<std::size_t>(work.task)]);
    if (work.task == Task::Recover)
        text += fmt::format(" {}{}", kActionNames[static_cast<std::size_t>(work.action)],
                            work.dryRun ? ", dry run" : "");
    if (work.task == Task::Save || work.task == Task::SaveUndone)
        text += fmt::format("{}{}", work.backup ? ", backup" : "",
                            work.breakLinks ? ", links broken" : "");
    if (work.task == Task::Copy && work.replace)
        text += ", replacing";
    return text;
}

} // namespace

std::vector<Step> drawSteps(std::mt19937 &random, std::size_t count)
{
    std::vector<Step> steps(count);
    for (Step &step : steps) {
        step.draw = static_cast<std::uint32_t>(random());
        constexpr std::array kOutside{Outside::Write,   Outside::Replace,    Outside::Touch,
                                      Outside::AddLink, Outside::DropLink,   Outside::DropLink,
                                      Outside::Rename,  Outside::LoseJournal};
        if (oneIn(random, 7)) {
            step.outside = oneOf(random, kOutside);
            continue;
        }
        const Work work = drawWork(random);
        step.work = work;
        const auto how = random() % 10;
        if (how < 6) {
            step.fault = drawFault(random, work.task);
            const bool killed =
                step.fault.kind == Fault::KilledBefore || step.fault.kind == Fault::KilledAfter;
            step.powerCut = killed && oneIn(random, 2);
        } else if (how == 6) {
            step.powerCut = true;
        } else if (how < 9 && work.task != Task::SaveUndone) {
            step.fault = drawFault(random, work.task);
            step.fault.kind = Fault::Stops;
            step.killed = oneIn(random, 4);
            if (oneIn(random, 3)) {
                constexpr std::array kMeanwhile{Outside::Write, Outside::Replace, Outside::Touch};
                step.outsideMeanwhile = oneOf(random, kMeanwhile);
            } else {
                step.meanwhile = drawWork(random);
                if (step.meanwhile->task == Task::SaveUndone)
                    step.meanwhile->task = Task::Save;
            }
        }
    }
    return steps;
}

std::string stepText(const Step &step)
{
    if (step.outside)
        return fmt::format("outside: {}", kOutsideNames[static_cast<std::size_t>(*step.outside)]);
    std::string text = workText(*step.work);
    if (step.fault.call != 0)
        text +=
            fmt::format("; {} at call {}", kFaultNames[static_cast<std::size_t>(step.fault.kind)],
                        step.fault.call);
    if (step.fault.kind == Fault::Fails || step.fault.kind == Fault::FailsOnwards)
        text += fmt::format(" ({})", std::strerror(step.fault.number));
    if (step.meanwhile)
        text += fmt::format("; meanwhile {}", workText(*step.meanwhile));
    if (step.outsideMeanwhile)
        text += fmt::format("; meanwhile {}",
                            kOutsideNames[static_cast<std::size_t>(*step.outsideMeanwhile)]);
    return text + (step.killed ? "; killed there" : "") + (step.powerCut ? "; power cut" : "");
}

} // namespace kernscope::simulator
