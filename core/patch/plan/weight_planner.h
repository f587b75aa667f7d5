// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/codec/edit/editor.h"
#include "core/container/mil/program.h"
#include "core/container/mlir/module.h"
#include "core/patch/edit/edit.h"
#include "core/patch/plan/recorder.h"

/// Constants of Core AI packages, which share attributes and blobs by their bytes, whatever their
/// types are: a zero offset may be another operation's axis.
namespace kernscope::patch {

/// Whether a part of a weight can be changed where it lies: its bytes are its own, and every
/// element has some. True for other kinds of bundles. Errors: "patch.shared", with who shares them.
Result<void> checkOwnBytes(const Bundle &bundle, const Weight &weight,
                           const codec::Operand &operand);

/// The part of a weight that an edit changes; Data for its elements, whatever stores them.
codec::PartRole editedPart(const Edit &edit);
/// checkOwnBytes of that part, for edits that cannot be planned: it says why.
Result<void> checkEditedPart(const Bundle &bundle, const Weight &weight, const Edit &edit);

/// Who reads the constants of `sharing` but for `constant`: "axis of lut_to_dense at 0x4f1, …".
std::string constantReaders(const mlir::Module &module, std::uint32_t constant,
                            const std::vector<std::uint32_t> &sharing);

/// Carries out what the codec plans for one weight: parts in weight files are written through the
/// recorder, literals of the program are collected and written anew by finish(). The decoder always
/// shows the weight as it has become.
class WeightPlanner
{
public:
    /// Errors: those of Bundle::decoder.
    static Result<WeightPlanner> make(BundlePtr bundle, std::size_t weight, Recorder &recorder);

    const codec::Decoder &decoder() const { return *m_decoder; }
    const Weight &weight() const { return m_bundle->weights()[m_weight]; }

    /// Errors: "patch.range" (a part that cannot be that long), "patch.part", those of resize().
    Result<void> apply(const codec::EditPlan &plan);
    /// Writes the text of changed literals. Errors: "patch.space" where the text has no room for
    /// one.
    Result<void> finish();

    /// All parts that a bulk edit changes lie in files, where the decoder sees each write.
    bool payloadInFile() const;
    bool changedTables() const { return m_tables; }
    /// Other weights whose stored bytes were changed along with this one's, by name.
    std::vector<std::string> alsoChanged() const;

private:
    WeightPlanner(BundlePtr bundle, std::size_t weight, Recorder &recorder)
        : m_bundle(std::move(bundle)), m_weight(weight), m_recorder(&recorder)
    {
    }

    Result<void> bind();
    /// The one that the codec's edits name by that role; null where there is none.
    const codec::Operand *operandOf(codec::PartRole role) const;
    Result<void> applyPart(const codec::PartEdit &edit);
    Result<void> resize(const codec::EditPlan &plan);
    Result<void> rewrite(const mil::Literal &literal, const std::vector<std::byte> &bytes);

    /// A literal operand and its bytes as they are to become.
    struct Changed {
        const codec::Operand *operand = nullptr;
        std::vector<std::byte> bytes;
    };

    BundlePtr m_bundle;
    std::size_t m_weight;
    Recorder *m_recorder;
    std::optional<codec::Decoder> m_decoder;
    std::vector<Changed> m_literals;
    std::vector<const codec::Operand *> m_changed; ///< of m_bundle's weight
    bool m_tables = false;
};

/// Whether the program's types say how many values a sparse weight stores, so that the number
/// cannot change in place.
bool countIsTyped(const Bundle &bundle);
/// Whether no other weight reads the mask or the stored values of a sparse weight: what one of them
/// counts is part of what each reader declares. Errors: "patch.shared".
Result<void> checkAlone(const Bundle &bundle, std::size_t weight);

/// Names of the other weights (with their function, if it is another one) that read any byte of a
/// place of `weight`.
std::vector<std::string> sharers(const Bundle &bundle, std::size_t weight,
                                 const OperandPlace &place);

} // namespace kernscope::patch
