// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/encode/encoder.h"
#include "made_bundle.h"
#include "tests/test_program.h"

/// Values of weights, and command lines.
namespace kernscope::test {

inline Bytes someHalves(unsigned seed, std::uint64_t count)
{
    std::mt19937 random(seed);
    std::vector<float> values;
    for (std::uint64_t i = 0; i < count; ++i)
        values.push_back(static_cast<float>(static_cast<double>(random()) / 4294967296.0 - 0.5));
    return codec::encodeDense(values, {count}, ElementType::Fp16)->parts.front().bytes;
}

/// The words of a `plan` of one bundle: `options` separated by spaces; % stands for the folder.
inline QStringList planLine(const QString &bundle, const QByteArray &options, const QString &folder)
{
    QStringList list{QStringLiteral("plan"), bundle};
    for (const QByteArray &word : options.split(' '))
        list << QString::fromUtf8(word).replace(u'%', folder);
    return list;
}

} // namespace kernscope::test
