// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulation.h"

#include "power_cut.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::simulator {

namespace {

bool isSave(const Work &work)
{
    return work.task == Task::Save || work.task == Task::SaveUndone;
}

bool needsEdits(const Work &work)
{
    return isSave(work) || work.task == Task::Copy;
}

/// Refusals that another process may bring about.
bool isOfRace(const std::string &code)
{
    static const std::set<std::string> kCodes{"patch.busy",   "patch.stale",     "io.changed",
                                              "patch.verify", "journal.pending", "io.exists",
                                              "io.links",     "io.kind",         "patch.conflict"};
    return kCodes.count(code) > 0;
}

} // namespace

// ---- one process at a time

/// What may be on the disk after the work of one process.
Simulation::Allowed Simulation::allowedAfter(const Work &work, const std::string &script,
                                             const Step &step, const Ended &ended, bool struck)
{
    const Answer &answer = ended.answer;
    const bool killed = ended.signal == SIGKILL, cut = step.powerCut;
    const bool signalled = !killed && ended.signal != 0;
    if (signalled && (step.fault.kind != Fault::Signal || ended.signal != step.fault.number))
        broken("crashed", fmt::format("signal {}", ended.signal));
    if (ended.signal == 0 && !answer.given)
        broken("ended without an answer");
    const bool done = answer.given && answer.code.empty();
    const bool failed = answer.given && !done;
    const bool quiet = !struck || step.fault.kind == Fault::Short;
    Allowed allowed;
    const Tree actual = readTree(m_bundle);
    const auto keepsPending = [&] {
        if (m_other)
            allowed.pair = {m_tree, *m_other};
        else
            allowed.whole = {m_tree};
    };
    if (work.task == Task::Read) {
        if (failed && quiet)
            broken("not opened", answer.message);
        if (done && !answer.fault && answer.shown != m_tree)
            broken("other bytes are shown", "without a word");
        keepsPending();
        return allowed;
    }
    if (work.task == Task::Recover) {
        if (!m_other || work.dryRun) {
            if (failed && quiet && !linked())
                broken("recovery refused", answer.message);
            keepsPending();
            return allowed;
        }
        if (failed && quiet && !(answer.code == "io.links" && linked()))
            broken("recovery refused", answer.message);
        const bool discards = work.action == RecoverAction::Discard;
        const Tree &wanted = discards                               ? actual
                             : work.action == RecoverAction::Finish ? *m_other
                                                                    : m_tree;
        allowed.whole = {wanted};
        if (!done)
            allowed.pair = {m_tree, *m_other};
        return allowed;
    }
    const auto after = *edited(m_tree, bundleName(), script);
    if (failed && quiet)
        judgeRefusal(work, answer, after);
    if (work.task == Task::Copy) {
        keepsPending();
        allowed.copies = {after};
        allowed.mayStayAbsent = !done;
        if (failed)
            allowed.copies.clear();
        else if (m_other && answer.fault) // the journal could not be read, and that was said
            allowed.copies.push_back(edited(actual, bundleName(), script).value_or(actual));
        return allowed;
    }
    allowed.backups = {m_tree, after};
    if (m_other) {
        if (done && after != m_tree)
            broken("saved over an interrupted save");
        keepsPending();
        return allowed;
    }
    const bool undone = work.task == Task::SaveUndone;
    const Tree last = undone ? takenBack(m_tree, after) : after;
    if (done) {
        allowed.whole = {last};
        if (work.backup && after != m_tree && answer.backups.empty())
            broken("no backup");
        for (const std::string &backup : answer.backups) {
            const Bytes kept = readFile(backup);
            const auto holds = [&](const Tree &tree) {
                return std::any_of(tree.begin(), tree.end(),
                                   [&](const auto &file) { return file.second == kept; });
            };
            if (!holds(m_tree) && !(undone && holds(after)))
                broken("a backup is not what the file was", backup);
        }
    } else if (failed) {
        allowed.whole = {undone && answer.saves == 1 ? after : m_tree};
        if (step.fault.kind == Fault::FailsOnwards)
            allowed.pair = {m_tree, after};
    } else {
        allowed.whole = {m_tree, after, last};
        if (killed || cut)
            allowed.pair = {m_tree, after};
    }
    return allowed;
}

/// Of a save or a copy that nothing disturbed.
void Simulation::judgeRefusal(const Work &work, const Answer &answer, const Tree &after) const
{
    if (work.task == Task::Copy) {
        if (m_copies[0] && (!work.replace || answer.code == "io.kind"))
            return;
    } else if (m_other && answer.code == "journal.pending") {
        return;
    } else if (answer.saves == 1 && answer.code == "patch.conflict" && m_tree.count("main.hash")) {
        return; // the first save wrote the hash over an edit of it
    } else if (touchesLink(after) && !work.breakLinks && answer.code == "io.links") {
        return;
    }
    broken("refused without a reason", answer.message);
}

void Simulation::performAlone(const Work &work, const std::string &script, const Step &step)
{
    Watch &watch = *m_watches[0];
    watch.plan = step.fault;
    watch.recording = step.powerCut;
    const Tree before = m_tree;
    Process process(place(0), work, script, watch);
    const Ended ended = process.wait();
    if (watch.struck) {
        ++m_counts.struck[static_cast<std::size_t>(step.fault.kind)];
        m_context += fmt::format(" [{} of {} calls]", watch.where.data(), watch.calls);
    }
    m_context += ended.answer.given
                     ? fmt::format(" -> {}", ended.answer.code.empty() ? "done" : ended.answer.code)
                     : fmt::format(" -> signal {}", ended.signal);
    if (step.powerCut) {
        ++m_counts.powerCuts;
        m_cut = true;
        std::mt19937 random(step.draw);
        cutPower(logOf(watch), m_root, random);
    }
    if (work.task == Task::Read && watch.changes > 0)
        broken("reading wrote", watch.where.data());
    Allowed allowed = allowedAfter(work, script, step, ended, watch.struck);
    settle(allowed);
}

// ---- two processes

void Simulation::performRace(const Work &work, const std::string &script, const Step &step)
{
    Watch &watch = *m_watches[0];
    watch.plan = step.fault;
    watch.recording = false;
    Process process(place(0), work, script, watch);
    Ended ended = process.wait();
    if (!ended.stopped) {
        settle(allowedAfter(work, script, step, ended, false));
        return;
    }
    ++m_counts.races;
    ++m_counts.struck[static_cast<std::size_t>(Fault::Stops)];
    m_context += fmt::format(" [{} of its calls: {}]", watch.calls, watch.where.data());
    const auto end = [&](bool killed) {
        if (killed)
            process.kill();
        else
            process.goOn();
        ended = process.wait();
        m_context +=
            ended.answer.given
                ? fmt::format(" -> {}", ended.answer.code.empty() ? "done" : ended.answer.code)
                : fmt::format(" -> signal {}", ended.signal);
    };
    if (step.outsideMeanwhile) {
        std::mt19937 random(step.draw);
        std::string file;
        const Tree changed = changeOutside(*step.outsideMeanwhile, random, file);
        end(false);
        afterOutsideRace(step, work, script, ended, changed, file);
        return;
    }
    const Work &other = *step.meanwhile;
    const std::string otherScript =
        needsEdits(other) ? drawEdits(m_tree, bundleName(), other.draw) : std::string();
    m_watches[1]->plan = {};
    m_watches[1]->recording = false;
    Process second(place(1), other, otherScript, *m_watches[1]);
    const Ended answered = second.wait();
    m_context += fmt::format("; meanwhile -> {}",
                             answered.answer.code.empty() ? "done" : answered.answer.code);
    end(step.killed);
    afterRace(step, work, script, ended, answered, otherScript);
}

void Simulation::afterRace(const Step &step, const Work &work, const std::string &script,
                           const Ended &ended, const Ended &other, const std::string &otherScript)
{
    for (const Ended *one : {&ended, &other}) {
        if (one->signal != 0 && !(step.killed && one == &ended))
            broken("crashed", fmt::format("signal {}", one->signal));
        if (one->signal == 0 && !one->answer.given)
            broken("ended without an answer");
        if (!one->answer.code.empty() && !isOfRace(one->answer.code))
            broken("refused without a reason", one->answer.message);
    }
    const Work &meanwhile = *step.meanwhile;
    const auto after = [&](const Tree &tree, const Work &by, const std::string &edits) {
        return needsEdits(by) ? edited(tree, bundleName(), edits).value_or(tree) : tree;
    };
    const Tree none = m_tree, first = after(none, work, script),
               second = after(none, meanwhile, otherScript);
    const Tree saved = isSave(work) ? first : none, savedToo = isSave(meanwhile) ? second : none;
    const bool killed = ended.signal == SIGKILL;
    const bool done = ended.answer.given && ended.answer.code.empty();
    const bool doneToo = other.answer.code.empty();
    Allowed allowed;
    allowed.backups = {none, saved, savedToo, withChanges(savedToo, none, saved)};
    const std::vector<Tree> both{withChanges(savedToo, none, saved),
                                 withChanges(saved, none, savedToo),
                                 after(saved, isSave(meanwhile) ? meanwhile : Work(), otherScript)};
    if (killed) {
        allowed.whole = doneToo ? both : std::vector<Tree>{none, saved};
        if (doneToo)
            allowed.whole.push_back(savedToo);
        if (!doneToo || savedToo == none)
            allowed.pair = {none, saved};
        if (doneToo && savedToo == none)
            allowed.whole.push_back(none);
    } else if (done && doneToo) {
        allowed.whole = both;
    } else {
        allowed.whole = {done ? saved : doneToo ? savedToo : none};
    }
    if (meanwhile.task == Task::Read && doneToo && !isOneOf(other.answer.shown, {none, saved}))
        broken("other bytes are shown", "while another process saves");
    if (work.task == Task::Read && done && !isOneOf(ended.answer.shown, {none, savedToo}))
        broken("other bytes are shown", "after another process saved");
    const auto copied = [&](const Work &by, const std::string &edits, const Tree &otherSaved) {
        if (by.task == Task::Copy)
            allowed.copies.insert(allowed.copies.end(),
                                  {after(none, by, edits), after(otherSaved, by, edits),
                                   withChanges(otherSaved, none, after(none, by, edits))});
    };
    copied(work, script, savedToo);
    copied(meanwhile, otherScript, saved);
    settle(allowed);
}

void Simulation::afterOutsideRace(const Step &step, const Work &work, const std::string &script,
                                  const Ended &ended, const Tree &changed, const std::string &file)
{
    if (ended.signal != 0 || !ended.answer.given)
        broken("crashed", fmt::format("signal {}", ended.signal));
    const bool done = ended.answer.code.empty();
    const Tree none = m_tree;
    // What was written may not take the edits.
    if (!done && !isOfRace(ended.answer.code) &&
        !(needsEdits(work) && !edited(changed, bundleName(), script)))
        broken("refused without a reason", ended.answer.message);
    const auto after = [&](const Tree &tree) {
        return needsEdits(work) ? edited(tree, bundleName(), script).value_or(tree) : tree;
    };
    const Tree saved = isSave(work) ? after(none) : none;
    Allowed allowed;
    allowed.backups = {none, changed, saved};
    if (step.outsideMeanwhile == Outside::Replace && done) {
        Tree replaced = saved;
        replaced[file] = changed.at(file);
        allowed.whole = {replaced, withChanges(changed, none, saved)};
    } else if (done) {
        allowed.whole = {withChanges(changed, none, saved), withChanges(saved, none, changed)};
    } else {
        allowed.whole = {changed};
        // Written into a range that was being written: the old bytes came back over it.
        if (step.outsideMeanwhile == Outside::Write)
            allowed.whole.push_back(withChanges(changed, saved, none));
    }
    if (work.task == Task::Read && done && !isOneOf(ended.answer.shown, {none, changed}))
        broken("other bytes are shown", "after another program wrote");
    if (work.task == Task::Copy)
        allowed.copies = {after(none), after(changed), withChanges(changed, none, after(none))};
    settle(allowed);
}

// ---- steps

void Simulation::perform(const Step &step)
{
    if (step.outside)
        return performOutside(*step.outside, step.draw);
    const Work &work = *step.work;
    const std::string script =
        needsEdits(work) ? drawEdits(m_tree, bundleName(), work.draw) : std::string();
    if (needsEdits(work) && script.empty())
        return;
    const bool race = step.meanwhile || step.outsideMeanwhile;
    if (race && !m_other)
        return performRace(work, script, step);
    Step single = step;
    if (race)
        single.fault = {};
    performAlone(work, script, single);
}

std::optional<Failure> Simulation::run(const std::vector<Step> &steps)
{
    ++m_counts.runs;
    std::size_t at = 0;
    try {
        start();
        for (; at < steps.size(); ++at) {
            m_context = stepText(steps[at]);
            perform(steps[at]);
            ++m_counts.steps;
            m_counts.interrupted += m_other ? 1 : 0;
            if (m_trace)
                std::fprintf(stderr, "%4zu %s%s\n", at, m_context.c_str(),
                             m_other ? " (interrupted)" : "");
        }
        finish();
    } catch (const Broken &fault) {
        return Failure{at, fault.rule, m_context + ": " + fault.detail};
    } catch (const std::exception &fault) {
        return Failure{at, "the simulator itself", m_context + ": " + fault.what()};
    }
    return std::nullopt;
}

/// Whatever came before: what was interrupted is undone, a further save goes through, and nothing
/// unfinished stays beside the bundle.
void Simulation::finish()
{
    m_context = "at the end";
    if (linked())
        performOutside(Outside::DropLink, 0);
    Work work;
    work.task = Task::Recover;
    performAlone(work, {}, {});
    work.task = Task::Save;
    for (std::uint32_t draw = 1;; ++draw) {
        const std::string script = drawEdits(m_tree, bundleName(), draw);
        if (draw > 20 || (!script.empty() && edited(m_tree, bundleName(), script) != m_tree)) {
            performAlone(work, script, {});
            break;
        }
    }
    if (m_cut)
        return;
    for (const auto &entry : fs::directory_iterator(m_world)) {
        const std::string name = entry.path().filename().string();
        if (name.find(".kernscope-journal") != std::string::npos && fs::file_size(entry) > 0)
            broken("left behind", name);
    }
}

} // namespace kernscope::simulator
