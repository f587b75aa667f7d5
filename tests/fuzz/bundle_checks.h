// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/statistics.h"
#include "core/codec/decode/decoder.h"
#include "rewrite.h"
#include "tests/fuzz/fuzz_check.h"

#include <vector>

/// What every bundle that opens promises, whatever its files hold.
namespace fuzz {

/// Every byte of every file lies in exactly one section, and is found by its offset.
inline void checkSections(const kernscope::Bundle &bundle)
{
    std::size_t next = 0;
    for (std::size_t file = 0; file < bundle.files().size(); ++file) {
        const auto [first, last] = bundle.sectionsOf(file);
        require(first == next);
        std::uint64_t at = 0;
        for (std::size_t i = first; i < last; ++i) {
            const kernscope::Section &section = bundle.sections()[i];
            require(section.range.offset.value == at && section.range.bytes.value > 0);
            require(bundle.sectionAt(file, kernscope::FileOffset(at)) == i);
            at = section.range.end();
        }
        require(at == bundle.files()[file].file->size().value);
        next = last;
    }
    require(next == bundle.sections().size());
}

inline void checkWeight(const kernscope::Bundle &bundle, std::size_t index)
{
    const kernscope::Weight &weight = bundle.weights()[index];
    for (const kernscope::codec::Operand &operand : weight.operands()) {
        require(operand.place != nullptr);
        std::size_t bytes = 0;
        for (const auto &run : bundle.operandRuns(operand))
            bytes += run.size();
        require(bytes == operand.place->bytes.value);
    }
    const auto decoder = bundle.decoder(index);
    require(!weight.fault || !decoder);
    if (!decoder)
        return;
    require(decoder->elements() == weight.elements);
    if (weight.elements.value > 4096)
        return;
    const auto statistics = computeStatistics(bundle, index, {true, true});
    require(statistics && statistics->elements == weight.elements.value);
    std::vector<std::int64_t> codes(weight.elements.value);
    decoder->codes(0, codes);
}

/// `reader`: what opened it.
inline void checkBundle(const kernscope::Bundle &bundle, const kernscope::ContainerReader &reader)
{
    checkSections(bundle);
    for (std::size_t i = 0; i < bundle.weights().size(); ++i)
        checkWeight(bundle, i);
    (void)kernscope::verifyPayloads(bundle);
    // What can be written back has as many bytes as before, whatever they are.
    if (const auto written = kernscope::test::rewrite(reader, bundle.files())) {
        require(written->size() == bundle.files().size());
        for (std::size_t i = 0; i < written->size() && !kernscope::hasErrors(bundle.diagnostics());
             ++i) {
            // Of a description only what its writer writes has its blanks and its members.
            require(bundle.files()[i].role == kernscope::SectionKind::Manifest ||
                    (*written)[i].size() == bundle.files()[i].file->size().value);
        }
    }
}

inline void checkBundle(const kernscope::Bundle &bundle)
{
    const kernscope::ContainerReader *reader = kernscope::containerReader(bundle.kind());
    require(reader != nullptr);
    checkBundle(bundle, *reader);
}

} // namespace fuzz
