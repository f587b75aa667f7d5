// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_facts.h"
#include "core/codec/analysis/accuracy.h"
#include "core/codec/encode/form_spec.h"

/// The form that a weight should take on a chip: the procedure of chapter 7, complete.
namespace kernscope {

struct ChooseOptions {
    double tolerance = 0.01; ///< largest relative error of the layer against fp32
    std::uint64_t batch = 1;
    Progress *progress = nullptr; ///< advances by one a candidate
};

/// A form that was considered, with its figures whether it won or not.
struct FormCandidate {
    std::string form; ///< "palette4", "palette8", "sparse", "int8", "blockwise", or the stored one
    std::uint64_t bytes = 0;
    double bytesPerWeight = 0;
    roofline::Assessment assessment; ///< of the layer with the weight in that form
    std::optional<codec::AccuracyError> error;
    bool withinTolerance = false;
    bool stored = false;    ///< the form that the weight has: taken as it is, without a new error
    std::string passedOver; ///< why it is not a candidate of the procedure; empty where it is
};

struct FormChoice {
    std::size_t weight = kNoIndex;
    std::string name, stored; ///< the weight, and the form it has
    std::string address;      ///< "MODEL/FUNCTION/NAME", as inspect gives it
    std::string title;        ///< its name where no other has it, else the address
    std::string op;           ///< of the consumer that was judged by
    roofline::Bound bound = roofline::Bound::Unknown; ///< of the layer with dense weights
    std::optional<double> zeroFraction;               ///< empty: the weight has no elements
    bool sampled = false;                             ///< figures from some of the output channels
    std::vector<FormCandidate> candidates; ///< smallest bytes first; none without elements
    /// A form, the stored one included, or "dense". Empty: the operation's shapes are not known, so
    /// nothing says whether fewer bytes help it.
    std::string chosen;
    std::string reason;
    /// What chapter 7 has beside the procedure: a form for its stored size alone. Empty: nothing.
    std::string advice;
};

/// Judges by the heaviest of the weight's layers. Errors: "choose.consumer" (no operation with a
/// kernel reads the weight), "choose.network" (it is of an old neural network), those of the
/// decoder and of placement, "choose.cancelled".
Result<FormChoice> chooseForm(const Bundle &bundle, std::size_t weight,
                              const roofline::Roofs &roofs, decision::Judge &judge,
                              const ChooseOptions &options = {});

constexpr std::uint64_t kCandidateBlock = 32; ///< most elements of a block in a candidate

/// What an encoder is asked for under a candidate's name: one codebook, a scale a channel, blocks
/// of up to 32 along the input channels as far as they divide them. Nothing for a name that is no
/// candidate.
std::optional<codec::FormSpec> formSpecOf(std::string_view form, const Shape &shape,
                                          const ChannelAxes &axes);

} // namespace kernscope
