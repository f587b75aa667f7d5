// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/codec/decode/decoder.h"
#include "core/numeric/element_type.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Private to the audit: what a weight of a package should hold.
namespace kernscope::audit {

/// Which of the figures of a batch norm were folded in.
enum class Folding : std::uint8_t {
    Whole,
    NoGain,
    NoVariance,
    NoMean,
    None,
    Interleaved, ///< each channel of a group by the factor of another group's
};

/// A batch norm of the checkpoint with the convolution or linear layer before it.
struct FoldedNorm {
    std::string name; ///< "features.0.bn"
    std::size_t convolution = 0;
    std::size_t norm = 0; ///< weight, by which it is named where it has one
    std::vector<float> gain, shift, mean, variance;        ///< one a channel
    std::vector<float> bias;                               ///< of the convolution; empty: 0
    std::size_t biasTensor = static_cast<std::size_t>(-1); ///< that `bias` is of
    /// Of a transposed convolution, whose weight is [in, out / groups, …]; 0: of another layer.
    std::uint64_t groups = 0;
    bool eitherAxis = false; ///< its weight has as many rows as the norm has channels as well
    double epsilon = 1e-5;

    /// Factor of each channel.
    std::vector<float> factors(Folding folding = Folding::Whole) const;
    std::vector<float> biases(Folding folding = Folding::Whole) const;
};

/// Values that a weight may be expected to hold: a tensor of the checkpoint, a run of its rows,
/// several joined, one with a batch norm folded in.
class Reference
{
public:
    /// Elements [first, first + count) of a tensor, behind those of the piece before.
    struct Piece {
        std::size_t tensor = 0;
        std::uint64_t first = 0, count = 0;
    };

    static std::optional<Reference> whole(const Bundle &checkpoint, std::size_t tensor);
    /// Rows [first, end) of a tensor.
    static std::optional<Reference> rows(const Bundle &checkpoint, std::size_t tensor,
                                         std::uint64_t first, std::uint64_t end);
    /// The rows of several, one tensor after the other; their other extents are equal.
    static std::optional<Reference> joined(const Bundle &checkpoint,
                                           std::span<const std::size_t> tensors);
    static std::optional<Reference> foldedWeight(const Bundle &checkpoint, const FoldedNorm &norm);
    static Reference foldedBias(const FoldedNorm &norm, std::string name);
    /// What coremltools makes of a tensor of torch's LSTM, whose gates (quarters of the rows) are
    /// input, forget, cell, output: of a weight its gates in the order input, forget, output, cell,
    /// of the first bias the sum of both, of the second one nothing. Outer nothing: of no LSTM.
    static std::optional<std::optional<Reference>> ofLstm(const Bundle &checkpoint,
                                                          std::size_t tensor);
    /// The transpose of a matrix, for packages that store [in, out].
    Reference turned() const;

    void read(std::uint64_t first, std::span<float> out) const;
    /// The same without the factors of a batch norm; `scaled` puts them on afterwards: for what is
    /// done to a tensor before it is folded.
    void readPlain(std::uint64_t first, std::span<float> out) const;
    float factorOf(std::uint64_t element) const
    {
        return factors.empty() ? 1.0F : factors[channelOf(element)];
    }
    /// Spread over it, read once.
    const std::vector<float> &sampled(std::vector<float> &samples) const;
    /// Whether a weight that holds this holds something of the other one.
    bool overlaps(const Reference &other) const;
    bool isJoined() const { return !joinedNames.empty(); }
    /// The channel of the batch norm that an element belongs to.
    std::size_t channelOf(std::uint64_t element) const
    {
        const std::uint64_t row = element / rowElements;
        return static_cast<std::size_t>(groupRows == 0 ? row
                                                       : row / groupRows * shape[1] +
                                                             element % rowElements / channelRun());
    }

    std::string name;      ///< of the tensor
    std::string transform; ///< "as it is"
    Shape shape;
    std::uint64_t elements = 0, rowElements = 1; ///< rowElements: of one index of axis 0
    std::vector<Piece> pieces;
    std::vector<codec::Decoder> decoders; ///< of each piece
    std::vector<float> factors;           ///< one a channel; empty: none
    /// Of a transposed convolution: rows of a group, whose channels are along axis 1. 0: channels
    /// are rows.
    std::uint64_t groupRows = 0;
    std::vector<float> own; ///< values that were computed; empty: those of the pieces
    bool isTurned = false;
    std::size_t norm = static_cast<std::size_t>(-1); ///< index of the FoldedNorm in it
    bool isBias = false;                             ///< of that norm the bias, not the weight
    /// Of several tensors, one after the other: the last parts of their modules, "q_proj".
    std::vector<std::string> joinedNames;

private:
    /// Elements that lie one after the other and have one factor.
    std::uint64_t channelRun() const
    {
        return groupRows == 0 ? rowElements : rowElements / shape[1];
    }
};

/// The batch norms by the names of their statistics, each with the layer that it follows. `epsilon`
/// is 1e-5 until fitted. `transposed`: shapes of the weights of the package's transposed
/// convolutions.
std::vector<FoldedNorm> findNorms(const Bundle &checkpoint, const std::set<Shape> &transposed);

/// Of references the weight of the layer, or of its part, whose bias one of them is; kNoIndex.
std::size_t weightOfBias(std::span<const Reference> references, std::size_t bias);

/// A shape without its extents of 1.
Shape squeezed(const Shape &shape);
/// Runs of rows, [first, end), of which two to four follow each other and make all of a tensor,
/// and each has a shape that is wanted (squeezed shapes).
std::set<std::pair<std::uint64_t, std::uint64_t>> rowRuns(const Shape &shape,
                                                          const std::set<Shape> &wanted);

/// Two or three of these tensors that are of one module, in every order whose rows, one tensor
/// after the other, make a shape that is wanted. Nothing of modules with more tensors than are
/// joined.
std::vector<std::vector<std::size_t>> joinOrders(const Bundle &checkpoint,
                                                 const std::vector<std::size_t> &tensors,
                                                 const std::set<Shape> &wanted);

/// Relative squared distance and correlation of sampled elements.
struct Likeness {
    double distance = 1, correlation = 0;
};
Likeness likeness(std::span<const float> d, std::span<const float> r);
/// Places of at most `most` of a tensor's elements, spread over it: the same for every tensor of
/// that size.
std::vector<std::uint64_t> samplePlaces(std::uint64_t elements, std::uint64_t most);
/// Fills `samples`, where they are empty, with what `read` has at 1,024 places.
template <class Read>
const std::vector<float> &sampled(std::vector<float> &samples, std::uint64_t elements,
                                  const Read &read)
{
    for (const std::uint64_t place :
         samples.empty() ? samplePlaces(elements, 1024) : std::vector<std::uint64_t>())
        read(place, std::span(&samples.emplace_back(), 1));
    return samples;
}

} // namespace kernscope::audit
