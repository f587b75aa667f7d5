// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/test_program.h"

/// Bytes of weight files for the tests of milblob.
namespace blobtest {

using Bytes = std::vector<std::byte>;

inline Bytes hex(const char *digits)
{
    const QByteArray raw = QByteArray::fromHex(digits);
    const auto bytes = std::as_bytes(std::span(raw.constData(), std::size_t(raw.size())));
    return {bytes.begin(), bytes.end()};
}

inline QByteArray hexOf(std::span<const std::byte> bytes)
{
    return QByteArray(reinterpret_cast<const char *>(bytes.data()), qsizetype(bytes.size()))
        .toHex();
}

inline void poke(Bytes &file, std::size_t at, std::uint64_t value, std::size_t size)
{
    for (std::size_t i = 0; i < size; ++i)
        file[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xFF);
}

} // namespace blobtest
