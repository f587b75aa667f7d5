// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <span>

/// ExecuTorch programs (.pte): a FlatBuffer, then segments of data. A program that was lowered to
/// Core ML or Core AI holds whole packages, as the data of its delegates. Layout: program.fbs,
/// extended_header.h, inmemoryfs and asset_manifest.py of pytorch/executorch
/// (resources/formats/pte.md).
namespace kernscope::pte {

/// What a backend is given.
struct Delegate {
    std::string method;  ///< "forward": of the first that names it
    std::string backend; ///< "CoreMLBackend"
    ByteRange data;      ///< of the file
};

/// True where the FlatBuffer has the identifier of such programs.
bool isPte(std::span<const std::byte> bytes);

/// Whether its data are files of a package.
bool holdsPackage(const Delegate &delegate);

/// The delegates, data that several methods share or refer to by one name once; `beyond`: how many
/// there are behind the first 1,000, which alone are read. Errors: "pte.content" (no such file, or
/// a reference that leaves it), with the place.
Result<std::vector<Delegate>> readDelegates(std::span<const std::byte> bytes,
                                            const std::string &file, std::size_t *beyond = nullptr);

/// A file of a package within a delegate's data.
struct PackedFile {
    std::string path; ///< "lowered_module/model.mlpackage/Manifest.json"
    ByteRange data;   ///< of the .pte
};
/// The files of a Core ML delegate: they stand one behind the other, and a JSON text at the end,
/// written backwards, says which is where. Of a Core AI delegate: its data are a JSON text that
/// lists them, and the program has each under a name. Errors: "pte.files", "pte.content".
Result<std::vector<PackedFile>> packedFiles(std::span<const std::byte> bytes,
                                            const Delegate &delegate, const std::string &file);

} // namespace kernscope::pte
