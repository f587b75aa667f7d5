// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/bundle/statistics.h"
#include "tests/fuzz/bundle_seeds.h"
#include "tests/fuzz/fuzz_check.h"

#include <algorithm>
#include <string_view>
#include <vector>

using namespace kernscope;

namespace {

std::vector<std::byte> copyOf(std::string_view text)
{
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

/// Every byte of every file lies in exactly one section, and is found by its offset.
void checkSections(const Bundle &bundle)
{
    std::size_t next = 0;
    for (std::size_t file = 0; file < bundle.files().size(); ++file) {
        const auto [first, last] = bundle.sectionsOf(file);
        fuzz::require(first == next);
        std::uint64_t at = 0;
        for (std::size_t i = first; i < last; ++i) {
            const Section &section = bundle.sections()[i];
            fuzz::require(section.range.offset.value == at && section.range.bytes.value > 0);
            fuzz::require(bundle.sectionAt(file, FileOffset(at)) == i);
            at = section.range.end();
        }
        fuzz::require(at == bundle.files()[file].file->size().value);
        next = last;
    }
    fuzz::require(next == bundle.sections().size());
}

void checkWeight(const Bundle &bundle, std::size_t index)
{
    const Weight &weight = bundle.weights()[index];
    for (const Part &part : weight.parts)
        fuzz::require(bundle.partBytes(part).size() == part.bytes.value);
    const auto decoder = bundle.decoder(index);
    fuzz::require(!weight.fault || !decoder);
    if (!decoder)
        return;
    fuzz::require(decoder->elements() == weight.elements);
    if (weight.elements.value > 4096)
        return;
    const auto statistics = computeStatistics(bundle, index, {true, true});
    fuzz::require(statistics && statistics->elements == weight.elements.value);
    std::vector<std::int64_t> codes(weight.elements.value);
    decoder->codes(0, codes);
}

} // namespace

/// A program and a weight file: whatever they hold, the bundle opens, its sections cover the files,
/// and what is not marked as faulty decodes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view input(reinterpret_cast<const char *>(data), size);
    const std::size_t cut = std::min(input.find(fuzz::kWeightsMark), size);
    const std::string_view weights = input.substr(std::min(size, cut + fuzz::kWeightsMark.size()));
    OpenOptions options;
    options.memory = {{"model.mil", copyOf(input.substr(0, cut))},
                      {"weights/weight.bin", copyOf(weights)}};
    const auto bundle = Bundle::open("fuzz.mlmodelc", options);
    fuzz::require(bundle.has_value());
    checkSections(**bundle);
    for (std::size_t i = 0; i < (*bundle)->weights().size(); ++i)
        checkWeight(**bundle, i);
    (void)verifyPayloads(**bundle);
    return 0;
}
