// SPDX-License-Identifier: GPL-3.0-or-later
// What each engine core loads of a weight: planes of slices, or slices whole.
#include "core/bundle/weight.h"
#include "core/container/hwx/weights/hardware_block.h"

#include <utility>

namespace kernscope {

void BlockReader::notePlanes(std::size_t weight, std::size_t bias)
{
    for (std::uint64_t engine = 0; engine < m_layout->engines(); ++engine) {
        for (std::uint64_t chunk = 0; chunk < m_layout->chunks().size(); ++chunk) {
            const auto plane = m_layout->plane(chunk, engine);
            if (!plane)
                continue;
            const std::vector<ChannelRun> run{{plane->firstChannel, plane->channels}};
            const std::uint64_t start = m_block.slices[engine].offset.value + plane->offset;
            const std::uint64_t biasBytes = m_layout->geometry().bias ? 2 * plane->width : 0;
            const std::uint64_t rows = 2 * plane->width * m_layout->steps();
            m_out.weights[weight].lanePieces.push_back(
                {engine, chunk, run, {FileOffset(start + biasBytes), ByteCount(rows)}});
            if (biasBytes != 0 && bias < m_out.weights.size())
                m_out.weights[bias].lanePieces.push_back(
                    {engine, chunk, run, {FileOffset(start), ByteCount(biasBytes)}});
        }
    }
    noteCopies(weight);
    if (bias != weight)
        noteCopies(bias);
}

void BlockReader::noteSparse(std::size_t weight, std::size_t bias)
{
    for (const lanes::SparsePlane &plane : m_planes) {
        const std::vector<ChannelRun> run{{plane.firstChannel, plane.width}};
        const std::uint64_t slice = m_block.slices[plane.engine].offset.value;
        const auto bytes = [slice](std::uint64_t first, std::uint64_t end) {
            return ByteRange{FileOffset(slice + first), ByteCount(end - first)};
        };
        m_out.weights[weight].lanePieces.push_back(
            {plane.engine, plane.chunk, run, bytes(plane.body, plane.end)});
        if (bias != weight)
            m_out.weights[bias].lanePieces.push_back(
                {plane.engine, plane.chunk, run, bytes(plane.bias, plane.length)});
    }
    noteCopies(weight);
    if (bias != weight)
        noteCopies(bias);
}

/// Slices whose planes are not told apart: one piece a lane.
void BlockReader::noteSlices(std::size_t weight, bool channelsKnown)
{
    for (std::size_t lane = 0; lane < m_block.slices.size(); ++lane) {
        LanePiece piece{lane, 0, {}, m_block.slices[lane]};
        for (std::size_t i = 0; channelsKnown && i < m_layout->chunks().size(); ++i) {
            const lanes::Chunk &chunk = m_layout->chunks()[i];
            if (const std::uint64_t count = chunk.channelsOf(lane); count != 0)
                piece.channels.push_back({chunk.first + lane * chunk.lanes, count});
        }
        m_out.weights[weight].lanePieces.push_back(std::move(piece));
    }
    noteCopies(weight);
}

void BlockReader::noteCopies(std::size_t weight)
{
    if (weight >= m_out.weights.size())
        return;
    auto &pieces = m_out.weights[weight].lanePieces;
    const std::size_t own = pieces.size();
    for (std::size_t copy = 0; copy < m_block.copies.size(); ++copy) {
        const SliceRanges &slices = m_block.copies[copy];
        for (std::size_t i = 0; i < own; ++i) {
            LanePiece piece = pieces[i];
            if (piece.lane >= slices.size())
                continue;
            // A piece lies within its slice, and the slices of a copy are as long.
            const std::uint64_t inside =
                piece.bytes.offset.value - m_block.slices[piece.lane].offset.value;
            piece.bytes.offset = FileOffset(slices[piece.lane].offset.value + inside);
            piece.copy = copy + 1;
            pieces.push_back(std::move(piece));
        }
    }
}

} // namespace kernscope
