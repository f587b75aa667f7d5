// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/squeezed_bytes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>

#include <zlib.h>

namespace kernscope {

namespace {

constexpr std::size_t kAtOnce = std::size_t{64} << 10;
/// Less than the largest number of bytes that zlib takes or gives at once.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

const Bytef *zlibInput(const std::byte *bytes)
{
    return reinterpret_cast<const Bytef *>(bytes);
}

} // namespace

struct Squeezer::State {
    z_stream stream{};
    std::uint64_t bytes = 0;    ///< that were added
    std::vector<std::byte> out; ///< their number first
    std::array<std::byte, kAtOnce> piece;

    void begin()
    {
        bytes = 0;
        out.resize(sizeof bytes);
    }

    void run(int flush)
    {
        do {
            stream.next_out = reinterpret_cast<Bytef *>(piece.data());
            stream.avail_out = static_cast<uInt>(piece.size());
            ::deflate(&stream, flush);
            out.insert(out.end(), piece.begin(), piece.end() - stream.avail_out);
        } while (stream.avail_out == 0);
    }
};

Squeezer::Squeezer() : m_state(new State)
{
    m_state->begin();
    if (::deflateInit(&m_state->stream, Z_BEST_SPEED) != Z_OK) {
        delete m_state;
        throw std::bad_alloc();
    }
}

Squeezer::~Squeezer()
{
    ::deflateEnd(&m_state->stream);
    delete m_state;
}

void Squeezer::add(std::span<const std::byte> bytes)
{
    m_state->bytes += bytes.size();
    while (!bytes.empty()) {
        const std::size_t count = std::min(bytes.size(), kMostAtOnce);
        m_state->stream.next_in = const_cast<Bytef *>(zlibInput(bytes.data()));
        m_state->stream.avail_in = static_cast<uInt>(count);
        m_state->run(Z_NO_FLUSH);
        bytes = bytes.subspan(count);
    }
}

std::vector<std::byte> Squeezer::finish()
{
    m_state->run(Z_FINISH);
    std::memcpy(m_state->out.data(), &m_state->bytes, sizeof m_state->bytes);
    std::vector<std::byte> squeezed(m_state->out.begin(), m_state->out.end());
    m_state->begin();
    ::deflateReset(&m_state->stream);
    return squeezed;
}

std::vector<std::byte> unsqueezed(std::span<const std::byte> squeezed)
{
    std::uint64_t size = 0;
    std::memcpy(&size, squeezed.data(), sizeof size);
    squeezed = squeezed.subspan(sizeof size);
    std::vector<std::byte> bytes(size);
    if (bytes.empty()) // zlib refuses to write to nowhere
        return bytes;
    z_stream stream{};
    if (::inflateInit(&stream) != Z_OK)
        throw std::bad_alloc();
    std::size_t read = 0, written = 0;
    int state = Z_OK;
    while (state == Z_OK) {
        const std::size_t in = std::min(squeezed.size() - read, kMostAtOnce);
        const std::size_t out = std::min(bytes.size() - written, kMostAtOnce);
        stream.next_in = const_cast<Bytef *>(zlibInput(squeezed.data() + read));
        stream.avail_in = static_cast<uInt>(in);
        stream.next_out = reinterpret_cast<Bytef *>(bytes.data() + written);
        stream.avail_out = static_cast<uInt>(out);
        state = ::inflate(&stream, Z_NO_FLUSH);
        read += in - stream.avail_in;
        written += out - stream.avail_out;
    }
    ::inflateEnd(&stream);
    if (state != Z_STREAM_END) // what a Squeezer wrote has its end
        throw std::bad_alloc();
    return bytes;
}

} // namespace kernscope
