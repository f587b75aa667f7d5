// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_form.h"
#include "core/base/hash.h"
#include "core/target/target.h"

#include <array>
#include <unordered_map>

/// Stream or fold: what a chip does with a stored weight, and why (chapters 7, 25 and 36).
namespace kernscope::decision {

enum class Outcome : std::uint8_t {
    Streams,  ///< the engine reads its stored bytes
    Folds,    ///< made dense fp16 before the dispatch
    Dense,    ///< is dense already
    Rejected, ///< the compiler refuses it
    Unknown,  ///< a byte that decides is not known for the target
};
/// "streams", "folds", "dense", "rejected", "unknown".
std::string_view outcomeName(Outcome outcome);
std::optional<Outcome> outcomeFromName(std::string_view name);

/// One condition that was consulted.
struct Reason {
    std::string gate;
    bool encoder = false; ///< a rule of the encoder: which forms it can write
    std::optional<target::HalOffset> offset;
    std::optional<std::int64_t> value; ///< of the byte; empty where it is unknown or has none
    std::string found, required;       ///< in words
    std::optional<bool> passes;        ///< empty: not known
    std::string source, note;
    format::Confidence confidence = format::Confidence::Documented;
};

/// The verdict on a form on a target: the same for every weight of that form and use.
struct Verdict {
    const target::Target *target = nullptr;
    std::string key; ///< WeightForm::key
    Outcome outcome = Outcome::Unknown;
    format::Confidence confidence = format::Confidence::Documented;
    std::string basis; ///< which source decides: "gates", "chapter 7, table 7.1", …
    std::vector<Reason> reasons;
    std::vector<std::string> disagreements; ///< where tables, text and gates differ
    std::string refusedBy;                  ///< the rule by which no encoder writes it; or empty
    std::string note;                       ///< what the table says beside the outcome
    std::string nearestChange; ///< the smallest change that makes it stream, found by judging again
};

/// Of the whole weight, the bytes that the engine reads: the stored ones where it streams, dense
/// fp16 otherwise, also of what a chip refuses or leaves open (the dense weight that would have to
/// replace it). Empty: not known.
std::optional<std::uint64_t> crossingBytes(const WeightForm &form, Outcome outcome);

/// Kernel memory: what a core must hold against what it may.
struct KernelMemory {
    target::HalLayout layout = target::HalLayout::Chapters;
    target::HalOffset offset;            ///< 0x210 streamed, 0x200 dense or folded
    std::optional<std::uint64_t> cap;    ///< bytes; empty: unknown
    std::string_view source;             ///< of the cap, in the embedded table
    std::optional<std::uint64_t> demand; ///< bytes a core; empty: those of the weight are unknown
    bool replicated = false;             ///< one copy a core (M1; contested)
    std::optional<unsigned> cores;       ///< that the demand was taken with
    std::optional<bool> fits;            ///< demand is at most the cap
    bool atMost = false;    ///< the demand is a bound: how the cores share is not known
    bool contested = false; ///< sources disagree on `replicated`; by the other reading:
    std::optional<std::uint64_t> otherDemand;
    std::optional<bool> otherFits;
    std::optional<std::uint64_t> sublayers; ///< parts that the weight is split into
};

struct Speedup {
    double low = 0, high = 0; ///< times the rate of dense fp16
    std::string condition, source;
    format::Confidence confidence = format::Confidence::Documented;
};

struct Decision {
    std::shared_ptr<const Verdict> verdict;
    KernelMemory memory;
    /// A dispatch; empty: rejected or unknown, or it streams and its stored bytes are not known.
    std::optional<std::uint64_t> bytesMoved;

    Outcome outcome() const { return verdict->outcome; }
};

/// Decides; keeps the verdict of every form that it has met, so that ten thousand weights of five
/// forms cost five verdicts a target. Not for use by two threads at once.
class Judge
{
public:
    explicit Judge(target::TargetChoice choice = {}) : m_choice(choice) {}
    Judge(const Judge &) = delete;
    Judge &operator=(const Judge &) = delete;
    Judge(Judge &&) = default;
    Judge &operator=(Judge &&) = default;

    Decision decide(const WeightForm &form, const target::Target &target);
    std::shared_ptr<const Verdict> verdict(const WeightForm &form, const target::Target &target);
    /// The verdicts on all targets, by Target::index: one look-up for a whole row.
    std::span<const std::shared_ptr<const Verdict>> verdicts(const WeightForm &form);
    KernelMemory memory(const WeightForm &form, const Verdict &verdict);
    /// The sizes of a weight under a verdict that this judge gave.
    Decision sized(const WeightForm &form, std::shared_ptr<const Verdict> verdict);
    const target::TargetChoice &choice() const { return m_choice; }

private:
    using Row = std::vector<std::shared_ptr<const Verdict>>; ///< by Target::index; null: not asked
    static constexpr std::size_t kMostForms = 4096;

    Row &rowOf(const WeightForm &form);

    target::TargetChoice m_choice;
    std::unordered_map<std::string, Row> m_verdicts; ///< by what verdicts depend on
    /// Of forms that were met lately: what their verdicts depend on takes longer than to find them.
    std::unordered_map<WeightForm, Row *, Hashed> m_rows;
    /// By target: the caps of folded and dense weights, and of streamed ones.
    std::vector<std::array<KernelMemory, 2>> m_caps;
};

/// Without a cache. The nearest change is left out.
Verdict judgeForm(const WeightForm &form, const target::Target &target);

/// Why no encoder of the target writes the form: the first rule that refuses it; else empty. The
/// use of the weight plays no part.
std::optional<Reason> encoderRefusal(WeightForm form, const target::Target &target);

/// A cap on kernel memory with a weight's demand against it.
KernelMemory withDemand(KernelMemory memory, const std::optional<std::uint64_t> &bytes);

/// The conditions of chapter 25 that apply to a form, each consulted on a target.
struct GateReasons {
    std::vector<Reason> all;
    bool useFails = false;      ///< stride, dilation, overlap, mutable or not a kernel
    bool formatRefused = false; ///< the descriptor has no encoding for it
    bool formatUnknown = false; ///< it is not published how the element would be kept
    bool gateClear = false;     ///< a byte that must be set is 0
    bool gateUnknown = false;
    bool noStreamedForm = false; ///< no gate would help: four-bit blocks, E5M2
    std::vector<std::string> disagreements;
};

GateReasons consultGates(const WeightForm &form, const target::Target &target);

} // namespace kernscope::decision
