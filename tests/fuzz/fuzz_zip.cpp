// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/archive/zip.h"
#include "tests/fuzz/fuzz_check.h"

#include <algorithm>

using namespace kernscope;

/// Members of an archive lie inside of it, apart from each other, and unpack to what they say.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto bytes = fuzz::bytesOf(data, size);
    const auto members = archive::readZip(bytes, "x.zip");
    if (!members) {
        fuzz::require(members.error().code.starts_with("zip."));
        return 0;
    }
    std::uint64_t stored = 0;
    for (const archive::ZipMember &member : *members) {
        fuzz::require(member.dataOffset <= size && member.storedBytes <= size - member.dataOffset);
        stored += member.storedBytes;
        constexpr std::uint64_t kMost = 1 << 20;
        const auto content = archive::unpack(bytes, member, kMost, "x.zip");
        fuzz::require(!content || content->size() == member.bytes);
        const auto head = archive::unpackHead(bytes, member, 64, "x.zip");
        fuzz::require(!head || head->size() <= 64);
        if (content)
            fuzz::require(head && std::equal(head->begin(), head->end(), content->begin()));
    }
    fuzz::require(stored <= size);
    return 0;
}
