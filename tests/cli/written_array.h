// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numeric/npy.h"
#include "tests/test_program.h"

/// Arrays for quantize.
namespace kernscope::test {

/// A .npy file of normal numbers.
inline QString writeArray(const QTemporaryDir &scratch, const char *name, const Shape &shape,
                          ElementType type = ElementType::Fp32)
{
    const QString path = scratch.filePath(QString::fromUtf8(name));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return {};
    file.write(QByteArray::fromStdString(npyHeader(type, shape)));
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0, 1);
    for (std::uint64_t i = 0; i < elementCount(shape)->value; ++i) {
        const float value = normal(random);
        if (type == ElementType::Fp32)
            file.write(reinterpret_cast<const char *>(&value), 4);
        else
            file.write(i % 2 == 0 ? "\x00\x3c" : "\x00\xc0", 2);
    }
    return path;
}

} // namespace kernscope::test
