// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/little_endian.h"
#include "made_bundle.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>

#include <unistd.h>

#include <fmt/format.h>

/// What the benches of whole bundles share: the clock on the wall and large models on disk.
namespace kernscope::bench {

inline double wallSeconds(const std::function<void()> &work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The middle one of some runs: the first time, the system finds the memory.
inline double middleSeconds(std::size_t count, const std::function<void()> &work)
{
    std::vector<double> runs(count);
    for (double &run : runs)
        run = wallSeconds(work);
    std::ranges::nth_element(runs, runs.begin() + std::ptrdiff_t(count / 2));
    return runs[count / 2];
}

inline std::filesystem::path scratchFolder()
{
    return std::filesystem::temp_directory_path() / fmt::format("kernscope-bench-{}", getpid());
}

inline bool writeAll(std::ofstream &file, std::span<const std::byte> bytes)
{
    file.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
    return file.good();
}

/// A compiled model of dense fp16 weights w0, w1 and so on of `shape`, of `bytes` each. `payload`
/// writes those of one; without it they are holes of the file system.
inline bool writeModel(
    const std::filesystem::path &folder, std::uint64_t weights, const std::string &shape,
    std::uint64_t bytes, test::MadeBundle made = {},
    const std::function<void(std::ofstream &, std::uint64_t, test::MadeBundle &)> &payload = {})
{
    std::filesystem::create_directories(folder / "weights");
    std::ofstream file(folder / "weights/weight.bin", std::ios::binary);
    test::Bytes header(64);
    storeLittle<std::uint32_t>(header, 0, std::uint32_t(weights));
    storeLittle<std::uint32_t>(header, 4, milblob::kVersion);
    writeAll(file, header);
    for (std::uint64_t i = 0; i < weights; ++i) {
        const std::uint64_t meta = 64 + i * (64 + bytes);
        test::Bytes record(64);
        storeLittle<std::uint32_t>(record, 0, milblob::kSentinel);
        storeLittle<std::uint32_t>(record, 4, 1);
        storeLittle<std::uint64_t>(record, 8, bytes);
        storeLittle<std::uint64_t>(record, 16, meta + 64);
        file.seekp(std::streamoff(meta));
        writeAll(file, record);
        made.constant("tensor<fp16, " + shape + ">", fmt::format("w{}", i),
                      test::MadeBundle::blobAt("fp16", shape, meta));
        if (payload)
            payload(file, i, made);
    }
    file.close();
    std::filesystem::resize_file(folder / "weights/weight.bin", 64 + weights * (64 + bytes));
    std::ofstream(folder / "model.mil") << made.text();
    return file.good();
}

} // namespace kernscope::bench
