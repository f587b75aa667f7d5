// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/order_layout.h"
#include "core/numeric/element_type.h"

#include <functional>
#include <variant>

/// How a weight is stored, as every program form combines it (resources/formats/forms.md):
///
///     output element at position p = scaled( looked up( payload at p ) )
///
/// with each step optional and the payload either full or compacted by a mask. dense, affine,
/// lut, sparse, blockwise, sparse+lut, sparse+blockwise, blockwise+lut and lut+blockwise are all
/// subsets of it, as core/form/storage_form.h names them. A codec knows nothing of files: it reads
/// the spans of the operands, and never their places.
namespace kernscope {
struct OperandPlace;
}

namespace kernscope::codec {

/// What a stored part of a weight is for. Notations by partRoleName are those of the contract.
enum class PartRole : std::uint8_t {
    Data,
    Indices,
    Lut,
    Mask,
    NonzeroData,
    Scale,
    ZeroPoint,
    Offset,
    Bias
};
/// "data", "indices", "lut", "mask", "nonzero_data", "scale", "zero_point", "offset", "bias".
std::string_view partRoleName(PartRole role);
std::optional<PartRole> partRoleFromName(std::string_view name);

/// A stored tensor: packed elements, row-major, little-endian, sub-byte types as one LSB-first bit
/// stream. `type` and `shape` are those that the codec reads.
struct Operand {
    PartRole role = PartRole::Data;
    ElementType type = ElementType::Unknown;
    Shape shape;
    std::span<const std::byte> bytes; ///< at least packedBytes(elementCount(shape), type)
    /// Where the elements lie, if not row by row; `bytes` then has at least order->extent(). A
    /// payload with an order has one position for every element of the tensor, and its palette no
    /// vectors. It has a mask only where it leaves zeros out (skipsZeros()): the mask then has an
    /// order too and says nothing that the payload's does not.
    std::shared_ptr<const ElementOrder> order = nullptr;
    /// Where `bytes` lie in the files of a bundle; null where they are in memory alone.
    std::shared_ptr<const OperandPlace> place = nullptr;

    /// Why an edit of it is refused, as its place says; empty where it is not.
    std::string_view lockReason() const;
    /// As its file declares the bytes: `type` and `shape`, unless its place says otherwise.
    ElementType declaredType() const;
    const Shape &declaredShape() const;
};

/// Ops that may feed one another to make one weight; real programs have two. Readers refuse more,
/// so that every weight without a fault has a decoder.
inline constexpr unsigned kMaxChainedOps = 6;

struct Encoding;
/// An operand, or the result of another constexpr op (a scaled codebook, a coded scale).
using OperandSource = std::variant<Operand, std::shared_ptr<const Encoding>>;

/// The operand, where it is stored; null where another op makes it.
const Operand *storedOperand(const OperandSource &source);
/// Of the operand, or of what another op makes; Unknown and a scalar's where there is neither.
ElementType sourceType(const OperandSource &source);
const Shape &sourceShape(const OperandSource &source);

/// Whether a grid of as many axes divides a tensor into equal blocks.
bool dividesInto(std::span<const std::uint64_t> grid, std::span<const std::uint64_t> shape);

/// Palette step. lut shape is [g0 .. g(R-1), K, V] (iOS 18) or [K] (iOS 16, one codebook).
struct Palette {
    OperandSource lut;
    Shape grid;                   ///< g0 .. g(R-1): codebooks along each axis of the index tensor
    std::uint64_t entries = 0;    ///< K = 2^index width
    std::uint64_t vector = 1;     ///< V: elements one index stands for
    std::uint64_t vectorAxis = 0; ///< output axis that the V elements lie along
};

/// Scale step: w = scale * (q - offset); or w = scale * q + offset.
struct Scaling {
    enum class Kind : std::uint8_t {
        Affine, ///< iOS 16: fp32 arithmetic, one rounding to the output type; vector along `axis`
        Blockwise, ///< iOS 18: arithmetic in the output type; scale has the rank of the data
    };
    Kind kind = Kind::Affine;
    OperandSource scale;
    std::optional<OperandSource> offset; ///< zero point (affine) or offset (blockwise)
    std::uint64_t axis = 0;              ///< affine with a vector scale or zero point only
    /// Old neural networks (affine only): the offset is a bias that is added to the product, which
    /// is rounded to fp32 before.
    bool addsOffset = false;
    /// Core AI (blockwise only): what is added to the product, of the scale's shape or one number.
    std::optional<OperandSource> bias;
    /// How the steps are rounded (coreai-format.md, section 7).
    enum class Steps : std::uint8_t {
        Program,    ///< as `kind` says
        Difference, ///< Core AI, T the decoded type: T(T(T(q - offset) * scale) + bias)
        /// Blocks along the last axis: T(T(q * scale) + T(bias - T(offset * scale))); where T is
        /// bf16, all of it in fp32 and rounded once.
        Product,
        Quotient, ///< T(q / scale): of scales that are divided by one number
    };
    Steps steps = Steps::Program;
    /// An element that the mask leaves out is code 0, scaled as the others are; else it is 0.
    bool scalesGaps = false;
};

/// One weight's storage.
struct Encoding {
    ElementType type = ElementType::Fp16; ///< decoded type T
    Shape shape;                          ///< decoded shape
    std::optional<Operand> mask;          ///< bit set: element is stored; payload then is compact
    OperandSource payload;                ///< data, packed indices, or the mask's survivors
    std::optional<Palette> palette;
    std::optional<Scaling> scaling;
    /// The numbers that the steps give are of another type and converted to `type`: rounded to
    /// nearest even, towards zero where it is an integer's. (A cast that loses nothing, too.)
    bool converts = false;
    /// Of a payload that another op makes: where it is read in another order, eight times the
    /// element of it that each element is.
    std::shared_ptr<const ElementOrder> view = nullptr;
};

/// The element of a payload that another op makes which an element is.
std::uint64_t madeElement(const Encoding &encoding, std::uint64_t element);

/// The stored operands of an encoding: mask, payload, codebook, scale, offset, those of nested
/// encodings in place of their result. They live as long as the encoding.
std::vector<const Operand *> operandsOf(const Encoding &encoding);
/// The operand of that role that belongs to the encoding itself, else the only one of a nested one
/// (the entries of a codebook that is scaled, and their scale); null where there is none.
const Operand *ownOperand(const Encoding &encoding, PartRole role);
/// The encoding with each of its operands changed, those of nested encodings too, which it shares
/// with no other encoding any more.
Encoding withOperands(Encoding encoding, const std::function<void(Operand &)> &change);

/// Code of one element as stored, wherever its order puts it: an integer, or the bits of a
/// floating-point number. `width` bits each, which are fewer than the type's for indices and masks
/// that are declared as bytes. Nothing past the last element, or where the element is not stored.
std::optional<std::int64_t> operandCode(const Operand &operand, unsigned width,
                                        std::uint64_t index);
/// Its value, as a number of the operand's type.
std::optional<double> operandValue(const Operand &operand, std::uint64_t index);

/// The elements of an operand that has an order, packed row by row. The caller has checked their
/// number.
std::vector<std::byte> gathered(const Operand &operand, std::uint64_t count);

/// What bound() gives for an operand whose bytes are packed as a whole, such as a deflated member
/// of an archive: bytes() take the place of the operand's, in order(). Lives as long as the bytes.
class UnpackedBytes
{
public:
    virtual ~UnpackedBytes() = default;
    virtual std::span<const std::byte> bytes() const = 0;
    /// Of the elements in bytes(); null where they lie row by row.
    virtual std::shared_ptr<const ElementOrder> order() const = 0;
};

/// The order of such an operand: none of its elements has a place of its own in the file.
class PackedBytes : public ElementOrder
{
public:
    void positions(std::uint64_t, std::span<std::uint64_t> out) const override
    {
        for (std::uint64_t &position : out)
            position = kAbsent;
    }
    /// True once somebody asked for the bytes.
    virtual bool isUnpacked() const = 0;
};

} // namespace kernscope::codec
