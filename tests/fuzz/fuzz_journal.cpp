// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/save/journal.h"
#include "tests/fuzz/fuzz_check.h"

#include <algorithm>
#include <string_view>
#include <vector>

using namespace kernscope;

namespace {

void put(std::vector<std::byte> &out, std::uint64_t value)
{
    for (int i = 0; i < 8; ++i)
        out.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
}

/// What holds of every journal that was accepted.
void check(const patch::JournalIndex &index, std::uint64_t size)
{
    for (const patch::JournalledFile &file : index.files)
        fuzz::require(patch::staysInside(file.path) || file.path == patch::kBundleItself);
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < index.runs.size(); ++i) {
        const patch::JournalRun &run = index.runs[i];
        fuzz::require(run.file < index.files.size());
        fuzz::require(run.bytes > 0 && run.bytes <= size / 2 && run.at <= size - 2 * run.bytes);
        fuzz::require(run.offset + run.bytes <= index.files[run.file].bytes);
        fuzz::require(i == 0 || run.file > index.runs[i - 1].file ||
                      (run.file == index.runs[i - 1].file && run.offset >= end));
        end = run.offset + run.bytes;
    }
}

void tryJournal(std::span<const std::byte> journal, std::uint64_t size)
{
    const auto read = [&](std::uint64_t offset, std::span<std::byte> bytes) -> Result<void> {
        fuzz::require(offset <= size && bytes.size() <= size - offset);
        // Behind what there is, zeros: a sparse file.
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = offset + i < journal.size() ? journal[offset + i] : std::byte{};
        return {};
    };
    if (const auto index = patch::indexJournal(size, read))
        check(*index, size);
    if (size <= 4 * journal.size())
        (void)patch::checkJournalDigest(size, read, nullptr);
}

} // namespace

/// The journal as it is; then its body with a header that fits, as a file of another origin can
/// hold; then the same as the beginning of a huge sparse file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto input = fuzz::bytesOf(data, size);
    tryJournal(input, size);
    std::uint64_t entries = 0;
    for (std::size_t i = 0; i < 8 && i < size; ++i)
        entries = entries << 8 | data[i];
    const auto body = input.subspan(std::min<std::size_t>(size, 8));
    constexpr std::string_view kMagic = "KSJOURN1";
    constexpr std::uint64_t kSparse = std::uint64_t{1} << 40;
    for (const std::uint64_t length : {std::uint64_t{24 + 32} + body.size(), kSparse}) {
        for (const std::uint64_t count : {entries, entries % 8}) {
            std::vector<std::byte> journal;
            for (const char letter : kMagic)
                journal.push_back(static_cast<std::byte>(letter));
            put(journal, length);
            put(journal, count);
            journal.insert(journal.end(), body.begin(), body.end());
            tryJournal(journal, length);
        }
    }
    return 0;
}
