// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/container/mil/program.h"
#include "core/form/operand_place.h"
#include "core/patch/reencode/reencode.h"

#include <set>

/// Private to re-encoding weights.
namespace kernscope::patch {

/// One operand: packed bytes, as a literal or as a record of the weight file, or another value.
struct DraftOperand {
    std::string name;
    ElementType type = ElementType::Unknown;
    Shape shape;
    std::vector<std::byte> bytes;
    bool literal = false;
    std::string reference;    ///< name of another value; then nothing else is set
    std::uint64_t offset = 0; ///< of the record, once the weight file is laid out
};

struct DraftOperation {
    static constexpr std::uint64_t kOpen = ~std::uint64_t{0}; ///< an extent that is not known

    std::string type;       ///< "constexpr_lut_to_dense"
    std::string output;     ///< name of the value
    std::string maskOutput; ///< name of a mask of maskShape that it makes first; empty: none
    Shape maskShape;
    std::string name; ///< attributes["name"]
    ElementType resultType = ElementType::Fp16;
    Shape resultShape;
    bool oldSignature = false;          ///< every operand is an attribute (before iOS 18)
    std::vector<DraftOperand> operands; ///< in the order of their names
};

struct DraftTarget {
    std::string output;
    std::string name;
    std::string opset; ///< "ios16"
    /// Where the parts go: all but small ones into the weight file, all that have bytes (of weights
    /// that share them), or none.
    enum class Place : std::uint8_t { WeightFile, Shared, Program } place = Place::WeightFile;
    ElementType type = ElementType::Unknown; ///< of the value; dense fp16 is cast to fp32
};

/// The operations for a weight, the last of which makes it. Errors: "encode.opset",
/// "encode.form" (the program has no operations for it).
Result<std::vector<DraftOperation>> draftOperations(const codec::EncodedWeight &encoded,
                                                    const DraftTarget &target);

/// Number of an operation set: 18 of "ios18"; 0 where it is not one of those.
unsigned opsetNumber(std::string_view opset);

/// One statement of model.mil. `blobPath` is the weight file's as the program writes it.
std::string serialiseText(const DraftOperation &operation, const std::string &blobPath,
                          unsigned opset);
/// One Operation message of an .mlpackage's model.
std::vector<std::byte> serialiseProtobuf(const DraftOperation &operation,
                                         const std::string &blobPath);

/// A value that is written in an argument, or the content of its Value message.
std::vector<std::byte> serialiseValue(const DraftOperand &operand, const std::string &blobPath,
                                      bool text, unsigned opset);
/// The offset of a record as a program writes it.
std::vector<std::byte> offsetBytes(std::uint64_t offset, bool text);

/// A weight file laid out anew.
struct BlobLayout {
    std::vector<std::byte> file;
    std::map<std::uint64_t, std::uint64_t> moved; ///< offsets of the kept records, old to new
};
/// The operations that make one weight, and the records that held it.
struct BlobGroup {
    std::vector<DraftOperation> *drafts = nullptr;
    std::set<std::uint64_t> dropped; ///< offsets of records
};
/// Every record in its order, without the dropped ones that are not kept as well; the operands of
/// each group take the place of the first of its dropped records, or the end, and learn their
/// offsets. Errors: "encode.blob" (records that overlap or are faulty; a kept offset without a
/// record).
Result<BlobLayout> layOutBlobs(std::span<const std::byte> file, const std::string &name,
                               const std::set<std::uint64_t> &kept,
                               std::span<const BlobGroup> groups);

/// Replaces a run of bytes of a program by any number of others: none removes it.
struct Splice {
    mil::SourceSpan span;
    std::vector<std::vector<std::byte>> contents;
};
/// Text: plain replacement. Splices do not overlap.
std::vector<std::byte> spliceText(std::span<const std::byte> text, std::vector<Splice> splices);
/// Protobuf: each span is the content of a field or the bytes of a number; the lengths of all
/// messages around it follow. Errors: "encode.program" where the bytes are no messages.
Result<std::vector<std::byte>> spliceProtobuf(std::span<const std::byte> message,
                                              std::vector<Splice> splices);

/// A number of the wire, and a field of bytes.
void appendVarint(std::vector<std::byte> &out, std::uint64_t value);
void appendBytes(std::vector<std::byte> &out, std::uint64_t field,
                 std::span<const std::byte> content);

/// The weight file that a program means.
std::optional<std::size_t> blobFileOf(const Bundle &bundle, std::size_t program,
                                      const mil::BlobReference &blob);

/// Whether a weight can have a form of that type and shape; `casts`: fp32 ones get a cast of fp16.
/// Errors: "encode.type", "encode.shape".
Result<void> checkForm(const Weight &weight, const codec::EncodedWeight &encoded, bool casts);

/// How the values that a weight has in a new bundle differ from those that were encoded, by more
/// than `rounding` times the largest of them; empty where they do not.
std::string differenceTo(const codec::EncodedWeight &encoded, const Result<codec::Decoder> &found,
                         double rounding = 0);

/// The weights of a neural network of the kind before programs, in a serialised Model: dense fp16,
/// affine, or a palette of one codebook. Errors: "encode.network" (a compiled one), "encode.form",
/// "encode.program", "encode.verify".
Result<BundlePtr> reencodeNetwork(const Bundle &bundle, std::span<const Reencoding> weights);

/// The bundle in memory with other bytes in the place of some files. Errors: "encode.size".
Result<BundlePtr> openWith(const Bundle &bundle,
                           std::map<std::size_t, std::vector<std::byte>> files);

/// Calls `each(operation)` for the operations of a block and of all blocks within.
template <class Each>
void visitOperations(const mil::Block &block, const Each &each)
{
    for (const mil::Operation &operation : block.operations) {
        each(operation);
        for (const mil::Block &inner : operation.blocks)
            visitOperations(inner, each);
    }
}

template <class Each>
void visitBlocks(const mil::Block &block, const Each &each)
{
    each(block);
    for (const mil::Operation &operation : block.operations) {
        for (const mil::Block &inner : operation.blocks)
            visitBlocks(inner, each);
    }
}

} // namespace kernscope::patch
