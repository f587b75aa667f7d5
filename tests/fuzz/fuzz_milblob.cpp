// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/milblob/milblob.h"
#include "rewrite.h"
#include "tests/fuzz/fuzz_check.h"

#include <algorithm>

using namespace kernscope;

/// Records lie in the file and in its order; what can be written back is written back the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto file = fuzz::bytesOf(data, size);
    const auto blob = milblob::readBlobFile(file, "weight.bin");
    const milblob::Record *before = nullptr;
    for (const milblob::Record &record : blob.records) {
        fuzz::require(fitsInside(record.payload(), ByteCount(size)));
        fuzz::require(packedBytes(record.elements, record.type).value() <= record.bytes);
        fuzz::require(before == nullptr || before->metaOffset < record.metaOffset);
        fuzz::require(milblob::readRecord(file, record.metaOffset, "weight.bin").has_value());
        before = &record;
    }
    if (const auto again = milblob::reencode(file, "weight.bin"))
        fuzz::require(std::equal(again->begin(), again->end(), file.begin(), file.end()));
    if (size >= 8) { // any offset may be asked for
        std::uint64_t offset = 0;
        for (std::size_t i = 0; i < 8; ++i)
            offset = offset << 8 | data[size - 8 + i];
        const auto record = milblob::readRecord(file, FileOffset(offset), "weight.bin");
        fuzz::require(!record || fitsInside(record->payload(), ByteCount(size)));
    }
    return 0;
}
