// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/form_encoder.h"

#include <array>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

constexpr std::array<std::string_view, 1> kBlockwisePrefixes{"blockwise"};

std::string describeBlockwise(const FormSpec &spec)
{
    const BlockwiseOptions &options = spec.blockwise;
    return fmt::format("blockwise {}, blocks of {} along axis {}{}",
                       elementTypeName(options.codeType), options.block, options.axis,
                       options.withOffset ? ", with offsets" : "");
}

std::string blockwiseName(const FormSpec &spec)
{
    const BlockwiseOptions &blocks = spec.blockwise;
    return fmt::format("blockwise-{}-{}{}", elementTypeName(blocks.codeType), blocks.block,
                       blocks.withOffset && isSignedInteger(blocks.codeType) ? "-offset" : "");
}

bool readBlockwise(std::string_view name, const EncodedAxes &axes, FormSpec &spec)
{
    BlockwiseOptions &blocks = spec.blockwise;
    name.remove_prefix(kBlockwisePrefixes.front().size());
    const std::string_view type = nextWord(name);
    if (type != "int4" && type != "uint4" && type != "int8" && type != "uint8")
        return false;
    blocks.codeType = elementTypeFromName(type);
    const auto block = positiveNumber(nextWord(name));
    if (!block || (!name.empty() && name != "-offset"))
        return false;
    blocks.block = *block;
    blocks.axis = axes.input;
    blocks.channels = axes.output;
    blocks.withOffset = !name.empty() || !isSignedInteger(blocks.codeType);
    return true;
}

ElementsMade blockwiseMade(const FormSpec &spec)
{
    return {.node = FormNode::Blockwise,
            .type = spec.blockwise.codeType,
            .zeroPoint = spec.blockwise.withOffset};
}

} // namespace

extern const FormEncoder kBlockwiseEncoder;
const FormEncoder kBlockwiseEncoder{
    .node = FormNode::Blockwise,
    .word = "blockwise",
    .prefixes = kBlockwisePrefixes,
    .examples = "blockwise-int4-32",
    .reads = {.codes = true, .blocks = true},
    .encode =
        [](std::span<const float> values, const Shape &shape, const FormSpec &spec,
           std::span<const float> masses) {
            return encodeBlockwise(values, shape, spec.blockwise, masses);
        },
    .encodeKept =
        [](std::span<const float> values, const EncodedWeight &sparse, const FormSpec &spec,
           std::span<const float> masses) {
            return encodeSparseBlockwise(values, sparse, spec.blockwise, masses);
        },
    .describe = describeBlockwise,
    .name = blockwiseName,
    .read = readBlockwise,
    .made = blockwiseMade,
    .symmetric = [](const FormSpec &spec) { return !spec.blockwise.withOffset; },
};

} // namespace kernscope::codec
