// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/encoding.h"
#include "core/numeric/npy.h"
#include "tests/test_program.h"

namespace kernscope::test {

/// An archive of arrays (.npz): a zip archive with entries that are stored as they are.
class WrittenArchive
{
public:
    void add(const std::string &name, const Shape &shape, const std::vector<float> &values)
    {
        std::string data = npyHeader(ElementType::Fp32, shape);
        data.append(reinterpret_cast<const char *>(values.data()), 4 * values.size());
        const std::string path = name + ".npy";
        const auto at = static_cast<std::uint32_t>(m_bytes.size());
        const std::string common =
            number(20, 2) + number(0, 2) + number(0, 2) + number(0, 4) + number(checksum(data), 4) +
            number(static_cast<std::uint32_t>(data.size()), 4) +
            number(static_cast<std::uint32_t>(data.size()), 4) +
            number(static_cast<std::uint32_t>(path.size()), 2) + number(0, 2);
        m_bytes += "PK\x03\x04" + common + path + data;
        m_directory += "PK\x01\x02" + number(20, 2) + common + number(0, 2) + number(0, 2) +
                       number(0, 2) + number(0, 4) + number(at, 4) + path;
        ++m_count;
    }

    void write(const QString &file) const
    {
        std::ofstream out(file.toStdString(), std::ios::binary);
        out << m_bytes << m_directory << "PK\x05\x06" << number(0, 4) << number(m_count, 2)
            << number(m_count, 2) << number(static_cast<std::uint32_t>(m_directory.size()), 4)
            << number(static_cast<std::uint32_t>(m_bytes.size()), 4) << number(0, 2);
    }

private:
    static std::string number(std::uint32_t value, int bytes)
    {
        std::string text;
        for (int i = 0; i < bytes; ++i)
            text += static_cast<char>(value >> (8 * i) & 0xff);
        return text;
    }
    static std::uint32_t checksum(const std::string &data)
    {
        std::uint32_t crc = ~0u;
        for (const char c : data) {
            crc ^= static_cast<unsigned char>(c);
            for (int bit = 0; bit < 8; ++bit)
                crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xedb88320u : 0u);
        }
        return ~crc;
    }

    std::string m_bytes, m_directory;
    std::uint32_t m_count = 0;
};

} // namespace kernscope::test
