// SPDX-License-Identifier: GPL-3.0-or-later
// kernscope-bench-open: what opening, reading programs and patching cost on a bundle of 2 GiB,
// beside the plainest way to touch the same bytes, in one process.
#include "large_models.h"

#include "core/base/sha256.h"
#include "core/container/mil/reader.h"
#include "core/patch/interrupted_save.h"
#include "core/patch/save/journal.h"
#include "core/patch/save/save_key.h"

using namespace kernscope;
using namespace kernscope::bench;
using namespace kernscope::test;

namespace {

constexpr std::uint64_t kRecords = 32;
constexpr std::uint64_t kElements = std::uint64_t(1) << 25; // of each: 64 MiB of fp16
constexpr std::uint64_t kStride = 64 + 2 * kElements;

/// A figure of /proc/self: resident bytes, or bytes given to write().
std::uint64_t resident()
{
    std::ifstream statm("/proc/self/statm");
    std::uint64_t all = 0, pages = 0;
    statm >> all >> pages;
    return pages * std::uint64_t(sysconf(_SC_PAGESIZE));
}

std::uint64_t written()
{
    std::ifstream io("/proc/self/io");
    std::string key;
    std::uint64_t value = 0;
    while (io >> key >> value) {
        if (key == "wchar:")
            return value;
    }
    return 0;
}

void benchOpen(const std::filesystem::path &folder)
{
    const std::uint64_t before = resident();
    const auto kept = Bundle::open(folder);
    const std::uint64_t grown = resident() - std::min(before, resident());
    const double ours = middleSeconds(9, [&] { (void)Bundle::open(folder); });
    const double plain = middleSeconds(9, [&] {
        std::ifstream file(folder / "weights/weight.bin", std::ios::binary);
        char record[64];
        for (std::uint64_t i = 0; i < kRecords; ++i) {
            file.seekg(std::streamoff(64 + i * kStride));
            file.read(record, sizeof record);
        }
    });
    fmt::print("open 2 GiB       {:9.3f} ms   reading its records alone {:9.3f} ms   ratio {:7.2f}"
               "   resident growth {:.1f} MiB\n",
               1e3 * ours, 1e3 * plain, ours / plain, double(grown) / 1048576);
    if (!kept)
        fmt::print("  {}\n", describe(kept.error()));
}

void benchPatch(const std::filesystem::path &folder)
{
    const auto bundle = Bundle::open(folder);
    const auto edit = parseEdit(Edit::Kind::Set, "w7[12345]=0.5");
    if (!bundle || !edit)
        return;
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t before = written();
    const auto planned = planEdits(*bundle, {*edit}, 0);
    if (!planned)
        return;
    const auto applied = applyEdit(*bundle, planned->front());
    const auto saved = applied ? saveInPlace(**applied, false) : tl::unexpected(applied.error());
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("patch an element {:9.3f} ms   {} B into the file, {} B written in all (journal and "
               "this page's own reading of /proc), {}\n",
               1e3 * seconds, saved ? saved->bytesWritten.value : 0, written() - before,
               saved && saved->verified ? "verified" : "NOT VERIFIED");
}

void benchText()
{
    MadeBundle made;
    for (int i = 0; made.text().size() < 300 * 1024; ++i) {
        for (int k = 0; k < 64; ++k)
            made.constant("tensor<fp16, [4]>", fmt::format("value_{}_{}", i, k),
                          "tensor<fp16, [4]>([0x1p0, 0x1p1, -0x1.8p-3, 0x0p0])");
    }
    const std::string text = made.text();
    const auto bytes = std::as_bytes(std::span(text));
    std::size_t operations = 0;
    const double ours = middleSeconds(9, [&] {
        const auto parsed = mil::readProgramText(bytes, "model.mil");
        operations = parsed.program.functions.size();
    });
    std::vector<std::byte> copy(bytes.size());
    const double plain = middleSeconds(9, [&] { std::ranges::copy(bytes, copy.begin()); });
    fmt::print(
        "model.mil {:3} KiB {:8.3f} ms   copying the text alone    {:9.3f} ms   ratio {:7.2f}"
        "   {} functions\n",
        text.size() / 1024, 1e3 * ours, 1e3 * plain, ours / plain, operations);
}

/// The journal of a save of as many runs as a save of 6 GiB makes at most, the runs close to each
/// other, so that what is laid over the file takes no memory to speak of.
bool makeJournal(const std::filesystem::path &folder, std::uint64_t runs)
{
    constexpr std::uint64_t kFirst = 4096, kApart = 4;
    const std::string name = "weights/weight.bin";
    const std::uint64_t fileBytes = runs * 4096;
    MadeBundle made;
    made.weight("w", "[2]", Bytes(4));
    std::filesystem::create_directories(folder / "weights");
    std::ofstream(folder / "model.mil") << made.text();
    const Bytes weights = made.weights();
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char *>(weights.data()), std::streamsize(weights.size()));
    std::filesystem::resize_file(folder / name, fileBytes);

    std::string text = "KSJOURN1";
    const auto number = [&text](std::uint64_t value, unsigned bytes) {
        for (unsigned i = 0; i < bytes; ++i)
            text += char(value >> (8 * i) & 0xff);
    };
    constexpr std::size_t kDigest = patch::kJournalDigestBytes;
    number(24 + runs * (4 + name.size() + 24 + 2) + kDigest, 8);
    number(runs, 8);
    for (std::uint64_t i = 0; i < runs; ++i) {
        number(name.size(), 4);
        text += name;
        number(fileBytes, 8);
        number(kFirst + i * kApart, 8);
        number(1, 8);
        text += {'\0', '\1'};
    }
    Sha256 sum;
    sum.update(std::as_bytes(std::span(text)));
    const auto digest = sum.finish();
    if (!digest)
        return false;
    text.append(reinterpret_cast<const char *>(digest->data()), digest->size());
    const auto journal = patch::journalPath(folder);
    std::ofstream(journal, std::ios::binary) << text;
    return patch::writeSaveKey({Sha256::textOf(*digest), journal, {}}).has_value();
}

/// Reading beside an interrupted save, and saying what its recovery would write.
void benchJournal(const std::filesystem::path &folder)
{
    for (const std::uint64_t runs : {375'000U, 750'000U, 1'500'000U}) {
        if (!makeJournal(folder, runs))
            return;
        const auto timed = [](const auto &work) {
            bool done = false;
            const double now = wallSeconds([&] { done = work(); });
            return fmt::format("{:9.3f} ms{}", 1e3 * now, done ? "" : " FAILED");
        };
        const std::string open = timed([&] {
            const auto opened = openForReading(folder);
            return opened.bundle && opened.saves.size() == 1 &&
                   opened.saves[0].state == InterruptedState::Pending;
        });
        const std::string recover =
            timed([&] { return recoverSave(folder, RecoverAction::Undo, true).has_value(); });
        const std::string discard =
            timed([&] { return recoverSave(folder, RecoverAction::Discard).has_value(); });
        fmt::print("journal of {:9} runs   read {}   recover --dry-run {}   --discard {}\n", runs,
                   open, recover, discard);
    }
}

} // namespace

int main()
{
    const auto scratch = scratchFolder();
    const auto folder = scratch / "large.mlmodelc";
    if (writeModel(folder, kRecords, fmt::format("[{}]", kElements), 2 * kElements)) {
        benchOpen(folder);
        benchPatch(folder);
    }
    benchText();
    benchJournal(scratch / "saved.mlmodelc");
    std::filesystem::remove_all(scratch);
    return 0;
}
