// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mlir/entries.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

/// Modules of the tests' own, put together number by number from mlir-bytecode.md.
namespace kernscope::test {

using Bytes = std::vector<std::byte>;

/// The tables of a module and the bytes of its operations.
struct MadeModule {
    struct Blob {
        std::string key;
        std::uint64_t alignment = 16;
        Bytes data;
    };

    std::uint64_t version = 6;
    std::vector<std::string> strings;
    std::vector<std::string> names; ///< of operations, without "aicode."
    std::vector<Bytes> attributes, types, properties;
    std::vector<Blob> blobs;
    Bytes operations; ///< of section 4

    std::uint64_t string(const std::string &text);
    std::uint64_t name(const std::string &text);
    /// An entry of varints; its index.
    std::uint64_t attribute(std::initializer_list<std::uint64_t> numbers);
    std::uint64_t type(std::initializer_list<std::uint64_t> numbers);
    std::uint64_t attribute(Bytes bytes);
    std::uint64_t propertyRun(std::initializer_list<std::uint64_t> numbers);
    /// Makes the operations: an asset with one graph of these properties, whose body is `count`
    /// operations that define as many values as that.
    void wrapGraph(std::uint64_t location, std::initializer_list<std::uint64_t> graph,
                   std::uint64_t assetVersion, std::uint64_t values, std::uint64_t count,
                   const Bytes &body);

    Bytes bytes() const;
};

Bytes varints(std::initializer_list<std::uint64_t> numbers);
/// `id` with its length, and an alignment where it is not 0 (for data that begins at `at`).
void putSection(mlir::Encoder &out, unsigned id, const Bytes &data, std::uint64_t alignment = 0);

/// A graph "main" of two outputs: a constant of four fp16 numbers, inline, and int8 codes
/// [8, 16] in a blob with a scale for each row: 0.5 for all (a splat).
MadeModule madeWeights();

} // namespace kernscope::test
