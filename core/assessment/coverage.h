// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/base/error.h"
#include "core/bundle/bundle_fwd.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

/// What was compressed, really: of each weight the bits that it takes, the form that was expected
/// and the form that is there.
namespace kernscope {

/// Elements of which coremltools compresses more where a configuration says nothing, and the passes
/// of coreai-opt.
inline constexpr std::uint64_t kCoremltoolsThreshold = 2048, kCoreAiThreshold = 1024;

/// "*=palette4": weights of that name are to have that form. Forms are words joined by "+":
/// "palette4", "palette", "int8", "int4", "sparse", "sparse75" (75 % of the elements left out, or
/// more), "sparse+int8", "symmetric" (codes without zero points), "blocks32" (along an axis),
/// "groups8" (of channels with a codebook of their own), "vector2", "channels" or "tensor" (a scale
/// for each, or one), "scales" (of a palette), "dense", and those of formText().
struct ExpectedForm {
    std::string pattern; ///< of names and addresses, as matchesPattern() takes them
    std::string form;    ///< "dense": left as it is
    /// Weights of as many elements and fewer may stay dense, where a compressed form is expected;
    /// empty: as many as the tools that make such a package leave.
    std::optional<std::uint64_t> threshold = {};
    bool vectors = true;   ///< false: so may weights of one axis
    bool patterns = false; ///< zeros of n:m, which takesPatterns() tells of
    /// The axis that blocks or groups lie along, below 0 from the end; empty: that of the inputs or
    /// outputs.
    std::optional<std::int64_t> axis = {};
    std::vector<std::uint64_t> blocks = {};         ///< axis by axis, where the rule lists them
    std::function<bool(const Weight &)> names = {}; ///< of configurations, in place of `pattern`
};

struct PartnerForm {
    std::string form; ///< all of it, not words of it; empty where it is not known
    std::uint64_t bytes = 0;
};

struct CoverageRules {
    std::vector<ExpectedForm> expected;    ///< a later one that matches counts
    std::vector<std::string> except;       ///< patterns of weights that may have any form
    std::vector<ExpectedForm> byOperation; ///< the pattern is of operations that read the weight
    /// Of each weight what its partner in a sibling build is; nothing where there is none. The
    /// other rules count more.
    std::vector<std::optional<PartnerForm>> ofPartners;

    bool any() const { return !expected.empty() || !byOperation.empty() || !ofPartners.empty(); }
};

/// What forms are made of, for messages.
inline constexpr std::string_view kFormWords =
    "dense, palette4, int8, symmetric, sparse, sparse75, blocks32, groups8, channels, quantized, … "
    "joined by +";
/// The first word of a form that no weight's form has ("palete4"); nothing where all are known.
std::optional<std::string> unknownFormWord(std::string_view form);

/// Error "cli.option": no "=" in it, an empty side, or no such form.
Result<ExpectedForm> readExpectedForm(std::string_view text);

/// CoverageRules::ofPartners of a sibling build. `partners`: of each weight the index of its
/// partner there, kNoIndex where there is none.
std::vector<std::optional<PartnerForm>> partnerForms(const Bundle &sibling,
                                                     std::span<const std::size_t> partners);

struct CoverageRow {
    std::size_t weight = 0;
    std::optional<double> bits; ///< stored bits over elements; empty: not known
    std::string found;          ///< "palette4", "int4, blocks of 32", "dense-fp16"
    std::string expected;       ///< empty: nothing was
    bool kept = true;
    std::string why;              ///< of one that is dense: why it may have been left
    std::uint64_t extraBytes = 0; ///< stored, beyond what the expected form would take
};

struct Coverage {
    std::vector<CoverageRow> rows; ///< by weight; of those that are asked for
    std::uint64_t parameters = 0;  ///< elements of all weights, shared ones once
    std::uint64_t storedBytes = 0;
    std::uint64_t extraBytes = 0;
    std::size_t judged = 0;   ///< rows of which a form is expected
    std::size_t broken = 0;   ///< of them, those that are not kept
    std::size_t excepted = 0; ///< rows that may have any form
    std::size_t alone = 0;    ///< rows of which none is: they have no partner in the sibling build
    std::vector<std::string> unused; ///< patterns of CoverageRules::expected that match no row

    double bits() const
    {
        return parameters == 0
                   ? 0
                   : 8 * static_cast<double>(storedBytes) / static_cast<double>(parameters);
    }
};
/// Reads tables alone. `asked`: by weight, whether it has a row; empty: all. Sums are of all.
Coverage coverageOf(const Bundle &bundle, const CoverageRules &rules,
                    const std::vector<bool> &asked = {});

/// Whether the tools that make such a bundle give the weight zeros of n:m: coremltools keeps them
/// to the weights of convolutions and linear layers.
bool takesPatterns(const Bundle &bundle, const Weight &weight);

/// What the compressed weights of a bundle say of its compression.
struct CompressedWeights {
    std::uint64_t least = UINT64_MAX; ///< elements of the smallest
    bool vectors = false;             ///< weights of one axis are among them
};
CompressedWeights compressedWeights(const Bundle &bundle);
/// Why a weight that is dense may have been left so, where nothing else is expected; empty for
/// others. `compressed`: of that bundle, for callers that ask of many weights.
std::string whyDense(const Bundle &bundle, std::size_t weight,
                     const CompressedWeights *compressed = nullptr);

/// How a package means its weights to be compressed: what its metadata says under "compression",
/// else what its weights are.
struct CompressionScheme {
    std::string text;            ///< as the package says it, one line; empty: derived
    bool compresses = false;     ///< anything at all
    std::uint64_t threshold = 0; ///< weights of fewer elements stay dense
    std::uint64_t block = 0;     ///< elements a block along the input axis; 0: no blocks
    std::uint64_t group = 0;     ///< output rows a table; 0: one for all
    std::uint64_t pattern = 0;   ///< m of n:m along the input axis; 0: none
};
CompressionScheme compressionScheme(const Bundle &package);
/// Why a dense weight should be compressed; nothing where it may be dense: too small, not divisible
/// as the scheme wants it, or no weight like it is compressed.
std::optional<std::string> notAsScheme(const Bundle &package, std::size_t weight,
                                       const ChannelAxes &axes, const CompressionScheme &scheme);

} // namespace kernscope
