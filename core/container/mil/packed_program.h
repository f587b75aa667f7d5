// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace kernscope::mil {

class UnpackStream;

/// An operation; a block of it has no operations, for these stand by themselves. Keeps the page
/// alive that it lies on.
using OperationPtr = std::shared_ptr<const Operation>;

/// A program in a twentieth of its memory: its operations in the order of the program, those of
/// blocks behind the one that holds them, so many to a page, each page packed by itself. Any
/// operation is had without unpacking more than its page. For this process only, never for a file.
/// From any thread.
class PackedProgram
{
public:
    explicit PackedProgram(const Program &program);

    /// Of all functions and blocks.
    std::size_t operations() const { return m_operations; }
    /// The operations of a function: the first, and behind the last.
    std::pair<std::size_t, std::size_t> operationsOf(std::size_t function) const
    {
        return {m_firsts[function], m_firsts[function + 1]};
    }
    /// The program without its operations.
    Program frame() const;
    /// All of it, equal in every member to what was packed.
    Program whole() const;
    /// Takes as long as unpacking some dozens of operations, where its page is not at hand.
    OperationPtr operation(std::size_t number) const;
    /// Reads all operations one after the other.
    class Reader
    {
    public:
        /// The program has to stay.
        explicit Reader(const PackedProgram &from);
        ~Reader();
        /// The next one, and of each of its blocks how many operations stand directly in it. Not
        /// behind the last.
        void next(Operation &operation, std::vector<std::size_t> &inBlocks);

    private:
        const PackedProgram &m_from;
        std::size_t m_page = 0;
        std::unique_ptr<UnpackStream> m_stream;
    };
    /// How many operations stand directly in the body of each function.
    std::vector<std::size_t> inBodies() const;

    /// Gives the pages back that were unpacked last.
    void dropPages() const;
    std::size_t packedBytes() const;
    /// Packed from equal programs.
    friend bool operator==(const PackedProgram &a, const PackedProgram &b);

private:
    struct Page {
        std::size_t first = 0; ///< number of its first operation
        std::vector<std::byte> bytes;
    };
    /// A page that is unpacked.
    struct Unpacked {
        std::vector<Operation> operations;
        std::size_t bytes = 0; ///< about what it takes
    };
    using UnpackedPtr = std::shared_ptr<const Unpacked>;
    struct Kept {
        std::size_t page = 0;
        UnpackedPtr content;
    };
    class Packer;

    std::size_t endOf(std::size_t page) const
    {
        return page + 1 < m_pages.size() ? m_pages[page + 1].first : m_operations;
    }
    UnpackedPtr unpacked(std::size_t page) const;
    UnpackedPtr kept(std::size_t page) const;
    void keep(std::size_t page, const UnpackedPtr &content) const;

    std::vector<std::byte> m_frame;
    std::vector<Page> m_pages;
    std::vector<std::size_t> m_firsts; ///< by function, and behind the last
    std::size_t m_operations = 0;
    mutable std::mutex m_mutex;
    mutable std::vector<Kept> m_kept; ///< the one that was used last at the end
};

} // namespace kernscope::mil
