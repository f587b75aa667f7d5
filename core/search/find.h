// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/search/pattern.h"

namespace kernscope::search {

/// A stored code that names what is not there.
struct StrayCode {
    /// Of a codebook: where the code lies, to whole bytes. Of a code that the program has as a
    /// literal in the file of the program; of one whose place is not known no file.
    std::size_t file = kNoIndex;
    ByteRange bytes;
    std::uint64_t index = 0;   ///< of a codebook: number of the code among the stored ones. Of a
                               ///< mask: the element that it keeps, row-major
    bool ofMask = false;       ///< the element has no stored value
    std::uint64_t code = 0;    ///< entry of the codebook, or number of the stored value, from 0
    std::uint64_t entries = 0; ///< number of entries: code >= entries
};
/// False: no more are wanted.
using TakeStray = std::function<bool(const StrayCode &)>;

enum class What : std::uint8_t {
    Bytes,      ///< a pattern, in the stored bytes
    ZeroBytes,  ///< runs of bytes that are 0
    Value,      ///< decoded elements near a value
    NotANumber, ///< decoded elements
    Infinite,   ///< decoded elements, of either sign
    ZeroValues, ///< runs of decoded elements that are 0, in the order of the elements
    Largest,    ///< the decoded elements of largest magnitude; NaN has none
    OutOfRange, ///< stored codes that name what is not there: see StrayCode
};
/// True for those that look at weight by weight, false for those that look at stored bytes.
bool ofElements(What what);

struct Query {
    What what = What::Bytes;
    BytePattern pattern; ///< of Bytes
    bool text = false;   ///< of Bytes: the pattern was typed as a text
    double value = 0;    ///< of Value
    /// Of Value, where it is an integer that a double does not hold: the number that elements of
    /// 64 bits are compared with unless there is a tolerance.
    std::optional<WideInteger> wide;
    std::optional<double> tolerance; ///< of Value: 0 or more, absolute. Empty: elements that are
                                     ///< what the weight's type makes of the value
    std::uint64_t least = 1;         ///< length of a run: 1 or more
    std::size_t weight = kNoIndex;   ///< only its parts and elements; kNoIndex: the whole bundle
    std::size_t most = 10'000;       ///< the most hits, 1 or more; of Largest the exact number
};

/// One place: of bytes a range of a file, of elements an index of a weight. A code out of range is
/// either: bytes of the indices of a weight that cannot be decoded, or an element that a mask
/// keeps.
struct Hit {
    std::size_t file = kNoIndex; ///< of bytes
    ByteRange bytes;
    std::size_t section = kNoIndex;       ///< that the first byte lies in
    std::size_t weight = kNoIndex;        ///< of elements; of bytes, where they are part of one
    std::optional<std::uint64_t> element; ///< row-major
    std::uint64_t count = 1;              ///< elements of a run
    std::optional<double> value;          ///< of the first element
    std::optional<WideInteger> wide;      ///< of the first element, where a double is not exact
    std::optional<StrayCode> stray;       ///< of OutOfRange

    /// The value as it is: "0.3", "18446744073709551615"; empty where there is none.
    std::string valueText() const;
};

struct Found {
    /// Bytes by file and offset, elements by weight and index; of Largest by magnitude, the largest
    /// first, equals by weight and index; codes out of range by weight and number.
    std::vector<Hit> hits;
    bool complete = true; ///< false: there may be more than Query::most
    /// Weights that could not be decoded, and so were not looked at.
    Diagnostics diagnostics;
};

/// Bytes in holes of sparse files that are searched; each reads as a zero.
inline constexpr std::uint64_t kMostHoles = std::uint64_t(16) << 30;

/// What `find` looks at, in bytes or elements: the total for its progress.
std::uint64_t workOf(const Bundle &bundle, const Query &query);

/// Every place that fits. Byte patterns may overlap each other. Literals of a program count as the
/// text that they are written in. Hold the bundle's read lock. Errors: "search.pattern" (an empty
/// pattern, a tolerance below 0 or not a number, a run or a limit of 0), "search.weight" (no such
/// weight), "search.limit" (more than kMostHoles), "codec.…" (the one weight cannot be decoded),
/// "task.cancelled".
Result<Found> find(const Bundle &bundle, const Query &query, Progress *progress = nullptr);

/// "conv1_weight[3,0,1]": as patches and the window's Go To take it.
std::string elementAddress(const Weight &weight, std::uint64_t element);
/// "weights/weight.bin:0x1f40"
std::string byteAddress(const Bundle &bundle, const Hit &hit);

/// What scanStrayCodes() goes through: its progress advances by at most this.
std::uint64_t strayWork(const Weight &weight);

/// Every code of a palette's indices past the last entry of its codebook, and every element that a
/// mask keeps while no value is stored for it, ascending. A weight that decodes has the former
/// never: its codebook has an entry for each code. Of one that does not the operands that are known
/// are read. False where `take` or the progress wanted no more. Errors: the weight's fault, where
/// it may have such codes but not enough is known to tell; hold the bundle's read lock.
Result<bool> scanStrayCodes(const Bundle &bundle, std::size_t weight, const TakeStray &take,
                            Progress *progress);

/// Keeps the elements of largest magnitude among those that it is shown, at most `most` of them.
/// Infinities are larger than all numbers; NaN has no magnitude and is not kept. Of equals the
/// first that was shown stays.
class Largest
{
public:
    explicit Largest(std::size_t most) : m_most(most) {}

    /// Shows it an element.
    void take(std::size_t weight, std::uint64_t element, const ElementValue &value);
    /// False where an element had to go.
    bool complete() const { return m_complete; }
    /// The largest first; of equals the one shown first. Leaves none here.
    std::vector<Hit> take();

private:
    static bool larger(const Hit &a, const Hit &b);
    /// Whether `a` comes before `b` in the answer.
    static bool before(const Hit &a, const Hit &b);

    std::size_t m_most;
    bool m_complete = true;
    std::vector<Hit> m_heap; ///< the one to go next is in front
};

} // namespace kernscope::search
