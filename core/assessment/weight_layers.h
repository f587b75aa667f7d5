// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/roofline.h"
#include "core/assessment/weight_facts.h"
#include "core/bundle/bundle.h"
#include "core/container/mil/program.h"

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
    /// One for each function that is entered and each launch that reaches it, in the program's
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

/// The runs that reach an operation that reads a weight: on the backend of the call that launches
/// it, else on the operation's own (SelectedBackend). How often is not known in a loop.
std::vector<roofline::LayerRun> runsOf(const Entries &entries, const Weight &weight,
                                       const Consumer &consumer);

/// The name of the layer that a consumer of a weight is: its operation's, or that of the weight.
const std::string &layerName(const Weight &weight, std::size_t consumer);

/// A weight and the layers that read it.
struct WeightLayers {
    decision::WeightForm form;
    roofline::Layer judged;           ///< the heaviest; of a weight in no layer one without extents
    std::vector<roofline::Layer> all; ///< none where it is in no layer
};

/// The layers of a bundle, one weight after the other: those of 50,000 weights would take more than
/// 100 MB at once. What layers of several weights share (shareOperations) is found at the
/// beginning. Reads the bundle, which has to outlive it, and keeps none of its bytes.
class LayerReader
{
public:
    explicit LayerReader(const Bundle &bundle);

    std::size_t weights() const { return m_bundle.weights().size(); }
    /// As weightForms gives it.
    decision::WeightForm form(std::size_t weight) const;
    /// One a consumer that is a layer, with the weight in `form`.
    std::vector<roofline::Layer> layers(std::size_t weight, const decision::WeightForm &form) const;
    /// The layers with the weight as it is stored.
    WeightLayers at(std::size_t weight) const;

private:
    /// What a layer has in place of its own figures, for it belongs to an operation of several.
    struct Shared {
        std::optional<std::uint64_t> flops, inputBytes, outputBytes;
        bool repeated = false; ///< another layer of the operation reads the same weight
    };
    using Places = std::vector<std::pair<std::size_t, std::size_t>>; ///< weight and consumer

    void findFunctions();
    Places mayShare() const;
    void findShared(const Places &places);

    const Bundle &m_bundle;
    Entries m_entries;
    bool m_several = false; ///< layers belong to several functions
    std::map<std::pair<std::size_t, std::size_t>, Shared> m_shared; ///< by weight and consumer
};

/// Of an operation that reads several weights (both operands of a matmul or einsum, the weights of
/// an lstm, gru or rnn, query, key and value of an attention), one layer has what the operation has
/// once: its activations, and the arithmetic of a product of two weights. So what layers add up to
/// is what the operations do. Operations are distinguished by function, type and name; those of the
/// same name in one function are left as they are.
void shareOperations(const Bundle &bundle, std::vector<roofline::Layer> &layers);

} // namespace kernscope
