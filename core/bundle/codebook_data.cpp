// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/codebook_data.h"

#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "core/container/mil/program.h"

#include <bit>

namespace kernscope {

namespace {

Error codebookFault(const char *message)
{
    return ErrorBuilder("codec.codebook").field("lut").message(message);
}

/// Whether each value of a codebook differs from the disk; empty where none does.
std::vector<bool> changedValues(const Bundle &bundle, std::size_t programFile,
                                const codec::Operand &lut, std::size_t count)
{
    const OperandPlace &stored = *lut.place;
    std::vector<bool> changed(count);
    bool any = false;
    const std::uint64_t width = bitWidth(lut.type);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t first = i * width / 8, last = ((i + 1) * width - 1) / 8;
        if (!stored.isLiteral()) {
            std::uint64_t place = 8 * stored.dataOffset.value + i * width;
            if (lut.order && i < lut.order->elements())
                lut.order->positions(i, std::span(&place, 1));
            changed[i] = bundle.files()[stored.file].file->changed(
                {FileOffset(place / 8), ByteCount((place + width + 7) / 8 - place / 8)});
        } else if (stored.literal && programFile != kNoIndex) {
            const auto &spans = stored.literal->elementSpans;
            const OverlaidFile &program = *bundle.files()[programFile].file;
            if (stored.literal->packedSpan && !spans.empty())
                changed[i] = program.changed(
                    {FileOffset(spans[0].offset + first), ByteCount(last - first + 1)});
            else if (i < spans.size())
                changed[i] =
                    program.changed({FileOffset(spans[i].offset), ByteCount(spans[i].length)});
        }
        any = any || changed[i];
    }
    return any ? changed : std::vector<bool>();
}

} // namespace

Result<CodebookData> CodebookData::read(const Bundle &bundle, std::size_t weight,
                                        const codec::Decoder &decoder)
{
    const codec::Operand *lut = bundle.weights()[weight].operand(codec::PartRole::Lut);
    const auto values = decoder.codebookValues();
    if (!lut || lut->shape.empty() || values.empty())
        return tl::unexpected(codebookFault("The weight has no codebook that can be read."));
    CodebookData data;
    const std::size_t rank = lut->shape.size();
    data.vector = rank == 1 ? 1 : lut->shape[rank - 1];
    data.entries = rank == 1 ? lut->shape[0] : lut->shape[rank - 2];
    // Codebooks of a weight section have no axis for the vector.
    const codec::Palette *palette = bundle.weights()[weight].form.palette();
    if (palette && palette->entries != 0) {
        data.vector = std::max<std::uint64_t>(palette->vector, 1);
        data.entries = palette->entries;
    }
    const auto one = checkedMultiply(data.entries, data.vector);
    if (!one || *one == 0 || values.size() % *one != 0)
        return tl::unexpected(codebookFault("The extents of the codebook do not agree."));
    data.codebooks = values.size() / *one;
    data.values.assign(values.begin(), values.end());
    data.type = lut->type;
    data.indexBits =
        static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(data.entries, 2) - 1));
    data.changed = changedValues(bundle, bundle.programFileOf(bundle.weights()[weight].model), *lut,
                                 data.values.size());
    return data;
}

std::vector<std::size_t> CodebookData::duplicates(std::uint64_t codebook) const
{
    std::vector<std::size_t> found(static_cast<std::size_t>(entries), kNoIndex);
    std::map<std::vector<std::uint32_t>, std::size_t> first;
    for (std::size_t entry = 0; entry < found.size(); ++entry) {
        std::vector<std::uint32_t> bits;
        for (std::size_t lane = 0; lane < vector; ++lane)
            bits.push_back(std::bit_cast<std::uint32_t>(values[at(codebook, entry) + lane]));
        const auto [place, fresh] = first.emplace(std::move(bits), entry);
        if (!fresh)
            found[entry] = place->second;
    }
    return found;
}

} // namespace kernscope
