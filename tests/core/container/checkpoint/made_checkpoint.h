// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "made_bundle.h"
#include "tests/test_program.h"

#include <zlib.h>

/// Checkpoints and archives written by hand, for the tests of their readers.
namespace kernscope::test {

inline QByteArray floats(const std::vector<float> &values)
{
    return {reinterpret_cast<const char *>(values.data()),
            qsizetype(values.size() * sizeof(float))};
}

inline QByteArray npy(const char *descr, const char *order, const char *shape,
                      const QByteArray &data)
{
    QByteArray header = QByteArray("{'descr': '") + descr + "', 'fortran_order': " + order +
                        ", 'shape': " + shape + ", }";
    while ((header.size() + 11) % 64 != 0)
        header += ' ';
    header += '\n';
    return QByteArray("\x93NUMPY\x01\x00", 8) + little(quint64(header.size()), 2) + header + data;
}

inline QByteArray deflated(const QByteArray &raw)
{
    QByteArray out(raw.size() + 64, '\0');
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    QByteArray in = raw;
    stream.next_in = reinterpret_cast<Bytef *>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef *>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(qsizetype(stream.total_out));
    deflateEnd(&stream);
    return out;
}

struct Member {
    QByteArray path, content;
    bool packed = false;
};

inline QByteArray zip(const std::vector<Member> &members)
{
    QByteArray out, directory, data;
    const Member *before = nullptr;
    for (const Member &member : members) {
        if (!before || before->packed != member.packed ||
            !member.content.isSharedWith(before->content))
            data = member.packed ? deflated(member.content) : member.content;
        before = &member;
        const auto crc = crc32(0, reinterpret_cast<const Bytef *>(member.content.constData()),
                               static_cast<uInt>(member.content.size()));
        const QByteArray common = little(0, 2) + little(member.packed ? 8 : 0, 2) + little(0, 4) +
                                  little(crc, 4) + little(quint64(data.size()), 4) +
                                  little(quint64(member.content.size()), 4) +
                                  little(quint64(member.path.size()), 2) + little(0, 2);
        directory += little(0x02014b50, 4) + little(20, 2) + little(20, 2) + common + little(0, 2) +
                     little(0, 2) + little(0, 2) + little(0, 4) + little(quint64(out.size()), 4) +
                     member.path;
        out += little(0x04034b50, 4) + little(20, 2) + common + member.path + data;
    }
    const auto count = quint64(members.size());
    return out + directory + little(0x06054b50, 4) + little(0, 4) + little(count, 2) +
           little(count, 2) + little(quint64(directory.size()), 4) +
           little(quint64(out.size()), 4) + little(0, 2);
}

} // namespace kernscope::test
