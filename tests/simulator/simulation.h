// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "worker.h"

#include <set>

/// Runs steps and holds what the disk then has against what it may have.
namespace kernscope::simulator {

/// What was promised and does not hold.
struct Failure {
    std::size_t step = 0;
    std::string rule;   ///< the same for the same fault
    std::string detail; ///< what was found
};

/// Thrown by a check, caught by Simulation::run().
struct Broken {
    std::string rule, detail;
};

/// Of all runs.
struct Counts {
    std::uint64_t runs = 0, steps = 0;
    std::array<std::uint64_t, kFaultNames.size()> struck{}; ///< by Fault
    std::uint64_t powerCuts = 0, races = 0, outside = 0;
    std::uint64_t interrupted = 0; ///< steps that left a journal
};

class Simulation
{
public:
    /// `root` is made, and removed at the end. `watches`: two. `trace`: a line a step to stderr.
    Simulation(fs::path root, const Sample &sample, std::array<Watch *, 2> watches, Counts &counts,
               bool trace);
    ~Simulation();

    std::optional<Failure> run(const std::vector<Step> &steps);

private:
    /// Without a journal the files hold one of `whole`; with one, bytes of the two of `pair`, and
    /// one of these is shown.
    struct Allowed {
        std::vector<Tree> whole, pair;
        std::vector<Tree> backups; ///< what new backups may hold, beside what was there before
        std::vector<Tree> copies;  ///< what the copies may hold; empty: nothing changes there
        bool mayStayAbsent = true; ///< a copy
    };

    void perform(const Step &step);
    void performAlone(const Work &work, const std::string &script, const Step &step);
    void performRace(const Work &work, const std::string &script, const Step &step);
    void performOutside(Outside outside, std::uint32_t draw);
    void afterRace(const Step &step, const Work &work, const std::string &script,
                   const Ended &ended, const Ended &other, const std::string &otherScript);
    void afterOutsideRace(const Step &step, const Work &work, const std::string &script,
                          const Ended &ended, const Tree &changed, const std::string &file);
    Allowed allowedAfter(const Work &work, const std::string &script, const Step &step,
                         const Ended &ended, bool struck);
    void judgeRefusal(const Work &work, const Answer &answer, const Tree &after) const;
    void finish();

    Tree changeOutside(Outside outside, std::mt19937 &random, std::string &file);
    void settle(const Allowed &allowed);
    void checkKept(const Allowed &allowed);
    void checkNames();
    void checkCopies(const Allowed &allowed);
    void discardAndBegin(const char *state);
    void beginAgain();
    void writeAgain();
    Answer lookAgain();
    Ended alone(const Work &work, const std::string &script = {});
    void start();
    Place place(std::size_t process) const;
    std::string bundleName() const { return m_bundle.filename().string(); }
    bool linked() const;
    bool touchesLink(const Tree &after) const;
    std::optional<fs::path> journal() const;
    [[noreturn]] void broken(std::string rule, std::string detail = {}) const;

    fs::path m_root, m_world, m_bundle;
    const Sample &m_sample;
    std::array<Watch *, 2> m_watches;
    Counts &m_counts;
    bool m_trace;
    Tree m_tree;                 ///< shown; where no save is interrupted also what the files hold
    std::optional<Tree> m_other; ///< what the interrupted save was to write
    std::map<fs::path, Bytes> m_kept; ///< files that nothing may change: backups, further names
    std::array<std::optional<Tree>, 2> m_copies;
    std::string m_linkedFile; ///< that got a further name
    bool m_cut = false;       ///< the power was cut in this run: attributes are not modelled
    std::string m_context;    ///< of the step, for failures
};

} // namespace kernscope::simulator
