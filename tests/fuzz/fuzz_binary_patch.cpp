// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/difference_formats.h"
#include "tests/core/patch/patched_bytes.h"
#include "tests/fuzz/fuzz_check.h"

#include <algorithm>
#include <vector>

using namespace kernscope;

namespace {

/// The file that every patch is applied to: the one that the seeds are for.
std::vector<std::byte> fileOfSeeds()
{
    std::vector<std::byte> file;
    for (int i = 0; i < 1000; ++i)
        file.push_back(static_cast<std::byte>(i * 7 % 251));
    return file;
}

void putLittle(std::vector<std::byte> &bytes, std::size_t at, std::uint32_t value)
{
    for (std::size_t i = 0; i < 4; ++i)
        bytes[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xFF);
}

void check(std::span<const std::byte> file, std::span<const std::byte> patch)
{
    const auto made = test::patchedBytes(file, patch, "x.bps");
    if (!made) {
        fuzz::require(made.error().code.starts_with("binary_patch."));
        fuzz::require(made.error().offset && made.error().offset->value <= patch.size());
        fuzz::require(!made.error().message.empty());
        return;
    }
    const std::uint64_t most =
        std::max(patch::kLeastLimit, (file.size() + patch.size()) * patch::kMostGrowth);
    fuzz::require(made->bytes <= most);
    fuzz::require(made->sourceChecked == (made->format == patch::BinaryFormat::Bps));
    const auto head = patch::readBinaryPatch(patch, "x.bps");
    fuzz::require(head && head->format == made->format);
    fuzz::require(!head->targetBytes || head->targetBytes == made->bytes);
}

/// What is written as a patch makes the same file.
void checkWritten(std::span<const std::byte> file, std::span<const std::byte> target)
{
    for (const auto &patch : {report::ipsPatch(file, target), report::bpsPatch(file, target)}) {
        fuzz::require(patch.has_value());
        const auto made = test::patchedBytes(file, *patch, "x.bps");
        fuzz::require(made && std::ranges::equal(made->content, target));
    }
}

} // namespace

/// A patch is applied, within its limits and with its checksums, or refused with its place in it.
/// Once more with checksums of the file and of the patch that are sound: else no step of BPS would
/// be read. As a new file, the input is what its own patches make.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const std::vector<std::byte> kFile = fileOfSeeds();
    const auto given = fuzz::bytesOf(data, size);
    check(kFile, given);
    checkWritten(kFile, given);
    if (size < 12)
        return 0;
    std::vector<std::byte> mended(given.begin(), given.end());
    putLittle(mended, size - 12, patch::checksumOf(kFile));
    putLittle(mended, size - 4, patch::checksumOf(std::span(mended).first(size - 4)));
    check(kFile, mended);
    return 0;
}
