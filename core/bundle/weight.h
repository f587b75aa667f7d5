// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/container/mil/backend_notes.h"
#include "core/form/storage_form.h"
#include "core/numeric/element_type.h"

/// A weight of a bundle: how it is stored, and who reads it.
namespace kernscope {

/// How the consumer uses the weight. Fields that the program does not say stay empty.
struct ConsumerGeometry {
    std::vector<std::uint64_t> strides, dilations, pads;
    std::string padType;
    std::uint64_t groups = 1;
    bool transposeX = false, transposeY = false;
    std::optional<Shape> input;  ///< of the activation operand
    std::optional<Shape> output; ///< declared output
    bool insideLoop = false;     ///< sits in a while_loop or cond body
    std::string equation;        ///< of einsum: "bij,jk->bik"
    std::size_t operand = 0;     ///< which of the values of an einsum the weight is
    std::size_t axis = 0;        ///< of gather: the axis that it picks along
    /// Of a weight that is read through transpose, reshape or their like: by axis of what is read
    /// that of the stored weight, kNoIndex where it is none. Empty: the same axes.
    std::vector<std::size_t> storedAxes;

    friend bool operator==(const ConsumerGeometry &, const ConsumerGeometry &) = default;
};

struct Consumer {
    std::string op;                     ///< "conv"
    std::string name;                   ///< displayName of the op
    std::string param;                  ///< "weight"
    std::vector<std::string> via;       ///< ops between: "cast", "transpose"
    std::optional<std::uint64_t> flops; ///< multiply and add count as two; empty: shape unknown
    /// All arithmetic that the operation does with this operand, those of lstm, gru, rnn and einsum
    /// included, which `flops` counts as 0 (resources/formats/programs.md). Empty: an extent is
    /// unknown.
    std::optional<std::uint64_t> layerFlops;
    ConsumerGeometry geometry;
    /// Where the compiler runs the op; empty where it does not say.
    mil::BackendNotes backends;
};

/// A run of output channels: [first, first + count).
struct ChannelRun {
    std::uint64_t first = 0, count = 0;
    friend bool operator==(const ChannelRun &, const ChannelRun &) = default;
};

/// What one engine core of a hardware container loads of a weight: a plane of its slice, or the
/// whole slice where its planes are not told apart without reading it.
struct LanePiece {
    std::uint64_t lane = 0;           ///< engine core: N of the symbol's "_ne_N"
    std::uint64_t plane = 0;          ///< within the slice
    std::vector<ChannelRun> channels; ///< ascending; empty where they are not known
    ByteRange bytes;
    std::uint64_t copy = 0; ///< 1 and on: the same again, for a further stream of tasks
};

/// Whether the order of the coefficients in a container's slices is published.
enum class OrderState : std::uint8_t { Known, Assumed, Unknown };

/// How a container deals a weight's channels to engine cores (sections, hardware containers).
struct Dealing {
    std::optional<std::uint64_t> groups; ///< of the convolution; empty: its consumers say
    std::vector<std::uint64_t> lanes;    ///< of the first 64 chunks
    OrderState order = OrderState::Known;
    std::uint64_t copies = 1; ///< of the slices in all, one for each stream of tasks
    std::string sliceLaw;     ///< "round_up(2 x 16 x 25, 64) = 832 bytes (0x340)"
};

/// What a weight serves. Of a program's constants the consumers say it: all of them are weights.
enum class WeightRole : std::uint8_t {
    Weight,
    Bias,            ///< of a container: one value an output channel, beside its weight
    ActivationTable, ///< of a container: a function of all channels
};

struct Weight {
    std::string name; ///< of the value that the consumer reads
    /// attributes["name"] of the op that makes it, where that is not `name`: see opName().
    std::optional<std::string> otherOpName;
    std::string function; ///< "main"; empty where there are no functions
    std::string model;    ///< of a pipeline: "detector", "outer/inner"; empty: the model itself
    std::string sourceOp; ///< "const", "constexpr_lut_to_dense", …; "blob" in a bare weight file
    StorageForm form;     ///< formText() writes it; its operands know their places
    Shape shape;
    ElementType type = ElementType::Unknown; ///< decoded, before the conversion to fp16
    ElementCount elements;
    ByteCount storedBytes;     ///< an operand used twice counts once
    ByteCount unreadElsewhere; ///< of them, those in a missing file that an earlier weight has too
    Detail detail;             ///< further figures of its form and container, for people
    std::vector<Consumer> consumers;
    WeightRole role = WeightRole::Weight;
    std::size_t beside = kNoIndex; ///< biases and tables of a section, biases of a container: of
                                   ///< which weight
    Dealing dealing;
    /// Of a hardware container's weight, by lane and then plane, then the copies of its slices in
    /// the same order; of any other weight, and of an activation table, none.
    std::vector<LanePiece> lanePieces;

    ByteCount denseFp16Bytes() const { return ByteCount(elements.value * 2); } ///< checked on open
    double ratio() const; ///< stored bytes over dense fp16 bytes
    /// "MODEL/FUNCTION/NAME" without the parts that are empty.
    std::string address() const;
    /// attributes["name"] of the op that makes it; its name where no op does.
    const std::string &opName() const { return otherOpName ? *otherOpName : name; }
    bool sharesName = false; ///< another weight of the bundle has its name
    /// Its name where that is enough to find it, else its address.
    std::string findableName() const { return sharesName ? address() : name; }
    /// Of its form; each has a place.
    const OperandList &operands() const { return form.operands(); }
    const codec::Operand *operand(codec::PartRole wanted) const { return form.operand(wanted); }
    bool has(codec::PartRole wanted) const { return operand(wanted) != nullptr; }

    std::optional<Error> fault; ///< why it is unsound: `form` then has no encoding
};

} // namespace kernscope
