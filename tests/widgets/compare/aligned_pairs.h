// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/compare/byte_differences.h"
#include "core/container/milblob/milblob.h"
#include "tests/test_program.h"

/// Bytes of two bundles that stand beside each other.
namespace kernscope::test {

inline AlignedBytesPtr alignedBytes(const BundlePtr &a, const BundlePtr &b)
{
    const auto pairs = pairWeights(*a, *b).pairs;
    return std::make_shared<AlignedBytes>(AlignedBytes{a, b, ByteAlignment(*a, *b, pairs)});
}

/// A pair of bare weight files of one record.
inline AlignedBytesPtr blobPair(const std::vector<std::uint8_t> &a,
                                const std::vector<std::uint8_t> &b)
{
    const auto bundle = [](const std::vector<std::uint8_t> &payload) {
        milblob::Writer writer;
        writer.add(ElementType::Uint8, std::as_bytes(std::span(payload)), 0);
        OpenOptions options;
        options.memory.emplace_back("weight.bin", writer.finish());
        return *Bundle::open("weight.bin", options);
    };
    return alignedBytes(bundle(a), bundle(b));
}

/// The first segment of the first payload; kNoIndex where there is none.
inline std::size_t payloadSegment(const AlignedBytes &bytes)
{
    for (const AlignedSection &section : bytes.alignment.sections()) {
        if (section.kind == SectionKind::Data)
            return section.firstSegment;
    }
    return kNoIndex;
}

} // namespace kernscope::test
