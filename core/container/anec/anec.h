// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/cover.h"

/// The .anec form of the Linux driver: a header of sizes, then text and kernel bytes as they were
/// in a container for H13 (resources/formats/hardware-containers.md). Read only.
namespace kernscope::anec {

inline constexpr std::size_t kTiles = 32;

struct AnecHeader {
    std::uint64_t size = 0;                     ///< of the content: text, padding, kernel
    std::uint32_t taskBytes = 0, taskCount = 0; ///< first task's size; number of tasks
    std::uint64_t textBytes = 0, kernelBytes = 0;
    std::uint32_t sources = 0, destinations = 0;
    std::array<std::uint32_t, kTiles> tiles{}; ///< units of 16 KiB an aperture
    /// N, C, H, W, plane stride, row stride of each aperture.
    std::array<std::array<std::uint64_t, 6>, kTiles> shapes{};
};

struct AnecFile {
    AnecHeader header;
    /// Where the content starts: 0x1000, or 0x800 in one loader's reading (contested). The one
    /// with which the content ends with the file.
    std::uint64_t contentOffset = 0;
    /// Its text and kernel sections and tasks, as those of a container: addresses count from the
    /// start of the content, there are no commands and no symbols.
    hwx::Container image;
};

/// True where the header's sizes fit the file.
bool isAnec(std::span<const std::byte> bytes);

/// Errors: "anec.header" where isAnec is false. Faults of the tasks are in image.diagnostics.
Result<AnecFile> readAnec(std::span<const std::byte> bytes, const std::string &file);

/// Runs that cover header, tasks and kernel.
std::vector<hwx::CoverSpan> coverAnec(const AnecFile &file, std::span<const std::byte> bytes);

/// The field of the header of an .anec file that holds a byte ("aperture 3: tiles of 16 KiB
/// (uint32)"); nothing behind the header's fields.
std::optional<format::PlacedField> fieldAt(FileOffset offset);

} // namespace kernscope::anec
