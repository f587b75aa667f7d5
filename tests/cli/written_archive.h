// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numeric/npy.h"
#include "tests/core/container/checkpoint/made_checkpoint.h"

namespace kernscope::test {

/// An archive of arrays (.npz).
struct WrittenArchive {
    std::vector<Member> members;

    void add(const std::string &name, const Shape &shape, const std::vector<float> &values)
    {
        members.push_back(
            {QByteArray::fromStdString(name + ".npy"),
             QByteArray::fromStdString(npyHeader(ElementType::Fp32, shape)) + floats(values)});
    }
    void write(const QString &file) const { QVERIFY(put(file, zip(members))); }
};

} // namespace kernscope::test
