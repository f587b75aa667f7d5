// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/byte_ranges.h"
#include "core/compare/channel_order.h"
#include "core/compare/value_difference.h"
#include "core/container/mil/program.h"

namespace kernscope {

/// The part of a larger weight that is set against the weight of the other side: the queries, keys
/// and values of attention in one weight and in three.
struct WeightSlice {
    bool ofA = true; ///< A has the larger weight (split); false: B has it (merged)
    std::size_t axis = 0;
    std::uint64_t first = 0, count = 0; ///< place of the part along the axis
    std::size_t number = 0, parts = 0;  ///< part `number` of `parts`, in their order along the axis

    std::string_view name() const { return ofA ? "split" : "merged"; }
};

/// What is compared: two weights, or a weight and a slice of a larger one. kNoIndex: that side has
/// no such weight.
struct PairSides {
    std::size_t a = kNoIndex, b = kNoIndex; ///< indices into Bundle::weights()
    std::optional<WeightSlice> slice = {};

    bool both() const { return a != kNoIndex && b != kNoIndex; }
};

/// The weight whose elements are compared one by one: that of A; of a slice of A that of B.
const Weight &comparedWeight(const Bundle &a, const Bundle &b, const PairSides &sides);
/// "split: part 2 of 3, 64 to 127 of axis 0 of the whole"; of merged ones likewise.
std::string sliceText(const WeightSlice &slice);

namespace diff {

/// Where the elements of a slice lie in the larger weight: runs of `run` elements, the first of
/// them at `start`, `stride` apart.
struct PartElements {
    std::uint64_t start = 0, run = 1, stride = 1;

    /// Element of the whole for one of the part.
    std::uint64_t inWhole(std::uint64_t element) const
    {
        return element / run * stride + start + element % run;
    }
    /// The way back; nothing for an element of another part.
    std::optional<std::uint64_t> inPart(std::uint64_t element) const
    {
        const std::uint64_t at = element % stride;
        if (at < start || at - start >= run)
            return std::nullopt;
        return element / stride * run + at - start;
    }
};

/// Of sides with a slice.
PartElements sliceOf(const Bundle &a, const Bundle &b, const PairSides &sides);

} // namespace diff

/// One thing that two programs do not have in common.
struct ProgramChange {
    enum class Kind : std::uint8_t { Removed, Inserted, Changed };
    /// What it is in the program: a weight's storage is how its constant is written (const,
    /// constexpr_…), which no operation that reads it notices.
    /// A model: one of a pipeline that is no program, such as a suppression of boxes.
    /// Interface: an input, output or state as its description has it, which apps go by.
    enum class What : std::uint8_t { Function, Operation, Storage, Model, Interface };
    Kind kind = Kind::Changed;
    What what = What::Operation;
    std::string function;  ///< of a pipeline "model/function"; of a model its path
    std::string operation; ///< displayed name, of A where it has it; empty: the function itself
    /// "conv"; where the types differ: "const > constexpr_lut_to_dense"; "input", "output",
    /// "state".
    std::string type;
    std::vector<std::string> details; ///< "strides: [1, 1] > [2, 2]"
    mil::SourceSpan spanA, spanB;     ///< of the statement; length 0 where there is none
};

/// Two programs compared as programs: functions, operations, arguments and constants, whatever
/// their notation (text or protobuf), the order of independent operations and the names of values.
struct ProgramDifference {
    bool equal = true; ///< nothing at all differs
    /// The operations that compute are equal: at most the storage of weights differs.
    bool sameComputation = true;
    std::size_t operationsA = 0, operationsB = 0; ///< without literal constants
    std::size_t matched = 0;                      ///< operations of A that B has too
    std::vector<ProgramChange> changes;           ///< in the order of A, then what only B has

    /// A change that what is computed may depend on.
    void add(ProgramChange::Kind kind, ProgramChange::What what, std::string function,
             std::string operation = {}, std::string_view type = {},
             std::vector<std::string> details = {})
    {
        changes.push_back({kind,
                           what,
                           std::move(function),
                           std::move(operation),
                           std::string(type),
                           std::move(details),
                           {},
                           {}});
        equal = sameComputation = false;
    }
};

/// "removed", "inserted", "changed".
std::string_view programChangeName(ProgramChange::Kind kind);
/// "function", "operation", "storage", "model", "interface".
std::string_view programPartName(ProgramChange::What what);

/// Matches operations by the name of what they make (without converters' suffixes), then by what
/// they compute. Constants that lie in weight files count by their type: their content is compared
/// as weights. Linear in the operations but for sorting.
ProgramDifference comparePrograms(const mil::Program &a, const mil::Program &b);

/// Adds what differs in the models of pipelines that are no programs: which there are, of what
/// kind, and the bytes of their descriptions. The bytes are those of the programs' files.
void compareModels(const mil::Program &a, std::span<const std::byte> bytesA, const mil::Program &b,
                   std::span<const std::byte> bytesB, ProgramDifference &result);
/// Adds inputs, outputs and states whose names, types, shapes or optionality differ in the
/// descriptions of models that both have. Of bundles of one kind: kinds do not say the same of
/// them.
void compareInterfaces(const mil::Program &a, const mil::Program &b, ProgramDifference &result);
/// Adds what differs in compiled Core AI programs beside the operations of their bodies: entries,
/// initialisers and shape functions, and the instructions of a body one by one where its operations
/// do not say all that it does (jumps, arrays that are read after their memory was written again).
void compareCompiled(const Bundle &a, const Bundle &b, ProgramDifference &result);

/// What makes of A all but little of B, where the two have little in common: the mistakes that
/// people look for.
struct ValueRule {
    enum class Kind : std::uint8_t {
        Scaled,     ///< every value by one factor
        Rows,       ///< by one factor an output channel (axis 0)
        Lines,      ///< by one factor an index of all axes but the last
        Columns,    ///< by one factor an input channel (axis 1)
        Blocks,     ///< by one factor a block of neighbours along the last axis
        Transposed, ///< the axes in another order
    };
    Kind kind = Kind::Scaled;
    /// One side holds codes (integers, or floating point of 8 bits and fewer) that lack the scales,
    /// or zero points, that the values of the other have.
    bool codes = false;
    double least = 1, most = 1; ///< factors
    std::uint64_t block = 0;    ///< elements of a block
    double left = 0;            ///< relative RMSE that remains, of those elements that were read
};
/// "scaled", "rows_scaled", …, "transposed".
std::string_view ruleName(ValueRule::Kind kind);
/// "scaled by 2", "rows scaled by 1.3 to 7.9, close", "codes without their scales: blocks of 32
/// scaled by 64 to 4,096", "transposed, similar".
std::string ruleText(const ValueRule &rule);

namespace diff {

/// Of two weights of one shape that were compared; nothing where they are close, or where nothing
/// explains the difference. Reads at most 2^22 elements of either, spread over them, in one pass,
/// unless one line along the last axis is longer. Hold the files for reading.
std::optional<ValueRule> findRule(const Bundle &a, std::size_t weightA, const Bundle &b,
                                  std::size_t weightB, const ValueDifference &values);
/// Of two weights whose axes may stand in another order, by at most 4,096 samples. Hold the files
/// for reading.
std::optional<ValueRule> findTransposed(const Bundle &a, std::size_t weightA, const Bundle &b,
                                        std::size_t weightB);

} // namespace diff

/// How two weights were found to be the same one (tried in this order, after what a person chose).
enum class Pairing : std::uint8_t { Consumer, Name, Content, ShapeOnly, Position, Hand };
/// "consumer", "name", "content", "shape", "position", "hand".
std::string_view pairingName(Pairing pairing);

/// How far the contents of a pair that was found by content agree.
enum class ContentKind : std::uint8_t {
    None,      ///< the pair was found otherwise
    Exact,     ///< the same decoded values, as far as they were looked at
    Nearest,   ///< nearly the same: stored otherwise, rounded, pruned, trained on
    Reordered, ///< the same channels in another order
};
/// "exact", "nearest", "reordered"; empty for None.
std::string_view contentKindName(ContentKind kind);

/// How far a pairing can be relied on.
enum class PairConfidence : std::uint8_t {
    Certain, ///< nothing else explains it
    Likely,  ///< another candidate is possible
    Guess,   ///< nothing but shape and place speak for it
};
/// "certain", "likely", "guess".
std::string_view pairConfidenceName(PairConfidence confidence);

/// Two weights, or a weight and a slice of a larger one, with what is known of them.
struct ComparedPair : PairSides {
    Pairing pairing = Pairing::Name;
    ContentKind content = ContentKind::None;
    PairConfidence confidence = PairConfidence::Certain;
    /// Of a pair that was found by similar content: correlation of sampled values, and that
    /// of the most similar other candidate (0: none). Of a slice the share of the same samples
    /// where that is nine of ten and more, 1 where they all are the same.
    std::optional<double> similarity;
    double nextSimilarity = 0;
    /// Of a pair by content: its values are the same once rounded to fp16, and were not before.
    bool rounded = false;
    /// Stored elsewhere: in another model, function or file, or after other weights than in A.
    bool moved = false;
    /// Stored bytes of B over those of A; empty where either is unknown or A stores none.
    std::optional<double> storedRatio;
    bool layoutEqual = false; ///< same form, type, shape and part sizes
    bool storedEqual = false; ///< and the same stored bytes, whatever extents of one there are
    bool shapeEqual = false;  ///< decoded values can be compared (extents of one do not count)
    bool shapeOnly = false;   ///< the layout is the same but for the shape
    /// The shapes differ, and the values are the same in the same order: found along with the
    /// values, of which there are none then.
    bool reshaped = false;
    bool damaged = false; ///< a side cannot be read: neither its layout nor its bytes are compared
    std::shared_ptr<const ValueDifference> values; ///< empty: not compared
    /// Largest quantisation step (scale) of the two; empty where neither has one that is stored
    /// plainly. Found along with the values.
    std::optional<double> step;
    std::shared_ptr<const Error> fault; ///< why the values could not be compared
    /// It cannot be compared: what happened to it is not known.
    bool unreadable() const { return damaged || fault; }
    bool reencoded() const { return !layoutEqual && !shapeOnly && !unreadable(); }
    /// What makes of A all but little of B, where they have little in common: found along with the
    /// values.
    std::optional<ValueRule> rule;
    /// The channels of B are those of A in another order: found with the pair, or, where the values
    /// in their places have little in common, along with the values.
    std::optional<ChannelOrder> order;
    std::optional<ReorderedValues> reordered; ///< values in that order, found along with `values`
    /// The weight of A whose values B holds, where they are not those of `a` although the two are
    /// called the same: found along with the values.
    std::optional<std::size_t> exchanged;
    /// The values are the same: all of them where they were compared, the sampled ones before.
    bool exact() const { return values ? values->identical() : content == ContentKind::Exact; }
};

/// Of pairs as comparisons list them: those of whole weights, which come first.
std::span<const ComparedPair> wholePairs(std::span<const ComparedPair> pairs);
/// And those of slices after them, one list for each weight that was split or merged.
std::vector<std::span<const ComparedPair>> slicedPairs(std::span<const ComparedPair> pairs);

/// One file of either bundle. Its bytes are set against those of the other side by what they
/// are: a part of a weight against the same part, a line of the program against the same line.
struct FileDifference {
    std::string path;
    std::size_t a = kNoIndex, b = kNoIndex;  ///< index into Bundle::files()
    std::optional<ByteCount> bytesA, bytesB; ///< empty: not there
    bool equal = false;                      ///< the same bytes at the same places
    bool otherNotation = false; ///< program text against protobuf: bytes are not compared
    ByteTally tally;            ///< exact, however many ranges there are
    /// Where: offsets in A, and in B. What one side has alone is in its list only. Ascending; at
    /// most kMaxRanges, the last then reaching to the end.
    std::vector<ByteRange> ranges, rangesB;
    bool rangesCut = false;
    static constexpr std::size_t kMaxRanges = 10000;
};

struct Difference {
    /// Nothing differs, and every weight could be read: every file has the same bytes, or is a
    /// program equal to the other's. Of bundles of two kinds: equal programs, and every weight the
    /// same stored bytes.
    bool identical = false;
    bool unread = false; ///< nothing that could be read differs, but some weight could not be
    std::vector<FileDifference> files;
    struct {
        bool equal = false;           ///< as programs, whatever their notation
        bool sameComputation = false; ///< equal but for how weights are stored
        bool sameBytes = false;
        std::optional<ByteCount> bytesA, bytesB;
        ProgramDifference detail;
    } program;
    /// In the order of A; then those of split and merged weights, part by part.
    std::vector<ComparedPair> weights;
    std::vector<std::size_t> onlyA, onlyB;
};

/// What a person says of two weights: that they are a pair, or, where one of the two is kNoIndex,
/// that the other one has no partner. A later choice about a weight replaces an earlier one.
struct PairChoice {
    std::size_t a = kNoIndex, b = kNoIndex;
    friend bool operator==(const PairChoice &, const PairChoice &) = default;
};

struct DiffOptions {
    bool values = false;
    double tolerance = 0;
    bool bytes = true;                  ///< compare the files' bytes as well
    std::vector<PairChoice> pairs = {}; ///< by hand
};

struct PairedWeights;

/// What a comparison says while it runs, on the thread that it runs on.
struct ComparisonSteps {
    /// The pairs. Values that are known already may be filled in: they are not read again.
    std::function<void(PairedWeights &)> paired = {};
    /// Files, program and stored bytes are compared.
    std::function<void(const Difference &)> described = {};
    /// Difference::weights[index] has its values, where asked for; again where it is `exchanged`.
    std::function<void(std::size_t index, const ComparedPair &)> compared = {};
};

/// Pairs the weights and compares layouts and stored bytes; values where asked. Costs the tables
/// and the bytes compared; memory does not grow with the weights. Takes the files' locks itself,
/// shared, weight by weight: the caller must not hold them. Errors: "task.cancelled".
Result<Difference> compareBundles(const Bundle &a, const Bundle &b, const DiffOptions &options,
                                  Progress *progress = nullptr, const ComparisonSteps &steps = {});

/// Several builds of one base, each compared by compareBundles(). `options`: one a build. Errors:
/// "task.cancelled".
Result<std::vector<Difference>> compareBuilds(const Bundle &base,
                                              std::span<const Bundle *const> builds,
                                              std::span<const DiffOptions> options,
                                              Progress *progress = nullptr);

/// Which weights belong together; each is in one of the lists.
struct PairedWeights {
    std::vector<ComparedPair> pairs; ///< as Difference::weights
    std::vector<std::size_t> onlyA, onlyB;
};
/// Pairing only: what the window shows at once. Reads the tables; of weights that neither a
/// consumer nor a name pairs, at most 65,536 decoded elements each. Choices that name no weight
/// are left out. Cancelled: pairs of whatever was looked at, which are of no use. The progress is
/// asked before every weight that is read, and not advanced.
PairedWeights pairWeights(const Bundle &a, const Bundle &b, std::span<const PairChoice> chosen = {},
                          Progress *progress = nullptr);

/// What happened to a weight on its way from A to B: "renamed", "moved", "reordered" (its
/// channels), "reshaped" (another shape), "unreadable" (one side is damaged), "re-encoded" (stored
/// otherwise), "re-trained" (most values are others, stored alike), "edited" (some are),
/// "exchanged" (they are those of another weight). What the
/// values say only where they were compared.
std::vector<std::string_view> pairChanges(const Bundle &a, const Bundle &b,
                                          const ComparedPair &pair);
/// The same as a text: "renamed, re-encoded"; empty where nothing happened. Of a slice which part
/// it is.
std::string pairChangesText(const Bundle &a, const Bundle &b, const ComparedPair &pair);

/// What came of a weight, in the words of the comparison's tables: "identical", "same values",
/// "not finite (1 value in B)", "kept values exact", "within one step", "3 values differ", "scaled
/// by 2", "close", "similar, zeros revived", "different", "split, same values", …; of a pair whose
/// values were not compared, what the stored bytes say.
std::string verdict(const ComparedPair &pair, const Bundle &a, const Bundle &b);

/// The whole comparison in one line: "program identical (2,416 bytes), 1 of 13 weights
/// re-encoded, 0 values changed beyond fp16 rounding". The part about values only where they were
/// compared.
std::string differenceSummary(const Bundle &a, const Bundle &b, const Difference &difference);

/// "identical", "different", or "cannot be compared" where nothing differs but something could not
/// be read.
std::string_view differenceWord(const Difference &difference);
/// "1 of 2 weights unreadable"; empty where every one could be read.
std::string unreadableText(const Difference &difference);

/// Why two weights were taken for one: "both are weight of conv op1", "the most similar values:
/// correlation 0.981, of the next one 0.012".
std::string pairingReason(const Bundle &a, const Bundle &b, const ComparedPair &pair);
/// In a word or two: "consumer", "content: nearest", "content: reordered".
std::string pairingText(const ComparedPair &pair);

/// Decoded values of one pair, all figures in one pass, on every processor; elements are those of
/// comparedWeight(). Takes the files' locks
/// itself, shared, for as long as it runs: the caller must not hold them. Errors: those of
/// Bundle::decoder, "diff.shape", "task.cancelled". Progress in elements.
Result<ValueDifference> compareValues(const Bundle &a, const Bundle &b, const PairSides &sides,
                                      double tolerance, Progress *progress = nullptr);

/// Fills in the values or the fault of a pair, and what follows from the values: the step, and,
/// where they have little in common in their places, the rule that explains them, or whether the
/// channels stand in another order (a search over samples, and the values once more where there is
/// one). What is stored as the same bytes in the same layout is not decoded. A pair whose samples
/// were the same and whose values are not is no exact one any more. False where cancelled.
bool findValues(const Bundle &a, const Bundle &b, ComparedPair &pair, double tolerance,
                Progress *progress = nullptr);

/// Whether weights of other shapes have the same values in the same order, or transposed; fills in
/// `reshaped` or `rule`.
/// Stops looking only at the end: meant for pairs whose numbers of elements are the same, and does
/// nothing for others. False where cancelled.
bool findReshaped(const Bundle &a, const Bundle &b, ComparedPair &pair,
                  Progress *progress = nullptr);

/// The name after the last "/" of a path within a bundle.
std::string_view lastComponent(std::string_view path);

/// How much a row of a comparison asks for attention: what cannot be compared or has no partner,
/// then values that differ, then what is not known yet, then what is the same.
struct PairSeverity {
    enum class Kind : std::uint8_t {
        NotComparable, ///< a side cannot be read, or the shapes differ
        OneSided,      ///< the weight exists on one side only
        NotFinite,     ///< values that are not finite differ: more than any difference
        Differs,       ///< values differ
        Unknown,       ///< values were not compared (yet), and the stored bytes are others
        SameValues,    ///< stored otherwise, the same values
        Identical,     ///< the same stored bytes in the same layout
    };
    Kind kind = Kind::Identical;
    double relativeRmse = 0; ///< of those that differ
    double maxAbs = 0;       ///< decides between equal ones, and then the elements that differ
    std::uint64_t different = 0;

    friend bool operator==(const PairSeverity &, const PairSeverity &) = default;
};

/// Of values; `storedEqual`: the stored bytes are the same.
PairSeverity severityOf(const ValueDifference &values, bool storedEqual);
/// Of a pair; of a weight without a partner, one of whose indices is kNoIndex, OneSided.
PairSeverity severityOf(const ComparedPair &pair);

/// True where the first one comes before the other: a strict weak order.
bool worse(const PairSeverity &x, const PairSeverity &y);
/// Indices in the order of severity, the worst first; equal ones stay as they are.
std::vector<std::size_t> worstFirst(std::span<const PairSeverity> severities);

/// Whether it holds tensors alone, without a program: a .safetensors, an .npz.
bool isCheckpoint(const Bundle &bundle);

} // namespace kernscope
