// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/section/builder.h"

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

/// Private to the section's builder: the coefficients of one core.
namespace kernscope::section {

std::vector<std::byte> halfBytes(std::span<const std::uint16_t> halves);

struct Packed {
    std::vector<GroupRecord> records;
    std::vector<std::byte> weights, palette;
    std::vector<std::uint16_t> scales;
    std::vector<std::uint64_t> channelList; ///< in the order of the records
    std::uint64_t channels = 0, books = 0;
    std::uint32_t weightType = 0, entryType = 0;
};

class Packer
{
public:
    Packer(const codec::Decoder &decoder, const UnitForm &form,
           const std::vector<lanes::Chunk> &chunks, std::uint64_t steps, std::size_t core)
        : m_decoder(decoder), m_form(form), m_chunks(chunks), m_steps(steps), m_core(core)
    {
    }
    /// Errors: "section.form" (a scale that fp16 does not hold).
    Result<Packed> pack();

private:
    void packDense(Packed &out, std::uint64_t first, std::uint64_t count) const;
    void packCodes(Packed &out, std::uint64_t first, std::uint64_t count) const;
    void packSparse(Packed &out, std::uint64_t first, std::uint64_t count);
    Result<void> packScales(Packed &out) const;
    void packPalette(Packed &out) const;

    const codec::Decoder &m_decoder;
    const UnitForm &m_form;
    const std::vector<lanes::Chunk> &m_chunks;
    std::uint64_t m_steps;
    std::size_t m_core;
    std::vector<std::uint8_t> m_mask; ///< a byte a bit, in the order of the records
    std::vector<std::byte> m_survivors;
};

} // namespace kernscope::section
