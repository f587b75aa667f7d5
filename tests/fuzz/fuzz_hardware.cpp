// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/codec/edit/editor.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/fuzz/mutators.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace kernscope;

namespace {

constexpr std::uint64_t kMostElements = 4096;

/// Every byte lies in exactly one section.
void checkCover(const Bundle &bundle)
{
    std::uint64_t at = 0;
    for (const Section &section : bundle.sections()) {
        fuzz::require(section.range.offset.value == at && section.range.bytes.value > 0);
        fuzz::require(section.weight == kNoIndex || section.weight < bundle.weights().size());
        at = section.range.end();
    }
    fuzz::require(at == bundle.totalBytes().value);
}

/// Edits stay within the pieces of their operands.
void checkEdits(const Weight &weight, const codec::Decoder &decoder)
{
    const codec::Editor editor(decoder);
    for (std::uint64_t element = 0; element < std::min<std::uint64_t>(64, weight.elements.value);
         ++element) {
        const auto plan = editor.setElement(element, 0.5, 1.0);
        if (!plan)
            continue;
        for (const codec::PartEdit &edit : plan->parts) {
            const codec::Operand *operand = weight.operand(edit.role);
            fuzz::require(
                operand != nullptr &&
                operand->place->holds({FileOffset(edit.offset), ByteCount(edit.bytes.size())}));
        }
        fuzz::require(decoder.stored(element) || plan->parts.empty());
    }
}

void checkWeight(const Bundle &bundle, std::size_t index)
{
    const Weight &weight = bundle.weights()[index];
    for (const codec::Operand &operand : weight.operands()) {
        fuzz::require(operand.place->range().end() <= bundle.totalBytes().value);
        std::uint64_t bytes = 0;
        for (const auto run : bundle.operandRuns(operand))
            bytes += run.size();
        fuzz::require(bytes == operand.place->bytes.value);
    }
    const auto decoder = bundle.decoder(index);
    fuzz::require(!weight.fault || !decoder);
    if (!decoder || weight.elements.value > kMostElements)
        return;
    std::vector<std::uint16_t> halves(weight.elements.value);
    decoder->decodeHalf(0, halves);
    std::vector<std::int64_t> codes(weight.elements.value);
    decoder->codes(0, codes);
    if (decoder->encoding().mask) {
        std::uint64_t kept = 0;
        for (std::uint64_t i = 0; i < weight.elements.value; ++i) {
            const auto bit = codec::operandCode(*decoder->encoding().mask, 1, i);
            fuzz::require(bit && (*bit != 0) == decoder->stored(i) && decoder->rank(i) == kept);
            kept += decoder->stored(i) ? 1 : 0;
        }
        fuzz::require(decoder->payloadElements().value == kept);
    }
    checkEdits(weight, *decoder);
}

} // namespace

/// A hardware container or a weight section as a bundle: it opens, its sections cover the file, and
/// what decodes and what edits change lies where the parts say.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto bytes = fuzz::bytesOf(data, size);
    const auto bundle =
        Bundle::open("x.hwx", {.memory = {{"x.hwx", {bytes.begin(), bytes.end()}}}});
    if (!bundle || ((*bundle)->kind() != BundleKind::Hwx && (*bundle)->kind() != BundleKind::Anec &&
                    (*bundle)->kind() != BundleKind::Section))
        return 0;
    checkCover(**bundle);
    for (std::size_t i = 0; i < (*bundle)->weights().size() && i < 64; ++i)
        checkWeight(**bundle, i);
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size,
                                               std::size_t most, unsigned seed)
{
    return fuzz::mutateCommands(data, size, most, seed);
}
