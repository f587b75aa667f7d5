// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/save/journal.h"
#include "tests/fuzz/fuzz_check.h"

using namespace kernscope;

/// The journal's body, with a header and a digest that fit: what a file of another origin can hold.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    std::uint64_t entries = 0;
    for (std::size_t i = 0; i < 8 && i < size; ++i)
        entries = entries << 8 | data[i];
    const auto body = fuzz::bytesOf(data, size).subspan(size < 8 ? size : 8);
    for (const std::uint64_t count : {entries, entries % 8}) {
        const auto parsed = patch::parseJournalEntries(body, count);
        if (!parsed)
            continue;
        fuzz::require(parsed->size() == count);
        for (const patch::JournalEntry &entry : *parsed) {
            fuzz::require(patch::staysInside(entry.path));
            fuzz::require(entry.before.size() == entry.after.size());
            fuzz::require(entry.offset + entry.before.size() <= entry.fileBytes);
        }
    }
    return 0;
}
