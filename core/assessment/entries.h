// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/roofline.h"
#include "core/bundle/bundle_fwd.h"
#include "core/container/mil/program.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kernscope {

/// "MODEL/FUNCTION" without the parts that are empty.
std::string functionAddress(const std::string &model, const std::string &function);

/// Which functions a run enters to reach another, how often it gets there, and what is launched on
/// the way. A run enters the outermost functions that call it (`call` of a segmented program);
/// itself where none does. Each call that names a backend launches what it calls there.
class Entries
{
public:
    explicit Entries(const mil::Program &program);
    /// One for each function that a run enters and each launch that comes to it, in the program's
    /// order. How often is not known of what is called in the body of a loop or a branch, and of
    /// functions that call each other.
    std::vector<roofline::LayerRun> runsOf(const std::string &model,
                                           const std::string &function) const;

private:
    using Times = std::optional<std::uint64_t>; ///< empty: not known
    struct Call {
        std::size_t function = 0;
        bool counted = true; ///< false: in the body of a loop or a branch
        std::string backend; ///< empty: the call names none, and belongs to its caller's launch
    };
    struct Reached {
        std::size_t entry = 0, launch = 0;
        std::string backend;
        Times times, launches, allLaunches;
    };
    using Counts = std::map<std::size_t, Times>; ///< runs, by function
    void readCalls(const mil::Block &block, const std::string &model, bool counted,
                   std::vector<Call> &calls) const;
    void follow(std::size_t entry);
    Counts countFrom(std::size_t first, bool launches);
    std::vector<std::size_t> calledFrom(std::size_t first, bool launches) const;

    /// Runs of more entries than this through one function, or of more steps in all, are not told
    /// apart: how often it runs is then not known.
    static constexpr std::size_t kMostEntries = 256, kMostSteps = 1'000'000;

    std::map<std::pair<std::string, std::string>, std::size_t> m_numbers; ///< of model and name
    std::vector<std::string> m_addresses;
    std::vector<std::vector<Call>> m_calls;
    std::vector<std::vector<Reached>> m_reached; ///< by function
    std::size_t m_steps = 0;
};

/// The runs that come to an operation that reads a weight: on the backend of the call that launches
/// it, else on the operation's own (SelectedBackend). How often is not known in a loop.
std::vector<roofline::LayerRun> runsOf(const Entries &entries, const Weight &weight,
                                       const Consumer &consumer);

} // namespace kernscope
