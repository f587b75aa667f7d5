// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli_process.h"
#include "synthetic_kernels.h"

/// Files that tests of weight sections start from.
namespace kernscope::test {

/// A bundle, and containers of a dense and a sparse kernel with the sections built of them.
class SectionFiles : public QObject
{
protected:
    void makeFiles();
    CliResult section(const QStringList &arguments) const;
    CliResult build(const QString &source, const QString &output,
                    const QStringList &more = {}) const;
    QString at(const char *name) const { return m_scratch.filePath(QString::fromLatin1(name)); }
    void write(const char *name, const Bytes &bytes) const;

    QTemporaryDir m_scratch;
    QString m_bundle;
    const QString m_force = QStringLiteral("--force");
    SparseKernel m_sparse = sparseKernel(lanes::SparseForm::H13);
    MadeKernel m_dense;
};

inline CliResult SectionFiles::section(const QStringList &arguments) const
{
    return runCli(QStringList{QStringLiteral("section")} + arguments);
}

inline CliResult SectionFiles::build(const QString &source, const QString &output,
                                     const QStringList &more) const
{
    return section(
        QStringList{QStringLiteral("build"), source, QStringLiteral("--output"), output} + more);
}

inline void SectionFiles::write(const char *name, const Bytes &bytes) const
{
    QVERIFY(put(at(name), bytes));
}

inline void SectionFiles::makeFiles()
{
    MadeBundle made;
    Bytes numbers;
    for (int i = 0; i < 32 * 6; ++i) {
        const Bytes one = halves({i % 5 == 0 ? 0.0f : float(i % 16) / 4});
        numbers.insert(numbers.end(), one.begin(), one.end());
    }
    made.weight("w", "[32, 6, 1, 1]", numbers);
    m_bundle = writeBundle(m_scratch, "source.mlmodelc", made);
    m_dense.geometry = {32, 3, 1, 3, 3, 1, true};
    m_dense.lanesLog2 = 1;
    lanes::DealOptions options;
    options.cap = 2;
    const auto layout = *lanes::SliceLayout::make(m_dense.geometry, lanes::Law::Dense, options);
    m_dense.slices =
        *lanes::encodeSlices(layout, numbered(layout.elements(), 0x3000), numbered(32, 0x4000));
    write("dense.hwx", containerOf(m_dense));
    write("sparse.hwx", containerOf(m_sparse.kernel));
    QCOMPARE(build(at("dense.hwx"), at("dense.ksec")).exitCode, 0);
    QCOMPARE(build(at("sparse.hwx"), at("sparse.ksec")).exitCode, 0);
}

} // namespace kernscope::test
